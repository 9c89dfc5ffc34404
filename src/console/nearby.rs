//! Headers that no `-I` names, looked for in the project that includes them.
//!
//! ```text
//! lib/test/area.c   #include "units.h"        lib/src/api/units.h is the only one:  read as with -I lib/src/api
//! ```
//!
//! The project is what stands below the nearest folder with a version control's mark (`.git`); without one, below the outermost of the four nearest folders that has
//! what projects have in theirs (`README`, `LICENSE`, `Makefile`); else the file's own folder and what lies beside it for headers (`include`, `inc`, `src`).
//!
//! Lives here: which folder that is, where exactly one fits. Never here: whether a header is missing, which the preprocessor says.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Files and folders that are looked at in a project; in a larger one nothing is certain.
const MOST: usize = 20_000;
/// How deep below the project's folder a header may lie.
const DEPTH: usize = 8;
/// How far above the file the project may begin, where no version control says so.
const LEVELS: usize = 4;
/// A header of more bytes is not compared.
const LARGEST: u64 = 1 << 22;

const VERSION_CONTROL: [&str; 3] = [".git", ".hg", ".svn"];
/// What the first folder of a project has, in lower case and without an extension.
const MARKS: [&str; 9] = ["readme", "license", "licence", "copying", "makefile", "cmakelists", "configure", "meson", "sconstruct"];
/// Folders for headers.
const BESIDE: [&str; 8] = ["include", "includes", "inc", "headers", "src", "api", "lib", "common"];
/// Headers of the language: a folder that has one of these would stand before the system's.
const STANDARD: [&str; 29] = [
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "math.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "tgmath.h",
    "threads.h",
    "time.h",
    "uchar.h",
    "wchar.h",
    "wctype.h",
];

/// What a search found.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// The folder to look in.
    One(String),
    /// Folders that could be meant, as far as there are any.
    Unclear(Vec<String>),
}

/// The files of projects, by the folders that were walked.
#[derive(Debug, Default)]
pub struct Projects {
    walked: BTreeMap<PathBuf, Walked>,
}

/// The files below a folder, in order, and whether these are all.
#[derive(Debug, Default)]
struct Walked {
    files: Vec<PathBuf>,
    all: bool,
}

impl Projects {
    /// The folder of a header that `from` includes by this name.
    pub fn folder_of(&mut self, name: &str, from: &Path) -> Found {
        let name = Path::new(name);
        let plain = name.components().all(|c| matches!(c, Component::Normal(_)));
        let (true, Ok(from)) = (plain, std::path::absolute(from)) else { return Found::Unclear(Vec::new()) };
        let Some(own) = from.parent() else { return Found::Unclear(Vec::new()) };
        let (mut fitting, mut all) = (Vec::new(), true);
        for (folder, depth) in places(own) {
            let walked = self.walked.entry(folder.clone()).or_insert_with(|| walk(&folder, depth));
            all &= walked.all;
            fitting.extend(walked.files.iter().filter(|f| f.ends_with(name)).filter_map(|f| without(f, name)));
        }
        fitting.sort_by_key(|f| (f.components().count(), f.clone()));
        fitting.dedup();
        let shown: Vec<String> = fitting.iter().map(|f| short(f)).collect();
        match &fitting[..] {
            [first, others @ ..] if all && others.iter().all(|o| is_same(first, o, name)) && !has_standard_headers(first) => {
                Found::One(short(first))
            }
            _ => Found::Unclear(shown),
        }
    }
}

/// Where headers of a project may lie whose file stands in a folder, and how deep.
fn places(own: &Path) -> Vec<(PathBuf, usize)> {
    let has = |folder: &Path, names: &[&str]| names.iter().any(|n| folder.join(n).exists());
    let may_be = |folder: &Path| folder.components().filter(|c| matches!(c, Component::Normal(_))).count() > 1 && !is_home(folder);
    if let Some(root) = own.ancestors().find(|a| has(a, &VERSION_CONTROL)).filter(|a| may_be(a)) {
        return vec![(root.to_owned(), DEPTH)];
    }
    let marked = own.ancestors().take(LEVELS).filter(|a| may_be(a) && is_marked(a)).last();
    if let Some(root) = marked {
        return vec![(root.to_owned(), DEPTH)];
    }
    let mut out = vec![(own.to_owned(), 2)];
    if let Some(above) = own.parent().filter(|a| may_be(a)) {
        out.push((above.to_owned(), 0));
        out.extend(BESIDE.iter().map(|n| above.join(n)).filter(|f| f != own && f.is_dir()).map(|f| (f, 2)));
    }
    out
}

/// Whether a folder belongs to everything that a user has.
fn is_home(folder: &Path) -> bool {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    home.is_some_and(|h| h.starts_with(folder)) || std::env::temp_dir().starts_with(folder)
}

fn is_marked(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.filter_map(Result::ok).any(|e| {
        let name = e.file_name().to_string_lossy().to_ascii_lowercase();
        name.split(['.', '-']).next().is_some_and(|stem| MARKS.contains(&stem))
    })
}

/// The files below a folder, its own first; hidden folders and links to folders are left out.
fn walk(folder: &Path, depth: usize) -> Walked {
    let mut out = Walked { files: Vec::new(), all: true };
    let mut level = vec![folder.to_owned()];
    let mut seen = 0;
    for _ in 0..=depth {
        let mut next = Vec::new();
        for folder in level {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
            entries.sort_by_key(std::fs::DirEntry::file_name);
            seen += entries.len();
            if seen > MOST {
                out.all = false;
                return out;
            }
            for e in entries {
                let path = e.path();
                let kind = e.file_type();
                if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
                    next.extend(Some(path).filter(|_| !e.file_name().to_string_lossy().starts_with('.')));
                } else if kind.is_ok_and(|k| k.is_file()) || path.is_file() {
                    out.files.push(path);
                }
            }
        }
        level = next;
    }
    out
}

/// A path without the name that it ends with.
fn without(path: &Path, name: &Path) -> Option<PathBuf> {
    path.ancestors().nth(name.components().count()).map(Path::to_owned)
}

/// Whether a header, and all that lies beside it in both folders under one name, says the same in both.
fn is_same(a: &Path, b: &Path, name: &Path) -> bool {
    let (own, other) = (a.join(name), b.join(name));
    let beside = own.parent().and_then(|f| std::fs::read_dir(f).ok());
    let names: Vec<_> = beside.into_iter().flatten().filter_map(Result::ok).map(|e| e.file_name()).collect();
    let headers = names.iter().filter(|n| n.to_string_lossy().ends_with(".h"));
    let pairs = headers.map(|n| (own.with_file_name(n), other.with_file_name(n))).filter(|(_, q)| q.is_file());
    pairs.chain([(own.clone(), other.clone())]).all(|(p, q)| bytes(&p).is_some_and(|b| Some(b) == bytes(&q)))
}

fn bytes(file: &Path) -> Option<Vec<u8>> {
    std::fs::metadata(file).ok().filter(|m| m.len() <= LARGEST).and_then(|_| std::fs::read(file).ok())
}

fn has_standard_headers(folder: &Path) -> bool {
    STANDARD.iter().any(|n| folder.join(n).exists())
}

/// A folder as it is named from here.
fn short(folder: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.as_ref().and_then(|h| folder.strip_prefix(h).ok());
    match below {
        Some(p) if p.as_os_str().is_empty() => ".".to_owned(),
        Some(p) => p.display().to_string(),
        None => folder.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let at = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let place = at.path().join("all/p").join(name);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
        }
        at
    }

    fn found(at: &tempfile::TempDir, name: &str, from: &str) -> Found {
        Projects::default().folder_of(name, &at.path().join("all/p").join(from))
    }

    fn folder(at: &tempfile::TempDir, name: &str) -> String {
        at.path().join("all/p").join(name).display().to_string()
    }

    #[test]
    fn the_only_header_of_a_project_is_found() {
        let files = [("README.md", ""), ("test/a.c", ""), ("src/api/units.h", "1"), ("src/deep/in/side.h", "2"), (".old/units.h", "3")];
        let at = project(&files);
        assert_eq!(found(&at, "units.h", "test/a.c"), Found::One(folder(&at, "src/api")));
        assert_eq!(found(&at, "in/side.h", "test/a.c"), Found::One(folder(&at, "src/deep")));
        assert_eq!(found(&at, "none.h", "test/a.c"), Found::Unclear(vec![]));
        assert_eq!(found(&at, "../units.h", "test/a.c"), Found::Unclear(vec![]));
    }

    #[test]
    fn of_several_headers_none_is_chosen_unless_they_say_the_same() {
        let files = [("Makefile", ""), ("src/a.c", ""), ("v1/units.h", "1"), ("v2/units.h", "2"), ("x/same.h", "3"), ("y/same.h", "3")];
        let mut at = project(&files);
        assert_eq!(found(&at, "units.h", "src/a.c"), Found::Unclear(vec![folder(&at, "v1"), folder(&at, "v2")]));
        assert_eq!(found(&at, "same.h", "src/a.c"), Found::One(folder(&at, "x")));
        // What these include is read from their own folders.
        at = project(&[&files[..], &[("x/part.h", "1"), ("y/part.h", "2")]].concat());
        assert_eq!(found(&at, "same.h", "src/a.c"), Found::Unclear(vec![folder(&at, "x"), folder(&at, "y")]));
        // A folder that would hide headers of the system.
        at = project(&[("Makefile", ""), ("src/a.c", ""), ("compat/units.h", ""), ("compat/math.h", "")]);
        assert_eq!(found(&at, "units.h", "src/a.c"), Found::Unclear(vec![folder(&at, "compat")]));
    }

    #[test]
    fn without_a_mark_only_what_lies_beside_is_looked_at() {
        let at = project(&[("src/a.c", ""), ("include/units.h", ""), ("other/far.h", ""), ("near.h", "")]);
        assert_eq!(found(&at, "units.h", "src/a.c"), Found::One(folder(&at, "include")));
        assert_eq!(found(&at, "near.h", "src/a.c"), Found::One(folder(&at, "").trim_end_matches('/').to_owned()));
        assert_eq!(found(&at, "far.h", "src/a.c"), Found::Unclear(vec![]));
        // With a version control's mark all of it is the project.
        std::fs::create_dir(at.path().join("all/p/.git")).unwrap();
        assert_eq!(found(&at, "far.h", "src/a.c"), Found::One(folder(&at, "other")));
    }
}
