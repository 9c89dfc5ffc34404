//! Requests and answers as JSON: what stands on a line of standard input and output, and what workers are told.
//!
//! Lives here: their members. Never here: how a request becomes a command, who answers it.

use super::forms::Form;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use overbar::diagnostics::Outcome;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The longest line that a request of that size may become: escaped, with its options.
pub(super) fn most_of_a_line(body_bytes: usize) -> usize {
    body_bytes.saturating_mul(6).saturating_add(1 << 20)
}

/// What is asked for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Comes back with the answer.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub id: Value,
    /// The command: `diff`, `boost`, ...
    pub command: String,
    /// Options, named like the long ones of the command; `mode` stands for the switch that it names.
    #[serde(default)]
    pub options: BTreeMap<String, Given>,
    /// Files by name.
    #[serde(default)]
    pub files: Vec<File>,
    /// The names of those that are the input; left out: all that no option names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<String>>,
    /// A further form in which diagnostics are wanted.
    #[serde(default)]
    pub form: Form,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Given {
    /// A switch.
    Switch(bool),
    /// A number.
    Number(serde_json::Number),
    /// A value.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Given {
    /// The values as texts; `None`: the option is taken back.
    pub fn values(&self) -> Option<Vec<String>> {
        match self {
            Given::Switch(on) => on.then(Vec::new),
            Given::Number(n) => Some(vec![n.to_string()]),
            Given::One(text) => Some(vec![text.clone()]),
            Given::Many(list) => Some(list.clone()),
        }
    }

    /// One more value.
    pub fn add(&mut self, text: String) {
        let mut all = self.values().unwrap_or_default();
        all.push(text);
        *self = Given::Many(all);
    }
}

/// A file: text, or bytes in base64.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its bytes, where they are no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

impl File {
    /// A file of these bytes.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> File {
        match String::from_utf8(bytes) {
            Ok(text) => File { name: name.into(), text: Some(text), base64: None },
            Err(e) => File { name: name.into(), text: None, base64: Some(BASE64_STANDARD.encode(e.as_bytes())) },
        }
    }

    /// Its bytes.
    ///
    /// # Errors
    /// Why there are none.
    pub fn bytes(self) -> Result<Vec<u8>, String> {
        match (self.text, self.base64) {
            (Some(text), None) => Ok(text.into_bytes()),
            (None, Some(code)) => BASE64_STANDARD.decode(code).map_err(|e| format!("{}: {e}", self.name)),
            (_, _) => Err(format!("{}: a file has either text or base64", self.name)),
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// That of the request.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub id: Value,
    /// In one word.
    pub outcome: Outcome,
    /// The exit code that the command line would have had.
    pub status: u8,
    /// What went to standard output, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The media type of that.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// What options made it write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
    /// What the certificate of derivatives says, in a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Other words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub aside: String,
    /// Everything that was found.
    pub diagnostics: Vec<Value>,
    /// The same in the form that was asked for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rendered: String,
}
