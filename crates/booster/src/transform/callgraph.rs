//! Edges of the call graph for derivative units and what stands in them.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::format_smolstr;
use xaif::Program;
use xaif::model::{CallEdge, Extras, StmtKind, SymbolId, UnitId};

/// Adds the edges that calls ask for, those in derivative units above all, one for each pair of units.
pub(crate) fn add_edges(program: &mut Program) {
    let units: FxHashMap<SymbolId, UnitId> = program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect();
    let mut known: FxHashSet<(UnitId, UnitId)> = program.calls.iter().map(|e| (e.caller, e.callee)).collect();
    let mut taken: FxHashSet<_> = program.calls.iter().map(|e| e.id.clone()).collect();
    let mut number = program.calls.len();
    for caller in program.unit_ids() {
        let graph = &program.units[caller.index()].graph;
        for stmt in graph.node_weights().flat_map(xaif::model::Vertex::stmts) {
            let StmtKind::Call(call) = &stmt.kind else { continue };
            let Some(&callee) = units.get(&call.callee) else { continue };
            if !known.insert((caller, callee)) {
                continue;
            }
            let id = loop {
                number += 1;
                let id = format_smolstr!("{number}");
                if taken.insert(id.clone()) {
                    break id;
                }
            };
            program.calls.push(CallEdge { id, caller, callee, extras: Extras::default() });
        }
    }
}
