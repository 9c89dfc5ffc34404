//! Writes of array elements that overwrite nothing that the loops around have left to be read.
//!
//! ```text
//! do t = 1, n
//!   x(t + 1) = x(t) + h*f(x(t))       the adjoints of all rounds read x(t), which no later round sets again
//! end do
//! ```
//!
//! A write of `a(i + w)` in a loop over i with the stride s, and a statement or an adjoint that reads `a(i + r)`, have the same element in rounds that are (w - r)/s apart. Where that is
//! positive, the write comes first; where it is zero, both are in one round, and the loops inside, then the order of the text decide. A write that comes
//! before all of them only overwrites what was there before the loop.
//!
//! Lives here: reading that off subscripts. Never here: what is recorded ([`crate::analysis::recorded`]).

use super::gather::varying;
use super::prepared::List;
use super::tree::{Item, ItemId, ItemKind, LoopKind, for_each_condition, for_each_stmt};
use crate::analysis::counted::range;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use xaif::Program;
use xaif::model::{StmtKind, SymbolId, VarRef};

/// More pairs of writes and reads of one array are not looked at.
const MAX_PAIRS: usize = 4096;

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
    /// Index and stride of each loop that counts in constant steps.
    loops: Vec<Option<(SymbolId, i64)>>,
    open: SmallVec<[Loop; 4]>,
    writes: FxHashMap<SymbolId, Vec<Place<'a>>>,
    stmts: Vec<(ItemId, &'a Item, SmallVec<[Loop; 4]>)>,
}

impl<'a> Walk<'a> {
    fn item(&mut self, program: &Program, item: &'a Item) {
        match &item.kind {
            ItemKind::Stmt(s) => {
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
            ItemKind::Loop { kind, body, .. } => {
                let counted = match kind {
                    LoopKind::For(f) => range(program, f).and_then(|r| Some((r.index, r.stride.as_int().filter(|&s| s != 0)?))),
                    _ => None,
                };
                self.open.push(self.loops.len() as Loop);
                self.loops.push(counted);
                body.iter().for_each(|i| self.item(program, i));
                self.open.pop();
            }
        }
    }

    /// Whether the element is written before the value that is read is there.
    fn comes_first(&self, write: &Place, read: &Place) -> bool {
        for (l, _) in write.around.iter().zip(&read.around).take_while(|(a, b)| a == b) {
            let Some((index, stride)) = self.loops[*l as usize] else { return false };
            let (Some((dim, w)), Some((other, r))) = (varying(write.element, index), varying(read.element, index)) else { return false };
            // The read meets the element so many rounds behind the write; with a rest it never does.
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
pub(super) fn since(program: &Program, item: &Item, prepared: &List, fits: &dyn Fn(SymbolId) -> bool) -> Vec<(ItemId, SymbolId)> {
    let mut walk = Walk::default();
    walk.item(program, item);
    walk.writes.retain(|&s, _| fits(s));
    if walk.writes.is_empty() || !matches!(walk.loops.first(), Some(Some(_))) {
        return Vec::new();
    }
    // What is asked when branches and loops are reversed is read somewhere else.
    let mut asked: FxHashSet<SymbolId> = FxHashSet::default();
    for_each_condition(std::slice::from_ref(item), &mut |c| {
        c.for_each_ref(&mut |r| {
            asked.insert(r.symbol);
        })
    });
    walk.writes.retain(|s, _| !asked.contains(s));
    // The reverse sweep may run statements again, and then reads what they read.
    let mut reads: FxHashMap<SymbolId, Vec<Place>> = FxHashMap::default();
    for (id, item, around) in &walk.stmts {
        collect(std::slice::from_ref(*item), *id, around, &walk.writes, &mut reads);
        collect(prepared.adjoint(*id), *id, around, &walk.writes, &mut reads);
    }
    let mut out = Vec::new();
    for (&array, writes) in &walk.writes {
        let reads = reads.get(&array).map_or(&[][..], Vec::as_slice);
        if writes.len() * reads.len() > MAX_PAIRS {
            continue;
        }
        let first = writes.iter().filter(|w| reads.iter().all(|r| walk.comes_first(w, r)));
        out.extend(first.map(|w| (w.id, array)));
    }
    out
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
