//! Second: the adjoint of one statement, or of a sequence of statements, and what it reads.
//!
//! 1. [`argument_copies`]: arguments that a call would change under its own feet,
//! 2. [`assignment`], with what its parts have in common ([`common_values`]) and results that are there already ([`kept_results`]),
//! 3. [`calls`], [`allocation`],
//! 4. [`sequences`]: many statements at once, by their local Jacobian; [`drafts`] finds them,
//! 5. [`reads`]: what statements and adjoints read; [`in_parallel`]: both on all processors. [`prepared`]: what comes out.
//!
//! Comes in: items. Comes out: for every statement its adjoint, and what both read and write. Never here: which values are recorded.

pub(crate) mod allocation;
pub(crate) mod argument_copies;
pub(crate) mod assignment;
pub(crate) mod calls;
pub(crate) mod common_values;
pub(crate) mod drafts;
pub(crate) mod in_parallel;
pub(crate) mod kept_results;
pub(crate) mod maker;
pub(crate) mod prepared;
pub(crate) mod reads;
pub(crate) mod sequences;
