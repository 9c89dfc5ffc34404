//! Pointers that are moved to the next address of an alignment, read as if they were there already.
//!
//! ```text
//! double *b = (double *)(((uintptr_t)(raw + 7)) & ~(uintptr_t)63);       ->       double *b = (double *)raw;
//! ```
//!
//! How far such a pointer moves depends on where memory happens to be, so no program has a result that depends on it; where the memory begins at such an
//! address, it does not move. But whoever else rounds up comes to the same place, so only memory that the function has for itself is taken to be aligned: a local
//! array, or one from an allocation whose pointer is only rounded up, compared and freed. What is added first says that it moves up: one that moves down may leave its
//! array, and stays as it is. Lives here: the syntax tree, changed before anything looks at it. Never here: what pointers mean.

use super::expressions_mut;
use super::syntax::{callee_name, declared_name, declares_array, uncast};
use lang_c::ast::{
    BinaryOperator as B, DerivedDeclarator, Expression as E, ExternalDeclaration, FunctionDefinition, InitDeclarator, Initializer,
    TranslationUnit, TypeName, UnaryOperator as U,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

/// Takes pointers to be aligned.
pub(crate) fn settle(tree: &mut TranslationUnit) {
    for item in &mut tree.0 {
        let ExternalDeclaration::FunctionDefinition(f) = &mut item.node else { continue };
        let own = own_memory(&f.node);
        if own.is_empty() {
            continue;
        }
        expressions_mut::in_function(&mut f.node, &mut |e| {
            let E::Cast(c) = &mut e.node else { return };
            if is_pointer(&c.node.type_name.node)
                && let Some(inner) = unaligned(&c.node.expression).filter(|at| name(at).is_some_and(|n| own.contains(n)))
            {
                *c.node.expression = inner;
            }
        });
    }
}

/// Local arrays, and pointers to memory that the function allocates, which nothing but itself can know.
fn own_memory(f: &FunctionDefinition) -> FxHashSet<SmolStr> {
    let mut uses = Uses::default();
    uses.visit_statement(&f.statement.node, &f.statement.span);
    let mut out = uses.declared;
    out.retain(|n, once| *once && uses.harmless.get(n).copied().unwrap_or_default() == uses.all.get(n).copied().unwrap_or_default());
    out.into_keys().collect()
}

/// How a function uses names.
#[derive(Default)]
struct Uses {
    /// Those that it declares for memory, with whether there is one declaration of them.
    declared: FxHashMap<SmolStr, bool>,
    all: FxHashMap<SmolStr, usize>,
    /// Uses that tell nobody where the memory is.
    harmless: FxHashMap<SmolStr, usize>,
}

impl Uses {
    fn allow(&mut self, e: &Node<E>) {
        if let Some(n) = name(e) {
            *self.harmless.entry(n.into()).or_default() += 1;
        }
    }
}

impl<'a> Visit<'a> for Uses {
    fn visit_init_declarator(&mut self, d: &'a InitDeclarator, span: &'a Span) {
        if let Some((n, _)) = declared_name(&d.declarator.node) {
            let from = d.initializer.as_ref().map(|i| &i.node);
            let own = declares_array(&d.declarator.node) || from.is_none_or(|i| matches!(i, Initializer::Expression(e) if allocates(e)));
            let first = !self.declared.contains_key(n);
            self.declared.insert(n.into(), first && own);
        }
        visit::visit_init_declarator(self, d, span);
    }

    fn visit_expression(&mut self, e: &'a E, span: &'a Span) {
        match e {
            E::Identifier(i) => *self.all.entry(i.node.name.as_str().into()).or_default() += 1,
            // All else in it are numbers.
            E::Cast(c) if is_pointer(&c.node.type_name.node) && unaligned(&c.node.expression).is_some() => return,
            E::Call(c) if callee_name(&c.node) == Some("free") => c.node.arguments.iter().for_each(|a| self.allow(uncast(a))),
            E::UnaryOperator(u) if u.node.operator.node == U::Negate => self.allow(&u.node.operand),
            E::BinaryOperator(b) => match b.node.operator.node {
                B::Assign if allocates(&b.node.rhs) => self.allow(&b.node.lhs),
                B::Equals | B::NotEquals => [&b.node.lhs, &b.node.rhs].into_iter().for_each(|e| self.allow(e)),
                _ => {}
            },
            _ => {}
        }
        visit::visit_expression(self, e, span);
    }
}

/// Whether an expression is new memory.
fn allocates(e: &Node<E>) -> bool {
    matches!(&uncast(e).node, E::Call(c) if matches!(callee_name(&c.node), Some("malloc" | "calloc")))
}

fn name(e: &Node<E>) -> Option<&str> {
    match &e.node {
        E::Identifier(i) => Some(&i.node.name),
        _ => None,
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
    (number && added && name(at).is_some()).then(|| at.clone())
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
