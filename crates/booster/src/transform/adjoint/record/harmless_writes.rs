//! Writes of array elements that overwrite nothing that the loops around have left to be read.
//!
//! ```text
//! do t = 1, n
//!   x(t + 1) = x(t) + h*f(x(t))       the adjoints of all iterations read x(t), which no later iteration sets again
//! end do
//! ```
//!
//! A write of `a(i + w)` in a loop over i with the stride s, and a statement or an adjoint that reads `a(i + r)`, have the same element in iterations that are (w - r)/s apart. Where that is
//! positive, the write comes first; where it is zero, both are in one iteration, and the loops inside, then the order of the text decide. A write that comes
//! before all of them only overwrites what was there before the loop.
//!
//! Other subscripts are compared with all that the bounds of the loops say:
//!
//! ```text
//! do k = 1, n
//!   do i = k + 1, n;  do j = k + 1, n
//!     a(i, j) = a(i, j) - a(i, k)*a(k, j)     an adjoint of iteration k' <= k has read a(k', j'), and k' < i
//! ```
//!
//! Here the statement itself has read its element, but its adjoint has not: such a write overwrites nothing that is read as long as no statement of the loop
//! is run again.
//!
//! Lives here: reading that off subscripts. Never here: what is recorded ([`crate::analysis::reversal::recorded`]).

use crate::analysis::arrays::counted::{Range, range};
use crate::analysis::arrays::inequalities::{Sum, never};
use crate::transform::adjoint::code::expressions::varying;
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind, for_each_condition, for_each_stmt};
use crate::transform::adjoint::statement::prepared::List;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use xaif::Program;
use xaif::model::{BaseType, Expr, StmtKind, SymbolId, VarRef};

/// More pairs of writes and reads of one array are not looked at.
const MAX_PAIRS: usize = 4096;

/// More pairs are not compared by inequalities.
const MAX_SYSTEMS: usize = 200;

/// A write that overwrites nothing but what was there before the loop, as far as adjoints read it.
pub(crate) struct First {
    /// The statement.
    pub write: ItemId,
    /// Its array.
    pub array: SymbolId,
    /// Only as long as no statement of the loop is run again.
    pub unless_again: bool,
}

/// What is known of variables.
pub(crate) struct Stays<'a> {
    /// Those that share no memory with others.
    pub alone: &'a dyn Fn(SymbolId) -> bool,
    /// Those that the unit, and what it calls, never changes.
    pub fixed: &'a dyn Fn(SymbolId) -> bool,
}

/// The number of a loop in a walk.
type Loop = u32;

/// An element, where it is written or read.
struct Place<'a> {
    id: ItemId,
    element: &'a VarRef,
    /// The loops around, from outside.
    around: SmallVec<[Loop; 4]>,
}

#[derive(Default)]
struct Walk<'a> {
    /// Head and stride of each loop that counts in constant steps.
    loops: Vec<Option<(Range, i64)>>,
    /// What statements and the heads of loops set.
    set: FxHashSet<SymbolId>,
    /// What statements set.
    assigned: FxHashSet<SymbolId>,
    /// A loop in it is to be reversed from snapshots.
    checkpointed: bool,
    /// Something other than an assignment is in it, which may set what lives outside of the unit.
    reaches_out: bool,
    open: SmallVec<[Loop; 4]>,
    writes: FxHashMap<SymbolId, Vec<Place<'a>>>,
    stmts: Vec<(ItemId, &'a Item, SmallVec<[Loop; 4]>)>,
}

impl<'a> Walk<'a> {
    fn item(&mut self, program: &Program, item: &'a Item) {
        match &item.kind {
            ItemKind::Stmt(s) => {
                self.sets(&s.kind);
                if let StmtKind::Assignment { lhs, .. } = &s.kind
                    && !lhs.subscripts.is_empty()
                    && !lhs.has_section()
                {
                    let place = Place { id: item.id, element: lhs, around: self.open.clone() };
                    self.writes.entry(lhs.symbol).or_default().push(place);
                }
                self.stmts.push((item.id, item, self.open.clone()));
            }
            ItemKind::Branch { arms, .. } => arms.iter().flat_map(|a| &a.body).for_each(|i| self.item(program, i)),
            ItemKind::Loop { head, kind, body } => {
                self.checkpointed |= head.checkpoint.is_some();
                let counted = match kind {
                    LoopKind::For(f) => {
                        for s in [&f.init, &f.update] {
                            self.set.extend(if let StmtKind::Assignment { lhs, .. } = &s.kind { Some(lhs.symbol) } else { None });
                        }
                        range(program, f).and_then(|r| r.stride.as_int().filter(|&s| s != 0).map(|s| (r, s)))
                    }
                    _ => None,
                };
                self.open.push(self.loops.len() as Loop);
                self.loops.push(counted);
                body.iter().for_each(|i| self.item(program, i));
                self.open.pop();
            }
        }
    }

    /// Notes what a statement may set.
    fn sets(&mut self, kind: &StmtKind) {
        self.reaches_out |= !matches!(kind, StmtKind::Assignment { .. });
        let mut all = |r: &VarRef| {
            self.assigned.insert(r.symbol);
        };
        match kind {
            StmtKind::Assignment { lhs, .. } => all(lhs),
            StmtKind::Call(c) => c.arguments.iter().for_each(|a| a.value.for_each_ref(&mut all)),
            StmtKind::Runtime { arguments, .. } => arguments.iter().for_each(|a| a.value.for_each_ref(&mut all)),
            StmtKind::Marker(m) => m.object.iter().for_each(all),
            StmtKind::Propagator(_) => {}
        }
    }

    /// Whether the element is written before the value that is read is there.
    fn comes_first(&self, write: &Place, read: &Place) -> bool {
        for (l, _) in write.around.iter().zip(&read.around).take_while(|(a, b)| a == b) {
            let Some((Range { index, .. }, stride)) = &self.loops[*l as usize] else { return false };
            let (index, stride) = (*index, *stride);
            let (Some((dim, w)), Some((other, r))) = (varying(write.element, index), varying(read.element, index)) else { return false };
            // The read meets the element so many iterations behind the write; with a rest it never does.
            let apart = w.checked_sub(r).filter(|_| dim == other);
            let Some((rounds, rest)) = apart.and_then(|a| Some((a.checked_div(stride)?, a.checked_rem(stride)?))) else { return false };
            if rest != 0 || rounds > 0 {
                return true;
            }
            if rounds != 0 {
                return false;
            }
        }
        write.id < read.id
    }
}

/// The statements in a counted loop that overwrite nothing but what was there before the loop, as far as adjoints read it, with their arrays. `prepared` has the
/// adjoints; `fits` are arrays that only assignments touch, and that share no memory.
pub(crate) fn since(program: &Program, item: &Item, prepared: &List, fits: &dyn Fn(SymbolId) -> bool, stays: &Stays) -> Vec<First> {
    let mut walk = Walk::default();
    walk.item(program, item);
    walk.writes.retain(|&s, _| fits(s));
    if walk.writes.is_empty() || !matches!(walk.loops.first(), Some(Some(_))) {
        return Vec::new();
    }
    walk.set.extend(walk.assigned.iter().copied());
    // What is asked when branches and loops are reversed is read somewhere else.
    let mut asked: FxHashSet<SymbolId> = FxHashSet::default();
    for_each_condition(std::slice::from_ref(item), &mut |c| {
        c.for_each_ref(&mut |r| {
            asked.insert(r.symbol);
        })
    });
    walk.writes.retain(|s, _| !asked.contains(s));
    // The reverse sweep may run statements again, and then reads what they read.
    let mut again: FxHashMap<SymbolId, Vec<Place>> = FxHashMap::default();
    let mut reads: FxHashMap<SymbolId, Vec<Place>> = FxHashMap::default();
    let mut loops = walk.checkpointed;
    for (id, item, around) in &walk.stmts {
        // What the loops of an adjoint count is no index of the loops here.
        loops |= prepared.adjoint(*id).iter().any(has_loop);
        let of_element =
            matches!(&item.kind, ItemKind::Stmt(s) if matches!(&s.kind, StmtKind::Assignment { lhs, .. } if !lhs.subscripts.is_empty()));
        collect(std::slice::from_ref(*item), *id, around, &walk.writes, if of_element { &mut again } else { &mut reads });
        collect(prepared.adjoint(*id), *id, around, &walk.writes, &mut reads);
    }
    let bounds = Bounds { walk: &walk, program, stays };
    let mut out = Vec::new();
    for (&array, writes) in &walk.writes {
        let of = |reads: &'_ FxHashMap<SymbolId, Vec<Place<'_>>>| reads.get(&array).map_or(0, Vec::len);
        let (always, repeated) = (reads.get(&array).map_or(&[][..], Vec::as_slice), again.get(&array).map_or(&[][..], Vec::as_slice));
        if writes.len() * (of(&reads) + of(&again)) > MAX_PAIRS {
            continue;
        }
        let exact = writes.len() * always.len() <= MAX_SYSTEMS && program.symbol(array).ty.base == BaseType::Real && !loops;
        for w in writes {
            let first = |r: &Place| walk.comes_first(w, r);
            if always.iter().chain(repeated).all(first) {
                out.push(First { write: w.id, array, unless_again: false });
            } else if exact && always.iter().all(|r| first(r) || bounds.apart(w, r)) {
                out.push(First { write: w.id, array, unless_again: true });
            }
        }
    }
    out
}

fn has_loop(item: &Item) -> bool {
    match &item.kind {
        ItemKind::Stmt(_) => false,
        ItemKind::Branch { arms, .. } => arms.iter().flat_map(|a| &a.body).any(has_loop),
        ItemKind::Loop { .. } => true,
    }
}

/// What stands for a number that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unknown {
    /// A variable that the loop does not change.
    Fixed(SymbolId),
    /// The index of a loop, where an element is written, or where one is read.
    Index(Loop, bool),
}

type Number = Sum<Unknown>;

/// What the bounds of loops say.
struct Bounds<'a> {
    walk: &'a Walk<'a>,
    program: &'a Program,
    stays: &'a Stays<'a>,
}

impl Bounds<'_> {
    /// Whether no read of an element comes before it is written. The read is in an earlier iteration of some loop around both, or else in the same iteration of all of them.
    fn apart(&self, write: &Place, read: &Place) -> bool {
        let common = write.around.iter().zip(&read.around).take_while(|(a, b)| a == b).count();
        let (Some(w), Some(r)) = (self.subscripts(write, false), self.subscripts(read, true)) else { return false };
        let mut all = Vec::new();
        self.bounds(&write.around, false, &mut all);
        self.bounds(&read.around, true, &mut all);
        if w.len() != r.len() {
            return false;
        }
        let Some(pairs) = self.rows(w, r, &all) else { return false };
        for (a, b) in pairs {
            if equal(&mut all, &a, &b).is_none() {
                return false;
            }
        }
        let index = |l: Loop, reads| Number::unknown(Unknown::Index(l, reads));
        for &l in &write.around[..common] {
            let earlier = match &self.walk.loops[l as usize] {
                Some((_, stride)) => {
                    let sign = stride.signum();
                    let ahead = index(l, false).plus(&index(l, true), -1).and_then(|d| Number::number(-1).plus(&d, sign));
                    let Some(ahead) = ahead else { return false };
                    [&all[..], &[ahead]].concat()
                }
                None => all.clone(),
            };
            if !never(earlier) {
                return false;
            }
            if equal(&mut all, &index(l, false), &index(l, true)).is_none() {
                return false;
            }
        }
        write.id < read.id || never(all)
    }

    /// An integer expression at some place.
    fn number(&self, e: &Expr, around: &[Loop], reads: bool) -> Option<Number> {
        let unknown = |s: SymbolId| {
            let y = self.program.symbol(s);
            // What narrow unsigned numbers are is not what their sums would be.
            if y.rank > 0 || y.ty.base != BaseType::Integer || (y.has_attribute("unsigned") && y.ty.bits < 64) || !(self.stays.alone)(s) {
                return None;
            }
            let has = |l: &&Loop| self.walk.loops[**l as usize].as_ref().is_some_and(|(r, _)| r.index == s);
            match around.iter().filter(has).count() {
                0 => (!self.walk.set.contains(&s) && (!self.walk.reaches_out || (self.stays.fixed)(s))).then_some(Unknown::Fixed(s)),
                1 if !self.walk.assigned.contains(&s) => around.iter().find(has).map(|&l| Unknown::Index(l, reads)),
                _ => None,
            }
        };
        Sum::of(e, &unknown)
    }

    fn subscripts(&self, place: &Place, reads: bool) -> Option<Vec<Number>> {
        let element = place.element;
        if element.has_section() || element.subscripts.is_empty() {
            return None;
        }
        element.subscripts.iter().map(|t| self.number(t.index.as_ref()?, &place.around, reads)).collect()
    }

    /// What is never negative for an index that is in its loop.
    fn bounds(&self, around: &[Loop], reads: bool, out: &mut Vec<Number>) {
        for (k, &l) in around.iter().enumerate() {
            let Some((range, stride)) = &self.walk.loops[l as usize] else { continue };
            let index = Number::unknown(Unknown::Index(l, reads));
            let sign = stride.signum();
            for (e, side) in [(&range.first, sign), (&range.bound, -sign)] {
                let Some(end) = self.number(e, &around[..k], reads) else { continue };
                out.extend(index.plus(&end, -1).and_then(|d| Number::number(0).plus(&d, side)));
            }
        }
    }

    /// Pairs of numbers that are equal where two elements are the same. Subscripts of the form `i*n + j` are taken apart where j is in a row of n.
    fn rows(&self, writes: Vec<Number>, reads: Vec<Number>, bounds: &[Number]) -> Option<Vec<(Number, Number)>> {
        let within = |low: &Number| {
            let below = Number::number(-1).plus(low, -1);
            below.is_some_and(|b| never([bounds, &[b]].concat()))
        };
        let mut out = Vec::new();
        let mut todo: Vec<(Number, Number)> = writes.into_iter().zip(reads).collect();
        'next: while let Some((w, r)) = todo.pop() {
            if todo.len() + out.len() > 8 {
                return None;
            }
            let widths = w.in_products().into_iter().chain(r.in_products()).filter(|u| matches!(u, Unknown::Fixed(_)));
            for width in widths.collect::<std::collections::BTreeSet<_>>() {
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

/// Two numbers are the same: neither difference is negative.
fn equal(system: &mut Vec<Number>, a: &Number, b: &Number) -> Option<()> {
    system.push(a.plus(b, -1)?);
    system.push(b.plus(a, -1)?);
    Some(())
}

/// The elements that some code reads of arrays that are written.
fn collect<'a>(
    code: &'a [Item],
    id: ItemId,
    around: &SmallVec<[Loop; 4]>,
    written: &FxHashMap<SymbolId, Vec<Place>>,
    out: &mut FxHashMap<SymbolId, Vec<Place<'a>>>,
) {
    let mut add = |r: &'a VarRef| {
        if written.contains_key(&r.symbol) {
            out.entry(r.symbol).or_default().push(Place { id, element: r, around: around.clone() });
        }
    };
    for_each_condition(code, &mut |c| c.for_each_ref(&mut add));
    for_each_stmt(code, &mut |s| match &s.kind {
        StmtKind::Assignment { lhs, rhs } => lhs.index_exprs().chain([rhs]).for_each(|e| e.for_each_ref(&mut add)),
        StmtKind::Call(c) => c.arguments.iter().for_each(|a| a.value.for_each_ref(&mut add)),
        StmtKind::Runtime { arguments, .. } => arguments.iter().for_each(|a| a.value.for_each_ref(&mut add)),
        StmtKind::Marker(m) => m.object.iter().for_each(&mut add),
        StmtKind::Propagator(_) => {}
    });
}
