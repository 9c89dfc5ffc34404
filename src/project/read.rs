//! `overbar.toml`.
//!
//! Lives here: the form, with the place of everything; tables become words of a command line. Never here: what options mean.

use crate::arguments::Cli;
use clap::CommandFactory;
use std::collections::BTreeSet;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use xaif::Diagnostic;
use xaif::diagnostic::Location;

type Found<T> = Result<T, Box<Diagnostic>>;

/// What the file says.
#[derive(Debug, Default)]
pub struct Project {
    /// The derivatives, in order.
    pub derivatives: Vec<Derivative>,
    /// Where the run-time support of C is to lie.
    pub runtime_c: Option<PathBuf>,
    /// That of Fortran.
    pub runtime_fortran: Option<PathBuf>,
}

/// One derivative.
#[derive(Debug)]
pub struct Derivative {
    /// Where it is asked for.
    pub place: Location,
    /// Words behind `overbar diff`.
    pub words: Vec<String>,
}

impl Derivative {
    /// OB0180 at its place.
    pub fn wrong(&self, message: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::error("OB0180", message).at(self.place.clone()).help("`overbar help diff` has all options"))
    }
}

/// Options that belong to the session, or make no sense in a file.
const NOT_HERE: [&str; 6] = ["help", "message-format", "color", "quiet", "verbose", "explain"];

struct Reader<'t> {
    name: &'t str,
    text: &'t str,
    options: BTreeSet<String>,
}

/// Reads the file.
///
/// # Errors
/// OB0180 with the place.
pub fn read(name: &str, text: &str) -> Found<Project> {
    let all = Cli::command();
    let diff = all.get_subcommands().find(|c| c.get_name() == "diff");
    let options = diff.into_iter().flat_map(|d| d.get_arguments()).filter_map(|a| a.get_long()).map(str::to_owned);
    let r = Reader { name, text, options: options.filter(|o| !NOT_HERE.contains(&o.as_str())).collect() };
    let table = DeTable::parse(text).map_err(|e| r.wrong(e.span().map_or(0, |s| s.start), e.message(), ""))?;
    let mut out = Project::default();
    let mut defaults = None;
    for (key, value) in table.get_ref() {
        match key.get_ref().as_ref() {
            "defaults" => defaults = Some(r.table(value)?),
            "derivative" | "runtime" => {}
            other => {
                let message = format!("the file has defaults, derivative and runtime, not `{other}`");
                return Err(r.wrong(key.span().start, &message, "put options of `overbar diff` into a [[derivative]]"));
            }
        }
    }
    if let Some(value) = table.get_ref().get("derivative") {
        let DeValue::Array(list) = value.get_ref() else {
            return Err(r.wrong(value.span().start, "derivative is no list of tables", "write [[derivative]]"));
        };
        for one in list {
            out.derivatives.push(r.derivative(one, defaults)?);
        }
    }
    if let Some(value) = table.get_ref().get("runtime") {
        for (key, value) in r.table(value)? {
            let path = r.one_text(value)?;
            match key.get_ref().as_ref() {
                "c" => out.runtime_c = Some(path.into()),
                "fortran" => out.runtime_fortran = Some(path.into()),
                other => return Err(r.wrong(key.span().start, &format!("runtime has c and fortran, not `{other}`"), "")),
            }
        }
    }
    if out.derivatives.is_empty() {
        return Err(r.wrong(0, "the file asks for no derivative", "add one: [[derivative]] with files, head, a mode and output"));
    }
    Ok(out)
}

impl<'t> Reader<'t> {
    fn place(&self, at: usize) -> Location {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
        Location { file: self.name.to_owned(), line, column, end_line: line, end_column: column + 1 }
    }

    fn wrong(&self, at: usize, message: &str, help: &str) -> Box<Diagnostic> {
        let d = Diagnostic::error("OB0180", message).at(self.place(at));
        Box::new(if help.is_empty() { d } else { d.help(help) })
    }

    fn table<'v>(&self, value: &'v Spanned<DeValue<'t>>) -> Found<&'v DeTable<'t>> {
        match value.get_ref() {
            DeValue::Table(t) => Ok(t),
            _ => Err(self.wrong(value.span().start, "a table is needed here", "")),
        }
    }

    fn one_text(&self, value: &Spanned<DeValue<'t>>) -> Found<String> {
        match value.get_ref() {
            DeValue::String(s) => Ok(s.to_string()),
            _ => Err(self.wrong(value.span().start, "a text in quotes is needed here", "")),
        }
    }

    /// A text or a list of texts.
    fn texts(&self, value: &Spanned<DeValue<'t>>) -> Found<Vec<String>> {
        match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|v| self.one_text(v)).collect(),
            _ => Ok(vec![self.one_text(value)?]),
        }
    }

    fn derivative(&self, value: &Spanned<DeValue<'t>>, defaults: Option<&DeTable<'t>>) -> Found<Derivative> {
        let table = self.table(value)?;
        let at = value.span().start;
        if !table.contains_key("files") {
            return Err(self.wrong(at, "a derivative without files", "name its source files: files = [\"f.c\"]"));
        }
        if !table.contains_key("output") && !table.contains_key("output-folder") {
            return Err(self.wrong(at, "a derivative without a place", "give output = \"FILE\" or output-folder = \"FOLDER\""));
        }
        let inherited = defaults.into_iter().flatten().filter(|(key, _)| !table.contains_key(key.get_ref().as_ref()));
        let (mut words, mut files) = (Vec::new(), Vec::new());
        for (key, value) in inherited.chain(table) {
            match key.get_ref().as_ref() {
                "files" => files = self.texts(value)?,
                name if self.options.contains(name) => self.option(name, value, &mut words)?,
                other => {
                    let message = format!("`overbar diff` has no option `{other}`");
                    return Err(self.wrong(key.span().start, &message, "options are named like its long options, without the dashes"));
                }
            }
        }
        words.push("--".to_owned());
        words.extend(files);
        Ok(Derivative { place: self.place(at), words })
    }

    fn option(&self, name: &str, value: &Spanned<DeValue<'t>>, words: &mut Vec<String>) -> Found<()> {
        match value.get_ref() {
            DeValue::Boolean(true) => words.push(format!("--{name}")),
            DeValue::Boolean(false) => {}
            DeValue::Integer(n) => words.push(format!("--{name}={n}")),
            DeValue::String(_) | DeValue::Array(_) => words.extend(self.texts(value)?.iter().map(|t| format!("--{name}={t}"))),
            _ => {
                let message = format!("the value of `{name}` is no text, truth value, whole number or list of texts");
                return Err(self.wrong(value.span().start, &message, ""));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_become_command_lines() {
        let text = "[defaults]\nadjoint = true\nextent = [\"x=n\"]\n[[derivative]]\nfiles = \"f.c\"\nhead = [\"f/(x)\", \"g\"]\noutput = \"o.c\"\n\
                    [[derivative]]\nfiles = [\"a.c\", \"b.c\"]\nadjoint = false\ntangent = true\ncertify-budget = 10\noutput-folder = \"o\"\n[runtime]\nc = \"o/overbar.h\"\n";
        let p = read("overbar.toml", text).unwrap();
        let sorted = |k: usize| {
            let mut words = p.derivatives[k].words.clone();
            let files = words.iter().position(|w| w == "--").unwrap();
            words[..files].sort();
            words.join(" ")
        };
        assert_eq!(sorted(0), "--adjoint --extent=x=n --head=f/(x) --head=g --output=o.c -- f.c");
        assert_eq!(sorted(1), "--certify-budget=10 --extent=x=n --output-folder=o --tangent -- a.c b.c");
        assert_eq!((p.derivatives[0].place.line, p.derivatives[1].place.line), (4, 8));
        assert_eq!(p.runtime_c, Some(PathBuf::from("o/overbar.h")));
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let one = "[[derivative]]\nfiles = \"f.c\"\noutput = \"o.c\"\n";
        let cases = [
            (String::new(), 1, 1),
            ("[derivative]\nfiles = \"f.c\"\n".to_owned(), 1, 1),
            ("[[derivative]]\noutput = \"o.c\"\n".to_owned(), 1, 1),
            ("[[derivative]]\nfiles = \"f.c\"\n".to_owned(), 1, 1),
            (format!("{one}  heads = \"f\"\n"), 4, 3),
            (format!("{one}quiet = true\n"), 4, 1),
            (format!("{one}adjoint = 1.5\n"), 4, 11),
            ("[[derivative]]\nfiles = 3\noutput = \"o.c\"\n".to_owned(), 2, 9),
            (format!("{one}[runtime]\ncpp = \"o\"\n"), 5, 1),
        ];
        for (text, line, column) in cases {
            let d = read("overbar.toml", &text).expect_err(&text);
            let l = d.location.as_ref().expect("a place");
            assert_eq!((d.code, l.line, l.column), ("OB0180", line, column), "{text}: {d:?}");
        }
        // Where the text is no TOML the parser says how far it came.
        let d = read("overbar.toml", "\n[[derivative]\n").expect_err("no TOML");
        assert_eq!(d.location.as_ref().map(|l| l.line), Some(2));
    }
}
