//! Small local arrays whose elements are always named by constants: as many scalars while an adjoint is made.
//!
//! ```text
//! d(1) = x(i) - c;  d(2) = y(i) - c;  s = s + d(1)*d(2)
//! ```
//!
//! What is set, read, recorded, put off or set to zero is then known for each element, so that a loop whose iterations set all that they use is one whose iterations
//! depend on nothing of each other. In the end they are elements again. Lives here: which arrays these are, the way there and the way back. Never
//! here: what is made of them.

use crate::transform::adjoint::seen_inside;
use crate::transform::plan::Plan;
use crate::transform::walk::{refs_mut, stmt_refs_mut, stmt_symbols_mut};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::format_smolstr;
use std::collections::BTreeMap;
use xaif::Program;
use xaif::model::{
    BaseType, Bound, Expr, FlowGraph, IndexOrder, Mode, NodeKind, ScopeId, StmtKind, Storage, SymbolId, SymbolKind, Symbols, Triplet,
    VarRef, VertexKind,
};

/// Larger arrays stay arrays.
const LARGEST: i64 = 32;

/// Where the scalars of a derivative unit have come from.
#[derive(Default)]
pub(crate) struct Apart {
    /// For each scalar, and each adjoint of one, the array and the subscripts.
    elements: FxHashMap<SymbolId, (SymbolId, Vec<i64>)>,
    /// The arrays with their adjoints.
    arrays: Vec<(SymbolId, SymbolId)>,
}

impl Apart {
    /// Whether no array was taken apart.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }
}

/// Takes the arrays of an adjoint unit apart.
pub(crate) fn split(program: &mut Program, plan: &mut Plan, at: usize) -> Apart {
    let mut out = Apart::default();
    if plan.derived[at].mode != Mode::Adjoint {
        return out;
    }
    let unit = plan.derived[at].unit.index();
    let mut graph = std::mem::take(&mut program.units[unit].graph);
    let found = separable(program, plan, at, &mut graph);
    let mut scalars: FxHashMap<(SymbolId, Vec<i64>), SymbolId> = FxHashMap::default();
    for (array, elements) in found {
        let adjoint = plan.derived[at].companion(array);
        if let Some(b) = adjoint {
            plan.derived[at].companions.remove(&array);
            plan.derived[at].own.retain(|(a, _)| *a != array);
            out.arrays.push((array, b));
        }
        let like = program.symbol(array).clone();
        for subscripts in elements {
            let place: Vec<String> = subscripts.iter().map(i64::to_string).collect();
            let wish = format_smolstr!("{}_{}", like.name, place.join("_").replace('-', "m"));
            let scalar = plan.temporary_like(program, at, &wish, &like, Vec::new());
            if let Some(b) = adjoint {
                let own = plan.make_companion(program, at, scalar, false);
                out.elements.insert(own, (b, subscripts.clone()));
            }
            out.elements.insert(scalar, (array, subscripts.clone()));
            scalars.insert((array, subscripts), scalar);
        }
    }
    let arrays: FxHashSet<SymbolId> = scalars.keys().map(|(array, _)| *array).collect();
    for v in graph.node_weights_mut().filter(|_| !arrays.is_empty()) {
        refs_mut(v, &mut |r| {
            if !arrays.contains(&r.symbol) {
                return;
            }
            if let Some(&s) = constants(&program.symbols, r).and_then(|list| scalars.get(&(r.symbol, list))) {
                *r = VarRef { active: r.active, ..VarRef::whole(s) };
            }
        });
    }
    program.units[unit].graph = graph;
    out
}

/// The arrays of an adjoint unit that can be taken apart where its code is that of `graph`, with the elements that are named.
pub(super) fn separable(program: &Program, plan: &Plan, at: usize, graph: &mut FlowGraph) -> BTreeMap<SymbolId, Vec<Vec<i64>>> {
    let d = &plan.derived[at];
    let mut found = candidates(program, d.scope, graph);
    if found.is_empty() {
        return found;
    }
    // Internal procedures, and the other unit of a pair, know the arrays by their names.
    let inside = seen_inside(program, plan, d);
    // What a caller gets, or hands in the adjoint of, stays as it is.
    let formals: FxHashSet<SymbolId> = program.unit(d.original).formals.iter().map(|f| d.copy_of(f.symbol)).collect();
    found.retain(|s, _| !formals.contains(s) && !inside.contains(s) && d.companion(*s).is_none_or(|b| d.own.contains(&(*s, b))));
    found
}

/// Puts the arrays together again, where the adjoint has been made.
pub(crate) fn join(program: &mut Program, plan: &mut Plan, at: usize, apart: Apart) {
    if apart.is_empty() {
        return;
    }
    let d = &mut plan.derived[at];
    d.companions.retain(|s, _| !apart.elements.contains_key(s));
    d.own.retain(|(s, _)| !apart.elements.contains_key(s));
    d.companions.extend(apart.arrays.iter().copied());
    d.own.extend(apart.arrays);
    let names: FxHashMap<&str, String> =
        apart.elements.iter().map(|(s, e)| (program.symbol(*s).name.as_str(), spelled(program, e))).collect();
    for (_, told) in plan.reversals.iter_mut().filter(|(u, _)| *u == d.original) {
        told.each_name(&|name| {
            if let Some(element) = names.get(name.as_str()) {
                name.clone_from(element);
            }
        });
    }
    for v in program.units[d.unit.index()].graph.node_weights_mut() {
        refs_mut(v, &mut |r| {
            if let Some((array, subscripts)) = apart.elements.get(&r.symbol) {
                *r = r.with_symbol(*array);
                r.subscripts = subscripts.iter().map(|&k| Triplet::element(Expr::int(k))).collect();
            }
        });
    }
}

/// An element as the source names it.
fn spelled(program: &Program, (array, subscripts): &(SymbolId, Vec<i64>)) -> String {
    let (name, list) = (&program.symbol(*array).name, subscripts.iter().map(i64::to_string).collect::<Vec<_>>());
    match program.index_order {
        IndexOrder::Row => format!("{name}[{}]", list.join("][")),
        IndexOrder::Column => format!("{name}({})", list.join(",")),
    }
}

/// The arrays that nothing but assignments and conditions mention, and only by constant subscripts within bounds, with the elements that these name.
fn candidates(program: &Program, scope: ScopeId, graph: &mut FlowGraph) -> BTreeMap<SymbolId, Vec<Vec<i64>>> {
    let mut out: BTreeMap<SymbolId, Vec<Vec<i64>>> = BTreeMap::new();
    for &s in &program.scope(scope).symbols {
        if is_small(&program.symbols, s) {
            out.insert(s, Vec::new());
        }
    }
    let mut others: FxHashSet<SymbolId> = FxHashSet::default();
    let mut named = |r: &mut VarRef| {
        let Some(elements) = out.get_mut(&r.symbol) else { return };
        match constants(&program.symbols, r).filter(|list| within(&program.symbols, r.symbol, list)) {
            Some(list) if !elements.contains(&list) => elements.push(list),
            Some(_) => {}
            None => {
                others.insert(r.symbol);
            }
        }
    };
    let mut elsewhere: FxHashSet<SymbolId> = FxHashSet::default();
    for v in graph.node_weights_mut() {
        let VertexKind::Block { stmts, .. } = &mut v.kind else {
            refs_mut(v, &mut named);
            continue;
        };
        for s in stmts {
            match &s.kind {
                StmtKind::Assignment { .. } => stmt_refs_mut(s, &mut named),
                _ => stmt_symbols_mut(s, &mut |s| {
                    elsewhere.insert(*s);
                }),
            }
        }
    }
    out.retain(|s, elements| !elements.is_empty() && !others.contains(s) && !elsewhere.contains(s));
    out
}

/// A plain local array of few elements, whose number is a constant.
pub(super) fn is_small(symbols: &Symbols, s: SymbolId) -> bool {
    let extents = extents(symbols, s);
    let s = &symbols[s.index()];
    let Some(decl) = s.decl.as_ref().filter(|d| s.rank > 0 && d.storage == Storage::Local) else { return false };
    let plain = s.kind == SymbolKind::Variable && !s.pointer && matches!(s.ty.base, BaseType::Real | BaseType::Integer);
    let set = decl.init.is_some() || !decl.init_text.is_empty();
    let count = extents.map(|list| list.into_iter().map(|(l, u)| (u - l + 1).max(0)).product::<i64>());
    plain && !set && decl.attributes.is_empty() && !decl.may_alias && !s.name.contains('%') && count.is_some_and(|n| n <= LARGEST)
}

/// The bounds of an array, where they are constants.
pub(crate) fn extents(symbols: &Symbols, s: SymbolId) -> Option<Vec<(i64, i64)>> {
    let s = &symbols[s.index()];
    let decl = s.decl.as_ref().filter(|d| d.dims.len() == usize::from(s.rank))?;
    let constant = |b: &Bound| if let Bound::Expr(e) = b { whole_number(symbols, e) } else { None };
    decl.dims.iter().map(|d| Some((constant(&d.lower)?, constant(&d.upper)?))).collect()
}

fn within(symbols: &Symbols, s: SymbolId, list: &[i64]) -> bool {
    extents(symbols, s).is_some_and(|e| e.len() == list.len() && e.iter().zip(list).all(|((l, u), k)| l <= k && k <= u))
}

/// The subscripts of an element, where all are constants.
fn constants(symbols: &Symbols, r: &VarRef) -> Option<Vec<i64>> {
    let index = |t: &Triplet| t.index.as_ref().filter(|_| !t.is_section()).and_then(|e| whole_number(symbols, e));
    if r.subscripts.is_empty() { None } else { r.subscripts.iter().map(index).collect() }
}

/// A constant, with a sign or by its name.
fn whole_number(symbols: &Symbols, e: &Expr) -> Option<i64> {
    let root = e.root();
    match &root.kind {
        NodeKind::Const(_) => e.as_int(),
        NodeKind::Op(op) if op.name == "minus_scal" => whole_number(symbols, &e.subexpr(*root.operands.first()?))?.checked_neg(),
        NodeKind::Var(r) => {
            let s = symbols.get(r.symbol.index()).filter(|s| *s.storage() == Storage::Constant && r.subscripts.is_empty())?;
            // Not by the name of another one: that may go on for ever in a broken program.
            s.decl.as_ref()?.init.as_ref()?.as_int()
        }
        _ => None,
    }
}
