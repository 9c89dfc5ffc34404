//! Which iterations of promised loops touch which elements.
//!
//! Lives here: the notes and the conflicts. Never here: who takes them (see [`super::promises`]).

use super::arrays::ObjectId;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use xaif::model::{Span, UnitId, VertexId};

/// Nested promised loops that are followed at once.
pub(super) const MAX_LOOPS: usize = 16;

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
    fn add(&mut self, iteration: u64) {
        *self = match *self {
            By::None => By::One(iteration),
            By::One(r) if r == iteration => By::One(r),
            _ => By::Many,
        };
    }

    /// Some iteration other than this one did it.
    fn other(self, iteration: u64) -> bool {
        match self {
            By::None => false,
            By::One(r) => r != iteration,
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
pub(super) enum Access {
    Read,
    Set,
    Add,
}

#[derive(Debug)]
pub(super) struct Loop {
    pub unit: UnitId,
    pub frame: u32,
    pub vertex: VertexId,
    pub head: Span,
    pub iteration: u64,
    elements: FxHashMap<ObjectId, FxHashMap<i64, Touched>>,
    broken: bool,
}

impl Loop {
    /// A loop at its first iteration.
    pub fn new(unit: UnitId, frame: u32, vertex: VertexId, head: Span) -> Loop {
        Loop { unit, frame, vertex, head, iteration: 0, elements: FxHashMap::default(), broken: false }
    }

    /// Notes an access; true where it breaks the promise.
    fn note(&mut self, object: ObjectId, position: i64, access: Access) -> bool {
        let r = self.iteration;
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
pub(super) struct Iterations {
    pub active: Vec<Loop>,
    pub broken: Vec<Broken>,
    /// Elements whose next read belongs to an addition to them.
    pub adding: Vec<(ObjectId, i64)>,
    /// The statement that is executed, and its text.
    pub at: (Span, String),
    /// The head of a promised loop is evaluated.
    pub silent: bool,
}

impl Iterations {
    /// Notes an access in all loops around it.
    pub fn note(&mut self, object: ObjectId, position: i64, access: Access) {
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

/// Notes may be taken where values are only looked at.
pub(super) type Notes = Option<Box<RefCell<Iterations>>>;
