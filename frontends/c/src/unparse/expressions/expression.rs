//! Expressions.
//!
//! Every vertex has a form: its binding strength and its parts, which are text and operands. One loop over a stack of parts
//! writes the text, so no depth of an expression is too much.
//!
//! Lives here: that loop, variables, constants, relations. Never here: intrinsics (see `intrinsics`), statements.

use super::forms::{Form, Part, Typed};
use crate::unparse::language::precedence::{Place, Prec, parenthesized};
use crate::unparse::language::{c_types, constants};
use crate::unparse::printer::Printer;
use std::rc::Rc;
use xaif::model::{BaseType, BoolOp, Expr, NodeId, NodeKind};

/// Expressions whose text is longer than this are refused: a term graph with shared vertices can be exponentially long.
const MAX_TEXT: usize = 4 << 20;

impl Printer<'_> {
    /// The text of an expression.
    pub fn expression(&mut self, e: &Expr, place: Place) -> String {
        if e.nodes.is_empty() {
            self.refuse("OB5113", "an expression is empty", "the program is malformed", "");
            return "0".into();
        }
        let typed = Typed::of(self.program, e.clone());
        self.typed(&typed, place)
    }

    /// The text of a typed expression.
    pub fn typed(&mut self, typed: &Rc<Typed>, place: Place) -> String {
        let mut out = String::new();
        let mut stack: Vec<(Rc<Typed>, Part)> = vec![(typed.clone(), Part::Node(typed.expr.root_id(), place))];
        while let Some((at, part)) = stack.pop() {
            let (at, id, place) = match part {
                Part::Text(t) => {
                    out.push_str(&t);
                    continue;
                }
                Part::Node(id, place) => (at, id, place),
                Part::Whole(inner, _) if inner.expr.nodes.is_empty() => continue,
                Part::Whole(inner, place) => {
                    let root = inner.expr.root_id();
                    (inner, root, place)
                }
            };
            if out.len() > MAX_TEXT {
                self.refuse(
                    "OB5104",
                    "an expression is too long to be written",
                    "its term graph shares vertices",
                    "split it over several statements",
                );
                return "0".into();
            }
            let form = self.form(&at, id);
            match &form.parts[..] {
                [Part::Node(inner, _)] => {
                    stack.push((at, Part::Node(*inner, place)));
                    continue;
                }
                [Part::Whole(inner, _)] => {
                    stack.push((at, Part::Whole(inner.clone(), place)));
                    continue;
                }
                _ => {}
            }
            let signed = matches!(form.parts.first(), Some(Part::Text(t)) if t.starts_with(['-', '+']));
            if parenthesized(place, form.prec, signed) {
                out.push('(');
                stack.push((at.clone(), Part::text(")")));
            }
            stack.extend(form.parts.into_iter().rev().map(|p| (at.clone(), p)));
        }
        out
    }

    /// The form of a vertex.
    fn form(&mut self, t: &Rc<Typed>, id: NodeId) -> Form {
        let node = t.expr.node_at(id);
        match &node.kind {
            NodeKind::Var(r) => self.reference(r),
            NodeKind::Const(c) => match constants::spell(c, true) {
                Some(text) => {
                    self.needs.math |= matches!(text.trim_start_matches('-'), "INFINITY" | "NAN");
                    Form { prec: if text.starts_with('-') { Prec::Unary } else { Prec::Postfix }, parts: vec![Part::text(text)] }
                }
                None => {
                    self.refuse("OB5102", format!("the constant `{}` has no counterpart in C", c.value), c_types::unsupported(c.ty), "");
                    Form::leaf("0")
                }
            },
            NodeKind::Bool(op) => self.relation(t, *op, &node.operands),
            NodeKind::Op(op) => self.operation(t, id, op, &node.operands),
            NodeKind::FunctionCall(s) => {
                self.refuse(
                    "OB5104",
                    format!("`{}` is called inside an expression", self.source_name(*s)),
                    "calls are statements of their own here",
                    "assign its result to a variable first",
                );
                Form::leaf("0")
            }
        }
    }

    fn relation(&mut self, t: &Rc<Typed>, op: BoolOp, operands: &[NodeId]) -> Form {
        if let (BoolOp::Not, &[a]) = (op, operands) {
            return self.negation(t, a);
        }
        let &[a, b] = operands else {
            self.refuse("OB5113", format!("`{}` has {} operands", op.name(), operands.len()), "the program is malformed", "");
            return Form::leaf("0");
        };
        let truth = t.ty(a).elem.base == BaseType::Bool;
        match op {
            BoolOp::LessThan => Form::infix(Prec::Relation, " < ", a, b),
            BoolOp::LessOrEqual => self.at_most(t, a, b),
            BoolOp::GreaterThan => Form::infix(Prec::Relation, " > ", a, b),
            BoolOp::GreaterOrEqual => Form::infix(Prec::Relation, " >= ", a, b),
            BoolOp::Equal if truth => self.same_truth(" == ", a, b),
            BoolOp::NotEqual | BoolOp::Xor if truth => self.same_truth(" != ", a, b),
            BoolOp::Equal => Form::infix(Prec::Equality, " == ", a, b),
            BoolOp::NotEqual | BoolOp::Xor => Form::infix(Prec::Equality, " != ", a, b),
            BoolOp::And => Form::infix(Prec::And, " && ", a, b),
            BoolOp::Or => Form::infix(Prec::Or, " || ", a, b),
            BoolOp::Not => Form::leaf("0"),
        }
    }

    /// `i <= n - 1` is `i < n` for integers with a sign; without one, `n - 1` may be the greatest of all.
    fn at_most(&mut self, t: &Rc<Typed>, a: NodeId, b: NodeId) -> Form {
        let signed = [a, b].iter().all(|&x| t.ty(x).elem.base == BaseType::Integer && !self.is_unsigned(t, x));
        let bound = t.expr.node_at(b);
        if let (true, NodeKind::Op(op), &[n, one]) = (signed, &bound.kind, &bound.operands[..])
            && op.name == "sub_scal_scal"
            && t.expr.subexpr(one).as_int() == Some(1)
        {
            return Form::infix(Prec::Relation, " < ", a, n);
        }
        Form::infix(Prec::Relation, " <= ", a, b)
    }

    /// Whether an integer may have no sign.
    fn is_unsigned(&self, t: &Typed, node: NodeId) -> bool {
        let n = t.expr.node_at(node);
        match &n.kind {
            NodeKind::Var(r) => self.program.symbol(r.symbol).has_attribute("unsigned"),
            NodeKind::Const(c) => c.spelling.contains(['u', 'U']),
            NodeKind::Op(o) if o.name == "int_scal" => {
                !matches!(o.spelling.as_str(), "" | "int" | "long" | "long long" | "short" | "ptrdiff_t")
            }
            NodeKind::Op(_) => n.operands.iter().any(|&o| self.is_unsigned(t, o)),
            _ => true,
        }
    }

    /// Truth values are compared as such: any value but 0 is true.
    fn same_truth(&mut self, op: &'static str, a: NodeId, b: NodeId) -> Form {
        Form {
            prec: Prec::Equality,
            parts: vec![Part::text("!"), Part::Node(a, Place::Operand), Part::text(op), Part::text("!"), Part::Node(b, Place::Operand)],
        }
    }

    /// The opposite of a condition. Relations of integers turn round; those of reals may not, because of NaN.
    fn negation(&mut self, t: &Rc<Typed>, a: NodeId) -> Form {
        let node = t.expr.node_at(a);
        if let (NodeKind::Bool(op), &[x, y]) = (&node.kind, &node.operands[..]) {
            let integers = [x, y].iter().all(|&v| t.ty(v).elem.base == BaseType::Integer);
            match op {
                BoolOp::LessThan if integers => return Form::infix(Prec::Relation, " >= ", x, y),
                BoolOp::LessOrEqual if integers => return Form::infix(Prec::Relation, " > ", x, y),
                BoolOp::GreaterThan if integers => return Form::infix(Prec::Relation, " <= ", x, y),
                BoolOp::GreaterOrEqual if integers => return Form::infix(Prec::Relation, " < ", x, y),
                BoolOp::Equal if t.ty(x).elem.base != BaseType::Bool => return Form::infix(Prec::Equality, " != ", x, y),
                BoolOp::NotEqual if t.ty(x).elem.base != BaseType::Bool => return Form::infix(Prec::Equality, " == ", x, y),
                _ => {}
            }
        }
        if let (NodeKind::Bool(BoolOp::Not), &[x]) = (&node.kind, &node.operands[..])
            && let (NodeKind::Op(op), &[argument]) = (&t.expr.node_at(x).kind, &t.expr.node_at(x).operands[..])
            && op.name == "present"
        {
            return self.presence(t, &op.name, argument, true);
        }
        if let (NodeKind::Op(op), &[x]) = (&node.kind, &node.operands[..])
            && matches!(op.name.as_str(), "present" | "allocated")
        {
            return self.presence(t, &op.name, x, false);
        }
        Form::prefix("!", a)
    }

    /// A condition, or the opposite of one.
    pub fn condition(&mut self, e: &Expr, wanted: bool) -> String {
        if wanted || e.nodes.is_empty() {
            return self.expression(e, Place::Bare);
        }
        let not = Expr::boolean(BoolOp::Not, [e.clone()]);
        self.expression(&not, Place::Bare)
    }
}
