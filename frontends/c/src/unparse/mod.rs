//! A program to C text.
//!
//! * `units`: whole functions: signature, declarations, body
//! * `control`, `unnested`, `labels`: control flow, from the region tree and from plain graphs
//! * `statements`, `calls`, `structures`, `arrays`, `reductions`, `records`, `exchanges`: statements
//! * `expressions`, `intrinsics`, `references`, `constants`, `precedence`: expressions
//! * `declarations`, `sites`, `ctypes`, `tables`, `names`: declarations
//! * `usage`: what a unit does with its symbols, found before it is printed
//! * `file`, `splice`, `text`, `header`, `layout`: files
//!
//! Lives here: the way in. Never here: knowledge of derivatives. Derivative units are units like others, which happen to be printed behind
//! the unit they come from.

mod arrays;
mod calls;
mod constants;
mod control;
mod ctypes;
mod declarations;
mod exchanges;
mod expressions;
mod file;
mod header;
mod hidden;
mod intrinsics;
mod labels;
mod layout;
mod names;
mod precedence;
mod printer;
mod records;
mod reductions;
mod references;
mod sites;
mod splice;
mod statements;
mod structures;
mod tables;
mod text;
mod units;
mod unnested;
mod unset;
mod usage;

use printer::Printer;
use xaif::lined::Origin;
use xaif::{Diagnostic, Program};

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
    let text = splice::carries_text(program);
    let mut printer = Printer::new(program, text);
    let source = if options.no_primal {
        printer.alone()
    } else if text {
        printer.spliced()
    } else {
        printer.whole_file()
    };
    let needs_runtime = printer.needs.runtime;
    let header = options.header.then(|| printer.header());
    let (source, origins) = source.into_parts();
    if printer.problems.is_empty() { Ok(Unparsed { source, origins, header, needs_runtime }) } else { Err(printer.problems) }
}
