//! Rows of arrays that are laid out by hand.
//!
//! ```text
//! a[k*n + i]     with 0 <= i < n, wherever a is named      an array of rows: a[k][i]
//! ```
//!
//! What loop indices are multiplied with are the strides. Each subscript is divided by them, the largest first; the rests are the subscripts of a row. Two
//! elements are the same if and only if all of these are, as long as each rest is known to be within its row (Maslov, "Delinearization: an efficient way to break
//! multiloop dependence equations", PLDI 1992). That is shown with the ranges of loop indices, with conditions around, and with what arrays are declared with:
//! who names an element of an array knows that it has one. A local variable that is set once stands for its value.
//!
//! Lives here: which arrays these are, and the subscripts. Never here: what is made of them.

use super::extents::{Given, Numbers, Text, expression};
use super::whole_loops::Whole;
use std::collections::{BTreeMap, BTreeSet};
use xaif::Program;
use xaif::model::{
    BaseType, BoolOp, Bound, Dim, Expr, IndexOrder, MarkerClass, NodeId, NodeKind, Stmt, StmtKind, Storage, SymbolId, Triplet, UnitId,
    VarRef, VertexId, VertexKind,
};

/// Values of variables are not followed further.
const DEEPEST: usize = 6;

/// Where a reference stands: a vertex, and a statement of it.
pub(crate) type At = (VertexId, usize);

/// How the rows of an array lie.
#[derive(Clone, PartialEq)]
pub(super) struct Layout {
    /// The lower bound of the array, which all dimensions get.
    pub(super) lower: i64,
    /// From one row to the next, from one of these to the next of it; the largest first.
    pub(super) strides: Vec<Numbers>,
}

/// The arrays of a unit that have rows.
pub(crate) struct Rows<'p> {
    pub(super) text: Text<'p>,
    pub(super) unit: UnitId,
    /// Sums that are not negative where control comes by way of a vertex.
    known: Vec<(VertexId, Numbers)>,
    pub(super) layouts: BTreeMap<SymbolId, Layout>,
    /// Loops over all elements.
    pub wholes: Vec<Whole>,
}

impl<'p> Rows<'p> {
    /// Reads a unit; `may` tells which arrays count.
    pub fn of(program: &'p Program, unit: UnitId, may: &dyn Fn(SymbolId) -> bool) -> Option<Rows<'p>> {
        let text = Text::of(program, unit, true)?;
        let mut out = Rows { text, unit, known: Vec::new(), layouts: BTreeMap::new(), wholes: Vec::new() };
        let mut uses = out.uses(may);
        uses.retain(|_, list| list.iter().any(|(_, r)| r.index_exprs().any(has_product)));
        if uses.is_empty() {
            return None;
        }
        out.known = out.facts();
        for (array, list) in &uses {
            if let Some(layout) = out.layout(*array, list) {
                out.layouts.insert(*array, layout);
            }
        }
        out.take_wholes(&uses);
        out.keep_together(&uses);
        out.take_wholes(&uses);
        (!out.layouts.is_empty()).then_some(out)
    }

    /// Leaves arrays out that share variables in subscripts with arrays that have no rows: these would go on to be computed for the others.
    fn keep_together(&mut self, uses: &BTreeMap<SymbolId, Vec<(At, VarRef)>>) {
        let followed = |array: &SymbolId| -> BTreeSet<SymbolId> {
            let mut out = BTreeSet::new();
            for (at, r) in uses.get(array).into_iter().flatten() {
                let mut see = |v: &VarRef| {
                    if self.value(v.symbol, *at, 0).is_some() {
                        out.insert(v.symbol);
                    }
                };
                r.index_exprs().for_each(|e| e.for_each_ref(&mut |v| see(v)));
            }
            out
        };
        let mut kept: BTreeMap<SymbolId, BTreeSet<SymbolId>> = self.layouts.keys().map(|a| (*a, followed(a))).collect();
        let mut shared: BTreeSet<SymbolId> = BTreeSet::new();
        for (array, places) in &self.text.named {
            if !kept.contains_key(array) {
                places.iter().for_each(|(_, r)| r.index_exprs().for_each(|e| e.for_each_ref(&mut |v| shared.extend([v.symbol]))));
            }
        }
        while let Some(array) = kept.iter().find(|(_, list)| !list.is_disjoint(&shared)).map(|(a, _)| *a) {
            shared.extend(kept.remove(&array).into_iter().flatten());
        }
        self.layouts.retain(|a, _| kept.contains_key(a));
    }

    /// The arrays.
    pub fn arrays(&self) -> impl Iterator<Item = SymbolId> {
        self.layouts.keys().copied()
    }

    /// The dimensions of an array, in source order.
    pub fn dims(&self, array: SymbolId) -> Option<Vec<Dim>> {
        let layout = self.layouts.get(&array)?;
        let lower = Expr::int(layout.lower);
        let upper = match self.length(array)? {
            Some(n) => Bound::Expr(expression(&layout.rows(&n)?.plus(&Numbers::number(layout.lower - 1), 1)?)),
            None => Bound::Unknown,
        };
        let mut dims = vec![Dim { lower: Bound::Expr(lower.clone()), upper }];
        for length in layout.lengths()? {
            let last = length.plus(&Numbers::number(layout.lower - 1), 1)?;
            dims.push(Dim { lower: Bound::Expr(lower.clone()), upper: Bound::Expr(expression(&last)) });
        }
        Some(in_order(self.text.program, dims))
    }

    /// An element by its rows, or all of what is allocated.
    pub fn subscripts(&self, r: &VarRef, at: At) -> Option<Vec<Triplet>> {
        let layout = self.layouts.get(&r.symbol)?;
        let [t] = &r.subscripts[..] else { return None };
        let program = self.text.program;
        if let Some(w) = self.wholes.iter().find(|w| w.body == at.0 && t.index.as_ref().is_some_and(|e| *e == Expr::sym(w.index))) {
            let indices = std::iter::once(w.index).chain(w.inner.iter().copied());
            return Some(in_order(program, indices.map(|x| Triplet::element(Expr::sym(x))).collect()));
        }
        if !t.is_section() {
            let list = self.divided(layout, t.index.as_ref()?, at)?;
            let lower = Numbers::number(layout.lower);
            let places = list.iter().map(|s| Some(Triplet::element(expression(&s.plus(&lower, 1)?)))).collect::<Option<_>>()?;
            return Some(in_order(program, places));
        }
        let rows = layout.rows(&whole_length(t, layout.lower)?)?;
        let mut ends = vec![rows];
        ends.extend(layout.lengths()?);
        let section = |n: &Numbers| {
            let last = n.plus(&Numbers::number(layout.lower - 1), 1)?;
            Some(Triplet { index: Some(Expr::int(layout.lower)), bound: Some(expression(&last)), stride: None })
        };
        Some(in_order(program, ends.iter().map(section).collect::<Option<_>>()?))
    }

    /// Where arrays are named, if only elements of them are, and memory for all of them is asked for.
    fn uses(&self, may: &dyn Fn(SymbolId) -> bool) -> BTreeMap<SymbolId, Vec<(At, VarRef)>> {
        let mut out: BTreeMap<SymbolId, Vec<(At, VarRef)>> = BTreeMap::new();
        let mut not: BTreeSet<SymbolId> = self.text.whole.clone();
        let graph = &self.text.program.unit(self.unit).graph;
        for v in graph.node_indices() {
            let mut see = |e: &Expr, k: usize| e.for_each_ref(&mut |r| out.entry(r.symbol).or_default().push(((v, k), r.clone())));
            match &graph[v].kind {
                VertexKind::Block { stmts, .. } => {
                    for (k, s) in stmts.iter().enumerate() {
                        match &s.kind {
                            StmtKind::Assignment { lhs, rhs } => {
                                see(&Expr::var(lhs.clone()), k);
                                see(rhs, k);
                            }
                            // Whoever gets an element may go on from there.
                            StmtKind::Call(c) => c.arguments.iter().for_each(|a| {
                                not.extend(a.value.as_var().map(|r| r.symbol));
                                see(&a.value, k);
                            }),
                            StmtKind::Marker(m) => match &m.object {
                                Some(r) if matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) => {
                                    see(&Expr::var(r.clone()), k)
                                }
                                other => not.extend(other.iter().map(|r| r.symbol)),
                            },
                            StmtKind::Runtime { arguments, .. } => {
                                not.extend(arguments.iter().flat_map(|a| a.value.refs()).map(|r| r.symbol))
                            }
                            StmtKind::Propagator(_) => {}
                        }
                    }
                }
                VertexKind::For(f) => {
                    for s in [&f.init, &f.update] {
                        if let StmtKind::Assignment { rhs, .. } = &s.kind {
                            see(rhs, 0);
                        }
                    }
                    see(&f.condition, 0);
                }
                VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => see(e, 0),
                _ => {}
            }
        }
        out.retain(|s, _| !not.contains(s) && self.text.program.symbol(*s).rank == 1 && may(*s));
        out
    }

    /// How the rows of an array lie, if all places agree.
    fn layout(&self, array: SymbolId, uses: &[(At, VarRef)]) -> Option<Layout> {
        let dim = self.text.program.symbol(array).decl.as_ref()?.dims.first()?;
        let lower = match &dim.lower {
            Bound::Expr(e) => e.as_int()?,
            Bound::Unknown => return None,
        };
        let mut found: BTreeSet<Numbers> = BTreeSet::new();
        let mut elements = Vec::new();
        let mut memory = Vec::new();
        for (at, r) in uses {
            match &r.subscripts[..] {
                // Freed.
                [] if self.is_object(r, *at) => {}
                [t] if t.is_section() && self.is_object(r, *at) => memory.push(whole_length(t, lower)?),
                [t] if !t.is_section() => {
                    let sum = self.sum(t.index.as_ref()?, *at)?;
                    let varying = sum.unknowns().into_iter().filter(|x| !self.text.stays(*x));
                    found.extend(varying.filter_map(|x| self.stride(&sum, x)));
                    elements.push((*at, t.index.as_ref()?));
                }
                _ => return None,
            }
        }
        let mut strides: Vec<Numbers> = found.into_iter().collect();
        strides.sort_by_key(|s| std::cmp::Reverse(degree(s)));
        let layout = Layout { lower, strides };
        let falls = layout.strides.windows(2).all(|w| degree(&w[0]) > degree(&w[1]));
        if layout.strides.is_empty() || !falls {
            return None;
        }
        layout.lengths()?;
        if let Some(n) = self.length(array)? {
            layout.rows(&n)?;
        }
        memory.iter().all(|n| layout.rows(n).is_some()).then_some(())?;
        let fits = |at: At, e: &Expr| self.divided(&layout, e, at).is_some() || self.whole(&layout, e, at).is_some();
        elements.into_iter().all(|(at, e)| fits(at, e)).then_some(layout)
    }

    /// Whether a reference is what a statement allocates or frees.
    fn is_object(&self, r: &VarRef, (v, k): At) -> bool {
        let stmt = self.text.program.unit(self.unit).graph[v].stmts().get(k);
        stmt.is_some_and(|s| matches!(&s.kind, StmtKind::Marker(m) if m.object.as_ref() == Some(r)))
    }

    /// How many elements the declaration of an array gives it: nothing within where it does not say.
    fn length(&self, array: SymbolId) -> Option<Option<Numbers>> {
        let dim = self.text.program.symbol(array).decl.as_ref()?.dims.first()?;
        match (&dim.lower, &dim.upper) {
            (Bound::Expr(low), Bound::Expr(high)) => {
                let n = self.steady(high)?.plus(&self.steady(low)?, -1)?.plus(&Numbers::number(1), 1)?;
                Some(Some(n))
            }
            (Bound::Expr(_), Bound::Unknown) => Some(None),
            _ => None,
        }
    }

    /// A sum of what stays.
    pub(super) fn steady(&self, e: &Expr) -> Option<Numbers> {
        self.plain(e).filter(|n| n.unknowns().iter().all(|x| self.text.stays(*x)))
    }

    /// What a variable is multiplied with in a subscript, if that is a stride: something that stays and is not only a number.
    fn stride(&self, sum: &Numbers, x: SymbolId) -> Option<Numbers> {
        let (factor, _) = sum.split(&x)?;
        let steady = factor.as_number().is_none() && factor.unknowns().iter().all(|y| self.text.stays(*y));
        let (_, c) = leading(&factor)?;
        if !steady {
            return None;
        }
        if c < 0 { Numbers::number(0).plus(&factor, -1) } else { Some(factor) }
    }

    /// A subscript as a sum, with the values of variables that are set once.
    fn sum(&self, e: &Expr, at: At) -> Option<Numbers> {
        self.followed(self.plain(e)?, at, 0)
    }

    /// An expression as a sum, if nothing in it is of another width, or wraps around.
    fn plain(&self, e: &Expr) -> Option<Numbers> {
        let converted = |k: &NodeKind| matches!(k, NodeKind::Op(o) if o.name == "int_scal");
        let signed = |r: &VarRef| !self.text.program.symbol(r.symbol).has_attribute("unsigned");
        if e.nodes.iter().any(|n| converted(&n.kind)) || !e.every_ref(&signed) {
            return None;
        }
        Numbers::of(e, &Some)
    }

    fn followed(&self, mut sum: Numbers, at: At, depth: usize) -> Option<Numbers> {
        for x in sum.unknowns() {
            if depth < DEEPEST
                && let Some(value) = self.value(x, at, depth)
            {
                sum = sum.with(&x, &value)?;
            }
        }
        Some(sum)
    }

    /// What a variable that is set once is at some place, if that is known in terms of what stays, and of loops around both.
    fn value(&self, x: SymbolId, (v, k): At, depth: usize) -> Option<Numbers> {
        let s = self.text.program.symbol(x);
        let own =
            *s.storage() == Storage::Local && s.decl.as_ref().is_none_or(|d| !d.may_alias) && s.ty.base == BaseType::Integer && s.rank == 0;
        let Some([Given::Value(value, from)]) = self.text.given.get(&x).map(Vec::as_slice) else { return None };
        if !own || self.text.loop_of(x, v).is_some() || self.text.stays(x) {
            return None;
        }
        let sets = |s: &Stmt| matches!(&s.kind, StmtKind::Assignment { lhs, .. } if lhs.symbol == x);
        let position = self.text.program.unit(self.unit).graph[*from].stmts().iter().position(|s| sets(s))?;
        let before = if *from == v { position < k } else { self.text.is_below(v, *from) };
        let sum = before.then(|| self.plain(value)).flatten()?;
        let sum = self.followed(sum, (*from, position), depth + 1)?;
        // All paths to the place come by the statement in the same iteration.
        let same = |y: &SymbolId| self.text.stays(*y) || self.text.loop_of(*y, *from).is_some_and(|l| self.text.is_below(v, l.body));
        sum.unknowns().iter().all(same).then_some(sum)
    }

    /// The subscripts of an element from zero on, those of rows first.
    pub(super) fn divided(&self, layout: &Layout, e: &Expr, at: At) -> Option<Vec<Numbers>> {
        let sum = self.sum(e, at)?.plus(&Numbers::number(layout.lower), -1)?;
        self.divided_by(&layout.strides, &sum, at.0)
    }

    fn divided_by(&self, strides: &[Numbers], sum: &Numbers, at: VertexId) -> Option<Vec<Numbers>> {
        let Some((stride, less)) = strides.split_first() else { return Some(vec![sum.clone()]) };
        let (quotient, rest) = divided(sum, stride)?;
        // n - 1 is the last element of a row rather than the one before the next.
        [0, 1, -1].into_iter().find_map(|d| {
            let (q, r) = (quotient.plus(&Numbers::number(d), -1)?, rest.plus(stride, d)?);
            let room = stride.plus(&Numbers::number(1), -1)?.plus(&r, -1)?;
            if !self.is_natural(&r, at) || !self.is_natural(&room, at) {
                return None;
            }
            let mut out = vec![q];
            out.extend(self.divided_by(less, &r, at)?);
            Some(out)
        })
    }

    /// Whether a sum is known not to be negative.
    pub(super) fn is_natural(&self, sum: &Numbers, at: VertexId) -> bool {
        let natural = |s: &Numbers| {
            let low = self.text.end(s.clone(), at, false, 0);
            low.is_some_and(|low| self.text.is_natural(&low, at, 0))
        };
        let by = |(from, known): &(VertexId, Numbers)| self.text.is_below(at, *from) && sum.plus(known, -1).is_some_and(|s| natural(&s));
        natural(sum) || self.known.iter().any(by)
    }

    /// What conditions say where they hold, and arrays where an element of them is named.
    fn facts(&self) -> Vec<(VertexId, Numbers)> {
        let mut out = Vec::new();
        let graph = &self.text.program.unit(self.unit).graph;
        for v in graph.node_indices() {
            let VertexKind::Branch(condition) = &graph[v].kind else { continue };
            let keeps = |s: &Numbers| s.unknowns().iter().all(|x| self.text.stays(*x) || self.text.loop_of(*x, v).is_some());
            for (holds, arm) in self.text.arms(v) {
                let sums = said(condition, condition.root_id(), holds, &|e| self.plain(e));
                out.extend(sums.into_iter().filter(&keeps).map(|s| (arm, s)));
            }
        }
        for (array, places) in &self.text.named {
            let s = self.text.program.symbol(*array);
            let Some(dims) = s.decl.as_ref().filter(|d| d.storage == Storage::Local).map(|d| &d.dims) else { continue };
            for d in dims {
                let (Bound::Expr(low), Bound::Expr(high)) = (&d.lower, &d.upper) else { continue };
                let Some(sum) = self.steady(high).zip(self.steady(low)).and_then(|(h, l)| h.plus(&l, -1)) else { continue };
                if sum.as_number().is_none() {
                    let element = |r: &VarRef| !r.subscripts.is_empty() && !r.has_section();
                    out.extend(places.iter().filter(|(_, r)| element(r)).map(|(v, _)| (*v, sum.clone())));
                }
            }
        }
        out.dedup();
        out
    }
}

impl Layout {
    /// How long rows are, and what rows are made of.
    pub(super) fn lengths(&self) -> Option<Vec<Numbers>> {
        let mut out = Vec::new();
        for pair in self.strides.windows(2) {
            let (q, rest) = divided(&pair[0], &pair[1])?;
            (rest == Numbers::number(0)).then_some(())?;
            out.push(q);
        }
        out.push(self.strides.last()?.clone());
        Some(out)
    }

    /// How many rows there are in so many elements, if that goes without a rest.
    pub(super) fn rows(&self, elements: &Numbers) -> Option<Numbers> {
        let (q, rest) = divided(elements, self.strides.first()?)?;
        (rest == Numbers::number(0)).then_some(q)
    }
}

/// Dimensions that come with the slowest first, in the order of the program.
fn in_order<T>(program: &Program, mut list: Vec<T>) -> Vec<T> {
    if program.index_order == IndexOrder::Column {
        list.reverse();
    }
    list
}

/// The number of elements from the lower bound on.
fn whole_length(t: &Triplet, lower: i64) -> Option<Numbers> {
    let (Some(first), Some(last), None) = (&t.index, &t.bound, &t.stride) else { return None };
    let converted = last.nodes.iter().any(|n| matches!(&n.kind, NodeKind::Op(o) if o.name == "int_scal"));
    let fine = first.as_int() == Some(lower) && !converted;
    fine.then(|| Numbers::of(last, &Some)).flatten()?.plus(&Numbers::number(1 - lower), 1)
}

fn has_product(e: &Expr) -> bool {
    // A variable may stand for one.
    e.nodes.iter().any(|n| matches!(&n.kind, NodeKind::Op(o) if o.name == "mul_scal_scal")) || !e.refs().all(|r| !r.subscripts.is_empty())
}

/// The number of factors of the longest product.
fn degree(s: &Numbers) -> usize {
    s.terms().map(|(p, _)| p.len()).max().unwrap_or(0)
}

/// The longest product, with its coefficient.
fn leading(s: &Numbers) -> Option<(Vec<SymbolId>, i64)> {
    s.terms().max_by_key(|(p, _)| (p.len(), p.to_vec())).map(|(p, c)| (p.to_vec(), c))
}

/// Quotient and rest of a division, where the rest has no product with all that the divisor's longest one has.
fn divided(sum: &Numbers, by: &Numbers) -> Option<(Numbers, Numbers)> {
    let (product, c) = leading(by)?;
    let (mut quotient, mut rest) = (Numbers::number(0), sum.clone());
    for _ in 0..DEEPEST {
        let mut part = Numbers::number(0);
        for (p, n) in rest.terms() {
            if let Some(less) = without(p, &product).filter(|_| n % c == 0) {
                let factors = less.into_iter().map(Numbers::unknown).try_fold(Numbers::number(n / c), |a, b| a.times(&b))?;
                part = part.plus(&factors, 1)?;
            }
        }
        if part == Numbers::number(0) {
            return Some((quotient, rest));
        }
        rest = rest.plus(&part.times(by)?, -1)?;
        quotient = quotient.plus(&part, 1)?;
    }
    None
}

/// A product without the factors of another one, if it has all of them.
fn without(product: &[SymbolId], factors: &[SymbolId]) -> Option<Vec<SymbolId>> {
    let mut out = product.to_vec();
    for f in factors {
        let at = out.iter().position(|x| x == f)?;
        out.remove(at);
    }
    Some(out)
}

/// Sums that are not negative where a condition holds, or does not.
fn said(condition: &Expr, at: NodeId, holds: bool, sum: &dyn Fn(&Expr) -> Option<Numbers>) -> Vec<Numbers> {
    let mut out = Vec::new();
    let mut open = vec![(at, holds)];
    while let Some((at, holds)) = open.pop() {
        let node = condition.node_at(at);
        match (&node.kind, &node.operands[..], holds) {
            (NodeKind::Bool(BoolOp::And), list, true) | (NodeKind::Bool(BoolOp::Or), list, false) => {
                open.extend(list.iter().map(|o| (*o, holds)));
            }
            (NodeKind::Bool(BoolOp::Not), [a], _) => open.push((*a, !holds)),
            (NodeKind::Bool(op), [a, b], _) => {
                let (Some(a), Some(b)) = (sum(&condition.subexpr(*a)), sum(&condition.subexpr(*b))) else { continue };
                // a + c <= b, or the other way round.
                let relations: &[(bool, i64)] = match (op, holds) {
                    (BoolOp::LessThan, true) | (BoolOp::GreaterOrEqual, false) => &[(true, 1)],
                    (BoolOp::LessOrEqual, true) | (BoolOp::GreaterThan, false) => &[(true, 0)],
                    (BoolOp::GreaterThan, true) | (BoolOp::LessOrEqual, false) => &[(false, 1)],
                    (BoolOp::GreaterOrEqual, true) | (BoolOp::LessThan, false) => &[(false, 0)],
                    (BoolOp::Equal, true) => &[(true, 0), (false, 0)],
                    _ => &[],
                };
                for (up, c) in relations {
                    let (less, more) = if *up { (&a, &b) } else { (&b, &a) };
                    out.extend(more.plus(less, -1).and_then(|d| d.plus(&Numbers::number(*c), -1)));
                }
            }
            _ => {}
        }
    }
    out
}
