//! Local variables that some path uses before anything has set them, as far as a compiler can see.
//!
//! Lives here: one forward pass over a unit's graph (which variables has every path set?). Such variables get a start value where they are
//! declared: the program never uses it, but compilers do not see that. Never here: what is printed.

use super::set_in_branches::is_small_array;
use super::symbols::is_heap;
use petgraph::Direction::Incoming;
use petgraph::visit::{EdgeRef, IntoNodeReferences};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use xaif::model::{Expr, Passing, Stmt, StmtKind, Storage, SymbolId, Unit, VarRef, Vertex, VertexKind};
use xaif::{Program, types};

/// How many words of sets a unit may need: beyond that nothing is found.
const LIMIT: usize = 1 << 22;

/// A set of candidates, as bits.
type Set = Vec<u64>;

/// What is asked about, by number.
struct Candidates<'p> {
    program: &'p Program,
    units: &'p FxHashMap<SymbolId, &'p Unit>,
    constant: &'p FxHashSet<SymbolId>,
    /// What some unit puts on the stack.
    recorded: &'p FxHashSet<SymbolId>,
    numbers: FxHashMap<SymbolId, usize>,
}

/// Arguments that some unit may use before it has set them, though it need not: compilers look into functions and see a variable of the caller there.
pub(crate) fn used_first(program: &Program, constant: &FxHashSet<SymbolId>, recorded: &FxHashSet<SymbolId>) -> FxHashSet<SymbolId> {
    let units: FxHashMap<SymbolId, &Unit> = program.units.iter().map(|u| (u.symbol, u)).collect();
    let mut found = FxHashSet::default();
    for unit in &program.units {
        let scalars = unit.formals.iter().filter(|f| {
            let symbol = program.symbol(f.symbol);
            !f.result && symbol.rank == 0 && symbol.passing() == Passing::Reference && !constant.contains(&f.symbol)
        });
        let numbers: FxHashMap<SymbolId, usize> = scalars.enumerate().map(|(k, f)| (f.symbol, k)).collect();
        // What is set on some path only is what they warn of.
        let own: FxHashSet<SymbolId> = numbers.keys().copied().filter(|s| is_set_in(unit, *s)).collect();
        found.extend(used_unset(program, unit, &units, (constant, recorded), numbers).into_iter().filter(|s| own.contains(s)));
    }
    found
}

/// Whether a unit sets a variable itself.
fn is_set_in(unit: &Unit, s: SymbolId) -> bool {
    unit.graph.node_weights().any(|v| match &v.kind {
        VertexKind::Block { stmts, .. } => stmts.iter().any(|x| matches!(&x.kind, StmtKind::Assignment { lhs, .. } if lhs.symbol == s)),
        _ => false,
    })
}

/// Own local variables that may be used unset: scalars that are read, arrays that a call only reads, where no store precedes on some path.
pub(crate) fn perhaps_unset(
    program: &Program,
    unit: &Unit,
    constant: &FxHashSet<SymbolId>,
    recorded: &FxHashSet<SymbolId>,
) -> FxHashSet<SymbolId> {
    let units: FxHashMap<SymbolId, &Unit> = program.units.iter().map(|u| (u.symbol, u)).collect();
    let formals: FxHashSet<SymbolId> = unit.formals.iter().filter(|f| !f.result).map(|f| f.symbol).collect();
    let Some(scope) = program.scopes.get(unit.scope.index()) else { return FxHashSet::default() };
    let wanted = scope.symbols.iter().filter(|&&s| {
        let symbol = program.symbol(s);
        *symbol.storage() == Storage::Local && !symbol.pointer && !formals.contains(&s) && !is_heap(symbol)
    });
    let numbers: FxHashMap<SymbolId, usize> = wanted.enumerate().map(|(k, &s)| (s, k)).collect();
    used_unset(program, unit, &units, (constant, recorded), numbers)
}

/// Of some variables those that a unit may use before it has set them.
fn used_unset(
    program: &Program,
    unit: &Unit,
    units: &FxHashMap<SymbolId, &Unit>,
    (constant, recorded): (&FxHashSet<SymbolId>, &FxHashSet<SymbolId>),
    numbers: FxHashMap<SymbolId, usize>,
) -> FxHashSet<SymbolId> {
    let records = |callee: SymbolId| units.get(&callee).is_some_and(|u| u.formals.iter().any(|f| recorded.contains(&f.symbol)));
    let branches = unit.graph.node_weights().any(|v| match &v.kind {
        VertexKind::Block { stmts, .. } => stmts.iter().any(|s| match &s.kind {
            StmtKind::Assignment { rhs, .. } => copied(program, rhs).is_some(),
            StmtKind::Call(c) => records(c.callee),
            _ => false,
        }),
        VertexKind::Entry | VertexKind::Exit => false,
        _ => true,
    });
    let words = numbers.len().div_ceil(64);
    if !branches || words == 0 || words * unit.graph.node_count() > LIMIT {
        return FxHashSet::default();
    }
    let candidates = Candidates { program, units, constant, recorded, numbers };
    // Sets on leaving each vertex; everything, where no path has come yet.
    let mut leaving: Vec<Set> = vec![vec![u64::MAX; words]; unit.graph.node_count()];
    let entering = |leaving: &[Set], v| {
        let mut set: Set = vec![u64::MAX; words];
        let mut any = false;
        for e in unit.graph.edges_directed(v, Incoming) {
            any = true;
            set.iter_mut().zip(&leaving[e.source().index()]).for_each(|(a, b)| *a &= b);
        }
        if any { set } else { vec![0; words] }
    };
    let mut queue: VecDeque<_> = unit.graph.node_indices().collect();
    let mut waiting = vec![true; unit.graph.node_count()];
    while let Some(v) = queue.pop_front() {
        waiting[v.index()] = false;
        let mut set = entering(&leaving, v);
        candidates.vertex(&unit.graph[v], &mut set, &mut |_| {});
        if set != leaving[v.index()] {
            leaving[v.index()] = set;
            for w in unit.graph.neighbors(v) {
                if !std::mem::replace(&mut waiting[w.index()], true) {
                    queue.push_back(w);
                }
            }
        }
    }
    let mut found = FxHashSet::default();
    for (v, vertex) in unit.graph.node_references() {
        let mut set = entering(&leaving, v);
        candidates.vertex(vertex, &mut set, &mut |s| {
            found.insert(s);
        });
    }
    found
}

/// The array of which an assignment copies many elements.
fn copied<'e>(program: &Program, rhs: &'e Expr) -> Option<&'e VarRef> {
    rhs.as_var().filter(|r| program.symbol(r.symbol).rank > 0 && types::of_ref(program, r).rank > 0)
}

impl Candidates<'_> {
    fn read(&self, e: &Expr, set: &Set, found: &mut dyn FnMut(SymbolId)) {
        e.for_each_ref(&mut |r| self.used(r.symbol, false, set, found));
    }

    /// A use: of an array only as an argument, where compilers look at the whole of it.
    fn used(&self, s: SymbolId, argument: bool, set: &Set, found: &mut dyn FnMut(SymbolId)) {
        if let Some(&k) = self.numbers.get(&s)
            && set.get(k / 64).is_some_and(|w| w >> (k % 64) & 1 == 0)
            && (argument || self.program.symbol(s).rank == 0)
        {
            found(s);
        }
    }

    fn store(&self, lhs: &VarRef, set: &mut Set, found: &mut dyn FnMut(SymbolId)) {
        for e in lhs.index_exprs() {
            self.read(e, set, found);
        }
        if let Some(&k) = self.numbers.get(&lhs.symbol)
            && let Some(w) = set.get_mut(k / 64)
        {
            *w |= 1 << (k % 64);
        }
    }

    fn vertex(&self, v: &Vertex, set: &mut Set, found: &mut dyn FnMut(SymbolId)) {
        match &v.kind {
            VertexKind::Block { stmts, .. } => stmts.iter().for_each(|s| self.stmt(s, set, found)),
            VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => self.read(e, set, found),
            // The beginning comes before the first test; later iterations have it behind them.
            VertexKind::For(head) => {
                self.stmt(&head.init, set, found);
                self.read(&head.condition, set, found);
            }
            _ => {}
        }
    }

    fn stmt(&self, s: &Stmt, set: &mut Set, found: &mut dyn FnMut(SymbolId)) {
        match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                self.read(rhs, set, found);
                copied(self.program, rhs).into_iter().for_each(|r| self.used(r.symbol, true, set, found));
                self.store(lhs, set, found);
            }
            StmtKind::Call(call) => {
                let callee = self.units.get(&call.callee);
                let mut stored = Vec::new();
                for a in &call.arguments {
                    let formal = callee.and_then(|u| u.formals.iter().find(|f| f.position == a.position));
                    let value = formal.is_some_and(|f| !f.result && self.program.symbol(f.symbol).passing() == Passing::Value);
                    match a.value.as_var() {
                        Some(r) if !value && formal.is_some_and(|f| self.constant.contains(&f.symbol)) => {
                            self.used(r.symbol, true, set, found);
                        }
                        Some(r) if !value => {
                            // The callee may record what it overwrites.
                            if formal.is_some_and(|f| self.recorded.contains(&f.symbol)) {
                                self.used(r.symbol, true, set, found);
                            }
                            // Compilers look into functions of the text, which may set a part of it only.
                            if callee.is_none() || !is_small_array(self.program, r.symbol) {
                                stored.push(r);
                            }
                        }
                        _ => self.read(&a.value, set, found),
                    }
                }
                for r in stored {
                    self.store(r, set, found);
                }
            }
            StmtKind::Runtime { name, arguments } => {
                for a in arguments {
                    match a.value.as_var() {
                        Some(r) if name == "pop" => self.store(r, set, found),
                        _ => self.read(&a.value, set, found),
                    }
                }
            }
            StmtKind::Marker(m) => {
                for &w in &m.writes {
                    self.store(&VarRef::whole(w), set, found);
                }
            }
            StmtKind::Propagator(_) => {}
        }
    }
}
