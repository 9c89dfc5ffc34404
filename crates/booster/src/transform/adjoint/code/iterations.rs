//! Elements that places inside of loops name, compared by what the bounds of the loops say.
//!
//! ```text
//! do i = 1, n;  do j = 1, m
//!   r((i - 1)*m + j)                in other iterations of i another element, as 1 <= j <= m
//!   x(3*i + 1), x(3*i + 2)          two elements, whatever i is in either
//! ```
//!
//! The subscripts of two places are sums of products of unknowns: what no loop changes, and the index of each loop, once for the one place and once for the
//! other. They name one element where all subscripts are equal and each index is within its bounds; where that is a system without a solution
//! ([`inequalities`](crate::analysis::arrays::inequalities)), they never do.
//!
//! Source: dependence tests by Fourier-Motzkin elimination, as in Pugh, "The Omega test: a fast and practical integer programming algorithm for dependence
//! analysis" (1991), without its exact elimination.
//!
//! Lives here: the systems, and which arrays the iterations of a loop divide among them. Never here: what follows from it.

use super::mentions;
use super::tree::{Item, ItemKind, LoopKind};
use crate::analysis::accesses::dependence::{Access, Accesses, Action, has_calls, meet, ordered};
use crate::analysis::arrays::counted::{Range, range};
use crate::analysis::arrays::inequalities::{Sum, never};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::{BaseType, Expr, ForLoop, Stmt, StmtKind, SymbolId, VarRef};

/// The number of a loop in a walk.
pub(crate) type Loop = u32;

/// An element, with the loops around it from outside.
pub(crate) struct Place<'a> {
    /// The element.
    pub element: &'a VarRef,
    /// The loops.
    pub around: SmallVec<[Loop; 4]>,
}

/// What stands for a number that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unknown {
    /// A variable that the loop does not change.
    Fixed(SymbolId),
    /// The index of a loop, for the first of two places, or for the second.
    Index(Loop, bool),
}

pub(crate) type Number = Sum<Unknown>;

fn index(l: Loop, second: bool) -> Number {
    Number::unknown(Unknown::Index(l, second))
}

/// What the bounds of loops say.
pub(crate) struct Bounds<'a> {
    /// The program.
    pub program: &'a Program,
    /// Head and stride of each loop that counts in constant steps.
    pub loops: &'a [Option<(Range, i64)>],
    /// Variables that the loops never change.
    pub steady: &'a dyn Fn(SymbolId) -> bool,
    /// Indices that only the heads of their loops change.
    pub counts: &'a dyn Fn(SymbolId) -> bool,
    /// What is never negative, whatever the loops do.
    pub known: &'a [Number],
}

impl Bounds<'_> {
    /// What holds where two places, the second seen from other iterations than the first, are one element; nothing where their subscripts do not tell.
    pub fn system(&self, a: &Place, b: &Place) -> Option<Vec<Number>> {
        let (first, second) = (self.subscripts(a, false)?, self.subscripts(b, true)?);
        let mut all = self.known.to_vec();
        self.bounds(&a.around, false, &mut all);
        self.bounds(&b.around, true, &mut all);
        if first.len() != second.len() {
            return None;
        }
        // A subscript that is not known says nothing.
        let known = first.into_iter().zip(second).filter_map(|(x, y)| Some((x?, y?))).collect();
        for (x, y) in self.rows(known, &all)? {
            equal(&mut all, &x, &y)?;
        }
        Some(all)
    }

    /// Whether the second place is never the first one where it is in a later iteration of a loop around both (in an earlier one if `later` is false).
    pub fn never_in_another(&self, system: &[Number], l: Loop, later: bool) -> bool {
        let stride = self.loops.get(l as usize).and_then(Option::as_ref).map(|(_, s)| *s);
        // Without a stride nothing is said of the order; then all iterations count, this one too.
        let Some(stride) = stride else { return never(system.to_vec()) };
        let times = if later { stride.signum() } else { -stride.signum() };
        let ahead = index(l, true).plus(&index(l, false), -1).and_then(|d| Number::number(0).plus(&d, times));
        let far = ahead.and_then(|a| a.plus(&Number::number(stride.checked_abs()?), -1));
        far.is_some_and(|far| never([system, &[far]].concat()))
    }

    /// Whether two places are never one element where they are in different iterations of the outermost loop.
    fn never_in_others(&self, a: &Place, b: &Place) -> bool {
        let Some(system) = self.system(a, b) else { return false };
        [true, false].into_iter().all(|later| self.never_in_another(&system, 0, later))
    }

    /// The same iteration of a loop for both places.
    pub fn in_one(system: &mut Vec<Number>, l: Loop) -> Option<()> {
        equal(system, &index(l, false), &index(l, true))
    }

    /// An integer expression at some place.
    fn number(&self, e: &Expr, around: &[Loop], second: bool) -> Option<Number> {
        let unknown = |s: SymbolId| {
            if !is_number(self.program, s) {
                return None;
            }
            let has = |l: &&Loop| self.loops[**l as usize].as_ref().is_some_and(|(r, _)| r.index == s);
            match around.iter().filter(has).count() {
                0 => (self.steady)(s).then_some(Unknown::Fixed(s)),
                1 if (self.counts)(s) => around.iter().find(has).map(|&l| Unknown::Index(l, second)),
                _ => None,
            }
        };
        Sum::of(e, &unknown)
    }

    fn subscripts(&self, place: &Place, second: bool) -> Option<Vec<Option<Number>>> {
        let element = place.element;
        if element.has_section() || element.subscripts.is_empty() {
            return None;
        }
        Some(element.subscripts.iter().map(|t| self.number(t.index.as_ref()?, &place.around, second)).collect())
    }

    /// What is never negative for an index that is in its loop.
    fn bounds(&self, around: &[Loop], second: bool, out: &mut Vec<Number>) {
        for (k, &l) in around.iter().enumerate() {
            let Some((range, stride)) = &self.loops[l as usize] else { continue };
            let index = index(l, second);
            let sign = stride.signum();
            for (e, side) in [(&range.first, sign), (&range.bound, -sign)] {
                let Some(end) = self.number(e, &around[..k], second) else { continue };
                out.extend(index.plus(&end, -1).and_then(|d| Number::number(0).plus(&d, side)));
            }
        }
    }

    /// Pairs of numbers that are equal where two elements are the same. Subscripts of the form `i*n + j` are taken apart where j is in a row of n.
    fn rows(&self, mut todo: Vec<(Number, Number)>, bounds: &[Number]) -> Option<Vec<(Number, Number)>> {
        let within = |low: &Number| {
            let below = Number::number(-1).plus(low, -1);
            below.is_some_and(|b| never([bounds, &[b]].concat()))
        };
        let mut out = Vec::new();
        'next: while let Some((w, r)) = todo.pop() {
            if todo.len() + out.len() > 8 {
                return None;
            }
            let widths = w.in_products().into_iter().chain(r.in_products()).filter(|u| matches!(u, Unknown::Fixed(_)));
            for width in widths.collect::<BTreeSet<_>>() {
                for more in [0, 1, -1, 2, -2] {
                    let (Some((qw, rw)), Some((qr, rr))) = (w.divided(&width, more), r.divided(&width, more)) else { continue };
                    let last = Number::unknown(width).plus(&Number::number(more - 1), 1);
                    let fits =
                        |rest: &Number| within(rest) && last.as_ref().and_then(|l| l.plus(rest, -1)).is_some_and(|left| within(&left));
                    if fits(&rw) && fits(&rr) {
                        out.push((rw, rr));
                        todo.push((qw, qr));
                        continue 'next;
                    }
                }
            }
            out.push((w, r));
        }
        Some(out)
    }
}

/// Whether sums of this variable and others are what they are of whole numbers: narrow unsigned ones are cut.
fn is_number(program: &Program, s: SymbolId) -> bool {
    let y = program.symbol(s);
    y.rank == 0 && y.ty.base == BaseType::Integer && (!y.has_attribute("unsigned") || y.ty.bits >= 64)
}

/// Two numbers are the same: neither difference is negative.
fn equal(system: &mut Vec<Number>, a: &Number, b: &Number) -> Option<()> {
    system.push(a.plus(b, -1)?);
    system.push(b.plus(a, -1)?);
    Some(())
}

/// More pairs of one variable are not compared.
const MAX_PAIRS: usize = 400;

/// What the iterations of a counted loop do to variables.
pub(crate) struct Iterations {
    /// Head and stride of each loop that counts in constant steps; the loop itself comes first.
    loops: Vec<Option<(Range, i64)>>,
    /// What statements name of which only the text is known.
    elsewhere: FxHashSet<SymbolId>,
    /// Units are called, the stack is used, or something is there of which only the text is known.
    pub reaches_out: bool,
    accesses: Vec<(Access, SmallVec<[Loop; 4]>)>,
    /// What statements set.
    assigned: FxHashSet<SymbolId>,
    /// The indices of loops.
    indices: FxHashSet<SymbolId>,
    /// What the heads of the loops around say.
    known: Vec<Number>,
}

/// An element that stays the same through all iterations of a loop.
pub(crate) struct Settled {
    /// Where it is.
    pub place: VarRef,
    /// Whether the loop sets it.
    pub set: bool,
    /// Whether the loop names other elements of the variable.
    pub others: bool,
}

impl Iterations {
    /// Reads a loop; nothing where its head is not that of a counted loop. Of statements between derivatives it sees what they read of the program's own values. `overlap` tells which variables may share memory.
    pub fn of(program: &Program, head: &ForLoop, body: &[Item], overlap: &dyn Fn(SymbolId, SymbolId) -> bool) -> Option<Iterations> {
        let mut out = Iterations {
            loops: vec![Some(counted(program, head)?)],
            elsewhere: FxHashSet::default(),
            reaches_out: false,
            accesses: Vec::new(),
            assigned: FxHashSet::default(),
            indices: FxHashSet::default(),
            known: Vec::new(),
        };
        out.indices.extend(index_of(head));
        out.items(program, body, &mut SmallVec::from_slice(&[0]), overlap);
        Some(out)
    }

    fn items(&mut self, program: &Program, items: &[Item], around: &mut SmallVec<[Loop; 4]>, overlap: &dyn Fn(SymbolId, SymbolId) -> bool) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(s) if let StmtKind::Propagator(list) = &s.kind => {
                    list.iter().for_each(|p| p.for_each_value(&mut |e| self.reads(e, around)));
                }
                ItemKind::Stmt(s) => match Accesses::of(s, &|a, b| meet(a, b, overlap)).filter(|_| !calls_in_subscripts(s)) {
                    Some(found) => {
                        self.reaches_out |= found.stack;
                        self.assigned.extend(found.list.iter().filter(|a| a.action != Action::Read).map(|a| a.place.symbol));
                        self.accesses.extend(found.list.into_iter().map(|a| (a, around.clone())));
                    }
                    None => {
                        self.reaches_out = true;
                        mentions::in_stmt(s, &mut |v| {
                            self.elsewhere.insert(v);
                        });
                    }
                },
                ItemKind::Branch { condition, arms, .. } => {
                    self.reads(condition, around);
                    arms.iter().for_each(|a| self.items(program, &a.body, around, overlap));
                }
                ItemKind::Loop { kind, body, .. } => {
                    let range = match kind {
                        LoopKind::For(f) => {
                            let index = index_of(f);
                            self.indices.extend(index);
                            self.assigned.extend(index.filter(|s| self.index() == Some(*s)));
                            for s in [&f.init, &f.update] {
                                if let StmtKind::Assignment { rhs, .. } = &s.kind {
                                    self.reads(rhs, around);
                                }
                            }
                            self.reads(&f.condition, around);
                            counted(program, f)
                        }
                        LoopKind::While(c) | LoopKind::Until(c) => {
                            self.reads(c, around);
                            None
                        }
                    };
                    around.push(self.loops.len() as Loop);
                    self.loops.push(range);
                    self.items(program, body, around, overlap);
                    around.pop();
                }
            }
        }
    }

    fn reads(&mut self, e: &Expr, around: &SmallVec<[Loop; 4]>) {
        self.reaches_out |= has_calls(e);
        e.for_each_ref(&mut |r| self.accesses.push((Access { place: r.clone(), action: Action::Read, whole: false }, around.clone())));
    }

    /// The same inside of loops whose heads say that some sums are never negative ([`Iterations::said`]).
    pub fn within(mut self, known: &[Number]) -> Iterations {
        self.known = known.to_vec();
        self
    }

    fn index(&self) -> Option<SymbolId> {
        self.loops.first().and_then(Option::as_ref).map(|(range, _)| range.index)
    }

    /// A sum of variables that the loop leaves as they are; `steady` as in [`Iterations::keeps_apart`].
    fn fixed(&self, program: &Program, e: &Expr, steady: &dyn Fn(SymbolId) -> bool) -> Option<Number> {
        Sum::of(e, &|s| (is_number(program, s) && self.leaves(s) && steady(s)).then_some(Unknown::Fixed(s)))
    }

    /// What is never negative in an iteration: what the heads of the loops around say, and this one.
    pub fn said(&self, program: &Program, steady: &dyn Fn(SymbolId) -> bool) -> Vec<Number> {
        let mut out = self.known.clone();
        let Some(Some((range, stride))) = self.loops.first() else { return out };
        if is_number(program, range.index) && !self.assigned.contains(&range.index) && !self.elsewhere.contains(&range.index) {
            let index = Number::unknown(Unknown::Fixed(range.index));
            for (e, side) in [(&range.first, stride.signum()), (&range.bound, -stride.signum())] {
                let end = self.fixed(program, e, steady);
                out.extend(end.and_then(|end| index.plus(&end, -1)).and_then(|d| Number::number(0).plus(&d, side)));
            }
        }
        out
    }

    /// Whether the loop has an iteration, as far as the heads of the loops around say.
    pub fn has_one(&self, program: &Program, steady: &dyn Fn(SymbolId) -> bool) -> bool {
        let Some(Some((range, stride))) = self.loops.first() else { return false };
        let ends = self.fixed(program, &range.first, steady).zip(self.fixed(program, &range.bound, steady));
        let beyond = ends.and_then(|(first, bound)| Number::number(-1).plus(&first.plus(&bound, -1)?, stride.signum()));
        beyond.is_some_and(|b| never([&self.known[..], &[b]].concat()))
    }

    /// The elements of a variable that all iterations name by the same subscripts, and that no other subscripts in the loop ever stand for. There are none where
    /// something else in the loop may be the variable.
    pub fn settled(
        &self,
        program: &Program,
        s: SymbolId,
        steady: &dyn Fn(SymbolId) -> bool,
        overlap: &dyn Fn(SymbolId, SymbolId) -> bool,
    ) -> Vec<Settled> {
        let (mine, others): (Vec<_>, Vec<_>) = self.accesses.iter().partition(|(a, _)| a.place.symbol == s);
        if self.elsewhere.iter().any(|&o| overlap(s, o)) || others.iter().any(|(a, _)| overlap(s, a.place.symbol)) {
            return Vec::new();
        }
        let mut places: Vec<(&VarRef, bool)> = Vec::new();
        for (a, _) in &mine {
            match places.iter_mut().find(|(p, _)| p.subscripts == a.place.subscripts) {
                Some((_, set)) => *set |= a.action != Action::Read,
                None => places.push((&a.place, a.action != Action::Read)),
            }
        }
        let counts = |v: SymbolId| !self.assigned.contains(&v) && !self.elsewhere.contains(&v);
        let steady = |v: SymbolId| self.leaves(v) && steady(v);
        let bounds = Bounds { program, loops: &self.loops, steady: &steady, counts: &counts, known: &self.known };
        let stays = |p: &VarRef| !p.has_section() && p.index_exprs().all(|e| e.refs().all(|r| r.subscripts.is_empty() && steady(r.symbol)));
        let apart = |p: &VarRef| {
            let place = Place { element: p, around: SmallVec::new() };
            let mut pairs = 0;
            mine.iter().filter(|(a, _)| a.place.subscripts != p.subscripts).all(|(a, around)| {
                pairs += 1;
                let other = Place { element: &a.place, around: around.clone() };
                pairs <= MAX_PAIRS && bounds.system(&place, &other).is_some_and(never)
            })
        };
        let others = places.len() > 1;
        let settled = places.iter().filter(|(p, _)| stays(p) && apart(p));
        settled.map(|(p, set)| Settled { place: (*p).clone(), set: *set, others }).collect()
    }

    /// The indices of the loop and of those inside.
    pub fn indices(&self) -> impl Iterator<Item = SymbolId> + '_ {
        self.indices.iter().copied()
    }

    /// What the loop sets, but the indices of loops.
    pub fn set(&self) -> impl Iterator<Item = SymbolId> + '_ {
        self.assigned.iter().copied()
    }

    /// Whether the loop leaves a variable as it is.
    pub fn leaves(&self, s: SymbolId) -> bool {
        !self.assigned.contains(&s) && !self.indices.contains(&s) && !self.elsewhere.contains(&s)
    }

    /// Whether no iteration touches an element of a variable that another one sets; all may add to it. `steady` has the variables that nothing in the loop
    /// changes by another name.
    pub fn keeps_apart(
        &self,
        program: &Program,
        s: SymbolId,
        steady: &dyn Fn(SymbolId) -> bool,
        overlap: &dyn Fn(SymbolId, SymbolId) -> bool,
    ) -> bool {
        let (mine, others): (Vec<_>, Vec<_>) = self.accesses.iter().partition(|(a, _)| a.place.symbol == s);
        let written = mine.iter().any(|(a, _)| a.action != Action::Read);
        let met = |a: &Access| overlap(s, a.place.symbol) && (written || a.action != Action::Read);
        if self.elsewhere.iter().any(|&o| o == s || overlap(s, o)) || others.iter().any(|(a, _)| met(a)) {
            return false;
        }
        let steady = |v: SymbolId| self.leaves(v) && steady(v);
        let counts = |v: SymbolId| !self.assigned.contains(&v) && !self.elsewhere.contains(&v);
        let bounds = Bounds { program, loops: &self.loops, steady: &steady, counts: &counts, known: &self.known };
        let mut pairs = 0;
        for (k, (a, x)) in mine.iter().enumerate() {
            for (b, y) in &mine[k..] {
                if !ordered(a.action, b.action) {
                    continue;
                }
                pairs += 1;
                let (first, second) = (Place { element: &a.place, around: x.clone() }, Place { element: &b.place, around: y.clone() });
                if pairs > MAX_PAIRS || !bounds.never_in_others(&first, &second) {
                    return false;
                }
            }
        }
        true
    }
}

fn calls_in_subscripts(s: &Stmt) -> bool {
    matches!(&s.kind, StmtKind::Assignment { lhs, .. } if lhs.index_exprs().any(has_calls))
}

/// A loop that counts in constant steps, and the step.
pub(crate) fn counted(program: &Program, head: &ForLoop) -> Option<(Range, i64)> {
    range(program, head).and_then(|r| r.stride.as_int().filter(|&s| s != 0).map(|s| (r, s)))
}

/// The variable that a counted loop counts in.
pub(crate) fn index_of(head: &ForLoop) -> Option<SymbolId> {
    if let StmtKind::Assignment { lhs, .. } = &head.init.kind { Some(lhs.symbol) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Maker;

    /// do i = 1, n; do j = 1, m; a(set) = x; x = a(read) * x; end do; end do
    fn apart(set: &str, read: &str, adds: bool) -> bool {
        let mut m = Maker::new();
        let mut answer = false;
        m.unit("f", &["n:int", "m:int", "k:int", "x:real", "a:array"], |u| {
            for name in ["i", "j"] {
                u.local(name, "int");
            }
            let head = |u: &crate::testing::UnitMaker, index: &str, last: &str| ForLoop {
                explicit: false,
                init: Stmt::assign(VarRef::whole(u.sym(index)), Expr::int(1)),
                condition: Expr::boolean(xaif::model::BoolOp::LessOrEqual, [u.expr(index), u.expr(last)]),
                update: Stmt::assign(VarRef::whole(u.sym(index)), u.expr(&format!("(+ {index} 1)"))),
                counted: true,
            };
            let assign = |u: &crate::testing::UnitMaker, to: &str, from: &str| {
                Item::stmt(Stmt::assign(u.expr(to).as_var().expect("a place").clone(), u.expr(from)))
            };
            let place = |subscript: &str| format!("(at a {subscript})");
            let write = match adds {
                true => assign(u, &place(set), &format!("(+ {} x)", place(set))),
                false => assign(u, &place(set), "x"),
            };
            let inner = vec![write, assign(u, "x", &format!("(* {} x)", place(read)))];
            let body = vec![Item::repeat(LoopKind::For(Box::new(head(u, "j", "m"))), inner)];
            let found = Iterations::of(u.program, &head(u, "i", "n"), &body, &|a, b| a == b).expect("a counted loop");
            answer = found.keeps_apart(u.program, u.sym("a"), &|_| true, &|_, _| false);
            assert!(!found.keeps_apart(u.program, u.sym("x"), &|_| true, &|_, _| false), "a scalar that every iteration sets");
        });
        answer
    }

    #[test]
    fn elements_of_iterations() {
        for (set, read, expected) in [
            ("i", "i", true),
            ("i", "(+ i 1)", false),
            ("(* 3 i)", "(+ (* 3 i) 1)", true),
            ("(* 3 i)", "(- (* 3 i) 3)", false),
            // Rows of m elements; one element more; rows of which nobody knows that they are as long.
            ("(+ (* i m) (- j 1))", "(* i m)", true),
            ("(+ (* i m) (- j 1))", "(+ (* i m) j)", false),
            ("(+ (* i k) (- j 1))", "(* i k)", false),
            // Elements that all have in common, and one of which nobody knows which it is.
            ("k", "k", false),
            ("i", "k", false),
            ("i", "(at a i)", false),
        ] {
            assert_eq!(apart(set, read, false), expected, "a({set}) is set, a({read}) is read");
        }
        // What all add to is not to be read.
        assert!(!apart("k", "k", true) && apart("i", "i", true));
    }
}
