//! Heads with the arguments whose derivatives no local array can hold.
//!
//! A work array `w(*)` that is active has a derivative, which somebody must hold. Where nothing tells how long it is, the caller knows: the head is made to
//! name the array, so that the caller passes its derivative, as it passes the array. An independent that the unit overwrites, and whose adjoint would have to
//! be kept apart, is made a dependent, too. The derivatives that were asked for are the same where those that come along are zero before the call.
//!
//! Lives here: which arguments these are. Never here: derivatives.

use super::companions::known_extent;
use super::request::Options;
use super::{boost_for_xaif, closed};
use crate::analysis::activity::active::Activity;
use crate::analysis::arrays::extents;
use crate::analysis::facts::Facts;
use crate::analysis::heads::{self, ResolvedHead};
use xaif::model::{Dialect, Head, SymbolId, UnitId};
use xaif::{Diagnostic, Program};

/// Heads that name more make more arguments active; it is given up where that does not end.
const ROUNDS: usize = 4;

/// The heads that can be differentiated where those that are asked for cannot, as derivatives of arguments of unknown extent have no place; and what to say of
/// them. `None` where that is not what is in the way.
pub fn completed(program: &Program, options: &Options) -> Option<(Vec<Head>, Vec<Diagnostic>)> {
    let mut asked = if options.heads.is_empty() { program.heads.clone() } else { options.heads.clone() };
    if program.dialect == Dialect::Openad || !asked.iter().any(|h| has_open_arguments(program, h)) {
        return None;
    }
    let in_the_way = |options: &Options| {
        let found = boost_for_xaif(program.clone(), options).err().unwrap_or_default();
        found.iter().any(|d| matches!(d.code, "OB4020" | "OB4058"))
    };
    if !in_the_way(options) {
        return None;
    }
    let mut facts = Facts::of(program);
    let mut said = Vec::new();
    for _ in 0..ROUNDS {
        let resolved = heads::resolve(program, &facts.objects, &facts.effects, &asked).ok()?;
        let (activity, _) = closed(program, &mut facts, &resolved);
        let mut changed = false;
        for head in &mut asked {
            let of = resolved.iter().find(|r| program.same_name(program.unit_name(r.unit), &head.unit))?;
            let Some(whole) = whole(program, &facts, &activity, of) else { continue };
            (head.dependents, head.independents) =
                (Some(names(program, whole.unit, &whole.dependents)), Some(names(program, whole.unit, &whole.independents)));
            said.retain(|(u, _)| *u != of.unit);
            said.push((of.unit, note(program, &whole)));
            changed = true;
        }
        if !changed {
            let options = Options { heads: asked.clone(), ..options.clone() };
            return (!said.is_empty() && !in_the_way(&options)).then(|| (asked, said.into_iter().map(|s| s.1).collect()));
        }
    }
    None
}

/// Whether nothing declares how long some array is that the unit of a head gets.
fn has_open_arguments(program: &Program, head: &Head) -> bool {
    let unit = program.unit_ids().find(|&u| program.same_name(program.unit_name(u), &head.unit));
    unit.is_some_and(|u| program.unit(u).formals.iter().any(|f| undeclared(program, f.symbol).next().is_some()))
}

/// The dimensions of a real array whose extents nothing declares.
fn undeclared(program: &Program, symbol: SymbolId) -> impl Iterator<Item = usize> {
    let s = program.symbol(symbol);
    let decl = s.decl.clone().unwrap_or_default();
    let rank = if s.ty.is_real() { usize::from(s.rank) } else { 0 };
    (0..rank).filter(move |&k| known_extent(program, symbol, k, &decl).is_none())
}

/// The head that names what it must.
fn whole(program: &Program, facts: &Facts, activity: &Activity, of: &ResolvedHead) -> Option<ResolvedHead> {
    let mut out = of.clone();
    for f in program.unit(of.unit).formals.iter().filter(|f| !f.result && activity.is_active(of.unit, f.symbol)) {
        let s = f.symbol;
        if undeclared(program, s).all(|k| extents::of(program, of.unit, s, k).is_some()) {
            continue;
        }
        let written = facts.effects.unit(of.unit).writes.contains(&s);
        match (of.names(s), written) {
            (false, false) => out.independents.push(s),
            (_, true) if !of.dependents.contains(&s) => out.dependents.push(s),
            _ => {}
        }
    }
    (out != *of).then_some(out)
}

fn names(program: &Program, unit: UnitId, list: &[SymbolId]) -> Vec<String> {
    let result = program.unit(unit).result().map(|f| f.symbol);
    let name = |s: &SymbolId| if result == Some(*s) { program.unit_name(unit).to_owned() } else { program.symbol(*s).name.to_string() };
    list.iter().map(name).collect()
}

fn note(program: &Program, whole: &ResolvedHead) -> Diagnostic {
    let unit = program.unit(whole.unit);
    Diagnostic::warning("OB4040", format!("the head is completed: {}", whole.describe(program)))
        .at(program.location(unit.span))
        .because("nothing tells how long these arrays are, so their derivatives are arguments that the caller passes, zero before the call")
        .help(format!("write --head '{}', or give their numbers of elements with --extent", whole.describe(program)))
}
