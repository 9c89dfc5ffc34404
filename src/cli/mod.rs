//! The command line: reads files, calls the libraries, prints diagnostics, writes files.
//!
//! Lives here: all input and output of the program, and the exit codes (0 done, 1 refused or a check failed, 2 usage). Never here: anything
//! about programs and derivatives.

pub mod args;
pub mod commands;
pub mod desk;
mod eliminate;
mod eval;
mod explain;
pub mod files;
pub mod included;
mod intrinsics;
pub mod overwriting;
mod page;
mod plot;
pub mod report;
mod snippets;
mod verify;
pub mod workshop;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use report::Session;
use std::process::ExitCode;

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    let parsed = Cli::command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches).map(|cli| (cli, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(e) => {
            let failed = e.use_stderr();
            let printed = e.print();
            let shown = if failed { Ok(()) } else { files::printed(&report::Session::new(args::MessageFormat::Human), printed) };
            return ExitCode::from(if failed { 2 } else { u8::from(shown.is_err()) });
        }
    };
    let mut session = report::Session::new(cli.message_format);
    let done = match cli.command {
        Command::Batch(a) => matches.subcommand_matches("batch").map_or(Ok(()), |m| crate::batch::run(&mut session, &a, m)),
        Command::Report(a) => page::run(&mut session, *a),
        #[cfg(feature = "serve")]
        Command::Serve(a) => crate::serve::run(&mut session, &a),
        command => perform(&mut session, &command),
    };
    session.conclude();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(report::Failed(code)) => ExitCode::from(code),
    }
}

/// Does a command with what its session offers, be it the process's files and streams or a desk.
pub fn perform(session: &mut Session, command: &Command) -> commands::Done {
    match command {
        Command::Diff(a) => commands::diff(session, a),
        Command::Frontend(a) => commands::frontend(session, a),
        Command::Boost(a) => commands::boost(session, a),
        Command::Backend(a) => commands::backend(session, a),
        Command::Validate(a) => commands::validate(session, a),
        Command::Eliminate(a) => eliminate::run(session, a),
        Command::Plot(a) => plot::run(session, a),
        Command::Eval(a) => eval::eval(session, a),
        Command::Verify(a) => verify::verify(session, a),
        Command::Runtime(a) => commands::runtime(session, a),
        Command::Intrinsics(a) => intrinsics::print(session, a),
        Command::Explain(a) => explain::explain(session, a),
        // These have files, processes and threads of their own.
        Command::Batch(_) | Command::Report(_) => Ok(()),
        #[cfg(feature = "serve")]
        Command::Serve(_) => Ok(()),
        Command::Completions(a) => commands::completions(session, a),
        Command::Manpage => commands::manpage(session),
    }
}
