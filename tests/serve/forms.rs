//! Forms of diagnostics and descriptions: XML against its schema, SARIF and OpenAPI by their required members, gzip both ways.

use super::client::{Server, path};
use super::common::{root, silently};
use super::{GRAPH, PROGRAM};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::io::{Read, Write};

const REFUSED: &str = "double g(double);\n\ndouble f(double x)\n{\n    return 2 * g(x);\n}\n";

fn refused(server: &Server, accept: &str) -> super::client::Answer {
    let query = path("diff", &[("mode", "adjoint"), ("head", "f/(x)"), ("name", "a b.c")]);
    let answer = server.post(&query, &[("Accept", accept)], REFUSED.as_bytes());
    assert_eq!(answer.status, 422, "{}", answer.text());
    answer
}

#[test]
fn xml_is_valid_against_its_schema() {
    let server = Server::start(&["--workers", "1", "--body-bytes", "1M"]);
    let folder = tempfile::tempdir().unwrap();
    let validate = |text: &str| {
        std::fs::write(folder.path().join("d.xml"), text).unwrap();
        let schema = root().join("schema/xsd/diagnostics.xsd");
        let run = std::process::Command::new("xmllint")
            .args(["--noout", "--schema"])
            .arg(schema)
            .arg("d.xml")
            .current_dir(folder.path())
            .output();
        let run = run.expect("xmllint runs");
        assert!(run.status.success(), "{}\n{text}", String::from_utf8_lossy(&run.stderr));
    };
    let answer = refused(&server, "application/xml");
    assert_eq!(answer.header("content-type"), "application/xml");
    assert!(answer.text().contains("outcome=\"refused\"") && answer.text().contains("line=\"5\""), "{}", answer.text());
    validate(&answer.text());
    // What the service itself says has the same form.
    for (path, body) in
        [("/v1/nothing", &b""[..]), ("/v1/boost?nonsense=%3C%26%22", b"x"), ("/v1/boost", &[b' '; 2 << 20]), ("/v1/validate", b"<a/>")]
    {
        let answer = server.post(path, &[("Accept", "text/xml")], body);
        assert!(answer.status >= 400, "{path}");
        validate(&answer.text());
    }
    let request = "<request xmlns=\"urn:overbar:request:1\"><option name=\"head\" value=\"f\"/><option name=\"zero-init\"/><input>f.c</input></request>";
    std::fs::write(folder.path().join("r.xml"), request).unwrap();
    let schema = root().join("schema/xsd/request.xsd");
    let run = std::process::Command::new("xmllint")
        .args(["--noout", "--schema"])
        .arg(schema)
        .arg("r.xml")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let _ = silently(folder.path(), "true", &[]);
}

#[test]
fn json_and_sarif_say_the_same() {
    let server = Server::start(&["--workers", "1"]);
    let json = refused(&server, "application/json").json();
    assert_eq!((&json["outcome"], json["tool"].as_str().unwrap().split(' ').next()), (&"refused".into(), Some("overbar")));
    let list = json["diagnostics"].as_array().unwrap();
    let answer = refused(&server, "application/sarif+json;q=0.9, application/json;q=0.3");
    assert_eq!(answer.header("content-type"), "application/sarif+json");
    let log = answer.json();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let run = &log["runs"].as_array().unwrap()[0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(run["tool"]["driver"]["name"].is_string() && run["invocations"][0]["executionSuccessful"] == false);
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), list.len());
    for (r, d) in results.iter().zip(list) {
        assert_eq!((&r["ruleId"], &r["level"]), (&d["code"], &d["severity"]));
        assert!(r["message"]["text"].as_str().unwrap().starts_with(d["message"].as_str().unwrap()));
        assert_eq!(rules[r["ruleIndex"].as_u64().unwrap() as usize]["id"], d["code"]);
        if d["location"].is_object() {
            let place = &r["locations"][0]["physicalLocation"];
            assert_eq!((&place["region"]["startLine"], &place["artifactLocation"]["uri"]), (&d["location"]["line"], &"a%20b.c".into()));
        }
    }
    let codes: Vec<&str> = list.iter().map(|d| d["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&refused(&server, "*/*").codes().split(',').next().unwrap()));
    let none = server.post("/v1/boost", &[("Accept", "image/png, audio/*")], b"<a/>");
    assert_eq!((none.status, none.codes(), none.header("x-overbar-error")), (406, "OB0171", "unacceptable"));
}

#[test]
fn what_is_accepted_decides_the_form_of_the_output() {
    let server = Server::start(&["--workers", "1"]);
    let json = server.post("/v1/eliminate", &[("Accept", "application/json")], GRAPH.as_bytes());
    assert!(json.header("content-type") == "application/json" && json.json()["cost"].is_number());
    let text = server.post("/v1/eliminate?format=text", &[("Accept", "application/json")], GRAPH.as_bytes());
    assert!(text.header("content-type").starts_with("text/plain") && text.text().starts_with("objective"));
    let query = path("verify", &[("head", "f(f)/(x)"), ("name", "f.c")]);
    let xml = server.post(&query, &[("Accept", "application/xml")], PROGRAM.as_bytes());
    assert!(xml.status == 200 && xml.header("content-type") == "application/xml" && xml.text().contains("<certificate"), "{}", xml.text());
    let query = path("plot", &[("what", "cfg"), ("name", "f.c")]);
    let svg = server.post(&query, &[("Accept", "image/svg+xml")], PROGRAM.as_bytes());
    assert_eq!((svg.status, svg.header("content-type")), (200, "image/svg+xml"));
}

#[test]
fn bodies_and_answers_may_be_compressed() {
    let server = Server::start(&["--workers", "1"]);
    let query = path("diff", &[("mode", "adjoint"), ("head", "f(f)/(x,y)"), ("name", "f.c")]);
    let plain = server.post(&query, &[], PROGRAM.as_bytes());
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(PROGRAM.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let both = server.post(&query, &[("Content-Encoding", "gzip"), ("Accept-Encoding", "gzip")], &packed);
    assert_eq!((both.status, both.header("content-encoding")), (200, "gzip"));
    let mut text = String::new();
    GzDecoder::new(&both.body[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, plain.text());
    assert_eq!(plain.header("content-encoding"), "");
    // Two members one behind the other are one text.
    let (first, second) = PROGRAM.split_at(40);
    let mut members = Vec::new();
    for part in [first, second] {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(part.as_bytes()).unwrap();
        members.extend(packer.finish().unwrap());
    }
    assert_eq!(server.post(&query, &[("Content-Encoding", "x-gzip")], &members).text(), plain.text());
    for (coding, body, status, code) in [
        ("br", &packed[..], 415, "OB0170"),
        ("gzip, gzip", &packed, 415, "OB0170"),
        ("gzip", PROGRAM.as_bytes(), 400, "OB0169"),
        ("gzip", &packed[..packed.len() / 2], 400, "OB0169"),
    ] {
        let answer = server.post(&query, &[("Content-Encoding", coding)], body);
        assert_eq!((answer.status, answer.codes()), (status, code), "{coding}: {}", answer.text());
    }
}

#[test]
fn the_description_lists_every_endpoint_with_its_options() {
    let server = Server::start(&["--workers", "1"]);
    let document = server.get("/v1/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["info"]["title"].is_string() && document["info"]["version"].is_string());
    let paths = document["paths"].as_object().unwrap();
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.values().all(|r| r["description"].is_string()), "{path}");
            for p in operation["parameters"].as_array().unwrap_or(&Vec::new()) {
                assert!(p["name"].is_string() && p["in"].is_string() && p["schema"].is_object(), "{path}: {p}");
                let in_path = path.contains(&format!("{{{}}}", p["name"].as_str().unwrap()));
                assert_eq!(in_path, p["in"] == "path" && p["required"] == true, "{path}: {p}");
            }
            // Every path answers, and not with 404 or 405.
            if method == "get" && !path.contains('{') {
                assert_eq!(server.get(path).status, 200, "{path}");
            } else if method == "post" {
                let answer = server.post(path, &[], b"");
                assert!([200, 400, 422].contains(&answer.status), "{path}: {}", answer.status);
            }
        }
    }
    let names = |path: &str| -> Vec<&str> {
        paths[path]["post"]["parameters"].as_array().unwrap().iter().filter_map(|p| p["name"].as_str()).collect()
    };
    for option in ["mode", "head", "reversal", "preaccumulate", "checkpoint", "dialect", "zero-init"] {
        assert!(names("/v1/boost").contains(&option), "{option}");
    }
    for (path, other) in [("/v1/diff", "include"), ("/v1/diff", "output"), ("/v1/verify", "cc"), ("/v1/verify", "run")] {
        assert!(!names(path).contains(&other), "{path} {other}");
    }
    let ids: Vec<&Value> = paths.values().filter_map(|p| p["post"].get("operationId")).collect();
    assert_eq!(ids.len(), ids.iter().collect::<std::collections::HashSet<_>>().len());
}

#[test]
fn numbers_have_the_text_form_of_prometheus() {
    let server = Server::start(&["--workers", "1"]);
    server.is_well();
    server.post("/v1/boost", &[], b"no XML");
    let answer = server.get("/metrics");
    assert!(answer.header("content-type").starts_with("text/plain; version=0.0.4"));
    let text = answer.text();
    let mut kinds = std::collections::BTreeMap::new();
    for line in text.lines() {
        if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert!(kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "{name} twice");
        } else if !line.starts_with('#') {
            let (series, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}");
            let name = series.split('{').next().unwrap();
            let family =
                ["_bucket", "_sum", "_count"].iter().find_map(|s| name.strip_suffix(s).filter(|n| kinds.contains_key(*n))).unwrap_or(name);
            assert!(kinds.contains_key(family), "{line}");
        }
    }
    assert!(text.contains("overbar_requests_total{route=\"/v1/eliminate\",status=\"200\"} 1\n"), "{text}");
    assert!(text.contains("overbar_requests_total{route=\"/v1/boost\",status=\"400\"} 1\n"), "{text}");
}
