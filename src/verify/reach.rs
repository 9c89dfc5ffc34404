//! Which statements a point reaches: what is not executed is not checked.
//!
//! Lives here: assignments of real variables in the unit and in what it calls, and those that a run executes. Never here: what to make of it.

use super::subject::Subject;
use crate::evaluate::trace::traced;
use crate::evaluate::{Inputs, Limits, Values};
use std::collections::BTreeSet;
use xaif::model::{Span, StmtKind};

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

/// Those that a run at a point executes, and the steps that it takes; nothing where it fails.
pub fn reached(subject: &Subject, x: &Values<f64>, limits: &Limits) -> Option<(BTreeSet<Span>, u64)> {
    let inputs = Inputs { values: x.clone(), ..Inputs::default() };
    let (outcome, trace) = traced::<f64>(subject.program, subject.unit, &inputs, limits).ok()?;
    Some((trace.events.iter().map(|e| e.span).collect(), outcome.counters.steps))
}
