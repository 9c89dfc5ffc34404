//! Does the program make sense?
//!
//! Lives here: checks that need the whole program, each a finding with a place and a stable code. Never here: XML, repairs.
//!
//! * `handles`: everything names something that is there
//! * `scopes`: scopes, symbols and their declarations
//! * `units`: units, formals, call graph, derivations, heads
//! * `graphs`: control flow
//! * `statements`: assignments, calls, markers
//! * `expressions`: operands, subscripts, constants, types

mod expressions;
mod graphs;
mod handles;
mod scopes;
mod statements;
mod units;

use crate::catalogue::Catalogue;
use crate::model::{Dialect, Program, Span};
use crate::{Diagnostic, Severity};
use std::collections::HashSet;

/// Findings beyond this number are not listed.
const MAX_FINDINGS: usize = 1000;

/// The program and what was found so far.
struct Checker<'p> {
    p: &'p Program,
    catalogue: &'static Catalogue,
    found: Vec<Diagnostic>,
    more: usize,
    /// The gravest of those.
    worst_of_more: Severity,
    alias_keys: HashSet<u32>,
    duud_keys: HashSet<u32>,
    do_keys: HashSet<u32>,
    /// Units by the symbol that names them.
    units: std::collections::HashMap<crate::model::SymbolId, crate::model::UnitId>,
}

/// Semantic checks of a program: every reference resolves, every graph has one entry and exit, structured graphs nest, arities and types
/// agree, units and call graph are consistent.
pub fn semantics(program: &Program) -> Vec<Diagnostic> {
    let mut c = Checker {
        p: program,
        catalogue: Catalogue::builtin(),
        found: Vec::new(),
        more: 0,
        worst_of_more: Severity::Note,
        alias_keys: program.alias_sets.iter().map(|s| s.key).collect(),
        duud_keys: program.duud_sets.iter().map(|s| s.key).collect(),
        do_keys: program.do_sets.iter().map(|s| s.key).collect(),
        units: program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect(),
    };
    // What follows relies on handles, and on operands before operators.
    if c.handles() {
        c.scopes();
        c.units();
        for unit in &program.units {
            c.bodies(unit);
        }
    }
    if c.more > 0 {
        let summary = Diagnostic::error("OB1003", format!("{} more problems are not listed", c.more));
        c.found.push(Diagnostic { severity: c.worst_of_more, ..summary });
    }
    c.found
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
