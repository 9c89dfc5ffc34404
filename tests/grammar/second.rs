//! Derivatives of derivatives: what was written is read again as a source file, and its tangent or adjoint differentiated once more.
//!
//! The reference is the first derivative in dual numbers. Never here: how programs are derived, what is compared.

use super::interpret::{Checked, check_at};
use super::made::{Derived, parse, prefix};
use super::rng::Rng;
use super::text::{Argument, Kind, Program};
use overbar::Options;
use overbar::transform::{Preaccumulate, Reversal};
use std::panic::{AssertUnwindSafe, catch_unwind};
use xaif::model::Head;

/// Checks the derivative of one of the derivatives; nothing where the seed asks for none, or the tool refuses it.
pub fn check(program: &Program, derived: &Derived, seed: u64) -> Option<Checked> {
    let mut rng = Rng::new(seed ^ 0x0005_ec0d);
    let unit = rng.pick(&derived.units)?.clone();
    if derived.options.directions.are_several() || rng.percent(30) {
        return None;
    }
    let options = Options {
        tangent: true,
        adjoint: true,
        heads: vec![Head { unit: unit.name.clone(), dependents: None, independents: None }],
        reversal: [Reversal::Joint, Reversal::Split, Reversal::Auto, Reversal::ByCost][rng.below(4)],
        preaccumulate: [Preaccumulate::Auto, Preaccumulate::Never, Preaccumulate::Always][rng.below(3)],
        ..Options::default()
    };
    let texts = std::slice::from_ref(&derived.text);
    let parsed = match parse(program.language, texts, seed, false, program.fixed) {
        Ok((p, _)) => p,
        Err(super::made::Failure::Refused(why)) => return Some(Checked::Invalid(format!("refused: {why}"))),
        Err(super::made::Failure::Panic(why)) => return Some(Checked::Wrong(format!("panic {why}"))),
    };
    let boost = |options: &Options| catch_unwind(AssertUnwindSafe(|| overbar::boost(parsed.clone(), options)));
    let mut asked = options.clone();
    let mut boosted = boost(&asked);
    if matches!(boosted, Ok(Err(_))) {
        // What cannot be reversed still has a tangent.
        asked.adjoint = false;
        boosted = boost(&asked);
    }
    let boosted = match boosted {
        Ok(Ok(b)) => b.program,
        Ok(Err(d)) => {
            let why = d.first().map_or_else(String::new, |d| format!("{} {}", d.code, d.message));
            return Some(Checked::Invalid(format!("refused: {why}")));
        }
        Err(_) => return Some(Checked::Wrong("panic in the booster".into())),
    };
    let whole = Argument {
        name: String::new(),
        kind: Kind::Double,
        value: false,
        elements: 1,
        array: false,
        matrix: false,
        read: true,
        written: true,
    };
    let mut arguments: Vec<(String, &Argument)> = Vec::new();
    for f in unit.formals.iter().filter(|f| !f.result) {
        let of = f.of.as_ref().unwrap_or(&f.name);
        let like = program.head.arguments.iter().find(|a| a.name.eq_ignore_ascii_case(of));
        // What belongs to the result is one number.
        arguments.push((f.name.clone(), like.unwrap_or(&whole)));
    }
    debug_assert!(unit.name.starts_with(&prefix(seed)));
    match check_at(&parsed, &boosted, &asked, &arguments, seed, program.single) {
        Checked::Wrong(what) => Some(Checked::Wrong(format!("of the {}: {what}", if unit.adjoint { "adjoint" } else { "tangent" }))),
        other => Some(other),
    }
}
