//! What varies: the forward equations of [`super::solver`].
//!
//! Lives here: one unit, and one call. Never here: the order of units.

use super::active::StepFacts;
use super::solver::Solver;
use crate::analysis::dataflow::bits::Bits;
use crate::analysis::dataflow::equations::solve;
use crate::analysis::program::table::{CallStep, Numbers, Step};
use petgraph::Direction;

impl Solver<'_> {
    /// Varied: solves one unit. Gives whether its exit changed, and the callees whose entries did.
    pub(super) fn forward(&mut self, u: usize, mut facts: Option<&mut Vec<Vec<StepFacts>>>) -> (bool, Vec<usize>) {
        let program = self.program;
        let tables = &self.facts.tables;
        let graph = &program.units[u].graph;
        let none = Bits::none(self.size(u));
        let mut after = vec![none.clone(); graph.node_count()];
        let mut callees = Vec::new();
        let order = &tables[u].order;
        let entry = self.in_parts(u, &self.entry_varied[u]);
        solve(graph, order, Direction::Outgoing, |v| {
            let mut state = if order.first() == Some(&v) { entry.clone() } else { none.clone() };
            for p in graph.neighbors_directed(v, Direction::Incoming) {
                state.join(&after[p.index()]);
            }
            for (k, step) in tables[u].steps[v.index()].iter().enumerate() {
                let varied = self.varied_step(u, (v.index(), k), step, &mut state, &mut callees);
                if let Some(f) = &mut facts {
                    f[v.index()][k].varied = varied;
                }
            }
            let changed = state != after[v.index()];
            after[v.index()] = state;
            changed
        });
        let exit = program.units[u].exit().map(|x| self.in_arrays(u, &after[x.index()]));
        let grew = exit.is_some_and(|e| self.exit_varied[u].join(&e));
        (grew, callees)
    }

    fn varied_step(&mut self, u: usize, at: (usize, usize), step: &Step, state: &mut Bits, callees: &mut Vec<usize>) -> bool {
        match step {
            Step::Assign { carries, perhaps, .. } => {
                let (target, ends, depends) = self.assigned(u, at, step);
                let varied = *carries && depends.iter().any(|&n| state.has(n));
                if varied {
                    self.set(u, state, target);
                } else if ends && !perhaps {
                    state.remove(target);
                }
                varied
            }
            Step::Call(c) => self.varied_call(u, at, c, state, callees),
            // Whatever it computes, it computes from what it reads.
            Step::Opaque { reads, writes, outside } => self.varied_unknown(u, at, (reads, writes, outside), state),
            Step::Test { .. } => false,
        }
    }

    fn varied_call(&mut self, u: usize, at: (usize, usize), c: &CallStep, state: &mut Bits, callees: &mut Vec<usize>) -> bool {
        let Some(callee) = c.callee else {
            let (reads, writes) = super::escapes::touched(c);
            return self.varied_unknown(u, at, (&reads, &writes, &c.outside), state);
        };
        let mut varied = c.args.iter().any(|a| a.depends.iter().any(|&n| state.has(n)));
        let k = callee.index();
        let Some(info) = self.calls[u].get_mut(&at) else { return varied };
        let entering = &mut info.pattern.0;
        entering.clear();
        for a in &c.args {
            if let Some(f) = a.formal.and_then(|f| self.facts.tables[k].formals.get(f)).copied()
                && a.depends.iter().any(|&n| state.has(n))
                && self.facts.tables[k].carries[f as usize]
            {
                entering.push(f);
            }
        }
        for &(_, there) in info.shared.iter().filter(|(here, _)| state.has(*here)) {
            varied = true;
            entering.push(there);
        }
        let mut grew = entering.iter().fold(false, |grew, &n| self.entry_varied[k].insert(n) | grew);
        let (here, there) = (self.parts[u].len() as u32, self.parts[k].len() as u32);
        if state.has(here) || c.outside.reads.iter().any(|&n| state.has(n)) {
            grew |= self.entry_varied[k].insert(there);
        }
        if grew {
            callees.push(k);
        }
        let writes = &self.facts.effects.unit(callee).writes;
        let mut results = Numbers::new();
        for a in &c.args {
            if let (Some(t), Some(f)) = (a.target, a.formal)
                && let Some(formal) = self.program.unit(callee).formals.get(f)
                && writes.contains(&formal.symbol)
                && self.exit_varied[k].has(self.facts.tables[k].formals[f])
            {
                results.push(t.object);
            }
        }
        for &(here, there) in &info.shared {
            if self.exit_varied[k].has(there) && writes.contains(&self.facts.tables[k].objects[there as usize]) {
                results.push(here);
            }
        }
        for &n in &info.effects.kills {
            state.remove(n);
        }
        if self.exit_varied[k].has(there) {
            state.insert(here);
            results.extend_from_slice(&c.outside.writes);
        }
        for n in results {
            varied = true;
            self.set(u, state, n);
        }
        varied
    }
}
