//! The files of a program, read and looked through.
//!
//! Lives here: the way from a file's text to its tree and facts, and what files say of each other.
//! Never here: translation.

pub mod calls_written_out;
pub mod clashes;
pub mod joined;
pub mod reading;
pub mod redeclared;
