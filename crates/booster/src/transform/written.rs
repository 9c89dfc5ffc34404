//! Whether a unit's own text may write a variable.
//!
//! By what is declared of whoever is called, not by what it does: that is [`crate::analysis`]' to tell. Never here: effects of units.

use xaif::Program;
use xaif::model::{Intent, Passing, Stmt, StmtKind, SymbolId, UnitId, VertexKind};

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
