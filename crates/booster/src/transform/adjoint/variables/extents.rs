//! How long arrays are: which are small enough to lie in place, and whose length is not known.
//!
//! Never here: where values are kept.

use crate::linearize::places::offset;
use crate::transform::adjoint::code::surroundings::Surroundings;
use xaif::model::{BaseType, Bound, Dim, Expr, Node, NodeKind, Symbol, SymbolId, Triplet, VarRef};
use xaif::{Diagnostic, Program, types};

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

/// The variables of which an expression reads the value, and not only the shape: that of an array which is never allocated anew stays.
pub(crate) fn values(program: &Program, e: &Expr) -> Vec<SymbolId> {
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
    Err(Diagnostic::error(UNKNOWN_LENGTH, format!("the values of {} would have to be recorded, but its length is not known", symbol.name))
        .at(program.location(symbol.span))
        .because("a call overwrites it while its old values are still needed by the adjoint")
        .help("declare the extent (double x[n]), or choose split reversal"))
}

/// The code of the refusal to save an array whose length is not known.
pub(crate) const UNKNOWN_LENGTH: &str = "OB4051";
