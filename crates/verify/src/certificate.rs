//! The certificate: what was checked, with what, and what came out.
//!
//! Lives here: plain data. Never here: how it is obtained, how it is printed.

use super::checks::Check;
use serde::Serialize;
use serde_json::Value as Json;
use xaif::diagnostic::Location;
use xaif::model::Span;
use xaif::{Diagnostic, Program};

/// What came out for a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every comparison held.
    Pass,
    /// The program is not smooth at the point; beside it every comparison held.
    Kink,
    /// No point came to a statement with a derivative, so that nothing is known of any.
    NotReached,
    /// Nothing could be compared.
    NotCertified,
    /// Some derivative is wrong.
    Wrong,
}

impl Verdict {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Kink => "kink",
            Verdict::NotReached => "not-reached",
            Verdict::NotCertified => "not-certified",
            Verdict::Wrong => "wrong",
        }
    }

    /// Whether derivatives were compared and found right.
    pub fn is_good(self) -> bool {
        matches!(self, Verdict::Pass | Verdict::Kink)
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
    /// Why nothing could be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Statements with derivatives that the program comes to at none of the points, so that nothing is known of these: `FILE:LINE:COLUMN`.
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
    /// Before anything is compared.
    pub fn new(head: String, origin: &'static str) -> Report {
        Report {
            head,
            verdict: Verdict::Pass,
            engines: Vec::new(),
            origin,
            rejected: 0,
            points: Vec::new(),
            reason: None,
            unreached: Vec::new(),
            checks: Vec::new(),
            kinks: Vec::new(),
            one_sided: None,
            blame: None,
            notes: Vec::new(),
        }
    }

    /// Nothing can be compared, for this reason.
    pub fn uncertified(head: String, why: String) -> Report {
        Report { verdict: Verdict::NotCertified, reason: Some(why), ..Report::new(head, "drawn") }
    }

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
        self.verdict = self.verdict.max(verdict);
    }

    /// Adds what another check found at the same point.
    pub(super) fn join(&mut self, other: &mut Report) {
        other.engines.iter().for_each(|e| self.engine(e));
        self.points.append(&mut other.points);
        // One point alone need not come to anything.
        let verdict = if other.verdict == Verdict::NotReached { Verdict::Pass } else { other.verdict };
        self.add(verdict, std::mem::take(&mut other.checks));
        for k in other.kinks.drain(..).filter(|k| !self.kinks.contains(k)).collect::<Vec<_>>() {
            self.kinks.push(k);
        }
        self.one_sided = self.one_sided.take().or(other.one_sided.take());
        self.blame = self.blame.take().or(other.blame.take());
        let notes: Vec<_> = other.notes.drain(..).filter(|n| !self.notes.contains(n)).collect();
        self.notes.extend(notes);
    }

    /// Notes which of so many statements with derivatives no point came to.
    pub(super) fn leave(&mut self, program: &Program, unreached: &[Span], of: usize) {
        let places = unreached.iter().filter_map(|s| program.location(*s));
        self.unreached = places.map(|l| format!("{}:{}:{}", l.file, l.line, l.column)).collect();
        if of > 0 && unreached.len() == of && self.verdict.is_good() {
            self.verdict = Verdict::NotReached;
        }
    }

    /// The verdict, where one on a part of the statements is none on all of them.
    pub fn standing(&self) -> Verdict {
        if self.verdict.is_good() && !self.unreached.is_empty() { Verdict::NotReached } else { self.verdict }
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
        self.heads.iter().map(|h| h.verdict).max()
    }

    /// Numbers that were compared.
    pub fn compared(&self) -> usize {
        self.heads.iter().flat_map(|h| &h.checks).map(|c| c.compared).sum()
    }
}
