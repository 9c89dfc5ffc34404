//! What is prepared for statements before anything is decided: their adjoints, and what goes with them.
//!
//! There is one for every statement of a unit, all at the same time, so each is small: what only calls and allocations have lies elsewhere.
//!
//! Lives here: the list. Never here: how adjoints are made.

use crate::analysis::reversal::flow::Var;
use crate::transform::adjoint::code::tree::{Item, ItemId};
use xaif::model::{Stmt, SymbolId, VarRef};

/// What was prepared for a statement.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    /// Its adjoint.
    pub adjoint: Vec<Item>,
    /// The adjoint comes before values are brought back.
    pub adjoint_first: bool,
    /// What an assignment sets: the variable of its left-hand side.
    pub set: Option<Var>,
    /// What few statements have.
    pub rest: Option<Box<Rest>>,
}

/// What few statements have.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// What is written, but for [`Prepared::set`].
    pub places: Vec<(Var, VarRef)>,
    /// What is kept behind it for its adjoint alone.
    pub spent: Vec<SymbolId>,
    /// What the forward sweep has in its place, if not the statement itself.
    pub instead: Option<Vec<Item>>,
    /// What the reverse sweep does before it brings values back.
    pub reopen: Vec<Item>,
    /// What takes it back, where it is undone instead of recorded.
    pub inverse: Option<Stmt>,
}

impl Rest {
    /// Nothing where there is nothing.
    pub fn boxed(self) -> Option<Box<Rest>> {
        let nothing = self.places.is_empty() && self.spent.is_empty() && self.reopen.is_empty();
        (!nothing || self.instead.is_some() || self.inverse.is_some()).then(|| Box::new(self))
    }
}

/// By the numbers of the statements.
#[derive(Debug, Default)]
pub(crate) struct List(Vec<Prepared>);

impl List {
    /// For so many items.
    pub fn of(count: ItemId) -> List {
        let mut list = Vec::new();
        list.resize_with(count as usize, Prepared::default);
        List(list)
    }

    /// Puts in what was prepared for a statement.
    pub fn put(&mut self, id: ItemId, prepared: Prepared) {
        if let Some(place) = self.0.get_mut(id as usize) {
            *place = prepared;
        }
    }

    /// The adjoint of a statement, as long as it is there.
    pub fn adjoint(&self, id: ItemId) -> &[Item] {
        self.0.get(id as usize).map_or(&[], |p| &p.adjoint)
    }

    /// Takes out what was prepared for a statement; nothing where nothing was, or where it is gone.
    pub fn take(&mut self, id: ItemId) -> Prepared {
        self.0.get_mut(id as usize).map(std::mem::take).unwrap_or_default()
    }
}
