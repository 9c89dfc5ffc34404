//! Does the program make sense?
//!
//! Lives here: checks that need the whole program, each a finding with a place and a stable code. Never here: XML, repairs.
//!
//! * `handles`: everything names something that is there
//! * `scopes`: scopes, symbols and their declarations
//! * `units`: units, formals, call graph, derivations, heads
//! * `graphs`: control flow
//! * `statements`: assignments, calls, markers
//! * `pieces`: the same on all processors, for programs without findings
//! * `expressions`: operands, subscripts, constants, types

mod expressions;
mod graphs;
mod handles;
mod pieces;
mod scopes;
mod statements;
mod units;

use crate::catalogue::Catalogue;
use crate::model::{Dialect, Program, Span};
use crate::{Diagnostic, Severity};
use std::collections::HashSet;

/// Findings beyond this number are not listed.
const MAX_FINDINGS: usize = 100;

/// Keys that references use, and units by the symbol that names them.
struct Tables {
    alias_keys: HashSet<u32>,
    duud_keys: HashSet<u32>,
    do_keys: HashSet<u32>,
    units: std::collections::HashMap<crate::model::SymbolId, crate::model::UnitId>,
}

/// The program and what was found so far.
struct Checker<'p> {
    p: &'p Program,
    catalogue: &'static Catalogue,
    found: Vec<Diagnostic>,
    more: usize,
    /// The gravest of those.
    worst_of_more: Severity,
    tables: &'p Tables,
}

/// Semantic checks of a program: every reference resolves, every graph has one entry and exit, structured graphs nest, arities and types
/// agree, units and call graph are consistent.
pub fn semantics(program: &Program) -> Vec<Diagnostic> {
    let tables = Tables {
        alias_keys: program.alias_sets.iter().map(|s| s.key).collect(),
        duud_keys: program.duud_sets.iter().map(|s| s.key).collect(),
        do_keys: program.do_sets.iter().map(|s| s.key).collect(),
        units: program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect(),
    };
    // All processors look for something wrong; where there is anything, one goes through it all in order.
    let mut c = Checker::new(program, &tables);
    if c.frame_handles() && pieces::are_clean(program, &tables) {
        c.scopes();
        c.units();
        return c.finish();
    }
    let mut c = Checker::new(program, &tables);
    // What follows relies on handles, and on operands before operators.
    if c.handles() {
        c.scopes();
        c.units();
        for unit in &program.units {
            c.bodies(unit);
        }
    }
    c.finish()
}

impl<'p> Checker<'p> {
    fn new(p: &'p Program, tables: &'p Tables) -> Checker<'p> {
        let catalogue = Catalogue::builtin();
        Checker { p, catalogue, found: Vec::new(), more: 0, worst_of_more: Severity::Note, tables }
    }

    fn finish(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            let summary = Diagnostic::error("OB1003", format!("{} more problems are not listed", self.more));
            self.found.push(Diagnostic { severity: self.worst_of_more, ..summary });
        }
        self.found
    }
}

impl Checker<'_> {
    fn ours(&self) -> bool {
        self.p.dialect == Dialect::Overbar
    }

    fn find(&mut self, severity: Severity, code: &'static str, span: Span, message: String) {
        if self.found.len() >= MAX_FINDINGS {
            self.more += 1;
            self.worst_of_more = self.worst_of_more.max(severity);
            return;
        }
        let location = self.p.location(span);
        self.found.push(Diagnostic { severity, ..Diagnostic::error(code, message) }.at(location));
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.find(Severity::Error, code, span, message.into());
    }

    fn warning(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.find(Severity::Warning, code, span, message.into());
    }
}
