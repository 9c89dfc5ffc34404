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
}

impl Diagnostic {
    /// An error with a message.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { code, severity: Severity::Error, message: message.into(), location: None, reason: None, help: None }
    }

    /// A warning with a message.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// The same with a place.
    pub fn at(mut self, location: impl Into<Option<Location>>) -> Self {
        self.location = location.into();
        self
    }

    /// The same with a reason.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// The same with a way out.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
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
