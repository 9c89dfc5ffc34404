//! What is the same for everybody: schemas, intrinsics, run-time support, explanations.
//!
//! Lives here: handing out what is compiled in. Never here: anything that works on a request's text.

use super::answer::{failed, plain};
use super::{Incoming, form};
use crate::arguments::{Command, Language, Output, Runtime};
use crate::console::desk::Desk;
use crate::console::report::Session;
use crate::serve::failure::Failure;
use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use overbar::diagnostics::{find, markdown};
use serde_json::json;

/// Fixed as long as the program is.
fn lasting(mut out: Response) -> Response {
    out.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("max-age=3600"));
    out
}

fn missing(request: &Incoming, what: String) -> Response {
    failed(Failure::Unknown(what), form(request.headers(), &["application/xml", "text/plain"]).1.unwrap_or_default())
}

/// The names of the schemas.
pub async fn schemas() -> Response {
    let names: Vec<&str> = xaif::validate::SCHEMA_FILES.iter().map(|(n, _)| *n).collect();
    lasting(plain(200, "application/json", json!({ "schemas": names }).to_string() + "\n"))
}

/// A schema.
pub async fn schema(Path(name): Path<String>, request: Incoming) -> Response {
    match xaif::validate::SCHEMA_FILES.iter().find(|(n, _)| *n == name) {
        Some((_, text)) => lasting(plain(200, "application/xml", *text)),
        None => missing(&request, format!("/v1/schema/{}", name.chars().take(100).collect::<String>())),
    }
}

/// What a command prints that needs no input.
fn printed(command: &Command) -> String {
    let mut session = Session::at_desk(Desk::default(), xaif::read::Limits::default());
    let _ = crate::commands::perform(&mut session, command);
    let desk = session.desk().map(|d| std::mem::take(&mut *d.borrow_mut())).unwrap_or_default();
    String::from_utf8_lossy(&desk.output).into_owned()
}

/// The table of intrinsics.
pub async fn intrinsics() -> Response {
    lasting(plain(200, "text/plain; charset=utf-8", printed(&Command::Intrinsics(Output { output: None }))))
}

/// The run-time support of a language.
pub async fn runtime(Path(language): Path<String>, request: Incoming) -> Response {
    let (language, media) = match language.as_str() {
        "c" => (Language::C, "text/x-c; charset=utf-8"),
        "fortran" => (Language::Fortran, "text/x-fortran; charset=utf-8"),
        _ => return missing(&request, "/v1/runtime/ but c and fortran".to_owned()),
    };
    lasting(plain(200, media, printed(&Command::Runtime(Runtime { language, output: Output { output: None } }))))
}

/// What a code means: JSON, or text where that is asked for.
pub async fn explain(Path(code): Path<String>, request: Incoming) -> Response {
    let (accept, _) = form(request.headers(), &[]);
    match find(&code) {
        Some(e) if accept.names("text/plain") => lasting(plain(200, "text/plain; charset=utf-8", markdown::text(e))),
        Some(e) => lasting(plain(200, "application/json", serde_json::to_string(e).unwrap_or_default() + "\n")),
        None => missing(&request, format!("/v1/explain/{}", code.chars().take(100).collect::<String>())),
    }
}
