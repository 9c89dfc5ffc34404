//! Loops that give memory to the rows of a matrix, or take it back.
//!
//! ```text
//! for (int i = 0; i < n; i++) {            for (i = 0; i < n; i++)
//!   a[i] = malloc(m * sizeof **a);           free(a[i]);
//!   if (!a[i])
//!     abort();
//! }
//! ```
//!
//! Lives here: which statements these are. Never here: what becomes of them (see `memory::matrix_allocation`).

use super::allocation_wrappers::is_plain;
use crate::parse::text::syntax::{callee_name, declared_name, uncast};
use lang_c::ast::{
    BinaryOperator as B, BlockItem, Expression as E, ForInitializer, ForStatement, Identifier, Initializer, Statement, UnaryOperator as U,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

/// A loop that does nothing but give memory to the rows of a matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowsMade<'a> {
    /// The matrix.
    pub array: &'a str,
    /// What counts the rows.
    pub counter: &'a str,
    /// What each of them gets.
    pub memory: &'a Node<E>,
}

fn named(e: &Node<E>) -> Option<&str> {
    match &uncast(e).node {
        E::Identifier(i) => Some(&i.node.name),
        _ => None,
    }
}

/// `a[i]`: both names.
fn row(e: &Node<E>) -> Option<(&str, &Node<E>)> {
    match &uncast(e).node {
        E::BinaryOperator(b) if b.node.operator.node == B::Index => Some((named(&b.node.lhs)?, &b.node.rhs)),
        _ => None,
    }
}

/// The statements of a block, or the one that there is.
fn statements(s: &Node<Statement>) -> Option<Vec<&Node<Statement>>> {
    match &s.node {
        Statement::Compound(items) => items
            .iter()
            .map(|i| match &i.node {
                BlockItem::Statement(s) => Some(s),
                _ => None,
            })
            .collect(),
        _ => Some(vec![s]),
    }
}

/// The variable that a loop steps by one, up or down, and that nothing else in its head changes.
pub(crate) fn counter(f: &ForStatement) -> Option<&str> {
    let step = f.step.as_ref()?;
    let E::UnaryOperator(u) = &step.node else { return None };
    let steps = matches!(u.node.operator.node, U::PostIncrement | U::PreIncrement | U::PostDecrement | U::PreDecrement);
    let counter = named(&u.node.operand).filter(|_| steps)?;
    let begins = match &f.initializer.node {
        ForInitializer::Expression(e) => {
            matches!(&e.node, E::BinaryOperator(b) if b.node.operator.node == B::Assign && named(&b.node.lhs) == Some(counter) && is_plain(&b.node.rhs))
        }
        ForInitializer::Declaration(d) => {
            let plain = |i: &Node<Initializer>| matches!(&i.node, Initializer::Expression(e) if is_plain(e));
            matches!(&d.node.declarators[..], [one] if declared_name(&one.node.declarator.node).is_some_and(|(n, _)| n == counter)
                && one.node.initializer.as_ref().is_some_and(plain))
        }
        _ => false,
    };
    let compares = f.condition.as_ref().is_some_and(|c| {
        let E::BinaryOperator(b) = &c.node else { return false };
        let compares = matches!(b.node.operator.node, B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual | B::NotEquals);
        compares && is_plain(&b.node.lhs) && is_plain(&b.node.rhs)
    });
    (begins && compares).then_some(counter)
}

/// Whether a loop declares what it counts with.
pub(crate) fn has_own_counter(f: &ForStatement) -> bool {
    matches!(f.initializer.node, ForInitializer::Declaration(_))
}

/// A loop that does nothing but give memory to rows.
pub(crate) fn rows_made(s: &Node<Statement>) -> Option<RowsMade<'_>> {
    let Statement::For(f) = &s.node else { return None };
    let counter = counter(&f.node)?;
    let body = statements(&f.node.statement)?;
    let (first, checks) = body.split_first()?;
    let Statement::Expression(Some(e)) = &first.node else { return None };
    let E::BinaryOperator(b) = &e.node else { return None };
    let (array, index) = row(&b.node.lhs).filter(|_| b.node.operator.node == B::Assign)?;
    let memory = &*b.node.rhs;
    let call = matches!(&uncast(memory).node, E::Call(_));
    let ours = call && named(index) == Some(counter) && checks.iter().all(|c| asks_for_row(c, array, counter));
    ours.then_some(RowsMade { array, counter, memory })
}

/// `if (!a[i])`: what is done without memory is nothing to those that have it.
fn asks_for_row(s: &Node<Statement>, array: &str, counter: &str) -> bool {
    let Statement::If(i) = &s.node else { return false };
    let ours = |e: &Node<E>| row(e).is_some_and(|(a, k)| a == array && named(k) == Some(counter));
    let null = |e: &Node<E>| match &uncast(e).node {
        E::Constant(c) => matches!(&c.node, lang_c::ast::Constant::Integer(n) if &*n.number == "0"),
        E::Identifier(i) => i.node.name == "NULL",
        _ => false,
    };
    i.node.else_statement.is_none()
        && match &i.node.condition.node {
            E::UnaryOperator(u) => u.node.operator.node == U::Negate && ours(&u.node.operand),
            E::BinaryOperator(b) => {
                b.node.operator.node == B::Equals && (ours(&b.node.lhs) && null(&b.node.rhs) || null(&b.node.lhs) && ours(&b.node.rhs))
            }
            _ => false,
        }
}

/// The matrix of which a statement does nothing but free a row, or one after the other.
pub(crate) fn rows_freed(s: &Node<Statement>) -> Option<&str> {
    match &s.node {
        Statement::For(f) => {
            counter(&f.node)?;
            let [one] = statements(&f.node.statement)?[..] else { return None };
            rows_freed(one)
        }
        Statement::Expression(Some(e)) => {
            let E::Call(c) = &e.node else { return None };
            let [freed] = &c.node.arguments[..] else { return None };
            let (array, index) = row(shifted_back(freed)?).filter(|_| callee_name(&c.node) == Some("free"))?;
            matches!(index.node, E::Identifier(_) | E::Constant(_)).then_some(array)
        }
        _ => None,
    }
}

/// `v` of `v + nl - 1`: where functions give memory that they shift (see `text::shifted_memory`), they shift it back to free it.
pub(crate) fn shifted_back(e: &Node<E>) -> Option<&Node<E>> {
    match &uncast(e).node {
        E::BinaryOperator(b) if matches!(b.node.operator.node, B::Plus | B::Minus) => {
            shifted_back(&b.node.lhs).filter(|_| is_plain(&b.node.rhs))
        }
        _ => Some(uncast(e)),
    }
}

/// Whether an expression mentions a name.
pub(crate) fn mentions(e: &Node<E>, name: &str) -> bool {
    struct Names<'n> {
        name: &'n str,
        found: bool,
    }
    impl<'t> Visit<'t> for Names<'_> {
        fn visit_identifier(&mut self, i: &'t Identifier, _: &'t Span) {
            self.found |= i.name == self.name;
        }
    }
    let mut names = Names { name, found: false };
    visit::visit_expression(&mut names, &e.node, &e.span);
    names.found
}
