//! SUM, PRODUCT, MAXVAL, MINVAL, COUNT, ANY and ALL as loops: with DIM, with MASK, of any rank.
//!
//! Lives here: the loops of reductions. Never here: those that the model has an operation for (see `intrinsics`).

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, at, combine, op, type_text};
use tree_sitter::Node;
use xaif::model::*;

/// What a reduction starts from.
fn start(name: &str, ty: ElemType) -> Expr {
    let number = |v: f64, i: i64| if ty.base == BaseType::Integer { Expr::int(i) } else { Expr::real(v, ty.bits) };
    match name {
        "product" => number(1.0, 1),
        "maxval" => op("minus_scal", "", None, [op("huge", "", None, [number(1.0, 1)])]),
        "minval" => op("huge", "", None, [number(1.0, 1)]),
        "any" => Expr::bool(false),
        "all" => Expr::bool(true),
        _ => number(0.0, 0),
    }
}

/// What an element makes of the value so far, and the test under which it does.
fn step(name: &str, so_far: Expr, e: Expr) -> (Option<Expr>, Expr) {
    match name {
        "product" => (None, op("mul_scal_scal", "", None, [so_far, e])),
        "any" => (None, combine(NodeKind::Bool(BoolOp::Or), [so_far, e])),
        "all" => (None, combine(NodeKind::Bool(BoolOp::And), [so_far, e])),
        "count" => (Some(e), op("add_scal_scal", "", None, [so_far, Expr::int(1)])),
        "maxval" => (Some(combine(NodeKind::Bool(BoolOp::GreaterThan), [e.clone(), so_far])), e),
        "minval" => (Some(combine(NodeKind::Bool(BoolOp::LessThan), [e.clone(), so_far])), e),
        _ => (None, op("add_scal_scal", "", None, [so_far, e])),
    }
}

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
        self.emit(StmtKind::Assignment { lhs: target.clone(), rhs: start(name, ty) }, node, true);
        let inner = self.open_nest(&reduced, node);
        let mut indices = outer.clone();
        match over {
            Some(d) => indices.insert(d, inner[0]),
            None => indices.clone_from(&inner),
        }
        let e = self.element(&a, &indices, node)?;
        let mut tests = Vec::new();
        if let Some(m) = &mask {
            tests.push(self.element(m, &indices, node)?);
        }
        let (test, rhs) = step(name, so_far, e);
        tests.extend(test);
        let count = tests.len();
        tests.into_iter().for_each(|t| self.open_test(t));
        self.emit(StmtKind::Assignment { lhs: target, rhs }, node, true);
        for _ in 0..count {
            self.close_test();
        }
        self.close_nest(inner);
        self.close_nest(outer);
        Ok(Val::new(Expr::sym(t), ty, kept.len() as u8))
    }
}
