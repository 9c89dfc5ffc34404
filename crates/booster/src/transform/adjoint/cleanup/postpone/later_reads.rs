//! Whether somebody reads what a part of an array holds at a point of the code.
//!
//! ```text
//! do t = 1, nt
//!   do i = 2, n - 1; un(i) = f(u, i); end do
//!   do i = 2, n - 1; u(i) = un(i); end do          un(2:n - 1) is unread behind this: the next iteration sets all of it first,
//! end do                                           and behind the loop nobody asks
//! ```
//!
//! Code is followed from the point on along all ways: to the end of each sequence around, and where that is an iteration of a loop also through the next iteration.
//! "Unread" is what is certain; whatever is not followed counts as read.
//!
//! Lives here: this search. Never here: what is done with the answer.

use super::accesses::{Act, Touched};
use super::arrays::Arrays;
use super::postponed::depends;
use crate::analysis::arrays::regions::{Known, Part};
use crate::transform::adjoint::code::mentions::in_stmt;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind, for_each_stmt};
use xaif::model::{MarkerClass, StmtKind, SymbolId};

/// A sequence around a point of the code.
#[derive(Clone, Copy)]
pub(crate) struct Level<'a> {
    /// The sequence.
    pub items: &'a [Item],
    /// The item that has the point in it, or is before it.
    pub at: usize,
    /// The loop whose body the sequence is.
    pub around: Option<&'a LoopKind>,
}

/// What becomes of a part on the way through some code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It may be read.
    Read,
    /// All of it is overwritten, or the array is gone.
    Overwritten,
    /// Some of it is still there.
    Open,
}

impl Arrays<'_> {
    /// Whether nobody reads a part of one of the arrays behind the point that some levels, from the outside, lead to. `work` becomes less by what is looked at.
    pub(crate) fn is_unread(&self, array: SymbolId, part: &Part, levels: &[Level], work: &mut usize) -> bool {
        let mut left = vec![part.clone()];
        for level in levels.iter().rev() {
            match self.through(&level.items[level.at + 1..], array, &mut left, &Known::default(), work) {
                Way::Read => return false,
                Way::Overwritten => return true,
                Way::Open => {}
            }
            if let Some(kind) = level.around {
                let mut again = left.clone();
                let iteration = &level.items[..=level.at];
                if self.head_reads(kind, array, &left) || self.through(iteration, array, &mut again, &Known::default(), work) == Way::Read {
                    return false;
                }
            }
        }
        self.ends(array)
    }

    /// Through a sequence from its start; `left` becomes what is not overwritten.
    fn through(&self, items: &[Item], array: SymbolId, left: &mut Vec<Part>, known: &Known, work: &mut usize) -> Way {
        for item in items {
            if *work == 0 {
                return Way::Read;
            }
            *work -= 1;
            let read = match &item.kind {
                ItemKind::Branch { condition, arms, .. } => {
                    let asked = Touched::of_condition(self, condition);
                    let mut read = asked.accesses.iter().any(|a| a.array == array);
                    let mut all = arms.iter().any(|a| a.values.is_empty());
                    for arm in arms.iter() {
                        let (mut inside, mut here) = (left.clone(), known.clone());
                        self.assume(&mut here, condition, arm);
                        let way = self.through(&arm.body, array, &mut inside, &here, work);
                        read |= way == Way::Read;
                        all &= way == Way::Overwritten;
                    }
                    if all && !read {
                        left.clear();
                    }
                    read
                }
                ItemKind::Loop { kind, body, .. } if !is_nest(body) => {
                    // Perhaps there are no iterations.
                    let mut iteration = left.clone();
                    self.head_reads(kind, array, left) || self.through(body, array, &mut iteration, known, work) == Way::Read
                }
                _ => self.plain(item, array, left, known),
            };
            if read {
                return Way::Read;
            }
            if left.is_empty() {
                return Way::Overwritten;
            }
        }
        Way::Open
    }

    /// Whether a statement or a nest of loops may read what is left of an array; what it sets is taken away.
    fn plain(&self, item: &Item, array: SymbolId, left: &mut Vec<Part>, known: &Known) -> bool {
        if let ItemKind::Stmt(s) = &item.kind {
            match &s.kind {
                StmtKind::Marker(m) if matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) => {
                    let own = m.object.as_ref().is_some_and(|o| o.symbol == array);
                    if own {
                        left.clear();
                    }
                    return !own && (m.reads.contains(&array) || m.writes.contains(&array));
                }
                StmtKind::Assignment { lhs, rhs } if lhs.symbol == array && lhs.subscripts.is_empty() => {
                    left.clear();
                    return rhs.refs().any(|r| r.symbol == array);
                }
                _ => {}
            }
        }
        let mut other = false;
        for_each_stmt(std::slice::from_ref(item), &mut |s| {
            if !matches!(s.kind, StmtKind::Assignment { .. }) {
                in_stmt(s, &mut |v| other |= v == array);
            }
        });
        let touched = Touched::of(self, std::slice::from_ref(item));
        let moved = |p: &Part| depends(p, &|v| touched.changed.contains(&v));
        if other || left.iter().any(moved) {
            return true;
        }
        let own = || touched.accesses.iter().filter(|a| a.array == array);
        let meets = |p: &Part| left.iter().any(|l| !known.apart(p, l));
        if own().any(|a| a.act != Act::Set && a.part.as_ref().is_none_or(meets)) {
            return true;
        }
        for part in own().filter(|a| a.act == Act::Set && a.each).filter_map(|a| a.part.as_ref()) {
            let rest = |l: Part| {
                if known.within(&l, part) {
                    return Vec::new();
                }
                let cut = Some(part).filter(|p| known.within(p, &l)).and_then(|p| known.without(&l, p));
                cut.unwrap_or_else(|| vec![l])
            };
            *left = std::mem::take(left).into_iter().flat_map(rest).collect();
        }
        false
    }

    /// Whether the head of a loop reads an array, or sets what says which elements some parts are.
    fn head_reads(&self, kind: &LoopKind, array: SymbolId, parts: &[Part]) -> bool {
        let head = Touched::of(self, &[Item::repeat(kind.clone(), Vec::new())]);
        head.accesses.iter().any(|a| a.array == array) || parts.iter().any(|p| depends(p, &|v| head.changed.contains(&v)))
    }
}

/// Whether a loop's body is statements only, or another loop of which that is true.
fn is_nest(body: &[Item]) -> bool {
    match body {
        [Item { kind: ItemKind::Loop { body, .. }, .. }] => is_nest(body),
        _ => body.iter().all(|i| matches!(i.kind, ItemKind::Stmt(_))),
    }
}
