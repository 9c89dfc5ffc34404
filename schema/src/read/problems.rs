//! Problems that do not stop the reading.
//!
//! Lives here: which are kept, and how many. Never here: tokens.

use super::syntax;
use super::xml::{Fallible, Ns, Tag, Xml};
use crate::diagnostic::{Diagnostic, Severity};
use crate::vocabulary;

/// Reading stops when so many errors have been found; no more warnings of one code are kept.
const MAX_PROBLEMS: usize = 100;

impl<'a> Xml<'a> {
    /// Notes a problem and goes on.
    pub fn problem(&mut self, tag: &Tag, diagnostic: Diagnostic) -> Fallible<()> {
        if diagnostic.is_error() {
            self.errors += 1;
        } else if self.too_many(diagnostic.code) {
            return Ok(());
        }
        let location = self.location(tag.start, tag.end);
        self.diags.push(diagnostic.at(location));
        if self.errors >= MAX_PROBLEMS {
            return self.fatal("OB1003", tag.start, format!("more than {MAX_PROBLEMS} problems; the rest of the document was not read"));
        }
        Ok(())
    }

    /// Counts a warning; true where there have been enough of its code.
    fn too_many(&mut self, code: &'static str) -> bool {
        let seen = self.warnings.entry(code).or_default();
        *seen += 1;
        *seen > MAX_PROBLEMS
    }

    /// What was found, with a word for what is not listed.
    pub fn found(&mut self) -> Vec<Diagnostic> {
        let mut found = std::mem::take(&mut self.diags);
        for (code, seen) in std::mem::take(&mut self.warnings).into_iter().filter(|(_, seen)| *seen > MAX_PROBLEMS) {
            let last = found.iter().rev().find(|d| d.code == code).and_then(|d| d.location.clone());
            let left = Diagnostic::warning("OB0113", format!("{} more of {code} are not listed behind this one", seen - MAX_PROBLEMS));
            found.push(Diagnostic { severity: Severity::Note, ..left.at(last) });
        }
        found
    }

    /// Notes an error and goes on.
    pub fn error(&mut self, tag: &Tag, code: &'static str, message: impl Into<String>) -> Fallible<()> {
        self.problem(tag, Diagnostic::error(code, message))
    }

    /// An element that has no place here: an error, or a warning if it is of a foreign namespace. It is passed over.
    pub fn foreign(&mut self, tag: &Tag) -> Fallible<()> {
        // There may be millions, of which few are listed.
        if matches!(tag.ns, Ns::Other(_)) && self.warnings.get("OB1018").is_some_and(|seen| *seen >= MAX_PROBLEMS) {
            self.too_many("OB1018");
            return self.skip();
        }
        let d = match tag.ns {
            Ns::Xaif | Ns::Ob => Diagnostic::error("OB1010", format!("element {} has no place here", syntax::shown(tag.name))),
            Ns::None => Diagnostic::error("OB1010", format!("element {} is not in the namespace of XAIF", syntax::shown(tag.name)))
                .help(format!("XAIF elements are in the namespace {}", vocabulary::XAIF)),
            Ns::Other(_) => Diagnostic::warning("OB1018", format!("element {} of another namespace is left out", syntax::shown(tag.name))),
        };
        self.problem(tag, d)?;
        self.skip()
    }
}
