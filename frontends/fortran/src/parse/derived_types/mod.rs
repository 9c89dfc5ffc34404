//! Derived types: components as variables, type-bound procedures, structures as wholes.
//!
//! Lives here: everything that has to look at the definition of a type. Never here: variables of intrinsic types.

pub mod assignment;
pub mod bindings;
pub mod components;
pub mod defined_assignment;
pub mod definitions;
pub mod members;
pub mod pointed_at;
pub mod references;
mod type_names;
pub mod variables;
