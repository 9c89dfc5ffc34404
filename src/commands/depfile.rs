//! `--depfile`: what an output is made from, as a rule for Make; Ninja, CMake and Meson read it too.

use super::steps::Aside;
use crate::arguments::Diff;
use crate::console::included;
use crate::console::report::Session;
use std::path::{Path, PathBuf};

/// The rule: outputs, and behind the colon all files that were read. Every file also gets an empty rule, so that one that is gone is no error.
pub fn rule<'a>(session: &Session, path: &'a Path, a: &'a Diff) -> Aside<'a> {
    let inputs = session.inputs();
    let included: Vec<PathBuf> = included::files(inputs, session.included_folders()).into_iter().collect();
    let list = |files: &mut dyn Iterator<Item = &PathBuf>| files.map(|f| escaped(f)).collect::<Vec<_>>().join(" \\\n  ");
    let mut text = format!("{}: {}\n", list(&mut a.outputs().iter()), list(&mut inputs.iter().chain(&included)));
    for file in &included {
        text.push_str(&format!("\n{}:\n", escaped(file)));
    }
    Aside::new(path, text)
}

/// A name as Make has it.
fn escaped(path: &Path) -> String {
    let mut out = String::new();
    for c in path.display().to_string().chars() {
        match c {
            ' ' | '#' | ':' | '\\' => out.extend(['\\', c]),
            '$' => out.push_str("$$"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;
    use std::path::Path;

    #[test]
    fn names_are_those_of_make() {
        assert_eq!(escaped(Path::new("a b/$x#1.c")), "a\\ b/$$x\\#1.c");
    }
}
