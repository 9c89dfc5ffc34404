//! Why a value is recorded: which adjoint statements read it.
//!
//! The to-be-recorded analysis ([`super::recorded`], Eq. (11) and (12) of Araya-Polo and Hascoët 2004) carries along the variables whose present value earlier adjoints
//! read; here each is carried with the item whose adjoint reads it:
//!
//! ```text
//! R(U; I)  =  { (I, v) : v in R(I') }  +  R(U) - { (J, v) : v in K(I), I executed }
//! why(I, w)  =  { J : (J, v) in R(U; I'), v may overlap w }
//! ```
//!
//! Forward, with a fixpoint for each loop; slices of iterations and histories as there. Lives here: this one question, for whoever wants to know. Never here: decisions.

use super::decisions::{Decisions, Shifts};
use super::flow::{Flow, Id, Overlaps, Slice, Step, Var};
use crate::analysis::dataflow::bits::Bits;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// For each item and variable that is recorded the items whose adjoints read the value.
pub type Reasons = BTreeMap<(Id, Var), BTreeSet<Id>>;

/// Finds the reasons of all records.
pub fn reasons(code: &[Flow], decisions: &Decisions, fused: &Shifts, overlaps: &Overlaps) -> Reasons {
    let mut a = Analysis {
        d: decisions,
        fused,
        overlaps,
        pairs: Vec::new(),
        by_var: FxHashMap::default(),
        index: FxHashMap::default(),
        entered: FxHashMap::default(),
        found: Reasons::new(),
    };
    a.number(code);
    let mut set = Bits::none(a.pairs.len());
    a.sequence(code, &mut set);
    a.found
}

struct Analysis<'a> {
    d: &'a Decisions,
    fused: &'a Shifts,
    overlaps: &'a Overlaps,
    /// Items with what their adjoints read.
    pairs: Vec<(Id, Var)>,
    by_var: FxHashMap<Var, Vec<u32>>,
    index: FxHashMap<(Id, Var), u32>,
    /// What holds where a loop with histories is reached.
    entered: FxHashMap<Id, Bits>,
    found: Reasons,
}

impl Analysis<'_> {
    fn pair(&mut self, id: Id, vars: &[Var]) {
        for &v in vars {
            if self.index.contains_key(&(id, v)) {
                continue;
            }
            let n = self.pairs.len() as u32;
            self.pairs.push((id, v));
            self.index.insert((id, v), n);
            self.by_var.entry(v).or_default().push(n);
        }
    }

    fn number(&mut self, code: &[Flow]) {
        for flow in code {
            match flow {
                Flow::Step(s) => {
                    for list in [&s.needs[..], s.after(), &s.reads] {
                        self.pair(s.id, list);
                    }
                    s.writes.iter().for_each(|w| self.pair(s.id, &w.place));
                }
                Flow::Branch { id, operands, arms, .. } => {
                    self.pair(*id, operands);
                    arms.iter().for_each(|a| self.number(a));
                }
                Flow::Counted { id, operands, body, .. } | Flow::Fused { id, operands, body, .. } | Flow::Tested { id, operands, body } => {
                    self.pair(*id, operands);
                    self.number(body);
                }
                Flow::Asked { inner, .. } => self.number(std::slice::from_ref(inner)),
                Flow::Checkpointed(c) => self.number(std::slice::from_ref(&c.plain)),
            }
        }
    }

    fn add(&self, id: Id, vars: &[Var], set: &mut Bits) {
        for v in vars {
            if let Some(&n) = self.index.get(&(id, *v)) {
                set.insert(n);
            }
        }
    }

    fn kill(&self, v: Var, set: &mut Bits) {
        for &n in self.by_var.get(&v).into_iter().flatten() {
            set.remove(n);
        }
    }

    fn explain(&mut self, id: Id, v: Var, set: &Bits) {
        let others = self.overlaps.others.get(v as usize).map_or(&[][..], Vec::as_slice);
        let numbers = others.iter().chain([&v]).flat_map(|w| self.by_var.get(w).into_iter().flatten());
        let why: Vec<Id> = numbers.filter(|&&n| set.has(n)).filter_map(|&n| self.pairs.get(n as usize)).map(|p| p.0).collect();
        self.found.entry((id, v)).or_default().extend(why);
    }

    fn sequence(&mut self, code: &[Flow], set: &mut Bits) {
        for flow in code {
            match flow {
                Flow::Step(s) => self.step(s, set),
                Flow::Branch { id, operands, recomputed, arms } => {
                    let mut out = Bits::none(self.pairs.len());
                    for arm in arms {
                        let mut here = set.clone();
                        self.sequence(arm, &mut here);
                        out.join(&here);
                    }
                    *set = out;
                    if *recomputed && self.d.reversed(*id) {
                        self.add(*id, operands, set);
                    }
                }
                Flow::Counted { id, index, operands, slices, body, .. } | Flow::Fused { id, index, operands, slices, body, .. } => {
                    let fused = matches!(flow, Flow::Fused { .. }) || self.fused.contains_key(id);
                    for &v in self.d.saved(*id).to_vec().iter().chain([index].into_iter().filter(|v| self.d.recorded(*id, **v))) {
                        self.explain(*id, v, set);
                        self.kill(v, set);
                    }
                    if fused {
                        let mut iterations = Bits::none(self.pairs.len());
                        self.again(body, &mut iterations);
                        set.join(&iterations);
                        self.repeat(body, &[], &mut iterations);
                    } else {
                        if matches!(flow, Flow::Counted { histories, .. } if !histories.is_empty()) {
                            self.entered.insert(*id, set.clone());
                        }
                        self.repeat(body, slices, set);
                    }
                    self.kill(*index, set);
                    if self.d.reversed(*id) {
                        self.add(*id, operands, set);
                    }
                }
                Flow::Tested { body, .. } => self.repeat(body, &[], set),
                Flow::Asked { inner, .. } => self.sequence(std::slice::from_ref(inner), set),
                Flow::Checkpointed(c) => self.sequence(std::slice::from_ref(&c.plain), set),
            }
        }
    }

    fn repeat(&mut self, body: &[Flow], slices: &[Slice], set: &mut Bits) {
        let mut own = Bits::none(self.pairs.len());
        set.close(|iteration| {
            self.sequence(body, iteration);
            // What an iteration leaves of its slice is nothing to another iteration.
            for s in slices {
                for &n in self.by_var.get(&s.var).into_iter().flatten().filter(|&&n| iteration.has(n)) {
                    own.insert(n);
                }
                self.kill(s.var, iteration);
            }
        });
        slices.iter().filter(|s| s.all).for_each(|s| self.kill(s.var, set));
        set.join(&own);
    }

    /// What the reverse sweep reads when it runs an iteration again.
    fn again(&self, code: &[Flow], set: &mut Bits) {
        for flow in code {
            match flow {
                Flow::Step(s) => {
                    if self.d.live(s.id) {
                        self.add(s.id, &s.reads, set);
                    }
                    if s.adjoint {
                        self.add(s.id, &s.needs, set);
                    }
                }
                Flow::Branch { id, operands, arms, .. } => {
                    self.add(*id, operands, set);
                    arms.iter().for_each(|a| self.again(a, set));
                }
                Flow::Counted { id, operands, body, .. } | Flow::Fused { id, operands, body, .. } | Flow::Tested { id, operands, body } => {
                    self.add(*id, operands, set);
                    self.again(body, set);
                }
                Flow::Asked { inner, .. } => self.again(std::slice::from_ref(inner), set),
                Flow::Checkpointed(c) => self.again(std::slice::from_ref(&c.plain), set),
            }
        }
    }

    fn step(&mut self, s: &Step, set: &mut Bits) {
        if s.adjoint {
            for v in self.d.kept(s.id).to_vec() {
                self.explain(s.id, v, set);
            }
            self.add(s.id, &s.needs, set);
        }
        if !self.d.live(s.id) || self.d.undone(s.id) {
            return;
        }
        for w in s.writes.iter().filter(|w| self.d.recorded(s.id, w.var)) {
            match w.since.and_then(|l| self.entered.get(&l)) {
                Some(entered) => {
                    let mut before = set.clone();
                    before.meet(entered);
                    self.explain(s.id, w.var, &before);
                }
                None => self.explain(s.id, w.var, set),
            }
            self.add(s.id, &w.place, set);
        }
        for w in s.writes.iter().filter(|w| w.ends()) {
            self.kill(w.var, set);
        }
        if s.adjoint {
            self.add(s.id, s.after(), set);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::flow::Write;
    use super::super::recorded::decide;
    use super::*;

    fn step(id: Id, to: Var, reads: &[Var], needs: &[Var]) -> Flow {
        let writes = vec![Write { var: to, kills: true, own: true, ..Write::default() }];
        Flow::Step(Step { id, reads: reads.into(), writes: writes.into(), adjoint: true, needs: needs.into(), ..Step::default() })
    }

    #[test]
    fn a_record_is_made_for_whoever_reads_the_value() {
        // 0: y = x*x; 1: z = x + y; 2: x = y*y; 3: z = x*x
        let code = [step(0, 1, &[0], &[0]), step(1, 2, &[0, 1], &[]), step(2, 0, &[1], &[1]), step(3, 2, &[0], &[0])];
        let overlaps = Overlaps::apart(3);
        let d = decide(&code, &overlaps, &[], &[]);
        let found = reasons(&code, &d, &Shifts::default(), &overlaps);
        assert_eq!(found, Reasons::from([((2, 0), BTreeSet::from([0]))]), "the sum reads no value");
    }

    #[test]
    fn iterations_before_are_reasons_too() {
        // do: 1: s = s*x
        let code = [Flow::counted(0, 2, vec![], vec![step(1, 0, &[0, 1], &[0, 1])])];
        let overlaps = Overlaps::apart(3);
        let d = decide(&code, &overlaps, &[0], &[]);
        let found = reasons(&code, &d, &Shifts::default(), &overlaps);
        assert_eq!(found.get(&(1, 0)), Some(&BTreeSet::from([1])));
    }

    /// A write of an element.
    fn element(id: Id, to: Var, since: Option<Id>, needs: &[Var]) -> Flow {
        let writes = vec![Write { var: to, own: true, fills: since.is_none(), since, ..Write::default() }];
        Flow::Step(Step { id, reads: needs.into(), writes: writes.into(), adjoint: true, needs: needs.into(), ..Step::default() })
    }

    #[test]
    fn other_iterations_read_nothing_of_a_slice() {
        // 1: w = v*v, v = x; do: 3: x(i) = y; 4: z = x(i)*x(i)
        let of = |slices: Vec<Slice>| {
            let body = vec![element(3, 0, None, &[]), step(4, 2, &[0, 2], &[0, 2])];
            let mut counted = Flow::counted(2, 3, vec![], body);
            if let Flow::Counted { slices: known, .. } = &mut counted {
                *known = slices;
            }
            let code = [step(1, 1, &[0, 1], &[0, 1]), counted];
            let overlaps = Overlaps::apart(4);
            let d = decide(&code, &overlaps, &[0, 1, 2], &[]);
            reasons(&code, &d, &Shifts::default(), &overlaps).remove(&(3, 0))
        };
        assert_eq!(of(vec![Slice { var: 0, all: false }]), Some(BTreeSet::from([1])));
        assert_eq!(of(vec![]), Some(BTreeSet::from([1, 4])));
    }

    #[test]
    fn a_history_is_recorded_for_what_comes_before_its_loop() {
        // 1: w = v*v, v = x; do: 3: x(t + 1) = f(x(t))
        let mut counted = Flow::counted(2, 3, vec![], vec![element(3, 0, Some(2), &[0])]);
        if let Flow::Counted { histories, .. } = &mut counted {
            histories.push(0);
        }
        let code = [step(1, 1, &[0, 1], &[0, 1]), counted];
        let overlaps = Overlaps::apart(4);
        let d = decide(&code, &overlaps, &[0, 1], &[]);
        assert_eq!(reasons(&code, &d, &Shifts::default(), &overlaps).get(&(3, 0)), Some(&BTreeSet::from([1])));
    }
}
