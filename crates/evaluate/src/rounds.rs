//! Whether iterations of a loop depend on each other: the check of what a user promises of a parallel loop.
//!
//! For each element that a promised loop touches it is noted which rounds read it before they set it, which set it, and which only add to it.
//! A promise is broken where one iteration reads what another one sets or adds to, or sets what another one adds to:
//!
//! ```text
//! a(i) = a(i - 1) + 1        broken: an iteration reads what the one before has set
//! t = x(i);  s = s + t*t     kept: t is set by each iteration before it is read, s is only added to
//! p = p*x(i)                 broken: a product is no sum
//! ```
//!
//! Lives here: the notes and the conflicts. Never here: what statements compute.

use super::arrays::{ObjectId, View};
use super::fault::Fault;
use super::machine::Machine;
use super::scalar::Scalar;
use super::{Inputs, Limits, Sweep};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use xaif::model::{Expr, IndexOrder, NodeKind, Program, Span, UnitId, VarRef, VertexId};

/// Nested promised loops that are followed at once.
const MAX_LOOPS: usize = 16;

/// A promise that is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The unit of the loop.
    pub unit: UnitId,
    /// The head of the loop.
    pub head: Span,
    /// The statement at which it was noticed.
    pub at: Span,
    /// Its text.
    pub text: String,
}

/// Which iterations did something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum By {
    #[default]
    None,
    One(u64),
    Many,
}

impl By {
    fn add(&mut self, round: u64) {
        *self = match *self {
            By::None => By::One(round),
            By::One(r) if r == round => By::One(r),
            _ => By::Many,
        };
    }

    /// Some round other than this one did it.
    fn other(self, round: u64) -> bool {
        match self {
            By::None => false,
            By::One(r) => r != round,
            By::Many => true,
        }
    }
}

/// What was done to an element: read before the iteration set it, set, added to before the iteration set it.
#[derive(Clone, Copy, Debug, Default)]
struct Touched {
    read: By,
    set: By,
    added: By,
    /// The iteration that has set it last.
    own: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Set,
    Add,
}

#[derive(Debug)]
struct Loop {
    unit: UnitId,
    frame: u32,
    vertex: VertexId,
    head: Span,
    round: u64,
    elements: FxHashMap<ObjectId, FxHashMap<i64, Touched>>,
    broken: bool,
}

impl Loop {
    /// Notes an access; true where it breaks the promise.
    fn note(&mut self, object: ObjectId, position: i64, access: Access) -> bool {
        let r = self.round;
        let t = self.elements.entry(object).or_default().entry(position).or_default();
        if t.own == Some(r) {
            return false;
        }
        match access {
            Access::Read => {
                t.read.add(r);
                t.set.other(r) || t.added.other(r)
            }
            Access::Set => {
                t.set.add(r);
                t.own = Some(r);
                t.read.other(r) || t.added.other(r)
            }
            Access::Add => {
                t.added.add(r);
                t.read.other(r) || t.set.other(r)
            }
        }
    }
}

/// The notes of a run.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    active: Vec<Loop>,
    broken: Vec<Broken>,
    /// Elements whose next read belongs to an addition to them.
    adding: Vec<(ObjectId, i64)>,
    /// The statement that is executed, and its text.
    at: (Span, String),
    /// The head of a promised loop is evaluated.
    silent: bool,
}

impl Rounds {
    fn note(&mut self, object: ObjectId, position: i64, access: Access) {
        for l in &mut self.active {
            if l.note(object, position, access) && !l.broken {
                l.broken = true;
                self.broken.push(Broken { unit: l.unit, head: l.head, at: self.at.0, text: self.at.1.clone() });
            }
        }
    }

    /// An object that ends: another one may get its number.
    pub fn forget(&mut self, object: ObjectId) {
        self.active.iter_mut().for_each(|l| {
            l.elements.remove(&object);
        });
    }
}

/// Runs a unit and looks whether all promised loops keep their promise: those that do not, each once.
///
/// # Errors
/// As [`super::run`].
pub fn broken<S: Scalar>(program: &Program, unit: UnitId, inputs: &Inputs<S>, limits: &Limits) -> Result<Vec<Broken>, Fault> {
    let mut machine = Machine::new(program, *limits);
    machine.rounds = Some(Box::default());
    match machine.execute(unit, inputs, &[Sweep::Plain]) {
        Ok(_) => {
            let mut found: Vec<Broken> = Vec::new();
            for b in machine.rounds.map(|r| r.into_inner().broken).unwrap_or_default() {
                if !found.iter().any(|f| (f.unit, f.head) == (b.unit, b.head)) {
                    found.push(b);
                }
            }
            Ok(found)
        }
        Err(f) => Err(machine.placed(f)),
    }
}

/// True for a program with promised loops.
pub fn promised(program: &Program) -> bool {
    program.units.iter().any(|u| u.graph.node_weights().any(|v| v.parallel))
}

impl<'p, S: Scalar> Machine<'p, S> {
    /// A promised loop starts, or its next iteration.
    pub(super) fn begin_round(&mut self, vertex: VertexId, head: Span, again: bool) {
        let (Some(rounds), Some(frame)) = (&self.rounds, self.frames.last()) else { return };
        let mut rounds = rounds.borrow_mut();
        // The step of the index reads it, but carries nothing.
        rounds.silent = again;
        let (unit, number) = (frame.unit, frame.number);
        let same = |l: &Loop| (l.frame, l.vertex) == (number, vertex);
        if again {
            if let Some(l) = rounds.active.last_mut().filter(|l| same(l)) {
                l.round += 1;
            }
        } else if rounds.active.len() < MAX_LOOPS {
            rounds.active.push(Loop { unit, frame: number, vertex, head, round: 0, elements: FxHashMap::default(), broken: false });
        }
    }

    /// The head of a promised loop has set its index.
    pub(super) fn index_set(&mut self, index: &'p VarRef) -> Result<(), Fault> {
        if self.rounds.is_none() {
            return Ok(());
        }
        let view = self.view(index)?;
        if let Some(rounds) = &self.rounds {
            rounds.borrow_mut().silent = false;
        }
        self.note_set(&view, false);
        Ok(())
    }

    /// A promised loop has ended.
    pub(super) fn end_rounds(&mut self, vertex: VertexId) {
        let (Some(rounds), Some(frame)) = (&self.rounds, self.frames.last()) else { return };
        let mut rounds = rounds.borrow_mut();
        if rounds.active.last().is_some_and(|l| (l.frame, l.vertex) == (frame.number, vertex)) {
            rounds.active.pop();
        }
    }

    /// Before an assignment; true where it adds to what it sets.
    pub(super) fn before_rounds(&mut self, lhs: &'p VarRef, rhs: &'p Expr, span: Span, text: &str) -> Result<bool, Fault> {
        let watching = self.rounds.as_ref().is_some_and(|r| !r.borrow().active.is_empty());
        if !watching {
            return Ok(false);
        }
        let adds = is_sum(lhs, rhs);
        let elements = if adds {
            let view = self.view(lhs)?;
            positions(&view, self.program.index_order).into_iter().map(|p| (view.object, p)).collect()
        } else {
            Vec::new()
        };
        if let Some(rounds) = &self.rounds {
            let mut rounds = rounds.borrow_mut();
            rounds.at = (span, text.to_owned());
            rounds.adding = elements;
        }
        Ok(adds)
    }

    /// Elements were read.
    pub(super) fn note_read(&self, view: &View) {
        let Some(rounds) = self.rounds.as_deref().filter(|_| !view.deriv) else { return };
        let mut rounds = rounds.borrow_mut();
        if rounds.active.is_empty() || rounds.silent {
            return;
        }
        for p in positions(view, self.program.index_order) {
            match rounds.adding.iter().position(|&a| a == (view.object, p)) {
                Some(k) => {
                    rounds.adding.swap_remove(k);
                }
                None => rounds.note(view.object, p, Access::Read),
            }
        }
    }

    /// Elements were set, or added to.
    pub(super) fn note_set(&self, view: &View, added: bool) {
        let Some(rounds) = self.rounds.as_deref().filter(|_| !view.deriv) else { return };
        let mut rounds = rounds.borrow_mut();
        if rounds.active.is_empty() || rounds.silent {
            return;
        }
        let access = if added { Access::Add } else { Access::Set };
        for p in positions(view, self.program.index_order) {
            rounds.note(view.object, p, access);
        }
    }
}

/// Notes may be taken where values are only looked at.
pub(super) type Notes = Option<Box<RefCell<Rounds>>>;

fn positions(view: &View, order: IndexOrder) -> Vec<i64> {
    if view.steps.is_empty() { vec![view.base] } else { view.positions(order) }
}

/// `s = s + e`, `s = e + s`, `s = s - e`, and sums of them; `e` may be anything.
fn is_sum(lhs: &VarRef, rhs: &Expr) -> bool {
    let mut at = rhs.root();
    // Each step goes to an operand, which stands before its operator.
    for _ in 0..rhs.nodes.len() {
        let NodeKind::Op(op) = &at.kind else { return false };
        let sum = op.name.starts_with("add_");
        if !sum && !op.name.starts_with("sub_") {
            return false;
        }
        let operands: Vec<_> = at.operands.iter().take(if sum { 2 } else { 1 }).filter_map(|o| rhs.nodes.get(o.index())).collect();
        let is_lhs =
            |n: &&xaif::model::Node| matches!(&n.kind, NodeKind::Var(r) if r.symbol == lhs.symbol && r.subscripts == lhs.subscripts);
        if operands.iter().any(is_lhs) {
            return true;
        }
        let inner =
            operands.into_iter().find(|n| matches!(&n.kind, NodeKind::Op(o) if o.name.starts_with("add_") || o.name.starts_with("sub_")));
        let Some(inner) = inner else { return false };
        at = inner;
    }
    false
}
