//! Functions that make structures, give them memory or take it back.
//!
//! ```text
//! vec *vec_new(int n) {
//!   vec *v = malloc(sizeof *v);
//!   if (!v)
//!     return NULL;
//!   v->data = calloc(n, sizeof(double));
//!   return v;
//! }
//! ```
//!
//! Pointers do not cross the border of a unit; so calls of such functions are written out (see `sources::calls_written_out`). Each ends at its end: it has no other
//! `return` than where memory is missing, or where it fails and has null for its caller: derivative code ends there. Lives here: which functions these are. Never here: text.

use super::allocation_wrappers::AllocationWrappers;
use super::returned_pointers::returned_pointers;
use crate::parse::language::library::ALLOCATORS;
use crate::parse::text::syntax::{callee_name, declared_depth, declared_name, function_part, has_label, parameter_names, uncast};
use lang_c::ast::{
    BinaryOperator as B, BlockItem, CallExpression, DeclarationSpecifier, Ellipsis, Expression as E, ExternalDeclaration,
    FunctionDefinition, InitDeclarator, Initializer, ParameterDeclaration, Statement, StorageClassSpecifier, TranslationUnit,
    TypeSpecifier, UnaryOperator as U,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{Visit, visit_binary_operator_expression, visit_call_expression, visit_init_declarator, visit_statement};
use rustc_hash::{FxHashMap, FxHashSet};

/// A function whose calls are written out.
#[derive(Debug)]
pub(crate) struct Maker<'a> {
    pub function: &'a Node<FunctionDefinition>,
    pub parameters: Vec<(&'a str, &'a Node<ParameterDeclaration>)>,
    /// What it does, without questions for missing memory.
    pub items: Vec<&'a Node<BlockItem>>,
    pub result: Option<&'a Node<E>>,
    /// It returns a pointer to a structure, or memory.
    pub makes: bool,
    /// It returns memory for numbers: it is a unit, too.
    pub numbers: bool,
    /// Statements that return null instead.
    pub failures: Vec<Span>,
}

/// The functions of a file whose calls are written out, by their names.
pub(crate) fn makers<'a>(tree: &'a TranslationUnit) -> FxHashMap<&'a str, Maker<'a>> {
    let structures = structure_names(tree);
    let wrappers = AllocationWrappers::of(tree);
    let pointers = returned_pointers(tree);
    let known = |n: &str| wrappers.giving.contains_key(n) || wrappers.freeing.contains_key(n) || pointers.contains_key(n);
    let mut out: FxHashMap<&'a str, Maker<'a>> = FxHashMap::default();
    let mut calls: FxHashMap<&'a str, FxHashSet<&'a str>> = FxHashMap::default();
    let functions = || {
        tree.0.iter().filter_map(|item| match &item.node {
            ExternalDeclaration::FunctionDefinition(f) => declared_name(&f.node.declarator.node).map(|(n, _)| (n, f)),
            _ => None,
        })
    };
    let making = functions().filter(|(_, f)| makes(f, &structures)).map(|(n, _)| n);
    let wrapped = functions().map(|(n, _)| n).filter(|n| wrappers.giving.contains_key(*n));
    let mut giving: Vec<&str> = ALLOCATORS.into_iter().chain(wrapped).chain(making).collect();
    let within = |f: &'a Node<FunctionDefinition>, giving: &[&'a str]| {
        let parameters = parameter_names(&f.node).unwrap_or_default();
        let mut inside = Inside { parameters, giving: giving.to_vec(), ..Inside::default() };
        inside.visit_statement(&f.node.statement.node, &f.node.statement.span);
        inside
    };
    // Memory may come from a function that has it from another one.
    let mut open: Vec<_> = functions().filter(|(_, f)| declared_depth(&f.node.declarator.node) == 1).collect();
    loop {
        let before = open.len();
        open.retain(|(name, f)| {
            let gives = gives_numbers(f, &structures, &within(f, &giving));
            giving.extend(gives.then_some(*name));
            !gives
        });
        if open.len() == before {
            break;
        }
    }
    for (name, f) in functions() {
        let inside = within(f, &giving);
        calls.insert(name, inside.calls.clone());
        if let Some(m) = maker(f, &structures, &inside).filter(|_| !known(name)) {
            out.insert(name, m);
        }
    }
    // One that comes back to itself has no end when it is written out.
    let recursive: Vec<&str> = out.keys().copied().filter(|n| reaches(&calls, n, n)).collect();
    recursive.into_iter().for_each(|n| drop(out.remove(n)));
    out
}

/// Whether calls lead from one function to another.
fn reaches(calls: &FxHashMap<&str, FxHashSet<&str>>, from: &str, to: &str) -> bool {
    let (mut seen, mut todo) = (FxHashSet::default(), vec![from]);
    while let Some(name) = todo.pop() {
        for &c in calls.get(name).into_iter().flatten() {
            if c == to {
                return true;
            }
            if seen.insert(c) {
                todo.push(c);
            }
        }
    }
    false
}

/// Names of types that are structures, and how many pointers each stands for.
fn structure_names(tree: &TranslationUnit) -> FxHashMap<&str, usize> {
    let mut out: FxHashMap<&str, usize> = FxHashMap::default();
    for item in &tree.0 {
        let ExternalDeclaration::Declaration(d) = &item.node else { continue };
        let typedef = |s: &Node<DeclarationSpecifier>| matches!(&s.node, DeclarationSpecifier::StorageClass(c) if c.node == StorageClassSpecifier::Typedef);
        if !d.node.specifiers.iter().any(typedef) {
            continue;
        }
        let Some(depth) = structure_depth(&d.node.specifiers, &out) else { continue };
        for i in &d.node.declarators {
            let plain = function_part(&i.node.declarator.node).is_none();
            if let Some((name, _)) = declared_name(&i.node.declarator.node).filter(|_| plain) {
                out.insert(name, depth + declared_depth(&i.node.declarator.node));
            }
        }
    }
    out
}

/// How many pointers lead to a structure by these specifiers; `None` where they are about something else.
fn structure_depth(specifiers: &[Node<DeclarationSpecifier>], known: &FxHashMap<&str, usize>) -> Option<usize> {
    specifiers.iter().find_map(|s| match &s.node {
        DeclarationSpecifier::TypeSpecifier(t) => match &t.node {
            TypeSpecifier::Struct(_) => Some(0),
            TypeSpecifier::TypedefName(n) => known.get(n.node.name.as_str()).copied(),
            _ => None,
        },
        _ => None,
    })
}

/// What stands in a function, whatever is around it.
#[derive(Default)]
struct Inside<'a> {
    calls: FxHashSet<&'a str>,
    returns: usize,
    /// Statements that return null.
    nulls: Vec<Span>,
    parameters: Vec<&'a str>,
    /// Members of what parameters lead to get memory, or lose it.
    memory: bool,
    jumps: bool,
    /// Names, and names of members, that get what a call of such a function gives.
    given: FxHashSet<&'a str>,
    giving: Vec<&'a str>,
}

/// The last name of a variable or member.
fn last_name(e: &Node<E>) -> Option<&str> {
    match &uncast(e).node {
        E::Identifier(i) => Some(&i.node.name),
        E::Member(m) => Some(&m.node.identifier.node.name),
        _ => None,
    }
}

/// The variable that a member is a member of, in the end; nothing for what is no member.
fn member_of(e: &Node<E>) -> Option<&str> {
    let E::Member(m) = &uncast(e).node else { return None };
    let mut at = &*m.node.expression;
    loop {
        at = match &uncast(at).node {
            E::Identifier(i) => return Some(&i.node.name),
            E::Member(m) => &m.node.expression,
            E::UnaryOperator(u) => &u.node.operand,
            E::BinaryOperator(b) => &b.node.lhs,
            _ => return None,
        };
    }
}

/// A call of a function with that kind of name.
fn calls(e: &Node<E>, named: impl Fn(&str) -> bool) -> bool {
    matches!(&uncast(e).node, E::Call(c) if callee_name(&c.node).is_some_and(named))
}

impl Inside<'_> {
    /// Whether a member belongs to what a parameter leads to.
    fn is_handed(&self, e: &Node<E>) -> bool {
        member_of(e).is_some_and(|n| self.parameters.contains(&n))
    }
}

impl<'a> Visit<'a> for Inside<'a> {
    fn visit_call_expression(&mut self, c: &'a CallExpression, span: &'a Span) {
        self.calls.extend(callee_name(c));
        self.memory |= callee_name(c) == Some("free") && c.arguments.iter().any(|e| self.is_handed(e));
        visit_call_expression(self, c, span);
    }

    fn visit_binary_operator_expression(&mut self, b: &'a lang_c::ast::BinaryOperatorExpression, span: &'a Span) {
        if b.operator.node == B::Assign {
            self.memory |= self.is_handed(&b.lhs) && calls(&b.rhs, |n| ALLOCATORS.contains(&n));
            self.given.extend(last_name(&b.lhs).filter(|_| calls(&b.rhs, |n| self.giving.contains(&n))));
        }
        visit_binary_operator_expression(self, b, span);
    }

    fn visit_init_declarator(&mut self, d: &'a InitDeclarator, span: &'a Span) {
        if let Some(Initializer::Expression(e)) = d.initializer.as_ref().map(|i| &i.node)
            && calls(e, |n| self.giving.contains(&n))
        {
            self.given.extend(declared_name(&d.declarator.node).map(|(n, _)| n));
        }
        visit_init_declarator(self, d, span);
    }

    fn visit_statement(&mut self, s: &'a Statement, span: &'a Span) {
        self.returns += usize::from(matches!(s, Statement::Return(_)));
        self.nulls.extend(matches!(s, Statement::Return(Some(e)) if is_null(e)).then_some(*span));
        self.jumps |= matches!(s, Statement::Goto(_)) || has_label(s, false);
        visit_statement(self, s, span);
    }
}

/// Whether a function returns a pointer to a structure.
fn makes(f: &Node<FunctionDefinition>, structures: &FxHashMap<&str, usize>) -> bool {
    structure_depth(&f.node.specifiers, structures).is_some_and(|d| d + declared_depth(&f.node.declarator.node) == 1)
}

/// Whether all that a function returns is memory that it gets for a local pointer to numbers.
fn gives_numbers(f: &Node<FunctionDefinition>, structures: &FxHashMap<&str, usize>, inside: &Inside) -> bool {
    let Statement::Compound(items) = &f.node.statement.node else { return false };
    let Some(Node { node: BlockItem::Statement(s), .. }) = items.last() else { return false };
    let Statement::Return(Some(e)) = &s.node else { return false };
    let E::Identifier(i) = &uncast(e).node else { return false };
    let (name, depth) = (i.node.name.as_str(), declared_depth(&f.node.declarator.node));
    let declares = |i: &Node<BlockItem>| matches!(&i.node, BlockItem::Declaration(d) if d.node.declarators.iter().any(|i| declared_name(&i.node.declarator.node).is_some_and(|(n, _)| n == name)));
    depth == 1 && structure_depth(&f.node.specifiers, structures).is_none() && inside.given.contains(name) && items.iter().any(declares)
}

fn maker<'a>(f: &'a Node<FunctionDefinition>, structures: &FxHashMap<&str, usize>, inside: &Inside) -> Option<Maker<'a>> {
    let declarator = &f.node.declarator.node;
    let part = function_part(declarator).filter(|p| p.ellipsis == Ellipsis::None)?;
    let names = parameter_names(&f.node)?;
    let numbers = gives_numbers(f, structures, inside);
    let makes = numbers || makes(f, structures);
    if !(makes || inside.memory) || inside.jumps || !f.node.declarations.is_empty() {
        return None;
    }
    let Statement::Compound(all) = &f.node.statement.node else { return None };
    let (last, before) = all.split_last()?;
    let (result, before) = match &last.node {
        BlockItem::Statement(Node { node: Statement::Return(e), .. }) => (e.as_deref(), before),
        _ => (None, &all[..]),
    };
    let frees = inside.calls.contains("free") && !inside.calls.iter().any(|n| ALLOCATORS.contains(n));
    let is_guard = |i: &&Node<BlockItem>| matches!(&i.node, BlockItem::Statement(s) if missing_memory(s, &|n| inside.given.contains(n) || frees && names.contains(&n)));
    let (guards, items): (Vec<_>, Vec<_>) = before.iter().partition(is_guard);
    let ends = usize::from(before.len() < all.len());
    let within = |s: &Span| items.iter().any(|i| i.span.start <= s.start && s.end <= i.span.end);
    let failures: Vec<Span> = inside.nulls.iter().copied().filter(|s| makes && within(s)).collect();
    let fixed = |i: &&Node<BlockItem>| matches!(&i.node, BlockItem::Declaration(d) if d.node.specifiers.iter().any(|s| matches!(&s.node, DeclarationSpecifier::StorageClass(_))));
    if inside.returns != guards.len() + failures.len() + ends || items.iter().any(fixed) {
        return None;
    }
    Some(Maker { function: f, parameters: names.into_iter().zip(&part.parameters).collect(), items, result, makes, numbers, failures })
}

/// `if (!v) return NULL;`, with what else is done where memory is missing. Only what got memory may be asked for, and what a function takes back.
fn missing_memory(s: &Node<Statement>, memory: &dyn Fn(&str) -> bool) -> bool {
    let Statement::If(i) = &s.node else { return false };
    let then = match &i.node.then_statement.node {
        Statement::Compound(items) => match items.last().map(|i| &i.node) {
            Some(BlockItem::Statement(s)) => s,
            _ => return false,
        },
        _ => &i.node.then_statement,
    };
    let ends = matches!(then.node, Statement::Return(_));
    ends && i.node.else_statement.is_none() && asks_for_null(&i.node.condition, memory)
}

/// A constant, where a pointer is meant.
fn is_null(e: &Node<E>) -> bool {
    match &uncast(e).node {
        E::Constant(_) => true,
        E::Identifier(i) => i.node.name == "NULL",
        _ => false,
    }
}

fn asks_for_null(e: &Node<E>, memory: &dyn Fn(&str) -> bool) -> bool {
    let pointer = |e: &Node<E>| last_name(e).is_some_and(memory);
    match &e.node {
        E::UnaryOperator(u) => u.node.operator.node == U::Negate && pointer(&u.node.operand),
        E::BinaryOperator(b) => match b.node.operator.node {
            B::LogicalOr => asks_for_null(&b.node.lhs, memory) && asks_for_null(&b.node.rhs, memory),
            B::Equals => pointer(&b.node.lhs) && is_null(&b.node.rhs) || is_null(&b.node.lhs) && pointer(&b.node.rhs),
            _ => false,
        },
        _ => false,
    }
}
