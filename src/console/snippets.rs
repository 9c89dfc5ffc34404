//! Texts that diagnostics point into, for snippets.
//!
//! Lives here: from a place to a few lines of a text and the span in them; a text may have millions of lines and be asked often. Never here: how snippets are drawn.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceOffset, SourceSpan, SpanContents};
use std::cell::OnceCell;
use xaif::diagnostic::Location;

/// Lines longer than this are not shown: nobody would find the place in them.
const LONGEST_LINE: usize = 2000;
/// So many lines around a place belong to its excerpt.
const AROUND: usize = 3;

/// A text.
#[derive(Debug)]
pub struct Text {
    text: String,
    /// Where lines begin, once somebody has asked.
    starts: OnceCell<Vec<usize>>,
}

/// A few lines of a text, under its name.
#[derive(Debug)]
pub struct Excerpt {
    name: String,
    lines: String,
    /// Lines of the text before them.
    before: usize,
}

impl Text {
    /// A text.
    pub fn new(text: String) -> Text {
        Text { text, starts: OnceCell::new() }
    }

    /// The byte at which a line begins, the first being line 0; the end of the text for lines that it does not have.
    fn start(&self, line: usize) -> usize {
        let starts = self.starts.get_or_init(|| {
            let behind = self.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(behind).collect()
        });
        starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// A line without its end.
    fn line(&self, line: usize) -> &str {
        self.text[self.start(line)..self.start(line + 1)].trim_end_matches('\n')
    }

    /// Whether the lines around a location can be shown.
    pub fn has_short_lines(&self, l: &Location) -> bool {
        let first = l.line.saturating_sub(2) as usize;
        let count = (l.end_line.max(l.line) as usize + 1).saturating_sub(first).min(1000);
        (first..first + count).all(|line| self.line(line).len() <= LONGEST_LINE)
    }

    /// The lines around a location, and where it is in them.
    pub fn excerpt(&self, l: &Location) -> (Excerpt, SourceSpan) {
        let offset = |line: u32, column: u32| {
            let line = line.saturating_sub(1) as usize;
            self.start(line) + self.line(line).chars().take(column.saturating_sub(1) as usize).map(char::len_utf8).sum::<usize>()
        };
        let start = offset(l.line, l.column);
        let line = l.line.saturating_sub(1) as usize;
        // A construct of many lines is shown by its first.
        let end = if l.end_line == l.line { offset(l.line, l.end_column) } else { self.start(line) + self.line(line).len() };
        let before = line.saturating_sub(AROUND);
        let from = self.start(before);
        let lines = self.text[from..self.start(line + 1 + AROUND)].to_owned();
        let span = SourceSpan::new(SourceOffset::from(start - from), end.saturating_sub(start).max(1));
        (Excerpt { name: l.file.clone(), lines, before }, span)
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(&'a self, span: &SourceSpan, before: usize, after: usize) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.lines.read_span(span, before, after)?;
        let (line, name) = (inner.line() + self.before, self.name.clone());
        Ok(Box::new(MietteSpanContents::new_named(name, inner.data(), *inner.span(), line, inner.column(), inner.line_count())))
    }
}
