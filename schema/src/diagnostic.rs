//! Problems as values: a stable code, a place, the construct, the reason and a way out.
//!
//! Lives here: the type that every crate returns. Never here: printing, colours, exit codes.

use serde::Serialize;

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; the result stands.
    Note,
    /// The result stands, but the user should look.
    Warning,
    /// Refused: no output.
    Error,
}

/// A place in a text file: lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Location {
    /// The file as the user named it.
    pub file: String,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column after the last character.
    pub end_column: u32,
}

/// One problem.
///
/// Codes are `OB` and four digits: 0 usage, 1 format (XML, schema, semantics), 2 C, 3 Fortran, 4 booster, 5 back ends,
/// 6 evaluation and certificates, 7 elimination. A code never changes its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Stable code, such as `OB4003`.
    pub code: &'static str,
    /// Error, warning or note.
    pub severity: Severity,
    /// One sentence: the construct and what is wrong with it.
    pub message: String,
    /// Where; `None` only where no text is to blame (an option, say).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Why it is a problem, when the message does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the user can do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The unit that is missing in the program because of it: who does not need that unit need not know.
    #[serde(skip)]
    pub unit: Option<Box<str>>,
}

/// A name, or whatever has no blanks in it, is shown whole up to so many characters.
const LONGEST_WORD: usize = 200;
/// A sentence is.
const LONGEST: usize = 4000;
/// The name of a file is.
const LONGEST_FILE: usize = 4096;

/// A text whose middle is left out where it is longer than `most` characters.
fn cut(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let count = text.chars().count();
    let Some(left) = count.checked_sub(most).filter(|n| *n > 0) else { return text.into() };
    let at = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (most / 3 * 2, most - most / 3 * 2);
    format!("{}...({left} characters more)...{}", &text[..at(head)], &text[at(count - tail)..]).into()
}

/// A sentence in which no word and nothing as a whole is longer than is worth reading: names in hostile texts may have millions of characters.
fn brief(text: String) -> String {
    if text.len() <= LONGEST_WORD {
        return text;
    }
    let long = |word: &str| word.len() > LONGEST_WORD;
    let words = if text.split(char::is_whitespace).any(long) {
        text.split_inclusive(char::is_whitespace).map(|word| cut(word, LONGEST_WORD)).collect()
    } else {
        text
    };
    match cut(&words, LONGEST) {
        std::borrow::Cow::Borrowed(_) => words,
        std::borrow::Cow::Owned(short) => short,
    }
}

impl Diagnostic {
    /// An error with a message.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { code, severity: Severity::Error, message: brief(message.into()), location: None, reason: None, help: None, unit: None }
    }

    /// A warning with a message.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// The same with a place.
    pub fn at(mut self, location: impl Into<Option<Location>>) -> Self {
        self.location = location.into();
        if let Some(l) = &mut self.location
            && let std::borrow::Cow::Owned(short) = cut(&l.file, LONGEST_FILE)
        {
            l.file = short;
        }
        self
    }

    /// The same with a reason.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(brief(reason.into()));
        self
    }

    /// The same of a unit that is left out for it.
    pub fn leaves_out(mut self, unit: &str) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// What the form on one line says: place, code and message; the place ends where it begins.
    pub fn parts(line: &str) -> Option<(Option<Location>, &str, &str)> {
        let (before, behind) = ["note[", "warning[", "error["].iter().filter_map(|w| line.split_once(w)).min_by_key(|(b, _)| b.len())?;
        let (code, message) = behind.split_once("]: ")?;
        let mut pieces = before.strip_suffix(": ").unwrap_or(before).rsplitn(3, ':');
        let (column, first) = (pieces.next().and_then(|c| c.parse().ok()), pieces.next().and_then(|l| l.parse().ok()));
        let location = match (pieces.next(), first, column) {
            (Some(file), Some(line), Some(column)) => {
                Some(Location { file: file.to_owned(), line, column, end_line: line, end_column: column + 1 })
            }
            _ => None,
        };
        Some((location, code, message))
    }

    /// The same with a way out.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(brief(help.into()));
        self
    }

    /// The same with texts that are worth reading, whoever has put them together.
    pub fn brief(mut self) -> Self {
        self.message = brief(self.message);
        self.reason = self.reason.map(brief);
        self.help = self.help.map(brief);
        self
    }

    /// True for an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl std::fmt::Display for Diagnostic {
    /// `FILE:LINE:COLUMN: error[CODE]: message` on one line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(l) = &self.location {
            write!(f, "{}:{}:{}: ", l.file, l.line, l.column)?;
        }
        let severity = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}[{}]: {}", self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_on_one_line_can_be_read() {
        let l = Location { file: "a:b.c".to_owned(), line: 3, column: 7, end_line: 3, end_column: 8 };
        let d = Diagnostic::error("OB2010", "error[1]: `p` points").at(l.clone()).to_string();
        assert_eq!(Diagnostic::parts(&d), Some((Some(l), "OB2010", "error[1]: `p` points")));
        assert_eq!(Diagnostic::parts("warning[OB2010]: m"), Some((None, "OB2010", "m")));
        assert_eq!(Diagnostic::parts("m"), None);
    }

    #[test]
    fn long_names_are_cut_in_the_middle() {
        let name = format!("a{}z", "é".repeat(1_000_000));
        let d = Diagnostic::error("OB0101", format!("there is no `{name}` here")).because(name.clone()).help(format!("not {name}"));
        for text in [&d.message, d.reason.as_ref().unwrap(), d.help.as_ref().unwrap()] {
            assert!(text.chars().count() < 300 && text.contains("...(99") && text.contains(" characters more)..."), "{text}");
        }
        assert!(d.message.starts_with("there is no `aéé") && d.message.ends_with("ééz` here"), "{}", d.message);
        let words = "word ".repeat(10_000);
        assert!(Diagnostic::error("OB0101", words).message.len() < LONGEST + 50);
        let short = "x".repeat(LONGEST_WORD) + " " + &"y".repeat(LONGEST_WORD);
        assert_eq!(Diagnostic::error("OB0101", short.clone()).brief().message, short);
    }
}
