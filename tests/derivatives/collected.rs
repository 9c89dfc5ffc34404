//! Factors of one adjoint are added up where that saves multiplications and nothing else is lost; loops run upward where their iterations are independent. That what comes out is right is told by `c_programs/factors.c`, `c_programs/upward.c`, `fortran_programs/factors.f90`, by random programs and by
//! certificates.

use crate::common;

use common::c_adjoint;

/// The adjoint of a C program in one line.
fn adjoint(text: &str, head: &str) -> String {
    c_adjoint(text, head, &[])
}

/// The adjoint of one assignment in a loop.
fn of(rhs: &str) -> String {
    let text = format!(
        "void f(int n, int k, const double x[restrict n], const float p[restrict n], double y[restrict n]) {{\n  \
         for (int i = 1; i < n - 1; i++)\n    y[i] = {rhs};\n}}\n"
    );
    adjoint(&text, "f(y)/(x,p)")
}

#[test]
fn factors_of_one_adjoint_are_added_up() {
    let made = of("3.0 * x[i] + 2.0 * x[i - 1] * x[i] - 4.0 * x[i + 1] * x[i]");
    assert!(made.contains("(3.0 + 2.0 * x[i - 1] - 4.0 * x[i + 1]) * yb[i]"), "{made}");
    assert!(!made.contains("3.0 * yb"), "{made}");
    // Different elements are different adjoints.
    assert!(made.contains("xb[i] += 2.0 * x[i + 1] * yb[i + 1] + (") && made.contains("- 4.0 * x[i - 1] * yb[i - 1];"), "{made}");
}

#[test]
fn quotients_stay_quotients() {
    let made = of("x[i] / 3.0 - x[i] / x[i - 1]");
    assert!(made.contains("yb[i] / 3.0 - yb[i] / x[i - 1]"), "{made}");
}

#[test]
fn other_precisions_keep_their_rounding() {
    let made = of("2.0 * p[i] - 3.0 * p[i] * p[i]");
    assert!(made.contains("pb[i] += 2.0 * yb[i] - 6.0 * p[i] * yb[i];"), "{made}");
}

#[test]
fn integers_are_not_multiplied_by_each_other() {
    let made = of("k * x[i] + k * k * x[i]");
    assert!(made.contains("xb[i] += k * yb[i] + k * k * yb[i];"), "{made}");
}

/// A loop over time, in line 5.
fn in_time_text(steps: &str) -> String {
    format!(
        "#include <stdlib.h>\ndouble f(int n, int nt, const double x[n]) {{\n  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), s = 0;\n  \
         for (int i = 0; i < n; i++) {{ u[i] = x[i]; v[i] = 0.0; }}\n  for (int t = 0; t < nt; t++) {{\n{steps}\n  }}\n  \
         for (int i = 0; i < n; i++) s += u[i];\n  free(u);\n  free(v);\n  return s;\n}}\n"
    )
}

/// The same with arrays of different lengths, which cannot change places.
fn of_two_lengths(text: &str) -> String {
    text.replace("*v = malloc(n ", "*v = malloc((n + 1) ")
}

/// Its reverse sweep.
fn in_time(steps: &str) -> String {
    let made = adjoint(&in_time_text(steps), "f(f)/(x)");
    made.split_once("double sb").map_or(made.clone(), |(_, r)| r.to_owned())
}

#[test]
fn loops_of_independent_iterations_run_upward() {
    let step = "for (int i = 1; i < n - 1; i++) v[i] = u[i] * u[i + 1] + u[i - 1];\nfor (int i = 1; i < n - 1; i++) u[i] = v[i];";
    let made = adjoint(&of_two_lengths(&in_time_text(step)), "f(f)/(x)");
    assert!(made.contains("for (int i = 2; i <= n - 3; i++) ub[i] = vb[i + 1] + u_tape[t][i] * vb[i]"), "{made}");
    // A copy.
    assert!(made.contains("for (int i = 1; i < n - 1; i++) { /* u[i] = v[i]; */ vb[i] = ub[i]; }"), "{made}");
    // With a scalar that each iteration sets for itself.
    let made = in_time("for (int i = 0; i < n; i++) u[i] = sin(u[i] * x[i]) / (1.0 + u[i] * u[i]);");
    assert!(made.contains("for (int i = 0; i < n; i++) { /* u[i]"), "{made}");
}

/// Iterations that only add to what they have in common, or have elements of their own, whatever the subscripts look like.
#[test]
fn loops_with_sums_and_flat_subscripts_run_forward() {
    let up = |made: String, head: &str| assert!(made.contains(head), "{made}");
    // All iterations read one element and add to others, or add to one.
    up(in_time("for (int i = 1; i < n; i++) u[0] += u[i] * u[i];"), "for (int i = 1; i < n; i++)");
    let sum = "double f(int n, const double x[n], double a) { double s = 0; for (int i = 0; i < n; i++) s += a * x[i]; return s; }";
    up(adjoint(sum, "f(f)/(x,a)"), "for (int i = 0; i < n; i++)");
    // Local scalars, a branch, an inner loop, rows of an array in one dimension.
    let rows = "void f(int n, int m, const double x[restrict 99], double y[restrict 99], const double c[restrict 3]) {\n  \
         for (int i = 0; i < n; i++) {\n    double t = x[i * m] * c[0];\n    for (int j = 0; j < m; j++) {\n      \
         double u = sin(t) * x[i * m + j];\n      if (u > 0.0) y[i * m + j] = u * u; else y[i * m + j] = u * t * c[1];\n    }\n  }\n}\n";
    up(adjoint(&format!("#include <math.h>\n{rows}"), "f(y)/(x,c)"), "for (int i = 0; i < n; i++)");
}

#[test]
fn other_loops_run_backward() {
    // Iterations that use what others set.
    let made = in_time("for (int i = 1; i < n - 1; i++) u[i] = u[i] * u[i + 1] + u[i - 1];");
    assert!(made.contains("for (int i = n - 2; i >= 1; i--)"), "{made}");
    // A scalar that the iteration before has left.
    let made = adjoint(
        "double f(int n, const double x[n]) { double s = 1, t = 1; for (int i = 0; i < n; i++) { t = t * x[i] + s; s = s + t; } return s; }",
        "f(f)/(x)",
    );
    assert!(made.contains("for (int i = n - 1; i >= 0; i--)"), "{made}");
    // Where what ends a loop lies in memory, it is looked up once.
    let made = adjoint(
        "void f(const int row[restrict 2], const double x[restrict 9], double y[restrict 9]) {\n  \
         for (int i = row[0]; i < row[1]; i++)\n    y[i] = 2.0 * x[i];\n}\n",
        "f(y)/(x)",
    );
    assert!(made.contains("for (int i = row[1] - 1; i >= row[0]; i--)"), "{made}");
}

#[test]
fn records_are_made_where_the_value_is_read() {
    let step = "/* A step. */\nfor (int i = 1; i < n - 1; i++) v[i] = u[i] * u[i + 1] + u[i - 1];\n";
    let made = |steps: String| adjoint(&of_two_lengths(&in_time_text(&steps)), "f(f)/(x)");
    let one = made(format!("{step}/* Its end. */\nfor (int i = 1; i < n - 1; i++) u[i] = v[i];"));
    let both = "for (int i = 1; i < n - 1; i++) { u_tape[t][i - 1] = u[i]; v[i] = u[i] * u[i + 1] + u[i - 1]; } \
                /* Its end. */ for (int i = 1; i < n - 1; i++) u[i] = v[i];";
    assert!(one.contains(both), "{one}");
    // Other iterations; a statement between.
    for rest in ["for (int i = 1; i < n - 2; i++) u[i] = v[i];", "u[0] *= v[1];\nfor (int i = 1; i < n - 1; i++) u[i] = v[i];"] {
        let made = made(format!("{step}{rest}"));
        assert!(made.contains("[t][i - 1] = u[i]; u[i] = v[i];"), "{made}");
    }
}

/// Iterations that are recorded together run in a loop inside of another one. Numbers are compared in `c_programs/nested_steps.c` and `checkpoints.rs`.
#[test]
fn records_are_read_directly_inside_of_another_loop() {
    let text =
        in_time_text("for (int i = 1; i < n - 1; i++) v[i] = u[i] * u[i + 1] + u[i - 1];\nfor (int i = 1; i < n - 1; i++) u[i] = v[i];");
    let made = c_adjoint(&of_two_lengths(&text), "f(f)/(x)", &["--checkpoint", "f:5=4,every:4"]);
    assert!(made.contains("vb[i] = ub[i];") && !made.contains("vb[i] += ub[i]"), "{made}");
    assert!(made.contains("ub[i] = vb[i + 1] + u_tape[t - done][i] * vb[i]"), "{made}");
}

#[test]
fn factors_in_common_are_multiplied_once() {
    let made = in_time(
        "    double d = 0.25;\n    for (int i = 1; i < n - 1; i++) v[i] = u[i] + d * (u[i + 1] - 2.0 * u[i] + u[i - 1]);\n    \
         for (int i = 1; i < n - 1; i++) u[i] = v[i];",
    );
    assert!(made.contains("ub[i] = d * (vb[i + 1] - 2.0 * vb[i] + vb[i - 1]) + vb[i];"), "{made}");
}

/// Work arrays of the forward sweep are gone when their adjoints come; those that no sweep uses are not there.
#[test]
fn arrays_are_held_while_they_are_used() {
    let text = "#include <stdlib.h>\ndouble f(int n, const double x[n]) {\n  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), s = 0;\n  \
         double *w = malloc(n * sizeof *w);\n  for (int i = 0; i < n; i++) { v[i] = 2.0 * x[i]; u[i] = v[i] + 1.0; w[i] = u[i]; }\n  \
         for (int i = 0; i < n; i++) s += u[i] * u[n - 1 - i] + w[i];\n  free(u);\n  free(v);\n  free(w);\n  return s;\n}\n";
    let made = adjoint(text, "f(f)/(x)");
    let at = |text: &str| made.find(text).unwrap_or_else(|| panic!("{text}: {made}"));
    assert!(at("free(v);") < at("*vb =") && at("free(v);") < at("*ub =") && at("free(u);") < at("free(ub);"), "{made}");
    assert!(!made.contains("free(w)"), "{made}");
}
