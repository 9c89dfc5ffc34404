//! Which statements a point reaches: what is not executed is not checked.
//!
//! Lives here: assignments of real variables in the unit and in what it calls, and those that a run executes. Never here: what to make of it.

use super::engine::Programs;
use super::subject::Subject;
use overbar_evaluate::{Inputs, Limits, Sweep, Values, noted};
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::{Span, StmtKind, UnitId};

/// Assignments of real variables in the unit and its callees, as far as their places are known.
pub fn all(subject: &Subject) -> BTreeSet<Span> {
    let program = subject.program;
    let mut out = BTreeSet::new();
    for v in super::hints::units(subject).into_iter().flat_map(|u| program.unit(u).graph.node_weights()) {
        for s in v.stmts().iter().filter(|s| s.span.is_known()) {
            if matches!(&s.kind, StmtKind::Assignment { lhs, .. } if program.symbol(lhs.symbol).ty.is_real()) {
                out.insert(s.span);
            }
        }
    }
    out
}

/// Those of them that have a derivative: what they set has one in a derivative unit, or a statement there comes from them.
pub fn derived(subject: &Subject, made: Programs) -> BTreeSet<Span> {
    let program = subject.program;
    let own = super::hints::units(subject);
    let mut out = BTreeSet::new();
    for (_, boosted) in made.modes() {
        for u in boosted.unit_ids() {
            let Some(d) = boosted.unit(u).derivation else { continue };
            let Some(&original) = own.iter().find(|&&o| program.unit_name(o) == boosted.unit_name(d.of)) else { continue };
            let bases = companions(boosted, u);
            for s in program.unit(original).graph.node_weights().flat_map(|v| v.stmts()) {
                if let StmtKind::Assignment { lhs, .. } = &s.kind
                    && bases.contains(program.symbol(lhs.symbol).name.as_str())
                {
                    out.insert(s.span);
                }
            }
            for s in boosted.unit(u).graph.node_weights().flat_map(|v| v.stmts()) {
                if let StmtKind::Assignment { lhs, .. } = &s.kind
                    && boosted.symbol(lhs.symbol).decl.as_ref().is_some_and(|d| d.derivative_of.is_some())
                {
                    out.insert(s.span);
                }
            }
        }
    }
    let all = all(subject);
    out.retain(|s| all.contains(s));
    out
}

/// Names of variables that have derivatives in a derivative unit.
fn companions(boosted: &Program, unit: UnitId) -> BTreeSet<&str> {
    let scope = boosted.scope(boosted.unit(unit).scope);
    let own = scope.symbols.iter().copied();
    let bases = own.filter_map(|s| boosted.symbol(s).decl.as_ref()?.derivative_of);
    bases.map(|s| boosted.symbol(s).name.as_str()).collect()
}

/// Those that a run at a point executes, and the steps that it takes; nothing where it fails.
pub fn reached(subject: &Subject, x: &Values<f64>, limits: &Limits) -> Option<(BTreeSet<Span>, u64)> {
    let inputs = Inputs { values: x.clone(), ..Inputs::default() };
    let (outcome, notes) = noted::<f64>(subject.program, subject.unit, &inputs, &[Sweep::Plain], limits);
    outcome.ok().map(|o| (notes.reached, o.counters.steps))
}
