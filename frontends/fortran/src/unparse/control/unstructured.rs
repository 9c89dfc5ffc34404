//! Graphs that do not nest: blocks in order of a walk, with labels and GOTOs.
//!
//! Lives here: the flat form of control flow. Never here: constructs.

use super::labels::Labels;
use crate::unparse::nesting::plan;
use crate::unparse::statements::body::Body;
use crate::unparse::text::problems;
use petgraph::Direction;
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{BoolOp, Expr, FlowGraph, Stmt, Unit, UnitKind, VertexId, VertexKind};
use xaif::structure::Arm;

/// A place that can be jumped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// Where control enters a vertex.
    Enter(VertexId),
    /// The test of a `for` loop.
    Test(VertexId),
}

enum Op<'a> {
    Mark(Place),
    Comment(&'a str),
    Stmt(&'a Stmt),
    /// Goes there if the condition has this value.
    If(&'a Expr, bool, Place),
    Select(&'a Expr, Vec<(Vec<i64>, Place)>, Place),
    Goto(Place),
}

/// Prints the statements of a unit whose graph does not nest.
pub fn body(b: &mut Body, unit: &Unit) {
    let cx = b.w.cx;
    let Some(entry) = unit.entry() else {
        return cx.refuse(problems::malformed(cx.program, unit.span, "a unit without an entry"));
    };
    let mut order = walk(&unit.graph, entry);
    // The end of the text is the end of the unit.
    if let Some(at) = unit.exit().and_then(|x| order.iter().position(|&v| v == x)) {
        let exit = order.remove(at);
        order.push(exit);
    }
    let mut ops = Vec::new();
    for &v in &order {
        if vertex_ops(b, unit, v, &mut ops).is_none() {
            return cx.refuse(problems::malformed(cx.program, unit.graph[v].span, "a vertex without a successor"));
        }
    }
    // A jump to what follows is none.
    let mut kept: Vec<Op> = Vec::with_capacity(ops.len());
    let mut rest = ops.into_iter().peekable();
    while let Some(op) = rest.next() {
        match (&op, rest.peek()) {
            (Op::Goto(to), Some(Op::Mark(here))) if to == here => {}
            _ => kept.push(op),
        }
    }
    print(b, unit, kept);
}

/// Vertices in an order that keeps what follows each other together.
fn walk(graph: &FlowGraph, entry: VertexId) -> Vec<VertexId> {
    let mut seen = FxHashSet::default();
    let mut order = Vec::new();
    let mut stack = vec![entry];
    while let Some(v) = stack.pop() {
        if !seen.insert(v) {
            continue;
        }
        order.push(v);
        let mut out: Vec<_> = graph.edges_directed(v, Direction::Outgoing).map(|e| (e.id(), e.target(), e.weight().value)).collect();
        // The body of a loop and the first arm of a branch come next: pushed last.
        out.sort_unstable_by_key(|(id, _, value)| (value.is_some_and(|v| v != 0), *id));
        stack.extend(out.into_iter().map(|(_, t, _)| t));
    }
    order
}

fn successors(graph: &FlowGraph, v: VertexId) -> Vec<(Option<i64>, VertexId)> {
    let mut out: Vec<_> = graph.edges_directed(v, Direction::Outgoing).map(|e| (e.id(), e.weight().value, e.target())).collect();
    out.sort_unstable_by_key(|(id, ..)| *id);
    out.into_iter().map(|(_, value, t)| (value, t)).collect()
}

fn vertex_ops<'a>(b: &Body, unit: &'a Unit, v: VertexId, ops: &mut Vec<Op<'a>>) -> Option<()> {
    let graph = &unit.graph;
    let vertex = &graph[v];
    let out = successors(graph, v);
    let taken = || out.iter().find(|(value, _)| value.is_some_and(|x| x != 0)).map(|(_, t)| *t);
    let otherwise = || out.iter().find(|(value, _)| value.is_none_or(|x| x == 0)).map(|(_, t)| *t);
    ops.push(Op::Mark(Place::Enter(v)));
    if !vertex.comment.is_empty() {
        ops.push(Op::Comment(&vertex.comment));
    }
    match &vertex.kind {
        VertexKind::Exit => {}
        VertexKind::Entry | VertexKind::Block { .. } | VertexKind::EndBranch | VertexKind::Goto | VertexKind::Label => {
            ops.extend(vertex.stmts().iter().map(|s| Op::Stmt(s)));
            ops.push(Op::Goto(Place::Enter(out.first()?.1)));
        }
        VertexKind::Branch(condition) => {
            let arms: Vec<Arm> =
                graph.edges_directed(v, Direction::Outgoing).map(|e| Arm { edges: vec![e.id()], body: Vec::new() }).collect();
            if plan::is_two_way(b.w.cx.program, graph, v, &arms) {
                ops.push(Op::If(condition, true, Place::Enter(taken()?)));
                ops.push(Op::Goto(Place::Enter(otherwise()?)));
            } else {
                let default = out.iter().find(|(value, _)| value.is_none()).map(|(_, t)| *t)?;
                let mut cases: Vec<(Vec<i64>, Place)> = Vec::new();
                for (value, target) in out.iter().filter_map(|(value, t)| value.map(|x| (x, *t))) {
                    match cases.iter_mut().find(|(_, p)| *p == Place::Enter(target)) {
                        Some((values, _)) => values.push(value),
                        None => cases.push((vec![value], Place::Enter(target))),
                    }
                }
                ops.push(Op::Select(condition, cases, Place::Enter(default)));
            }
        }
        VertexKind::Pre(condition) => {
            ops.push(Op::If(condition, false, Place::Enter(otherwise()?)));
            ops.push(Op::Goto(Place::Enter(taken()?)));
        }
        VertexKind::Post(_) => ops.push(Op::Goto(Place::Enter(taken()?))),
        VertexKind::For(f) => {
            ops.push(Op::Stmt(&f.init));
            ops.push(Op::Mark(Place::Test(v)));
            ops.push(Op::If(&f.condition, false, Place::Enter(otherwise()?)));
            ops.push(Op::Goto(Place::Enter(taken()?)));
        }
        VertexKind::EndLoop => {
            let head = out.first()?.1;
            let again = successors(graph, head);
            match &graph[head].kind {
                VertexKind::For(f) => {
                    ops.push(Op::Stmt(&f.update));
                    ops.push(Op::Goto(Place::Test(head)));
                }
                VertexKind::Post(condition) => {
                    let body = again.iter().find(|(value, _)| value.is_some_and(|x| x != 0))?.1;
                    let exit = again.iter().find(|(value, _)| value.is_none_or(|x| x == 0))?.1;
                    ops.push(Op::If(condition, true, Place::Enter(body)));
                    ops.push(Op::Goto(Place::Enter(exit)));
                }
                _ => ops.push(Op::Goto(Place::Enter(head))),
            }
        }
    }
    Some(())
}

fn print(b: &mut Body, unit: &Unit, ops: Vec<Op>) {
    let exit = unit.exit();
    let is_exit = |p: Place| exit.is_some_and(|x| p == Place::Enter(x));
    let mut wanted: FxHashSet<Place> = FxHashSet::default();
    for op in &ops {
        match op {
            Op::If(_, _, p) | Op::Goto(p) => {
                wanted.insert(*p);
            }
            Op::Select(_, cases, default) => {
                wanted.extend(cases.iter().map(|(_, p)| *p));
                wanted.insert(*default);
            }
            _ => {}
        }
    }
    let mut labels = Labels::new(unit);
    let mut tests: FxHashMap<VertexId, u32> = FxHashMap::default();
    let mut label = |p: Place| match p {
        Place::Enter(v) => labels.of(v),
        Place::Test(v) => *tests.entry(v).or_insert_with(|| labels.fresh()),
    };
    let leave = if unit.kind == UnitKind::Main { "stop" } else { "return" };
    let mut go = |p: Place| if is_exit(p) { leave.to_owned() } else { format!("goto {}", label(p)) };
    for op in ops {
        match op {
            Op::Mark(p) => {
                let (Place::Enter(v) | Place::Test(v)) = p;
                b.place = unit.graph[v].span;
                if wanted.contains(&p) && !is_exit(p) {
                    if b.pending_label.is_some() {
                        b.code("continue");
                    }
                    b.pending_label = go(p).rsplit(' ').next().and_then(|l| l.parse().ok());
                }
            }
            Op::Comment(text) => b.comment(text),
            Op::Stmt(s) => b.stmt(s),
            Op::If(condition, when, p) => {
                b.w.begin(xaif::model::Span::NONE);
                let text = if when {
                    b.condition(condition)
                } else {
                    let negation = Expr::boolean(BoolOp::Not, [condition.clone()]);
                    b.condition(&negation)
                };
                b.code(format!("if ({text}) {}", go(p)));
            }
            Op::Select(selector, cases, default) => {
                b.w.begin(xaif::model::Span::NONE);
                let text = b.value(selector);
                b.code(format!("select case ({text})"));
                for (values, p) in cases {
                    let values: Vec<String> = values.iter().map(i64::to_string).collect();
                    b.code(format!("case ({})", values.join(", ")));
                    b.indent += 1;
                    b.code(go(p));
                    b.indent -= 1;
                }
                b.code("case default");
                b.indent += 1;
                b.code(go(default));
                b.indent -= 1;
                b.code("end select");
            }
            Op::Goto(p) => b.code(go(p)),
        }
    }
    if b.pending_label.is_some() {
        b.code("continue");
    }
}
