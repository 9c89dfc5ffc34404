//! Shapes of array expressions, and their elements.
//!
//! A shape is a range for each dimension, in the index base of the reference that it was taken from; an element of another
//! reference is found by its distance from the start of the range. Never here: statements.

use super::{Expander, op_name, shape_of, unknown_extent};
use crate::linearize::fold::Fold;
use xaif::Diagnostic;
use xaif::catalogue::ResultShape;
use xaif::model::{Bound, Expr, IndexOrder, NodeKind, Passing, SymbolId, Triplet, VarRef};
use xaif::types;

/// How one dimension is walked: from `lower` to `upper`, which is reached or passed, in steps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    pub lower: Expr,
    pub upper: Expr,
    /// `None`: 1.
    pub stride: Option<Expr>,
}

/// Nesting of transpositions beyond this is refused.
const MAX_DEPTH: usize = 16;

impl Expander<'_, '_, '_> {
    /// Declared lower or upper bound of a dimension, asked for where the declaration does not give it.
    fn declared(&self, symbol: SymbolId, k: usize, upper: bool) -> Result<Expr, Diagnostic> {
        let s = self.program.symbol(symbol);
        let ask = || Expr::op(if upper { "ubound" } else { "lbound" }, [Expr::sym(symbol), Expr::int(k as i64 + 1)]);
        let Some(decl) = &s.decl else {
            // A stock file: bounds stand slowest first, or not at all where the shape comes with the array.
            let at = if self.program.index_order == IndexOrder::Row { Some(k) } else { s.bounds.len().checked_sub(k + 1) };
            let Some(&(l, u)) = at.and_then(|at| s.bounds.get(at)) else { return Ok(ask()) };
            return Ok(Expr::int(if upper { u } else { l }));
        };
        if let Some((l, u)) = self.additions.scratch.allocated.get(&symbol).and_then(|dims| dims.get(k))
            && self.holds_on_entry(l)
            && self.holds_on_entry(u)
        {
            return Ok(if upper { u.clone() } else { l.clone() });
        }
        let described = decl.passing == Passing::Descriptor || decl.attributes.iter().any(|a| a == "allocatable" || a == "pointer");
        match decl.dims.get(k).map(|d| if upper { &d.upper } else { &d.lower }) {
            Some(Bound::Expr(e)) if e.as_constant().is_some() || (!described && self.holds_on_entry(e)) => Ok(e.clone()),
            Some(Bound::Expr(_)) => Ok(ask()),
            _ if described => Ok(ask()),
            _ => Err(unknown_extent(self.program, symbol)),
        }
    }

    /// The ranges of a reference's own dimensions.
    pub(super) fn ranges(&self, r: &VarRef) -> Result<Vec<Range>, Diagnostic> {
        let mut out = Vec::new();
        if r.subscripts.is_empty() {
            for k in 0..self.program.symbol(r.symbol).rank as usize {
                out.push(Range { lower: self.declared(r.symbol, k, false)?, upper: self.declared(r.symbol, k, true)?, stride: None });
            }
            return Ok(out);
        }
        for (k, t) in r.subscripts.iter().enumerate() {
            if t.is_section() {
                out.push(self.section(r.symbol, k, t)?);
            } else if let Some(e) = t.index.as_ref().filter(|e| types::of(self.program, e).rank > 0) {
                out.extend(self.shape(e)?);
            }
        }
        Ok(out)
    }

    fn section(&self, symbol: SymbolId, k: usize, t: &Triplet) -> Result<Range, Diagnostic> {
        // -1 may stand as the negation of 1.
        let stride = t.stride.as_ref().map(|s| match s.root().operands.first() {
            Some(&inner) if op_name(s) == "minus_scal" => Fold { program: self.program }.neg(s.subexpr(inner)),
            _ => s.clone(),
        });
        let t = &Triplet { stride, ..t.clone() };
        // What is left out is the declared bound, whichever way the section runs.
        let lower = match &t.index {
            Some(e) => e.clone(),
            None => self.declared(symbol, k, false)?,
        };
        let upper = match &t.bound {
            Some(e) => e.clone(),
            None => self.declared(symbol, k, true)?,
        };
        Ok(Range { lower, upper, stride: t.stride.clone().filter(|s| s.as_int() != Some(1)) })
    }

    /// The ranges of an expression: those of the first array in it.
    pub(super) fn shape(&self, e: &Expr) -> Result<Vec<Range>, Diagnostic> {
        let types = types::of_expr(self.program, e);
        let mut shapes: Vec<Option<Vec<Range>>> = Vec::with_capacity(e.nodes.len());
        for (i, n) in e.nodes.iter().enumerate() {
            let first = n.operands.iter().find_map(|o| shapes[o.index()].clone());
            shapes.push(if types[i].rank == 0 {
                None
            } else {
                match &n.kind {
                    NodeKind::Var(r) => Some(self.ranges(r)?),
                    NodeKind::Op(op) if op.name == "transpose_arr" => first.map(|mut f| {
                        f.reverse();
                        f
                    }),
                    NodeKind::Op(op) if shape_of(&op.name) != ResultShape::Elementwise => return Err(self.no_form(&op.name)),
                    _ => first,
                }
            });
        }
        shapes.pop().flatten().ok_or_else(|| self.no_form(&op_name(e)))
    }

    /// The element of a reference that corresponds to loop variables over `ranges`.
    pub(super) fn element_ref(&self, r: &VarRef, ranges: &[Range], i: &[Expr]) -> Result<VarRef, Diagnostic> {
        let fold = Fold { program: self.program };
        let own = self.ranges(r)?;
        let mut next = own.iter().zip(ranges).zip(i);
        let mut place = || -> Option<Expr> {
            let ((mine, theirs), index) = next.next()?;
            let step = |s: &Option<Expr>| s.clone().unwrap_or_else(|| Expr::int(1));
            if mine.lower == theirs.lower && mine.stride == theirs.stride {
                return Some(index.clone());
            }
            let distance = fold.sub(index.clone(), theirs.lower.clone());
            let distance = if mine.stride == theirs.stride {
                distance
            } else {
                let count = if theirs.stride.is_none() { distance } else { Expr::op("div_scal_scal", [distance, step(&theirs.stride)]) };
                fold.mul(step(&mine.stride), count)
            };
            // i + (l - k) with constants folded, else l + (i - k)
            Some(match (mine.lower.as_int(), theirs.lower.as_int(), mine.stride == theirs.stride) {
                (Some(l), Some(k), true) if l >= k => fold.add(index.clone(), Expr::int(l - k)),
                (Some(l), Some(k), true) => fold.sub(index.clone(), Expr::int(k - l)),
                _ => fold.add(mine.lower.clone(), distance),
            })
        };
        let mismatch = || Diagnostic::error("OB4034", "the shapes of an array operation do not agree");
        let mut out = VarRef { subscripts: Default::default(), ..r.clone() };
        if r.subscripts.is_empty() {
            for _ in 0..own.len() {
                out.subscripts.push(Triplet::element(place().ok_or_else(mismatch)?));
            }
            return Ok(out);
        }
        for t in &r.subscripts {
            let vector = t.index.as_ref().filter(|e| !t.is_section() && types::of(self.program, e).rank > 0);
            if t.is_section() {
                out.subscripts.push(Triplet::element(place().ok_or_else(mismatch)?));
            } else if let Some(e) = vector {
                // The subscript is itself an array over this dimension.
                let own = self.shape(e)?;
                let at = place().ok_or_else(mismatch)?;
                let sub = self.element(e, &own, &[at])?;
                out.subscripts.push(Triplet::element(sub));
            } else {
                out.subscripts.push(t.clone());
            }
        }
        Ok(out)
    }

    /// Indices over the ranges `own` of the element that comes as late there as that of the loop variables over `ranges`.
    fn at_same_place(&self, own: &[Range], ranges: &[Range], i: &[Expr]) -> Vec<Expr> {
        let fold = Fold { program: self.program };
        let by_rows = self.program.index_order == IndexOrder::Row;
        // The dimension that varies fastest first.
        let order = |n: usize| -> Vec<usize> { if by_rows { (0..n).rev().collect() } else { (0..n).collect() } };
        let step = |r: &Range| r.stride.clone().unwrap_or_else(|| Expr::int(1));
        let divided = |a: Expr, b: &Expr| if b.as_int() == Some(1) { a } else { Expr::op("div_scal_scal", [a, b.clone()]) };
        let extent = |r: &Range| fold.add(divided(fold.sub(r.upper.clone(), r.lower.clone()), &step(r)), Expr::int(1));
        let (mut place, mut block) = (Expr::int(0), Expr::int(1));
        for d in order(ranges.len()) {
            let count = divided(fold.sub(i[d].clone(), ranges[d].lower.clone()), &step(&ranges[d]));
            place = fold.add(place, fold.mul(count, block.clone()));
            block = fold.mul(block, extent(&ranges[d]));
        }
        let mut at = vec![Expr::int(0); own.len()];
        let (mut block, order) = (Expr::int(1), order(own.len()));
        for (k, &d) in order.iter().enumerate() {
            let whole = divided(place.clone(), &block);
            let count = if k + 1 == order.len() { whole } else { Expr::op("mod_scal_scal", [whole, extent(&own[d])]) };
            at[d] = fold.add(own[d].lower.clone(), fold.mul(step(&own[d]), count));
            block = fold.mul(block, extent(&own[d]));
        }
        at
    }

    /// The element of an expression that corresponds to loop variables over `ranges`.
    pub(super) fn element(&self, e: &Expr, ranges: &[Range], i: &[Expr]) -> Result<Expr, Diagnostic> {
        self.element_within(e, ranges, i, 0)
    }

    fn element_within(&self, e: &Expr, ranges: &[Range], i: &[Expr], depth: usize) -> Result<Expr, Diagnostic> {
        if depth > MAX_DEPTH {
            return Err(self.no_form("transpose_arr"));
        }
        let types = types::of_expr(self.program, e);
        let rearranged = rearranged(e);
        let mut done: Vec<Expr> = Vec::with_capacity(e.nodes.len());
        for (k, n) in e.nodes.iter().enumerate() {
            let made = match &n.kind {
                // What is rearranged has elements of its own.
                _ if rearranged[k] => Expr::int(0),
                NodeKind::Var(r) if types[k].rank > 0 && types[k].rank as usize == i.len() => Expr::var(self.element_ref(r, ranges, i)?),
                NodeKind::Var(_) | NodeKind::Const(_) => e.subexpr(xaif::model::NodeId(k as u32)),
                NodeKind::Op(op) if op.name == "transpose_arr" && i.len() == 2 => {
                    let swapped = |l: &[Expr]| l.iter().rev().cloned().collect::<Vec<_>>();
                    let ranges: Vec<Range> = ranges.iter().rev().cloned().collect();
                    let inner = n.operands.first().map(|&o| e.subexpr(o)).unwrap_or_default();
                    self.element_within(&inner, &ranges, &swapped(i), depth + 1)?
                }
                NodeKind::Op(op) if op.name == "reshape_arr" => {
                    let inner = n.operands.first().map(|&o| e.subexpr(o)).unwrap_or_default();
                    let own = self.shape(&inner)?;
                    let at = self.at_same_place(&own, ranges, i);
                    self.element_within(&inner, &own, &at, depth + 1)?
                }
                NodeKind::Op(op) if shape_of(&op.name) != ResultShape::Elementwise && types[k].rank > 0 => {
                    return Err(self.no_form(&op.name));
                }
                // An enquiry looks at the array itself.
                NodeKind::Op(op) if shape_of(&op.name) == ResultShape::Scalar => e.subexpr(xaif::model::NodeId(k as u32)),
                _ => Expr::node(n.kind.clone(), n.operands.iter().map(|o| done[o.index()].clone())),
            };
            done.push(made);
        }
        Ok(done.pop().unwrap_or_default())
    }
}

/// The vertices that nothing but a `reshape` uses, directly or on the way to it.
fn rearranged(e: &Expr) -> Vec<bool> {
    let mut used = vec![false; e.nodes.len()];
    if let Some(root) = used.last_mut() {
        *root = true;
    }
    for (k, n) in e.nodes.iter().enumerate().rev() {
        let reshapes = matches!(&n.kind, NodeKind::Op(op) if op.name == "reshape_arr");
        if used[k] && !reshapes {
            n.operands.iter().for_each(|o| used[o.index()] = true);
        }
    }
    used.into_iter().map(|u| !u).collect()
}
