//! What the language defines: types and literals, intrinsic functions, legal names.
//!
//! Lives here: small translations that need no program. Never here: anything that looks at one.

pub mod identifiers;
pub mod intrinsics;
pub mod tables;
pub mod types;
