//! Scratch variables with a name for each value, and with few names again.
//!
//! ```text
//! t = w(1)*yb;  xb(1) += t          t = w(1)*yb;   xb(1) += t
//! t = w(2)*zb;  xb(1) += t    ->    t1 = w(2)*zb;  xb(1) += t1
//! ```
//!
//! The adjoints of statements share their scratch variables, so that no increment could pass the next statement that sets one. With values apart increments can
//! be merged; afterwards values whose lives do not meet share a name again: where nothing was merged, the code is what it was.
//!
//! A value lives from the statement that sets it to the last one that reads it before the next one is set. What the last value of a list of statements is read
//! by may stand behind the list, so that one keeps its name.
//!
//! Source: webs and the linear scan of register allocation, as in Poletto and Sarkar, "Linear scan register allocation" (1999).
//!
//! Lives here: names. Never here: what moves, other variables.

use crate::analysis::accesses::dependence::increment;
use crate::transform::adjoint::code::expressions::same_place;
use crate::transform::adjoint::code::mentions::{for_each_mention, set};
use crate::transform::adjoint::code::renaming::rename;
use crate::transform::adjoint::code::tree::{Item, ItemKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::ops::Range;
use xaif::model::{SymbolId, VarRef};

/// So many names take turns for the values of one variable in one list.
const NAMES: usize = 8;

/// Increments of one place are looked for so many statements apart.
const WINDOW: usize = 32;

/// Names for values of a variable, by it and by how deep the list of statements is.
#[derive(Default)]
pub(crate) struct Names {
    of: FxHashMap<(SymbolId, usize), Vec<SymbolId>>,
}

impl Names {
    /// Whether none was made.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// All that were made.
    pub fn all(&self) -> impl Iterator<Item = SymbolId> + '_ {
        self.of.values().flatten().copied()
    }
}

/// Gives values of scratch variables names of their own, in lists where a place is incremented more than once. `fresh` makes a variable like another one.
pub(crate) fn apart(items: &mut [Item], scratch: &FxHashSet<SymbolId>, fresh: &mut dyn FnMut(SymbolId) -> SymbolId) -> Names {
    let mut names = Names::default();
    if !scratch.is_empty() {
        split(items, 0, scratch, fresh, &mut names);
    }
    names
}

fn split(items: &mut [Item], depth: usize, scratch: &FxHashSet<SymbolId>, fresh: &mut dyn FnMut(SymbolId) -> SymbolId, names: &mut Names) {
    for_each_list(items, &mut |list| split(list, depth + 1, scratch, fresh, names));
    if !has_partners(items, scratch) {
        return;
    }
    let mut places: FxHashMap<SymbolId, Vec<usize>> = FxHashMap::default();
    for (at, item) in items.iter().enumerate() {
        if let Some(t) = fresh_value(item).filter(|t| scratch.contains(t)) {
            places.entry(t).or_default().push(at);
        }
    }
    let mut variables: Vec<SymbolId> = places.keys().copied().collect();
    variables.sort_unstable();
    for t in variables {
        for (k, life) in places[&t].windows(2).map(|w| w[0]..w[1]).enumerate() {
            if items[life.clone()].iter().any(|i| is_set_inside(i, t)) {
                continue;
            }
            let list = names.of.entry((t, depth)).or_default();
            if list.len() <= k % NAMES {
                list.push(fresh(t));
            }
            let name = list[(k % NAMES).min(list.len() - 1)];
            rename(&mut items[life], &[(t, name)].into_iter().collect());
        }
    }
}

/// Lets values whose lives do not meet share a name again.
pub(crate) fn together(items: &mut [Item], names: &Names) {
    if !names.is_empty() {
        join(items, 0, names);
    }
}

fn join(items: &mut [Item], depth: usize, names: &Names) {
    for_each_list(items, &mut |list| join(list, depth + 1, names));
    let here: Vec<(SymbolId, &[SymbolId])> = names.of.iter().filter(|((_, d), _)| *d == depth).map(|((t, _), l)| (*t, &l[..])).collect();
    let wanted: FxHashSet<SymbolId> = here.iter().flat_map(|(t, l)| l.iter().chain([t])).copied().collect();
    let found = lives(items, &wanted);
    for (t, list) in here {
        let own = |s: &SymbolId| found.get(s).cloned().unwrap_or_default();
        let mut todo: Vec<(Range<usize>, SymbolId)> = list.iter().flat_map(|s| own(s).into_iter().map(|life| (life, *s))).collect();
        todo.sort_unstable_by_key(|(life, s)| (life.start, *s));
        let mut taken: Vec<(SymbolId, Vec<Range<usize>>)> = vec![(t, open(own(&t)))];
        taken.extend(list.iter().map(|&s| (s, Vec::new())));
        for (life, name) in todo {
            // There is one that is free: its own.
            let found = taken.iter_mut().find_map(|(s, lives)| gap(lives, &life).map(|at| (*s, at, lives)));
            let Some((to, at, lives)) = found else { continue };
            lives.insert(at, life.clone());
            if to != name {
                rename(&mut items[life.start..=life.end], &[(name, to)].into_iter().collect());
            }
        }
    }
}

/// The value of a list that a statement sets, whatever was there before.
fn fresh_value(item: &Item) -> Option<SymbolId> {
    let (lhs, rhs) = item.assignment()?;
    (lhs.subscripts.is_empty() && !rhs.refs().any(|r| r.symbol == lhs.symbol)).then_some(lhs.symbol)
}

/// Whether a branch or a loop sets a variable.
fn is_set_inside(item: &Item, t: SymbolId) -> bool {
    let mut found = FxHashSet::default();
    if !matches!(item.kind, ItemKind::Stmt(_)) {
        set(std::slice::from_ref(item), &mut found);
    }
    found.contains(&t)
}

/// Whether two increments near each other are of one place.
fn has_partners(items: &[Item], scratch: &FxHashSet<SymbolId>) -> bool {
    let mut last: VecDeque<&VarRef> = VecDeque::with_capacity(WINDOW);
    items.iter().any(|item| {
        let incremented = item.assignment().filter(|(lhs, rhs)| !scratch.contains(&lhs.symbol) && increment(rhs, lhs).is_some());
        let Some((place, _)) = incremented else { return false };
        if last.iter().any(|p| same_place(p, place)) {
            return true;
        }
        last.truncate(WINDOW - 1);
        last.push_front(place);
        false
    })
}

/// For each of some variables the lives of its values in a list, in order: from where one is set to where it is read last, both by their position.
fn lives(items: &[Item], wanted: &FxHashSet<SymbolId>) -> FxHashMap<SymbolId, Vec<Range<usize>>> {
    let mut out: FxHashMap<SymbolId, Vec<Range<usize>>> = FxHashMap::default();
    for (at, item) in items.iter().enumerate() {
        let value = fresh_value(item);
        for_each_mention(std::slice::from_ref(item), &mut |s| {
            if !wanted.contains(&s) {
                return;
            }
            let list = out.entry(s).or_default();
            match list.last_mut() {
                Some(life) if value != Some(s) => life.end = at,
                None if value != Some(s) => list.push(0..at),
                _ => list.push(at..at),
            }
        });
    }
    out
}

/// The same where the last value may be read behind the list.
fn open(mut lives: Vec<Range<usize>>) -> Vec<Range<usize>> {
    lives.last_mut().into_iter().for_each(|l| l.end = usize::MAX);
    lives
}

/// The position of one more life among others, if it meets none of them. A value may be set where another one is read for the last time.
fn gap(lives: &[Range<usize>], life: &Range<usize>) -> Option<usize> {
    let at = lives.partition_point(|l| l.start <= life.start);
    let before = lives[..at].last().is_none_or(|l| l.end <= life.start);
    let behind = lives.get(at).is_none_or(|l| life.end <= l.start);
    (before && behind).then_some(at)
}

/// Visits the lists of statements in branches and loops of a list, not those inside of them.
fn for_each_list(items: &mut [Item], visit: &mut dyn FnMut(&mut [Item])) {
    for item in items {
        match &mut item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| visit(&mut a.body)),
            ItemKind::Loop { body, .. } => visit(body),
        }
    }
}
