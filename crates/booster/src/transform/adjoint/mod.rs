//! Adjoint units.
//!
//! [`make`] gives every adjoint unit of a [`Plan`] its statements: both sweeps in one unit, or, for calls that are reversed by a pair, one sweep in each of
//! two. Callees come before their callers, so that a caller knows what the adjoint of a callee reads and overwrites. A unit goes through these rooms:
//!
//! 1. [`shape`]: its graph becomes nested code without jumps,
//! 2. [`statement`]: every statement, or sequence of statements, gets its adjoint,
//! 3. [`record`]: what is recorded, and where,
//! 4. [`sweep`]: the forward and the reverse sweep,
//! 5. [`boundary`]: what stands in front of the sweeps and behind them,
//! 6. [`cleanup`]: passes over what is finished.
//!
//! [`unit`] takes it through them. Below all of them lie [`code`] (items), [`variables`], and [`facts`] (what rooms tell each other).
//!
//! Lives here: the order of the units, and what each is made from. Never here: the sweeps, what surrounds them at a head.

pub(crate) mod boundary;
pub(crate) mod cleanup;
pub(crate) mod code;
pub(crate) mod facts;
pub(crate) mod record;
pub(crate) mod shape;
pub(crate) mod statement;
pub(crate) mod sweep;
#[cfg(test)]
mod tests;
pub(crate) mod unit;
pub(crate) mod variables;

use super::{scalarize, weights};
use crate::analysis::effects::unset::empty_formals;
use crate::analysis::facts::Facts;
use boundary::{entry, pairs, result_argument};
use cleanup::unused;
use facts::argument_parts;
use facts::frame::{Form, Frame, Made, Summaries, Summary};
use record::with_values;
use shape::{scalar_elements, written_out};
use statement::calls::repeatable;
use statement::{argument_copies, calls};
use unit::in_parallel::size;
pub(crate) use unit::{in_parallel, weight};

use super::names::Everywhere;
use super::plan::{Derived, Plan};
use super::preaccumulate::Ledger;
use super::request::{Options, Reversal};
use super::times::UnitTimes;
use crate::signature::Role;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;
use unit::steps::sweeps;
use xaif::model::{Mode, Passing, Stmt, Storage, SymbolId, SymbolKind, UnitId};
use xaif::{Diagnostic, Program};

/// Fills all adjoint units of a plan.
///
/// # Errors
/// Everything that cannot be reversed.
pub(crate) fn make(program: &mut Program, plan: &mut Plan, options: &Options) -> Result<(), Vec<Diagnostic>> {
    let with_code: Vec<usize> = (0..plan.derived.len())
        .filter(|&i| matches!(plan.derived[i].mode, Mode::Adjoint | Mode::Reverse) && !plan.facts.externals.has(plan.derived[i].original))
        .collect();
    let mut problems = Vec::new();
    let mut apart: Vec<(usize, scalar_elements::Apart)> = Vec::new();
    for &at in &with_code {
        problems.extend(body(program, plan, at));
        apart.push((at, scalar_elements::split(program, plan, at)));
    }
    let taken_apart: FxHashSet<usize> = apart.iter().filter(|(_, list)| !list.is_empty()).map(|(at, _)| *at).collect();
    let loud = repeatable::loud(program, plan);
    let unrepeatable = repeatable::unrepeatable(program, plan);
    let empty = empty(program, plan);
    let units: FxHashMap<SymbolId, UnitId> =
        program.unit_ids().filter(|&u| !program.unit(u).is_container()).map(|u| (program.unit(u).symbol, u)).collect();
    let names = Names { everywhere: plan.everywhere.clone(), units };
    let mut summaries = external_summaries(program, plan);
    let mut ledger = std::mem::take(&mut plan.ledger);
    let order = callees_first(plan, &with_code);
    let all: usize = order.iter().map(|&at| size(program, &plan.derived[at])).sum();
    let (mut named, mut looked) = (unused::Named::default(), FxHashSet::default());
    for group in in_parallel::groups(program, plan, order) {
        let given = Given { loud: &loud, unrepeatable: &unrepeatable, empty: &empty, summaries: &summaries, names: &names, options };
        let share = |program: &Program, d: &Derived| ledger.share(size(program, d), all);
        let made = match group[..] {
            [at] => {
                let share = share(program, &plan.derived[at]);
                vec![if form(&plan.derived[at]) == Form::Split {
                    pair(program, plan, at, &given, share)
                } else {
                    whole(program, plan, at, &given, share)
                }]
            }
            _ => {
                // Elements that are apart become arrays again.
                looked.extend(group.iter().filter(|at| !taken_apart.contains(at)));
                in_parallel::make(program, plan, &group, (&mut named, &looked), &|program, at| {
                    let share = share(program, &plan.derived[at]);
                    whole(program, plan, at, &given, share)
                })
            }
        };
        for (&at, made) in group.iter().zip(made) {
            match made {
                Ok(Done { summary, share, told, weight, times }) => {
                    let d = &plan.derived[at];
                    let (original, unit) = (d.original, program.unit_name(d.unit).to_owned());
                    summaries.insert((original, form(d)), summary);
                    ledger.absorb(share);
                    plan.weights.extend(weight.map(|w| (original, w)));
                    if options.timed {
                        plan.times.push(UnitTimes { unit: program.unit_name(original).to_owned(), steps: times });
                    }
                    plan.reversals.extend(told.map(|t| (original, crate::facts::Reversal { unit, ..t })));
                }
                Err(mut list) => problems.append(&mut list),
            }
        }
    }
    plan.ledger = ledger;
    for (at, apart) in apart {
        scalar_elements::join(program, plan, at, apart);
    }
    let all: Vec<usize> = (0..plan.derived.len())
        .filter(|&i| plan.derived[i].mode != Mode::Tangent && !plan.facts.externals.has(plan.derived[i].original))
        .collect();
    for &at in &all {
        program.units[plan.derived[at].unit.index()].structured = true;
    }
    unused::drop(program, plan, &all, named, &looked);
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Gives an adjoint unit the code of its original, in the form in which it is reversed; what cannot have that form.
fn body(program: &mut Program, plan: &mut Plan, at: usize) -> Vec<Diagnostic> {
    plan.copy_body(program, at);
    if plan.derived[at].head.is_some() && plan.derived[at].mode == Mode::Adjoint {
        commons_of_callees(program, plan, at);
    }
    let problems = as_loops(program, plan, at);
    let here = objects_here(program, plan, &plan.derived[at]);
    let sharing = sharing(program, plan.facts, plan.derived[at].original, &here);
    argument_copies::arguments(program, plan, at, &|a, b| sharing.get(&a).is_some_and(|l| l.contains(&b)));
    written_out::short_loops(program, plan, at);
    problems
}

/// Arrays that hold nothing when a pair gets them: there is nothing to bring back.
fn empty(program: &Program, plan: &Plan) -> FxHashSet<SymbolId> {
    let (pairs, f) = (plan.derived.iter().any(|d| d.mode == Mode::Reverse), plan.facts);
    let entries: FxHashSet<UnitId> = plan.derived.iter().filter(|d| d.head.is_some()).map(|d| d.original).collect();
    if pairs { empty_formals(program, &f.objects, &f.tables, &f.effects, &f.aliases, &entries) } else { FxHashSet::default() }
}

/// What rules say of adjoints that are not made here.
fn external_summaries(program: &Program, plan: &Plan) -> Summaries {
    let mut out = Summaries::default();
    for d in plan.derived.iter().filter(|d| d.mode == Mode::Adjoint) {
        let (Some(rule), Some(adjoint)) = (plan.facts.externals.rule(d.original), plan.facts.externals.derivative(d.original, d.mode))
        else {
            continue;
        };
        let formals = &program.unit(d.original).formals;
        // What is only set holds nothing yet; an array may be set in part.
        let used = |k: &usize| rule.arguments.get(*k).is_some_and(|a| a.access != crate::rules::Access::Write || a.array);
        let primal = adjoint.signature.roles.iter().filter_map(|r| if let Role::Primal(k) = r { Some(*k) } else { None });
        let symbol = |k: usize| formals.get(k).map(|f| f.symbol);
        let needs = primal.filter(used).filter_map(symbol).collect();
        let clobbers = adjoint.overwrites.iter().copied().filter_map(symbol).collect();
        out.insert((d.original, Form::Joint), Summary { needs, clobbers, ..Summary::default() });
    }
    out
}

/// The adjoint of a result that comes in by reference is not the unit's to write.
fn result_stays(program: &mut Program, d: &Derived, everywhere: &Everywhere) {
    if let Some(k) = program.unit(d.original).formals.iter().position(|f| f.result)
        && let Some(argument) = d.argument(program, Role::Derivative(k)).map(|a| a.symbol)
        && program.symbol(argument).passing() != Passing::Value
    {
        let mut graph = std::mem::take(&mut program.units[d.unit.index()].graph);
        result_argument::keep_argument(program, &mut graph, d.scope, argument, everywhere);
        program.units[d.unit.index()].graph = graph;
    }
}

/// Active array statements become loops over elements.
fn as_loops(program: &mut Program, plan: &mut Plan, at: usize) -> Vec<Diagnostic> {
    let companions = plan.derived[at].companions.clone();
    let active = |_: &Program, s: &Stmt| match &s.kind {
        xaif::model::StmtKind::Assignment { lhs, rhs } => {
            let mut found = false;
            rhs.for_each_ref(&mut |r| found |= companions.contains_key(&r.symbol));
            found && companions.contains_key(&lhs.symbol)
        }
        _ => false,
    };
    let unit = plan.derived[at].unit;
    let mut fresh = |wish: &str| plan.fresh_name(at, wish);
    match scalarize::scalarize(program, unit, &active, &mut fresh) {
        Ok(values) => {
            for v in values {
                plan.make_companion(program, at, v, false);
            }
            Vec::new()
        }
        Err(problems) => problems,
    }
}

/// The units in an order in which callees come before callers, as far as they do not call each other.
fn callees_first(plan: &Plan, all: &[usize]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    for &root in all {
        let mut stack = vec![(root, false)];
        while let Some((at, done)) = stack.pop() {
            if done {
                order.push(at);
                continue;
            }
            if !seen.insert(at) {
                continue;
            }
            stack.push((at, true));
            let callees = plan.facts.tables.get(plan.derived[at].original.index()).map(|t| t.callees.as_slice()).unwrap_or_default();
            for &c in callees.iter().rev() {
                // What rules stand for is not made.
                let made = [Mode::Adjoint, Mode::Reverse].into_iter().filter(|_| !plan.facts.externals.has(c));
                stack.extend(made.filter_map(|m| plan.index_of(c, m)).map(|c| (c, false)));
            }
        }
    }
    order
}

/// What stands in a derivative unit for the objects of its original.
pub(crate) fn objects_here(program: &Program, plan: &Plan, d: &Derived) -> FxHashMap<SymbolId, SymbolId> {
    let mut here = FxHashMap::default();
    let Some(table) = plan.facts.tables.get(d.original.index()) else { return here };
    let own = program.unit(d.original).scope;
    // Nothing reaches static variables of other units; what matters of them is refused where a call would need it.
    let static_elsewhere =
        |s: SymbolId| *program.symbol(s).storage() == Storage::Static && plan.facts.objects.owner(s).is_some_and(|o| o != d.original);
    for &s in table.objects.iter().filter(|s| !static_elsewhere(**s)) {
        here.insert(s, d.copy_of(s));
    }
    for &s in &program.scope(own).symbols {
        let canonical = plan.facts.objects.canonical(s);
        let copy = d.copy_of(s);
        if program.symbol(s).kind != SymbolKind::Subroutine && (copy != s || canonical == s) {
            here.insert(canonical, copy);
        }
    }
    // Variables of the host.
    let mut host = Plan::host(program, plan.facts, d.original);
    for _ in 0..8 {
        let Some(h) = host else { break };
        if let Some(hd) = plan.of(h, d.mode) {
            for &s in &table.objects {
                if plan.facts.objects.owner(s) == Some(h) {
                    here.insert(s, hd.copy_of(s));
                }
            }
        }
        host = Plan::host(program, plan.facts, h);
    }
    here
}

/// What is the same for all units while they are made.
struct Given<'a> {
    loud: &'a FxHashSet<UnitId>,
    unrepeatable: &'a FxHashSet<UnitId>,
    empty: &'a FxHashSet<SymbolId>,
    summaries: &'a Summaries,
    names: &'a Names,
    options: &'a Options,
}

/// What is left of a unit when its code is in its place.
struct Done {
    summary: Summary,
    share: Ledger,
    told: Option<crate::facts::Reversal>,
    weight: Option<weights::Weight>,
    times: Vec<(&'static str, Duration)>,
}

/// Where the sweeps of a derivative unit go.
fn form(d: &Derived) -> Form {
    if d.mode == Mode::Reverse { Form::Split } else { Form::Joint }
}

/// Makes an adjoint with both sweeps in one unit.
fn whole(program: &mut Program, plan: &Plan, at: usize, given: &Given, share: Ledger) -> Result<Done, Vec<Diagnostic>> {
    let d = &plan.derived[at];
    let (made, done) = one(program, plan, at, given, share)?;
    program.units[d.unit.index()].graph = made.graph(d.scope)?;
    result_stays(program, d, &given.names.everywhere);
    Ok(done)
}

/// Makes a pair of units, one for each sweep.
fn pair(program: &mut Program, plan: &mut Plan, at: usize, given: &Given, share: Ledger) -> Result<Done, Vec<Diagnostic>> {
    let (made, done) = one(program, plan, at, given, share)?;
    pairs::place(program, plan, at, made)?;
    result_stays(program, &plan.derived[at], &given.names.everywhere);
    Ok(done)
}

/// What all units share while they are made.
struct Names {
    everywhere: Everywhere,
    /// Units by their names, containers left out.
    units: FxHashMap<SymbolId, UnitId>,
}

/// Both sweeps of a unit.
fn one(program: &mut Program, plan: &Plan, at: usize, given: &Given, mut share: Ledger) -> Result<(Made, Done), Vec<Diagnostic>> {
    let &Given { loud, unrepeatable, empty, summaries, names, options } = given;
    let d = &plan.derived[at];
    let form = form(d);
    let here = objects_here(program, plan, d);
    let there: FxHashMap<SymbolId, SymbolId> = here.iter().map(|(&a, &b)| (b, a)).collect();
    let sharing = sharing(program, plan.facts, d.original, &here);
    restrict(program, plan.facts, d, &sharing);
    let effects = plan.facts.effects.unit(d.original);
    let formals = program.unit(d.original).formals.clone();
    let result = program.unit(d.original).result().map(|f| f.symbol);
    let mapped = |s: &SymbolId| here.get(s).copied();
    let whole = |s: &SymbolId| effects.kills.contains(s) && program.symbol(*s).rank == 0;
    let outside: Vec<SymbolId> = effects.writes.iter().filter_map(mapped).collect();
    let told = |s: &&SymbolId| !whole(s) && Some(**s) != result && !empty.contains(s);
    let parts = effects.writes.iter().filter(told).filter_map(mapped).collect();
    let lasts = |s: &&SymbolId| {
        let own = *program.symbol(**s).storage() == Storage::Static && plan.facts.objects.owner(**s) == Some(d.original);
        plan.facts.objects.outlives_call(**s) && (own || d.head.is_some())
    };
    let carried = match form {
        Form::Joint => effects.writes.intersection(&effects.exposed).filter(lasts).filter_map(mapped).collect(),
        Form::Split => Vec::new(),
    };
    let delivers = options.with_values && d.head.is_some() && form == Form::Joint;
    if delivers {
        with_values::check(program, plan, d.original).map_err(|e| vec![e])?;
    }
    let values = formals.iter().filter(|f| program.symbol(f.symbol).passing() == Passing::Value && !f.result);
    let values = values.map(|f| d.copy_of(f.symbol)).collect();
    let besides = calls::outside(plan, d.original, &here);
    let calls = calls::PlannedCalls { plan, units: &names.units, here, summaries, loud, unrepeatable, outside: besides };
    let mut frame = Frame {
        unit: d.unit,
        scope: d.scope,
        companions: d.companions().into_iter().collect(),
        own: d.own().iter().map(|(_, c)| *c).collect(),
        allocated: Vec::new(),
        inside: seen_inside(program, plan, d),
        sharing,
        outside,
        parts,
        delivers,
        carried,
        values,
        consumed: Vec::new(),
        arriving: FxHashSet::default(),
        before: Vec::new(),
        behind: Vec::new(),
        reserved: program.scope(program.unit(d.original).scope).symbols.iter().map(|&s| program.symbol(s).name.clone()).collect(),
        counters: Vec::new(),
        copies: FxHashMap::default(),
        calls: &calls,
        everywhere: &names.everywhere,
        name: program.unit_name(d.original).to_string(),
        formals: formals.iter().map(|f| d.copy_of(f.symbol)).collect(),
        tell: options.facts,
        left_out: if options.plain { cleanup::passes::plain(options.left_out) } else { options.left_out },
        plain: options.plain,
        weigh: options.reversal == Reversal::ByCost,
        timed: options.timed,
    };
    if let Some(head) = d.head.filter(|_| form == Form::Joint) {
        entry::at_head(program, plan, d, head, options, &mut frame)?;
    }
    entry::values_of_its_own(program, plan, d, &calls, &mut frame)?;
    let result_adjoint = formals.iter().position(|f| f.result).and_then(|k| d.argument(program, Role::Derivative(k))).map(|a| a.symbol);
    frame.consumed.extend(result_adjoint.filter(|&s| program.symbol(s).passing() == Passing::Value));
    let mut made = sweeps(program, &frame, form, &mut share)?;
    let back =
        |list: &[SymbolId]| -> Vec<SymbolId> { list.iter().filter_map(|s| there.get(s).copied()).filter(|&s| Some(s) != result).collect() };
    let (needs, after) = (with_extents(plan, d, back(&made.needs)), with_extents(plan, d, back(&made.after)));
    let parts = argument_parts::renamed(std::mem::take(&mut made.parts), &|s| there.get(&s).copied());
    let summary = Summary { needs, clobbers: back(&made.clobbers), after, parts };
    let times = std::mem::take(&mut made.times);
    let done = Done { summary, share, told: made.told.take(), weight: made.weight.take(), times };
    Ok((made, done))
}

/// What is needed, with what extents depend on: a derivative unit that nothing else asks for `n` declares `x(n)` all the same.
fn with_extents(plan: &Plan, d: &Derived, mut needs: Vec<SymbolId>) -> Vec<SymbolId> {
    for &s in plan.facts.tables.get(d.original.index()).map_or(&[][..], |t| &t.extents) {
        if !needs.contains(&s) {
            needs.push(s);
        }
    }
    needs
}

/// Tells compilers which arguments overlap nothing: an adjoint overlaps no variable of the original, and another adjoint only where their variables
/// may overlap; what the original sets overlaps nothing where nobody hands over anything that does.
fn restrict(program: &mut Program, facts: &Facts, d: &Derived, sharing: &FxHashMap<SymbolId, Vec<SymbolId>>) {
    let companions: FxHashMap<SymbolId, SymbolId> = d.companions().into_iter().collect();
    for (of, c) in d.companions() {
        let apart = sharing.get(&of).is_none_or(|l| l.iter().all(|o| !companions.contains_key(o)));
        // A promise of the original that its adjoint could not keep is not made again.
        let promised = program.symbol(of).has_attribute("restrict");
        let symbol = program.symbol_mut(c);
        let pointed = symbol.rank > 0 && !promised && !symbol.pointer && *symbol.storage() == Storage::Argument;
        if let Some(decl) = symbol.decl.as_mut().filter(|x| pointed && apart && x.may_alias) {
            decl.attributes.push("restrict".into());
        }
    }
    let formals: Vec<SymbolId> = program.unit(d.original).formals.iter().map(|f| f.symbol).collect();
    let set = &facts.effects.unit(d.original).writes;
    for &s in formals.iter().filter(|s| set.contains(s) && facts.aliases.stands_alone(d.original, **s)) {
        let matters = formals.iter().any(|&o| facts.aliases.promised_apart(program, d.original, s, o));
        let symbol = program.symbol_mut(d.copy_of(s));
        let pointed = symbol.rank > 0 && !symbol.pointer && *symbol.storage() == Storage::Argument;
        if let Some(decl) = symbol.decl.as_mut().filter(|x| pointed && matters && x.may_alias) {
            decl.attributes.push("restrict".into());
        }
    }
}

/// Which variables may share memory in a unit, in terms of its derivative unit.
pub(crate) fn sharing(
    program: &Program,
    facts: &Facts,
    unit: UnitId,
    here: &FxHashMap<SymbolId, SymbolId>,
) -> FxHashMap<SymbolId, Vec<SymbolId>> {
    let mut out: FxHashMap<SymbolId, Vec<SymbolId>> = FxHashMap::default();
    let Some(table) = facts.tables.get(unit.index()) else { return out };
    let aliases = &facts.aliases;
    for &a in &table.objects {
        let suspect = program.symbol(a).decl.as_ref().is_some_and(|x| x.may_alias) || aliases.known(unit, a).next().is_some();
        if !suspect {
            continue;
        }
        for &b in &table.objects {
            if a != b && aliases.may_overlap(program, unit, a, b) {
                let (Some(&x), Some(&y)) = (here.get(&a), here.get(&b)) else { continue };
                for (x, y) in [(x, y), (y, x)] {
                    let list = out.entry(x).or_default();
                    if !list.contains(&y) {
                        list.push(y);
                    }
                }
            }
        }
    }
    out
}

/// Declares the adjoints of variables in COMMON that are active only in what a head calls, whether it declares the block or not: it has to set them to zero.
fn commons_of_callees(program: &mut Program, plan: &mut Plan, at: usize) {
    let original = plan.derived[at].original;
    let Some(table) = plan.facts.tables.get(original.index()) else { return };
    let active = plan.activity.active_shared(plan.facts);
    let common = |s: SymbolId| matches!(program.symbol(s).storage(), Storage::Common(_));
    let reached: Vec<SymbolId> = active.into_iter().filter(|&s| common(s) && table.number(s).is_some()).collect();
    for s in reached {
        // Nothing is refused for variables in COMMON.
        let _ = plan.global_companion(program, at, s);
    }
}

/// The variables of a derivative unit that procedures inside of it know, and their derivatives.
pub(crate) fn seen_inside(program: &Program, plan: &Plan, d: &Derived) -> FxHashSet<SymbolId> {
    let (facts, scope) = (plan.facts, program.unit(d.original).scope);
    if !plan.hosts.contains(&scope) {
        return FxHashSet::default();
    }
    let (mut named, mut derived) = (FxHashSet::default(), FxHashSet::default());
    for u in program.unit_ids().filter(|u| program.scope(program.unit(*u).scope).parent == Some(scope)) {
        let Some(t) = facts.tables.get(u.index()) else { continue };
        named.extend(t.objects.iter().chain(&t.extents).copied());
        if plan.of(u, d.mode).is_some() {
            derived.extend(t.objects.iter().copied());
        }
    }
    let copies = program.scope(scope).symbols.iter().filter(|s| named.contains(&facts.objects.canonical(**s))).map(|&s| d.copy_of(s));
    let derivatives =
        d.companions().into_iter().filter(|(p, _)| derived.contains(&facts.objects.canonical(d.original_of(*p)))).map(|(_, c)| c);
    copies.chain(derivatives).collect()
}
