//! SELECT CASE.
//!
//! Lives here: the construct and its tests. Never here: IF.

use crate::parse::context::state::{Construct, Lower, Lowered};
use crate::parse::context::terms::{Val, combine};
use crate::parse::text::tree::{MAX_NESTING, child, children, is_bracket, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// SELECT CASE: a switch where all values are integers, else a chain of tests.
    pub fn select_case(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
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
        let value = Val::new(s, ty, 0);
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

    fn case_test(&mut self, value: &Val, list: &[Node<'t>], case: Node<'t>) -> Lowered<Expr> {
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
}
