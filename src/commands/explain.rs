//! `overbar explain`: what a diagnostic code means.

use super::steps::{Done, usage};
use crate::arguments::{AnswerFormat, Explain};
use crate::console::files::{Content, Target, write_all};
use crate::console::report::Session;
use overbar::diagnostics::{self, Entry, markdown};

/// Prints the entries of these codes, or the whole table.
pub fn explain(session: &mut Session, a: &Explain) -> Done {
    let mut found: Vec<&Entry> = Vec::new();
    for code in &a.codes {
        match diagnostics::find(code) {
            Some(e) => found.push(e),
            None => {
                let near: Vec<String> = diagnostics::near(code).iter().map(|e| format!("{} ({})", e.code, e.title)).collect();
                let help = if near.is_empty() {
                    "codes are OB and four digits; `overbar explain --all` lists them".to_owned()
                } else {
                    format!("near to it are: {}", near.join("; "))
                };
                return Err(usage(session, "OB0110", &format!("there is no diagnostic {code}"), &help));
            }
        }
    }
    if a.all {
        found = diagnostics::all().collect();
    }
    let text = match (a.format, a.all) {
        (AnswerFormat::Json, _) => serde_json::to_string_pretty(&found).unwrap_or_default() + "\n",
        (AnswerFormat::Text, true) => markdown::page(),
        (AnswerFormat::Text, false) => found.iter().map(|e| markdown::text(e)).collect::<Vec<_>>().join("\n"),
    };
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Text(&text) }])
}
