//! Runs of units.
//!
//! Lives here: from inputs to an outcome. Never here: statements.

use super::arrays::DescriptorId;
use super::data::{Counters, Inputs, Limits, Notes, Outcome, Sweep, Values};
use super::fault::{Fault, fault};
use super::machine::Machine;
use super::scalar::Scalar;
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{SymbolId, UnitId};

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
        let Some(u) = self.program.units.get(unit.index()) else { return Err(fault("OB6001", "the program has no such unit")) };
        if u.is_container() {
            return Err(fault("OB6001", format!("`{}` has no statements to run", self.program.unit_name(unit))));
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

    fn outcome(&mut self, formals: &[(SymbolId, DescriptorId)]) -> Outcome<S> {
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
            if let Some(data) = self.snapshot(d, true) {
                derivatives.entry(self.name(id).to_owned()).or_insert(data);
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
            shown: std::mem::take(&mut self.shown),
            notes: std::mem::take(&mut self.notes),
            kinks: std::mem::take(&mut self.kinks),
            bends: std::mem::take(&mut self.bends),
        }
    }
}
