//! Text as HTML. Never here: what it is about.

use overbar::facts::Document;
pub use overbar::plot::svg::escape;
use overbar::stats::Formula;

/// Columns from one tab stop to the next.
const TAB: usize = 8;

/// A line of code: tabs become blanks, and characters that change the order in which text is shown are named instead.
pub fn code(line: &str) -> String {
    escape(&shown(line))
}

/// The same, not yet as HTML.
pub fn shown(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.trim_end_matches(['\n', '\r']).chars() {
        match c {
            '\t' => {
                let width = TAB - column % TAB;
                plain.extend(std::iter::repeat_n(' ', width));
                column += width;
            }
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                plain.push_str(&format!("[U+{:04X}]", c as u32));
                column += 8;
            }
            c => {
                plain.push(c);
                column += 1;
            }
        }
    }
    plain
}

/// Names with commas between them, each as code; a word where there are none.
pub fn names(list: &[impl AsRef<str>], none: &str) -> String {
    if list.is_empty() {
        return none.to_owned();
    }
    list.iter().map(|n| format!("<code>{}</code>", code(n.as_ref()))).collect::<Vec<_>>().join(", ")
}

/// A formula.
pub fn formula(f: &Formula) -> String {
    format!("<code>{}</code>", code(&f.to_string()))
}

/// The number with its noun.
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// Lines in the shortest form: `3-5 9`.
pub fn ranges(lines: &[usize]) -> String {
    let mut out: Vec<(usize, usize)> = Vec::new();
    for &l in lines {
        match out.last_mut() {
            Some((_, end)) if *end + 1 == l => *end = l,
            Some((_, end)) if *end == l => {}
            _ => out.push((l, l)),
        }
    }
    out.iter().map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") }).collect::<Vec<_>>().join(" ")
}

/// The head of a table whose rows can be sorted: headings, of which those with a `#` are over numbers.
pub fn table(o: &mut String, caption: &str, headings: &[&str]) {
    o.push_str("<div class=\"wide\"><table class=\"sortable\">\n");
    o.push_str(&format!("<caption>{}</caption>\n<thead><tr>", escape(caption)));
    for h in headings {
        match h.strip_prefix('#') {
            Some(h) => o.push_str(&format!("<th scope=\"col\" class=\"n\">{}</th>", escape(h))),
            None => o.push_str(&format!("<th scope=\"col\">{}</th>", escape(h))),
        }
    }
    o.push_str("</tr></thead>\n<tbody>\n");
}

/// The end of a table.
pub fn end_table(o: &mut String) {
    o.push_str("</tbody>\n</table></div>\n");
}

/// A row of cells that are HTML already; a number stands in a cell of its own kind.
pub fn row(o: &mut String, cells: &[Cell]) {
    o.push_str("<tr>");
    for c in cells {
        match c {
            Cell::Html(h) => o.push_str(&format!("<td>{h}</td>")),
            Cell::Text(t) => o.push_str(&format!("<td>{}</td>", escape(t))),
            Cell::Code(t) => o.push_str(&format!("<td><code>{}</code></td>", code(t))),
            Cell::Number(n) => o.push_str(&format!("<td class=\"n\" data-v=\"{n}\">{n}</td>")),
            Cell::Real(x) => o.push_str(&format!("<td class=\"n\" data-v=\"{x:e}\">{x:.1e}</td>")),
            Cell::Line(l, n) => o.push_str(&format!("<td class=\"n\" data-v=\"{n}\">{l}</td>")),
        }
    }
    o.push_str("</tr>\n");
}

/// A cell of a table.
pub enum Cell {
    /// HTML.
    Html(String),
    /// Text.
    Text(String),
    /// Code.
    Code(String),
    /// A number.
    Number(u64),
    /// A real number.
    Real(f64),
    /// A line: its link, and the number by which it is sorted.
    Line(String, u64),
}

/// Whether some head reaches the unit of that name.
pub fn is_reached(facts: &Document, unit: &str) -> bool {
    facts.units.iter().any(|u| u.unit == unit && u.activity.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_keeps_its_columns_and_its_order() {
        assert_eq!(code("a\tb <c>\r\n"), "a       b &lt;c&gt;");
        assert_eq!(code("x\u{202e}y"), "x[U+202E]y");
        assert_eq!(ranges(&[3, 4, 5, 9, 9, 11]), "3-5 9 11");
    }
}
