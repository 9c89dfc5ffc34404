//! Certificates: verdicts on samples, on broken partial derivatives, on what was called wrong once, and what bad input leads to.

use crate::common;

use common::{overbar, root};
use overbar::evaluate::json;
use overbar::transform::Reversal;
use overbar::verify::compiled::{Compiled, Layout};
use overbar::verify::engine::Programs;
use overbar::verify::subject::Subject;
use overbar::verify::{Built, Report, Request, Verdict, Workshop, check, harness_c, harness_fortran, verify};
use overbar::{Options, boost};
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use xaif::Program;
use xaif::catalogue::{Catalogue, Intrinsic, PartialNode};

pub fn fortran(text: &str) -> Program {
    let source = overbar_fortran::parse::SourceText { file: "test.f90", text };
    overbar_fortran::parse(&[source], &overbar_fortran::ParseOptions::default()).unwrap_or_else(|e| panic!("{e:?}")).0
}

pub fn c(text: &str) -> Program {
    let source = overbar_c::parse::SourceText { file: "test.c", text };
    overbar_c::parse(&[source], &overbar_c::ParseOptions { preprocess: true, ..Default::default() }).unwrap_or_else(|e| panic!("{e:?}")).0
}

pub fn request(program: &Program, head: &str, values: Option<&str>) -> Request<'static> {
    Request {
        head: overbar::heads::parse_head(head).unwrap(),
        values: values.map(|v| json::request(&format!("{{\"args\":{v}}}"), program.index_order).unwrap().inputs.values),
        seed: 1,
        options: Options::default(),
        limits: overbar::evaluate::Limits::default(),
        interpret: true,
        workshop: None,
    }
}

/// The partial derivative of an intrinsic with one operation of it exchanged.
pub fn broken(name: &str, operand: usize, from: &str, to: &str) -> Arc<Catalogue> {
    let entry = Catalogue::builtin().get(name).expect("an intrinsic");
    let mut partials = entry.partials.clone();
    let mut changed = false;
    for n in &mut partials[operand].nodes {
        if let PartialNode::Op(op, _) = n
            && op == from
        {
            *op = to.into();
            changed = true;
        }
    }
    assert!(changed, "{name} has no {from}: {:?}", entry.partials[operand].nodes);
    Arc::new(Catalogue::builtin().clone().with(Intrinsic { partials, ..entry.clone() }))
}

pub const PROGRAM: &str = "\
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8) :: s, t
  integer :: i
  s = 1
  do i = 1, n
    t = s*x(i)
    if (t > 0.1d0) then
      s = s + t*t
    else
      s = s - t
    end if
    call g(s, t)
    s = s*0.5d0 + t
  end do
  y = s*x(1)
end subroutine
subroutine g(a, b)
  implicit none
  real(8), intent(inout) :: a, b
  a = a + 0.25d0*b
  b = cos(b)*sin(a)
  a = a*b
end subroutine
";

/// Checks with a wrong catalogue for one mode, or both.
fn with_broken(text: &str, head: &str, catalogue: &Arc<Catalogue>, modes: (bool, bool)) -> Report {
    let p = if text.contains("subroutine") { fortran(text) } else { c(text) };
    let r = request(&p, head, None);
    let subject = Subject::new(&p, &r.head).unwrap();
    let made = |tangent: bool, adjoint: bool, wrong: bool, plain: bool| {
        let catalogue = wrong.then(|| Arc::clone(catalogue));
        boost(p.clone(), &Options { tangent, adjoint, heads: vec![subject.head()], catalogue, plain, ..Options::default() })
    };
    // In either form; local Jacobians of both modes are wrong where one is.
    let (t, a) = (made(true, false, modes.0, false).unwrap().program, made(false, true, modes.1, false).unwrap().program);
    check(&subject, &r, Programs::both(&t, &a), &|_| match modes {
        (t, a) if t == a => made(true, true, t, true),
        (true, _) => made(true, false, true, true),
        _ => made(false, true, true, true),
    })
    .unwrap()
}

pub fn line(r: &Report) -> Option<u32> {
    r.blame.as_ref()?.location.as_ref().map(|l| l.line)
}

#[test]
fn a_broken_partial_leads_to_its_line() {
    assert_eq!(with_broken(PROGRAM, "f(y)/(x)", &broken("sin_scal", 0, "cos_scal", "sin_scal"), (false, false)).verdict, Verdict::Pass);
    for modes in [(true, true), (true, false), (false, true)] {
        let r = with_broken(PROGRAM, "f(y)/(x)", &broken("sin_scal", 0, "cos_scal", "sin_scal"), modes);
        assert_eq!((r.verdict, line(&r)), (Verdict::Wrong, Some(25)), "{modes:?} {:?}", r.blame);
        let blame = r.blame.unwrap();
        assert_eq!(blame.units, ["g", "f"]);
        assert_eq!(blame.spoken().split(':').collect::<Vec<_>>()[..2], ["test.f90", "25"]);
        assert_eq!(blame.statement, "b = cos(b)*sin(a)");
    }
}

#[test]
fn a_broken_partial_in_c_leads_to_its_line() {
    let text = "#include <math.h>\n\
        double inner(double a, double b) {\n  double r = a / b;\n  return r * b + exp(-r);\n}\n\
        double f(int n, const double *x) {\n  double s = 0.5;\n  for (int i = 0; i < n; i++) {\n    s = inner(s + x[i], 2.0 + s);\n    s += x[i] * s;\n  }\n  return s;\n}\n";
    for modes in [(true, false), (false, true)] {
        let r = with_broken(text, "f/(x)", &broken("div_scal_scal", 1, "div_scal_scal", "mul_scal_scal"), modes);
        assert_eq!((r.verdict, line(&r)), (Verdict::Wrong, Some(3)), "{modes:?} {:?}", r.blame);
    }
}

/// Compiles and runs with gcc or gfortran.
struct Compilers;

impl Workshop for Compilers {
    fn build<'a>(&'a self, layout: Layout<'a>) -> Result<Built<'a>, xaif::Diagnostic> {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let write = |name: &str, text: &str| std::fs::write(at.join(name), text).unwrap();
        if layout.boosted.index_order == xaif::model::IndexOrder::Row {
            let text = overbar_c::unparse(layout.boosted, &overbar_c::UnparseOptions { no_primal: false, header: false }).unwrap().source;
            write("overbar.h", overbar_c::RUNTIME);
            write("generated.c", &text);
            write("driver.c", &harness_c::driver(&layout, "generated.c", &text, false)?);
            common::silently(at, "gcc", &["-w", "-O1", "-ffp-contract=off", "driver.c", "-o", "run", "-lm"]);
        } else {
            let options = overbar_fortran::UnparseOptions { no_primal: false, header: false };
            let text = overbar_fortran::unparse(layout.boosted, &options).unwrap().source;
            write("overbar_runtime.f90", overbar_fortran::RUNTIME);
            write("generated.f90", &text);
            write("driver.f90", &harness_fortran::driver(&layout, text.contains("overbar_runtime"))?.0);
            let files = ["overbar_runtime.f90", "generated.f90", "driver.f90"];
            common::silently(
                at,
                "gfortran",
                &[&["-w", "-O1", "-ffp-contract=off", "-ffree-line-length-none"], &files[..], &["-o", "run"]].concat(),
            );
        }
        let runner = Box::new(move |input: &str| {
            std::fs::write(folder.path().join("request"), input).unwrap();
            common::silently(folder.path(), "./run", &[]);
            Ok(std::fs::read_to_string(folder.path().join("answer")).unwrap())
        });
        let engine = Box::new(Compiled::new(std::rc::Rc::new(layout), runner));
        Ok(Built { engines: vec![("-O1".into(), engine)], objections: Vec::new() })
    }
}

/// Compiled code alone is checked: its derivatives come from the broken catalogue, and the line is named all the same.
#[test]
fn a_broken_partial_in_compiled_code_leads_to_its_line() {
    let text = "#include <math.h>\nvoid f(int n, const double *x, double *y) {\n  double s = 1.0;\n  for (int i = 0; i < n; i++) {\n    s = s * x[i] + 0.5;\n    s = s + sin(s) * x[i];\n  }\n  *y = s;\n}\n";
    let wrong = broken("sin_scal", 0, "cos_scal", "sin_scal");
    for (p, head, at, run_catalogue) in [
        (c(text), "f(y)/(x)", 6, Some(Arc::clone(&wrong))),
        (c(text), "f(y)/(x)", 0, None),
        (fortran(PROGRAM), "f(y)/(x)", 25, Some(wrong)),
        (fortran(PROGRAM), "f(y)/(x)", 0, None),
    ] {
        let right = run_catalogue.is_none();
        let options = Options { catalogue: run_catalogue, ..Options::default() };
        let r = Request { options, interpret: false, workshop: Some(&Compilers), ..request(&p, head, None) };
        let report = verify(&p, &r).unwrap();
        assert_eq!(report.engines, ["compiled"]);
        assert_eq!(report.verdict, if right { Verdict::Pass } else { Verdict::Wrong }, "{report:?}");
        if !right {
            assert_eq!(line(&report), Some(at), "{:?}", report.blame);
            let failed: Vec<&str> = report.checks.iter().filter(|c| !c.passed).map(|c| c.name).collect();
            assert!(failed.contains(&"tangent against dual numbers") && failed.contains(&"adjoint against dual numbers"), "{failed:?}");
        }
    }
}

/// Small errors are found too: a constant that is off in its ninth digit.
#[test]
fn a_small_error_is_found() {
    let entry = Catalogue::builtin().get("log10").unwrap();
    let mut partials = entry.partials.clone();
    let mut changed = false;
    for n in &mut partials[0].nodes {
        if let PartialNode::Const(c) = n
            && let Ok(x) = c.value.parse::<f64>()
            && x.fract() != 0.0
        {
            c.value = format!("{:?}", x * (1.0 + 1e-12)).into();
            changed = true;
        }
    }
    assert!(changed);
    let catalogue = Arc::new(Catalogue::builtin().clone().with(Intrinsic { partials, ..entry.clone() }));
    let text =
        "subroutine f(x, y)\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  y = x*x\n  y = y + log10(x)\nend subroutine\n";
    let r = with_broken(text, "f(y)/(x)", &catalogue, (true, true));
    assert_eq!((r.verdict, line(&r)), (Verdict::Wrong, Some(5)), "{r:?}");
}

pub fn verdict(p: &Program, head: &str, values: &str) -> Report {
    verify(p, &request(p, head, Some(values))).unwrap_or_else(|e| panic!("{e:?}"))
}

fn run(folder: &Path, arguments: &[&str]) -> (Output, String, String) {
    let o = overbar(folder, arguments);
    let (out, err) = (String::from_utf8_lossy(&o.stdout).into_owned(), String::from_utf8_lossy(&o.stderr).into_owned());
    (o, out, err)
}

/// C compares without a sign where one side has none; what the interpreter makes of that is what compiled code makes of it.
#[test]
fn comparisons_without_a_sign() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "double f(unsigned n, int k, int s, const double *x) {
  double p = x[0] * x[1];
  if (-k < n) p *= x[2] * p;
  if (k <= n - 1) p *= x[3];
  for (int i = -2; i < n; i++) p *= x[i + 2];
  for (int i = 5; i < (int)n; i += s) p += x[i] * x[i];
  return p;
}
";
    std::fs::write(folder.path().join("f.c"), text).expect("a file");
    for (n, k, s) in [(4, 2, -1), (0, 3, 2), (0, -1, -2), (6, 0, 3), (5, 7, -3)] {
        let values = format!("{{\"args\":{{\"n\":{n},\"k\":{k},\"s\":{s},\"x\":[0.5,1.5,0.7,2,3,1.1,0.9,0.4]}}}}");
        std::fs::write(folder.path().join("v.json"), values).expect("a file");
        let (done, out, errors) = run(folder.path(), &["verify", "f.c", "--head", "f(f)/(x)", "--input", "v.json"]);
        assert!(done.status.success() && out.starts_with("pass") && out.contains("compiled"), "{n} {k} {s}: {out}{errors}");
    }
}

/// Both halves of a pair know how long an array is whose bounds have changed since it was allocated.
#[test]
fn arrays_with_bounds_that_change_in_pairs() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = root().join("tests/fortran_programs/allocated_bounds.f90").display().to_string();
    for reversal in ["joint", "split"] {
        let (done, out, errors) = run(folder.path(), &["verify", &file, "--head", "twice(y)/(x)", "--reversal", reversal]);
        assert!(done.status.success() && out.starts_with("pass") && out.contains("compiled"), "{reversal}: {out}{errors}");
    }
}

/// Complex arguments, arrays of them and complex functions, in a module and outside of one; structures with derivatives.
#[test]
fn compiled_code_gets_structures_and_complex_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let scale = "      SUBROUTINE ZSCALE(N, A, X, Y)\n      INTEGER N, I\n      COMPLEX*16 A, X(*), Y(*)\n      DO 10 I = 1, N\n        Y(I) = A*X(I)**2\n   10 CONTINUE\n      END\n                 \n      COMPLEX*16 FUNCTION ZD(N, X, Y)\n      INTEGER N, I\n      COMPLEX*16 X(*), Y(*)\n      ZD = (0D0, 0D0)\n      DO 10 I = 1, N\n        ZD = ZD + DCONJG(X(I))*Y(I)\n   10 CONTINUE\n      END\n";
    let inner = "module m\n  implicit none\n  type pair\n    double precision :: a, b\n  end type\ncontains\n  function dot(n, x, y) result(d)\n    integer, intent(in) :: n\n                     complex(8), intent(in) :: x(n), y(n)\n    complex(8) :: d\n    d = sum(conjg(x)*y)\n  end function\n  subroutine f(p, z, y)\n    type(pair), intent(in) :: p\n                     complex(8), intent(in) :: z\n    double precision, intent(out) :: y\n    y = p%a*p%b + z%re*z%im\n  end subroutine\nend module\n";
    std::fs::write(folder.path().join("z.f"), scale).expect("a file");
    std::fs::write(folder.path().join("m.f90"), inner).expect("a file");
    for (file, head) in [("z.f", "zscale(y)/(a,x)"), ("z.f", "zd(zd)/(x,y)"), ("m.f90", "dot(d)/(x,y)"), ("m.f90", "f(y)/(p%a,p%b,z)")] {
        let (done, out, errors) = run(folder.path(), &["verify", file, "--head", head]);
        assert!(done.status.success() && out.starts_with("pass") && out.contains("and compiled"), "{head}: {out}{errors}");
    }
}

#[test]
fn every_sample_passes() {
    let samples: [(&str, &[&str]); 9] = [
        ("griewank/griewank.f90", &["griewank(c)/(a)"]),
        ("griewank/griewank.c", &["griewank/(x)"]),
        ("fragment/fragment.c", &["fragment(x)/(x,y)"]),
        ("bratu/bratu.f90", &["bratu(f)/(x,prm)"]),
        ("control_flow/example.f90", &["example(y)/(x)"]),
        ("chain/chain.c", &["chain/(x,y)", "chain_aliased/(x,y)"]),
        ("flw2d1col/flw2d1col.f", &["FLW2D1COL(rh3,rh4,sq)/(t3,pres,vnocl,g3,g4,rh3,rh4,sq)"]),
        ("newton/newton.f90", &["root(root)/(p,q)"]),
        ("pendulum/pendulum.c", &["energy/(angle,length,damping)"]),
    ];
    // Every file of the folder that is no driver.
    let mut there: Vec<String> = Vec::new();
    for folder in std::fs::read_dir(root().join("samples")).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
        let files = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
        let folder = folder.file_name().unwrap().to_string_lossy().into_owned();
        // What rules describe has no text for the interpreter; batches certify their own, and what is for authors has tests of its own.
        if !["library", "batch", "xaif", "service"].contains(&folder.as_str()) {
            there.extend(files.filter(|f| !f.starts_with("driver")).map(|f| format!("{folder}/{f}")));
        }
    }
    there.retain(|f| !samples.iter().any(|s| s.0 == f));
    assert!(there.is_empty(), "{there:?}");
    for (file, heads) in samples {
        let mut arguments = vec!["verify", file];
        heads.iter().for_each(|h| arguments.extend(["--head", h]));
        let (o, out, err) = run(&root().join("samples"), &arguments);
        assert!(o.status.success() && err.is_empty(), "{file}: {out}{err}");
        assert_eq!(out.lines().filter(|l| l.starts_with("pass ")).count(), heads.len(), "{file}: {out}");
        assert!(out.contains("interpreter and compiled"), "{file}: {out}");
    }
}

#[test]
fn certificates_are_valid_and_can_be_frozen() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("f.f90"), PROGRAM).unwrap();
    let base = ["verify", "f.f90", "--head", "f(y)/(x)", "--run", "interpreter"];
    let with = |more: &[&str]| run(at, &[&base[..], more].concat());
    assert!(with(&["--format", "xml", "-o", "c.xml"]).0.status.success());
    let (o, _, err) = run(at, &["validate", "c.xml"]);
    assert!(o.status.success(), "{err}");
    assert!(with(&["--format", "json", "-o", "c.json"]).0.status.success());
    assert_eq!(with(&["--frozen", "c.json"]).0.status.code(), Some(0));
    // Other inputs, another program, an empty certificate, no certificate.
    let (o, out, err) = with(&["--frozen", "c.json", "--seed", "2"]);
    assert!(o.status.code() == Some(1) && out.is_empty() && err.contains("OB6072"), "{out}{err}");
    std::fs::write(at.join("f.f90"), PROGRAM.replace("0.25d0", "0.5d0")).unwrap();
    let (o, _, err) = with(&["--frozen", "c.json"]);
    assert!(o.status.code() == Some(1) && err.contains("certificate.input") && err.contains("certificate.generated"), "{err}");
    let text = std::fs::read_to_string(at.join("c.json")).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["heads"][0]["checks"] = serde_json::json!([]);
    std::fs::write(at.join("empty.json"), json.to_string()).unwrap();
    assert!(with(&["--frozen", "empty.json"]).2.contains("OB6071"));
    std::fs::write(at.join("none.json"), "{}").unwrap();
    assert!(with(&["--frozen", "none.json"]).2.contains("OB6070"));
    // A kink and a wrong derivative fit the schema too.
    let p = fortran(PROGRAM);
    let wrong = with_broken(PROGRAM, "f(y)/(x)", &broken("sin_scal", 0, "cos_scal", "sin_scal"), (true, true));
    let kinked = verdict(&fortran("subroutine f(x, y)\n  real(8) :: x, y\n  y = abs(x)\nend subroutine\n"), "f(y)/(x)", r#"{"x":0}"#);
    let hash = "0".repeat(64);
    let certificate = overbar::verify::Certificate {
        tool: p.name.to_string(),
        input: hash.clone(),
        request: hash.clone(),
        generated: hash,
        seed: 1,
        heads: vec![wrong, kinked],
    };
    assert_eq!(certificate.verdict(), Some(Verdict::Wrong));
    let xml = overbar::verify::xml::xml(&certificate);
    assert_eq!(xaif::validate::schema("certificate", xml.as_bytes()), [], "{xml}");
    assert!(!xaif::validate::schema("certificate", xml.replace("verdict=\"kink\"", "verdict=\"maybe\"").as_bytes()).is_empty());
}

#[test]
fn bad_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("f.f90"), PROGRAM).unwrap();
    let with = |values: &str, more: &[&str]| {
        std::fs::write(at.join("v.json"), values).unwrap();
        run(at, &[&["verify", "f.f90", "--head", "f(y)/(x)", "--run", "interpreter", "--input", "v.json"], more].concat())
    };
    for (values, code) in [
        (r#"{"args":{"n":2,"x":[1,2,3]}}"#, "OB6002"),
        (r#"{"args":{"n":2,"x":true}}"#, "OB6002"),
        (r#"{"args":{"x":[1,2]}}"#, "OB6050"),
        (r#"{"args":{"n":2}}"#, "OB6050"),
        (r#"{"args":{"n":2,"x":[1,2],"z":3}}"#, "OB6001"),
        ("{", "OB6003"),
    ] {
        let (o, out, err) = with(values, &[]);
        assert!(o.status.code() == Some(1) && out.is_empty() && err.contains(code), "{values}: {out}{err}");
    }
    // Nothing to draw: the domain is empty.
    std::fs::write(at.join("e.f90"), "subroutine e(x, y)\n  real(8) :: x, y\n  y = sqrt(-x*x - 1)\nend subroutine\n").unwrap();
    let (o, _, err) = run(at, &["verify", "e.f90", "--head", "e(y)/(x)", "--run", "interpreter"]);
    assert!(o.status.code() == Some(1) && err.contains("OB6065") && err.contains("--input"), "{err}");
    assert_eq!(run(at, &["verify", "f.f90"]).0.status.code(), Some(2));
    assert_eq!(run(at, &["verify", "f.f90", "--head", "f(y"]).0.status.code(), Some(2));
    assert_eq!(run(at, &["verify", "f.f90", "--head", "nobody(y)/(x)"]).0.status.code(), Some(1));
}

/// A compiler that is not there is told, and what the interpreter checked stands.
#[test]
fn a_missing_compiler_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("f.f90"), PROGRAM).unwrap();
    let (o, out, err) = run(at, &["verify", "f.f90", "--head", "f(y)/(x)", "--fc", "no-such-compiler"]);
    assert!(o.status.success() && out.starts_with("pass ") && err.contains("OB6067") && err.contains("no-such-compiler"), "{out}{err}");
    let (o, out, err) = run(at, &["verify", "f.f90", "--head", "f(y)/(x)", "--fc", "no-such-compiler", "--run", "compiled"]);
    assert!(o.status.code() == Some(1) && out.is_empty() && err.contains("OB6063"), "{out}{err}");
}

/// The same where there is no compiler at all, in either language.
#[test]
fn no_compilers_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("f.f90"), PROGRAM).unwrap();
    std::fs::write(at.join("f.c"), "#include <math.h>\nvoid f(const double *x, double *y) { *y = *x * sin(*x); }\n").unwrap();
    for (file, compiler) in [("f.f90", "gfortran"), ("f.c", "cc")] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_overbar"));
        // Nothing is preprocessed either, and need not be.
        command.args(["verify", file, "--head", "f(y)/(x)"]).current_dir(at).env("PATH", "");
        let o = command.output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr));
        assert!(o.status.success() && out.starts_with("pass ") && out.contains("interpreter"), "{out}{err}");
        assert!(err.contains("OB6067") && err.contains(&format!("`{compiler}`")), "{err}");
        // A certificate without the compiled part is not the same as one with it.
        assert!(!out.contains("and compiled"), "{out}");
    }
}

/// Adjoints that are set, not incremented, where a head is called by itself or by another head: calls still add to them.
#[test]
fn adjoints_that_are_set_are_added_to_by_calls() {
    let recursive = "recursive subroutine f(n, x, y)\n  integer, intent(in) :: n\n  real(8), intent(in) :: x\n  real(8), intent(inout) :: y\n  if (n > 0) call f(n - 1, x, y)\n  y = y*x + x\nend subroutine\n";
    let p = fortran(recursive);
    let with = |reversal| Request {
        options: Options { zero_init: true, reversal, ..Options::default() },
        ..request(&p, "f(y)/(x)", Some(r#"{"n":3,"x":1.25,"y":0.5}"#))
    };
    for reversal in [Reversal::Auto, Reversal::Split] {
        assert_eq!(verify(&p, &with(reversal)).unwrap().verdict, Verdict::Pass, "{reversal:?}");
    }
    assert_eq!(verify(&p, &with(Reversal::Joint)).unwrap_err()[0].code, "OB4036");
    // Two heads, one of which calls the other: each is right by itself.
    let text = "void g(const double x[2], double *y) { *y = *y + x[0] * x[1]; }\nvoid f(const double x[2], double *y) { *y = 0; g(x, y); g(x, y); }\n";
    let p = c(text);
    let heads = ["f(y)/(x)", "g(y)/(x)"].map(|h| overbar::heads::parse_head(h).unwrap()).to_vec();
    let made = |tangent| Options { tangent, adjoint: !tangent, zero_init: true, heads: heads.clone(), ..Options::default() };
    let (t, a) = (boost(p.clone(), &made(true)).unwrap().program, boost(p.clone(), &made(false)).unwrap().program);
    for h in ["f(y)/(x)", "g(y)/(x)"] {
        let r = Request { options: made(false), ..request(&p, h, None) };
        let subject = Subject::new(&p, &r.head).unwrap();
        assert_eq!(check(&subject, &r, Programs::both(&t, &a), &|_| Err(Vec::new())).unwrap().verdict, Verdict::Pass, "{h}");
    }
}

/// A head that names an argument by value on which nothing depends: another head that calls it hands zero over, not what was never set.
#[test]
fn arguments_that_a_head_names_for_nothing() {
    let p = c(
        "double g(double a, double x) { a = a * 2; return x * x; }\nvoid f(double p, double x, double *y) { double t = p; *y = g(t * t, x); t = *y; *y = t * x; }\n",
    );
    let heads = ["f(y)/(x)", "g/(a,x)"].map(|h| overbar::heads::parse_head(h).unwrap()).to_vec();
    let made =
        |tangent| boost(p.clone(), &Options { tangent, adjoint: !tangent, heads: heads.clone(), ..Options::default() }).unwrap().program;
    for h in ["f(y)/(x)", "g/(a,x)"] {
        let r = request(&p, h, None);
        let subject = Subject::new(&p, &r.head).unwrap();
        assert_eq!(
            check(&subject, &r, Programs::both(&made(true), &made(false)), &|_| Err(Vec::new())).unwrap().verdict,
            Verdict::Pass,
            "{h}"
        );
    }
}

/// Work arrays that are allocated: zeros handed over beside one take its bounds where it has some, and a split reversal knows what was freed.
#[test]
fn allocated_arrays_in_calls() {
    let text = "subroutine f(n, x, y)\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(n)\n  real(8), intent(out) :: y\n  real(8), allocatable :: w(:)\n  y = 0\n  allocate (w(0:n - 1))\n  w = 2\n  call g(n, w, y)\n  call g(n, x, y)\n  call h(n, x, y)\n  deallocate (w)\nend subroutine\n\
        subroutine g(n, a, y)\n  integer, intent(in) :: n\n  real(8), intent(in) :: a(n)\n  real(8), intent(inout) :: y\n  y = y + sum(a*a)\nend subroutine\n\
        subroutine h(n, x, y)\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(n)\n  real(8), intent(inout) :: y\n  real(8), allocatable :: t(:)\n  integer :: i\n  allocate (t(n))\n  t = x*x\n  if (y < 1) then\n    deallocate (t)\n    return\n  end if\n  do i = 1, n\n    y = y + t(i)*x(i)\n  end do\n  deallocate (t)\nend subroutine\n";
    let p = fortran(text);
    for reversal in [Reversal::Auto, Reversal::Split] {
        let options = Options { reversal, ..Options::default() };
        for values in [r#"{"n":3,"x":[0.5,1.5,0.7]}"#, r#"{"n":1,"x":[0.25]}"#] {
            let r = Request { options: options.clone(), ..request(&p, "f(y)/(x)", Some(values)) };
            match verify(&p, &r) {
                Ok(report) => assert_eq!(report.verdict, Verdict::Pass, "{report:?}"),
                // The adjoint of what is handed over has no length yet.
                Err(e) => assert_eq!(e[0].code, "OB4057", "{e:?}"),
            }
        }
        // The same without it.
        let q = fortran(&text.replace("  call g(n, w, y)\n", "  y = y + w(1)*x(1)\n"));
        for values in [r#"{"n":3,"x":[0.5,1.5,0.7]}"#, r#"{"n":2,"x":[0.25,0.1]}"#] {
            let r = Request { options: options.clone(), ..request(&q, "f(y)/(x)", Some(values)) };
            assert_eq!(verify(&q, &r).unwrap().verdict, Verdict::Pass);
        }
    }
    let head = request(&p, "f(y)/(x)", None).head;
    let tangent = boost(p.clone(), &Options { tangent: true, heads: vec![head], ..Options::default() }).unwrap().program;
    let inputs = json::request(r#"{"args":{"n":2,"x":[0.5,1.5]},"seeds":{"x":[1,0]}}"#, p.index_order).unwrap();
    let limits = overbar::evaluate::Limits::default();
    let unit = tangent.unit_named("f_d").unwrap();
    let out = overbar::evaluate::derivative(&tangent, unit, &inputs.inputs, &inputs.seeds, &limits).unwrap();
    let exact = overbar::evaluate::jacobian(&p, p.unit_named("f").unwrap(), &inputs.inputs, &["y"], &["x"], &limits).unwrap();
    assert_eq!(out.derivatives["y"].to_reals(), [exact.entries[0][0]]);
}

/// Allocatable independents that are there on entry, and freed and allocated anew with another length.
#[test]
fn arrays_that_are_freed_first() {
    let body = "    y = sum(g)\n    deallocate (g)\n    allocate (g(4))\n    g = y\n    y = y*g(2)\n";
    let shared = format!(
        "module shapes\n  implicit none\n  real(8), allocatable :: g(:)\ncontains\n  subroutine f(y)\n    real(8), intent(out) :: y\n{body}  end subroutine\nend module\n"
    );
    let handed = format!(
        "subroutine f(g, y)\n  implicit none\n  real(8), allocatable, intent(inout) :: g(:)\n  real(8), intent(out) :: y\n{body}end subroutine\n"
    );
    let folder = tempfile::tempdir().unwrap();
    for text in [shared, handed] {
        std::fs::write(folder.path().join("f.f90"), text).unwrap();
        for head in ["f(y)/(g)", "f(y,g)/(g)"] {
            let o = overbar(folder.path(), &["verify", "f.f90", "--head", head]);
            let said = String::from_utf8_lossy(&o.stdout);
            assert!(
                said.starts_with("pass") && said.contains("interpreter and compiled"),
                "{head}: {said}{}",
                String::from_utf8_lossy(&o.stderr)
            );
        }
    }
}

/// Ill-conditioned programs are not called wrong, whatever their rounding errors are.
#[test]
fn rounding_is_no_error() {
    let cancelling = "subroutine f(x, y)\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  real(8) :: t\n  t = x + 1d12\n  t = t*t\n  y = t - 1d24 - 2d12*x\nend subroutine\n";
    let chaotic = "subroutine f(x, y)\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  integer :: i\n  y = x\n  do i = 1, 60\n    y = 3.9d0*y*(1 - y)\n  end do\nend subroutine\n";
    let single = "subroutine f(n, x, y)\n  integer :: n, i\n  real, intent(in) :: x(n)\n  real, intent(out) :: y\n  y = 0\n  do i = 1, n\n    y = y*0.7 + sin(x(i))*exp(-y)\n  end do\nend subroutine\n";
    for (text, values) in [(cancelling, r#"{"x":0.3}"#), (chaotic, r#"{"x":0.3}"#), (single, r#"{"n":6,"x":[0.1,0.7,1.3,2.1,-0.4,0.9]}"#)] {
        let r = verdict(&fortran(text), "f(y)/(x)", values);
        assert_eq!(r.verdict, Verdict::Pass, "{r:?}");
    }
}

/// An allocatable dependent may have other extents at the end: its adjoint comes in with these.
#[test]
fn dependents_that_change_their_length_pass() {
    let text = |intent: &str, factor: &str, last: &str| {
        format!(
            "subroutine grow(n, x, y)\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(n)\n  real(8), allocatable, intent({intent}) :: y(:)\n  \
             real(8) :: s\n  integer :: i\n  s = {factor}\n  if (allocated(y)) deallocate (y)\n  allocate (y({last}))\n  do i = 1, n - 1\n    y(i) = s*x(i)**2\n    \
             y({last} - i + 1) = sin(x(n))*y(i)\n  end do\nend subroutine grow\n"
        )
    };
    let other = text("inout", "1", "2*n").replace("n - 1\n", "n\n");
    for (text, head) in
        [(text("inout", "y(1)*y(2)", "2*n - 2"), "grow(y)/(x,y)"), (text("out", "2", "2*n - 2"), "grow(y)/(x)"), (other, "grow(y)/(x)")]
    {
        let p = fortran(&text);
        let r = verify(&p, &request(&p, head, None)).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert_eq!(r.verdict, Verdict::Pass, "{text}: {:?}", r.checks);
        assert!(r.checks.iter().any(|c| c.name.starts_with("adjoint against") && c.compared > 0));
    }
}

/// Units may be called what the harness would call its own.
#[test]
fn names_of_the_harness_are_its_own() {
    let text = "\
double k = 0.5;
static void mode(int i, double *x) { x[i] = x[i] * x[i] * k; }
void run(int n, double *x) {
  for (int i = 0; i < n; i++)
    mode(i, x);
}
";
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("f.c"), text).unwrap();
    let done = overbar(at.path(), &["verify", "f.c", "--head", "run(x)/(x)"]);
    let out = String::from_utf8_lossy(&done.stdout);
    assert!(
        out.starts_with("pass  run(x)/(x)  (drawn point, interpreter and compiled)"),
        "{out}\n{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

/// What varies faster than the usual steps of the Taylor test is told by smaller ones.
#[test]
fn what_varies_fast_passes() {
    let p = fortran("subroutine f(x, y)\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  y = sin(3d7*x)\nend subroutine f\n");
    let r = verify(&p, &request(&p, "f(y)/(x)", None)).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(r.verdict, Verdict::Pass, "{:?}", r.checks);
}

#[test]
fn bytes_without_a_sign_keep_their_values() {
    // The adjoint records `c`, which goes beyond what a byte with a sign can be.
    let p = c(
        "void f(const double *x, double *y) {\n  unsigned char c = 175;\n  for (int i = 0; i < 3; i++) {\n    y[i] = x[c & 3];\n    c = (unsigned char)(c + 1);\n  }\n}\n",
    );
    let r = verify(&p, &request(&p, "f(y)/(x)", Some("{\"x\":[1,2,3,4],\"y\":[0,0,0]}"))).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(r.verdict, Verdict::Pass, "{:?}", r.checks);
}
