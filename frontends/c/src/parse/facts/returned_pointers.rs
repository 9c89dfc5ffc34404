//! Functions of the program that do nothing but return a pointer into what an argument points to.
//!
//! ```text
//! double *row(double *a, int i, int n) { return a + i * n; }        row(t, k, 3)[j]   is   (t + k * 3)[j]
//! double *at(double **a, int i, int j) { return &a[i][j]; }         *at(t, k, j)      is   *&t[k][j]
//! ```
//!
//! Lives here: which functions these are. Never here: what their calls become (see `memory::returned_pointers`).

use super::allocation_wrappers::is_plain;
use crate::parse::text::syntax::{declared_depth, declared_name, function_part, parameter_names, uncast};
use lang_c::ast::{
    BinaryOperator as B, BlockItem, Expression as E, ExternalDeclaration, FunctionDefinition, Statement, TranslationUnit,
    UnaryOperator as U,
};
use lang_c::span::Node;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// A function that returns a pointer into what an argument points to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReturnedPointer<'a> {
    pub function: &'a FunctionDefinition,
    /// What it returns.
    pub value: &'a Node<E>,
    /// The position of the argument.
    pub argument: usize,
    /// How often that is indexed on the way.
    pub indexed: usize,
}

/// The functions of a file that do so, by their names.
pub(crate) fn returned_pointers(tree: &TranslationUnit) -> FxHashMap<SmolStr, ReturnedPointer<'_>> {
    let mut out = FxHashMap::default();
    for item in &tree.0 {
        let ExternalDeclaration::FunctionDefinition(f) = &item.node else { continue };
        let Some((name, _)) = declared_name(&f.node.declarator.node) else { continue };
        if let Some(r) = returned(&f.node) {
            out.insert(name.into(), r);
        }
    }
    out
}

fn returned(function: &FunctionDefinition) -> Option<ReturnedPointer<'_>> {
    let Statement::Compound(items) = &function.statement.node else { return None };
    let [Node { node: BlockItem::Statement(s), .. }] = &items[..] else { return None };
    let Statement::Return(Some(value)) = &s.node else { return None };
    let names = parameter_names(function)?;
    let depths: Vec<usize> = function_part(&function.declarator.node)?
        .parameters
        .iter()
        .map(|p| p.node.declarator.as_ref().map_or(0, |d| declared_depth(&d.node)))
        .collect();
    let known = Parameters { names, depths };
    let (argument, indexed) = known.base(value)?;
    // What it returns is no number.
    let depth = declared_depth(&function.declarator.node);
    if depth == 0 || known.depths[argument] != depth + indexed {
        return None;
    }
    Some(ReturnedPointer { function, value, argument, indexed })
}

struct Parameters<'a> {
    names: Vec<&'a str>,
    /// How many pointers and arrays each of them is made of.
    depths: Vec<usize>,
}

impl Parameters<'_> {
    /// The argument that a pointer is made of, with nothing but integers, and how often it is indexed.
    fn base(&self, e: &Node<E>) -> Option<(usize, usize)> {
        match &e.node {
            E::Identifier(i) => {
                let k = self.names.iter().position(|n| *n == i.node.name)?;
                (self.depths[k] > 0).then_some((k, 0))
            }
            E::Cast(c) => self.base(&c.node.expression),
            E::BinaryOperator(b) => {
                let (pointer, index) = (&b.node.lhs, &b.node.rhs);
                match b.node.operator.node {
                    B::Plus | B::Minus if self.is_index(index) => self.base(pointer),
                    B::Plus if self.is_index(pointer) => self.base(index),
                    B::Index if self.is_index(index) => self.base(pointer).map(|(k, n)| (k, n + 1)),
                    _ => None,
                }
            }
            E::UnaryOperator(u) => match (u.node.operator.node.clone(), &u.node.operand.node) {
                (U::Address, E::BinaryOperator(b)) if b.node.operator.node == B::Index => {
                    self.base(&u.node.operand).map(|(k, n)| (k, n - 1))
                }
                (U::Indirection, _) => self.base(&u.node.operand).map(|(k, n)| (k, n + 1)),
                _ => None,
            },
            _ => None,
        }
    }

    /// An integer that is made of parameters and constants.
    fn is_index(&self, e: &Node<E>) -> bool {
        fn of_integers(p: &Parameters, e: &Node<E>) -> bool {
            match &uncast(e).node {
                E::Identifier(i) => p.names.iter().position(|n| *n == i.node.name).is_some_and(|k| p.depths[k] == 0),
                E::BinaryOperator(b) => of_integers(p, &b.node.lhs) && of_integers(p, &b.node.rhs),
                E::Constant(_) => true,
                _ => false,
            }
        }
        is_plain(e) && of_integers(self, e)
    }
}
