//! The order in which loops in gather form take their rounds.
//!
//! ```text
//! do i = 3, n - 2                                                do i = n - 2, 3, -1
//!   ub(i) = c*u_tape(i + 1, t)*vb(i + 1) + vb(i - 1)      ->       ub(i) = c*u_tape(i + 1, t)*vb(i + 1) + vb(i - 1)
//! end do                                                         end do
//! ```
//!
//! Their rounds are independent, so any order is right. Records are best read in the reverse of the order in which they were written: that is one stream through memory, over
//! all rounds of the loops around, and what was written last is still in a cache. Loops that read no records stay upward, where compilers need not turn vectors around.
//!
//! A loop is turned only where every assignment goes to an array element whose subscript moves with the index, and nothing that the loop reads or sets
//! may share memory with such an array, but for the very same element of the same round. What the index is left as is nobody's business in the reverse sweep.
//!
//! Lives here: this change of finished loops that read records. Never here: other changes of their order.

use super::gather::varying;
use super::loops::for_loop;
use super::statements::same_place;
use super::tree::{Item, ItemKind, LoopKind};
use crate::analysis::counted::range;
use crate::linearize::fold::Fold;
use xaif::Program;
use xaif::model::{Expr, ForLoop, NodeKind, StmtKind, SymbolId, VarRef};

/// What is known of variables.
pub(super) struct Variables<'a> {
    /// The program.
    pub program: &'a Program,
    /// Whether two variables may share memory.
    pub overlap: &'a dyn Fn(SymbolId, SymbolId) -> bool,
    /// Heads of loops that ran downward before they were brought into gather form.
    pub upward: &'a [ForLoop],
    /// Whether a variable holds records.
    pub recorded: &'a dyn Fn(SymbolId) -> bool,
}

/// Turns loops that read records around where their rounds are independent.
pub(super) fn as_recorded(v: &Variables, items: &mut [Item]) {
    for item in items {
        match &mut item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| as_recorded(v, &mut a.body)),
            ItemKind::Loop { kind, body, .. } => {
                if let LoopKind::For(head) = kind
                    && v.upward.contains(head)
                    && let Some(turned) = turned(v, head, body)
                {
                    **head = turned;
                } else {
                    as_recorded(v, body);
                }
            }
        }
    }
}

/// The head of the loop in the other direction, if it gains by that and is the same loop.
fn turned(v: &Variables, head: &ForLoop, body: &[Item]) -> Option<ForLoop> {
    // An unsigned index does not count down past zero.
    let unsigned = |s: SymbolId| v.program.symbol(s).has_attribute("unsigned");
    let parts: Vec<(&VarRef, &Expr)> = body.iter().map(assignment).collect::<Option<_>>()?;
    let r = range(v.program, head).filter(|r| r.stride.as_int() == Some(1) && !unsigned(r.index))?;
    // What a function reads is not seen here.
    if parts.iter().any(|(_, e)| e.nodes.iter().any(|n| matches!(n.kind, NodeKind::FunctionCall(_)))) {
        return None;
    }
    let is_record = |q: &VarRef| (v.recorded)(q.symbol) && varying(q, r.index).is_some();
    if !parts.iter().any(|(_, e)| e.refs().any(is_record)) {
        return None;
    }
    for (w, _) in &parts {
        varying(w, r.index)?;
        let mut independent = true;
        let mut look = |q: &VarRef| independent &= !(v.overlap)(w.symbol, q.symbol) || same_place(w, q);
        for (lhs, rhs) in &parts {
            look(lhs);
            lhs.index_exprs().chain([*rhs]).for_each(|e| e.for_each_ref(&mut look));
        }
        // Bounds that the loop changes would be others when read again.
        let mut bound = |q: &VarRef| independent &= !(v.overlap)(w.symbol, q.symbol);
        r.first.for_each_ref(&mut bound);
        r.bound.for_each_ref(&mut bound);
        if !independent {
            return None;
        }
    }
    Some(for_loop(Fold { program: v.program }, r.index, r.bound, r.first, Expr::int(-1)))
}

fn assignment(item: &Item) -> Option<(&VarRef, &Expr)> {
    match &item.kind {
        ItemKind::Stmt(s) => match &s.kind {
            StmtKind::Assignment { lhs, rhs } => Some((lhs, rhs)),
            _ => None,
        },
        _ => None,
    }
}
