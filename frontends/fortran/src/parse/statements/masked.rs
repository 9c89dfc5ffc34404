//! WHERE: assignments under a mask.
//!
//! Lives here: the statement and the construct. Never here: assignments without a mask.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, combine, op};
use crate::parse::text::tree::{child, field, named};
use tree_sitter::Node;
use xaif::model::*;

/// WHERE nests no deeper.
const MAX_WHERE: usize = 60;

impl<'t> Lower<'t> {
    /// WHERE: the element where the mask holds gets the new value, any other keeps its own.
    pub fn where_statement(&mut self, node: Node<'t>) -> Lowered<()> {
        self.where_under(node, None, 0)
    }

    /// WHERE in one with that mask, `depth` deep.
    fn where_under(&mut self, node: Node<'t>, outer: Option<(&Expr, u8)>, depth: usize) -> Lowered<()> {
        if depth > MAX_WHERE {
            return Err(self.refuse(node, "OB3005", "constructs nest too deeply"));
        }
        let parts = named(node);
        let Some(mask_node) = parts.iter().copied().find(|c| c.kind() == "parenthesized_expression") else {
            return Err(self.refuse(node, "OB3034", "malformed WHERE"));
        };
        let mask = self.expr(mask_node)?;
        self.logical(&mask, mask_node)?;
        if mask.rank == 0 {
            return Err(self.refuse(mask_node, "OB3043", "the mask of WHERE must be an array"));
        }
        let body: Vec<Node> = parts.iter().copied().filter(|c| is_where_body(c.kind())).collect();
        let clauses: Vec<Node> = parts.iter().copied().filter(|c| c.kind() == "elsewhere_clause").collect();
        // The mask is evaluated once; it needs a variable unless it is used once only.
        let simple = |b: &Node<'t>| b.kind() == "assignment_statement" && !self.calls_units(*b);
        let once = body.len() == 1 && clauses.is_empty() && body.iter().all(simple);
        let mut mask = mask;
        if let Some((around, rank)) = outer {
            if rank != mask.rank {
                return Err(self.refuse(mask_node, "OB3043", "the ranks in WHERE differ"));
            }
            mask.e = combine(NodeKind::Bool(BoolOp::And), [around.clone(), mask.e]);
        }
        if !once {
            let t = self.array_value("mask", mask.clone(), mask_node)?;
            mask.e = Expr::sym(t);
        }
        let mut pending = self.negated(mask.e.clone());
        if let Some((around, _)) = outer {
            pending = combine(NodeKind::Bool(BoolOp::And), [around.clone(), pending]);
        }
        for s in body {
            self.masked(s, &mask.e, mask.rank, depth)?;
        }
        for c in clauses {
            let mut own = pending.clone();
            if let Some(m) = child(c, "parenthesized_expression") {
                let v = self.expr(m)?;
                self.logical(&v, m)?;
                let both = Val::new(combine(NodeKind::Bool(BoolOp::And), [pending.clone(), v.e]), ElemType::BOOL, mask.rank);
                let t = self.array_value("mask", both, m)?;
                own = Expr::sym(t);
                pending = combine(NodeKind::Bool(BoolOp::And), [pending, self.negated(own.clone())]);
            }
            for s in named(c).into_iter().filter(|s| is_where_body(s.kind())) {
                self.masked(s, &own, mask.rank, depth)?;
            }
        }
        Ok(())
    }

    fn masked(&mut self, node: Node<'t>, mask: &Expr, rank: u8, depth: usize) -> Lowered<()> {
        if node.kind() == "where_statement" {
            return self.where_under(node, Some((mask, rank)), depth + 1);
        }
        if node.kind() != "assignment_statement" {
            return Err(self.refuse(node, "OB3034", "only assignments are supported in WHERE"));
        }
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            return Err(self.refuse(node, "OB3034", "malformed assignment"));
        };
        if self.is_complex(left) || self.is_complex(right) {
            let d = self.refuse(node, "OB3021", "complex numbers in WHERE");
            return Err(Box::new(d.help("write it as a loop over elements")));
        }
        let (lhs, ty, r) = self.target(left)?;
        let outer = self.cur.mask.replace(Val::new(mask.clone(), ElemType::BOOL, rank));
        let v = self.expr(right);
        self.cur.mask = outer;
        let v = v?;
        let truth = ty.base == BaseType::Bool;
        if truth {
            self.logical(&v, right)?
        } else {
            self.numeric(&v, right)?
        }
        if r != rank || (v.rank != 0 && v.rank != rank) || !(truth || matches!(ty.base, BaseType::Real | BaseType::Integer)) {
            return Err(self.refuse(node, "OB3043", "the ranks in WHERE differ"));
        }
        let own = Expr::var(lhs.clone());
        // What is not chosen need not have a value yet.
        let v = if truth { v } else { self.converted(v, ty) };
        let rhs = op("select", "merge", None, [mask.clone(), v.e, own]);
        self.emit(StmtKind::Assignment { lhs, rhs }, node, true);
        Ok(())
    }
}

/// What may stand in WHERE.
fn is_where_body(kind: &str) -> bool {
    kind.ends_with("_statement") && kind != "end_where_statement" && kind != "block_label_start_expression" || kind == "subroutine_call"
}
