//! Arrays that hold nothing yet when units are handed them.
//!
//! ```text
//! double *k = malloc(n * sizeof(double));
//! rhs(n, y, k);                               nothing has set k: nobody asks for what it held when the call is undone
//! ```
//!
//! ```text
//! set(v)      =  union of set behind the vertices before v; a step adds what it may set, an allocation takes its array out; at the entry all formals are
//!                set but for the empty ones
//! empty(P)    =  arrays among the formals of P for which every call hands over an array of the caller alone, or an empty formal of it, that is not in set
//! ```
//!
//! The largest sets for which that holds: all arrays, but those of units that are called from outside, are taken to be empty, until a call says otherwise; then its unit's callees are looked at again.
//!
//! Lives here: which formals these are. Never here: what follows from it.

use super::aliases::Aliases;
use super::side_effects::Effects;
use crate::analysis::dataflow::bits::Bits;
use crate::analysis::dataflow::equations::solve;
use crate::analysis::program::objects::{Objects, is_by_reference};
use crate::analysis::program::table::{CallStep, Step, UnitTable};
use petgraph::Direction;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::{MarkerClass, Stmt, StmtKind, Storage, SymbolId, UnitId};

/// The arrays among formals that hold nothing at any call. `entries`: units that are called from outside, with arrays that hold something.
pub(crate) fn empty_formals(
    program: &Program,
    objects: &Objects,
    tables: &[UnitTable],
    effects: &Effects,
    aliases: &Aliases,
    entries: &FxHashSet<UnitId>,
) -> FxHashSet<SymbolId> {
    let array = |s: SymbolId| {
        let y = program.symbol(s);
        y.rank > 0 && is_by_reference(program, s) && !y.pointer && !["allocatable", "pointer"].iter().any(|a| y.has_attribute(a))
    };
    let inner = program.unit_ids().filter(|u| !entries.contains(u));
    let formals = inner.flat_map(|u| &program.unit(u).formals).map(|f| f.symbol);
    let mut found = Empty { program, objects, tables, effects, aliases, formals: formals.filter(|&s| array(s)).collect() };
    let mut waiting: BTreeSet<UnitId> = program.unit_ids().filter(|&u| !program.unit(u).is_container()).collect();
    while let Some(u) = waiting.pop_first() {
        if !found.formals.is_empty() {
            waiting.extend(found.look(u));
        }
    }
    found.formals
}

struct Empty<'a> {
    program: &'a Program,
    objects: &'a Objects,
    tables: &'a [UnitTable],
    effects: &'a Effects,
    aliases: &'a Aliases,
    formals: FxHashSet<SymbolId>,
}

impl Empty<'_> {
    /// Takes out the formals that calls in a unit hand something to. Gives the units that they belong to.
    fn look(&mut self, unit: UnitId) -> Vec<UnitId> {
        let Some(table) = self.tables.get(unit.index()).filter(|t| !t.callees.is_empty()) else { return Vec::new() };
        let graph = &self.program.unit(unit).graph;
        let mut behind = vec![Bits::none(table.len()); graph.node_count()];
        let entry = table.order.first().copied();
        let start = self.at_entry(unit, table);
        let before = |behind: &[Bits], v| {
            let mut set = if Some(v) == entry { start.clone() } else { Bits::none(table.len()) };
            graph.neighbors_directed(v, Direction::Incoming).for_each(|p| _ = set.join(&behind[p.index()]));
            set
        };
        solve(graph, &table.order, Direction::Outgoing, |v| {
            let mut set = before(&behind, v);
            self.through(table, v.index(), graph[v].stmts(), &mut set, &mut |_, _| {});
            behind[v.index()].join(&set)
        });
        let mut gone = Vec::new();
        for &v in &table.order {
            let mut set = before(&behind, v);
            self.through(table, v.index(), graph[v].stmts(), &mut set, &mut |c, set| gone.extend(self.handed(unit, table, c, set)));
        }
        gone.retain(|(s, _)| self.formals.remove(s));
        gone.into_iter().map(|g| g.1).collect()
    }

    /// What may be set where a unit begins: all but arrays of its own and empty formals.
    fn at_entry(&self, unit: UnitId, table: &UnitTable) -> Bits {
        let mut set = Bits::none(table.len());
        let given = |s: SymbolId| !self.formals.contains(&s) && !self.is_own(unit, s);
        (0..table.len() as u32).filter(|&n| given(table.objects[n as usize])).for_each(|n| set.add(n));
        set
    }

    /// An array that is there for one activation of a unit, under no other name, and without a value to start with.
    fn is_own(&self, unit: UnitId, s: SymbolId) -> bool {
        let y = self.program.symbol(s);
        y.rank > 0
            && *y.storage() == Storage::Local
            && y.scope == self.program.unit(unit).scope
            && y.decl.as_ref().is_none_or(|d| d.init.is_none())
    }

    /// The state behind the steps of a vertex; calls are shown with the state before them.
    fn through(&self, table: &UnitTable, vertex: usize, stmts: &[Box<Stmt>], set: &mut Bits, call: &mut dyn FnMut(&CallStep, &Bits)) {
        for (k, step) in table.steps.get(vertex).into_iter().flatten().enumerate() {
            match step {
                Step::Assign { lhs, .. } => set.add(lhs.object),
                Step::Test { .. } => {}
                Step::Call(c) => {
                    call(c, set);
                    self.effects.of_call(self.program, table, c).writes.iter().for_each(|&n| set.add(n));
                }
                Step::Opaque { writes, outside, .. } => {
                    writes.iter().chain(outside.writes.iter()).for_each(|&n| set.add(n));
                    if let Some(StmtKind::Marker(m)) = stmts.get(k).map(|s| &s.kind)
                        && m.class == MarkerClass::Allocate
                        && let Some(n) = m.object.as_ref().and_then(|o| table.number(self.objects.canonical(o.symbol)))
                    {
                        if m.zeroed { set.add(n) } else { set.remove(n) }
                    }
                }
            }
        }
    }

    /// The formals that a call hands something to, with their unit.
    fn handed(&self, unit: UnitId, table: &UnitTable, c: &CallStep, set: &Bits) -> Vec<(SymbolId, UnitId)> {
        let Some(callee) = c.callee else { return Vec::new() };
        let formals = &self.program.unit(callee).formals;
        let alone = |s: SymbolId| table.objects.iter().all(|&o| o == s || !self.aliases.overlap(unit, s, o));
        let holds_nothing = |k: usize| {
            let a = c.args.iter().find(|a| a.formal == Some(k))?;
            let t = a.target.filter(|t| t.whole && !set.has(t.object))?;
            let &s = table.objects.get(t.object as usize)?;
            let once = c.args.iter().filter(|a| a.target.is_some_and(|o| o.object == t.object)).count() == 1;
            (once && alone(s)).then_some(())
        };
        let candidates = formals.iter().enumerate().filter(|(_, f)| self.formals.contains(&f.symbol));
        candidates.filter(|(k, _)| holds_nothing(*k).is_none()).map(|(_, f)| (f.symbol, callee)).collect()
    }
}
