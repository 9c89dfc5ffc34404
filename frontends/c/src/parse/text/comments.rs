//! Comments and pragmas of the original text, to be attached again to what they stand before.
//!
//! Lives here: finding them (by tree-sitter, which keeps raw text) and taking them off comment signs. Never here: meaning.

/// A comment or pragma of the original text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    /// First byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
    /// Without comment signs, one line a line; a pragma as it stands.
    pub text: String,
    /// A `#pragma` line.
    pub pragma: bool,
}

/// All comments and pragmas, in text order.
pub(crate) fn find(text: &str) -> Vec<Remark> {
    let mut parser = tree_sitter::Parser::new();
    if parser.set_language(&tree_sitter_c::LANGUAGE.into()).is_err() {
        return Vec::new();
    }
    let Some(tree) = parser.parse(text, None) else { return Vec::new() };
    let mut out = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let body = text.get(node.start_byte()..node.end_byte()).unwrap_or_default();
        match node.kind() {
            "comment" => out.push(Remark { start: node.start_byte(), end: node.end_byte(), text: bare(body), pragma: false }),
            "preproc_call" if is_pragma(body) => {
                let text = body.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ");
                let words = text.trim_start_matches(['#', ' ']).strip_prefix("pragma").unwrap_or_default();
                // What speaks to Overbar is no part of the program (see `pragmas`).
                if xaif::directives::Family::split(words).is_none() {
                    out.push(Remark { start: node.start_byte(), end: node.end_byte(), text, pragma: true });
                }
            }
            _ => {}
        }
        if node.kind() != "preproc_call" && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                out.sort_by_key(|r| r.start);
                return out;
            }
        }
    }
}

fn is_pragma(line: &str) -> bool {
    line.trim_start().strip_prefix('#').is_some_and(|l| l.trim_start().starts_with("pragma"))
}

/// A comment without its signs.
fn bare(comment: &str) -> String {
    if let Some(line) = comment.strip_prefix("//") {
        return line.trim().to_owned();
    }
    let inner = comment.strip_prefix("/*").unwrap_or(comment);
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let lines: Vec<&str> = inner.lines().map(|l| l.trim()).map(|l| l.strip_prefix('*').unwrap_or(l).trim()).collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_lose_their_signs() {
        let text = "/* a\n * b */\nint x; // c\n#pragma once\n#pragma overbar nothing\nchar *s = \"/* no */\";";
        let r = find(text);
        let t: Vec<&str> = r.iter().map(|r| r.text.as_str()).collect();
        assert_eq!(t, ["a\nb", "c", "#pragma once"]);
        assert!(r[2].pragma);
    }
}
