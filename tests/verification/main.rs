//! Certificates, and what is found wrong by them.
#![allow(missing_docs)]

mod certificates;
mod certified;
#[path = "../common/mod.rs"]
mod common;
mod disturbed;
mod drawn;
mod escape;
mod kinks;
mod planted;
mod ranges;
mod verify;
mod with_values;
