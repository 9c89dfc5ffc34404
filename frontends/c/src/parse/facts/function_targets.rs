//! Which functions a pointer to a function may point to.
//!
//! Inclusion-based and without regard to order: a pointer is known by the parameter, variable or
//! member (of any structure) that holds it; what is assigned, passed, returned or listed flows on.
//! A place that code outside of these files can set is open.
//!
//! Lives here: the flows and their solution (Andersen, Program Analysis and Specialization for the
//! C Programming Language, 1994, chapter 4, for this one kind of pointer). Never here: what becomes
//! of the calls (see `indirect_calls`).

use crate::parse::text::syntax::{declared_name, declares_function, function_part, has_storage, is_static, parameter_names};
use lang_c::ast::{
    BinaryOperator, CallExpression, Declaration, DeclarationSpecifier, DerivedDeclarator, Designator, Expression as E, ExternalDeclaration,
    FunctionDefinition, Initializer, InitializerListItem, Statement, StorageClassSpecifier, TranslationUnit, TypeQualifier, TypeSpecifier,
    UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use std::collections::BTreeSet;

/// A function, with its file where it is static.
pub(crate) type Key = (SmolStr, Option<usize>);

/// Whether a function gives nothing.
fn is_void(f: &FunctionDefinition) -> bool {
    let void = |s: &Node<DeclarationSpecifier>| matches!(&s.node, DeclarationSpecifier::TypeSpecifier(t) if t.node == TypeSpecifier::Void);
    f.specifiers.iter().any(void) && !f.declarator.node.derived.iter().any(|d| matches!(d.node, DerivedDeclarator::Pointer(_)))
}

/// What may hold a pointer to a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Parameter(Key, usize),
    Local(Key, SmolStr),
    Global(Key),
    Member(SmolStr),
    Result(Key),
    /// Members that a list fills by their places.
    Listed,
    /// What is written through a pointer.
    Anywhere,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
enum Origin {
    Function(Key),
    Holder(Holder),
}

/// What stands at file scope.
#[derive(Default)]
struct FileScope {
    functions: FxHashMap<SmolStr, Key>,
    variables: FxHashMap<SmolStr, Key>,
    /// Variables that only the file itself, or nobody, can set.
    closed: FxHashSet<Key>,
}

/// A function's shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Number of parameters; `None` where any number may be passed.
    pub parameters: Option<usize>,
    /// The file and the item that defines it, if any does.
    pub defined: Option<(usize, usize)>,
    /// It gives nothing.
    pub void: bool,
}

/// A call through a pointer.
struct Indirect {
    callee: Vec<Origin>,
    arguments: Vec<Vec<Origin>>,
}

/// What a pointer may point to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Targets {
    /// The functions, in the order in which they are first named.
    pub functions: Vec<Key>,
    /// There may be others.
    pub open: bool,
}

/// The functions that pointers of a program may point to.
#[derive(Default)]
pub(crate) struct FunctionTargets {
    /// All functions whose address is taken, in the order in which that is first done.
    named: Vec<Key>,
    held: FxHashMap<Holder, BTreeSet<usize>>,
    open: FxHashSet<Holder>,
    files: Vec<FileScope>,
    shapes: FxHashMap<Key, Shape>,
}

impl FunctionTargets {
    /// Looks at all files of a program.
    pub fn of(trees: &[&TranslationUnit]) -> FunctionTargets {
        let mut out = FunctionTargets::default();
        for (file, tree) in trees.iter().enumerate() {
            out.note_file(file, tree);
        }
        let (mut flows, mut indirect) = (Vec::new(), Vec::new());
        for (file, tree) in trees.iter().enumerate() {
            let mut collector = Collector::new(&out, file);
            collector.visit_translation_unit(tree);
            flows.append(&mut collector.flows);
            indirect.append(&mut collector.indirect);
        }
        out.solve(flows, &indirect);
        out
    }

    /// Whether no function is used as a value.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// The number that stands for a function as a value, from 1.
    pub fn number(&self, key: &Key) -> Option<i64> {
        self.named.iter().position(|n| n == key).map(|k| k as i64 + 1)
    }

    /// The function that a name means in a file.
    pub fn function(&self, file: usize, name: &str) -> Option<&Key> {
        self.files.get(file)?.functions.get(name)
    }

    /// What is known of a function.
    pub fn shape(&self, key: &Key) -> Option<Shape> {
        self.shapes.get(key).copied()
    }

    /// What a parameter of a function of a file may be.
    pub fn of_parameter(&self, file: usize, function: &str, position: usize) -> Vec<Key> {
        let Some(key) = self.function(file, function) else { return Vec::new() };
        self.targets(&[Origin::Holder(Holder::Parameter(key.clone(), position))]).functions
    }

    /// What an expression in a function may point to; `None` for what is a function's own name, or no pointer that is followed.
    pub fn of_expression(&self, place: &Place, e: &Node<E>) -> Option<Targets> {
        let scope = Scope { known: self, file: place.file, function: place.function.clone(), locals: &place.locals };
        if let E::Identifier(i) = &e.node
            && !scope.is_variable(&i.node.name)
        {
            return None;
        }
        Some(self.targets(&scope.origins(e)))
    }

    /// The inside of a function of a file.
    pub fn inside(&self, file: usize, f: &FunctionDefinition) -> Place {
        Place { file, function: self.key_of(file, f), locals: Locals::of(f) }
    }

    fn key_of(&self, file: usize, f: &FunctionDefinition) -> Option<Key> {
        let (name, _) = declared_name(&f.declarator.node)?;
        self.function(file, name).cloned()
    }

    fn targets(&self, origins: &[Origin]) -> Targets {
        let (found, open) = self.found(origins);
        Targets { functions: found.into_iter().map(|k| self.named[k].clone()).collect(), open }
    }

    /// The functions that may come from there, by their places in `named`, and whether there may be others.
    fn found(&self, origins: &[Origin]) -> (BTreeSet<usize>, bool) {
        let mut found = BTreeSet::new();
        let mut open = false;
        for o in origins {
            match o {
                Origin::Function(key) => found.extend(self.named.iter().position(|n| n == key)),
                Origin::Holder(h) => {
                    for h in [h, &Holder::Anywhere].into_iter().chain(matches!(h, Holder::Member(_)).then_some(&Holder::Listed)) {
                        found.extend(self.held.get(h).into_iter().flatten());
                    }
                    open |= self.is_open(h);
                }
            }
        }
        (found, open)
    }

    fn is_open(&self, h: &Holder) -> bool {
        self.open.contains(h)
            || match h {
                Holder::Parameter(key, _) => key.1.is_none(),
                Holder::Global(key) => !self.files.iter().any(|f| f.closed.contains(key)),
                Holder::Member(_) | Holder::Anywhere | Holder::Listed => true,
                Holder::Local(..) | Holder::Result(_) => false,
            }
    }

    fn note_file(&mut self, file: usize, tree: &TranslationUnit) {
        let mut names = FileScope::default();
        for (at, item) in tree.0.iter().enumerate() {
            match &item.node {
                ExternalDeclaration::FunctionDefinition(f) => {
                    let Some((name, _)) = declared_name(&f.node.declarator.node) else { continue };
                    let own = is_static(&f.node) || names.functions.get(name).is_some_and(|k| k.1.is_some());
                    let key = (SmolStr::from(name), own.then_some(file));
                    let parameters = parameter_names(&f.node).map(|list| list.len());
                    self.shapes.insert(key.clone(), Shape { parameters, defined: Some((file, at)), void: is_void(&f.node) });
                    names.functions.insert(name.into(), key);
                }
                ExternalDeclaration::Declaration(d) => self.note_declaration(file, &d.node, &mut names),
                ExternalDeclaration::StaticAssert(_) => {}
            }
        }
        self.files.push(names);
    }

    fn note_declaration(&mut self, file: usize, d: &Declaration, names: &mut FileScope) {
        let storage = |wanted| has_storage(&d.specifiers, wanted);
        if storage(StorageClassSpecifier::Typedef) {
            return;
        }
        let own = storage(StorageClassSpecifier::Static);
        let constant =
            |s: &Node<DeclarationSpecifier>| matches!(&s.node, DeclarationSpecifier::TypeQualifier(q) if q.node == TypeQualifier::Const);
        for i in &d.declarators {
            let declarator = &i.node.declarator.node;
            let Some((name, _)) = declared_name(declarator) else { continue };
            let key = (SmolStr::from(name), own.then_some(file));
            if declares_function(declarator) {
                let key = names.functions.entry(name.into()).or_insert(key).clone();
                let parameters = function_part(declarator).map(|p| p.parameters.len());
                self.shapes.entry(key).or_insert(Shape { parameters, defined: None, void: false });
                continue;
            }
            if own || d.specifiers.iter().any(constant) {
                names.closed.insert(key.clone());
            }
            names.variables.insert(name.into(), key);
        }
    }

    /// Lets what is held flow on until nothing changes.
    fn solve(&mut self, mut flows: Vec<(Origin, Holder)>, indirect: &[Indirect]) {
        for (from, _) in &flows {
            self.name(from);
        }
        for o in indirect.iter().flat_map(|c| c.callee.iter().chain(c.arguments.iter().flatten())) {
            self.name(o);
        }
        let mut passed = FxHashSet::default();
        loop {
            let mut changed = false;
            for (from, to) in &flows {
                let (found, open) = self.found(std::slice::from_ref(from));
                let held = self.held.entry(to.clone()).or_default();
                let before = held.len();
                held.extend(found);
                changed |= held.len() > before;
                changed |= open && self.open.insert(to.clone());
            }
            // What calls through pointers pass goes to all that they may call.
            let mut more = Vec::new();
            for (k, call) in indirect.iter().enumerate() {
                for key in self.targets(&call.callee).functions {
                    if passed.insert((k, key.clone())) {
                        for (at, given) in call.arguments.iter().enumerate() {
                            more.extend(given.iter().map(|o| (o.clone(), Holder::Parameter(key.clone(), at))));
                        }
                    }
                }
            }
            changed |= !more.is_empty();
            flows.append(&mut more);
            if !changed {
                return;
            }
        }
    }

    fn name(&mut self, o: &Origin) {
        if let Origin::Function(key) = o
            && !self.named.contains(key)
        {
            self.named.push(key.clone());
        }
    }
}

/// The inside of a function.
pub(crate) struct Place {
    file: usize,
    function: Option<Key>,
    locals: Locals,
}

/// Names that a function declares, its parameters with their places.
#[derive(Default)]
struct Locals(FxHashMap<SmolStr, Option<usize>>);

impl Locals {
    /// Of a function; blocks are not told apart.
    fn of(f: &FunctionDefinition) -> Locals {
        struct Declared(Locals);
        impl<'a> Visit<'a> for Declared {
            fn visit_declaration(&mut self, d: &'a Declaration, span: &'a Span) {
                for i in &d.declarators {
                    if let (Some((name, _)), false) = (declared_name(&i.node.declarator.node), declares_function(&i.node.declarator.node)) {
                        self.0.0.entry(name.into()).or_insert(None);
                    }
                }
                visit::visit_declaration(self, d, span);
            }
        }
        let mut out = Declared(Locals::default());
        for (k, p) in function_part(&f.declarator.node).into_iter().flat_map(|p| &p.parameters).enumerate() {
            if let Some((name, _)) = p.node.declarator.as_ref().and_then(|d| declared_name(&d.node)) {
                out.0.0.insert(name.into(), Some(k));
            }
        }
        out.visit_statement(&f.statement.node, &f.statement.span);
        out.0
    }
}

/// Where an expression stands.
struct Scope<'s> {
    known: &'s FunctionTargets,
    file: usize,
    function: Option<Key>,
    locals: &'s Locals,
}

impl Scope<'_> {
    fn is_variable(&self, name: &str) -> bool {
        let here = &self.known.files[self.file];
        // Where a name is both, somewhere in the function, it is not followed.
        !here.functions.contains_key(name) && (self.locals.0.contains_key(name) || here.variables.contains_key(name))
    }

    fn holder(&self, name: &str) -> Option<Holder> {
        match (self.locals.0.get(name), &self.function) {
            (Some(Some(k)), Some(f)) => Some(Holder::Parameter(f.clone(), *k)),
            (Some(None), Some(f)) => Some(Holder::Local(f.clone(), name.into())),
            _ => self.known.files[self.file].variables.get(name).map(|key| Holder::Global(key.clone())),
        }
    }

    /// Where the value of an expression comes from.
    fn origins(&self, e: &Node<E>) -> Vec<Origin> {
        match &e.node {
            E::Identifier(i) => {
                let name = i.node.name.as_str();
                let function = self.known.files[self.file].functions.get(name).map(|k| Origin::Function(k.clone()));
                function.into_iter().chain(self.holder(name).map(Origin::Holder)).collect()
            }
            E::Member(m) => vec![Origin::Holder(Holder::Member(m.node.identifier.node.name.as_str().into()))],
            E::UnaryOperator(u) if matches!(u.node.operator.node, UnaryOperator::Address | UnaryOperator::Indirection) => {
                self.origins(&u.node.operand)
            }
            E::Cast(c) => self.origins(&c.node.expression),
            E::BinaryOperator(b) => match b.node.operator.node {
                BinaryOperator::Assign => self.origins(&b.node.rhs),
                BinaryOperator::Index | BinaryOperator::Plus | BinaryOperator::Minus => self.origins(&b.node.lhs),
                _ => Vec::new(),
            },
            E::Conditional(c) => [self.origins(&c.node.then_expression), self.origins(&c.node.else_expression)].concat(),
            E::Comma(list) => list.last().map_or(Vec::new(), |e| self.origins(e)),
            E::Call(c) => match &c.node.callee.node {
                E::Identifier(i) => {
                    let key = self.known.function(self.file, &i.node.name);
                    key.map(|k| Origin::Holder(Holder::Result(k.clone()))).into_iter().collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// What an assignment to an expression sets.
    fn set_by(&self, e: &Node<E>) -> Holder {
        match &e.node {
            E::Identifier(i) => self.holder(&i.node.name).unwrap_or(Holder::Anywhere),
            E::Member(m) => Holder::Member(m.node.identifier.node.name.as_str().into()),
            E::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => self.set_by(&b.node.lhs),
            _ => Holder::Anywhere,
        }
    }
}

/// Finds the flows of a file.
struct Collector<'c> {
    known: &'c FunctionTargets,
    file: usize,
    function: Option<Key>,
    locals: Locals,
    flows: Vec<(Origin, Holder)>,
    indirect: Vec<Indirect>,
}

impl<'c> Collector<'c> {
    fn new(known: &'c FunctionTargets, file: usize) -> Self {
        Collector { known, file, function: None, locals: Locals::default(), flows: Vec::new(), indirect: Vec::new() }
    }

    fn scope(&self) -> Scope<'_> {
        Scope { known: self.known, file: self.file, function: self.function.clone(), locals: &self.locals }
    }

    fn flow(&mut self, from: Vec<Origin>, to: &Holder) {
        self.flows.extend(from.into_iter().map(|o| (o, to.clone())));
    }

    /// What an initial value gives goes to the variable, and to the member that it is of, or to all.
    fn listed(&mut self, i: &Initializer, to: &Holder, member: &Holder) {
        match i {
            Initializer::Expression(e) => {
                let from = self.scope().origins(e);
                self.flow(from.clone(), to);
                self.flow(from, member);
            }
            Initializer::List(items) => self.items(items, to),
        }
    }

    fn items(&mut self, items: &[Node<InitializerListItem>], to: &Holder) {
        for item in items {
            let named = item.node.designation.iter().rev().find_map(|d| match &d.node {
                Designator::Member(m) => Some(Holder::Member(m.node.name.as_str().into())),
                _ => None,
            });
            self.listed(&item.node.initializer.node, to, &named.unwrap_or(Holder::Listed));
        }
    }
}

impl<'a> Visit<'a> for Collector<'_> {
    fn visit_function_definition(&mut self, f: &'a FunctionDefinition, span: &'a Span) {
        self.function = self.known.key_of(self.file, f);
        self.locals = Locals::of(f);
        visit::visit_function_definition(self, f, span);
        (self.function, self.locals) = (None, Locals::default());
    }

    fn visit_init_declarator(&mut self, d: &'a lang_c::ast::InitDeclarator, span: &'a Span) {
        if let (Some((name, _)), Some(i)) = (declared_name(&d.declarator.node), &d.initializer) {
            let to = self.scope().holder(name).unwrap_or(Holder::Anywhere);
            match &i.node {
                Initializer::Expression(e) => {
                    let from = self.scope().origins(e);
                    self.flow(from, &to);
                }
                Initializer::List(items) => self.items(items, &to),
            }
        }
        visit::visit_init_declarator(self, d, span);
    }

    fn visit_compound_literal(&mut self, c: &'a lang_c::ast::CompoundLiteral, span: &'a Span) {
        self.items(&c.initializer_list, &Holder::Listed);
        visit::visit_compound_literal(self, c, span);
    }

    fn visit_binary_operator_expression(&mut self, b: &'a lang_c::ast::BinaryOperatorExpression, span: &'a Span) {
        if b.operator.node == BinaryOperator::Assign {
            let (from, to) = (self.scope().origins(&b.rhs), self.scope().set_by(&b.lhs));
            self.flow(from, &to);
        }
        visit::visit_binary_operator_expression(self, b, span);
    }

    fn visit_call_expression(&mut self, c: &'a CallExpression, span: &'a Span) {
        let arguments: Vec<Vec<Origin>> = c.arguments.iter().map(|a| self.scope().origins(a)).collect();
        let named = match &c.callee.node {
            E::Identifier(i) if !self.scope().is_variable(&i.node.name) => Some(i.node.name.as_str()),
            _ => None,
        };
        match named {
            Some(name) => {
                if let Some(key) = self.known.function(self.file, name).cloned() {
                    for (at, from) in arguments.into_iter().enumerate() {
                        self.flow(from, &Holder::Parameter(key.clone(), at));
                    }
                }
            }
            None => {
                let callee = self.scope().origins(&c.callee);
                self.indirect.push(Indirect { callee, arguments });
            }
        }
        visit::visit_call_expression(self, c, span);
    }

    fn visit_statement(&mut self, s: &'a Statement, span: &'a Span) {
        if let (Statement::Return(Some(e)), Some(f)) = (s, self.function.clone()) {
            let from = self.scope().origins(e);
            self.flow(from, &Holder::Result(f));
        }
        visit::visit_statement(self, s, span);
    }
}
