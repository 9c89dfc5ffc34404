//! The steps behind the commands as functions: texts in; programs, texts, or what is wrong with them, out.
//!
//! Lives here: which front end, booster and back end are called, in which order and with which options, once for the command line, batches and
//! whatever else asks. Never here: reading and writing files, printing, exit codes. (The preprocessor of C is a process that its front end starts.)

pub mod certificate;
pub mod compilation_database;
pub mod compilers;
pub mod extents;
pub mod foreign;
pub mod idle;
pub mod options;
pub mod ranges;

use crate::arguments::{Dialect, Language, Reading, Writing};
use overbar::differentiate::{self, Certification, Source};
pub use overbar::differentiate::{Booster, Derived, Diagnostics as Refused, default_heads, told};
use std::path::Path;
use xaif::model::{Head, IndexOrder, Joining};
use xaif::read::Limits;
use xaif::unparsed::{UnparseOptions, Unparsed, UnparsedFile, UnparsedFiles};
use xaif::{Diagnostic, Program};

/// What a program is read from.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Source texts with their names, all in one language.
    Source(Language, &'a [(String, String)], &'a Reading),
    /// A document with its name, and what it may cost.
    Xaif(&'a str, &'a [u8], Limits),
}

/// The extensions of source files, in lower case.
const SOURCES: [&str; 9] = ["c", "h", "f", "for", "f77", "f90", "f95", "f03", "f08"];

/// The extension of a file, as it is written.
pub fn extension(file: &Path) -> &str {
    file.extension().and_then(|e| e.to_str()).unwrap_or_default()
}

/// Whether the name is that of a source file.
pub fn is_source(file: &Path) -> bool {
    SOURCES.contains(&extension(file).to_ascii_lowercase().as_str())
}

/// Whether the name is that of a header of C: source where it is named, nothing of its own beside the files that include it.
pub fn is_header(file: &Path) -> bool {
    extension(file).eq_ignore_ascii_case("h")
}

/// The language of files: what is asked for, else what all their names say.
///
/// # Errors
/// OB0105 and OB0106.
pub fn language_of<'a>(files: impl IntoIterator<Item = &'a Path>, asked: Option<Language>) -> Result<Language, Diagnostic> {
    if let Some(language) = asked {
        return Ok(language);
    }
    let unknown = |file: &Path| {
        foreign::refusal(file).unwrap_or_else(|| {
            Diagnostic::error("OB0105", format!("the extension of {} does not tell its language", file.display()))
                .help("give --language c or --language fortran")
        })
    };
    let mut found = None;
    for file in files {
        let language = match extension(file).to_ascii_lowercase().as_str() {
            "c" | "h" => Language::C,
            _ if is_source(file) => Language::Fortran,
            _ => return Err(unknown(file)),
        };
        if *found.get_or_insert(language) != language {
            return Err(Diagnostic::error("OB0106", "the files are in different languages")
                .help("differentiate the C and the Fortran files one after the other"));
        }
    }
    found.ok_or_else(|| unknown(Path::new("")))
}

/// Reads a program. The diagnostics of a success are warnings.
///
/// # Errors
/// What the front end, the reader or the semantic checks refuse.
pub fn read(input: &Input) -> Result<(Program, Vec<Diagnostic>), Refused> {
    match *input {
        Input::Source(language, texts, reading) => {
            let (mut program, warnings) = parse(language, texts, reading)?;
            extents::apply(&mut program, &reading.extent)?;
            ranges::apply(&mut program, &reading.range)?;
            Ok((program, warnings))
        }
        Input::Xaif(name, bytes, limits) => read_xaif(name, bytes, &limits)
            .map_err(|diagnostics| Refused { diagnostics, texts: vec![(name.to_owned(), String::from_utf8_lossy(bytes).into_owned())] }),
    }
}

/// Reads a program for heads: of what is left out, only what they need is spoken of, unless all of it is asked for.
///
/// # Errors
/// What the front end, the reader or the semantic checks refuse.
pub fn read_for(input: &Input, heads: &[Head]) -> Result<(Program, Vec<Diagnostic>), Refused> {
    let all = matches!(input, Input::Source(_, _, reading) if reading.explain_all);
    match read(input) {
        Ok((program, warnings)) if !all => {
            let warnings = match told::Reach::of(&program, heads) {
                Some(reach) => reach.belonging(warnings),
                None => warnings,
            };
            Ok((program, warnings))
        }
        Err(r) if !all => Err(Refused { diagnostics: told::without_program(heads, r.diagnostics), ..r }),
        result => result,
    }
}

fn read_xaif(name: &str, bytes: &[u8], limits: &Limits) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (program, mut warnings) = xaif::read::read(name, bytes, limits)?;
    let problems = xaif::validate::semantics(&program);
    if problems.iter().any(Diagnostic::is_error) {
        return Err(problems);
    }
    warnings.extend(problems);
    Ok((program, warnings))
}

/// Calls the front end of a language.
fn parse(language: Language, texts: &[(String, String)], a: &Reading) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let sources: Vec<_> = texts.iter().map(|(file, text)| Source { file, text }).collect();
    let reading = match language {
        Language::C => differentiate::Reading::C(options_of_c(a)),
        Language::Fortran => differentiate::Reading::Fortran(overbar_fortran::ParseOptions {
            preprocessor: folders_and_macros(a),
            preprocess: a.cpp,
            preprocess_by_name: !a.no_preprocessor,
            fixed_form: a.fixed_form,
            form_by_name: !a.free_form,
            confined: a.confined,
            wanted: a.wanted.clone(),
            heads: a.heads.clone(),
        }),
    };
    differentiate::read(&sources, &reading)
}

fn folders_and_macros(a: &Reading) -> Vec<String> {
    a.include.iter().map(|i| format!("-I{i}")).chain(a.define.iter().map(|d| format!("-D{d}"))).collect()
}

/// How C files are read.
pub fn options_of_c(a: &Reading) -> overbar_c::ParseOptions {
    let mut preprocessor = folders_and_macros(a);
    preprocessor.extend(a.undefine.iter().map(|u| format!("-U{u}")));
    preprocessor.extend(a.include_first.iter().flat_map(|i| ["-include".to_owned(), i.clone()]));
    preprocessor.extend(a.std.iter().map(|s| format!("-std={s}")));
    let mut of_files = a.of_files.clone();
    // Behind all that is asked for.
    let assumed = || a.assumed.iter().map(|f| format!("-I{f}"));
    of_files.iter_mut().for_each(|(_, list)| list.extend(assumed()));
    if of_files.is_empty() {
        preprocessor.extend(assumed());
    }
    overbar_c::ParseOptions { preprocessor, of_files, preprocess: !a.no_preprocessor, ..Default::default() }
}

/// Differentiates a program that was read with these warnings, in this dialect, and certifies what comes out.
///
/// # Errors
/// What the booster refuses, and what the certificate does, behind the warnings.
pub fn boost(
    booster: Booster,
    mut program: Program,
    warnings: Vec<Diagnostic>,
    options: &overbar::Options,
    dialect: Option<Dialect>,
    certification: &Certification,
) -> Result<Derived, Refused> {
    if let Some(dialect) = dialect {
        program.dialect = self::dialect(dialect);
    }
    differentiate::derive(booster, program, warnings, options, certification)
}

/// The language as the library names it.
fn known(language: Language) -> differentiate::Language {
    match language {
        Language::C => differentiate::Language::C,
        Language::Fortran => differentiate::Language::Fortran,
    }
}

/// A dialect as the command line names it.
pub fn dialect(d: Dialect) -> xaif::model::Dialect {
    match d {
        Dialect::Overbar => xaif::model::Dialect::Overbar,
        Dialect::Openad => xaif::model::Dialect::Openad,
    }
}

/// What is asked of a back end.
fn asked(a: &Writing) -> UnparseOptions {
    UnparseOptions { no_primal: a.no_primal, header: a.header.is_some() }
}

/// Writes source text as one file, and a header where one is asked for.
///
/// # Errors
/// What the back end refuses.
pub fn unparse(language: Language, program: &Program, a: &Writing) -> Result<(String, Option<String>), Refused> {
    differentiate::write(known(language), program, &asked(a)).map(|u| (u.source, u.header))
}

/// Writes source text as one file for each that was read, and a header where one is asked for.
///
/// # Errors
/// What the back end refuses.
pub fn unparse_files(language: Language, program: &Program, a: &Writing) -> Result<UnparsedFiles, Refused> {
    differentiate::write_apart(known(language), program, &asked(a))
}

/// Writes source text with the origin of each line: as one file, or, where that is asked for or the program can be written in no other way, as one for each
/// that was read.
///
/// # Errors
/// What the back end refuses.
pub fn unparse_with_origins(language: Language, program: &Program, apart: bool) -> Result<Vec<UnparsedFile>, Vec<Diagnostic>> {
    let options = UnparseOptions::default();
    if apart || program.sources.iter().any(|s| matches!(s.joining, Joining::Apart { .. })) {
        let written = match language {
            Language::C => overbar_c::unparse_files(program, &options),
            Language::Fortran => overbar_fortran::unparse_files(program, &options),
        };
        return written.map(|u| u.files);
    }
    let written = match language {
        Language::C => overbar_c::unparse(program, &options),
        Language::Fortran => overbar_fortran::unparse(program, &options),
    };
    let file = program.sources.first().map_or_else(String::new, |s| s.file.clone());
    written.map(|Unparsed { source, origins, .. }| vec![UnparsedFile { file, source, origins }])
}

/// The language that a program came from: what it carries says so, else the order of its arrays.
pub fn language_from(program: &Program) -> Language {
    match program.sources.first().map(|s| s.language.as_str()) {
        Some("c") => Language::C,
        Some("fortran") => Language::Fortran,
        _ if program.index_order == IndexOrder::Row => Language::C,
        _ => Language::Fortran,
    }
}

/// Heads from their texts.
///
/// # Errors
/// Every one that is not written as a head.
pub fn heads(texts: &[String]) -> Result<Vec<Head>, Vec<Diagnostic>> {
    differentiate::heads(texts)
}
