//! What the jumps of a unit become: EXIT, CYCLE, RETURN or GOTO, and which constructs need a name or a label for them.
//!
//! Lives here: decisions about jumps. Never here: text.

use petgraph::Direction;
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{BaseType, EdgeId, FlowGraph, Jump, Program, VertexId, VertexKind};
use xaif::structure::{Arm, Region, end_of_loop};

/// What a jump becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Out of the innermost loop.
    Exit,
    /// Out of the construct that starts at this vertex.
    ExitNamed(VertexId),
    /// On with the innermost loop.
    Cycle,
    /// On with the loop that starts at this vertex.
    CycleNamed(VertexId),
    /// Out of the block that wraps the body of this loop, to what the loop does at its end.
    ExitIteration(VertexId),
    /// Out of the unit.
    Return,
    /// To a label.
    Goto(VertexId),
    /// Into the text that follows anyway.
    Nothing,
}

/// All decisions for one unit.
#[derive(Debug, Default)]
pub struct Plan {
    /// What each jump becomes.
    pub jumps: FxHashMap<EdgeId, Leave>,
    /// Constructs that need a name.
    pub named: FxHashSet<VertexId>,
    /// Loops whose body is wrapped into a block.
    pub wrapped: FxHashSet<VertexId>,
    /// Vertices that need a label.
    pub labelled: FxHashSet<VertexId>,
    /// Branches that are printed as a jump table with their arms behind it, since control runs from arm to arm.
    pub tables: FxHashSet<VertexId>,
}

/// A condition decides between two arms; anything else selects by value.
pub fn is_two_way(program: &Program, graph: &FlowGraph, vertex: VertexId, arms: &[Arm]) -> bool {
    let VertexKind::Branch(condition) = &graph[vertex].kind else { return false };
    match xaif::types::of(program, condition).elem.base {
        BaseType::Bool => true,
        _ => {
            arms.len() <= 2
                && arms.iter().flat_map(|a| &a.edges).all(|&e| graph[e].value.is_none_or(|v| v == 1))
                && !is_integer(program, condition)
        }
    }
}

fn is_integer(program: &Program, e: &xaif::model::Expr) -> bool {
    xaif::types::of(program, e).elem.base == BaseType::Integer
}

/// True where the loop is printed so that CYCLE does what `continue` means: nothing has to be done at the end of its body.
pub type CycleSafe<'a> = &'a dyn Fn(VertexId) -> bool;

/// The vertex that control reaches when a loop ends.
pub fn after_loop(graph: &FlowGraph, vertex: VertexId) -> Option<VertexId> {
    graph.edges_directed(vertex, Direction::Outgoing).find(|e| e.weight().value.is_none_or(|v| v == 0)).map(|e| e.target())
}

#[derive(Clone, Copy)]
enum Frame {
    Loop { vertex: VertexId, end: Option<VertexId>, after: Option<VertexId> },
    Branch { vertex: VertexId, end: Option<VertexId> },
    Table,
}

struct Planner<'a> {
    graph: &'a FlowGraph,
    cycle_safe: CycleSafe<'a>,
    frames: Vec<Frame>,
    /// The sequence in which a vertex stands, and the parent of each sequence.
    sequence_of: FxHashMap<VertexId, usize>,
    parents: Vec<Option<usize>>,
    plan: Plan,
    gotos: Vec<(usize, VertexId)>,
    impossible: bool,
}

/// Makes the plan; `None` where some jump goes into a construct, so that only labels and GOTOs can say it.
pub fn plan(graph: &FlowGraph, regions: &[Region], cycle_safe: CycleSafe) -> Option<Plan> {
    let mut p = Planner {
        graph,
        cycle_safe,
        frames: Vec::new(),
        sequence_of: FxHashMap::default(),
        parents: vec![None],
        plan: Plan::default(),
        gotos: Vec::new(),
        impossible: false,
    };
    p.sequence(regions, 0);
    let gotos = std::mem::take(&mut p.gotos);
    let legal = gotos.iter().all(|&(from, to)| {
        let Some(&target) = p.sequence_of.get(&to) else { return false };
        let mut at = Some(from);
        while let Some(s) = at {
            if s == target {
                return true;
            }
            at = p.parents[s];
        }
        false
    });
    (legal && !p.impossible).then_some(p.plan)
}

impl Planner<'_> {
    fn child(&mut self, parent: usize) -> usize {
        self.parents.push(Some(parent));
        self.parents.len() - 1
    }

    fn sequence(&mut self, regions: &[Region], at: usize) {
        for (i, region) in regions.iter().enumerate() {
            match region {
                Region::Block(v) => {
                    self.sequence_of.insert(*v, at);
                }
                Region::Jump(e) => self.jump(*e, at, regions.get(i + 1)),
                Region::Branch { vertex, arms, end } => {
                    self.sequence_of.insert(*vertex, at);
                    let falls =
                        |arm: &Arm| matches!(arm.body.last(), Some(Region::Jump(e)) if self.graph[*e].jump == Some(Jump::FallThrough));
                    if arms.iter().any(falls) {
                        self.table(*vertex, arms, *end, at);
                        continue;
                    }
                    self.frames.push(Frame::Branch { vertex: *vertex, end: *end });
                    for arm in arms {
                        let inner = self.child(at);
                        self.sequence(&arm.body, inner);
                    }
                    self.frames.pop();
                }
                Region::Loop { vertex, body, .. } => {
                    self.sequence_of.insert(*vertex, at);
                    // The body may come to its end by jumps only.
                    let end = end_of_loop(self.graph, *vertex);
                    self.frames.push(Frame::Loop { vertex: *vertex, end, after: after_loop(self.graph, *vertex) });
                    let inner = self.child(at);
                    self.sequence(body, inner);
                    self.frames.pop();
                }
            }
        }
    }

    /// Arms that run into each other stand one after the other in the sequence that holds the branch.
    fn table(&mut self, vertex: VertexId, arms: &[Arm], end: Option<VertexId>, at: usize) {
        self.plan.tables.insert(vertex);
        self.frames.push(Frame::Table);
        if let Some(end) = end {
            self.sequence_of.insert(end, at);
        }
        for (i, arm) in arms.iter().enumerate() {
            let first = arm.edges.first().and_then(|&e| self.graph.edge_endpoints(e)).map(|(_, t)| t);
            if let Some(t) = first {
                self.plan.labelled.insert(t);
                self.sequence_of.insert(t, at);
            }
            let falls_off = !arm.body.is_empty() && !matches!(arm.body.last(), Some(Region::Jump(_)));
            if falls_off && i + 1 < arms.len() {
                self.plan.labelled.extend(end);
            }
            self.sequence(&arm.body, at);
        }
        // A value without an arm goes to the end.
        if !arms.iter().flat_map(|a| &a.edges).any(|&e| self.graph[e].value.is_none()) {
            self.plan.labelled.extend(end);
        }
        self.frames.pop();
    }

    fn jump(&mut self, e: EdgeId, at: usize, next: Option<&Region>) {
        let Some((_, target)) = self.graph.edge_endpoints(e) else { return };
        let leave = match self.graph[e].jump {
            Some(Jump::FallThrough) => Leave::Nothing,
            Some(Jump::Return) => Leave::Return,
            Some(Jump::Goto) if matches!(next, Some(Region::Block(v)) if *v == target) => Leave::Nothing,
            _ => match self.leave(target) {
                Leave::Goto(v) if matches!(self.graph[v].kind, VertexKind::Exit) => Leave::Return,
                leave => leave,
            },
        };
        match leave {
            Leave::ExitNamed(v) | Leave::CycleNamed(v) => {
                self.plan.named.insert(v);
            }
            Leave::ExitIteration(v) => {
                self.plan.wrapped.insert(v);
            }
            Leave::Goto(v) => {
                if matches!(self.graph[v].kind, VertexKind::EndLoop | VertexKind::Exit)
                    || (matches!(self.graph[v].kind, VertexKind::EndBranch) && !self.sequence_of.contains_key(&v))
                {
                    self.impossible = true;
                }
                self.plan.labelled.insert(v);
                self.gotos.push((at, v));
            }
            _ => {}
        }
        self.plan.jumps.insert(e, leave);
    }

    /// The construct that the jump leaves or continues, innermost first.
    fn leave(&self, target: VertexId) -> Leave {
        let mut loops_between = 0;
        for frame in self.frames.iter().rev() {
            match *frame {
                Frame::Loop { vertex, end, after } => {
                    if end == Some(target) {
                        return match ((self.cycle_safe)(vertex), loops_between) {
                            (false, _) => Leave::ExitIteration(vertex),
                            (true, 0) => Leave::Cycle,
                            (true, _) => Leave::CycleNamed(vertex),
                        };
                    }
                    if after == Some(target) {
                        return if loops_between == 0 { Leave::Exit } else { Leave::ExitNamed(vertex) };
                    }
                    loops_between += 1;
                }
                Frame::Branch { vertex, end } if end == Some(target) => return Leave::ExitNamed(vertex),
                Frame::Branch { .. } | Frame::Table => {}
            }
        }
        Leave::Goto(target)
    }
}
