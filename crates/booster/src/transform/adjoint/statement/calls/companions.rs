//! The adjoint of one argument of a call: that of a variable, of a value, of a result, or one that is thrown away.
//!
//! Lives here: what is handed over, and what stands around the call for it. Never here: the call.

use super::{Adjoint, Pair, PlannedCalls};
use crate::analysis::accesses::reach::reached;
use crate::analysis::arrays::regions::Span;
use crate::linearize::fold::zero;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::facts::effects::subscripts;
use crate::transform::adjoint::statement::assignment;
use crate::transform::adjoint::variables::{allocated, optional};
use crate::transform::written::allocated_bounds;
use xaif::catalogue::Catalogue;
use xaif::model::{Bound, ElemType, Expr, Stmt, StmtKind, Storage, Symbol, SymbolId, Triplet, VarRef};
use xaif::{Diagnostic, Program, types};

impl PlannedCalls<'_> {
    /// The adjoint of a result: read by the callee, zero afterwards.
    pub(super) fn result(
        &self,
        unit: &mut dyn Surroundings,
        stmt: &Stmt,
        pair: &Pair,
        pairs: &[Pair],
        out: &mut Adjoint,
    ) -> Result<Expr, Diagnostic> {
        let ty = unit.program().symbol(pair.formal).ty;
        let Some((r, companion)) = pair.reference.and_then(|r| Some((r, unit.adjoint(r.symbol)?))) else {
            return match pair.reference.filter(|_| unit.program().symbol(pair.formal).rank > 0) {
                Some(r) => self.zeros(unit, stmt, pair.formal, &r.clone(), out),
                None => Ok(zero(ty)),
            };
        };
        let rb = r.with_symbol(companion);
        subscripts(unit.program(), r, &mut out.needs);
        let clear = Item::stmt(Stmt::assign(rb.clone(), zero(unit.program().symbol(companion).ty)));
        let mut elsewhere = false;
        for p in pairs.iter().filter(|p| p.index != pair.index) {
            p.argument.value.for_each_ref(&mut |q| elsewhere |= q.symbol == r.symbol || unit.overlap(q.symbol, r.symbol));
        }
        let copied = elsewhere || unit.program().symbol(companion).ty != ty;
        if copied && types::of_ref(unit.program(), r).rank > 0 {
            return Err(Diagnostic::error("OB4061", "the array that takes this function's result is an argument of the call as well")
                .at(unit.program().location(stmt.span))
                .because("its derivative would be read and written by the same call")
                .help("assign the function's result to another array"));
        }
        if copied {
            let t = unit.scratch(ty);
            out.before.push(Item::stmt(Stmt::assign(VarRef::whole(t), Expr::var(rb))));
            out.before.push(clear);
            return Ok(Expr::sym(t));
        }
        out.behind.push(clear);
        Ok(Expr::var(rb))
    }

    /// The adjoint that is handed over for any other argument. `touched` is what the callee sees in other ways: a value's adjoint must not be the
    /// adjoint of that.
    pub(super) fn companion(
        &self,
        unit: &mut dyn Surroundings,
        stmt: &Stmt,
        pair: &Pair,
        touched: &[SymbolId],
        out: &mut Adjoint,
    ) -> Result<Expr, Diagnostic> {
        let program = unit.program();
        let formal: Symbol = program.symbol(pair.formal).clone();
        let var = pair.argument.value.as_var();
        if let Some((r, companion)) = var.and_then(|r| Some((r, unit.adjoint(r.symbol)?)))
            && program.symbol(companion).ty == formal.ty
            && (pair.reference.is_some() || !touched.iter().any(|&t| t == r.symbol || unit.overlap(t, r.symbol)))
        {
            return Ok(Expr::var(r.with_symbol(companion)));
        }
        let mut active = false;
        pair.argument.value.for_each_ref(&mut |r| active |= unit.adjoint(r.symbol).is_some());
        if formal.rank == 0 {
            let tb = unit.temporary(&format!("{}b", formal.name), formal.ty);
            out.before.push(Item::stmt(Stmt::assign(VarRef::whole(tb), zero(formal.ty))));
            if active {
                let value = unit.temporary(&formal.name, formal.ty);
                let mut with = WithArgument { unit, value, companion: tb };
                let mut items = assignment::adjoint(&mut with, &VarRef::whole(value), &pair.argument.value, false)?;
                // The argument's own adjoint is dead afterwards.
                items.retain(|i| !matches!(&i.kind, tree::ItemKind::Stmt(s) if matches!(&s.kind, StmtKind::Assignment { lhs, .. } if lhs.symbol == tb)));
                out.behind.extend(items);
            }
            return Ok(Expr::sym(tb));
        }
        if let Some(r) = var.filter(|r| optional::may_be_absent(unit.program(), r.symbol)) {
            let wish = format!("{}b", unit.program().symbol(r.symbol).name);
            if let Some((tb, open, close)) = optional::array_like(unit, &wish, formal.ty, r.symbol) {
                out.before.extend(open);
                out.behind.extend(optional::guarded(unit.program(), r.symbol, vec![close]));
                return Ok(Expr::var(r.with_symbol(tb)));
            }
        }
        match var {
            Some(r) => self.zeros(unit, stmt, pair.formal, r, out),
            None => Err(no_length(unit, stmt, &formal)),
        }
    }

    /// The elements of a vector that a callee names, in terms of the arguments of a call.
    fn reached(&self, program: &Program, stmt: &Stmt, formal: SymbolId) -> Option<Span> {
        let StmtKind::Call(call) = &stmt.kind else { return None };
        reached(program, self.plan.facts, *self.units.get(&call.callee)?, formal, call)
    }

    /// How large the original makes a local array, in terms of the derivative unit.
    fn allocated_bounds(&self, program: &Program, array: SymbolId) -> Option<Vec<Triplet>> {
        // There is one original for each copy.
        let original = self.here.iter().find(|(_, copy)| **copy == array).map(|(o, _)| *o)?;
        let mut all = allocated_bounds(program, original)?;
        let mut known = true;
        for e in all.iter_mut().flat_map(|t| [&mut t.index, &mut t.bound]).flatten() {
            e.for_each_ref_mut(&mut |r| match self.here.get(&r.symbol) {
                Some(&copy) => r.symbol = copy,
                None => known &= *program.symbol(r.symbol).storage() == Storage::Constant,
            });
        }
        known.then_some(all)
    }

    /// An array of zeros in the place of the adjoint of a variable that has none.
    fn zeros(&self, unit: &mut dyn Surroundings, stmt: &Stmt, formal: SymbolId, r: &VarRef, out: &mut Adjoint) -> Result<Expr, Diagnostic> {
        let in_callee = formal;
        let formal = unit.program().symbol(formal).clone();
        let actual = unit.program().symbol(r.symbol).clone();
        let dims = actual.decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
        if dims.is_empty() || dims.iter().any(|d| matches!(d.upper, Bound::Unknown)) {
            if let Some(all) = self.allocated_bounds(unit.program(), r.symbol) {
                let (tb, open, close) = allocated::zeros(unit, &format!("{}b", actual.name.replace('%', "_")), formal.ty, all);
                out.before.push(open);
                out.behind.push(close);
                return Ok(Expr::var(r.with_symbol(tb)));
            }
            // As long as what the callee names.
            let Some(Span { low, high }) = self.reached(unit.program(), stmt, in_callee) else {
                return Err(no_length(unit, stmt, &formal));
            };
            let all = vec![Triplet { index: Some(low), bound: Some(high), stride: None }];
            let (tb, open, close) = allocated::zeros(unit, &format!("{}b", actual.name), formal.ty, all);
            out.before.push(open);
            out.behind.push(close);
            return Ok(Expr::sym(tb));
        }
        let steady = |t: &Triplet| [&t.index, &t.bound].into_iter().flatten().all(|e| e.every_ref(&|q| !unit.changes(q.symbol)));
        if let Some(all) = allocated::bounds(&dims).filter(|b| allocated::is_needed(unit.program(), b) && b.iter().all(steady)) {
            let (tb, open, close) = allocated::zeros(unit, &format!("{}b", actual.name), formal.ty, all);
            out.before.push(open);
            out.behind.push(close);
            return Ok(Expr::var(r.with_symbol(tb)));
        }
        let tb = unit.array(&format!("{}b", actual.name), formal.ty, &actual);
        out.before.push(Item::stmt(Stmt::assign(VarRef::whole(tb), zero(formal.ty))));
        Ok(Expr::var(r.with_symbol(tb)))
    }
}

/// The refusal of an array that would have to take a derivative that is thrown away.
fn no_length(unit: &dyn Surroundings, stmt: &Stmt, formal: &Symbol) -> Diagnostic {
    Diagnostic::error("OB4057", format!("argument {} of this call has no derivative, but the callee's has", formal.name))
        .at(unit.program().location(stmt.span))
        .because("its length is not known, so no array can take the derivative that is thrown away")
        .help("declare the length, or name the variable in the head")
}

/// The surroundings with an argument that is passed as a value.
struct WithArgument<'a> {
    unit: &'a mut dyn Surroundings,
    value: SymbolId,
    companion: SymbolId,
}

impl Surroundings for WithArgument<'_> {
    fn program(&self) -> &Program {
        self.unit.program()
    }
    fn catalogue(&self) -> &Catalogue {
        self.unit.catalogue()
    }
    fn adjoint(&self, symbol: SymbolId) -> Option<SymbolId> {
        if symbol == self.value { Some(self.companion) } else { self.unit.adjoint(symbol) }
    }
    fn overlap(&self, a: SymbolId, b: SymbolId) -> bool {
        self.unit.overlap(a, b)
    }
    fn temporary(&mut self, wish: &str, ty: ElemType) -> SymbolId {
        self.unit.temporary(wish, ty)
    }
    fn scratch(&mut self, ty: ElemType) -> SymbolId {
        self.unit.scratch(ty)
    }
    fn array(&mut self, wish: &str, ty: ElemType, like: &Symbol) -> SymbolId {
        self.unit.array(wish, ty, like)
    }
    fn whole(&self, symbol: SymbolId) -> VarRef {
        self.unit.whole(symbol)
    }
    fn changes(&self, symbol: SymbolId) -> bool {
        self.unit.changes(symbol)
    }
    fn is_new(&self, symbol: SymbolId) -> bool {
        symbol == self.value || self.unit.is_new(symbol)
    }
}
