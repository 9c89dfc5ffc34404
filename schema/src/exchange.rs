//! Loops that exchange all elements of arrays, which a back end may write as an exchange of pointers or of descriptors.
//!
//! ```text
//! for (int k = 0; k < n; k++) {              double *t = a;              call move_alloc(a, t)
//!   double t = a[k];                         a = b;                      call move_alloc(b, a)
//!   a[k] = b[k];                      ->     b = t;                      call move_alloc(t, b)
//!   b[k] = t;
//! }
//! ```
//!
//! Memory of the unit's own is known to nobody else, so nobody can tell the one from the other. The loop must take every element, so the
//! arrays are allocated once, outside of all loops and branches, with the same bounds, and nothing changes these.
//!
//! Lives here: which loops these are. Never here: text, and which variables a language lets change places.

use crate::model::{
    BoolOp, Bound, Dim, Expr, ForLoop, MarkerClass, NodeKind, Program, Stmt, StmtKind, Storage, Symbol, SymbolId, Unit, VarRef, VertexId,
    VertexKind,
};
use crate::offsets;
use crate::structure::Region;
use rustc_hash::{FxHashMap, FxHashSet};

/// Arrays that change places, and perhaps others that do so in the same loop.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Which arrays, in the order of the statements.
    pub turns: Vec<Turn>,
    /// What is said inside of the loop.
    pub comment: String,
    /// The loops from the outside, and the block in the innermost one.
    pub vertices: Vec<VertexId>,
}

/// Arrays that change places.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The scalar that holds an element meanwhile; only exchanges name it.
    pub kept: SymbolId,
    /// Each gets what the next one has, the last what the first had.
    pub arrays: Vec<SymbolId>,
}

/// What a language has to say.
pub trait Language {
    /// Whether an array's memory may become another name's: it is the unit's own, and nothing else knows where it is.
    fn may_move(&self, array: SymbolId) -> bool;

    /// Whether the name of one array may stand for the memory of the other, which has the same type, rank and bounds.
    fn are_alike(&self, _a: SymbolId, _b: SymbolId) -> bool {
        true
    }

    /// Whether a variable that the unit sets as its text says may be set by other names as well.
    fn has_other_names(&self, _variable: SymbolId) -> bool {
        false
    }

    /// Whether the index of a loop, which nothing outside of loops over it names, vanishes with the loops.
    fn vanishes(&self, _index: SymbolId) -> bool {
        true
    }
}

/// The loops of a unit that exchange arrays, by their outermost vertices.
pub fn exchanges(program: &Program, unit: &Unit, regions: &[Region], language: &dyn Language) -> FxHashMap<VertexId, Exchange> {
    let bounds = allocated_at_top(unit, regions, language);
    if bounds.len() < 2 {
        return FxHashMap::default();
    }
    let mut search = Search { program, unit, language, bounds, facts: Facts::of(program, unit, regions), found: Vec::new() };
    search.sequence(regions);
    let Search { facts, mut found, .. } = search;
    // Nothing else uses the scalars.
    let mut times: FxHashMap<SymbolId, u32> = FxHashMap::default();
    found.iter().flat_map(|(_, x)| &x.turns).for_each(|t| *times.entry(t.kept).or_default() += 1);
    let alone = |t: &Turn| facts.named.get(&t.kept) == times.get(&t.kept).map(|n| 2 * n).as_ref();
    found.retain(|(_, x)| x.turns.iter().all(alone));
    found.into_iter().collect()
}

/// The array that a statement allocates.
pub fn allocated_array(s: &Stmt) -> Option<SymbolId> {
    allocated(s).map(|a| a.0)
}

fn allocated(s: &Stmt) -> Option<(SymbolId, Option<Vec<Dim>>)> {
    let StmtKind::Marker(m) = &s.kind else { return None };
    let object = m.object.as_ref().filter(|_| m.class == MarkerClass::Allocate)?;
    let dims = object.subscripts.iter().map(|t| match (&t.index, &t.bound) {
        (Some(l), Some(u)) => Some(Dim { lower: Bound::Expr(l.clone()), upper: Bound::Expr(u.clone()) }),
        _ => None,
    });
    Some((object.symbol, dims.collect()))
}

/// The bounds of the arrays that are allocated once, outside of all loops and branches.
fn allocated_at_top(unit: &Unit, regions: &[Region], language: &dyn Language) -> FxHashMap<SymbolId, Vec<Dim>> {
    let mut times: FxHashMap<SymbolId, u32> = FxHashMap::default();
    for s in unit.graph.node_weights().flat_map(|v| v.stmts()) {
        if let Some((a, _)) = allocated(s) {
            *times.entry(a).or_default() += 1;
        }
    }
    times.retain(|&a, n| *n == 1 && language.may_move(a));
    let top = regions.iter().filter_map(|r| match r {
        Region::Block(v) => Some(*v),
        _ => None,
    });
    let once = top.flat_map(|v| unit.graph[v].stmts()).filter_map(|s| allocated(s)).filter(|(a, _)| times.contains_key(a));
    once.filter_map(|(a, dims)| Some((a, dims.filter(|d| !d.is_empty())?))).collect()
}

/// What the statements of a unit do with each name.
#[derive(Default)]
struct Facts {
    /// How often each is named as a value or as a target.
    named: FxHashMap<SymbolId, u32>,
    /// How many statements set each.
    set: FxHashMap<SymbolId, u32>,
    /// What is named outside of the loops whose index it is.
    outside: FxHashSet<SymbolId>,
}

impl Facts {
    fn of(program: &Program, unit: &Unit, regions: &[Region]) -> Facts {
        let mut facts = Facts::default();
        facts.sequence(program, unit, regions, &mut Vec::new());
        facts
    }

    fn sequence(&mut self, program: &Program, unit: &Unit, regions: &[Region], open: &mut Vec<SymbolId>) {
        for r in regions {
            match r {
                Region::Block(v) => unit.graph[*v].stmts().iter().for_each(|s| self.stmt(program, s, open)),
                Region::Jump(_) => {}
                Region::Branch { vertex, arms, .. } => {
                    self.vertex(program, &unit.graph[*vertex].kind, open);
                    arms.iter().for_each(|a| self.sequence(program, unit, &a.body, open));
                }
                Region::Loop { vertex, body, .. } => {
                    let kind = &unit.graph[*vertex].kind;
                    let mut index = None;
                    if let VertexKind::For(head) = kind
                        && let StmtKind::Assignment { lhs, rhs } = &head.init.kind
                    {
                        index = Some(lhs.symbol);
                        // The first value is computed outside.
                        rhs.for_each_ref(&mut |r| {
                            self.outside.insert(r.symbol);
                        });
                    }
                    open.extend(index);
                    self.vertex(program, kind, open);
                    self.sequence(program, unit, body, open);
                    open.truncate(open.len() - usize::from(index.is_some()));
                }
            }
        }
    }

    fn vertex(&mut self, program: &Program, kind: &VertexKind, open: &[SymbolId]) {
        match kind {
            VertexKind::For(head) => {
                self.stmt(program, &head.init, open);
                self.expr(&head.condition, open);
                self.stmt(program, &head.update, open);
            }
            VertexKind::Pre(c) | VertexKind::Post(c) | VertexKind::Branch(c) => self.expr(c, open),
            _ => {}
        }
    }

    fn name(&mut self, s: SymbolId, open: &[SymbolId]) {
        *self.named.entry(s).or_default() += 1;
        if !open.contains(&s) {
            self.outside.insert(s);
        }
    }

    fn expr(&mut self, e: &Expr, open: &[SymbolId]) {
        e.for_each_ref(&mut |r| self.name(r.symbol, open));
    }

    fn sets(&mut self, s: SymbolId) {
        *self.set.entry(s).or_default() += 1;
    }

    fn stmt(&mut self, program: &Program, s: &Stmt, open: &[SymbolId]) {
        match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                self.sets(lhs.symbol);
                self.name(lhs.symbol, open);
                lhs.index_exprs().for_each(|e| self.expr(e, open));
                self.expr(rhs, open);
            }
            StmtKind::Call(call) => {
                for a in &call.arguments {
                    if !program.passes_value(call, a.position) {
                        a.value.as_var().into_iter().for_each(|r| self.sets(r.symbol));
                    }
                    self.expr(&a.value, open);
                }
            }
            StmtKind::Marker(m) => {
                m.reads.iter().chain(&m.writes).for_each(|&s| self.name(s, open));
                m.writes.iter().for_each(|&s| self.sets(s));
                m.object.iter().flat_map(|o| o.index_exprs()).for_each(|e| self.expr(e, open));
            }
            StmtKind::Runtime { name, arguments } => {
                for a in arguments {
                    a.value.as_var().filter(|_| name != "push").into_iter().for_each(|r| self.sets(r.symbol));
                    self.expr(&a.value, open);
                }
            }
            StmtKind::Propagator(_) => {}
        }
    }
}

fn assigned(s: &Stmt) -> Option<SymbolId> {
    match &s.kind {
        StmtKind::Assignment { lhs, .. } => Some(lhs.symbol),
        _ => None,
    }
}

/// Loops right inside of each other, from the outside.
struct Nest<'a> {
    heads: Vec<&'a ForLoop>,
    /// What stands in the innermost one.
    stmts: &'a [Box<Stmt>],
    /// What is said inside.
    comments: Vec<&'a str>,
    vertices: Vec<VertexId>,
}

impl Nest<'_> {
    fn of<'a>(unit: &'a Unit, mut at: VertexId, mut body: &'a [Region]) -> Option<Nest<'a>> {
        let (mut heads, mut comments, mut vertices) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let VertexKind::For(head) = &unit.graph[at].kind else { return None };
            heads.push(&**head);
            vertices.push(at);
            let [inner] = body else { return None };
            match inner {
                Region::Loop { vertex, body: inner, .. } => {
                    comments.push(unit.graph[*vertex].comment.as_str());
                    (at, body) = (*vertex, inner);
                }
                Region::Block(v) => {
                    let stmts = unit.graph[*v].stmts();
                    vertices.push(*v);
                    comments.push(unit.graph[*v].comment.as_str());
                    comments.extend(stmts.iter().map(|s| s.comment.as_str()));
                    comments.retain(|c| !c.is_empty());
                    return Some(Nest { heads, stmts, comments, vertices });
                }
                _ => return None,
            }
        }
    }
}

/// The variables that are the subscripts of what a statement assigns.
fn first_subscripts(s: &Stmt) -> Vec<SymbolId> {
    let StmtKind::Assignment { rhs, .. } = &s.kind else { return Vec::new() };
    let of = |r: &VarRef| r.index_exprs().filter_map(|e| e.as_var()).map(|v| v.symbol).collect();
    rhs.as_var().map(of).unwrap_or_default()
}

/// The exchanges of elements that some statements are; `indices` are the subscripts of all of them.
fn turns(stmts: &[Box<Stmt>], indices: &[SymbolId]) -> Option<Vec<Turn>> {
    let element = |e: &Expr| {
        let r = e.as_var()?;
        let alike = r.subscripts.len() == indices.len()
            && r.subscripts.iter().zip(indices).all(|(t, &k)| !t.is_section() && t.index.as_ref().is_some_and(|e| is_symbol(e, k)));
        alike.then_some(r.symbol)
    };
    // With those that are complete.
    let mut found: Vec<(Turn, bool)> = Vec::new();
    for s in stmts {
        let StmtKind::Assignment { lhs, rhs } = &s.kind else { return None };
        let next = element(rhs).filter(|a| !found.iter().any(|(t, _)| t.arrays.contains(a)));
        if lhs.subscripts.is_empty() {
            let again = found.iter().any(|(t, _)| t.kept == lhs.symbol);
            found.push((Turn { kept: lhs.symbol, arrays: vec![next.filter(|_| !again)?] }, false));
            continue;
        }
        let last = element(&Expr::var(lhs.clone()))?;
        let (turn, done) = found.iter_mut().find(|(t, done)| !done && t.arrays.last() == Some(&last))?;
        // The last one gets what the first one had.
        *done = is_symbol(rhs, turn.kept) && turn.arrays.len() > 1;
        if !*done {
            turn.arrays.push(next?);
        }
    }
    let all = !found.is_empty() && found.iter().all(|(_, done)| *done);
    all.then(|| found.into_iter().map(|(turn, _)| turn).collect())
}

fn is_symbol(e: &Expr, s: SymbolId) -> bool {
    e.as_var().is_some_and(|r| r.symbol == s && r.subscripts.is_empty())
}

/// The index of a loop that takes all values from one bound to another, in whatever order.
fn index_over(head: &ForLoop, dim: &Dim) -> Option<SymbolId> {
    let (Bound::Expr(low), Bound::Expr(high)) = (&dim.lower, &dim.upper) else { return None };
    let (StmtKind::Assignment { lhs, rhs: first }, StmtKind::Assignment { lhs: next, rhs: value }) = (&head.init.kind, &head.update.kind)
    else {
        return None;
    };
    let index = Some(lhs.symbol).filter(|&i| next.symbol == i)?;
    let step = offsets::minus(value.clone(), &Expr::sym(index)).as_int()?;
    let (NodeKind::Bool(relation), [a, b]) = (&head.condition.root().kind, &head.condition.root().operands[..]) else { return None };
    let bound = Some(head.condition.subexpr(*b)).filter(|_| is_symbol(&head.condition.subexpr(*a), index))?;
    let (last, ends) = match (relation, step) {
        (BoolOp::LessThan, 1) => (offsets::plus(bound, -1), (low, high)),
        (BoolOp::LessOrEqual, 1) => (bound, (low, high)),
        (BoolOp::GreaterThan, -1) => (offsets::plus(bound, 1), (high, low)),
        (BoolOp::GreaterOrEqual, -1) => (bound, (high, low)),
        _ => return None,
    };
    let same = |a: &Expr, b: &Expr| offsets::minus(a.clone(), b).as_int() == Some(0);
    (same(first, ends.0) && same(&last, ends.1)).then_some(index)
}

struct Search<'a> {
    program: &'a Program,
    unit: &'a Unit,
    language: &'a dyn Language,
    bounds: FxHashMap<SymbolId, Vec<Dim>>,
    facts: Facts,
    found: Vec<(VertexId, Exchange)>,
}

impl Search<'_> {
    fn sequence(&mut self, regions: &[Region]) {
        for r in regions {
            match r {
                Region::Block(_) | Region::Jump(_) => {}
                Region::Branch { arms, .. } => arms.iter().for_each(|a| self.sequence(&a.body)),
                Region::Loop { vertex, body, .. } => match self.whole_exchange(*vertex, body) {
                    Some(x) => self.found.push((*vertex, x)),
                    None => self.sequence(body),
                },
            }
        }
    }

    fn whole_exchange(&self, v: VertexId, body: &[Region]) -> Option<Exchange> {
        let Nest { mut heads, stmts, comments, vertices } = Nest::of(self.unit, v, body)?;
        // The loops in the order of the subscripts.
        let subscripts = stmts.first().map(|s| first_subscripts(s)).filter(|s| s.len() == heads.len())?;
        heads.sort_by_key(|h| subscripts.iter().position(|&s| assigned(&h.init) == Some(s)));
        let indices: Vec<SymbolId> = heads.iter().map(|h| assigned(&h.init)).collect::<Option<_>>()?;
        let turns = turns(stmts, &indices)?;
        // Outside of the loops nobody asks for their indices.
        let own_indices = indices.iter().all(|i| !self.facts.outside.contains(i) && self.is_own(*i) && self.language.vanishes(*i));
        let whole = own_indices && turns.iter().all(|t| self.takes_all(t, &heads, &indices));
        whole.then(|| Exchange { turns, comment: comments.join("\n"), vertices })
    }

    /// A variable that the unit declares for itself.
    fn is_own(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        let formal = self.unit.formals.iter().any(|f| f.symbol == s);
        symbol.scope == self.unit.scope && *symbol.storage() == Storage::Local && !formal
    }

    /// Whether loops take all elements of some arrays that are alike.
    fn takes_all(&self, turn: &Turn, heads: &[&ForLoop], indices: &[SymbolId]) -> bool {
        let Some((first, dims)) = turn.arrays.first().and_then(|a| Some((*a, self.bounds.get(a)?))) else { return false };
        if heads.len() != dims.len() || !heads.iter().zip(dims).zip(indices).all(|((h, d), &i)| index_over(h, d) == Some(i)) {
            return false;
        }
        let like = self.program.symbol(first);
        let spelled = |s: &Symbol| s.decl.as_ref().map(|d| d.type_text.clone());
        let alike = |&a: &SymbolId| {
            let symbol = self.program.symbol(a);
            self.is_own(a)
                && symbol.ty == like.ty
                && spelled(symbol) == spelled(like)
                && self.bounds.get(&a) == Some(dims)
                && self.language.are_alike(first, a)
        };
        let bounds_stay = dims.iter().all(|d| match (&d.lower, &d.upper) {
            (Bound::Expr(low), Bound::Expr(high)) => low.refs().chain(high.refs()).all(|r| self.is_steady(r.symbol)),
            _ => false,
        });
        let plain = self.is_own(turn.kept) && self.program.symbol(turn.kept).ty == like.ty;
        plain && bounds_stay && turn.arrays.iter().all(alike)
    }

    /// Whether a bound is what it was at the allocation.
    fn is_steady(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        let set = self.facts.set.get(&s).copied().unwrap_or(0);
        symbol.rank == 0
            && !self.language.has_other_names(s)
            && match symbol.storage() {
                Storage::Constant => true,
                Storage::Argument => set == 0,
                Storage::Local => set <= 1 && self.is_own(s),
                _ => false,
            }
    }
}
