//! First values: adjoints of the unit's own, and variables that code may look at before it sets them.
//!
//! Lives here: which ones there are. Never here: which settings can be left out (see [`crate::transform::adjoint::cleanup::zeros`]).

use crate::analysis::dataflow::bits::Marks;
use crate::transform::adjoint::code::mentions;
use crate::transform::adjoint::code::tree::{Item, ItemKind};
use crate::transform::adjoint::record::maybe_unset;
use crate::transform::adjoint::statement::maker::Maker;
use crate::transform::adjoint::variables::extents;
use crate::transform::follow;
use rustc_hash::FxHashSet;
use xaif::model::{BaseType, Bound, Call, Expr, IndexOrder, MarkerClass, Mode, Stmt, StmtKind, SymbolId, SymbolKind, VarRef};

/// What sets adjoints of the unit's own to zero.
pub(super) struct Zeroed {
    /// First of all.
    pub(super) first: Vec<Item>,
    /// Where the reverse sweep begins.
    pub(super) start: Vec<Item>,
    /// The scalars among these adjoints, and those whose values nobody looks at in the end.
    pub(super) scalars: FxHashSet<SymbolId>,
}

/// Lets arrays start from zero where they are allocated.
fn from_zero(items: &mut [Item], arrays: &FxHashSet<SymbolId>) {
    if arrays.is_empty() {
        return;
    }
    for item in items {
        match &mut item.kind {
            ItemKind::Stmt(s) => {
                if let StmtKind::Marker(m) = &mut s.kind
                    && m.class == MarkerClass::Allocate
                    && m.object.as_ref().is_some_and(|o| arrays.contains(&o.symbol))
                {
                    m.zeroed = true;
                }
            }
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| from_zero(&mut a.body, arrays)),
            ItemKind::Loop { body, .. } => from_zero(body, arrays),
        }
    }
}

impl Maker<'_> {
    /// A local scalar that holds something between the sweeps: one of the code itself, set somewhere in the forward sweep, or one that derivative code has
    /// added, other than an adjoint.
    fn keeps_value(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        let known = matches!(symbol.ty.base, BaseType::Integer | BaseType::Real | BaseType::Bool) && symbol.rank == 0;
        let kept = if self.new.contains(&s) {
            symbol.decl.as_ref().is_none_or(|d| d.derivative_of.is_none())
        } else {
            symbol.kind == SymbolKind::Variable && (symbol.temp || self.written.contains(s))
        };
        known && kept && self.is_own(s)
    }

    /// First values for what code whose reverse sweep begins at an item may look at before it is set. Memory that the code allocates has them from there on.
    pub(super) fn start_values(&self, items: &mut [Item], reverse: usize) -> Vec<Item> {
        let own = |s: SymbolId| self.program.symbol(s).rank > 0 && !self.new.contains(&s);
        let heap = |s: SymbolId| own(s) && self.allocations.is_local(self.program, s);
        let array = |s| heap(s) || own(s) && self.is_own(s) && self.has_fixed_length(s);
        let unit = |c: &Call| self.program.unit_of_symbol(c.callee).and_then(|u| self.program.unit(u).derivation);
        // Of what is not allocated back ends see to it.
        let saves = |c: &Call, s: SymbolId| heap(s) && unit(c).is_some_and(|d| d.mode == Mode::Forward);
        let kinds = maybe_unset::Kinds {
            scalars: &|s| self.keeps_value(s),
            records: &|s| self.new.contains(&s),
            arrays: &array,
            allocated: &heap,
            saves: &saves,
        };
        let unset = maybe_unset::may_be_unset(items, reverse, &kinds);
        from_zero(&mut items[..reverse], &unset.iter().copied().filter(|&s| heap(s)).collect());
        unset.into_iter().filter(|&s| !heap(s)).map(|s| self.start_value(s)).collect()
    }

    /// A local array of numbers or truth values that is there, with its length, where the unit begins.
    fn has_fixed_length(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        let Some(decl) = symbol.decl.as_ref().filter(|_| extents::is_in_place(symbol)) else { return false };
        // C declares arrays of variable length where they are needed.
        let early = |b: &Bound| matches!(b, Bound::Expr(e) if e.as_int().is_some() || self.program.index_order == IndexOrder::Column);
        decl.dims.iter().all(|d| early(&d.lower) && early(&d.upper))
    }

    fn start_value(&self, s: SymbolId) -> Item {
        let ty = self.program.symbol(s).ty;
        let value = if ty.base == BaseType::Bool { Expr::bool(false) } else { crate::linearize::fold::zero(ty) };
        Item::stmt(Stmt::assign(VarRef::whole(s), value))
    }

    /// What sets the unit's own adjoints to zero.
    pub(super) fn zeroed(&self, reverse: &[Item]) -> Zeroed {
        let mut out = Zeroed { first: Vec::new(), start: Vec::new(), scalars: self.frame.consumed.iter().copied().collect() };
        let mut named = Marks::default();
        for items in [reverse, &self.frame.behind] {
            mentions::for_each_mention(items, &mut |s| _ = named.add(s.0));
        }
        out.scalars.retain(|b| !self.frame.inside.contains(b));
        for &b in self.frame.own.iter().filter(|b| named.has(b.0) || self.frame.inside.contains(b)) {
            let s = self.program.symbol(b);
            if s.rank == 0 && !self.frame.inside.contains(&b) {
                out.scalars.insert(b);
            }
            let zero = Item::stmt(Stmt::assign(VarRef::whole(b), crate::linearize::fold::zero(s.ty)));
            let allocated = self.frame.allocated.iter().find(|a| a.symbol == b);
            match s.rank {
                0 => out.start.push(zero),
                _ if allocated.is_some() => out.start.extend(allocated.map(|a| Item::stmt(follow::allocate(a.clone(), true)))),
                // Where bounds still have the values with which the array was declared.
                _ if !s.has_attribute("heap") && !s.has_attribute("allocatable") => out.first.push(zero),
                _ => {}
            }
        }
        out
    }
}
