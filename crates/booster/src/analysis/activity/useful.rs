//! What is useful: the backward equations of [`super::solver`].
//!
//! Lives here: one unit, and one call. Never here: the order of units.

use super::active::StepFacts;
use super::solver::Solver;
use crate::analysis::dataflow::bits::Bits;
use crate::analysis::dataflow::equations::solve;
use crate::analysis::program::table::{CallStep, Numbers, Step};
use petgraph::Direction;

impl Solver<'_> {
    /// Useful: solves one unit. Gives whether its entry changed, and the callees whose exits did.
    pub(super) fn backward(&mut self, u: usize, mut facts: Option<&mut Vec<Vec<StepFacts>>>) -> (bool, Vec<usize>) {
        let program = self.program;
        let tables = &self.facts.tables;
        let graph = &program.units[u].graph;
        let exit = program.units[u].exit();
        let none = Bits::none(self.size(u));
        let mut before = vec![none.clone(); graph.node_count()];
        let mut callees = Vec::new();
        let last = self.in_parts(u, &self.exit_useful[u]);
        solve(graph, &tables[u].order, Direction::Incoming, |v| {
            let mut state = if Some(v) == exit { last.clone() } else { none.clone() };
            for s in graph.neighbors_directed(v, Direction::Outgoing) {
                state.join(&before[s.index()]);
            }
            for (k, step) in tables[u].steps[v.index()].iter().enumerate().rev() {
                let useful = self.useful_step(u, (v.index(), k), step, &mut state, &mut callees);
                if let Some(f) = &mut facts {
                    f[v.index()][k].useful = useful;
                }
            }
            let changed = state != before[v.index()];
            before[v.index()] = state;
            changed
        });
        let at_entry = tables[u].order.first().map(|e| self.in_arrays(u, &before[e.index()]));
        let grew = at_entry.is_some_and(|e| self.entry_useful[u].join(&e));
        (grew, callees)
    }

    fn useful_step(&mut self, u: usize, at: (usize, usize), step: &Step, state: &mut Bits, callees: &mut Vec<usize>) -> bool {
        match step {
            Step::Assign { carries, perhaps, .. } => {
                let (target, ends, depends) = self.assigned(u, at, step);
                let useful = *carries && state.has(target);
                if useful {
                    if ends && !perhaps {
                        state.remove(target);
                    }
                    for n in depends {
                        self.set(u, state, n);
                    }
                }
                useful
            }
            Step::Call(c) => self.useful_call(u, at, c, state, callees),
            Step::Opaque { reads, writes, outside } => self.useful_unknown(u, at, (reads, writes, outside), state),
            Step::Test { .. } => false,
        }
    }

    fn useful_call(&mut self, u: usize, at: (usize, usize), c: &CallStep, state: &mut Bits, callees: &mut Vec<usize>) -> bool {
        let Some(callee) = c.callee else {
            let (reads, writes) = super::escapes::touched(c);
            return self.useful_unknown(u, at, (&reads, &writes, &c.outside), state);
        };
        let k = callee.index();
        let writes = &self.facts.effects.unit(callee).writes;
        let Some(info) = self.calls[u].get_mut(&at) else { return false };
        let leaving = &mut info.pattern.1;
        leaving.clear();
        for a in &c.args {
            if let (Some(t), Some(f)) = (a.target, a.formal)
                && state.has(t.object)
                && let Some(formal) = self.program.unit(callee).formals.get(f)
                && writes.contains(&formal.symbol)
            {
                leaving.push(self.facts.tables[k].formals[f]);
            }
        }
        for &(here, there) in &info.shared {
            if state.has(here) && writes.contains(&self.facts.tables[k].objects[there as usize]) {
                leaving.push(there);
            }
        }
        let useful = !leaving.is_empty();
        let mut grew = leaving.iter().fold(false, |grew, &n| self.exit_useful[k].insert(n) | grew);
        let (here, there) = (self.parts[u].len() as u32, self.parts[k].len() as u32);
        if state.has(here) || c.outside.writes.iter().any(|&n| state.has(n)) {
            grew |= self.exit_useful[k].insert(there);
        }
        if grew {
            callees.push(k);
        }
        let mut wanted = Numbers::new();
        for a in &c.args {
            if let Some(f) = a.formal.and_then(|f| self.facts.tables[k].formals.get(f))
                && self.entry_useful[k].has(*f)
            {
                wanted.extend_from_slice(&a.depends);
            }
        }
        for &(here, there) in &info.shared {
            if self.entry_useful[k].has(there) {
                wanted.push(here);
            }
        }
        for &n in &info.effects.kills {
            state.remove(n);
        }
        if self.entry_useful[k].has(there) {
            state.insert(here);
            wanted.extend_from_slice(&c.outside.reads);
        }
        for n in wanted {
            self.set(u, state, n);
        }
        useful
    }
}
