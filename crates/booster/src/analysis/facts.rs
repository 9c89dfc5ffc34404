//! The facts that both modes start from and that do not depend on what is differentiated.
//!
//! Lives here: their order. Never here: any analysis.

use crate::analysis::effects::aliases::Aliases;
use crate::analysis::effects::kept::Kept;
use crate::analysis::effects::side_effects::Effects;
use crate::analysis::program::objects::Objects;
use crate::analysis::program::table::UnitTable;
use crate::analysis::program::tables;
use crate::rules::declare::Externals;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::UnitId;

/// The facts that both modes start from and that do not depend on what is differentiated.
#[derive(Debug)]
pub struct Facts {
    /// Storage.
    pub objects: Objects,
    /// Units as steps, one for each unit.
    pub tables: Vec<UnitTable>,
    /// Side effects.
    pub effects: Effects,
    /// Overlaps.
    pub aliases: Aliases,
    /// Static variables.
    pub kept: Kept,
    /// Units that rules declare.
    pub externals: Externals,
    /// Units that are copies of others, for some of their calls, with what they are copies of.
    pub variants: FxHashMap<UnitId, UnitId>,
}

impl Facts {
    /// Computes them.
    pub fn of(program: &Program) -> Facts {
        let objects = Objects::of(program);
        let tables = tables::compile(program, &objects);
        let effects = Effects::of(program, &objects, &tables);
        let aliases = Aliases::of(program, &objects, &tables);
        let kept = Kept::of(program, &objects, &tables, &effects);
        Facts { objects, tables, effects, aliases, kept, externals: Externals::default(), variants: FxHashMap::default() }
    }

    /// Whether a unit is another one, or calls it by however many others.
    pub fn leads_to(&self, from: UnitId, to: UnitId) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![from];
        while let Some(u) = open.pop() {
            if u == to {
                return true;
            }
            if seen.insert(u) {
                open.extend(self.tables.get(u.index()).into_iter().flat_map(|t| t.callees.iter().copied()));
            }
        }
        false
    }

    /// Whether calls of a unit lead to others of it.
    pub fn calls_itself(&self, unit: UnitId) -> bool {
        self.tables.get(unit.index()).is_some_and(|t| t.callees.iter().any(|&c| self.leads_to(c, unit)))
    }
}
