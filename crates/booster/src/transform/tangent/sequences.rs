//! Tangents of sequences with preaccumulated local Jacobians.
//!
//! Lives here: what preaccumulation must know of a tangent unit, and what becomes of a sequence that was chosen. Which sequences are is decided in
//! [`crate::transform::preaccumulate`].

use super::Writer;
use super::region::Item;
use crate::transform::adjoint::{objects_here, seen_inside, sharing};
use crate::transform::preaccumulate::exposure::{Accesses, Exposed};
use crate::transform::preaccumulate::slots::{self, Pool, Use};
use crate::transform::preaccumulate::{Block, Chosen, Ledger, Preaccumulate, View, is_private};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use xaif::Program;
use xaif::model::{Mode, Stmt, StmtKind, SymbolId, VarRef};

/// What is known of the unit as a whole.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    sharing: FxHashMap<SymbolId, Vec<SymbolId>>,
    exposed: Exposed,
    formals: FxHashSet<SymbolId>,
    inside: FxHashSet<SymbolId>,
    name: String,
    /// Variables for factors that are free.
    pool: Pool,
}

/// What is known of variables behind statements of a block.
struct Behind<'a> {
    accesses: &'a Accesses,
    private: &'a FxHashSet<SymbolId>,
}

/// A sequence with its tangent.
pub(super) struct Part {
    pub statements: Range<usize>,
    pub items: Vec<Item>,
}

impl Writer<'_, '_> {
    /// Looks at the unit, if sequences are asked for at all.
    pub(super) fn survey(&mut self) {
        if self.plan.ledger.when == Preaccumulate::Never {
            return;
        }
        let d = &self.plan.derived[self.at];
        let here = objects_here(self.program, self.plan, d);
        let mut s = Surroundings { sharing: sharing(self.program, self.plan.facts, d.original, &here), ..Surroundings::default() };
        s.formals = self.program.unit(d.original).formals.iter().map(|f| d.copy_of(f.symbol)).collect();
        s.inside = seen_inside(self.program, self.plan, d);
        s.name = self.program.unit_name(d.original).to_string();
        s.exposed = Exposed::of(&self.program.unit(d.unit).graph);
        self.surroundings = s;
    }

    /// The sequences of a block that are accumulated.
    pub(super) fn sequences(&mut self, stmts: &[Box<Stmt>]) -> Vec<Part> {
        if self.plan.ledger.when == Preaccumulate::Never || stmts.is_empty() {
            return Vec::new();
        }
        let mut ledger: Ledger = std::mem::take(&mut self.plan.ledger);
        let accesses = Accesses::of(stmts);
        let mut surroundings = std::mem::take(&mut self.surroundings);
        let name = std::mem::take(&mut surroundings.name);
        let mut block = Block { stmts, at: 0, unit: &name, mode: Mode::Tangent };
        let mut out = Vec::new();
        let private = self.private(stmts, &surroundings);
        while let Some(chosen) =
            self.next_sequence(&mut block, &mut ledger, &surroundings, &Behind { accesses: &accesses, private: &private })
        {
            let Surroundings { pool, sharing, .. } = &mut surroundings;
            out.push(self.written(stmts, chosen, pool, sharing));
        }
        surroundings.name = name;
        self.surroundings = surroundings;
        self.plan.ledger = ledger;
        out
    }

    /// Scalars that the block sets and nothing outside of the unit sees.
    fn private(&self, stmts: &[Box<Stmt>], s: &Surroundings) -> FxHashSet<SymbolId> {
        let program: &Program = self.program;
        let scope = self.plan.derived[self.at].scope;
        let is =
            |x: SymbolId| !s.inside.contains(&x) && !s.formals.contains(&x) && !s.sharing.contains_key(&x) && is_private(program, scope, x);
        let assigned = stmts.iter().filter_map(|s| match &s.kind {
            StmtKind::Assignment { lhs, .. } => Some(lhs.symbol),
            _ => None,
        });
        assigned.filter(|&x| is(x)).collect()
    }

    fn next_sequence(&mut self, block: &mut Block, ledger: &mut Ledger, s: &Surroundings, behind: &Behind) -> Option<Chosen> {
        let d = &self.plan.derived[self.at];
        let (activity, original, scope) = (self.plan.activity, d.original, d.scope);
        let mut view = View {
            program: self.program,
            catalogue: self.plan.catalogue(),
            scope,
            active: &|x| d.companion(x).is_some(),
            suspect: &|x| s.sharing.contains_key(&x),
            overlap: &|a, b| s.sharing.get(&a).is_some_and(|l| l.contains(&b)),
            recorded: false,
            settled: &|_| false,
            takes_part: &|s| activity.step(original, s.step).useful,
            dead: &|x, at| behind.private.contains(&x) && !s.exposed.has(x) && !behind.accesses.read_from(x, at),
        };
        let derivative = |r: &VarRef| d.companion(r.symbol).map(|c| r.with_symbol(c));
        block.next(&mut view, ledger, Some(&derivative))
    }

    fn written(&mut self, stmts: &[Box<Stmt>], chosen: Chosen, pool: &mut Pool, sharing: &FxHashMap<SymbolId, Vec<SymbolId>>) -> Part {
        let first = &stmts[chosen.statements.start];
        let (span, line) = (first.span, first.line);
        let Chosen { statements, mut emitted, mut tail, .. } = chosen.clone();
        emitted.propagation.clear();
        slots::interleave(&mut emitted, &mut tail, &|s| chosen.value(s), &|s| sharing.contains_key(&s));
        let (plan, program, at) = (&mut *self.plan, &mut *self.program, self.at);
        let named = slots::Plan::of(&emitted, &tail, chosen.values()).named(chosen.values(), &mut |request| match request {
            Use::Take(ty) | Use::Keep(ty) | Use::Sum(ty) => pool.take(ty).unwrap_or_else(|| plan.temporary(program, at, "c", ty)),
            Use::Back(ty, s) => pool.back(ty, s),
        });
        named.write(&mut emitted, &mut tail);
        let place = |s: Stmt| Item::Stmt(if s.span.is_known() || s.line > 0 { s } else { Stmt { span, line, ..s } });
        let items = emitted.stmts.into_iter().map(|(s, _)| *s).chain(tail).map(place).collect();
        Part { statements, items }
    }
}
