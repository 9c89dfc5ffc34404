//! Putting a control-flow graph together construct by construct, in text order.
//!
//! Front ends and transformations call one method for each thing the text has; the builder makes blocks, joins and edges as
//! the crate's front page defines them. Lives here: graph construction. Never here: syntax, expressions, symbols.
//!
//! ```
//! use xaif::build::GraphBuilder;
//! use xaif::model::*;
//! # let scope = ScopeId(0);
//! # let stmt = || Stmt::assign(VarRef::whole(SymbolId(0)), Expr::int(1));
//! let mut b = GraphBuilder::new(scope);
//! b.stmt(stmt());
//! b.begin_while(Expr::bool(true));
//! b.begin_branch(Expr::bool(false));
//! b.arm(&[1]); // then
//! b.jump_break(0);
//! b.end_branch();
//! b.end_loop();
//! let built = b.finish().unwrap();
//! assert!(!built.structured);
//! ```

use crate::model::{Expr, FlowEdge, FlowGraph, ForLoop, Jump, ScopeId, Stmt, Vertex, VertexId, VertexKind};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// A finished graph.
#[derive(Debug)]
pub struct Built {
    /// The graph, with one entry and one exit.
    pub graph: FlowGraph,
    /// No edge jumps.
    pub structured: bool,
}

/// A jump to a label that no vertex carries, or a label given twice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("label {0} is not defined exactly once")]
pub struct LabelError(pub SmolStr);

#[derive(Debug)]
enum Construct {
    Branch { vertex: VertexId, ends: Vec<(VertexId, FlowEdge)>, has_default: bool, open: bool, breaks: Vec<(VertexId, FlowEdge)> },
    Loop { vertex: VertexId, end: VertexId, breaks: Vec<(VertexId, FlowEdge)> },
}

/// Where the next vertex attaches.
#[derive(Debug)]
enum Position {
    /// Inside this block.
    Block(VertexId),
    /// Behind these edges.
    Pending(Vec<(VertexId, FlowEdge)>),
    /// Behind a jump out of this vertex: nothing flows here.
    Dead(VertexId),
}

/// The builder. Loops and branches are opened and closed like parentheses.
#[derive(Debug)]
pub struct GraphBuilder {
    graph: FlowGraph,
    scope: ScopeId,
    at: Position,
    constructs: Vec<Construct>,
    labels: FxHashMap<SmolStr, VertexId>,
    gotos: Vec<(VertexId, SmolStr)>,
    returns: Vec<VertexId>,
    duplicate_label: Option<SmolStr>,
}

fn edge(value: Option<i64>, jump: Option<Jump>) -> FlowEdge {
    FlowEdge { value, jump, ..FlowEdge::default() }
}

impl GraphBuilder {
    /// A graph with its entry; blocks belong to `scope`.
    pub fn new(scope: ScopeId) -> GraphBuilder {
        let mut graph = FlowGraph::default();
        let entry = graph.add_node(Vertex::new(VertexKind::Entry));
        GraphBuilder {
            graph,
            scope,
            at: Position::Pending(vec![(entry, FlowEdge::default())]),
            constructs: Vec::new(),
            labels: FxHashMap::default(),
            gotos: Vec::new(),
            returns: Vec::new(),
            duplicate_label: None,
        }
    }

    /// Adds a vertex at the present position; what comes next is up to the caller.
    fn attach(&mut self, kind: VertexKind) -> VertexId {
        let v = self.graph.add_node(Vertex::new(kind));
        match std::mem::replace(&mut self.at, Position::Block(v)) {
            Position::Block(b) => {
                self.graph.add_edge(b, v, FlowEdge::default());
            }
            Position::Pending(edges) => {
                for (from, e) in edges {
                    self.graph.add_edge(from, v, e);
                }
            }
            Position::Dead(last) => self.graph[v].follows = Some(last),
        }
        v
    }

    /// The open block, made if there is none.
    fn block(&mut self) -> VertexId {
        match self.at {
            Position::Block(b) => b,
            _ => self.attach(VertexKind::Block { scope: self.scope, stmts: Vec::new() }),
        }
    }

    /// True where no control flows to the present position (behind a jump).
    pub fn is_dead(&self) -> bool {
        matches!(self.at, Position::Dead(_))
    }

    /// Makes room for so many vertices.
    pub fn reserve_vertices(&mut self, vertices: usize) {
        self.graph.reserve_exact_nodes(vertices);
        // Where a branch ends, two edges meet.
        self.graph.reserve_exact_edges(vertices + vertices / 3);
    }

    /// Makes room for so many statements.
    pub fn reserve(&mut self, statements: usize) {
        let b = self.block();
        if let VertexKind::Block { stmts, .. } = &mut self.graph[b].kind {
            stmts.reserve_exact(statements);
        }
    }

    /// Adds a statement.
    pub fn stmt(&mut self, stmt: impl Into<Box<Stmt>>) {
        let b = self.block();
        if let VertexKind::Block { stmts, .. } = &mut self.graph[b].kind {
            stmts.push(stmt.into());
        }
    }

    /// The vertex made last, to set its text, comment, span or label.
    pub fn vertex_mut(&mut self, v: VertexId) -> &mut Vertex {
        &mut self.graph[v]
    }

    /// Opens a branch. Arms follow; a branch with a boolean condition has an arm for `[1]` and a default arm.
    pub fn begin_branch(&mut self, condition: Expr) -> VertexId {
        let vertex = self.attach(VertexKind::Branch(condition));
        self.constructs.push(Construct::Branch { vertex, ends: Vec::new(), has_default: false, open: false, breaks: Vec::new() });
        vertex
    }

    /// Opens an arm for these values; no value: the default arm (`else`). An arm that is still open ends at the branch's end.
    pub fn arm(&mut self, values: &[i64]) {
        self.end_arm();
        let Some(Construct::Branch { vertex, has_default, open, .. }) = self.constructs.last_mut() else { return };
        *open = true;
        let from = *vertex;
        if values.is_empty() {
            *has_default = true;
            self.at = Position::Pending(vec![(from, edge(None, None))]);
        } else {
            self.at = Position::Pending(values.iter().map(|&v| (from, edge(Some(v), None))).collect());
        }
    }

    /// The same for `switch`: the arm that is open runs on into this one.
    pub fn arm_falling_through(&mut self, values: &[i64], default: bool) {
        let mut into = Vec::new();
        match std::mem::replace(&mut self.at, Position::Pending(Vec::new())) {
            Position::Block(b) => into.push((b, edge(None, Some(Jump::FallThrough)))),
            Position::Pending(edges) => {
                self.at = Position::Pending(edges);
                let b = self.block();
                into.push((b, edge(None, Some(Jump::FallThrough))));
            }
            Position::Dead(_) => {}
        }
        let Some(Construct::Branch { vertex, has_default, open, .. }) = self.constructs.last_mut() else { return };
        *open = true;
        *has_default |= default;
        let from = *vertex;
        let mut edges: Vec<_> = values.iter().map(|&v| (from, edge(Some(v), None))).collect();
        if default {
            edges.push((from, edge(None, None)));
        }
        edges.extend(into);
        self.at = Position::Pending(edges);
    }

    /// Ends the open arm, if any: control goes on to the branch's end.
    pub fn end_arm(&mut self) {
        let Some(Construct::Branch { ends, open, .. }) = self.constructs.last_mut() else { return };
        if !std::mem::replace(open, false) {
            return;
        }
        match &mut self.at {
            Position::Block(b) => ends.push((*b, FlowEdge::default())),
            Position::Pending(edges) => ends.append(edges),
            Position::Dead(_) => {}
        }
    }

    /// Closes a branch. A missing default arm is an edge straight to the end.
    pub fn end_branch(&mut self) {
        self.end_arm();
        let Some(Construct::Branch { vertex, mut ends, has_default, breaks, .. }) = self.constructs.pop() else { return };
        if !has_default {
            ends.push((vertex, edge(None, None)));
        }
        ends.extend(breaks);
        if ends.is_empty() {
            self.at = Position::Dead(vertex);
            return;
        }
        self.at = Position::Pending(ends);
        let end = self.attach(VertexKind::EndBranch);
        self.at = Position::Pending(vec![(end, FlowEdge::default())]);
    }

    fn begin_loop(&mut self, kind: VertexKind) -> VertexId {
        let vertex = self.attach(kind);
        let end = self.graph.add_node(Vertex::new(VertexKind::EndLoop));
        self.constructs.push(Construct::Loop { vertex, end, breaks: Vec::new() });
        self.at = Position::Pending(vec![(vertex, edge(Some(1), None))]);
        vertex
    }

    /// Opens a `for` loop.
    pub fn begin_for(&mut self, head: ForLoop) -> VertexId {
        self.begin_loop(VertexKind::For(Box::new(head)))
    }

    /// Opens a loop that tests first.
    pub fn begin_while(&mut self, condition: Expr) -> VertexId {
        self.begin_loop(VertexKind::Pre(condition))
    }

    /// Opens a loop that tests last. The condition may be set at the end through [`GraphBuilder::vertex_mut`].
    pub fn begin_do_while(&mut self, condition: Expr) -> VertexId {
        self.begin_loop(VertexKind::Post(condition))
    }

    /// Closes a loop.
    pub fn end_loop(&mut self) {
        let Some(Construct::Loop { vertex, end, breaks }) = self.constructs.pop() else { return };
        match std::mem::replace(&mut self.at, Position::Dead(end)) {
            Position::Block(b) => {
                self.graph.add_edge(b, end, FlowEdge::default());
            }
            Position::Pending(edges) => {
                for (from, e) in edges {
                    self.graph.add_edge(from, end, e);
                }
            }
            Position::Dead(_) => {}
        }
        self.graph.add_edge(end, vertex, FlowEdge::default());
        let mut next = vec![(vertex, edge(None, None))];
        next.extend(breaks);
        self.at = Position::Pending(next);
    }

    fn nth_loop(&mut self, outward: usize) -> Option<&mut Construct> {
        self.constructs.iter_mut().rev().filter(|c| matches!(c, Construct::Loop { .. })).nth(outward)
    }

    /// How many loops are open.
    pub fn loop_depth(&self) -> usize {
        self.constructs.iter().filter(|c| matches!(c, Construct::Loop { .. })).count()
    }

    /// Leaves a loop: 0 is the innermost. Every jump starts in a block, which is made if none is open.
    pub fn jump_break(&mut self, outward: usize) {
        let b = self.block();
        if let Some(Construct::Loop { breaks, .. }) = self.nth_loop(outward) {
            breaks.push((b, edge(None, Some(Jump::Break))));
        }
        self.at = Position::Dead(b);
    }

    /// Leaves the innermost branch (`break` in a `switch`, EXIT from a named IF or SELECT): `outward` counts the open branches.
    pub fn jump_break_branch(&mut self, outward: usize) {
        let b = self.block();
        let branch = self.constructs.iter_mut().rev().filter(|c| matches!(c, Construct::Branch { .. })).nth(outward);
        if let Some(Construct::Branch { breaks, .. }) = branch {
            breaks.push((b, edge(None, Some(Jump::Break))));
        }
        self.at = Position::Dead(b);
    }

    /// On to the next iteration of a loop: 0 is the innermost.
    pub fn jump_continue(&mut self, outward: usize) {
        let b = self.block();
        if let Some(Construct::Loop { end, .. }) = self.nth_loop(outward) {
            let end = *end;
            self.graph.add_edge(b, end, edge(None, Some(Jump::Continue)));
        }
        self.at = Position::Dead(b);
    }

    /// Leaves the unit.
    pub fn jump_return(&mut self) {
        let b = self.block();
        self.returns.push(b);
        self.at = Position::Dead(b);
    }

    /// Goes to a label, which may come later.
    pub fn jump_goto(&mut self, label: impl Into<SmolStr>) {
        let b = self.block();
        self.gotos.push((b, label.into()));
        self.at = Position::Dead(b);
    }

    /// Puts a label here: what follows is a block of its own.
    pub fn label(&mut self, label: impl Into<SmolStr>) {
        let label = label.into();
        let v = self.attach(VertexKind::Block { scope: self.scope, stmts: Vec::new() });
        self.graph[v].label = label.as_str().into();
        if self.labels.insert(label.clone(), v).is_some() {
            self.duplicate_label = Some(label);
        }
    }

    /// Ends the unit.
    ///
    /// # Errors
    /// A `goto` whose label was never put, or a label put twice.
    pub fn finish(mut self) -> Result<Built, LabelError> {
        if let Some(l) = self.duplicate_label {
            return Err(LabelError(l));
        }
        // A return that the text ends with is no jump.
        let last = match self.at {
            Position::Dead(v) if self.returns.last() == Some(&v) => {
                self.returns.pop();
                self.at = Position::Block(v);
                Some(v)
            }
            _ => None,
        };
        let exit = self.attach(VertexKind::Exit);
        debug_assert!(last.is_none() || self.graph.find_edge(last.unwrap_or(exit), exit).is_some());
        let mut structured = self.graph.edge_weights().all(|e| e.jump.is_none());
        for v in std::mem::take(&mut self.returns) {
            structured = false;
            self.graph.add_edge(v, exit, edge(None, Some(Jump::Return)));
        }
        for (v, label) in std::mem::take(&mut self.gotos) {
            structured = false;
            let Some(&to) = self.labels.get(&label) else { return Err(LabelError(label)) };
            self.graph.add_edge(v, to, edge(None, Some(Jump::Goto)));
        }
        Ok(Built { graph: self.graph, structured })
    }
}

/// Adds a subroutine without arguments to a program, for tests.
#[cfg(test)]
pub(crate) fn subroutine(p: &mut crate::Program, file: ScopeId, name: &str, fill: &dyn Fn(&mut GraphBuilder)) {
    use crate::model::{Scope, Symbol, Unit};
    let name = p.add_symbol(Symbol::subroutine(name, file));
    let scope = p.add_scope(Scope { parent: Some(file), ..Scope::default() });
    let mut b = GraphBuilder::new(scope);
    fill(&mut b);
    let mut unit = Unit::new(name, scope);
    unit.graph = b.finish().unwrap().graph;
    p.add_unit(unit);
}
