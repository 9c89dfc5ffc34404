//! Which assignments to a local pointer reach which of its uses.
//!
//! Assignments that reach a common use belong together: they are one *web* (Muchnick, Advanced Compiler Design and Implementation, 16.3.3). A pointer with
//! several webs is several pointers that happen to have one name. Lives here: the walk over a function that finds them, loops until nothing changes. Never
//! here: what is made of them (see `pointer_lives`).

use super::syntax::{declared_name, has_storage, uncast};
use lang_c::ast::{
    BinaryOperator as B, BlockItem, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Expression as E,
    ForInitializer, FunctionDefinition, Initializer, InitializerListItem, Label, Statement, StorageClassSpecifier as Storage,
    TypeSpecifier, UnaryOperator as U,
};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use std::collections::BTreeSet;

/// More rounds of a loop than this are not needed for anything that people write.
const MOST_ROUNDS: usize = 16;

/// Where something stands: the blocks around it, outermost first, each with the number of the item.
pub(crate) type Path = Vec<(usize, usize)>;

/// A local pointer.
#[derive(Debug)]
pub(crate) struct Pointer {
    pub name: SmolStr,
    /// The byte of its name where it is declared.
    pub declared: usize,
    /// It points to a structure, as far as the text tells.
    pub to_structure: bool,
    /// Its address is taken: it may change anywhere.
    pub address: bool,
    /// It is asked for its size, which needs no value.
    pub measured: bool,
}

/// A pointer that is named: where, and an assignment that reaches that place.
#[derive(Debug)]
pub(crate) struct Occurrence {
    pub at: usize,
    pub pointer: usize,
    pub definition: usize,
    pub path: Path,
}

/// The webs of a function.
#[derive(Debug, Default)]
pub(crate) struct Webs {
    pub pointers: Vec<Pointer>,
    pub occurrences: Vec<Occurrence>,
    /// The pointer of each assignment, the byte of its name there, and whether it is the declaration.
    pub definitions: Vec<(usize, usize, bool)>,
    /// Of each assignment, another one of its web.
    parent: Vec<usize>,
    /// Assignments of what is found in a structure.
    pub of_members: FxHashSet<usize>,
    /// Assignments that are statements of their own.
    pub plain: FxHashSet<usize>,
    /// What gets the value of which other name.
    pub copies: Vec<(SmolStr, SmolStr)>,
    /// Names in what is assigned, by assignment.
    pub named: FxHashMap<usize, Vec<SmolStr>>,
    /// The bytes at which names of this function's blocks are declared.
    pub declared: FxHashMap<SmolStr, usize>,
}

impl Webs {
    /// The web of an assignment.
    pub fn web(&self, mut definition: usize) -> usize {
        while self.parent[definition] != definition {
            definition = self.parent[definition];
        }
        definition
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.web(a), self.web(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

/// The webs of a function's local pointers; nothing where control jumps to labels.
pub(crate) fn webs(f: &FunctionDefinition, pointer_types: &FxHashSet<SmolStr>) -> Option<Webs> {
    let mut w = Walk {
        out: Webs::default(),
        scopes: vec![FxHashMap::default()],
        state: Some(State::default()),
        path: Vec::new(),
        by_place: FxHashMap::default(),
        seen: FxHashSet::default(),
        breaks: Vec::new(),
        continues: Vec::new(),
        pointer_types,
        odd: false,
    };
    w.statement(&f.statement);
    (!w.odd).then_some(w.out)
}

/// The assignments that may have given a pointer its present value; of pointers that are not here the declaration has.
type State = FxHashMap<usize, BTreeSet<usize>>;

fn merge(a: Option<State>, b: Option<State>) -> Option<State> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            for (v, defs) in b {
                a.entry(v).or_default().extend(defs);
            }
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

struct Walk<'a> {
    out: Webs,
    scopes: Vec<FxHashMap<SmolStr, Option<usize>>>,
    /// `None` where control does not come.
    state: Option<State>,
    path: Path,
    by_place: FxHashMap<usize, usize>,
    /// Occurrences that are noted already.
    seen: FxHashSet<usize>,
    breaks: Vec<Option<State>>,
    continues: Vec<Option<State>>,
    pointer_types: &'a FxHashSet<SmolStr>,
    odd: bool,
}

impl Walk<'_> {
    fn find(&self, name: &str) -> Option<usize> {
        self.scopes.iter().rev().find_map(|s| s.get(name).copied()).flatten()
    }

    fn pointer_named(&self, e: &Node<E>) -> Option<(usize, usize)> {
        match &e.node {
            E::Identifier(i) => self.find(&i.node.name).map(|v| (v, i.span.start)),
            _ => None,
        }
    }

    /// The number of an assignment by its place: loops are walked through more than once.
    fn definition(&mut self, pointer: usize, at: usize, declaration: bool) -> usize {
        if let Some(&d) = self.by_place.get(&at) {
            return d;
        }
        let d = self.out.definitions.len();
        self.out.definitions.push((pointer, at, declaration));
        self.out.parent.push(d);
        self.by_place.insert(at, d);
        d
    }

    fn note(&mut self, pointer: usize, at: usize, definition: usize) {
        if self.seen.insert(at) {
            let path = self.path.clone();
            self.out.occurrences.push(Occurrence { at, pointer, definition, path });
        }
    }

    fn assigned(&mut self, pointer: usize, at: usize) {
        let d = self.definition(pointer, at, false);
        self.note(pointer, at, d);
        if let Some(s) = &mut self.state {
            s.insert(pointer, BTreeSet::from([d]));
        }
    }

    fn used(&mut self, pointer: usize, at: usize) {
        let first = self.by_place[&self.out.pointers[pointer].declared];
        let reaching: Vec<usize> = match self.state.as_ref().and_then(|s| s.get(&pointer)) {
            Some(defs) => defs.iter().copied().collect(),
            None => vec![first],
        };
        let one = reaching.first().copied().unwrap_or(first);
        for d in reaching {
            self.out.join(one, d);
        }
        self.note(pointer, at, one);
    }

    // --- expressions ---------------------------------------------------------------------------------------------

    fn expression(&mut self, e: &Node<E>) {
        match &e.node {
            E::Identifier(i) => {
                if let Some(v) = self.find(&i.node.name) {
                    self.used(v, i.span.start);
                }
            }
            E::Member(m) => self.expression(&m.node.expression),
            E::Call(c) => {
                self.expression(&c.node.callee);
                c.node.arguments.iter().for_each(|a| self.expression(a));
            }
            E::CompoundLiteral(c) => self.items(&c.node.initializer_list),
            E::SizeOfVal(s) => self.measured(&s.node.0),
            E::UnaryOperator(u) => {
                if u.node.operator.node == U::Address
                    && let Some((v, _)) = self.pointer_named(uncast(&u.node.operand))
                {
                    self.out.pointers[v].address = true;
                }
                self.expression(&u.node.operand);
            }
            E::Cast(c) => self.expression(&c.node.expression),
            E::BinaryOperator(b) => self.binary(&b.node.operator.node, &b.node.lhs, &b.node.rhs),
            E::Conditional(c) => {
                self.expression(&c.node.condition);
                let before = self.state.clone();
                self.expression(&c.node.then_expression);
                let after = std::mem::replace(&mut self.state, before);
                self.expression(&c.node.else_expression);
                self.state = merge(self.state.take(), after);
            }
            E::Comma(list) => list.iter().for_each(|e| self.expression(e)),
            E::Statement(s) => match &s.node {
                // Nothing is declared in there that is not there already.
                Statement::Compound(items) => self.block(items, None),
                _ => self.statement(s),
            },
            E::GenericSelection(_) | E::VaArg(_) => self.odd = true,
            E::Constant(_) | E::StringLiteral(_) | E::SizeOfTy(_) | E::AlignOf(_) | E::OffsetOf(_) => {}
        }
    }

    fn binary(&mut self, operator: &B, lhs: &Node<E>, rhs: &Node<E>) {
        match operator {
            B::Assign => {
                self.expression(rhs);
                if let (E::Identifier(to), E::Identifier(from)) = (&lhs.node, &uncast(rhs).node) {
                    self.out.copies.push((to.node.name.as_str().into(), from.node.name.as_str().into()));
                }
                match self.pointer_named(lhs) {
                    Some((v, at)) => {
                        let names = names_in(rhs);
                        let before = self.state.as_ref().and_then(|s| s.get(&v)?.first().copied());
                        self.assigned(v, at);
                        let d = self.by_place[&at];
                        // A step along what it points to is the same life.
                        if let Some(before) = before.filter(|_| names.contains(&self.out.pointers[v].name)) {
                            self.out.join(before, d);
                        }
                        if is_of_member(rhs) {
                            self.out.of_members.insert(d);
                        }
                        self.out.named.entry(d).or_insert(names);
                    }
                    None => self.expression(lhs),
                }
            }
            B::LogicalAnd | B::LogicalOr => {
                self.expression(lhs);
                let before = self.state.clone();
                self.expression(rhs);
                self.state = merge(self.state.take(), before);
            }
            _ => {
                self.expression(lhs);
                self.expression(rhs);
            }
        }
    }

    /// What is only measured has no value there.
    fn measured(&mut self, e: &Node<E>) {
        for name in names_in(e) {
            if let Some(v) = self.find(&name) {
                self.out.pointers[v].measured = true;
            }
        }
    }

    fn items(&mut self, items: &[Node<InitializerListItem>]) {
        for i in items {
            self.initializer(&i.node.initializer.node);
        }
    }

    fn initializer(&mut self, i: &Initializer) {
        match i {
            Initializer::Expression(e) => self.expression(e),
            Initializer::List(items) => self.items(items),
        }
    }

    // --- declarations --------------------------------------------------------------------------------------------

    fn declaration(&mut self, d: &Declaration, for_loop: bool) {
        let fixed = [Storage::Static, Storage::Extern, Storage::Typedef, Storage::ThreadLocal];
        let plain = !for_loop && fixed.iter().all(|s| !has_storage(&d.specifiers, s.clone()));
        let kind = self.kind(&d.specifiers);
        for i in &d.declarators {
            if let Some(init) = &i.node.initializer {
                self.initializer(&init.node);
            }
            let Some((name, at)) = declared_name(&i.node.declarator.node) else { continue };
            let name = SmolStr::from(name);
            if let Some(Initializer::Expression(e)) = i.node.initializer.as_ref().map(|n| &n.node)
                && let E::Identifier(from) = &uncast(e).node
            {
                self.out.copies.push((name.clone(), from.node.name.as_str().into()));
            }
            self.out.declared.insert(name.clone(), at);
            let stars = stars(&i.node.declarator.node);
            let pointer = match kind {
                Some((_, typed)) => plain && stars == Some(usize::from(!typed)),
                None => false,
            };
            if !pointer {
                self.scope(name, None);
                continue;
            }
            let v = match self.by_place.get(&at) {
                Some(&d) => self.out.definitions[d].0,
                None => {
                    let to_structure = kind.is_some_and(|(s, _)| s);
                    let name = name.clone();
                    self.out.pointers.push(Pointer { name, declared: at, to_structure, address: false, measured: false });
                    self.out.pointers.len() - 1
                }
            };
            let first = self.definition(v, at, true);
            self.scope(name, Some(v));
            if let Some(s) = &mut self.state {
                s.insert(v, BTreeSet::from([first]));
            }
            if i.node.initializer.is_some() {
                self.note(v, at, first);
            }
        }
    }

    fn scope(&mut self, name: SmolStr, pointer: Option<usize>) {
        if let Some(s) = self.scopes.last_mut() {
            s.insert(name, pointer);
        }
    }

    /// Whether variables of this type with a star in front are pointers to structures or to numbers, and whether the type is a pointer already.
    fn kind(&self, specifiers: &[Node<DeclarationSpecifier>]) -> Option<(bool, bool)> {
        let mut found = None;
        for s in specifiers {
            let DeclarationSpecifier::TypeSpecifier(t) = &s.node else { continue };
            match &t.node {
                // A definition is given once.
                TypeSpecifier::Struct(s) if s.node.declarations.is_none() => found = Some((true, false)),
                TypeSpecifier::TypedefName(n) => {
                    let typed = self.pointer_types.contains(n.node.name.as_str());
                    found = Some((true, typed));
                }
                TypeSpecifier::Float | TypeSpecifier::Double | TypeSpecifier::Int | TypeSpecifier::Long => {
                    found = found.or(Some((false, false)));
                }
                TypeSpecifier::Unsigned | TypeSpecifier::Signed | TypeSpecifier::Short => found = found.or(Some((false, false))),
                _ => return None,
            }
        }
        found
    }

    // --- statements ----------------------------------------------------------------------------------------------

    fn block(&mut self, items: &[Node<BlockItem>], place: Option<usize>) {
        self.scopes.push(FxHashMap::default());
        for (k, i) in items.iter().enumerate() {
            if let Some(p) = place {
                self.path.push((p, k));
            }
            match &i.node {
                BlockItem::Declaration(d) => self.declaration(&d.node, false),
                BlockItem::Statement(s) => self.statement(s),
                BlockItem::StaticAssert(_) => {}
            }
            if place.is_some() {
                self.path.pop();
            }
        }
        self.scopes.pop();
    }

    fn statement(&mut self, s: &Node<Statement>) {
        match &s.node {
            Statement::Compound(items) => self.block(items, Some(s.span.start)),
            Statement::Expression(e) => {
                e.iter().for_each(|e| self.expression(e));
                if let Some(E::BinaryOperator(b)) = e.as_ref().map(|e| &e.node)
                    && let Some(&d) = self.by_place.get(&b.node.lhs.span.start)
                {
                    self.out.plain.insert(d);
                }
            }
            Statement::Return(e) => {
                e.iter().for_each(|e| self.expression(e));
                self.state = None;
            }
            Statement::If(i) => {
                self.expression(&i.node.condition);
                let before = self.state.clone();
                self.statement(&i.node.then_statement);
                let after = std::mem::replace(&mut self.state, before);
                i.node.else_statement.iter().for_each(|s| self.statement(s));
                self.state = merge(self.state.take(), after);
            }
            Statement::Switch(w) => {
                self.expression(&w.node.expression);
                self.switch(&w.node.statement);
            }
            Statement::While(w) => self.repeated(Some(&w.node.expression), None, &w.node.statement),
            Statement::DoWhile(w) => self.do_while(&w.node.statement, &w.node.expression),
            Statement::For(f) => {
                self.scopes.push(FxHashMap::default());
                match &f.node.initializer.node {
                    ForInitializer::Expression(e) => self.expression(e),
                    ForInitializer::Declaration(d) => self.declaration(&d.node, true),
                    ForInitializer::Empty | ForInitializer::StaticAssert(_) => {}
                }
                self.repeated(f.node.condition.as_deref(), f.node.step.as_deref(), &f.node.statement);
                self.scopes.pop();
            }
            Statement::Break => {
                let state = self.state.take();
                if let Some(b) = self.breaks.last_mut() {
                    *b = merge(b.take(), state);
                }
            }
            Statement::Continue => {
                let state = self.state.take();
                if let Some(c) = self.continues.last_mut() {
                    *c = merge(c.take(), state);
                }
            }
            // A case that is no item of its switch, and all that `goto` may name.
            Statement::Labeled(_) | Statement::Goto(_) | Statement::Asm(_) => self.odd = true,
        }
    }

    /// `while` and `for`.
    fn repeated(&mut self, condition: Option<&Node<E>>, step: Option<&Node<E>>, body: &Node<Statement>) {
        let entry = self.state.clone();
        let mut back = None;
        for _ in 0..MOST_ROUNDS {
            self.state = merge(entry.clone(), back.clone());
            condition.into_iter().for_each(|c| self.expression(c));
            let left = if condition.is_some() { self.state.clone() } else { None };
            self.breaks.push(None);
            self.continues.push(None);
            self.statement(body);
            let again = self.continues.pop().flatten();
            self.state = merge(self.state.take(), again);
            step.into_iter().for_each(|s| self.expression(s));
            let now = merge(back.clone(), self.state.take());
            self.state = merge(left, self.breaks.pop().flatten());
            if now == back {
                return;
            }
            back = now;
        }
        self.odd = true;
    }

    fn do_while(&mut self, body: &Node<Statement>, condition: &Node<E>) {
        let entry = self.state.clone();
        let mut back = None;
        for _ in 0..MOST_ROUNDS {
            self.state = merge(entry.clone(), back.clone());
            self.breaks.push(None);
            self.continues.push(None);
            self.statement(body);
            let again = self.continues.pop().flatten();
            self.state = merge(self.state.take(), again);
            self.expression(condition);
            let now = merge(back.clone(), self.state.clone());
            self.state = merge(self.state.take(), self.breaks.pop().flatten());
            if now == back {
                return;
            }
            back = now;
        }
        self.odd = true;
    }

    fn switch(&mut self, body: &Node<Statement>) {
        let Statement::Compound(items) = &body.node else {
            self.odd = true;
            return;
        };
        let entry = self.state.take();
        self.breaks.push(None);
        self.scopes.push(FxHashMap::default());
        let mut otherwise = false;
        for i in items {
            match &i.node {
                BlockItem::Statement(s) => {
                    let mut s = s;
                    while let Statement::Labeled(l) = &s.node {
                        otherwise |= matches!(l.node.label.node, Label::Default);
                        self.odd |= matches!(l.node.label.node, Label::Identifier(_));
                        self.state = merge(self.state.take(), entry.clone());
                        s = &l.node.statement;
                    }
                    self.statement(s);
                }
                // A declaration in front of the first label is never done.
                BlockItem::Declaration(_) => self.odd = true,
                BlockItem::StaticAssert(_) => {}
            }
        }
        self.scopes.pop();
        let left = self.breaks.pop().flatten();
        self.state = merge(self.state.take(), left);
        if !otherwise {
            self.state = merge(self.state.take(), entry);
        }
    }
}

/// The stars of a declarator that is nothing but stars and a name.
fn stars(d: &Declarator) -> Option<usize> {
    let plain = matches!(d.kind.node, DeclaratorKind::Identifier(_)) && d.extensions.is_empty();
    let all = d.derived.iter().all(|p| matches!(p.node, DerivedDeclarator::Pointer(_)));
    (plain && all).then_some(d.derived.len())
}

/// Whether a pointer value comes out of a structure.
fn is_of_member(e: &Node<E>) -> bool {
    match &uncast(e).node {
        E::Member(_) => true,
        E::UnaryOperator(u) => matches!(u.node.operator.node, U::Address | U::Indirection) && is_of_member(&u.node.operand),
        E::BinaryOperator(b) => matches!(b.node.operator.node, B::Index | B::Plus | B::Minus) && is_of_member(&b.node.lhs),
        _ => false,
    }
}

/// The names in an expression.
fn names_in(e: &Node<E>) -> Vec<SmolStr> {
    struct Names(Vec<SmolStr>);
    impl<'a> lang_c::visit::Visit<'a> for Names {
        fn visit_expression(&mut self, e: &'a E, span: &'a lang_c::span::Span) {
            if let E::Identifier(i) = e {
                self.0.push(i.node.name.as_str().into());
            }
            lang_c::visit::visit_expression(self, e, span);
        }
    }
    let mut names = Names(Vec::new());
    lang_c::visit::Visit::visit_expression(&mut names, &e.node, &e.span);
    names.0
}
