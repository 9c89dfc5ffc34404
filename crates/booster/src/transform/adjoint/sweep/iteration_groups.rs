//! Iterations of a checkpointed loop that are recorded together.
//!
//! ```text
//! do i = 1, n                      iterations = n
//!   u = step(u, x(i))      ->      do k = 0, iterations - 1, 32                    reversed from snapshots
//! end do                             do i = 1 + k, k + min(32, iterations - k)     recorded
//!                                      u = step(u, x(i))
//!                                    end do
//!                                  end do
//! ```
//!
//! Where the records of some iterations take no more room than as many snapshots, fewer iterations are run for the same room, unless adjoints need nothing but what
//! iterations start from. A loop that is not counted tests its condition in both loops.
//!
//! Lives here: this one rewriting, and what is known of the iterations of an inner loop. Never here: snapshots (see `checkpoints`).

use super::checkpoints::{index_of, narrowed};
use crate::analysis::arrays::counted::{COUNTER, Range, for_loop, range, trips};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind, NEW, set};
use crate::transform::adjoint::statement::maker::Maker;
use arcstr::ArcStr;
use xaif::model::{BoolOp, Expr};

/// A loop around groups of iterations, and the loop over one of them.
struct Groups {
    /// In front of the outer loop.
    before: Vec<Item>,
    outer: LoopKind,
    /// In front of the inner loop.
    start: Vec<Item>,
    inner: LoopKind,
    /// In front of each iteration, and behind it.
    iteration: [Vec<Item>; 2],
}

impl Maker<'_> {
    /// The code with a loop in each loop whose iterations are to be recorded several at a time. Bounds of counted loops must stay.
    pub(crate) fn grouped(&mut self, items: Vec<Item>) -> Vec<Item> {
        let mut out = Vec::with_capacity(items.len());
        for mut item in items {
            match &mut item.kind {
                ItemKind::Stmt(_) => {}
                ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| a.body = self.grouped(std::mem::take(&mut a.body))),
                ItemKind::Loop { body, .. } => **body = self.grouped(std::mem::take(body)),
            }
            let ItemKind::Loop { head, kind, body } = item.kind else {
                out.push(item);
                continue;
            };
            let every = head.checkpoint.map(|s| i64::from(s.every)).filter(|&n| n > 1);
            let (kind, body) = match every.and_then(|n| self.groups(&kind, n)) {
                None => (kind, body),
                Some(g) => {
                    let mut inner = head.clone();
                    inner.checkpoint = None;
                    inner.comment = ArcStr::new();
                    let [mut iteration, end] = g.iteration;
                    iteration.extend(*body);
                    iteration.extend(end);
                    let mut group = g.start;
                    group.push(Item { id: NEW, kind: ItemKind::Loop { head: inner, kind: g.inner, body: Box::new(iteration) } });
                    out.extend(g.before);
                    (g.outer, Box::new(group))
                }
            };
            out.push(Item { id: item.id, kind: ItemKind::Loop { head, kind, body } });
        }
        out
    }

    /// `None`: a counted loop whose head does not have the form of one, which is refused later.
    fn groups(&mut self, kind: &LoopKind, every: i64) -> Option<Groups> {
        match kind {
            LoopKind::For(f) => range(self.program, f).map(|r| self.counted_groups(&r, every)),
            LoopKind::While(c) => Some(self.tested_groups(c, every, LoopKind::While)),
            LoopKind::Until(c) => Some(self.tested_groups(c, every, LoopKind::Until)),
        }
    }

    fn counted_groups(&mut self, r: &Range, every: i64) -> Groups {
        let index = self.program.symbol(r.index);
        let unsigned = index.has_attribute("unsigned");
        // As wide as the index where iterations are no more than its values, and a group is not more than fits into it.
        let narrow = matches!(index.ty.bits, 8 | 16);
        let ty = if matches!(r.stride.as_int(), Some(1 | -1)) && !unsigned && !narrow { index.ty } else { COUNTER };
        let done = self.namer.add(self.program, "done", ty);
        let count = trips(Fold { program: self.program }, r);
        // An index that the loop never sets is where it starts.
        let mut before = vec![set(r.index, r.first.clone())];
        let count = if count.nodes.len() > 3 {
            let iterations = self.namer.add(self.program, "iterations", ty);
            before.push(set(iterations, count));
            Expr::sym(iterations)
        } else {
            count
        };
        let f = Fold { program: self.program };
        let narrow = |e: Expr| if ty == COUNTER { narrowed(self.program, r.index, e) } else { e };
        let some = Expr::op("min_scal_scal", [Expr::int(every), f.sub(count.clone(), Expr::sym(done))]);
        let ahead = f.sub(narrow(some), Expr::int(1));
        let outer = LoopKind::For(Box::new(for_loop(f, done, Expr::int(0), f.sub(count, Expr::int(1)), Expr::int(every))));
        let (inner, iteration) = if unsigned {
            // Below zero is no bound for it.
            let k = self.namer.add(self.program, "k", COUNTER);
            let f = Fold { program: self.program };
            let next = f.add(Expr::sym(r.index), r.stride.clone());
            let last = Expr::op("add_scal_scal", [Expr::sym(done), ahead]);
            (for_loop(f, k, Expr::sym(done), last, Expr::int(1)), [vec![index_of(f, r, k)], vec![set(r.index, next)]])
        } else {
            let first = f.add(r.first.clone(), f.mul(narrow(Expr::sym(done)), r.stride.clone()));
            let bound = match r.stride.as_int() {
                Some(-1) => Expr::op("sub_scal_scal", [first.clone(), ahead]),
                _ => Expr::op("add_scal_scal", [first.clone(), f.mul(ahead, r.stride.clone())]),
            };
            (for_loop(f, r.index, first, bound, r.stride.clone()), [Vec::new(), Vec::new()])
        };
        Groups { before, outer, start: Vec::new(), inner: LoopKind::For(Box::new(inner)), iteration }
    }

    fn tested_groups(&mut self, condition: &Expr, every: i64, kind: fn(Box<Expr>) -> LoopKind) -> Groups {
        let left = self.namer.add(self.program, "left", COUNTER);
        let f = Fold { program: self.program };
        let some = Expr::boolean(BoolOp::GreaterThan, [Expr::sym(left), Expr::int(0)]);
        let both = Expr::boolean(BoolOp::And, [some, condition.clone()]);
        Groups {
            before: Vec::new(),
            outer: kind(Box::new(condition.clone())),
            start: vec![set(left, Expr::int(every))],
            inner: kind(Box::new(both)),
            iteration: [vec![set(left, f.sub(Expr::sym(left), Expr::int(1)))], Vec::new()],
        }
    }
}
