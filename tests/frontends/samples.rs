//! Every sample: differentiated, compiled under strict flags without a warning, run by its driver, which compares with exact values.

use crate::common;

use common::{STRICT_C, STRICT_FORTRAN, overbar_ok, root, runtime, silently};

struct Sample {
    folder: &'static str,
    source: &'static str,
    driver: &'static str,
    heads: &'static [&'static str],
}

/// Differentiates a sample in both modes, statement by statement and with preaccumulated local Jacobians, and runs its driver.
fn check(sample: &Sample) {
    check_with(sample, "never");
    check_with(sample, "always");
}

fn check_with(sample: &Sample, preaccumulate: &str) {
    let folder = tempfile::tempdir().unwrap();
    let at = root().join("samples").join(sample.folder);
    let source = at.join(sample.source);
    let mut arguments = vec!["diff", source.to_str().unwrap(), "-d", "-b", "--preaccumulate", preaccumulate, "-o", sample.source];
    for head in sample.heads {
        arguments.extend(["--head", head]);
    }
    overbar_ok(folder.path(), &arguments);
    runtime(folder.path());
    let driver = at.join(sample.driver);
    let driver = driver.to_str().unwrap();
    let generated = std::fs::read_to_string(folder.path().join(sample.source)).unwrap();
    if sample.source.ends_with(".c") {
        let flags = |more: &[&'static str]| STRICT_C.iter().chain(more).copied().collect::<Vec<&str>>();
        silently(folder.path(), "gcc", &[flags(&["-c", "-o", "generated.o"]), vec![sample.source]].concat());
        silently(folder.path(), "gcc", &[flags(&["-o", "check"]), vec!["generated.o", driver, "-lm"]].concat());
    } else {
        // The user's own text decides which standard can be asked for.
        let fixed = sample.source.ends_with(".f");
        let flags: Vec<&str> =
            if fixed { vec!["-std=legacy", "-Wall", "-Wno-unused-dummy-argument", "-O2"] } else { STRICT_FORTRAN.to_vec() };
        silently(folder.path(), "gfortran", &[&flags[..], &["-c", "overbar_runtime.f90"]].concat());
        silently(folder.path(), "gfortran", &[&flags[..], &["-c", "-o", "generated.o", sample.source]].concat());
        silently(folder.path(), "gfortran", &["-O2", "-o", "check", driver, "generated.o", "overbar_runtime.o"]);
        if !generated.contains("overbar_runtime") {
            silently(folder.path(), "gfortran", &["-O2", "-o", "check", driver, "generated.o"]);
        }
    }
    print!("{}", silently(folder.path(), "./check", &[]));

    // The user's text stands in the output as it was.
    let original = std::fs::read_to_string(source).unwrap();
    let mut lines = generated.lines();
    for line in original.lines() {
        assert!(lines.any(|l| l == line), "{line:?} is gone");
    }
}

#[test]
fn griewank_fortran() {
    check(&Sample { folder: "griewank", source: "griewank.f90", driver: "driver.f90", heads: &["griewank(c)/(a)"] });
}

#[test]
fn griewank_c() {
    check(&Sample { folder: "griewank", source: "griewank.c", driver: "driver.c", heads: &["griewank/(x)"] });
}

#[test]
fn fragment() {
    check(&Sample { folder: "fragment", source: "fragment.c", driver: "driver.c", heads: &["fragment(x)/(x,y)"] });
}

#[test]
fn bratu() {
    check(&Sample { folder: "bratu", source: "bratu.f90", driver: "driver.f90", heads: &["bratu(f)/(x,prm)"] });
}

#[test]
fn control_flow() {
    check(&Sample { folder: "control_flow", source: "example.f90", driver: "driver.f90", heads: &["example(y)/(x)"] });
}

#[test]
fn chain() {
    check(&Sample { folder: "chain", source: "chain.c", driver: "driver.c", heads: &["chain/(x,y)", "chain_aliased/(x,y)"] });
}

#[test]
fn flw2d1col() {
    const HEAD: &str = "FLW2D1COL(rh3,rh4,sq)/(t3,pres,vnocl,g3,g4,rh3,rh4,sq)";
    check(&Sample { folder: "flw2d1col", source: "flw2d1col.f", driver: "driver.f90", heads: &[HEAD] });
}

#[test]
fn newton() {
    check(&Sample { folder: "newton", source: "newton.f90", driver: "driver.f90", heads: &["root(root)/(p,q)"] });
}

#[test]
fn pendulum() {
    check(&Sample { folder: "pendulum", source: "pendulum.c", driver: "driver.c", heads: &["energy/(angle,length,damping)"] });
}

/// The three stages as a pipe give byte for byte what `diff` gives.
#[test]
fn the_pipe_gives_what_diff_gives() {
    use common::overbar_with_input;
    let cases = [
        ("fortran", "griewank/griewank.f90", "griewank(c)/(a)"),
        ("fortran", "bratu/bratu.f90", "bratu(f)/(x,prm)"),
        ("fortran", "newton/newton.f90", "root(root)/(p,q)"),
        ("fortran", "flw2d1col/flw2d1col.f", "flw2d1col(rh3,rh4)/(t3,g3,g4)"),
        ("c", "fragment/fragment.c", "fragment(x)/(x,y)"),
        ("c", "pendulum/pendulum.c", "energy/(angle,length)"),
    ];
    let samples = root().join("samples");
    for (language, file, head) in cases {
        for mode in ["-d", "-b"] {
            let whole = overbar_ok(&samples, &["diff", file, mode, "--head", head]);
            let parsed = overbar_ok(&samples, &["frontend", language, file]);
            let boosted = overbar_with_input(&samples, &["boost", mode, "--head", head], parsed.as_bytes());
            assert!(boosted.status.success(), "{}", String::from_utf8_lossy(&boosted.stderr));
            let printed = overbar_with_input(&samples, &["backend", language], &boosted.stdout);
            assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
            assert_eq!(String::from_utf8_lossy(&printed.stdout), whole, "{file} {mode}");
        }
    }
}
