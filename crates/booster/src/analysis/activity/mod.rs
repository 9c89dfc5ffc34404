//! What has a derivative under the heads that are asked for.
//!
//! * [`heads`]: what is asked for,
//! * [`active`]: what is varied and useful, once it is known,
//! * [`solver`]: the equations, forward in `varied`, backward in `useful`; `parts`: which parts of arrays they tell apart,
//! * [`patterns`]: calls that would rather have a unit of their own,
//! * [`escapes`]: derivatives that are lost in unknown units, `rounded`: those that end in whole numbers,
//! * [`refusals`]: what activity cannot be followed through.
//!
//! Lives here: what depends on the heads. Never here: how a derivative is computed.

pub mod active;
pub mod escapes;
pub mod heads;
mod parts;
pub mod patterns;
pub mod refusals;
mod rounded;
pub mod solver;
mod useful;
mod varied;
