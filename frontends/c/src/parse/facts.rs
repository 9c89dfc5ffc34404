//! What a function's text does with each name, before anything is translated.
//!
//! Lives here: one walk over a function that notes every read, write and escape with its place, and what is therefore known of parameters,
//! pointers and calls. Names are resolved by block; types are not known here. Never here: translation.

mod scan;

use lang_c::ast::{
    BinaryOperator as B, BinaryOperatorExpression, BlockItem, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind,
    DerivedDeclarator, Expression as E, ForInitializer, FunctionDefinition, Initializer, InitializerListItem, Label, MemberExpression,
    MemberOperator, Statement, StorageClassSpecifier, UnaryOperator as U,
};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
pub(crate) use scan::scan;
use smol_str::SmolStr;

/// What happens to a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Its own value is used (of a pointer: where it points to).
    Read,
    /// It is set.
    Write,
    /// An element, or what it points to, is used.
    Load,
    /// An element, or what it points to, is set.
    Store,
    /// Its address is taken.
    Address,
    /// It is handed to a call: what it points to may be read and written.
    Handed,
    /// A function is called; the variable is the index into [`Facts::callees`].
    Call,
}

/// Something that happens at a place.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub offset: usize,
    pub var: usize,
    pub kind: Kind,
    /// The call that it is an argument of (index into [`Facts::callees`]) and the position there.
    pub call: Option<(usize, usize)>,
}

/// Where a pointer's value comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    Variable(usize),
    Null,
    Allocation,
    Other,
}

/// A name of a function's text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variable {
    pub name: SmolStr,
    /// Position among the parameters.
    pub parameter: Option<usize>,
    /// Declared outside of the function.
    pub global: bool,
    /// Declared as pointer or array.
    pub memory: bool,
    /// How many times it can be indexed or dereferenced.
    depth: usize,
    /// Used as an array: indexed, stepped, arithmetic, or given to another pointer.
    pub arrayish: bool,
    /// The same, other pointers apart.
    pub indexed: bool,
    /// Compared with null.
    pub tested: bool,
    /// Members of it, or of what it points to, are used.
    pub membered: bool,
    /// A pointer that is moved.
    pub stepped: bool,
    pub address: bool,
    /// Variables of which it is given the value, or a place in the same array, if it is a pointer; what comes out of structures does not count.
    pub alike: Vec<usize>,
    /// Values it was given, if it is a pointer.
    pub origins: Vec<Origin>,
    /// Where it gets a target, if it is a pointer; steps along an array do not count.
    pub given: Vec<usize>,
    /// It gets a target that is no whole array.
    pub offset: bool,
    /// Declared inside a loop.
    pub in_loop: bool,
    /// Handed on as it is: callee and position.
    pub handed: Vec<(SmolStr, usize)>,
}

impl Variable {
    /// It is used as an array.
    fn index(&mut self) {
        (self.arrayish, self.indexed) = (true, true);
    }
}

/// All about one function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub vars: Vec<Variable>,
    by_declaration: FxHashMap<usize, usize>,
    globals: FxHashMap<SmolStr, usize>,
    pub callees: Vec<SmolStr>,
    events: Vec<Event>,
    /// Work arrays that exchange their contents.
    pub swaps: Vec<super::swaps::Swap>,
    /// Statements that only count (`n++;`), as bytes.
    counting: Vec<(usize, usize)>,
    /// Where pointers are only compared: with null (true) or with another one.
    pub compared: FxHashMap<usize, bool>,
    /// There are labels that `goto` may name.
    pub labels: bool,
    /// Calls that pass null: the function and the position.
    null_passed: Vec<(SmolStr, usize)>,
}

impl Facts {
    /// Adds an event; they are sorted in the end.
    pub fn note(&mut self, offset: usize, var: usize, kind: Kind) {
        self.events.push(Event { offset, var, kind, call: None });
    }

    /// Takes back what is said of the contents of these variables at this place.
    pub fn unnote(&mut self, offset: usize, vars: &[usize]) {
        self.events.retain(|e| e.offset != offset || !matches!(e.kind, Kind::Load | Kind::Store) || !vars.contains(&e.var));
    }

    /// The variable whose name is declared at this byte.
    pub fn declared_at(&self, offset: usize) -> Option<usize> {
        self.by_declaration.get(&offset).copied()
    }

    /// The variable of that name from outside the function.
    pub fn global(&self, name: &str) -> Option<usize> {
        self.globals.get(name).copied()
    }

    /// True where a variable is only stepped by a constant, in a statement of its own.
    pub fn only_counts(&self, e: &Event) -> bool {
        self.counting.iter().any(|&(from, to)| from <= e.offset && e.offset < to)
    }

    /// What happens between two bytes.
    pub fn events(&self, start: usize, end: usize) -> &[Event] {
        let from = self.events.partition_point(|e| e.offset < start);
        let to = self.events.partition_point(|e| e.offset < end);
        &self.events[from..to.max(from)]
    }

    /// All events.
    pub fn all(&self) -> &[Event] {
        &self.events
    }

    /// True where the variable's own value may change between two bytes.
    pub fn changes(&self, var: usize, start: usize, end: usize) -> bool {
        self.events(start, end).iter().any(|e| e.var == var && matches!(e.kind, Kind::Write | Kind::Address))
    }

    /// Parameters whose targets are set here, directly or through another pointer of the function.
    pub fn stored_parameters(&self) -> Vec<usize> {
        let mut stored: Vec<bool> = vec![false; self.vars.len()];
        for e in &self.events {
            if e.kind == Kind::Store {
                stored[e.var] = true;
            }
        }
        self.spread(stored)
    }

    /// Parameters whose own values are read at most, to be thrown away (`(void)p`).
    pub fn idle_parameters(&self) -> Vec<usize> {
        let mut used: Vec<bool> = vec![false; self.vars.len()];
        for e in self.events.iter().filter(|e| !matches!(e.kind, Kind::Read | Kind::Call)) {
            used[e.var] = true;
        }
        for o in self.vars.iter().flat_map(|v| &v.origins) {
            if let Origin::Variable(w) = o {
                used[*w] = true;
            }
        }
        self.vars.iter().zip(used).filter(|(_, used)| !used).filter_map(|(v, _)| v.parameter).collect()
    }

    /// Takes what holds of pointers over to the variables that they point into, and returns the parameters among these.
    fn spread(&self, mut of: Vec<bool>) -> Vec<usize> {
        self.close(&mut of);
        self.vars.iter().enumerate().filter(|(v, _)| of[*v]).filter_map(|(_, var)| var.parameter).collect()
    }

    /// Takes what holds of pointers over to the variables of which they have the value, and returns the parameters among these.
    fn spread_alike(&self, mut of: Vec<bool>) -> Vec<usize> {
        let mut todo: Vec<usize> = of.iter().enumerate().filter(|(_, of)| **of).map(|(v, _)| v).collect();
        while let Some(v) = todo.pop() {
            for &w in &self.vars[v].alike {
                if !std::mem::replace(&mut of[w], true) {
                    todo.push(w);
                }
            }
        }
        self.vars.iter().enumerate().filter(|(v, _)| of[*v]).filter_map(|(_, var)| var.parameter).collect()
    }

    /// Takes what holds of pointers over to the variables that they point into.
    fn close(&self, of: &mut [bool]) {
        loop {
            let mut changed = false;
            for (v, var) in self.vars.iter().enumerate().filter(|(_, var)| !var.origins.is_empty()) {
                for o in &var.origins {
                    if let Origin::Variable(w) = o
                        && of[v]
                        && !of[*w]
                    {
                        of[*w] = true;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// Parameters that are handed to this argument of this call, directly or through another pointer.
    pub fn handed_parameters(&self) -> Vec<(usize, SmolStr, usize)> {
        let mut out = Vec::new();
        for e in &self.events {
            if let (Kind::Handed | Kind::Address, Some((call, position))) = (&e.kind, e.call) {
                let mut of = vec![false; self.vars.len()];
                of[e.var] = true;
                out.extend(self.spread(of).into_iter().map(|p| (p, self.callees[call].clone(), position)));
            }
        }
        out
    }

    /// Parameters that are handed on as they are, directly or through another pointer: to which function and where.
    pub fn passed_on(&self) -> Vec<(usize, SmolStr, usize)> {
        let mut out = Vec::new();
        for (v, var) in self.vars.iter().enumerate().filter(|(_, var)| !var.handed.is_empty()) {
            let mut of = vec![false; self.vars.len()];
            of[v] = true;
            let parameters = self.spread_alike(of);
            out.extend(var.handed.iter().flat_map(|(callee, at)| parameters.iter().map(|p| (*p, callee.clone(), *at))));
        }
        out
    }

    /// Parameters that are used as arrays, directly or through another pointer of the function.
    pub fn indexed_parameters(&self) -> Vec<usize> {
        self.spread_alike(self.vars.iter().map(|v| v.indexed).collect())
    }

    /// Parameters that are compared with null, directly or through another pointer of the function.
    pub fn tested_parameters(&self) -> Vec<usize> {
        self.spread(self.vars.iter().map(|v| v.tested).collect())
    }

    /// Calls that pass a null pointer, or one that may be null: the function and the position.
    pub fn null_arguments(&self) -> Vec<(SmolStr, usize)> {
        let handed = self.vars.iter().enumerate().filter(|(v, var)| !var.handed.is_empty() && self.may_be_null(*v));
        self.null_passed.iter().cloned().chain(handed.flat_map(|(_, var)| var.handed.iter().cloned())).collect()
    }

    /// Whether members of what a variable is or points to are used, by this name or by one that gets its value.
    pub fn has_members(&self, var: usize) -> bool {
        let mut of: Vec<bool> = self.vars.iter().map(|v| v.membered).collect();
        self.close(&mut of);
        of[var]
    }

    /// How often it is set.
    pub fn writes(&self, var: usize) -> usize {
        self.events.iter().filter(|e| e.var == var && e.kind == Kind::Write).count()
    }
}

/// Whether a function is seen in its own file only.
pub(crate) fn is_static(f: &FunctionDefinition) -> bool {
    let word = |s: &Node<DeclarationSpecifier>| matches!(&s.node, DeclarationSpecifier::StorageClass(c) if c.node == StorageClassSpecifier::Static);
    f.specifiers.iter().any(word)
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

/// Depth of what a typedef hides.
const HIDDEN: usize = 8;

/// What the file says of names that a function uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileNames {
    /// Typedef names of pointers and arrays.
    pub memory_types: FxHashSet<SmolStr>,
    /// Depth of the variables at file scope.
    pub depths: FxHashMap<SmolStr, usize>,
    /// Integers at file scope.
    pub integers: FxHashSet<SmolStr>,
    /// Functions that only give memory.
    pub giving: FxHashSet<SmolStr>,
    /// Functions that only take it back.
    pub freeing: FxHashSet<SmolStr>,
}

impl FileNames {
    /// Takes note of functions that give memory or take it back.
    pub fn note_helpers(&mut self, helpers: &super::helpers::Helpers) {
        self.giving = helpers.giving.keys().cloned().collect();
        self.freeing = helpers.freeing.keys().cloned().collect();
    }

    /// Takes note of a declaration at file scope.
    pub fn note(&mut self, d: &Declaration) {
        use lang_c::ast::{DeclarationSpecifier as S, StorageClassSpecifier, TypeSpecifier};
        let typedef = d.specifiers.iter().any(|s| matches!(&s.node, S::StorageClass(c) if c.node == StorageClassSpecifier::Typedef));
        let hidden = d.specifiers.iter().any(|s| match &s.node {
            S::TypeSpecifier(t) => matches!(&t.node, TypeSpecifier::TypedefName(n) if self.memory_types.contains(n.node.name.as_str())),
            _ => false,
        });
        let words = || {
            d.specifiers.iter().filter_map(|s| match &s.node {
                S::TypeSpecifier(t) => Some(&t.node),
                _ => None,
            })
        };
        let whole = |t: &TypeSpecifier| {
            matches!(t, TypeSpecifier::Int | TypeSpecifier::Long | TypeSpecifier::Short | TypeSpecifier::Unsigned | TypeSpecifier::Signed)
        };
        let integer = words().count() > 0 && words().all(whole);
        for i in &d.declarators {
            let Some((name, _)) = declared_name(&i.node.declarator.node) else { continue };
            if integer && !typedef && i.node.declarator.node.derived.is_empty() {
                self.integers.insert(name.into());
            }
            let depth = declared_depth(&i.node.declarator.node) + if hidden { HIDDEN } else { 0 };
            if typedef && depth > 0 {
                self.memory_types.insert(name.into());
            } else if !typedef && function_part(&i.node.declarator.node).is_none() {
                self.depths.insert(name.into(), depth);
            }
        }
    }
}

/// The parameters of a function's declarator.
pub(crate) fn function_part(d: &Declarator) -> Option<&lang_c::ast::FunctionDeclarator> {
    d.derived
        .iter()
        .find_map(|d| match &d.node {
            DerivedDeclarator::Function(f) => Some(&f.node),
            _ => None,
        })
        .or_else(|| match &d.kind.node {
            DeclaratorKind::Declarator(inner) => function_part(&inner.node),
            _ => None,
        })
}

/// Functions that give memory.
pub(crate) const ALLOCATORS: [&str; 3] = ["malloc", "calloc", "realloc"];

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

/// True where a declarator makes an array (of a parameter: `x[]`, `x[n]`, `(*x)[m]`).
pub(crate) fn declares_array(d: &Declarator) -> bool {
    d.derived.iter().any(|d| matches!(d.node, DerivedDeclarator::Array(_)))
        || matches!(&d.kind.node, DeclaratorKind::Declarator(inner) if declares_array(&inner.node))
}
