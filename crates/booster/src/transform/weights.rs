//! What running and reversing units takes, and how each call is reversed.
//!
//! Lives here: the data. Never here: counting, choices.

use xaif::model::{Span, SymbolId};

/// The number of iterations that a loop is taken to have.
pub(crate) const ITERATIONS: u64 = 16;

/// A unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weight {
    /// Whether it is reversed by a pair: records are what that keeps.
    pub pair: bool,
    /// Operations of its own statements.
    pub own: u64,
    /// Of these, what is run before the reverse sweep of the unit can begin.
    pub again: u64,
    /// Values that it records in its own statements, and variables that a pair would keep besides.
    pub records: u64,
    /// Its calls of units with derivatives.
    pub calls: Vec<Site>,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The callee, as the statement names it.
    pub callee: SymbolId,
    /// Where it stands.
    pub span: Span,
    /// How often it happens.
    pub iterations: u64,
    /// The forward sweep of a joint reversal executes it.
    pub live: bool,
    /// Values saved for it and brought back, to run it again.
    pub snapshot: u64,
    /// Values that it overwrites and others need, which are saved in front of it where it is reversed jointly.
    pub overwritten: u64,
    /// It has an adjoint.
    pub adjoint: bool,
}
