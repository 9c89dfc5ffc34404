//! The code of a unit as the analyses of its reversal see it: nested, over numbered variables.
//!
//! Lives here: its form, and which variables share memory. Never here: what is decided about it.

use crate::analysis::dataflow::bits::Bits;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A variable: its number in the [`Overlaps`].
pub type Var = u32;

/// Some variables of a step, most often a few: units have many steps.
pub type Vars = SmallVec<[Var; 4]>;

/// Number of a step, branch or loop.
pub type Id = u32;

/// A write of one step.
#[derive(Clone, Debug, Default)]
pub struct Write {
    /// The variable.
    pub var: Var,
    /// The whole variable is certainly overwritten.
    pub kills: bool,
    /// Where the adjoint of the step brings things back, it does not bring back this one.
    pub own: bool,
    /// What tells which part is written (subscripts), with the values from before the step.
    pub place: Vars,
    /// All that is certainly overwritten of which the loops around speak: an element that is a slice of a slice of the variable.
    pub fills: bool,
    /// The loop since whose start the adjoints of what comes before this write read nothing that it overwrites.
    pub since: Option<Id>,
    /// That holds only as long as no statement of that loop is run again in the reverse sweep.
    pub unless_again: bool,
}

impl Write {
    /// Behind it nothing is left of what the code around has of the variable.
    pub(super) fn ends(&self) -> bool {
        self.kills || self.fills
    }
}

/// An array of which each iteration of a counted loop reads and writes a part of its own only. It overlaps no other variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The array.
    pub var: Var,
    /// The parts of all iterations together are all of it, or all of the part that the loops around have of it.
    pub all: bool,
}

/// A statement.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Its number.
    pub id: Id,
    /// What it reads.
    pub reads: Vars,
    /// What it writes.
    pub writes: SmallVec<[Write; 1]>,
    /// It is executed whatever needs it (output, stop).
    pub always: bool,
    /// It records the state with which an iteration of a fused loop begins: wherever that loop is run, it does.
    pub records_state: bool,
    /// It has an adjoint statement.
    pub adjoint: bool,
    /// What the adjoint statement reads: values from before the step.
    pub needs: Vars,
    /// The adjoint statement itself brings back all that the step overwrites, but for [`Write::own`] (a call that is
    /// reversed by a split pair).
    pub restores: bool,
    /// What few steps have.
    pub rare: Option<Box<Rare>>,
    /// It may not be executed a second time in the reverse sweep.
    pub once: bool,
    /// It has effects besides what it writes (input, output).
    pub loud: bool,
    /// The value from before it follows from the value from behind it: it is undone, not recorded. It writes one scalar.
    pub undoes: bool,
    /// Operations that it costs, roughly.
    pub cost: u32,
}

/// What few steps have: long code keeps all its steps at once.
#[derive(Clone, Debug, Default)]
pub struct Rare {
    /// See [`Step::clobbers`].
    pub clobbers: Vars,
    /// See [`Step::after`].
    pub after: Vars,
    /// See [`Step::spent`].
    pub spent: Vars,
}

impl Rare {
    /// As a step keeps it.
    pub fn kept(self) -> Option<Box<Rare>> {
        (!(self.clobbers.is_empty() && self.after.is_empty() && self.spent.is_empty())).then(|| Box::new(self))
    }
}

impl Step {
    /// Original variables that the adjoint statement overwrites (the adjoint of a call runs the callee again).
    pub fn clobbers(&self) -> &[Var] {
        self.rare.as_ref().map_or(&[], |r| &r.clobbers)
    }

    /// What the adjoint statement reads with the values from behind the step.
    pub fn after(&self) -> &[Var] {
        self.rare.as_ref().map_or(&[], |r| &r.after)
    }

    /// What nobody but the adjoint statement reads, with the values from here: where a loop is around, they are recorded here.
    pub fn spent(&self) -> &[Var] {
        self.rare.as_ref().map_or(&[], |r| &r.spent)
    }
}

/// Code.
#[derive(Clone, Debug)]
pub enum Flow {
    /// A statement.
    Step(Step),
    /// A branch.
    Branch {
        /// Its number.
        id: Id,
        /// What its condition reads.
        operands: Vec<Var>,
        /// The condition is evaluated again in the reverse sweep.
        recomputed: bool,
        /// The arms; a missing default arm is an empty one.
        arms: Vec<Vec<Flow>>,
    },
    /// A counted loop, reversed over the same index.
    Counted {
        /// Its number.
        id: Id,
        /// The index; nothing in the body writes it.
        index: Var,
        /// What first value, bound and stride read; nothing in the body writes them.
        operands: Vec<Var>,
        /// Arrays of which each iteration reads and writes an element of its own only.
        own: Vec<Var>,
        /// Arrays of which each iteration has a slice of its own.
        slices: Vec<Slice>,
        /// Arrays of which writes have this loop for [`Write::since`].
        histories: Vec<Var>,
        /// Arrays of which an iteration reads only what it has set itself.
        fresh: Vec<Var>,
        /// Arrays of which no iteration touches what another one writes, or all write the same elements before they read.
        apart: Vec<Var>,
        /// The user promises that no iteration reads what another one writes, but to add to it.
        promised: bool,
        /// The body.
        body: Vec<Flow>,
    },
    /// A counted loop whose iterations the reverse sweep runs once more, one by one, each just before its adjoint (see [`super::fusion`]).
    Fused {
        /// Its number.
        id: Id,
        /// The index.
        index: Var,
        /// What first value, bound and stride read.
        operands: Vec<Var>,
        /// As in [`Flow::Counted`].
        slices: Vec<Slice>,
        /// As in [`Flow::Counted`].
        fresh: Vec<Var>,
        /// As in [`Flow::Counted`].
        apart: Vec<Var>,
        /// As in [`Flow::Counted`].
        promised: bool,
        /// The body as the forward sweep has it: with numbers of its own and without adjoints.
        ahead: Vec<Flow>,
        /// The body as the reverse sweep has it.
        body: Vec<Flow>,
    },
    /// A loop ([`Flow::Counted`] or [`Flow::Tested`]) that the user wants reversed from snapshots.
    Asked {
        /// Arrays of which an iteration reads only what it has set itself.
        fresh: Vec<Var>,
        /// The loop.
        inner: Box<Flow>,
    },
    /// A loop that is reversed from snapshots (see [`super::checkpoints`]).
    Checkpointed(Box<Checkpointed>),
    /// A loop with a condition, reversed by its trip count.
    Tested {
        /// Its number.
        id: Id,
        /// What its condition reads.
        operands: Vec<Var>,
        /// The body.
        body: Vec<Flow>,
    },
}

/// A loop that is reversed from snapshots, with its copies.
#[derive(Clone, Debug)]
pub struct Checkpointed {
    /// As the text has it: [`Flow::Counted`] or [`Flow::Tested`].
    pub plain: Flow,
    /// Arrays of which an iteration reads only what it has set itself.
    pub fresh: Vec<Var>,
    /// What the forward sweep runs.
    pub first: Vec<Flow>,
    /// What the reverse sweep runs to come to an iteration.
    pub ahead: Vec<Flow>,
    /// An iteration with its adjoint.
    pub body: Vec<Flow>,
}

impl Checkpointed {
    /// Number, index (of counted loops), and what its head reads.
    pub(super) fn head(&self) -> (Id, Option<Var>, &[Var]) {
        match &self.plain {
            Flow::Counted { id, index, operands, .. } => (*id, Some(*index), operands),
            Flow::Tested { id, operands, .. } => (*id, None, operands),
            other => (id_of(other), None, &[]),
        }
    }
}

#[cfg(test)]
impl Flow {
    /// A counted loop of whose arrays nothing special is known.
    pub(super) fn counted(id: Id, index: Var, operands: Vec<Var>, body: Vec<Flow>) -> Flow {
        let (own, slices, histories, fresh, apart) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Flow::Counted { id, index, operands, own, slices, histories, fresh, apart, promised: false, body }
    }
}

/// Statements by their numbers.
pub fn steps<'a>(code: &'a [Flow], out: &mut FxHashMap<Id, &'a Step>) {
    for flow in code {
        match flow {
            Flow::Step(s) => {
                out.insert(s.id, s);
            }
            Flow::Branch { arms, .. } => arms.iter().for_each(|a| steps(a, out)),
            Flow::Counted { body, .. } | Flow::Fused { body, .. } | Flow::Tested { body, .. } => steps(body, out),
            Flow::Asked { inner, .. } => steps(std::slice::from_ref(inner), out),
            Flow::Checkpointed(c) => steps(std::slice::from_ref(&c.plain), out),
        }
    }
}

pub(super) fn id_of(flow: &Flow) -> Id {
    match flow {
        Flow::Asked { inner, .. } => id_of(inner),
        Flow::Checkpointed(c) => id_of(&c.plain),
        Flow::Step(s) => s.id,
        Flow::Branch { id, .. } | Flow::Counted { id, .. } | Flow::Fused { id, .. } | Flow::Tested { id, .. } => *id,
    }
}

/// Which variables may share memory, and which ones need not be kept.
#[derive(Clone, Debug, Default)]
pub struct Overlaps {
    /// For each variable the others that it may overlap.
    pub others: Vec<Vec<Var>>,
    /// Variables that the reverse sweep sets again before it reads them. Where it reads one of them, it is told to read what sets it as well.
    pub renewed: Bits,
}

impl Overlaps {
    /// So many variables that share no memory.
    #[cfg(test)]
    pub(super) fn apart(n: usize) -> Overlaps {
        Overlaps { others: vec![Vec::new(); n], ..Overlaps::default() }
    }

    /// Whether two are the same or may overlap.
    pub(super) fn meet(&self, v: Var, w: Var) -> bool {
        v == w || self.others.get(v as usize).is_some_and(|o| o.contains(&w))
    }

    pub(super) fn hits(&self, set: &Bits, v: Var) -> bool {
        set.has(v) || self.others.get(v as usize).is_some_and(|o| o.iter().any(|&w| set.has(w)))
    }

    /// Adds what the reverse sweep reads with values from the forward sweep.
    pub(super) fn require(&self, set: &mut Bits, vars: &[Var]) {
        for &v in vars.iter().filter(|&&v| !self.renewed.has(v)) {
            set.insert(v);
        }
    }

    /// As [`Overlaps::require`], for a set.
    pub(super) fn require_all(&self, set: &mut Bits, of: &Bits) {
        for v in of.iter().filter(|&v| !self.renewed.has(v)) {
            set.insert(v);
        }
    }
}

/// Adds variables to a set.
pub(super) fn insert_all(set: &mut Bits, vars: &[Var]) {
    for &v in vars {
        set.insert(v);
    }
}
