//! The statements of a unit: as constructs where the graph nests, else with labels and jumps.
//!
//! Lives here: the choice between the two. Never here: either of them.

use super::{structured, unstructured};
use crate::unparse::nesting::nested::nested;
use crate::unparse::statements::body::Body;
use xaif::model::Unit;

/// Prints the statements of a unit.
pub fn body<'p>(b: &mut Body<'_, 'p>, unit: &'p Unit) {
    match nested(b.w.cx.program, unit) {
        Some((tree, plan)) => structured::body(b, unit, &tree, plan),
        None => unstructured::body(b, unit),
    }
}
