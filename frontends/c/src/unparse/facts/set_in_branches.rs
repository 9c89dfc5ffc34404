//! Small arrays whose elements are set in branches within loops alone: records of one arm, for instance.
//!
//! Compilers write out loops over so few elements, and then see elements that are read and, in their eyes, set on some ways only. Such arrays get a start value, as
//! variables do that are used before they are set. Lives here: which arrays these are. Never here: scalars (see `unset_variables`).

use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{Bound, Stmt, StmtKind, Storage, SymbolId, Unit, VertexKind};
use xaif::structure::{Region, regions};

/// An array of so many elements is small.
const SMALL: i64 = 16;

/// The small arrays of a unit that are set in branches within loops, and nowhere else.
pub(crate) fn set_in_branches(program: &Program, unit: &Unit) -> FxHashSet<SymbolId> {
    let branches = unit.graph.node_weights().any(|v| matches!(v.kind, VertexKind::Branch(_)));
    let Some(scope) = program.scopes.get(unit.scope.index()).filter(|_| branches) else { return FxHashSet::default() };
    let formals: FxHashSet<SymbolId> = unit.formals.iter().map(|f| f.symbol).collect();
    let small = |s: &&SymbolId| {
        let symbol = program.symbol(**s);
        *symbol.storage() == Storage::Local && !symbol.pointer && !formals.contains(s) && is_small_array(program, **s)
    };
    let candidates: FxHashSet<SymbolId> = scope.symbols.iter().filter(small).copied().collect();
    if candidates.is_empty() {
        return candidates;
    }
    let Ok(tree) = regions(&unit.graph) else { return FxHashSet::default() };
    let mut stores = Stores { unit, candidates, found: FxHashMap::default() };
    stores.within(&tree, false, false);
    stores.found.into_iter().filter(|(_, in_branch)| *in_branch).map(|(s, _)| s).collect()
}

/// Whether a start value for all of an array costs next to nothing.
pub(crate) fn is_small_array(program: &Program, s: SymbolId) -> bool {
    let number = |b: &Bound| if let Bound::Expr(e) = b { e.as_int() } else { None };
    let dims = program.symbol(s).decl.as_ref().map_or(&[][..], |d| &d.dims);
    let mut extents = dims.iter().map(|d| number(&d.upper)?.checked_sub(number(&d.lower)?)?.checked_add(1));
    !dims.is_empty() && extents.try_fold(1i64, |n, x| n.checked_mul(x?)).is_some_and(|n| n <= SMALL)
}

struct Stores<'p> {
    unit: &'p Unit,
    candidates: FxHashSet<SymbolId>,
    /// Arrays that are set, and whether that is in a branch within a loop each time.
    found: FxHashMap<SymbolId, bool>,
}

impl Stores<'_> {
    fn within(&mut self, list: &[Region], in_loop: bool, in_branch: bool) {
        for r in list {
            match r {
                Region::Block(v) => self.unit.graph[*v].stmts().iter().for_each(|s| self.stmt(s, in_branch)),
                Region::Branch { arms, .. } => arms.iter().for_each(|a| self.within(&a.body, in_loop, in_branch || in_loop)),
                Region::Loop { body, .. } => self.within(body, true, in_branch),
                Region::Jump(_) => {}
            }
        }
    }

    fn stmt(&mut self, s: &Stmt, in_branch: bool) {
        let mut set = |s: SymbolId| {
            if self.candidates.contains(&s) {
                self.found.entry(s).and_modify(|b| *b &= in_branch).or_insert(in_branch);
            }
        };
        match &s.kind {
            StmtKind::Assignment { lhs, .. } => set(lhs.symbol),
            StmtKind::Call(c) => c.arguments.iter().filter_map(|a| a.value.as_var()).for_each(|r| set(r.symbol)),
            StmtKind::Runtime { arguments, .. } => arguments.iter().filter_map(|a| a.value.as_var()).for_each(|r| set(r.symbol)),
            StmtKind::Marker(m) => m.writes.iter().for_each(|w| set(*w)),
            StmtKind::Propagator(_) => {}
        }
    }
}
