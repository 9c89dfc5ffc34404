//! Programs in C and Fortran as they are written: read, run, translated back.
#![allow(missing_docs)]

mod c_files;
mod c_frontend;
mod c_headers;
mod c_input;
mod c_macros;
mod c_programs;
mod c_returned_memory;
mod c_structures;
#[path = "../common/mod.rs"]
mod common;
mod directives;
mod fortran_frontend;
mod fortran_in_c;
mod fortran_programs;
mod languages;
mod samples;
