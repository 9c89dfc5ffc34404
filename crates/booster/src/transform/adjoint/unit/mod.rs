//! The adjoint of one unit.
//!
//! [`steps`] goes through the rooms in order, with [`statement_facts`] and [`zeroed`]; [`in_parallel`] does so for several units on all processors. [`decisions`] tells what was decided, for whoever asks;
//! [`weight`] says what running and reversing the unit takes.
//!
//! Comes in: a [`steps::Frame`]. Comes out: [`steps::Made`]. Never here: how one statement, record or sweep is made.

pub(crate) mod decisions;
pub(crate) mod in_parallel;
pub(crate) mod statement_facts;
pub(crate) mod steps;
pub(crate) mod weight;
pub(crate) mod zeroed;
