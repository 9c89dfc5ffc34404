//! A value that a block pushes several times is pushed once, by the last; what follows from values that are pushed is not pushed at all.
//!
//! ```text
//! push x;  push i;  push -x;  push x*y              push x;  push i;  push y
//! push y;  push i                            ->     pop y;  pop i;  pop x;  n = -x;  p = x*y
//! ```
//!
//! The adjoint sweep goes backwards: what it has popped for the last step is still there when it comes to the others, and is the same if the forward sweep has
//! changed nothing of it between them. Lives here: which pushes of a block are left out. Never here: what is pushed.

use super::loop_indices::Known;
use super::references::canonical_expr;
use super::sequences::Surroundings;
use super::steps::Step;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use xaif::Program;
use xaif::model::{Expr, NodeKind, Stmt, StmtKind, SymbolId, VarRef};

/// Values with more operations are not computed again.
const MOST_OPERATIONS: usize = 4;

/// Leaves such pushes out. `known`: what the adjoint sweep of the block knows anyway.
pub fn share(program: &Program, around: &Surroundings, known: &Known, steps: &mut [Step]) {
    let mut search = Search { program, around, known, there: There::default() };
    for step in steps.iter_mut().rev() {
        search.step(step);
    }
}

/// The values that the adjoint sweep has, going backwards.
#[derive(Default)]
struct There {
    /// By what they look like.
    values: FxHashMap<u64, Vec<Popped>>,
    /// How often variables were changed.
    changes: FxHashMap<SymbolId, u32>,
    /// How often everything may have been changed.
    all: u32,
}

/// A value with the variable that has it.
struct Popped {
    value: Expr,
    variable: SymbolId,
    /// What it reads, and how often that had been changed.
    reads: Vec<(SymbolId, u32)>,
    all: u32,
}

impl There {
    fn count(&self, symbol: SymbolId) -> u32 {
        self.changes.get(&symbol).copied().unwrap_or(0)
    }

    /// The variables with such a value.
    fn find(&self, value: &Expr) -> impl Iterator<Item = SymbolId> {
        let same = move |p: &&Popped| p.all == self.all && p.value == *value && p.reads.iter().all(|&(s, n)| self.count(s) == n);
        self.values.get(&look(value)).into_iter().flatten().filter(same).map(|p| p.variable)
    }

    fn add(&mut self, value: Expr, variable: SymbolId) {
        let mut reads = Vec::new();
        value.for_each_ref(&mut |r| reads.push((r.symbol, self.count(r.symbol))));
        let popped = Popped { variable, reads, all: self.all, value };
        self.values.entry(look(&popped.value)).or_default().push(popped);
    }
}

/// A number that equal expressions have in common.
fn look(e: &Expr) -> u64 {
    let mut hash = FxHasher::default();
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        for n in &e.nodes {
            match &n.kind {
                NodeKind::Var(r) => {
                    r.symbol.hash(&mut hash);
                    open.extend(r.index_exprs());
                }
                NodeKind::Const(c) => c.value.hash(&mut hash),
                NodeKind::Op(op) => op.name.hash(&mut hash),
                _ => {}
            }
        }
    }
    hash.finish()
}

struct Search<'a> {
    program: &'a Program,
    around: &'a Surroundings,
    known: &'a Known,
    there: There,
}

/// Pushes of a step that are left out, by their places.
#[derive(Default)]
struct Spared {
    /// A variable has the value.
    same: Vec<(usize, SymbolId)>,
    /// The value is computed, in this order.
    computed: Vec<(usize, Expr)>,
}

/// The stack of a push or pop of a scalar, and the variable.
fn record<'s>(stmt: &'s Stmt, what: &str) -> Option<(bool, &'s VarRef)> {
    let StmtKind::Runtime { name, arguments } = &stmt.kind else { return None };
    let integers = match name.strip_prefix(what)? {
        "_i_s0" => true,
        "_s0" => false,
        _ => return None,
    };
    Some((integers, arguments.first()?.value.as_var()?))
}

/// Whether the statement is a push or pop of any kind.
fn is_record(stmt: &Stmt, what: &str) -> bool {
    matches!(&stmt.kind, StmtKind::Runtime { name, .. } if name.starts_with(what))
}

/// Which pop takes back what each push leaves; none where that is not plain.
fn pairs(step: &Step) -> Option<FxHashMap<usize, usize>> {
    let mut out = FxHashMap::default();
    for integers in [true, false] {
        let at = |list: &[Stmt], what: &str| -> Vec<usize> {
            (0..list.len()).filter(|&k| record(&list[k], what).is_some_and(|(i, _)| i == integers)).collect()
        };
        let (pushes, pops) = (at(&step.forward, "push"), at(&step.reverse, "pop"));
        if pushes.len() != pops.len() {
            return None;
        }
        out.extend(pushes.into_iter().rev().zip(pops));
    }
    // Records of arrays stand between those of scalars on the same stack.
    let count = |list: &[Stmt], what: &str| list.iter().filter(|s| is_record(s, what)).count();
    (count(&step.forward, "push") == out.len() && count(&step.reverse, "pop") == out.len()).then_some(out)
}

impl Search<'_> {
    /// A step, from its end to its beginning.
    fn step(&mut self, step: &mut Step) {
        let Some(pairs) = pairs(step) else {
            self.there.all += 1;
            return;
        };
        // Pushes whose value an assignment above them computes.
        let mut waiting: FxHashMap<SymbolId, usize> = FxHashMap::default();
        let mut spared = Spared::default();
        for k in (0..step.forward.len()).rev() {
            let stmt = &step.forward[k];
            if let Some((_, v)) = record(stmt, "push") {
                if self.program.symbol(v.symbol).temp {
                    waiting.insert(v.symbol, k);
                } else {
                    self.value(step, (k, pairs[&k]), &Expr::var(v.clone()), &mut spared);
                }
                continue;
            }
            if let StmtKind::Assignment { lhs, rhs } = &stmt.kind {
                self.changed(lhs.symbol);
                if let Some(push) = waiting.remove(&lhs.symbol) {
                    self.value(step, (push, pairs[&push]), rhs, &mut spared);
                }
                continue;
            }
            self.written(stmt);
        }
        if !spared.same.is_empty() || !spared.computed.is_empty() {
            self.left_out(step, &pairs, spared);
        }
    }

    /// Takes the pushes out, and says in the adjoint sweep where their values come from.
    fn left_out(&self, step: &mut Step, pairs: &FxHashMap<usize, usize>, spared: Spared) {
        let taken = |step: &Step, push: usize| record(&step.reverse[pairs[&push]], "pop").map(|(_, r)| r.symbol);
        let names: FxHashMap<SymbolId, SymbolId> = spared.same.iter().filter_map(|&(push, v)| Some((taken(step, push)?, v))).collect();
        let renamed = |r: &mut VarRef| r.symbol = names.get(&r.symbol).copied().unwrap_or(r.symbol);
        if !names.is_empty() {
            step.reverse.iter_mut().for_each(|s| for_each_ref_mut(s, &renamed));
        }
        let assigned = |(push, value): &(usize, Expr)| {
            let assign = Stmt::assign(VarRef::whole(taken(step, *push)?), value.clone());
            Some(Stmt { id: "factor_computed_again".into(), ..assign })
        };
        let computed: Vec<Stmt> = spared.computed.iter().filter_map(assigned).collect();
        let behind = pairs.values().max().map_or(0, |last| last + 1);
        step.reverse.splice(behind..behind, computed);
        let gone: FxHashSet<usize> = spared.same.iter().map(|s| s.0).chain(spared.computed.iter().map(|c| c.0)).collect();
        let pops: FxHashSet<usize> = gone.iter().map(|push| pairs[push]).collect();
        let pushed = gone.iter().filter_map(|&k| record(&step.forward[k], "push")).map(|(_, v)| v.symbol);
        let idle: FxHashSet<SymbolId> = pushed.filter(|&t| self.program.symbol(t).temp).collect();
        keep(&mut step.reverse, &|k, _| !pops.contains(&k));
        keep(&mut step.forward, &|k, _| !gone.contains(&k));
        // What was computed to be pushed is not computed any more.
        let mut read = FxHashSet::default();
        step.forward.iter().for_each(|s| reads(s, &mut read));
        let needed =
            |s: &Stmt| !matches!(&s.kind, StmtKind::Assignment { lhs, .. } if idle.contains(&lhs.symbol) && !read.contains(&lhs.symbol));
        keep(&mut step.forward, &|_, s| needed(s));
    }

    /// A value that is pushed, at the place where it is computed: it is the same as a later one, follows from such, or is there from now on.
    fn value(&mut self, step: &Step, (push, pop): (usize, usize), value: &Expr, spared: &mut Spared) {
        let Some((integers, popped)) = record(&step.reverse[pop], "pop") else { return };
        let mut steady = value.as_constant().is_none();
        value.for_each_ref(&mut |r| steady &= !self.around.is_shared(r.symbol));
        // Whoever is called may change what is handed over.
        let handed = |s: &Stmt| matches!(&s.kind, StmtKind::Call(c) if c.arguments.iter().any(|a| a.value.as_var().is_some_and(|r| r.symbol == popped.symbol && r.subscripts.is_empty())));
        if !steady || step.reverse.iter().any(handed) {
            return;
        }
        let value = canonical_expr(value);
        let ty = self.program.symbol(popped.symbol).ty;
        let same = self.there.find(&value).find(|&v| self.program.symbol(v).ty == ty);
        if let Some(variable) = same {
            spared.same.push((push, variable));
            return;
        }
        if !integers && let Some(again) = self.computed(&value) {
            spared.computed.push((push, again));
        }
        self.there.add(value, popped.symbol);
    }

    /// The value in terms of those that are there: a few sums, differences and products of them.
    fn computed(&self, value: &Expr) -> Option<Expr> {
        let cheap = ["add_scal_scal", "sub_scal_scal", "mul_scal_scal", "minus_scal"];
        let operations = value.nodes.iter().filter(|n| !n.operands.is_empty()).count();
        if operations == 0 || operations > MOST_OPERATIONS {
            return None;
        }
        let mut out = value.clone();
        for n in &mut out.nodes {
            match &mut n.kind {
                NodeKind::Const(_) => {}
                NodeKind::Op(op) if cheap.contains(&op.name.as_str()) => {}
                NodeKind::Var(r) => {
                    let alone = Expr::var(r.clone());
                    let index = self.known.get(&r.symbol).copied().filter(|_| r.subscripts.is_empty());
                    *r = VarRef::whole(index.or_else(|| self.there.find(&alone).next())?);
                }
                _ => return None,
            }
        }
        Some(out)
    }

    /// A variable had another value before.
    fn changed(&mut self, symbol: SymbolId) {
        *self.there.changes.entry(symbol).or_default() += 1;
    }

    fn written(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Runtime { name, arguments } if !name.starts_with("push") => {
                for r in arguments.iter().filter_map(|a| a.value.as_var()) {
                    self.changed(r.symbol);
                }
            }
            StmtKind::Runtime { .. } => {}
            _ => self.there.all += 1,
        }
    }
}

fn keep(list: &mut Vec<Stmt>, wanted: &dyn Fn(usize, &Stmt) -> bool) {
    let mut k = 0;
    list.retain(|s| {
        k += 1;
        wanted(k - 1, s)
    });
}

/// The variables that a statement reads, as far as temporaries can be among them.
fn reads(stmt: &Stmt, out: &mut FxHashSet<SymbolId>) {
    let mut look = |e: &Expr| e.for_each_ref(&mut |r| _ = out.insert(r.symbol));
    match &stmt.kind {
        StmtKind::Assignment { lhs, rhs } => {
            lhs.index_exprs().for_each(&mut look);
            look(rhs);
        }
        StmtKind::Runtime { arguments, .. } => arguments.iter().for_each(|a| look(&a.value)),
        StmtKind::Call(c) => c.arguments.iter().for_each(|a| look(&a.value)),
        StmtKind::Marker(_) | StmtKind::Propagator(_) => {}
    }
}

fn for_each_ref_mut(stmt: &mut Stmt, visit: &dyn Fn(&mut VarRef)) {
    let mut all = |e: &mut Expr| e.for_each_ref_mut(&mut |r| visit(r));
    match &mut stmt.kind {
        StmtKind::Assignment { lhs, rhs } => {
            lhs.index_exprs_mut().for_each(&mut all);
            all(rhs);
            visit(lhs);
        }
        StmtKind::Runtime { arguments, .. } => arguments.iter_mut().for_each(|a| all(&mut a.value)),
        StmtKind::Call(c) => c.arguments.iter_mut().for_each(|a| all(&mut a.value)),
        _ => {}
    }
}
