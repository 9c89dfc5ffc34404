//! Forms of expressions: how tightly a vertex binds, and its parts.
//!
//! Lives here: the types. Never here: what form a vertex has.

use crate::unparse::language::precedence::{Place, Prec};
use smol_str::SmolStr;
use std::rc::Rc;
use xaif::model::{Expr, NodeId};
use xaif::types::{self, ValueType};

/// An expression with the types of its vertices.
#[derive(Debug)]
pub(crate) struct Typed {
    pub expr: Expr,
    pub types: Vec<ValueType>,
}

impl Typed {
    /// Types an expression.
    pub fn of(program: &xaif::Program, expr: Expr) -> Rc<Typed> {
        let types = types::of_expr(program, &expr);
        Rc::new(Typed { expr, types })
    }

    /// Type of a vertex.
    pub fn ty(&self, id: NodeId) -> ValueType {
        self.types.get(id.index()).copied().unwrap_or_default()
    }
}

/// A part of a form.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Text as it is.
    Text(SmolStr),
    /// An operand of the same expression.
    Node(NodeId, Place),
    /// Another expression.
    Whole(Rc<Typed>, Place),
}

impl Part {
    pub fn text(s: impl Into<SmolStr>) -> Part {
        Part::Text(s.into())
    }
}

/// How a vertex is written.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub prec: Prec,
    pub parts: Vec<Part>,
}

impl Form {
    /// A name or number.
    pub fn leaf(s: impl Into<SmolStr>) -> Form {
        Form { prec: Prec::Postfix, parts: vec![Part::text(s)] }
    }

    /// Just that operand, wherever the vertex itself stands.
    pub fn same(operand: Part) -> Form {
        Form { prec: Prec::Postfix, parts: vec![operand] }
    }

    /// `f(a, b)`
    pub fn call(name: impl Into<SmolStr>, operands: &[NodeId]) -> Form {
        let mut parts = vec![Part::text(name), Part::text("(")];
        for (k, &o) in operands.iter().enumerate() {
            if k > 0 {
                parts.push(Part::text(", "));
            }
            parts.push(Part::Node(o, Place::Bare));
        }
        parts.push(Part::text(")"));
        Form { prec: Prec::Postfix, parts }
    }

    /// `a op b`
    pub fn infix(prec: Prec, op: &'static str, a: NodeId, b: NodeId) -> Form {
        Form { prec, parts: vec![Part::Node(a, Place::Left(prec)), Part::text(op), Part::Node(b, Place::Right(prec))] }
    }

    /// `op a`, casts included.
    pub fn prefix(op: impl Into<SmolStr>, a: NodeId) -> Form {
        Form { prec: Prec::Unary, parts: vec![Part::text(op), Part::Node(a, Place::Operand)] }
    }

    /// `a ? b : c`
    pub fn conditional(condition: Part, yes: Part, no: Part) -> Form {
        Form { prec: Prec::Conditional, parts: vec![condition, Part::text(" ? "), yes, Part::text(" : "), no] }
    }
}
