//! Programs that failed once, shrunk, as XAIF files in `tests/random/found`: the number in the name is the seed of the point.
//!
//! Never here: what is checked of them.

use super::tree::Tree;
use std::path::PathBuf;
use xaif::Program;
use xaif::read::{Limits, read};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/random/found")
}

/// Adds one.
pub fn keep(tree: &Tree, seed: u64) {
    let file = folder().join(format!("seed_{seed}.xaif"));
    match std::fs::create_dir_all(folder()).and_then(|()| std::fs::write(&file, xaif::write::write(&tree.build()))) {
        Ok(()) => println!("written to {}", file.display()),
        Err(e) => println!("{}: {e}", file.display()),
    }
}

/// All of them, with their names and seeds.
pub fn cases() -> Vec<(String, Program, u64)> {
    let Ok(list) = std::fs::read_dir(folder()) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        list.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.extension().is_some_and(|e| e == "xaif")).collect();
    files.sort();
    let mut out = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let seed = name.trim_start_matches("seed_").trim_end_matches(".xaif").parse().unwrap_or_else(|_| panic!("{name} names no seed"));
        let bytes = std::fs::read(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (program, _) = read(&name, &bytes, &Limits::default()).unwrap_or_else(|d| panic!("{name}: {d:?}"));
        out.push((name, program, seed));
    }
    out
}
