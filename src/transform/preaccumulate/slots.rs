//! Storage for factors: a variable for each value while code is made, few variables in the end.
//!
//! Values are set once, so each lives from its statement to the last one that reads it; those whose lives do not meet share a variable.
//!
//! Lives here: this choice. Never here: what the values are.

use super::emit::Emitted;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{ElemType, Expr, Propagation, Stmt, StmtKind, SymbolId, VarRef};

/// What is wanted of whoever has the variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A variable for a value that is read by statements only.
    Take(ElemType),
    /// One for an entry of the local Jacobian, which the propagation reads.
    Keep(ElemType),
    /// One for an intermediate sum of the propagation.
    Sum(ElemType),
    /// A variable that was taken is free again.
    Back(ElemType, SymbolId),
}

/// Gives the values of a sequence, which are `is_value`, variables in the end; `give` has these.
pub fn assign(e: &mut Emitted, tail: &mut [Stmt], is_value: &dyn Fn(SymbolId) -> Option<ElemType>, give: &mut dyn FnMut(Use) -> SymbolId) {
    let mut last: FxHashMap<SymbolId, usize> = FxHashMap::default();
    let all = e.stmts.len();
    for (at, (s, _)) in e.stmts.iter().enumerate() {
        refs(s, &mut |v| {
            last.insert(v, at);
        });
    }
    let mut kept: FxHashSet<SymbolId> = FxHashSet::default();
    for line in &e.propagation {
        in_propagation(line, &mut |v| {
            kept.insert(v);
        });
    }
    for (at, s) in tail.iter().enumerate() {
        refs(s, &mut |v| {
            last.insert(v, all + at);
        });
    }
    let mut name: FxHashMap<SymbolId, SymbolId> = FxHashMap::default();
    let mut ending: FxHashMap<usize, Vec<SymbolId>> = FxHashMap::default();
    let count = all + tail.len();
    let mut step = |at: usize, s: &mut Stmt| {
        // What is read last here gives its place to what is set here.
        for v in ending.remove(&at).unwrap_or_default() {
            if let (Some(&n), Some(ty)) = (name.get(&v), is_value(v)) {
                give(Use::Back(ty, n));
            }
        }
        if let StmtKind::Assignment { lhs, .. } = &s.kind
            && let Some(ty) = is_value(lhs.symbol)
            && !name.contains_key(&lhs.symbol)
        {
            let keep = kept.contains(&lhs.symbol);
            name.insert(lhs.symbol, give(if keep { Use::Keep(ty) } else { Use::Take(ty) }));
            let end = last.get(&lhs.symbol).copied().unwrap_or(at).max(at);
            if !keep {
                ending.entry(end.max(at + 1)).or_default().push(lhs.symbol);
            }
        }
        rename(s, &name);
    };
    for (at, (s, _)) in e.stmts.iter_mut().enumerate() {
        step(at, s);
    }
    for (at, s) in tail.iter_mut().enumerate() {
        step(all + at, s);
    }
    let mut rest: Vec<usize> = ending.keys().copied().filter(|&k| k >= count).collect();
    rest.sort_unstable();
    for k in rest {
        for v in ending.remove(&k).unwrap_or_default() {
            if let (Some(&n), Some(ty)) = (name.get(&v), is_value(v)) {
                give(Use::Back(ty, n));
            }
        }
    }
    // Intermediate sums are set in the propagation only.
    for line in &mut e.propagation {
        if let Propagation::Sax { y, .. } = line
            && let Some(ty) = is_value(y.symbol)
            && !name.contains_key(&y.symbol)
        {
            name.insert(y.symbol, give(Use::Sum(ty)));
        }
        rename_propagation(line, &name);
    }
    for s in &mut e.sums {
        if let Some(&n) = name.get(s) {
            *s = n;
        }
    }
}

/// Puts intermediate sums right behind what they need, so that factors do not live longer than they must; outputs stay last. `is_suspect` tells which
/// variables may be written under other names.
pub fn interleave(
    e: &mut Emitted,
    tail: &mut Vec<Stmt>,
    is_value: &dyn Fn(SymbolId) -> Option<ElemType>,
    is_suspect: &dyn Fn(SymbolId) -> bool,
) {
    let mut last: FxHashMap<SymbolId, usize> = FxHashMap::default();
    let mut suspect = 0;
    for (at, (s, _)) in e.stmts.iter().enumerate() {
        if let StmtKind::Assignment { lhs, .. } = &s.kind {
            last.insert(lhs.symbol, at + 1);
            if is_value(lhs.symbol).is_none() && is_suspect(lhs.symbol) {
                suspect = at + 1;
            }
        }
    }
    let mut moved: Vec<(usize, Box<Stmt>)> = Vec::new();
    let mut rest = Vec::new();
    for s in tail.drain(..) {
        let StmtKind::Assignment { lhs, rhs } = &s.kind else { continue };
        // Sums come before all outputs, so what they read has not been set yet.
        if is_value(lhs.symbol).is_none() || !rest.is_empty() {
            rest.push(s);
            continue;
        }
        let mut at = 0;
        rhs.for_each_ref(&mut |r| {
            at = at.max(last.get(&r.symbol).copied().unwrap_or(0));
            if is_value(r.symbol).is_none() && is_suspect(r.symbol) {
                at = at.max(suspect);
            }
        });
        last.insert(lhs.symbol, at);
        moved.push((at, Box::new(s)));
    }
    *tail = rest;
    // A stable sort: sums that need each other are in order.
    moved.sort_by_key(|(at, _)| *at);
    let mut moved = moved.into_iter().peekable();
    let mut out = Vec::with_capacity(e.stmts.len() + moved.len());
    for (at, s) in std::mem::take(&mut e.stmts).into_iter().enumerate() {
        while let Some((_, m)) = moved.next_if(|(k, _)| *k <= at) {
            out.push((m, None));
        }
        out.push(s);
    }
    out.extend(moved.map(|(_, m)| (m, None)));
    e.stmts = out;
}

fn refs(s: &Stmt, visit: &mut dyn FnMut(SymbolId)) {
    if let StmtKind::Assignment { lhs, rhs } = &s.kind {
        lhs.index_exprs().for_each(|e| e.for_each_ref(&mut |r| visit(r.symbol)));
        rhs.for_each_ref(&mut |r| visit(r.symbol));
    }
}

fn in_propagation(line: &Propagation, visit: &mut dyn FnMut(SymbolId)) {
    if let Propagation::Sax { terms, .. } = line {
        for (a, _) in terms {
            a.for_each_ref(&mut |r| visit(r.symbol));
        }
    }
}

fn rename_expr(e: &mut Expr, name: &FxHashMap<SymbolId, SymbolId>) {
    e.for_each_ref_mut(&mut |r| {
        if let Some(&n) = name.get(&r.symbol) {
            r.symbol = n;
        }
    });
}

fn rename_ref(r: &mut VarRef, name: &FxHashMap<SymbolId, SymbolId>) {
    if let Some(&n) = name.get(&r.symbol) {
        r.symbol = n;
    }
}

fn rename(s: &mut Stmt, name: &FxHashMap<SymbolId, SymbolId>) {
    if let StmtKind::Assignment { lhs, rhs } = &mut s.kind {
        rename_ref(lhs, name);
        rename_expr(rhs, name);
    }
}

fn rename_propagation(line: &mut Propagation, name: &FxHashMap<SymbolId, SymbolId>) {
    match line {
        Propagation::Sax { terms, y } => {
            rename_ref(y, name);
            for (a, x) in terms {
                rename_expr(a, name);
                rename_ref(x, name);
            }
        }
        Propagation::Zero { target } => rename_ref(target, name),
        _ => {}
    }
}
