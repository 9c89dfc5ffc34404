//! Adjoints of assignments and of linear statements, and what they read, found on all processors before the unit is walked through.
//!
//! Most adjoints ask for nothing that changes the unit; those that do (a temporary, say) are left to the walk, which makes
//! them in order, so that names and numbers are the same however many processors there are.
//!
//! Lives here: which adjoints can be made like that. Never here: how an adjoint is made.

use super::maker::Maker;
use super::reads::Finished;
use super::{assignment, sequences};
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind};
use crate::transform::adjoint::code::writes;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::iter::{Flatten, Peekable};
use std::vec::IntoIter;
use xaif::catalogue::Catalogue;
use xaif::model::{ElemType, Stmt, StmtKind, Symbol, SymbolId, VarRef};
use xaif::{Program, spread};

/// So many statements are worth being done by somebody else.
const PIECE: usize = 256;

/// Finished adjoints, with the numbers of their statements, in text order. There are as many of them as the unit has statements, so they stay as they were made, and
/// what is taken is gone.
pub(crate) struct Ahead(Peekable<Flatten<IntoIter<Piece>>>);

type Piece = Vec<(ItemId, Finished)>;

impl Default for Ahead {
    fn default() -> Ahead {
        Ahead::of(Vec::new())
    }
}

impl Ahead {
    fn of(pieces: Vec<Piece>) -> Ahead {
        Ahead(pieces.into_iter().flatten().peekable())
    }

    /// The adjoint of a statement, if it is made. Whoever asks goes through the unit in text order.
    pub fn take(&mut self, id: ItemId) -> Option<Finished> {
        while self.0.next_if(|(k, _)| *k < id).is_some() {}
        self.0.next_if(|(k, _)| *k == id).map(|(_, finished)| finished)
    }
}

/// The statements whose adjoints may be made beforehand, with their numbers.
fn candidates<'a>(items: &'a [Item], propagators: bool, out: &mut Vec<(ItemId, &'a Stmt)>) {
    for item in items {
        match &item.kind {
            ItemKind::Stmt(s) => match &s.kind {
                StmtKind::Assignment { .. } => out.push((item.id, s)),
                StmtKind::Propagator(_) if propagators => out.push((item.id, s)),
                _ => {}
            },
            ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| candidates(&a.body, propagators, out)),
            ItemKind::Loop { body, .. } => candidates(body, propagators, out),
        }
    }
}

/// A unit that nothing can be asked of but facts.
struct Still<'a> {
    program: &'a Program,
    catalogue: &'a Catalogue,
    companions: &'a FxHashMap<SymbolId, SymbolId>,
    sharing: &'a FxHashMap<SymbolId, Vec<SymbolId>>,
    written: &'a writes::Places,
    new: &'a FxHashSet<SymbolId>,
    /// More was asked.
    moved: Cell<bool>,
}

impl Surroundings for Still<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn catalogue(&self) -> &Catalogue {
        self.catalogue
    }

    fn adjoint(&self, symbol: SymbolId) -> Option<SymbolId> {
        self.companions.get(&symbol).copied()
    }

    fn overlap(&self, a: SymbolId, b: SymbolId) -> bool {
        a == b || self.sharing.get(&a).is_some_and(|l| l.contains(&b))
    }

    fn temporary(&mut self, _: &str, _: ElemType) -> SymbolId {
        self.moved.set(true);
        SymbolId(0)
    }

    fn scratch(&mut self, _: ElemType) -> SymbolId {
        self.moved.set(true);
        SymbolId(0)
    }

    fn array(&mut self, _: &str, _: ElemType, _: &Symbol) -> SymbolId {
        self.moved.set(true);
        SymbolId(0)
    }

    fn whole(&self, symbol: SymbolId) -> VarRef {
        // What holds for allocated arrays only the walk knows.
        self.moved.set(true);
        VarRef::whole(symbol)
    }

    fn changes(&self, symbol: SymbolId) -> bool {
        self.written.contains(symbol)
    }

    fn is_new(&self, symbol: SymbolId) -> bool {
        self.new.contains(&symbol)
    }
}

impl Maker<'_> {
    /// The adjoints of statements in some code that can be made beforehand, where that pays.
    pub(crate) fn ahead(&self, items: &[Item]) -> Ahead {
        let mut all = Vec::new();
        candidates(items, !self.foreign, &mut all);
        if all.len() < 2 * PIECE {
            return Ahead::default();
        }
        let still = || Still {
            program: self.program,
            catalogue: self.frame.calls.catalogue(),
            companions: &self.frame.companions,
            sharing: &self.frame.sharing,
            written: &self.written,
            new: &self.new,
            moved: Cell::new(false),
        };
        let work: Vec<_> = all.chunks(PIECE).map(|piece| (piece, still())).collect();
        let (stays, program, sight) = (&self.stays, &*self.program, self.sight());
        let made = spread::over(work, |(piece, mut still)| {
            let mut done = Vec::with_capacity(piece.len());
            for (id, s) in piece {
                still.moved.set(false);
                // What is refused is refused in order.
                let finished = match &s.kind {
                    StmtKind::Assignment { lhs, rhs } if lhs.is_passive() => Some(sight.assignment(s, (lhs, rhs), Vec::new(), false)),
                    StmtKind::Assignment { lhs, rhs } => {
                        let stays = stays.holds(program, lhs, rhs);
                        let adjoint = assignment::adjoint(&mut still, lhs, rhs, stays).ok();
                        adjoint.map(|adjoint| sight.assignment(s, (lhs, rhs), adjoint, stays))
                    }
                    StmtKind::Propagator(list) => Some(sight.propagation(s, sequences::propagated(&mut still, list))),
                    _ => None,
                };
                done.extend(finished.filter(|_| !still.moved.get()).map(|f| (*id, f)));
            }
            done
        });
        Ahead::of(made)
    }
}
