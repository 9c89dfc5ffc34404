//! Control flow that does not nest: labelled blocks and `goto`.
//!
//! Lives here: plain graphs (units of stock files with `structured="0"`). Never here: anything that has a region tree.

use crate::unparse::language::precedence::Place;
use crate::unparse::printer::Printer;
use crate::unparse::text::layout::Line;
use petgraph::Direction;
use petgraph::visit::EdgeRef;
use xaif::model::{BaseType, EdgeId, Expr, FlowGraph, StmtKind, Unit, VertexId, VertexKind};
use xaif::types;

impl Printer<'_> {
    /// Writes every vertex that control can reach as a labelled block.
    pub fn unnested(&mut self, unit: &Unit) {
        let graph = &unit.graph;
        let Some(entry) = unit.entry() else {
            return self.refuse("OB5108", "the control flow of the unit has no entry", "the program is malformed", "");
        };
        let order = self.reachable(graph, entry);
        // A block needs a label unless control only falls into it from the block before.
        for (k, &v) in order.iter().enumerate() {
            for e in edges(graph, v) {
                let (_, to) = ends(graph, e);
                let falls = order.get(k + 1) == Some(&to) && self.falls_through(graph, v, e);
                if !falls && !matches!(graph[to].kind, VertexKind::Exit) {
                    self.need_label(unit, to);
                }
            }
            if matches!(graph[v].kind, VertexKind::For(_)) {
                self.need_label(unit, v);
            }
        }
        for (k, &v) in order.iter().enumerate() {
            let next = order.get(k + 1).copied();
            self.place = if graph[v].span.is_known() { graph[v].span } else { unit.span };
            self.out.place = graph[v].span;
            self.label(v);
            self.out.comment(&graph[v].comment);
            let out = edges(graph, v);
            match &graph[v].kind {
                VertexKind::Exit => {}
                VertexKind::Branch(c) => self.decide(unit, v, c, &out, next),
                VertexKind::For(head) => self.decide(unit, v, &head.condition, &out, next),
                VertexKind::Pre(c) | VertexKind::Post(c) => self.decide(unit, v, c, &out, next),
                _ => {
                    for s in graph[v].stmts() {
                        self.stmt(s);
                    }
                    match out[..] {
                        [e] => self.follow(unit, v, e, next, false),
                        _ => self.refuse("OB5108", "a block has more than one successor", "the program is malformed", ""),
                    }
                }
            }
        }
    }

    /// Goes along an edge; says nothing where the target comes next anyway.
    fn follow(&mut self, unit: &Unit, from: VertexId, e: EdgeId, next: Option<VertexId>, always: bool) {
        let graph = &unit.graph;
        let (_, to) = ends(graph, e);
        self.enter_loop(graph, from, to);
        if matches!(graph[to].kind, VertexKind::Exit) {
            match self.result {
                Some(_) => self.last_return(),
                None if always || next.is_some() => self.out.text("return;"),
                None => {}
            }
        } else if always || next != Some(to) {
            let label = self.labels.get(&to).cloned().unwrap_or_default();
            self.out.text(format!("goto {label};"));
        }
    }

    /// What a `for` does on the way to its test: its start, or its step when control comes back.
    fn enter_loop(&mut self, graph: &FlowGraph, from: VertexId, to: VertexId) {
        let VertexKind::For(head) = &graph[to].kind else { return };
        let s = if matches!(graph[from].kind, VertexKind::EndLoop) { &head.update } else { &head.init };
        match &s.kind {
            StmtKind::Assignment { .. } => self.stmt(s),
            _ => self.refuse("OB5108", "the head of a loop holds something else than assignments", "", ""),
        }
    }

    /// True where the text of `v` ends with this edge.
    fn falls_through(&self, graph: &FlowGraph, v: VertexId, e: EdgeId) -> bool {
        match &graph[v].kind {
            VertexKind::Branch(c) if self.is_whole(c) => false,
            VertexKind::Branch(_) | VertexKind::For(_) | VertexKind::Pre(_) | VertexKind::Post(_) => {
                graph[e].value.is_none_or(|x| x == 0) && edges(graph, v).len() == 2
            }
            _ => true,
        }
    }

    fn is_whole(&self, condition: &Expr) -> bool {
        matches!(types::of(self.program, condition).elem.base, BaseType::Integer | BaseType::Char)
    }

    /// Vertices in depth-first order, where control goes first along the edge that the text ends with; the exit is left out.
    fn reachable(&self, graph: &FlowGraph, entry: VertexId) -> Vec<VertexId> {
        let mut seen = vec![false; graph.node_count()];
        let mut order = Vec::new();
        let mut stack = vec![entry];
        while let Some(v) = stack.pop() {
            if std::mem::replace(&mut seen[v.index()], true) || matches!(graph[v].kind, VertexKind::Exit) {
                continue;
            }
            order.push(v);
            let mut out = edges(graph, v);
            out.sort_by_key(|&e| self.falls_through(graph, v, e));
            stack.extend(out.into_iter().map(|e| ends(graph, e).1));
        }
        order
    }

    fn decide(&mut self, unit: &Unit, v: VertexId, condition: &Expr, out: &[EdgeId], next: Option<VertexId>) {
        let graph = &unit.graph;
        let whole = self.is_whole(condition);
        if matches!(graph[v].kind, VertexKind::Post(_)) {
            // The first time round the body runs without a test.
            return self.refuse("OB5108", "a loop that tests at its end does not nest", "its graph does not say when it is entered", "");
        }
        if whole && matches!(graph[v].kind, VertexKind::Branch(_)) {
            let text = self.expression(condition, Place::Bare);
            self.out.open(format!("switch ({text}) {{"));
            let labels = self.labels_of(condition);
            for &e in out {
                self.out.level -= 1;
                let label = self.label_of(&labels, graph[e].value);
                self.out.text(label);
                self.out.level += 1;
                self.follow(unit, v, e, None, true);
            }
            self.out.close("}");
            return;
        }
        let yes = out.iter().copied().find(|&e| graph[e].value.is_some_and(|x| x != 0));
        let no = out.iter().copied().find(|&e| graph[e].value.is_none_or(|x| x == 0));
        let (Some(yes), Some(no), 2) = (yes, no, out.len()) else {
            return self.refuse("OB5108", "a condition has other successors than yes and no", "the program is malformed", "");
        };
        let text = self.condition(condition, true);
        self.out.open(format!("if ({text}) {{"));
        self.follow(unit, v, yes, None, true);
        self.out.close("}");
        self.follow(unit, v, no, next, false);
        // A label must not be the last thing before the end.
        if let Some((Line::Label(..), _)) = self.out.lines.last() {
            self.out.text(";");
        }
    }
}

fn ends(graph: &FlowGraph, e: EdgeId) -> (VertexId, VertexId) {
    graph.edge_endpoints(e).unwrap_or((VertexId::new(0), VertexId::new(0)))
}

fn edges(graph: &FlowGraph, v: VertexId) -> Vec<EdgeId> {
    let mut list: Vec<EdgeId> = graph.edges_directed(v, Direction::Outgoing).map(|e| e.id()).collect();
    list.sort_unstable();
    list
}
