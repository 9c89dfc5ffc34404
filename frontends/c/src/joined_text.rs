//! Texts that are written one behind the other: what is said otherwise in them than in each for itself.
//!
//! ```text
//! a.c   #include "grid.h"     b.c   #include "grid.h"     b.c behind a.c   /* "grid.h" is included above */
//! ```
//!
//! Lives here: which pieces of a text that is, and the text with them. Never here: whether it changes what the text means (see `parse::sources::joined`), and
//! where something stands in the text as it is.

use crate::parse::text::tokens::scan;
use crate::unparse::text::source_text::offset;
use rustc_hash::FxHashSet;
use std::ops::Range;
use xaif::model::{Joining, Replaced};

/// Something else in place of some bytes. It has as many line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub at: Range<usize>,
    pub text: String,
}

/// What is said otherwise in each of the texts, one behind the other, in order.
pub(crate) fn edits<'t>(list: impl Iterator<Item = (&'t str, &'t Joining)>) -> Vec<Vec<Edit>> {
    let mut before: FxHashSet<String> = FxHashSet::default();
    let mut out = Vec::new();
    for (source, joining) in list {
        let (once, replaced) = match joining {
            Joining::AsItStands | Joining::Apart { .. } => (false, &[][..]),
            Joining::HeadersOnce => (true, &[][..]),
            Joining::Redeclared { headers_once, replaced } => (*headers_once, &replaced[..]),
        };
        let mut here = inclusions(source, once, &mut before);
        here.extend(replaced.iter().map(|r| replacement(source, r)));
        here.sort_by_key(|e| e.at.start);
        out.push(here);
    }
    out
}

/// Some bytes of a text, with what is said otherwise.
pub(crate) fn applied(text: &str, edits: &[Edit], range: Range<usize>) -> String {
    let (mut out, mut from) = (String::new(), range.start);
    for e in edits.iter().filter(|e| e.at.start >= range.start && e.at.end <= range.end) {
        if e.at.start >= from {
            out.push_str(&text[from..e.at.start]);
            out.push_str(&e.text);
            from = e.at.end;
        }
    }
    out.push_str(&text[from..range.end]);
    out
}

/// Inclusions of the user's headers that an earlier text has, too, where they are to go.
fn inclusions(source: &str, once: bool, before: &mut FxHashSet<String>) -> Vec<Edit> {
    let (mut out, mut own, mut depth) = (Vec::new(), Vec::new(), 0usize);
    for d in &scan(source).directives {
        let line = source[d.start..d.end].trim_start().trim_start_matches('#').trim_start();
        let (word, rest) = line.split_at(line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len()));
        match word {
            "if" | "ifdef" | "ifndef" => depth += 1,
            "endif" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let quoted = rest.trim_start().strip_prefix('"').filter(|_| word == "include" && depth == 0);
        let Some((name, _)) = quoted.and_then(|r| r.split_once('"')) else { continue };
        if once && before.contains(name) && !name.contains("*/") {
            let breaks = source[d.start..d.end].matches('\n').count();
            out.push(Edit { at: d.start..d.end, text: format!("/* \"{name}\" is included above */{}", "\n".repeat(breaks)) });
        }
        own.push(name.to_owned());
    }
    before.extend(own);
    out
}

fn replacement(source: &str, r: &Replaced) -> Edit {
    let start = offset(source, r.line, r.column);
    let at = start..offset(source, r.end_line, r.end_column).max(start);
    let breaks = source[at.clone()].matches('\n').count();
    Edit { text: format!("{}{}", r.text, "\n".repeat(breaks)), at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_replaced_where_they_stand() {
        let text = "double g(double,\n  void *);\nint n;\n";
        let replaced = vec![Replaced { line: 1, column: 9, end_line: 2, end_column: 10, text: "(double, double *)".into() }];
        let joining = Joining::Redeclared { headers_once: false, replaced };
        let list = edits([(text, &joining)].into_iter());
        assert_eq!(applied(text, &list[0], 0..text.len()), "double g(double, double *)\n;\nint n;\n");
        // A part of the text has what lies in it.
        assert_eq!(applied(text, &list[0], 28..text.len()), "int n;\n");
    }

    #[test]
    fn headers_that_were_read_are_left_out() {
        let (first, second) = ("#include \"spec.h\"\nint n;\n", "#include \"spec.h\" /* n */\nint m;\n");
        let list = edits([(first, &Joining::AsItStands), (second, &Joining::HeadersOnce)].into_iter());
        assert!(list[0].is_empty());
        assert!(applied(second, &list[1], 0..second.len()).starts_with("/* \"spec.h\" is included above */"));
    }
}
