//! Values that a statement and its tangent both need: computed once.
//!
//! ```text
//! y = x*exp(x)     ->     temp = exp(x)
//!                         yd = temp*xd + x*temp*xd
//!                         y = x*temp
//! ```
//!
//! Only calls of functions are worth it; compilers share arithmetic by themselves, but not what may set an error number. And
//! a long expression is cut into pieces, because its nested derivative would grow with the square of its length. Nothing is
//! moved out of what is evaluated only under a condition.

use super::Writer;
use xaif::model::{BoolOp, ElemType, Expr, Node, NodeId, NodeKind, SymbolId};
use xaif::types;

/// Expressions longer than this are cut.
pub(super) const LONG: usize = 120;
/// Into pieces of at least this length.
const PIECE: usize = 24;

/// For each vertex whether it is evaluated whenever the expression is.
fn always(e: &Expr) -> Vec<bool> {
    let mut out = vec![false; e.nodes.len()];
    if let Some(last) = out.last_mut() {
        *last = true;
    }
    for (i, n) in e.nodes.iter().enumerate().rev() {
        if !out[i] {
            continue;
        }
        let first_only = match &n.kind {
            NodeKind::Bool(BoolOp::And | BoolOp::Or) => true,
            NodeKind::Op(op) => op.name == "select",
            _ => false,
        };
        let count = if first_only { 1 } else { n.operands.len() };
        n.operands.iter().take(count).for_each(|o| out[o.index()] = true);
    }
    out
}

fn is_expensive(n: &Node) -> bool {
    const CHEAP: [&str; 22] = [
        "add_scal_scal",
        "sub_scal_scal",
        "mul_scal_scal",
        "div_scal_scal",
        "minus_scal",
        "plus_scal",
        "select",
        "abs_scal",
        "max_scal_scal",
        "min_scal_scal",
        "real_scal",
        "int_scal",
        "nint_scal",
        "sign_scal_scal",
        "floor_scal",
        "ceil_scal",
        "trunc_scal",
        "round_scal",
        "rint_scal",
        "dim_scal_scal",
        "fma_scal_scal_scal",
        "imag_scal",
    ];
    matches!(&n.kind, NodeKind::Op(op) if !CHEAP.contains(&op.name.as_str()))
}

fn occurs(e: &Expr, what: &Expr) -> bool {
    e.nodes.iter().enumerate().any(|(i, n)| n.kind == what.root().kind && e.subexpr(NodeId(i as u32)) == *what)
}

impl Writer<'_, '_> {
    /// Takes common function values out of an expression and its derivative. Gives the assignments of temporaries.
    pub(super) fn share(&mut self, rhs: &mut Expr, d: &mut Expr) -> Vec<(SymbolId, Expr)> {
        if rhs.nodes.len() > 2 * LONG || d.nodes.len() > 20 * LONG {
            return Vec::new();
        }
        let types = types::of_expr(self.program, rhs);
        let eager = always(rhs);
        let candidates: Vec<(Expr, ElemType)> = rhs
            .nodes
            .iter()
            .enumerate()
            .filter(|(i, n)| eager[*i] && is_expensive(n) && types[*i].rank == 0 && types[*i].elem.is_real())
            .map(|(i, _)| (rhs.subexpr(NodeId(i as u32)), types[i].elem))
            .collect();
        let mut out: Vec<(SymbolId, Expr)> = Vec::new();
        for (mut c, ty) in candidates {
            for (t, value) in &out {
                c = c.replaced(value, &Expr::sym(*t)).unwrap_or(c);
            }
            if c.nodes.len() == 1 || !occurs(d, &c) {
                continue;
            }
            let t = self.shared_temporary(ty, out.len());
            let by = Expr::sym(t);
            for e in [&mut *d, &mut *rhs] {
                if let Some(shorter) = e.replaced(&c, &by) {
                    *e = shorter;
                }
            }
            out.push((t, c));
        }
        out
    }

    /// The k-th temporary of a statement: statements share them.
    fn shared_temporary(&mut self, ty: ElemType, k: usize) -> SymbolId {
        if let Some(&(_, _, s)) = self.temporaries.iter().find(|(t, i, _)| *t == ty && *i == k) {
            return s;
        }
        let s = self.plan.temporary(self.program, self.at, "temp", ty);
        self.temporaries.push((ty, k, s));
        s
    }

    /// Cuts a long expression: gives what is computed first, each with a new variable, and what remains.
    pub(super) fn cut(&mut self, rhs: &Expr) -> (Vec<(SymbolId, Expr)>, Expr) {
        let types = types::of_expr(self.program, rhs);
        let eager = always(rhs);
        let mut pieces: Vec<(SymbolId, Expr)> = Vec::new();
        let mut done: Vec<Expr> = Vec::with_capacity(rhs.nodes.len());
        for (i, n) in rhs.nodes.iter().enumerate() {
            let mut e = Expr::node(n.kind.clone(), n.operands.iter().map(|o| done[o.index()].clone()));
            let last = i + 1 == rhs.nodes.len();
            if !last && e.nodes.len() > PIECE && eager[i] && types[i].rank == 0 && types[i].elem.is_real() {
                let t = self.plan.temporary(self.program, self.at, "part", types[i].elem);
                pieces.push((t, e));
                e = Expr::sym(t);
            }
            done.push(e);
        }
        (pieces, done.pop().unwrap_or_default())
    }
}
