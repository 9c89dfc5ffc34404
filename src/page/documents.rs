//! The texts on the left: the user's sources where the program carries them, else the XAIF document.
//!
//! Lives here: which texts there are, and in which line of which text a place lies. Never here: HTML.

use std::collections::{BTreeMap, BTreeSet};
use xaif::Program;
use xaif::model::{Span, VertexKind};

/// A text.
pub struct Text {
    /// Its file, as the user named it.
    pub file: String,
    /// Which source it is, by index; [`Span::XML`] for the document.
    pub source: u32,
    /// It.
    pub text: String,
}

/// A line of a text: the text from 1, the line from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The text.
    pub text: usize,
    /// The line.
    pub line: usize,
}

impl Place {
    /// Its id on the page.
    pub fn id(self) -> String {
        format!("s{}-{}", self.text, self.line)
    }
}

/// All texts.
#[derive(Default)]
pub struct Documents {
    /// In the program's order.
    pub list: Vec<Text>,
    /// Stock documents: the lines of the document where the statements of a line of the lost source begin, by unit.
    given: BTreeMap<(String, u32), Vec<usize>>,
    /// Lines on which a statement goes on, with the line where it begins.
    continued: BTreeMap<Place, Place>,
}

impl Documents {
    /// The texts of a program that was read; `document`: the XAIF that it was read from.
    pub fn of(program: &Program, document: Option<(&str, &str)>) -> Documents {
        let carried = program.sources.iter().enumerate().filter(|(_, s)| !s.text.is_empty());
        let mut list: Vec<Text> = carried.map(|(i, s)| Text { file: s.file.clone(), source: i as u32, text: s.text.clone() }).collect();
        let mut given = BTreeMap::new();
        if let (true, Some((file, text))) = (list.is_empty(), document) {
            list.push(Text { file: file.to_owned(), source: Span::XML.0, text: text.to_owned() });
            given = given_lines(program);
        }
        let mut documents = Documents { list, given, continued: BTreeMap::new() };
        documents.follow(program);
        documents
    }

    /// Finds the lines on which statements, and heads of loops and branches, go on.
    fn follow(&mut self, program: &Program) {
        let mut spans = Vec::new();
        for v in program.units.iter().flat_map(|u| u.graph.node_weights()) {
            spans.push(v.span);
            spans.extend(v.stmts().iter().map(|s| s.span));
        }
        let begun: BTreeSet<Place> = spans.iter().filter_map(|s| self.place(*s)).collect();
        for span in spans {
            let Some(first) = self.place(span) else { continue };
            for line in first.line + 1..=(span.end_line as usize).max(first.line) {
                let place = Place { line, ..first };
                if !begun.contains(&place) {
                    self.continued.entry(place).or_insert(first);
                }
            }
        }
    }

    /// The line where the statement begins that goes on here.
    pub fn begins(&self, place: Place) -> Option<Place> {
        self.continued.get(&place).copied()
    }

    /// The line where a span begins.
    pub fn place(&self, span: Span) -> Option<Place> {
        if !span.is_known() {
            return None;
        }
        let at = self.list.iter().position(|t| t.source == span.source.0)?;
        Some(Place { text: at + 1, line: span.line as usize })
    }

    /// The lines that a line of a file means, as facts name it.
    pub fn lines(&self, file: &str, line: u32, unit: &str) -> Vec<Place> {
        let Some(at) = self.list.iter().position(|t| t.file == file).filter(|_| line > 0) else { return Vec::new() };
        match self.given.get(&(unit.to_owned(), line)) {
            Some(lines) => lines.iter().map(|&line| Place { text: at + 1, line }).collect(),
            None => vec![Place { text: at + 1, line: line as usize }],
        }
    }

    /// A link to a line, with its number as text; the number alone where the line is not on the page.
    pub fn link(&self, file: &str, line: u32, unit: &str) -> String {
        let shown = if line == 0 { String::new() } else { line.to_string() };
        match self.lines(file, line, unit).first() {
            Some(p) => format!("<a href=\"#{}\">{shown}</a>", p.id()),
            None => shown,
        }
    }
}

/// Where statements with a line number of their own begin in the document.
fn given_lines(program: &Program) -> BTreeMap<(String, u32), Vec<usize>> {
    let mut out: BTreeMap<(String, u32), Vec<usize>> = BTreeMap::new();
    for u in program.unit_ids() {
        let name = program.unit_name(u);
        let mut note = |line: u32, span: Span| {
            if line > 0 && span.is_known() && span.source == Span::XML {
                out.entry((name.to_owned(), line)).or_default().push(span.line as usize);
            }
        };
        for v in program.unit(u).graph.node_weights() {
            note(v.line, v.span);
            v.stmts().iter().for_each(|s| note(s.line, s.span));
            if let VertexKind::For(f) = &v.kind {
                note(f.init.line, f.init.span);
            }
        }
    }
    for lines in out.values_mut() {
        lines.sort_unstable();
        lines.dedup();
    }
    out
}
