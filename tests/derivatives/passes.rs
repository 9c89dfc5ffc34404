//! Passes over finished reverse sweeps: derivatives are right whichever of them is left out, and each of them does something.

use crate::common;

use common::{overbar, overbar_ok, root};
use overbar::transform::passes::names;
use std::collections::BTreeSet;

/// Programs, with their heads, that together have something for every pass.
const PROGRAMS: [(&str, &str); 6] = [
    ("tests/c_programs/alongside.c", "alongside(alongside)/(x)"),
    ("tests/c_programs/exchanged.c", "exchanged(exchanged)/(x)"),
    ("tests/c_programs/adi.c", "adi(u)/(u,k)"),
    ("tests/c_programs/brown.c", "brown(fvec)/(x)"),
    ("tests/c_programs/cg.c", "cg(x)/(a,b)"),
    ("tests/fortran_programs/running_products.f90", "running_products(r,p)/(a,b,p)"),
];

#[test]
fn derivatives_are_right_without_any_of_them() {
    let mut useful: BTreeSet<&str> = BTreeSet::new();
    for (file, head) in PROGRAMS {
        let path = root().join(file);
        let asked = ["diff", path.to_str().expect("text"), "-b", "--head", head];
        let with_all = overbar_ok(&root(), &asked);
        // What is wrong is not written.
        let without = |passes: &str| overbar_ok(&root(), &[&asked[..], &["--passes", passes]].concat());
        useful.extend(names().filter(|n| without(&format!("-{n}")) != with_all));
        let all: Vec<String> = names().map(|n| format!("-{n}")).collect();
        assert_ne!(without(&all.join(",")), with_all, "{file}");
    }
    let idle: Vec<&str> = names().filter(|n| !useful.contains(n)).collect();
    assert!(idle.is_empty(), "these change nothing: {idle:?}");
}

#[test]
fn what_is_no_pass_is_an_error_of_usage() {
    for passes in ["-gathers", "merge", ""] {
        let o = overbar(&root(), &["diff", "tests/c_programs/adi.c", "-b", "--head", "adi(u)/(u,k)", "--passes", passes]);
        assert_eq!((o.status.code(), o.stdout.len()), (Some(2), 0), "{passes}");
    }
}
