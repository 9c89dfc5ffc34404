//! What the tree alone tells, before anything is translated.
//!
//! * `function`, found by `walk`: what a function does with each name,
//! * `pointer_exchanges`, `pointer_targets`: what follows from that of pointers,
//! * `function_targets`, `indirect_calls`: what pointers to functions mean, and the calls through
//!   them,
//! * `file_names`, `allocation_wrappers`, `returned_pointers`: what the file says of names,
//! * `structure_makers`: functions whose calls are written out,
//! * `row_allocation_loops`: loops that give memory to rows,
//! * `side_effects`: what functions do to each other's arguments and to globals.
//!
//! Lives here: questions to the text. Never here: types, the program that is made.

pub mod allocation_wrappers;
pub mod file_names;
pub mod function;
pub mod function_targets;
pub mod indirect_calls;
pub mod pointer_exchanges;
pub mod pointer_targets;
pub mod returned_pointers;
pub mod row_allocation_loops;
pub mod scratch_variables;
pub mod side_effects;
pub mod structure_makers;
pub mod walk;
