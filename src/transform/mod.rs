//! Whole-program transformations: tangent and adjoint.

pub(crate) mod adjoint;
pub mod names;
mod openad;
pub mod plan;
pub mod signature;
pub mod walk;

use xaif::model::Head;
use xaif::{Diagnostic, Program};

/// What is to be made of a program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Make tangents.
    pub tangent: bool,
    /// Make adjoints.
    pub adjoint: bool,
    /// What to differentiate; empty: the file's own heads, else every active unit.
    pub heads: Vec<Head>,
    /// Adjoints of inputs start from zero instead of being incremented.
    pub zero_init: bool,
    /// Reversal of calls.
    pub reversal: Reversal,
    /// Suffixes, `_d`, `_b`, `d`, `b` where empty.
    pub suffixes: Suffixes,
}

/// How the call of a unit is reversed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reversal {
    /// The callee runs again in the reverse sweep, from a snapshot.
    Joint,
    /// The callee records in the forward sweep.
    Split,
    /// Whichever is possible, joint where both are.
    #[default]
    Auto,
}

/// How derivative names are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suffixes {
    /// Tangent unit, `_d`.
    pub tangent_unit: String,
    /// Adjoint unit, `_b`.
    pub adjoint_unit: String,
    /// Tangent variable, `d`.
    pub tangent_variable: String,
    /// Adjoint variable, `b`.
    pub adjoint_variable: String,
}

/// A program with its derivatives.
#[derive(Clone, Debug)]
pub struct Boosted {
    /// The original units and the derivative units.
    pub program: Program,
    /// Warnings and notes.
    pub diagnostics: Vec<Diagnostic>,
}

/// Differentiates a program.
///
/// # Errors
/// Heads that do not exist, and everything that cannot be differentiated with certainty: all that were found.
pub fn boost(program: Program, options: &Options) -> Result<Boosted, Vec<Diagnostic>> {
    if program.dialect == xaif::model::Dialect::Openad {
        return openad::boost(program, options);
    }
    Err(vec![Diagnostic::error("OB4000", "the booster is not built yet")])
}
