//! The Python package: its own tests, with an interpreter that has NumPy.

use crate::common::root;

use std::path::Path;
use std::process::Command;

/// An interpreter with these modules; the system's own has what Debian's packages bring.
fn interpreter(modules: &str) -> Option<&'static str> {
    let has = |python: &&str| Command::new(python).args(["-c", &format!("import {modules}")]).output().is_ok_and(|o| o.status.success());
    let found = ["python3", "/usr/bin/python3"].into_iter().find(has);
    if found.is_none() {
        println!("skipped: no Python with {modules} is there");
    }
    found
}

#[test]
fn the_package_passes_its_tests() {
    let Some(python) = interpreter("numpy, scipy.optimize") else { return };
    let path =
        format!("{}:{}", Path::new(env!("CARGO_BIN_EXE_overbar")).parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let o = Command::new(python)
        .args(["-B", "-m", "unittest", "discover", "-s", "tests"])
        .current_dir(root().join("python"))
        // More threads than that do nothing for arrays of a few numbers.
        .envs([("PATH", path.as_str()), ("PYTHONPATH", "."), ("OPENBLAS_NUM_THREADS", "1")])
        .output()
        .unwrap();
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
}
