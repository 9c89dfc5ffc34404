//! Run-time support: `push` and `pop`.
//!
//! Lives here: what generated code records and takes back, Never here: the stock names (see
//! [`super::openad`]).

use super::arrays::View;
use super::expr::variable;
use super::fault::{Fault, fault};
use super::machine::Machine;
use super::scalar::Scalar;
use super::stacks::Kind;
use super::value::{CellType, Operand, Value};
use xaif::model::{BaseType, CallArgument, ElemType, Expr, VarRef};

impl<'p, S: Scalar> Machine<'p, S> {
    /// A statement of run-time support.
    pub(super) fn runtime(&mut self, name: &str, arguments: &'p [CallArgument]) -> Result<(), Fault> {
        match (name, arguments) {
            ("push", [a]) => self.push(Kind::Common, &a.value),
            ("pop", [a]) => self.pop(Kind::Common, &a.value),
            ("push" | "pop", _) => Err(fault("OB6005", format!("`{name}` takes one argument"))),
            _ => self.stock_runtime(name, arguments),
        }
    }

    /// Records a variable as it is, undefined elements too, or the value of an expression.
    pub(super) fn push(&mut self, kind: Kind, e: &'p Expr) -> Result<(), Fault> {
        let (value, ty) = match variable(e) {
            Some(r) => {
                let view = self.view(r)?;
                (self.load(&view)?, view.ty)
            }
            None => {
                let value = self.eval(e)?;
                let ty = value.elements().first().map_or(CellType { elem: ElemType::REAL64, unsigned: false }, type_of);
                (value, ty)
            }
        };
        let values = match value {
            Operand::One(v) => vec![v],
            Operand::Many(_, list) => list,
        };
        self.show_push(kind, e, &values);
        self.stacks.push(kind, values, ty)
    }

    /// Counts what an assignment records in an array that is there for that, or brings back from there.
    pub(super) fn note_record(&mut self, lhs: &VarRef, rhs: &Expr, view: &View) -> Result<(), Fault> {
        let recorded = |r: &VarRef| !r.subscripts.is_empty() && self.symbol(r.symbol).is_ok_and(|s| s.has_attribute("recorded"));
        if recorded(lhs) {
            self.show_kept(lhs, rhs, view)?;
            return self.stacks.kept(view.ty);
        }
        if variable(rhs).is_some_and(recorded) {
            self.stacks.brought_back(view.ty);
        }
        Ok(())
    }

    /// Gives a variable back what was recorded.
    pub(super) fn pop(&mut self, kind: Kind, e: &'p Expr) -> Result<(), Fault> {
        let Some(r) = variable(e) else { return Err(fault("OB6005", "what is taken from the stack needs a variable")) };
        let view = self.view(r)?;
        let values = self.stacks.pop(kind, view.ty, view.count())?;
        if view.steps.is_empty() {
            return match values.into_iter().next() {
                Some(v) => self.memory.store(view.object, view.base, view.deriv, view.ty.convert(v)?),
                None => Ok(()),
            };
        }
        for (p, v) in view.positions(self.order()).into_iter().zip(values) {
            self.memory.store(view.object, p, view.deriv, view.ty.convert(v)?)?;
        }
        Ok(())
    }
}

fn type_of<S: Scalar>(v: &Value<S>) -> CellType {
    let elem = match v {
        Value::Undefined => ElemType { base: BaseType::Void, bits: 0 },
        Value::Real(_, single) => ElemType { base: BaseType::Real, bits: if *single { 32 } else { 64 } },
        Value::Int(_, k) => ElemType { base: BaseType::Integer, bits: k.bits },
        Value::Bool(_) => ElemType::BOOL,
        Value::Text(_) => ElemType { base: BaseType::String, bits: 0 },
    };
    CellType { elem, unsigned: false }
}
