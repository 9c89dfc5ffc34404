//! Clean-up of a finished reverse sweep: the steps, in order.
//!
//! Lives here: the list of the steps, which can be left out by name and go by it where their times are told, and what they need to know of variables. Never here: the steps.

use super::{
    ascending_loops, common_factors, exchanges, gather, lifetimes, merge, reciprocals, scalar_replacement, scratch_values, shared_loops,
};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::renaming::rename;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind};
use crate::transform::adjoint::facts::frame::Form;
use crate::transform::adjoint::statement::maker::Maker;
use crate::transform::request::LeftOut;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{Stmt, StmtKind, SymbolId};

/// A step of clean-up: code and facts in, code out.
struct Pass {
    /// What `--passes` calls it.
    name: &'static str,
    /// Statements keep their own adjoints, so that one can be told from the others ([`crate::Options::plain`]).
    plain: bool,
    run: fn(&mut Maker<'_>, Vec<Item>, &Adjoints) -> Vec<Item>,
}

/// The steps, in order.
const PASSES: [Pass; 11] = [
    // Loops in gather form.
    Pass { name: "gather", plain: true, run: |m, items, a| m.in_gather_form(items, a) },
    // Stores put off, or done without.
    Pass { name: "postpone", plain: false, run: |m, items, a| m.postponed(items, &a.original) },
    // Recurrences beside those that they reverse.
    Pass { name: "interleave", plain: false, run: |m, items, a| m.interleaved(items, &a.original) },
    // Increments merged.
    Pass { name: "merge", plain: false, run: |m, items, a| m.merged(items, a) },
    // What is multiplied by one adjoint added up first.
    Pass { name: "factors", plain: false, run: |m, items, a| m.with_common_factors(items, a) },
    // One division for several.
    Pass { name: "reciprocals", plain: false, run: |m, items, a| m.with_reciprocals(items, a) },
    // Records made where values are read.
    Pass { name: "share", plain: false, run: |m, items, a| m.with_shared_loops(items, a) },
    // Loops upward.
    Pass { name: "ascend", plain: false, run: |m, items, a| m.ascending(items, a) },
    // Elements in scalars.
    Pass { name: "scalars", plain: false, run: |m, items, a| m.with_scalars(items, a) },
    // Copies as exchanges.
    Pass { name: "exchange", plain: false, run: |m, items, a| m.exchanged(items, &a.original) },
    // Arrays in memory only as long as they are used.
    Pass { name: "lifetimes", plain: true, run: |m, items, _| m.tightened(items) },
];

/// The names of all steps, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    PASSES.iter().map(|p| p.name)
}

/// Reads a list of steps that are to be left out, each with a minus in front: `-gather,-merge`.
///
/// # Errors
/// A word without a minus; a step that there is not.
pub fn left_out(text: &str) -> Result<LeftOut, String> {
    let mut out = LeftOut::default();
    for word in text.split(',').map(str::trim) {
        let name = word.strip_prefix('-').ok_or_else(|| format!("`{word}` does not begin with a minus"))?;
        let known = || names().collect::<Vec<_>>().join(", ");
        out.add(names().position(|n| n == name).ok_or_else(|| format!("there is no pass `{name}`; there are: {}", known()))?);
    }
    Ok(out)
}

/// Besides, all steps after which statements have no adjoints of their own.
pub(crate) fn plain(mut left_out: LeftOut) -> LeftOut {
    PASSES.iter().enumerate().filter(|(_, p)| !p.plain).for_each(|(k, _)| left_out.add(k));
    left_out
}

/// What the steps know of the adjoints of a unit.
struct Adjoints {
    /// What each is the adjoint of.
    original: FxHashMap<SymbolId, SymbolId>,
    /// Those, and what stands for them.
    own: FxHashSet<SymbolId>,
    /// Scratch variables of derivative code.
    scratch: FxHashSet<SymbolId>,
    /// Both.
    all: FxHashSet<SymbolId>,
}

/// Counted loops start, go on and end by one index.
fn is_sound(items: &[Item]) -> bool {
    items.iter().all(|item| match &item.kind {
        ItemKind::Stmt(_) => true,
        ItemKind::Branch { arms, .. } => arms.iter().all(|a| is_sound(&a.body)),
        ItemKind::Loop { kind, body, .. } => {
            let set = |s: &Stmt| if let StmtKind::Assignment { lhs, .. } = &s.kind { Some(lhs.symbol) } else { None };
            let counted = match kind {
                LoopKind::For(f) => {
                    let index = set(&f.init);
                    index.is_some() && set(&f.update) == index && f.condition.refs().any(|r| Some(r.symbol) == index)
                }
                LoopKind::While(_) | LoopKind::Until(_) => true,
            };
            counted && is_sound(body)
        }
    })
}

impl Maker<'_> {
    /// All steps that are not left out; each leaves sound code.
    pub(crate) fn cleaned_up(&mut self, mut items: Vec<Item>) -> Vec<Item> {
        let original: FxHashMap<SymbolId, SymbolId> = self.frame.companions.iter().map(|(&of, &b)| (b, of)).collect();
        let scratch: FxHashSet<SymbolId> = self.scratch.iter().map(|(_, s, _)| *s).collect();
        let own: FxHashSet<SymbolId> = original.keys().copied().chain(self.frame.own.iter().copied()).collect();
        let all = own.union(&scratch).copied().collect();
        let adjoints = Adjoints { original, own, scratch, all };
        for (k, pass) in PASSES.iter().enumerate().filter(|(k, _)| !self.frame.left_out.has(*k)) {
            items = (pass.run)(self, items, &adjoints);
            self.watch.lap(pass.name);
            debug_assert!(is_sound(&items), "pass {} ({k}) leaves a loop that does not count", pass.name);
        }
        items
    }

    fn in_gather_form(&mut self, items: Vec<Item>, a: &Adjoints) -> Vec<Item> {
        let overlap = |x: SymbolId, y: SymbolId| self.adjoints_overlap(&a.original, x, y);
        let scalar = |s: SymbolId| self.is_own(s) && self.program.symbol(s).rank == 0;
        let v = gather::Variables { program: self.program, overlap: &overlap, scalar: &scalar, scratch: &a.scratch, adjoint: &a.own };
        gather::loops(&v, items)
    }

    fn merged(&mut self, items: Vec<Item>, a: &Adjoints) -> Vec<Item> {
        let overlap = |x: SymbolId, y: SymbolId| self.adjoints_overlap(&a.original, x, y);
        let v = merge::Variables { program: self.program, overlap: &overlap, adjoint: &a.all, scratch: &a.scratch };
        let mut items = merge::without_scratch(&v, items);
        let names = scratch_values::apart(&mut items, &a.scratch, &mut |t| {
            let ty = self.program.symbol(t).ty;
            self.temporary("t", ty)
        });
        // Most units get none, and their variables are many.
        let with = |known: &FxHashSet<SymbolId>| known.iter().copied().chain(names.all()).collect::<FxHashSet<_>>();
        let more = (!names.is_empty()).then(|| [&a.all, &a.scratch].map(with));
        let [adjoint, scratch] = more.as_ref().map_or([&a.all, &a.scratch], |[adjoint, scratch]| [adjoint, scratch]);
        let overlap = |x: SymbolId, y: SymbolId| self.adjoints_overlap(&a.original, x, y);
        let v = merge::Variables { program: self.program, overlap: &overlap, adjoint, scratch };
        let mut items = merge::increments(&v, items);
        scratch_values::together(&mut items, &names);
        items
    }

    fn with_common_factors(&mut self, mut items: Vec<Item>, a: &Adjoints) -> Vec<Item> {
        common_factors::factors(Fold { program: self.program }, &a.own, &mut items);
        items
    }

    /// Products with a reciprocal in place of several divisions: see [`reciprocals`].
    fn with_reciprocals(&mut self, mut items: Vec<Item>, a: &Adjoints) -> Vec<Item> {
        let overlap = |x: SymbolId, y: SymbolId| self.adjoints_overlap(&a.original, x, y);
        let derivative = |s: SymbolId| a.all.contains(&s);
        let v = reciprocals::Variables { program: self.program, derivative: &derivative, overlap: &overlap };
        let made = reciprocals::reciprocals(&v, &mut items, self.program.symbols.len() as u32);
        let names = made.into_iter().map(|r| (r.scalar, self.temporary("r", r.ty)));
        let names: FxHashMap<SymbolId, SymbolId> = names.collect();
        if !names.is_empty() {
            rename(&mut items, &names);
        }
        items
    }

    fn with_shared_loops(&mut self, mut items: Vec<Item>, a: &Adjoints) -> Vec<Item> {
        let overlap = |x: SymbolId, y: SymbolId| self.adjoints_overlap(&a.original, x, y);
        let recorded = |s: SymbolId| self.is_tape(s);
        shared_loops::records(&shared_loops::Variables { program: self.program, overlap: &overlap, recorded: &recorded }, &mut items);
        items
    }

    fn ascending(&mut self, mut items: Vec<Item>, a: &Adjoints) -> Vec<Item> {
        let overlap = |x: SymbolId, y: SymbolId| self.adjoints_overlap(&a.original, x, y);
        let own = |s: SymbolId| self.is_alone_inside(s);
        let v = ascending_loops::Variables { program: self.program, overlap: &overlap, own: &own, adjoint: &a.own };
        ascending_loops::loops(&v, &mut items);
        items
    }

    /// Elements that stay the same through a loop in scalars: see [`scalar_replacement`].
    fn with_scalars(&mut self, mut items: Vec<Item>, a: &Adjoints) -> Vec<Item> {
        let overlap = |x: SymbolId, y: SymbolId| self.adjoints_overlap(&a.original, x, y);
        let own = |s: SymbolId| self.is_alone_inside(s);
        let v = ascending_loops::Variables { program: self.program, overlap: &overlap, own: &own, adjoint: &a.own };
        let made = scalar_replacement::loops(&v, &mut items);
        let names = made.into_iter().map(|(scalar, like)| {
            let like = self.program.symbol(like).clone();
            (scalar, self.temporary(&like.name, like.ty))
        });
        let names = names.collect();
        rename(&mut items, &names);
        items
    }

    /// A variable of the unit of which nobody else knows, by whatever name.
    pub(crate) fn is_alone_inside(&self, s: SymbolId) -> bool {
        !self.frame.inside.contains(&s) && self.is_own(s) && !self.shares(s)
    }

    fn shares(&self, s: SymbolId) -> bool {
        self.frame.sharing.get(&s).is_some_and(|l| !l.is_empty())
    }

    /// Copies between work arrays as exchanges: see [`exchanges`].
    fn exchanged(&mut self, mut items: Vec<Item>, original: &FxHashMap<SymbolId, SymbolId>) -> Vec<Item> {
        let heap = exchanges::Heap::of(self.program, &items, &|s| self.is_tape(s));
        if heap.is_empty() {
            return items;
        }
        let Some(followed) = self.followed(&items, original) else { return items };
        let found = exchanges::find(&followed.arrays(self.program, &self.resized), &heap, &mut items);
        if found.is_empty() { items } else { found.replaced(self, items) }
    }

    /// Arrays in memory only as long as they are used: see [`lifetimes`].
    fn tightened(&self, items: Vec<Item>) -> Vec<Item> {
        // The halves of a pair have their arrays from each other.
        if self.form == Form::Split {
            return items;
        }
        let shares = |s: SymbolId| self.shares(s);
        let shared: FxHashSet<SymbolId> = self.frame.companions.iter().filter(|(of, _)| shares(**of)).map(|(_, &b)| b).collect();
        // Units inside of this one use variables that its code does not name.
        let alone = |s: SymbolId| self.is_alone_inside(s) && !shared.contains(&s);
        lifetimes::tightened(items, &alone, &|s| self.new.contains(&s))
    }

    pub(crate) fn adjoints_overlap(&self, original: &FxHashMap<SymbolId, SymbolId>, a: SymbolId, b: SymbolId) -> bool {
        if a == b || self.frame.sharing.is_empty() {
            return a == b;
        }
        match (original.get(&a), original.get(&b)) {
            // An adjoint overlaps no original; two adjoints overlap where their originals do.
            (Some(&a), Some(&b)) => self.overlap(a, b),
            (None, None) => self.overlap(a, b),
            _ => false,
        }
    }
}
