//! What a report says.
//!
//! Lives here: data. Never here: any form of it.

use crate::batch::outcome::{Outcome, Status};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the report as JSON.
pub const JSON: &str = "report.json";

/// A report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The tool: version, and the hash of its program.
    pub tool: String,
    /// Hash of all items of the batch, those of other shards too: their names and options.
    pub plan: String,
    /// Items of the batch, those of other shards too.
    pub total: usize,
    /// Which part it is, such as `2/8`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shard: Option<String>,
    /// Threads.
    pub jobs: usize,
    /// The time it took.
    pub seconds: f64,
    /// How many items of each status.
    pub counts: BTreeMap<String, usize>,
    /// The items, by name.
    pub items: Vec<Outcome>,
}

impl Report {
    /// Counts the items.
    pub fn count(&mut self) {
        self.counts = Status::ALL.iter().map(|s| (s.word().to_owned(), self.items.iter().filter(|i| i.status == *s).count())).collect();
    }

    /// Whether an item failed.
    pub fn failed(&self) -> bool {
        self.items.iter().any(|i| i.status.is_failure())
    }

    /// A line for people.
    pub fn summary(&self) -> String {
        let number = |s: Status| self.items.iter().filter(|i| i.status == s).count();
        let mut parts = vec![format!("{} done", number(Status::Done))];
        parts.extend(Status::ALL[1..].iter().filter(|s| number(**s) > 0).map(|s| format!("{} {}", number(*s), s.word())));
        let resumed = self.items.iter().filter(|i| i.resumed).count();
        if resumed > 0 {
            parts.push(format!("{resumed} of them by an earlier run"));
        }
        format!("{} of {} items: {}, in {:.1} s", self.items.len(), self.total, parts.join(", "), self.seconds)
    }
}
