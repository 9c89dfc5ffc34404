//! Expressions: the content of AssignmentRHS, Condition, Index, Bound, Stride, A and of arguments.
//!
//! Lives here: a term graph from its vertices and edges, in whatever order they stand, to operands-first order. Never here: what the
//! operators mean.

use super::reader::Reader;
use super::references::Referred;
use super::syntax::shown;
use super::xml::{Fallible, Ns, Tag};
use crate::model::*;
use crate::vocabulary::{Words, fe_bits};
use smallvec::{SmallVec, smallvec};
use smol_str::SmolStr;
use std::borrow::Cow;
use std::collections::HashMap;

/// A vertex as it stands in the file.
pub(super) struct RawVertex<'a> {
    id: SmolStr,
    kind: NodeKind,
    annotation: SmolStr,
    extras: Extras,
    /// Operands that stand inside the vertex (the arguments of a FunctionCall).
    inner: Vec<VarRef>,
    tag: Tag<'a>,
}

/// An edge as it stands in the file.
pub(super) struct RawEdge<'a> {
    id: SmolStr,
    source: Cow<'a, str>,
    target: Cow<'a, str>,
    position: u32,
    tag: Tag<'a>,
}

const NO_TAG: Tag<'static> = Tag { ns: Ns::None, local: "", name: "", start: 0, end: 0 };

impl<'a> Reader<'a> {
    /// The expression that is the content of the open element; `None` if it is malformed, which was noted.
    pub(super) fn expression(&mut self, parent: &Tag<'a>) -> Fallible<Option<Expr>> {
        let (first_vertex, first_edge) = (self.vertices.len(), self.edges.len());
        while let Some(tag) = self.x.child()? {
            if !self.expression_part(&tag)? {
                self.x.foreign(&tag)?;
            }
        }
        self.assemble(parent, first_vertex, first_edge)
    }

    /// Takes a child element if it is a vertex or an edge of an expression.
    pub(super) fn expression_part(&mut self, tag: &Tag<'a>) -> Fallible<bool> {
        if tag.ns != Ns::Xaif {
            return Ok(false);
        }
        match tag.local {
            "VariableReference" => {
                let Referred { reference, vertex_id, annotation } = self.reference(tag)?;
                self.vertices.push(RawVertex {
                    id: vertex_id,
                    kind: NodeKind::Var(reference),
                    annotation,
                    extras: Extras::default(),
                    inner: Vec::new(),
                    tag: *tag,
                });
            }
            "ExpressionEdge" => {
                let id = SmolStr::new(self.x.required(tag, "edge_id")?);
                let source = self.x.required(tag, "source")?;
                let target = self.x.required(tag, "target")?;
                let position = self.x.required_number(tag, "position", 1u32)?;
                self.x.no_rest(tag)?;
                self.x.leaf()?;
                self.edges.push(RawEdge { id, source, target, position, tag: *tag });
            }
            "Constant" | "Intrinsic" | "BooleanOperation" | "FunctionCall" => {
                let id = self.x.name("vertex_id");
                let annotation = self.x.name("annotation");
                let mut extras = Extras::default();
                let mut inner = Vec::new();
                let kind = match tag.local {
                    "Constant" => self.constant(tag, &mut extras)?,
                    "Intrinsic" => self.intrinsic(tag, &mut extras)?,
                    "BooleanOperation" => self.boolean(tag)?,
                    _ => NodeKind::FunctionCall(self.symbol_of(tag)?),
                };
                self.x.rest(tag, &mut extras)?;
                while let Some(child) = self.x.child()? {
                    if tag.local == "FunctionCall" && child.ns == Ns::Xaif && child.local == "Argument" {
                        inner.push(self.lone_reference(&child)?);
                    } else {
                        self.x.foreign(&child)?;
                    }
                }
                self.vertices.push(RawVertex { id, kind, annotation, extras, inner, tag: *tag });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn constant(&mut self, tag: &Tag<'a>, extras: &mut Extras) -> Fallible<NodeKind> {
        let fe_type = self.x.name("feType");
        let word = self.x.required(tag, "type")?;
        let mut ty = ElemType { base: BaseType::Real, bits: fe_bits(&fe_type) };
        match (BaseType::of(&word), &*word) {
            (Some(base), _) => ty.base = base,
            (None, "double") => {
                ty.bits = 64;
                super::xml::keep_spelling(extras, "type", &word);
            }
            (None, "") => {}
            (None, _) => self.x.bad_value(tag, "type", &word, "a type of constants")?,
        }
        if let Some(base) = self.x.ob_word::<BaseType>(tag, "type")? {
            ty.base = base;
        }
        if let Some(bits) = self.x.ob_number(tag, "bits")? {
            ty.bits = bits;
        }
        let value = SmolStr::new(self.x.required(tag, "value")?);
        let spelling = SmolStr::new(self.x.ob_text("spelling"));
        Ok(NodeKind::Const(std::sync::Arc::new(Constant { ty, fe_type, value, spelling })))
    }

    fn intrinsic(&mut self, tag: &Tag<'a>, extras: &mut Extras) -> Fallible<NodeKind> {
        let name = SmolStr::new(self.x.required(tag, "name")?);
        let spelling = SmolStr::new(self.x.ob_text("spelling"));
        let stated = self.x.get("rType");
        let bits = self.x.ob_number(tag, "bits")?;
        let base = match &stated {
            Some(word) => match BaseType::of(word) {
                Some(base) => Some(base),
                None => {
                    self.x.bad_value(tag, "rType", word, "a type")?;
                    None
                }
            },
            None => None,
        };
        let known = crate::catalogue::Catalogue::builtin().get(&name).is_some();
        // A stock file states the type as a hint; it is needed where nothing else tells it.
        let ty = match (bits, base) {
            (Some(bits), base) => Some(ElemType { base: base.unwrap_or_default(), bits }),
            (None, Some(base)) if !known => Some(ElemType { base, bits: 0 }),
            _ => None,
        };
        let keep = &mut extras.0;
        if let (None, Some(word)) = (ty, &stated) {
            keep.get_or_insert_default().push((SmolStr::new_static("rType"), SmolStr::new(word)));
        }
        for hint in ["rShape", "type"] {
            if let Some(v) = self.x.get(hint) {
                keep.get_or_insert_default().push((SmolStr::new_static(hint), SmolStr::new(v)));
            }
        }
        Ok(NodeKind::Op(Operation { name, ty, spelling }.into()))
    }

    fn boolean(&mut self, tag: &Tag<'a>) -> Fallible<NodeKind> {
        let name = self.x.required(tag, "name")?;
        match BoolOp::from_name(&name) {
            Some(op) => Ok(NodeKind::Bool(op)),
            None => {
                if !name.is_empty() {
                    self.x.bad_value(tag, "name", &name, "a relation or a connective")?;
                }
                Ok(NodeKind::Bool(BoolOp::Equal))
            }
        }
    }

    /// The expression of all vertices and edges from these positions on.
    pub(super) fn assemble(&mut self, parent: &Tag<'a>, first_vertex: usize, first_edge: usize) -> Fallible<Option<Expr>> {
        if self.vertices.len() == first_vertex + 1 && self.edges.len() == first_edge {
            let v = self.vertices.pop();
            return Ok(v.map(single));
        }
        let vertices: Vec<RawVertex> = self.vertices.drain(first_vertex..).collect();
        let edges: Vec<RawEdge> = self.edges.drain(first_edge..).collect();
        if vertices.is_empty() {
            self.x.error(parent, "OB1033", format!("{} has no expression", shown(parent.name)))?;
            return Ok(None);
        }
        let Some(graph) = self.graph(&vertices, &edges)? else { return Ok(None) };
        self.ordered(vertices, &edges, graph)
    }

    /// Operands of each vertex by position, and the root.
    fn graph(&mut self, vertices: &[RawVertex<'a>], edges: &[RawEdge<'a>]) -> Fallible<Option<Graph>> {
        let mut sound = true;
        let index = Index::new(vertices);
        if let Index::Map(map) = &index
            && map.len() == vertices.len()
        {
            // All ids differ.
        } else {
            for (i, v) in vertices.iter().enumerate() {
                if index.first(vertices, or_one(&v.id)) != Some(i) {
                    self.x.error(&v.tag, "OB1025", format!("a second vertex {} in one expression", shown(or_one(&v.id))))?;
                    sound = false;
                }
            }
        }
        let mut operands: SmallVec<[Operands; MOST]> = vertices.iter().map(|_| SmallVec::new()).collect();
        let mut has_parent: SmallVec<[bool; MOST]> = smallvec![false; vertices.len()];
        for (i, e) in edges.iter().enumerate() {
            let mut end = |id: &str| -> Fallible<Option<usize>> {
                let found = index.first(vertices, id);
                if found.is_none() {
                    self.x.error(&e.tag, "OB1023", format!("the edge names vertex {}, which its expression does not have", shown(id)))?;
                }
                Ok(found)
            };
            let (source, target) = (end(&e.source)?, end(&e.target)?);
            match (source, target) {
                (Some(s), Some(t)) => {
                    operands[t].push((e.position, s, i));
                    has_parent[s] = true;
                }
                _ => sound = false,
            }
        }
        for (v, list) in vertices.iter().zip(&mut operands) {
            list.sort_unstable();
            let leaf = matches!(v.kind, NodeKind::Var(_) | NodeKind::Const(_) | NodeKind::FunctionCall(_));
            if leaf && !list.is_empty() {
                self.x.error(&v.tag, "OB1034", format!("{} cannot have operands", shown(v.tag.name)))?;
                sound = false;
            } else if list.iter().enumerate().any(|(i, (p, ..))| *p as usize != i + 1) {
                let found = list.iter().map(|(p, ..)| p.to_string()).collect::<Vec<_>>().join(", ");
                self.x.error(
                    &v.tag,
                    "OB1032",
                    format!("the operands of {} have the positions {found}, not 1 to {}", shown(v.tag.name), list.len()),
                )?;
                sound = false;
            }
        }
        if !sound {
            return Ok(None);
        }
        let mut roots = has_parent.iter().enumerate().filter(|(_, p)| !**p).map(|(i, _)| i);
        let root = match (roots.next(), roots.next()) {
            (Some(root), None) => root,
            (Some(_), Some(second)) => {
                self.x.error(&vertices[second].tag, "OB1031", "the expression has more than one root")?;
                return Ok(None);
            }
            (None, _) => {
                self.cycle(vertices.first())?;
                return Ok(None);
            }
        };
        Ok(Some(Graph { operands, root }))
    }

    fn cycle(&mut self, vertex: Option<&RawVertex<'a>>) -> Fallible<()> {
        let tag = vertex.map_or(NO_TAG, |v| v.tag);
        self.x.error(&tag, "OB1030", "the edges of the expression form a cycle")
    }

    /// Depth first from the root, operands before operators. A vertex's canonical id is the number at which the walk meets it, an
    /// edge's the number at which it is done with its operand.
    fn ordered(&mut self, vertices: Vec<RawVertex<'a>>, edges: &[RawEdge<'a>], graph: Graph) -> Fallible<Option<Expr>> {
        let n = vertices.len();
        let mut met: SmallVec<[u32; MOST]> = smallvec![0; n];
        let mut place: SmallVec<[Option<NodeId>; MOST]> = smallvec![None; n];
        let mut edge_number: SmallVec<[u32; MOST]> = smallvec![0; edges.len()];
        let (mut next_vertex, mut next_edge) = (1u32, 1u32);
        let mut vertices: Vec<Option<RawVertex>> = vertices.into_iter().map(Some).collect();
        let mut expr = Expr { nodes: Vec::with_capacity(n) };
        let mut stack: SmallVec<[(usize, usize); MOST]> = smallvec![(graph.root, 0)];
        met[graph.root] = next_vertex;
        while let Some((v, at)) = stack.pop() {
            if let Some(&(_, operand, edge)) = graph.operands[v].get(at) {
                if place[operand].is_some() {
                    edge_number[edge] = next_edge;
                    next_edge += 1;
                    stack.push((v, at + 1));
                } else if met[operand] > 0 {
                    self.cycle(vertices[operand].as_ref())?;
                    return Ok(None);
                } else {
                    next_vertex += 1;
                    met[operand] = next_vertex;
                    stack.push((v, at));
                    stack.push((operand, 0));
                }
                continue;
            }
            let Some(raw) = vertices[v].take() else { continue };
            let mut operands: crate::model::Operands = graph.operands[v].iter().filter_map(|(_, o, _)| place[*o]).collect();
            for argument in raw.inner {
                operands.push(push(&mut expr, NodeKind::Var(argument), Default::default(), None));
            }
            let origin = origin(raw.id, raw.annotation, raw.extras, met[v], &graph.operands[v], edges, &edge_number);
            place[v] = Some(push(&mut expr, raw.kind, operands, origin));
        }
        if let Some(left) = vertices.iter().flatten().next() {
            self.cycle(Some(left))?;
            return Ok(None);
        }
        Ok(Some(expr))
    }
}

/// Expressions with more vertices take room from elsewhere.
const MOST: usize = 12;

/// Position, operand and edge.
type Operands = SmallVec<[(u32, usize, usize); 2]>;

struct Graph {
    operands: SmallVec<[Operands; MOST]>,
    root: usize,
}

/// Vertices by id: expressions are mostly tiny.
enum Index<'v> {
    Scan,
    Map(HashMap<&'v str, usize>),
}

impl<'v> Index<'v> {
    fn new(vertices: &'v [RawVertex]) -> Index<'v> {
        if vertices.len() <= 8 {
            return Index::Scan;
        }
        let mut map = HashMap::with_capacity(vertices.len());
        for (i, v) in vertices.iter().enumerate() {
            map.entry(or_one(&v.id)).or_insert(i);
        }
        Index::Map(map)
    }

    fn first(&self, vertices: &[RawVertex], id: &str) -> Option<usize> {
        match self {
            Index::Scan => vertices.iter().position(|v| or_one(&v.id) == id),
            Index::Map(map) => map.get(id).copied(),
        }
    }
}

/// The schema's default.
fn or_one(id: &str) -> &str {
    if id.is_empty() { "1" } else { id }
}

fn push(expr: &mut Expr, kind: NodeKind, operands: crate::model::Operands, origin: Option<Box<NodeOrigin>>) -> NodeId {
    expr.nodes.push(Node { kind, operands, origin });
    NodeId(expr.nodes.len() as u32 - 1)
}

fn single(v: RawVertex) -> Expr {
    let origin = origin(v.id, v.annotation, v.extras, 1, &SmallVec::new(), &[], &[]);
    let mut e = Expr { nodes: Vec::with_capacity(1 + v.inner.len()) };
    let operands = v.inner.into_iter().map(|a| push(&mut e, NodeKind::Var(a), Default::default(), None)).collect();
    push(&mut e, v.kind, operands, origin);
    e
}

fn is_number(id: &str, number: u32) -> bool {
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    let mut rest = number;
    while rest > 0 && at > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    digits[at..] == *id.as_bytes()
}

fn origin(
    id: SmolStr,
    annotation: SmolStr,
    extras: Extras,
    canonical: u32,
    operands: &Operands,
    edges: &[RawEdge],
    numbers: &[u32],
) -> Option<Box<NodeOrigin>> {
    let own_id = !id.is_empty() && !is_number(&id, canonical);
    let own_edges = operands.iter().any(|(.., e)| !is_number(&edges[*e].id, numbers[*e]));
    if !own_id && !own_edges && annotation.is_empty() && extras.0.is_none() {
        return None;
    }
    Some(Box::new(NodeOrigin {
        vertex_id: if own_id { id } else { SmolStr::default() },
        edge_ids: if own_edges { operands.iter().map(|(.., e)| edges[*e].id.clone()).collect() } else { Vec::new() },
        annotation,
        extras,
    }))
}
