//! What is the same in all iterations of a counted loop, in front of it.
//!
//! ```text
//! do k = 1, n                            if (n >= 1) then
//!   s = r(1)**2 + r(2)**2                  s = r(1)**2 + r(2)**2
//!   if (s > 0) then                        if (s > 0) t = sqrt(s)
//!     t = sqrt(s)                        end if
//!     x(k) = x(k)*t            ->        do k = 1, n
//!   end if                                 if (s > 0) x(k) = x(k)*t
//! end do                                 end do
//! ```
//!
//! The adjoint follows by itself: iterations add to the adjoint of `t`, and that of its assignment runs once, behind the reverse loop. Loops of which nobody
//! knows that they have an iteration keep a guard, and their own head in any case, which sets the index.
//!
//! The body is taken as a list of *pieces*: assignments, inner loops as wholes, conditions of branches. A set of pieces goes in front of the loop where
//!
//! * what they read is written by nothing else in the loop, by whatever name, and the conditions around them are among them,
//! * they write only variables of the unit alone that nothing else in the loop writes,
//! * each such variable is read behind all its assignments only; or it is a scalar that every iteration sets before anything reads it, and what stays in the
//!   loop reads it behind all its assignments.
//!
//! Then all iterations compute the same values, and what stays in the loop finds the last ones. The largest such set is what is left when pieces that break
//! a condition are taken out, again and again. Inner loops come first, so that pieces go as far out as they can.
//!
//! Source: loop-invariant code motion, as in Aho, Lam, Sethi and Ullman, "Compilers" (2006), 9.1, here for trees instead of basic blocks.
//!
//! Lives here: which pieces these are, and the rewriting. Never here: derivatives.

use crate::analysis::accesses::dependence::has_calls;
use crate::analysis::arrays::counted::{range, trips};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::iterations::index_of;
use crate::transform::adjoint::code::liveness;
use crate::transform::adjoint::code::mentions::{in_stmt, mentioned};
use crate::transform::adjoint::code::tree::{Arm, Head, Item, ItemKind, LoopKind, NEW, branch_item, for_each_condition, for_each_stmt};
use crate::transform::adjoint::code::writes::Overlap;
use arcstr::ArcStr;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{BaseType, BoolOp, Expr, ForLoop, NodeKind, Stmt, StmtKind, SymbolId};
use xaif::{Program, types};

/// Pieces are taken out so many times at most; a loop that needs more is left alone.
const ROUNDS: usize = 12;

/// In deeper nests nobody asks what an iteration sets before it is read.
const MAX_DEPTH: usize = 5;

/// What is known of a unit.
pub(crate) struct Unit<'a> {
    /// Types.
    pub program: &'a Program,
    /// Which variables may share memory.
    pub overlap: &'a dyn Overlap,
    /// Variables of the unit of which nobody else knows, by whatever name.
    pub own: &'a dyn Fn(SymbolId) -> bool,
    /// What a statement writes that is no assignment.
    pub writes: &'a dyn Fn(&Stmt) -> Vec<SymbolId>,
}

impl Unit<'_> {
    /// The same code with invariants in front of their loops, and whether there are any.
    pub fn moved(&self, items: Vec<Item>) -> (Vec<Item>, bool) {
        let mut search = Search { unit: self, indices: FxHashSet::default(), found: false };
        search.indices = search.plain_indices(&items);
        let items = search.sequence(items);
        (items, search.found)
    }
}

struct Search<'a> {
    unit: &'a Unit<'a>,
    /// Indices that only loops over them name.
    indices: FxHashSet<SymbolId>,
    found: bool,
}

/// A piece of a loop's body.
struct Piece {
    reads: FxHashSet<SymbolId>,
    writes: FxHashSet<SymbolId>,
    /// The condition under which it runs.
    under: Option<usize>,
    /// Whether it may go in front of the loop at all.
    movable: bool,
    /// Whether to move it saves something.
    works: bool,
}

/// The pieces of a loop, the first of which is its head.
struct Pieces<'a> {
    search: &'a Search<'a>,
    list: Vec<Piece>,
}

impl Search<'_> {
    fn sequence(&mut self, items: Vec<Item>) -> Vec<Item> {
        let mut out = Vec::with_capacity(items.len());
        for mut item in items {
            match &mut item.kind {
                ItemKind::Stmt(_) => {}
                ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| a.body = self.sequence(std::mem::take(&mut a.body))),
                ItemKind::Loop { head, kind, body } => {
                    **body = self.sequence(std::mem::take(&mut **body));
                    // What users promise of a loop, or ask for, is about the loop as it is.
                    if let LoopKind::For(f) = kind
                        && !head.parallel
                        && head.checkpoint.is_none()
                        && let Some(guard) = self.guard(f)
                        && let Some(moved) = self.invariants(f, body)
                    {
                        self.found = true;
                        let moved = match guard {
                            Guard::None => moved,
                            Guard::If(condition) => vec![Item::branch(condition, moved, Vec::new())],
                        };
                        out.extend(moved);
                    }
                }
            }
            out.push(item);
        }
        out
    }

    /// Takes the invariants out of a loop's body, unless nothing would be left of it.
    fn invariants(&self, head: &ForLoop, body: &mut Vec<Item>) -> Option<Vec<Item>> {
        let pieces = Pieces::of(self, head, body)?;
        let moves = pieces.settled(body)?;
        if !moves.iter().zip(&pieces.list).any(|(m, p)| *m && p.works) {
            return None;
        }
        // Conditions stay as well.
        let statements = |items: &[Item]| {
            let mut count = 0;
            for_each_stmt(items, &mut |_| count += 1);
            count
        };
        let all = statements(body);
        let (out, rest) = parted(self.unit.program, body.clone(), &moves, &mut 1);
        let moved = statements(&out);
        if moved == 0 || moved == all {
            return None;
        }
        *body = rest;
        Some(out)
    }

    /// Local indices that nothing names but loops over them.
    fn plain_indices(&self, items: &[Item]) -> FxHashSet<SymbolId> {
        let mut named = Named::default();
        named.items(items);
        let Named { mut indices, elsewhere, .. } = named;
        indices.retain(|s| (self.unit.own)(*s) && !elsewhere.contains(s));
        indices
    }

    /// What a loop needs in front of it for its iterations to be known to run; nothing where it never has any, or where nobody can tell.
    fn guard(&self, f: &ForLoop) -> Option<Guard> {
        let program = self.unit.program;
        let range = range(program, f)?;
        let fold = Fold { program };
        match trips(fold, &range).as_int() {
            Some(n) => return (n > 0).then_some(Guard::None),
            None if has_calls(&f.condition) => return None,
            None => {}
        }
        let StmtKind::Assignment { rhs: first, .. } = &f.init.kind else { return None };
        if has_calls(first) || !self.holds_exactly(range.index, first) {
            return None;
        }
        let condition = fold.rebuilt(&f.condition, &|r| (r.symbol == range.index && r.subscripts.is_empty()).then(|| first.clone()));
        Some(Guard::If(forward(condition)))
    }

    /// Whether an index has the very value of an expression once that is assigned to it.
    fn holds_exactly(&self, index: SymbolId, first: &Expr) -> bool {
        let program = self.unit.program;
        if first.as_int().is_some_and(|n| (0..=127).contains(&n)) {
            return true;
        }
        let unsigned = |s: SymbolId| program.symbol(s).has_attribute("unsigned");
        let (ours, theirs) = (program.symbol(index).ty, types::of(program, first).elem);
        let signed = !unsigned(index) && first.every_ref(&|r| !unsigned(r.symbol));
        signed && theirs.base == BaseType::Integer && theirs.bits <= ours.bits
    }
}

/// How it is made certain that a loop has an iteration.
enum Guard {
    None,
    If(Expr),
}

/// A comparison with the number on the right.
fn forward(e: Expr) -> Expr {
    let (NodeKind::Bool(op), &[a, b]) = (&e.root().kind, &e.root().operands[..]) else { return e };
    let turned = match op {
        BoolOp::LessThan => BoolOp::GreaterThan,
        BoolOp::LessOrEqual => BoolOp::GreaterOrEqual,
        BoolOp::GreaterThan => BoolOp::LessThan,
        BoolOp::GreaterOrEqual => BoolOp::LessOrEqual,
        _ => return e,
    };
    let (a, b) = (e.subexpr(a), e.subexpr(b));
    if a.as_int().is_some() && b.as_int().is_none() { Expr::boolean(turned, [b, a]) } else { e }
}

/// What code names besides the indices of the loops around, and the indices of its loops.
#[derive(Default)]
struct Named {
    around: Vec<SymbolId>,
    indices: FxHashSet<SymbolId>,
    elsewhere: FxHashSet<SymbolId>,
}

impl Named {
    fn name(&mut self, s: SymbolId) {
        if !self.around.contains(&s) {
            self.elsewhere.insert(s);
        }
    }

    fn expr(&mut self, e: &Expr) {
        e.for_each_ref(&mut |r| self.name(r.symbol));
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(s) => {
                    in_stmt(s, &mut |v| self.name(v));
                    // Nothing in a loop but its head may set its index.
                    if let StmtKind::Assignment { lhs, .. } = &s.kind {
                        self.elsewhere.insert(lhs.symbol);
                    }
                }
                ItemKind::Branch { condition, arms, .. } => {
                    self.expr(condition);
                    arms.iter().for_each(|a| self.items(&a.body));
                }
                ItemKind::Loop { kind: LoopKind::For(f), body, .. } => {
                    let index = index_of(f);
                    if let StmtKind::Assignment { rhs, .. } = &f.init.kind {
                        self.expr(rhs);
                    }
                    self.indices.extend(index);
                    self.around.extend(index);
                    self.expr(&f.condition);
                    in_stmt(&f.update, &mut |v| self.name(v));
                    self.items(body);
                    self.around.truncate(self.around.len() - usize::from(index.is_some()));
                }
                ItemKind::Loop { kind: LoopKind::While(c) | LoopKind::Until(c), body, .. } => {
                    self.expr(c);
                    self.items(body);
                }
            }
        }
    }
}

impl<'a> Pieces<'a> {
    /// The pieces of a loop; nothing where code is there that says nothing of what it reads.
    fn of(search: &'a Search<'a>, head: &ForLoop, body: &[Item]) -> Option<Pieces<'a>> {
        let mut quiet = true;
        for_each_stmt(body, &mut |s| quiet &= !matches!(s.kind, StmtKind::Propagator(_) | StmtKind::Runtime { .. }));
        if !quiet {
            return None;
        }
        let mut first = Piece { reads: FxHashSet::default(), writes: FxHashSet::default(), under: None, movable: false, works: false };
        for s in [&head.init, &head.update] {
            in_stmt(s, &mut |v| {
                first.reads.insert(v);
            });
        }
        head.condition.for_each_ref(&mut |r| {
            first.reads.insert(r.symbol);
        });
        first.writes.extend(index_of(head));
        let mut out = Pieces { search, list: vec![first] };
        out.items(body, None);
        Some(out)
    }

    fn items(&mut self, items: &[Item], under: Option<usize>) {
        for item in items {
            match &item.kind {
                ItemKind::Branch { condition, arms, .. } => {
                    let at = self.list.len();
                    let mut reads = FxHashSet::default();
                    condition.for_each_ref(&mut |r| reads.extend([r.symbol]));
                    let movable = !has_calls(condition);
                    self.list.push(Piece { reads, writes: FxHashSet::default(), under, movable, works: false });
                    arms.iter().for_each(|a| self.items(&a.body, Some(at)));
                }
                _ => {
                    let piece = self.whole(item, under);
                    self.list.push(piece);
                }
            }
        }
    }

    /// An item that stays in one piece.
    fn whole(&self, item: &Item, under: Option<usize>) -> Piece {
        let unit = self.search.unit;
        let list = std::slice::from_ref(item);
        let (mut reads, mut writes) = (FxHashSet::default(), FxHashSet::default());
        let (mut movable, mut works) = (true, false);
        for_each_stmt(list, &mut |s| match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                movable &= !has_calls(rhs) && !lhs.index_exprs().any(has_calls);
                works |= unit.program.symbol(lhs.symbol).ty.base == BaseType::Real && rhs.nodes.iter().any(|n| computes(&n.kind));
                writes.insert(lhs.symbol);
                lhs.index_exprs().chain([rhs]).for_each(|e| e.for_each_ref(&mut |r| reads.extend([r.symbol])));
            }
            _ => {
                movable = false;
                writes.extend((unit.writes)(s));
                in_stmt(s, &mut |v| reads.extend([v]));
            }
        });
        for_each_condition(list, &mut |c| {
            movable &= !has_calls(c);
            c.for_each_ref(&mut |r| reads.extend([r.symbol]));
        });
        for set in [&mut reads, &mut writes] {
            set.retain(|s| !self.search.indices.contains(s) || !loops_over(list, *s));
        }
        Piece { reads, writes, under, movable, works }
    }

    /// Which pieces go in front of the loop.
    fn settled(&self, body: &[Item]) -> Option<Vec<bool>> {
        let unit = self.search.unit;
        let pointer = |s: &SymbolId| unit.program.symbol(*s).pointer;
        let mut moves: Vec<bool> =
            self.list.iter().map(|p| p.movable && !p.reads.iter().any(pointer) && p.writes.iter().all(|&s| (unit.own)(s))).collect();
        if !moves.contains(&true) {
            return None;
        }
        let unordered = self.unordered();
        let mut exposed: Option<FxHashSet<SymbolId>> = None;
        for _ in 0..ROUNDS {
            let mut stays: FxHashSet<SymbolId> = FxHashSet::default();
            let mut early: FxHashSet<SymbolId> = FxHashSet::default();
            let last = self.last_writes();
            for (k, p) in self.list.iter().enumerate() {
                if !moves[k] {
                    stays.extend(p.writes.iter().flat_map(|&w| unit.overlap.sharing(w)));
                }
                // What stays has the conditions again.
                if !moves[k] || p.writes.is_empty() {
                    early.extend(p.reads.iter().filter(|r| last.get(r).is_some_and(|&w| k <= w)));
                }
            }
            let before = moves.iter().filter(|m| **m).count();
            for (k, p) in self.list.iter().enumerate() {
                if !moves[k] {
                    continue;
                }
                let set_first =
                    |s: &SymbolId| unit.program.symbol(*s).rank == 0 && !exposed.get_or_insert_with(|| exposed_by(body)).contains(s);
                let holds = p.under.is_none_or(|u| moves[u])
                    && !p.reads.iter().chain(&p.writes).any(|s| stays.contains(s))
                    && !p.writes.iter().any(|s| early.contains(s))
                    && p.writes.iter().filter(|s| unordered.contains(s)).all(set_first);
                if !holds {
                    moves[k] = false;
                    stays.extend(p.writes.iter().flat_map(|&w| unit.overlap.sharing(w)));
                }
            }
            let after = moves.iter().filter(|m| **m).count();
            if after == before || after == 0 {
                return (after > 0).then_some(moves);
            }
        }
        None
    }

    /// For each variable the last piece that writes it.
    fn last_writes(&self) -> FxHashMap<SymbolId, usize> {
        self.list.iter().enumerate().flat_map(|(k, p)| p.writes.iter().map(move |&w| (w, k))).collect()
    }

    /// Variables that a piece reads that is not behind all that write it.
    fn unordered(&self) -> FxHashSet<SymbolId> {
        let last = self.last_writes();
        let reads = self.list.iter().enumerate().flat_map(|(k, p)| p.reads.iter().map(move |r| (k, *r)));
        reads.filter(|(k, r)| last.get(r).is_some_and(|w| k <= w)).map(|(_, r)| r).collect()
    }
}

/// What an iteration may read before it sets it; all that it names where the code nests deeply.
fn exposed_by(body: &[Item]) -> FxHashSet<SymbolId> {
    let mut out = FxHashSet::default();
    if depth(body) > MAX_DEPTH {
        mentioned(body, &mut out);
    } else {
        liveness::backward(body, &mut out);
    }
    out
}

fn depth(items: &[Item]) -> usize {
    let of = |item: &Item| match &item.kind {
        ItemKind::Stmt(_) => 0,
        ItemKind::Branch { arms, .. } => arms.iter().map(|a| depth(&a.body)).max().unwrap_or(0),
        ItemKind::Loop { body, .. } => 1 + depth(body),
    };
    items.iter().map(of).max().unwrap_or(0)
}

/// An operation that takes time.
fn computes(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Op(op) if !matches!(op.name.as_str(), "minus_scal" | "plus_scal" | "real_scal"))
}

/// Whether some code has a loop over an index.
fn loops_over(items: &[Item], index: SymbolId) -> bool {
    items.iter().any(|item| match &item.kind {
        ItemKind::Stmt(_) => false,
        ItemKind::Branch { arms, .. } => arms.iter().any(|a| loops_over(&a.body, index)),
        ItemKind::Loop { kind, body, .. } => matches!(kind, LoopKind::For(f) if index_of(f) == Some(index)) || loops_over(body, index),
    })
}

/// The pieces that go in front of the loop, and those that stay; `next` is the number of the first.
fn parted(program: &Program, items: Vec<Item>, moves: &[bool], next: &mut usize) -> (Vec<Item>, Vec<Item>) {
    let (mut out, mut rest) = (Vec::new(), Vec::new());
    for item in items {
        let goes = moves.get(*next).copied().unwrap_or(false);
        *next += 1;
        let Item { id, kind } = item;
        match kind {
            ItemKind::Branch { head, condition, mut arms } => {
                let part = |arm: &mut Arm| {
                    let (moved, rest) = parted(program, std::mem::take(&mut arm.body), moves, next);
                    arm.body = rest;
                    Arm { values: arm.values.clone(), body: moved }
                };
                let moved: Vec<Arm> = arms.iter_mut().map(part).collect();
                let truth = types::of(program, &condition).elem.base == BaseType::Bool;
                let works = |arms: &[Arm]| arms.iter().any(|a| !a.body.is_empty());
                let (first, second) = (works(&moved), works(&arms));
                if first {
                    let comment = if second { ArcStr::new() } else { head.comment.clone() };
                    let head = Box::new(Head { comment, ..(*head).clone() });
                    out.push(branch_item(head, (*condition).clone(), moved, truth));
                }
                if !first {
                    rest.push(Item { id, kind: ItemKind::Branch { head, condition, arms } });
                } else if second {
                    rest.push(Item { id, ..branch_item(head, *condition, *arms, truth) });
                }
            }
            kind if goes => out.push(Item { id: NEW, kind }),
            kind => rest.push(Item { id, kind }),
        }
    }
    (out, rest)
}
