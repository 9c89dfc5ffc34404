//! Several derivatives that are divided by one value are multiplied by its reciprocal.
//!
//! ```text
//! ub = c*yb                      ub = c*yb
//! t = vb/w                       r = 1/w
//! qb = qb + t             ->     t = vb*r
//! t1 = ub/w                      qb = qb + t
//!                                t1 = ub*r
//! ```
//!
//! The reciprocal is computed in front of the first of these quotients, so only where one of them is, and it holds until something sets what the divisor reads.
//! Quotients without a derivative above the line are values of the original, or its partial derivatives, and stay as they are; so do those by constants, of
//! integers, and of two precisions.
//!
//! Lives here: this rewriting. Never here: any other change of expressions.

use crate::linearize::fold::{Fold, real};
use crate::transform::adjoint::code::expressions::mentions_any;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind, set};
use xaif::model::{ElemType, Expr, NodeId, NodeKind, StmtKind, SymbolId, VarRef};
use xaif::types::ValueType;
use xaif::{Program, types};

/// So far behind a quotient others by the same value are looked for.
const REACH: usize = 60;

/// What is known of variables.
pub(crate) struct Variables<'a> {
    /// Types.
    pub program: &'a Program,
    /// Adjoints, and scratch variables of derivative code.
    pub derivative: &'a dyn Fn(SymbolId) -> bool,
    /// Which variables may share memory.
    pub overlap: &'a dyn Fn(SymbolId, SymbolId) -> bool,
}

/// A place for a reciprocal: of what, and the variable that stands for it until it has a name.
pub(crate) struct Reciprocal {
    /// The type.
    pub ty: ElemType,
    /// The stand-in.
    pub scalar: SymbolId,
}

/// Rewrites some code; says which reciprocals there are, each with a stand-in `first`, `first + 1` and so on.
pub(crate) fn reciprocals(v: &Variables, items: &mut Vec<Item>, first: u32) -> Vec<Reciprocal> {
    let mut pass = Pass { v, first, made: Vec::new() };
    pass.sequence(items);
    pass.made
}

struct Pass<'a> {
    v: &'a Variables<'a>,
    first: u32,
    made: Vec<Reciprocal>,
}

impl Pass<'_> {
    fn sequence(&mut self, items: &mut Vec<Item>) {
        // All go in at once: long code has many.
        let mut placed: Vec<(usize, Item)> = Vec::new();
        for at in 0..items.len() {
            for divisor in self.divisors(&items[at]) {
                let end = self.end(&items[at..], &divisor) + at;
                let count: usize = items[at..end].iter().map(|i| self.count(i, &divisor)).sum();
                if count < 2 {
                    continue;
                }
                let ty = self.type_of(&divisor).elem;
                let scalar = SymbolId(self.first + self.made.len() as u32);
                self.made.push(Reciprocal { ty, scalar });
                items[at..end].iter_mut().for_each(|i| self.multiplied(i, &divisor, scalar));
                let one = real(1.0, None, ty);
                placed.push((at, set(scalar, Fold { program: self.v.program }.div(one, divisor))));
            }
            match &mut items[at].kind {
                ItemKind::Stmt(_) => {}
                ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| self.sequence(&mut a.body)),
                ItemKind::Loop { body, .. } => self.sequence(body),
            }
        }
        if placed.is_empty() {
            return;
        }
        let mut placed = placed.into_iter().peekable();
        let all = std::mem::take(items);
        for (at, item) in all.into_iter().enumerate() {
            while let Some((_, reciprocal)) = placed.next_if(|(p, _)| *p == at) {
                items.push(reciprocal);
            }
            items.push(item);
        }
    }

    /// By what derivatives are divided in a statement.
    fn divisors(&self, item: &Item) -> Vec<Expr> {
        let mut out: Vec<Expr> = Vec::new();
        if let Some((_, rhs)) = item.assignment() {
            for (_, d) in self.quotients(rhs) {
                if !out.contains(&d) {
                    out.push(d);
                }
            }
        }
        out
    }

    /// The quotients of derivatives, and their divisors.
    fn quotients(&self, e: &Expr) -> Vec<(Expr, Expr)> {
        let mut out = Vec::new();
        for (k, node) in e.nodes.iter().enumerate() {
            let (NodeKind::Op(op), &[a, b]) = (&node.kind, &node.operands[..]) else { continue };
            if op.name != "div_scal_scal" {
                continue;
            }
            let (above, below) = (e.subexpr(a), e.subexpr(b));
            if self.is_derivative(&above) && self.is_value(&above, &below) {
                out.push((e.subexpr(NodeId(k as u32)), below));
            }
        }
        out
    }

    fn is_derivative(&self, e: &Expr) -> bool {
        mentions_any(e, self.v.derivative)
    }

    /// A value of the original's that is no constant, in the precision of what it divides.
    fn is_value(&self, above: &Expr, below: &Expr) -> bool {
        let (ours, theirs) = (self.type_of(below), self.type_of(above));
        let varies = below.refs().next().is_some() && !self.is_derivative(below);
        varies && ours.rank == 0 && theirs.rank == 0 && ours.elem == theirs.elem && ours.elem.is_real() && plain(below)
    }

    /// The type of an expression with stand-ins, which no program has yet.
    fn type_of(&self, e: &Expr) -> ValueType {
        let of = |s: SymbolId| self.made.iter().find(|r| r.scalar == s).map(|r| real(1.0, None, r.ty));
        if !mentions_any(e, |s| of(s).is_some()) {
            return types::of(self.v.program, e);
        }
        types::of(self.v.program, &Fold { program: self.v.program }.rebuilt(e, &|r| of(r.symbol)))
    }

    /// How many items from the first on leave a divisor as it is.
    fn end(&self, items: &[Item], divisor: &Expr) -> usize {
        let sets = |to: &VarRef| mentions_any(divisor, |s| s == to.symbol || (self.v.overlap)(s, to.symbol));
        let stays = |item: &Item| item.assignment().is_none_or(|(to, _)| !sets(to)) && keeps(item, &sets);
        let reach = items.iter().take(REACH);
        // The first one reads before it sets.
        let first = items.first().is_some_and(|i| keeps(i, &|_| false));
        if !first {
            return 0;
        }
        if !items.first().is_some_and(stays) {
            return 1;
        }
        reach.take_while(|i| stays(i)).count()
    }

    fn count(&self, item: &Item, divisor: &Expr) -> usize {
        match &item.kind {
            ItemKind::Stmt(_) => item.assignment().map_or(0, |(_, rhs)| self.quotients(rhs).iter().filter(|(_, d)| d == divisor).count()),
            ItemKind::Branch { arms, .. } => arms.iter().flat_map(|a| &a.body).map(|i| self.count(i, divisor)).sum(),
            ItemKind::Loop { body, .. } => body.iter().map(|i| self.count(i, divisor)).sum(),
        }
    }

    /// Products with a reciprocal in place of the quotients by a value.
    fn multiplied(&self, item: &mut Item, divisor: &Expr, by: SymbolId) {
        match &mut item.kind {
            ItemKind::Stmt(s) => {
                let StmtKind::Assignment { rhs, .. } = &mut s.kind else { return };
                // One in another is there in another form when that one is rewritten.
                while let Some((quotient, _)) = self.quotients(rhs).into_iter().find(|(_, d)| d == divisor) {
                    let above = quotient.root().operands.first().map(|&a| quotient.subexpr(a));
                    let product = above.map(|a| Expr::op("mul_scal_scal", [a, Expr::sym(by)]));
                    let Some(new) = product.and_then(|p| rhs.replaced(&quotient, &p)) else { return };
                    *rhs = new;
                }
            }
            ItemKind::Branch { arms, .. } => arms.iter_mut().flat_map(|a| &mut a.body).for_each(|i| self.multiplied(i, divisor, by)),
            ItemKind::Loop { body, .. } => body.iter_mut().for_each(|i| self.multiplied(i, divisor, by)),
        }
    }
}

/// Whether an item does nothing but assignments, none to such a place.
fn keeps(item: &Item, sets: &dyn Fn(&VarRef) -> bool) -> bool {
    match &item.kind {
        ItemKind::Stmt(s) => matches!(&s.kind, StmtKind::Assignment { .. }) && item.assignment().is_none_or(|(to, _)| !sets(to)),
        ItemKind::Branch { arms, .. } => arms.iter().flat_map(|a| &a.body).all(|i| keeps(i, sets)),
        ItemKind::Loop { kind, body, .. } => {
            let index = match kind {
                LoopKind::For(f) => match &f.init.kind {
                    StmtKind::Assignment { lhs, .. } => !sets(lhs),
                    _ => false,
                },
                LoopKind::While(_) | LoopKind::Until(_) => true,
            };
            index && body.iter().all(|i| keeps(i, sets))
        }
    }
}

/// Without calls.
fn plain(e: &Expr) -> bool {
    e.nodes.iter().all(|n| match &n.kind {
        NodeKind::FunctionCall(_) => false,
        NodeKind::Var(r) => r.index_exprs().all(plain),
        _ => true,
    })
}
