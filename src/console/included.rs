//! Files that source files include, for their fingerprints.
//!
//! Lives here: lines that look like an inclusion, and where such files are looked for. Never here: preprocessing. A file too many costs a needless
//! repetition, so conditions are not looked at; included names that macros make are not seen.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// More files than this are not followed.
const MAX_FILES: usize = 10_000;

/// The files that these include, and those that they include, in order.
pub fn files(sources: &[PathBuf], folders: &[String]) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut open: Vec<PathBuf> = sources.to_vec();
    while let Some(path) = open.pop() {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let own = path.parent().unwrap_or(Path::new(""));
        for name in text.lines().filter_map(included) {
            let places = std::iter::once(own).chain(sources.iter().filter_map(|s| s.parent())).chain(folders.iter().map(Path::new));
            let Some(file) = places.map(|f| f.join(name)).find(|f| f.is_file()) else { continue };
            if found.len() < MAX_FILES && !sources.contains(&file) && found.insert(file.clone()) {
                open.push(file);
            }
        }
    }
    found
}

/// Whether a C file, or a header that it includes, seems to include what is in none of these folders and is no header of the system.
pub fn misses_some(source: &Path, folders: &[String]) -> bool {
    let own = source.parent().unwrap_or(Path::new(""));
    let system = ["/usr/include", "/usr/local/include"].map(Path::new);
    let mut all: Vec<PathBuf> = files(&[source.to_owned()], folders).into_iter().collect();
    all.push(source.to_owned());
    all.iter().any(|file| {
        let Ok(bytes) = std::fs::read(file) else { return false };
        let beside = file.parent().unwrap_or(Path::new(""));
        let text = String::from_utf8_lossy(&bytes);
        let places = || [beside, own].into_iter().chain(folders.iter().map(Path::new)).chain(system);
        text.lines().filter(|l| l.trim_start().starts_with('#')).filter_map(included).any(|name| !places().any(|f| f.join(name).is_file()))
    })
}

/// The name that a line includes: `#include "a.h"`, `#include <a.h>`, `include 'a.inc'`.
fn included(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix('#').map_or(line, str::trim_start);
    let word = rest.get(..7).filter(|w| w.eq_ignore_ascii_case("include"))?;
    let rest = rest.get(word.len()..)?.trim_start();
    let close = match rest.chars().next()? {
        '<' => '>',
        quote @ ('"' | '\'') => quote,
        _ => return None,
    };
    rest.get(1..)?.split_once(close).map(|(name, _)| name).filter(|n| !n.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inclusions_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir(folder.path().join("inc")).unwrap();
        write("a.c", "  # include \"b.h\"\n#include <math.h>\nint include;\n");
        write("b.h", "#include <c.h>\n#include \"b.h\"\n");
        write("inc/c.h", "include 'd.inc'\n");
        write("inc/d.inc", "INCLUDE \"missing.inc\"\n");
        let include = folder.path().join("inc").to_string_lossy().into_owned();
        let found = files(&[folder.path().join("a.c")], &[include]);
        let names: Vec<_> = found.iter().map(|f| f.file_name().unwrap().to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["b.h", "c.h", "d.inc"]);
    }
}
