//! Derivatives of variables that outlive calls: which one a derivative unit means. A program may have one for tangents and one for adjoints, and a COMMON block has a
//! symbol in each unit that declares it.
//!
//! Never here: values.

use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{Expr, Stmt, StmtKind, Storage, Symbol, SymbolId, UnitId};

/// Whether a variable outlives calls.
pub(super) fn outlives(s: &Symbol) -> bool {
    matches!(s.storage(), Storage::Global | Storage::Common(_) | Storage::Extern)
}

/// The derivatives of variables that outlive calls, as a derivative unit knows them: a program may have one for tangents and one for adjoints.
pub struct SharedDerivatives<'a> {
    program: &'a Program,
    /// All of them, those of the unit's own mode first.
    list: Vec<SymbolId>,
}

impl<'a> SharedDerivatives<'a> {
    /// Those of a program, as that unit of it knows them.
    pub fn of(program: &'a Program, unit: UnitId) -> SharedDerivatives<'a> {
        let is_derivative = |s: SymbolId| outlives(program.symbol(s)) && base(program, s).is_some();
        let mut list: Vec<SymbolId> = program.symbol_ids().filter(|&s| is_derivative(s)).collect();
        if list.is_empty() {
            return SharedDerivatives { program, list };
        }
        let scope = program.unit(unit).scope;
        // Which is whose the units of the same mode tell.
        let mode = program.unit(unit).derivation.map(|d| d.mode);
        let alike = program.unit_ids().filter(|&u| program.unit(u).derivation.map(|d| d.mode) == mode);
        let named: FxHashSet<SymbolId> =
            alike.flat_map(|u| program.unit(u).graph.node_weights().flat_map(|v| v.stmts())).flat_map(|s| names(s)).collect();
        let storage = |s: SymbolId| program.symbol(s).storage();
        let blocks: Vec<&Storage> = named.iter().map(|&s| storage(s)).filter(|s| matches!(s, Storage::Common(_))).collect();
        list.sort_by_key(|&s| match program.symbol(s).scope == scope {
            true => 0,
            false if named.contains(&s) || blocks.contains(&storage(s)) => 1,
            false => 2,
        });
        SharedDerivatives { program, list }
    }

    /// The derivative of a variable.
    pub fn of_variable(&self, variable: &str) -> Option<SymbolId> {
        let is = |s: SymbolId| base(self.program, s).is_some_and(|b| self.program.same_name(&self.program.symbol(b).name, variable));
        self.list.iter().copied().find(|&s| is(s))
    }
}

/// What a symbol is the derivative of.
pub(super) fn base(program: &Program, s: SymbolId) -> Option<SymbolId> {
    program.symbol(s).decl.as_ref()?.derivative_of
}

/// The variables that a statement names.
fn names(s: &Stmt) -> Vec<SymbolId> {
    let mut out = Vec::new();
    let mut add = |e: &Expr| e.for_each_ref(&mut |r| out.push(r.symbol));
    match &s.kind {
        StmtKind::Assignment { lhs, rhs } => {
            lhs.index_exprs().chain([rhs]).for_each(&mut add);
            out.push(lhs.symbol);
        }
        StmtKind::Call(c) => c.arguments.iter().for_each(|a| add(&a.value)),
        StmtKind::Runtime { arguments, .. } => arguments.iter().for_each(|a| add(&a.value)),
        _ => {}
    }
    out
}
