//! What is known of the variables of the code that is walked over.
//!
//! Lives here: which arrays stores may be put off for, and who looks at them. Never here: the stores.

use crate::linearize::fold;
use crate::transform::adjoint::code::mentions::in_stmt;
use crate::transform::adjoint::code::tree;
use crate::transform::adjoint::code::tree::{Item, ItemKind};
use crate::transform::adjoint::variables::resized::Resized;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{MarkerClass, StmtKind, Storage, SymbolId};

/// What is known of variables.
pub(crate) struct Arrays<'a> {
    /// The program.
    pub program: &'a Program,
    /// Arrays whose bounds are not fixed.
    pub resized: &'a Resized,
    /// Adjoint arrays.
    pub adjoints: &'a FxHashSet<SymbolId>,
    /// Arrays of the original that nobody outside of the unit sees.
    pub originals: &'a FxHashSet<SymbolId>,
    /// Arrays for what is recorded.
    pub tapes: &'a FxHashSet<SymbolId>,
    /// Scalars that are whole numbers and share memory with nothing else.
    pub numbers: &'a FxHashSet<SymbolId>,
    /// For indices of loops other variables that may be used in their place.
    pub indices: &'a FxHashMap<SymbolId, SymbolId>,
}

impl Arrays<'_> {
    /// Whether an array is among them.
    pub fn has(&self, s: SymbolId) -> bool {
        self.adjoints.contains(&s) || self.originals.contains(&s) || self.tapes.contains(&s)
    }

    /// Arrays whose values code reads or writes.
    pub(super) fn looked_at(&self, items: &[Item], visit: &mut dyn FnMut(SymbolId)) {
        let mut see = |s: SymbolId| {
            if self.has(s) {
                visit(s);
            }
        };
        tree::for_each_condition(items, &mut |c| self.resized.values(c, &mut |r| see(r.symbol)));
        tree::for_each_stmt(items, &mut |s| match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                lhs.index_exprs().chain([rhs]).for_each(|e| self.resized.values(e, &mut |r| see(r.symbol)));
                see(lhs.symbol);
            }
            StmtKind::Marker(m) if matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) => {}
            _ => in_stmt(s, &mut see),
        });
    }

    /// The last of some items at which the values of each array are read or written.
    pub(super) fn last_looked_at(&self, items: &[Item], last: &mut FxHashMap<SymbolId, usize>) {
        for (k, item) in items.iter().enumerate() {
            self.looked_at(std::slice::from_ref(item), &mut |s| {
                last.insert(s, k);
            });
        }
    }

    /// Which arrays are zero as a whole behind a plain statement.
    pub(super) fn follow(&self, item: &Item, zero: &mut FxHashSet<SymbolId>) {
        let ItemKind::Stmt(s) = &item.kind else { return };
        match &s.kind {
            StmtKind::Assignment { lhs, rhs } if lhs.subscripts.is_empty() && fold::number(rhs) == Some(0.0) && self.has(lhs.symbol) => {
                zero.insert(lhs.symbol);
            }
            StmtKind::Assignment { lhs, .. } => {
                zero.remove(&lhs.symbol);
            }
            _ => in_stmt(s, &mut |v| {
                zero.remove(&v);
            }),
        }
    }

    /// Nobody sees the array when the unit is done.
    pub(super) fn ends(&self, s: SymbolId) -> bool {
        *self.program.symbol(s).storage() == Storage::Local
    }
}
