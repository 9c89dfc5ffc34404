//! Putting statements into the graph, with their places, texts and comments.
//!
//! Lives here: emission and the attachment of comments and pragmas. Never here: translation of constructs.

use super::state::Lower;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::Refusal;
use lang_c::span::Span;
use xaif::Diagnostic;
use xaif::model::{Expr, Marker, MarkerClass, Stmt, StmtKind, SymbolId, VarRef, VertexId};

impl Lower<'_> {
    /// A refusal as an error with its place.
    pub(crate) fn diagnostic(&self, r: &Refusal) -> Diagnostic {
        let span = if r.span.is_none() { xaif::model::Span::NONE } else { self.map.span(r.span.start, r.span.end) };
        Diagnostic {
            reason: r.reason.clone(),
            help: r.help.clone(),
            ..Diagnostic::error(r.code, r.message.clone()).at(self.program.location(span))
        }
    }

    /// The original text of some bytes, on one line.
    pub fn original(&self, span: Span) -> String {
        self.map.raw_range(span.start, span.end).map_or_else(String::new, |(s, e)| self.map.one_line(s, e))
    }

    /// Starts a statement: pragmas before it become markers, comments before it (and, if it is `simple`, inside it and behind it on its line)
    /// are kept for the first thing that is emitted.
    pub fn begin_statement(&mut self, span: Span, simple: bool) {
        let Some((start, end)) = self.map.raw_range(span.start, span.end) else { return };
        let remarks = self.remarks;
        let mut limit = if simple { end } else { start };
        while let Some(r) = remarks.get(self.body().remark) {
            let behind = simple && r.start >= end && self.map.raw_position(end).0 == self.map.raw_position(r.start).0;
            let adjacent = behind && self.map.one_line(end, r.start).trim_matches([';', ' ']).is_empty();
            if r.start >= limit && !adjacent {
                break;
            }
            limit = limit.max(r.start);
            self.body().remark += 1;
            if r.pragma {
                let place = self.map.raw_span(r.start, r.end);
                let mut stmt =
                    Stmt::new(StmtKind::Marker(Box::new(Marker { class: MarkerClass::Pragma, text: r.text.clone(), ..Marker::default() })));
                (stmt.span, stmt.line, stmt.text) = (place, place.line, r.text.as_str().into());
                self.body().builder.stmt(stmt);
            } else {
                let pending = &mut self.body().comment;
                if !pending.is_empty() {
                    pending.push('\n');
                }
                pending.push_str(&r.text);
            }
        }
    }

    fn take_comment(&mut self) -> String {
        std::mem::take(&mut self.body().comment)
    }

    /// Adds a statement whose text is the original's between these bytes.
    pub fn emit(&mut self, kind: StmtKind, span: Span) {
        let whole = self.body().top.filter(|(e, _)| e.start == span.start && e.end == span.end).map_or(span, |(_, s)| s);
        let text = self.original(whole);
        self.emit_with_text(kind, whole, text);
    }

    /// Adds a statement.
    pub fn emit_with_text(&mut self, kind: StmtKind, span: Span, text: String) {
        let stmt = self.statement_of(kind, span, text);
        self.body().builder.stmt(stmt);
    }

    /// A statement with its place, text and the comment that waits.
    pub fn statement_of(&mut self, kind: StmtKind, span: Span, text: String) -> Stmt {
        let place = self.map.span(span.start, span.end);
        let comment = self.take_comment();
        Stmt { span: place, line: place.line, comment: comment.into(), text: text.into(), ..Stmt::new(kind) }
    }

    /// Adds `lhs = rhs`.
    pub fn emit_assignment(&mut self, lhs: VarRef, rhs: Expr, span: Span) {
        self.emit(StmtKind::Assignment { lhs, rhs }, span);
    }

    /// Keeps a value in a temporary and returns the temporary.
    pub fn keep(&mut self, base: &str, value: Expr, ty: &CType, span: Span) -> SymbolId {
        let t = self.temporary(base, ty);
        self.emit_assignment(VarRef::whole(t), value, span);
        t
    }

    /// Gives a vertex its place, text and comment.
    pub fn dress(&mut self, v: VertexId, span: Span, text: String) {
        let place = self.map.span(span.start, span.end);
        let comment = self.take_comment();
        let vertex = self.body().builder.vertex_mut(v);
        (vertex.span, vertex.line, vertex.text, vertex.comment) = (place, place.line, text.into(), comment.into());
    }
}
