//! Truth values and choices: connectives, comparisons, values under a condition.
//!
//! Lives here: what must not be computed unless a condition holds. Never here: arithmetic.

use super::pieces::{Level, Piece, Prelude, infix, prefix, stronger};
use super::writer::{MAX_DEPTH, Writer};
use crate::unparse::language::types;
use crate::unparse::text::problems;
use xaif::model::{BaseType, BoolOp, ElemType, Expr, NodeKind, Operation};
use xaif::types::ValueType;

/// The literal is a zero: `0.0d0`, `0.0_wp`.
fn is_zero(text: &str) -> bool {
    let number = text.split('_').next().unwrap_or_default();
    let digits = number.split(['d', 'D', 'e', 'E']).next().unwrap_or_default();
    digits.contains('0') && digits.chars().all(|c| matches!(c, '0' | '.'))
}

impl<'c, 'p> Writer<'c, 'p> {
    /// A connective or a comparison.
    pub fn boolean<'e>(&mut self, op: BoolOp, operands: Vec<(Piece<'e>, ValueType)>) -> Piece<'e> {
        let logical = |w: &Self, (p, t): (Piece<'e>, ValueType)| w.as_logical(p, t.elem);
        let mut operands = operands.into_iter();
        let Some(first) = operands.next() else { return self.missing_operand() };
        if op == BoolOp::Not {
            let inner = logical(self, first);
            return prefix(".not. ", inner, Level::Not, Level::Primary);
        }
        let Some(second) = operands.next() else { return self.missing_operand() };
        let bools = first.1.elem.base == BaseType::Bool && second.1.elem.base == BaseType::Bool;
        match op {
            BoolOp::And | BoolOp::Or => {
                let guards = first.0.text.contains("present(") || first.0.text.contains("allocated(");
                let (left, right) = (logical(self, first), logical(self, second));
                let loose = right.hazard || right.elements.iter().any(|e| !left.elements.contains(e));
                if !right.prelude.is_empty() || ((self.cx.foreign || guards) && loose) {
                    return self.short_circuit(op == BoolOp::And, left, right);
                }
                let (sign, level) = if op == BoolOp::And { (".and.", Level::And) } else { (".or.", Level::Or) };
                infix(left, sign, right, level, level, stronger(level))
            }
            BoolOp::Xor | BoolOp::NotEqual if bools || op == BoolOp::Xor => {
                let (left, right) = (logical(self, first), logical(self, second));
                infix(left, ".neqv.", right, Level::Equivalence, Level::Equivalence, Level::Or)
            }
            BoolOp::Equal if bools => {
                let (left, right) = (logical(self, first), logical(self, second));
                infix(left, ".eqv.", right, Level::Equivalence, Level::Equivalence, Level::Or)
            }
            _ => {
                let sign = match op {
                    BoolOp::LessThan => "<",
                    BoolOp::LessOrEqual => "<=",
                    BoolOp::GreaterThan => ">",
                    BoolOp::GreaterOrEqual => ">=",
                    BoolOp::Equal => "==",
                    _ => "/=",
                };
                let real = first.1.elem.is_real() && second.1.elem.is_real();
                let (left, right) = (self.as_number(first), self.as_number(second));
                // Compilers warn of reals compared for equality; this says the same.
                if real && matches!(op, BoolOp::Equal | BoolOp::NotEqual) && is_zero(&right.text) && self.cx.is_derivative(self.unit) {
                    self.intrinsics.insert("abs");
                    let is = infix(self.call("abs", vec![left], false), "<=", right, Level::Relation, Level::Sum, Level::Sum);
                    return if op == BoolOp::Equal { is } else { prefix(".not. ", is, Level::Not, Level::Primary) };
                }
                infix(left, sign, right, Level::Relation, Level::Sum, Level::Sum)
            }
        }
    }

    fn missing_operand(&self) -> Piece<'static> {
        self.cx.refuse(problems::malformed(self.cx.program, self.span, "an operation lacks an operand"));
        Piece::of("0", Level::Primary)
    }

    /// A number as a truth value, as C reads it.
    pub fn as_logical<'e>(&self, p: Piece<'e>, ty: ElemType) -> Piece<'e> {
        match ty.base {
            BaseType::Integer | BaseType::Real => infix(p, "/=", Piece::of("0", Level::Primary), Level::Relation, Level::Sum, Level::Sum),
            _ => p,
        }
    }

    /// A truth value as a number, as C computes with it.
    pub fn as_number<'e>(&mut self, (p, t): (Piece<'e>, ValueType)) -> Piece<'e> {
        if t.elem.base != BaseType::Bool {
            return p;
        }
        self.intrinsics.insert("merge");
        let (one, zero) = (Piece::of("1", Level::Primary), Piece::of("0", Level::Primary));
        self.call("merge", vec![one, zero, p], false)
    }

    /// `left .and. right` (or `.or.`) with `right` evaluated only where `left` leaves the result open.
    fn short_circuit<'e>(&mut self, and: bool, left: Piece<'e>, right: Piece<'e>) -> Piece<'e> {
        let depth = left.depth.max(right.depth) + 1;
        if self.no_prelude || depth > MAX_DEPTH {
            return self.refuse_condition("its left side guards its right side");
        }
        let t = self.temporary(ElemType::BOOL);
        let name = self.temporaries[t].name.clone();
        let mut prelude = left.prelude;
        prelude.push(Prelude::Set(t, left.text));
        let mut then = right.prelude;
        then.push(Prelude::Set(t, right.text));
        prelude.push(Prelude::Choose(t, if and { name } else { format!(".not. {name}") }, then, Vec::new()));
        Piece { elements: left.elements, ..self.temporary_piece(t, prelude, depth) }
    }

    fn refuse_condition(&self, why: &str) -> Piece<'static> {
        self.cx.refuse(problems::conditional_value(self.cx.program, self.span, why));
        Piece::of("0", Level::Primary)
    }

    /// `select(c, a, b)`: MERGE where both operands may be evaluated, else an IF block before the statement.
    pub fn select<'e>(&mut self, op: &Operation, operands: Vec<(Piece<'e>, ValueType)>, ty: ValueType) -> Piece<'e> {
        let Ok([condition, a, b]) = <[_; 3]>::try_from(operands) else { return self.missing_operand() };
        let condition = self.as_logical(condition.0, condition.1.elem);
        let to = ty.elem;
        let arm = |w: &mut Self, (p, t): (Piece<'e>, ValueType)| match (t.elem.base, to.base) {
            (BaseType::Bool, BaseType::Bool) => p,
            (_, BaseType::Bool) => w.as_logical(p, t.elem),
            _ => {
                let from = if t.elem.base == BaseType::Bool { ElemType::INTEGER } else { t.elem };
                let p = w.as_number((p, t));
                if types::same(from, to) || types::spelling(to).is_none() { p } else { w.convert(p, to) }
            }
        };
        let (a, b) = (arm(self, a), arm(self, b));
        let loose = |p: &Piece| p.hazard || !p.prelude.is_empty() || p.elements.iter().any(|e| !condition.elements.contains(e));
        if !loose(&a) && !loose(&b) {
            self.intrinsics.insert("merge");
            return self.call("merge", vec![a, b, condition], false);
        }
        if ty.rank > 0 && !self.cx.foreign && op.spelling.eq_ignore_ascii_case("merge") && a.prelude.is_empty() && b.prelude.is_empty() {
            // The source evaluates both itself.
            self.intrinsics.insert("merge");
            return self.call("merge", vec![a, b, condition], true);
        }
        let depth = a.depth.max(b.depth).max(condition.depth) + 1;
        if self.no_prelude || depth > MAX_DEPTH {
            return self.refuse_condition("only one of two operands may be evaluated");
        }
        if ty.rank > 0 || types::spelling(to).is_none() {
            return self.refuse_condition("the choice is made for each element of an array");
        }
        let t = self.temporary(to);
        let mut then = a.prelude;
        then.push(Prelude::Set(t, a.text));
        let mut other = b.prelude;
        other.push(Prelude::Set(t, b.text));
        let mut prelude = condition.prelude;
        prelude.push(Prelude::Choose(t, condition.text, then, other));
        Piece { elements: condition.elements, ..self.temporary_piece(t, prelude, depth) }
    }

    /// Operands of a choice that the caller prints as a statement.
    pub fn choice(&mut self, e: &Expr) -> Option<[(Expr, ValueType); 3]> {
        let root = e.nodes.last()?;
        let NodeKind::Op(op) = &root.kind else { return None };
        if op.name != "select" || root.operands.len() != 3 {
            return None;
        }
        let types = xaif::types::of_expr(self.cx.program, e);
        let part = |i: usize| (e.subexpr(root.operands[i]), types[root.operands[i].index()]);
        Some([part(0), part(1), part(2)])
    }
}
