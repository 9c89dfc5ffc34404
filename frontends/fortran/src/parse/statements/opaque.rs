//! Statements that are kept as text: which variables they name.
//!
//! Lives here: markers and the variables in a text. Never here: which statement is kept.

use crate::parse::context::intrinsic_names::is_intrinsic;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::text::tree::{children, field, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// The variable that an actual argument or input item names.
    pub fn base_variable(&mut self, node: Node<'t>) -> Lowered<Option<SymbolId>> {
        let mut named_here = Vec::new();
        if self.named_members(node, &mut named_here).is_some() {
            return Ok(named_here.last().copied());
        }
        match node.kind() {
            "identifier" => {
                let s = self.variable(node)?;
                if self.p.symbol(s).ty.base == BaseType::Opaque {
                    self.cur.whole.insert(s);
                }
                Ok(Some(s))
            }
            "call_expression" | "derived_type_member_expression" | "coarray_expression" => match named(node).first() {
                Some(first) => self.base_variable(*first),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// All variables whose names appear below a node.
    pub fn symbols_in(&mut self, node: Node<'t>) -> Lowered<Vec<SymbolId>> {
        let mut names: Vec<Node<'t>> = Vec::new();
        let mut members: Vec<SymbolId> = Vec::new();
        let mut stack = vec![node];
        while let Some(n) = stack.pop() {
            if let Some(subscripts) = self.named_members(n, &mut members) {
                stack.extend(subscripts);
                continue;
            }
            if n.kind() == "identifier" {
                names.push(n);
                continue;
            }
            let keyword = if n.kind() == "keyword_argument" { field(n, "name") } else { None };
            let callee = if n.kind() == "subroutine_call" { field(n, "subroutine").filter(|c| c.kind() == "identifier") } else { None };
            stack.extend(children(n).into_iter().filter(|c| Some(*c) != keyword && Some(*c) != callee));
        }
        names.reverse();
        let mut out: Vec<SymbolId> = members;
        for n in names {
            let name = self.lower(n);
            if let Some(s) = self.lookup(self.cur.scope, &name).filter(|s| self.p.symbol(*s).ty.base == BaseType::Opaque) {
                self.cur.whole.insert(s);
            }
            if let Some(v) = self.cur.frames.last().and_then(|f| f.get(&name)) {
                v.e.for_each_ref(&mut |r| out.push(r.symbol));
                continue;
            }
            let called = n.parent().is_some_and(|p| p.kind() == "call_expression" && p.named_child(0) == Some(n));
            match self.lookup(self.cur.scope, &name) {
                Some(s) if self.p.symbol(s).kind == SymbolKind::Subroutine => {}
                Some(s) => out.push(s),
                None if called || is_intrinsic(&name) => {}
                None => {
                    if let Ok(s) = self.variable(n) {
                        out.push(s);
                    }
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        Ok(out)
    }

    /// Emits an opaque statement.
    pub fn marker(&mut self, class: MarkerClass, reads: Vec<SymbolId>, writes: Vec<SymbolId>, node: Node<'t>) {
        self.noted_marker(class, "".into(), reads, writes, node);
    }

    /// The same with a note: why the statement is opaque.
    pub fn noted_marker(
        &mut self,
        class: MarkerClass,
        annotation: smol_str::SmolStr,
        reads: Vec<SymbolId>,
        mut writes: Vec<SymbolId>,
        node: Node<'t>,
    ) {
        writes.sort_unstable();
        writes.dedup();
        let text = self.file().squeezed(self.cur.statement.unwrap_or(node)).replace('\n', " ");
        let marker = Marker { annotation, class, text, reads, writes, ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, false);
    }
}
