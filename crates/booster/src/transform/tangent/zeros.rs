//! Derivatives that are zero on entry.
//!
//! A local derivative is written wherever its variable is written, so it needs no initial value unless the variable has one,
//! may be read first, or is written by something that knows nothing of derivatives. Never here: statements that have a tangent.

use super::Writer;
use crate::analysis::program::table::Step;
use crate::transform::follow;
use crate::transform::region::Item;
use rustc_hash::FxHashSet;
use xaif::model::{Bound, Mode, Storage, SymbolId, VarRef};
use xaif::{Diagnostic, Program};

impl Writer<'_, '_> {
    /// The original's symbol of a variable of the tangent unit.
    pub(super) fn original_of(&self, symbol: SymbolId) -> SymbolId {
        self.plan.derived[self.at].original_of(symbol)
    }

    /// True where something writes the variable without taking its derivative along (which is zero then, or no path needs it).
    pub(super) fn has_silent_writes(&mut self, symbol: SymbolId) -> bool {
        let original = self.plan.derived[self.at].original;
        let table = &self.plan.facts.tables[original.index()];
        let wanted = self.plan.facts.objects.canonical(self.original_of(symbol));
        let Some(n) = table.number(wanted) else { return false };
        if self.silently_written.is_none() {
            let mut set = FxHashSet::default();
            for step in table.steps.iter().flatten() {
                match step {
                    Step::Opaque { writes, .. } => set.extend(writes.iter().copied()),
                    Step::Call(c) => {
                        let writes = self.plan.facts.effects.of_call(self.program, table, c).writes;
                        for a in &c.args {
                            let taken =
                                c.callee.zip(a.formal).is_some_and(|(u, f)| self.plan.takes_derivative(self.program, u, Mode::Tangent, f));
                            set.extend(a.target.map(|t| t.object).filter(|o| !taken && writes.contains(o)));
                        }
                    }
                    _ => {}
                }
            }
            self.silently_written = Some(set);
        }
        self.silently_written.as_ref().is_some_and(|s| s.contains(&n))
    }

    /// Assignments of zero at the start of the unit.
    pub(super) fn on_entry(&mut self) -> Vec<Item> {
        let mut out = Vec::new();
        let d = &self.plan.derived[self.at];
        let original = d.original;
        let table = &self.plan.facts.tables[original.index()];
        let exposed = self.plan.facts.effects.exposed_numbers(self.program, original, table);
        let head = d.head.map(|h| self.plan.heads[h].clone());
        let own = d.own().to_vec();
        for (primal, companion) in own {
            let symbol = self.program.symbol(primal);
            let (rank, decl) = (symbol.rank, symbol.decl.clone().unwrap_or_default());
            let allocated = symbol.has_attribute("heap") || symbol.has_attribute("allocatable");
            let argument = decl.storage == Storage::Argument;
            let number = table.number(self.plan.facts.objects.canonical(self.original_of(primal)));
            let read_first = rank == 0 && number.is_some_and(|n| exposed.has(n));
            let initial = decl.init.is_some() || !decl.init_text.is_empty();
            if argument || (!allocated && (read_first || initial || self.has_silent_writes(primal))) {
                out.push(Item::Stmt(self.zero(VarRef::whole(companion))));
            }
        }
        let Some(head) = head else { return out };
        let effects = self.plan.facts.effects.unit(original);
        let d = self.plan.derived[self.at].clone();
        // Dependents that do not depend.
        for &y in &head.dependents {
            let canonical = self.plan.facts.objects.canonical(y);
            let copy = d.copy_of(y);
            if !self.plan.activity.is_active(original, y)
                && let Some(c) = d.companion(copy)
                && (effects.writes.contains(&canonical) || self.program.unit(original).result().is_some_and(|f| f.symbol == y))
            {
                if has_unknown_extent(self.program, c) {
                    let name = self.program.symbol(y).name.clone();
                    let span = self.program.symbol(y).span;
                    self.problem(
                        Diagnostic::error("OB4028", format!("{name} does not depend on the independents, and its extent is not known"))
                            .because("its derivative is zero, but how many elements that are is not known")
                            .help("leave it out of the head"),
                        span,
                    );
                    return out;
                }
                out.push(Item::Stmt(self.zero(VarRef::whole(c))));
            }
        }
        // Globals that the head does not name.
        for s in self.plan.activity.active_shared(self.plan.facts) {
            let allocatable = self.program.symbol(s).has_attribute("allocatable");
            if head.names_object(&self.plan.facts.objects, s)
                || !(allocatable && self.plan.touches(original, s) || effects.exposed.contains(&s))
            {
                continue;
            }
            match self.plan.global_companion(self.program, self.at, s) {
                Ok(Some(c)) if allocatable => {
                    let primal = self.plan.derived[self.at].copy_of(s);
                    let (condition, free) = follow::freed(c);
                    out.push(Item::Branch { condition, then: vec![Item::Stmt(free)], otherwise: Vec::new() });
                    let (condition, allocate) = follow::allocated_like(self.program, primal, c);
                    out.push(Item::Branch { condition, then: vec![Item::Stmt(allocate)], otherwise: Vec::new() });
                }
                Ok(Some(c)) => out.push(Item::Stmt(self.zero(VarRef::whole(c)))),
                Ok(None) => {}
                Err(d) => {
                    let span = self.program.symbol(s).span;
                    self.problem(d, span);
                }
            }
        }
        out
    }
}

/// True for an array whose extents no expression gives.
pub(super) fn has_unknown_extent(program: &Program, symbol: SymbolId) -> bool {
    let s = program.symbol(symbol);
    let Some(d) = &s.decl else { return s.rank > 0 };
    let described = d.passing == xaif::model::Passing::Descriptor || d.attributes.iter().any(|a| a == "allocatable");
    s.rank > 0 && !described && (d.dims.len() != s.rank as usize || d.dims.iter().any(|d| d.upper == Bound::Unknown))
}
