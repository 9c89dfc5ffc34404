//! Loops of few iterations over small arrays, written out.
//!
//! ```text
//! for (i = 0; i < 3; i++)         d[0] = p[0] - c[0];
//!   d[i] = p[i] - c[i];     ->    d[1] = p[1] - c[1];
//!                                 d[2] = p[2] - c[2];
//! ```
//!
//! All that names `d` then names it by constants, so that its elements can be scalars ([`super::scalar_elements`]). Lives here: which loops these are, and their
//! code. Loops that help no array stay loops. Never here: what becomes of the arrays.

use super::scalar_elements::{is_small, separable};
use crate::analysis::arrays::counted::{range, trips};
use crate::linearize::fold::{Fold, operands};
use crate::transform::plan::Plan;
use crate::transform::region::{self, Item};
use crate::transform::walk::stmt_symbols_mut;
use arcstr::ArcStr;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{
    Expr, FlowGraph, ForLoop, MarkerClass, Mode, NodeKind, ScopeId, Stmt, StmtKind, SymbolId, VarRef, Vertex, VertexId, VertexKind,
};
use xaif::structure::{Arm, Region, regions};

/// Loops of more iterations stay loops.
const MOST_ITERATIONS: i64 = 4;

/// A loop of which more statements would come stays one.
const MOST_STATEMENTS: usize = 48;

/// Writes out the loops of an adjoint unit that keep small arrays from being scalars.
pub(crate) fn short_loops(program: &mut Program, plan: &Plan, at: usize) {
    let d = &plan.derived[at];
    if d.mode != Mode::Adjoint || !program.scope(d.scope).symbols.iter().any(|&s| is_small(&program.symbols, s)) {
        return;
    }
    let mut graph = std::mem::take(&mut program.units[d.unit.index()].graph);
    let loops = found(program, &graph);
    if !loops.is_empty() {
        let before = separable(program, plan, at, &mut graph);
        let mut all = replaced(&graph, d.scope, &loops, &|_| true);
        let mut gained: FxHashSet<SymbolId> = separable(program, plan, at, &mut all).into_keys().collect();
        gained.retain(|s| !before.contains_key(s));
        if !gained.is_empty() {
            graph = replaced(&graph, d.scope, &loops, &|l| l.named.iter().any(|s| gained.contains(s)));
        }
    }
    program.units[d.unit.index()].graph = graph;
}

/// A loop that can be written out.
struct Short {
    /// Its code without it.
    items: Vec<Item>,
    /// Its other vertices.
    inner: Vec<VertexId>,
    /// What it names.
    named: FxHashSet<SymbolId>,
}

/// The outermost of the loops of a graph that can be written out, by their heads.
fn found(program: &Program, graph: &FlowGraph) -> FxHashMap<VertexId, Short> {
    let mut out = FxHashMap::default();
    let Ok(all) = regions(graph) else { return out };
    let jumped_to = graph.edge_indices().filter(|&e| graph[e].jump.is_some()).filter_map(|e| Some(graph.edge_endpoints(e)?.1)).collect();
    let mut open: Vec<&[Region]> = vec![&all];
    while let Some(list) = open.pop() {
        for r in list {
            match r {
                Region::Loop { vertex, body, .. } => {
                    let mut writer =
                        Writer { program, graph, jumped_to: &jumped_to, values: Vec::new(), inner: Vec::new(), left: MOST_STATEMENTS };
                    match writer.of(std::slice::from_ref(r)) {
                        Some(items) => {
                            let mut inner = writer.inner;
                            inner.retain(|v| v != vertex);
                            out.insert(*vertex, Short { named: named(&items), items, inner });
                        }
                        None => open.push(body),
                    }
                }
                Region::Branch { arms, .. } => open.extend(arms.iter().map(|a| &a.body[..])),
                Region::Block(_) | Region::Jump(_) => {}
            }
        }
    }
    out
}

/// What some code names.
fn named(items: &[Item]) -> FxHashSet<SymbolId> {
    let mut out = FxHashSet::default();
    let mut open: Vec<&[Item]> = vec![items];
    while let Some(list) = open.pop() {
        for item in list {
            match item {
                Item::Stmt(s) => stmt_symbols_mut(&mut s.clone(), &mut |s| {
                    out.insert(*s);
                }),
                Item::Branch { condition, then, otherwise } => {
                    out.extend(condition.refs().map(|r| r.symbol));
                    open.extend([&then[..], &otherwise[..]]);
                }
                Item::Loop { body, .. } => open.push(body),
            }
        }
    }
    out
}

/// The graph with the code of loops in their place, of those that are `wanted`.
fn replaced(graph: &FlowGraph, scope: ScopeId, loops: &FxHashMap<VertexId, Short>, wanted: &dyn Fn(&Short) -> bool) -> FlowGraph {
    let wanted: FxHashMap<VertexId, &Short> = loops.iter().filter(|(_, l)| wanted(l)).map(|(&v, l)| (v, l)).collect();
    let head: FxHashMap<VertexId, VertexId> = wanted.iter().flat_map(|(&v, l)| l.inner.iter().map(move |&i| (i, v))).collect();
    let mut out = FlowGraph::default();
    let (mut place, mut code) = (FxHashMap::default(), FxHashMap::default());
    for v in graph.node_indices().filter(|v| !head.contains_key(v)) {
        let vertex = match wanted.get(&v) {
            None => graph[v].clone(),
            Some(_) => {
                let block = Vertex::new(VertexKind::Block { scope, stmts: Vec::new() });
                Vertex { follows: graph[v].follows, ..block }
            }
        };
        let new = out.add_node(vertex);
        place.insert(v, new);
        code.extend(wanted.get(&v).map(|l| (new, l.items.clone())));
    }
    for v in out.node_weights_mut() {
        v.follows = v.follows.and_then(|f| place.get(head.get(&f).unwrap_or(&f)).copied());
    }
    for e in graph.edge_indices() {
        let Some((from, to)) = graph.edge_endpoints(e) else { continue };
        let (Some(&a), Some(&b)) = (place.get(&from), place.get(&to)) else { continue };
        let mut edge = graph[e].clone();
        if wanted.contains_key(&from) {
            edge.value = None;
        }
        out.add_edge(a, b, edge);
    }
    region::replace(&mut out, scope, code);
    out
}

/// Writes one loop out.
struct Writer<'a> {
    program: &'a Program,
    graph: &'a FlowGraph,
    /// Where jumps lead to.
    jumped_to: &'a FxHashSet<VertexId>,
    /// The indices of the loops around, with their values.
    values: Vec<(SymbolId, i64)>,
    /// The vertices that were met.
    inner: Vec<VertexId>,
    /// How many statements may still come.
    left: usize,
}

impl Writer<'_> {
    /// The code of regions; `None` where something has no form without the loop.
    fn of(&mut self, list: &[Region]) -> Option<Vec<Item>> {
        let mut out = Vec::new();
        for r in list {
            match r {
                Region::Block(v) => {
                    self.enter(*v)?;
                    self.block(*v, &mut out)?;
                }
                Region::Branch { vertex, arms, end } => {
                    self.enter(*vertex)?;
                    self.enter((*end)?)?;
                    out.push(self.branch(*vertex, arms)?);
                }
                Region::Loop { vertex, body, end } => {
                    self.enter(*vertex)?;
                    self.enter((*end)?)?;
                    self.iterations(*vertex, body, &mut out)?;
                }
                Region::Jump(_) => return None,
            }
        }
        Some(out)
    }

    fn enter(&mut self, v: VertexId) -> Option<()> {
        if self.jumped_to.contains(&v) {
            return None;
        }
        self.inner.push(v);
        Some(())
    }

    fn block(&mut self, v: VertexId, out: &mut Vec<Item>) -> Option<()> {
        for s in self.graph[v].stmts() {
            match &s.kind {
                StmtKind::Assignment { lhs, .. } if self.values.iter().all(|(i, _)| *i != lhs.symbol) => {}
                StmtKind::Marker(m) if m.class == MarkerClass::Comment => continue,
                _ => return None,
            }
            self.left = self.left.checked_sub(1)?;
            let mut s = Stmt::clone(s);
            s.id = ArcStr::new();
            s.text = self.text(&s.text);
            if let StmtKind::Assignment { lhs, rhs } = &mut s.kind {
                self.put_into(lhs);
                *rhs = self.with_values(rhs);
            }
            out.push(Item::Stmt(s));
        }
        Some(())
    }

    fn branch(&mut self, v: VertexId, arms: &[Arm]) -> Option<Item> {
        let VertexKind::Branch(condition) = &self.graph[v].kind else { return None };
        let (mut then, mut otherwise) = (None, Vec::new());
        for arm in arms {
            let values: Vec<Option<i64>> = arm.edges.iter().map(|e| self.graph[*e].value).collect();
            match values[..] {
                [Some(1)] if then.is_none() => then = Some(self.of(&arm.body)?),
                [None] => otherwise = self.of(&arm.body)?,
                _ => return None,
            }
        }
        Some(Item::Branch { condition: self.with_values(condition), then: then?, otherwise })
    }

    fn iterations(&mut self, v: VertexId, body: &[Region], out: &mut Vec<Item>) -> Option<()> {
        let vertex = &self.graph[v];
        let VertexKind::For(head) = &vertex.kind else { return None };
        if !head.counted || vertex.parallel || vertex.checkpoint.is_some() {
            return None;
        }
        let (index, first, stride, count) = self.numbers(head)?;
        for k in 0..count {
            self.values.push((index, first + k * stride));
            let items = self.of(body)?;
            self.values.pop();
            out.extend(items);
        }
        out.push(Item::Stmt(Stmt::assign(VarRef::whole(index), Expr::int(first + count * stride))));
        Some(())
    }

    /// Index, first value, stride and iterations of a loop, where all of these are small numbers.
    fn numbers(&self, head: &ForLoop) -> Option<(SymbolId, i64, i64, i64)> {
        let r = range(self.program, head)?;
        let count = trips(Fold { program: self.program }, &r).as_int().filter(|n| (1..=MOST_ITERATIONS).contains(n))?;
        let small = |e: &Expr| e.as_int().filter(|n| n.abs() < 1 << 20);
        Some((r.index, small(&r.first)?, small(&r.stride)?, count))
    }

    fn value_of(&self, r: &VarRef) -> Option<i64> {
        self.values.iter().rev().find(|(i, _)| *i == r.symbol && r.subscripts.is_empty()).map(|(_, n)| *n)
    }

    /// Values in place of indices.
    fn with_values(&self, e: &Expr) -> Expr {
        let mut e = e.clone();
        for n in &mut e.nodes {
            if let NodeKind::Var(r) = &mut n.kind {
                match self.value_of(r) {
                    Some(value) => n.kind = Expr::int(value).nodes.remove(0).kind,
                    None => self.put_into(r),
                }
            }
        }
        e
    }

    /// Values in place of indices in subscripts, which are added up.
    fn put_into(&self, r: &mut VarRef) {
        r.forget_ids();
        let fold = Fold { program: self.program };
        for t in r.subscripts.iter_mut() {
            let put = |e: &mut Expr| {
                *e = match number(&self.with_values(e)) {
                    Some(n) => Expr::int(n),
                    None => fold.rebuilt(e, &|r| self.value_of(r).map(Expr::int)),
                };
            };
            [&mut t.index, &mut t.bound, &mut t.stride].into_iter().flatten().for_each(put);
        }
    }

    /// A statement as the source has it, with values in place of indices.
    fn text(&self, text: &str) -> ArcStr {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = if is_word(c) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
            let (word, behind) = rest.split_at(length);
            let member = out.ends_with(['.', '%', '>']);
            let value = self.values.iter().rev().find(|(i, _)| !member && self.program.symbol(*i).name == word);
            match value {
                Some((_, n)) => out += &n.to_string(),
                None => out += word,
            }
            rest = behind;
        }
        out.into()
    }
}

/// The value of an expression of numbers.
fn number(e: &Expr) -> Option<i64> {
    if let Some(n) = e.as_int() {
        return Some(n);
    }
    let both = |name: &str| operands::<2>(e, name).and_then(|[a, b]| Some((number(&a)?, number(&b)?)));
    if let Some((a, b)) = both("add_scal_scal") {
        a.checked_add(b)
    } else if let Some((a, b)) = both("sub_scal_scal") {
        a.checked_sub(b)
    } else if let Some((a, b)) = both("mul_scal_scal") {
        a.checked_mul(b)
    } else {
        None
    }
}
