//! Control flow: entries, exits, edges, nesting.
//!
//! Lives here: the shape of control-flow graphs. Never here: what stands in the vertices.

use super::Checker;
use crate::model::*;
use crate::structure::regions;
use petgraph::Direction;
use petgraph::visit::EdgeRef;

impl Checker<'_> {
    /// The graphs of a unit, and the statements in them.
    pub(super) fn bodies(&mut self, unit: &Unit) {
        if unit.graph.node_count() > 0 {
            self.body(unit, &unit.graph, unit.structured);
        }
        for r in unit.replacements.iter().flat_map(|(_, list)| list) {
            if r.graph.node_count() > 0 {
                self.body(unit, &r.graph, r.structured);
            }
        }
    }

    fn body(&mut self, unit: &Unit, graph: &FlowGraph, structured: bool) {
        self.flow(unit, graph, structured);
        for v in graph.node_weights() {
            self.vertex(v);
            v.stmts().iter().for_each(|s| self.statement(s));
        }
    }

    /// The graph without what stands in its vertices.
    pub(super) fn flow(&mut self, unit: &Unit, graph: &FlowGraph, structured: bool) {
        let sound = self.shape(unit, graph);
        if sound {
            self.nesting(unit, graph, structured);
        }
        self.reachable(graph);
        if sound {
            graph.node_indices().for_each(|v| self.promise(graph, v));
        }
    }

    /// A vertex, the statements of a block left out.
    pub(super) fn vertex(&mut self, v: &Vertex) {
        match &v.kind {
            VertexKind::For(head) => self.for_loop(v, head),
            VertexKind::Pre(e) | VertexKind::Post(e) => self.condition(e, v.span, false),
            VertexKind::Branch(e) => self.condition(e, v.span, true),
            _ => {}
        }
    }

    /// Entry, exit and the number of edges at each vertex; false if the graph cannot be walked.
    fn shape(&mut self, unit: &Unit, graph: &FlowGraph) -> bool {
        let before = self.found.iter().filter(|d| d.is_error()).count();
        let name = &self.p.symbol(unit.symbol).name;
        for (what, kind) in [("entry", VertexKind::Entry), ("exit", VertexKind::Exit)] {
            let n = graph.node_weights().filter(|v| std::mem::discriminant(&v.kind) == std::mem::discriminant(&kind)).count();
            if n != 1 {
                self.error("OB1040", unit.span, format!("a graph of {name} has {n} vertices for its {what}, not 1"));
            }
        }
        for at in graph.node_indices() {
            let v = &graph[at];
            let out: Vec<&FlowEdge> = graph.edges_directed(at, Direction::Outgoing).map(|e| e.weight()).collect();
            let wanted = match &v.kind {
                VertexKind::Exit => 0,
                VertexKind::For(_) | VertexKind::Pre(_) | VertexKind::Post(_) => 2,
                VertexKind::Branch(_) => out.len().max(1),
                _ => 1,
            };
            if out.len() != wanted {
                self.error("OB1041", v.span, format!("{} vertex {} has {} edges out of it, not {wanted}", word(&v.kind), v.id, out.len()));
                continue;
            }
            if matches!(v.kind, VertexKind::Entry) && graph.edges_directed(at, Direction::Incoming).next().is_some() {
                self.error("OB1041", v.span, format!("an edge leads into entry {}", v.id));
            }
            if v.is_loop() && out.iter().filter(|e| e.value.is_some_and(|x| x != 0)).count() != 1 {
                self.error("OB1041", v.span, format!("loop {} has no single edge into its body (value 1)", v.id));
            }
            if let VertexKind::Branch(_) = v.kind {
                self.arms(v, &out);
            }
            if matches!(v.kind, VertexKind::EndLoop) {
                let to = graph.edges_directed(at, Direction::Outgoing).next().map(|e| e.target());
                if !to.is_some_and(|t| graph[t].is_loop()) {
                    self.error("OB1041", v.span, format!("the edge out of loop end {} does not lead to a loop", v.id));
                }
            }
        }
        self.found.iter().filter(|d| d.is_error()).count() == before
    }

    fn arms(&mut self, v: &Vertex, out: &[&FlowEdge]) {
        let mut values: Vec<Option<i64>> = out.iter().map(|e| e.value).collect();
        values.sort_unstable();
        if let Some(w) = values.windows(2).find(|w| w[0] == w[1]) {
            let which = w[0].map_or("no value".to_string(), |x| format!("value {x}"));
            self.error("OB1041", v.span, format!("branch {} has two edges with {which}", v.id));
        }
    }

    fn nesting(&mut self, unit: &Unit, graph: &FlowGraph, structured: bool) {
        let jump = graph.edge_references().find(|e| e.weight().jump.is_some());
        if let (true, Some(e)) = (structured, jump) {
            let message = format!("{} is marked as structured, but an edge of it jumps", self.p.symbol(unit.symbol).name);
            self.error("OB1042", graph[e.source()].span, message);
        }
        if (structured || jump.is_some())
            && let Err(e) = regions(graph)
        {
            let span = graph.node_weight(e.vertex).map_or(unit.span, |v| v.span);
            let id = graph.node_weight(e.vertex).map_or("", |v| v.id.as_str());
            let message = format!("loops and branches of {} do not nest at vertex {id}", self.p.symbol(unit.symbol).name);
            self.error("OB1042", span, message);
        }
    }

    fn reachable(&mut self, graph: &FlowGraph) {
        let mut seen = vec![false; graph.node_count()];
        let mut behind: Vec<Vec<VertexId>> = vec![Vec::new(); graph.node_count()];
        for v in graph.node_indices() {
            if let Some(f) = graph[v].follows {
                behind[f.index()].push(v);
            }
        }
        let mut stack: Vec<VertexId> = graph.node_indices().filter(|&v| matches!(graph[v].kind, VertexKind::Entry)).collect();
        while let Some(v) = stack.pop() {
            if std::mem::replace(&mut seen[v.index()], true) {
                continue;
            }
            stack.extend(graph.neighbors(v));
            stack.extend(&behind[v.index()]);
        }
        for v in graph.node_indices() {
            if !seen[v.index()] && !matches!(graph[v].kind, VertexKind::EndLoop | VertexKind::EndBranch | VertexKind::Exit) {
                let message = format!("no path leads to {} vertex {}", word(&graph[v].kind), graph[v].id);
                self.warning("OB1043", graph[v].span, message);
            }
        }
    }

    /// A promise can be made only where the iterations could be in any order.
    fn promise(&mut self, graph: &FlowGraph, at: VertexId) {
        let v = &graph[at];
        let counted = matches!(&v.kind, VertexKind::For(f) if f.counted);
        if v.parallel && (!counted || crate::structure::left_by_jump(graph, at)) {
            let message = format!("loop {} is marked as parallel, but it is not counted, or it is left by a jump", v.id);
            self.error("OB1059", v.span, message);
        }
    }

    fn for_loop(&mut self, v: &Vertex, head: &ForLoop) {
        self.statement(&head.init);
        self.condition(&head.condition, v.span, false);
        self.statement(&head.update);
        let variable = |s: &Stmt| match &s.kind {
            StmtKind::Assignment { lhs, .. } if lhs.subscripts.is_empty() => Some(lhs.symbol),
            _ => None,
        };
        match (variable(&head.init), variable(&head.update)) {
            (Some(a), Some(b)) if a == b && self.p.symbol(a).rank == 0 => {}
            (Some(_), Some(_)) => {
                self.error("OB1044", v.span, format!("loop {} does not initialize and update one scalar variable", v.id));
            }
            _ => self.error("OB1044", v.span, format!("initialization and update of loop {} are not assignments to a variable", v.id)),
        }
    }
}

/// A kind of vertex in words.
fn word(kind: &VertexKind) -> &'static str {
    match kind {
        VertexKind::Entry => "entry",
        VertexKind::Exit => "exit",
        VertexKind::Block { .. } => "block",
        VertexKind::For(_) | VertexKind::Pre(_) | VertexKind::Post(_) => "loop",
        VertexKind::EndLoop => "loop end",
        VertexKind::Branch(_) => "branch",
        VertexKind::EndBranch => "branch end",
        VertexKind::Goto => "goto",
        VertexKind::Label => "label",
    }
}
