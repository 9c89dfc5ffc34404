//! What commands have in common: what they read, make and write, and how they refuse.
//!
//! Lives here: steps of several commands, with what a session offers. Never here: any command.

use crate::arguments::{self, Language};
use crate::console::files::{Content, Target, display_name, make_folder, read_bytes, read_source, read_text, write_all};
use crate::console::headers;
use crate::console::report::{Failed, Session};
use crate::pipeline::certificate;
use crate::pipeline::compilation_database::Database;
use crate::pipeline::compilers::Compiler;
use crate::pipeline::default_heads::default_heads;
use crate::pipeline::{self, Input, Refused, foreign, idle, options};
use overbar::Boosted;
use overbar::differentiate::Certification;
use overbar::evaluate::json;
use std::path::{Path, PathBuf};
use xaif::model::Head;
use xaif::{Diagnostic, Program};

/// What came of a command.
pub type Done = Result<(), Failed>;

/// A program is given back with the process, which ends here: taking a large one apart would take a tenth of the time. A desk has others to come.
pub(super) fn leave(session: &Session, program: Program) {
    if session.desk().is_none() {
        std::mem::forget(program);
    }
}

/// The options of a request, with the rules and the catalogue that it names.
pub(super) fn asked(session: &mut Session, a: &arguments::Derivatives) -> Result<overbar::Options, Failed> {
    let options = options::derivatives(a).map_err(|found| misused(session, found))?;
    let rules = a.rules.as_deref().map(|f| rules(session, f)).transpose()?;
    let catalogue = a.catalogue.as_deref().map(|f| catalogue(session, f)).transpose()?;
    Ok(overbar::Options { rules, catalogue, ..options })
}

/// The built-in catalogue with what a file adds to it.
fn catalogue(session: &mut Session, file: &Path) -> Result<std::sync::Arc<xaif::catalogue::Catalogue>, Failed> {
    let text = read_text(session, file)?;
    xaif::catalogue::Catalogue::extended(&text).map(std::sync::Arc::new).map_err(|e| {
        let d = Diagnostic::error("OB0157", format!("{}: {e}", display_name(file)))
            .because("a partial derivative that is not understood would be none")
            .help("compare it with the catalogue that `overbar intrinsics` tells, and docs/dialects.md");
        session.fail([d])
    })
}

/// Rules from a file.
fn rules(session: &mut Session, file: &Path) -> Result<std::sync::Arc<overbar::rules::Rules>, Failed> {
    let text = read_text(session, file)?;
    overbar::rules::read(&display_name(file), &text).map(std::sync::Arc::new).map_err(|found| session.fail(found))
}

/// How derivatives are certified: options, where, and who compiles.
pub(super) type Certified<'a> = (&'a arguments::Certifying, &'a arguments::Spot, &'a Compiler);

/// Differentiates a program and certifies what comes out; prints what was said on the way, or why there is none.
pub(super) fn derived(
    session: &mut Session,
    booster: pipeline::Booster,
    (program, warnings): (Program, Vec<Diagnostic>),
    options: &overbar::Options,
    dialect: Option<arguments::Dialect>,
    (certifying, spot, compiler): Certified,
) -> Result<Boosted, Failed> {
    let values = match &spot.input {
        Some(file) => {
            let text = read_text(session, file)?;
            Some(json::request(&text, program.index_order).map_err(|f| session.fail([*f]))?.inputs.values)
        }
        None => None,
    };
    let certification = Certification { values, ..options::certification(certifying, compiler) };
    let derived = pipeline::boost(booster, program, warnings, options, dialect, &certification);
    let mut derived = derived.map_err(|r| refused(session, r))?;
    if let Some(verdict) = certificate::worst(&derived.reports) {
        session.certified(verdict.word());
    }
    let said = std::mem::take(&mut derived.boosted.diagnostics);
    if !said.is_empty() {
        session.remember_sources(&derived.boosted.program);
        session.print(said);
    }
    derived.original.into_iter().for_each(|p| leave(session, p));
    Ok(derived.boosted)
}

/// Prints what is refused.
pub(super) fn refused(session: &mut Session, r: Refused) -> Failed {
    for (file, text) in &r.texts {
        session.remember(file, text);
    }
    session.fail(r.diagnostics)
}

/// Refuses options that do nothing.
pub(super) fn useful(session: &Session, found: Vec<idle::Idle>) -> Done {
    if found.is_empty() { Ok(()) } else { Err(misused(session, idle::refused(found))) }
}

/// How the files are read, with what a compilation database says of each, and the folders of headers that only the project tells.
pub(super) fn reading(
    session: &mut Session,
    a: &arguments::Reading,
    files: &[PathBuf],
    language: Option<Language>,
) -> Result<arguments::Reading, Failed> {
    let mut out = a.clone();
    if let Some(path) = &a.compile_commands {
        let name = display_name(path);
        let text = read_text(session, path)?;
        let database = Database::read(&name, &text).map_err(|d| misused(session, vec![d]))?;
        out.of_files = database.of_files(&name, files).map_err(|d| misused(session, vec![d]))?;
    }
    // A desk has the files of a request, and no project.
    if session.desk().is_none() {
        let said = match headers::complete(&mut out, files, language) {
            Ok(said) => said,
            Err(d) => return Err(session.fail([d])),
        };
        session.print(said);
        session.includes(&out.assumed);
    }
    Ok(out)
}

pub(super) fn kind(files: &[PathBuf], language: Option<Language>) -> idle::Kind {
    idle::kind(files.iter().map(PathBuf::as_path), language)
}

/// Prints errors of usage.
fn misused(session: &Session, found: Vec<Diagnostic>) -> Failed {
    session.print(found);
    Failed(2)
}

pub(super) fn usage(session: &Session, code: &'static str, message: &str, help: &str) -> Failed {
    session.print([Diagnostic::error(code, message).help(help)]);
    Failed(2)
}

pub(super) fn parse_heads(session: &Session, heads: &[String]) -> Result<Vec<Head>, Failed> {
    pipeline::heads(heads).map_err(|found| misused(session, found))
}

/// A file that is written beside the output.
pub(super) struct Aside<'a> {
    path: &'a Path,
    text: String,
}

impl<'a> Aside<'a> {
    /// A text and its file.
    pub(super) fn new(path: &'a Path, text: String) -> Aside<'a> {
        Aside { path, text }
    }

    /// What goes where.
    pub(super) fn target(&self) -> Target<'_> {
        Target { path: Some(self.path), content: Content::Text(&self.text) }
    }
}

/// Files that were asked for besides: facts, what adjoints record, and what was decided about sequences.
pub(super) fn besides<'a>(a: &'a arguments::Derivatives, boosted: &Boosted) -> Vec<Aside<'a>> {
    let mut out = Vec::new();
    if let (Some(path), Some(document)) = (&a.facts, &boosted.facts) {
        out.push(Aside { path, text: overbar::facts::json(document) });
    }
    if let Some(path) = &a.stats {
        let answer = overbar::stats::json(&boosted.program, &overbar::stats::collect(&boosted.program));
        out.push(Aside { path, text: serde_json::to_string_pretty(&answer).unwrap_or_default() + "\n" });
    }
    if let Some(Some(path)) = &a.explain {
        out.push(Aside { path, text: explanation(boosted) });
    }
    out
}

/// What was decided about sequences, where that was asked for without a file, and how long the steps of adjoints took: files do not depend on a clock.
pub(super) fn explain(session: &Session, a: &arguments::Derivatives, boosted: &Boosted) {
    if a.explain == Some(None) {
        session.aside(&(explanation(boosted) + &overbar::transform::times::text(&boosted.times)));
    }
}

/// What was decided about sequences, one line for each.
fn explanation(boosted: &Boosted) -> String {
    let mut text = overbar::transform::choice::text(&boosted.program, &boosted.calls);
    text.push_str(&overbar::transform::preaccumulate::explain::text(&boosted.program, &boosted.decisions));
    text
}

pub(super) fn read_xaif(session: &mut Session, file: &Path) -> Result<Program, Failed> {
    let bytes = read_bytes(session, file)?;
    read(session, &Input::Xaif(&display_name(file), &bytes, *session.limits()), &[])
}

/// A program for these heads from XAIF, or from source files by way of their front end: what has no extension of a language is XAIF.
pub fn read_program(
    session: &mut Session,
    files: &[PathBuf],
    language: Option<Language>,
    reading: &arguments::Reading,
    heads: &[Head],
) -> Result<Program, Failed> {
    match files {
        [file] if language.is_none() && !pipeline::is_source(file) => {
            readable(session, files, language)?;
            useful(session, idle::reading(reading, idle::Kind::Xaif))?;
            read_xaif(session, file)
        }
        _ => {
            let language = language_of(session, files, language)?;
            useful(session, idle::reading(reading, kind(files, Some(language))))?;
            parse(session, language, files, reading, heads)
        }
    }
}

/// The head of a program that names none: that of its only unit that others do not need. A note says so.
pub(super) fn only_head(session: &Session, program: &Program) -> Result<Vec<Head>, Failed> {
    let heads = default_heads(program);
    match &heads[..] {
        // The booster says what is wrong with the units that are there.
        [] => Ok(heads),
        [head] => {
            let text = format!("no head is given: {} is differentiated, every real argument that is read and written", head.unit);
            let note = Diagnostic { severity: xaif::Severity::Note, ..Diagnostic::warning("OB0139", text) };
            session.print([note.help(format!("--head '{}(dependents)/(independents)' says which", head.unit))]);
            Ok(heads)
        }
        _ => {
            let names: Vec<&str> = heads.iter().map(|h| h.unit.as_str()).collect();
            let help = format!("give --head 'unit(dependents)/(independents)'; there are the units {}", names.join(", "));
            Err(usage(session, "OB0109", "what is to be differentiated?", &help))
        }
    }
}

/// OB0105 where the first of these is a folder or in another language.
pub(super) fn readable(session: &Session, files: &[PathBuf], asked: Option<Language>) -> Done {
    let folder = |f: &&PathBuf| session.desk().is_none() && f.is_dir();
    if let Some(folder) = files.iter().find(folder) {
        let name = folder.display();
        let help = format!("name files in it; `overbar batch {name} -b -o made` differentiates all of them");
        return Err(usage(session, "OB0105", &format!("{name} is a folder"), &help));
    }
    let foreign = files.iter().filter(|_| asked.is_none()).find_map(|f| foreign::refusal(f));
    foreign.map_or(Ok(()), |d| Err(misused(session, vec![d])))
}

pub(super) fn language_of(session: &Session, files: &[PathBuf], asked: Option<Language>) -> Result<Language, Failed> {
    readable(session, files, asked)?;
    pipeline::language_of(files.iter().map(PathBuf::as_path), asked).map_err(|d| misused(session, vec![d]))
}

/// The texts of files with their names, remembered for snippets.
pub(super) fn texts(session: &mut Session, files: &[PathBuf]) -> Result<Vec<(String, String)>, Failed> {
    files.iter().map(|file| Ok((display_name(file), read_source(session, file)?))).collect()
}

fn read(session: &mut Session, input: &Input, heads: &[Head]) -> Result<Program, Failed> {
    let (program, warnings) = pipeline::read_for(input, heads).map_err(|r| refused(session, r))?;
    session.print(warnings);
    Ok(program)
}

pub(super) fn parse(
    session: &mut Session,
    language: Language,
    files: &[PathBuf],
    a: &arguments::Reading,
    heads: &[Head],
) -> Result<Program, Failed> {
    session.includes(&a.include);
    let reading = reading(session, a, files, Some(language))?;
    let texts = texts(session, files)?;
    read(session, &Input::Source(language, &texts, &reading), heads)
}

pub(super) fn unparse(
    session: &mut Session,
    language: Language,
    program: &Program,
    a: &arguments::Writing,
    placing: &arguments::Placing,
    besides: &[Aside],
) -> Done {
    let (files, header) = match &placing.output_folder {
        Some(folder) => {
            let written = pipeline::unparse_files(language, program, a).map_err(|r| refused(session, r))?;
            let place = |file: &str| folder.join(Path::new(file).file_name().unwrap_or_default());
            (written.files.into_iter().map(|f| (Some(place(&f.file)), f.source)).collect(), written.header)
        }
        None => {
            let (source, header) = pipeline::unparse(language, program, a).map_err(|r| refused(session, r))?;
            (vec![(placing.output.output.clone(), source)], header)
        }
    };
    let mut targets: Vec<Target> =
        files.iter().map(|(path, text)| Target { path: path.as_deref(), content: Content::Source(text) }).collect();
    if let (Some(path), Some(text)) = (&a.header, &header) {
        targets.push(Target { path: Some(path), content: Content::Source(text) });
    }
    targets.extend(besides.iter().map(Aside::target));
    if let Some(folder) = &placing.output_folder {
        make_folder(session, folder)?;
    }
    write_all(session, &targets)
}
