//! The C preprocessor, run as a process: the only place of this crate that touches the world outside.
//!
//! Lives here: finding and calling it, its complaints as diagnostics. Never here: anything about the text itself.

use std::io::Write;
use std::process::{Command, Stdio};
use xaif::Diagnostic;
use xaif::diagnostic::Location;

/// Compilers that are tried, in this order.
const COMPILERS: [&str; 2] = ["cc", "gcc"];

/// Preprocesses a text that came from `file`. `#include "..."` looks in the file's own folder first.
pub(crate) fn run(file: &str, text: &str, options: &[String]) -> Result<String, Vec<Diagnostic>> {
    let folder = match file.rfind('/') {
        Some(0) => "/",
        Some(end) => &file[..end],
        None => ".",
    };
    let escaped = file.replace('\\', "\\\\").replace('"', "\\\"");
    let input = format!("#line 1 \"{escaped}\"\n{text}");
    for compiler in COMPILERS {
        let mut command = Command::new(compiler);
        command.args(["-E", "-x", "c"]).args(options).arg("-I").arg(folder).arg("-");
        command.env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(e) => return Err(vec![failure(compiler, &e.to_string())]),
        };
        let writer = child.stdin.take().map(|mut stdin| {
            let input = input.clone();
            // A preprocessor that stops early closes its end: its own message says why.
            std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())))
        });
        let output = child.wait_with_output().map_err(|e| vec![failure(compiler, &e.to_string())])?;
        if let Some(writer) = writer {
            let _ = writer.join();
        }
        let complaints = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(problems(compiler, &complaints));
        }
        return Ok(xaif::bytes::mixed(&output.stdout));
    }
    Err(vec![
        Diagnostic::error("OB2001", format!("no C preprocessor was found (tried {})", COMPILERS.join(", ")))
            .at(Location { file: file.to_owned(), line: 1, column: 1, end_line: 1, end_column: 1 })
            .help(
                "install a C compiler, or pass text without macros that includes nothing but standard headers and switch preprocessing off",
            ),
    ])
}

fn failure(compiler: &str, reason: &str) -> Diagnostic {
    Diagnostic::error("OB2002", format!("the preprocessor {compiler} failed: {reason}"))
}

/// `file:line:column: error: message` lines as diagnostics.
fn problems(compiler: &str, text: &str) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for line in text.lines() {
        let Some((place, message)) = line.split_once(": fatal error: ").or_else(|| line.split_once(": error: ")) else { continue };
        let mut parts = place.rsplitn(3, ':');
        let column: Option<u32> = parts.next().and_then(|p| p.parse().ok());
        let number: Option<u32> = parts.next().and_then(|p| p.parse().ok());
        let mut d = failure(compiler, message);
        if let (Some(column), Some(line), Some(file)) = (column, number, parts.next()) {
            d = d.at(Location { file: file.to_owned(), line, column, end_line: line, end_column: column + 1 });
        }
        out.push(d);
    }
    if out.is_empty() {
        out.push(failure(compiler, text.trim()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_header_has_a_place() {
        let d = run("dir/a.c", "int x;\n#include \"no_such_file.h\"\n", &[]).unwrap_err();
        let l = d[0].location.as_ref().unwrap();
        assert_eq!((d[0].code, l.file.as_str(), l.line), ("OB2002", "dir/a.c", 2));
    }

    #[test]
    fn macros_are_expanded() {
        let t = run("a.c", "#define N 3\nint x = N;\n", &[]).unwrap();
        assert!(t.contains("int x = 3;"));
    }
}
