//! Every snippet of the README and of the book: files are written, commands run, and what they print is what stands there.
//!
//! The rules for pages, which CONTRIBUTING.md tells too:
//! * a fenced block whose first line is a comment that is a file's name, or whose info string has it as its second word (`json point.json`), is that file;
//! * other blocks of source text stand in a file that a command has made, or in one of `examples`;
//! * a `console` block has commands behind `$ ` and below each what it prints, both streams; a line `...` stands for any lines. The commands of a block with
//!   the word `fails` fail, all others do not;
//! * a `sh` block is not run; each of its lines is in the list below, with the reason;
//! * a `text` block is a picture;
//! * `<!-- needs: scipy -->` says what a page needs beside compilers; where it is not there the page is skipped with a message.
//!
//! All blocks of a page share a folder, in which `samples`, `examples` and `cmake` are those of the project.

use crate::common::root;

use std::path::Path;
use std::process::{Command, Stdio};

/// Commands in `sh` blocks, which are for people: they install something, do what other tests do, or do not end.
const NOT_RUN: [&str; 9] = [
    "cargo install --locked --path .",
    "./overbar diff samples/griewank/griewank.f90 -b --head 'griewank(c)/(a)'",
    "./test",
    "sudo apt-get install -y gcc libc6-dev",
    "pip install ./python",
    "overbar serve",
    "curl --data-binary @f.c 'http://127.0.0.1:8417/v1/diff?name=f.c&mode=adjoint&head=f(y)/(x)'",
    "curl --data-binary @f.xaif 'http://127.0.0.1:8417/v1/boost?mode=adjoint'",
    "mdbook serve docs",
];

/// Languages of files.
const SOURCES: [&str; 10] = ["c", "fortran", "python", "json", "toml", "xml", "cmake", "make", "meson", "ini"];

/// One block of a page.
#[derive(Debug)]
enum Piece {
    File(String, String),
    Made(String),
    Commands(Vec<Run>, bool),
    NotRun(String),
}

/// A command and what stands below it.
#[derive(Debug)]
struct Run {
    command: String,
    printed: String,
}

/// The name of a file, where the first line of a block is a comment with one.
fn named(first: &str) -> Option<&str> {
    let comments = [("/* ", " */"), ("! ", ""), ("# ", ""), ("// ", "")];
    let inner = comments.iter().find_map(|(open, close)| first.strip_prefix(open)?.strip_suffix(close))?;
    (!inner.contains(' ') && (inner.contains('.') || inner == "Makefile")).then_some(inner)
}

/// The pieces of a page in order; lines that look like commands and stand in no block are told.
fn pieces(page: &str) -> Result<Vec<Piece>, String> {
    let mut out = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            if ["    overbar ", "    $ ", "    gcc ", "    gfortran "].iter().any(|c| line.starts_with(c)) {
                return Err(format!("this stands in no block that is run: {line}"));
            }
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        let (language, word) = info.split_once(' ').map_or((info, None), |(language, word)| (language, Some(word)));
        let text = body.join("\n") + "\n";
        match language {
            "console" => out.push(Piece::Commands(runs(&body)?, word == Some("fails"))),
            "sh" => out.extend(body.iter().map(|l| Piece::NotRun((*l).to_owned()))),
            "text" => {}
            _ if SOURCES.contains(&language) => out.push(match word.or_else(|| named(body.first().copied().unwrap_or_default())) {
                Some(name) => Piece::File(name.to_owned(), text),
                None => Piece::Made(text),
            }),
            _ => return Err(format!("a block is in no language that is known here: {info}")),
        }
    }
    Ok(out)
}

/// The commands of a block; a line that ends with a backslash goes on.
fn runs(body: &[&str]) -> Result<Vec<Run>, String> {
    let mut out: Vec<Run> = Vec::new();
    let mut goes_on = false;
    for line in body {
        if goes_on {
            let last = out.last_mut().expect("what goes on has begun");
            last.command.push('\n');
            last.command.push_str(line);
        } else if let Some(command) = line.strip_prefix("$ ") {
            out.push(Run { command: command.to_owned(), printed: String::new() });
        } else {
            let last = out.last_mut().ok_or_else(|| format!("no command prints this: {line}"))?;
            last.printed.push_str(line);
            last.printed.push('\n');
            continue;
        }
        goes_on = line.ends_with('\\');
    }
    Ok(out)
}

/// Whether a text is what a page has, where a line `...` stands for any lines.
fn is_printed(found: &str, wanted: &str) -> bool {
    fn from(found: &[&str], wanted: &[&str]) -> bool {
        match wanted.split_first() {
            None => found.is_empty(),
            Some((&"...", rest)) => (0..=found.len()).any(|k| from(&found[k..], rest)),
            Some((line, rest)) => found.first().is_some_and(|f| f.trim_end() == *line) && from(&found[1..], rest),
        }
    }
    from(&found.lines().collect::<Vec<_>>(), &wanted.lines().collect::<Vec<_>>())
}

/// Whether a Python can compute with arrays.
fn has_arrays(python: &str) -> bool {
    Command::new(python).args(["-c", "import numpy, scipy.optimize"]).output().is_ok_and(|o| o.status.success())
}

/// Where Debian's packages of Python put what they bring.
const SYSTEM_PYTHON: &str = "/usr/bin/python3";

/// Runs a command; whether it was done, and what it printed.
fn run(at: &Path, command: &str) -> (bool, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_overbar")).parent().expect("a folder");
    let path = format!("{}:.programs:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("bash")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(at)
        .envs([("PATH", path.as_str()), ("NO_COLOR", "1"), ("LC_ALL", "C")])
        .env("PYTHONPATH", root().join("python"))
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether some file in a folder, or in one below, has this text. What is linked is not the page's own.
fn is_in_some_file(at: &Path, text: &str) -> bool {
    std::fs::read_dir(at).expect("a folder").map(|e| e.expect("an entry")).any(|e| match e.file_type() {
        Ok(t) if t.is_dir() => is_in_some_file(&e.path(), text),
        Ok(t) if t.is_file() => std::fs::read_to_string(e.path()).is_ok_and(|t| t.contains(text)),
        _ => false,
    })
}

/// What is wrong with a page.
fn problems(page: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    #[cfg(unix)]
    for name in ["samples", "examples", "cmake"] {
        let _ = std::os::unix::fs::symlink(root().join(name), at.join(name));
    }
    #[cfg(unix)]
    if page.contains("<!-- needs: scipy -->") && !has_arrays("python3") {
        let _ = std::fs::create_dir(at.join(".programs"));
        let _ = std::os::unix::fs::symlink(SYSTEM_PYTHON, at.join(".programs/python3"));
    }
    let pieces = match pieces(page) {
        Ok(pieces) => pieces,
        Err(why) => return vec![why],
    };
    let mut out = Vec::new();
    for piece in pieces {
        match piece {
            Piece::File(name, text) => {
                let path = at.join(name);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
                std::fs::write(path, text).expect("written");
            }
            Piece::Made(text) if is_in_some_file(at, &text) || is_in_some_file(&root().join("examples"), &text) => {}
            Piece::Made(text) => out.push(format!("no file that was made has\n{text}")),
            Piece::NotRun(line) if NOT_RUN.contains(&line.as_str()) => {}
            Piece::NotRun(line) => out.push(format!("nothing says why this is not run: {line}")),
            Piece::Commands(runs, fails) => {
                for r in runs {
                    let (done, printed) = run(at, &r.command);
                    if done == fails {
                        out.push(format!("`{}` {}:\n{printed}", r.command, if done { "does not fail" } else { "fails" }));
                    } else if !is_printed(&printed, &r.printed) {
                        out.push(format!("`{}` prints\n{printed}and not\n{}", r.command, r.printed));
                    }
                }
            }
        }
    }
    out
}

/// Whether what a page needs is there.
fn is_there(need: &str) -> bool {
    if need == "scipy" {
        return has_arrays("python3") || has_arrays(SYSTEM_PYTHON);
    }
    Command::new(need).arg("--version").output().is_ok_and(|o| o.status.success())
}

fn check(name: &str) {
    let page = std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let needs = page.lines().filter_map(|l| l.strip_prefix("<!-- needs: ")?.strip_suffix(" -->"));
    if let Some(missing) = needs.flat_map(|n| n.split(", ")).find(|n| !is_there(n)) {
        return println!("skipped: {name} needs {missing}, which is not there");
    }
    let found = problems(&page);
    assert!(found.is_empty(), "{name}:\n{}", found.join("\n"));
}

/// Pages whose snippets are run, each by a test.
macro_rules! pages {
    ($($test:ident $page:literal)*) => {
        const RUN: &[&str] = &[$($page),*];
        $(#[test] fn $test() { check($page); })*
    };
}

pages! {
    readme "README.md"
    scalar "docs/tutorial/01-scalar.md"
    gradient "docs/tutorial/02-gradient.md"
    jacobian "docs/tutorial/03-jacobian.md"
    branches "docs/tutorial/04-branches.md"
    calls "docs/tutorial/05-calls.md"
    fortran "docs/tutorial/06-fortran.md"
    overwritten "docs/tutorial/07-overwritten.md"
    newton "docs/tutorial/08-newton.md"
    hessian "docs/tutorial/09-hessian.md"
    checkpoints "docs/tutorial/10-checkpoints.md"
    build_systems "docs/howto/build-systems.md"
    ci "docs/howto/ci.md"
    graphs "docs/howto/graphs.md"
    long_loops "docs/howto/long-loops.md"
    many_files "docs/howto/many-files.md"
    pictures "docs/howto/pictures.md"
    products "docs/howto/products.md"
    project "docs/howto/project.md"
    python "docs/howto/python.md"
    stages "docs/howto/stages.md"
    value_and_gradient "docs/howto/value-and-gradient.md"
    certificates "docs/certificates.md"
    choices "docs/choices.md"
    coming_from "docs/coming-from.md"
    contract "docs/contract.md"
    directives "docs/directives.md"
    questions "docs/faq.md"
    generated_code "docs/generated-code.md"
    heads "docs/heads.md"
    introduction "docs/introduction.md"
    limits "docs/limits.md"
    refusals "docs/refusals.md"
    rules "docs/rules.md"
    service "docs/service.md"
}

/// Pages that other tests hold against the program, or that have no snippets.
const ELSEWHERE: [&str; 8] = [
    "docs/SUMMARY.md",
    "docs/commands.md",
    "docs/conformance.md",
    "docs/diagnostics.md",
    "docs/dialects.md",
    "docs/facts.md",
    "docs/performance.md",
    "docs/xaif.md",
];

#[test]
fn every_page_is_run_somewhere() {
    for page in crate::book::pages() {
        assert!(
            RUN.contains(&page.as_str()) || ELSEWHERE.contains(&page.as_str()) || page.starts_with("docs/decisions/"),
            "no test runs the snippets of {page}: name it in tests/commands/snippets.rs"
        );
    }
}

#[test]
fn what_is_wrong_is_found() {
    let wrong = |page: &str| problems(page).len();
    let file = "```c\n/* a.c */\nint a;\n```\n";
    assert_eq!(wrong(&format!("{file}```console\n$ cat a.c\n/* a.c */\nint a;\n$ echo 1; echo 2 >&2\n1\n2\n```\n")), 0);
    assert_eq!(wrong(&format!("{file}```console\n$ cat a.c\n...\n```\n```c\nint a;\n```\n")), 0);
    assert_eq!(wrong("```console\n$ echo 1\n2\n```\n"), 1);
    assert_eq!(wrong("```console\n$ echo 1\n```\n"), 1);
    assert_eq!(wrong("```console\n$ echo 1\n1\n1\n```\n"), 1);
    assert_eq!(wrong("```console\n$ seq 4\n1\n...\n3\n```\n"), 1);
    assert_eq!(wrong("```console\n$ false\n```\n"), 1);
    assert_eq!(wrong("```console fails\n$ false\n```\n"), 0);
    assert_eq!(wrong("```console fails\n$ true\n```\n"), 1);
    assert_eq!(wrong("```console\n$ echo 1 \\\n  2\n1 2\n```\n"), 0);
    assert_eq!(wrong("```json point.json\n{}\n```\n```console\n$ cat point.json\n{}\n```\n"), 0);
    assert_eq!(wrong("```c\nint b;\n```\n"), 1);
    assert_eq!(wrong("```sh\nrm -rf made\n```\n"), 1);
    assert_eq!(wrong("```\nwhat\n```\n"), 1);
    assert_eq!(wrong("    overbar diff a.c\n"), 1);
}
