//! Loops of the reverse sweep whose iterations are independent run upward.
//!
//! ```text
//! for (i = n - 2; i >= 1; i--)              for (i = 1; i <= n - 2; i++)
//!   ub[i] = c * x[i] * vb[i];       ->        ub[i] = c * x[i] * vb[i];
//! ```
//!
//! Reversal turns every loop around. Where no iteration touches what another one sets, but to add to it, any order is right, and compilers like one best: a loop
//! that runs downward turns every vector around that it loads or stores, and a loop that copies is a copy of memory only where it runs upward.
//!
//! A loop is turned only where each variable that it sets is
//!
//! * a scalar that each iteration sets before it reads it, and that nobody reads behind the loop, or
//! * one of which every iteration has elements of its own ([`Iterations::keeps_apart`]), or to which all iterations only add,
//!
//! and where it sets adjoints: the original's loops stay as they are. It is nobody's business what the index is left as.
//!
//! Lives here: this change of finished loops that run downward. Never here: other changes of their order.

use crate::analysis::accesses::dependence::has_calls;
use crate::analysis::arrays::counted::{for_loop, range};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::iterations::{Iterations, Number};
use crate::transform::adjoint::code::liveness;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind, has_loop};
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{Expr, ForLoop, Passing, Storage, SymbolId};

/// What is known of variables.
pub(crate) struct Variables<'a> {
    /// The program.
    pub program: &'a Program,
    /// Whether two variables may share memory.
    pub overlap: &'a dyn Fn(SymbolId, SymbolId) -> bool,
    /// Variables of the derivative unit's own, of which nobody knows anything outside of it.
    pub own: &'a dyn Fn(SymbolId) -> bool,
    /// Adjoint variables: loops that set nothing else may be the original's.
    pub adjoint: &'a FxHashSet<SymbolId>,
}

/// Turns loops that run downward around where their iterations are independent.
pub(crate) fn loops(v: &Variables, items: &mut [Item]) {
    turn(v, items, &FxHashSet::default(), &[]);
}

/// The same for code behind which some scalars are read, inside of loops whose heads say that some sums are never negative.
fn turn(v: &Variables, items: &mut [Item], after: &FxHashSet<SymbolId>, known: &[Number]) {
    let mut live = after.clone();
    for item in items.iter_mut().rev() {
        match &mut item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| turn(v, &mut a.body, &live, known)),
            ItemKind::Loop { kind, body, .. } => {
                let mut said = known.to_vec();
                // What the head says is for loops inside.
                if let LoopKind::For(head) = kind
                    && (runs_down(v, head) || body.iter().any(has_loop))
                    && let Some(found) = Iterations::of(v.program, head, body, v.overlap).map(|l| l.within(known))
                {
                    said = found.said(v.program, &|s| is_steady(v, &found, s));
                    if let Some(turned) = turned(v, (head, body), &found, &live) {
                        **head = turned;
                    }
                }
                let around = liveness::around(kind, body, &live);
                turn(v, body, &around, &said);
            }
        }
        liveness::item(item, &mut live);
    }
}

/// Whether the index goes down one by one.
fn runs_down(v: &Variables, head: &ForLoop) -> bool {
    range(v.program, head).is_some_and(|r| r.stride.as_int() == Some(-1))
}

/// Whether nothing in a loop changes a variable by another name.
pub(super) fn is_steady(v: &Variables, loop_: &Iterations, s: SymbolId) -> bool {
    let value = |y: &xaif::model::Symbol| *y.storage() == Storage::Argument && y.passing() == Passing::Value;
    (!loop_.reaches_out || (v.own)(s) || value(v.program.symbol(s))) && loop_.set().all(|o| !(v.overlap)(o, s))
}

/// The head of the loop in the other direction, if it runs downward and its iterations are independent.
fn turned(v: &Variables, (head, body): (&ForLoop, &[Item]), loop_: &Iterations, after: &FxHashSet<SymbolId>) -> Option<ForLoop> {
    // Unsigned indices have bounds that wrap around; and a bound is evaluated in each iteration, where the first value was evaluated once.
    let unsigned = |s: SymbolId| v.program.symbol(s).has_attribute("unsigned");
    let plain = |e: &Expr| !has_calls(e) && e.refs().all(|q| q.subscripts.is_empty());
    let r = range(v.program, head).filter(|r| r.stride.as_int() == Some(-1) && !unsigned(r.index) && plain(&r.first))?;
    if loop_.reaches_out {
        return None;
    }
    let mut exposed = FxHashSet::default();
    liveness::backward(body, &mut exposed);
    let private = |s: SymbolId| {
        let y = v.program.symbol(s);
        let local = y.rank == 0 && matches!(y.storage(), Storage::Local) && (v.own)(s);
        local && !exposed.contains(&s) && !after.contains(&s)
    };
    // The indices are left as other values, and a loop that sets no adjoint may be there for that.
    if loop_.indices().any(|s| after.contains(&s) || (s != r.index && exposed.contains(&s)))
        || !loop_.set().any(|s| v.adjoint.contains(&s) && !private(s))
    {
        return None;
    }
    // Bounds that the loop changes would be others when read again.
    let named = |s: SymbolId, e: &Expr| {
        let mut found = false;
        e.for_each_ref(&mut |q| found |= q.symbol == s || (v.overlap)(s, q.symbol));
        found
    };
    let steady = |o: SymbolId| is_steady(v, loop_, o);
    let fits =
        |s: SymbolId| !named(s, &r.first) && !named(s, &r.bound) && (private(s) || loop_.keeps_apart(v.program, s, &steady, v.overlap));
    loop_.set().all(fits).then(|| for_loop(Fold { program: v.program }, r.index, r.bound, r.first, Expr::int(1)))
}
