//! What was decided about sequences of statements, for people.
//!
//! Lives here: the wording. Never here: the decisions.

use super::Decision;
use crate::linearize::work::MULTIPLICATION;
use std::fmt::Write;
use xaif::Program;
use xaif::model::Mode;

/// One line for each decision, in the order of the derivative code, and a last line with sums.
pub fn text(program: &Program, decisions: &[Decision]) -> String {
    let mut out = String::new();
    let (mut before, mut after, mut chosen) = (0, 0, 0);
    for d in decisions {
        let mode = match d.mode {
            Mode::Tangent => "tangent",
            Mode::Adjoint => "adjoint",
            Mode::Forward | Mode::Reverse => "adjoint by sweeps",
        };
        let file = program.location(d.span).map_or_else(String::new, |l| format!("{}:", l.file));
        let lines = match d.lines {
            (0, _) | (_, 0) => String::new(),
            (a, b) if a == b => format!("{a}: "),
            (a, b) => format!("{a}-{b}: "),
        };
        let (v, e, i, o) = d.graph;
        let verdict = if d.chosen { "preaccumulated" } else { "statement by statement" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{file}{lines}{mode} of {}: {} statements, {v} values, {e} dependences, {i} inputs, {o} outputs: {} multiplications statement by \
             statement, {} + {} with {}; work {} and {}: {verdict}, {}",
            d.unit,
            d.statements,
            d.before,
            d.accumulation,
            d.left,
            d.method,
            d.work.0 / MULTIPLICATION,
            d.work.1 / MULTIPLICATION,
            d.reason
        );
        before += d.before;
        after += if d.chosen { d.accumulation + d.left } else { d.before };
        chosen += usize::from(d.chosen);
    }
    let _ = writeln!(out, "{chosen} of {} sequences preaccumulated, {before} multiplications before, {after} after", decisions.len());
    out
}
