//! Statements of the model on their way into the graph.
//!
//! Lives here: what every statement gets when it is made. Never here: which statement is made.

use super::state::{Lower, Lowered};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Adds a statement to the graph, with the place of the statement or expression it comes from.
    pub fn emit(&mut self, mut kind: StmtKind, node: Node<'t>, node_text: bool) {
        if let StmtKind::Marker(m) = &mut kind {
            self.with_members(&mut m.reads);
            self.with_members(&mut m.writes);
        }
        let file = self.file();
        let from = if node_text { node } else { self.cur.statement.unwrap_or(node) };
        let mut s = Stmt::new(kind);
        s.span = file.span(from);
        s.line = s.span.line;
        s.text = file.squeezed(from).replace('\n', " ").into();
        if !node_text {
            s.comment = std::mem::take(&mut self.cur.comment).into();
        }
        if let Some(g) = &mut self.cur.graph {
            g.stmt(s);
        }
    }

    /// Emits what waits for the statement's end.
    pub fn flush_after(&mut self) {
        for s in std::mem::take(&mut self.cur.after) {
            if let Some(g) = &mut self.cur.graph {
                g.stmt(s);
            }
        }
    }

    /// Refuses a call in a declaration, where no statement can stand before it.
    pub fn needs_graph(&self, node: Node) -> Lowered<()> {
        if self.cur.graph.is_some() { Ok(()) } else { Err(self.refuse(node, "OB3045", "a call is not supported in a declaration")) }
    }

    /// Adds an edge to the call graph.
    pub fn note_call(&mut self, callee: SymbolId) {
        if let Some(&callee) = self.proc_of.get(&callee) {
            self.calls.insert((self.cur.proc, callee));
        }
    }
}
