//! What stands for a unit's arguments where it is called.
//!
//! ```text
//! double rate(double y) { return y * (1 - y); }            y_1 = y + h * k;
//! k2 = rate(y + h * k);                              ->    k2 = y_1 * (1 - y_1);
//!
//! void cross(const double *a, ..., double *c)              v[0] = x[3 * i + 1] * w[2] - x[3 * i + 2] * w[1];
//! cross(x + 3 * i, w, v);                            ->    ...
//! ```
//!
//! Lives here: the substitution. Never here: which calls are taken.

use super::body::{Body, for_each_part_mut, reach};
use crate::linearize::fold::Fold;
use crate::transform::region::Item;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use std::sync::Arc;
use xaif::model::{
    Bound, Call, CallArgument, Constant, Dim, Expr, Formal, IndexOrder, NodeKind, Passing, ScopeId, Stmt, StmtKind, Storage, Symbol,
    SymbolId, Triplet, UnitId, VarRef,
};
use xaif::{Program, types};

/// What a symbol of the callee is in the caller.
#[derive(Debug)]
enum Meaning {
    /// Another variable of the same shape, or an element in place of a scalar.
    Reference(VarRef),
    /// A number.
    Constant(Arc<Constant>),
    /// An array that begins at an element of another one: for each of its dimensions the place of its first element, and its own lower bound. The dimensions
    /// of the other array that it does not have keep their subscripts.
    Within { first: VarRef, lower: Vec<Expr> },
}

/// New variables of the caller.
pub(super) type Fresh<'a> = dyn FnMut(&mut Program, &str, Symbol) -> SymbolId + 'a;

/// A call's code, or `None` where an argument has no place in it.
pub(super) fn bound(
    program: &mut Program,
    callee: UnitId,
    body: &Body,
    site: &Stmt,
    call: &Call,
    scope: ScopeId,
    fresh: &mut Fresh,
) -> Option<Vec<Item>> {
    let formals = program.unit(callee).formals.clone();
    if formals.len() != call.arguments.len() {
        return None;
    }
    let changed = changed(program, &formals, body, call)?;
    let mut meanings: FxHashMap<SymbolId, Meaning> = FxHashMap::default();
    let (mut before, mut behind): (Vec<Item>, Vec<Item>) = (Vec::new(), Vec::new());
    for (f, a) in formals.iter().zip(&call.arguments) {
        let passing = program.symbol(f.symbol).passing();
        let to = a.value.as_var();
        let shared = f.result && !to.is_some_and(|to| is_own(program, to, &call.arguments));
        let meaning = match program.symbol(f.symbol).rank {
            0 if shared => None,
            0 => scalar(program, f.symbol, &a.value, body, &changed),
            _ if shared => return None,
            _ => Some(array(program, f.symbol, to?, body, &changed)?),
        };
        let meaning = match meaning {
            Some(m) => m,
            // A value of its own, and a result that is not the caller's until it is whole.
            None if passing == Passing::Value || f.result => {
                let own = VarRef::whole(local(program, f.symbol, scope, fresh));
                let (list, mut stmt) = match f.result {
                    true => (&mut behind, Stmt::assign(to?.clone(), Expr::var(own.clone()))),
                    false => (&mut before, Stmt::assign(own.clone(), a.value.clone())),
                };
                place(&mut stmt, site);
                list.push(Item::Stmt(stmt));
                Meaning::Reference(own)
            }
            None => return None,
        };
        meanings.insert(f.symbol, meaning);
    }
    for &s in &body.locals {
        let own = local(program, s, scope, fresh);
        meanings.insert(s, Meaning::Reference(VarRef::whole(own)));
    }
    let mut items = body.items.clone();
    if let [Item::Stmt(only)] = &mut items[..] {
        // The call says more.
        place(only, site);
    }
    let program = &*program;
    for_each_part_mut(
        &mut items,
        &mut |s| {
            (s.step, s.do_chain) = (None, 0);
            s.id = Default::default();
            if let StmtKind::Assignment { lhs, rhs } = &mut s.kind {
                lhs.for_each_ref_mut(&mut |r| replace_ref(program, r, &meanings));
                replace(program, rhs, &meanings);
            }
        },
        &mut |e| replace(program, e, &meanings),
    );
    before.append(&mut items);
    before.append(&mut behind);
    // What stood before the call.
    if let Some(Item::Stmt(first)) = before.first_mut().filter(|_| !site.comment.is_empty()) {
        first.comment = site.comment.clone();
    }
    Some(before)
}

/// Everything in the caller that changes while the code of a call runs; `None` where an argument has no place.
fn changed(program: &Program, formals: &[Formal], body: &Body, call: &Call) -> Option<Changed> {
    let mut changed = Changed { symbols: body.written.intersection(&body.outer).copied().collect(), through_pointers: false };
    changed.through_pointers = !changed.symbols.is_empty();
    for (f, a) in formals.iter().zip(&call.arguments) {
        if a.position != f.position || !a.keyword.is_empty() && a.value.as_var().is_none() {
            return None;
        }
        if body.written.contains(&f.symbol) && program.symbol(f.symbol).passing() != Passing::Value {
            changed.symbols.insert(a.value.as_var()?.symbol);
            changed.through_pointers |= !f.result;
        }
    }
    Some(changed)
}

/// What the code of a call changes.
struct Changed {
    symbols: FxHashSet<SymbolId>,
    /// Whether it sets something that others may know by another name.
    through_pointers: bool,
}

impl Changed {
    /// Whether a variable has the same value all the time.
    fn spares(&self, program: &Program, symbol: SymbolId) -> bool {
        let s = program.symbol(symbol);
        let private = s.rank == 0 && (*s.storage() == Storage::Local || s.passing() == Passing::Value && *s.storage() == Storage::Argument);
        !self.symbols.contains(&symbol) && (private || s.is_fixed() || !self.through_pointers)
    }
}

/// A variable of the caller for one of the callee.
fn local(program: &mut Program, symbol: SymbolId, scope: ScopeId, fresh: &mut Fresh) -> SymbolId {
    let mut copy = program.symbol(symbol).clone();
    (copy.scope, copy.temp) = (scope, true);
    if let Some(d) = &mut copy.decl {
        (d.storage, d.passing, d.may_alias) = (Storage::Local, Passing::Reference, false);
        d.attributes.retain(|a| a != "const" && a != "restrict");
        d.comment = SmolStr::default();
    }
    let name = copy.name.clone();
    fresh(program, &name, copy)
}

/// Puts a statement where the call is.
fn place(stmt: &mut Stmt, site: &Stmt) {
    (stmt.span, stmt.line, stmt.text) = (site.span, site.line, site.text.clone());
}

/// A variable of the caller's own that is no argument besides: it may be set while the arguments are still read.
fn is_own(program: &Program, to: &VarRef, arguments: &[CallArgument]) -> bool {
    let named = |a: &CallArgument| a.value.as_var().is_some_and(|v| v.symbol == to.symbol);
    to.subscripts.is_empty() && *program.symbol(to.symbol).storage() == Storage::Local && arguments.iter().filter(|a| named(a)).count() == 1
}

/// A scalar's meaning, where it needs no variable of its own.
fn scalar(program: &Program, formal: SymbolId, actual: &Expr, body: &Body, changed: &Changed) -> Option<Meaning> {
    let symbol = program.symbol(formal);
    let t = types::of(program, actual);
    if t.rank > 0 || t.elem != symbol.ty {
        return None;
    }
    let by_value = symbol.passing() == Passing::Value;
    let set = body.written.contains(&formal);
    if let Some(c) = actual.as_constant().filter(|_| !set) {
        return Some(Meaning::Constant(Arc::new(c.clone())));
    }
    let r = actual.as_var()?;
    let still = |s: SymbolId| changed.spares(program, s);
    let place_stays = r.index_exprs().all(|e| e.every_ref(&|r| still(r.symbol)));
    // What is passed by value is what it was at the call.
    let value_stays = !by_value || !set && still(r.symbol);
    (place_stays && value_stays).then(|| Meaning::Reference(r.clone()))
}

/// An array's meaning.
fn array(program: &Program, formal: SymbolId, actual: &VarRef, body: &Body, changed: &Changed) -> Option<Meaning> {
    let (f, a) = (program.symbol(formal), program.symbol(actual.symbol));
    let (inner, outer) = (f.decl.as_ref()?, a.decl.as_ref()?);
    let (r, rank) = (usize::from(f.rank), usize::from(a.rank));
    let whole = actual.subscripts.is_empty();
    if r > rank || f.ty != a.ty || inner.dims.len() != r || outer.dims.len() != rank {
        return None;
    }
    if !actual.index_exprs().all(|e| e.every_ref(&|r| changed.spares(program, r.symbol))) {
        return None;
    }
    let number = |b: &Bound| match b {
        Bound::Expr(e) => e.as_int(),
        Bound::Unknown => None,
    };
    let extent = |d: &Dim| Some(number(&d.upper)? - number(&d.lower)? + 1);
    // Which dimensions of the actual array the formal one has, in their order, and which of them is the slowest.
    let column = program.index_order == IndexOrder::Column;
    let (from, slowest) = if column { (0, r - 1) } else { (rank - r, 0) };
    // A dimension as a whole is as good as its beginning, where it is one of the formal array's.
    let all = |t: &Triplet| t.index.is_none() && t.bound.is_none() && t.stride.is_none();
    if actual.subscripts.iter().enumerate().any(|(k, t)| t.is_section() && !(all(t) && (from..from + r).contains(&k))) {
        return None;
    }
    for k in 0..r {
        let (i, o) = (&inner.dims[k], &outer.dims[from + k]);
        let (i_extent, o_extent) = (extent(i), extent(o));
        let fits = if k == slowest {
            // Nothing reaches beyond a row of the actual array.
            let within = |o: i64| match i_extent {
                Some(i) => i <= o,
                None => number(&i.lower)
                    .zip(reach(program, &body.items, formal, k))
                    .is_some_and(|(low, (least, most))| least >= low && most - low < o),
            };
            r == rank || o_extent.is_some_and(within)
        } else {
            i_extent.is_some() && i_extent == o_extent
        };
        let starts = |t: &Triplet| all(t) || t.index.as_ref().and_then(Expr::as_int) == number(&o.lower);
        let at_start = whole || number(&o.lower).is_some() && starts(&actual.subscripts[from + k]);
        // Only the slowest dimension may begin in the middle, and a row of its own must be whole.
        if !fits || !at_start && (k != slowest || r != rank) {
            return None;
        }
    }
    // Bounds that are no numbers have the values that something had on entry to the unit, or get them when memory is allocated.
    let lowest = |dims: &[Dim]| dims.iter().map(|d| number(&d.lower).map(Expr::int)).collect::<Option<Vec<Expr>>>();
    let lower = lowest(&inner.dims)?;
    let first = if whole {
        VarRef::element(actual.symbol, lowest(&outer.dims)?)
    } else {
        let mut first = actual.clone();
        for (t, d) in first.subscripts.iter_mut().zip(&outer.dims).filter(|(t, _)| all(t)) {
            *t = Triplet::element(number(&d.lower).map(Expr::int)?);
        }
        first
    };
    Some(Meaning::Within { first, lower })
}

fn replace(program: &Program, e: &mut Expr, meanings: &FxHashMap<SymbolId, Meaning>) {
    e.for_each_ref_mut(&mut |r| replace_ref(program, r, meanings));
    constants(e, meanings);
}

/// Numbers in place of variables that have no other meaning.
fn constants(e: &mut Expr, meanings: &FxHashMap<SymbolId, Meaning>) {
    for n in &mut e.nodes {
        if let NodeKind::Var(r) = &mut n.kind {
            if let Some(Meaning::Constant(c)) = meanings.get(&r.symbol) {
                n.kind = NodeKind::Const(c.clone());
            } else {
                r.index_exprs_mut().for_each(|e| constants(e, meanings));
            }
        }
    }
}

fn replace_ref(program: &Program, r: &mut VarRef, meanings: &FxHashMap<SymbolId, Meaning>) {
    r.index_exprs_mut().for_each(|e| constants(e, meanings));
    r.forget_ids();
    r.set_keys(0, 0);
    match meanings.get(&r.symbol) {
        None | Some(Meaning::Constant(_)) => {}
        Some(Meaning::Reference(to)) if to.subscripts.is_empty() => r.symbol = to.symbol,
        Some(Meaning::Reference(to)) => *r = to.clone(),
        Some(Meaning::Within { first, lower }) => {
            let fold = Fold { program };
            let rank = first.subscripts.len();
            let from = if program.index_order == IndexOrder::Column { 0 } else { rank - lower.len() };
            let mut subscripts = first.subscripts.clone();
            for (k, low) in lower.iter().enumerate() {
                let (Some(start), Some(at)) = (subscripts[from + k].index.take(), r.subscripts[k].index.take()) else { continue };
                subscripts[from + k] = Triplet::element(fold.add(start, fold.sub(at, low.clone())));
            }
            (r.symbol, r.subscripts) = (first.symbol, subscripts);
        }
    }
}
