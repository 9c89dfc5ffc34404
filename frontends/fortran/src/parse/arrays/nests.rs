//! Nests of loops and tests around text that takes whole arrays.
//!
//! Lives here: opening and closing them. Never here: what stands inside.

use crate::parse::context::state::Lower;
use crate::parse::context::terms::{Extents, combine, op};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Opens loops over the bounds, the first dimension innermost; their variables are returned by dimension.
    pub fn open_nest(&mut self, dims: &[(Expr, Expr)], node: Node<'t>) -> Vec<SymbolId> {
        let span = self.file().span(node);
        let mut indices = Vec::new();
        for (lower, upper) in dims.iter().rev() {
            let i = match self.cur.free_indices.pop() {
                Some(i) => i,
                None => self.temp("i", ElemType::INTEGER, "integer", Vec::new(), false, span),
            };
            let assign = |rhs| {
                let mut s = Stmt::assign(VarRef::whole(i), rhs);
                (s.span, s.line) = (span, span.line);
                s
            };
            let head = ForLoop {
                explicit: false,
                init: assign(lower.clone()),
                condition: combine(NodeKind::Bool(BoolOp::LessOrEqual), [Expr::sym(i), upper.clone()]),
                update: assign(op("add_scal_scal", "", None, [Expr::sym(i), Expr::int(1)])),
                counted: true,
            };
            if let Some(g) = &mut self.cur.graph {
                let v = g.begin_for(head);
                g.vertex_mut(v).span = span;
            }
            indices.push(i);
        }
        indices.reverse();
        indices
    }

    /// Closes the loops of a nest; their variables may be used again.
    pub fn close_nest(&mut self, indices: Vec<SymbolId>) {
        for i in indices {
            if let Some(g) = &mut self.cur.graph {
                g.end_loop();
            }
            self.cur.free_indices.push(i);
        }
    }

    /// Begins a branch on a condition.
    pub fn open_test(&mut self, condition: Expr) {
        if let Some(g) = &mut self.cur.graph {
            g.begin_branch(condition);
            g.arm(&[1]);
        }
    }

    /// Ends it.
    pub fn close_test(&mut self) {
        if let Some(g) = &mut self.cur.graph {
            g.end_branch();
        }
    }

    /// An array temporary with bounds `1:n` from now on.
    pub fn fresh_array(&mut self, stem: &str, ty: ElemType, dims: Extents, node: Node<'t>) -> SymbolId {
        let t = self.array_temp(stem, ty, dims, node);
        self.cur.one_based.insert(t);
        t
    }
}
