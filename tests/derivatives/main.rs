//! What derivative code computes, and how.
#![allow(missing_docs)]

mod adjoint_c;
mod adjoint_fortran;
mod adjoint_kernels;
#[path = "../adjoints/mod.rs"]
mod adjoints;
mod checkpoints;
mod collected;
#[path = "../common/mod.rs"]
mod common;
mod elements;
mod exchanged;
mod facts;
mod fresh;
mod interleaved;
mod loop_invariants;
mod passes;
mod patterns;
mod postponed;
mod preaccumulate;
mod procedures_of_callers;
mod promises;
mod reversal_by_cost;
mod rows;
mod rules;
mod sections;
mod tangent_fortran;
#[path = "../tangents/mod.rs"]
mod tangents;
mod vector;
mod written_out;
