//! DO CONCURRENT as loops.
//!
//! Lives here: its indices and the variables that are its own. Never here: other loops.

use super::counted::Counter;
use crate::parse::context::state::{Construct, Lower, Lowered};
use crate::parse::context::terms::{Val, type_text};
use crate::parse::text::tree::{child, field, is_bracket, named, walk};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// DO CONCURRENT as nested loops: the order of the iterations does not matter.
    pub fn concurrent(&mut self, node: Node<'t>, c: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        let Some(header) = child(c, "concurrent_header") else { return Err(self.refuse(c, "OB3034", "malformed DO CONCURRENT")) };
        let own = self.own_of_concurrent(c, header)?;
        if let Some(frame) = own {
            self.cur.frames.push(frame);
            let result = self.concurrent_nest(node, header, refusals);
            self.cur.frames.pop();
            return result;
        }
        self.concurrent_nest(node, header, refusals)
    }

    /// The variables that DO CONCURRENT has for itself: indices with a type, LOCAL and LOCAL_INIT.
    fn own_of_concurrent(&mut self, c: Node<'t>, header: Node<'t>) -> Lowered<Option<rustc_hash::FxHashMap<String, Val>>> {
        let mut names: Vec<Node<'t>> = Vec::new();
        let mut frame = self.cur.frames.last().cloned().unwrap_or_default();
        let typed = field(header, "type");
        if let Some(t) = typed {
            let spec = self.type_spec(t)?;
            if spec.ty != ElemType::INTEGER {
                return Err(self.refuse(t, "OB3034", "DO CONCURRENT over other than default integers"));
            }
        }
        let mut renamed = false;
        for k in named(header).into_iter().filter(|n| n.kind() == "concurrent_control") {
            let Some(v) = child(k, "identifier") else { continue };
            // The variable of the same name around keeps its value.
            if typed.is_some() || self.used_outside(v) {
                renamed = true;
                let i = self.temp(&self.lower(v), ElemType::INTEGER, "integer", Vec::new(), false, self.file().span(v));
                frame.insert(self.lower(v), Val::new(Expr::sym(i), ElemType::INTEGER, 0));
            }
        }
        for l in named(c).into_iter().filter(|l| l.kind() == "concurrent_locality") {
            match self.lower(l).split(['(', ' ']).next() {
                Some("local") => names.extend(named(l)),
                Some("shared" | "default") => {}
                _ => return Err(self.refuse(l, "OB3034", "DO CONCURRENT with LOCAL_INIT or REDUCE")),
            }
        }
        if names.is_empty() && !renamed {
            return Ok(None);
        }
        for n in names {
            let of = self.variable(n)?;
            let s = self.p.symbol(of);
            if s.rank > 0 || !matches!(s.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool) {
                return Err(self.refuse(n, "OB3034", "DO CONCURRENT with a LOCAL array"));
            }
            let ty = s.ty;
            let t = self.temp(&self.lower(n), ty, &type_text(ty), Vec::new(), false, self.file().span(n));
            frame.insert(self.lower(n), Val::new(Expr::sym(t), ty, 0));
        }
        Ok(Some(frame))
    }

    fn concurrent_nest(&mut self, node: Node<'t>, header: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        let name = self.construct_name(node);
        let controls: Vec<Node> = named(header).into_iter().filter(|n| n.kind() == "concurrent_control").collect();
        let mut depth = 0;
        let mut result = Ok(());
        for k in &controls {
            let (Some(variable), Some(from), Some(to)) = (child(*k, "identifier"), field(*k, "initial"), field(*k, "final")) else {
                continue;
            };
            let counter = Counter { variable, from, to, by: field(*k, "step") };
            result = self.counted_loop(node, *k, counter, if depth == 0 { &name } else { "" });
            if result.is_err() {
                break;
            }
            depth += 1;
            let inner = Construct { is_loop: true, branches: 0, name: String::new(), label: String::new(), label_is_empty: false };
            self.cur.constructs.push(inner);
        }
        // CYCLE goes on with the innermost loop, which is right for all of them; EXIT may not be used.
        if let Some(last) = self.cur.constructs.last_mut().filter(|_| depth > 0) {
            last.name = name;
        }
        let mut masked = false;
        if result.is_ok()
            && let Some(m) = child(header, "concurrent_mask").and_then(|m| named(m).first().copied())
        {
            match self.expr(m) {
                Ok(v) if v.ty.base == BaseType::Bool && v.rank == 0 => {
                    self.flush_after();
                    if let Some(g) = &mut self.cur.graph {
                        g.begin_branch(v.e);
                        g.arm(&[1]);
                        masked = true;
                    }
                }
                Ok(_) => result = Err(self.refuse(m, "OB3043", "a truth value is needed here")),
                Err(e) => result = Err(e),
            }
        }
        if result.is_ok() {
            let body: Vec<Node> = named(node).into_iter().filter(|n| !is_bracket(n.kind())).collect();
            self.statements(&body, refusals);
        }
        if let Some(g) = &mut self.cur.graph {
            if masked {
                g.end_branch();
            }
            for _ in 0..depth {
                g.end_loop();
            }
        }
        let left = self.cur.constructs.len() - depth;
        self.cur.constructs.truncate(left);
        result
    }

    /// Whether a name is used where no loop over it is open: after DO CONCURRENT it would have to have its old value.
    pub fn used_outside(&self, variable: Node<'t>) -> bool {
        let name = self.lower(variable);
        let unit = self.procs[self.cur.proc].node;
        let over = |l: Node<'t>| {
            let mut found = false;
            if let Some(head) = child(l, "do_statement") {
                walk(head, &mut |n| {
                    let heads = matches!(n.kind(), "loop_control_expression" | "concurrent_control");
                    found |= heads && named(n).first().is_some_and(|v| self.lower(*v) == name);
                    !found
                });
            }
            found
        };
        let mut outside = false;
        walk(unit, &mut |n| {
            if n.kind() == "do_loop" && over(n) || matches!(n.kind(), "variable_declaration" | "variable_modification") {
                return false;
            }
            outside |= n.kind() == "identifier" && self.lower(n) == name;
            !outside
        });
        outside
    }
}
