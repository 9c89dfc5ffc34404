//! How far a unit goes through an array whose extent nothing declares.
//!
//! ```text
//! for (i = 0; i < n; i++) for (j = 0; j <= i; j++) a[i*n + j]      0 <= i*n + j <= (n - 1)*n + n - 1, so n*n elements
//! ```
//!
//! A subscript is a sum of products of whole numbers. What changes is replaced by the end of its range, innermost loops first: with `S = c*x + r`, where `c` and
//! `r` do not have `x`,
//!
//! ```text
//! S <= c*high(x) + r    if c >= 0,      S <= c*low(x) + r     if c <= 0
//! ```
//!
//! until nothing is left but arguments that the unit does not change. The range of an index is that of the loop around; a variable that is set has that of its
//! values, or of the one that reaches a place. Signs come from loops around: where `i < n` holds for some `i >= 0`, `n` is positive. The extent is the largest
//! of the ends of all places that name the array; where no declaration says what its first element is, none of them may be below it.
//!
//! Lives here: this search. Never here: what is made of the extent.

use super::counted::range;
use super::inequalities::Sum;
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::visit::EdgeRef;
use petgraph::{Direction, graph::NodeIndex};
use std::collections::{BTreeMap, BTreeSet};
use xaif::Program;
use xaif::model::{
    BaseType, Bound, Call, CallArgument, Dim, Expr, Passing, Stmt, StmtKind, Storage, SymbolId, UnitId, VarRef, VertexId, VertexKind,
};

/// Replacements do not go deeper.
const DEEPEST: usize = 10;

/// Ends of which it is not known which one is the largest, at most.
const MOST_ENDS: usize = 3;

/// A sum of products of variables.
pub(super) type Numbers = Sum<SymbolId>;

/// What a variable gets somewhere.
pub(super) enum Given<'p> {
    Value(&'p Expr, VertexId),
    Unknown,
}

impl<'p> Given<'p> {
    fn value(&self) -> Option<(&'p Expr, VertexId)> {
        match self {
            Given::Value(e, v) => Some((e, *v)),
            Given::Unknown => None,
        }
    }
}

/// A counted loop.
pub(super) struct Counted {
    pub(super) head: VertexId,
    /// The first vertex of its body, which only the head leads to.
    pub(super) body: VertexId,
    index: SymbolId,
    low: Expr,
    high: Expr,
}

/// What is known of a unit.
pub(super) struct Text<'p> {
    pub(super) program: &'p Program,
    unit: UnitId,
    /// Arguments that are handed by reference are what they were on entry where nothing here sets them; nobody else has a name for them.
    by_reference: bool,
    /// Who decides whether a vertex is reached.
    above: Dominators<NodeIndex>,
    loops: Vec<Counted>,
    pub(super) given: BTreeMap<SymbolId, Vec<Given<'p>>>,
    /// Where an array is named, by its subscripts; those whose elements are not known.
    pub(super) named: BTreeMap<SymbolId, Vec<(VertexId, &'p VarRef)>>,
    pub(super) whole: BTreeSet<SymbolId>,
    /// What is allocated or freed.
    objects: BTreeSet<SymbolId>,
}

/// The bounds of a dimension of a formal argument, so that all places of the unit are within them; `None` where they are not known.
pub fn of(program: &Program, unit: UnitId, array: SymbolId, dim: usize) -> Option<Dim> {
    let text = Text::of(program, unit, true)?;
    if text.whole.contains(&array) || text.objects.contains(&array) {
        return None;
    }
    // Where a declaration has the first element, nothing below it is an element.
    let (lower, declared) = match program.symbol(array).decl.as_ref().and_then(|d| d.dims.get(dim)).map(|d| &d.lower) {
        Some(Bound::Expr(e)) => (e.as_int()?, true),
        _ => (0, false),
    };
    let mut highest: Vec<Numbers> = Vec::new();
    for (at, r) in text.named.get(&array)? {
        let t = r.subscripts.get(dim).filter(|t| !t.is_section())?;
        let index = Numbers::of(t.index.as_ref()?, &Some)?;
        if !declared {
            let low = text.end(index.clone(), *at, false, 0)?;
            if !text.is_natural(&low.plus(&Numbers::number(-lower), 1)?, *at, 0) {
                return None;
            }
        }
        let high = text.end(index, *at, true, 0)?;
        let least = |a: &Numbers, b: &Numbers| b.plus(a, -1).is_some_and(|d| text.is_natural(&d, *at, 0));
        if highest.iter().any(|h| least(&high, h)) {
            continue;
        }
        highest.retain(|h| !least(h, &high));
        highest.push(high);
        if highest.len() > MOST_ENDS {
            return None;
        }
    }
    let upper = highest.iter().map(expression).reduce(|a, b| Expr::op("max_scal_scal", [a, b]))?;
    Some(Dim { lower: Bound::Expr(Expr::int(lower)), upper: Bound::Expr(upper) })
}

impl<'p> Text<'p> {
    /// Reads a unit; `by_reference` tells whether arguments by reference may be known to stay as they are.
    pub(super) fn of(program: &'p Program, unit: UnitId, by_reference: bool) -> Option<Text<'p>> {
        let graph = &program.unit(unit).graph;
        let entry = graph.node_indices().find(|&v| matches!(graph[v].kind, VertexKind::Entry))?;
        let mut out = Text {
            program,
            unit,
            by_reference,
            above: simple_fast(graph, entry),
            loops: Vec::new(),
            given: BTreeMap::new(),
            named: BTreeMap::new(),
            whole: BTreeSet::new(),
            objects: BTreeSet::new(),
        };
        for v in graph.node_indices() {
            match &graph[v].kind {
                VertexKind::Block { stmts, .. } => stmts.iter().for_each(|s| out.statement(s, v)),
                VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => out.names(e, v),
                VertexKind::For(head) => {
                    // Its steps are its range.
                    out.names(&head.condition, v);
                    for s in [&head.init, &head.update] {
                        if let StmtKind::Assignment { rhs, .. } = &s.kind {
                            out.names(rhs, v);
                        }
                    }
                    let body = graph.edges(v).find(|e| e.weight().value.is_some_and(|x| x != 0)).map(|e| e.target());
                    // Whoever else leads there comes from there, as the end of a loop that the body begins with.
                    let alone = |b: &NodeIndex| {
                        let mut sources = graph.neighbors_directed(*b, Direction::Incoming).filter(|s| *s != v);
                        sources.all(|s| out.is_below(s, *b))
                    };
                    let found = range(program, head).zip(body.filter(alone));
                    let Some((r, body)) = found else {
                        out.unknown(&head.init);
                        continue;
                    };
                    let (low, high) = match r.stride.as_int() {
                        Some(1..) => (r.first, r.bound),
                        Some(..=-1) => (r.bound, r.first),
                        _ => {
                            out.unknown(&head.init);
                            continue;
                        }
                    };
                    out.loops.push(Counted { head: v, body, index: r.index, low, high });
                }
                _ => {}
            }
        }
        Some(out)
    }

    fn unknown(&mut self, s: &Stmt) {
        if let StmtKind::Assignment { lhs, .. } = &s.kind {
            self.given.entry(lhs.symbol).or_default().push(Given::Unknown);
        }
    }

    fn statement(&mut self, s: &'p Stmt, v: VertexId) {
        match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                self.reference(lhs, v);
                lhs.index_exprs().for_each(|e| self.names(e, v));
                self.names(rhs, v);
                if lhs.subscripts.is_empty() {
                    self.given.entry(lhs.symbol).or_default().push(Given::Value(rhs, v));
                }
            }
            StmtKind::Call(c) => {
                for a in &c.arguments {
                    self.names(&a.value, v);
                    // An element that is passed for an array is the array from there on.
                    let first = a.value.as_var().filter(|r| !r.subscripts.is_empty() && !self.is_one_value(c, a));
                    self.whole.extend(first.map(|r| r.symbol));
                    if let Some(r) = self.program.changeable(c, a) {
                        self.given.entry(r.symbol).or_default().push(Given::Unknown);
                        self.whole.insert(r.symbol);
                    }
                }
            }
            StmtKind::Marker(m) => {
                self.objects.extend(m.object.iter().map(|r| r.symbol));
                for &s in m.reads.iter().chain(&m.writes) {
                    self.whole.insert(s);
                }
                for &s in m.reads.iter().chain(&m.writes).chain(m.object.iter().map(|r| &r.symbol)) {
                    self.given.entry(s).or_default().push(Given::Unknown);
                }
            }
            StmtKind::Runtime { arguments, .. } => {
                for r in arguments.iter().flat_map(|a| a.value.refs()) {
                    self.whole.insert(r.symbol);
                    self.given.entry(r.symbol).or_default().push(Given::Unknown);
                }
            }
            StmtKind::Propagator(_) => {}
        }
    }

    /// Whether a procedure takes an argument for a single value.
    fn is_one_value(&self, c: &Call, a: &CallArgument) -> bool {
        let formals = self.program.unit_of_symbol(c.callee).map(|u| &self.program.unit(u).formals);
        let formal = formals.and_then(|list| list.iter().find(|f| f.position == a.position));
        formal.is_some_and(|f| self.program.symbol(f.symbol).rank == 0)
    }

    /// Notes what an expression names.
    fn names(&mut self, e: &'p Expr, v: VertexId) {
        e.for_each_ref(&mut |r| self.reference(r, v));
    }

    fn reference(&mut self, r: &'p VarRef, v: VertexId) {
        if self.program.symbol(r.symbol).rank == 0 {
            return;
        }
        if r.subscripts.is_empty() {
            self.whole.insert(r.symbol);
        } else {
            self.named.entry(r.symbol).or_default().push((v, r));
        }
    }

    /// Whether control comes to a vertex by way of another one only.
    pub(super) fn is_below(&self, v: VertexId, above: VertexId) -> bool {
        self.above.dominators(v).is_some_and(|mut list| list.any(|d| d == above))
    }

    /// The arms of a branch that nothing but it leads to, and whether its condition holds there.
    pub(super) fn arms(&self, branch: VertexId) -> Vec<(bool, VertexId)> {
        let graph = &self.program.unit(self.unit).graph;
        let alone = |v: &VertexId| graph.edges_directed(*v, Direction::Incoming).count() == 1;
        let arms = graph.edges(branch).filter_map(|e| Some((e.weight().value? != 0, e.target())));
        arms.filter(|(_, v)| alone(v)).collect()
    }

    fn around(&self, v: VertexId) -> impl Iterator<Item = &Counted> {
        self.loops.iter().filter(move |l| self.is_below(v, l.body))
    }

    /// The innermost loop around that steps a variable.
    pub(super) fn loop_of(&self, x: SymbolId, v: VertexId) -> Option<&Counted> {
        let inner = self.around(v).filter(|l| l.index == x).max_by_key(|l| self.depth(l.body))?;
        // Nothing else sets it there.
        let apart = |g: &Given| matches!(g, Given::Value(_, at) if !self.is_below(*at, inner.body));
        self.given.get(&x).is_none_or(|list| list.iter().all(apart)).then_some(inner)
    }

    fn depth(&self, v: VertexId) -> usize {
        self.above.dominators(v).map_or(0, Iterator::count)
    }

    /// Whether a variable is what it was on entry, in the whole unit.
    pub(super) fn stays(&self, x: SymbolId) -> bool {
        let s = self.program.symbol(x);
        let alone = s.decl.as_ref().is_none_or(|d| !d.may_alias);
        let own = match s.storage() {
            Storage::Argument => (self.by_reference || s.passing() == Passing::Value) && alone,
            Storage::Constant => true,
            _ => false,
        };
        own && s.ty.base == BaseType::Integer && s.rank == 0 && !self.given.contains_key(&x) && !self.loops.iter().any(|l| l.index == x)
    }

    /// What a sum is at most, or at least, in terms of what stays.
    pub(super) fn end(&self, sum: Numbers, at: VertexId, upper: bool, depth: usize) -> Option<Numbers> {
        if depth > DEEPEST {
            return None;
        }
        let changing = sum.unknowns().into_iter().filter(|x| !self.stays(*x));
        // Inner loops first: their bounds name the outer ones.
        let Some(x) = changing.max_by_key(|x| self.loop_of(*x, at).map_or(0, |l| self.depth(l.body))) else { return Some(sum) };
        let (factor, rest) = sum.split(&x)?;
        let rising = if self.is_natural(&factor, at, depth + 1) {
            true
        } else if self.is_natural(&Numbers::number(0).plus(&factor, -1)?, at, depth + 1) {
            false
        } else {
            return None;
        };
        let to = self.end_of(x, at, upper == rising, depth + 1)?;
        self.end(factor.times(&to)?.plus(&rest, 1)?, at, upper, depth + 1)
    }

    /// What a variable is at most, or at least: by indices of loops around, or what stays.
    fn end_of(&self, x: SymbolId, at: VertexId, upper: bool, depth: usize) -> Option<Numbers> {
        if let Some(l) = self.loop_of(x, at) {
            let end = Numbers::of(if upper { &l.high } else { &l.low }, &Some)?;
            // Within the loop the outer ones stay where they are.
            let keeps = |y: &SymbolId| self.stays(*y) || self.loop_of(*y, l.head).is_some();
            return if end.unknowns().iter().all(keeps) { Some(end) } else { self.end(end, l.head, upper, depth) };
        }
        let s = self.program.symbol(x);
        let own = *s.storage() == Storage::Local && s.decl.as_ref().is_none_or(|d| !d.may_alias) && s.ty.base == BaseType::Integer;
        if !own {
            return None;
        }
        let (value, from) = match self.given.get(&x).map(Vec::as_slice) {
            Some([Given::Value(value, from)]) if !self.loops.iter().any(|l| l.index == x) => (*value, *from),
            _ => self.reaching(x, at)?,
        };
        self.end(Numbers::of(value, &Some)?, from, upper, depth)
    }

    /// The only value of a variable that comes to a vertex, and where it is set.
    fn reaching(&self, x: SymbolId, at: VertexId) -> Option<(&'p Expr, VertexId)> {
        let set: Vec<(&'p Expr, VertexId)> = self.given.get(&x)?.iter().map(Given::value).collect::<Option<_>>()?;
        let before = |v: VertexId| if v == at { self.begins_with(x, v) } else { self.is_below(at, v) };
        let nearest = set.iter().filter(|(_, v)| before(*v)).max_by_key(|(_, v)| self.depth(*v))?;
        let heads = self.loops.iter().filter(|l| l.index == x).map(|l| l.head);
        let others: Vec<VertexId> = set.iter().filter(|s| !std::ptr::eq(s.0, nearest.0)).map(|s| s.1).chain(heads).collect();
        // Backwards, without passing by where it is set.
        let graph = &self.program.unit(self.unit).graph;
        let (mut seen, mut open) = (BTreeSet::from([at]), if nearest.1 == at { Vec::new() } else { vec![at] });
        while let Some(v) = open.pop() {
            if others.contains(&v) {
                return None;
            }
            let before = graph.neighbors_directed(v, Direction::Incoming).filter(|p| *p != nearest.1);
            open.extend(before.filter(|p| seen.insert(*p)));
        }
        (!others.contains(&nearest.1)).then_some(*nearest)
    }

    /// Whether a block names a variable nowhere before it sets it.
    fn begins_with(&self, x: SymbolId, v: VertexId) -> bool {
        let names = |e: &Expr| e.refs().any(|r| r.symbol == x);
        let reads = |s: &Stmt| match &s.kind {
            StmtKind::Assignment { lhs, rhs } => names(rhs) || lhs.index_exprs().any(names),
            StmtKind::Call(c) => c.arguments.iter().any(|a| names(&a.value)),
            StmtKind::Marker(m) => m.reads.contains(&x) || m.writes.contains(&x),
            StmtKind::Runtime { arguments, .. } => arguments.iter().any(|a| names(&a.value)),
            StmtKind::Propagator(_) => true,
        };
        let sets = |s: &Stmt| matches!(&s.kind, StmtKind::Assignment { lhs, .. } if lhs.symbol == x);
        let mut stmts = self.program.unit(self.unit).graph[v].stmts().iter();
        let first = stmts.find(|s| reads(s) || sets(s));
        first.is_some_and(|s| sets(s) && !reads(s))
    }

    /// Whether a sum is known to be zero or more there.
    pub(super) fn is_natural(&self, sum: &Numbers, at: VertexId, depth: usize) -> bool {
        if sum.terms().all(|(product, c)| c >= 0 && self.is_natural_product(product, at, depth)) {
            return true;
        }
        // With the least that what is in it can be: n - 1 where n is positive.
        let mut least = sum.clone();
        for x in sum.unknowns() {
            if self.is_positive(x, at, depth) {
                let Some(more) = Numbers::unknown(x).plus(&Numbers::number(1), 1).and_then(|m| least.with(&x, &m)) else { return false };
                least = more;
            }
        }
        least.terms().all(|(product, c)| c >= 0 && self.is_natural_product(product, at, depth))
    }

    fn is_natural_product(&self, product: &[SymbolId], at: VertexId, depth: usize) -> bool {
        let odd = |x: &&SymbolId| product.iter().filter(|y| y == x).count() % 2 == 1;
        product.iter().filter(odd).all(|&x| self.is_natural_variable(x, at, depth))
    }

    fn is_natural_variable(&self, x: SymbolId, at: VertexId, depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        if self.stays(x) {
            return self.is_positive(x, at, depth);
        }
        let low = self.end_of(x, at, false, depth + 1).and_then(|low| self.end(low, at, false, depth + 1));
        low.is_some_and(|low| low.terms().all(|(p, c)| c >= 0 && (p.is_empty() || self.is_natural_product(p, at, depth + 1))))
    }

    /// Whether something that stays is one or more there: some loop around has an iteration.
    fn is_positive(&self, x: SymbolId, at: VertexId, depth: usize) -> bool {
        if depth > DEEPEST || !self.stays(x) {
            return false;
        }
        self.around(at).any(|l| {
            let (Some(low), Some(high)) = (Numbers::of(&l.low, &Some), Numbers::of(&l.high, &Some)) else { return false };
            // x - c is reached from what is not negative.
            let Some((factor, rest)) = high.split(&x) else { return false };
            let one = factor == Numbers::number(1);
            let Some(first) = low.as_number().or_else(|| self.end(low, l.head, false, depth + 1).and_then(|l| l.as_number())) else {
                return false;
            };
            one && rest.as_number().is_some_and(|c| first.saturating_sub(c) >= 1)
        })
    }
}

/// A sum as an expression.
pub(super) fn expression(sum: &Numbers) -> Expr {
    let product = |list: &[SymbolId], c: i64| {
        let mut factors: Vec<Expr> = list.iter().map(|&s| Expr::sym(s)).collect();
        if c != 1 || factors.is_empty() {
            factors.insert(0, Expr::int(c));
        }
        factors.into_iter().reduce(|a, b| Expr::op("mul_scal_scal", [a, b]))
    };
    let mut terms: Vec<(Vec<SymbolId>, i64)> = sum.terms().map(|(p, c)| (p.to_vec(), c)).collect();
    // What is added first, the number last.
    terms.sort_by_key(|(p, c)| (*c < 0, std::cmp::Reverse(p.len()), p.clone()));
    let mut out: Option<Expr> = None;
    for (p, c) in terms {
        out = match (out, c < 0) {
            (Some(e), true) => product(&p, -c).map(|t| Expr::op("sub_scal_scal", [e, t])),
            (Some(e), false) => product(&p, c).map(|t| Expr::op("add_scal_scal", [e, t])),
            (None, _) => product(&p, c),
        };
    }
    out.unwrap_or_else(|| Expr::int(0))
}
