//! Runs that are recorded.
//!
//! Lives here: when statements and calls enter the record. Never here: the record (see [`super::trace`]).

use super::data::{Inputs, Limits, Outcome, Sweep};
use super::fault::Fault;
use super::machine::Machine;
use super::scalar::Scalar;
use super::trace::{Act, Activation, Address, Begun, Copied, Event, MAX_EVENTS, MAX_HANDED, Seen, Trace};
use super::value::{Operand, Value};
use xaif::Program;
use xaif::model::{Call, Expr, Stmt, UnitId, VarRef};

/// Runs a unit and records what it does.
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
    /// Begins the record of a statement; `None` where nothing is recorded.
    fn note_begin(&mut self, act: Act, stmt: &Stmt, reads: Vec<Seen<S>>) -> Option<usize> {
        let trace = self.trace.as_mut()?;
        if trace.events.len() >= MAX_EVENTS {
            trace.incomplete = true;
            return None;
        }
        let frame = self.frames.last();
        let at = frame.map_or((0, 0), |f| (f.at.index() as u32, f.stmt as u32));
        let number = frame.map_or(0, |f| f.number);
        // Heads of loops have their place where the loop has it.
        let (span, line) = if stmt.span.is_known() { (stmt.span, stmt.line) } else { (self.place.span, self.place.line) };
        let text = stmt.text.as_str().into();
        trace.events.push(Event { act, frame: number, at, span, line, text, writes: Vec::new(), reads });
        Some(trace.events.len() - 1)
    }

    /// What an assignment is about to do: its number in the record and what the elements hold; `None` where nothing is recorded.
    pub(super) fn before_assignment(&mut self, stmt: &Stmt, lhs: &'p VarRef, rhs: &'p Expr) -> Result<Option<Begun<S>>, Fault> {
        if self.trace.is_none() {
            return Ok(None);
        }
        let mut reads = Vec::new();
        if self.symbol(lhs.symbol)?.ty.is_real() {
            self.referred(rhs, usize::MAX, &mut reads);
            lhs.index_exprs().for_each(|e| self.referred(e, usize::MAX, &mut reads));
        }
        let event = self.note_begin(Act::Assignment, stmt, reads);
        Ok(event.map(|k| (k, self.cells(lhs).unwrap_or_default())))
    }

    /// The same for a value that is taken from the stack.
    pub(super) fn before_pop(&mut self, stmt: &Stmt, r: &'p VarRef) -> Option<Begun<S>> {
        self.note_begin(Act::Pop, stmt, Vec::new()).map(|k| (k, self.cells(r).unwrap_or_default()))
    }

    /// What a call hands over.
    pub(super) fn before_call(&mut self, stmt: &Stmt, call: &'p Call) {
        if self.trace.is_some() {
            let mut reads = Vec::new();
            call.arguments.iter().for_each(|a| self.referred(&a.value, MAX_HANDED, &mut reads));
            self.note_begin(Act::Call(None), stmt, reads);
        }
    }

    /// Completes the record of an assignment.
    pub(super) fn after_assignment(&mut self, begun: Option<Begun<S>>, lhs: &'p VarRef) -> Result<(), Fault> {
        let Some((k, mut old)) = begun else { return Ok(()) };
        let now = self.cells(lhs)?;
        if old.is_empty() {
            // The assignment itself has allocated the array.
            old = now.iter().map(|s| Seen { value: Value::Undefined, ..s.clone() }).collect();
        }
        if let Some(e) = self.trace.as_mut().and_then(|t| t.events.get_mut(k)) {
            e.writes = now.into_iter().zip(old).map(|(s, o)| (s, o.value)).collect();
        }
        Ok(())
    }

    /// Records an activation that begins, with what is copied into it. Returns its number.
    pub(super) fn begun(&mut self, unit: UnitId, copied: Vec<(Address, Address)>) -> u32 {
        let (caller, span) = (self.frames.last().map(|f| f.number), self.place.span);
        let Some(t) = &mut self.trace else { return 0 };
        let (number, start) = (t.frames.len() as u32, t.events.len());
        if let Some(Event { act: Act::Call(made @ None), frame, .. }) = t.events.last_mut()
            && Some(*frame) == caller
        {
            *made = Some(number);
        }
        t.frames.push(Activation { unit, caller, span, start, end: usize::MAX });
        t.copies.extend(copied.into_iter().map(|(from, to)| Copied { before: start, from, to }));
        number
    }

    /// Records the end of an activation.
    pub(super) fn ended(&mut self, number: u32) {
        if let Some(t) = &mut self.trace
            && let Some(f) = t.frames.get_mut(number as usize)
        {
            f.end = t.events.len();
        }
    }

    /// Elements of numbers that an expression refers to, in subscripts too; references to more than `most` elements are left out.
    fn referred(&mut self, e: &'p Expr, most: usize, out: &mut Vec<Seen<S>>) {
        let mut refs = Vec::new();
        e.for_each_ref(&mut |r| refs.push(r));
        for r in refs {
            // What is not looked at (the other side of a choice) may not be there.
            if let Ok(view) = self.view(r)
                && view.count() <= most
                && let Ok(list) = self.cells(r)
            {
                out.extend(list);
            }
        }
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
