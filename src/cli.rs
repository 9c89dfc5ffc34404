//! The command line: reads files, calls the libraries, prints diagnostics, writes files.
//!
//! Lives here: all input and output of the program, and the exit codes (0 done, 1 refused or a check failed, 2 usage). Never here: anything
//! about programs and derivatives.

use crate::arguments::{Cli, ColorChoice, Command, of_compilers};
use crate::commands::{page, perform};
use crate::console::files;
use crate::console::manner::Manner;
use crate::console::report::{Failed, Session};
use clap::{CommandFactory, FromArgMatches};
use std::process::ExitCode;

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    let words: Vec<_> = of_compilers(std::env::args_os()).collect();
    let parsed = Cli::command()
        .color(ColorChoice::among(&words).of_help())
        .try_get_matches_from(words)
        .and_then(|matches| Cli::from_arg_matches(&matches).map(|cli| (cli, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(e) => {
            let failed = e.use_stderr();
            let printed = e.print();
            let shown = if failed { Ok(()) } else { files::printed(&Session::new(Manner::default()), printed) };
            return ExitCode::from(if failed { 2 } else { u8::from(shown.is_err()) });
        }
    };
    let mut session = Session::new(Manner::of(&cli));
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
        Err(Failed(code)) => ExitCode::from(code),
    }
}
