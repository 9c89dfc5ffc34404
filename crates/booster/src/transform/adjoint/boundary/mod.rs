//! Fifth: what surrounds the sweeps.
//!
//! [`entry`]: adjoints that are set to zero or kept apart at a head; [`result_argument`]: a result's adjoint that may not be written; [`pairs`]: the two sweeps as two
//! units.
//!
//! Comes in: sweeps, or what they will need. Comes out: code in front of them and behind them. Never here: the sweeps.

pub(crate) mod entry;
pub(crate) mod pairs;
pub(crate) mod result_argument;
