//! Counted loops: the bounds of a DO statement, found in the parts of a `for`.
//!
//! Lives here: pattern matching on loop heads. Never here: text.

use xaif::model::{BaseType, BoolOp, Expr, ForLoop, NodeId, NodeKind, Program, StmtKind, SymbolId};

/// The parts of `do variable = first, last, step`.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// The loop variable.
    pub variable: SymbolId,
    /// Its first value.
    pub first: Expr,
    /// Its last value, inclusive.
    pub last: Expr,
    /// One is to be subtracted from (-1) or added to (1) `last`: the condition was strict.
    pub adjust: i64,
    /// The step; `None` for 1.
    pub step: Option<Expr>,
}

/// The DO statement that says the same as a counted loop; `None` if there is none.
pub fn counted(program: &Program, f: &ForLoop) -> Option<Counted> {
    if !f.counted {
        return None;
    }
    let (StmtKind::Assignment { lhs, rhs: first }, StmtKind::Assignment { lhs: again, rhs: next }) = (&f.init.kind, &f.update.kind) else {
        return None;
    };
    let symbol = program.symbol(lhs.symbol);
    let scalar = lhs.subscripts.is_empty() && again.subscripts.is_empty() && symbol.rank == 0;
    if !scalar || again.symbol != lhs.symbol || symbol.ty.base != BaseType::Integer {
        return None;
    }
    let variable = lhs.symbol;
    let (step, sign) = step(next, variable)?;
    let (last, adjust) = last(&f.condition, variable, sign)?;
    let step = if step.as_int() == Some(1) { None } else { Some(step) };
    Some(Counted { variable, first: first.clone(), last, adjust, step })
}

fn is_variable(e: &Expr, id: NodeId, variable: SymbolId) -> bool {
    matches!(&e.node_at(id).kind, NodeKind::Var(r) if r.symbol == variable && r.subscripts.is_empty())
}

/// The step of `i = i + c`, and its sign if it is known.
fn step(next: &Expr, variable: SymbolId) -> Option<(Expr, Option<bool>)> {
    let root = next.nodes.last()?;
    let (NodeKind::Op(op), [a, b]) = (&root.kind, &root.operands[..]) else { return None };
    let step = match op.name.as_str() {
        "add_scal_scal" if is_variable(next, *a, variable) => next.subexpr(*b),
        "add_scal_scal" if is_variable(next, *b, variable) => next.subexpr(*a),
        "sub_scal_scal" if is_variable(next, *a, variable) => {
            let c = next.subexpr(*b);
            match c.as_int() {
                Some(n) => Expr::int(n.checked_neg()?),
                None => Expr::op("minus_scal", [c]),
            }
        }
        _ => return None,
    };
    let mentions = step.refs().any(|r| r.symbol == variable);
    let sign = constant_sign(&step);
    (!mentions && step.as_int() != Some(0)).then_some((step, sign))
}

/// True for a positive constant, false for a negative one.
fn constant_sign(e: &Expr) -> Option<bool> {
    if let Some(n) = e.as_int() {
        return Some(n > 0);
    }
    let root = e.nodes.last()?;
    match (&root.kind, &root.operands[..]) {
        (NodeKind::Op(op), [a]) if op.name == "minus_scal" => e.subexpr(*a).as_int().map(|n| n < 0),
        _ => None,
    }
}

/// The last value, from `i <= e1` and its relatives. With an unknown sign of the step:
/// `(c > 0 and i <= e1) or (c < 0 and i >= e1)`.
fn last(condition: &Expr, variable: SymbolId, sign: Option<bool>) -> Option<(Expr, i64)> {
    let root = condition.nodes.last()?;
    let (NodeKind::Bool(op), [a, b]) = (&root.kind, &root.operands[..]) else { return None };
    match (op, sign) {
        (BoolOp::Or, _) => {
            let up = condition.subexpr(*a);
            let down = condition.subexpr(*b);
            let (up, down) = (second(&up)?, second(&down)?);
            let (e1, n1) = last(&up, variable, Some(true))?;
            let (e2, n2) = last(&down, variable, Some(false))?;
            (e1 == e2 && n1 == 0 && n2 == 0).then_some((e1, 0))
        }
        (_, Some(upward)) => {
            let (op, bound) = if is_variable(condition, *a, variable) {
                (*op, *b)
            } else if is_variable(condition, *b, variable) {
                (mirrored(*op)?, *a)
            } else {
                return None;
            };
            let bound = condition.subexpr(bound);
            if bound.refs().any(|r| r.symbol == variable) {
                return None;
            }
            match (op, upward) {
                (BoolOp::LessOrEqual, true) | (BoolOp::GreaterOrEqual, false) => Some((bound, 0)),
                (BoolOp::LessThan, true) => Some((bound, -1)),
                (BoolOp::GreaterThan, false) => Some((bound, 1)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The right operand of `and`.
fn second(e: &Expr) -> Option<Expr> {
    let root = e.nodes.last()?;
    match (&root.kind, &root.operands[..]) {
        (NodeKind::Bool(BoolOp::And), [_, b]) => Some(e.subexpr(*b)),
        _ => None,
    }
}

fn mirrored(op: BoolOp) -> Option<BoolOp> {
    Some(match op {
        BoolOp::LessThan => BoolOp::GreaterThan,
        BoolOp::LessOrEqual => BoolOp::GreaterOrEqual,
        BoolOp::GreaterThan => BoolOp::LessThan,
        BoolOp::GreaterOrEqual => BoolOp::LessOrEqual,
        _ => return None,
    })
}
