//! `overbar explain`: what a diagnostic code means, and which codes speak of a word.

use super::steps::{Done, usage};
use crate::arguments::{AnswerFormat, Explain};
use crate::console::files::{Content, Target, write_all};
use crate::console::report::{Failed, Session};
use overbar::diagnostics::{self, Entry, markdown};

/// Prints the entries of these codes, those that speak of these words, or the whole table.
pub fn explain(session: &mut Session, a: &Explain) -> Done {
    let (codes, words): (Vec<&String>, Vec<&String>) = a.codes.iter().partition(|c| looks_like_code(c));
    let mut found: Vec<&Entry> = Vec::new();
    for code in codes {
        match diagnostics::find(code) {
            Some(e) => found.push(e),
            None => return Err(unknown(session, code)),
        }
    }
    let spoken: Vec<&Entry> = if words.is_empty() { Vec::new() } else { diagnostics::about(&words) };
    if !words.is_empty() && spoken.is_empty() {
        let asked = words.iter().map(|w| w.as_str()).collect::<Vec<_>>().join(" ");
        let help = "codes are OB and four digits; `overbar explain --all` lists them";
        return Err(usage(session, "OB0110", &format!("no diagnostic speaks of {asked}"), help));
    }
    // A list is for choosing from; one entry is what was looked for.
    let is_list = found.len() + spoken.len() > 1 && !spoken.is_empty();
    found.extend(spoken);
    if a.all {
        found = diagnostics::all().collect();
    }
    let text = match (a.format, a.all) {
        (AnswerFormat::Json, _) => serde_json::to_string_pretty(&found).unwrap_or_default() + "\n",
        (AnswerFormat::Text, true) => markdown::page(),
        (AnswerFormat::Text, false) if is_list => found.iter().map(|e| format!("{} ({}): {}\n", e.code, e.kind, e.title)).collect(),
        (AnswerFormat::Text, false) => found.iter().map(|e| markdown::text(e)).collect::<Vec<_>>().join("\n"),
    };
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Text(&text) }])
}

/// Whether a code is meant, though there may be none of that number.
fn looks_like_code(text: &str) -> bool {
    let digits = text.strip_prefix("OB").or_else(|| text.strip_prefix("ob")).unwrap_or(text);
    digits.chars().any(|c| c.is_ascii_digit())
}

fn unknown(session: &Session, code: &str) -> Failed {
    let near: Vec<String> = diagnostics::near(code).iter().map(|e| format!("{} ({})", e.code, e.title)).collect();
    let help = if near.is_empty() {
        "codes are OB and four digits; `overbar explain --all` lists them".to_owned()
    } else {
        format!("near to it are: {}", near.join("; "))
    };
    usage(session, "OB0110", &format!("there is no diagnostic {code}"), &help)
}
