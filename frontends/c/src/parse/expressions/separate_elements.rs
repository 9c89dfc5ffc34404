//! Whether two parts of an expression use different elements of one array.
//!
//! ```text
//! (t[k - 1] = f(x)) - t[k]          k - 1 and k: whichever part comes first, the other one sees the same
//! ```
//!
//! Lives here: subscripts as their text tells them, a name and a number. Never here: whether anything changes that name.

use lang_c::ast::{BinaryOperator as B, Constant, Expression as E, Integer, IntegerBase};
use lang_c::span::{Node, Span};
use lang_c::visit::{Visit, visit_expression};

/// A subscript: a name, where there is one, and what is added to it.
type Subscript<'e> = (Option<&'e str>, i64);

/// Whether each subscript of the array in one part differs from each in the other, and the names in them; none where that is not known.
pub(crate) fn separate<'e>(array: &'e str, a: &'e Node<E>, b: &'e Node<E>) -> Option<Vec<&'e str>> {
    let (a, b) = (subscripts(array, a)?, subscripts(array, b)?);
    let apart = |x: &Subscript, y: &Subscript| x.0 == y.0 && x.1 != y.1;
    let all = a.iter().all(|x| b.iter().all(|y| apart(x, y)));
    all.then(|| a.iter().chain(&b).filter_map(|s| s.0).collect())
}

/// The subscripts with which an array is used; none where it is used in another way, or one of them is no name and number.
fn subscripts<'e>(array: &'e str, e: &'e Node<E>) -> Option<Vec<Subscript<'e>>> {
    let mut it = Subscripts { array, found: Some(Vec::new()) };
    it.visit_expression(&e.node, &e.span);
    it.found
}

struct Subscripts<'e> {
    array: &'e str,
    found: Option<Vec<Subscript<'e>>>,
}

impl<'e> Visit<'e> for Subscripts<'e> {
    fn visit_expression(&mut self, e: &'e E, span: &'e Span) {
        match e {
            E::Identifier(i) if i.node.name == self.array => self.found = None,
            E::BinaryOperator(b) if b.node.operator.node == B::Index && is_name(&b.node.lhs, self.array) => {
                match (subscript(&b.node.rhs), &mut self.found) {
                    (Some(s), Some(found)) => found.push(s),
                    _ => self.found = None,
                }
                self.visit_expression(&b.node.rhs.node, &b.node.rhs.span);
            }
            _ => visit_expression(self, e, span),
        }
    }
}

fn is_name(e: &Node<E>, name: &str) -> bool {
    matches!(&e.node, E::Identifier(i) if i.node.name == name)
}

/// `k`, `3`, `k + 1`, `1 + k`, `k - 1`.
fn subscript(e: &Node<E>) -> Option<Subscript<'_>> {
    match &e.node {
        E::Identifier(i) => Some((Some(&i.node.name), 0)),
        E::Constant(_) => number(e).map(|n| (None, n)),
        E::BinaryOperator(b) => match (&b.node.operator.node, subscript(&b.node.lhs)?, subscript(&b.node.rhs)?) {
            (B::Plus, (x, m), (y, n)) if x.is_none() || y.is_none() => Some((x.or(y), m.checked_add(n)?)),
            (B::Minus, (x, m), (None, n)) => Some((x, m.checked_sub(n)?)),
            _ => None,
        },
        _ => None,
    }
}

fn number(e: &Node<E>) -> Option<i64> {
    match &e.node {
        E::Constant(c) => match &c.node {
            Constant::Integer(Integer { base: IntegerBase::Decimal, number, .. }) => number.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}
