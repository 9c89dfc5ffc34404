//! Values that the adjoint of a head hands back as the original does.
//!
//! ```text
//! f(n, x, y)   y is read on the way, and changed in the end:      forward sweep;  y_out(k) = y(k);  reverse sweep;  y(k) = y_out(k)
//! ```
//!
//! The forward sweep computes them. What the reverse sweep leaves alone is in place; what it overwrites, since it brings old values back or runs something again, is
//! kept meanwhile. Not on the stack, which the reverse sweep finds as the forward sweep has left it.
//!
//! Lives here: what is handed back, what has to be kept, and the copies. Never here: the sweeps.

use super::storage::{Keeper, Pair, copy};
use crate::analysis::reversal::decisions::Decisions;
use crate::analysis::reversal::flow::{Flow, Var, steps};
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::code::writes::{Overlap, Places, places};
use crate::transform::adjoint::facts::frame::Frame;
use crate::transform::adjoint::statement::maker::Maker;
use crate::transform::adjoint::variables::optional::guarded;
use crate::transform::adjoint::variables::{allocated, extents};
use crate::transform::companions::known_extent;
use crate::transform::follow;
use crate::transform::plan::Plan;
use rustc_hash::FxHashMap;
use smol_str::format_smolstr;
use xaif::model::{BaseType, Decl, Dim, IndexOrder, StmtKind, Storage, Symbol, SymbolId, UnitId, VarRef};
use xaif::{Diagnostic, Program};

/// Refuses what no head can hand back: variables that only units below it know, which its reverse sweep sets back.
///
/// # Errors
/// OB4069.
pub(crate) fn check(program: &Program, plan: &Plan, unit: UnitId) -> Result<(), Diagnostic> {
    let hidden = |s: &&SymbolId| *program.symbol(**s).storage() == Storage::Static && plan.facts.objects.owner(**s) != Some(unit);
    match plan.facts.effects.unit(unit).writes.iter().find(hidden) {
        Some(&s) => Err(refused(program, s, "a procedure that is called keeps it from one call to the next, and no other knows it")),
        None => Ok(()),
    }
}

/// What a head hands back: what it writes of others' variables, its result among them; nothing where that is not asked for.
pub(crate) fn delivered(frame: &Frame) -> Vec<SymbolId> {
    let all = frame.outside.iter().copied().filter(|_| frame.delivers);
    all.filter(|s| !frame.values.contains(s)).collect()
}

/// What adjoints of calls change of variables of the original.
pub(crate) fn changed_by_calls(flow: &[Flow], decisions: &Decisions) -> Vec<Var> {
    let mut all = FxHashMap::default();
    steps(flow, &mut all);
    let mut out = Vec::new();
    for s in all.values().filter(|s| s.adjoint) {
        let kept = decisions.kept(s.id);
        out.extend(s.clobbers().iter().filter(|c| !kept.contains(c)));
        if s.restores {
            out.extend(s.writes.iter().map(|w| w.var));
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Keeps what the reverse sweep overwrites from behind the forward sweep on, and puts it back in the end.
///
/// # Errors
/// OB4069: what cannot be kept.
pub(crate) fn keep(
    unit: &mut Maker,
    delivered: &[SymbolId],
    by_calls: &[SymbolId],
    (forward, reverse): (&mut Vec<Item>, &mut Vec<Item>),
) -> Result<(), Vec<Diagnostic>> {
    let mut written = Places::default();
    let (frame, program) = (unit.frame, &*unit.program);
    places(reverse, &mut |s| writes(frame, program, s), &mut written);
    let hit = |s: SymbolId| frame.sharing(s).iter().any(|o| written.contains(*o) || by_calls.contains(o));
    let overwritten: Vec<SymbolId> = delivered.iter().copied().filter(|&s| hit(s)).collect();
    let mut problems = Vec::new();
    for s in overwritten {
        match kept(unit, s) {
            Ok((save, restore)) => {
                forward.extend(save);
                reverse.extend(restore);
            }
            Err(d) => problems.push(d),
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// What a statement of a reverse sweep writes, calls of derivatives left out.
fn writes(frame: &Frame, program: &Program, stmt: &xaif::model::Stmt) -> Vec<SymbolId> {
    match &stmt.kind {
        StmtKind::Call(c) => frame.calls.writes(program, c),
        StmtKind::Marker(m) => m.writes.iter().copied().chain(m.object.iter().map(|o| o.symbol)).collect(),
        StmtKind::Runtime { name, arguments } if name == "pop" => {
            arguments.iter().filter_map(|a| a.value.as_var()).map(|r| r.symbol).collect()
        }
        _ => Vec::new(),
    }
}

/// Code that keeps a variable, and code that puts it back.
fn kept(unit: &mut Maker, s: SymbolId) -> Result<Pair, Diagnostic> {
    let whole = VarRef::whole(s);
    let symbol = unit.program.symbol(s).clone();
    let moving = symbol.pointer || ["allocatable", "heap"].iter().any(|a| symbol.has_attribute(a));
    let number = matches!(symbol.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool);
    if moving || !number {
        let why = if moving { "it may be allocated anew, or point elsewhere" } else { "it is no number" };
        return Err(refused(unit.program, s, why));
    }
    if let Some(pair) = (Keeper { one_unit: true }).local(unit, &whole) {
        return Ok(pair);
    }
    let decl = symbol.decl.clone().unwrap_or_default();
    let dims: Option<Vec<Dim>> = (0..usize::from(symbol.rank)).map(|k| known_extent(unit.program, s, k, &decl)).collect();
    let known = dims.and_then(|d| Some((allocated::bounds(&d)?, d)));
    let Some((bounds, dims)) = known else { return Err(refused(unit.program, s, "its length is not known")) };
    let named = decl.bound_exprs().flat_map(|e| extents::values(unit.program, e)).find(|&v| unit.changes(v));
    if let Some(v) = named {
        let why = format!("its length is given by the value that {} had on entry, which changes", unit.program.symbol(v).name);
        return Err(refused(unit.program, s, &why));
    }
    let (name, ty) = (symbol.name.clone(), symbol.ty);
    let mut like = Symbol { decl: Some(Box::new(Decl { dims, type_text: decl.type_text.clone(), ..Decl::default() })), ..symbol };
    let heap = allocated::is_needed(unit.program, &bounds);
    if heap {
        allocated::declare(like.decl.get_or_insert_default(), unit.program.index_order);
    }
    let made = unit.array(&format_smolstr!("{name}_out"), ty, &like);
    let sections = unit.program.index_order == IndexOrder::Row;
    let all = |symbol| VarRef {
        subscripts: if sections { bounds.iter().cloned().collect() } else { Default::default() },
        ..VarRef::whole(symbol)
    };
    let (mut save, mut restore) = (vec![copy(&all(made), &all(s))], vec![copy(&all(s), &all(made))]);
    if heap {
        save.insert(0, Item::stmt(follow::allocate(all(made), false)));
        restore.push(Item::stmt(follow::free(made)));
    }
    Ok((guarded(unit.program, s, save), guarded(unit.program, s, restore)))
}

fn refused(program: &Program, s: SymbolId, why: &str) -> Diagnostic {
    let symbol = program.symbol(s);
    let name = &symbol.name;
    Diagnostic::error("OB4069", format!("the adjoint cannot hand back the value of {name}"))
        .at(program.location(symbol.span))
        .because(format!("the reverse sweep overwrites it, and it cannot be kept meanwhile: {why}"))
        .help(format!("tell its length (--extent '{name}=...'), or leave --with-values out and call the original"))
}
