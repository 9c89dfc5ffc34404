//! What was decided about a unit: what is executed, reversed, recorded, brought back.
//!
//! Lives here: the answers. Never here: how they are found (see [`super::recorded`], [`super::fusion`], [`super::checkpoints`]).

use super::flow::{Id, Step, Var};
use crate::analysis::dataflow::bits::Bits;
use rustc_hash::{FxHashMap, FxHashSet};

/// Fused loops: for each what is added to the numbers inside it in the forward sweep.
pub type Shifts = FxHashMap<Id, Id>;

/// The decisions.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    pub(super) live: Bits,
    pub(super) adjoint: Bits,
    pub(super) recorded: FxHashSet<(Id, Var)>,
    pub(super) undone: Bits,
    pub(super) kept: FxHashMap<Id, Vec<Var>>,
    pub(super) saved: FxHashMap<Id, Vec<Var>>,
    pub(super) states: FxHashMap<Id, Vec<Var>>,
    pub(super) snapshots: FxHashMap<Id, Vec<Var>>,
    pub(super) reset: FxHashMap<Id, Vec<Var>>,
    /// Checkpointed loops in which something is run again that must happen once only.
    pub repeated: Vec<Id>,
    /// Variables whose values at the end of the forward sweep the reverse sweep reads.
    pub at_end: Vec<Var>,
    /// Variables whose values on entry the adjoint reads.
    pub on_entry: Vec<Var>,
}

impl Decisions {
    /// Whether the forward sweep executes it: a step, a loop or a branch with something in it that is executed.
    pub fn live(&self, id: Id) -> bool {
        self.live.has(id)
    }

    /// Whether the reverse sweep has something to do for it: adjoint statements, or values to bring back.
    pub fn reversed(&self, id: Id) -> bool {
        self.adjoint.has(id)
    }

    /// Whether the old value of what a step writes is recorded; for a counted loop the variable is its index.
    pub fn recorded(&self, id: Id, var: Var) -> bool {
        self.recorded.contains(&(id, var))
    }

    /// Whether the reverse sweep puts an old value of a variable back somewhere.
    pub fn brings_back(&self, var: Var) -> bool {
        let lists = self.kept.values().chain(self.saved.values()).chain(self.states.values()).chain(self.snapshots.values());
        self.recorded.iter().any(|&(_, v)| v == var) || lists.flatten().any(|&v| v == var)
    }

    /// Whether the reverse sweep finds the old value of what a step writes from the new one.
    pub fn undone(&self, id: Id) -> bool {
        self.undone.has(id)
    }

    /// The variables that a snapshot of a checkpointed loop holds.
    pub fn snapshot(&self, id: Id) -> &[Var] {
        self.snapshots.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The variables that have their values from before a checkpointed loop when it is reversed: they come back from its first snapshot.
    pub fn reset(&self, id: Id) -> &[Var] {
        self.reset.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The variables whose values from before a fused or checkpointed loop are recorded.
    pub fn saved(&self, id: Id) -> &[Var] {
        self.saved.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The variables whose values are recorded at the start of each iteration of a fused loop.
    pub fn state(&self, id: Id) -> &[Var] {
        self.states.get(&id).map_or(&[], Vec::as_slice)
    }

    /// How many values a step records.
    pub(super) fn records(&self, step: &Step) -> usize {
        step.writes.iter().filter(|w| self.recorded(step.id, w.var)).count() + step.spent().len()
    }

    /// What the reverse sweep itself must save before the adjoint of this step or loop and bring back behind it.
    pub fn kept(&self, id: Id) -> &[Var] {
        self.kept.get(&id).map_or(&[], Vec::as_slice)
    }
}
