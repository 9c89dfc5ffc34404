//! What became of an item.
//!
//! Lives here: plain data, as journals and reports hold it. Never here: how it comes about.

use overbar::diagnostics::flood::Flood;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use xaif::Diagnostic;

/// What became of an item, in a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The output is there.
    Done,
    /// Nothing in the input can be differentiated, and nobody asked for anything in particular: there is no output.
    Nothing,
    /// Something was refused; there is no output.
    Refused,
    /// An error of the tool; there is no output.
    Panicked,
    /// The batch ended before it came to this item.
    #[default]
    Unstarted,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 5] = [Status::Done, Status::Nothing, Status::Refused, Status::Panicked, Status::Unstarted];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::Nothing => "nothing",
            Status::Refused => "refused",
            Status::Panicked => "panicked",
            Status::Unstarted => "unstarted",
        }
    }

    /// Whether the batch failed by it.
    pub fn is_failure(self) -> bool {
        !matches!(self, Status::Done | Status::Nothing)
    }
}

/// How far an item came that did not get through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Its files or options cannot be used.
    Open,
    /// The input is not valid.
    Input,
    /// The booster refused it.
    Derive,
    /// The back end refused it.
    Write,
    /// The output is not valid.
    Output,
    /// The certificate is not a pass or a kink.
    Certificate,
    /// The output could not be written.
    Store,
}

impl Stage {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Stage::Open => "open",
            Stage::Input => "input",
            Stage::Derive => "derive",
            Stage::Write => "write",
            Stage::Output => "output",
            Stage::Certificate => "certificate",
            Stage::Store => "store",
        }
    }
}

/// A text by its size and hash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Bytes.
    pub bytes: u64,
    /// SHA-256 in hexadecimal digits.
    pub hash: String,
}

/// What became of an item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The item's name: its output below the output folder.
    pub output: String,
    /// What was read.
    pub inputs: Vec<String>,
    /// Bytes read.
    pub input_bytes: u64,
    /// Hash of inputs, included files, options and tool.
    pub key: String,
    /// What became of it.
    pub status: Status,
    /// Where it ended, if not well.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stage: Option<Stage>,
    /// The output.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub content: Option<Content>,
    /// The certificate's verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verdict: Option<String>,
    /// The time it took.
    pub seconds: f64,
    /// It was done by an earlier run.
    #[serde(default)]
    pub resumed: bool,
    /// What was said.
    pub diagnostics: Vec<Json>,
}

impl Outcome {
    /// Adds diagnostics.
    pub fn say<'d>(&mut self, diagnostics: impl IntoIterator<Item = &'d Diagnostic>) {
        let mut flood = Flood::default();
        let shown: Vec<Diagnostic> = diagnostics.into_iter().filter(|d| flood.admits(d)).map(|d| d.clone().brief()).collect();
        self.diagnostics.extend(shown.iter().chain(&flood.summary().collect::<Vec<_>>()).filter_map(|d| serde_json::to_value(d).ok()));
    }

    /// The codes of what was said, each once, those of errors first.
    pub fn codes(&self) -> Vec<&str> {
        let mut out: Vec<&str> = Vec::new();
        for grave in [true, false] {
            for d in self.diagnostics.iter().filter(|d| (d["severity"] == "error") == grave) {
                if let Some(code) = d["code"].as_str().filter(|c| !out.contains(c)) {
                    out.push(code);
                }
            }
        }
        out
    }

    /// The first error in words: `FILE:LINE:COLUMN: message`.
    pub fn complaint(&self) -> Option<String> {
        let d = self.diagnostics.iter().find(|d| d["severity"] == "error")?;
        let l = &d["location"];
        let place = l["file"].as_str().map(|f| format!("{f}:{}:{}: ", l["line"], l["column"])).unwrap_or_default();
        Some(format!("{place}{}", d["message"].as_str().unwrap_or_default()))
    }
}
