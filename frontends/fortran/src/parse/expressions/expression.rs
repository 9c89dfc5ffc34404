//! Expressions: the way of a node to the file that knows it.
//!
//! Lives here: which kind of expression one is. Never here: what it becomes.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, op};
use crate::parse::text::tree::named;
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Lowers an expression; what must happen before it is emitted.
    pub fn expr(&mut self, node: Node<'t>) -> Lowered<Val> {
        self.cur.depth += 1;
        let result =
            if self.cur.depth > 150 { Err(self.refuse(node, "OB3005", "the expression nests too deeply")) } else { self.expr_of(node) };
        self.cur.depth -= 1;
        result
    }

    fn expr_of(&mut self, node: Node<'t>) -> Lowered<Val> {
        if let Some(v) = self.cur.stand_ins.get(&node.id()) {
            return Ok(v.clone());
        }
        if let Some(v) = self.complex_result(node)? {
            return Ok(v);
        }
        match node.kind() {
            "number_literal" | "boolean_literal" | "string_literal" => {
                let c = self.literal(node)?;
                let ty = c.ty;
                Ok(Val::new(Expr::constant(c), ty, 0))
            }
            "identifier" => self.name(node),
            "parenthesized_expression" => match named(node)[..] {
                [inner] => self.expr(inner),
                _ => Err(self.refuse(node, "OB3034", "unsupported parentheses")),
            },
            "concatenation_expression" if self.cur.graph.is_some() => self.text_value(node),
            "math_expression" | "logical_expression" | "relational_expression" | "concatenation_expression" => self.binary(node),
            "unary_expression" => self.unary(node),
            "call_expression" => self.call_expression(node),
            "array_literal" => self.array_constructor(node),
            "derived_type_member_expression" => self.component_value(node),
            "complex_literal" => Err(self.refuse(node, "OB3021", "complex constant")),
            "coarray_expression" => Err(self.refuse(node, "OB3026", "coarray reference")),
            "null_literal" => Err(self.refuse(node, "OB3022", "null pointer")),
            "hollerith_constant" => Err(self.refuse(node, "OB3042", "Hollerith constant")),
            other => Err(self.refuse(node, "OB3034", format!("unsupported expression ({})", other.replace('_', " ")))),
        }
    }

    /// The value in another type.
    pub fn converted(&self, v: Val, ty: ElemType) -> Val {
        let rank = v.rank;
        match (v.ty.base, ty.base) {
            _ if v.ty == ty => v,
            (BaseType::Real | BaseType::Integer, BaseType::Real) => Val::new(op("real_scal", &spelled_real(ty), Some(ty), [v.e]), ty, rank),
            (BaseType::Real, BaseType::Integer) => Val::new(op("int_scal", "int", Some(ty), [v.e]), ty, rank),
            (BaseType::Integer, BaseType::Integer) => {
                let spelling = format!("int({})", ty.bits / 8);
                Val::new(op("int_scal", &spelling, Some(ty), [v.e]), ty, rank)
            }
            _ => v,
        }
    }
}

/// The function that converts to a real type.
fn spelled_real(ty: ElemType) -> String {
    match ty.bits {
        32 => "real".into(),
        64 => "dble".into(),
        bits => format!("real({})", if bits == 80 { 10 } else { bits / 8 }),
    }
}
