//! Lengths of arrays in terms of what is known on entry to a function.
//!
//! Lives here: constants, arguments that do not change, and locals that begin as these. Never here: declarations themselves (see `local_declarations`).

use crate::parse::context::places::Place;
use crate::parse::context::state::{Lower, Variable};
use crate::parse::context::terms::difference;
use crate::parse::language::types::{CType, Extent};
use lang_c::ast::{ArraySize, Expression as E, FunctionDefinition, Identifier};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use std::rc::Rc;
use xaif::model::{Expr, NodeKind, Storage, SymbolId};

/// The names in the lengths of arrays that a function declares, its arguments included.
pub(crate) fn names_in_lengths(f: &Node<FunctionDefinition>) -> FxHashSet<SmolStr> {
    #[derive(Default)]
    struct Names {
        inside: usize,
        found: FxHashSet<SmolStr>,
    }
    impl<'t> Visit<'t> for Names {
        fn visit_array_size(&mut self, size: &'t ArraySize, span: &'t Span) {
            self.inside += 1;
            visit::visit_array_size(self, size, span);
            self.inside -= 1;
        }
        fn visit_identifier(&mut self, name: &'t Identifier, _: &'t Span) {
            if self.inside > 0 {
                self.found.insert(name.name.as_str().into());
            }
        }
    }
    let mut names = Names::default();
    names.visit_function_definition(&f.node, &f.span);
    names.found
}

impl Lower<'_> {
    /// A local whose value is known on entry, for the extents of variable-length arrays.
    pub(crate) fn note_entry_value(&mut self, symbol: SymbolId, fact: Option<usize>, ty: &CType, v: &Expr, at: usize) {
        let Some(f) = fact else { return };
        let facts = self.body().facts.clone();
        if ty.is_integer()
            && facts.writes(f) == 1
            && !facts.vars[f].address
            && let Some(value) = self.in_entry_terms(v, at)
        {
            self.body().entry_values.insert(symbol, value);
        }
    }

    /// The same value in terms of constants and of arguments that have not changed until this byte.
    pub fn in_entry_terms(&mut self, v: &Expr, at: usize) -> Option<Expr> {
        let mut out = Expr::default();
        let mut place = Vec::with_capacity(v.nodes.len());
        for node in &v.nodes {
            let root = match &node.kind {
                xaif::model::NodeKind::Var(r) => {
                    let known = if r.subscripts.is_empty() { self.entry_term(r.symbol, at)? } else { return None };
                    out.append(known)
                }
                _ => {
                    let mut copy = node.clone();
                    for o in &mut copy.operands {
                        *o = place[o.index()];
                    }
                    out.nodes.push(copy);
                    out.root_id()
                }
            };
            place.push(root);
        }
        Some(out)
    }

    fn entry_term(&mut self, symbol: SymbolId, at: usize) -> Option<Expr> {
        let body = self.body();
        if let Some(&argument) = body.begun.get(&symbol) {
            let fact = *body.fact_of.get(&symbol)?;
            let still = !body.facts.changes(fact, 0, at) && body.builder.loop_depth() == 0 && !body.facts.labels;
            return still.then(|| Expr::sym(argument));
        }
        if let Some(e) = self.body().entry_values.get(&symbol) {
            return Some(e.clone());
        }
        let s = self.program.symbol(symbol);
        if *s.storage() == Storage::Constant {
            return Some(Expr::sym(symbol));
        }
        let by_value = *s.storage() == Storage::Argument && s.passing() == xaif::model::Passing::Value;
        let body = self.body();
        let fact = *body.fact_of.get(&symbol)?;
        let still = body.facts.writes(fact) == 0 && !body.facts.vars[fact].address;
        (by_value && still).then(|| Expr::sym(symbol))
    }

    /// The extent of an array as far as it is known on entry to the function.
    pub fn entry_extent(&mut self, e: &Node<E>) -> Extent {
        let late = Extent::Late(e.span.start, e.span.end);
        if self.body.is_none() || self.effects_of(e.span) > 0 {
            return late;
        }
        let parted = self.body().parted;
        // A divisor may be zero where the declaration is not reached.
        let safe = |v: &Expr| {
            let divides = |n: &xaif::model::Node| {
                matches!(&n.kind, NodeKind::Op(o) if matches!(o.name.as_str(), "div_scal_scal" | "mod_scal_scal"))
                    && n.operands.last().is_none_or(|&d| v.subexpr(d).as_int().is_none_or(|d| d == 0))
            };
            !parted || !v.nodes.iter().any(divides)
        };
        match self.extent_value(e).and_then(|v| self.in_entry_terms(&v, e.span.start)).filter(safe) {
            Some(v) => Extent::Variable(Rc::new(v)),
            None => late,
        }
    }

    /// The value of a simple integer expression: names, constants, sums and products.
    fn extent_value(&mut self, e: &Node<E>) -> Option<Expr> {
        use crate::parse::context::terms::{op, sum};
        use lang_c::ast::BinaryOperator as B;
        if let Some(n) = self.constant_integer(e) {
            return i64::try_from(n).ok().map(Expr::int);
        }
        match &e.node {
            E::Identifier(_) => match self.named_variable(e) {
                Some(Variable { place: Place::Object(symbol), ty, .. }) if ty.is_integer() => Some(Expr::sym(symbol)),
                _ => None,
            },
            E::Cast(c) => {
                let (ty, _) = self.type_name(&c.node.type_name).ok()?;
                // Casts that make an integer wider or change its sign do not change an extent.
                matches!(ty, CType::Int { bits: 32.., .. }).then(|| self.extent_value(&c.node.expression)).flatten()
            }
            E::BinaryOperator(b) => {
                let x = self.extent_value(&b.node.lhs)?;
                let y = self.extent_value(&b.node.rhs)?;
                Some(match b.node.operator.node {
                    B::Plus => sum(x, y),
                    B::Minus => difference(x, y),
                    B::Multiply => op("mul_scal_scal", "", [x, y]),
                    B::Divide => op("div_scal_scal", "", [x, y]),
                    B::Modulo => op("mod_scal_scal", "", [x, y]),
                    _ => return None,
                })
            }
            _ => None,
        }
    }
}
