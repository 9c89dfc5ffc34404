//! What was decided for the adjoint of a unit, for whoever asks: [`crate::facts::Reversal`].
//!
//! Lives here: names and lines for the numbers of the analyses. Never here: decisions.

use crate::analysis::reversal::decisions::{Decisions, Shifts};
use crate::analysis::reversal::flow::{Flow, Overlaps, Step, Var, steps};
use crate::analysis::reversal::overwritten::Overwritten;
use crate::analysis::reversal::reasons::{Reasons, reasons};
use crate::facts::{Decided, Record, Reversal};
use crate::notation;
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind};
use crate::transform::adjoint::facts::frame::Form;
use crate::transform::adjoint::record::branches::Decision;
use crate::transform::adjoint::record::universe::Universe;
use crate::transform::adjoint::statement::maker::Maker;
use rustc_hash::FxHashMap;
use xaif::model::StmtKind;

/// All that is known when the sweeps are about to be made.
pub(crate) struct Known<'a> {
    pub flow: &'a [Flow],
    pub decisions: &'a Decisions,
    pub fused: &'a Shifts,
    pub overlaps: &'a Overlaps,
    pub overwritten: &'a Overwritten,
    pub universe: &'a Universe,
    pub branches: &'a FxHashMap<ItemId, Decision>,
}

fn lines(items: &[Item], out: &mut FxHashMap<ItemId, u32>) {
    for item in items {
        match &item.kind {
            ItemKind::Stmt(s) => {
                out.insert(item.id, notation::line(s.span, s.line));
            }
            ItemKind::Branch { head, arms, .. } => {
                out.insert(item.id, notation::line(head.span, 0));
                arms.iter().for_each(|a| lines(&a.body, out));
            }
            ItemKind::Loop { head, body, .. } => {
                out.insert(item.id, notation::line(head.span, 0));
                lines(body, out);
            }
        }
    }
}

struct Teller<'a> {
    maker: &'a Maker<'a>,
    known: &'a Known<'a>,
    steps: FxHashMap<ItemId, &'a Step>,
    lines: FxHashMap<ItemId, u32>,
    reasons: Reasons,
    out: Vec<Decided>,
}

impl Maker<'_> {
    /// What was decided.
    pub(crate) fn decided(&self, items: &[Item], known: &Known) -> Reversal {
        let mut t = Teller {
            maker: self,
            known,
            steps: FxHashMap::default(),
            lines: FxHashMap::default(),
            reasons: reasons(known.flow, known.decisions, known.fused, known.overlaps),
            out: Vec::new(),
        };
        steps(known.flow, &mut t.steps);
        lines(items, &mut t.lines);
        t.sequence(items);
        let d = known.decisions;
        let outside = |v: &Var| known.universe.symbols.get(*v as usize).is_some_and(|s| self.is_seen_outside(*s));
        let visible = |list: &mut dyn Iterator<Item = Var>| -> Vec<Var> { list.filter(outside).collect() };
        Reversal {
            unit: String::new(),
            form: if self.form == Form::Joint { "joint" } else { "split" },
            necessary: t.names(&visible(&mut d.on_entry.iter().copied())),
            overwritten: t.names(&visible(&mut known.overwritten.all.iter())),
            required_at_end: t.names(&d.at_end),
            statements: t.out,
        }
    }
}

impl Teller<'_> {
    fn names(&self, vars: &[Var]) -> Vec<String> {
        let mut out: Vec<String> = vars
            .iter()
            .filter_map(|v| self.known.universe.symbols.get(*v as usize))
            .map(|&s| self.maker.program.symbol(s).name.to_string())
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    fn records(&self, id: ItemId, vars: &[Var]) -> Vec<Record> {
        let mut out: Vec<Record> = Vec::new();
        for &v in vars {
            let why = self.reasons.get(&(id, v)).into_iter().flatten();
            let mut needed_by: Vec<u32> = why.filter_map(|i| self.lines.get(i).copied()).collect();
            needed_by.sort_unstable();
            needed_by.dedup();
            let variable = self.names(&[v]).pop().unwrap_or_default();
            if out.iter().all(|r| r.variable != variable) {
                out.push(Record { variable, needed_by });
            }
        }
        out.sort_by(|a, b| a.variable.cmp(&b.variable));
        out
    }

    fn sequence(&mut self, items: &[Item]) {
        for item in items {
            let id = item.id;
            let d = self.known.decisions;
            let mut own = Decided {
                line: self.lines.get(&id).copied().unwrap_or(0),
                executed: d.live(id),
                reversed: d.reversed(id),
                kept: self.records(id, d.kept(id)),
                ..Decided::default()
            };
            match &item.kind {
                ItemKind::Stmt(s) => {
                    own.kind = "statement";
                    own.text = notation::statement(self.maker.program, s);
                    if let Some(step) = self.steps.get(&id).copied() {
                        let recorded: Vec<Var> = step.writes.iter().map(|w| w.var).filter(|&v| d.recorded(id, v)).collect();
                        own.recorded = self.records(id, &recorded);
                        own.needs = self.names(&[&step.needs[..], step.after()].concat());
                        if matches!(s.kind, StmtKind::Call(_)) {
                            own.kind = "call";
                            // A pair records in the callee what it needs.
                            own.snapshot = (step.adjoint && !step.restores).then(|| self.names(self.known.overwritten.snapshot(id)));
                        }
                    }
                    self.out.push(own);
                }
                ItemKind::Branch { head, condition, arms } => {
                    own.kind = "branch";
                    own.text =
                        if head.text.is_empty() { notation::expression(self.maker.program, condition) } else { head.text.to_string() };
                    let again = self.known.branches.get(&id) == Some(&Decision::Recomputed);
                    own.control = d.reversed(id).then_some(if again { "computed again" } else { "recorded" });
                    self.out.push(own);
                    arms.iter().for_each(|a| self.sequence(&a.body));
                }
                ItemKind::Loop { head, kind, body } => {
                    own.text = head.text.to_string();
                    own.kind = if matches!(kind, LoopKind::For(_)) { "counted loop" } else { "loop" };
                    let fused = self.known.fused.contains_key(&id);
                    let counted = matches!(kind, LoopKind::For(_));
                    own.control = d.reversed(id).then_some(if fused {
                        "fused"
                    } else if counted {
                        "computed again"
                    } else {
                        "recorded"
                    });
                    let index = match kind {
                        LoopKind::For(f) => match &f.init.kind {
                            StmtKind::Assignment { lhs, .. } => self.known.universe.known(lhs.symbol),
                            _ => None,
                        },
                        _ => None,
                    };
                    let index = index.filter(|&i| d.recorded(id, i));
                    let recorded: Vec<Var> = d.saved(id).iter().chain(d.state(id)).copied().chain(index).collect();
                    own.recorded = self.records(id, &recorded);
                    self.out.push(own);
                    self.sequence(body);
                }
            }
        }
    }
}
