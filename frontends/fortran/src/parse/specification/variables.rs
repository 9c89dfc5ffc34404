//! Declarations of variables: types, dimensions, attributes, initial values.
//!
//! Lives here: what a type declaration or an attribute statement says of a name. Never here: where variables share memory (see `commons`).

use crate::parse::context::scopes::TypeSpec;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::text::tree::{child, children, field, named};
use tree_sitter::Node;
use xaif::model::*;

/// What is declared for all names of a declaration.
#[derive(Default)]
pub struct Attributes<'t> {
    words: Vec<String>,
    dims: Option<Node<'t>>,
    intent: Option<Intent>,
}

impl<'t> Lower<'t> {
    /// `type, attributes :: names`.
    pub fn variable_declaration(&mut self, node: Node<'t>) -> Lowered<()> {
        let Some(t) = field(node, "type") else { return Err(self.refuse(node, "OB3034", "malformed declaration")) };
        if t.kind() == "procedure" {
            if self.dummy_procedures(node) {
                return Ok(());
            }
            return Err(self.refuse(node, "OB3030", "procedure pointer or dummy procedure"));
        }
        if t.kind() == "declared_type" {
            return Err(self.refuse(t, "OB3027", "TYPEOF"));
        }
        let spec = self.type_spec(t)?;
        let mut attributes = Attributes::default();
        let mut cursor = node.walk();
        for a in node.children_by_field_name("attribute", &mut cursor) {
            self.qualifier(a, &mut attributes)?;
        }
        let mut cursor = node.walk();
        let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
        for d in declarators {
            let (target, value) = match d.kind() {
                "init_declarator" => (field(d, "left"), field(d, "right")),
                "pointer_init_declarator" | "data_declarator" => (field(d, "left"), None),
                _ => (Some(d), None),
            };
            let Some(target) = target else { continue };
            let symbol = self.declarator(target, Some(&spec), &attributes)?;
            if let Some(v) = value {
                self.initial(symbol, v)?;
            }
            if d.kind() == "data_declarator"
                && let Some(v) = child(d, "data_value")
            {
                self.data_set(&[target], v)?;
            }
        }
        Ok(())
    }

    /// An attribute as a statement of its own.
    pub fn variable_modification(&mut self, node: Node<'t>) -> Lowered<()> {
        let mut attributes = Attributes::default();
        match child(node, "type_qualifier") {
            Some(q) => self.qualifier(q, &mut attributes)?,
            None => return Err(self.refuse(node, "OB3034", "unsupported attribute")),
        }
        let mut cursor = node.walk();
        let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
        if attributes.words.first().is_some_and(|w| w == "intrinsic") {
            // Intrinsic procedures need no declaration.
            return Ok(());
        }
        for d in declarators {
            self.declarator(d, None, &attributes)?;
        }
        Ok(())
    }

    fn qualifier(&mut self, node: Node<'t>, out: &mut Attributes<'t>) -> Lowered<()> {
        if node.kind() == "language_binding" {
            out.words.push("bind(c)".into());
            return Ok(());
        }
        let words: Vec<String> = children(node).iter().filter(|c| !c.is_named()).map(|c| self.lower(*c)).collect();
        match words.first().map_or("", |w| w.as_str()) {
            "dimension" => out.dims = child(node, "argument_list"),
            "intent" => {
                let what: String = words[1..].iter().filter(|w| *w != "(" && *w != ")").cloned().collect();
                out.intent = Some(match what.as_str() {
                    "in" => Intent::In,
                    "out" => Intent::Out,
                    _ => Intent::Inout,
                });
            }
            "codimension" => return Err(self.refuse(node, "OB3026", "coarray")),
            "rank" => return Err(self.refuse(node, "OB3034", "RANK attribute")),
            word => out.words.push(word.into()),
        }
        Ok(())
    }

    /// One name of a declaration.
    pub fn declarator(&mut self, node: Node<'t>, spec: Option<&TypeSpec>, attributes: &Attributes<'t>) -> Lowered<SymbolId> {
        let (name, size, length) = match node.kind() {
            "identifier" => (node, None, None),
            "sized_declarator" => {
                let name = named(node).first().copied().unwrap_or(node);
                (name, child(node, "size"), child(node, "character_length"))
            }
            _ => return Err(self.refuse(node, "OB3026", "coarray")),
        };
        if name.kind() != "identifier" {
            return Err(self.refuse(node, "OB3034", "malformed declaration"));
        }
        let symbol = self.entity(name);
        if self.p.symbol(symbol).kind == SymbolKind::Subroutine {
            return Err(self.refuse(name, "OB3013", format!("`{}` is a procedure of the same scope", self.text(name))));
        }
        if let Some(spec) = spec {
            let mut text = spec.text.clone();
            if let Some(l) = length {
                let n = self.text(l).trim_start_matches('*').trim();
                text = format!("character(len={})", n.trim_start_matches('(').trim_end_matches(')')).into();
            }
            let s = self.p.symbol_mut(symbol);
            s.ty = spec.ty;
            let span = self.files[self.cur.file].span(name);
            self.p.symbol_mut(symbol).span = span;
            self.decl(symbol).type_text = text;
            self.scope_info(self.cur.scope).typed.insert(symbol);
        }
        if let Some(size) = size.or(attributes.dims) {
            self.dimensions(symbol, size)?;
        }
        for w in &attributes.words {
            match w.as_str() {
                "parameter" => self.decl(symbol).storage = Storage::Constant,
                "value" => self.decl(symbol).passing = Passing::Value,
                "private" | "public" => {
                    let name = self.lower(name);
                    let info = self.scope_info(self.cur.scope);
                    if w == "private" { &mut info.private } else { &mut info.public }.insert(name);
                }
                "static" => self.attribute(symbol, "save"),
                w => self.attribute(symbol, w),
            }
            if w == "pointer" {
                self.p.symbol_mut(symbol).kind = SymbolKind::Pointer;
                self.p.symbol_mut(symbol).pointer = true;
            }
            if w == "pointer" || w == "target" {
                self.decl(symbol).may_alias = true;
            }
        }
        if let Some(intent) = attributes.intent {
            let proc = self.cur.proc;
            let entries = self.has_entries(proc);
            match self.procs[proc].formals.iter_mut().find(|f| f.symbol == symbol) {
                Some(f) => {
                    f.intent = intent;
                    f.intent_declared = true;
                }
                // It may be an argument of another entry.
                None if entries => {}
                None => return Err(self.refuse(name, "OB3013", format!("`{}` has INTENT, but is no argument", self.text(name)))),
            }
        }
        Ok(symbol)
    }

    fn dimensions(&mut self, symbol: SymbolId, size: Node<'t>) -> Lowered<()> {
        let mut dims = Vec::new();
        let items = named(size);
        if items.len() > 7 {
            return Err(self.refuse(size, "OB3034", "more than seven dimensions"));
        }
        for item in items {
            let one = || Bound::Expr(Expr::int(1));
            let mut dim = Dim::default();
            match item.kind() {
                "assumed_size" => dim.lower = one(),
                "assumed_rank" => return Err(self.refuse(item, "OB3034", "assumed rank")),
                "extent_specifier" => {
                    let mut colon = false;
                    let mut star = false;
                    for c in children(item) {
                        match (c.is_named(), c.kind()) {
                            (false, ":") => colon = true,
                            (true, "assumed_size") => star = true,
                            (true, _) => {
                                let v = self.bound(c)?;
                                if colon { dim.upper = Bound::Expr(v) } else { dim.lower = Bound::Expr(v) }
                            }
                            _ => {}
                        }
                    }
                    if dim.upper == Bound::Unknown && !star {
                        self.scope_info(self.cur.scope).deferred.insert(symbol);
                    }
                }
                _ => {
                    dim.lower = one();
                    dim.upper = Bound::Expr(self.bound(item)?);
                }
            }
            dims.push(dim);
        }
        self.p.symbol_mut(symbol).rank = dims.len() as u8;
        self.decl(symbol).dims = dims;
        Ok(())
    }

    fn bound(&mut self, node: Node<'t>) -> Lowered<Expr> {
        Ok(self.expr(node)?.e)
    }

    /// An initial value.
    pub fn initial(&mut self, symbol: SymbolId, value: Node<'t>) -> Lowered<()> {
        let s = self.p.symbol(symbol);
        let (rank, ty) = (s.rank, s.ty);
        let constant = *s.storage() == Storage::Constant;
        let name = s.name.to_ascii_lowercase();
        if constant
            && ty.base == BaseType::Integer
            && rank == 0
            && let Some(v) = self.const_int(value)
        {
            self.scope_info(self.cur.scope).constants.insert(name, v);
        }
        if rank == 0 && self.is_complex_symbol(symbol) {
            let v = self.complex_value(value)?;
            self.complex_values.insert(symbol, v);
        }
        let text = self.file().squeezed(value);
        let e = if rank == 0 { self.expr(value).ok().filter(|v| v.rank == 0) } else { None };
        let d = self.decl(symbol);
        match e {
            Some(v) => d.init = Some(v.e),
            None => d.init_text = text.into(),
        }
        if !constant {
            self.attribute(symbol, "save");
        }
        Ok(())
    }
}
