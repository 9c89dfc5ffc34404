//! The statements that accumulate a local Jacobian, and what is left to propagate.
//!
//! ```text
//! t = x*y                    w = sin(t);  c = cos(t)
//! u = sin(t)*z      ->       t = x*y;  u = w*z
//!                            c1 = z*c;  c2 = c1*y;  c3 = c1*x           (accumulation: each product as early as it can be)
//!                            ud = c2*xd + c3*yd + w*zd                  (propagation)
//! ```
//!
//! Every product is computed as soon as its factors are there, so that few factors are alive at a time; what is used once is written where it is used.
//!
//! Lives here: the way from operations to statements over variables that are given out one for each value. Which of them share storage is decided in
//! [`super::slots`]. Never here: which sequence of eliminations is best.

use crate::linearize::Factor;
use crate::linearize::flatten::Setting;
use crate::linearize::fold::{self, Fold};
use crate::linearize::graph::{Line, Sequence};
use crate::linearize::places::{Met, Places};
use overbar_eliminate::code::{Base, Code, Operation, Value};
use overbar_eliminate::graph::{Graph, Role};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use xaif::model::{Expr, NodeKind, Propagation, Stmt, StmtKind, SymbolId, VarRef};

/// A sequence with its local Jacobian.
#[derive(Clone, Debug, Default)]
pub struct Emitted {
    /// The statements, in order, with the number of the original where it is one.
    pub stmts: Vec<(Box<Stmt>, Option<usize>)>,
    /// What is propagated behind them, in the order of execution: [`Propagation::Sax`] and [`Propagation::Zero`] only.
    pub propagation: Vec<Propagation>,
    /// Variables of the propagation whose derivatives belong to no variable of the program: intermediate sums.
    pub sums: Vec<SymbolId>,
}

/// Expressions up to this size are written where they are used once.
const INLINED: usize = 14;

struct Emitter<'a, 'h> {
    setting: &'h mut dyn Setting,
    sequence: &'a Sequence,
    code: &'a Code,
    out: Vec<(Box<Stmt>, Option<usize>)>,
    /// The factor on a given edge, once it is there.
    given: Vec<Option<Expr>>,
    results: Vec<Option<Expr>>,
    given_uses: Vec<u32>,
    result_uses: Vec<u32>,
    /// What is propagated, so that it must stay in a variable.
    kept_given: Vec<bool>,
    kept_results: Vec<bool>,
    /// Operations that wait for a factor.
    waiting_given: Vec<SmallVec<[u32; 2]>>,
    waiting_results: Vec<SmallVec<[u32; 2]>>,
    missing: Vec<u32>,
    ready: BinaryHeap<Reverse<u32>>,
    /// Factors and results that hold only until the next statement, unless they are put into variables.
    loose_given: Vec<u32>,
    loose_results: Vec<u32>,
    /// The last line that writes a variable.
    last_write: FxHashMap<SymbolId, usize>,
    suspect_writes: Vec<(SymbolId, usize)>,
    at: usize,
}

/// Writes a sequence out.
pub fn emit(setting: &mut dyn Setting, stmts: &[Box<Stmt>], sequence: &Sequence, graph: &Graph, code: &Code) -> Emitted {
    let mut e = Emitter {
        setting,
        sequence,
        code,
        out: Vec::new(),
        given: vec![None; sequence.edges.len()],
        results: vec![None; code.operations.len()],
        given_uses: vec![0; sequence.edges.len()],
        result_uses: vec![0; code.operations.len()],
        kept_given: vec![false; sequence.edges.len()],
        kept_results: vec![false; code.operations.len()],
        waiting_given: vec![SmallVec::new(); sequence.edges.len()],
        waiting_results: vec![SmallVec::new(); code.operations.len()],
        missing: vec![0; code.operations.len()],
        ready: BinaryHeap::new(),
        loose_given: Vec::new(),
        loose_results: Vec::new(),
        last_write: FxHashMap::default(),
        suspect_writes: Vec::new(),
        at: 0,
    };
    e.prepare(stmts);
    e.lines(stmts);
    let (propagation, sums) = e.propagation(graph);
    Emitted { stmts: e.out, propagation, sums }
}

fn values(o: &Operation) -> impl Iterator<Item = Value> + '_ {
    o.terms.iter().flat_map(|t| std::iter::once(t.left).chain(t.right))
}

impl Emitter<'_, '_> {
    fn prepare(&mut self, stmts: &[Box<Stmt>]) {
        for r in &self.code.remaining {
            match r.value.base {
                Base::Given(k) => self.kept_given[k as usize] = true,
                Base::Result(k) => self.kept_results[k as usize] = true,
                Base::One => {}
            }
        }
        // Operations that nothing uses are left out.
        let mut used = self.kept_results.clone();
        for (k, o) in self.code.operations.iter().enumerate().rev() {
            if used[k] {
                values(o).for_each(|v| {
                    if let Base::Result(r) = v.base {
                        used[r as usize] = true;
                    }
                });
            }
        }
        for (k, o) in self.code.operations.iter().enumerate() {
            if !used[k] {
                self.missing[k] = u32::MAX;
                continue;
            }
            for v in values(o) {
                match v.base {
                    Base::Given(g) => {
                        self.given_uses[g as usize] += 1;
                        self.waiting_given[g as usize].push(k as u32);
                        self.missing[k] += 1;
                    }
                    Base::Result(r) => {
                        self.result_uses[r as usize] += 1;
                        self.waiting_results[r as usize].push(k as u32);
                        self.missing[k] += 1;
                    }
                    Base::One => {}
                }
            }
            if self.missing[k] == 0 {
                self.ready.push(Reverse(k as u32));
            }
        }
        for (at, line) in self.sequence.lines.iter().enumerate() {
            if let Line::Statement(k, _) = line
                && let Some(StmtKind::Assignment { lhs, .. }) = stmts.get(*k).map(|s| &s.kind)
            {
                self.last_write.insert(lhs.symbol, at);
                if self.setting.suspect(lhs.symbol) {
                    self.suspect_writes.push((lhs.symbol, at));
                }
            }
        }
    }

    /// A variable, or an element, that keeps its value to the end of the sequence.
    fn stays(&self, e: &Expr) -> bool {
        let [node] = &e.nodes[..] else { return false };
        let NodeKind::Var(r) = &node.kind else { return fold::number(e).is_some() };
        let unchanged = |s: SymbolId| {
            self.last_write.get(&s).is_none_or(|&at| at < self.at)
                && (!self.setting.suspect(s) || self.suspect_writes.iter().all(|&(w, at)| at < self.at || !self.setting.overlap(w, s)))
        };
        let mut ok = unchanged(r.symbol);
        r.index_exprs().for_each(|e| e.for_each_ref(&mut |r| ok &= unchanged(r.symbol)));
        ok
    }

    fn put(&mut self, e: Expr) -> Expr {
        let s = self.setting.variable(self.sequence.ty);
        self.out.push((Box::new(Stmt::assign(VarRef::whole(s), e)), None));
        Expr::sym(s)
    }

    fn lines(&mut self, stmts: &[Box<Stmt>]) {
        self.operations();
        for (at, line) in self.sequence.lines.iter().enumerate() {
            self.at = at;
            match line {
                Line::Set(s, e) => self.out.push((Box::new(Stmt::assign(VarRef::whole(*s), e.clone())), None)),
                Line::Edge(k) => self.edge(*k),
                Line::Statement(k, rhs) => {
                    self.operations();
                    self.settle();
                    let Some(stmt) = stmts.get(*k) else { continue };
                    let stmt = match (&stmt.kind, rhs) {
                        (StmtKind::Assignment { lhs, .. }, Some(new)) => {
                            Box::new(stmt.with_kind(StmtKind::Assignment { lhs: lhs.clone(), rhs: new.clone() }))
                        }
                        _ => stmt.clone(),
                    };
                    self.out.push((stmt, Some(*k)));
                }
            }
        }
        self.operations();
        self.settle();
    }

    fn edge(&mut self, k: u32) {
        let i = k as usize;
        if self.given_uses[i] == 0 && !self.kept_given[i] {
            return;
        }
        let e = self.sequence.edges[i].factor.to_expr(self.sequence.ty);
        let e = if self.stays(&e) {
            e
        } else if self.given_uses[i] == 1 && !self.kept_given[i] && e.nodes.len() <= INLINED {
            self.loose_given.push(k);
            e
        } else {
            self.put(e)
        };
        self.given[i] = Some(e);
        for o in std::mem::take(&mut self.waiting_given[i]) {
            self.arrived(o);
        }
    }

    fn arrived(&mut self, operation: u32) {
        let m = &mut self.missing[operation as usize];
        *m -= 1;
        if *m == 0 {
            self.ready.push(Reverse(operation));
        }
    }

    /// Whether an operation reads what does not hold for long.
    fn is_loose(&self, o: &Operation) -> bool {
        values(o).any(|v| match v.base {
            Base::Given(k) => self.loose_given.contains(&k),
            Base::Result(k) => self.loose_results.contains(&k),
            Base::One => false,
        })
    }

    fn expr(&self, v: Value) -> Expr {
        let e = match v.base {
            Base::One => None,
            Base::Given(k) => self.given[k as usize].clone(),
            Base::Result(k) => self.results[k as usize].clone(),
        };
        e.unwrap_or_else(|| fold::real(1.0, None, self.sequence.ty))
    }

    /// Computes all operations that can be.
    fn operations(&mut self) {
        while let Some(Reverse(k)) = self.ready.pop() {
            let o = &self.code.operations[k as usize];
            let mut sum: Option<Expr> = None;
            for t in &o.terms {
                let f = Fold { program: self.setting.program() };
                let factor = |v| f.precise(self.expr(v), self.sequence.ty);
                let term = match t.right {
                    Some(right) => f.mul(factor(t.left), factor(right)),
                    None => factor(t.left),
                };
                sum = Some(match (sum, t.left.negative) {
                    (None, false) => term,
                    (None, true) => f.neg(term),
                    (Some(s), false) => f.add(s, term),
                    (Some(s), true) => f.sub(s, term),
                });
            }
            let e = sum.unwrap_or_else(|| fold::real(1.0, None, self.sequence.ty));
            let loose = self.is_loose(o);
            let once = self.result_uses[k as usize] == 1 && !self.kept_results[k as usize];
            let e = if fold::number(&e).is_some() {
                e
            } else if once && e.nodes.len() <= INLINED {
                if loose {
                    self.loose_results.push(k);
                }
                e
            } else {
                self.put(e)
            };
            values(o).for_each(|v| match v.base {
                Base::Given(g) => self.loose_given.retain(|&l| l != g),
                Base::Result(r) => self.loose_results.retain(|&l| l != r),
                Base::One => {}
            });
            self.results[k as usize] = Some(e);
            for next in std::mem::take(&mut self.waiting_results[k as usize]) {
                self.arrived(next);
            }
        }
    }

    /// Puts into variables what would not hold behind the next statement.
    fn settle(&mut self) {
        for k in std::mem::take(&mut self.loose_given) {
            if let Some(e) = self.given[k as usize].take() {
                self.given[k as usize] = Some(self.put(e));
            }
        }
        for k in std::mem::take(&mut self.loose_results) {
            if let Some(e) = self.results[k as usize].take() {
                self.results[k as usize] = Some(self.put(e));
            }
        }
    }

    /// A factor of what is left, in a variable or simple.
    fn factor(&mut self, v: Value) -> Expr {
        let e = self.expr(v);
        if v.negative { Fold { program: self.setting.program() }.neg(e) } else { e }
    }

    fn propagation(&mut self, graph: &Graph) -> (Vec<Propagation>, Vec<SymbolId>) {
        let place: FxHashMap<u32, &VarRef> = self.sequence.inputs.iter().map(|(r, v)| (*v, r)).collect();
        let mut sources: Vec<Option<VarRef>> = vec![None; graph.vertices.len()];
        let mut sums: FxHashMap<u32, Vec<(Expr, VarRef)>> = FxHashMap::default();
        let mut out = Vec::new();
        let mut made = Vec::new();
        let mut remaining = self.code.remaining.iter().peekable();
        let mut reads = vec![0u32; graph.vertices.len()];
        self.code.remaining.iter().for_each(|r| reads[r.source as usize] += 1);
        // Sums that are read once and as they are need no variable: their terms go where they are read.
        let mut open: FxHashMap<u32, Vec<(Expr, VarRef)>> = FxHashMap::default();
        // Outputs proper have higher numbers than all else they read, and may be read by nobody.
        for v in 0..graph.vertices.len() as u32 {
            let mut terms: Vec<(Expr, VarRef)> = Vec::new();
            while let Some(r) = remaining.next_if(|r| r.target == v) {
                let factor = self.factor(r.value);
                let sign = fold::number(&factor).filter(|x| x.abs() == 1.0);
                if let Some(inner) = open.remove(&r.source) {
                    if let Some(sign) = sign {
                        for (a, x) in inner {
                            let a = if sign < 0.0 { Fold { program: self.setting.program() }.neg(a) } else { a };
                            self.add_term(&mut terms, a, x);
                        }
                        continue;
                    }
                    let s = self.sum(inner, &mut out, &mut made);
                    sources[r.source as usize] = Some(s);
                }
                if let Some(source) = sources[r.source as usize].clone() {
                    self.add_term(&mut terms, factor, source);
                }
            }
            let vertex = graph.vertices[v as usize];
            match vertex.role {
                Role::Input => {
                    if let Some(r) = place.get(&vertex.origin) {
                        sources[v as usize] = Some((*r).clone());
                    }
                }
                Role::Intermediate if terms.is_empty() => {}
                Role::Intermediate => match &terms[..] {
                    [(one, x)] if fold::number(one) == Some(1.0) => {
                        sources[v as usize] = Some(x.clone());
                    }
                    _ if reads[v as usize] == 1 => {
                        open.insert(v, terms);
                    }
                    _ => {
                        let s = self.sum(terms, &mut out, &mut made);
                        sources[v as usize] = Some(s);
                    }
                },
                Role::Output => {
                    sums.insert(vertex.origin, terms);
                }
            }
        }
        self.outputs(sums, &mut out, &mut made);
        (out, made)
    }

    /// The variables that the sequence sets, by what their values are summed from.
    fn outputs(&mut self, mut sums: FxHashMap<u32, Vec<(Expr, VarRef)>>, out: &mut Vec<Propagation>, made: &mut Vec<SymbolId>) {
        // A value that several variables get is summed once.
        let mut times: FxHashMap<u32, u32> = FxHashMap::default();
        for v in self.sequence.outputs.iter().filter_map(|o| o.1) {
            *times.entry(v).or_insert(0) += 1;
        }
        for v in self.sequence.outputs.iter().filter_map(|o| o.1) {
            let (Some(n), Some(terms)) = (times.get(&v), sums.get_mut(&v)) else { continue };
            let simple = terms.len() == 1 && terms.iter().all(|(f, _)| fold::number(f) == Some(1.0));
            if *n > 1 && !simple {
                let one = fold::real(1.0, None, self.sequence.ty);
                let inner = std::mem::take(terms);
                let s = self.sum(inner, out, made);
                *terms = vec![(one, s)];
            }
        }
        // Who gets a value last gets the terms themselves.
        let mut last = |v: u32| {
            let left = times.get_mut(&v).map_or(0, |n| {
                *n -= 1;
                *n
            });
            if left == 0 { sums.remove(&v).unwrap_or_default() } else { sums.get(&v).cloned().unwrap_or_default() }
        };
        let outputs: Vec<(VarRef, Vec<(Expr, VarRef)>)> =
            self.sequence.outputs.iter().map(|(r, v)| (r.clone(), v.map(&mut last).unwrap_or_default())).collect();
        self.in_order(outputs, out, made);
    }

    fn sum(&mut self, terms: Vec<(Expr, VarRef)>, out: &mut Vec<Propagation>, made: &mut Vec<SymbolId>) -> VarRef {
        let s = VarRef::whole(self.setting.variable(self.sequence.ty));
        made.push(s.symbol);
        out.push(Propagation::Sax { terms, y: s.clone() });
        s
    }

    /// Adds a term to a sum; factors of one variable are added up.
    fn add_term(&self, terms: &mut Vec<(Expr, VarRef)>, a: Expr, x: VarRef) {
        match terms.iter_mut().find(|(b, y)| *y == x && b.nodes.len() + a.nodes.len() <= INLINED) {
            Some((b, _)) => *b = Fold { program: self.setting.program() }.add(b.clone(), a),
            None => terms.push((a, x)),
        }
    }

    /// All outputs are set at once; one after the other, none may be set while another one still reads what was there.
    fn in_order(&mut self, outputs: Vec<(VarRef, Vec<(Expr, VarRef)>)>, out: &mut Vec<Propagation>, made: &mut Vec<SymbolId>) {
        let inner: FxHashSet<SymbolId> = made.iter().copied().collect();
        // The variables that are read, each with the last output that reads it.
        let mut read = Places::default();
        let mut last: Vec<usize> = Vec::new();
        for (k, (_, terms)) in outputs.iter().enumerate() {
            for (_, r) in terms.iter().filter(|(_, r)| !inner.contains(&r.symbol)) {
                match read.exact(r) {
                    Some(n) => last[n as usize] = k,
                    None => {
                        read.enter(r, last.len() as u32, &*self.setting);
                        last.push(k);
                    }
                }
            }
        }
        let mut delayed: Vec<(VarRef, VarRef)> = Vec::new();
        let mut delayed_places = Places::default();
        for (k, (place, terms)) in outputs.into_iter().enumerate() {
            let read_later = match read.find_alone(&place, &*self.setting) {
                Met::Nothing => false,
                Met::One(n) => last[n as usize] > k,
                Met::Unclear => true,
            };
            let behind_delayed = delayed_places.find(&place, &*self.setting) != Met::Nothing;
            if read_later || behind_delayed {
                delayed_places.enter(&place, 0, &*self.setting);
            }
            if (read_later || behind_delayed) && !terms.is_empty() {
                let s = VarRef::whole(self.setting.variable(self.sequence.ty));
                made.push(s.symbol);
                out.push(Propagation::Sax { terms, y: s.clone() });
                delayed.push((place, s));
            } else if read_later || behind_delayed {
                // Zero needs no variable on the way.
                delayed.push((place.clone(), place));
            } else if terms.is_empty() {
                out.push(Propagation::Zero { target: place });
            } else {
                out.push(Propagation::Sax { terms, y: place });
            }
        }
        let one = fold::real(1.0, None, self.sequence.ty);
        for (place, source) in delayed {
            if place == source {
                out.push(Propagation::Zero { target: place });
            } else {
                out.push(Propagation::Sax { terms: vec![(one.clone(), source)], y: place });
            }
        }
    }
}

/// The derivative that one line of a propagation sets, with its value. `derivative` says what stands for the derivative of a reference.
pub fn tangent(fold: Fold, line: &Propagation, derivative: &dyn Fn(&VarRef) -> VarRef) -> Option<(VarRef, Expr)> {
    match line {
        Propagation::Sax { terms, y } => {
            let mut sum: Option<Expr> = None;
            for (a, x) in terms {
                // A factor may turn out to be zero when constants are added up.
                let Some(f) = Factor::from_expr(a.clone()) else { continue };
                let term = f.times(fold.program, Expr::var(derivative(x)));
                sum = Some(match sum {
                    Some(s) => fold.add(s, term),
                    None => term,
                });
            }
            let ty = fold.program.symbol(y.symbol).ty;
            Some((derivative(y), sum.unwrap_or_else(|| fold::zero(ty))))
        }
        Propagation::Zero { target } => {
            let ty = fold.program.symbol(target.symbol).ty;
            Some((derivative(target), fold::zero(ty)))
        }
        _ => None,
    }
}
