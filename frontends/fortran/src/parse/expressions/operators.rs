//! Operators: arithmetic, comparison, connectives.
//!
//! Lives here: chains of operators to term graphs. Never here: operands.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, combine, op};
use crate::parse::text::tree::field;
use tree_sitter::Node;
use xaif::model::*;
use xaif::types::promote;

const STRING: ElemType = ElemType { base: BaseType::String, bits: 0 };

impl<'t> Lower<'t> {
    /// A sign in front of an operand.
    pub fn unary(&mut self, node: Node<'t>) -> Lowered<Val> {
        if self.is_defined_operation(node) {
            return self.operation_value(node);
        }
        let (Some(o), Some(argument)) = (field(node, "operator"), field(node, "argument")) else {
            return Err(self.refuse(node, "OB3034", "unsupported operator"));
        };
        let name = match self.text(o) {
            "-" => "minus_scal",
            "+" => "plus_scal",
            other => return Err(self.refuse(o, "OB3028", format!("defined operator `{other}`"))),
        };
        let v = self.expr(argument)?;
        self.numeric(&v, argument)?;
        Ok(Val::new(op(name, "", None, [v.e]), v.ty, v.rank))
    }

    /// A chain of operators that lean to the left is walked without recursion.
    pub fn binary(&mut self, node: Node<'t>) -> Lowered<Val> {
        if self.is_defined_operation(node) {
            return self.operation_value(node);
        }
        if let Some(v) = self.complex_comparison(node)? {
            return Ok(v);
        }
        if let Some(v) = self.text_comparison(node)? {
            return Ok(v);
        }
        let mut chain = vec![node];
        let mut at = node;
        while let Some(left) = field(at, "left").filter(|l| l.kind() == node.kind() && field(*l, "left").is_some())
            && !self.is_defined_operation(left)
        {
            chain.push(left);
            at = left;
        }
        if self.operator(at).is_some_and(|o| o == ".not.") {
            let argument = field(at, "argument").ok_or_else(|| self.refuse(at, "OB3034", "unsupported operator"))?;
            let v = self.expr(argument)?;
            self.logical(&v, argument)?;
            return Ok(Val::new(combine(NodeKind::Bool(BoolOp::Not), [v.e]), ElemType::BOOL, v.rank));
        }
        let first = field(at, "left").ok_or_else(|| self.refuse(at, "OB3034", "unsupported operator"))?;
        let mut value = None;
        // `a**b**c` is `a**(b**c)`, but the parser makes `(a**b)**c` of it.
        let mut first = first;
        let mut powers: Vec<Node<'t>> = Vec::new();
        while let Some(n) = chain.pop() {
            let (Some(o), Some(right)) = (field(n, "operator"), field(n, "right")) else {
                return Err(self.refuse(n, "OB3034", "unsupported operator"));
            };
            let sign = self.text(o).to_ascii_lowercase();
            if node.kind() == "math_expression" && right.kind() == "unary_expression" {
                let mut d = *self.refuse(right, "OB3038", "two operators in succession");
                d.help = Some("put the second operand in parentheses".into());
                return Err(Box::new(d));
            }
            if sign == "**" {
                powers.push(right);
                let more = chain.last().and_then(|m| self.operator(*m)).is_some_and(|o| o == "**");
                if more {
                    continue;
                }
                let base = match value.take() {
                    Some(v) => v,
                    None => self.expr(first)?,
                };
                // Operands are lowered in text order, then combined from the right.
                let mut values = vec![base];
                for p in powers.drain(..) {
                    values.push(self.expr(p)?);
                }
                let mut result = values.pop().ok_or_else(|| self.refuse(n, "OB3034", "unsupported operator"))?;
                while let Some(base) = values.pop() {
                    result = self.apply("**", base, result, n)?;
                }
                value = Some(result);
                continue;
            }
            let left = match value.take() {
                Some(v) => v,
                None => self.expr(first)?,
            };
            value = Some(if matches!(sign.as_str(), ".and." | ".or.") && self.calls_units(right) {
                self.short_circuit(&sign, left, right)?
            } else {
                let right_value = self.expr(right)?;
                self.apply(&sign, left, right_value, n)?
            });
            first = right;
        }
        value.ok_or_else(|| self.refuse(node, "OB3034", "unsupported operator"))
    }

    fn operator(&self, node: Node) -> Option<String> {
        field(node, "operator").map(|o| self.lower(o))
    }

    /// Applies a binary operator.
    pub fn apply(&self, sign: &str, a: Val, b: Val, node: Node) -> Lowered<Val> {
        let rank = a.rank.max(b.rank);
        if a.rank > 0 && b.rank > 0 && a.rank != b.rank {
            return Err(self.refuse(node, "OB3043", "the operands have different ranks"));
        }
        let arithmetic = match sign {
            "+" => "add_scal_scal",
            "-" => "sub_scal_scal",
            "*" => "mul_scal_scal",
            "/" => "div_scal_scal",
            "**" => "pow_scal_scal",
            _ => "",
        };
        if !arithmetic.is_empty() {
            self.numeric(&a, node)?;
            self.numeric(&b, node)?;
            let ty = promote(a.ty, b.ty);
            return Ok(Val::new(op(arithmetic, "", None, [a.e, b.e]), ty, rank));
        }
        if sign == "//" {
            if a.ty.base != BaseType::String || b.ty.base != BaseType::String {
                return Err(self.refuse(node, "OB3043", "`//` needs text on both sides"));
            }
            return Ok(Val::new(op("concat", "//", Some(STRING), [a.e, b.e]), STRING, rank));
        }
        let connective = match sign {
            ".and." => Some(BoolOp::And),
            ".or." => Some(BoolOp::Or),
            ".eqv." | ".neqv." => Some(BoolOp::Xor),
            _ => None,
        };
        if let Some(connective) = connective {
            self.logical(&a, node)?;
            self.logical(&b, node)?;
            let mut e = combine(NodeKind::Bool(connective), [a.e, b.e]);
            if sign == ".eqv." {
                e = combine(NodeKind::Bool(BoolOp::Not), [e]);
            }
            return Ok(Val::new(e, ElemType::BOOL, rank));
        }
        let (relation, text) = match sign {
            "<" | ".lt." => (BoolOp::LessThan, "string_lt_scal_scal"),
            "<=" | ".le." => (BoolOp::LessOrEqual, "string_le_scal_scal"),
            ">" | ".gt." => (BoolOp::GreaterThan, "string_gt_scal_scal"),
            ">=" | ".ge." => (BoolOp::GreaterOrEqual, "string_ge_scal_scal"),
            "==" | ".eq." => (BoolOp::Equal, "string_eq_scal_scal"),
            "/=" | ".ne." => (BoolOp::NotEqual, "string_ne_scal_scal"),
            other => return Err(self.refuse(node, "OB3028", format!("defined operator `{other}`"))),
        };
        if a.ty.base == BaseType::String && b.ty.base == BaseType::String {
            return Ok(Val::new(op(text, "", None, [a.e, b.e]), ElemType::BOOL, rank));
        }
        self.numeric(&a, node)?;
        self.numeric(&b, node)?;
        Ok(Val::new(combine(NodeKind::Bool(relation), [a.e, b.e]), ElemType::BOOL, rank))
    }

    /// Refuses what is no real or integer.
    pub fn numeric(&self, v: &Val, node: Node) -> Lowered<()> {
        match v.ty.base {
            BaseType::Real | BaseType::Integer => Ok(()),
            BaseType::Opaque if v.e.as_var().is_some_and(|r| self.is_complex_symbol(r.symbol)) => {
                Err(self.refuse(node, "OB3021", "a complex number where a real one is needed"))
            }
            BaseType::Opaque => Err(self.refuse(node, "OB3020", "operation on a derived type")),
            _ => Err(self.refuse(node, "OB3043", "a number is needed here")),
        }
    }

    /// Refuses what is no truth value.
    pub fn logical(&self, v: &Val, node: Node) -> Lowered<()> {
        if v.ty.base == BaseType::Bool { Ok(()) } else { Err(self.refuse(node, "OB3043", "a truth value is needed here")) }
    }
}

impl<'t> Lower<'t> {
    /// Turns a truth value around.
    pub fn negated(&self, e: Expr) -> Expr {
        combine(NodeKind::Bool(BoolOp::Not), [e])
    }
}
