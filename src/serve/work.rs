//! What is done to one request: the command that it means, on a desk of its own.
//!
//! Lives here: from request to answer, by the code of the command line. Never here: who asks, limits of time and memory.

use super::protocol::{Answer, File, Request};
use super::units;
use super::words::Words;
use crate::arguments::{AnswerFormat, CertificateFormat, Command, Language, PlotFormat};
use crate::console::desk::Desk;
use crate::console::report::{Failed, Session};
use overbar::diagnostics::Outcome;
use serde_json::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use xaif::Diagnostic;
use xaif::read::Limits;

/// Does requests one after the other.
pub struct Bench {
    words: Words,
    limits: Limits,
    /// How many threads a request may have.
    share: usize,
}

impl Bench {
    /// With these limits for documents.
    pub fn new(preprocessor: bool, limits: Limits, share: usize) -> Bench {
        Bench { words: Words::new(preprocessor), limits, share }
    }

    /// Does one. A panic becomes an answer that says so.
    pub fn answer(&mut self, request: Request) -> Answer {
        let (id, form) = (request.id.clone(), request.form);
        let share = self.share;
        Answer { id, ..guarded(form, || xaif::spread::within(share, || self.steps(request))) }
    }

    fn steps(&mut self, request: Request) -> Answer {
        let form = request.form;
        // What the page asks about a program before anything is done with it.
        if request.command == "units" {
            let mut asked = request;
            asked.command = "plot".to_owned();
            asked.options.insert("what".to_owned(), super::protocol::Given::One("callgraph".to_owned()));
            return match self.words.command(&asked) {
                Ok(Command::Plot(a)) => finish(self.desk(asked.files), form, "application/json", |s| units::units(s, &a)),
                Ok(_) => conclude(Outcome::Failed, &ended("a command became another"), form),
                Err(d) => conclude(Outcome::Misused, &[d], form),
            };
        }
        let command = match self.words.command(&request) {
            Ok(command) => command,
            Err(d) => return conclude(Outcome::Misused, &[d], form),
        };
        let media = media(&command);
        finish(self.desk(request.files), form, media, |session| crate::commands::perform(session, &command))
    }

    fn desk(&self, files: Vec<File>) -> Result<Session, Diagnostic> {
        let mut on_desk = BTreeMap::new();
        for file in files {
            let name = file.name.clone();
            on_desk.insert(name, file.bytes().map_err(|why| Diagnostic::error("OB0169", why))?);
        }
        Ok(Session::at_desk(Desk { files: on_desk, ..Desk::default() }, self.limits))
    }
}

/// The answer of some work, or that it panicked.
fn guarded(form: super::forms::Form, work: impl FnOnce() -> Answer) -> Answer {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| conclude(Outcome::Failed, &ended("the tool panicked"), form))
}

/// Does a command and gathers what it left.
fn finish(
    session: Result<Session, Diagnostic>,
    form: super::forms::Form,
    media: &str,
    command: impl FnOnce(&mut Session) -> Result<(), Failed>,
) -> Answer {
    let mut session = match session {
        Ok(session) => session,
        Err(d) => return conclude(Outcome::Misused, &[d], form),
    };
    let status = match command(&mut session) {
        Ok(()) => 0,
        Err(Failed(code)) => code,
    };
    session.conclude();
    let outcome = match status {
        0 => Outcome::Done,
        2 => Outcome::Misused,
        _ => Outcome::Refused,
    };
    let desk = session.desk().map(|d| std::mem::take(&mut *d.borrow_mut())).unwrap_or_default();
    let output = (!desk.output.is_empty()).then(|| xaif::bytes::shown(&xaif::bytes::mixed(&desk.output)).into_owned());
    Answer {
        id: Value::Null,
        outcome,
        status,
        kind: if output.is_some() { media.to_owned() } else { String::new() },
        output,
        files: desk.written.into_iter().map(|(name, bytes)| File::new(name, bytes)).collect(),
        verdict: desk.verdict,
        aside: desk.aside,
        diagnostics: values(&desk.said),
        rendered: rendered(form, outcome, &desk.said, &session),
    }
}

/// An answer without an output.
pub fn conclude(outcome: Outcome, found: &[Diagnostic], form: super::forms::Form) -> Answer {
    let status = if outcome == Outcome::Misused { 2 } else { 1 };
    let session = Session::at_desk(Desk::default(), Limits::default());
    Answer {
        id: Value::Null,
        outcome,
        status,
        output: None,
        kind: String::new(),
        files: Vec::new(),
        verdict: None,
        aside: String::new(),
        diagnostics: values(found),
        rendered: rendered(form, outcome, found, &session),
    }
}

fn rendered(form: super::forms::Form, outcome: Outcome, found: &[Diagnostic], session: &Session) -> String {
    match form {
        super::forms::Form::Json | super::forms::Form::Answer | super::forms::Form::Parts => String::new(),
        form => form.render(outcome, found, session),
    }
}

fn values(found: &[Diagnostic]) -> Vec<Value> {
    found.iter().map(|d| serde_json::to_value(d).unwrap_or_default()).collect()
}

/// OB0167.
pub fn ended(how: &str) -> Vec<Diagnostic> {
    vec![
        Diagnostic::error("OB0167", format!("an internal error ended the request: {how}"))
            .because("an error of this program; other requests are not concerned")
            .help("please report it with the request"),
    ]
}

/// The media type of a command's output.
fn media(command: &Command) -> &'static str {
    const JSON: &str = "application/json";
    const XML: &str = "application/xml";
    const TEXT: &str = "text/plain; charset=utf-8";
    let source = |language| match language {
        Language::C => "text/x-c; charset=utf-8",
        Language::Fortran => "text/x-fortran; charset=utf-8",
    };
    match command {
        Command::Boost(_) | Command::Frontend(_) => XML,
        Command::Diff(a) => crate::pipeline::language_of(a.files.iter().map(|f| f.as_path()), a.language).map_or(TEXT, source),
        Command::Backend(a) => source(a.language),
        Command::Runtime(a) => source(a.language),
        Command::Eliminate(a) => match (a.emit, a.format) {
            (Some(language), _) => source(language),
            (None, AnswerFormat::Json) => JSON,
            (None, AnswerFormat::Text) => TEXT,
        },
        Command::Verify(a) => match a.format {
            CertificateFormat::Text => TEXT,
            CertificateFormat::Json => JSON,
            CertificateFormat::Xml => XML,
        },
        Command::Eval(_) => JSON,
        Command::Plot(a) => match a.format {
            Some(PlotFormat::Dot) => "text/vnd.graphviz; charset=utf-8",
            _ => "image/svg+xml",
        },
        _ => TEXT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::forms::Form;

    #[test]
    fn a_panic_is_an_answer() {
        let answer = guarded(Form::Xml, || panic!("on purpose"));
        assert_eq!((answer.outcome, answer.diagnostics[0]["code"].as_str()), (Outcome::Failed, Some("OB0167")));
        // By these bytes the pool knows that the worker is not to be used again.
        assert!(
            serde_json::to_string(&answer).unwrap().starts_with(r#"{"outcome":"failed""#) && answer.rendered.contains("outcome=\"failed\"")
        );
    }
}
