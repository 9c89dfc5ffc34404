//! Adjoints of assignments made on all processors before the unit is walked through.
//!
//! The adjoint of most assignments asks for nothing that changes the unit; those that do (a temporary, say) are left to the walk, which makes
//! them in order, so that names and numbers are the same however many processors there are.
//!
//! Lives here: which adjoints can be made like that. Never here: how an adjoint is made.

use super::statements::{self, Surroundings};
use super::tree::{Item, for_each_stmt};
use super::unit::Maker;
use crate::transform::adjoint::sequences;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use xaif::Program;
use xaif::catalogue::Catalogue;
use xaif::model::{ElemType, Stmt, StmtKind, Symbol, SymbolId, VarRef};
use xaif::spread;

/// So many assignments are worth being done by somebody else.
const PIECE: usize = 256;

/// Finished adjoints, by the address of their statement.
pub(super) type Ahead = FxHashMap<usize, Vec<Item>>;

/// What tells statements apart while nobody moves them.
pub(super) fn address(stmt: &Stmt) -> usize {
    std::ptr::from_ref(stmt) as usize
}

/// A unit that nothing can be asked of but facts.
struct Still<'a> {
    program: &'a Program,
    catalogue: &'a Catalogue,
    companions: &'a FxHashMap<SymbolId, SymbolId>,
    sharing: &'a FxHashMap<SymbolId, Vec<SymbolId>>,
    written: &'a super::flow::Places,
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
    /// The adjoints of assignments in some code that can be made beforehand, where that pays.
    pub(super) fn ahead(&self, items: &[Item]) -> Ahead {
        let mut all: Vec<&Stmt> = Vec::new();
        for_each_stmt(items, &mut |s| {
            if matches!(s.kind, StmtKind::Assignment { .. }) {
                all.push(s);
            }
        });
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
        let (stays, program) = (&self.stays, &*self.program);
        let made = spread::over(work, |(piece, mut still)| {
            let mut done = Vec::with_capacity(piece.len());
            for s in piece {
                let StmtKind::Assignment { lhs, rhs } = &s.kind else { continue };
                if sequences::has_no_adjoint(lhs) {
                    continue;
                }
                still.moved.set(false);
                // What is refused is refused in order.
                let adjoint = statements::adjoint(&mut still, lhs, rhs, stays.holds(program, lhs, rhs));
                done.extend(adjoint.ok().filter(|_| !still.moved.get()).map(|a| (address(s), a)));
            }
            done
        });
        let mut ahead = Ahead::default();
        ahead.reserve(all.len());
        made.into_iter().for_each(|part| ahead.extend(part));
        ahead
    }
}
