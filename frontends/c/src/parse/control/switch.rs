//! `switch`.
//!
//! Lives here: arms, fall-through, `case` labels. Never here: jumps out of a switch (see `jumps`).

use crate::parse::context::jump_targets::Target;
use crate::parse::context::state::Lower;
use crate::parse::text::refusals::{Res, SWITCH, refuse};
use crate::parse::text::syntax::has_label;
use lang_c::ast::{BlockItem, Label, Statement, SwitchStatement};
use lang_c::span::{Node, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// GNU case ranges longer than this are refused.
const MAX_RANGE: i128 = 1024;

impl<'a> Lower<'a> {
    /// `switch`
    pub fn switch(&mut self, s: &'a Node<Statement>, w: &'a SwitchStatement) -> Res<()> {
        self.begin_statement(s.span, false);
        let value = self.full(&w.expression, |l, e| l.index(e))?;
        let head = Span { start: s.span.start, end: w.statement.span.start };
        let text = self.original(head);
        let v = self.body().builder.begin_branch(value);
        self.dress(v, head, text);
        let branches = self.body().branches;
        self.body().branches += 1;
        let (late, blocks) = (self.body().late.len(), self.body().block_ends.len() + 1);
        self.body().targets.push(Target::Switch { branches, blocks, late });
        self.blocks.push(FxHashMap::default());
        self.body().block_ends.push(s.span.end);
        let mut arms = Arms { span: s.span, open: false, default: false, values: FxHashSet::default() };
        match &w.statement.node {
            Statement::Compound(items) => {
                for item in items {
                    match &item.node {
                        BlockItem::Statement(s) => {
                            let r = self.arm_statement(s, &mut arms);
                            self.noted(r);
                        }
                        BlockItem::Declaration(d) => {
                            let r = self.local_declaration(d);
                            self.noted(r);
                        }
                        BlockItem::StaticAssert(_) => {}
                    }
                }
            }
            _ => {
                let r = self.arm_statement(&w.statement, &mut arms);
                self.noted(r);
            }
        }
        self.body().block_ends.pop();
        self.blocks.pop();
        self.body().targets.pop();
        self.close_branch();
        Ok(())
    }

    /// A statement directly inside a switch, with the labels before it.
    fn arm_statement(&mut self, s: &'a Node<Statement>, arms: &mut Arms) -> Res<()> {
        let mut at = s;
        let (mut values, mut default, mut labelled) = (Vec::new(), false, false);
        while let Statement::Labeled(l) = &at.node {
            match &l.node.label.node {
                Label::Identifier(_) => break,
                Label::Default => default = true,
                Label::Case(e) => match self.constant_integer(e).and_then(|v| i64::try_from(v).ok()) {
                    Some(v) => values.push(v),
                    None => return refuse(SWITCH, e.as_ref(), "the value of this `case` is not a constant"),
                },
                Label::CaseRange(r) => match (self.constant_integer(&r.node.low), self.constant_integer(&r.node.high)) {
                    (Some(low), Some(high)) if low <= high && high - low < MAX_RANGE => {
                        values.extend((low..=high).filter_map(|v| i64::try_from(v).ok()));
                    }
                    _ => return refuse(SWITCH, r, "this range of cases is too large or not constant"),
                },
            }
            labelled = true;
            at = &l.node.statement;
        }
        if labelled {
            if let Some(v) = values.iter().find(|v| !arms.values.insert(**v)) {
                return refuse(SWITCH, s, format!("`case {v}` stands twice"));
            }
            arms.default |= default;
            // What goes where all other values go needs no values of its own.
            let values = if default { Vec::new() } else { values };
            let runs_on = arms.open && !self.body().builder.is_dead();
            if runs_on {
                self.body().builder.arm_falling_through(&values, default);
            } else {
                self.body().builder.arm(&values);
            }
            arms.open = true;
            self.forget_targets(arms.span);
        } else if !arms.open && !has_label(&s.node, false) {
            // Nothing leads here.
            return Ok(());
        }
        if matches!(at.node, Statement::Break) && !self.body().builder.is_dead() {
            self.begin_statement(at.span, true);
            self.body().builder.end_arm();
            arms.open = false;
            return Ok(());
        }
        if let Statement::Compound(items) = &at.node
            && let Some((last, first)) = items.split_last()
            && matches!(&last.node, BlockItem::Statement(s) if matches!(s.node, Statement::Break))
        {
            // `case 1: { ...; break; }`
            self.block(first, at.span);
            if !self.body().builder.is_dead() {
                self.body().builder.end_arm();
            }
            arms.open = false;
            return Ok(());
        }
        self.statement(at);
        Ok(())
    }
}

struct Arms {
    /// The whole switch.
    span: Span,
    /// Control may run on from the arm above.
    open: bool,
    default: bool,
    values: FxHashSet<i64>,
}
