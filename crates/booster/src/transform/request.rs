//! What is asked of the booster, and what comes back.
//!
//! Lives here: data. Never here: how anything is made.

use super::checkpoint::Checkpoint;
use super::choice::CallChoice;
use super::preaccumulate::{Decision, Effort, Preaccumulate};
use super::times::UnitTimes;
use crate::facts;
use crate::rules::Rules;
use overbar_eliminate::names::Heuristic;
use std::num::NonZeroU16;
use std::sync::Arc;
use xaif::catalogue::Catalogue;
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
    /// How many directions derivative units serve at once.
    pub directions: Directions,
    /// Adjoints of inputs start from zero instead of being incremented.
    pub zero_init: bool,
    /// Adjoints of heads leave what the originals leave in arguments and shared variables, and return what these return.
    pub with_values: bool,
    /// Arguments of a head may overlap each other, where the language does not forbid it; their derivatives overlap as they do.
    pub may_overlap: bool,
    /// Reversal of calls.
    pub reversal: Reversal,
    /// Suffixes, `_d`, `_b`, `d`, `b` where empty.
    pub suffixes: Suffixes,
    /// Partial derivatives other than the built-in ones.
    pub catalogue: Option<Arc<Catalogue>>,
    /// Where local Jacobians are accumulated before they are used.
    pub preaccumulate: Preaccumulate,
    /// Elimination heuristics, ties of each decided by the next, instead of a search.
    pub order: Option<Vec<Heuristic>>,
    /// What is said of units that the program does not have.
    pub rules: Option<Arc<Rules>>,
    /// Calls of small units.
    pub inline: Inline,
    /// Each statement has a derivative of its own, where it stands: neither local Jacobians nor merged increments. For whoever looks for the one to blame.
    pub plain: bool,
    /// Steps over finished reverse sweeps that are not done, for tests.
    pub left_out: LeftOut,
    /// Tell what the analyses found: [`Boosted::facts`].
    pub facts: bool,
    /// Tell how long the steps of each adjoint take: [`Boosted::times`].
    pub timed: bool,
    /// Loops that are reversed from snapshots, besides those whose directives say so.
    pub checkpoints: Vec<Checkpoint>,
    /// How long elimination sequences are searched; in proportion to the program where nothing is said.
    pub search: Option<Effort>,
}

/// How many directions a derivative unit serves at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Directions {
    /// One: derivatives have the shapes of what they are derivatives of.
    #[default]
    One,
    /// As many as its first argument says.
    Counted,
    /// So many; derivatives of shared variables, too, have a dimension of that length.
    Fixed(NonZeroU16),
}

impl Directions {
    /// Whether derivatives have a dimension of directions.
    pub fn are_several(self) -> bool {
        self != Directions::One
    }
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
    /// For each call whichever costs less, where both are possible.
    ByCost,
}

/// How calls of small units are differentiated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inline {
    /// Where they stand ([`super::inlined`]), where nothing says how calls are reversed.
    #[default]
    Auto,
    /// By calls of derivatives of theirs.
    Never,
}

/// How derivative names are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suffixes {
    /// Tangent unit, `_d`, or `_dv` for several directions.
    pub tangent_unit: String,
    /// Adjoint unit, `_b`, or `_bv` for several directions.
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
    /// What was decided about sequences of statements, in the order of the derivative code.
    pub decisions: Vec<Decision>,
    /// What the analyses found, where [`Options::facts`] asks for it.
    pub facts: Option<facts::Document>,
    /// How each call is reversed, where [`Reversal::ByCost`] asks for it.
    pub calls: Vec<CallChoice>,
    /// How long the steps of each adjoint took, where [`Options::timed`] asks for it. Nothing that is written depends on these.
    pub times: Vec<UnitTimes>,
}

/// Steps of clean-up that are not done, by their place in the list of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut(u16);

impl LeftOut {
    /// Adds one.
    pub(crate) fn add(&mut self, k: usize) {
        self.0 |= 1 << k;
    }

    /// Whether one is among them.
    pub(crate) fn has(self, k: usize) -> bool {
        self.0 & (1 << k) != 0
    }
}
