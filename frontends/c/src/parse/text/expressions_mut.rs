//! A walk over all expressions of a function that may change them.
//!
//! Lives here: the walk; the parser's library has one that only looks. Never here: what is changed.

use lang_c::ast::{BlockItem, Declaration, Designator, Expression as E, ForInitializer, FunctionDefinition, Initializer, Label, Statement};
use lang_c::span::Node;

/// What is done with an expression.
pub(crate) type Change<'c> = dyn FnMut(&mut Node<E>) + 'c;

/// Calls `change` with each expression in the body of a function, those inside of others first.
pub(crate) fn in_function(f: &mut FunctionDefinition, change: &mut Change) {
    in_statement(&mut f.statement.node, change);
}

fn in_declaration(d: &mut Declaration, change: &mut Change) {
    for i in d.declarators.iter_mut().filter_map(|i| i.node.initializer.as_mut()) {
        in_initializer(&mut i.node, change);
    }
}

fn in_initializer(i: &mut Initializer, change: &mut Change) {
    match i {
        Initializer::Expression(e) => in_expression(e, change),
        Initializer::List(items) => {
            for item in items {
                for d in &mut item.node.designation {
                    if let Designator::Index(e) = &mut d.node {
                        in_expression(e, change);
                    }
                }
                in_initializer(&mut item.node.initializer.node, change);
            }
        }
    }
}

fn in_statement(s: &mut Statement, change: &mut Change) {
    match s {
        Statement::Labeled(l) => {
            if let Label::Case(e) = &mut l.node.label.node {
                in_expression(e, change);
            }
            in_statement(&mut l.node.statement.node, change);
        }
        Statement::Compound(items) => {
            for i in items {
                match &mut i.node {
                    BlockItem::Declaration(d) => in_declaration(&mut d.node, change),
                    BlockItem::Statement(s) => in_statement(&mut s.node, change),
                    BlockItem::StaticAssert(_) => {}
                }
            }
        }
        Statement::Expression(e) | Statement::Return(e) => e.iter_mut().for_each(|e| in_expression(e, change)),
        Statement::If(i) => {
            in_expression(&mut i.node.condition, change);
            in_statement(&mut i.node.then_statement.node, change);
            i.node.else_statement.iter_mut().for_each(|s| in_statement(&mut s.node, change));
        }
        Statement::Switch(w) => {
            in_expression(&mut w.node.expression, change);
            in_statement(&mut w.node.statement.node, change);
        }
        Statement::While(w) => {
            in_expression(&mut w.node.expression, change);
            in_statement(&mut w.node.statement.node, change);
        }
        Statement::DoWhile(w) => {
            in_statement(&mut w.node.statement.node, change);
            in_expression(&mut w.node.expression, change);
        }
        Statement::For(f) => {
            match &mut f.node.initializer.node {
                ForInitializer::Expression(e) => in_expression(e, change),
                ForInitializer::Declaration(d) => in_declaration(&mut d.node, change),
                ForInitializer::Empty | ForInitializer::StaticAssert(_) => {}
            }
            f.node.condition.iter_mut().chain(&mut f.node.step).for_each(|e| in_expression(e, change));
            in_statement(&mut f.node.statement.node, change);
        }
        Statement::Goto(_) | Statement::Continue | Statement::Break | Statement::Asm(_) => {}
    }
}

fn in_expression(e: &mut Node<E>, change: &mut Change) {
    match &mut e.node {
        E::Member(m) => in_expression(&mut m.node.expression, change),
        E::Call(c) => {
            in_expression(&mut c.node.callee, change);
            c.node.arguments.iter_mut().for_each(|a| in_expression(a, change));
        }
        E::CompoundLiteral(c) => {
            for item in &mut c.node.initializer_list {
                in_initializer(&mut item.node.initializer.node, change);
            }
        }
        E::UnaryOperator(u) => in_expression(&mut u.node.operand, change),
        E::Cast(c) => in_expression(&mut c.node.expression, change),
        E::BinaryOperator(b) => {
            in_expression(&mut b.node.lhs, change);
            in_expression(&mut b.node.rhs, change);
        }
        E::Conditional(c) => {
            in_expression(&mut c.node.condition, change);
            in_expression(&mut c.node.then_expression, change);
            in_expression(&mut c.node.else_expression, change);
        }
        E::Comma(list) => list.iter_mut().for_each(|e| in_expression(e, change)),
        // What is not evaluated, and what no function with it is translated for.
        _ => {}
    }
    change(e);
}
