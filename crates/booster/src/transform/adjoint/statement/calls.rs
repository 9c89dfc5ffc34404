//! The joint reversal of calls.
//!
//! ```text
//! forward                   reverse
//!   save what g overwrites    bring it back
//!   call g(x, y)              call g_b(x, xb, y, yb)
//! ```
//!
//! A result's adjoint goes in as a value and is zero behind the call. What has no adjoint gets one that is thrown away; expressions
//! that are passed as values get the adjoint of an assignment to the argument.
//!
//! Lives here: what a call reads, writes and needs, and the call of the adjoint. Never here: what is saved.

use super::{assignment, duplicate_arguments};
use crate::analysis::accesses::reach::reached;
use crate::analysis::arrays::fresh::Piece;
use crate::analysis::arrays::regions::Span;
use crate::analysis::effects::handed::called;
use crate::analysis::program::table::Step;
use crate::linearize::fold::zero;
use crate::signature::Role;
use crate::transform::adjoint::code::mentions::in_stmt;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::facts::argument_parts;
use crate::transform::adjoint::facts::effects::{Facts, Written, operands, subscripts};
use crate::transform::adjoint::facts::frame;
use crate::transform::adjoint::facts::frame::{Calls, Form, Summaries};
use crate::transform::adjoint::variables::{allocated, optional};
use crate::transform::plan::{Derived, Plan};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use std::collections::BTreeSet;
use xaif::catalogue::Catalogue;
use xaif::model::{
    BaseType, Bound, Call, CallArgument, ElemType, Expr, Formal, MarkerClass, Mode, Passing, Stmt, StmtKind, Symbol, SymbolId, Tri,
    Triplet, UnitId, VarRef,
};
use xaif::{Diagnostic, Program, types};

/// Units that do something besides computing (output, calls of what is not known, history of their own): their calls always stay.
pub(crate) fn loud(program: &Program, plan: &Plan) -> FxHashSet<UnitId> {
    let mut out: FxHashSet<UnitId> = FxHashSet::default();
    let quiet = |c: &MarkerClass| matches!(c, MarkerClass::Comment | MarkerClass::Pragma | MarkerClass::Allocate | MarkerClass::Deallocate);
    for u in program.unit_ids() {
        let stmts = program.unit(u).graph.node_weights().flat_map(|v| v.stmts());
        let marks = stmts.filter_map(|s| if let StmtKind::Marker(m) = &s.kind { Some(m) } else { None }).any(|m| !quiet(&m.class));
        let history = plan.facts.effects.unit(u).writes.iter().any(|&s| plan.facts.kept.has_history(s, |_| true));
        if marks || history || plan.facts.effects.unit(u).calls_unknown {
            out.insert(u);
        }
    }
    with_callers(program, plan, out)
}

/// Units that do not do the same when they are run again: what they read in, or a statement that is kept as text sets, may have other values then.
pub(crate) fn unrepeatable(program: &Program, plan: &Plan) -> FxHashSet<UnitId> {
    let number = |&s: &SymbolId| !matches!(program.symbol(s).ty.base, BaseType::Char | BaseType::String);
    let sets = |s: &Stmt| match &s.kind {
        StmtKind::Marker(m) => !matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) && m.writes.iter().any(number),
        _ => false,
    };
    let own = |u: UnitId| program.unit(u).graph.node_weights().flat_map(|v| v.stmts()).any(|s| sets(s)) || asks(program, plan, u);
    with_callers(program, plan, program.unit_ids().filter(|&u| own(u)).collect())
}

/// Whether a unit reads numbers that units set of which nothing is known: they may set others when they are called again.
fn asks(program: &Program, plan: &Plan, unit: UnitId) -> bool {
    let Some(table) = plan.facts.tables.get(unit.index()) else { return false };
    let mut read: FxHashSet<u32> = FxHashSet::default();
    for step in table.steps.iter().flatten() {
        if let Step::Assign { reads, .. } | Step::Test { reads } = step {
            read.extend(reads.iter().copied());
        }
    }
    table.steps.iter().flatten().any(|step| match step {
        Step::Call(c) if c.callee.is_none() && !program.symbol(c.name).has_attribute("pure") => {
            c.args.iter().filter_map(|a| Some(a.target?.object)).chain(c.outside.writes.iter().copied()).any(|n| read.contains(&n))
        }
        _ => false,
    })
}

/// Units with all that call them.
fn with_callers(program: &Program, plan: &Plan, mut out: FxHashSet<UnitId>) -> FxHashSet<UnitId> {
    loop {
        let before = out.len();
        for u in program.unit_ids() {
            if plan.facts.tables.get(u.index()).is_some_and(|t| t.callees.iter().any(|c| out.contains(c))) {
                out.insert(u);
            }
        }
        if out.len() == before {
            return out;
        }
    }
}

/// Calls in one derivative unit.
pub(crate) struct PlannedCalls<'a> {
    /// All derivative units.
    pub plan: &'a Plan<'a>,
    /// Units by the symbol that names them in the derivative unit.
    pub units: &'a FxHashMap<SymbolId, UnitId>,
    /// What stands in the derivative unit for an object of the facts.
    pub here: FxHashMap<SymbolId, SymbolId>,
    /// What is known of adjoints already made.
    pub summaries: &'a Summaries,
    /// See [`loud`].
    pub loud: &'a FxHashSet<UnitId>,
    /// See [`unrepeatable`].
    pub unrepeatable: &'a FxHashSet<UnitId>,
    /// What calls of unknown units read and write besides their arguments, by what they call.
    pub outside: FxHashMap<SymbolId, (Vec<SymbolId>, Vec<SymbolId>)>,
}

/// See [`PlannedCalls::outside`]; `here` as there.
pub(crate) fn outside(
    plan: &Plan,
    unit: UnitId,
    here: &FxHashMap<SymbolId, SymbolId>,
) -> FxHashMap<SymbolId, (Vec<SymbolId>, Vec<SymbolId>)> {
    let mut out = FxHashMap::default();
    let Some(table) = plan.facts.tables.get(unit.index()) else { return out };
    let named = |list: &[u32]| list.iter().filter_map(|&n| here.get(&table.objects[n as usize]).copied()).collect::<Vec<_>>();
    for step in table.steps.iter().flatten() {
        if let Step::Call(c) = step
            && c.callee.is_none()
            && c.outside.is_far()
        {
            out.entry(c.name).or_insert_with(|| (named(&c.outside.reads), named(&c.outside.writes)));
        }
    }
    out
}

/// An argument with its formal.
pub(crate) struct Pair<'c> {
    pub index: usize,
    pub formal: SymbolId,
    pub argument: &'c CallArgument,
    /// The variable, where it is handed over itself.
    pub reference: Option<&'c VarRef>,
}

/// The value that a formal has at a call, where it takes it as it is.
pub(crate) fn value_of(program: &Program, pairs: &[Pair], formal: SymbolId) -> Option<Expr> {
    let value = &pairs.iter().find(|q| q.formal == formal)?.argument.value;
    let (theirs, ours) = (program.symbol(formal).ty, types::of(program, value));
    (ours.rank == 0 && ours.elem == theirs).then(|| value.clone())
}

impl PlannedCalls<'_> {
    /// The arguments of a call (by index, with their formals) that are passed as values computed from what the call overwrites.
    pub fn values_at_risk(
        program: &Program,
        plan: &Plan,
        at: usize,
        call: &Call,
        overlap: &dyn Fn(SymbolId, SymbolId) -> bool,
    ) -> Vec<(usize, SymbolId)> {
        let Some(callee) = program.unit_of_symbol(call.callee) else { return Vec::new() };
        let d = &plan.derived[at];
        let formals = &program.unit(callee).formals;
        let effects = plan.facts.effects.unit(callee);
        let formal_of = |a: &CallArgument| formals.iter().find(|f| f.position == a.position);
        let by_value = |f: &Formal| program.symbol(f.symbol).passing() == Passing::Value && !f.result;
        let mut written: Vec<SymbolId> = effects.writes.iter().map(|&s| d.copy_of(s)).collect();
        for a in &call.arguments {
            if let (Some(f), Some(r)) = (formal_of(a), a.value.as_var())
                && !by_value(f)
                && effects.writes.contains(&f.symbol)
            {
                written.push(r.symbol);
            }
        }
        let mut out = Vec::new();
        for (k, a) in call.arguments.iter().enumerate() {
            let Some(f) = formal_of(a).filter(|f| by_value(f)) else { continue };
            let mut risk = false;
            a.value.for_each_ref(&mut |r| risk |= written.iter().any(|&w| w == r.symbol || overlap(w, r.symbol)));
            if risk {
                out.push((k, f.symbol));
            }
        }
        out
    }

    fn pairs<'c>(&self, program: &Program, callee: UnitId, call: &'c Call) -> Vec<Pair<'c>> {
        let formals = &program.unit(callee).formals;
        call.arguments
            .iter()
            .filter_map(|a| {
                let index = formals.iter().position(|f| f.position == a.position)?;
                let formal = formals[index].symbol;
                let by_value = program.symbol(formal).passing() == Passing::Value && !formals[index].result;
                Some(Pair { index, formal, argument: a, reference: a.value.as_var().filter(|_| !by_value) })
            })
            .collect()
    }

    /// What stands here for objects of a callee: arguments for its formals, objects themselves.
    fn mapped(&self, set: impl IntoIterator<Item = SymbolId>, pairs: &[Pair]) -> Vec<SymbolId> {
        let mut out = Vec::new();
        for s in set {
            let symbols: Vec<SymbolId> = match pairs.iter().find(|p| p.formal == s) {
                Some(p) => p.reference.map(|r| r.symbol).into_iter().collect(),
                None => self.here.get(&s).copied().into_iter().collect(),
            };
            for s in symbols {
                if !out.contains(&s) {
                    out.push(s);
                }
            }
        }
        out
    }

    /// The part of the caller's memory that an argument stands for.
    fn place(&self, program: &Program, formal: SymbolId, r: &VarRef) -> VarRef {
        if program.symbol(formal).rank == 0 || types::of_ref(program, r).rank > 0 { r.clone() } else { VarRef::whole(r.symbol) }
    }

    /// What of it the call may write.
    fn written(&self, unit: &dyn Surroundings, callee: UnitId, call: &Call, pairs: &[Pair], p: &Pair, r: &VarRef) -> VarRef {
        let program = unit.program();
        let part = self.summaries.get(&(callee, Form::Joint)).and_then(|s| s.parts.get(&p.formal));
        let value = |s: SymbolId| value_of(program, pairs, s);
        let fixed = |s: SymbolId| !unit.changes(s);
        let place = part.and_then(|part| match r.subscripts.is_empty() {
            true => argument_parts::at_call(program, part, [p.formal, r.symbol], &value, &fixed),
            false => argument_parts::from_element(program, part, p.formal, r, &value),
        });
        // Subscripts must be the same where the values are brought back.
        let written = self.writes(program, call);
        let holds = |place: &VarRef| place.index_exprs().all(|e| e.every_ref(&|v| !written.iter().any(|&w| unit.overlap(w, v.symbol))));
        place.filter(holds).unwrap_or_else(|| self.place(program, p.formal, r))
    }

    fn differentiated(&self, program: &Program, unit: &dyn Surroundings, stmt: &Stmt, callee: UnitId, pairs: &[Pair]) -> Option<&Derived> {
        let (pair, whole) = (self.plan.of(callee, Mode::Reverse), self.plan.of(callee, Mode::Adjoint));
        let derived = if self.plan.is_split(program, stmt, callee) { pair.or(whole) } else { whole.or(pair) }?;
        let counts = || {
            self.plan.facts.effects.unit(callee).writes.iter().any(|&s| {
                let result = pairs.iter().find(|p| p.formal == s && program.unit(callee).formals[p.index].result);
                let counts = |p: &Pair| p.reference.is_none_or(|r| unit.adjoint(r.symbol).is_some());
                self.plan.activity.is_active(callee, s) && result.is_none_or(counts)
            })
        };
        // Nothing that it sets counts here: all adjoints that it would be called with are zero.
        if derived.mode != Mode::Reverse && !counts() {
            return None;
        }
        let active_argument = |k: usize| {
            pairs.iter().find(|p| p.index == k).is_some_and(|p| {
                let mut active = false;
                p.argument.value.for_each_ref(&mut |r| active |= unit.adjoint(r.symbol).is_some());
                active
            })
        };
        let by_arguments = derived.signature.roles.iter().any(|r| matches!(r, Role::Derivative(k) if active_argument(*k)));
        let facts = self.plan.facts;
        let by_objects = self.plan.activity.unit(callee).is_some_and(|u| u.active.iter().any(|&s| facts.objects.is_shared(callee, s)));
        (by_arguments || by_objects).then_some(derived)
    }

    /// The call of the adjoint with what belongs to it.
    fn adjoint(
        &self,
        unit: &mut dyn Surroundings,
        stmt: &Stmt,
        callee: UnitId,
        derived: &Derived,
        pairs: &[Pair],
    ) -> Result<Adjoint, Diagnostic> {
        let formals: Vec<Formal> = unit.program().unit(callee).formals.clone();
        let mut out = Adjoint::default();
        let effects = self.plan.facts.effects.unit(callee);
        let touched = self.mapped(effects.reads.iter().chain(&effects.writes).copied(), pairs);
        // What the callee sees without an argument.
        let global = |s: &SymbolId| pairs.iter().all(|p| p.formal != *s);
        let seen = self.mapped(effects.reads.iter().copied().filter(global), pairs);
        // What is handed over as it is, and whether that is apart from all others: the callee takes it for that, or gets a copy.
        let mut handed: Vec<(&Pair, bool)> = Vec::new();
        let mut arguments = Vec::new();
        let mut skipped = false;
        for (i, role) in derived.signature.roles.iter().enumerate() {
            let k = role.index();
            let Some(pair) = pairs.iter().find(|p| p.index == k) else {
                skipped = true;
                continue;
            };
            let value = match role {
                Role::Primal(_) => {
                    if pair.reference.is_none() {
                        operands(unit.program(), &pair.argument.value, &mut out.needs);
                    } else if let Some(r) = pair.reference {
                        subscripts(unit.program(), r, &mut out.needs);
                    }
                    pair.argument.value.clone()
                }
                Role::Derivative(_) if formals[k].result => self.result(unit, stmt, pair, pairs, &mut out)?,
                Role::Derivative(_) => {
                    let exclusive = unit.program().unit(derived.unit).formals.get(i).is_some_and(|f| !may_alias(unit.program(), f.symbol));
                    let exclusive = exclusive || duplicate_arguments::may_be_copied(unit.program(), pair);
                    let only_read = !effects.writes.contains(&pair.formal);
                    let others =
                        handed.iter().any(|(p, alone)| (exclusive || *alone) && duplicate_arguments::same_storage(unit, pairs, p, pair));
                    let shared = pair.reference.is_some_and(|r| seen.iter().any(|&g| g == r.symbol || unit.overlap(g, r.symbol)));
                    let again = only_read && (others || exclusive && shared);
                    if again && let Some(value) = duplicate_arguments::own_increment(unit, stmt, pairs, pair, &mut out)? {
                        value
                    } else {
                        if only_read {
                            handed.push((pair, exclusive));
                        }
                        self.companion(unit, stmt, pair, &touched, &mut out)?
                    }
                }
            };
            let keyword = if skipped || !pair.argument.keyword.is_empty() {
                let formal = unit.program().unit(derived.unit).formals.get(i).map(|f| f.symbol);
                formal.map_or(SmolStr::default(), |s| unit.program().symbol(s).name.clone())
            } else {
                SmolStr::default()
            };
            arguments.push(CallArgument { keyword, ..CallArgument::new(i as u32 + 1, value) });
        }
        let call = Call {
            callee: unit.program().unit(derived.unit).symbol,
            formal_count: Some(derived.signature.roles.len() as u32),
            arguments,
            active: Tri::Undefined,
        };
        out.before.push(Item::stmt(Stmt { line: stmt.line, span: stmt.span, ..Stmt::new(StmtKind::Call(call)) }));
        Ok(out)
    }

    /// What the callee sets without knowing an adjoint of it: the caller's is zero in front of the call. So it is for a scalar that the callee may set: what
    /// it holds before the call does not depend on the independents, else the callee would know its adjoint, and nobody asks for it.
    fn killed(
        &self,
        unit: &dyn Surroundings,
        stmt: &Stmt,
        callee: UnitId,
        derived: Option<&Derived>,
        pairs: &[Pair],
        needs: &mut Vec<SymbolId>,
    ) -> Result<Vec<Item>, Diagnostic> {
        let program = unit.program();
        let effects = self.plan.facts.effects.unit(callee);
        let kills = &effects.kills;
        let scalar = |s: SymbolId| program.symbol(s).rank == 0;
        let mut out = Vec::new();
        for p in pairs.iter().filter(|p| kills.contains(&p.formal) || effects.writes.contains(&p.formal) && scalar(p.formal)) {
            if derived.is_some_and(|d| d.signature.roles.contains(&Role::Derivative(p.index))) {
                continue;
            }
            let Some((r, companion)) = p.reference.and_then(|r| Some((r, unit.adjoint(r.symbol)?))) else { continue };
            subscripts(program, r, needs);
            let target = if program.symbol(p.formal).rank == 0 {
                self.first_element(program, r)
            } else if types::of_ref(program, r).rank > 0 && self.fills(program, p.formal, r, pairs) {
                r.clone()
            } else {
                let name = &program.symbol(r.symbol).name;
                return Err(Diagnostic::error("OB4065", format!("it is not known which part of {name} this call overwrites"))
                    .at(program.location(stmt.span))
                    .because("the adjoint of exactly that part is zero before the call")
                    .help("hand over the section that the callee declares, or declare it with an assumed shape"));
            };
            out.push(Item::stmt(Stmt::assign(target.with_symbol(companion), zero(program.symbol(companion).ty))));
        }
        for &g in kills.iter().filter(|g| pairs.iter().all(|p| p.formal != **g)) {
            let Some(companion) = self.here.get(&g).and_then(|&s| unit.adjoint(s)) else { continue };
            if !self.plan.activity.is_active(callee, g) {
                out.push(Item::stmt(Stmt::assign(VarRef::whole(companion), zero(program.symbol(companion).ty))));
            }
        }
        Ok(out)
    }

    /// A whole array handed to a scalar is its first element.
    fn first_element(&self, program: &Program, r: &VarRef) -> VarRef {
        let symbol = program.symbol(r.symbol);
        if symbol.rank == 0 || !r.subscripts.is_empty() {
            return r.clone();
        }
        let lower = |k: usize| match symbol.decl.as_ref().and_then(|d| d.dims.get(k)).map(|d| &d.lower) {
            Some(Bound::Expr(e)) => e.clone(),
            _ => Expr::op("lbound", [Expr::sym(r.symbol), Expr::int(k as i64 + 1)]),
        };
        VarRef::element(r.symbol, (0..symbol.rank as usize).map(lower))
    }

    /// Whether an array argument is all that its formal stands for.
    fn fills(&self, program: &Program, formal: SymbolId, r: &VarRef, pairs: &[Pair]) -> bool {
        let (f, a) = (program.symbol(formal), program.symbol(r.symbol));
        if f.passing() == Passing::Descriptor {
            return true;
        }
        let dims = |s: &Symbol| s.decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
        let same = |x: &Bound, y: &Bound| match (x, y) {
            (Bound::Expr(x), Bound::Expr(y)) => {
                let handed = x.as_var().and_then(|v| pairs.iter().find(|p| p.formal == v.symbol)).map(|p| &p.argument.value);
                handed.unwrap_or(x) == y
            }
            _ => false,
        };
        let (f, a) = (dims(f), dims(a));
        r.subscripts.is_empty() && f.len() == a.len() && f.iter().zip(&a).all(|(x, y)| same(&x.lower, &y.lower) && same(&x.upper, &y.upper))
    }

    /// The forward sweep of a pair in the place of the call.
    fn pair(
        &self,
        unit: &dyn Surroundings,
        stmt: &Stmt,
        call: &Call,
        callee: UnitId,
        pairs: &[Pair],
        facts: &mut Facts,
    ) -> Result<(), Diagnostic> {
        let Some(forward) = self.plan.of(callee, Mode::Forward) else { return Ok(()) };
        let written = self.mapped(self.plan.facts.effects.unit(callee).writes.iter().copied(), pairs);
        let changed = facts.needs.iter().find(|&&v| written.iter().any(|&w| unit.overlap(w, v)));
        if let Some(&v) = changed {
            let name = unit.program().symbol(v).name.clone();
            return Err(Diagnostic::error(
                "OB4060",
                format!("an argument of this call is computed from {name}, which the call overwrites"),
            )
            .at(unit.program().location(stmt.span))
            .because("the reverse sweep hands the same arguments over again")
            .help("assign the argument to a variable before the call"));
        }
        let callee = unit.program().unit(forward.unit).symbol;
        let stmt = Stmt { kind: StmtKind::Call(Call { callee, ..call.clone() }), ..stmt.clone() };
        facts.instead = Some(vec![Item::stmt(stmt)]);
        facts.always = true;
        facts.restores = true;
        Ok(())
    }

    /// The adjoint of a result: read by the callee, zero afterwards.
    fn result(&self, unit: &mut dyn Surroundings, stmt: &Stmt, pair: &Pair, pairs: &[Pair], out: &mut Adjoint) -> Result<Expr, Diagnostic> {
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
    fn companion(
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

    /// An array of zeros in the place of the adjoint of a variable that has none.
    fn zeros(&self, unit: &mut dyn Surroundings, stmt: &Stmt, formal: SymbolId, r: &VarRef, out: &mut Adjoint) -> Result<Expr, Diagnostic> {
        let in_callee = formal;
        let formal = unit.program().symbol(formal).clone();
        let actual = unit.program().symbol(r.symbol).clone();
        let dims = actual.decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
        if dims.is_empty() || dims.iter().any(|d| matches!(d.upper, Bound::Unknown)) {
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

fn may_alias(program: &Program, symbol: SymbolId) -> bool {
    program.symbol(symbol).decl.as_ref().is_some_and(|d| d.may_alias)
}

/// The pieces of a call's adjoint.
#[derive(Default)]
pub(crate) struct Adjoint {
    pub before: Vec<Item>,
    pub behind: Vec<Item>,
    pub needs: Vec<SymbolId>,
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

impl Calls for PlannedCalls<'_> {
    fn catalogue(&self) -> &Catalogue {
        self.plan.catalogue()
    }

    fn pieces<'a>(&self, program: &'a Program, call: &'a Call) -> Option<Vec<Piece<'a>>> {
        let &callee = self.units.get(&call.callee)?;
        let mut out = called(program, &self.plan.facts.effects, callee, call, &|_, r| r.symbol);
        // Variables that both see go by other names here.
        for piece in &mut out {
            if let Piece::Reads(list) = piece {
                list.iter_mut().for_each(|s| *s = self.here.get(s).copied().unwrap_or(*s));
            }
        }
        Some(out)
    }

    fn call(&self, unit: &mut dyn Surroundings, stmt: &Stmt, call: &Call) -> Result<Facts, Diagnostic> {
        let mut facts = Facts::default();
        let Some(&callee) = self.units.get(&call.callee) else {
            // Not part of the program; activity has made sure that nothing active goes through it.
            facts.always = true;
            facts.loud = true;
            for a in &call.arguments {
                operands(unit.program(), &a.value, &mut facts.reads);
                if let Some(r) = a.value.as_var().filter(|_| !unit.program().passes_value(call, a.position)) {
                    let whole = types::of_ref(unit.program(), r).rank > 0 || unit.program().symbol(r.symbol).rank == 0;
                    facts.writes.push(Written::new(if whole { r.clone() } else { VarRef::whole(r.symbol) }, false));
                }
            }
            if let Some((reads, writes)) = self.outside.get(&call.callee) {
                facts.reads.extend(reads.iter().copied());
                facts.writes.extend(writes.iter().map(|&s| Written::new(VarRef::whole(s), false)));
            }
            return Ok(facts);
        };
        let pairs = self.pairs(unit.program(), callee, call);
        let effects = self.plan.facts.effects.unit(callee);
        let scalar = |program: &Program, s: SymbolId| program.symbol(s).rank == 0;
        facts.always = self.loud.contains(&callee);
        facts.loud = facts.always;
        for p in &pairs {
            match p.reference {
                Some(r) => subscripts(unit.program(), r, &mut facts.reads),
                None => operands(unit.program(), &p.argument.value, &mut facts.reads),
            }
            if let Some(r) = p.reference
                && effects.writes.contains(&p.formal)
            {
                // A pair brings back what it may write in part only.
                let killed = effects.kills.contains(&p.formal) && scalar(unit.program(), p.formal);
                let own = killed || unit.program().unit(callee).formals.get(p.index).is_some_and(|f| f.result);
                let kills = killed && r.subscripts.is_empty() && scalar(unit.program(), r.symbol);
                facts.writes.push(Written { place: self.written(unit, callee, call, &pairs, p, r), kills, own });
            }
        }
        facts.reads.extend(self.mapped(effects.exposed.iter().copied(), &pairs));
        let objects = |set: &BTreeSet<SymbolId>| -> Vec<SymbolId> {
            set.iter().copied().filter(|s| pairs.iter().all(|p| p.formal != *s)).filter_map(|s| self.here.get(&s).copied()).collect()
        };
        for s in objects(&effects.writes) {
            let kills = scalar(unit.program(), s) && objects(&effects.kills).contains(&s);
            facts.writes.push(Written { place: VarRef::whole(s), kills, own: kills });
        }
        let derived = self.differentiated(unit.program(), unit, stmt, callee, &pairs);
        let zeros = self.killed(unit, stmt, callee, derived, &pairs, &mut facts.needs)?;
        let Some(derived) = derived else {
            facts.adjoint = zeros;
            return Ok(facts);
        };
        let plan = self.plan;
        // That of units with derivatives is refused where it is declared.
        let told = |s: SymbolId| plan.facts.objects.owner(s).is_some_and(|o| plan.activity.is_differentiated(o));
        let history =
            |s: SymbolId| effects.writes.contains(&s) && !told(s) && plan.facts.kept.has_history(s, |u| plan.activity.is_differentiated(u));
        if derived.mode != Mode::Reverse {
            let place = || unit.program().location(stmt.span);
            if let Some(&s) = effects.exposed.iter().find(|s| history(**s)) {
                return Err(Diagnostic::error(
                    frame::AGAIN,
                    format!("{} keeps what earlier calls have set", unit.program().symbol(s).name),
                )
                .at(place())
                .because("the adjoint of this call runs it again, but has no access to that variable of another unit")
                .help("move it to file or module scope, pass it as an argument, or choose split reversal"));
            }
            if self.unrepeatable.contains(&callee) {
                return Err(Diagnostic::error(
                    frame::AGAIN,
                    format!("{} reads input, or has statements of which only the text is known", unit.program().unit_name(callee)),
                )
                .at(place())
                .because("the adjoint of this call runs it again, and these may set other values then")
                .help("move them to the caller, or choose split reversal"));
            }
        }
        let mut a = self.adjoint(unit, stmt, callee, derived, &pairs)?;
        a.before.splice(0..0, zeros);
        facts.needs.append(&mut a.needs);
        let mut late = Vec::new();
        tree::for_each_stmt(&a.behind, &mut |s| {
            in_stmt(s, &mut |v| {
                if !unit.is_new(v) {
                    late.push(v);
                }
            })
        });
        tree::for_each_condition(&a.behind, &mut |c| operands(unit.program(), c, &mut late));
        if derived.mode != Mode::Reverse {
            facts.needs.extend(late.iter().copied());
        }
        let known = self.summaries.get(&(callee, if derived.mode == Mode::Reverse { Form::Split } else { Form::Joint }));
        if derived.mode == Mode::Reverse {
            self.pair(unit, stmt, call, callee, &pairs, &mut facts)?;
            let after = |but: Option<SymbolId>| match known {
                Some(s) => self.mapped(s.after.iter().copied().filter(|&s| Some(s) != but), &pairs),
                None => self.mapped(effects.reads.iter().chain(&effects.writes).copied().filter(|&s| Some(s) != but), &pairs),
            };
            let result = unit.program().unit(callee).result().and_then(|f| pairs.iter().find(|p| p.formal == f.symbol));
            if let Some((place, p)) = result.and_then(|p| p.reference.zip(Some(p))) {
                super::split_results::result(unit, stmt, place, &after(Some(p.formal)))?;
            }
            facts.after.extend(after(None));
            // Arguments are handed over again, with the values that they have behind the call.
            facts.after.extend(std::mem::take(&mut facts.needs));
            facts.needs = late;
            facts.adjoint = a.before;
            facts.adjoint.extend(a.behind);
            return Ok(facts);
        }
        match known {
            Some(s) => {
                facts.needs.extend(self.mapped(s.needs.iter().copied(), &pairs));
                facts.clobbers = self.mapped(s.clobbers.iter().copied(), &pairs);
            }
            None => {
                let result = unit.program().unit(callee).result().map(|f| f.symbol);
                facts.needs.extend(self.mapped(effects.exposed.iter().copied(), &pairs));
                facts.clobbers = self.mapped(effects.writes.iter().copied().filter(|&s| Some(s) != result), &pairs);
            }
        }
        // What stands behind the call must not read what the call overwrote.
        let lost = late.iter().find(|&&v| facts.clobbers.iter().any(|&c| unit.overlap(c, v)));
        if let Some(&v) = lost {
            let name = unit.program().symbol(v).name.clone();
            return Err(Diagnostic::error(
                "OB4060",
                format!("an argument of this call is computed from {name}, which the call overwrites"),
            )
            .at(unit.program().location(stmt.span))
            .help("assign the argument to a variable before the call"));
        }
        facts.adjoint = a.before;
        facts.adjoint.extend(a.behind);
        Ok(facts)
    }

    fn resizes(&self, program: &Program, call: &Call) -> Vec<SymbolId> {
        let Some(&callee) = self.units.get(&call.callee) else { return Vec::new() };
        let pairs = self.pairs(program, callee, call);
        let all = crate::transform::follow::resized(program, self.plan, callee);
        self.mapped(all, &pairs)
    }

    fn writes(&self, program: &Program, call: &Call) -> Vec<SymbolId> {
        let Some(&callee) = self.units.get(&call.callee) else {
            let besides = self.outside.get(&call.callee).map_or(&[][..], |(_, writes)| writes);
            let handed = call.arguments.iter().filter(|a| !program.passes_value(call, a.position));
            return handed.filter_map(|a| a.value.as_var().map(|r| r.symbol)).chain(besides.iter().copied()).collect();
        };
        let pairs = self.pairs(program, callee, call);
        self.mapped(self.plan.facts.effects.unit(callee).writes.iter().copied(), &pairs)
    }

    fn places(&self, unit: &dyn Surroundings, call: &Call) -> Option<Vec<VarRef>> {
        let callee = self.units.get(&call.callee).copied().filter(|u| !self.loud.contains(u))?;
        let pairs = self.pairs(unit.program(), callee, call);
        let writes = &self.plan.facts.effects.unit(callee).writes;
        let of = |p: &Pair| p.reference.filter(|_| writes.contains(&p.formal)).map(|r| self.written(unit, callee, call, &pairs, p, r));
        let mut out: Vec<VarRef> = pairs.iter().filter_map(of).collect();
        let others = writes.iter().filter(|s| pairs.iter().all(|p| p.formal != **s));
        out.extend(others.filter_map(|s| self.here.get(s)).map(|&s| VarRef::whole(s)));
        Some(out)
    }
}
