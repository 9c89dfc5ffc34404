//! Every program of the collections gets its certificate without being told any values: all heads pass, except for those that are listed here with what
//! comes out and why.
//!
//! `OVERBAR_PROGRAM=name[,name]` takes some of them.

mod common;

use common::{overbar, root};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

/// What does not simply pass: file, unit, verdict or code, and the reason.
const OTHERS: [(&str, &str, &str, &str); 1] =
    [("parameters.f90", "chain", "OB6065", "components of derived types are opaque to the interpreter")];

struct File {
    path: PathBuf,
    name: String,
    heads: Vec<String>,
}

fn files() -> Vec<File> {
    let wanted = std::env::var("OVERBAR_PROGRAM").unwrap_or_default();
    let mut out = Vec::new();
    for folder in ["tests/c_programs", "tests/fortran_programs"] {
        for e in std::fs::read_dir(root().join(folder)).expect("the folder") {
            let path = e.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let program = matches!(path.extension().and_then(|e| e.to_str()), Some("c" | "f" | "f90" | "F90"));
            if !program || !(wanted.is_empty() || wanted.split(',').any(|w| name.starts_with(w))) {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("text");
            let heads = text.lines().filter_map(|l| l.strip_prefix("//: head ").or_else(|| l.strip_prefix("! head: ")));
            out.push(File { heads: heads.map(|h| h.trim().to_owned()).collect(), path, name });
        }
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    out
}

fn expected(name: &str, head: &str) -> &'static str {
    let found = OTHERS.iter().find(|o| o.0 == name && head.split('(').next().is_some_and(|u| u.trim_end_matches('/') == o.1));
    found.map_or("pass", |o| o.2)
}

/// The verdict of each head, or the code with which there was none.
fn verdicts(file: &File, heads: &[&str]) -> Vec<(String, String)> {
    let mut arguments = vec!["verify", file.name.as_str(), "--run", "interpreter"];
    heads.iter().for_each(|h| arguments.extend(["--head", h]));
    let o = overbar(file.path.parent().expect("a folder"), &arguments);
    let (out, err) = (String::from_utf8_lossy(&o.stdout).into_owned(), String::from_utf8_lossy(&o.stderr).into_owned());
    let told: Vec<String> =
        out.lines().filter_map(|l| ["pass", "KINK", "WRONG"].iter().find(|w| l.starts_with(**w)).map(|w| w.to_string())).collect();
    if told.len() == heads.len() {
        return told.into_iter().map(|t| (t, out.clone())).collect();
    }
    let code = err.lines().rfind(|l| l.starts_with("OB")).unwrap_or("nothing").to_owned();
    heads.iter().map(|_| (code.clone(), err.clone())).collect()
}

#[test]
fn every_program_gets_its_certificate() {
    let files = files();
    let next = Mutex::new(files.iter());
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(file) = next.lock().expect("no thread panics").next() else { return };
                    let (plain, other): (Vec<&str>, Vec<&str>) =
                        file.heads.iter().map(String::as_str).partition(|h| expected(&file.name, h) == "pass");
                    // Those of which something else is expected one by one: a refusal would hide the others.
                    let groups = std::iter::once(plain).filter(|p| !p.is_empty()).chain(other.into_iter().map(|h| vec![h]));
                    for group in groups {
                        for (head, found) in group.iter().zip(verdicts(file, &group)) {
                            results.lock().expect("no thread panics").push((file.name.clone(), head.to_string(), found));
                        }
                    }
                }
            });
        }
    });
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    for (name, head, (found, said)) in results.into_inner().expect("no thread panics") {
        if found != expected(&name, &head) {
            problems.push(format!("{name} {head}: {found} instead of {}\n{said}", expected(&name, &head)));
        }
        *counts.entry(found).or_default() += 1;
    }
    problems.sort();
    println!("{counts:?}");
    for o in OTHERS {
        println!("{} {}: {} ({})", o.0, o.1, o.2, o.3);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(counts.get("pass").is_some_and(|&n| n >= 240) || std::env::var_os("OVERBAR_PROGRAM").is_some(), "{counts:?}");
}
