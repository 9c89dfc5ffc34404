//! Arrays whose rows are laid out by hand: arrays of rows, while derivatives are made.
//!
//! ```text
//! c = i*n + j;  w[c] = u[c] - u[c - n]        ->        w[i][j] = u[i][j] - u[i - 1][j]
//! ```
//!
//! What is known of dimensions holds for them then: which iterations meet, what is set anew, which loops go upward. In the end they are what they were. What
//! cannot be said of an array of one dimension is not asked for: whoever finds some makes the derivatives without these rows. Lives here: the way there and the way
//! back. Never here: which arrays have rows (see [`crate::analysis::arrays::rows`]), derivatives.

use super::namer::Namer;
use super::names::Everywhere;
use super::region::{self, Item};
use super::request::Options;
use super::walk::{refs_mut, stmt_refs_mut};
use crate::analysis::activity::active::Activity;
use crate::analysis::arrays::counted::for_loop;
use crate::analysis::arrays::regions::plus;
use crate::analysis::arrays::rows::{At, Rows};
use crate::analysis::arrays::whole_loops::Whole;
use crate::analysis::facts::Facts;
use crate::linearize::fold::Fold;
use crate::linearize::places::offset;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use xaif::Program;
use xaif::model::{
    BaseType, Bound, Dim, Expr, Extras, FlowGraph, ForLoop, IndexOrder, NodeKind, Stmt, StmtKind, Storage, Symbol, SymbolId, SymbolKind,
    Triplet, UnitId, VarRef, VertexId, VertexKind,
};

/// What says of a variable that it got rows; it goes along with all copies.
const MARK: &str = "rows";

/// What was changed.
#[derive(Debug, Default)]
pub(super) struct Shaped {
    /// The units with their own code.
    units: Vec<(UnitId, FlowGraph)>,
    /// Their variables as they are declared.
    symbols: Vec<(SymbolId, Symbol)>,
    /// The variables that they got.
    indices: FxHashSet<SymbolId>,
}

/// Whether there may be rows in a program: products in subscripts, or variables that may stand for some.
pub(super) fn may_be(program: &Program, options: &Options) -> bool {
    let array = |s: &Symbol| s.rank == 1 && s.ty.base == BaseType::Real;
    let product = |e: &Expr| e.nodes.iter().any(|n| matches!(&n.kind, NodeKind::Op(o) if o.name == "mul_scal_scal"));
    let whole = |s: &Stmt| match &s.kind {
        StmtKind::Assignment { lhs, rhs } => {
            let counts = lhs.subscripts.is_empty() && program.symbol(lhs.symbol).ty.base == BaseType::Integer && product(rhs);
            counts || lhs.index_exprs().any(product) || rhs.refs().any(|r| r.index_exprs().any(product))
        }
        _ => false,
    };
    options.adjoint
        && !options.directions.are_several()
        && !options.plain
        && program.symbols.iter().any(array)
        && program.units.iter().any(|u| u.graph.node_weights().any(|v| v.stmts().iter().any(|s| whole(s))))
}

impl Shaped {
    /// Gives the arrays of units that nobody else calls their rows.
    pub(super) fn of(program: &mut Program, facts: &Facts, activity: &Activity) -> Shaped {
        let mut out = Shaped::default();
        let called: FxHashSet<UnitId> = facts.tables.iter().flat_map(|t| t.callees.iter().copied()).collect();
        let everywhere = Everywhere::of(program);
        let mut reached: Vec<UnitId> = activity.reached().filter(|&u| activity.is_differentiated(u) && !facts.externals.has(u)).collect();
        reached.sort_unstable();
        for unit in reached {
            let scope = program.unit(unit).scope;
            // Whoever sees the variables from inside would have to see them as they are.
            let is_host = program.scopes.iter().any(|s| s.parent == Some(scope));
            if !called.contains(&unit) && !is_host {
                out.shape(program, facts, unit, &everywhere);
            }
        }
        out
    }

    /// Whether nothing was changed.
    pub(super) fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    fn shape(&mut self, program: &mut Program, facts: &Facts, unit: UnitId, everywhere: &Everywhere) {
        // First the variables of the loops, then what is said by them.
        let Some(rows) = Rows::of(program, unit, &|s| is_plain(program, facts, s)) else { return };
        let wanted: Vec<(SymbolId, usize)> = rows.wholes.iter().map(|w| (w.index, w.bounds.len() - 1)).collect();
        let before = program.symbols.len();
        let scope = program.unit(unit).scope;
        let mut namer = Namer::new(program, scope, everywhere);
        let mut indices = Vec::with_capacity(wanted.len());
        for (index, n) in wanted {
            let like = program.symbol(index).clone();
            indices.push((0..n).map(|_| namer.add_like(program, &like.name, like.clone())).collect::<Vec<_>>());
        }
        self.indices.extend((before as u32..program.symbols.len() as u32).map(SymbolId));
        let Some(mut rows) = Rows::of(program, unit, &|s| is_plain(program, facts, s)) else { return };
        rows.wholes.iter_mut().zip(indices).for_each(|(w, list)| w.inner = list);
        let arrays: Vec<SymbolId> = rows.arrays().collect();
        let Some(dims) = arrays.iter().map(|a| Some((*a, rows.dims(*a)?))).collect::<Option<FxHashMap<SymbolId, Vec<Dim>>>>() else {
            return;
        };
        let mut graph = program.unit(unit).graph.clone();
        let complete = in_rows(&mut graph, &rows, &dims);
        // What is said of these must be known.
        debug_assert!(complete);
        if !complete {
            return;
        }
        let mut nests: FxHashMap<VertexId, Vec<Item>> = FxHashMap::default();
        for w in &rows.wholes {
            nests.insert(w.body, nest(program, w, &mut graph));
        }
        region::replace(&mut graph, scope, nests);
        without_unused(program, unit, &mut graph);
        let own = std::mem::replace(&mut program.units[unit.index()].graph, graph);
        self.units.push((unit, own));
        for (array, dims) in dims {
            self.symbols.push((array, program.symbol(array).clone()));
            let symbol = program.symbol_mut(array);
            symbol.rank = dims.len() as u8;
            symbol.extras.0.get_or_insert_default().push((MARK.into(), SmolStr::default()));
            if let Some(decl) = &mut symbol.decl {
                decl.dims = dims;
            }
        }
    }

    /// Gives the units their own code again, and their derivatives arrays of one dimension; `false` where these use something that such an array does not have.
    pub(super) fn withdraw(self, program: &mut Program) -> bool {
        if self.is_empty() {
            return true;
        }
        for (unit, graph) in self.units {
            program.units[unit.index()].graph = graph;
            let scope = program.unit(unit).scope;
            program.scopes[scope.index()].symbols.retain(|s| !self.indices.contains(s));
        }
        for (s, symbol) in self.symbols {
            *program.symbol_mut(s) = symbol;
        }
        let marked: FxHashSet<SymbolId> = program.symbol_ids().filter(|s| is_marked(&program.symbol(*s).extras)).collect();
        let mut flat = true;
        let mut flats: FxHashMap<SymbolId, Dim> = FxHashMap::default();
        for &s in &marked {
            match whole(program, s) {
                Some(dim) => drop(flats.insert(s, dim)),
                None => flat = false,
            }
        }
        for k in 0..program.units.len() {
            let mut graph = std::mem::take(&mut program.units[k].graph);
            for v in graph.node_weights_mut() {
                for s in v.stmts() {
                    flat &= fits(program, s, &marked);
                }
                refs_mut(v, &mut |r| {
                    if marked.contains(&r.symbol) && !r.subscripts.is_empty() {
                        match flattened(program, r) {
                            Some(t) => r.subscripts = vec![t].into(),
                            None => flat = false,
                        }
                    }
                });
            }
            program.units[k].graph = graph;
        }
        for (s, dim) in flats {
            let symbol = program.symbol_mut(s);
            symbol.rank = 1;
            symbol.extras = without_mark(std::mem::take(&mut symbol.extras));
            if let Some(decl) = &mut symbol.decl {
                decl.dims = vec![dim];
            }
        }
        flat
    }
}

/// Whether an array is one of which everything is known.
fn is_plain(program: &Program, facts: &Facts, s: SymbolId) -> bool {
    let symbol = program.symbol(s);
    let known = |a: &SmolStr| ["const", "restrict", "heap"].contains(&a.as_str());
    let declared = symbol.decl.as_ref().is_some_and(|d| {
        let own = matches!(d.storage, Storage::Local | Storage::Argument);
        own && d.attributes.iter().all(known) && d.init.is_none() && d.init_text.is_empty()
    });
    let real = symbol.ty.base == BaseType::Real && symbol.kind == SymbolKind::Variable && !symbol.pointer;
    real && declared && facts.objects.canonical(s) == s && !symbol.name.contains('%')
}

/// Writes places with their rows; `false` where one is not known.
fn in_rows(graph: &mut FlowGraph, rows: &Rows, dims: &FxHashMap<SymbolId, Vec<Dim>>) -> bool {
    let mut complete = true;
    let mut change = |r: &mut VarRef, at: At| {
        if !dims.contains_key(&r.symbol) || r.subscripts.is_empty() {
            return;
        }
        match rows.subscripts(r, at) {
            Some(list) => r.subscripts = list.into(),
            None => complete = false,
        }
    };
    for v in graph.node_indices().collect::<Vec<_>>() {
        if let VertexKind::Block { stmts, .. } = &mut graph[v].kind {
            stmts.iter_mut().enumerate().for_each(|(k, s)| stmt_refs_mut(s, &mut |r| change(r, (v, k))));
        } else {
            refs_mut(&mut graph[v], &mut |r| change(r, (v, 0)));
        }
    }
    complete
}

/// The body of a loop over all elements, which becomes one over rows.
fn nest(program: &Program, w: &Whole, graph: &mut FlowGraph) -> Vec<Item> {
    let f = Fold { program };
    let over = |index: SymbolId, (first, last): &(Expr, Expr)| for_loop(f, index, first.clone(), last.clone(), Expr::int(1));
    if let VertexKind::For(head) = &mut graph[w.head].kind {
        let rows = over(w.index, &w.bounds[0]);
        **head = ForLoop { explicit: head.explicit, ..rows };
    }
    let mut items: Vec<Item> = graph[w.body].stmts().iter().map(|s| Item::Stmt((**s).clone())).collect();
    for (index, bounds) in w.inner.iter().zip(&w.bounds[1..]).rev() {
        items = vec![Item::Loop { head: Box::new(over(*index, bounds)), body: items }];
    }
    items
}

fn is_marked(extras: &Extras) -> bool {
    extras.0.iter().flat_map(|list| list.iter()).any(|(k, _)| k == MARK)
}

fn without_mark(extras: Extras) -> Extras {
    let rest: Vec<(SmolStr, SmolStr)> = extras.0.map(|list| list.into_iter().filter(|(k, _)| k != MARK).collect()).unwrap_or_default();
    Extras((!rest.is_empty()).then(|| Box::new(rest)))
}

/// Takes out what sets local scalars that stood in subscripts only.
fn without_unused(program: &Program, unit: UnitId, graph: &mut FlowGraph) {
    let mut read: FxHashSet<SymbolId> = FxHashSet::default();
    let mut set: FxHashSet<SymbolId> = FxHashSet::default();
    for v in graph.node_weights_mut() {
        if let VertexKind::Block { stmts, .. } = &mut v.kind {
            for s in stmts {
                let mut target = None;
                if let StmtKind::Assignment { lhs, .. } = &s.kind
                    && lhs.subscripts.is_empty()
                {
                    target = Some(lhs.symbol);
                    set.insert(lhs.symbol);
                }
                let mut first = target;
                // The left-hand side comes last.
                let mut named: Vec<SymbolId> = Vec::new();
                super::walk::stmt_symbols_mut(s, &mut |s| named.push(*s));
                for n in named {
                    if first == Some(n) {
                        first = None;
                    } else {
                        read.insert(n);
                    }
                }
            }
        } else {
            super::walk::symbols_mut(v, &mut |s| {
                read.insert(*s);
            });
        }
    }
    let local = |s: SymbolId| {
        let symbol = program.symbol(s);
        let formal = program.unit(unit).formals.iter().any(|f| f.symbol == s);
        let own = !formal && *symbol.storage() == Storage::Local && symbol.decl.as_ref().is_none_or(|d| !d.may_alias);
        own && symbol.rank == 0 && symbol.ty.base == BaseType::Integer && !read.contains(&s) && set.contains(&s)
    };
    for v in graph.node_weights_mut() {
        if let VertexKind::Block { stmts, .. } = &mut v.kind {
            stmts.retain(|s| !matches!(&s.kind, StmtKind::Assignment { lhs, .. } if lhs.subscripts.is_empty() && local(lhs.symbol)));
        }
    }
}

/// The dimensions of an array with rows, the slowest first.
fn dims(program: &Program, s: SymbolId) -> Vec<Dim> {
    slowest_first(program, program.symbol(s).decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default())
}

fn slowest_first<T>(program: &Program, mut list: Vec<T>) -> Vec<T> {
    if program.index_order == IndexOrder::Column {
        list.reverse();
    }
    list
}

fn expr(b: &Bound) -> Option<&Expr> {
    if let Bound::Expr(e) = b { Some(e) } else { None }
}

/// The one dimension of an array that has rows.
fn whole(program: &Program, s: SymbolId) -> Option<Dim> {
    let dims = dims(program, s);
    let lower = dims.first()?.lower.clone();
    let upper = match expr(&dims.first()?.upper) {
        None => Bound::Unknown,
        Some(last) => Bound::Expr(all_rows(program, &dims, last)?),
    };
    Some(Dim { lower, upper })
}

/// The one subscript of the last element, by that of the last row.
fn all_rows(program: &Program, dims: &[Dim], last: &Expr) -> Option<Expr> {
    let f = Fold { program };
    let low = |d: &Dim| expr(&d.lower).and_then(Expr::as_int);
    let lower = low(dims.first()?)?;
    let mut out = plus(last, 1 - lower);
    for d in &dims[1..] {
        out = f.mul(out, plus(expr(&d.upper)?, 1 - low(d)?));
    }
    Some(plus(&out, lower - 1))
}

/// The one subscript of an element, from its subscripts with the slowest first.
fn place(program: &Program, dims: &[Dim], list: &[Expr]) -> Option<Expr> {
    let f = Fold { program };
    let column = program.index_order == IndexOrder::Column;
    let lower = dims.first().and_then(|d| expr(&d.lower))?.as_int()?;
    let mut out: Option<Expr> = None;
    for (k, (d, e)) in dims.iter().zip(list).enumerate() {
        let (low, last) = (expr(&d.lower)?.as_int()?, k + 1 == dims.len());
        let from_zero = plus(e, if last { lower - low } else { -low });
        let Some(rows) = out else {
            out = Some(from_zero);
            continue;
        };
        let rows = f.mul(plus(expr(&d.upper)?, 1 - low), rows);
        let rows = if column { rows } else { turned(rows) };
        // The number comes last.
        let (base, c) = offset(&from_zero);
        let sum = match base {
            Some(e) if column => f.add(e, rows),
            Some(e) => f.add(rows, e),
            None => rows,
        };
        out = Some(plus(&sum, c));
    }
    out.map(|e| plus(&e, 0))
}

/// A product with its factors the other way round.
fn turned(e: Expr) -> Expr {
    let root = e.root();
    match (&root.kind, &root.operands[..]) {
        (NodeKind::Op(op), [a, b]) if op.name == "mul_scal_scal" => Expr::node(root.kind.clone(), [e.subexpr(*b), e.subexpr(*a)]),
        _ => e,
    }
}

/// What one dimension has for a reference, if it is elements side by side.
fn flattened(program: &Program, r: &VarRef) -> Option<Triplet> {
    let dims = dims(program, r.symbol);
    let list = slowest_first(program, r.subscripts.to_vec());
    if dims.len() != list.len() || list.iter().any(|t| t.stride.is_some()) {
        return None;
    }
    let Some(open) = list.iter().position(Triplet::is_section) else {
        let elements = list.into_iter().map(|t| t.index).collect::<Option<Vec<_>>>()?;
        return place(program, &dims, &elements).map(Triplet::element);
    };
    let is_all = |t: &Triplet, d: &Dim| match (&t.index, &t.bound) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            let same = |e: &Expr, b: &Bound| expr(b).is_some_and(|x| plus(x, 0) == plus(e, 0));
            same(a, &d.lower) && same(b, &d.upper)
        }
        _ => false,
    };
    if !list.iter().zip(&dims).skip(open + 1).all(|(t, d)| is_all(t, d)) {
        return None;
    }
    if open == 0 && list[0].index.is_none() {
        return Some(Triplet { index: None, bound: None, stride: None });
    }
    if open == 0
        && let Some(last) = &list[0].bound
        && list[0].index.as_ref().map(|e| plus(e, 0)) == dims.first().and_then(|d| expr(&d.lower)).map(|e| plus(e, 0))
    {
        return Some(Triplet { index: list[0].index.clone(), bound: Some(all_rows(program, &dims, last)?), stride: None });
    }
    let end = |upper: bool| {
        let ends = list.iter().zip(&dims).map(|(t, d)| match (&t.index, &t.bound, upper) {
            (Some(e), None, _) | (Some(e), Some(_), false) | (Some(_), Some(e), true) => Some(e.clone()),
            (None, _, false) => expr(&d.lower).cloned(),
            (None, _, true) => expr(&d.upper).cloned(),
        });
        place(program, &dims, &ends.collect::<Option<Vec<_>>>()?)
    };
    Some(Triplet { index: Some(end(false)?), bound: Some(end(true)?), stride: None })
}

/// Whether a statement has arrays of rows only by elements, or beside nothing else that has a shape.
fn fits(program: &Program, s: &Stmt, marked: &FxHashSet<SymbolId>) -> bool {
    let (lhs, rhs) = match &s.kind {
        StmtKind::Assignment { lhs, rhs } => (lhs, rhs),
        // Nobody else has rows.
        StmtKind::Call(c) => {
            return !c.arguments.iter().flat_map(|a| a.value.refs()).any(|r| marked.contains(&r.symbol) && has_shape(program, r));
        }
        _ => return true,
    };
    let mut shaped: Vec<bool> = Vec::new();
    for r in std::iter::once(lhs).chain(rhs.refs()) {
        if has_shape(program, r) {
            shaped.push(marked.contains(&r.symbol));
        }
    }
    !shaped.contains(&true) || !shaped.contains(&false)
}

fn has_shape(program: &Program, r: &VarRef) -> bool {
    if r.subscripts.is_empty() { program.symbol(r.symbol).rank > 0 } else { r.has_section() }
}
