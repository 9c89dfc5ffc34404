//! Whether an array statement may be written as a loop at once: no element of its left side is read after that loop has set it.
//!
//! ```text
//! m(k+1:n, j) = m(k+1:n, j) - m(k+1:n, k)*m(k, j)     the same rows; row k is none of them: no temporary array
//! u(2:n) = u(3:n+1)                                   what is read is set later: none either
//! u(2:n) = u(1:n-1)                                   what is read has been set: a temporary array
//! ```
//!
//! Lives here: the comparison of two references. Never here: the loops.

use crate::linearize::places::offset;
use xaif::Program;
use xaif::model::{Expr, IndexOrder, Triplet, VarRef};

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
    let mut pairs: Vec<(&Triplet, &Triplet)> = target.subscripts.iter().zip(&read.subscripts).collect();
    if pairs.iter().any(|(t, r)| t.is_section() && apart(t, r)) {
        return false;
    }
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

/// How far `to` is above `from`, where that is a number.
fn distance(from: &Expr, to: &Expr) -> Option<i64> {
    let ((a, m), (b, n)) = (offset(from), offset(to));
    (a == b).then(|| n.checked_sub(m)).flatten()
}

fn is_unit(t: &Triplet) -> bool {
    t.stride.as_ref().is_none_or(|s| s.as_int() == Some(1))
}

/// Whether a subscript has nothing of another one of the same dimension.
fn apart(one: &Triplet, other: &Triplet) -> bool {
    if !is_unit(one) || !is_unit(other) {
        return false;
    }
    let highest = |t: &Triplet| if t.is_section() { t.bound.clone() } else { t.index.clone() };
    let above = |from: Option<Expr>, to: Option<&Expr>| matches!((from, to), (Some(f), Some(t)) if distance(&f, t).is_some_and(|d| d > 0));
    above(highest(other), one.index.as_ref()) || above(highest(one), other.index.as_ref())
}

/// Whether two references to elements or sections of one array have nothing in common, as far as the text of their subscripts tells.
pub(crate) fn have_nothing_in_common(one: &VarRef, other: &VarRef) -> bool {
    one.subscripts.len() == other.subscripts.len() && one.subscripts.iter().zip(&other.subscripts).any(|(a, b)| apart(a, b))
}

/// By how many elements what an iteration reads lies before what it sets; `None`: that is not a number.
fn ahead(target: &Triplet, read: &Triplet) -> Option<i64> {
    (is_unit(target) && is_unit(read)).then_some(())?;
    distance(target.index.as_ref()?, read.index.as_ref()?)
}
