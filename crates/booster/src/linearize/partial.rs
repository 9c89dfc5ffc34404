//! A partial derivative of the catalogue, written out for one use of the intrinsic.
//!
//! Lives here: substitution of arguments into the catalogue's term graphs, with literal constants of the right type. Never
//! here: which partials are needed.

use super::fold::{self, Fold};
use xaif::catalogue::{Partial, PartialNode};
use xaif::model::{BaseType, BoolOp, ElemType, Expr};
use xaif::types;
use xaif::{Diagnostic, Program};

/// A value while the partial is built. Literal constants stay open until it is known what they are combined with.
#[derive(Clone)]
enum Piece<'a> {
    Literal { value: f64, text: &'a str },
    Done(Expr),
}

pub(super) struct Context<'a> {
    pub program: &'a Program,
    pub expr: &'a Expr,
    pub types: &'a [types::ValueType],
    /// The vertex whose partial it is.
    pub node: usize,
}

impl Context<'_> {
    fn ty(&self) -> ElemType {
        self.types[self.node].elem
    }

    fn close(&self, piece: Piece<'_>, integer: bool) -> Expr {
        match piece {
            Piece::Literal { value, .. } if integer && value.fract() == 0.0 => Expr::int(value as i64),
            Piece::Literal { value, text } => fold::real(value, Some(text), self.ty()),
            Piece::Done(e) => e,
        }
    }

    /// Literals beside integers only are integers: `b - 1` stays an integer where b is one.
    fn close_all(&self, pieces: Vec<Piece<'_>>) -> Vec<Expr> {
        let integer = pieces.iter().any(|p| matches!(p, Piece::Done(_)))
            && pieces.iter().all(|p| match p {
                Piece::Literal { .. } => true,
                Piece::Done(e) => types::of(self.program, e).elem.base == BaseType::Integer,
            });
        pieces.into_iter().map(|p| self.close(p, integer)).collect()
    }

    /// The partial as an expression over primal variables.
    pub fn write_out(&self, partial: &Partial) -> Result<Expr, Diagnostic> {
        let malformed = || Diagnostic::error("OB4019", "the intrinsic catalogue has a malformed partial derivative");
        let operands = &self.expr.nodes[self.node].operands;
        let mut done: Vec<Option<Piece>> = Vec::with_capacity(partial.nodes.len());
        for (k, n) in partial.nodes.iter().enumerate() {
            // What nobody asks for again is not copied.
            let again = |i: u32| {
                partial.nodes[k + 1..]
                    .iter()
                    .any(|n| matches!(n, PartialNode::Op(_, list) | PartialNode::Bool(_, list) if list.contains(&i)))
            };
            let mut pick = |list: &[u32]| -> Option<Vec<Piece>> {
                let copied = |(at, &i): (usize, &u32)| {
                    let piece = done.get_mut(i as usize)?;
                    if again(i) || list[at + 1..].contains(&i) { piece.clone() } else { piece.take() }
                };
                list.iter().enumerate().map(copied).collect()
            };
            let piece = match n {
                PartialNode::Result => Piece::Done(self.expr.subexpr(xaif::model::NodeId(self.node as u32))),
                PartialNode::Argument(k) => {
                    let operand = operands.get((*k as usize).wrapping_sub(1)).ok_or_else(malformed)?;
                    Piece::Done(self.expr.subexpr(*operand))
                }
                PartialNode::Const(c) if c.ty.base == BaseType::Real => {
                    Piece::Literal { value: c.value.parse().map_err(|_| malformed())?, text: &c.value }
                }
                PartialNode::Const(c) => Piece::Done(Expr::constant(c.clone())),
                PartialNode::Bool(op, list) => {
                    let parts = self.close_all(pick(list).ok_or_else(malformed)?);
                    Piece::Done(relation(*op, parts))
                }
                PartialNode::Op(name, list) => {
                    let parts = pick(list).ok_or_else(malformed)?;
                    let parts = match name.as_str() {
                        "add_scal_scal" | "sub_scal_scal" => self.close_all(parts),
                        _ => parts.into_iter().map(|p| self.close(p, false)).collect(),
                    };
                    Piece::Done(operation(Fold { program: self.program }, name, parts))
                }
            };
            done.push(Some(piece));
        }
        done.pop().flatten().map(|p| self.close(p, false)).ok_or_else(malformed)
    }
}

fn operation(w: Fold, name: &str, mut p: Vec<Expr>) -> Expr {
    match (name, p.len()) {
        ("add_scal_scal", 2) => two(p, |a, b| w.add(a, b)),
        ("sub_scal_scal", 2) => two(p, |a, b| w.sub(a, b)),
        ("mul_scal_scal", 2) => two(p, |a, b| w.mul(a, b)),
        ("div_scal_scal", 2) => two(p, |a, b| w.div(a, b)),
        ("pow_scal_scal", 2) => two(p, |a, b| w.pow(a, b)),
        ("minus_scal", 1) => p.pop().map_or_else(Expr::default, |a| w.neg(a)),
        ("select", 3) => {
            let (c, b) = (p.pop(), p.pop());
            match (p.pop(), b, c) {
                (Some(cond), Some(a), Some(b)) => w.select(cond, a, b),
                _ => Expr::default(),
            }
        }
        _ => Expr::op(name, p),
    }
}

fn two(mut p: Vec<Expr>, f: impl Fn(Expr, Expr) -> Expr) -> Expr {
    match (p.pop(), p.pop()) {
        (Some(b), Some(a)) => f(a, b),
        _ => Expr::default(),
    }
}

fn relation(op: BoolOp, parts: Vec<Expr>) -> Expr {
    if let [a, b] = &parts[..]
        && let (Some(x), Some(y)) = (fold::number(a), fold::number(b))
    {
        let known = match op {
            BoolOp::LessThan => Some(x < y),
            BoolOp::LessOrEqual => Some(x <= y),
            BoolOp::GreaterThan => Some(x > y),
            BoolOp::GreaterOrEqual => Some(x >= y),
            BoolOp::Equal => Some(x == y),
            BoolOp::NotEqual => Some(x != y),
            _ => None,
        };
        if let Some(value) = known {
            return Expr::bool(value);
        }
    }
    Expr::boolean(op, parts)
}
