//! Structures as their members, which are variables of the model: the whole has no type in C, and nothing but its members is looked at.
//!
//! ```text
//! subroutine f(p, y)  with  p%x, p%v(2)      ->      f(p_x, p_v, y)
//! ```
//!
//! What is looked at as a whole stays, and so does what has an initial value. Lives here: arguments, calls and names. Never here: members' text.

use super::free_names::free_name;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::callbacks::is_function_value;
use xaif::model::{BaseType, NodeKind, Program, StmtKind, Symbol, SymbolId, SymbolKind, UnitKind, VertexKind};
use xaif::walk::symbols_mut;

/// Leaves wholes out, and gives members names of their own.
pub(super) fn dissolved(program: &mut Program) {
    let whole = |s: &Symbol| {
        let initial = s.decl.as_ref().is_some_and(|d| d.init.is_some() || !d.init_text.is_empty());
        s.ty.base == BaseType::Opaque && s.kind == SymbolKind::Variable && !is_function_value(s) && !initial
    };
    let looked_at = looked_at(program);
    let gone: FxHashSet<SymbolId> = program.symbol_ids().filter(|s| whole(program.symbol(*s)) && !looked_at.contains(s)).collect();
    if !gone.is_empty() {
        without(program, &gone);
    }
    for s in program.symbol_ids() {
        if program.symbol(s).name.contains('%') {
            let name = free_name(program, program.symbol(s).scope, &program.symbol(s).name.replace('%', "_"));
            let symbol = program.symbol_mut(s);
            (symbol.id, symbol.name) = (name.clone(), name);
        }
    }
}

/// What statements name, but for what they hand over for a structure.
fn looked_at(program: &Program) -> FxHashSet<SymbolId> {
    let mut out = FxHashSet::default();
    for u in &program.units {
        let mut graph = u.graph.clone();
        for v in graph.node_weights_mut() {
            if let VertexKind::Block { stmts, .. } = &mut v.kind {
                for s in stmts.iter_mut() {
                    let StmtKind::Call(c) = &mut s.kind else { continue };
                    let Some(callee) = program.unit_of_symbol(c.callee) else { continue };
                    let wholes: Vec<u32> =
                        program.unit(callee).formals.iter().filter(|f| is_opaque(program, f.symbol)).map(|f| f.position).collect();
                    c.arguments.retain(|a| !wholes.contains(&a.position));
                }
            }
            symbols_mut(v, &mut |s| _ = out.insert(*s));
        }
    }
    for s in program.symbols.iter() {
        let bounds = s.decl.iter().flat_map(|d| d.bound_exprs());
        out.extend(bounds.flat_map(|e| &e.nodes).filter_map(|n| if let NodeKind::Var(r) = &n.kind { Some(r.symbol) } else { None }));
    }
    out
}

fn is_opaque(program: &Program, s: SymbolId) -> bool {
    program.symbol(s).ty.base == BaseType::Opaque
}

fn without(program: &mut Program, gone: &FxHashSet<SymbolId>) {
    // Positions that are left, by the callee.
    let mut places: FxHashMap<SymbolId, Vec<u32>> = FxHashMap::default();
    for u in &mut program.units {
        if u.formals.iter().all(|f| !gone.contains(&f.symbol)) {
            continue;
        }
        if u.formals.iter().any(|f| f.result && gone.contains(&f.symbol)) && u.kind == UnitKind::Function {
            u.kind = UnitKind::Subroutine;
            u.formals.iter_mut().for_each(|f| f.result = false);
        }
        u.formals.retain(|f| !gone.contains(&f.symbol));
        places.insert(u.symbol, u.formals.iter().map(|f| f.position).collect());
        u.formals.iter_mut().zip(1..).for_each(|(f, position)| f.position = position);
    }
    for v in program.units.iter_mut().flat_map(|u| u.graph.node_weights_mut()) {
        let VertexKind::Block { stmts, .. } = &mut v.kind else { continue };
        for s in stmts.iter_mut() {
            let StmtKind::Call(c) = &mut s.kind else { continue };
            let Some(left) = places.get(&c.callee) else { continue };
            c.arguments.retain(|a| left.contains(&a.position));
            for a in &mut c.arguments {
                a.position = left.iter().position(|p| *p == a.position).map_or(a.position, |k| k as u32 + 1);
            }
            c.formal_count = c.formal_count.map(|_| left.len() as u32);
        }
    }
    for s in &mut program.scopes {
        s.symbols.retain(|s| !gone.contains(s));
    }
}
