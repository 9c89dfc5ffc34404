//! Expressions: one pass over the term graph, operands only as far as they are needed.
//!
//! Lives here: the order of evaluation, references and constants. Never here: what an operation computes (see
//! [`super::intrinsics`]).

use super::arrays::{Bounds, Descriptor, Subscript, View};
use super::fault::{Fault, fault};
use super::machine::Machine;
use super::scalar::Scalar;
use super::value::{IntKind, Operand, Value};
use super::{intrinsics, representation};
use smallvec::SmallVec;
use smol_str::SmolStr;
use xaif::model::{BaseType, BoolOp, Constant, Expr, Node, NodeKind, Operation, VarRef};

/// Subscripts within subscripts deeper than this are not followed.
const MAX_NESTING: usize = 60;

/// How it goes on with a vertex.
enum Next<S> {
    /// This is its value.
    Value(Operand<S>),
    /// An operand is needed first.
    Wants(usize),
    /// All operands are.
    WantsAll,
}

/// The operands of a vertex that have a value.
fn known<'d, S>(node: &Node, done: &'d [Option<Operand<S>>]) -> SmallVec<[&'d Operand<S>; 3]> {
    node.operands.iter().filter_map(|o| done[o.index()].as_ref()).collect()
}

/// The truth of a single element; `None` for arrays.
fn truth<S: Scalar>(v: Option<&Operand<S>>) -> Result<Option<bool>, Fault> {
    match v {
        Some(Operand::One(v)) => v.as_bool().map(Some),
        _ => Ok(None),
    }
}

impl<'p, S: Scalar> Machine<'p, S> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, e: &'p Expr) -> Result<Operand<S>, Fault> {
        if self.expr_depth >= MAX_NESTING {
            return Err(fault("OB6004", "subscripts within subscripts are nested too deeply"));
        }
        self.expr_depth += 1;
        let result = self.eval_graph(e);
        self.expr_depth -= 1;
        result
    }

    fn eval_graph(&mut self, e: &'p Expr) -> Result<Operand<S>, Fault> {
        let Some(root) = e.nodes.len().checked_sub(1) else { return Err(fault("OB6005", "an expression is empty")) };
        if root == 0 {
            return self.leaf(&e.nodes[0].kind);
        }
        let mut done: SmallVec<[Option<Operand<S>>; 16]> = SmallVec::from_elem(None, e.nodes.len());
        let mut todo: SmallVec<[usize; 16]> = SmallVec::new();
        todo.push(root);
        while let Some(&k) = todo.last() {
            if done[k].is_some() {
                todo.pop();
                continue;
            }
            match self.vertex(e, k, &done)? {
                Next::Value(v) => {
                    done[k] = Some(v);
                    todo.pop();
                }
                Next::Wants(o) => todo.push(o),
                Next::WantsAll => todo.extend(e.nodes[k].operands.iter().rev().map(|o| o.index()).filter(|&o| done[o].is_none())),
            }
        }
        done[root].take().ok_or_else(|| fault("OB6005", "an expression has no value"))
    }

    /// One vertex of a graph, as far as its operands are there.
    fn vertex(&mut self, e: &'p Expr, k: usize, done: &[Option<Operand<S>>]) -> Result<Next<S>, Fault> {
        let node = &e.nodes[k];
        if node.operands.iter().any(|o| o.index() >= k) {
            return Err(fault("OB6005", "the operands of an expression do not come before their operator"));
        }
        match &node.kind {
            NodeKind::Bool(op @ (BoolOp::And | BoolOp::Or)) => self.short_circuit(*op, node, done),
            NodeKind::Op(op) if op.name == "select" => self.choice(op, node, done),
            NodeKind::Op(op) if self.is_inquiry(op, node.operands.first().map(|o| &e.nodes[o.index()].kind)) => {
                let NodeKind::Var(r) = &e.nodes[node.operands[0].index()].kind else {
                    return Err(fault("OB6005", "an inquiry takes a variable"));
                };
                let dim = match node.operands.get(1).map(|o| o.index()) {
                    Some(o) if done[o].is_none() => return Ok(Next::Wants(o)),
                    dim => dim.and_then(|o| done[o].clone()),
                };
                let dim = dim.map(|v| v.one()?.as_int()).transpose()?;
                self.inquire(op, r, dim).map(Next::Value)
            }
            NodeKind::Var(_) | NodeKind::Const(_) | NodeKind::FunctionCall(_) => self.leaf(&node.kind).map(Next::Value),
            NodeKind::Bool(_) | NodeKind::Op(_) if node.operands.iter().any(|o| done[o.index()].is_none()) => Ok(Next::WantsAll),
            NodeKind::Bool(op) => intrinsics::relation(*op, &known(node, done), &mut self.counters).map(Next::Value),
            NodeKind::Op(op) => intrinsics::apply(op, &known(node, done), self.program.index_order, &mut self.counters).map(Next::Value),
        }
    }

    /// `and` and `or`: one element decides whether the other operand is looked at; arrays always need both.
    fn short_circuit(&mut self, op: BoolOp, node: &Node, done: &[Option<Operand<S>>]) -> Result<Next<S>, Fault> {
        let [a, b, ..] = node.operands[..] else { return Err(fault("OB6005", "`and` and `or` take two operands")) };
        let (a, b) = (a.index(), b.index());
        if done[a].is_none() {
            return Ok(Next::Wants(a));
        }
        if truth(done[a].as_ref())? == Some(op == BoolOp::Or) {
            return Ok(Next::Value(Operand::One(Value::Bool(op == BoolOp::Or))));
        }
        if done[b].is_none() { Ok(Next::Wants(b)) } else { self.connective(op, &[a, b], done).map(Next::Value) }
    }

    /// `select`: where one element decides, the other side is not looked at.
    fn choice(&self, op: &Operation, node: &Node, done: &[Option<Operand<S>>]) -> Result<Next<S>, Fault> {
        let [c, a, b, ..] = node.operands[..] else { return Err(fault("OB6005", "`select` takes three operands")) };
        let (c, a, b) = (c.index(), a.index(), b.index());
        if done[c].is_none() {
            return Ok(Next::Wants(c));
        }
        let chosen = match truth(done[c].as_ref())? {
            Some(t) => [Some(if t { a } else { b }), None],
            None => [Some(a), Some(b)],
        };
        if let Some(&o) = chosen.iter().flatten().find(|&&o| done[o].is_none()) {
            return Ok(Next::Wants(o));
        }
        match chosen {
            [Some(o), None] => self.convert_choice(op, done[o].iter().collect()).map(Next::Value),
            _ => {
                let operands: SmallVec<[&Operand<S>; 3]> = [c, a, b].iter().filter_map(|&o| done[o].as_ref()).collect();
                intrinsics::merge(&operands).map(Next::Value)
            }
        }
    }

    fn connective(&mut self, op: BoolOp, which: &[usize], done: &[Option<Operand<S>>]) -> Result<Operand<S>, Fault> {
        let operands: SmallVec<[&Operand<S>; 2]> = which.iter().filter_map(|&o| done[o].as_ref()).collect();
        intrinsics::relation(op, &operands, &mut self.counters)
    }

    fn convert_choice(&self, op: &Operation, chosen: SmallVec<[&Operand<S>; 1]>) -> Result<Operand<S>, Fault> {
        let value = chosen.first().map(|&o| o.clone()).ok_or_else(|| fault("OB6005", "`select` has no operand"))?;
        match (op.ty, value) {
            (Some(elem), Operand::One(v)) => super::value::CellType { elem, unsigned: false }.convert(v).map(Operand::One),
            (_, v) => Ok(v),
        }
    }

    fn leaf(&mut self, kind: &'p NodeKind) -> Result<Operand<S>, Fault> {
        match kind {
            NodeKind::Const(c) => constant(c).map(Operand::One),
            NodeKind::Var(r) => self.read(r),
            NodeKind::FunctionCall(s) => Err(fault("OB6021", format!("`{}` is called inside an expression", self.name(*s)))),
            NodeKind::Op(op) => intrinsics::apply(op, &[], self.program.index_order, &mut self.counters),
            NodeKind::Bool(_) => Err(fault("OB6005", "a relation has no operands")),
        }
    }

    /// The value of a reference. A single element must be defined; in an array, whoever calculates with an element checks it.
    pub(super) fn read(&mut self, r: &'p VarRef) -> Result<Operand<S>, Fault> {
        let view = self.view(r)?;
        let value = self.load(&view)?;
        if let Operand::One(Value::Undefined) = value {
            return Err(fault("OB6010", format!("`{}` is used before it has a value", self.name(r.symbol))));
        }
        Ok(value)
    }

    /// The elements of a view, undefined ones as they are.
    pub(super) fn load(&self, view: &View) -> Result<Operand<S>, Fault> {
        self.note_read(view);
        if view.steps.is_empty() {
            return self.memory.load(view.object, view.base, view.deriv).map(Operand::One);
        }
        let positions = view.positions(self.program.index_order);
        let list = positions.into_iter().map(|p| self.memory.load(view.object, p, view.deriv)).collect::<Result<_, _>>()?;
        Ok(Operand::Many(view.shape(), list))
    }

    /// Where a reference points.
    pub(super) fn view(&mut self, r: &'p VarRef) -> Result<View, Fault> {
        let d = self.locate(r.symbol)?;
        let subscripts = self.subscripts(r)?;
        let view = self.memory.descriptor(d).view(self.name(r.symbol), &subscripts, r.deriv)?;
        if view.count() > self.limits.elements {
            return Err(fault("OB6004", format!("a section of `{}` is larger than the memory", self.name(r.symbol))));
        }
        Ok(view)
    }

    /// The subscripts of a reference, evaluated.
    pub(super) fn subscripts(&mut self, r: &'p VarRef) -> Result<SmallVec<[Subscript; 4]>, Fault> {
        let mut out = SmallVec::new();
        for t in &r.subscripts {
            out.push(if t.is_section() {
                let part = |e: &'p Option<Expr>, m: &mut Self| e.as_ref().map(|e| m.eval_index(e)).transpose();
                Subscript::Range(part(&t.index, self)?, part(&t.bound, self)?, part(&t.stride, self)?.unwrap_or(1))
            } else {
                let Some(index) = &t.index else { return Err(fault("OB6005", "a subscript is empty")) };
                let small = |v: &Value<S>| i64::try_from(v.as_int()?).map_err(|_| fault("OB6013", "an index does not fit in 64 bits"));
                match self.eval(index)? {
                    Operand::One(v) => Subscript::At(small(&v)?),
                    Operand::Many(_, list) => Subscript::List(list.iter().map(small).collect::<Result<_, _>>()?),
                }
            });
        }
        Ok(out)
    }

    /// True where an intrinsic looks at a variable, not at its value.
    fn is_inquiry(&self, op: &Operation, first: Option<&NodeKind>) -> bool {
        let named = matches!(op.name.as_str(), "size" | "lbound" | "ubound" | "shape_arr" | "allocated" | "present");
        (named || representation::is_number_model(&op.name)) && matches!(first, Some(NodeKind::Var(_)))
    }

    fn inquire(&mut self, op: &Operation, r: &'p VarRef, dim: Option<i128>) -> Result<Operand<S>, Fault> {
        let id = self.locate(r.symbol)?;
        let d: Descriptor = self.memory.descriptor(id).clone();
        let symbol = self.symbol(r.symbol)?;
        let name = op.name.as_str();
        match name {
            "allocated" => return Ok(Operand::One(Value::Bool(d.target.is_some()))),
            "present" => return Ok(Operand::One(Value::Bool(d.present))),
            _ if representation::is_number_model(name) => {
                return representation::number_model(name, Self::cell_type(symbol)).map(Operand::One);
            }
            _ => {}
        }
        // A section has lower bounds 1; the whole variable has its own.
        let bounds: Bounds = if r.subscripts.is_empty() {
            d.axes.iter().map(|a| (a.lower, a.extent)).collect()
        } else {
            let subscripts = self.subscripts(r)?;
            let view = d.view(&symbol.name, &subscripts, false)?;
            view.shape().iter().map(|&n| (1, Some(n as i64))).collect()
        };
        let unknown = || fault("OB6016", format!("`{}` has no known extent", symbol.name));
        let each = |b: &(i64, Option<i64>)| -> Result<Value<S>, Fault> {
            let n = b.1.ok_or_else(unknown);
            Ok(Value::int(match name {
                "lbound" if b.1 == Some(0) => 1,
                "lbound" => b.0,
                "ubound" if b.1 == Some(0) => 0,
                "ubound" => b.0 + n? - 1,
                _ => n?,
            }))
        };
        if let Some(k) = dim {
            let k = usize::try_from(k - 1).ok().filter(|&k| k < bounds.len());
            let k = k.ok_or_else(|| fault("OB6011", format!("`{}` has no such dimension", symbol.name)))?;
            return each(&bounds[k]).map(Operand::One);
        }
        if name == "size" {
            let n = bounds.iter().try_fold(1i64, |n, b| b.1.map(|e| n.saturating_mul(e))).ok_or_else(unknown)?;
            return Ok(Operand::One(Value::int(n)));
        }
        let list = bounds.iter().map(each).collect::<Result<Vec<_>, _>>()?;
        Ok(Operand::Many(SmallVec::from_slice(&[list.len()]), list))
    }
}

/// The variable, if the expression is nothing but one; an empty expression of a malformed program is none.
pub(super) fn variable(e: &Expr) -> Option<&VarRef> {
    match &e.nodes[..] {
        [only] => match &only.kind {
            NodeKind::Var(r) => Some(r),
            _ => None,
        },
        _ => None,
    }
}

/// The value of a constant.
pub(super) fn constant<S: Scalar>(c: &Constant) -> Result<Value<S>, Fault> {
    let bad = || fault("OB6005", format!("`{}` is no constant of type {:?}", c.value, c.ty.base));
    let text = c.value.trim();
    Ok(match c.ty.value_base() {
        BaseType::Real => {
            let exponent = if text.contains(['d', 'D']) && !text.eq_ignore_ascii_case("nan") {
                text.replace(['d', 'D'], "e")
            } else {
                text.to_owned()
            };
            if c.ty.bits == 32 {
                let x = exponent.parse::<f32>().map_err(|_| bad())?;
                Value::Real(S::constant(f64::from(x)), true)
            } else {
                Value::Real(S::constant(exponent.parse::<f64>().map_err(|_| bad())?), false)
            }
        }
        BaseType::Integer => {
            let x = text.parse::<i128>().map_err(|_| bad())?;
            let bits = if c.ty.bits == 0 { 32 } else { c.ty.bits };
            let kind = IntKind { bits, unsigned: false };
            let (_, high) = kind.range();
            // A literal that only fits without a sign is of the unsigned type.
            let kind = IntKind { bits, unsigned: x > high };
            Value::Int(kind.fit(x)?, kind)
        }
        BaseType::Bool => match text.to_ascii_lowercase().as_str() {
            "true" | "1" | ".true." => Value::Bool(true),
            "false" | "0" | ".false." => Value::Bool(false),
            _ => return Err(bad()),
        },
        BaseType::Char | BaseType::String => Value::Text(SmolStr::from(c.value.as_str())),
        _ => return Err(fault("OB6021", format!("constants of type {:?} are not known", c.ty.base))),
    })
}
