//! Which expressions are complex numbers.
//!
//! Lives here: what the text alone says of the type. Never here: values.

use crate::parse::context::intrinsic_names::COMPLEX;
use crate::parse::context::state::Lower;
use crate::parse::context::structures::complex_bits;
use crate::parse::derived_types::references::Structure;
use crate::parse::text::tree::{field, named};
use tree_sitter::Node;
use xaif::model::*;

/// Functions of complex numbers whose values are complex.
const LIKE_ARGUMENTS: &[&str] = &[
    "sqrt",
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "sum",
    "product",
    "matmul",
    "dot_product",
    "transpose",
    "merge",
    "spread",
    "reshape",
    "cshift",
    "eoshift",
    "pack",
    "unpack",
];

/// The generic name of an intrinsic of complex numbers.
pub fn generic_name(name: &str) -> &str {
    COMPLEX.iter().find(|(n, ..)| *n == name).map_or(name, |(_, generic, _)| generic)
}

impl<'t> Lower<'t> {
    /// Whether the program has complex numbers at all.
    pub fn has_complex(&self) -> bool {
        *self.complex.get_or_init(|| {
            let words = |t: &str| {
                let t = t.to_ascii_lowercase();
                t.contains("complex") || t.contains("cmplx")
            };
            self.files.iter().any(|f| words(&f.spliced.text))
        })
    }

    /// Whether an expression is complex. Deep ones are looked through without recursion.
    pub fn is_complex(&self, node: Node<'t>) -> bool {
        if !self.has_complex() {
            return false;
        }
        let mut open = vec![node];
        while let Some(n) = open.pop() {
            match n.kind() {
                "complex_literal" => return true,
                "parenthesized_expression" | "array_literal" => open.extend(named(n)),
                "unary_expression" => open.extend(field(n, "argument")),
                "math_expression" => open.extend([field(n, "left"), field(n, "right")].into_iter().flatten()),
                "identifier" if self.is_complex_name(n) => return true,
                "derived_type_member_expression" if self.complex_structure(n).is_some() => return true,
                "call_expression" => {
                    if self.is_complex_reference(n) {
                        return true;
                    }
                    open.extend(self.arguments_like(n));
                }
                _ => {}
            }
        }
        false
    }

    /// Whether a node is an operation of complex numbers, which may need variables for its parts.
    pub fn is_complex_operation(&self, node: Node<'t>) -> bool {
        let operation = matches!(node.kind(), "math_expression" | "call_expression");
        operation && self.is_complex(node) && (node.kind() == "math_expression" || self.complex_structure(node).is_none())
    }

    /// Whether a symbol is a complex variable.
    pub fn is_complex_symbol(&self, symbol: SymbolId) -> bool {
        let s = self.p.symbol(symbol);
        s.ty.base == BaseType::Opaque && s.decl.as_ref().is_some_and(|d| complex_bits(&d.type_text).is_some())
    }

    fn is_complex_name(&self, node: Node<'t>) -> bool {
        let name = self.lower(node);
        let symbol = match self.cur.frames.last().and_then(|f| f.get(&name)) {
            Some(v) => v.e.as_var().map(|r| r.symbol),
            None => self.lookup(self.cur.scope, &name),
        };
        symbol.is_some_and(|s| self.is_complex_symbol(s))
    }

    /// An element or a section, or a call of a complex function.
    fn is_complex_reference(&self, node: Node<'t>) -> bool {
        if self.complex_structure(node).is_some() {
            return true;
        }
        let Some(callee) = named(node).first().copied().filter(|c| c.kind() == "identifier") else { return false };
        let name = self.lower(callee);
        if self.cur.frames.last().is_some_and(|f| f.contains_key(&name)) || self.is_array_or_text(&name) {
            return self.is_complex_name(callee);
        }
        if self.means_intrinsic(&name) {
            return COMPLEX.iter().any(|(n, generic, _)| *n == name && !matches!(*generic, "aimag" | "realpart" | "dble" | "abs"));
        }
        let complex = |s: SymbolId| self.structure_result(s).is_some_and(|r| self.is_complex_symbol(r)) || self.is_complex_symbol(s);
        self.lookup(self.cur.scope, &name).is_some_and(complex)
            || self.generic(self.cur.scope, &name).iter().any(|(place, s)| self.lookup(*place, s).is_some_and(complex))
    }

    /// The arguments that decide whether an intrinsic is complex.
    fn arguments_like(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let [callee, list] = named(node)[..] else { return Vec::new() };
        let name = if callee.kind() == "identifier" { self.lower(callee) } else { String::new() };
        if !LIKE_ARGUMENTS.contains(&name.as_str()) || self.is_array_or_text(&name) || !self.means_intrinsic(&name) {
            return Vec::new();
        }
        named(list).into_iter().filter_map(|a| if a.kind() == "keyword_argument" { field(a, "value") } else { Some(a) }).collect()
    }

    /// A complex variable, component or part of an array whose parts have variables.
    pub fn complex_structure(&self, node: Node<'t>) -> Option<Structure<'t>> {
        let s = self.structure(node)?;
        let mut path = s.path.split('%');
        let base = self.lookup(self.cur.scope, path.next()?)?;
        let mut of = self.type_of_symbol(self.p.symbol(base))?;
        for part in path {
            of = self.component_type(&of, part)?;
        }
        complex_bits(&of).is_some().then_some(s)
    }
}
