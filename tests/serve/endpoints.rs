//! Every endpoint against the command line: the same bytes.

use super::client::{Server, path};
use super::common::{overbar, overbar_ok};
use super::{FORTRAN, GRAPH, PROGRAM};
use std::path::Path;

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// Options of a query.
type Options<'a> = &'a [(&'a str, &'a str)];

/// The same as words of a command line.
fn words(options: Options) -> Vec<String> {
    let word = |(name, value): &(&str, &str)| match (*name, *value) {
        ("mode", mode) => format!("--{mode}"),
        (name, "true") => format!("--{name}"),
        (name, value) => format!("--{name}={value}"),
    };
    options.iter().map(word).collect()
}

#[test]
fn outputs_are_the_bytes_of_the_command_line() {
    let server = Server::start(&["--workers", "2"]);
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    write(dir, "f.c", PROGRAM);
    write(dir, "g.f90", FORTRAN);
    write(dir, "graph.json", GRAPH);
    overbar_ok(dir, &["frontend", "c", "f.c", "--no-preprocessor", "--head", "f(f)/(x,y)", "-o", "f.xaif"]);
    overbar_ok(dir, &["frontend", "fortran", "g.f90", "--head", "g(y)/(x)", "-o", "g.xaif"]);
    overbar_ok(dir, &["boost", "-b", "f.xaif", "-o", "f_b.xaif"]);
    let cases: &[(&str, &str, Options)] = &[
        ("boost", "f.xaif", &[("mode", "adjoint")]),
        ("boost", "f.xaif", &[("mode", "tangent")]),
        ("boost", "g.xaif", &[("mode", "adjoint"), ("mode", "tangent"), ("zero-init", "true"), ("reversal", "split")]),
        (
            "boost",
            "f.xaif",
            &[("adjoint", "true"), ("preaccumulate", "always"), ("order", "lowest_markowitz,reverse"), ("head", "f(f)/(x)")],
        ),
        ("diff", "f.c", &[("mode", "adjoint"), ("head", "f(f)/(x,y)")]),
        ("diff", "f.c", &[("mode", "tangent"), ("head", "f/(x)"), ("no-primal", "true"), ("tangent-suffix", "_dot")]),
        ("diff", "g.f90", &[("mode", "adjoint"), ("head", "g(y)/(x)")]),
        ("frontend", "g.f90", &[("language", "fortran")]),
        ("backend", "f_b.xaif", &[("language", "c")]),
        ("verify", "f.c", &[("head", "f(f)/(x,y)"), ("format", "json")]),
        ("verify", "g.xaif", &[("format", "xml")]),
        ("verify", "g.f90", &[("head", "g(y)/(x)"), ("seed", "7")]),
        ("eliminate", "graph.json", &[]),
        ("eliminate", "graph.json", &[("format", "json"), ("objective", "plain")]),
        ("eliminate", "graph.json", &[("emit", "fortran"), ("order", "reverse")]),
        ("plot", "f.c", &[("what", "cfg")]),
        ("plot", "g.f90", &[("what", "activity"), ("head", "g(y)/(x)"), ("format", "dot")]),
    ];
    for (command, file, options) in cases {
        let body = std::fs::read(dir.join(file)).unwrap();
        let mut query = options.to_vec();
        query.push(("name", file));
        let answer = server.post(&path(command, &query), &[], &body);
        let mut line = vec![(*command).to_owned()];
        if let Some((_, language)) = options.iter().find(|(k, _)| *k == "language") {
            line.push((*language).to_owned());
        }
        line.push((*file).to_owned());
        line.extend(words(&options.iter().copied().filter(|(k, _)| *k != "language").collect::<Vec<_>>()));
        if ["diff", "verify", "plot", "frontend"].contains(command) {
            line.push("--no-preprocessor".to_owned());
        }
        if *command == "verify" {
            line.push("--run=interpreter".to_owned());
        }
        let expected = overbar_ok(dir, &line.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(answer.status, 200, "{command} {file}: {}", answer.text());
        assert!(!expected.is_empty() && answer.text() == expected, "{command} {file} {options:?}:\n{}\n{expected}", answer.text());
        assert_eq!(answer.header("x-overbar-outcome"), "done");
    }
}

#[test]
fn what_is_refused_is_said_in_the_words_of_the_command_line() {
    let server = Server::start(&["--workers", "1"]);
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    write(dir, "r.c", "double g(double);\n\ndouble f(double x) { return 2 * g(x); }\n");
    write(dir, "bad.xaif", "<?xml version=\"1.0\"?>\n<CallGraph>\n  <Nonsense/>\n</CallGraph>\n");
    write(dir, "bad.json", "{\"vertices\": 3}");
    std::fs::write(dir.join("latin.f90"), b"! \xe9\nend\n").unwrap();
    let cases: &[(&str, &str, Options, u16)] = &[
        ("diff", "r.c", &[("mode", "adjoint"), ("head", "f/(x)")], 422),
        ("diff", "r.c", &[("mode", "adjoint"), ("head", "nobody/(x)")], 422),
        ("diff", "r.c", &[("mode", "adjoint"), ("head", "f/(")], 400),
        ("diff", "r.c", &[("head", "f/(x)")], 400),
        ("validate", "bad.xaif", &[], 422),
        ("validate", "bad.xaif", &[("schema-only", "true")], 422),
        ("boost", "bad.xaif", &[("mode", "adjoint")], 422),
        ("diff", "latin.f90", &[("mode", "adjoint")], 422),
        ("eliminate", "bad.json", &[], 422),
        ("eliminate", "bad.json", &[("objective", "cheap")], 400),
        ("verify", "r.c", &[], 400),
    ];
    for (command, file, options, status) in cases {
        let body = std::fs::read(dir.join(file)).unwrap();
        let mut query = options.to_vec();
        query.push(("name", file));
        for (form, accept) in [("json", "application/x-ndjson"), ("human", "text/plain")] {
            // `text/plain` is a form of the output as well.
            let answer = server.post(&path(command, &query), &[("Accept", accept)], &body);
            let mut line = vec!["--message-format".to_owned(), form.to_owned(), (*command).to_owned(), (*file).to_owned()];
            line.extend(words(options));
            if ["diff", "verify"].contains(command) {
                line.push("--no-preprocessor".to_owned());
            }
            let output = overbar(dir, &line.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(answer.status, *status, "{command} {file} {options:?}: {}", answer.text());
            assert_eq!(answer.text(), String::from_utf8_lossy(&output.stderr), "{command} {file} {options:?}");
            assert_eq!(if *status == 400 { Some(2) } else { Some(1) }, output.status.code());
        }
    }
    let good = overbar_ok(dir, &["frontend", "c", "r.c", "--no-preprocessor"]);
    let valid = server.post("/v1/validate", &[("Accept", "application/xml")], good.as_bytes());
    assert_eq!((valid.status, valid.header("content-type"), valid.header("x-overbar-outcome")), (200, "application/xml", "done"));
}

#[test]
fn tables_and_schemas_are_those_of_the_tool() {
    let server = Server::start(&["--workers", "1"]);
    let root = super::common::root();
    let names = server.get("/v1/schema/").json()["schemas"].as_array().unwrap().clone();
    assert!(names.len() >= 10);
    for name in names.iter().map(|n| n.as_str().unwrap()) {
        let answer = server.get(&format!("/v1/schema/{name}"));
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/xml"));
        assert_eq!(answer.body, std::fs::read(root.join("schema/xsd").join(name)).unwrap(), "{name}");
    }
    assert_eq!(server.get("/v1/intrinsics").text(), overbar_ok(&root, &["intrinsics"]));
    for language in ["c", "fortran"] {
        assert_eq!(server.get(&format!("/v1/runtime/{language}")).text(), overbar_ok(&root, &["runtime", language]));
    }
    let text = server.connect().request("GET", "/v1/explain/ob4003", &[("Accept", "text/plain")], b"").text();
    assert_eq!(text, overbar_ok(&root, &["explain", "OB4003"]));
    assert_eq!(server.get("/v1/explain/OB4003").json()["code"], "OB4003");
    for missing in [
        "/v1/schema/../../Cargo.toml",
        "/v1/schema/%2e%2e%2fxsd.rs",
        "/v1/explain/OB9999",
        "/v1/runtime/ada",
        "/v1/nothing",
        "/v2/boost",
        "/v1/batch",
    ] {
        let answer = server.get(missing);
        assert_eq!((answer.status, answer.codes()), (404, "OB0172"), "{missing}");
    }
    let answer = server.get("/v1/boost");
    assert_eq!((answer.status, answer.codes()), (405, "OB0172"));
    assert_eq!((server.get("/readyz").status, server.get("/healthz").status), (200, 200));
}

#[test]
fn several_files_and_options_come_in_parts() {
    let server = Server::start(&["--workers", "1"]);
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let module = "module m\n  implicit none\n  real(8), parameter :: half = 0.5d0\nend module\n";
    let user = "subroutine h(x, y)\n  use m\n  implicit none\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  y = half*x*x\nend subroutine\n";
    write(dir, "m.f90", module);
    write(dir, "h.f90", user);
    overbar_ok(dir, &["diff", "m.f90", "h.f90", "-b", "--head", "h(y)/(x)", "--header", "h_b.f90", "--stats", "s.json", "-o", "out.f90"]);
    let document = "<request xmlns=\"urn:overbar:request:1\"><option name=\"mode\" value=\"adjoint\"/><option name=\"head\" value=\"h(y)/(x)\"/>\
                    <option name=\"header\" value=\"h_b.f90\"/><option name=\"stats\" value=\"s.json\"/><input>m.f90</input><input>h.f90</input></request>";
    let part = |name: &str, file: &str, text: &str| {
        let file = if file.is_empty() { String::new() } else { format!("; filename=\"{file}\"") };
        format!("--sep\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{text}\r\n")
    };
    let body = [part("request", "", document), part("a", "h.f90", user), part("b", "m.f90", module), "--sep--\r\n".into()].concat();
    let kind = ("Content-Type", "multipart/form-data; boundary=sep");
    let plain = server.post("/v1/diff", &[kind], body.as_bytes());
    let expected = std::fs::read_to_string(dir.join("out.f90")).unwrap();
    assert_eq!((plain.status, plain.text()), (200, expected.clone()));
    let whole = server.post("/v1/diff", &[kind, ("Accept", "application/vnd.overbar.answer+json")], body.as_bytes()).json();
    assert_eq!((&whole["outcome"], &whole["output"]), (&"done".into(), &expected.as_str().into()));
    for file in whole["files"].as_array().unwrap() {
        let name = file["name"].as_str().unwrap();
        assert_eq!(file["text"].as_str().unwrap(), std::fs::read_to_string(dir.join(name)).unwrap(), "{name}");
    }
    assert_eq!(whole["files"].as_array().unwrap().len(), 2);
    let parts = server.post("/v1/diff", &[kind, ("Accept", "multipart/mixed")], body.as_bytes());
    assert!(parts.header("content-type").starts_with("multipart/mixed; boundary=") && parts.text().contains(&expected));
    // Options as parts, as a form sends them.
    let form = [part("mode", "", "adjoint"), part("head", "", "f/(x)"), part("file", "f.c", PROGRAM), "--sep--\r\n".into()].concat();
    let answer = server.post("/v1/diff", &[kind], form.as_bytes());
    assert!(answer.status == 200 && answer.text().contains("f_b("), "{}", answer.text());
    // A document that is none, a file that is not there, a body that breaks off.
    for (document, code) in [
        ("<request xmlns=\"urn:overbar:request:1\"><option value=\"x\"/></request>", "OB1060"),
        ("<!DOCTYPE r [<!ENTITY a \"b\">]><request xmlns=\"urn:overbar:request:1\"/>", "OB1"),
        ("<request xmlns=\"urn:overbar:request:1\"><input>q.f90</input></request>", "OB0169"),
        ("<request xmlns=\"urn:overbar:request:1\"><option name=\"output\" value=\"/tmp/x\"/></request>", "OB0169"),
    ] {
        let body = [part("request", "", document), part("a", "h.f90", user), "--sep--\r\n".into()].concat();
        let answer = server.post("/v1/diff", &[kind], body.as_bytes());
        assert!(answer.status == 400 && answer.codes().starts_with(code), "{document}: {} {}", answer.status, answer.text());
    }
    let answer = server.post("/v1/diff", &[kind], &body.as_bytes()[..body.len() - 40]);
    assert_eq!((answer.status, answer.codes()), (400, "OB0169"));
}

#[test]
fn units_and_the_page_serve_people() {
    let server = Server::start(&["--workers", "1"]);
    let units = server.post(&path("units", &[("name", "f.c")]), &[], PROGRAM.as_bytes()).json();
    assert_eq!((&units["units"][0]["head"], &units["suggested"][0], &units["language"]), (&"f(f)/(x,y)".into(), &"f".into(), &"c".into()));
    let page = server.get("/");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    let policy = page.header("content-security-policy");
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe") && page.text().contains("<title>Overbar</title>"),
        "{policy}"
    );
    assert_eq!(page.header("x-content-type-options"), "nosniff");
}
