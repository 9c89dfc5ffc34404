//! Arrays whose rows are laid out by hand have them where the rows do not overlap for certain. That what comes out is right is told by `c_programs/rows_stencil.c` and its neighbours,
//! `fortran_programs/laid_out_rows.f90`, by random programs and by certificates.

use crate::common;

use common::c_adjoint;

/// A product of neighbours in rows of `stride` elements, for `j` from `first` to `last`.
fn neighbours(stride: &str, first: &str, last: &str) -> String {
    let text = format!(
        "void f(int n, int m, const double *x, double *y) {{\n  for (int i = 0; i < n; i++)\n    for (int j = {first}; j < {last}; j++) {{\n      \
         int c = i * ({stride}) + j;\n      y[c] = x[c] * x[c - 1];\n    }}\n}}\n"
    );
    c_adjoint(&text, "f(y)/(x)", &[])
}

/// Whether the inner loop adds up for each element what is there for it.
fn is_gathered(made: &str) -> bool {
    made.contains("j <= m - 2; j++) xb[i * m + j] +=")
}

#[test]
fn rows_that_do_not_overlap_are_seen() {
    let made = neighbours("m", "1", "m");
    assert!(is_gathered(&made), "{made}");
    assert!(!made.contains(" c "), "{made}");
}

#[test]
fn rows_that_overlap_are_none() {
    for (first, last) in [("0", "m"), ("1", "m + 1"), ("1", "n")] {
        let made = neighbours("m", first, last);
        assert!(made.contains("c = i * m + j;"), "{first} {last}: {made}");
    }
}

#[test]
fn lengths_that_change_are_none() {
    let text = "void f(int n, int m, const double *x, double *y) {\n  for (int i = 0; i < n; i++) {\n    for (int j = 1; j < m; j++)\n      y[i * m + j] = x[i * m + j] * x[i * m + j - 1];\n    m--;\n  }\n}\n";
    let made = c_adjoint(text, "f(y)/(x)", &[]);
    assert!(!is_gathered(&made), "{made}");
}

#[test]
fn columns_keep_nothing_of_each_other() {
    let text = "#include <math.h>\nvoid f(int n, int m, const double *x, double *y) {\n  for (int c = 0; c < n; c++) {\n    double t[m + 1], *d = y + c * (m + 1);\n    t[0] = 1;\n    \
                for (int i = 0; i < m; i++)\n      t[i + 1] = sin(x[c * m + i]) * t[i];\n    d[0] = t[m];\n    for (int i = 0; i < m; i++)\n      d[i + 1] = d[i] * t[i];\n  }\n}\n";
    let made = c_adjoint(text, "f(y)/(x)", &[]);
    // One loop over the columns.
    assert_eq!(made.matches("; c < n; c++)").count() + made.matches("; c >= 0; c--)").count(), 1, "{made}");
}
