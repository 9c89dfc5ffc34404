//! The adjoint of one assignment.
//!
//! ```text
//! v = u*sin(w)      ->      ub = ub + sin(w)*vb;  wb = wb + u*cos(w)*vb;  vb = 0
//! v = v + u         ->      ub = ub + vb
//! a(i) = a(j)*u     ->      t = ab(i);  ab(i) = 0;  ab(j) = ab(j) + u*t;  ub = ub + a(j)*t
//! ```
//!
//! Adjoints flow from the root of the term graph to its leaves; the adjoint of an inner vertex that is used more than once gets
//! a temporary. Everything is read with the values from just before the assignment. What a choice did not take gets nothing, by
//! a branch, never by a product with zero.
//!
//! Lives here: assignments without their surroundings. Never here: recording, control flow, calls.

use crate::linearize::fold::{self, Fold};
use crate::linearize::places::apart;
use crate::linearize::{Factor, LocalPartials, local_partials};
use crate::transform::adjoint::code::expressions;
use crate::transform::adjoint::code::expressions::same_place;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::shape::masked_assignments;
use xaif::catalogue::Catalogue;
use xaif::model::{ElemType, Expr, NodeId, NodeKind, Stmt, SymbolId, VarRef};
use xaif::{Diagnostic, Program, types};

/// A condition on which something happens: an expression and the value it must have.
type Guard = (Expr, bool);

/// One term of the adjoint of a vertex.
#[derive(Clone, Debug)]
struct Term {
    guards: Vec<Guard>,
    value: Expr,
}

/// A statement under conditions.
struct Guarded {
    guards: Vec<Guard>,
    stmt: Stmt,
}

/// The adjoint of `lhs = rhs`; empty where the left side has no adjoint. Where the left side `stays`, the adjoint runs while it still has the value of the
/// right side, and reads that value there.
///
/// # Errors
/// As [`local_partials`]; active statements on whole arrays.
pub(crate) fn adjoint(s: &mut dyn Surroundings, lhs: &VarRef, rhs: &Expr, stays: bool) -> Result<Vec<Item>, Diagnostic> {
    let Some(companion) = s.adjoint(lhs.symbol) else { return Ok(Vec::new()) };
    let lb = lhs.with_symbol(companion);
    let program = s.program();
    let value = types::of_ref(program, lhs);
    if !value.elem.is_real() {
        return Ok(Vec::new());
    }
    let partials = local_partials(program, s.catalogue(), rhs, &|r| !r.is_passive() && s.adjoint(r.symbol).is_some())?;
    let zero = Stmt::assign(lb.clone(), fold::zero(value.elem));
    if !partials.active.last().copied().unwrap_or(false) {
        return Ok(vec![Item::stmt(zero)]);
    }
    if value.rank > 0 {
        return Err(Diagnostic::error("OB4050", "an active assignment to a whole array or section reached the adjoint transformation")
            .because("it could not be written as a loop over its elements")
            .help("write the loop"));
    }
    let (selves, conflict) = left_sides(s, lhs, rhs, &partials);
    let mut out: Vec<Guarded> = Vec::new();
    let seed = if conflict {
        let t = s.scratch(value.elem);
        out.push(Guarded { guards: Vec::new(), stmt: Stmt::assign(VarRef::whole(t), Expr::var(lb.clone())) });
        out.push(Guarded { guards: Vec::new(), stmt: zero.clone() });
        Expr::sym(t)
    } else {
        Expr::var(lb.clone())
    };
    let leaves = propagated(s, rhs, &partials, seed, &mut out);
    // Leaves that are the same reference are served together.
    let mut served: Vec<(&VarRef, SymbolId, Vec<Term>)> = Vec::new();
    let mut own: Vec<Term> = Vec::new();
    for (i, list) in leaves {
        let NodeKind::Var(r) = &rhs.nodes[i].kind else { continue };
        if !conflict && selves.contains(&i) {
            own.extend(list);
            continue;
        }
        let Some(companion) = s.adjoint(r.symbol) else { continue };
        match served.iter_mut().find(|(q, ..)| same_place(q, r)) {
            Some((.., all)) => all.extend(list),
            None => served.push((r, companion, list)),
        }
    }
    // What the left-hand side hands on to itself whole (y(i) = y(i) + ...) just stays there.
    if conflict
        && let Some(k) = served.iter().position(|(r, ..)| same_place(r, lhs))
        && let [only] = &merged(folding(s), served[k].2.clone(), value.elem)[..]
        && only.guards.is_empty()
        && out
            .first()
            .is_some_and(|g| matches!(&g.stmt.kind, xaif::model::StmtKind::Assignment { lhs, .. } if only.value == Expr::var(lhs.clone())))
    {
        served.remove(k);
        out.remove(1);
    }
    for (r, companion, list) in served {
        let target = r.with_symbol(companion);
        for term in merged(folding(s), list, value.elem) {
            let sum = folding(s).add(Expr::var(target.clone()), term.value);
            out.push(Guarded { guards: term.guards, stmt: Stmt::assign(target.clone(), sum) });
        }
    }
    if !conflict {
        out.extend(left_behind(folding(s), own, (lb, zero), value.elem).map(|stmt| Guarded { guards: Vec::new(), stmt }));
    }
    let mut items = masked_assignments::branches(s.program(), nest(out, 0));
    if stays {
        let value = Expr::var(lhs.clone());
        items.iter_mut().for_each(|item| expressions::replace(item, rhs, &value));
    }
    Ok(super::common_values::share(s, items))
}

/// Which active references are the left side itself, and whether others may be.
fn left_sides(s: &dyn Surroundings, lhs: &VarRef, rhs: &Expr, partials: &LocalPartials) -> (Vec<usize>, bool) {
    let mut selves = Vec::new();
    let mut conflict = false;
    for (i, node) in rhs.nodes.iter().enumerate() {
        if let (NodeKind::Var(r), true) = (&node.kind, partials.active[i]) {
            if same_place(r, lhs) {
                selves.push(i);
            } else if (r.symbol == lhs.symbol && !apart(r, lhs)) || (r.symbol != lhs.symbol && s.overlap(r.symbol, lhs.symbol)) {
                conflict = true;
            }
        }
    }
    (selves, conflict)
}

/// From the root of the right side down to its active leaves: what their adjoints gain. Values that are read more than once go into variables.
fn propagated(
    s: &mut dyn Surroundings,
    rhs: &Expr,
    partials: &LocalPartials,
    seed: Expr,
    out: &mut Vec<Guarded>,
) -> Vec<(usize, Vec<Term>)> {
    let mut terms: Vec<Vec<Term>> = vec![Vec::new(); rhs.nodes.len()];
    terms[rhs.nodes.len() - 1].push(Term { guards: Vec::new(), value: seed });
    let mut leaves: Vec<(usize, Vec<Term>)> = Vec::new();
    for i in (0..rhs.nodes.len()).rev() {
        let mut incoming = std::mem::take(&mut terms[i]);
        if incoming.is_empty() || !partials.active[i] {
            continue;
        }
        let node = &rhs.nodes[i];
        if let NodeKind::Var(_) = node.kind {
            leaves.push((i, incoming));
            continue;
        }
        let uses = partials.factors[i].iter().filter(|f| f.is_some()).count();
        if incoming.len() > 1 || (uses > 1 && incoming.iter().any(|t| !trivial(&t.value))) {
            incoming = vec![collect(s, incoming, partials.types[i].elem, out)];
        }
        let is_select = matches!(&node.kind, NodeKind::Op(op) if op.name == "select");
        if let (NodeKind::Op(op), &[a, b]) = (&node.kind, &node.operands[..])
            && op.name == "div_scal_scal"
            && partials.factors[i].get(1).is_some_and(Option::is_some)
            // Another catalogue may have other partial derivatives.
            && std::ptr::eq(s.catalogue(), Catalogue::builtin())
        {
            for term in incoming {
                let [over, under] = quotient(s, rhs, i, term, (uses > 1, partials.types[i].elem), out);
                if uses > 1 {
                    terms[a.index()].push(over);
                }
                terms[b.index()].push(under);
            }
            continue;
        }
        for term in &incoming {
            for (k, &operand) in node.operands.iter().enumerate() {
                let Some(Some(factor)) = partials.factors[i].get(k) else { continue };
                if is_select && k > 0 {
                    let mut guards = term.guards.clone();
                    guards.push((rhs.subexpr(node.operands[0]), k == 1));
                    terms[operand.index()].push(Term { guards, value: term.value.clone() });
                } else {
                    terms[operand.index()].extend(product(s.program(), factor, term));
                }
            }
        }
    }
    leaves.sort_by_key(|(i, _)| *i);
    leaves
}

/// What the adjoint `t` of a quotient a/b adds to those of a and b, with one division for both: `t/b`, and `-(a/b)*(t/b)`, whose quotient compilers take from
/// where the value was computed.
fn quotient(
    s: &mut dyn Surroundings,
    rhs: &Expr,
    at: usize,
    term: Term,
    (both, ty): (bool, ElemType),
    out: &mut Vec<Guarded>,
) -> [Term; 2] {
    let value = rhs.subexpr(NodeId(at as u32));
    let b = rhs.subexpr(rhs.nodes[at].operands[1]);
    let mut over = Term { value: folding(s).div(term.value, b), guards: term.guards };
    if both {
        over = collect(s, vec![over], ty, out);
    }
    let f = folding(s);
    let under = Term { value: f.neg(f.mul(value, over.value.clone())), guards: over.guards.clone() };
    [over, under]
}

/// What becomes of the left side's own adjoint, by what it hands on to itself: zero where that is nothing, and nothing where it just stays.
fn left_behind(f: Fold, own: Vec<Term>, (lb, zero): (VarRef, Stmt), ty: ElemType) -> Option<Stmt> {
    if own.is_empty() {
        return Some(zero);
    }
    let own = merged(f, own, ty);
    if matches!(&own[..], [only] if only.guards.is_empty() && only.value == Expr::var(lb.clone())) {
        return None;
    }
    let total = own.into_iter().map(|t| chosen(f, t, ty)).reduce(|a, b| f.add(a, b)).unwrap_or_else(|| fold::zero(ty));
    Some(Stmt::assign(lb, total))
}

fn folding(s: &dyn Surroundings) -> Fold<'_> {
    Fold { program: s.program() }
}

/// Costs nothing to write twice.
fn trivial(e: &Expr) -> bool {
    e.nodes.len() == 1 || (e.nodes.len() == 2 && matches!(&e.root().kind, NodeKind::Op(op) if op.name == "minus_scal"))
}

/// factor * term; a choice with nothing on one side becomes a guard.
fn product(program: &Program, factor: &Factor, term: &Term) -> Vec<Term> {
    if let Factor::Value(e) = factor
        && let NodeKind::Op(op) = &e.root().kind
        && op.name == "select"
        && let [c, a, b] = e.root().operands[..]
    {
        let side = |n: NodeId| fold::number(&e.subexpr(n));
        if side(a) == Some(0.0) || side(b) == Some(0.0) {
            let mut out = Vec::new();
            for (n, sense) in [(a, true), (b, false)] {
                if let Some(f) = Factor::from_expr(e.subexpr(n)) {
                    let mut guards = term.guards.clone();
                    guards.push((e.subexpr(c), sense));
                    out.push(Term { guards, value: f.times(program, term.value.clone()) });
                }
            }
            return out;
        }
    }
    vec![Term { guards: term.guards.clone(), value: factor.times(program, term.value.clone()) }]
}

/// Puts the sum of the terms into a temporary.
fn collect(s: &mut dyn Surroundings, terms: Vec<Term>, ty: ElemType, out: &mut Vec<Guarded>) -> Term {
    let t = s.scratch(ty);
    let terms = merged(folding(s), terms, ty);
    if let [only] = &terms[..] {
        let stmt = Stmt::assign(VarRef::whole(t), only.value.clone());
        out.push(Guarded { guards: only.guards.clone(), stmt });
        return Term { guards: only.guards.clone(), value: Expr::sym(t) };
    }
    let (plain, guarded): (Vec<Term>, Vec<Term>) = terms.into_iter().partition(|t| t.guards.is_empty());
    let start = plain.into_iter().map(|t| t.value).reduce(|a, b| folding(s).add(a, b)).unwrap_or_else(|| fold::zero(ty));
    out.push(Guarded { guards: Vec::new(), stmt: Stmt::assign(VarRef::whole(t), start) });
    for g in guarded {
        out.push(Guarded { guards: g.guards, stmt: Stmt::assign(VarRef::whole(t), folding(s).add(Expr::sym(t), g.value)) });
    }
    Term { guards: Vec::new(), value: Expr::sym(t) }
}

/// Values with how often they occur.
type Counted = Vec<(Expr, u32)>;

/// Terms under the same guards are added up; equal ones are counted.
fn merged(f: Fold, terms: Vec<Term>, ty: ElemType) -> Vec<Term> {
    let mut out: Vec<(Vec<Guard>, Counted)> = Vec::new();
    for t in terms {
        let at = match out.iter().position(|(g, _)| *g == t.guards) {
            Some(at) => at,
            None => {
                out.push((t.guards, Vec::new()));
                out.len() - 1
            }
        };
        let list = &mut out[at].1;
        match list.iter_mut().find(|(e, _)| *e == t.value) {
            Some((_, n)) => *n += 1,
            None => list.push((t.value, 1)),
        }
    }
    out.into_iter()
        .filter_map(|(guards, list)| {
            let parts = list.into_iter().map(|(e, n)| if n == 1 { e } else { f.mul(fold::real(n.into(), None, ty), e) });
            parts.reduce(|a, b| f.add(a, b)).map(|value| Term { guards, value })
        })
        .collect()
}

/// The term as one expression.
fn chosen(f: Fold, term: Term, ty: ElemType) -> Expr {
    term.guards.into_iter().rev().fold(term.value, |value, (condition, sense)| {
        if sense { f.select(condition, value, fold::zero(ty)) } else { f.select(condition, fold::zero(ty), value) }
    })
}

/// Statements under conditions as nested branches; neighbours share them.
fn nest(list: Vec<Guarded>, depth: usize) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::new();
    let mut rest = list.into_iter().peekable();
    while let Some(g) = rest.next() {
        let Some((condition, sense)) = g.guards.get(depth).cloned() else {
            out.push(Item::stmt(g.stmt));
            continue;
        };
        let mut arms: [Vec<Guarded>; 2] = [Vec::new(), Vec::new()];
        arms[usize::from(!sense)].push(g);
        while let Some(next) = rest.next_if(|n| n.guards.get(depth).is_some_and(|(c, _)| *c == condition)) {
            let sense = next.guards.get(depth).is_some_and(|(_, s)| *s);
            arms[usize::from(!sense)].push(next);
        }
        let [then, otherwise] = arms;
        let (then, otherwise) = (nest(then, depth + 1), nest(otherwise, depth + 1));
        if then.is_empty() {
            let not = Expr::boolean(xaif::model::BoolOp::Not, [condition]);
            out.push(Item::branch(not, otherwise, Vec::new()));
        } else {
            out.push(Item::branch(condition, then, otherwise));
        }
    }
    out
}
