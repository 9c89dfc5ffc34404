//! Forward and reverse sweep of a piece of code.
//!
//! ```text
//! forward                            reverse
//!   save what is recorded              (adjoints of what follows)
//!   the statement, where it is needed  bring back what was saved
//!                                      adjoint statements
//! ```
//!
//! Lives here: the walk over nested code, and branches. Never here: how a statement is differentiated, what is recorded (both are
//! decided before).

use crate::analysis::reversal::checkpoints::Copies;
use crate::analysis::reversal::decisions::{Decisions, Shifts};
use crate::analysis::reversal::flow::Var;
use crate::transform::adjoint::code::mentions::mentioned;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{
    Arm, Head, Item, ItemId, ItemKind, LoopKind, NEW, branch_item, comment, comment_of, for_each_stmt,
};
use crate::transform::adjoint::record::branches::Decision;
use crate::transform::adjoint::record::recomputed::Renewed;
use crate::transform::adjoint::record::storage::{Keeper, Pair};
use crate::transform::adjoint::record::tape::Tape;
use crate::transform::adjoint::record::universe::Universe;
use crate::transform::adjoint::statement::prepared::{List, Rest};
use crate::transform::adjoint::variables::optional::may_be_absent;
use arcstr::ArcStr;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::Bound;
use xaif::model::{BaseType, ElemType, Expr, Stmt, StmtKind, SymbolId, VarRef};
use xaif::{Diagnostic, types};

/// Both sweeps of something.
#[derive(Debug, Default)]
pub(crate) struct Sweeps {
    /// In the order of the original.
    pub forward: Vec<Item>,
    /// In the opposite order.
    pub reverse: Vec<Item>,
}

/// A place with subscripts that stay, and the code that sets, saves and brings back those.
struct Frozen {
    place: VarRef,
    set: Vec<Item>,
    push: Vec<Item>,
    pop: Vec<Item>,
}

/// The walk over a unit.
pub(crate) struct Walk<'a> {
    /// Types, temporaries.
    pub unit: &'a mut dyn Surroundings,
    /// What was decided.
    pub decisions: &'a Decisions,
    /// What was prepared for each statement.
    pub prepared: List,
    /// Which loops are fused.
    pub fused: &'a Shifts,
    /// Which loops are reversed from snapshots.
    pub copies: &'a FxHashMap<ItemId, Copies>,
    /// How branches are reversed.
    pub branches: &'a FxHashMap<ItemId, Decision>,
    /// What the reverse sweep sets again.
    pub renewed: &'a Renewed,
    /// The variables by their numbers in the analysis.
    pub universe: &'a Universe,
    /// Where values are kept.
    pub keeper: Keeper,
    /// What loops record iteration by iteration.
    pub tape: Tape,
    /// The last number in the iteration that is run forward just before its adjoint, or in the unit.
    pub iteration_end: ItemId,
    /// How many branches are open.
    pub inside: usize,
    /// Code for the very beginning of the forward sweep.
    pub first: Vec<Item>,
}

/// Puts some code behind other code, which often is none.
fn append(to: &mut Vec<Item>, mut more: Vec<Item>) {
    if to.is_empty() {
        *to = more;
    } else {
        to.append(&mut more);
    }
}

/// An assignment that the reverse sweep may have to make again, the position of its item in a sequence and that of the last one in its region.
struct Again {
    item: Item,
    symbol: SymbolId,
    at: usize,
    last: usize,
}

/// Those whose variables the reverse sweep of their regions reads, in text order, by the last position in their regions.
fn wanted(assignments: Vec<Again>, parts: &[Vec<Item>]) -> FxHashMap<usize, Vec<Item>> {
    let mut out: FxHashMap<usize, Vec<Item>> = FxHashMap::default();
    if assignments.is_empty() {
        return out;
    }
    let mut read: FxHashMap<SymbolId, BTreeSet<usize>> = assignments.iter().map(|a| (a.symbol, BTreeSet::new())).collect();
    let note = |items: &[Item], at: usize, read: &mut FxHashMap<SymbolId, BTreeSet<usize>>| {
        let mut named = FxHashSet::default();
        mentioned(items, &mut named);
        for s in named {
            read.entry(s).and_modify(|l| l.extend([at]));
        }
    };
    for (at, part) in parts.iter().enumerate() {
        note(part, at, &mut read);
    }
    for a in assignments.into_iter().rev() {
        if read.get(&a.symbol).is_some_and(|l| l.range((Bound::Excluded(a.at), Bound::Included(a.last))).next().is_some()) {
            note(std::slice::from_ref(&a.item), a.at, &mut read);
            out.entry(a.last).or_default().push(a.item);
        }
    }
    out.values_mut().for_each(|list| list.reverse());
    out
}

impl Walk<'_> {
    /// Both sweeps of a sequence. `depth` is the number of loops around it.
    ///
    /// # Errors
    /// A value that cannot be kept.
    pub fn sequence(&mut self, items: Vec<Item>, depth: usize) -> Result<Sweeps, Diagnostic> {
        let mut forward = Vec::with_capacity(items.len());
        let mut parts: Vec<Vec<Item>> = Vec::with_capacity(items.len());
        let renewing = self.renewing(&items, depth);
        for item in items {
            let Sweeps { forward: mut f, reverse: r } = self.item(item, depth)?;
            forward.append(&mut f);
            parts.push(r);
        }
        let mut reverse = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        let mut again = wanted(renewing, &parts);
        let mut said = ArcStr::new();
        while let Some(mut part) = parts.pop() {
            // Statements that stand for one call have its text, which is told once.
            if let Some(text) = part.first_mut().map(comment_of) {
                match !text.is_empty() && *text == said {
                    true => *text = ArcStr::new(),
                    false => said = text.clone(),
                }
            }
            reverse.extend(again.remove(&parts.len()).into_iter().flatten());
            reverse.append(&mut part);
        }
        Ok(Sweeps { forward, reverse })
    }

    /// The assignments of a sequence that its reverse sweep may have to make again.
    fn renewing(&self, items: &[Item], depth: usize) -> Vec<Again> {
        if self.renewed.is_empty() {
            return Vec::new();
        }
        // Outside of loops, and where an iteration is run forward just before, variables have their last values.
        let stays = |s: SymbolId, id: ItemId| {
            depth == 0 && self.keeper.one_unit && self.decisions.live(id) && !self.renewed.sets(s, id, self.iteration_end)
        };
        let one = |(at, item): (usize, &Item)| {
            let ItemKind::Stmt(stmt) = &item.kind else { return None };
            let StmtKind::Assignment { lhs, .. } = &stmt.kind else { return None };
            let end = self.renewed.end(item.id).filter(|_| !stays(lhs.symbol, item.id))?;
            let last = items.partition_point(|i| i.id <= end) - 1;
            Some(Again { item: Item { id: NEW, kind: ItemKind::Stmt(stmt.clone()) }, symbol: lhs.symbol, at, last })
        };
        items.iter().enumerate().filter_map(one).collect()
    }

    fn item(&mut self, item: Item, depth: usize) -> Result<Sweeps, Diagnostic> {
        let id = item.id;
        match item.kind {
            ItemKind::Stmt(s) => self.stmt(id, s, depth),
            ItemKind::Branch { head, condition, arms } => self.branch(id, head, *condition, *arms, depth),
            ItemKind::Loop { head, kind, body } if self.copies.contains_key(&id) => self.checkpointed(id, head, kind, *body, depth),
            ItemKind::Loop { head, kind: LoopKind::For(f), body } => self.counted(id, head, *f, *body, depth),
            ItemKind::Loop { head, kind, body } => self.tested(id, head, kind, *body, depth),
        }
    }

    fn stmt(&mut self, id: ItemId, stmt: Box<Stmt>, depth: usize) -> Result<Sweeps, Diagnostic> {
        let mut out = Sweeps::default();
        let prepared = self.prepared.take(id);
        let Rest { mut places, spent, instead, reopen, inverse } = prepared.rest.map(|r| *r).unwrap_or_default();
        let text = stmt.text.clone();
        let mut restores: Vec<Vec<Item>> = Vec::new();
        if self.decisions.live(id) {
            if let (Some(var), StmtKind::Assignment { lhs, .. }) = (prepared.set, &stmt.kind)
                && self.decisions.recorded(id, var)
            {
                places.push((var, if lhs.subscripts.is_empty() { self.unit.whole(lhs.symbol) } else { lhs.clone() }));
            }
            let written: Vec<SymbolId> = places.iter().map(|(_, p)| p.symbol).collect();
            for (var, place) in &places {
                if self.decisions.recorded(id, *var) {
                    let frozen = self.frozen(place, &written, depth);
                    let (save, restore) = self.keep(&frozen.place, depth)?;
                    let mut kept = None;
                    for_each_stmt(&save, &mut |s| {
                        if let StmtKind::Assignment { lhs, .. } = &s.kind {
                            kept = Some(lhs.symbol);
                        }
                    });
                    if let Some(s) = kept {
                        self.set_at_start(s, depth, self.inside > 0 || may_be_absent(self.unit.program(), place.symbol));
                    }
                    out.forward.extend(frozen.set.into_iter().chain(save).chain(frozen.push));
                    restores.push(frozen.pop.into_iter().chain(restore).collect());
                }
            }
            if self.decisions.undone(id) {
                restores.push(inverse.map(Item::stmt).into_iter().collect());
            }
            match instead {
                Some(items) => out.forward.extend(items),
                None => {
                    out.forward.reserve_exact(1);
                    out.forward.push(Item { id: NEW, kind: ItemKind::Stmt(stmt) });
                }
            }
        }
        if depth > 0 || !self.keeper.one_unit {
            for &s in &spent {
                let (save, restore) = self.keep(&VarRef::whole(s), depth)?;
                out.forward.extend(save);
                restores.push(restore);
            }
        }
        out.reverse = reopen;
        let mut adjoint = prepared.adjoint;
        let restores = restores.into_iter().rev().flatten();
        if prepared.adjoint_first {
            append(&mut out.reverse, adjoint);
            out.reverse.extend(restores);
        } else {
            out.reverse.extend(restores);
            if !adjoint.is_empty() {
                let kept = self.kept(id, &places);
                if !kept.is_empty() {
                    let (save, restore) = self.around(&kept, depth)?;
                    out.reverse.extend(save);
                    adjoint.extend(restore);
                }
                append(&mut out.reverse, adjoint);
            }
        }
        comment(&mut out.reverse, text);
        Ok(out)
    }

    /// A value that the forward sweep records and the reverse sweep brings back.
    ///
    /// # Errors
    /// An array whose extents are not known.
    pub(crate) fn keep(&mut self, place: &VarRef, depth: usize) -> Result<Pair, Diagnostic> {
        match self.taped(place, depth) {
            Some(pair) => Ok(pair),
            None => self.keeper.keep(self.unit, place, depth),
        }
    }

    /// A value in an array with an element for each iteration; `None` where it is not for one.
    fn taped(&mut self, place: &VarRef, depth: usize) -> Option<Pair> {
        if self.keeper.one_unit { self.tape.keep(self.unit, place, depth, self.inside > 0) } else { None }
    }

    /// A variable of control that the forward sweep has set: as [`Walk::keep`].
    pub(crate) fn control(&mut self, symbol: SymbolId, depth: usize) -> Pair {
        self.taped(&VarRef::whole(symbol), depth).unwrap_or_else(|| self.keeper.control(symbol, depth))
    }

    /// A place whose subscripts do not change with what the statement writes: `k(k(i)) = 1` may move `k(k(i))` itself, so its index is kept, too.
    fn frozen(&mut self, place: &VarRef, written: &[SymbolId], depth: usize) -> Frozen {
        let mut out = Frozen { place: place.clone(), set: Vec::new(), push: Vec::new(), pop: Vec::new() };
        for e in out.place.index_exprs_mut() {
            let mut moves = false;
            e.for_each_ref(&mut |r| moves |= written.contains(&r.symbol));
            if !moves {
                continue;
            }
            let ty = types::of(self.unit.program(), e).elem;
            let at = self.unit.temporary("at", ty);
            out.set.push(Item::stmt(Stmt::assign(VarRef::whole(at), std::mem::replace(e, Expr::sym(at)))));
            let (push, pop) = self.control(at, depth);
            out.push.extend(push);
            out.pop.splice(0..0, pop);
        }
        out
    }

    /// What the reverse sweep keeps for itself around the adjoint of an item that writes these places: an adjoint writes nothing else of their variables.
    pub(crate) fn kept(&self, id: ItemId, places: &[(Var, VarRef)]) -> Vec<VarRef> {
        let stays = |p: &VarRef| {
            let moves = |r: &VarRef| places.iter().any(|(_, w)| self.unit.overlap(w.symbol, r.symbol));
            p.index_exprs().all(|e| e.every_ref(&|r| !moves(r)))
        };
        let of = |s: SymbolId| {
            let own: Vec<VarRef> = places.iter().map(|(_, p)| p).filter(|p| p.symbol == s).cloned().collect();
            if own.is_empty() || !own.iter().all(stays) { vec![self.unit.whole(s)] } else { own }
        };
        self.variables(self.decisions.kept(id)).into_iter().flat_map(of).collect()
    }

    /// Symbols of numbers of the analysis.
    pub(crate) fn variables(&self, list: &[Var]) -> Vec<SymbolId> {
        list.iter().filter_map(|&v| self.universe.symbols.get(v as usize).copied()).collect()
    }

    pub(crate) fn around(&mut self, kept: &[VarRef], depth: usize) -> Result<(Vec<Item>, Vec<Item>), Diagnostic> {
        let (mut saves, mut restores) = (Vec::new(), Vec::new());
        for place in kept {
            let (save, restore) = self.keeper.bridge(self.unit, place, depth)?;
            saves.extend(save);
            restores.push(restore);
        }
        Ok((saves, restores.into_iter().rev().flatten().collect()))
    }

    /// Compilers do not always see that an arm of the reverse sweep runs only where the same arm of the forward sweep has set what it looks at.
    fn set_at_start(&mut self, symbol: SymbolId, depth: usize, conditional: bool) {
        if depth == 0 && conditional && self.keeper.one_unit {
            let ty = self.unit.program().symbol(symbol).ty;
            let value = if ty.base == BaseType::Bool { Expr::bool(false) } else { crate::linearize::fold::zero(ty) };
            self.first.push(Item::stmt(Stmt::assign(VarRef::whole(symbol), value)));
        }
    }

    fn branch(&mut self, id: ItemId, head: Box<Head>, condition: Expr, arms: Vec<Arm>, depth: usize) -> Result<Sweeps, Diagnostic> {
        let (mut forward_arms, mut reverse_arms) = (Vec::new(), Vec::new());
        for arm in arms {
            self.inside += 1;
            let s = self.sequence(arm.body, depth);
            self.inside -= 1;
            let s = s?;
            forward_arms.push(Arm { values: arm.values.clone(), body: s.forward });
            reverse_arms.push(Arm { values: arm.values, body: s.reverse });
        }
        let mut out = Sweeps::default();
        let works = |arms: &[Arm]| arms.iter().any(|a| !a.body.is_empty());
        let (goes, returns) = (works(&forward_arms), works(&reverse_arms));
        let recomputed = self.branches.get(&id) == Some(&Decision::Recomputed);
        let ty = types::of(self.unit.program(), &condition).elem;
        let truth = ty.base == BaseType::Bool;
        let mut decided = condition.clone();
        let mut after = Vec::new();
        if returns && !recomputed {
            // Whatever kind the condition has: each is recorded.
            let taken = self.unit.temporary("branch", if truth { ElemType::BOOL } else { ty });
            decided = Expr::sym(taken);
            let (push, pop) = self.control(taken, depth);
            self.set_at_start(taken, depth, self.inside > 0);
            let array = match &push[..] {
                [Item { kind: ItemKind::Stmt(s), .. }] => match &s.kind {
                    StmtKind::Assignment { lhs, .. } => Some(lhs.clone()),
                    _ => None,
                },
                _ => None,
            };
            let mut set = |place: VarRef, condition: Expr| {
                let mut set = Stmt::assign(place, condition);
                set.span = head.span;
                out.forward.push(Item::stmt(set));
            };
            match array {
                Some(element) if !goes => set(element, condition),
                _ if goes || push.is_empty() => {
                    set(VarRef::whole(taken), condition);
                    after = push;
                }
                _ => out.forward.push(Item::stmt(Stmt::runtime("push", condition))),
            }
            out.reverse.extend(pop);
        }
        if goes {
            out.forward.push(branch_item(head, decided.clone(), forward_arms, truth));
        }
        out.forward.extend(after);
        if returns {
            out.reverse.push(branch_item(Box::default(), decided, reverse_arms, truth));
        }
        Ok(out)
    }
}
