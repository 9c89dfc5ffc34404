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

use crate::transform::adjoint::code::mentions;
use crate::transform::adjoint::code::mentions::for_each_mention;
use crate::transform::adjoint::code::tree::{Item, ItemKind, for_each_stmt};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{MarkerClass, StmtKind, SymbolId};

/// Moves deallocations of arrays that share memory with nothing (`alone`), and allocations of those that are no variables of the original (`new`).
pub(crate) fn tightened(items: Vec<Item>, alone: &dyn Fn(SymbolId) -> bool, new: &dyn Fn(SymbolId) -> bool) -> Vec<Item> {
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
        for_each_mention(std::slice::from_ref(item), &mut |s| {
            if let Some(life) = lives.get_mut(&s).filter(|l| k != l.allocations[0] && k != l.frees[0]) {
                life.used = Some(life.used.map_or((k, k), |(first, _)| (first, k)));
            }
        });
    }
    let settings = settings(&items, lives.values().map(|l| &items[l.allocations[0]]));
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
        let between = |places: &Vec<usize>| places.get(places.partition_point(|&k| k <= allocated)).is_some_and(|&k| k < first);
        let mut kept = new(s);
        // An array that the bounds ask may be freed earlier, too.
        for_each_mention(std::slice::from_ref(&items[allocated]), &mut |b| {
            kept &= !settings.get(&b).is_some_and(between) && (b == s || !lives.contains_key(&b));
        });
        if kept {
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

/// Which items may set what the bounds in some allocations are computed from, in order.
fn settings<'a>(items: &'a [Item], allocations: impl Iterator<Item = &'a Item>) -> FxHashMap<SymbolId, Vec<usize>> {
    let mut found: FxHashMap<SymbolId, Vec<usize>> = FxHashMap::default();
    for allocation in allocations {
        for_each_mention(std::slice::from_ref(allocation), &mut |b| {
            found.entry(b).or_default();
        });
    }
    for (k, item) in items.iter().enumerate() {
        let mut set = |s: SymbolId| {
            if let Some(places) = found.get_mut(&s).filter(|p| p.last() != Some(&k)) {
                places.push(k);
            }
        };
        for_each_stmt(std::slice::from_ref(item), &mut |s| match &s.kind {
            StmtKind::Assignment { lhs, .. } => set(lhs.symbol),
            StmtKind::Marker(m) => m.writes.iter().copied().chain(m.object.iter().map(|o| o.symbol)).for_each(&mut set),
            StmtKind::Call(_) | StmtKind::Runtime { .. } => mentions::in_stmt(s, &mut set),
            StmtKind::Propagator(_) => {}
        });
    }
    found
}
