//! Fortran to XAIF and back: what comes out compiles without a warning, says the same, and comes out the same once more.

use overbar_fortran::{ParseOptions, UnparseOptions, parse, parse::SourceText, unparse};
use std::path::{Path, PathBuf};
use std::process::Command;
use xaif::Program;

fn program(file: &str, text: &str, fixed_form: bool) -> Program {
    let options = ParseOptions { fixed_form, ..ParseOptions::default() };
    match parse(&[SourceText { file, text }], &options) {
        Ok((p, _)) => p,
        Err(d) => panic!("{}", d.iter().map(|d| format!("{d}\n")).collect::<String>()),
    }
}

/// The program printed from the model alone.
fn printed(mut p: Program) -> String {
    for s in &mut p.sources {
        s.text.clear();
    }
    match unparse(&p, &UnparseOptions::default()) {
        Ok(out) => out.source,
        Err(d) => panic!("{}", d.iter().map(|d| format!("{d}\n")).collect::<String>()),
    }
}

fn gfortran(folder: &Path, arguments: &[&str]) -> String {
    let out = Command::new("gfortran").args(arguments).current_dir(folder).output().expect("gfortran is installed");
    let complaints = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{complaints}");
    // What only complains of the text as it was written.
    let excepted = ["COMMON block", "-Walign-commons", "-Wunused-dummy-argument", "-Wunused-value", "-Wmaybe-uninitialized"];
    complaints.lines().filter(|l| l.starts_with("Warning:") && !excepted.iter().any(|e| l.contains(e))).map(|l| format!("{l}\n")).collect()
}

fn files() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![here.join("tests/samples"), here.join("../../samples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            // Of several files that belong together only the first can be read by itself.
            let fortran = path.extension().is_some_and(|e| e == "f90" || e == "f");
            if path.is_dir() {
                folders.push(path);
            } else if fortran && path.file_stem().is_some_and(|s| s != "driver" && s != "mixed" && s != "decay") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn samples_survive_the_way_there_and_back() {
    let files = files();
    assert!(files.len() >= 3, "{files:?}");
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let fixed = path.extension().is_some_and(|e| e == "f");
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        let once = printed(program(&file, &text, fixed));
        let twice = printed(program(&file, &once, fixed));
        for (i, text) in [once, twice].iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(&file), text).unwrap();
            let complaints = gfortran(folder.path(), &["-std=f2018", "-Wall", "-c", &file]);
            assert!(complaints.is_empty(), "{i} {complaints}\n{text}");
        }
    }
}

#[test]
fn text_without_derivatives_comes_back_as_it_was() {
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let fixed = path.extension().is_some_and(|e| e == "f");
        let p = program(path.file_name().unwrap().to_str().unwrap(), &text, fixed);
        assert_eq!(unparse(&p, &UnparseOptions::default()).unwrap().source, text);
    }
}
