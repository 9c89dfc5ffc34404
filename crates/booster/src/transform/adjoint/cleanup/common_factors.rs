//! What is multiplied by one adjoint, or by one factor, added up first.
//!
//! ```text
//! ub(i) = d*vb(i + 1) + c*u(i + 1)*vb(i + 1) - 2.0*(d*vb(i)) + vb(i)
//!     ->  ub(i) = (d + c*u(i + 1))*vb(i + 1) + (1.0 - 2.0*d)*vb(i)
//! ub(i) = d*vb(i + 1) + vb(i) - 2.0*(d*vb(i)) + d*vb(i - 1)
//!     ->  ub(i) = d*(vb(i + 1) - 2.0*vb(i) + vb(i - 1)) + vb(i)
//! ```
//!
//! What is added to an adjoint is a linear form of other adjoints. Compilers may not multiply it out of a sum, for it is another rounding; the factor of each
//! adjoint is the partial derivative, so its terms may be added as they may in the statement that it comes from: relative to the sum of the magnitudes of the
//! terms, the error is of the same order. The form with the fewest multiplications is taken, if these are fewer than before.
//!
//! Not touched are: the place that is set itself (an increment stays one), quotients (a denominator may be too small to divide by it first), choices
//! (what is not chosen must meet nothing), factors of another precision than the adjoint, whose rounding is part of their values, and sums and products of integers,
//! which could overflow.
//!
//! Lives here: this rewriting of a right-hand side. Never here: which statement adds what (`gather`, `merge`).

use crate::linearize::fold::{Fold, number, real};
use crate::transform::adjoint::code::expressions;
use crate::transform::adjoint::code::expressions::{same_place, without};
use crate::transform::adjoint::code::tree::{Item, ItemKind};
use rustc_hash::FxHashSet;
use xaif::model::{BaseType, ElemType, Expr, NodeKind, Stmt, StmtKind, SymbolId, VarRef};
use xaif::{spread, types};

/// Statements with more vertices than this are left as they are.
const MAX_VERTICES: usize = 300;

/// For each thread so many pieces, as some take longer than others.
const PIECES: usize = 4;

/// So many statements are worth being done by somebody else.
const WORTH: usize = 256;

/// Sums inside of products inside of sums are looked into that far.
const MAX_DEPTH: usize = 3;

/// The same code with the factors of adjoints collected.
pub(crate) fn factors(f: Fold, adjoint: &FxHashSet<SymbolId>, items: &mut [Item]) {
    let mut found = Vec::new();
    candidates(adjoint, items, &mut found);
    let pieces = if found.len() < WORTH { vec![found] } else { spread::pieces(found, PIECES) };
    spread::over(pieces, |piece| {
        for stmt in piece {
            if let StmtKind::Assignment { lhs, rhs } = &mut stmt.kind
                && let Some(new) = collected(f, adjoint, lhs, rhs)
            {
                *rhs = new;
            }
        }
    });
}

/// The assignments to adjoints that have something to collect.
fn candidates<'a>(adjoint: &FxHashSet<SymbolId>, items: &'a mut [Item], out: &mut Vec<&'a mut Stmt>) {
    for item in items {
        match &mut item.kind {
            ItemKind::Stmt(s) => {
                if let StmtKind::Assignment { lhs, rhs } = &s.kind
                    && adjoint.contains(&lhs.symbol)
                    && rhs.nodes.len() <= MAX_VERTICES
                    && products(rhs) >= 2
                {
                    out.push(s);
                }
            }
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| candidates(adjoint, &mut a.body, out)),
            ItemKind::Loop { body, .. } => candidates(adjoint, body, out),
        }
    }
}

/// The right-hand side of an assignment to an adjoint with fewer multiplications, if there is one.
fn collected(f: Fold, adjoint: &FxHashSet<SymbolId>, lhs: &VarRef, rhs: &Expr) -> Option<Expr> {
    let ty = types::of(f.program, &Expr::var(lhs.clone()));
    if ty.rank > 0 || !ty.elem.is_real() {
        return None;
    }
    let forms = Forms { f, adjoint, lhs, ty: ty.elem };
    let added = without(f, rhs, lhs);
    let all = added.as_ref().unwrap_or(rhs);
    let by_adjoint = forms.sum(all, MAX_DEPTH);
    let by_factor = forms.by_factor(all);
    let new = [by_adjoint, by_factor].into_iter().flatten().min_by_key(products)?;
    let new = if added.is_some() { f.add(Expr::var(lhs.clone()), new) } else { new };
    (products(&new) < products(rhs)).then_some(new)
}

/// How many multiplications there are.
fn products(e: &Expr) -> usize {
    e.nodes.iter().filter(|n| matches!(&n.kind, NodeKind::Op(op) if op.name == "mul_scal_scal")).count()
}

/// A term of a sum.
struct Term {
    minus: bool,
    whole: Expr,
    /// The adjoint in it, and what that is multiplied by.
    parts: Option<(VarRef, Expr)>,
}

/// What is known of one assignment.
struct Forms<'a> {
    f: Fold<'a>,
    adjoint: &'a FxHashSet<SymbolId>,
    lhs: &'a VarRef,
    ty: ElemType,
}

impl Forms<'_> {
    /// The sum with one product for each adjoint, if terms have adjoints in common.
    fn sum(&self, e: &Expr, depth: usize) -> Option<Expr> {
        let mut terms = self.terms(e, depth.checked_sub(1)?);
        let mut sum: Option<Expr> = None;
        let mut found = false;
        while !terms.is_empty() {
            let first = terms.remove(0);
            let mut rest = Vec::new();
            let mut same = Vec::new();
            for t in terms {
                let met = matches!((&first.parts, &t.parts), (Some((a, _)), Some((b, _))) if same_place(a, b));
                if met { same.push(t) } else { rest.push(t) }
            }
            terms = rest;
            let Some((place, factor)) = first.parts.as_ref().filter(|_| !same.is_empty()) else {
                sum = Some(self.join(sum, first.minus, first.whole));
                continue;
            };
            let mut factors = vec![(first.minus, factor.clone())];
            factors.extend(same.into_iter().filter_map(|t| t.parts.map(|(_, p)| (t.minus, p))));
            let (minus, total) = self.total(factors);
            // What cancels is left to the machine: the adjoint may be no number.
            if number(&total) == Some(0.0) {
                return None;
            }
            found = true;
            sum = Some(self.join(sum, minus, self.f.mul(total, Expr::var(place.clone()))));
        }
        sum.filter(|_| found)
    }

    /// The sum with one product for each factor that several terms have in common.
    fn by_factor(&self, e: &Expr) -> Option<Expr> {
        let mut terms: Vec<(bool, Vec<Expr>)> =
            self.terms(e, 0).into_iter().map(|t| self.product(t.whole, t.minus)).collect::<Option<_>>()?;
        let mut sum: Option<Expr> = None;
        let mut found = false;
        while !terms.is_empty() {
            let has = |t: &(bool, Vec<Expr>), p: &Expr| t.1.contains(p);
            let many = |p: &Expr| terms.iter().filter(|t| has(t, p)).count();
            let movable = |p: &&Expr| number(p).is_none() && !self.has_adjoint(p);
            let common = terms[0].1.iter().filter(movable).map(|p| (many(p), p)).filter(|(n, _)| *n > 1);
            let Some(factor) = common.max_by_key(|(n, _)| *n).map(|(_, p)| p.clone()) else {
                let (minus, factors) = terms.remove(0);
                sum = Some(self.join(sum, minus, self.all(factors)));
                continue;
            };
            let (mut same, rest): (Vec<_>, Vec<_>) = terms.into_iter().partition(|t| has(t, &factor));
            terms = rest;
            for (_, factors) in &mut same {
                if let Some(k) = factors.iter().position(|p| *p == factor) {
                    factors.remove(k);
                }
            }
            let (minus, inner) = self.total(same.into_iter().map(|(m, factors)| (m, self.all(factors))).collect());
            found = true;
            sum = Some(self.join(sum, minus, self.f.mul(factor, inner)));
        }
        sum.filter(|_| found)
    }

    /// A product of numbers, factors that may be moved, and at most one adjoint: its sign and all that is in it. `None` where adjoints are in it in another way.
    fn product(&self, e: Expr, mut minus: bool) -> Option<(bool, Vec<Expr>)> {
        let (mut out, mut todo) = (Vec::new(), vec![e]);
        while let Some(e) = todo.pop() {
            let part = |k: usize| e.root().operands.get(k).map(|&o| e.subexpr(o)).unwrap_or_default();
            match self.operation(&e) {
                Some("minus_scal") => {
                    minus = !minus;
                    todo.push(part(0));
                }
                Some("mul_scal_scal") => todo.extend([part(1), part(0)]),
                _ if self.has_adjoint(&e) => out.push(e),
                _ => out.push(self.factor(e)?),
            }
        }
        if out.iter().any(|p| p.as_var().is_some_and(|r| same_place(r, self.lhs))) {
            return None;
        }
        let adjoint = |p: &&Expr| self.has_adjoint(p);
        (out.iter().filter(adjoint).count() <= 1).then_some((minus, out))
    }

    /// The product of some factors.
    fn all(&self, factors: Vec<Expr>) -> Expr {
        factors.into_iter().reduce(|a, b| self.f.mul(a, b)).unwrap_or_else(|| real(1.0, None, self.ty))
    }

    /// A sum whose signs stand between terms where they can: whether all of it is negative, and the rest.
    fn total(&self, mut terms: Vec<(bool, Expr)>) -> (bool, Expr) {
        let minus = terms.iter().all(|t| t.0);
        if let Some(k) = terms.iter().position(|t| t.0 == minus) {
            terms[..=k].rotate_right(1);
        }
        let sum = terms.into_iter().fold(None, |sum, (m, e)| Some(self.join(sum, m != minus, e)));
        (minus, sum.unwrap_or_default())
    }

    fn join(&self, sum: Option<Expr>, minus: bool, e: Expr) -> Expr {
        match (sum, minus) {
            (None, false) => e,
            (None, true) => self.f.neg(e),
            (Some(s), false) => self.f.add(s, e),
            (Some(s), true) => self.f.sub(s, e),
        }
    }

    /// The terms of a sum.
    fn terms(&self, e: &Expr, depth: usize) -> Vec<Term> {
        let mut out = Vec::new();
        let mut todo = vec![(e.clone(), false)];
        while let Some((e, minus)) = todo.pop() {
            let part = |k: usize| e.root().operands.get(k).map(|&o| e.subexpr(o)).unwrap_or_default();
            let name = self.operation(&e);
            match name {
                Some("add_scal_scal") => todo.extend([(part(1), minus), (part(0), minus)]),
                Some("sub_scal_scal") => todo.extend([(part(1), !minus), (part(0), minus)]),
                Some("minus_scal") => todo.push((part(0), !minus)),
                _ => {
                    let parts = self.parts(&e, depth);
                    out.push(Term { minus, whole: e, parts });
                }
            }
        }
        out
    }

    /// The name of an operation whose value is as precise as the adjoint.
    fn operation<'e>(&self, e: &'e Expr) -> Option<&'e str> {
        let NodeKind::Op(op) = &e.root().kind else { return None };
        self.is_precise(e).then_some(&*op.name)
    }

    fn is_precise(&self, e: &Expr) -> bool {
        let ty = types::of(self.program(), e);
        ty.rank == 0 && ty.elem.is_real() && ty.elem.bits == self.ty.bits
    }

    fn program(&self) -> &xaif::Program {
        self.f.program
    }

    fn has_adjoint(&self, e: &Expr) -> bool {
        expressions::mentions_any(e, |s| self.adjoint.contains(&s))
    }

    /// A product as an adjoint and its factor.
    fn parts(&self, e: &Expr, depth: usize) -> Option<(VarRef, Expr)> {
        let mut factors = Vec::new();
        let mut minus = false;
        let mut rest = e.clone();
        loop {
            if let Some(place) = rest.as_var() {
                let fits = self.adjoint.contains(&place.symbol) && !same_place(place, self.lhs) && self.is_precise(&rest);
                let mut product = real(1.0, None, self.ty);
                for p in factors {
                    product = self.f.mul(product, p);
                }
                let factor = if minus { self.f.neg(product) } else { product };
                return (fits && !place.index_exprs().any(|i| self.has_adjoint(i))).then(|| (place.clone(), factor));
            }
            let operand = |k: usize| rest.root().operands.get(k).map(|&o| rest.subexpr(o)).unwrap_or_default();
            let next = match self.operation(&rest)? {
                "minus_scal" => {
                    minus = !minus;
                    operand(0)
                }
                "mul_scal_scal" => {
                    let (a, b) = (operand(0), operand(1));
                    let (with, other) = match (self.has_adjoint(&a), self.has_adjoint(&b)) {
                        (true, false) => (a, b),
                        (false, true) => (b, a),
                        _ => return None,
                    };
                    factors.push(self.factor(other)?);
                    with
                }
                // A sum of which every term has the same adjoint.
                "add_scal_scal" | "sub_scal_scal" => self.sum(&rest, depth)?,
                _ => return None,
            };
            rest = next;
        }
    }

    /// A factor that may be moved and added to others.
    fn factor(&self, e: Expr) -> Option<Expr> {
        if self.is_precise(&e) {
            return Some(e);
        }
        let constant = e.as_constant().filter(|c| c.ty.base == BaseType::Integer);
        let value = constant.and_then(|_| number(&e)).filter(|v| v.abs() < 1e6)?;
        Some(real(value, None, self.ty))
    }
}
