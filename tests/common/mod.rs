//! What end-to-end tests share: running the binary, compiling what it generates, running that.
#![allow(dead_code)] // each test binary uses its own part

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the project.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A file or folder beside the project that is not part of it; `None`, with a message, where it is absent.
pub fn shared(path: &str) -> Option<PathBuf> {
    // The variable serves a checkout that lies somewhere else.
    let folder = std::env::var_os("OVERBAR_SHARED").map(PathBuf::from).or_else(|| Some(root().parent()?.join("shared")))?;
    let found = folder.join(path);
    if found.exists() {
        return Some(found);
    }
    println!("skipped: {} is not there", found.display());
    None
}

/// Runs the command line in a folder.
pub fn overbar(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_overbar")).args(arguments).current_dir(folder).output().expect("the binary runs")
}

/// Runs the command line with a text on standard input.
pub fn overbar_with_input(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_overbar"))
        .args(arguments)
        .current_dir(folder)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A command that refuses may close its input early.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the writer ends");
    output
}

/// The same, which must succeed; its standard output.
pub fn overbar_ok(folder: &Path, arguments: &[&str]) -> String {
    let output = overbar(folder, arguments);
    assert!(output.status.success(), "overbar {arguments:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The adjoint of a C text without the original, in one line.
pub fn c_adjoint(text: &str, head: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), text).expect("written");
    overbar_ok(folder.path(), &[&["diff", "p.c", "-b", "--no-primal", "--head", head, "-o", "out.c"], options].concat());
    std::fs::read_to_string(folder.path().join("out.c")).expect("text").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same, verified by the tool in joint and split reversal.
pub fn verified_c_adjoint(text: &str, head: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), text).expect("written");
    for reversal in ["joint", "split"] {
        let told = overbar_ok(folder.path(), &["verify", "p.c", "--reversal", reversal, "--head", head]);
        assert!(told.starts_with("pass"), "{text}: {told}");
    }
    c_adjoint(text, head, &[])
}

/// The codes of messages for people, in order: each stands in brackets at the end of its first line.
pub fn codes(said: &str) -> Vec<&str> {
    let found = said.lines().filter_map(|l| Some(l.strip_suffix(']')?.rsplit_once('[')?.1));
    found.filter(|c| c.len() == 6 && c.starts_with("OB")).collect()
}

/// Runs any command, which must succeed without a word on standard error.
pub fn silently(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|e| panic!("{program} does not run: {e}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?} failed:\n{}{errors}", String::from_utf8_lossy(&output.stdout));
    assert!(errors.is_empty(), "{program} {arguments:?} complains:\n{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Strict flags for C.
pub const STRICT_C: [&str; 5] = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-O2"];
/// Strict flags for Fortran. The signature of an adjoint is fixed, so arguments that its body does not need are no fault.
pub const STRICT_FORTRAN: [&str; 4] = ["-std=f2018", "-Wall", "-Wno-unused-dummy-argument", "-O2"];

/// Writes the run-time support of both languages into a folder.
pub fn runtime(folder: &Path) {
    overbar_ok(folder, &["runtime", "c", "-o", "overbar.h"]);
    overbar_ok(folder, &["runtime", "fortran", "-o", "overbar_runtime.f90"]);
}
