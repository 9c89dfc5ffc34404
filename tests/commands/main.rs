//! The command line and its documents.
#![allow(missing_docs)]

mod batch;
mod book;
#[path = "../common/mod.rs"]
mod common;
mod conformance;
mod diagnostics;
mod dialects;
mod documents;
mod eliminate;
mod eval;
mod extents;
#[path = "../formulas/mod.rs"]
mod formulas;
mod hostile_cli;
mod layers;
mod mutants;
mod options;
mod plot;
mod project_file;
mod projects;
mod python;
mod refusals;
mod report;
mod snippets;
mod stats;
mod told;
mod unknown_callees;
mod words;
