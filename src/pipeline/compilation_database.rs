//! Compilation databases (`compile_commands.json`): how each file of a project is compiled, as far as it changes what its text means.
//!
//! ```text
//! [{ "directory": "/p/build", "file": "../src/a.c", "command": "cc -I../include -DN=3 -c ../src/a.c" }]
//! ```
//!
//! Lives here: such a document, and which options count. Never here: reading and writing files.

use serde::Deserialize;
use std::path::{Component, Path, PathBuf};
use xaif::Diagnostic;

/// How a file is compiled.
#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// A compilation database.
#[derive(Debug)]
pub struct Database(Vec<Entry>);

/// Options with a path behind them, as they are written: joined to it or not.
const PATHS: [&str; 6] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I"];
/// Options with a name.
const NAMES: [&str; 2] = ["-D", "-U"];
/// Options that stand alone and change what macros there are, or what types mean.
const ALONE: [&str; 8] = ["-ansi", "-fopenmp", "-pthread", "-nostdinc", "-undef", "-funsigned-char", "-fsigned-char", "-fshort-enums"];

/// A path without `.` and `..`, as far as its text tells.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The words of a command, as a shell would find them: blanks, quotes and backslashes.
fn words(command: &str) -> Vec<String> {
    let (mut out, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                if let Some(next) = chars.next() {
                    // Within quotes a backslash is one, but before what it protects.
                    if quote.is_some() && !matches!(next, '"' | '\\' | '$' | '`') {
                        word.get_or_insert_default().push('\\');
                    }
                    word.get_or_insert_default().push(next);
                }
            }
            (None, c) if c.is_whitespace() => out.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word);
    out
}

/// What an option is followed by, joined or as the next word.
fn behind<'w>(word: &'w str, name: &str, rest: &mut impl Iterator<Item = &'w String>) -> Option<&'w str> {
    match word.strip_prefix(name)? {
        "" => rest.next().map(String::as_str),
        joined => Some(joined),
    }
}

impl Database {
    /// Reads a document.
    ///
    /// # Errors
    /// OB0134: it is no compilation database.
    pub fn read(name: &str, text: &str) -> Result<Database, Diagnostic> {
        let list: Vec<Entry> = serde_json::from_str(text).map_err(|e| {
            let place = xaif::diagnostic::Location {
                file: name.to_owned(),
                line: e.line() as u32,
                column: e.column().max(1) as u32,
                end_line: e.line() as u32,
                end_column: e.column() as u32 + 1,
            };
            Diagnostic::error("OB0134", format!("this is no compilation database: {e}"))
                .at(Some(place).filter(|p| p.line > 0))
                .help("give a list of objects with `directory`, `file`, and `arguments` or `command`, such as CMake writes")
        })?;
        Ok(Database(list))
    }

    /// The options of each of these files, by the names under which they are read.
    ///
    /// # Errors
    /// OB0135: the database has nothing of one of them.
    pub fn of_files(&self, name: &str, files: &[PathBuf]) -> Result<Vec<(String, Vec<String>)>, Diagnostic> {
        let one = |file: &PathBuf| {
            let shown = file.display().to_string();
            let absolute = std::path::absolute(file).unwrap_or_else(|_| file.clone());
            // Under another name it is the same file.
            let real = || std::fs::canonicalize(file).ok().and_then(|f| self.options(&f));
            self.options(&absolute).or_else(real).map(|options| (shown.clone(), options)).ok_or_else(|| {
                Diagnostic::error("OB0135", format!("{name} does not say how {shown} is compiled"))
                    .help("give the file its options with -I, -D, -U, -include and -std in a command of its own")
            })
        };
        files.iter().map(one).collect()
    }

    /// The options of a file that is given by an absolute path; `None` where the database has nothing of it.
    pub fn options(&self, file: &Path) -> Option<Vec<String>> {
        let wanted = plain(file);
        let entry = self.0.iter().find(|e| plain(&e.directory.join(&e.file)) == wanted)?;
        let split;
        let arguments = match (&entry.arguments, &entry.command) {
            (Some(list), _) => list,
            (None, Some(command)) => {
                split = words(command);
                &split
            }
            (None, None) => return Some(Vec::new()),
        };
        let mut out = Vec::new();
        // The first is the compiler.
        let mut rest = arguments.iter().skip(1);
        while let Some(word) = rest.next() {
            if word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ" || word == "-x" {
                rest.next();
            } else if ALONE.contains(&word.as_str()) || word.starts_with("-std=") || word.starts_with("-m") {
                out.push(word.clone());
            } else if let Some(name) = PATHS.iter().find(|p| word.starts_with(**p)) {
                if let Some(path) = behind(word, name, &mut rest) {
                    let path = plain(&entry.directory.join(path)).to_string_lossy().into_owned();
                    if *name == "-I" { out.push(format!("-I{path}")) } else { out.extend([(*name).to_owned(), path]) }
                }
            } else if let Some(name) = NAMES.iter().find(|p| word.starts_with(**p))
                && let Some(value) = behind(word, name, &mut rest)
            {
                out.push(format!("{name}{value}"));
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let text = r#"[{"directory": "/p/build", "file": "../src/a.c", "command": "cc -I../include -I /usr/x -D N=3 \"-DS=\\\"a b\\\"\" -O2 -include pre.h -std=c99 -o a.o -c ../src/a.c"},
                       {"directory": "/p/build", "file": "/p/src/b.c", "arguments": ["cc", "-UN", "-isystem", "sys", "-Wall", "-c", "/p/src/b.c"], "output": "b.o"}]"#;
        let database = Database::read("compile_commands.json", text).unwrap();
        let of = |file: &str| database.options(Path::new(file));
        assert_eq!(
            of("/p/src/./a.c").unwrap(),
            ["-I/p/include", "-I/usr/x", "-DN=3", "-DS=\"a b\"", "-include", "/p/build/pre.h", "-std=c99"]
        );
        assert_eq!(of("/p/other/../src/b.c").unwrap(), ["-UN", "-isystem", "/p/build/sys"]);
        assert_eq!(of("/p/src/c.c"), None);
        let d = Database::read("x.json", "[{\"file\": 1}]").unwrap_err();
        assert_eq!((d.code, d.location.unwrap().line), ("OB0134", 1));
    }

    #[test]
    fn words_are_those_of_a_shell() {
        assert_eq!(words(r#"a  'b c' "d\"e" f\ g '' "\n""#), ["a", "b c", "d\"e", "f g", "", "\\n"]);
    }
}
