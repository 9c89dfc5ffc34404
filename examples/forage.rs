//! Any number of programs thought up from the grammars of C and Fortran: `LANGUAGE=c FIRST=0 COUNT=1000 cargo run --example forage`.
//!
//! `SEED=17` shows one with all that is made of it.
#![allow(missing_docs)]

#[path = "../tests/grammar/parts.rs"]
mod parts;

// As in the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    if std::env::var_os("SEED").is_some() { parts::campaign::one_seed() } else { parts::campaign::long_run() }
}
