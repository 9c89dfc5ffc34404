//! Expressions: term graphs to text with as few parentheses as the language allows.
//!
//! A value that may be computed only under a condition (the operands of a choice, the right side of a short-circuit) cannot
//! stand in a Fortran expression; it is computed by statements before it, the prelude. So can be whatever grows too long for one
//! statement. Lives here: the writer, temporaries, the way of a node to the file that knows it. Never here: statements, layout.

use super::pieces::{Level, Piece, Prelude};
use super::spellings::Spellings;
use crate::unparse::facts::context::Context;
use crate::unparse::facts::unit_names::Names;
use crate::unparse::language::types;
use crate::unparse::text::problems;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use xaif::model::{BaseType, ElemType, Expr, Node, NodeKind, Span, UnitId};
use xaif::types::ValueType;

/// Text longer than this is computed into a variable of its own.
const MAX_TEXT: usize = 3000;

/// Subscripts within subscripts are followed this far, and choices within choices.
pub const MAX_DEPTH: usize = 60;

/// A variable that a prelude sets.
#[derive(Clone, Debug)]
pub struct Temporary {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: ElemType,
    /// It was printed.
    pub used: bool,
}

/// What printing a unit's expressions needs and collects.
pub struct Writer<'c, 'p> {
    /// The program.
    pub cx: &'c Context<'p>,
    /// The unit.
    pub unit: UnitId,
    /// Its names.
    pub names: Names,
    /// How its own declarations spell types.
    pub spellings: Spellings,
    /// Variables that preludes set.
    pub temporaries: Vec<Temporary>,
    /// Functions of `overbar_runtime` that are called.
    pub runtime: BTreeSet<&'static str>,
    /// Functions of `ieee_arithmetic` that are called.
    pub ieee: BTreeSet<&'static str>,
    /// Intrinsics that are called.
    pub intrinsics: BTreeSet<&'static str>,
    /// What is being printed, for diagnostics.
    pub span: Span,
    /// No statement can stand before the expression (declarations).
    pub no_prelude: bool,
    free: FxHashMap<&'static str, usize>,
    nesting: usize,
}

impl<'c, 'p> Writer<'c, 'p> {
    /// A writer for a unit.
    pub fn new(cx: &'c Context<'p>, unit: UnitId, names: Names) -> Writer<'c, 'p> {
        Writer {
            cx,
            unit,
            names,
            spellings: Spellings::of(cx, unit),
            temporaries: Vec::new(),
            runtime: BTreeSet::new(),
            ieee: BTreeSet::new(),
            intrinsics: BTreeSet::new(),
            span: Span::NONE,
            no_prelude: false,
            free: FxHashMap::default(),
            nesting: 0,
        }
    }

    /// A new statement: the variables of earlier preludes are free again.
    pub fn begin(&mut self, span: Span) {
        self.free.clear();
        if span.is_known() {
            self.span = span;
        }
    }

    /// A variable for a prelude.
    pub fn temporary(&mut self, ty: ElemType) -> usize {
        let spelling = types::spelling(ty).unwrap_or("double precision");
        let wanted = self.free.entry(spelling).or_insert(0);
        let nth = *wanted;
        *wanted += 1;
        let same: Option<usize> =
            self.temporaries.iter().enumerate().filter(|(_, t)| types::spelling(t.ty) == Some(spelling)).map(|(i, _)| i).nth(nth);
        if let Some(i) = same {
            return i;
        }
        let letter = match ty.base {
            BaseType::Bool => "decided",
            BaseType::Integer => "chosen",
            _ => "value",
        };
        let name = self.names.fresh(&format!("{letter}{}", nth + 1));
        let ty = if types::spelling(ty).is_some() { ty } else { ElemType::REAL64 };
        self.temporaries.push(Temporary { name, ty, used: false });
        self.temporaries.len() - 1
    }

    /// A temporary variable as an operand.
    pub fn temporary_piece(&self, t: usize, prelude: Vec<Prelude>, depth: usize) -> Piece<'static> {
        Piece { prelude, depth, ..Piece::of(self.temporaries[t].name.clone(), Level::Primary) }
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: xaif::model::SymbolId) -> String {
        match self.names.get(symbol) {
            Some(n) => n.to_owned(),
            None => {
                let s = self.cx.program.symbol(symbol);
                self.cx.refuse(problems::malformed(self.cx.program, self.span, format!("`{}` is used but nowhere found", s.name)));
                s.name.to_string()
            }
        }
    }

    /// Prints an expression.
    pub fn expr<'e>(&mut self, e: &'e Expr) -> Piece<'e> {
        if self.nesting >= MAX_DEPTH || e.nodes.is_empty() {
            self.cx.refuse(problems::too_large(self.cx.program, self.span, "an expression"));
            return Piece::of("0", Level::Primary);
        }
        self.nesting += 1;
        let types = xaif::types::of_expr(self.cx.program, e);
        // Operands are earlier; the last parent takes a piece, earlier ones copy it.
        let mut parents = vec![0usize; e.nodes.len()];
        e.nodes.iter().flat_map(|n| &n.operands).for_each(|o| parents[o.index()] += 1);
        let mut pieces: Vec<Option<Piece<'e>>> = Vec::with_capacity(e.nodes.len());
        for (i, node) in e.nodes.iter().enumerate() {
            let mut operands = Vec::with_capacity(node.operands.len());
            for o in &node.operands {
                parents[o.index()] -= 1;
                let p = if parents[o.index()] == 0 { pieces[o.index()].take() } else { pieces[o.index()].clone() };
                operands.push((p.unwrap_or_else(|| Piece::of("0", Level::Primary)), types[o.index()]));
            }
            let mut piece = self.node(node, operands, types[i]);
            if piece.text.len() > MAX_TEXT {
                piece = self.set_aside(piece, types[i]);
            }
            pieces.push(Some(piece));
        }
        self.nesting -= 1;
        pieces.pop().flatten().unwrap_or_else(|| Piece::of("0", Level::Primary))
    }

    /// Text only, for places where nothing can stand before.
    pub fn plain(&mut self, e: &Expr) -> String {
        let before = std::mem::replace(&mut self.no_prelude, true);
        let piece = self.expr(e);
        self.no_prelude = before;
        piece.text
    }

    fn set_aside<'e>(&mut self, mut piece: Piece<'e>, ty: ValueType) -> Piece<'e> {
        if ty.rank > 0 || self.no_prelude || types::spelling(ty.elem).is_none() {
            self.cx.refuse(problems::too_large(self.cx.program, self.span, "an expression"));
            return Piece::of("0", Level::Primary);
        }
        let t = self.temporary(ty.elem);
        piece.prelude.push(Prelude::Set(t, std::mem::take(&mut piece.text)));
        Piece {
            text: self.temporaries[t].name.clone(),
            level: Level::Primary,
            negative: false,
            hazard: piece.hazard,
            elements: piece.elements,
            prelude: piece.prelude,
            depth: piece.depth,
        }
    }

    fn node<'e>(&mut self, node: &'e Node, operands: Vec<(Piece<'e>, ValueType)>, ty: ValueType) -> Piece<'e> {
        match &node.kind {
            NodeKind::Var(r) => self.reference(r),
            NodeKind::Const(c) => match self.spellings.literal(c, self.cx.foreign) {
                Some((text, negative)) => Piece { negative, ..Piece::of(text, if negative { Level::Sum } else { Level::Primary }) },
                None => {
                    let what = format!("the constant `{}`", if c.spelling.is_empty() { &c.value } else { &c.spelling });
                    self.cx.refuse(problems::no_counterpart(self.cx.program, self.span, what, "there is no literal for its value"));
                    Piece::of("0", Level::Primary)
                }
            },
            NodeKind::Bool(op) => self.boolean(*op, operands),
            NodeKind::Op(op) => self.operation(op, operands, ty),
            NodeKind::FunctionCall(s) => {
                let name = self.name(*s);
                self.call(&name, operands.into_iter().map(|(p, _)| p).collect(), true)
            }
        }
    }
}
