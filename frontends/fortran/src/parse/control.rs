//! Control flow: branches, jumps, labels.
//!
//! Lives here: constructs of the text to vertices and edges. Never here: loops (see `loops`), statements without control flow.

use super::expressions::combine;
use super::scope::{Construct, Lower, Lowered};
use super::tree::{MAX_NESTING, child, children, named};
use tree_sitter::Node;
use xaif::model::*;

/// Children that end or head a construct and are no statements.
pub(super) fn is_bracket(kind: &str) -> bool {
    kind.starts_with("end_")
        || matches!(
            kind,
            "statement_label"
                | "block_label_start_expression"
                | "do_statement"
                | "parenthesized_expression"
                | "selector"
                | "block_label"
                | "case_value_range_list"
                | "default"
                | "statement_label_reference"
                | "association_list"
                | "contains_statement"
        )
}

impl<'t> Lower<'t> {
    /// Statements in a row, each on its own: a refusal ends none but the statement it is about.
    pub fn statements(&mut self, nodes: &[Node<'t>], refusals: &mut Vec<xaif::Diagnostic>) {
        for &n in nodes {
            if let Err(r) = self.statement(n, refusals) {
                refusals.push(*r);
            }
        }
    }

    /// Puts the label of a row here if something jumps to it.
    fn put_label(&mut self, node: Node<'t>) {
        let label = self.file().label(node).to_string();
        if !label.is_empty()
            && self.cur.targets.contains(&label)
            && let Some(g) = &mut self.cur.graph
        {
            g.label(label);
        }
    }

    /// A statement of any kind.
    pub fn statement(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        if is_bracket(node.kind()) || matches!(node.kind(), "format_statement" | ";") || !node.is_named() {
            return Ok(());
        }
        if self.cur.constructs.len() > MAX_NESTING {
            return Err(self.refuse(node, "OB3005", "constructs nest too deeply"));
        }
        let first_on_row =
            children(node).is_empty() || node.parent().is_none_or(|p| p.start_position().row != node.start_position().row || !is_inline(p));
        self.cur.statement = Some(node);
        if first_on_row {
            self.put_label(node);
            self.cur.comment = self.file().comment(node);
        }
        match node.kind() {
            "if_statement" => self.if_statement(node, refusals),
            "arithmetic_if_statement" => self.arithmetic_if(node),
            "do_loop" => self.do_loop(node, refusals),
            "select_case_statement" => self.select_case(node, refusals),
            "keyword_statement" => self.keyword(node),
            "associate_statement" => self.associate(node, refusals),
            "block_construct" => self.block(node, refusals),
            "select_type_statement" => Err(self.refuse(node, "OB3027", "SELECT TYPE")),
            "select_rank_statement" => Err(self.refuse(node, "OB3027", "SELECT RANK")),
            "assign_statement" => Err(self.refuse(node, "OB3036", "ASSIGN of a label")),
            "entry_statement" => Err(self.refuse(node, "OB3024", "ENTRY")),
            "include_statement" => Err(self.include(node)),
            "call_expression" => Err(self.refuse(node, "OB3001", "syntax error: this is no statement")),
            "coarray_team_statement" | "coarray_critical_statement" => Err(self.refuse(node, "OB3026", "coarray statement")),
            _ => self.simple(node),
        }
    }

    /// Sets comment, text and place of a vertex.
    pub fn describe(&mut self, v: VertexId, head: Node<'t>, name: &str) {
        let file = self.file();
        let row = head.start_position().row;
        let span = file.row_span(row);
        let text = file.spliced.lines.get(row).map_or(String::new(), |l| l.text.clone());
        let comment = std::mem::take(&mut self.cur.comment);
        if let Some(g) = &mut self.cur.graph {
            let v = g.vertex_mut(v);
            v.span = span;
            v.line = span.line;
            v.text = text.into();
            v.comment = comment.into();
            v.label = name.into();
        }
    }

    pub fn construct_name(&self, node: Node<'t>) -> String {
        child(node, "block_label_start_expression").and_then(|b| child(b, "label")).map_or(String::new(), |l| self.lower(l))
    }

    fn condition(&mut self, node: Node<'t>) -> Lowered<Expr> {
        let v = self.expr(node)?;
        self.logical(&v, node)?;
        if v.rank > 0 {
            return Err(self.refuse(node, "OB3043", "the condition must be a scalar"));
        }
        Ok(v.e)
    }

    fn if_statement(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
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
    fn close_branches(&mut self, at: usize, node: Node<'t>) {
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
    pub fn in_variable(&mut self, stem: &str, v: super::expressions::Val, node: Node<'t>) -> Expr {
        if v.e.as_constant().is_some() || v.e.as_var().is_some_and(|r| r.subscripts.is_empty()) {
            return v.e;
        }
        let t = self.temp(stem, v.ty, &super::hoist::type_text(v.ty), Vec::new(), false, self.file().span(node));
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e }, node, true);
        Expr::sym(t)
    }

    fn arithmetic_if(&mut self, node: Node<'t>) -> Lowered<()> {
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

    /// Goes to a label: on to the next iteration where the label ends a loop that is open, else a jump.
    fn goto(&mut self, label: &str, _node: Node<'t>) -> Lowered<()> {
        let loops: Vec<&Construct> = self.cur.constructs.iter().rev().filter(|c| c.is_loop).collect();
        let outward = loops.iter().position(|c| c.label == label && c.label_is_empty);
        let Some(g) = &mut self.cur.graph else { return Ok(()) };
        match outward {
            Some(k) => g.jump_continue(k),
            None => g.jump_goto(label),
        }
        Ok(())
    }

    fn keyword(&mut self, node: Node<'t>) -> Lowered<()> {
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

    /// SELECT CASE: a switch where all values are integers, else a chain of tests.
    fn select_case(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        let name = self.construct_name(node);
        let Some(selector) = child(node, "selector").and_then(|s| named(s).first().copied()) else {
            return Err(self.refuse(node, "OB3034", "malformed SELECT CASE"));
        };
        let v = self.expr(selector)?;
        let cases: Vec<Node> = named(node).into_iter().filter(|c| c.kind() == "case_statement").collect();
        let mut arms: Vec<(Node, Option<Vec<Node>>)> = Vec::new();
        for c in &cases {
            arms.push((*c, child(*c, "case_value_range_list").map(named)));
        }
        let values = |l: &Self, nodes: &[Node<'t>]| nodes.iter().map(|n| l.const_int(*n)).collect::<Option<Vec<i64>>>();
        let integer = v.ty.base == BaseType::Integer
            && arms.iter().all(|(_, list)| list.as_ref().is_none_or(|l| values(self, l).is_some_and(|v| !v.is_empty())));
        let at = self.cur.constructs.len();
        let mut construct = Construct { is_loop: false, branches: 1, name: name.clone(), label: String::new(), label_is_empty: false };
        if integer {
            self.flush_after();
            let Some(g) = &mut self.cur.graph else { return Ok(()) };
            let branch = g.begin_branch(v.e);
            self.describe(branch, node, &name);
            self.cur.constructs.push(construct);
            for (case, list) in arms {
                let values = list.map(|l| values(self, &l).unwrap_or_default()).unwrap_or_default();
                if let Some(g) = &mut self.cur.graph {
                    g.arm(&values);
                }
                self.case_body(case, refusals);
            }
            self.close_branches(at, node);
            return Ok(());
        }
        // The default comes last in a chain, wherever it stands.
        arms.sort_by_key(|(_, list)| list.is_none());
        if arms.len() > MAX_NESTING {
            return Err(self.refuse(node, "OB3005", "too many cases with ranges"));
        }
        let ty = v.ty;
        if ty.base == BaseType::String && v.e.as_var().is_none_or(|r| !r.subscripts.is_empty()) {
            return Err(self.refuse(selector, "OB3044", "text expression"));
        }
        let s = self.in_variable("case", v, selector);
        self.flush_after();
        construct.branches = 0;
        self.cur.constructs.push(construct);
        let value = super::expressions::Val::new(s, ty, 0);
        let mut result = Ok(());
        for (k, (case, list)) in arms.into_iter().enumerate() {
            if k > 0
                && let Some(g) = &mut self.cur.graph
            {
                g.arm(&[]);
            }
            if let Some(list) = list {
                match self.case_test(&value, &list, case) {
                    Ok(test) => {
                        if let Some(g) = &mut self.cur.graph {
                            let b = g.begin_branch(test);
                            g.arm(&[1]);
                            self.describe(b, if k == 0 { node } else { case }, if k == 0 { &name } else { "" });
                        }
                        self.cur.constructs[at].branches += 1;
                    }
                    Err(r) => {
                        result = Err(r);
                        break;
                    }
                }
            }
            self.case_body(case, refusals);
        }
        self.close_branches(at, node);
        result
    }

    fn case_body(&mut self, case: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) {
        let body: Vec<Node> = named(case).into_iter().filter(|n| !is_bracket(n.kind())).collect();
        self.statements(&body, refusals);
    }

    fn case_test(&mut self, value: &super::expressions::Val, list: &[Node<'t>], case: Node<'t>) -> Lowered<Expr> {
        let mut test: Option<Expr> = None;
        for n in list {
            let one = if n.kind() == "extent_specifier" {
                let mut ends = [None, None];
                let mut colon = 0;
                for c in children(*n) {
                    match c.is_named() {
                        true if colon < 2 => ends[colon] = Some(c),
                        _ => colon += usize::from(c.kind() == ":"),
                    }
                }
                let mut both = None;
                for (end, sign) in ends.into_iter().zip([">=", "<="]) {
                    let Some(end) = end else { continue };
                    let b = self.expr(end)?;
                    let t = self.apply(sign, value.clone(), b, end)?.e;
                    both = Some(match both {
                        None => t,
                        Some(e) => combine(NodeKind::Bool(BoolOp::And), [e, t]),
                    });
                }
                both.ok_or_else(|| self.refuse(*n, "OB3039", "a case without values"))?
            } else {
                let b = self.expr(*n)?;
                let sign = if value.ty.base == BaseType::Bool { ".eqv." } else { "==" };
                self.apply(sign, value.clone(), b, *n)?.e
            };
            test = Some(match test {
                None => one,
                Some(e) => combine(NodeKind::Bool(BoolOp::Or), [e, one]),
            });
        }
        test.ok_or_else(|| self.refuse(case, "OB3039", "a case without values"))
    }

    /// An INCLUDE line that is none in this source form.
    pub fn include(&self, node: Node<'t>) -> super::scope::Refusal {
        let mut d = *self.refuse(node, "OB3004", "INCLUDE line");
        d.help = Some("put the included text in its place, or make it a module".into());
        Box::new(d)
    }
}

/// Whether a node is a one-line IF or WHERE, whose inner statement stands on the same row.
fn is_inline(node: Node) -> bool {
    node.kind() == "if_statement"
}

/// A label without leading zeros and blanks.
pub(super) fn label_text(text: &str) -> String {
    text.trim().trim_start_matches('0').to_string()
}
