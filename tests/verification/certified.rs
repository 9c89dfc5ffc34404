//! Derivatives are certified before they are written: by `diff`, `boost`, `batch` and `serve`, and along the pipe.

use crate::common;

use common::{overbar, overbar_ok, overbar_with_input, root};
use overbar::evaluate::Values;
use overbar::verify::compiled::Layout;
use overbar::verify::made::{self, Made};
use overbar::verify::{Built, Report, Verdict, Workshop, certify, standing};
use overbar::{Options, boost};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::path::Path;
use xaif::model::{Dialect, Mode, Standing, StmtKind, VarRef, VertexKind};
use xaif::{Diagnostic, Program, Severity};

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    folder
}

/// Exit code, standard output, codes of diagnostics with their severities.
fn told(dir: &Path, arguments: &[&str]) -> (i32, String, Vec<(String, String)>) {
    let o = overbar(dir, &[&["--message-format", "json"], arguments].concat());
    let err = String::from_utf8_lossy(&o.stderr);
    let said = err.lines().map(|l| serde_json::from_str::<Value>(l).unwrap_or_else(|e| panic!("{e}: {l}")));
    let said = said.map(|d| (d["code"].as_str().unwrap().to_owned(), d["severity"].as_str().unwrap().to_owned())).collect();
    (o.status.code().unwrap(), String::from_utf8(o.stdout).unwrap(), said)
}

/// Whether a document is valid, as xmllint says; nothing where that is not there.
fn valid(dir: &Path, xsd: &Path, file: &str) {
    let arguments = ["--noout", "--nonet", "--schema", xsd.to_str().unwrap(), file];
    let Ok(o) = std::process::Command::new("xmllint").args(arguments).current_dir(dir).output() else {
        println!("skipped: xmllint is not there");
        return;
    };
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
}

fn warning(code: &str) -> (String, String) {
    (code.to_owned(), "warning".to_owned())
}

fn error(code: &str) -> (String, String) {
    (code.to_owned(), "error".to_owned())
}

const PLAIN: &str =
    "double f(int n, const double *x) {\n  double s = 0;\n  for (int i = 0; i < n; i++) s += x[i] * x[i];\n  return s;\n}\n";
/// A branch that no drawn number comes to.
const RARE: &str = "double f(double x, int n) {\n  double y = x * x;\n  if (n == 987654321)\n    y = y * x;\n  return y;\n}\n";
const ALL_RARE: &str = "void f(double x, int n, double *y) {\n  if (n == 987654321)\n    *y = *y * x;\n}\n";
/// The same where nothing else sets the output.
const NEVER: &str = "void f(double x, int n, double *y) {\n  if (n == 987654321)\n    *y = x * x;\n}\n";
const BENT: &str = "#include <math.h>\ndouble f(double x) {\n  return fabs(x) * 2;\n}\n";

#[test]
fn the_generated_file_says_what_was_certified() {
    let folder = folder(&[("f.c", PLAIN)]);
    let dir = folder.path();
    let (status, text, said) = told(dir, &["diff", "f.c", "-d", "-b", "--head", "f/(x)"]);
    assert_eq!((status, said), (0, vec![]));
    assert_eq!(text.matches("Certified by the interpreter at ").count(), 2, "{text}");
    let none = overbar_ok(dir, &["diff", "f.c", "-d", "-b", "--head", "f/(x)", "--certificate", "none"]);
    assert!(!none.contains("ertified"), "{none}");
    // Nothing but comments is different, and the same request gives the same bytes.
    let strip = |t: &str| t.replace("\n   Certified by the interpreter at 1 point.", "");
    assert_eq!(strip(&text), none);
    assert_eq!(text, overbar_ok(dir, &["diff", "f.c", "-d", "-b", "--head", "f/(x)"]));
}

#[test]
fn what_no_point_comes_to_is_told() {
    let folder = folder(&[("rare.c", RARE), ("all.c", ALL_RARE), ("never.c", NEVER), ("at.json", r#"{"args":{"x":1.5,"n":987654321}}"#)]);
    let dir = folder.path();
    let rare = ["diff", "rare.c", "-b", "--head", "f/(x)"];
    let (status, text, said) = told(dir, &rare);
    assert_eq!((status, said), (0, vec![warning("OB6082")]));
    assert!(text.contains("not certified: line 4, to which no point comes"), "{text}");
    let (status, text, said) = told(dir, &[&rare[..], &["--require-certificate"]].concat());
    assert_eq!((status, text.as_str(), said), (1, "", vec![error("OB6082")]));
    // A given point comes there.
    let (status, text, said) = told(dir, &[&rare[..], &["--input", "at.json", "--require-certificate"]].concat());
    assert_eq!((status, said), (0, vec![]));
    assert!(text.contains("Certified by the interpreter at the point that was given."), "{text}");
    // Nothing that has a derivative is reached at all: no pass for anybody.
    let (status, text, said) = told(dir, &["diff", "all.c", "-d", "--head", "f(y)/(x,y)"]);
    assert_eq!((status, said), (0, vec![warning("OB6082")]));
    assert!(text.contains("Not certified: no point was found that comes to line 3."), "{text}");
    let (status, text, said) = told(dir, &["diff", "never.c", "-b", "--head", "f(y)/(x)"]);
    assert_eq!((status, said), (0, vec![warning("OB6082")]));
    assert!(text.contains("Not certified: no point was found that comes to line 3."), "{text}");
    let o = overbar(dir, &["verify", "all.c", "--head", "f(y)/(x,y)", "--run", "interpreter", "--format", "json"]);
    let certificate: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!((o.status.code(), &certificate["heads"][0]["verdict"]), (Some(1), &json!("not-reached")));
    let o = overbar(dir, &["verify", "all.c", "--head", "f(y)/(x,y)", "--run", "interpreter", "--format", "xml"]);
    std::fs::write(dir.join("certificate.xml"), &o.stdout).unwrap();
    let xsd = root().join("schema/xsd/certificate.xsd");
    valid(dir, &xsd, "certificate.xml");
}

#[test]
fn kinks_are_told() {
    let folder = folder(&[("bent.c", BENT), ("at.json", r#"{"args":{"x":0}}"#)]);
    let dir = folder.path();
    let bent = ["diff", "bent.c", "-d", "-b", "--head", "f/(x)", "--input", "at.json"];
    let (status, text, said) = told(dir, &bent);
    assert_eq!((status, said), (0, vec![warning("OB6081")]));
    assert!(text.contains("where it is not smooth (line 3)"), "{text}");
    let (status, text, said) = told(dir, &[&bent[..], &["--require-certificate"]].concat());
    assert_eq!((status, text.as_str(), said), (1, "", vec![error("OB6081")]));
    // Beside it nothing is to be told.
    let (status, _, said) = told(dir, &bent[..6]);
    assert_eq!((status, said), (0, vec![]));
}

#[test]
fn what_cannot_be_certified_is_written_with_the_reason() {
    let folder = folder(&[("f.c", PLAIN), ("bad.json", r#"{"args":{"n":2}}"#)]);
    let dir = folder.path();
    let (status, text, said) = told(dir, &["diff", "f.c", "-b", "--head", "f/(x)", "--certify-budget", "300"]);
    assert_eq!((status, said), (0, vec![warning("OB6083")]));
    assert!(text.contains("Not certified: the budget is used up"), "{text}");
    let (status, text, said) = told(dir, &["diff", "f.c", "-b", "--head", "f/(x)", "--certify-budget", "300", "--require-certificate"]);
    assert_eq!((status, text.as_str(), said), (1, "", vec![error("OB6083")]));
    // A point that is given is not left aside.
    let (status, text, said) = told(dir, &["diff", "f.c", "-b", "--head", "f/(x)", "--input", "bad.json"]);
    assert_eq!((status, text.as_str(), said), (1, "", vec![error("OB6083")]));
}

#[test]
fn the_pipe_carries_the_verdict() {
    for (name, text, language, word) in [("f.c", PLAIN, "c", "pass"), ("rare.c", RARE, "c", "not-reached")] {
        let folder = folder(&[(name, text)]);
        let dir = folder.path();
        let head = "f/(x)";
        let direct = overbar(dir, &["diff", name, "-d", "-b", "--head", head]).stdout;
        overbar_ok(dir, &["frontend", language, name, "--head", head, "-o", "f.xaif"]);
        let boosted = overbar(dir, &["boost", "f.xaif", "-d", "-b"]).stdout;
        std::fs::write(dir.join("b.xaif"), &boosted).unwrap();
        overbar_ok(dir, &["validate", "b.xaif"]);
        let document = String::from_utf8(boosted).unwrap();
        assert_eq!(document.matches(&format!("ob:certificate=\"{word}\"")).count(), 2);
        let program = xaif::read::read("b.xaif", document.as_bytes(), &Default::default()).unwrap().0;
        let standing = if word == "pass" { Standing::Pass } else { Standing::NotReached };
        assert_eq!(program.units.iter().filter(|u| u.standing == Some(standing)).count(), 2);
        let printed = overbar(dir, &["backend", language, "b.xaif"]).stdout;
        assert_eq!(String::from_utf8(printed).unwrap(), String::from_utf8(direct).unwrap());
    }
}

#[test]
fn a_stock_document_stays_one() {
    let folder = folder(&[("f.c", PLAIN)]);
    let dir = folder.path();
    overbar_ok(dir, &["frontend", "c", "f.c", "--head", "f/(x)", "-o", "f.xaif"]);
    let plain = overbar(dir, &["boost", "f.xaif", "-b", "--dialect", "openad", "--certificate", "none"]);
    let certified = overbar(dir, &["boost", "f.xaif", "-b", "--dialect", "openad"]);
    assert_eq!((plain.status.code(), plain.stdout.is_empty()), (certified.status.code(), certified.stdout.is_empty()));
    assert_eq!(String::from_utf8_lossy(&plain.stdout), String::from_utf8_lossy(&certified.stdout));
}

#[test]
fn batches_and_services_tell_the_verdict() {
    let folder = folder(&[]);
    let dir = folder.path();
    std::fs::create_dir(dir.join("in")).unwrap();
    std::fs::write(dir.join("in/a.c"), PLAIN).unwrap();
    std::fs::write(dir.join("in/b.c"), RARE).unwrap();
    overbar_ok(dir, &["batch", "in", "-o", "out", "-b", "--verify"]);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(dir.join("out/overbar-batch/report.json")).unwrap()).unwrap();
    let verdicts: Vec<&str> = report["items"].as_array().unwrap().iter().map(|i| i["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["pass", "not-reached"]);
    let xsd = root().join("schema/xsd/batch.xsd");
    valid(dir, &xsd, "out/overbar-batch/report.xml");
    let certificate: Value =
        serde_json::from_str(&std::fs::read_to_string(dir.join("out/overbar-batch/certificates/b.c.json")).unwrap()).unwrap();
    assert_eq!(certificate["heads"][0]["unreached"].as_array().unwrap().len(), 1);
    let o = overbar(dir, &["batch", "in", "-o", "strict", "-b", "--keep-going", "--require-certificate"]);
    assert!(o.status.code() == Some(1) && dir.join("strict/a.c").exists() && !dir.join("strict/b.c").exists());
    let none = overbar(dir, &["batch", "in", "-o", "none", "-b", "--certificate", "none"]);
    assert!(none.status.success() && !std::fs::read_to_string(dir.join("none/a.c")).unwrap().contains("ertified"));

    let request = |certificate: &str| {
        let options = json!({ "mode": "adjoint", "head": ["f/(x)"], "certificate": certificate });
        json!({ "command": "diff", "options": options, "files": [{ "name": "f.c", "text": RARE }] }).to_string()
    };
    let lines = [request("interpreter"), request("none"), request("both")].join("\n");
    let o = overbar_with_input(dir, &["serve", "--stdio", "--workers", "1"], lines.as_bytes());
    let answers: Vec<Value> = String::from_utf8(o.stdout).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!((&answers[0]["verdict"], &answers[0]["diagnostics"][0]["code"]), (&json!("not-reached"), &json!("OB6082")));
    assert_eq!((&answers[1]["outcome"], &answers[1]["verdict"]), (&json!("done"), &Value::Null));
    assert_eq!(answers[2]["outcome"], json!("misused"));
}

#[test]
fn compiled_code_can_be_asked_for() {
    let folder = folder(&[("f.c", PLAIN)]);
    let dir = folder.path();
    for modes in [&["-d", "-b"][..], &["-b"], &["-d"]] {
        let (status, text, said) = told(dir, &[&["diff", "f.c", "--head", "f/(x)", "--certificate", "both"], modes].concat());
        assert_eq!((status, said), (0, vec![]), "{modes:?}");
        assert_eq!(text.matches("Certified by the interpreter and compiled").count(), modes.len(), "{text}");
    }
}

fn parsed(text: &str) -> Program {
    let source = overbar_c::parse::SourceText { file: "f.c", text };
    overbar_c::parse(&[source], &Default::default()).unwrap().0
}

/// The report of a program that has been made, after something was done to it.
fn report(text: &str, options: &Options, values: Option<Values<f64>>, harm: impl Fn(&mut Program)) -> Report {
    let program = parsed(text);
    let original = program.clone();
    let mut boosted = boost(program, options).unwrap().program;
    assert_ne!(boosted.dialect, Dialect::Openad);
    harm(&mut boosted);
    let made = Made { options, values, seed: 1, budget: made::BUDGET, zero_start: false, workshop: None };
    certify(&original, &boosted, &options.heads, &made).remove(0)
}

/// Takes the assignments of a derivative unit's variable away.
fn without(program: &mut Program, mode: Mode, variable: &str) {
    let id = program.unit_ids().find(|&u| program.unit(u).derivation.is_some_and(|d| d.mode == mode)).unwrap();
    let names: Vec<String> = program.symbols.iter().map(|s| s.name.to_string()).collect();
    let graph = &mut program.units[id.index()].graph;
    let mut taken = 0;
    for v in graph.node_indices().collect::<Vec<_>>() {
        if let VertexKind::Block { stmts, .. } = &mut graph[v].kind {
            let before = stmts.len();
            stmts.retain(|s| !matches!(&s.kind, StmtKind::Assignment { lhs, .. } if names[lhs.symbol.index()] == variable));
            taken += before - stmts.len();
        }
    }
    assert!(taken > 0, "{variable}");
}

#[test]
fn what_is_wrong_is_refused_with_its_statement() {
    let text = "void f(double x[3], double y[3]) {\n  y[0] = x[0] * x[1];\n  y[1] = x[1] * 3;\n  y[2] = x[2] + y[0];\n}\n";
    let head = overbar::heads::parse_head("f(y)/(x)").unwrap();
    for (tangent, adjoint) in [(true, true), (true, false), (false, true)] {
        let options = Options { tangent, adjoint, heads: vec![head.clone()], ..Options::default() };
        assert_eq!(report(text, &options, None, |_| {}).verdict, Verdict::Pass);
        for (mode, variable) in [(Mode::Tangent, "yd"), (Mode::Adjoint, "xb"), (Mode::Adjoint, "yb")] {
            if !(if mode == Mode::Tangent { tangent } else { adjoint }) {
                continue;
            }
            let found = report(text, &options, None, |p| without(p, mode, variable));
            assert_eq!(found.verdict, Verdict::Wrong, "{mode:?} {variable}");
            let said = standing::diagnostics(&found, false);
            assert_eq!((said.len(), said[0].code, said[0].severity), (1, "OB0146", Severity::Error));
            assert!(said[0].reason.as_deref().unwrap().contains("{\"args\":"), "{said:?}");
        }
    }
}

#[test]
fn inputs_beyond_those_that_are_taken_one_by_one_are_compared_too() {
    let text =
        "double f(const double x[200]) {\n  double s = 0;\n  for (int i = 0; i < 200; i++) s += x[i] * x[i];\n  return s + x[190];\n}\n";
    let options = Options { adjoint: true, heads: vec![overbar::heads::parse_head("f/(x)").unwrap()], ..Options::default() };
    assert_eq!(report(text, &options, None, |_| {}).verdict, Verdict::Pass);
    // The last term alone is lost.
    let harm = |p: &mut Program| {
        let id = p.unit_ids().find(|&u| p.unit(u).derivation.is_some()).unwrap();
        let graph = &mut p.units[id.index()].graph;
        let mut taken = 0;
        for v in graph.node_indices().collect::<Vec<_>>() {
            if let VertexKind::Block { stmts, .. } = &mut graph[v].kind {
                let before = stmts.len();
                let last = |lhs: &VarRef| lhs.subscripts.iter().any(|t| t.index.as_ref().and_then(|e| e.as_int()) == Some(190));
                stmts.retain(|s| !matches!(&s.kind, StmtKind::Assignment { lhs, .. } if last(lhs)));
                taken += before - stmts.len();
            }
        }
        assert_eq!(taken, 1);
    };
    assert_eq!(report(text, &options, None, harm).verdict, Verdict::Wrong);
}

/// Notes what it is given to compile.
#[derive(Default)]
struct Given(RefCell<Vec<(*const Program, Vec<Mode>)>>);

impl Workshop for Given {
    fn build<'a>(&'a self, layout: Layout<'a>) -> Result<Built<'a>, Diagnostic> {
        self.0.borrow_mut().push((layout.boosted, layout.modes().map(|m| m.0).collect()));
        Ok(Built::default())
    }
}

#[test]
fn what_is_compiled_is_what_is_written() {
    let text = "double half(double x) { return x * x / 2; }\ndouble f(double x, double p) { return half(x) * p; }\n";
    let heads: Vec<_> = ["f/(x)", "half/(x)"].iter().map(|h| overbar::heads::parse_head(h).unwrap()).collect();
    for (tangent, adjoint) in [(true, true), (true, false), (false, true)] {
        let options = Options { tangent, adjoint, heads: heads.clone(), ..Options::default() };
        let original = parsed(text);
        let boosted = boost(original.clone(), &options).unwrap().program;
        let given = Given::default();
        let made = Made { options: &options, values: None, seed: 1, budget: made::BUDGET, zero_start: false, workshop: Some(&given) };
        let reports = certify(&original, &boosted, &heads, &made);
        assert!(reports.iter().all(|r| r.verdict == Verdict::Pass), "{reports:?}");
        let asked: Vec<Mode> = [(Mode::Tangent, tangent), (Mode::Adjoint, adjoint)].iter().filter(|m| m.1).map(|m| m.0).collect();
        let seen = given.0.into_inner();
        assert_eq!(seen.len(), heads.len());
        assert!(seen.iter().all(|(program, modes)| std::ptr::eq(*program, &boosted) && *modes == asked), "{tangent} {adjoint}");
    }
}
