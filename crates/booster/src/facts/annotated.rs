//! Facts as the format has them: alias sets, use-definition and definition-use chains, lists of side effects.
//!
//! ```text
//! <xaif:VariableReference alias="3" du_ud="2">         two references may be one place where their alias sets share an address;
//! <xaif:StmtIdSet key="2"> 4, "" </xaif:StmtIdSet>     a value that is read comes from statement 4, or from outside
//! ```
//!
//! Whoever reads them (see `carried`) finds again what was found here. What is set and read by a condition has no chain of its readers: conditions have no ids. Facts that the
//! file brought along are replaced by computed ones, but where nothing is known of a reference.
//!
//! Lives here: this form. Never here: analyses ([`crate::analysis`]), the JSON of [`super::original`].

use crate::analysis::accesses::chains::{Origin, chains, overlapping};
use crate::analysis::facts::Facts;
use crate::analysis::program::addresses::references;
use crate::analysis::program::table::UnitTable;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use std::collections::{BTreeMap, BTreeSet};
use xaif::Program;
use xaif::model::{
    AliasRange, AliasSet, FlowGraph, SideEffects, StatementSet, Stmt, StmtKind, Storage, SymbolId, SymbolKind, UnitId, VarRef, VertexId,
    VertexKind,
};

/// A statement: its vertex, and its number there; the head of a `for` loop is 0 and 1.
type Place = (VertexId, usize);

/// Writes what the analyses find into the program.
pub fn annotate(program: &mut Program) {
    let ids: Vec<FxHashMap<Place, SmolStr>> = program.units.iter_mut().map(|u| name_statements(&mut u.graph)).collect();
    let facts = Facts::of(program);
    let effects: Vec<SideEffects> = program.unit_ids().map(|u| effects(program, &facts, u)).collect();
    let keys = alias_sets(program, &facts);
    let mut sets = ChainSets::default();
    for u in program.unit_ids() {
        let found = facts
            .tables
            .get(u.index())
            .filter(|t| !t.steps.is_empty())
            .map(|t| Chains::of(program, &facts, (u, &ids[u.index()]), t, &mut sets));
        let found = found.unwrap_or_default();
        let number = |s: SymbolId| facts.tables.get(u.index()).and_then(|t| t.number(facts.objects.canonical(s)));
        let graph = &mut program.units[u.index()].graph;
        each_reference(graph, &mut |place, r, is_set| {
            let chains = if is_set { &found.readers } else { &found.origins };
            let chain = number(r.symbol).and_then(|n| chains.get(&(place, n))).copied();
            r.set_keys(keys.get(&r.symbol).copied().unwrap_or_else(|| r.alias()), chain.unwrap_or(0));
        });
    }
    for (unit, e) in program.units.iter_mut().zip(effects) {
        unit.effects = e;
    }
    program.duud_sets = sets.into_list();
}

/// Gives statements without an id the next free number; the ids of all.
fn name_statements(graph: &mut FlowGraph) -> FxHashMap<Place, SmolStr> {
    let mut ids = FxHashMap::default();
    let mut taken: FxHashSet<SmolStr> = FxHashSet::default();
    each_statement(graph, &mut |_, s| _ = taken.insert(s.id.as_str().into()));
    let mut next = 0u32;
    each_statement(graph, &mut |place, s| {
        if s.id.is_empty() && !matches!(s.kind, StmtKind::Propagator(_)) {
            loop {
                next += 1;
                if taken.insert(format_smolstr!("{next}")) {
                    break;
                }
            }
            s.id = arcstr::format!("{next}");
        }
        ids.insert(place, s.id.as_str().into());
    });
    ids
}

fn each_statement(graph: &mut FlowGraph, visit: &mut dyn FnMut(Place, &mut Stmt)) {
    for v in graph.node_indices().collect::<Vec<_>>() {
        match &mut graph[v].kind {
            VertexKind::Block { stmts, .. } => stmts.iter_mut().enumerate().for_each(|(k, s)| visit((v, k), s)),
            VertexKind::For(head) => {
                visit((v, 0), &mut head.init);
                visit((v, 1), &mut head.update);
            }
            _ => {}
        }
    }
}

/// All references, with where they stand, and whether they are set there.
fn each_reference(graph: &mut FlowGraph, visit: &mut dyn FnMut(Place, &mut VarRef, bool)) {
    each_statement(graph, &mut |place, s| match &mut s.kind {
        StmtKind::Assignment { lhs, rhs } => {
            lhs.index_exprs_mut().for_each(|e| e.for_each_ref_mut(&mut |r| visit(place, r, false)));
            visit(place, lhs, true);
            rhs.for_each_ref_mut(&mut |r| visit(place, r, false));
        }
        StmtKind::Call(c) => c.arguments.iter_mut().for_each(|a| a.value.for_each_ref_mut(&mut |r| visit(place, r, false))),
        _ => {}
    });
    for v in graph.node_indices().collect::<Vec<_>>() {
        match &mut graph[v].kind {
            VertexKind::For(head) => head.condition.for_each_ref_mut(&mut |r| visit((v, 2), r, false)),
            VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => e.for_each_ref_mut(&mut |r| visit((v, 0), r, false)),
            _ => {}
        }
    }
}

fn effects(program: &Program, facts: &Facts, u: UnitId) -> SideEffects {
    if program.unit(u).is_container() || facts.externals.has(u) {
        return program.unit(u).effects.clone();
    }
    let e = facts.effects.unit(u);
    let (mut set, mut read) = (BTreeSet::new(), BTreeSet::new());
    for (_, _, r, is_set) in references(program, u) {
        if is_set { &mut set } else { &mut read }.insert(r.symbol);
    }
    let list = |symbols: &BTreeSet<SymbolId>| {
        Some(symbols.iter().filter(|s| program.symbol(**s).kind == SymbolKind::Variable).map(|&s| VarRef::whole(s)).collect())
    };
    SideEffects {
        mod_local: list(&set),
        modified: list(&e.writes.union(&set).copied().collect()),
        read_local: list(&read),
        read: list(&e.reads.union(&read).copied().collect()),
        on_entry: list(&e.exposed),
    }
}

/// Gives every variable an address, and those that may overlap one in common; the keys by variable.
fn alias_sets(program: &mut Program, facts: &Facts) -> FxHashMap<SymbolId, u32> {
    let mut addresses: BTreeMap<SymbolId, Vec<u64>> = BTreeMap::new();
    let mut next = 0u64;
    let mut fresh = || {
        next += 1;
        next
    };
    let variables: Vec<SymbolId> = program.symbol_ids().filter(|&s| program.symbol(s).kind == SymbolKind::Variable).collect();
    for &s in variables.iter().filter(|&&s| facts.objects.canonical(s) == s) {
        addresses.insert(s, vec![fresh()]);
    }
    let mut known: BTreeSet<(SymbolId, SymbolId)> = BTreeSet::new();
    for u in program.unit_ids() {
        let Some(table) = facts.tables.get(u.index()).filter(|t| !t.steps.is_empty()) else { continue };
        for (i, others) in overlapping(program, facts, u, table).iter().enumerate() {
            for &j in others {
                let (a, b) = (table.objects[i], table.objects[j as usize]);
                if known.insert((a.min(b), a.max(b))) {
                    let shared = fresh();
                    for s in [a, b] {
                        addresses.entry(s).or_default().push(shared);
                    }
                }
            }
        }
    }
    let mut keys = FxHashMap::default();
    program.alias_sets = vec![AliasSet::default()];
    for s in variables {
        let Some(places) = addresses.get(&facts.objects.canonical(s)) else { continue };
        let key = program.alias_sets.len() as u32;
        let ranges = places.iter().map(|&at| AliasRange { from: at, to: at, partial: false }).collect();
        program.alias_sets.push(AliasSet { key, ranges });
        keys.insert(s, key);
    }
    keys
}

/// A variable that nobody sees when the unit has been left.
fn is_local(program: &Program, unit: UnitId, s: SymbolId) -> bool {
    let symbol = program.symbol(s);
    let u = program.unit(unit);
    *symbol.storage() == Storage::Local && symbol.scope == u.scope && !symbol.pointer && u.formals.iter().all(|f| f.symbol != s)
}

/// Sets of statements, each once, by their keys.
#[derive(Default)]
struct ChainSets {
    keys: BTreeMap<BTreeSet<SmolStr>, u32>,
}

impl ChainSets {
    fn key(&mut self, set: BTreeSet<SmolStr>) -> u32 {
        let next = self.keys.len() as u32 + 1;
        *self.keys.entry(set).or_insert(next)
    }

    fn into_list(self) -> Vec<StatementSet> {
        let mut list: Vec<StatementSet> =
            self.keys.into_iter().map(|(set, key)| StatementSet { key, statements: set.into_iter().collect() }).collect();
        list.push(StatementSet::default());
        list.sort_unstable_by_key(|s| s.key);
        list
    }
}

/// The keys of chains of one unit, by place and object.
#[derive(Default)]
struct Chains {
    /// For what is read: where it comes from.
    origins: FxHashMap<(Place, u32), u32>,
    /// For what is set: who reads it.
    readers: FxHashMap<(Place, u32), u32>,
}

impl Chains {
    fn of(
        program: &Program,
        facts: &Facts,
        (unit, ids): (UnitId, &FxHashMap<Place, SmolStr>),
        table: &UnitTable,
        sets: &mut ChainSets,
    ) -> Chains {
        let mut out = Chains::default();
        // Readers without an id make a set unknown.
        let mut readers: FxHashMap<(Place, u32), Option<BTreeSet<SmolStr>>> = FxHashMap::default();
        let computed = chains(program, facts, unit);
        let overlap = overlapping(program, facts, unit, table);
        for u in &computed {
            let at = (u.vertex, u.step);
            let mut from = BTreeSet::new();
            for o in &u.origins {
                match o {
                    Origin::Entry => _ = from.insert(SmolStr::default()),
                    Origin::Step(v, k) => {
                        from.extend(ids.get(&(*v, *k)).cloned());
                        // What is set may have another name than what is read.
                        let names = std::iter::once(u.object).chain(overlap.get(u.object as usize).into_iter().flatten().copied());
                        for object in names {
                            let list = readers.entry(((*v, *k), object)).or_insert_with(|| Some(BTreeSet::new()));
                            match (ids.get(&at), list.as_mut()) {
                                (Some(id), Some(l)) => _ = l.insert(id.clone()),
                                _ => *list = None,
                            }
                        }
                    }
                }
            }
            out.origins.insert((at, u.object), sets.key(from));
        }
        for (at, list) in readers {
            if let Some(mut list) = list {
                // Callers may read what others see.
                if table.objects.get(at.1 as usize).is_none_or(|&s| !is_local(program, unit, s)) {
                    list.insert(SmolStr::default());
                }
                out.readers.insert(at, sets.key(list));
            }
        }
        out
    }
}
