//! Recurrences of adjoints that run beside those that they reverse, and those that cannot. Each body is verified, and looked at.

use crate::common;

use common::verified_c_adjoint;

/// The adjoint of a body with `p` and `q`, verified by the tool.
fn adjoint(body: &str) -> String {
    let text = format!(
        "#include <math.h>\ndouble f(int n, const double x[restrict n], const double y[restrict n], double z) {{\n  double p = 1.0, q = 2.0;\n  {body}\n}}\n"
    );
    verified_c_adjoint(&text, "f(f)/(x,y,z)")
}

const INTERLEAVED: [(&str, &str); 8] = [
    ("a product", "for (int i = 0; i < n; i++) p *= x[i];\nreturn p;"),
    ("a linear recurrence", "for (int i = 0; i < n; i++) p = p * y[i] + x[i];\nreturn z * 2.0 - p;"),
    ("two of them", "for (int i = 0; i < n; i++) { p *= x[i]; q = q * y[i] - x[i]; }\nreturn p - q;"),
    ("from the end on", "for (int i = 1; i < n; i++) p = (y[i] + 1.0) * p / x[i];\nreturn p + z;"),
    ("one for each row", "for (int k = 0; k < 3; k++) {\n p = 1.0;\n for (int i = 0; i < n; i++) p *= x[i] + k;\n q += p;\n}\nreturn q;"),
    ("after something", "p = sin(z);\nfor (int i = 0; i < n; i++) p *= x[i];\nreturn p;"),
    ("one behind the other", "for (int i = 0; i < n; i++) p *= x[i];\nfor (int i = 0; i < n; i++) q *= y[i];\nreturn p - q;"),
    ("factors of several", "for (int i = 0; i < n; i++) p *= x[i] * y[i] - z * 0.0;\nreturn p;"),
];

const NOT: [(&str, &str); 8] = [
    (
        "needed before the loop",
        "p = z;\nq = z * p;\nfor (int i = 0; i < n; i++) p *= x[i];\nq = q * p;\nfor (int i = 0; i < n; i++) p *= x[i];\nreturn p + q;",
    ),
    ("an end that the loop knows", "for (int i = 0; i < n; i++) p *= x[i];\nreturn log(fabs(p));"),
    ("factors that the loop knows", "for (int i = 0; i < n; i++) p = p * x[i] * p;\nreturn p;"),
    ("neighbours", "for (int i = 1; i < n; i++) p *= x[i] - x[i - 1];\nreturn p;"),
    ("a sum", "for (int i = 0; i < n; i++) p = p * z + x[i];\nreturn p;"),
    ("functions", "for (int i = 0; i < n; i++) p *= cos(x[i]);\nreturn p;"),
    ("one recurrence in another", "for (int i = 0; i < n; i++) { p *= x[i]; q = q * y[i] + p * p; }\nreturn q;"),
    ("another order", "for (int i = 0; i < n; i++) p *= x[n - 1 - i] + x[i];\nreturn p;"),
];

#[test]
fn what_is_known_before_runs_beside() {
    for (name, body) in INTERLEAVED {
        let made = adjoint(body);
        assert!(made.contains("b_tape[n - 1 - i") || made.contains("b_tape[n - i") || made.contains("b_tape[1 + n"), "{name}: {made}");
    }
}

#[test]
fn what_is_not_known_before_stays_behind() {
    for (name, body) in NOT {
        let made = adjoint(body);
        assert!(made.contains("i >= "), "{name}: {made}");
    }
}
