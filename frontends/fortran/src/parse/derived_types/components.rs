//! Components of derived types that are read: numbers that carry no derivative, copied into variables of their own.
//!
//! ```text
//! y = p%a*x     ->     a_1 = p%a  (an opaque statement);  y = a_1*x
//! ```
//!
//! What a component of an argument with INTENT(IN) is worth is asked once, at the start of the unit. Lives here: what a component is, and these
//! copies. Never here: assignments to components, which are opaque statements.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, type_text};
use crate::parse::text::tree::{named, walk};
use tree_sitter::Node;
use xaif::model::*;

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
        if self.may_lead_to_targets(node) {
            let mut d = *unsupported(self);
            d.reason = Some("a pointer leads there, and perhaps to a variable with TARGET".into());
            d.help = Some("pass what it points to as an argument, or declare the structure without OPTIONAL, TARGET and POINTER".into());
            return Err(Box::new(d));
        }
        let t = self.temp(&name, c.ty, &type_text(c.ty), Vec::new(), false, self.file().span(node));
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

    /// Whether a component that has no variable is behind a pointer in its structure, and may be a real variable that has a name elsewhere.
    fn may_lead_to_targets(&mut self, node: Node<'t>) -> bool {
        let (mut at, mut behind) = (node, false);
        while matches!(at.kind(), "derived_type_member_expression" | "call_expression") {
            behind |= at.kind() == "derived_type_member_expression" && self.component_of(at, 0).is_some_and(|(c, _)| c.deferred);
            let Some(&inner) = named(at).first() else { return true };
            at = inner;
        }
        let is_target = |s: &Symbol| s.ty.base == BaseType::Real && s.has_attribute("target");
        behind && self.p.symbols.iter().any(is_target)
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
}
