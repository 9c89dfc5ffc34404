//! What each option of `boost` does in both dialects: it changes what comes out, or is refused with a code. `docs/dialects.md` has the table that comes of it.

use crate::common;

use common::{overbar, overbar_ok, root};
use std::collections::BTreeSet;
use std::path::Path;

const PROGRAM: &str = "subroutine inner(a, b)
  double precision, intent(in) :: a
  double precision, intent(out) :: b
  b = a*sin(a)*exp(a)
end subroutine
subroutine f(n, x, y, z)
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: y, z
  double precision :: t
  integer :: i
  y = 1
  do i = 1, n
    call inner(x(i), t)
    y = y + t*sin(y)*cos(y*t)
  end do
  z = x(1)*x(2)
end subroutine
";

/// A call of what is not there.
const OUTSIDE: &str = "subroutine g(x, y)
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  double precision, external :: foreign
  y = foreign(x)*x
end subroutine
";

const RULES: &str = "[[unit]]
name = \"foreign\"
arguments = [{ name = \"x\", access = \"read\", derivative = true }]
result = { name = \"value\", derivative = true }
adjoint = { unit = \"foreign_b\", arguments = [\"x\", \"bar(x)\", \"bar(value)\"] }
";

/// The sine under another name.
const CATALOGUE: &str = r#"<xaifii:InlinableIntrinsicDefinitions xmlns:xaifii="http://www.mcs.anl.gov/XAIFInlinableIntrinsics"
    xmlns:xaif="http://www.mcs.anl.gov/XAIF" language="F90">
  <xaifii:InlinableIntrinsic name="own_sine" nr_arguments="1">
    <xaifii:Function type="builtin" builtin_name="own_sine"/>
    <xaifii:Partial partial_id="1"><xaif:Intrinsic vertex_id="1" name="cos_scal"/><xaifii:ArgumentReference vertex_id="2" argument="1"/>
      <xaif:ExpressionEdge edge_id="1" source="2" target="1" position="1"/></xaifii:Partial>
  </xaifii:InlinableIntrinsic>
</xaifii:InlinableIntrinsicDefinitions>
"#;

/// How an option is seen to work.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    /// Something else is written or said than without it.
    Yes,
    /// It changes what is checked or how long something is sought, not what comes out of this program.
    No,
}

/// The option, the line without it, what it adds, and how it is seen to work.
type Row = (&'static str, &'static [&'static str], &'static [&'static str], Seen);

const ROWS: &[Row] = &[
    ("tangent", &[], &["-d", "f.xaif"], Seen::Yes),
    ("adjoint", &[], &["-b", "f.xaif"], Seen::Yes),
    ("vector", &["-b", "f.xaif"], &["--vector"], Seen::Yes),
    ("head", &["-b", "f.xaif"], &["--head", "f(z)/(x)"], Seen::Yes),
    ("extent", &["-b", "f.xaif"], &["--extent", "x=n"], Seen::No),
    ("range", &["-b", "f.xaif"], &["--range", "x=1:2"], Seen::No),
    ("zero-init", &["-b", "f.xaif"], &["--zero-init"], Seen::Yes),
    ("with-values", &["-b", "f.xaif"], &["--with-values"], Seen::Yes),
    ("may-overlap", &["-b", "f.xaif"], &["--may-overlap"], Seen::Yes),
    ("reversal", &["-b", "f.xaif"], &["--reversal", "split"], Seen::Yes),
    ("rules", &["-b", "g.xaif", "--certificate", "none"], &["--rules", "rules.toml"], Seen::Yes),
    ("catalogue", &["-b", "u.xaif", "--certificate", "none"], &["--catalogue", "own.xml"], Seen::Yes),
    ("checkpoint", &["-b", "f.xaif"], &["--checkpoint", "f:13=2"], Seen::Yes),
    ("preaccumulate", &["-b", "f.xaif"], &["--preaccumulate", "always"], Seen::Yes),
    ("order", &["-b", "f.xaif"], &["--order", "forward"], Seen::No),
    ("search", &["-b", "f.xaif"], &["--search", "10moves"], Seen::No),
    ("inline", &["-b", "f.xaif"], &["--inline", "never"], Seen::No),
    ("explain", &["-b", "f.xaif"], &["--explain"], Seen::Yes),
    ("facts", &["-b", "f.xaif"], &["--facts", "beside"], Seen::Yes),
    ("stats", &["-b", "f.xaif"], &["--stats", "beside"], Seen::Yes),
    ("tangent-suffix", &["-d", "f.xaif"], &["--tangent-suffix", "_tl"], Seen::Yes),
    ("adjoint-suffix", &["-b", "f.xaif"], &["--adjoint-suffix", "_ad"], Seen::Yes),
    ("tangent-variable-suffix", &["-d", "f.xaif"], &["--tangent-variable-suffix", "_tl"], Seen::Yes),
    ("adjoint-variable-suffix", &["-b", "f.xaif"], &["--adjoint-variable-suffix", "_ad"], Seen::Yes),
    ("certificate", &["-b", "f.xaif"], &["--certificate", "both"], Seen::No),
    ("require-certificate", &["-b", "f.xaif"], &["--require-certificate"], Seen::No),
    ("certify-budget", &["-b", "f.xaif"], &["--certify-budget", "1"], Seen::Yes),
    ("input", &["-b", "f.xaif"], &["--input", "values.json"], Seen::No),
    ("cc", &["-b", "f.xaif", "--certificate", "both"], &["--cc", "cc"], Seen::No),
    ("fc", &["-b", "f.xaif", "--certificate", "both"], &["--fc", "gfortran"], Seen::No),
    ("annotate", &["f.xaif"], &["--annotate"], Seen::Yes),
    ("output", &["-b", "f.xaif"], &["--output", "beside"], Seen::Yes),
];

/// What belongs to every command, or chooses the dialect.
const OTHERS: [&str; 6] = ["message-format", "color", "quiet", "verbose", "dialect", "help"];

/// The program is in C: its certificate needs a C compiler, and its arguments could overlap.
const IN_C: [&str; 2] = ["cc", "may-overlap"];

fn folder() -> tempfile::TempDir {
    let at = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| std::fs::write(at.path().join(name), text).expect("written");
    put("f.f90", PROGRAM);
    put("g.f90", OUTSIDE);
    put("c.c", "void f(double x, double *y) {\n  *y = x * x;\n}\n");
    put("rules.toml", RULES);
    put("values.json", r#"{"args": {"n": 2, "x": [0.5, 0.75]}}"#);
    overbar_ok(at.path(), &["frontend", "fortran", "f.f90", "--head", "f(y)/(x)", "-o", "f.xaif"]);
    overbar_ok(at.path(), &["frontend", "fortran", "g.f90", "--head", "g(y)/(x)", "-o", "g.xaif"]);
    overbar_ok(at.path(), &["frontend", "c", "c.c", "--head", "f(y)/(x)", "-o", "c.xaif"]);
    // An intrinsic that nobody but the catalogue knows.
    let text = std::fs::read_to_string(at.path().join("f.xaif")).expect("a document");
    put("u.xaif", &text.replace("sin_scal", "own_sine"));
    put("own.xml", CATALOGUE);
    at
}

/// What a run leaves: exit code, both texts, and a file beside them.
fn run(at: &Path, dialect: &str, line: &[&str]) -> (Option<i32>, String, String, Option<Vec<u8>>) {
    let beside = at.join("beside");
    let _ = std::fs::remove_file(&beside);
    let o = overbar(at, &[&["boost", "--dialect", dialect], line].concat());
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    (o.status.code(), text(&o.stdout), text(&o.stderr), std::fs::read(beside).ok())
}

/// `yes`, or the code with which it is refused.
fn outcome(at: &Path, dialect: &str, (option, base, more, seen): Row) -> String {
    let base: Vec<&str> = base.iter().map(|w| if *w == "f.xaif" && IN_C.contains(&option) { "c.xaif" } else { w }).collect();
    let with = run(at, dialect, &[&base[..], more].concat());
    if with.0 != Some(0) {
        assert!(with.1.is_empty(), "{dialect} --{option} is refused and writes");
        let codes = common::codes(&with.2);
        return codes.first().unwrap_or_else(|| panic!("{dialect} --{option}: no code\n{}", with.2)).to_string();
    }
    let without = run(at, dialect, &base);
    assert!(seen == Seen::No || with != without, "{dialect} --{option} changes nothing, and nothing says so");
    "yes".into()
}

#[test]
fn options_work_or_are_refused_in_both_dialects() {
    let folder = folder();
    let help = overbar_ok(folder.path(), &["boost", "--help"]);
    let listed = help.lines().filter(|l| l.trim_start().starts_with('-')).filter_map(|l| l.split("--").nth(1));
    let listed: BTreeSet<&str> = listed.map(|l| l.split([' ', '[', '=']).next().unwrap_or_default()).collect();
    let known: BTreeSet<&str> = ROWS.iter().map(|r| r.0).chain(OTHERS).collect();
    assert_eq!(listed, known, "options without a row, or rows without an option");
    let mut table = String::from("| option | `overbar` | `openad` |\n|---|---|---|\n");
    for row in ROWS {
        let [own, stock] = ["overbar", "openad"].map(|d| outcome(folder.path(), d, *row));
        assert_eq!(own, "yes", "--{} in the overbar dialect", row.0);
        table += &format!("| `--{}` | {own} | {stock} |\n", row.0);
    }
    let page = std::fs::read_to_string(root().join("docs/dialects.md")).expect("docs/dialects.md");
    assert!(page.contains(&table), "docs/dialects.md should have this table:\n{table}");
}

/// What a catalogue says is the derivative: with the sine under its own name the same comes out.
#[test]
fn intrinsics_of_a_catalogue_have_derivatives() {
    let folder = folder();
    let at = folder.path();
    for (dialect, mode, seeds, read) in
        [("overbar", "-d", r#""x": [1, 0]"#, "y"), ("openad", "-d", r#""x": [1, 0]"#, "y"), ("openad", "-b", r#""y": 1"#, "x")]
    {
        let made = overbar_ok(at, &["boost", mode, "u.xaif", "--dialect", dialect, "--catalogue", "own.xml", "--certificate", "none"]);
        assert!(made.contains("own_sine") && made.contains("cos_scal"), "{dialect} {mode}");
        std::fs::write(at.join("own.xaif"), made.replace("own_sine", "sin_scal")).expect("written");
        overbar_ok(at, &["boost", mode, "f.xaif", "--dialect", dialect, "-o", "same.xaif"]);
        let unit = if dialect == "overbar" { "f_d" } else { "f" };
        let values = format!(r#"{{"args": {{"n": 2, "x": [0.5, 0.75]}}, "seeds": {{{seeds}}}}}"#);
        std::fs::write(at.join("point.json"), values).expect("written");
        let question: &[&str] = if mode == "-b" { &["--adjoint"] } else { &[] };
        let answer = |document: &str| overbar_ok(at, &[&["eval", document, "--unit", unit, "--input", "point.json"], question].concat());
        let (own, same) = (answer("own.xaif"), answer("same.xaif"));
        assert_eq!(own, same, "{dialect} {mode}: {read}");
        assert!(own.contains(read));
    }
}

/// Heads ask for the same whatever the flags of a document say.
#[test]
fn heads_win_over_flags() {
    let folder = folder();
    let at = folder.path();
    let values = r#"{"args": {"n": 2, "x": [0.5, 0.75]}, "seeds": {"x": [1, 0]}}"#;
    std::fs::write(at.join("v.json"), values).expect("written");
    // The flags of the output are those of the head y; the original's text is the same without its propagators.
    let made = overbar_ok(at, &["boost", "-d", "--dialect", "openad", "--preaccumulate", "never", "f.xaif"]);
    let mut flagged = made;
    while let Some(from) = flagged.find("<xaif:DerivativePropagator") {
        let end = "</xaif:DerivativePropagator>";
        let to = flagged[from..].find(end).map_or(flagged.len(), |t| from + t + end.len());
        flagged.replace_range(from..to, "");
    }
    std::fs::write(at.join("flagged.xaif"), flagged).expect("written");
    let slope = |arguments: &[&str], of: &str| -> Option<f64> {
        overbar_ok(at, &[&["boost", "-d", "flagged.xaif", "-o", "d.xaif"], arguments].concat());
        let answer = overbar_ok(at, &["eval", "d.xaif", "--unit", "f", "--input", "v.json"]);
        let told: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
        told.pointer(&format!("/derivatives/{of}")).and_then(serde_json::Value::as_f64)
    };
    // z = x(1)*x(2) is not active by the flags.
    assert_eq!(slope(&[], "z").unwrap_or(0.0), 0.0);
    let value = |first: f64| {
        [first, 0.75].into_iter().fold(1.0f64, |y, x| {
            let t = x * x.sin() * x.exp();
            y + t * y.sin() * (y * t).cos()
        })
    };
    let difference = (value(0.5 + 1e-6) - value(0.5 - 1e-6)) / 2e-6;
    assert!(slope(&[], "y").is_some_and(|y| (y - difference).abs() < 1e-8));
    assert_eq!(slope(&["--head", "f(z)/(x)"], "z"), Some(0.75));
    assert_eq!(slope(&["--head", "f(z)/(x)"], "y").unwrap_or(0.0), 0.0);
    let lost = overbar(at, &["boost", "-d", "flagged.xaif", "--head", "f(w)/(x)"]);
    assert!(!lost.status.success() && lost.stdout.is_empty(), "a head that is not there");
}

/// `eval` runs the derivatives that a stock document has.
#[test]
fn stock_derivatives_are_run_as_they_stand() {
    let folder = folder();
    let at = folder.path();
    overbar_ok(at, &["boost", "-d", "--dialect", "openad", "f.xaif", "-o", "d.xaif"]);
    overbar_ok(at, &["boost", "-b", "--dialect", "openad", "f.xaif", "-o", "b.xaif"]);
    std::fs::write(at.join("d.json"), r#"{"args": {"n": 2, "x": [0.5, 0.75]}, "seeds": {"x": [1, 0]}}"#).expect("written");
    std::fs::write(at.join("b.json"), r#"{"args": {"n": 2, "x": [0.5, 0.75]}, "seeds": {"y": 1}}"#).expect("written");
    let told = |document: &str, question: &str, values: &str, what: &str| -> Option<f64> {
        let answer = overbar_ok(at, &["eval", document, "--unit", "f", question, "--input", values]);
        let told: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
        told.pointer(what).and_then(serde_json::Value::as_f64)
    };
    let exact = told("f.xaif", "--tangent", "d.json", "/derivatives/y").expect("a slope");
    let close = |found: Option<f64>| found.is_some_and(|f| (f - exact).abs() < 1e-12 * exact.abs().max(1.0));
    assert!(close(told("d.xaif", "--tangent", "d.json", "/derivatives/y")));
    assert!(close(told("b.xaif", "--adjoint", "b.json", "/derivatives/x/0")));
    // z is not active there: the slope that dual numbers have is not that of the document.
    assert_eq!(told("f.xaif", "--tangent", "d.json", "/derivatives/z"), Some(0.75));
    assert_eq!(told("d.xaif", "--tangent", "d.json", "/derivatives/z").unwrap_or(0.0), 0.0);
}
