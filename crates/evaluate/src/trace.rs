//! The record of a run: assignments, calls and what is taken from the stack, in order.
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
use xaif::model::{Call, Expr, Span, Stmt, SymbolId, UnitId, VarRef};

/// Events beyond this number are not recorded: the record is then incomplete, and says so.
const MAX_EVENTS: usize = 400_000;
/// Of a larger array that is handed to a call, no elements are recorded.
const MAX_HANDED: usize = 64;

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

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// An assignment.
    Assignment,
    /// A call; the activation that it made, if it came so far.
    Call(Option<u32>),
    /// A value is taken from the stack.
    Pop,
}

/// An assignment, a call, or what brings a value back.
#[derive(Clone, Debug)]
pub struct Event<S> {
    /// Which of these.
    pub act: Act,
    /// The activation in which it was executed.
    pub frame: u32,
    /// The vertex and the number of the statement in it.
    pub at: (u32, u32),
    /// Where the statement stands.
    pub span: Span,
    /// Its line where the span is not known.
    pub line: u32,
    /// The statement's text.
    pub text: SmolStr,
    /// What was set, and what it held before; nothing where the run ended here.
    pub writes: Vec<(Seen<S>, Value<S>)>,
    /// Elements that the right side and subscripts refer to, or that are handed to a call.
    pub reads: Vec<Seen<S>>,
}

/// An activation of a unit.
#[derive(Clone, Debug)]
pub struct Activation {
    /// The unit.
    pub unit: UnitId,
    /// The activation that called it.
    pub caller: Option<u32>,
    /// Where the call stands.
    pub span: Span,
    /// The number of events before its first.
    pub start: usize,
    /// The number of events up to its last.
    pub end: usize,
}

/// A value that a call copies: into an argument that is handed over by value, or back from one that was copied.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// The number of events before it.
    pub before: usize,
    /// Where it comes from.
    pub from: Address,
    /// Where it goes to.
    pub to: Address,
}

/// The number of an event that has begun, and what it is about to set.
pub(super) type Begun<S> = (usize, Vec<Seen<S>>);

/// The record.
#[derive(Clone, Debug)]
pub struct Trace<S> {
    /// Events in the order of execution.
    pub events: Vec<Event<S>>,
    /// Activations in the order of their calls.
    pub frames: Vec<Activation>,
    /// Copies that calls made, in their order.
    pub copies: Vec<Copied>,
    /// Something was left out.
    pub incomplete: bool,
}

impl<S> Default for Trace<S> {
    fn default() -> Self {
        Trace { events: Vec::new(), frames: Vec::new(), copies: Vec::new(), incomplete: false }
    }
}

impl<S> Trace<S> {
    /// The units from an activation outward to the first.
    pub fn callers(&self, frame: u32) -> Vec<UnitId> {
        let mut out = Vec::new();
        let mut at = Some(frame);
        while let Some(f) = at.and_then(|f| self.frames.get(f as usize)) {
            out.push(f.unit);
            at = f.caller;
        }
        out
    }
}

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
