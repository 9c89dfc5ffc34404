//! What stock derivatives mean, as units like all others: for back ends.
//!
//! ```text
//! DerivativePropagators of f         f(x, y), f_d(x, xd, y, yd)
//! ReplacementList of f         ->    f (placeholder 1), f_fwd(x, y) that records (2), f_bwd(x, xb, y, yb) that takes it back (3),
//!                                    and f_b(x, xb, y, yb): one behind the other
//! ```
//!
//! Active variables have a derivative component there. Here it is a variable of its own, an argument behind that whose derivative it is, or one that begins as
//! zero. Lives here: units and their names. Never here: variables ([`components`]), statements ([`statements`]).

mod components;
mod statements;

use super::super::copied;
use super::super::order;
use components::{Components, free_name};
use rustc_hash::FxHashMap;
use smol_str::format_smolstr;
use statements::Lowering;
use xaif::model::{
    Call, CallArgument, Derivation, Expr, FlowGraph, Formal, Mode, ScopeId, Stmt, StmtKind, SymbolId, Tri, Unit, UnitId, UnitKind,
    VertexKind,
};
use xaif::{Diagnostic, Program};

/// The units that stand for one mode: which copy each unit has, and what the copies call their variables.
#[derive(Default)]
struct Copies {
    units: Vec<(UnitId, UnitId)>,
    names: FxHashMap<SymbolId, SymbolId>,
    symbols: FxHashMap<SymbolId, SymbolId>,
    scopes: FxHashMap<ScopeId, ScopeId>,
}

/// Whether a program holds stock derivatives.
pub fn has_stock_derivatives(program: &Program) -> bool {
    let propagates = |u: &Unit| u.graph.node_weights().flat_map(|v| v.stmts()).any(|s| matches!(s.kind, StmtKind::Propagator(_)));
    program.units.iter().any(|u| u.replacements.is_some() || propagates(u))
}

/// The program with units that do what its stock derivatives mean.
///
/// # Errors
/// What has no meaning outside of the stock templates: all that was found.
pub fn in_plain_form(mut program: Program) -> Result<Program, Vec<Diagnostic>> {
    let adjoint = program.units.iter().any(|u| u.replacements.is_some());
    let modes: &[Mode] = if adjoint { &[Mode::Forward, Mode::Reverse] } else { &[Mode::Tangent] };
    let mut units: Vec<UnitId> =
        program.unit_ids().filter(|&u| !program.unit(u).is_container() && program.unit(u).kind != UnitKind::Main).collect();
    // Hosts come before what they contain.
    units.sort_by_key(|&u| depth(&program, program.unit(u).scope));
    let mut components = Components::default();
    let mut problems = Vec::new();
    let mut reverse = Copies::default();
    let mut forward = Copies::default();
    for &mode in modes {
        let copies = copied_units(&mut program, &units, mode);
        if mode != Mode::Forward {
            copies.units.iter().for_each(|&(_, copy)| components.add_arguments(&mut program, copy, mode));
        }
        let mut lowering = Lowering {
            program: &mut program,
            components: &mut components,
            names: &copies.names,
            mode,
            problems: &mut problems,
            wide: None,
        };
        copies.units.iter().for_each(|&(_, copy)| lowering.unit(copy));
        if mode == Mode::Forward { forward = copies } else { reverse = copies }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    components.start_from_zero(&mut program);
    for &u in &units {
        restore(&mut program, u);
        if adjoint && !is_contained(&program, u) {
            joint(&mut program, u, (&forward, &reverse), &components);
        }
    }
    order::as_documented(&mut program);
    Ok(program)
}

/// Whether a unit stands in another one.
fn is_contained(program: &Program, unit: UnitId) -> bool {
    let parent = program.scope(program.unit(unit).scope).parent;
    program.units.iter().any(|u| !u.is_container() && Some(u.scope) == parent)
}

/// How many scopes a scope lies in.
fn depth(program: &Program, scope: ScopeId) -> usize {
    std::iter::successors(Some(scope), |&s| program.scope(s).parent).take(program.scopes.len()).count()
}

fn suffix(mode: Mode) -> &'static str {
    match mode {
        Mode::Tangent => "_d",
        Mode::Adjoint => "_b",
        Mode::Forward => "_fwd",
        Mode::Reverse => "_bwd",
    }
}

/// The name of a new unit beside another one.
fn named(program: &mut Program, unit: UnitId, mode: Mode) -> SymbolId {
    let mut symbol = program.symbol(program.unit(unit).symbol).clone();
    symbol.name = free_name(program, symbol.scope, &format_smolstr!("{}{}", symbol.name, suffix(mode)));
    symbol.id = symbol.name.clone();
    program.add_symbol(symbol)
}

/// A copy of each unit with the graph of this mode.
fn copied_units(program: &mut Program, units: &[UnitId], mode: Mode) -> Copies {
    let mut out = Copies::default();
    for &u in units {
        let name = named(program, u, mode);
        out.names.insert(program.unit(u).symbol, name);
    }
    for &u in units {
        let placeholder = if mode == Mode::Forward { 2 } else { 3 };
        let unit = &mut program.units[u.index()];
        let found = unit.replacements.iter().flat_map(|(_, list)| list).find(|r| r.placeholder == placeholder);
        let (graph, structured) = match found {
            Some(r) => (r.graph.clone(), r.structured),
            None => (unit.graph.clone(), unit.structured),
        };
        let kept = std::mem::replace(&mut unit.graph, graph);
        let (own, name) = (unit.scope, out.names[&unit.symbol]);
        let parent = program.scope(own).parent.map(|p| out.scopes.get(&p).copied().unwrap_or(p));
        let copy = copied::unit(program, u, parent, name, &mut |_, s| out.symbols.get(&s).copied().unwrap_or(s));
        program.units[u.index()].graph = kept;
        let scope = program.unit(copy).scope;
        out.scopes.insert(own, scope);
        out.symbols.extend(program.scope(own).symbols.iter().copied().zip(program.scope(scope).symbols.iter().copied()));
        let made = &mut program.units[copy.index()];
        made.structured = structured;
        made.derivation = Some(Derivation { of: u, mode });
        // A result is an argument like the others.
        made.kind = if made.kind == UnitKind::Function { UnitKind::Subroutine } else { made.kind };
        made.formals.iter_mut().for_each(|f| f.result = false);
        out.units.push((u, copy));
    }
    out
}

/// The original as it was: without what derivatives added to it.
fn restore(program: &mut Program, unit: UnitId) {
    let u = &mut program.units[unit.index()];
    if let Some((_, list)) = u.replacements.take()
        && let Some(r) = list.into_iter().find(|r| r.placeholder == 1)
    {
        (u.graph, u.structured) = (r.graph, r.structured);
        return;
    }
    statements::without_propagators(program, unit);
}

/// `f_b`: the sweep that records, then the one that takes it back.
fn joint(program: &mut Program, unit: UnitId, (forward, reverse): (&Copies, &Copies), components: &Components) {
    let of = |c: &Copies| c.units.iter().find(|(u, _)| *u == unit).map(|c| c.1);
    let (Some(first), Some(second)) = (of(forward), of(reverse)) else { return };
    let name = named(program, unit, Mode::Adjoint);
    // Its arguments are those of the second sweep; nothing else of that is copied.
    let graph = std::mem::take(&mut program.units[second.index()].graph);
    let parent = program.scope(program.unit(second).scope).parent;
    let copy = copied::unit(program, second, parent, name, &mut |_, s| s);
    program.units[second.index()].graph = graph;
    let formals: Vec<Formal> = program.unit(copy).formals.clone();
    let scope = program.unit(copy).scope;
    let used: Vec<SymbolId> = components::with_bounds(program, formals.iter().map(|f| f.symbol));
    program.scopes[scope.index()].symbols.retain(|s| used.contains(s));
    let call = |callee: UnitId, arguments: Vec<SymbolId>| {
        let count = arguments.len() as u32;
        let arguments = arguments.into_iter().zip(1..).map(|(s, position)| CallArgument::new(position, Expr::sym(s))).collect();
        let callee = program.unit(callee).symbol;
        Stmt::new(StmtKind::Call(Call { callee, arguments, formal_count: Some(count), active: Tri::Undefined }))
    };
    let derivative = program.unit(second).formals.iter().map(|f| components.has(f.symbol));
    let values = formals.iter().zip(derivative).filter(|(_, derivative)| !derivative).map(|(f, _)| f.symbol).collect();
    let all = formals.iter().map(|f| f.symbol).collect();
    let stmts = vec![call(first, values), call(second, all)];
    let made = &mut program.units[copy.index()];
    made.graph = super::checkpoint::block(stmts, scope);
    made.derivation = Some(Derivation { of: unit, mode: Mode::Adjoint });
}

/// The blocks of a graph.
fn blocks(graph: &mut FlowGraph) -> impl Iterator<Item = &mut xaif::model::Stmts> {
    graph.node_weights_mut().filter_map(|v| if let VertexKind::Block { stmts, .. } = &mut v.kind { Some(stmts) } else { None })
}
