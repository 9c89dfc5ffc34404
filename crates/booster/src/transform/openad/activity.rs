//! What is active in a stock document: what heads say where there are any, else what its flags say.
//!
//! Heads come from the command line, from directives or from the document itself; with them, flags that somebody else has set do not count. Lives here: the
//! flags of symbols. Never here: analyses, derivatives.

use super::super::nothing_asked;
use super::super::request::Options;
use crate::analysis::activity::active::Activity;
use crate::analysis::activity::refusals;
use crate::analysis::facts::Facts;
use crate::heads;
use std::collections::BTreeSet;
use xaif::model::{Dialect, Head, SymbolId};
use xaif::{Diagnostic, Program};

/// Whether the flags of a stock document decide what is active, if nobody asks for more.
pub fn goes_by_flags(program: &Program) -> bool {
    program.dialect == Dialect::Openad && program.heads.is_empty() && is_flagged(program)
}

/// Whether a document flags a variable that can have a derivative.
fn is_flagged(program: &Program) -> bool {
    program.symbol_ids().any(|s| program.symbol(s).active && program.symbol(s).ty.is_real())
}

/// Sets the flags that the stock form goes by.
///
/// # Errors
/// Heads that do not exist, what cannot be differentiated for them, and a document in which nothing is active.
pub fn decide(program: &mut Program, options: &Options) -> Result<(), Vec<Diagnostic>> {
    let asked = if options.heads.is_empty() { program.heads.clone() } else { options.heads.clone() };
    if !asked.is_empty() {
        flag(program, &asked, options.adjoint)?;
    }
    if is_flagged(program) { Ok(()) } else { Err(vec![nothing_asked()]) }
}

/// Flags what is active under these heads, and nothing else.
fn flag(program: &mut Program, asked: &[Head], adjoint: bool) -> Result<(), Vec<Diagnostic>> {
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
        program.symbol_mut(s).active = flagged;
    }
    Ok(())
}
