//! Terms while they are made: values with their types, operators over operands.
//!
//! Lives here: putting term graphs together. Never here: the text that they come from.

use rustc_hash::FxHashMap;
use xaif::model::*;
use xaif::offsets;

/// A lowered expression with its type.
#[derive(Clone, Debug)]
pub struct Val {
    pub e: Expr,
    pub ty: ElemType,
    pub rank: u8,
}

impl Val {
    pub fn new(e: Expr, ty: ElemType, rank: u8) -> Val {
        Val { e, ty, rank }
    }
}

/// A number in its real and its imaginary part.
#[derive(Clone, Debug)]
pub struct Parts {
    pub re: Val,
    /// None of a number that is real.
    pub im: Option<Val>,
}

impl Parts {
    /// A complex number.
    pub fn new(re: Val, im: Val) -> Parts {
        Parts { re, im: Some(im) }
    }

    /// A number without an imaginary part.
    pub fn real(re: Val) -> Parts {
        Parts { re, im: None }
    }
}

/// An operator over operands; the first operand's graph is extended, not copied.
pub fn combine(kind: NodeKind, operands: impl IntoIterator<Item = Expr>) -> Expr {
    let mut operands = operands.into_iter();
    let mut e = operands.next().unwrap_or_default();
    let mut node = xaif::model::Node { kind, operands: Default::default(), origin: None };
    if !e.nodes.is_empty() {
        node.operands.push(e.root_id());
    }
    for o in operands {
        let root = e.append(o);
        node.operands.push(root);
    }
    e.nodes.push(node);
    e
}

/// An intrinsic by catalogue name.
pub fn op(name: &str, spelling: &str, ty: Option<ElemType>, operands: impl IntoIterator<Item = Expr>) -> Expr {
    combine(NodeKind::Op(Operation { name: name.into(), ty, spelling: spelling.into() }.into()), operands)
}

/// An operation on integers, simplified where it is one on numbers.
pub fn int_op(name: &str, a: Expr, b: Expr) -> Expr {
    match (name, a.as_int(), b.as_int()) {
        ("add_scal_scal", Some(x), Some(y)) if x.checked_add(y).is_some() => Expr::int(x + y),
        ("sub_scal_scal", Some(x), Some(y)) if x.checked_sub(y).is_some() => Expr::int(x - y),
        ("add_scal_scal", _, Some(0)) => a,
        ("sub_scal_scal", _, Some(0)) => a,
        ("div_scal_scal", _, Some(1)) | ("mul_scal_scal", _, Some(1)) => a,
        _ => op(name, "", None, [a, b]),
    }
}

/// The expression with variables replaced; `None` where a replaced array is subscripted.
pub fn substitute(e: &Expr, map: &FxHashMap<SymbolId, Expr>) -> Option<Expr> {
    let mut parts: Vec<Expr> = Vec::with_capacity(e.nodes.len());
    for n in &e.nodes {
        let part = match &n.kind {
            NodeKind::Var(r) => match map.get(&r.symbol) {
                Some(with) if r.subscripts.is_empty() => with.clone(),
                Some(with) => {
                    let whole = with.as_var().filter(|w| w.subscripts.is_empty())?;
                    let mut r = r.clone();
                    r.symbol = whole.symbol;
                    for e in r.index_exprs_mut() {
                        *e = substitute(e, map)?;
                    }
                    Expr::var(r)
                }
                None => {
                    let mut r = r.clone();
                    for e in r.index_exprs_mut() {
                        *e = substitute(e, map)?;
                    }
                    Expr::var(r)
                }
            },
            kind => combine(kind.clone(), n.operands.iter().map(|o| parts[o.index()].clone())),
        };
        // A leaf's `combine` makes a node without operands.
        parts.push(part);
    }
    parts.pop()
}

/// How a declaration of a type is spelled.
pub fn type_text(ty: ElemType) -> String {
    let kind = if ty.bits == 80 { 10 } else { ty.bits / 8 };
    match (ty.base, ty.bits) {
        (BaseType::Real, 64) => "double precision".into(),
        (BaseType::Real, 32 | 0) => "real".into(),
        (BaseType::Real, _) => format!("real({kind})"),
        (BaseType::Integer, 32 | 0) => "integer".into(),
        (BaseType::Integer, _) => format!("integer({kind})"),
        (BaseType::Bool, _) => "logical".into(),
        _ => "character(len=256)".into(),
    }
}

/// `1:n` for each dimension.
pub type Extents = Vec<(Expr, Expr)>;

/// The subscript of the `i`-th element from `first` in steps.
pub fn shifted(first: Expr, i: Expr, stride: Option<Expr>) -> Expr {
    let stride = stride.filter(|s| s.as_int() != Some(1));
    match (first.as_int(), stride) {
        (Some(1), None) => i,
        (Some(l), None) => match i.as_int() {
            Some(i) => Expr::int(l + i - 1),
            None if l < 1 => int_op("sub_scal_scal", i, Expr::int(1 - l)),
            None => int_op("add_scal_scal", i, Expr::int(l - 1)),
        },
        (None, None) => int_op("sub_scal_scal", int_op("add_scal_scal", first, i), Expr::int(1)),
        (_, Some(s)) => {
            let steps = int_op("mul_scal_scal", s, int_op("sub_scal_scal", i, Expr::int(1)));
            int_op("add_scal_scal", first, steps)
        }
    }
}

/// An element of an array temporary.
pub fn at(array: SymbolId, indices: &[SymbolId]) -> VarRef {
    VarRef::element(array, indices.iter().map(|&i| Expr::sym(i)))
}

/// `upper - lower + 1`, with numbers taken together.
pub fn length(lower: Expr, upper: Expr) -> Expr {
    let Some(l) = lower.as_int() else {
        // `2*i - 1 : 2*i` has two elements, whatever i is.
        if let Some(n) = offsets::minus(upper.clone(), &lower).as_int() {
            return Expr::int((n + 1).max(0));
        }
        return int_op("add_scal_scal", int_op("sub_scal_scal", upper, lower), Expr::int(1));
    };
    let split = match &upper.root().kind {
        NodeKind::Op(o) if upper.root().operands.len() == 2 => {
            let (a, b) = (upper.subexpr(upper.root().operands[0]), upper.subexpr(upper.root().operands[1]));
            match (o.name.as_str(), b.as_int()) {
                ("add_scal_scal", Some(c)) => Some((a, c)),
                ("sub_scal_scal", Some(c)) => Some((a, -c)),
                _ => None,
            }
        }
        _ => None,
    };
    let (base, more) = split.unwrap_or((upper, 0));
    match more - l + 1 {
        0 => base,
        d if d < 0 => int_op("sub_scal_scal", base, Expr::int(-d)),
        d => int_op("add_scal_scal", base, Expr::int(d)),
    }
}
