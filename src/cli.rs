//! The command line: reads files, calls the libraries, prints diagnostics, writes files.
//!
//! Lives here: all input and output of the program, and the exit codes (0 done, 1 refused or a check failed, 2 usage). Never here: anything
//! about programs and derivatives.

use crate::arguments::{Cli, ColorChoice, Command, of_compilers};
use crate::commands::{page, perform};
use crate::console::files;
use crate::console::manner::Manner;
use crate::console::report::{Failed, Session, aside};
use crate::project;
use clap::{CommandFactory, FromArgMatches};
use std::path::Path;
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
    let Some(command) = cli.command else {
        let done = without_command(&mut session, cli.check);
        return exit(&session, done);
    };
    if cli.check {
        aside("error: --check goes without a command: it is about what overbar.toml lists\n");
        return ExitCode::from(2);
    }
    let done = match command {
        Command::Batch(a) => matches.subcommand_matches("batch").map_or(Ok(()), |m| crate::batch::run(&mut session, &a, m)),
        Command::Report(a) => page::run(&mut session, *a),
        #[cfg(feature = "serve")]
        Command::Serve(a) => crate::serve::run(&mut session, &a),
        command => perform(&mut session, &command),
    };
    exit(&session, done)
}

/// `overbar` alone: what `overbar.toml` lists, or the help where there is none.
fn without_command(session: &mut Session, check: bool) -> Result<(), Failed> {
    if check || Path::new(project::FILE).exists() {
        return project::run(session, check);
    }
    aside(&format!("{}\n", Cli::command().render_help()));
    Err(Failed(2))
}

fn exit(session: &Session, done: Result<(), Failed>) -> ExitCode {
    session.conclude();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failed(code)) => ExitCode::from(code),
    }
}
