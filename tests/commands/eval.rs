//! `overbar eval`: values, tangents, adjoints and Jacobians of both languages and of XAIF, and what bad input leads to.

use crate::common;

use common::{overbar, overbar_ok, root};
use serde_json::Value;
use std::path::Path;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn reals(v: &Value) -> Vec<f64> {
    v.as_array().map_or_else(|| vec![v.as_f64().unwrap()], |l| l.iter().map(|x| x.as_f64().unwrap()).collect())
}

fn near(a: &[f64], b: &[f64]) {
    assert!(a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= 1e-13 * (1.0 + y.abs())), "{a:?} {b:?}");
}

fn folder(values: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("values.json"), values).unwrap();
    folder
}

/// The code of the first diagnostic, with everything that was said.
fn refused(folder: &Path, arguments: &[&str]) -> (String, String) {
    let o = overbar(folder, &[&["--message-format", "json"], arguments].concat());
    let text = String::from_utf8_lossy(&o.stderr).into_owned();
    assert!(!o.status.success() && o.stdout.is_empty(), "{arguments:?} {}", String::from_utf8_lossy(&o.stdout));
    (text.lines().next().map_or_else(String::new, |l| json(l)["code"].as_str().unwrap().to_owned()), text)
}

const GRIEWANK: &str = "samples/griewank/griewank.f90";

/// c = sum(a^2/400) - prod(cos(a_i/sqrt(i))) + 1
fn griewank_gradient(a: &[f64]) -> Vec<f64> {
    let cos: Vec<f64> = a.iter().enumerate().map(|(i, x)| (x / ((i + 1) as f64).sqrt()).cos()).collect();
    let product: f64 = cos.iter().product();
    let root = |k: usize| ((k + 1) as f64).sqrt();
    a.iter().enumerate().map(|(k, x)| x / 200.0 + product * (x / root(k)).tan() / root(k)).collect()
}

/// The tape in the order in which it is made: both partial derivatives of `s = sin(s)*x`, for each iteration.
#[test]
fn the_records_of_a_run_are_printed() {
    let f = folder(r#"{"args":{"n":3,"x":2.0},"seeds":{"y":1.0}}"#);
    let c = "#include <math.h>\nvoid f(int n, double x, double *y)\n{\n    double s = x;\n    for (int i = 0; i < n; i++) {\n        s = sin(s) * x;\n    }\n    *y = s;\n}\n";
    std::fs::write(f.path().join("f.c"), c).unwrap();
    let text = overbar_ok(f.path(), &["eval", "f.c", "--input", "values.json", "--adjoint", "--tape"]);
    let answer = json(&text);
    let records = answer["tape"].as_array().unwrap();
    let (mut s, mut expected) = (2.0f64, Vec::new());
    for _ in 0..3 {
        expected.extend([s.sin(), 2.0 * s.cos()]);
        s = s.sin() * 2.0;
    }
    let found: Vec<f64> = records.iter().flat_map(|r| reals(&r["values"])).collect();
    near(&found, &expected);
    assert!(records.iter().all(|r| r["array"].is_string() && r["variable"].is_string()), "{text}");
    assert_eq!(records.len() as u64, answer["counters"]["pushes"].as_u64().unwrap(), "{text}");
    assert!(records.iter().all(|r| r["unit"] == "f_b"), "{text}");
    // A line for each record, and as many as are asked for.
    assert_eq!(text.lines().filter(|l| l.contains("\"unit\": \"f_b\"") && l.contains("values")).count(), records.len());
    let first = json(&overbar_ok(f.path(), &["eval", "f.c", "--input", "values.json", "--adjoint", "--tape=1"]));
    assert_eq!(first["tape"].as_array().unwrap().len(), 1);
    // Without a tape there is none, and dual numbers need none.
    assert!(json(&overbar_ok(f.path(), &["eval", "f.c", "--input", "values.json", "--adjoint"]))["tape"].is_null());
    assert!(!overbar(f.path(), &["eval", "f.c", "--input", "values.json", "--tangent", "--tape"]).status.success());
}

/// Stock output has a stack for each type.
#[test]
fn records_of_stock_sweeps_say_their_stack() {
    let f = folder(r#"{"args":{"x":[2.0,3.0],"n":2,"y":1.0},"seeds":{"y":1.0}}"#);
    let source = "subroutine f(n, x, y)\n  integer, intent(in) :: n\n  double precision, intent(in) :: x(n)\n  double precision, intent(inout) :: y\n  integer :: i\n  do i = 1, n\n    if (x(i) > 2.5d0) y = y*x(i)\n  end do\nend subroutine\n";
    std::fs::write(f.path().join("f.f90"), source).unwrap();
    overbar_ok(f.path(), &["frontend", "fortran", "f.f90", "-o", "f.xaif"]);
    overbar_ok(f.path(), &["boost", "f.xaif", "-b", "--dialect", "openad", "--head", "f(y)/(x,y)", "-o", "b.xaif"]);
    let answer = json(&overbar_ok(f.path(), &["eval", "b.xaif", "--unit", "f", "--input", "values.json", "--adjoint", "--tape"]));
    let records = answer["tape"].as_array().unwrap();
    let on = |stack: &str| records.iter().filter(|r| r["stack"] == stack).flat_map(|r| reals(&r["values"])).collect::<Vec<f64>>();
    // Which arm was taken in each iteration and how many there were, and the factors x(2) and y.
    near(&on("integer"), &[0.0, 1.0, 2.0]);
    let mut factors = on("real");
    factors.sort_by(f64::total_cmp);
    near(&factors, &[1.0, 3.0]);
}

#[test]
fn three_questions_have_one_answer() {
    let file = root().join(GRIEWANK);
    let file = file.to_str().unwrap();
    let expected = griewank_gradient(&[1.0, 2.0, 3.0]);
    let f = folder(r#"{"args":{"s":3,"a":[1,2,3]},"seeds":{"c":1.0}}"#);
    let ask = |more: &[&str]| json(&overbar_ok(f.path(), &[&["eval", file, "--input", "values.json"], more].concat()));
    let adjoint = ask(&["--unit", "griewank", "--adjoint"]);
    near(&reals(&adjoint["derivatives"]["a"]), &expected);
    assert!(adjoint["counters"]["peak_bytes"].as_u64().unwrap() > 0);
    near(&reals(&ask(&["--jacobian"])["jacobian"][0]), &expected);
    std::fs::write(f.path().join("values.json"), r#"{"args":{"s":3,"a":[1,2,3]},"seeds":{"a":[0,1,0]}}"#).unwrap();
    let tangent = ask(&["--tangent"]);
    near(&reals(&tangent["derivatives"]["c"]), &expected[1..2]);
    // Reals have 17 digits.
    let text = overbar_ok(f.path(), &["eval", file, "--input", "values.json", "--tangent"]);
    assert!(text.contains("1.0000000000000000e0"), "{text}");
}

#[test]
fn results_of_functions_are_seeded_by_their_names() {
    let f = folder(r#"{"args":{"x":3.0},"seeds":{"f":2.0}}"#);
    std::fs::write(f.path().join("f.c"), "double f(double x) { return x * x; }\n").unwrap();
    let fortran = |name: &str, clause: &str| {
        format!("double precision function f(x){clause}\n  double precision, intent(in) :: x\n  {name} = x*x\nend function\n")
    };
    std::fs::write(f.path().join("a.f90"), fortran("f", "")).unwrap();
    std::fs::write(
        f.path().join("b.f90"),
        fortran("r", " result(r)").replace("double precision function", "function").replace("  r =", "  double precision :: r\n  r ="),
    )
    .unwrap();
    for file in ["f.c", "a.f90", "b.f90"] {
        let said = json(&overbar_ok(f.path(), &["eval", file, "--input", "values.json", "--adjoint"]));
        near(&reals(&said["derivatives"]["x"]), &[12.0]);
    }
}

#[test]
fn derivative_units_of_boosted_files_run_too() {
    let file = root().join(GRIEWANK);
    let f = folder(r#"{"args":{"s":2,"a":[0.5,0.25]},"seeds":{"c":2.0}}"#);
    overbar_ok(f.path(), &["frontend", "fortran", file.to_str().unwrap(), "-o", "g.xaif"]);
    overbar_ok(f.path(), &["boost", "-b", "--head", "griewank(c)/(a)", "g.xaif", "-o", "gb.xaif"]);
    let v = json(&overbar_ok(f.path(), &["eval", "gb.xaif", "--unit", "griewank_b", "--input", "values.json"]));
    let twice: Vec<f64> = griewank_gradient(&[0.5, 0.25]).iter().map(|g| 2.0 * g).collect();
    near(&reals(&v["derivatives"]["a"]), &twice);
    let plain = r#"{"args":{"s":2,"a":[0.5,0.25]}}"#;
    std::fs::write(f.path().join("values.json"), plain).unwrap();
    let (code, said) = refused(f.path(), &["eval", "gb.xaif", "--unit", "griewank_b", "--input", "values.json"]);
    assert!(code == "OB6051" && said.contains("seeds"), "{said}");
    let (code, _) = refused(f.path(), &["eval", "gb.xaif", "--unit", "griewank_b", "--input", "values.json", "--jacobian"]);
    assert_eq!(code, "OB6052");
}

#[test]
fn matrices_are_nested_in_the_order_of_subscripts() {
    let f = folder(r#"{"args":{"a":[[1,2,3],[4,5,6]]}}"#);
    let fortran =
        "subroutine f(a, y)\n  real(8), intent(in) :: a(2,3)\n  real(8), intent(out) :: y\n  y = a(1,2) + 10*a(2,3)\nend subroutine\n";
    let c = "void f(const double a[2][3], double *y) {\n  *y = a[0][1] + 10 * a[1][2];\n}\n";
    for (name, text) in [("f.f90", fortran), ("f.c", c)] {
        std::fs::write(f.path().join(name), text).unwrap();
        let v = json(&overbar_ok(f.path(), &["eval", name, "--input", "values.json"]));
        assert_eq!(v["args"]["y"].as_f64(), Some(62.0), "{name}");
        assert_eq!(v["args"]["a"][1][0].as_f64(), Some(4.0), "{name}");
    }
    // The stock form of the same program, differentiated.
    overbar_ok(f.path(), &["frontend", "fortran", "f.f90", "-o", "f.xaif"]);
    let v = json(&overbar_ok(f.path(), &["eval", "f.xaif", "--input", "values.json", "--jacobian"]));
    assert_eq!(reals(&v["jacobian"][0]), [0.0, 0.0, 1.0, 0.0, 0.0, 10.0]);
}

#[test]
fn bad_input_is_named() {
    let file = root().join(GRIEWANK);
    let file = file.to_str().unwrap();
    let cases = [
        (r#"{"args":{"s":3,"a":[1,2]}}"#, "OB6002", "shape"),
        (r#"{"args":{"s":[3,1],"a":[1,2,3]}}"#, "OB6002", "`s`"),
        (r#"{"args":{"s":2.5,"a":[1,2]}}"#, "OB6002", "integer"),
        (r#"{"args":{"s":"three","a":[1,2,3]}}"#, "OB6002", "integer"),
        (r#"{"args":{"s":2,"a":[true,2]}}"#, "OB6002", "`a`"),
        (r#"{"args":{"a":[1,2]}}"#, "OB6050", "`s`"),
        (r#"{"args":{"s":2,"a":[1,2],"q":1}}"#, "OB6001", "`q`"),
        (r#"{"args":{"s":2,"a":[1,[2]]}}"#, "OB6003", "`a`"),
        (r#"{"args":{"s":2,"a":[1,2]}"#, "OB6003", "JSON"),
        (r#"{"arguments":{}}"#, "OB6003", "arguments"),
        (r#"{"args":{"s":2,"a":[1,2]},"seeds":{"c":1}}"#, "OB6051", "--adjoint"),
    ];
    for (values, code, word) in cases {
        let f = folder(values);
        let (got, said) = refused(f.path(), &["eval", file, "--input", "values.json"]);
        assert!(got == code && said.contains(word), "{values}: {said}");
    }
    let f = folder(r#"{"args":{"s":2,"a":[1,2]}}"#);
    for mode in ["--tangent", "--adjoint"] {
        assert_eq!(refused(f.path(), &["eval", file, "--input", "values.json", mode]).0, "OB6051");
    }
    let (code, said) = refused(f.path(), &["eval", file, "--unit", "nobody", "--input", "values.json"]);
    assert!(code == "OB6001" && said.contains("griewank"), "{said}");
    assert_eq!(overbar(f.path(), &["eval", file, "--tangent", "--adjoint"]).status.code(), Some(2));
    assert_eq!(refused(f.path(), &["eval", "none.f90"]).0, "OB0101");
}

#[test]
fn faults_are_placed() {
    let cases =
        [("  y = x(n + 1)\n", "OB6011", 6), ("  t = t + 1\n  y = t\n", "OB6010", 6), ("  i = n - n\n  y = x(1)*(n/i)\n", "OB6012", 7)];
    for (body, code, line) in cases {
        let f = folder(r#"{"args":{"n":2,"x":[1,2]}}"#);
        let head = "subroutine f(n, x, y)\n  integer :: n, i\n  real(8), intent(in) :: x(n)\n  real(8), intent(out) :: y\n  real(8) :: t\n";
        std::fs::write(f.path().join("f.f90"), format!("{head}{body}end subroutine\n")).unwrap();
        let (got, said) = refused(f.path(), &["eval", "f.f90", "--input", "values.json"]);
        let first = json(said.lines().next().unwrap());
        assert_eq!((got.as_str(), first["location"]["line"].as_u64()), (code, Some(line)), "{said}");
    }
    // What a mask leaves out need not be there; what it does not must be.
    let masked = "subroutine f(x, y)\n  real(8), intent(in) :: x(2)\n  real(8), intent(out) :: y(2)\n  real(8) :: t(2)\n  t(1) = 3\n  y = merge(t*2, x, x > 1.5d0)\nend subroutine\n";
    for (values, good) in [(r#"{"args":{"x":[2,1]}}"#, true), (r#"{"args":{"x":[1,2]}}"#, false)] {
        let f = folder(values);
        std::fs::write(f.path().join("f.f90"), masked).unwrap();
        let o = overbar(f.path(), &["eval", "f.f90", "--input", "values.json"]);
        assert!(o.status.success() == good && (good || String::from_utf8_lossy(&o.stderr).contains("OB6010")), "{values}");
    }
    // A real divided by zero has a value, but is told.
    let f = folder(r#"{"args":{"x":0}}"#);
    std::fs::write(f.path().join("f.c"), "double f(double x) {\n  double y = 2.0;\n  return y / x;\n}\n").unwrap();
    let o = overbar(f.path(), &["eval", "f.c", "--input", "values.json"]);
    let (out, err) = (String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr));
    assert!(o.status.success() && out.contains("\"inf\"") && err.contains("OB6023") && err.contains("f.c:3"), "{out}{err}");
}
