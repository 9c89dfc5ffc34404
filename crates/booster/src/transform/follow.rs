//! Derivatives of allocatable globals: allocated exactly where the global is.
//!
//! ```text
//! if (allocated(ub)) deallocate (ub)
//! if (allocated(u)) allocate (ub(lbound(u, 1):ubound(u, 1))), ub = 0
//! ```
//!
//! at a head makes that true, and each allocation in the head's own unit keeps it so. Lives here: those statements, and where that cannot be.
//! Never here: allocations in a unit's text.

use super::plan::Plan;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{Expr, Marker, MarkerClass, Stmt, StmtKind, SymbolId, Triplet, UnitId, VarRef};
use xaif::{Diagnostic, Program};

impl Plan<'_> {
    /// Whether a unit, or what it calls, has to do with a global.
    pub fn touches(&self, unit: UnitId, global: SymbolId) -> bool {
        let effects = self.facts.effects.unit(unit);
        effects.writes.contains(&global) || effects.exposed.contains(&global)
    }

    /// Whether the derivative of a global that a head does not name can be allocated along with it.
    ///
    /// # Errors
    /// An allocatable that another unit below the head allocates or frees; a pointer.
    pub fn can_follow(&self, program: &Program, at: usize, global: SymbolId) -> Result<(), Diagnostic> {
        let symbol = program.symbol(global);
        if symbol.has_attribute("pointer") {
            return Err(Diagnostic::error("OB4027", format!("the head does not name the pointer {}, which is active", symbol.name))
                .because("its derivative would have to point to zeros before the call")
                .help("use an allocatable array"));
        }
        if !symbol.has_attribute("allocatable") {
            return Ok(());
        }
        self.allocated_below(program, self.derived[at].original, global, "the head does not name it")
    }

    /// Makes sure that no unit below a head allocates or frees a global; `but` is what its derivative has to do with the head.
    ///
    /// # Errors
    /// One that does.
    pub fn allocated_below(&self, program: &Program, head: UnitId, global: SymbolId, but: &str) -> Result<(), Diagnostic> {
        let found = below(program, head).into_iter().find_map(|u| allocates(program, self, u, global).map(|place| (u, place)));
        let Some((unit, place)) = found else { return Ok(()) };
        let (name, variable) = (program.unit_name(unit), &program.symbol(global).name);
        Err(Diagnostic::error("OB4027", format!("{variable} is allocated or freed below the head, is active, and {but}"))
            .at(program.location(place))
            .because(format!("{name} allocates or frees it, and its derivative would have to follow in each sweep"))
            .help(format!(
                "put what {name} allocates and frees into the head itself, {}; an assignment to its elements ({variable}(:) = ...) allocates nothing",
                if allocates(program, self, head, global).is_some() {
                    format!("which allocates or frees {variable} too")
                } else {
                    format!("or call {name} before the head")
                }
            )))
    }
}

/// The units that a unit calls, and those that these call.
fn below(program: &Program, unit: UnitId) -> Vec<UnitId> {
    let mut callees: FxHashMap<UnitId, Vec<UnitId>> = FxHashMap::default();
    program.calls.iter().for_each(|e| callees.entry(e.caller).or_default().push(e.callee));
    let (mut out, mut seen, mut open) = (Vec::new(), FxHashSet::from_iter([unit]), vec![unit]);
    while let Some(u) = open.pop() {
        for &c in callees.get(&u).into_iter().flatten().filter(|&&c| seen.insert(c)) {
            out.push(c);
            open.push(c);
        }
    }
    out
}

/// Where a unit allocates or frees a global.
fn allocates(program: &Program, plan: &Plan, unit: UnitId, global: SymbolId) -> Option<xaif::model::Span> {
    program.unit(unit).graph.node_weights().flat_map(|v| v.stmts()).find_map(|s| match &s.kind {
        StmtKind::Marker(m) if matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) => {
            m.object.as_ref().filter(|o| plan.facts.objects.canonical(o.symbol) == global).map(|_| s.span)
        }
        _ => None,
    })
}

/// What a unit, or one below it, allocates or frees, in the order of the text: objects, and formals of the unit itself.
pub(crate) fn resized(program: &Program, plan: &Plan, unit: UnitId) -> Vec<SymbolId> {
    let mut out = Vec::new();
    for u in std::iter::once(unit).chain(below(program, unit)) {
        for s in program.unit(u).graph.node_weights().flat_map(|v| v.stmts()) {
            if let StmtKind::Marker(m) = &s.kind
                && matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate)
            {
                out.extend(m.object.iter().map(|o| plan.facts.objects.canonical(o.symbol)));
            }
        }
    }
    out
}

/// Whether an allocatable array is there.
pub(crate) fn is_allocated(symbol: SymbolId) -> Expr {
    Expr::op("allocated", [Expr::sym(symbol)])
}

/// Whether an argument that may be left out is there.
pub(crate) fn is_present(argument: SymbolId) -> Expr {
    Expr::op("present", [Expr::sym(argument)])
}

/// What frees a derivative, and when.
pub(crate) fn freed(companion: SymbolId) -> (Expr, Stmt) {
    (is_allocated(companion), free(companion))
}

/// A statement that frees an array.
pub(crate) fn free(symbol: SymbolId) -> Stmt {
    let marker = Marker { class: MarkerClass::Deallocate, object: Some(VarRef::whole(symbol)), ..Marker::default() };
    Stmt::new(StmtKind::Marker(Box::new(marker)))
}

/// A statement that allocates an array; zero is what a derivative starts from.
pub(crate) fn allocate(object: VarRef, zeroed: bool) -> Stmt {
    Stmt::new(StmtKind::Marker(Box::new(Marker { class: MarkerClass::Allocate, object: Some(object), zeroed, ..Marker::default() })))
}

/// A bound of an array, by `lbound` or `ubound`.
pub(crate) fn bound(name: &str, array: SymbolId, dimension: usize) -> Expr {
    Expr::op(name, [Expr::sym(array), Expr::int(dimension as i64 + 1)])
}

/// What allocates a derivative like its variable and sets it to zero, and when.
pub(crate) fn allocated_like(program: &Program, primal: SymbolId, companion: SymbolId) -> (Expr, Stmt) {
    let dims = (0..program.symbol(primal).rank as usize).map(|k| Triplet {
        index: Some(bound("lbound", primal, k)),
        bound: Some(bound("ubound", primal, k)),
        stride: None,
    });
    let mut object = VarRef::whole(companion);
    object.subscripts = dims.collect();
    (is_allocated(primal), allocate(object, true))
}
