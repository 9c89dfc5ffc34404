//! Scalars of a program as elements of a small array, which change no derivative: a share of the random programs is checked so.
//!
//! Never here: whether the derivatives are right.

use overbar::transform::walk::{refs_mut, stmt_symbols_mut};
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::*;

/// At most so many elements.
const ELEMENTS: usize = 4;

/// The program with real scalars of each unit in an array, and with matrices laid out by hand, if seeds ask for it.
pub fn gathered(p: Program, seed: u64) -> Program {
    let mut p = super::rows::laid_out(p, seed);
    if seed % 4 != 1 {
        return p;
    }
    for u in 0..p.units.len() {
        let scope = p.units[u].scope;
        let (mut named, mut elsewhere) = (BTreeSet::new(), BTreeSet::new());
        let mut graph = std::mem::take(&mut p.units[u].graph);
        for v in graph.node_weights_mut() {
            let VertexKind::Block { stmts, .. } = &mut v.kind else {
                refs_mut(v, &mut |r| {
                    named.insert(r.symbol);
                });
                continue;
            };
            for s in stmts {
                let found = if matches!(s.kind, StmtKind::Assignment { .. }) { &mut named } else { &mut elsewhere };
                stmt_symbols_mut(s, &mut |s| {
                    found.insert(*s);
                });
            }
        }
        for s in &p.symbols {
            for d in s.decl.iter().flat_map(|d| &d.dims) {
                for b in [&d.lower, &d.upper] {
                    if let Bound::Expr(e) = b {
                        e.for_each_ref(&mut |r| {
                            elsewhere.insert(r.symbol);
                        });
                    }
                }
            }
        }
        let formals: Vec<SymbolId> = p.units[u].formals.iter().map(|f| f.symbol).collect();
        let mut chosen: Vec<SymbolId> = named.difference(&elsewhere).copied().collect();
        chosen.retain(|&s| {
            let y = p.symbol(s);
            let plain = y.scope == scope && y.rank == 0 && *y.storage() == Storage::Local && y.kind == SymbolKind::Variable;
            plain && y.ty == ElemType::REAL64 && !formals.contains(&s)
        });
        chosen.truncate(ELEMENTS);
        if !chosen.is_empty() {
            let first = if p.index_order == IndexOrder::Row { 0 } else { i64::from(seed % 8 == 1) };
            let mut array = Symbol::variable("gathered", ElemType::REAL64, scope);
            array.rank = 1;
            array.active = chosen.iter().any(|&s| p.symbol(s).active);
            let last = first + chosen.len() as i64 - 1;
            array.decl.get_or_insert_default().dims =
                vec![Dim { lower: Bound::Expr(Expr::int(first)), upper: Bound::Expr(Expr::int(last)) }];
            let array = p.add_symbol(array);
            for v in graph.node_weights_mut() {
                refs_mut(v, &mut |r| {
                    if let Some(k) = chosen.iter().position(|s| *s == r.symbol) {
                        *r = VarRef::element(array, [Expr::int(first + k as i64)]);
                    }
                });
            }
        }
        p.units[u].graph = graph;
    }
    p
}
