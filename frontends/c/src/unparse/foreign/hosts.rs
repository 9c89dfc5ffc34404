//! Procedures inside of others: what they use of the variables around them becomes arguments, and so they can stand outside.
//!
//! ```text
//! subroutine f(n)                              subroutine step(a, n, s)
//!   s = 0                                        s = s + a*n
//!   call step(2)
//! contains                             ->      subroutine f(n)
//!   subroutine step(a)                           s = 0
//!     s = s + a*n                                call step(2, n, s)
//! ```
//!
//! Those that are handed on as values, or use memory that is allocated around them, stay as they are. Lives here: which variables, arguments and calls.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::callbacks::is_function_value;
use xaif::model::{
    BaseType, CallArgument, Expr, Formal, Intent, NodeKind, Passing, Program, ScopeId, Stmt, StmtKind, Storage, Symbol, SymbolId,
    SymbolKind, UnitId, VertexKind,
};
use xaif::walk::{expr_symbols_mut, symbols_mut};

/// Gives them these arguments.
pub(super) fn lifted(program: &mut Program) {
    let hosts: FxHashSet<ScopeId> = program.units.iter().filter(|u| !u.is_container()).map(|u| u.scope).collect();
    let inner: Vec<UnitId> =
        program.unit_ids().filter(|&u| program.scope(program.unit(u).scope).parent.is_some_and(|p| hosts.contains(&p))).collect();
    if inner.is_empty() {
        return;
    }
    let needs = needed(program, &inner, &hosts);
    let mut names: FxHashMap<UnitId, FxHashMap<SymbolId, SymbolId>> = FxHashMap::default();
    let set = set_inside(program, &inner);
    for &u in &inner {
        let own = give_arguments(program, u, &needs[&u], &set);
        names.insert(u, own);
    }
    let by_symbol: FxHashMap<SymbolId, UnitId> = inner.iter().map(|&u| (program.unit(u).symbol, u)).collect();
    for id in program.unit_ids() {
        let here = names.get(&id).cloned().unwrap_or_default();
        let mut graph = std::mem::take(&mut program.units[id.index()].graph);
        for v in graph.node_weights_mut() {
            // What is handed over has its name around the call.
            if let VertexKind::Block { stmts, .. } = &mut v.kind {
                for s in stmts.iter_mut() {
                    in_call(program, s, &by_symbol, &needs);
                }
            }
            symbols_mut(v, &mut |s| *s = here.get(s).copied().unwrap_or(*s));
        }
        program.units[id.index()].graph = graph;
    }
}

/// The variables around each of these units that it uses, or hands on.
fn needed(program: &Program, inner: &[UnitId], hosts: &FxHashSet<ScopeId>) -> FxHashMap<UnitId, Vec<SymbolId>> {
    let by_symbol: FxHashMap<SymbolId, UnitId> = inner.iter().map(|&u| (program.unit(u).symbol, u)).collect();
    let values: FxHashSet<String> = program.symbols.iter().filter(|s| is_function_value(s)).map(|s| s.name.to_ascii_lowercase()).collect();
    let mut sets: FxHashMap<UnitId, BTreeSet<SymbolId>> = FxHashMap::default();
    let mut callees: FxHashMap<UnitId, Vec<UnitId>> = FxHashMap::default();
    for &u in inner {
        let (used, called) = mentioned(program, u);
        let around = |s: &SymbolId| {
            let symbol = program.symbol(*s);
            symbol.scope != program.unit(u).scope && hosts.contains(&symbol.scope) && is_variable(symbol)
        };
        sets.insert(u, used.into_iter().filter(around).collect());
        callees.insert(u, called.into_iter().filter_map(|s| by_symbol.get(&s).copied()).collect());
    }
    loop {
        let mut changed = false;
        for &u in inner {
            let own = program.unit(u).scope;
            let more: Vec<SymbolId> =
                callees[&u].iter().flat_map(|c| sets[c].iter().copied()).filter(|&s| program.symbol(s).scope != own).collect();
            let set = sets.entry(u).or_default();
            let before = set.len();
            set.extend(more);
            changed |= set.len() != before;
        }
        if !changed {
            break;
        }
    }
    let mut out = FxHashMap::default();
    for &u in inner {
        let fits =
            !values.contains(&program.unit_name(u).to_ascii_lowercase()) && sets[&u].iter().all(|&s| can_be_handed(program.symbol(s)));
        let mut list: Vec<SymbolId> = if fits { sets[&u].iter().copied().collect() } else { Vec::new() };
        // Extents before arrays.
        list.sort_by_key(|&s| (program.symbol(s).rank > 0, s));
        out.insert(u, list);
    }
    out
}

fn is_variable(s: &Symbol) -> bool {
    s.kind != SymbolKind::Subroutine && *s.storage() != Storage::Constant
}

fn can_be_handed(s: &Symbol) -> bool {
    let dims = || s.decl.iter().flat_map(|d| &d.dims);
    let open = s.rank > 0 && s.passing() != Passing::Descriptor && dims().any(|d| d.upper == xaif::model::Bound::Unknown);
    !s.pointer
        && !s.name.contains('%')
        && !is_function_value(s)
        && !open
        && matches!(s.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool)
        && !["allocatable", "pointer", "optional", "heap"].iter().any(|a| s.has_attribute(a))
}

/// What a unit names, bounds of its arrays and what these name included, and what it calls.
fn mentioned(program: &Program, unit: UnitId) -> (BTreeSet<SymbolId>, Vec<SymbolId>) {
    let (mut used, mut called) = (BTreeSet::new(), Vec::new());
    let mut graph = program.unit(unit).graph.clone();
    for v in graph.node_weights_mut() {
        symbols_mut(v, &mut |s| _ = used.insert(*s));
        called.extend(v.stmts().iter().filter_map(|s| if let StmtKind::Call(c) = &s.kind { Some(c.callee) } else { None }));
    }
    used.extend(program.scope(program.unit(unit).scope).symbols.iter().copied());
    let mut open: Vec<SymbolId> = used.iter().copied().collect();
    while let Some(s) = open.pop() {
        let bounds = program.symbol(s).decl.iter().flat_map(|d| d.bound_exprs());
        for n in bounds.flat_map(|e| &e.nodes) {
            // Subscripts of bounds, too.
            if let NodeKind::Var(r) = &n.kind {
                let mut inside = vec![r.symbol];
                r.index_exprs().for_each(|e| e.for_each_ref(&mut |r| inside.push(r.symbol)));
                open.extend(inside.into_iter().filter(|&s| used.insert(s)));
            }
        }
    }
    (used, called)
}

/// What some of these units may set.
fn set_inside(program: &Program, inner: &[UnitId]) -> FxHashSet<SymbolId> {
    let mut out = FxHashSet::default();
    for v in inner.iter().flat_map(|&u| program.unit(u).graph.node_weights()) {
        let head = if let VertexKind::For(f) = &v.kind { Some([&f.init, &f.update]) } else { None };
        for s in v.stmts().iter().map(|s| &**s).chain(head.into_iter().flatten()) {
            match &s.kind {
                StmtKind::Assignment { lhs, .. } => _ = out.insert(lhs.symbol),
                StmtKind::Call(c) => {
                    let callee = program.unit_of_symbol(c.callee).map(|u| &program.unit(u).formals);
                    let read = |position: u32| {
                        let formal = callee.and_then(|l| l.iter().find(|f| f.position == position));
                        formal.is_some_and(|f| f.intent_declared && f.intent == Intent::In)
                    };
                    let taken = c.arguments.iter().filter(|a| !read(a.position)).filter_map(|a| program.changeable(c, a));
                    out.extend(taken.map(|r| r.symbol));
                }
                StmtKind::Marker(m) => out.extend(m.writes.iter().copied().chain(m.object.iter().map(|o| o.symbol))),
                StmtKind::Runtime { arguments, .. } => out.extend(arguments.iter().filter_map(|a| a.value.as_var()).map(|r| r.symbol)),
                StmtKind::Propagator(_) => {}
            }
        }
    }
    out
}

/// Gives a unit an argument for each of these, and tells what it calls them.
fn give_arguments(program: &mut Program, unit: UnitId, needed: &[SymbolId], set: &FxHashSet<SymbolId>) -> FxHashMap<SymbolId, SymbolId> {
    let scope = program.unit(unit).scope;
    let mut own: FxHashMap<SymbolId, SymbolId> = FxHashMap::default();
    for &s in needed {
        let mut symbol = Symbol { scope, ..program.symbol(s).clone() };
        let decl = symbol.decl.get_or_insert_default();
        decl.storage = Storage::Argument;
        // What nobody inside sets has one value for as long as they run.
        decl.passing = match decl.passing {
            Passing::Descriptor => Passing::Descriptor,
            _ if symbol.rank == 0 && !set.contains(&s) => Passing::Value,
            _ => Passing::Reference,
        };
        decl.attributes.retain(|a| !["save", "const", "private"].contains(&a.as_str()));
        let (init, init_text, comment) = Default::default();
        (decl.init, decl.init_text, decl.comment) = (init, init_text, comment);
        own.insert(s, program.add_symbol(symbol));
    }
    for s in program.scope(scope).symbols.clone() {
        let Some(mut decl) = program.symbol(s).decl.clone() else { continue };
        let bounds = decl.dims.iter_mut().flat_map(|d| [&mut d.lower, &mut d.upper]);
        for b in bounds {
            if let xaif::model::Bound::Expr(e) = b {
                expr_symbols_mut(e, &mut |s| *s = own.get(s).copied().unwrap_or(*s));
            }
        }
        decl.derivative_of = decl.derivative_of.map(|o| own.get(&o).copied().unwrap_or(o));
        program.symbol_mut(s).decl = Some(decl);
    }
    let formals = &mut program.units[unit.index()].formals;
    let at = formals.iter().position(|f| f.result).unwrap_or(formals.len());
    let new = needed.iter().map(|s| match set.contains(s) {
        true => Formal { intent_declared: false, ..Formal::new(0, own[s], Intent::Inout) },
        false => Formal::new(0, own[s], Intent::In),
    });
    formals.splice(at..at, new);
    formals.iter_mut().zip(1..).for_each(|(f, position)| f.position = position);
    own
}

fn in_call(program: &Program, s: &mut Stmt, by_symbol: &FxHashMap<SymbolId, UnitId>, needs: &FxHashMap<UnitId, Vec<SymbolId>>) {
    let StmtKind::Call(call) = &mut s.kind else { return };
    let Some(callee) = by_symbol.get(&call.callee) else { return };
    let needed = &needs[callee];
    if needed.is_empty() {
        return;
    }
    // They stand in front of the result, which is the last.
    let formals = &program.unit(*callee).formals;
    let first = formals.len() - needed.len() - usize::from(formals.last().is_some_and(|f| f.result));
    for a in call.arguments.iter_mut().filter(|a| a.position as usize > first) {
        a.position += needed.len() as u32;
    }
    let handed = needed.iter().zip(first as u32 + 1..).map(|(&s, position)| CallArgument::new(position, Expr::sym(s)));
    call.arguments.extend(handed);
    call.arguments.sort_by_key(|a| a.position);
    call.formal_count = call.formal_count.map(|n| n + needed.len() as u32);
}
