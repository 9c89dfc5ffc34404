//! Whether a unit's own text may write a variable, and how large it makes its arrays.
//!
//! By what is declared of whoever is called, not by what it does: that is [`crate::analysis`]' to tell. Never here: effects of units.

use xaif::Program;
use xaif::model::{Expr, Intent, MarkerClass, Passing, Stmt, StmtKind, Storage, SymbolId, Triplet, UnitId, VertexKind};

/// Whether the text of a unit may write a variable: assignments, loops, and everything that it passes on.
pub fn is_written(program: &Program, unit: UnitId, symbol: SymbolId) -> bool {
    let assigns = |s: &Stmt| match &s.kind {
        StmtKind::Assignment { lhs, .. } => lhs.symbol == symbol,
        StmtKind::Call(c) => {
            let callee = program.unit_of_symbol(c.callee);
            c.arguments.iter().any(|a| {
                let formal = callee.and_then(|u| program.unit(u).formals.iter().find(|f| f.position == a.position));
                let only_read = formal.is_some_and(|f| f.intent == Intent::In || program.symbol(f.symbol).passing() == Passing::Value);
                !only_read && a.value.as_var().is_some_and(|r| r.symbol == symbol)
            })
        }
        StmtKind::Runtime { arguments, .. } => arguments.iter().any(|a| a.value.as_var().is_some_and(|r| r.symbol == symbol)),
        StmtKind::Marker(m) => m.writes.contains(&symbol),
        // They take derivatives to derivatives.
        StmtKind::Propagator(_) => false,
    };
    program.unit(unit).graph.node_weights().any(|v| match &v.kind {
        VertexKind::For(head) => assigns(&head.init) || assigns(&head.update),
        _ => v.stmts().iter().any(|s| assigns(s)),
    })
}

/// The bounds that all allocations in the text of its unit give a local array of C, where these are made of what the unit does not change.
pub fn allocated_bounds(program: &Program, array: SymbolId) -> Option<Vec<Triplet>> {
    let y = program.symbol(array);
    if *y.storage() != Storage::Local || !y.has_attribute("heap") {
        return None;
    }
    let unit = program.unit_ids().find(|&u| program.unit(u).scope == y.scope)?;
    let mut found: Option<&[Triplet]> = None;
    for s in program.unit(unit).graph.node_weights().flat_map(|v| v.stmts()) {
        if let StmtKind::Marker(m) = &s.kind
            && m.class == MarkerClass::Allocate
            && let Some(o) = m.object.as_ref().filter(|o| o.symbol == array)
        {
            if found.is_some_and(|known| *known != o.subscripts[..]) {
                return None;
            }
            found = Some(&o.subscripts);
        }
    }
    let steady = |e: &Expr| {
        e.every_ref(&|r| {
            let s = program.symbol(r.symbol);
            let own =
                *s.storage() == Storage::Argument && (s.passing() == Passing::Value || s.rank == 0) || *s.storage() == Storage::Constant;
            r.subscripts.is_empty() && own && !is_written(program, unit, r.symbol)
        })
    };
    let known = |t: &Triplet| t.stride.is_none() && [&t.index, &t.bound].into_iter().all(|e| e.as_ref().is_some_and(steady));
    found.filter(|list| list.len() == usize::from(y.rank) && list.iter().all(known)).map(<[Triplet]>::to_vec)
}
