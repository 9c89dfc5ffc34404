//! A program to Fortran text.
//!
//! The way of the data, a folder for each part of it:
//!
//! 1. `text`: lines in free and fixed form, refusals; `language`: what Fortran defines,
//! 2. `nesting`: how a graph nests, `facts`: what is known of the program before anything is printed, names among it,
//! 3. `expressions`: values; `statements`, `control`: what a unit does,
//! 4. `declarations`, `units`: what a unit is,
//! 5. `files`: what a file holds: everything from the model, the user's text with derivatives added, or the derivatives alone.
//!
//! A folder imports from those before it.

mod control;
mod declarations;
mod expressions;
mod facts;
mod files;
mod language;
mod nesting;
mod output;
mod statements;
mod text;
mod units;

#[cfg(test)]
mod tests;

use facts::context::Context;
use files::{beside, interfaces, splice, whole};
pub use output::{UnparseOptions, Unparsed};
use xaif::{Diagnostic, Program};

/// Writes a program.
///
/// # Errors
/// Constructs that the language cannot express: all that were found.
pub fn unparse(program: &Program, options: &UnparseOptions) -> Result<Unparsed, Vec<Diagnostic>> {
    let cx = Context::new(program, options);
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
