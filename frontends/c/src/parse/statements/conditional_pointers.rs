//! Pointers that a condition chooses inside of a statement: `rhs(n, odd ? a : b);`, `s += (i < m ? x : y)[i];`.
//!
//! The condition is evaluated first. Then the statement is written twice, in a branch on the answer, each time with the pointer of that side. That is right where
//! the condition would be evaluated in any case, has no effects, and asks nothing that the rest of the statement sets.
//!
//! Lives here: such statements. Never here: pointers with names and several targets (see `pointer_choices`).

use crate::parse::context::state::Lower;
use crate::parse::context::values::Operand;
use crate::parse::facts::function::Kind;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::Res;
use lang_c::ast::{BinaryOperator as B, ConditionalExpression, Expression as E, Statement, UnaryOperator as U};
use lang_c::span::{Node, Span};
use xaif::model::Expr;

/// A statement with more such choices is no code that anybody wants to read.
const MAX_CHOICES: usize = 3;

impl<'a> Lower<'a> {
    /// The side that is written at present of a conditional expression, if that is settled.
    pub fn settled_side(&self, e: Span) -> Option<bool> {
        self.body.as_ref()?.chosen_sides.iter().find(|(s, _)| s.start == e.start && s.end == e.end).map(|(_, side)| *side)
    }

    /// Writes a statement once for each side of a pointer that a condition in it chooses. False where there is none.
    pub fn both_sides(&mut self, s: &'a Node<Statement>) -> Res<bool> {
        let e = match &s.node {
            Statement::Expression(Some(e)) => e,
            Statement::Return(Some(e)) => e,
            _ => return Ok(false),
        };
        let mut found = Vec::new();
        chosen(e, &mut found);
        let Some((e, c)) = found.into_iter().find(|(e, c)| self.is_open(e, c, s.span)) else { return Ok(false) };
        self.begin_statement(s.span, true);
        let condition = self.full(&c.condition, |l, e| l.condition(e))?;
        let side = self.keep("side", condition, &CType::Bool, c.condition.span);
        let known = self.known_targets();
        self.open_branch(Expr::sym(side), c.condition.span);
        for first in [true, false] {
            self.set_known_targets(&known);
            self.body().chosen_sides.push((e.span, first));
            self.statement(s);
            self.body().chosen_sides.pop();
            if first {
                self.body().builder.arm(&[]);
            }
        }
        self.close_branch();
        self.forget_targets(s.span);
        Ok(true)
    }

    /// Whether a conditional expression chooses a pointer in one of two arrays, and its condition may come first.
    fn is_open(&mut self, e: &'a Node<E>, c: &'a ConditionalExpression, statement: Span) -> bool {
        let pointer = |t: Option<CType>| matches!(t, Some(CType::Pointer(_) | CType::Array(..)));
        if self.settled_side(e.span).is_some()
            || self.body().chosen_sides.len() >= MAX_CHOICES
            || !pointer(self.type_of(&c.then_expression))
            || !pointer(self.type_of(&c.else_expression))
            || self.constant_integer(&c.condition).is_some()
            || self.effects_of(e.span) > 0
            || !(is_plain(&c.then_expression) && is_plain(&c.else_expression))
        {
            return false;
        }
        let facts = self.body().facts.clone();
        let asked = facts.events(c.condition.span.start, c.condition.span.end);
        let loads = asked.iter().any(|e| e.kind == Kind::Load);
        let sets = |k: &Kind| matches!(k, Kind::Write | Kind::Address | Kind::Handed);
        let disturbed = facts.events(statement.start, statement.end).iter().any(|e| match e.kind {
            // What a condition loads may be what any of these sets.
            Kind::Call | Kind::Store => loads,
            _ => sets(&e.kind) && asked.iter().any(|a| a.var == e.var && a.kind != Kind::Call),
        });
        if disturbed {
            return false;
        }
        // One array with two indices is one reference.
        match (self.operand(&c.then_expression), self.operand(&c.else_expression)) {
            (Ok(Operand::Pointer(p)), Ok(Operand::Pointer(q))) => p.base != q.base || p.subs.len() != q.subs.len(),
            _ => false,
        }
    }
}

/// Whether a pointer expression does nothing but say where it points to.
fn is_plain(e: &Node<E>) -> bool {
    match &e.node {
        E::Identifier(_) | E::Constant(_) => true,
        E::Cast(c) => is_plain(&c.node.expression),
        E::UnaryOperator(u) => matches!(u.node.operator.node, U::Address | U::Plus | U::Minus) && is_plain(&u.node.operand),
        E::BinaryOperator(b) => {
            matches!(b.node.operator.node, B::Plus | B::Minus | B::Multiply | B::Divide | B::Modulo | B::Index)
                && is_plain(&b.node.lhs)
                && is_plain(&b.node.rhs)
        }
        E::Conditional(c) => [&c.node.condition, &c.node.then_expression, &c.node.else_expression].into_iter().all(|e| is_plain(e)),
        _ => false,
    }
}

/// The conditional expressions that are evaluated whenever an expression is.
fn chosen<'a>(e: &'a Node<E>, out: &mut Vec<(&'a Node<E>, &'a ConditionalExpression)>) {
    match &e.node {
        E::Conditional(c) => out.push((e, &c.node)),
        E::Call(c) => c.node.arguments.iter().for_each(|a| chosen(a, out)),
        E::Cast(c) => chosen(&c.node.expression, out),
        E::UnaryOperator(u) if u.node.operator.node != U::Address => chosen(&u.node.operand, out),
        E::BinaryOperator(b) => {
            chosen(&b.node.lhs, out);
            if !matches!(b.node.operator.node, B::LogicalAnd | B::LogicalOr) {
                chosen(&b.node.rhs, out);
            }
        }
        _ => {}
    }
}
