//! Expressions: operands, subscripts, constants, types.
//!
//! Lives here: what can be said of a value by looking at its term graph. Never here: where the value goes.

use super::Checker;
use super::statements::class;
use crate::catalogue::{PartialKind, ResultShape, ResultType};
use crate::model::*;
use crate::types::{ValueType, of_expr, reshaped_rank, reshapes_openly};

impl Checker<'_> {
    /// A condition: a truth value, or for a branch also an integer.
    pub(super) fn condition(&mut self, e: &Expr, span: Span, branch: bool) {
        let t = self.value(e, span);
        let fits = match t.elem.base {
            BaseType::Bool | BaseType::Opaque => true,
            BaseType::Integer | BaseType::Char => branch,
            // SELECT CASE of a character value.
            BaseType::String => branch && !self.ours(),
            _ => false,
        };
        if !fits {
            let wanted = if branch { "a truth value or an integer" } else { "a truth value" };
            self.error("OB1050", span, format!("the condition is of type {:?}, not {wanted}", t.elem.base));
        }
        if t.rank > 0 {
            self.error("OB1051", span, "the condition is an array");
        }
    }

    /// A subscript or a bound: an integer.
    pub(super) fn index(&mut self, e: &Expr, span: Span, what: &str) {
        let t = self.value(e, span);
        if !matches!(t.elem.base, BaseType::Integer | BaseType::Opaque | BaseType::Char) {
            self.error("OB1050", span, format!("the {what} is of type {:?}, not an integer", t.elem.base));
        }
        if t.rank > 1 {
            self.error("OB1051", span, format!("the {what} is an array of rank {}", t.rank));
        }
    }

    /// A reference: keys, and as many subscripts as dimensions.
    pub(super) fn reference(&mut self, r: &VarRef, span: Span) {
        if r.alias() > 0 && !self.tables.alias_keys.contains(&r.alias()) {
            self.error("OB1024", span, format!("there is no alias set with key {}", r.alias()));
        }
        if r.du_ud() > 0 && !self.tables.duud_keys.contains(&r.du_ud()) {
            self.error("OB1024", span, format!("there is no du/ud set with key {}", r.du_ud()));
        }
        if r.subscripts.is_empty() {
            return;
        }
        let symbol = self.p.symbol(r.symbol);
        let substring = symbol.ty.base == BaseType::String && symbol.rank == 0;
        if r.subscripts.len() != usize::from(symbol.rank) && !substring {
            let message = format!("{} has {} dimensions and {} subscripts", symbol.name, symbol.rank, r.subscripts.len());
            self.error("OB1051", span, message);
        }
        for e in r.index_exprs() {
            self.index(e, span, "subscript");
        }
    }

    /// Checks a value and returns its type.
    pub(super) fn value(&mut self, e: &Expr, span: Span) -> ValueType {
        if let [Node { kind: NodeKind::Const(c), .. }] = &e.nodes[..] {
            self.constant(c, span);
            return ValueType { elem: c.ty, rank: 0 };
        }
        let mut types = of_expr(self.p, e);
        // What a `reshape` gives fits everywhere where the document does not say its rank.
        let mut arrays = None;
        if reshapes_openly(self.p, e) {
            arrays = Some(types.clone());
            let mut open = vec![false; e.nodes.len()];
            for (k, n) in e.nodes.iter().enumerate() {
                open[k] = match &n.kind {
                    NodeKind::Op(op) if op.name == "reshape_arr" => reshaped_rank(self.p, e, n).is_none(),
                    _ => n.operands.iter().any(|o| open[o.index()]),
                };
                types[k].rank = if open[k] { 0 } else { types[k].rank };
            }
        }
        for (i, n) in e.nodes.iter().enumerate() {
            match &n.kind {
                NodeKind::Var(r) => self.reference(r, span),
                NodeKind::Const(c) => self.constant(c, span),
                NodeKind::Op(op) => {
                    self.operation(op, n, &types, span);
                    self.over_arrays(op, n, e, arrays.as_ref().unwrap_or(&types), span);
                }
                NodeKind::Bool(op) => self.boolean(*op, n, &types, span),
                NodeKind::FunctionCall(_) => {}
            }
            let leaf = matches!(n.kind, NodeKind::Var(_) | NodeKind::Const(_));
            if leaf && !n.operands.is_empty() {
                self.error("OB1034", span, "a variable or a constant cannot have operands");
            }
            if i + 1 < e.nodes.len() && e.nodes.len() <= 2 && e.nodes[1].operands.is_empty() {
                self.error("OB1031", span, "the expression has more than one root");
            }
        }
        self.one_root(e, span);
        let mut t = types.last().copied().unwrap_or_default();
        if matches!(e.root().kind, NodeKind::FunctionCall(_)) && t.elem.base == BaseType::Void {
            // The stock format does not say what a function returns.
            t.elem.base = BaseType::Opaque;
        }
        t
    }

    fn one_root(&mut self, e: &Expr, span: Span) {
        if e.nodes.len() < 3 {
            return;
        }
        let mut used = vec![false; e.nodes.len()];
        for o in e.nodes.iter().flat_map(|n| &n.operands) {
            used[o.index()] = true;
        }
        used.pop();
        if used.iter().any(|u| !u) {
            self.error("OB1031", span, "the expression has more than one root");
        }
    }

    fn constant(&mut self, c: &Constant, span: Span) {
        let v = c.value.trim();
        let fits = match c.ty.base {
            BaseType::Integer => {
                v.strip_prefix(['+', '-']).unwrap_or(v).bytes().all(|b| b.is_ascii_digit()) && v.ends_with(|c: char| c.is_ascii_digit())
            }
            BaseType::Real => is_real(v),
            BaseType::Bool => matches!(v, "true" | "false" | "1" | "0" | ".true." | ".false." | ".TRUE." | ".FALSE."),
            _ => true,
        };
        if !fits {
            let short: String = c.value.chars().take(40).collect();
            self.error("OB1056", span, format!("the constant `{short}` is no value of type {:?}", c.ty.base));
        }
    }

    fn operation(&mut self, op: &Operation, n: &Node, types: &[ValueType], span: Span) {
        let Some(entry) = self.catalogue.get(&op.name) else {
            let message = format!("the intrinsic {} is not in the catalogue", op.name);
            if self.found.iter().all(|d| d.message != message) {
                self.warning("OB1055", span, message);
            }
            return;
        };
        // Inquiries take an optional dimension.
        let fewer = entry.partials.iter().skip(n.operands.len().max(1)).all(|p| p.inquiry || p.kind == PartialKind::Passive);
        let inquiry = entry.partials.first().is_some_and(|p| p.inquiry);
        let fits = entry.arity as usize == n.operands.len() || (inquiry && fewer && (1..entry.arity as usize).contains(&n.operands.len()));
        if !fits {
            self.error("OB1052", span, format!("{} has {} operands, not {}", op.name, n.operands.len(), entry.arity));
            return;
        }
        let operand = |i: usize| n.operands.get(i).map_or(ValueType::default(), |o| types[o.index()]);
        if op.name == "select" && !matches!(operand(0).elem.base, BaseType::Bool | BaseType::Opaque) {
            self.error("OB1050", span, format!("the first operand of select is of type {:?}, not a truth value", operand(0).elem.base));
        }
        let arithmetic = matches!(
            op.name.as_str(),
            "add_scal_scal" | "sub_scal_scal" | "mul_scal_scal" | "div_scal_scal" | "minus_scal" | "pow_scal_scal"
        ) || (entry.result == ResultType::Real && op.name != "real_scal" && op.name != "transfer");
        if arithmetic && let Some(bad) = (0..n.operands.len()).map(operand).find(|t| matches!(class(t.elem), 3 | 4)) {
            self.error("OB1050", span, format!("{} has an operand of type {:?}", op.name, bad.elem.base));
        }
        if entry.shape == ResultShape::Elementwise {
            self.conform(n, types, span, &op.name);
        }
    }

    /// Sums, products of matrices and the like have arrays for operands. What functions return is not known to be none.
    fn over_arrays(&mut self, op: &Operation, n: &Node, e: &Expr, types: &[ValueType], span: Span) {
        let over_arrays = op.name.ends_with("_arr") && self.catalogue.get(&op.name).is_some_and(|i| i.shape != ResultShape::Elementwise);
        let scalar = |o: &NodeId| types[o.index()].rank == 0 && types[o.index()].elem.base != BaseType::Opaque;
        if over_arrays && n.operands.iter().any(scalar) && !e.nodes.iter().any(|n| matches!(n.kind, NodeKind::FunctionCall(_))) {
            self.error("OB1051", span, format!("{} has an operand that is no array", op.name));
        }
    }

    fn boolean(&mut self, op: BoolOp, n: &Node, types: &[ValueType], span: Span) {
        let arity = if op == BoolOp::Not { 1 } else { 2 };
        if n.operands.len() != arity {
            self.error("OB1052", span, format!("{} has {} operands, not {arity}", op.name(), n.operands.len()));
            return;
        }
        let classes: Vec<u8> = n.operands.iter().map(|o| class(types[o.index()].elem)).collect();
        let connective = matches!(op, BoolOp::And | BoolOp::Or | BoolOp::Not | BoolOp::Xor);
        let fits = if connective {
            classes.iter().all(|&c| matches!(c, 0 | 2) || self.stock_logical(c, 2))
        } else {
            classes[0] == classes[1] || classes.contains(&0) || self.stock_logical(classes[0], classes[1])
        };
        if !fits {
            let shown = n.operands.iter().map(|o| format!("{:?}", types[o.index()].elem.base)).collect::<Vec<_>>().join(" and ");
            self.error("OB1050", span, format!("{} does not take operands of type {shown}", op.name()));
        }
        self.conform(n, types, span, op.name());
    }

    /// Arrays in one operation have the same rank.
    fn conform(&mut self, n: &Node, types: &[ValueType], span: Span, name: &str) {
        let mut ranks = n.operands.iter().map(|o| types[o.index()].rank).filter(|r| *r > 0);
        if let Some(first) = ranks.next()
            && let Some(other) = ranks.find(|r| *r != first)
        {
            self.error("OB1051", span, format!("{name} combines arrays of rank {first} and {other}"));
        }
    }
}

/// Decimal with an exponent of either language, or what is no number.
fn is_real(v: &str) -> bool {
    let v = v.replace(['d', 'D', 'q', 'Q'], "e");
    v.parse::<f64>().is_ok()
}
