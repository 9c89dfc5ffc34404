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
use xaif::lined::Lined;
use xaif::model::SourceId;
pub use xaif::unparsed::{UnparseOptions, Unparsed, UnparsedFile, UnparsedFiles};
use xaif::{Diagnostic, Program};

/// Writes a program as one text.
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

/// Writes a program as the files that it was read from, each a translation unit of its own.
///
/// # Errors
/// Constructs that the language cannot express: all that were found; OB5107 for derivative code that needs what another file keeps to itself.
pub fn unparse_files(program: &Program, options: &UnparseOptions) -> Result<UnparsedFiles, Vec<Diagnostic>> {
    if !splice::carries_text(program) {
        let Unparsed { source, origins, header, .. } = unparse(program, options)?;
        let file = program.sources.first().map_or_else(|| format!("{}.c", program.name), |s| s.file.clone());
        return Ok(UnparsedFiles { files: vec![UnparsedFile { file, source, origins }], header });
    }
    let mut printer = Printer::new(program, true);
    let files = if options.no_primal { printer.alone_in_files() } else { printer.spliced_files(true) };
    let header = options.header.then(|| printer.header());
    let file = |(id, text): (SourceId, Lined)| {
        let (source, origins) = text.into_parts();
        UnparsedFile { file: program.sources[id.index()].file.clone(), source, origins }
    };
    let files = files.into_iter().map(file).collect();
    if printer.problems.is_empty() { Ok(UnparsedFiles { files, header }) } else { Err(printer.problems) }
}
