//! Extents of array values, and temporary arrays with them.
//!
//! Lives here: how large a value is. Never here: what it is.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, int_op, length, op, type_text};
use tree_sitter::Node;
use xaif::catalogue::{Catalogue, ResultShape};
use xaif::model::*;

impl<'t> Lower<'t> {
    /// A temporary array; allocated here and freed behind the statement unless its bounds are the same throughout the procedure.
    pub fn array_temp(&mut self, stem: &str, ty: ElemType, dims: Vec<(Expr, Expr)>, node: Node<'t>) -> SymbolId {
        let constant = dims.iter().all(|(l, u)| self.is_settled(l) && self.is_settled(u));
        let span = self.file().span(node);
        let declared = dims.iter().map(|(l, u)| match constant {
            true => Dim { lower: Bound::Expr(l.clone()), upper: Bound::Expr(u.clone()) },
            false => Dim::default(),
        });
        let declared = declared.collect();
        let symbol = self.temp(stem, ty, &type_text(ty), declared, !constant, span);
        if !constant {
            let name = self.p.symbol(symbol).name.clone();
            let mut object = VarRef::whole(symbol);
            object.subscripts = dims.into_iter().map(|(l, u)| Triplet { index: Some(l), bound: Some(u), stride: None }).collect();
            let mut reads = Vec::new();
            for e in object.index_exprs() {
                e.for_each_ref(&mut |r| reads.push(r.symbol));
            }
            reads.sort_unstable();
            reads.dedup();
            let marker = Marker {
                class: MarkerClass::Allocate,
                text: format!("allocate({name})"),
                object: Some(object),
                reads,
                writes: vec![symbol],
                ..Marker::default()
            };
            self.emit(StmtKind::Marker(Box::new(marker)), node, true);
            let text = format!("deallocate({name})");
            let marker = Marker {
                class: MarkerClass::Deallocate,
                text: text.clone(),
                object: Some(VarRef::whole(symbol)),
                writes: vec![symbol],
                ..Marker::default()
            };
            let mut s = Stmt::new(StmtKind::Marker(Box::new(marker)));
            (s.span, s.line, s.text) = (span, span.line, text.into());
            self.cur.after.push(s);
        }
        symbol
    }

    /// Whether a bound is made of constants and of integers that the procedure only reads.
    fn is_settled(&self, e: &Expr) -> bool {
        let plain = |s: SymbolId| self.p.symbol(s).rank == 0 && !self.p.symbol(s).has_attribute("optional");
        e.nodes.iter().all(|n| !matches!(n.kind, NodeKind::FunctionCall(_)))
            && e.every_ref(&|r| r.subscripts.is_empty() && plain(r.symbol) && self.is_declared_input(r.symbol))
    }

    /// The bounds 1:n of each dimension of an array expression.
    pub fn extents(&self, e: &Expr, at: NodeId, depth: usize) -> Option<Vec<(Expr, Expr)>> {
        if depth > 100 {
            return None;
        }
        let node = e.node_at(at);
        // Scalars among the operands have no extents.
        let arrays = || node.operands.iter().find_map(|&n| self.extents(e, n, depth + 1).filter(|d| !d.is_empty()));
        match &node.kind {
            NodeKind::Var(r) => self.extents_of_reference(r, depth),
            NodeKind::Op(o) => {
                let shape = Catalogue::builtin().get(&o.name).map(|i| i.shape)?;
                let first = |i: usize| node.operands.get(i).and_then(|&n| self.extents(e, n, depth + 1));
                match shape {
                    ResultShape::Scalar => None,
                    ResultShape::Elementwise => arrays(),
                    ResultShape::Special => match o.name.as_str() {
                        "transpose_arr" => first(0).map(|mut d| {
                            d.reverse();
                            d
                        }),
                        "matmul_arr" => {
                            let (mut a, mut b) = (first(0)?, first(1)?);
                            a.pop();
                            b.remove(0);
                            a.extend(b);
                            Some(a)
                        }
                        _ => None,
                    },
                }
            }
            NodeKind::Bool(_) => arrays(),
            _ => None,
        }
    }

    /// The same of a variable, an element or a section.
    fn extents_of_reference(&self, r: &VarRef, depth: usize) -> Option<Vec<(Expr, Expr)>> {
        let s = self.p.symbol(r.symbol);
        let dims = s.decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
        let bound = |k: usize, upper: bool| -> Option<Expr> {
            let d = dims.get(k)?;
            match if upper { &d.upper } else { &d.lower } {
                Bound::Expr(e) if e.as_int().is_some() => Some(e.clone()),
                Bound::Unknown if upper && s.passing() == Passing::Reference && !s.has_attribute("allocatable") => None,
                _ => Some(op(if upper { "ubound" } else { "lbound" }, "", None, [Expr::sym(r.symbol), Expr::int(k as i64 + 1)])),
            }
        };
        let extent = |k: usize| -> Option<Expr> {
            if let Some(Dim { lower: Bound::Expr(l), upper: Bound::Expr(u) }) = dims.get(k)
                && l.as_int() == Some(1)
                && self.is_settled(u)
            {
                return Some(u.clone());
            }
            match (bound(k, false)?, bound(k, true)?) {
                (l, u) if l.as_int().is_some() && u.as_int().is_some() => {
                    Some(int_op("add_scal_scal", int_op("sub_scal_scal", u, l), Expr::int(1)))
                }
                _ => Some(op("size", "", None, [Expr::sym(r.symbol), Expr::int(k as i64 + 1)])),
            }
        };
        if r.subscripts.is_empty() {
            return (0..s.rank as usize).map(|k| Some((Expr::int(1), extent(k)?))).collect();
        }
        let mut out = Vec::new();
        for (k, t) in r.subscripts.iter().enumerate() {
            if !t.is_section() {
                if let Some(i) = t.index.as_ref().filter(|i| xaif::types::of(&self.p, i).rank > 0) {
                    out.extend(self.extents(i, i.root_id(), depth + 1)?);
                }
                continue;
            }
            if t.index.is_none() && t.bound.is_none() && t.stride.is_none() {
                out.push((Expr::int(1), extent(k)?));
                continue;
            }
            let lower = t.index.clone().or_else(|| bound(k, false))?;
            let upper = t.bound.clone().or_else(|| bound(k, true))?;
            let stride = t.stride.clone().unwrap_or_else(|| Expr::int(1));
            if stride.as_int() == Some(1) {
                out.push((Expr::int(1), length(lower, upper)));
                continue;
            }
            let n = int_op("add_scal_scal", int_op("sub_scal_scal", upper, lower), stride.clone());
            out.push((Expr::int(1), int_op("div_scal_scal", n, stride)));
        }
        Some(out)
    }

    /// The value of an array expression in a temporary array.
    pub fn array_value(&mut self, stem: &str, v: Val, node: Node<'t>) -> Lowered<SymbolId> {
        let dims = self.known_extents(&v, node)?;
        self.needs_graph(node)?;
        let symbol = self.array_temp(stem, v.ty, dims, node);
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(symbol), rhs: v.e }, node, true);
        Ok(symbol)
    }
}
