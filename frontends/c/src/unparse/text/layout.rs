//! Lines of C text: indentation, wrapping, comments.
//!
//! Lives here: how text is laid out. Never here: what the text says.

use xaif::lined::{Lined, Origin};
use xaif::model::{Span, UnitId};

/// Longer lines are wrapped at a blank.
const WIDTH: usize = 120;

/// A piece of a function's body.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// Text at an indentation level; wrapped if it is too long.
    Text(usize, String),
    /// Text that must stay as it is (pragmas).
    Raw(String),
    /// A label, which must stand before a statement.
    Label(usize, String),
    /// An empty line.
    Blank,
}

/// Lines in the making, each with the place of the statement or construct that it is printed for.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub lines: Vec<(Line, Span)>,
    pub level: usize,
    /// The place of what is printed now.
    pub place: Span,
}

impl Lines {
    pub fn push(&mut self, line: Line) {
        self.lines.push((line, self.place));
    }

    pub fn text(&mut self, text: impl Into<String>) {
        self.push(Line::Text(self.level, text.into()));
    }

    pub fn open(&mut self, head: impl Into<String>) {
        self.text(head);
        self.level += 1;
    }

    pub fn close(&mut self, tail: &str) {
        self.level = self.level.saturating_sub(1);
        self.text(tail);
    }

    /// A comment of one or more lines.
    pub fn comment(&mut self, comment: &str) {
        for line in comment_lines(comment) {
            self.push(Line::Text(self.level, line));
        }
    }
}

/// A comment as C has it.
pub(crate) fn comment_lines(comment: &str) -> Vec<String> {
    let clean: Vec<String> = comment.trim_end().lines().map(|l| l.trim_end().replace("*/", "* /").replace("/*", "/ *")).collect();
    match &clean[..] {
        [] => Vec::new(),
        [one] => vec![format!("/* {} */", one.trim())],
        many => {
            let last = many.len() - 1;
            many.iter()
                .enumerate()
                .map(|(i, l)| {
                    let head = if i == 0 { "/* " } else { "   " };
                    let tail = if i == last { " */" } else { "" };
                    format!("{head}{l}{tail}").trim_end().to_string()
                })
                .collect()
        }
    }
}

/// Text of lines that belong to nothing, with the given unit of indentation.
pub(crate) fn render(lines: &[Line], indent: &str) -> String {
    let lines: Vec<(Line, Span)> = lines.iter().map(|l| (l.clone(), Span::NONE)).collect();
    placed(&lines, indent, None).into_parts().0
}

/// Text of the lines of a unit, with their origins.
pub(crate) fn placed(lines: &[(Line, Span)], indent: &str, unit: Option<UnitId>) -> Lined {
    let mut all = Lined::default();
    for (k, (line, place)) in lines.iter().enumerate() {
        let mut out = String::new();
        match line {
            Line::Text(level, text) => wrap(&mut out, &indent.repeat(*level), text),
            Line::Raw(text) => {
                out.push_str(text);
                out.push('\n');
            }
            Line::Label(level, label) => {
                // Before a closing brace an empty statement is needed.
                let mut open = false;
                let mut remark = |l: &&Line| match l {
                    Line::Text(_, t) if open || t.starts_with("/*") => {
                        open = !t.trim_end().ends_with("*/");
                        true
                    }
                    Line::Text(..) | Line::Label(..) => false,
                    Line::Raw(_) | Line::Blank => true,
                };
                let end = match lines[k + 1..].iter().map(|(l, _)| l).find(|l| !remark(l)) {
                    Some(Line::Text(_, next)) if !next.starts_with('}') => "",
                    Some(Line::Label(..)) => "",
                    _ => ";",
                };
                out.push_str(&format!("{}{label}:{end}\n", indent.repeat(*level)));
            }
            Line::Blank => out.push('\n'),
        }
        all.add(&out, |_| Origin::Made { unit, place: *place });
    }
    all
}

/// Writes a line, broken at blanks outside of quotes where it is too long. Comments are broken the same way: a comment may span lines.
fn wrap(out: &mut String, margin: &str, text: &str) {
    let mut rest = text;
    let mut first = true;
    loop {
        let hang = if first { "" } else { "    " };
        let room = WIDTH.saturating_sub(margin.len() + hang.len()).max(40);
        out.push_str(margin);
        out.push_str(hang);
        match break_at(rest, room) {
            Some((head, tail)) => {
                out.push_str(head);
                out.push('\n');
                rest = tail;
                first = false;
            }
            None => {
                out.push_str(rest);
                out.push('\n');
                return;
            }
        }
    }
}

/// A blank outside of quotes at which to break: of those in the last part of the room the one with the fewest open brackets, and of these the
/// last. Where the room has none, the first one behind it.
fn break_at(text: &str, room: usize) -> Option<(&str, &str)> {
    if text.chars().count() <= room {
        return None;
    }
    let in_comment = text.starts_with("/*") || text.starts_with("   ");
    let mut best: Option<(usize, usize, usize)> = None;
    let (mut quote, mut escaped, mut depth) = (None, false, 0usize);
    for (column, (at, c)) in text.char_indices().enumerate() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if in_comment && c == ' ' && at > 0 && !text[..at].trim().is_empty() => {
                if column > room && best.is_some() {
                    break;
                }
                best = Some((at, column, 0));
            }
            None if in_comment => {}
            None => match c {
                '"' | '\'' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                // The opening brace stays on the line that it belongs to.
                ' ' if at > 0 && text[at..].trim() != "{" => {
                    if column > room && best.is_some() {
                        break;
                    }
                    let late = column > room / 2;
                    // Behind an operator or comma rather than before one.
                    let cost = 2 * depth + usize::from(!text[..at].ends_with([',', '+', '-', '*', '/', '&', '|', '=', '?', ':']));
                    if best.is_none_or(|(_, c, d)| cost <= d || (late && c <= room / 2)) {
                        best = Some((at, column, cost));
                    }
                }
                _ => {}
            },
        }
    }
    let (at, ..) = best?;
    let (head, tail) = (&text[..at], text[at + 1..].trim_start());
    (!tail.is_empty()).then_some((head, tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_blanks_outside_of_quotes() {
        let text = format!("x = {} + \"a b {}\" + {};", "aaaa + ".repeat(12).trim_end_matches(" + "), "c d ".repeat(10), "b");
        let out = render(&[Line::Text(1, text.clone())], "  ");
        assert!(out.lines().count() > 1);
        assert!(out.contains("c d c d c d"));
        assert_eq!(out.split_whitespace().collect::<String>(), text.split_whitespace().collect::<String>());
    }

    #[test]
    fn comments_cannot_end_early() {
        assert_eq!(comment_lines("a */ b /* c"), ["/* a * / b / * c */"]);
        assert_eq!(comment_lines("one\ntwo"), ["/* one", "   two */"]);
        assert!(comment_lines("").is_empty());
    }
}
