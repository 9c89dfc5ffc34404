//! Headers that C files need and no `-I` names.
//!
//! Lives here: which headers a preprocessor misses, one after the other, and what is assumed of them. Never here: where a project keeps its headers (see
//! `nearby`).

use super::included;
use super::nearby::{Found, Projects};
use crate::arguments::{Language, Reading};
use crate::pipeline::{language_of, options_of_c};
use overbar_c::parse::{MissingHeader, SourceText, missing_header};
use std::path::{Path, PathBuf};
use xaif::Diagnostic;

/// More folders than this are not assumed.
const MOST: usize = 32;

/// Adds the folders of headers that files miss and of which their project has one each. What was assumed is said.
///
/// # Errors
/// OB2002: of a missing header the project has several.
pub fn complete(reading: &mut Reading, files: &[PathBuf], language: Option<Language>) -> Result<Vec<Diagnostic>, Diagnostic> {
    let is_c = language_of(files.iter().map(PathBuf::as_path), language).is_ok_and(|l| l == Language::C);
    let mut said = Vec::new();
    if !is_c || reading.no_preprocessor || reading.confined || !reading.assumed.is_empty() {
        return Ok(said);
    }
    let mut projects = Projects::default();
    for file in files {
        if !included::misses_some(file, &folders(reading)) {
            continue;
        }
        let name = file.display().to_string();
        let Ok(bytes) = std::fs::read(file) else { continue };
        let text = xaif::bytes::mixed(&bytes);
        while reading.assumed.len() < MOST
            && let Some(missing) = missing_header(&SourceText { file: &name, text: &text }, &options_of_c(reading))
        {
            match projects.folder_of(&missing.name, Path::new(&missing.place.file)) {
                // A folder that is looked in already has no such header for the preprocessor.
                Found::One(folder) if !reading.assumed.contains(&folder) => {
                    said.push(assumed(&missing, &folder));
                    reading.assumed.push(folder);
                }
                Found::Unclear(list) if !list.is_empty() => return Err(unclear(missing, &list)),
                _ => match projects.folder_of(&format!("{}.in", missing.name), Path::new(&missing.place.file)) {
                    Found::One(folder) => return Err(not_made(missing, &folder)),
                    Found::Unclear(_) => break,
                },
            }
        }
    }
    Ok(said)
}

/// All folders of headers that are named for some file.
fn folders(reading: &Reading) -> Vec<String> {
    let of_files = reading.of_files.iter().flat_map(|(_, list)| list).map(|o| o.strip_prefix("-I").unwrap_or(o));
    reading.include.iter().map(String::as_str).chain(of_files).map(str::to_owned).collect()
}

fn assumed(missing: &MissingHeader, folder: &str) -> Diagnostic {
    Diagnostic::warning("OB0137", format!("`{}` is read from `{folder}`, a folder that no -I names", missing.name))
        .at(Some(missing.place.clone()))
        .because("the project has no other header of this name")
        .help(format!("give -I {folder}, or the folder that is meant"))
}

fn not_made(missing: MissingHeader, folder: &str) -> Diagnostic {
    let template = Path::new(folder).join(format!("{}.in", missing.name));
    Diagnostic::error("OB2002", format!("the preprocessor does not find {}", missing.name))
        .at(Some(missing.place))
        .because(format!("it is made when the project is configured, from {}", template.display()))
        .help("configure the project, and name the folder of the header that is made: -I folder")
}

fn unclear(missing: MissingHeader, list: &[String]) -> Diagnostic {
    let choice: Vec<String> = list.iter().take(8).map(|f| format!("-I {f}")).collect();
    Diagnostic::error("OB2002", format!("the preprocessor does not find {}: {} folders of the project have one", missing.name, list.len()))
        .at(Some(missing.place))
        .because("which of them is meant, or whether that folder goes before others, is not certain")
        .help(format!("name the folder of the header: {}", choice.join(" or ")))
}
