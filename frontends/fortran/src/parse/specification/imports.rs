//! What a scope brings in: USE, IMPLICIT, generic names of interfaces.
//!
//! Lives here: statements about other names than those declared beside them. Never here: what a module holds.

use crate::parse::context::scopes::{TypeSpec, Use, default_implicit};
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::text::tree::{child, named};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// USE.
    pub fn use_statement(&mut self, node: Node<'t>) -> Lowered<()> {
        let module = child(node, "module_name").map(|m| self.lower(m)).unwrap_or_default();
        let scope = self.modules.get(&module).copied();
        let mut renames = FxHashMap::default();
        let mut only = None;
        let mut rename = |l: &Self, a: Node| {
            if let (Some(local), Some(own)) = (child(a, "local_name"), child(a, "identifier")) {
                renames.insert(l.lower(local), l.lower(own));
                return Some(l.lower(local));
            }
            None
        };
        if let Some(items) = child(node, "included_items") {
            let mut names = FxHashSet::default();
            for i in named(items) {
                match i.kind() {
                    "use_alias" => names.extend(rename(self, i)),
                    "identifier" | "assignment" | "operator" => {
                        names.insert(self.generic_name(i));
                    }
                    _ => {}
                }
            }
            only = Some(names);
        }
        for a in named(node).into_iter().filter(|c| c.kind() == "use_alias") {
            rename(self, a);
        }
        let text = self.file().squeezed(node);
        let info = self.scope_info(self.cur.scope);
        info.uses.push(Use { module, scope, only, renames });
        info.imports.push(text);
        Ok(())
    }

    /// IMPLICIT.
    pub fn implicit_statement(&mut self, node: Node<'t>) -> Lowered<()> {
        if child(node, "none").is_some() {
            self.scope_info(self.cur.scope).implicit = None;
            return Ok(());
        }
        let mut spec: Option<TypeSpec> = None;
        for c in named(node) {
            match c.kind() {
                "implicit_range" => {
                    let range = self.lower(c);
                    let letters: Vec<u8> = range.bytes().filter(u8::is_ascii_lowercase).collect();
                    let (Some(&from), Some(&to), Some(t)) = (letters.first(), letters.last(), &spec) else { continue };
                    let t = t.clone();
                    let info = self.scope_info(self.cur.scope);
                    let table = info.implicit.get_or_insert_with(default_implicit);
                    for l in from..=to {
                        table[(l - b'a') as usize] = t.clone();
                    }
                }
                _ => spec = Some(self.type_spec(c)?),
            }
        }
        Ok(())
    }

    /// A name, or what stands for one: `assignment(=)`.
    pub fn generic_name(&self, node: Node<'t>) -> String {
        self.lower(node).replace(' ', "")
    }

    /// Interface blocks: signatures of external procedures, and generic names.
    pub fn interface(&mut self, node: Node<'t>) -> Lowered<()> {
        let span = self.file().span(node);
        let file = self.file();
        let lines = file.original.iter().skip(span.line as usize - 1).take((span.end_line - span.line) as usize + 1);
        let mut text = lines.cloned().collect::<Vec<_>>().join("\n");
        if !text.to_ascii_lowercase().contains("interface") {
            // The block stands in an included file.
            text = self.statements_text(node);
        }
        self.scope_info(self.cur.scope).imports.push(text);
        let generic = child(node, "interface_statement")
            .and_then(|s| child(s, "name").or_else(|| child(s, "assignment")).or_else(|| child(s, "operator")));
        let generic = generic.map(|n| self.generic_name(n));
        let mut specifics = Vec::new();
        for c in named(node) {
            match c.kind() {
                "procedure_statement" => {
                    specifics.extend(named(c).iter().filter(|n| n.kind() == "method_name").map(|n| self.lower(*n)));
                }
                "function" | "subroutine" => specifics.extend(self.interface_body(c)?),
                _ => {}
            }
        }
        if let Some(g) = generic {
            self.scope_info(self.cur.scope).generics.entry(g).or_default().extend(specifics);
        }
        Ok(())
    }
}
