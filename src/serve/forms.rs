//! The forms of diagnostics.
//!
//! Lives here: which there are, their media types, which one a client takes. Never here: how each is written.

use crate::console::report::Session;
use overbar::diagnostics::{Outcome, sarif, xml};
use serde::{Deserialize, Serialize};
use xaif::Diagnostic;

/// A form of diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// A JSON document.
    #[default]
    Json,
    /// An XML document, with a schema.
    Xml,
    /// SARIF 2.1.0.
    Sarif,
    /// A JSON object a line, as `--message-format json` prints it.
    Lines,
    /// Text with snippets, as `--message-format human` prints it.
    Human,
    /// The whole answer as JSON.
    Answer,
    /// The whole answer as parts.
    Parts,
}

/// The media type of whole answers.
pub const ANSWER: &str = "application/vnd.overbar.answer+json";

/// The media types by which the forms are asked for, the one of the answer first.
pub const TYPES: [(Form, &str); 9] = [
    (Form::Json, "application/json"),
    (Form::Xml, "application/xml"),
    (Form::Xml, "text/xml"),
    (Form::Sarif, "application/sarif+json"),
    (Form::Lines, "application/x-ndjson"),
    (Form::Human, "text/plain"),
    (Form::Answer, ANSWER),
    (Form::Parts, "multipart/mixed"),
    (Form::Json, "application/problem+json"),
];

/// Who speaks.
pub fn tool() -> String {
    format!("overbar {}", env!("CARGO_PKG_VERSION"))
}

impl Form {
    /// The media type of a document in that form.
    pub fn media(self) -> &'static str {
        match self {
            Form::Json | Form::Parts => "application/json",
            Form::Xml => "application/xml",
            Form::Sarif => "application/sarif+json",
            Form::Lines => "application/x-ndjson",
            Form::Human => "text/plain; charset=utf-8",
            Form::Answer => ANSWER,
        }
    }

    /// Diagnostics in that form. The session has the texts for snippets.
    pub fn render(self, outcome: Outcome, found: &[Diagnostic], session: &Session) -> String {
        match self {
            Form::Json | Form::Answer | Form::Parts => {
                let document = serde_json::json!({ "tool": tool(), "outcome": outcome, "diagnostics": found });
                document.to_string() + "\n"
            }
            Form::Xml => xml::xml(&tool(), outcome, found),
            Form::Sarif => sarif::sarif(env!("CARGO_PKG_VERSION"), outcome, found).to_string() + "\n",
            Form::Lines => found.iter().map(|d| serde_json::to_string(d).unwrap_or_default() + "\n").collect(),
            Form::Human => found.iter().map(|d| session.render(d)).collect(),
        }
    }
}

/// What a client takes: media ranges, the best first.
#[derive(Clone, Debug, Default)]
pub struct Accept(Vec<String>);

impl Accept {
    /// Reads the header; where there is none anything will do.
    pub fn read(header: Option<&str>) -> Accept {
        let mut ranges: Vec<(u32, String)> = Vec::new();
        for one in header.unwrap_or("*/*").split(',') {
            let mut parts = one.split(';').map(str::trim);
            let range = parts.next().unwrap_or_default().to_ascii_lowercase();
            let quality = parts.filter_map(|p| p.strip_prefix("q=").or_else(|| p.strip_prefix("Q="))).next_back();
            let quality: f64 = quality.and_then(|q| q.trim().parse().ok()).filter(|q| (0.0..=1.0).contains(q)).unwrap_or(1.0);
            if !range.is_empty() && quality > 0.0 {
                ranges.push(((quality * 1000.0) as u32, range));
            }
        }
        // Stable: of equals the first.
        ranges.sort_by_key(|(q, _)| std::cmp::Reverse(*q));
        Accept(ranges.into_iter().map(|(_, r)| r).collect())
    }

    /// Whether it names this media type itself, not by a wildcard.
    pub fn names(&self, media: &str) -> bool {
        self.0.iter().any(|r| r == media)
    }

    /// The first of these media types that is named itself.
    pub fn first<'a>(&self, known: &[&'a str]) -> Option<&'a str> {
        self.0.iter().find_map(|r| known.iter().find(|k| *k == r).copied())
    }

    /// The form of diagnostics; `None` where the client takes none of those that there are, nor an output of this type.
    pub fn form(&self, output: &[&str]) -> Option<Form> {
        let named = self.0.iter().find_map(|r| TYPES.iter().find(|(_, t)| t == r).map(|(f, _)| *f));
        let wild = |r: &String| {
            r == "*/*"
                || r.strip_suffix('*').is_some_and(|family| TYPES.iter().any(|(_, t)| t.starts_with(family)) && family.ends_with('/'))
        };
        let family = self.0.iter().find(|r| wild(r)).map(|r| if r == "text/*" { Form::Human } else { Form::Json });
        let other = self.0.iter().any(|r| output.iter().any(|o| o == r || r.strip_suffix('*').is_some_and(|f| o.starts_with(f))));
        named.or(family).or(other.then_some(Form::Json))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_form_is_taken() {
        let form = |text: &str| Accept::read(Some(text)).form(&["text/x-c"]);
        assert_eq!(form("application/xml"), Some(Form::Xml));
        assert_eq!(form("application/json;q=0.5, application/sarif+json"), Some(Form::Sarif));
        assert_eq!(form("text/html, */*;q=0.1"), Some(Form::Json));
        assert_eq!(form("text/x-c"), Some(Form::Json));
        assert_eq!(form("image/png"), None);
        assert_eq!(form("application/json;q=0"), None);
        assert_eq!(form(""), None);
        assert_eq!(Accept::read(None).form(&[]), Some(Form::Json));
    }
}
