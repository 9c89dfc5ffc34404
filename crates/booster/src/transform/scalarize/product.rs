//! Products of matrices and vectors as loops.

use super::shape::Range;
use super::{Expander, Item, loop_head};
use crate::linearize::fold;
use xaif::Diagnostic;
use xaif::model::{Expr, Stmt, VarRef};
use xaif::types;

impl Expander<'_, '_, '_> {
    fn factors(&self, operands: &[Expr]) -> Result<(Vec<Range>, Vec<Range>), Diagnostic> {
        let [a, b] = operands else { return Err(self.no_form("matmul_arr")) };
        let (ra, rb) = (self.shape(a)?, self.shape(b)?);
        match (ra.len(), rb.len()) {
            (2, 2) | (2, 1) | (1, 2) => Ok((ra, rb)),
            _ => Err(self.no_form("matmul_arr")),
        }
    }

    /// Ranges of the product: rows of the first, columns of the second factor.
    pub(super) fn matmul_ranges(&self, operands: &[Expr]) -> Result<Vec<Range>, Diagnostic> {
        let (ra, rb) = self.factors(operands)?;
        Ok(match (ra.len(), rb.len()) {
            (2, 2) => vec![ra[0].clone(), rb[1].clone()],
            (2, _) => vec![ra[0].clone()],
            _ => vec![rb[1].clone()],
        })
    }

    /// target = matmul(a, b); the target overlaps neither.
    pub(super) fn matmul(&mut self, target: &VarRef, operands: &[Expr]) -> Result<(), Diagnostic> {
        let (ra, rb) = self.factors(operands)?;
        let outer = self.ranges(target)?;
        let elem = types::of_ref(self.program, target).elem;
        let inner = ra[ra.len() - 1].clone();
        let depth = outer.len();
        let k = self.loop_variable(depth);
        self.nest(&outer, |e, i| {
            let t = e.element_ref(target, &outer, i)?;
            // Rows and columns follow the target's own ranges.
            let (mut ia, mut fa) = (vec![Expr::sym(k)], vec![inner.clone()]);
            if ra.len() == 2 {
                ia.insert(0, i[0].clone());
                fa.insert(0, outer[0].clone());
            }
            let (mut ib, mut fb) = (vec![Expr::sym(k)], vec![inner.clone()]);
            if rb.len() == 2 {
                ib.push(i[i.len() - 1].clone());
                fb.push(outer[outer.len() - 1].clone());
            }
            let product = Expr::op("mul_scal_scal", [e.element(&operands[0], &fa, &ia)?, e.element(&operands[1], &fb, &ib)?]);
            let add = Stmt::assign(t.clone(), Expr::op("add_scal_scal", [Expr::var(t.clone()), product]));
            Ok(vec![
                Item::Stmt(Stmt::assign(t, fold::zero(elem))),
                Item::Loop { head: Box::new(loop_head(k, &inner)), body: vec![Item::Stmt(add)] },
            ])
        })
    }
}
