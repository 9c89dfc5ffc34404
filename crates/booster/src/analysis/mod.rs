//! Facts about a program: pure functions from the program to side tables.
//!
//! * [`objects`]: which symbols are the same storage, and which outlive a call,
//! * [`table`]: units compiled to compact steps, for whoever iterates over them; [`steps`]: the handles by which facts about them are kept,
//! * [`equations`]: how data-flow equations are solved,
//! * [`effects`]: what a unit reads and writes, its callees included,
//! * [`outside`]: what unknown units reach, keep and give back; [`escapes`]: derivatives that are lost there,
//! * [`aliases`]: what may overlap,
//! * [`kept`]: what static variables carry from one call to the next,
//! * [`activity`]: what has a derivative, `parts`: which parts of arrays it tells apart; [`patterns`]: calls that would rather have a unit of their own,
//! * [`recorded`], [`fusion`], [`checkpoints`]: what an adjoint executes, records, and computes again,
//! * [`chains`]: which definitions a use meets,
//! * [`overwritten`]: what an adjoint leaves overwritten; [`reasons`]: why something is recorded,
//! * [`dependence`]: which statements must keep their order; [`regions`]: parts of arrays, [`fresh`]: those that code sets before it reads them,
//! * [`refusals`]: what activity cannot be followed through; `rounded`: where derivatives end in whole numbers.
//!
//! Never here: changes of the program.

pub mod accesses;
pub mod activity;
pub mod addresses;
pub mod aliases;
pub mod bits;
pub mod chains;
pub mod checkpoints;
pub(crate) mod counted;
mod covered;
pub mod dependence;
pub mod effects;
pub(crate) mod equations;
pub mod escapes;
pub(crate) mod fresh;
pub mod fusion;
pub(crate) mod handed;
pub mod heads;
pub(crate) mod inequalities;
pub mod kept;
pub mod objects;
pub(crate) mod outline;
pub mod outside;
pub mod overwritten;
mod parts;
pub mod patterns;
pub(crate) mod reach;
pub mod reasons;
pub mod recorded;
pub mod refusals;
pub mod regions;
mod rounded;
pub mod steps;
mod storage;
pub mod table;

pub use activity::Activity;
pub use aliases::Aliases;
pub use effects::Effects;
pub use kept::Kept;
pub use objects::Objects;

use crate::rules::declare::Externals;
use rustc_hash::{FxHashMap, FxHashSet};
use table::UnitTable;
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
        let tables = table::compile(program, &objects);
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

#[cfg(test)]
mod tests;
