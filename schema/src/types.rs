//! Types and ranks of expressions, bottom-up from symbols, constants and intrinsics.
//!
//! Lives here: one pure pass over a term graph. Never here: conversions, checks of a whole program (see `validate`).

use crate::catalogue::{ResultShape, ResultType};
use crate::model::{BaseType, BoolOp, Bound, ElemType, Expr, Node, NodeKind, Program, VarRef};
use crate::vocabulary::SHAPES;

/// Type and rank of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueType {
    /// Type of one element.
    pub elem: ElemType,
    /// Number of dimensions.
    pub rank: u8,
}

/// The width that 0 ("the default") stands for.
fn width(t: ElemType) -> u16 {
    match (t.bits, t.base) {
        (0, BaseType::Real | BaseType::Complex) => 64,
        (0, _) => 32,
        (bits, _) => bits,
    }
}

/// Arithmetic promotion of two operand types: complex over real over integer over the rest, then the wider one; a real
/// keeps its width beside an integer.
pub fn promote(a: ElemType, b: ElemType) -> ElemType {
    let order = |t: ElemType| match t.base {
        BaseType::Complex => 3,
        BaseType::Real => 2,
        BaseType::Integer => 1,
        _ => 0,
    };
    match order(a).cmp(&order(b)) {
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Equal if width(a) >= width(b) => a,
        std::cmp::Ordering::Equal => b,
    }
}

/// Type and rank of a reference: sections keep the dimensions that they do not fix.
pub fn of_ref(program: &Program, reference: &VarRef) -> ValueType {
    let symbol = program.symbol(reference.symbol);
    // Subscripts of a scalar are a substring.
    let rank = if reference.subscripts.is_empty() || symbol.rank == 0 {
        symbol.rank
    } else {
        reference.subscripts.iter().filter(|t| t.is_section() || t.index.as_ref().is_some_and(|e| is_vector(program, e))).count() as u8
    };
    ValueType { elem: symbol.ty, rank }
}

fn is_vector(program: &Program, index: &Expr) -> bool {
    of_expr(program, index).last().is_some_and(|t| t.rank > 0)
}

/// How many dimensions `reshape` gives an array, where the document says it: as a hint, or by how long the list of extents is.
pub fn reshaped_rank(program: &Program, expr: &Expr, node: &Node) -> Option<u8> {
    let hints = node.origin.iter().flat_map(|o| o.extras.0.iter()).flat_map(|l| l.iter());
    let hint = hints.filter(|(k, _)| k == "rShape").find_map(|(_, v)| SHAPES.iter().position(|s| *s == v.as_str()).map(|k| k as u8));
    let list = || {
        let NodeKind::Var(r) = &expr.nodes[node.operands.get(1)?.index()].kind else { return None };
        let symbol = program.symbol(r.symbol);
        let dims = symbol.decl.iter().flat_map(|d| &d.dims).map(|d| match (&d.lower, &d.upper) {
            (Bound::Expr(l), Bound::Expr(u)) => Some((l.as_int()?, u.as_int()?)),
            _ => None,
        });
        let whole = r.subscripts.is_empty() && symbol.rank == 1;
        let (l, u) = symbol.bounds.iter().map(|b| Some(*b)).chain(dims).next().flatten().filter(|_| whole)?;
        u8::try_from(u.checked_sub(l)?.checked_add(1)?).ok()
    };
    hint.or_else(list).filter(|n| *n > 0)
}

/// Whether an expression reshapes an array without saying to how many dimensions.
pub fn reshapes_openly(program: &Program, expr: &Expr) -> bool {
    expr.nodes.iter().any(|n| matches!(&n.kind, NodeKind::Op(op) if op.name == "reshape_arr") && reshaped_rank(program, expr, n).is_none())
}

/// Types of all vertices of an expression, in the order of [`Expr::nodes`]; the last is the expression's own.
pub fn of_expr(program: &Program, expr: &Expr) -> Vec<ValueType> {
    let mut types: Vec<ValueType> = Vec::with_capacity(expr.nodes.len());
    for node in &expr.nodes {
        let operand = |i: usize| node.operands.get(i).map_or(ValueType::default(), |o| types[o.index()]);
        let rank = (0..node.operands.len()).map(|i| operand(i).rank).max().unwrap_or(0);
        let t = match &node.kind {
            NodeKind::Var(r) => of_ref(program, r),
            NodeKind::Const(c) => ValueType { elem: c.ty, rank: 0 },
            NodeKind::Bool(BoolOp::Not | BoolOp::And | BoolOp::Or | BoolOp::Xor) | NodeKind::Bool(_) => {
                ValueType { elem: ElemType::BOOL, rank }
            }
            NodeKind::FunctionCall(s) => ValueType { elem: program.symbol(*s).ty, rank: 0 },
            NodeKind::Op(op) => {
                let entry = op.intrinsic();
                let first = if op.name == "select" { 1 } else { 0 };
                let promoted = (first..node.operands.len())
                    .map(|i| operand(i).elem)
                    .reduce(promote)
                    .unwrap_or(ElemType { base: BaseType::Real, bits: 0 });
                let elem = match (op.ty, entry.map(|e| e.result)) {
                    (Some(t), _) => t,
                    (None, None | Some(ResultType::Promoted)) => promoted,
                    (None, Some(ResultType::Real)) if matches!(promoted.base, BaseType::Real | BaseType::Complex) => promoted,
                    (None, Some(ResultType::Real)) => ElemType::REAL64,
                    (None, Some(ResultType::Integer)) => ElemType::INTEGER,
                    (None, Some(ResultType::Bool)) => ElemType::BOOL,
                    (None, Some(ResultType::String)) => ElemType { base: BaseType::String, bits: 0 },
                    (None, Some(ResultType::Complex)) => ElemType { base: BaseType::Complex, bits: promoted.bits },
                };
                let rank = match entry.map_or(ResultShape::Elementwise, |e| e.shape) {
                    ResultShape::Elementwise => rank,
                    ResultShape::Scalar => 0,
                    ResultShape::Special => match op.name.as_str() {
                        "matmul_arr" => (operand(0).rank + operand(1).rank).saturating_sub(2),
                        "shape_arr" | "maxloc_arr" | "minloc_arr" => 1,
                        "reshape_arr" => reshaped_rank(program, expr, node).unwrap_or(operand(0).rank),
                        _ => rank,
                    },
                };
                ValueType { elem, rank }
            }
        };
        types.push(t);
    }
    types
}

/// Type and rank of a whole expression.
pub fn of(program: &Program, expr: &Expr) -> ValueType {
    of_expr(program, expr).last().copied().unwrap_or_default()
}
