//! Large documents cut between elements, so that the pieces can be read at the same time.
//!
//! Lives here: where to cut. A cut is a guess: a piece that turns out not to be a row of whole elements is an error, and then one reader
//! goes through the document in order. Never here: what is in the pieces.

use super::{NAMES, Tag, Xml, reader};
use crate::read::syntax;
use memchr::memmem;
use smallvec::SmallVec;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// So many bytes make a piece that is worth handing on.
const PIECE: usize = 1 << 18;

/// A single element beyond this is better cut itself.
const LARGE: usize = 1 << 21;

impl<'a> Xml<'a> {
    /// Rows of elements that stand next in the open element `parent`, if they are worth being read at the same time. A row ends in front
    /// of an element with one of these names. `closed`: the end of `parent` is looked for first.
    pub fn rows_ahead(&mut self, parent: &Tag<'a>, names: &[&str], closed: bool) -> Vec<Range<usize>> {
        let from = self.position();
        let depth = self.depth();
        if self.around.is_some() || self.empty || self.no_pieces.get(depth).is_none_or(|&known| from < known) {
            return Vec::new();
        }
        let text = self.text.as_bytes();
        let mut end = text.len();
        if closed {
            let closing = format!("</{}>", parent.name);
            end = memmem::find(&text[from..], closing.as_bytes()).map_or(text.len(), |at| from + at);
        }
        let prefix = &parent.name[..parent.name.len() - parent.local.len()];
        let opening = format!("<{prefix}");
        let finder = memmem::Finder::new(opening.as_bytes());
        let mut rows = Vec::new();
        let mut at = from;
        self.no_pieces[depth] = end;
        while at + PIECE < end {
            let window = &text[at + PIECE..end.min(at + LARGE)];
            let cut = finder.find_iter(window).find(|&i| {
                let name = &window[i + opening.len()..];
                let length = name.iter().take(64).position(|b| syntax::is_space(*b) || matches!(b, b'>' | b'/'));
                length.is_some_and(|n| names.iter().any(|w| w.as_bytes() == &name[..n]))
            });
            let Some(cut) = cut else {
                // The next element is large, or the last.
                self.no_pieces[depth] = at + PIECE;
                break;
            };
            let cut = at + PIECE + cut;
            rows.push(at..cut);
            at = cut;
        }
        if rows.len() < 2 { Vec::new() } else { rows }
    }

    /// A reader of a row of elements.
    pub fn row(&mut self, row: Range<usize>) -> Xml<'a> {
        let _ = self.tracker.locate(self.text, row.start);
        Xml {
            text: self.text,
            name: self.name,
            reader: reader(self.text.get(row.clone()).unwrap_or_default()),
            limits: self.limits,
            resolver: self.resolver.clone(),
            uris: self.uris.clone(),
            prefixes: SmallVec::new(),
            names: vec![None; NAMES],
            open: Vec::new(),
            base: row.start,
            around: Some(self.depth()),
            no_pieces: [0; 8],
            empty: false,
            elements: 0,
            attrs: Vec::new(),
            armoured: self.armoured,
            tracker: self.tracker.clone(),
            unknown: HashSet::new(),
            diags: Vec::new(),
            errors: 0,
            warnings: BTreeMap::new(),
        }
    }

    /// How many elements were opened.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// Goes on behind a row with so many elements; false if there are too many.
    pub fn pass(&mut self, row: &Range<usize>, elements: usize) -> bool {
        let bytes = row.end.saturating_sub(self.position());
        std::io::BufRead::consume(&mut self.reader.stream(), bytes);
        self.elements = self.elements.saturating_add(elements);
        self.elements <= self.limits.elements
    }
}
