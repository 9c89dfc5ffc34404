//! Arrays of which each round of a loop uses one element, its own.
//!
//! ```text
//! do k = 1, n
//!   qs(k) = f(t(k))
//!   c(k) = q(k)*qs(k)          qs, t, c and q: no round sees what another one has written
//! end do
//! ```
//!
//! Lives here: reading that off subscripts. Never here: what follows from it.

use super::gather::varying;
use super::statements::same_place;
use super::tree::{Item, for_each_condition, for_each_stmt};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use xaif::model::{StmtKind, SymbolId, VarRef};

/// The arrays that the body of a counted loop over `index` names with one and the same subscripts only, the index plus a constant among them, in the order of
/// their first use.
pub(crate) fn elements(index: SymbolId, body: &[Item]) -> Vec<SymbolId> {
    let mut found: IndexMap<SymbolId, Option<VarRef>> = IndexMap::new();
    let mut changed: FxHashSet<SymbolId> = FxHashSet::default();
    for_each_stmt(body, &mut |s| match &s.kind {
        StmtKind::Assignment { lhs, .. } => {
            changed.insert(lhs.symbol);
        }
        // Whatever these do, they do it to all of a variable.
        _ => super::zeros::in_stmt(s, &mut |v| {
            changed.insert(v);
            found.insert(v, None);
        }),
    });
    let add = |r: &VarRef, places: &mut IndexMap<SymbolId, Option<VarRef>>| {
        let first = places.entry(r.symbol).or_insert_with(|| varying(r, index).map(|_| r.clone()));
        if first.as_ref().is_some_and(|f| !same_place(f, r)) {
            *first = None;
        }
    };
    for_each_condition(body, &mut |c| c.for_each_ref(&mut |r| add(r, &mut found)));
    for_each_stmt(body, &mut |s| {
        if let StmtKind::Assignment { lhs, rhs } = &s.kind {
            rhs.for_each_ref(&mut |r| add(r, &mut found));
            lhs.index_exprs().for_each(|e| e.for_each_ref(&mut |r| add(r, &mut found)));
            add(lhs, &mut found);
        }
    });
    let steady = |r: &VarRef| {
        let mut fixed = true;
        r.index_exprs().for_each(|e| e.for_each_ref(&mut |v| fixed &= v.symbol == index || !changed.contains(&v.symbol)));
        fixed
    };
    found.into_iter().filter_map(|(s, place)| place.filter(steady).map(|_| s)).collect()
}
