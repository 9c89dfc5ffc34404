//! The answer: what is varied, useful and active, by units and steps.
//!
//! Lives here: the answer, and questions to it. Never here: how it is found (see [`super::solver`]).

use crate::analysis::facts::Facts;
use std::collections::{BTreeMap, BTreeSet};
use xaif::Program;
use xaif::model::{StepId, SymbolId, UnitId, VarRef};

/// What is known of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepFacts {
    /// An assignment's value depends on an independent; something active is read or changed by a call.
    pub varied: bool,
    /// What is assigned influences a dependent later on; likewise something a call writes.
    pub useful: bool,
}

impl StepFacts {
    /// What holds where nothing is known.
    pub const COUNTS: StepFacts = StepFacts { varied: true, useful: true };
}

/// References to parts that have no derivative although their arrays have, by step.
pub type Passive = BTreeMap<StepId, Vec<VarRef>>;

/// What goes through an unknown step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Escape {
    /// What varies of that which it may read.
    pub given: Vec<SymbolId>,
    /// What it gives may come from what others got.
    pub gives: bool,
    /// What is useful of that which it may write.
    pub back: Vec<SymbolId>,
    /// What it gets may come back by others.
    pub takes: bool,
}

impl Escape {
    /// Whether a derivative would have to go through.
    pub fn is_lost(&self) -> bool {
        (self.gives || !self.given.is_empty()) && (self.takes || !self.back.is_empty())
    }
}

/// What is known of a unit.
#[derive(Clone, Debug, Default)]
pub struct UnitActivity {
    /// The active objects: canonical symbols.
    pub active: BTreeSet<SymbolId>,
    /// Varied where the unit is entered.
    pub entry_varied: BTreeSet<SymbolId>,
    /// Useful where the unit is entered.
    pub entry_useful: BTreeSet<SymbolId>,
    /// Varied where the unit is left.
    pub exit_varied: BTreeSet<SymbolId>,
    /// Useful where the unit is left.
    pub exit_useful: BTreeSet<SymbolId>,
    /// By the numbers of steps.
    pub(super) steps: Vec<StepFacts>,
    /// References to parts of active arrays that are never active themselves, by assignments.
    pub passive: Passive,
    /// What unknown units and statements kept as text get varied and give back useful, by vertex and step.
    pub escapes: BTreeMap<(usize, usize), Escape>,
}

/// How a formal argument takes part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormalActivity {
    /// It has a derivative in the unit.
    pub active: bool,
    /// Its derivative on entry counts.
    pub input: bool,
    /// Its derivative on exit counts.
    pub output: bool,
}

/// The activity of a program under its heads.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    pub(super) units: Vec<Option<UnitActivity>>,
    pub(super) canonical: Vec<SymbolId>,
    pub(super) everything: bool,
}

impl Activity {
    fn canonical(&self, symbol: SymbolId) -> SymbolId {
        self.canonical.get(symbol.index()).copied().unwrap_or(symbol)
    }

    /// What is known of a unit, if a head reaches it.
    pub fn unit(&self, unit: UnitId) -> Option<&UnitActivity> {
        self.units.get(unit.index()).and_then(Option::as_ref)
    }

    /// True where the object is varied and useful at some point of the unit.
    pub fn is_active(&self, unit: UnitId, symbol: SymbolId) -> bool {
        self.unit(unit).is_some_and(|u| u.active.contains(&self.canonical(symbol)))
    }

    /// The units that heads reach, in document order.
    pub fn reached(&self) -> impl Iterator<Item = UnitId> + '_ {
        (0..self.units.len() as u32).map(UnitId).filter(|&u| self.unit(u).is_some())
    }

    /// True where the unit has anything active, so that calls of it have to be differentiated.
    pub fn is_differentiated(&self, unit: UnitId) -> bool {
        self.unit(unit).is_some_and(|u| self.everything || !u.active.is_empty())
    }

    /// What is known of a step of a unit, or of the statement of a derivative unit that carries its handle. A statement without one is no copy of any: it counts, as far
    /// as its variables do. In a unit that no head reaches nothing counts.
    pub fn step(&self, unit: UnitId, step: Option<StepId>) -> StepFacts {
        let Some(known) = self.unit(unit) else { return StepFacts::default() };
        step.and_then(|s| known.steps.get(s.index()).copied()).unwrap_or(StepFacts::COUNTS)
    }

    /// How a formal of a unit takes part.
    pub fn formal(&self, program: &Program, unit: UnitId, index: usize) -> FormalActivity {
        let Some((u, f)) = self.unit(unit).zip(program.unit(unit).formals.get(index)) else { return FormalActivity::default() };
        let s = self.canonical(f.symbol);
        FormalActivity {
            active: u.active.contains(&s),
            input: u.entry_varied.contains(&s) && u.entry_useful.contains(&s),
            output: u.exit_varied.contains(&s) && u.exit_useful.contains(&s),
        }
    }

    /// Whether this is what a file's flags say.
    pub fn is_flagged(&self) -> bool {
        self.everything
    }

    /// The active objects that outlive calls, of all units: canonical symbols.
    pub fn active_shared(&self, facts: &Facts) -> BTreeSet<SymbolId> {
        self.units.iter().flatten().flat_map(|u| u.active.iter().copied()).filter(|&s| facts.objects.outlives_call(s)).collect()
    }
}
