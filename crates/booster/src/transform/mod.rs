//! Whole-program transformations: tangent and adjoint.

pub(crate) mod adjoint;
mod attempt;
pub mod callgraph;
pub mod checkpoint;
pub mod choice;
pub mod companions;
mod copied;
mod directions;
pub(crate) mod follow;
mod inlined;
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
pub mod request;
mod rows;
mod rule_coverage;
pub mod scalarize;
pub mod tangent;
pub mod times;
mod variants;
mod vector;
pub mod walk;
pub(crate) mod weights;
mod written;

use crate::analysis::activity::active::Activity;
use crate::analysis::activity::patterns::Pattern;
use crate::analysis::activity::refusals;
use crate::analysis::facts::Facts;
use crate::rules::declare;
use crate::{facts, heads};
pub use adjoint::cleanup::passes;
use adjoint::facts::frame;
use adjoint::variables::extents;
use attempt::{Attempt, Extent, Outcome};
pub use checkpoint::Checkpoint;
use inlined::Inlined;
pub use openad::activity::goes_by_flags;
pub use openad::plain_form::{has_stock_derivatives, in_plain_form};
pub use preaccumulate::{Decision, Effort, Preaccumulate};
pub use request::{Boosted, Directions, Inline, LeftOut, Options, Reversal, Suffixes};
use rows::Shaped;
use std::collections::BTreeSet;
use variants::Variants;
use xaif::model::{Mode, UnitId};
use xaif::{Diagnostic, Program};

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
    if rows::may_be(&program, options) {
        // Not all that is said of rows can be said without them, and nothing is refused because of them.
        if let Ok(boosted) = in_own_form(program.clone(), options, true) {
            return Ok(boosted);
        }
    }
    in_own_form(program, options, false)
}

/// Differentiates a program that has our own form, `with_rows` or not at all.
fn in_own_form(mut program: Program, options: &Options, with_rows: bool) -> Result<Boosted, Vec<Diagnostic>> {
    let provenance = provenance::describe(&program, options);
    let mut externals = match &options.rules {
        Some(rules) => declare::declare(&mut program, rules)?,
        None => declare::Externals::default(),
    };
    let names = names::Names::of(&options.suffixes, options.directions.are_several());
    declare::declare_open(&mut program, &|mode| names.unit_suffix(mode).to_owned(), options.directions.are_several(), &mut externals);
    let mut facts = Facts { externals, ..Facts::of(&program) };
    let asked = if options.heads.is_empty() { &program.heads } else { &options.heads };
    let heads = heads::resolve(&program, &facts.objects, &facts.effects, asked)?;
    let (mut activity, patterns) = match heads[..] {
        [] => (Activity::from_flags(&program, &facts), Vec::new()),
        _ => closed(&program, &mut facts, &heads, options),
    };
    if heads.is_empty() && !activity.reached().any(|u| activity.unit(u).is_some_and(|u| !u.active.is_empty())) {
        return Err(vec![nothing_asked()]);
    }
    let (mut document, wrong) = options.facts.then(|| facts::of_program(&program, &facts, &activity)).unzip();
    let wrong = wrong.unwrap_or_default();
    let (inlined, patterns) = in_place(&mut program, &mut facts, &mut activity, patterns, (&heads, options));
    let variants = with_variants(&mut program, &mut facts, &mut activity, patterns, (&heads, options));
    let shaped = if with_rows { in_rows(&mut program, &mut facts, &mut activity, (&heads, options)) } else { Shaped::default() };
    let mut found = refusals::check(&program, &facts, &activity, &heads, options.adjoint);
    found.extend(wrong);
    let modes = modes(options);
    found.extend(rule_coverage::check(&program, &facts, &activity, &modes));
    let attempt = Attempt { facts: &facts, activity: &activity, heads: &heads, options, provenance, variants: &variants };
    let called = attempt.called(&program);
    let setting = attempt.setting(&program, &called);
    attempt.can_set(&program, &setting)?;
    let mut calls = Vec::new();
    let Outcome { diagnostics, decisions, reversals, times, .. } = match options.reversal {
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
    if !shaped.withdraw(&mut program) {
        return Err(Vec::new());
    }
    inlined.withdraw(&mut program);
    variants.withdraw(&mut program);
    facts.externals.withdraw(&mut program);
    directions::widen(&mut program);
    Ok(Boosted { program, diagnostics, decisions, facts: document, calls, times })
}

/// The modes that are asked for.
fn modes(options: &Options) -> Vec<Mode> {
    [(options.tangent, Mode::Tangent), (options.adjoint, Mode::Adjoint)].into_iter().filter(|(asked, _)| *asked).map(|(_, m)| m).collect()
}

impl Attempt<'_> {
    /// Whether calls of the units of `setting` can go to pairs, as they must.
    ///
    /// # Errors
    /// Those that cannot.
    fn can_set(&self, program: &Program, setting: &BTreeSet<UnitId>) -> Result<(), Vec<Diagnostic>> {
        let whole: Vec<UnitId> = match self.options.reversal {
            Reversal::Joint => setting.iter().copied().collect(),
            _ => setting.iter().copied().filter(|&u| self.called_as_joint(program, u) || !plan::may_be_pair(self.facts, u)).collect(),
        };
        if whole.is_empty() { Ok(()) } else { Err(whole.into_iter().map(|u| called_while_setting(program, u)).collect()) }
    }
}

/// What is active, and the calls that would rather have units of their own, in a program whose other calls are all known.
fn closed(program: &Program, facts: &mut Facts, heads: &[heads::ResolvedHead], options: &Options) -> (Activity, Vec<Pattern>) {
    let (none, all) = (BTreeSet::new(), heads.iter().map(|h| h.unit).collect());
    let (open, apart) = if options.may_overlap { (&all, &none) } else { (&none, &all) };
    facts.aliases.close(program, &facts.tables, open, apart);
    Activity::with_patterns(program, facts, heads)
}

/// Puts small units where they are called, if that is asked for; facts and activity are those of the program with them.
fn in_place(
    program: &mut Program,
    facts: &mut Facts,
    activity: &mut Activity,
    mut patterns: Vec<Pattern>,
    (heads, options): (&[heads::ResolvedHead], &Options),
) -> (Inlined, Vec<Pattern>) {
    // Whoever says how calls are reversed has them reversed.
    let free = matches!(options.reversal, Reversal::Auto | Reversal::ByCost);
    if options.inline == Inline::Never || !free || options.plain || heads.is_empty() {
        return (Inlined::default(), patterns);
    }
    let inlined = Inlined::of(program, facts, activity);
    if !inlined.is_empty() {
        let externals = std::mem::take(&mut facts.externals);
        *facts = Facts { externals, ..Facts::of(program) };
        (*activity, patterns) = closed(program, facts, heads, options);
    }
    (inlined, patterns)
}

/// Gives arrays that are laid out by hand their rows; facts and activity are those of the program with them.
fn in_rows(
    program: &mut Program,
    facts: &mut Facts,
    activity: &mut Activity,
    (heads, options): (&[heads::ResolvedHead], &Options),
) -> Shaped {
    if heads.is_empty() {
        return Shaped::default();
    }
    let shaped = Shaped::of(program, facts, activity);
    if !shaped.is_empty() {
        let externals = std::mem::take(&mut facts.externals);
        *facts = Facts { externals, variants: std::mem::take(&mut facts.variants), ..Facts::of(program) };
        *activity = closed(program, facts, heads, options).0;
    }
    shaped
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
    let repetitions = if options.plain { 0 } else { variants::REPETITIONS };
    for _ in 0..repetitions {
        if !variants.add(program, patterns) {
            break;
        }
        let externals = std::mem::take(&mut facts.externals);
        *facts = Facts { externals, variants: variants.of.clone(), ..Facts::of(program) };
        (*activity, patterns) = closed(program, facts, heads, options);
    }
    variants
}

fn nothing_asked() -> Diagnostic {
    Diagnostic::error("OB4001", "there is nothing to differentiate")
        .because("no head is given, and the file flags no variable as active")
        .help("say what to differentiate: --head 'unit(dependents)/(independents)'")
}

/// Stock files go their own way; their facts are those of the originals.
fn in_stock_form(mut program: Program, options: &Options) -> Result<Boosted, Vec<Diagnostic>> {
    openad::check(options)?;
    openad::activity::decide(&mut program, options)?;
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

fn called_while_setting(program: &Program, unit: UnitId) -> Diagnostic {
    let name = program.unit_name(unit);
    Diagnostic::error("OB4036", format!("{name} is a head, and is called by a unit that is differentiated too"))
        .at(program.location(program.unit(unit).span))
        .because("a head's adjoint may set adjoints that calls have to add to, and takes the final value of an independent for nobody's, which it is not for a call")
        .help(
            "name globals, and independents that are overwritten, among the dependents, leave adjoints to be incremented, choose split reversal, or ask for one of the heads at a time",
        )
}
