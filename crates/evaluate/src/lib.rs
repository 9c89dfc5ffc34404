//! The reference interpreter of XAIF: runs a program as the crate `xaif` defines its meaning, without any compiler.
//!
//! It is the independent oracle for everything that the booster makes. [`run`] executes a unit with any [`Scalar`]: plain reals, or
//! [`Dual`] numbers for exact derivatives; [`jacobian`] does the latter for whole arguments; [`derivative`] runs tangent and
//! adjoint units with seeds. Nothing here uses the partial derivatives of the catalogue.
//!
//! * [`scalar`], [`dual`], [`complex`], [`noisy`], [`sides`], [`taped`]: arithmetic
//! * [`value`], [`arrays`]: values and memory
//! * [`expr`], [`intrinsics`], [`representation`], [`reductions`]: expressions
//! * [`exec`], [`calls`], [`runtime`], [`openad`]: statements
//! * [`trace`]: the record of a run; [`rounds`]: whether iterations of loops depend on each other
//! * [`check`]: Jacobians and derivative units
//! * [`json`], [`print`]: values from and to JSON
//!
//! What a program may not do is an error with a code ([`fault`]): use an undefined value, leave the bounds of an array, overflow,
//! divide an integer by zero, take from the stack what was not put there. A run has [`Limits`]. Reals of 80 and 128 bits are
//! calculated in 64. Variables that outlive a call start at zero where arrays are stored by rows (C), undefined elsewhere.
//! Complex numbers are refused.

pub mod arrays;
pub mod calls;
pub mod check;
pub mod complex;
pub mod directions;
pub mod dual;
pub mod edges;
pub mod exec;
pub mod expr;
pub mod fault;
pub mod intrinsics;
pub mod json;
pub mod machine;
pub mod noisy;
pub mod openad;
pub mod print;
pub mod reductions;
pub mod representation;
pub mod rounds;
pub mod runtime;
pub mod scalar;
pub mod sides;
pub mod start;
pub mod tables;
pub mod taped;
pub mod trace;
pub mod value;

pub use check::{Gradient, Jacobian, derivative, jacobian};
pub use complex::Complex;
pub use dual::Dual;
pub use edges::Edges;
pub use fault::Fault;
pub use machine::Machine;
pub use noisy::Noisy;
pub use openad::Sweep;
pub use scalar::Scalar;
pub use sides::Sides;
pub use taped::Taped;
pub use value::Value;

use fault::fault as error;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use value::Shape;
use xaif::model::{Span, UnitId};
use xaif::{Diagnostic, Program};

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
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 50_000_000, work: u64::MAX, depth: 2_000, elements: 1 << 26, tape_bytes: 1 << 32, zero_start: false }
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
    /// Comparisons and unmarked intrinsics that are not smooth between both sides of the point ([`Sides`] only).
    pub kinks: u64,
    /// Of these intrinsics, those whose results bear a mark ([`Sides`] only).
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
    /// Warnings.
    pub notes: Vec<Diagnostic>,
    /// Where the program is not smooth between both sides of the point ([`Sides`] only), each statement once.
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

/// Runs a unit, and notes what the run takes and where it comes to.
///
/// # Errors
/// As [`run`].
pub fn noted<S: Scalar>(
    program: &Program,
    unit: UnitId,
    inputs: &Inputs<S>,
    sweeps: &[Sweep],
    limits: &Limits,
) -> (Result<Outcome<S>, Fault>, Notes) {
    let mut machine = Machine::new(program, *limits);
    machine.reached = Some(FxHashSet::default());
    let outcome = machine.execute(unit, inputs, sweeps).map_err(|f| machine.placed(f));
    let reached = machine.reached.take().into_iter().flatten().collect();
    (outcome, Notes { work: machine.counters.work(), reached })
}

/// Runs a unit.
///
/// # Errors
/// Everything that the program may not do, inputs that do not fit, and limits reached: with the place where it happened.
pub fn run<S: Scalar>(program: &Program, unit: UnitId, inputs: &Inputs<S>, limits: &Limits) -> Result<Outcome<S>, Fault> {
    run_sweeps(program, unit, inputs, &[Sweep::Plain], limits)
}

/// Runs the sweeps of a unit one after the other on the same arguments (`openad` adjoint output: [`Sweep::Tape`], then [`Sweep::Adjoint`]).
///
/// # Errors
/// As [`run`].
pub fn run_sweeps<S: Scalar>(
    program: &Program,
    unit: UnitId,
    inputs: &Inputs<S>,
    sweeps: &[Sweep],
    limits: &Limits,
) -> Result<Outcome<S>, Fault> {
    let mut machine = Machine::new(program, *limits);
    match machine.execute(unit, inputs, sweeps) {
        Ok(outcome) => Ok(outcome),
        Err(f) => Err(machine.placed(f)),
    }
}

impl<S: Scalar> Machine<'_, S> {
    pub(crate) fn execute(&mut self, unit: UnitId, inputs: &Inputs<S>, sweeps: &[Sweep]) -> Result<Outcome<S>, Fault> {
        let Some(u) = self.program.units.get(unit.index()) else { return Err(error("OB6001", "the program has no such unit")) };
        if u.is_container() {
            return Err(error("OB6001", format!("`{}` has no statements to run", self.program.unit_name(unit))));
        }
        self.sweep = sweeps.first().copied().unwrap_or(Sweep::Plain);
        let formals = self.start(unit, inputs)?;
        self.run_to(0)?;
        for &sweep in sweeps.iter().skip(1) {
            self.sweep = sweep;
            self.start_again(unit, &formals)?;
            self.run_to(0)?;
        }
        Ok(self.outcome(&formals))
    }

    fn outcome(&mut self, formals: &[(xaif::model::SymbolId, arrays::DescriptorId)]) -> Outcome<S> {
        let mut arguments = Values::new();
        let mut derivatives = Values::new();
        for &(id, d) in formals {
            if let Some(data) = self.snapshot(d, false) {
                arguments.insert(self.name(id).to_owned(), data);
            }
            if let Some(data) = self.snapshot(d, true) {
                derivatives.insert(self.name(id).to_owned(), data);
            }
        }
        let mut ids: Vec<_> = self.globals.iter().map(|(&s, &d)| (s, d)).collect();
        ids.sort_unstable_by_key(|(s, _)| *s);
        let mut globals = Values::new();
        for (id, d) in ids {
            if let Some(data) = self.snapshot(d, false) {
                globals.entry(self.name(id).to_owned()).or_insert(data);
            }
        }
        let counters = Counters {
            pushes: self.stacks.pushes,
            taped_bytes: self.stacks.taped,
            peak_bytes: self.stacks.peak,
            left: self.stacks.count(),
            ..self.counters
        };
        Outcome {
            arguments,
            derivatives,
            globals,
            counters,
            stopped: self.stopped.take(),
            notes: std::mem::take(&mut self.notes),
            kinks: std::mem::take(&mut self.kinks),
            bends: std::mem::take(&mut self.bends),
        }
    }
}
