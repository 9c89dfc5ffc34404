//! Expressions: operators, names, subscripts.
//!
//! Lives here: the tree of an expression to a term graph. Never here: intrinsics, calls of units (see `intrinsics`, `hoist`).

use super::scope::{Lower, Lowered};
use super::tree::{child, children, field, named};
use tree_sitter::Node;
use xaif::model::*;
use xaif::types::promote;

/// A lowered expression with its type.
#[derive(Clone, Debug)]
pub(super) struct Val {
    pub e: Expr,
    pub ty: ElemType,
    pub rank: u8,
}

impl Val {
    pub fn new(e: Expr, ty: ElemType, rank: u8) -> Val {
        Val { e, ty, rank }
    }
}

/// An operator over operands; the first operand's graph is extended, not copied.
pub(super) fn combine(kind: NodeKind, operands: impl IntoIterator<Item = Expr>) -> Expr {
    let mut operands = operands.into_iter();
    let mut e = operands.next().unwrap_or_default();
    let mut node = xaif::model::Node { kind, operands: Default::default(), origin: None };
    if !e.nodes.is_empty() {
        node.operands.push(e.root_id());
    }
    for o in operands {
        let root = e.append(o);
        node.operands.push(root);
    }
    e.nodes.push(node);
    e
}

/// An intrinsic by catalogue name.
pub(super) fn op(name: &str, spelling: &str, ty: Option<ElemType>, operands: impl IntoIterator<Item = Expr>) -> Expr {
    combine(NodeKind::Op(Operation { name: name.into(), ty, spelling: spelling.into() }.into()), operands)
}

const STRING: ElemType = ElemType { base: BaseType::String, bits: 0 };

impl<'t> Lower<'t> {
    /// Lowers an expression; what must happen before it is emitted.
    pub fn expr(&mut self, node: Node<'t>) -> Lowered<Val> {
        self.cur.depth += 1;
        let result =
            if self.cur.depth > 150 { Err(self.refuse(node, "OB3005", "the expression nests too deeply")) } else { self.expr_of(node) };
        self.cur.depth -= 1;
        result
    }

    fn expr_of(&mut self, node: Node<'t>) -> Lowered<Val> {
        match node.kind() {
            "number_literal" | "boolean_literal" | "string_literal" => {
                let c = self.literal(node)?;
                let ty = c.ty;
                Ok(Val::new(Expr::constant(c), ty, 0))
            }
            "identifier" => self.name(node),
            "parenthesized_expression" => match named(node)[..] {
                [inner] => self.expr(inner),
                _ => Err(self.refuse(node, "OB3034", "unsupported parentheses")),
            },
            "concatenation_expression" if self.cur.graph.is_some() => self.text_value(node),
            "math_expression" | "logical_expression" | "relational_expression" | "concatenation_expression" => self.binary(node),
            "unary_expression" => self.unary(node),
            "call_expression" => self.call_expression(node),
            "array_literal" => self.array_constructor(node),
            "derived_type_member_expression" => self.component_value(node),
            "complex_literal" => Err(self.refuse(node, "OB3021", "complex constant")),
            "coarray_expression" => Err(self.refuse(node, "OB3026", "coarray reference")),
            "null_literal" => Err(self.refuse(node, "OB3022", "null pointer")),
            "hollerith_constant" => Err(self.refuse(node, "OB3042", "Hollerith constant")),
            other => Err(self.refuse(node, "OB3034", format!("unsupported expression ({})", other.replace('_', " ")))),
        }
    }

    fn unary(&mut self, node: Node<'t>) -> Lowered<Val> {
        let (Some(o), Some(argument)) = (field(node, "operator"), field(node, "argument")) else {
            return Err(self.refuse(node, "OB3034", "unsupported operator"));
        };
        let name = match self.text(o) {
            "-" => "minus_scal",
            "+" => "plus_scal",
            other => return Err(self.refuse(o, "OB3028", format!("defined operator `{other}`"))),
        };
        let v = self.expr(argument)?;
        self.numeric(&v, argument)?;
        Ok(Val::new(op(name, "", None, [v.e]), v.ty, v.rank))
    }

    /// A chain of operators that lean to the left is walked without recursion.
    fn binary(&mut self, node: Node<'t>) -> Lowered<Val> {
        let mut chain = vec![node];
        let mut at = node;
        while let Some(left) = field(at, "left").filter(|l| l.kind() == node.kind() && field(*l, "left").is_some()) {
            chain.push(left);
            at = left;
        }
        if self.operator(at).is_some_and(|o| o == ".not.") {
            let argument = field(at, "argument").ok_or_else(|| self.refuse(at, "OB3034", "unsupported operator"))?;
            let v = self.expr(argument)?;
            self.logical(&v, argument)?;
            return Ok(Val::new(combine(NodeKind::Bool(BoolOp::Not), [v.e]), ElemType::BOOL, v.rank));
        }
        let first = field(at, "left").ok_or_else(|| self.refuse(at, "OB3034", "unsupported operator"))?;
        let mut value = None;
        // `a**b**c` is `a**(b**c)`, but the parser makes `(a**b)**c` of it.
        let mut first = first;
        let mut powers: Vec<Node<'t>> = Vec::new();
        while let Some(n) = chain.pop() {
            let (Some(o), Some(right)) = (field(n, "operator"), field(n, "right")) else {
                return Err(self.refuse(n, "OB3034", "unsupported operator"));
            };
            let sign = self.text(o).to_ascii_lowercase();
            if node.kind() == "math_expression" && right.kind() == "unary_expression" {
                let mut d = *self.refuse(right, "OB3038", "two operators in succession");
                d.help = Some("put the second operand in parentheses".into());
                return Err(Box::new(d));
            }
            if sign == "**" {
                powers.push(right);
                let more = chain.last().and_then(|m| self.operator(*m)).is_some_and(|o| o == "**");
                if more {
                    continue;
                }
                let base = match value.take() {
                    Some(v) => v,
                    None => self.expr(first)?,
                };
                // Operands are lowered in text order, then combined from the right.
                let mut values = vec![base];
                for p in powers.drain(..) {
                    values.push(self.expr(p)?);
                }
                let mut result = values.pop().ok_or_else(|| self.refuse(n, "OB3034", "unsupported operator"))?;
                while let Some(base) = values.pop() {
                    result = self.apply("**", base, result, n)?;
                }
                value = Some(result);
                continue;
            }
            let left = match value.take() {
                Some(v) => v,
                None => self.expr(first)?,
            };
            value = Some(if matches!(sign.as_str(), ".and." | ".or.") && self.calls_units(right) {
                self.short_circuit(&sign, left, right)?
            } else {
                let right_value = self.expr(right)?;
                self.apply(&sign, left, right_value, n)?
            });
            first = right;
        }
        value.ok_or_else(|| self.refuse(node, "OB3034", "unsupported operator"))
    }

    fn operator(&self, node: Node) -> Option<String> {
        field(node, "operator").map(|o| self.lower(o))
    }

    /// Applies a binary operator.
    pub fn apply(&self, sign: &str, a: Val, b: Val, node: Node) -> Lowered<Val> {
        let rank = a.rank.max(b.rank);
        if a.rank > 0 && b.rank > 0 && a.rank != b.rank {
            return Err(self.refuse(node, "OB3043", "the operands have different ranks"));
        }
        let arithmetic = match sign {
            "+" => "add_scal_scal",
            "-" => "sub_scal_scal",
            "*" => "mul_scal_scal",
            "/" => "div_scal_scal",
            "**" => "pow_scal_scal",
            _ => "",
        };
        if !arithmetic.is_empty() {
            self.numeric(&a, node)?;
            self.numeric(&b, node)?;
            let ty = promote(a.ty, b.ty);
            return Ok(Val::new(op(arithmetic, "", None, [a.e, b.e]), ty, rank));
        }
        if sign == "//" {
            if a.ty.base != BaseType::String || b.ty.base != BaseType::String {
                return Err(self.refuse(node, "OB3043", "`//` needs text on both sides"));
            }
            return Ok(Val::new(op("concat", "//", Some(STRING), [a.e, b.e]), STRING, rank));
        }
        let connective = match sign {
            ".and." => Some(BoolOp::And),
            ".or." => Some(BoolOp::Or),
            ".eqv." | ".neqv." => Some(BoolOp::Xor),
            _ => None,
        };
        if let Some(connective) = connective {
            self.logical(&a, node)?;
            self.logical(&b, node)?;
            let mut e = combine(NodeKind::Bool(connective), [a.e, b.e]);
            if sign == ".eqv." {
                e = combine(NodeKind::Bool(BoolOp::Not), [e]);
            }
            return Ok(Val::new(e, ElemType::BOOL, rank));
        }
        let (relation, text) = match sign {
            "<" | ".lt." => (BoolOp::LessThan, "string_lt_scal_scal"),
            "<=" | ".le." => (BoolOp::LessOrEqual, "string_le_scal_scal"),
            ">" | ".gt." => (BoolOp::GreaterThan, "string_gt_scal_scal"),
            ">=" | ".ge." => (BoolOp::GreaterOrEqual, "string_ge_scal_scal"),
            "==" | ".eq." => (BoolOp::Equal, "string_eq_scal_scal"),
            "/=" | ".ne." => (BoolOp::NotEqual, "string_ne_scal_scal"),
            other => return Err(self.refuse(node, "OB3028", format!("defined operator `{other}`"))),
        };
        if a.ty.base == BaseType::String && b.ty.base == BaseType::String {
            return Ok(Val::new(op(text, "", None, [a.e, b.e]), ElemType::BOOL, rank));
        }
        self.numeric(&a, node)?;
        self.numeric(&b, node)?;
        Ok(Val::new(combine(NodeKind::Bool(relation), [a.e, b.e]), ElemType::BOOL, rank))
    }

    /// Refuses what is no real or integer.
    pub fn numeric(&self, v: &Val, node: Node) -> Lowered<()> {
        match v.ty.base {
            BaseType::Real | BaseType::Integer => Ok(()),
            BaseType::Complex => Err(self.refuse(node, "OB3021", "complex arithmetic")),
            BaseType::Opaque => Err(self.refuse(node, "OB3020", "operation on a derived type")),
            _ => Err(self.refuse(node, "OB3043", "a number is needed here")),
        }
    }

    /// Refuses what is no truth value.
    pub fn logical(&self, v: &Val, node: Node) -> Lowered<()> {
        if v.ty.base == BaseType::Bool { Ok(()) } else { Err(self.refuse(node, "OB3043", "a truth value is needed here")) }
    }

    /// A name without arguments.
    fn name(&mut self, node: Node<'t>) -> Lowered<Val> {
        let name = self.lower(node);
        if let Some(v) = self.cur.frames.last().and_then(|f| f.get(&name)) {
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
            let id = self.add(s);
            self.scope_info(self.cur.scope).typed.insert(id);
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
    fn call_expression(&mut self, node: Node<'t>) -> Lowered<Val> {
        let parts = named(node);
        let (callee, list) = match parts[..] {
            [callee, list] if list.kind() == "argument_list" => (callee, list),
            _ => return Err(self.refuse(node, "OB3034", "substring of an array element")),
        };
        if super::components::is_component(node) {
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

    /// The statement function of a name.
    pub fn statement_function(&self, name: &str) -> Option<super::scope::StatementFunction<'t>> {
        let mut at = Some(self.cur.scope);
        while let Some(s) = at {
            let info = self.info.get(s.index())?;
            if let Some(f) = info.statement_functions.get(name) {
                return Some(*f);
            }
            if self.names.contains_key(&(s, name.to_string())) {
                return None;
            }
            at = self.p.scope(s).parent;
        }
        None
    }

    /// Replaces a statement function by its expression.
    fn expand(&mut self, f: super::scope::StatementFunction<'t>, node: Node<'t>, list: Node<'t>) -> Lowered<Val> {
        let (Some(head), Some(body)) = (field(f.definition, "left"), field(f.definition, "right")) else {
            return Err(self.refuse(node, "OB3034", "malformed statement function"));
        };
        if self.cur.frames.len() > 20 {
            return Err(self.refuse(node, "OB3005", "statement functions nest too deeply"));
        }
        let dummies = child(head, "argument_list").map(named).unwrap_or_default();
        let actuals = named(list);
        if dummies.len() != actuals.len() {
            return Err(self.refuse(node, "OB3032", format!("{} arguments for {}", actuals.len(), dummies.len())));
        }
        let mut frame = rustc_hash::FxHashMap::default();
        for (d, a) in dummies.iter().zip(actuals) {
            let v = self.expr(a)?;
            if v.rank > 0 {
                return Err(self.refuse(a, "OB3040", "array argument of a statement function"));
            }
            let name = self.lower(*d);
            let declared = self.lookup(self.cur.scope, &name).map(|s| self.p.symbol(s).ty);
            let ty = declared.or_else(|| self.implicit_type(self.cur.scope, &name).map(|t| t.ty)).unwrap_or(v.ty);
            frame.insert(name, self.converted(v, ty));
        }
        let callee = named(head).first().map(|n| self.lower(*n)).unwrap_or_default();
        let ty = match self.lookup(self.cur.scope, &callee) {
            Some(s) => Some(self.p.symbol(s).ty),
            None => self.implicit_type(self.cur.scope, &callee).map(|t| t.ty),
        };
        self.cur.frames.push(frame);
        let value = self.expr(body);
        self.cur.frames.pop();
        let value = value?;
        let ty = ty.unwrap_or(value.ty);
        Ok(self.converted(value, ty))
    }

    /// The value in another type.
    pub fn converted(&self, v: Val, ty: ElemType) -> Val {
        let rank = v.rank;
        match (v.ty.base, ty.base) {
            _ if v.ty == ty => v,
            (BaseType::Real | BaseType::Integer, BaseType::Real) => Val::new(op("real_scal", &spelled_real(ty), Some(ty), [v.e]), ty, rank),
            (BaseType::Real, BaseType::Integer) => Val::new(op("int_scal", "int", Some(ty), [v.e]), ty, rank),
            (BaseType::Integer, BaseType::Integer) => {
                let spelling = format!("int({})", ty.bits / 8);
                Val::new(op("int_scal", &spelling, Some(ty), [v.e]), ty, rank)
            }
            _ => v,
        }
    }
}

/// The function that converts to a real type.
fn spelled_real(ty: ElemType) -> String {
    match ty.bits {
        32 => "real".into(),
        64 => "dble".into(),
        bits => format!("real({})", if bits == 80 { 10 } else { bits / 8 }),
    }
}
