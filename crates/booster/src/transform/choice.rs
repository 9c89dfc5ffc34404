//! How each call is reversed, by cost.
//!
//! ```text
//! joint:  what of the call its adjoint runs again, where the forward sweep has run it already;  its snapshot is saved and brought back
//! split:  all that the callee records is kept from the forward to the reverse sweep;   the call is run even if nobody needs its results
//! ```
//!
//! Saving and bringing back one value is taken to cost as much as [`RECORD`] operations. A plan made by cost is one that could have been asked for by directives
//! before each call; what directives say of a call or a unit stays.
//!
//! What a pair records is known when it is made: it has to bring back what it overwrites, which a joint adjoint has not. Then the choice is looked at again.
//!
//! Lives here: the comparison, and what is said about it. Never here: how calls are reversed, how much a unit takes.

use super::weights::{Site, Weight};
use crate::analysis::facts::Facts;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::fmt::Write;
use xaif::Program;
use xaif::model::{CallReversal, Span, Stmt, StmtKind, SymbolId, UnitId, VertexKind};

/// What saving and bringing back one value costs, in operations.
const RECORD: u64 = 5;

/// What was chosen for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallChoice {
    /// The calling unit.
    pub caller: String,
    /// The called unit.
    pub callee: String,
    /// Where the call stands.
    pub span: Span,
    /// It goes to a pair.
    pub split: bool,
    /// What a joint reversal costs more than the sweeps themselves, in operations.
    pub joint: u64,
    /// What a split one does.
    pub pair: u64,
}

/// Chooses for every call of `called`, the units that may get a pair, of which nothing is said yet.
pub(super) fn choose(program: &Program, facts: &Facts, weights: &[(UnitId, Weight)], called: &BTreeSet<UnitId>) -> Vec<CallChoice> {
    let by_unit: FxHashMap<UnitId, &Weight> = weights.iter().map(|(u, w)| (*u, w)).collect();
    let pairs = FxHashMap::default();
    let names: FxHashMap<SymbolId, UnitId> = program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect();
    let mut totals = Totals { by_unit: &by_unit, pairs: &pairs, names: &names, facts, done: FxHashMap::default() };
    let mut out = Vec::new();
    for (caller, weight) in weights {
        for site in weight.calls.iter().filter(|s| s.adjoint && s.span.is_known()) {
            let Some(&callee) = names.get(&site.callee) else { continue };
            if !called.contains(&callee) || program.unit(callee).reversal.is_some() || facts.leads_to(callee, *caller) {
                continue;
            }
            let Some(total) = totals.of(callee, 0) else { continue };
            let (joint, pair) = costs(site, total);
            out.push(CallChoice {
                caller: program.unit_name(*caller).to_owned(),
                callee: program.unit_name(callee).to_owned(),
                span: site.span,
                split: pair < joint,
                joint,
                pair,
            });
        }
    }
    out.sort_by_key(|c| c.span);
    out.dedup_by_key(|c| c.span);
    out
}

/// Looks again at the calls that were given to pairs, now that these are made: `joint` and `made` are the weights of both attempts. Whether a choice changed.
pub(super) fn revise(program: &Program, facts: &Facts, [joint, made]: [&[(UnitId, Weight)]; 2], calls: &mut [CallChoice]) -> bool {
    let by_unit: FxHashMap<UnitId, &Weight> = joint.iter().map(|(u, w)| (*u, w)).collect();
    let pairs: FxHashMap<UnitId, &Weight> = made.iter().filter(|(_, w)| w.pair).map(|(u, w)| (*u, w)).collect();
    let names: FxHashMap<SymbolId, UnitId> = program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect();
    let mut totals = Totals { by_unit: &by_unit, pairs: &pairs, names: &names, facts, done: FxHashMap::default() };
    let mut changed = false;
    for (caller, weight) in joint {
        for site in &weight.calls {
            let name = program.unit_name(*caller);
            let Some(choice) = calls.iter_mut().find(|c| c.split && c.span == site.span && c.caller == name) else { continue };
            let Some(total) = names.get(&site.callee).and_then(|&c| totals.of(c, 0)) else { continue };
            (choice.joint, choice.pair) = costs(site, total);
            choice.split = choice.pair < choice.joint;
            changed |= !choice.split;
        }
    }
    changed
}

/// What a callee takes with all that it calls.
#[derive(Clone, Copy, Default)]
struct Total {
    /// Operations.
    work: u64,
    /// Those of them that a joint adjoint runs before its reverse sweep.
    again: u64,
    /// Records of a pair.
    records: u64,
}

/// What a call costs besides the sweeps of its callee, reversed jointly and by a pair.
fn costs(site: &Site, callee: Total) -> (u64, u64) {
    let in_vain = |runs: bool, work: u64| if runs { work } else { 0 };
    let saved = site.snapshot.saturating_add(site.overwritten);
    let joint = in_vain(site.live, callee.again).saturating_add(saved.saturating_mul(RECORD));
    (joint, in_vain(!site.live, callee.work).saturating_add(callee.records.saturating_mul(RECORD)))
}

/// Operations and records of units with all that they call.
struct Totals<'a> {
    by_unit: &'a FxHashMap<UnitId, &'a Weight>,
    /// Those of units that have a pair already.
    pairs: &'a FxHashMap<UnitId, &'a Weight>,
    names: &'a FxHashMap<SymbolId, UnitId>,
    facts: &'a Facts,
    done: FxHashMap<UnitId, Total>,
}

/// Calls nest no deeper where they are weighed.
const MAX_DEPTH: usize = 200;

impl Totals<'_> {
    fn of(&mut self, unit: UnitId, depth: usize) -> Option<Total> {
        if let Some(&known) = self.done.get(&unit) {
            return Some(known);
        }
        let weight = *self.by_unit.get(&unit)?;
        let recursive = self.facts.calls_itself(unit);
        if depth > MAX_DEPTH || recursive {
            return None;
        }
        let records = self.pairs.get(&unit).map_or(weight.records, |p| p.records);
        let mut out = Total { work: weight.own, again: weight.again, records };
        for site in &weight.calls {
            // What has no derivative is taken to cost little.
            let inner = self.names.get(&site.callee).and_then(|&c| self.of(c, depth + 1)).unwrap_or_default();
            let times = |n: u64| site.iterations.saturating_mul(n);
            out.work = out.work.saturating_add(times(inner.work));
            out.again = out.again.saturating_add(if site.live { times(inner.work) } else { 0 });
            let (joint, pair) = costs(site, inner);
            // Of a call that goes to a pair itself, what its callee records is kept as well.
            let kept = if pair < joint { inner.records } else { site.snapshot };
            out.records = out.records.saturating_add(times(kept));
        }
        self.done.insert(unit, out);
        Some(out)
    }
}

/// Writes choices to the calls of a program; gives the places to take that back.
pub(super) fn direct(program: &mut Program, choices: &[CallChoice]) -> FxHashSet<Span> {
    let split: FxHashSet<Span> = choices.iter().filter(|c| c.split).map(|c| c.span).collect();
    let mut changed = FxHashSet::default();
    for_each_call(program, &mut |s| {
        if s.reversal.is_none() && split.contains(&s.span) {
            s.reversal = Some(CallReversal::Split);
            changed.insert(s.span);
        }
    });
    changed
}

/// Takes choices back from the calls of a program, those of derivative units included.
pub(super) fn undirect(program: &mut Program, changed: &FxHashSet<Span>) {
    for_each_call(program, &mut |s| {
        if changed.contains(&s.span) {
            s.reversal = None;
        }
    });
}

fn for_each_call(program: &mut Program, visit: &mut dyn FnMut(&mut Stmt)) {
    for vertex in program.units.iter_mut().flat_map(|u| u.graph.node_weights_mut()) {
        if let VertexKind::Block { stmts, .. } = &mut vertex.kind {
            stmts.iter_mut().filter(|s| matches!(s.kind, StmtKind::Call(_))).for_each(|s| visit(s));
        }
    }
}

/// One line for each choice.
pub fn text(program: &Program, choices: &[CallChoice]) -> String {
    let mut out = String::new();
    for c in choices {
        let place = program.location(c.span).map_or_else(String::new, |l| format!("{}:{}: ", l.file, l.line));
        let how = if c.split { "split" } else { "joint" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{place}call of {} in {}: {how}; running it again and its snapshot cost {} operations, keeping what it records {}",
            c.callee, c.caller, c.joint, c.pair
        );
    }
    out
}
