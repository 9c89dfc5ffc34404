//! Arguments that stand for the same storage, in languages that let a callee take its arguments for apart.
//!
//! What is only read may be handed over twice there, but both adjoints are written:
//!
//! ```text
//! y = f(x, x)                   xb0 = 0;  call f_b(x, xb, x, xb0, yb);  xb = xb + xb0
//! call f(n, x(1), x(2), y)      with x(*), where f declares u(n), v(n): of x(2:n + 1)
//! call f(n, x(1), x(n + 1), y)  nothing: x(1:n) and x(n + 1:2*n) have no element in common
//! ```
//!
//! A section may reach its callee as a copy that comes back as a whole, whatever the callee declares: `call f(n, x, x(n:1:-1), y)` is of two arrays even with
//! `v(*)`. Where the length of `x` is not known, the copy has the shape of the section.
//!
//! An element that is handed over for an array stands for as many elements as the callee declares, for all that follow where it declares none.
//!
//! Lives here: this question, and the variable in between. Never here: how calls are reversed.

use super::{Adjoint, Pair, value_of};
use crate::analysis::arrays::regions::{Known, Span, plus};
use crate::linearize::fold::zero;
use crate::linearize::places::offset;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::facts::argument_parts;
use crate::transform::adjoint::facts::effects::subscripts;
use crate::transform::adjoint::variables::optional;
use crate::transform::companions::known_extent;
use xaif::model::{Bound, Decl, Dim, Expr, NodeKind, Passing, Stmt, Storage, SymbolId, Triplet, VarRef};
use xaif::{Diagnostic, Program, types};

/// Whether two arguments may stand for the same storage: parts of one variable that are not known to be apart.
pub(crate) fn same_storage(unit: &dyn Surroundings, pairs: &[Pair], a: &Pair, b: &Pair) -> bool {
    let (Some(x), Some(y)) = (a.reference, b.reference) else { return false };
    if x.symbol != y.symbol {
        return unit.overlap(x.symbol, y.symbol);
    }
    let program = unit.program();
    // An element handed over for an array stands for more than itself.
    let as_named = |p: &Pair, r: &VarRef| program.symbol(p.formal).rank == 0 || types::of_ref(program, r).rank > 0;
    let apart = x.subscripts.iter().zip(&y.subscripts).any(|(p, q)| match (&p.index, &q.index) {
        (Some(p_index), Some(q_index)) if !p.is_section() && !q.is_section() => {
            let ((e, i), (f, j)) = (offset(p_index), offset(q_index));
            i != j && e == f
        }
        _ => false,
    });
    if apart && as_named(a, x) && as_named(b, y) {
        return false;
    }
    match (elements(program, pairs, a), elements(program, pairs, b)) {
        (Some(p), Some(q)) => !Known::default().apart(&vec![p], &vec![q]),
        _ => true,
    }
}

/// Whether an argument may reach its callee as a copy: what is not known to lie in one piece, for an array that has to.
pub(crate) fn may_be_copied(program: &Program, pair: &Pair) -> bool {
    let formal = program.symbol(pair.formal);
    let Some(r) = pair.reference.filter(|r| formal.rank > 0 && types::of_ref(program, r).rank > 0) else { return false };
    if formal.passing() == Passing::Descriptor && !formal.has_attribute("contiguous") {
        return false;
    }
    let actual = program.symbol(r.symbol);
    let scattered = actual.passing() == Passing::Descriptor || actual.pointer || actual.has_attribute("pointer");
    if scattered && !actual.has_attribute("contiguous") {
        return true;
    }
    // In one piece: whole dimensions, then a part of one, then elements.
    let Some(last) = r.subscripts.iter().rposition(Triplet::is_section) else { return false };
    let whole = |t: &Triplet| t.index.is_none() && t.bound.is_none() && t.stride.is_none();
    r.subscripts[last].stride.is_some() || !r.subscripts[..last].iter().all(whole)
}

/// The elements of an array of one dimension that an argument stands for, with values of variables at the call.
fn elements(program: &Program, pairs: &[Pair], pair: &Pair) -> Option<Span> {
    let r = pair.reference?;
    let (actual, formal) = (program.symbol(r.symbol), program.symbol(pair.formal));
    if actual.rank != 1 || formal.rank != 1 {
        return None;
    }
    let first = match r.subscripts.first() {
        None => match &actual.decl.as_ref()?.dims.first()?.lower {
            Bound::Expr(e) => e.clone(),
            Bound::Unknown => return None,
        },
        Some(Triplet { index: Some(first), bound: Some(last), stride: None }) => {
            return Some(Span { low: plus(first, 0), high: plus(last, 0) });
        }
        Some(t) => t.index.clone().filter(|_| !t.is_section())?,
    };
    let Dim { lower: Bound::Expr(lower), upper: Bound::Expr(upper) } = formal.decl.as_ref()?.dims.first()? else { return None };
    let value = |s: SymbolId| value_of(program, pairs, s);
    let (lower, upper) = (argument_parts::at(lower, &value)?.as_int()?, argument_parts::at(upper, &value)?);
    let (base, constant) = offset(&first);
    let last = match base {
        Some(base) => Expr::op("add_scal_scal", [base, upper]),
        None => upper,
    };
    Some(Span { low: plus(&first, 0), high: plus(&last, constant.checked_sub(lower)?) })
}

/// A variable of its own for the adjoint of an argument that the callee only reads and sees twice; `None` for what has no adjoint of the callee's type.
///
/// # Errors
/// How much that is is not known.
pub(crate) fn own_increment(
    unit: &mut dyn Surroundings,
    stmt: &Stmt,
    pairs: &[Pair],
    pair: &Pair,
    out: &mut Adjoint,
) -> Result<Option<Expr>, Diagnostic> {
    let program = unit.program();
    let formal = program.symbol(pair.formal).clone();
    let Some((r, companion)) = pair.reference.and_then(|r| Some((r, unit.adjoint(r.symbol)?))) else { return Ok(None) };
    let ty = program.symbol(companion).ty;
    if ty != formal.ty {
        return Ok(None);
    }
    let rb = r.with_symbol(companion);
    if formal.rank == 0 && types::of_ref(program, r).rank == 0 {
        let tb = unit.temporary(&format!("{}b", formal.name), ty);
        out.before.push(Item::stmt(Stmt::assign(VarRef::whole(tb), zero(ty))));
        subscripts(unit.program(), r, &mut out.needs);
        let sum = Expr::op("add_scal_scal", [Expr::var(rb.clone()), Expr::sym(tb)]);
        let add = vec![Item::stmt(Stmt::assign(rb, sum))];
        out.behind.extend(optional::guarded(unit.program(), r.symbol, add));
        return Ok(Some(Expr::sym(tb)));
    }
    let mut like = program.symbol(r.symbol).clone();
    if optional::may_be_absent(program, r.symbol)
        && let Some((tb, open, close)) = optional::array_like(unit, &format!("{}b", like.name), ty, r.symbol)
    {
        out.before.extend(open);
        let sum = Expr::op("add_scal_scal", [Expr::sym(companion), Expr::sym(tb)]);
        let add = vec![Item::stmt(Stmt::assign(VarRef::whole(companion), sum)), close];
        out.behind.extend(optional::guarded(unit.program(), r.symbol, add));
        return Ok(Some(Expr::var(r.with_symbol(tb))));
    }
    let program = unit.program();
    let decl = like.decl.clone().unwrap_or_default();
    let heap = like.has_attribute("allocatable") || like.has_attribute("heap");
    let whole: Option<Vec<_>> = (0..like.rank as usize).map(|k| known_extent(program, r.symbol, k, &decl)).collect();
    let part = elements(program, pairs, pair).filter(|s| stays(unit, &s.low) && stays(unit, &s.high));
    let unknown = heap || whole.is_none();
    if let Some(dims) = section(r).filter(|dims| unknown && part.is_none() && dims.iter().all(|d| holds(unit, d))) {
        like.rank = dims.len() as u8;
        like.decl = Some(Box::new(Decl { dims, attributes: Vec::new(), ..*decl }));
        let tb = unit.array(&format!("{}b", like.name), ty, &like);
        out.before.push(Item::stmt(Stmt::assign(VarRef::whole(tb), zero(ty))));
        subscripts(unit.program(), r, &mut out.needs);
        let sum = Expr::op("add_scal_scal", [Expr::var(rb.clone()), Expr::sym(tb)]);
        out.behind.push(Item::stmt(Stmt::assign(rb, sum)));
        return Ok(Some(Expr::sym(tb)));
    }
    let (dims, of) = match (whole.filter(|_| !heap), part) {
        (Some(dims), _) => (dims, None),
        (None, Some(s)) => (vec![Dim { lower: Bound::Expr(s.low.clone()), upper: Bound::Expr(s.high.clone()) }], Some(s)),
        (None, None) => {
            return Err(Diagnostic::error("OB4066", format!("{} is handed over twice in one call", like.name))
                .at(program.location(stmt.span))
                .because("its adjoint would be written through two arguments at once, and its length is not known, so none of them can have a copy")
                .help("declare its length, or hand over a copy of it"));
        }
    };
    like.decl = Some(Box::new(Decl { dims, attributes: Vec::new(), ..*decl }));
    let tb = unit.array(&format!("{}b", like.name), ty, &like);
    out.before.push(Item::stmt(Stmt::assign(VarRef::whole(tb), zero(ty))));
    let place = match &of {
        Some(s) => Triplet { index: Some(s.low.clone()), bound: Some(s.high.clone()), stride: None },
        None => Triplet::default(),
    };
    let place = VarRef { subscripts: of.map(|_| vec![place]).unwrap_or_default().into(), ..VarRef::whole(companion) };
    let sum = Expr::op("add_scal_scal", [Expr::var(place.clone()), Expr::sym(tb)]);
    out.behind.push(Item::stmt(Stmt::assign(place.clone(), sum)));
    Ok(Some(if place.subscripts.is_empty() { Expr::var(r.with_symbol(tb)) } else { Expr::sym(tb) }))
}

/// The shape of a section all of whose bounds are written: its dimensions from one on.
fn section(r: &VarRef) -> Option<Vec<Dim>> {
    let parts = r.subscripts.iter().filter(|t| t.is_section());
    let extent = |t: &Triplet| {
        let (first, last) = (t.index.clone()?, t.bound.clone()?);
        let length = match &t.stride {
            None => plus(&Expr::op("sub_scal_scal", [last, first]), 1),
            Some(step) => {
                let span = Expr::op("sub_scal_scal", [Expr::op("add_scal_scal", [last, step.clone()]), first]);
                Expr::op("div_scal_scal", [span, step.clone()])
            }
        };
        Some(Dim { lower: Bound::Expr(Expr::int(1)), upper: Bound::Expr(length) })
    };
    let dims: Vec<Dim> = parts.map(extent).collect::<Option<_>>()?;
    (!dims.is_empty()).then_some(dims)
}

/// Whether bounds have the same values at any time.
fn holds(unit: &dyn Surroundings, d: &Dim) -> bool {
    [&d.lower, &d.upper].iter().all(|b| matches!(b, Bound::Expr(e) if stays(unit, e)))
}

/// Whether an expression has the same value at any time, from entry on.
fn stays(unit: &dyn Surroundings, e: &Expr) -> bool {
    let arithmetic = e.nodes.iter().all(|n| matches!(n.kind, NodeKind::Var(_) | NodeKind::Const(_) | NodeKind::Op(_)));
    let on_entry = |s: SymbolId| !matches!(unit.program().symbol(s).storage(), Storage::Local | Storage::Static);
    arithmetic && e.every_ref(&|r| on_entry(r.symbol) && !unit.changes(r.symbol))
}
