//! One try at all derivative units of a request: with these calls reversed by pairs, and all others jointly.
//!
//! Lives here: what a try makes, and how a program is brought back behind one that failed. Never here: which tries there are.

use super::choice::{self, CallChoice};
use super::plan::Plan;
use super::preaccumulate::Decision;
use super::request::Options;
use super::times::UnitTimes;
use super::variants::Variants;
use super::{adjoint, callgraph, internal, marks, tangent, vector};
use crate::analysis::activity::active::Activity;
use crate::analysis::facts::Facts;
use crate::analysis::program::steps;
use crate::{facts, heads};
use std::collections::BTreeSet;
use xaif::model::{CallReversal, Mode, Passing, StmtKind, SymbolId, UnitId};
use xaif::{Diagnostic, Program};

/// What comes out besides the program.
pub(super) struct Outcome {
    pub diagnostics: Vec<Diagnostic>,
    pub decisions: Vec<Decision>,
    /// What was decided for adjoints, by the originals.
    pub reversals: Vec<(UnitId, facts::Reversal)>,
    /// What adjoints take, by the originals.
    pub weights: Vec<(UnitId, adjoint::weight::Weight)>,
    /// How long adjoints took.
    pub times: Vec<UnitTimes>,
}

/// How far a program goes. Until all derivatives are made they are only added to it, so a program is brought back by cutting it off there.
pub(super) struct Extent {
    symbols: usize,
    scopes: usize,
    units: usize,
    calls: usize,
}

impl Extent {
    pub(super) fn of(p: &Program) -> Extent {
        Extent { symbols: p.symbols.len(), scopes: p.scopes.len(), units: p.units.len(), calls: p.calls.len() }
    }

    pub(super) fn restore(&self, p: &mut Program) {
        p.units.truncate(self.units);
        p.scopes.truncate(self.scopes);
        p.symbols.truncate(self.symbols);
        p.calls.truncate(self.calls);
        for scope in &mut p.scopes {
            scope.symbols.retain(|s| s.index() < self.symbols);
        }
    }
}

/// A request with what is known of its program.
pub(super) struct Attempt<'a> {
    pub facts: &'a Facts,
    pub activity: &'a Activity,
    pub heads: &'a [heads::ResolvedHead],
    pub options: &'a Options,
    pub provenance: String,
    pub variants: &'a Variants,
}

impl Attempt<'_> {
    /// The units with derivatives that others call, and that can have a pair: each sweep of a host would have variables of its own for its internal procedures.
    pub(super) fn called(&self, program: &Program) -> BTreeSet<UnitId> {
        let differentiated = |u: &UnitId| self.activity.is_differentiated(*u);
        let hosts: BTreeSet<UnitId> =
            program.unit_ids().filter(differentiated).filter_map(|u| Plan::host(program, self.facts, u)).collect();
        let reached = self.activity.reached().flat_map(|u| self.facts.tables[u.index()].callees.iter().copied());
        let alone = |u: &UnitId| !hosts.contains(u) && Plan::host(program, self.facts, *u).is_none();
        reached.filter(|u| differentiated(u) && !self.facts.externals.has(*u) && alone(u)).collect()
    }

    /// Heads that others call, or that call themselves, and whose adjoints set what they would add to, or for whose callers the final value of an independent counts
    /// that counts for nothing to whoever asks for the head, or whose adjoints hand back values: calls cannot use these.
    pub(super) fn setting(&self, program: &Program, called: &BTreeSet<UnitId>) -> BTreeSet<UnitId> {
        let sets = |h: &heads::ResolvedHead| h.independents.iter().any(|s| !h.dependents.contains(s));
        let globals = self.activity.active_shared(self.facts);
        let zeroes = |h: &heads::ResolvedHead| {
            let effects = self.facts.effects.unit(h.unit);
            let touches = |s: &SymbolId| effects.reads.contains(s) || effects.writes.contains(s);
            globals.iter().any(|s| touches(s) && !h.names_object(&self.facts.objects, *s))
        };
        let forgets = |h: &heads::ResolvedHead| {
            let writes = &self.facts.effects.unit(h.unit).writes;
            let shared = |s: SymbolId| program.symbol(s).passing() != Passing::Value;
            let counts = |o: SymbolId| self.activity.unit(h.unit).is_some_and(|u| u.exit_varied.contains(&o) && u.exit_useful.contains(&o));
            let only_input = h.independents.iter().copied().filter(|s| !h.dependents.contains(s) && shared(*s));
            only_input.map(|s| self.facts.objects.canonical(s)).any(|o| writes.contains(&o) && counts(o))
        };
        let asked = |h: &heads::ResolvedHead| self.options.with_values || self.options.zero_init && sets(h);
        let heads = self.heads.iter().filter(|h| self.options.adjoint && (asked(h) || zeroes(h) || forgets(h)));
        heads.map(|h| h.unit).filter(|u| called.contains(u)).collect()
    }

    /// Whether the user asks for joint reversal of a call of the unit.
    pub(super) fn called_as_joint(&self, program: &Program, unit: UnitId) -> bool {
        let statements = self.activity.reached().flat_map(|u| program.unit(u).graph.node_weights()).flat_map(|v| v.stmts());
        let calls = statements.filter(|s| matches!(&s.kind, StmtKind::Call(c) if program.unit_of_symbol(c.callee) == Some(unit)));
        calls.filter_map(|s| s.reversal.or(program.unit(unit).reversal)).any(|r| r == CallReversal::Joint)
    }

    /// Whether the unit changes an argument of the caller's: an array, or what may be an element of one.
    pub(super) fn writes_arguments(&self, program: &Program, unit: UnitId) -> bool {
        let writes = &self.facts.effects.unit(unit).writes;
        program.unit(unit).formals.iter().any(|f| {
            let elsewhere = program.symbol(f.symbol).rank > 0 || program.symbol(f.symbol).passing() != Passing::Value;
            elsewhere && !f.result && writes.contains(&f.symbol)
        })
    }

    /// Once more with the calls that were chosen for it reversed by pairs; where that is not possible all stay joint.
    pub(super) fn by_cost(
        &self,
        program: &mut Program,
        untouched: Program,
        found: Vec<Diagnostic>,
        split: &BTreeSet<UnitId>,
        first: Outcome,
        calls: &mut [CallChoice],
    ) -> Result<Outcome, Vec<Diagnostic>> {
        if !calls.iter().any(|c| c.split) {
            return Ok(first);
        }
        let joint = std::mem::replace(program, untouched.clone());
        let mut outcome = self.directed(program, found.clone(), split, calls);
        if let Some(second) = &outcome
            && choice::revise(&joint, self.facts, [&first.weights, &second.weights], calls)
        {
            outcome = None;
            if calls.iter().any(|c| c.split) {
                *program = untouched;
                outcome = self.directed(program, found, split, calls);
            }
        }
        Ok(outcome.unwrap_or_else(|| {
            calls.iter_mut().for_each(|c| c.split = false);
            *program = joint;
            first
        }))
    }

    /// An attempt with the calls that were chosen for it reversed by pairs, if that is possible.
    fn directed(&self, program: &mut Program, found: Vec<Diagnostic>, split: &BTreeSet<UnitId>, calls: &[CallChoice]) -> Option<Outcome> {
        let changed = choice::direct(program, calls);
        let outcome = self.run(program, found, split).ok()?;
        choice::undirect(program, &changed);
        Some(outcome)
    }

    /// Makes all derivative units; calls of the units in `split` are reversed by pairs.
    pub(super) fn run(&self, program: &mut Program, found: Vec<Diagnostic>, split: &BTreeSet<UnitId>) -> Result<Outcome, Vec<Diagnostic>> {
        let Attempt { facts, activity, heads, options, .. } = *self;
        let (mut problems, mut diagnostics): (Vec<_>, Vec<_>) = found.into_iter().partition(Diagnostic::is_error);
        let mut plan = match Plan::new(program, facts, activity, heads, options, split) {
            Ok(plan) => plan,
            Err(more) => {
                problems.extend(more);
                return Err(once_each(problems));
            }
        };
        for at in 0..plan.derived.len() {
            if plan.derived[at].mode == Mode::Tangent
                && !facts.externals.has(plan.derived[at].original)
                && let Err(more) = tangent::write(program, &mut plan, at)
            {
                problems.extend(more);
            }
        }
        if options.adjoint
            && let Err(more) = adjoint::make(program, &mut plan, options)
        {
            problems.extend(more);
        }
        if !problems.is_empty() {
            return Err(once_each(problems));
        }
        if options.directions.are_several() {
            vector::widen(program, &mut plan)?;
        }
        // Derivatives of hosts contain what they call: the user's own procedures.
        self.variants.call_originals(program);
        internal::copy_called(program, &mut plan);
        for d in &plan.derived {
            let graph = &mut program.units[d.unit.index()].graph;
            steps::forget(graph);
            if activity.unit(d.original).is_some_and(|a| !a.passive.is_empty()) {
                marks::clear(graph);
            }
        }
        plan.finish(program);
        plan.declare_externals(program);
        callgraph::add_edges(program);
        diagnostics.append(&mut plan.notes);
        program.provenance = self.provenance.clone();
        Ok(Outcome {
            diagnostics: once_each(diagnostics),
            decisions: plan.ledger.decisions,
            reversals: plan.reversals,
            weights: plan.weights,
            times: plan.times,
        })
    }
}

/// Both modes find the same problems.
fn once_each(list: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::with_capacity(list.len());
    for d in list {
        if !out.contains(&d) {
            out.push(d);
        }
    }
    out
}
