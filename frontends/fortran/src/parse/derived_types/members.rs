//! Which components of a type get variables of their own: numbers, truth values, arrays of them.
//!
//! Lives here: the list for a type, those of inner types and parents included. Never here: the variables (see `variables`).

use crate::parse::context::state::Lower;
use crate::parse::context::structures::{Member, Members, complex_bits, type_name};
use crate::parse::context::terms::type_text;
use crate::parse::text::tree::{child, field, named};
use std::rc::Rc;
use tree_sitter::Node;
use xaif::model::*;

/// The real and the imaginary part of a complex number.
fn parts_of_complex<'t>(bits: u16) -> Members<'t> {
    let ty = ElemType { base: BaseType::Real, bits };
    let part = |name: &str| Member {
        path: name.into(),
        ty,
        text: type_text(ty).into(),
        dims: Vec::new(),
        allocatable: false,
        pointer: false,
        init: None,
    };
    Members { list: vec![part("re"), part("im")], complete: true }
}

impl<'t> Lower<'t> {
    /// The components of a type that the text defines once.
    pub fn members_of(&mut self, of: &str, depth: usize) -> Rc<Members<'t>> {
        if let Some(m) = self.types.get(of) {
            return m.clone();
        }
        // A definition may, wrongly, ask for itself.
        self.types.insert(of.to_owned(), Rc::default());
        let found = if depth > 10 { Members::default() } else { self.find_members(of, depth).unwrap_or_default() };
        let found = Rc::new(found);
        self.types.insert(of.to_owned(), found.clone());
        found
    }

    fn find_members(&mut self, of: &str, depth: usize) -> Option<Members<'t>> {
        if let Some(bits) = complex_bits(of) {
            return Some(parts_of_complex(bits));
        }
        let (file, definition) = self.type_definition(of)?;
        let head = child(definition, "derived_type_statement")?;
        // A type with parameters is several types.
        let plain = ["type_name", "access_specifier", "language_binding", "base_type_specifier", "abstract_specifier"];
        if named(head).iter().any(|n| !plain.contains(&n.kind())) {
            return None;
        }
        // What happens where a variable ceases to be is in no statement.
        if child(definition, "derived_type_procedures").is_some_and(|p| child(p, "final_statement").is_some()) {
            return None;
        }
        let inherited = self.parent_type(of).map(|p| self.members_of(&p, depth + 1));
        let around = self.unit_around(file, definition)?.scope;
        let here = (std::mem::replace(&mut self.cur.scope, around), std::mem::replace(&mut self.cur.file, file));
        let mut out = inherited.map_or_else(|| Members { list: Vec::new(), complete: true }, |m| (*m).clone());
        for d in named(definition) {
            match d.kind() {
                "variable_declaration" => self.members_in(d, (file, around), depth, &mut out),
                "derived_type_statement" | "end_type_statement" | "derived_type_procedures" | "comment" | "sequence_statement" => {}
                k if k.ends_with("private_statement") || k.ends_with("public_statement") => {}
                _ => out.complete = false,
            }
        }
        (self.cur.scope, self.cur.file) = here;
        Some(out)
    }

    fn members_in(&mut self, d: Node<'t>, (file, around): (usize, ScopeId), depth: usize, out: &mut Members<'t>) {
        let Some(spec) = field(d, "type").filter(|t| t.kind() != "procedure").and_then(|t| self.type_spec(t).ok()) else {
            out.complete = false;
            return;
        };
        let mut cursor = d.walk();
        let attributes: Vec<Node> = d.children_by_field_name("attribute", &mut cursor).collect();
        let words: Vec<String> = attributes.iter().map(|a| self.lower(*a)).collect();
        let shape = attributes.iter().find(|a| self.lower(**a).starts_with("dimension")).and_then(|a| child(*a, "argument_list"));
        let allocatable = words.iter().any(|w| w == "allocatable");
        let pointer = words.iter().any(|w| w == "pointer");
        let known = ["allocatable", "pointer", "contiguous", "private", "public"];
        let plain = words.iter().all(|w| known.contains(&w.as_str()) || w.starts_with("dimension"));
        // What it leads to is not copied with the structure.
        out.complete &= !pointer;
        let mut cursor = d.walk();
        for x in d.children_by_field_name("declarator", &mut cursor).collect::<Vec<_>>() {
            let (target, init) = match x.kind() {
                "init_declarator" => (field(x, "left"), field(x, "right")),
                "pointer_init_declarator" => (field(x, "left"), None),
                _ => (Some(x), None),
            };
            let (name, size) = match target.map(|t| (t.kind(), t)) {
                Some(("identifier", t)) => (Some(t), None),
                Some(("sized_declarator", t)) => (named(t).first().copied(), child(t, "size")),
                _ => (None, None),
            };
            let Some(name) = name.filter(|_| plain).map(|n| self.lower(n)) else {
                out.complete = false;
                continue;
            };
            let dims = match size.or(shape) {
                Some(s) => self.fixed_dims(s, allocatable || pointer),
                None => Some(Vec::new()),
            };
            let Some(dims) = dims.filter(|d| !allocatable || !d.is_empty()) else {
                out.complete = false;
                continue;
            };
            match spec.ty.base {
                BaseType::Real | BaseType::Integer | BaseType::Bool => out.list.push(Member {
                    path: name,
                    ty: spec.ty,
                    text: spec.text.clone(),
                    dims,
                    allocatable,
                    pointer,
                    init: init.map(|i| (i, file, around)),
                }),
                BaseType::Opaque if dims.is_empty() && init.is_none() && !pointer => {
                    let inner = type_name(&spec.text).map(|t| self.members_of(&self.type_called(&t, around), depth + 1));
                    match inner {
                        Some(inner) => {
                            out.complete &= inner.complete;
                            out.list.extend(inner.list.iter().map(|m| Member { path: format!("{name}%{}", m.path), ..m.clone() }));
                        }
                        None => out.complete = false,
                    }
                }
                _ => out.complete = false,
            }
        }
    }

    /// Constant bounds, or as many open ones.
    fn fixed_dims(&self, size: Node<'t>, deferred: bool) -> Option<Vec<Dim>> {
        let items = named(size);
        if items.is_empty() || items.len() > 7 {
            return None;
        }
        let constant = |n: Node<'t>| Some(Bound::Expr(Expr::int(self.const_int(n)?)));
        items
            .into_iter()
            .map(|item| {
                if item.kind() != "extent_specifier" {
                    return Some(Dim { lower: Bound::Expr(Expr::int(1)), upper: constant(item)? }).filter(|_| !deferred);
                }
                let parts = named(item);
                if deferred {
                    return parts.is_empty().then(Dim::default);
                }
                match parts[..] {
                    [l, u] => Some(Dim { lower: constant(l)?, upper: constant(u)? }),
                    _ => None,
                }
            })
            .collect()
    }
}
