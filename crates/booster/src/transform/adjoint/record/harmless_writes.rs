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

use crate::analysis::arrays::counted::Range;
use crate::analysis::arrays::inequalities::never;
use crate::transform::adjoint::code::expressions::varying;
use crate::transform::adjoint::code::iterations::{Bounds, Loop, Place, counted};
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind, for_each_condition, for_each_stmt, has_loop};
use crate::transform::adjoint::statement::prepared::List;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use xaif::Program;
use xaif::model::{BaseType, StmtKind, SymbolId, VarRef};

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

/// An element, where it is written or read.
struct Access<'a> {
    id: ItemId,
    place: Place<'a>,
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
    writes: FxHashMap<SymbolId, Vec<Access<'a>>>,
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
                    let place = Place { element: lhs, around: self.open.clone() };
                    self.writes.entry(lhs.symbol).or_default().push(Access { id: item.id, place });
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
                        counted(program, f)
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
    fn comes_first(&self, write: &Access, read: &Access) -> bool {
        for (l, _) in write.place.around.iter().zip(&read.place.around).take_while(|(a, b)| a == b) {
            let Some((Range { index, .. }, stride)) = &self.loops[*l as usize] else { return false };
            let (index, stride) = (*index, *stride);
            let (Some((dim, w)), Some((other, r))) = (varying(write.place.element, index), varying(read.place.element, index)) else {
                return false;
            };
            // The read meets the element so many iterations behind the write; with a rest it never does.
            let apart = w.checked_sub(r).filter(|_| dim == other);
            let Some((iterations, rest)) = apart.and_then(|a| Some((a.checked_div(stride)?, a.checked_rem(stride)?))) else { return false };
            if rest != 0 || iterations > 0 {
                return true;
            }
            if iterations != 0 {
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
    let mut again: FxHashMap<SymbolId, Vec<Access>> = FxHashMap::default();
    let mut reads: FxHashMap<SymbolId, Vec<Access>> = FxHashMap::default();
    let mut loops = walk.checkpointed;
    for (id, item, around) in &walk.stmts {
        // What the loops of an adjoint count is no index of the loops here.
        loops |= prepared.adjoint(*id).iter().any(has_loop);
        let of_element =
            matches!(&item.kind, ItemKind::Stmt(s) if matches!(&s.kind, StmtKind::Assignment { lhs, .. } if !lhs.subscripts.is_empty()));
        collect(std::slice::from_ref(*item), *id, around, &walk.writes, if of_element { &mut again } else { &mut reads });
        collect(prepared.adjoint(*id), *id, around, &walk.writes, &mut reads);
    }
    let steady = |s: SymbolId| (stays.alone)(s) && !walk.set.contains(&s) && (!walk.reaches_out || (stays.fixed)(s));
    let counts = |s: SymbolId| (stays.alone)(s) && !walk.assigned.contains(&s);
    let bounds = Bounds { program, loops: &walk.loops, steady: &steady, counts: &counts, known: &[] };
    let mut out = Vec::new();
    for (&array, writes) in &walk.writes {
        let of = |reads: &'_ FxHashMap<SymbolId, Vec<Access<'_>>>| reads.get(&array).map_or(0, Vec::len);
        let (always, repeated) = (reads.get(&array).map_or(&[][..], Vec::as_slice), again.get(&array).map_or(&[][..], Vec::as_slice));
        if writes.len() * (of(&reads) + of(&again)) > MAX_PAIRS {
            continue;
        }
        let exact = writes.len() * always.len() <= MAX_SYSTEMS && program.symbol(array).ty.base == BaseType::Real && !loops;
        for w in writes {
            let first = |r: &Access| walk.comes_first(w, r);
            if always.iter().chain(repeated).all(first) {
                out.push(First { write: w.id, array, unless_again: false });
            } else if exact && always.iter().all(|r| first(r) || sets_first(&bounds, w, r)) {
                out.push(First { write: w.id, array, unless_again: true });
            }
        }
    }
    out
}
/// Whether no read of an element comes before it is written. The read is in an earlier iteration of some loop around both, or else in the same iteration of
/// all of them.
fn sets_first(bounds: &Bounds, write: &Access, read: &Access) -> bool {
    let common = write.place.around.iter().zip(&read.place.around).take_while(|(a, b)| a == b).count();
    let Some(mut system) = bounds.system(&write.place, &read.place) else { return false };
    for &l in &write.place.around[..common] {
        if !bounds.never_in_another(&system, l, false) || Bounds::in_one(&mut system, l).is_none() {
            return false;
        }
    }
    write.id < read.id || never(system)
}

/// The elements that some code reads of arrays that are written.
fn collect<'a>(
    code: &'a [Item],
    id: ItemId,
    around: &SmallVec<[Loop; 4]>,
    written: &FxHashMap<SymbolId, Vec<Access>>,
    out: &mut FxHashMap<SymbolId, Vec<Access<'a>>>,
) {
    let mut add = |r: &'a VarRef| {
        if written.contains_key(&r.symbol) {
            out.entry(r.symbol).or_default().push(Access { id, place: Place { element: r, around: around.clone() } });
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
