//! Procedures that a unit gets from its caller: nothing is known of them but how they are called.
//!
//! ```text
//! subroutine solve(fcn, n, x)           the unit `solve` has the formals n, x and says `gets:1=fcn`; `fcn` is a unit at file scope that is OPEN
//! subroutine solve_d(fcn, fcn_d, n, x, xd)    whoever comes to `fcn` or its derivative gets both from its own caller
//! ```
//!
//! The body of such a unit is a function that was drawn for checks: smooth, and each real number that it sets depends on all that it reads. It is never
//! differentiated or printed for users. Lives here: the words for this, who needs which procedures, and what the drawn function is. Never here: its derivatives.

use crate::Program;
use crate::build::GraphBuilder;
use crate::model::{Bound, ElemType, Expr, FlowGraph, Intent, Passing, Stmt, StmtKind, Storage, Symbol, SymbolId, Triplet, UnitId, VarRef};
use rustc_hash::FxHashMap;

/// The attribute of such a procedure, and of its derivatives.
pub const OPEN: &str = "open procedure";
/// The attribute of one whose interface was explicit.
pub const EXPLICIT: &str = "explicit interface";
/// What the attribute of a unit begins with that gets one: `gets:PLACE=name`, the place counted from 1 among all arguments of the text.
pub const GETS: &str = "gets:";

/// Whether a symbol is such a procedure, or the derivative of one.
pub fn is_open(symbol: &Symbol) -> bool {
    symbol.has_attribute(OPEN)
}

/// The procedures that a unit gets in its text, with their places.
pub fn gets(symbol: &Symbol) -> impl Iterator<Item = (usize, &str)> {
    let attributes = symbol.decl.iter().flat_map(|d| &d.attributes);
    attributes.filter_map(|a| a.strip_prefix(GETS)?.split_once('=')).filter_map(|(n, name)| Some((n.parse().ok()?, name)))
}

/// The procedures that each derivative unit gets, by the unit's number: each original in front of its derivatives. Empty where the program has none.
pub fn needed(program: &Program) -> Vec<Vec<SymbolId>> {
    let open: Vec<SymbolId> = program.symbol_ids().filter(|&s| is_open(program.symbol(s))).collect();
    if open.is_empty() {
        return Vec::new();
    }
    let units: FxHashMap<SymbolId, UnitId> = program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect();
    let named = |name: &str| open.iter().copied().find(|&s| program.same_name(&program.symbol(s).name, name));
    let origin = |s: SymbolId| {
        let mut at = s;
        for _ in 0..program.units.len() {
            let Some(of) = units.get(&at).and_then(|&u| program.unit(u).derivation) else { break };
            at = program.unit(of.of).symbol;
        }
        at
    };
    let mut own: Vec<Vec<SymbolId>> = vec![Vec::new(); program.units.len()];
    let mut callees: Vec<Vec<UnitId>> = vec![Vec::new(); program.units.len()];
    for u in program.unit_ids() {
        let unit = program.unit(u);
        let list = &mut own[u.index()];
        if let Some(d) = unit.derivation {
            list.extend(gets(program.symbol(program.unit(d.of).symbol)).filter_map(|(_, name)| named(name)));
        }
        for s in unit.graph.node_weights().flat_map(|v| v.stmts()) {
            let StmtKind::Call(call) = &s.kind else { continue };
            let callee = program.symbol(call.callee);
            if is_open(callee) {
                list.push(call.callee);
            }
            let passed = callee.decl.iter().flat_map(|d| &d.attributes).filter_map(|a| a.strip_prefix("passes:")?.split_once('='));
            list.extend(passed.filter_map(|(_, name)| named(name)));
            callees[u.index()].extend(units.get(&call.callee).filter(|&&c| program.unit(c).derivation.is_some()));
        }
    }
    loop {
        let mut changed = false;
        for (u, calls) in callees.iter().enumerate() {
            let mut all = own[u].clone();
            all.extend(calls.iter().flat_map(|c| &own[c.index()]));
            all.sort_unstable_by_key(|&s| (origin(s), s));
            all.dedup();
            changed |= all != own[u];
            own[u] = all;
        }
        if !changed {
            return own;
        }
    }
}

/// A real argument of an open unit, as the drawn function takes it.
#[derive(Clone, Debug)]
pub struct Part {
    /// By index among the formals.
    pub index: usize,
    /// All of it, not its first element alone.
    pub whole: bool,
    /// It is an array.
    pub array: bool,
    /// Its value counts.
    pub read: bool,
    /// It is set.
    pub written: bool,
    /// The factor of its sine.
    pub sine: f64,
    /// The factor of the sum of all sines, where it is set.
    pub of_sum: f64,
    /// What is only read and has the same shape: it is added, with [`LINEAR`].
    pub alike: Vec<usize>,
}

/// The factor of an argument in an output of the same shape.
pub const LINEAR: f64 = 0.9;
/// The factor of what was there before.
pub const KEPT: f64 = 0.5;

/// The real arguments of an open unit.
pub fn parts(program: &Program, unit: UnitId) -> Vec<Part> {
    let u = program.unit(unit);
    let reals: Vec<usize> = (0..u.formals.len()).filter(|&k| program.symbol(u.formals[k].symbol).ty.is_real()).collect();
    // Where no directions are declared, the last one is what the procedure computes.
    let last = reals.iter().copied().rfind(|&k| !u.formals[k].intent_declared);
    let result = u.formals.iter().any(|f| f.result);
    let directions = |k: usize| {
        let f = &u.formals[k];
        match (f.result, f.intent_declared, f.intent) {
            (true, ..) | (_, true, Intent::Out) => (false, true),
            (_, true, Intent::In) => (true, false),
            (_, true, Intent::Inout) => (true, true),
            _ if !result && Some(k) == last => (false, true),
            _ => (true, false),
        }
    };
    let dims = |k: usize| program.symbol(u.formals[k].symbol).decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
    let known = |k: usize| dims(k).iter().all(|d| matches!(d.upper, Bound::Expr(_)));
    let described = |k: usize| program.symbol(u.formals[k].symbol).passing() == Passing::Descriptor;
    let part = |&k: &usize| {
        let (read, written) = directions(k);
        let alike = |&o: &usize| o != k && directions(o) == (true, false) && known(o) && known(k) && dims(o) == dims(k);
        Part {
            index: k,
            whole: known(k) || described(k),
            array: program.symbol(u.formals[k].symbol).rank > 0,
            read,
            written,
            sine: 0.3 + 0.0625 * k as f64,
            of_sum: 0.125 + 0.0625 * k as f64,
            alike: if written { reals.iter().copied().filter(alike).collect() } else { Vec::new() },
        }
    };
    reals.iter().map(part).collect()
}

/// What the drawn function uses of an array or scalar.
pub fn used(program: &Program, symbol: SymbolId, whole: bool) -> VarRef {
    let y = program.symbol(symbol);
    let mut r = VarRef::whole(symbol);
    if y.rank > 0 && !whole {
        let lower = |d: &crate::model::Dim| match &d.lower {
            Bound::Expr(e) => e.clone(),
            Bound::Unknown => Expr::int(1),
        };
        r.subscripts = y.decl.iter().flat_map(|d| &d.dims).map(|d| Triplet::element(lower(d))).collect();
    }
    r
}

/// A product with a constant of the type of a symbol.
pub fn times(factor: f64, value: Expr, ty: ElemType) -> Expr {
    Expr::op("mul_scal_scal", [Expr::real(factor, ty.bits), value])
}

/// A sum; nothing is zero.
pub fn sum(terms: Vec<Expr>, ty: ElemType) -> Expr {
    terms.into_iter().reduce(|a, b| Expr::op("add_scal_scal", [a, b])).unwrap_or_else(|| Expr::real(0.0, ty.bits))
}

/// The sum over an array, where all of it is used.
pub fn total(part: &Part, value: Expr) -> Expr {
    if part.array && part.whole { Expr::op("sum_arr", [value]) } else { value }
}

/// The type of the sums, the widest that there is.
pub fn widest(program: &Program, unit: UnitId) -> ElemType {
    let reals = program.unit(unit).formals.iter().map(|f| program.symbol(f.symbol).ty).filter(|t| t.is_real());
    reals.max_by_key(|t| t.bits).unwrap_or(ElemType::REAL64)
}

/// A local variable of a unit.
pub fn local(program: &mut Program, unit: UnitId, wish: &str, ty: ElemType) -> SymbolId {
    let scope = program.unit(unit).scope;
    let mut name = wish.to_owned();
    while program.scope(scope).symbols.iter().any(|&s| program.same_name(&program.symbol(s).name, &name)) {
        name.push('_');
    }
    let mut s = Symbol::variable(name, ty, scope);
    s.temp = true;
    s.decl.get_or_insert_default().storage = Storage::Local;
    program.add_symbol(s)
}

/// The sum of all sines, and what the written arguments become: statements in order. `formal` gives the symbol of a formal where the statements stand.
pub fn values(program: &Program, parts: &[Part], formal: &dyn Fn(usize) -> SymbolId, sum_of: SymbolId) -> Vec<Stmt> {
    let ty = |s: SymbolId| program.symbol(s).ty;
    let value = |p: &Part| Expr::var(used(program, formal(p.index), p.whole));
    let total_of = ty(sum_of);
    let sines = parts.iter().filter(|p| p.read);
    let sines = sines.map(|p| times(p.sine, total(p, Expr::op("sin_scal", [value(p)])), total_of)).collect();
    let mut out = vec![Stmt::assign(VarRef::whole(sum_of), sum(sines, total_of))];
    for p in parts.iter().filter(|p| p.written) {
        let own = ty(formal(p.index));
        let mut terms = Vec::new();
        if p.read {
            terms.push(times(KEPT, value(p), own));
        }
        for &a in &p.alike {
            terms.push(times(LINEAR, Expr::sym(formal(a)), own));
        }
        terms.push(times(p.of_sum, Expr::sym(sum_of), own));
        out.push(Stmt::assign(used(program, formal(p.index), p.whole), sum(terms, own)));
    }
    out
}

/// The body of an open unit.
pub fn body(program: &mut Program, unit: UnitId) -> FlowGraph {
    let parts = parts(program, unit);
    let ty = widest(program, unit);
    let sum_of = local(program, unit, "total", ty);
    let formals: Vec<SymbolId> = program.unit(unit).formals.iter().map(|f| f.symbol).collect();
    let statements = if parts.iter().any(|p| p.written) { values(program, &parts, &|k| formals[k], sum_of) } else { Vec::new() };
    graph(program, unit, statements)
}

/// A graph of statements.
pub fn graph(program: &Program, unit: UnitId, statements: Vec<Stmt>) -> FlowGraph {
    let mut b = GraphBuilder::new(program.unit(unit).scope);
    statements.into_iter().for_each(|s| b.stmt(s));
    b.finish().map(|built| built.graph).unwrap_or_default()
}
