//! Where values are: pointers, lvalues, and what is kept of pointers whose target changes.
//!
//! Lives here: the data. Never here: how any of it comes about (see `memory`).

use crate::parse::language::types::CType;
use crate::parse::text::refusals::Refusal;
use lang_c::span::Span;
use std::rc::Rc;
use xaif::model::{Expr, SymbolId, VarRef};

/// A pointer value: the address of `base[subs...]`. With fewer subscripts than the base has dimensions it points to a row.
#[derive(Clone, Debug)]
pub(crate) struct Pointer {
    pub base: SymbolId,
    pub subs: Vec<Expr>,
    /// What it points to.
    pub to: CType,
}

impl Pointer {
    /// The object it points to.
    pub fn target(&self) -> VarRef {
        VarRef::element(self.base, self.subs.iter().cloned())
    }
}

/// A place that can be read and set: `base[subs...]`.
#[derive(Clone, Debug)]
pub(crate) struct LValue {
    pub base: SymbolId,
    pub subs: Vec<Expr>,
    pub ty: CType,
}

impl LValue {
    /// As a reference of the model.
    pub fn reference(&self) -> VarRef {
        VarRef::element(self.base, self.subs.iter().cloned())
    }
}

/// Where a variable's value is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// A scalar or an array of its own.
    Object(SymbolId),
    /// A pointer with a known target.
    Target(Pointer),
    /// A pointer that walks: its target's subscripts are these rows, which stay, and these variables.
    Walking { base: SymbolId, rows: Vec<Expr>, offsets: Vec<SymbolId>, to: CType },
    /// A pointer that owns what malloc gives it.
    Heap(SymbolId),
    /// A number that stands for a parameter of a function whose calls are what it returns.
    Number(Expr),
    /// Something that is only passed through.
    Opaque(SymbolId),
    /// Its use is refused.
    Refused(Rc<Refusal>),
}

/// Memory for pointers to rows that have none yet.
#[derive(Clone, Debug)]
pub(crate) struct RowsAwaited {
    pub symbol: SymbolId,
    /// How many there are.
    pub count: Expr,
    /// How many loops are open where they were made.
    pub depth: usize,
}

/// Pointers whose targets one integer decides.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The integer: the number of the answer.
    pub state: SymbolId,
    /// How many answers there are.
    pub count: usize,
    /// The pointers (by their facts), each with its target for each answer.
    pub members: Vec<(usize, Vec<Option<Pointer>>)>,
    /// The end of the block in which they live.
    pub end: usize,
    /// Text and place of the condition that decides, if one does.
    pub condition: Option<(String, Span)>,
    /// For one pointer that gets other targets by assignments.
    pub reassigned: Option<Reassigned>,
}

impl Choice {
    /// All targets are known.
    pub fn complete(&self) -> bool {
        self.members.iter().all(|(_, targets)| targets.iter().all(Option::is_some))
    }

    /// A pointer's array is known at this place of the text.
    pub fn is_known(&self) -> bool {
        self.reassigned.as_ref().is_some_and(|r| r.known.is_some())
    }

    /// What the pointer is where it is in the array of this number.
    pub fn place(&self, member: usize, number: usize) -> Option<Place> {
        let target = self.members.get(member)?.1.get(number)?.clone()?;
        let offsets = self.reassigned.as_ref().map_or(&[][..], |r| &r.offsets);
        if offsets.is_empty() || target.subs.is_empty() {
            return Some(Place::Target(target));
        }
        let offsets = offsets[..target.subs.len()].to_vec();
        Some(Place::Walking { base: target.base, rows: Vec::new(), offsets, to: target.to })
    }
}

/// What a pointer that gets other targets has besides its integer.
#[derive(Clone, Debug)]
pub(crate) struct Reassigned {
    /// Its subscripts; none where it is always at the start of an array.
    pub offsets: Vec<SymbolId>,
    /// The array that it is in at this place of the text, if that is known.
    pub known: Option<usize>,
}

/// What the text alone says of pointers at one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// The array that each choice is in.
    pub arrays: Vec<Option<usize>>,
    /// Whether those that may be null have a target.
    pub there: Vec<Option<bool>>,
}

impl Known {
    /// What holds on both of two ways.
    pub fn on_both(&self, other: &Known) -> Known {
        fn same<T: Copy + PartialEq>(a: &[Option<T>], b: &[Option<T>]) -> Vec<Option<T>> {
            a.iter().zip(b).map(|(a, b)| a.filter(|_| a == b)).collect()
        }
        Known { arrays: same(&self.arrays, &other.arrays), there: same(&self.there, &other.there) }
    }
}

/// A pointer that is null at times.
#[derive(Clone, Debug)]
pub(crate) struct Nullable {
    pub fact: usize,
    /// The truth value: it has a target.
    pub there: SymbolId,
    /// What the text alone says of it at this place.
    pub known: Option<bool>,
    /// Something asks for the truth value.
    pub asked: bool,
}
