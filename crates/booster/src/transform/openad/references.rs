//! References as the stock forms have them: compared, with and without what a file says of them.
//!
//! Lives here: what needs no more than a reference. Never here: statements.

use xaif::Program;
use xaif::model::{Expr, Tri, VarRef};

/// A reference with a derivative.
pub fn is_active(program: &Program, r: &VarRef) -> bool {
    let s = program.symbol(r.symbol);
    s.active && s.ty.is_real()
}

/// A reference without what the file says of it, to be compared.
pub fn canonical(r: &VarRef) -> VarRef {
    let mut r = VarRef { deriv: false, active: Tri::Undefined, constant: false, live: true, origin: None, ..r.clone() };
    for e in r.index_exprs_mut() {
        *e = canonical_expr(e);
    }
    r
}

/// An expression without what the file says of its parts.
pub fn canonical_expr(e: &Expr) -> Expr {
    let mut e = e.clone();
    for n in &mut e.nodes {
        n.origin = None;
    }
    e.for_each_ref_mut(&mut |inner| {
        inner.active = Tri::Undefined;
        inner.origin = None;
    });
    e
}

/// A reference to the value, as an argument of run-time support.
pub fn value(r: &VarRef) -> VarRef {
    VarRef { active: Tri::True, ..plain(r) }
}

/// A reference without what the file says of it, as an argument of run-time support.
pub fn plain(r: &VarRef) -> VarRef {
    VarRef { deriv: false, origin: None, ..r.clone() }
}

/// A reference to the derivative component.
pub fn derivative(r: &VarRef) -> VarRef {
    VarRef { deriv: true, active: Tri::True, origin: None, ..r.clone() }
}
