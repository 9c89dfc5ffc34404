//! The `openad` dialect: derivative components of active variables, propagators, replacement lists and the stock run-time names.
//!
//! Lives here: what stock booster output needs beyond ordinary statements. Never here: anything that the extended dialect uses.
//!
//! Every variable has a derivative component beside its value, zero until it is set. The *inlinable* `IncDeriv(p, q)` and `DecDeriv(p, q)`
//! change their second argument, while entries of a propagator name their target first.

use super::data::Sweep;
use super::expr::variable;
use super::fault::{Fault, fault};
use super::machine::Machine;
use super::scalar::{Fn2, Scalar};
use super::stacks::Kind;
use super::value::{Operand, Value};
use xaif::model::{CallArgument, Expr, FlowGraph, Propagation, UnitId, VarRef};

impl<'p, S: Scalar> Machine<'p, S> {
    /// The graph of a unit in the present sweep.
    pub(super) fn graph_of(&self, unit: UnitId) -> Result<&'p FlowGraph, Fault> {
        let u = self.program.unit(unit);
        let Some((_, list)) = &u.replacements else { return Ok(&u.graph) };
        let wanted = match self.sweep {
            Sweep::Plain => 1,
            Sweep::Tape => 2,
            Sweep::Adjoint => 3,
        };
        let graph = list.iter().find(|r| r.placeholder == wanted).map(|r| &r.graph);
        graph.ok_or_else(|| fault("OB6005", format!("unit `{}` has no placeholder {wanted}", self.unit_label(unit))))
    }

    /// Executes the entries of a propagator.
    pub(super) fn propagate(&mut self, list: &'p [Propagation]) -> Result<(), Fault> {
        for entry in list {
            match entry {
                Propagation::Set { target, source } => self.update(target, source, None, false)?,
                Propagation::SetNeg { target, source } => self.update(target, source, Some(-1.0), false)?,
                Propagation::Inc { target, source } => self.update(target, source, None, true)?,
                Propagation::Dec { target, source } => self.update(target, source, Some(-1.0), true)?,
                Propagation::Zero { target } => self.zero(target)?,
                Propagation::Sax { terms, y } | Propagation::Saxpy { terms, y } => {
                    // All terms are read before y is set: y may be among them.
                    let mut sum: Option<Operand<S>> = None;
                    if matches!(entry, Propagation::Saxpy { .. }) {
                        sum = Some(self.derivative(y)?);
                    }
                    for (a, x) in terms {
                        let a = self.eval(a)?;
                        let x = self.derivative(x)?;
                        let term = self.combine(Fn2::Mul, &a, &x)?;
                        sum = Some(match sum {
                            None => term,
                            Some(s) => self.combine(Fn2::Add, &s, &term)?,
                        });
                    }
                    let value = sum.unwrap_or(Operand::One(Value::real(0.0)));
                    self.set(y, value)?;
                }
            }
        }
        Ok(())
    }

    fn combine(&mut self, f: Fn2, a: &Operand<S>, b: &Operand<S>) -> Result<Operand<S>, Fault> {
        let op = xaif::model::Operation { name: "add_scal_scal".into(), ty: None, spelling: smol_str::SmolStr::default() };
        self.counters.operations += 1;
        super::intrinsics::map(&[a, b], |v| super::intrinsics::binary(f, v[0], v[1], &op))
    }

    fn derivative(&mut self, r: &'p VarRef) -> Result<Operand<S>, Fault> {
        self.unsized_array(r)?;
        let mut view = self.view(r)?;
        view.deriv = true;
        self.load(&view)
    }

    fn set(&mut self, r: &'p VarRef, value: Operand<S>) -> Result<(), Fault> {
        self.unsized_array(r)?;
        let mut view = self.view(r)?;
        view.deriv = true;
        self.assign(&view, value)
    }

    fn zero(&mut self, r: &'p VarRef) -> Result<(), Fault> {
        self.set(r, Operand::One(Value::real(0.0)))
    }

    /// target = factor * source, or target += factor * source.
    fn update(&mut self, target: &'p VarRef, source: &'p VarRef, factor: Option<f64>, increment: bool) -> Result<(), Fault> {
        let mut value = self.derivative(source)?;
        if let Some(f) = factor {
            value = self.combine(Fn2::Mul, &Operand::One(Value::real(f)), &value)?;
        }
        if increment {
            let old = self.derivative(target)?;
            value = match (&old, &value) {
                // An array adjoint goes into a single element as its sum.
                (Operand::One(_), Operand::Many(_, list)) => {
                    let mut sum = old.clone();
                    for v in list {
                        sum = self.combine(Fn2::Add, &sum, &Operand::One(v.clone()))?;
                    }
                    sum
                }
                _ => self.combine(Fn2::Add, &old, &value)?,
            };
        }
        self.set(target, value)
    }

    /// A stock run-time routine.
    pub(super) fn stock_runtime(&mut self, name: &str, arguments: &'p [CallArgument]) -> Result<(), Fault> {
        let mut list: Vec<&'p CallArgument> = arguments.iter().collect();
        list.sort_by_key(|a| a.position);
        let values: Vec<&'p Expr> = list.iter().map(|a| &a.value).collect();
        let lower = name.to_ascii_lowercase();
        let reference = |k: usize| {
            values.get(k).and_then(|e| variable(e)).ok_or_else(|| fault("OB6005", format!("argument {} of `{name}` is no variable", k + 1)))
        };
        match (lower.as_str(), &values[..]) {
            ("push_s0" | "push_s1" | "push_s2", [a]) => self.push(Kind::Real, a),
            ("pop_s0" | "pop_s1" | "pop_s2", [a]) => self.pop(Kind::Real, a),
            ("push_i_s0" | "push_i_s1" | "push_i", [a]) => self.push(Kind::Integer, a),
            ("pop_i_s0" | "pop_i_s1" | "pop_i", [a]) => self.pop(Kind::Integer, a),
            ("push_s" | "push_b", [a]) => self.push(Kind::Other, a),
            ("pop_s" | "pop_b", [a]) => self.pop(Kind::Other, a),
            ("incderiv", [_, _]) => self.update(reference(1)?, reference(0)?, None, true),
            ("decderiv", [_, _]) => self.update(reference(1)?, reference(0)?, Some(-1.0), true),
            ("zeroderiv", [_]) => self.zero(reference(0)?),
            ("saxpy", [a, _, _]) => {
                let (x, y) = (reference(1)?, reference(2)?);
                let a = self.eval(a)?;
                let x = self.derivative(x)?;
                let term = self.combine(Fn2::Mul, &a, &x)?;
                let old = self.derivative(y)?;
                let sum = match (&old, &term) {
                    (Operand::One(_), Operand::Many(_, list)) => {
                        let mut sum = old.clone();
                        for v in list {
                            sum = self.combine(Fn2::Add, &sum, &Operand::One(v.clone()))?;
                        }
                        sum
                    }
                    _ => self.combine(Fn2::Add, &old, &term)?,
                };
                self.set(y, sum)
            }
            ("oad_convert", [_, source]) => {
                let target = reference(0)?;
                let value = match variable(source) {
                    Some(r) => {
                        let view = self.view(r)?;
                        self.load(&view)?
                    }
                    None => self.eval(source)?,
                };
                let view = self.view(target)?;
                self.assign(&view, value)?;
                if let Some(r) = variable(source) {
                    let d = self.derivative(r)?;
                    self.set(target, d)?;
                }
                Ok(())
            }
            ("oad_allocatematching", [_, _]) => {
                let like = reference(1)?;
                self.unsized_array(like)?;
                let shape = self.view(like)?.shape();
                let bounds: Vec<(i64, Option<i64>)> = shape.iter().map(|&n| (1, Some(n as i64))).collect();
                self.give_memory(reference(0)?, &bounds)
            }
            ("oad_allocateshape", [_, extents @ ..]) => {
                let mut bounds = Vec::new();
                for e in extents {
                    bounds.push((1, Some(self.eval_index(e)?.max(0))));
                }
                self.give_memory(reference(0)?, &bounds)
            }
            ("oad_shapetest", [_, _]) => {
                let (a, b) = (reference(0)?, reference(1)?);
                let (a, b) = (self.view(a)?.shape(), self.view(b)?.shape());
                if a == b { Ok(()) } else { Err(fault("OB6015", format!("arrays of shapes {:?} and {:?} do not match", &a[..], &b[..]))) }
            }
            _ => {
                Err(fault("OB6021", format!("the interpreter does not know the run-time routine `{name}` with {} arguments", values.len())))
            }
        }
    }

    pub(super) fn give_memory(&mut self, r: &'p VarRef, bounds: &[(i64, Option<i64>)]) -> Result<(), Fault> {
        let id = self.locate(r.symbol)?;
        let axes = super::arrays::packed_axes(bounds, self.program.index_order)?;
        let count = bounds.iter().try_fold(1i64, |n, b| n.checked_mul(b.1.unwrap_or(0)));
        let size = self.memory.check_size(count.unwrap_or(i64::MAX))?;
        let object = self.memory.allocate(vec![Value::Undefined; size])?;
        let d = self.memory.descriptor_mut(id);
        d.target = Some((object, 0));
        d.axes = axes;
        Ok(())
    }
}
