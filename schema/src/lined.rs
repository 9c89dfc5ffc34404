//! Text whose lines know where they come from: the source map of generated code.
//!
//! A back end puts a file together from the user's text, lines that it prints for statements, and lines of its own. [`Lined`] keeps the origin of each line
//! along the way.
//!
//! Lives here: origins, and putting pieces of text together. Never here: what the text says.

use crate::model::{SourceId, Span, UnitId};

/// Where a line of a generated file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is this line (from 1) of the user's text.
    Copied(SourceId, u32),
    /// It was made.
    Made {
        /// The unit whose text it belongs to, if it is one's.
        unit: Option<UnitId>,
        /// The place of the statement or construct that it was made for; unknown where it was made for none in particular.
        place: Span,
    },
}

impl Origin {
    /// A made line that belongs to nothing.
    pub const NONE: Origin = Origin::Made { unit: None, place: Span::NONE };
}

/// Text with the origin of each of its lines: of whatever comes first on the line.
#[derive(Clone, Debug, Default)]
pub struct Lined {
    text: String,
    origins: Vec<Origin>,
}

impl Lined {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True where nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text, and the origins of its lines.
    pub fn into_parts(self) -> (String, Vec<Origin>) {
        (self.text, self.origins)
    }

    /// Adds text; `origin` is asked for the line of the added text, from 0, where a new line begins.
    pub fn add(&mut self, text: &str, origin: impl Fn(usize) -> Origin) {
        for (k, line) in text.split_inclusive('\n').enumerate() {
            if self.text.is_empty() || self.text.ends_with('\n') {
                self.origins.push(origin(k));
            }
            self.text.push_str(line);
        }
    }

    /// Adds lines that belong to nothing.
    pub fn push_str(&mut self, text: &str) {
        self.add(text, |_| Origin::NONE);
    }

    /// Adds a part of the user's text that begins on that line.
    pub fn copy(&mut self, text: &str, source: SourceId, line: u32) {
        self.add(text, |k| Origin::Copied(source, line + k as u32));
    }

    /// Adds other text with its origins.
    pub fn append(&mut self, other: &Lined) {
        self.add(&other.text, |k| other.origins.get(k).copied().unwrap_or(Origin::NONE));
    }

    /// The same text with other ends of lines.
    pub fn with_line_ends(&self, end: &str) -> Lined {
        Lined { text: self.text.replace('\n', end), origins: self.origins.clone() }
    }
}

impl From<String> for Lined {
    fn from(text: String) -> Lined {
        let mut out = Lined::default();
        out.push_str(&text);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(line: u32) -> Origin {
        Origin::Made { unit: None, place: Span { source: SourceId(0), line, column: 1, end_line: line, end_column: 2 } }
    }

    #[test]
    fn every_line_has_the_origin_of_what_comes_first_on_it() {
        let mut piece = Lined::default();
        piece.add("\nx = 1\ny = 2\n", |k| if k == 0 { Origin::NONE } else { made(7) });
        let mut out = Lined::default();
        out.copy("a\nb", SourceId(0), 1);
        out.append(&piece);
        out.copy("c\n", SourceId(0), 3);
        out.push_str("end");
        assert_eq!(out.text(), "a\nb\nx = 1\ny = 2\nc\nend");
        let (text, origins) = out.into_parts();
        assert_eq!(origins.len(), text.lines().count());
        let copied = |l| Origin::Copied(SourceId(0), l);
        assert_eq!(origins, [copied(1), copied(2), made(7), made(7), copied(3), Origin::NONE]);
    }

    #[test]
    fn other_ends_of_lines_keep_origins() {
        let mut piece = Lined::default();
        piece.add("a\nb\n", |k| made(k as u32 + 1));
        let (text, origins) = piece.with_line_ends("\r\n").into_parts();
        assert_eq!((text.as_str(), origins), ("a\r\nb\r\n", vec![made(1), made(2)]));
    }
}
