//! What an adjoint has to execute, and what it has to record.
//!
//! The forward sweep of an adjoint runs the original statements so that the reverse sweep finds the values it needs; the reverse sweep undoes,
//! step by step, each overwriting of a value that some adjoint statement still to come reads. Two data-flow analyses decide this:
//!
//! * *adjoint liveness*, backward: a statement is executed only if its result is read by a later statement of the forward
//!   sweep that is executed itself, or by the adjoint of a later statement,
//! * *to be recorded*, forward: `required` holds the variables whose present value the adjoints of earlier statements read; a statement
//!   that is executed and overwrites one of them (or what may overlap one) is recorded.
//!
//! ```text
//! N(adjoint of [I; D])  =  N(I') + (N(adjoint of D) through I)     liveness, backward: Eq. (15), for blocks (16); through I: without K(I), with R(I), if I is executed
//! I is executed         where it writes something of N(adjoint of D)
//! R(backward of [U; I]) =  (R(I') + R(backward of U)) - K(I)       to be recorded, forward: Eq. (11) and (12); K(I) only if I is executed
//! recorded of I         =  W(I) * (R(I') + R(backward of U))       if I is executed: Eq. (10)
//! ```
//!
//! with I' the adjoint statement of I, U what comes before and D what comes behind. Where I is undone instead ([`Step::undoes`]) nothing is recorded, and R gains R(I).
//!
//! Both work on the nested form of a unit ([`Flow`]), with a fixpoint for each loop: sets only grow there, and there are as many variables as the unit names, so
//! the fixpoint is reached. Branches are unions. Liveness runs first: what is not executed overwrites nothing.
//!
//! Arrays are whole variables, but where the iterations of a counted loop each use a slice of their own ([`Slice`]): inside of the loop the array then stands for
//! the slice of one iteration, which no other iteration touches. With S the slices, F(round) the equations of the body, X what holds where the loop is
//! reached (from behind for liveness, from before for what is to be recorded):
//!
//! ```text
//! X(round)      =  X \ S  +  F(X(round)) \ S  +  X * S            at the start of each iteration: nothing comes from other iterations for S
//! X(loop) * S   =  F(X(round)) * S                                 where the slices are all of the array
//!               =  (F(X(round)) + X) * S                           otherwise
//! ```
//!
//! A write of an element that no adjoint of the loop so far reads ([`Write::since`]) is recorded only where the array is required when that loop is reached.
//!
//! Source: Araya-Polo and Hascoët, "Data flow algorithms in the Tapenade tool for automatic differentiation" (2004), Section 4. Of a call the callee's adjoint has N
//! and W of its own ([`super::overwritten`]).
//!
//! Lives here: the two analyses on sets of variables. Never here: what an adjoint statement looks like, where values are kept.

use crate::analysis::dataflow::bits::Bits;
use rustc_hash::{FxHashMap, FxHashSet};
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
    /// The parts of all rounds together are all of it, or all of the part that the loops around have of it.
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
    Checkpointed(Box<super::checkpoints::Checkpointed>),
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

#[cfg(test)]
impl Flow {
    /// A counted loop of whose arrays nothing special is known.
    pub(super) fn counted(id: Id, index: Var, operands: Vec<Var>, body: Vec<Flow>) -> Flow {
        let (own, slices, histories) = (Vec::new(), Vec::new(), Vec::new());
        Flow::Counted { id, index, operands, own, slices, histories, promised: false, body }
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

/// The decisions.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    pub(super) live: Bits,
    pub(super) adjoint: Bits,
    recorded: FxHashSet<(Id, Var)>,
    undone: Bits,
    pub(super) kept: FxHashMap<Id, Vec<Var>>,
    pub(super) saved: FxHashMap<Id, Vec<Var>>,
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
        let lists = self.kept.values().chain(self.saved.values()).chain(self.snapshots.values());
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

    /// How many values a step records.
    pub(super) fn records(&self, step: &Step) -> usize {
        step.writes.iter().filter(|w| self.recorded(step.id, w.var)).count() + step.spent().len()
    }

    /// What the reverse sweep itself must save before the adjoint of this step or loop and bring back behind it.
    pub fn kept(&self, id: Id) -> &[Var] {
        self.kept.get(&id).map_or(&[], Vec::as_slice)
    }
}

/// Decides for a unit. `outputs` are the variables whose final values the forward sweep has to deliver, `before` those whose values on entry the
/// reverse sweep has to bring back.
pub fn decide(code: &[Flow], overlaps: &Overlaps, outputs: &[Var], before: &[Var]) -> Decisions {
    analyse(code, overlaps, outputs, before, &Bits::default()).0
}

/// As [`decide`], with the fused loops that cannot stay fused. `scalars` are scalars that overlap nothing.
pub(super) fn analyse(code: &[Flow], overlaps: &Overlaps, outputs: &[Var], before: &[Var], scalars: &Bits) -> (Decisions, FxHashSet<Id>) {
    let vars = overlaps.others.len();
    let mut a = Analysis {
        overlaps,
        heads: FxHashMap::default(),
        entered: FxHashMap::default(),
        depth: 0,
        d: Decisions::default(),
        vars,
        scalars,
        exposed: FxHashMap::default(),
        conflicts: FxHashSet::default(),
    };
    let mut needed = Bits::none(vars);
    for &v in outputs {
        needed.insert(v);
    }
    a.liveness(code, &mut needed);
    a.d.on_entry = needed.iter().collect();
    a.heads.clear();
    let mut required = Bits::none(vars);
    insert_all(&mut required, before);
    a.recording(code, &mut required);
    a.d.at_end = required.iter().collect();
    (a.d, a.conflicts)
}

pub(super) struct Analysis<'a> {
    pub(super) overlaps: &'a Overlaps,
    /// Scalars that overlap nothing.
    pub(super) scalars: &'a Bits,
    /// For each fused loop what an iteration reads from outside.
    pub(super) exposed: FxHashMap<Id, Bits>,
    /// Fused loops that cannot stay so.
    pub(super) conflicts: FxHashSet<Id>,
    /// For loops that are open, and their histories, whether these were required where the loop was reached.
    entered: FxHashMap<(Id, Var), bool>,
    /// For each loop the set at its head and the set that came out, to start from when it is reached again.
    heads: FxHashMap<Id, (Bits, Bits)>,
    /// How many loops are open.
    pub(super) depth: usize,
    pub(super) d: Decisions,
    pub(super) vars: usize,
}

pub(super) fn insert_all(set: &mut Bits, vars: &[Var]) {
    for &v in vars {
        set.insert(v);
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

impl Analysis<'_> {
    pub(super) fn any(&self, code: &[Flow], test: impl Fn(&Decisions, Id) -> bool) -> bool {
        code.iter().any(|f| test(&self.d, id_of(f)))
    }

    /// Backward: `needed` are the variables that what comes later (in both sweeps) reads.
    pub(super) fn liveness(&mut self, code: &[Flow], needed: &mut Bits) {
        for flow in code.iter().rev() {
            match flow {
                Flow::Step(s) => {
                    if s.adjoint {
                        self.overlaps.require(needed, s.after());
                    }
                    if s.always || s.writes.iter().any(|w| self.overlaps.hits(needed, w.var)) {
                        self.d.live.add(s.id);
                        for w in s.writes.iter().filter(|w| w.ends()) {
                            needed.remove(w.var);
                        }
                        insert_all(needed, &s.reads);
                    }
                    if s.adjoint {
                        self.d.adjoint.add(s.id);
                        self.overlaps.require(needed, &s.needs);
                        insert_all(needed, s.spent());
                    }
                }
                Flow::Branch { id, operands, arms, recomputed } => {
                    let mut out = Bits::none(self.vars);
                    for arm in arms {
                        let mut n = needed.clone();
                        self.liveness(arm, &mut n);
                        out.join(&n);
                        self.inherit(*id, arm);
                    }
                    *needed = out;
                    if self.d.reversed(*id) && !recomputed {
                        // The forward sweep has to decide, though it may do nothing else.
                        self.d.live.add(*id);
                    }
                    self.head(*id, operands, needed);
                }
                Flow::Counted { id, index, operands, slices, body, .. } => {
                    if self.overlaps.hits(needed, *index) {
                        self.d.live.add(*id);
                    }
                    let after = needed.has(*index);
                    self.depth += 1;
                    self.backward_loop(*id, body, needed, &[], slices);
                    self.inherit(*id, body);
                    // The index is set by the loop itself, in both sweeps; where only the reverse sweep has the loop, it stays what it was.
                    if self.d.live(*id) || !after {
                        needed.remove(*index);
                    }
                    self.head(*id, operands, needed);
                    self.end_loop();
                }
                Flow::Asked { inner, .. } => self.liveness(std::slice::from_ref(inner), needed),
                Flow::Checkpointed(c) => self.checkpointed_liveness(c, needed),
                Flow::Fused { id, index, operands, slices, ahead, body, .. } => {
                    self.fused_liveness(*id, *index, (operands, slices), (ahead, body), needed)
                }
                Flow::Tested { id, operands, body } => {
                    self.depth += 1;
                    self.backward_loop(*id, body, needed, &[], &[]);
                    self.inherit(*id, body);
                    if self.d.live(*id) || self.d.reversed(*id) {
                        // Where the reverse sweep has the loop, the forward sweep has to count its iterations.
                        self.d.live.add(*id);
                        self.backward_loop(*id, body, needed, operands, &[]);
                        self.inherit(*id, body);
                    }
                    self.end_loop();
                }
            }
        }
    }

    /// What the head of a branch or loop reads, in the sweeps that have it.
    pub(super) fn head(&self, id: Id, operands: &[Var], needed: &mut Bits) {
        if self.d.live(id) {
            insert_all(needed, operands);
        } else if self.d.reversed(id) {
            self.overlaps.require(needed, operands);
        }
    }

    /// No loop around will reach what is inside of this one again, if there is none.
    pub(super) fn end_loop(&mut self) {
        self.depth -= 1;
        if self.depth == 0 {
            self.heads.clear();
        }
    }

    /// A construct is executed, or reversed, if something in it is.
    pub(super) fn inherit(&mut self, id: Id, body: &[Flow]) {
        if self.any(body, Decisions::live) {
            self.d.live.add(id);
        }
        if self.any(body, Decisions::reversed) {
            self.d.adjoint.add(id);
        }
    }

    pub(super) fn backward_loop(&mut self, id: Id, body: &[Flow], needed: &mut Bits, operands: &[Var], slices: &[Slice]) {
        insert_all(needed, operands);
        self.fixpoint(id, needed, slices, |a, round| a.liveness(body, round));
    }

    /// The equations of a loop, whose iterations are `round`.
    fn fixpoint(&mut self, id: Id, set: &mut Bits, slices: &[Slice], mut round: impl FnMut(&mut Self, &mut Bits)) {
        let mut head = match self.heads.remove(&id) {
            Some((head, out)) if set.is_subset(&head) => {
                set.clone_from(&out);
                self.heads.insert(id, (head, out));
                return;
            }
            Some((mut head, _)) => {
                head.join(set);
                head
            }
            None => set.clone(),
        };
        let mut own = Bits::none(self.vars);
        head.close(|next| {
            round(self, next);
            // What an iteration leaves of its slice is nothing to another iteration.
            for s in slices {
                if next.has(s.var) {
                    own.insert(s.var);
                }
                next.remove(s.var);
            }
        });
        set.clone_from(&head);
        slices.iter().filter(|s| s.all).for_each(|s| set.remove(s.var));
        set.join(&own);
        self.heads.insert(id, (head, set.clone()));
    }

    /// Forward: `required` are the variables whose present value the adjoints of what came before read.
    pub(super) fn recording(&mut self, code: &[Flow], required: &mut Bits) {
        for flow in code {
            match flow {
                Flow::Step(s) => self.record_step(s, required),
                Flow::Branch { id, operands, recomputed, arms } => {
                    let mut out = Bits::none(self.vars);
                    for arm in arms {
                        let mut r = required.clone();
                        self.recording(arm, &mut r);
                        out.join(&r);
                        self.inherit(*id, arm);
                    }
                    *required = out;
                    if *recomputed && self.d.reversed(*id) {
                        self.overlaps.require(required, operands);
                    }
                }
                Flow::Counted { id, index, operands, slices, histories, body, .. } => {
                    let hit = self.overlaps.hits(required, *index);
                    let live = self.d.live(*id);
                    if hit && live {
                        self.d.recorded.insert((*id, *index));
                        self.d.adjoint.add(*id);
                    }
                    let before = required.has(*index);
                    if live {
                        required.remove(*index);
                    }
                    for &v in histories {
                        let hit = self.overlaps.hits(required, v);
                        let known = self.entered.entry((*id, v)).or_default();
                        if hit && !*known {
                            *known = true;
                            // What is inside looks different now, though it starts from no larger set.
                            self.heads.clear();
                        }
                    }
                    self.depth += 1;
                    self.forward_loop(*id, body, required, slices);
                    self.end_loop();
                    self.inherit(*id, body);
                    if live || !before {
                        required.remove(*index);
                    }
                    if self.any(body, Decisions::reversed) {
                        self.overlaps.require(required, operands);
                        if hit && !live {
                            self.d.kept.insert(*id, vec![*index]);
                        }
                    }
                }
                Flow::Asked { inner, .. } => self.recording(std::slice::from_ref(inner), required),
                Flow::Checkpointed(c) => self.checkpointed_recording(c, required),
                Flow::Fused { id, index, operands, promised, ahead, body, .. } => {
                    self.fused_recording(*id, *index, (operands, *promised), (ahead, body), required)
                }
                Flow::Tested { id, body, .. } => {
                    self.depth += 1;
                    self.forward_loop(*id, body, required, &[]);
                    self.end_loop();
                    self.inherit(*id, body);
                }
            }
        }
    }

    /// Forward through one iteration that the reverse sweep runs again just before its adjoint: of the loops around it sees nothing.
    pub(super) fn record_round(&mut self, body: &[Flow]) {
        let mut required = Bits::none(self.vars);
        self.depth += 1;
        let entered = std::mem::take(&mut self.entered);
        self.recording(body, &mut required);
        self.entered = entered;
        self.end_loop();
    }

    fn forward_loop(&mut self, id: Id, body: &[Flow], required: &mut Bits, slices: &[Slice]) {
        self.fixpoint(id, required, slices, |a, round| a.recording(body, round));
    }

    fn record_step(&mut self, s: &Step, required: &mut Bits) {
        if s.adjoint {
            // What is overwritten is brought back, and with it what overlaps it, under whatever name that is needed.
            let mut kept: Vec<Var> = s.clobbers().iter().copied().filter(|&c| self.overlaps.hits(required, c)).collect();
            kept.sort_unstable();
            kept.dedup();
            if !kept.is_empty() {
                self.d.kept.insert(s.id, kept);
            }
            self.overlaps.require(required, &s.needs);
        }
        if !self.d.live(s.id) {
            return;
        }
        if s.restores {
            return self.restored(s, required);
        }
        let mut hits: Vec<&Write> = Vec::new();
        // The place of one write may be what makes another one hit, so until nothing is added.
        loop {
            let entered = |w: &Write| w.since.and_then(|l| self.entered.get(&(l, w.var))).copied();
            let hit = |w: &&Write| self.overlaps.hits(required, w.var) && entered(w).unwrap_or(true);
            let found: Vec<&Write> = s.writes.iter().filter(hit).collect();
            let done = found.len() == hits.len();
            for w in &found {
                self.overlaps.require(required, &w.place);
            }
            hits = found;
            if done {
                break;
            }
        }
        if s.undoes && !hits.is_empty() {
            // The value from behind is required in its place, and what was added to it, which the caller of a pair may change in between.
            self.d.undone.add(s.id);
            self.d.adjoint.add(s.id);
            self.overlaps.require(required, &s.reads);
            return;
        }
        for w in hits {
            self.d.recorded.insert((s.id, w.var));
            self.d.adjoint.add(s.id);
        }
        for w in s.writes.iter().filter(|w| w.ends()) {
            required.remove(w.var);
        }
        if s.adjoint {
            self.overlaps.require(required, s.after());
        }
    }

    /// All but [`Write::own`] the adjoint of the step brings back.
    fn restored(&mut self, s: &Step, required: &mut Bits) {
        for w in s.writes.iter().filter(|w| w.own && self.overlaps.hits(required, w.var)).collect::<Vec<_>>() {
            self.overlaps.require(required, &w.place);
            self.d.recorded.insert((s.id, w.var));
            self.d.adjoint.add(s.id);
        }
        for w in s.writes.iter().filter(|w| w.ends()) {
            required.remove(w.var);
        }
        self.overlaps.require(required, s.after());
    }
}

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod tests;
