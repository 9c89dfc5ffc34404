//! Whether the rules that came with a request suffice for what is active in it.
//!
//! Lives here: what is missing at calls of units that rules declare. Never here: reading rules, declaring units.

use crate::analysis::activity::active::Activity;
use crate::analysis::facts::Facts;
use crate::rules::Access;
use xaif::model::{Mode, StmtKind};
use xaif::{Diagnostic, Program, types};

/// What can be said when activity is known: derivative units that are missing (OB4132), and derivatives that would be lost (OB4133).
pub fn check(program: &Program, facts: &Facts, activity: &Activity, modes: &[Mode]) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    if facts.externals.is_empty() {
        return out;
    }
    for caller in activity.reached().filter(|&u| !facts.externals.has(u)) {
        for s in program.unit(caller).graph.node_weights().flat_map(|v| v.stmts()) {
            let StmtKind::Call(call) = &s.kind else { continue };
            let Some(callee) = program.unit_of_symbol(call.callee) else { continue };
            let Some(rule) = facts.externals.rule(callee) else { continue };
            if activity.is_differentiated(callee) {
                for &mode in modes.iter().filter(|&&m| facts.externals.derivative(callee, m).is_none()) {
                    let what = if mode == Mode::Tangent { "tangent" } else { "adjoint" };
                    out.push(
                        Diagnostic::error("OB4132", format!("the rule of {} names no {what} unit", rule.name))
                            .at(program.location(s.span))
                            .because("an active value goes through this call")
                            .help(format!("add `{what} = {{ unit = ..., arguments = [...] }}` in {}:{}", rule.place.file, rule.place.line)),
                    );
                }
            }
            for (a, x) in rule.arguments.iter().zip(&call.arguments) {
                let mut lost = None;
                x.value.for_each_ref(&mut |r| {
                    if program.symbol(r.symbol).ty.is_real() && activity.is_active(caller, r.symbol) {
                        lost = lost.or(Some(r.symbol));
                    }
                });
                let killed = a.access == Access::Write && !a.array;
                if let Some(v) = lost.filter(|_| !a.derivative && !killed && types::of(program, &x.value).elem.is_real()) {
                    let name = &program.symbol(v).name;
                    out.push(
                        Diagnostic::error("OB4133", format!("{name} is active, and {} of {} carries no derivative", a.name, rule.name))
                            .at(program.location(s.span))
                            .because("the derivative of what is passed would be lost")
                            .help(format!(
                                "say `derivative = true` in {}:{}, or pass a variable that is not differentiated",
                                rule.place.file, rule.place.line
                            )),
                    );
                }
            }
        }
    }
    out
}
