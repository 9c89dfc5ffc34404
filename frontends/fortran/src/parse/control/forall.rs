//! FORALL as loops: all right sides before the first assignment, where that makes a difference.
//!
//! Lives here: the statement and the construct. Never here: other loops.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::structures::is_member;
use crate::parse::context::terms::{Val, at, int_op, shifted};
use crate::parse::text::tree::{field, named};
use tree_sitter::Node;
use xaif::model::*;

/// An index with its values: `first`, `first + step`, ...
struct Range {
    name: String,
    first: Expr,
    step: Option<Expr>,
    trips: Expr,
}

impl<'t> Lower<'t> {
    /// FORALL, one assignment after the other.
    pub fn forall(&mut self, node: Node<'t>) -> Lowered<()> {
        let mut ranges = Vec::new();
        let mut mask = None;
        let mut body = Vec::new();
        for c in named(node) {
            match c.kind() {
                "triplet_spec" => {
                    let parts = named(c);
                    let (Some(name), Some(from), Some(to)) = (parts.first(), parts.get(1), parts.get(2)) else {
                        return Err(self.refuse(c, "OB3034", "malformed FORALL"));
                    };
                    let (first, last) = (self.index_value(*from)?, self.index_value(*to)?);
                    let step = match parts.get(3) {
                        Some(s) => Some(self.index_value(*s)?).filter(|s| s.as_int() != Some(1)),
                        None => None,
                    };
                    let span = int_op("sub_scal_scal", last.clone(), first.clone());
                    let trips = match &step {
                        _ if first.as_int() == Some(1) && step.is_none() => last,
                        None => int_op("add_scal_scal", span, Expr::int(1)),
                        Some(s) => int_op("div_scal_scal", int_op("add_scal_scal", span, s.clone()), s.clone()),
                    };
                    ranges.push(Range { name: self.lower(*name), first, step, trips });
                }
                "assignment_statement" => body.push(c),
                k if k.starts_with("end_") || k == "block_label_start_expression" || k == "block_label" => {}
                _ if mask.is_none() && body.is_empty() && !c.kind().ends_with("_statement") => mask = Some(c),
                _ => return Err(self.refuse(c, "OB3034", "only assignments are supported in FORALL")),
            }
        }
        if ranges.is_empty() || ranges.len() > 15 {
            return Err(self.refuse(node, "OB3034", "malformed FORALL"));
        }
        for b in body {
            self.forall_assignment(b, &ranges, mask)?;
        }
        Ok(())
    }

    fn index_value(&mut self, node: Node<'t>) -> Lowered<Expr> {
        let v = self.expr(node)?;
        if v.ty.base != BaseType::Integer || v.rank > 0 {
            return Err(self.refuse(node, "OB3041", "a bound of the loop is no integer"));
        }
        Ok(v.e)
    }

    fn forall_assignment(&mut self, node: Node<'t>, ranges: &[Range], mask: Option<Node<'t>>) -> Lowered<()> {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            return Err(self.refuse(node, "OB3034", "malformed assignment"));
        };
        let target = self.base_variable(left)?;
        // Right side, mask and subscripts are read before anything is assigned.
        let mut read = self.symbols_in(right)?;
        if let Some(m) = mask {
            read.extend(self.symbols_in(m)?);
        }
        if let [_, list] = named(left)[..] {
            read.extend(self.symbols_in(list)?);
        }
        let component = target.is_some_and(|t| is_member(self.p.symbol(t)));
        let at_once =
            !component && target.is_none_or(|t| !read.contains(&t) && !self.p.symbol(t).decl.as_ref().is_some_and(|d| d.may_alias));
        let complex = self.is_complex(left) || self.is_complex(right);
        if complex && !at_once {
            let d = self.refuse(node, "OB3021", "FORALL that reads the complex array it sets");
            return Err(Box::new(d.help("write it as loops over elements")));
        }
        let dims: Vec<(Expr, Expr)> = ranges.iter().map(|r| (Expr::int(1), r.trips.clone())).collect();
        if at_once {
            return self.sweep(node, ranges, &dims, mask, &mut |l, _| {
                if complex && l.complex_assignment(node, left, right)? {
                    return Ok(());
                }
                let (lhs, ty, rank) = l.target(left)?;
                let v = l.expr(right)?;
                l.scalar_pair(&v, rank, node)?;
                let v = l.converted(v, ty);
                l.emit(StmtKind::Assignment { lhs, rhs: v.e }, node, true);
                Ok(())
            });
        }
        let Some(ty) = target.map(|t| self.p.symbol(t).ty) else { return Err(self.refuse(left, "OB3046", "this cannot be assigned to")) };
        if mask.is_some_and(|m| target.is_some_and(|t| self.symbols_in(m).is_ok_and(|s| s.contains(&t)))) {
            let mut d = *self.refuse(node, "OB3034", "FORALL with a mask that the assignment changes");
            d.help = Some("write it as loops over elements".into());
            return Err(Box::new(d));
        }
        let t = self.fresh_array("forall", ty, dims.clone(), node);
        self.sweep(node, ranges, &dims, mask, &mut |l, indices| {
            let v = l.expr(right)?;
            l.scalar_pair(&v, 0, node)?;
            let v = l.converted(v, ty);
            l.emit(StmtKind::Assignment { lhs: at(t, indices), rhs: v.e }, node, true);
            Ok(())
        })?;
        self.sweep(node, ranges, &dims, mask, &mut |l, indices| {
            let (lhs, _, _) = l.target(left)?;
            l.emit(StmtKind::Assignment { lhs, rhs: Expr::var(at(t, indices)) }, node, true);
            Ok(())
        })
    }

    fn scalar_pair(&self, v: &Val, rank: u8, node: Node<'t>) -> Lowered<()> {
        if v.ty.base != BaseType::Bool {
            self.numeric(v, node)?;
        }
        if v.rank == 0 && rank == 0 {
            return Ok(());
        }
        let mut d = *self.refuse(node, "OB3034", "FORALL over sections of arrays");
        d.help = Some("write it as loops over elements".into());
        Err(Box::new(d))
    }

    /// Loops over the ranges, with the names of the indices in place, around what `inside` makes.
    fn sweep(
        &mut self,
        node: Node<'t>,
        ranges: &[Range],
        dims: &[(Expr, Expr)],
        mask: Option<Node<'t>>,
        inside: &mut dyn FnMut(&mut Self, &[SymbolId]) -> Lowered<()>,
    ) -> Lowered<()> {
        let indices = self.open_nest(dims, node);
        let mut frame = self.cur.frames.last().cloned().unwrap_or_default();
        for (r, &i) in ranges.iter().zip(&indices) {
            let value = shifted(r.first.clone(), Expr::sym(i), r.step.clone());
            frame.insert(r.name.clone(), Val::new(value, ElemType::INTEGER, 0));
        }
        self.cur.frames.push(frame);
        let outer = std::mem::take(&mut self.cur.after);
        let mut result = Ok(());
        if let Some(m) = mask {
            result = self.expr(m).and_then(|v| {
                self.logical(&v, m)?;
                self.open_test(v.e);
                Ok(())
            });
        }
        let tested = mask.is_some() && result.is_ok();
        if result.is_ok() {
            result = inside(self, &indices);
        }
        self.flush_after();
        self.cur.after = outer;
        if tested {
            self.close_test();
        }
        self.cur.frames.pop();
        self.close_nest(indices);
        result
    }
}
