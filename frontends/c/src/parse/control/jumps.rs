//! Loops and switches that are open, as `break` and `continue` need them.
//!
//! Lives here: the stack of targets and the jumps. Never here: how the constructs are opened and closed.

use crate::parse::context::jump_targets::{Tail, Target};
use crate::parse::context::state::Lower;
use crate::parse::text::refusals::{Res, STATEMENT, refuse};
use lang_c::ast::Statement;
use lang_c::span::Node;
use xaif::model::VarRef;

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
