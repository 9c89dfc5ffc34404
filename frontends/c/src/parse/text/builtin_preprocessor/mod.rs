//! Macros and conditions without a preprocessor, as far as they are certain.
//!
//! What comes out has the form of a preprocessor's output (line markers, pragmas, a token stream on its old lines), so everything behind is the same. What is not certain is
//! refused: other headers than the standard ones that `standard_headers` knows, `#` and `##`, variable arguments, conditions on names that only compilers or their headers define.
//!
//! Lives here: directives and lines. Never here: the meaning of the text. Nothing here reads files or starts programs.
//!
//! * `macros`: definitions and their expansion
//! * `condition`: `#if`
//! * `names`: what is known of names that the text does not define

mod condition;
mod macros;
mod names;

use crate::parse::text::standard_headers;
use crate::parse::text::tokens::{Directive, Scanned, scan};
use macros::{Macros, Token};
use xaif::Diagnostic;
use xaif::diagnostic::Location;

/// Why a text cannot go on: code, line, message, reason.
#[derive(Debug)]
pub(super) struct Problem {
    code: &'static str,
    line: u32,
    message: String,
    reason: &'static str,
}

/// OB2007.
fn uncertain(line: u32, message: impl Into<String>) -> Problem {
    Problem {
        code: "OB2007",
        line,
        message: message.into(),
        reason: "preprocessing is off, and then only what is certain without the compiler's own headers and names is worked out",
    }
}

/// Conditions nest no deeper.
const MAX_CONDITIONS: usize = 200;

/// One `#if` that is open.
struct Group {
    /// Whether the text around it counts.
    outer: bool,
    /// Whether this part of it counts.
    active: bool,
    /// Whether a part of it has counted.
    taken: bool,
    /// `#else` has been.
    last: bool,
}

/// Whether the text has directives other than includes and pragmas, or is given macros.
pub(crate) fn is_needed(raw: &str, scanned: &Scanned, options: &[String]) -> bool {
    options.iter().any(|o| !o.starts_with("-I"))
        || scanned.directives.iter().any(|d| !matches!(split(raw, d).0.as_str(), "" | "include" | "pragma"))
}

/// A directive's name and the rest of its line, without comments and line ends.
pub(crate) fn split(raw: &str, d: &Directive) -> (String, String) {
    let line = plain(raw.get(d.start..d.end).unwrap_or_default());
    let body = line.trim_start().trim_start_matches('#').trim_start();
    let end = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(body.len());
    (body[..end].to_owned(), body[end..].trim().to_owned())
}

/// A directive on one line: spliced, comments as blanks.
fn plain(line: &str) -> String {
    let spliced = line.replace("\\\r\n", "").replace("\\\n", "");
    let mut out = String::new();
    let mut rest = spliced.as_str();
    let mut quote = None;
    while let Some(c) = rest.chars().next() {
        if quote.is_none() && rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |p| p + 2);
            out.push(' ');
            rest = &rest[end..];
            continue;
        }
        if quote.is_none() && rest.starts_with("//") {
            break;
        }
        if c == '\\' && quote.is_some() {
            let two: usize = rest.chars().take(2).map(char::len_utf8).sum();
            out.push_str(&rest[..two]);
            rest = &rest[two..];
            continue;
        }
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            _ => {}
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// Text as a preprocessor would give it.
///
/// # Errors
/// The first thing that is not certain, or no C.
pub(crate) fn run(file: &str, raw: &str, scanned: &Scanned, options: &[String]) -> Result<String, Vec<Diagnostic>> {
    let mut reader =
        Reader { macros: Macros::default(), groups: Vec::new(), pending: Vec::new(), body: Body::default(), preamble: String::new() };
    reader.all(raw, scanned, options).map_err(|p| {
        let text = raw.lines().nth(p.line.saturating_sub(1) as usize).unwrap_or_default();
        let indent = text.len() - text.trim_start().len();
        let column = indent as u32 + 1;
        let end_column = column + text.trim().chars().count().max(1) as u32;
        let d =
            Diagnostic::error(p.code, p.message).at(Location { file: file.to_owned(), line: p.line, column, end_line: p.line, end_column });
        vec![d.because(p.reason).help("switch preprocessing on, or pass text that is already preprocessed")]
    })?;
    let escaped = file.replace('\\', "\\\\").replace('"', "\\\"");
    Ok(format!("# 1 \"<headers>\" 1 3\n{}\n# 1 \"{escaped}\" 2\n{}\n", reader.preamble, reader.body.text))
}

/// The text that comes out: tokens on the lines on which they stood.
#[derive(Default)]
struct Body {
    text: String,
    /// Lines that are complete.
    lines: u32,
    /// Where the last token ends in the original, if it is from there.
    end: Option<usize>,
}

impl Body {
    /// Goes to a line, and says whether it is another one.
    fn go_to(&mut self, line: u32) {
        while self.lines + 1 < line {
            self.text.push('\n');
            self.lines += 1;
        }
    }

    fn token(&mut self, t: &Token) {
        self.go_to(t.line);
        // What stood together stays together; anything else could become another token.
        if self.end.is_none() || self.end != t.place.map(|p| p.0) {
            self.text.push(' ');
        }
        self.end = t.place.map(|p| p.1);
        self.text.push_str(&t.text);
        // A token with spliced lines in it.
        self.lines += t.text.bytes().filter(|b| *b == b'\n').count() as u32;
    }

    fn own_line(&mut self, line: u32, text: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
            self.lines += 1;
        }
        self.go_to(line);
        self.end = None;
        self.text.push_str(text);
        self.text.push('\n');
        self.lines += 1;
    }
}

struct Reader {
    macros: Macros,
    groups: Vec<Group>,
    /// Tokens since the last directive.
    pending: Vec<Token>,
    body: Body,
    preamble: String,
}

impl Reader {
    fn all(&mut self, raw: &str, scanned: &Scanned, options: &[String]) -> Result<(), Problem> {
        for given in options {
            if let Some(given) = given.strip_prefix("-D") {
                let (name, value) = given.split_once('=').unwrap_or((given, "1"));
                self.macros.define(&format!("{name} {value}"), 1)?;
            } else if let Some(name) = given.strip_prefix("-U") {
                self.macros.undefine(name, 1)?;
            } else if given == "-include" || given.starts_with("-std=") {
                return Err(broken(1, "headers that come first and another standard need a preprocessor"));
            }
        }
        let mut directives = scanned.directives.iter().peekable();
        for t in &scanned.tokens {
            while let Some(d) = directives.next_if(|d| d.start < t.start) {
                self.directive(raw, d)?;
            }
            if self.active() {
                self.pending.push(Token::new(&raw[t.start..t.end], t.line).at(t.start, t.end));
            }
        }
        for d in directives {
            self.directive(raw, d)?;
        }
        self.flush()?;
        match self.groups.is_empty() {
            true => Ok(()),
            false => Err(broken(raw.lines().count() as u32, "an #if has no #endif")),
        }
    }

    fn active(&self) -> bool {
        self.groups.last().is_none_or(|g| g.outer && g.active)
    }

    /// Expands what stands before a directive.
    fn flush(&mut self) -> Result<(), Problem> {
        let pending = std::mem::take(&mut self.pending);
        if let Some(t) = pending.last().filter(|t| self.macros.takes_arguments(&t.text)) {
            return Err(uncertain(t.line, format!("whether the macro `{}` has arguments behind the next directive", t.text)));
        }
        for t in self.macros.expand(pending)? {
            self.body.token(&t);
        }
        Ok(())
    }

    fn directive(&mut self, raw: &str, d: &Directive) -> Result<(), Problem> {
        let (name, rest) = split(raw, d);
        let line = d.line;
        match name.as_str() {
            "if" | "ifdef" | "ifndef" => self.condition(&name, &rest, line),
            "elif" | "else" => self.alternative(&name, &rest, line),
            "endif" => {
                self.flush()?;
                self.groups.pop().map(drop).ok_or_else(|| broken(line, "#endif without #if"))
            }
            _ if !self.active() => Ok(()),
            "" if rest.is_empty() => Ok(()),
            "pragma" => {
                self.flush()?;
                let text = plain(raw.get(d.start..d.end).unwrap_or_default());
                self.body.own_line(line, text.trim_end());
                Ok(())
            }
            "define" => {
                self.flush()?;
                self.macros.define(&rest, line)
            }
            "undef" => {
                self.flush()?;
                self.macros.undefine(&rest, line)
            }
            "include" => self.include(&rest, line),
            "error" => Err(Problem {
                code: "OB2008",
                line,
                message: format!("the text says: #error {rest}"),
                reason: "the conditions around it hold, as far as they are known here",
            }),
            "warning" | "ident" => Ok(()),
            _ => Err(Problem {
                code: "OB2003",
                line,
                message: format!("`#{name}` needs the preprocessor"),
                reason: "preprocessing is off, and this directive is not understood without it",
            }),
        }
    }

    /// `#if` and its kin: a group opens.
    fn condition(&mut self, name: &str, rest: &str, line: u32) -> Result<(), Problem> {
        self.flush()?;
        if self.groups.len() >= MAX_CONDITIONS {
            return Err(Problem { code: "OB2005", line, message: "conditions nest too deeply".into(), reason: "the parser has limits" });
        }
        let outer = self.active();
        let active = outer && self.holds(name, rest, line)?;
        self.groups.push(Group { outer, active, taken: active, last: false });
        Ok(())
    }

    /// `#elif` and `#else`: the next part of a group.
    fn alternative(&mut self, name: &str, rest: &str, line: u32) -> Result<(), Problem> {
        self.flush()?;
        let wanted = match self.groups.last() {
            Some(g) if !g.last => g.outer && !g.taken,
            _ => return Err(broken(line, format!("#{name} without #if"))),
        };
        let active = wanted && (name == "else" || self.holds("if", rest, line)?);
        if let Some(g) = self.groups.last_mut() {
            g.active = active;
            g.taken |= active;
            g.last = name == "else";
        }
        Ok(())
    }

    /// `#include`: standard headers are known.
    fn include(&mut self, rest: &str, line: u32) -> Result<(), Problem> {
        self.flush()?;
        let header = rest.strip_prefix('<').and_then(|r| r.strip_suffix('>')).map(str::trim);
        let Some((header, text)) = header.and_then(standard_headers::declarations) else {
            return Err(Problem {
                code: "OB2003",
                line,
                message: format!("`#include {rest}` needs the preprocessor"),
                reason: "preprocessing is off, and then only standard headers may be included",
            });
        };
        self.macros.include(header);
        standard_headers::add(&mut self.preamble, text);
        Ok(())
    }

    fn holds(&self, name: &str, rest: &str, line: u32) -> Result<bool, Problem> {
        let tokens: Vec<Token> = words(rest, line);
        match (name, &tokens[..]) {
            ("if", _) => condition::holds(&self.macros, tokens, line),
            (_, [t]) if t.is_name() => Ok(self.macros.is_defined(&t.text, line)? == (name == "ifdef")),
            _ => Err(broken(line, format!("`#{name}` needs a name"))),
        }
    }
}

/// Text that no preprocessor takes.
fn broken(line: u32, message: impl Into<String>) -> Problem {
    Problem { code: "OB2004", line, message: message.into(), reason: "a preprocessor would not take it either" }
}

/// The tokens of a line. A `#` that comes first is one of them, and no directive.
fn words(text: &str, line: u32) -> Vec<Token> {
    let behind = format!("0 {text}");
    scan(&behind).tokens.iter().skip(1).map(|t| Token::new(&behind[t.start..t.end], line)).collect()
}

#[cfg(test)]
mod tests;
