//! The command line: reads files, calls the libraries, prints diagnostics, writes files.
//!
//! Lives here: all input and output of the program, and the exit codes (0 done, 1 refused or a check failed, 2 usage). Never here: anything
//! about programs and derivatives.

pub mod args;
mod commands;
mod eliminate;
mod eval;
mod explain;
pub mod files;
mod intrinsics;
mod page;
mod plot;
pub mod report;
mod verify;
mod workshop;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use std::process::ExitCode;

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    let parsed = Cli::command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches).map(|cli| (cli, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(e) => {
            let failed = e.use_stderr();
            let _ = e.print();
            return ExitCode::from(if failed { 2 } else { 0 });
        }
    };
    let mut session = report::Session::new(cli.message_format);
    let done = match cli.command {
        Command::Diff(a) => commands::diff(&mut session, &a),
        Command::Frontend(a) => commands::frontend(&mut session, &a),
        Command::Boost(a) => commands::boost(&mut session, &a),
        Command::Backend(a) => commands::backend(&mut session, &a),
        Command::Validate(a) => commands::validate(&mut session, &a),
        Command::Eliminate(a) => eliminate::run(&mut session, &a),
        Command::Plot(a) => plot::run(&mut session, &a),
        Command::Eval(a) => eval::eval(&mut session, &a),
        Command::Report(a) => page::run(&mut session, *a),
        Command::Verify(a) => verify::verify(&mut session, &a),
        Command::Runtime(a) => commands::runtime(&mut session, &a),
        Command::Intrinsics(a) => intrinsics::print(&mut session, &a),
        Command::Explain(a) => explain::explain(&mut session, &a),
        Command::Batch(a) => matches.subcommand_matches("batch").map_or(Ok(()), |m| crate::batch::run(&mut session, &a, m)),
        Command::Completions(a) => commands::completions(&a),
        Command::Manpage => commands::manpage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(report::Failed(code)) => ExitCode::from(code),
    }
}
