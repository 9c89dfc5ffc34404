//! docs/conformance.md: what is differentiated, construct by construct. The programs are in tests/conformance: the first line names the construct, the second one has the head.
//!
//! Where a derivative is written, the interpreter has certified it; where none is, the code of the refusal stands in the page.

use crate::common;

use common::{overbar, root};
use std::fmt::Write;
use std::path::Path;

/// `yes`, or the code with which a program is refused.
fn outcome(at: &Path, file: &str, head: &str, mode: &[&str]) -> String {
    let _ = std::fs::remove_file(at.join("out"));
    let line = [&["diff", file, "--head", head, "--require-certificate", "-o", "out"], mode].concat();
    let o = overbar(at, &line);
    let said = String::from_utf8_lossy(&o.stderr).into_owned();
    assert_eq!(o.status.success(), at.join("out").exists(), "{line:?}: {said}");
    if o.status.success() {
        return "yes".into();
    }
    assert_eq!(o.status.code(), Some(1), "{line:?}: {said}");
    // The error is what is refused; notes before it say why.
    let errors = overbar(at, &[&line[..], &["--message-format", "json"]].concat());
    let errors = String::from_utf8_lossy(&errors.stderr).into_owned();
    let found = errors.lines().filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok());
    let first = found.filter(|d| d["severity"] == "error").find_map(|d| d["code"].as_str().map(str::to_owned));
    first.unwrap_or_else(|| panic!("{line:?}: no code\n{said}"))
}

#[test]
fn the_page_says_what_is_differentiated() {
    let folder = root().join("tests/conformance");
    let mut programs: Vec<_> = std::fs::read_dir(&folder).expect("programs").map(|e| e.expect("a program").path()).collect();
    programs.sort();
    let at = tempfile::tempdir().expect("a folder");
    let mut page = String::from(
        "# What is differentiated\n\nEach row is a program in `tests/conformance`, and this page is made from them by a test. `yes`: derivative\n\
         code is written, and the interpreter has certified it. `with =N`: where `--vector=N` says how many\ndirections there are. A code: it is refused, and `overbar explain CODE` says why and what to do.\n",
    );
    for (language, extension) in [("C", "c"), ("Fortran", "f90")] {
        let _ = write!(page, "\n## {language}\n\n| construct | tangent | adjoint | vector |\n|---|---|---|---|\n");
        for path in programs.iter().filter(|p| p.extension().is_some_and(|e| e == extension)) {
            let text = std::fs::read_to_string(path).expect("text");
            let mut lines = text.lines().map(|l| l.trim_start_matches(['/', '!']).trim());
            let (construct, head) = lines.next().zip(lines.next()).expect("a construct and a head");
            let file = path.file_name().expect("a name").to_string_lossy().into_owned();
            std::fs::copy(path, at.path().join(&file)).expect("copied");
            let [tangent, adjoint, vector, fixed] =
                [&["-d"][..], &["-b"], &["-d", "--vector"], &["-d", "--vector=2"]].map(|mode| outcome(at.path(), &file, head, mode));
            assert!(vector != "yes" || fixed == "yes", "{file}: {fixed}");
            let vector = if vector != fixed { "with =N" } else { &vector };
            let _ = writeln!(page, "| {construct} | {tangent} | {adjoint} | {vector} |");
        }
    }
    let known = std::fs::read_to_string(root().join("docs/conformance.md")).unwrap_or_default();
    assert!(known == page, "docs/conformance.md should be:\n{page}");
}
