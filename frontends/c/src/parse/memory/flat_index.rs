//! Pointers that walk over the rows of an array.
//!
//! A pointer to an element of the first row may be meant for the whole array (`double *p = &t[0][0]`), which generated code must not write as
//! `t[0][k]`: compilers take `k` to stay below the length of the row. Unless it provably does, the element is `t[k / m][k % m]`. Lives here:
//! that choice, and what loops tell of an index. Never here: pointers as such (see `pointers`).

use crate::parse::context::places::{LValue, Pointer};
use crate::parse::context::state::Lower;
use crate::parse::context::terms::{moved, moved_back, op, plus, split};
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{POINTER_VALUE, Refusal, Res};
use lang_c::ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
use lang_c::span::{Node, Span};
use xaif::model::{Bound, Expr, NodeKind, SymbolId};

/// Whether a number is not above another one, where that is known.
fn at_most(a: &Expr, b: &Expr) -> Option<bool> {
    if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
        return Some(x <= y);
    }
    let ((x, m), (y, n)) = (split(a.clone()), split(b.clone()));
    (x == y).then_some(m <= n)
}

impl<'a> Lower<'a> {
    /// The lowest or highest value of an index in terms of what the loops around do not change. Loops from `within` on are not looked at.
    fn extreme(&self, e: &Expr, high: bool, within: usize) -> Expr {
        let root = e.root();
        let operand = |k: usize, high: bool| self.extreme(&e.subexpr(root.operands[k]), high, within);
        match &root.kind {
            NodeKind::Var(r) if r.subscripts.is_empty() => {
                let loop_ranges = self.body.as_ref().map_or(&[][..], |b| &b.loop_ranges[..within]);
                match loop_ranges.iter().rposition(|x| x.variable == r.symbol) {
                    Some(k) => self.extreme(if high { &loop_ranges[k].highest } else { &loop_ranges[k].lowest }, high, k),
                    None => e.clone(),
                }
            }
            NodeKind::Op(o) if o.name == "add_scal_scal" => match (operand(0, high), operand(1, high)) {
                (a, b) if b.as_int().is_some() => plus(a, b.as_int().unwrap_or_default()),
                (a, b) if a.as_int().is_some() => plus(b, a.as_int().unwrap_or_default()),
                (a, b) => moved(a, b),
            },
            NodeKind::Op(o) if o.name == "sub_scal_scal" => match (operand(0, high), operand(1, !high)) {
                (a, b) if b.as_int().is_some_and(|n| n > i64::MIN) => plus(a, -b.as_int().unwrap_or_default()),
                (a, b) => moved_back(a, b),
            },
            _ => e.clone(),
        }
    }

    /// The lengths of an array's rows: of each dimension but the first.
    fn row_lengths(&self, base: SymbolId) -> Option<Vec<Expr>> {
        let dims = &self.program.symbol(base).decl.as_ref()?.dims;
        let length = |d: &xaif::model::Dim| match &d.upper {
            Bound::Expr(last) => Some(plus(last.clone(), 1)),
            Bound::Unknown => None,
        };
        dims.iter().skip(1).map(length).collect()
    }

    /// True for `a[i][j]` and the like: the text itself names row and column.
    fn names_column(&mut self, e: &Node<E>) -> bool {
        let E::BinaryOperator(b) = &e.node else { return false };
        let index = |e: &Node<E>| match &e.node {
            E::BinaryOperator(b) => b.node.operator.node == B::Index,
            E::UnaryOperator(u) => u.node.operator.node == U::Indirection,
            E::Member(_) => true,
            _ => false,
        };
        b.node.operator.node == B::Index
            && [&b.node.lhs, &b.node.rhs].into_iter().any(|side| index(side) && matches!(self.type_of(side), Some(CType::Array(..))))
    }

    /// The same element with subscripts that stay within their dimensions, for a place that `e` names.
    pub fn within_rows(&mut self, e: &Node<E>, lv: LValue) -> Res<LValue> {
        if self.program.symbol(lv.base).rank < 2 || self.names_column(e) {
            return Ok(lv);
        }
        let subs = self.in_rows(lv.base, lv.subs, e.span)?;
        Ok(LValue { subs, ..lv })
    }

    /// Subscripts that stay within their dimensions, for an element that a pointer came to.
    pub fn in_rows(&mut self, base: SymbolId, mut subs: Vec<Expr>, place: Span) -> Res<Vec<Expr>> {
        let rank = self.program.symbol(base).rank as usize;
        if rank < 2 || subs.len() != rank {
            return Ok(subs);
        }
        let (Some(lengths), Some(last)) = (self.row_lengths(base), subs.last()) else { return Ok(subs) };
        let Some(length) = lengths.last() else { return Ok(subs) };
        let open = self.body.as_ref().map_or(0, |b| b.loop_ranges.len());
        let (lowest, highest) = (self.extreme(last, false, open), self.extreme(last, true, open));
        let begins = lowest.as_int().is_some_and(|n| n >= 0);
        if begins && at_most(&plus(highest, 1), length) == Some(true) {
            return Ok(subs);
        }
        if !subs[..rank - 1].iter().all(|s| s.as_int() == Some(0)) {
            if at_most(length, &lowest) == Some(true) {
                return Err(self.past_the_row(base, place));
            }
            return Ok(subs);
        }
        let mut rest = last.clone();
        for (sub, length) in subs[1..].iter_mut().zip(&lengths).rev() {
            let (quotient, remainder) = match (rest.as_int(), length.as_int()) {
                (Some(0), _) => (Expr::int(0), Expr::int(0)),
                (Some(k), Some(m)) if k > 0 && m > 0 => (Expr::int(k / m), Expr::int(k % m)),
                _ => (op("div_scal_scal", "", [rest.clone(), length.clone()]), op("mod_scal_scal", "", [rest, length.clone()])),
            };
            *sub = remainder;
            rest = quotient;
        }
        subs[0] = rest;
        Ok(subs)
    }

    /// A pointer into a row is moved by a whole row or more: it does not stay there.
    pub fn check_step(&mut self, p: &Pointer, step: &Expr, place: Span) -> Res<()> {
        let rank = self.program.symbol(p.base).rank as usize;
        if rank < 2 || p.subs.len() != rank || p.subs[..rank - 1].iter().all(|s| s.as_int() == Some(0)) {
            return Ok(());
        }
        match self.row_lengths(p.base).as_ref().and_then(|l| l.last()) {
            Some(length) if at_most(length, step) == Some(true) => Err(self.past_the_row(p.base, place)),
            _ => Ok(()),
        }
    }

    fn past_the_row(&self, base: SymbolId, place: Span) -> Refusal {
        let name = &self.program.symbol(base).name;
        Refusal::new(POINTER_VALUE, place, format!("a pointer into a row of `{name}` leaves that row"))
            .because("an element of another row has no subscripts that stay within the array's extents")
            .help(format!("start from the first element of the whole array, or use `{name}` with all its subscripts"))
    }
}
