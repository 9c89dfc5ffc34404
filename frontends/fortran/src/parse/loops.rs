//! Loops: DO in all its forms.
//!
//! Lives here: counted and other loops, what a loop's body may change. Never here: branches, jumps.

use super::control::is_bracket;
use super::expressions::{Val, combine, op};
use super::scope::{Construct, Lower, Lowered};
use super::tree::{child, children, field, named, walk};
use arcstr::ArcStr;
use rustc_hash::FxHashSet;
use tree_sitter::Node;
use xaif::model::*;

/// What a loop's body may change.
#[derive(Default)]
struct Changes {
    names: FxHashSet<String>,
    /// Something is called, which may change what is not local.
    calls: bool,
}

impl<'t> Lower<'t> {
    pub fn do_loop(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        let Some(head) = child(node, "do_statement") else { return Err(self.refuse(node, "OB3034", "malformed DO")) };
        let name = self.construct_name(node);
        let label = field(head, "do_label").map_or(String::new(), |l| super::control::label_text(&self.lower(l)));
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

    /// DO CONCURRENT as nested loops: the order of the iterations does not matter.
    fn concurrent(&mut self, node: Node<'t>, c: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
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
            let t = self.temp(&self.lower(n), ty, &super::hoist::type_text(ty), Vec::new(), false, self.file().span(n));
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
            result = self.counted_loop(node, *k, variable, from, to, field(*k, "step"), if depth == 0 { &name } else { "" });
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
    fn used_outside(&self, variable: Node<'t>) -> bool {
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

    fn do_label(&self, node: Node<'t>) -> Option<String> {
        let head = child(node, "do_statement")?;
        field(head, "do_label").map(|l| super::control::label_text(&self.lower(l)))
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

    /// `do i = e0, e1, e2`.
    fn counted(&mut self, node: Node<'t>, head: Node<'t>, control: Node<'t>, name: &str) -> Lowered<()> {
        let parts = named(control);
        let (Some(&variable), Some(&from), Some(&to)) = (parts.first(), parts.get(1), parts.get(2)) else {
            return Err(self.refuse(control, "OB3034", "malformed DO"));
        };
        let i = self.variable(variable)?;
        if self.p.symbol(i).ty.base == BaseType::Real && self.p.symbol(i).rank == 0 {
            return self.real_loop(node, i, &parts, name);
        }
        self.counted_loop(node, head, variable, from, to, parts.get(3).copied(), name)
    }

    /// `do x = a, b, c` with a real variable, by the count of its iterations.
    ///
    /// ```text
    /// trips = int((b - a + c)/c);  x = a;  do k = 1, trips;  if (k > 1) x = x + c;  ...
    /// ```
    fn real_loop(&mut self, node: Node<'t>, x: SymbolId, parts: &[Node<'t>], name: &str) -> Lowered<()> {
        let s = self.p.symbol(x).clone();
        let variable = parts[0];
        let own = s.scope == self.cur.scope && *s.storage() == Storage::Local;
        if !own || self.used_outside(variable) || self.assigned_directly(node, &s.name.to_ascii_lowercase()).is_some() {
            let mut d =
                *self.refuse(variable, "OB3041", format!("the loop variable `{}` is no integer, and used outside of loops", s.name));
            d.help = Some("count with an integer and compute the real value from it".into());
            return Err(Box::new(d));
        }
        let span = self.file().span(variable);
        let mut values = Vec::new();
        for (n, stem) in parts[1..].iter().zip(["first", "last", "step"]) {
            let v = self.expr(*n)?;
            self.numeric(&v, *n)?;
            if v.rank > 0 {
                return Err(self.refuse(*n, "OB3041", "a bound of the loop is no number"));
            }
            let v = self.converted(v, s.ty);
            values.push(match v.e.as_constant() {
                Some(_) => v.e,
                None => {
                    let t = self.temp(stem, s.ty, &super::hoist::type_text(s.ty), Vec::new(), false, span);
                    self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e }, *n, true);
                    Expr::sym(t)
                }
            });
        }
        if values.len() == 2 {
            values.push(Expr::real(1.0, s.ty.bits));
        }
        let [first, last, step] = &values[..] else { return Err(self.refuse(node, "OB3034", "malformed DO")) };
        let way = op("sub_scal_scal", "", None, [last.clone(), first.clone()]);
        let count = op("div_scal_scal", "", None, [op("add_scal_scal", "", None, [way, step.clone()]), step.clone()]);
        let count = op("int_scal", "int", Some(ElemType::INTEGER), [count]);
        let trips = self.temp("trips", ElemType::INTEGER, "integer", Vec::new(), false, span);
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(trips), rhs: count }, variable, true);
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(x), rhs: first.clone() }, variable, true);
        self.flush_after();
        let k = self.temp("k", ElemType::INTEGER, "integer", Vec::new(), false, span);
        let assign = |rhs| {
            let mut s = Stmt::assign(VarRef::whole(k), rhs);
            (s.span, s.line) = (span, span.line);
            s
        };
        let head = ForLoop {
            explicit: false,
            init: assign(Expr::int(1)),
            condition: combine(NodeKind::Bool(BoolOp::LessOrEqual), [Expr::sym(k), Expr::sym(trips)]),
            update: assign(op("add_scal_scal", "", None, [Expr::sym(k), Expr::int(1)])),
            counted: true,
        };
        if let Some(g) = &mut self.cur.graph {
            let v = g.begin_for(head);
            self.describe(v, node, name);
        }
        self.open_test(combine(NodeKind::Bool(BoolOp::GreaterThan), [Expr::sym(k), Expr::int(1)]));
        let rhs = op("add_scal_scal", "", None, [Expr::sym(x), step.clone()]);
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(x), rhs }, variable, true);
        self.close_test();
        Ok(())
    }

    #[allow(clippy::too_many_arguments)] // the parts of one head
    fn counted_loop(
        &mut self,
        node: Node<'t>,
        head: Node<'t>,
        variable: Node<'t>,
        from: Node<'t>,
        to: Node<'t>,
        by: Option<Node<'t>>,
        name: &str,
    ) -> Lowered<()> {
        let i = self.variable(variable)?;
        let s = self.p.symbol(i);
        if s.ty.base != BaseType::Integer || s.rank > 0 {
            let mut d = *self.refuse(variable, "OB3041", format!("the loop variable `{}` is no integer", s.name));
            d.help = Some("count with an integer and compute the real value from it".into());
            return Err(Box::new(d));
        }
        let stem = s.name.to_ascii_lowercase();
        let changes = self.changes(node);
        if let Some(at) = self.assigned_directly(node, &stem) {
            return Err(self.refuse(at, "OB3041", format!("the loop variable `{stem}` is changed in the loop")));
        }
        let e0 = self.expr(from)?;
        let e1 = self.expr(to)?;
        let step = match by {
            Some(n) => Some((self.expr(n)?, self.const_int(n), n)),
            None => None,
        };
        for (v, n) in [(&e0, from), (&e1, to)].into_iter().chain(step.iter().map(|(v, _, n)| (v, *n))) {
            if v.ty.base != BaseType::Integer || v.rank > 0 {
                return Err(self.refuse(n, "OB3041", "a bound of the loop is no integer"));
            }
        }
        if let Some((_, Some(0), n)) = &step {
            return Err(self.refuse(*n, "OB3041", "the step is zero"));
        }
        let init = self.stable(e0, &stem, &changes, i, from, false);
        let last = self.stable(e1, &format!("{stem}_last"), &changes, i, to, true);
        let (step, sign) = match step {
            None => (Expr::int(1), Some(1)),
            Some((_, Some(1), _)) => (Expr::int(1), Some(1)),
            // A named constant keeps its name.
            Some((v, Some(k), _)) => (if v.e.as_var().is_some() { v.e } else { Expr::int(k) }, Some(k.signum())),
            Some((v, None, n)) => (self.stable(v, &format!("{stem}_step"), &changes, i, n, true), None),
        };
        self.flush_after();
        let condition = ForLoop::within(&Expr::sym(i), &last, &step, sign);
        let span = self.file().span(head);
        let text = ArcStr::from(self.file().squeezed(head));
        let assign = |rhs| {
            let mut s = Stmt::assign(VarRef::whole(i), rhs);
            (s.span, s.line, s.text) = (span, span.line, text.clone());
            s
        };
        let update = op("add_scal_scal", "", None, [Expr::sym(i), step]);
        let head = ForLoop { explicit: false, init: assign(init), condition, update: assign(update), counted: true };
        if let Some(g) = &mut self.cur.graph {
            let v = g.begin_for(head);
            self.describe(v, node, name);
        }
        Ok(())
    }

    /// A bound that is evaluated once: a variable of its own where the loop may change what it reads.
    fn stable(&mut self, v: Val, stem: &str, changes: &Changes, i: SymbolId, node: Node<'t>, again: bool) -> Expr {
        let mut stable = true;
        v.e.for_each_ref(&mut |r| {
            let s = self.p.symbol(r.symbol);
            if *s.storage() == Storage::Constant {
                return;
            }
            let own =
                s.scope == self.cur.scope && matches!(s.storage(), Storage::Local | Storage::Argument) && s.kind == SymbolKind::Variable;
            let aliased = s.decl.as_ref().is_some_and(|d| d.may_alias);
            // A component changes with its structure.
            let name = s.name.to_ascii_lowercase();
            let changed = r.symbol == i || changes.names.contains(name.split('%').next().unwrap_or_default()) || aliased;
            stable &= !changed && (own || !changes.calls);
        });
        if stable || !again {
            return v.e;
        }
        let t = self.temp(stem, v.ty, &super::hoist::type_text(v.ty), Vec::new(), false, self.file().span(node));
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e }, node, true);
        Expr::sym(t)
    }

    /// What the statements of a loop may change, by name.
    fn changes(&self, node: Node<'t>) -> Changes {
        let mut c = Changes::default();
        let add = |c: &mut Changes, n: Node<'t>| {
            walk(n, &mut |n| {
                if n.kind() == "identifier" {
                    c.names.insert(self.lower(n));
                }
                true
            });
        };
        // An associated name stands for its variable.
        for frame in &self.cur.frames {
            for v in frame.values() {
                v.e.for_each_ref(&mut |r| {
                    c.names.insert(self.p.symbol(r.symbol).name.to_ascii_lowercase());
                });
            }
        }
        walk(node, &mut |n| {
            match n.kind() {
                "assignment_statement" => {
                    if let Some(l) = field(n, "left") {
                        let base = if l.kind() == "call_expression" { named(l).first().copied() } else { Some(l) };
                        if let Some(b) = base {
                            add(&mut c, b);
                        }
                    }
                }
                "loop_control_expression" => {
                    if let Some(v) = named(n).first() {
                        c.names.insert(self.lower(*v));
                    }
                }
                "subroutine_call" => {
                    c.calls = true;
                    add(&mut c, n);
                }
                "read_statement"
                | "write_statement"
                | "inquire_statement"
                | "open_statement"
                | "close_statement"
                | "allocate_statement"
                | "deallocate_statement"
                | "pointer_association_statement"
                | "nullify_statement"
                | "associate_statement"
                | "assign_statement" => add(&mut c, n),
                "call_expression" if self.calls_units(n) => {
                    c.calls = true;
                    add(&mut c, n);
                }
                _ => {}
            }
            true
        });
        c
    }

    /// The statement that assigns to a loop variable inside its loop.
    fn assigned_directly(&self, node: Node<'t>, name: &str) -> Option<Node<'t>> {
        let mut found = None;
        let own = child(node, "do_statement");
        walk(node, &mut |n| {
            if Some(n) == own || found.is_some() {
                return false;
            }
            let target = match n.kind() {
                "assignment_statement" => field(n, "left"),
                "loop_control_expression" if n.parent().is_some_and(|p| p.kind() == "do_statement") => named(n).first().copied(),
                _ => None,
            };
            if target.is_some_and(|t| t.kind() == "identifier" && self.lower(t) == name) {
                found = target;
            }
            true
        });
        found
    }
}
