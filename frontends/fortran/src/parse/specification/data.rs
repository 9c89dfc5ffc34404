//! DATA statements: initial values of single elements, collected to one initialization expression for each variable.
//!
//! Lives here: which value belongs to which element. Never here: other declarations.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::type_text;
use crate::parse::text::tree::{child, field, named};
use std::collections::BTreeMap;
use tree_sitter::Node;
use xaif::model::*;

/// More elements than this are not initialized one by one.
const MAX_ELEMENTS: i64 = 100_000;

impl<'t> Lower<'t> {
    /// `data a, b(1) /1, 2/, c /3/`.
    pub fn data(&mut self, node: Node<'t>) -> Lowered<()> {
        for set in named(node).into_iter().filter(|c| c.kind() == "data_set") {
            let parts = named(set);
            let Some(value) = parts.iter().copied().find(|c| c.kind() == "data_value") else { continue };
            let objects: Vec<Node> = parts.into_iter().filter(|c| *c != value).collect();
            self.data_set(&objects, value)?;
        }
        Ok(())
    }

    /// One list of objects with its list of values.
    pub fn data_set(&mut self, objects: &[Node<'t>], value: Node<'t>) -> Lowered<()> {
        let mut values: Vec<(i64, String)> = Vec::new();
        let mut repeat = 1i64;
        let mut cursor = value.walk();
        let repeats: Vec<Node> = value.children_by_field_name("repeat", &mut cursor).collect();
        for c in named(value) {
            if repeats.contains(&c) {
                repeat = self
                    .const_int(c)
                    .filter(|r| *r >= 0)
                    .ok_or_else(|| self.refuse(c, "OB3013", "this repeat count has no known value"))?;
                continue;
            }
            values.push((repeat, self.file().squeezed(c)));
            repeat = 1;
        }
        let mut places = Vec::new();
        for o in objects {
            self.data_object(*o, &mut places, 0)?;
        }
        let mut places = places.into_iter();
        for (n, v) in values {
            for _ in 0..n {
                let Some((symbol, at)) = places.next() else {
                    return Err(self.refuse(value, "OB3013", "more values than elements"));
                };
                self.attribute(symbol, "save");
                self.scope_info(self.cur.scope).data.entry(symbol).or_default().insert(at, v.clone());
            }
        }
        match places.next() {
            Some(_) => Err(self.refuse(value, "OB3013", "fewer values than elements")),
            None => Ok(()),
        }
    }

    /// The elements that an object of the list means, as offsets in memory.
    fn data_object(&mut self, node: Node<'t>, out: &mut Vec<(SymbolId, i64)>, depth: usize) -> Lowered<()> {
        let too_many = |l: &Self| l.refuse(node, "OB3013", "too many elements, or bounds without a known value");
        match node.kind() {
            "identifier" => {
                let symbol = self.entity(node);
                let size = self.extents_of(symbol).and_then(|e| e.iter().try_fold(1i64, |a, (_, n)| a.checked_mul(*n)));
                let size = size.filter(|n| *n <= MAX_ELEMENTS - out.len() as i64).ok_or_else(|| too_many(self))?;
                out.extend((0..size).map(|k| (symbol, k)));
            }
            "call_expression" => {
                let parts = named(node);
                let [name, list] = parts[..] else { return Err(self.refuse(node, "OB3044", "substring")) };
                if name.kind() != "identifier" {
                    return Err(self.refuse(node, "OB3020", "component of a derived type"));
                }
                let symbol = self.entity(name);
                let extents = self.extents_of(symbol).ok_or_else(|| too_many(self))?;
                let subscripts: Option<Vec<i64>> = named(list).into_iter().map(|s| self.const_int(s)).collect();
                let Some(subscripts) = subscripts.filter(|s| s.len() == extents.len()) else {
                    return Err(self.refuse(node, "OB3013", "a subscript without a known value"));
                };
                let (mut at, mut step) = (0, 1i64);
                for (s, (lower, n)) in subscripts.into_iter().zip(extents) {
                    if s < lower || s - lower >= n {
                        return Err(self.refuse(node, "OB3013", "a subscript outside of the bounds"));
                    }
                    at += (s - lower) * step;
                    step = step.checked_mul(n).ok_or_else(|| too_many(self))?;
                }
                out.push((symbol, at));
            }
            "implied_do_loop_expression" if depth < 8 => {
                let Some(control) = child(node, "loop_control_expression") else { return Err(too_many(self)) };
                let parts = named(control);
                let name = parts.first().map(|n| self.lower(*n)).unwrap_or_default();
                let bound = |l: &Self, k: usize| parts.get(k).map_or(Some(1), |n| l.const_int(*n));
                let (Some(from), Some(to), Some(step)) = (bound(self, 1), bound(self, 2), bound(self, 3)) else {
                    return Err(too_many(self));
                };
                if step == 0 {
                    return Err(too_many(self));
                }
                let outer = self.cur.data_index.remove(&name);
                let mut i = from;
                while if step > 0 { i <= to } else { i >= to } {
                    if out.len() as i64 >= MAX_ELEMENTS {
                        return Err(too_many(self));
                    }
                    self.cur.data_index.insert(name.clone(), i);
                    for o in named(node).into_iter().filter(|o| *o != control && Some(*o) != field(node, "type")) {
                        self.data_object(o, out, depth + 1)?;
                    }
                    i = i.checked_add(step).ok_or_else(|| too_many(self))?;
                }
                self.cur.data_index.remove(&name);
                if let Some(o) = outer {
                    self.cur.data_index.insert(name, o);
                }
            }
            _ => return Err(self.refuse(node, "OB3034", "unsupported object of DATA")),
        }
        Ok(())
    }

    /// Lower bound and extent of each dimension, where they are constants.
    pub fn extents_of(&self, symbol: SymbolId) -> Option<Vec<(i64, i64)>> {
        let value = |b: &Bound| match b {
            Bound::Expr(e) => self.folded(e),
            Bound::Unknown => None,
        };
        let decl = self.p.symbol(symbol).decl.as_ref()?;
        decl.dims
            .iter()
            .map(|d| {
                let (l, u) = (value(&d.lower)?, value(&d.upper)?);
                Some((l, u.checked_sub(l)?.checked_add(1)?.max(0)))
            })
            .collect()
    }

    /// The value of a lowered integer expression over constants.
    fn folded(&self, e: &Expr) -> Option<i64> {
        let mut values: Vec<i64> = Vec::with_capacity(e.nodes.len());
        for n in &e.nodes {
            let a = |k: usize| n.operands.get(k).map(|o| values[o.index()]);
            values.push(match &n.kind {
                NodeKind::Const(c) => c.value.parse().ok()?,
                NodeKind::Var(r) if r.subscripts.is_empty() => self.named_constant(&self.p.symbol(r.symbol).name.to_ascii_lowercase())?,
                NodeKind::Op(o) => match o.name.as_str() {
                    "add_scal_scal" => a(0)?.checked_add(a(1)?)?,
                    "sub_scal_scal" => a(0)?.checked_sub(a(1)?)?,
                    "mul_scal_scal" => a(0)?.checked_mul(a(1)?)?,
                    "div_scal_scal" => a(0)?.checked_div(a(1)?)?,
                    "minus_scal" => a(0)?.checked_neg()?,
                    "plus_scal" => a(0)?,
                    _ => return None,
                },
                _ => return None,
            });
        }
        values.pop()
    }

    /// Makes initialization expressions of what DATA statements said. Elements that none names are undefined: any value will do.
    pub fn finish_data(&mut self) {
        let data: BTreeMap<SymbolId, BTreeMap<i64, String>> = std::mem::take(&mut self.scope_info(self.cur.scope).data);
        for (symbol, elements) in data {
            let extents = self.extents_of(symbol).unwrap_or_default();
            let size: i64 = extents.iter().map(|(_, n)| n).product();
            let filler = match self.p.symbol(symbol).ty.base {
                BaseType::Bool => ".false.",
                BaseType::String => "' '",
                BaseType::Opaque => "(0, 0)",
                _ => "0",
            };
            let mut values: Vec<&str> = (0..size).map(|k| elements.get(&k).map_or(filler, |v| v.as_str())).collect();
            // Texts in an array are of one length.
            let longest = values.iter().filter_map(|v| length(v)).max().unwrap_or(0);
            let padded: Vec<String> = values.iter().map(|v| of_length(v, longest)).collect();
            if values.len() > 1 {
                values = padded.iter().map(String::as_str).collect();
            }
            // Elements of different types and kinds need the type said.
            let ty = self.p.symbol(symbol).ty;
            let number = matches!(ty.base, BaseType::Real | BaseType::Integer);
            let mixed = number && values.windows(2).any(|w| notation(w[0]) != notation(w[1]));
            let spec = if mixed { format!("{} :: ", type_text(ty)) } else { String::new() };
            let text = match extents.len() {
                0 => values.concat(),
                1 => format!("[{spec}{}]", values.join(", ")),
                _ => {
                    let shape: Vec<String> = extents.iter().map(|(_, n)| n.to_string()).collect();
                    format!("reshape([{spec}{}], [{}])", values.join(", "), shape.join(", "))
                }
            };
            self.decl(symbol).init_text = text.into();
        }
    }
}

/// How many characters a literal text has; its own quotes are written twice.
fn length(literal: &str) -> Option<usize> {
    let quote = literal.chars().next().filter(|q| matches!(q, '\'' | '"'))?;
    let inside = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    Some(inside.replace(&format!("{quote}{quote}"), "-").chars().count())
}

/// A literal text with blanks behind it up to a length; anything else as it is.
fn of_length(literal: &str, wanted: usize) -> String {
    match (length(literal), literal.chars().next_back()) {
        (Some(n), Some(quote)) => format!("{}{}{quote}", &literal[..literal.len() - 1], " ".repeat(wanted.saturating_sub(n))),
        _ => literal.to_owned(),
    }
}

/// How a number is written: with a point, a double exponent, a kind.
fn notation(text: &str) -> (bool, bool, Option<&str>) {
    let digits = text.split('_').next().unwrap_or(text);
    (digits.contains(['.', 'e', 'E']), digits.contains(['d', 'D']), text.split_once('_').map(|(_, k)| k))
}
