//! Stores that adjoints of loops over time do without: zeros that are only added to, copies of what was recorded. That what is left is right is
//! told by `c_programs`, by random programs and by certificates.

use crate::common;

use common::overbar_ok;

/// The adjoint of a C program in one line, without what stands before the reverse sweep.
fn reverse(text: &str, head: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), text).expect("written");
    overbar_ok(folder.path(), &["diff", "p.c", "-b", "--no-primal", "--head", head, "-o", "out.c"]);
    let made = std::fs::read_to_string(folder.path().join("out.c")).expect("text");
    let made = made.split_whitespace().collect::<Vec<_>>().join(" ");
    made.split_once("double sb").map_or(made.clone(), |(_, r)| r.to_owned())
}

fn in_time(steps: &str) -> String {
    format!(
        "#include <stdlib.h>\ndouble f(int n, int nt, const double x[n]) {{\n  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), s = 0;\n  \
         for (int i = 0; i < n; i++) {{ u[i] = x[i]; v[i] = 0.0; }}\n  for (int t = 0; t < nt; t++) {{\n{steps}\n  }}\n  \
         for (int i = 0; i < n; i++) s += u[i];\n  free(u);\n  free(v);\n  return s;\n}}\n"
    )
}

const COPY: &str = "for (int i = 1; i < n - 1; i++) u[i] = v[i];";

#[test]
fn adjoints_that_are_zero_are_set() {
    let made = reverse(&in_time(&format!("for (int i = 1; i < n - 1; i++) v[i] = u[i - 1] + 3.0 * u[i + 1];\n{COPY}")), "f(f)/(x)");
    let (iteration, behind) = made.split_once("for (int t").and_then(|(_, r)| r.split_once("xb[i]")).expect("both loops");
    // Arrays change places, and one pass adds neighbours up; where there are too few iterations for that, and behind all of them, zeros are stored after all.
    assert!(iteration.contains("vb = ub;") && iteration.contains("ub[i] = vb[i + 1] + 3.0 * vb[i - 1];"), "{made}");
    assert_eq!(iteration.matches("= 0.0;").count(), 3, "{made}");
    assert!(!behind.contains("= 0.0;"), "{made}");
}

#[test]
fn what_was_recorded_is_read_where_it_is() {
    let made = reverse(&in_time(&format!("for (int i = 1; i < n - 1; i++) v[i] = u[i] * u[i];\n{COPY}")), "f(f)/(x)");
    let (_, iteration) = made.split_once("for (int t").expect("a loop");
    assert!(iteration.contains("u_tape[t][i - 1]") && !iteration.contains("u[i] = u_tape"), "{made}");
}

#[test]
fn what_somebody_reads_again_is_brought_back() {
    // The value that u(0) gets in an iteration is read by the iteration before it.
    let made = reverse(&in_time(&format!("u[0] = u[1] * u[2];\nfor (int i = 1; i < n - 1; i++) v[i] = u[i] * u[0];\n{COPY}")), "f(f)/(x)");
    let (_, iteration) = made.split_once("for (int t").expect("a loop");
    assert!(iteration.contains("u[0] = u_tape"), "{made}");
}

#[test]
fn zeros_stay_where_nothing_is_gained() {
    // Each element is read, and then set to zero: nobody adds to it before it is read again.
    let made = reverse(&in_time("for (int i = 0; i < n; i++) { v[i] = v[i] * x[i]; u[i] = u[i] + v[i]; }"), "f(f)/(x)");
    assert!(!made.contains("k1"), "{made}");
}

/// Loops on both sides of a run of plain statements that is too long to be walked through: what one side puts off is there for the run, and for what the
/// other side reads of it.
#[test]
fn nothing_is_put_off_across_long_runs() {
    let steps = "for (int i = 1; i < 11; i++) v[i] = u[i - 1] * u[i + 1];\n    for (int i = 1; i < 11; i++) u[i] = v[i];";
    let steps = format!("  for (int t = 0; t < 3; t++) {{\n    {steps}\n  }}\n");
    let run: String = (0..5_100).map(|k| format!("  u[{}] = 0.5 * u[{}] + 0.6 * v[{}];\n", k % 12, (k + 5) % 12, k % 10 + 1)).collect();
    let text = format!(
        "double f(const double x[12]) {{\n  double u[12], v[12], s = 0;\n  for (int i = 0; i < 12; i++) {{ u[i] = x[i]; v[i] = 0.0; }}\n\
         {steps}{run}{steps}  for (int i = 0; i < 12; i++) s += u[i];\n  return s;\n}}\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), &text).expect("written");
    overbar_ok(folder.path(), &["verify", "p.c", "--head", "f(f)/(x)", "--seed", "3"]);
    // Of the reverse sweep the loop in front of the run adds, and sets to zero, as it did: no zeros are carried into the run.
    let made = reverse(&text, "f(f)/(x)");
    assert!(made.contains("vb[i] += ub[i];") && made.matches("vb[i] = ub[i];").count() <= 1, "{made}");
}
