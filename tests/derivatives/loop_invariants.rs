//! What runs in front of a loop because it is the same in all iterations, and what must not; one division for several. Each body is verified, and looked at.

use crate::common;

use common::verified_c_adjoint;

/// The adjoint of a body with `p` and `q`, verified by the tool.
fn adjoint(body: &str) -> String {
    let text = format!(
        "#include <math.h>\ndouble f(int n, const double x[restrict n], const double y[restrict n], double z) {{\n  double p = 1.0, q = 2.0, w[3] = {{1, 2, 3}};\n  {body}\n  return p + q * w[0] * w[1] * w[2];\n}}\n"
    );
    verified_c_adjoint(&text, "f(f)/(x,y,z)")
}

const MOVED: [(&str, &str); 8] = [
    ("a statement", "for (int i = 0; i < n; i++) { double e = exp(z); p += e * x[i]; }"),
    ("a chain", "for (int i = 0; i < n; i++) { double s = z * z, e = exp(s), c = s * e; p += c * x[i] * e; }"),
    ("a loop", "for (int i = 0; i < n; i++) { for (int k = 0; k < 3; k++) w[k] = sqrt(1 + z * z + k); p += w[i % 3] * x[i]; }"),
    (
        "a sum that starts anew",
        "for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < 3; k++) s += sin(k * z); p += s * s * x[i]; }",
    ),
    ("an arm", "for (int i = 0; i < n; i++) { if (z > 0.2) { double e = exp(z); p += e * x[i]; } else p -= x[i]; }"),
    ("out of two loops", "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double e = exp(z); p += e * x[i] * y[j]; }"),
    ("downward", "for (int i = n - 1; i >= 0; i--) { double e = exp(z); p += e * x[i]; }"),
    ("what is read behind the loop", "for (int i = 0; i < n; i++) { q = exp(z); p += q * x[i]; }"),
];

const STAYS: [(&str, &str); 9] = [
    ("reads an element of its own", "for (int i = 0; i < n; i++) { double e = exp(y[i]); p += e * x[i]; }"),
    ("is read before it is set", "for (int i = 0; i < n; i++) { p += q * x[i]; q = exp(z); }"),
    ("is set in another place, too", "for (int i = 0; i < n; i++) { q = exp(z); if (x[i] > 0.5) q = x[i]; p += q * x[i]; }"),
    ("depends on itself", "for (int i = 0; i < n; i++) { q = sin(q + z); p += q * x[i]; }"),
    ("reads what changes", "for (int i = 0; i < n; i++) { double e = exp(p * z); p += e * x[i]; }"),
    ("stands behind a condition that changes", "for (int i = 0; i < n; i++) if (x[i] > 0.5) { q = exp(z); p += q * x[i]; }"),
    (
        "an array that another loop changes",
        "for (int i = 0; i < n; i++) { for (int k = 0; k < 3; k++) w[k] = z * k; w[i % 3] = x[i]; p += w[0] * w[1]; }",
    ),
    ("is all that there is", "for (int i = 0; i < n; i++) q = exp(z);"),
    ("a sum that goes on", "for (int i = 0; i < n; i++) { for (int k = 0; k < 3; k++) q += sin(k * z); p += q * x[i]; }"),
];

#[test]
fn what_stays_the_same_runs_once() {
    for (name, body) in MOVED {
        let made = adjoint(body);
        assert!(made.contains("if (n > 0)") || made.contains("if (n - 1 >= 0)"), "{name}: {made}");
    }
}

#[test]
fn what_changes_runs_each_time() {
    for (name, body) in STAYS {
        let made = adjoint(body);
        assert!(!made.contains("if (n > 0)"), "{name}: {made}");
    }
}

#[test]
fn loops_with_iterations_need_no_guard() {
    let made = adjoint("for (int i = 0; i < 3; i++) { double e = exp(z); p += e * w[i] * q; w[i] += e; }");
    let before = made.split("for (").next().expect("a loop");
    assert!(!made.contains("if (") && before.contains("= exp(z)"), "{made}");
}

#[test]
fn one_division_for_several() {
    for (body, reciprocals) in [
        ("for (int i = 0; i < n; i++) { double d = x[i] * y[i] + 1, u = z / d, v = x[i] / d; p += u * v * v; }", 1),
        ("for (int i = 0; i < n; i++) { double u = z / x[i], v = y[i] / x[i]; p += u * v * v; }", 1),
        // By two values; by a constant; once.
        ("for (int i = 0; i < n; i++) { double u = z / x[i], v = z / y[i]; p += u * v * v; }", 0),
        ("for (int i = 0; i < n; i++) { double u = x[i] / 3, v = y[i] / 3; p += u * v * v; }", 0),
        ("for (int i = 0; i < n; i++) p += y[i] / x[i];", 0),
    ] {
        let made = adjoint(body);
        assert_eq!(made.matches("r = 1.0 / ").count(), reciprocals, "{body}: {made}");
    }
}
