//! What is given for the adjoint of a unit, and what is known of it once it is made.
//!
//! Lives here: the data, and what calls are asked. Never here: how an adjoint is made.

use super::argument_parts::Parts;
use super::effects::Facts;
use crate::analysis::arrays::fresh::Piece;
use crate::facts::Reversal;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::code::writes::Overlap;
use crate::transform::names::Everywhere;
use crate::transform::request::LeftOut;
use crate::transform::weights::Weight;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use std::time::Duration;
use xaif::catalogue::Catalogue;
use xaif::model::{FlowGraph, ScopeId, Stmt, SymbolId, UnitId, VarRef};
use xaif::{Diagnostic, Program};

/// The code of what speaks against running a unit again.
pub(crate) const AGAIN: &str = "OB4068";

/// What is known of adjoints that are made: by the original and by whether calls of it go to a pair.
pub(crate) type Summaries = FxHashMap<(UnitId, Form), Summary>;

/// What a call of a unit does, in terms of the caller.
pub(crate) trait Calls {
    /// Reads, writes and the adjoint of a call.
    ///
    /// # Errors
    /// A call that cannot be differentiated.
    fn call(&self, unit: &mut dyn Surroundings, stmt: &Stmt, call: &xaif::model::Call) -> Result<Facts, Diagnostic>;
    /// What a call may allocate or free, in terms of the caller.
    fn resizes(&self, _program: &Program, _call: &xaif::model::Call) -> Vec<SymbolId> {
        Vec::new()
    }
    /// What a call may write, in terms of the caller.
    fn writes(&self, program: &Program, call: &xaif::model::Call) -> Vec<SymbolId>;
    /// Where it may write; `None` where it may not come back.
    fn places(&self, _unit: &dyn Surroundings, _call: &xaif::model::Call) -> Option<Vec<VarRef>> {
        None
    }
    /// What it reads of arrays, and which parts of them it sets in any case, in terms of the caller; `None` where that is not known.
    fn pieces<'a>(&self, _program: &'a Program, _call: &'a xaif::model::Call) -> Option<Vec<Piece<'a>>> {
        None
    }
    /// Where partial derivatives come from.
    fn catalogue(&self) -> &Catalogue {
        Catalogue::builtin()
    }
}

/// What is known of an adjoint once it is made: symbols of the original unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// Variables whose values on entry it reads.
    pub needs: Vec<SymbolId>,
    /// Variables that it overwrites.
    pub clobbers: Vec<SymbolId>,
    /// Of a pair: see [`Made::after`].
    pub after: Vec<SymbolId>,
    /// Which parts of its arguments it writes.
    pub parts: Parts,
}

/// What is given for the adjoint of a unit.
pub(crate) struct Frame<'a> {
    /// The original (its arrays operations written as loops).
    pub unit: UnitId,
    /// The scope of the derivative unit.
    pub scope: ScopeId,
    /// The adjoint variables of active variables, by the originals.
    pub companions: FxHashMap<SymbolId, SymbolId>,
    /// Adjoint variables of the unit's own that start from zero.
    pub own: Vec<SymbolId>,
    /// Those of them that the reverse sweep has to allocate, with their bounds.
    pub allocated: Vec<VarRef>,
    /// Variables that internal procedures know without being handed them, and their adjoints.
    pub inside: FxHashSet<SymbolId>,
    /// Variables that may share memory with others, with those others.
    pub sharing: FxHashMap<SymbolId, Vec<SymbolId>>,
    /// Variables of others that the unit writes, its result among them.
    pub outside: Vec<SymbolId>,
    /// Of these the ones that it may write in part only, or not at all.
    pub parts: Vec<SymbolId>,
    /// What is in [`Frame::outside`] is left as the original leaves it, by both sweeps together.
    pub delivers: bool,
    /// Variables that carry something from one call of the derivative to the next.
    pub carried: Vec<SymbolId>,
    /// Arguments that are passed as values.
    pub values: Vec<SymbolId>,
    /// Scalar adjoints that come in as values: nobody looks at them in the end.
    pub consumed: Vec<SymbolId>,
    /// Allocatable variables whose adjoints come from the caller.
    pub arriving: FxHashSet<SymbolId>,
    /// Code in front of everything else.
    pub before: Vec<Item>,
    /// Code behind everything else.
    pub behind: Vec<Item>,
    /// Names that no new variable may have.
    pub reserved: Vec<SmolStr>,
    /// Indices of loops in `before` and `behind`.
    pub counters: Vec<SymbolId>,
    /// What the originals are called in the derivative unit, if the graph is the original's.
    pub copies: FxHashMap<SymbolId, SymbolId>,
    /// Calls.
    pub calls: &'a dyn Calls,
    /// Names that are taken in every unit.
    pub everywhere: &'a Everywhere,
    /// The original's name.
    pub name: String,
    /// The arguments, the result among them.
    pub formals: FxHashSet<SymbolId>,
    /// What is decided is to be told: [`Made::told`].
    pub tell: bool,
    /// Steps of clean-up that are not done.
    pub left_out: LeftOut,
    /// Every statement has an adjoint of its own, where it stands.
    pub plain: bool,
    /// It is to be weighed: [`Made::weight`].
    pub weigh: bool,
    /// The times of its steps are to be told: [`Made::times`].
    pub timed: bool,
}

impl Overlap for Frame<'_> {
    fn sharing(&self, s: SymbolId) -> Vec<SymbolId> {
        let mut out = vec![s];
        out.extend(self.sharing.get(&s).into_iter().flatten().copied());
        out
    }
}

/// The adjoint of a unit.
pub(crate) struct Made {
    /// The forward sweep, with what comes before it.
    pub forward: Vec<Item>,
    /// The reverse sweep, with what comes before and behind it.
    pub reverse: Vec<Item>,
    /// Variables whose values on entry it reads.
    pub needs: Vec<SymbolId>,
    /// Variables that it overwrites.
    pub clobbers: Vec<SymbolId>,
    /// Of a pair: variables of others whose values from behind the forward sweep the reverse sweep reads.
    pub after: Vec<SymbolId>,
    /// Which parts of its arguments it writes.
    pub parts: Parts,
    /// What was decided.
    pub told: Option<Reversal>,
    /// What it takes.
    pub weight: Option<Weight>,
    /// How long each step took to make it.
    pub times: Vec<(&'static str, Duration)>,
}

impl Made {
    /// Both sweeps as one graph.
    ///
    /// # Errors
    /// Never: there are no labels.
    pub fn graph(self, scope: ScopeId) -> Result<FlowGraph, Vec<Diagnostic>> {
        let mut items = self.forward;
        items.extend(self.reverse);
        graph(items, scope)
    }
}

/// Code as a graph.
///
/// # Errors
/// Never: there are no labels.
pub(crate) fn graph(items: Vec<Item>, scope: ScopeId) -> Result<FlowGraph, Vec<Diagnostic>> {
    Ok(tree::graph(items, scope).map_err(|e| vec![Diagnostic::error("OB4056", e.to_string())])?.graph)
}

/// Where the sweeps of a unit go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// Both into one unit.
    Joint,
    /// Each into a unit of its own; values go to the stack, and the reverse sweep leaves everything as it was on entry.
    Split,
}
