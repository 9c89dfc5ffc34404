//! Which part of an array argument a unit writes, in terms of arguments that it does not change.
//!
//! ```text
//! subroutine row(m, i, a)        W(a) = [2..m] x [i..i]        call push(a(2:m, k))
//!   do j = 2, m                                                call row(m, k, a)
//!     a(j, i) = ...
//! ```
//!
//! A snapshot for the adjoint of a call (Eq. 17 of paper 004) then takes that part and no more. For a statement s with a place of the array, with the loops
//! around it,
//!
//! ```text
//! W(s)  the spans of its subscripts, each open where it is not known
//! W(a)  the hull of W(s) over the statements that are executed whenever the unit is; it must have in it those of all others
//! ```
//!
//! What may not be executed must not add to the part: then its subscripts may have values that are no subscripts. A call of another unit stands for what
//! that one writes, with the actual arguments in place of the formals.
//!
//! Lives here: these equations, and the part at a call. Never here: what is recorded.

use crate::analysis::arrays::counted::range;
use crate::analysis::arrays::regions::{Around, Known, Span, names_all, plus, spans};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind};
use crate::transform::walk::expr_symbols_mut;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{BaseType, Bound, Call, Dim, Expr, IndexOrder, MarkerClass, NodeKind, Passing, StmtKind, SymbolId, Triplet, VarRef};
use xaif::{Program, types};

/// What is written of an array, dimension by dimension; open where it is not known.
pub(crate) type Open = Vec<Option<Span>>;

/// The parts of array arguments that a unit writes; an array that is not in here may be written as a whole.
pub(crate) type Parts = FxHashMap<SymbolId, Open>;

/// What must be known of a unit.
pub(crate) struct Unit<'a> {
    pub program: &'a Program,
    /// Its arguments.
    pub formals: &'a FxHashSet<SymbolId>,
    /// Whether it never changes a variable.
    pub fixed: &'a dyn Fn(SymbolId) -> bool,
    /// Whether it sets a local scalar in one statement only.
    pub once: &'a dyn Fn(SymbolId) -> bool,
    /// Where a call writes; `None` where it may not come back.
    pub call: &'a dyn Fn(&Call) -> Option<Vec<VarRef>>,
}

/// What has been found so far.
struct Found<'a> {
    unit: &'a Unit<'a>,
    /// The loops around; `None` for those that do not count.
    around: Vec<Option<Around>>,
    /// How many branches are open.
    inside: usize,
    /// What scalars stand for that are set once (`k1 = k + 1`), in terms of what they are set from.
    values: FxHashMap<SymbolId, Expr>,
    sure: FxHashMap<SymbolId, Open>,
    perhaps: Vec<(SymbolId, Open)>,
    /// The unit may not run to its end.
    ends: bool,
}

/// The parts of array arguments that some code writes.
pub(crate) fn written(unit: &Unit, items: &[Item]) -> Parts {
    let (values, sure) = (FxHashMap::default(), FxHashMap::default());
    let mut f = Found { unit, around: Vec::new(), inside: 0, values, sure, perhaps: Vec::new(), ends: false };
    f.sequence(items);
    if f.ends {
        return Parts::default();
    }
    let known = Known::default();
    let has = |outer: &Span, inner: &Span| known.at_most(&outer.low, &inner.low) && known.at_most(&inner.high, &outer.high);
    for (array, part) in f.perhaps {
        let Some(sure) = f.sure.get_mut(&array) else { continue };
        for (s, p) in sure.iter_mut().zip(&part) {
            if !matches!((&*s, p), (Some(outer), Some(inner)) if has(outer, inner)) {
                *s = None;
            }
        }
    }
    f.sure.retain(|_, part| part.iter().any(Option::is_some));
    f.sure
}

impl Found<'_> {
    fn sequence(&mut self, items: &[Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(s) => self.stmt(&s.kind),
                ItemKind::Branch { arms, .. } => {
                    self.inside += 1;
                    arms.iter().for_each(|a| self.sequence(&a.body));
                    self.inside -= 1;
                }
                ItemKind::Loop { kind, body, .. } => {
                    let around = match kind {
                        LoopKind::For(head) => range(self.unit.program, head).and_then(|r| {
                            // With longer steps the bound itself may be no subscript.
                            let (low, high) = match r.stride.as_int() {
                                Some(1) => (r.first, r.bound),
                                Some(-1) => (r.bound, r.first),
                                _ => return None,
                            };
                            Some(Around { index: r.index, span: Span { low, high }, dense: false, up: true })
                        }),
                        _ => None,
                    };
                    self.around.push(around);
                    self.sequence(body);
                    // Behind the loop its index, which may be that of another one, has other values.
                    if let Some(Some(a)) = self.around.pop() {
                        self.values.retain(|_, e| e.every_ref(&|r| r.symbol != a.index));
                    }
                }
            }
        }
    }

    fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Assignment { lhs, rhs } => {
                self.place(lhs);
                // Whatever reads it reads this value: nothing else sets it, and it is not turned into another type.
                let program = self.unit.program;
                let as_it_is = || types::of(program, rhs).elem == program.symbol(lhs.symbol).ty;
                if self.inside == 0 && lhs.subscripts.is_empty() && (self.unit.once)(lhs.symbol) && as_it_is() {
                    self.values.insert(lhs.symbol, self.resolved(rhs));
                }
            }
            StmtKind::Call(c) => match (self.unit.call)(c) {
                Some(places) => places.iter().for_each(|p| self.place(p)),
                None => self.ends = true,
            },
            StmtKind::Marker(m) => {
                self.ends |= !matches!(
                    m.class,
                    MarkerClass::Comment
                        | MarkerClass::Pragma
                        | MarkerClass::Io
                        | MarkerClass::Terminal
                        | MarkerClass::Allocate
                        | MarkerClass::Deallocate
                );
                m.writes.iter().copied().chain(m.object.iter().map(|o| o.symbol)).for_each(|s| self.place(&VarRef::whole(s)));
            }
            // Derivatives only.
            StmtKind::Propagator(_) => {}
            StmtKind::Runtime { .. } => self.ends = true,
        }
    }

    /// An expression with what its scalars stand for in their place.
    fn resolved(&self, e: &Expr) -> Expr {
        let known = |s: SymbolId| Some(self.values.get(&s).cloned().unwrap_or_else(|| Expr::sym(s)));
        at(e, &known).unwrap_or_else(|| e.clone())
    }

    fn place(&mut self, r: &VarRef) {
        let Unit { program, formals, fixed, .. } = *self.unit;
        let rank = usize::from(program.symbol(r.symbol).rank);
        if rank == 0 || program.symbol(r.symbol).pointer || !formals.contains(&r.symbol) {
            return;
        }
        let steady = |v: &VarRef| {
            let symbol = program.symbol(v.symbol);
            let number = v.subscripts.is_empty() && symbol.rank == 0 && symbol.ty.base == BaseType::Integer;
            number && formals.contains(&v.symbol) && fixed(v.symbol)
        };
        let mut r = r.clone();
        for e in r.index_exprs_mut() {
            *e = self.resolved(e);
        }
        let counted: Vec<Around> = self.around.iter().flatten().cloned().collect();
        let mut part = spans(&r, &counted, &steady);
        part.resize(rank, None);
        let executed = self.inside == 0 && counted.len() == self.around.len() && names_all(&r, &counted);
        if !executed {
            self.perhaps.push((r.symbol, part));
            return;
        }
        let known = Known::default();
        match self.sure.get_mut(&r.symbol) {
            Some(sure) => sure.iter_mut().zip(part).for_each(|(s, p)| *s = s.take().zip(p).and_then(|(a, b)| known.hull(&a, &b))),
            None => {
                self.sure.insert(r.symbol, part);
            }
        }
    }
}

/// Parts in other symbols; those of which some symbol has none are left out.
pub(crate) fn renamed(parts: Parts, name: &dyn Fn(SymbolId) -> Option<SymbolId>) -> Parts {
    let one = |(array, mut part): (SymbolId, Open)| {
        let mut all = true;
        for e in part.iter_mut().flatten().flat_map(|s| [&mut s.low, &mut s.high]) {
            expr_symbols_mut(e, &mut |s| match name(*s) {
                Some(other) => *s = other,
                None => all = false,
            });
        }
        Some((name(array)?, part)).filter(|_| all)
    };
    parts.into_iter().filter_map(one).collect()
}

/// The bounds of an array, by dimension.
fn dims(program: &Program, s: SymbolId) -> Option<&[Dim]> {
    let symbol = program.symbol(s);
    symbol.decl.as_ref().map(|d| &d.dims[..]).filter(|d| d.len() == usize::from(symbol.rank) && !symbol.has_attribute("allocatable"))
}

/// What a part of a formal is of the actual argument, a whole array: a place that has it, with subscripts that hold before the call. `argument` gives the
/// values of formals, `fixed` tells what the caller never changes. `None` where that is not known.
pub(crate) fn at_call(
    program: &Program,
    part: &[Option<Span>],
    [formal, actual]: [SymbolId; 2],
    argument: &dyn Fn(SymbolId) -> Option<Expr>,
    fixed: &dyn Fn(SymbolId) -> bool,
) -> Option<VarRef> {
    let (theirs, ours) = (dims(program, formal)?, dims(program, actual)?);
    if theirs.len() != ours.len() || part.len() != ours.len() || program.symbol(actual).pointer {
        return None;
    }
    // In a language with rows, what is kept in one piece lies in one row.
    let single = |s: &Option<Span>| s.as_ref().is_some_and(|s| s.low == s.high);
    if program.index_order == IndexOrder::Row && !part.split_last().is_some_and(|(last, rest)| last.is_some() && rest.iter().all(single)) {
        return None;
    }
    let slowest = if program.index_order == IndexOrder::Row { 0 } else { ours.len() - 1 };
    let descriptor = program.symbol(formal).passing() == Passing::Descriptor;
    let stays = |e: &Expr| e.every_ref(&|r| fixed(r.symbol));
    let here = |b: &Bound| match b {
        Bound::Expr(e) => at(e, argument),
        Bound::Unknown => None,
    };
    let mut subscripts = Vec::with_capacity(part.len());
    for (k, span) in part.iter().enumerate() {
        let (low, Bound::Expr(own)) = (here(&theirs[k].lower)?, &ours[k].lower) else { return None };
        let shift = match (whole_number(&low), whole_number(own)) {
            (Some(a), Some(b)) => b.checked_sub(a)?,
            _ if low == *own && stays(own) => 0,
            _ => return None,
        };
        if k != slowest && !descriptor {
            let (Some(high), Bound::Expr(upper)) = (here(&theirs[k].upper), &ours[k].upper) else { return None };
            let same = match (whole_number(&high), whole_number(upper)) {
                (Some(a), Some(b)) => a.checked_add(shift)? == b,
                _ => shift == 0 && high == *upper && stays(upper),
            };
            if !same {
                return None;
            }
        }
        subscripts.push(match span {
            None if matches!(ours[k].upper, Bound::Unknown) && program.symbol(actual).passing() != Passing::Descriptor => return None,
            None => Triplet::default(),
            Some(s) => {
                let (low, high) = (plus(&at(&s.low, argument)?, shift), plus(&at(&s.high, argument)?, shift));
                if low == high { Triplet::element(low) } else { Triplet { index: Some(low), bound: Some(high), stride: None } }
            }
        });
    }
    Some(VarRef { subscripts: subscripts.into(), ..VarRef::whole(actual) })
}

/// What a part of a formal is of the actual argument, an array that is handed over from one element on: as [`at_call`].
pub(crate) fn from_element(
    program: &Program,
    part: &[Option<Span>],
    formal: SymbolId,
    actual: &VarRef,
    argument: &dyn Fn(SymbolId) -> Option<Expr>,
) -> Option<VarRef> {
    let ([theirs], [Some(span)], [t]) = (dims(program, formal)?, part, &actual.subscripts[..]) else { return None };
    let symbol = program.symbol(actual.symbol);
    if t.bound.is_some() || t.stride.is_some() || symbol.rank != 1 || symbol.pointer {
        return None;
    }
    let Bound::Expr(lower) = &theirs.lower else { return None };
    let (first, start) = (t.index.as_ref()?, whole_number(&at(lower, argument)?)?);
    let f = Fold { program };
    let place = |e: &Expr| Some(f.add(first.clone(), plus(&at(e, argument)?, start.checked_neg()?)));
    let (low, high) = (place(&span.low)?, place(&span.high)?);
    let t = if low == high { Triplet::element(low) } else { Triplet { index: Some(low), bound: Some(high), stride: None } };
    Some(VarRef { subscripts: vec![t].into(), ..VarRef::whole(actual.symbol) })
}

/// A bound that is a number, with a sign or without.
fn whole_number(e: &Expr) -> Option<i64> {
    e.as_int().or_else(|| match (&e.root().kind, &e.root().operands[..]) {
        (NodeKind::Op(op), [o]) if op.name == "minus_scal" => e.subexpr(*o).as_int()?.checked_neg(),
        _ => None,
    })
}

/// An expression over formals with the values that they have.
pub(crate) fn at(e: &Expr, argument: &dyn Fn(SymbolId) -> Option<Expr>) -> Option<Expr> {
    let mut named: Vec<SymbolId> = Vec::new();
    e.for_each_ref(&mut |r| named.push(r.symbol));
    let mut out = e.clone();
    for s in named {
        let value = argument(s)?;
        out = out.replaced(&Expr::sym(s), &value).unwrap_or(out);
    }
    Some(out)
}
