//! The run-time support, compiled and run.

mod common;
use common::{compile, compile_with, data, folder, run};

const ELSEWHERE: &str = "#include \"overbar.h\"\nvoid push_elsewhere(double x);\nvoid push_elsewhere(double x) { ob_push_double(x); }\n";

#[test]
fn values_come_back_over_blocks_and_files() {
    let dir = folder();
    let main = compile(dir.path(), "stack.c", &data("stack.c"));
    let other = compile(dir.path(), "elsewhere.c", ELSEWHERE);
    let objects = [main.as_path(), other.as_path()];
    assert_eq!(run(dir.path(), &objects, &[]), (Some(0), "good\n".into(), String::new()));
    let (code, _, message) = run(dir.path(), &objects, &["underflow"]);
    assert_eq!((code, message.as_str()), (None, "overbar: a value is popped from an empty stack\n"));
    let (code, _, message) = run(dir.path(), &objects, &["memory"]);
    assert!(code.is_none() && message.starts_with("overbar: no memory for a block of"), "{message}");
}

#[test]
fn digamma_is_accurate() {
    let dir = folder();
    let main = compile(dir.path(), "digamma.c", &data("digamma.c"));
    let (code, out, _) = run(dir.path(), &[&main], &[]);
    assert_eq!((code, out.as_str()), (Some(0), "good\n"));
}

#[test]
fn the_header_alone_draws_no_warning() {
    let dir = folder();
    compile(dir.path(), "alone.c", "#include \"overbar.h\"\nint nothing(void);\nint nothing(void) { return 0; }\n");
    // C++ is a courtesy: where there is no compiler for it there is nothing to test.
    if std::process::Command::new("g++").arg("--version").output().is_ok() {
        let text = "#include \"overbar.h\"\nint nothing() { ob_push_double(1); return ob_pop_double() == 1; }\n";
        compile_with(dir.path(), "alone.cpp", text, "g++", &["-std=c++17", "-Wall", "-Wextra", "-pedantic", "-O2"]);
    }
}
