//! Code with colours: words of the language, text in quotes, numbers and comments, as spans of their classes.
//!
//! Lives here: a look at one line after the other. Never here: what code means; a line that is looked at wrongly has other colours, and the same text.

use super::markup::{escape, shown};

const C: [&str; 34] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float", "for", "goto",
    "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while",
];

const FORTRAN: [&str; 62] = [
    "allocatable",
    "allocate",
    "associate",
    "block",
    "call",
    "case",
    "character",
    "common",
    "complex",
    "contains",
    "continue",
    "cycle",
    "data",
    "deallocate",
    "dimension",
    "do",
    "double",
    "elemental",
    "else",
    "elseif",
    "end",
    "enddo",
    "endif",
    "entry",
    "exit",
    "external",
    "function",
    "goto",
    "if",
    "implicit",
    "in",
    "inout",
    "integer",
    "intent",
    "interface",
    "kind",
    "logical",
    "module",
    "none",
    "only",
    "optional",
    "out",
    "parameter",
    "pointer",
    "precision",
    "print",
    "private",
    "procedure",
    "program",
    "public",
    "pure",
    "real",
    "recursive",
    "result",
    "return",
    "save",
    "select",
    "subroutine",
    "then",
    "type",
    "use",
    "while",
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Language {
    C,
    Fortran,
    #[default]
    Other,
}

/// The colours of a text whose lines come one after the other.
#[derive(Debug, Default)]
pub struct Colours {
    language: Language,
    /// The line before ended in a comment.
    inside: bool,
}

impl Colours {
    /// Of a text with this extension, or in the language of that name.
    pub fn of(name: &str) -> Colours {
        let language = match name.to_ascii_lowercase().as_str() {
            "c" | "h" => Language::C,
            "fortran" | "f" | "for" | "f77" | "f90" | "f95" | "f03" | "f08" => Language::Fortran,
            _ => Language::Other,
        };
        Colours { language, inside: false }
    }

    /// A line as HTML.
    pub fn line(&mut self, line: &str) -> String {
        let text = shown(line);
        if self.language == Language::Other {
            return escape(&text);
        }
        let mut out = String::with_capacity(2 * text.len());
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (length, class) = self.token(rest);
            let (token, behind) = rest.split_at(length);
            if class.is_empty() {
                out.push_str(&escape(token));
            } else {
                out.push_str(&format!("<span class=\"{class}\">{}</span>", escape(token)));
            }
            rest = behind;
        }
        out
    }

    /// The length of what comes first, and its class.
    fn token(&mut self, rest: &str) -> (usize, &'static str) {
        let is_c = self.language == Language::C;
        if is_c && (self.inside || rest.starts_with("/*")) {
            let from = if self.inside { 0 } else { 2 };
            let end = rest[from..].find("*/").map(|k| from + k + 2);
            self.inside = end.is_none();
            return (end.unwrap_or(rest.len()), "c");
        }
        if rest.starts_with(if is_c { "//" } else { "!" }) {
            return (rest.len(), "c");
        }
        let first = rest.chars().next().unwrap_or_default();
        if matches!(first, '"' | '\'') {
            return (quoted(rest, first, is_c), "s");
        }
        if is_c && first == '#' {
            return (1 + rest[1..].find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len() - 1), "k");
        }
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
        if first.is_ascii_digit() {
            return (number(rest), "d");
        }
        if length == 0 {
            return (first.len_utf8(), "");
        }
        let known = if is_c { C.contains(&&rest[..length]) } else { FORTRAN.contains(&rest[..length].to_ascii_lowercase().as_str()) };
        (length, if known { "k" } else { "" })
    }
}

/// The length of text in quotes.
fn quoted(rest: &str, quote: char, escapes: bool) -> usize {
    let mut before = false;
    for (k, c) in rest.char_indices().skip(1) {
        if c == quote && !before {
            return k + c.len_utf8();
        }
        before = escapes && c == '\\' && !before;
    }
    rest.len()
}

/// The length of a number, its exponent and suffix among it.
fn number(rest: &str) -> usize {
    let mut before = ' ';
    for (k, c) in rest.char_indices() {
        let sign = matches!(c, '+' | '-') && matches!(before, 'e' | 'E' | 'd' | 'D');
        if !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || sign) {
            return k;
        }
        before = c;
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_colours_and_keep_their_text() {
        let mut c = Colours::of("c");
        assert_eq!(
            c.line("int i = 1e-3; /* a"),
            "<span class=\"k\">int</span> i = <span class=\"d\">1e-3</span>; <span class=\"c\">/* a</span>"
        );
        assert_eq!(c.line("b */ x = \"<\\\"\";"), "<span class=\"c\">b */</span> x = <span class=\"s\">&quot;&lt;\\&quot;&quot;</span>;");
        let mut f = Colours::of("Fortran");
        assert_eq!(
            f.line("IF (x > 2.0d0) y = 'it''s' ! no"),
            "<span class=\"k\">IF</span> (x &gt; <span class=\"d\">2.0d0</span>) y = <span class=\"s\">&#39;it&#39;</span><span class=\"s\">&#39;s&#39;</span> <span class=\"c\">! no</span>"
        );
        assert_eq!(Colours::of("xaif").line("<int>"), "&lt;int&gt;");
    }
}
