//! What C defines: types and literals, binding of operators, legal names, the run-time support.
//!
//! Lives here: small translations that need no program. Never here: what a program's symbols are.

pub mod c_types;
pub mod constants;
pub mod identifiers;
pub mod initializer_lists;
pub mod library_names;
pub mod precedence;
pub mod runtime;
