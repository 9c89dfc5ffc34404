//! Text that the parser cannot read, taken out so that only those pay who need it.
//!
//! ```text
//! static inline v4 add4(v4 a, v4 b) { return (v4) { a[0] + b[0] ... } }   ->   static inline v4 add4(v4 a, v4 b) ;
//! ```
//!
//! A function keeps its declaration where that can be read; everything else is taken out, and what mentions its name is left out as well. What is taken
//! out becomes blanks: all other text keeps its place. Bodies of functions of system headers are nobody's business; `_Alignas` says nothing that matters.
//! Text that a compiler does not take either stays an error.
//! Lives here: which text is taken out. Never here: what is said of those who need it.

use super::preprocess;
use super::refusals::SYNTAX;
use super::source_map::SourceMap;
use super::syntax_errors;
use super::tokens::{self, Token};
use lang_c::driver::{Config, Flavor, Parse, SyntaxError, parse_preprocessed};
use lang_c::span::Span;
use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use xaif::Diagnostic;

/// More is not taken out of one file.
const MOST: usize = 200;

/// What was taken out of a file.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    /// Functions, with their text and what the parser says.
    pub functions: Vec<UnreadFunction>,
    /// Names that mean something that was taken out.
    pub names: FxHashSet<SmolStr>,
}

/// A function whose text cannot be read.
#[derive(Debug)]
pub(crate) struct UnreadFunction {
    pub name: SmolStr,
    pub span: Span,
    /// Where reading ended.
    pub place: Span,
    pub message: String,
}

/// Why a text is not read.
pub(crate) struct Failure {
    pub error: SyntaxError,
    /// What a compiler says against it.
    pub said: Option<Diagnostic>,
}

impl From<SyntaxError> for Failure {
    fn from(error: SyntaxError) -> Failure {
        Failure { error, said: None }
    }
}

/// A declaration or definition at file scope: its tokens, and where the body of a function begins.
#[derive(Clone, Copy, Debug)]
struct Item {
    first: usize,
    last: usize,
    body: Option<usize>,
}

/// How text is parsed.
pub(crate) fn config() -> Config {
    Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 }
}

/// Parses a text, without what cannot be read.
pub(crate) fn parse(mut text: String, map: &SourceMap) -> Result<(Parse, Unread), Failure> {
    without_alignment(&mut text);
    let first = match parse_preprocessed(&config(), text) {
        Ok(parse) => return Ok((parse, Unread::default())),
        Err(e) => e,
    };
    let tokens = tokens::scan(&first.source).tokens;
    let Some(items) = items(&first.source, &tokens) else { return Err(first.into()) };
    if let Some(said) = preprocess::errors(&first.source).into_iter().next() {
        return Err(Failure { said: Some(said), ..first.into() });
    }
    let mut text = first.source.clone().into_bytes();
    for item in items.iter().filter(|i| map.is_system(tokens[i.first].start)) {
        without_body(&mut text, &tokens, item);
    }
    let (mut unread, mut taken) = (Unread::default(), FxHashSet::default());
    for _ in 0..MOST {
        let Ok(now) = String::from_utf8(text) else { return Err(first.into()) };
        let e = match parse_preprocessed(&config(), now) {
            Ok(parse) => return Ok((parse, unread)),
            Err(e) => e,
        };
        text = e.source.clone().into_bytes();
        let at = items.partition_point(|i| tokens[i.first].start <= e.offset);
        let Some(item) = at.checked_sub(1).map(|k| items[k]) else { return Err(first.into()) };
        let span = Span::span(tokens[item.first].start, tokens[item.last].end);
        if taken.insert(item.first) && item.body.is_some() {
            let name = function_name(&e.source, &tokens, &item);
            if let Some(name) = name.filter(|_| !map.is_system(span.start)) {
                let (message, at) = syntax_errors::described(&e);
                let end = (at + 1).min(e.source.len());
                unread.functions.push(UnreadFunction { name, span, place: Span::span(at, end), message });
            }
            if without_body(&mut text, &tokens, &item) {
                continue;
            }
        }
        if text[span.start..span.end].iter().all(u8::is_ascii_whitespace) {
            return Err(first.into());
        }
        unread.names.extend(meant(&first.source, &tokens, &item));
        blank(&mut text, span.start, span.end);
    }
    Err(first.into())
}

/// The first name of a piece of text that means something that was taken out, and where it stands.
pub(crate) fn mention<'t>(text: &'t str, span: Span, names: &FxHashSet<SmolStr>) -> Option<(&'t str, Span)> {
    if names.is_empty() {
        return None;
    }
    let piece = &text[span.start..span.end];
    let mut before = "";
    for t in tokens::scan(piece).tokens {
        let word = &piece[t.start..t.end];
        // The name of a member means that alone.
        if names.contains(word) && before != "." && before != "->" {
            return Some((word, Span::span(span.start + t.start, span.start + t.end)));
        }
        before = word;
    }
    None
}

/// The code of what is said of text that cannot be read.
pub(crate) const UNREAD: &str = SYNTAX;

fn blank(text: &mut [u8], start: usize, end: usize) {
    text[start..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
}

/// A declaration in place of a function with a body. False where it has none.
fn without_body(text: &mut [u8], tokens: &[Token], item: &Item) -> bool {
    let Some(body) = item.body else { return false };
    blank(text, tokens[body].start, tokens[item.last].end);
    text[tokens[body].start] = b';';
    true
}

/// Takes `_Alignas(...)` out.
fn without_alignment(text: &mut String) {
    const WORD: &str = "_Alignas";
    if !text.contains(WORD) {
        return;
    }
    let tokens = tokens::scan(text).tokens;
    let mut pieces = Vec::new();
    for (k, t) in tokens.iter().enumerate() {
        if &text[t.start..t.end] == WORD {
            let mut depth = 0usize;
            let end = tokens[k + 1..].iter().find(|t| {
                match &text[t.start..t.end] {
                    "(" => depth += 1,
                    ")" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0
            });
            pieces.extend(end.map(|e| (t.start, e.end)));
        }
    }
    let mut bytes = std::mem::take(text).into_bytes();
    pieces.into_iter().for_each(|(start, end)| blank(&mut bytes, start, end));
    *text = String::from_utf8(bytes).unwrap_or_default();
}

/// What stands at file scope, in order. `None` where brackets do not close.
fn items(text: &str, tokens: &[Token]) -> Option<Vec<Item>> {
    let mut out: Vec<Item> = Vec::new();
    let (mut depth, mut first, mut body) = (0usize, None, None);
    // What was seen of an item: a list of members, a value, parentheses that are not an attribute's.
    let (mut record, mut value, mut called, mut attribute) = (false, false, false, false);
    for (k, t) in tokens.iter().enumerate() {
        let word = &text[t.start..t.end];
        let begin = *first.get_or_insert(k);
        match word {
            "(" | "[" => {
                called |= depth == 0 && word == "(" && !attribute;
                depth += 1;
            }
            ")" | "]" => depth = depth.checked_sub(1)?,
            "{" => {
                if depth == 0 && !value && (called || begin == k || !record) {
                    body = Some(k);
                }
                depth += 1;
            }
            "}" => depth = depth.checked_sub(1)?,
            _ if depth > 0 => {}
            "struct" | "union" | "enum" => (record, called) = (true, false),
            "=" => value = true,
            _ => {}
        }
        if depth == 0 || word == "(" {
            attribute = word.starts_with("__attribute") || word == "__declspec" || (attribute && word == "(");
        }
        if depth == 0 && (word == ";" || (word == "}" && body.is_some())) {
            match out.last_mut() {
                // The body of a function whose parameters are declared in front of it.
                Some(last) if body == Some(begin) => (last.last, last.body) = (k, body),
                _ => out.push(Item { first: begin, last: k, body }),
            }
            (first, body, record, value, called, attribute) = (None, None, false, false, false, false);
        }
    }
    (depth == 0 && first.is_none()).then_some(out)
}

/// The words of an item outside of all brackets, each with the one behind it.
fn outer_words<'t>(text: &'t str, tokens: &[Token], item: &Item) -> Vec<(&'t str, &'t str)> {
    let word = |k: usize| tokens.get(k).map_or("", |t| &text[t.start..t.end]);
    let mut depth = 0usize;
    let mut out = Vec::new();
    for k in item.first..=item.last {
        match word(k) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            w if depth == 0 && is_name(w) => out.push((w, word(k + 1))),
            _ => {}
        }
    }
    out
}

fn function_name(text: &str, tokens: &[Token], item: &Item) -> Option<SmolStr> {
    let words = outer_words(text, tokens, item);
    words.iter().find(|(w, next)| *next == "(" && !w.starts_with("__")).map(|(w, _)| SmolStr::from(*w))
}

/// The names to which an item gives a meaning.
fn meant(text: &str, tokens: &[Token], item: &Item) -> Vec<SmolStr> {
    if item.body.is_some() {
        return function_name(text, tokens, item).into_iter().collect();
    }
    let words = outer_words(text, tokens, item);
    let mut out: Vec<SmolStr> = words.iter().map(|(w, _)| SmolStr::from(*w)).collect();
    if words.iter().any(|(w, _)| *w == "enum") {
        let all = tokens[item.first..=item.last].iter().map(|t| &text[t.start..t.end]);
        out.extend(all.filter(|w| is_name(w)).map(SmolStr::from));
    }
    out
}

fn is_name(word: &str) -> bool {
    const KEYWORDS: &str = " auto bool char const double enum extern float inline int long register restrict short signed static struct typedef union \
                            unsigned void volatile ";
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !KEYWORDS.contains(&format!(" {word} "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(String, bool)> {
        let tokens = tokens::scan(text).tokens;
        let piece = |i: &Item| text[tokens[i.first].start..tokens[i.last].end].split_whitespace().collect::<Vec<_>>().join(" ");
        items(text, &tokens).unwrap().iter().map(|i| (piece(i), i.body.is_some())).collect()
    }

    #[test]
    fn items_end_where_they_end() {
        let text = "typedef struct { int k; } s;\nstruct __attribute__((packed)) t { int k; } a[2] = { { 1 }, { 2 } };\n\
                    struct t f(int n) { return a[n]; }\ngcd(u, v) int u, v; { return u; }\nenum e { A, B };\nint x = 3;\nint g(void);";
        let bodies: Vec<bool> = kinds(text).into_iter().map(|k| k.1).collect();
        assert_eq!(bodies, [false, false, true, true, false, false, false]);
        assert!(items("int f(void) {", &tokens::scan("int f(void) {").tokens).is_none());
    }

    #[test]
    fn members_are_not_mentions() {
        let names: FxHashSet<SmolStr> = ["gcd".into()].into_iter().collect();
        let text = "double f(struct s *p) { return p->gcd + p[0].gcd; }";
        assert_eq!(mention(text, Span::span(0, text.len()), &names), None);
        let text = "int f(void) { return gcd(1, 2); }";
        assert_eq!(mention(text, Span::span(0, text.len()), &names).map(|m| m.1.start), Some(21));
    }
}
