//! Arrays of derivative code that are allocated: what is as long as the arguments of a program is no burden for the stack.
//!
//! Lives here: which arrays these are, and how they are declared, allocated and freed. Never here: what they are for, allocations of the original (see `allocation`).

use super::extents::SMALL;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::follow;
use smol_str::SmolStr;
use xaif::Program;
use xaif::model::{Bound, Decl, Dim, ElemType, IndexOrder, Symbol, SymbolId, Triplet, VarRef};

/// The bounds of an array all of whose extents are known.
pub(crate) fn bounds(dims: &[Dim]) -> Option<Vec<Triplet>> {
    let one = |d: &Dim| match (&d.lower, &d.upper) {
        (Bound::Expr(l), Bound::Expr(u)) => Some(Triplet { index: Some(l.clone()), bound: Some(u.clone()), stride: None }),
        _ => None,
    };
    dims.iter().map(one).collect()
}

/// Whether a local array would have more elements than go to the stack, or nobody knows how many. Where columns come first, compilers decide where automatic arrays
/// are, and know them to be set.
pub(crate) fn is_needed(program: &Program, bounds: &[Triplet]) -> bool {
    program.index_order == IndexOrder::Row && !bounds.is_empty() && elements(bounds).is_none_or(|n| n > SMALL)
}

/// How many elements an array with these bounds has, if they are numbers.
pub(crate) fn elements(bounds: &[Triplet]) -> Option<i64> {
    let extent = |t: &Triplet| Some(t.bound.as_ref()?.as_int()?.saturating_sub(t.index.as_ref()?.as_int()?).saturating_add(1).max(0));
    bounds.iter().map(extent).try_fold(1i64, |n, e| Some(n.saturating_mul(e?)))
}

/// Makes the declaration of an array one of an allocated array: the extent of its slowest dimension is not declared.
pub(crate) fn declare(decl: &mut Decl, order: IndexOrder) {
    decl.attributes.push(SmolStr::new_static("heap"));
    if let Some(slowest) = if order == IndexOrder::Row { decl.dims.first_mut() } else { decl.dims.last_mut() } {
        slowest.upper = Bound::Unknown;
    }
}

/// An array of zeros with these bounds: the array, what allocates it, what frees it.
pub(crate) fn zeros(unit: &mut dyn Surroundings, wish: &str, ty: ElemType, bounds: Vec<Triplet>) -> (SymbolId, Item, Item) {
    let bound = |e: &Option<xaif::model::Expr>| e.clone().map_or(Bound::Unknown, Bound::Expr);
    let dims: Vec<Dim> = bounds.iter().map(|t| Dim { lower: bound(&t.index), upper: bound(&t.bound) }).collect();
    let rank = dims.len() as u8;
    let mut decl = Decl { dims, ..Decl::default() };
    declare(&mut decl, unit.program().index_order);
    let like = Symbol { rank, decl: Some(Box::new(decl)), ..Symbol::variable("", ty, xaif::model::ScopeId(0)) };
    let made = unit.array(wish, ty, &like);
    let allocate = follow::allocate(VarRef { subscripts: bounds.into_iter().collect(), ..VarRef::whole(made) }, true);
    (made, Item::stmt(allocate), Item::stmt(follow::free(made)))
}
