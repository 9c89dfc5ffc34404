//! The record of a run: assignments, calls and what is taken from the stack, in order.
//!
//! Lives here: what is recorded. Never here: who records it (see [`super::tracing`]), what it is compared with.

use super::arrays::ObjectId;
use super::value::Value;
use smol_str::SmolStr;
use xaif::model::{Span, SymbolId, UnitId};

/// Events beyond this number are not recorded: the record is then incomplete, and says so.
pub(super) const MAX_EVENTS: usize = 400_000;
/// Of a larger array that is handed to a call, no elements are recorded.
pub(super) const MAX_HANDED: usize = 64;

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
