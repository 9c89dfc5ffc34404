//! The linear model of the original at a point, from one run on a tape: what every derivative in every direction is, at the price of a few runs.
//!
//! Slopes are those of dual numbers. Lives here: the run, and going through its tape forward and backward. Never here: derivative code, rigorous tolerances
//! (see [`super::oracle`]).

use super::oracle::Element;
use super::subject::Subject;
use overbar_evaluate::fault::fault;
use overbar_evaluate::taped::Tape;
use overbar_evaluate::{Data, Fault, Inputs, Limits, Sweep, Taped, Value, Values, check, noted};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use xaif::model::{Span, SymbolId};

/// The linear model at a point.
pub struct Slopes {
    tape: Tape,
    /// Where elements of independents stand on the tape.
    pub inputs: Vec<(Element, u32)>,
    /// Elements of dependents that are set, with their values.
    pub rows: Vec<(Element, f64)>,
    /// Where these stand on the tape; constants nowhere.
    outputs: Vec<Option<u32>>,
    /// Values at the end, by variable.
    pub values: Values<f64>,
    /// Whether something is calculated in single precision.
    pub single: bool,
    /// No value or slope on the way is infinite or no number.
    pub finite: bool,
    /// Assignments to which the run comes.
    pub reached: BTreeSet<Span>,
}

/// A number, and the sum of the magnitudes of what it is the sum of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    /// The number.
    pub value: f64,
    /// The magnitude, in which rounding errors are measured.
    pub scale: f64,
}

impl Sum {
    fn add(&mut self, slope: f64, of: Sum) {
        // In a direction in which nothing moves nothing moves, also where the slope is infinite.
        if of.scale != 0.0 {
            self.value += slope * of.value;
            self.scale += slope.abs() * of.scale;
        }
    }
}

impl Slopes {
    /// Runs the original at a point. The number is what the run took, also where it fails.
    ///
    /// # Errors
    /// What goes wrong in the run; nothing that has a derivative there (OB6061).
    pub fn at(subject: &Subject, x: &Values<f64>, limits: &Limits) -> (Result<Slopes, Fault>, u64) {
        let tape: Rc<RefCell<Tape>> = Rc::default();
        let (moved, inputs) = match taped(subject, x, &tape) {
            Ok(moved) => moved,
            Err(f) => return (Err(f), 0),
        };
        let (outcome, notes) = noted(subject.program, subject.unit, &moved, &[Sweep::Plain], limits);
        let work = notes.work;
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(f) => return (Err(f), work),
        };
        if let Some(stop) = outcome.stopped {
            return (Err(Box::new(stop)), work);
        }
        let mut out = Slopes {
            tape: Tape::new(),
            inputs,
            rows: Vec::new(),
            outputs: Vec::new(),
            values: Values::new(),
            single: false,
            finite: outcome.counters.not_finite == 0,
            reached: notes.reached,
        };
        for &s in &subject.dependents {
            let found = subject.value(&outcome.arguments, s).or_else(|| subject.value(&outcome.globals, s));
            let Some(data) = found else { return (Err(fault("OB6061", format!("dependent `{}` is not set", subject.name(s)))), work) };
            for (k, v) in data.values.iter().enumerate() {
                if let Value::Real(y, _) = v {
                    out.rows.push(((s, k), y.v));
                    out.outputs.push(y.node);
                }
            }
        }
        if out.rows.is_empty() {
            return (Err(fault("OB6061", super::oracle::UNSET)), work);
        }
        if out.rows.iter().any(|(_, y)| !y.is_finite()) {
            return (Err(fault("OB6061", "a dependent is infinite or no number at this point")), work);
        }
        for (name, data) in outcome.arguments.iter().chain(outcome.globals.iter().filter(|(n, _)| !outcome.arguments.contains_key(*n))) {
            out.single |= data.values.iter().any(|v| matches!(v, Value::Real(_, true)));
            let plain = |v: &Value<Taped>| check::lift::<Taped, f64>(v);
            out.values.insert(name.clone(), Data { shape: data.shape.clone(), values: data.values.iter().map(plain).collect() });
        }
        out.tape = tape.take();
        out.finite &= out.tape.iter().flatten().all(|(_, slope)| slope.is_finite());
        out.single |= subject.is_single();
        (Ok(out), work)
    }

    /// How long the tape is.
    pub fn len(&self) -> usize {
        self.tape.len()
    }

    /// True where nothing depends on anything.
    pub fn is_empty(&self) -> bool {
        self.tape.is_empty()
    }

    /// The derivatives of the rows along a direction.
    pub fn along(&self, seed: &dyn Fn(Element) -> f64) -> Vec<Sum> {
        let mut moved = vec![Sum::default(); self.tape.len()];
        for &(e, n) in &self.inputs {
            let d = seed(e);
            moved[n as usize] = Sum { value: d, scale: d.abs() };
        }
        for (k, operands) in self.tape.iter().enumerate().filter(|(_, o)| !o.is_empty()) {
            let mut sum = Sum::default();
            for &(o, slope) in operands {
                sum.add(slope, moved[o as usize]);
            }
            moved[k] = sum;
        }
        self.outputs.iter().map(|n| n.map_or(Sum::default(), |n| moved[n as usize])).collect()
    }

    /// The derivatives of a weighted sum of the rows with respect to all inputs, in their order.
    pub fn gradient(&self, weights: &[f64]) -> Vec<Sum> {
        let mut bars = vec![Sum::default(); self.tape.len()];
        for (n, &w) in self.outputs.iter().zip(weights).filter_map(|(n, w)| Some(((*n)?, w))) {
            bars[n as usize].value += w;
            bars[n as usize].scale += w.abs();
        }
        for k in (0..self.tape.len()).rev() {
            let bar = bars[k];
            for &(o, slope) in &self.tape[k] {
                bars[o as usize].add(slope, bar);
            }
        }
        self.inputs.iter().map(|&(_, n)| bars[n as usize]).collect()
    }
}

/// Inputs of a run, and where they stand on the tape.
type Moved = (Inputs<Taped>, Vec<(Element, u32)>);

/// The point with independents that are on a tape. What is only output counts as not set, so that it shows what the unit sets.
fn taped(subject: &Subject, x: &Values<f64>, tape: &Rc<RefCell<Tape>>) -> Result<Moved, Fault> {
    let mut moved: Inputs<Taped> = Inputs::default();
    let mut inputs = Vec::new();
    let named = |list: &[SymbolId], name: &str| list.iter().copied().find(|&s| subject.program.same_name(subject.name(s), name));
    for (name, data) in x {
        let independent = named(&subject.independents, name);
        let output = named(&subject.dependents, name).is_some_and(|s| !subject.is_read(s));
        let values = data.values.iter().enumerate().map(|(k, v)| match (v, independent) {
            (Value::Real(..) | Value::Int(..), Some(s)) => {
                let input = Taped::input(v.as_scalar()?, tape);
                inputs.extend(input.node.map(|n| ((s, k), n)));
                Ok(Value::Real(input, matches!(v, Value::Real(_, true))))
            }
            _ if output => Ok(Value::Undefined),
            _ => Ok(check::lift(v)),
        });
        let values = values.collect::<Result<_, Fault>>()?;
        moved.values.insert(name.clone(), Data { shape: data.shape.clone(), values });
    }
    if inputs.is_empty() {
        return Err(fault("OB6061", "the independents have no elements at this point"));
    }
    Ok((moved, inputs))
}
