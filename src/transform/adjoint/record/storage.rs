//! Where values are kept between the sweeps.
//!
//! What is recorded at most once per call stays in a local variable of its own, so that straight-line code needs no run-time
//! support; everything else goes to the stack: `push` in the forward sweep, `pop` at the mirrored place of the reverse sweep.
//!
//! Lives here: this choice, for one value at a time. Never here: which values are recorded.

use crate::linearize::places::offset;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::statement::assignment::Surroundings;
use crate::transform::adjoint::variables::optional::guarded;
use smol_str::format_smolstr;
use xaif::model::{BaseType, Bound, Decl, Dim, Expr, IndexOrder, Node, NodeKind, Stmt, Symbol, SymbolId, Triplet, VarRef};
use xaif::{Diagnostic, Program, types};

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
    fn local(&self, unit: &mut dyn Surroundings, place: &VarRef) -> Option<Pair> {
        if types::of_ref(unit.program(), place).rank > 0 {
            let like = Symbol { decl: Some(Box::new(array_for(unit.program(), place)?)), ..unit.program().symbol(place.symbol).clone() };
            let like = Symbol { rank: like.decl.as_ref().map_or(0, |d| d.dims.len() as u8), ..like };
            let t = VarRef::whole(unit.array(&format_smolstr!("{}_old", like.name), like.ty, &like));
            return Some(kept_in(unit.program(), &t, place));
        }
        let symbol = unit.program().symbol(place.symbol);
        let (wish, ty) = (format_smolstr!("{}_old", symbol.name), symbol.ty);
        // A type that is no number is known by its name only, and of an integer only the declaration says that it has no sign.
        let declared = (ty.base == BaseType::Opaque && symbol.rank == 0) || symbol.has_attribute("unsigned");
        let named = declared.then(|| {
            let mut like = Symbol { rank: 0, ..symbol.clone() };
            if let Some(d) = &mut like.decl {
                d.dims.clear();
                d.attributes.retain(|a| a == "unsigned");
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

/// The most elements that are kept without an allocation.
pub(crate) const SMALL: i64 = 512;

/// A dimension of a section: which one, its first subscript, how many there are.
pub(crate) struct Range {
    pub dimension: usize,
    pub first: Expr,
    pub count: i64,
}

/// Holds numbers or truth values, in memory that is there where the unit begins.
pub(crate) fn is_in_place(symbol: &Symbol) -> bool {
    let number = matches!(symbol.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool);
    number && !symbol.pointer && !["allocatable", "heap"].iter().any(|a| symbol.has_attribute(a))
}

/// The dimensions of a place with several elements, if the number of elements is known and small.
pub(crate) fn few(program: &Program, place: &VarRef) -> Option<Vec<Range>> {
    let symbol = program.symbol(place.symbol);
    let own = symbol.decl.as_ref()?;
    if !is_in_place(symbol) {
        return None;
    }
    let range = |dimension: usize, t: &Triplet| {
        let Dim { lower, upper } = own.dims.get(dimension)?;
        let at = |e: Option<&Expr>, b: &Bound| match (e, b) {
            (Some(e), _) => Some(e.clone()),
            (None, Bound::Expr(e)) => Some(e.clone()),
            (None, Bound::Unknown) => None,
        };
        let (first, last) = (at(t.index.as_ref(), lower)?, at(t.bound.as_ref(), upper)?);
        let ((low, m), (high, n)) = (offset(&first), offset(&last));
        let count = n.checked_sub(m)?.checked_add(1)?;
        (low == high && t.stride.is_none() && (1..=SMALL).contains(&count)).then_some(Range { dimension, first, count })
    };
    let all = vec![Triplet::default(); usize::from(symbol.rank)];
    let subscripts = if place.subscripts.is_empty() { &all[..] } else { &place.subscripts };
    let open = subscripts.iter().enumerate().filter(|(_, t)| t.is_section());
    let ranges: Vec<Range> = open.map(|(k, t)| range(k, t)).collect::<Option<_>>()?;
    ranges.iter().try_fold(1i64, |n, r| n.checked_mul(r.count)).is_some_and(|n| n <= SMALL).then_some(ranges)
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

/// The variables of which an expression reads the value, and not only the shape: that of an array which is never allocated anew stays.
fn values(program: &Program, e: &Expr) -> Vec<SymbolId> {
    let asked = |n: &Node| matches!(&n.kind, NodeKind::Op(op) if matches!(op.name.as_str(), "size" | "lbound" | "ubound" | "shape_arr"));
    let shapes: Vec<usize> = e.nodes.iter().filter(|n| asked(n)).filter_map(|n| n.operands.first().map(|o| o.index())).collect();
    let mut out = Vec::new();
    for (k, n) in e.nodes.iter().enumerate() {
        let NodeKind::Var(r) = &n.kind else { continue };
        let symbol = program.symbol(r.symbol);
        if !shapes.contains(&k) || ["allocatable", "pointer"].iter().any(|a| symbol.has_attribute(a)) {
            out.push(r.symbol);
        }
        r.index_exprs().for_each(|i| out.extend(values(program, i)));
    }
    out
}

/// Whole arrays can be kept only where it is known how long they are.
pub(crate) fn check_extents(unit: &dyn Surroundings, place: &VarRef) -> Result<(), Diagnostic> {
    let program = unit.program();
    let symbol = program.symbol(place.symbol);
    if matches!(symbol.ty.base, BaseType::Opaque | BaseType::Complex) {
        return Err(Diagnostic::error(
            "OB4067",
            format!("the values of {} would have to be recorded, but they are no numbers", symbol.name),
        )
        .at(program.location(symbol.span))
        .because("the stack takes real, integer and logical values and text only, and the reverse sweep needs what is overwritten here")
        .help("change it outside of loops, or outside of the differentiated code"));
    }
    if types::of_ref(program, place).rank == 0 || !place.subscripts.is_empty() {
        return Ok(());
    }
    let known = symbol.decl.as_ref().is_some_and(|d| {
        d.passing == xaif::model::Passing::Descriptor
            || symbol.has_attribute("allocatable")
            || (!d.dims.is_empty() && d.dims.iter().all(|d| !matches!(d.upper, Bound::Unknown)))
    });
    let changed = symbol.decl.iter().flat_map(|d| d.bound_exprs()).flat_map(|e| values(program, e)).find(|&s| unit.changes(s));
    if let Some(v) = changed {
        let name = &program.symbol(v).name;
        return Err(Diagnostic::error(
            "OB4063",
            format!("the values of {} would have to be recorded, but {name} has changed", symbol.name),
        )
        .at(program.location(symbol.span))
        .because(format!("its length is given by the value that {name} had on entry"))
        .help(format!("leave {name} as it is and count in another variable")));
    }
    if known || !symbol.bounds.is_empty() {
        return Ok(());
    }
    Err(Diagnostic::error(
        crate::transform::adjoint::UNKNOWN_LENGTH,
        format!("the values of {} would have to be recorded, but its length is not known", symbol.name),
    )
    .at(program.location(symbol.span))
    .because("a call overwrites it while its old values are still needed by the adjoint")
    .help("declare the extent (double x[n]), or choose split reversal"))
}
