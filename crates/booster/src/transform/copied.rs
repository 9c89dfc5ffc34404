//! Copies of units, with variables of their own.
//!
//! Lives here: the copying. Never here: who wants a copy, and of which unit.

use super::plan::copies::decl_exprs;
use super::walk::symbols_mut;
use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::model::{Scope, ScopeId, Source, SymbolId, Unit, UnitId, VertexKind};

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

/// The program with its symbols, and with units that have no code.
pub(crate) fn without_code(program: &Program) -> Program {
    let header = |u: &Unit| Unit {
        id: u.id.clone(),
        kind: u.kind,
        active: u.active,
        structured: u.structured,
        formals: u.formals.clone(),
        prefixes: u.prefixes.clone(),
        reversal: u.reversal,
        derivation: u.derivation,
        span: u.span,
        ..Unit::new(u.symbol, u.scope)
    };
    Program {
        name: program.name.clone(),
        prefix: program.prefix.clone(),
        dialect: program.dialect,
        index_order: program.index_order,
        case_insensitive: program.case_insensitive,
        document: program.document.clone(),
        sources: program.sources.iter().map(|s| Source { text: String::new(), ..s.clone() }).collect(),
        heads: program.heads.clone(),
        scopes: program.scopes.clone(),
        symbols: program.symbols.clone(),
        alias_sets: program.alias_sets.clone(),
        duud_sets: program.duud_sets.clone(),
        do_sets: program.do_sets.clone(),
        units: program.units.iter().map(header).collect(),
        calls: program.calls.clone(),
        provenance: program.provenance.clone(),
        extras: program.extras.clone(),
    }
}
