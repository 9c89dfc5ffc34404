//! Assignments of complex numbers, part by part.
//!
//! Lives here: what is assigned first, and what must be kept meanwhile. Never here: values.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::Val;
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// `left = right` where one of them is complex; false where none is.
    pub fn complex_assignment(&mut self, node: Node<'t>, left: Node<'t>, right: Node<'t>) -> Lowered<bool> {
        let target = self.is_complex(left);
        if !target && !self.is_complex(right) {
            return Ok(false);
        }
        // User-defined assignments are not between intrinsic types.
        if !target {
            let (lhs, ty, _) = self.target(left)?;
            if !matches!(ty.base, BaseType::Real | BaseType::Integer) {
                return Ok(false);
            }
            let v = self.complex_value(right)?;
            let mut v = self.converted(v.re, ty);
            self.before_whole_assignment(&lhs, &mut v, node)?;
            self.emit(StmtKind::Assignment { lhs, rhs: v.e }, node, false);
            return Ok(true);
        }
        let Some((re, im)) = self.complex_place(left)? else {
            return Err(self.refuse(left, "OB3021", "assignment to a complex variable that is not followed"));
        };
        let t = xaif::types::of_ref(&self.p, &re);
        let v = self.complex_value(right)?;
        let i = self.imaginary(&v);
        if v.re.rank.max(i.rank) > t.rank {
            return Err(self.refuse(node, "OB3043", "the ranks on both sides differ"));
        }
        let (mut first, mut second) = ((re.clone(), self.as_real(v.re, t.elem)), (im, self.as_real(i, t.elem)));
        let reads = |v: &Val, lhs: &VarRef| !v.e.every_ref(&|r| r.symbol != lhs.symbol);
        if reads(&second.1, &first.0) {
            std::mem::swap(&mut first, &mut second);
        }
        if reads(&second.1, &first.0) {
            // Each part needs the other one as it was.
            second.1 = self.held(second.1, if second.0.symbol == re.symbol { "re" } else { "im" }, node)?;
        }
        for (k, (lhs, v)) in [first, second].into_iter().enumerate() {
            self.emit(StmtKind::Assignment { lhs, rhs: v.e }, node, k == 0);
        }
        Ok(true)
    }
}
