//! The commands, each a few calls of the libraries, with what a session offers: the process's own files and streams, or a desk.
//!
//! Lives here: one file for a command, or for a few of a kind. Never here: batches and the service, which do commands.

mod depfile;
mod eliminate;
mod eval;
mod explain;
mod intrinsics;
pub mod page;
mod plot;
mod shell;
mod steps;
mod verify;

use crate::arguments::{self, Command, Language};
use crate::console::files::{Content, Target, display_name, read_bytes, write_all};
use crate::console::report::{Failed, Session};
use crate::pipeline::compilers::{Compiler, LEVELS};
use crate::pipeline::{self, Input, idle};
use std::path::PathBuf;
pub use steps::Done;
#[cfg(feature = "serve")]
pub use steps::read_program;
use steps::{
    Aside, asked, besides, derived, explain, kind, language_of, leave, only_head, parse, parse_heads, read_xaif, refused, texts, unparse,
    useful,
};
use xaif::Diagnostic;

/// `overbar diff`
pub fn diff(session: &mut Session, a: &arguments::Diff) -> Done {
    let mut options = asked(session, &a.derivatives)?;
    let language = language_of(session, &a.files, a.language)?;
    useful(session, idle::derivatives(&a.derivatives, false, Some(language)))?;
    useful(session, idle::reading(&a.reading, kind(&a.files, Some(language))))?;
    useful(session, idle::certifying(&a.certifying, &a.spot, language, false))?;
    session.includes(&a.reading.include);
    let reading = steps::reading(session, &a.reading, &a.files, Some(language))?;
    let texts = texts(session, &a.files)?;
    let reading = reading.wanting(options.heads.iter().map(|h| h.unit.as_str()));
    let read = pipeline::read_for(&Input::Source(language, &texts, &reading), &options.heads).map_err(|r| refused(session, r))?;
    if options.heads.is_empty() && read.0.heads.is_empty() {
        options.heads = only_head(session, &read.0)?;
    }
    let compiler = Compiler::of(&read.0, &a.files, &reading, &a.spot.compilers, &LEVELS).apart(a.placing.output_folder.is_some());
    let boosted = derived(session, overbar::boost, read, &options, None, (&a.certifying, &a.spot, &compiler))?;
    let mut besides = besides(&a.derivatives, &boosted);
    besides.extend(a.depfile.as_deref().map(|path| depfile::rule(session, path, a)));
    let written = unparse(session, language, &boosted.program, &a.writing, &a.placing, &besides);
    let written = written.map(|()| explain(session, &a.derivatives, &boosted));
    leave(session, boosted.program);
    written
}

/// `overbar frontend`
pub fn frontend(session: &mut Session, a: &arguments::Frontend) -> Done {
    let heads = parse_heads(session, &a.head)?;
    useful(session, idle::reading(&a.reading, kind(&a.files, Some(a.language))))?;
    let reading = arguments::Reading { heads: heads.iter().map(|h| h.unit.clone()).collect(), ..a.reading.clone() };
    let mut program = parse(session, a.language, &a.files, &reading, &heads)?;
    // What is asked for here wins over what the text asks for.
    if !heads.is_empty() {
        program.heads = heads;
    }
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Xaif(&program) }])
}

/// `overbar boost`
pub fn boost(session: &mut Session, a: &arguments::Boost) -> Done {
    if a.annotate {
        return annotate(session, a);
    }
    let options = asked(session, &a.derivatives)?;
    // The text of a large program goes before derivatives take its room.
    let (mut program, warnings) = {
        let bytes = read_bytes(session, &a.file)?;
        let input = Input::Xaif(&display_name(&a.file), &bytes, *session.limits());
        pipeline::read(&input).map_err(|r| refused(session, r))?
    };
    pipeline::extents::apply(&mut program, &a.extent).map_err(|found| session.fail(found))?;
    pipeline::ranges::apply(&mut program, &a.range).map_err(|found| session.fail(found))?;
    let stock = a.dialect.map_or(program.dialect, pipeline::dialect) == xaif::model::Dialect::Openad;
    let language = pipeline::language_from(&program);
    useful(session, idle::derivatives(&a.derivatives, stock, Some(language)))?;
    useful(session, idle::certifying(&a.certifying, &a.spot, language, stock))?;
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

/// `overbar boost --annotate`
fn annotate(session: &mut Session, a: &arguments::Boost) -> Done {
    let mut program = read_xaif(session, &a.file)?;
    overbar::facts::annotate(&mut program);
    program.dialect = a.dialect.map_or(program.dialect, pipeline::dialect);
    let written = write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Xaif(&program) }]);
    leave(session, program);
    written
}

/// `overbar backend`
pub fn backend(session: &mut Session, a: &arguments::Backend) -> Done {
    let mut program = read_xaif(session, &a.file)?;
    if overbar::transform::has_stock_derivatives(&program) {
        program = overbar::transform::in_plain_form(program).map_err(|found| session.fail(found))?;
    }
    let written = unparse(session, a.language, &program, &a.writing, &a.placing, &[]);
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
        Command::Completions(a) => shell::completions(session, a),
        Command::Manpage(a) => shell::manpage(session, a),
    }
}
