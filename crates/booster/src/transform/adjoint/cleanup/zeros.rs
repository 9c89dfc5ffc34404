//! Adjoints that are known to be zero.
//!
//! ```text
//! tb = 0            (nothing)
//! tb = tb + c*sb    tb = c*sb
//! xb = xb + y*tb    xb = xb + y*tb
//! tb = 0            (nothing)
//! yb = yb + z*tb    (nothing)
//! ```
//!
//! A branch hands what is zero in front of it to its arms; where it may take none of them, what is not zero behind all of them is written in front of it, too.
//! A zero is not written until somebody has to find it there: incrementing it becomes an assignment, and what is never looked at
//! is never set. For local scalars that nothing overlaps.
//!
//! Lives here: this one clean-up of finished code. Never here: any decision about what is computed.

use crate::linearize::fold::{Fold, number, zero};
use crate::transform::adjoint::code::expressions;
use crate::transform::adjoint::code::mentions::{in_stmt, mentioned};
use crate::transform::adjoint::code::tree;
use crate::transform::adjoint::code::tree::{Arm, Item, ItemKind, LoopKind, NEW};
use arcstr::ArcStr;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::{Expr, NodeId, NodeKind, Stmt, StmtKind, SymbolId, VarRef};

/// Below this depth of loops no attempt is made to carry zeros from one iteration to the next.
const MAX_ATTEMPTS: usize = 6;

/// Variables whose value is zero though it has not been written.
type Zeros = BTreeSet<SymbolId>;

/// Cleans up what comes behind some `front`. `scalars` are the variables that take part; their values at the end are not needed.
pub(crate) fn settle(program: &Program, front: Vec<Item>, items: Vec<Item>, scalars: &FxHashSet<SymbolId>) -> Vec<Item> {
    let s = Settle { program, scalars };
    let mut zeros = Zeros::new();
    let settled = s.sequence(front, items, &mut zeros, 0);
    s.looked_at(settled, &mut FxHashSet::default())
}

struct Settle<'a> {
    program: &'a Program,
    scalars: &'a FxHashSet<SymbolId>,
}

impl Settle<'_> {
    fn write_zero(&self, v: SymbolId) -> Item {
        Item::stmt(Stmt::assign(VarRef::whole(v), zero(self.program.symbol(v).ty)))
    }

    /// Writes those zeros that code names. Asks for each name, since there may be as many zeros as the code has variables.
    fn write_named(&self, out: &mut Vec<Item>, zeros: &mut Zeros, code: impl FnOnce(&mut dyn FnMut(SymbolId))) {
        let mut due: SmallVec<[SymbolId; 8]> = SmallVec::new();
        if !zeros.is_empty() {
            code(&mut |v| due.extend(zeros.take(&v)));
        }
        due.sort_unstable();
        out.extend(due.into_iter().map(|v| self.write_zero(v)));
    }

    fn sequence(&self, mut out: Vec<Item>, items: Vec<Item>, zeros: &mut Zeros, depth: usize) -> Vec<Item> {
        out.reserve(items.len());
        // A comment whose statement goes is handed to the next one.
        let mut comment = ArcStr::new();
        for item in items {
            let before = out.len();
            let id = item.id;
            match item.kind {
                ItemKind::Stmt(s) => {
                    let starts = !s.comment.is_empty();
                    match self.stmt(s, zeros, &mut out) {
                        Some(gone) if starts => comment = gone.comment,
                        // Another statement's adjoint begins: of the one before nothing is left.
                        None if starts => comment = ArcStr::new(),
                        _ => {}
                    }
                }
                ItemKind::Branch { head, condition, mut arms } => {
                    self.write_named(&mut out, zeros, |visit| condition.for_each_ref(&mut |r| visit(r.symbol)));
                    let (common, written) = self.arms(&mut arms, zeros, depth);
                    out.extend(written.into_iter().map(|v| self.write_zero(v)));
                    zeros.extend(common);
                    out.push(Item { id, kind: ItemKind::Branch { head, condition, arms } });
                }
                ItemKind::Loop { head, kind, body } => {
                    let body = self.repeat(*body, zeros, &mut out, &kind, depth);
                    out.push(Item { id, kind: ItemKind::Loop { head, kind, body: Box::new(body) } });
                }
            }
            if out.len() > before && !comment.is_empty() {
                tree::comment(&mut out[before..], std::mem::take(&mut comment));
            }
        }
        out
    }

    /// The code, outside of loops, without zeros in variables that nothing behind them names; `later` are the variables that are named there.
    fn looked_at(&self, items: Vec<Item>, later: &mut FxHashSet<SymbolId>) -> Vec<Item> {
        let mut out = Vec::with_capacity(items.len());
        for mut item in items.into_iter().rev() {
            match &mut item.kind {
                ItemKind::Stmt(s) => match &s.kind {
                    StmtKind::Assignment { lhs, rhs }
                        if lhs.subscripts.is_empty()
                            && self.scalars.contains(&lhs.symbol)
                            && s.comment.is_empty()
                            && !later.contains(&lhs.symbol)
                            && number(rhs) == Some(0.0) =>
                    {
                        continue;
                    }
                    _ => in_stmt(s, &mut |v| later.extend([v])),
                },
                ItemKind::Branch { condition, arms, .. } => {
                    for arm in arms.iter_mut().rev() {
                        arm.body = self.looked_at(std::mem::take(&mut arm.body), later);
                    }
                    condition.for_each_ref(&mut |r| later.extend([r.symbol]));
                }
                ItemKind::Loop { .. } => mentioned(std::slice::from_ref(&item), later),
            }
            out.push(item);
        }
        out.reverse();
        out
    }

    /// Cleans up the arms of a branch. Says what is zero behind it without having been written, and what has to be written in front of it, where the branch may
    /// take none of its arms.
    fn arms(&self, arms: &mut [Arm], zeros: &mut Zeros, depth: usize) -> (Zeros, Zeros) {
        let named = |arm: &Arm| {
            let mut touched = FxHashSet::default();
            mentioned(&arm.body, &mut touched);
            touched
        };
        let named: Vec<FxHashSet<SymbolId>> = arms.iter().map(named).collect();
        let has_default = arms.iter().any(|a| a.values.is_empty());
        // What the arms do not name stays zero in all of them.
        let inside: Zeros = named.iter().flatten().filter_map(|v| zeros.take(v)).collect();
        let mut ends: Vec<Zeros> = Vec::new();
        for arm in arms.iter_mut() {
            let mut z = inside.clone();
            arm.body = self.sequence(Vec::new(), std::mem::take(&mut arm.body), &mut z, depth);
            ends.push(z);
        }
        let mut common = if has_default { None } else { Some(inside.clone()) };
        for z in &ends {
            common = Some(match common {
                None => z.clone(),
                Some(c) => c.intersection(z).copied().collect(),
            });
        }
        let common = common.unwrap_or_default();
        let written: Zeros = if has_default { Zeros::new() } else { inside.difference(&common).copied().collect() };
        for ((arm, z), named) in arms.iter_mut().zip(&ends).zip(&named) {
            let due = z.difference(&common).filter(|v| named.contains(v) || !written.contains(v));
            arm.body.extend(due.map(|&v| self.write_zero(v)));
        }
        (common, written)
    }

    fn repeat(&self, body: Vec<Item>, zeros: &mut Zeros, out: &mut Vec<Item>, kind: &LoopKind, depth: usize) -> Vec<Item> {
        let mut touched = FxHashSet::default();
        mentioned(&body, &mut touched);
        // What the loop does not name stays zero.
        if let LoopKind::While(c) | LoopKind::Until(c) = kind {
            self.write_named(out, zeros, |visit| c.for_each_ref(&mut |r| visit(r.symbol)));
        }
        let mut inside = taken(zeros, &touched);
        let mut head: Zeros = if depth < MAX_ATTEMPTS { inside.clone() } else { Zeros::new() };
        let (mut settled, end) = loop {
            if head.is_empty() {
                let mut z = Zeros::new();
                break (self.sequence(Vec::new(), body, &mut z, depth + 1), z);
            }
            let mut z = head.clone();
            let settled = self.sequence(Vec::new(), body.clone(), &mut z, depth + 1);
            let kept: Zeros = head.intersection(&z).copied().collect();
            if kept == head {
                break (settled, z);
            }
            head = kept;
        };
        for &v in end.difference(&head) {
            settled.push(self.write_zero(v));
        }
        inside.retain(|v| !head.contains(v));
        out.extend(inside.into_iter().map(|v| self.write_zero(v)));
        zeros.extend(head);
        settled
    }

    /// Writes a statement, or gives it back where it goes.
    fn stmt(&self, mut s: Box<Stmt>, zeros: &mut Zeros, out: &mut Vec<Item>) -> Option<Box<Stmt>> {
        if let StmtKind::Assignment { lhs, rhs } = &mut s.kind
            && !zeros.is_empty()
            && !(zeros.contains(&lhs.symbol) && self.increment(rhs, lhs.symbol).is_some_and(|e| !names(&e, zeros)))
            && names(rhs, zeros)
        {
            match self.without(rhs, zeros) {
                Some(Rest::Zero) => *rhs = zero(self.program.symbol(lhs.symbol).ty),
                Some(Rest::Value(e)) if e.as_var().is_some_and(|r| expressions::same_place(r, lhs)) => {
                    return Some(s);
                }
                Some(Rest::Value(e)) => *rhs = e,
                None => {}
            }
        }
        if let StmtKind::Assignment { lhs, rhs } = &mut s.kind
            && lhs.subscripts.is_empty()
            && self.scalars.contains(&lhs.symbol)
        {
            let v = lhs.symbol;
            if number(rhs) == Some(0.0) {
                zeros.insert(v);
                return Some(s);
            }
            if zeros.contains(&v)
                && let Some(rest) = self.increment(rhs, v)
            {
                *rhs = rest;
            }
            self.write_named(out, zeros, |visit| rhs.for_each_ref(&mut |r| visit(r.symbol)));
            zeros.remove(&v);
        } else {
            self.write_named(out, zeros, |visit| in_stmt(&s, visit));
        }
        out.push(Item { id: NEW, kind: ItemKind::Stmt(s) });
        None
    }

    /// The expression with nothing in place of adjoints that are zero; `None` where that is not plain arithmetic.
    fn without(&self, e: &Expr, zeros: &Zeros) -> Option<Rest> {
        let f = Fold { program: self.program };
        let mut done: Vec<Option<Rest>> = Vec::with_capacity(e.nodes.len());
        let mut touched: Vec<bool> = Vec::with_capacity(e.nodes.len());
        for (i, node) in e.nodes.iter().enumerate() {
            let own = match &node.kind {
                NodeKind::Var(r) => zeros.contains(&r.symbol) || r.index_exprs().any(|x| names(x, zeros)),
                _ => false,
            };
            touched.push(own || node.operands.iter().any(|o| touched[o.index()]));
            if !touched[i] {
                done.push(Some(Rest::Value(e.subexpr(NodeId(i as u32)))));
                continue;
            }
            let operand = |k: usize| node.operands.get(k).and_then(|o| done[o.index()].clone());
            let rest = match &node.kind {
                NodeKind::Var(r) if zeros.contains(&r.symbol) => Some(Rest::Zero),
                NodeKind::Op(op) => match (op.name.as_str(), operand(0), operand(1)) {
                    ("add_scal_scal", Some(Rest::Zero), other) | ("add_scal_scal" | "sub_scal_scal", other, Some(Rest::Zero)) => other,
                    ("sub_scal_scal", Some(Rest::Zero), Some(Rest::Value(b))) => Some(Rest::Value(f.neg(b))),
                    ("mul_scal_scal", Some(Rest::Zero), Some(_)) | ("mul_scal_scal", Some(_), Some(Rest::Zero)) => Some(Rest::Zero),
                    ("div_scal_scal" | "minus_scal", Some(Rest::Zero), _) => Some(Rest::Zero),
                    ("add_scal_scal", Some(Rest::Value(a)), Some(Rest::Value(b))) => Some(Rest::Value(f.add(a, b))),
                    ("sub_scal_scal", Some(Rest::Value(a)), Some(Rest::Value(b))) => Some(Rest::Value(f.sub(a, b))),
                    ("mul_scal_scal", Some(Rest::Value(a)), Some(Rest::Value(b))) => Some(Rest::Value(f.mul(a, b))),
                    _ => None,
                },
                _ => None,
            };
            done.push(rest);
        }
        done.pop().flatten()
    }

    /// What is added to `v` in `v + e` or `v - e`.
    fn increment(&self, rhs: &Expr, v: SymbolId) -> Option<Expr> {
        let NodeKind::Op(op) = &rhs.root().kind else { return None };
        let [a, b] = rhs.root().operands[..] else { return None };
        let (a, b) = (rhs.subexpr(a), rhs.subexpr(b));
        let is_v = |e: &Expr| e.as_var().is_some_and(|r| r.symbol == v);
        let f = Fold { program: self.program };
        match op.name.as_str() {
            "add_scal_scal" if is_v(&a) && !reads(&b, v) => Some(b),
            "add_scal_scal" if is_v(&b) && !reads(&a, v) => Some(a),
            "sub_scal_scal" if is_v(&a) && !reads(&b, v) => Some(f.neg(b)),
            "sub_scal_scal" if is_v(&b) && !reads(&a, v) => Some(a),
            _ => None,
        }
    }
}

/// What is left of an expression.
#[derive(Clone)]
enum Rest {
    Zero,
    Value(Expr),
}

/// Whether the expression names one of them.
fn names(e: &Expr, zeros: &Zeros) -> bool {
    let mut found = false;
    e.for_each_ref(&mut |r| found |= zeros.contains(&r.symbol));
    found
}

/// Takes those of some variables out that are zero.
fn taken(zeros: &mut Zeros, touched: &FxHashSet<SymbolId>) -> Zeros {
    touched.iter().filter_map(|v| zeros.take(v)).collect()
}

fn reads(e: &Expr, v: SymbolId) -> bool {
    let mut found = false;
    e.for_each_ref(&mut |r| found |= r.symbol == v);
    found
}
