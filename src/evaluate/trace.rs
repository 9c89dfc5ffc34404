//! The record of a run: every assignment of a real variable, in order.
//!
//! Lives here: what is recorded. Never here: what it is compared with.

use super::arrays::ObjectId;
use super::fault::Fault;
use super::machine::Machine;
use super::scalar::Scalar;
use super::value::{Operand, Value};
use super::{Inputs, Limits, Outcome, Sweep};
use smol_str::SmolStr;
use xaif::Program;
use xaif::model::{Expr, Span, Stmt, SymbolId, UnitId, VarRef};

/// Assignments beyond this number are not recorded: the record is then incomplete, and says so.
const MAX_EVENTS: usize = 400_000;

/// An element of a variable of the running unit: the variable, and the position counted from its first element.
pub type Cell = (SymbolId, i64);

/// Where an element lies: the same for all names that it has.
pub type Address = (ObjectId, i64);

/// An element of a variable with what it held.
#[derive(Clone, Debug)]
pub struct Seen<S> {
    /// Its name.
    pub cell: Cell,
    /// Its place.
    pub address: Address,
    /// Its value.
    pub value: Value<S>,
}

/// An assignment.
#[derive(Clone, Debug)]
pub struct Event<S> {
    /// The activation in which it was executed.
    pub frame: u32,
    /// Where the statement stands.
    pub span: Span,
    /// Its line where the span is not known.
    pub line: u32,
    /// The statement's text.
    pub text: SmolStr,
    /// What was set, and what it held before.
    pub writes: Vec<(Seen<S>, Value<S>)>,
    /// Elements that the right side refers to.
    pub reads: Vec<Seen<S>>,
}

/// The record.
#[derive(Clone, Debug)]
pub struct Trace<S> {
    /// Assignments in the order of execution.
    pub events: Vec<Event<S>>,
    /// The unit of each activation, the activation that called it, and where the call stands.
    pub frames: Vec<(UnitId, Option<u32>, Span)>,
    /// Something was left out.
    pub incomplete: bool,
}

impl<S> Default for Trace<S> {
    fn default() -> Self {
        Trace { events: Vec::new(), frames: Vec::new(), incomplete: false }
    }
}

impl<S> Trace<S> {
    /// The units from an activation outward to the first.
    pub fn callers(&self, frame: u32) -> Vec<UnitId> {
        let mut out = Vec::new();
        let mut at = Some(frame);
        while let Some((unit, caller, _)) = at.and_then(|f| self.frames.get(f as usize)) {
            out.push(*unit);
            at = *caller;
        }
        out
    }
}

/// Runs a unit and records its assignments.
///
/// # Errors
/// As [`super::run`].
pub fn traced<S: Scalar>(program: &Program, unit: UnitId, inputs: &Inputs<S>, limits: &Limits) -> Result<(Outcome<S>, Trace<S>), Fault> {
    let (outcome, trace) = followed(program, unit, inputs, limits);
    outcome.map(|o| (o, trace))
}

/// The same with the record up to where a run fails.
pub fn followed<S: Scalar>(program: &Program, unit: UnitId, inputs: &Inputs<S>, limits: &Limits) -> (Result<Outcome<S>, Fault>, Trace<S>) {
    let mut machine = Machine::new(program, *limits);
    machine.trace = Some(Box::default());
    let outcome = machine.execute(unit, inputs, &[Sweep::Plain]);
    let outcome = outcome.map_err(|f| machine.placed(f));
    (outcome, machine.trace.map(|t| *t).unwrap_or_default())
}

impl<'p, S: Scalar> Machine<'p, S> {
    /// What an assignment is about to do; `None` where nothing is recorded.
    pub(super) fn before_assignment(&mut self, stmt: &Stmt, lhs: &'p VarRef, rhs: &'p Expr) -> Result<Option<Event<S>>, Fault> {
        let Some(trace) = &mut self.trace else { return Ok(None) };
        if trace.events.len() >= MAX_EVENTS {
            trace.incomplete = true;
            return Ok(None);
        }
        if !self.symbol(lhs.symbol)?.ty.is_real() {
            return Ok(None);
        }
        let mut reads = Vec::new();
        for r in rhs.refs() {
            // What is not looked at (the other side of a choice) may not be there.
            if self.symbol(r.symbol)?.ty.is_real()
                && let Ok(list) = self.cells(r)
            {
                reads.extend(list);
            }
        }
        let writes = self.cells(lhs).unwrap_or_default().into_iter().map(|s| (s.clone(), s.value)).collect();
        let frame = self.frames.last().map_or(0, |f| f.number);
        Ok(Some(Event { frame, span: stmt.span, line: stmt.line, text: stmt.text.as_str().into(), writes, reads }))
    }

    /// Completes and keeps the record of an assignment.
    pub(super) fn after_assignment(&mut self, event: Option<Event<S>>, lhs: &'p VarRef) -> Result<(), Fault> {
        let Some(mut event) = event else { return Ok(()) };
        let now = self.cells(lhs)?;
        if event.writes.is_empty() {
            // The assignment itself has allocated the array.
            event.writes = now.iter().map(|s| (s.clone(), Value::Undefined)).collect();
        }
        for (w, s) in event.writes.iter_mut().zip(now) {
            w.0 = s;
        }
        if let Some(trace) = &mut self.trace {
            trace.events.push(event);
        }
        Ok(())
    }

    /// The elements of a reference.
    fn cells(&mut self, r: &'p VarRef) -> Result<Vec<Seen<S>>, Fault> {
        let d = self.locate(r.symbol)?;
        let base = self.memory.descriptor(d).target.map_or(0, |t| t.1);
        let view = self.view(r)?;
        let positions = if view.steps.is_empty() { vec![view.base] } else { view.positions(self.order()) };
        let values = match self.load(&view)? {
            Operand::One(v) => vec![v],
            Operand::Many(_, list) => list,
        };
        let seen = |(p, value)| Seen { cell: (r.symbol, p - base), address: (view.object, p), value };
        Ok(positions.into_iter().zip(values).map(seen).collect())
    }
}
