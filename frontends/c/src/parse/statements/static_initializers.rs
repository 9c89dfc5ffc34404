//! Initial values of what is not automatic.
//!
//! Lives here: what is a constant, and how it is noted. Never here: lists of automatic arrays (see
//! `local_declarations`), and structures.

use crate::parse::context::state::{Binding, Lower};
use crate::parse::language::math;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{INITIALIZER, Res, refuse};
use crate::parse::text::syntax::callee_name;
use lang_c::ast::{Expression as E, Initializer};
use lang_c::span::Node;
use xaif::model::Symbol;

impl<'a> Lower<'a> {
    /// True where every part of an initializer is a literal or computed from literals.
    pub fn initializer_is_constant(&mut self, init: &Node<Initializer>) -> bool {
        match &init.node {
            Initializer::Expression(e) => self.is_constant(e),
            Initializer::List(items) => items.iter().all(|i| self.initializer_is_constant(&i.node.initializer)),
        }
    }

    fn is_constant(&mut self, e: &Node<E>) -> bool {
        match &e.node {
            E::Constant(_) | E::StringLiteral(_) | E::SizeOfTy(_) => true,
            E::SizeOfVal(_) => self.constant_integer(e).is_some(),
            E::UnaryOperator(u) => {
                use lang_c::ast::UnaryOperator as U;
                matches!(u.node.operator.node, U::Plus | U::Minus | U::Complement | U::Negate) && self.is_constant(&u.node.operand)
            }
            E::BinaryOperator(b) => {
                b.node.operator.node != lang_c::ast::BinaryOperator::Assign
                    && self.is_constant(&b.node.lhs)
                    && self.is_constant(&b.node.rhs)
            }
            E::Cast(c) => self.is_constant(&c.node.expression),
            E::Conditional(c) => {
                self.is_constant(&c.node.condition)
                    && self.is_constant(&c.node.then_expression)
                    && self.is_constant(&c.node.else_expression)
            }
            E::Call(c) => callee_name(&c.node).is_some_and(|n| math::special(n).is_some()),
            E::Identifier(i) => match self.find(&i.node.name) {
                Some(Binding::Enumerator { .. } | Binding::Function(_)) => true,
                Some(Binding::Variable(v)) => v.value.is_some(),
                Some(_) => false,
                None => math::builtin_macro(&i.node.name).is_some(),
            },
            _ => false,
        }
    }

    /// The initial value of something that is not automatic: as a term where it is a scalar, and as text.
    pub fn static_initializer(&mut self, symbol: &mut Symbol, ty: &CType, init: Option<&'a Node<Initializer>>) -> Res<()> {
        let Some(init) = init else { return Ok(()) };
        self.note_functions(&init.node);
        let text = self.original(init.span);
        let text = if text.is_empty() { self.text.get(init.span.start..init.span.end).unwrap_or_default().to_owned() } else { text };
        let text = text.strip_prefix('=').map_or(text.as_str(), str::trim_start).to_owned();
        let value = match &init.node {
            Initializer::Expression(e) if ty.is_arithmetic() && self.is_constant(e) => Some(self.value(e)?.stored_as(ty)),
            Initializer::Expression(e) if ty.is_arithmetic() => {
                return refuse(INITIALIZER, e.as_ref(), "this initial value is not a constant");
            }
            _ => None,
        };
        if let Some(d) = &mut symbol.decl {
            d.init = value;
            d.init_text = text.into();
        }
        Ok(())
    }
}
