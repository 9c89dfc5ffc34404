//! A unit's code as the question for fresh arrays sees it: pieces of [`crate::analysis::arrays::fresh`], read off the control-flow graph.
//!
//! Lives here: this reading. Never here: what follows from the pieces.

use super::handed::called;
use super::side_effects::Effects;
use crate::analysis::arrays::counted::range;
use crate::analysis::arrays::fresh::{Arm, Piece};
use crate::analysis::program::table::{CallStep, Step, UnitTable};
use petgraph::Direction;
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{Call, EdgeId, FlowGraph, Jump, StmtKind, SymbolId, UnitId, VarRef, VertexId, VertexKind};
use xaif::structure::{Region, regions};

/// A unit as pieces.
pub(crate) struct Outline<'a> {
    /// Its code.
    pub pieces: Vec<Piece<'a>>,
    /// Some paths leave it before the end of the text.
    pub returns: bool,
}

impl<'a> Outline<'a> {
    /// The pieces of a unit; `None` where loops and branches do not nest, or something jumps into them.
    pub fn of(program: &'a Program, unit: UnitId, table: &UnitTable, effects: &Effects) -> Option<Outline<'a>> {
        let graph = &program.unit(unit).graph;
        let tree = regions(graph).ok()?;
        let mut reader = Reader { program, graph, table, effects, labels: FxHashSet::default() };
        let returns = tree.split_last().is_some_and(|(last, before)| {
            before.iter().any(|r| reader.returns(r)) || (!matches!(last, Region::Jump(_)) && reader.returns(last))
        });
        Some(Outline { pieces: reader.sequence(&tree)?, returns })
    }
}

struct Reader<'a, 'b> {
    program: &'a Program,
    graph: &'a FlowGraph,
    table: &'b UnitTable,
    effects: &'b Effects,
    /// Where jumps from the code at hand may lead to: labels of that code and of what is around it.
    labels: FxHashSet<VertexId>,
}

impl<'a> Reader<'a, '_> {
    /// Some code.
    fn sequence(&mut self, tree: &[Region]) -> Option<Vec<Piece<'a>>> {
        let mut out = Vec::new();
        let graph = self.graph;
        let is_label = |v: &VertexId| graph.edges_directed(*v, Direction::Incoming).any(|e| e.weight().jump == Some(Jump::Goto));
        let label = |region: &Region| start(region).filter(is_label);
        self.labels.extend(tree.iter().filter_map(label));
        for region in tree {
            out.extend(label(region).map(Piece::Label));
            self.region(region, &mut out)?;
        }
        tree.iter().filter_map(label).for_each(|v| {
            self.labels.remove(&v);
        });
        Some(out)
    }

    fn region(&mut self, region: &Region, out: &mut Vec<Piece<'a>>) -> Option<()> {
        match region {
            Region::Block(v) => self.block(*v, out),
            Region::Jump(e) if self.jump(e) == Some(Jump::Goto) => {
                let to = self.graph.edge_endpoints(*e)?.1;
                out.push(Piece::Goto(self.labels.get(&to).copied()?));
            }
            Region::Jump(_) => {}
            Region::Branch { vertex, arms, .. } => {
                let VertexKind::Branch(condition) = &self.graph[*vertex].kind else { return None };
                out.push(Piece::Test(condition));
                let default = arms.iter().any(|a| a.edges.iter().any(|e| self.graph.edge_weight(*e).is_some_and(|w| w.value.is_none())));
                let complete = default && !arms.iter().any(|a| self.strays(&a.body));
                let arms = arms.iter().map(|a| Some(Arm { body: self.sequence(&a.body)?, leaves: self.leaves(&a.body) }));
                out.push(Piece::Branch { arms: arms.collect::<Option<Vec<_>>>()?, complete });
            }
            Region::Loop { vertex, body: inside, .. } => {
                let mut body = self.sequence(inside)?;
                let left = self.strays(inside);
                match &self.graph[*vertex].kind {
                    VertexKind::For(f) => {
                        match range(self.program, f).filter(|r| !sets(self.program, self.table, self.effects, inside, r.index)) {
                            Some(r) => out.push(Piece::Loop { range: Some(r), body, left }),
                            None => {
                                for s in [&f.init, &f.update] {
                                    let StmtKind::Assignment { lhs, rhs } = &s.kind else { return None };
                                    let to = if std::ptr::eq(s, &raw const f.init) { &mut *out } else { &mut body };
                                    to.push(Piece::Assign(lhs, rhs));
                                }
                                body.insert(0, Piece::Test(&f.condition));
                                out.push(Piece::Loop { range: None, body, left });
                            }
                        }
                    }
                    VertexKind::Pre(c) | VertexKind::Post(c) => {
                        let at = if matches!(self.graph[*vertex].kind, VertexKind::Pre(_)) { 0 } else { body.len() };
                        body.insert(at, Piece::Test(c));
                        out.push(Piece::Loop { range: None, body, left });
                    }
                    _ => return None,
                }
            }
        }
        Some(())
    }

    fn block(&self, v: VertexId, out: &mut Vec<Piece<'a>>) {
        let steps = self.table.steps.get(v.index()).map_or(&[][..], |s| s);
        for (s, step) in self.graph[v].stmts().iter().zip(steps) {
            match (&s.kind, step) {
                (StmtKind::Assignment { lhs, rhs }, _) => out.push(Piece::Assign(lhs, rhs)),
                (StmtKind::Call(c), Step::Call(step)) => self.call(c, step, out),
                (_, Step::Opaque { reads, .. }) => out.push(Piece::Reads(self.objects(reads))),
                _ => {}
            }
        }
    }

    /// What a call does, as far as its callee is known.
    fn call(&self, c: &'a Call, step: &CallStep, out: &mut Vec<Piece<'a>>) {
        match step.callee {
            Some(unit) => {
                let object = |k: usize, r: &VarRef| match step.args.get(k).and_then(|a| a.target) {
                    Some(t) => self.table.objects.get(t.object as usize).copied().unwrap_or(r.symbol),
                    None => r.symbol,
                };
                out.extend(called(self.program, self.effects, unit, c, &object));
            }
            None => {
                for (a, known) in c.arguments.iter().zip(&step.args) {
                    match known.target {
                        None => out.push(Piece::Test(&a.value)),
                        Some(t) => {
                            a.value.as_var().into_iter().flat_map(|r| r.index_exprs()).for_each(|e| out.push(Piece::Test(e)));
                            out.push(Piece::Reads(self.objects(&[t.object])));
                        }
                    }
                }
                out.push(Piece::Reads(self.objects(&step.outside.reads)));
            }
        }
    }

    /// Whether some path leaves the unit inside of some code.
    fn returns(&self, region: &Region) -> bool {
        match region {
            Region::Block(_) => false,
            Region::Jump(e) => self.jump(e) == Some(Jump::Return),
            Region::Branch { arms, .. } => arms.iter().any(|a| a.body.iter().any(|r| self.returns(r))),
            Region::Loop { body, .. } => body.iter().any(|r| self.returns(r)),
        }
    }

    fn objects(&self, numbers: &[u32]) -> Vec<SymbolId> {
        numbers.iter().filter_map(|&n| self.table.objects.get(n as usize).copied()).collect()
    }

    /// Whether control goes from here to the end of the unit in any case.
    fn leaves(&self, tree: &[Region]) -> bool {
        matches!(tree.last(), Some(Region::Jump(e)) if self.jump(e) == Some(Jump::Return))
    }

    fn jump(&self, e: &EdgeId) -> Option<Jump> {
        self.graph.edge_weight(*e)?.jump
    }

    /// Whether jumps in some code may lead to what stands behind it.
    fn strays(&self, tree: &[Region]) -> bool {
        tree.iter().any(|region| match region {
            Region::Block(_) => false,
            Region::Jump(e) => self.jump(e) != Some(Jump::Return),
            Region::Branch { arms, .. } => arms.iter().any(|a| self.strays(&a.body)),
            Region::Loop { body, .. } => self.strays(body),
        })
    }
}

/// Whether some code sets a variable of a unit.
pub(crate) fn sets(program: &Program, table: &UnitTable, effects: &Effects, tree: &[Region], s: SymbolId) -> bool {
    let Some(n) = table.number(s) else { return true };
    let at = |v: &VertexId| {
        table.steps.get(v.index()).into_iter().flatten().any(|step| match step {
            Step::Assign { lhs, .. } => lhs.object == n,
            Step::Opaque { writes, .. } => writes.contains(&n),
            Step::Call(c) => effects.of_call(program, table, c).writes.contains(&n),
            Step::Test { .. } => false,
        })
    };
    let inside = |body: &[Region]| sets(program, table, effects, body, s);
    tree.iter().any(|region| match region {
        Region::Block(v) => at(v),
        Region::Jump(_) => false,
        Region::Branch { vertex, arms, .. } => at(vertex) || arms.iter().any(|a| inside(&a.body)),
        Region::Loop { vertex, body, .. } => at(vertex) || inside(body),
    })
}

/// Where control gets to a region.
fn start(region: &Region) -> Option<VertexId> {
    match region {
        Region::Block(v) | Region::Branch { vertex: v, .. } | Region::Loop { vertex: v, .. } => Some(*v),
        Region::Jump(_) => None,
    }
}

/// How a unit changes its variables.
pub(crate) struct Changes {
    /// Those that it does not change at all.
    pub steady: FxHashSet<SymbolId>,
    /// Those that it changes by assignments only.
    pub plain: FxHashSet<SymbolId>,
}

impl Changes {
    /// Looks at all that a unit does; `private` tells the variables that nobody else has a name for.
    pub fn of(program: &Program, table: &UnitTable, effects: &Effects, private: &dyn Fn(SymbolId) -> bool) -> Changes {
        let (mut assigned, mut otherwise): (FxHashSet<u32>, FxHashSet<u32>) = Default::default();
        for step in table.steps.iter().flatten() {
            match step {
                Step::Assign { lhs, .. } => {
                    assigned.insert(lhs.object);
                }
                Step::Opaque { writes, .. } => otherwise.extend(writes.iter().copied()),
                Step::Call(c) => otherwise.extend(effects.of_call(program, table, c).writes),
                Step::Test { .. } => {}
            }
        }
        let numbered = || table.objects.iter().copied().enumerate().map(|(n, s)| (n as u32, s));
        let written = |n: u32| assigned.contains(&n) || otherwise.contains(&n);
        // Through a pointer only what has the same type is set.
        let open: FxHashSet<_> = numbered().filter(|&(n, s)| written(n) && !private(s)).map(|(_, s)| program.symbol(s).ty.base).collect();
        let stays = |s: SymbolId| private(s) || !open.contains(&program.symbol(s).ty.base);
        let those = |fits: &dyn Fn(u32, SymbolId) -> bool| numbered().filter(|&(n, s)| fits(n, s)).map(|(_, s)| s).collect();
        Changes {
            steady: those(&|n, s| !written(n) && stays(s)),
            plain: those(&|n, s| !otherwise.contains(&n) && private(s) && program.symbol(s).rank == 0),
        }
    }
}
