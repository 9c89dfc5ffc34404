//! Where values are kept between the sweeps.
//!
//! What is recorded at most once per call stays in a local variable of its own, so that straight-line code needs no run-time
//! support; everything else goes to the stack: `push` in the forward sweep, `pop` at the mirrored place of the reverse sweep.
//!
//! Lives here: this choice, for one value at a time. Never here: which values are recorded.

use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::variables::extents::{Range, check_extents, few};
use crate::transform::adjoint::variables::optional::guarded;
use smol_str::format_smolstr;
use xaif::callbacks;
use xaif::model::{BaseType, Bound, Decl, Dim, Expr, IndexOrder, Stmt, Symbol, SymbolId, VarRef};
use xaif::{Diagnostic, Program, types};

/// The attribute of integers without a sign.
const UNSIGNED: &str = "unsigned";

/// Decides where values are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keeper {
    /// Both sweeps are in one unit, so its locals survive from one to the other.
    pub one_unit: bool,
}

/// Code that saves, code that brings back.
pub(crate) type Pair = (Vec<Item>, Vec<Item>);

fn push(place: &VarRef) -> Item {
    Item::stmt(Stmt::runtime("push", Expr::var(place.clone())))
}

fn pop(place: &VarRef) -> Item {
    Item::stmt(Stmt::runtime("pop", Expr::var(place.clone())))
}

/// A value on the stack, and back.
fn stacked(program: &Program, place: &VarRef) -> Pair {
    // Whoever names an element knows that the array is there.
    let element = !place.subscripts.is_empty() && !place.has_section();
    let with = |item| if element { vec![item] } else { guarded(program, place.symbol, vec![item]) };
    (with(push(place)), with(pop(place)))
}

/// One value put in the place of another.
pub(crate) fn copy(to: &VarRef, from: &VarRef) -> Item {
    Item::stmt(Stmt::assign(to.clone(), Expr::var(from.clone())))
}

impl Keeper {
    /// A value that the forward sweep records and the reverse sweep brings back. `depth` is the number of loops around.
    ///
    /// # Errors
    /// An array whose extents are not known.
    pub fn keep(&self, unit: &mut dyn Surroundings, place: &VarRef, depth: usize) -> Result<Pair, Diagnostic> {
        let open = is_open_text(unit.program().symbol(place.symbol));
        if depth == 0
            && self.one_unit
            && !open
            && let Some(pair) = self.local(unit, place)
        {
            return Ok(pair);
        }
        check_extents(unit, place)?;
        Ok(stacked(unit.program(), place))
    }

    /// A value that the reverse sweep saves and brings back itself, around something that overwrites it.
    ///
    /// # Errors
    /// An array whose extents are not known.
    pub fn bridge(&self, unit: &mut dyn Surroundings, place: &VarRef, _depth: usize) -> Result<Pair, Diagnostic> {
        let open = is_open_text(unit.program().symbol(place.symbol));
        if !open && let Some(pair) = self.local(unit, place) {
            return Ok(pair);
        }
        check_extents(unit, place)?;
        Ok(stacked(unit.program(), place))
    }

    /// A local variable: for a scalar or an element, or for so few elements that an array of them takes no allocation.
    pub fn local(&self, unit: &mut dyn Surroundings, place: &VarRef) -> Option<Pair> {
        if types::of_ref(unit.program(), place).rank > 0 {
            let like = Symbol { decl: Some(Box::new(array_for(unit.program(), place)?)), ..unit.program().symbol(place.symbol).clone() };
            let like = Symbol { rank: like.decl.as_ref().map_or(0, |d| d.dims.len() as u8), ..like };
            let t = VarRef::whole(unit.array(&format_smolstr!("{}_old", like.name), like.ty, &like));
            return Some(kept_in(unit.program(), &t, place));
        }
        let symbol = unit.program().symbol(place.symbol);
        let (wish, ty) = (format_smolstr!("{}_old", symbol.name), symbol.ty);
        // Only its declaration says how long a text is; the stack takes any.
        if ty.base == BaseType::String {
            return None;
        }
        // A type that is no number is known by its name only, and of an integer only the declaration says that it has no sign, or stands for a function.
        let declared = (ty.base == BaseType::Opaque && symbol.rank == 0)
            || [UNSIGNED, callbacks::POINTER].into_iter().any(|a| symbol.has_attribute(a));
        let named = declared.then(|| {
            let mut like = Symbol { rank: 0, ..symbol.clone() };
            if let Some(d) = &mut like.decl {
                d.dims.clear();
                d.attributes.retain(|a| a == UNSIGNED || a == callbacks::POINTER);
            }
            like
        });
        let t = VarRef::whole(match named {
            Some(like) => unit.array(&wish, ty, &like),
            None => unit.temporary(&wish, ty),
        });
        Some(kept_in(unit.program(), &t, place))
    }

    /// A local variable of control (a decision, a trip count) that the forward sweep has set: nothing to do where it survives.
    pub fn control(&self, symbol: SymbolId, depth: usize) -> Pair {
        if depth == 0 && self.one_unit {
            return (Vec::new(), Vec::new());
        }
        let place = VarRef::whole(symbol);
        (vec![push(&place)], vec![pop(&place)])
    }
}

/// What puts the value of a place into a variable, and what brings it back.
fn kept_in(program: &Program, variable: &VarRef, place: &VarRef) -> Pair {
    let with = |item| guarded(program, place.symbol, vec![item]);
    (with(copy(variable, place)), with(copy(place, variable)))
}

/// What declares an array for the elements of a place, if they are few.
fn array_for(program: &Program, place: &VarRef) -> Option<Decl> {
    let own = program.symbol(place.symbol).decl.as_ref()?;
    let first = i64::from(program.index_order == IndexOrder::Column);
    let dim = |r: Range| Dim { lower: Bound::Expr(Expr::int(first)), upper: Bound::Expr(Expr::int(r.count - 1 + first)) };
    let attributes = own.attributes.iter().filter(|a| *a == "unsigned").cloned().collect();
    let dims = few(program, place)?.into_iter().map(dim).collect();
    Some(Decl { dims, type_text: own.type_text.clone(), attributes, ..Decl::default() })
}

/// Text whose length comes with its value.
fn is_open_text(symbol: &Symbol) -> bool {
    symbol.ty.base == BaseType::String && symbol.rank == 0 && ["allocatable", "heap"].iter().any(|a| symbol.has_attribute(a))
}
