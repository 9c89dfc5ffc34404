//! What assignments and linear statements, and their adjoints, read.
//!
//! Lives here: that much of [`Facts`], read off without changing anything, so that it can be done for many statements at the same time. Never here: how adjoints
//! are made, and what other statements read.

use crate::transform::adjoint::code::expressions::varies;
use crate::transform::adjoint::code::mentions;
use crate::transform::adjoint::code::tree;
use crate::transform::adjoint::code::tree::{Item, for_each_condition, for_each_stmt};
use crate::transform::adjoint::facts::effects::Facts;
use crate::transform::adjoint::variables::resized::Resized;
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{Expr, Stmt, StmtKind, SymbolId, VarRef};

/// So many variables are looked up in a table.
const MANY: usize = 16;

/// What must be known of a unit's variables.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a> {
    pub program: &'a Program,
    pub resized: &'a Resized,
    /// Everything that is no variable of the original.
    pub new: &'a FxHashSet<SymbolId>,
    /// Entries of local Jacobians.
    pub entries: &'a FxHashSet<SymbolId>,
}

/// A finished adjoint, and what is read. Constants are left out. Large units have hundreds of thousands of them at a time, so all that is read is in one list.
#[derive(Default)]
pub(crate) struct Finished {
    /// Its code.
    adjoint: Vec<Item>,
    /// [`Facts::reads`], [`Facts::needs`], [`Facts::after`] and [`Facts::spent`].
    symbols: Vec<SymbolId>,
    /// Where the first three of them end.
    ends: [u32; 3],
}

impl Finished {
    fn new(adjoint: Vec<Item>, lists: [&[SymbolId]; 4]) -> Finished {
        let symbols = lists.concat();
        let mut end = 0;
        let ends = [0, 1, 2].map(|k| {
            end += lists[k].len() as u32;
            end
        });
        Finished { adjoint, symbols, ends }
    }

    /// As facts of a statement that writes nothing.
    pub fn facts(self) -> Facts {
        let [reads, needs, after] = self.ends.map(|end| end as usize);
        let list = |from: usize, to: usize| self.symbols[from..to].to_vec();
        Facts {
            reads: list(0, reads),
            needs: list(reads, needs),
            after: list(needs, after),
            spent: list(after, self.symbols.len()),
            adjoint: self.adjoint,
            ..Facts::default()
        }
    }
}

impl Sight<'_> {
    /// Of `lhs = rhs`; `stays`: see [`super::kept_results::Stays::holds`].
    pub fn assignment(&self, stmt: &Stmt, (lhs, rhs): (&VarRef, &Expr), mut adjoint: Vec<Item>, stays: bool) -> Finished {
        let mut needs = self.needs(stmt, &mut adjoint);
        let after: Vec<SymbolId> = if stays { needs.extract_if(.., |s| *s == lhs.symbol).collect() } else { Vec::new() };
        let mut reads = Vec::new();
        self.resized.operands(self.program, rhs, &mut reads);
        self.resized.subscripts(self.program, lhs, &mut reads);
        Finished::new(adjoint, [&reads, &needs, &after, &[]])
    }

    /// Of linear statements between derivatives.
    pub fn propagation(&self, stmt: &Stmt, mut adjoint: Vec<Item>) -> Finished {
        let (spent, needs): (Vec<_>, Vec<_>) = self.needs(stmt, &mut adjoint).into_iter().partition(|s| self.entries.contains(s));
        Finished::new(adjoint, [&[], &needs, &[], &spent])
    }

    /// What an adjoint reads of the original. It says from now on which statement it is the adjoint of: for whoever looks for the place of an error.
    fn needs(&self, stmt: &Stmt, adjoint: &mut [Item]) -> Vec<SymbolId> {
        tree::place(adjoint, stmt);
        self.originals(adjoint)
    }

    /// The variables of the original that some code reads.
    fn originals(&self, items: &[Item]) -> Vec<SymbolId> {
        let mut out: Vec<SymbolId> = Vec::new();
        // Most have a few, which are found faster by looking at all.
        let mut seen = FxHashSet::default();
        let mut add = |s: SymbolId| {
            let known = if out.len() < MANY { out.contains(&s) } else { seen.contains(&s) };
            if known || self.new.contains(&s) || !varies(self.program, s) {
                return;
            }
            out.push(s);
            match out.len() {
                0..MANY => {}
                MANY => seen.extend(out.iter().copied()),
                _ => {
                    seen.insert(s);
                }
            }
        };
        for_each_stmt(items, &mut |s| match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                lhs.index_exprs().chain([rhs]).for_each(|e| self.resized.values(e, &mut |r| add(r.symbol)));
                add(lhs.symbol);
            }
            _ => mentions::in_stmt(s, &mut add),
        });
        for_each_condition(items, &mut |c| self.resized.values(c, &mut |r| add(r.symbol)));
        out
    }
}
