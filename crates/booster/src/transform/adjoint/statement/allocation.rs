//! Work arrays that a unit allocates and frees.
//!
//! An array that is allocated once, outside of loops, lives until the reverse sweep comes back to its allocation: the forward sweep does not free it.
//!
//! ```text
//! allocate a         allocate a, ab = 0
//! ...            ->  ...
//! free a             (reverse sweep of ...)
//!                    free ab, a
//! ```
//!
//! Any other array is freed where the original frees it, its contents recorded, and allocated anew when the reverse sweep comes there. Where it is not
//! known with which bounds that has to be, these go to the stack, too. What the language frees where a unit returns is freed by a statement at the
//! end of a forward sweep that is a unit of its own.
//!
//! Lives here: allocation and deallocation statements. Never here: what is recorded.

use crate::transform::adjoint::code::mentions::in_stmt;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind, for_each_stmt};
use crate::transform::adjoint::facts::effects::{Facts, Written, operands};
use crate::transform::follow;
use petgraph::Direction;
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{
    BaseType, EdgeId, Expr, FlowGraph, Marker, MarkerClass, Span, Stmt, StmtKind, Storage, SymbolId, Triplet, VarRef, VertexId, VertexKind,
};
use xaif::{Diagnostic, Program};

fn operands_of(e: &Expr, into: &mut Vec<SymbolId>) {
    e.for_each_ref(&mut |r| {
        if !into.contains(&r.symbol) {
            into.push(r.symbol);
        }
    });
}

/// The adjoint of an array that is allocated or freed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adjoint {
    /// The variable, where the array is active.
    pub companion: Option<SymbolId>,
    /// The forward sweep does not touch it: it is a unit of its own, or the adjoint comes from the caller, like the array is at the end.
    pub backward_only: bool,
}

impl Adjoint {
    /// What is allocated and freed along with the array in the forward sweep.
    fn along(self) -> Option<SymbolId> {
        self.companion.filter(|_| !self.backward_only)
    }
}

/// The allocations of a unit.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    /// What is allocated once may stay until the reverse sweep.
    may_stay: bool,
    of: FxHashMap<SymbolId, Life>,
    /// What is freed before anything in the unit allocates it.
    freed_first: FxHashSet<SymbolId>,
    /// What is freed in the same sequence of statements in which it was allocated: by the statement that frees it.
    pairs: FxHashMap<(SymbolId, Span), VarRef>,
    /// Arrays that are used or freed when variables of their bounds may have changed: the bounds do not tell their lengths any more.
    outdated: FxHashSet<SymbolId>,
}

#[derive(Debug)]
struct Life {
    /// The first allocation.
    object: VarRef,
    allocations: usize,
    in_loop: bool,
    alike: bool,
    frees: usize,
    /// How many allocations are freed in the same sequence.
    paired: usize,
}

impl Life {
    /// Whether it is known where it is freed what length it was allocated with.
    fn is_followed(&self) -> bool {
        self.frees > 0 && (self.alike || self.paired == self.allocations && self.paired == self.frees)
    }
}

impl Allocations {
    /// Finds them. `changes` has what a statement with an effect of its own may change: a call, a marker.
    pub fn of(program: &Program, items: &[Item], may_stay: bool, changes: &dyn Fn(&Stmt) -> Vec<SymbolId>) -> Allocations {
        let mut out = Allocations { may_stay, ..Allocations::default() };
        out.collect(items, false);
        out.pair(items);
        if !out.of.is_empty() {
            let mut extents: FxHashMap<SymbolId, Vec<SymbolId>> = FxHashMap::default();
            for_each_stmt(items, &mut |s| {
                let StmtKind::Marker(m) = &s.kind else { return };
                let Some(o) = m.object.as_ref().filter(|_| m.class == MarkerClass::Allocate) else { return };
                let mut named = Vec::new();
                o.index_exprs().for_each(|e| operands_of(e, &mut named));
                named.retain(|v| *program.symbol(*v).storage() != Storage::Constant);
                named.into_iter().for_each(|v| extents.entry(v).or_default().push(o.symbol));
            });
            let mut walk = Outdated { extents, changes, found: FxHashSet::default() };
            walk.sequence(items, &mut There::default());
            out.outdated = walk.found;
        }
        out
    }

    fn collect(&mut self, items: &[Item], in_loop: bool) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(s) => self.stmt(s, in_loop),
                ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| self.collect(&a.body, in_loop)),
                ItemKind::Loop { body, .. } => for_each_stmt(body, &mut |s| self.stmt(s, true)),
            }
        }
    }

    /// Finds what each sequence allocates and frees.
    fn pair(&mut self, items: &[Item]) {
        let mut open: FxHashMap<SymbolId, VarRef> = FxHashMap::default();
        for item in items {
            match &item.kind {
                ItemKind::Stmt(s) => {
                    let StmtKind::Marker(m) = &s.kind else { continue };
                    let Some(object) = &m.object else { continue };
                    if m.class == MarkerClass::Allocate {
                        open.insert(object.symbol, object.clone());
                    } else if m.class == MarkerClass::Deallocate
                        && let Some(from) = open.remove(&object.symbol)
                        && let Some(life) = self.of.get_mut(&object.symbol)
                    {
                        life.paired += 1;
                        self.pairs.insert((object.symbol, s.span), from);
                    }
                }
                ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| self.pair(&a.body)),
                ItemKind::Loop { body, .. } => self.pair(body),
            }
        }
    }

    fn stmt(&mut self, s: &Stmt, in_loop: bool) {
        let StmtKind::Marker(m) = &s.kind else { return };
        let Some(object) = &m.object else { return };
        match m.class {
            MarkerClass::Allocate => {
                let life = self.of.entry(object.symbol).or_insert_with(|| Life {
                    object: object.clone(),
                    allocations: 0,
                    in_loop: false,
                    alike: true,
                    frees: 0,
                    paired: 0,
                });
                life.allocations += 1;
                life.in_loop |= in_loop;
                life.alike &= life.object.subscripts == object.subscripts;
            }
            MarkerClass::Deallocate => {
                if let Some(life) = self.of.get_mut(&object.symbol) {
                    life.frees += 1;
                    life.in_loop |= in_loop;
                } else {
                    self.freed_first.insert(object.symbol);
                }
            }
            _ => {}
        }
    }

    /// The whole of an allocated array as a section with bounds; `None` for other variables.
    pub fn whole(&self, program: &Program, symbol: SymbolId) -> Option<&VarRef> {
        let local = *program.symbol(symbol).storage() == Storage::Local;
        self.of.get(&symbol).filter(|l| local && l.alike && !self.outdated.contains(&symbol)).map(|l| &l.object)
    }

    /// Whether an array lives from its only allocation until the reverse sweep comes back there.
    pub fn stays(&self, symbol: SymbolId) -> bool {
        self.may_stay && self.of.get(&symbol).is_some_and(|l| l.allocations == 1 && !l.in_loop)
    }

    /// The unit's own arrays that it allocates.
    pub fn locals(&self, program: &Program) -> Vec<SymbolId> {
        let mut out: Vec<SymbolId> = self.of.keys().copied().filter(|&s| *program.symbol(s).storage() == Storage::Local).collect();
        out.sort_unstable();
        out
    }

    /// One of the unit's own arrays that it allocates.
    pub fn is_local(&self, program: &Program, symbol: SymbolId) -> bool {
        self.of.contains_key(&symbol) && *program.symbol(symbol).storage() == Storage::Local
    }

    /// Local arrays that do not stay, and whose bounds need not be kept: their adjoints are there in the reverse sweep only.
    pub fn passing(&self, program: &Program) -> Vec<SymbolId> {
        let mut out = self.locals(program);
        out.retain(|&s| !self.stays(s) && !self.keeps_bounds(program, s));
        out
    }

    /// Whether the unit allocates and frees it.
    pub fn frees(&self, symbol: SymbolId) -> bool {
        self.of.get(&symbol).is_some_and(|l| l.frees > 0)
    }

    /// Whether the bounds of an array must be kept where it is freed: they depend on the path that led there, or on what ran before the unit.
    pub fn keeps_bounds(&self, program: &Program, symbol: SymbolId) -> bool {
        let local = *program.symbol(symbol).storage() == Storage::Local;
        let Some(life) = self.of.get(&symbol) else {
            return self.may_stay && !local && program.symbol(symbol).has_attribute("allocatable");
        };
        let plain = self.is_plain(program, &life.object) && !self.outdated.contains(&symbol);
        if !self.may_stay {
            return local && life.is_followed() && !plain;
        }
        let settled = if local {
            self.stays(symbol) || life.is_followed() && plain
        } else {
            life.frees == 0 && !self.freed_first.contains(&symbol) && self.stays(symbol)
        };
        !settled
    }

    /// Whether the extents depend on no array that may have another shape, or be gone, when this one is freed.
    fn is_plain(&self, program: &Program, object: &VarRef) -> bool {
        let mut plain = true;
        for e in object.index_exprs() {
            e.for_each_ref(&mut |r| {
                let s = program.symbol(r.symbol);
                plain &= s.rank == 0 || !s.has_attribute("allocatable") || *s.storage() == Storage::Local && self.stays(r.symbol);
            });
        }
        plain
    }

    /// What is to be done for an allocation or deallocation of an array whose bounds are kept on the stack, in the given variables between.
    pub fn with_bounds(stmt: &Stmt, marker: &Marker, adjoint: Adjoint, bounds: &[(SymbolId, SymbolId)]) -> Facts {
        let companion = adjoint.companion;
        let Some(object) = &marker.object else { return Facts { always: true, ..Facts::default() } };
        let both = || companion.into_iter().chain([object.symbol]);
        let frees = || both().map(|s| Item::stmt(follow::free(s)));
        let mut facts = Facts { always: true, restores: true, ..Facts::default() };
        if marker.class == MarkerClass::Allocate {
            for e in object.index_exprs() {
                operands_of(e, &mut facts.reads);
            }
            let mut items = vec![Item::stmt(stmt.clone())];
            items.extend(adjoint.along().map(|c| Item::stmt(follow::allocate(object.with_symbol(c), true))));
            facts.instead = Some(items);
            facts.adjoint = frees().collect();
            return facts;
        }
        facts.writes.push(Written { place: VarRef::whole(object.symbol), kills: true, own: false });
        let mut section = VarRef::whole(object.symbol);
        let value = |s: SymbolId| Some(Expr::sym(s));
        section.subscripts = bounds.iter().map(|&(l, u)| Triplet { index: value(l), bound: value(u), stride: None }).collect();
        let mut items = Vec::new();
        for (k, &(lower, upper)) in bounds.iter().enumerate() {
            for (name, v) in [("lbound", lower), ("ubound", upper)] {
                items.push(Item::stmt(Stmt::assign(VarRef::whole(v), follow::bound(name, object.symbol, k))));
            }
        }
        items.push(Item::stmt(Stmt::runtime("push", Expr::var(section.clone()))));
        let kept: Vec<SymbolId> = bounds.iter().flat_map(|&(l, u)| [l, u]).collect();
        items.extend(kept.iter().map(|&v| Item::stmt(Stmt::runtime("push", Expr::sym(v)))));
        items.push(Item::stmt(stmt.clone()));
        items.extend(adjoint.along().map(|c| Item::stmt(follow::free(c))));
        facts.instead = Some(items);
        facts.adjoint = kept.iter().rev().map(|&v| Item::stmt(Stmt::runtime("pop", Expr::sym(v)))).collect();
        facts.adjoint.push(Item::stmt(follow::allocate(section.clone(), false)));
        facts.adjoint.extend(companion.map(|c| Item::stmt(follow::allocate(section.with_symbol(c), true))));
        facts.adjoint.push(Item::stmt(Stmt::runtime("pop", Expr::var(section))));
        facts
    }

    /// What is to be done for an allocation or deallocation.
    ///
    /// # Errors
    /// An array that is allocated in a loop, or several times, in a way that cannot be undone.
    pub fn facts(&self, program: &Program, stmt: &Stmt, marker: &Marker, adjoint: Adjoint) -> Result<Facts, Diagnostic> {
        let companion = adjoint.companion;
        let Some(object) = &marker.object else { return Ok(Facts { always: true, ..Facts::default() }) };
        let name = &program.symbol(object.symbol).name;
        let Some(life) = self.of.get(&object.symbol) else {
            return Err(Diagnostic::error("OB4053", format!("{name} is freed, but nothing in the unit allocates it"))
                .at(program.location(stmt.span))
                .because("the reverse sweep could not allocate it again")
                .help("allocate and free it in the same unit"));
        };
        let object_there = self.pairs.get(&(object.symbol, stmt.span)).filter(|_| !life.alike).unwrap_or(&life.object);
        let mut reads = Vec::new();
        for e in object_there.index_exprs() {
            operands(program, e, &mut reads);
        }
        let whole = VarRef::whole(object.symbol);
        let mut facts = Facts { reads: reads.clone(), writes: vec![Written::new(whole, true)], always: true, ..Facts::default() };
        let simple = self.stays(object.symbol);
        let allocate = |r: VarRef, zeroed: bool| Item::stmt(follow::allocate(r, zeroed));
        let frees = || companion.into_iter().chain([object.symbol]).map(|s| Item::stmt(follow::free(s))).collect::<Vec<_>>();
        match (marker.class == MarkerClass::Allocate, simple) {
            (true, true) => {
                let mut items = vec![Item::stmt(stmt.clone())];
                items.extend(adjoint.along().map(|c| allocate(life.object.with_symbol(c), true)));
                facts.instead = Some(items);
                facts.adjoint = frees();
            }
            (false, true) => {
                facts.writes.clear();
                facts.instead = Some(Vec::new());
            }
            (true, false) => {
                if !life.is_followed() {
                    return Err(Diagnostic::error(
                        "OB4054",
                        format!("{name} is allocated in a loop, or several times, and cannot be followed"),
                    )
                    .at(program.location(stmt.span))
                    .because("the reverse sweep must allocate it again with the same length where it was freed")
                    .help("allocate it once, or free it in the same block with the same length"));
                }
                // There is nothing in it yet that could be recorded.
                facts.writes.clear();
                facts.adjoint = frees();
            }
            (false, false) => {
                facts.reopen.push(allocate(object_there.clone(), false));
                facts.reopen.extend(companion.map(|c| allocate(object_there.with_symbol(c), true)));
                facts.needs = reads;
            }
        }
        Ok(facts)
    }
}

/// Looks for arrays that are used or freed when what they were allocated with has changed.
struct Outdated<'a> {
    /// For each variable the arrays whose bounds name it.
    extents: FxHashMap<SymbolId, Vec<SymbolId>>,
    changes: &'a dyn Fn(&Stmt) -> Vec<SymbolId>,
    found: FxHashSet<SymbolId>,
}

/// Arrays that may be there at some point.
#[derive(Clone, Default, PartialEq)]
struct There {
    all: FxHashSet<SymbolId>,
    /// Those whose bounds may have changed since.
    changed: FxHashSet<SymbolId>,
}

impl There {
    fn join(&mut self, other: &There) {
        self.all.extend(&other.all);
        self.changed.extend(&other.changed);
    }
}

impl Outdated<'_> {
    /// Goes through code with the arrays that may be there.
    fn sequence(&mut self, items: &[Item], there: &mut There) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(s) => self.stmt(s, there),
                ItemKind::Branch { arms, .. } => {
                    let before = there.clone();
                    for a in &**arms {
                        let mut inside = before.clone();
                        self.sequence(&a.body, &mut inside);
                        there.join(&inside);
                    }
                }
                ItemKind::Loop { kind, body, .. } => {
                    let before = there.clone();
                    self.round(kind, body, there);
                    // What one iteration leaves there the next one finds.
                    there.join(&before);
                    if *there != before {
                        self.round(kind, body, there);
                        there.join(&before);
                    }
                }
            }
        }
    }

    fn round(&mut self, kind: &LoopKind, body: &[Item], there: &mut There) {
        if let LoopKind::For(f) = kind {
            self.stmt(&f.init, there);
        }
        self.sequence(body, there);
    }

    fn stmt(&mut self, s: &Stmt, there: &mut There) {
        if let StmtKind::Marker(m) = &s.kind
            && let Some(o) = m.object.as_ref().filter(|_| m.class == MarkerClass::Allocate)
        {
            there.all.insert(o.symbol);
            there.changed.remove(&o.symbol);
            return;
        }
        if !there.changed.is_empty() {
            in_stmt(s, &mut |v| {
                if there.changed.contains(&v) {
                    self.found.insert(v);
                }
            });
        }
        let list = match &s.kind {
            StmtKind::Assignment { lhs, .. } => vec![lhs.symbol],
            StmtKind::Marker(m) if m.class == MarkerClass::Deallocate => {
                if let Some(o) = &m.object {
                    there.all.remove(&o.symbol);
                    there.changed.remove(&o.symbol);
                }
                Vec::new()
            }
            _ => (self.changes)(s),
        };
        for v in list {
            let arrays = self.extents.get(&v).into_iter().flatten();
            there.changed.extend(arrays.filter(|a| there.all.contains(a)));
        }
    }
}

/// What is left of an array where a unit ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// Freed on every way, or never allocated.
    Gone,
    /// Allocated on every way, on one of them here.
    There(Span),
    /// Allocated on some ways, on one of them here.
    Either(Span),
}

/// Whether an array is allocated at the end of a unit, on whatever way that was reached. Goes back from the exits to what last allocated or freed it.
///
/// Where `if (flag) free` frees it, ways on which the flag was set last are none on which it is not freed: what front ends make of C's `free` of a
/// pointer that may be null.
pub(crate) fn at_end(program: &Program, graph: &FlowGraph, symbol: SymbolId) -> AtEnd {
    let exits = graph.node_indices().filter(|&v| matches!(graph[v].kind, VertexKind::Exit));
    // With a flag that is known not to hold behind the vertex.
    let mut todo: Vec<(VertexId, Option<SymbolId>)> = exits.map(|v| (v, None)).collect();
    let mut seen: FxHashSet<(VertexId, Option<SymbolId>)> = todo.iter().copied().collect();
    let mut left = None;
    let mut gone = false;
    while let Some((v, flag)) = todo.pop() {
        let flag = match back(graph[v].stmts(), symbol, flag) {
            Back::Freed => {
                gone = true;
                continue;
            }
            Back::Allocated(span) => {
                left = left.or(Some(span));
                continue;
            }
            Back::Never => continue,
            Back::On(flag) => flag,
        };
        gone |= matches!(graph[v].kind, VertexKind::Entry);
        for e in graph.edges_directed(v, Direction::Incoming) {
            let at = (e.source(), flag.or_else(|| flag_of(program, graph, e.id(), symbol)));
            if seen.insert(at) {
                todo.push(at);
            }
        }
    }
    match left {
        None => AtEnd::Gone,
        Some(span) if gone => AtEnd::Either(span),
        Some(span) => AtEnd::There(span),
    }
}

/// What statements say that were run last.
enum Back {
    /// They free the array.
    Freed,
    /// They allocate it and leave it allocated.
    Allocated(Span),
    /// They set the flag, so that this is no way to where it does not hold.
    Never,
    /// Nothing; what is known of a flag in front of them.
    On(Option<SymbolId>),
}

fn back(stmts: &[Box<Stmt>], symbol: SymbolId, mut flag: Option<SymbolId>) -> Back {
    for s in stmts.iter().rev() {
        match &s.kind {
            StmtKind::Marker(m) if m.object.as_ref().is_some_and(|o| o.symbol == symbol) => {
                return if m.class == MarkerClass::Deallocate { Back::Freed } else { Back::Allocated(s.span) };
            }
            StmtKind::Assignment { lhs, rhs } if flag == Some(lhs.symbol) => {
                if *rhs == Expr::bool(true) {
                    return Back::Never;
                }
                flag = None;
            }
            StmtKind::Assignment { .. } => {}
            _ => {
                let mut named = false;
                in_stmt(s, &mut |v| named |= flag == Some(v));
                flag = flag.filter(|_| !named);
            }
        }
    }
    Back::On(flag)
}

/// The flag that does not hold on an edge: the edge goes past `if (flag) free`.
fn flag_of(program: &Program, graph: &FlowGraph, edge: EdgeId, symbol: SymbolId) -> Option<SymbolId> {
    let (branch, _) = graph.edge_endpoints(edge)?;
    let VertexKind::Branch(condition) = &graph[branch].kind else { return None };
    let flag = condition.as_var().filter(|r| r.subscripts.is_empty())?.symbol;
    let s = program.symbol(flag);
    let alone = s.ty.base == BaseType::Bool
        && s.rank == 0
        && *s.storage() == Storage::Local
        && !s.pointer
        && s.decl.as_ref().is_none_or(|d| !d.may_alias);
    let frees = |v: VertexId| matches!(back(graph[v].stmts(), symbol, None), Back::Freed);
    let guards = graph.edges(branch).any(|e| e.weight().value == Some(1) && frees(e.target()));
    (alone && guards && graph[edge].value != Some(1)).then_some(flag)
}

/// What frees the local arrays that the language frees when a unit returns: a forward sweep of its own loses them, so its reverse sweep has to
/// allocate them again, as it does for all that is freed.
pub(crate) fn freed_by_return(program: &Program, graph: &FlowGraph) -> Vec<Item> {
    let allocated = graph.node_weights().flat_map(|v| v.stmts()).filter_map(|s| match &s.kind {
        StmtKind::Marker(m) if m.class == MarkerClass::Allocate => m.object.as_ref().map(|o| o.symbol),
        _ => None,
    });
    let is_freed = |s: &SymbolId| {
        let symbol = program.symbol(*s);
        *symbol.storage() == Storage::Local && symbol.has_attribute("allocatable")
    };
    let arrays: std::collections::BTreeSet<SymbolId> = allocated.filter(is_freed).collect();
    let freed = |s: SymbolId| match at_end(program, graph, s) {
        AtEnd::Gone => None,
        AtEnd::There(_) => Some(Item::stmt(follow::free(s))),
        AtEnd::Either(_) => {
            let (condition, free) = follow::freed(s);
            Some(Item::branch(condition, vec![Item::stmt(free)], Vec::new()))
        }
    };
    arrays.into_iter().filter_map(freed).collect()
}

/// Makes sure that an array is gone at the end, on whatever way the end was reached.
///
/// # Errors
/// A way on which it is left allocated.
pub(crate) fn freed_at_end(program: &Program, graph: &FlowGraph, symbol: SymbolId) -> Result<(), Diagnostic> {
    let (at, ways) = match at_end(program, graph, symbol) {
        AtEnd::Gone => return Ok(()),
        AtEnd::There(span) => (span, "is allocated, and still there at the end of the unit"),
        AtEnd::Either(span) => (span, "is freed on some ways to the end of the unit, and not on others"),
    };
    Err(Diagnostic::error("OB4054", format!("{} {ways}", program.symbol(symbol).name))
        .at(program.location(at))
        .because("the reverse sweep cannot know what the forward sweep left")
        .help("free it on every way, or in Fortran choose joint reversal"))
}
