//! References to components that have variables of their own.
//!
//! Lives here: which variable `a(i)%b%c(j)` is. Never here: components without one (see `components`).

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::structures::members_in;
use crate::parse::context::terms::Val;
use crate::parse::text::tree::named;
use tree_sitter::Node;
use xaif::model::*;

/// A structure in the text: the name with its path, and the subscripts of the variable.
pub struct Structure<'t> {
    /// `a%b`
    pub path: String,
    /// Subscripts of the variable.
    pub list: Option<Node<'t>>,
}

impl<'t> Lower<'t> {
    /// The names and subscripts of `a(i)%b%c(j)`: variable, its subscripts, path, subscripts of the last component.
    #[allow(clippy::type_complexity)]
    fn parts_of(&self, node: Node<'t>) -> Option<(Node<'t>, Option<Node<'t>>, Vec<String>, Option<Node<'t>>)> {
        let mut path = Vec::new();
        let mut last = None;
        let mut at = node;
        for _ in 0..30 {
            match at.kind() {
                "derived_type_member_expression" => {
                    let parts = named(at);
                    let (&inner, &member) = (parts.first()?, parts.last()?);
                    path.insert(0, self.lower(member));
                    at = inner;
                }
                "call_expression" => {
                    let parts = named(at);
                    let [callee, list] = parts[..] else { return None };
                    if list.kind() != "argument_list" {
                        return None;
                    }
                    if callee.kind() == "identifier" {
                        return Some((callee, Some(list), path, last));
                    }
                    // Subscripts in the middle are those of an array of structures inside a structure.
                    if !path.is_empty() {
                        return None;
                    }
                    last = Some(list);
                    at = callee;
                }
                "identifier" => return Some((at, None, path, last)),
                _ => return None,
            }
        }
        None
    }

    /// The variable of a component.
    pub fn member_symbol(&self, node: Node<'t>) -> Option<SymbolId> {
        let (base, _, path, _) = self.parts_of(node)?;
        let base = self.lower(base);
        if path.is_empty() || self.cur.frames.last().is_some_and(|f| f.contains_key(&base)) {
            return None;
        }
        let found = self.lookup(self.cur.scope, &format!("{base}%{}", path.join("%")));
        found.or_else(|| {
            let path = self.without_parents(self.lookup(self.cur.scope, &base)?, &path)?;
            self.lookup(self.cur.scope, &format!("{base}%{}", path.join("%")))
        })
    }

    /// `s%base%x` is `s%x` where the type of `s` extends `base`; `None` where a path names no such type.
    fn without_parents(&self, base: SymbolId, path: &[String]) -> Option<Vec<String>> {
        let mut of = self.type_of_symbol(self.p.symbol(base))?;
        let mut out = Vec::new();
        for (k, part) in path.iter().enumerate() {
            if part != &of && self.is_kind_of(&of, part) && k + 1 < path.len() {
                of = part.clone();
                continue;
            }
            out.push(part.clone());
            if k + 1 < path.len() {
                of = self.component_type(&of, part)?;
            }
        }
        (out.len() < path.len()).then_some(out)
    }

    /// The component of an argument that a declaration names: a bound of an array.
    pub fn member_of_argument(&mut self, node: Node<'t>) -> Lowered<Option<Val>> {
        let Some((base, ..)) = self.parts_of(node) else { return Ok(None) };
        let name = self.lower(base);
        let Some(symbol) = self.lookup(self.cur.scope, &name) else { return Ok(None) };
        let formal = self.procs[self.cur.proc].formals.iter().any(|f| f.symbol == symbol);
        if !formal || self.p.symbol(symbol).rank > 0 || self.has_members(symbol, &name) {
            return Ok(None);
        }
        self.make_members_of(symbol);
        self.member(node)
    }

    /// A component that has a variable of its own.
    pub fn member(&mut self, node: Node<'t>) -> Lowered<Option<Val>> {
        let Some(symbol) = self.member_symbol(node) else { return Ok(None) };
        let Some((base, outer, _, inner)) = self.parts_of(node) else { return Ok(None) };
        let base = self.lower(base);
        let rank = self.lookup(self.cur.scope, &base).map_or(0, |s| self.p.symbol(s).rank);
        let ty = self.p.symbol(symbol).ty;
        let r = self.member_reference(symbol, rank, outer, inner, node)?;
        let rank = xaif::types::of_ref(&self.p, &r).rank;
        Ok(Some(Val::new(Expr::var(r), ty, rank)))
    }

    /// The reference with the subscripts of the variable before those of the component.
    pub fn member_reference(
        &mut self,
        symbol: SymbolId,
        outer_rank: u8,
        outer: Option<Node<'t>>,
        inner: Option<Node<'t>>,
        node: Node<'t>,
    ) -> Lowered<VarRef> {
        let rank = self.p.symbol(symbol).rank;
        let mut r = VarRef::whole(symbol);
        if outer.is_none() && inner.is_none() {
            return Ok(r);
        }
        for (list, count) in [(outer, outer_rank), (inner, rank - outer_rank.min(rank))] {
            match list {
                Some(list) => {
                    let subscripts = self.subscripts(list)?;
                    if subscripts.len() != count as usize {
                        return Err(self.refuse(node, "OB3043", "the number of subscripts differs from the number of dimensions"));
                    }
                    r.subscripts.extend(subscripts.into_iter().map(|(t, _)| t));
                }
                None => r.subscripts.extend((0..count).map(|_| Triplet::default())),
            }
        }
        Ok(r)
    }

    /// `a`, `a%b` or `a(i)` where that is a structure whose components have variables.
    pub fn structure(&self, node: Node<'t>) -> Option<Structure<'t>> {
        if let Some(t) = self.cur.returned.get(&node.id()) {
            return Some(Structure { path: self.p.symbol(*t).name.to_ascii_lowercase(), list: None });
        }
        let (base, list, path, last) = self.parts_of(node)?;
        let name = self.lower(base);
        if last.is_some() || self.cur.frames.last().is_some_and(|f| f.contains_key(&name)) {
            return None;
        }
        let s = self.lookup(self.cur.scope, &name)?;
        // What is declared without dimensions and has arguments is an external function.
        if self.p.symbol(s).ty.base != BaseType::Opaque || list.is_some() && self.p.symbol(s).rank == 0 {
            return None;
        }
        let path = std::iter::once(name).chain(path).collect::<Vec<_>>().join("%");
        self.has_members(s, &path).then_some(Structure { path, list })
    }

    /// What stands for a structure that is passed: the variable that it is a part of.
    pub fn passed_structure(&mut self, node: Node<'t>) -> Lowered<Option<Val>> {
        if let Some(t) = self.structure_call(node)? {
            return Ok(Some(Val::new(Expr::sym(t), self.p.symbol(t).ty, 0)));
        }
        if node.kind() != "derived_type_member_expression" || self.member_symbol(node).is_some() || self.structure(node).is_none() {
            return Ok(None);
        }
        let Some((base, ..)) = self.parts_of(node) else { return Ok(None) };
        let s = self.variable(base)?;
        Ok(Some(Val::new(Expr::sym(s), self.p.symbol(s).ty, 0)))
    }

    /// Notes what a text names below a structure: the variable of a component, or the structure, of which `partly` and `whole` know how much is
    /// meant. The subscripts are left to be looked at.
    pub fn named_members(&mut self, node: Node<'t>, out: &mut Vec<SymbolId>) -> Option<Vec<Node<'t>>> {
        if !matches!(node.kind(), "derived_type_member_expression" | "call_expression") {
            return None;
        }
        let (base, outer, path, inner) = self.parts_of(node)?;
        let name = self.lower(base);
        if path.is_empty() || self.cur.frames.last().is_some_and(|f| f.contains_key(&name)) {
            return None;
        }
        let symbol = self.lookup(self.cur.scope, &name).filter(|s| self.p.symbol(*s).ty.base == BaseType::Opaque)?;
        out.push(symbol);
        if let Some(leaf) = self.member_symbol(node) {
            out.push(leaf);
            self.cur.partly.insert(symbol);
        } else if self.structure(node).is_some() || self.names_parent(symbol, &path) {
            self.cur.whole.insert(symbol);
        } else {
            self.cur.partly.insert(symbol);
        }
        Some(outer.into_iter().chain(inner).collect())
    }

    /// Whether a path goes through the type that the variable's type extends: all that is inherited.
    fn names_parent(&self, symbol: SymbolId, path: &[String]) -> bool {
        let of = self.type_of_symbol(self.p.symbol(symbol));
        of.is_some_and(|of| path.first().is_some_and(|p| *p != of && self.is_kind_of(&of, p)))
    }

    /// What a statement kept as text does to a structure it does to its components.
    pub fn with_members(&self, symbols: &mut Vec<SymbolId>) {
        let mut more = Vec::new();
        for &s in symbols.iter() {
            if self.cur.partly.contains(&s) && !self.cur.whole.contains(&s) {
                continue;
            }
            more.extend(members_in(&self.p, s));
        }
        if !more.is_empty() {
            symbols.extend(more);
            symbols.sort_unstable();
            symbols.dedup();
        }
    }
}
