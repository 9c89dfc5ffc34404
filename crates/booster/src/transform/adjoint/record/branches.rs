//! How branches are reversed: the condition is evaluated again, or which way it went is recorded.
//!
//! Lives here: the choice. Never here: code.

use super::invariants::{Around, Steady};
use super::recomputed::{RECORD, Renewed, cost};
use crate::analysis::arrays::counted::range;
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind, last_id};
use crate::transform::adjoint::variables::resized::Resized;
use rustc_hash::FxHashMap;
use xaif::Program;

/// How a branch is reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Its condition is evaluated again.
    Recomputed,
    /// It is kept.
    Kept,
}

/// Chooses how branches are reversed: a condition is evaluated again where its operands have the same values then, or where adjoints read these
/// values in any case.
pub(crate) struct Branches<'a> {
    pub program: &'a Program,
    pub steady: &'a Steady<'a>,
    pub resized: &'a Resized,
    pub renewed: &'a Renewed,
    pub chosen: FxHashMap<ItemId, Decision>,
}

impl Branches<'_> {
    pub fn choose(&mut self, items: &[Item], around: &Around) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(_) => {}
                ItemKind::Branch { condition, arms, .. } => {
                    let mut read = Vec::new();
                    self.resized.operands(self.program, condition, &mut read);
                    let inside = (item.id, last_id(item));
                    // What asks whether there is memory reads no value of it.
                    let quick = cost(condition) <= RECORD;
                    let at_hand = |s| self.steady.stays(s, inside, around) || quick && self.steady.is_needed(s, inside);
                    let again = read.into_iter().all(|s| self.renewed.contains(s) || at_hand(s));
                    self.chosen.insert(item.id, if again { Decision::Recomputed } else { Decision::Kept });
                    for arm in &**arms {
                        self.choose(&arm.body, around);
                    }
                }
                ItemKind::Loop { kind, body, .. } => {
                    let index = match kind {
                        LoopKind::For(f) => range(self.program, f).map(|r| r.index),
                        _ => None,
                    };
                    self.choose(body, &around.inside((item.id, last_id(item)), index));
                }
            }
        }
    }
}
