//! What variables that keep their value between calls (C `static`, Fortran SAVE) carry from one call to the next.
//!
//! Derivative code cannot reach another unit's static variables: it has copies of its own, which do not follow the originals. That is right only for
//!
//! ```text
//! if (first) then; c = sqrt(2.0); first = .false.     once      the same values, whenever they are set
//! n = n + 1; print *, n                               itself    nothing else depends on it, at least in no unit with derivatives
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
//! with conditions around a statement by control dependence (Ferrante, Ottenstein, Warren 1987). What depends on a variable is followed through assignments,
//! conditions and calls, without regard to order:
//!
//! ```text
//! from(v)    v; each variable that a statement sets which reads one of from(v), or stands under a condition that does; formals for actuals and back
//! ```
//!
//! Lives here: these questions. Never here: what is done about the answers.

use super::side_effects::Effects;
use crate::analysis::program::objects::Objects;
use crate::analysis::program::table::{ArgStep, CallStep, Numbers, Step, UnitTable};
use petgraph::algo::dominators::simple_fast;
use petgraph::visit::Reversed;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{BaseType, Storage, SymbolId, UnitId, VertexId};

/// What a static variable carries from one call to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Nothing: no call reads what another one has set.
    Nothing,
    /// Values that are the same whenever they are set.
    Once,
    /// The history of calls.
    History,
}

/// The static variables that units set.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    units: FxHashMap<UnitId, Vec<(SymbolId, Keeps)>>,
    /// For each variable with a history the units in which something depends on it; none for what is in no unit.
    history: FxHashMap<SymbolId, Vec<Option<UnitId>>>,
}

impl Kept {
    /// Looks at all units.
    pub fn of(program: &Program, objects: &Objects, tables: &[UnitTable], effects: &Effects) -> Kept {
        let mut out = Kept::default();
        let whole = Whole { program, objects, tables, effects };
        let mut units: FxHashMap<UnitId, Unit> = FxHashMap::default();
        let mut from: FxHashMap<SymbolId, FxHashSet<SymbolId>> = FxHashMap::default();
        for u in program.unit_ids() {
            let own = |s: &&SymbolId| *program.symbol(**s).storage() == Storage::Static && objects.owner(**s) == Some(u);
            let written: Vec<(SymbolId, Keeps)> = effects.unit(u).writes.iter().filter(own).map(|&s| (s, Keeps::Nothing)).collect();
            for (s, _) in written.iter().filter(|(s, _)| effects.unit(u).exposed.contains(s)) {
                from.insert(*s, whole.from(*s, &mut units));
            }
            if !written.is_empty() {
                out.units.insert(u, written);
            }
        }
        for (&u, list) in &mut out.units {
            if list.iter().any(|(s, _)| from.contains_key(s)) {
                let unit = Unit::of(whole, u, &from);
                let fixed = unit.fixed();
                list.iter_mut().filter(|(s, _)| from.contains_key(s)).for_each(|(s, keeps)| *keeps = unit.classified(*s, &fixed));
            }
        }
        for (s, _) in out.units.values().flatten().filter(|(_, k)| *k == Keeps::History) {
            let places: FxHashSet<Option<UnitId>> = from[s].iter().filter(|t| *t != s).map(|&t| objects.owner(t)).collect();
            out.history.insert(*s, places.into_iter().collect());
        }
        out
    }

    /// The static variables that a unit declares and sets.
    pub fn in_unit(&self, unit: UnitId) -> &[(SymbolId, Keeps)] {
        self.units.get(&unit).map_or(&[], |l| l)
    }

    /// Whether a variable carries a history of calls into units of some kind.
    pub fn has_history(&self, symbol: SymbolId, counts: impl Fn(UnitId) -> bool) -> bool {
        self.history.get(&symbol).is_some_and(|l| l.iter().any(|u| u.is_none_or(&counts)))
    }
}

/// What is known of the program.
#[derive(Clone, Copy)]
struct Whole<'a> {
    program: &'a Program,
    objects: &'a Objects,
    tables: &'a [UnitTable],
    effects: &'a Effects,
}

impl<'a> Whole<'a> {
    /// All variables that may depend on one.
    fn from(self, symbol: SymbolId, units: &mut FxHashMap<UnitId, Unit<'a>>) -> FxHashSet<SymbolId> {
        let mut out = FxHashSet::from_iter([symbol]);
        let mut open: Vec<UnitId> = self.program.unit_ids().filter(|u| self.tables[u.index()].number(symbol).is_some()).collect();
        loop {
            let (before, mut more) = (out.len(), Vec::new());
            for &u in &open {
                let unit = units.entry(u).or_insert_with(|| Unit::of(self, u, &FxHashMap::default()));
                unit.spread(&mut out, &mut more);
            }
            more.retain(|u| !open.contains(u));
            open.extend(more.iter().copied());
            if out.len() == before && more.is_empty() {
                return out;
            }
        }
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
    whole: Whole<'a>,
    id: UnitId,
    table: &'a UnitTable,
    writes: FxHashMap<u32, Vec<Write>>,
    /// For each vertex what the conditions read that decide whether it is reached.
    conditions: FxHashMap<VertexId, Numbers>,
}

impl<'a> Unit<'a> {
    fn of(whole: Whole<'a>, id: UnitId, from: &FxHashMap<SymbolId, FxHashSet<SymbolId>>) -> Self {
        let table = &whole.tables[id.index()];
        let mut unit = Unit { whole, id, table, writes: FxHashMap::default(), conditions: FxHashMap::default() };
        for &v in &table.order {
            for step in &table.steps[v.index()] {
                unit.step(v, step, from);
            }
        }
        unit.control();
        unit
    }

    /// Adds what depends on variables that are there, and units that these are handed to.
    fn spread(&self, out: &mut FxHashSet<SymbolId>, called: &mut Vec<UnitId>) {
        let symbol = |n: u32| self.table.objects[n as usize];
        for &v in &self.table.order {
            let under = self.conditions.get(&v).is_some_and(|c| c.iter().any(|&n| out.contains(&symbol(n))));
            for step in &self.table.steps[v.index()] {
                let any = |reads: &Numbers, out: &FxHashSet<SymbolId>| under || reads.iter().any(|&n| out.contains(&symbol(n)));
                match step {
                    Step::Assign { lhs, reads, .. } if any(reads, out) => drop(out.insert(symbol(lhs.object))),
                    Step::Opaque { reads, writes, .. } if any(reads, out) => out.extend(writes.iter().map(|&n| symbol(n))),
                    Step::Call(call) => {
                        let handed = |a: &ArgStep, out: &FxHashSet<SymbolId>| {
                            any(&a.reads, out) || a.target.is_some_and(|t| out.contains(&symbol(t.object)))
                        };
                        let Some(callee) = call.callee else {
                            if call.args.iter().any(|a| handed(a, out)) || any(&Numbers::from_slice(&call.outside.reads), out) {
                                out.extend(call.args.iter().filter_map(|a| Some(symbol(a.target?.object))));
                                out.extend(call.outside.writes.iter().map(|&n| symbol(n)));
                            }
                            continue;
                        };
                        let writes = &self.whole.effects.unit(callee).writes;
                        for a in &call.args {
                            let Some(f) = a.formal.and_then(|k| self.whole.program.unit(callee).formals.get(k)).map(|f| f.symbol) else {
                                continue;
                            };
                            if handed(a, out) && out.insert(f) {
                                called.push(callee);
                            }
                            if let Some(t) = a.target.filter(|_| writes.contains(&f) && (under || out.contains(&f))) {
                                out.insert(symbol(t.object));
                            }
                        }
                        if under {
                            out.extend(writes.iter().copied().filter(|&s| self.table.number(s).is_some()));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn step(&mut self, at: VertexId, step: &Step, from: &FxHashMap<SymbolId, FxHashSet<SymbolId>>) {
        match step {
            Step::Assign { lhs, reads, .. } => self.add(lhs.object, at, Some(reads.clone())),
            Step::Opaque { writes, .. } => writes.iter().for_each(|&w| self.add(w, at, None)),
            Step::Call(call) => self.call(at, call, from),
            Step::Test { .. } => {}
        }
    }

    fn call(&mut self, at: VertexId, call: &CallStep, from: &FxHashMap<SymbolId, FxHashSet<SymbolId>>) {
        let Whole { program, effects, .. } = self.whole;
        let mut read = Numbers::new();
        for a in &call.args {
            read.extend(a.reads.iter().copied());
        }
        let Some(callee) = call.callee else {
            // A function that is not in the program sets its result, which comes last, from its arguments; of a subroutine nothing is known.
            let function = !matches!(program.symbol(call.name).ty.base, BaseType::Void | BaseType::Opaque);
            let mut targets: Vec<u32> = call.args.iter().filter_map(|a| Some(a.target?.object)).collect();
            let result = targets.pop().filter(|_| function);
            read.extend(targets.iter().copied());
            match result {
                Some(r) => self.add(r, at, Some(read)),
                None => call.args.iter().filter_map(|a| a.target).for_each(|t| self.add(t.object, at, None)),
            }
            call.outside.writes.iter().for_each(|&n| self.add(n, at, None));
            return;
        };
        let (formals, effects) = (&program.unit(callee).formals, effects.unit(callee));
        let of = |a: &ArgStep| Some((formals.get(a.formal?)?.symbol, a.target?.object));
        let is_formal = |s: &SymbolId| formals.iter().any(|f| f.symbol == *s);
        // What a unit computes from variables that are not handed to it is not followed, but for static ones that nothing handed to it depends on.
        let apart = |s: &SymbolId| from.get(s).is_some_and(|all| !formals.iter().any(|f| all.contains(&f.symbol)));
        let by_itself = effects.exposed.iter().all(|s| is_formal(s) || apart(s));
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
        let unit = self.whole.program.unit(self.id);
        let (graph, Some(exit)) = (&unit.graph, unit.exit()) else { return };
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
        let storage = self.whole.program.symbol(s).storage();
        let local = matches!(storage, Storage::Local | Storage::Static);
        *storage == Storage::Constant || local && self.whole.objects.owner(s).is_none_or(|o| o == self.id)
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

    fn classified(&self, s: SymbolId, fixed: &[bool]) -> Keeps {
        let Some(n) = self.table.number(s) else { return Keeps::History };
        let places = self.writes.get(&n).map_or(0, Vec::len);
        let once = fixed[n as usize] && !self.depends_on_itself(n, false) && (places <= 1 || !self.depends_on_itself(n, true));
        if once { Keeps::Once } else { Keeps::History }
    }
}
