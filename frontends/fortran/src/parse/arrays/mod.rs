//! Whole arrays where the model has no operation for them: loops over their elements, temporaries, allocation.
//!
//! Lives here: extents and elements of array values. Never here: arrays that the model takes as a whole.

pub mod constructors;
pub mod elements;
pub mod exchanges;
pub mod extents;
pub mod intrinsics;
pub mod locations;
pub mod moves;
pub mod nests;
pub mod pack;
pub mod reallocation;
pub mod rearrange;
pub mod reductions;
