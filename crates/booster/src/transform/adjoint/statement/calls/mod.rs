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
//! `derivative_call` makes the call of the adjoint, `companions` what it hands over, [`duplicate_arguments`] and [`split_results`] keep apart what must not
//! share memory, [`repeatable`] knows what must not be run again.
//!
//! Lives here: what a call reads, writes and needs. Never here: what is saved.

mod companions;
mod derivative_call;
mod duplicate_arguments;
pub(crate) mod repeatable;
mod split_results;

use crate::analysis::arrays::fresh::Piece;
use crate::analysis::effects::handed::called;
use crate::analysis::program::table::Step;
use crate::transform::adjoint::code::mentions::in_stmt;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::facts::effects::{Facts, Written, operands, subscripts};
use crate::transform::adjoint::facts::frame::{Calls, Form, Summaries};
use crate::transform::adjoint::facts::{argument_parts, frame};
use crate::transform::plan::Plan;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::catalogue::Catalogue;
use xaif::model::{Call, CallArgument, Expr, Formal, Mode, Passing, Stmt, StmtKind, SymbolId, UnitId, VarRef};
use xaif::{Diagnostic, Program, types};

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
    /// See [`repeatable::loud`].
    pub loud: &'a FxHashSet<UnitId>,
    /// See [`repeatable::unrepeatable`].
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

    /// A call of a unit that is not part of the program; activity has made sure that nothing active goes through it.
    fn unknown(&self, program: &Program, call: &Call) -> Facts {
        let mut facts = Facts { always: true, loud: true, ..Facts::default() };
        for a in &call.arguments {
            operands(program, &a.value, &mut facts.reads);
            if let Some(r) = program.changeable(call, a) {
                let whole = types::of_ref(program, r).rank > 0 || program.symbol(r.symbol).rank == 0;
                facts.writes.push(Written::new(if whole { r.clone() } else { VarRef::whole(r.symbol) }, false));
            }
        }
        if let Some((reads, writes)) = self.outside.get(&call.callee) {
            facts.reads.extend(reads.iter().copied());
            facts.writes.extend(writes.iter().map(|&s| Written::new(VarRef::whole(s), false)));
        }
        facts
    }

    /// What a call of a known unit reads and writes.
    fn touched(&self, unit: &dyn Surroundings, call: &Call, callee: UnitId, pairs: &[Pair]) -> Facts {
        let mut facts = Facts::default();
        let effects = self.plan.facts.effects.unit(callee);
        let scalar = |program: &Program, s: SymbolId| program.symbol(s).rank == 0;
        facts.always = self.loud.contains(&callee);
        facts.loud = facts.always;
        for p in pairs {
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
                facts.writes.push(Written { place: self.written(unit, callee, call, pairs, p, r), kills, own });
            }
        }
        facts.reads.extend(self.mapped(effects.exposed.iter().copied(), pairs));
        let objects = |set: &BTreeSet<SymbolId>| -> Vec<SymbolId> {
            set.iter().copied().filter(|s| pairs.iter().all(|p| p.formal != *s)).filter_map(|s| self.here.get(&s).copied()).collect()
        };
        for s in objects(&effects.writes) {
            let kills = scalar(unit.program(), s) && objects(&effects.kills).contains(&s);
            facts.writes.push(Written { place: VarRef::whole(s), kills, own: kills });
        }
        facts
    }

    /// Whether a callee does the same when its adjoint runs it again.
    ///
    /// # Errors
    /// It may not.
    fn may_run_again(&self, program: &Program, stmt: &Stmt, callee: UnitId) -> Result<(), Diagnostic> {
        let effects = self.plan.facts.effects.unit(callee);
        let plan = self.plan;
        // That of units with derivatives is refused where it is declared.
        let told = |s: SymbolId| plan.facts.objects.owner(s).is_some_and(|o| plan.activity.is_differentiated(o));
        let history =
            |s: SymbolId| effects.writes.contains(&s) && !told(s) && plan.facts.kept.has_history(s, |u| plan.activity.is_differentiated(u));
        let place = || program.location(stmt.span);
        if let Some(&s) = effects.exposed.iter().find(|s| history(**s)) {
            return Err(Diagnostic::error(frame::AGAIN, format!("{} keeps what earlier calls have set", program.symbol(s).name))
                .at(place())
                .because("the adjoint of this call runs it again, but has no access to that variable of another unit")
                .help("move it to file or module scope, pass it as an argument, or choose split reversal"));
        }
        if self.unrepeatable.contains(&callee) {
            return Err(Diagnostic::error(
                frame::AGAIN,
                format!("{} reads input, or has statements of which only the text is known", program.unit_name(callee)),
            )
            .at(place())
            .because("the adjoint of this call runs it again, and these may set other values then")
            .help("move them to the caller, or choose split reversal"));
        }
        Ok(())
    }

    /// The adjoint of a call that is reversed by a pair.
    ///
    /// # Errors
    /// The result goes into what the callee's reverse sweep reads.
    fn split(
        &self,
        unit: &dyn Surroundings,
        stmt: &Stmt,
        callee: UnitId,
        pairs: &[Pair],
        mut facts: Facts,
        a: Adjoint,
    ) -> Result<Facts, Diagnostic> {
        let effects = self.plan.facts.effects.unit(callee);
        let known = self.summaries.get(&(callee, Form::Split));
        let after = |but: Option<SymbolId>| match known {
            Some(s) => self.mapped(s.after.iter().copied().filter(|&s| Some(s) != but), pairs),
            None => self.mapped(effects.reads.iter().chain(&effects.writes).copied().filter(|&s| Some(s) != but), pairs),
        };
        let result = unit.program().unit(callee).result().and_then(|f| pairs.iter().find(|p| p.formal == f.symbol));
        if let Some((place, p)) = result.and_then(|p| p.reference.zip(Some(p))) {
            split_results::result(unit, stmt, place, &after(Some(p.formal)))?;
        }
        facts.after.extend(after(None));
        // Arguments are handed over again, with the values that they have behind the call.
        facts.after.extend(std::mem::take(&mut facts.needs));
        facts.needs = read_behind(unit, &a.behind);
        facts.adjoint = a.before;
        facts.adjoint.extend(a.behind);
        Ok(facts)
    }

    /// The adjoint of a call that runs the callee again.
    ///
    /// # Errors
    /// What stands behind the call reads what the call overwrites.
    fn joint(
        &self,
        unit: &dyn Surroundings,
        stmt: &Stmt,
        callee: UnitId,
        pairs: &[Pair],
        mut facts: Facts,
        a: Adjoint,
    ) -> Result<Facts, Diagnostic> {
        let effects = self.plan.facts.effects.unit(callee);
        let late = read_behind(unit, &a.behind);
        facts.needs.extend(late.iter().copied());
        match self.summaries.get(&(callee, Form::Joint)) {
            Some(s) => {
                facts.needs.extend(self.mapped(s.needs.iter().copied(), pairs));
                facts.clobbers = self.mapped(s.clobbers.iter().copied(), pairs);
            }
            None => {
                let result = unit.program().unit(callee).result().map(|f| f.symbol);
                facts.needs.extend(self.mapped(effects.exposed.iter().copied(), pairs));
                facts.clobbers = self.mapped(effects.writes.iter().copied().filter(|&s| Some(s) != result), pairs);
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
}

/// What the items behind a call read of variables that were there before.
fn read_behind(unit: &dyn Surroundings, behind: &[Item]) -> Vec<SymbolId> {
    let mut late = Vec::new();
    tree::for_each_stmt(behind, &mut |s| {
        in_stmt(s, &mut |v| {
            if !unit.is_new(v) {
                late.push(v);
            }
        })
    });
    tree::for_each_condition(behind, &mut |c| operands(unit.program(), c, &mut late));
    late
}

/// The pieces of a call's adjoint.
#[derive(Default)]
pub(crate) struct Adjoint {
    pub before: Vec<Item>,
    pub behind: Vec<Item>,
    pub needs: Vec<SymbolId>,
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
        let Some(&callee) = self.units.get(&call.callee) else { return Ok(self.unknown(unit.program(), call)) };
        let pairs = self.pairs(unit.program(), callee, call);
        let mut facts = self.touched(unit, call, callee, &pairs);
        let derived = self.differentiated(unit.program(), unit, stmt, callee, &pairs);
        let zeros = self.killed(unit, stmt, callee, derived, &pairs, &mut facts.needs)?;
        let Some(derived) = derived else {
            facts.adjoint = zeros;
            return Ok(facts);
        };
        if derived.mode != Mode::Reverse {
            self.may_run_again(unit.program(), stmt, callee)?;
        }
        let mut a = self.adjoint(unit, stmt, callee, derived, &pairs)?;
        a.before.splice(0..0, zeros);
        facts.needs.append(&mut a.needs);
        if derived.mode == Mode::Reverse {
            self.pair(unit, stmt, call, callee, &pairs, &mut facts)?;
            return self.split(unit, stmt, callee, &pairs, facts, a);
        }
        self.joint(unit, stmt, callee, &pairs, facts, a)
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
            let handed = call.arguments.iter().filter_map(|a| program.changeable(call, a));
            return handed.map(|r| r.symbol).chain(besides.iter().copied()).collect();
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
