//! Arrays whose shape comes with them, as arrays with their extents in front of them: what C hands over is an address.
//!
//! ```text
//! subroutine f(x, y)  with  x(:), y(:, :)      ->      f(x_n, x, y_n1, y_n2, y)
//! ```
//!
//! A derivative has the extents of its original. Lives here: arguments and calls. Never here: loops.

use super::free_names::free_name;
use super::temporaries::extent;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::format_smolstr;
use xaif::callbacks::is_function_value;
use xaif::model::{
    Bound, CallArgument, Decl, Dim, ElemType, Expr, Formal, Intent, Passing, Program, Stmt, StmtKind, Storage, Symbol, SymbolId, Triplet,
    UnitId, UnitKind, VertexKind,
};
use xaif::offsets;

/// What stands at a position of the new list of arguments.
#[derive(Clone, Copy)]
enum Place {
    /// The argument that had this position.
    Old(u32),
    /// How many elements the argument that had this position has along this one of its dimensions.
    Extent(u32, usize),
}

/// Gives all units these arguments, and all calls what is handed over.
pub(super) fn explicit(program: &mut Program) {
    let mut lists: FxHashMap<SymbolId, Vec<Place>> = FxHashMap::default();
    let values: FxHashSet<String> = program.symbols.iter().filter(|s| is_function_value(s)).map(|s| s.name.to_ascii_lowercase()).collect();
    for id in program.unit_ids() {
        let unit = program.unit(id);
        let fixed = unit.is_container() || unit.kind == UnitKind::Main || unit.graph.node_count() == 0;
        // Whoever is handed on keeps the arguments that its callers know of.
        if fixed || values.contains(&program.unit_name(id).to_ascii_lowercase()) {
            continue;
        }
        if unit.formals.iter().any(|f| comes_with_shape(program.symbol(f.symbol))) {
            let list = of_unit(program, id);
            lists.insert(program.unit(id).symbol, list);
        }
    }
    if lists.is_empty() {
        return;
    }
    for id in program.unit_ids() {
        let mut graph = std::mem::take(&mut program.units[id.index()].graph);
        for v in graph.node_weights_mut() {
            if let VertexKind::Block { stmts, .. } = &mut v.kind {
                stmts.iter_mut().for_each(|s| in_call(program, s, &lists));
            }
        }
        program.units[id.index()].graph = graph;
    }
}

fn comes_with_shape(s: &Symbol) -> bool {
    let open = |d: &Decl| d.dims.len() == usize::from(s.rank) && d.dims.iter().any(|d| d.upper == Bound::Unknown);
    s.rank > 0
        && s.passing() == Passing::Descriptor
        && !s.pointer
        && !s.name.contains('%')
        && !["allocatable", "pointer"].iter().any(|a| s.has_attribute(a))
        && s.decl.as_deref().is_some_and(open)
}

/// Gives a unit these arguments.
fn of_unit(program: &mut Program, id: UnitId) -> Vec<Place> {
    let scope = program.unit(id).scope;
    let old = program.unit(id).formals.clone();
    let mut places = Vec::new();
    let mut formals: Vec<Formal> = Vec::new();
    // Originals before their derivatives, wherever these stand.
    let mut known: FxHashMap<SymbolId, Vec<Dim>> = FxHashMap::default();
    for f in &old {
        let symbol = program.symbol(f.symbol).clone();
        if comes_with_shape(&symbol) {
            let decl = symbol.decl.as_deref().cloned().unwrap_or_default();
            let dims = match decl.derivative_of.and_then(|o| known.get(&o)).filter(|d| d.len() == decl.dims.len()) {
                Some(dims) => dims.clone(),
                None => {
                    let mut dims = decl.dims.clone();
                    for (k, d) in dims.iter_mut().enumerate().filter(|(_, d)| d.upper == Bound::Unknown) {
                        let number = if decl.dims.len() == 1 { String::new() } else { (k + 1).to_string() };
                        let n = extent_argument(program, scope, &format!("{}_n{number}", symbol.name));
                        formals.push(Formal::new(0, n, Intent::In));
                        places.push(Place::Extent(f.position, k));
                        let lower = if let Bound::Expr(e) = &d.lower { e.clone() } else { Expr::int(1) };
                        d.upper = Bound::Expr(match lower.as_int() {
                            Some(l) => offsets::plus(Expr::sym(n), l - 1),
                            None => offsets::plus(Expr::op("add_scal_scal", [lower.clone(), Expr::sym(n)]), -1),
                        });
                        d.lower = Bound::Expr(lower);
                    }
                    if !symbol.has_attribute("optional") {
                        known.insert(f.symbol, dims.clone());
                    }
                    dims
                }
            };
            if let Some(d) = &mut program.symbol_mut(f.symbol).decl {
                d.dims = dims;
                d.passing = Passing::Reference;
            }
        }
        formals.push(f.clone());
        places.push(Place::Old(f.position));
    }
    formals.iter_mut().zip(1..).for_each(|(f, position)| f.position = position);
    program.units[id.index()].formals = formals;
    places
}

fn extent_argument(program: &mut Program, scope: xaif::model::ScopeId, wish: &str) -> SymbolId {
    let name = free_name(program, scope, &format_smolstr!("{wish}"));
    let decl = Decl { storage: Storage::Argument, passing: Passing::Value, ..Decl::default() };
    program.add_symbol(Symbol { temp: true, decl: Some(Box::new(decl)), ..Symbol::variable(name, ElemType::INTEGER, scope) })
}

fn in_call(program: &Program, s: &mut Stmt, lists: &FxHashMap<SymbolId, Vec<Place>>) {
    let StmtKind::Call(call) = &mut s.kind else { return };
    let Some(places) = lists.get(&call.callee) else { return };
    let mut arguments = Vec::with_capacity(places.len());
    for (place, position) in places.iter().zip(1..) {
        match *place {
            Place::Old(p) => {
                arguments.extend(call.arguments.iter().find(|a| a.position == p).map(|a| CallArgument { position, ..a.clone() }));
            }
            Place::Extent(p, k) => {
                let value = call.arguments.iter().find(|a| a.position == p).and_then(|a| extent_of(program, &a.value, k));
                arguments.push(CallArgument::new(position, value.unwrap_or_else(|| Expr::int(0))));
            }
        }
    }
    call.arguments = arguments;
    call.formal_count = call.formal_count.map(|_| places.len() as u32);
}

/// How many elements an array has along its `k`th open dimension.
fn extent_of(program: &Program, value: &Expr, k: usize) -> Option<Expr> {
    let r = value.as_var()?;
    let symbol = program.symbol(r.symbol);
    let none = vec![Dim::default(); usize::from(symbol.rank)];
    let dims = symbol.decl.as_ref().map(|d| &d.dims[..]).filter(|d| d.len() == none.len()).unwrap_or(&none);
    let whole = vec![Triplet::default(); dims.len()];
    let triplets: &[Triplet] = if r.subscripts.is_empty() { &whole } else { &r.subscripts };
    let open = dims.iter().zip(triplets).enumerate().filter(|(_, (_, t))| t.is_section()).nth(k);
    open.map(|(at, (d, t))| extent(r.symbol, at, d, t))
}
