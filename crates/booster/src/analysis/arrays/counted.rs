//! Heads of counted loops, taken apart.
//!
//! Lives here: index, first value, bound and stride of a loop whose iterations are known before it runs. Never here: its body.

use crate::linearize::fold::{Fold, operands};
use crate::linearize::places::offset;
use smallvec::SmallVec;
use xaif::Program;
use xaif::model::{BaseType, BoolOp, ElemType, Expr, ForLoop, NodeId, NodeKind, Operation, Stmt, StmtKind, SymbolId, VarRef};

/// The width of counters and of indices that replace unsigned ones.
pub(crate) const COUNTER: ElemType = ElemType { base: BaseType::Integer, bits: 64 };

/// The parts of a counted loop's head.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    /// The index.
    pub index: SymbolId,
    /// Its first value.
    pub first: Expr,
    /// What it may not pass.
    pub bound: Expr,
    /// What is added in each iteration.
    pub stride: Expr,
}

/// A loop of more iterations is no handful of elements.
const HANDFUL: i64 = 9;

/// Whether a counted loop has a handful of iterations, always.
pub(crate) fn is_short(program: &Program, head: &ForLoop) -> bool {
    range(program, head).and_then(|r| trips(Fold { program }, &r).as_int()).is_some_and(|n| n <= HANDFUL)
}

/// Takes the head of a counted loop apart; `None` where it does not have the form of one.
pub(crate) fn range(program: &Program, head: &ForLoop) -> Option<Range> {
    let StmtKind::Assignment { lhs, rhs: first } = &head.init.kind else { return None };
    if !lhs.subscripts.is_empty() || program.symbol(lhs.symbol).ty.base != BaseType::Integer {
        return None;
    }
    let index = lhs.symbol;
    let StmtKind::Assignment { lhs: updated, rhs: next } = &head.update.kind else { return None };
    if updated.symbol != index {
        return None;
    }
    // Loops are asked for their iterations again and again: only what is found is copied.
    let is_index = |e: &Expr, at: NodeId| matches!(&e.node_at(at).kind, NodeKind::Var(r) if r.symbol == index && r.subscripts.is_empty());
    let NodeKind::Op(op) = &next.root().kind else { return None };
    let [a, b] = next.root().operands[..] else { return None };
    let f = Fold { program };
    let signed = |e: Expr| signed(program, index, e);
    let stride = match op.name.as_str() {
        "add_scal_scal" if is_index(next, a) => signed(next.subexpr(b)),
        "add_scal_scal" if is_index(next, b) => signed(next.subexpr(a)),
        "sub_scal_scal" if is_index(next, a) => f.neg(signed(next.subexpr(b))),
        _ => return None,
    };
    let c = &head.condition;
    let mut bounds: SmallVec<[(BoolOp, Expr); 2]> = SmallVec::new();
    for n in &c.nodes {
        let (NodeKind::Bool(op), &[a, b]) = (&n.kind, &n.operands[..]) else { continue };
        let (op, bound) = match (is_index(c, a), is_index(c, b)) {
            (true, false) => (*op, b),
            (false, true) => (turned(*op), a),
            _ => continue,
        };
        let bound = || signed(c.subexpr(bound));
        match op {
            BoolOp::LessOrEqual | BoolOp::GreaterOrEqual => bounds.push((op, bound())),
            BoolOp::LessThan => bounds.push((BoolOp::LessOrEqual, f.sub(bound(), Expr::int(1)))),
            BoolOp::GreaterThan => bounds.push((BoolOp::GreaterOrEqual, f.add(bound(), Expr::int(1)))),
            _ => {}
        }
    }
    let agree = bounds.len() == 2 && bounds[0].1 == bounds[1].1;
    let (op, bound) = bounds.into_iter().next()?;
    let one = matches!(
        head.condition.root().kind,
        NodeKind::Bool(BoolOp::LessOrEqual | BoolOp::GreaterOrEqual | BoolOp::LessThan | BoolOp::GreaterThan)
    );
    match (one, stride.as_int()) {
        // One relation says the sign of the stride; it must be known to be that.
        (true, Some(c)) if (c > 0) == (op == BoolOp::LessOrEqual) && c != 0 => {}
        (true, Some(_)) => return None,
        // The sign is not known: the relation does not tell what happens otherwise, but the front end promised a counted loop.
        (true, None) => {}
        (false, _) if agree => {}
        (false, _) => return None,
    }
    let mut mentions = false;
    let first = signed(first.clone());
    for e in [&first, &bound, &stride] {
        e.for_each_ref(&mut |r| mentions |= r.symbol == index);
    }
    (!mentions).then_some(Range { index, first, bound, stride })
}

/// A part of a loop's head with a sign: what comes before the first value, or is one less than no iterations at all, is negative.
fn signed(program: &Program, index: SymbolId, e: Expr) -> Expr {
    let unsigned = |s: SymbolId| program.symbol(s).has_attribute("unsigned");
    let converted = |n: &NodeKind| matches!(n, NodeKind::Op(o) if o.name == "int_scal");
    if unsigned(index)
        && let Some(c) = e.as_int()
    {
        return Expr::int(c);
    }
    let mut wraps = unsigned(index) && e.nodes.iter().any(|n| converted(&n.kind));
    e.for_each_ref(&mut |r| wraps |= unsigned(r.symbol));
    if !wraps {
        return e;
    }
    let long = Operation { name: "int_scal".into(), ty: Some(COUNTER), spelling: "".into() };
    Expr::node(NodeKind::Op(long.into()), [e])
}

fn turned(op: BoolOp) -> BoolOp {
    match op {
        BoolOp::LessThan => BoolOp::GreaterThan,
        BoolOp::LessOrEqual => BoolOp::GreaterOrEqual,
        BoolOp::GreaterThan => BoolOp::LessThan,
        BoolOp::GreaterOrEqual => BoolOp::LessOrEqual,
        other => other,
    }
}

/// `for i = first, bound, stride`
pub(crate) fn for_loop(f: Fold, index: SymbolId, first: Expr, bound: Expr, stride: Expr) -> ForLoop {
    let i = Expr::sym(index);
    ForLoop {
        explicit: false,
        init: Stmt::assign(VarRef::whole(index), first),
        condition: ForLoop::within(&i, &bound, &stride, stride.as_int()),
        update: Stmt::assign(VarRef::whole(index), f.add(i, stride)),
        counted: true,
    }
}

/// How many elements lie between two bounds, both included.
pub(crate) fn extent(f: Fold, low: &Expr, high: &Expr) -> Expr {
    match offset(low) {
        (None, n) => plus(f, high, 1 - n),
        _ => f.add(f.sub(high.clone(), low.clone()), Expr::int(1)),
    }
}

/// How many iterations a counted loop has; zero or less where it has none.
pub(crate) fn trips(f: Fold, r: &Range) -> Expr {
    match r.stride.as_int() {
        Some(1) => extent(f, &r.first, &r.bound),
        Some(-1) => extent(f, &r.bound, &r.first),
        _ => strided(f, r),
    }
}

/// The iterations of a loop in steps: (bound - first + stride)/stride, which truncates.
pub(crate) fn strided(f: Fold, r: &Range) -> Expr {
    let span = f.add(f.sub(r.bound.clone(), r.first.clone()), r.stride.clone());
    match (span.as_int(), r.stride.as_int()) {
        (Some(a), Some(b)) if b != 0 => Expr::int(a / b),
        _ => Expr::op("div_scal_scal", [span, r.stride.clone()]),
    }
}

/// The sum with a constant.
pub(crate) fn plus(f: Fold, e: &Expr, n: i64) -> Expr {
    let (base, c) = offset(e);
    match (base, c.saturating_add(n)) {
        (None, sum) => Expr::int(sum),
        (Some(b), sum) if sum < 0 => f.sub(b, Expr::int(-sum)),
        (Some(b), sum) => f.add(b, Expr::int(sum)),
    }
}

/// How many iterations a loop has at most whose bound is a part of its first value: a + (min(32, n) - 1), or a - (min(32, n) - 1) downward. `None` for all others.
pub(crate) fn most_iterations(r: &Range) -> Option<i64> {
    let op = match r.stride.as_int()? {
        1 => "add_scal_scal",
        -1 => "sub_scal_scal",
        _ => return None,
    };
    let [first, ahead] = operands(&r.bound, op)?;
    let [mut iterations, one] = operands(&ahead, "sub_scal_scal")?;
    if first != r.first || one.as_int() != Some(1) {
        return None;
    }
    if let Some([wide]) = operands::<1>(&iterations, "int_scal") {
        iterations = wide;
    }
    let [most, _] = operands(&iterations, "min_scal_scal")?;
    most.as_int()
}
