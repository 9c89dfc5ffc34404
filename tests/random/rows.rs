//! Local matrices of a program laid out by hand in arrays of one dimension, which changes no derivative: a share of the random programs is checked so.
//!
//! ```text
//! real t(n, n)   ...   t(i, k)        ->        real t(n*n)   ...   t(i + n*(k - 1))
//! ```
//!
//! Never here: whether the derivatives are right.

use overbar::transform::walk::{refs_mut, stmt_symbols_mut};
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::*;

fn op(name: &str, a: Expr, b: Expr) -> Expr {
    Expr::op(name, [a, b])
}

/// The program with local matrices of each unit laid out by hand, if seeds ask for it.
pub fn laid_out(mut p: Program, seed: u64) -> Program {
    if seed % 5 > 1 {
        return p;
    }
    for u in 0..p.units.len() {
        let scope = p.units[u].scope;
        let formals: Vec<SymbolId> = p.units[u].formals.iter().map(|f| f.symbol).collect();
        let mut graph = std::mem::take(&mut p.units[u].graph);
        let mut elsewhere: BTreeSet<SymbolId> = BTreeSet::new();
        for v in graph.node_weights_mut() {
            refs_mut(v, &mut |r| {
                if r.subscripts.is_empty() || r.has_section() {
                    elsewhere.insert(r.symbol);
                }
            });
            if let VertexKind::Block { stmts, .. } = &mut v.kind {
                for s in stmts.iter_mut().filter(|s| !matches!(s.kind, StmtKind::Assignment { .. })) {
                    stmt_symbols_mut(s, &mut |s| {
                        elsewhere.insert(*s);
                    });
                }
            }
        }
        let bounds = |p: &Program, s: SymbolId| -> Option<(i64, Expr)> {
            let y = p.symbol(s);
            let decl = y.decl.as_ref().filter(|d| d.storage == Storage::Local && y.rank == 2 && y.scope == scope)?;
            let [Dim { lower: Bound::Expr(low), upper: Bound::Expr(high) }, _] = &decl.dims[..] else { return None };
            let low = low.as_int()?;
            Some((low, op("add_scal_scal", op("sub_scal_scal", high.clone(), Expr::int(low)), Expr::int(1))))
        };
        let chosen: Vec<(SymbolId, i64, Expr)> = p
            .symbol_ids()
            .filter(|s| !elsewhere.contains(s) && !formals.contains(s))
            .filter_map(|s| bounds(&p, s).map(|(low, n)| (s, low, n)))
            .collect();
        let column = p.index_order == IndexOrder::Column;
        for v in graph.node_weights_mut() {
            refs_mut(v, &mut |r| {
                let Some((_, low, n)) = chosen.iter().find(|(s, ..)| *s == r.symbol) else { return };
                let index = |k: usize| r.subscripts[k].index.clone().expect("an element");
                let (slow, fast) = if column { (index(1), index(0)) } else { (index(0), index(1)) };
                let rows = op("mul_scal_scal", op("sub_scal_scal", slow, Expr::int(*low)), n.clone());
                *r = VarRef { active: r.active, ..VarRef::element(r.symbol, [op("add_scal_scal", rows, fast)]) };
            });
        }
        for (s, low, n) in chosen {
            let y = p.symbol_mut(s);
            y.rank = 1;
            let last = op("add_scal_scal", op("mul_scal_scal", n.clone(), n), Expr::int(low - 1));
            y.decl.get_or_insert_default().dims = vec![Dim { lower: Bound::Expr(Expr::int(low)), upper: Bound::Expr(last) }];
        }
        p.units[u].graph = graph;
    }
    p
}
