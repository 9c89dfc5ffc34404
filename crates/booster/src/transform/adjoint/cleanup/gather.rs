//! Adjoints of stencils in gather form.
//!
//! ```text
//! do i = n - 1, 2, -1                          do i = 3, n - 2
//!   ub(i - 1) = ub(i - 1) + c*vb(i)              ub(i) = ub(i) + c*vb(i + 1) + d*vb(i) + c*vb(i - 1)
//!   ub(i) = ub(i) + d*vb(i)              ->    end do
//!   ub(i + 1) = ub(i + 1) + c*vb(i)            (the elements at both ends one by one)
//!   vb(i) = 0                                  do i = 2, n - 1
//! end do                                         vb(i) = 0
//!                                              end do
//! ```
//!
//! A statement that reads neighbours has an adjoint that adds to neighbours: each iteration waits for what the one before it has stored. Written from
//! the side of what is added to, every element is stored once, and the iterations do not depend on each other, so compilers can vectorize them. That is the same sum
//! in another order where each iteration only adds to elements that the loop does not read, and where what it reads stays as it is but for zeros that it
//! sets behind itself. Nothing with a library function in it is computed twice.
//!
//! Source: the gather form of stencil adjoints is folklore; Hückelheim et al., "Parallelizable adjoint stencil computations using transposed
//! forward-mode algorithmic differentiation" (2017), describes it.
//!
//! Lives here: this change of finished loops of the reverse sweep. Never here: what is added.

use crate::analysis::arrays::counted::{for_loop, range};
use crate::linearize::fold::{Fold, number};
use crate::linearize::places::{apart, offset};
use crate::transform::adjoint::code::expressions::{cheap, inlined, mentions_any, moved, plus, same_place, varying, whole_number, without};
use crate::transform::adjoint::code::mentions::in_stmt;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind, comment, for_each_condition, for_each_stmt};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{BoolOp, Expr, ForLoop, Stmt, StmtKind, SymbolId, VarRef};

/// Loops with more vertices than this are left alone.
const MAX_VERTICES: usize = 300;

/// The greatest distance between the elements that an iteration adds to.
const MAX_WIDTH: i64 = 4;

/// What is known of variables.
pub(crate) struct Variables<'a> {
    /// The program.
    pub program: &'a Program,
    /// Whether two variables may share memory.
    pub overlap: &'a dyn Fn(SymbolId, SymbolId) -> bool,
    /// Local scalars of the unit.
    pub scalar: &'a dyn Fn(SymbolId) -> bool,
    /// Scalars that are set before every use.
    pub scratch: &'a FxHashSet<SymbolId>,
    /// Adjoint variables: loops that set anything else may be the original's.
    pub adjoint: &'a FxHashSet<SymbolId>,
}

/// The same code with loops in gather form where they gain by it.
pub(crate) fn loops(v: &Variables, items: Vec<Item>) -> Vec<Item> {
    if !items.iter().any(may_gain) {
        return items;
    }
    let mut total = FxHashMap::default();
    mentions(&items, &mut total);
    sequence(v, items, &total)
}

/// Whether a loop that adds to several elements is there.
fn may_gain(item: &Item) -> bool {
    match &item.kind {
        ItemKind::Stmt(_) => false,
        ItemKind::Branch { arms, .. } => arms.iter().any(|a| a.body.iter().any(may_gain)),
        ItemKind::Loop { body, .. } => {
            let sets_element = |i: &&Item| match &i.kind {
                ItemKind::Stmt(s) => matches!(&s.kind, StmtKind::Assignment { lhs, .. } if !lhs.subscripts.is_empty()),
                _ => false,
            };
            body.iter().filter(sets_element).nth(1).is_some() || body.iter().any(may_gain)
        }
    }
}

fn sequence(v: &Variables, items: Vec<Item>, total: &FxHashMap<SymbolId, usize>) -> Vec<Item> {
    let mut out = Vec::with_capacity(items.len());
    for mut item in items {
        match &mut item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| a.body = sequence(v, std::mem::take(&mut a.body), total)),
            ItemKind::Loop { head, kind, body } => {
                if let LoopKind::For(f) = &*kind
                    && let Some(mut new) = gathered(v, f, body, total)
                {
                    comment(&mut new, head.comment.clone());
                    out.extend(new);
                    continue;
                }
                **body = sequence(v, std::mem::take(&mut **body), total);
            }
        }
        out.push(item);
    }
    out
}

/// How often variables are named.
fn mentions(items: &[Item], count: &mut FxHashMap<SymbolId, usize>) {
    for_each_stmt(items, &mut |s| in_stmt(s, &mut |v| *count.entry(v).or_default() += 1));
    for_each_condition(items, &mut |c| c.for_each_ref(&mut |r| *count.entry(r.symbol).or_default() += 1));
}

/// The loop in gather form, if it is one that gains by it.
fn gathered(v: &Variables, head: &ForLoop, body: &[Item], total: &FxHashMap<SymbolId, usize>) -> Option<Vec<Item>> {
    let r = range(v.program, head)?;
    let (low, high) = match r.stride.as_int()? {
        1 => (r.first, r.bound),
        -1 => (r.bound, r.first),
        _ => return None,
    };
    let iteration = Iteration::read(v, r.index, body, total)?;
    let f = Fold { program: v.program };
    let index = Expr::sym(r.index);
    let add = |t: &Target, base: &Expr, o: i64, pick: &dyn Fn(i64) -> bool| t.increment(f, r.index, base, o, pick);
    let over = |from: Expr, to: Expr, body| Item::repeat(LoopKind::For(Box::new(for_loop(f, r.index, from, to, Expr::int(1)))), body);
    let mut widest = 0;
    let (mut out, mut middles, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for t in &iteration.targets {
        let (least, greatest) = (t.terms.first()?.0, t.terms.last()?.0);
        if least == greatest {
            rest.push(add(t, &index, least, &|_| true));
            continue;
        }
        widest = widest.max(greatest - least);
        for o in least..greatest {
            out.push(add(t, &low, o, &|c| c <= o));
        }
        middles.push(over(plus(f, &low, greatest), plus(f, &high, least), vec![add(t, &index, 0, &|_| true)]));
        for o in least + 1..=greatest {
            out.push(add(t, &high, o, &|c| c >= o));
        }
    }
    if widest == 0 || widest > MAX_WIDTH {
        return None;
    }
    out.extend(middles);
    rest.extend(iteration.zeros.into_iter().map(Item::stmt));
    if !rest.is_empty() {
        out.push(over(low.clone(), high.clone(), rest));
    }
    comment(&mut out, iteration.text.as_str());
    if let (Some(a), Some(b)) = (whole_number(v.program, &low), whole_number(v.program, &high)) {
        // With as many iterations as that, all there is are ends.
        return (b.saturating_sub(a) >= widest).then_some(out);
    }
    // Where there are fewer iterations, the ends would meet.
    let (last, constant) = offset(&high);
    let last = last.unwrap_or_else(|| Expr::int(0));
    let enough = Expr::boolean(BoolOp::GreaterOrEqual, [last, plus(f, &low, widest - 1 - constant)]);
    let as_before = || vec![Item::repeat(LoopKind::For(Box::new(head.clone())), body.to_vec())];
    Some(vec![Item::branch(enough, out, if widest > 1 { as_before() } else { Vec::new() })])
}

/// What is added to elements of one array that differ by a constant in one dimension.
struct Target {
    /// One of them.
    place: VarRef,
    /// The dimension.
    dim: usize,
    /// For each distance from the index, in ascending order, what is added.
    terms: Vec<(i64, Expr)>,
}

impl Target {
    /// `a(base + o) = a(base + o) + ...`: what all iterations that reach that element add, those whose distances are picked.
    fn increment(&self, f: Fold, index: SymbolId, base: &Expr, o: i64, pick: &dyn Fn(i64) -> bool) -> Item {
        let mut place = self.place.clone();
        place.subscripts[self.dim].index = Some(plus(f, base, o));
        let picked = self.terms.iter().filter(|(c, _)| pick(*c));
        let sum = picked.map(|(c, e)| moved(f, e, index, base, o - c)).reduce(|a, b| f.add(a, b)).unwrap_or_else(|| Expr::int(0));
        Item::stmt(Stmt::assign(place.clone(), f.add(Expr::var(place), sum)))
    }
}

/// An iteration, taken apart.
struct Iteration {
    targets: Vec<Target>,
    zeros: Vec<Stmt>,
    text: String,
}

impl Iteration {
    fn read(v: &Variables, index: SymbolId, body: &[Item], total: &FxHashMap<SymbolId, usize>) -> Option<Iteration> {
        let stmts: Vec<&Stmt> =
            body.iter().map(|i| if let ItemKind::Stmt(s) = &i.kind { Some(&**s) } else { None }).collect::<Option<_>>()?;
        let parts: Vec<(&VarRef, &Expr)> = stmts
            .iter()
            .map(|s| if let StmtKind::Assignment { lhs, rhs } = &s.kind { Some((lhs, rhs)) } else { None })
            .collect::<Option<_>>()?;
        if parts.iter().map(|(_, e)| e.nodes.len()).sum::<usize>() > MAX_VERTICES || parts.iter().any(|(_, e)| !cheap(e)) {
            return None;
        }
        let mut here = FxHashMap::default();
        mentions(body, &mut here);
        let scalars: FxHashSet<SymbolId> = parts.iter().filter(|(l, _)| l.subscripts.is_empty()).map(|(l, _)| l.symbol).collect();
        let private = |s: &SymbolId| (v.scalar)(*s) && *s != index && (v.scratch.contains(s) || here.get(s) == total.get(s));
        if !scalars.iter().all(private) {
            return None;
        }
        let f = Fold { program: v.program };
        let mut iteration = Iteration { targets: Vec::new(), zeros: Vec::new(), text: String::new() };
        let mut values: FxHashMap<SymbolId, Expr> = FxHashMap::default();
        let written: Vec<&VarRef> = parts.iter().filter(|(l, _)| !l.subscripts.is_empty()).map(|(l, _)| *l).collect();
        if !written.iter().all(|w| v.adjoint.contains(&w.symbol)) {
            return None;
        }
        let mut zeroed: Vec<&VarRef> = Vec::new();
        for (s, (lhs, rhs)) in stmts.iter().zip(&parts) {
            if !s.comment.is_empty() {
                iteration.text =
                    if iteration.text.is_empty() { s.comment.to_string() } else { format!("{}\n{}", iteration.text, s.comment) };
            }
            // What an iteration reads behind the zeros that it sets are these; scalars keep what was read before them.
            let meets_zero = |r: &VarRef| !same_place(r, lhs) && zeroed.iter().any(|w| (v.overlap)(w.symbol, r.symbol));
            if !rhs.every_ref(&|r| !meets_zero(r)) {
                return None;
            }
            let value = inlined(f, rhs, &values);
            if value.nodes.len() > MAX_VERTICES || mentions_any(&value, |r| scalars.contains(&r)) {
                return None;
            }
            if lhs.subscripts.is_empty() {
                values.insert(lhs.symbol, value);
                continue;
            }
            let (dim, distance) = varying(lhs, index)?;
            if lhs.index_exprs().any(|e| mentions_any(e, |r| scalars.contains(&r) || written.iter().any(|w| (v.overlap)(w.symbol, r)))) {
                return None;
            }
            if number(rhs) == Some(0.0) {
                zeroed.push(lhs);
                iteration.zeros.push(Stmt::assign((*lhs).clone(), (*rhs).clone()));
                continue;
            }
            let added = without(f, &value, lhs)?;
            // What is read stays as it is, or is set to zero by the same iteration later.
            let mut steady = true;
            added.for_each_ref(&mut |r| {
                let clashes = |w: &&VarRef| (v.overlap)(w.symbol, r.symbol);
                steady &= written.iter().filter(|w| clashes(w)).all(|w| same_place(w, r) && sets_zero(&parts, w));
            });
            if !steady {
                return None;
            }
            iteration.add(lhs, dim, distance, added, f);
        }
        // Different targets and zeros must not meet.
        let places = iteration.targets.iter().map(|t| (&t.place, t.dim));
        let zeros = zeroed.iter().filter_map(|z| varying(z, index).map(|(d, _)| (*z, d)));
        let all: Vec<(&VarRef, usize)> = places.chain(zeros).collect();
        let meet = |(a, d): &(&VarRef, usize), (b, e): &(&VarRef, usize)| {
            (v.overlap)(a.symbol, b.symbol) && !(a.symbol == b.symbol && d == e && apart(&without_dim(a, *d), &without_dim(b, *e)))
        };
        let clash = all.iter().enumerate().any(|(k, a)| all[..k].iter().any(|b| meet(a, b)));
        (!clash).then_some(iteration)
    }

    fn add(&mut self, lhs: &VarRef, dim: usize, distance: i64, added: Expr, f: Fold) {
        let rest = without_dim(lhs, dim);
        let same = |t: &Target| t.dim == dim && same_place(&without_dim(&t.place, dim), &rest);
        let at = self.targets.iter().position(same).unwrap_or_else(|| {
            self.targets.push(Target { place: lhs.clone(), dim, terms: Vec::new() });
            self.targets.len() - 1
        });
        let target = &mut self.targets[at];
        match target.terms.binary_search_by_key(&distance, |(c, _)| *c) {
            Ok(k) => {
                let old = std::mem::take(&mut target.terms[k].1);
                target.terms[k].1 = f.add(old, added);
            }
            Err(k) => target.terms.insert(k, (distance, added)),
        }
    }
}

/// Every statement with that left-hand side sets it to zero.
fn sets_zero(parts: &[(&VarRef, &Expr)], place: &VarRef) -> bool {
    parts.iter().filter(|(l, _)| l.symbol == place.symbol).all(|(_, e)| number(e) == Some(0.0))
}

fn without_dim(r: &VarRef, dim: usize) -> VarRef {
    let mut out = r.clone();
    if dim < out.subscripts.len() {
        out.subscripts.remove(dim);
    }
    out
}
