//! Copies of units, with variables of their own.
//!
//! Lives here: the copying. Never here: who wants a copy, and of which unit.

use super::plan::decl_exprs;
use super::walk::symbols_mut;
use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::model::{Scope, ScopeId, SymbolId, Unit, UnitId, VertexKind};

/// A copy of a unit in a scope inside of `parent`, under the name `symbol`. `other` tells what stands for a symbol that the unit does not declare itself.
pub(super) fn unit(
    program: &mut Program,
    from: UnitId,
    parent: Option<ScopeId>,
    symbol: SymbolId,
    other: &mut dyn FnMut(&mut Program, SymbolId) -> SymbolId,
) -> UnitId {
    let from = program.unit(from).clone();
    let scope = program.add_scope(Scope { parent, ..Scope::default() });
    let mut own: FxHashMap<SymbolId, SymbolId> = FxHashMap::default();
    for s in program.scope(from.scope).symbols.clone() {
        let mut symbol = program.symbol(s).clone();
        symbol.scope = scope;
        own.insert(s, program.add_symbol(symbol));
    }
    let copies: Vec<SymbolId> = program.scope(scope).symbols.clone();
    let mut change = |program: &mut Program, s: SymbolId| match own.get(&s) {
        Some(&c) => c,
        None => other(program, s),
    };
    for c in copies {
        let Some(mut decl) = program.symbol(c).decl.clone() else { continue };
        for e in decl_exprs(&mut decl) {
            e.for_each_ref_mut(&mut |r| r.symbol = change(program, r.symbol));
        }
        program.symbol_mut(c).decl = Some(decl);
    }
    let mut graph = from.graph;
    for v in graph.node_weights_mut() {
        if let VertexKind::Block { scope: s, .. } = &mut v.kind {
            *s = scope;
        }
        symbols_mut(v, &mut |s| *s = change(program, *s));
    }
    let mut formals = from.formals;
    formals.iter_mut().for_each(|f| f.symbol = own.get(&f.symbol).copied().unwrap_or(f.symbol));
    let copy = Unit {
        kind: from.kind,
        structured: from.structured,
        formals,
        graph,
        imports: from.imports,
        prefixes: from.prefixes,
        comment: from.comment,
        ..Unit::new(symbol, scope)
    };
    program.add_unit(copy)
}
