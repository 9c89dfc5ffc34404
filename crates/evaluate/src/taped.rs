//! Reals that record how they were calculated: a list of operations with their local slopes.
//!
//! Going back through the list gives the adjoint of every intermediate value, at any moment of the program: what derivative code is compared
//! with, statement by statement. Slopes are those of [`Dual`]. Never here: derivative code.

use super::dual::Dual;
use super::scalar::{Fn1, Fn2, Scalar};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// Operations in the order of execution: for each its operands with the slopes.
pub type Tape = Vec<SmallVec<[(u32, f64); 2]>>;

/// A real with its place on a tape; constants have none.
#[derive(Clone, Debug)]
pub struct Taped {
    /// The value.
    pub v: f64,
    /// The operation that gave it.
    pub node: Option<u32>,
    tape: Option<Rc<RefCell<Tape>>>,
}

impl Taped {
    /// An input.
    pub fn input(v: f64, tape: &Rc<RefCell<Tape>>) -> Taped {
        Taped { v, node: None, tape: Some(Rc::clone(tape)) }.record(v, &[])
    }

    fn record(&self, v: f64, operands: &[(u32, f64)]) -> Taped {
        let Some(tape) = &self.tape else { return Taped::constant(v) };
        let mut list = tape.borrow_mut();
        list.push(SmallVec::from_slice(operands));
        Taped { v, node: Some(list.len() as u32 - 1), tape: Some(Rc::clone(tape)) }
    }

    fn of(operands: &[&Taped], dual: impl Fn(&[Dual]) -> Dual) -> Taped {
        let n = operands.len();
        let inputs: SmallVec<[Dual; 3]> = operands
            .iter()
            .enumerate()
            .map(|(k, o)| if o.node.is_some() { Dual::variable(o.v, k, n) } else { Dual::constant(o.v) })
            .collect();
        let out = dual(&inputs);
        let slopes: SmallVec<[(u32, f64); 3]> =
            operands.iter().enumerate().filter_map(|(k, o)| Some((o.node?, out.derivative(k)))).collect();
        match operands.iter().find(|o| o.node.is_some()) {
            Some(o) => o.record(out.v, &slopes),
            None => Taped::constant(out.v),
        }
    }
}

impl Scalar for Taped {
    fn constant(x: f64) -> Taped {
        Taped { v: x, node: None, tape: None }
    }
    fn value(&self) -> f64 {
        self.v
    }
    fn unary(&self, f: Fn1) -> Taped {
        Taped::of(&[self], |d| d[0].unary(f))
    }
    fn binary(&self, o: &Taped, f: Fn2) -> Taped {
        Taped::of(&[self, o], |d| d[0].binary(&d[1], f))
    }
    fn powi(&self, n: i64) -> Taped {
        Taped::of(&[self], |d| d[0].powi(n))
    }
    fn fma(&self, b: &Taped, c: &Taped, single: bool) -> Taped {
        Taped::of(&[self, b, c], |d| d[0].fma(&d[1], &d[2], single))
    }
    fn to_single(&self) -> Taped {
        Taped { v: self.v.to_single(), ..self.clone() }
    }
    /// A node of its own: two variables of the same value have two adjoints.
    fn stored(&self) -> Taped {
        match self.node {
            Some(n) => self.record(self.v, &[(n, 1.0)]),
            None => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tape_gives_adjoints() {
        let tape = Rc::default();
        let x = Taped::input(0.5, &tape);
        let y = x.binary(&x.unary(Fn1::Sin), Fn2::Mul).stored();
        let mut bars = vec![0.0; tape.borrow().len()];
        bars[y.node.unwrap() as usize] = 1.0;
        for (k, operands) in tape.borrow().iter().enumerate().rev() {
            for &(o, slope) in operands {
                bars[o as usize] += slope * bars[k];
            }
        }
        assert!((bars[0] - (0.5f64.sin() + 0.5 * 0.5f64.cos())).abs() < 1e-15);
    }
}
