//! The command line. Everything that it does is a call of the libraries; see `cli`
//! (and `batch`, for many files at once, `serve`, for requests, `page`, for the page of `overbar report`; `pipeline` has the steps behind all).

mod arguments;
mod batch;
mod cli;
mod commands;
mod console;
mod page;
mod pipeline;
mod project;
#[cfg(feature = "serve")]
mod serve;

use std::process::ExitCode;

// Programs are made of many small allocations: a quarter of the time of a large one would be the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The stack of the thread that does all, where the system gives so much.
const STACK: usize = 512 << 20;
/// With less nothing is begun.
const LEAST_STACK: usize = 8 << 20;

fn main() -> ExitCode {
    // The parsers of C and Fortran recurse with the nesting of their input, which is bounded but may be deep.
    let done = std::panic::catch_unwind(|| xaif::stack::on("overbar", STACK, LEAST_STACK, cli::run));
    let why = match done {
        Ok(Ok(code)) => return code,
        Ok(Err(e)) => format!("cannot start: {e}"),
        Err(_) => "internal error; nothing was written. Please report it with the input that caused it.".to_owned(),
    };
    console::report::aside(&format!("overbar: {why}\n"));
    ExitCode::from(1)
}
