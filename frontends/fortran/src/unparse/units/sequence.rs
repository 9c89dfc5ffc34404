//! Units in document order, each derivative behind the unit that it was derived from.
//!
//! Lives here: the order. Never here: text.

use crate::unparse::facts::context::Context;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::UnitId;

/// The procedures that stand inside a procedure, derivatives behind what they were derived from.
pub fn children(cx: &Context, unit: UnitId) -> Vec<UnitId> {
    in_order(cx, |u| cx.host(u) == Some(unit))
}

/// Units in document order, each derivative behind the unit that it was derived from.
pub fn in_order(cx: &Context, wanted: impl Fn(UnitId) -> bool) -> Vec<UnitId> {
    let program = cx.program;
    let all: Vec<UnitId> = program.unit_ids().filter(|&u| wanted(u) && !cx.is_open(u)).collect();
    let known: FxHashSet<UnitId> = all.iter().copied().collect();
    let origin = |u: UnitId| program.unit(u).derivation.map(|d| d.of).filter(|o| known.contains(o) && *o != u);
    let mut derived: FxHashMap<UnitId, Vec<UnitId>> = FxHashMap::default();
    for &u in &all {
        if let Some(o) = origin(u) {
            derived.entry(o).or_default().push(u);
        }
    }
    let mut out = Vec::new();
    let mut seen = FxHashSet::default();
    fn place(u: UnitId, derived: &FxHashMap<UnitId, Vec<UnitId>>, seen: &mut FxHashSet<UnitId>, out: &mut Vec<UnitId>) {
        // Derivatives of derivatives nest as deep as the tool was applied.
        if seen.insert(u) {
            out.push(u);
            for &d in derived.get(&u).into_iter().flatten() {
                place(d, derived, seen, out);
            }
        }
    }
    for &u in &all {
        if origin(u).is_none() {
            place(u, &derived, &mut seen, &mut out);
        }
    }
    out.extend(all.iter().copied().filter(|u| !seen.contains(u)));
    out
}
