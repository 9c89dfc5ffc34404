//! Loops of the reverse sweep whose iterations are independent run upward.
//!
//! ```text
//! for (i = n - 2; i >= 1; i--)              for (i = 1; i <= n - 2; i++)
//!   ub[i] = c * x[i] * vb[i];       ->        ub[i] = c * x[i] * vb[i];
//! ```
//!
//! Reversal turns every loop around. Where each iteration sets elements of its own, any order is right, and compilers like one best: a loop that runs downward
//! turns every vector around that it loads or stores, and a loop that copies is a copy of memory only where it runs upward.
//!
//! A loop is turned only where every assignment goes to an element of an adjoint array whose subscript moves with the index, or to a scalar that each iteration
//! sets before it reads it, and nothing that the loop reads or sets may share memory with such an array, but for the very same element of the same iteration.
//! Only the reverse sweep sets adjoints, and there it is nobody's business what the index is left as.
//!
//! Lives here: this change of finished loops that run downward. Never here: other changes of their order.

use crate::analysis::accesses::dependence::has_calls;
use crate::analysis::arrays::counted::{for_loop, range};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::expressions::{same_place, varying};
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind};
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{Expr, ForLoop, SymbolId, VarRef};

/// What is known of variables.
pub(crate) struct Variables<'a> {
    /// The program.
    pub program: &'a Program,
    /// Whether two variables may share memory.
    pub overlap: &'a dyn Fn(SymbolId, SymbolId) -> bool,
    /// Scalars that are set before every use.
    pub scratch: &'a FxHashSet<SymbolId>,
    /// Adjoint variables: loops that set anything else may be the original's.
    pub adjoint: &'a FxHashSet<SymbolId>,
}

/// Turns loops that run downward around where their iterations are independent.
pub(crate) fn loops(v: &Variables, items: &mut [Item]) {
    for item in items {
        match &mut item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| loops(v, &mut a.body)),
            ItemKind::Loop { kind, body, .. } => {
                if let LoopKind::For(head) = kind
                    && let Some(turned) = turned(v, head, body)
                {
                    **head = turned;
                } else {
                    loops(v, body);
                }
            }
        }
    }
}

/// The head of the loop in the other direction, if it runs downward and its iterations are independent.
fn turned(v: &Variables, head: &ForLoop, body: &[Item]) -> Option<ForLoop> {
    // Most loops are out of the question at first sight.
    let fits = |w: &VarRef| v.adjoint.contains(&w.symbol) || v.scratch.contains(&w.symbol);
    if !body.iter().all(|i| i.assignment().is_some_and(|(w, _)| fits(w))) {
        return None;
    }
    let parts: Vec<(&VarRef, &Expr)> = body.iter().map(Item::assignment).collect::<Option<_>>()?;
    // Unsigned indices have bounds that wrap around; and a bound is evaluated in each iteration, where the first value was evaluated once.
    let unsigned = |s: SymbolId| v.program.symbol(s).has_attribute("unsigned");
    let plain = |e: &Expr| !has_calls(e) && e.refs().all(|q| q.subscripts.is_empty());
    let r = range(v.program, head).filter(|r| r.stride.as_int() == Some(-1) && !unsigned(r.index) && plain(&r.first))?;
    // What a function reads is not seen here.
    if parts.iter().any(|(w, e)| w.index_exprs().chain([*e]).any(has_calls)) {
        return None;
    }
    let private = |s: SymbolId| v.scratch.contains(&s);
    let mut set = FxHashSet::default();
    for (w, e) in &parts {
        let mut ready = true;
        let mut look = |q: &VarRef| ready &= !private(q.symbol) || set.contains(&q.symbol);
        w.index_exprs().chain([*e]).for_each(|e| e.for_each_ref(&mut look));
        if !ready {
            return None;
        }
        if w.subscripts.is_empty() && private(w.symbol) {
            set.insert(w.symbol);
        }
    }
    // A loop that sets no adjoint may be there for what its index is left as.
    if parts.iter().all(|(w, _)| set.contains(&w.symbol)) {
        return None;
    }
    for (w, _) in parts.iter().filter(|(w, _)| !set.contains(&w.symbol)) {
        varying(w, r.index).filter(|_| v.adjoint.contains(&w.symbol))?;
        let mut independent = true;
        let mut look = |q: &VarRef| independent &= !(v.overlap)(w.symbol, q.symbol) || same_place(w, q);
        for (lhs, rhs) in &parts {
            look(lhs);
            lhs.index_exprs().chain([*rhs]).for_each(|e| e.for_each_ref(&mut look));
        }
        if !independent {
            return None;
        }
    }
    // Bounds that the loop changes would be others when read again.
    let mut steady = true;
    let mut look = |q: &VarRef| steady &= !parts.iter().any(|(w, _)| (v.overlap)(w.symbol, q.symbol));
    r.first.for_each_ref(&mut look);
    r.bound.for_each_ref(&mut look);
    if !steady {
        return None;
    }
    Some(for_loop(Fold { program: v.program }, r.index, r.bound, r.first, Expr::int(1)))
}
