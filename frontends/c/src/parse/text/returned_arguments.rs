//! Functions that return the pointer that one of their arguments is, read as if they returned nothing.
//!
//! ```text
//! vec *add(vec *out, const vec *a, const vec *b) {          void add(vec *out, const vec *a, const vec *b) {
//!   out->x = a->x + b->x;                            ->       out->x = a->x + b->x;
//!   return out;                                               return;
//! }                                                         }
//! norm(add(&s, a, b))                                       norm((add(&s, a, b), &s))
//! ```
//!
//! Left as they are: functions that give such a parameter another value or take its address, and those whose name is used other than in calls.
//! Lives here: the syntax tree, changed before anything looks at it; all that is put together keeps its place. Never here: what pointers mean.

use super::expressions_mut;
use super::syntax::{
    callee_name, declared_depth, declared_name, declares_array, function_part, is_compound_assignment, is_static, parameter_names, uncast,
};
use lang_c::ast::{
    BinaryOperator as B, BlockItem, CallExpression, Declaration, DeclarationSpecifier, Declarator, DerivedDeclarator, Expression as E,
    ExternalDeclaration, FunctionDefinition, InitDeclarator, Statement, TranslationUnit, TypeSpecifier, UnaryOperator as U,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

/// The file of a static function, and its name.
type Key = (Option<usize>, String);

/// Where functions return which parameter.
#[derive(Default)]
struct Returned {
    positions: FxHashMap<Key, usize>,
    defined: FxHashMap<Key, usize>,
}

impl Returned {
    /// The function that a name means in a file.
    fn key(&self, file: usize, name: &str) -> Key {
        let own = (Some(file), name.to_owned());
        if self.defined.contains_key(&own) { own } else { (None, own.1) }
    }

    fn position(&self, file: usize, name: &str) -> Option<usize> {
        self.positions.get(&self.key(file, name)).copied()
    }
}

/// Lets functions that return an argument return nothing, and their calls be worth that argument.
pub(crate) fn settle(trees: &mut [&mut TranslationUnit]) {
    let returned = find(trees);
    if returned.positions.is_empty() {
        return;
    }
    for (file, tree) in trees.iter_mut().enumerate() {
        let shared = file_scalars(tree);
        for item in &mut tree.0 {
            match &mut item.node {
                ExternalDeclaration::Declaration(d) => declaration(&mut d.node, &returned, file),
                ExternalDeclaration::FunctionDefinition(f) => {
                    let f = &mut f.node;
                    let mut changing = Addressed(shared.clone());
                    changing.visit_statement(&f.statement.node, &f.statement.span);
                    expressions_mut::in_function(f, &mut |e| worth_its_argument(e, &returned, file, &changing.0));
                    let name = declared_name(&f.declarator.node).map(|(n, _)| n.to_owned()).unwrap_or_default();
                    if returned.position(file, &name).is_some() {
                        without_result(&mut f.specifiers, &mut f.declarator.node);
                        return_nothing(&mut f.statement);
                    }
                }
                ExternalDeclaration::StaticAssert(_) => {}
            }
        }
    }
}

fn find(trees: &[&mut TranslationUnit]) -> Returned {
    let mut out = Returned::default();
    let mut candidates: Vec<(usize, Key, &FunctionDefinition)> = Vec::new();
    let mut used = Uses::default();
    for (file, tree) in trees.iter().enumerate() {
        for item in &tree.0 {
            match &item.node {
                ExternalDeclaration::FunctionDefinition(f) => {
                    used.visit_function_definition(&f.node, &f.span);
                    let Some((name, _)) = declared_name(&f.node.declarator.node) else { continue };
                    let key = (is_static(&f.node).then_some(file), name.to_owned());
                    *out.defined.entry(key.clone()).or_default() += 1;
                    if returns_pointer(&f.node.declarator.node) && !is_one_return(&f.node) {
                        candidates.push((file, key, &f.node));
                    }
                }
                ExternalDeclaration::Declaration(d) => {
                    used.visit_declaration(&d.node, &d.span);
                    if d.node.declarators.len() > 1 {
                        let names = d.node.declarators.iter().filter(|i| function_part(&i.node.declarator.node).is_some());
                        used.0.extend(names.filter_map(|i| declared_name(&i.node.declarator.node)).map(|(n, _)| n.to_owned()));
                    }
                }
                ExternalDeclaration::StaticAssert(_) => {}
            }
        }
    }
    candidates.retain(|(_, key, _)| !used.0.contains(&key.1) && out.defined[key] == 1);
    // One that returns what another one returns is found once that is known.
    loop {
        let before = candidates.len();
        candidates.retain(|(file, key, f)| match position(f, &out, *file) {
            Some(k) => {
                out.positions.insert(key.clone(), k);
                false
            }
            None => true,
        });
        if candidates.len() == before {
            return out;
        }
    }
}

/// Names that are used as values, not called.
#[derive(Default)]
struct Uses(FxHashSet<String>);

impl<'a> Visit<'a> for Uses {
    fn visit_call_expression(&mut self, c: &'a CallExpression, _: &'a Span) {
        if callee_name(c).is_none() {
            self.visit_expression(&c.callee.node, &c.callee.span);
        }
        c.arguments.iter().for_each(|a| self.visit_expression(&a.node, &a.span));
    }

    fn visit_expression(&mut self, e: &'a E, span: &'a Span) {
        if let E::Identifier(i) = e {
            self.0.insert(i.node.name.clone());
        }
        visit::visit_expression(self, e, span);
    }
}

/// A declarator of the form `*f(...)`.
fn returns_pointer(d: &Declarator) -> bool {
    declared_depth(d) == 1
        && matches!(d.kind.node, lang_c::ast::DeclaratorKind::Identifier(_))
        && d.derived.iter().any(|d| matches!(d.node, DerivedDeclarator::Function(_)))
}

/// One that does nothing else is understood as what it returns.
fn is_one_return(f: &FunctionDefinition) -> bool {
    let Statement::Compound(items) = &f.statement.node else { return true };
    matches!(&items[..], [Node { node: BlockItem::Statement(s), .. }] if matches!(&s.node, Statement::Return(Some(e)) if !matches!(uncast(e).node, E::Call(_))))
}

/// The parameter that a function returns, if it returns nothing else and never gives that another value.
fn position(f: &FunctionDefinition, known: &Returned, file: usize) -> Option<usize> {
    let names = parameter_names(f)?;
    let part = function_part(&f.declarator.node)?;
    let mut body = Body { returned: Vec::new(), changed: FxHashSet::default(), open: false };
    body.visit_statement(&f.statement.node, &f.statement.span);
    let mut found = None;
    for e in &body.returned {
        let name = returned_name(e, known, file)?;
        let k = names.iter().position(|n| *n == name)?;
        if found.is_some_and(|f| f != k) {
            return None;
        }
        found = Some(k);
    }
    let k = found?;
    let pointer = part.parameters[k].node.declarator.as_ref().is_some_and(|d| declared_depth(&d.node) == 1);
    (pointer && !body.open && !body.changed.contains(names[k])).then_some(k)
}

/// The name that an expression is, or that the call which it is returns.
fn returned_name<'e>(e: &'e Node<E>, known: &Returned, file: usize) -> Option<&'e str> {
    match &uncast(e).node {
        E::Identifier(i) => Some(&i.node.name),
        E::Call(c) => returned_name(c.node.arguments.get(known.position(file, callee_name(&c.node)?)?)?, known, file),
        _ => None,
    }
}

/// What a function returns, and the names that it declares, changes or takes the addresses of.
struct Body<'a> {
    returned: Vec<&'a Node<E>>,
    changed: FxHashSet<&'a str>,
    /// It returns without saying what.
    open: bool,
}

impl<'a> Body<'a> {
    fn change(&mut self, e: &'a Node<E>) {
        if let E::Identifier(i) = &uncast(e).node {
            self.changed.insert(&i.node.name);
        }
    }
}

impl<'a> Visit<'a> for Body<'a> {
    fn visit_statement(&mut self, s: &'a Statement, span: &'a Span) {
        if let Statement::Return(e) = s {
            self.returned.extend(e.as_deref());
            self.open |= e.is_none();
        }
        visit::visit_statement(self, s, span);
    }

    fn visit_init_declarator(&mut self, i: &'a InitDeclarator, span: &'a Span) {
        self.changed.extend(declared_name(&i.declarator.node).map(|(n, _)| n));
        visit::visit_init_declarator(self, i, span);
    }

    fn visit_expression(&mut self, e: &'a E, span: &'a Span) {
        match e {
            E::BinaryOperator(b) if b.node.operator.node == B::Assign || is_compound_assignment(&b.node.operator.node) => {
                self.change(&b.node.lhs);
            }
            E::UnaryOperator(u)
                if matches!(u.node.operator.node, U::Address | U::PostIncrement | U::PreIncrement | U::PostDecrement | U::PreDecrement) =>
            {
                self.change(&u.node.operand);
            }
            _ => {}
        }
        visit::visit_expression(self, e, span);
    }
}

/// Variables at file scope that are no arrays: what is called can change them.
fn file_scalars(tree: &TranslationUnit) -> FxHashSet<String> {
    let mut out = FxHashSet::default();
    for item in &tree.0 {
        let ExternalDeclaration::Declaration(d) = &item.node else { continue };
        let plain = d.node.declarators.iter().map(|i| &i.node.declarator.node).filter(|d| !declares_array(d));
        out.extend(plain.filter_map(declared_name).map(|(n, _)| n.to_owned()));
    }
    out
}

/// Variables that what is called can change: those of the file, and those whose addresses a function takes.
struct Addressed(FxHashSet<String>);

impl<'a> Visit<'a> for Addressed {
    fn visit_expression(&mut self, e: &'a E, span: &'a Span) {
        if let E::UnaryOperator(u) = e
            && u.node.operator.node == U::Address
            && let E::Identifier(i) = &uncast(&u.node.operand).node
        {
            self.0.insert(i.node.name.clone());
        }
        visit::visit_expression(self, e, span);
    }
}

/// `f(a, b)` becomes `(f(a, b), a)`. `changing`: variables whose values the call may change.
fn worth_its_argument(e: &mut Node<E>, returned: &Returned, file: usize, changing: &FxHashSet<String>) {
    let E::Call(c) = &e.node else { return };
    let Some(k) = callee_name(&c.node).and_then(|n| returned.position(file, n)) else { return };
    let Some(argument) = c.node.arguments.get(k) else { return };
    let Some(worth) = without_effects(argument, changing) else { return };
    let call = Node::new(e.node.clone(), e.span);
    e.node = E::Comma(Box::new(vec![call, worth]));
}

/// What an argument is worth, without what it does; nothing where that may be something else behind the call.
fn without_effects(e: &Node<E>, changing: &FxHashSet<String>) -> Option<Node<E>> {
    /// An integer that the call leaves as it is.
    fn steady(e: &Node<E>, changing: &FxHashSet<String>) -> bool {
        match &e.node {
            E::Identifier(i) => !changing.contains(&i.node.name),
            E::Constant(_) => true,
            E::Cast(c) => steady(&c.node.expression, changing),
            E::UnaryOperator(u) => matches!(u.node.operator.node, U::Plus | U::Minus) && steady(&u.node.operand, changing),
            E::BinaryOperator(b) => {
                matches!(b.node.operator.node, B::Plus | B::Minus | B::Multiply)
                    && steady(&b.node.lhs, changing)
                    && steady(&b.node.rhs, changing)
            }
            _ => false,
        }
    }
    /// A pointer: those that the call sets are refused where they are set.
    fn plain(e: &Node<E>, changing: &FxHashSet<String>) -> bool {
        match &e.node {
            E::Identifier(_) | E::Constant(_) => true,
            E::Cast(c) => plain(&c.node.expression, changing),
            E::Member(m) => plain(&m.node.expression, changing),
            E::UnaryOperator(u) => matches!(u.node.operator.node, U::Address | U::Indirection) && plain(&u.node.operand, changing),
            E::BinaryOperator(b) => match b.node.operator.node {
                B::Plus | B::Minus => {
                    // Which of two names is the pointer, the text does not tell.
                    let first = !matches!(b.node.lhs.node, E::Identifier(_)) || steady(&b.node.lhs, changing);
                    first && plain(&b.node.lhs, changing) && steady(&b.node.rhs, changing)
                }
                B::Index => plain(&b.node.lhs, changing) && steady(&b.node.rhs, changing),
                _ => false,
            },
            _ => false,
        }
    }
    match &e.node {
        E::Comma(list) => without_effects(list.last()?, changing),
        _ => plain(e, changing).then(|| e.clone()),
    }
}

fn declaration(d: &mut Declaration, returned: &Returned, file: usize) {
    let [one] = &mut d.declarators[..] else { return };
    let declarator = &mut one.node.declarator.node;
    let ours = declared_name(declarator).is_some_and(|(n, _)| returned.position(file, n).is_some());
    if ours && returns_pointer(declarator) {
        without_result(&mut d.specifiers, declarator);
    }
}

/// A declaration that says `void` where it said a pointer.
fn without_result(specifiers: &mut Vec<Node<DeclarationSpecifier>>, declarator: &mut Declarator) {
    let place = specifiers.first().map_or_else(Span::none, |s| s.span);
    specifiers.retain(|s| !matches!(s.node, DeclarationSpecifier::TypeSpecifier(_) | DeclarationSpecifier::TypeQualifier(_)));
    specifiers.push(Node::new(DeclarationSpecifier::TypeSpecifier(Node::new(TypeSpecifier::Void, place)), place));
    declarator.derived.retain(|d| !matches!(d.node, DerivedDeclarator::Pointer(_)));
}

/// `return e` becomes what `e` does, and `return`.
fn return_nothing(s: &mut Node<Statement>) {
    match &mut s.node {
        Statement::Return(e) => {
            let done = e.take().filter(|e| !matches!(uncast(e).node, E::Identifier(_)));
            if let Some(done) = done {
                let item = |s: Node<Statement>| Node::new(BlockItem::Statement(s.clone()), s.span);
                let done = Node::new(Statement::Expression(Some(done)), s.span);
                let end = Node::new(Statement::Return(None), s.span);
                s.node = Statement::Compound(vec![item(done), item(end)]);
            }
        }
        Statement::Labeled(l) => return_nothing(&mut l.node.statement),
        Statement::Compound(items) => items.iter_mut().for_each(|i| {
            if let BlockItem::Statement(s) = &mut i.node {
                return_nothing(s);
            }
        }),
        Statement::If(i) => {
            return_nothing(&mut i.node.then_statement);
            i.node.else_statement.iter_mut().for_each(|s| return_nothing(s));
        }
        Statement::Switch(w) => return_nothing(&mut w.node.statement),
        Statement::While(w) => return_nothing(&mut w.node.statement),
        Statement::DoWhile(w) => return_nothing(&mut w.node.statement),
        Statement::For(f) => return_nothing(&mut f.node.statement),
        _ => {}
    }
}
