//! The records of a run, noted in order so that they can be shown.
//!
//! Lives here: what is noted, and when. Never here: the stacks themselves (see [`super::stacks`]).

use super::arrays::View;
use super::fault::Fault;
use super::machine::Machine;
use super::scalar::Scalar;
use super::stacks::{Kept, Kind, Shown};
use super::value::{Operand, Value};
use xaif::model::{Expr, VarRef};

impl<'p, S: Scalar> Machine<'p, S> {
    /// Notes what was pushed, while there is room for it.
    pub(super) fn show_push(&mut self, kind: Kind, e: &'p Expr, values: &[Value<S>]) {
        if self.shown.len() < self.limits.shown {
            let variable = super::expr::variable(e).map(|r| self.name(r.symbol).to_owned());
            self.show(variable, Kept::Stack(kind), values.to_vec());
        }
    }

    /// Notes what was kept in an array, while there is room for it.
    pub(super) fn show_kept(&mut self, lhs: &VarRef, rhs: &Expr, view: &View) -> Result<(), Fault> {
        if self.shown.len() >= self.limits.shown {
            return Ok(());
        }
        let values = match self.load(view)? {
            Operand::One(v) => vec![v],
            Operand::Many(_, list) => list,
        };
        let variable = super::expr::variable(rhs).map(|r| self.name(r.symbol).to_owned());
        self.show(variable, Kept::Array(self.name(lhs.symbol).to_owned()), values);
        Ok(())
    }

    fn show(&mut self, variable: Option<String>, kept: Kept, values: Vec<Value<S>>) {
        let unit = self.place.unit.map_or_else(String::new, |u| self.program.unit_name(u).to_owned());
        self.shown.push(Shown { unit, place: self.location(), variable, kept, values });
    }
}
