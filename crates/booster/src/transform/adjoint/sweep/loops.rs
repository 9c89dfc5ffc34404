//! The reversal of loops.
//!
//! A counted loop whose bounds are the same afterwards runs backward over the same index and records nothing:
//!
//! ```text
//! for i = a, b, c      ->      for i = a + ((b - a + c)/c - 1)*c, a, -c        (c = 1: for i = b, a, -1)
//! ```
//!
//! Any other loop counts its iterations:
//!
//! ```text
//! while (c) { S }      ->      n = 0; while (c) { n = n + 1; S }     ...     for k = 1, n { adjoint of S }
//! ```
//!
//! Lives here: heads of loops. Never here: their bodies.

use super::sweeps::{Sweeps, Walk};
use crate::analysis::arrays::counted::{COUNTER, Range, for_loop, range, strided};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::tree::{Head, Item, ItemId, ItemKind, LoopKind, NEW};
use crate::transform::adjoint::record::sections;
use xaif::model::{Expr, ForLoop, Stmt, SymbolId, VarRef};
use xaif::{Diagnostic, Program};

/// The same iterations in the opposite order.
fn backward(program: &Program, r: &Range, index: SymbolId) -> ForLoop {
    let f = Fold { program };
    let (a, b, c) = (|| r.first.clone(), || r.bound.clone(), || r.stride.clone());
    let last = match r.stride.as_int() {
        Some(1 | -1) => b(),
        _ => f.add(a(), f.mul(f.sub(strided(f, r), Expr::int(1)), c())),
    };
    for_loop(f, index, last, a(), f.neg(c()))
}

impl Walk<'_> {
    pub(crate) fn counted(&mut self, id: ItemId, head: Box<Head>, f: ForLoop, body: Vec<Item>, depth: usize) -> Result<Sweeps, Diagnostic> {
        if let Some(&shift) = self.fused.get(&id) {
            return self.fused(id, head, f, body, depth, shift);
        }
        let Some(r) = range(self.unit.program(), &f) else {
            return Err(Diagnostic::error("OB4052", "the head of a counted loop does not have the form of one")
                .at(self.unit.program().location(head.span)));
        };
        self.tape.enter(self.unit, &r, depth, self.inside > 0);
        let mut inner = self.sequence(body, depth + 1)?;
        let (allocations, frees) = self.tape.leave();
        let mut out = Sweeps { forward: allocations, reverse: Vec::new() };
        let (mut restore, mut behind) = (Vec::new(), Vec::new());
        if self.decisions.live(id) {
            if self.universe.known(r.index).is_some_and(|var| self.decisions.recorded(id, var)) {
                let (save, back) = self.keep(&VarRef::whole(r.index), depth)?;
                out.forward.extend(save);
                restore = back;
            }
            let records = sections::at_once(self.unit, &r, &mut inner.forward, &mut inner.reverse);
            out.forward.extend(records.pushes);
            out.reverse.extend(records.before);
            behind = records.after;
            out.forward
                .push(Item { id: NEW, kind: ItemKind::Loop { head, kind: LoopKind::For(Box::new(f)), body: Box::new(inner.forward) } });
        }
        self.iterations(id, &r, inner.reverse, depth, &mut out)?;
        out.reverse.extend(behind);
        out.reverse.extend(frees);
        out.reverse.extend(restore);
        Ok(out)
    }

    /// The loop of the reverse sweep.
    pub(crate) fn iterations(
        &mut self,
        id: ItemId,
        r: &Range,
        mut body: Vec<Item>,
        depth: usize,
        out: &mut Sweeps,
    ) -> Result<(), Diagnostic> {
        if body.is_empty() {
            return Ok(());
        }
        let kept = self.kept(id, &[]);
        let (save, back) = self.around(&kept, depth)?;
        out.reverse.extend(save);
        // An unsigned index cannot count down past zero.
        let unsigned = self.unit.program().symbol(r.index).has_attribute("unsigned");
        let index = if unsigned { self.unit.temporary("k", COUNTER) } else { r.index };
        if unsigned {
            body.insert(0, Item::stmt(Stmt::assign(VarRef::whole(r.index), Expr::sym(index))));
        }
        let back_head = backward(self.unit.program(), r, index);
        out.reverse.push(Item::repeat(LoopKind::For(Box::new(back_head)), body));
        out.reverse.extend(back);
        Ok(())
    }

    pub(crate) fn tested(
        &mut self,
        _id: ItemId,
        head: Box<Head>,
        kind: LoopKind,
        body: Vec<Item>,
        depth: usize,
    ) -> Result<Sweeps, Diagnostic> {
        self.tape.enter_other();
        let inner = self.sequence(body, depth + 1)?;
        self.tape.leave();
        let mut out = Sweeps::default();
        let mut body = inner.forward;
        let mut after = Vec::new();
        if !inner.reverse.is_empty() {
            let trips = self.unit.temporary("trips", COUNTER);
            let k = self.unit.temporary("k", COUNTER);
            let n = || Expr::sym(trips);
            let start = Item::stmt(Stmt::assign(VarRef::whole(trips), Expr::int(0)));
            // Compilers do not see that the reverse sweep asks for the count only where the loop was reached.
            if depth == 0 && self.inside > 0 {
                self.first.push(start)
            } else {
                out.forward.push(start)
            }
            body.insert(0, Item::stmt(Stmt::assign(VarRef::whole(trips), Expr::op("add_scal_scal", [n(), Expr::int(1)]))));
            let (push, pop) = self.control(trips, depth);
            after = push;
            out.reverse.extend(pop);
            let again = for_loop(Fold { program: self.unit.program() }, k, Expr::int(1), n(), Expr::int(1));
            out.reverse.push(Item::repeat(LoopKind::For(Box::new(again)), inner.reverse));
        }
        if !body.is_empty() {
            out.forward.push(Item { id: NEW, kind: ItemKind::Loop { head, kind, body: Box::new(body) } });
        }
        out.forward.extend(after);
        Ok(out)
    }
}
