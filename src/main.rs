//! The command line. Everything that it does is a call of the libraries; see `cli`
//! (and `batch`, for many files at once, `serve`, for requests, `page`, for the page of `overbar report`; `pipeline` has the steps behind all).

mod batch;
mod cli;
mod page;
mod pipeline;
#[cfg(feature = "serve")]
mod serve;

use std::process::ExitCode;

// Programs are made of many small allocations: a quarter of the time of a large one would be the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The parsers of C and Fortran recurse with the nesting of their input, which is bounded but may be deep.
    let worker = std::thread::Builder::new().stack_size(512 << 20).spawn(cli::run);
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => {
            eprintln!("overbar: internal error; nothing was written. Please report it with the input that caused it.");
            ExitCode::from(1)
        }
        Err(e) => {
            eprintln!("overbar: cannot start: {e}");
            ExitCode::from(1)
        }
    }
}
