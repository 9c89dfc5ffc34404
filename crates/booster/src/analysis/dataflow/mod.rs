//! What data-flow analyses are made with.
//!
//! * [`bits`]: sets of small numbers,
//! * [`equations`]: how equations over a control-flow graph are solved.
//!
//! Lives here: tools. Never here: any fact about a program.

pub mod bits;
pub(crate) mod equations;
