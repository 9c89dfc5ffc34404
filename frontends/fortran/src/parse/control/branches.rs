//! Branches: IF in all its forms.
//!
//! Lives here: constructs of the text to vertices and edges. Never here: SELECT CASE, loops.

use crate::parse::context::state::{Construct, Lower, Lowered};
use crate::parse::context::terms::{Val, combine, type_text};
use crate::parse::text::tree::{MAX_NESTING, children, is_bracket, label_text, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    fn condition(&mut self, node: Node<'t>) -> Lowered<Expr> {
        let v = self.expr(node)?;
        self.logical(&v, node)?;
        if v.rank > 0 {
            return Err(self.refuse(node, "OB3043", "the condition must be a scalar"));
        }
        Ok(v.e)
    }

    /// IF as a statement or a construct.
    pub fn if_statement(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        let parts = named(node);
        let Some(condition) = parts.iter().copied().find(|c| c.kind() == "parenthesized_expression") else {
            return Err(self.refuse(node, "OB3034", "malformed IF"));
        };
        let inline = !self.has_word(node, "then");
        let name = self.construct_name(node);
        let e = self.condition(condition)?;
        self.flush_after();
        let Some(g) = &mut self.cur.graph else { return Ok(()) };
        let v = g.begin_branch(e);
        g.arm(&[1]);
        self.describe(v, node, &name);
        let at = self.cur.constructs.len();
        self.cur.constructs.push(Construct { is_loop: false, branches: 1, name, label: String::new(), label_is_empty: false });
        let body: Vec<Node> = parts
            .iter()
            .copied()
            .filter(|c| *c != condition && !matches!(c.kind(), "elseif_clause" | "else_clause") && !is_bracket(c.kind()))
            .collect();
        if inline {
            // The comment belongs to the branch.
            for b in body {
                if let Err(r) = self.statement(b, refusals) {
                    refusals.push(*r);
                }
            }
        } else {
            self.statements(&body, refusals);
        }
        let mut result = Ok(());
        for clause in parts.iter().copied().filter(|c| matches!(c.kind(), "elseif_clause" | "else_clause")) {
            if let Some(g) = &mut self.cur.graph {
                g.arm(&[]);
            }
            let mut body = named(clause);
            if clause.kind() == "elseif_clause" {
                if self.cur.constructs.iter().map(|c| c.branches).sum::<usize>() > 2 * MAX_NESTING {
                    result = Err(self.refuse(clause, "OB3005", "too many ELSE IF"));
                    break;
                }
                let Some(c) = body.iter().copied().find(|c| c.kind() == "parenthesized_expression") else { continue };
                body.retain(|b| *b != c);
                self.cur.statement = Some(clause);
                self.cur.comment = self.file().comment(clause);
                match self.condition(c) {
                    Ok(e) => {
                        self.flush_after();
                        if let Some(g) = &mut self.cur.graph {
                            let v = g.begin_branch(e);
                            g.arm(&[1]);
                            self.describe(v, clause, "");
                        }
                        self.cur.constructs[at].branches += 1;
                    }
                    Err(r) => refusals.push(*r),
                }
            }
            body.retain(|b| !is_bracket(b.kind()));
            self.statements(&body, refusals);
        }
        self.close_branches(at, node);
        result
    }

    /// Ends a construct with all the branches it opened. A label on the end statement belongs inside.
    pub fn close_branches(&mut self, at: usize, node: Node<'t>) {
        if let Some(end) = children(node).into_iter().rev().find(|c| c.kind().starts_with("end_")) {
            self.put_label(end);
        }
        let n = self.cur.constructs.get(at).map_or(0, |c| c.branches);
        self.cur.constructs.truncate(at);
        if let Some(g) = &mut self.cur.graph {
            for _ in 0..n {
                g.end_branch();
            }
        }
    }

    /// A value in a variable, unless it is one (or a constant) already.
    pub fn in_variable(&mut self, stem: &str, v: Val, node: Node<'t>) -> Expr {
        if v.e.as_constant().is_some() || v.e.as_var().is_some_and(|r| r.subscripts.is_empty()) {
            return v.e;
        }
        let t = self.temp(stem, v.ty, &type_text(v.ty), Vec::new(), false, self.file().span(node));
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e }, node, true);
        Expr::sym(t)
    }

    /// `if (x) 10, 20, 30`.
    pub fn arithmetic_if(&mut self, node: Node<'t>) -> Lowered<()> {
        let parts = named(node);
        let labels: Vec<String> =
            parts.iter().filter(|c| c.kind() == "statement_label_reference").map(|c| label_text(&self.lower(*c))).collect();
        let (Some(condition), [negative, zero, positive]) = (parts.first().copied(), &labels[..]) else {
            return Err(self.refuse(node, "OB3034", "malformed arithmetic IF"));
        };
        let v = self.expr(condition)?;
        self.numeric(&v, condition)?;
        let null = if v.ty.base == BaseType::Integer { Expr::int(0) } else { Expr::real(0.0, v.ty.bits) };
        let e = self.in_variable("test", v, condition);
        self.flush_after();
        let relation = |o: BoolOp| combine(NodeKind::Bool(o), [e.clone(), null.clone()]);
        // One test where two of the three labels are the same.
        let first = if zero == positive {
            Some((relation(BoolOp::LessThan), negative, zero))
        } else if negative == zero {
            Some((relation(BoolOp::LessOrEqual), negative, positive))
        } else if negative == positive {
            Some((relation(BoolOp::Equal), zero, negative))
        } else {
            None
        };
        if let Some((condition, yes, no)) = first {
            let Some(g) = &mut self.cur.graph else { return Ok(()) };
            let v = g.begin_branch(condition);
            g.arm(&[1]);
            self.describe(v, node, "");
            self.goto(yes, node)?;
            if let Some(g) = &mut self.cur.graph {
                g.end_branch();
            }
            return self.goto(no, node);
        }
        for (condition, label) in [(relation(BoolOp::LessThan), negative), (relation(BoolOp::Equal), zero)] {
            let Some(g) = &mut self.cur.graph else { return Ok(()) };
            let v = g.begin_branch(condition);
            g.arm(&[1]);
            self.describe(v, node, "");
            self.goto(label, node)?;
            if let Some(g) = &mut self.cur.graph {
                g.end_branch();
            }
        }
        self.goto(positive, node)
    }
}
