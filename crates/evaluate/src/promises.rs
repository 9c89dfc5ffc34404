//! Whether iterations of a loop depend on each other: the check of what a user promises of a parallel loop.
//!
//! For each element that a promised loop touches it is noted which iterations read it before they set it, which set it, and which only add to it.
//! A promise is broken where one iteration reads what another one sets or adds to, or sets what another one adds to:
//!
//! ```text
//! a(i) = a(i - 1) + 1        broken: an iteration reads what the one before has set
//! t = x(i);  s = s + t*t     kept: t is set by each iteration before it is read, s is only added to
//! p = p*x(i)                 broken: a product is no sum
//! ```
//!
//! Lives here: when notes are taken ([`super::iterations`] has them). Never here: what statements compute.

use super::arrays::View;
use super::data::{Inputs, Limits, Sweep};
use super::fault::Fault;
use super::iterations::{Access, Broken, Loop, MAX_LOOPS};
use super::machine::Machine;
use super::scalar::Scalar;
use xaif::model::{Expr, IndexOrder, NodeKind, Program, Span, UnitId, VarRef, VertexId};

/// Runs a unit and looks whether all promised loops keep their promise: those that do not, each once.
///
/// # Errors
/// As [`super::run`].
pub fn broken<S: Scalar>(program: &Program, unit: UnitId, inputs: &Inputs<S>, limits: &Limits) -> Result<Vec<Broken>, Fault> {
    let mut machine = Machine::new(program, *limits);
    machine.iterations = Some(Box::default());
    match machine.execute(unit, inputs, &[Sweep::Plain]) {
        Ok(_) => {
            let mut found: Vec<Broken> = Vec::new();
            for b in machine.iterations.map(|r| r.into_inner().broken).unwrap_or_default() {
                if !found.iter().any(|f| (f.unit, f.head) == (b.unit, b.head)) {
                    found.push(b);
                }
            }
            Ok(found)
        }
        Err(f) => Err(machine.placed(f)),
    }
}

/// True for a program with promised loops.
pub fn promised(program: &Program) -> bool {
    program.units.iter().any(|u| u.graph.node_weights().any(|v| v.parallel))
}

impl<'p, S: Scalar> Machine<'p, S> {
    /// A promised loop starts, or its next iteration.
    pub(super) fn begin_iteration(&mut self, vertex: VertexId, head: Span, again: bool) {
        let (Some(iterations), Some(frame)) = (&self.iterations, self.frames.last()) else { return };
        let mut iterations = iterations.borrow_mut();
        // The step of the index reads it, but carries nothing.
        iterations.silent = again;
        let (unit, number) = (frame.unit, frame.number);
        let same = |l: &Loop| (l.frame, l.vertex) == (number, vertex);
        if again {
            if let Some(l) = iterations.active.last_mut().filter(|l| same(l)) {
                l.iteration += 1;
            }
        } else if iterations.active.len() < MAX_LOOPS {
            iterations.active.push(Loop::new(unit, number, vertex, head));
        }
    }

    /// The head of a promised loop has set its index.
    pub(super) fn index_set(&mut self, index: &'p VarRef) -> Result<(), Fault> {
        if self.iterations.is_none() {
            return Ok(());
        }
        let view = self.view(index)?;
        if let Some(iterations) = &self.iterations {
            iterations.borrow_mut().silent = false;
        }
        self.note_set(&view, false);
        Ok(())
    }

    /// A promised loop has ended.
    pub(super) fn end_iterations(&mut self, vertex: VertexId) {
        let (Some(iterations), Some(frame)) = (&self.iterations, self.frames.last()) else { return };
        let mut iterations = iterations.borrow_mut();
        if iterations.active.last().is_some_and(|l| (l.frame, l.vertex) == (frame.number, vertex)) {
            iterations.active.pop();
        }
    }

    /// Before an assignment; true where it adds to what it sets.
    pub(super) fn before_iterations(&mut self, lhs: &'p VarRef, rhs: &'p Expr, span: Span, text: &str) -> Result<bool, Fault> {
        let watching = self.iterations.as_ref().is_some_and(|r| !r.borrow().active.is_empty());
        if !watching {
            return Ok(false);
        }
        let adds = is_sum(lhs, rhs);
        let elements = if adds {
            let view = self.view(lhs)?;
            positions(&view, self.program.index_order).into_iter().map(|p| (view.object, p)).collect()
        } else {
            Vec::new()
        };
        if let Some(iterations) = &self.iterations {
            let mut iterations = iterations.borrow_mut();
            iterations.at = (span, text.to_owned());
            iterations.adding = elements;
        }
        Ok(adds)
    }

    /// Elements were read.
    pub(super) fn note_read(&self, view: &View) {
        let Some(iterations) = self.iterations.as_deref().filter(|_| !view.deriv) else { return };
        let mut iterations = iterations.borrow_mut();
        if iterations.active.is_empty() || iterations.silent {
            return;
        }
        for p in positions(view, self.program.index_order) {
            match iterations.adding.iter().position(|&a| a == (view.object, p)) {
                Some(k) => {
                    iterations.adding.swap_remove(k);
                }
                None => iterations.note(view.object, p, Access::Read),
            }
        }
    }

    /// Elements were set, or added to.
    pub(super) fn note_set(&self, view: &View, added: bool) {
        let Some(iterations) = self.iterations.as_deref().filter(|_| !view.deriv) else { return };
        let mut iterations = iterations.borrow_mut();
        if iterations.active.is_empty() || iterations.silent {
            return;
        }
        let access = if added { Access::Add } else { Access::Set };
        for p in positions(view, self.program.index_order) {
            iterations.note(view.object, p, access);
        }
    }
}

fn positions(view: &View, order: IndexOrder) -> Vec<i64> {
    if view.steps.is_empty() { vec![view.base] } else { view.positions(order) }
}

/// `s = s + e`, `s = e + s`, `s = s - e`, and sums of them; `e` may be anything.
fn is_sum(lhs: &VarRef, rhs: &Expr) -> bool {
    let mut at = rhs.root();
    // Each step goes to an operand, which stands before its operator.
    for _ in 0..rhs.nodes.len() {
        let NodeKind::Op(op) = &at.kind else { return false };
        let sum = op.name.starts_with("add_");
        if !sum && !op.name.starts_with("sub_") {
            return false;
        }
        let operands: Vec<_> = at.operands.iter().take(if sum { 2 } else { 1 }).filter_map(|o| rhs.nodes.get(o.index())).collect();
        let is_lhs =
            |n: &&xaif::model::Node| matches!(&n.kind, NodeKind::Var(r) if r.symbol == lhs.symbol && r.subscripts == lhs.subscripts);
        if operands.iter().any(is_lhs) {
            return true;
        }
        let inner =
            operands.into_iter().find(|n| matches!(&n.kind, NodeKind::Op(o) if o.name.starts_with("add_") || o.name.starts_with("sub_")));
        let Some(inner) = inner else { return false };
        at = inner;
    }
    false
}
