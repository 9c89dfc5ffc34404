//! The user's text: where things stand in it.
//!
//! Lives here: a scan of C text for comments, directives, declarations and indentation. Never here: the program model.

use rustc_hash::FxHashMap;
use xaif::model::Span;

/// What a directive is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directive {
    /// First byte of its first line.
    pub start: usize,
    /// Its lines as they stand, continuation lines included.
    pub text: String,
    /// Byte behind its last line.
    pub end: usize,
    /// Nesting of `#if` around it.
    pub depth: usize,
}

impl Directive {
    /// The word behind `#`.
    pub fn word(&self) -> &str {
        let rest = self.text.trim_start().trim_start_matches('#').trim_start();
        &rest[..rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len())]
    }

    /// The macro that a `#define` defines.
    pub fn defined(&self) -> Option<&str> {
        let rest = self.text.trim_start().trim_start_matches('#').trim_start().strip_prefix("define")?.trim_start();
        Some(&rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())])
    }

    /// What an `#include` names, with its brackets or quotes.
    pub fn included(&self) -> Option<&str> {
        if self.word() != "include" {
            return None;
        }
        let at = self.text.find(['<', '"'])?;
        let rest = &self.text[at..];
        let close = if rest.starts_with('<') { '>' } else { '"' };
        rest[1..].find(close).map(|e| &rest[..e + 2])
    }
}

/// The text with comments, strings and directives blanked out, byte for byte.
pub(crate) fn blanked(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut i = 0;
    let mut line_start = true;
    let blank = |out: &mut Vec<u8>, from: usize, to: usize| {
        for b in &mut out[from..to] {
            if *b != b'\n' {
                *b = b' ';
            }
        }
    };
    while i < bytes.len() {
        let rest = &bytes[i..];
        let from = i;
        if rest.starts_with(b"/*") {
            i = text[i + 2..].find("*/").map_or(bytes.len(), |e| i + e + 4);
            blank(&mut out, from, i);
        } else if rest.starts_with(b"//") {
            i = text[i..].find('\n').map_or(bytes.len(), |e| i + e);
            blank(&mut out, from, i);
        } else if rest[0] == b'#' && line_start {
            i = directive_end(bytes, i);
            blank(&mut out, from, i);
            line_start = true;
        } else if rest[0] == b'"' || rest[0] == b'\'' {
            i += 1;
            while i < bytes.len() && bytes[i] != rest[0] && bytes[i] != b'\n' {
                i += if bytes[i] == b'\\' { 2 } else { 1 };
            }
            i = (i + 1).min(bytes.len());
            blank(&mut out, from, i);
            line_start = false;
        } else {
            line_start = rest[0] == b'\n' || (line_start && rest[0].is_ascii_whitespace());
            i += 1;
        }
    }
    out
}

/// Behind the newline that ends a directive.
fn directive_end(bytes: &[u8], start: usize) -> usize {
    let mut i = start;
    while i < bytes.len() {
        if bytes[i] == b'\n' {
            let mut k = i;
            if k > start && bytes[k - 1] == b'\r' {
                k -= 1;
            }
            if k == start || bytes[k - 1] != b'\\' {
                return i + 1;
            }
        }
        i += 1;
    }
    bytes.len()
}

/// Where headers of the library go so that no macro of the user's comes before them: `None` where those that stand before `limit` cannot meet a name of the library.
/// Feature macros (`_GNU_SOURCE`) stay before all headers.
pub(crate) fn before_own_macros(directives: &[Directive], limit: usize) -> Option<usize> {
    let here = || directives.iter().filter(|d| d.end <= limit);
    let own = |d: &&Directive| {
        d.included().is_some_and(|name| name.starts_with('"'))
            || d.defined().is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
    };
    here().find(own)?;
    // The first thing that is no feature macro; where that is within a condition, the condition.
    let mut open = None;
    for d in here() {
        match d.word() {
            "if" | "ifdef" | "ifndef" if d.depth == 0 => open = Some(d.start),
            "endif" if d.depth == 0 => open = None,
            "define" if d.defined().is_some_and(|name| name.starts_with('_')) => {}
            "include" | "define" => return Some(open.unwrap_or(d.start)),
            _ => {}
        }
    }
    None
}

/// All directives outside of comments.
pub(crate) fn directives(text: &str) -> Vec<Directive> {
    let bytes = text.as_bytes();
    let mut list = Vec::new();
    let mut depth = 0usize;
    let mut i = 0;
    let mut line_start = true;
    while i < bytes.len() {
        let rest = &text.as_bytes()[i..];
        if rest.starts_with(b"/*") {
            i = text[i + 2..].find("*/").map_or(bytes.len(), |e| i + e + 4);
        } else if rest.starts_with(b"//") {
            i = text[i..].find('\n').map_or(bytes.len(), |e| i + e);
        } else if rest[0] == b'#' && line_start {
            let end = directive_end(bytes, i);
            let start = text[..i].rfind('\n').map_or(0, |p| p + 1);
            let mut d = Directive { start, text: text[i..end].trim_end().to_string(), end, depth };
            match d.word() {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" => {
                    depth = depth.saturating_sub(1);
                    d.depth = depth;
                }
                _ => {}
            }
            list.push(d);
            i = end;
            line_start = true;
        } else {
            line_start = rest[0] == b'\n' || (line_start && rest[0].is_ascii_whitespace());
            i += 1;
        }
    }
    list
}

/// The byte where a line and column (from 1, in characters) is.
pub(crate) fn offset(text: &str, line: u32, column: u32) -> usize {
    let mut start = 0;
    for _ in 1..line {
        match text[start..].find('\n') {
            Some(e) => start += e + 1,
            None => return text.len(),
        }
    }
    let rest = &text[start..];
    let end = rest.find('\n').unwrap_or(rest.len());
    rest[..end].char_indices().nth(column.saturating_sub(1) as usize).map_or(start + end, |(i, _)| start + i)
}

/// Where to insert lines behind a byte: behind its line if nothing but comments follows there, else right there.
/// The flag says whether a newline must come first.
pub(crate) fn behind(text: &str, blank: &[u8], at: usize) -> (usize, bool) {
    let at = at.min(text.len());
    let end = text[at..].find('\n').map_or(text.len(), |e| at + e);
    if blank[at..end].iter().all(u8::is_ascii_whitespace) {
        // A comment that begins here may go on.
        let mut end = end;
        while end < text.len() && in_comment(text, at, end) {
            end = text[end + 1..].find('\n').map_or(text.len(), |e| end + 1 + e);
        }
        if end < text.len() { (end + 1, false) } else { (end, true) }
    } else {
        (at, true)
    }
}

/// True where a comment that begins behind `from` is still open at `to`.
fn in_comment(text: &str, from: usize, to: usize) -> bool {
    let part = &text[from..to];
    let line = part.find("//").unwrap_or(usize::MAX);
    match part.rfind("/*") {
        Some(open) => open < line && !part[open + 2..].contains("*/"),
        None => false,
    }
}

/// The byte behind the semicolon that ends the declaration in which `at` stands.
pub(crate) fn declaration_end(blank: &[u8], at: usize) -> usize {
    let mut depth = 0i32;
    for (i, b) in blank.iter().enumerate().skip(at) {
        match b {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth -= 1,
            b';' if depth <= 0 => return i + 1,
            _ => {}
        }
    }
    blank.len()
}

/// Behind a place.
pub(crate) fn end_of(text: &str, span: Span) -> usize {
    offset(text, span.end_line.max(span.line), if span.end_line > 0 { span.end_column } else { u32::MAX })
}

/// Definitions of types at file scope: `typedef`, and `struct`, `union` or `enum` with a body.
pub(crate) fn type_definitions(text: &str) -> Vec<String> {
    let blank = blanked(text);
    let mut list = Vec::new();
    let mut i = 0;
    while i < blank.len() {
        if blank[i].is_ascii_whitespace() || blank[i] == b';' {
            i += 1;
            continue;
        }
        // One declaration or function at a time.
        let (end, body) = item_end(&blank, i);
        let item = String::from_utf8_lossy(&blank[i..end]).into_owned();
        let first = item.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default().to_string();
        let alone = body && matches!(first.as_str(), "struct" | "union" | "enum") && !item.contains('(') && {
            let tail = item.rsplit('}').next().unwrap_or_default();
            tail.trim() == ";"
        };
        if first == "typedef" || alone {
            list.push(text[i..end].trim().to_string());
        } else if let Some((from, to)) = structure_in(&item) {
            list.push(format!("{};", text[i + from..i + to].trim()));
        }
        i = end.max(i + 1);
    }
    list
}

/// The definition of a structure or union with a name that a declaration of variables begins with.
fn structure_in(item: &str) -> Option<(usize, usize)> {
    let open = item.find('{')?;
    let head = item[..open].trim_end();
    let name = head.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).map_or(0, |k| k + 1);
    let before = head[..name].trim_end();
    let word = ["struct", "union"].into_iter().find(|w| before.ends_with(w))?;
    let mut depth = 0usize;
    for (k, c) in item[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return (name < head.len()).then(|| (before.len() - word.len(), open + k + 1)),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// What a text at file scope declares functions to be, by name: where the first declaration begins, and the line that could stand in another file.
pub(crate) fn prototypes(text: &str) -> FxHashMap<String, (usize, String)> {
    let blank = blanked(text);
    let mut out = FxHashMap::default();
    let mut i = 0;
    while i < blank.len() {
        if blank[i].is_ascii_whitespace() || blank[i] == b';' {
            i += 1;
            continue;
        }
        let (end, _) = item_end(&blank, i);
        let item = String::from_utf8_lossy(&blank[i..end]);
        let head = item.split(['{', ';']).next().unwrap_or_default();
        if !head.starts_with("typedef") {
            for name in declared(head) {
                let line = || format!("{};", head.split_whitespace().collect::<Vec<_>>().join(" "));
                out.entry(name.to_owned()).or_insert_with(|| (i, line()));
            }
        }
        i = end.max(i + 1);
    }
    out
}

/// The names that stand outside of all parentheses, with parameters behind them.
fn declared(head: &str) -> Vec<&str> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut depth, mut out) = (0i32, Vec::new());
    for (k, c) in head.char_indices() {
        if c == '(' && depth == 0 {
            let before = head[..k].trim_end();
            out.push(&before[before.trim_end_matches(word).len()..]);
        }
        depth += i32::from(c == '(') - i32::from(c == ')');
    }
    out.retain(|name| !name.is_empty());
    out
}

/// Behind the declaration or function that begins here, and whether it has braces.
fn item_end(blank: &[u8], start: usize) -> (usize, bool) {
    let (mut depth, mut body, mut function) = (0i32, false, false);
    for (i, b) in blank.iter().enumerate().skip(start) {
        match b {
            b'(' if depth == 0 && !body => function = true,
            b'{' => {
                depth += 1;
                body = true;
            }
            b'}' => {
                depth -= 1;
                if depth <= 0 && function {
                    return (i + 1, true);
                }
            }
            b';' if depth <= 0 => return (i + 1, body),
            _ => {}
        }
    }
    (blank.len(), body)
}

/// The unit of indentation: the commonest step to the right behind an opening brace.
pub(crate) fn indentation(text: &str) -> String {
    let mut counts = std::collections::BTreeMap::<usize, usize>::new();
    let (mut tabs, mut opened) = (0usize, None::<usize>);
    for line in text.lines() {
        let body = line.trim_start();
        if body.is_empty() {
            continue;
        }
        let margin = &line[..line.len() - body.len()];
        if let Some(before) = opened.take() {
            if margin.contains('\t') {
                tabs += 1;
            } else if margin.len() > before {
                *counts.entry(margin.len() - before).or_default() += 1;
            }
        }
        if body.trim_end().ends_with('{') {
            opened = Some(margin.len());
        }
    }
    let spaces: usize = counts.values().sum();
    if tabs > spaces {
        return "\t".into();
    }
    let best = counts.iter().filter(|(w, _)| (1..=8).contains(*w)).max_by_key(|(w, n)| (**n, std::cmp::Reverse(**w)));
    " ".repeat(best.map_or(2, |(w, _)| *w))
}

/// Behind the comment that a file begins with.
pub(crate) fn behind_leading_comment(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        let start = at + rest.len() - trimmed.len();
        if trimmed.starts_with("/*") {
            let Some(end) = trimmed.find("*/") else { return at };
            at = line_end(text, start + end + 2);
        } else if trimmed.starts_with("//") {
            at = line_end(text, start);
        } else {
            return at;
        }
        // A comment with a blank line behind it is the file's; one right over a function is the function's.
        if text[at..].starts_with('\n') || text[at..].starts_with("\r\n") {
            return at;
        }
        if !text[at..].trim_start().starts_with("//") {
            return 0;
        }
    }
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |e| at + e + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "/* licence */\n\n#include <math.h>\n#ifdef X\n#include \"a.h\" // c\n#endif\ntypedef double real;\nenum kind { A, B };\nreal g, h = 2; /* two */\nreal f(real x) {\n    char c = '{';\n    return x; }\n";

    #[test]
    fn directives_and_definitions_are_found() {
        let d = directives(TEXT);
        let includes: Vec<_> = d.iter().filter_map(|d| Some((d.included()?, d.depth))).collect();
        assert_eq!(includes, [("<math.h>", 0), ("\"a.h\"", 1)]);
        assert_eq!(type_definitions(TEXT), ["typedef double real;", "enum kind { A, B };"]);
        assert_eq!(indentation(TEXT), "    ");
        assert_eq!(&TEXT[behind_leading_comment(TEXT)..][..2], "\n#");
    }

    #[test]
    fn places_in_the_text() {
        let blank = blanked(TEXT);
        let g = offset(TEXT, 9, 6);
        assert_eq!(&TEXT[g..g + 1], "g");
        let end = declaration_end(&blank, g);
        assert!(TEXT[..end].ends_with("h = 2;"));
        let (at, newline) = behind(TEXT, &blank, end);
        assert!(!newline && TEXT[at..].starts_with("real f"));
    }
}
