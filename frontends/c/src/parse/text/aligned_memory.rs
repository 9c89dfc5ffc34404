//! Pointers that are moved to the next address of an alignment, read as if they were there already.
//!
//! ```text
//! double *b = (double *)(((uintptr_t)(raw + 7)) & ~(uintptr_t)63);       ->       double *b = (double *)raw;
//! ```
//!
//! How far such a pointer moves depends on where memory happens to be, so no program has a result that depends on it; where the memory begins at such an
//! address, it does not move. What is added first says that it moves up: one that moves down may leave its array, and stays as it is. Lives here: the syntax tree,
//! changed before anything looks at it. Never here: what pointers mean.

use super::expressions_mut;
use super::syntax::uncast;
use lang_c::ast::{
    BinaryOperator as B, DerivedDeclarator, Expression as E, ExternalDeclaration, TranslationUnit, TypeName, UnaryOperator as U,
};
use lang_c::span::Node;

/// Takes pointers to be aligned.
pub(crate) fn settle(tree: &mut TranslationUnit) {
    for item in &mut tree.0 {
        if let ExternalDeclaration::FunctionDefinition(f) = &mut item.node {
            expressions_mut::in_function(&mut f.node, &mut |e| {
                let E::Cast(c) = &mut e.node else { return };
                if is_pointer(&c.node.type_name.node)
                    && let Some(inner) = unaligned(&c.node.expression)
                {
                    *c.node.expression = inner;
                }
            });
        }
    }
}

fn is_pointer(t: &TypeName) -> bool {
    t.declarator.as_ref().is_some_and(|d| matches!(&d.node.derived[..], [Node { node: DerivedDeclarator::Pointer(_), .. }]))
}

/// The pointer that is moved up to a multiple of a number.
fn unaligned(e: &Node<E>) -> Option<Node<E>> {
    let E::BinaryOperator(b) = &uncast(e).node else { return None };
    if b.node.operator.node != B::BitwiseAnd || !is_mask(&b.node.rhs) {
        return None;
    }
    let (mut at, mut number, mut added) = (&*b.node.lhs, false, false);
    loop {
        match &at.node {
            E::Cast(c) => {
                number |= !is_pointer(&c.node.type_name.node);
                at = &c.node.expression;
            }
            E::BinaryOperator(b) if matches!(b.node.operator.node, B::Plus | B::Minus) && is_constant(&b.node.rhs) => {
                added |= b.node.operator.node == B::Plus;
                at = &b.node.lhs;
            }
            _ => break,
        }
    }
    let plain = matches!(at.node, E::Identifier(_) | E::Member(_));
    (number && added && plain).then(|| at.clone())
}

/// `~63`, `-64`, `~(a - 1)`: what leaves out the last bits.
fn is_mask(e: &Node<E>) -> bool {
    match &uncast(e).node {
        E::UnaryOperator(u) => matches!(u.node.operator.node, U::Complement | U::Minus) && is_constant(&u.node.operand),
        _ => false,
    }
}

fn is_constant(e: &Node<E>) -> bool {
    match &e.node {
        E::Constant(_) | E::SizeOfTy(_) | E::AlignOf(_) => true,
        E::Cast(c) => is_constant(&c.node.expression),
        E::UnaryOperator(u) => matches!(u.node.operator.node, U::Complement | U::Minus | U::Plus) && is_constant(&u.node.operand),
        E::BinaryOperator(b) => {
            matches!(b.node.operator.node, B::Plus | B::Minus | B::Multiply | B::ShiftLeft)
                && is_constant(&b.node.lhs)
                && is_constant(&b.node.rhs)
        }
        _ => false,
    }
}
