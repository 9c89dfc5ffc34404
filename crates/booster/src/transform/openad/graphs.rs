//! The taping sweep and the adjoint sweep of a unit, from the steps of its blocks.
//!
//! Structured units (paper 003, Algorithms 1 to 5, on the region tree): loops count their iterations, branches note which arm was taken,
//! both on the integer stack; what [`super::loop_indices`] has found is counted again instead. Other units: every block pushes its number, and the adjoint sweep is a loop around a selection over block
//! numbers until it pops the 0 that was pushed on entry.

use super::loop_indices::Counted;
use super::steps::{UnitSteps, inline};
use super::temporaries::{Kind, Temporaries};
use crate::linearize::fold::Fold;
use xaif::build::GraphBuilder;
use xaif::model::{
    BaseType, BoolOp, EdgeId, ElemType, Expr, FlowEdge, FlowGraph, ForLoop, Jump, Program, ScopeId, Stmt, SymbolId, UnitId, VarRef, Vertex,
    VertexId, VertexKind,
};
use xaif::structure::{Arm, Region};

/// Taping and adjoint graphs.
pub fn sweeps(program: &mut Program, temporaries: &mut Temporaries, id: UnitId, unit: &UnitSteps) -> (FlowGraph, FlowGraph) {
    let graph = program.unit(id).graph.clone();
    let scope = program.unit(id).scope;
    let mut sweeper = Sweeper { program, temporaries, scope, graph: &graph, unit };
    let Some(tree) = &unit.tree else { return sweeper.block_numbers() };
    let mut taping = GraphBuilder::new(scope);
    let mut reversals = Vec::new();
    sweeper.tape(tree, &mut taping, &mut reversals);
    let mut reverse = GraphBuilder::new(scope);
    sweeper.reverse(&reversals, &mut reverse);
    let finished = |b: GraphBuilder| b.finish().map(|b| b.graph).unwrap_or_default();
    (mark_entry(finished(taping), &graph), finished(reverse))
}

/// Entry and exit keep what the original says of them.
fn mark_entry(mut graph: FlowGraph, original: &FlowGraph) -> FlowGraph {
    for v in graph.node_indices() {
        let same = |w: &Vertex| std::mem::discriminant(&w.kind) == std::mem::discriminant(&graph[v].kind);
        if matches!(graph[v].kind, VertexKind::Entry | VertexKind::Exit)
            && let Some(w) = original.node_weights().find(|w| same(w))
        {
            graph[v].annotation = w.annotation.clone();
        }
    }
    graph
}

/// A region as the adjoint sweep sees it, in forward order.
enum Reversal {
    Block(Vec<Stmt>),
    Branch { is_if: bool, arms: Vec<(Vec<i64>, Vec<Reversal>)> },
    Loop(Option<Counted>, Vec<Reversal>),
}

struct Sweeper<'a> {
    program: &'a mut Program,
    temporaries: &'a mut Temporaries,
    scope: ScopeId,
    graph: &'a FlowGraph,
    unit: &'a UnitSteps,
}

impl Sweeper<'_> {
    fn integer(&mut self) -> SymbolId {
        self.temporaries.add(self.program, self.scope, Kind::Plain, ElemType { base: BaseType::Integer, bits: 64 }, None)
    }

    fn set(&self, symbol: SymbolId, value: Expr) -> Stmt {
        Stmt { id: "_control_flow".into(), ..Stmt::assign(VarRef::whole(symbol), value) }
    }

    fn forward_stmts(&self, v: VertexId) -> Vec<Stmt> {
        self.unit.steps.get(&v).into_iter().flatten().flat_map(|s| s.forward.iter().cloned()).collect()
    }

    fn reverse_stmts(&self, v: VertexId) -> Vec<Stmt> {
        self.unit.steps.get(&v).into_iter().flatten().rev().flat_map(|s| s.reverse.iter().cloned()).collect()
    }

    fn tape(&mut self, tree: &[Region], out: &mut GraphBuilder, reversals: &mut Vec<Reversal>) {
        for region in tree {
            match region {
                Region::Block(v) => {
                    for stmt in self.forward_stmts(*v) {
                        out.stmt(stmt);
                    }
                    reversals.push(Reversal::Block(self.reverse_stmts(*v)));
                }
                Region::Loop { vertex, body, .. } => {
                    let again = self.unit.indices.loops.get(vertex).cloned();
                    let counter = again.as_ref().is_none_or(|c| c.trips.is_none()).then(|| self.integer());
                    if let Some(counter) = counter {
                        out.stmt(self.set(counter, Expr::int(0)));
                    }
                    let v = match &self.graph[*vertex].kind {
                        VertexKind::For(head) => out.begin_for((**head).clone()),
                        VertexKind::Post(condition) => out.begin_do_while(condition.clone()),
                        VertexKind::Pre(condition) => out.begin_while(condition.clone()),
                        _ => continue,
                    };
                    self.keep(out, v, *vertex);
                    let mut inner = Vec::new();
                    self.tape(body, out, &mut inner);
                    if let Some(counter) = counter {
                        out.stmt(self.set(counter, Expr::op("add_scal_scal", [Expr::sym(counter), Expr::int(1)])));
                    }
                    out.end_loop();
                    if let Some(counter) = counter {
                        out.stmt(inline("push_i_s0", "inline_push_i", [VarRef::whole(counter)]));
                    }
                    reversals.push(Reversal::Loop(again, inner));
                }
                Region::Branch { vertex, arms, .. } => self.tape_branch(*vertex, arms, out, reversals),
                Region::Jump(_) => {}
            }
        }
    }

    /// What the file says of a vertex goes along.
    fn keep(&self, out: &mut GraphBuilder, new: VertexId, old: VertexId) {
        let from = &self.graph[old];
        let to = out.vertex_mut(new);
        to.annotation = from.annotation.clone();
        to.line = from.line;
        to.span = from.span;
        to.extras = from.extras.clone();
    }

    fn tape_branch(&mut self, vertex: VertexId, arms: &[Arm], out: &mut GraphBuilder, reversals: &mut Vec<Reversal>) {
        let VertexKind::Branch(condition) = &self.graph[vertex].kind else { return };
        let is_if = xaif::types::of(self.program, condition).elem.base == BaseType::Bool;
        let id = self.integer();
        let v = out.begin_branch(condition.clone());
        self.keep(out, v, vertex);
        let mut reversed = Vec::new();
        let mut seen_default = false;
        for (k, arm) in arms.iter().enumerate() {
            let values: Vec<i64> = arm.edges.iter().filter_map(|&e: &EdgeId| self.graph[e].value).collect();
            let default = values.len() < arm.edges.len();
            seen_default |= default;
            // An arm that is both a value and the default is the default.
            let taken = if is_if { i64::from(!default) } else { k as i64 + 1 };
            out.arm(if default { &[] } else { &values });
            let mut inner = Vec::new();
            self.tape(&arm.body, out, &mut inner);
            out.stmt(self.set(id, Expr::int(taken)));
            reversed.push((vec![taken], inner));
        }
        if !seen_default {
            let taken = if is_if { 0 } else { arms.len() as i64 + 1 };
            out.arm(&[]);
            out.stmt(self.set(id, Expr::int(taken)));
            reversed.push((vec![taken], Vec::new()));
        }
        out.end_branch();
        out.stmt(inline("push_i_s0", "inline_push_i", [VarRef::whole(id)]));
        reversals.push(Reversal::Branch { is_if, arms: reversed });
    }

    fn reverse(&mut self, reversals: &[Reversal], out: &mut GraphBuilder) {
        for r in reversals.iter().rev() {
            match r {
                Reversal::Block(stmts) => {
                    for stmt in stmts {
                        out.stmt(stmt.clone());
                    }
                }
                Reversal::Loop(again, body) => self.reverse_loop(again.as_ref(), body, out),
                Reversal::Branch { is_if, arms } => {
                    let id = self.integer();
                    out.stmt(inline("pop_i_s0", "inline_pop_i", [VarRef::whole(id)]));
                    out.begin_branch(Expr::sym(id));
                    for (values, body) in arms {
                        out.arm(if *is_if && values == &[0] { &[] } else { values });
                        self.reverse(body, out);
                    }
                    out.end_branch();
                }
            }
        }
    }

    fn reverse_loop(&mut self, again: Option<&Counted>, body: &[Reversal], out: &mut GraphBuilder) {
        let bound = self.integer();
        out.stmt(match again.and_then(|c| c.trips.clone()) {
            Some(trips) => self.set(bound, trips),
            None => inline("pop_i_s0", "inline_pop_i", [VarRef::whole(bound)]),
        });
        let first_is_one = again.is_some_and(|c| c.first.as_int() == Some(1) && c.stride == 1);
        let counter = again.filter(|_| first_is_one).map_or_else(|| self.integer(), |c| c.index);
        let (from, to) = (Expr::sym(bound), Expr::int(1));
        // The index is counted down; where nothing needs it, trips are counted up.
        let down = again.is_some();
        let (init, test, last, change) = if down {
            (from, BoolOp::GreaterOrEqual, to, Expr::op("sub_scal_scal", [Expr::sym(counter), Expr::int(1)]))
        } else {
            (to, BoolOp::LessOrEqual, from, Expr::op("add_scal_scal", [Expr::sym(counter), Expr::int(1)]))
        };
        out.begin_for(ForLoop {
            explicit: false,
            init: self.set(counter, init),
            condition: Expr::boolean(test, [Expr::sym(counter), last]),
            update: self.set(counter, change),
            counted: true,
        });
        if let Some(c) = again.filter(|_| !first_is_one) {
            let fold = Fold { program: self.program };
            let before = fold.sub(Expr::sym(counter), Expr::int(1));
            let value = fold.add(c.first.clone(), fold.mul(before, Expr::int(c.stride)));
            out.stmt(self.set(c.index, value));
        }
        self.reverse(body, out);
        out.end_loop();
    }

    /// The scheme for graphs that do not nest.
    fn block_numbers(&mut self) -> (FlowGraph, FlowGraph) {
        let mut taping = FlowGraph::default();
        let number = self.integer();
        let record = |n: i64| {
            let set = Stmt { id: "_control_flow".into(), ..Stmt::assign(VarRef::whole(number), Expr::int(n)) };
            [set, inline("push_i_s0", "inline_push_i", [VarRef::whole(number)])].map(Box::new)
        };
        let mut numbered = Vec::new();
        for v in self.graph.node_indices() {
            let mut vertex = self.graph[v].clone();
            if let VertexKind::Block { stmts, .. } = &mut vertex.kind {
                *stmts = self.forward_stmts(v).into_iter().map(Box::new).collect();
                let reverse = self.reverse_stmts(v);
                if !reverse.is_empty() {
                    numbered.push(reverse);
                    stmts.extend(record(numbered.len() as i64));
                }
            }
            taping.add_node(vertex);
        }
        let first = taping.add_node(Vertex::new(VertexKind::Block { scope: self.scope, stmts: record(0).to_vec() }));
        for e in self.graph.edge_indices() {
            let Some((from, to)) = self.graph.edge_endpoints(e) else { continue };
            // Stock edges say nothing of jumps.
            let weight = FlowEdge { jump: None::<Jump>, ..self.graph[e].clone() };
            if matches!(self.graph[from].kind, VertexKind::Entry) {
                taping.add_edge(from, first, FlowEdge::default());
                taping.add_edge(first, to, weight);
            } else {
                taping.add_edge(from, to, weight);
            }
        }

        let popped = self.integer();
        let pop = || inline("pop_i_s0", "inline_pop_i", [VarRef::whole(popped)]);
        let mut out = GraphBuilder::new(self.scope);
        out.stmt(pop());
        out.begin_while(Expr::boolean(BoolOp::NotEqual, [Expr::sym(popped), Expr::int(0)]));
        if !numbered.is_empty() {
            out.begin_branch(Expr::sym(popped));
            for (k, stmts) in numbered.into_iter().enumerate() {
                out.arm(&[k as i64 + 1]);
                for stmt in stmts {
                    out.stmt(stmt);
                }
            }
            out.arm(&[]);
            out.end_branch();
        }
        out.stmt(pop());
        out.end_loop();
        let reverse = out.finish().map(|b| b.graph).unwrap_or_default();
        (taping, reverse)
    }
}
