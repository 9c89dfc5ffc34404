//! Interface bodies: procedures of which only the head is known.
//!
//! Lives here: their signatures. Never here: generic names (see `specification`).

use super::scan::{head, kind_of};
use crate::parse::context::state::{Lower, Lowered, Proc, empty_current};
use crate::parse::text::tree::{child, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// An external procedure's signature in an interface block.
    pub fn interface_body(&mut self, node: Node<'t>) -> Lowered<Option<String>> {
        let Some(kind) = kind_of(node) else { return Ok(None) };
        let Some(name_node) = head(node).and_then(|h| child(h, "name")) else { return Ok(None) };
        let name = self.lower(name_node);
        let scope = self.cur.scope;
        if let Some(&own) = self.names.get(&(scope, name.clone())) {
            // The interface of a dummy procedure.
            self.p.symbol_mut(own).decl.get_or_insert_default().attributes.push("external".into());
            self.scope_info(scope).typed.insert(own);
            self.interfaces.insert(own, (node, self.cur.file));
            return Ok(None);
        }
        if let Some(&known) = self.names.get(&(ScopeId(0), name.clone())) {
            self.names.insert((scope, name.clone()), known);
            return Ok(Some(name));
        }
        let mut s = Symbol::subroutine(self.text(name_node), ScopeId(0));
        s.span = self.file().span(name_node);
        if let Some(d) = &mut s.decl {
            d.storage = Storage::Extern;
        }
        let symbol = self.add(s);
        self.names.insert((scope, name.clone()), symbol);
        // An interface body sees its surroundings only through IMPORT.
        let parent = if child(node, "import_statement").is_some() { scope } else { ScopeId(0) };
        let own = self.p.add_scope(Scope { parent: Some(parent), span: self.file().span(node), ..Scope::default() });
        self.scope_info(own);
        let index = self.procs.len();
        let (file, host) = (self.cur.file, Some(self.cur.proc));
        let elemental =
            head(node).is_some_and(|h| named(h).iter().any(|q| q.kind() == "procedure_qualifier" && self.lower(*q) == "elemental"));
        let pure = head(node).is_some_and(|h| {
            named(h).iter().any(|q| q.kind() == "procedure_qualifier" && matches!(self.lower(*q).as_str(), "pure" | "elemental"))
        });
        self.procs.push(Proc {
            name: name.clone(),
            node,
            file,
            kind,
            symbol,
            scope: own,
            host,
            formals: Vec::new(),
            dummies: Vec::new(),
            entry: None,
            elemental,
            pure,
            failed: Vec::new(),
            interface_only: true,
            bound: Vec::new(),
            behind: None,
        });
        self.proc_of.insert(symbol, index);
        let outer = std::mem::replace(&mut self.cur, empty_current());
        self.enter(index);
        let result = self.declare_in(index);
        self.cur = outer;
        result?;
        Ok(Some(name))
    }
}
