//! Expressions and references.
//!
//! Lives here: a term graph as vertices and edges, root first, every edge behind both its ends. Never here: where an expression stands.

use super::xml::digits;
use super::{Writer, spelled};
use crate::model::*;
use crate::vocabulary::{Words, fe_bits};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

/// What the walk over a term graph comes to.
enum Step {
    Vertex(usize),
    /// Operator and which of its operands.
    Edge(usize, usize),
}

/// A walk over a term graph, kept for the room it takes.
#[derive(Default)]
pub(super) struct Scratch {
    steps: Vec<Step>,
    met: Vec<bool>,
    stack: Vec<(usize, usize)>,
    /// Running numbers of vertices by position in the expression.
    numbers: Vec<u32>,
    /// Their ids, where the file had some.
    vertices: Vec<SmolStr>,
    /// Ids of edges in the order of the steps, where the file had some.
    edges: Vec<SmolStr>,
}

/// Vertices when they are met first, edges when their operand is done.
fn walk(expr: &Expr, scratch: &mut Scratch) {
    let Scratch { steps, met, stack, .. } = scratch;
    let n = expr.nodes.len();
    steps.clear();
    stack.clear();
    met.clear();
    met.resize(n, false);
    let Some(root) = n.checked_sub(1) else { return };
    stack.push((root, 0));
    met[root] = true;
    steps.push(Step::Vertex(root));
    while let Some((v, at)) = stack.pop() {
        let node = &expr.nodes[v];
        if matches!(node.kind, NodeKind::FunctionCall(_)) {
            continue;
        }
        let Some(operand) = node.operands.get(at).map(|o| o.index()) else { continue };
        stack.push((v, at + 1));
        // Operands stand before their operator; anything else would be no term graph.
        if operand >= v {
            continue;
        }
        if met[operand] {
            steps.push(Step::Edge(v, at));
            continue;
        }
        met[operand] = true;
        steps.push(Step::Vertex(operand));
        // Come back for the edge when the operand is done.
        if let Some(top) = stack.last_mut() {
            top.1 = at;
        }
        stack.push((operand, 0));
    }
}

impl Writer<'_> {
    /// The content of an element that holds an expression.
    pub(super) fn expression(&mut self, expr: &Expr) {
        if let [only] = &expr.nodes[..] {
            let id = only.origin.as_ref().map(|o| o.vertex_id.clone()).filter(|id| !id.is_empty());
            self.vertex(expr, 0, &id.unwrap_or(SmolStr::new_static("1")));
            return;
        }
        // Subscripts are expressions inside expressions, so there may be several walks at a time.
        let mut scratch = self.scratch.pop().unwrap_or_default();
        walk(expr, &mut scratch);
        let operand = |operator: usize, at: usize| expr.nodes[operator].operands.get(at).map_or(0, |o| o.index());
        if expr.nodes.iter().any(|n| n.origin.is_some()) {
            number(expr, &mut scratch);
            let Scratch { steps, vertices, edges, .. } = &scratch;
            let mut edge = edges.iter();
            for step in steps {
                match *step {
                    Step::Vertex(v) => self.vertex(expr, v, &vertices[v]),
                    Step::Edge(operator, at) => {
                        let id = edge.next().map_or("", |id| id);
                        self.edge([id, &vertices[operand(operator, at)], &vertices[operator]], at);
                    }
                }
            }
        } else {
            let Scratch { steps, numbers, .. } = &mut scratch;
            numbers.clear();
            numbers.resize(expr.nodes.len(), 0);
            let (mut vertex, mut edge) = (0, 0);
            for step in &*steps {
                match *step {
                    Step::Vertex(v) => {
                        vertex += 1;
                        numbers[v] = vertex;
                        self.vertex(expr, v, digits(vertex, &mut [0; 10]));
                    }
                    Step::Edge(operator, at) => {
                        edge += 1;
                        let mut room = [[0; 10]; 3];
                        let [a, b, c] = &mut room;
                        let ids = [digits(edge, a), digits(numbers[operand(operator, at)], b), digits(numbers[operator], c)];
                        self.edge(ids, at);
                    }
                }
            }
        }
        self.scratch.push(scratch);
    }

    /// The edge of the operand at a position, by its id and those of its ends.
    fn edge(&mut self, [id, source, target]: [&str; 3], at: usize) {
        self.out.open("xaif:ExpressionEdge");
        self.out.attr("edge_id", id);
        self.out.attr("source", source);
        self.out.attr("target", target);
        self.out.count("position", at as u32 + 1);
        self.out.close();
    }

    fn vertex(&mut self, expr: &Expr, v: usize, id: &str) {
        let node = &expr.nodes[v];
        let none = NodeOrigin::default();
        let origin = node.origin.as_deref().unwrap_or(&none);
        match &node.kind {
            NodeKind::Var(r) => {
                self.reference("xaif:VariableReference", r, Some(id), &origin.annotation);
                return;
            }
            NodeKind::Const(c) => {
                self.constant(id, c, origin);
                return;
            }
            NodeKind::Op(op) => {
                self.out.open("xaif:Intrinsic");
                self.out.attr("vertex_id", id);
                if !origin.annotation.is_empty() {
                    self.out.attr("annotation", &origin.annotation);
                }
                self.out.attr("name", &op.name);
                let mut hints = origin.extras.clone();
                if let Some(ty) = op.ty {
                    self.out.attr("rType", ty.base.word());
                    if self.ob {
                        self.out.number("ob:bits", ty.bits);
                    }
                    if let Some(list) = &mut hints.0 {
                        list.retain(|(k, _)| k != "rType");
                    }
                }
                self.out.ob_text("ob:spelling", &op.spelling);
                self.extras(&hints);
            }
            NodeKind::Bool(op) => {
                self.out.open("xaif:BooleanOperation");
                self.out.attr("vertex_id", id);
                if !origin.annotation.is_empty() {
                    self.out.attr("annotation", &origin.annotation);
                }
                self.out.attr("name", op.name());
                self.extras(&origin.extras);
            }
            NodeKind::FunctionCall(symbol) => {
                self.out.open("xaif:FunctionCall");
                self.out.attr("vertex_id", id);
                if !origin.annotation.is_empty() {
                    self.out.attr("annotation", &origin.annotation);
                }
                self.symbol_attrs(*symbol);
                self.extras(&origin.extras);
                for o in &node.operands {
                    if let Some(NodeKind::Var(r)) = expr.nodes.get(o.index()).map(|n| &n.kind) {
                        self.lone_reference("xaif:Argument", r);
                    }
                }
            }
        }
        self.out.close();
    }

    /// A constant with its id.
    pub(super) fn constant(&mut self, id: &str, c: &Constant, origin: &NodeOrigin) {
        self.out.open("xaif:Constant");
        self.out.attr("vertex_id", id);
        if !origin.annotation.is_empty() {
            self.out.attr("annotation", &origin.annotation);
        }
        let stock = matches!(c.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool | BaseType::Char | BaseType::String);
        let double = spelled(&origin.extras, "type").filter(|t| *t == "double" && c.ty.base == BaseType::Real);
        self.out.attr("type", double.unwrap_or(if stock { c.ty.base.word() } else { "string" }));
        if !c.fe_type.is_empty() || !self.ob {
            self.fe_type(c.ty, &c.fe_type);
        }
        self.out.attr("value", &c.value);
        if self.ob {
            if !stock {
                self.out.attr("ob:type", c.ty.base.word());
            }
            let implied = if double.is_some() { 64 } else { fe_bits(&c.fe_type) };
            if c.ty.bits != implied {
                self.out.number("ob:bits", c.ty.bits);
            }
            self.out.ob_text("ob:spelling", &c.spelling);
        }
        self.extras(&origin.extras);
        self.out.close();
    }

    /// A reference that stands alone.
    pub(super) fn lone_reference(&mut self, element: &'static str, r: &VarRef) {
        let (id, annotation) = r.origin.as_ref().map_or(("", ""), |o| (&*o.vertex_id, &*o.annotation));
        let numbered = matches!(element, "xaif:VariableReference" | "xaif:SideEffectReference");
        let id = if id.is_empty() && numbered { "1" } else { id };
        self.reference(element, r, (!id.is_empty()).then_some(id), annotation);
    }

    /// An element of the VariableReference type.
    pub(super) fn reference(&mut self, element: &'static str, r: &VarRef, id: Option<&str>, annotation: &str) {
        let none = RefOrigin::default();
        let origin = r.origin.as_deref().unwrap_or(&none);
        self.out.open(element);
        if let Some(id) = id {
            self.out.attr("vertex_id", id);
        }
        if !annotation.is_empty() {
            self.out.attr("annotation", annotation);
        }
        self.tri(r.active, &origin.extras);
        if r.deriv || r.active != Tri::Undefined || spelled(&origin.extras, "deriv").is_some() {
            self.flag("deriv", r.deriv, false, &origin.extras);
        }
        if r.constant || r.active != Tri::Undefined || spelled(&origin.extras, "constant").is_some() {
            self.flag("constant", r.constant, false, &origin.extras);
        }
        if element == "xaif:AssignmentLHS" && (!r.live || spelled(&origin.extras, "live").is_some()) {
            self.flag("live", r.live, true, &origin.extras);
        }
        for (name, key) in [("du_ud", r.du_ud()), ("alias", r.alias())] {
            if key > 0 || !self.ob {
                self.out.number(name, key);
            }
        }
        self.extras(&origin.extras);
        let symbol_vertex = if origin.symbol_vertex.is_empty() { "1" } else { &origin.symbol_vertex };
        self.out.open("xaif:SymbolReference");
        // The schema's default, and half of what a document consists of are references.
        if !self.ob || symbol_vertex != "1" {
            self.out.attr("vertex_id", symbol_vertex);
        }
        self.symbol_attrs(r.symbol);
        if !origin.symbol_annotation.is_empty() {
            self.out.attr("annotation", &origin.symbol_annotation);
        }
        for (name, value) in &origin.properties {
            self.out.open("xaif:SymbolReferenceProperty");
            self.out.attr("name", name);
            self.out.attr("value", value);
            self.out.close();
        }
        self.out.close();
        if !r.subscripts.is_empty() {
            self.subscripts(r, origin, symbol_vertex);
        }
        self.out.close();
    }

    fn subscripts(&mut self, r: &VarRef, origin: &RefOrigin, symbol_vertex: &str) {
        let free = if symbol_vertex == "2" { "1" } else { "2" };
        let array_vertex = if origin.array_vertex.is_empty() || origin.array_vertex == symbol_vertex { free } else { &origin.array_vertex };
        self.out.open("xaif:ArrayElementReference");
        self.out.attr("vertex_id", array_vertex);
        for t in &r.subscripts {
            self.out.open("xaif:IndexTriplet");
            for (element, part) in [("xaif:Index", &t.index), ("xaif:Bound", &t.bound), ("xaif:Stride", &t.stride)] {
                if let Some(e) = part {
                    self.out.open(element);
                    self.expression(e);
                    self.out.close();
                }
            }
            self.out.close();
        }
        self.out.close();
        self.out.open("xaif:VariableReferenceEdge");
        self.out.attr("edge_id", if origin.edge_id.is_empty() { "1" } else { &origin.edge_id });
        self.out.attr("source", symbol_vertex);
        self.out.attr("target", array_vertex);
        self.out.close();
    }

    /// `active` of a reference or a call.
    pub(super) fn tri(&mut self, active: Tri, extras: &Extras) {
        let kept = spelled(extras, "active").filter(|s| matches!((*s, active), ("1", Tri::True) | ("0", Tri::False)));
        match kept {
            Some(s) => self.out.attr("active", s),
            None if active != Tri::Undefined => self.out.attr("active", active.word()),
            None => {}
        }
    }
}

/// Ids of vertices and edges of an expression of which the file had some: those where they are distinct, else running numbers.
fn number(expr: &Expr, scratch: &mut Scratch) {
    let Scratch { steps, vertices, edges, .. } = scratch;
    vertices.clear();
    vertices.resize(expr.nodes.len(), SmolStr::default());
    for kept in [true, false] {
        let mut next = 1u32;
        edges.clear();
        for step in steps.iter() {
            match *step {
                Step::Vertex(v) => {
                    let own = expr.nodes[v].origin.as_ref().map(|o| &o.vertex_id).filter(|id| kept && !id.is_empty());
                    vertices[v] = own.cloned().unwrap_or_else(|| running(next));
                    next += 1;
                }
                Step::Edge(operator, at) => {
                    let origin = expr.nodes[operator].origin.as_ref();
                    let own = origin.and_then(|o| o.edge_ids.get(at)).filter(|id| kept && !id.is_empty());
                    edges.push(own.cloned().unwrap_or_else(|| running(edges.len() as u32 + 1)));
                }
            }
        }
        let met = steps.iter().filter_map(|s| if let Step::Vertex(v) = s { Some(&vertices[*v]) } else { None });
        if !kept || (all_differ(met) && all_differ(edges.iter())) {
            break;
        }
    }
}

fn running(number: u32) -> SmolStr {
    SmolStr::new(digits(number, &mut [0; 10]))
}

fn all_differ<'s>(mut ids: impl Iterator<Item = &'s SmolStr>) -> bool {
    let mut seen = FxHashSet::default();
    ids.all(|id| seen.insert(id.as_str()))
}
