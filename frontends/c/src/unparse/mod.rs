//! A program to C text.
//!
//! The way of the data, a folder for each part of it:
//!
//! 1. `language`: what C defines; `text`: lines; `foreign`: what other languages have and C has not, in terms
//!    that it has,
//! 2. `facts`: what is known of the program before anything is printed, names among it; `printer`:
//!    what is kept while it is,
//! 3. `expressions`: values; `statements`, `control`: what a function does,
//! 4. `declarations`, `units`: what a function is,
//! 5. `files`: what a file holds: everything from the model, the user's text with derivatives
//!    added, or the derivatives alone.
//!
//! A folder imports from those before it.
//!
//! Lives here: the way in. Never here: knowledge of derivatives. Derivative units are units like
//! others, which happen to be printed behind the unit they come from.

mod control;
mod declarations;
mod expressions;
mod facts;
mod files;
mod foreign;
mod language;
mod printer;
mod statements;
pub(crate) mod text;
mod units;

use files::splice;
use language::c_types;
pub use language::runtime::RUNTIME;
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
    let said;
    let program = match c_types::from_c(program) {
        true => program,
        false => {
            said = foreign::in_terms_of_c(program);
            &said
        }
    };
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
