//! XAIF files of others, and the interpreter that runs them.
#![allow(missing_docs)]

mod addresses;
mod annotated;
mod authors;
#[path = "../common/mod.rs"]
mod common;
mod corpus;
mod corpus_eval;
mod evaluate;
mod intrinsics;
mod library;
#[path = "../model/mod.rs"]
mod model;
mod openad_schema;
mod stock_arrays;
mod stock_counts;
mod stock_programs;
mod stock_source;
