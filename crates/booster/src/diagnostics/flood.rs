//! No more diagnostics of a kind than are worth reading.
//!
//! Lives here: counting them. Never here: which diagnostics there are, how they are shown.

use std::collections::BTreeMap;
use xaif::{Diagnostic, Severity};

/// So many of one code are shown.
pub const MOST: usize = 100;

/// How many of each code there were.
#[derive(Clone, Debug, Default)]
pub struct Flood {
    seen: BTreeMap<&'static str, usize>,
}

impl Flood {
    /// Whether a diagnostic is still shown.
    pub fn admits(&mut self, d: &Diagnostic) -> bool {
        let seen = self.seen.entry(d.code).or_default();
        *seen += 1;
        *seen <= MOST
    }

    /// How many more there are of each code.
    pub fn summary(&self) -> impl Iterator<Item = Diagnostic> {
        let more = self.seen.iter().filter(|(_, seen)| **seen > MOST).map(|(code, seen)| (*code, seen - MOST));
        let said = |(code, more)| Diagnostic::warning("OB0113", format!("{more} more of {code} are not shown"));
        more.map(move |more| Diagnostic { severity: Severity::Note, ..said(more) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_hundred_of_each_code_are_shown() {
        let mut flood = Flood::default();
        let shown = (0..250).filter(|_| flood.admits(&Diagnostic::error("OB0101", ""))).count();
        assert!(shown == MOST && flood.admits(&Diagnostic::error("OB0102", "")));
        let left: Vec<String> = flood.summary().map(|d| d.message).collect();
        assert_eq!(left, ["150 more of OB0101 are not shown"]);
    }
}
