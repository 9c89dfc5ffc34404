//! Questions to the syntax tree that need no names to be known.
//!
//! Lives here: what stands in a declarator, a call, a statement. Never here: what it means.

use lang_c::ast::{
    BinaryOperator, BlockItem, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Expression as E, FunctionDefinition,
    Label, Statement, StorageClassSpecifier,
};
use lang_c::span::Node;

/// Whether a storage class stands among specifiers.
pub(crate) fn has_storage(specifiers: &[Node<DeclarationSpecifier>], wanted: StorageClassSpecifier) -> bool {
    specifiers.iter().any(|s| matches!(&s.node, DeclarationSpecifier::StorageClass(c) if c.node == wanted))
}

/// Whether a function is seen in its own file only.
pub(crate) fn is_static(f: &FunctionDefinition) -> bool {
    has_storage(&f.specifiers, StorageClassSpecifier::Static)
}

/// The name that a declarator declares.
pub(crate) fn declared_name(d: &Declarator) -> Option<(&str, usize)> {
    match &d.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(i) => Some((&i.node.name, i.span.start)),
        DeclaratorKind::Declarator(inner) => declared_name(&inner.node),
    }
}

/// How many pointers and arrays a declarator makes.
pub(crate) fn declared_depth(d: &Declarator) -> usize {
    let own = d.derived.iter().filter(|d| matches!(d.node, DerivedDeclarator::Pointer(_) | DerivedDeclarator::Array(_))).count();
    match &d.kind.node {
        DeclaratorKind::Declarator(inner) => own + declared_depth(&inner.node),
        _ => own,
    }
}

/// The parameters of a function's declarator: those that stand nearest to its name (`k` of `double (*choose(int k))(double)`).
pub(crate) fn function_part(d: &Declarator) -> Option<&lang_c::ast::FunctionDeclarator> {
    let inner = match &d.kind.node {
        DeclaratorKind::Declarator(inner) => function_part(&inner.node),
        _ => None,
    };
    inner.or_else(|| {
        d.derived.iter().find_map(|d| match &d.node {
            DerivedDeclarator::Function(f) => Some(&f.node),
            _ => None,
        })
    })
}

/// The names of a function's parameters; `None` where one has none.
pub(crate) fn parameter_names(f: &FunctionDefinition) -> Option<Vec<&str>> {
    let part = function_part(&f.declarator.node)?;
    part.parameters.iter().map(|p| p.node.declarator.as_ref().and_then(|d| declared_name(&d.node)).map(|(n, _)| n)).collect()
}

/// True where a declarator makes an array (of a parameter: `x[]`, `x[n]`, `(*x)[m]`).
pub(crate) fn declares_array(d: &Declarator) -> bool {
    d.derived.iter().any(|d| matches!(d.node, DerivedDeclarator::Array(_)))
        || matches!(&d.kind.node, DeclaratorKind::Declarator(inner) if declares_array(&inner.node))
}

/// An expression without the casts around it.
pub(crate) fn uncast(e: &Node<E>) -> &Node<E> {
    let mut at = e;
    while let E::Cast(c) = &at.node {
        at = &c.node.expression;
    }
    at
}

/// Name of the function that a call names.
pub(crate) fn callee_name(call: &lang_c::ast::CallExpression) -> Option<&str> {
    match &call.callee.node {
        E::Identifier(i) => Some(&i.node.name),
        _ => None,
    }
}

/// `errno`, as the preprocessor leaves it.
pub(crate) fn is_errno(e: &Node<E>) -> bool {
    match &uncast(e).node {
        E::UnaryOperator(u) if u.node.operator.node == lang_c::ast::UnaryOperator::Indirection => {
            matches!(&uncast(&u.node.operand).node, E::Call(c) if callee_name(&c.node).is_some_and(|n| matches!(n, "__errno_location" | "__error" | "_errno")))
        }
        E::Identifier(i) => i.node.name == "errno",
        _ => false,
    }
}

/// True where control may come in from elsewhere: a label that `goto` may name, or a `case` of a switch outside.
pub(crate) fn has_label(s: &Statement, inside_switch: bool) -> bool {
    let inner = |s: &Node<Statement>| has_label(&s.node, inside_switch);
    match s {
        Statement::Labeled(l) => matches!(l.node.label.node, Label::Identifier(_)) || !inside_switch || inner(&l.node.statement),
        Statement::Compound(items) => items.iter().any(|i| matches!(&i.node, BlockItem::Statement(s) if inner(s))),
        Statement::If(i) => inner(&i.node.then_statement) || i.node.else_statement.as_ref().is_some_and(|e| inner(e)),
        Statement::Switch(w) => has_label(&w.node.statement.node, true),
        Statement::While(w) => inner(&w.node.statement),
        Statement::DoWhile(w) => inner(&w.node.statement),
        Statement::For(f) => inner(&f.node.statement),
        _ => false,
    }
}

/// Whether a declarator declares a function, not a pointer to one.
pub(crate) fn declares_function(d: &Declarator) -> bool {
    match &d.kind.node {
        // What stands inside of the parentheses is nearer to the name.
        DeclaratorKind::Declarator(inner) if !inner.node.derived.is_empty() => declares_function(&inner.node),
        DeclaratorKind::Declarator(inner) => declares_function(&inner.node) || function_is_nearest(d),
        _ => function_is_nearest(d),
    }
}

fn function_is_nearest(d: &Declarator) -> bool {
    let nearest = d.derived.iter().find(|p| !matches!(p.node, DerivedDeclarator::Pointer(_)));
    nearest.is_some_and(|p| matches!(p.node, DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_)))
}

/// `+=` and its like.
pub(crate) fn is_compound_assignment(b: &BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(
        b,
        B::AssignMultiply
            | B::AssignDivide
            | B::AssignModulo
            | B::AssignPlus
            | B::AssignMinus
            | B::AssignShiftLeft
            | B::AssignShiftRight
            | B::AssignBitwiseAnd
            | B::AssignBitwiseXor
            | B::AssignBitwiseOr
    )
}
