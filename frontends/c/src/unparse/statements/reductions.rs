//! Sums, products and extrema over arrays.
//!
//! Lives here: the loops before the statement that uses them. Never here: element-wise code.

use crate::unparse::expressions::forms::Typed;
use crate::unparse::language::c_types;
use crate::unparse::language::precedence::{Place, Prec};
use crate::unparse::printer::Printer;
use smol_str::{SmolStr, format_smolstr};
use std::rc::Rc;
use xaif::model::{BaseType, BoolOp, ElemType, Expr, NodeId, NodeKind, Operation, VarRef};

const NAMES: [&str; 6] = ["sum_arr", "dot_product_arr", "maxval_arr", "minval_arr", "nc_maxval", "nc_minval"];

impl Printer<'_> {
    /// Writes the loop of a reduction before the statement in hand, and returns the variable that has its value.
    pub fn reduction(&mut self, t: &Rc<Typed>, name: &str, ty: ElemType, operands: &[NodeId]) -> Option<SmolStr> {
        let exprs: Vec<Expr> = operands.iter().map(|&o| t.expr.subexpr(o)).collect();
        let Some(array) = exprs.iter().flat_map(Expr::refs).find(|r| xaif::types::of_ref(self.program, r).rank > 0).cloned() else {
            self.refuse("OB5103", format!("the operand of `{name}` is no array"), "", "");
            return None;
        };
        if !self.may_hoist || !self.index.is_empty() || is_guarded(t, name, operands) || exprs.iter().any(nested) {
            self.refuse_array(
                array.symbol,
                "a reduction stands in a condition, inside another array expression, or where it is not always evaluated",
            );
            return None;
        }
        let Some(shape) = self.shape(&array) else {
            self.refuse_array(array.symbol, "its extents are not known");
            return None;
        };
        let Some(c) = c_types::of_elem(ty, false, self.c) else {
            self.refuse("OB5102", "the type of a reduction has no counterpart in C", c_types::unsupported(ty), "");
            return None;
        };
        let extremum = name.contains("max") || name.contains("min");
        let variable = self.names.fresh(&[if extremum { "extreme" } else { "sum" }, "sum"]);
        let start = self.start(name, ty);
        self.extra_locals.push((c.text, variable.clone()));
        self.out.text(format!("{variable} = {start};"));
        let loops = self.open_loops(&shape, false);
        let mut texts = Vec::new();
        for e in &exprs {
            texts.push(self.expression(e, if exprs.len() > 1 { Place::Left(Prec::Mul) } else { Place::Bare }));
        }
        let term = texts.join(" * ");
        let text = match (extremum, ty.base) {
            (false, _) => format!("{variable} += {term};"),
            (true, BaseType::Real) => {
                self.needs.math = true;
                let f = if name.contains("max") { "fmax" } else { "fmin" };
                format!("{variable} = {f}{}({variable}, {term});", c_types::math_suffix(ty))
            }
            (true, _) => {
                let relation = if name.contains("max") { ">" } else { "<" };
                format!("{variable} = {term} {relation} {variable} ? {term} : {variable};")
            }
        };
        self.out.text(text);
        self.close_loops(loops);
        Some(variable)
    }

    fn start(&mut self, name: &str, ty: ElemType) -> SmolStr {
        let largest = match (ty.base, ty.bits) {
            (BaseType::Integer, 64) => "LLONG_MAX",
            (BaseType::Integer, 16) => "SHRT_MAX",
            (BaseType::Integer, 8) => "SCHAR_MAX",
            (BaseType::Integer, _) => "INT_MAX",
            (_, 32) => "FLT_MAX",
            (_, 80) => "LDBL_MAX",
            _ => "DBL_MAX",
        };
        let whole = ty.base == BaseType::Integer;
        if name.contains("max") || name.contains("min") {
            self.needs.limits |= whole;
            self.needs.float |= !whole;
        }
        match name {
            n if n.contains("max") => format_smolstr!("-{largest}"),
            n if n.contains("min") => largest.into(),
            _ => SmolStr::new_static("0"),
        }
    }

    /// The same expression with each reduction replaced by a variable that has its value.
    pub fn without_reductions(&mut self, e: &Expr) -> Expr {
        if !Printer::has_reduction(e) {
            return e.clone();
        }
        let typed = Typed::of(self.program, e.clone());
        let mut out = e.clone();
        for (k, node) in e.nodes.iter().enumerate() {
            let NodeKind::Op(op) = &node.kind else { continue };
            if !NAMES.contains(&op.name.as_str()) {
                continue;
            }
            let ty = typed.ty(NodeId(k as u32)).elem;
            let Some(name) = self.reduction(&typed, &op.name, ty, &node.operands) else { continue };
            // An operation without a name is its spelling.
            out.nodes[k].kind = NodeKind::Op(Operation { name: SmolStr::default(), ty: Some(ty), spelling: name }.into());
            out.nodes[k].operands.clear();
        }
        out.subexpr(out.root_id())
    }

    /// True where an expression needs lines before the statement that has it.
    pub fn has_reduction(e: &Expr) -> bool {
        e.nodes.iter().any(|n| matches!(&n.kind, NodeKind::Op(op) if NAMES.contains(&op.name.as_str())))
    }
}

/// True for a reduction that is evaluated only under a condition.
fn is_guarded(t: &Typed, name: &str, operands: &[NodeId]) -> bool {
    let nodes = &t.expr.nodes;
    let mut guarded = vec![false; nodes.len()];
    for (k, n) in nodes.iter().enumerate().rev() {
        let chooses = match &n.kind {
            NodeKind::Op(op) => op.name == "select",
            NodeKind::Bool(op) => matches!(op, BoolOp::And | BoolOp::Or),
            _ => false,
        };
        for (position, o) in n.operands.iter().enumerate() {
            guarded[o.index()] |= guarded[k] || (chooses && position > 0);
        }
    }
    nodes.iter().zip(guarded).any(|(n, g)| g && n.operands[..] == *operands && matches!(&n.kind, NodeKind::Op(op) if op.name == name))
}

fn nested(e: &Expr) -> bool {
    Printer::has_reduction(e) || e.refs().any(|r: &VarRef| r.index_exprs().any(Printer::has_reduction))
}
