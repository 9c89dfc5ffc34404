//! The description of the service for programs: OpenAPI 3.1, made from what the command line knows of its options.
//!
//! Lives here: that document. Never here: the texts about options, which are those of `--help`.

use super::{ENDPOINTS, answer::plain};
use crate::arguments::Cli;
use crate::serve::forms::{ANSWER, TYPES};
use crate::serve::words::{modes, options};
use axum::response::Response;
use clap::CommandFactory;
use serde_json::{Map, Value, json};

/// The document.
pub async fn document() -> Response {
    plain(200, "application/json", serde_json::to_string_pretty(&openapi()).unwrap_or_default() + "\n")
}

fn openapi() -> Value {
    let mut cli = Cli::command();
    cli.build();
    let mut paths = Map::new();
    for name in ENDPOINTS {
        // The list of units is asked for like a picture of them.
        let command = cli.find_subcommand(if name == "units" { "plot" } else { name });
        paths.insert(format!("/v1/{name}"), json!({ "post": operation(name, command) }));
    }
    for (path, about, media) in [
        ("/", "The page for people.", "text/html"),
        ("/v1/schema/", "The names of the XSD files.", "application/json"),
        ("/v1/intrinsics", "The table of intrinsics with their partial derivatives.", "text/plain"),
        ("/v1/openapi.json", "This document.", "application/json"),
        ("/healthz", "Whether the service lives.", "text/plain"),
        ("/readyz", "Whether it takes requests; 503 if not.", "text/plain"),
        ("/metrics", "Numbers for Prometheus.", "text/plain"),
    ] {
        paths.insert(path.to_owned(), json!({ "get": { "summary": about, "responses": { "200": content(about, &[media]) } } }));
    }
    for (path, parameter, about, media) in [
        ("/v1/schema/{name}", "name", "An XSD file.", "application/xml"),
        ("/v1/runtime/{language}", "language", "The run-time support of generated code: c or fortran.", "text/plain"),
        ("/v1/explain/{code}", "code", "What a diagnostic code means.", "application/json"),
    ] {
        let parameter = json!([{ "name": parameter, "in": "path", "required": true, "schema": { "type": "string" } }]);
        let responses = json!({ "200": content(about, &[media]), "404": content("There is none.", &diagnostics()) });
        paths.insert(path.to_owned(), json!({ "get": { "summary": about, "parameters": parameter, "responses": responses } }));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Overbar",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Differentiates programs. Answers have the bytes that the command line would write. 200: done (exit code 0), 422: refused (1), 400: the request is \
                wrong (2). The form of diagnostics goes by Accept; their codes are in the header X-Overbar-Codes, and the name of a limit in X-Overbar-Error.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
    })
}

fn diagnostics() -> Vec<&'static str> {
    TYPES.iter().map(|(_, t)| *t).take(6).chain([ANSWER]).collect()
}

fn content(about: &str, media: &[&str]) -> Value {
    let content: Map<String, Value> = media.iter().map(|m| ((*m).to_owned(), json!({}))).collect();
    json!({ "description": about, "content": content })
}

fn operation(name: &str, command: Option<&clap::Command>) -> Value {
    let about = command.and_then(|c| c.get_long_about().or(c.get_about())).map(ToString::to_string).unwrap_or_default();
    let mut parameters = vec![json!({
        "name": "name", "in": "query", "schema": { "type": "string" },
        "description": "What the file is called in diagnostics; its extension says what it is.",
    })];
    if let Some(command) = command {
        let modes = modes(command);
        if !modes.is_empty() {
            parameters.push(json!({
                "name": "mode", "in": "query", "schema": { "type": "array", "items": { "enum": modes } },
                "description": "Stands for the options of these names.",
            }));
        }
        if command.get_positionals().any(|a| a.get_id() == "language") {
            parameters.push(json!({ "name": "language", "in": "query", "required": true, "schema": { "enum": ["c", "fortran"] } }));
        }
        parameters.extend(options(command).map(|(name, arg)| parameter(name, arg)));
    }
    let (takes, gives): (&[&str], &[&str]) = match name {
        "boost" => (&["application/xml"], &["application/xml"]),
        "validate" => (&["application/xml"], &[]),
        "backend" => (&["application/xml"], &["text/x-c", "text/x-fortran"]),
        "eliminate" => (&["application/json"], &["application/json", "text/plain", "text/x-c", "text/x-fortran"]),
        "diff" => (&["text/x-c", "text/x-fortran"], &["text/x-c", "text/x-fortran"]),
        "frontend" => (&["text/x-c", "text/x-fortran"], &["application/xml"]),
        "verify" => (&["application/xml", "text/x-c", "text/x-fortran"], &["application/json", "application/xml", "text/plain"]),
        "plot" => (&["application/xml", "text/x-c", "text/x-fortran", "application/json"], &["image/svg+xml", "text/vnd.graphviz"]),
        _ => (&["application/xml", "text/x-c", "text/x-fortran"], &["application/json"]),
    };
    let mut body: Map<String, Value> = takes.iter().map(|m| ((*m).to_owned(), json!({ "schema": { "type": "string" } }))).collect();
    body.insert(
        "multipart/form-data".to_owned(),
        json!({ "schema": { "type": "object", "properties": {
            "request": { "type": "string", "contentMediaType": "application/xml",
                "description": "Options and inputs, valid against /v1/schema/request.xsd. Parts without a file name are options as well." },
        }, "additionalProperties": { "type": "string", "contentMediaType": "application/octet-stream" } } }),
    );
    let refused = diagnostics();
    let gives = if gives.is_empty() { &refused[..] } else { gives };
    let mut responses = Map::new();
    responses.insert("200".to_owned(), content("Done.", gives));
    for (status, about) in [
        ("400", "The request is wrong."),
        ("406", "No form of an answer is accepted."),
        ("408", "It did not arrive in time, or took too long."),
        ("413", "The body is too large."),
        ("415", "The coding of the body is not known."),
        ("422", "Refused; or a limit of depth, elements, memory or answers was met."),
        ("429", "The client has too many requests at once."),
        ("500", "An error of the tool."),
        ("503", "Busy, or ending."),
    ] {
        responses.insert(status.to_owned(), content(about, &refused));
    }
    json!({
        "operationId": name,
        "summary": if name == "units" { "What a program offers to be differentiated." } else { about.lines().next().unwrap_or_default() },
        "description": about,
        "parameters": parameters,
        "requestBody": { "required": true, "content": body },
        "responses": responses,
    })
}

fn parameter(name: &str, arg: &clap::Arg) -> Value {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let takes = arg.get_action().takes_values();
    let mut schema = if !takes {
        json!({ "type": "boolean" })
    } else if arg.get_possible_values().is_empty() {
        json!({ "type": "string" })
    } else {
        let values: Vec<String> = arg.get_possible_values().iter().map(|v| v.get_name().to_owned()).collect();
        json!({ "type": "string", "enum": values })
    };
    if let (true, [default]) = (takes, arg.get_default_values()) {
        schema["default"] = json!(default.to_string_lossy());
    }
    if matches!(arg.get_action(), clap::ArgAction::Append) {
        schema = json!({ "type": "array", "items": schema });
    }
    json!({ "name": name, "in": "query", "schema": schema, "description": help })
}
