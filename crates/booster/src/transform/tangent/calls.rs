//! Tangents of calls: `g(x, y)` becomes `g_d(x, xd, y, yd)`.
//!
//! Where the callee expects a derivative that the caller does not have, a variable that is zero is handed over; where the
//! caller has one that the callee does not know, it is zero behind the call if the callee has set its variable.

use super::Writer;
use super::zeros::has_unknown_extent;
use crate::analysis::accesses::reach::reached;
use crate::analysis::activity::active::StepFacts;
use crate::analysis::arrays::regions::Span;
use crate::linearize::{Refusal, fold, tangent_expr};
use crate::signature::Role;
use crate::transform::follow;
use crate::transform::plan::Derived;
use crate::transform::region::Item;
use crate::transform::written::allocated_bounds;
use xaif::model::{
    Bound, Call, CallArgument, Dim, Expr, Formal, Mode, Passing, Stmt, StmtKind, Storage, Symbol, SymbolId, Triplet, UnitId, VarRef,
};
use xaif::{Diagnostic, types};

impl Writer<'_, '_> {
    pub(super) fn call(&mut self, mut s: Stmt, facts: StepFacts, out: &mut Vec<Item>) {
        let StmtKind::Call(call) = &s.kind else { return out.push(Item::Stmt(s)) };
        let call = call.clone();
        let callee = self.program.unit_of_symbol(call.callee);
        let derived = callee.and_then(|u| self.plan.of(u, Mode::Tangent)).cloned();
        let mut before = Vec::new();
        let mut behind = Vec::new();
        if let (Some(callee), Some(derived)) = (callee, &derived) {
            match self.arguments(callee, derived, &call, &mut before, &mut behind) {
                Ok(arguments) => {
                    let name = self.program.unit(derived.unit).symbol;
                    let count = Some(self.program.unit(derived.unit).formals.len() as u32);
                    let comment = std::mem::take(&mut s.comment);
                    let kind = StmtKind::Call(Call { callee: name, arguments, formal_count: count, active: call.active });
                    s = Stmt { comment, kind, ..s };
                }
                Err(d) => return self.problem(d, s.span),
            }
        }
        if let Some(Item::Stmt(first)) = before.first_mut() {
            std::mem::swap(&mut first.comment, &mut s.comment);
        }
        out.append(&mut before);
        out.push(Item::Stmt(s));
        out.append(&mut behind);
        if facts.useful {
            let zeros = self.killed(callee, &call);
            out.extend(zeros.into_iter().map(Item::Stmt));
        }
    }

    /// Zero derivatives behind a call that sets a variable without knowing its derivative.
    fn killed(&mut self, callee: Option<UnitId>, call: &Call) -> Vec<Stmt> {
        let mut out = Vec::new();
        let Some(callee) = callee else { return out };
        let original = self.plan.derived[self.at].original;
        let kills = self.plan.facts.effects.unit(callee).kills.clone();
        for a in &call.arguments {
            let Some(k) = self.program.unit(callee).formals.iter().position(|f| f.position == a.position) else { continue };
            let formal = self.program.unit(callee).formals[k].symbol;
            if !kills.contains(&formal) || self.plan.takes_derivative(self.program, callee, Mode::Tangent, k) {
                continue;
            }
            if let Some(target) = a.value.as_var().and_then(|r| self.derivative(r)) {
                let target = self.first_element(target);
                out.push(self.zero(target));
            }
        }
        for g in kills {
            if self.plan.facts.objects.is_shared(callee, g)
                && !self.plan.activity.is_active(callee, g)
                && self.plan.activity.is_active(original, g)
            {
                let copy = self.plan.local(self.program, self.at, g);
                if let Some(c) = self.companion(copy) {
                    out.push(self.zero(VarRef::whole(c)));
                }
            }
        }
        out
    }

    /// A whole array handed to a scalar is its first element.
    fn first_element(&self, r: VarRef) -> VarRef {
        let symbol = self.program.symbol(r.symbol);
        if symbol.rank == 0 || !r.subscripts.is_empty() {
            return r;
        }
        let lower = |k: usize| match symbol.decl.as_ref().and_then(|d| d.dims.get(k)).map(|d| &d.lower) {
            Some(xaif::model::Bound::Expr(e)) => e.clone(),
            _ => Expr::op("lbound", [Expr::sym(r.symbol), Expr::int(k as i64 + 1)]),
        };
        VarRef::element(r.symbol, (0..symbol.rank as usize).map(lower))
    }

    /// The arguments of the derivative call.
    fn arguments(
        &mut self,
        callee: UnitId,
        derived: &Derived,
        call: &Call,
        before: &mut Vec<Item>,
        behind: &mut Vec<Item>,
    ) -> Result<Vec<CallArgument>, Diagnostic> {
        let formals: Vec<Formal> = self.program.unit(callee).formals.clone();
        let mut out: Vec<CallArgument> = Vec::new();
        let mut by_keyword = false;
        let last = derived.signature.roles.len();
        for (i, &role) in derived.signature.roles.iter().enumerate() {
            let f = &formals[role.index()];
            let Some(actual) = call.arguments.iter().find(|a| a.position == f.position) else {
                if f.result {
                    return Err(self.missing(callee, f));
                }
                by_keyword = true;
                continue;
            };
            let is_result = derived.signature.is_function && i + 1 == last;
            let own = self.program.unit(derived.unit).formals[i].symbol;
            let value = match role {
                Role::Primal(_) if f.result && !is_result => {
                    let reference = actual.value.as_var().cloned();
                    reference.map_or_else(|| actual.value.clone(), |r| self.result_value(callee, call, actual, r, behind))
                }
                Role::Primal(_) => actual.value.clone(),
                Role::Derivative(_) => {
                    let value = self.derivative_argument(callee, f, own, (call, actual), before, behind)?;
                    match value.as_var().cloned() {
                        Some(r) if f.result && !is_result => self.result_value(callee, call, actual, r, behind),
                        _ => value,
                    }
                }
            };
            by_keyword |= !actual.keyword.is_empty();
            let keyword = if by_keyword && !is_result { self.program.symbol(own).name.clone() } else { Default::default() };
            out.push(CallArgument { keyword, ..CallArgument::new(i as u32 + 1, value) });
        }
        Ok(out)
    }

    fn missing(&self, callee: UnitId, f: &Formal) -> Diagnostic {
        Diagnostic::error(
            "OB4029",
            format!("the call of {} leaves out {}", self.program.unit_name(callee), self.program.symbol(f.symbol).name),
        )
        .because("the argument is not optional")
    }

    /// The variable that takes the value of the result, or its derivative, for `target`: another one where the result is an argument as well, which must not share
    /// memory with it.
    fn result_value(&mut self, callee: UnitId, call: &Call, actual: &CallArgument, target: VarRef, behind: &mut Vec<Item>) -> Expr {
        let Some(r) = actual.value.as_var() else { return Expr::var(target) };
        let (unit, own, facts) = (self.plan.derived[self.at].original, self.original_of(r.symbol), self.plan.facts);
        let mut shared = self.sees(callee, own);
        for a in call.arguments.iter().filter(|a| a.position != actual.position) {
            a.value.for_each_ref(&mut |other| {
                let [a, b] = [self.original_of(other.symbol), own].map(|s| facts.objects.canonical(s));
                shared |= other.symbol == r.symbol || facts.aliases.overlap(unit, a, b);
            });
        }
        if !shared {
            return Expr::var(target);
        }
        let (name, ty) = (self.program.unit_name(callee).to_owned(), types::of_ref(self.program, r).elem);
        let like = self.program.symbol(r.symbol).clone();
        let t = self.scalar_like(&format!("{name}_value"), &Symbol { ty, ..like });
        behind.push(Item::Stmt(Stmt::assign(target, Expr::sym(t))));
        Expr::sym(t)
    }

    /// Whether a unit may use a variable by other ways than its arguments.
    fn sees(&self, unit: UnitId, symbol: SymbolId) -> bool {
        let s = self.program.symbol(symbol);
        if self.plan.facts.objects.outlives_call(symbol) {
            return true;
        }
        // A variable of the host, unless a front end has made it up.
        let mut at = Some(self.program.unit(unit).scope);
        for _ in 0..=self.program.scopes.len() {
            let Some(scope) = at else { break };
            if scope == s.scope {
                return !s.temp;
            }
            at = self.program.scope(scope).parent;
        }
        false
    }

    fn scalar_like(&mut self, wish: &str, like: &Symbol) -> SymbolId {
        self.plan.temporary_like(self.program, self.at, wish, like, Vec::new())
    }

    /// An allocatable array for zeros that stand for the derivative of an array in calls.
    fn zeros_for_a_call(&mut self, array: SymbolId) -> SymbolId {
        if let Some(&t) = self.zero_arguments.get(&array) {
            return t;
        }
        let symbol = self.program.symbol(array).clone();
        let dims = vec![Dim::default(); usize::from(symbol.rank)];
        let t = self.plan.temporary_like(self.program, self.at, &format!("{}d", symbol.name), &symbol, dims);
        self.program.symbol_mut(t).decl.get_or_insert_default().attributes.push("allocatable".into());
        self.zero_arguments.insert(array, t);
        t
    }

    /// How large the original makes a local array, in terms of the derivative unit.
    fn allocated_bounds(&mut self, array: SymbolId) -> Option<Vec<Triplet>> {
        let original = self.plan.derived[self.at].original_of(array);
        let mut all = allocated_bounds(self.program, original)?;
        for e in all.iter_mut().flat_map(|t| [&mut t.index, &mut t.bound]).flatten() {
            e.for_each_ref_mut(&mut |r| r.symbol = self.plan.local(self.program, self.at, r.symbol));
        }
        Some(all)
    }

    /// What is handed over as the derivative of an argument.
    fn derivative_argument(
        &mut self,
        callee: UnitId,
        f: &Formal,
        own: SymbolId,
        (call, argument): (&Call, &CallArgument),
        before: &mut Vec<Item>,
        behind: &mut Vec<Item>,
    ) -> Result<Expr, Diagnostic> {
        let actual = &argument.value;
        let formal = self.program.symbol(f.symbol).clone();
        if formal.passing() == Passing::Value && !f.result {
            return self.value_argument(callee, f, &formal, actual);
        }
        let Some(r) = actual.as_var() else {
            // A constant, or a value in a variable of the compiler's.
            let wish = self.program.symbol(own).name.clone();
            let t = self.scalar_like(&wish, &formal);
            before.push(Item::Stmt(self.zero(VarRef::whole(t))));
            return Ok(Expr::sym(t));
        };
        if let Some(d) = self.derivative(r) {
            return Ok(Expr::var(d));
        }
        let symbol = self.program.symbol(r.symbol).clone();
        let scalar = formal.rank == 0 && types::of_ref(self.program, r).rank == 0;
        let local = symbol.has_attribute("allocatable") && *symbol.storage() == Storage::Local;
        let optional = symbol.has_attribute("optional") && !symbol.has_attribute("allocatable");
        let follows = local || optional && !has_unknown_extent(self.program, r.symbol);
        if follows && !scalar {
            // Its bounds are known at the call, and nowhere else; nothing stands for what is absent, which makes it absent for the callee, too.
            let t = self.zeros_for_a_call(r.symbol);
            let only_if_there = |s: Stmt| match optional {
                true => Item::Branch {
                    condition: crate::transform::follow::is_present(r.symbol),
                    then: vec![Item::Stmt(s)],
                    otherwise: Vec::new(),
                },
                false => Item::Stmt(s),
            };
            // Two arguments of a call may need the same zeros.
            let free = only_if_there(follow::free(t));
            if !behind.contains(&free) {
                before.push(only_if_there(follow::allocated_like(self.program, r.symbol, t).1));
                behind.push(free);
            }
            return Ok(Expr::var(r.with_symbol(t)));
        }
        // What stands for an allocatable array is there for one call only.
        if let Some(&t) = self.zero_arguments.get(&r.symbol).filter(|_| !follows && (symbol.rank > 0 || scalar)) {
            before.push(Item::Stmt(self.zero(VarRef::whole(t))));
            return Ok(Expr::var(r.with_symbol(t)));
        }
        if symbol.has_attribute("optional") && !scalar {
            return Err(Diagnostic::error(
                "OB4026",
                format!("{} expects a derivative of {}, which has none here", self.program.unit_name(callee), symbol.name),
            )
            .because("it may be absent, so no array of zeros has its extent")
            .help(format!("name {} in the head, or hand it on where it is present only", symbol.name)));
        }
        let wish = format!("{}d", symbol.name);
        if scalar {
            let t = self.scalar_like(&wish, &formal);
            before.push(Item::Stmt(self.zero(VarRef::whole(t))));
            return Ok(Expr::sym(t));
        }
        let decl = symbol.decl.clone().unwrap_or_default();
        let dims: Option<Vec<_>> =
            (0..symbol.rank as usize).map(|k| crate::transform::companions::known_extent(self.program, r.symbol, k, &decl)).collect();
        let Some(dims) = dims.filter(|_| !has_unknown_extent(self.program, r.symbol)) else {
            return self.zeros_of_open_length(callee, f, (&formal, &symbol, r), call, before, behind);
        };
        let t = self.plan.temporary_like(self.program, self.at, &wish, &symbol, dims);
        self.zero_arguments.insert(r.symbol, t);
        before.push(Item::Stmt(self.zero(VarRef::whole(t))));
        Ok(Expr::var(r.with_symbol(t)))
    }

    /// What is handed over as the derivative of an argument that is passed as a value.
    fn value_argument(&self, callee: UnitId, f: &Formal, formal: &Symbol, actual: &Expr) -> Result<Expr, Diagnostic> {
        // A head may name what no derivative depends on: nobody has kept one of the argument then.
        let k = self.program.unit(callee).formals.iter().position(|g| g.symbol == f.symbol);
        if k.is_some_and(|k| !self.plan.activity.formal(self.program, callee, k).input) {
            return Ok(fold::zero(formal.ty));
        }
        let d = tangent_expr(self.program, self.plan.catalogue(), actual, &|r| self.derivative(r));
        match d {
            Ok(Some(e)) => Ok(e),
            Ok(None) => Ok(fold::zero(formal.ty)),
            Err(Refusal::Unsupported(d)) => Err(d),
            Err(Refusal::NeedsLoops) => {
                Err(Diagnostic::error("OB4030", "an array operation is passed by value and has to be differentiated")
                    .help("assign it to a variable first"))
            }
        }
    }

    /// Zeros in the place of an array of which no declaration says the length: as many as it is allocated with, or as the callee names.
    fn zeros_of_open_length(
        &mut self,
        callee: UnitId,
        f: &Formal,
        (formal, symbol, r): (&Symbol, &Symbol, &VarRef),
        call: &Call,
        before: &mut Vec<Item>,
        behind: &mut Vec<Item>,
    ) -> Result<Expr, Diagnostic> {
        let wish = format!("{}d", symbol.name);
        if let Some(all) = self.allocated_bounds(r.symbol) {
            let open = all.iter().map(|t| Dim { lower: t.index.clone().map_or(Bound::Unknown, Bound::Expr), upper: Bound::Unknown });
            let t = self.plan.temporary_like(self.program, self.at, &wish, symbol, open.collect());
            let attributes = &mut self.program.symbol_mut(t).decl.get_or_insert_default().attributes;
            if !attributes.iter().any(|a| a == "heap") {
                attributes.push("heap".into());
            }
            before.push(Item::Stmt(follow::allocate(VarRef { subscripts: all.into_iter().collect(), ..VarRef::whole(t) }, true)));
            behind.push(Item::Stmt(follow::free(t)));
            return Ok(Expr::var(r.with_symbol(t)));
        }
        // As long as what the callee names.
        if let Some(Span { low, high }) = reached(self.program, self.plan.facts, callee, f.symbol, call) {
            let dims = vec![Dim { lower: Bound::Expr(low.clone()), upper: Bound::Unknown }];
            let t = self.plan.temporary_like(self.program, self.at, &wish, formal, dims);
            self.program.symbol_mut(t).decl.get_or_insert_default().attributes.push("heap".into());
            let subscripts = [Triplet { index: Some(low), bound: Some(high), stride: None }].into_iter().collect();
            before.push(Item::Stmt(follow::allocate(VarRef { subscripts, ..VarRef::whole(t) }, true)));
            behind.push(Item::Stmt(follow::free(t)));
            return Ok(Expr::sym(t));
        }
        Err(Diagnostic::error(
            "OB4026",
            format!("{} expects a derivative of {}, which has none here", self.program.unit_name(callee), symbol.name),
        )
        .because("its extent is not known, so no array of zeros can be handed over")
        .help(format!("name {} in the head, or declare its extent", symbol.name)))
    }
}
