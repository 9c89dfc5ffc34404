//! Which arrays somebody may still look at.
//!
//! ```text
//! do r = 1, n
//!   u(:) = s(:, r)                 the loop over t need not leave anything in u: the next iteration sets all of it
//!   do t = ...; ... u ...; end do
//! end do
//! ```
//!
//! Lives here: what is read or written behind a point of the code, and what iterations set first. Never here: stores that are put off.

use super::accesses::{Access, Act, Touched};
use super::arrays::Arrays;
use super::postponed::depends;
use crate::analysis::arrays::regions::{Known, Part, spans};
use crate::transform::adjoint::code::expressions::mentions_any;
use crate::transform::adjoint::code::tree::{Item, LoopKind};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{SymbolId, Triplet};

/// Arrays with the parts that each iteration of a loop sets before it does anything else with them; `None` is all of it.
pub(crate) type SetFirst = FxHashMap<SymbolId, Option<Part>>;

/// Which arrays are read or written later, somewhere.
#[derive(Clone, Copy, Default)]
pub(crate) struct Later<'a> {
    /// Where in a sequence they are for the last time, and the place in that sequence; without a place all of it comes later.
    pub here: Option<(&'a FxHashMap<SymbolId, usize>, Option<usize>)>,
    /// The parts that this sequence sets before it does anything else with the array; `None` is all of it.
    pub set: Option<&'a SetFirst>,
    /// Behind what is around.
    pub outer: Option<&'a Later<'a>>,
}

impl Later<'_> {
    /// Whether a part of an array is.
    pub fn has(&self, s: SymbolId, part: &Part, known: &Known) -> bool {
        let here = self.here.is_some_and(|(last, at)| last.get(&s).is_some_and(|&k| at.is_none_or(|at| k > at)));
        let set = || self.set.and_then(|set| set.get(&s)).is_some_and(|p| p.as_ref().is_none_or(|p| known.within(part, p)));
        (here && !set()) || self.outer.is_some_and(|o| o.has(s, part, known))
    }
}

impl Arrays<'_> {
    /// The parts of the original's arrays that each iteration of a loop sets before it does anything else with them. `work` becomes less by what is looked at.
    pub fn set_first(&self, kind: &LoopKind, body: &[Item], changed: &FxHashSet<SymbolId>, work: &mut usize) -> SetFirst {
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        let mut out = SetFirst::default();
        // What the head looks at.
        self.looked_at(&[Item::repeat(kind.clone(), Vec::new())], &mut |s| {
            seen.insert(s);
        });
        for item in body {
            let mut first: Vec<SymbolId> = Vec::new();
            self.looked_at(std::slice::from_ref(item), &mut |s| {
                if self.originals.contains(&s) && seen.insert(s) {
                    first.push(s);
                }
            });
            if first.is_empty() {
                continue;
            }
            let steady = |v: SymbolId| self.numbers.contains(&v) && !changed.contains(&v);
            if let Some((s, all)) = set_at_once(item, &steady) {
                if first.contains(&s) {
                    out.insert(s, all);
                }
                continue;
            }
            let touched = Touched::of(self, std::slice::from_ref(item));
            *work = work.saturating_sub(touched.accesses.len());
            for s in first {
                let mut own = touched.accesses.iter().filter(|a| a.array == s);
                if let (Some(Access { act: Act::Set, each: true, part: Some(part), .. }), None) = (own.next(), own.next())
                    && !depends(part, &|v| changed.contains(&v))
                {
                    out.insert(s, Some(part.clone()));
                }
            }
        }
        out
    }
}

/// The array of which a statement sets a section, without a look at it, and the part; `None` is all of it.
fn set_at_once(item: &Item, steady: &dyn Fn(SymbolId) -> bool) -> Option<(SymbolId, Option<Part>)> {
    let (lhs, _) = item.assignment().filter(|(lhs, rhs)| !mentions_any(rhs, |v| v == lhs.symbol))?;
    let open = |t: &Triplet| t.index.is_none() && t.bound.is_none() && t.stride.is_none();
    if lhs.subscripts.iter().all(open) {
        return Some((lhs.symbol, None));
    }
    let part: Option<Part> = spans(lhs, &[], &|v| v.subscripts.is_empty() && steady(v.symbol)).into_iter().collect();
    Some((lhs.symbol, Some(part?)))
}
