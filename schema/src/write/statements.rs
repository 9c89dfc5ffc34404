//! Statements of basic blocks and of loop heads.
//!
//! Lives here: assignments, calls, markers, propagators. Never here: how expressions are written.

use super::{Writer, spelled};
use crate::model::*;
use crate::vocabulary::Words;

impl Writer<'_> {
    /// A statement under its id, or under a number where that is not 0.
    pub(super) fn stmt(&mut self, s: &Stmt, number: u32) {
        match &s.kind {
            StmtKind::Assignment { .. } => self.assignment("xaif:Assignment", s, number),
            StmtKind::Call(call) => {
                self.out.open("xaif:SubroutineCall");
                self.statement_id(s, number);
                self.symbol_attrs(call.callee);
                if let Some(n) = self.formal_count(call) {
                    self.out.number("formalArgCount", n);
                }
                self.tri(call.active, &s.extras);
                self.line(s.line);
                if let Some(r) = s.reversal.filter(|_| self.ob) {
                    self.out.attr("ob:reversal", r.word());
                }
                self.ours(s);
                self.arguments(&call.arguments);
                self.out.close();
            }
            StmtKind::Marker(marker) => self.marker(s, marker, number),
            StmtKind::Propagator(entries) => {
                self.out.open("xaif:DerivativePropagator");
                self.out.ob_text("ob:id", &s.id);
                self.ours_with_line(s);
                for e in entries {
                    self.propagation(e);
                }
                self.out.close();
            }
            StmtKind::Runtime { name, arguments } => {
                self.out.open("xaif:InlinableSubroutineCall");
                self.out.attr("subroutine_name", name);
                self.statement_id(s, number);
                self.ours_with_line(s);
                self.arguments(arguments);
                self.out.close();
            }
        }
    }

    fn statement_id(&mut self, s: &Stmt, number: u32) {
        if number > 0 { self.out.count("statement_id", number) } else { self.out.attr("statement_id", &s.id) }
    }

    /// Stock files must have it; only those that never had it go without.
    fn formal_count(&self, call: &Call) -> Option<u32> {
        if call.formal_count.is_some() || !self.ob {
            return call.formal_count;
        }
        let formals = self.program.unit_of_symbol(call.callee).map_or(0, |u| self.program.unit(u).formals.len() as u32);
        Some(call.arguments.iter().map(|a| a.position).fold(formals, u32::max))
    }

    fn line(&mut self, line: u32) {
        if line > 0 || !self.ob {
            self.out.number("lineNumber", line);
        }
    }

    /// What all statements may carry.
    fn ours(&mut self, s: &Stmt) {
        self.place(s.span);
        self.out.ob_text("ob:comment", &s.comment);
        self.out.ob_text("ob:text", &s.text);
        self.extras(&s.extras);
    }

    /// The same for elements without `lineNumber`.
    fn ours_with_line(&mut self, s: &Stmt) {
        if self.ob && s.line > 0 {
            self.out.number("ob:line", s.line);
        }
        self.ours(s);
    }

    /// Assignment, Initialization or Update.
    pub(super) fn assignment(&mut self, element: &'static str, s: &Stmt, number: u32) {
        let StmtKind::Assignment { lhs, rhs } = &s.kind else { return };
        self.out.open(element);
        self.statement_id(s, number);
        if s.do_chain > 0 || !self.ob {
            self.out.number("do_chain", s.do_chain);
        }
        if element == "xaif:Assignment" {
            self.line(s.line);
            self.ours(s);
        } else {
            self.ours_with_line(s);
        }
        self.lone_reference("xaif:AssignmentLHS", lhs);
        self.out.open("xaif:AssignmentRHS");
        self.expression(rhs);
        self.out.close();
        self.out.close();
    }

    fn arguments(&mut self, arguments: &[CallArgument]) {
        for a in arguments {
            self.out.open("xaif:Argument");
            self.out.number("position", a.position);
            if !a.annotation.is_empty() {
                self.out.attr("annotation", &a.annotation);
            }
            self.out.ob_text("ob:keyword", &a.keyword);
            self.extras(&a.extras);
            self.argument(&a.value);
            self.out.close();
        }
    }

    /// Stock XAIF has variables and constants as arguments. For any other expression it sees the first variable in it, so that a
    /// dependence stays visible, or else a constant; the expression itself is ours.
    fn argument(&mut self, value: &Expr) {
        let none = NodeOrigin::default();
        match &value.nodes[..] {
            [Node { kind: NodeKind::Var(r), origin, .. }] => {
                let id = origin.as_ref().map(|o| &*o.vertex_id).filter(|id| !id.is_empty()).unwrap_or("1");
                self.reference("xaif:VariableReference", r, Some(id), origin.as_ref().map_or("", |o| &o.annotation));
            }
            [Node { kind: NodeKind::Const(c), origin, .. }] => {
                let origin = origin.as_deref().unwrap_or(&none);
                let id = if origin.vertex_id.is_empty() { "1" } else { &origin.vertex_id };
                self.constant(id, c, origin);
            }
            _ => {
                match value.refs().next() {
                    Some(r) => self.lone_reference("xaif:VariableReference", r),
                    None => {
                        let fallback = Expr::int(0);
                        self.expression(&fallback);
                    }
                }
                if self.ob {
                    self.out.open("ob:Value");
                    self.expression(value);
                    self.out.close();
                }
            }
        }
    }

    fn marker(&mut self, s: &Stmt, m: &Marker, number: u32) {
        self.out.open("xaif:Marker");
        self.statement_id(s, number);
        self.annotation(&m.annotation);
        if self.ob {
            if m.class != MarkerClass::Unknown {
                self.out.attr("ob:class", m.class.word());
            }
            self.out.ob_text("ob:code", &m.text);
            if m.zeroed {
                self.out.attr("ob:zeroed", "true");
            }
        }
        self.ours_with_line(s);
        if self.ob {
            if let Some(object) = &m.object {
                self.lone_reference("ob:Object", object);
            }
            for (element, list) in [("ob:Reads", &m.reads), ("ob:Writes", &m.writes)] {
                for &symbol in list {
                    self.out.open(element);
                    self.symbol_attrs(symbol);
                    self.out.close();
                }
            }
        }
        self.out.close();
    }

    fn propagation(&mut self, p: &Propagation) {
        let (element, target, source) = match p {
            Propagation::Zero { target } => return self.lone_reference("xaif:ZeroDeriv", target),
            Propagation::Sax { terms, y } => return self.sax("xaif:Sax", terms, y),
            Propagation::Saxpy { terms, y } => return self.sax("xaif:Saxpy", terms, y),
            Propagation::Set { target, source } => ("xaif:SetDeriv", target, source),
            Propagation::SetNeg { target, source } => ("xaif:SetNegDeriv", target, source),
            Propagation::Inc { target, source } => ("xaif:IncDeriv", target, source),
            Propagation::Dec { target, source } => ("xaif:DecDeriv", target, source),
        };
        self.out.open(element);
        self.lone_reference("xaif:Tgt", target);
        self.lone_reference("xaif:Src", source);
        self.out.close();
    }

    fn sax(&mut self, element: &'static str, terms: &[(Expr, VarRef)], y: &VarRef) {
        self.out.open(element);
        for (a, x) in terms {
            self.out.open("xaif:AX");
            self.out.open("xaif:A");
            self.expression(a);
            self.out.close();
            self.lone_reference("xaif:X", x);
            self.out.close();
        }
        self.lone_reference("xaif:Y", y);
        self.out.close();
    }

    /// The condition value of an edge, spelled as it was if that still says the same.
    pub(super) fn condition_value(&mut self, edge: &FlowEdge) {
        self.flag_as("has_condition_value", edge.value.is_some(), false, &edge.extras, ["false", "true"]);
        match edge.value {
            Some(v) => self.out.number("condition_value", v),
            None => {
                if let Some(v) = spelled(&edge.extras, "condition_value") {
                    self.out.attr("condition_value", v);
                }
            }
        }
    }
}
