//! Arguments of derivative units.
//!
//! ```text
//! double f(double x, double w[])         tangent   double f_d(double x, double xd, double w[], double wd[], double *f)
//!                                        adjoint   void   f_b(double x, double *xb, double w[], double wb[], double fb)
//!                                        with values  double f_b(the same)
//! ```
//!
//! With several directions at once no derivative is the value of a function: that of the result is an argument behind the value. A companion stands right behind its argument. The value of an active result comes back in one more argument behind the others,
//! its adjoint goes in there; both before the first optional argument. Lives here: which arguments there are, in which
//! order and with which direction. Never here: symbols.

use xaif::Program;
use xaif::model::{Intent, Mode, Unit};

/// What an argument of a derivative unit is, by the index of the original's formal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The original argument, or the value of the result.
    Primal(usize),
    /// Its derivative.
    Derivative(usize),
}

impl Role {
    /// The original's formal.
    pub fn index(self) -> usize {
        match self {
            Role::Primal(k) | Role::Derivative(k) => k,
        }
    }
}

/// The arguments of a derivative unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// In order; where the unit is a function the last one is its result.
    pub roles: Vec<Role>,
    /// Whether the last one is the result.
    pub is_function: bool,
}

impl Signature {
    /// The arguments of a unit's derivative, if `active` tells which formals (by index) have companions.
    /// `vector`: the unit serves several directions at once; their number, which stands first, is not counted here. An adjoint that `returns` has the
    /// value of the original for its own.
    pub fn of(program: &Program, unit: &Unit, mode: Mode, (vector, returns): (bool, bool), active: &dyn Fn(usize) -> bool) -> Signature {
        let mut roles = Vec::new();
        let mut result = None;
        let mut behind = None;
        for (k, f) in unit.formals.iter().enumerate() {
            if f.result {
                result = Some(k);
                continue;
            }
            // What may be null is handed over always, so its position does not matter.
            let left_out = |s: &xaif::model::Symbol| s.has_attribute("optional") && !s.has_attribute("nullable");
            if behind.is_none() && left_out(program.symbol(f.symbol)) {
                behind = Some(roles.len());
            }
            roles.push(Role::Primal(k));
            if active(k) {
                roles.push(Role::Derivative(k));
            }
        }
        let behind = behind.unwrap_or(roles.len());
        let mut is_function = false;
        if let Some(k) = result {
            match (matches!(mode, Mode::Tangent | Mode::Forward), active(k)) {
                (true, true) if vector => {
                    roles.insert(behind, Role::Derivative(k));
                    roles.insert(behind, Role::Primal(k));
                }
                (true, true) => {
                    roles.insert(behind, Role::Primal(k));
                    roles.push(Role::Derivative(k));
                    is_function = true;
                }
                (true, false) => {
                    roles.push(Role::Primal(k));
                    is_function = true;
                }
                (false, true) => roles.insert(behind, Role::Derivative(k)),
                (false, false) => {}
            }
            if returns && mode == Mode::Adjoint {
                roles.push(Role::Primal(k));
                is_function = true;
            }
        }
        Signature { roles, is_function }
    }
}

/// Direction of a companion.
pub fn companion_intent(mode: Mode, primal: Intent) -> Intent {
    if mode == Mode::Tangent { primal } else { Intent::Inout }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Maker;

    #[test]
    fn results_stand_behind_the_others_and_before_what_is_optional() {
        let mut m = Maker::new();
        let f = m.unit("f", &["x:value", "n:int", "o:real", "f:result"], |u| {
            let o = u.sym("o");
            u.program.symbol_mut(o).decl.as_mut().unwrap().attributes.push("optional".into());
        });
        let p = m.program;
        let of = |mode, list: &[usize]| Signature::of(&p, p.unit(f), mode, (false, false), &|k| list.contains(&k));
        use Role::{Derivative as D, Primal as P};
        let t = of(Mode::Tangent, &[0, 2, 3]);
        assert_eq!((t.roles, t.is_function), (vec![P(0), D(0), P(1), P(3), P(2), D(2), D(3)], true));
        let b = of(Mode::Adjoint, &[0, 2, 3]);
        assert_eq!((b.roles, b.is_function), (vec![P(0), D(0), P(1), D(3), P(2), D(2)], false));
        let t = of(Mode::Tangent, &[0]);
        assert_eq!((t.roles, t.is_function), (vec![P(0), D(0), P(1), P(2), P(3)], true));
        assert_eq!(of(Mode::Adjoint, &[0]).roles, [P(0), D(0), P(1), P(2)]);
        let several = Signature::of(&p, p.unit(f), Mode::Tangent, (true, false), &|k| k != 1);
        assert_eq!((several.roles, several.is_function), (vec![P(0), D(0), P(1), P(3), D(3), P(2), D(2)], false));
        let returning = Signature::of(&p, p.unit(f), Mode::Adjoint, (false, true), &|k| k == 0 || k == 3);
        assert_eq!((returning.roles, returning.is_function), (vec![P(0), D(0), P(1), D(3), P(2), P(3)], true));
    }
}
