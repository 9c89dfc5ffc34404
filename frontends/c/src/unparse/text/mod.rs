//! Lines of C, those that are written and those that the user wrote.
//!
//! Lives here: layout, and places in a text. Never here: what is written.

pub mod layout;
pub mod source_text;
