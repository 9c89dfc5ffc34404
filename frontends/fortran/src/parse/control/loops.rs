//! Loops: DO in all its forms.
//!
//! Lives here: which loop one is, where it ends, loops without a counter. Never here: branches, jumps.

use crate::parse::context::state::{Construct, Lower, Lowered};
use crate::parse::text::tree::{child, children, field, is_bracket, label_text, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// DO in all its forms.
    pub fn do_loop(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        let Some(head) = child(node, "do_statement") else { return Err(self.refuse(node, "OB3034", "malformed DO")) };
        let name = self.construct_name(node);
        let label = field(head, "do_label").map_or(String::new(), |l| label_text(&self.lower(l)));
        let terminal = self.terminal(node);
        let label_is_empty = terminal.is_none_or(|t| t.kind() == "keyword_statement" && self.lower(t) == "continue");
        let construct = Construct { is_loop: true, branches: 0, name: name.clone(), label, label_is_empty };
        if let Some(control) = child(head, "loop_control_expression") {
            self.counted(node, head, control, &name)?;
        } else if let Some(w) = child(head, "while_statement") {
            self.while_loop(node, w, &name)?;
        } else if let Some(c) = child(head, "concurrent_statement") {
            return self.concurrent(node, c, refusals);
        } else if let Some(g) = &mut self.cur.graph {
            let v = g.begin_while(Expr::bool(true));
            self.describe(v, node, &name);
        }
        self.cur.constructs.push(construct);
        let body: Vec<Node> = named(node).into_iter().filter(|n| !is_bracket(n.kind())).collect();
        self.statements(&body, refusals);
        // A terminating statement of several loops belongs to the innermost.
        let inner_has_it = body.iter().any(|b| self.same_end(node, *b));
        if let Some(t) = terminal.filter(|_| !inner_has_it && !label_is_empty)
            && let Err(r) = self.statement(t, refusals)
        {
            refusals.push(*r);
        }
        if terminal.is_none()
            && let Some(end) = children(node).into_iter().rev().find(|c| c.kind().starts_with("end_"))
        {
            let l = self.file().label(end).to_string();
            let enclosing = self.cur.constructs.last().is_some_and(|c| c.label == l && c.label_is_empty);
            if !l.is_empty()
                && !enclosing
                && self.cur.targets.contains(&l)
                && let Some(g) = &mut self.cur.graph
            {
                g.label(l);
            }
        }
        self.cur.constructs.pop();
        if let Some(g) = &mut self.cur.graph {
            g.end_loop();
        }
        Ok(())
    }

    fn do_label(&self, node: Node<'t>) -> Option<String> {
        let head = child(node, "do_statement")?;
        field(head, "do_label").map(|l| label_text(&self.lower(l)))
    }

    /// Whether a statement of the body is a loop that ends with the same label.
    fn same_end(&self, outer: Node<'t>, inner: Node<'t>) -> bool {
        inner.kind() == "do_loop" && self.do_label(outer).is_some_and(|l| self.do_label(inner).as_deref() == Some(&l))
    }

    /// The labelled statement that ends a loop, which for shared labels hangs at the outermost loop in the tree.
    fn terminal(&self, node: Node<'t>) -> Option<Node<'t>> {
        let label = self.do_label(node)?;
        let mut at = node;
        for _ in 0..200 {
            let end = child(at, "end_do_label_loop_statement")?;
            if let Some(s) = named(end).into_iter().find(|c| !matches!(c.kind(), "do_label_virtual" | "statement_label" | "block_label")) {
                return Some(s);
            }
            if !named(end).iter().any(|c| c.kind() == "do_label_virtual") {
                return None;
            }
            at = at.parent()?;
            while at.kind() != "do_loop" {
                at = at.parent()?;
            }
            if self.do_label(at).as_deref() != Some(label.as_str()) {
                return None;
            }
        }
        None
    }

    fn while_loop(&mut self, node: Node<'t>, w: Node<'t>, name: &str) -> Lowered<()> {
        let Some(condition) = child(w, "parenthesized_expression") else { return Err(self.refuse(w, "OB3034", "malformed DO WHILE")) };
        if !self.calls_units(condition) {
            let v = self.expr(condition)?;
            self.logical(&v, condition)?;
            let Some(g) = &mut self.cur.graph else { return Ok(()) };
            let v = g.begin_while(v.e);
            self.describe(v, node, name);
            return Ok(());
        }
        // What the condition calls is called before each test, so the test stands inside the loop.
        let Some(g) = &mut self.cur.graph else { return Ok(()) };
        let v = g.begin_while(Expr::bool(true));
        self.describe(v, node, name);
        let value = self.expr(condition);
        self.flush_after();
        let condition_value = match &value {
            Ok(v) => self.negated(v.e.clone()),
            Err(_) => Expr::bool(true),
        };
        if let Some(g) = &mut self.cur.graph {
            g.begin_branch(condition_value);
            g.arm(&[1]);
            g.jump_break(0);
            g.end_branch();
            if value.is_err() {
                // The unit is refused anyhow; the graph stays well-formed.
                g.end_loop();
            }
        }
        let v = value?;
        if self.logical(&v, condition).is_err() {
            if let Some(g) = &mut self.cur.graph {
                g.end_loop();
            }
            return self.logical(&v, condition);
        }
        Ok(())
    }
}
