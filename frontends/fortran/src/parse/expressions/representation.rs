//! Inquiries about the representation of numbers, and functions that exponents make of others.
//!
//! ```text
//! digits(x)            53
//! fraction(x)          x*2**(-exponent(x))
//! set_exponent(x, i)   x*2**(i - exponent(x))
//! rrspacing(x)         abs(x)*2**(digits(x) - exponent(x))
//! ```
//!
//! Exponents are whole numbers: the derivative goes through the factor alone. Lives here: these. Never here: other intrinsics.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, op};
use tree_sitter::Node;
use xaif::model::*;

/// What is asked about numbers of a type: single and double precision, or whole numbers; nothing where the compiler knows.
fn inquiry(name: &str, ty: ElemType) -> Option<i64> {
    let (bits, decimal) = match (ty.base, ty.bits) {
        (BaseType::Real, 32) => (24, (6, 37)),
        (BaseType::Real, 64) => (53, (15, 307)),
        (BaseType::Integer, 8) => (7, (0, 2)),
        (BaseType::Integer, 16) => (15, (0, 4)),
        (BaseType::Integer, 32) => (31, (0, 9)),
        (BaseType::Integer, 64) => (63, (0, 18)),
        _ => return None,
    };
    let real = ty.base == BaseType::Real;
    Some(match name {
        "digits" => bits,
        "precision" if real => decimal.0,
        "range" => decimal.1,
        "radix" => 2,
        "maxexponent" if real => {
            if bits == 24 {
                128
            } else {
                1024
            }
        }
        "minexponent" if real => {
            if bits == 24 {
                -125
            } else {
                -1021
            }
        }
        _ => return None,
    })
}

impl<'t> Lower<'t> {
    /// An inquiry with a known answer, or a product with a power of two; nothing where it is neither.
    pub fn by_exponent(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Option<Val>> {
        let known = ["digits", "precision", "range", "radix", "maxexponent", "minexponent", "fraction", "set_exponent", "rrspacing"];
        if !known.contains(&name) {
            return Ok(None);
        }
        let args = self.arguments_of(list, &["x", "i"])?;
        let x = self.needed(&args, 0, node)?;
        if let Some(n) = inquiry(name, x.ty) {
            return Ok(Some(Val::new(Expr::int(n), ElemType::INTEGER, 0)));
        }
        let composed = matches!(name, "fraction" | "set_exponent" | "rrspacing") && x.rank == 0 && self.cur.graph.is_some();
        if x.ty.base != BaseType::Real || !composed {
            return Ok(None);
        }
        let whole = |e: Expr, rank: u8| Val::new(e, ElemType::INTEGER, rank);
        // A variable of its own, where derivatives end.
        let t = self.temp("exponent", ElemType::INTEGER, "integer", Vec::new(), false, self.file().span(node));
        let asked = op("exponent", "exponent", Some(ElemType::INTEGER), [x.e.clone()]);
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: asked }, node, true);
        let exponent = whole(Expr::sym(t), 0);
        let (x, to) = match name {
            "set_exponent" => (x, self.needed(&args, 1, node)?),
            "rrspacing" => {
                let digits = inquiry("digits", x.ty).unwrap_or_default();
                (Val::new(op("abs_scal", "", None, [x.e]), x.ty, x.rank), whole(Expr::int(digits), 0))
            }
            _ => (x, whole(Expr::int(0), 0)),
        };
        let power = self.apply("-", to, exponent, node)?;
        let two = Val::new(Expr::real(2.0, x.ty.bits), x.ty, 0);
        let factor = self.apply("**", two, power, node)?;
        self.apply("*", x, factor, node).map(Some)
    }
}
