//! The commands, each a few calls of the libraries.

use super::args::{self, Language};
use super::files::{Content, Target, display_name, read_bytes, read_text, write_all};
use super::report::{Failed, Session};
use clap::CommandFactory;
use overbar::eliminate::names::parse_chain;
use overbar::heads;
use overbar::transform::{Decision, Effort, Preaccumulate};
use std::path::{Path, PathBuf};
use xaif::model::{Dialect, Head};
use xaif::{Diagnostic, Program};

pub(super) type Done = Result<(), Failed>;

/// A program is given back with the process, which ends here: taking a large one apart would take a tenth of the time.
fn leave(program: Program) {
    std::mem::forget(program);
}

/// `overbar diff`
pub fn diff(session: &mut Session, a: &args::Diff) -> Done {
    let options = boost_options(session, &a.derivatives)?;
    let language = language_of(session, &a.files, a.language)?;
    let program = parse(session, language, &a.files, &a.reading)?;
    let (boosted, decisions) = run_booster(session, program, &options)?;
    let written = unparse(session, language, &boosted, &a.writing, &a.output);
    let written = written.and_then(|()| stats(session, a.derivatives.stats.as_deref(), &boosted));
    let written = written.and_then(|()| explain(session, a.derivatives.explain.as_ref(), &boosted, &decisions));
    leave(boosted);
    written
}

/// `overbar frontend`
pub fn frontend(session: &mut Session, a: &args::Frontend) -> Done {
    let heads = parse_heads(session, &a.head)?;
    let mut program = parse(session, a.language, &a.files, &a.reading)?;
    // What is asked for here wins over what the text asks for.
    if !heads.is_empty() {
        program.heads = heads;
    }
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Xaif(&program) }])
}

/// `overbar boost`
pub fn boost(session: &mut Session, a: &args::Boost) -> Done {
    let options = boost_options(session, &a.derivatives)?;
    let mut program = read_xaif(session, &a.file)?;
    if let Some(dialect) = a.dialect {
        program.dialect = match dialect {
            args::Dialect::Overbar => Dialect::Overbar,
            args::Dialect::Openad => Dialect::Openad,
        };
    }
    let (boosted, decisions) = run_booster(session, program, &options)?;
    let written = write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Xaif(&boosted) }]);
    let written = written.and_then(|()| stats(session, a.derivatives.stats.as_deref(), &boosted));
    let written = written.and_then(|()| explain(session, a.derivatives.explain.as_ref(), &boosted, &decisions));
    leave(boosted);
    written
}

/// `overbar backend`
pub fn backend(session: &mut Session, a: &args::Backend) -> Done {
    let program = read_xaif(session, &a.file)?;
    let written = unparse(session, a.language, &program, &a.writing, &a.output);
    leave(program);
    written
}

/// `overbar validate`
pub fn validate(session: &mut Session, a: &args::Validate) -> Done {
    let mut failed = false;
    for file in &a.files {
        let bytes = read_bytes(session, file)?;
        let name = display_name(file);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            session.remember(&name, text);
        }
        let found = if a.schema_only {
            xaif::validate::schema(&name, &bytes)
        } else {
            xaif::validate::document(&name, &bytes, &xaif::read::Limits::default())
        };
        failed |= found.iter().any(Diagnostic::is_error);
        session.print(found);
    }
    if failed { Err(Failed(1)) } else { Ok(()) }
}

/// `overbar runtime`
pub fn runtime(session: &mut Session, a: &args::Runtime) -> Done {
    let text = match a.language {
        Language::C => overbar_c::RUNTIME,
        Language::Fortran => overbar_fortran::RUNTIME,
    };
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Text(text) }])
}

/// `overbar completions`
pub fn completions(a: &args::Completions) -> Done {
    clap_complete::generate(a.shell, &mut args::Cli::command(), "overbar", &mut std::io::stdout());
    Ok(())
}

/// `overbar manpage`
pub fn manpage() -> Done {
    clap_mangen::Man::new(args::Cli::command()).render(&mut std::io::stdout()).map_err(|_| Failed(1))
}

pub(super) fn usage(session: &Session, code: &'static str, message: &str, help: &str) -> Failed {
    session.print([Diagnostic::error(code, message).help(help)]);
    Failed(2)
}

pub(super) fn parse_heads(session: &Session, heads: &[String]) -> Result<Vec<Head>, Failed> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for text in heads {
        match heads::parse_head(text) {
            Ok(head) => good.push(head),
            Err(d) => bad.push(d),
        }
    }
    if bad.is_empty() {
        return Ok(good);
    }
    session.print(bad);
    Err(Failed(2))
}

fn boost_options(session: &Session, a: &args::Derivatives) -> Result<overbar::Options, Failed> {
    if !a.tangent && !a.adjoint {
        return Err(usage(session, "OB0104", "neither tangent nor adjoint is asked for", "give -d, -b or both"));
    }
    let accumulated = accumulation(session, &a.accumulation)?;
    Ok(overbar::Options {
        tangent: a.tangent,
        adjoint: a.adjoint,
        heads: parse_heads(session, &a.head)?,
        zero_init: a.zero_init,
        reversal: reversal(a.reversal),
        checkpoints: checkpoints(session, &a.checkpointing)?,
        suffixes: overbar::transform::Suffixes {
            tangent_unit: a.tangent_suffix.clone(),
            adjoint_unit: a.adjoint_suffix.clone(),
            tangent_variable: a.tangent_variable_suffix.clone(),
            adjoint_variable: a.adjoint_variable_suffix.clone(),
        },
        ..accumulated
    })
}

/// The loops that are to be reversed from snapshots.
pub(super) fn checkpoints(session: &Session, a: &args::Checkpointing) -> Result<Vec<overbar::transform::Checkpoint>, Failed> {
    let one = |text: &String| {
        let help = "give UNIT:LINE=SNAPSHOTS, as in step_all:12=10 or step_all:12=memory:64000";
        text.parse().map_err(|why: String| usage(session, "OB0132", &format!("--checkpoint {text}: {why}"), help))
    };
    a.checkpoint.iter().map(one).collect()
}

/// The options of preaccumulation, all others left at their defaults.
pub(super) fn accumulation(session: &Session, a: &args::Accumulation) -> Result<overbar::Options, Failed> {
    let refused = |session: &Session, d: Diagnostic| {
        session.print([d]);
        Failed(2)
    };
    let order = match &a.order {
        Some(text) => Some(parse_chain(text).map_err(|d| refused(session, d))?),
        None => None,
    };
    let search = match &a.search {
        Some(text) => Some(effort(text).ok_or_else(|| {
            usage(session, "OB0131", &format!("`{text}` is no amount of search"), "give seconds (0.5) or moves (20000moves)")
        })?),
        None => None,
    };
    Ok(overbar::Options {
        preaccumulate: match a.preaccumulate {
            args::Preaccumulate::Auto => Preaccumulate::Auto,
            args::Preaccumulate::Never => Preaccumulate::Never,
            args::Preaccumulate::Always => Preaccumulate::Always,
        },
        order,
        search,
        ..overbar::Options::default()
    })
}

/// Seconds, or moves.
fn effort(text: &str) -> Option<Effort> {
    if let Some(moves) = text.strip_suffix("moves") {
        return moves.trim().parse().ok().map(Effort::Moves);
    }
    let seconds: f64 = text.parse().ok()?;
    (0.0..=1e6).contains(&seconds).then(|| Effort::Time(std::time::Duration::from_secs_f64(seconds)))
}

pub(super) fn reversal(a: args::Reversal) -> overbar::transform::Reversal {
    match a {
        args::Reversal::Joint => overbar::transform::Reversal::Joint,
        args::Reversal::Split => overbar::transform::Reversal::Split,
        args::Reversal::Auto => overbar::transform::Reversal::Auto,
    }
}

/// What adjoints record, where that was asked for.
fn stats(session: &mut Session, file: Option<&Path>, program: &Program) -> Done {
    let Some(path) = file else { return Ok(()) };
    let answer = overbar::stats::json(program, &overbar::stats::collect(program));
    let text = serde_json::to_string_pretty(&answer).unwrap_or_default() + "\n";
    write_all(session, &[Target { path: Some(path), content: Content::Text(&text) }])
}

/// What was decided about sequences, one line for each, where that was asked for.
fn explain(session: &mut Session, wanted: Option<&Option<PathBuf>>, program: &Program, decisions: &[Decision]) -> Done {
    let Some(file) = wanted else { return Ok(()) };
    let text = overbar::transform::preaccumulate::explain::text(program, decisions);
    match file {
        Some(path) => write_all(session, &[Target { path: Some(path), content: Content::Text(&text) }]),
        None => {
            eprint!("{text}");
            Ok(())
        }
    }
}

fn run_booster(session: &mut Session, program: Program, options: &overbar::Options) -> Result<(Program, Vec<Decision>), Failed> {
    session.remember_sources(&program);
    match overbar::boost(program, options) {
        Ok(boosted) => {
            session.print(boosted.diagnostics);
            Ok((boosted.program, boosted.decisions))
        }
        Err(found) => Err(session.fail(found)),
    }
}

fn read_xaif(session: &mut Session, file: &Path) -> Result<Program, Failed> {
    let bytes = read_bytes(session, file)?;
    let name = display_name(file);
    match xaif::read::read(&name, &bytes, &xaif::read::Limits::default()) {
        Ok((program, warnings)) => {
            let problems = xaif::validate::semantics(&program);
            if problems.iter().any(Diagnostic::is_error) {
                session.remember(&name, &String::from_utf8_lossy(&bytes));
                return Err(session.fail(problems));
            }
            session.print(warnings.into_iter().chain(problems));
            Ok(program)
        }
        Err(found) => {
            session.remember(&name, &String::from_utf8_lossy(&bytes));
            Err(session.fail(found))
        }
    }
}

/// A program from XAIF, or from source files by way of their front end: what has no extension of a language is XAIF.
pub(super) fn read_program(
    session: &mut Session,
    files: &[PathBuf],
    language: Option<Language>,
    reading: &args::Reading,
) -> Result<Program, Failed> {
    const SOURCES: [&str; 8] = ["c", "f", "for", "f77", "f90", "f95", "f03", "f08"];
    let source = |f: &PathBuf| SOURCES.contains(&extension(f).to_ascii_lowercase().as_str());
    match files {
        [file] if language.is_none() && !source(file) => read_xaif(session, file),
        _ => {
            let language = language_of(session, files, language)?;
            parse(session, language, files, reading)
        }
    }
}

fn extension(file: &Path) -> &str {
    file.extension().and_then(|e| e.to_str()).unwrap_or_default()
}

fn language_of(session: &Session, files: &[PathBuf], asked: Option<Language>) -> Result<Language, Failed> {
    if let Some(language) = asked {
        return Ok(language);
    }
    let mut found = None;
    for file in files {
        let language = match extension(file).to_ascii_lowercase().as_str() {
            "c" => Language::C,
            "f" | "for" | "f77" | "f90" | "f95" | "f03" | "f08" => Language::Fortran,
            _ => {
                let message = format!("the extension of {} does not tell its language", display_name(file));
                return Err(usage(session, "OB0105", &message, "give --language c or --language fortran"));
            }
        };
        if *found.get_or_insert(language) != language {
            let help = "differentiate the C and the Fortran files one after the other";
            return Err(usage(session, "OB0106", "the files are in different languages", help));
        }
    }
    found.ok_or(Failed(2))
}

pub(super) fn parse(session: &mut Session, language: Language, files: &[PathBuf], a: &args::Reading) -> Result<Program, Failed> {
    let mut texts = Vec::new();
    for file in files {
        texts.push((display_name(file), read_text(session, file)?));
    }
    let preprocessor = a.include.iter().map(|i| format!("-I{i}")).chain(a.define.iter().map(|d| format!("-D{d}"))).collect();
    let result = match language {
        Language::C => {
            let options = overbar_c::ParseOptions { preprocessor, preprocess: !a.no_preprocessor, ..Default::default() };
            let sources: Vec<_> = texts.iter().map(|(file, text)| overbar_c::parse::SourceText { file, text }).collect();
            match overbar_c::parse(&sources, &options) {
                // Text without macros, that includes standard headers only, can do without a preprocessor.
                Err(found) if options.preprocessor.is_empty() && found.first().is_some_and(|d| d.code == "OB2001") => {
                    let plain = overbar_c::ParseOptions { preprocess: false, ..options };
                    let warned = |(program, mut warnings): (Program, Vec<Diagnostic>)| {
                        warnings.extend(found.first().cloned().map(|mut d| {
                            d.severity = xaif::Severity::Warning;
                            d.help = None;
                            d.because("the text needs none")
                        }));
                        (program, warnings)
                    };
                    overbar_c::parse(&sources, &plain).map(warned).map_err(|_| found)
                }
                result => result,
            }
        }
        Language::Fortran => {
            // The source form and the preprocessor go by the first file's extension.
            let kind = files.first().map_or("", |f| extension(f));
            let fixed = matches!(kind.to_ascii_lowercase().as_str(), "f" | "for" | "f77");
            let preprocess = kind.starts_with('F') && !a.no_preprocessor;
            let fixed_form = (fixed || a.fixed_form) && !a.free_form;
            let options = overbar_fortran::ParseOptions { preprocessor, preprocess, fixed_form };
            let sources: Vec<_> = texts.iter().map(|(file, text)| overbar_fortran::parse::SourceText { file, text }).collect();
            overbar_fortran::parse(&sources, &options)
        }
    };
    match result {
        Ok((program, warnings)) => {
            session.print(warnings);
            Ok(program)
        }
        Err(found) => Err(session.fail(found)),
    }
}

fn unparse(session: &mut Session, language: Language, program: &Program, a: &args::Writing, output: &args::Output) -> Done {
    session.remember_sources(program);
    let header = a.header.is_some();
    let result = match language {
        Language::C => {
            overbar_c::unparse(program, &overbar_c::UnparseOptions { no_primal: a.no_primal, header }).map(|u| (u.source, u.header))
        }
        Language::Fortran => overbar_fortran::unparse(program, &overbar_fortran::UnparseOptions { no_primal: a.no_primal, header })
            .map(|u| (u.source, u.header)),
    };
    let (source, header) = result.map_err(|found| session.fail(found))?;
    let mut targets = vec![Target { path: output.output.as_deref(), content: Content::Text(&source) }];
    if let (Some(path), Some(text)) = (&a.header, &header) {
        targets.push(Target { path: Some(path), content: Content::Text(text) });
    }
    write_all(session, &targets)
}
