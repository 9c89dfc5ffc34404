//! Stores to arrays that are put off until somebody looks.
//!
//! ```text
//! do t = nt, 1, -1                           do t = nt, 1, -1
//!   do i = n - 1, 2, -1                        do i = n - 1, 2, -1
//!     u(i) = u_tape(i, t)
//!     vb(i) = vb(i) + ub(i)                      vb(i) = ub(i)
//!     ub(i) = 0
//!   end do                                     end do
//!   do i = 2, n - 1                    ->      do i = 2, n - 1
//!     ub(i) = ub(i) + u(i)*vb(i)                 ub(i) = u_tape(i, t)*vb(i)
//!   end do                                     end do
//!   do i = 2, n - 1
//!     vb(i) = 0
//!   end do
//! end do                                     end do
//!                                            do i = 2, n - 1
//!                                              vb(i) = 0
//!                                            end do
//! ```
//!
//! Two kinds of stores are taken out where they stand and remembered: zeros in adjoints, and copies of what was recorded. At each point of the code
//! there is a list of postponed stores: a part of an array, and what is to be found there. A store is *due* where code does something to that part that the
//! [`rules`] cannot do without; it is *dropped* where nobody looks any more. The conditions:
//!
//! * only arrays of the unit that share memory with nothing else (arguments, too, for zeros; they are written in the end),
//! * a store can be put off where every iteration has its own element and nothing else in the same loops comes to that element later,
//! * bounds and sources of a postponed store stay as they are: whatever changes what they read makes it due,
//! * behind a branch what is put off in all arms is put off; an arm in which a store was done counts for it as long as the elements stay as they are,
//! * a loop starts with stores put off that are so again at its end, if the elements hold that value before it: they are zero, or the same stores are put
//!   off there. It also starts with elements whose values nobody needs, if nobody does: each iteration sets them before it reads them, and they are not read
//!   behind the loop.
//!
//! Stores that would only come to stand in a loop of their own, at the same depth and with nothing gained, are left where they are.
//!
//! Lives here: the walk over finished code; `loops` has that of loops. Never here: what is stored.

mod accesses;
mod arrays;
mod eligible;
mod future_reads;
mod later_reads;
mod loops;
mod postponed;
mod rewriting;
mod rules;

use crate::analysis::arrays::regions::Known;
use crate::linearize::fold;
use crate::linearize::places::offset;
use crate::transform::adjoint::code::expressions::mentions_any;
use crate::transform::adjoint::code::tree::{Arm, Item, ItemId, ItemKind, branch_item, comment, number};
use accesses::{Access, Act, Touched};
pub(crate) use arrays::Arrays;
use future_reads::Later;
pub(crate) use later_reads::Level;
use postponed::{Postponed, Value};
use rewriting::take;
use rules::{Outcome, may_be_put_off, meet};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{BaseType, MarkerClass, Stmt, StmtKind, SymbolId, VarRef};
use xaif::types;

/// More stores than that are not put off at a time.
const MAX_STORES: usize = 64;

/// In loops that touch more elements than that nothing is put off.
const MAX_ACCESSES: usize = 2_000;

/// How often all of the code is tried with fewer stores.
const MAX_ITERATIONS: usize = 6;

/// So many plain statements one after the other are a long run.
const LONG: usize = 5_000;

/// So many items are looked at for each item of the code.
const MAX_WORK: usize = 60;

/// What is put off at a point of the code.
#[derive(Clone, Debug, Default)]
struct State {
    stores: Vec<Postponed>,
    /// Arrays that are zero as a whole.
    zero: FxHashSet<SymbolId>,
}

/// What is around a point of the code.
#[derive(Clone)]
struct Place<'a> {
    depth: usize,
    arms: usize,
    known: Known,
    later: Later<'a>,
}

/// What became of a statement that was put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// Somebody does without it.
    Spared,
    /// It was done where it costs as much.
    Done,
}

/// The same code with stores put off. Long runs of plain statements stay as they are, and nothing is put off across them: beside such a run it is little that a loop
/// could do without.
pub(crate) fn stores(arrays: &Arrays, mut items: Vec<Item>) -> Vec<Item> {
    let mut count = 0;
    number(&mut items, &mut count);
    let lengths = pieces(&items);
    let mut last = FxHashMap::default();
    if lengths.len() > 1 {
        arrays.last_looked_at(&items, &mut last);
    }
    let mut zero = FxHashSet::default();
    let mut out = Vec::with_capacity(items.len());
    let mut rest = items.into_iter();
    let mut end = 0;
    for (long, length) in lengths {
        end += length;
        let piece = rest.by_ref().take(length);
        if long {
            out.extend(piece.inspect(|item| arrays.follow(item, &mut zero)));
        } else {
            let later = Later { here: Some((&last, Some(end - 1))), ..Later::default() };
            out.extend(put_off_within(arrays, piece.collect(), &mut zero, later));
        }
    }
    out
}

/// How some code is cut: the lengths of its pieces in order, and whether each is a long run of plain statements.
fn pieces(items: &[Item]) -> Vec<(bool, usize)> {
    let plain = |i: &Item| matches!(i.kind, ItemKind::Stmt(_));
    let mut out: Vec<(bool, usize)> = Vec::new();
    for run in items.chunk_by(|a, b| plain(a) && plain(b)) {
        match out.last_mut() {
            Some((false, length)) if run.len() < LONG => *length += run.len(),
            _ => out.push((run.len() >= LONG, run.len())),
        }
    }
    out
}

/// A piece of the code with stores put off; `zero` has the arrays that are zero before it, and then those that are zero behind it.
fn put_off_within(arrays: &Arrays, original: Vec<Item>, zero: &mut FxHashSet<SymbolId>, later: Later) -> Vec<Item> {
    let mut count = 0usize;
    each_item(&original, &mut |_| count += 1);
    let work = count.saturating_mul(MAX_WORK).saturating_add(1_000);
    let copies = copies(arrays, &original);
    let mut left: FxHashSet<ItemId> = FxHashSet::default();
    for _ in 0..MAX_ITERATIONS {
        let mut p = Postpone { arrays, left: &left, log: Vec::new(), failed: false, work };
        let mut state = State { stores: Vec::new(), zero: zero.clone() };
        let place = Place { depth: 0, arms: 0, known: Known::default(), later };
        let mut out = p.sequence(original.clone(), &mut state, &place);
        let seen = |s: &Postponed| !arrays.ends(s.array) || later.has(s.array, &s.part, &place.known);
        let due: Vec<Postponed> = std::mem::take(&mut state.stores).into_iter().filter(seen).collect();
        p.write(&due, &mut out, &place);
        if p.failed || p.work == 0 {
            break;
        }
        let spared: FxHashSet<ItemId> = p.log.iter().filter(|(_, e)| *e == Event::Spared).map(|(i, _)| *i).collect();
        let lost: Vec<ItemId> =
            p.log.iter().filter(|(i, e)| *e == Event::Done && (copies.contains(i) || !spared.contains(i))).map(|(i, _)| *i).collect();
        if spared.is_empty() {
            break;
        }
        if lost.is_empty() {
            *zero = state.zero;
            return out;
        }
        left.extend(lost);
    }
    // What was walked through is not what stays.
    zero.clear();
    original
}

/// The statements that copy what was recorded.
fn copies(arrays: &Arrays, items: &[Item]) -> FxHashSet<ItemId> {
    let mut out = FxHashSet::default();
    each_item(items, &mut |item| {
        if let ItemKind::Stmt(s) = &item.kind
            && let StmtKind::Assignment { lhs, .. } = &s.kind
            && arrays.originals.contains(&lhs.symbol)
        {
            out.insert(item.id);
        }
    });
    out
}

fn each_item(items: &[Item], visit: &mut dyn FnMut(&Item)) {
    for item in items {
        visit(item);
        match &item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| each_item(&a.body, visit)),
            ItemKind::Loop { body, .. } => each_item(body, visit),
        }
    }
}

struct Postpone<'a> {
    arrays: &'a Arrays<'a>,
    /// Statements that stay where they are.
    left: &'a FxHashSet<ItemId>,
    log: Vec<(ItemId, Event)>,
    /// Somebody asked for elements that nobody should ask for.
    failed: bool,
    /// How much more may be looked at.
    work: usize,
}

impl Postpone<'_> {
    fn sequence(&mut self, items: Vec<Item>, state: &mut State, place: &Place) -> Vec<Item> {
        let mut last: FxHashMap<SymbolId, usize> = FxHashMap::default();
        if items.iter().any(|i| !matches!(i.kind, ItemKind::Stmt(_))) {
            self.arrays.last_looked_at(&items, &mut last);
        }
        let mut out: Vec<Item> = Vec::with_capacity(items.len());
        let mut text = String::new();
        for (k, item) in items.into_iter().enumerate() {
            self.work = self.work.saturating_sub(1);
            let before = out.len();
            let later = Later { here: Some((&last, Some(k))), outer: Some(&place.later), ..Later::default() };
            let here = Place { later, known: place.known.clone(), ..*place };
            self.item(item, state, &here, &mut out, &mut text);
            if out.len() > before && !text.is_empty() {
                comment(&mut out[before..], std::mem::take(&mut text));
            }
        }
        out
    }

    fn item(&mut self, mut item: Item, state: &mut State, place: &Place, out: &mut Vec<Item>, text: &mut String) {
        if let ItemKind::Stmt(s) = &item.kind
            && self.whole(s, state, place, out)
        {
            out.push(item);
            return;
        }
        if let ItemKind::Branch { .. } = item.kind {
            return self.branch(item, state, place, out);
        }
        let touched = Touched::of(self.arrays, std::slice::from_ref(&item));
        self.work = self.work.saturating_sub(touched.accesses.len());
        self.settle_changed(&touched.changed, state, place, out);
        let mut due: Vec<Postponed> = Vec::new();
        let mut kept: Vec<Postponed> = Vec::new();
        for mut store in std::mem::take(&mut state.stores) {
            let own: Vec<&Access> = touched.accesses.iter().filter(|a| a.array == store.array).collect();
            match meet(&store, &own, &place.known) {
                Outcome::Passes => kept.push(store),
                Outcome::Consumed(id, adds, rest) => {
                    if adds {
                        self.sets(&mut item, id);
                    }
                    if !store.written {
                        self.log.extend(store.origins.iter().map(|o| (*o, Event::Spared)));
                    }
                    for part in rest {
                        store.part = part;
                        kept.push(store.clone());
                    }
                }
                Outcome::Read(list) => {
                    self.log.extend(store.origins.iter().map(|o| (*o, Event::Spared)));
                    list.iter().for_each(|(id, what, with)| self.reads_instead(&mut item, *id, what, with));
                    kept.push(store);
                }
                Outcome::Due => due.push(store),
            }
        }
        state.stores = kept;
        let inner = matches!(&item.kind, ItemKind::Loop { body, .. } if body.iter().any(|i| !matches!(i.kind, ItemKind::Stmt(_))));
        if !inner {
            due.retain(|s| !s.written);
            self.write(&due, out, place);
            // What was done now still counts where it is only read.
            for mut store in due.drain(..) {
                store.written = true;
                let own: Vec<&Access> = touched.accesses.iter().filter(|a| a.array == store.array).collect();
                if matches!(meet(&store, &own, &place.known), Outcome::Passes) {
                    state.stores.push(store);
                }
            }
        }
        let room = state.stores.len() < MAX_STORES && touched.accesses.len() < MAX_ACCESSES;
        let fresh = if room { self.put_off(&mut item, &touched, &due, place, text) } else { Vec::new() };
        let zero = state.zero.clone();
        for array in touched.accesses.iter().filter(|a| a.act != Act::Read).map(|a| a.array) {
            state.zero.remove(&array);
        }
        match item.kind {
            ItemKind::Loop { head, kind, body } if inner => {
                self.repeat((item.id, head, kind, *body), (due, zero), &touched, state, place, out);
            }
            // A loop that was empty before may be there for what its index is then.
            ItemKind::Loop { ref body, ref head, .. } if body.is_empty() && !fresh.is_empty() => {
                if !head.comment.is_empty() {
                    *text = if text.is_empty() { head.comment.to_string() } else { format!("{text}\n{}", head.comment) };
                }
            }
            ItemKind::Stmt(_) if fresh.iter().any(|s| s.origins.contains(&item.id)) => {}
            _ => out.push(item),
        }
        for store in fresh {
            add(state, store, &place.known);
        }
    }

    /// Stores that can no longer be told from what is known behind some code are done before it.
    fn settle_changed(&mut self, changed: &FxHashSet<SymbolId>, state: &mut State, place: &Place, out: &mut Vec<Item>) {
        let moved = |s: &Postponed| s.depends(&|v| changed.contains(&v));
        if !state.stores.iter().any(moved) {
            return;
        }
        let (due, kept): (Vec<Postponed>, Vec<Postponed>) = std::mem::take(&mut state.stores).into_iter().partition(moved);
        state.stores = kept;
        self.write(&due, out, place);
    }

    /// Statements about arrays as a whole: what was to be stored in them need not be.
    fn whole(&mut self, s: &Stmt, state: &mut State, place: &Place, out: &mut Vec<Item>) -> bool {
        let arrays = self.arrays;
        let (array, zero) = match &s.kind {
            StmtKind::Assignment { lhs, rhs } if lhs.subscripts.is_empty() && arrays.has(lhs.symbol) => {
                if mentions_any(rhs, |v| arrays.has(v)) {
                    return false;
                }
                (lhs.symbol, fold::number(rhs) == Some(0.0))
            }
            StmtKind::Marker(m) if matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) => {
                let Some(object) = &m.object else { return false };
                let others = m.reads.iter().chain(&m.writes).any(|v| *v != object.symbol && arrays.has(*v));
                if others || !arrays.has(object.symbol) || !arrays.ends(object.symbol) {
                    return false;
                }
                (object.symbol, m.class == MarkerClass::Allocate && m.zeroed)
            }
            _ => return false,
        };
        let (gone, kept): (Vec<Postponed>, Vec<Postponed>) = std::mem::take(&mut state.stores).into_iter().partition(|s| s.array == array);
        state.stores = kept;
        self.log.extend(gone.iter().filter(|s| !s.written).flat_map(|s| &s.origins).map(|o| (*o, Event::Spared)));
        self.settle_changed(&FxHashSet::from_iter([array]), state, place, out);
        if zero {
            state.zero.insert(array);
        } else {
            state.zero.remove(&array);
        }
        true
    }

    fn branch(&mut self, item: Item, state: &mut State, place: &Place, out: &mut Vec<Item>) {
        let Item { id, kind: ItemKind::Branch { head, condition, mut arms } } = item else { return };
        let asked = Touched::of_condition(self.arrays, &condition);
        let mut due: Vec<Postponed> = Vec::new();
        for store in state.stores.iter_mut().filter(|s| !s.written) {
            let own: Vec<&Access> = asked.accesses.iter().filter(|a| a.array == store.array).collect();
            if !matches!(meet(store, &own, &place.known), Outcome::Passes) {
                due.push(store.clone());
                store.written = true;
            }
        }
        self.write(&due, out, place);
        let truth = types::of(self.arrays.program, &condition).elem.base == BaseType::Bool;
        let mut emptied = false;
        let mut ends: Vec<State> = Vec::new();
        let around = Place { arms: place.arms + 1, ..place.clone() };
        for arm in arms.iter_mut() {
            let mut here = around.clone();
            self.arrays.assume(&mut here.known, &condition, arm);
            let mut inside = state.clone();
            let empty = arm.body.is_empty();
            arm.body = self.sequence(std::mem::take(&mut arm.body), &mut inside, &here);
            emptied |= arm.body.is_empty() && !empty;
            ends.push(inside);
        }
        let implied = !arms.iter().any(|a| a.values.is_empty());
        if implied {
            arms.push(Arm { values: Vec::new(), body: Vec::new() });
            ends.push(std::mem::take(state));
        }
        *state = self.join(&mut arms, ends, &around);
        if implied && arms.last().is_some_and(|a| a.body.is_empty()) {
            arms.pop();
        }
        let works = arms.iter().any(|a| !a.body.is_empty());
        if !emptied {
            out.push(Item { id, kind: ItemKind::Branch { head, condition, arms } });
        } else if works {
            out.push(Item { id, ..branch_item(head, *condition, *arms, truth) });
        }
    }

    /// What is put off behind a branch. What is not in all arms is done in those where it is.
    fn join(&mut self, arms: &mut [Arm], ends: Vec<State>, place: &Place) -> State {
        let mut all = State::default();
        let Some(first) = ends.first() else { return all };
        all.zero = first.zero.iter().copied().filter(|a| ends.iter().all(|e| e.zero.contains(a))).collect();
        for store in &first.stores {
            let same: Option<Vec<&Postponed>> = ends.iter().map(|e| e.stores.iter().find(|s| s.same(store))).collect();
            if let Some(same) = same {
                let mut origins: Vec<ItemId> = same.iter().flat_map(|s| &s.origins).copied().collect();
                origins.sort_unstable();
                origins.dedup();
                let written = same.iter().all(|s| s.written);
                let (depth, around) = (same.iter().map(|s| s.depth).min(), same.iter().map(|s| s.arms).min());
                let (depth, around) = (depth.unwrap_or(store.depth), around.unwrap_or(store.arms));
                all.stores.push(Postponed { origins, written, depth, arms: around, ..store.clone() });
            }
        }
        for (arm, end) in arms.iter_mut().zip(&ends) {
            let mut due: Vec<Postponed> = Vec::new();
            let others = end.stores.iter().filter(|s| !s.written && !all.stores.iter().any(|t| t.same(s)));
            for store in others.collect::<Vec<_>>() {
                if store.value == Value::Any {
                    all.stores.push(store.clone());
                } else {
                    due.push(store.clone());
                }
            }
            self.write(&due, &mut arm.body, place);
        }
        all
    }

    /// Takes stores out of an item that may be put off until behind it.
    fn put_off(&mut self, item: &mut Item, touched: &Touched, due: &[Postponed], place: &Place, text: &mut String) -> Vec<Postponed> {
        let mut out = Vec::new();
        for a in touched.accesses.iter().filter(|a| a.each && a.act == Act::Set && !self.left.contains(&a.item)) {
            let own: Vec<&Access> = touched.accesses.iter().filter(|b| b.array == a.array).collect();
            if due.iter().any(|d| d.array == a.array) || !may_be_put_off(a, &own, &place.known) {
                continue;
            }
            let (Some(to), Some(part)) = (&a.place, &a.part) else { continue };
            let over: Vec<Option<SymbolId>> = to
                .subscripts
                .iter()
                .map(|t| {
                    let base = offset(t.index.as_ref()?).0?;
                    base.as_var().map(|v| v.symbol).filter(|v| touched.changed.contains(v))
                })
                .collect();
            let Some(value) = self.value_of(item, a, to, &over, touched) else { continue };
            let (depth, arms) = (place.depth, place.arms);
            let store = Postponed { array: a.array, part: part.clone(), value, written: false, over, origins: vec![a.item], depth, arms };
            if item.id == a.item {
                if let ItemKind::Stmt(s) = &item.kind {
                    text.push_str(&s.comment);
                }
            } else if let ItemKind::Loop { body, .. } = &mut item.kind {
                take(body, a.item);
            }
            out.push(store);
        }
        out
    }

    /// What a statement stores, if that can be put off.
    fn value_of(&self, item: &Item, a: &Access, to: &VarRef, over: &[Option<SymbolId>], touched: &Touched) -> Option<Value> {
        let mut found = None;
        each_item(std::slice::from_ref(item), &mut |i| {
            if i.id == a.item
                && let ItemKind::Stmt(s) = &i.kind
                && let StmtKind::Assignment { rhs, .. } = &s.kind
            {
                found = Some(rhs.clone());
            }
        });
        let rhs = found?;
        if self.arrays.adjoints.contains(&a.array) {
            return (fold::number(&rhs) == Some(0.0)).then_some(Value::Zero);
        }
        let from = rhs.as_var().filter(|r| self.arrays.tapes.contains(&r.symbol) && self.arrays.originals.contains(&a.array))?;
        let indices: Vec<SymbolId> = over.iter().flatten().copied().collect();
        // Its subscripts are known: the same loops' indices, or what stays.
        let known = touched.accesses.iter().any(|b| b.item == a.item && b.array == from.symbol && b.act == Act::Read && b.part.is_some());
        let read_only = !touched.accesses.iter().any(|b| b.array == from.symbol && b.act != Act::Read);
        let alike = types::of_ref(self.arrays.program, from) == types::of_ref(self.arrays.program, to);
        (known && read_only && alike).then(|| Value::Copy { to: to.clone(), from: from.clone(), indices })
    }
}

/// Adds a store; it goes together with one that it continues.
fn add(state: &mut State, store: Postponed, known: &Known) {
    let mut store = store;
    while let Some((at, part, over)) = state.stores.iter().enumerate().find_map(|(k, s)| {
        let alike = s.array == store.array && s.value == store.value && !s.written && s.over.len() == store.over.len();
        let part = known.joined(&s.part, &store.part).filter(|_| alike)?;
        let over: Vec<Option<SymbolId>> = s.over.iter().zip(&store.over).map(|(a, b)| a.or(*b)).collect();
        let told = part.iter().zip(&over).all(|(span, o)| o.is_some() || span.low == span.high);
        told.then_some((k, part, over))
    }) {
        let old = state.stores.remove(at);
        store.origins.extend(old.origins);
        store = Postponed { part, over, depth: store.depth.min(old.depth), arms: store.arms.min(old.arms), ..store };
    }
    state.stores.push(store);
}
