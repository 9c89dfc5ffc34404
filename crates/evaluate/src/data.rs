//! What a run is given, and what it yields.
//!
//! Lives here: data. Never here: how anything runs.

use super::scalar::Scalar;
use super::stacks::Shown;
use super::value::{Shape, Value};
use indexmap::IndexMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use xaif::Diagnostic;
use xaif::model::Span;

/// What a run may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Statements and vertices executed.
    pub steps: u64,
    /// These, and operations on elements.
    pub work: u64,
    /// Units active at once.
    pub depth: usize,
    /// Elements of memory held at once.
    pub elements: usize,
    /// Bytes on the stack.
    pub tape_bytes: u64,
    /// Variables without a value start at zero instead of being undefined: what old programs rely on.
    pub zero_start: bool,
    /// Records that the outcome shows: the first so many.
    pub shown: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 50_000_000, work: u64::MAX, depth: 2_000, elements: 1 << 26, tape_bytes: 1 << 32, zero_start: false, shown: 0 }
    }
}

/// The value of a variable: an element (no extents) or an array, its elements in memory order.
#[derive(Clone, Debug, PartialEq)]
pub struct Data<S> {
    /// Extents in source order.
    pub shape: Shape,
    /// The elements.
    pub values: Vec<Value<S>>,
}

impl<S: Scalar> Data<S> {
    /// One real.
    pub fn real(x: f64) -> Data<S> {
        Data { shape: Shape::new(), values: vec![Value::real(x)] }
    }

    /// One integer.
    pub fn int(x: i64) -> Data<S> {
        Data { shape: Shape::new(), values: vec![Value::int(x)] }
    }

    /// One truth value.
    pub fn bool(x: bool) -> Data<S> {
        Data { shape: Shape::new(), values: vec![Value::Bool(x)] }
    }

    /// A vector of reals.
    pub fn reals(list: &[f64]) -> Data<S> {
        Data { shape: SmallVec::from_slice(&[list.len()]), values: list.iter().map(|&x| Value::real(x)).collect() }
    }

    /// A vector of integers.
    pub fn ints(list: &[i64]) -> Data<S> {
        Data { shape: SmallVec::from_slice(&[list.len()]), values: list.iter().map(|&x| Value::int(x)).collect() }
    }

    /// The same elements with other extents.
    pub fn shaped(mut self, shape: &[usize]) -> Data<S> {
        self.shape = SmallVec::from_slice(shape);
        self
    }

    /// The elements as real numbers; NaN where one is undefined or no number.
    pub fn to_reals(&self) -> Vec<f64> {
        self.values.iter().map(|v| v.as_scalar().map_or(f64::NAN, |s| s.value())).collect()
    }
}

/// Values by source name, in a fixed order.
pub type Values<S> = IndexMap<String, Data<S>>;

/// What a run is given: formals and globals by source name.
#[derive(Clone, Debug)]
pub struct Inputs<S> {
    /// Their values.
    pub values: Values<S>,
    /// Derivative components to start with (`openad` dialect only).
    pub derivatives: Values<S>,
}

impl<S> Default for Inputs<S> {
    fn default() -> Self {
        Inputs { values: IndexMap::new(), derivatives: IndexMap::new() }
    }
}

impl<S> Inputs<S> {
    /// With one more value.
    pub fn with(mut self, name: &str, data: Data<S>) -> Inputs<S> {
        self.values.insert(name.to_owned(), data);
        self
    }
}

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Statements and vertices executed.
    pub steps: u64,
    /// Operations on elements.
    pub operations: u64,
    /// Operations whose result is infinite or no number.
    pub not_finite: u64,
    /// Operations whose result is so large or so small that its square is infinite or zero: slopes on the way may be lost.
    pub extreme: u64,
    /// Records pushed.
    pub pushes: u64,
    /// Bytes pushed.
    pub taped_bytes: u64,
    /// Largest number of bytes on the stack at once.
    pub peak_bytes: u64,
    /// Records left on the stack.
    pub left: usize,
    /// Divisions of a real by zero.
    pub divisions_by_zero: u64,
    /// Comparisons and unmarked intrinsics that are not smooth between both sides of the point ([`super::Sides`] only).
    pub kinks: u64,
    /// Of these intrinsics, those whose results bear a mark ([`super::Sides`] only).
    pub bends: u64,
}

impl Counters {
    /// Steps and operations on elements.
    pub fn work(&self) -> u64 {
        self.steps + self.operations
    }
}

/// What a run yields.
#[derive(Clone, Debug)]
pub struct Outcome<S> {
    /// The formals at the end, absent ones left out.
    pub arguments: Values<S>,
    /// Derivative components of the formals (`openad` dialect).
    pub derivatives: Values<S>,
    /// Variables that outlive calls, as far as the run touched them.
    pub globals: Values<S>,
    /// What it cost.
    pub counters: Counters,
    /// The statement with which the program stopped itself, if it did.
    pub stopped: Option<Diagnostic>,
    /// Records in the order in which they were made, as far as [`Limits::shown`] goes.
    pub shown: Vec<Shown<S>>,
    /// Warnings.
    pub notes: Vec<Diagnostic>,
    /// Where the program is not smooth between both sides of the point ([`super::Sides`] only), each statement once.
    pub kinks: Vec<Diagnostic>,
    /// Where intrinsics are not smooth whose results bear a mark, each statement once: nothing but where a result of the run bears it.
    pub bends: Vec<Diagnostic>,
}

/// What is noted of a run beside its outcome, also where it fails.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Steps and operations on elements.
    pub work: u64,
    /// Assignments of real variables that were executed.
    pub reached: BTreeSet<Span>,
}

/// Which graph of a replacement list runs: the split template's three arms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// The original (placeholder 1).
    Plain,
    /// Taping (placeholder 2).
    Tape,
    /// Adjoint (placeholder 3).
    Adjoint,
}
