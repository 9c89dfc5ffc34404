//! Complex expressions.
//!
//! Lives here: operators, literals and names in the text; what an expression becomes that is passed on. Never here: intrinsic functions.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::structures::complex_text;
use crate::parse::context::terms::{Parts, Val, combine};
use crate::parse::text::tree::{field, named};
use tree_sitter::Node;
use xaif::model::*;
use xaif::types::promote;

impl<'t> Lower<'t> {
    /// The parts of a number, which may be real.
    pub fn complex_value(&mut self, node: Node<'t>) -> Lowered<Parts> {
        self.cur.depth += 1;
        let deep = self.cur.depth > 150;
        let result = if deep { Err(self.refuse(node, "OB3005", "the expression nests too deeply")) } else { self.complex_of(node) };
        self.cur.depth -= 1;
        result
    }

    fn complex_of(&mut self, node: Node<'t>) -> Lowered<Parts> {
        if !self.is_complex(node) {
            let v = self.expr(node)?;
            self.numeric(&v, node)?;
            return Ok(Parts::real(v));
        }
        match node.kind() {
            "parenthesized_expression" => match named(node)[..] {
                [inner] => self.complex_value(inner),
                _ => Err(self.refuse(node, "OB3034", "unsupported parentheses")),
            },
            "complex_literal" => self.complex_literal(node),
            "unary_expression" => {
                let (Some(o), Some(argument)) = (field(node, "operator"), field(node, "argument")) else {
                    return Err(self.refuse(node, "OB3034", "unsupported operator"));
                };
                let negative = self.text(o) == "-";
                let v = self.complex_value(argument)?;
                Ok(if negative { self.negative(v) } else { v })
            }
            "math_expression" => self.complex_chain(node),
            "array_literal" => self.complex_constructor(node),
            _ => self.complex_reference(node),
        }
    }

    fn complex_literal(&mut self, node: Node<'t>) -> Lowered<Parts> {
        let [re, im] = named(node)[..] else { return Err(self.refuse(node, "OB3042", "complex constant")) };
        let (re, im) = (self.expr(re)?, self.expr(im)?);
        self.numeric(&re, node)?;
        self.numeric(&im, node)?;
        let mut ty = promote(re.ty, im.ty);
        if ty.base != BaseType::Real {
            ty = ElemType { base: BaseType::Real, bits: 32 };
        }
        Ok(Parts::new(self.as_real(re, ty), self.as_real(im, ty)))
    }

    /// A value of a real type; literal integers are written as what they are converted to.
    pub fn as_real(&self, v: Val, ty: ElemType) -> Val {
        match v.e.as_int().filter(|n| v.e.nodes.len() == 1 && n.abs() < 1 << 24) {
            Some(n) => Val::new(Expr::real(n as f64, ty.bits), ty, 0),
            None => self.converted(v, ty),
        }
    }

    /// Operators that lean to the left, but for powers, which the parser has the wrong way round.
    fn complex_chain(&mut self, node: Node<'t>) -> Lowered<Parts> {
        let mut chain = vec![node];
        while let Some(left) = chain.last().and_then(|n| field(*n, "left")).filter(|l| l.kind() == "math_expression") {
            chain.push(left);
        }
        let malformed = |l: &Self, n| l.refuse(n, "OB3034", "unsupported operator");
        let first = chain.last().and_then(|n| field(*n, "left")).ok_or_else(|| malformed(self, node))?;
        let mut value = self.complex_value(first)?;
        let mut powers = vec![(first, None)];
        while let Some(n) = chain.pop() {
            let (Some(o), Some(right)) = (field(n, "operator"), field(n, "right")) else { return Err(malformed(self, n)) };
            let sign = self.text(o).to_owned();
            let operand = self.complex_value(right)?;
            if sign == "**" {
                let again = chain.last().and_then(|m| field(*m, "operator")).is_some_and(|o| self.text(o) == "**");
                powers.push((right, Some(operand)));
                if again {
                    continue;
                }
                let (last, exponent) = powers.pop().ok_or_else(|| malformed(self, n))?;
                let (mut at, mut result) = (last, exponent.ok_or_else(|| malformed(self, n))?);
                while let Some((node, base)) = powers.pop() {
                    let whole = if at == last { self.const_int(at) } else { None };
                    let base = base.unwrap_or_else(|| value.clone());
                    result = self.complex_power(base, result, whole, node)?;
                    at = node;
                }
                value = result;
                powers = vec![(n, None)];
                continue;
            }
            value = match sign.as_str() {
                "+" | "-" => self.complex_sum(&sign, value, operand, n)?,
                "*" => self.complex_product(value, operand, n)?,
                "/" => self.complex_quotient(value, operand, n)?,
                other => return Err(self.refuse(o, "OB3028", format!("defined operator `{other}`"))),
            };
        }
        Ok(value)
    }

    /// `[z, w, (1, 2)]`: one of the real parts, one of the imaginary ones.
    fn complex_constructor(&mut self, node: Node<'t>) -> Lowered<Parts> {
        let mut items = Vec::new();
        for n in named(node).into_iter().filter(|n| n.kind() != "intrinsic_type") {
            let v = self.complex_value(n)?;
            items.push((n, self.both_held(v, n)?));
        }
        let part = |l: &mut Self, values: Vec<(Node<'t>, Val)>| l.with_stand_ins(&values, |l| l.array_constructor(node));
        let re = items.iter().map(|(n, p)| (*n, p.re.clone())).collect();
        let im = items.iter().map(|(n, p)| (*n, self.imaginary(p))).collect();
        Ok(Parts::new(part(self, re)?, part(self, im)?))
    }

    /// What is made of a text in which other values stand for some expressions.
    pub fn with_stand_ins(&mut self, values: &[(Node<'t>, Val)], make: impl FnOnce(&mut Self) -> Lowered<Val>) -> Lowered<Val> {
        for (n, v) in values {
            self.cur.stand_ins.insert(n.id(), v.clone());
        }
        let result = make(self);
        for (n, _) in values {
            self.cur.stand_ins.remove(&n.id());
        }
        result
    }

    /// A variable, an element, a constant or what a function returns.
    fn complex_reference(&mut self, node: Node<'t>) -> Lowered<Parts> {
        if let Some((re, im)) = self.complex_place(node)? {
            let part = |l: &Self, r: VarRef| {
                let t = xaif::types::of_ref(&l.p, &r);
                Val::new(Expr::var(r), t.elem, t.rank)
            };
            return Ok(Parts::new(part(self, re), part(self, im)));
        }
        if node.kind() == "identifier"
            && let Some(v) = self.lookup(self.cur.scope, &self.lower(node)).and_then(|s| self.complex_values.get(&s))
            && !self.cur.frames.last().is_some_and(|f| f.contains_key(&self.lower(node)))
        {
            return Ok(v.clone());
        }
        if let [callee, list] = named(node)[..]
            && node.kind() == "call_expression"
            && callee.kind() == "identifier"
        {
            let name = self.lower(callee);
            if !self.is_array_or_text(&name) && self.means_intrinsic(&name) {
                return self.complex_intrinsic(&name, list, node);
            }
        }
        if let Some(t) = self.structure_call(node)? {
            let name = self.p.symbol(t).name.to_ascii_lowercase();
            let part = |l: &Self, p: &str| l.lookup(l.cur.scope, &format!("{name}%{p}"));
            if let (Some(re), Some(im)) = (part(self, "re"), part(self, "im")) {
                let ty = self.p.symbol(re).ty;
                return Ok(Parts::new(Val::new(Expr::sym(re), ty, 0), Val::new(Expr::sym(im), ty, 0)));
            }
        }
        Err(self.refuse(node, "OB3021", "a complex number that is not followed"))
    }

    /// The variables of the parts of what can be assigned to.
    pub fn complex_place(&mut self, node: Node<'t>) -> Lowered<Option<(VarRef, VarRef)>> {
        let Some(s) = self.complex_structure(node) else { return Ok(None) };
        let base = s.path.split('%').next().unwrap_or_default().to_owned();
        let rank = self.lookup(self.cur.scope, &base).map_or(0, |b| self.p.symbol(b).rank);
        let part = |l: &Self, p: &str| l.lookup(l.cur.scope, &format!("{}%{p}", s.path));
        let (Some(re), Some(im)) = (part(self, "re"), part(self, "im")) else { return Ok(None) };
        let re = self.member_reference(re, rank, s.list, None, node)?;
        let im = VarRef { symbol: im, ..re.clone() };
        Ok(Some((re, im)))
    }

    /// `a == b` and `a /= b`.
    pub fn complex_comparison(&mut self, node: Node<'t>) -> Lowered<Option<Val>> {
        if node.kind() != "relational_expression" {
            return Ok(None);
        }
        let (Some(left), Some(o), Some(right)) = (field(node, "left"), field(node, "operator"), field(node, "right")) else {
            return Ok(None);
        };
        if !self.is_complex(left) && !self.is_complex(right) {
            return Ok(None);
        }
        let sign = self.lower(o);
        let both = match sign.as_str() {
            "==" | ".eq." => BoolOp::And,
            "/=" | ".ne." => BoolOp::Or,
            _ => return Err(self.refuse(node, "OB3043", "complex numbers have no order")),
        };
        let (a, b) = (self.complex_value(left)?, self.complex_value(right)?);
        let (i, j) = (self.imaginary(&a), self.imaginary(&b));
        let re = self.apply(&sign, a.re, b.re, node)?;
        let im = self.apply(&sign, i, j, node)?;
        let rank = re.rank.max(im.rank);
        Ok(Some(Val::new(combine(NodeKind::Bool(both), [re.e, im.e]), ElemType::BOOL, rank)))
    }

    /// A complex expression where one value is asked for: a variable of its own that holds it. Nothing where it is a variable, or real.
    pub fn complex_result(&mut self, node: Node<'t>) -> Lowered<Option<Val>> {
        let candidate = matches!(
            node.kind(),
            "complex_literal" | "parenthesized_expression" | "unary_expression" | "math_expression" | "call_expression" | "identifier"
        );
        if !candidate || !self.is_complex(node) {
            return Ok(None);
        }
        let variable = match node.kind() {
            "identifier" => self.lookup(self.cur.scope, &self.lower(node)).is_none_or(|s| !self.complex_values.contains_key(&s)),
            "call_expression" => named(node).first().is_some_and(|c| {
                c.kind() != "identifier" || self.is_array_or_text(&self.lower(*c)) || self.complex_structure(node).is_some()
            }),
            _ => false,
        };
        if variable {
            return Ok(None);
        }
        if self.cur.graph.is_none() {
            return Err(self.refuse(node, "OB3021", "a complex number in a declaration"));
        }
        let v = self.complex_value(node)?;
        let im = self.imaginary(&v);
        if v.re.rank.max(im.rank) > 0 {
            let d = self.refuse(node, "OB3021", "an array of complex numbers that is no variable");
            return Err(Box::new(d.help("assign it to a variable first")));
        }
        let ty = if v.re.ty.base == BaseType::Real { promote(v.re.ty, im.ty) } else { im.ty };
        let t = self.structure_of_type(complex_text(ty.bits), "complex", node);
        let name = self.p.symbol(t).name.to_ascii_lowercase();
        for (part, v) in [("re", v.re), ("im", im)] {
            let Some(leaf) = self.lookup(self.cur.scope, &format!("{name}%{part}")) else { continue };
            let v = self.as_real(v, ty);
            self.emit(StmtKind::Assignment { lhs: VarRef::whole(leaf), rhs: v.e }, node, true);
        }
        self.cur.returned.insert(node.id(), t);
        Ok(Some(Val::new(Expr::sym(t), self.p.symbol(t).ty, 0)))
    }
}
