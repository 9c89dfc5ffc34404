//! What units do to memory, their callees included.
//!
//! * [`aliases`]: what may overlap,
//! * [`side_effects`]: what a unit reads and writes; `covered`: arrays and parts of them that it sets in any case, which are found by way of
//!   [`outline`] (its code as [`super::arrays::fresh`] sees it) and [`handed`] (what calls do with their arguments),
//! * [`kept`]: what static variables carry from one call to the next,
//! * [`unset`]: arrays that hold nothing yet when they are handed over.
//!
//! Lives here: what holds of any run. Never here: derivatives.

pub mod aliases;
pub(crate) mod covered;
pub(crate) mod handed;
pub mod kept;
pub(crate) mod outline;
pub mod side_effects;
pub(crate) mod unset;
