//! Interface bodies: procedures of which only the head is known.
//!
//! Lives here: their signatures. Never here: generic names (see `specification`).

use super::scan::{head, kind_of};
use crate::parse::context::state::{Lower, Lowered, Proc};
use crate::parse::text::tree::child;
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
        let file = self.cur.file;
        let (elemental, pure) = self.purity(node, file);
        let index = self.add_proc(Proc {
            host: Some(self.cur.proc),
            elemental,
            pure,
            interface_only: true,
            ..Proc::new(name.clone(), (node, file), kind, symbol, own)
        });
        self.declare_apart(index)?;
        Ok(Some(name))
    }
}
