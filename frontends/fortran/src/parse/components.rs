//! Components of derived types that are read: numbers that carry no derivative, copied into variables of their own.
//!
//! ```text
//! y = p%a*x     ->     a_1 = p%a  (an opaque statement);  y = a_1*x
//! ```
//!
//! What a component of an argument with INTENT(IN) is worth is asked once, at the start of the unit. Lives here: what a component is, and these
//! copies. Never here: assignments to components, which are opaque statements.

use super::expressions::Val;
use super::members::type_name;
use super::scope::{Lower, Lowered, Proc};
use super::tree::{field, named, walk};
use tree_sitter::Node;
use xaif::model::*;

/// What is known of a component.
struct Component {
    ty: ElemType,
    type_text: String,
    array: bool,
    /// POINTER or ALLOCATABLE.
    deferred: bool,
}

/// Whether a node is a component, or an element of one.
pub(super) fn is_component(node: Node) -> bool {
    match node.kind() {
        "derived_type_member_expression" => true,
        "call_expression" => named(node).first().is_some_and(|c| c.kind() == "derived_type_member_expression"),
        _ => false,
    }
}

impl<'t> Lower<'t> {
    /// The value of a component in a variable.
    pub fn component_value(&mut self, node: Node<'t>) -> Lowered<Val> {
        if let Some(v) = self.member(node)? {
            return Ok(v);
        }
        let key = self.file().squeezed(node).to_ascii_lowercase();
        if let Some(&t) = self.cur.components.get(&key) {
            return Ok(Val::new(Expr::sym(t), self.p.symbol(t).ty, 0));
        }
        let unsupported = |l: &Self| l.refuse(node, "OB3020", "component of a derived type");
        if self.cur.graph.is_none() {
            return self.member_of_argument(node)?.ok_or_else(|| unsupported(self));
        }
        self.own_names_only(node)?;
        let found = self.component_of(node, 0);
        let (c, name) = found.ok_or_else(|| unsupported(self))?;
        if c.array || !matches!(c.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool) {
            return Err(unsupported(self));
        }
        let t = self.temp(&name, c.ty, &super::hoist::type_text(c.ty), Vec::new(), false, self.file().span(node));
        let text = format!("{} = {}", self.p.symbol(t).name, self.file().squeezed(node));
        let reads = self.symbols_in(node)?;
        let marker = Marker { class: MarkerClass::Passive, text, reads, writes: vec![t], ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, true);
        Ok(Val::new(Expr::sym(t), c.ty, 0))
    }

    /// Asks for the components of arguments that nothing in the unit can change.
    pub fn components_on_entry(&mut self, statements: &[Node<'t>]) {
        let mut found: Vec<Node<'t>> = Vec::new();
        for &s in statements {
            walk(s, &mut |n| {
                if n.kind() != "derived_type_member_expression" {
                    return true;
                }
                let callee = n.parent().is_some_and(|p| p.kind() == "call_expression" && p.named_child(0) == Some(n));
                if !callee {
                    found.push(n);
                }
                false
            });
        }
        for n in found {
            let key = self.file().squeezed(n).to_ascii_lowercase();
            if self.cur.components.contains_key(&key) || self.member_symbol(n).is_some() || !self.is_input(n) {
                continue;
            }
            if let Ok(v) = self.component_value(n)
                && let Some(r) = v.e.as_var()
            {
                self.cur.components.insert(key, r.symbol);
            }
        }
    }

    /// `p%a%b` of an argument that is only read and always there.
    fn is_input(&mut self, node: Node<'t>) -> bool {
        let mut at = node;
        while at.kind() == "derived_type_member_expression" {
            if self.component_of(at, 0).is_none_or(|(c, _)| c.deferred) {
                return false;
            }
            let Some(&inner) = named(at).first() else { return false };
            at = inner;
        }
        let Some(s) = self.lookup(self.cur.scope, &self.lower(at)).filter(|_| at.kind() == "identifier") else { return false };
        let plain = !["optional", "pointer", "allocatable", "target"].iter().any(|a| self.p.symbol(s).has_attribute(a));
        self.is_declared_input(s) && plain
    }

    /// An argument that is declared to be only read.
    pub fn is_declared_input(&self, s: SymbolId) -> bool {
        self.procs[self.cur.proc].formals.iter().any(|f| f.symbol == s && f.intent_declared && f.intent == Intent::In)
    }

    /// How the type of a structure is spelled in its declaration: `type(t)`, `class(t)`.
    pub fn declared_type(&mut self, node: Node<'t>) -> Option<String> {
        if !matches!(node.kind(), "identifier" | "call_expression" | "derived_type_member_expression") {
            return None;
        }
        let (c, _) = self.component_of(node, 0)?;
        (c.ty.base == BaseType::Opaque).then_some(c.type_text)
    }

    /// What a component or an element of one is, with its name.
    fn component_of(&mut self, node: Node<'t>, depth: usize) -> Option<(Component, String)> {
        if depth > 20 {
            return None;
        }
        if node.kind() == "call_expression" {
            let parts = named(node);
            let [callee, list] = parts[..] else { return None };
            let elements =
                list.kind() == "argument_list" && named(list).iter().all(|a| !matches!(a.kind(), "extent_specifier" | "keyword_argument"));
            let (c, name) = if callee.kind() == "identifier" { self.base_of(callee)? } else { self.component_of(callee, depth + 1)? };
            return (elements && c.array).then_some((Component { array: false, ..c }, name));
        }
        if node.kind() == "identifier" {
            return self.base_of(node);
        }
        let parts = named(node);
        let (&inner, &member) = (parts.first()?, parts.last()?);
        let (outer, _) = self.component_of(inner, depth + 1)?;
        if node.kind() != "derived_type_member_expression" || outer.array {
            return None;
        }
        let name = self.lower(member);
        let mut of = type_name(&outer.type_text)?;
        for _ in 0..=20 {
            if let Some(c) = self.definition(&of, &name) {
                return Some((c, name));
            }
            // It may be inherited, or be all that is.
            let parent = self.parent_type(&of)?;
            if parent == name {
                let ty = ElemType { base: BaseType::Opaque, bits: 0 };
                return Some((Component { ty, type_text: format!("type({parent})"), array: false, deferred: false }, name));
            }
            of = parent;
        }
        None
    }

    /// A variable of derived type.
    fn base_of(&self, node: Node<'t>) -> Option<(Component, String)> {
        let name = self.lower(node);
        let s = self.p.symbol(self.lookup(self.cur.scope, &name)?);
        let text = s.decl.as_ref()?.type_text.to_string();
        let deferred = s.has_attribute("pointer") || s.has_attribute("allocatable");
        (s.ty.base == BaseType::Opaque).then_some((Component { ty: s.ty, type_text: text, array: s.rank > 0, deferred }, name))
    }

    /// The file and the node of a type that the text defines once.
    pub(super) fn type_definition(&self, of: &str) -> Option<(usize, Node<'t>)> {
        match self.definitions().get(of).map(Vec::as_slice) {
            Some(&[only]) => Some(only),
            _ => None,
        }
    }

    /// The innermost unit around a node.
    pub(super) fn unit_around(&self, file: usize, node: Node<'t>) -> Option<&Proc<'t>> {
        let holds = |p: &&Proc<'t>| p.file == file && p.node.start_byte() <= node.start_byte() && p.node.end_byte() >= node.end_byte();
        self.procs.iter().filter(holds).min_by_key(|p| p.node.end_byte() - p.node.start_byte())
    }

    /// A component of a type that the text defines once.
    fn definition(&mut self, of: &str, member: &str) -> Option<Component> {
        let (file, definition) = self.type_definition(of)?;
        // Kinds mean what they mean in the unit around the definition.
        let around = self.unit_around(file, definition)?.scope;
        let f = &self.files[file];
        for d in named(definition).into_iter().filter(|d| d.kind() == "variable_declaration") {
            let mut cursor = d.walk();
            let attributes: Vec<String> = d.children_by_field_name("attribute", &mut cursor).map(|a| f.lower(a)).collect();
            let mut cursor = d.walk();
            for x in d.children_by_field_name("declarator", &mut cursor) {
                let x = if x.kind() == "init_declarator" { field(x, "left").unwrap_or(x) } else { x };
                let (name, sized) = match x.kind() {
                    "identifier" => (x, false),
                    "sized_declarator" => (named(x).first().copied()?, true),
                    _ => continue,
                };
                if f.lower(name) != member {
                    continue;
                }
                let t = field(d, "type")?;
                let here = (std::mem::replace(&mut self.cur.scope, around), std::mem::replace(&mut self.cur.file, file));
                let spec = self.type_spec(t);
                (self.cur.scope, self.cur.file) = here;
                let spec = spec.ok()?;
                let has = |w: &str| attributes.iter().any(|a| a.starts_with(w));
                return Some(Component {
                    ty: spec.ty,
                    type_text: spec.text.to_string(),
                    array: sized || has("dimension"),
                    deferred: has("pointer") || has("allocatable"),
                });
            }
        }
        None
    }
}
