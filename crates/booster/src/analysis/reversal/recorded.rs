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
//! with I' the adjoint statement of I, U what comes before and D what comes behind. Where I is undone instead ([`super::flow::Step::undoes`]) nothing is recorded, and R gains R(I).
//!
//! Both work on the nested form of a unit ([`Flow`]), with a fixpoint for each loop: sets only grow there, and there are as many variables as the unit names, so
//! the fixpoint is reached. Branches are unions. Liveness runs first: what is not executed overwrites nothing.
//!
//! Arrays are whole variables, but where the iterations of a counted loop each use a slice of their own ([`Slice`]): inside of the loop the array then stands for
//! the slice of one iteration, which no other iteration touches. With S the slices, F(iteration) the equations of the body, X what holds where the loop is
//! reached (from behind for liveness, from before for what is to be recorded):
//!
//! ```text
//! X(iteration)  =  X \ S  +  F(X(iteration)) \ S  +  X * S    at the start of each iteration: nothing comes from other iterations for S
//! X(loop) * S   =  F(X(iteration)) * S                         where the slices are all of the array
//!               =  (F(X(iteration)) + X) * S                   otherwise
//! ```
//!
//! A write of an element that no adjoint of the loop so far reads ([`Write::since`]) is recorded only where the array is required when that loop is reached.
//!
//! Source: Araya-Polo and Hascoët, "Data flow algorithms in the Tapenade tool for automatic differentiation" (2004), Section 4. Of a call the callee's adjoint has N
//! and W of its own ([`super::overwritten`]).
//!
//! Lives here: the two analyses on sets of variables. Never here: what an adjoint statement looks like, where values are kept.

use super::decisions::Decisions;
use super::flow::{Flow, Id, Overlaps, Slice, Step, Var, Write, id_of, insert_all};
use super::fusion::Savable;
use crate::analysis::dataflow::bits::Bits;
use rustc_hash::FxHashMap;

/// Decides for a unit. `outputs` are the variables whose final values the forward sweep has to deliver, `before` those whose values on entry the
/// reverse sweep has to bring back.
pub fn decide(code: &[Flow], overlaps: &Overlaps, outputs: &[Var], before: &[Var]) -> Decisions {
    analyse(code, overlaps, outputs, before, &Savable::default()).0
}

/// As [`decide`], with the fused loops that cannot stay as they are: for each what more an iteration reads of the one before it, if recording that would help.
pub(super) fn analyse(
    code: &[Flow],
    overlaps: &Overlaps,
    outputs: &[Var],
    before: &[Var],
    savable: &Savable,
) -> (Decisions, FxHashMap<Id, Option<Vec<Var>>>) {
    let vars = overlaps.others.len();
    let mut a = Analysis {
        overlaps,
        heads: FxHashMap::default(),
        entered: FxHashMap::default(),
        depth: 0,
        d: Decisions::default(),
        vars,
        savable,
        exposed: FxHashMap::default(),
        conflicts: FxHashMap::default(),
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
    pub(super) savable: &'a Savable,
    /// For each fused loop what an iteration reads from outside.
    pub(super) exposed: FxHashMap<Id, Bits>,
    /// Fused loops that cannot stay so, see [`analyse`].
    pub(super) conflicts: FxHashMap<Id, Option<Vec<Var>>>,
    /// For loops that are open, and their histories, whether these were required where the loop was reached.
    entered: FxHashMap<(Id, Var), bool>,
    /// For each loop the set at its head and the set that came out, to start from when it is reached again.
    heads: FxHashMap<Id, (Bits, Bits)>,
    /// How many loops are open.
    pub(super) depth: usize,
    pub(super) d: Decisions,
    pub(super) vars: usize,
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
                Flow::Fused { id, index, operands, slices, fresh, ahead, body, .. } => {
                    self.fused_liveness(*id, *index, (operands, slices, fresh), (ahead, body), needed)
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
        self.fixpoint(id, needed, slices, |a, iteration| a.liveness(body, iteration));
    }

    /// The equations of a loop, whose iterations are `round`.
    fn fixpoint(&mut self, id: Id, set: &mut Bits, slices: &[Slice], mut iteration: impl FnMut(&mut Self, &mut Bits)) {
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
            iteration(self, next);
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
                Flow::Fused { id, index, operands, apart, promised, ahead, body, .. } => {
                    self.fused_recording(*id, *index, (operands, apart, *promised), (ahead, body), required)
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
        self.fixpoint(id, required, slices, |a, iteration| a.recording(body, iteration));
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
