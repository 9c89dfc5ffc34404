//! One postponed store against the code behind it.
//!
//! With Z the part that is put off and P the part that a statement of the code takes, the code
//!
//! * may stand before the store, if all that it does to the array is apart from Z,
//! * does with less of the store, if one statement sets P within Z, each iteration an element of its own, and everything else either is done to that element later in
//!   the same iteration or is apart from Z; where it adds to a zero, it sets instead,
//! * may read the source of a copy itself, if all that it does to Z is to read it.
//!
//! Lives here: these three. Never here: changes of code.

use super::accesses::{Access, Act};
use super::postponed::{Postponed, Value};
use crate::analysis::arrays::regions::{Known, Part, plus};
use crate::linearize::places::offset;
use crate::transform::adjoint::code::tree::ItemId;
use xaif::model::{Expr, SymbolId, Triplet, VarRef};

/// What comes of a postponed store.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It stays as it is.
    Passes,
    /// This item sets what it now adds to, or sets (`false`); what is left of the store.
    Consumed(ItemId, bool, Vec<Part>),
    /// These items read something else.
    Read(Vec<(ItemId, VarRef, VarRef)>),
    /// It has to be done before.
    Due,
}

/// What comes of a store, with all that the code does to its array.
pub(crate) fn meet(p: &Postponed, accesses: &[&Access], known: &Known) -> Outcome {
    let clear = |a: &&Access| a.part.as_ref().is_some_and(|q| known.apart(q, &p.part));
    let meeting: Vec<&Access> = accesses.iter().copied().filter(|a| !clear(a)).collect();
    if meeting.is_empty() {
        return Outcome::Passes;
    }
    if let Some(first) = meeting.iter().min_by_key(|a| (a.order, a.act == Act::Read))
        && let Some(part) = first.part.as_ref().filter(|q| first.each && known.within(q, &p.part))
        && (first.act == Act::Set || (first.act == Act::Increment && p.value == Value::Zero))
        && meeting.iter().all(|a| std::ptr::eq(*a, *first) || (a.order > first.order && a.follows_iterations_of(first)))
        && let Some(rest) = known.without(&p.part, part)
    {
        return Outcome::Consumed(first.item, first.act == Act::Increment, rest);
    }
    if meeting.iter().all(|a| a.act == Act::Read) {
        if p.written {
            return Outcome::Passes;
        }
        let read = |a: &&Access| {
            let (part, place) = (a.part.as_ref()?, a.place.as_ref()?);
            known.within(part, &p.part).then(|| p.source(place).map(|s| (a.item, place.clone(), s)))?
        };
        if let Some(list) = meeting.iter().map(read).collect() {
            return Outcome::Read(list);
        }
    }
    Outcome::Due
}

/// Whether a statement that sets elements may be put off until behind the code that it is part of.
pub(crate) fn may_be_put_off(store: &Access, accesses: &[&Access], known: &Known) -> bool {
    let Some(part) = store.part.as_ref().filter(|_| store.each && store.act == Act::Set) else { return false };
    accesses.iter().all(|a| {
        a.item == store.item && a.act == Act::Set
            || (a.order < store.order && a.follows_iterations_of(store))
            || a.part.as_ref().is_some_and(|q| known.apart(q, part))
    })
}

impl Postponed {
    /// Where the element that a place of the array is to have a copy of stands.
    pub fn source(&self, place: &VarRef) -> Option<VarRef> {
        let Value::Copy { to, from, indices } = &self.value else { return None };
        let value_of = |index: SymbolId| {
            to.subscripts.iter().zip(&place.subscripts).find_map(|(t, s)| {
                let (base, c) = offset(t.index.as_ref()?);
                base?.as_var().filter(|v| v.symbol == index)?;
                Some(plus(s.index.as_ref()?, -c))
            })
        };
        let mut out = from.clone();
        for t in &mut out.subscripts {
            let index = t.index.as_ref()?;
            let (base, c) = offset(index);
            if let Some(v) = base.as_ref().and_then(Expr::as_var).filter(|v| indices.contains(&v.symbol)) {
                *t = Triplet::element(plus(&value_of(v.symbol)?, c));
            }
        }
        Some(out)
    }
}
