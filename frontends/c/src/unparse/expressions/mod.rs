//! Term graphs to text.
//!
//! Lives here: values: operators, references, members of structures. Never here: the statements
//! that use them.

pub mod expression;
pub mod forms;
pub mod intrinsics;
pub mod references;
pub mod structures;
