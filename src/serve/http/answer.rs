//! Answers of HTTP.
//!
//! Lives here: status, headers and body for what a worker said, and for what the service has against a request. Never here: the forms themselves.

use crate::console::desk::Desk;
use crate::console::report::Session;
use crate::serve::failure::Failure;
use crate::serve::forms::{Form, tool};
use crate::serve::protocol::Answer;
use crate::serve::work::conclude;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use overbar::diagnostics::Outcome;
use serde_json::{Value, json};
use std::fmt::Write;

const OUTCOME: HeaderName = HeaderName::from_static("x-overbar-outcome");
const CODES: HeaderName = HeaderName::from_static("x-overbar-codes");
const CERTIFICATE: HeaderName = HeaderName::from_static("x-overbar-certificate");
const ERROR: HeaderName = HeaderName::from_static("x-overbar-error");

/// A body with its media type.
pub fn plain(status: u16, media: &str, body: impl Into<Body>) -> Response {
    let mut out = (StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body.into()).into_response();
    let media = HeaderValue::from_str(media).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    out.headers_mut().insert(header::CONTENT_TYPE, media);
    out
}

/// What the service has against a request.
pub fn failed(failure: Failure, form: Form) -> Response {
    let (status, name, outcome) = (failure.status(), failure.name(), failure.outcome());
    let again = matches!(failure, Failure::Busy(_) | Failure::Ending | Failure::Client(_) | Failure::Connections(_));
    let closes = matches!(failure, Failure::Ending);
    let found = failure.diagnostics();
    let mut out = match form {
        Form::Answer => {
            let text = serde_json::to_string(&conclude(outcome, &found, Form::Json)).unwrap_or_default();
            plain(status, Form::Answer.media(), text + "\n")
        }
        form => plain(status, form.media(), form.render(outcome, &found, &Session::at_desk(Desk::default(), Default::default()))),
    };
    let codes: Vec<&str> = found.iter().map(|d| d.code).collect();
    said(&mut out, outcome, codes);
    out.headers_mut().insert(ERROR, HeaderValue::from_static(name));
    if again {
        out.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    if closes {
        out.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    out
}

/// What a worker said.
pub fn answered(line: Vec<u8>, form: Form) -> Response {
    let answer: Answer = match serde_json::from_slice(&line) {
        Ok(answer) => answer,
        Err(e) => return failed(Failure::Died(format!("its answer cannot be read: {e}")), form),
    };
    // As the exit codes: 0 done, 1 refused, 2 misused; and what failed is no fault of the client.
    let status = match answer.outcome {
        Outcome::Done => 200,
        Outcome::Refused => 422,
        Outcome::Misused => 400,
        Outcome::Failed => 500,
    };
    let outcome = answer.outcome;
    let verdict = answer.verdict.as_deref().and_then(|v| HeaderValue::from_str(v).ok());
    let mut codes: Vec<String> = answer.diagnostics.iter().filter_map(|d| d["code"].as_str()).map(str::to_owned).collect();
    codes.dedup();
    let mut out = match (form, answer) {
        (Form::Answer, _) => plain(status, Form::Answer.media(), line),
        (Form::Parts, answer) if answer.output.is_some() || !answer.files.is_empty() => {
            let (media, body) = parts(answer);
            plain(status, &media, body)
        }
        (_, Answer { output: Some(output), kind, .. }) => plain(status, &kind, output),
        (Form::Json | Form::Parts, Answer { diagnostics, .. }) => plain(status, Form::Json.media(), list(outcome, &diagnostics)),
        (form, Answer { rendered, .. }) => plain(status, form.media(), rendered),
    };
    said(&mut out, outcome, codes.iter().map(String::as_str));
    out.headers_mut().extend(verdict.map(|v| (CERTIFICATE, v)));
    // The limits of documents, which whoever reads them enforces.
    if codes.iter().any(|c| c == "OB1003") {
        out.headers_mut().insert(ERROR, HeaderValue::from_static("document"));
    }
    out
}

/// Outcome and codes as headers: an output has no other room for them.
fn said<'a>(out: &mut Response, outcome: Outcome, codes: impl IntoIterator<Item = &'a str>) {
    out.headers_mut().insert(OUTCOME, HeaderValue::from_static(outcome.word()));
    let codes: Vec<&str> = codes.into_iter().take(100).collect();
    if let (false, Ok(value)) = (codes.is_empty(), HeaderValue::from_str(&codes.join(","))) {
        out.headers_mut().insert(CODES, value);
    }
    out.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
}

/// The document of diagnostics in JSON.
fn list(outcome: Outcome, found: &[Value]) -> String {
    json!({ "tool": tool(), "outcome": outcome, "diagnostics": found }).to_string() + "\n"
}

/// Output, files and diagnostics one behind the other.
fn parts(answer: Answer) -> (String, String) {
    let diagnostics = list(answer.outcome, &answer.diagnostics);
    let mut all: Vec<(String, String, String)> = Vec::new();
    all.extend(answer.output.map(|text| ("output".to_owned(), answer.kind, text)));
    for file in answer.files {
        all.push((file.name, "text/plain; charset=utf-8".to_owned(), file.text.unwrap_or_default()));
    }
    all.push(("diagnostics".to_owned(), Form::Json.media().to_owned(), diagnostics));
    // A line that none of them has.
    let mut boundary = "overbar-part".to_owned();
    while all.iter().any(|(_, _, text)| text.contains(&boundary)) {
        boundary.push_str("-x");
    }
    let mut out = String::new();
    for (name, media, text) in &all {
        let name = name.replace(['"', '\\', '\r', '\n'], "_");
        let _ =
            write!(out, "--{boundary}\r\nContent-Type: {media}\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n\r\n{text}\r\n");
    }
    let _ = write!(out, "--{boundary}--\r\n");
    (format!("multipart/mixed; boundary={boundary}"), out)
}
