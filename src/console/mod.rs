//! What the program sees of the world: files and streams, and what it says there.
//!
//! Lives here: reading and writing, in the process's own folders or on a desk that a request brings along; diagnostics as people and programs read them.
//! Never here: options, commands, anything about programs and derivatives.

pub mod desk;
pub mod files;
pub mod headers;
mod human;
pub mod included;
pub mod manner;
pub mod nearby;
pub mod overwriting;
pub mod report;
mod snippets;
