//! Calls through pointers, as calls of the functions that they may mean.
//!
//! ```text
//! s += f(x, data);    ->    s += f == first ? first(x, data) : f == second ? second(x, data) : (abort(), 0);
//! ```
//!
//! The last function needs no question where nothing else can be meant; then one alone is simply
//! called. Changed in the tree, before anything looks at it: all analyses see plain calls.
//!
//! Lives here: that change, and prototypes of functions that are defined further down. Never here:
//! which functions can be meant (see `function_targets`).

use super::function_targets::{FunctionTargets, Key, Place, Targets};
use crate::parse::text::expressions_mut::in_function;
use crate::parse::text::syntax::{declared_name, function_part, is_compound_assignment};
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, CallExpression, ConditionalExpression, Constant, Declaration, Declarator, Expression as E,
    ExternalDeclaration, Identifier, InitDeclarator, Integer, IntegerBase, IntegerSize, IntegerSuffix, TranslationUnit, UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use std::collections::BTreeMap;

/// More functions than this are not asked for one by one.
const MOST_TARGETS: usize = 24;

/// Changes all calls through pointers whose targets are known.
pub(crate) fn resolve(trees: &mut [&mut TranslationUnit]) -> FunctionTargets {
    let known = FunctionTargets::of(&trees.iter().map(|t| &**t).collect::<Vec<_>>());
    if known.is_empty() {
        return known;
    }
    // Prototypes by the items before which they go.
    let mut missing: BTreeMap<(usize, usize), Vec<Node<ExternalDeclaration>>> = BTreeMap::new();
    for (file, tree) in trees.iter_mut().enumerate() {
        for at in 0..tree.0.len() {
            let ExternalDeclaration::FunctionDefinition(f) = &mut tree.0[at].node else { continue };
            let inside = known.inside(file, &f.node);
            let mut called: Vec<Key> = Vec::new();
            in_function(&mut f.node, &mut |e| {
                if let Some((text, targets)) = direct(&known, file, &inside, e) {
                    called.extend(targets);
                    e.node = text;
                }
            });
            for key in called {
                let Some((_, place)) = known.shape(&key).and_then(|s| s.defined) else { continue };
                let list = missing.entry((file, at)).or_default();
                if place > at && !declared_before(tree, at, &key.0) && !list.iter().any(|d| declares(d, &key.0)) {
                    list.extend(prototype(&tree.0[place]));
                }
            }
        }
    }
    for ((file, at), list) in missing.into_iter().rev() {
        trees[file].0.splice(at..at, list);
    }
    known
}

/// What stands for a call through a pointer, and which functions it names.
fn direct(known: &FunctionTargets, file: usize, inside: &Place, e: &Node<E>) -> Option<(E, Vec<Key>)> {
    let E::Call(c) = &e.node else { return None };
    let callee = pointer(&c.node.callee);
    let Targets { functions, open } = known.of_expression(inside, callee)?;
    if has_effects(callee) {
        return None;
    }
    let fits = |key: &Key| known.shape(key).is_some_and(|s| s.parameters.is_none_or(|n| n == c.node.arguments.len()));
    let here = |key: &Key| known.function(file, &key.0) == Some(key);
    let functions: Vec<Key> = functions.into_iter().filter(|k| fits(k)).collect();
    if functions.is_empty() || functions.len() > MOST_TARGETS || !functions.iter().all(here) {
        return None;
    }
    let place = |e: E| Node::new(e, Span::span(c.span.start, c.span.end));
    let call = |key: &Key| {
        E::Call(Box::new(Node::new(
            CallExpression { callee: Box::new(named(&key.0, c.span)), arguments: c.node.arguments.clone() },
            c.span,
        )))
    };
    let mut list = functions.iter().rev();
    let mut out = if open {
        let stop = E::Call(Box::new(Node::new(
            CallExpression { callee: Box::new(named("__builtin_abort", c.span)), arguments: Vec::new() },
            c.span,
        )));
        let nothing = functions.iter().all(|key| known.shape(key).is_some_and(|s| s.void));
        if nothing { stop } else { E::Comma(Box::new(vec![place(stop), place(zero(c.span))])) }
    } else {
        call(list.next()?)
    };
    for key in list {
        let asked = BinaryOperatorExpression {
            operator: Node::new(BinaryOperator::Equals, c.span),
            lhs: Box::new(callee.clone()),
            rhs: Box::new(named(&key.0, c.span)),
        };
        let asked = ConditionalExpression {
            condition: Box::new(place(E::BinaryOperator(Box::new(Node::new(asked, c.span))))),
            then_expression: Box::new(place(call(key))),
            else_expression: Box::new(place(out)),
        };
        out = E::Conditional(Box::new(Node::new(asked, c.span)));
    }
    Some((out, functions))
}

/// `f` of `(*f)(x)`.
fn pointer(e: &Node<E>) -> &Node<E> {
    match &e.node {
        E::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Indirection => pointer(&u.node.operand),
        _ => e,
    }
}

fn named(name: &str, span: Span) -> Node<E> {
    Node::new(E::Identifier(Box::new(Node::new(Identifier { name: name.to_owned() }, span))), span)
}

fn zero(span: Span) -> E {
    let suffix = IntegerSuffix { size: IntegerSize::Int, unsigned: false, imaginary: false };
    E::Constant(Box::new(Node::new(Constant::Integer(Integer { base: IntegerBase::Decimal, number: "0".into(), suffix }), span)))
}

/// Whether evaluating an expression does anything.
pub(crate) fn has_effects(e: &Node<E>) -> bool {
    struct Effects(bool);
    impl<'a> Visit<'a> for Effects {
        fn visit_expression(&mut self, e: &'a E, span: &'a Span) {
            self.0 |= match e {
                E::Call(_) | E::Statement(_) | E::VaArg(_) => true,
                E::UnaryOperator(u) => {
                    use UnaryOperator as U;
                    matches!(u.node.operator.node, U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement)
                }
                E::BinaryOperator(b) => b.node.operator.node == BinaryOperator::Assign || is_compound_assignment(&b.node.operator.node),
                _ => false,
            };
            visit::visit_expression(self, e, span);
        }
    }
    let mut effects = Effects(false);
    effects.visit_expression(&e.node, &e.span);
    effects.0
}

fn declares(item: &Node<ExternalDeclaration>, name: &str) -> bool {
    let is = |d: &Declarator| declared_name(d).is_some_and(|(n, _)| n == name);
    match &item.node {
        ExternalDeclaration::Declaration(d) => d.node.declarators.iter().any(|i| is(&i.node.declarator.node)),
        ExternalDeclaration::FunctionDefinition(f) => is(&f.node.declarator.node),
        ExternalDeclaration::StaticAssert(_) => false,
    }
}

fn declared_before(tree: &TranslationUnit, at: usize, name: &str) -> bool {
    tree.0[..at].iter().any(|item| declares(item, name))
}

/// The prototype of a definition.
fn prototype(item: &Node<ExternalDeclaration>) -> Option<Node<ExternalDeclaration>> {
    let ExternalDeclaration::FunctionDefinition(f) = &item.node else { return None };
    function_part(&f.node.declarator.node)?;
    let declarator = f.node.declarator.clone();
    let span = declarator.span;
    let declaration = Declaration {
        specifiers: f.node.specifiers.clone(),
        declarators: vec![Node::new(InitDeclarator { declarator, initializer: None }, span)],
    };
    Some(Node::new(ExternalDeclaration::Declaration(Node::new(declaration, span)), span))
}
