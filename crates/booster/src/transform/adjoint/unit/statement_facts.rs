//! What each statement of a unit reads, writes and needs, as the analyses of the record ask for it.
//!
//! Lives here: who answers for which statement. Never here: the answers (see [`crate::transform::adjoint::statement`]).

use crate::analysis::arrays::fresh::Piece;
use crate::transform::adjoint::code::mentions;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemId, place};
use crate::transform::adjoint::code::writes::Overlap;
use crate::transform::adjoint::facts::effects::{Facts, Written, subscripts};
use crate::transform::adjoint::facts::frame::Form;
use crate::transform::adjoint::record::reading::Read;
use crate::transform::adjoint::statement::allocation::{Adjoint, Allocations};
use crate::transform::adjoint::statement::maker::Maker;
use crate::transform::adjoint::statement::reads::Sight;
use crate::transform::adjoint::statement::{assignment, sequences};
use crate::transform::adjoint::variables::resized::Resized;
use rustc_hash::FxHashSet;
use xaif::model::{ElemType, MarkerClass, Span, Stmt, StmtKind, SymbolId, VarRef};
use xaif::{Diagnostic, Program};

impl Maker<'_> {
    /// What can be read off without changing anything.
    pub(crate) fn sight(&self) -> Sight<'_> {
        Sight { program: self.program, resized: &self.resized, new: &self.new, entries: &self.entries }
    }
}

impl Read for Maker<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn resized(&self) -> &Resized {
        &self.resized
    }

    fn extents(&self, items: &[Item]) -> Vec<SymbolId> {
        let mut named = FxHashSet::default();
        mentions::mentioned(items, &mut named);
        let mut named: Vec<SymbolId> = named.into_iter().filter(|&s| self.program.symbol(s).rank > 0).collect();
        named.sort_unstable();
        let mut out = Vec::new();
        for s in named {
            subscripts(self.program, &self.whole(s), &mut out);
        }
        out
    }

    fn is_alone(&self, symbol: SymbolId) -> bool {
        !self.program.symbol(symbol).pointer && self.frame.sharing.get(&symbol).is_none_or(Vec::is_empty)
    }

    fn is_fixed(&self, symbol: SymbolId) -> bool {
        !self.frame.sharing(symbol).into_iter().any(|s| self.written.contains(s))
    }

    fn all_of(&self, symbol: SymbolId) -> VarRef {
        self.whole(symbol)
    }

    fn pieces<'a>(&'a self, call: &'a xaif::model::Call) -> Option<Vec<Piece<'a>>> {
        self.frame.calls.pieces(self.program, call)
    }

    fn facts(&mut self, id: ItemId, stmt: &Stmt) -> Result<Facts, Diagnostic> {
        for s in &mut self.scratch {
            s.2 = false;
        }
        let mut facts = self.facts_of(id, stmt)?;
        // What is saved as a whole is saved between bounds that must then be the same.
        for w in &mut facts.writes {
            if w.place.subscripts.is_empty() {
                w.place = self.whole(w.place.symbol);
            }
        }
        for &c in &facts.clobbers {
            subscripts(self.program, &self.whole(c), &mut facts.needs);
            for w in facts.writes.iter().filter(|w| w.place.symbol == c) {
                subscripts(self.program, &w.place, &mut facts.needs);
            }
        }
        Ok(facts)
    }
}

impl Maker<'_> {
    /// Variables for the bounds of an array, the same ones each time.
    fn bounds_of(&mut self, array: SymbolId) -> Vec<(SymbolId, SymbolId)> {
        if let Some(known) = self.bounds.get(&array) {
            return known.clone();
        }
        let rank = self.program.symbol(array).rank;
        let one = |m: &mut Self| (m.temporary("first", ElemType::INTEGER), m.temporary("last", ElemType::INTEGER));
        let made: Vec<_> = (0..rank).map(|_| one(self)).collect();
        self.bounds.insert(array, made.clone());
        made
    }

    fn facts_of(&mut self, id: ItemId, stmt: &Stmt) -> Result<Facts, Diagnostic> {
        let located = |program: &Program, d: Diagnostic| if d.location.is_none() { d.at(program.location(stmt.span)) } else { d };
        match &stmt.kind {
            StmtKind::Assignment { lhs, rhs } => {
                let finished = match self.ahead.take(id) {
                    Some(finished) => finished,
                    None if lhs.is_passive() => self.sight().assignment(stmt, (lhs, rhs), Vec::new(), false),
                    None => {
                        let stays = self.stays.holds(self.program, lhs, rhs);
                        let adjoint = assignment::adjoint(self, lhs, rhs, stays).map_err(|d| located(self.program, d))?;
                        self.sight().assignment(stmt, (lhs, rhs), adjoint, stays)
                    }
                };
                let writes = vec![Written::new(lhs.clone(), lhs.subscripts.is_empty())];
                Ok(Facts { writes, ..finished.facts() })
            }
            StmtKind::Call(c) => {
                let calls = self.frame.calls;
                let mut facts = calls.call(self, stmt, c).map_err(|d| located(self.program, d))?;
                // Adjoints of its arguments stand where the call begins.
                let span = Span { end_line: stmt.span.line, end_column: stmt.span.column, ..stmt.span };
                place(&mut facts.adjoint, &Stmt { span, line: stmt.line, ..Stmt::new(StmtKind::Propagator(Vec::new())) });
                Ok(facts)
            }
            StmtKind::Marker(m) => match m.class {
                MarkerClass::Allocate | MarkerClass::Deallocate => {
                    let object = m.object.as_ref().map(|o| o.symbol);
                    let adjoint = Adjoint {
                        companion: object.and_then(|s| self.adjoint(s)),
                        backward_only: self.form == Form::Split || object.is_some_and(|s| self.frame.arriving.contains(&s)),
                    };
                    let kept = object.filter(|&s| self.allocations.keeps_bounds(self.program, s));
                    match kept {
                        Some(s) => Ok(Allocations::with_bounds(stmt, m, adjoint, &self.bounds_of(s))),
                        None => self.allocations.facts(self.program, stmt, m, adjoint),
                    }
                }
                MarkerClass::Comment | MarkerClass::Pragma => Ok(Facts::default()),
                _ => Ok(Facts {
                    reads: m.reads.clone(),
                    writes: m.writes.iter().map(|&w| Written::new(VarRef::whole(w), false)).collect(),
                    always: true,
                    loud: true,
                    ..Facts::default()
                }),
            },
            StmtKind::Propagator(list) if !self.foreign => {
                let finished = self.ahead.take(id).unwrap_or_else(|| {
                    let adjoint = sequences::propagated(self, list);
                    self.sight().propagation(stmt, adjoint)
                });
                Ok(finished.facts())
            }
            StmtKind::Propagator(_) | StmtKind::Runtime { .. } => {
                Err(Diagnostic::error("OB4055", "a statement of a derivative program cannot be differentiated again")
                    .at(self.program.location(stmt.span))
                    .help("differentiate the original program"))
            }
        }
    }
}
