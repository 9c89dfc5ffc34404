//! Names and subscripts: variables, elements, sections.
//!
//! Lives here: what `x` and `x(i)` refer to. Never here: functions.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::structures::is_component;
use crate::parse::context::terms::Val;
use crate::parse::text::tree::{children, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// A name without arguments.
    pub fn name(&mut self, node: Node<'t>) -> Lowered<Val> {
        let name = self.lower(node);
        if let Some(v) = self.cur.frames.last().and_then(|f| f.get(&name)) {
            if let Some(o) = self.overlay(&name) {
                return self.overlaid_whole(o, node);
            }
            return Ok(v.clone());
        }
        let symbol = self.variable(node)?;
        let s = self.p.symbol(symbol);
        if s.kind == SymbolKind::Subroutine {
            return Err(self.refuse(node, "OB3030", format!("the procedure `{name}` is used as a value")));
        }
        Ok(Val::new(Expr::sym(symbol), s.ty, s.rank))
    }

    /// The symbol of a name, made by implicit typing if need be.
    pub fn variable(&mut self, node: Node<'t>) -> Lowered<SymbolId> {
        let name = self.lower(node);
        if let Some(r) = self.cur.frames.last().and_then(|f| f.get(&name)).and_then(|v| v.e.as_var()) {
            return Ok(r.symbol);
        }
        if let Some(symbol) = self.lookup(self.cur.scope, &name) {
            return Ok(symbol);
        }
        if let Some(module) = self.unknown_module(self.cur.scope, &name) {
            let mut d = *self.refuse(node, "OB3012", format!("`{name}` comes from module `{module}`, which is not given"));
            d.help = Some("give the file that defines the module as well".into());
            return Err(Box::new(d));
        }
        if let Some(value) = self.named_constant(&name) {
            // A named constant of an intrinsic module.
            let mut s = Symbol::variable(name, ElemType::INTEGER, self.cur.scope);
            if let Some(d) = &mut s.decl {
                d.storage = Storage::Constant;
                d.init = Some(Expr::int(value));
                d.type_text = "integer".into();
                d.attributes.push("intrinsic".into());
            }
            let key = s.name.to_ascii_lowercase();
            let id = self.add(s);
            let info = self.scope_info(self.cur.scope);
            info.typed.insert(id);
            info.constants.insert(key, value);
            return Ok(id);
        }
        self.implicit(node, &name)
    }

    /// A new variable by implicit typing.
    pub fn implicit(&mut self, node: Node<'t>, name: &str) -> Lowered<SymbolId> {
        let specification = self.cur.graph.is_none();
        let t = self.implicit_type(self.cur.scope, name);
        if t.is_none() && !specification {
            return Err(self.refuse(node, "OB3010", format!("`{name}` is not declared")));
        }
        let ty = t.clone().map_or(ElemType::default(), |t| t.ty);
        let mut s = Symbol::variable(self.text(node).trim(), ty, self.cur.scope);
        s.span = self.file().span(node);
        if let (Some(d), Some(t)) = (&mut s.decl, t) {
            d.type_text = t.text;
        }
        Ok(self.add(s))
    }

    /// `f(x)`: an element, a section, a statement function, an intrinsic or a call.
    pub fn call_expression(&mut self, node: Node<'t>) -> Lowered<Val> {
        let parts = named(node);
        let (callee, list) = match parts[..] {
            [callee, list] if list.kind() == "argument_list" => (callee, list),
            _ => return Err(self.refuse(node, "OB3034", "substring of an array element")),
        };
        if is_component(node) {
            if let Some((symbol, raws)) = self.bound_procedure(callee, Some(list), true)? {
                return self.call_function(symbol, raws, node);
            }
            return self.component_value(node);
        }
        if callee.kind() != "identifier" {
            self.expr(callee)?;
            return Err(self.refuse(callee, "OB3034", "unsupported reference"));
        }
        let name = self.lower(callee);
        if let Some(o) = self.overlay(&name).filter(|o| !o.dims.is_empty()).cloned() {
            return self.overlaid_part(&o, list, node);
        }
        if let Some(v) = self.cur.frames.last().and_then(|f| f.get(&name)).cloned() {
            return match v.e.as_var().filter(|r| r.subscripts.is_empty()).map(|r| r.symbol) {
                Some(symbol) => self.subscripted(symbol, node, list),
                None if v.rank > 0 => self.associated_element(&v, list, node),
                None => Err(self.refuse(callee, "OB3034", format!("subscripts on `{name}`"))),
            };
        }
        if self.is_array_or_text(&name) {
            let symbol = self.variable(callee)?;
            return self.subscripted(symbol, node, list);
        }
        if let Some(f) = self.statement_function(&name) {
            return self.expand(f, node, list);
        }
        self.function(callee, &name, list, node)
    }

    /// Whether parentheses behind a name hold subscripts or a substring.
    pub fn is_array_or_text(&self, name: &str) -> bool {
        self.lookup(self.cur.scope, name).is_some_and(|s| {
            let s = self.p.symbol(s);
            s.kind != SymbolKind::Subroutine && (s.rank > 0 || s.ty.base == BaseType::String)
        })
    }

    /// A reference with subscripts.
    fn subscripted(&mut self, symbol: SymbolId, node: Node<'t>, list: Node<'t>) -> Lowered<Val> {
        let (ty, rank) = (self.p.symbol(symbol).ty, self.p.symbol(symbol).rank);
        if rank == 0 {
            return self.text_value(node);
        }
        let subscripts = self.subscripts(list)?;
        if subscripts.len() != rank as usize {
            let message = format!("`{}` has {rank} dimensions, but {} subscripts", self.p.symbol(symbol).name, subscripts.len());
            return Err(self.refuse(node, "OB3043", message));
        }
        let mut r = VarRef::whole(symbol);
        let mut rank = 0;
        for (t, vector) in subscripts {
            rank += u8::from(t.is_section() || vector);
            r.subscripts.push(t);
        }
        Ok(Val::new(Expr::var(r), ty, rank))
    }

    /// The subscripts of a list, each with whether it is a vector.
    pub fn subscripts(&mut self, list: Node<'t>) -> Lowered<Vec<(Triplet, bool)>> {
        let mut out = Vec::new();
        for item in named(list) {
            if item.kind() == "extent_specifier" {
                out.push((self.triplet(item)?, false));
                continue;
            }
            if matches!(item.kind(), "keyword_argument" | "assumed_size" | "assumed_rank" | "multiple_subscript") {
                return Err(self.refuse(item, "OB3034", "unsupported subscript"));
            }
            let v = self.expr(item)?;
            if v.ty.base != BaseType::Integer {
                return Err(self.refuse(item, "OB3043", "a subscript must be an integer"));
            }
            out.push((Triplet::element(v.e), v.rank > 0));
        }
        Ok(out)
    }

    /// `lower:upper:stride`; only the anonymous colons tell which part is which.
    pub fn triplet(&mut self, node: Node<'t>) -> Lowered<Triplet> {
        let mut t = Triplet::default();
        let mut colons = 0;
        for c in children(node) {
            if !c.is_named() {
                colons += usize::from(c.kind() == ":");
                continue;
            }
            if c.kind() == "assumed_size" {
                return Err(self.refuse(c, "OB3034", "unsupported subscript"));
            }
            let v = self.expr(c)?;
            if v.ty.base != BaseType::Integer || v.rank > 0 {
                return Err(self.refuse(c, "OB3043", "a bound must be an integer"));
            }
            match colons {
                0 => t.index = Some(v.e),
                1 => t.bound = Some(v.e),
                _ => t.stride = Some(v.e),
            }
        }
        // An index alone would be an element, so `k:` says its stride.
        if t.index.is_some() && t.bound.is_none() && t.stride.is_none() {
            t.stride = Some(Expr::int(1));
        }
        Ok(t)
    }
}
