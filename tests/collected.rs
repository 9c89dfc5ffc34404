//! Factors of one adjoint are added up where that saves multiplications and nothing else is lost; loops that read records run downward where their rounds are
//! independent. That what comes out is right is told by `c_programs/factors.c`, `c_programs/records_in_order.c`, `fortran_programs/factors.f90`, by random programs and by
//! certificates.

mod common;

use common::overbar_ok;

/// The adjoint of a C program in one line.
fn adjoint(text: &str, head: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), text).expect("written");
    overbar_ok(folder.path(), &["diff", "p.c", "-b", "--no-primal", "--head", head, "-o", "out.c"]);
    std::fs::read_to_string(folder.path().join("out.c")).expect("text").split_whitespace().collect::<Vec<_>>().join(" ")
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
    let (_, middle) = made.rsplit_once("for (int i").expect("a loop");
    assert_eq!(middle.matches("yb[i]").count() + made.matches("xb[i]").count(), 0, "{made}");
}
