//! The walk over a function's text.
//!
//! Names are resolved by block; types are not known here. Lives here: what each construct does with the names in it. Never here: what follows from that.

mod statements;
mod targets;

use super::file_names::{FileNames, HIDDEN};
use super::function::{Event, Facts, Kind, Origin, Variable};
use crate::parse::language::library::{ALLOCATORS, DATA_ACCESSORS};
use crate::parse::text::syntax::{callee_name, declared_depth, declared_name, function_part, uncast};
use lang_c::ast::{
    BinaryOperator as B, BinaryOperatorExpression, CallExpression, Declaration, Declarator, DeclaratorKind, DerivedDeclarator,
    Expression as E, FunctionDefinition, Initializer, InitializerListItem, MemberExpression, MemberOperator, UnaryOperator as U,
};
use lang_c::span::Node;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// Walks a function.
pub(crate) fn scan(function: &FunctionDefinition, names: &FileNames) -> Facts {
    let mut s = Scan { facts: Facts::default(), scopes: vec![FxHashMap::default()], names, call: None, loops: 0 };
    if let Some(f) = function_part(&function.declarator.node) {
        for (k, p) in f.parameters.iter().enumerate() {
            if let Some(d) = &p.node.declarator {
                let typed = s.typedefs(p.node.specifiers.iter().map(|x| &x.node));
                if let Some(v) = s.declare(&d.node, typed) {
                    s.facts.vars[v].parameter = Some(k);
                }
            }
        }
        for d in f.parameters.iter().filter_map(|p| p.node.declarator.as_ref()) {
            s.extents(&d.node);
        }
    }
    s.statement(&function.statement);
    s.facts.settle_swaps();
    s.facts.events.sort_by_key(|e| e.offset);
    s.facts
}

struct Scan<'a> {
    facts: Facts,
    scopes: Vec<FxHashMap<SmolStr, Option<usize>>>,
    names: &'a FileNames,
    /// The argument that is being walked.
    call: Option<(usize, usize)>,
    /// Loops around.
    loops: usize,
}

/// Which side of the brackets is the pointer: C lets it stand on either.
struct Sides<'e> {
    pointer: &'e Node<E>,
    index: &'e Node<E>,
    /// What the pointer points into, and how often it is indexed or dereferenced on the way.
    root: Option<(usize, usize)>,
}

impl Scan<'_> {
    fn typedefs<'b>(&self, mut specifiers: impl Iterator<Item = &'b lang_c::ast::DeclarationSpecifier>) -> bool {
        specifiers.any(|s| match s {
            lang_c::ast::DeclarationSpecifier::TypeSpecifier(t) => {
                matches!(&t.node, lang_c::ast::TypeSpecifier::TypedefName(n) if self.names.memory_types.contains(n.node.name.as_str()))
            }
            _ => false,
        })
    }

    fn declare(&mut self, d: &Declarator, typed_memory: bool) -> Option<usize> {
        let (name, offset) = declared_name(d)?;
        let v = self.facts.vars.len();
        let depth = declared_depth(d) + if typed_memory { HIDDEN } else { 0 };
        self.facts.vars.push(Variable { name: name.into(), memory: depth > 0, depth, in_loop: self.loops > 0, ..Variable::default() });
        self.facts.by_declaration.insert(offset, v);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.into(), Some(v));
        }
        Some(v)
    }

    fn extents(&mut self, d: &Declarator) {
        for part in &d.derived {
            if let DerivedDeclarator::Array(a) = &part.node
                && let lang_c::ast::ArraySize::VariableExpression(e) | lang_c::ast::ArraySize::StaticExpression(e) = &a.node.size
            {
                self.value(e);
            }
        }
        if let DeclaratorKind::Declarator(inner) = &d.kind.node {
            self.extents(&inner.node);
        }
    }

    fn lookup(&mut self, name: &str) -> usize {
        for scope in self.scopes.iter().rev() {
            if let Some(Some(v)) = scope.get(name) {
                return *v;
            }
        }
        if let Some(&v) = self.facts.globals.get(name) {
            return v;
        }
        let v = self.facts.vars.len();
        let depth = self.names.depths.get(name).copied().unwrap_or(0);
        self.facts.vars.push(Variable { name: name.into(), global: true, memory: depth > 0, depth, ..Variable::default() });
        self.facts.globals.insert(name.into(), v);
        v
    }

    fn event(&mut self, offset: usize, var: usize, kind: Kind) {
        let call = if matches!(kind, Kind::Handed | Kind::Address) { self.call } else { None };
        self.facts.events.push(Event { offset, var, kind, call });
    }

    fn name(&mut self, e: &Node<E>) -> Option<usize> {
        match &e.node {
            E::Identifier(i) => Some(self.lookup(&i.node.name)),
            _ => None,
        }
    }

    /// The variable that a pointer expression points into.
    fn root(&mut self, e: &Node<E>) -> Option<usize> {
        self.rooted(e).map(|(v, _)| v)
    }

    /// The same, and how often it is indexed or dereferenced on the way. What a member's type is is not known: it may be a pointer.
    fn rooted(&mut self, e: &Node<E>) -> Option<(usize, usize)> {
        match &uncast(e).node {
            E::Identifier(i) => Some((self.lookup(&i.node.name), 0)),
            E::Member(m) => self.rooted(&m.node.expression).map(|(v, _)| (v, 0)),
            E::Comma(list) => self.rooted(list.last()?),
            E::Call(c) => {
                let (argument, indexed) = self.pointed(c)?;
                self.rooted(argument).map(|(v, n)| (v, n + indexed))
            }
            E::UnaryOperator(u) => match u.node.operator.node {
                U::Plus | U::Minus | U::Complement | U::Negate => None,
                U::Indirection => self.rooted(&u.node.operand).map(|(v, n)| (v, n + 1)),
                U::Address => self.rooted(&u.node.operand).map(|(v, n)| (v, n.saturating_sub(1))),
                _ => self.rooted(&u.node.operand),
            },
            E::BinaryOperator(b) => match b.node.operator.node {
                B::Index => self.sides(&b.node).root.map(|(v, n)| (v, n + 1)),
                B::Minus | B::Assign | B::AssignPlus | B::AssignMinus => self.rooted(&b.node.lhs),
                B::Plus => {
                    let left = self.is_left(&b.node);
                    self.rooted(if left { &b.node.lhs } else { &b.node.rhs })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the pointer of a sum or a difference stands on the left: an array in a structure that is there itself is one, too.
    fn is_left(&mut self, b: &BinaryOperatorExpression) -> bool {
        let memory = |s: &mut Self, e: &Node<E>| s.root(e).is_some_and(|v| s.facts.vars[v].memory);
        memory(self, &b.lhs) || !memory(self, &b.rhs) && is_in_structure(&b.lhs)
    }

    /// Whether the variable that a pointer expression points into is a structure of which it takes a member.
    fn is_of_structure(&mut self, e: &Node<E>) -> bool {
        match &uncast(e).node {
            E::BinaryOperator(b) if b.node.operator.node == B::Plus => {
                let left = self.is_left(&b.node);
                self.is_of_structure(if left { &b.node.lhs } else { &b.node.rhs })
            }
            E::BinaryOperator(b) if b.node.operator.node == B::Minus => self.is_of_structure(&b.node.lhs),
            _ => is_in_structure(e),
        }
    }

    /// Of a call that is a pointer into what an argument points to: the argument, and how often it is indexed.
    fn pointed<'e>(&self, c: &'e Node<CallExpression>) -> Option<(&'e Node<E>, usize)> {
        let &(k, indexed) = self.names.pointing.get(callee_name(&c.node)?)?;
        Some((c.node.arguments.get(k)?, indexed))
    }

    /// The two sides of `a[i]` or `i[a]`.
    fn sides<'e>(&mut self, b: &'e BinaryOperatorExpression) -> Sides<'e> {
        let left = self.rooted(&b.lhs);
        if is_in_structure(&b.lhs) {
            return Sides { pointer: &b.lhs, index: &b.rhs, root: left };
        }
        let points = |s: &Self, side: Option<(usize, usize)>| side.is_some_and(|(v, n)| s.facts.vars[v].depth > n);
        if points(self, left) {
            return Sides { pointer: &b.lhs, index: &b.rhs, root: left };
        }
        let right = self.rooted(&b.rhs);
        if points(self, right) {
            Sides { pointer: &b.rhs, index: &b.lhs, root: right }
        } else {
            Sides { pointer: &b.lhs, index: &b.rhs, root: left }
        }
    }

    fn origins(&mut self, e: &Node<E>, out: &mut Vec<Origin>) {
        let e = uncast(e);
        match &e.node {
            E::Constant(_) => out.push(Origin::Null),
            E::Identifier(i) if i.node.name == "NULL" => out.push(Origin::Null),
            E::Call(c) if callee_name(&c.node).is_some_and(|n| ALLOCATORS.contains(&n) || self.names.giving.contains(n)) => {
                out.push(Origin::Allocation);
            }
            E::Conditional(c) => {
                self.origins(&c.node.then_expression, out);
                self.origins(&c.node.else_expression, out);
            }
            _ => match self.root(e) {
                Some(v) => {
                    self.facts.vars[v].arrayish = true;
                    out.push(Origin::Variable(v));
                }
                None => out.push(Origin::Other),
            },
        }
    }

    /// A pointer gets this value at this byte.
    fn give(&mut self, target: usize, e: &Node<E>, at: usize) {
        if self.facts.vars[target].memory {
            let mut origins = Vec::new();
            self.origins(e, &mut origins);
            let own = matches!(origins[..], [Origin::Variable(v)] if v == target);
            let mut targets = Vec::new();
            self.targets(e, &mut targets);
            let whole = is_whole(e) && !matches!(&uncast(e).node, E::Call(c) if self.pointed(c).is_some());
            let var = &mut self.facts.vars[target];
            if own {
                var.stepped = true;
            } else {
                var.given.push(at);
                var.targets.extend(targets);
            }
            var.offset |= !whole;
            if !is_in_structure(e) {
                var.alike.extend(origins.iter().filter_map(|o| if let Origin::Variable(v) = o { Some(*v) } else { None }));
            }
            var.origins.extend(origins);
        }
    }

    /// What a pointer expression points to is used or set.
    fn through(&mut self, e: &Node<E>, kind: &Kind, plain: bool) {
        let at = e.span.start;
        match &e.node {
            E::Identifier(i) => {
                let v = self.lookup(&i.node.name);
                self.event(at, v, Kind::Read);
                self.event(at, v, kind.clone());
                if !plain {
                    self.facts.vars[v].index();
                }
            }
            E::Cast(c) => self.through(&c.node.expression, kind, plain),
            E::Comma(list) => {
                if let Some((last, first)) = list.split_last() {
                    first.iter().for_each(|e| self.value(e));
                    self.through(last, kind, plain);
                }
            }
            E::BinaryOperator(b) => match b.node.operator.node {
                B::Index => {
                    let Sides { pointer, index, .. } = self.sides(&b.node);
                    self.value(index);
                    self.through(pointer, kind, false);
                }
                B::Plus | B::Minus => {
                    let (pointer, index) = if self.is_left(&b.node) { (&b.node.lhs, &b.node.rhs) } else { (&b.node.rhs, &b.node.lhs) };
                    self.value(index);
                    self.through(pointer, kind, false);
                }
                _ => {
                    self.value(e);
                    if let Some(v) = self.root(e) {
                        self.event(at, v, kind.clone());
                    }
                }
            },
            E::UnaryOperator(u) => match u.node.operator.node {
                U::Address => self.place(&u.node.operand, kind),
                U::Indirection => {
                    self.through(&u.node.operand, kind, false);
                }
                _ => {
                    self.value(e);
                    if let Some(v) = self.root(e) {
                        self.facts.vars[v].index();
                        self.event(at, v, kind.clone());
                    }
                }
            },
            E::Conditional(c) => {
                self.value(&c.node.condition);
                self.through(&c.node.then_expression, kind, false);
                self.through(&c.node.else_expression, kind, false);
            }
            E::Member(m) => self.member(m, kind),
            E::Call(c) => {
                self.value(e);
                if let Some((v, _)) = self.pointed(c).and_then(|_| self.rooted(e)) {
                    self.facts.vars[v].index();
                    self.event(at, v, kind.clone());
                }
            }
            _ => self.value(e),
        }
    }

    /// A member, or what a member points to, is used or set: that happens to the variable that it is a part of.
    fn member(&mut self, m: &Node<MemberExpression>, kind: &Kind) {
        if let Some(v) = self.root(&m.node.expression) {
            self.facts.vars[v].membered = true;
        }
        match m.node.operator.node {
            MemberOperator::Direct => self.place(&m.node.expression, kind),
            MemberOperator::Indirect => self.through(&m.node.expression, kind, true),
        }
    }

    /// An lvalue is used (`Load`), set (`Store`) or handed on.
    fn place(&mut self, e: &Node<E>, kind: &Kind) {
        let at = e.span.start;
        match &e.node {
            E::Identifier(i) => {
                let v = self.lookup(&i.node.name);
                let own = match kind {
                    Kind::Load => Kind::Read,
                    Kind::Store => Kind::Write,
                    other => other.clone(),
                };
                self.facts.vars[v].address |= matches!(own, Kind::Address | Kind::Handed);
                self.event(at, v, if own == Kind::Handed { Kind::Address } else { own });
            }
            E::BinaryOperator(b) if b.node.operator.node == B::Index => self.through(e, kind, false),
            E::UnaryOperator(u) if u.node.operator.node == U::Indirection => self.through(&u.node.operand, kind, true),
            E::Member(m) => self.member(m, kind),
            _ => self.value(e),
        }
    }

    fn argument(&mut self, e: &Node<E>, callee: &str, position: usize) {
        let inner = uncast(e);
        if let E::Comma(list) = &inner.node
            && let Some((last, first)) = list.split_last()
        {
            let outer = self.call.take();
            first.iter().for_each(|e| self.value(e));
            self.call = outer;
            return self.argument(last, callee, position);
        }
        if let E::UnaryOperator(u) = &inner.node
            && u.node.operator.node == U::Address
        {
            self.place(&u.node.operand, &Kind::Handed);
            return;
        }
        self.value(inner);
        let at = inner.span.start;
        if is_null(inner) {
            self.facts.null_passed.push((callee.into(), position));
        }
        if let Some(v) = self.name(inner) {
            self.facts.vars[v].handed.push((callee.into(), position));
            if self.facts.vars[v].memory {
                self.event(at, v, Kind::Handed);
            }
        } else if let Some((v, indexings)) = self.rooted(inner)
            && let inside = self.is_of_structure(inner)
            && (self.facts.vars[v].depth > indexings || inside)
        {
            if matches!(&inner.node, E::BinaryOperator(b) if matches!(b.node.operator.node, B::Plus | B::Minus)) && !inside {
                self.facts.vars[v].index();
            }
            self.event(at, v, Kind::Handed);
        }
    }

    fn value(&mut self, e: &Node<E>) {
        let at = e.span.start;
        match &e.node {
            E::Identifier(i) => {
                let v = self.lookup(&i.node.name);
                self.event(at, v, Kind::Read);
            }
            E::Member(m) => self.member(m, &Kind::Load),
            // Nothing happens in there.
            E::Call(c) if self.pointed(c).is_some() => c.node.arguments.iter().for_each(|a| self.value(a)),
            E::Call(c) => {
                let name = match callee_name(&c.node).unwrap_or_default() {
                    n if self.names.freeing.contains(n) => "free",
                    n => n,
                };
                if name.is_empty() {
                    self.value(&c.node.callee);
                }
                let k = self.facts.callees.len();
                self.facts.callees.push(name.into());
                self.event(at, k, Kind::Call);
                for (position, a) in c.node.arguments.iter().enumerate() {
                    let outer = self.call.replace((k, position));
                    self.argument(a, name, position);
                    self.call = outer;
                }
            }
            E::CompoundLiteral(c) => self.items(&c.node.initializer_list),
            E::UnaryOperator(u) => match u.node.operator.node {
                U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement => {
                    if let Some(v) = self.name(&u.node.operand) {
                        self.facts.vars[v].stepped = true;
                        if self.facts.vars[v].memory {
                            self.facts.vars[v].index();
                        }
                    }
                    self.place(&u.node.operand, &Kind::Load);
                    self.place(&u.node.operand, &Kind::Store);
                }
                U::Address => self.place(&u.node.operand, &Kind::Address),
                U::Indirection => self.through(&u.node.operand, &Kind::Load, true),
                U::Negate => self.condition(&u.node.operand),
                _ => self.value(&u.node.operand),
            },
            E::Cast(c) => self.value(&c.node.expression),
            E::BinaryOperator(b) => self.binary(e, &b.node),
            E::Conditional(c) => {
                self.condition(&c.node.condition);
                self.value(&c.node.then_expression);
                self.value(&c.node.else_expression);
            }
            E::Comma(list) => list.iter().for_each(|e| self.value(e)),
            E::Statement(s) => self.statement(s),
            _ => {}
        }
    }

    fn binary(&mut self, e: &Node<E>, b: &BinaryOperatorExpression) {
        match b.operator.node {
            B::Index => self.through(e, &Kind::Load, false),
            B::Assign => {
                self.value(&b.rhs);
                self.place(&b.lhs, &Kind::Store);
                if let Some(v) = self.name(&b.lhs) {
                    self.give(v, &b.rhs, b.lhs.span.start);
                }
            }
            B::AssignPlus | B::AssignMinus | B::AssignMultiply | B::AssignDivide | B::AssignModulo => self.compound(b),
            B::AssignShiftLeft | B::AssignShiftRight | B::AssignBitwiseAnd | B::AssignBitwiseOr | B::AssignBitwiseXor => self.compound(b),
            B::Plus | B::Minus => {
                for side in [&b.lhs, &b.rhs] {
                    self.value(side);
                    if let Some(v) = self.name(side)
                        && self.facts.vars[v].memory
                    {
                        self.facts.vars[v].index();
                    }
                }
            }
            B::LogicalAnd | B::LogicalOr => {
                self.condition(&b.lhs);
                self.condition(&b.rhs);
            }
            B::Equals | B::NotEquals if is_null(&b.rhs) => self.condition(&b.lhs),
            B::Equals | B::NotEquals if is_null(&b.lhs) => self.condition(&b.rhs),
            _ => {
                if matches!(b.operator.node, B::Equals | B::NotEquals) {
                    self.compared([&b.lhs, &b.rhs]);
                }
                self.value(&b.lhs);
                self.value(&b.rhs);
            }
        }
    }

    /// What is compared with zero: a pointer is tested.
    fn condition(&mut self, e: &Node<E>) {
        self.value(e);
        if let Some(v) = self.name(uncast(e))
            && self.facts.vars[v].memory
        {
            self.facts.vars[v].tested = true;
            self.facts.compared.insert(uncast(e).span.start, true);
        }
    }

    /// Two sides of a comparison that both are names of pointers or arrays.
    fn compared(&mut self, sides: [&Node<E>; 2]) {
        let names = sides.map(|e| self.name(uncast(e)));
        if let [Some(x), Some(y)] = names
            && self.facts.vars[x].memory
            && self.facts.vars[y].memory
        {
            self.facts.compared.extend(sides.map(|e| (uncast(e).span.start, false)));
        }
    }

    fn compound(&mut self, b: &BinaryOperatorExpression) {
        self.value(&b.rhs);
        self.place(&b.lhs, &Kind::Load);
        self.place(&b.lhs, &Kind::Store);
        if let Some(v) = self.name(&b.lhs)
            && self.facts.vars[v].memory
        {
            self.facts.vars[v].stepped = true;
            self.facts.vars[v].index();
        }
    }

    fn items(&mut self, items: &[Node<InitializerListItem>]) {
        for item in items {
            match &item.node.initializer.node {
                Initializer::Expression(e) => self.value(e),
                Initializer::List(list) => self.items(list),
            }
        }
    }

    fn declaration(&mut self, d: &Declaration) {
        let typed = self.typedefs(d.specifiers.iter().map(|s| &s.node));
        for i in &d.declarators {
            self.extents(&i.node.declarator.node);
            if function_part(&i.node.declarator.node).is_some() {
                continue;
            }
            let Some(v) = self.declare(&i.node.declarator.node, typed) else { continue };
            let at = i.node.declarator.span.start;
            match i.node.initializer.as_ref().map(|n| &n.node) {
                Some(Initializer::Expression(e)) => {
                    self.value(e);
                    self.event(at, v, Kind::Write);
                    self.give(v, e, at);
                }
                Some(Initializer::List(list)) => {
                    self.items(list);
                    self.event(at, v, Kind::Store);
                }
                None => {}
            }
        }
    }
}

/// True for a member of a structure, an element of one or a place behind it: what brackets index is the member.
fn is_in_structure(e: &Node<E>) -> bool {
    match &uncast(e).node {
        E::Member(_) => true,
        // What is handed out for a structure belongs to it.
        E::Call(c) => callee_name(&c.node).is_some_and(|n| DATA_ACCESSORS.contains(&n)),
        E::UnaryOperator(u) => matches!(u.node.operator.node, U::Address | U::Indirection) && is_in_structure(&u.node.operand),
        E::BinaryOperator(b) => matches!(b.node.operator.node, B::Index | B::Plus | B::Minus) && is_in_structure(&b.node.lhs),
        _ => false,
    }
}

/// True for a null pointer constant, and for all other constants that nobody would compare a pointer with.
fn is_null(e: &Node<E>) -> bool {
    match &uncast(e).node {
        E::Constant(_) => true,
        E::Identifier(i) => i.node.name == "NULL",
        _ => false,
    }
}

/// True for pointer values that are the beginning of what a name stands for, whichever of them is chosen.
fn is_whole(e: &Node<E>) -> bool {
    match &uncast(e).node {
        E::Identifier(_) | E::Constant(_) | E::Call(_) => true,
        E::Conditional(c) => is_whole(&c.node.then_expression) && is_whole(&c.node.else_expression),
        _ => false,
    }
}
