//! Functions of the program that do nothing but give memory or take it back.
//!
//! ```text
//! double *vector(int n) {                                   w = vector(k)    is   w = malloc(k * sizeof(double))
//!   double *v = malloc(n * sizeof(double));
//!   if (!v)
//!     exit(1);
//!   return v;
//! }
//! void free_vector(double *v) { free(v); }                  free_vector(w)   is   free(w)
//! ```
//!
//! One may begin with `if (n <= 0) return NULL;`: nobody can use memory of no elements, and who asks for it is refused (see `allocation`).
//!
//! Lives here: which functions these are. Never here: what allocations become (see `allocation`).

use super::row_allocation_loops::{mentions, rows_freed, rows_made, shifted_back};
use crate::parse::text::syntax::{callee_name, declared_name, is_static, parameter_names, uncast};
use lang_c::ast::{
    BinaryOperator as B, BlockItem, Declaration, Expression as E, ExternalDeclaration, FunctionDefinition, IfStatement, Initializer,
    Statement, TranslationUnit, UnaryOperator as U,
};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

/// A function that returns what it gets from `malloc` or `calloc`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Giver<'a> {
    pub function: &'a FunctionDefinition,
    /// The call of `malloc` or `calloc`.
    pub call: &'a Node<E>,
    /// The variable that holds the memory on its way.
    pub variable: Option<&'a str>,
    /// What gives memory to each row, where that variable is a pointer to pointers to rows.
    pub row: Option<&'a Node<E>>,
    /// It gives null where it is asked for no elements.
    pub empty_is_null: bool,
}

/// The functions of a file that give memory and take it back.
#[derive(Debug, Default)]
pub(crate) struct AllocationWrappers<'a> {
    pub giving: FxHashMap<SmolStr, Giver<'a>>,
    /// By the position of what is freed.
    pub freeing: FxHashMap<SmolStr, usize>,
    /// All functions of the file.
    own: FxHashSet<SmolStr>,
}

impl<'a> AllocationWrappers<'a> {
    /// Finds them.
    pub fn of(tree: &'a TranslationUnit) -> AllocationWrappers<'a> {
        let mut out = AllocationWrappers::default();
        for item in &tree.0 {
            let ExternalDeclaration::FunctionDefinition(f) = &item.node else { continue };
            let Some((name, _)) = declared_name(&f.node.declarator.node) else { continue };
            out.own.insert(name.into());
            if let Some(g) = giver(&f.node) {
                out.giving.insert(name.into(), g);
            } else if let Some(k) = freed(&f.node) {
                out.freeing.insert(name.into(), k);
            }
        }
        out
    }

    /// Those that other files can call.
    pub fn shared(tree: &'a TranslationUnit) -> AllocationWrappers<'a> {
        let mut out = AllocationWrappers::of(tree);
        for item in &tree.0 {
            if let ExternalDeclaration::FunctionDefinition(f) = &item.node
                && is_static(&f.node)
                && let Some((name, _)) = declared_name(&f.node.declarator.node)
            {
                out.giving.remove(name);
                out.freeing.remove(name);
            }
        }
        out
    }

    /// With those of other files, where the file itself has no function of that name.
    pub fn with(mut self, shared: &[AllocationWrappers<'a>]) -> AllocationWrappers<'a> {
        for s in shared {
            let missing = |name: &&SmolStr| !self.own.contains(*name);
            let giving: Vec<_> = s.giving.keys().filter(missing).cloned().collect();
            let freeing: Vec<_> = s.freeing.keys().filter(missing).cloned().collect();
            self.giving.extend(giving.into_iter().filter_map(|n| s.giving.get(&n).map(|g| (n, *g))));
            self.freeing.extend(freeing.into_iter().filter_map(|n| s.freeing.get(&n).map(|k| (n, *k))));
        }
        self
    }
}

fn items(f: &FunctionDefinition) -> Option<&[Node<BlockItem>]> {
    match &f.statement.node {
        Statement::Compound(items) => Some(items),
        _ => None,
    }
}

/// The name that an expression is, casts apart.
pub(crate) fn name(e: &Node<E>) -> Option<&str> {
    match &uncast(e).node {
        E::Identifier(i) => Some(&i.node.name),
        _ => None,
    }
}

fn giver(function: &FunctionDefinition) -> Option<Giver<'_>> {
    let (mut call, mut variable): (Option<&Node<E>>, Option<&str>) = (None, None);
    let (mut row, mut empty_is_null) = (None, false);
    let (last, before) = items(function)?.split_last()?;
    let BlockItem::Statement(s) = &last.node else { return None };
    let Statement::Return(Some(e)) = &s.node else { return None };
    for item in before {
        match &item.node {
            BlockItem::Statement(s) if does_nothing(s) => {}
            // What counts the rows.
            BlockItem::Declaration(d) if declares_counters(&d.node, name(e)) => {}
            BlockItem::Declaration(d) if variable.is_none() => {
                let (name, init) = one_variable(&d.node)?;
                variable = Some(name);
                call = match init {
                    Some(e) => Some(allocation(e)?),
                    None => None,
                };
            }
            BlockItem::Statement(s) => match &s.node {
                Statement::Expression(Some(e)) if call.is_none() => {
                    let E::BinaryOperator(b) = &e.node else { return None };
                    let ours = b.node.operator.node == B::Assign && variable.is_some() && name(&b.node.lhs) == variable;
                    call = Some(allocation(ours.then_some(&*b.node.rhs)?)?);
                }
                Statement::If(i) if call.is_none() && null_for_nothing(&i.node, function) => empty_is_null = true,
                Statement::If(i) if call.is_none() && i.node.else_statement.is_none() => {
                    call = Some(allocation(given_in_test(&i.node, variable?)?)?);
                }
                Statement::For(_) if call.is_some() && row.is_none() => {
                    let r = rows_made(s)?;
                    // Rows are as long as what the function gets says.
                    let fixed = |e: &Node<E>| matches!(&e.node, E::Call(c) if c.node.arguments.iter().all(|a| !mentions(a, r.counter)));
                    row = Some(allocation(r.memory).filter(|m| Some(r.array) == variable && fixed(m))?);
                }
                // What is done without memory is nothing to those that have it.
                Statement::If(i) if call.is_some() && asks(&i.node, variable?, true) && i.node.else_statement.is_none() => {}
                _ => return None,
            },
            _ => return None,
        }
    }
    match (call, variable) {
        (Some(call), Some(v)) if name(e) == Some(v) => Some(Giver { function, call, variable, row, empty_is_null }),
        (None, None) => Some(Giver { function, call: allocation(e)?, variable: None, row: None, empty_is_null }),
        _ => None,
    }
}

/// `if (n <= 0 || m <= 0) return NULL;` of parameters.
fn null_for_nothing(i: &IfStatement, function: &FunctionDefinition) -> bool {
    let Some(parameters) = parameter_names(function) else { return false };
    let then = match &i.then_statement.node {
        Statement::Compound(items) => match &items[..] {
            [Node { node: BlockItem::Statement(s), .. }] => &s.node,
            _ => return false,
        },
        s => s,
    };
    let null = matches!(then, Statement::Return(Some(e)) if is_null(e));
    null && i.else_statement.is_none() && asks_for_nothing(&i.condition, &parameters)
}

fn asks_for_nothing(e: &Node<E>, parameters: &[&str]) -> bool {
    let E::BinaryOperator(b) = &e.node else { return false };
    let number =
        |e: &Node<E>, n: &str| matches!(&e.node, E::Constant(c) if matches!(&c.node, lang_c::ast::Constant::Integer(k) if &*k.number == n));
    let (lhs, rhs) = (&b.node.lhs, &b.node.rhs);
    let bound = match b.node.operator.node {
        B::LogicalOr => return asks_for_nothing(lhs, parameters) && asks_for_nothing(rhs, parameters),
        B::LessOrEqual => "0",
        B::Less => "1",
        _ => return false,
    };
    number(rhs, bound) && name(lhs).is_some_and(|n| parameters.contains(&n))
}

/// The value that `v` gets in `if (!(v = malloc(n)))` or `if ((v = malloc(n)) == NULL)`.
fn given_in_test<'e>(i: &'e IfStatement, v: &str) -> Option<&'e Node<E>> {
    let set = match &i.condition.node {
        E::UnaryOperator(u) if u.node.operator.node == U::Negate => &u.node.operand,
        E::BinaryOperator(b) if b.node.operator.node == B::Equals && is_null(&b.node.rhs) => &b.node.lhs,
        _ => return None,
    };
    let E::BinaryOperator(b) = &set.node else { return None };
    (b.node.operator.node == B::Assign && name(&b.node.lhs) == Some(v)).then_some(&*b.node.rhs)
}

/// True for a declaration of plain variables without values, none of which is `kept`.
fn declares_counters(d: &Declaration, kept: Option<&str>) -> bool {
    d.declarators.iter().all(|i| {
        let other = declared_name(&i.node.declarator.node).is_some_and(|(n, _)| Some(n) != kept);
        other && i.node.initializer.is_none() && i.node.declarator.node.derived.is_empty()
    })
}

/// The one variable of a declaration, and what it is set to.
fn one_variable(d: &Declaration) -> Option<(&str, Option<&Node<E>>)> {
    let [one] = &d.declarators[..] else { return None };
    let (name, _) = declared_name(&one.node.declarator.node)?;
    match one.node.initializer.as_ref().map(|i| &i.node) {
        None => Some((name, None)),
        Some(Initializer::Expression(e)) => Some((name, Some(e))),
        Some(Initializer::List(_)) => None,
    }
}

/// `malloc(...)` or `calloc(...)` of sizes that are computed without side effects.
fn allocation(e: &Node<E>) -> Option<&Node<E>> {
    let e = uncast(e);
    let E::Call(c) = &e.node else { return None };
    let known = matches!(callee_name(&c.node), Some("malloc" | "calloc"));
    (known && c.node.arguments.iter().all(is_plain)).then_some(e)
}

/// `(void)n;` or `;`.
pub(crate) fn does_nothing(s: &Node<Statement>) -> bool {
    match &s.node {
        Statement::Expression(None) => true,
        Statement::Expression(Some(e)) => matches!(&e.node, E::Cast(c) if is_plain(&c.node.expression)),
        _ => false,
    }
}

/// True for sizes and indices that are computed without side effects.
pub(crate) fn is_plain(e: &Node<E>) -> bool {
    match &e.node {
        E::Identifier(_) | E::Constant(_) | E::SizeOfTy(_) | E::SizeOfVal(_) => true,
        E::Cast(c) => is_plain(&c.node.expression),
        E::BinaryOperator(b) => {
            matches!(b.node.operator.node, B::Plus | B::Minus | B::Multiply | B::Divide) && is_plain(&b.node.lhs) && is_plain(&b.node.rhs)
        }
        _ => false,
    }
}

fn is_null(e: &Node<E>) -> bool {
    match &uncast(e).node {
        E::Constant(c) => matches!(&c.node, lang_c::ast::Constant::Integer(n) if &*n.number == "0"),
        E::Identifier(i) => i.node.name == "NULL",
        _ => false,
    }
}

/// `if (!v)` (`null`) or `if (v)`.
pub(crate) fn asks(i: &IfStatement, v: &str, null: bool) -> bool {
    match &i.condition.node {
        E::Identifier(_) => !null && name(&i.condition) == Some(v),
        E::UnaryOperator(u) => null && u.node.operator.node == U::Negate && name(&u.node.operand) == Some(v),
        E::BinaryOperator(b) => {
            let wanted = if null { B::Equals } else { B::NotEquals };
            let sides = [(&b.node.lhs, &b.node.rhs), (&b.node.rhs, &b.node.lhs)];
            b.node.operator.node == wanted && sides.iter().any(|(p, z)| name(p) == Some(v) && is_null(z))
        }
        _ => false,
    }
}

/// The position of the parameter that a function does nothing but free.
fn freed(f: &FunctionDefinition) -> Option<usize> {
    let (mut rows, mut left) = (Vec::new(), Vec::new());
    for item in items(f)? {
        match &item.node {
            BlockItem::Declaration(d) if declares_counters(&d.node, None) => {}
            BlockItem::Statement(s) if does_nothing(s) => {}
            BlockItem::Statement(s) => match rows_freed(s) {
                Some(array) => rows.push(array),
                None => left.push(s),
            },
            _ => return None,
        }
    }
    let [s] = left[..] else { return None };
    let freed = |s: &'_ Node<Statement>| -> Option<String> {
        let one = match &s.node {
            Statement::Compound(items) => match &items[..] {
                [Node { node: BlockItem::Statement(s), .. }] => s,
                _ => return None,
            },
            _ => s,
        };
        let Statement::Expression(Some(e)) = &one.node else { return None };
        let E::Call(c) = &e.node else { return None };
        let [p] = &c.node.arguments[..] else { return None };
        shifted_back(p).and_then(name).filter(|_| callee_name(&c.node) == Some("free")).map(str::to_owned)
    };
    let freed = match &s.node {
        Statement::If(i) if i.node.else_statement.is_none() => freed(&i.node.then_statement).filter(|v| asks(&i.node, v, false))?,
        _ => freed(s)?,
    };
    parameter_names(f)?.iter().position(|p| *p == freed && rows.iter().all(|r| *r == freed))
}
