//! MAXLOC, MINLOC and FINDLOC as loops: with DIM, with MASK, of any rank.
//!
//! Lives here: these loops. Never here: MAXLOC and MINLOC of a whole array, for which the model has operations (see `intrinsics`).

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, at, combine, type_text};
use tree_sitter::Node;
use xaif::model::*;

/// What is looked for.
pub enum Sought {
    /// The first one of the largest elements.
    Largest,
    /// The first one of the smallest.
    Smallest,
    /// The first element that is equal to a value.
    Equal(Val),
}

/// Whether an element is the one that is sought, as far as one has come: none was found yet, or it is better than the one so far.
fn comes_first(sought: &Sought, place: Expr, e: Expr, other: Option<Expr>) -> Expr {
    let relation = |o, x, y| combine(NodeKind::Bool(o), [x, y]);
    let none_yet = relation(BoolOp::Equal, place, Expr::int(0));
    let Some(other) = other else { return none_yet };
    match sought {
        Sought::Largest => relation(BoolOp::Or, none_yet, relation(BoolOp::GreaterThan, e, other)),
        Sought::Smallest => relation(BoolOp::Or, none_yet, relation(BoolOp::LessThan, e, other)),
        Sought::Equal(_) => relation(BoolOp::And, none_yet, relation(BoolOp::Equal, e, other)),
    }
}

impl<'t> Lower<'t> {
    /// Refuses arguments that do not fit.
    fn locatable(&self, sought: &Sought, a: &Val, dim: Option<usize>, mask: Option<&Val>, node: Node<'t>) -> Lowered<()> {
        self.needs_graph(node)?;
        if let Some(m) = mask {
            self.logical(m, node)?;
            if m.rank > 0 && m.rank != a.rank {
                return Err(self.refuse(node, "OB3043", "array and mask have different ranks"));
            }
        }
        if matches!(sought, Sought::Equal(v) if v.rank > 0) {
            return Err(self.refuse(node, "OB3043", "`findloc` of other than a scalar"));
        }
        if dim.is_some_and(|d| d == 0 || d > usize::from(a.rank)) {
            return Err(self.refuse(node, "OB3043", "a dimension that is not there"));
        }
        Ok(())
    }

    /// The place of an element, counted from one in each dimension; zero where there is none. With a dimension the place in that, for each place in the others.
    pub fn location(&mut self, sought: Sought, a: Val, dim: Option<usize>, mask: Option<Val>, node: Node<'t>) -> Lowered<Val> {
        self.locatable(&sought, &a, dim, mask.as_ref(), node)?;
        let a = self.elements(a, "array", node)?;
        let mask = match mask {
            Some(m) => Some(self.elements(m, "mask", node)?),
            None => None,
        };
        let value = match &sought {
            Sought::Equal(v) => Some(self.in_variable("value", v.clone(), node)),
            _ => None,
        };
        let dims = self.known_extents(&a, node)?;
        let span = self.file().span(node);
        // Where the place goes: a scalar, the others' places, or a vector of all places.
        let kept: Vec<(Expr, Expr)> =
            dims.iter().enumerate().filter(|(k, _)| dim.is_some_and(|d| d != k + 1)).map(|(_, b)| b.clone()).collect();
        let all = dim.is_none();
        let place = match (all, kept.is_empty()) {
            (true, _) => {
                let n = Expr::int(dims.len() as i64);
                self.fresh_array("place", ElemType::INTEGER, vec![(Expr::int(1), n)], node)
            }
            (false, true) => self.temp("place", ElemType::INTEGER, "integer", Vec::new(), false, span),
            _ => self.fresh_array("place", ElemType::INTEGER, kept.clone(), node),
        };
        let best = match (&value, kept.is_empty()) {
            (Some(_), _) => None,
            (None, true) => Some(self.temp("best", a.ty, &type_text(a.ty), Vec::new(), false, span)),
            (None, false) => Some(self.fresh_array("best", a.ty, kept.clone(), node)),
        };
        let target = |s: SymbolId, outer: &[SymbolId]| if kept.is_empty() { VarRef::whole(s) } else { at(s, outer) };
        let places = |k: usize, outer: &[SymbolId]| match all {
            true => VarRef::element(place, [Expr::int(k as i64 + 1)]),
            false => target(place, outer),
        };
        let outer = self.open_nest(&kept, node);
        let ranks = if all { dims.len() } else { 1 };
        for k in 0..ranks {
            self.emit(StmtKind::Assignment { lhs: places(k, &outer), rhs: Expr::int(0) }, node, true);
        }
        if let Some(b) = best {
            let zero = if a.ty.base == BaseType::Integer { Expr::int(0) } else { Expr::real(0.0, a.ty.bits) };
            self.emit(StmtKind::Assignment { lhs: target(b, &outer), rhs: zero }, node, true);
        }
        let inner_dims: Vec<(Expr, Expr)> = match dim {
            Some(d) => vec![dims[d - 1].clone()],
            None => dims.clone(),
        };
        let inner = self.open_nest(&inner_dims, node);
        let mut indices = outer.clone();
        match dim {
            Some(d) => indices.insert(d - 1, inner[0]),
            None => indices.clone_from(&inner),
        }
        let e = self.element(&a, &indices, node)?;
        let best_so_far = best.map(|b| Expr::var(target(b, &outer)));
        let test = comes_first(&sought, Expr::var(places(0, &outer)), e.clone(), best_so_far.or(value));
        let mut tests = Vec::new();
        if let Some(m) = &mask {
            tests.push(self.element(m, &indices, node)?);
        }
        tests.push(test);
        let count = tests.len();
        tests.into_iter().for_each(|t| self.open_test(t));
        if let Some(b) = best {
            self.emit(StmtKind::Assignment { lhs: target(b, &outer), rhs: e }, node, true);
        }
        let found = if all { &indices } else { &inner };
        for (k, &index) in found.iter().enumerate() {
            self.emit(StmtKind::Assignment { lhs: places(k, &outer), rhs: Expr::sym(index) }, node, true);
        }
        (0..count).for_each(|_| self.close_test());
        self.close_nest(inner);
        self.close_nest(outer);
        let rank = if all { 1 } else { kept.len() as u8 };
        Ok(Val::new(Expr::sym(place), ElemType::INTEGER, rank))
    }
}
