//! Which statement touches what another one touches.
//!
//! * [`elements`]: which elements of arrays statements name,
//! * [`chains`]: which definitions a use meets,
//! * [`dependence`]: which statements must keep their order,
//! * [`reach`]: how far a unit goes in a vector that it is handed without a length.
//!
//! Lives here: what one unit does with places. Never here: whether it counts for a derivative.

pub mod chains;
pub mod dependence;
pub mod elements;
pub(crate) mod reach;
