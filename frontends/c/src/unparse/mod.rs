//! A program to C text.
//!
//! The way of the data, a folder for each part of it:
//!
//! 1. `language`: what C defines; `text`: lines,
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
mod language;
mod output;
mod printer;
mod statements;
mod text;
mod units;

use files::splice;
pub use language::runtime::RUNTIME;
pub use output::{UnparseOptions, Unparsed};
use printer::Printer;
use xaif::{Diagnostic, Program};

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
