//! Records made where the value is read anyway.
//!
//! ```text
//! for (i = 1; i < n - 1; i++)                       for (i = 1; i < n - 1; i++) {
//!   v[i] = f(u[i - 1], u[i], u[i + 1]);               u_tape[t][i - 1] = u[i];
//! for (i = 1; i < n - 1; i++) {              ->       v[i] = f(u[i - 1], u[i], u[i + 1]);
//!   u_tape[t][i - 1] = u[i];                        }
//!   u[i] = v[i];                                    for (i = 1; i < n - 1; i++)
//! }                                                   u[i] = v[i];
//! ```
//!
//! A value is recorded before it is overwritten. Where it is overwritten by a loop of its own, right behind one with the same iterations that reads it (a step in time with two
//! buffers), that loop has it at hand, and what is left of the other one is a plain copy. The record may be made there if neither that loop nor the iterations before change
//! the element, or what says which element it is.
//!
//! Lives here: this change of finished loops that stand one behind the other. Never here: what is recorded.

use crate::analysis::accesses::dependence::has_calls;
use crate::analysis::arrays::counted::{Range, range};
use crate::transform::adjoint::code::expressions::{mentions_any, same_place, varying};
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind, comment};
use crate::transform::walk::stmt_symbols_mut;
use xaif::Program;
use xaif::model::{Expr, SymbolId, Triplet, VarRef};

/// What is known of variables.
pub(crate) struct Variables<'a> {
    /// The program.
    pub program: &'a Program,
    /// Whether two variables may share memory.
    pub overlap: &'a dyn Fn(SymbolId, SymbolId) -> bool,
    /// Whether a variable holds records.
    pub recorded: &'a dyn Fn(SymbolId) -> bool,
}

/// Moves records into the loops before.
pub(crate) fn records(v: &Variables, items: &mut [Item]) {
    for k in 0..items.len() {
        if let [a, b] = &mut items[k.saturating_sub(1)..=k]
            && let Some((moved, from, to)) = moved(v, a, b)
            && let (ItemKind::Loop { body: a, .. }, ItemKind::Loop { body: b, .. }) = (&mut a.kind, &mut b.kind)
        {
            for at in moved.into_iter().rev() {
                let mut record = b.remove(at);
                if let ItemKind::Stmt(s) = &mut record.kind {
                    // What is said of the statement stays where it was.
                    comment(&mut b[at..], std::mem::take(&mut s.comment));
                    stmt_symbols_mut(s, &mut |x| *x = if *x == from { to } else { *x });
                }
                a.insert(0, record);
            }
        }
        match &mut items[k].kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| records(v, &mut a.body)),
            ItemKind::Loop { body, .. } => records(v, body),
        }
    }
}

/// A loop of nothing but assignments without calls.
struct Plain<'a> {
    iterations: Range,
    parts: Vec<(&'a VarRef, &'a Expr)>,
}

impl Plain<'_> {
    fn of<'a>(program: &Program, item: &'a Item) -> Option<Plain<'a>> {
        let ItemKind::Loop { kind: LoopKind::For(head), body, .. } = &item.kind else { return None };
        let parts: Vec<(&VarRef, &Expr)> = body.iter().map(Item::assignment).collect::<Option<_>>()?;
        let calls = parts.iter().any(|(w, e)| w.index_exprs().chain([*e]).any(has_calls));
        let iterations = range(program, head)?;
        (!calls && iterations.stride.as_int().is_some()).then_some(Plain { iterations, parts })
    }

    /// Whether one of the statements may write a variable.
    fn writes(&self, v: &Variables, s: SymbolId) -> bool {
        self.parts.iter().any(|(w, _)| (v.overlap)(w.symbol, s))
    }

    /// Whether one of them may read, in its own iterations, the element that `place` is with another index.
    fn reads(&self, place: &VarRef, index: SymbolId) -> bool {
        let Some(at) = varying(place, index) else { return false };
        let alike = |(k, (a, b)): (usize, (&Triplet, &Triplet))| k == at.0 || a == b;
        let same = |r: &VarRef| {
            r.symbol == place.symbol
                && varying(r, self.iterations.index) == Some(at)
                && r.subscripts.iter().zip(place.subscripts.iter()).enumerate().all(alike)
        };
        self.parts.iter().any(|(_, e)| e.refs().any(same))
    }
}

/// The statements of the second loop that can go to the first, if there are any and something is left, and the indices of both loops.
fn moved(v: &Variables, a: &Item, b: &Item) -> Option<(Vec<usize>, SymbolId, SymbolId)> {
    // Most loops record no element.
    let ItemKind::Loop { body, .. } = &b.kind else { return None };
    let record = |(w, e): (&VarRef, &Expr)| e.as_var().is_some_and(|r| !r.subscripts.is_empty()) && (v.recorded)(w.symbol);
    if !matches!(a.kind, ItemKind::Loop { .. }) || !body.iter().filter_map(Item::assignment).any(record) {
        return None;
    }
    let (a, b) = (Plain::of(v.program, a)?, Plain::of(v.program, b)?);
    let (x, y) = (&a.iterations, &b.iterations);
    let alike = v.program.symbol(x.index).ty == v.program.symbol(y.index).ty
        && v.program.symbol(x.index).has_attribute("unsigned") == v.program.symbol(y.index).has_attribute("unsigned");
    if !alike || x.first != y.first || x.bound != y.bound || x.stride != y.stride {
        return None;
    }
    // Iterations are the same as long as nothing says otherwise in between.
    let mut steady = true;
    let mut look = |r: &VarRef| steady &= r.symbol != x.index && !a.writes(v, r.symbol);
    y.first.for_each_ref(&mut look);
    y.bound.for_each_ref(&mut look);
    if !steady {
        return None;
    }
    let out: Vec<usize> = (0..b.parts.len()).filter(|&k| may_move(v, &a, &b, k)).collect();
    (!out.is_empty() && out.len() < b.parts.len()).then_some((out, y.index, x.index))
}

fn may_move(v: &Variables, a: &Plain, b: &Plain, at: usize) -> bool {
    let (record, value) = b.parts[at];
    let index = b.iterations.index;
    let Some(place) = value.as_var().filter(|_| (v.recorded)(record.symbol)) else { return false };
    if varying(record, index).is_none() || !a.reads(place, index) || a.writes(v, place.symbol) {
        return false;
    }
    // Which elements they are.
    let mut known = true;
    record.index_exprs().chain(place.index_exprs()).for_each(|e| {
        e.for_each_ref(&mut |r| {
            known &= r.symbol == index || !(r.symbol == a.iterations.index || a.writes(v, r.symbol) || b.writes(v, r.symbol))
        });
    });
    // Nobody else uses the record here.
    let names = |e: &Expr| mentions_any(e, |s| (v.overlap)(s, record.symbol));
    let alone = !a.writes(v, record.symbol)
        && !a.parts.iter().chain(&b.parts).any(|(w, e)| w.index_exprs().chain([*e]).any(names))
        && b.parts.iter().enumerate().all(|(k, (w, _))| k == at || !(v.overlap)(w.symbol, record.symbol));
    // The element is the same as before the loop until this iteration records it.
    let fresh = b.parts.iter().enumerate().all(|(k, (w, _))| !(v.overlap)(w.symbol, place.symbol) || (k > at && same_place(w, place)));
    known && alone && fresh
}
