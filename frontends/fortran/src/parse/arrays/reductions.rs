//! SUM, PRODUCT, MAXVAL, MINVAL, COUNT, ANY and ALL as loops: with DIM, with MASK, of any rank.
//!
//! Lives here: the loops of reductions. Never here: those that the model has an operation for (see `intrinsics`).

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, at, combine, op, type_text};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// A reduction over all dimensions or one, where a mask holds.
    pub fn reduction(&mut self, name: &str, a: Val, dim: Option<usize>, mask: Option<Val>, node: Node<'t>) -> Lowered<Val> {
        self.needs_graph(node)?;
        let counts = name == "count";
        let truth = matches!(name, "any" | "all");
        if counts || truth {
            self.logical(&a, node)?;
        } else {
            self.numeric(&a, node)?;
        }
        if let Some(m) = &mask {
            self.logical(m, node)?;
            if m.rank > 0 && m.rank != a.rank {
                return Err(self.refuse(node, "OB3043", format!("array and mask of `{name}` have different ranks")));
            }
        }
        let ty = if counts { ElemType::INTEGER } else { a.ty };
        let a = self.elements(a, name, node)?;
        let mask = match mask {
            Some(m) => Some(self.elements(m, "mask", node)?),
            None => None,
        };
        let dims = self.known_extents(&a, node)?;
        if dim.is_some_and(|d| d == 0 || d > dims.len()) {
            return Err(self.refuse(node, "OB3043", format!("`{name}` over a dimension that is not there")));
        }
        let over = dim.filter(|_| dims.len() > 1).map(|d| d - 1);
        let kept: Vec<(Expr, Expr)> = match over {
            Some(d) => dims.iter().enumerate().filter(|(k, _)| *k != d).map(|(_, b)| b.clone()).collect(),
            None => Vec::new(),
        };
        let reduced: Vec<(Expr, Expr)> = match over {
            Some(d) => vec![dims[d].clone()],
            None => dims.clone(),
        };
        let t = if kept.is_empty() {
            self.temp(name, ty, &type_text(ty), Vec::new(), false, self.file().span(node))
        } else {
            self.fresh_array(name, ty, kept.clone(), node)
        };
        let outer = self.open_nest(&kept, node);
        let target = if kept.is_empty() { VarRef::whole(t) } else { at(t, &outer) };
        let so_far = Expr::var(target.clone());
        let number = |v: f64, i: i64| if ty.base == BaseType::Integer { Expr::int(i) } else { Expr::real(v, ty.bits) };
        let start = match name {
            "product" => number(1.0, 1),
            "maxval" => op("minus_scal", "", None, [op("huge", "", None, [number(1.0, 1)])]),
            "minval" => op("huge", "", None, [number(1.0, 1)]),
            "any" => Expr::bool(false),
            "all" => Expr::bool(true),
            _ => number(0.0, 0),
        };
        self.emit(StmtKind::Assignment { lhs: target.clone(), rhs: start }, node, true);
        let inner = self.open_nest(&reduced, node);
        let mut indices = outer.clone();
        match over {
            Some(d) => indices.insert(d, inner[0]),
            None => indices.clone_from(&inner),
        }
        let e = self.element(&a, &indices, node)?;
        let mut tests = 0;
        if let Some(m) = &mask {
            let m = self.element(m, &indices, node)?;
            self.open_test(m);
            tests += 1;
        }
        let rhs = match name {
            "product" => op("mul_scal_scal", "", None, [so_far, e]),
            "any" => combine(NodeKind::Bool(BoolOp::Or), [so_far, e]),
            "all" => combine(NodeKind::Bool(BoolOp::And), [so_far, e]),
            "count" => {
                self.open_test(e);
                tests += 1;
                op("add_scal_scal", "", None, [so_far, Expr::int(1)])
            }
            "maxval" | "minval" => {
                let relation = if name == "maxval" { BoolOp::GreaterThan } else { BoolOp::LessThan };
                self.open_test(combine(NodeKind::Bool(relation), [e.clone(), so_far]));
                tests += 1;
                e
            }
            _ => op("add_scal_scal", "", None, [so_far, e]),
        };
        self.emit(StmtKind::Assignment { lhs: target, rhs }, node, true);
        for _ in 0..tests {
            self.close_test();
        }
        self.close_nest(inner);
        self.close_nest(outer);
        Ok(Val::new(Expr::sym(t), ty, kept.len() as u8))
    }
}
