//! Which units do the same when they are run again, and which do more than computing.
//!
//! Lives here: this question, for units as wholes. Never here: calls.

use crate::analysis::program::table::Step;
use crate::transform::plan::Plan;
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{BaseType, MarkerClass, Stmt, StmtKind, SymbolId, UnitId};

/// Units that do something besides computing (output, calls of what is not known, history of their own): their calls always stay.
pub(crate) fn loud(program: &Program, plan: &Plan) -> FxHashSet<UnitId> {
    let mut out: FxHashSet<UnitId> = FxHashSet::default();
    let quiet = |c: &MarkerClass| matches!(c, MarkerClass::Comment | MarkerClass::Pragma | MarkerClass::Allocate | MarkerClass::Deallocate);
    for u in program.unit_ids() {
        let stmts = program.unit(u).graph.node_weights().flat_map(|v| v.stmts());
        let marks = stmts.filter_map(|s| if let StmtKind::Marker(m) = &s.kind { Some(m) } else { None }).any(|m| !quiet(&m.class));
        let history = plan.facts.effects.unit(u).writes.iter().any(|&s| plan.facts.kept.has_history(s, |_| true));
        if marks || history || plan.facts.effects.unit(u).calls_unknown {
            out.insert(u);
        }
    }
    with_callers(program, plan, out)
}

/// Units that do not do the same when they are run again: what they read in, or a statement that is kept as text sets, may have other values then.
pub(crate) fn unrepeatable(program: &Program, plan: &Plan) -> FxHashSet<UnitId> {
    let number = |&s: &SymbolId| !matches!(program.symbol(s).ty.base, BaseType::Char | BaseType::String);
    let sets = |s: &Stmt| match &s.kind {
        StmtKind::Marker(m) => !matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) && m.writes.iter().any(number),
        _ => false,
    };
    let own = |u: UnitId| program.unit(u).graph.node_weights().flat_map(|v| v.stmts()).any(|s| sets(s)) || asks(program, plan, u);
    with_callers(program, plan, program.unit_ids().filter(|&u| own(u)).collect())
}

/// Whether a unit reads numbers that units set of which nothing is known: they may set others when they are called again.
fn asks(program: &Program, plan: &Plan, unit: UnitId) -> bool {
    let Some(table) = plan.facts.tables.get(unit.index()) else { return false };
    let mut read: FxHashSet<u32> = FxHashSet::default();
    for step in table.steps.iter().flatten() {
        if let Step::Assign { reads, .. } | Step::Test { reads } = step {
            read.extend(reads.iter().copied());
        }
    }
    table.steps.iter().flatten().any(|step| match step {
        Step::Call(c) if c.callee.is_none() && !program.symbol(c.name).has_attribute("pure") => {
            c.args.iter().filter_map(|a| Some(a.target?.object)).chain(c.outside.writes.iter().copied()).any(|n| read.contains(&n))
        }
        _ => false,
    })
}

/// Units with all that call them.
fn with_callers(program: &Program, plan: &Plan, mut out: FxHashSet<UnitId>) -> FxHashSet<UnitId> {
    loop {
        let before = out.len();
        for u in program.unit_ids() {
            if plan.facts.tables.get(u.index()).is_some_and(|t| t.callees.iter().any(|c| out.contains(c))) {
                out.insert(u);
            }
        }
        if out.len() == before {
            return out;
        }
    }
}
