//! Increments of one adjoint gathered into one statement.
//!
//! ```text
//! db = -rb(j)                      db = rb(i) - rb(j)
//! db = db + rb(i)
//! vb(k) = vb(k) + t(j)*qb    ->    vb(k) = vb(k) + t(j)*qb + t(i)*pb
//! tb(i) = tb(i) + v(k)*pb          tb(i) = tb(i) + v(k)*pb
//! vb(k) = vb(k) + t(i)*pb
//! ```
//!
//! An increment moves up to the statement before it that sets or increments the same place, or that one moves down to it, wherever the dependences of what
//! lies between let it pass; increments of other elements of the same array do. A scratch variable that is read once is written where it is read, before that.
//!
//! Source: Araya-Polo and Hascoët (2004), Section 7: initializations and increments are fused along the dependence graph.
//!
//! Lives here: this clean-up of finished adjoint statements. Never here: statements of the original, which keep their order and text.

use crate::analysis::accesses::dependence::{Accesses, Action, increment, meet};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::expressions;
use crate::transform::adjoint::code::expressions::{same_place, without};
use crate::transform::adjoint::code::mentions;
use crate::transform::adjoint::code::tree::{Item, ItemKind, comment, comment_of};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use xaif::Program;
use xaif::model::{Expr, NodeKind, Stmt, StmtKind, SymbolId, VarRef};

/// How many statements an increment may pass.
const WINDOW: usize = 32;

/// Statements are not made larger than that, in vertices.
const MAX_VERTICES: usize = 60;

/// What is known of variables.
pub(crate) struct Variables<'a> {
    /// The program.
    pub program: &'a Program,
    /// Whether two variables may share memory.
    pub overlap: &'a dyn Fn(SymbolId, SymbolId) -> bool,
    /// The variables whose statements may be merged.
    pub adjoint: &'a FxHashSet<SymbolId>,
    /// Scalars that are set before every use, within the adjoint of one statement.
    pub scratch: &'a FxHashSet<SymbolId>,
}

/// The same code with increments merged.
pub(crate) fn increments(v: &Variables, items: Vec<Item>) -> Vec<Item> {
    within(v, items, &FxHashSet::default(), |s| s.merge())
}

/// The same code without scratch variables that are read once.
pub(crate) fn without_scratch(v: &Variables, items: Vec<Item>) -> Vec<Item> {
    // Most units have none.
    if v.scratch.is_empty() { items } else { within(v, items, &FxHashSet::default(), |s| s.fold_scratch()) }
}

/// Works on each sequence of some code; `behind` are scratch variables that what follows it may read.
fn within(v: &Variables, items: Vec<Item>, behind: &FxHashSet<SymbolId>, work: fn(&mut Sequence)) -> Vec<Item> {
    // Such lists are long: they stay where they are.
    let mut list: Vec<Option<Item>> = items.into_iter().map(Some).collect();
    let mut exposed = behind.clone();
    for item in list.iter_mut().rev().flatten() {
        match &mut item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| a.body = within(v, std::mem::take(&mut a.body), &exposed, work)),
            ItemKind::Loop { body, .. } => **body = within(v, std::mem::take(&mut **body), &exposed, work),
        }
        // Most units have none.
        if !v.scratch.is_empty() {
            expose(v, item, &mut exposed);
        }
    }
    let of = |r: &VarRef, s: &VarRef| meet(r, s, v.overlap);
    let accesses = list.iter().map(|_| OnceCell::new()).collect();
    let mut sequence = Sequence { v, accesses, list, behind, of: &of };
    work(&mut sequence);
    // `flatten` would take a second list.
    #[allow(clippy::filter_map_identity)]
    sequence.list.into_iter().filter_map(|item| item).collect()
}

/// Scratch variables that an item, or what follows it, may read: from those that what follows it may.
fn expose(v: &Variables, item: &Item, exposed: &mut FxHashSet<SymbolId>) {
    if let ItemKind::Stmt(s) = &item.kind
        && let StmtKind::Assignment { lhs, rhs } = &s.kind
    {
        exposed.remove(&lhs.symbol);
        lhs.index_exprs().chain([rhs]).for_each(|e| {
            e.for_each_ref(&mut |r| {
                if v.scratch.contains(&r.symbol) {
                    exposed.insert(r.symbol);
                }
            });
        });
        return;
    }
    let mut named = FxHashSet::default();
    mentions::mentioned(std::slice::from_ref(item), &mut named);
    exposed.extend(named.into_iter().filter(|s| v.scratch.contains(s)));
}

fn accesses(item: Option<&Item>, of: &dyn Fn(&VarRef, &VarRef) -> bool) -> Option<Accesses> {
    match &item?.kind {
        ItemKind::Stmt(s) => Accesses::of(s, of),
        _ => None,
    }
}

/// Items of one sequence; those that are merged into others are gone.
struct Sequence<'a> {
    v: &'a Variables<'a>,
    list: Vec<Option<Item>>,
    /// What each does, once somebody has asked; `None` for what nothing passes.
    accesses: Vec<OnceCell<Option<Box<Accesses>>>>,
    /// Scratch variables that what follows may read.
    behind: &'a FxHashSet<SymbolId>,
    /// Whether two places meet.
    of: &'a dyn Fn(&VarRef, &VarRef) -> bool,
}

impl Sequence<'_> {
    fn accesses(&self, at: usize) -> Option<&Accesses> {
        self.accesses[at].get_or_init(|| accesses(self.list[at].as_ref(), self.of).map(Box::new)).as_deref()
    }

    fn assignment(&self, at: usize) -> Option<(&VarRef, &Expr)> {
        self.list.get(at)?.as_ref()?.assignment()
    }

    fn stmt_mut(&mut self, at: usize) -> Option<&mut Stmt> {
        match &mut self.list.get_mut(at)?.as_mut()?.kind {
            ItemKind::Stmt(s) => Some(s),
            _ => None,
        }
    }

    fn merge(&mut self) {
        // For each variable where it was last set.
        let mut last: FxHashMap<SymbolId, usize> = FxHashMap::default();
        for at in 0..self.list.len() {
            let Some((lhs, rhs)) = self.assignment(at) else { continue };
            let symbol = lhs.symbol;
            if !self.v.adjoint.contains(&symbol) {
                continue;
            }
            let near = last.insert(symbol, at).is_some_and(|i| at - i <= WINDOW);
            if near
                && increment(rhs, lhs).is_some()
                && self.has_partner(at, lhs)
                && self.accesses(at).is_some_and(|a| a.incremented().is_some())
            {
                self.join(at);
            }
        }
    }

    /// Whether an earlier statement in sight sets or increments the same place. What statements do is only looked into where there is one.
    fn has_partner(&self, at: usize, place: &VarRef) -> bool {
        (at.saturating_sub(WINDOW)..at).any(|i| self.assignment(i).is_some_and(|(p, _)| same_place(p, place)))
    }

    /// Merges the increment at one place with an earlier statement, if there is one that can be reached.
    fn join(&mut self, at: usize) {
        let of = self.of;
        let Some((lhs, rhs)) = self.assignment(at).map(|(l, r)| (l.clone(), r.clone())) else { return };
        let mut free = true;
        for i in (at.saturating_sub(WINDOW)..at).rev() {
            if self.list[i].is_none() {
                continue;
            }
            let (Some(earlier), Some(own)) = (self.accesses(i), self.accesses(at)) else { return };
            if let Some((p, e)) = self.assignment(i).filter(|(p, _)| same_place(p, &lhs)) {
                if e.nodes.len() + rhs.nodes.len() > MAX_VERTICES {
                    return;
                }
                let passes = |k: usize| self.list[k].is_none() || self.accesses(k).is_some_and(|between| !earlier.before(between, of));
                let to = match free {
                    true => i,
                    false if (i + 1..at).all(passes) => at,
                    false => return,
                };
                let f = Fold { program: self.v.program };
                let Some(added) = without(f, &rhs, &lhs) else { return };
                let whole = f.add(e.clone(), added);
                let place = p.clone();
                return self.fuse(i, at, to, Stmt::assign(place, whole));
            }
            // Past what uses the place itself neither of two could go.
            if earlier.list.iter().any(|a| a.action != Action::Increment && of(&a.place, &lhs)) {
                return;
            }
            free &= !earlier.before(own, of);
        }
    }

    /// One statement in the place of two.
    fn fuse(&mut self, earlier: usize, later: usize, to: usize, stmt: Stmt) {
        let gone = if to == earlier { later } else { earlier };
        self.set(to, stmt.kind);
        self.drop(gone, to);
    }

    /// The statement does something else now.
    fn set(&mut self, at: usize, kind: StmtKind) {
        self.accesses[at] = OnceCell::new();
        if let Some(s) = self.stmt_mut(at) {
            s.kind = kind;
        }
    }

    /// Takes an item out; its comment goes to the rest of what it was over, else to where its work is done now.
    fn drop(&mut self, gone: usize, to: usize) {
        let text = match self.list[gone].take() {
            Some(Item { kind: ItemKind::Stmt(s), .. }) => s.comment,
            _ => return,
        };
        if text.is_empty() {
            return;
        }
        if let Some(next) = self.list[gone + 1..].iter_mut().flatten().next()
            && words(next).is_empty()
        {
            return comment(std::slice::from_mut(next), text);
        }
        let first = (0..=to).rev().find(|&k| self.list[k].as_ref().is_some_and(|i| !words(i).is_empty())).unwrap_or(to);
        if let Some(item) = &mut self.list[first] {
            let above = words(item).to_owned();
            let both = if above.is_empty() {
                text
            } else if gone < to {
                arcstr::format!("{text}\n{above}")
            } else {
                arcstr::format!("{above}\n{text}")
            };
            *comment_of(item) = both;
        }
    }

    /// Scratch variables that are read once.
    fn fold_scratch(&mut self) {
        for at in 0..self.list.len() {
            let Some((lhs, value)) = self.assignment(at) else { continue };
            if !self.v.scratch.contains(&lhs.symbol) || !lhs.subscripts.is_empty() {
                continue;
            }
            let (t, value) = (lhs.symbol, value.clone());
            let Some(reader) = self.only_reader(at, t) else { continue };
            let passes = |k: usize| match (self.accesses(at), self.accesses(k)) {
                (Some(own), Some(between)) => !own.before(between, self.of),
                _ => false,
            };
            let Some((place, rhs)) = self.assignment(reader) else { continue };
            if rhs.nodes.len() + value.nodes.len() > MAX_VERTICES || !(at + 1..reader).all(|k| self.list[k].is_none() || passes(k)) {
                continue;
            }
            let mut made = Item::stmt(Stmt::assign(place.clone(), rhs.clone()));
            expressions::replace(&mut made, &Expr::sym(t), &value);
            if let ItemKind::Stmt(new) = made.kind {
                self.set(reader, new.kind);
            }
            self.drop(at, reader);
        }
    }

    /// The one statement that reads a scratch variable, once and whatever else happens, if there is no more.
    fn only_reader(&self, at: usize, t: SymbolId) -> Option<usize> {
        let mut found = None;
        for k in at + 1..self.list.len().min(at + 1 + WINDOW) {
            let Some(item) = &self.list[k] else { continue };
            let mut named = FxHashSet::default();
            mentions::mentioned(std::slice::from_ref(item), &mut named);
            if !named.contains(&t) {
                continue;
            }
            let (lhs, rhs) = self.assignment(k)?;
            let uses = rhs.refs().filter(|r| r.symbol == t).count();
            let hidden = lhs.index_exprs().chain(rhs.refs().flat_map(VarRef::index_exprs)).any(|e| {
                let mut inside = false;
                e.for_each_ref(&mut |r| inside |= r.symbol == t);
                inside
            });
            if uses > 1 || hidden || (uses == 1 && (found.is_some() || is_lazy(rhs))) {
                return None;
            }
            if uses == 1 {
                found = Some(k);
            }
            if lhs.symbol == t {
                return found;
            }
        }
        found.filter(|_| self.list.len() <= at + 1 + WINDOW && !self.behind.contains(&t))
    }
}

/// An expression of which some part may not be evaluated.
pub(super) fn is_lazy(e: &Expr) -> bool {
    e.nodes.iter().any(|n| match &n.kind {
        NodeKind::Op(op) => op.name == "select",
        NodeKind::Bool(_) => true,
        _ => false,
    })
}

fn words(item: &Item) -> &str {
    match &item.kind {
        ItemKind::Stmt(s) => &s.comment,
        ItemKind::Branch { head, .. } | ItemKind::Loop { head, .. } => &head.comment,
    }
}
