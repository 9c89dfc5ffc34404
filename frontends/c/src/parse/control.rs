//! Loops and switches that are open, as `break` and `continue` need them.
//!
//! Lives here: the stack of targets and the jumps. Never here: how the constructs are opened and closed.

use super::lower::Lower;
use super::refusal::{Res, STATEMENT, refuse};
use lang_c::ast::{Expression, Statement};
use lang_c::span::Node;
use xaif::model::{SymbolId, VarRef};

/// What must be done before control goes back to the head of a loop.
#[derive(Clone, Debug)]
pub(crate) enum Tail<'a> {
    /// The step of a `for` that became a `while`.
    Effect(&'a Node<Expression>),
    /// The condition is computed into this variable.
    Condition(&'a Node<Expression>, SymbolId),
}

/// A construct that `break` leaves.
#[derive(Clone, Debug)]
pub(crate) enum Target<'a> {
    Loop {
        tail: Vec<Tail<'a>>,
        /// Arrays of late extent that were there outside.
        late: usize,
    },
    /// A switch, with the number of branches that were open outside.
    Switch {
        branches: usize,
        /// And of blocks.
        blocks: usize,
        late: usize,
    },
}

impl<'a> Lower<'a> {
    /// Does what a loop does before control goes back to its head.
    pub fn tail(&mut self, tail: &[Tail<'a>]) -> Res<()> {
        for t in tail {
            match t {
                Tail::Effect(e) => self.full(e, |l, e| l.effect(e))?,
                Tail::Condition(e, symbol) => {
                    let c = self.full(e, |l, e| l.condition(e))?;
                    self.emit_assignment(VarRef::whole(*symbol), c, e.span);
                }
            }
        }
        Ok(())
    }

    /// `break`
    pub fn break_(&mut self, s: &Node<Statement>) -> Res<()> {
        match self.body().targets.last().cloned() {
            Some(Target::Loop { late, .. }) => {
                self.free_late_arrays(late);
                self.body().builder.jump_break(0);
            }
            Some(Target::Switch { branches, late, .. }) => {
                self.free_late_arrays(late);
                let outward = self.body.as_ref().map_or(0, |b| b.branches.saturating_sub(branches + 1));
                self.body().builder.jump_break_branch(outward);
            }
            None => return refuse(STATEMENT, s, "`break` outside of a loop or switch"),
        }
        Ok(())
    }

    /// `continue`
    pub fn continue_(&mut self, s: &Node<Statement>) -> Res<()> {
        let tail = self.body().targets.iter().rev().find_map(|t| match t {
            Target::Loop { tail, late } => Some((tail.clone(), *late)),
            Target::Switch { .. } => None,
        });
        let Some((tail, late)) = tail else { return refuse(STATEMENT, s, "`continue` outside of a loop") };
        self.free_late_arrays(late);
        self.tail(&tail)?;
        self.body().builder.jump_continue(0);
        Ok(())
    }
}
