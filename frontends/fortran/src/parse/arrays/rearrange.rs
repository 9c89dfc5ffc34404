//! SPREAD, RESHAPE, CSHIFT and EOSHIFT as loops that copy elements.
//!
//! Lives here: which element goes where. Never here: arithmetic on elements.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Extents, Val, at, combine, int_op, op, type_text};
use crate::parse::text::tree::named;
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Refuses other than numbers and truth values, and places where no loop can stand.
    pub fn copyable(&self, v: &Val, name: &str, node: Node<'t>) -> Lowered<()> {
        match v.ty.base {
            BaseType::Real | BaseType::Integer | BaseType::Bool => self.needs_graph(node),
            _ => Err(self.refuse(node, "OB3031", format!("`{name}` of other than numbers and truth values"))),
        }
    }

    /// SPREAD: copies along a new dimension.
    pub fn spread(&mut self, source: Val, dim: i64, copies: Val, node: Node<'t>) -> Lowered<Val> {
        self.copyable(&source, "spread", node)?;
        if dim < 1 || dim > i64::from(source.rank) + 1 || copies.rank > 0 || copies.ty.base != BaseType::Integer {
            return Err(self.refuse(node, "OB3043", "`spread` along a dimension that is not there"));
        }
        let source = self.elements(source, "spread", node)?;
        let mut dims = if source.rank == 0 { Vec::new() } else { self.known_extents(&source, node)? };
        let n = self.in_variable("copies", copies.clone(), node);
        dims.insert(dim as usize - 1, (Expr::int(1), n));
        let t = self.fresh_array("spread", source.ty, dims.clone(), node);
        let indices = self.open_nest(&dims, node);
        let mut from = indices.clone();
        from.remove(dim as usize - 1);
        let rhs = self.element(&source, &from, node)?;
        self.emit(StmtKind::Assignment { lhs: at(t, &indices), rhs }, node, true);
        self.close_nest(indices);
        Ok(Val::new(Expr::sym(t), source.ty, source.rank + 1))
    }

    /// The permutation that an ORDER argument gives, counted from zero.
    pub fn order_of(&mut self, order: Node<'t>) -> Lowered<Vec<usize>> {
        let items = if order.kind() == "array_literal" { named(order) } else { Vec::new() };
        let places: Option<Vec<usize>> =
            items.iter().map(|i| self.const_int(*i).and_then(|k| usize::try_from(k).ok()?.checked_sub(1))).collect();
        let permutes = |p: &Vec<usize>| !p.is_empty() && (0..p.len()).all(|k| p.contains(&k));
        places.filter(permutes).ok_or_else(|| self.refuse(order, "OB3031", "`reshape` with an ORDER that is no list of constants"))
    }

    /// RESHAPE: element order is kept, the subscripts in `order` varying fastest first; what is missing comes from `pad`, again and again.
    pub fn reshape(&mut self, source: Val, shape: Node<'t>, pad: Option<Val>, order: Option<Vec<usize>>, node: Node<'t>) -> Lowered<Val> {
        self.copyable(&source, "reshape", node)?;
        let dims = self.shape_of(shape)?;
        if source.rank == 0 || pad.as_ref().is_some_and(|p| p.rank == 0 || p.ty != source.ty) {
            return Err(self.refuse(node, "OB3043", "`reshape` needs arrays of one type"));
        }
        if order.as_ref().is_some_and(|o| o.len() != dims.len()) {
            return Err(self.refuse(node, "OB3043", "ORDER and SHAPE of `reshape` have different lengths"));
        }
        let ty = source.ty;
        let vector = self.as_vector(source, "reshape", node)?;
        let pad = match pad {
            Some(p) => Some(self.as_vector(p, "pad", node)?),
            None => None,
        };
        let sizes = match &pad {
            Some(p) => {
                let (n, more) = (self.known_extents(&vector, node)?, self.known_extents(p, node)?);
                Some((n[0].1.clone(), more[0].1.clone()))
            }
            None => None,
        };
        let t = self.fresh_array("reshape", ty, dims.clone(), node);
        let indices = self.open_nest(&dims, node);
        let place = match order {
            Some(o) => {
                let turned: Vec<SymbolId> = o.iter().map(|&k| indices[k]).collect();
                let extents: Vec<(Expr, Expr)> = o.iter().map(|&k| dims[k].clone()).collect();
                linear(&turned, &extents)
            }
            None => linear(&indices, &dims),
        };
        let unknown = |l: &Self| l.refuse(node, "OB3037", "the elements of this array expression are not known");
        let lhs = at(t, &indices);
        let place = if pad.is_some() { self.in_variable("place", Val::new(place, ElemType::INTEGER, 0), node) } else { place };
        if let (Some(p), Some((n, more))) = (&pad, &sizes) {
            let behind = int_op("sub_scal_scal", int_op("sub_scal_scal", place.clone(), n.clone()), Expr::int(1));
            let again = int_op("add_scal_scal", op("modulo_scal_scal", "modulo", None, [behind, more.clone()]), Expr::int(1));
            let rhs = self.element_at(&p.e, &[again]).ok_or_else(|| unknown(self))?;
            self.emit(StmtKind::Assignment { lhs: lhs.clone(), rhs }, node, true);
            self.open_test(combine(NodeKind::Bool(BoolOp::LessOrEqual), [place.clone(), n.clone()]));
        }
        let rhs = self.element_at(&vector.e, &[place]).ok_or_else(|| unknown(self))?;
        self.emit(StmtKind::Assignment { lhs, rhs }, node, true);
        if pad.is_some() {
            self.close_test();
        }
        self.close_nest(indices);
        Ok(Val::new(Expr::sym(t), ty, dims.len() as u8))
    }

    /// The elements of an array in memory order, each of which can be named.
    fn as_vector(&mut self, a: Val, stem: &str, node: Node<'t>) -> Lowered<Val> {
        let a = self.elements(a, stem, node)?;
        if a.rank == 1 { Ok(a) } else { self.flattened(&a, node) }
    }

    /// All elements in memory order.
    pub fn flattened(&mut self, source: &Val, node: Node<'t>) -> Lowered<Val> {
        let dims = self.known_extents(source, node)?;
        let mut size = Expr::int(1);
        for (_, n) in &dims {
            size = if size.as_int() == Some(1) { n.clone() } else { product(size, n.clone()) };
        }
        let t = self.fresh_array("vector", source.ty, vec![(Expr::int(1), size)], node);
        let indices = self.open_nest(&dims, node);
        let rhs = self.element(source, &indices, node)?;
        let lhs = VarRef::element(t, [linear(&indices, &dims)]);
        self.emit(StmtKind::Assignment { lhs, rhs }, node, true);
        self.close_nest(indices);
        Ok(Val::new(Expr::sym(t), source.ty, 1))
    }

    /// The bounds that a SHAPE argument gives: a constructor of scalars, or `shape(x)`.
    fn shape_of(&mut self, shape: Node<'t>) -> Lowered<Extents> {
        if shape.kind() == "array_literal" {
            let mut dims = Vec::new();
            for item in named(shape) {
                let v = self.expr(item)?;
                if v.ty.base != BaseType::Integer || v.rank > 0 {
                    return Err(self.refuse(item, "OB3031", "`reshape` to a shape that is no list of integers"));
                }
                let n = self.in_variable("extent", v, item);
                dims.push((Expr::int(1), n));
            }
            return Ok(dims);
        }
        let parts = named(shape);
        if let [callee, list] = parts[..]
            && callee.kind() == "identifier"
            && self.lower(callee) == "shape"
            && self.means_intrinsic("shape")
            && let [of] = named(list)[..]
        {
            let v = self.expr(of)?;
            return self.known_extents(&v, of);
        }
        let mut d = *self.refuse(shape, "OB3031", "`reshape` to a shape that is only known when the program runs");
        d.help = Some("write the shape as `[n, m]`".into());
        Err(Box::new(d))
    }

    /// CSHIFT, and EOSHIFT with zeros or one other value coming in.
    pub fn shift(&mut self, name: &str, a: Val, by: Val, dim: usize, boundary: Option<Val>, node: Node<'t>) -> Lowered<Val> {
        self.copyable(&a, name, node)?;
        if by.rank > 0 || by.ty.base != BaseType::Integer || dim == 0 || dim > a.rank as usize {
            let mut d = *self.refuse(node, "OB3031", format!("`{name}` by several distances or over a dimension that is not there"));
            d.help = Some("write it as loops over elements".into());
            return Err(Box::new(d));
        }
        if boundary.as_ref().is_some_and(|b| b.rank > 0 || b.ty != a.ty) {
            return Err(self.refuse(node, "OB3031", "`eoshift` with a boundary that is no scalar of the array's type"));
        }
        let boundary = match boundary {
            Some(b) if b.e.as_constant().is_none() => {
                let t = self.temp("boundary", b.ty, &type_text(b.ty), Vec::new(), false, self.file().span(node));
                self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: b.e }, node, true);
                Some(Expr::sym(t))
            }
            other => other.map(|b| b.e),
        };
        let a = self.elements(a, name, node)?;
        let dims = self.known_extents(&a, node)?;
        let by = self.in_variable("shift", by, node);
        let t = self.fresh_array(name, a.ty, dims.clone(), node);
        let zero = match a.ty.base {
            _ if boundary.is_some() => boundary.unwrap_or_default(),
            BaseType::Integer => Expr::int(0),
            BaseType::Bool => Expr::bool(false),
            _ => Expr::real(0.0, a.ty.bits),
        };
        // Where the distance is known, so is what stays.
        let distance = by.as_int().filter(|_| name == "eoshift");
        let mut dims = dims;
        let n = dims[dim - 1].1.clone();
        if let Some(s) = distance {
            let all = self.open_nest(&dims, node);
            self.emit(StmtKind::Assignment { lhs: at(t, &all), rhs: zero.clone() }, node, true);
            self.close_nest(all);
            let last = match n.as_int() {
                Some(n) => Expr::int(n.saturating_sub(s.max(0))),
                None if s > 0 => int_op("sub_scal_scal", n.clone(), Expr::int(s)),
                None => n.clone(),
            };
            let first = 1i64.saturating_sub(s.min(0));
            if last.as_int().is_some_and(|l| l < first) {
                // Nothing stays.
                return Ok(Val::new(Expr::sym(t), a.ty, a.rank));
            }
            dims[dim - 1] = (Expr::int(first), last);
        }
        let indices = self.open_nest(&dims, node);
        let mut from: Vec<Expr> = indices.iter().map(|&i| Expr::sym(i)).collect();
        let moved = match distance {
            Some(s) if s < 0 => int_op("sub_scal_scal", from[dim - 1].clone(), Expr::int(-s)),
            _ => int_op("add_scal_scal", from[dim - 1].clone(), by),
        };
        from[dim - 1] = if name == "cshift" {
            let zero_based = int_op("sub_scal_scal", moved.clone(), Expr::int(1));
            int_op("add_scal_scal", op("modulo_scal_scal", "modulo", None, [zero_based, n.clone()]), Expr::int(1))
        } else {
            moved.clone()
        };
        let unknown = |l: &Self| l.refuse(node, "OB3037", "the elements of this array expression are not known");
        let rhs = self.element_at(&a.e, &from).ok_or_else(|| unknown(self))?;
        let lhs = at(t, &indices);
        if name == "cshift" || distance.is_some() {
            self.emit(StmtKind::Assignment { lhs, rhs }, node, true);
        } else {
            self.emit(StmtKind::Assignment { lhs: lhs.clone(), rhs: zero }, node, true);
            let relation = |o, x, y| combine(NodeKind::Bool(o), [x, y]);
            self.open_test(relation(
                BoolOp::And,
                relation(BoolOp::GreaterOrEqual, moved.clone(), Expr::int(1)),
                relation(BoolOp::LessOrEqual, moved, n),
            ));
            self.emit(StmtKind::Assignment { lhs, rhs }, node, true);
            self.close_test();
        }
        self.close_nest(indices);
        Ok(Val::new(Expr::sym(t), a.ty, a.rank))
    }
}

fn product(a: Expr, b: Expr) -> Expr {
    match (a.as_int(), b.as_int()) {
        (Some(x), Some(y)) if x.checked_mul(y).is_some() => Expr::int(x * y),
        _ => int_op("mul_scal_scal", a, b),
    }
}

/// The place of an element in memory order, counted from one.
fn linear(indices: &[SymbolId], dims: &[(Expr, Expr)]) -> Expr {
    let mut place: Option<Expr> = None;
    for (k, &i) in indices.iter().enumerate().rev() {
        place = Some(match place {
            None => Expr::sym(i),
            Some(p) => {
                let rows = int_op("sub_scal_scal", p, Expr::int(1));
                int_op("add_scal_scal", Expr::sym(i), product(dims[k].1.clone(), rows))
            }
        });
    }
    place.unwrap_or_else(|| Expr::int(1))
}
