//! Everything names something that is there.
//!
//! Lives here: ranges of handles and the order of term graphs. Never here: what they mean.

use super::Checker;
use crate::model::*;

impl Checker<'_> {
    /// False if the program cannot be looked at any further.
    pub(super) fn handles(&mut self) -> bool {
        self.handles_in(true)
    }

    /// The same without what stands in graphs.
    pub(super) fn frame_handles(&mut self) -> bool {
        self.handles_in(false)
    }

    fn handles_in(&mut self, graphs: bool) -> bool {
        let before = self.found.len();
        if self.p.scopes.is_empty() {
            self.error("OB1021", Span::NONE, "the program has no scope");
        }
        for scope in &self.p.scopes {
            if scope.parent.is_some_and(|s| s.index() >= self.p.scopes.len()) {
                self.error("OB1021", scope.span, format!("the scope around scope {} is missing", scope.id));
            }
            for &s in &scope.symbols {
                self.symbol_handle(s, scope.span);
            }
        }
        for symbol in &self.p.symbols {
            self.scope_handle(symbol.scope, symbol.span);
            let Some(decl) = &symbol.decl else { continue };
            if let Some(of) = decl.derivative_of {
                self.symbol_handle(of, symbol.span);
            }
            for bound in decl.dims.iter().flat_map(|d| [&d.lower, &d.upper]) {
                if let Bound::Expr(e) = bound {
                    self.expr_handles(e, symbol.span);
                }
            }
            if let Some(e) = &decl.init {
                self.expr_handles(e, symbol.span);
            }
        }
        for call in &self.p.calls {
            self.unit_handle(call.caller, Span::NONE);
            self.unit_handle(call.callee, Span::NONE);
        }
        for unit in &self.p.units {
            self.symbol_handle(unit.symbol, unit.span);
            self.scope_handle(unit.scope, unit.span);
            if let Some(d) = unit.derivation {
                self.unit_handle(d.of, unit.span);
            }
            for f in &unit.formals {
                self.symbol_handle(f.symbol, unit.span);
            }
            let e = &unit.effects;
            for r in [&e.mod_local, &e.modified, &e.read_local, &e.read, &e.on_entry].into_iter().flatten().flatten() {
                self.ref_handles(r, unit.span);
            }
            if !graphs {
                continue;
            }
            self.graph_handles(&unit.graph);
            for r in unit.replacements.iter().flat_map(|(_, list)| list) {
                self.graph_handles(&r.graph);
            }
        }
        self.found.len() == before
    }

    fn symbol_handle(&mut self, s: SymbolId, span: Span) {
        if s.index() >= self.p.symbols.len() {
            self.error("OB1020", span, format!("there is no symbol number {}", s.0));
        }
    }

    fn scope_handle(&mut self, s: ScopeId, span: Span) {
        if s.index() >= self.p.scopes.len() {
            self.error("OB1021", span, format!("there is no scope number {}", s.0));
        }
    }

    fn unit_handle(&mut self, u: UnitId, span: Span) {
        if u.index() >= self.p.units.len() {
            self.error("OB1022", span, format!("there is no unit number {}", u.0));
        }
    }

    fn graph_handles(&mut self, graph: &FlowGraph) {
        for v in graph.node_weights() {
            self.vertex_handles(graph, v);
            v.stmts().iter().for_each(|s| self.stmt_handles(s));
        }
    }

    /// What a vertex names, the statements of a block left out.
    pub(super) fn vertex_handles(&mut self, graph: &FlowGraph, v: &Vertex) {
        if v.follows.is_some_and(|f| f.index() >= graph.node_count()) {
            self.error("OB1023", v.span, format!("vertex {} follows a vertex that is missing", v.id));
        }
        match &v.kind {
            VertexKind::Block { scope, .. } => self.scope_handle(*scope, v.span),
            VertexKind::For(head) => {
                self.stmt_handles(&head.init);
                self.expr_handles(&head.condition, v.span);
                self.stmt_handles(&head.update);
            }
            VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => self.expr_handles(e, v.span),
            _ => {}
        }
    }

    pub(super) fn stmt_handles(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                self.ref_handles(lhs, s.span);
                self.expr_handles(rhs, s.span);
            }
            StmtKind::Call(call) => {
                self.symbol_handle(call.callee, s.span);
                call.arguments.iter().for_each(|a| self.expr_handles(&a.value, s.span));
            }
            StmtKind::Runtime { arguments, .. } => arguments.iter().for_each(|a| self.expr_handles(&a.value, s.span)),
            StmtKind::Marker(m) => {
                m.reads.iter().chain(&m.writes).for_each(|&x| self.symbol_handle(x, s.span));
                if let Some(object) = &m.object {
                    self.ref_handles(object, s.span);
                }
            }
            StmtKind::Propagator(list) => list.iter().for_each(|p| self.propagation_handles(p, s.span)),
        }
    }

    fn propagation_handles(&mut self, p: &Propagation, span: Span) {
        match p {
            Propagation::Zero { target } => self.ref_handles(target, span),
            Propagation::Set { target, source }
            | Propagation::SetNeg { target, source }
            | Propagation::Inc { target, source }
            | Propagation::Dec { target, source } => {
                self.ref_handles(target, span);
                self.ref_handles(source, span);
            }
            Propagation::Sax { terms, y } | Propagation::Saxpy { terms, y } => {
                for (a, x) in terms {
                    self.expr_handles(a, span);
                    self.ref_handles(x, span);
                }
                self.ref_handles(y, span);
            }
        }
    }

    fn ref_handles(&mut self, r: &VarRef, span: Span) {
        self.symbol_handle(r.symbol, span);
        for e in r.index_exprs() {
            self.expr_handles(e, span);
        }
    }

    fn expr_handles(&mut self, e: &Expr, span: Span) {
        if e.nodes.is_empty() {
            self.error("OB1033", span, "an expression without a vertex");
        }
        for (i, n) in e.nodes.iter().enumerate() {
            if n.operands.iter().any(|o| o.index() >= i) {
                self.error("OB1030", span, "an operand does not stand before its operator");
            }
            match &n.kind {
                NodeKind::Var(r) => self.ref_handles(r, span),
                NodeKind::FunctionCall(s) => self.symbol_handle(*s, span),
                _ => {}
            }
        }
    }
}
