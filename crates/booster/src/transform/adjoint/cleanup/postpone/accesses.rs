//! What a piece of code does to the elements of arrays.
//!
//! Lives here: reading that off. Never here: what follows from it.

use super::arrays::Arrays;
use crate::analysis::arrays::counted::range;
use crate::analysis::arrays::regions::{Around, Known, Part, Span, one_to_one, part};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::expressions::without;
use crate::transform::adjoint::code::mentions::in_stmt;
use crate::transform::adjoint::code::tree;
use crate::transform::adjoint::code::tree::{Arm, Item, ItemId, ItemKind, LoopKind, for_each_stmt};
use rustc_hash::FxHashSet;
use xaif::model::{BaseType, Expr, Stmt, StmtKind, SymbolId, VarRef};
use xaif::types;

/// What is done to elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// They are read.
    Read,
    /// They are set.
    Set,
    /// They are added to.
    Increment,
}

/// Something that is done to elements of one array.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The array.
    pub array: SymbolId,
    /// The item that does it, and its place among all statements.
    pub item: ItemId,
    /// Its place in the order of the text.
    pub order: usize,
    /// Which element, where it is one.
    pub place: Option<VarRef>,
    /// Which elements all iterations take, at most.
    pub part: Option<Part>,
    /// What.
    pub act: Act,
    /// The loops around, by their items.
    pub loops: Vec<ItemId>,
    /// Every iteration does it, each to an element of its own, and all elements of the part have one.
    pub each: bool,
}

impl Access {
    /// Whether it is done to the same element as another one is in the same iteration, within the same loops or further inside.
    pub fn follows_iterations_of(&self, other: &Access) -> bool {
        self.place.is_some()
            && self.loops.starts_with(&other.loops)
            && self.place.as_ref().zip(other.place.as_ref()).is_some_and(|(a, b)| a.subscripts == b.subscripts)
    }
}

/// What a piece of code touches.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// Elements of arrays that are looked after.
    pub accesses: Vec<Access>,
    /// All variables that are written.
    pub changed: FxHashSet<SymbolId>,
}

impl Arrays<'_> {
    /// What is known inside of an arm of a branch besides: its condition, as far as the arm leaves it true.
    pub(super) fn assume(&self, known: &mut Known, condition: &Expr, arm: &Arm) {
        if arm.values == [1] && types::of(self.program, condition).elem.base == BaseType::Bool {
            let changed = Touched::of(self, &arm.body).changed;
            let unsigned = |v: SymbolId| self.program.symbol(v).has_attribute("unsigned");
            known.assume(condition, &|v| self.numbers.contains(&v) && !changed.contains(&v) && !unsigned(v));
        }
    }
}

impl Touched {
    /// Of some items.
    pub fn of(arrays: &Arrays, items: &[Item]) -> Touched {
        let mut out = Touched::default();
        for_each_stmt(items, &mut |s| match &s.kind {
            StmtKind::Assignment { lhs, .. } => {
                out.changed.insert(lhs.symbol);
            }
            StmtKind::Runtime { name, .. } if name == "push" => {}
            StmtKind::Runtime { name, arguments } if name == "pop" => {
                out.changed.extend(arguments.iter().filter_map(|a| a.value.as_var()).map(|r| r.symbol));
            }
            _ => in_stmt(s, &mut |v| {
                out.changed.insert(v);
            }),
        });
        let mut reader = Reader { arrays, out, order: 0, around: Vec::new(), loops: Vec::new(), known: true };
        reader.sequence(items, true);
        reader.out
    }

    /// Of a condition.
    pub fn of_condition(arrays: &Arrays, condition: &Expr) -> Touched {
        let mut reader = Reader { arrays, out: Touched::default(), order: 0, around: Vec::new(), loops: Vec::new(), known: true };
        reader.reads(condition, tree::NEW);
        reader.out
    }
}

struct Reader<'a> {
    arrays: &'a Arrays<'a>,
    out: Touched,
    order: usize,
    around: Vec<Around>,
    loops: Vec<ItemId>,
    /// The values that the indices of the loops around take are known.
    known: bool,
}

impl Reader<'_> {
    fn sequence(&mut self, items: &[Item], certain: bool) {
        for item in items {
            self.order += 1;
            match &item.kind {
                ItemKind::Stmt(s) => self.stmt(s, item.id, certain),
                ItemKind::Branch { condition, arms, .. } => {
                    self.reads(condition, item.id);
                    arms.iter().for_each(|a| self.sequence(&a.body, false));
                }
                ItemKind::Loop { kind, body, .. } => self.repeat(item.id, kind, body, certain),
            }
        }
    }

    fn repeat(&mut self, id: ItemId, kind: &LoopKind, body: &[Item], certain: bool) {
        let around = match kind {
            LoopKind::For(f) => {
                self.reads(&f.condition, id);
                for s in [&f.init, &f.update] {
                    if let StmtKind::Assignment { rhs, .. } = &s.kind {
                        self.reads(rhs, id);
                    }
                }
                range(self.arrays.program, f).filter(|r| self.arrays.numbers.contains(&r.index)).and_then(|r| {
                    let stride = r.stride.as_int().filter(|c| *c != 0)?;
                    let (low, high) = if stride < 0 { (r.bound, r.first) } else { (r.first, r.bound) };
                    Some(Around { index: r.index, span: Span { low, high }, dense: stride.abs() == 1, up: stride > 0 })
                })
            }
            LoopKind::While(c) | LoopKind::Until(c) => {
                self.reads(c, id);
                None
            }
        };
        let before = self.known;
        self.known &= around.is_some();
        let depth = self.around.len();
        self.around.extend(around);
        self.loops.push(id);
        self.sequence(body, certain);
        self.loops.pop();
        self.around.truncate(depth);
        self.known = before;
    }

    fn stmt(&mut self, s: &Stmt, id: ItemId, certain: bool) {
        let StmtKind::Assignment { lhs, rhs } = &s.kind else {
            let mut named: Vec<SymbolId> = Vec::new();
            in_stmt(s, &mut |v| named.push(v));
            for v in named.into_iter().filter(|v| self.arrays.has(*v)) {
                self.add(v, None, Act::Set, id, false);
            }
            return;
        };
        lhs.index_exprs().for_each(|e| self.reads(e, id));
        let added = if self.arrays.has(lhs.symbol) && !lhs.subscripts.is_empty() {
            without(Fold { program: self.arrays.program }, rhs, lhs)
        } else {
            None
        };
        match &added {
            Some(rest) => self.reads(rest, id),
            None => self.reads(rhs, id),
        }
        if self.arrays.has(lhs.symbol) {
            let act = if added.is_some() { Act::Increment } else { Act::Set };
            self.add(lhs.symbol, Some(lhs), act, id, certain);
        }
    }

    fn reads(&mut self, e: &Expr, id: ItemId) {
        let mut found: Vec<VarRef> = Vec::new();
        self.arrays.resized.values(e, &mut |r| {
            if self.arrays.has(r.symbol) {
                found.push(r.clone());
            }
        });
        for r in found {
            self.add(r.symbol, Some(&r), Act::Read, id, false);
        }
    }

    fn add(&mut self, array: SymbolId, place: Option<&VarRef>, act: Act, item: ItemId, certain: bool) {
        let element = place.filter(|r| !r.subscripts.is_empty() && !r.has_section());
        let steady = |s: SymbolId| self.arrays.numbers.contains(&s) && !self.out.changed.contains(&s);
        let part = element.filter(|_| self.known).and_then(|r| part(r, &self.around, &|v| v.subscripts.is_empty() && steady(v.symbol)));
        // Within an iteration the element stays the same if nothing but the loops themselves changes what its subscripts read.
        let moves = element.is_none_or(|r| {
            let mut moves = false;
            r.index_exprs().for_each(|e| {
                e.for_each_ref(&mut |v| moves |= !(steady(v.symbol) || self.around.iter().any(|a| a.index == v.symbol)));
            });
            moves
        });
        let each = certain && part.is_some() && element.is_some_and(|r| one_to_one(r, &self.around));
        let place = element.filter(|_| !moves).cloned();
        let access = Access { array, item, order: self.order, place, part, act, loops: self.loops.clone(), each };
        self.out.accesses.push(access);
    }
}
