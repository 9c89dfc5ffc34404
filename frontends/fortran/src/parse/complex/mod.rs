//! Complex numbers: a pair of real ones for everybody behind the front end.
//!
//! ```text
//! complex(8) :: z, w     ->     z, z%re, z%im, w, w%re, w%im
//! z = z*w                ->     re_1 = z%re*w%re - z%im*w%im;  z%im = z%re*w%im + z%im*w%re;  z%re = re_1
//! ```
//!
//! A complex variable is a structure with two components (see `derived_types`), which the text of Fortran names as it does those of structures. Lives
//! here: which expressions are complex, their arithmetic and functions, assignments. Never here: how a structure is passed or returned.

pub mod assignment;
pub mod functions;
pub mod initial;
pub mod intrinsics;
pub mod operations;
pub mod recognized;
pub mod values;
