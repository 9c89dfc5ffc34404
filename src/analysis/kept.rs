//! What variables that keep their value between calls (C `static`, Fortran SAVE) carry from one call to the next.
//!
//! Derivative code cannot reach another unit's static variables: it has copies of its own, which do not follow the originals. That is right only for
//!
//! ```text
//! if (first) then; c = sqrt(2.0); first = .false.     once      the same values, whenever they are set
//! n = n + 1; print *, n                               itself    no other variable and no decision depends on it
//! ```
//!
//! Values are set once where they depend on nothing but constants and values of that kind, and so do the conditions on which they are set; none depends on
//! itself, and what decides about itself is set in one place:
//!
//! ```text
//! fixed(v)   for each statement that sets v: fixed(w) for all w that it reads, and for all w that the conditions around it read
//! once(v)    fixed(v), no v -> ... -> v by what is read; one statement at most if v -> ... -> v by conditions
//! ```
//!
//! with conditions around a statement by control dependence (Ferrante, Ottenstein, Warren 1987). Lives here: this question, for variables of one unit. Never
//! here: what is done about the answer.

use super::effects::Effects;
use super::objects::Objects;
use super::table::{ArgStep, CallStep, Numbers, Step, UnitTable};
use petgraph::algo::dominators::simple_fast;
use petgraph::visit::Reversed;
use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::model::{BaseType, Storage, SymbolId, UnitId, VertexId};

/// What a static variable carries from one call to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Nothing: no call reads what another one has set.
    Nothing,
    /// Values that are the same whenever they are set.
    Once,
    /// What counts for nothing but itself.
    Itself,
    /// The history of calls.
    History,
}

/// The static variables that units set.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    units: FxHashMap<UnitId, Vec<(SymbolId, Keeps)>>,
    all: FxHashMap<SymbolId, Keeps>,
}

impl Kept {
    /// Looks at all units.
    pub fn of(program: &Program, objects: &Objects, tables: &[UnitTable], effects: &Effects) -> Kept {
        let mut out = Kept::default();
        for u in program.unit_ids() {
            let own = |s: &SymbolId| *program.symbol(*s).storage() == Storage::Static && objects.owner(*s) == Some(u);
            let written: Vec<SymbolId> = effects.unit(u).writes.iter().copied().filter(own).collect();
            if written.is_empty() {
                continue;
            }
            let kept = Unit::of(program, objects, tables, effects, u).classified(&written);
            out.all.extend(kept.iter().copied());
            out.units.insert(u, kept);
        }
        out
    }

    /// The static variables that a unit declares and sets.
    pub fn in_unit(&self, unit: UnitId) -> &[(SymbolId, Keeps)] {
        self.units.get(&unit).map_or(&[], |l| l)
    }

    /// Whether a variable carries the history of calls.
    pub fn has_history(&self, symbol: SymbolId) -> bool {
        self.all.get(&symbol) == Some(&Keeps::History)
    }
}

/// A statement that sets a variable.
struct Write {
    /// What the value depends on; `None` where that is not known.
    reads: Option<Numbers>,
    at: VertexId,
}

/// A unit with its statements by what they set.
struct Unit<'a> {
    program: &'a Program,
    objects: &'a Objects,
    effects: &'a Effects,
    id: UnitId,
    table: &'a UnitTable,
    writes: FxHashMap<u32, Vec<Write>>,
    /// For each vertex what the conditions read that decide whether it is reached.
    conditions: FxHashMap<VertexId, Numbers>,
}

impl<'a> Unit<'a> {
    fn of(program: &'a Program, objects: &'a Objects, tables: &'a [UnitTable], effects: &'a Effects, id: UnitId) -> Self {
        let table = &tables[id.index()];
        let mut unit = Unit { program, objects, effects, id, table, writes: FxHashMap::default(), conditions: FxHashMap::default() };
        for &v in &table.order {
            for step in &table.steps[v.index()] {
                unit.step(v, step);
            }
        }
        unit.control();
        unit
    }

    fn step(&mut self, at: VertexId, step: &Step) {
        match step {
            Step::Assign { lhs, reads, .. } => self.add(lhs.object, at, Some(reads.clone())),
            Step::Opaque { writes, .. } => writes.iter().for_each(|&w| self.add(w, at, None)),
            Step::Call(call) => self.call(at, call),
            Step::Test { .. } => {}
        }
    }

    fn call(&mut self, at: VertexId, call: &CallStep) {
        let mut read = Numbers::new();
        for a in &call.args {
            read.extend(a.reads.iter().copied());
        }
        let Some(callee) = call.callee else {
            // A function that is not in the program sets its result, which comes last, from its arguments; of a subroutine nothing is known.
            let function = !matches!(self.program.symbol(call.name).ty.base, BaseType::Void | BaseType::Opaque);
            let mut targets: Vec<u32> = call.args.iter().filter_map(|a| Some(a.target?.object)).collect();
            let result = targets.pop().filter(|_| function);
            read.extend(targets.iter().copied());
            match result {
                Some(r) => self.add(r, at, Some(read)),
                None => call.args.iter().filter_map(|a| a.target).for_each(|t| self.add(t.object, at, None)),
            }
            return;
        };
        let (formals, effects) = (&self.program.unit(callee).formals, self.effects.unit(callee));
        let of = |a: &ArgStep| Some((formals.get(a.formal?)?.symbol, a.target?.object));
        let is_formal = |s: &SymbolId| formals.iter().any(|f| f.symbol == *s);
        // What a unit computes from variables that are not handed to it is not followed.
        let by_itself = effects.exposed.iter().all(is_formal);
        read.extend(call.args.iter().filter_map(of).filter(|(f, _)| effects.exposed.contains(f)).map(|(_, n)| n));
        for (f, n) in call.args.iter().filter_map(of) {
            if effects.writes.contains(&f) {
                self.add(n, at, by_itself.then(|| read.clone()));
            }
        }
        for &s in effects.writes.iter().filter(|s| !is_formal(s)) {
            if let Some(n) = self.table.number(s) {
                self.add(n, at, None);
            }
        }
    }

    fn add(&mut self, object: u32, at: VertexId, reads: Option<Numbers>) {
        self.writes.entry(object).or_default().push(Write { reads, at });
    }

    /// The conditions around each vertex, by postdominators.
    fn control(&mut self) {
        let graph = &self.program.unit(self.id).graph;
        let Some(exit) = self.program.unit(self.id).exit() else { return };
        let behind = simple_fast(Reversed(graph), exit);
        for &b in &self.table.order {
            let mut read = Numbers::new();
            for s in &self.table.steps[b.index()] {
                if let Step::Test { reads } = s {
                    read.extend(reads.iter().copied());
                }
            }
            if read.is_empty() {
                continue;
            }
            let end = behind.immediate_dominator(b);
            for first in graph.neighbors(b) {
                let mut at = Some(first);
                while let Some(v) = at.filter(|v| Some(*v) != end) {
                    let list = self.conditions.entry(v).or_default();
                    list.extend(read.iter().copied().filter(|r| !list.contains(r)).collect::<Numbers>());
                    at = behind.immediate_dominator(v);
                }
            }
        }
    }

    fn is_own(&self, n: u32) -> bool {
        let s = self.table.objects[n as usize];
        let local = matches!(self.program.symbol(s).storage(), Storage::Local | Storage::Static);
        *self.program.symbol(s).storage() == Storage::Constant || local && self.objects.owner(s).is_none_or(|o| o == self.id)
    }

    /// It begins with what an earlier call has left.
    fn begins_with_old(&self, n: u32) -> bool {
        let s = self.table.objects[n as usize];
        *self.program.symbol(s).storage() == Storage::Static && self.effects.unit(self.id).exposed.contains(&s)
    }

    /// The variables that are fixed.
    fn fixed(&self) -> Vec<bool> {
        let mut fixed: Vec<bool> = (0..self.table.len() as u32).map(|n| self.is_own(n)).collect();
        loop {
            let mut lost = Vec::new();
            for (&n, writes) in &self.writes {
                let holds = |w: &Write| {
                    let value = w.reads.as_ref().is_some_and(|r| r.iter().all(|&r| fixed[r as usize]));
                    value && self.conditions.get(&w.at).is_none_or(|c| c.iter().all(|&r| fixed[r as usize]))
                };
                if fixed[n as usize] && !writes.iter().all(holds) {
                    lost.push(n);
                }
            }
            if lost.is_empty() {
                return fixed;
            }
            lost.into_iter().for_each(|n| fixed[n as usize] = false);
        }
    }

    /// Whether a variable's value comes from its own, by what is read, or by conditions as well.
    fn depends_on_itself(&self, of: u32, conditions: bool) -> bool {
        let mut seen = vec![false; self.table.len()];
        let mut open = vec![of];
        while let Some(n) = open.pop() {
            for w in self.writes.get(&n).into_iter().flatten() {
                let around = self.conditions.get(&w.at).filter(|_| conditions);
                for &r in w.reads.iter().chain(around).flatten() {
                    if r == of {
                        return true;
                    }
                    if !std::mem::replace(&mut seen[r as usize], true) {
                        open.push(r);
                    }
                }
            }
        }
        false
    }

    /// Whether nothing but its own new values, and text that is printed, comes from a variable.
    fn counts_for_itself(&self, n: u32) -> bool {
        let steps = self.table.order.iter().flat_map(|v| &self.table.steps[v.index()]);
        steps.into_iter().all(|s| match s {
            Step::Assign { lhs, reads, .. } => lhs.object == n || !reads.contains(&n),
            Step::Call(c) => c.args.iter().all(|a| !a.reads.contains(&n) && a.target.is_none_or(|t| t.object != n)),
            Step::Opaque { reads, writes } => !reads.contains(&n) || writes.is_empty(),
            Step::Test { reads } => !reads.contains(&n),
        })
    }

    fn classified(&self, statics: &[SymbolId]) -> Vec<(SymbolId, Keeps)> {
        let fixed = self.fixed();
        let one = |&s: &SymbolId| {
            let Some(n) = self.table.number(s) else { return (s, Keeps::History) };
            let once = || {
                let places = self.writes.get(&n).map_or(0, Vec::len);
                fixed[n as usize] && !self.depends_on_itself(n, false) && (places <= 1 || !self.depends_on_itself(n, true))
            };
            let keeps = match () {
                () if !self.begins_with_old(n) => Keeps::Nothing,
                () if once() => Keeps::Once,
                () if self.counts_for_itself(n) => Keeps::Itself,
                () => Keeps::History,
            };
            (s, keeps)
        };
        statics.iter().map(one).collect()
    }
}
