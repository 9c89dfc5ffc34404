//! The C preprocessor, run as a process: the only place of this crate that touches the world outside.
//!
//! Lives here: finding and calling it, or the compiler that it belongs to, their complaints as diagnostics. Never here: anything about the text itself.

use rustc_hash::FxHashSet;
use std::io::Write;
use std::process::{Command, Stdio};
use xaif::Diagnostic;
use xaif::diagnostic::Location;

/// Compilers that are tried, in this order.
const COMPILERS: [&str; 2] = ["cc", "gcc"];

/// The line that says where a text comes from.
pub(crate) fn line_one(file: &str) -> String {
    format!("#line 1 \"{}\"\n", file.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Preprocesses a text that came from `file`. `#include "..."` looks in the file's own folder first.
pub(crate) fn run(file: &str, text: &str, options: &[String]) -> Result<String, Vec<Diagnostic>> {
    run_all(&[file], &format!("{}{text}", line_one(file)), options)
}

/// The same for a text that is made of several files and says itself where each begins.
pub(crate) fn run_all(files: &[&str], text: &str, options: &[String]) -> Result<String, Vec<Diagnostic>> {
    // The functions of <ctype.h> stay functions: their macros read tables that no program shows.
    let mut arguments: Vec<&str> = vec!["-E", "-x", "c", "-D__NO_CTYPE"];
    let mut folders: Vec<&str> = files.iter().map(|f| folder(f)).collect();
    let mut seen = FxHashSet::default();
    folders.retain(|f| seen.insert(*f));
    // What is included in quotes is looked for in the file's own folder before all others, as where the file is compiled.
    arguments.extend(folders.iter().flat_map(|f| ["-iquote", f]));
    arguments.extend(options.iter().map(String::as_str));
    arguments.extend(folders.iter().flat_map(|f| ["-I", f]));
    for compiler in COMPILERS {
        let Some((done, output, complaints)) = call(compiler, &arguments, text)? else { continue };
        return if done { Ok(xaif::bytes::mixed(&output)) } else { Err(problems(compiler, &complaints)) };
    }
    let place = files.first().map(|f| Location { file: (*f).to_owned(), line: 1, column: 1, end_line: 1, end_column: 1 });
    Err(vec![
        Diagnostic::error("OB2001", format!("no C preprocessor was found (tried {})", COMPILERS.join(", "))).at(place).help(
            "install a C compiler, or pass text without macros that includes nothing but standard headers and switch preprocessing off",
        ),
    ])
}

/// A header that the preprocessor does not find: its name, and where it is included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingHeader {
    /// As the inclusion has it.
    pub name: String,
    /// The inclusion.
    pub place: Location,
}

/// The header for want of which a text cannot be preprocessed.
pub(crate) fn missing_header(file: &str, text: &str, options: &[String]) -> Option<MissingHeader> {
    let found = run(file, text, options).err()?.into_iter().find(|d| header_of(&d.message).is_some())?;
    Some(MissingHeader { name: header_of(&found.message)?.to_owned(), place: found.location? })
}

/// The header that a complaint says is missing.
fn header_of(message: &str) -> Option<&str> {
    let said = message.strip_prefix("the preprocessor ").and_then(|m| m.split_once(" failed: "))?.1;
    let quoted = said.strip_suffix(" file not found").map(|n| n.trim_matches('\''));
    quoted.or_else(|| said.strip_suffix(": No such file or directory")).filter(|n| !n.is_empty())
}

/// What the compiler says against preprocessed text; nothing where there is no compiler to ask. `strict`: what it warns of counts, too.
pub(crate) fn objections(text: &str, strict: bool) -> Vec<Diagnostic> {
    complaints(text, if strict { "-Werror" } else { "-Werror=implicit-function-declaration" })
}

/// The same without what it warns of.
pub(crate) fn errors(text: &str) -> Vec<Diagnostic> {
    complaints(text, "-w")
}

fn complaints(text: &str, errors: &str) -> Vec<Diagnostic> {
    let arguments = ["-fsyntax-only", errors, "-x", "cpp-output"];
    for compiler in COMPILERS {
        match call(compiler, &arguments, text) {
            Ok(None) => {}
            Ok(Some((true, ..))) | Err(_) => return Vec::new(),
            Ok(Some((false, _, complaints))) => {
                let mut list = placed(&complaints);
                list.iter_mut().for_each(|(d, message)| d.message.clone_from(message));
                return list.into_iter().map(|(d, _)| d).collect();
            }
        }
    }
    Vec::new()
}

fn folder(file: &str) -> &str {
    match file.rfind('/') {
        Some(0) => "/",
        Some(end) => &file[..end],
        None => ".",
    }
}

/// Whether the compiler was content, what it wrote and what it said; `None` where it is not installed.
#[allow(clippy::type_complexity)] // named above
fn call(compiler: &str, arguments: &[&str], text: &str) -> Result<Option<(bool, Vec<u8>, String)>, Vec<Diagnostic>> {
    let mut command = Command::new(compiler);
    command.args(arguments).arg("-");
    command.env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(vec![failure(compiler, &e.to_string())]),
    };
    let writer = child.stdin.take().map(|mut stdin| {
        let input = text.to_owned();
        // A preprocessor that stops early closes its end: its own message says why.
        std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())))
    });
    let output = child.wait_with_output().map_err(|e| vec![failure(compiler, &e.to_string())])?;
    if let Some(writer) = writer {
        let _ = writer.join();
    }
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Some((output.status.success(), output.stdout, complaints)))
}

fn failure(compiler: &str, reason: &str) -> Diagnostic {
    Diagnostic::error("OB2002", format!("the preprocessor {compiler} failed: {reason}"))
}

/// What a preprocessor complains of.
fn problems(compiler: &str, text: &str) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = placed(text).into_iter().map(|(d, message)| found(d, compiler, &message)).collect();
    if out.is_empty() {
        out.push(failure(compiler, text.trim()));
    }
    out
}

/// A complaint, with what helps where that is known.
fn found(d: Diagnostic, compiler: &str, message: &str) -> Diagnostic {
    let said = Diagnostic { location: d.location, ..failure(compiler, message) };
    if header_of(&said.message).is_some() {
        return said.help("name the folder of the header: -I folder");
    }
    said
}

/// `file:line:column: error: message` lines as diagnostics, each with its message.
fn placed(text: &str) -> Vec<(Diagnostic, String)> {
    let mut out = Vec::new();
    for line in text.lines() {
        let Some((place, message)) = line.split_once(": fatal error: ").or_else(|| line.split_once(": error: ")) else { continue };
        let mut parts = place.rsplitn(3, ':');
        let column: Option<u32> = parts.next().and_then(|p| p.parse().ok());
        let number: Option<u32> = parts.next().and_then(|p| p.parse().ok());
        let mut d = Diagnostic::error("OB2002", "");
        if let (Some(column), Some(line), Some(file)) = (column, number, parts.next()) {
            d = d.at(Location { file: file.to_owned(), line, column, end_line: line, end_column: column + 1 });
        }
        out.push((d, message.to_owned()));
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
        assert!(d[0].help.as_ref().is_some_and(|h| h.contains("-I")), "{d:?}");
        let missing = missing_header("dir/a.c", "int x;\n#include \"no_such_file.h\"\n", &[]).unwrap();
        assert_eq!((missing.name.as_str(), missing.place.line), ("no_such_file.h", 2));
        assert_eq!(missing_header("dir/a.c", "#include <stdio.h>\n#error no\n", &[]), None);
    }

    #[test]
    fn macros_are_expanded() {
        let t = run("a.c", "#define N 3\nint x = N;\n", &[]).unwrap();
        assert!(t.contains("int x = 3;"));
    }
}
