//! The certificate: what was checked, with what, and what came out.
//!
//! Lives here: plain data. Never here: how it is obtained, how it is printed.

use super::checks::Check;
use serde::Serialize;
use serde_json::Value as Json;
use xaif::Diagnostic;
use xaif::diagnostic::Location;

/// What came out for a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every comparison held.
    Pass,
    /// The program is not smooth at the point; beside it every comparison held.
    Kink,
    /// Some derivative is wrong.
    Wrong,
}

impl Verdict {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Kink => "kink",
            Verdict::Wrong => "wrong",
        }
    }

    fn badness(self) -> u8 {
        match self {
            Verdict::Pass => 0,
            Verdict::Kink => 1,
            Verdict::Wrong => 2,
        }
    }
}

/// A statement that is to blame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Where it stands, as far as that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The unit, and its callers from the head on.
    pub units: Vec<String>,
    /// The statement as the source has it.
    pub statement: String,
    /// What is the matter.
    pub message: String,
}

impl Place {
    /// `FILE:LINE:COLUMN`, or the unit where no place is known.
    pub fn spoken(&self) -> String {
        match &self.location {
            Some(l) => format!("{}:{}:{}", l.file, l.line, l.column),
            None => self.units.last().map_or_else(|| "?".into(), |u| format!("unit {u}")),
        }
    }
}

/// One-sided slopes at a point where the program is not smooth, of the output where they differ most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OneSided {
    /// The output.
    pub output: String,
    /// The slope from below along the direction.
    pub left: f64,
    /// The slope from above.
    pub right: f64,
    /// The derivative that the code returns.
    pub derivative: f64,
}

/// What was found for one head.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// `f(y)/(x)`.
    pub head: String,
    /// What came out.
    pub verdict: Verdict,
    /// Engines that ran.
    pub engines: Vec<&'static str>,
    /// `given`, or `drawn`.
    pub origin: &'static str,
    /// How many drawn points were given up because the program cannot be run there.
    pub rejected: usize,
    /// The points at which everything was compared.
    pub points: Vec<Json>,
    /// Assignments of real variables that the program comes to at none of the points, so that nothing is known of their derivatives: `FILE:LINE:COLUMN`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreached: Vec<String>,
    /// The comparisons.
    pub checks: Vec<Check>,
    /// Statements that are not smooth at the point.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinks: Vec<Place>,
    /// Slopes on both sides, at a kink.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_sided: Option<OneSided>,
    /// The first statement whose local derivative is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blame: Option<Place>,
    /// What could not be done, and other remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Diagnostic>,
}

impl Report {
    /// An engine ran.
    pub(super) fn engine(&mut self, name: &'static str) {
        if !self.engines.contains(&name) {
            self.engines.push(name);
        }
    }

    /// Adds what was found at the point that was added last.
    pub(super) fn add(&mut self, verdict: Verdict, checks: Vec<Check>) {
        let several = self.points.len() > 1;
        for mut c in checks {
            if several && !c.passed {
                c.detail = format!("at point {}: {}", self.points.len(), c.detail);
            }
            match self.checks.iter_mut().find(|k| (k.name, k.engine) == (c.name, c.engine)) {
                Some(k) => k.join(c),
                None => self.checks.push(c),
            }
        }
        if verdict.badness() > self.verdict.badness() {
            self.verdict = verdict;
        }
    }
}

/// What was found for all heads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certificate {
    /// Name and version of the tool.
    pub tool: String,
    /// SHA-256 of the input.
    pub input: String,
    /// SHA-256 of the request: heads, options, values.
    pub request: String,
    /// SHA-256 of the generated code.
    pub generated: String,
    /// The seed of everything drawn.
    pub seed: u64,
    /// One for each head.
    pub heads: Vec<Report>,
}

impl Certificate {
    /// The worst verdict; `None` where nothing was checked.
    pub fn verdict(&self) -> Option<Verdict> {
        let all = [Verdict::Wrong, Verdict::Kink, Verdict::Pass];
        all.into_iter().find(|v| self.heads.iter().any(|h| h.verdict == *v))
    }

    /// Numbers that were compared.
    pub fn compared(&self) -> usize {
        self.heads.iter().flat_map(|h| &h.checks).map(|c| c.compared).sum()
    }
}
