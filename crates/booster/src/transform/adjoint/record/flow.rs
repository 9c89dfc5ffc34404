//! What the to-be-recorded analysis sees of a unit: its code as sets of variables.
//!
//! Lives here: reading off what statements, branches and loops read, write and need; and which branches and loops can be reversed without a
//! record. Never here: the analysis itself, code.

use super::branches::Decision;
use super::harmless_writes::{First, Stays};
use super::reading::Read;
use super::recomputed::Renewed;
use super::universe::Universe;
use super::{harmless_writes, iteration_arrays, iteration_elements};
use crate::analysis::arrays::counted::range;
use crate::analysis::reversal::flow::{Flow, Rare, Slice, Step, Var, Write};
use crate::transform::adjoint::code::expressions::varies;
use crate::transform::adjoint::code::iterations::Iterations;
use crate::transform::adjoint::code::mentions;
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind, last_id};
use crate::transform::adjoint::code::writes::Places;
use crate::transform::adjoint::facts::effects::{Facts, Written};
use crate::transform::adjoint::statement::prepared::{List, Prepared, Rest};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use xaif::model::{Expr, ForLoop, NodeKind, Stmt, StmtKind, SymbolId};

/// What a call is taken to cost, in operations.
const CALL: u32 = 200;

/// What a function of the library is taken to cost, in operations.
const FUNCTION: u32 = 20;

/// About how many operations a statement takes.
fn cost(s: &xaif::model::Stmt) -> u32 {
    let node = |n: &xaif::model::Node| match &n.kind {
        NodeKind::Op(op) if matches!(op.name.as_str(), "add_scal_scal" | "sub_scal_scal" | "mul_scal_scal" | "minus_scal") => 1,
        NodeKind::Op(op) if op.name == "div_scal_scal" => 4,
        NodeKind::Op(_) | NodeKind::FunctionCall(_) => FUNCTION,
        NodeKind::Bool(_) => 1,
        NodeKind::Var(_) | NodeKind::Const(_) => 0,
    };
    match &s.kind {
        StmtKind::Assignment { rhs, .. } => rhs.nodes.iter().map(node).fold(1u32, u32::saturating_add),
        StmtKind::Call(_) => CALL,
        _ => 0,
    }
}

/// The code as the analysis sees it.
pub(crate) struct Reader<'a> {
    pub read: &'a mut dyn Read,
    pub universe: &'a mut Universe,
    pub branches: &'a FxHashMap<ItemId, Decision>,
    pub renewed: &'a Renewed,
    /// See [`inverses`].
    pub inverses: FxHashMap<ItemId, Stmt>,
    pub prepared: List,
    pub problems: Vec<xaif::Diagnostic>,
    pub whole: Wholes,
}

/// What is dealt with as a whole, and what not yet so.
#[derive(Debug, Default)]
pub(crate) struct Wholes {
    /// Variables that something other than an assignment touches, with the items that do so, in text order.
    touched: Places,
    /// For each assignment to an element the dimensions in which no loop around has a slice of its own, as bits.
    open: FxHashMap<ItemId, u32>,
}

impl Reader<'_> {
    fn vars<List: FromIterator<Var>>(&mut self, symbols: &[SymbolId]) -> List {
        // What has a number varies.
        let number = |&s: &SymbolId| self.universe.known(s).or_else(|| varies(self.read.program(), s).then(|| self.universe.var(s)));
        symbols.iter().filter_map(number).collect()
    }

    /// What the reverse sweep reads where the reverse of an item reads these.
    fn again<List: FromIterator<Var>>(&mut self, symbols: &[SymbolId], at: ItemId) -> List {
        if self.renewed.is_empty() {
            return self.vars(symbols);
        }
        let list = self.renewed.with_operands(symbols, at);
        self.vars(&list)
    }

    fn expr(&mut self, e: &Expr, at: ItemId) -> Vec<Var> {
        let mut list = Vec::new();
        self.read.resized().operands(self.read.program(), e, &mut list);
        self.again(&list, at)
    }

    /// What is set again for a call that hands it over is set from values that are there, also where the callee's adjoint does not look at it.
    fn hand_over(&self, facts: &mut Facts) {
        if !self.renewed.is_empty() {
            let mut named = rustc_hash::FxHashSet::default();
            mentions::mentioned(&facts.adjoint, &mut named);
            let mut again: Vec<SymbolId> = named.into_iter().filter(|&s| self.renewed.contains(s) && !facts.needs.contains(&s)).collect();
            again.sort_unstable();
            facts.needs.extend(again);
        }
    }

    /// The whole sequence.
    pub fn sequence(&mut self, items: &[Item]) -> Vec<Flow> {
        items.iter().map(|i| self.item(i)).collect()
    }

    fn item(&mut self, item: &Item) -> Flow {
        let id = item.id;
        match &item.kind {
            ItemKind::Stmt(s) => {
                let mut facts = self.read.facts(id, s).unwrap_or_else(|d| {
                    self.problems.push(d);
                    Facts::default()
                });
                if matches!(s.kind, StmtKind::Call(_)) {
                    self.hand_over(&mut facts);
                }
                let mut writes = SmallVec::new();
                let mut places = Vec::new();
                let mut set = None;
                let assigns = matches!(s.kind, StmtKind::Assignment { .. });
                for Written { place: r, kills, own } in facts.writes {
                    let var = self.universe.var(r.symbol);
                    let mut place = Vec::new();
                    self.read.resized().subscripts(self.read.program(), &r, &mut place);
                    writes.push(Write { var, kills, own, place: self.again(&place, id), fills: false, since: None, unless_again: false });
                    if assigns {
                        set = Some(var);
                        if let dims @ 1..=31 = r.subscripts.len()
                            && !r.has_section()
                        {
                            self.whole.open.insert(id, (1 << dims) - 1);
                        }
                    } else {
                        places.push((var, r));
                    }
                }
                let inverse = self.inverses.remove(&id);
                let step = Step {
                    records_state: false,
                    id,
                    // What is run again in the reverse sweep finds what is set again there.
                    reads: self.again(&facts.reads, id),
                    writes,
                    always: facts.always,
                    adjoint: !facts.adjoint.is_empty() || !facts.reopen.is_empty(),
                    needs: self.again(&facts.needs, id),
                    restores: facts.restores,
                    rare: Rare {
                        clobbers: self.vars(&facts.clobbers),
                        after: self.again(&facts.after, id),
                        spent: self.vars(&facts.spent),
                    }
                    .kept(),
                    once: facts.always || facts.restores || facts.instead.is_some() || !facts.reopen.is_empty(),
                    loud: facts.loud,
                    undoes: inverse.is_some(),
                    cost: cost(s),
                };
                if !matches!(s.kind, StmtKind::Assignment { .. } | StmtKind::Propagator(_)) {
                    let written = step.writes.iter().flat_map(|w| w.place.iter().chain([&w.var]));
                    let lists = [&step.reads[..], &step.needs, step.clobbers(), step.after(), step.spent()];
                    for &v in lists.into_iter().flatten().chain(written) {
                        if let Some(&touched) = self.universe.symbols.get(v as usize) {
                            self.whole.touched.add(touched, id);
                        }
                    }
                }
                let adjoint_first = facts.restores || !facts.after.is_empty();
                let rest = Rest { places, spent: facts.spent, instead: facts.instead, reopen: facts.reopen, inverse };
                self.prepared.put(id, Prepared { adjoint: facts.adjoint, adjoint_first, set, rest: rest.boxed() });
                Flow::Step(step)
            }
            ItemKind::Branch { condition, arms, .. } => {
                let operands = self.expr(condition, id);
                let mut flows: Vec<Vec<Flow>> = arms.iter().map(|a| self.sequence(&a.body)).collect();
                if !arms.iter().any(|a| a.values.is_empty()) {
                    flows.push(Vec::new());
                }
                let recomputed = self.branches.get(&id) == Some(&Decision::Recomputed);
                Flow::Branch { id, operands, recomputed, arms: flows }
            }
            ItemKind::Loop { head, .. } if head.checkpoint.is_some() => self.asked(item),
            ItemKind::Loop { .. } => self.repeat(item),
        }
    }

    /// A loop that the user wants checkpointed: it needs the bounds of what its snapshots hold.
    fn asked(&mut self, item: &Item) -> Flow {
        let mut flow = self.repeat(item);
        let ItemKind::Loop { body, .. } = &item.kind else { return flow };
        let extents = self.read.extents(body);
        let extents: Vec<Var> = self.vars(&extents);
        if let Flow::Counted { operands, .. } | Flow::Tested { operands, .. } = &mut flow {
            operands.extend(extents);
            operands.sort_unstable();
            operands.dedup();
        }
        let arrays = iteration_arrays::of(self.read, &self.whole.touched, (item.id, last_id(item)), None, body);
        let fresh = self.vars(&arrays.fresh);
        // Snapshots hold whole variables.
        let mut named = rustc_hash::FxHashSet::default();
        mentions::mentioned(body, &mut named);
        let last = last_id(item);
        named.into_iter().for_each(|s| self.whole.touched.add(s, last));
        Flow::Asked { fresh, inner: Box::new(flow) }
    }

    /// The arrays of which no iteration of a loop touches what another one sets.
    fn apart(&mut self, head: &ForLoop, body: &[Item], range: (ItemId, ItemId)) -> Vec<Var> {
        let program = self.read.program();
        // Arrays that share memory with others are left out below.
        let Some(found) = Iterations::of(program, head, body, &|a, b| a == b) else { return Vec::new() };
        let steady = |s: SymbolId| self.read.is_alone(s) && (!found.reaches_out || self.read.is_fixed(s));
        let fits = |s: SymbolId| {
            program.symbol(s).rank > 0
                && self.read.is_alone(s)
                && !self.whole.touched.any_in(s, range)
                && found.keeps_apart(program, s, &steady, &|_, _| false)
        };
        let mut list: Vec<SymbolId> = found.set().filter(|&s| fits(s)).collect();
        list.sort_unstable();
        self.vars(&list)
    }

    /// The arrays of which each iteration of a loop has a slice of its own; tells the writes in its body.
    fn slices(
        &mut self,
        r: &crate::analysis::arrays::counted::Range,
        body: &[Item],
        range: (ItemId, ItemId),
        flow: &mut [Flow],
    ) -> Vec<Slice> {
        let mut found = iteration_elements::slices(r.index, body);
        found.retain(|p| self.read.is_alone(p.array) && !self.whole.touched.any_in(p.array, range));
        let mut out = Vec::with_capacity(found.len());
        let mut dims = FxHashMap::default();
        for p in found {
            let all = iteration_elements::is_all(self.read.program(), r, &p, &self.read.all_of(p.array), &|s| self.read.is_fixed(s));
            let var = self.universe.var(p.array);
            dims.insert(var, p.dim);
            out.push(Slice { var, all });
        }
        if !dims.is_empty() {
            self.fill(flow, &dims);
        }
        out
    }

    /// The arrays of which some writes in a loop overwrite only what was there before it; tells these writes.
    fn histories(&mut self, item: &Item, range: (ItemId, ItemId), flow: &mut [Flow]) -> Vec<Var> {
        let fits = |s: SymbolId| self.read.is_alone(s) && !self.whole.touched.any_in(s, range);
        let found = {
            let stays = Stays { alone: &|s| self.read.is_alone(s), fixed: &|s| self.read.is_fixed(s) };
            harmless_writes::since(self.read.program(), item, &self.prepared, &fits, &stays)
        };
        let mut writes: FxHashMap<ItemId, (Var, bool)> = FxHashMap::default();
        for First { write, array, unless_again } in found {
            writes.insert(write, (self.universe.var(array), unless_again));
        }
        if !writes.is_empty() {
            told(flow, &writes, item.id);
        }
        let mut out: Vec<Var> = writes.into_values().map(|(var, _)| var).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Notes in which dimensions the loop around has slices; where that are all of them, a write of an element leaves nothing of its slice.
    fn fill(&mut self, code: &mut [Flow], dims: &FxHashMap<Var, usize>) {
        for flow in code {
            match flow {
                Flow::Step(s) => {
                    if let ([w], Some(open)) = (&mut s.writes[..], self.whole.open.get_mut(&s.id))
                        && let Some(dim) = dims.get(&w.var)
                    {
                        *open &= !(1 << dim);
                        w.fills = *open == 0;
                    }
                }
                Flow::Branch { arms, .. } => arms.iter_mut().for_each(|a| self.fill(a, dims)),
                Flow::Counted { body, .. } | Flow::Tested { body, .. } => self.fill(body, dims),
                Flow::Asked { inner, .. } => self.fill(std::slice::from_mut(inner), dims),
                // Made later.
                Flow::Fused { .. } | Flow::Checkpointed(_) => {}
            }
        }
    }

    fn repeat(&mut self, item: &Item) -> Flow {
        let id = item.id;
        match &item.kind {
            ItemKind::Loop { head, kind: LoopKind::For(f), body } => match range(self.read.program(), f) {
                Some(r) => {
                    let index = self.universe.var(r.index);
                    let mut list = Vec::new();
                    for e in [&r.first, &r.bound, &r.stride] {
                        self.read.resized().operands(self.read.program(), e, &mut list);
                    }
                    let operands = self.again(&list, id);
                    let mut own = iteration_elements::elements(r.index, body);
                    self.vars::<Vec<Var>>(&own);
                    let mut flow = self.sequence(body);
                    let range = (id, last_id(item));
                    own.retain(|&s| !self.whole.touched.any_in(s, range));
                    let own = self.vars(&own);
                    let mut arrays = iteration_arrays::of(self.read, &self.whole.touched, range, Some(r.index), body);
                    arrays.fresh.retain(|&s| self.read.is_alone(s));
                    let (fresh, mut apart) = (self.vars(&arrays.fresh), self.apart(f, body, range));
                    apart.extend(self.vars::<Vec<Var>>(&arrays.alike));
                    let (slices, histories) = match head.checkpoint {
                        Some(_) => (Vec::new(), Vec::new()),
                        None => (self.slices(&r, body, range, &mut flow), self.histories(item, range, &mut flow)),
                    };
                    Flow::Counted { id, index, operands, own, slices, histories, fresh, apart, promised: head.parallel, body: flow }
                }
                None => {
                    self.problems.push(xaif::Diagnostic::error("OB4052", "the head of a counted loop does not have the form of one"));
                    Flow::Tested { id, operands: Vec::new(), body: Vec::new() }
                }
            },
            ItemKind::Loop { kind: LoopKind::While(c) | LoopKind::Until(c), body, .. } => {
                let operands = self.expr(c, id);
                Flow::Tested { id, operands, body: self.sequence(body) }
            }
            ItemKind::Stmt(_) | ItemKind::Branch { .. } => self.item(item),
        }
    }
}

/// Notes since which loop writes overwrite nothing that is read.
fn told(code: &mut [Flow], writes: &FxHashMap<ItemId, (Var, bool)>, since: ItemId) {
    for flow in code {
        match flow {
            Flow::Step(s) => {
                if let ([w], Some(&(var, unless_again))) = (&mut s.writes[..], writes.get(&s.id))
                    && w.var == var
                {
                    (w.since, w.unless_again) = (Some(since), unless_again);
                }
            }
            Flow::Branch { arms, .. } => arms.iter_mut().for_each(|a| told(a, writes, since)),
            Flow::Counted { body, .. } | Flow::Tested { body, .. } => told(body, writes, since),
            Flow::Asked { inner, .. } => told(std::slice::from_mut(inner), writes, since),
            // Made later.
            Flow::Fused { .. } | Flow::Checkpointed(_) => {}
        }
    }
}
