//! Who calls whom.
//!
//! Lives here: the edges of the call graph, once all functions are translated. Never here: calls
//! themselves.

use smol_str::SmolStr;
use xaif::Program;
use xaif::model::{CallEdge, StmtKind, SymbolId, VertexKind};

/// Adds the calls that statements are, and those that are hidden in statements kept as text.
pub(crate) fn add_call_edges(program: &mut Program, hidden: &[(SymbolId, SymbolId)]) {
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (k, unit) in program.units.iter().enumerate() {
        for v in unit.graph.node_weights() {
            let VertexKind::Block { stmts, .. } = &v.kind else { continue };
            for s in stmts {
                if let StmtKind::Call(c) = &s.kind
                    && let Some(callee) = program.unit_of_symbol(c.callee)
                    && !edges.contains(&(k as u32, callee.0))
                {
                    edges.push((k as u32, callee.0));
                }
            }
        }
        for callee in hidden.iter().filter(|(caller, _)| *caller == unit.symbol).filter_map(|(_, c)| program.unit_of_symbol(*c)) {
            if !edges.contains(&(k as u32, callee.0)) {
                edges.push((k as u32, callee.0));
            }
        }
    }
    for (caller, callee) in edges {
        let (caller, callee) = (xaif::model::UnitId(caller), xaif::model::UnitId(callee));
        program.calls.push(CallEdge { id: SmolStr::default(), caller, callee, extras: Default::default() });
    }
}
