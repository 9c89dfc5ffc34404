//! A Fortran kernel, its tangent and its adjoint written in C: the same numbers as in Fortran.

mod common;
use common::{overbar_ok, root, runtime, silently};

/// Words that are numbers agree to 13 digits, others exactly.
fn close(a: &str, b: &str) -> bool {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => (x - y).abs() <= 1e-13 * (1.0 + x.abs()),
        _ => a == b,
    }
}

#[test]
fn a_fortran_kernel_computes_the_same_in_c() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let data = root().join("tests/languages");
    for name in ["kernel.f90", "driver.c"] {
        std::fs::copy(data.join(name), dir.join(name)).unwrap();
    }
    runtime(dir);
    overbar_ok(dir, &["frontend", "fortran", "kernel.f90", "-o", "kernel.xaif"]);
    overbar_ok(dir, &["boost", "-b", "-d", "--head", "smooth(v,s)/(u,v)", "--head", "mm(c)/(a,b)", "kernel.xaif", "-o", "boosted.xaif"]);
    overbar_ok(dir, &["backend", "c", "boosted.xaif", "-o", "kernel.c"]);
    overbar_ok(dir, &["backend", "fortran", "boosted.xaif", "-o", "boosted.f90"]);
    silently(dir, "gcc", &["-std=c11", "-Wall", "-Wextra", "-pedantic", "-O2", "-c", "kernel.c"]);
    silently(dir, "gcc", &["-std=c11", "driver.c", "kernel.o", "-lm", "-o", "in_c"]);
    silently(dir, "gfortran", &["-O2", "-c", "overbar_runtime.f90", "boosted.f90"]);
    silently(dir, "gcc", &["-std=c11", "-DFROM_FORTRAN", "-c", "driver.c"]);
    silently(dir, "gfortran", &["driver.o", "boosted.o", "overbar_runtime.o", "-o", "in_fortran"]);
    let [c, fortran] = ["./in_c", "./in_fortran"].map(|p| silently(dir, dir.join(p).to_str().unwrap(), &[]));
    assert!(c.lines().count() > 90);
    for (k, (a, b)) in c.lines().zip(fortran.lines()).enumerate() {
        let same = a.split(' ').count() == b.split(' ').count() && a.split(' ').zip(b.split(' ')).all(|(x, y)| close(x, y));
        assert!(same, "line {k}:\n{a}\n{b}");
    }
}
