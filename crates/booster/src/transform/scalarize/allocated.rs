//! Bounds of local arrays that one statement allocates.
//!
//! Where nothing else gives such an array bounds, they are those of that statement wherever the array is there: loops over it say `1, n` and
//! not `lbound(u, 1), ubound(u, 1)`, subscripts of arrays of the same bounds are the same, and the number of iterations is known before.
//!
//! Lives here: which arrays these are. Never here: whether the variables in the bounds keep their values.

use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{Expr, MarkerClass, StmtKind, Storage, SymbolId, UnitId};

/// Lower and upper bound of each dimension.
pub(super) type Bounds = FxHashMap<SymbolId, Vec<(Expr, Expr)>>;

/// The arrays of a unit that one statement allocates, with its bounds.
pub(super) fn bounds(program: &Program, unit: UnitId) -> Bounds {
    let scope = program.unit(unit).scope;
    let mut found = Bounds::default();
    let mut others: FxHashSet<SymbolId> = FxHashSet::default();
    for stmt in program.unit(unit).graph.node_weights().flat_map(|v| v.stmts()) {
        match &stmt.kind {
            StmtKind::Marker(m) => {
                let object = m.object.as_ref().map(|o| o.symbol);
                if let Some(o) = m.object.as_ref().filter(|_| m.class == MarkerClass::Allocate) {
                    let dims = o.subscripts.iter().map(|t| t.index.clone().zip(t.bound.clone()));
                    match dims.collect::<Option<Vec<_>>>() {
                        Some(dims) if !dims.is_empty() && !found.contains_key(&o.symbol) => {
                            found.insert(o.symbol, dims);
                        }
                        _ => {
                            others.insert(o.symbol);
                        }
                    }
                }
                // Statements kept as text may do anything to what they write.
                if !matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) {
                    others.extend(m.writes.iter().copied().filter(|w| Some(*w) != object));
                    others.extend(object);
                }
            }
            StmtKind::Call(c) => {
                let callee = program.unit_of_symbol(c.callee).map(|u| program.unit(u));
                // An internal procedure may allocate variables of its host.
                if callee.is_some_and(|u| u.prefixes.iter().any(|p| p == "internal")) {
                    return Bounds::default();
                }
                for r in c.arguments.iter().filter_map(|a| a.value.as_var().map(|r| (a.position, r))) {
                    let formal = callee.and_then(|u| u.formals.iter().find(|f| f.position == r.0));
                    if formal.is_none_or(|f| program.symbol(f.symbol).has_attribute("allocatable")) {
                        others.insert(r.1.symbol);
                    }
                }
            }
            _ => {}
        }
    }
    found.retain(|&s, _| {
        let y = program.symbol(s);
        !others.contains(&s) && y.scope == scope && *y.storage() == Storage::Local && y.has_attribute("allocatable")
    });
    found
}
