//! Arguments as the stock form has them: variables and constants, all passed by reference.
//!
//! ```text
//! call f(x*y, n - 1)      ->      t = x*y;  k = n - 1;  call f(t, k)
//! ```
//!
//! What is passed as a value is copied, so that the callee may change it. Never here: derivatives.

use super::temporaries::{Kind, Temporaries};
use crate::transform::written::is_written;
use rustc_hash::FxHashSet;
use xaif::model::{Call, Expr, Intent, NodeKind, Passing, Program, Stmt, StmtKind, SymbolId, Tri, UnitId, VarRef, VertexKind};
use xaif::{Diagnostic, types};

/// Rewrites all calls of a program.
///
/// # Errors
/// Array expressions as arguments.
pub fn by_reference(program: &mut Program, temporaries: &mut Temporaries) -> Result<(), Vec<Diagnostic>> {
    let mut formals = Formals::default();
    // While a unit is rewritten its text is not in its place.
    for id in program.unit_ids() {
        for f in &program.unit(id).formals {
            if program.symbol(f.symbol).passing() == Passing::Value {
                formals.values.insert(f.symbol);
            }
            if !is_written(program, id, f.symbol) {
                formals.read.insert(f.symbol);
                if f.intent == Intent::In {
                    formals.inputs.insert(f.symbol);
                }
            }
        }
    }
    let mut problems = Vec::new();
    let ids: Vec<UnitId> = program.unit_ids().collect();
    for &id in &ids {
        let mut graph = std::mem::take(&mut program.units[id.index()].graph);
        for v in graph.node_weights_mut() {
            let VertexKind::Block { stmts, .. } = &mut v.kind else { continue };
            if !stmts.iter().any(|s| matches!(s.kind, StmtKind::Call(_))) {
                continue;
            }
            let mut out = Vec::with_capacity(stmts.len());
            for mut stmt in std::mem::take(stmts) {
                if let StmtKind::Call(call) = &mut stmt.kind {
                    let span = stmt.span;
                    match arguments(program, temporaries, id, call, &formals) {
                        Ok(before) => out.extend(before.into_iter().map(|s| Box::new(Stmt { span, ..s }))),
                        Err(d) => problems.push(d.at(program.location(span))),
                    }
                    // The stock schema wants the number, of units that are not in the file, too.
                    call.formal_count.get_or_insert(call.arguments.len() as u32);
                }
                out.push(stmt);
            }
            *stmts = out;
        }
        program.units[id.index()].graph = graph;
    }
    for s in formals.values {
        if let Some(d) = &mut program.symbol_mut(s).decl {
            d.passing = Passing::Reference;
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// What is known of the formals of all units.
#[derive(Default)]
struct Formals {
    /// Passed as values.
    values: FxHashSet<SymbolId>,
    /// Not written by their unit.
    read: FxHashSet<SymbolId>,
    /// Not written by their unit, and declared so.
    inputs: FxHashSet<SymbolId>,
}

/// The assignments that come before one call.
fn arguments(
    program: &mut Program,
    temporaries: &mut Temporaries,
    caller: UnitId,
    call: &mut Call,
    known: &Formals,
) -> Result<Vec<Stmt>, Diagnostic> {
    let Some(callee) = program.unit_of_symbol(call.callee) else { return Ok(Vec::new()) };
    let formals = program.unit(callee).formals.clone();
    call.formal_count.get_or_insert(formals.len() as u32);
    let mut before = Vec::new();
    for a in &mut call.arguments {
        let Some(formal) = formals.iter().find(|f| f.position == a.position) else { continue };
        let value = known.values.contains(&formal.symbol);
        let plain = matches!(a.value.root().kind, NodeKind::Var(_) | NodeKind::Const(_)) && a.value.nodes.len() == 1;
        let stays = a.value.as_var().is_some_and(|r| r.subscripts.is_empty() && known.inputs.contains(&r.symbol));
        if plain && (!value || a.value.as_constant().is_some() || (stays && known.read.contains(&formal.symbol))) {
            continue;
        }
        let found = types::of(program, &a.value);
        if found.rank > 0 {
            return Err(Diagnostic::error("OB4090", "an array expression as an argument has no form in the openad dialect")
                .because("arguments are variables and constants there")
                .help("assign it to an array and pass that"));
        }
        let (ty, active) = {
            let s = program.symbol(formal.symbol);
            (if s.ty.bits == 0 { found.elem } else { s.ty }, s.active && s.ty.is_real())
        };
        let scope = program.unit(caller).scope;
        let t = temporaries.add(program, scope, Kind::Conversion { active }, ty, None);
        let whole = VarRef { active: if active { Tri::True } else { Tri::False }, ..VarRef::whole(t) };
        let old = std::mem::replace(&mut a.value, Expr::var(whole.clone()));
        let id = arcstr::format!("_argument_assignment_{}", program.symbol(t).id);
        before.push(Stmt { id, ..Stmt::assign(whole, old) });
    }
    Ok(before)
}

/// A formal of the unit that is only read.
pub fn is_input(program: &Program, unit: UnitId, symbol: SymbolId) -> bool {
    program.unit(unit).formals.iter().any(|f| f.symbol == symbol && f.intent == Intent::In) && !is_written(program, unit, symbol)
}

/// Whether the adjoint of a unit needs the value of an integer argument: as the extent of an array, or to pass it on.
pub fn needed_backwards(program: &Program, unit: UnitId, formal: SymbolId) -> bool {
    let names = |e: &Expr| {
        let mut found = false;
        e.for_each_ref(&mut |r| found |= r.symbol == formal);
        found
    };
    let dims = |s: &SymbolId| program.symbol(*s).decl.iter().flat_map(|d| d.bound_exprs()).any(names);
    let passes = |s: &Stmt| match &s.kind {
        StmtKind::Call(c) => c.arguments.iter().any(|a| names(&a.value)),
        StmtKind::Assignment { lhs, rhs } => {
            // On its way to an argument.
            program.symbol(lhs.symbol).temp && names(rhs)
        }
        _ => false,
    };
    program.scope(program.unit(unit).scope).symbols.iter().any(dims)
        || program.unit(unit).graph.node_weights().any(|v| v.stmts().iter().any(|s| passes(s)))
}
