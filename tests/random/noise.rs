//! A program whose assignments each lose a few units in the last place, as another right way to compute it would.
//!
//! Never here: whether the derivatives are right, or how far apart they may be.

use super::rng::Rng;
use xaif::Program;
use xaif::model::*;

/// The program where each real assignment is off by up to so many units in the last place, drawn by the seed.
pub fn noisy(mut p: Program, units: f64, seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let symbols = &p.symbols;
    for unit in &mut p.units {
        for v in unit.graph.node_weights_mut() {
            let VertexKind::Block { stmts, .. } = &mut v.kind else { continue };
            for s in stmts {
                let StmtKind::Assignment { lhs, rhs } = &mut s.kind else { continue };
                let ty = symbols[lhs.symbol.index()].ty;
                if ty.is_real() {
                    let unit = if ty.bits == 32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
                    let by = Expr::real(1.0 + (units * rng.real()).round() * unit, ty.bits);
                    *rhs = Expr::op("mul_scal_scal", [std::mem::take(rhs), by]);
                }
            }
        }
    }
    p
}
