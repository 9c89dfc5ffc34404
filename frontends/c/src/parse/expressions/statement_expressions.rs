//! Blocks that have a value: `({ double a = x; a > y ? a : y; })`, as GNU C has them, and types that are told by an expression (`__typeof__(x)`).
//!
//! What stands in the block comes in front of the statement around it, as calls do; the last expression is the value. Lives here: their values and types. Never
//! here: statements.

use crate::parse::context::places::Place;
use crate::parse::context::state::{Binding, Lower, Variable};
use crate::parse::context::values::Operand;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{EXPRESSION, Refusal, Res, TYPE, refuse};
use lang_c::ast::{BlockItem, Declaration, Expression as E, Statement, TypeOf};
use lang_c::span::Node;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The expression that a block ends with, and what stands before it.
fn parted(items: &[Node<BlockItem>]) -> (&[Node<BlockItem>], Option<&Node<E>>) {
    if let Some((Node { node: BlockItem::Statement(s), .. }, first)) = items.split_last()
        && let Statement::Expression(Some(e)) = &s.node
    {
        return (first, Some(e));
    }
    (items, None)
}

impl<'a> Lower<'a> {
    /// The value of a block.
    pub fn statement_expression(&mut self, e: &'a Node<E>, s: &'a Node<Statement>) -> Res<Operand> {
        let Statement::Compound(items) = &s.node else { return refuse(EXPRESSION, e, "this expression is not supported") };
        if self.body.is_none() {
            return refuse(EXPRESSION, e, "a block is no constant");
        }
        if self.body().builder.is_dead() {
            return Ok(Operand::Void);
        }
        let (first, value) = parted(items);
        let outer = (self.body().top.take(), std::mem::take(&mut self.body().ordered), self.body().deferred.take());
        self.blocks.push(FxHashMap::default());
        self.body().block_ends.push(s.span.end);
        self.items(first);
        let result = match value {
            Some(v) => self.full(v, |l, v| match l.type_of(v) {
                None | Some(CType::Void) => l.effect(v).map(|()| Operand::Void),
                _ => l.operand(v),
            }),
            None => Ok(Operand::Void),
        };
        self.body().block_ends.pop();
        self.blocks.pop();
        (self.body().top, self.body().ordered, self.body().deferred) = outer;
        if self.body().builder.is_dead() {
            return refuse(EXPRESSION, e, "a block that is left has no value");
        }
        result
    }

    /// The type of the value of a block, without translating it.
    pub fn type_of_block(&mut self, s: &Node<Statement>) -> Option<CType> {
        let Statement::Compound(items) = &s.node else { return None };
        let (first, value) = parted(items);
        let value = value?;
        self.blocks.push(FxHashMap::default());
        for item in first {
            if let BlockItem::Declaration(d) = &item.node {
                self.bind_types(&d.node);
            }
        }
        let ty = self.type_of(value);
        self.blocks.pop();
        ty
    }

    fn bind_types(&mut self, d: &Declaration) {
        let Some(place) = d.specifiers.first().map(|s| s.span) else { return };
        let Ok(s) = self.specifiers(&d.specifiers, place) else { return };
        for i in &d.declarators {
            let Ok(declared) = self.declarator(&s.ty, s.constant, &i.node.declarator) else { continue };
            let unset = Refusal::new(EXPRESSION, i.span, format!("`{}` is asked for its type only", declared.name));
            let place = Place::Refused(Rc::new(unset));
            self.bind(declared.name.clone(), Binding::Variable(Variable { ty: declared.ty, place, value: None, fact: None }));
        }
    }

    /// The type that `typeof` names.
    pub fn type_told(&mut self, t: &Node<TypeOf>) -> Res<CType> {
        match &t.node {
            TypeOf::Type(name) => self.type_name(name).map(|(ty, _)| ty),
            TypeOf::Expression(e) => match self.type_of(e) {
                Some(ty) => Ok(ty),
                None => refuse(TYPE, t, "the type of this expression is not known"),
            },
        }
    }
}
