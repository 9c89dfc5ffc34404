//! The reference interpreter of XAIF: runs a program as the crate `xaif` defines its meaning, without any compiler.
//!
//! It is the independent oracle for everything that the booster makes. [`run`] executes a unit with any [`Scalar`]: plain reals, or
//! [`Dual`] numbers for exact derivatives; [`jacobian`] does the latter for whole arguments; [`derivative`] runs tangent and
//! adjoint units with seeds. Nothing here uses the partial derivatives of the catalogue.
//!
//! * [`scalar`], [`dual`], [`complex`], [`noisy`], [`sides`], [`taped`]: arithmetic
//! * [`value`], [`arrays`]: values and memory
//! * [`expr`], [`intrinsics`], [`representation`], [`reductions`]: expressions
//! * [`exec`], [`texts`], [`calls`], [`library`], [`runtime`], [`openad`]: statements
//! * [`stacks`], [`shown`]: what generated code records
//! * [`trace`], [`tracing`]: the record of a run; [`iterations`], [`promises`]: whether iterations of loops depend on each other
//! * [`data`], [`mod@run`]: what a run is given and yields
//! * [`check`]: Jacobians and derivative units
//! * [`json`], [`print`]: values from and to JSON
//!
//! What a program may not do is an error with a code ([`fault`]): use an undefined value, leave the bounds of an array, overflow,
//! divide an integer by zero, take from the stack what was not put there. A run has [`Limits`]. Reals of 80 and 128 bits are
//! calculated in 64. Variables that outlive a call start at zero where arrays are stored by rows (C), undefined elsewhere.
//! Complex numbers are refused.

pub mod arrays;
pub mod calls;
pub mod check;
pub mod complex;
pub mod data;
pub mod directions;
pub mod dual;
pub mod edges;
pub mod exec;
pub mod expr;
pub mod fault;
pub mod intrinsics;
pub mod iterations;
pub mod json;
pub mod library;
pub mod machine;
pub mod noisy;
pub mod openad;
pub mod print;
pub mod promises;
pub mod reductions;
pub mod representation;
pub mod run;
pub mod runtime;
pub mod scalar;
pub mod shared_derivatives;
pub mod shown;
pub mod sides;
pub mod stacks;
pub mod start;
pub mod tables;
pub mod taped;
pub mod texts;
pub mod trace;
pub mod tracing;
pub mod value;

pub use check::{Gradient, Jacobian, derivative, jacobian};
pub use complex::Complex;
pub use data::{Counters, Data, Inputs, Limits, Notes, Outcome, Sweep, Values};
pub use dual::Dual;
pub use edges::Edges;
pub use fault::Fault;
pub use machine::Machine;
pub use noisy::Noisy;
pub use run::{noted, run, run_sweeps};
pub use scalar::Scalar;
pub use sides::Sides;
pub use stacks::{Kept, Shown};
pub use taped::Taped;
pub use value::Value;
