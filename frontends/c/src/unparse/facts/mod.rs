//! What is known of the program before anything is printed.
//!
//! * `symbols`, `members`, `arguments`: what symbols are, which belong to structures, which are
//!   only read,
//! * `usage`, `unset_variables`, `set_in_branches`, `declaration_places`: what a unit does with its symbols,
//! * `names`: what they are called; `linkage`: who calls which functions.
//!
//! Lives here: facts and names. Never here: lines.

pub mod arguments;
pub mod declaration_places;
pub mod linkage;
pub mod members;
pub mod names;
pub mod set_in_branches;
pub mod symbols;
pub mod unset_variables;
pub mod usage;
