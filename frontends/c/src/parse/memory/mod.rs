//! Pointers, which are no values of the model: which array each access means, and where in it.
//!
//! * `pointers`: lvalues, and pointers that walk; `flat_index`: those over the rows of an array,
//! * `pointers_to_rows`: arrays whose rows pointers lead to,
//! * `pointer_declarations`, `array_lengths`: what a declared pointer stands for, and how long
//!   arrays are,
//! * `pointer_choices`, `pointer_reassignment`, `array_exchange`: pointers with several targets,
//!   which lie in `target_bases`,
//! * `returned_pointers`, `returned_memory`: functions that return pointers,
//! * `pointer_pairs`, `null_tests`: pointers that are compared, and those that may be null,
//! * `allocation`, `matrix_allocation`: malloc and free.
//!
//! Lives here: what an address means. Never here: members of structures (see `structures`), what is
//! passed to functions (see `calls`).

pub mod allocation;
pub mod array_exchange;
pub mod array_lengths;
pub mod flat_index;
pub mod matrix_allocation;
pub mod null_tests;
pub mod pointer_choices;
pub mod pointer_declarations;
pub mod pointer_pairs;
pub mod pointer_reassignment;
pub mod pointers;
pub mod pointers_to_rows;
pub mod returned_memory;
pub mod returned_pointers;
pub mod target_bases;
