//! Options that do nothing for the input at hand are errors of usage; the same option where it applies is none.

use crate::common;

use common::{overbar, overbar_ok, overbar_with_input};
use std::path::Path;

const C: &str = "void f(double x, double y[1]) {\n  y[0] = x * x;\n}\n";
const FORTRAN: &str =
    "subroutine f(x, y)\n  double precision, intent(in) :: x\n  double precision, intent(out) :: y\n  y = x*x\nend subroutine\n";
const STOCK: &str = "two.xaif";

/// A folder with one file of each kind.
fn folder() -> tempfile::TempDir {
    let at = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(at.path().join(name), text).unwrap();
    put("f.c", C);
    put("f.f90", FORTRAN);
    put("g.F90", FORTRAN);
    put("graph.json", r#"{"vertices":[{"id":0},{"id":1}],"edges":[{"src":0,"dst":1}],"inputs":[0],"outputs":[1]}"#);
    overbar_ok(at.path(), &["frontend", "fortran", "f.f90", "--head", "f(y)/(x)", "-o", "f.xaif"]);
    overbar_ok(at.path(), &["boost", "f.xaif", "-d", "--dialect", "openad", "-o", "tangent.xaif"]);
    // The same with flags, as stock front ends write it.
    let flagged = std::fs::read_to_string(at.path().join("tangent.xaif")).unwrap();
    let from = flagged.find("<xaif:DerivativePropagator").expect("a propagator");
    let end = "</xaif:DerivativePropagator>";
    let to = flagged.rfind(end).expect("its end") + end.len();
    put(STOCK, &format!("{}{}", &flagged[..from], &flagged[to..]));
    at
}

/// Whether the command line is refused for that option.
fn refused(at: &Path, line: &[&str], option: &str) -> bool {
    let o = overbar(at, line);
    let err = String::from_utf8_lossy(&o.stderr);
    let told = o.status.code() == Some(2) && err.contains("OB0133") && err.contains(&format!("{option} does nothing"));
    if !told {
        println!("{line:?}: {:?}\n{err}", o.status);
    }
    told && o.stdout.is_empty()
}

#[test]
fn options_that_do_nothing_are_refused_everywhere() {
    let folder = folder();
    let at = folder.path();
    let head = ["--head", "f(y)/(x)"];
    let cases: &[(&[&str], &[&str])] = &[
        (&["diff", "f.c", "-b"], &["--free-form"]),
        (&["diff", "f.c", "-b"], &["--fixed-form"]),
        (&["diff", "f.f90", "-b"], &["--define", "N=3"]),
        (&["diff", "f.c", "-d"], &["--zero-init"]),
        (&["diff", "f.f90", "-d"], &["--may-overlap"]),
        (&["diff", "f.f90", "-b"], &["--may-overlap"]),
        (&["verify", "f.f90"], &["--may-overlap"]),
        (&["diff", "f.c", "-d"], &["--reversal", "split"]),
        (&["diff", "f.c", "-d"], &["--stats", "s.json"]),
        (&["diff", "f.c", "-d"], &["--checkpoint", "f:1=3"]),
        (&["diff", "f.c", "-d"], &["--adjoint-suffix", "_adj"]),
        (&["diff", "f.c", "-b"], &["--tangent-variable-suffix", "_tl"]),
        (&["diff", "f.c", "-b", "--preaccumulate", "never"], &["--order", "forward"]),
        (&["frontend", "c", "f.c"], &["--free-form"]),
        (&["boost", STOCK, "-b", "--preaccumulate", "never"], &["--order", "forward"]),
        (&["boost", STOCK, "-b"], &["--zero-init"]),
        (&["boost", STOCK, "-b"], &["--reversal", "joint"]),
        (&["boost", STOCK, "-b"], &["--adjoint-suffix", "_adj"]),
        (&["verify", "f.c"], &["--fc", "gfortran"]),
        (&["verify", "f.f90"], &["--cc", "cc"]),
        (&["verify", "f.c", "--run", "interpreter"], &["--cc", "cc"]),
        (&["verify", "f.xaif"], &["--define", "N=3"]),
        (&["verify", "f.c"], &["--free-form"]),
        (&["eval", "f.c"], &["--head", "f(y)/(x)"]),
        (&["eval", "f.xaif"], &["--include", "."]),
        (&["plot", "f.c", "--what", "cfg"], &["--line", "2"]),
        (&["plot", "f.c", "--what", "cfg"], &["--depth", "3"]),
        (&["plot", "f.c", "--what", "callgraph"], &["--head", "f(y)/(x)"]),
        (&["plot", "f.c", "--what", "lcg"], &["--order", "forward"]),
        (&["plot", "graph.json", "--what", "lcg"], &["--unit", "f"]),
        (&["report", "f.c", "--certificate", "none"], &["--steps", "10"]),
        (&["report", "f.c"], &["--cc", "cc"]),
    ];
    for (start, option) in cases {
        let own = matches!(start[0], "diff" | "verify" | "report");
        let line: Vec<&str> = start.iter().chain(*option).chain(head.iter().filter(|_| own)).copied().collect();
        assert!(refused(at, &line, option[0]), "{line:?}");
    }
}

#[test]
fn options_that_apply_are_accepted() {
    let folder = folder();
    let at = folder.path();
    let lines: &[&[&str]] = &[
        &["diff", "g.F90", "-b", "--define", "N=3", "--head", "f(y)/(x)"],
        &["diff", "g.F90", "-b", "--no-preprocessor", "--head", "f(y)/(x)"],
        &["diff", "f.c", "-b", "--define", "N=3", "--zero-init", "--reversal", "joint", "--adjoint-suffix", "_adj", "--head", "f(y)/(x)"],
        &["diff", "f.f90", "-d", "--free-form", "--include", ".", "--tangent-suffix", "_tl", "--head", "f(y)/(x)"],
        &["boost", STOCK, "-b"],
        &["boost", "f.xaif", "-b", "--preaccumulate", "always", "--order", "forward"],
        &["boost", STOCK, "-b", "--preaccumulate", "always"],
        &["boost", STOCK, "-b", "--order", "forward"],
        &["boost", STOCK, "-b", "--search", "10moves"],
        &["verify", "f.c", "--run", "interpreter", "--zero-init", "--head", "f(y)/(x)"],
        &["plot", "f.c", "--what", "lcg", "--line", "2", "--format", "dot"],
    ];
    for line in lines {
        overbar_ok(at, line);
    }
}

#[test]
fn a_batch_takes_options_that_help_some_of_its_files() {
    let folder = folder();
    let at = folder.path();
    std::fs::create_dir(at.join("in")).unwrap();
    for name in ["f.c", "f.f90"] {
        std::fs::copy(at.join(name), at.join("in").join(name)).unwrap();
    }
    let o = overbar(at, &["batch", "in", "-o", "out", "-b", "--define", "N=3", "--free-form"]);
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    assert!(refused(at, &["batch", "in", "-o", "other", "-d", "--zero-init"], "--zero-init"));
    std::fs::remove_file(at.join("in/f.f90")).unwrap();
    assert!(refused(at, &["batch", "in", "-o", "third", "-b", "--free-form"], "--free-form"));
}

/// What our own front ends write has no flags: heads say what is active, in the stock form too.
#[test]
fn heads_make_the_flags_of_stock_output() {
    let at = tempfile::tempdir().unwrap();
    let text = "subroutine inner(a, n, b)\n  integer, intent(in) :: n\n  double precision, intent(in) :: a\n  double precision, intent(out) :: b\n  b = a**n + 1\nend subroutine\n\
                subroutine f(x, c, n, y)\n  integer, intent(in) :: n\n  double precision, intent(in) :: x, c\n  double precision, intent(out) :: y\n  double precision :: t, u\n  integer :: i\n\
                y = 0\n  do i = 1, n\n    call inner(x*c, i, t)\n    call inner(c, i, u)\n    y = y + sin(t)*u\n  end do\nend subroutine\n";
    std::fs::write(at.path().join("f.f90"), text).unwrap();
    let document = overbar_ok(at.path(), &["frontend", "fortran", "f.f90", "--head", "f(y)/(x)"]);
    let values = r#"{"args":{"x":0.75,"c":1.25,"n":3},"seeds":{"x":1}}"#;
    std::fs::write(at.path().join("v.json"), values).unwrap();
    let (x, c) = (0.75f64, 1.25f64);
    let slope: f64 = (1..=3).map(|i| ((x * c).powi(i) + 1.0).cos() * f64::from(i) * (x * c).powi(i - 1) * c * (c.powi(i) + 1.0)).sum();
    let made = overbar_with_input(at.path(), &["boost", "-d", "--dialect", "openad"], document.as_bytes());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    std::fs::write(at.path().join("d.xaif"), &made.stdout).unwrap();
    overbar_ok(at.path(), &["validate", "d.xaif"]);
    let answer = overbar_ok(at.path(), &["eval", "d.xaif", "--unit", "f", "--input", "v.json"]);
    println!("{answer}");
    let told: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let found = told.pointer("/derivatives/y").or_else(|| told.pointer("/tangents/y")).and_then(|v| v.as_f64());
    assert!(found.is_some_and(|f| (f - slope).abs() < 1e-12), "{answer} {slope}");
    // Both ways of saying it give the same, and without one there is nothing to do.
    let bare = overbar_ok(at.path(), &["frontend", "fortran", "f.f90"]);
    let other = overbar_with_input(at.path(), &["boost", "-d", "--dialect", "openad", "--head", "f(y)/(x)"], bare.as_bytes());
    assert!(other.status.success(), "{}", String::from_utf8_lossy(&other.stderr));
    for mode in ["-d", "-b"] {
        let none = overbar_with_input(at.path(), &["boost", mode, "--dialect", "openad"], bare.as_bytes());
        assert!(!none.status.success() && String::from_utf8_lossy(&none.stderr).contains("OB4001"), "{mode}");
    }
}
