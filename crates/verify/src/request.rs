//! What is to be certified, and how derivative programs are made anew for it.
//!
//! Lives here: data. Never here: checks.

use super::workshop::Workshop;
use overbar_booster::{Boosted, Options};
use overbar_evaluate::{Limits, Values};
use xaif::Diagnostic;
use xaif::model::Head;

/// Half the width of the interval in which the program has to be smooth: far above rounding, far below anything drawn.
pub(crate) const INTERVAL: f64 = 1.0 / (1u64 << 30) as f64;
/// What is to be checked.
pub struct Request<'a> {
    /// The head.
    pub head: Head,
    /// The point; drawn where it is left out.
    pub values: Option<Values<f64>>,
    /// The seed of everything drawn.
    pub seed: u64,
    /// How derivatives are made; modes and heads are set here.
    pub options: Options,
    /// Limits of one run.
    pub limits: Limits,
    /// Run derivative code in the interpreter.
    pub interpret: bool,
    /// Compile and run it.
    pub workshop: Option<&'a dyn Workshop>,
}

/// Derivative programs that are asked for only where they are needed, tangent and adjoint in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The ones that are checked, to be compiled.
    Both,
    /// The same statement by statement, to find the one to blame: a local Jacobian stands for many, and merged increments for several.
    Plain,
}

/// Makes derivative programs.
pub type Remake<'a> = dyn Fn(Wanted) -> Result<Boosted, Vec<Diagnostic>> + 'a;
