//! Indices of counted loops that the adjoint sweep counts again.
//!
//! ```text
//! do i = 1, n              count = 0; do i = 1, n; ...; count = count + 1; end do; push count
//!   y(i) = x(i)*y(i)  ->   pop count; do k = count, 1, -1; ... y(k) ...
//! end do
//! ```
//!
//! The first value and the stride are known, or follow from the indices of loops around it, and nothing in the body sets the index: subscripts that read such indices
//! only need not be pushed. Where the bound is known as well, the trips are not counted either.
//!
//! Lives here: how a unit nests, and which loops these are. Never here: how sweeps are built.

use super::arguments::is_input;
use super::temporaries::{Kind, Temporaries};
use crate::analysis::arrays::counted::{Range, range, trips};
use crate::linearize::fold::Fold;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{
    BaseType, CallArgument, ElemType, Expr, FlowGraph, NodeKind, Program, Stmt, StmtKind, SymbolId, UnitId, VarRef, VertexId, VertexKind,
};
use xaif::structure::{Region, regions};

/// Indices, with the variables that have their values in the adjoint sweep.
pub type Known = FxHashMap<SymbolId, SymbolId>;

/// A loop whose index the adjoint sweep counts again.
#[derive(Clone, Debug)]
pub struct Counted {
    /// Has the value of the index in the adjoint sweep.
    pub index: SymbolId,
    /// The first value of the index, in terms of the adjoint sweep.
    pub first: Expr,
    /// What is added in each iteration.
    pub stride: i64,
    /// How many iterations there are, in terms of the adjoint sweep; none where that has to be counted.
    pub trips: Option<Expr>,
}

/// What is known of the loops of a unit.
#[derive(Debug, Default)]
pub struct LoopIndices {
    /// By the vertex of the loop.
    pub loops: FxHashMap<VertexId, Counted>,
    /// By the vertex of a block, the indices of the loops around it.
    pub around: FxHashMap<VertexId, Known>,
}

/// The expression in terms of the adjoint sweep, if it reads nothing but `known` indices, and bounds of arrays that keep their shape.
pub fn in_terms_of(program: &Program, known: &Known, e: &Expr) -> Option<Expr> {
    let asked: Vec<usize> = e.nodes.iter().filter(|n| is_inquiry(&n.kind)).flat_map(|n| n.operands.first()).map(|o| o.index()).collect();
    let stays = |k: usize, r: &VarRef| asked.contains(&k) && keeps_shape(program, r);
    let again = |r: &VarRef| if r.subscripts.is_empty() { known.get(&r.symbol).copied() } else { None };
    let can_be = e.nodes.iter().enumerate().all(|(k, n)| match &n.kind {
        NodeKind::Var(r) => stays(k, r) || again(r).is_some(),
        NodeKind::Const(_) | NodeKind::Op(_) => true,
        _ => false,
    });
    can_be.then(|| {
        let mut e = e.clone();
        for (k, n) in e.nodes.iter_mut().enumerate() {
            if let NodeKind::Var(r) = &mut n.kind
                && !stays(k, r)
                && let Some(index) = again(r)
            {
                *r = VarRef::whole(index);
            }
        }
        e
    })
}

fn is_inquiry(n: &NodeKind) -> bool {
    matches!(n, NodeKind::Op(op) if ["lbound", "ubound", "size"].contains(&op.name.as_str()))
}

/// An array, whole, that nothing allocates or associates anew.
fn keeps_shape(program: &Program, r: &VarRef) -> bool {
    let s = program.symbol(r.symbol);
    r.subscripts.is_empty() && s.rank > 0 && !s.pointer && !["allocatable", "pointer"].iter().any(|a| s.has_attribute(a)) && !s.void_shape
}

/// The regions of a graph that nests, without jumps.
pub fn tree(graph: &FlowGraph) -> Option<Vec<Region>> {
    regions(graph).ok().filter(|t| !has_jump(t))
}

fn has_jump(tree: &[Region]) -> bool {
    tree.iter().any(|r| match r {
        Region::Jump(_) => true,
        Region::Block(_) => false,
        Region::Branch { arms, .. } => arms.iter().any(|a| has_jump(&a.body)),
        Region::Loop { body, .. } => has_jump(body),
    })
}

/// Looks for such loops. `shared`: variables that may have other names.
pub fn find(
    program: &mut Program,
    temporaries: &mut Temporaries,
    unit: UnitId,
    tree: &[Region],
    shared: &dyn Fn(SymbolId) -> bool,
) -> LoopIndices {
    let graph = std::mem::take(&mut program.units[unit.index()].graph);
    let mut search = Search { program, temporaries, unit, graph: &graph, shared, found: LoopIndices::default() };
    search.regions(tree, &Known::default());
    let found = search.found;
    program.units[unit.index()].graph = graph;
    found
}

struct Search<'a> {
    program: &'a mut Program,
    temporaries: &'a mut Temporaries,
    unit: UnitId,
    graph: &'a FlowGraph,
    shared: &'a dyn Fn(SymbolId) -> bool,
    found: LoopIndices,
}

impl Search<'_> {
    fn regions(&mut self, tree: &[Region], known: &Known) {
        for region in tree {
            match region {
                Region::Block(v) => {
                    self.found.around.insert(*v, known.clone());
                }
                Region::Branch { arms, .. } => arms.iter().for_each(|a| self.regions(&a.body, known)),
                Region::Jump(_) => {}
                Region::Loop { vertex, body, .. } => {
                    let mut written = FxHashSet::default();
                    self.written(body, &mut written);
                    let mut inside = known.clone();
                    inside.retain(|i, _| !written.contains(i));
                    if let VertexKind::For(head) = &self.graph[*vertex].kind
                        && let StmtKind::Assignment { lhs, .. } = &head.init.kind
                    {
                        inside.remove(&lhs.symbol);
                        // Bounds that change would be counted: what is known of them reads nothing that is set.
                        if let Some(r) = range(self.program, head).filter(|r| !written.contains(&r.index))
                            && let Some(counted) = self.counted(&r, known)
                        {
                            inside.insert(r.index, counted.index);
                            self.found.loops.insert(*vertex, counted);
                        }
                    }
                    self.regions(body, &inside);
                }
            }
        }
    }

    fn counted(&mut self, r: &Range, known: &Known) -> Option<Counted> {
        let scope = self.program.unit(self.unit).scope;
        let stride = r.stride.as_int().filter(|s| *s != 0)?;
        let symbol = self.program.symbol(r.index);
        if symbol.scope != scope || symbol.has_attribute("unsigned") || (self.shared)(r.index) {
            return None;
        }
        let first = in_terms_of(self.program, known, &r.first)?;
        let fold = Fold { program: self.program };
        let trips =
            in_terms_of(self.program, known, &r.bound).map(|bound| trips(fold, &Range { first: first.clone(), bound, ..r.clone() }));
        let index = self.temporaries.add(self.program, scope, Kind::Plain, ElemType { base: BaseType::Integer, bits: 64 }, None);
        Some(Counted { index, first, stride, trips })
    }

    /// Variables that the code may set.
    fn written(&self, tree: &[Region], out: &mut FxHashSet<SymbolId>) {
        for region in tree {
            match region {
                Region::Block(v) => self.graph[*v].stmts().iter().for_each(|s| self.written_by(s, out)),
                Region::Branch { arms, .. } => arms.iter().for_each(|a| self.written(&a.body, out)),
                Region::Loop { vertex, body, .. } => {
                    if let VertexKind::For(head) = &self.graph[*vertex].kind {
                        self.written_by(&head.init, out);
                        self.written_by(&head.update, out);
                    }
                    self.written(body, out);
                }
                Region::Jump(_) => {}
            }
        }
    }

    fn written_by(&self, stmt: &Stmt, out: &mut FxHashSet<SymbolId>) {
        match &stmt.kind {
            StmtKind::Assignment { lhs, .. } => _ = out.insert(lhs.symbol),
            StmtKind::Call(call) => {
                let callee = self.program.unit_of_symbol(call.callee);
                let keeps = |a: &CallArgument| {
                    let formals = callee.map(|u| (u, &self.program.unit(u).formals));
                    let formal = formals.and_then(|(u, l)| l.iter().find(|f| f.position == a.position).map(|f| (u, f.symbol)));
                    formal.is_some_and(|(u, f)| is_input(self.program, u, f))
                };
                for a in call.arguments.iter().filter(|a| !keeps(a)) {
                    out.extend(a.value.as_var().map(|r| r.symbol));
                }
            }
            StmtKind::Marker(m) => out.extend(m.writes.iter().copied().chain(m.object.iter().map(|o| o.symbol))),
            StmtKind::Propagator(_) | StmtKind::Runtime { .. } => {}
        }
    }
}
