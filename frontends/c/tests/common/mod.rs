//! Compiling and running what was printed.
#![allow(dead_code)] // each test file uses a part of it

use overbar_c::{ParseOptions, parse};
use std::path::{Path, PathBuf};
use std::process::Command;
use xaif::Program;

/// Strict flags: no warning is acceptable.
pub const FLAGS: [&str; 5] = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-O2"];

/// A folder with the run-time support in it.
pub fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("overbar.h"), overbar_c::RUNTIME).unwrap();
    dir
}

/// Test data.
pub fn data(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

/// Compiles one file to an object; panics at any message.
pub fn compile(dir: &Path, name: &str, text: &str) -> PathBuf {
    compile_with(dir, name, text, "gcc", &FLAGS)
}

/// The same with another compiler.
pub fn compile_with(dir: &Path, name: &str, text: &str, compiler: &str, flags: &[&str]) -> PathBuf {
    let source = dir.join(name);
    std::fs::write(&source, text).unwrap();
    let object = source.with_extension("o");
    let out = Command::new(compiler).args(flags).arg("-c").arg(&source).arg("-o").arg(&object).current_dir(dir).output().unwrap();
    let messages = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && messages.is_empty(), "{messages}\n{text}");
    object
}

/// Links objects and runs the program: exit code, output, error output.
pub fn run(dir: &Path, objects: &[&Path], arguments: &[&str]) -> (Option<i32>, String, String) {
    let program = dir.join("program");
    let linked = Command::new("gcc").args(objects).arg("-o").arg(&program).arg("-lm").output().unwrap();
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
    let out = Command::new(&program).args(arguments).output().unwrap();
    (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned(), String::from_utf8_lossy(&out.stderr).into_owned())
}

/// C to a program.
pub fn read(text: &str) -> Program {
    let options = ParseOptions { preprocess: true, ..ParseOptions::default() };
    match parse(&[parse::SourceText { file: "test.c", text }], &options) {
        Ok((program, _)) => program,
        Err(problems) => panic!("{}", problems.iter().map(|p| format!("{p}\n")).collect::<String>()),
    }
}

/// The same without the text, so that the back end prints every unit from the model.
pub fn read_without_text(text: &str) -> Program {
    let mut program = read(text);
    for s in &mut program.sources {
        s.text.clear();
    }
    program
}
