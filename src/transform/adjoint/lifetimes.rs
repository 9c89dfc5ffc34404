//! Arrays of the unit's own: freed as early as can be, adjoints allocated as late as can be.
//!
//! ```text
//! allocate (un(n)), allocate (unb(n))        allocate (un(n))
//! forward sweep, which uses un               forward sweep
//! reverse sweep, which uses unb        ->    deallocate (un)
//! deallocate (unb), deallocate (un)          allocate (unb(n))
//!                                            reverse sweep
//!                                            deallocate (unb)
//! ```
//!
//! Values and adjoints of work arrays are then not held at the same time where they need not be: half the memory where nothing of the arrays is recorded.
//! An array that neither sweep uses is not allocated. Only what stands outside of all loops and branches moves, past code that neither names the array nor sets what its bounds are computed from.
//!
//! Lives here: this change of a finished adjoint. Never here: which arrays are allocated.

use super::tree::{Item, ItemKind, for_each_stmt};
use super::zeros::mentioned;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{MarkerClass, StmtKind, SymbolId};

/// Moves deallocations of arrays that share memory with nothing (`alone`), and allocations of those that are no variables of the original (`new`).
pub(super) fn tightened(items: Vec<Item>, alone: &dyn Fn(SymbolId) -> bool, new: &dyn Fn(SymbolId) -> bool) -> Vec<Item> {
    let mut lives: FxHashMap<SymbolId, Life> = FxHashMap::default();
    for (k, item) in items.iter().enumerate() {
        for_each_stmt(std::slice::from_ref(item), &mut |s| {
            if let StmtKind::Marker(m) = &s.kind
                && let Some(object) = &m.object
            {
                let life = lives.entry(object.symbol).or_default();
                match m.class {
                    MarkerClass::Allocate => life.allocations.push(k),
                    MarkerClass::Deallocate => life.frees.push(k),
                    _ => {}
                }
            }
        });
    }
    let outside = |k: usize| matches!(items[k].kind, ItemKind::Stmt(_));
    lives.retain(|&s, l| l.allocations.len() == 1 && l.frees.len() == 1 && outside(l.allocations[0]) && outside(l.frees[0]) && alone(s));
    if lives.is_empty() {
        return items;
    }
    for (k, item) in items.iter().enumerate() {
        let mut named = FxHashSet::default();
        mentioned(std::slice::from_ref(item), &mut named);
        for s in &named {
            if let Some(life) = lives.get_mut(s).filter(|l| k != l.allocations[0] && k != l.frees[0]) {
                life.used = Some(life.used.map_or((k, k), |(first, _)| (first, k)));
            }
        }
    }
    // Where each item goes: behind this one, and before others that go there.
    let mut to: Vec<(usize, u8)> = (0..items.len()).map(|k| (k, 1)).collect();
    let mut idle: FxHashSet<usize> = FxHashSet::default();
    for (&s, Life { allocations, frees, used }) in &lives {
        let (allocated, freed) = (allocations[0], frees[0]);
        let Some((first, last)) = *used else {
            idle.extend([allocated, freed]);
            continue;
        };
        if allocated >= first || last >= freed {
            continue;
        }
        if new(s) && items[allocated + 1..first].iter().all(|between| !sets_bounds(between, &items[allocated])) {
            to[allocated] = (first, 0);
        }
        to[freed] = (last, 2);
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&k| to[k]);
    let mut rest: Vec<Option<Item>> = items.into_iter().map(Some).collect();
    order.into_iter().filter(|k| !idle.contains(k)).filter_map(|k| rest[k].take()).collect()
}

/// Where an array is allocated, freed, and first and last named besides.
#[derive(Default)]
struct Life {
    allocations: Vec<usize>,
    frees: Vec<usize>,
    used: Option<(usize, usize)>,
}

/// Whether some code may set what the bounds in an allocation are computed from.
fn sets_bounds(code: &Item, allocation: &Item) -> bool {
    let mut bounds = FxHashSet::default();
    mentioned(std::slice::from_ref(allocation), &mut bounds);
    let mut sets = false;
    for_each_stmt(std::slice::from_ref(code), &mut |s| match &s.kind {
        StmtKind::Assignment { lhs, .. } => sets |= bounds.contains(&lhs.symbol),
        StmtKind::Marker(m) => sets |= m.writes.iter().chain(m.object.iter().map(|o| &o.symbol)).any(|s| bounds.contains(s)),
        StmtKind::Call(_) | StmtKind::Runtime { .. } => super::zeros::in_stmt(s, &mut |v| sets |= bounds.contains(&v)),
        StmtKind::Propagator(_) => {}
    });
    sets
}
