//! Definitions of derived types: where one is, what it extends, which type a reference has.
//!
//! Lives here: what the text of a definition says. Never here: variables of the type.

use super::bindings::MAX_DEPTH;
use super::references::Structure;
use crate::parse::context::state::{Lower, Proc};
use crate::parse::context::structures::type_name;
use crate::parse::text::tree::{child, field, named, walk};
use rustc_hash::FxHashMap;
use tree_sitter::Node;
use xaif::model::*;

/// What is known of a component.
pub struct Component {
    pub ty: ElemType,
    pub(super) type_text: String,
    pub array: bool,
    /// POINTER or ALLOCATABLE.
    pub(super) deferred: bool,
}

impl<'t> Lower<'t> {
    /// The type that a type extends.
    pub fn parent_type(&self, of: &str) -> Option<String> {
        let (file, definition) = self.type_definition(of)?;
        let head = child(definition, "derived_type_statement")?;
        let name = child(head, "base_type_specifier").and_then(|b| child(b, "identifier")).map(|n| self.files[file].lower(n))?;
        Some(self.type_called(&name, self.unit_around(file, definition)?.scope))
    }

    /// Whether a type is another one or extends it.
    pub fn is_kind_of(&self, of: &str, ancestor: &str) -> bool {
        let mut at = of.to_owned();
        for _ in 0..MAX_DEPTH {
            if at == ancestor {
                return true;
            }
            match self.parent_type(&at) {
                Some(p) => at = p,
                None => return false,
            }
        }
        false
    }

    /// The definitions of derived types in all files, by name.
    pub fn definitions(&self) -> &FxHashMap<String, Vec<(usize, Node<'t>)>> {
        self.definitions.get_or_init(|| {
            let mut out: FxHashMap<String, Vec<(usize, Node<'t>)>> = FxHashMap::default();
            for (i, f) in self.files.iter().enumerate() {
                walk(f.tree.root_node(), &mut |n| {
                    if n.kind() == "derived_type_definition" {
                        if let Some(name) = child(n, "derived_type_statement").and_then(|s| child(s, "type_name")) {
                            out.entry(f.lower(name)).or_default().push((i, n));
                        }
                        return false;
                    }
                    !n.kind().ends_with("_statement")
                });
            }
            out
        })
    }
}

impl<'t> Lower<'t> {
    /// How the type of a structure is spelled in its declaration: `type(t)`, `class(t)`.
    pub fn declared_type(&mut self, node: Node<'t>) -> Option<String> {
        if !matches!(node.kind(), "identifier" | "call_expression" | "derived_type_member_expression") {
            return None;
        }
        let (c, _) = self.component_of(node, 0)?;
        (c.ty.base == BaseType::Opaque).then_some(c.type_text)
    }

    /// What a component or an element of one is, with its name.
    pub fn component_of(&mut self, node: Node<'t>, depth: usize) -> Option<(Component, String)> {
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
        let text = self.declared_text(s)?;
        let deferred = s.has_attribute("pointer") || s.has_attribute("allocatable");
        (s.ty.base == BaseType::Opaque).then_some((Component { ty: s.ty, type_text: text, array: s.rank > 0, deferred }, name))
    }

    /// The file and the node of a type.
    pub fn type_definition(&self, of: &str) -> Option<(usize, Node<'t>)> {
        let (name, number) = of.split_once('@').map_or((of, None), |(n, k)| (n, k.parse::<usize>().ok()));
        match (self.definitions().get(name).map(Vec::as_slice), number) {
            (Some(&[only]), None) => Some(only),
            (Some(several), Some(k)) => several.get(k).copied(),
            _ => None,
        }
    }

    /// The innermost unit around a node.
    pub fn unit_around(&self, file: usize, node: Node<'t>) -> Option<&Proc<'t>> {
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
                let x = if x.kind().ends_with("init_declarator") { field(x, "left").unwrap_or(x) } else { x };
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
                    type_text: self.text_with_type(&spec.text, around),
                    array: sized || has("dimension"),
                    deferred: has("pointer") || has("allocatable"),
                });
            }
        }
        None
    }

    /// The type of a structure, and the rank of the variable.
    pub fn structure_type(&mut self, s: &Structure<'t>) -> Option<(String, u8)> {
        let mut parts = s.path.split('%');
        let base = self.lookup(self.cur.scope, parts.next()?)?;
        let (rank, mut of) = (self.p.symbol(base).rank, self.type_of_symbol(self.p.symbol(base))?);
        for part in parts {
            of = self.component_type(&of, part)?;
        }
        Some((of, rank))
    }

    /// The type of a component that is a structure, which may be inherited.
    pub fn component_type(&self, of: &str, member: &str) -> Option<String> {
        let (file, d, declarator) = self.component_declaration(of, member)?;
        let t = field(d, "type").filter(|_| declarator.kind() == "identifier")?;
        if t.kind() == "intrinsic_type" {
            return type_name(&self.type_spec(t).ok()?.text);
        }
        Some(self.type_called(&type_name(&self.files[file].squeezed(t))?, self.unit_around(file, d)?.scope))
    }

    /// Whether a type has data under a name, its own or inherited; of the types that it extends, each is one too.
    pub fn has_component(&self, of: &str, member: &str) -> bool {
        self.component_declaration(of, member).is_some() || self.is_kind_of(of, member)
    }

    /// The declaration of a component, which may be inherited, with what declares it there.
    fn component_declaration(&self, of: &str, member: &str) -> Option<(usize, Node<'t>, Node<'t>)> {
        let mut at = of.to_owned();
        for _ in 0..=20 {
            let (file, definition) = self.type_definition(&at)?;
            let f = &self.files[file];
            for d in named(definition).into_iter().filter(|d| d.kind() == "variable_declaration") {
                let mut cursor = d.walk();
                let name = |x: Node<'t>| match x.kind() {
                    "identifier" => Some(x),
                    "init_declarator" | "pointer_init_declarator" => field(x, "left").map(|l| named(l).first().copied().unwrap_or(l)),
                    _ => named(x).first().copied(),
                };
                if let Some(x) =
                    d.children_by_field_name("declarator", &mut cursor).find(|x| name(*x).is_some_and(|n| f.lower(n) == member))
                {
                    return Some((file, d, x));
                }
            }
            at = self.parent_type(&at)?;
        }
        None
    }

    /// The type of a structure, or of the elements of an array of structures, however it is named.
    pub fn type_around(&self, node: Node<'t>) -> Option<String> {
        let first = || named(node).first().copied();
        match node.kind() {
            "identifier" => self.type_of_symbol(self.p.symbol(self.lookup(self.cur.scope, &self.lower(node))?)),
            "call_expression" => self.type_around(first()?),
            "derived_type_member_expression" => {
                let (of, member) = (self.type_around(first()?)?, self.lower(named(node).last().copied()?));
                if self.is_kind_of(&of, &member) {
                    return Some(member);
                }
                let (file, d, _) = self.component_declaration(&of, &member)?;
                Some(self.type_called(&type_name(&self.files[file].squeezed(field(d, "type")?))?, self.unit_around(file, d)?.scope))
            }
            _ => None,
        }
    }
}
