//! What the adjoint of a piece of code leaves overwritten, and what has to be saved to run a call again.
//!
//! For a statement I with the rest D of the code behind it, in an adjoint that runs `push; I; adjoint of D; pop; I'`:
//!
//! ```text
//! W(I; D)  =  (W(I) + W(D)) - (K(I) * R)      if I is executed, R what the reverse sweep reads from here on
//!             W(D)                            otherwise
//! SNP(C)   =  N(C) * (W(C) + W(D))            the snapshot of a call C that runs again
//! ```
//!
//! where W, N are those of adjoints. A value that is recorded is brought back: as a whole variable it is as it was, whatever came in between; as an element, the
//! statement itself leaves nothing behind.
//!
//! Source: Araya-Polo and Hascoët, "Data flow algorithms in the Tapenade tool for automatic differentiation" (2004), Eq. (17) and (18).
//!
//! Lives here: these equations on the nested form of a unit, backward, with a fixpoint for each loop. Never here: what is executed and recorded, which is decided
//! before ([`super::recorded`], [`super::fusion`]).

use super::checkpoints::Copies;
use super::decisions::{Decisions, Shifts};
use super::flow::{Flow, Id, Overlaps, Step, Var, id_of, insert_all};
use crate::analysis::dataflow::bits::Bits;
use rustc_hash::FxHashMap;

/// The solution for a unit.
#[derive(Clone, Debug, Default)]
pub struct Overwritten {
    /// What the adjoint of the whole code leaves overwritten.
    pub all: Bits,
    /// For each statement with an adjoint what has to be saved if that runs the statement again, where that is anything: units have many statements.
    snapshots: FxHashMap<Id, Vec<Var>>,
}

impl Overwritten {
    /// Solves the equations for code of which the execution and the records are decided.
    pub fn of(code: &[Flow], decisions: &Decisions, fused: &Shifts, copies: &FxHashMap<Id, Copies>, overlaps: &Overlaps) -> Overwritten {
        let vars = overlaps.others.len();
        let mut a = Analysis { d: decisions, fused, copies, overlaps, vars, snapshots: FxHashMap::default() };
        let mut all = Bits::none(vars);
        a.sequence(code, &mut all);
        Overwritten { all, snapshots: a.snapshots }
    }

    /// What has to be saved for a call that its adjoint runs again, by Eq. (17); in ascending order.
    pub fn snapshot(&self, call: Id) -> &[Var] {
        self.snapshots.get(&call).map_or(&[], Vec::as_slice)
    }
}

struct Analysis<'a> {
    d: &'a Decisions,
    fused: &'a Shifts,
    copies: &'a FxHashMap<Id, Copies>,
    overlaps: &'a Overlaps,
    vars: usize,
    snapshots: FxHashMap<Id, Vec<Var>>,
}

impl Analysis<'_> {
    fn sequence(&mut self, code: &[Flow], set: &mut Bits) {
        for flow in code.iter().rev() {
            match flow {
                Flow::Step(s) => self.step(s, set),
                Flow::Branch { arms, .. } => {
                    let mut out = Bits::none(self.vars);
                    for arm in arms {
                        let mut here = set.clone();
                        self.sequence(arm, &mut here);
                        out.join(&here);
                    }
                    *set = out;
                }
                Flow::Counted { id, index, body, .. } => match self.fused.get(id) {
                    Some(&shift) => self.fused(*id, *index, body, shift, set),
                    None => {
                        self.repeat(body, set);
                        self.index(*id, *index, set);
                    }
                },
                // Decisions about fused loops are told by their shifts.
                Flow::Fused { id, index, body, ahead, .. } => {
                    self.writes(ahead, 0, set);
                    self.fused(*id, *index, body, 0, set);
                }
                Flow::Tested { body, .. } => self.repeat(body, set),
                Flow::Asked { inner, .. } => {
                    if let Some(&copies) = self.copies.get(&id_of(inner)) {
                        self.checkpointed(inner, copies, set);
                    } else {
                        self.sequence(std::slice::from_ref(inner), set);
                    }
                }
                // Decisions about checkpointed loops are told by their copies.
                Flow::Checkpointed(c) => self.sequence(std::slice::from_ref(&c.plain), set),
            }
        }
    }

    fn step(&mut self, s: &Step, set: &mut Bits) {
        if s.adjoint {
            self.take_snapshot(s, set);
        }
        if (self.d.live(s.id) || s.restores) && !self.d.undone(s.id) {
            for w in s.writes.iter().filter(|w| w.kills && self.d.recorded(s.id, w.var)) {
                set.remove(w.var);
            }
            for w in s.writes.iter().filter(|w| !self.d.recorded(s.id, w.var) && (w.own || !s.restores)) {
                set.insert(w.var);
            }
        }
        if s.adjoint {
            let kept = self.d.kept(s.id);
            s.clobbers().iter().filter(|c| !kept.contains(c)).for_each(|&c| {
                set.insert(c);
            });
        }
    }

    /// Eq. (17), with what the adjoint of all that follows leaves overwritten. In loops it is asked again, of sets that grow.
    fn take_snapshot(&mut self, s: &Step, behind: &Bits) {
        let live = self.d.live(s.id);
        for &v in s.needs.iter().filter(|&&v| !self.overlaps.renewed.has(v)) {
            let written = || live && s.writes.iter().any(|w| self.overlaps.meet(v, w.var));
            if self.overlaps.hits(behind, v) || written() {
                let saved = self.snapshots.entry(s.id).or_default();
                if let Err(at) = saved.binary_search(&v) {
                    saved.insert(at, v);
                }
            }
        }
    }

    /// No iteration may happen, or many.
    fn repeat(&mut self, body: &[Flow], set: &mut Bits) {
        set.close(|iteration| self.sequence(body, iteration));
    }

    fn index(&self, id: Id, index: Var, set: &mut Bits) {
        if self.d.recorded(id, index) {
            set.remove(index);
        } else if (self.d.live(id) || self.d.reversed(id)) && !self.d.kept(id).contains(&index) {
            set.insert(index);
        }
    }

    /// A loop that is run again from snapshots: what any of its runs overwrites, whatever snapshots bring back.
    fn checkpointed(&mut self, plain: &Flow, copies: Copies, set: &mut Bits) {
        self.sequence(std::slice::from_ref(plain), set);
        if let Flow::Counted { body, .. } | Flow::Tested { body, .. } = plain {
            [0, copies.first, copies.ahead].into_iter().for_each(|shift| self.writes(body, shift, set));
        }
        if let Flow::Counted { index, .. } = plain {
            set.insert(*index);
        }
    }

    /// A fused loop: the forward sweep runs its iterations as they are, the reverse sweep runs each with its adjoint.
    fn fused(&mut self, id: Id, index: Var, body: &[Flow], shift: Id, set: &mut Bits) {
        // What follows a statement is the rest of its iteration, whose adjoint comes before any other iteration.
        let mut iterations = Bits::none(self.vars);
        self.sequence(body, &mut iterations);
        set.join(&iterations);
        if shift > 0 {
            self.writes(body, shift, set);
        }
        self.index(id, index, set);
        for &v in self.d.saved(id).iter().chain(self.d.kept(id)) {
            set.remove(v);
        }
    }

    /// What the forward sweep executes of a fused loop.
    fn writes(&self, code: &[Flow], shift: Id, set: &mut Bits) {
        for flow in code {
            match flow {
                Flow::Step(s) if self.d.live(s.id + shift) => insert_all(set, &s.writes.iter().map(|w| w.var).collect::<Vec<_>>()),
                Flow::Step(_) => {}
                Flow::Branch { arms, .. } => arms.iter().for_each(|a| self.writes(a, shift, set)),
                Flow::Tested { body, .. } => self.writes(body, shift, set),
                Flow::Asked { inner, .. } => self.writes(std::slice::from_ref(inner), shift, set),
                Flow::Checkpointed(c) => self.writes(std::slice::from_ref(&c.plain), shift, set),
                Flow::Counted { id, index, body, .. } | Flow::Fused { id, index, body, .. } => {
                    if self.d.live(id + shift) {
                        set.insert(*index);
                    }
                    self.writes(body, shift, set);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::flow::{Rare, Write};
    use super::super::recorded::decide;
    use super::*;

    const X: Var = 0;
    const Y: Var = 1;
    const A: Var = 2;

    fn step(id: Id, to: Var, kills: bool, reads: &[Var], needs: &[Var]) -> Step {
        Step {
            id,
            reads: reads.into(),
            writes: [Write { var: to, kills, own: true, ..Write::default() }].into(),
            adjoint: true,
            needs: needs.into(),
            ..Step::default()
        }
    }

    fn solved(code: &[Flow]) -> (Decisions, Overwritten) {
        let d = decide(code, &Overlaps::apart(3), &[], &[]);
        let w = Overwritten::of(code, &d, &Shifts::default(), &FxHashMap::default(), &Overlaps::apart(3));
        (d, w)
    }

    #[test]
    fn what_is_recorded_is_as_it_was() {
        // y = x*x; x = y*y; y = x*x: the last is dead, the second is executed over a value that is needed.
        let code =
            [Flow::Step(step(0, Y, true, &[X], &[X])), Flow::Step(step(1, X, true, &[Y], &[Y])), Flow::Step(step(2, Y, true, &[X], &[X]))];
        let (d, w) = solved(&code);
        assert!(d.live(0) && d.live(1) && !d.live(2) && d.recorded(1, X) && !d.recorded(0, Y));
        assert_eq!(w.all.iter().collect::<Vec<_>>(), [Y], "x is pushed and popped, y is left as the first statement sets it");
    }

    #[test]
    fn an_element_that_is_brought_back_leaves_the_others_as_they_are() {
        // y = a*a; a(1) = y; x = a*a
        let code =
            [Flow::Step(step(0, Y, true, &[A], &[A])), Flow::Step(step(1, A, false, &[Y], &[])), Flow::Step(step(2, X, true, &[A], &[A]))];
        let (d, w) = solved(&code);
        assert!(d.recorded(1, A));
        assert_eq!(w.all.iter().collect::<Vec<_>>(), [Y]);
    }

    #[test]
    fn a_snapshot_holds_what_is_needed_and_changed() {
        // call c(x, y), whose adjoint needs x and a; x = y*y; y = x*x
        let call = Step { rare: Rare { clobbers: [Y].as_slice().into(), ..Rare::default() }.kept(), ..step(0, X, true, &[X, A], &[X, A]) };
        let code = [Flow::Step(call.clone()), Flow::Step(step(1, Y, true, &[X], &[X])), Flow::Step(step(2, A, true, &[Y], &[Y]))];
        let (d, w) = solved(&code);
        assert!(d.live(0));
        assert_eq!(w.snapshot(call.id), [X], "a is dead, so nothing changes it");
        assert_eq!(w.all.iter().collect::<Vec<_>>(), [Y], "x is brought back");
    }
}
