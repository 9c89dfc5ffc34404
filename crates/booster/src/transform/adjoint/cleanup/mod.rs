//! Last: clean-up of finished sweeps.
//!
//! [`passes`] has the order. Every other file is one pass: adjoints that are known to be zero ([`zeros`]), stencils in gather form ([`gather`]), increments of one adjoint
//! merged ([`merge`], with [`scratch_values`] apart meanwhile), [`common_factors`], divisions by one value ([`reciprocals`]), [`ascending_loops`], elements in scalars through a loop ([`scalar_replacement`]), records made in loops that are there anyway ([`shared_loops`]), [`exchanges`] of work arrays, recurrences
//! that run [`interleaved`], stores put off until somebody looks ([`postpone`]), [`lifetimes`] of arrays, declarations that are [`unused`].
//!
//! Comes in: code. Comes out: code that does the same in less time or memory. Never here: anything that a derivative needs to be right.

pub(crate) mod ascending_loops;
pub(crate) mod common_factors;
pub(crate) mod exchanges;
pub(crate) mod gather;
pub(crate) mod interleaved;
pub(crate) mod lifetimes;
pub(crate) mod merge;
pub mod passes;
pub(crate) mod postpone;
pub(crate) mod reciprocals;
pub(crate) mod scalar_replacement;
pub(crate) mod scratch_values;
pub(crate) mod shared_loops;
pub(crate) mod unused;
pub(crate) mod zeros;
