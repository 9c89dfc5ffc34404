//! BLOCK: names that mean something inside a construct only.
//!
//! Lives here: what such a name stands for. Never here: names of whole units.

use crate::parse::context::state::{Construct, Lower, Lowered};
use crate::parse::context::terms::Val;
use crate::parse::text::tree::{field, is_bracket, named, walk};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// BLOCK: its variables become variables of the unit, under names of their own where theirs mean something else outside.
    pub fn block(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        let scope = self.cur.scope;
        let parts = named(node);
        let mut own: Vec<(String, SymbolId, Option<SymbolId>)> = Vec::new();
        // Values of named constants that are hidden inside.
        let mut hidden: Vec<(String, i64)> = Vec::new();
        for &c in parts.iter().filter(|c| c.kind() == "variable_declaration") {
            let constant = self.has_qualifier(c, "parameter");
            if field(c, "type").is_some_and(|t| self.names_renamed_constant(t, &own)) {
                return Err(self.refuse(c, "OB3034", "a kind by a constant of a BLOCK whose name means something else outside"));
            }
            let mut names: Vec<(String, Option<SymbolId>)> = Vec::new();
            let mut cursor = c.walk();
            for d in c.children_by_field_name("declarator", &mut cursor) {
                let name = match d.kind() {
                    "identifier" => Some(d),
                    _ => named(d).into_iter().find(|n| n.kind() == "identifier"),
                };
                let Some(name) = name.filter(|_| constant || d.kind() != "init_declarator") else {
                    let mut r = *self.refuse(d, "OB3034", "a variable of a BLOCK with an initial value");
                    r.help = Some("it keeps its value between calls: declare it in the unit".into());
                    return Err(Box::new(r));
                };
                let key = self.lower(name);
                hidden.extend(self.scope_info(scope).constants.remove(&key).map(|v| (key.clone(), v)));
                names.push((key.clone(), self.names.remove(&(scope, key))));
            }
            let graph = self.cur.graph.take();
            let result = self.specification(c);
            self.cur.graph = graph;
            result?;
            for (key, old) in names {
                let Some(&s) = self.names.get(&(scope, key.clone())) else {
                    return Err(self.refuse(c, "OB3034", "unsupported declaration in BLOCK"));
                };
                self.settle_block_variable(s, c, node)?;
                if self.is_named_outside(&key, node) || old.is_some() {
                    let fresh = self.fresh(&key);
                    self.p.symbol_mut(s).name = fresh.clone().into();
                    self.names.insert((scope, fresh.clone()), s);
                    let constants = &mut self.scope_info(scope).constants;
                    if let Some(v) = constants.remove(&key) {
                        constants.insert(fresh, v);
                    }
                }
                own.push((key, s, old));
            }
        }
        let unsupported = parts.iter().find(|c| {
            let k = c.kind();
            matches!(k, "use_statement" | "implicit_statement" | "variable_modification" | "parameter_statement" | "data_statement")
                || matches!(k, "save_statement" | "common_statement" | "interface" | "derived_type_definition" | "import_statement")
        });
        if let Some(c) = unsupported {
            return Err(self.refuse(*c, "OB3034", "a BLOCK with other declarations than those of variables"));
        }
        // An associated name of the same spelling is hidden.
        let mut frame = self.cur.frames.last().cloned().unwrap_or_default();
        for (name, s, _) in &own {
            let symbol = self.p.symbol(*s);
            if symbol.name.eq_ignore_ascii_case(name) {
                frame.remove(name);
            } else {
                frame.insert(name.clone(), Val::new(Expr::sym(*s), symbol.ty, symbol.rank));
            }
        }
        self.cur.frames.push(frame);
        self.inside(node, refusals);
        self.cur.frames.pop();
        for (name, _, old) in own.into_iter().rev() {
            match old {
                Some(o) => self.names.insert((scope, name), o),
                None => self.names.remove(&(scope, name)),
            };
        }
        self.scope_info(scope).constants.extend(hidden);
        Ok(())
    }

    /// Whether a declaration has an attribute that is a word.
    fn has_qualifier(&self, declaration: Node<'t>, word: &str) -> bool {
        let mut cursor = declaration.walk();
        declaration.children_by_field_name("attribute", &mut cursor).any(|a| self.lower(a) == word)
    }

    /// Whether a type is written with a name that is another one in the unit.
    fn names_renamed_constant(&self, of: Node<'t>, own: &[(String, SymbolId, Option<SymbolId>)]) -> bool {
        let mut found = false;
        walk(of, &mut |n| {
            let name = self.lower(n);
            found |=
                n.kind() == "identifier" && own.iter().any(|(k, s, _)| *k == name && !self.p.symbol(*s).name.eq_ignore_ascii_case(&name));
            !found
        });
        found
    }

    /// A variable of a BLOCK must be one that the unit can have from its start to its end.
    fn settle_block_variable(&mut self, s: SymbolId, declaration: Node<'t>, node: Node<'t>) -> Lowered<()> {
        self.scope_info(self.cur.scope).typed.insert(s);
        let symbol = self.p.symbol(s);
        let number = matches!(symbol.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool);
        if *symbol.storage() == Storage::Constant && number && symbol.rank == 0 && symbol.decl.as_ref().is_some_and(|d| d.init.is_some()) {
            return Ok(());
        }
        let dims = symbol.decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
        let odd = ["allocatable", "pointer", "save", "target"].iter().any(|a| symbol.has_attribute(a))
            || *symbol.storage() == Storage::Constant
            || !number;
        let range = 0..usize::MAX;
        let fixed = dims.iter().all(|d| match (&d.lower, &d.upper) {
            (Bound::Expr(l), Bound::Expr(u)) => self.never_changes(l, &range) && self.never_changes(u, &range),
            _ => false,
        });
        if odd || !fixed {
            let _ = node;
            let mut d = *self.refuse(declaration, "OB3034", "a variable of a BLOCK that is not a number or an array of fixed bounds");
            d.help = Some("declare it in the unit".into());
            return Err(Box::new(d));
        }
        self.p.symbol_mut(s).decl.get_or_insert_default().storage = Storage::Local;
        Ok(())
    }

    fn is_named_outside(&self, name: &str, node: Node<'t>) -> bool {
        let mut found = false;
        walk(self.procs[self.cur.proc].node, &mut |n| {
            if n == node {
                return false;
            }
            found |= n.kind() == "identifier" && self.lower(n) == name;
            !found
        });
        found || self.p.scope(self.cur.scope).parent.is_some_and(|p| self.lookup(p, name).is_some())
    }

    /// The statements of a construct that is no loop and no branch.
    pub fn inside(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) {
        let body: Vec<Node> =
            named(node).into_iter().filter(|n| !is_bracket(n.kind()) && !matches!(n.kind(), "block" | "variable_declaration")).collect();
        // Where EXIT leaves it, it is the arm of a branch: that can be left.
        let name = self.construct_name(node);
        let left = !name.is_empty() && self.is_left(node, &name);
        if let Some(g) = self.cur.graph.as_mut().filter(|_| left) {
            let v = g.begin_branch(Expr::bool(true));
            g.arm(&[1]);
            self.describe(v, node, &name);
        }
        self.cur.constructs.push(Construct {
            is_loop: false,
            branches: usize::from(left),
            name,
            label: String::new(),
            label_is_empty: false,
        });
        self.statements(&body, refusals);
        self.cur.constructs.pop();
        if let Some(g) = self.cur.graph.as_mut().filter(|_| left) {
            g.end_branch();
        }
    }

    /// Whether an EXIT in a construct names it.
    fn is_left(&self, node: Node<'t>, name: &str) -> bool {
        let mut found = false;
        walk(node, &mut |n| {
            let exit = n.kind() == "keyword_statement" && self.lower(n).starts_with("exit");
            found |= exit && named(n).into_iter().any(|c| c.kind() == "identifier" && self.lower(c) == name);
            !found
        });
        found
    }
}
