//! What a text is between the steps: rows, statements with the places of their characters, problems of form.
//!
//! Lives here: types that the steps hand on. Never here: a step.

use xaif::model::{SourceId, Span};
use xaif::{Diagnostic, Program};

/// A character with its line and column in the original text.
pub type Placed = (char, u32, u32);

/// What is wrong with the form of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormError {
    pub code: &'static str,
    pub line: u32,
    pub column: u32,
    pub message: String,
    pub help: &'static str,
}

impl FormError {
    /// The same for whoever reads messages.
    pub fn diagnostic(self, program: &Program, source: SourceId) -> Diagnostic {
        let span = Span { source, line: self.line, column: self.column, end_line: self.line, end_column: self.column + 1 };
        let d = Diagnostic::error(self.code, self.message).at(program.location(span));
        if self.help.is_empty() { d } else { d.help(self.help) }
    }
}

/// One statement of the original text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// Statement label, if any, without leading zeros.
    pub label: String,
    /// The comment before and beside it, without comment signs.
    pub comment: String,
    /// The statement on one line, without label, blanks squeezed.
    pub text: String,
}

/// A source text made canonical.
#[derive(Debug, Default)]
pub struct Spliced {
    /// One statement on each line.
    pub text: String,
    /// Original line and column of each byte of `text`.
    pub places: Vec<(u32, u32)>,
    /// What belongs to each line of `text`.
    pub lines: Vec<Line>,
}

/// A statement that is being put together.
#[derive(Default)]
pub struct Open {
    pub label: String,
    pub chars: Vec<Placed>,
    pub comments: Vec<String>,
}

/// A line with the number of the line in the user's file that it stands at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// From one; that of the directive or INCLUDE line for text from other files.
    pub number: u32,
    /// Without the end of the line.
    pub text: String,
}
