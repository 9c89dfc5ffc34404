//! Whole-program transformations: tangent and adjoint.

pub(crate) mod adjoint;
pub mod callgraph;
pub mod checkpoint;
pub mod choice;
pub mod companions;
mod copied;
mod directions;
pub(crate) mod follow;
mod internal;
pub mod marks;
pub(crate) mod namer;
pub mod names;
mod openad;
mod order;
pub mod plan;
pub mod preaccumulate;
mod provenance;
pub mod region;
mod rule_coverage;
pub mod scalarize;
pub mod tangent;
mod variants;
mod vector;
pub mod walk;
pub(crate) mod weights;
mod written;

use crate::analysis::patterns::Pattern;
use crate::analysis::{Activity, Facts, refusals, steps};
use crate::rules::{Rules, declare};
use crate::{facts, heads};
pub use adjoint::cleanup::passes;
use adjoint::facts::frame;
pub use adjoint::facts::frame::LeftOut;
use adjoint::variables::extents;
pub use checkpoint::Checkpoint;
use overbar_eliminate::names::Heuristic;
use plan::Plan;
pub use preaccumulate::{Decision, Effort, Preaccumulate};
use std::collections::BTreeSet;
use std::sync::Arc;
use variants::Variants;
use xaif::catalogue::Catalogue;
use xaif::model::{CallReversal, Head, Mode, Passing, StmtKind, SymbolId, UnitId};
use xaif::{Diagnostic, Program};

/// What is to be made of a program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Make tangents.
    pub tangent: bool,
    /// Make adjoints.
    pub adjoint: bool,
    /// What to differentiate; empty: the file's own heads, else every active unit.
    pub heads: Vec<Head>,
    /// Derivative units serve several directions at once.
    pub vector: bool,
    /// Adjoints of inputs start from zero instead of being incremented.
    pub zero_init: bool,
    /// Reversal of calls.
    pub reversal: Reversal,
    /// Suffixes, `_d`, `_b`, `d`, `b` where empty.
    pub suffixes: Suffixes,
    /// Partial derivatives other than the built-in ones.
    pub catalogue: Option<Arc<Catalogue>>,
    /// Where local Jacobians are accumulated before they are used.
    pub preaccumulate: Preaccumulate,
    /// Elimination heuristics, ties of each decided by the next, instead of a search.
    pub order: Option<Vec<Heuristic>>,
    /// What is said of units that the program does not have.
    pub rules: Option<Arc<Rules>>,
    /// Each statement has a derivative of its own, where it stands: neither local Jacobians nor merged increments. For whoever looks for the one to blame.
    pub plain: bool,
    /// Steps over finished reverse sweeps that are not done, for tests.
    pub left_out: LeftOut,
    /// Tell what the analyses found: [`Boosted::facts`].
    pub facts: bool,
    /// Loops that are reversed from snapshots, besides those whose directives say so.
    pub checkpoints: Vec<Checkpoint>,
    /// How long elimination sequences are searched; in proportion to the program where nothing is said.
    pub search: Option<Effort>,
}

/// How the call of a unit is reversed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reversal {
    /// The callee runs again in the reverse sweep, from a snapshot.
    Joint,
    /// The callee records in the forward sweep.
    Split,
    /// Whichever is possible, joint where both are.
    #[default]
    Auto,
    /// For each call whichever costs less, where both are possible.
    ByCost,
}

/// How derivative names are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suffixes {
    /// Tangent unit, `_d`, or `_dv` for several directions.
    pub tangent_unit: String,
    /// Adjoint unit, `_b`, or `_bv` for several directions.
    pub adjoint_unit: String,
    /// Tangent variable, `d`.
    pub tangent_variable: String,
    /// Adjoint variable, `b`.
    pub adjoint_variable: String,
}

/// A program with its derivatives.
#[derive(Clone, Debug)]
pub struct Boosted {
    /// The original units and the derivative units.
    pub program: Program,
    /// Warnings and notes.
    pub diagnostics: Vec<Diagnostic>,
    /// What was decided about sequences of statements, in the order of the derivative code.
    pub decisions: Vec<Decision>,
    /// What the analyses found, where [`Options::facts`] asks for it.
    pub facts: Option<facts::Document>,
    /// How each call is reversed, where [`Reversal::ByCost`] asks for it.
    pub calls: Vec<choice::CallChoice>,
}

/// Differentiates a program.
///
/// # Errors
/// Heads that do not exist, and everything that cannot be differentiated with certainty: all that were found.
pub fn boost(program: Program, options: &Options) -> Result<Boosted, Vec<Diagnostic>> {
    let mut boosted = boost_for_xaif(program, options)?;
    order::as_documented(&mut boosted.program);
    Ok(boosted)
}

/// The same for a program that is only written as XAIF: its symbols are numbered as they were made, which nobody sees in a document. Whoever hands it to
/// a back end takes [`boost`].
///
/// # Errors
/// As of [`boost`].
pub fn boost_for_xaif(mut program: Program, options: &Options) -> Result<Boosted, Vec<Diagnostic>> {
    checkpoint::mark(&mut program, &options.checkpoints)?;
    if program.dialect == xaif::model::Dialect::Openad {
        return in_stock_form(program, options);
    }
    if !options.tangent && !options.adjoint {
        return Err(vec![
            Diagnostic::error("OB0020", "neither tangent nor adjoint is asked for").help("give --tangent, --adjoint or both"),
        ]);
    }
    order::as_documented(&mut program);
    let provenance = provenance::describe(&program, options);
    let externals = match &options.rules {
        Some(rules) => declare::declare(&mut program, rules)?,
        None => declare::Externals::default(),
    };
    let mut facts = Facts { externals, ..Facts::of(&program) };
    let asked = if options.heads.is_empty() { &program.heads } else { &options.heads };
    let heads = heads::resolve(&program, &facts.objects, &facts.effects, asked)?;
    let (mut activity, patterns) = match heads[..] {
        [] => (Activity::from_flags(&program, &facts), Vec::new()),
        _ => closed(&program, &mut facts, &heads),
    };
    if heads.is_empty() && !activity.reached().any(|u| activity.unit(u).is_some_and(|u| !u.active.is_empty())) {
        return Err(vec![nothing_asked()]);
    }
    let (mut document, wrong) = options.facts.then(|| facts::of_program(&program, &facts, &activity)).unzip();
    let wrong = wrong.unwrap_or_default();
    let variants = with_variants(&mut program, &mut facts, &mut activity, patterns, (&heads, options));
    let mut found = refusals::check(&program, &facts, &activity, &heads, options.adjoint);
    found.extend(wrong);
    let modes: Vec<Mode> = [(options.tangent, Mode::Tangent), (options.adjoint, Mode::Adjoint)]
        .into_iter()
        .filter(|(asked, _)| *asked)
        .map(|(_, m)| m)
        .collect();
    found.extend(rule_coverage::check(&program, &facts, &activity, &modes));
    let attempt = Attempt { facts: &facts, activity: &activity, heads: &heads, options, provenance, variants: &variants };
    let called = attempt.called(&program);
    let setting = attempt.setting(&program, &called);
    let whole: Vec<UnitId> = match options.reversal {
        Reversal::Joint => setting.iter().copied().collect(),
        _ => setting.iter().copied().filter(|&u| attempt.called_as_joint(&program, u) || !plan::may_be_pair(&facts, u)).collect(),
    };
    if !whole.is_empty() {
        return Err(whole.into_iter().map(|u| called_while_setting(&program, u)).collect());
    }
    let mut calls = Vec::new();
    let Outcome { diagnostics, decisions, reversals, .. } = match options.reversal {
        Reversal::Joint => attempt.run(&mut program, found, &BTreeSet::new())?,
        Reversal::Split => attempt.run(&mut program, found, &called)?,
        Reversal::Auto | Reversal::ByCost => {
            let mut rewriting: BTreeSet<UnitId> = called.iter().copied().filter(|&u| attempt.writes_arguments(&program, u)).collect();
            rewriting.extend(&setting);
            let before = Extent::of(&program);
            // What is finished cannot be taken back.
            let untouched = (options.reversal == Reversal::ByCost && options.adjoint && !called.is_empty()).then(|| program.clone());
            // Joint where that is possible: it is not where arrays of unknown length would have to be saved, or where a unit would not do the same again.
            match attempt.run(&mut program, found.clone(), &setting) {
                Ok(first) if untouched.is_some() => {
                    let joint = called.difference(&setting).copied().collect();
                    calls = choice::choose(&program, &facts, &first.weights, &joint);
                    attempt.by_cost(&mut program, untouched.unwrap_or_default(), found, &setting, first, &mut calls)?
                }
                Err(problems) => {
                    let any = |code: &str| options.adjoint && problems.iter().any(|d| d.code == code);
                    let pairs = match (any(frame::AGAIN), any(extents::UNKNOWN_LENGTH)) {
                        (true, _) => &called,
                        (false, true) if rewriting != setting => &rewriting,
                        _ => return Err(problems),
                    };
                    before.restore(&mut program);
                    attempt.run(&mut program, found, pairs).map_err(|_| problems)?
                }
                other => other?,
            }
        }
    };
    if let Some(document) = &mut document {
        document.add(&program, reversals);
    }
    variants.withdraw(&mut program);
    facts.externals.withdraw(&mut program);
    directions::widen(&mut program);
    Ok(Boosted { program, diagnostics, decisions, facts: document, calls })
}

/// What is active, and the calls that would rather have units of their own, in a program whose other calls are all known.
fn closed(program: &Program, facts: &mut Facts, heads: &[heads::ResolvedHead]) -> (Activity, Vec<Pattern>) {
    let called = program.unit_ids().filter(|u| heads.iter().all(|h| h.unit != *u)).collect();
    facts.aliases.close(program, &facts.tables, &called);
    Activity::with_patterns(program, facts, heads)
}

/// Gives the program variants of units, and those variants in turn, as long as it pays; facts and activity are those of the program with them.
fn with_variants(
    program: &mut Program,
    facts: &mut Facts,
    activity: &mut Activity,
    mut patterns: Vec<Pattern>,
    (heads, options): (&[heads::ResolvedHead], &Options),
) -> Variants {
    let mut variants = Variants::default();
    let rounds = if options.plain { 0 } else { variants::ROUNDS };
    for _ in 0..rounds {
        if !variants.add(program, patterns) {
            break;
        }
        let externals = std::mem::take(&mut facts.externals);
        *facts = Facts { externals, variants: variants.of.clone(), ..Facts::of(program) };
        (*activity, patterns) = closed(program, facts, heads);
    }
    variants
}

/// Flags what is active under these heads.
fn flag(program: &mut Program, asked: &[Head], adjoint: bool) -> Result<(), Vec<Diagnostic>> {
    if asked.is_empty() {
        return Err(vec![nothing_asked()]);
    }
    let facts = Facts::of(program);
    let heads = heads::resolve(program, &facts.objects, &facts.effects, asked)?;
    let activity = Activity::of(program, &facts, &heads);
    let found = refusals::check(program, &facts, &activity, &heads, adjoint);
    if found.iter().any(Diagnostic::is_error) {
        return Err(found);
    }
    let mut active: BTreeSet<SymbolId> = heads.iter().flat_map(|h| h.dependents.iter().chain(&h.independents)).copied().collect();
    active.extend(activity.reached().filter_map(|u| activity.unit(u)).flat_map(|u| &u.active));
    for s in program.symbol_ids() {
        let flagged = program.symbol(s).ty.is_real() && (active.contains(&s) || active.contains(&facts.objects.canonical(s)));
        program.symbol_mut(s).active |= flagged;
    }
    Ok(())
}

fn nothing_asked() -> Diagnostic {
    Diagnostic::error("OB4001", "there is nothing to differentiate")
        .because("no head is given, and the file flags no variable as active")
        .help("say what to differentiate: --head 'unit(dependents)/(independents)'")
}

/// Stock files go their own way; their facts are those of the originals. Where a file flags nothing (as front ends of ours leave it), its heads say what is active.
fn in_stock_form(mut program: Program, options: &Options) -> Result<Boosted, Vec<Diagnostic>> {
    let unflagged = !program.symbol_ids().any(|s| program.symbol(s).active && program.symbol(s).ty.is_real());
    let options = &if unflagged && (options.tangent || options.adjoint) {
        let asked = if options.heads.is_empty() { program.heads.clone() } else { options.heads.clone() };
        flag(&mut program, &asked, options.adjoint)?;
        Options { heads: Vec::new(), ..options.clone() }
    } else {
        options.clone()
    };
    let told = options.facts.then(|| {
        let facts = Facts::of(&program);
        let activity = Activity::from_flags(&program, &facts);
        facts::of_program(&program, &facts, &activity)
    });
    let mut boosted = openad::boost(program, options)?;
    if let Some((document, wrong)) = told {
        boosted.diagnostics.extend(wrong);
        boosted.facts = Some(document);
    }
    Ok(boosted)
}

/// What comes out besides the program.
struct Outcome {
    diagnostics: Vec<Diagnostic>,
    decisions: Vec<Decision>,
    /// What was decided for adjoints, by the originals.
    reversals: Vec<(UnitId, facts::Reversal)>,
    /// What adjoints take, by the originals.
    weights: Vec<(UnitId, adjoint::weight::Weight)>,
}

/// How far a program goes. Until all derivatives are made they are only added to it, so a program is brought back by cutting it off there.
struct Extent {
    symbols: usize,
    scopes: usize,
    units: usize,
    calls: usize,
}

impl Extent {
    fn of(p: &Program) -> Extent {
        Extent { symbols: p.symbols.len(), scopes: p.scopes.len(), units: p.units.len(), calls: p.calls.len() }
    }

    fn restore(&self, p: &mut Program) {
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
struct Attempt<'a> {
    facts: &'a Facts,
    activity: &'a Activity,
    heads: &'a [heads::ResolvedHead],
    options: &'a Options,
    provenance: String,
    variants: &'a Variants,
}

impl Attempt<'_> {
    /// The units with derivatives that others call, and that can have a pair: each sweep of a host would have variables of its own for its internal procedures.
    fn called(&self, program: &Program) -> BTreeSet<UnitId> {
        let differentiated = |u: &UnitId| self.activity.is_differentiated(*u);
        let hosts: BTreeSet<UnitId> =
            program.unit_ids().filter(differentiated).filter_map(|u| Plan::host(program, self.facts, u)).collect();
        let reached = self.activity.reached().flat_map(|u| self.facts.tables[u.index()].callees.iter().copied());
        let alone = |u: &UnitId| !hosts.contains(u) && Plan::host(program, self.facts, *u).is_none();
        reached.filter(|u| differentiated(u) && !self.facts.externals.has(*u) && alone(u)).collect()
    }

    /// Heads that others call, or that call themselves, and whose adjoints set what they would add to, or for whose callers the final value of an independent counts
    /// that counts for nothing to whoever asks for the head: calls cannot use these.
    fn setting(&self, program: &Program, called: &BTreeSet<UnitId>) -> BTreeSet<UnitId> {
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
        let heads = self.heads.iter().filter(|h| self.options.adjoint && (self.options.zero_init && sets(h) || zeroes(h) || forgets(h)));
        heads.map(|h| h.unit).filter(|u| called.contains(u)).collect()
    }

    /// Whether the user asks for joint reversal of a call of the unit.
    fn called_as_joint(&self, program: &Program, unit: UnitId) -> bool {
        let statements = self.activity.reached().flat_map(|u| program.unit(u).graph.node_weights()).flat_map(|v| v.stmts());
        let calls = statements.filter(|s| matches!(&s.kind, StmtKind::Call(c) if program.unit_of_symbol(c.callee) == Some(unit)));
        calls.filter_map(|s| s.reversal.or(program.unit(unit).reversal)).any(|r| r == CallReversal::Joint)
    }

    /// Whether the unit changes an argument of the caller's: an array, or what may be an element of one.
    fn writes_arguments(&self, program: &Program, unit: UnitId) -> bool {
        let writes = &self.facts.effects.unit(unit).writes;
        program.unit(unit).formals.iter().any(|f| {
            let elsewhere = program.symbol(f.symbol).rank > 0 || program.symbol(f.symbol).passing() != Passing::Value;
            elsewhere && !f.result && writes.contains(&f.symbol)
        })
    }

    /// Once more with the calls that were chosen for it reversed by pairs; where that is not possible all stay joint.
    fn by_cost(
        &self,
        program: &mut Program,
        untouched: Program,
        found: Vec<Diagnostic>,
        split: &BTreeSet<UnitId>,
        first: Outcome,
        calls: &mut [choice::CallChoice],
    ) -> Result<Outcome, Vec<Diagnostic>> {
        if !calls.iter().any(|c| c.split) {
            return Ok(first);
        }
        let joint = std::mem::replace(program, untouched);
        let changed = choice::direct(program, calls);
        match self.run(program, found, split) {
            Ok(second) => {
                choice::undirect(program, &changed);
                Ok(second)
            }
            Err(_) => {
                calls.iter_mut().for_each(|c| c.split = false);
                *program = joint;
                Ok(first)
            }
        }
    }

    /// Makes all derivative units; calls of the units in `split` are reversed by pairs.
    fn run(&self, program: &mut Program, found: Vec<Diagnostic>, split: &BTreeSet<UnitId>) -> Result<Outcome, Vec<Diagnostic>> {
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
        if options.vector {
            vector::widen(program, &mut plan)?;
        }
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
        self.variants.call_originals(program);
        callgraph::add_edges(program);
        diagnostics.append(&mut plan.notes);
        program.provenance = self.provenance.clone();
        Ok(Outcome {
            diagnostics: once_each(diagnostics),
            decisions: plan.ledger.decisions,
            reversals: plan.reversals,
            weights: plan.weights,
        })
    }
}

fn called_while_setting(program: &Program, unit: UnitId) -> Diagnostic {
    let name = program.unit_name(unit);
    Diagnostic::error("OB4036", format!("{name} is a head, and is called by a unit that is differentiated too"))
        .at(program.location(program.unit(unit).span))
        .because("a head's adjoint may set adjoints that calls have to add to, and takes the final value of an independent for nobody's, which it is not for a call")
        .help(
            "name globals, and independents that are overwritten, among the dependents, leave adjoints to be incremented, choose split reversal, or ask for one of the heads at a time",
        )
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
