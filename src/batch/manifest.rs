//! Manifests: what a batch is to do, as its author wrote it.
//!
//! Lives here: the form, in TOML and XML, with the line of everything. Never here: looking for files, meaning of options.

mod toml;
mod xml;

use super::settings::Settings;
use std::path::Path;
use xaif::Diagnostic;
use xaif::diagnostic::Location;

/// What a manifest says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// Options for all items that do not say otherwise.
    pub defaults: Settings,
    /// The items, in order.
    pub items: Vec<Entry>,
}

/// One item, or a pattern of items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The line that it begins in.
    pub line: u32,
    /// Patterns; every file that one of them matches is an item.
    pub inputs: Vec<String>,
    /// Files that are read into one program.
    pub files: Vec<String>,
    /// Name of the output, below the output folder.
    pub output: Option<String>,
    /// Its options.
    pub settings: Settings,
}

/// Reads a manifest; the form goes by the first character that is no blank.
///
/// # Errors
/// OB0140 with the place; what the schema has against a manifest in XML.
pub fn read(name: &str, text: &str) -> Result<Manifest, Vec<Diagnostic>> {
    let manifest =
        if text.trim_start().starts_with('<') { xml::read(name, text)? } else { toml::read(name, text).map_err(|d| vec![*d])? };
    let wrong: Vec<Diagnostic> = manifest.items.iter().filter_map(|e| checked(name, e).err()).collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    if manifest.items.is_empty() {
        return Err(vec![problem(name, 1, 1, "the manifest has no item", "add one: [[item]] with input = \"*.c\"")]);
    }
    Ok(manifest)
}

/// Whether a file is a manifest by its name.
pub fn is_manifest(path: &Path) -> bool {
    matches!(crate::pipeline::extension(path).to_ascii_lowercase().as_str(), "toml" | "xml")
}

fn checked(name: &str, e: &Entry) -> Result<(), Diagnostic> {
    let wrong = |message: &str, help: &str| Err(problem(name, e.line, 1, message, help));
    match (e.inputs.is_empty(), e.files.is_empty()) {
        (true, true) => wrong("an item without input", "name a file or a pattern with input, or the files of one program with files"),
        (false, false) => wrong("an item with both input and files", "make two items of it"),
        (true, false) if e.files.len() > 1 && e.output.is_none() => {
            wrong("an item of several files needs a name for its output", "give output")
        }
        _ => Ok(()),
    }
}

fn problem(file: &str, line: u32, column: u32, message: &str, help: &str) -> Diagnostic {
    let location = Location { file: file.to_owned(), line, column, end_line: line, end_column: column + 1 };
    let d = Diagnostic::error("OB0140", message).at(location);
    if help.is_empty() { d } else { d.help(help) }
}

/// Line and column of a byte.
fn place(text: &str, at: usize) -> (u32, u32) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line as u32, column as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOML: &str = "[defaults]\nadjoint = true\nreversal = \"split\"\n\n[[item]]\ninput = \"a/*.f90\"\nhead = [\"f(y)/(x)\", \"g\"]\n\n[[item]]\nfiles = [\"m.f90\", \"p.f90\"]\noutput = \"p.f90\"\ntangent = true\nadjoint = false\n";
    const XML: &str = r#"<manifest xmlns="urn:overbar:manifest:1">
  <defaults><option name="adjoint"/><option name="reversal" value="split"/></defaults>
  <!-- an item -->

  <item><input>a/*.f90</input><option name="head" value="f(y)/(x)"/><option name="head" value="g"/></item>



  <item output="p.f90"><file>m.f90</file><file>p.f90</file>
    <option name="tangent"/><option name="adjoint" value="false"/></item>
</manifest>
"#;

    #[test]
    fn both_forms_say_the_same() {
        let toml = read("b.toml", TOML).unwrap();
        assert_eq!(toml.items.iter().map(|e| e.line).collect::<Vec<_>>(), [5, 9]);
        assert_eq!(toml.items[0].inputs, ["a/*.f90"]);
        assert_eq!(toml.items[1].files, ["m.f90", "p.f90"]);
        assert_eq!(read("b.xml", XML).unwrap(), toml);
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        let cases = [
            ("[[item]]\n", 1),
            ("[[item]]\ninput = \"a.c\"\nfiles = [\"b.c\"]\n", 1),
            ("[defaults]\nadjoint = true\n", 1),
            ("[[item]]\ninput = \"a.c\"\n\nadjoint = 1.5\n", 4),
            ("[[item]]\ninput = 3\n", 2),
            ("[[item]]\ninput = \"a.c\"\noutput = [\"b\"]\n", 3),
            ("adjoint = true\n[[item]]\ninput = \"a.c\"\n", 1),
            ("[[item]]\ninput = \"a.c\"\ninput = \"b.c\"\n", 3),
            ("[[item]\n", 1),
            ("item = 3\n", 1),
            ("[[item]]\nfiles = [\"a.f90\", \"b.f90\"]\n", 1),
        ];
        for (text, line) in cases {
            let found = read("b.toml", text).unwrap_err();
            let l = found[0].location.as_ref().unwrap_or_else(|| panic!("{text}: {found:?}"));
            assert_eq!((found[0].code, l.file.as_str(), l.line), ("OB0140", "b.toml", line), "{text}: {found:?}");
        }
        for (text, line) in [
            (XML.replace("<input>", "<imput>").replace("</input>", "</imput>"), 5),
            (XML.replace("<file>m.f90</file><file>p.f90</file>", ""), 9),
        ] {
            let found = read("b.xml", &text).unwrap_err();
            assert_eq!(found[0].location.as_ref().map(|l| l.line), Some(line), "{text}: {found:?}");
        }
        assert!(read("b.xml", "<manifest").is_err());
        assert!(read("b.xml", "<!DOCTYPE a [<!ENTITY b \"c\">]><manifest xmlns=\"urn:overbar:manifest:1\">&b;</manifest>").is_err());
    }
}
