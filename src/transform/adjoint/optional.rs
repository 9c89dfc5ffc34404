//! Arguments that a caller may leave out.
//!
//! An argument that is handed on to a call need not be there, so what is done around the call with its value or its adjoint has a condition:
//!
//! ```text
//! if (present(w)) w_old = w                 its value, where the call may overwrite it
//! if (present(v)) allocate (vb1(...)), 0    an adjoint of its own; what is not allocated is absent for the callee, too
//! ```
//!
//! Lives here: that condition, and arrays that are there only with the argument. Never here: what is saved, or why a copy is needed.

use super::statements::Surroundings;
use super::tree::Item;
use crate::transform::companions::known_extent;
use crate::transform::follow;
use smol_str::SmolStr;
use xaif::Program;
use xaif::model::{Bound, Decl, Dim, ElemType, Expr, IndexOrder, Symbol, SymbolId, Triplet, VarRef};

/// Whether a variable is an argument that may be absent.
pub(super) fn may_be_absent(program: &Program, symbol: SymbolId) -> bool {
    program.symbol(symbol).has_attribute("optional")
}

/// Items that are done only if an argument is there; all of them where it always is.
pub(super) fn guarded(program: &Program, argument: SymbolId, items: Vec<Item>) -> Vec<Item> {
    if items.is_empty() || !may_be_absent(program, argument) {
        return items;
    }
    vec![Item::branch(follow::is_present(argument), items, Vec::new())]
}

/// An array of zeros like an argument that may be absent, which is allocated only with it: the array, what makes it, what frees it. `None` where its length is not known.
pub(super) fn array_like(unit: &mut dyn Surroundings, wish: &str, ty: ElemType, argument: SymbolId) -> Option<(SymbolId, Vec<Item>, Item)> {
    let program = unit.program();
    let symbol = program.symbol(argument);
    let decl = symbol.decl.clone().unwrap_or_default();
    let bounds = |k: usize| match known_extent(program, argument, k, &decl)? {
        Dim { lower: Bound::Expr(l), upper: Bound::Expr(u) } => Some((l, u)),
        _ => None,
    };
    let bounds: Vec<(Expr, Expr)> = (0..symbol.rank as usize).map(bounds).collect::<Option<_>>()?;
    let mut dims: Vec<Dim> = bounds.iter().map(|(l, u)| Dim { lower: Bound::Expr(l.clone()), upper: Bound::Expr(u.clone()) }).collect();
    if let Some(outermost) = if program.index_order == IndexOrder::Row { dims.first_mut() } else { dims.last_mut() } {
        outermost.upper = Bound::Unknown;
    }
    let attributes = vec![SmolStr::new_static("heap")];
    let like = Symbol { decl: Some(Box::new(Decl { dims, attributes, ..Decl::default() })), ..symbol.clone() };
    let made = unit.array(wish, ty, &like);
    let subscripts = bounds.into_iter().map(|(l, u)| Triplet { index: Some(l), bound: Some(u), stride: None }).collect();
    let allocate = follow::allocate(VarRef { subscripts, ..VarRef::whole(made) }, true);
    let opened = guarded(unit.program(), argument, vec![Item::stmt(allocate)]);
    Some((made, opened, Item::stmt(follow::free(made))))
}

/// A vector of zeros from one bound to another, with what allocates it and what frees it.
pub(super) fn vector(unit: &mut dyn Surroundings, wish: &str, ty: ElemType, low: Expr, high: Expr) -> (SymbolId, Item, Item) {
    let dims = vec![Dim { lower: Bound::Expr(low.clone()), upper: Bound::Unknown }];
    let decl = Decl { dims, attributes: vec![SmolStr::new_static("heap")], ..Decl::default() };
    let like = Symbol { rank: 1, decl: Some(Box::new(decl)), ..Symbol::variable("", ty, xaif::model::ScopeId(0)) };
    let made = unit.array(wish, ty, &like);
    let subscripts = [Triplet { index: Some(low), bound: Some(high), stride: None }].into_iter().collect();
    let allocate = follow::allocate(VarRef { subscripts, ..VarRef::whole(made) }, true);
    (made, Item::stmt(allocate), Item::stmt(follow::free(made)))
}
