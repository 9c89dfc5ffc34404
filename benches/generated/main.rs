//! How fast generated gradients are, against adjoints written by hand: `cargo bench --bench generated`.
//!
//! For each kernel, in C and in Fortran, the time of the gradient over the time of the primal and the memory it asks for, in one process. It needs gcc
//! and gfortran. Words behind `--` that begin with a dash are options of `diff`; others are names of kernels: only these run.

mod own_kernels;
mod shared_kernels;

use std::path::Path;
use std::process::Command;

fn run(folder: &Path, program: &str, arguments: &[&str]) -> bool {
    let done = Command::new(program).args(arguments).current_dir(folder).status();
    let fine = done.is_ok_and(|s| s.success());
    if !fine {
        eprintln!("{program} {} failed", arguments.join(" "));
    }
    fine
}

fn main() {
    // As one of the tests it shows that kernels are differentiated rightly; times are for `cargo bench`.
    let timed = std::env::args().any(|a| a == "--bench");
    let words = std::env::args().skip(1).filter(|a| a != "--bench");
    let (options, names): (Vec<String>, Vec<String>) = words.partition(|a| a.starts_with('-'));
    let mut fine = own_kernels::table(&names, &options, timed);
    if names.is_empty() {
        fine &= shared_kernels::table(&options);
    }
    if !fine {
        std::process::exit(1);
    }
}
