//! Functions as wholes.
//!
//! Lives here: everything between the first and the last line of a function. Never here: where in a
//! file it stands.

pub mod functions;
