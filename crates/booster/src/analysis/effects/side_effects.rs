//! What a unit reads and writes, its callees included.
//!
//! Four sets for each unit P, over its formals and the objects that outlive it. For steps s of P, with a call standing for the sets of its callee in terms of the caller:
//!
//! ```text
//! R(P)   =  union of r(s)                                                                   read anywhere
//! W(P)   =  union of w(s)                                                                   written anywhere
//! K(P)   =  written(exit),   written(s) = intersection of (written(p) + k(p))               written as a whole on every path, forward;
//!                            written(entry) = {}                                            scalars only, as a callee may see a part of an array
//! E(P)   =  exposed(entry),  exposed(s) = (union of exposed(t) - k(s)) + e(s)               read where it may not have been written before, backward
//! ```
//!
//! with p the steps from which control comes to s, t those to which it goes; r, w, k what a step reads, writes, and writes as a whole; e = r, and E of the callee for a call.
//! An array of which all that is read has been set before is not exposed (see [`crate::analysis::arrays::fresh`]). Units that the program does not have may read and write what they
//! are handed, and what else they reach ([`crate::analysis::program::outside`]).
//!
//! R, W and E grow from nothing, K shrinks from the scalars of W: monotone in both directions, so a unit is looked at again at most as often as its callees have
//! objects. Callees come first, so without recursion once ([`Order`]).
//!
//! Source: the read, write and killed sets R, W, K of Araya-Polo and Hascoët, "Data flow algorithms in the Tapenade tool for automatic differentiation" (2004),
//! Section 3, summarized by units.
//!
//! Lives here: these sets. Never here: values, activity.

use super::covered::{Parts, Whole};
use crate::analysis::dataflow::bits::Bits;
use crate::analysis::dataflow::equations::solve;
use crate::analysis::program::objects::Objects;
use crate::analysis::program::outside::Outside;
use crate::analysis::program::table::{CallStep, Numbers, Step, Target, UnitTable};
use crate::analysis::program::tables::callers;
use petgraph::Direction;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::{Passing, Storage, SymbolId, UnitId, VertexId};

/// The effects of one unit: own formals by their symbols, other objects by their canonical symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitEffects {
    /// Read somewhere.
    pub reads: BTreeSet<SymbolId>,
    /// Read where it may not have been written before.
    pub exposed: BTreeSet<SymbolId>,
    /// Written somewhere. A formal that takes a value is never in here.
    pub writes: BTreeSet<SymbolId>,
    /// Written as a whole on every path to the exit.
    pub kills: BTreeSet<SymbolId>,
    /// Calls something that the program does not have, directly or through a callee.
    pub calls_unknown: bool,
}

/// The effects of all units.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    units: Vec<UnitEffects>,
    /// For each unit the parts of its formals that it sets on every path to the exit.
    pub(super) sets: Vec<Parts>,
}

/// What a call does to the caller's objects, by number in the caller's table.
#[derive(Clone, Debug, Default)]
pub struct CallEffects {
    /// Read somewhere in the callee.
    pub reads: Numbers,
    /// Read before the callee writes it.
    pub exposed: Numbers,
    /// May be written.
    pub writes: Numbers,
    /// Certainly written as a whole.
    pub kills: Numbers,
}

impl CallEffects {
    /// Adds what a call touches that its arguments do not name.
    fn besides(&mut self, outside: &Outside) {
        self.reads.extend_from_slice(&outside.reads);
        self.exposed.extend_from_slice(&outside.reads);
        self.writes.extend_from_slice(&outside.writes);
    }
}

impl Effects {
    /// The effects of a unit.
    pub fn unit(&self, unit: UnitId) -> &UnitEffects {
        static NOTHING: UnitEffects = UnitEffects {
            reads: BTreeSet::new(),
            exposed: BTreeSet::new(),
            writes: BTreeSet::new(),
            kills: BTreeSet::new(),
            calls_unknown: false,
        };
        self.units.get(unit.index()).unwrap_or(&NOTHING)
    }

    /// Computes them to a fixpoint over the call graph.
    pub fn of(program: &Program, objects: &Objects, tables: &[UnitTable]) -> Effects {
        let mut effects = Effects { units: vec![UnitEffects::default(); tables.len()], sets: vec![Parts::default(); tables.len()] };
        for (e, t) in effects.units.iter_mut().zip(tables) {
            e.calls_unknown = !t.unknown.is_empty();
        }
        let by_callers = callers(tables);
        let order = Order::callees_first(tables);
        // Reads and writes anywhere: they only grow.
        let mut work = Worklist::all(&order);
        while let Some(u) = work.next(&order) {
            let next = effects.flow_insensitive(program, UnitId(u as u32), &tables[u]);
            if next != effects.units[u] {
                effects.units[u] = next;
                work.add(&order, &by_callers[u]);
            }
        }
        // Kills shrink from everything written.
        for e in &mut effects.units {
            e.kills = e.writes.iter().copied().filter(|&s| program.symbol(s).rank == 0).collect();
        }
        let mut work = Worklist::all(&order);
        while let Some(u) = work.next(&order) {
            let kills = effects.definitely_written(program, UnitId(u as u32), &tables[u]);
            if kills != effects.units[u].kills {
                effects.units[u].kills = kills;
                work.add(&order, &by_callers[u]);
            }
        }
        let whole = Whole::of(program, objects, tables);
        for &u in &order.units {
            effects.sets[u] = effects.parts_set(&whole, UnitId(u as u32), &tables[u]);
        }
        let mut work = Worklist::all(&order);
        while let Some(u) = work.next(&order) {
            let exposed = effects.upward_exposed(&whole, UnitId(u as u32), &tables[u]);
            if exposed != effects.units[u].exposed {
                effects.units[u].exposed = exposed;
                work.add(&order, &by_callers[u]);
            }
        }
        effects
    }

    /// What a call does, in the numbers of the caller's table.
    pub fn of_call(&self, program: &Program, table: &UnitTable, call: &CallStep) -> CallEffects {
        let mut out = CallEffects::default();
        let Some(callee) = call.callee else {
            for a in &call.args {
                out.reads.extend_from_slice(&a.reads);
                out.exposed.extend_from_slice(&a.reads);
                if let Some(t) = a.target {
                    out.reads.push(t.object);
                    out.exposed.push(t.object);
                    out.writes.push(t.object);
                }
            }
            out.besides(&call.outside);
            return out;
        };
        let effects = self.unit(callee);
        let formals = &program.unit(callee).formals;
        for a in &call.args {
            out.reads.extend_from_slice(&a.reads);
            out.exposed.extend_from_slice(&a.reads);
            let Some(t) = a.target else { continue };
            let Some(f) = a.formal.and_then(|k| formals.get(k)) else {
                out.reads.push(t.object);
                out.exposed.push(t.object);
                out.writes.push(t.object);
                continue;
            };
            let has = |set: &BTreeSet<SymbolId>| set.contains(&f.symbol);
            if has(&effects.reads) {
                out.reads.push(t.object);
            }
            if has(&effects.exposed) {
                out.exposed.push(t.object);
            }
            if has(&effects.writes) {
                out.writes.push(t.object);
            }
            let scalar = table.objects.get(t.object as usize).is_some_and(|&s| program.symbol(s).rank == 0);
            if has(&effects.kills) && t.whole && scalar {
                out.kills.push(t.object);
            }
        }
        let shared = |set: &BTreeSet<SymbolId>, list: &mut Numbers| {
            for &s in set {
                if formals.iter().all(|f| f.symbol != s)
                    && let Some(n) = table.number(s)
                {
                    list.push(n);
                }
            }
        };
        shared(&effects.reads, &mut out.reads);
        shared(&effects.exposed, &mut out.exposed);
        shared(&effects.writes, &mut out.writes);
        shared(&effects.kills, &mut out.kills);
        out.besides(&call.outside);
        // What one argument kills another may have exposed; the same object twice is not killed for certain.
        out
    }

    fn visible(&self, program: &Program, unit: UnitId, table: &UnitTable, number: u32, written: bool) -> Option<SymbolId> {
        let s = *table.objects.get(number as usize)?;
        if let Some(f) = program.unit(unit).formals.iter().find(|f| f.symbol == s) {
            let hidden = written && program.symbol(f.symbol).passing() == Passing::Value && !f.result;
            return (!hidden).then_some(s);
        }
        // Declared in the unit's own scope and dead when it returns: nobody else's business.
        let own = program.symbol(s).scope == program.unit(unit).scope;
        let kept = !matches!(program.symbol(s).storage(), Storage::Local | Storage::Argument | Storage::Constant);
        (!own || kept).then_some(s)
    }

    fn flow_insensitive(&self, program: &Program, unit: UnitId, table: &UnitTable) -> UnitEffects {
        let mut out = UnitEffects { calls_unknown: self.unit(unit).calls_unknown, ..UnitEffects::default() };
        let mut read = |n: u32| out.reads.extend(self.visible(program, unit, table, n, false));
        let mut written = BTreeSet::new();
        for step in table.steps.iter().flatten() {
            match step {
                Step::Assign { lhs, reads, .. } => {
                    reads.iter().for_each(|&n| read(n));
                    written.extend(self.visible(program, unit, table, lhs.object, true));
                }
                Step::Test { reads } => reads.iter().for_each(|&n| read(n)),
                Step::Opaque { reads, writes, .. } => {
                    reads.iter().for_each(|&n| read(n));
                    written.extend(writes.iter().filter_map(|&n| self.visible(program, unit, table, n, true)));
                }
                Step::Call(c) => {
                    let e = self.of_call(program, table, c);
                    e.reads.iter().for_each(|&n| read(n));
                    written.extend(e.writes.iter().filter_map(|&n| self.visible(program, unit, table, n, true)));
                }
            }
        }
        out.reads.extend(table.extents.iter().copied());
        out.writes = written;
        out.calls_unknown |= table.callees.iter().any(|&c| self.unit(c).calls_unknown);
        out
    }

    fn kills_of(&self, program: &Program, table: &UnitTable, step: &Step) -> Numbers {
        match step {
            Step::Assign { lhs: Target { object, whole: true }, perhaps: false, .. } => SmallVec::from_slice(&[*object]),
            Step::Call(c) => self.of_call(program, table, c).kills,
            _ => Numbers::new(),
        }
    }

    fn definitely_written(&self, program: &Program, unit: UnitId, table: &UnitTable) -> BTreeSet<SymbolId> {
        let Some(exit) = program.unit(unit).exit() else { return BTreeSet::new() };
        let written = self.written_at_entry_of(program, unit, table);
        let Some(at_exit) = written.get(exit.index()) else { return BTreeSet::new() };
        let writes = &self.unit(unit).writes;
        // Of arrays a callee may see another part than the caller means.
        writes
            .iter()
            .copied()
            .filter(|&s| program.symbol(s).rank == 0)
            .filter(|&s| table.number(s).is_some_and(|n| at_exit.has(n)))
            .collect()
    }

    /// For each vertex the objects that are certainly written as a whole when control gets there.
    pub fn written_at_entry_of(&self, program: &Program, unit: UnitId, table: &UnitTable) -> Vec<Bits> {
        let graph = &program.unit(unit).graph;
        let size = table.len();
        let mut before = vec![Bits::all(size); graph.node_count()];
        let mut after = vec![Bits::all(size); graph.node_count()];
        let generated: Vec<Bits> = table
            .steps
            .iter()
            .map(|steps| {
                let mut g = Bits::none(size);
                for s in steps {
                    self.kills_of(program, table, s).iter().for_each(|&n| {
                        g.insert(n);
                    });
                }
                g
            })
            .collect();
        let entry = table.order.first().copied();
        solve(graph, &table.order, Direction::Outgoing, |v| {
            let mut ways = graph.neighbors_directed(v, Direction::Incoming).filter(|_| entry != Some(v)).map(|p| &after[p.index()]);
            let mut state = ways.next().cloned().unwrap_or_else(|| Bits::none(size));
            ways.for_each(|way| _ = state.meet(way));
            before[v.index()] = state.clone();
            state.join(&generated[v.index()]);
            let changed = state != after[v.index()];
            after[v.index()] = state;
            changed
        });
        before
    }

    /// The state before a step in terms of the state behind it: exposed reads added, kills taken out.
    fn expose(&self, program: &Program, table: &UnitTable, step: &Step, live: &mut Bits) {
        for &n in &self.kills_of(program, table, step) {
            live.remove(n);
        }
        let mut add = |list: &Numbers| {
            for &n in list {
                live.insert(n);
            }
        };
        match step {
            Step::Assign { reads, .. } | Step::Test { reads } | Step::Opaque { reads, .. } => add(reads),
            Step::Call(c) => add(&self.of_call(program, table, c).exposed),
        }
    }

    /// The objects that may be read before the unit has written them, by number: locals included.
    pub fn exposed_numbers(&self, program: &Program, unit: UnitId, table: &UnitTable) -> Bits {
        let graph = &program.unit(unit).graph;
        let size = table.len();
        let mut before = vec![Bits::none(size); graph.node_count()];
        solve(graph, &table.order, Direction::Incoming, |v| {
            let mut live = Bits::none(size);
            for s in graph.neighbors_directed(v, Direction::Outgoing) {
                live.join(&before[s.index()]);
            }
            for step in table.steps.get(v.index()).into_iter().flatten().rev() {
                self.expose(program, table, step, &mut live);
            }
            before[v.index()].join(&live)
        });
        table.order.first().map_or_else(|| Bits::none(size), |v: &VertexId| before[v.index()].clone())
    }

    fn upward_exposed(&self, whole: &Whole, unit: UnitId, table: &UnitTable) -> BTreeSet<SymbolId> {
        let program = whole.program;
        let numbers = self.exposed_numbers(program, unit, table);
        let mut exposed: BTreeSet<SymbolId> = numbers.iter().filter_map(|n| self.visible(program, unit, table, n, false)).collect();
        for s in self.fresh(whole, unit, table, &exposed) {
            exposed.remove(&s);
        }
        exposed.extend(table.extents.iter().copied());
        exposed
    }
}

/// An order of units in which those that are called come before their callers, as far as units do not call each other: so equations that
/// hand facts up the call graph are solved once for most units, however many others each calls.
pub struct Order {
    units: Vec<usize>,
    place: Vec<usize>,
}

impl Order {
    /// The order of a program's units.
    pub fn callees_first(tables: &[UnitTable]) -> Order {
        let mut units = Vec::with_capacity(tables.len());
        let mut seen = vec![false; tables.len()];
        for root in 0..tables.len() {
            let mut stack = vec![(root, 0usize)];
            while let Some((u, at)) = stack.pop() {
                if at == 0 && std::mem::replace(&mut seen[u], true) {
                    continue;
                }
                match tables[u].callees.get(at) {
                    Some(c) => {
                        stack.push((u, at + 1));
                        if !seen[c.index()] {
                            stack.push((c.index(), 0));
                        }
                    }
                    None => units.push(u),
                }
            }
        }
        let mut place = vec![0; tables.len()];
        units.iter().enumerate().for_each(|(i, &u)| place[u] = i);
        Order { units, place }
    }
}

/// Units to look at (again), callees first.
pub struct Worklist(BTreeSet<usize>);

impl Worklist {
    /// All units.
    pub fn all(order: &Order) -> Worklist {
        Worklist((0..order.units.len()).collect())
    }

    /// No unit.
    pub fn none() -> Worklist {
        Worklist(BTreeSet::new())
    }

    /// Adds units.
    pub fn add(&mut self, order: &Order, units: &[usize]) {
        self.0.extend(units.iter().map(|&u| order.place[u]));
    }

    /// The next one.
    pub fn next(&mut self, order: &Order) -> Option<usize> {
        self.0.pop_first().map(|i| order.units[i])
    }
}
