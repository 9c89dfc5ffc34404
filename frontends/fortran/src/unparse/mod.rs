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
mod statements;
mod text;
mod units;

#[cfg(test)]
mod tests;

use facts::context::Context;
use files::{beside, interfaces, splice, whole};
use xaif::lined::Lined;
use xaif::model::Source;
pub use xaif::unparsed::{UnparseOptions, Unparsed, UnparsedFile, UnparsedFiles};
use xaif::{Diagnostic, Program};

/// Writes a program.
///
/// # Errors
/// Constructs that the language cannot express: all that were found.
pub fn unparse(program: &Program, options: &UnparseOptions) -> Result<Unparsed, Vec<Diagnostic>> {
    let cx = Context::new(program, options);
    let out = one_text(&cx, options);
    let problems = cx.into_problems();
    if problems.is_empty() { Ok(out) } else { Err(problems) }
}

/// Writes a program as the files that it was read from. One that carries no text of Fortran is one file, and so are the derivatives alone.
///
/// # Errors
/// Constructs that the language cannot express: all that were found.
pub fn unparse_files(program: &Program, options: &UnparseOptions) -> Result<UnparsedFiles, Vec<Diagnostic>> {
    let cx = Context::new(program, options);
    let out = if options.no_primal || !splice::applies(&cx) {
        let Unparsed { source, origins, header, .. } = one_text(&cx, options);
        let file = program.sources.first().map_or_else(|| format!("{}.f90", program.name), |s| s.file.clone());
        UnparsedFiles { files: vec![UnparsedFile { file, source, origins }], header }
    } else {
        let file = |(text, from): (Lined, &Source)| {
            let (source, origins) = text.into_parts();
            UnparsedFile { file: from.file.clone(), source, origins }
        };
        let files = splice::files(&cx).0.into_iter().zip(&program.sources).map(file).collect();
        UnparsedFiles { files, header: header(&cx, options) }
    };
    let problems = cx.into_problems();
    if problems.is_empty() { Ok(out) } else { Err(problems) }
}

/// The procedures that units get from their callers, and their derivatives, in free form: as the functions that were drawn for checks (see [`xaif::open`]).
pub fn drawn_procedures(program: &Program) -> String {
    let cx = Context::new(program, &UnparseOptions::default());
    let mut lines = Vec::new();
    for u in program.unit_ids().filter(|&u| xaif::open::is_open(program.symbol(program.unit(u).symbol))) {
        lines.push(text::layout::Line::Blank);
        lines.extend(units::unit::unit(&cx, u, 0, true).lines);
    }
    if lines.is_empty() { String::new() } else { text::layout::render(&lines, false, 0).into_parts().0 }
}

fn one_text(cx: &Context, options: &UnparseOptions) -> Unparsed {
    let written = if options.no_primal {
        beside::write(cx)
    } else if splice::applies(cx) {
        splice::write(cx)
    } else {
        whole::write(cx)
    };
    Unparsed { header: header(cx, options), ..written }
}

/// The interface module, if asked for.
fn header(cx: &Context, options: &UnparseOptions) -> Option<String> {
    let fixed = !cx.foreign && cx.program.sources.first().is_some_and(|s| s.fixed_form);
    options.header.then(|| interfaces::module(cx, fixed))
}
