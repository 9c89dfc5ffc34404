//! What calls of known units read and set of what they are handed.
//!
//! ```text
//! call rhs(n, y, k1)           reads y(1:n), sets k1(1:n)
//! subroutine rhs(m, u, du)     real :: u(m), du(m), which sets du(1:m) in any case
//! ```
//!
//! Lives here: effects of callees in terms of actual arguments. Never here: what callees do (see [`super::side_effects`], [`super::covered`]).

use super::side_effects::Effects;
use crate::analysis::arrays::fresh::Piece;
use crate::analysis::arrays::regions::{Part, Span, plus};
use crate::analysis::program::objects::is_by_reference;
use crate::linearize::fold::Fold;
use xaif::Program;
use xaif::model::{Bound, Call, CallArgument, Dim, Expr, Formal, IndexOrder, SymbolId, UnitId, VarRef};

/// A call as pieces: it reads values element by element, and the rest as the unit does; then the unit sets what it sets in any case. `object`: what the variable of an
/// argument, of which the number is given, stands for.
pub(crate) fn called<'a>(
    program: &'a Program,
    effects: &Effects,
    unit: UnitId,
    call: &'a Call,
    object: &dyn Fn(usize, &VarRef) -> SymbolId,
) -> Vec<Piece<'a>> {
    let handed = Handed { program, call, formals: &program.unit(unit).formals };
    let exposed = &effects.unit(unit).exposed;
    let (mut out, mut sets) = (Vec::new(), Vec::new());
    for (k, a) in call.arguments.iter().enumerate() {
        let formal = handed.formal(a);
        let Some(r) = a.value.as_var().filter(|_| formal.is_none_or(|f| is_by_reference(program, f))) else {
            out.push(Piece::Test(&a.value));
            continue;
        };
        r.index_exprs().for_each(|e| out.push(Piece::Test(e)));
        let array = object(k, r);
        let is_whole = r.subscripts.iter().all(|t| t.index.is_none() && t.bound.is_none() && t.stride.is_none());
        let part = |f: SymbolId, p: &Part| if is_whole { handed.part(f, array, p) } else { None };
        match formal {
            Some(f) if !exposed.contains(&f) => {}
            Some(f) if program.symbol(f).rank == 0 => out.push(Piece::Test(&a.value)),
            _ => out.push(match formal.and_then(|f| part(f, &declared(program, f)?)) {
                Some(part) => Piece::ReadsPart(array, part),
                None => Piece::Reads(vec![array]),
            }),
        }
        if let Some(f) = formal {
            sets.extend(effects.sets(unit, f).iter().filter_map(|p| part(f, p)).map(|part| Piece::Sets(array, part)));
        }
    }
    out.push(Piece::Reads(exposed.iter().copied().filter(|s| handed.formals.iter().all(|f| f.symbol != *s)).collect()));
    out.extend(sets);
    out
}

/// What a call hands over, as the caller sees it.
struct Handed<'a> {
    program: &'a Program,
    call: &'a Call,
    formals: &'a [Formal],
}

impl Handed<'_> {
    fn formal(&self, a: &CallArgument) -> Option<SymbolId> {
        self.formals.iter().find(|f| f.position == a.position).map(|f| f.symbol)
    }

    /// A part of a formal as one of the array that is handed over whole, in terms of actual arguments: of vectors, which need no other extent.
    fn part(&self, formal: SymbolId, array: SymbolId, part: &Part) -> Option<Part> {
        // All that the callee knows of need not be all that there is.
        let all = if part.is_empty() { declared(self.program, formal)? } else { Part::new() };
        let part = if part.is_empty() { &all } else { part };
        let lower = |s: SymbolId| match &self.program.symbol(s).decl.as_ref()?.dims.first()?.lower {
            Bound::Expr(e) => e.as_int(),
            Bound::Unknown => None,
        };
        let shift = lower(array)?.checked_sub(lower(formal)?)?;
        let actual = |s: SymbolId| self.call.arguments.iter().find(|a| self.formal(a) == Some(s)).map(|a| a.value.clone());
        let constant = |s: SymbolId| self.program.symbol(s).decl.as_ref()?.init.clone();
        // A formal without a value stays in place, and the caller does not know it.
        let moved = |e: &Expr| {
            let fold = Fold { program: self.program };
            plus(&fold.rebuilt(e, &|r| if r.subscripts.is_empty() { actual(r.symbol).or_else(|| constant(r.symbol)) } else { None }), shift)
        };
        let vectors = [array, formal].iter().all(|&s| self.program.symbol(s).rank == 1);
        vectors.then(|| part.iter().map(|d| Span { low: moved(&d.low), high: moved(&d.high) }).collect())
    }
}

/// All of a formal that has bounds which its callee keeps within: pointers of C have none.
fn declared(program: &Program, formal: SymbolId) -> Option<Part> {
    if program.index_order == IndexOrder::Row {
        return None;
    }
    let span = |d: &Dim| match d {
        Dim { lower: Bound::Expr(low), upper: Bound::Expr(high) } => Some(Span { low: low.clone(), high: high.clone() }),
        _ => None,
    };
    program.symbol(formal).decl.as_ref().filter(|d| !d.dims.is_empty())?.dims.iter().map(span).collect()
}
