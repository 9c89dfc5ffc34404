//! Pairs of units for the two sweeps.
//!
//! ```text
//! g_fwd(x, y)             the original's arguments; computes what g computes, and records
//! g_bwd(x, xb, y, yb)     the adjoint's arguments; brings everything back as it was before g_fwd
//! ```
//!
//! Lives here: putting finished sweeps into the two units. Never here: the sweeps themselves.

use crate::transform::adjoint::code::mentions::mentioned;
use crate::transform::adjoint::code::renaming;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::facts::frame;
use crate::transform::adjoint::facts::frame::Made;
use crate::transform::plan::Plan;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{Bound, Mode, SymbolId};
use xaif::{Diagnostic, Program};

/// Puts the forward sweep into the forward unit and the reverse sweep into the reverse unit at `at`, in whose scope both were made.
///
/// # Errors
/// A pair for an internal procedure, or for a host of such with derivatives.
pub(crate) fn place(program: &mut Program, plan: &mut Plan, at: usize, made: Made) -> Result<(), Vec<Diagnostic>> {
    let d = &plan.derived[at];
    let (original, unit, scope) = (d.original, d.unit, d.scope);
    let why = if Plan::host(program, plan.facts, original).is_some() {
        Some("it is an internal procedure: its host's variables are others in each sweep")
    } else if plan.is_host(program, original) {
        Some("its internal procedures have derivatives: they would work on the variables of one sweep only")
    } else {
        None
    };
    if let Some(why) = why {
        let name = program.unit_name(original).to_owned();
        return Err(vec![
            Diagnostic::error("OB4064", format!("calls of {name} cannot be reversed by a pair of units"))
                .at(program.location(program.unit(original).span))
                .because(why)
                .help("make it a module procedure that contains none, or choose joint reversal"),
        ]);
    }
    let Some(forward_at) = plan.index_of(original, Mode::Forward) else { return Ok(()) };
    let forward = moved(program, plan, at, forward_at, made.forward);
    let (forward_unit, forward_scope) = (plan.derived[forward_at].unit, plan.derived[forward_at].scope);
    program.units[forward_unit.index()].graph = frame::graph(forward, forward_scope)?;
    program.units[unit.index()].graph = frame::graph(made.reverse, scope)?;
    Ok(())
}

/// The code with the variables of another derivative unit of the same original.
fn moved(program: &mut Program, plan: &mut Plan, from: usize, to: usize, items: Vec<Item>) -> Vec<Item> {
    let mut named = FxHashSet::default();
    mentioned(&items, &mut named);
    let mut named: Vec<SymbolId> = named.into_iter().collect();
    named.sort_unstable();
    let scope = plan.derived[from].scope;
    let mut map: FxHashMap<SymbolId, SymbolId> = FxHashMap::default();
    for s in named {
        if program.symbol(s).scope != scope {
            continue;
        }
        let original = plan.derived[from].original_of(s);
        let here = if original != s {
            plan.local(program, to, original)
        } else {
            let mut copy = program.symbol(s).clone();
            copy.name = plan.fresh_name(to, &copy.name);
            copy.id = copy.name.clone();
            copy.scope = plan.derived[to].scope;
            let bounds = copy.decl.iter_mut().flat_map(|d| &mut d.dims).flat_map(|d| [&mut d.lower, &mut d.upper]);
            for b in bounds {
                if let Bound::Expr(e) = b {
                    e.for_each_ref_mut(&mut |r| {
                        let original = plan.derived[from].original_of(r.symbol);
                        if original != r.symbol {
                            r.symbol = plan.local(program, to, original);
                        }
                    });
                }
            }
            program.add_symbol(copy)
        };
        map.insert(s, here);
    }
    renaming::renamed(items, &map)
}
