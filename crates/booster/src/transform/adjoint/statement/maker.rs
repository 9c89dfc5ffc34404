//! The state while the adjoint of a unit is made: its new variables, what is known of its arrays, adjoints that are made already.
//!
//! Lives here: the state, and answers to [`Surroundings`]. Never here: steps.

use super::allocation::Allocations;
use super::in_parallel::Ahead;
use super::kept_results::Stays;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::writes::Places;
use crate::transform::adjoint::facts::frame::{Form, Frame};
use crate::transform::adjoint::variables::resized::Resized;
use crate::transform::namer::Namer;
use crate::transform::preaccumulate::Ledger;
use crate::transform::preaccumulate::slots::Pool;
use crate::transform::times::Stopwatch;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use xaif::Program;
use xaif::catalogue::Catalogue;
use xaif::model::{Decl, ElemType, Symbol, SymbolId, VarRef};

pub(crate) struct Maker<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) frame: &'a Frame<'a>,
    pub(crate) form: Form,
    pub(crate) namer: Namer<'a>,
    /// Preaccumulation: the request and what was decided.
    pub(crate) ledger: &'a mut Ledger,
    /// Takes the times of the steps.
    pub(crate) watch: Stopwatch,
    /// The code came with statements between derivatives.
    pub(crate) foreign: bool,
    /// Variables for factors that are free.
    pub(crate) factors: Pool,
    /// Entries of local Jacobians: each is set in one place, and read by one propagation behind it.
    pub(crate) entries: FxHashSet<SymbolId>,
    /// Everything that is no variable of the original.
    pub(crate) new: FxHashSet<SymbolId>,
    pub(crate) scratch: Vec<(ElemType, SymbolId, bool)>,
    pub(crate) allocations: Allocations,
    pub(crate) resized: Resized,
    /// Where the bounds of arrays are put when they are freed.
    pub(crate) bounds: FxHashMap<SymbolId, Vec<(SymbolId, SymbolId)>>,
    pub(crate) written: Places,
    /// Adjoints that are made already.
    pub(crate) ahead: Ahead,
    pub(crate) stays: Stays,
}

impl Surroundings for Maker<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn catalogue(&self) -> &Catalogue {
        self.frame.calls.catalogue()
    }

    fn adjoint(&self, symbol: SymbolId) -> Option<SymbolId> {
        self.frame.companions.get(&symbol).copied()
    }

    fn overlap(&self, a: SymbolId, b: SymbolId) -> bool {
        a == b || self.frame.sharing.get(&a).is_some_and(|l| l.contains(&b))
    }

    fn temporary(&mut self, wish: &str, ty: ElemType) -> SymbolId {
        let t = self.namer.add(self.program, wish, ty);
        self.new.insert(t);
        t
    }

    fn scratch(&mut self, ty: ElemType) -> SymbolId {
        if let Some((_, t, busy)) = self.scratch.iter_mut().find(|(t, _, busy)| *t == ty && !busy) {
            *busy = true;
            return *t;
        }
        let t = self.temporary("t", ty);
        self.scratch.push((ty, t, true));
        t
    }

    fn array(&mut self, wish: &str, ty: ElemType, like: &Symbol) -> SymbolId {
        let t = self.temporary(wish, ty);
        let symbol = self.program.symbol_mut(t);
        symbol.rank = like.rank;
        let (dims, spelled) = like.decl.as_ref().map(|d| (d.dims.clone(), d.type_text.clone())).unwrap_or_default();
        let type_text = if like.ty == ty { spelled } else { SmolStr::default() };
        let attributes =
            ["heap", "recorded", "snapshot", "unsigned"].into_iter().filter(|a| like.has_attribute(a)).map(SmolStr::new_static).collect();
        symbol.decl = Some(Box::new(Decl { dims, type_text, attributes, ..Decl::default() }));
        t
    }

    fn whole(&self, symbol: SymbolId) -> VarRef {
        self.allocations.whole(self.program, symbol).cloned().unwrap_or_else(|| VarRef::whole(symbol))
    }

    fn changes(&self, symbol: SymbolId) -> bool {
        self.written.contains(symbol)
    }

    fn is_new(&self, symbol: SymbolId) -> bool {
        self.new.contains(&symbol)
    }
}
