//! Definitions with old-style parameters, read as if they had a prototype.
//!
//! ```text
//! double f(x, a, n)                      double f(double x, double a[], int n) { ... }
//! double x, a[];                  ->
//! { ... }
//! ```
//!
//! A declaration without a prototype (`double f();`) says what the definition says, where there is one.
//!
//! Left as they are: parameters without a declaration, and those that such a function gets in a wider type (`float`, `char`, `short`), which no prototype
//! can say. Lives here: the syntax tree, changed before anything looks at it; all that is put together keeps its place. Never here: what types mean.

use lang_c::ast::{
    BlockItem, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, ExternalDeclaration,
    FunctionDeclarator, FunctionDefinition, Identifier, ParameterDeclaration, Statement, StorageClassSpecifier, TranslationUnit,
    TypeSpecifier,
};
use lang_c::span::{Node, Span};
use rustc_hash::FxHashMap;

/// Gives each old-style definition a prototype, as far as its text allows.
pub(super) fn with_prototypes(tree: &mut TranslationUnit) {
    for item in &mut tree.0 {
        if let ExternalDeclaration::FunctionDefinition(f) = &mut item.node {
            convert(&mut f.node);
        }
    }
}

/// Prototypes of functions by name: the part of their declarators that is behind the name.
pub(super) type Prototypes = FxHashMap<String, Node<DerivedDeclarator>>;

/// Adds what the definitions of a file say, as far as other places can say it; `own` for the file itself, which sees its static functions, too.
pub(super) fn prototypes(tree: &TranslationUnit, own: bool, into: &mut Prototypes) {
    let is_static = |s: &Node<DeclarationSpecifier>| matches!(&s.node, DeclarationSpecifier::StorageClass(c) if c.node == StorageClassSpecifier::Static);
    for item in &tree.0 {
        if let ExternalDeclaration::FunctionDefinition(f) = &item.node
            && (own || !f.node.specifiers.iter().any(is_static))
            && let Some((name, _)) = super::facts::declared_name(&f.node.declarator.node)
            && let Some(part) = f.node.declarator.node.derived.last()
            && let DerivedDeclarator::Function(p) = &part.node
            && p.node.parameters.iter().all(|p| p.node.specifiers.iter().all(is_basic))
        {
            into.insert(name.to_owned(), part.clone());
        }
    }
}

/// Lets declarations without prototypes say what the definitions say.
pub(super) fn declare(tree: &mut TranslationUnit, prototypes: &Prototypes) {
    for item in &mut tree.0 {
        match &mut item.node {
            ExternalDeclaration::Declaration(d) => declaration(&mut d.node, prototypes),
            ExternalDeclaration::FunctionDefinition(f) => statement(&mut f.node.statement.node, prototypes),
            ExternalDeclaration::StaticAssert(_) => {}
        }
    }
}

fn declaration(d: &mut Declaration, prototypes: &Prototypes) {
    for i in &mut d.declarators {
        let declarator = &mut i.node.declarator.node;
        let DeclaratorKind::Identifier(name) = &declarator.kind.node else { continue };
        if let Some(part) = declarator.derived.last_mut()
            && matches!(&part.node, DerivedDeclarator::KRFunction(names) if names.is_empty())
            && let Some(said) = prototypes.get(&name.node.name)
        {
            part.node = said.node.clone();
        }
    }
}

fn statement(s: &mut Statement, prototypes: &Prototypes) {
    match s {
        Statement::Compound(items) => {
            for item in items {
                match &mut item.node {
                    BlockItem::Declaration(d) => declaration(&mut d.node, prototypes),
                    BlockItem::Statement(s) => statement(&mut s.node, prototypes),
                    BlockItem::StaticAssert(_) => {}
                }
            }
        }
        Statement::Labeled(l) => statement(&mut l.node.statement.node, prototypes),
        Statement::If(i) => {
            statement(&mut i.node.then_statement.node, prototypes);
            i.node.else_statement.iter_mut().for_each(|s| statement(&mut s.node, prototypes));
        }
        Statement::Switch(s) => statement(&mut s.node.statement.node, prototypes),
        Statement::While(s) => statement(&mut s.node.statement.node, prototypes),
        Statement::DoWhile(s) => statement(&mut s.node.statement.node, prototypes),
        Statement::For(s) => statement(&mut s.node.statement.node, prototypes),
        Statement::Expression(_)
        | Statement::Goto(_)
        | Statement::Continue
        | Statement::Break
        | Statement::Return(_)
        | Statement::Asm(_) => {}
    }
}

fn convert(f: &mut FunctionDefinition) {
    let Some(part) = function_part(&mut f.declarator.node) else { return };
    let DerivedDeclarator::KRFunction(names) = &part.node else { return };
    // Declared is what is a parameter, and nothing else.
    let is_parameter = |d: &Declarator| names.iter().any(|n| declares(d, &n.node.name));
    if !f.declarations.iter().flat_map(|d| &d.node.declarators).all(|i| is_parameter(&i.node.declarator.node)) {
        return;
    }
    let parameters: Option<Vec<_>> = names.iter().map(|n| parameter(n, &f.declarations)).collect();
    if let Some(parameters) = parameters.filter(|p| !p.is_empty()) {
        part.node = DerivedDeclarator::Function(Node::new(FunctionDeclarator { parameters, ellipsis: Ellipsis::None }, part.span));
        f.declarations.clear();
    }
}

/// What makes a declarator that of a function.
fn function_part(d: &mut Declarator) -> Option<&mut Node<DerivedDeclarator>> {
    if let DeclaratorKind::Declarator(inner) = &mut d.kind.node {
        return function_part(&mut inner.node);
    }
    d.derived.iter_mut().find(|p| matches!(p.node, DerivedDeclarator::KRFunction(_)))
}

/// The parameter of a name; none where no prototype says the same, or where text that stands apart would have to be put together.
fn parameter(name: &Node<Identifier>, declarations: &[Node<Declaration>]) -> Option<Node<ParameterDeclaration>> {
    for d in declarations {
        for (k, i) in d.node.declarators.iter().enumerate() {
            let declarator = &i.node.declarator;
            if !declares(&declarator.node, &name.node.name) {
                continue;
            }
            if declarator.node.derived.is_empty() && d.node.specifiers.iter().any(is_promoted) {
                return None;
            }
            // A type that only text can tell stands beside the name.
            if k > 0 && !d.node.specifiers.iter().all(is_basic) {
                return None;
            }
            let node = ParameterDeclaration {
                specifiers: d.node.specifiers.clone(),
                declarator: Some(declarator.clone()),
                extensions: Vec::new(),
            };
            return Some(Node::new(node, Span::span(d.span.start, declarator.span.end)));
        }
    }
    None
}

fn declares(d: &Declarator, name: &str) -> bool {
    match &d.kind.node {
        DeclaratorKind::Identifier(i) => i.node.name == name,
        DeclaratorKind::Declarator(inner) => declares(&inner.node, name),
        DeclaratorKind::Abstract => false,
    }
}

/// What is handed over in a wider type where there is no prototype.
fn is_promoted(s: &Node<DeclarationSpecifier>) -> bool {
    matches!(&s.node, DeclarationSpecifier::TypeSpecifier(t) if matches!(t.node, TypeSpecifier::Float | TypeSpecifier::Char | TypeSpecifier::Short | TypeSpecifier::Bool))
}

fn is_basic(s: &Node<DeclarationSpecifier>) -> bool {
    match &s.node {
        DeclarationSpecifier::TypeSpecifier(t) => {
            !matches!(t.node, TypeSpecifier::Struct(_) | TypeSpecifier::Enum(_) | TypeSpecifier::TypedefName(_) | TypeSpecifier::TypeOf(_))
        }
        DeclarationSpecifier::StorageClass(_) | DeclarationSpecifier::TypeQualifier(_) => true,
        _ => false,
    }
}
