//! Variants of units for calls with different activity patterns: which there are, and how they are called. That they are right is tested with the
//! programs that are compiled and run (`c_programs/patterns.c`, `fortran_programs/patterns.f90`).

use std::path::Path;
use std::process::Command;

/// What the program prints for a text.
fn diff(name: &str, text: &str, arguments: &[&str]) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join(name), text).expect("a file");
    let o = Command::new(env!("CARGO_BIN_EXE_overbar"))
        .current_dir(dir.path())
        .arg("diff")
        .arg(name)
        .args(arguments)
        .output()
        .expect("it runs");
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    String::from_utf8_lossy(&o.stdout).into_owned()
}

const DOT: &str = "static double dot(int n, const double *a, const double *b) {
  double s = 0.0;
  for (int i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}
";

#[test]
fn passive_arguments_get_no_adjoints() {
    let text =
        format!("{DOT}double f(int n, const double *w, const double *x) {{\n  return dot(n, w, x) * dot(n, x, x) + dot(n, w, w);\n}}\n");
    let out = diff("f.c", &text, &["-b", "--head", "f/(x)"]);
    assert!(out.contains("/* Adjoint of dot, for calls in which b is active. */"), "{out}");
    assert!(out.contains("dot_b_b(n, w, x, xb, "), "{out}");
    assert!(out.contains("dot_b(n, x, xb, x, xb, "), "{out}");
    // The passive call has no derivative at all, and nothing stands for an adjoint of w.
    assert_eq!(out.matches("static void dot_").count(), 2, "{out}");
    assert!(!out.contains("wb"), "{out}");
}

#[test]
fn one_pattern_has_one_derivative() {
    let text = format!("{DOT}double f(int n, const double *w, const double *x) {{\n  return dot(n, w, x) * dot(n, w, x);\n}}\n");
    let out = diff("f.c", &text, &["-b", "-d", "--head", "f/(x)"]);
    assert!(out.contains("static void dot_b(int n, const double *a, const double *b, double *restrict bb, double dotb)"), "{out}");
    assert!(!out.contains("for calls in which"), "{out}");
}

#[test]
fn variants_have_variants() {
    // angle calls norm, which calls dot: each for w alone, x alone.
    let text = format!(
        "#include <math.h>\n{DOT}static double norm(int n, const double *u) {{ return sqrt(dot(n, u, u)); }}\n\
         static double angle(int n, const double *u, const double *v) {{ return dot(n, u, v) / (norm(n, u) * norm(n, v)); }}\n\
         double f(int n, const double *w, const double *x) {{ return angle(n, w, x) + angle(n, x, w); }}\n"
    );
    let out = diff("f.c", &text, &["-b", "--head", "f/(x)"]);
    for unit in ["angle_b(", "angle_v_b(", "dot_b(", "dot_a_b(", "dot_b_b(", "norm_b("] {
        assert_eq!(out.matches(&format!("static void {unit}")).count(), 1, "{unit} {out}");
    }
    // norm(w) is passive wherever it stands.
    assert!(!out.contains("norm_u_b(") && out.contains("norm(n, "), "{out}");
}

#[test]
fn copies_leave_no_traces() {
    let text = format!("{DOT}double f(int n, const double *w, const double *x) {{\n  return dot(n, w, x) * dot(n, x, x);\n}}\n");
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("f.c"), &text).expect("a file");
    let run = |arguments: &[&str], input: &Path, output: &str| {
        let o = Command::new(env!("CARGO_BIN_EXE_overbar")).current_dir(dir.path()).args(arguments).arg(input).output().expect("it runs");
        assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
        std::fs::write(dir.path().join(output), &o.stdout).expect("a file");
    };
    run(&["frontend", "c"], Path::new("f.c"), "f.xml");
    run(&["boost", "-b", "--head", "f/(x)"], Path::new("f.xml"), "b.xml");
    let bytes = std::fs::read(dir.path().join("b.xml")).expect("a file");
    let (program, _) = xaif::read::read("b.xml", &bytes, &xaif::read::Limits::default()).expect("a document");
    assert!(xaif::validate::semantics(&program).is_empty());
    // dot, f, two adjoints of dot and one of f; each with its scope, and the scope of the file and what is around it.
    assert_eq!(program.units.iter().filter(|u| u.derivation.is_some()).count(), 3);
    assert_eq!(program.units.len(), 5);
    let own: Vec<_> = program.units.iter().map(|u| u.scope).collect();
    let empty = program.scopes.iter().enumerate().filter(|(k, s)| s.symbols.is_empty() && !own.iter().any(|o| o.index() == *k)).count();
    assert!(empty <= 1, "{empty} scopes are empty");
    let derived: Vec<_> = program.units.iter().filter_map(|u| u.derivation).map(|d| program.unit_name(d.of).to_owned()).collect();
    assert_eq!(derived.iter().filter(|n| *n == "dot").count(), 2, "{derived:?}");
    // The same text comes out of the stages and of all in one.
    run(&["backend", "c"], Path::new("b.xml"), "b.c");
    let staged = std::fs::read_to_string(dir.path().join("b.c")).expect("a file");
    assert_eq!(staged, diff("f.c", &text, &["-b", "--head", "f/(x)"]));
}
