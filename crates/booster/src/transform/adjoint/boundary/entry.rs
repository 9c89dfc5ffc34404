//! What adjoint units do before and behind their sweeps, for whoever calls them.
//!
//! ```text
//! f(n, x, y)   head f(y)/(x), x is overwritten       xb_in(k) = 0;   sweeps over xb_in;   xb(k) = xb(k) + xb_in(k)
//!              adjoints of inputs start from zero    xb(k) = 0;      sweeps over xb
//! ```
//!
//! Lives here: adjoints that are set to zero, kept apart or allocated on entry. Never here: the sweeps.

use crate::analysis::arrays::{counted, extents};
use crate::linearize::fold::{Fold, zero};
use crate::signature::Role;
use crate::transform::adjoint::code::tree::{Item, LoopKind};
use crate::transform::adjoint::facts::frame::{Calls, Frame};
use crate::transform::adjoint::variables::allocated;
use crate::transform::companions::known_extent;
use crate::transform::follow;
use crate::transform::namer::Namer;
use crate::transform::plan::{Derived, Plan};
use crate::transform::request::Options;
use rustc_hash::FxHashSet;
use xaif::model::{BoolOp, Bound, Dim, ElemType, Expr, IndexOrder, Mode, Passing, Span, Stmt, StmtKind, Storage, SymbolId, UnitId, VarRef};
use xaif::{Diagnostic, Program};

/// What a head asks for around the sweeps.
pub(crate) fn at_head(
    program: &mut Program,
    plan: &Plan,
    d: &Derived,
    head: usize,
    options: &Options,
    frame: &mut Frame,
) -> Result<(), Vec<Diagnostic>> {
    let head = &plan.heads[head];
    let mut problems = Vec::new();
    // Derivatives of globals that the head does not name are zero on entry.
    let effects = plan.facts.effects.unit(d.original);
    let globals = globals(program, plan, d);
    let named: FxHashSet<SymbolId> = head.dependents.iter().chain(&head.independents).map(|&s| plan.facts.objects.canonical(s)).collect();
    for (primal, c) in globals {
        let canonical = plan.facts.objects.canonical(primal);
        let object = plan.facts.objects.canonical(d.original_of(primal));
        let originals = named.contains(&object) || named.iter().any(|&n| d.copy_of(n) == primal);
        let foreign = matches!(program.symbol(c).storage(), Storage::Common(_)) && program.symbol(c).scope != d.scope;
        let allocatable = program.symbol(c).has_attribute("allocatable");
        if originals && !foreign && counts_only_on_entry(plan, head, object) {
            if effects.writes.contains(&object) && !options.zero_init {
                problems.extend(put_away(program, d, primal, c, frame).err());
            } else if options.zero_init {
                let zeroed = zeroed(program, c);
                frame.before.push(if allocatable { Item::branch(follow::is_allocated(c), vec![zeroed], Vec::new()) } else { zeroed });
            }
        }
        if originals && allocatable {
            problems.extend(plan.allocated_below(program, d.original, object, "its adjoint comes from the caller").err());
            if head.dependents.iter().any(|&s| plan.facts.objects.canonical(s) == object) {
                frame.arriving.insert(primal);
            }
        }
        if originals || foreign || allocatable && !plan.touches(d.original, canonical) {
            continue;
        }
        if allocatable {
            match plan.derived.iter().position(|x| x.unit == d.unit).map(|at| plan.can_follow(program, at, canonical)) {
                Some(Err(e)) => {
                    problems.push(if e.location.is_none() { e.at(program.location(program.symbol(primal).span)) } else { e });
                    continue;
                }
                _ => frame.follow(program, primal, c),
            }
        } else {
            frame.before.push(zeroed(program, c));
        }
    }
    let formals = program.unit(d.original).formals.clone();
    for (k, f) in formals.iter().enumerate() {
        let Some(companion) = d.argument(program, Role::Derivative(k)).map(|a| a.symbol) else { continue };
        let independent = head.independents.contains(&f.symbol);
        let dependent = head.dependents.contains(&f.symbol);
        let primal = d.copy_of(f.symbol);
        if dependent && program.symbol(f.symbol).has_attribute("allocatable") {
            frame.arriving.insert(primal);
        }
        if !options.zero_init && independent && !dependent && effects.writes.contains(&f.symbol) && !f.result {
            problems.extend(keep_apart(program, plan, d, primal, companion, frame).err());
        }
        if options.zero_init && independent && !dependent {
            match declared(program, primal, companion, "must be set to zero") {
                Ok(_) => frame.before.push(zeroed(program, companion)),
                Err(e) => problems.push(e),
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// The globals whose adjoints the unit comes near, with these.
fn globals(program: &Program, plan: &Plan, d: &Derived) -> Vec<(SymbolId, SymbolId)> {
    let effects = plan.facts.effects.unit(d.original);
    // Whoever declares a variable sets its adjoint to zero.
    let owned: FxHashSet<SymbolId> = plan.derived.iter().flat_map(|x| x.own()).map(|(_, c)| *c).collect();
    let mut globals: Vec<(SymbolId, SymbolId)> = d
        .companions()
        .into_iter()
        .filter(|(_, c)| {
            !matches!(program.symbol(*c).storage(), Storage::Local | Storage::Argument | Storage::Constant) && !owned.contains(c)
        })
        .collect();
    for (&(canonical, mode), &c) in &plan.globals {
        // A unit that does not come near a global leaves its adjoint alone, which may not even be allocated.
        let reached = effects.reads.contains(&canonical) || effects.writes.contains(&canonical);
        if mode == Mode::Adjoint && reached && !globals.iter().any(|(_, g)| *g == c) {
            globals.push((canonical, c));
        }
    }
    globals.sort_unstable_by_key(|(_, c)| *c);
    globals
}

/// Sets an adjoint to zero.
fn zeroed(program: &Program, companion: SymbolId) -> Item {
    Item::stmt(Stmt::assign(VarRef::whole(companion), zero(program.symbol(companion).ty)))
}

/// The adjoints of arguments that the unit overwrites for itself: what they are in the end is nobody's adjoint.
pub(crate) fn values_of_its_own(
    program: &mut Program,
    plan: &Plan,
    d: &Derived,
    calls: &dyn Calls,
    frame: &mut Frame,
) -> Result<(), Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let formals = program.unit(d.original).formals.clone();
    for (k, f) in formals.iter().enumerate() {
        let Some(companion) = d.argument(program, Role::Derivative(k)).map(|a| a.symbol) else { continue };
        let primal = d.copy_of(f.symbol);
        if program.symbol(f.symbol).passing() == Passing::Value && !f.result && writes(program, d.unit, calls, primal) {
            problems.extend(keep_apart(program, plan, d, primal, companion, frame).err());
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

impl Frame<'_> {
    /// The derivative of an allocatable global is allocated, and zero, where the global is allocated on entry.
    fn follow(&mut self, program: &Program, primal: SymbolId, companion: SymbolId) {
        let (condition, free) = follow::freed(companion);
        self.before.push(Item::branch(condition, vec![Item::stmt(free)], Vec::new()));
        let (condition, allocate) = follow::allocated_like(program, primal, companion);
        self.before.push(Item::branch(condition, vec![Item::stmt(allocate)], Vec::new()));
    }
}

/// Whether a unit's own text may write a variable.
fn writes(program: &Program, unit: UnitId, calls: &dyn Calls, symbol: SymbolId) -> bool {
    let graph = &program.unit(unit).graph;
    graph.node_weights().flat_map(|v| v.stmts()).any(|s| match &s.kind {
        StmtKind::Assignment { lhs, .. } => lhs.symbol == symbol,
        StmtKind::Call(c) => calls.writes(program, c).contains(&symbol),
        StmtKind::Marker(m) => m.writes.contains(&symbol),
        _ => false,
    })
}

/// The sweeps get an adjoint of their own for an argument; in the end it is added to the caller's.
fn keep_apart(
    program: &mut Program,
    plan: &Plan,
    d: &Derived,
    primal: SymbolId,
    companion: SymbolId,
    frame: &mut Frame,
) -> Result<(), Diagnostic> {
    // Adjoints of internal procedures know the companion by its name, and what may be allocated anew has no other place.
    let allocatable = program.symbol(companion).has_attribute("allocatable");
    if allocatable || plan.is_host(program, d.original) {
        return put_away(program, d, primal, companion, frame);
    }
    let own = added_behind(program, d, primal, companion, false, frame)?;
    frame.companions.insert(primal, own);
    frame.own.push(own);
    Ok(())
}

/// The sweeps start from an adjoint of zero; what the caller's was is put away until the end, when it is added.
fn put_away(program: &mut Program, d: &Derived, primal: SymbolId, companion: SymbolId, frame: &mut Frame) -> Result<(), Diagnostic> {
    let kept = added_behind(program, d, primal, companion, true, frame)?;
    if let Some(k) = frame.allocated.iter().position(|a| a.symbol == kept) {
        frame.before.push(Item::stmt(follow::allocate(frame.allocated.remove(k), false)));
    }
    let span = place_of(program, d, primal);
    let put = Stmt { span, ..Stmt::assign(VarRef::whole(kept), Expr::sym(companion)) };
    frame.before.extend([Item::stmt(put), zeroed(program, companion)]);
    Ok(())
}

/// Where the original declares a variable, or begins: the place of what code does with its adjoint as a whole.
fn place_of(program: &Program, d: &Derived, primal: SymbolId) -> Span {
    let span = program.symbol(d.original_of(primal)).span;
    if span.is_known() { span } else { program.unit(d.original).span }
}

/// A local variable like an adjoint, which is added to it behind the sweeps. `whole`: it is to have all elements, not only those that the unit names.
fn added_behind(
    program: &mut Program,
    d: &Derived,
    primal: SymbolId,
    companion: SymbolId,
    whole: bool,
    frame: &mut Frame,
) -> Result<SymbolId, Diagnostic> {
    let known = declared(program, primal, companion, "must be kept apart");
    let gone_through = if whole { None } else { known.as_ref().err().and_then(|_| gone_through(program, d, primal, companion)) };
    // Beyond what is declared nothing is touched that the sweeps have not touched.
    let guarded = gone_through.is_some();
    let dims = gone_through.map_or(known, Ok)?;
    for dim in &dims {
        for b in [&dim.lower, &dim.upper] {
            let Bound::Expr(e) = b else { continue };
            let mut changed = None;
            e.for_each_ref(&mut |r| changed = changed.or(Some(r.symbol).filter(|&s| writes(program, d.unit, frame.calls, s))));
            if let Some(v) = changed {
                let (name, v) = (&program.symbol(primal).name, &program.symbol(v).name);
                return Err(Diagnostic::error("OB4063", format!("the adjoint of {name} must be kept apart, but {v} may change"))
                    .at(program.location(program.symbol(primal).span))
                    .because(format!("the length of {name} is given by the value that {v} had on entry"))
                    .help(format!("leave {v} as it is and count in another variable")));
            }
        }
    }
    let own = local_like(program, &mut namer(program, d, frame), companion, dims.clone());
    program.symbol_mut(own).decl.get_or_insert_default().derivative_of = Some(primal);
    let allocated = allocated::bounds(&dims).filter(|b| allocated::is_needed(program, b));
    if let Some(bounds) = &allocated {
        let order = program.index_order;
        allocated::declare(program.symbol_mut(own).decl.get_or_insert_default(), order);
        frame.allocated.push(VarRef { subscripts: bounds.iter().cloned().collect(), ..VarRef::whole(own) });
    }
    let span = place_of(program, d, primal);
    let added = each_element(program, d, frame, &dims, &mut |program, subscripts| {
        let (r, o) = (VarRef::element(companion, subscripts.clone()), VarRef::element(own, subscripts));
        let sum = Fold { program }.add(Expr::var(r.clone()), Expr::var(o.clone()));
        let added = Item::stmt(Stmt { span, ..Stmt::assign(r, sum) });
        let touched = || Expr::boolean(BoolOp::NotEqual, [Expr::var(o), zero(program.symbol(own).ty)]);
        if guarded { Item::branch(touched(), vec![added], Vec::new()) } else { added }
    });
    frame.behind.extend(added);
    frame.behind.extend(allocated.map(|_| Item::stmt(follow::free(own))));
    Ok(own)
}

/// Whether a head names a shared variable as an independent and not as a dependent: its final value counts for nothing.
fn counts_only_on_entry(plan: &Plan, head: &crate::analysis::activity::heads::ResolvedHead, object: SymbolId) -> bool {
    let in_it = |list: &[SymbolId]| list.iter().any(|&s| plan.facts.objects.canonical(s) == object);
    in_it(&head.independents) && !in_it(&head.dependents)
}

/// The dimensions of an argument with bounds that can be written down.
fn declared(program: &Program, primal: SymbolId, companion: SymbolId, why: &str) -> Result<Vec<Dim>, Diagnostic> {
    let s = program.symbol(companion);
    let decl = s.decl.clone().unwrap_or_default();
    let dims = (0..usize::from(s.rank)).map(|k| known_extent(program, companion, k, &decl)).collect::<Option<Vec<Dim>>>();
    dims.ok_or_else(|| {
        let s = program.symbol(primal);
        Diagnostic::error("OB4058", format!("the adjoint of {} {why}, but its length is not known", s.name))
            .at(program.location(s.span))
            .because("it is an independent that the unit overwrites, or adjoints are to start from zero")
            .help(format!("give its number of elements (--extent '{}=...'), declare it, or name it as a dependent too", s.name))
    })
}

/// The bounds within which the unit goes through an argument, where they are known.
fn gone_through(program: &Program, d: &Derived, primal: SymbolId, companion: SymbolId) -> Option<Vec<Dim>> {
    let rank = program.symbol(primal).rank;
    // Several directions have a dimension of their own.
    if program.symbol(companion).rank != rank {
        return None;
    }
    let mut dims: Vec<Dim> =
        (0..usize::from(rank)).map(|k| extents::of(program, d.original, d.original_of(primal), k)).collect::<Option<_>>()?;
    for bound in dims.iter_mut().flat_map(|d| [&mut d.lower, &mut d.upper]) {
        if let Bound::Expr(e) = bound {
            e.for_each_ref_mut(&mut |r| r.symbol = d.copy_of(r.symbol));
        }
    }
    Some(dims)
}

/// A new local variable with the type of another one.
fn local_like(program: &mut Program, namer: &mut Namer, like: SymbolId, dims: Vec<Dim>) -> SymbolId {
    let (name, ty) = (program.symbol(like).name.clone(), program.symbol(like).ty);
    let t = namer.add(program, &format!("{name}_in"), ty);
    let symbol = program.symbol_mut(t);
    symbol.rank = dims.len() as u8;
    symbol.decl.get_or_insert_default().dims = dims;
    t
}

/// What is to be done for every element, in loops; alone for a scalar.
fn each_element(
    program: &mut Program,
    d: &Derived,
    frame: &mut Frame,
    dims: &[Dim],
    make: &mut dyn FnMut(&Program, Vec<Expr>) -> Item,
) -> Vec<Item> {
    let mut namer = namer(program, d, frame);
    while frame.counters.len() < dims.len() {
        frame.counters.push(namer.add(program, "k", ElemType::INTEGER));
    }
    let indices = &frame.counters[..dims.len()];
    let mut items = vec![make(program, indices.iter().map(|&i| Expr::sym(i)).collect())];
    // The index that varies fastest goes innermost.
    let mut order: Vec<usize> = (0..dims.len()).collect();
    if program.index_order == IndexOrder::Row {
        order.reverse();
    }
    for k in order {
        if let (Bound::Expr(lower), Bound::Expr(upper)) = (&dims[k].lower, &dims[k].upper) {
            let head = counted::for_loop(Fold { program }, indices[k], lower.clone(), upper.clone(), Expr::int(1));
            items = vec![Item::repeat(LoopKind::For(Box::new(head)), items)];
        }
    }
    items
}

/// Names that nothing else in the unit has.
fn namer<'a>(program: &Program, d: &Derived, frame: &Frame<'a>) -> Namer<'a> {
    let mut namer = Namer::new(program, d.scope, frame.everywhere);
    frame.reserved.iter().for_each(|n| namer.take(n));
    namer
}
