//! Whether an array statement may be written as a loop at once: no element of its left side is read after that loop has set it.
//!
//! ```text
//! m(k+1:n, j) = m(k+1:n, j) - m(k+1:n, k)*m(k, j)     the same rows; row k is none of them: no temporary array
//! u(2:n) = u(3:n+1)                                   what is read is set later: none either
//! u(2:n) = u(1:n-1)                                   what is read has been set: a temporary array
//! ```
//!
//! Lives here: the comparison of two references. Never here: the loops.

use crate::analysis::arrays::regions::{Known, spans};
use crate::linearize::places::offset;
use xaif::Program;
use xaif::model::{IndexOrder, Triplet, VarRef};

/// Whether a reference on the right side to the variable of the left one may read an element after the loop over the left side's elements has set it. The loop
/// goes upward in each dimension, the one that varies fastest innermost.
pub(super) fn reads_what_is_set(program: &Program, target: &VarRef, read: &VarRef) -> bool {
    if target.subscripts == read.subscripts {
        return false;
    }
    if target.subscripts.is_empty() || target.subscripts.len() != read.subscripts.len() {
        return true;
    }
    let vector = |t: &Triplet| !t.is_section() && t.index.as_ref().is_some_and(|e| xaif::types::of(program, e).rank > 0);
    if target.subscripts.iter().chain(&read.subscripts).any(vector) {
        return true;
    }
    // All subscripts are evaluated before anything is set.
    let all = |r: &VarRef| spans(r, &[], &|_| true);
    if Known::default().keep_apart(&all(target), &all(read)) {
        return false;
    }
    let mut pairs: Vec<(&Triplet, &Triplet)> = target.subscripts.iter().zip(&read.subscripts).collect();
    // Outermost first.
    if program.index_order == IndexOrder::Column {
        pairs.reverse();
    }
    for (t, r) in pairs {
        match (t.is_section(), r.is_section()) {
            // Another plane is not set at all, and the same one is no other element.
            (false, false) => {}
            (true, true) if t == r => {}
            (true, true) => match ahead(t, r) {
                Some(d) if d > 0 => return false,
                Some(0) => {}
                _ => return true,
            },
            _ => return true,
        }
    }
    false
}

/// By how many elements what an iteration reads lies before what it sets; `None`: that is not a number.
fn ahead(target: &Triplet, read: &Triplet) -> Option<i64> {
    let by_one = |t: &Triplet| t.stride.as_ref().is_none_or(|s| s.as_int() == Some(1));
    let ((from, m), (to, n)) = (offset(target.index.as_ref()?), offset(read.index.as_ref()?));
    (by_one(target) && by_one(read) && from == to).then(|| n.checked_sub(m)).flatten()
}
