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

use super::syntax::{declared_name, is_static};
use lang_c::ast::{
    BlockItem, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, ExternalDeclaration,
    FunctionDeclarator, FunctionDefinition, Identifier, InitDeclarator, ParameterDeclaration, Statement, TranslationUnit, TypeSpecifier,
};
use lang_c::span::{Node, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Gives each old-style definition a prototype, as far as its text allows.
pub(crate) fn with_prototypes(tree: &mut TranslationUnit) {
    for item in &mut tree.0 {
        if let ExternalDeclaration::FunctionDefinition(f) = &mut item.node {
            convert(&mut f.node);
        }
    }
}

/// Lets declarations without prototypes say what the definitions in the same program say: those of the file itself, and what others do not keep to themselves.
pub(crate) fn declare(trees: &mut [&mut TranslationUnit]) {
    let mut bare: FxHashSet<String> = FxHashSet::default();
    for tree in &mut *trees {
        for_each_bare(tree, &mut |name, _| {
            bare.insert(name.to_owned());
        });
    }
    if bare.is_empty() {
        return;
    }
    trees.iter_mut().for_each(|t| one_by_one(t));
    let (mut shared, mut own) = (Prototypes::default(), Vec::new());
    for tree in &*trees {
        own.push(prototypes(tree, &bare, &mut shared));
    }
    for (tree, own) in trees.iter_mut().zip(own) {
        for_each_bare(tree, &mut |name, part| {
            if let Some(said) = own.get(name).or_else(|| shared.get(name)) {
                part.node = said.node.clone();
            }
        });
    }
}

/// `extern vec *add(), *scale();` as two declarations: what one function turns out to return says nothing of the others.
fn one_by_one(tree: &mut TranslationUnit) {
    let mut items = Vec::with_capacity(tree.0.len());
    for item in tree.0.drain(..) {
        match &item.node {
            ExternalDeclaration::Declaration(d) if d.node.declarators.len() > 1 && d.node.declarators.iter().any(is_bare) => {
                for i in &d.node.declarators {
                    let one = Declaration { specifiers: d.node.specifiers.clone(), declarators: vec![i.clone()] };
                    items.push(Node::new(ExternalDeclaration::Declaration(Node::new(one, d.span)), item.span));
                }
            }
            _ => items.push(item),
        }
    }
    tree.0 = items;
}

/// A function without a prototype that returns a pointer.
fn is_bare(i: &Node<InitDeclarator>) -> bool {
    let derived = &i.node.declarator.node.derived;
    let pointer = derived.iter().any(|p| matches!(p.node, DerivedDeclarator::Pointer(_)));
    pointer && matches!(derived.last().map(|p| &p.node), Some(DerivedDeclarator::KRFunction(names)) if names.is_empty())
}

/// Prototypes of functions by name: the part of their declarators that is behind the name.
type Prototypes = FxHashMap<String, Node<DerivedDeclarator>>;

/// What the definitions of a file say of functions that are asked for; into `shared` what other files can say as well.
fn prototypes(tree: &TranslationUnit, wanted: &FxHashSet<String>, shared: &mut Prototypes) -> Prototypes {
    let mut own = Prototypes::default();
    for item in &tree.0 {
        if let ExternalDeclaration::FunctionDefinition(f) = &item.node
            && let Some((name, _)) = declared_name(&f.node.declarator.node)
            && wanted.contains(name)
            && let Some(part) = f.node.declarator.node.derived.last()
            && let DerivedDeclarator::Function(p) = &part.node
        {
            // Types that have names are known where their text stands.
            let basic = p.node.parameters.iter().all(|p| p.node.specifiers.iter().all(is_basic));
            if !is_static(&f.node) && basic {
                shared.insert(name.to_owned(), part.clone());
            }
            own.insert(name.to_owned(), part.clone());
        }
    }
    own
}

/// Calls with each declaration of a function without a prototype, at file scope and in functions.
fn for_each_bare(tree: &mut TranslationUnit, f: &mut Bare) {
    for item in &mut tree.0 {
        match &mut item.node {
            ExternalDeclaration::Declaration(d) => declaration(&mut d.node, f),
            ExternalDeclaration::FunctionDefinition(d) => statement(&mut d.node.statement.node, f),
            ExternalDeclaration::StaticAssert(_) => {}
        }
    }
}

/// What is done with a name that is declared, and what says that it is a function.
type Bare<'f> = dyn FnMut(&str, &mut Node<DerivedDeclarator>) + 'f;

fn declaration(d: &mut Declaration, f: &mut Bare) {
    for i in &mut d.declarators {
        let declarator = &mut i.node.declarator.node;
        let DeclaratorKind::Identifier(name) = &declarator.kind.node else { continue };
        if let Some(part) = declarator.derived.last_mut()
            && matches!(&part.node, DerivedDeclarator::KRFunction(names) if names.is_empty())
        {
            f(&name.node.name, part);
        }
    }
}

fn statement(s: &mut Statement, f: &mut Bare) {
    match s {
        Statement::Compound(items) => {
            for item in items {
                match &mut item.node {
                    BlockItem::Declaration(d) => declaration(&mut d.node, f),
                    BlockItem::Statement(s) => statement(&mut s.node, f),
                    BlockItem::StaticAssert(_) => {}
                }
            }
        }
        Statement::Labeled(l) => statement(&mut l.node.statement.node, f),
        Statement::If(i) => {
            statement(&mut i.node.then_statement.node, f);
            i.node.else_statement.iter_mut().for_each(|s| statement(&mut s.node, f));
        }
        Statement::Switch(s) => statement(&mut s.node.statement.node, f),
        Statement::While(s) => statement(&mut s.node.statement.node, f),
        Statement::DoWhile(s) => statement(&mut s.node.statement.node, f),
        Statement::For(s) => statement(&mut s.node.statement.node, f),
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
            // A pointer to a function has its type around the name.
            if k > 0 && !matches!(declarator.node.kind.node, DeclaratorKind::Identifier(_)) && !d.node.specifiers.iter().all(is_basic) {
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
    declared_name(d).is_some_and(|(n, _)| n == name)
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
