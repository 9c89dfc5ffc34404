//! A program to Fortran text.
//!
//! * [`context`]: what is known of the program before anything is printed; [`uses`], [`imports`], [`names`]
//! * [`expressions`], [`pieces`], [`intrinsics`], [`types`], [`tables`]: values
//! * [`statements`], [`control`] (with [`plan`], [`loops`], [`exchanges`]), [`unstructured`]: what a unit does
//! * [`declarations`], [`units`], [`modules`], [`interfaces`]: what a unit is
//! * [`whole`], [`splice`], [`beside`]: what a file holds: everything from the model, the user's text with derivatives added, or the derivatives alone
//! * [`layout`]: lines in free and fixed form; [`problems`]: refusals

use xaif::lined::Origin;
use xaif::{Diagnostic, Program};

mod beside;
mod context;
mod control;
mod declarations;
mod exchanges;
mod expressions;
mod imports;
mod interfaces;
mod intrinsics;
mod layout;
mod loops;
mod modules;
mod names;
mod pieces;
mod plan;
mod problems;
mod spellings;
mod splice;
mod statements;
mod tables;
mod types;
mod units;
mod unstructured;
mod uses;
mod whole;

#[cfg(test)]
mod tests;

/// How to write.
#[derive(Clone, Debug, Default)]
pub struct UnparseOptions {
    /// Only the derivative units, to be linked beside the original.
    pub no_primal: bool,
    /// Also make a header (C) or interface module (Fortran) with the derivative interfaces.
    pub header: bool,
}

/// Source text.
#[derive(Clone, Debug, Default)]
pub struct Unparsed {
    /// The source file: the user's text with the derivative units added, where the program carries it; else all units from the model.
    pub source: String,
    /// Where each of its lines comes from.
    pub origins: Vec<Origin>,
    /// The header or interface module, if asked for.
    pub header: Option<String>,
    /// Whether the code needs the run-time support.
    pub needs_runtime: bool,
}

/// Writes a program.
///
/// # Errors
/// Constructs that the language cannot express: all that were found.
pub fn unparse(program: &Program, options: &UnparseOptions) -> Result<Unparsed, Vec<Diagnostic>> {
    let cx = context::Context::new(program, options);
    let mut out = if options.no_primal {
        beside::write(&cx)
    } else if splice::applies(&cx) {
        splice::write(&cx)
    } else {
        whole::write(&cx)
    };
    if options.header {
        let fixed = !cx.foreign && program.sources.first().is_some_and(|s| s.fixed_form);
        out.header = Some(interfaces::module(&cx, fixed));
    }
    let problems = cx.into_problems();
    if problems.is_empty() { Ok(out) } else { Err(problems) }
}
