//! Heads of counted loops, taken apart.
//!
//! Lives here: index, first value, bound and stride of a loop whose rounds are known before it runs. Never here: its body.

use crate::linearize::fold::Fold;
use smallvec::SmallVec;
use xaif::Program;
use xaif::model::{BaseType, BoolOp, ElemType, Expr, ForLoop, NodeId, NodeKind, Operation, StmtKind, SymbolId};

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
    /// What is added in each round.
    pub stride: Expr,
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
    // Loops are asked for their rounds again and again: only what is found is copied.
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

/// A part of a loop's head with a sign: what comes before the first value, or is one less than no rounds at all, is negative.
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
