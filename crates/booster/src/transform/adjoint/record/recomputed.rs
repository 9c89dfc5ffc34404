//! Scalars that the reverse sweep sets again where it comes to the code that reads them: they are not recorded.
//!
//! ```text
//! for (i = 0; i < n; i++) {              for (i = n - 1; i >= 0; i--) {
//!   r = (i + 1) % n;               ->      r = (i + 1) % n;
//!   y = y * x[r];                          adjoint of y = y * x[r]
//! }                                      }
//! ```
//!
//! The *region* of an assignment is what stands behind it in its sequence of items, up to the next item that writes the same variable, or one that the
//! right-hand side reads. A variable is such a one if each reading of it lies in the region of one of its assignments, and if for each of these
//!
//! * what the right-hand side reads is the same again in the reverse sweep of the region, or adjoints read that value in any case (see [`super::invariants`]), or it
//!   is set again itself, in a region that ends no earlier,
//! * setting it again takes no longer than a record would.
//!
//! The reverse sweep of a region then starts with the assignment. The to-be-recorded analysis asks for the values that the right-hand side reads in the
//! place of the variable's own ([`crate::analysis::reversal::flow::Overlaps::renewed`]).
//!
//! Lives here: which variables these are. Never here: the code of the sweeps.

use super::invariants::{Around, Steady};
use crate::analysis::arrays::counted::range;
use crate::transform::adjoint::code::mentions::in_stmt;
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind, for_each_stmt, last_id};
use crate::transform::adjoint::code::writes::Places;
use crate::transform::adjoint::variables::resized::Resized;
use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::model::{Expr, Node, NodeKind, ScopeId, Stmt, StmtKind, SymbolId, VarRef};

/// So many operations take about as long as a value takes to the tape and back.
pub(super) const RECORD: u32 = 12;

/// What stands behind an assignment.
#[derive(Debug)]
struct Region {
    /// The assignment.
    set: ItemId,
    /// The last number in it.
    last: ItemId,
    /// What has to stay for the variable to have the same value again.
    operands: Vec<SymbolId>,
    /// What the right-hand side reads besides: variables that must be set again.
    renewed: Vec<SymbolId>,
}

/// The region of a variable that has an item. They are in text order, and none is in another one.
fn region_of(id: ItemId, regions: &[Region]) -> Option<&Region> {
    let before = regions.partition_point(|r| r.set < id);
    regions.get(before.checked_sub(1)?).filter(|r| id <= r.last)
}

/// The variables that are set again.
#[derive(Debug, Default)]
pub(crate) struct Renewed {
    /// For each its regions, in text order.
    regions: FxHashMap<SymbolId, Vec<Region>>,
    /// For each assignment the last number in its region.
    ends: FxHashMap<ItemId, ItemId>,
}

impl Renewed {
    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// The last number in the region of an assignment to such a variable.
    pub fn end(&self, id: ItemId) -> Option<ItemId> {
        self.ends.get(&id).copied()
    }

    /// Whether a variable is such a one.
    pub fn contains(&self, s: SymbolId) -> bool {
        self.regions.contains_key(&s)
    }

    /// Whether a variable is set behind item `after` and not behind item `upto`.
    pub fn sets(&self, s: SymbolId, after: ItemId, upto: ItemId) -> bool {
        self.regions.get(&s).is_some_and(|l| l.get(l.partition_point(|r| r.set <= after)).is_some_and(|r| r.set <= upto))
    }

    /// The variables.
    pub fn variables(&self) -> impl Iterator<Item = SymbolId> {
        self.regions.keys().copied()
    }

    /// Adds to what an item reads what setting it again reads.
    pub fn with_operands(&self, list: &[SymbolId], at: ItemId) -> Vec<SymbolId> {
        let mut out = list.to_vec();
        let mut next = 0;
        while let Some(&s) = out.get(next) {
            next += 1;
            let region = self.regions.get(&s).and_then(|l| region_of(at, l));
            for &o in region.iter().flat_map(|r| r.operands.iter().chain(&r.renewed)) {
                if !out.contains(&o) {
                    out.push(o);
                }
            }
        }
        out
    }
}

/// What is known of a unit.
pub(crate) struct Unit<'a> {
    /// Types and bounds.
    pub program: &'a Program,
    /// Where the variables of the unit are.
    pub scope: ScopeId,
    /// Where they are written.
    pub places: &'a Places,
    /// What has the same value again.
    pub steady: &'a Steady<'a>,
    /// Arrays whose bounds change.
    pub resized: &'a Resized,
    /// Scalars of the code's own that share memory with nothing, but derivatives.
    pub scalar: &'a dyn Fn(SymbolId) -> bool,
}

impl Unit<'_> {
    /// Finds them. The items have numbers, in text order.
    pub fn renewed(&self, items: &[Item]) -> Renewed {
        let mut search = Search { unit: self, found: FxHashMap::default() };
        search.candidates(items, false);
        if search.found.is_empty() {
            return Renewed::default();
        }
        search.set_otherwise(items);
        search.reads(items);
        search.extents();
        search.regions(items, &Around::default());
        search.settled()
    }
}

/// What is known of a variable that may be such a one.
#[derive(Debug, Default)]
struct Candidate {
    /// Where it is read.
    reads: Vec<ItemId>,
    regions: Vec<Region>,
}

struct Search<'a> {
    unit: &'a Unit<'a>,
    found: FxHashMap<SymbolId, Candidate>,
}

impl Search<'_> {
    /// The variables that cheap assignments in loops set.
    fn candidates(&mut self, items: &[Item], inside: bool) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(s) => {
                    if let Some(v) = set_cheaply(s).filter(|&v| inside && (self.unit.scalar)(v)) {
                        self.found.entry(v).or_default();
                    }
                }
                ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| self.candidates(&a.body, inside)),
                ItemKind::Loop { body, .. } => self.candidates(body, true),
            }
        }
    }

    /// Leaves out what anything else writes.
    fn set_otherwise(&mut self, items: &[Item]) {
        let mut counts: FxHashMap<SymbolId, usize> = FxHashMap::default();
        for_each_stmt(items, &mut |s| {
            if let Some(v) = set_cheaply(s) {
                *counts.entry(v).or_default() += 1;
            }
        });
        self.found.retain(|s, _| counts.get(s) == Some(&self.unit.places.count(*s)));
    }

    fn read(&mut self, s: SymbolId, id: ItemId) {
        if let Some(c) = self.found.get_mut(&s) {
            c.reads.push(id);
        }
    }

    fn expr(&mut self, e: &Expr, id: ItemId) {
        e.for_each_ref(&mut |r| self.read(r.symbol, id));
    }

    fn reads(&mut self, items: &[Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(s) => match &s.kind {
                    StmtKind::Assignment { lhs, rhs } => lhs.index_exprs().chain([rhs]).for_each(|e| self.expr(e, item.id)),
                    // What memory is allocated for is asked for in other places, too.
                    StmtKind::Marker(m) if m.object.is_some() => in_stmt(s, &mut |v| {
                        self.found.remove(&v);
                    }),
                    // So are the factors of what is propagated.
                    StmtKind::Propagator(list) => {
                        let mut stays = |r: &VarRef| drop(self.found.remove(&r.symbol));
                        list.iter().for_each(|p| p.for_each_value(&mut |e| e.for_each_ref(&mut stays)));
                    }
                    _ => in_stmt(s, &mut |v| self.read(v, item.id)),
                },
                ItemKind::Branch { condition, arms, .. } => {
                    self.expr(condition, item.id);
                    arms.iter().for_each(|a| self.reads(&a.body));
                }
                ItemKind::Loop { kind, body, .. } => {
                    match kind {
                        LoopKind::For(f) => {
                            self.expr(&f.condition, item.id);
                            for s in [&f.init, &f.update] {
                                in_stmt(s, &mut |v| self.read(v, item.id));
                            }
                        }
                        LoopKind::While(c) | LoopKind::Until(c) => self.expr(c, item.id),
                    }
                    self.reads(body);
                }
            }
        }
    }

    /// The bounds of arrays are read wherever these are.
    fn extents(&mut self) {
        for s in self.unit.program.extents_named(self.unit.scope) {
            self.found.remove(&s);
        }
    }

    fn regions(&mut self, items: &[Item], around: &Around) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(s) => {
                    if let StmtKind::Assignment { lhs, rhs } = &s.kind
                        && self.found.contains_key(&lhs.symbol)
                    {
                        let region = self.region((lhs.symbol, rhs), item.id, items, around);
                        self.found.entry(lhs.symbol).or_default().regions.push(region);
                    }
                }
                ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| self.regions(&a.body, around)),
                ItemKind::Loop { kind, body, .. } => {
                    let index = match kind {
                        LoopKind::For(f) => range(self.unit.program, f).map(|r| r.index),
                        _ => None,
                    };
                    self.regions(body, &around.inside((item.id, last_id(item)), index));
                }
            }
        }
    }

    /// The region of an assignment of a sequence.
    fn region(&self, (to, value): (SymbolId, &Expr), id: ItemId, sequence: &[Item], around: &Around) -> Region {
        let mut read = Vec::new();
        self.unit.resized.operands(self.unit.program, value, &mut read);
        let end = sequence.last().map_or(id, last_id);
        let writes = [&[to], &read[..]].concat().into_iter().flat_map(|s| self.unit.steady.overlap.sharing(s));
        let next = writes.filter_map(|s| self.unit.places.next(s, id)).min();
        let last = match next {
            Some(next) if next <= end => {
                // The item that has the next write starts the numbers that do not belong to the region.
                let at = sequence.partition_point(|i| i.id <= next);
                sequence.get(at.saturating_sub(1)).map_or(id, |i| i.id - 1)
            }
            _ => end,
        };
        let steady = self.unit.steady;
        let at_hand = |s: SymbolId| steady.stays(s, (id, last), around) || steady.is_needed(s, (id, last));
        let (operands, renewed) = read.into_iter().partition(|&s| at_hand(s));
        Region { set: id, last, operands, renewed }
    }

    /// Those that hold together: what is left when all are gone that read what is not set again.
    fn settled(mut self) -> Renewed {
        loop {
            let covered = |s: &SymbolId, r: &Region| {
                let around = self.found.get(s).and_then(|c| region_of(r.set, &c.regions));
                around.is_some_and(|w| r.last <= w.last)
            };
            // What would be there as well must not come back later than that, if it is set again itself.
            let there = |r: &Region| {
                r.renewed.iter().all(|s| covered(s, r)) && r.operands.iter().all(|s| !self.found.contains_key(s) || covered(s, r))
            };
            let holds = |c: &Candidate| c.reads.iter().all(|&id| region_of(id, &c.regions).is_some()) && c.regions.iter().all(there);
            let gone: Vec<SymbolId> = self.found.iter().filter(|(_, c)| !holds(c)).map(|(&s, _)| s).collect();
            if gone.is_empty() {
                break;
            }
            gone.iter().for_each(|s| drop(self.found.remove(s)));
        }
        let regions: FxHashMap<SymbolId, Vec<Region>> = self.found.into_iter().map(|(s, c)| (s, c.regions)).collect();
        let ends = regions.values().flatten().map(|r| (r.set, r.last)).collect();
        Renewed { regions, ends }
    }
}

/// The variable that an assignment sets whose right-hand side takes no longer than a record.
fn set_cheaply(s: &Stmt) -> Option<SymbolId> {
    let StmtKind::Assignment { lhs, rhs } = &s.kind else { return None };
    (lhs.subscripts.is_empty() && cost(rhs) <= RECORD).then_some(lhs.symbol)
}

/// About how many operations an expression takes; calls and all but quick functions take too many.
pub(super) fn cost(e: &Expr) -> u32 {
    let node = |n: &Node| match &n.kind {
        NodeKind::Var(r) => r.index_exprs().map(|x| cost(x).saturating_add(1)).fold(0, u32::saturating_add),
        NodeKind::Const(_) => 0,
        NodeKind::Bool(_) => 1,
        NodeKind::FunctionCall(_) => u32::MAX,
        NodeKind::Op(op) => match op.name.as_str() {
            "add_scal_scal" | "sub_scal_scal" | "mul_scal_scal" | "minus_scal" | "plus_scal" | "abs_scal" | "real_scal" | "int_scal"
            | "max_scal_scal" | "min_scal_scal" | "nc_max_scal_scal" | "nc_min_scal_scal" | "sign_scal_scal" | "dim_scal_scal"
            | "select" | "b_and" | "b_or" | "b_xor" | "b_not" | "shl_scal_scal" | "shr_scal_scal" | "size" | "lbound" | "ubound" => 1,
            "div_scal_scal" | "mod_scal_scal" | "modulo_scal_scal" | "nint_scal" | "floor_scal" | "ceil_scal" | "trunc_scal" => 4,
            _ => u32::MAX,
        },
    };
    e.nodes.iter().map(node).fold(0, u32::saturating_add)
}
