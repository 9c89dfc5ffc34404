//! Lines of Fortran: indentation, labels, comments and the breaking of long lines, in free and fixed source form.
//!
//! Lives here: how text is laid out on lines. Never here: what the text says.

use xaif::lined::{Lined, Origin};
use xaif::model::{Span, UnitId};

/// The longest line that is aimed at in free form; the language allows [`FREE_LIMIT`].
const FREE_AIM: usize = 100;

/// The last column of free form.
const FREE_LIMIT: usize = 132;

/// The last column of a statement in fixed form.
const FIXED_LIMIT: usize = 72;

/// Nothing is indented further than this many columns.
const MAX_INDENT: usize = 40;

/// What a line is printed for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Maker {
    /// The unit whose text it belongs to, if it is one's.
    pub unit: Option<UnitId>,
    /// The place of the statement or construct, if it is one's.
    pub place: Span,
}

/// One logical line.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A statement.
    Code {
        /// Nesting depth.
        indent: usize,
        /// Statement label.
        label: Option<u32>,
        /// Its text.
        text: String,
        /// What it is printed for.
        maker: Maker,
    },
    /// A comment, without its sign.
    Comment {
        /// Nesting depth.
        indent: usize,
        /// Its text.
        text: String,
        /// What it is printed for.
        maker: Maker,
    },
    /// A line that is printed as it stands.
    Verbatim(String),
    /// An empty line.
    Blank,
}

impl Line {
    /// A statement without a label.
    pub fn code(indent: usize, text: impl Into<String>) -> Line {
        Line::Code { indent, label: None, text: text.into(), maker: Maker::default() }
    }

    /// The same line, printed for that place.
    pub fn at(mut self, span: Span) -> Line {
        if let Line::Code { maker, .. } | Line::Comment { maker, .. } = &mut self {
            maker.place = span;
        }
        self
    }

    /// Lines that belong to no unit yet belong to this one.
    pub fn belong_to(&mut self, owner: UnitId) {
        if let Line::Code { maker, .. } | Line::Comment { maker, .. } = self {
            maker.unit.get_or_insert(owner);
        }
    }
}

/// Comment lines from text that may have several lines.
pub fn comment(indent: usize, text: &str) -> impl Iterator<Item = Line> {
    text.lines().map(move |l| Line::Comment { indent, text: l.trim_end().to_owned(), maker: Maker::default() })
}

/// Lays lines out. `base` is added to every indentation.
pub fn render(lines: &[Line], fixed: bool, base: usize) -> Lined {
    let mut all = Lined::default();
    let mut blank = true; // no blank line at the start, never two in a row
    for line in lines {
        let mut out = String::new();
        let mut origin = Origin::NONE;
        match line {
            Line::Blank => {
                if !blank {
                    all.push_str("\n");
                }
                blank = true;
                continue;
            }
            Line::Verbatim(text) => {
                out.push_str(text);
                out.push('\n');
            }
            Line::Comment { indent, text, maker } => {
                origin = Origin::Made { unit: maker.unit, place: maker.place };
                render_comment(&mut out, text, columns(*indent + base), fixed);
            }
            Line::Code { indent, label, text, maker } => {
                origin = Origin::Made { unit: maker.unit, place: maker.place };
                if fixed {
                    render_fixed(&mut out, text, *label, columns(*indent + base));
                } else {
                    render_free(&mut out, text, *label, columns(*indent + base));
                }
            }
        }
        all.add(&out, |_| origin);
        blank = false;
    }
    all
}

fn columns(indent: usize) -> usize {
    (2 * indent).min(MAX_INDENT)
}

/// A directive (`!$omp ...`) keeps its sentinel at the start; anything else gets the comment sign.
fn render_comment(out: &mut String, text: &str, indent: usize, fixed: bool) {
    let pad = if fixed { 6 + indent } else { indent };
    let text: String = text.chars().filter(|c| !c.is_control() || *c == '\t').collect();
    out.extend(std::iter::repeat_n(' ', if fixed && pad == 5 { 6 } else { pad }));
    out.push('!');
    if !text.is_empty() {
        out.push(' ');
        out.push_str(&text);
    }
    out.push('\n');
}

/// Places at which a statement may be broken: the index of the character that starts the next line, and how good the place
/// is (nesting depth of parentheses; operators without spaces around them count as deeper).
fn break_places(text: &[char]) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    let mut depth = 0usize;
    let mut quote = None;
    for (i, &c) in text.iter().enumerate() {
        if let Some(q) = quote {
            if c == q {
                quote = None;
            }
            continue;
        }
        let next = text.get(i + 1).copied().unwrap_or(' ');
        let before = if i > 0 { text[i - 1] } else { ' ' };
        match c {
            '\'' | '"' => quote = Some(c),
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ' ' if i > 0 => {
                // Before an operator, behind a comma or an equals sign; never between words.
                let operator = matches!(next, '+' | '-' | '<' | '>' | '/' | '.' | '*' | '=') && text.get(i + 2) != Some(&'>');
                let logical_end = before == '.';
                if (operator && next != '=' && before != '=' && before != ',') && !logical_end {
                    places.push((i + 1, depth));
                } else if before == ',' || before == '=' || before == ':' {
                    places.push((i + 1, depth + usize::from(before == '=')));
                }
            }
            '*' | '/' if before != c && next != c && next != '=' && before != ' ' && next != ')' && before != '(' => {
                places.push((i, depth + 3));
            }
            ',' if next != ' ' => places.push((i + 1, depth + 3)),
            _ => {}
        }
    }
    places
}

/// Splits a statement into pieces; the first has room for `first` characters, the others for `rest`. The flag of a piece says
/// that its end splits a token, so that the next piece must follow without a gap.
fn split(text: &str, first: usize, rest: usize) -> Vec<(String, bool)> {
    let chars: Vec<char> = text.chars().collect();
    let places = break_places(&chars);
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut room = first;
    while chars.len() - at > room {
        // The best place behind the first third of the line, the last among equals.
        let window = |from: usize| {
            places.iter().filter(|(p, _)| *p > at + from && *p <= at + room).min_by_key(|(p, d)| (*d, usize::MAX - p)).map(|(p, _)| *p)
        };
        let place = window(room / 3).or_else(|| window(0));
        let (end, hard) = match place {
            Some(p) => (p, false),
            None => (at + room, true),
        };
        let piece: String = chars[at..end].iter().collect();
        pieces.push((if hard { piece } else { piece.trim_end().to_owned() }, hard));
        at = end;
        room = rest;
    }
    pieces.push((chars[at..].iter().collect(), false));
    pieces
}

fn render_free(out: &mut String, text: &str, label: Option<u32>, indent: usize) {
    let mut head = " ".repeat(indent);
    if let Some(l) = label {
        let digits = l.to_string();
        head = format!("{digits:<width$}", width = indent.max(digits.len() + 1));
    }
    let hang = indent + 4;
    if head.len() + text.chars().count() <= FREE_AIM {
        out.push_str(&head);
        out.push_str(text);
        out.push('\n');
        return;
    }
    let aim = |used: usize| FREE_AIM.saturating_sub(used + 3).max(40).min(FREE_LIMIT - used - 3);
    let pieces = split(text, aim(head.len()), aim(hang));
    let last = pieces.len() - 1;
    let mut joined = false;
    for (i, (piece, hard)) in pieces.iter().enumerate() {
        if i == 0 {
            out.push_str(&head);
        } else {
            out.extend(std::iter::repeat_n(' ', hang));
            if joined {
                out.push('&');
            }
        }
        out.push_str(piece);
        if i < last {
            out.push_str(if *hard { "&" } else { " &" });
        }
        joined = *hard;
        out.push('\n');
    }
}

fn render_fixed(out: &mut String, text: &str, label: Option<u32>, indent: usize) {
    let head = match label {
        Some(l) => format!("{l:<5} "),
        None => " ".repeat(6),
    };
    // A split token must go on in column 7 right behind column 72, so then nothing is indented.
    let indent = indent.min(24);
    let room = FIXED_LIMIT - 6 - indent;
    let mut pieces = split(text, room, room.saturating_sub(2));
    let flat = pieces.iter().any(|(_, hard)| *hard);
    let (indent, hang) = if flat { (0, 0) } else { (indent, indent + 2) };
    if flat {
        pieces = split(text, FIXED_LIMIT - 6, FIXED_LIMIT - 6);
    }
    for (i, (piece, _)) in pieces.iter().enumerate() {
        if i == 0 {
            out.push_str(&head);
            out.extend(std::iter::repeat_n(' ', indent));
        } else {
            out.push_str("     &");
            out.extend(std::iter::repeat_n(' ', hang));
        }
        out.push_str(piece);
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(lines: &[Line], fixed: bool, base: usize) -> String {
        render(lines, fixed, base).into_parts().0
    }

    fn unwrap_free(text: &str) -> String {
        let mut out = String::new();
        for l in text.lines() {
            let l = l.trim_start();
            let l = l.strip_prefix('&').unwrap_or(l);
            out.push_str(l.strip_suffix('&').unwrap_or(l));
        }
        out
    }

    #[test]
    fn long_lines_break_at_operators_and_stay_below_the_limit() {
        let terms: Vec<String> = (0..60).map(|i| format!("a({i}, j)*b({i})")).collect();
        let text = format!("x = {}", terms.join(" + "));
        let out = text_of(&[Line::code(2, text.clone())], false, 0);
        assert!(out.lines().count() > 3);
        assert!(out.lines().all(|l| l.len() <= FREE_LIMIT), "{out}");
        assert!(out.lines().skip(1).all(|l| l.trim_start().starts_with('+')), "{out}");
        let squeeze = |s: &str| s.replace(' ', "");
        assert_eq!(squeeze(&unwrap_free(&out)), squeeze(&text));
        let fixed = text_of(&[Line::code(2, text.clone())], true, 0);
        assert!(fixed.lines().all(|l| l.len() <= FIXED_LIMIT), "{fixed}");
        let joined: String = fixed.lines().map(|l| &l[6..]).collect();
        assert_eq!(squeeze(&joined), squeeze(&text));
    }

    #[test]
    fn a_token_longer_than_a_line_is_split_without_a_gap() {
        let text = format!("s = '{}'", "x y".repeat(120));
        let out = text_of(&[Line::code(1, text.clone())], false, 0);
        assert!(out.lines().all(|l| l.len() <= FREE_LIMIT));
        assert_eq!(unwrap_free(&out), text);
        let fixed = text_of(&[Line::code(1, text.clone())], true, 0);
        let joined: String = fixed.lines().map(|l| format!("{:<66}", &l[6..])).collect();
        assert_eq!(joined.trim_end().replace(' ', ""), text.replace(' ', ""));
        assert!(fixed.lines().all(|l| l.len() <= FIXED_LIMIT), "{fixed}");
    }

    #[test]
    fn blank_lines_never_double() {
        let out = text_of(&[Line::Blank, Line::code(0, "a"), Line::Blank, Line::Blank, Line::code(0, "b")], false, 0);
        assert_eq!(out, "a\n\nb\n");
    }
}
