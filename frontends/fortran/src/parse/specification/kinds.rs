//! Types and kinds: what a declaration spells, and integer constants at compile time.
//!
//! Lives here: kind parameters, constant folding of integers. Never here: declarations.

use crate::parse::context::intrinsic_modules::{intrinsic_constant, selected_int_kind, selected_real_kind};
use crate::parse::context::scopes::TypeSpec;
use crate::parse::context::state::{Lower, Lowered, Refusal};
use crate::parse::context::structures::{complex_bits, complex_text};
use crate::parse::text::tree::{child, children, field, named};
use rustc_hash::FxHashSet;
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// The value of a named integer constant.
    pub fn named_constant(&self, name: &str) -> Option<i64> {
        if let Some(symbol) = self.lookup(self.cur.scope, name) {
            let s = self.p.symbol(symbol);
            let (scope, own) = (s.scope, s.name.to_ascii_lowercase());
            return self.info.get(scope.index())?.constants.get(&own).copied();
        }
        let mut at = Some(self.cur.scope);
        let mut seen = FxHashSet::default();
        while let Some(scope) = at {
            if let Some(value) = self.used_constant(scope, name, &mut seen) {
                return Some(value);
            }
            at = self.p.scope(scope).parent;
        }
        None
    }

    /// The value of a constant of an intrinsic module that a scope sees, under the names that it has on the way.
    fn used_constant(&self, scope: ScopeId, name: &str, seen: &mut FxHashSet<(ScopeId, String)>) -> Option<i64> {
        let info = self.info.get(scope.index()).filter(|_| seen.insert((scope, name.to_owned())))?;
        info.uses.iter().find_map(|u| {
            let there = u.name_there(name)?;
            match u.scope {
                None => intrinsic_constant(&u.module, there),
                Some(s) => {
                    let hands_on = self.info.get(s.index()).is_some_and(|i| i.is_open(there));
                    hands_on.then(|| self.used_constant(s, there, seen))?
                }
            }
        })
    }

    /// The value of an integer constant expression, if it is one that is known.
    pub fn const_int(&self, node: Node) -> Option<i64> {
        self.const_int_in(node, 0)
    }

    fn const_int_in(&self, node: Node, depth: usize) -> Option<i64> {
        if depth > 60 {
            return None;
        }
        match node.kind() {
            "number_literal" => self.text(node).split('_').next()?.trim().parse().ok(),
            "identifier" => {
                let name = self.lower(node);
                self.cur.data_index.get(&name).copied().or_else(|| self.named_constant(&name))
            }
            "parenthesized_expression" => self.const_int_in(*named(node).first()?, depth + 1),
            "unary_expression" => {
                let v = self.const_int_in(field(node, "argument")?, depth + 1)?;
                match self.text(field(node, "operator")?) {
                    "-" => v.checked_neg(),
                    "+" => Some(v),
                    _ => None,
                }
            }
            "math_expression" => {
                let a = self.const_int_in(field(node, "left")?, depth + 1)?;
                let right = field(node, "right")?;
                let left_is_power = field(node, "left")
                    .is_some_and(|l| l.kind() == "math_expression" && field(l, "operator").is_some_and(|o| self.text(o) == "**"));
                let b = self.const_int_in(right, depth + 1)?;
                match self.text(field(node, "operator")?) {
                    "+" => a.checked_add(b),
                    "-" => a.checked_sub(b),
                    "*" => a.checked_mul(b),
                    "/" => a.checked_div(b),
                    "**" if !left_is_power => a.checked_pow(u32::try_from(b).ok()?),
                    _ => None,
                }
            }
            "call_expression" => self.const_call(node, depth),
            _ => None,
        }
    }

    fn const_call(&self, node: Node, depth: usize) -> Option<i64> {
        let name = self.lower(*named(node).first()?);
        let list = child(node, "argument_list")?;
        let mut positional = Vec::new();
        let mut p = None;
        let mut r = None;
        for a in named(list) {
            if a.kind() == "keyword_argument" {
                let value = field(a, "value")?;
                match self.lower(field(a, "name")?).as_str() {
                    "p" => p = Some(value),
                    "r" => r = Some(value),
                    _ => return None,
                }
            } else {
                positional.push(a);
            }
        }
        let value = |n: Option<Node>| n.map_or(Some(0), |n| self.const_int_in(n, depth + 1));
        match (name.as_str(), positional.as_slice()) {
            ("selected_real_kind", args) if args.len() <= 2 => {
                Some(selected_real_kind(value(p.or(args.first().copied()))?, value(r.or(args.get(1).copied()))?))
            }
            ("selected_int_kind", args) if args.len() <= 1 => Some(selected_int_kind(value(r.or(args.first().copied()))?)),
            ("kind", [x]) => self.kind_of(*x),
            ("max", [a, b]) => Some(self.const_int_in(*a, depth + 1)?.max(self.const_int_in(*b, depth + 1)?)),
            ("min", [a, b]) => Some(self.const_int_in(*a, depth + 1)?.min(self.const_int_in(*b, depth + 1)?)),
            ("mod", [a, b]) => self.const_int_in(*a, depth + 1)?.checked_rem(self.const_int_in(*b, depth + 1)?),
            ("abs", [a]) => self.const_int_in(*a, depth + 1)?.checked_abs(),
            ("int", [a]) => self.const_int_in(*a, depth + 1),
            _ => None,
        }
    }

    /// The kind of a literal or a variable; that of a complex one is the kind of its parts.
    fn kind_of(&self, node: Node) -> Option<i64> {
        let bits = match node.kind() {
            "number_literal" => self.literal(node).ok()?.ty.bits,
            "complex_literal" => {
                named(node).into_iter().map(|part| self.bits_of_part(part)).try_fold(32, |most, b| b.map(|b| most.max(b)))?
            }
            "identifier" => {
                let symbol = self.p.symbol(self.lookup(self.cur.scope, &self.lower(node))?);
                let complex = symbol.decl.as_ref().filter(|_| symbol.ty.base == BaseType::Opaque).and_then(|d| complex_bits(&d.type_text));
                complex.unwrap_or(symbol.ty.bits)
            }
            "boolean_literal" => return Some(4),
            _ => return None,
        };
        (bits > 0).then(|| i64::from(bits) / 8)
    }

    /// The bits of a part of a complex constant; whole numbers count as default reals.
    fn bits_of_part(&self, part: Node) -> Option<u16> {
        match part.kind() {
            "unary_expression" => self.bits_of_part(field(part, "argument")?),
            "number_literal" => self.literal(part).ok().map(|v| if v.ty.base == BaseType::Real { v.ty.bits } else { 32 }),
            _ => None,
        }
    }

    /// Bits of a real or integer of a kind.
    pub fn bits(kind: i64) -> Option<u16> {
        matches!(kind, 1 | 2 | 4 | 8 | 10 | 16).then(|| if kind == 10 { 80 } else { kind as u16 * 8 })
    }

    /// The type that `real(wp)`, `double precision`, `character(len=*)`, `type(t)` spell.
    pub fn type_spec(&self, node: Node) -> Lowered<TypeSpec> {
        let text: String = self.file().squeezed(node);
        if node.kind() != "intrinsic_type" {
            return Ok(TypeSpec { ty: ElemType { base: BaseType::Opaque, bits: 0 }, text: text.into() });
        }
        let words: Vec<String> = children(node).iter().filter(|c| !c.is_named()).map(|c| self.lower(*c)).collect();
        let word = words.concat();
        let kind = field(node, "kind");
        let (base, default) = match word.as_str() {
            "real" => (BaseType::Real, 32),
            "doubleprecision" => (BaseType::Real, 64),
            "integer" => (BaseType::Integer, 32),
            "byte" => (BaseType::Integer, 8),
            "complex" => (BaseType::Complex, 32),
            "doublecomplex" => (BaseType::Complex, 64),
            "logical" => (BaseType::Bool, 0),
            _ => (BaseType::String, 0),
        };
        let mut bits = default;
        if let (Some(kind), BaseType::Real | BaseType::Integer | BaseType::Complex) = (kind, base) {
            let star = children(kind).first().is_some_and(|c| c.kind() == "*");
            let value = named(kind).into_iter().next();
            let value = match value {
                Some(v) if v.kind() == "keyword_argument" => field(v, "value"),
                v => v,
            };
            let number = value.and_then(|v| self.const_int(v));
            let half = if star && base == BaseType::Complex { 2 } else { 1 };
            bits = number.and_then(|k| Self::bits(k / half)).ok_or_else(|| self.unknown_kind(kind, value.unwrap_or(kind)))?;
        }
        if let (Some(kind), BaseType::Bool) = (kind, base) {
            // The usual kind is said by nothing.
            let known = named(kind)
                .into_iter()
                .next()
                .and_then(|v| self.const_int(if v.kind() == "keyword_argument" { field(v, "value")? } else { v }));
            bits = known.filter(|k| *k != 4).and_then(Self::bits).unwrap_or(0);
        }
        if base == BaseType::Complex {
            // A structure of two numbers.
            return Ok(TypeSpec { ty: ElemType { base: BaseType::Opaque, bits: 0 }, text: complex_text(bits) });
        }
        Ok(TypeSpec { ty: ElemType { base, bits }, text: text.into() })
    }

    /// The refusal of a kind that nobody knows, with what is missing.
    pub fn unknown_kind(&self, place: Node, kind: Node) -> Refusal {
        let name = self.lower(kind);
        let mut d = *self.refuse(place, "OB3011", format!("the kind `{}` has no known value", self.text(kind)));
        let known = self.lookup(self.cur.scope, &name).map(|s| self.p.symbol(s));
        let place = known.and_then(|s| self.p.location(s.span));
        match (self.unknown_module(self.cur.scope, &name), place) {
            (_, Some(at)) => {
                d.reason = Some(format!("it is defined at {}:{} by something that has no known value", at.file, at.line));
                d.help = Some("define what is a macro there with -D NAME=VALUE, and give the files of all modules that it uses".into());
            }
            (Some(module), None) => {
                d.reason = Some(format!("`{name}` comes from module `{module}`, which is not given"));
                d.help = Some("give the file that defines the module as well".into());
            }
            (None, None) => d.help = Some("give the file that defines it as well".into()),
        }
        Box::new(d)
    }
}
