//! Fused loops: each iteration runs forward once more, just before its adjoint.
//!
//! ```text
//! for (i = 0; i < n; i++) { t = sin(x[i]); s += t*t; }
//!                                             ->  for (i = n - 1; i >= 0; i--) { t = sin(x[i]); tb = 2*t*sb; xb[i] += cos(x[i])*tb; }
//! ```
//!
//! Lives here: the code of such loops. Never here: which loops they are (see [`crate::analysis::reversal::fusion`]).

use super::sweeps::{Sweeps, Walk};
use crate::analysis::arrays::counted::range;
use crate::transform::adjoint::code::tree::{Arm, Head, Item, ItemId, ItemKind, LoopKind, NEW, branch_item};
use xaif::model::{BaseType, ForLoop, VarRef};
use xaif::{Diagnostic, types};

impl Walk<'_> {
    /// Both sweeps of a fused loop. `shift` leads to what was decided for the forward sweep.
    ///
    /// # Errors
    /// A value that cannot be kept.
    pub(crate) fn fused(
        &mut self,
        id: ItemId,
        head: Box<Head>,
        f: ForLoop,
        body: Vec<Item>,
        depth: usize,
        shift: ItemId,
    ) -> Result<Sweeps, Diagnostic> {
        let Some(r) = range(self.unit.program(), &f) else {
            return Err(Diagnostic::error("OB4052", "the head of a counted loop does not have the form of one")
                .at(self.unit.program().location(head.span)));
        };
        let mut out = Sweeps::default();
        let mut restores = Vec::new();
        let ahead = self.ahead(&body, shift);
        let (again, mut around, mut frees) = self.one_round(body, depth)?;
        // What an iteration needs of the one before it.
        let (mut records, mut states) = (Vec::new(), Vec::new());
        let state = self.variables(self.decisions.state(id));
        if !state.is_empty() && !again.is_empty() {
            self.tape.enter(self.unit, &r, depth, self.inside > 0);
            for s in state {
                let (save, back) = self.keep(&VarRef::whole(s), depth + 1)?;
                records.extend(save);
                states.splice(0..0, back);
            }
            let (allocations, mut more) = self.tape.leave();
            out.forward.extend(allocations);
            frees.append(&mut more);
        }
        if self.decisions.live(id) {
            for s in self.variables(self.decisions.saved(id)) {
                let (save, back) = self.keep(&VarRef::whole(s), depth)?;
                out.forward.extend(save);
                restores.push(back);
            }
            records.extend(ahead);
            out.forward.push(Item { id: NEW, kind: ItemKind::Loop { head, kind: LoopKind::For(Box::new(f)), body: Box::new(records) } });
        }
        if !again.is_empty() {
            out.reverse.append(&mut around);
            states.extend(again);
            self.iterations(id, &r, states, depth, &mut out)?;
            out.reverse.extend(frees);
        }
        out.reverse.extend(restores.into_iter().rev().flatten());
        Ok(out)
    }

    /// What the forward sweep runs of a loop that is run again: nothing of it is recorded.
    pub(crate) fn ahead(&self, items: &[Item], shift: ItemId) -> Vec<Item> {
        let mut out = Vec::new();
        for item in items.iter().filter(|i| self.decisions.live(i.id + shift)) {
            let kind = match &item.kind {
                ItemKind::Stmt(s) => ItemKind::Stmt(s.clone()),
                ItemKind::Branch { head, condition, arms } => {
                    let arms = arms.iter().map(|a| Arm { values: a.values.clone(), body: self.ahead(&a.body, shift) }).collect();
                    let truth = types::of(self.unit.program(), condition).elem.base == BaseType::Bool;
                    branch_item(head.clone(), (**condition).clone(), arms, truth).kind
                }
                ItemKind::Loop { head, kind, body } => {
                    ItemKind::Loop { head: head.clone(), kind: kind.clone(), body: Box::new(self.ahead(body, shift)) }
                }
            };
            out.push(Item { id: NEW, kind });
        }
        out
    }
}
