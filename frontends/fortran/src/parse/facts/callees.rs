//! Which functions an expression calls.
//!
//! Lives here: whether a name in the text means a unit. Never here: the call itself.

use crate::parse::context::intrinsic_names::{is_extension, is_intrinsic};
use crate::parse::context::state::Lower;
use crate::parse::text::tree::{field, named, walk};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Whether lowering this expression makes statements.
    pub fn calls_units(&self, node: Node<'t>) -> bool {
        self.calls_units_in(node, 0)
    }

    fn calls_units_in(&self, node: Node<'t>, depth: usize) -> bool {
        let mut found = false;
        walk(node, &mut |n| {
            if matches!(n.kind(), "array_literal" | "concatenation_expression" | "derived_type_member_expression") {
                found = true;
            }
            found |= self.may_be_defined(n) || self.is_complex_operation(n);
            if n.kind() == "call_expression"
                && let Some(callee) = named(n).first().filter(|c| c.kind() == "identifier")
            {
                let name = self.lower(*callee);
                if let Some(f) = self.statement_function(&name) {
                    found |= depth > 20 || field(f.definition, "right").is_some_and(|b| self.calls_units_in(b, depth + 1));
                } else {
                    let array = self.lookup(self.cur.scope, &name).is_some_and(|s| {
                        let s = self.p.symbol(s);
                        s.kind != SymbolKind::Subroutine && (s.rank > 0 || s.ty.base == BaseType::String)
                    });
                    let framed = self.cur.frames.last().is_some_and(|f| f.contains_key(&name));
                    let text = self.lookup(self.cur.scope, &name).is_some_and(|s| {
                        let s = self.p.symbol(s);
                        s.rank == 0 && s.ty.base == BaseType::String
                    });
                    found |= text || matches!(name.as_str(), "trim" | "adjustl" | "adjustr" | "repeat" | "achar" | "char");
                    let several = named(n).get(1).is_some_and(|l| named(*l).len() > 1);
                    let loops = match name.as_str() {
                        "sum" | "maxval" | "minval" | "count" | "any" | "all" | "norm2" | "maxloc" | "minloc" => several,
                        "findloc" | "product" | "spread" | "reshape" | "cshift" | "eoshift" | "pack" | "unpack" => true,
                        _ => false,
                    };
                    found |= !array && !framed && (loops || !self.means_intrinsic(&name));
                }
            }
            !found
        });
        found
    }

    /// Whether a name with arguments is an intrinsic function here.
    pub fn means_intrinsic(&self, name: &str) -> bool {
        if !is_intrinsic(name) || !self.generic(self.cur.scope, name).is_empty() {
            return false;
        }
        if is_extension(name) && self.lookup(self.cur.scope, name).is_some_and(|s| self.proc_of.contains_key(&s)) {
            return false;
        }
        match self.lookup(self.cur.scope, name) {
            None => true,
            Some(s) => {
                let s = self.p.symbol(s);
                if s.kind == SymbolKind::Subroutine {
                    s.scope == ScopeId(0) && !self.names.contains_key(&(self.cur.scope, name.to_string()))
                } else {
                    s.rank == 0 && !s.has_attribute("external") && *s.storage() != Storage::Argument
                }
            }
        }
    }

    /// Whether a node calls a procedure of the user's.
    pub fn calls_user(&self, node: Node<'t>) -> bool {
        let mut found = false;
        walk(node, &mut |n| {
            if matches!(n.kind(), "subroutine_call" | "user_defined_operator") || self.may_be_defined(n) {
                found = true;
            }
            if n.kind() == "call_expression"
                && let Some(callee) = named(n).first()
            {
                if callee.kind() == "identifier" {
                    let name = self.lower(*callee);
                    let array = self.lookup(self.cur.scope, &name).is_some_and(|s| {
                        let s = self.p.symbol(s);
                        s.kind != SymbolKind::Subroutine && (s.rank > 0 || matches!(s.ty.base, BaseType::String))
                    });
                    let framed = self.cur.frames.last().is_some_and(|f| f.contains_key(&name));
                    found |= !array && !framed && !self.means_intrinsic(&name);
                } else if self.text(*callee).contains('%') && !n.parent().is_some_and(|p| field(p, "left") == Some(n)) {
                    // `x%f(y)` may be a type-bound function.
                    found = true;
                }
            }
            !found
        });
        found
    }
}
