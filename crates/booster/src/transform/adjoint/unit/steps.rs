//! The adjoint of one unit: all steps, in order.
//!
//! 1. nested code without jumps (`normalization`), counted loops checked (`flow`),
//! 2. an adjoint for every statement (`assignment`, `calls`, `allocation`),
//! 3. what is executed and what is recorded ([`crate::analysis::reversal::recorded`]),
//! 4. both sweeps (`sweeps`, `loops`, `storage`),
//! 5. clean-up (`zeros`), and the original's symbols replaced by the copies that the derivative unit has.
//!
//! Lives here: the order of these steps and the new variables they ask for. Never here: the steps themselves.

use super::decisions::Known;
use crate::analysis::arrays::fresh::Piece;
use crate::analysis::dataflow::bits::{Bits, Marks};
use crate::analysis::reversal::flow::Overlaps;
use crate::analysis::reversal::fusion;
use crate::analysis::reversal::overwritten::Overwritten;
use crate::transform::adjoint::cleanup::zeros;
use crate::transform::adjoint::code::mentions;
use crate::transform::adjoint::code::renaming::renamed;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemId, for_each_stmt, number};
use crate::transform::adjoint::code::writes::{Overlap, Places, places};
use crate::transform::adjoint::facts::argument_parts;
use crate::transform::adjoint::facts::argument_parts::Parts;
use crate::transform::adjoint::facts::effects::{Facts, Written, subscripts};
use crate::transform::adjoint::facts::frame::{Form, Frame, Made};
use crate::transform::adjoint::record::branches::Branches;
use crate::transform::adjoint::record::flow::Reader;
use crate::transform::adjoint::record::invariants::{Around, Steady};
use crate::transform::adjoint::record::reading::Read;
use crate::transform::adjoint::record::recomputed::Renewed;
use crate::transform::adjoint::record::storage::Keeper;
use crate::transform::adjoint::record::tape::Tape;
use crate::transform::adjoint::record::universe::Universe;
use crate::transform::adjoint::record::{flow, invertible_steps, maybe_unset, recomputed};
use crate::transform::adjoint::shape::uncounted::uncount;
use crate::transform::adjoint::shape::{masked_assignments, normalization};
use crate::transform::adjoint::statement::allocation::{Adjoint, Allocations};
use crate::transform::adjoint::statement::in_parallel::Ahead;
use crate::transform::adjoint::statement::kept_results::Stays;
use crate::transform::adjoint::statement::maker::Maker;
use crate::transform::adjoint::statement::prepared::List;
use crate::transform::adjoint::statement::reads::Sight;
use crate::transform::adjoint::statement::{allocation, assignment, sequences};
use crate::transform::adjoint::sweep::sweeps::{Sweeps, Walk};
use crate::transform::adjoint::variables::extents;
use crate::transform::adjoint::variables::resized::Resized;
use crate::transform::follow;
use crate::transform::namer::Namer;
use crate::transform::preaccumulate::Ledger;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{
    BaseType, Bound, ElemType, Expr, FlowGraph, IndexOrder, MarkerClass, Stmt, StmtKind, Storage, SymbolId, SymbolKind, VarRef,
};
use xaif::{Diagnostic, Program, spread};

/// What sets adjoints of the unit's own to zero.
struct Zeroed {
    /// First of all.
    first: Vec<Item>,
    /// Where the reverse sweep begins.
    start: Vec<Item>,
    /// The scalars among these adjoints, and those whose values nobody looks at in the end.
    scalars: FxHashSet<SymbolId>,
}

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
                calls.call(self, stmt, c).map_err(|d| located(self.program, d))
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

/// Units with more items are worth two processors.
const LARGE: ItemId = 2000;

/// Makes both sweeps of a unit, whose code goes into them.
///
/// # Errors
/// Everything in the unit that cannot be differentiated.
pub(crate) fn sweeps(program: &mut Program, frame: &Frame, form: Form, ledger: &mut Ledger) -> Result<Made, Vec<Diagnostic>> {
    let mut namer = Namer::new(program, frame.scope, frame.everywhere);
    frame.reserved.iter().for_each(|n| namer.take(n));
    let mut new: FxHashSet<SymbolId> = frame.companions.values().copied().collect();
    new.extend(frame.own.iter().copied());
    let mut graph = std::mem::take(&mut program.units[frame.unit.index()].graph);
    let mut maker = Maker {
        program,
        frame,
        form,
        namer,
        ledger,
        foreign: false,
        factors: Vec::new(),
        entries: FxHashSet::default(),
        new,
        scratch: Vec::new(),
        allocations: Allocations::default(),
        resized: Resized::default(),
        bounds: FxHashMap::default(),
        written: Places::default(),
        stays: Stays::default(),
        ahead: Ahead::default(),
    };
    maker.sweeps(&mut graph)
}

impl Maker<'_> {
    /// The code in its final form, with numbers, where variables are written, and how many items there are.
    fn code(&mut self, graph: &mut FlowGraph) -> (Vec<Item>, Places, ItemId) {
        let left = if self.form == Form::Split { allocation::freed_by_return(self.program, graph) } else { Vec::new() };
        // Flags and block numbers are variables of the code like any other.
        let mut items = {
            let (namer, program) = (&mut self.namer, &mut *self.program);
            normalization::nested(graph, &mut |wish, ty| namer.add(program, wish, ty))
        };
        items.extend(left);
        items = masked_assignments::branches(self.program, items);
        let calls = self.frame.calls;
        let changes = |s: &Stmt| match &s.kind {
            StmtKind::Call(c) => calls.writes(self.program, c),
            StmtKind::Marker(m) => m.writes.clone(),
            _ => Vec::new(),
        };
        let allocations = Allocations::of(self.program, &items, self.form == Form::Joint, &changes);
        let writes = |program: &Program, s: &Stmt| match &s.kind {
            StmtKind::Call(c) => calls.writes(program, c),
            StmtKind::Marker(m) if m.object.as_ref().is_some_and(|o| m.class == MarkerClass::Deallocate && allocations.stays(o.symbol)) => {
                Vec::new()
            }
            StmtKind::Marker(m) => m.writes.iter().copied().chain(m.object.iter().map(|o| o.symbol)).collect(),
            _ => Vec::new(),
        };
        number(&mut items, &mut 0);
        let mut written = Places::default();
        places(&items, &mut |s| writes(self.program, s), &mut written);
        self.resized = Resized::of(self.program, &items, &|s| allocations.stays(s));
        let items = uncount(self.program, items, &written, self.frame, &self.resized);
        let items = self.grouped(items);
        let foreign = &mut self.foreign;
        for_each_stmt(&items, &mut |s| *foreign |= matches!(s.kind, StmtKind::Propagator(_)));
        let mut items = self.with_sequences(items, &written);
        let mut count = 0;
        number(&mut items, &mut count);
        let mut written = Places::default();
        places(&items, &mut |s| writes(self.program, s), &mut written);
        self.allocations = allocations;
        (items, written, count)
    }

    /// The sweeps as they are first written. What the analyses know is given back with it: the clean-up needs its room.
    fn walked(&mut self, graph: &mut FlowGraph, freeing: &FlowGraph) -> Result<Made, Vec<Diagnostic>> {
        let (items, written, count) = self.code(graph);
        self.written = written;
        let mut inverses = FxHashMap::default();
        invertible_steps::inverses(self, &items, &mut inverses);
        let scalar = |s: SymbolId| self.is_lone_scalar(s) && extents::is_in_place(self.program.symbol(s));
        let steady = Steady { places: &self.written, overlap: self.frame, inverses: &inverses, scalar: &scalar };
        let renewed = self.renewed(&items, &steady);
        let (program, resized) = (&*self.program, &self.resized);
        let mut branches = Branches { program, steady: &steady, resized, renewed: &renewed, chosen: FxHashMap::default() };
        branches.choose(&items, &Around::default());
        let chosen = branches.chosen;
        self.stays = Stays::of(&self.written, &|s| self.is_lone_scalar(s));
        self.ahead = self.ahead(&items);
        let mut universe = Universe::default();
        let mut reader = Reader {
            read: self,
            universe: &mut universe,
            branches: &chosen,
            renewed: &renewed,
            inverses,
            prepared: List::of(count),
            problems: Vec::new(),
            whole: flow::Wholes::default(),
        };
        let flow = reader.sequence(&items);
        let Reader { prepared, problems, .. } = reader;
        if !problems.is_empty() {
            return Err(problems);
        }
        let outside: Vec<u32> = match self.form {
            Form::Joint => Vec::new(),
            Form::Split => self.frame.outside.iter().map(|&s| universe.var(s)).collect(),
        };
        let overlaps = universe.overlaps(&self.frame.sharing, &renewed);
        let before: Vec<u32> = match self.form {
            Form::Joint => Vec::new(),
            Form::Split => self.frame.parts.iter().map(|&s| universe.var(s)).collect(),
        };
        let scalars = self.lone_scalars(&universe, &overlaps);
        let parts = || if self.form == Form::Joint { self.parts(&items) } else { Parts::default() };
        let fuse = || fusion::fuse(&flow, &overlaps, &outside, &before, &scalars, count);
        let (parts, (mut decisions, mut fused, mut copies)) = if count > LARGE { spread::both(parts, fuse) } else { (parts(), fuse()) };
        // Where old values of some of these come back, all must be as they were: a flag that says that others are set, say. Arrays have no such say.
        if self.frame.carried.iter().any(|&s| universe.known(s).is_some_and(|v| decisions.brings_back(v))) {
            let all = self.frame.carried.iter().filter(|&&s| self.program.symbol(s).rank == 0);
            let before: Vec<u32> = before.into_iter().chain(all.filter_map(|&s| universe.known(s))).collect();
            (decisions, fused, copies) = fusion::fuse(&flow, &overlaps, &outside, &before, &scalars, count);
        }
        let problems = self.can_be_checkpointed(graph, &items, &decisions, &copies, &universe);
        if !problems.is_empty() {
            return Err(problems);
        }
        let overwritten = Overwritten::of(&flow, &decisions, &fused, &copies, &overlaps);
        let symbols = |list: &[u32]| list.iter().filter_map(|&v| universe.symbols.get(v as usize).copied()).collect::<Vec<_>>();
        let clobbers = symbols(&overwritten.all.iter().collect::<Vec<_>>());
        let needs = symbols(&decisions.on_entry);
        let known = Known {
            flow: &flow,
            decisions: &decisions,
            fused: &fused,
            overlaps: &overlaps,
            overwritten: &overwritten,
            universe: &universe,
            branches: &chosen,
        };
        let told = self.frame.tell.then(|| self.decided(&items, &known));
        let weight = self.frame.weigh.then(|| self.weight(&items, &known));
        let at_end = symbols(&decisions.at_end);
        // Both sweeps take as much room as what was analysed.
        drop((flow, overwritten));
        let keeper = Keeper { one_unit: self.form == Form::Joint };
        let mut walk = Walk {
            unit: self,
            decisions: &decisions,
            prepared,
            fused: &fused,
            copies: &copies,
            branches: &chosen,
            renewed: &renewed,
            universe: &universe,
            keeper,
            tape: Tape::default(),
            round_end: ItemId::MAX,
            inside: 0,
            first: Vec::new(),
        };
        let Sweeps { forward: sweep, mut reverse } = walk.sequence(items, 0).map_err(|d| vec![d])?;
        let first = walk.first;
        let mut forward: Vec<Item> = self.frame.before.clone();
        // The reverse sweep goes behind it.
        let rest = if self.form == Form::Joint { reverse.len() + self.frame.behind.len() + self.frame.own.len() } else { 0 };
        forward.reserve(first.len() + sweep.len() + rest);
        forward.extend(first);
        let mut after = Vec::new();
        if self.form == Form::Split {
            let (locals, others): (Vec<SymbolId>, Vec<SymbolId>) = at_end.into_iter().partition(|&s| self.is_lost(s));
            after = others;
            forward.extend(sweep);
            let mut pops = Vec::new();
            for s in locals {
                // Its contents were recorded where it was freed.
                if self.allocations.frees(s) {
                    if !self.program.symbol(s).has_attribute("allocatable") {
                        allocation::freed_at_end(self.program, freeing, s).map_err(|d| vec![d])?;
                    }
                    continue;
                }
                let (push, pop) = keeper.keep(self, &VarRef::whole(s), 0).map_err(|d| vec![d])?;
                forward.extend(push);
                pops.push(pop);
            }
            pops.reverse();
            reverse.splice(0..0, pops.into_iter().flatten());
            self.undone(&reverse, freeing).map_err(|d| vec![d])?;
        } else {
            forward.extend(sweep);
            let left = self.left_allocated(freeing).map_err(|d| vec![d])?;
            reverse.splice(0..0, left);
        }
        Ok(Made { forward, reverse, needs, clobbers, after, parts, told, weight })
    }

    /// See [`crate::transform::adjoint::record::recomputed`]. What internal procedures read is not seen.
    fn renewed(&self, items: &[Item], steady: &Steady) -> Renewed {
        if self.frame.hosts {
            return Renewed::default();
        }
        let known = |s: SymbolId| self.new.contains(&s) || self.frame.companions.contains_key(&s);
        let private = |s: SymbolId| self.is_own(s) || self.frame.values.contains(&s);
        let passive = |s: SymbolId| private(s) && (steady.scalar)(s) && !known(s);
        let (program, scope, places, resized) = (&*self.program, self.frame.scope, &self.written, &self.resized);
        recomputed::Unit { program, scope, places, steady, resized, passive: &passive }.renewed(items)
    }

    /// See [`parts::written`].
    fn parts(&self, items: &[Item]) -> Parts {
        let call = |c: &xaif::model::Call| self.frame.calls.places(self, c);
        let fixed = |s: SymbolId| self.is_fixed(s);
        let once = |s: SymbolId| {
            let symbol = self.program.symbol(s);
            let number = symbol.rank == 0 && symbol.ty.base == BaseType::Integer;
            number && self.written.count(s) == 1 && self.is_own(s) && self.is_alone(s)
        };
        let unit = argument_parts::Unit { program: self.program, formals: &self.frame.formals, fixed: &fixed, once: &once, call: &call };
        let mut out = argument_parts::written(&unit, items);
        // What the unit writes to an argument under a name of its own is not seen.
        let hidden = |s: &SymbolId| !self.frame.formals.contains(s) && self.is_own(*s) && self.written.contains(*s);
        out.retain(|&a, _| !self.frame.sharing(a).iter().any(hidden));
        out
    }

    fn sweeps(&mut self, graph: &mut FlowGraph) -> Result<Made, Vec<Diagnostic>> {
        // What the code frees is asked again when the code has gone into the sweeps.
        let frees = graph
            .node_weights()
            .flat_map(|v| v.stmts())
            .any(|s| matches!(&s.kind, StmtKind::Marker(m) if m.class == MarkerClass::Deallocate));
        let freeing = if frees { graph.clone() } else { FlowGraph::default() };
        let Made { mut forward, reverse, needs, clobbers, after, parts, told, weight } = self.walked(graph, &freeing)?;
        let Zeroed { first, start, scalars } = self.zeroed(&reverse);
        let behind = self.frame.behind.iter().cloned();
        let (forward, reverse) = match self.form {
            Form::Joint => {
                // Zeros may meet what the forward sweep does, so both are settled as one.
                forward.splice(self.frame.before.len()..self.frame.before.len(), first);
                let middle = forward.len();
                forward.extend(start.into_iter().chain(reverse).chain(behind));
                let values = self.start_values(&forward, middle);
                (self.cleaned_up(zeros::settle(self.program, values, forward, &scalars)), Vec::new())
            }
            Form::Split => {
                let mut items = first;
                items.extend(start.into_iter().chain(reverse).chain(behind));
                let values = self.start_values(&forward, forward.len());
                forward.splice(0..0, values);
                (forward, self.cleaned_up(zeros::settle(self.program, Vec::new(), items, &scalars)))
            }
        };
        let forward = renamed(forward, &self.frame.copies);
        let reverse = renamed(reverse, &self.frame.copies);
        Ok(Made { forward, reverse, needs, clobbers, after, parts, told, weight })
    }

    /// Not a variable of the unit alone.
    pub(crate) fn is_seen_outside(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        symbol.scope != self.frame.scope || !matches!(symbol.storage(), Storage::Local | Storage::Constant)
    }

    /// A scalar that shares memory with nothing else.
    pub(crate) fn is_lone_scalar(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        symbol.rank == 0 && !symbol.pointer && self.frame.sharing.get(&s).is_none_or(Vec::is_empty)
    }

    /// Scalars that share memory with nothing else.
    fn lone_scalars(&self, universe: &Universe, overlaps: &Overlaps) -> Bits {
        let mut out = Bits::none(universe.symbols.len());
        for (v, &s) in universe.symbols.iter().enumerate() {
            let symbol = self.program.symbol(s);
            if symbol.rank == 0 && !symbol.pointer && overlaps.others.get(v).is_none_or(Vec::is_empty) {
                out.insert(v as u32);
            }
        }
        out
    }

    /// A variable of this unit alone.
    pub(crate) fn is_own(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        symbol.scope == self.frame.scope && *symbol.storage() == Storage::Local && !symbol.pointer
    }

    /// A local scalar that holds something between the sweeps: one of the code itself, set somewhere in the forward sweep, or one that derivative code has
    /// added, other than an adjoint.
    fn keeps_value(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        let known = matches!(symbol.ty.base, BaseType::Integer | BaseType::Real | BaseType::Bool) && symbol.rank == 0;
        let kept = if self.new.contains(&s) {
            symbol.decl.as_ref().is_none_or(|d| d.derivative_of.is_none())
        } else {
            symbol.kind == SymbolKind::Variable && (symbol.temp || self.written.contains(s))
        };
        known && kept && self.is_own(s)
    }

    /// First values for what code whose reverse sweep begins at an item may look at before it is set.
    fn start_values(&self, items: &[Item], reverse: usize) -> Vec<Item> {
        let array = |s| self.program.symbol(s).rank > 0 && !self.new.contains(&s) && self.is_own(s) && self.has_fixed_length(s);
        let unset = maybe_unset::may_be_unset(items, reverse, &|s| self.keeps_value(s), &|s| self.new.contains(&s), &array);
        unset.into_iter().map(|s| self.start_value(s)).collect()
    }

    /// A local array of numbers or truth values that is there, with its length, where the unit begins.
    fn has_fixed_length(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        let Some(decl) = symbol.decl.as_ref().filter(|_| extents::is_in_place(symbol)) else { return false };
        // C declares arrays of variable length where they are needed.
        let early = |b: &Bound| matches!(b, Bound::Expr(e) if e.as_int().is_some() || self.program.index_order == IndexOrder::Column);
        decl.dims.iter().all(|d| early(&d.lower) && early(&d.upper))
    }

    fn start_value(&self, s: SymbolId) -> Item {
        let ty = self.program.symbol(s).ty;
        let value = if ty.base == BaseType::Bool { Expr::bool(false) } else { crate::linearize::fold::zero(ty) };
        Item::stmt(Stmt::assign(VarRef::whole(s), value))
    }

    /// Whether the reverse sweep of a pair does not find the variable as the forward sweep left it.
    fn is_lost(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        if self.frame.values.contains(&s) {
            return self.written.contains(s);
        }
        symbol.scope == self.frame.scope && matches!(symbol.storage(), Storage::Local)
    }

    /// What sets the unit's own adjoints to zero.
    fn zeroed(&self, reverse: &[Item]) -> Zeroed {
        let mut out = Zeroed { first: Vec::new(), start: Vec::new(), scalars: self.frame.consumed.iter().copied().collect() };
        let mut named = Marks::default();
        for items in [reverse, &self.frame.behind] {
            mentions::for_each_mention(items, &mut |s| _ = named.add(s.0));
        }
        out.scalars.retain(|b| !self.frame.inside.contains(b));
        for &b in self.frame.own.iter().filter(|b| named.has(b.0) || self.frame.inside.contains(b)) {
            let s = self.program.symbol(b);
            if s.rank == 0 && !self.frame.inside.contains(&b) {
                out.scalars.insert(b);
            }
            let zero = Item::stmt(Stmt::assign(VarRef::whole(b), crate::linearize::fold::zero(s.ty)));
            let allocated = self.frame.allocated.iter().find(|a| a.symbol == b);
            match s.rank {
                0 => out.start.push(zero),
                _ if allocated.is_some() => out.start.extend(allocated.map(|a| Item::stmt(follow::allocate(a.clone(), true)))),
                // Where bounds still have the values with which the array was declared.
                _ if !s.has_attribute("heap") && !s.has_attribute("allocatable") => out.first.push(zero),
                _ => {}
            }
        }
        out
    }

    /// Makes sure that a reverse sweep of its own frees what it has allocated only.
    ///
    /// # Errors
    /// An array that the forward sweep may leave allocated, and that no language frees.
    fn undone(&self, reverse: &[Item], graph: &FlowGraph) -> Result<(), Diagnostic> {
        let mut freed: FxHashSet<SymbolId> = FxHashSet::default();
        for_each_stmt(reverse, &mut |s| match &s.kind {
            StmtKind::Marker(m) if m.class == MarkerClass::Deallocate => freed.extend(m.object.iter().map(|o| o.symbol)),
            _ => {}
        });
        for s in self.allocations.locals(self.program) {
            let mentioned = freed.contains(&s) || self.adjoint(s).is_some_and(|b| freed.contains(&b));
            if mentioned && !self.program.symbol(s).has_attribute("allocatable") {
                allocation::freed_at_end(self.program, graph, s)?;
            }
        }
        Ok(())
    }

    /// Adjoints come and go with their arrays in the reverse sweep: what allocates, where it starts, those of arrays that the forward sweep may leave allocated.
    fn left_allocated(&self, graph: &FlowGraph) -> Result<Vec<Item>, Diagnostic> {
        let mut out = Vec::new();
        for s in self.allocations.passing(self.program) {
            let Some(b) = self.adjoint(s) else { continue };
            match allocation::freed_at_end(self.program, graph, s) {
                Ok(()) => {}
                Err(_) if self.program.symbol(s).has_attribute("allocatable") => {
                    let (condition, allocate) = follow::allocated_like(self.program, s, b);
                    out.push(Item::branch(condition, vec![Item::stmt(allocate)], Vec::new()));
                }
                Err(d) => return Err(d),
            }
        }
        Ok(out)
    }
}
