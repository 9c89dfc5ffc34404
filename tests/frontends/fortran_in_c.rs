//! The test programs of Fortran, with tangents and adjoints, written in C: how many go, and that compilers have nothing to say. What they compute is compared in
//! `languages.rs`.

use crate::common;

use common::{STRICT_C, overbar, root, runtime};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// How many programs go at least; the others are refused with a reason.
const AT_LEAST: usize = 150;

/// What C cannot say.
const REFUSALS: [&str; 9] = ["OB5101", "OB5102", "OB5103", "OB5105", "OB5106", "OB5109", "OB5110", "OB5115", "OB1055"];

/// What the text of another file gives has no name in C.
const NOT_ALONE: [&str; 1] = ["included.f"];

/// Compilers take arrays of these for unset, or sizes for negative, where loops run at least once.
const GUESSED: [&str; 7] =
    ["complex_blas.f", "left_below.f90", "ocean.f90", "parts_of_arrays.f90", "patterns.f90", "private_listed.f90", "small_vectors.f90"];

/// Programs with their heads.
fn programs() -> Vec<(PathBuf, Vec<String>)> {
    let mut out = Vec::new();
    for e in std::fs::read_dir(root().join("tests/fortran_programs")).expect("the folder") {
        let path = e.expect("an entry").path();
        if !matches!(path.extension().and_then(|e| e.to_str()), Some("f" | "f90" | "F90")) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("text");
        let heads: Vec<String> = text.lines().filter_map(|l| l.strip_prefix("! head: ")).map(|h| h.trim().to_owned()).collect();
        if !heads.is_empty() {
            out.push((path, heads));
        }
    }
    out.sort();
    out
}

/// `ok`, or what stands in the way.
fn outcome(at: &Path, number: usize, (file, heads): &(PathBuf, Vec<String>)) -> Result<(), String> {
    let path = file.to_str().expect("text");
    let name = |what: &str| format!("{number}.{what}");
    let run = |arguments: &[&str]| {
        let o = overbar(at, arguments);
        let said = String::from_utf8_lossy(&o.stderr).into_owned();
        if o.status.success() { Ok(()) } else { Err(common::codes(&said).first().map_or(said.clone(), |c| (*c).to_owned())) }
    };
    run(&["frontend", "fortran", path, "-o", &name("xaif")])?;
    let heads: Vec<&str> = heads.iter().flat_map(|h| ["--head", h.as_str()]).collect();
    run(&[&["boost", "-d", "-b", "--certificate", "none", &name("xaif"), "-o", &name("made.xaif")], &heads[..]].concat())?;
    run(&["backend", "c", &name("made.xaif"), "-o", &name("c")])?;
    let compiled =
        Command::new("gcc").current_dir(at).args(STRICT_C).args(["-c", &name("c"), "-o", "/dev/null"]).output().expect("gcc runs");
    let said = String::from_utf8_lossy(&compiled.stderr);
    if compiled.status.success() && said.is_empty() { Ok(()) } else { Err(format!("the compiler says\n{said}")) }
}

#[test]
fn programs_of_fortran_go_to_c_or_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    runtime(folder.path());
    let all = programs();
    let next = Mutex::new(all.iter().enumerate());
    let found = Mutex::new((BTreeMap::<String, usize>::new(), Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((k, asked)) = next.lock().expect("no thread panics").next() else { return };
                    let outcome = outcome(folder.path(), k, asked);
                    let mut found = found.lock().expect("no thread panics");
                    let word = match &outcome {
                        Ok(()) => "ok",
                        Err(code) if REFUSALS.contains(&code.as_str()) => code,
                        Err(_) if NOT_ALONE.iter().any(|n| asked.0.ends_with(n)) => "not alone",
                        Err(said) if GUESSED.iter().any(|n| asked.0.ends_with(n)) && !said.contains("error") => "guessed",
                        Err(other) => {
                            found.1.push(format!("{}: {other}", asked.0.display()));
                            "wrong"
                        }
                    };
                    *found.0.entry(word.to_owned()).or_default() += 1;
                }
            });
        }
    });
    let (counts, problems) = found.into_inner().expect("no thread panics");
    println!("of {} programs: {counts:?}", all.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(counts.get("ok").copied().unwrap_or_default() >= AT_LEAST, "{counts:?}");
}
