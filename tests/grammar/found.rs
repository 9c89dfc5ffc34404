//! Programs that failed once, shrunk, as source files in `tests/grammar/found`. Their first lines say what is asked of them: the head, and options.
//!
//! Never here: what is checked of them.

use std::path::PathBuf;
use xaif::model::Head;

/// A program with its request.
pub struct Case {
    pub name: String,
    pub fortran: bool,
    pub fixed: bool,
    pub text: String,
    pub head: Head,
    pub options: overbar::Options,
}

/// All of them, by name.
pub fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/grammar/found");
    let Ok(list) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = list.filter_map(|e| Some(e.ok()?.path())).collect();
    files.sort();
    files.iter().map(|file| case(file)).collect()
}

fn case(file: &std::path::Path) -> Case {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{name}: {e}"));
    let word = |key: &str| {
        text.lines().find_map(|l| l.split_once(&format!("{key}: "))).map(|(_, v)| v.trim().trim_end_matches("*/").trim().to_owned())
    };
    let head = word("head").unwrap_or_else(|| panic!("{name} has no head"));
    let (unit, rest) = head.split_once('(').unwrap_or_else(|| panic!("{name}: {head}"));
    let (ds, is) = rest.split_once(")/(").unwrap_or_else(|| panic!("{name}: {head}"));
    let list = |l: &str| Some(l.trim_end_matches(')').split(',').map(|s| s.trim().to_owned()).collect());
    let options = word("options").unwrap_or_default();
    let has = |w: &str| options.split(' ').any(|o| o == w);
    use overbar::transform::{Directions, Preaccumulate, Reversal};
    Case {
        fortran: !name.ends_with(".c"),
        fixed: name.ends_with(".f"),
        head: Head { unit: unit.to_owned(), dependents: list(ds), independents: list(is) },
        options: overbar::Options {
            directions: if has("vector") { Directions::Counted } else { Directions::One },
            zero_init: has("zero-init"),
            reversal: if has("split") { Reversal::Split } else { Reversal::Auto },
            preaccumulate: if has("always") { Preaccumulate::Always } else { Preaccumulate::Auto },
            ..overbar::Options::default()
        },
        name,
        text,
    }
}
