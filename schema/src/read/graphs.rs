//! Control-flow graphs: the vertices and edges of a ControlFlowGraph or a Replacement.
//!
//! Lives here: one graph from its elements, in whatever order they stand. Never here: whether loops and branches nest.

use super::ids::Ids;
use super::reader::Reader;
use super::syntax::shown;
use super::xml::{Fallible, Ns, Tag, keep_spelling};
use crate::model::*;
use crate::vocabulary::ELEMENT;
use arcstr::literal;
use smol_str::SmolStr;
use std::borrow::Cow;
use std::collections::HashMap;

/// A graph while it is read.
#[derive(Default)]
pub(super) struct RawGraph<'a> {
    graph: FlowGraph,
    ids: HashMap<SmolStr, VertexId>,
    edges: Vec<RawEdge<'a>>,
    /// Edges that come before these, where they have been read in parts.
    earlier: Vec<Vec<RawEdge<'a>>>,
    edge_ids: Ids,
    follows: Vec<(VertexId, Cow<'a, str>, Tag<'a>)>,
    statements: Ids,
    /// The ids of statements may repeat: generated graphs of a Replacement.
    pub generated: bool,
}

/// An edge with the ids of its ends.
type RawEdge<'a> = (FlowEdge, Cow<'a, str>, Cow<'a, str>, Tag<'a>);

impl<'a> RawGraph<'a> {
    /// Adds what stands behind; false if an id is in both.
    fn join(&mut self, other: RawGraph<'a>) -> bool {
        let base = self.graph.node_count();
        let mut nodes = other.graph;
        let mut distinct = self.statements.join(other.statements) & self.edge_ids.join(other.edge_ids);
        for v in nodes.node_weights_mut() {
            let v = std::mem::replace(v, Vertex::new(VertexKind::Entry));
            let id = SmolStr::new(&v.id);
            let handle = self.graph.add_node(v);
            distinct &= self.ids.insert(id, handle).is_none();
        }
        self.earlier.push(std::mem::replace(&mut self.edges, other.edges));
        self.earlier.extend(other.earlier);
        self.follows.extend(other.follows.into_iter().map(|(v, id, tag)| (VertexId::new(base + v.index()), id, tag)));
        distinct
    }
}

impl<'a> Reader<'a> {
    /// Reads parts of a large graph at the same time.
    pub(super) fn flow_ahead(&mut self, parent: &Tag<'a>, graph: &mut RawGraph<'a>) -> Fallible<()> {
        if graph.graph.node_count() == 0 {
            return Ok(());
        }
        let starts = ["BasicBlock", "ControlFlowEdge", "ForLoop", "PreLoop", "PostLoop", "Branch", "If", "EndLoop", "EndBranch"];
        let generated = graph.generated;
        let rows = self.rows(parent, &starts, true, |r| {
            let mut part = RawGraph { generated, ..RawGraph::default() };
            while let Some(child) = r.x.child()? {
                if !r.flow_part(&child, &mut part)? {
                    return r.give_up();
                }
            }
            Ok(part)
        })?;
        let vertices = rows.iter().map(|r| r.graph.node_count()).sum();
        graph.graph.reserve_exact_nodes(vertices);
        graph.ids.reserve(vertices);
        for part in rows {
            if !graph.join(part) {
                return self.give_up();
            }
        }
        Ok(())
    }

    /// Reads parts of a large block at the same time.
    fn statements_ahead(&mut self, parent: &Tag<'a>, graph: &mut RawGraph<'a>, stmts: &mut Stmts) -> Fallible<()> {
        let starts = ["Assignment", "SubroutineCall", "InlinableSubroutineCall", "Marker", "DerivativePropagator"];
        let generated = graph.generated;
        let rows = self.rows(parent, &starts, true, |r| {
            let mut part = RawGraph { generated, ..RawGraph::default() };
            let mut list = Vec::new();
            r.statements(&mut part, &mut list)?;
            Ok((part.statements, list))
        })?;
        stmts.reserve(rows.iter().map(|(_, list)| list.len()).sum());
        for (ids, mut list) in rows {
            if !graph.statements.join(ids) {
                return self.give_up();
            }
            stmts.append(&mut list);
        }
        Ok(())
    }

    /// Takes a child element if it is a vertex or an edge of a control-flow graph.
    pub(super) fn flow_part(&mut self, tag: &Tag<'a>, graph: &mut RawGraph<'a>) -> Fallible<bool> {
        if tag.ns != Ns::Xaif {
            return Ok(false);
        }
        if tag.local == "ControlFlowEdge" {
            self.flow_edge(tag, graph)?;
            return Ok(true);
        }
        let known = matches!(
            tag.local,
            "Entry"
                | "Exit"
                | "BasicBlock"
                | "ForLoop"
                | "PreLoop"
                | "PostLoop"
                | "EndLoop"
                | "Branch"
                | "If"
                | "EndBranch"
                | "Goto"
                | "Label"
        );
        if known {
            self.flow_vertex(tag, graph)?;
        }
        Ok(known)
    }

    fn flow_vertex(&mut self, tag: &Tag<'a>, graph: &mut RawGraph<'a>) -> Fallible<()> {
        let mut v = Vertex::new(VertexKind::Entry);
        v.id = self.x.get("vertex_id").map_or(literal!("1"), |id| (*id).into());
        v.annotation = self.x.shared("annotation");
        v.span = self.place(tag)?;
        v.label = self.x.ob_shared("label");
        v.comment = self.x.ob_shared("comment");
        v.text = self.x.ob_shared("text");
        if let Some(line) = self.x.ob_number(tag, "line")? {
            v.line = line;
        }
        let follows = self.x.ob("follows");
        if matches!(tag.local, "ForLoop" | "PreLoop" | "PostLoop" | "Branch" | "If") {
            v.line = self.x.number(tag, "lineNumber", v.line)?;
        }
        if matches!(tag.local, "ForLoop" | "PreLoop" | "PostLoop") {
            v.checkpoint = self.checkpoint(tag)?;
        }
        v.kind = match tag.local {
            "BasicBlock" => {
                let scope = self.x.required(tag, "scope_id")?;
                let scope = self.scope(tag, &scope)?;
                self.x.rest(tag, &mut v.extras)?;
                VertexKind::Block { scope, stmts: self.block(tag, graph)? }
            }
            "ForLoop" => {
                let reversal = self.x.get("reversal");
                let explicit = match reversal.as_deref() {
                    None | Some("anonymous") => false,
                    Some("explicit") => true,
                    Some(other) => {
                        self.x.bad_value(tag, "reversal", other, "explicit or anonymous")?;
                        false
                    }
                };
                let counted = self.x.ob_flag(tag, "counted")?;
                v.parallel = self.x.ob_flag(tag, "parallel")?;
                self.x.rest(tag, &mut v.extras)?;
                self.for_loop(tag, explicit, counted, graph)?
            }
            "PreLoop" | "PostLoop" | "Branch" | "If" => {
                self.x.rest(tag, &mut v.extras)?;
                if tag.local == "If" {
                    v.extras.0.get_or_insert_default().push((SmolStr::new_static(ELEMENT), SmolStr::new_static("If")));
                }
                let condition = self.condition(tag)?;
                match tag.local {
                    "PreLoop" => VertexKind::Pre(condition),
                    "PostLoop" => VertexKind::Post(condition),
                    _ => VertexKind::Branch(condition),
                }
            }
            _ => {
                self.x.rest(tag, &mut v.extras)?;
                self.x.leaf()?;
                match tag.local {
                    "Entry" => VertexKind::Entry,
                    "Exit" => VertexKind::Exit,
                    "EndLoop" => VertexKind::EndLoop,
                    "EndBranch" => VertexKind::EndBranch,
                    "Goto" => VertexKind::Goto,
                    _ => VertexKind::Label,
                }
            }
        };
        let id = SmolStr::new(&v.id);
        let handle = graph.graph.add_node(v);
        if let Some(f) = follows {
            graph.follows.push((handle, f, *tag));
        }
        if graph.ids.insert(id.clone(), handle).is_some() {
            self.x.error(tag, "OB1025", format!("a second vertex {} in one graph", shown(&id)))?;
        }
        Ok(())
    }

    /// How a loop is reversed from snapshots, where that is asked for.
    fn checkpoint(&mut self, tag: &Tag<'a>) -> Fallible<Option<Snapshots>> {
        match self.x.ob("checkpoint") {
            None => Ok(None),
            Some(text) => match text.parse() {
                Ok(snapshots) => Ok(Some(snapshots)),
                Err(_) => {
                    self.x.bad_value(
                        tag,
                        "ob:checkpoint",
                        &text,
                        "a number of snapshots or memory:BYTES, perhaps with ,every:ITERATIONS",
                    )?;
                    Ok(None)
                }
            },
        }
    }

    fn block(&mut self, tag: &Tag<'a>, graph: &mut RawGraph<'a>) -> Fallible<Stmts> {
        let mut stmts = Vec::new();
        self.statements_ahead(tag, graph, &mut stmts)?;
        self.statements(graph, &mut stmts)?;
        // There may be many blocks of one statement, for which lists make room for more.
        if stmts.len() < 4 {
            stmts.shrink_to_fit();
        }
        Ok(stmts)
    }

    fn statements(&mut self, graph: &mut RawGraph<'a>, stmts: &mut Stmts) -> Fallible<()> {
        while let Some(child) = self.x.child()? {
            match self.statement(&child)? {
                Some(stmt) => {
                    // The ids of generated calls are not unique, even in files of the stock tools.
                    let named = !matches!(stmt.kind, StmtKind::Runtime { .. } | StmtKind::Propagator(_));
                    if named {
                        self.statement_id(&child, &stmt.id, graph)?;
                    }
                    stmts.push(Box::new(stmt));
                }
                None => self.x.foreign(&child)?,
            }
        }
        Ok(())
    }

    /// The schema check calls it an error; to the program it does not matter.
    fn statement_id(&mut self, tag: &Tag<'a>, id: &str, graph: &mut RawGraph<'a>) -> Fallible<()> {
        if graph.generated || graph.statements.insert(id) {
            return Ok(());
        }
        let message = format!("a second statement {} in one unit", shown(id));
        self.x.problem(tag, crate::Diagnostic::warning("OB1026", message))
    }

    fn for_loop(&mut self, tag: &Tag<'a>, explicit: bool, counted: bool, graph: &mut RawGraph<'a>) -> Fallible<VertexKind> {
        let (mut init, mut condition, mut update) = (None, None, None);
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Xaif, "Initialization" | "Update") => {
                    let stmt = self.assignment(&child)?;
                    self.statement_id(&child, &stmt.id, graph)?;
                    let slot = if child.local == "Update" { &mut update } else { &mut init };
                    if slot.replace(stmt).is_some() {
                        self.x.error(&child, "OB1016", format!("a second {} in one loop", shown(child.name)))?;
                    }
                }
                (Ns::Xaif, "Condition") if condition.is_none() => {
                    self.x.no_rest(&child)?;
                    condition = Some(self.expression(&child)?.unwrap_or_else(|| Expr::bool(false)));
                }
                _ => self.x.foreign(&child)?,
            }
        }
        let (Some(init), Some(condition), Some(update)) = (init, condition, update) else {
            let message = format!("{} needs an initialization, a condition and an update", shown(tag.name));
            self.x.error(tag, "OB1015", message)?;
            return Ok(VertexKind::Pre(Expr::bool(false)));
        };
        let mut head = ForLoop { explicit, init, condition, update, counted };
        if self.program.dialect == Dialect::Openad
            && let Some(meant) = crate::stock_loops::meant(&head)
        {
            head.condition = meant;
        }
        Ok(VertexKind::For(Box::new(head)))
    }

    fn condition(&mut self, tag: &Tag<'a>) -> Fallible<Expr> {
        let mut condition = None;
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Xaif, "Condition") if condition.is_none() => {
                    self.x.no_rest(&child)?;
                    condition = Some(self.expression(&child)?.unwrap_or_else(|| Expr::bool(false)));
                }
                _ => self.x.foreign(&child)?,
            }
        }
        if condition.is_none() {
            self.x.error(tag, "OB1015", format!("{} needs a condition", shown(tag.name)))?;
        }
        Ok(condition.unwrap_or_else(|| Expr::bool(false)))
    }

    fn flow_edge(&mut self, tag: &Tag<'a>, graph: &mut RawGraph<'a>) -> Fallible<()> {
        let mut edge = FlowEdge { id: (*self.x.required(tag, "edge_id")?).into(), ..FlowEdge::default() };
        let source = self.x.required(tag, "source")?;
        let target = self.x.required(tag, "target")?;
        edge.annotation = self.x.shared("annotation");
        edge.jump = self.x.ob_word(tag, "jump")?;
        let spelled = self.x.get("has_condition_value");
        let has_value = match spelled.as_deref().map(str::trim) {
            None | Some("false") => false,
            Some("true") => true,
            Some(other @ ("0" | "1")) => {
                keep_spelling(&mut edge.extras, "has_condition_value", other);
                other == "1"
            }
            Some(other) => {
                self.x.bad_value(tag, "has_condition_value", other, "true, false, 1 or 0")?;
                false
            }
        };
        if has_value {
            edge.value = Some(self.x.number(tag, "condition_value", 1)?);
        } else if let Some(v) = self.x.get("condition_value") {
            keep_spelling(&mut edge.extras, "condition_value", &v);
        }
        self.x.rest(tag, &mut edge.extras)?;
        self.x.leaf()?;
        // Nothing refers to edges, and the stock schema does not look at their ids.
        if !graph.edge_ids.insert(&edge.id) {
            let message = format!("a second edge {} in one graph", shown(&edge.id));
            self.x.problem(tag, crate::Diagnostic::warning("OB1026", message))?;
        }
        graph.edges.push((edge, source, target, *tag));
        Ok(())
    }

    /// The graph, with its edges in place.
    pub(super) fn flow_graph(&mut self, raw: RawGraph<'a>) -> Fallible<FlowGraph> {
        let RawGraph { mut graph, ids, edges, earlier, follows, .. } = raw;
        graph.reserve_exact_edges(edges.len() + earlier.iter().map(Vec::len).sum::<usize>());
        for (edge, source, target, tag) in earlier.into_iter().flatten().chain(edges) {
            let (s, t) = (ids.get(&*source).copied(), ids.get(&*target).copied());
            match (s, t) {
                (Some(s), Some(t)) => {
                    graph.add_edge(s, t, edge);
                }
                _ => {
                    let missing = if s.is_none() { source } else { target };
                    self.x.error(&tag, "OB1023", format!("the edge names vertex {}, which its graph does not have", shown(&missing)))?;
                }
            }
        }
        for (v, followed, tag) in follows {
            match ids.get(&*followed) {
                Some(&f) => graph[v].follows = Some(f),
                None => self.x.error(&tag, "OB1023", format!("there is no vertex {} to follow", shown(&followed)))?,
            }
        }
        Ok(graph)
    }
}
