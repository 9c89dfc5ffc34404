//! The README's first gradient: its files are written, its commands run, and what they print is what stands there.
//!
//! A fenced block whose first line is a comment that names a file is that file; indented lines are commands; a `text` block is what the commands before it
//! print; another block of code behind them stands in a file that a command has made.

use crate::common::root;

use std::path::Path;
use std::process::Command;

enum Piece {
    File(String, String),
    Commands(Vec<String>),
    Printed(String),
    Made(String),
}

/// The pieces of a section, in order.
fn pieces(section: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut lines = section.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
            let text = body.join("\n") + "\n";
            let first = body.first().copied().unwrap_or_default();
            let name = first.strip_prefix("/* ").and_then(|f| f.strip_suffix(" */")).or_else(|| first.strip_prefix("! "));
            out.push(match (language, name) {
                ("text", _) => Piece::Printed(text),
                (_, Some(name)) if !name.contains(' ') => Piece::File(name.to_owned(), text),
                _ => Piece::Made(text),
            });
        } else if let Some(first) = line.strip_prefix("    ") {
            let mut commands = vec![first.to_owned()];
            while let Some(more) = lines.next_if(|l| l.starts_with("    ")) {
                commands.push(more.trim().to_owned());
            }
            out.push(Piece::Commands(commands));
        }
    }
    out
}

fn run(at: &Path, commands: &[String]) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_overbar")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let script = format!("set -e\n{}\n", commands.join("\n"));
    let o = Command::new("bash").args(["-c", &script]).current_dir(at).env("PATH", path).output().expect("bash runs");
    assert!(o.status.success(), "{script}\n{}", String::from_utf8_lossy(&o.stderr));
    String::from_utf8(o.stdout).expect("UTF-8")
}

#[test]
fn the_first_gradient_is_what_the_readme_prints() {
    let text = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let section = text.split("## A first gradient\n").nth(1).expect("the section").split("\n## ").next().expect("its text");
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let (mut printed, mut compared) = (String::new(), 0);
    for piece in pieces(section) {
        match piece {
            Piece::File(name, text) => std::fs::write(at.join(name), text).expect("written"),
            Piece::Commands(commands) => printed = run(at, &commands),
            Piece::Printed(text) => {
                assert_eq!(printed, text);
                compared += 1;
            }
            Piece::Made(text) => {
                let files =
                    std::fs::read_dir(at).expect("a folder").filter_map(|f| std::fs::read_to_string(f.expect("a file").path()).ok());
                assert!(files.into_iter().any(|f| f.contains(&text)), "no file has\n{text}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 3);
}
