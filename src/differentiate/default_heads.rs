//! What is differentiated where nobody says it.
//!
//! Lives here: the heads of a program that names none: every unit with a real argument that is written and one that is read, unless another of them
//! calls it, whose derivative needs its derivative anyway. Never here: the meaning of heads.

use crate::analysis::Facts;
use crate::heads::resolve;
use std::collections::{BTreeMap, BTreeSet};
use xaif::Program;
use xaif::model::{Head, StmtKind, UnitId};

/// The heads, in the order of the units.
pub fn default_heads(program: &Program) -> Vec<Head> {
    let facts = Facts::of(program);
    let head = |u: UnitId| Head { unit: program.unit_name(u).to_owned(), ..Head::default() };
    let candidates: Vec<UnitId> = program
        .unit_ids()
        .filter(|&u| !program.unit(u).is_container() && resolve(program, &facts.objects, &facts.effects, &[head(u)]).is_ok())
        .collect();
    let calls: BTreeMap<UnitId, BTreeSet<UnitId>> = program.unit_ids().map(|u| (u, callees(program, u))).collect();
    let called: BTreeSet<UnitId> = candidates.iter().flat_map(|&u| reached(&calls, u).into_iter().filter(move |&v| v != u)).collect();
    let mut heads: Vec<UnitId> = candidates.iter().copied().filter(|u| !called.contains(u)).collect();
    let mut covered: BTreeSet<UnitId> = heads.iter().flat_map(|&u| reached(&calls, u)).collect();
    // Units that call each other in a circle, and are called by nobody else.
    for &u in &candidates {
        if !heads.contains(&u) && !covered.contains(&u) {
            heads.push(u);
            covered.extend(reached(&calls, u));
        }
    }
    heads.sort_unstable();
    heads.into_iter().map(head).collect()
}

fn callees(program: &Program, unit: UnitId) -> BTreeSet<UnitId> {
    let stmts = program.unit(unit).graph.node_weights().flat_map(|v| v.stmts());
    let called = stmts.filter_map(|s| match &s.kind {
        StmtKind::Call(c) => program.unit_of_symbol(c.callee),
        _ => None,
    });
    called.collect()
}

/// The units that a unit calls, by way of others too.
fn reached(calls: &BTreeMap<UnitId, BTreeSet<UnitId>>, unit: UnitId) -> BTreeSet<UnitId> {
    let mut found = BTreeSet::new();
    let mut open = vec![unit];
    while let Some(u) = open.pop() {
        for &v in calls.get(&u).into_iter().flatten() {
            if found.insert(v) {
                open.push(v);
            }
        }
    }
    found
}
