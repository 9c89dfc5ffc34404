//! Arrays element by element: where the model has no operation for whole-array text.
//!
//! Lives here: elements of array expressions. Never here: which statement or function needs them.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Extents, Val, combine, op, shifted, type_text};
use tree_sitter::Node;
use xaif::catalogue::{Catalogue, ResultShape};
use xaif::model::*;

impl<'t> Lower<'t> {
    /// The extents of an array value, or a refusal.
    pub fn known_extents(&self, v: &Val, node: Node<'t>) -> Lowered<Extents> {
        self.extents(&v.e, v.e.root_id(), 0).filter(|d| d.len() == v.rank as usize).ok_or_else(|| {
            let mut d = *self.refuse(node, "OB3037", "the shape of this array expression is not known");
            d.help = Some("assign it to an array first".into());
            Box::new(d)
        })
    }

    /// The value in a form of which [`Lower::element`] can tell single elements: itself, or a temporary array.
    pub fn elements(&mut self, v: Val, stem: &str, node: Node<'t>) -> Lowered<Val> {
        let v = self.with_reductions_before(v, stem, node)?;
        let probe: Vec<Expr> = (0..v.rank).map(|_| Expr::int(1)).collect();
        if v.rank == 0 || self.element_at(&v.e, &probe).is_some() {
            return Ok(v);
        }
        let t = self.array_value(stem, v.clone(), node)?;
        Ok(Val::new(Expr::sym(t), v.ty, v.rank))
    }

    /// The value with the scalars in it that sum up arrays (`a/sqrt(sum(a**2))`) in variables of their own: they are the same for each element.
    fn with_reductions_before(&mut self, v: Val, stem: &str, node: Node<'t>) -> Lowered<Val> {
        let types = xaif::types::of_expr(&self.p, &v.e);
        let rank = |k: usize| types.get(k).map_or(0, |t| t.rank);
        let mut reduces = vec![false; v.e.nodes.len()];
        let mut found: Vec<NodeId> = Vec::new();
        for (k, n) in v.e.nodes.iter().enumerate() {
            let sum = |o: &NodeId| rank(o.index()) == 0 && reduces[o.index()];
            if rank(k) > 0 {
                found.extend(n.operands.iter().filter(|o| sum(o)));
            } else if matches!(n.kind, NodeKind::Op(_)) && n.operands.iter().any(|o| rank(o.index()) > 0 || sum(o)) {
                reduces[k] = true;
            }
        }
        let Some(&at) = found.first() else { return Ok(v) };
        self.needs_graph(node)?;
        let (value, ty) = (v.e.subexpr(at), types[at.index()].elem);
        let t = self.temp(stem, ty, &type_text(ty), Vec::new(), false, self.file().span(node));
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: value.clone() }, node, true);
        match v.e.replaced(&value, &Expr::sym(t)) {
            Some(e) => self.with_reductions_before(Val { e, ..v }, stem, node),
            None => Ok(v),
        }
    }

    /// The element at a position counted from one; a scalar is its own element.
    pub fn element(&self, v: &Val, at: &[SymbolId], node: Node<'t>) -> Lowered<Expr> {
        if v.rank == 0 {
            return Ok(v.e.clone());
        }
        let at: Vec<Expr> = at.iter().map(|&i| Expr::sym(i)).collect();
        self.element_at(&v.e, &at).ok_or_else(|| self.refuse(node, "OB3037", "the elements of this array expression are not known"))
    }

    /// The same for positions that are expressions; `None` where the array has to be computed as a whole first.
    pub fn element_at(&self, e: &Expr, at: &[Expr]) -> Option<Expr> {
        let types = xaif::types::of_expr(&self.p, e);
        let mut by_element = vec![false; e.nodes.len()];
        *by_element.last_mut()? = true;
        for (k, node) in e.nodes.iter().enumerate().rev() {
            if !by_element[k] || types.get(k)?.rank == 0 {
                continue;
            }
            match &node.kind {
                NodeKind::Op(o) if Catalogue::builtin().get(&o.name).map(|i| i.shape) != Some(ResultShape::Elementwise) => return None,
                NodeKind::Op(_) | NodeKind::Bool(_) => {
                    for o in &node.operands {
                        *by_element.get_mut(o.index())? = true;
                    }
                }
                NodeKind::Var(_) => {}
                _ => return None,
            }
        }
        let mut parts: Vec<Expr> = Vec::with_capacity(e.nodes.len());
        for (k, node) in e.nodes.iter().enumerate() {
            let part = match &node.kind {
                NodeKind::Var(r) if by_element[k] && types[k].rank > 0 => self.element_of(r, at)?,
                kind => combine(kind.clone(), node.operands.iter().map(|o| std::mem::take(&mut parts[o.index()])).collect::<Vec<_>>()),
            };
            parts.push(part);
        }
        parts.pop()
    }

    /// The lower bound of a dimension of a variable.
    pub fn first_subscript(&self, symbol: SymbolId, k: usize) -> Option<Expr> {
        if self.cur.one_based.contains(&symbol) {
            return Some(Expr::int(1));
        }
        match &self.p.symbol(symbol).decl.as_ref()?.dims.get(k)?.lower {
            Bound::Expr(e) if e.as_int().is_some() => Some(e.clone()),
            _ => Some(op("lbound", "", None, [Expr::sym(symbol), Expr::int(k as i64 + 1)])),
        }
    }

    /// The element of an array variable or a section of one.
    fn element_of(&self, r: &VarRef, at: &[Expr]) -> Option<Expr> {
        let s = self.p.symbol(r.symbol);
        let lower = |k: usize| self.first_subscript(r.symbol, k);
        let mut out = VarRef::whole(r.symbol);
        let mut at = at.iter();
        if r.subscripts.is_empty() {
            for k in 0..s.rank as usize {
                out.subscripts.push(Triplet::element(shifted(lower(k)?, at.next()?.clone(), None)));
            }
            return Some(Expr::var(out));
        }
        for (k, t) in r.subscripts.iter().enumerate() {
            let index = if t.is_section() {
                let first = match &t.index {
                    Some(e) => e.clone(),
                    None => lower(k)?,
                };
                shifted(first, at.next()?.clone(), t.stride.clone())
            } else {
                let index = t.index.clone()?;
                if xaif::types::of(&self.p, &index).rank > 0 { self.element_at(&index, &[at.next()?.clone()])? } else { index }
            };
            out.subscripts.push(Triplet::element(index));
        }
        Some(Expr::var(out))
    }
}
