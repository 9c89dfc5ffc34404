//! The documents say what is so: files and folders that they name, pages that refer to each other, the example of ARCHITECTURE.md.

use crate::common;

use common::{overbar_ok, root};
use std::path::{Path, PathBuf};

/// The folders of the project that documents name files in.
const FOLDERS: [&str; 11] =
    ["src/", "crates/", "schema/", "frontends/", "tests/", "docs/", "samples/", "benches/", "examples/", "cmake/", "python/"];

fn decisions() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("docs/decisions")).unwrap();
    let mut pages: Vec<_> = folder.map(|e| e.unwrap().path()).filter(|p| !p.ends_with("README.md")).collect();
    pages.sort();
    pages
}

/// All pages that people write: those that are made from tables and help texts are left out.
fn pages() -> Vec<PathBuf> {
    let names = ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md", "docs/decisions/README.md"];
    let made = ["docs/diagnostics.md", "docs/commands.md"];
    let book = crate::book::pages().into_iter().filter(|p| !p.starts_with("docs/decisions/") && !made.contains(&p.as_str()));
    names.iter().map(|n| root().join(n)).chain(book.map(|p| root().join(p))).chain(decisions()).collect()
}

/// What stands in backticks outside of blocks of code.
fn code_spans(text: &str) -> Vec<String> {
    let prose: Vec<&str> = text.split("```").step_by(2).collect();
    prose.iter().flat_map(|p| p.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

fn is_path(span: &str) -> bool {
    FOLDERS.iter().any(|f| span.starts_with(f)) && span.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
}

/// The targets of `[text](target)` that are files.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|t| t.ends_with(".md"))
}

fn missing(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let named = code_spans(&text).into_iter().filter(|s| is_path(s)).map(|s| root().join(s));
    let linked = links(&text).map(|t| page.parent().unwrap().join(t));
    named.chain(linked).filter(|p| !p.exists()).map(|p| format!("{} names {}", page.display(), p.display())).collect()
}

#[test]
fn what_documents_name_is_there() {
    let gone: Vec<String> = pages().iter().flat_map(|p| missing(p)).collect();
    assert!(gone.is_empty(), "{}", gone.join("\n"));
    let named: usize = pages().iter().map(|p| code_spans(&std::fs::read_to_string(p).unwrap()).iter().filter(|s| is_path(s)).count()).sum();
    assert!(named > 100, "only {named} paths were found: are they still in backticks?");
}

#[test]
fn a_path_that_is_not_there_is_found() {
    let folder = std::env::temp_dir().join(format!("overbar-documents-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let page = folder.join("page.md");
    std::fs::write(&page, "`src/lib.rs` `src/none.rs` [there](page.md) [gone](none.md)\n```\n`src/nothing.rs`\n```\n").unwrap();
    let found = missing(&page);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].ends_with("src/none.rs") && found[1].ends_with("none.md"), "{found:?}");
}

#[test]
fn decisions_answer_the_same_questions_and_are_in_the_index() {
    let index = std::fs::read_to_string(root().join("docs/decisions/README.md")).unwrap();
    for page in decisions() {
        let text = std::fs::read_to_string(&page).unwrap();
        let headings: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("## ")).collect();
        assert_eq!(headings, ["Question", "Choice", "Why", "What else was tried or considered"], "{}", page.display());
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        assert!(links(&index).any(|l| l == name), "{name} is not in docs/decisions/README.md");
    }
}

#[test]
fn the_example_of_the_architecture_is_what_comes_out() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let blocks: Vec<&str> = text.split("```fortran\n").skip(1).filter_map(|b| b.split("```").next()).collect();
    let [source, adjoint] = blocks[..] else { panic!("{} blocks of Fortran", blocks.len()) };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("decay.f90"), source).unwrap();
    let made = overbar_ok(folder.path(), &["diff", "decay.f90", "-b", "--head", "decay(y)/(x)"]);
    assert!(made.starts_with(source), "{made}");
    assert!(made.trim_end().ends_with(adjoint.trim_end()), "{made}");
}
