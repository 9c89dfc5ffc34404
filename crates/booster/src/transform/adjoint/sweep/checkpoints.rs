//! Loops that are reversed from snapshots: binomial checkpointing.
//!
//! ```text
//! do i = 1, n                    iterations = n; snap = 0; next = 0; gone = 0
//!   u = step(u, x(i))            do i = 1, n
//! end do                           if (gone == next) then
//!                                    snap = snap + 1; snap_round(snap) = gone; u_snap(:,snap) = u; next = (schedule)
//!                                  end if
//!                                  u = step(u, x(i)); gone = gone + 1
//!                                end do
//!                                ...
//!                         ->     do todo = iterations - 1, 0, -1
//!                                  if (snap_round(snap) > todo) snap = snap - 1
//!                                  gone = snap_round(snap); u = u_snap(:,snap)
//!                                  do while (gone < todo)
//!                                    next = (schedule)
//!                                    do k = gone, next - 1; i = 1 + k; u = step(u, x(i)); end do
//!                                    if (next < todo) (a snapshot)
//!                                  end do
//!                                  i = 1 + todo; (this iteration with records, and its adjoint)
//!                                end do
//! ```
//!
//! The schedule is the one with the fewest iterations (Griewank and Walther 2000, Algorithm 799). To reverse l iterations from a snapshot with s snapshots in all,
//! let r be least with l <= b(s, r), b(s, r) = (s + r)!/(s! r!). Then min(b(s, r - 1), l - b(s - 1, r - 1)) iterations are run to the next snapshot, and
//! t(l, s) = r l - b(s + 1, r - 1) in all. Where the forward sweep runs the loop for what follows, that is one iteration more of the chain: l + 1 iterations, the
//! last of which nobody runs here. One snapshot needs no schedule: all iterations up to the present one are run again from it. What has to be counted first (`while`) is run once for that alone, from its first snapshot on.
//!
//! Lives here: the code of such loops. Never here: what snapshots hold (see [`crate::analysis::reversal::checkpoints`]), where they are kept (`snapshots`).

use super::snapshots::Store;
use super::sweeps::{Sweeps, Walk};
use crate::analysis::arrays::counted::{COUNTER, Range, for_loop, range, trips};
use crate::analysis::reversal::checkpoints::Copies;
use crate::analysis::reversal::decisions::Decisions;
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::mentions::mentioned;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Head, Item, ItemId, ItemKind, LoopKind, NEW, comment, for_each_stmt, last_id, set};
use crate::transform::adjoint::facts::effects;
use crate::transform::adjoint::record::storage::Pair;
use crate::transform::adjoint::record::tape::{Room, Tape};
use crate::transform::adjoint::record::universe::Universe;
use crate::transform::adjoint::statement::maker::Maker;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{BoolOp, Expr, FlowGraph, MarkerClass, MostSnapshots, NodeKind, Operation, Snapshots, StmtKind, SymbolId, Vertex};
use xaif::{Diagnostic, Program};

/// The variables of the schedule.
struct Schedule {
    /// The iteration that comes next, from zero.
    iteration: SymbolId,
    /// Where the next snapshot is due.
    next: SymbolId,
    /// Snapshots that may still be used, the latest included.
    left: SymbolId,
    /// b(left, reps).
    reach: SymbolId,
    /// How often an iteration is run at most.
    reps: SymbolId,
}

fn relation(op: BoolOp, a: Expr, b: Expr) -> Expr {
    Expr::boolean(op, [a, b])
}

fn quotient(a: Expr, b: Expr) -> Expr {
    Expr::op("div_scal_scal", [a, b])
}

impl Schedule {
    /// Where the snapshot behind the present one is to be made, for a chain that ends behind iteration `end`.
    fn next(&self, f: Fold, store: &Store, end: Expr) -> Vec<Item> {
        let v = Expr::sym;
        let one = || Expr::int(1);
        let (left, reach, reps) = (|| v(self.left), || v(self.reach), || v(self.reps));
        let ahead = f.sub(end, v(self.iteration));
        let grow = vec![set(self.reps, f.add(reps(), one())), set(self.reach, quotient(f.mul(reach(), f.add(left(), reps())), reps()))];
        let rest = quotient(f.mul(reach(), left()), f.sub(f.add(left(), reps()), one()));
        let rest = f.sub(f.add(ahead.clone(), one()), rest);
        vec![
            set(self.left, store.left(f)),
            set(self.reps, Expr::int(0)),
            set(self.reach, one()),
            Item::repeat(LoopKind::While(Box::new(relation(BoolOp::LessOrEqual, reach(), ahead))), grow),
            set(self.reach, quotient(f.mul(reach(), reps()), f.add(left(), reps()))),
            set(self.next, f.add(v(self.iteration), Expr::op("min_scal_scal", [reach(), rest]))),
        ]
    }
}

/// What both sweeps of a loop that is reversed from snapshots share.
struct Snapshotted {
    store: Store,
    schedule: Schedule,
    /// How many iterations there are.
    iterations: SymbolId,
    /// The iteration that is reversed next.
    todo: SymbolId,
    /// Counts the iterations that are run again.
    k: SymbolId,
    /// What comes back from the first snapshot when the loop is reversed.
    reset: Vec<SymbolId>,
    /// The head of a counted loop.
    range: Option<Range>,
    /// What sets the number of its iterations.
    counted: Option<Item>,
    /// These variables are the same ones in both sweeps, and keep their values between them.
    survives: bool,
}

impl Snapshotted {
    /// What stands in front of the loop in the forward sweep. `first` is its body there, `begin` what stands in front of it in the reverse sweep.
    fn front(&self, f: Fold, first: &mut Vec<Item>, begin: &mut Vec<Item>) -> Vec<Item> {
        let Snapshotted { store, schedule: s, iterations, .. } = self;
        let iterations = *iterations;
        let mut front: Vec<Item> = Vec::new();
        match &self.counted {
            Some(count) if store.holds() && store.is_single() => {
                front.push(count.clone());
                front.extend(store.open());
                front.extend(store.make_first(f));
            }
            Some(count) if store.holds() => {
                front.push(count.clone());
                front.extend(store.open());
                // What is to come back from the first snapshot does so where there are no iterations, too.
                let unmade = store.first_of(f, &self.reset, false);
                if !unmade.is_empty() {
                    front.push(relation(BoolOp::LessOrEqual, Expr::sym(iterations), Expr::int(0)).into_branch(unmade));
                }
                front.extend([store.none(), set(s.next, Expr::int(0)), set(s.iteration, Expr::int(0))]);
                let mut due = store.make(f, s.iteration);
                due.extend(s.next(f, store, Expr::sym(iterations)));
                let due = relation(BoolOp::Equal, Expr::sym(s.iteration), Expr::sym(s.next)).into_branch(due);
                first.insert(0, due);
                first.push(set(s.iteration, f.add(Expr::sym(s.iteration), Expr::int(1))));
            }
            Some(_) => begin.extend(self.counted.clone()),
            None => {
                if self.survives {
                    front.extend(store.open());
                    front.extend(store.make_first(f));
                } else {
                    let pairs = store.on_stack();
                    front.extend(pairs.0);
                    begin.extend(pairs.1);
                }
                front.push(set(iterations, Expr::int(0)));
                first.insert(0, set(iterations, f.add(Expr::sym(iterations), Expr::int(1))));
            }
        }
        front
    }

    /// From a snapshot to the iteration that is reversed next; `run` is the body as it runs again.
    fn run_up(&self, f: Fold, mut run: Vec<Item>) -> Vec<Item> {
        let Snapshotted { store, schedule: s, k, todo, .. } = self;
        let (k, todo) = (*k, *todo);
        let mut turn: Vec<Item> = Vec::new();
        run.splice(0..0, self.range.iter().filter(|r| names(&run, r.index)).map(|r| index_of(f, r, k)).collect::<Vec<_>>());
        let again = |from: Expr, behind: SymbolId| {
            let upto = f.sub(Expr::sym(behind), Expr::int(1));
            Item::repeat(LoopKind::For(Box::new(for_loop(f, k, from, upto, Expr::int(1)))), run)
        };
        if store.is_single() {
            turn.extend(store.first(f));
            turn.push(again(Expr::int(0), todo));
        } else {
            turn.extend(store.latest(f, s.iteration, todo));
            let mut on = s.next(f, store, Expr::sym(todo));
            on.push(again(Expr::sym(s.iteration), s.next));
            on.push(set(s.iteration, Expr::sym(s.next)));
            let before = || relation(BoolOp::LessThan, Expr::sym(s.iteration), Expr::sym(todo));
            on.push(before().into_branch(store.make(f, s.iteration)));
            turn.push(Item::repeat(LoopKind::While(Box::new(before())), on));
        }
        turn
    }
}

/// Sets the index of a counted loop for an iteration.
pub(crate) fn index_of(f: Fold, r: &Range, iteration: SymbolId) -> Item {
    set(r.index, f.add(r.first.clone(), f.mul(narrowed(f.program, r.index, Expr::sym(iteration)), r.stride.clone())))
}

/// A number of iterations in the type of a loop's index.
pub(crate) fn narrowed(program: &Program, index: SymbolId, iterations: Expr) -> Expr {
    let symbol = program.symbol(index);
    if symbol.ty == COUNTER || symbol.has_attribute("unsigned") || iterations.as_int().is_some() {
        return iterations;
    }
    Expr::node(NodeKind::Op(Operation { name: "int_scal".into(), ty: Some(symbol.ty), spelling: "".into() }.into()), [iterations])
}

/// Whether code names a variable.
fn names(items: &[Item], s: SymbolId) -> bool {
    let mut named = FxHashSet::default();
    mentioned(items, &mut named);
    named.contains(&s)
}

/// A refusal to reverse a loop from snapshots.
pub(crate) fn refusal(what: &str, why: &str, help: &str) -> Diagnostic {
    Diagnostic::error("OB4070", format!("the loop cannot be reversed from snapshots: {what}")).because(why).help(help)
}

impl Maker<'_> {
    /// What keeps loops that the user wants checkpointed from being run again.
    pub(crate) fn can_be_checkpointed(
        &self,
        graph: &FlowGraph,
        items: &[Item],
        decisions: &Decisions,
        copies: &FxHashMap<ItemId, Copies>,
        universe: &Universe,
    ) -> Vec<Diagnostic> {
        let asked: Vec<&Vertex> = graph.node_weights().filter(|v| v.checkpoint.is_some()).collect();
        if asked.is_empty() {
            return Vec::new();
        }
        let mut loops = Vec::new();
        collect(items, &mut loops);
        if let Some(v) = asked.iter().find(|v| loops.iter().all(|(h, ..)| h.span != v.span)) {
            let why = "jumps lead into it, or back to something before it, so its iterations are not to be told apart";
            return vec![refusal("it does not nest", why, "write it without those jumps").at(self.program.location(v.span))];
        }
        let mut out = Vec::new();
        for (head, item, body) in loops.into_iter().filter(|(_, item, _)| copies.contains_key(&item.id)) {
            let mut fail = |d: Diagnostic| out.push(d.at(self.program.location(head.span)));
            let mut moving: Vec<SymbolId> = Vec::new();
            let mut allocates = false;
            for_each_stmt(body, &mut |s| match &s.kind {
                StmtKind::Marker(m) => allocates |= matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate),
                StmtKind::Call(c) => moving.extend(self.frame.calls.resizes(self.program, c)),
                _ => {}
            });
            if allocates {
                let why = "iterations are run again in another order, and what is allocated then is not known";
                fail(refusal(
                    "its iterations allocate or free memory",
                    why,
                    "allocate before the loop, or in a procedure that frees it as well",
                ));
                continue;
            }
            let held = decisions.snapshot(item.id).iter().filter_map(|&v| universe.symbols.get(v as usize).copied());
            for s in held {
                let name = &self.program.symbol(s).name;
                let mut reads = Vec::new();
                effects::subscripts(self.program, &self.whole(s), &mut reads);
                if moving.contains(&s) {
                    let why = "a snapshot of it would have another length than what it is put back into";
                    fail(refusal(&format!("a call in it may allocate or free {name}"), why, "allocate it before the loop"));
                } else if reads.iter().any(|&r| self.written.any_in(r, (item.id, last_id(item)))) {
                    let why = "a snapshot of it would have another length than what it is put back into";
                    fail(refusal(&format!("the extents of {name} change in it"), why, "declare it with extents that stay"));
                }
            }
        }
        out
    }
}

/// All loops with their heads and bodies that the user wants checkpointed.
fn collect<'a>(items: &'a [Item], out: &mut Vec<(&'a Head, &'a Item, &'a [Item])>) {
    for item in items {
        match &item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| collect(&a.body, out)),
            ItemKind::Loop { head, body, .. } => {
                if head.checkpoint.is_some() {
                    out.push((head, item, body));
                }
                collect(body, out);
            }
        }
    }
}

/// The head of a counted loop, taken apart.
fn head_of(program: &Program, kind: &LoopKind) -> Result<Option<Range>, Diagnostic> {
    let LoopKind::For(f) = kind else { return Ok(None) };
    let known = range(program, f).ok_or_else(|| Diagnostic::error("OB4052", "the head of a counted loop does not have the form of one"))?;
    Ok(Some(known))
}

impl Walk<'_> {
    /// Both sweeps of a checkpointed loop.
    ///
    /// # Errors
    /// A value that cannot be kept.
    pub(crate) fn checkpointed(
        &mut self,
        id: ItemId,
        head: Box<Head>,
        kind: LoopKind,
        body: Vec<Item>,
        depth: usize,
    ) -> Result<Sweeps, Diagnostic> {
        let copies = self.copies.get(&id).copied().unwrap_or(Copies { first: 0, ahead: 0 });
        let at = self.unit.program().location(head.span);
        let placed = |d: Diagnostic| if d.location.is_none() { d.at(at.clone()) } else { d };
        if self.decisions.repeated.contains(&id) {
            return Err(placed(refusal(
                "its iterations do something that must happen once only",
                "iterations are run again, and so would be the input or output in them, or a call of something unknown",
                "move that out of the loop",
            )));
        }
        let range = head_of(self.unit.program(), &kind).map_err(placed)?;
        let mut out = Sweeps::default();
        let live = self.decisions.live(id);
        let restores = if live { self.saved(id, depth, &mut out.forward)? } else { Vec::new() };
        let iteration = self.one_round(body.clone(), depth)?;
        let (mut again, allocations, frees) = iteration;
        if again.is_empty() {
            if live {
                let body = self.ahead(&body, copies.first);
                out.forward.push(Item { id: NEW, kind: ItemKind::Loop { head, kind, body: Box::new(body) } });
            }
            out.reverse.extend(restores.into_iter().rev().flatten());
            return Ok(out);
        }
        let survives = depth == 0 && self.inside == 0 && self.keeper.one_unit;
        let states = self.variables(self.decisions.snapshot(id));
        let reset = self.variables(self.decisions.reset(id));
        let snapshots = head.checkpoint.unwrap_or(Snapshots { most: MostSnapshots::Count(1), every: 1 });
        let plan = self.planned(&states, snapshots, reset, range, survives).map_err(placed)?;
        let text = plan.store.describe(self.unit.program(), snapshots);
        // The forward sweep.
        let mut begin: Vec<Item> = Vec::new();
        if live {
            let mut first = self.ahead(&body, copies.first);
            let mut front = plan.front(Fold { program: self.unit.program() }, &mut first, &mut begin);
            comment(&mut front, text.as_str());
            out.forward.extend(front);
            out.forward.push(Item { id: NEW, kind: ItemKind::Loop { head, kind, body: Box::new(first) } });
        }
        self.between(&plan, live, depth, &mut begin, &mut out.forward);
        // The reverse sweep.
        let mut turn: Vec<Item> = Vec::new();
        if plan.store.holds() {
            let run = self.ahead(&body, copies.ahead);
            turn = plan.run_up(Fold { program: self.unit.program() }, run);
        }
        let f = Fold { program: self.unit.program() };
        turn.extend(plan.range.iter().filter(|r| names(&again, r.index)).map(|r| index_of(f, r, plan.todo)));
        turn.append(&mut again);
        let last = f.sub(Expr::sym(plan.iterations), Expr::int(1));
        let loop_back = for_loop(f, plan.todo, last, Expr::int(0), Expr::int(-1));
        let mut end = plan.store.first_of(f, &plan.reset, true);
        end.extend(plan.store.close());
        let kept = self.kept(id, &[]);
        let (save, unsave) = self.around(&kept, depth)?;
        comment(&mut begin, text);
        out.reverse.extend(begin);
        out.reverse.extend(save);
        out.reverse.extend(allocations);
        out.reverse.push(Item::repeat(LoopKind::For(Box::new(loop_back)), turn));
        out.reverse.extend(frees);
        out.reverse.extend(unsave);
        out.reverse.extend(end);
        out.reverse.extend(restores.into_iter().rev().flatten());
        Ok(out)
    }

    /// Keeps what was recorded before the loop and is overwritten in it. Gives what brings it back.
    fn saved(&mut self, id: ItemId, depth: usize, forward: &mut Vec<Item>) -> Result<Vec<Vec<Item>>, Diagnostic> {
        let mut restores: Vec<Vec<Item>> = Vec::new();
        for s in self.variables(self.decisions.saved(id)) {
            let place = self.unit.whole(s);
            let (save, back) = self.keep(&place, depth)?;
            forward.extend(save);
            restores.push(back);
        }
        Ok(restores)
    }

    /// The variables of a loop that is reversed from snapshots.
    ///
    /// # Errors
    /// A value of which there can be no snapshot.
    fn planned(
        &mut self,
        states: &[SymbolId],
        snapshots: Snapshots,
        reset: Vec<SymbolId>,
        range: Option<Range>,
        survives: bool,
    ) -> Result<Snapshotted, Diagnostic> {
        let store = Store::new(self.unit, states, snapshots)?;
        let mut temporary = |wish: &str| self.unit.temporary(wish, COUNTER);
        let iterations = temporary("iterations");
        let todo = temporary("todo");
        let k = temporary("k");
        let schedule = Schedule {
            iteration: temporary("gone"),
            next: temporary("next"),
            left: temporary("left"),
            reach: temporary("reach"),
            reps: temporary("reps"),
        };
        let counted = range.as_ref().map(|r| set(iterations, trips(Fold { program: self.unit.program() }, r)));
        Ok(Snapshotted { store, schedule, iterations, todo, k, reset, range, counted, survives })
    }

    /// What brings snapshots and the number of iterations from one sweep to the other: behind the loop in the forward sweep, and at the `begin` of the reverse sweep.
    fn between(&mut self, plan: &Snapshotted, live: bool, depth: usize, begin: &mut Vec<Item>, forward: &mut Vec<Item>) {
        let f = Fold { program: self.unit.program() };
        match (live, &plan.counted) {
            (true, Some(count)) if plan.store.holds() && !plan.survives => {
                let (pushes, pops) = plan.store.moved();
                forward.extend(pushes);
                begin.push(count.clone());
                begin.extend(pops);
            }
            (true, Some(_)) => {}
            (true, None) if plan.survives => {}
            (true, None) => {
                let (push, pop): Pair = self.keeper.control(plan.iterations, depth.max(1));
                forward.extend(push);
                begin.splice(0..0, pop);
                begin.extend(plan.store.open());
                begin.extend(plan.store.make_first(f));
            }
            (false, _) => {
                begin.extend(plan.counted.clone());
                begin.extend(plan.store.open());
                begin.extend(plan.store.make_first(f));
            }
        }
    }

    /// An iteration with its adjoint, and what has to be allocated and freed around all of them. Both sweeps of an iteration are in one place, whatever surrounds the
    /// loop.
    #[allow(clippy::type_complexity)] // taken apart by the callers
    pub(crate) fn one_round(&mut self, body: Vec<Item>, depth: usize) -> Result<(Vec<Item>, Vec<Item>, Vec<Item>), Diagnostic> {
        let (one_unit, inside) = (std::mem::replace(&mut self.keeper.one_unit, true), std::mem::take(&mut self.inside));
        let first = std::mem::take(&mut self.first);
        let room = if depth == 0 && inside == 0 && one_unit { Room::Around } else { Room::Nowhere };
        let tape = std::mem::replace(&mut self.tape, Tape::inside(room));
        let end = std::mem::replace(&mut self.iteration_end, body.last().map_or(0, last_id));
        let iteration = self.sequence(body, 0);
        self.iteration_end = end;
        let (allocations, frees) = std::mem::replace(&mut self.tape, tape).finish();
        (self.keeper.one_unit, self.inside) = (one_unit, inside);
        let mut again = std::mem::replace(&mut self.first, first);
        let iteration = iteration?;
        if iteration.reverse.is_empty() {
            return Ok((Vec::new(), Vec::new(), Vec::new()));
        }
        again.extend(iteration.forward);
        again.extend(iteration.reverse);
        Ok((again, allocations, frees))
    }
}

/// A condition and what happens where it holds.
pub(crate) trait IntoBranch {
    /// `if (self) then`
    fn into_branch(self, then: Vec<Item>) -> Item;
}

impl IntoBranch for Expr {
    fn into_branch(self, then: Vec<Item>) -> Item {
        Item::branch(self, then, Vec::new())
    }
}
