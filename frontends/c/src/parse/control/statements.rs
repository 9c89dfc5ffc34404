//! Statements to the graph.
//!
//! Lives here: blocks, `if`, `return`, labels, expression statements. Never here: loops and `switch` (see `loops`, `switch`).

use crate::parse::context::places::LValue;
use crate::parse::context::state::Lower;
use crate::parse::context::values::Operand;
use crate::parse::facts::function::Kind;
use crate::parse::facts::pointer_exchanges::exchange;
use crate::parse::language::types::CType;
use crate::parse::text::nesting_limits::limits;
use crate::parse::text::refusals::{LIMITS, RECORD, Refusal, Res, STATEMENT, SWITCH, refuse};
use crate::parse::text::syntax::has_label;
use lang_c::ast::{BlockItem, Expression as E, IfStatement, Label, Statement};
use lang_c::span::{Node, Span};
use rustc_hash::FxHashMap;
use xaif::model::{Expr, VarRef};

impl<'a> Lower<'a> {
    /// Keeps a problem and goes on, so that all are found.
    pub fn noted<T>(&mut self, r: Res<T>) -> Option<T> {
        match r {
            Ok(t) => Some(t),
            Err(r) => {
                // What is wrong with a declaration is said at its first use only.
                let known = &mut self.body().refusals;
                if !known.iter().any(|k| k.code == r.code && k.message == r.message) {
                    known.push(r);
                }
                None
            }
        }
    }

    /// The items of a block in a scope of their own.
    pub fn block(&mut self, items: &'a [Node<BlockItem>], span: Span) {
        self.blocks.push(FxHashMap::default());
        self.body().block_ends.push(span.end);
        let late = self.body().late.len();
        self.items(items);
        self.free_late_arrays(late);
        self.body().late.truncate(late);
        self.body().block_ends.pop();
        self.blocks.pop();
    }

    /// The items of a block in the present scope.
    pub fn items(&mut self, items: &'a [Node<BlockItem>]) {
        let mut skip = 0;
        for (k, item) in items.iter().enumerate() {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let facts = self.body().facts.clone();
            if let (Some(s), Some(x)) = (facts.swap_at(item.span.start), exchange(&items[k..])) {
                skip = s.turn.len();
                if !self.body().builder.is_dead() {
                    let r = self.swap(s, x.span);
                    self.noted(r);
                }
                continue;
            }
            if !self.body().builder.is_dead() {
                self.begin_parameter_targets(item.span);
                let done = self.versions(&items[k..]);
                if done > 0 {
                    skip = done - 1;
                    continue;
                }
            }
            match &item.node {
                BlockItem::Declaration(d) => {
                    let r = self.local_declaration(d);
                    self.noted(r);
                }
                BlockItem::Statement(s) => self.statement(s),
                BlockItem::StaticAssert(_) => {}
            }
        }
    }

    /// A statement. Problems are kept.
    pub fn statement(&mut self, s: &'a Node<Statement>) {
        if self.body().builder.is_dead() && !has_label(&s.node, false) {
            return;
        }
        if self.body().without_effect.contains(&s.span) {
            return;
        }
        if self.body().depth >= limits().statements {
            let r = refuse(LIMITS, s, "statements nest too deeply");
            self.noted::<()>(r);
            return;
        }
        self.body().depth += 1;
        self.body().parted |= self.may_part(s);
        let r = self.dispatch(s);
        self.noted(r);
        self.body().depth -= 1;
    }

    /// True for statements behind or in which not everything need be reached.
    fn may_part(&mut self, s: &Node<Statement>) -> bool {
        match &s.node {
            Statement::Compound(_) => false,
            Statement::Expression(_) => {
                let facts = self.body().facts.clone();
                facts.events(s.span.start, s.span.end).iter().any(|e| e.kind == Kind::Call)
            }
            _ => true,
        }
    }

    fn dispatch(&mut self, s: &'a Node<Statement>) -> Res<()> {
        if self.both_sides(s)? {
            return Ok(());
        }
        match &s.node {
            Statement::Compound(items) => {
                self.block(items, s.span);
                Ok(())
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(e)) => {
                self.begin_statement(s.span, true);
                self.body().top = Some((e.span, s.span));
                let r = self.expression_statement(s, e);
                self.body().top = None;
                r
            }
            Statement::If(i) => self.if_(s, &i.node),
            Statement::For(f) if self.row_loop(s, &f.node)? => Ok(()),
            Statement::For(f) => self.for_(s, &f.node),
            Statement::While(_) | Statement::DoWhile(_) | Statement::Switch(_) => {
                self.forget_targets(s.span);
                let r = match &s.node {
                    Statement::While(w) => self.while_(s, &w.node),
                    Statement::DoWhile(w) => self.do_while(s, &w.node),
                    Statement::Switch(w) => self.switch(s, &w.node),
                    _ => Ok(()),
                };
                self.forget_targets(s.span);
                r
            }
            Statement::Return(value) => {
                self.begin_statement(s.span, true);
                self.return_(s, value.as_deref())
            }
            Statement::Break => {
                self.begin_statement(s.span, true);
                self.break_(s)
            }
            Statement::Continue => {
                self.begin_statement(s.span, true);
                self.continue_(s)
            }
            Statement::Goto(label) => {
                self.begin_statement(s.span, true);
                self.body().builder.jump_goto(label.node.name.as_str());
                Ok(())
            }
            Statement::Labeled(l) => match &l.node.label.node {
                Label::Identifier(i) => {
                    self.body().builder.label(i.node.name.as_str());
                    self.statement(&l.node.statement);
                    Ok(())
                }
                _ => refuse(SWITCH, s, "this `case` is not directly inside its `switch`"),
            },
            Statement::Asm(_) => Err(Refusal::new(STATEMENT, s.span, "assembler code is not supported")),
        }
    }

    fn expression_statement(&mut self, s: &'a Node<Statement>, e: &'a Node<E>) -> Res<()> {
        if self.library_statement(s.span, e)? {
            return Ok(());
        }
        self.full_with_deferral(e, |l, e| l.effect(e))
    }

    fn if_(&mut self, s: &'a Node<Statement>, i: &'a IfStatement) -> Res<()> {
        self.begin_statement(s.span, false);
        if self.allocation_check(s, i)? {
            return Ok(());
        }
        let condition = self.full(&i.condition, |l, e| l.condition(e));
        let condition = self.noted(condition).unwrap_or_else(|| Expr::bool(true));
        let head = Span { start: s.span.start, end: i.then_statement.span.start };
        let text = self.original(head);
        let v = self.body().builder.begin_branch(condition);
        self.dress(v, head, text);
        self.body().branches += 1;
        self.body().builder.arm(&[1]);
        let before = self.known_targets();
        self.scoped(&i.then_statement);
        // What is known behind an arm, if control comes there.
        let mut ends = vec![(!self.body().builder.is_dead()).then(|| self.known_targets())];
        self.set_known_targets(&before);
        if let Some(e) = &i.else_statement {
            self.body().builder.arm(&[]);
            self.scoped(e);
            ends.push((!self.body().builder.is_dead()).then(|| self.known_targets()));
        } else {
            ends.push(Some(before));
        }
        self.close_branch();
        let both = ends.into_iter().flatten().reduce(|a, b| a.on_both(&b));
        self.set_known_targets(&both.unwrap_or_default());
        Ok(())
    }

    /// A statement that is a block of its own even without braces.
    pub fn scoped(&mut self, s: &'a Node<Statement>) {
        self.blocks.push(FxHashMap::default());
        self.body().block_ends.push(s.span.end);
        self.statement(s);
        self.body().block_ends.pop();
        self.blocks.pop();
    }

    fn return_(&mut self, s: &'a Node<Statement>, value: Option<&'a Node<E>>) -> Res<()> {
        let result = self.body().result.clone();
        match (value, result) {
            (Some(e), Some((symbol, ty))) if matches!(ty, CType::Record(_)) => {
                let Operand::Structure(from) = self.full(e, |l, e| l.operand(e))? else {
                    return refuse(RECORD, e, "this structure is not followed");
                };
                self.copy_structure(&LValue { base: symbol, subs: Vec::new(), ty }, &from, s.span)?;
            }
            (Some(e), Some((symbol, ty))) => {
                self.body().top = Some((e.span, s.span));
                let r = self.full_with_deferral(e, |l, e| {
                    let v = l.value(e)?.stored_as(&ty);
                    l.emit_assignment(VarRef::whole(symbol), v, e.span);
                    Ok(())
                });
                self.body().top = None;
                r?;
            }
            (Some(e), None) => self.full(e, |l, e| l.effect(e))?,
            (None, _) => {}
        }
        self.free_late_arrays(0);
        self.body().builder.jump_return();
        Ok(())
    }
}
