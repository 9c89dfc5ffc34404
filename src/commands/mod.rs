//! The commands, each a few calls of the libraries, with what a session offers: the process's own files and streams, or a desk.
//!
//! Lives here: one file for a command, or for a few of a kind. Never here: batches and the service, which do commands.

mod eliminate;
mod eval;
mod explain;
mod intrinsics;
pub mod page;
mod plot;
mod verify;

use crate::arguments::{self, Command, Language};
use crate::console::files::{Content, Target, display_name, read_bytes, read_source, read_text, write_all};
use crate::console::report::{Failed, Session};
use crate::pipeline::certificate::{self, Certification};
use crate::pipeline::compilers::{Compiler, LEVELS};
use crate::pipeline::{self, Input, Refused, idle, options};
use clap::CommandFactory;
use overbar::Boosted;
use overbar::evaluate::json;
use std::path::{Path, PathBuf};
use xaif::model::Head;
use xaif::{Diagnostic, Program};

/// What came of a command.
pub type Done = Result<(), Failed>;

/// A program is given back with the process, which ends here: taking a large one apart would take a tenth of the time. A desk has others to come.
fn leave(session: &Session, program: Program) {
    if session.desk().is_none() {
        std::mem::forget(program);
    }
}

/// `overbar diff`
pub fn diff(session: &mut Session, a: &arguments::Diff) -> Done {
    let options = asked(session, &a.derivatives)?;
    let language = language_of(session, &a.files, a.language)?;
    useful(session, idle::derivatives(&a.derivatives, false))?;
    useful(session, idle::reading(&a.reading, kind(&a.files, Some(language))))?;
    useful(session, idle::certifying(&a.certifying, &a.spot, language))?;
    session.includes(&a.reading.include);
    let texts = texts(session, &a.files)?;
    let read = pipeline::read(&Input::Source(language, &texts, &a.reading)).map_err(|r| refused(session, r))?;
    let compiler = Compiler::of(&read.0, &a.files, &a.reading, &a.spot.compilers, &LEVELS);
    let boosted = derived(session, overbar::boost, read, &options, None, (&a.certifying, &a.spot, &compiler))?;
    let written = unparse(session, language, &boosted.program, &a.writing, &a.output, &besides(&a.derivatives, &boosted));
    let written = written.map(|()| explain(session, &a.derivatives, &boosted));
    leave(session, boosted.program);
    written
}

/// `overbar frontend`
pub fn frontend(session: &mut Session, a: &arguments::Frontend) -> Done {
    let heads = parse_heads(session, &a.head)?;
    useful(session, idle::reading(&a.reading, kind(&a.files, Some(a.language))))?;
    let mut program = parse(session, a.language, &a.files, &a.reading)?;
    // What is asked for here wins over what the text asks for.
    if !heads.is_empty() {
        program.heads = heads;
    }
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Xaif(&program) }])
}

/// `overbar boost`
pub fn boost(session: &mut Session, a: &arguments::Boost) -> Done {
    let options = asked(session, &a.derivatives)?;
    // The text of a large program goes before derivatives take its room.
    let (program, warnings) = {
        let bytes = read_bytes(session, &a.file)?;
        let input = Input::Xaif(&display_name(&a.file), &bytes, *session.limits());
        pipeline::read(&input).map_err(|r| refused(session, r))?
    };
    let stock = a.dialect.map_or(program.dialect, pipeline::dialect) == xaif::model::Dialect::Openad;
    useful(session, idle::derivatives(&a.derivatives, stock))?;
    useful(session, idle::certifying(&a.certifying, &a.spot, pipeline::language_from(&program)))?;
    // What it came from is known by its names alone.
    let files: Vec<PathBuf> = program.sources.iter().map(|s| PathBuf::from(&s.file)).collect();
    let compiler = Compiler::of(&program, &files, &arguments::Reading::default(), &a.spot.compilers, &LEVELS);
    // A compiler makes source text of it, for which symbols have to be in the order of a document.
    let booster = if a.certifying.certificate == arguments::Checker::Both { overbar::boost } else { overbar::boost_for_xaif };
    let boosted = derived(session, booster, (program, warnings), &options, a.dialect, (&a.certifying, &a.spot, &compiler))?;
    let besides = besides(&a.derivatives, &boosted);
    let mut targets = vec![Target { path: a.output.output.as_deref(), content: Content::Xaif(&boosted.program) }];
    targets.extend(besides.iter().map(Aside::target));
    let written = write_all(session, &targets).map(|()| explain(session, &a.derivatives, &boosted));
    leave(session, boosted.program);
    written
}

/// The options of a request, with the rules that it names.
pub(super) fn asked(session: &mut Session, a: &arguments::Derivatives) -> Result<overbar::Options, Failed> {
    let options = options::derivatives(a).map_err(|found| misused(session, found))?;
    let rules = a.rules.as_deref().map(|f| rules(session, f)).transpose()?;
    Ok(overbar::Options { rules, ..options })
}

/// Rules from a file.
fn rules(session: &mut Session, file: &Path) -> Result<std::sync::Arc<overbar::rules::Rules>, Failed> {
    let text = read_text(session, file)?;
    overbar::rules::read(&display_name(file), &text).map(std::sync::Arc::new).map_err(|found| session.fail(found))
}

/// How derivatives are certified: options, where, and who compiles.
type Certified<'a> = (&'a arguments::Certifying, &'a arguments::Spot, &'a Compiler);

/// Differentiates a program and certifies what comes out; prints what was said on the way, or why there is none.
fn derived(
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

fn kind(files: &[PathBuf], language: Option<Language>) -> idle::Kind {
    idle::kind(files.iter().map(PathBuf::as_path), language)
}

/// Prints errors of usage.
fn misused(session: &Session, found: Vec<Diagnostic>) -> Failed {
    session.print(found);
    Failed(2)
}

/// `overbar backend`
pub fn backend(session: &mut Session, a: &arguments::Backend) -> Done {
    let program = read_xaif(session, &a.file)?;
    let written = unparse(session, a.language, &program, &a.writing, &a.output, &[]);
    leave(session, program);
    written
}

/// `overbar validate`
pub fn validate(session: &mut Session, a: &arguments::Validate) -> Done {
    let mut failed = false;
    for file in &a.files {
        let bytes = read_bytes(session, file)?;
        let name = display_name(file);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            session.remember(&name, text);
        }
        let found = if a.schema_only {
            xaif::validate::schema_within(&name, &bytes, session.limits())
        } else {
            xaif::validate::document(&name, &bytes, session.limits())
        };
        failed |= found.iter().any(Diagnostic::is_error);
        session.print(found);
    }
    if failed { Err(Failed(1)) } else { Ok(()) }
}

/// `overbar runtime`
pub fn runtime(session: &mut Session, a: &arguments::Runtime) -> Done {
    let text = match a.language {
        Language::C => overbar_c::RUNTIME,
        Language::Fortran => overbar_fortran::RUNTIME,
    };
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Text(text) }])
}

/// `overbar completions`
pub fn completions(session: &mut Session, a: &arguments::Completions) -> Done {
    let mut text = Vec::new();
    clap_complete::generate(a.shell, &mut arguments::Cli::command(), "overbar", &mut text);
    print(session, text)
}

/// `overbar manpage`
pub fn manpage(session: &mut Session) -> Done {
    let mut text = Vec::new();
    // Only what it writes to could fail.
    let _ = clap_mangen::Man::new(arguments::Cli::command()).render(&mut text);
    print(session, text)
}

/// Text that others have made, to standard output.
fn print(session: &mut Session, text: Vec<u8>) -> Done {
    write_all(session, &[Target { path: None, content: Content::Text(&String::from_utf8_lossy(&text)) }])
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

impl Aside<'_> {
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

/// What was decided about sequences, where that was asked for without a file.
pub(super) fn explain(session: &Session, a: &arguments::Derivatives, boosted: &Boosted) {
    if a.explain == Some(None) {
        session.aside(&explanation(boosted));
    }
}

/// What was decided about sequences, one line for each.
fn explanation(boosted: &Boosted) -> String {
    let mut text = overbar::transform::choice::text(&boosted.program, &boosted.calls);
    text.push_str(&overbar::transform::preaccumulate::explain::text(&boosted.program, &boosted.decisions));
    text
}

fn read_xaif(session: &mut Session, file: &Path) -> Result<Program, Failed> {
    let bytes = read_bytes(session, file)?;
    read(session, &Input::Xaif(&display_name(file), &bytes, *session.limits()))
}

/// A program from XAIF, or from source files by way of their front end: what has no extension of a language is XAIF.
pub fn read_program(
    session: &mut Session,
    files: &[PathBuf],
    language: Option<Language>,
    reading: &arguments::Reading,
) -> Result<Program, Failed> {
    match files {
        [file] if language.is_none() && !pipeline::is_source(file) => {
            useful(session, idle::reading(reading, idle::Kind::Xaif))?;
            read_xaif(session, file)
        }
        _ => {
            let language = language_of(session, files, language)?;
            useful(session, idle::reading(reading, kind(files, Some(language))))?;
            parse(session, language, files, reading)
        }
    }
}

pub(super) fn language_of(session: &Session, files: &[PathBuf], asked: Option<Language>) -> Result<Language, Failed> {
    pipeline::language_of(files.iter().map(PathBuf::as_path), asked).map_err(|d| misused(session, vec![d]))
}

/// The texts of files with their names, remembered for snippets.
pub(super) fn texts(session: &mut Session, files: &[PathBuf]) -> Result<Vec<(String, String)>, Failed> {
    files.iter().map(|file| Ok((display_name(file), read_source(session, file)?))).collect()
}

fn read(session: &mut Session, input: &Input) -> Result<Program, Failed> {
    let (program, warnings) = pipeline::read(input).map_err(|r| refused(session, r))?;
    session.print(warnings);
    Ok(program)
}

fn parse(session: &mut Session, language: Language, files: &[PathBuf], a: &arguments::Reading) -> Result<Program, Failed> {
    session.includes(&a.include);
    let texts = texts(session, files)?;
    read(session, &Input::Source(language, &texts, a))
}

fn unparse(
    session: &mut Session,
    language: Language,
    program: &Program,
    a: &arguments::Writing,
    output: &arguments::Output,
    besides: &[Aside],
) -> Done {
    let (source, header) = pipeline::unparse(language, program, a).map_err(|r| refused(session, r))?;
    let mut targets = vec![Target { path: output.output.as_deref(), content: Content::Source(&source) }];
    if let (Some(path), Some(text)) = (&a.header, &header) {
        targets.push(Target { path: Some(path), content: Content::Source(text) });
    }
    targets.extend(besides.iter().map(Aside::target));
    write_all(session, &targets)
}

/// Does a command with what its session offers, be it the process's files and streams or a desk.
pub fn perform(session: &mut Session, command: &Command) -> Done {
    match command {
        Command::Diff(a) => diff(session, a),
        Command::Frontend(a) => frontend(session, a),
        Command::Boost(a) => boost(session, a),
        Command::Backend(a) => backend(session, a),
        Command::Validate(a) => validate(session, a),
        Command::Eliminate(a) => eliminate::run(session, a),
        Command::Plot(a) => plot::run(session, a),
        Command::Eval(a) => eval::eval(session, a),
        Command::Verify(a) => verify::verify(session, a),
        Command::Runtime(a) => runtime(session, a),
        Command::Intrinsics(a) => intrinsics::print(session, a),
        Command::Explain(a) => explain::explain(session, a),
        // These have files, processes and threads of their own.
        Command::Batch(_) | Command::Report(_) => Ok(()),
        #[cfg(feature = "serve")]
        Command::Serve(_) => Ok(()),
        Command::Completions(a) => completions(session, a),
        Command::Manpage => manpage(session),
    }
}
