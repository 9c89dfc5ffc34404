//! Scopes and symbols.
//!
//! Lives here: the ScopeHierarchy. Never here: uses of symbols.

use super::Writer;
use super::pieces::PIECE;
use crate::model::{Bound, Decl, ElemType, IndexOrder, Passing, Span, Storage, Symbol, SymbolId};
use crate::vocabulary::{BY_ROWS, SHAPES, Words, fe_bits, join, stock_name};
use smol_str::{SmolStr, format_smolstr};

impl Writer<'_> {
    pub(super) fn scope_hierarchy(&mut self) {
        let p = self.program;
        self.out.open("xaif:ScopeHierarchy");
        for (i, scope) in p.scopes.iter().enumerate() {
            self.out.open("xaif:Scope");
            self.out.attr("vertex_id", &self.ids.scopes[i]);
            if i == 0 && !self.ob && p.index_order == IndexOrder::Row {
                self.annotation(&format!("{}{BY_ROWS}", scope.annotation));
            } else {
                self.annotation(&scope.annotation);
            }
            self.place(scope.span);
            self.extras(&scope.extras);
            self.out.open("xaif:SymbolTable");
            self.in_pieces(scope.symbols.len().div_ceil(PIECE), |w, g| {
                let from = g * PIECE;
                for &s in &scope.symbols[from..scope.symbols.len().min(from + PIECE)] {
                    w.symbol(s, p.symbol(s));
                }
            });
            self.out.close();
            self.out.close();
        }
        for (i, scope) in p.scopes.iter().enumerate() {
            if let Some(parent) = scope.parent {
                self.out.open("xaif:ScopeEdge");
                self.out.attr("edge_id", &self.ids.scope_edges[i]);
                self.out.attr("source", &self.ids.scopes[i]);
                self.out.attr("target", &self.ids.scopes[parent.index()]);
                self.out.close();
            }
        }
        self.out.close();
    }

    /// `ob:loc`, for places in the source.
    pub(super) fn place(&mut self, span: Span) {
        if self.ob && span.source != Span::XML {
            let Span { source, line, column, end_line, end_column } = span;
            self.out.number("ob:loc", format_args!("{}:{line}:{column}-{end_line}:{end_column}", source.0));
        }
    }

    /// `symbol_id` and `scope_id`.
    pub(super) fn symbol_attrs(&mut self, symbol: SymbolId) {
        self.out.ready(self.ids.reference(symbol));
    }

    /// `feType`: verbatim, or for the stock tools made from the width.
    pub(super) fn fe_type(&mut self, ty: ElemType, fe_type: &str) {
        use crate::model::BaseType;
        let made: SmolStr = match (ty.base, ty.bits) {
            (BaseType::Real, 32 | 64 | 80 | 128) if !self.ob && fe_type.is_empty() => format_smolstr!("F{}", ty.bits / 8),
            (BaseType::Integer, 8 | 16 | 32 | 64) if !self.ob && fe_type.is_empty() => format_smolstr!("I{}", ty.bits / 8),
            _ => SmolStr::new(fe_type),
        };
        if !made.is_empty() || !self.ob {
            self.out.attr("feType", &made);
        }
    }

    fn symbol(&mut self, handle: SymbolId, s: &Symbol) {
        self.out.open("xaif:Symbol");
        let id = self.ids.symbols[handle.index()].clone();
        self.out.attr("symbol_id", &id);
        self.out.attr("kind", s.kind.word());
        self.out.attr("type", s.ty.base.word());
        self.fe_type(s.ty, &s.fe_type);
        let rank = usize::from(s.rank);
        let shape = if s.void_shape && rank == 0 { "void" } else { SHAPES.get(rank).copied().unwrap_or("scalar") };
        if shape != "scalar" || !self.ob {
            self.out.attr("shape", shape);
        }
        self.annotation(&s.annotation);
        self.flag("active", s.active, true, &s.extras);
        self.flag("temp", s.temp, false, &s.extras);
        if s.pointer || super::spelled(&s.extras, "pointer").is_some() {
            self.flag("pointer", s.pointer, false, &s.extras);
        }
        if self.ob {
            if s.ty.bits != fe_bits(&s.fe_type) {
                self.out.number("ob:bits", s.ty.bits);
            }
            let implied = if s.decl.is_some() { &*id } else { stock_name(&id, s.kind) };
            if s.name != implied {
                self.out.attr("ob:name", &s.name);
            }
            if let Some(decl) = &s.decl {
                self.decl(decl);
            }
        }
        self.place(s.span);
        self.extras(&s.extras);
        let made = s.decl.as_ref().filter(|d| s.bounds.is_empty() && d.dims.len() == rank);
        let made = made.and_then(|d| super::literal_bounds(d, self.program.index_order));
        for &(lower, upper) in made.as_ref().unwrap_or(&s.bounds) {
            self.out.open("xaif:DimensionBounds");
            self.out.number("lower", lower);
            self.out.number("upper", upper);
            self.out.close();
        }
        if let Some(decl) = s.decl.as_ref().filter(|_| self.ob) {
            self.dims(decl);
        }
        self.out.close();
    }

    fn decl(&mut self, decl: &Decl) {
        let storage = match &decl.storage {
            Storage::Local => "local",
            Storage::Argument => "argument",
            Storage::Static => "static",
            Storage::Global => "global",
            Storage::Extern => "extern",
            Storage::Constant => "constant",
            Storage::Common(block) => {
                self.out.ob_text("ob:common", block);
                "common"
            }
        };
        self.out.attr("ob:storage", storage);
        self.out.ob_text("ob:type", &decl.type_text);
        if decl.passing != Passing::Reference {
            self.out.attr("ob:passing", decl.passing.word());
        }
        self.out.ob_joined("ob:attributes", &join(decl.attributes.iter().map(SmolStr::as_str), ' '));
        self.out.ob_text("ob:initText", &decl.init_text);
        if decl.may_alias {
            self.out.attr("ob:mayAlias", "true");
        }
        if let Some(of) = decl.derivative_of {
            self.out.attr("ob:derivativeOf", &self.ids.symbols[of.index()]);
            let scope = self.program.symbol(of).scope;
            self.out.attr("ob:derivativeOfScope", &self.ids.scopes[scope.index()]);
        }
        self.out.ob_text("ob:comment", &decl.comment);
    }

    fn dims(&mut self, decl: &Decl) {
        for dim in &decl.dims {
            self.out.open("ob:Dim");
            for (element, bound) in [("ob:Lower", &dim.lower), ("ob:Upper", &dim.upper)] {
                if let Bound::Expr(e) = bound {
                    self.out.open(element);
                    self.expression(e);
                    self.out.close();
                }
            }
            self.out.close();
        }
        if let Some(e) = &decl.init {
            self.out.open("ob:Init");
            self.expression(e);
            self.out.close();
        }
    }
}
