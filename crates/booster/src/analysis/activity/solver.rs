//! What has a derivative: varied (depends on an independent) and useful (influences a dependent) at some point.
//!
//! ```text
//! varied, forward; over all objects and parts of arrays ([`super::parts`])
//!   in(entry)  =  independents of a head  +  what some call hands over varied
//!   in(s)      =  union of out(p) over the steps p from which control comes to s
//!   out(s)     =  in(s) + { y }         y = f(x), where f depends differentiably on some x in in(s)
//!                 in(s) - { y }         where it does not, and all of y is set
//!                 (in(s) - K(C)) + R    a call of C, with R what C writes and is varied at its exit
//! useful, backward
//!   out(exit)  =  dependents of a head  +  what is useful behind some call
//!   out(s)     =  union of in(t) over the steps t to which control goes from s
//!   in(s)      =  (out(s) - { y }) + { x : f depends differentiably on x }       y = f(x), y in out(s), all of y set
//!                 out(s)                                                         y not in out(s)
//!                 (out(s) - K(C)) + what is useful at the entry of C             a call of C
//! active(v)    =  v varied and useful at some point: at the entry of the unit, or behind a step that sets v
//! ```
//!
//! Units that the program does not have, and statements that are kept as text, hand on what they read to all that they write, and to a cell that stands for
//! everything outside of the program, of which others may read it again ([`crate::analysis::program::outside`]); [`super::escapes`] has their equations.
//!
//! With every object goes what it is known to overlap ([`crate::analysis::effects::aliases`]). What holds at a unit's entry or exit is the union over its call sites, so a unit has one
//! answer for all of them; where less holds for some calls, they get a unit of their own ([`super::patterns`]).
//!
//! The right-hand sides are monotone and sets only grow. A unit is looked at again only where its entry or exit has grown, which is as often as it has formals and
//! shared objects, at most; within a unit see [`crate::analysis::dataflow::equations`].
//!
//! Source: varied and useful variables, Hascoët and Pascual, "The Tapenade automatic differentiation tool: principles, model, and specification" (2013); sets that are
//! killed, and differentiable dependence, Araya-Polo and Hascoët (2004), Section 3.
//!
//! Lives here: the equations and their solution. Refusals that follow from it are in [`super::refusals`].

use super::active::{Activity, Escape, Passive, StepFacts, UnitActivity};
use super::heads::ResolvedHead;
use super::parts::Parts;
use super::patterns::Pattern;
use crate::analysis::dataflow::bits::Bits;
use crate::analysis::effects::side_effects::{CallEffects, Order, Worklist};
use crate::analysis::facts::Facts;
use crate::analysis::program::table::{CallStep, Numbers, Step};
use crate::analysis::program::tables::callers;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use xaif::Program;
use xaif::model::{Storage, SymbolId, UnitId, VarRef, VertexId};

impl Activity {
    /// Solves the equations for these heads.
    pub fn of(program: &Program, facts: &Facts, heads: &[ResolvedHead]) -> Activity {
        Solver::new(program, facts).solve(heads)
    }

    /// The same, with the calls that would rather have units of their own: see [`super::patterns`].
    pub fn with_patterns(program: &Program, facts: &Facts, heads: &[ResolvedHead]) -> (Activity, Vec<Pattern>) {
        let mut solver = Solver::new(program, facts);
        let activity = solver.solve(heads);
        let patterns = solver.patterns(heads);
        (activity, patterns)
    }

    /// What the file's own flags say: every unit is reached and every real variable that is flagged is active everywhere.
    pub fn from_flags(program: &Program, facts: &Facts) -> Activity {
        let canonical = program.symbol_ids().map(|s| facts.objects.canonical(s)).collect();
        let units = program
            .unit_ids()
            .map(|u| {
                let table = &facts.tables[u.index()];
                if table.steps.is_empty() {
                    return None;
                }
                let flagged = |s: SymbolId| program.symbol(s).ty.is_real() && program.symbol(s).active;
                let active: BTreeSet<SymbolId> = table.objects.iter().copied().filter(|&s| flagged(s)).collect();
                let steps = vec![StepFacts::COUNTS; table.steps.iter().map(Vec::len).sum()];
                Some(UnitActivity {
                    entry_varied: active.clone(),
                    entry_useful: active.clone(),
                    exit_varied: active.clone(),
                    exit_useful: active.clone(),
                    active,
                    steps,
                    passive: Passive::new(),
                    escapes: super::escapes::by_flags(table, &flagged),
                })
            })
            .collect();
        Activity { units, canonical, everything: true }
    }
}

/// A call with what the equations need of it.
pub(super) struct CallInfo {
    pub(super) effects: CallEffects,
    /// (number here, number in the callee) of objects that both see.
    pub(super) shared: Vec<(u32, u32)>,
    /// Objects of the callee that this call hands over varied, and those that are useful behind it.
    pub(super) pattern: (Numbers, Numbers),
}

pub(super) struct Solver<'a> {
    pub(super) program: &'a Program,
    pub(super) facts: &'a Facts,
    /// Parts of arrays, whose numbers are those behind the unit's objects. Where a unit begins and ends, an array stands for all of its parts.
    pub(super) parts: Vec<Parts>,
    /// For each unit and object what it is known to overlap.
    overlaps: Vec<FxHashMap<u32, Numbers>>,
    /// By vertex and step.
    pub(super) calls: Vec<FxHashMap<(usize, usize), CallInfo>>,
    pub(super) reached: Vec<bool>,
    pub(super) entry_varied: Vec<Bits>,
    pub(super) exit_varied: Vec<Bits>,
    pub(super) entry_useful: Vec<Bits>,
    pub(super) exit_useful: Vec<Bits>,
    /// What was seen at unknown steps when facts were last recorded.
    pub(super) escapes: BTreeMap<(usize, usize), Escape>,
}

impl<'a> Solver<'a> {
    fn new(program: &'a Program, facts: &'a Facts) -> Solver<'a> {
        let parts = Parts::of(program, facts);
        // The last one is the outside.
        let bits = || parts.iter().map(|p| Bits::none(p.len() + 1)).collect::<Vec<_>>();
        let overlaps = program
            .unit_ids()
            .map(|u| {
                let t = &facts.tables[u.index()];
                let mut map: FxHashMap<u32, Numbers> = FxHashMap::default();
                for (n, &s) in t.objects.iter().enumerate() {
                    let list: Numbers = facts.aliases.known(u, s).filter_map(|o| t.number(o)).collect();
                    if !list.is_empty() {
                        map.insert(n as u32, list);
                    }
                }
                map
            })
            .collect();
        let mut solver = Solver {
            program,
            facts,
            overlaps,
            calls: Vec::new(),
            reached: vec![false; facts.tables.len()],
            entry_varied: bits(),
            exit_varied: bits(),
            entry_useful: bits(),
            exit_useful: bits(),
            parts,
            escapes: BTreeMap::new(),
        };
        solver.calls = program.unit_ids().map(|u| solver.calls_of(u)).collect();
        solver
    }

    fn calls_of(&self, unit: UnitId) -> FxHashMap<(usize, usize), CallInfo> {
        let table = &self.facts.tables[unit.index()];
        let mut out = FxHashMap::default();
        for (v, steps) in table.steps.iter().enumerate() {
            for (i, s) in steps.iter().enumerate() {
                let Step::Call(c) = s else { continue };
                let mut shared = Vec::new();
                if let Some(callee) = c.callee {
                    let t = &self.facts.tables[callee.index()];
                    for (n, &o) in t.objects.iter().enumerate() {
                        if self.facts.objects.is_shared(callee, o)
                            && let Some(here) = table.number(o)
                        {
                            shared.push((here, n as u32));
                        }
                    }
                }
                out.insert(
                    (v, i),
                    CallInfo { effects: self.facts.effects.of_call(self.program, table, c), shared, pattern: Default::default() },
                );
            }
        }
        out
    }

    fn solve(&mut self, heads: &[ResolvedHead]) -> Activity {
        let mut work: BTreeSet<usize> = BTreeSet::new();
        for h in heads {
            let u = h.unit.index();
            let table = &self.facts.tables[u];
            let number = |s: SymbolId| table.number(self.facts.objects.canonical(s));
            let exposed = &self.facts.effects.unit(h.unit).exposed;
            // A dependent that comes in with a value has a derivative that comes in with it.
            let inout = h.dependents.iter().filter(|&&s| exposed.contains(&self.facts.objects.canonical(s)));
            for n in h.independents.iter().chain(inout).filter_map(|&s| number(s)) {
                self.entry_varied[u].insert(n);
            }
            for n in h.dependents.iter().filter_map(|&s| number(s)) {
                self.exit_useful[u].insert(n);
            }
            work.insert(u);
        }
        let mut queue: Vec<usize> = work.iter().copied().collect();
        while let Some(u) = queue.pop() {
            if !std::mem::replace(&mut self.reached[u], true) {
                queue.extend(self.facts.tables[u].callees.iter().map(|c| c.index()));
            }
        }
        let callers = callers(&self.facts.tables);
        let order = Order::callees_first(&self.facts.tables);
        let all: Vec<usize> = (0..self.reached.len()).filter(|&u| self.reached[u]).collect();
        for forward in [true, false] {
            let mut work = Worklist::none();
            work.add(&order, &all);
            while let Some(u) = work.next(&order) {
                let (boundary_changed, callees) = if forward { self.forward(u, None) } else { self.backward(u, None) };
                let callees: Vec<usize> = callees.into_iter().filter(|&c| self.reached[c]).collect();
                work.add(&order, &callees);
                if boundary_changed {
                    let callers: Vec<usize> = callers[u].iter().copied().filter(|&c| self.reached[c]).collect();
                    work.add(&order, &callers);
                }
            }
        }
        let mut units = Vec::new();
        for u in 0..self.reached.len() {
            units.push(self.reached[u].then(|| self.record(u)));
        }
        self.set_elsewhere(&mut units);
        let canonical = self.program.symbol_ids().map(|s| self.facts.objects.canonical(s)).collect();
        Activity { units, canonical, everything: false }
    }

    /// How many numbers a unit's states are over.
    pub(super) fn size(&self, u: usize) -> usize {
        self.parts[u].len() + 1
    }

    /// The number of the outside in a unit.
    pub(super) fn outside(&self, u: usize) -> u32 {
        self.parts[u].len() as u32
    }

    pub(super) fn set(&self, u: usize, state: &mut Bits, n: u32) {
        if !self.facts.tables[u].carries.get(self.parts[u].array(n) as usize).copied().unwrap_or(false) {
            return;
        }
        state.insert(n);
        if let Some(list) = self.overlaps[u].get(&n) {
            for &o in list {
                state.insert(o);
            }
        }
    }

    /// Of an array argument a unit may see a part only: setting it as a whole ends nothing for the caller's array, and the caller relies on
    /// the callee's derivative to say so. It takes part as if it were set element by element.
    fn is_formal_array(&self, u: usize, object: u32) -> bool {
        let table = &self.facts.tables[u];
        table.formals.contains(&object) && table.objects.get(object as usize).is_some_and(|&s| self.program.symbol(s).rank > 0)
    }

    /// What an assignment sets, whether what was there before ends with it, and what its value depends on, in terms of parts.
    pub(super) fn assigned(&self, u: usize, at: (usize, usize), step: &Step) -> (u32, bool, Numbers) {
        let Step::Assign { lhs, depends, .. } = step else { return (0, false, Numbers::new()) };
        let ends = |whole: bool| whole && !self.is_formal_array(u, lhs.object);
        match self.parts[u].at(at.0, at.1) {
            Some(named) => {
                let (target, whole) = named.sets.map_or((lhs.object, lhs.whole), |p| (p, self.parts[u].is_element(p)));
                (target, ends(whole), named.depends.clone())
            }
            None => (lhs.object, ends(lhs.whole), depends.clone()),
        }
    }

    /// The state with all parts of its arrays.
    pub(super) fn in_parts(&self, u: usize, state: &Bits) -> Bits {
        let mut out = state.clone();
        self.parts[u].all().filter(|(_, array)| state.has(*array)).for_each(|(part, _)| out.add(part));
        out
    }

    /// The state with the arrays of all its parts, and without parts.
    pub(super) fn in_arrays(&self, u: usize, state: &Bits) -> Bits {
        let mut out = state.clone();
        for (part, array) in self.parts[u].all().filter(|(part, _)| state.has(*part)) {
            out.add(array);
            out.remove(part);
        }
        out
    }

    /// The facts of one unit, once the equations are solved.
    pub(super) fn record(&mut self, u: usize) -> UnitActivity {
        let mut steps: Vec<Vec<StepFacts>> = self.facts.tables[u].steps.iter().map(|s| vec![StepFacts::default(); s.len()]).collect();
        self.escapes.clear();
        self.forward(u, Some(&mut steps));
        self.backward(u, Some(&mut steps));
        let table = &self.facts.tables[u];
        let symbols = |b: &Bits| b.iter().filter_map(|n| table.objects.get(n as usize).copied()).collect::<BTreeSet<_>>();
        let mut active = self.entry_varied[u].clone();
        active.meet(&self.entry_useful[u]);
        let mut active = self.in_parts(u, &active);
        for (v, list) in table.steps.iter().enumerate() {
            for (i, step) in list.iter().enumerate() {
                let f = steps[v][i];
                if !(f.varied && f.useful) {
                    continue;
                }
                match step {
                    Step::Assign { .. } => self.set(u, &mut active, self.assigned(u, (v, i), step).0),
                    Step::Call(c) => {
                        for n in self.outputs(u, (v, i), c) {
                            self.set(u, &mut active, n);
                        }
                    }
                    Step::Opaque { writes, .. } => {
                        for &n in writes {
                            self.set(u, &mut active, n);
                        }
                    }
                    Step::Test { .. } => {}
                }
            }
        }
        let passive = self.passive(u, &active);
        let active = self.in_arrays(u, &active);
        UnitActivity {
            passive,
            escapes: std::mem::take(&mut self.escapes),
            active: symbols(&active),
            entry_varied: symbols(&self.entry_varied[u]),
            entry_useful: symbols(&self.entry_useful[u]),
            exit_varied: symbols(&self.exit_varied[u]),
            exit_useful: symbols(&self.exit_useful[u]),
            steps: steps.concat(),
        }
    }

    /// References to parts that are not active, of arrays that are. Where an argument is set, its caller's derivative is, so that stays.
    fn passive(&self, u: usize, active: &Bits) -> Passive {
        let mut out = Passive::new();
        let arrays = self.in_arrays(u, active);
        for (&at, named) in self.parts[u].steps() {
            let local = |r: &VarRef| *self.program.symbol(r.symbol).storage() == Storage::Local;
            let idle = named.places.iter().filter(|(_, p)| !active.has(*p) && arrays.has(self.parts[u].array(*p)));
            let list: Vec<VarRef> = idle.filter(|(r, p)| local(r) || named.sets != Some(*p)).map(|(r, _)| r.clone()).collect();
            if let Some(step) = self.facts.tables[u].numbering.at(VertexId::new(at.0), at.1).filter(|_| !list.is_empty()) {
                out.insert(step, list);
            }
        }
        out
    }

    /// A shared object that is active in one unit has a derivative for all of them. So it is active too where another unit gives it a value that
    /// counts, although that value depends on no independent: what its derivative was before ends there.
    fn set_elsewhere(&self, units: &mut [Option<UnitActivity>]) {
        let mut everywhere: BTreeSet<SymbolId> = BTreeSet::new();
        for u in self.program.unit_ids() {
            let active = units[u.index()].iter().flat_map(|a| a.active.iter().copied());
            everywhere.extend(active.filter(|&s| self.facts.objects.is_shared(u, s)));
        }
        if everywhere.is_empty() {
            return;
        }
        for (unit, table) in units.iter_mut().zip(&self.facts.tables) {
            let Some(unit) = unit else { continue };
            let mut more = BTreeSet::new();
            let mut add = |n: u32| {
                let carries = table.carries.get(n as usize).copied().unwrap_or(false);
                more.extend(table.objects.get(n as usize).copied().filter(|s| carries && everywhere.contains(s)));
            };
            for (step, _) in table.steps.iter().flatten().zip(&unit.steps).filter(|(_, f)| f.useful) {
                match step {
                    Step::Assign { lhs, .. } => add(lhs.object),
                    Step::Opaque { writes, .. } => writes.iter().copied().for_each(&mut add),
                    Step::Call(_) | Step::Test { .. } => {}
                }
            }
            unit.active.extend(more);
        }
    }

    /// The caller's objects that come out of a call varied and useful.
    fn outputs(&self, u: usize, at: (usize, usize), c: &CallStep) -> Numbers {
        let mut out = Numbers::new();
        let Some(callee) = c.callee else {
            return super::escapes::touched(c).1;
        };
        let k = callee.index();
        let writes = &self.facts.effects.unit(callee).writes;
        let both = |n: u32| self.exit_varied[k].has(n) && self.exit_useful[k].has(n);
        for a in &c.args {
            if let (Some(t), Some(f)) = (a.target, a.formal)
                && let Some(formal) = self.program.unit(callee).formals.get(f)
                && writes.contains(&formal.symbol)
                && both(self.facts.tables[k].formals[f])
            {
                out.push(t.object);
            }
        }
        for &(here, there) in self.calls[u].get(&at).map_or(&[][..], |i| &i.shared) {
            if both(there) && writes.contains(&self.facts.tables[k].objects[there as usize]) {
                out.push(here);
            }
        }
        out
    }
}
