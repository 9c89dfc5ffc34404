//! Any folder of Fortran files that `OVERBAR_FORTRAN_CORPUS` names: each is parsed, none may panic; what is refused is counted by code.

use overbar_fortran::parse::{ParseOptions, SourceText, parse};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    entries.sort();
    for e in entries {
        if e.is_dir() {
            files(&e, out);
        } else if e.extension().is_some_and(|x| matches!(x.to_str(), Some("f" | "f90" | "for" | "F" | "F90" | "f95"))) {
            out.push(e);
        }
    }
}

#[test]
fn corpus() {
    let Ok(folder) = std::env::var("OVERBAR_FORTRAN_CORPUS") else {
        println!("skipped: OVERBAR_FORTRAN_CORPUS names no folder");
        return;
    };
    let mut all = Vec::new();
    files(Path::new(&folder), &mut all);
    let mut codes: BTreeMap<&'static str, (usize, String)> = BTreeMap::new();
    let (mut accepted, mut partly, mut units) = (0, 0, 0);
    for f in &all {
        let Ok(bytes) = std::fs::read(f) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let name = f.display().to_string();
        let fixed_form = f.extension().is_some_and(|x| matches!(x.to_str(), Some("f" | "for" | "F")));
        let source = SourceText { file: &name, text: &text };
        let diagnostics = match parse(&[source], &ParseOptions { fixed_form, ..ParseOptions::default() }) {
            Ok((p, w)) => {
                units += p.units.len();
                if w.is_empty() {
                    accepted += 1
                } else {
                    partly += 1
                }
                for d in xaif::validate::semantics(&p).into_iter().filter(|d| d.is_error()) {
                    println!("INVALID {name}: {d}");
                }
                w
            }
            Err(d) => d,
        };
        for d in diagnostics {
            let entry = codes.entry(d.code).or_insert((0, d.to_string()));
            entry.0 += 1;
            if std::env::var("OVERBAR_FORTRAN_VERBOSE").is_ok_and(|v| v == d.code) {
                println!("{d}");
            }
        }
    }
    println!("{} files: {accepted} accepted, {partly} in part, {} refused; {units} units", all.len(), all.len() - accepted - partly);
    for (code, (n, example)) in codes {
        println!("{code} {n:5} {example}");
    }
}
