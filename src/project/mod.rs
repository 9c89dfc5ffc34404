//! `overbar` alone, and `overbar --check`: what `overbar.toml` asks for is made, or held against what is there.
//!
//! Lives here: going through the derivatives of a project. Never here: what a derivative is; each is the command line `overbar diff` that the file spells out.

mod read;

use crate::arguments::{Cli, Command, Diff, Language, Runtime};
use crate::commands::perform;
use crate::console::files::make_folder;
use crate::console::report::{Failed, Session};
use clap::Parser;
use read::{Derivative, Project};
use std::path::{Path, PathBuf};
use xaif::Diagnostic;

/// The file that is looked for where the command is started.
pub const FILE: &str = "overbar.toml";

/// Makes everything that the file asks for, or checks it.
///
/// # Errors
/// What one of the commands refuses, OB0180 for the file itself, OB0181 where something is not what would be made now. The others are done all the same.
pub fn run(session: &mut Session, check: bool) -> Result<(), Failed> {
    let text = match std::fs::read_to_string(FILE) {
        Ok(text) => text,
        Err(e) => {
            let d = Diagnostic::error("OB0180", format!("cannot read {FILE}: {e}"));
            session.print([d.help("it lists the derivatives of a project; start overbar in the folder where it is")]);
            return Err(Failed(2));
        }
    };
    session.remember(FILE, &text);
    let misused = |session: &mut Session, d: Diagnostic| {
        session.print([d]);
        Failed(2)
    };
    let project = read::read(FILE, &text).map_err(|d| misused(session, *d))?;
    let commands: Vec<Diff> = project.derivatives.iter().map(command).collect::<Result<_, _>>().map_err(|d| misused(session, *d))?;
    let mut failed = None;
    for (derivative, command) in project.derivatives.iter().zip(commands) {
        let done = if check { checked(session, derivative, command) } else { made(session, command) };
        failed = done.err().or(failed);
    }
    for (language, path) in runtimes(&project) {
        let done = if check { checked_runtime(session, language, path) } else { runtime(session, language, path) };
        failed = done.err().or(failed);
    }
    failed.map_or(Ok(()), Err)
}

/// The command line that a table spells out.
fn command(derivative: &Derivative) -> Result<Diff, Box<Diagnostic>> {
    let words = ["overbar", "diff"].into_iter().map(str::to_owned).chain(derivative.words.iter().cloned());
    match Cli::try_parse_from(words) {
        Ok(Cli { command: Some(Command::Diff(diff)), .. }) => Ok(*diff),
        Ok(_) => Err(derivative.wrong("this is no derivative")),
        Err(e) => {
            let text = e.render().to_string();
            let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").trim_end_matches(':');
            let more = text.lines().nth(1).filter(|l| l.starts_with("  ")).map_or(String::new(), |l| format!(": {}", l.trim()));
            Err(derivative.wrong(&format!("{first}{more}")))
        }
    }
}

/// The folder of a file is made where it is not there.
fn folder_of(session: &mut Session, path: Option<&Path>) -> Result<(), Failed> {
    match path.and_then(Path::parent).filter(|p| !p.as_os_str().is_empty()) {
        Some(folder) => make_folder(session, folder),
        None => Ok(()),
    }
}

fn made(session: &mut Session, command: Diff) -> Result<(), Failed> {
    folder_of(session, command.placing.output.output.as_deref())?;
    folder_of(session, command.writing.header.as_deref())?;
    perform(session, &Command::Diff(Box::new(command)))
}

/// Makes everything in a folder of its own and compares.
fn checked(session: &mut Session, derivative: &Derivative, mut command: Diff) -> Result<(), Failed> {
    let folder = temporary(session)?;
    let known = command.outputs();
    let aside = |path: &mut Option<PathBuf>, name: &str| *path = path.take().map(|_| folder.path().join(name));
    aside(&mut command.placing.output.output, "output");
    aside(&mut command.placing.output_folder, "files");
    aside(&mut command.writing.header, "header");
    let new = command.outputs();
    command.depfile = None;
    // These tell about derivatives and are none.
    (command.derivatives.facts, command.derivatives.stats) = (None, None);
    perform(session, &Command::Diff(Box::new(command)))?;
    let stale: Vec<Diagnostic> =
        known.iter().zip(&new).filter_map(|(known, new)| difference(known, new)).map(|d| d.at(derivative.place.clone())).collect();
    if stale.is_empty() { Ok(()) } else { Err(session.fail(stale)) }
}

fn runtimes(project: &Project) -> impl Iterator<Item = (Language, &Path)> {
    let c = project.runtime_c.as_deref().map(|p| (Language::C, p));
    c.into_iter().chain(project.runtime_fortran.as_deref().map(|p| (Language::Fortran, p)))
}

fn runtime(session: &mut Session, language: Language, path: &Path) -> Result<(), Failed> {
    folder_of(session, Some(path))?;
    let output = crate::arguments::Output { output: Some(path.to_owned()) };
    perform(session, &Command::Runtime(Runtime { language, output }))
}

fn checked_runtime(session: &mut Session, language: Language, path: &Path) -> Result<(), Failed> {
    let folder = temporary(session)?;
    let new = folder.path().join("runtime");
    runtime(session, language, &new)?;
    difference(path, &new).map_or(Ok(()), |d| Err(session.fail([d])))
}

fn temporary(session: &mut Session) -> Result<tempfile::TempDir, Failed> {
    let made = tempfile::Builder::new().prefix("overbar-check-").tempdir();
    made.map_err(|e| session.fail([Diagnostic::error("OB0103", format!("cannot make a temporary folder: {e}"))]))
}

/// OB0181 where a file is not what was made now.
fn difference(known: &Path, new: &Path) -> Option<Diagnostic> {
    let now = std::fs::read(new).ok()?;
    let what = match std::fs::read(known) {
        Ok(bytes) if bytes == now => return None,
        Ok(bytes) => {
            let same = bytes.iter().zip(&now).take_while(|(a, b)| a == b);
            let line = same.filter(|(a, _)| **a == b'\n').count() + 1;
            format!("{} is not what would be written now: line {line} is another one", known.display())
        }
        Err(e) => format!("{} cannot be read: {e}", known.display()),
    };
    Some(Diagnostic::error("OB0181", what).help("run `overbar` without --check, and look at what changes"))
}
