//! A unit's statements as they are printed: lines, preludes, the way of a statement to the file that knows it.
//!
//! Lives here: what all statements share. Never here: control flow, declarations.

use crate::unparse::expressions::pieces::Prelude;
use crate::unparse::expressions::writer::Writer;
use crate::unparse::text::layout::{Line, Maker, comment};
use crate::unparse::text::problems;
use xaif::model::{Expr, Span, Stmt, StmtKind};

/// A unit's statements as they are printed.
pub struct Body<'c, 'p> {
    /// Expressions.
    pub w: Writer<'c, 'p>,
    /// What is printed so far.
    pub lines: Vec<Line>,
    /// Nesting depth.
    pub indent: usize,
    /// Labels that the next statement carries.
    pub pending_label: Option<u32>,
    /// The place of what is printed now.
    pub place: Span,
}

impl Body<'_, '_> {
    /// Prints a line of code.
    pub fn code(&mut self, text: impl Into<String>) {
        let label = self.pending_label.take();
        let maker = Maker { unit: None, place: self.place };
        self.lines.push(Line::Code { indent: self.indent, label, text: text.into(), maker });
    }

    /// Prints a comment.
    pub fn comment(&mut self, text: &str) {
        let place = self.place;
        self.lines.extend(comment(self.indent, text).map(|l| l.at(place)));
    }

    /// Prints what must be done before an expression.
    pub fn prelude(&mut self, items: &[Prelude]) {
        self.prelude_into(items, None);
    }

    /// The same, with one variable replaced by the target of an assignment.
    pub fn prelude_into(&mut self, items: &[Prelude], target: Option<(usize, &str)>) {
        for item in items {
            match item {
                Prelude::Set(t, text) => match target {
                    Some((other, target)) if other == *t => self.code(format!("{target} = {text}")),
                    _ => {
                        self.w.temporaries[*t].used = true;
                        let name = self.w.temporaries[*t].name.clone();
                        self.code(format!("{name} = {text}"));
                    }
                },
                Prelude::Choose(_, condition, then, other) => {
                    self.code(format!("if ({condition}) then"));
                    self.indent += 1;
                    self.prelude_into(then, target);
                    self.indent -= 1;
                    if !other.is_empty() {
                        self.code("else");
                        self.indent += 1;
                        self.prelude_into(other, target);
                        self.indent -= 1;
                    }
                    self.code("end if");
                }
            }
        }
    }

    /// Prints an expression's prelude and returns its text.
    pub fn value(&mut self, e: &Expr) -> String {
        let p = self.w.expr(e);
        self.prelude(&p.prelude);
        p.text
    }

    /// Prints a condition's prelude and returns its text as a truth value.
    pub fn condition(&mut self, e: &Expr) -> String {
        let (prelude, text) = self.condition_parts(e);
        self.prelude(&prelude);
        text
    }

    /// A condition and what must be done before it.
    pub fn condition_parts(&mut self, e: &Expr) -> (Vec<Prelude>, String) {
        let from = xaif::types::of(self.w.cx.program, e).elem;
        let p = self.w.expr(e);
        let p = self.w.assigned(p, from, xaif::model::ElemType::BOOL);
        (p.prelude, p.text)
    }

    /// Prints a statement.
    pub fn stmt(&mut self, stmt: &Stmt) {
        self.w.begin(stmt.span);
        let outer = self.go_to(stmt.span);
        self.stmt_here(stmt);
        self.place = outer;
    }

    /// Moves to a place, where it is known; the old one.
    pub fn go_to(&mut self, span: Span) -> Span {
        let outer = self.place;
        if span.is_known() {
            self.place = span;
        }
        outer
    }

    fn stmt_here(&mut self, stmt: &Stmt) {
        if !stmt.comment.is_empty() {
            self.comment(&stmt.comment);
        }
        match &stmt.kind {
            StmtKind::Assignment { lhs, rhs } => self.assign(lhs, rhs),
            StmtKind::Call(call) => self.call(call),
            StmtKind::Marker(marker) => self.marker(marker),
            StmtKind::Runtime { name, arguments } => self.runtime(name, arguments),
            StmtKind::Propagator(_) => {
                let cx = self.w.cx;
                cx.refuse(problems::stock_only(cx.program, self.w.span, "a DerivativePropagator"));
            }
        }
    }
}
