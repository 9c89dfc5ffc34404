//! The adjoint of one unit: all steps, in order.
//!
//! 1. nested code without jumps (`normalization`), counted loops checked (`flow`),
//! 2. an adjoint for every statement (`assignment`, `calls`, `allocation`),
//! 3. what is executed and what is recorded ([`crate::analysis::reversal::recorded`]),
//! 4. both sweeps (`sweeps`, `loops`, `storage`),
//! 5. clean-up (`zeros`), and the original's symbols replaced by the copies that the derivative unit has.
//!
//! Each ends with a lap of the stopwatch, under the name that `--explain` tells its time by. Lives here: the order of these steps and the new variables they ask for. Never
//! here: the steps themselves.

use super::decisions::Known;
use super::zeroed::Zeroed;
use crate::analysis::arrays::counted::is_short;
use crate::analysis::dataflow::bits::Bits;
use crate::analysis::reversal::flow::{Flow, Overlaps};
use crate::analysis::reversal::fusion::{self, Savable};
use crate::analysis::reversal::overwritten::Overwritten;
use crate::transform::adjoint::cleanup::zeros;
use crate::transform::adjoint::code::renaming::renamed;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind, for_each_stmt, number};
use crate::transform::adjoint::code::writes::{Overlap, Places, places};
use crate::transform::adjoint::facts::argument_parts;
use crate::transform::adjoint::facts::argument_parts::Parts;
use crate::transform::adjoint::facts::frame::{Form, Frame, Made};
use crate::transform::adjoint::record::branches::{Branches, Decision};
use crate::transform::adjoint::record::flow::Reader;
use crate::transform::adjoint::record::invariants::{Around, Steady};
use crate::transform::adjoint::record::reading::Read;
use crate::transform::adjoint::record::recomputed::Renewed;
use crate::transform::adjoint::record::storage::Keeper;
use crate::transform::adjoint::record::tape::Tape;
use crate::transform::adjoint::record::universe::Universe;
use crate::transform::adjoint::record::{flow, invertible_steps, needed, recomputed, with_values};
use crate::transform::adjoint::shape::uncounted::uncount;
use crate::transform::adjoint::shape::{loop_invariants, masked_assignments, normalization};
use crate::transform::adjoint::statement::allocation;
use crate::transform::adjoint::statement::allocation::Allocations;
use crate::transform::adjoint::statement::in_parallel::Ahead;
use crate::transform::adjoint::statement::kept_results::Stays;
use crate::transform::adjoint::statement::maker::Maker;
use crate::transform::adjoint::statement::prepared::List;
use crate::transform::adjoint::sweep::sweeps::{Sweeps, Walk};
use crate::transform::adjoint::variables::extents;
use crate::transform::adjoint::variables::resized::Resized;
use crate::transform::follow;
use crate::transform::namer::Namer;
use crate::transform::preaccumulate::Ledger;
use crate::transform::preaccumulate::slots::Pool;
use crate::transform::times::Stopwatch;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{BaseType, FlowGraph, MarkerClass, Stmt, StmtKind, Storage, SymbolId, VarRef};
use xaif::{Diagnostic, Program, spread};

/// An error where there are problems.
fn none(problems: Vec<Diagnostic>) -> Result<(), Vec<Diagnostic>> {
    if problems.is_empty() { Ok(()) } else { Err(problems) }
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
        factors: Pool::default(),
        entries: FxHashSet::default(),
        new,
        scratch: Vec::new(),
        allocations: Allocations::default(),
        resized: Resized::default(),
        bounds: FxHashMap::default(),
        written: Places::default(),
        stays: Stays::default(),
        ahead: Ahead::default(),
        watch: Stopwatch::new(frame.timed),
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
        let items = if self.frame.plain { items } else { self.with_invariants_in_front(items, &writes, &mut written) };
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

    /// See [`loop_invariants`]. The items have numbers in any case, and `written` what holds for them.
    fn with_invariants_in_front(
        &self,
        items: Vec<Item>,
        writes: &dyn Fn(&Program, &Stmt) -> Vec<SymbolId>,
        written: &mut Places,
    ) -> Vec<Item> {
        let extents: FxHashSet<SymbolId> = self.program.extents_named(self.frame.scope).into_iter().collect();
        let own = |s: SymbolId| self.is_alone_inside(s) && !self.program.symbol(s).pointer && !extents.contains(&s);
        let writes = |s: &Stmt| writes(self.program, s);
        let unit = loop_invariants::Unit { program: self.program, overlap: self.frame, own: &own, writes: &writes };
        let (mut items, found) = unit.moved(items);
        if found {
            number(&mut items, &mut 0);
            *written = Places::default();
            places(&items, &mut |s| writes(s), written);
        }
        items
    }

    /// Where adjoints read values in any case: nobody asks where statements are looked through.
    fn needed(&self, items: &[Item]) -> Places {
        let mut out = Places::default();
        if !self.frame.plain {
            needed::values(items, &|s| self.frame.companions.contains_key(&s), &mut out);
        }
        out
    }

    /// The sweeps as they are first written. What the analyses know is given back with it: the clean-up needs its room.
    fn walked(&mut self, graph: &mut FlowGraph, freeing: &FlowGraph) -> Result<Made, Vec<Diagnostic>> {
        let (items, written, count) = self.code(graph);
        self.written = written;
        self.watch.lap("code");
        let mut inverses = FxHashMap::default();
        invertible_steps::inverses(self, &items, &mut inverses);
        let scalar = |s: SymbolId| self.is_lone_scalar(s) && extents::is_in_place(self.program.symbol(s));
        let needed = self.needed(&items);
        let steady = Steady { places: &self.written, overlap: self.frame, inverses: &inverses, scalar: &scalar, needed: &needed };
        let renewed = self.renewed(&items, &steady);
        let chosen = self.chosen(&items, &steady, &renewed);
        self.stays = Stays::of(&self.written, &|s| self.is_lone_scalar(s) && !renewed.contains(s));
        self.ahead = self.ahead(&items);
        self.watch.lap("branches");
        let mut universe = Universe::default();
        let (flow, prepared) = self.read(&items, count, inverses, (&chosen, &renewed), &mut universe)?;
        self.watch.lap("statements");
        let delivered = if self.form == Form::Split { self.frame.outside.clone() } else { with_values::delivered(self.frame) };
        let outside: Vec<u32> = delivered.iter().map(|&s| universe.var(s)).collect();
        let overlaps = universe.overlaps(&self.frame.sharing, &renewed);
        let before = self.at_borders(&self.frame.parts, &mut universe);
        let savable = self.savable(&items, &universe, &overlaps);
        let parts = || if self.form == Form::Joint { self.parts(&items) } else { Parts::default() };
        let fuse = || fusion::fuse(&flow, &overlaps, &outside, &before, &savable, count);
        let (parts, (mut decisions, mut fused, mut copies)) = if count > LARGE { spread::both(parts, fuse) } else { (parts(), fuse()) };
        // Where old values of some of these come back, all must be as they were: a flag that says that others are set, say. Arrays have no such say.
        if self.frame.carried.iter().any(|&s| universe.known(s).is_some_and(|v| decisions.brings_back(v))) {
            let all = self.frame.carried.iter().filter(|&&s| self.program.symbol(s).rank == 0);
            let before: Vec<u32> = before.into_iter().chain(all.filter_map(|&s| universe.known(s))).collect();
            (decisions, fused, copies) = fusion::fuse(&flow, &overlaps, &outside, &before, &savable, count);
        }
        let problems = self.can_be_checkpointed(graph, &items, &decisions, &copies, &universe);
        none(problems)?;
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
        let brought_back = if delivered.is_empty() { Vec::new() } else { symbols(&with_values::changed_by_calls(&flow, &decisions)) };
        // Both sweeps take as much room as what was analysed.
        drop((flow, overwritten));
        self.watch.lap("records");
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
            iteration_end: ItemId::MAX,
            inside: 0,
            first: Vec::new(),
        };
        let sweeps = walk.sequence(items, 0).map_err(|d| vec![d])?;
        let first = walk.first;
        let (Sweeps { mut forward, mut reverse }, after) = self.joined(first, sweeps, at_end, keeper, freeing).map_err(|d| vec![d])?;
        if self.frame.delivers {
            with_values::keep(self, &delivered, &brought_back, (&mut forward, &mut reverse))?;
        }
        self.watch.lap("sweeps");
        Ok(Made { forward, reverse, needs, clobbers, after, parts, told, weight, times: Vec::new() })
    }

    /// Statements with their adjoints, as the analyses see them.
    ///
    /// # Errors
    /// Everything that has no adjoint.
    fn read(
        &mut self,
        items: &[Item],
        count: ItemId,
        inverses: FxHashMap<ItemId, Stmt>,
        (branches, renewed): (&FxHashMap<ItemId, Decision>, &Renewed),
        universe: &mut Universe,
    ) -> Result<(Vec<Flow>, List), Vec<Diagnostic>> {
        let (prepared, problems, whole) = (List::of(count), Vec::new(), flow::Wholes::default());
        let mut reader = Reader { read: self, universe, branches, renewed, inverses, prepared, problems, whole };
        let flow = reader.sequence(items);
        let Reader { prepared, problems, .. } = reader;
        none(problems)?;
        Ok((flow, prepared))
    }

    /// How the reverse sweep knows which arms of branches were taken.
    fn chosen(&self, items: &[Item], steady: &Steady, renewed: &Renewed) -> FxHashMap<ItemId, Decision> {
        let (program, resized) = (&*self.program, &self.resized);
        let mut branches = Branches { program, steady, resized, renewed, chosen: FxHashMap::default() };
        branches.choose(items, &Around::default());
        branches.chosen
    }

    /// The numbers of variables that a pair has to bring from one sweep to the other.
    fn at_borders<'s>(&self, list: impl IntoIterator<Item = &'s SymbolId>, universe: &mut Universe) -> Vec<u32> {
        match self.form {
            Form::Joint => Vec::new(),
            Form::Split => list.into_iter().map(|&s| universe.var(s)).collect(),
        }
    }

    /// The sweeps with what stands in front of them and between them, and what the reverse sweep of a pair reads of what the forward sweep leaves to the caller.
    ///
    /// # Errors
    /// A value that cannot be kept; an array that the forward sweep may leave allocated, and that no language frees.
    fn joined(
        &mut self,
        first: Vec<Item>,
        sweeps: Sweeps,
        at_end: Vec<SymbolId>,
        keeper: Keeper,
        freeing: &FlowGraph,
    ) -> Result<(Sweeps, Vec<SymbolId>), Diagnostic> {
        let Sweeps { forward: sweep, mut reverse } = sweeps;
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
                        allocation::freed_at_end(self.program, freeing, s)?;
                    }
                    continue;
                }
                let (push, pop) = keeper.keep(self, &VarRef::whole(s), 0)?;
                forward.extend(push);
                pops.push(pop);
            }
            pops.reverse();
            reverse.splice(0..0, pops.into_iter().flatten());
            self.undone(&reverse, freeing)?;
        } else {
            forward.extend(sweep);
            let left = self.left_allocated(freeing)?;
            reverse.splice(0..0, left);
        }
        Ok((Sweeps { forward, reverse }, after))
    }

    /// See [`crate::transform::adjoint::record::recomputed`]. What internal procedures read is not seen.
    fn renewed(&self, items: &[Item], steady: &Steady) -> Renewed {
        if !self.frame.inside.is_empty() {
            return Renewed::default();
        }
        let private = |s: SymbolId| self.is_own(s) || self.frame.values.contains(&s);
        let scalar = |s: SymbolId| private(s) && (steady.scalar)(s) && !self.new.contains(&s);
        let (program, scope, places, resized) = (&*self.program, self.frame.scope, &self.written, &self.resized);
        recomputed::Unit { program, scope, places, steady, resized, scalar: &scalar }.renewed(items)
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
        let Made { mut forward, reverse, needs, clobbers, after, parts, told, weight, .. } = self.walked(graph, &freeing)?;
        let Zeroed { first, start, scalars } = self.zeroed(&reverse);
        let behind = self.frame.behind.iter().cloned();
        let (forward, reverse) = match self.form {
            Form::Joint => {
                // Zeros may meet what the forward sweep does, so both are settled as one.
                forward.splice(self.frame.before.len()..self.frame.before.len(), first);
                let middle = forward.len();
                forward.extend(start.into_iter().chain(reverse).chain(behind));
                let values = self.start_values(&mut forward, middle);
                let settled = zeros::settle(self.program, values, forward, &scalars);
                self.watch.lap("zeros");
                (self.cleaned_up(settled), Vec::new())
            }
            Form::Split => {
                let mut items = first;
                items.extend(start.into_iter().chain(reverse).chain(behind));
                let end = forward.len();
                let values = self.start_values(&mut forward, end);
                forward.splice(0..0, values);
                let settled = zeros::settle(self.program, Vec::new(), items, &scalars);
                self.watch.lap("zeros");
                (forward, self.cleaned_up(settled))
            }
        };
        let forward = renamed(forward, &self.frame.copies);
        let reverse = renamed(reverse, &self.frame.copies);
        self.watch.lap("names");
        Ok(Made { forward, reverse, needs, clobbers, after, parts, told, weight, times: self.watch.taken() })
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

    /// The loops that have as many iterations as a handful of elements.
    fn short_loops(&self, items: &[Item], out: &mut FxHashSet<ItemId>) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(_) => {}
                ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| self.short_loops(&a.body, out)),
                ItemKind::Loop { kind, body, .. } => {
                    if matches!(kind, LoopKind::For(f) if is_short(self.program, f)) {
                        out.insert(item.id);
                    }
                    self.short_loops(body, out);
                }
            }
        }
    }

    /// What loops may record besides what statements overwrite: numbers that share memory with nothing else.
    fn savable(&self, items: &[Item], universe: &Universe, overlaps: &Overlaps) -> Savable {
        let (scalars, values) = (Bits::none(universe.symbols.len()), vec![0; universe.symbols.len()]);
        let mut out = Savable { scalars, values, short: FxHashSet::default() };
        self.short_loops(items, &mut out.short);
        for (v, &s) in universe.symbols.iter().enumerate() {
            let symbol = self.program.symbol(s);
            if symbol.pointer || overlaps.others.get(v).is_some_and(|o| !o.is_empty()) {
                continue;
            }
            let number = matches!(symbol.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool);
            if symbol.rank == 0 {
                out.scalars.insert(v as u32);
                out.values[v] = u32::from(number);
            } else if number && *symbol.storage() == Storage::Local {
                let few = extents::few(self.program, &VarRef::whole(s));
                out.values[v] = few.map_or(0, |l| l.iter().map(|r| r.count).product::<i64>().try_into().unwrap_or(0));
            }
        }
        out
    }

    /// A variable of this unit alone.
    pub(crate) fn is_own(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        symbol.scope == self.frame.scope && *symbol.storage() == Storage::Local && !symbol.pointer
    }

    /// Whether the reverse sweep of a pair does not find the variable as the forward sweep left it.
    fn is_lost(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        if self.frame.values.contains(&s) {
            return self.written.contains(s);
        }
        symbol.scope == self.frame.scope && matches!(symbol.storage(), Storage::Local)
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
