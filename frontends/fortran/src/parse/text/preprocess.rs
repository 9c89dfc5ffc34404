//! Macros and included text: the only place of this crate that touches the world outside.
//!
//! Lives here: running the preprocessor, reading the files of INCLUDE lines, which line of the user's text each line belongs to. Never here:
//! anything about what the text means.

use super::lines::{FormError, Row};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// INCLUDE lines nested deeper than this are refused.
const MAX_NESTING: usize = 20;

/// Included text larger than this is refused.
const MAX_BYTES: usize = 64 << 20;

/// Compilers that are tried, in this order, with what makes them preprocessors of Fortran text.
const COMPILERS: [(&str, &[&str]); 3] = [
    ("gfortran", &["-cpp", "-E", "-x", "f95-cpp-input"]),
    ("cc", &["-E", "-traditional-cpp", "-x", "c"]),
    ("gcc", &["-E", "-traditional-cpp", "-x", "c"]),
];

fn problem(code: &'static str, line: u32, message: String, help: &'static str) -> FormError {
    FormError { code, line, column: 1, message, help }
}

/// The text as it stands.
fn plain(text: &str) -> Vec<Row> {
    let rows = text.split('\n').enumerate();
    rows.map(|(i, l)| Row { number: i as u32 + 1, text: l.strip_suffix('\r').unwrap_or(l).to_owned() }).collect()
}

/// The lines of a file with macros expanded (if `macros` says so) and INCLUDE lines replaced.
pub fn rows(file: &str, text: &str, macros: bool, fixed: bool, options: &[String], confined: bool) -> Result<Vec<Row>, Vec<FormError>> {
    let text = text.trim_start_matches('\u{feff}');
    let placed = if macros && text.contains("__") { Some(with_places(file, text)) } else { None };
    let text = placed.as_deref().unwrap_or(text);
    let directives = text.lines().any(|l| l.starts_with('#'));
    let rows = if macros && (directives || options.iter().any(|o| o.starts_with("-D"))) {
        attributed(&without_missing(file, text, options).map_err(|e| vec![e])?)
    } else {
        plain(text)
    };
    if confined {
        return match rows.iter().find_map(|r| Some((r, included(&r.text, fixed)?))) {
            Some((row, name)) => Err(vec![problem(
                "OB3008",
                row.number,
                format!("the file `{name}` cannot be included: no file may be read"),
                "put the included text in its place, or make it a module in the same file",
            )]),
            None => Ok(rows),
        };
    }
    let mut folders = vec![folder(file)];
    folders.extend(options.iter().filter_map(|o| o.strip_prefix("-I")).map(PathBuf::from));
    let mut out = Vec::new();
    let mut bytes = 0;
    include(rows, fixed, &folders, 0, &mut bytes, &mut out).map_err(|e| vec![e])?;
    Ok(out)
}

/// A text with its name and the numbers of its lines where it asks for them: a preprocessor would name what it is handed.
fn with_places(file: &str, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.split_inclusive('\n').enumerate() {
        let number = (i + 1).to_string();
        out.push_str(&line.replace("__FILE__", &format!("\"{file}\"")).replace("__LINE__", &number));
    }
    out
}

fn folder(file: &str) -> PathBuf {
    match Path::new(file).parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// The name in an INCLUDE line.
fn included(line: &str, fixed: bool) -> Option<&str> {
    if fixed && (line.len() < 6 || line.starts_with(['c', 'C', '*', '!']) || !line.chars().take(6).all(char::is_whitespace)) {
        return None;
    }
    let t = line.trim_start();
    let (word, rest) = (t.get(..7)?, t.get(7..)?.trim_start());
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    if !word.eq_ignore_ascii_case("include") {
        return None;
    }
    let (name, behind) = rest.get(1..)?.split_once(quote)?;
    let behind = behind.trim();
    (behind.is_empty() || behind.starts_with('!')).then_some(name)
}

fn include(rows: Vec<Row>, fixed: bool, folders: &[PathBuf], depth: usize, bytes: &mut usize, out: &mut Vec<Row>) -> Result<(), FormError> {
    for row in rows {
        let Some(name) = included(&row.text, fixed) else {
            out.push(row);
            continue;
        };
        if depth >= MAX_NESTING {
            return Err(problem("OB3005", row.number, format!("INCLUDE lines nest too deeply at `{name}`"), "does a file include itself?"));
        }
        let Some((path, text)) = folders.iter().map(|f| f.join(name)).find_map(|p| std::fs::read(&p).ok().map(|t| (p, t))) else {
            // As with a directive: what stands around it is taken out.
            out.push(Row { text: format!("#include \"{name}\"{NOT_FOUND}"), ..row });
            continue;
        };
        *bytes += text.len();
        let Some(text) = xaif::bytes::text(text).ok().filter(|_| *bytes <= MAX_BYTES) else {
            return Err(problem(
                "OB3004",
                row.number,
                format!("the included file `{name}` is too large or no text"),
                "put its text in its place",
            ));
        };
        let inner = plain(&text).into_iter().map(|r| Row { number: row.number, ..r }).collect();
        let mut folders = folders.to_vec();
        folders.insert(0, path.parent().map(Path::to_path_buf).unwrap_or_default());
        include(inner, fixed, &folders, depth + 1, bytes, out)?;
    }
    Ok(())
}

/// How a line begins that stands for a directive that includes a file that is not there.
const MISSING: &str = "!overbar-not-found ";

/// What a directive becomes that includes a file that is not there: the text around it is taken out.
pub const NOT_FOUND: &str = " is not found";

/// The preprocessor's output; where an included file is not there, a line says so.
fn without_missing(file: &str, text: &str, options: &[String]) -> Result<String, FormError> {
    let mut text = text.to_owned();
    loop {
        let e = match preprocessed(file, &text, options) {
            Ok(output) => return Ok(output),
            Err(e) => e,
        };
        let Some(name) = e.message.strip_suffix(": No such file or directory").and_then(|m| m.rsplit(' ').next()) else { return Err(e) };
        let includes = |line: &str| {
            let rest = line.strip_prefix('#').and_then(|l| l.trim_start().strip_prefix("include"));
            rest.is_some_and(|r| r.contains(&format!("<{name}>")) || r.contains(&format!("\"{name}\"")))
        };
        if !text.lines().any(includes) {
            return Err(e);
        }
        let line = |l: &str| if includes(l) { format!("{MISSING}{name}\n") } else { l.to_owned() };
        text = text.split_inclusive('\n').map(line).collect();
    }
}

/// The preprocessor's output with its line markers.
fn preprocessed(file: &str, text: &str, options: &[String]) -> Result<String, FormError> {
    for (compiler, arguments) in COMPILERS {
        let mut command = Command::new(compiler);
        command.args(arguments).args(options).arg("-I").arg(folder(file)).arg("-");
        command.env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failure = |reason: &str| problem("OB3007", 1, format!("the preprocessor {compiler} failed: {reason}"), "");
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(e) => return Err(failure(&e.to_string())),
        };
        let writer = child.stdin.take().map(|mut stdin| {
            let input = text.to_owned();
            // A preprocessor that stops early closes its end: its own message says why.
            std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())))
        });
        let output = child.wait_with_output().map_err(|e| failure(&e.to_string()))?;
        if let Some(writer) = writer {
            let _ = writer.join();
        }
        if !output.status.success() {
            return Err(complaint(compiler, &String::from_utf8_lossy(&output.stderr)));
        }
        return Ok(xaif::bytes::mixed(&output.stdout));
    }
    Err(problem(
        "OB3007",
        1,
        "no preprocessor for Fortran was found".into(),
        "install gfortran, or run the preprocessor first and give its output",
    ))
}

/// The first error: `file:line:column: error: message` of C compilers, place and `Error: message` on lines of their own of Fortran compilers.
fn complaint(compiler: &str, text: &str) -> FormError {
    let mut place = (1, 1);
    for line in text.lines() {
        let lower = line.to_ascii_lowercase();
        let at = lower.find("error: ");
        let before = line.get(..at.unwrap_or(line.len())).unwrap_or(line);
        let numbers: Vec<u32> = before.split(':').skip(1).filter_map(|p| p.trim().parse().ok()).collect();
        if let [line, column, ..] = numbers[..] {
            place = (line, column.max(1));
        }
        if let Some(message) = at.and_then(|at| line.get(at + "error: ".len()..)) {
            let d = problem("OB3007", place.0, format!("the preprocessor {compiler} says: {message}"), "");
            return FormError { column: place.1, ..d };
        }
    }
    let told: Vec<&str> = text.lines().filter(|l| !l.contains("Warning") && !l.trim().is_empty()).collect();
    problem("OB3007", 1, format!("the preprocessor {compiler} failed: {}", told.join("; ")), "")
}

/// The preprocessor's output by lines of the user's file.
fn attributed(output: &str) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::new();
    // The line of the user's file that comes next, or that led to another file.
    let (mut next, mut inside, mut started) = (1u32, false, false);
    for line in output.lines() {
        if let Some((number, name)) = marker(line) {
            // The text comes from standard input.
            let main = name == "<stdin>";
            if main {
                // The marker behind an included file names the line behind the directive.
                next = number;
                started = true;
            } else if inside {
                next = next.saturating_sub(1).max(1);
            }
            inside = main;
            continue;
        }
        if !started {
            continue;
        }
        let text = match line.strip_prefix(MISSING) {
            Some(name) => format!("#include \"{}\"{NOT_FOUND}", name.trim_end()),
            None => line.strip_suffix('\r').unwrap_or(line).to_owned(),
        };
        out.push(Row { number: if inside { next } else { next.max(1) }, text });
        if inside {
            next += 1;
        }
    }
    out
}

/// `# 12 "file" 1`
fn marker(line: &str) -> Option<(u32, String)> {
    let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("#line "))?;
    let (number, rest) = rest.split_once(' ')?;
    let name = rest.strip_prefix('"')?;
    let end = name.rfind('"')?;
    Some((number.parse().ok()?, name.get(..end)?.replace("\\\"", "\"").replace("\\\\", "\\")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers_through_macros_and_included_text() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("size.h"), "integer, parameter :: m = N\n").unwrap();
        let file = folder.path().join("a.F90").display().to_string();
        let text = "#define N 3\n#include \"size.h\"\n#ifdef FOO\nx = 1\n#else\nx = N // 'a'\n#endif\nend\n";
        let found = rows(&file, text, true, false, &[], false).unwrap();
        let with: Vec<(u32, &str)> = found.iter().filter(|r| !r.text.trim().is_empty()).map(|r| (r.number, r.text.as_str())).collect();
        assert_eq!(with, [(2, "integer, parameter :: m = 3"), (6, "x = 3 // 'a'"), (8, "end")]);
        let found = rows(&file, text, true, false, &["-DFOO".into()], false).unwrap();
        assert!(found.iter().any(|r| r.number == 4 && r.text == "x = 1"));
    }

    #[test]
    fn included_files_are_found_beside_the_file_and_in_given_folders() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("inc")).unwrap();
        std::fs::write(folder.path().join("inc/b.inc"), "      x = 2\n").unwrap();
        std::fs::write(folder.path().join("a.inc"), "      x = 1\n      include 'b.inc'\n").unwrap();
        let file = folder.path().join("a.f").display().to_string();
        let option = format!("-I{}", folder.path().join("inc").display());
        let found = rows(&file, "      y = 0\n      INCLUDE 'a.inc' ! constants\n", false, true, &[option], false).unwrap();
        let with: Vec<(u32, &str)> = found.iter().filter(|r| !r.text.is_empty()).map(|r| (r.number, r.text.trim())).collect();
        assert_eq!(with, [(1, "y = 0"), (2, "x = 1"), (2, "x = 2")]);
        let missing = rows(&file, "      y = 0\n      include 'c.inc'\n", false, true, &[], false).unwrap();
        assert_eq!((missing[1].number, missing[1].text.as_str()), (2, "#include \"c.inc\" is not found"));
        std::fs::write(folder.path().join("d.inc"), "      include 'd.inc'\n").unwrap();
        assert_eq!(rows(&file, "      include 'd.inc'\n", false, true, &[], false).unwrap_err()[0].code, "OB3005");
        let confined = rows(&file, "      y = 0\n      include 'a.inc'\n", false, true, &[], true).unwrap_err();
        assert_eq!((confined[0].code, confined[0].line), ("OB3008", 2));
    }

    #[test]
    fn files_that_are_not_there_leave_a_line() {
        let text = "#define N 2\n#include <no_such_file.h>  ! why\nx = N\n#ifdef M\n#include \"other.h\"\n#endif\n  #include \"y.h\"\n";
        let found = rows("dir/a.F90", text, true, false, &[], false).unwrap();
        let with: Vec<(u32, &str)> = found.iter().filter(|r| !r.text.trim().is_empty()).map(|r| (r.number, r.text.as_str())).collect();
        assert_eq!(with[..2], [(2, "#include \"no_such_file.h\" is not found"), (3, "x = 2")]);
    }

    #[test]
    fn complaints_of_the_preprocessor_have_their_place() {
        let e = rows("dir/a.F90", "x = 1\n#error no\n", true, false, &[], false).unwrap_err();
        // Some compilers have read on before they complain.
        assert!(e[0].code == "OB3007" && (2..=3).contains(&e[0].line), "{e:?}");
    }
}
