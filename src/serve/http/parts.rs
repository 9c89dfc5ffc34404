//! From a body and a query to a request: one file as it is, or parts with a request document.
//!
//! Lives here: names of files, options from queries, parts and documents. Never here: what options mean.

use crate::serve::failure::Failure;
use crate::serve::protocol::{File, Given, Request};
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Query};
use axum::http::{HeaderMap, Uri, header};
use roxmltree::Document;
use std::collections::BTreeMap;
use xaif::Diagnostic;
use xaif::read::Limits;

/// A request document is small; a larger one is none.
const LIMITS: Limits = Limits { bytes: 1 << 20, depth: 8, attributes: 8, token: 1 << 18, elements: 10_000 };
/// No request has more parts.
const MOST_PARTS: usize = 1000;

fn wrong(message: impl Into<String>) -> Failure {
    Failure::Request(vec![Diagnostic::error("OB0169", message)])
}

type Options = BTreeMap<String, Given>;

fn add(options: &mut Options, name: String, value: String) {
    match options.get_mut(&name) {
        Some(given) => given.add(value),
        None => drop(options.insert(name, Given::One(value))),
    }
}

/// The request for a command.
pub async fn request(command: &str, uri: &Uri, headers: &HeaderMap, body: Vec<u8>) -> Result<Request, Failure> {
    let query = Query::<Vec<(String, String)>>::try_from_uri(uri).map_err(|e| wrong(format!("the query cannot be read: {e}")))?.0;
    let mut request = Request { command: command.to_owned(), ..Request::default() };
    let mut name = None;
    for (key, value) in query {
        if key == "name" { name = Some(value) } else { add(&mut request.options, key, value) }
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default().trim().to_owned();
    if kind.to_ascii_lowercase().starts_with("multipart/") {
        parts(&mut request, kind, body).await?;
        return Ok(request);
    }
    let name = name.unwrap_or_else(|| usual_name(command, &kind, &request.options));
    request.files = vec![File::new(name.clone(), body)];
    request.inputs = Some(vec![name]);
    Ok(request)
}

/// What a file without a name is called: the extension says what it is.
fn usual_name(command: &str, kind: &str, options: &Options) -> String {
    let said = match options.get("language") {
        Some(Given::One(language)) => language.clone(),
        _ => kind.split(';').next().unwrap_or_default().trim().trim_start_matches("text/x-").trim_end_matches("src").to_ascii_lowercase(),
    };
    let name = match (command, said.as_str()) {
        ("eliminate", _) => "graph.json",
        ("boost" | "validate" | "backend", _) => "program.xaif",
        (_, "c") => "source.c",
        (_, "fortran") => "source.f90",
        (_, "application/json") => "graph.json",
        ("diff" | "frontend", _) => "source",
        _ => "program.xaif",
    };
    name.to_owned()
}

async fn parts(request: &mut Request, kind: String, body: Vec<u8>) -> Result<(), Failure> {
    let mut whole =
        axum::http::Request::builder().header(header::CONTENT_TYPE, kind).body(Body::from(body)).map_err(|e| wrong(e.to_string()))?;
    // The size was looked at already.
    DefaultBodyLimit::disable().apply(&mut whole);
    let unread = |e: &dyn std::fmt::Display| wrong(format!("the parts of the body cannot be read: {e}"));
    let mut multipart = Multipart::from_request(whole, &()).await.map_err(|e| unread(&e.body_text()))?;
    let mut count = 0;
    while let Some(field) = multipart.next_field().await.map_err(|e| unread(&e.body_text()))? {
        count += 1;
        if count > MOST_PARTS {
            return Err(wrong(format!("there are more than {MOST_PARTS} parts")));
        }
        let (part, file) = (field.name().unwrap_or_default().to_owned(), field.file_name().map(str::to_owned));
        let bytes = field.bytes().await.map_err(|e| unread(&e.body_text()))?.to_vec();
        match (part.as_str(), file) {
            ("request", _) => {
                let read = tokio::task::spawn_blocking(move || document(&bytes)).await;
                let (options, inputs) = read.map_err(|_| wrong("the request document cannot be read"))??;
                for (name, given) in options {
                    request.options.insert(name, given);
                }
                if !inputs.is_empty() {
                    request.inputs = Some(inputs);
                }
            }
            (_, Some(name)) => request.files.push(File::new(name, bytes)),
            (option, None) => {
                let value =
                    String::from_utf8(bytes).map_err(|_| wrong(format!("the value of `{}` is no text", option.escape_default())))?;
                add(&mut request.options, option.to_owned(), value);
            }
        }
    }
    Ok(())
}

/// Options and inputs of a request document.
fn document(bytes: &[u8]) -> Result<(Options, Vec<String>), Failure> {
    let found = xaif::validate::schema_within("request", bytes, &LIMITS);
    if found.iter().any(Diagnostic::is_error) {
        return Err(Failure::Request(found));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("the request document is not UTF-8"))?;
    let document = Document::parse(text).map_err(|e| wrong(format!("the request document cannot be read: {e}")))?;
    let root = document.root_element();
    if !root.has_tag_name(("urn:overbar:request:1", "request")) {
        return Err(wrong("the root element of a request document is `request` in the namespace urn:overbar:request:1"));
    }
    let (mut options, mut inputs) = (Options::new(), Vec::new());
    for e in root.children().filter(roxmltree::Node::is_element) {
        match (e.tag_name().name(), e.attribute("name"), e.attribute("value")) {
            ("option", Some(name), None) => drop(options.insert(name.to_owned(), Given::Switch(true))),
            ("option", Some(name), Some(value)) => add(&mut options, name.to_owned(), value.to_owned()),
            _ => inputs.push(e.text().unwrap_or_default().to_owned()),
        }
    }
    Ok((options, inputs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_documents_are_checked_before_they_are_read() {
        let good = br#"<request xmlns="urn:overbar:request:1"><option name="head" value="f"/><option name="head" value="g"/><option name="zero-init"/><input>f.c</input></request>"#;
        let (options, inputs) = document(good).unwrap();
        assert_eq!(options["head"], Given::Many(vec!["f".into(), "g".into()]));
        assert_eq!((&options["zero-init"], inputs), (&Given::Switch(true), vec!["f.c".to_owned()]));
        for bad in [
            &b"<request/>"[..],
            b"",
            b"<!DOCTYPE a [<!ENTITY b \"c\">]><request xmlns=\"urn:overbar:request:1\">&b;</request>",
            b"<request xmlns=\"urn:overbar:request:1\"><option/></request>",
            b"<manifest xmlns=\"urn:overbar:manifest:1\"><item><input>x</input></item></manifest>",
        ] {
            assert!(document(bad).is_err(), "{}", String::from_utf8_lossy(bad));
        }
    }

    #[test]
    fn files_without_names_are_called_by_what_they_are() {
        let none = Options::new();
        assert_eq!(usual_name("diff", "text/x-csrc; charset=utf-8", &none), "source.c");
        assert_eq!(usual_name("diff", "text/x-fortran", &none), "source.f90");
        assert_eq!(usual_name("boost", "", &none), "program.xaif");
        assert_eq!(usual_name("diff", "", &none), "source");
    }
}
