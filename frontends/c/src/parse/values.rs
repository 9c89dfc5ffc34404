//! Values of expressions and their conversions.
//!
//! Lives here: what an expression is worth (a typed term, a truth value, a pointer), promotions and conversions as terms. Never here: syntax.

use super::lower::Pointer;
use super::refusal::{EXPRESSION, POINTER_VALUE, Refusal, Res};
use super::types::CType;
use lang_c::span::Span;
use smol_str::SmolStr;
use xaif::model::{BoolOp, Expr, Node, NodeKind, Operation};

/// A value of arithmetic type.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub expr: Expr,
    pub ty: CType,
    /// The term is a truth value, whatever C calls its type.
    pub truth: bool,
}

/// What an expression is worth.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Value(Value),
    Pointer(Pointer),
    /// A structure, by the place where it is.
    Structure(super::pointers::LValue),
    Null,
    /// Nothing (`void`).
    Void,
    /// A string, or another thing that can only be handed on: kept as text.
    Opaque,
}

/// A term of operands without copying the first one's nodes.
pub(crate) fn term(kind: NodeKind, operands: impl IntoIterator<Item = Expr>) -> Expr {
    let mut operands = operands.into_iter();
    let mut e = operands.next().unwrap_or_default();
    let mut roots = if e.nodes.is_empty() { Vec::new() } else { vec![e.root_id()] };
    for o in operands {
        let root = e.append(o);
        roots.push(root);
    }
    e.nodes.push(Node { kind, operands: roots.into_iter().collect(), origin: None });
    e
}

/// An intrinsic.
pub(crate) fn op(name: &'static str, spelling: &str, operands: impl IntoIterator<Item = Expr>) -> Expr {
    term(NodeKind::Op(Operation { name: SmolStr::new_static(name), ty: None, spelling: spelling.into() }.into()), operands)
}

/// A relation or connective.
pub(crate) fn relation(op: BoolOp, operands: impl IntoIterator<Item = Expr>) -> Expr {
    term(NodeKind::Bool(op), operands)
}

/// A sum, where an operand that is zero is left out.
pub(crate) fn sum(a: Expr, b: Expr) -> Expr {
    match (a.as_int(), b.as_int()) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        (Some(x), Some(y)) if x.checked_add(y).is_some() => Expr::int(x + y),
        (_, Some(y)) if y < 0 && y > i64::MIN => op("sub_scal_scal", "", [a, Expr::int(-y)]),
        _ => op("add_scal_scal", "", [a, b]),
    }
}

/// A difference, where a zero is left out.
pub(crate) fn difference(a: Expr, b: Expr) -> Expr {
    match (a.as_int(), b.as_int()) {
        (_, Some(0)) => a,
        (Some(x), Some(y)) if x.checked_sub(y).is_some() => Expr::int(x - y),
        _ => op("sub_scal_scal", "", [a, b]),
    }
}

/// An integer term as the rest and a constant that is added to it.
pub(crate) fn split(e: Expr) -> (Expr, i64) {
    let root = e.root();
    if let (NodeKind::Op(o), [a, b]) = (&root.kind, &root.operands[..]) {
        let constant = |id: &xaif::model::NodeId| e.subexpr(*id).as_int();
        match (o.name.as_str(), constant(a), constant(b)) {
            ("add_scal_scal", _, Some(n)) => return (e.subexpr(*a), n),
            ("add_scal_scal", Some(n), _) => return (e.subexpr(*b), n),
            ("sub_scal_scal", _, Some(n)) if n > i64::MIN => return (e.subexpr(*a), -n),
            _ => {}
        }
    }
    (e, 0)
}

/// A subscript moved by another: constants are added up, so that `(i + 1) - 1` is `i`.
pub(crate) fn moved(a: Expr, b: Expr) -> Expr {
    let ((x, m), (y, n)) = (split(a), split(b));
    match m.checked_add(n) {
        Some(c) => sum(sum(x, y), Expr::int(c)),
        None => sum(sum(x, Expr::int(m)), sum(y, Expr::int(n))),
    }
}

/// The same backwards.
pub(crate) fn moved_back(a: Expr, b: Expr) -> Expr {
    let ((x, m), (y, n)) = (split(a), split(b));
    match m.checked_sub(n) {
        Some(c) => sum(difference(x, y), Expr::int(c)),
        None => difference(sum(x, Expr::int(m)), sum(y, Expr::int(n))),
    }
}

/// A conversion to a type.
pub(crate) fn conversion(e: Expr, ty: &CType, spelling: &str) -> Expr {
    let name = if ty.is_real() { "real_scal" } else { "int_scal" };
    term(NodeKind::Op(Operation { name: SmolStr::new_static(name), ty: Some(ty.elem()), spelling: spelling.into() }.into()), [e])
}

impl Value {
    /// A value of a type.
    pub fn new(expr: Expr, ty: CType) -> Value {
        let truth = ty == CType::Bool;
        Value { expr, ty, truth }
    }

    /// A truth value, which C calls int.
    pub fn truth(expr: Expr) -> Value {
        Value { expr, ty: CType::INT, truth: true }
    }

    /// As a condition.
    pub fn condition(self) -> Expr {
        if self.truth {
            return self.expr;
        }
        if let Some(v) = self.expr.as_int() {
            return Expr::bool(v != 0);
        }
        let zero = if self.ty.is_real() { super::constants::constant(&self.ty, "0.0", "") } else { Expr::int(0) };
        relation(BoolOp::NotEqual, [self.expr, zero])
    }

    /// As a number: truth values become 1 and 0.
    pub fn number(self) -> Value {
        if !self.truth {
            return self;
        }
        let expr = match self.expr.as_constant().map(|c| c.value.as_str()) {
            Some("true") => Expr::int(1),
            Some("false") => Expr::int(0),
            _ => op("select", "", [self.expr, Expr::int(1), Expr::int(0)]),
        };
        Value { expr, ty: CType::INT, truth: false }
    }

    /// As an operand of arithmetic: integers narrower than int become int.
    pub fn promoted(self) -> Value {
        let v = self.number();
        match &v.ty {
            CType::Int { bits, .. } if *bits < 32 => Value::new(conversion(v.expr, &CType::INT, "int"), CType::INT),
            _ => v,
        }
    }

    /// As it is stored in a variable of that type (or passed, or returned): only what changes meaning is a term.
    pub fn stored_as(self, ty: &CType) -> Expr {
        match ty {
            CType::Bool => self.condition(),
            CType::Int { .. } if self.ty.is_real() && !self.truth => conversion(self.expr, ty, &ty.spelling()),
            _ => self.number().expr,
        }
    }

    /// As an operand of exactly that floating-point type.
    pub fn real_of(self, bits: u16) -> Expr {
        let v = self.number();
        match v.ty {
            CType::Real(b) if b == bits => v.expr,
            _ => {
                let ty = CType::Real(bits);
                match v.expr.as_int() {
                    Some(n) => super::constants::constant(&ty, smol_str::format_smolstr!("{n}.0"), ""),
                    None => conversion(v.expr, &ty, &ty.spelling()),
                }
            }
        }
    }
}

impl Operand {
    /// The arithmetic value.
    pub fn value(self, place: Span) -> Res<Value> {
        match self {
            Operand::Value(v) => Ok(v),
            Operand::Pointer(p) => Err(Refusal::new(POINTER_VALUE, place, format!("a pointer to {} is used as a number", p.to.describe()))),
            Operand::Structure(lv) => Err(Refusal::new(EXPRESSION, place, format!("a `{}` is used as a number", lv.ty.describe()))),
            Operand::Null => Ok(Value::new(Expr::int(0), CType::INT)),
            Operand::Void => Err(Refusal::new(EXPRESSION, place, "a void expression has no value")),
            Operand::Opaque => Err(Refusal::new(
                EXPRESSION,
                place,
                "what can only be handed on, a string or a pointer to a structure, is used as a number",
            )),
        }
    }
}
