//! What the to-be-recorded analysis sees of a unit: its code as sets of variables.
//!
//! Lives here: reading off what statements, branches and loops read, write and need; and which branches and loops can be reversed without a
//! record. Never here: the analysis itself, code.

use super::harmless_writes;
use super::harmless_writes::{First, Stays};
use super::invariants::{Around, Steady};
use super::invertible_steps;
use super::iteration_arrays;
use super::iteration_elements;
use super::recomputed::Renewed;
use crate::analysis::bits::Bits;
use crate::analysis::counted::range;
use crate::analysis::fresh::Piece;
use crate::analysis::recorded::{Flow, Overlaps, Rare, Slice, Step, Var, Write};
use crate::transform::adjoint::code::tree::{Item, ItemId, ItemKind, LoopKind};
use crate::transform::adjoint::statement::prepared::{List, Prepared, Rest};
use crate::transform::adjoint::sweep::sweeps::Decision;
use crate::transform::adjoint::variables::resized::Resized;
use arcstr::ArcStr;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use xaif::Program;
use xaif::model::{Call, Expr, NodeKind, Stmt, StmtKind, Storage, SymbolId, VarRef};

/// The variables of a unit, numbered.
#[derive(Debug, Default)]
pub(crate) struct Universe {
    /// The symbols in order of their numbers.
    pub symbols: Vec<SymbolId>,
    /// The numbers of symbols, which are asked for again and again, in pages: a program may have many more symbols than the unit.
    numbers: Vec<Option<Box<[Var; PAGE]>>>,
}

/// So many symbols are on one page.
const PAGE: usize = 256;

/// In the place of the number of a symbol that has none.
const NONE: Var = Var::MAX;

impl Universe {
    /// The number of a variable.
    pub fn var(&mut self, symbol: SymbolId) -> Var {
        let (page, at) = (symbol.index() / PAGE, symbol.index() % PAGE);
        if self.numbers.len() <= page {
            self.numbers.resize(page + 1, None);
        }
        let number = &mut self.numbers[page].get_or_insert_with(|| Box::new([NONE; PAGE]))[at];
        if *number == NONE {
            *number = self.symbols.len() as Var;
            self.symbols.push(symbol);
        }
        *number
    }

    /// The number of a variable, if it has one.
    pub fn known(&self, symbol: SymbolId) -> Option<Var> {
        let page = self.numbers.get(symbol.index() / PAGE)?.as_ref()?;
        Some(page[symbol.index() % PAGE]).filter(|&n| n != NONE)
    }

    /// Who may overlap whom; `sharing` has what may share memory with each variable. And what the reverse sweep sets again.
    pub fn overlaps(&self, sharing: &FxHashMap<SymbolId, Vec<SymbolId>>, renewed: &Renewed) -> Overlaps {
        let mut others = vec![Vec::new(); self.symbols.len()];
        for (i, a) in self.symbols.iter().enumerate() {
            for j in sharing.get(a).into_iter().flatten().filter_map(|b| self.known(*b)).filter(|&j| j as usize != i) {
                others[i].push(j);
                others[j as usize].push(i as Var);
            }
        }
        for list in &mut others {
            list.sort_unstable();
            list.dedup();
        }
        let mut again = Bits::none(self.symbols.len());
        renewed.variables().filter_map(|s| self.known(s)).for_each(|v| again.add(v));
        Overlaps { others, renewed: again }
    }
}

/// A write: see [`Write`].
#[derive(Debug)]
pub(crate) struct Written {
    /// Where.
    pub place: VarRef,
    /// All of the variable is overwritten for certain.
    pub kills: bool,
    /// See [`Write::own`].
    pub own: bool,
}

impl Written {
    /// A write that nobody but the recording undoes.
    pub fn new(place: VarRef, kills: bool) -> Written {
        Written { place, kills, own: true }
    }
}

/// What a statement does besides what its text says: calls, allocations.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// What it reads.
    pub reads: Vec<SymbolId>,
    /// What it writes.
    pub writes: Vec<Written>,
    /// It is executed in any case.
    pub always: bool,
    /// What the adjoint reads.
    pub needs: Vec<SymbolId>,
    /// What the adjoint overwrites.
    pub clobbers: Vec<SymbolId>,
    /// The adjoint.
    pub adjoint: Vec<Item>,
    /// The adjoint brings back all that the statement overwrites.
    pub restores: bool,
    /// What the adjoint reads with the values from behind the statement.
    pub after: Vec<SymbolId>,
    /// What nobody but the adjoint reads, with the values from here.
    pub spent: Vec<SymbolId>,
    /// See [`Rest::instead`].
    pub instead: Option<Vec<Item>>,
    /// See [`Rest::reopen`].
    pub reopen: Vec<Item>,
    /// It has effects besides what it writes.
    pub loud: bool,
}

/// Whether the value of a variable can change at all.
pub(crate) fn varies(program: &Program, s: SymbolId) -> bool {
    !matches!(program.symbol(s).storage(), Storage::Constant)
}

/// The variables that an expression reads or asks for the bounds of, each once.
pub(crate) fn operands(program: &Program, e: &Expr, into: &mut Vec<SymbolId>) {
    e.for_each_ref(&mut |r| {
        if varies(program, r.symbol) && !into.contains(&r.symbol) {
            into.push(r.symbol);
        }
    });
}

/// The variables in the subscripts of a reference.
pub(crate) fn subscripts(program: &Program, r: &VarRef, into: &mut Vec<SymbolId>) {
    for e in r.index_exprs() {
        operands(program, e, into);
    }
}

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

/// Where variables are written: for each the items, in text order.
#[derive(Debug, Default)]
pub(crate) struct Places(FxHashMap<SymbolId, Vec<ItemId>>);

impl Places {
    fn add(&mut self, s: SymbolId, id: ItemId) {
        let list = self.0.entry(s).or_default();
        if list.last() != Some(&id) {
            list.push(id);
        }
    }

    /// The variables that one item writes, and no other.
    pub fn once(&self) -> impl Iterator<Item = SymbolId> {
        self.0.iter().filter(|(_, list)| list.len() == 1).map(|(s, _)| *s)
    }

    /// How many items write the variable.
    pub fn count(&self, s: SymbolId) -> usize {
        self.0.get(&s).map_or(0, Vec::len)
    }

    /// The first item behind `after` that writes the variable.
    pub fn next(&self, s: SymbolId, after: ItemId) -> Option<ItemId> {
        let list = self.0.get(&s)?;
        list.get(list.partition_point(|&i| i <= after)).copied()
    }

    /// Whether the variable is written anywhere.
    pub fn contains(&self, s: SymbolId) -> bool {
        self.0.contains_key(&s)
    }

    /// Whether the variable is written behind item `after` and not behind item `upto`.
    pub fn any(&self, s: SymbolId, after: ItemId, upto: ItemId) -> bool {
        self.next(s, after).is_some_and(|i| i <= upto)
    }

    /// The items among these that write the variable.
    pub fn within(&self, s: SymbolId, (first, last): (ItemId, ItemId)) -> &[ItemId] {
        let Some(list) = self.0.get(&s) else { return &[] };
        let from = list.partition_point(|&i| i < first);
        &list[from..from.max(list.partition_point(|&i| i <= last))]
    }

    /// Whether the variable is written in these items.
    pub fn any_in(&self, s: SymbolId, (first, last): (ItemId, ItemId)) -> bool {
        let Some(list) = self.0.get(&s) else { return false };
        list.get(list.partition_point(|&i| i < first)).is_some_and(|&i| i <= last)
    }
}

/// Collects where variables are written; `writes` tells it for statements other than assignments.
pub(crate) fn places(items: &[Item], writes: &mut dyn FnMut(&xaif::model::Stmt) -> Vec<SymbolId>, out: &mut Places) {
    for item in items {
        match &item.kind {
            ItemKind::Stmt(s) => match &s.kind {
                StmtKind::Assignment { lhs, .. } => out.add(lhs.symbol, item.id),
                _ => writes(s).into_iter().for_each(|w| out.add(w, item.id)),
            },
            ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| places(&a.body, writes, out)),
            ItemKind::Loop { kind, body, .. } => {
                if let LoopKind::For(f) = kind
                    && let StmtKind::Assignment { lhs, .. } = &f.init.kind
                {
                    out.add(lhs.symbol, item.id);
                }
                places(body, writes, out);
            }
        }
    }
}

/// The last number used in an item and what is inside it.
pub(crate) fn last_id(item: &Item) -> ItemId {
    let mut last = item.id;
    let mut at = item;
    // The greatest number is that of the item that stands last.
    loop {
        let next = match &at.kind {
            ItemKind::Stmt(_) => None,
            ItemKind::Branch { arms, .. } => arms.iter().rev().find_map(|a| a.body.last()),
            ItemKind::Loop { body, .. } => body.last(),
        };
        match next {
            Some(n) => {
                last = n.id;
                at = n;
            }
            None => return last,
        }
    }
}

/// What may overlap what, as the unit sees it.
pub(crate) trait Overlap {
    /// All variables that may share memory with this one, itself included.
    fn sharing(&self, s: SymbolId) -> Vec<SymbolId>;
}

/// Turns counted loops whose bounds or index the body changes into loops with a condition.
pub(crate) fn uncount(program: &Program, items: Vec<Item>, places: &Places, overlap: &dyn Overlap, resized: &Resized) -> Vec<Item> {
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        let upto = last_id(&item);
        let Item { id, kind } = item;
        match kind {
            ItemKind::Stmt(s) => out.push(Item { id, kind: ItemKind::Stmt(s) }),
            ItemKind::Branch { head, condition, mut arms } => {
                for arm in arms.iter_mut() {
                    arm.body = uncount(program, std::mem::take(&mut arm.body), places, overlap, resized);
                }
                out.push(Item { id, kind: ItemKind::Branch { head, condition, arms } });
            }
            ItemKind::Loop { head, kind: LoopKind::For(f), body } => {
                let mut body = uncount(program, *body, places, overlap, resized);
                let counted = range(program, &f).is_some_and(|r| {
                    let mut fixed = vec![r.index];
                    for e in [&r.first, &r.bound, &r.stride] {
                        resized.operands(program, e, &mut fixed);
                    }
                    let changed = |s: SymbolId| overlap.sharing(s).into_iter().any(|o| places.any(o, id, upto));
                    !fixed.into_iter().any(changed)
                });
                if counted {
                    out.push(Item { id, kind: ItemKind::Loop { head, kind: LoopKind::For(f), body: Box::new(body) } });
                } else {
                    let mut init = Item::stmt(f.init);
                    if let ItemKind::Stmt(s) = &mut init.kind {
                        s.comment.clone_from(&head.comment);
                    }
                    out.push(init);
                    body.push(Item::stmt(f.update));
                    let head = Box::new(crate::transform::adjoint::code::tree::Head { comment: ArcStr::new(), ..*head });
                    out.push(Item {
                        id,
                        kind: ItemKind::Loop { head, kind: LoopKind::While(Box::new(f.condition)), body: Box::new(body) },
                    });
                }
            }
            ItemKind::Loop { head, kind, body } => {
                let body = uncount(program, *body, places, overlap, resized);
                out.push(Item { id, kind: ItemKind::Loop { head, kind, body: Box::new(body) } });
            }
        }
    }
    out
}

/// Chooses how branches are reversed: a condition is evaluated again where its operands have the same values then.
pub(crate) struct Branches<'a> {
    pub program: &'a Program,
    pub steady: &'a Steady<'a>,
    pub resized: &'a Resized,
    pub renewed: &'a Renewed,
    pub chosen: FxHashMap<ItemId, Decision>,
}

impl Branches<'_> {
    pub fn choose(&mut self, items: &[Item], around: &Around) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(_) => {}
                ItemKind::Branch { condition, arms, .. } => {
                    let mut read = Vec::new();
                    self.resized.operands(self.program, condition, &mut read);
                    let inside = (item.id, last_id(item));
                    let again = read.into_iter().all(|s| self.renewed.contains(s) || self.steady.stays(s, inside, around));
                    self.chosen.insert(item.id, if again { Decision::Recomputed } else { Decision::Kept });
                    for arm in &**arms {
                        self.choose(&arm.body, around);
                    }
                }
                ItemKind::Loop { kind, body, .. } => {
                    let index = match kind {
                        LoopKind::For(f) => range(self.program, f).map(|r| r.index),
                        _ => None,
                    };
                    self.choose(body, &around.inside((item.id, last_id(item)), index));
                }
            }
        }
    }
}

/// What takes back the assignments that are undone instead of recorded.
pub(crate) fn inverses(read: &dyn Read, items: &[Item], out: &mut FxHashMap<ItemId, Stmt>) {
    for item in items {
        match &item.kind {
            ItemKind::Stmt(s) => {
                let inverse = invertible_steps::inverse(read.program(), s, &|v| read.is_alone(v), &|v| read.is_fixed(v));
                out.extend(inverse.map(|i| (item.id, i)));
            }
            ItemKind::Branch { arms, .. } => arms.iter().for_each(|a| inverses(read, &a.body, out)),
            ItemKind::Loop { body, .. } => inverses(read, body, out),
        }
    }
}

/// Reads statements off: sets for the analysis, adjoints for the sweeps.
pub(crate) trait Read {
    /// What the analysis and the sweeps need to know of a statement, which has this number.
    ///
    /// # Errors
    /// What cannot be differentiated.
    fn facts(&mut self, id: ItemId, stmt: &xaif::model::Stmt) -> Result<Facts, xaif::Diagnostic>;
    /// The program.
    fn program(&self) -> &Program;
    /// Arrays whose bounds are not fixed.
    fn resized(&self) -> &Resized;
    /// What the bounds of the arrays in some code read.
    fn extents(&self, items: &[Item]) -> Vec<SymbolId>;
    /// Whether a variable shares no memory with another one.
    fn is_alone(&self, symbol: SymbolId) -> bool;
    /// Whether the unit never changes a variable.
    fn is_fixed(&self, symbol: SymbolId) -> bool;
    /// All of a variable: see [`crate::transform::adjoint::statement::assignment::Surroundings::whole`].
    fn all_of(&self, symbol: SymbolId) -> VarRef;
    /// What a call reads and sets: see [`Calls::pieces`](crate::transform::adjoint::unit::steps::Calls::pieces).
    fn pieces<'a>(&'a self, call: &'a Call) -> Option<Vec<Piece<'a>>>;
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

    /// The whole sequence.
    pub fn sequence(&mut self, items: &[Item]) -> Vec<Flow> {
        items.iter().map(|i| self.item(i)).collect()
    }

    fn item(&mut self, item: &Item) -> Flow {
        let id = item.id;
        match &item.kind {
            ItemKind::Stmt(s) => {
                let facts = self.read.facts(id, s).unwrap_or_else(|d| {
                    self.problems.push(d);
                    Facts::default()
                });
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
        let fresh = iteration_arrays::fresh(self.read, &self.whole.touched, (item.id, last_id(item)), body);
        let fresh = self.vars(&fresh);
        // Snapshots hold whole variables.
        let mut named = rustc_hash::FxHashSet::default();
        crate::transform::adjoint::cleanup::zeros::mentioned(body, &mut named);
        let last = last_id(item);
        named.into_iter().for_each(|s| self.whole.touched.add(s, last));
        Flow::Asked { fresh, inner: Box::new(flow) }
    }

    /// The arrays of which each round of a loop has a slice of its own; tells the writes in its body.
    fn slices(&mut self, r: &crate::analysis::counted::Range, body: &[Item], range: (ItemId, ItemId), flow: &mut [Flow]) -> Vec<Slice> {
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
                    let (slices, histories) = match head.checkpoint {
                        Some(_) => (Vec::new(), Vec::new()),
                        None => (self.slices(&r, body, range, &mut flow), self.histories(item, range, &mut flow)),
                    };
                    Flow::Counted { id, index, operands, own, slices, histories, promised: head.parallel, body: flow }
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
