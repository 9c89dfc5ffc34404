//! Storage for factors: a variable for each value while code is made, few variables in the end.
//!
//! Values are set once, so each lives from its statement to the last one that reads it; those whose lives do not meet share a variable.
//!
//! Lives here: this choice. Never here: what the values are.

use super::emit::Emitted;
use rustc_hash::FxHashMap;
use std::mem::take;
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

/// Variables that are free again, by their types.
#[derive(Clone, Debug, Default)]
pub struct Pool(Vec<(ElemType, SymbolId)>);

impl Pool {
    /// The one that became free last.
    pub fn take(&mut self, ty: ElemType) -> Option<SymbolId> {
        let k = self.0.iter().rposition(|(t, _)| *t == ty)?;
        Some(self.0.swap_remove(k).1)
    }

    /// Takes a variable back, and gives it: what [`Plan::named`] wants to hear.
    pub fn back(&mut self, ty: ElemType, s: SymbolId) -> SymbolId {
        self.0.push((ty, s));
        s
    }
}

/// The values of a sequence that have no variables yet: symbols with numbers from `base` on.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// The first of them.
    pub base: usize,
    /// Their types.
    pub types: &'a [ElemType],
}

impl Values<'_> {
    /// The number of a value.
    fn number(&self, s: SymbolId) -> Option<usize> {
        s.index().checked_sub(self.base).filter(|&k| k < self.types.len())
    }
}

/// What is wanted for one value.
#[derive(Clone, Copy, Debug)]
enum Want {
    Take,
    Keep,
    Sum,
    Back,
}

/// What a sequence wants for its values, by their numbers, in order.
#[derive(Clone, Debug)]
pub struct Plan(Vec<(Want, usize)>);

/// The variables that values have in the end.
#[derive(Clone, Debug)]
pub struct Named {
    base: usize,
    variables: Vec<Option<SymbolId>>,
}

impl Plan {
    /// Of a sequence whose propagation is, besides or instead, written as statements: `tail`.
    pub fn of(e: &Emitted, tail: &[Stmt], values: Values) -> Plan {
        let all = e.stmts.len();
        let count = all + tail.len();
        let statements = || e.stmts.iter().map(|(s, _)| &**s).chain(tail).enumerate();
        let mut last: Vec<usize> = vec![0; values.types.len()];
        for (at, s) in statements() {
            refs(s, &mut |v| {
                if let Some(k) = values.number(v) {
                    last[k] = at;
                }
            });
        }
        let mut kept = vec![false; values.types.len()];
        for line in &e.propagation {
            in_propagation(line, &mut |v| {
                if let Some(k) = values.number(v) {
                    kept[k] = true;
                }
            });
        }
        let mut wants = Vec::with_capacity(2 * values.types.len());
        let mut known = vec![false; values.types.len()];
        let mut ending: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
        for (at, s) in statements() {
            // What is read last here gives its place to what is set here.
            wants.extend(take(&mut ending[at]).into_iter().map(|k| (Want::Back, k)));
            let StmtKind::Assignment { lhs, .. } = &s.kind else { continue };
            let Some(k) = values.number(lhs.symbol).filter(|&k| !known[k]) else { continue };
            known[k] = true;
            wants.push((if kept[k] { Want::Keep } else { Want::Take }, k));
            if !kept[k] {
                ending[last[k].max(at + 1)].push(k);
            }
        }
        wants.extend(take(&mut ending[count]).into_iter().map(|k| (Want::Back, k)));
        // Intermediate sums are set in the propagation only.
        for line in &e.propagation {
            if let Propagation::Sax { y, .. } = line
                && let Some(k) = values.number(y.symbol).filter(|&k| !known[k])
            {
                known[k] = true;
                wants.push((Want::Sum, k));
            }
        }
        Plan(wants)
    }

    /// The variables for the values; `give` has them.
    pub fn named(&self, values: Values, give: &mut dyn FnMut(Use) -> SymbolId) -> Named {
        let mut variables = vec![None; values.types.len()];
        for &(want, k) in &self.0 {
            let ty = values.types[k];
            match (want, variables[k]) {
                (Want::Take, _) => variables[k] = Some(give(Use::Take(ty))),
                (Want::Keep, _) => variables[k] = Some(give(Use::Keep(ty))),
                (Want::Sum, _) => variables[k] = Some(give(Use::Sum(ty))),
                (Want::Back, Some(variable)) => _ = give(Use::Back(ty, variable)),
                (Want::Back, None) => {}
            }
        }
        Named { base: values.base, variables }
    }
}

impl Named {
    fn of(&self, s: SymbolId) -> Option<SymbolId> {
        s.index().checked_sub(self.base).and_then(|k| *self.variables.get(k)?)
    }

    fn set(&self, r: &mut VarRef) {
        if let Some(variable) = self.of(r.symbol) {
            r.symbol = variable;
        }
    }

    fn expr(&self, e: &mut Expr) {
        e.for_each_ref_mut(&mut |r| self.set(r));
    }

    fn stmt(&self, s: &mut Stmt) {
        if let StmtKind::Assignment { lhs, rhs } = &mut s.kind {
            self.set(lhs);
            self.expr(rhs);
        }
    }

    /// Writes the variables into a sequence, for each value where it stands.
    pub fn write(&self, e: &mut Emitted, tail: &mut [Stmt]) {
        e.stmts.iter_mut().for_each(|(s, _)| self.stmt(s));
        tail.iter_mut().for_each(|s| self.stmt(s));
        for line in &mut e.propagation {
            match line {
                Propagation::Sax { terms, y } => {
                    self.set(y);
                    for (a, x) in terms {
                        self.expr(a);
                        self.set(x);
                    }
                }
                Propagation::Zero { target } => self.set(target),
                _ => {}
            }
        }
        for s in &mut e.sums {
            *s = self.of(*s).unwrap_or(*s);
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
