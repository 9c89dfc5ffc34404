//! Third: what is recorded, and where.
//!
//! 1. [`flow`]: the code as the to-be-recorded analysis ([`crate::analysis::reversal::recorded`]) sees it,
//! 2. what need not be recorded: elements of an iteration's own ([`iteration_elements`], [`iteration_arrays`]), [`harmless_writes`], steps that are undone
//!    ([`invertible_steps`]), scalars that are set again ([`recomputed`], from [`invariants`] and what is [`needed`] in any case); scalars that are [`maybe_unset`],
//! 3. where values are kept: [`storage`] (variables, the stack), [`tape`] (arrays with an element for each iteration), [`sections`] (many elements at once);
//! 4. values that are handed back: [`with_values`].
//!
//! Comes in: adjoints with what they read. Comes out: decisions, and places. Never here: the sweeps themselves.

pub(crate) mod branches;
pub(crate) mod flow;
pub(crate) mod harmless_writes;
pub(crate) mod invariants;
pub(crate) mod invertible_steps;
pub(crate) mod iteration_arrays;
pub(crate) mod iteration_elements;
pub(crate) mod maybe_unset;
pub(crate) mod needed;
pub(crate) mod reading;
pub(crate) mod recomputed;
pub(crate) mod sections;
pub(crate) mod storage;
pub(crate) mod tape;
pub(crate) mod universe;
pub(crate) mod with_values;
