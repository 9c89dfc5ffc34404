//! Rectangular parts of arrays, whose bounds are a constant, or something that stays plus a constant.
//!
//! ```text
//! place              loops around               part
//! a(3)                                          [3..3]
//! a(i + 1, k)        do i = 2, n - 1            [3..n] x [k..k]
//! a(i, i)            do i = 1, n                [1..n] x [1..n], but not each element of it
//! ```
//!
//! A part stands for all elements between its bounds; where a lower bound is above the upper one there are none. With `x`, `y` what stays and `m`, `n`
//! constants, all that is known is
//!
//! ```text
//! x + m <= y + n     if x = y and m <= n, or x + c <= y is known and m - n <= c
//! P within Q         if Q.low <= P.low and P.high <= Q.high in each dimension
//! P apart from Q     if P.high < Q.low or Q.high < P.low in some dimension
//! Q without P        for P within Q that differ in one dimension, P.low <= P.high + 1: [Q.low..P.low - 1] and [P.high + 1..Q.high]
//! P and Q            for P.high + 1 = Q.low and equal in all other dimensions, each with P.low <= P.high + 1: [P.low..Q.high]
//! ```
//!
//! so "no" means "not known". The caller sees to it that what stays does stay while parts are compared.
//!
//! Lives here: this arithmetic. Never here: statements, what is done with parts.

use crate::linearize::places::{Offset, offset};
use xaif::model::{BoolOp, Expr, NodeKind, SymbolId, Triplet, VarRef};

/// Elements from one bound to another, in one dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The lower bound.
    pub low: Expr,
    /// The upper bound.
    pub high: Expr,
}

/// A rectangular part of an array.
pub type Part = Vec<Span>;

/// A loop around a place, with the values that its index takes.
#[derive(Clone, Debug)]
pub struct Around {
    /// The index.
    pub index: SymbolId,
    /// Its values.
    pub span: Span,
    /// It takes each of them.
    pub dense: bool,
    /// From the lower ones to the upper ones.
    pub up: bool,
}

/// The sum with a constant, in one form.
pub fn plus(e: &Expr, n: i64) -> Expr {
    let (base, c) = offset(e);
    let c = c.saturating_add(n);
    match base {
        None => Expr::int(c),
        Some(b) if c == 0 => b,
        Some(b) => Expr::op("add_scal_scal", [b, Expr::int(c)]),
    }
}

/// The loop whose index a subscript is, but for a constant.
fn over<'a>(index: &Expr, around: &'a [Around]) -> Option<(&'a Around, i64)> {
    let (base, constant) = offset(index);
    let v = base.as_ref().and_then(Expr::as_var).filter(|v| v.subscripts.is_empty())?;
    around.iter().rev().find(|a| a.index == v.symbol).map(|a| (a, constant))
}

/// The part that a place stands for in all iterations of the loops around, perhaps more than it takes; `steady` tells which references of bounds stay.
pub fn part(r: &VarRef, around: &[Around], steady: &dyn Fn(&VarRef) -> bool) -> Option<Part> {
    if r.subscripts.is_empty() || r.has_section() {
        return None;
    }
    let stays = |e: &Expr| e.every_ref(&|v| steady(v) && around.iter().all(|a| a.index != v.symbol));
    let mut out = Part::new();
    for t in &r.subscripts {
        let index = t.index.as_ref()?;
        let span = match over(index, around) {
            Some((a, c)) => Span { low: plus(&a.span.low, c), high: plus(&a.span.high, c) },
            None => Span { low: plus(index, 0), high: plus(index, 0) },
        };
        if !stays(&span.low) || !stays(&span.high) {
            return None;
        }
        out.push(span);
    }
    Some(out)
}

/// The same dimension by dimension, for sections too; open where it is not known. Ends that indices of loops around bound go to the ends of these.
pub fn spans(r: &VarRef, around: &[Around], steady: &dyn Fn(&VarRef) -> bool) -> Vec<Option<Span>> {
    let end = |e: &Expr, of: &dyn Fn(&Span) -> Expr| {
        let mut at = plus(e, 0);
        // Each step goes to a loop further out.
        for _ in 0..=around.len() {
            let Some((a, c)) = over(&at, around) else { break };
            at = plus(&of(&a.span), c);
        }
        Some(at).filter(|e| e.every_ref(&|v| steady(v) && around.iter().all(|a| a.index != v.symbol)))
    };
    let low = |e: &Expr| end(e, &|s| s.low.clone());
    let high = |e: &Expr| end(e, &|s| s.high.clone());
    let span = |t: &Triplet| match (&t.index, &t.bound, &t.stride) {
        (Some(e), None, None) => Some(Span { low: low(e)?, high: high(e)? }),
        (Some(first), Some(last), None) => Some(Span { low: low(first)?, high: high(last)? }),
        _ => None,
    };
    r.subscripts.iter().map(span).collect()
}

/// Whether the index of each loop around is a subscript, but for a constant: where no iteration is run the part has no element.
pub fn names_all(r: &VarRef, around: &[Around]) -> bool {
    let is_of = |t: &Triplet, a: &Around| {
        !t.is_section() && t.index.as_ref().and_then(|e| over(e, around)).is_some_and(|(o, _)| std::ptr::eq(o, a))
    };
    around.iter().all(|a| r.subscripts.iter().any(|t| is_of(t, a)))
}

/// Whether each combination of iterations has an element of its own, and together they have all of the part.
pub fn one_to_one(r: &VarRef, around: &[Around]) -> bool {
    let mut used: Vec<SymbolId> = Vec::new();
    for t in &r.subscripts {
        if let Some((a, _)) = t.index.as_ref().and_then(|e| over(e, around)) {
            if !a.dense || used.contains(&a.index) {
                return false;
            }
            used.push(a.index);
        }
    }
    around.iter().all(|a| used.contains(&a.index))
}

/// Inequalities that hold: `x + c <= y`.
#[derive(Clone, Debug, Default)]
pub struct Known(Vec<(Option<Expr>, Option<Expr>, i64)>);

impl Known {
    /// Takes for granted what a condition says about whole numbers; `whole` tells which variables are, and stay.
    pub fn assume(&mut self, condition: &Expr, whole: &dyn Fn(SymbolId) -> bool) {
        let plain = |e: &Expr| {
            e.nodes.iter().all(|n| match &n.kind {
                NodeKind::Var(r) => r.subscripts.is_empty() && whole(r.symbol),
                NodeKind::Op(op) => matches!(op.name.as_str(), "add_scal_scal" | "sub_scal_scal" | "mul_scal_scal" | "minus_scal"),
                NodeKind::Const(_) => true,
                NodeKind::Bool(_) | NodeKind::FunctionCall(_) => false,
            })
        };
        let ints = |e: &Expr| {
            e.nodes
                .iter()
                .enumerate()
                .all(|(i, n)| !matches!(n.kind, NodeKind::Const(_)) || e.subexpr(xaif::model::NodeId(i as u32)).as_int().is_some())
        };
        let mut open = vec![condition.root_id()];
        while let Some(at) = open.pop() {
            let node = condition.node_at(at);
            let (NodeKind::Bool(op), [a, b]) = (&node.kind, &node.operands[..]) else { continue };
            let (x, y) = (condition.subexpr(*a), condition.subexpr(*b));
            if *op == BoolOp::And {
                open.extend([*a, *b]);
                continue;
            }
            if ![&x, &y].into_iter().all(|e| plain(e) && ints(e)) {
                continue;
            }
            match op {
                BoolOp::LessOrEqual => self.add(&x, &y, 0),
                BoolOp::LessThan => self.add(&x, &y, 1),
                BoolOp::GreaterOrEqual => self.add(&y, &x, 0),
                BoolOp::GreaterThan => self.add(&y, &x, 1),
                BoolOp::Equal => {
                    self.add(&x, &y, 0);
                    self.add(&y, &x, 0);
                }
                _ => {}
            }
        }
    }

    /// Takes for granted that something lies between two bounds, or is one of them.
    pub fn between(&mut self, low: &Expr, e: &Expr, high: &Expr) {
        self.at_least(e, low);
        self.at_least(high, e);
    }

    /// Takes for granted that something is not less than something else.
    pub fn at_least(&mut self, e: &Expr, low: &Expr) {
        self.add(low, e, 0);
    }

    /// `a + c <= b`
    fn add(&mut self, a: &Expr, b: &Expr, c: i64) {
        let ((x, m), (y, n)) = (offset(a), offset(b));
        self.0.push((x, y, m.saturating_sub(n).saturating_add(c)));
    }

    /// Whether one is never greater than the other.
    pub fn at_most(&self, a: &Expr, b: &Expr) -> bool {
        self.at_most_by(a, 0, b)
    }

    /// Whether one plus a constant is never greater than the other.
    fn at_most_by(&self, a: &Expr, by: i64, b: &Expr) -> bool {
        let (x, y) = (Offset::of(a), Offset::of(b));
        let (m, n) = (x.constant.saturating_add(by), y.constant);
        if m <= n && x.same_base(&y) {
            return true;
        }
        if self.0.is_empty() {
            return false;
        }
        let (x, y) = (x.base(), y.base());
        self.0.iter().any(|(p, q, c)| m.saturating_sub(n) <= *c && p.as_ref() == x.as_deref() && q.as_ref() == y.as_deref())
    }

    /// The elements of two spans and what lies between them; `None` where it is not known which ends are further out.
    pub fn hull(&self, a: &Span, b: &Span) -> Option<Span> {
        let less = |x: &Expr, y: &Expr| if self.at_most(x, y) { Some(x.clone()) } else { self.at_most(y, x).then(|| y.clone()) };
        let more = |x: &Expr, y: &Expr| if self.at_most(x, y) { Some(y.clone()) } else { self.at_most(y, x).then(|| x.clone()) };
        Some(Span { low: less(&a.low, &b.low)?, high: more(&a.high, &b.high)? })
    }

    /// Whether the elements of one part are among those of another one.
    pub fn within(&self, inner: &Part, outer: &Part) -> bool {
        inner.len() == outer.len() && inner.iter().zip(outer).all(|(p, q)| self.at_most(&q.low, &p.low) && self.at_most(&p.high, &q.high))
    }

    /// Whether two parts have no element in common.
    pub fn apart(&self, a: &Part, b: &Part) -> bool {
        a.len() == b.len() && a.iter().zip(b).any(|(p, q)| self.disjoint(p, q))
    }

    /// Whether two spans of one dimension have no element in common.
    pub fn disjoint(&self, p: &Span, q: &Span) -> bool {
        let below = |p: &Span, q: &Span| self.at_most_by(&p.high, 1, &q.low);
        below(p, q) || below(q, p)
    }

    /// Whether two references to elements or sections of one array have no element in common, dimension by dimension as [`spans`] has them.
    pub fn keep_apart(&self, a: &[Option<Span>], b: &[Option<Span>]) -> bool {
        a.len() == b.len() && a.iter().zip(b).any(|pair| matches!(pair, (Some(p), Some(q)) if self.disjoint(p, q)))
    }

    /// Its bounds are not further apart than those of no elements at all.
    fn regular(&self, s: &Span) -> bool {
        self.at_most_by(&s.low, -1, &s.high)
    }

    /// What is left of a part without another one that is within it, as parts that have nothing in common; `None` where that is not known.
    pub fn without(&self, from: &Part, what: &Part) -> Option<Vec<Part>> {
        let differ: Vec<usize> = (0..from.len()).filter(|&d| from.get(d) != what.get(d)).collect();
        match differ[..] {
            [] => Some(Vec::new()),
            [d] if self.regular(what.get(d)?) => {
                let (q, p) = (&from[d], &what[d]);
                let one = |low: Expr, high: Expr| {
                    let mut out = from.clone();
                    out[d] = Span { low, high };
                    out
                };
                let both = [one(q.low.clone(), plus(&p.low, -1)), one(plus(&p.high, 1), q.high.clone())];
                Some(both.into_iter().filter(|part| !self.at_most(&plus(&part[d].high, 1), &part[d].low)).collect())
            }
            _ => None,
        }
    }

    /// Two parts as one, where that is the same elements.
    pub fn joined(&self, a: &Part, b: &Part) -> Option<Part> {
        side_by_side(a, b, |p, q| self.regular(p) && self.regular(q))
    }
}

/// Two parts as one, where they differ in one dimension only, lie side by side there, and `may` says that this is the same elements.
pub fn side_by_side(a: &Part, b: &Part, may: impl Fn(&Span, &Span) -> bool) -> Option<Part> {
    let differ: Vec<usize> = (0..a.len().min(b.len())).filter(|&d| a[d] != b[d]).collect();
    let [d] = differ[..] else { return None };
    let (p, q) = (&a[d], &b[d]);
    if a.len() != b.len() || !may(p, q) {
        return None;
    }
    let mut out = a.clone();
    out[d] = if plus(&p.high, 1) == plus(&q.low, 0) {
        Span { low: p.low.clone(), high: q.high.clone() }
    } else if plus(&q.high, 1) == plus(&p.low, 0) {
        Span { low: q.low.clone(), high: p.high.clone() }
    } else {
        return None;
    };
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(c: i64) -> Expr {
        plus(&Expr::sym(SymbolId(1)), c)
    }

    fn span(low: Expr, high: Expr) -> Part {
        vec![Span { low, high }]
    }

    #[test]
    fn what_is_left_of_a_part_has_all_other_elements() {
        let known = Known::default();
        let all = span(Expr::int(1), n(-2));
        assert_eq!(known.without(&all, &all), Some(Vec::new()));
        assert_eq!(known.without(&all, &span(Expr::int(1), Expr::int(1))), Some(vec![span(Expr::int(2), n(-2))]));
        // [2..n - 3] may stand for less than no elements: then both rests would have too many.
        assert_eq!(known.without(&all, &span(Expr::int(2), n(-3))), None);
        let mut four = Known::default();
        four.assume(&Expr::boolean(BoolOp::GreaterOrEqual, [n(0), Expr::int(4)]), &|_| true);
        let ends = vec![span(Expr::int(1), Expr::int(1)), span(n(-2), n(-2))];
        assert_eq!(four.without(&all, &span(Expr::int(2), n(-3))), Some(ends));
    }

    #[test]
    fn conditions_order_bounds() {
        let (one, n2) = (span(Expr::int(1), Expr::int(1)), span(Expr::int(1), n(-2)));
        let mut known = Known::default();
        assert!(!known.within(&one, &n2) && known.apart(&span(Expr::int(0), Expr::int(0)), &n2));
        known.assume(&Expr::boolean(BoolOp::LessThan, [Expr::int(2), n(0)]), &|_| true);
        assert!(known.within(&one, &n2) && !known.within(&span(Expr::int(2), Expr::int(2)), &n2));
        // Of numbers that are not whole nothing is taken for granted.
        let mut none = Known::default();
        none.assume(&Expr::boolean(BoolOp::LessThan, [Expr::int(2), n(0)]), &|_| false);
        assert!(!none.within(&one, &n2));
    }

    #[test]
    fn parts_side_by_side_are_one_if_none_is_turned_around() {
        let known = Known::default();
        let element = |k: i64| span(Expr::int(k), Expr::int(k));
        assert_eq!(known.joined(&element(1), &element(2)), Some(span(Expr::int(1), Expr::int(2))));
        assert_eq!(known.joined(&element(1), &element(3)), None);
        assert_eq!(known.joined(&span(Expr::int(5), n(0)), &span(n(1), n(9))), None);
    }

    #[test]
    fn each_iteration_has_its_own_element_where_all_indices_are_used_once() {
        let i = Around { index: SymbolId(2), span: Span { low: Expr::int(1), high: n(0) }, dense: true, up: true };
        let at = |a: Expr, b: Expr| VarRef::element(SymbolId(0), [a, b]);
        let index = || Expr::sym(SymbolId(2));
        assert!(one_to_one(&at(index(), Expr::int(3)), std::slice::from_ref(&i)));
        assert!(!one_to_one(&at(index(), index()), std::slice::from_ref(&i)));
        assert!(!one_to_one(&at(Expr::int(1), Expr::int(3)), std::slice::from_ref(&i)));
        let found = part(&at(plus(&index(), 1), Expr::int(3)), &[i], &|_| true);
        assert_eq!(found, Some(vec![Span { low: Expr::int(2), high: n(1) }, Span { low: Expr::int(3), high: Expr::int(3) }]));
    }
}
