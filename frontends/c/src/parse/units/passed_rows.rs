//! Arrays of rows that are passed to functions that were left out.
//!
//! What such a function does with the pointers is not known: it may exchange rows, and the caller may have said where one is. Lives here: which
//! functions make such calls. Never here: calls of functions without a text, which are refused where they stand (see `memory::pointers_to_rows`).

use crate::parse::text::refusals::POINTER_TO_POINTER;
use xaif::model::{StmtKind, UnitId};
use xaif::rows::has_rows;
use xaif::{Diagnostic, Program};

/// The functions that pass rows to one that has no unit, and where.
pub(crate) fn problems(program: &Program) -> Vec<(UnitId, Diagnostic)> {
    let mut found = Vec::new();
    for u in program.unit_ids() {
        for s in program.unit(u).graph.node_weights().flat_map(|v| v.stmts()) {
            let StmtKind::Call(c) = &s.kind else { continue };
            if program.unit_of_symbol(c.callee).is_some() {
                continue;
            }
            let rows =
                c.arguments.iter().filter_map(|a| a.value.as_var()).find(|r| r.subscripts.is_empty() && has_rows(program.symbol(r.symbol)));
            if let Some(r) = rows {
                let (name, callee) = (&program.symbol(r.symbol).name, &program.symbol(c.callee).name);
                let d = Diagnostic::error(POINTER_TO_POINTER, format!("`{name}` is passed as pointers to rows"))
                    .at(program.location(s.span))
                    .because(format!("`{callee}` is left out, and may do anything with the pointers"))
                    .help("rewrite what is refused there, or pass one row");
                found.push((u, d));
            }
        }
    }
    found
}
