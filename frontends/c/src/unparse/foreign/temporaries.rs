//! Arrays that statements need on the way, and how many elements arrays have.
//!
//! Lives here: local arrays where extents are numbers, memory of the heap elsewhere. Never here: what they are for.

use super::free_names::free_name;
use xaif::model::{
    Bound, Decl, Dim, ElemType, Expr, Marker, MarkerClass, NodeKind, Program, ScopeId, StmtKind, Storage, Symbol, SymbolId, Triplet, VarRef,
};
use xaif::{offsets, types};

/// An array with what stands in front of its use, and behind it.
pub(super) struct Temporary {
    pub symbol: SymbolId,
    pub before: Option<StmtKind>,
    pub behind: Option<StmtKind>,
}

/// An array with so many elements along each of its dimensions.
pub(super) fn array(program: &mut Program, scope: ScopeId, ty: ElemType, extents: Vec<Expr>) -> Temporary {
    let fixed = extents.iter().all(|e| e.as_int().is_some());
    let mut decl = Decl { storage: Storage::Local, ..Decl::default() };
    if fixed {
        decl.dims = extents.iter().map(|e| Dim { lower: Bound::Expr(Expr::int(1)), upper: Bound::Expr(e.clone()) }).collect();
    } else {
        decl.dims = vec![Dim::default(); extents.len()];
        decl.attributes.push("allocatable".into());
    }
    let name = free_name(program, scope, "temp");
    let rank = extents.len() as u8;
    let symbol = program.add_symbol(Symbol { temp: true, rank, decl: Some(Box::new(decl)), ..Symbol::variable(name, ty, scope) });
    let memory = |class, subscripts: Vec<Triplet>| {
        let object = Some(VarRef { subscripts: subscripts.into(), ..VarRef::whole(symbol) });
        StmtKind::Marker(Box::new(Marker { class, object, ..Marker::default() }))
    };
    let parts = extents.into_iter().map(|e| Triplet { index: Some(Expr::int(1)), bound: Some(e), stride: None }).collect();
    Temporary {
        symbol,
        before: (!fixed).then(|| memory(MarkerClass::Allocate, parts)),
        behind: (!fixed).then(|| memory(MarkerClass::Deallocate, Vec::new())),
    }
}

/// How many elements a reference has along each of its open dimensions.
pub(super) fn extents(program: &Program, r: &VarRef) -> Option<Vec<Expr>> {
    let symbol = program.symbol(r.symbol);
    let dims = symbol.decl.as_ref().map(|d| &d.dims[..]).filter(|d| d.len() == usize::from(symbol.rank))?;
    let whole = vec![Triplet::default(); dims.len()];
    let triplets: &[Triplet] = if r.subscripts.is_empty() { &whole } else { &r.subscripts };
    let mut out = Vec::new();
    for (k, (d, t)) in dims.iter().zip(triplets).enumerate() {
        if t.index.as_ref().is_some_and(|e| !t.is_section() && types::of(program, e).rank > 0) {
            return None;
        }
        if t.is_section() {
            out.push(extent(r.symbol, k, d, t));
        }
    }
    Some(out)
}

/// How many elements a section has along dimension `k` of an array.
pub(super) fn extent(array: SymbolId, k: usize, d: &Dim, t: &Triplet) -> Expr {
    let ask = |what: &str| Expr::op(what, [Expr::sym(array), Expr::int(k as i64 + 1)]);
    let bound = |b: &Bound, what: &str| if let Bound::Expr(e) = b { e.clone() } else { ask(what) };
    if t.index.is_none() && t.bound.is_none() && t.stride.is_none() && d.upper == Bound::Unknown {
        return ask("size");
    }
    let lower = t.index.clone().unwrap_or_else(|| match (&d.lower, &d.upper) {
        (Bound::Unknown, Bound::Expr(_)) => Expr::int(1),
        (b, _) => bound(b, "lbound"),
    });
    let upper = t.bound.clone().unwrap_or_else(|| bound(&d.upper, "ubound"));
    let span = offsets::minus(upper, &lower);
    match &t.stride {
        Some(s) if s.as_int() != Some(1) => offsets::plus(Expr::op("div_scal_scal", [span, s.clone()]), 1),
        _ => offsets::plus(span, 1),
    }
}

/// How many elements an expression has along each of its dimensions.
pub(super) fn shape(program: &Program, e: &Expr) -> Option<Vec<Expr>> {
    let types = types::of_expr(program, e);
    let mut shapes: Vec<Option<Vec<Expr>>> = Vec::with_capacity(e.nodes.len());
    for (k, n) in e.nodes.iter().enumerate() {
        let of = |i: usize| n.operands.get(i).and_then(|o| shapes[o.index()].clone());
        shapes.push(match &n.kind {
            _ if types[k].rank == 0 => None,
            NodeKind::Var(r) => extents(program, r),
            NodeKind::Op(op) if op.name == "transpose_arr" => of(0).map(|s| s.into_iter().rev().collect()),
            NodeKind::Op(op) if op.name == "matmul_arr" => {
                let (mut a, b) = (of(0)?, of(1)?);
                a.pop();
                Some(a.into_iter().chain(b.into_iter().skip(1)).collect())
            }
            _ => (0..n.operands.len()).find_map(of),
        });
    }
    shapes.pop().flatten()
}
