//! Jumps: GOTO in all its forms, EXIT, CYCLE, RETURN.
//!
//! Lives here: where one leads. Never here: the constructs that it leaves.

use crate::parse::context::state::{Construct, Lower, Lowered};
use crate::parse::text::tree::{children, label_text, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Goes to a label: on to the next iteration where the label ends a loop that is open, else a jump.
    pub fn goto(&mut self, label: &str, _node: Node<'t>) -> Lowered<()> {
        let loops: Vec<&Construct> = self.cur.constructs.iter().rev().filter(|c| c.is_loop).collect();
        let outward = loops.iter().position(|c| c.label == label && c.label_is_empty);
        let Some(g) = &mut self.cur.graph else { return Ok(()) };
        match outward {
            Some(k) => g.jump_continue(k),
            None => g.jump_goto(label),
        }
        Ok(())
    }

    /// Statements of one keyword: jumps and CONTINUE.
    pub fn keyword(&mut self, node: Node<'t>) -> Lowered<()> {
        let word = children(node).first().map(|c| self.lower(*c)).unwrap_or_default();
        let name = named(node).into_iter().find(|c| c.kind() == "identifier");
        match word.as_str() {
            "continue" => Ok(()),
            "return" => {
                if let Some(e) = named(node).first() {
                    let mut d = *self.refuse(*e, "OB3025", "alternate return");
                    d.help = Some("return a status argument and branch on it".into());
                    return Err(Box::new(d));
                }
                if let Some(g) = &mut self.cur.graph {
                    g.jump_return();
                }
                Ok(())
            }
            "cycle" | "exit" => {
                let wanted = name.map(|n| self.lower(n));
                let open: Vec<Construct> = self.cur.constructs.iter().rev().cloned().collect();
                let (mut loops, mut branches) = (0, 0);
                for c in open {
                    let matches = match &wanted {
                        Some(w) => c.name == *w,
                        None => c.is_loop,
                    };
                    let Some(g) = &mut self.cur.graph else { return Ok(()) };
                    if matches {
                        match (c.is_loop, word.as_str()) {
                            (true, "cycle") => g.jump_continue(loops),
                            (true, _) => g.jump_break(loops),
                            (false, "exit") => g.jump_break_branch(branches + c.branches.saturating_sub(1)),
                            _ => break,
                        }
                        return Ok(());
                    }
                    if c.is_loop {
                        loops += 1;
                    }
                    branches += c.branches;
                }
                Err(self.refuse(node, "OB3036", format!("`{word}` has no construct to go with")))
            }
            _ => {
                let labels: Vec<String> = children(node)
                    .iter()
                    .filter(|c| c.kind() == "statement_label_reference")
                    .map(|c| label_text(&self.lower(*c)))
                    .collect();
                let selector = named(node).into_iter().find(|c| c.kind() != "statement_label_reference");
                match (&labels[..], selector) {
                    ([label], None) => self.goto(&label.clone(), node),
                    (_, Some(s))
                        if labels.len() < 200
                            && s.start_byte() > children(node).iter().find(|c| c.kind() == "(").map_or(0, |p| p.start_byte()) =>
                    {
                        let v = self.expr(s)?;
                        if v.ty.base != BaseType::Integer {
                            return Err(self.refuse(s, "OB3043", "an integer is needed here"));
                        }
                        self.flush_after();
                        let Some(g) = &mut self.cur.graph else { return Ok(()) };
                        let branch = g.begin_branch(v.e);
                        self.describe(branch, node, "");
                        // Inside, the branch is open, but no loop is: the jumps count loops only.
                        for (k, l) in labels.iter().enumerate() {
                            if let Some(g) = &mut self.cur.graph {
                                g.arm(&[k as i64 + 1]);
                            }
                            self.goto(l, node)?;
                        }
                        if let Some(g) = &mut self.cur.graph {
                            g.end_branch();
                        }
                        Ok(())
                    }
                    _ => Err(self.refuse(node, "OB3036", "assigned GOTO")),
                }
            }
        }
    }
}
