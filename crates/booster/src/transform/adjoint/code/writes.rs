//! Where in a unit's code variables are written.
//!
//! Lives here: the places, by the numbers of items. Never here: what follows from them.

use super::tree::{Item, ItemId, ItemKind, LoopKind};
use rustc_hash::FxHashMap;
use xaif::model::{StmtKind, SymbolId};

/// Where variables are written: for each the items, in text order.
#[derive(Debug, Default)]
pub(crate) struct Places(FxHashMap<SymbolId, Vec<ItemId>>);

impl Places {
    pub(crate) fn add(&mut self, s: SymbolId, id: ItemId) {
        let list = self.0.entry(s).or_default();
        if list.last() != Some(&id) {
            list.push(id);
        }
    }

    /// The variables that one item writes, and no other.
    pub fn once(&self) -> impl Iterator<Item = SymbolId> {
        self.0.iter().filter(|(_, list)| list.len() == 1).map(|(s, _)| *s)
    }

    /// How many items write the variable.
    pub fn count(&self, s: SymbolId) -> usize {
        self.0.get(&s).map_or(0, Vec::len)
    }

    /// The first item behind `after` that writes the variable.
    pub fn next(&self, s: SymbolId, after: ItemId) -> Option<ItemId> {
        let list = self.0.get(&s)?;
        list.get(list.partition_point(|&i| i <= after)).copied()
    }

    /// Whether the variable is written anywhere.
    pub fn contains(&self, s: SymbolId) -> bool {
        self.0.contains_key(&s)
    }

    /// Whether the variable is written behind item `after` and not behind item `upto`.
    pub fn any(&self, s: SymbolId, after: ItemId, upto: ItemId) -> bool {
        self.next(s, after).is_some_and(|i| i <= upto)
    }

    /// The items among these that write the variable.
    pub fn within(&self, s: SymbolId, (first, last): (ItemId, ItemId)) -> &[ItemId] {
        let Some(list) = self.0.get(&s) else { return &[] };
        let from = list.partition_point(|&i| i < first);
        &list[from..from.max(list.partition_point(|&i| i <= last))]
    }

    /// Whether the variable is written in these items.
    pub fn any_in(&self, s: SymbolId, (first, last): (ItemId, ItemId)) -> bool {
        let Some(list) = self.0.get(&s) else { return false };
        list.get(list.partition_point(|&i| i < first)).is_some_and(|&i| i <= last)
    }
}

/// Collects where variables are written; `writes` tells it for statements other than assignments.
pub(crate) fn places(items: &[Item], writes: &mut dyn FnMut(&xaif::model::Stmt) -> Vec<SymbolId>, out: &mut Places) {
    for item in items {
        match &item.kind {
            ItemKind::Stmt(s) => match &s.kind {
                StmtKind::Assignment { lhs, .. } => out.add(lhs.symbol, item.id),
                _ => writes(s).into_iter().for_each(|w| out.add(w, item.id)),
            },
            ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| places(&a.body, writes, out)),
            ItemKind::Loop { kind, body, .. } => {
                if let LoopKind::For(f) = kind
                    && let StmtKind::Assignment { lhs, .. } = &f.init.kind
                {
                    out.add(lhs.symbol, item.id);
                }
                places(body, writes, out);
            }
        }
    }
}

/// What may overlap what, as the unit sees it.
pub(crate) trait Overlap {
    /// All variables that may share memory with this one, itself included.
    fn sharing(&self, s: SymbolId) -> Vec<SymbolId>;
}
