//! The nesting of loops and branches, found again in a control-flow graph.
//!
//! Lives here: one walk that turns a graph into a tree of regions, for whoever prints, interprets or reverses structured
//! code. Never here: any change of the graph.

use crate::model::{EdgeId, FlowGraph, VertexId, VertexKind};
use petgraph::Direction;
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// An arm of a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The edges that lead into it: several values may share an arm. An edge without a value is the default.
    pub edges: Vec<EdgeId>,
    /// What it does; empty if it goes straight to the end.
    pub body: Vec<Region>,
}

/// A piece of a unit, in text order.
#[derive(Clone, Debug, PartialEq)]
pub enum Region {
    /// A block (or a label or goto vertex of a stock file).
    Block(VertexId),
    /// A branch with its arms, in the order of the edges.
    Branch {
        /// The branch vertex.
        vertex: VertexId,
        /// The arms.
        arms: Vec<Arm>,
        /// Its end; none if every arm jumps.
        end: Option<VertexId>,
    },
    /// A loop with its body.
    Loop {
        /// The loop vertex.
        vertex: VertexId,
        /// The body.
        body: Vec<Region>,
        /// Its end; none if the body never gets there.
        end: Option<VertexId>,
    },
    /// Control leaves along a jump.
    Jump(EdgeId),
}

/// Why a graph has no region tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("loops and branches do not nest at vertex {}", .vertex.index())]
pub struct NotStructured {
    /// The vertex at which the walk failed.
    pub vertex: VertexId,
}

/// Nesting deeper than this is not followed.
pub const MAX_DEPTH: usize = 400;

/// The region tree of a graph.
///
/// # Errors
/// The graph has no entry, nests deeper than [`MAX_DEPTH`], or is not a structured skeleton plus jumps as the crate's front page
/// defines it (units of stock files with `structured="0"`).
pub fn regions(graph: &FlowGraph) -> Result<Vec<Region>, NotStructured> {
    let entry = graph.node_indices().find(|&v| matches!(graph[v].kind, VertexKind::Entry));
    let Some(entry) = entry else { return Err(NotStructured { vertex: VertexId::new(0) }) };
    let followers = graph.node_indices().filter_map(|v| graph[v].follows.map(|f| (f, v))).collect();
    let mut walk = Walk { graph, followers, seen: FxHashSet::default() };
    let (regions, end) = walk.sequence(Some(entry), 0)?;
    match end {
        End::Join(v) => Err(NotStructured { vertex: v }),
        End::Exit | End::Jumped => Ok(regions),
    }
}

enum End {
    /// At an EndLoop or EndBranch, which belongs to whoever called.
    Join(VertexId),
    /// At the exit.
    Exit,
    /// Control left along a jump and no text follows.
    Jumped,
}

struct Walk<'a> {
    graph: &'a FlowGraph,
    followers: FxHashMap<VertexId, VertexId>,
    seen: FxHashSet<VertexId>,
}

impl Walk<'_> {
    fn out_edges(&self, v: VertexId) -> Vec<EdgeId> {
        let mut edges: Vec<EdgeId> = self.graph.edges_directed(v, Direction::Outgoing).map(|e| e.id()).collect();
        edges.sort_unstable();
        edges
    }

    fn target(&self, e: EdgeId) -> VertexId {
        self.graph.edge_endpoints(e).map_or(VertexId::new(0), |(_, t)| t)
    }

    /// Follows the only edge out of `v`; where it jumps, goes on with the text behind it.
    fn next(&self, v: VertexId, out: &mut Vec<Region>) -> Result<Option<VertexId>, NotStructured> {
        match self.out_edges(v)[..] {
            [e] if self.graph[e].jump.is_some() => {
                out.push(Region::Jump(e));
                Ok(self.followers.get(&v).copied())
            }
            [e] => Ok(Some(self.target(e))),
            _ => Err(NotStructured { vertex: v }),
        }
    }

    fn sequence(&mut self, start: Option<VertexId>, depth: usize) -> Result<(Vec<Region>, End), NotStructured> {
        let mut out = Vec::new();
        let mut at = start;
        while let Some(v) = at {
            if depth > MAX_DEPTH {
                return Err(NotStructured { vertex: v });
            }
            match &self.graph[v].kind {
                VertexKind::EndLoop | VertexKind::EndBranch => return Ok((out, End::Join(v))),
                VertexKind::Exit => return Ok((out, End::Exit)),
                _ => {}
            }
            if !self.seen.insert(v) {
                return Err(NotStructured { vertex: v });
            }
            at = match &self.graph[v].kind {
                VertexKind::Entry => self.next(v, &mut out)?,
                VertexKind::Block { .. } | VertexKind::Label | VertexKind::Goto => {
                    out.push(Region::Block(v));
                    self.next(v, &mut out)?
                }
                VertexKind::Branch(_) => self.branch(v, depth, &mut out)?,
                _ => self.loop_(v, depth, &mut out)?,
            };
        }
        Ok((out, End::Jumped))
    }

    fn branch(&mut self, v: VertexId, depth: usize, out: &mut Vec<Region>) -> Result<Option<VertexId>, NotStructured> {
        let mut arms: Vec<(VertexId, Arm)> = Vec::new();
        for e in self.out_edges(v) {
            let to = self.target(e);
            match arms.iter_mut().find(|(t, _)| *t == to) {
                Some((_, arm)) => arm.edges.push(e),
                None => arms.push((to, Arm { edges: vec![e], body: Vec::new() })),
            }
        }
        let mut end = None;
        for (to, arm) in &mut arms {
            let (body, stop) = self.sequence(Some(*to), depth + 1)?;
            arm.body = body;
            match stop {
                End::Join(j) if matches!(self.graph[j].kind, VertexKind::EndBranch) && end.is_none_or(|e| e == j) => end = Some(j),
                End::Jumped => {}
                End::Join(j) => return Err(NotStructured { vertex: j }),
                End::Exit => return Err(NotStructured { vertex: v }),
            }
        }
        out.push(Region::Branch { vertex: v, arms: arms.into_iter().map(|(_, a)| a).collect(), end });
        match end {
            Some(j) if self.seen.insert(j) => self.next(j, out),
            Some(j) => Err(NotStructured { vertex: j }),
            None => Ok(self.followers.get(&v).copied()),
        }
    }

    fn loop_(&mut self, v: VertexId, depth: usize, out: &mut Vec<Region>) -> Result<Option<VertexId>, NotStructured> {
        let edges = self.out_edges(v);
        let body_edge = edges.iter().copied().find(|&e| self.graph[e].value.is_some_and(|x| x != 0));
        let exit_edge = edges.iter().copied().find(|&e| self.graph[e].value.is_none_or(|x| x == 0));
        let (Some(body_edge), Some(exit_edge), 2) = (body_edge, exit_edge, edges.len()) else {
            return Err(NotStructured { vertex: v });
        };
        let (body, stop) = self.sequence(Some(self.target(body_edge)), depth + 1)?;
        let end = match stop {
            End::Join(j) if matches!(self.graph[j].kind, VertexKind::EndLoop) && self.graph.contains_edge(j, v) => Some(j),
            End::Jumped => None,
            End::Join(j) => return Err(NotStructured { vertex: j }),
            End::Exit => return Err(NotStructured { vertex: v }),
        };
        if let Some(j) = end
            && !self.seen.insert(j)
        {
            return Err(NotStructured { vertex: j });
        }
        out.push(Region::Loop { vertex: v, body, end });
        Ok(Some(self.target(exit_edge)))
    }
}

/// The end of a loop, also where its body comes there by jumps only.
pub fn end_of_loop(graph: &FlowGraph, head: VertexId) -> Option<VertexId> {
    let before = graph.edges_directed(head, Direction::Incoming).map(|e| e.source());
    before.into_iter().find(|&s| matches!(graph[s].kind, VertexKind::EndLoop))
}

/// True where control can leave the body of a loop other than by its head.
pub fn left_by_jump(graph: &FlowGraph, head: VertexId) -> bool {
    use petgraph::visit::EdgeRef;
    let edges = |v: VertexId| graph.edges_directed(v, petgraph::Direction::Outgoing);
    let (body, behind): (Vec<_>, Vec<_>) = edges(head).partition(|e| e.weight().value.is_some_and(|x| x != 0));
    let behind: Vec<VertexId> = behind.iter().map(|e| e.target()).collect();
    let mut seen = vec![false; graph.node_count()];
    let mut todo: Vec<VertexId> = body.iter().map(|e| e.target()).collect();
    while let Some(v) = todo.pop() {
        if v == head || std::mem::replace(&mut seen[v.index()], true) {
            continue;
        }
        // Nothing inside leads to what stands behind the loop, nor to the unit's end.
        if behind.contains(&v) || matches!(graph[v].kind, VertexKind::Exit) {
            return true;
        }
        todo.extend(edges(v).map(|e| e.target()));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::GraphBuilder;
    use crate::model::{Expr, ScopeId, Stmt, SymbolId, VarRef};

    fn stmt() -> Stmt {
        Stmt::assign(VarRef::whole(SymbolId(0)), Expr::int(1))
    }

    /// if (c) { s; if (d) return; } else { s } while (c) { if (d) continue; if (e) break; s } s
    #[test]
    fn nested_constructs_come_back_in_text_order() {
        let mut b = GraphBuilder::new(ScopeId(0));
        b.begin_branch(Expr::bool(true));
        b.arm(&[1]);
        b.stmt(stmt());
        b.begin_branch(Expr::bool(true));
        b.arm(&[1]);
        b.jump_return();
        b.end_branch();
        b.arm(&[]);
        b.stmt(stmt());
        b.end_branch();
        b.begin_while(Expr::bool(true));
        b.begin_branch(Expr::bool(true));
        b.arm(&[1]);
        b.jump_continue(0);
        b.end_branch();
        b.begin_branch(Expr::bool(true));
        b.arm(&[1]);
        b.jump_break(0);
        b.end_branch();
        b.stmt(stmt());
        b.end_loop();
        b.stmt(stmt());
        let built = b.finish().unwrap();
        assert!(!built.structured);
        let r = regions(&built.graph).unwrap();
        assert_eq!(r.len(), 3);
        let Region::Branch { arms, end: Some(_), .. } = &r[0] else { panic!("{r:?}") };
        assert_eq!(arms[0].body.len(), 2);
        let Region::Branch { arms: inner, .. } = &arms[0].body[1] else { panic!() };
        assert!(matches!(inner[0].body[..], [Region::Block(_), Region::Jump(_)]));
        assert!(inner[1].body.is_empty());
        let Region::Loop { body, end: Some(_), .. } = &r[1] else { panic!() };
        assert_eq!(body.len(), 3);
    }

    /// goto forward over a statement: l is text behind a jump.
    #[test]
    fn text_behind_a_goto_follows_it() {
        let mut b = GraphBuilder::new(ScopeId(0));
        b.begin_branch(Expr::bool(true));
        b.arm(&[1]);
        b.jump_goto("l");
        b.end_branch();
        b.stmt(stmt());
        b.jump_return();
        b.label("l");
        b.stmt(stmt());
        let built = b.finish().unwrap();
        let r = regions(&built.graph).unwrap();
        assert!(matches!(r[..], [Region::Branch { .. }, Region::Block(_), Region::Jump(_), Region::Block(_)]), "{r:?}");
    }

    #[test]
    fn all_arms_may_jump() {
        let mut b = GraphBuilder::new(ScopeId(0));
        b.begin_branch(Expr::bool(true));
        b.arm(&[1]);
        b.jump_return();
        b.arm(&[]);
        b.jump_return();
        b.end_branch();
        let built = b.finish().unwrap();
        let r = regions(&built.graph).unwrap();
        assert!(matches!(r[..], [Region::Branch { end: None, .. }]), "{r:?}");
    }

    #[test]
    fn a_graph_that_does_not_nest_is_refused() {
        use crate::model::{FlowEdge, FlowGraph, Vertex};
        let mut g = FlowGraph::default();
        let entry = g.add_node(Vertex::new(VertexKind::Entry));
        let branch = g.add_node(Vertex::new(VertexKind::Branch(Expr::bool(true))));
        let block = g.add_node(Vertex::new(VertexKind::Block { scope: ScopeId(0), stmts: vec![] }));
        let exit = g.add_node(Vertex::new(VertexKind::Exit));
        g.add_edge(entry, branch, FlowEdge::default());
        g.add_edge(branch, block, FlowEdge { value: Some(1), ..Default::default() });
        g.add_edge(branch, exit, FlowEdge::default());
        g.add_edge(block, branch, FlowEdge::default());
        assert!(regions(&g).is_err());
    }
}
