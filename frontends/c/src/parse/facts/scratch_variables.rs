//! Static variables that hold something within an expression alone: whoever uses them has set them before, in the same expression.
//!
//! ```text
//! static double m1, m2;
//! #define LARGER(a, b) (m1 = (a), m2 = (b), m1 > m2 ? m1 : m2)
//! ```
//!
//! What a call leaves in them nobody sees: of two calls that set them, either may come first. Lives here: the search for such variables. Never here: what
//! stands beside a call (see `evaluation_order`).

use crate::parse::language::math;
use crate::parse::text::syntax::{callee_name, declared_name, has_storage};
use lang_c::ast::{
    BinaryOperator as B, Declarator, Expression as E, ExternalDeclaration, StorageClassSpecifier, TranslationUnit, UnaryOperator as U,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{Visit, visit_declarator, visit_expression};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

/// The scratch variables of a file.
pub(crate) fn scratch_variables(tree: &TranslationUnit) -> FxHashSet<SmolStr> {
    let mut it = Search { candidates: candidates(tree), functions: FxHashSet::default(), bad: FxHashSet::default(), calls: 0 };
    if it.candidates.is_empty() {
        return FxHashSet::default();
    }
    for item in &tree.0 {
        if let ExternalDeclaration::FunctionDefinition(f) = &item.node {
            it.functions.extend(declared_name(&f.node.declarator.node).map(|(name, _)| name));
        }
    }
    for item in &tree.0 {
        match &item.node {
            ExternalDeclaration::FunctionDefinition(f) => it.visit_function_definition(&f.node, &f.span),
            ExternalDeclaration::Declaration(d) => {
                for i in d.node.declarators.iter().filter_map(|i| i.node.initializer.as_ref()) {
                    it.visit_initializer(&i.node, &i.span);
                }
            }
            ExternalDeclaration::StaticAssert(_) => {}
        }
    }
    it.candidates.iter().filter(|n| !it.bad.contains(*n)).map(|n| SmolStr::from(*n)).collect()
}

/// Static variables at file scope that are numbers by themselves.
fn candidates(tree: &TranslationUnit) -> FxHashSet<&str> {
    let mut out = FxHashSet::default();
    for item in &tree.0 {
        let ExternalDeclaration::Declaration(d) = &item.node else { continue };
        if has_storage(&d.node.specifiers, StorageClassSpecifier::Static) {
            let plain = d.node.declarators.iter().filter(|i| i.node.declarator.node.derived.is_empty());
            out.extend(plain.filter_map(|i| declared_name(&i.node.declarator.node)).map(|(name, _)| name));
        }
    }
    out
}

struct Search<'e> {
    candidates: FxHashSet<&'e str>,
    /// Functions of the file: they are what their text says, whatever their names.
    functions: FxHashSet<&'e str>,
    /// Candidates that are used before they are set, or in a way that is not followed.
    bad: FxHashSet<&'e str>,
    /// Calls met, but for those of mathematical functions: they may set what they like.
    calls: usize,
}

/// What is set.
type Set<'e> = FxHashSet<&'e str>;

impl<'e> Search<'e> {
    fn at(&mut self, e: &'e Node<E>, set: &mut Set<'e>) {
        self.follow((&e.node, &e.span), set);
    }

    fn follow(&mut self, (e, span): (&'e E, &'e Span), set: &mut Set<'e>) {
        match e {
            E::Identifier(i) => {
                let name = i.node.name.as_str();
                if self.candidates.contains(name) && !set.contains(name) {
                    self.bad.insert(name);
                }
            }
            E::Constant(_) | E::StringLiteral(_) | E::SizeOfTy(_) | E::AlignOf(_) => {}
            E::Comma(list) => list.iter().for_each(|e| self.at(e, set)),
            E::Conditional(c) => {
                self.at(&c.node.condition, set);
                let (mut one, mut other) = (set.clone(), set.clone());
                self.at(&c.node.then_expression, &mut one);
                self.at(&c.node.else_expression, &mut other);
                *set = one.intersection(&other).copied().collect();
            }
            E::BinaryOperator(b) => match (&b.node.operator.node, &b.node.lhs.node) {
                (B::Assign, E::Identifier(i)) => {
                    self.at(&b.node.rhs, set);
                    set.insert(i.node.name.as_str());
                }
                (B::LogicalAnd | B::LogicalOr, _) => {
                    self.at(&b.node.lhs, set);
                    let mut perhaps = set.clone();
                    self.at(&b.node.rhs, &mut perhaps);
                    set.retain(|n| perhaps.contains(n));
                }
                _ => self.apart(&[&b.node.lhs, &b.node.rhs], set),
            },
            E::UnaryOperator(u) => match &u.node.operand.node {
                // What has its address taken may be used anywhere.
                E::Identifier(i) if u.node.operator.node == U::Address => self.bad.extend(self.candidates.get(i.node.name.as_str())),
                _ => self.at(&u.node.operand, set),
            },
            E::Cast(c) => self.at(&c.node.expression, set),
            E::Member(m) => self.at(&m.node.expression, set),
            E::Call(c) => {
                let callee = callee_name(&c.node);
                let parts = c.node.arguments.iter().chain(callee.is_none().then_some(&*c.node.callee));
                self.apart(&parts.collect::<Vec<_>>(), set);
                if !callee.is_some_and(|name| math::is_known(name) && !self.functions.contains(name)) {
                    self.calls += 1;
                    set.clear();
                }
            }
            _ => {
                let mut named = Named { candidates: &self.candidates, found: Vec::new() };
                visit_expression(&mut named, e, span);
                self.bad.extend(named.found);
                self.calls += 1;
                set.clear();
            }
        }
    }

    /// Parts that no order binds: none can rely on another.
    fn apart(&mut self, parts: &[&'e Node<E>], set: &mut Set<'e>) {
        let (before, calls) = (set.clone(), self.calls);
        for e in parts {
            let mut own = before.clone();
            self.at(e, &mut own);
            set.extend(own);
        }
        if self.calls != calls {
            set.clear();
        }
    }
}

impl<'e> Visit<'e> for Search<'e> {
    /// A full expression.
    fn visit_expression(&mut self, e: &'e E, span: &'e Span) {
        self.follow((e, span), &mut Set::default());
    }

    /// A name of the function's own hides the variable: which is meant is not told apart.
    fn visit_declarator(&mut self, d: &'e Declarator, span: &'e Span) {
        self.bad.extend(declared_name(d).and_then(|(name, _)| self.candidates.get(name)));
        visit_declarator(self, d, span);
    }
}

/// Candidates that an expression names.
struct Named<'s, 'e> {
    candidates: &'s FxHashSet<&'e str>,
    found: Vec<&'e str>,
}

impl<'e> Visit<'e> for Named<'_, 'e> {
    fn visit_expression(&mut self, e: &'e E, span: &'e Span) {
        if let E::Identifier(i) = e {
            self.found.extend(self.candidates.get(i.node.name.as_str()));
        }
        visit_expression(self, e, span);
    }
}
