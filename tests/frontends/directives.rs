//! Directives in C, free-form and fixed-form Fortran: what they ask for happens, what they promise is checked, what is not known is refused.

use crate::common;

use common::{STRICT_C, STRICT_FORTRAN, overbar, overbar_ok, runtime, silently};
use overbar::verify::{Request, Verdict, verify};
use overbar::{Options, boost};
use std::path::Path;
use xaif::model::{CallReversal, Head, StmtKind, SymbolId};
use xaif::{Diagnostic, Program};

type Read = Result<Program, Vec<Diagnostic>>;

/// The same with what was said of it.
type Told = Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>>;

fn c(text: &str) -> Read {
    told_c(text).map(|p| p.0)
}

fn free(text: &str) -> Read {
    told_free(text).map(|p| p.0)
}

fn fixed(text: &str) -> Read {
    told_fixed(text).map(|p| p.0)
}

fn told_c(text: &str) -> Told {
    let source = overbar_c::parse::SourceText { file: "t.c", text };
    overbar_c::parse(&[source], &overbar_c::ParseOptions { preprocess: true, ..Default::default() })
}

fn told_free(text: &str) -> Told {
    let source = overbar_fortran::parse::SourceText { file: "t.f90", text };
    overbar_fortran::parse(&[source], &overbar_fortran::ParseOptions::default())
}

fn told_fixed(text: &str) -> Told {
    let source = overbar_fortran::parse::SourceText { file: "t.f", text };
    overbar_fortran::parse(&[source], &overbar_fortran::ParseOptions { fixed_form: true, ..Default::default() })
}

/// The same program in three forms; `{head}`, `{side}`, `{loop}` and `{call}` are lines of their own.
fn forms(head: &str, side: &str, before_loop: &str, call: &str) -> [(&'static str, Read); 3] {
    let pragma = |d: &str| if d.is_empty() { String::new() } else { format!("#pragma {d}\n") };
    let bang = |d: &str| if d.is_empty() { String::new() } else { format!("  !${d}\n") };
    let column = |d: &str| if d.is_empty() { String::new() } else { format!("c${d}\n") };
    let in_c = format!(
        "#include <math.h>\nvoid step(int n, double z[n]) {{\n  for (int i = 0; i < n; i++)\n    z[i] = z[i] * z[i];\n}}\n\
         {}void f(int n, const int p[restrict n], const double x[restrict n], double y[restrict 1], double w[restrict n]) {{\n{}  double s = 0;\n{}  for (int i = 0; i < n; i++) {{\n    \
         int k = p[i], m = p[i];\n    double t = x[i] * x[i];\n    w[k] = t * t + x[i];\n    s += w[m] * w[m] * t;\n  }}\n{}  step(n, w);\n  y[0] = s * s + w[0] * w[n - 1];\n}}\n",
        pragma(head),
        pragma(side),
        pragma(before_loop),
        pragma(call)
    );
    let body = |d: &dyn Fn(&str) -> String, margin: &str| {
        let lines = String::from(
            "subroutine step(n, z)\nimplicit none\ninteger, intent(in) :: n\ninteger :: i\ndouble precision, intent(inout) :: z(n)\n\
             do i = 1, n\nz(i) = z(i)*z(i)\nend do\nend subroutine\n\
             @HEAD\nsubroutine f(n, p, x, y, w)\nimplicit none\ninteger, intent(in) :: n, p(n)\ninteger :: i, k, m\n\
             double precision, intent(in) :: x(n)\ndouble precision, intent(inout) :: y(1), w(n)\n@SIDE\ndouble precision :: s, t\ns = 0\n\
             @LOOP\ndo i = 1, n\nk = p(i)\nm = p(i)\nt = x(i)*x(i)\nw(k) = t*t + x(i)\ns = s + w(m)*w(m)*t\nend do\n@CALL\ncall step(n, w)\n\
             y(1) = s*s + w(1)*w(n)\nend subroutine\n",
        );
        let mut out = String::new();
        for l in lines.lines() {
            match l {
                "@HEAD" => out.push_str(&d(head)),
                "@SIDE" => out.push_str(&d(side)),
                "@LOOP" => out.push_str(&d(before_loop)),
                "@CALL" => out.push_str(&d(call)),
                l => out.push_str(&format!("{margin}{l}\n")),
            }
        }
        out
    };
    let (in_free, in_fixed) = (body(&bang, ""), body(&column, "      "));
    [("c", c(&in_c)), ("free", free(&in_free)), ("fixed", fixed(&in_fixed))]
}

const POINT: &str = r#"{"args":{"n":3,"p":[2,0,1],"x":[0.5,0.75,1.25],"w":[0,0,0],"y":[0]}}"#;

/// Checks the program's own heads at a point where `p` is a permutation.
fn certify(name: &str, p: &Program) -> overbar::verify::Report {
    let text = if name == "c" { POINT.to_owned() } else { POINT.replace("[2,0,1]", "[3,1,2]") };
    certify_at(&text, name, p)
}

fn certify_at(point: &str, name: &str, p: &Program) -> overbar::verify::Report {
    let values = overbar::evaluate::json::request(point, p.index_order).unwrap().inputs.values;
    let request = Request {
        head: p.heads[0].clone(),
        values: Some(values),
        seed: 1,
        options: Options::default(),
        limits: Default::default(),
        interpret: true,
        workshop: None,
    };
    verify(p, &request).unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

/// How often values are pushed in the adjoint of `f`.
fn pushes(p: &Program) -> usize {
    let made = boost(p.clone(), &Options { adjoint: true, ..Options::default() }).unwrap_or_else(|e| panic!("{e:?}")).program;
    let unit = made.unit(made.unit_named("f_b").unwrap());
    let stmts = unit.graph.node_weights().flat_map(|v| v.stmts());
    let recorded = |s: SymbolId| made.symbol(s).has_attribute("recorded");
    stmts
        .filter(|s| match &s.kind {
            StmtKind::Runtime { name, .. } => name == "push",
            StmtKind::Assignment { lhs, .. } => recorded(lhs.symbol),
            _ => false,
        })
        .count()
}

fn head() -> Head {
    Head { unit: "f".into(), dependents: Some(vec!["y".into()]), independents: Some(vec!["x".into()]) }
}

#[test]
fn heads_and_their_sides_are_heard_in_every_form() {
    for (name, read) in forms("overbar head f(y)/(x)", "", "", "") {
        assert_eq!(read.as_ref().unwrap().heads, [head()], "{name}");
        assert_eq!(certify(name, &read.unwrap()).verdict, Verdict::Pass, "{name}");
    }
    for side in ["overbar dependent y", "openad DEPENDENT(y)"] {
        for (name, read) in forms("", side, "", "") {
            let p = read.unwrap();
            assert_eq!(p.heads, [Head { independents: None, ..head() }], "{name}");
        }
    }
    for (name, read) in forms("overbar head f(y)/(x)", "openad INDEPENDENT(x)", "", "") {
        assert_eq!(read.unwrap_err()[0].code, "OB1074", "{name}");
    }
}

#[test]
fn a_kept_promise_saves_records_and_the_derivative_stays_right() {
    for promise in ["overbar parallel", "AD II-LOOP"] {
        let plain = forms("overbar head f(y)/(x)", "", "", "");
        for ((name, with), (_, without)) in forms("overbar head f(y)/(x)", "", promise, "").into_iter().zip(plain) {
            let (with, without) = (with.unwrap(), without.unwrap());
            assert!(pushes(&with) < pushes(&without), "{name}: {} and {}", pushes(&with), pushes(&without));
            let report = certify(name, &with);
            assert_eq!(report.verdict, Verdict::Pass, "{name}: {report:?}");
            assert!(report.checks.iter().any(|c| c.name == "parallel loops" && c.passed && c.compared > 0), "{name}");
        }
    }
    for (name, read) in forms("overbar head f(y)/(x)", "", "openad xxx simple loop", "") {
        let p = read.unwrap();
        assert!(p.units.iter().any(|u| u.graph.node_weights().any(|v| matches!(&v.kind, xaif::model::VertexKind::For(f) if f.explicit))));
        assert_eq!(certify(name, &p).verdict, Verdict::Pass, "{name}");
    }
}

#[test]
fn a_broken_promise_is_found_and_the_loop_named() {
    // A product, a recurrence, and an element that a later iteration sets.
    for (body, at) in [
        ("r = r * x[i];", 4),
        ("if (i > 0) x[i] = x[i] * x[i - 1];", 4),
        ("r += x[i]; if (i > 0) x[0] = r;", 4),
        ("r += sin(r) * x[i];", 4),
    ] {
        let text = format!(
            "#include <math.h>\n#pragma overbar head f(y)/(x)\nvoid f(int n, double x[n], double y[1]) {{ double r = 1;\n\
             #pragma overbar parallel\n  for (int i = 0; i < n; i++) {{ {body} }}\n  y[0] = r * x[n - 1];\n}}\n"
        );
        let p = c(&text).unwrap();
        let report = certify_at(r#"{"args":{"n":3,"x":[0.5,0.75,1.25],"y":[0]}}"#, body, &p);
        assert_eq!(report.verdict, Verdict::Wrong, "{body}");
        let blame = report.blame.unwrap();
        assert_eq!(blame.location.map(|l| l.line), Some(at + 1), "{body}");
        assert!(blame.message.contains("directive"), "{body}: {}", blame.message);
    }
    // The same in a run of the binary: exit code and name of the loop.
    let at = tempfile::tempdir().unwrap();
    let text = "subroutine f(n, x, y)\n  integer, intent(in) :: n\n  double precision, intent(in) :: x(n)\n  double precision, intent(out) :: y\n  integer :: i\n  !$overbar head f(y)/(x)\n  y = 1\n  !$overbar parallel\n  do i = 1, n\n    y = y*x(i)\n  end do\nend subroutine\n";
    std::fs::write(at.path().join("f.f90"), text).unwrap();
    let o = overbar(at.path(), &["verify", "f.f90", "--run", "interpreter"]);
    let out = String::from_utf8_lossy(&o.stdout);
    assert!(!o.status.success() && out.contains("wrong") && out.contains("f.f90:9"), "{out}{}", String::from_utf8_lossy(&o.stderr));
}

#[test]
fn calls_are_reversed_as_asked() {
    for call in ["overbar reversal split", "AD NOCHECKPOINT"] {
        for (name, read) in forms("overbar head f(y)/(x)", "", "", call) {
            let p = read.unwrap();
            let made = boost(p.clone(), &Options { adjoint: true, ..Options::default() }).unwrap().program;
            assert!(made.unit_named("step_bwd").is_some() && made.unit_named("step_b").is_none(), "{name}");
            assert_eq!(certify(name, &p).verdict, Verdict::Pass, "{name}");
        }
    }
    // Of two calls one each way, against what the whole request says.
    let text = "void g(int n, double z[n]) { for (int i = 0; i < n; i++) z[i] = z[i] * z[i]; }\n#pragma overbar head f(y)/(x)\n\
                void f(int n, double x[n], double y[1]) {\n  double w[3];\n  for (int i = 0; i < 3; i++) w[i] = x[i];\n\
                #pragma overbar reversal split\n  g(3, w);\n#pragma overbar reversal joint\n  g(3, w);\n  y[0] = w[0] + w[1] * w[2];\n}\n";
    let p = c(text).unwrap();
    for reversal in [overbar::transform::Reversal::Joint, overbar::transform::Reversal::Split, overbar::transform::Reversal::Auto] {
        let options = Options { adjoint: true, reversal, ..Options::default() };
        let made = boost(p.clone(), &options).unwrap().program;
        assert!(made.unit_named("g_bwd").is_some() && made.unit_named("g_b").is_some());
        let values =
            overbar::evaluate::json::request(r#"{"args":{"n":3,"x":[0.5,0.75,1.25],"y":[0]}}"#, p.index_order).unwrap().inputs.values;
        let request = Request {
            head: p.heads[0].clone(),
            values: Some(values),
            seed: 1,
            options,
            limits: Default::default(),
            interpret: true,
            workshop: None,
        };
        assert_eq!(verify(&p, &request).unwrap().verdict, Verdict::Pass);
    }
    let before_unit = text.replace("#pragma overbar reversal split\n  g", "  g").replace("#pragma overbar reversal joint\n  g", "  g");
    let p = c(&format!("#pragma overbar reversal split\n{before_unit}")).unwrap();
    assert_eq!(p.unit(p.unit_named("g").unwrap()).reversal, Some(CallReversal::Split));
    let made = boost(p, &Options { adjoint: true, ..Options::default() }).unwrap().program;
    assert!(made.unit_named("g_bwd").is_some() && made.unit_named("g_b").is_none());
}

#[test]
fn what_is_not_known_not_built_or_misplaced_is_refused_with_its_place() {
    for (line, code) in [
        ("overbar paralel", "OB1070"),
        ("AD II-LOPO", "OB1070"),
        ("openad indepndent(x)", "OB1070"),
        ("openad xxx simpel loop", "OB1070"),
        ("overbar reversal both", "OB1071"),
        ("overbar parallel", "OB1072"),
        ("overbar reversal split", "OB1072"),
        ("overbar head nothing(y)/(x)", "OB1072"),
        ("overbar checkpoint 10", "OB1072"),
        ("overbar checkpoint some", "OB1071"),
    ] {
        let in_c = format!("void f(double x, double y[1]) {{\n#pragma {line}\n  y[0] = x * x;\n}}\n");
        let in_free = format!("subroutine f(x, y)\n!${line}\n  y = x*x\nend subroutine\n");
        let in_fixed = format!("      subroutine f(x, y)\nc${line}\n      y = x*x\n      end\n");
        for (name, read) in [("c", c(&in_c)), ("free", free(&in_free)), ("fixed", fixed(&in_fixed))] {
            let Err(found) = read else { panic!("{name}: {line} is accepted") };
            assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [code], "{name}: {line}: {found:?}");
            assert!(found[0].location.as_ref().is_some_and(|l| l.line == 2) && found[0].help.is_some(), "{name}: {line}: {found:?}");
        }
    }
    // What other tools are told changes nothing here: a warning, once for each.
    for (line, code) in [
        ("AD DO-NOT-DIFF", "OB1070"),
        ("AD start-exclude", "OB1070"),
        ("OPENAD XXX Template t.f", "OB1070"),
        ("openad\txxx\tfile_start", "OB1070"),
        ("openad xxx simple loop", "OB1072"),
        ("AD II-LOOP", "OB1072"),
        ("AD NOCHECKPOINT", "OB1072"),
        ("AD BINOMIAL-CKP n+1 20 1", "OB1072"),
        ("AD BINOMIAL-CKP n+1 m 1", "OB1071"),
        ("AD CHECKPOINT-START", "OB1073"),
    ] {
        let in_c = format!("void f(double x, double y[1]) {{\n#pragma {line}\n  y[0] = x * x;\n#pragma {line}\n  y[0] += 1;\n}}\n");
        let in_comments = in_c.replace("#pragma ", "//$");
        let in_free = format!("!${line}\nsubroutine f(x, y)\n  y = x*x\n  !${line}\n  y = y + 1\nend subroutine\n");
        let in_fixed =
            |sign: &str| format!("{sign}${line}\n      subroutine f(x, y)\n      y = x*x\n{sign}${line}\n\ty = y + 1\n      end\n");
        let all = [
            ("c", told_c(&in_c)),
            ("comments", told_c(&in_comments)),
            ("free", told_free(&in_free)),
            ("small", told_fixed(&in_fixed("c"))),
            ("great", told_fixed(&in_fixed("C"))),
            ("star", told_fixed(&in_fixed("*"))),
        ];
        for (name, read) in all {
            let (program, found) = read.unwrap_or_else(|d| panic!("{name}: {line}: {d:?}"));
            assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [code], "{name}: {line}: {found:?}");
            assert!(!found[0].is_error() && found[0].location.is_some(), "{name}: {line}: {found:?}");
            assert!(program.unit_named("f").is_some(), "{name}: {line}");
        }
    }
    // Outside of procedures, before a loop that no one can count, and one that is left early.
    assert_eq!(c("#pragma overbar independent x\ndouble f(double x) { return x; }\n").unwrap_err()[0].code, "OB1072");
    let looping = |s: &str| format!("void f(int n, double x[n]) {{\n#pragma overbar parallel\n  {s}\n}}\n");
    for s in ["while (x[0] < 1) x[0] = 2 * x[0];", "for (int i = 0; i < n; i++) { if (x[i] > 1) break; x[i] = 2; }"] {
        assert_eq!(c(&looping(s)).unwrap_err()[0].code, "OB1072", "{s}");
    }
    // A directive speaks to what stands right behind it, comments and other directives apart.
    let text = "void g(int n, double x[n]) {\n  for (int j = 0; j < 2; j++) {\n    x[j] = 0;\n#pragma overbar parallel\n  }\n  for (int i = 0; i < n; i++) x[i] = 1;\n}\n";
    assert_eq!(c(text).unwrap_err()[0].code, "OB1072");
    assert!(
        c(&text
            .replace("  }\n  for (int i", "  // why\n#pragma omp simd\n  /* and\n how */\n  for (int i")
            .replace("= 1;\n", "= 1;\n  }\n"))
        .is_ok()
    );
    // What the preprocessor takes out says nothing.
    assert!(c("#if 0\n#pragma overbar nonsense\n#endif\ndouble f(double x) { return x; }\n").is_ok());
}

#[test]
fn the_command_line_wins_and_all_ways_agree() {
    let at = tempfile::tempdir().unwrap();
    let text = "#pragma overbar head f(y)/(x)\nvoid f(int n, const int p[n], const double x[n], double w[n], double y[1]) {\n  y[0] = 0;\n\
                #pragma overbar parallel\n  for (int i = 0; i < n; i++) {\n    w[p[i]] = x[i] * x[i];\n    y[0] += w[p[i]] * w[p[i]];\n  }\n}\n";
    std::fs::write(at.path().join("f.c"), text).unwrap();
    let direct = overbar_ok(at.path(), &["diff", "f.c", "-b", "-d"]);
    assert!(direct.contains("void f_b("), "{direct}");
    overbar_ok(at.path(), &["frontend", "c", "f.c", "-o", "f.xaif"]);
    overbar_ok(at.path(), &["validate", "f.xaif"]);
    let xml = std::fs::read_to_string(at.path().join("f.xaif")).unwrap();
    assert!(xml.contains("ob:parallel=\"true\""));
    overbar_ok(at.path(), &["boost", "f.xaif", "-b", "-d", "-o", "g.xaif"]);
    assert_eq!(overbar_ok(at.path(), &["backend", "c", "g.xaif"]), direct);
    let other = overbar_ok(at.path(), &["diff", "f.c", "-b", "--head", "f(w)/(x)"]);
    assert!(other.contains("f(w)/(x)") && !other.contains("head f(y)/(x)."), "{other}");
    std::fs::write(at.path().join("out.c"), direct).unwrap();
    runtime(at.path());
    let flags: Vec<&str> = STRICT_C.iter().copied().chain(["-Wno-unknown-pragmas", "-c", "out.c"]).collect();
    silently(at.path(), "gcc", &flags);
}

#[test]
fn pragmas_of_others_stay_with_the_original() {
    let at = tempfile::tempdir().unwrap();
    let text = "double f(int n, const double x[n]) {\n  double s = 0, t;\n#pragma omp parallel for private(t) reduction(+ : s)\n\
                  for (int i = 0; i < n; i++) {\n    t = x[i] * x[i];\n    s += t * t;\n  }\n  return s;\n}\n";
    std::fs::write(at.path().join("f.c"), text).unwrap();
    let o = overbar(at.path(), &["diff", "f.c", "-b", "-d", "--head", "f/(x)"]);
    let (out, err) = (String::from_utf8_lossy(&o.stdout).into_owned(), String::from_utf8_lossy(&o.stderr).into_owned());
    assert!(o.status.success() && err.contains("OB4110"), "{err}");
    // The directive names no derivative as private, and the adjoint's iterations share what the original's do not.
    assert_eq!(out.matches("#pragma omp").count(), 1, "{out}");
    let text = "subroutine f(n, x, s)\n  implicit none\n  integer, intent(in) :: n\n  double precision, intent(in) :: x(n)\n  double precision, intent(out) :: s\n  double precision :: t\n  integer :: i\n  s = 0\n  !$omp parallel do private(t) reduction(+:s)\n  do i = 1, n\n    t = x(i)*x(i)\n    s = s + t*t\n  end do\nend subroutine\n";
    std::fs::write(at.path().join("f.f90"), text).unwrap();
    let o = overbar(at.path(), &["diff", "f.f90", "-b", "-d", "--head", "f(s)/(x)"]);
    let (out, err) = (String::from_utf8_lossy(&o.stdout).into_owned(), String::from_utf8_lossy(&o.stderr).into_owned());
    assert!(o.status.success() && err.contains("OB4110"), "{err}");
    assert_eq!(out.matches("!$omp").count(), 1, "{out}");
    std::fs::write(at.path().join("out.f90"), out).unwrap();
    compile_fortran(at.path());
}

fn compile_fortran(at: &Path) {
    runtime(at);
    let flags: Vec<&str> = STRICT_FORTRAN.iter().copied().chain(["-fopenmp", "-c", "overbar_runtime.f90", "out.f90"]).collect();
    silently(at, "gfortran", &flags);
}

/// The same program with directives as comments, in the words of others.
fn with_comments(before_loop: &str, call: &str) -> Read {
    c(&format!(
        "#include <math.h>\nvoid step(int n, double z[n]) {{\n  for (int i = 0; i < n; i++)\n    z[i] = z[i] * z[i];\n}}\n\
         #pragma overbar head f(y)/(x)\nvoid f(int n, const int p[restrict n], const double x[restrict n], double y[restrict 1], double w[restrict n]) {{\n\
         double s = 0;\n{before_loop}\n  for (int i = 0; i < n; i++) {{\n    \
         int k = p[i], m = p[i];\n    double t = x[i] * x[i];\n    w[k] = t * t + x[i];\n    s += w[m] * w[m] * t;\n  }}\n{call}\n  step(n, w);\n  y[0] = s * s + w[0] * w[n - 1];\n}}\n"
    ))
}

#[test]
fn comments_that_others_write_in_c_mean_what_they_mean_in_fortran() {
    let plain = with_comments("/* nothing */", "").unwrap();
    for said in ["  /* $AD II-LOOP */", "// $AD II-LOOP", "/*$ad ii-loop*/", "/* $AD II-LOOP */\n/* of its own */"] {
        let with = with_comments(said, "").unwrap();
        assert!(pushes(&with) < pushes(&plain), "{said}");
        assert_eq!(certify("c", &with).verdict, Verdict::Pass, "{said}");
    }
    for said in ["  /* $AD NOCHECKPOINT */", "// $AD NOCHECKPOINT"] {
        let with = with_comments("", said).unwrap();
        let made = boost(with, &Options { adjoint: true, ..Options::default() }).unwrap().program;
        assert!(made.unit_named("step_bwd").is_some() && made.unit_named("step_b").is_none(), "{said}");
    }
    // What the preprocessor takes out says nothing.
    let taken = with_comments("#if 0\n/* $AD II-LOOP */\nint no;\n#endif", "").unwrap();
    assert_eq!(pushes(&taken), pushes(&plain));
    // What is nearly a word is refused with its place.
    for (said, line, column) in [("/* $AD II_LOOP */", 9, 1), ("  s = 0; // $AD NOCHEKPOINT", 9, 10), ("/* $overbar paralel */", 9, 1)] {
        let problems = with_comments(said, "").unwrap_err();
        let at = problems[0].location.clone().map(|l| (l.line, l.column));
        assert_eq!(at, Some((line, column)), "{said}: {problems:?}");
    }
    // Where it stands behind code it says nothing.
    for said in ["  s = 0; // $AD II-LOOP", "#if 1\n// $AD II-LOOP\n#endif"] {
        assert_eq!(pushes(&with_comments(said, "").unwrap()), pushes(&plain), "{said}");
    }
}

/// Sources as the suites of other tools have them: tabs in fixed form, either case, directives that mean something there only.
#[test]
fn sources_of_other_tools_are_read_and_differentiated() {
    let text = "c$openad XXX Template drive.f\n\tSUBROUTINE waves(a,b)\n\tdouble precision a(2), b\n\tinteger k\nC$OPENAD INDEPENDENT(a)\n\
                *$openad xxx simple loop\n\tb = a(1)\n\tdo k = 1, 3\n\t  b = b*sin(a(2))\n     +      + a(1)\n\tend do\n!$openad\tDependent(b)\n\tEND\n";
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("waves.f"), text).unwrap();
    let o = overbar(at.path(), &["diff", "waves.f", "-b", "-o", "out.f"]);
    let err = String::from_utf8_lossy(&o.stderr);
    assert!(o.status.success() && err.contains("OB1070") && err.contains("OB1072"), "{err}");
    std::fs::write(
        at.path().join("main.f90"),
        "program main\n  double precision :: a(2), ab(2), b, bb, s\n  a = [1.25d0, 0.75d0]\n  ab = 0\n  bb = 1\n  call waves_b(a, ab, b, bb)\n  s = sin(a(2))\n\
         if (abs(ab(1) - (1 + s + s**2 + s**3)) > 1d-12) stop 1\n\
         if (abs(ab(2) - a(1)*cos(a(2))*(1 + 2*s + 3*s**2)) > 1d-12) stop 2\nend program\n",
    )
    .unwrap();
    runtime(at.path());
    silently(at.path(), "gfortran", &["-w", "overbar_runtime.f90", "out.f", "main.f90", "-o", "main"]);
    silently(at.path(), "./main", &[]);
    let report = overbar(at.path(), &["verify", "waves.f", "--run", "interpreter"]);
    assert!(report.status.success(), "{}", String::from_utf8_lossy(&report.stderr));
}

#[test]
fn what_speaks_to_compilers_is_said_once_for_each_kind() {
    let text = "subroutine f(n, x, s)\n  !$ use omp_lib\n  integer, intent(in) :: n\n  double precision, intent(in) :: x(n)\n  double precision, intent(out) :: s\n  integer :: i\n  s = 0\n\
                !$omp parallel do reduction(+:s)\n  do i = 1, n\n    s = s + x(i)**2\n  end do\n  !$omp end parallel do\n  !dir$ ivdep\n  do i = 1, n\n    s = s + x(i)\n  end do\nend subroutine\n";
    let (_, found) = told_free(text).unwrap();
    let told: Vec<(&str, u32)> = found.iter().map(|d| (d.code, d.location.as_ref().map_or(0, |l| l.line))).collect();
    assert_eq!(told, [("OB3052", 2), ("OB4110", 8), ("OB4111", 13)], "{found:?}");
    assert!(found.iter().all(|d| !d.is_error()));
}

#[test]
fn a_procedure_that_is_left_out_says_why_where_its_derivative_is_asked_for() {
    let text = "subroutine f(x, y)\n  double precision, intent(in) :: x\n  double precision, intent(out) :: y\n  double precision :: z; real :: w\n  equivalence (z, w)\n  !$openad independent(x)\n  z = x\n  y = w*w\n\
                !$openad dependent(y)\nend subroutine\nsubroutine g(x, y)\n  double precision, intent(in) :: x\n  double precision, intent(out) :: y\n  y = x\nend subroutine\n";
    let found = free(text).unwrap_err();
    assert!(found.iter().filter(|d| d.code == "OB1072").count() == 2, "{found:?}");
    assert!(found.iter().any(|d| d.code.starts_with("OB3")), "the reason is there: {found:?}");
    // What only speaks of loops and calls in it goes with it.
    let without = text.replace("!$openad independent(x)", "!$openad xxx simple loop").replace("!$openad dependent(y)", "!$AD NOCHECKPOINT");
    assert!(free(&without).unwrap().unit_named("g").is_some());
}
