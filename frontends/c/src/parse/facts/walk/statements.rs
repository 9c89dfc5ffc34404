//! The walk over statements.
//!
//! Lives here: blocks, loops, exchanges of pointers, statements. Never here: expressions and declarations.

use super::Scan;
use crate::parse::facts::function::{Facts, Kind, Swap};
use crate::parse::facts::pointer_exchanges::exchange;
use lang_c::ast::{BinaryOperator as B, BlockItem, Expression as E, ForInitializer, Label, Statement, UnaryOperator as U};
use lang_c::span::Node;
use rustc_hash::FxHashMap;

impl Scan<'_> {
    fn block(&mut self, items: &[Node<BlockItem>]) {
        self.scopes.push(FxHashMap::default());
        let mut skip = 0;
        for (k, item) in items.iter().enumerate() {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            if let Some(more) = self.exchange(&items[k..]) {
                skip = more;
                continue;
            }
            match &item.node {
                BlockItem::Declaration(d) => self.declaration(&d.node),
                BlockItem::Statement(s) => self.statement(s),
                BlockItem::StaticAssert(_) => {}
            }
        }
        self.scopes.pop();
    }

    /// The body of a loop.
    fn loop_body(&mut self, s: &Node<Statement>) {
        self.loops += 1;
        self.statement(s);
        self.loops -= 1;
    }

    /// At the beginning of an exchange of pointers that are the function's own: how many more items it has.
    fn exchange(&mut self, items: &[Node<BlockItem>]) -> Option<usize> {
        let x = exchange(items)?;
        let turn: Vec<usize> = x.names.iter().map(|n| self.lookup(n)).collect();
        let own = |f: &Facts, v: usize| f.vars[v].memory && !f.vars[v].global;
        if !turn.iter().all(|&v| own(&self.facts, v)) {
            return None;
        }
        let between = match x.declared {
            Some(d) => self.declare(d, false)?,
            None => Some(self.lookup(x.between)).filter(|&v| own(&self.facts, v))?,
        };
        for &v in &turn {
            self.event(x.span.start, v, Kind::Load);
            self.event(x.span.start, v, Kind::Store);
            self.facts.vars[v].index();
        }
        let more = turn.len();
        self.facts.swaps.push(Swap { start: x.span.start, between, turn, places: x.places, turning: false });
        Some(more)
    }

    /// `n++` and the like, for an integer at file scope.
    fn counts(&mut self, e: &Node<E>) -> bool {
        let counter = match &e.node {
            E::UnaryOperator(u) => match u.node.operator.node {
                U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement => &u.node.operand,
                _ => return false,
            },
            E::BinaryOperator(b) => match (&b.node.operator.node, &b.node.rhs.node) {
                (B::AssignPlus | B::AssignMinus, E::Constant(c)) if matches!(c.node, lang_c::ast::Constant::Integer(_)) => &b.node.lhs,
                _ => return false,
            },
            _ => return false,
        };
        self.name(counter).is_some_and(|v| {
            let v = &self.facts.vars[v];
            v.global && self.names.integers.contains(&v.name)
        })
    }

    /// Walks a statement.
    pub(crate) fn statement(&mut self, s: &Node<Statement>) {
        match &s.node {
            Statement::Labeled(l) => {
                match &l.node.label.node {
                    Label::Case(e) => self.value(e),
                    Label::Identifier(_) => self.facts.labels = true,
                    _ => {}
                }
                self.statement(&l.node.statement);
            }
            Statement::Compound(items) => self.block(items),
            Statement::Expression(e) | Statement::Return(e) => {
                if let Some(e) = e {
                    if matches!(s.node, Statement::Expression(_)) && self.counts(e) {
                        self.facts.counting.push((e.span.start, e.span.end));
                    }
                    self.value(e);
                }
            }
            Statement::If(i) => {
                self.condition(&i.node.condition);
                self.statement(&i.node.then_statement);
                if let Some(e) = &i.node.else_statement {
                    self.statement(e);
                }
            }
            Statement::Switch(w) => {
                self.value(&w.node.expression);
                self.statement(&w.node.statement);
            }
            Statement::While(w) => {
                self.condition(&w.node.expression);
                self.loop_body(&w.node.statement);
            }
            Statement::DoWhile(w) => {
                self.loop_body(&w.node.statement);
                self.condition(&w.node.expression);
            }
            Statement::For(f) => {
                self.scopes.push(FxHashMap::default());
                match &f.node.initializer.node {
                    ForInitializer::Expression(e) => self.value(e),
                    ForInitializer::Declaration(d) => self.declaration(&d.node),
                    _ => {}
                }
                if let Some(e) = &f.node.condition {
                    self.condition(e);
                }
                if let Some(e) = &f.node.step {
                    self.value(e);
                }
                self.loop_body(&f.node.statement);
                self.scopes.pop();
            }
            _ => {}
        }
    }
}
