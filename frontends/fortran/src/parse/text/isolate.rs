//! Text that is not understood, taken out: it costs the procedure that it stands in, and of a module those procedures that name what it declares.
//!
//! ```text
//! module m                            module m
//! real :: a                           real :: a
//! real, odd :: b                 ->                                 (lost: what names `b`)
//! contains                            contains
//! subroutine s(x)                     subroutine s(x)
//! real :: x                           real :: x
//! x = ) 1                                                           (lost: `s`)
//! end subroutine                      end subroutine
//! ```
//!
//! Each unit is parsed by itself, so that what stands in one says nothing of the others.
//!
//! Lives here: which rows go, and what is lost with them. Never here: what becomes of those who need it.

use super::data_position::is_declaration;
use super::declared;
use super::lines::{FormError, Spliced};
use super::outline::{self, Kind, Outline};
use super::preprocess::NOT_FOUND;
use super::tree::File;
use super::trust;
use rustc_hash::FxHashSet;
use tree_sitter::Parser;
use xaif::model::SourceId;

/// What a text that was taken out is lost to.
#[derive(Clone, Debug)]
pub struct Lost {
    /// The row with which the unit begins.
    pub head: usize,
    /// What was wrong.
    pub error: FormError,
    /// The names in a declaration that was taken out; none where the whole unit is lost.
    pub names: Option<FxHashSet<String>>,
}

/// Lines `from` to `to` of the user's text that a preprocessor would look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    pub from: u32,
    pub to: u32,
    /// The directive with which it begins.
    pub text: String,
}

/// A tree for a text.
pub fn parsed(parser: &mut Parser, spliced: Spliced, id: SourceId) -> Option<File> {
    let tree = parser.parse(&spliced.text, None)?;
    let mut row_starts = vec![0];
    row_starts.extend(spliced.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1));
    Some(File { id, spliced, tree, original: Vec::new(), row_starts, said: Vec::new(), lost: Vec::new() })
}

/// Takes out of a text what is not understood; `form` is what is wrong with its form. Errors for which no unit can be blamed come back.
pub fn isolate(
    parser: &mut Parser,
    spliced: Spliced,
    form: Vec<FormError>,
    regions: &[Region],
) -> Result<(Spliced, Vec<Lost>), Vec<FormError>> {
    let units = outline::units(&spliced.lines);
    let mut work = Isolation {
        parser,
        starts: starts(&spliced.text),
        spliced,
        units,
        gone: Vec::new(),
        put: Vec::new(),
        lost: Vec::new(),
        loose: Vec::new(),
    };
    work.gone = vec![false; work.spliced.lines.len()];
    let mut blamed: Vec<Vec<FormError>> = vec![Vec::new(); work.units.len()];
    for e in form {
        match work.unit_at(e.line) {
            Some(unit) => blamed[unit].push(e),
            None => work.loose.push(e),
        }
    }
    for region in regions {
        work.region(region, &mut blamed);
    }
    for (unit, mut errors) in blamed.into_iter().enumerate() {
        let own = work.own_rows(unit);
        errors.extend(work.check(&own));
        if !errors.is_empty() {
            work.take_out(unit, errors);
        }
    }
    if work.units.is_empty() || !work.loose.is_empty() {
        return Err(work.loose);
    }
    Ok((work.rest(), work.lost))
}

struct Isolation<'p> {
    parser: &'p mut Parser,
    spliced: Spliced,
    starts: Vec<usize>,
    units: Vec<Outline>,
    /// Rows that are taken out.
    gone: Vec<bool>,
    /// Rows in whose place something else stands.
    put: Vec<(usize, String)>,
    lost: Vec<Lost>,
    /// What no unit can be blamed for.
    loose: Vec<FormError>,
}

/// Where rows start, and the text ends.
fn starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

impl Isolation<'_> {
    /// The line of the user's text where a row begins.
    fn line(&self, row: usize) -> u32 {
        self.spliced.places.get(self.starts[row]).map_or(u32::MAX, |p| p.0)
    }

    /// The lines of a unit.
    fn lines(&self, unit: usize) -> (u32, u32) {
        let u = &self.units[unit];
        let last = self.spliced.places.get(self.starts[u.end + 1].saturating_sub(1)).map_or(u32::MAX, |p| p.0);
        (self.line(u.head), last)
    }

    /// The innermost unit around a line.
    fn unit_at(&self, line: u32) -> Option<usize> {
        (0..self.units.len()).rev().find(|&u| {
            let (from, to) = self.lines(u);
            (from..=to).contains(&line)
        })
    }

    /// The rows of a unit without those of the units inside it.
    fn own_rows(&self, unit: usize) -> Vec<usize> {
        let u = &self.units[unit];
        let mut inside = vec![false; u.end + 1 - u.head];
        for i in self.units.iter().filter(|i| i.host == Some(unit)) {
            inside[i.head - u.head..=i.end - u.head].fill(true);
        }
        (u.head..=u.end).filter(|&r| !inside[r - u.head] && u.contains != Some(r)).collect()
    }

    /// A text of some rows.
    fn piece(&self, rows: &[usize]) -> Spliced {
        let mut out = Spliced::default();
        for &r in rows {
            let bytes = self.starts[r]..self.starts[r + 1];
            out.text.push_str(&self.spliced.text[bytes.clone()]);
            out.places.extend_from_slice(&self.spliced.places[bytes]);
            out.lines.push(self.spliced.lines[r].clone());
        }
        out
    }

    fn check(&mut self, rows: &[usize]) -> Vec<FormError> {
        let piece = self.piece(rows);
        parsed(self.parser, piece, SourceId(0)).map_or_else(Vec::new, |f| trust::check(&f))
    }

    /// What lies between directives may be there or not: it is lost.
    fn region(&mut self, region: &Region, blamed: &mut [Vec<FormError>]) {
        let (code, message, help) = match region.text.strip_suffix(NOT_FOUND) {
            Some(directive) => {
                let name = directive.split('"').nth(1).unwrap_or(directive);
                let help = "put it beside the file that includes it, or name its folder with -I";
                ("OB3004", format!("the included file `{name}` is not found"), help)
            }
            None => {
                let help = "give --cpp, or the file an extension in upper case (.F90, .F): both ask for the preprocessor";
                ("OB3003", format!("preprocessor directive `{}`", region.text), help)
            }
        };
        let error = FormError { code, line: region.from, column: 1, message, help };
        let words: Vec<&str> = region.text.trim_start_matches('#').split_whitespace().collect();
        let inside: Vec<usize> =
            (0..self.units.len()).filter(|&u| self.lines(u).0 >= region.from && self.lines(u).1 <= region.to).collect();
        for &u in &inside {
            blamed[u].push(error.clone());
        }
        let around = self.unit_at(region.from);
        if let Some(u) = around {
            if self.units[u].kind == Kind::Module {
                let (from, to) = (region.from, region.to);
                let rows: Vec<usize> =
                    self.own_rows(u).into_iter().filter(|&r| (from..=to).contains(&self.line(r)) && self.units[u].head != r).collect();
                self.declarations(u, &rows, &error);
            } else {
                blamed[u].push(error.clone());
            }
        }
        match words[..] {
            // Who names a macro is lost; of an included text nothing is known.
            ["define", name, ..] => {
                let name = name.split('(').next().unwrap_or(name).to_ascii_lowercase();
                for (u, blamed) in blamed.iter_mut().enumerate() {
                    let own = self.own_rows(u);
                    if self.words(&own).contains(&name) {
                        blamed.push(error.clone());
                    }
                }
            }
            ["include", ..] if around.is_none_or(|u| self.units[u].kind == Kind::Module) => {
                blamed.iter_mut().for_each(|b| b.push(error.clone()))
            }
            _ => {}
        }
    }

    /// All words of some rows, in lower case.
    fn words(&self, rows: &[usize]) -> FxHashSet<String> {
        let mut out = FxHashSet::default();
        for &r in rows {
            let text = self.spliced.lines[r].text.to_ascii_lowercase();
            out.extend(text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty()).map(str::to_owned));
        }
        out
    }

    /// Takes out declarations of a module.
    fn declarations(&mut self, unit: usize, rows: &[usize], error: &FormError) {
        if rows.is_empty() {
            return;
        }
        let texts: Vec<&str> = rows.iter().map(|&r| self.spliced.lines[r].text.as_str()).collect();
        let names = declared::names(&texts);
        rows.iter().for_each(|&r| self.gone[r] = true);
        self.lost.push(Lost { head: self.units[unit].head, error: error.clone(), names: Some(names) });
    }

    /// Takes out what is not understood of a unit.
    fn take_out(&mut self, unit: usize, errors: Vec<FormError>) {
        let u = self.units[unit].clone();
        let own = self.own_rows(unit);
        if u.kind == Kind::Module && self.declarations_of(unit, &own) {
            return;
        }
        if u.kind == Kind::Headless || u.name.is_empty() {
            own.iter().for_each(|&r| self.gone[r] = true);
            self.loose.extend(errors);
            return;
        }
        self.lost.extend(errors.into_iter().map(|error| Lost { head: u.head, error, names: None }));
        let bracket = |r: usize| r == u.head || r == u.end;
        let declares = |text: &str| {
            let text = text.to_ascii_lowercase();
            is_declaration(&text) || text.starts_with("use ") || text.starts_with("use,")
        };
        let kept: Vec<usize> = own.iter().copied().filter(|&r| bracket(r) || declares(&self.spliced.lines[r].text)).collect();
        let kept = if self.check(&kept).is_empty() { kept } else { vec![u.head, u.end] };
        own.iter().filter(|r| !kept.contains(r)).for_each(|&r| self.gone[r] = true);
        if kept.len() == 2 && !self.check(&kept).is_empty() {
            self.put.extend([(u.head, stub(&u)), (u.end, "end".to_owned())]);
        }
    }

    /// Looks for the declarations of a module that are not understood, one after the other. Whether that was all.
    fn declarations_of(&mut self, unit: usize, own: &[usize]) -> bool {
        let u = self.units[unit].clone();
        let mut items: Vec<Vec<usize>> = Vec::new();
        let mut block: Option<&str> = None;
        for &r in own.iter().filter(|&&r| r != u.head && r != u.end) {
            let text = self.spliced.lines[r].text.to_ascii_lowercase();
            match block {
                Some(word) => {
                    if let Some(item) = items.last_mut() {
                        item.push(r);
                    }
                    if outline::is_end(&text, word) {
                        block = None;
                    }
                }
                None => {
                    items.push(vec![r]);
                    block = match () {
                        () if outline::opens_interface(&text) => Some("interface"),
                        () if outline::opens_type(&text) => Some("type"),
                        () if text == "enum" || text.starts_with("enum,") => Some("enum"),
                        () => None,
                    };
                }
            }
        }
        for item in items {
            if self.gone[item[0]] {
                continue;
            }
            let mut rows = vec![u.head];
            rows.extend(&item);
            rows.push(u.end);
            if let Some(error) = self.check(&rows).into_iter().next() {
                self.declarations(unit, &item, &error);
            }
        }
        let left: Vec<usize> = own.iter().copied().filter(|&r| !self.gone[r]).collect();
        self.check(&left).is_empty()
    }

    /// The text without what was taken out, row by row.
    fn rest(&mut self) -> Spliced {
        let spliced = std::mem::take(&mut self.spliced);
        let mut out = Spliced::default();
        for (r, mut line) in spliced.lines.into_iter().enumerate() {
            let bytes = self.starts[r]..self.starts[r + 1];
            let place = spliced.places.get(bytes.start).copied().unwrap_or((1, 1));
            let put = self.put.iter().find(|p| p.0 == r).map(|p| p.1.as_str()).or(self.gone[r].then_some(""));
            match put {
                Some(text) => {
                    out.text.push_str(text);
                    out.text.push('\n');
                    out.places.extend(vec![place; text.len() + 1]);
                    line.label.clear();
                    text.clone_into(&mut line.text);
                }
                None => {
                    out.text.push_str(&spliced.text[bytes.clone()]);
                    out.places.extend_from_slice(&spliced.places[bytes]);
                }
            }
            out.lines.push(line);
        }
        out
    }
}

/// A head that is understood, for a unit whose own is not.
fn stub(unit: &Outline) -> String {
    match unit.kind {
        Kind::Subroutine => format!("subroutine {}", unit.name),
        Kind::Function => format!("function {}()", unit.name),
        _ => format!("subroutine {}", unit.name),
    }
}
