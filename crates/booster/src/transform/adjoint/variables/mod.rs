//! Variables of the original and of the adjoint: which may be absent, which keep their bounds, which have to be allocated.
//!
//! [`optional`] arguments need not be there; [`resized`] says whose bounds stay; arrays that are [`allocated`] are no burden for the stack.
//!
//! Comes in: declarations. Comes out: conditions, allocations. Never here: values.

pub(crate) mod allocated;
pub(crate) mod extents;
pub(crate) mod optional;
pub(crate) mod resized;
