//! The text, from the user's bytes to a tree whose every node knows its place.
//!
//! 1. `preprocess`: macros and included text; the only file that touches the world outside,
//! 2. `form`, `canonical`: free or fixed form to one statement a line; `data_position` moves DATA to the declarations,
//! 3. `tree`: the tree that tree-sitter makes, `trust` says what in it was not understood, `complaints` what the text lacks; `isolate` takes that out, by the units of `outline`
//!    and the names of `declared`,
//! 4. `directives`, `sentinels`: comments that speak to Overbar and to compilers,
//! 5. `module_order`: files in the order in which they use one another's modules.
//!
//! Lives here: form and places. Never here: symbols, the program model.

pub mod canonical;
mod complaints;
pub mod data_position;
pub mod declared;
pub mod directives;
pub mod form;
pub mod isolate;
pub mod lines;
pub mod look;
pub mod module_order;
pub mod outline;
pub mod preprocess;
pub mod sentinels;
pub mod tree;
pub mod trust;
