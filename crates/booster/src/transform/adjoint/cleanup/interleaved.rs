//! Recurrences of adjoints that run beside the ones that they reverse.
//!
//! ```text
//! do i = 1, n                          do i = 1, n
//!   p_tape(i) = p                        p_tape(i) = p
//!   p = p*x(i)                           p = p*x(i)
//! end do                                 pb_tape(n - i + 1) = pb
//! do i = n, 1, -1                ->      pb = x(n - i + 1)*pb
//!   p = p_tape(i)                      end do
//!   xb(i) = xb(i) + p*pb               do i = 1, n
//!   pb = x(i)*pb                         xb(i) = xb(i) + p_tape(i)*pb_tape(i)
//! end do                               end do
//! ```
//!
//! Each iteration of a recurrence waits for the one before it. The factors of the adjoint's recurrence are partial derivatives; where they are known before the forward sweep,
//! both recurrences wait at the same time, and what is left of the reverse sweep has independent iterations, which compilers can vectorize. Every
//! operation is the one that it was, on the same values.
//!
//! The conditions: both loops have the same iterations; the recurrence of the adjoint, and what it starts from, read nothing that is written from the forward loop on;
//! everything else in the reverse loop adds to elements that are each iteration's own; the scalars that come back from records are not used behind it.
//! It takes a second record, so it is done only where the first recurrence was worth one, and where both loops have nothing but sums, products and quotients.
//!
//! Source: the order of the sweeps' operations is free as far as their dependences allow; products of many factors, whose gradient is computed from both ends, are
//! Speelpenning's example: Griewank and Walther, "Evaluating Derivatives" (2008), Section 3.2.
//!
//! Lives here: this change of finished sweeps in one unit. Never here: what is recorded (`tape`), other orders of iterations (`ascending_loops`).

use crate::analysis::arrays::counted::{Range, for_loop, range};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::expressions::{cheap, inlined, mentions_any, moved, plus, same_place, varying, without};
use crate::transform::adjoint::code::mentions::{for_each_mention, in_stmt, mentioned};
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind, comment};
use crate::transform::adjoint::statement::maker::Maker;
use crate::transform::follow;
use arcstr::ArcStr;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{Expr, ForLoop, MarkerClass, Stmt, StmtKind, Storage, SymbolId, VarRef};

/// Ends of loops that may be added to the other end.
const SMALL_END: i64 = 1 << 10;

/// Two loops that may run interleaved, by where they stand in a sequence.
struct Pair {
    forward: usize,
    reverse: usize,
    iterations: Range,
    /// The element of a record that an iteration of the forward loop sets.
    record: VarRef,
}

/// A pair that can.
struct Found {
    pair: Pair,
    /// Adjoints with their values after an iteration.
    adjoints: Vec<(SymbolId, Expr)>,
    /// Where they get the values that they start from, as far as that is between the loops.
    starts: Vec<usize>,
    /// What is left of the reverse loop. The adjoints are still called by their names.
    rest: Vec<Stmt>,
    /// The comments of the reverse loop.
    text: String,
}

/// What is known of variables.
struct Variables<'a> {
    program: &'a Program,
    /// Whether two variables may share memory.
    overlap: &'a dyn Fn(SymbolId, SymbolId) -> bool,
    /// Scalars of the unit that share memory with nothing else.
    lone: &'a dyn Fn(SymbolId) -> bool,
    /// Scalars that nobody looks at behind the reverse loop.
    dead: &'a dyn Fn(SymbolId) -> bool,
    /// Scalars that are set before every use.
    scratch: &'a dyn Fn(SymbolId) -> bool,
}

impl Maker<'_> {
    /// The code of both sweeps with recurrences interleaved; `original`: what adjoints belong to.
    pub(crate) fn interleaved(&mut self, mut items: Vec<Item>, original: &FxHashMap<SymbolId, SymbolId>) -> Vec<Item> {
        let mut made = FxHashMap::default();
        self.interleave(&mut items, original, &FxHashSet::default(), false, &mut made);
        if !made.is_empty() {
            allocate(&mut items, &made);
        }
        items
    }

    /// `after`: what is named behind the sequence; `again`: whether it is run several times; `made`: records of adjoints by those that they are like.
    fn interleave(
        &mut self,
        items: &mut [Item],
        original: &FxHashMap<SymbolId, SymbolId>,
        after: &FxHashSet<SymbolId>,
        again: bool,
        made: &mut FxHashMap<SymbolId, Vec<SymbolId>>,
    ) {
        let pairs = self.pairs(items);
        let inner: Vec<usize> = (0..items.len()).filter(|&k| self.has_pairs(&items[k])).collect();
        if pairs.is_empty() && inner.is_empty() {
            return;
        }
        let mut last: FxHashMap<SymbolId, usize> = FxHashMap::default();
        for (k, item) in items.iter().enumerate() {
            for_each_mention(std::slice::from_ref(item), &mut |s| _ = last.insert(s, k));
        }
        for &k in &inner {
            let mut behind = after.clone();
            behind.extend(last.iter().filter(|(_, at)| **at > k).map(|(s, _)| *s));
            match &mut items[k].kind {
                ItemKind::Stmt(_) => {}
                ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| self.interleave(&mut a.body, original, &behind, again, made)),
                ItemKind::Loop { body, .. } => self.interleave(body, original, &behind, true, made),
            }
        }
        // Sweeps nest, and what changes for a pair changes between its loops only.
        for pair in pairs.into_iter().rev() {
            let found = {
                let (forward, reverse) = (pair.forward, pair.reverse);
                // Callers may count on what comes back in an argument, and other iterations on what comes back in this one, unless it is set here.
                let dead = |s: SymbolId| {
                    let behind = after.contains(&s) || last.get(&s).is_some_and(|&at| at > reverse);
                    !behind && (!again && self.is_own(s) || set_first(&items[..forward], s))
                };
                let overlap = |a: SymbolId, b: SymbolId| self.adjoints_overlap(original, a, b);
                let lone = |s: SymbolId| {
                    let storage = self.program.symbol(s).storage();
                    self.is_lone_scalar(s)
                        && original.get(&s).is_none_or(|&of| self.is_lone_scalar(of))
                        && matches!(storage, Storage::Local | Storage::Argument)
                };
                let scratch = |s: SymbolId| self.scratch.iter().any(|(_, t, _)| *t == s);
                Variables { program: self.program, overlap: &overlap, lone: &lone, dead: &dead, scratch: &scratch }.found(items, pair)
            };
            let Some(found) = found else { continue };
            let like = self.program.symbol(found.pair.record.symbol).clone();
            let mut records = Vec::new();
            for (adjoint, _) in &found.adjoints {
                let symbol = self.program.symbol(*adjoint);
                let (name, ty) = (format!("{}_tape", symbol.name), symbol.ty);
                records.push(self.array(&name, ty, &like));
            }
            made.entry(found.pair.record.symbol).or_default().extend(&records);
            found.apply(Fold { program: self.program }, &records, items);
        }
    }

    fn has_pairs(&self, item: &Item) -> bool {
        let within = |body: &[Item]| !self.pairs(body).is_empty() || body.iter().any(|i| self.has_pairs(i));
        match &item.kind {
            ItemKind::Stmt(_) => false,
            ItemKind::Branch { arms, .. } => arms.iter().any(|a| within(&a.body)),
            ItemKind::Loop { body, .. } => within(body),
        }
    }

    /// Loops of a sequence with the same iterations, in opposite orders, the second of which reads what the first one records of a scalar.
    fn pairs(&self, items: &[Item]) -> Vec<Pair> {
        let mut recording: FxHashMap<SymbolId, (usize, &ForLoop, &VarRef)> = FxHashMap::default();
        let mut out = Vec::new();
        for (k, item) in items.iter().enumerate() {
            let ItemKind::Loop { kind: LoopKind::For(head), body, .. } = &item.kind else { continue };
            let stores = body.iter().filter_map(Item::assignment).filter(|(lhs, rhs)| self.is_tape(lhs.symbol) && scalar(rhs).is_some());
            let stores: Vec<&VarRef> = stores.map(|(lhs, _)| lhs).collect();
            let restored = |i| Item::assignment(i).filter(|(lhs, _)| lhs.subscripts.is_empty()).and_then(|(_, rhs)| rhs.as_var());
            let met = body.iter().filter_map(restored).find_map(|r| recording.remove(&r.symbol));
            let Some((forward, there, record)) = met else {
                recording.extend(stores.into_iter().map(|lhs| (lhs.symbol, (k, &**head, lhs))));
                continue;
            };
            if !items[forward + 1..k].iter().all(may_stand_between) {
                continue;
            }
            let (Some(there), Some(iterations)) = (range(self.program, there), range(self.program, head)) else { continue };
            let same = there.index == iterations.index && there.first == iterations.bound && there.bound == iterations.first;
            if same && there.stride.as_int() == Some(1) && iterations.stride.as_int() == Some(-1) {
                out.push(Pair { forward, reverse: k, iterations: there, record: record.clone() });
            }
        }
        out.sort_by_key(|p| p.forward);
        out
    }
}

/// Assignments, and what allocates or frees.
fn may_stand_between(item: &Item) -> bool {
    let ItemKind::Stmt(s) = &item.kind else { return false };
    match &s.kind {
        StmtKind::Assignment { .. } => true,
        StmtKind::Marker(m) => matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate),
        _ => false,
    }
}

/// Recurrences are short, and what a longer body sets is compared with what it reads, each with each.
const LONGEST: usize = 200;

/// An assignment of a loop's body, with both sides.
type Line<'a> = (&'a Stmt, &'a VarRef, &'a Expr);

/// The body of a loop that has nothing but assignments, cheap ones.
fn lines(item: &Item) -> Option<Vec<Line<'_>>> {
    let ItemKind::Loop { body, .. } = &item.kind else { return None };
    if body.len() > LONGEST {
        return None;
    }
    let plain = |i| stmt(i).zip(i.assignment()).map(|(s, (lhs, rhs))| (s, lhs, rhs)).filter(|(.., rhs)| cheap(rhs));
    body.iter().map(plain).collect()
}

/// How often a variable is set.
fn sets(lines: &[Line], s: SymbolId) -> usize {
    lines.iter().filter(|(_, lhs, _)| lhs.symbol == s).count()
}

/// Whether an assignment sets or reads a variable.
fn names(s: SymbolId, (_, lhs, rhs): &Line) -> bool {
    lhs.symbol == s || mentions_any(rhs, |r| r == s)
}

/// Adds what is written between the loops; `None` where something stands there that may not.
fn written_between(between: &[Item], written: &mut Vec<SymbolId>) -> Option<()> {
    for item in between {
        match &item.kind {
            ItemKind::Stmt(s) if may_stand_between(item) => match item.assignment() {
                Some((lhs, _)) => written.push(lhs.symbol),
                None => in_stmt(s, &mut |v| written.push(v)),
            },
            _ => return None,
        }
    }
    Some(())
}

/// Variables that get back what was recorded before anything reads them, with the elements that they get.
fn restored<'a>(reverse: &[Line<'a>]) -> FxHashMap<SymbolId, &'a VarRef> {
    reverse
        .iter()
        .enumerate()
        .filter_map(|(k, (_, lhs, rhs))| Some((k, lhs.symbol, rhs.as_var().filter(|_| lhs.subscripts.is_empty())?)))
        .filter(|(k, p, r)| {
            !r.subscripts.is_empty()
                && sets(reverse, r.symbol) == 0
                && sets(reverse, *p) == 1
                && !reverse[..*k].iter().any(|s| names(*p, s))
        })
        .map(|(_, p, r)| (p, r))
        .collect()
}

impl Variables<'_> {
    fn found(&self, items: &[Item], pair: Pair) -> Option<Found> {
        let (forward, reverse) = (lines(&items[pair.forward])?, lines(&items[pair.reverse])?);
        let mut written: Vec<SymbolId> = vec![pair.iterations.index];
        written.extend(forward.iter().chain(&reverse).map(|(_, lhs, _)| lhs.symbol));
        written_between(&items[pair.forward + 1..pair.reverse], &mut written)?;
        // What is as it was before the forward loop, but for the adjoint and the index.
        let untouched =
            |e: &Expr, but: &[SymbolId]| !mentions_any(e, |s| !but.contains(&s) && written.iter().any(|&w| (self.overlap)(w, s)));

        let restored = restored(&reverse);
        let (values, adjoints) = self.named_values(&reverse, pair.iterations.index, &untouched);
        let one_each = |s: SymbolId| sets(&reverse, s) == 1 && (self.lone)(s);
        if adjoints.is_empty() || !adjoints.iter().all(|(b, _)| one_each(*b)) || !restored.keys().all(|&p| one_each(p) && (self.dead)(p)) {
            return None;
        }
        let starts = adjoints.iter().map(|(b, _)| self.start(items, &pair, *b, &untouched)).collect::<Option<Vec<_>>>()?;
        let mut starts: Vec<usize> = starts.into_iter().flatten().collect();
        starts.sort_unstable();

        let rest = self.rest(&reverse, pair.iterations.index, &restored, &values, &adjoints)?;
        let text: Vec<&str> = reverse.iter().map(|(s, ..)| s.comment.as_str()).filter(|c| !c.is_empty()).collect();
        let text = text.join("\n");
        (!rest.is_empty()).then_some(Found { adjoints, starts, rest, text, pair })
    }

    /// Values that an iteration has names for, in terms of all others; and the adjoints that go from iteration to iteration, with what they become.
    fn named_values(
        &self,
        reverse: &[Line],
        index: SymbolId,
        untouched: &dyn Fn(&Expr, &[SymbolId]) -> bool,
    ) -> (FxHashMap<SymbolId, Expr>, Vec<(SymbolId, Expr)>) {
        let f = Fold { program: self.program };
        let mut values: FxHashMap<SymbolId, Expr> = FxHashMap::default();
        let mut adjoints: Vec<(SymbolId, Expr)> = Vec::new();
        for (k, (_, lhs, rhs)) in reverse.iter().enumerate().filter(|(_, (_, lhs, _))| lhs.subscripts.is_empty()) {
            let (s, value) = (lhs.symbol, inlined(f, rhs, &values));
            if (self.scratch)(s) && sets(reverse, s) == 1 {
                values.insert(s, value);
            } else if mentions_any(&value, |r| r == s)
                && untouched(&value, &[s, index])
                && !reverse[k + 1..].iter().any(|later| names(s, later))
            {
                adjoints.push((s, value));
            }
        }
        (values, adjoints)
    }

    /// What is left of the reverse loop, with values read where they were recorded from: each iteration adds to elements of its own, and reads nothing else that the
    /// loop sets.
    fn rest(
        &self,
        reverse: &[Line],
        index: SymbolId,
        restored: &FxHashMap<SymbolId, &VarRef>,
        values: &FxHashMap<SymbolId, Expr>,
        adjoints: &[(SymbolId, Expr)],
    ) -> Option<Vec<Stmt>> {
        let f = Fold { program: self.program };
        let is_adjoint = |s: SymbolId| adjoints.iter().any(|(b, _)| *b == s);
        let mut rest = Vec::new();
        for (_, lhs, rhs) in reverse {
            if is_adjoint(lhs.symbol) || restored.contains_key(&lhs.symbol) {
                continue;
            }
            if !values.contains_key(&lhs.symbol) {
                varying(lhs, index)?;
                without(f, rhs, lhs)?;
            }
            let set = |r: &VarRef| reverse.iter().any(|(_, w, _)| (self.overlap)(w.symbol, r.symbol));
            let scalar = |s: SymbolId| is_adjoint(s) || restored.contains_key(&s) || values.contains_key(&s);
            let own = |r: &VarRef| scalar(r.symbol) || same_place(r, lhs);
            let meets = |w: &VarRef| (self.overlap)(w.symbol, lhs.symbol) && !same_place(w, lhs);
            if !rhs.every_ref(&|r| own(r) || !set(r))
                || !lhs.index_exprs().all(|e| e.every_ref(&|r| !set(r)))
                || reverse.iter().any(|(_, w, _)| meets(w))
            {
                return None;
            }
            let value = f.rebuilt(rhs, &|r| restored.get(&r.symbol).map(|t| Expr::var((*t).clone())));
            rest.push(Stmt { comment: ArcStr::new(), ..Stmt::assign((*lhs).clone(), value) });
        }
        Some(rest)
    }

    /// Where an adjoint gets its first value, if that can be had before the forward loop.
    #[allow(clippy::option_option)] // no such place is another answer than none that will do
    fn start(
        &self,
        items: &[Item],
        pair: &Pair,
        adjoint: SymbolId,
        untouched: &dyn Fn(&Expr, &[SymbolId]) -> bool,
    ) -> Option<Option<usize>> {
        let names = |k: &usize| {
            let mut named = FxHashSet::default();
            mentioned(&items[*k..=*k], &mut named);
            named.contains(&adjoint)
        };
        let mut places = (pair.forward..pair.reverse).filter(names);
        match (places.next(), places.next()) {
            (None, _) => Some(None),
            (Some(k), None) => {
                let (lhs, rhs) = items[k].assignment()?;
                (lhs.symbol == adjoint && lhs.subscripts.is_empty() && untouched(rhs, &[])).then_some(Some(k))
            }
            _ => None,
        }
    }
}

impl Found {
    /// Puts the new loops in place of the old ones.
    fn apply(self, f: Fold, records: &[SymbolId], items: &mut [Item]) {
        let Found { pair: Pair { forward, reverse, iterations, record }, adjoints, starts, rest, text } = self;
        // The iteration of the reverse loop that runs beside this one.
        // The sum of both ends may be too large for the type of the index.
        let small = |e: &Expr| e.as_int().filter(|n| n.abs() <= SMALL_END);
        let opposite = match (small(&iterations.first), small(&iterations.bound)) {
            (Some(first), _) => f.sub(plus(f, &iterations.bound, first), Expr::sym(iterations.index)),
            (_, Some(bound)) => f.sub(plus(f, &iterations.first, bound), Expr::sym(iterations.index)),
            _ => f.sub(iterations.bound.clone(), f.sub(Expr::sym(iterations.index), iterations.first.clone())),
        };
        let there = |e: &Expr| moved(f, e, iterations.index, &opposite, 0);
        let kept: FxHashMap<SymbolId, Expr> =
            adjoints.iter().zip(records).map(|((b, _), &symbol)| (*b, Expr::var(VarRef { symbol, ..record.clone() }))).collect();
        if let ItemKind::Loop { body, .. } = &mut items[forward].kind {
            for (adjoint, next) in &adjoints {
                let store = there(&kept[adjoint]).as_var().map(|r| Stmt::assign(r.clone(), Expr::sym(*adjoint)));
                body.extend(store.map(Item::stmt));
                body.push(Item::stmt(Stmt::assign(VarRef::whole(*adjoint), there(next))));
            }
        }
        let read = |mut s: Stmt| {
            if let StmtKind::Assignment { rhs, .. } = &mut s.kind {
                *rhs = f.rebuilt(rhs, &|r| kept.get(&r.symbol).cloned());
            }
            Item::stmt(s)
        };
        let mut rest: Vec<Item> = rest.into_iter().map(read).collect();
        comment(&mut rest, text);
        if let ItemKind::Loop { kind, body, .. } = &mut items[reverse].kind {
            *kind = LoopKind::For(Box::new(for_loop(f, iterations.index, iterations.first, iterations.bound, Expr::int(1))));
            **body = rest;
        }
        for (moved, at) in starts.into_iter().enumerate() {
            items[forward + moved..=at].rotate_right(1);
        }
    }
}

/// Memory for records of adjoints comes and goes with the records that they are like.
fn allocate(items: &mut Vec<Item>, made: &FxHashMap<SymbolId, Vec<SymbolId>>) {
    for k in (0..items.len()).rev() {
        match &mut items[k].kind {
            ItemKind::Stmt(s) => {
                let StmtKind::Marker(m) = &s.kind else { continue };
                let Some((object, new)) = m.object.as_ref().and_then(|o| Some((o, made.get(&o.symbol)?))) else { continue };
                let like = |&symbol: &SymbolId| match m.class {
                    MarkerClass::Allocate => follow::allocate(VarRef { symbol, ..object.clone() }, false),
                    _ => follow::free(symbol),
                };
                let more: Vec<Item> = new.iter().map(like).map(Item::stmt).collect();
                let at = if m.class == MarkerClass::Allocate { k + 1 } else { k };
                items.splice(at..at, more);
            }
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| allocate(&mut a.body, made)),
            ItemKind::Loop { body, .. } => allocate(body, made),
        }
    }
}

/// Whether a sequence sets a scalar before it reads it.
fn set_first(items: &[Item], s: SymbolId) -> bool {
    let named = |i: &&Item| {
        let mut named = FxHashSet::default();
        mentioned(std::slice::from_ref(*i), &mut named);
        named.contains(&s)
    };
    let first = items.iter().find(named).and_then(Item::assignment);
    first.is_some_and(|(lhs, rhs)| lhs.symbol == s && !mentions_any(rhs, |r| r == s))
}

fn stmt(item: &Item) -> Option<&Stmt> {
    if let ItemKind::Stmt(s) = &item.kind { Some(s) } else { None }
}

/// The scalar that an expression is.
fn scalar(e: &Expr) -> Option<SymbolId> {
    e.as_var().filter(|r| r.subscripts.is_empty()).map(|r| r.symbol)
}
