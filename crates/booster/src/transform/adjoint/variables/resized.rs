//! Which arrays keep their bounds.
//!
//! `size(a)` is no use of the values of `a`, so `a` need not be recorded for it; and a loop up to it runs as often in both sweeps, unless `a` is
//! allocated anew in between.
//!
//! Lives here: that distinction. Never here: what is done with the facts.

use crate::transform::adjoint::code::expressions::varies;
use crate::transform::adjoint::code::tree::{Item, for_each_stmt};
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{Expr, NodeKind, StmtKind, SymbolId, VarRef};

/// Arrays whose bounds may change while the unit runs. Asking for the bounds of any other array is no use of its values.
#[derive(Debug, Default)]
pub(crate) struct Resized(FxHashSet<SymbolId>);

impl Resized {
    /// Those that are allocated or freed, save those that `stay` from their only allocation on, and those that calls may allocate.
    pub fn of(program: &Program, items: &[Item], stays: &dyn Fn(SymbolId) -> bool) -> Resized {
        let mut found = FxHashSet::default();
        for_each_stmt(items, &mut |s| match &s.kind {
            StmtKind::Marker(m) => found.extend(m.object.iter().map(|o| o.symbol).filter(|&o| !stays(o))),
            StmtKind::Call(c) => {
                let movable = |v: SymbolId| program.symbol(v).has_attribute("allocatable") || program.symbol(v).pointer;
                let whole =
                    c.arguments.iter().filter_map(|a| Some((a.position, a.value.as_var()?))).filter(|(_, r)| r.subscripts.is_empty());
                for (position, r) in whole.filter(|(_, r)| movable(r.symbol)) {
                    let callee = program.units.iter().find(|u| u.symbol == c.callee);
                    let formal = callee.and_then(|u| u.formals.iter().find(|f| f.position == position));
                    if formal.is_none_or(|f| movable(f.symbol)) {
                        found.insert(r.symbol);
                    }
                }
            }
            _ => {}
        });
        Resized(found)
    }

    /// The references whose values an expression reads.
    pub fn values<'a>(&self, e: &'a Expr, visit: &mut dyn FnMut(&'a VarRef)) {
        let mut looked_at = Vec::new();
        for node in &e.nodes {
            if let (NodeKind::Op(op), Some(first)) = (&node.kind, node.operands.first())
                && matches!(op.name.as_str(), "size" | "lbound" | "ubound" | "shape_arr")
                && let NodeKind::Var(r) = &e.nodes[first.index()].kind
                && !self.0.contains(&r.symbol)
            {
                looked_at.push(first.index());
            }
        }
        for (i, node) in e.nodes.iter().enumerate() {
            if let NodeKind::Var(r) = &node.kind {
                r.index_exprs().for_each(|x| self.values(x, visit));
                if !looked_at.contains(&i) {
                    visit(r);
                }
            }
        }
    }

    /// The variables whose values an expression reads, each once.
    pub fn operands(&self, program: &Program, e: &Expr, into: &mut Vec<SymbolId>) {
        self.values(e, &mut |r| {
            if varies(program, r.symbol) && !into.contains(&r.symbol) {
                into.push(r.symbol);
            }
        });
    }

    /// The variables whose values the subscripts of a reference read.
    pub fn subscripts(&self, program: &Program, r: &VarRef, into: &mut Vec<SymbolId>) {
        r.index_exprs().for_each(|e| self.operands(program, e, into));
    }
}
