//! Copies between work arrays become exchanges, where what is copied is not read again.
//!
//! ```text
//! for (i = 1; i < n - 1; i++)            for (k = 0; k < n; k++) {        the whole arrays, which costs back ends with pointers or MOVE_ALLOC nothing
//!   u[i] = v[i];                           kept = u[k];
//!                                 ->       u[k] = v[k];
//!                                          v[k] = kept;
//!                                        }
//!                                        kept = u[0]; u[0] = v[0]; v[0] = kept;             and the ends back
//!                                        kept = u[n - 1]; u[n - 1] = v[n - 1]; v[n - 1] = kept;
//! ```
//!
//! A step in time with two buffers copies the new state back, and so does its adjoint. Both arrays are memory that the unit allocates (C) or ALLOCATABLE (Fortran), of the
//! same extents, allocated once at the top; nothing else knows where they are. The elements that the copy leaves alone are few: a constant number at each end of
//! an array with one dimension, none in others. What the loop does besides, recording and restoring values, is done by a loop before it; the same goes for loops that
//! exchange such arrays in the original.
//!
//! Lives here: this change of finished loops. Never here: whether somebody reads a part of an array (see [`super::postpone`]), how back ends write exchanges.

use super::postpone::{Arrays, Level};
use crate::analysis::accesses::dependence::has_calls;
use crate::analysis::arrays::counted::{Range, for_loop, range};
use crate::analysis::arrays::regions::{Part, Span};
use crate::linearize::fold::Fold;
use crate::linearize::places::offset;
use crate::transform::adjoint::code::expressions::{cheap, plus};
use crate::transform::adjoint::code::mentions::in_stmt;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind, comment, for_each_stmt, number, place};
use crate::transform::adjoint::statement::maker::Maker;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{BoolOp, Expr, ForLoop, MarkerClass, Stmt, StmtKind, Storage, SymbolId, Triplet, VarRef};

/// So many elements at each end of an array are exchanged back at most.
const MOST_AT_AN_END: i64 = 4;

/// So many copies of a unit are looked at.
const MOST_COPIES: usize = 64;

/// So many items are looked at for each of them.
const MOST_WORK: usize = 20_000;

/// Memory on the heap with the bounds of its only allocation, by the arrays.
pub(crate) struct Heap(FxHashMap<SymbolId, Part>);

impl Heap {
    /// The arrays that hold no records and are allocated once, outside of all loops and branches, with bounds that nothing changes afterwards.
    pub fn of(program: &Program, items: &[Item], recorded: &dyn Fn(SymbolId) -> bool) -> Heap {
        let mut times: FxHashMap<SymbolId, u32> = FxHashMap::default();
        for_each_stmt(items, &mut |s| {
            let own = |x: SymbolId| {
                let symbol = program.symbol(x);
                let has = |a: &str| symbol.has_attribute(a);
                (has("heap") || has("allocatable")) && !has("target") && *symbol.storage() == Storage::Local
            };
            if let Some(o) = allocated(s).filter(|o| own(o.symbol) && !recorded(o.symbol)) {
                *times.entry(o.symbol).or_default() += 1;
            }
        });
        let mut out = FxHashMap::default();
        if times.len() < 2 {
            // There are no two that could be exchanged.
            return Heap(out);
        }
        let mut set: FxHashMap<SymbolId, u32> = FxHashMap::default();
        for_each_stmt(items, &mut |s| match &s.kind {
            StmtKind::Assignment { lhs, .. } => *set.entry(lhs.symbol).or_default() += 1,
            StmtKind::Call(c) => c.arguments.iter().filter(|a| !program.passes_value(c, a.position)).for_each(|a| {
                a.value.for_each_ref(&mut |r| *set.entry(r.symbol).or_default() += 1);
            }),
            StmtKind::Runtime { name, .. } if name == "push" => {}
            StmtKind::Runtime { name, arguments } if name == "pop" => {
                arguments.iter().filter_map(|a| a.value.as_var()).for_each(|r| *set.entry(r.symbol).or_default() += 1);
            }
            StmtKind::Marker(m) if m.class == MarkerClass::Allocate => {}
            _ => in_stmt(s, &mut |v| *set.entry(v).or_default() += 1),
        });
        for item in items {
            let ItemKind::Stmt(s) = &item.kind else { continue };
            let Some(o) = allocated(s).filter(|o| times.get(&o.symbol) == Some(&1)) else { continue };
            let steady = |e: &Expr| e.every_ref(&|r| r.subscripts.is_empty() && set.get(&r.symbol).is_none_or(|n| *n < 2));
            let span = |t: &Triplet| match (&t.index, &t.bound, &t.stride) {
                (Some(low), Some(high), None) if steady(low) && steady(high) => Some(Span { low: low.clone(), high: high.clone() }),
                _ => None,
            };
            if let Some(part) = o.subscripts.iter().map(span).collect::<Option<Part>>().filter(|p| !p.is_empty()) {
                out.insert(o.symbol, part);
            }
        }
        Heap(out)
    }

    /// Whether there is no such array.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bounds of two arrays, if they are the same.
    fn of_both(&self, a: SymbolId, b: SymbolId) -> Option<&Part> {
        self.0.get(&a).filter(|s| a != b && self.0.get(&b) == Some(s))
    }
}

fn allocated(s: &Stmt) -> Option<&VarRef> {
    match &s.kind {
        StmtKind::Marker(m) if m.class == MarkerClass::Allocate => m.object.as_ref(),
        _ => None,
    }
}

/// A copy that becomes an exchange.
struct Copy {
    to: SymbolId,
    from: SymbolId,
    /// The bounds of the arrays, and those of what is copied.
    all: Part,
    part: Part,
    /// The indices of the loops around the copy, in the order of the subscripts.
    indices: Vec<SymbolId>,
    /// How many elements stay at both ends.
    ends: (i64, i64),
    /// Only the target must have its own there: of the other array nobody reads them.
    one_way: bool,
}

/// What becomes of a loop.
struct Change {
    /// The statements that go to a loop before it, by their places in the innermost body.
    others: Vec<usize>,
    /// What the rest is replaced by; it stays where it is an exchange already.
    copy: Option<Copy>,
}

/// The loops to be replaced, by their numbers, which the items get here.
pub(crate) struct Found(FxHashMap<ItemId, Change>);

/// Finds them.
pub(crate) fn find(arrays: &Arrays, heap: &Heap, items: &mut [Item]) -> Found {
    let mut count = 0;
    number(items, &mut count);
    let mut search = Search { arrays, heap, outside: FxHashSet::default(), found: FxHashMap::default(), looks: MOST_COPIES };
    named_outside(items, &mut Vec::new(), &mut search.outside);
    search.sequence(items, None, &mut Vec::new());
    Found(search.found)
}

struct Search<'a> {
    arrays: &'a Arrays<'a>,
    heap: &'a Heap,
    /// What is named outside of the loops whose index it is.
    outside: FxHashSet<SymbolId>,
    found: FxHashMap<ItemId, Change>,
    looks: usize,
}

/// Adds the variables that code names where they are not the index of a loop around.
fn named_outside(items: &[Item], open: &mut Vec<SymbolId>, into: &mut FxHashSet<SymbolId>) {
    for item in items {
        let mut named: Vec<SymbolId> = Vec::new();
        match &item.kind {
            ItemKind::Stmt(s) => in_stmt(s, &mut |v| named.push(v)),
            ItemKind::Branch { condition, arms, .. } => {
                condition.for_each_ref(&mut |r| named.push(r.symbol));
                arms.iter().for_each(|a| named_outside(&a.body, open, into));
            }
            ItemKind::Loop { kind: LoopKind::For(head), body, .. } => {
                let StmtKind::Assignment { lhs, rhs } = &head.init.kind else { continue };
                rhs.for_each_ref(&mut |r| named.push(r.symbol));
                let own = |v: SymbolId| v != lhs.symbol;
                in_stmt(&head.update, &mut |v| named.extend(Some(v).filter(|v| own(*v))));
                head.condition.for_each_ref(&mut |r| named.extend(Some(r.symbol).filter(|v| own(*v))));
                open.push(lhs.symbol);
                named_outside(body, open, into);
                open.pop();
            }
            ItemKind::Loop { kind: LoopKind::While(c) | LoopKind::Until(c), body, .. } => {
                c.for_each_ref(&mut |r| named.push(r.symbol));
                named_outside(body, open, into);
            }
        }
        into.extend(named.into_iter().filter(|v| !open.contains(v)));
    }
}

/// The heads of loops right inside of each other, and what stands in the innermost one.
fn nest<'a>(head: &'a ForLoop, body: &'a [Item]) -> (Vec<&'a ForLoop>, &'a [Item]) {
    let (mut heads, mut body) = (vec![head], body);
    while let [Item { kind: ItemKind::Loop { kind: LoopKind::For(head), body: inner, .. }, .. }] = body {
        heads.push(head);
        body = inner;
    }
    (heads, body)
}

impl Search<'_> {
    fn sequence<'a>(&mut self, items: &'a [Item], around: Option<&'a LoopKind>, levels: &mut Vec<Level<'a>>) {
        for (at, item) in items.iter().enumerate() {
            levels.push(Level { items, at, around });
            match &item.kind {
                ItemKind::Stmt(_) => {}
                ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| self.sequence(&a.body, None, levels)),
                ItemKind::Loop { kind, body, .. } => {
                    let change = match kind {
                        LoopKind::For(head) => self.change(head, body, levels),
                        _ => None,
                    };
                    match change {
                        Some(change) => {
                            self.found.insert(item.id, change);
                        }
                        None => self.sequence(body, Some(kind), levels),
                    }
                }
            }
            levels.pop();
        }
    }

    /// What becomes of a loop, if it copies or exchanges arrays on the heap.
    fn change(&mut self, head: &ForLoop, body: &[Item], levels: &[Level]) -> Option<Change> {
        let (heads, inner) = nest(head, body);
        let parts: Vec<(&VarRef, &Expr)> = inner.iter().map(Item::assignment).collect::<Option<_>>()?;
        let mut ranges: Vec<Range> = heads.iter().map(|h| range(self.arrays.program, h)).collect::<Option<_>>()?;
        // Elsewhere it may be asked for what it is left as.
        if ranges.iter().any(|r| self.outside.contains(&r.index)) {
            return None;
        }
        let moves = |(to, value): &(&VarRef, &Expr)| {
            let from = value.as_var()?;
            (self.heap.0.contains_key(&to.symbol) && self.heap.0.contains_key(&from.symbol)).then_some((to.symbol, from.symbol))
        };
        let moving: Vec<usize> = (0..parts.len()).filter(|&k| moves(&parts[k]).is_some()).collect();
        let (&first, &last) = (moving.first()?, moving.last()?);
        // From here on in the order of the subscripts.
        let subscripts: Vec<Option<SymbolId>> = parts[first].0.index_exprs().map(|e| Some(e.as_var()?.symbol)).collect();
        ranges.sort_by_key(|r| subscripts.iter().position(|s| *s == Some(r.index)));
        let indices: Vec<SymbolId> = ranges.iter().map(|r| r.index).collect();
        let (end, start) = (moves(&parts[last])?.1, moves(&parts[first])?.0);
        // `kept = a` before, `z = kept` behind.
        let kept = (0..first).find_map(|k| {
            let (to, value) = parts[k];
            let whole = to.subscripts.is_empty() && value.as_var().is_some_and(|v| v.symbol == start);
            let back = |&l: &usize| parts[l].0.symbol == end && parts[l].1.as_var().is_some_and(|v| v.symbol == to.symbol);
            Some((to.symbol, k, (last + 1..parts.len()).find(back)?)).filter(|_| whole)
        });
        let chain: Vec<usize> = kept.iter().map(|k| k.1).chain(moving.iter().copied()).chain(kept.iter().map(|k| k.2)).collect();
        let others: Vec<usize> = (0..parts.len()).filter(|k| !chain.contains(k)).collect();
        // Each gets what the next one has.
        let in_turn = moving.windows(2).all(|w| moves(&parts[w[0]]).map(|m| m.1) == moves(&parts[w[1]]).map(|m| m.0));
        let arrays: Vec<SymbolId> = moving.iter().filter_map(|&k| moves(&parts[k])).map(|m| m.0).chain([end]).collect();
        let apart = (1..arrays.len()).all(|k| !arrays[..k].contains(&arrays[k]));
        let elements = chain.iter().all(|&k| {
            let (to, value) = parts[k];
            let own = |r: &VarRef| !arrays.contains(&r.symbol) || is_element(r, &indices);
            own(to) && value.as_var().is_some_and(own)
        });
        let same = arrays.iter().skip(1).all(|&a| self.heap.of_both(start, a).is_some());
        // Arrays that are not followed may share memory with others.
        let followed = arrays.iter().all(|&a| self.arrays.has(a));
        if !in_turn || !apart || !elements || !same || !followed || (kept.is_none() && moving.len() > 1) {
            return None;
        }
        let may_go = |&k: &usize| self.may_go(&parts, k, &chain, &arrays, kept.map(|k| k.0), &indices);
        if !others.iter().all(may_go) {
            return None;
        }
        let part = self.part(&ranges)?;
        let all = self.heap.0.get(&start)?;
        if kept.is_some() {
            let whole = all.iter().zip(&part).all(|(a, p)| distance(&a.low, &p.low) == Some(0) && distance(&p.high, &a.high) == Some(0));
            return (whole && all.len() == part.len() && !others.is_empty()).then_some(Change { others, copy: None });
        }
        let copy = self.copied(start, end, all, part, indices, levels)?;
        Some(Change { others, copy: Some(copy) })
    }

    /// Whether a statement beside those that move elements can be executed for all iterations before them.
    fn may_go(
        &self,
        parts: &[(&VarRef, &Expr)],
        at: usize,
        chain: &[usize],
        arrays: &[SymbolId],
        kept: Option<SymbolId>,
        indices: &[SymbolId],
    ) -> bool {
        let (to, value) = parts[at];
        let overwritten = |s: SymbolId| chain.iter().any(|&k| k < at && parts[k].0.symbol == s);
        let as_before =
            |r: &VarRef| Some(r.symbol) != kept && (!arrays.contains(&r.symbol) || (is_element(r, indices) && !overwritten(r.symbol)));
        let place = |e: &Expr| e.every_ref(&|r| !arrays.contains(&r.symbol) && Some(r.symbol) != kept);
        !to.subscripts.is_empty()
            && !arrays.contains(&to.symbol)
            && to.index_exprs().all(place)
            && value.every_ref(&as_before)
            && !to.index_exprs().chain([value]).any(has_calls)
    }

    /// The elements that loops with these iterations take, if that is all between two bounds in each dimension.
    fn part(&self, ranges: &[Range]) -> Option<Part> {
        let program = self.arrays.program;
        let simple = |e: &Expr| cheap(e) && e.every_ref(&|q| !program.symbol(q.symbol).has_attribute("unsigned"));
        let span = |r: &Range| {
            let (low, high) = match r.stride.as_int()? {
                1 => (r.first.clone(), r.bound.clone()),
                -1 => (r.bound.clone(), r.first.clone()),
                _ => return None,
            };
            (simple(&low) && simple(&high) && !program.symbol(r.index).has_attribute("unsigned")).then_some(Span { low, high })
        };
        ranges.iter().map(span).collect()
    }

    /// A copy of elements that nobody reads again from their first place.
    fn copied(&mut self, to: SymbolId, from: SymbolId, all: &Part, part: Part, indices: Vec<SymbolId>, levels: &[Level]) -> Option<Copy> {
        let program = self.arrays.program;
        let cheap_bounds = all.iter().all(|s| [&s.low, &s.high].into_iter().all(cheap));
        if program.symbol(to).ty != program.symbol(from).ty || all.len() != part.len() || !cheap_bounds {
            return None;
        }
        let most = if all.len() == 1 { MOST_AT_AN_END } else { 0 };
        let few = |n: &i64| (0..=most).contains(n);
        let (mut below, mut above) = (0, 0);
        for (a, p) in all.iter().zip(&part) {
            below = distance(&a.low, &p.low).filter(few)?;
            above = distance(&p.high, &a.high).filter(few)?;
        }
        self.looks = self.looks.checked_sub(1)?;
        let mut work = MOST_WORK;
        if !self.arrays.is_unread(from, &part, levels, &mut work) {
            return None;
        }
        let f = Fold { program };
        let ends = [
            Span { low: all[0].low.clone(), high: plus(f, &part[0].low, -1) },
            Span { low: plus(f, &part[0].high, 1), high: all[0].high.clone() },
        ];
        let one_way = most > 0 && ends.into_iter().all(|s| self.arrays.is_unread(from, &vec![s], levels, &mut work));
        Some(Copy { to, from, all: all.clone(), part, indices, ends: (below, above), one_way })
    }
}

fn is_element(r: &VarRef, indices: &[SymbolId]) -> bool {
    let is_index = |(t, &k): (&Triplet, &SymbolId)| {
        !t.is_section() && t.index.as_ref().and_then(|e| e.as_var()).is_some_and(|v| v.symbol == k && v.subscripts.is_empty())
    };
    r.subscripts.len() == indices.len() && r.subscripts.iter().zip(indices).all(is_index)
}

/// How much the second one is greater than the first one, where that is a constant.
fn distance(a: &Expr, b: &Expr) -> Option<i64> {
    let ((x, m), (y, n)) = (offset(a), offset(b));
    (x == y).then(|| n.checked_sub(m)).flatten()
}

impl Found {
    /// Whether there is nothing to be done.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The code with the loops replaced.
    pub fn replaced(&self, unit: &mut Maker, items: Vec<Item>) -> Vec<Item> {
        let mut out = Vec::with_capacity(items.len());
        for mut item in items {
            match (&mut item.kind, self.0.get(&item.id)) {
                (ItemKind::Loop { head, kind, body }, Some(change)) => {
                    let mut new = change.items(unit, kind, body);
                    comment(&mut new, head.comment.clone());
                    out.extend(new);
                    continue;
                }
                (ItemKind::Loop { body, .. }, None) => **body = self.replaced(unit, std::mem::take(body)),
                (ItemKind::Branch { arms, .. }, _) => {
                    arms.iter_mut().for_each(|a| a.body = self.replaced(unit, std::mem::take(&mut a.body)));
                }
                (ItemKind::Stmt(_), _) => {}
            }
            out.push(item);
        }
        out
    }
}

impl Change {
    fn items(&self, unit: &mut Maker, kind: &LoopKind, body: &[Item]) -> Vec<Item> {
        let LoopKind::For(head) = kind else { return Vec::new() };
        let (heads, inner) = nest(head, body);
        let around = |inner: Vec<Item>| {
            let within = |body: Vec<Item>, h: &&ForLoop| vec![Item::repeat(LoopKind::For(Box::new((*h).clone())), body)];
            heads.iter().rev().fold(inner, within)
        };
        let (others, rest): (Vec<_>, Vec<_>) = inner.iter().cloned().enumerate().partition(|(k, _)| self.others.contains(k));
        let plain = |list: Vec<(usize, Item)>| list.into_iter().map(|(_, item)| item).collect::<Vec<_>>();
        let mut out = if others.is_empty() { Vec::new() } else { around(plain(others)) };
        match (&self.copy, plain(rest)) {
            (Some(copy), rest) => out.extend(copy.items(unit, &heads, &rest)),
            (None, rest) => out.extend(around(rest)),
        }
        out
    }
}

impl Copy {
    /// The exchange instead of a statement that copies, in loops that nest as those around it do.
    fn items(&self, unit: &mut Maker, heads: &[&ForLoop], copy: &[Item]) -> Vec<Item> {
        let Copy { to, from, all, part, .. } = self;
        let ty = unit.program.symbol(*to).ty;
        let counters: Vec<SymbolId> = self.indices.iter().map(|&i| unit.temporary("k", unit.program.symbol(i).ty)).collect();
        let kept = unit.temporary("kept", ty);
        let single = if self.one_way || self.ends == (0, 0) { kept } else { unit.temporary("kept", ty) };
        let f = Fold { program: unit.program };
        let assign = |lhs: VarRef, rhs: VarRef| Item::stmt(Stmt::assign(lhs, Expr::var(rhs)));
        let exchange = |kept: SymbolId, at: &[Expr]| {
            let element = |s: SymbolId| VarRef::element(s, at.iter().cloned());
            let kept = || VarRef::whole(kept);
            vec![assign(kept(), element(*to)), assign(element(*to), element(*from)), assign(element(*from), kept())]
        };
        let at: Vec<Expr> = counters.iter().map(|&k| Expr::sym(k)).collect();
        let mut out = exchange(kept, &at);
        for h in heads.iter().rev() {
            let index = |i: &SymbolId| matches!(&h.init.kind, StmtKind::Assignment { lhs, .. } if lhs.symbol == *i);
            let Some(d) = self.indices.iter().position(index) else { continue };
            let head = for_loop(f, counters[d], all[d].low.clone(), all[d].high.clone(), Expr::int(1));
            out = vec![Item::repeat(LoopKind::For(Box::new(head)), out)];
        }
        let low = (0..self.ends.0).map(|n| plus(f, &all[0].low, n));
        let high = (0..self.ends.1).rev().map(|n| plus(f, &all[0].high, -n));
        for at in low.chain(high) {
            // What was the target's is in the source now.
            let back = || vec![assign(VarRef::element(*to, [at.clone()]), VarRef::element(*from, [at.clone()]))];
            out.extend(if self.one_way { back() } else { exchange(single, std::slice::from_ref(&at)) });
        }
        if let Some(Item { kind: ItemKind::Stmt(s), .. }) = copy.first() {
            place(&mut out, s);
            comment(&mut out, s.comment.clone());
        }
        if self.ends == (0, 0) {
            return out;
        }
        // Without iterations nothing is copied, and the ends would meet.
        let (last, constant) = offset(&part[0].high);
        let last = last.unwrap_or_else(|| Expr::int(0));
        let some = Expr::boolean(BoolOp::GreaterOrEqual, [last, plus(f, &part[0].low, -constant)]);
        vec![Item::branch(some, out, Vec::new())]
    }
}
