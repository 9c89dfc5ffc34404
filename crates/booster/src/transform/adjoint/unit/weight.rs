//! What running and reversing a unit takes, roughly, for whoever has to choose how its calls are reversed.
//!
//! Operations are counted as the to-be-recorded analysis counts them, iterations of loops as [`ITERATIONS`] each, values as one for a scalar or element and
//! for an array as many as it has elements, or as loops over it have iterations. Lives here: counting. Never here: choices (see `transform::choice`).

use super::decisions::Known;
use crate::analysis::reversal::flow::{Step, Var, steps};
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind};
use crate::transform::adjoint::facts::frame::Form;
use crate::transform::adjoint::record::branches;
use crate::transform::adjoint::shape::scalar_elements::extents;
use crate::transform::adjoint::statement::maker::Maker;
pub(crate) use crate::transform::weights::{ITERATIONS, Site, Weight};
use rustc_hash::FxHashMap;
use xaif::model::StmtKind;

impl Maker<'_> {
    /// What the unit takes.
    pub(crate) fn weight(&self, items: &[Item], known: &Known) -> Weight {
        let mut by_number = FxHashMap::default();
        steps(known.flow, &mut by_number);
        let mut out = Weight { pair: self.form == Form::Split, ..Weight::default() };
        // A pair keeps the locals that its reverse sweep reads.
        let local = |v: &&Var| known.universe.symbols.get(**v as usize).is_some_and(|s| !self.is_seen_outside(*s));
        out.records = known.decisions.at_end.iter().filter(local).map(|v| self.values(known, *v)).sum();
        self.weigh(items, known, &by_number, 1, &mut out);
        out
    }

    fn values(&self, known: &Known, v: Var) -> u64 {
        let Some(&s) = known.universe.symbols.get(v as usize) else { return 1 };
        let rank = u32::from(self.program.symbol(s).rank);
        match extents(&self.program.symbols, s).filter(|list| !list.is_empty()) {
            Some(list) => list.into_iter().map(|(l, u)| u.saturating_sub(l).saturating_add(1).max(0) as u64).fold(1, u64::saturating_mul),
            None => ITERATIONS.saturating_pow(rank),
        }
    }

    fn weigh(&self, items: &[Item], known: &Known, steps: &FxHashMap<ItemId, &Step>, iterations: u64, out: &mut Weight) {
        let d = known.decisions;
        for item in items {
            match &item.kind {
                ItemKind::Stmt(s) => {
                    let Some(step) = steps.get(&item.id) else { continue };
                    let recorded = step.writes.iter().filter(|w| d.recorded(item.id, w.var));
                    let size = |whole: bool, v: Var| if whole { self.values(known, v) } else { 1 };
                    if let StmtKind::Call(c) = &s.kind {
                        let snapshot = known.overwritten.snapshot(item.id).iter().map(|&v| self.values(known, v)).sum();
                        let overwritten = recorded.map(|w| size(w.place.is_empty(), w.var)).sum();
                        let (callee, span, live, adjoint) = (c.callee, s.span, d.live(item.id), step.adjoint);
                        out.calls.push(Site { callee, span, iterations, live, snapshot, overwritten, adjoint });
                        continue;
                    }
                    let spent = if iterations > 1 { step.spent().len() as u64 } else { 0 };
                    let values: u64 = recorded.map(|w| size(w.place.is_empty(), w.var)).sum::<u64>() + spent;
                    let work = iterations.saturating_mul(u64::from(step.cost));
                    out.own = out.own.saturating_add(work);
                    out.again = out.again.saturating_add(if d.live(item.id) { work } else { 0 });
                    out.records = out.records.saturating_add(iterations.saturating_mul(values));
                }
                ItemKind::Branch { arms, .. } => {
                    if d.reversed(item.id) && known.branches.get(&item.id) == Some(&branches::Decision::Kept) {
                        out.records = out.records.saturating_add(iterations);
                    }
                    arms.iter().for_each(|a| self.weigh(&a.body, known, steps, iterations, out));
                }
                ItemKind::Loop { body, .. } => self.weigh(body, known, steps, iterations.saturating_mul(ITERATIONS), out),
            }
        }
    }
}
