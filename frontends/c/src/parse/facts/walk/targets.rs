//! What pointers are given, by names: a variable, and the members of structures on the way from there.
//!
//! Lives here: targets as the text names them. Never here: which variables they are (see `memory::target_bases`).

use super::{Scan, is_null};
use crate::parse::facts::function::Target;
use crate::parse::text::syntax::uncast;
use lang_c::ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
use lang_c::span::Node;

impl Scan<'_> {
    /// The variables that a pointer value lies in, with the members on the way.
    pub(super) fn targets(&mut self, e: &Node<E>, out: &mut Vec<Option<Target>>) {
        match &uncast(e).node {
            _ if is_null(e) => {}
            E::Conditional(c) => {
                self.targets(&c.node.then_expression, out);
                self.targets(&c.node.else_expression, out);
            }
            _ => {
                let target = self.target(e);
                out.push(target);
            }
        }
    }

    fn target(&mut self, e: &Node<E>) -> Option<Target> {
        match &uncast(e).node {
            E::Identifier(i) => Some(Target { variable: self.lookup(&i.node.name), members: Vec::new() }),
            E::Member(m) => {
                let mut t = self.target(&m.node.expression)?;
                t.members.push(m.node.identifier.node.name.as_str().into());
                Some(t)
            }
            E::Comma(list) => self.target(list.last()?),
            E::UnaryOperator(u) if matches!(u.node.operator.node, U::Address | U::Indirection) => self.target(&u.node.operand),
            E::BinaryOperator(b) => match b.node.operator.node {
                B::Index => {
                    let pointer = self.sides(&b.node).pointer;
                    self.target(pointer)
                }
                B::Plus if !self.is_left(&b.node) => self.target(&b.node.rhs),
                B::Plus | B::Minus => self.target(&b.node.lhs),
                _ => None,
            },
            _ => None,
        }
    }
}
