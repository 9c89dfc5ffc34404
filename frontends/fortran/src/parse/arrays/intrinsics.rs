//! Intrinsic functions of whole arrays: reductions, inquiries, rearrangements.
//!
//! Lives here: how their arguments map. Never here: the loops that some become.

use crate::parse::arrays::locations::Sought;
use crate::parse::context::state::{Lower, Lowered, Refusal};
use crate::parse::context::terms::{Val, combine, op};
use crate::parse::expressions::intrinsic_arguments::Arguments;
use tree_sitter::Node;
use xaif::model::*;
use xaif::types::promote;

impl<'t> Lower<'t> {
    /// SPREAD, RESHAPE, shifts, PACK and UNPACK.
    pub fn rearrangement(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        let dummies: &[&str] = match name {
            "spread" => &["source", "dim", "ncopies"],
            "reshape" => &["source", "shape", "pad", "order"],
            "cshift" => &["array", "shift", "dim"],
            "pack" => &["array", "mask", "vector"],
            "unpack" => &["vector", "mask", "field"],
            _ => &["array", "shift", "boundary", "dim"],
        };
        let args = self.arguments_of(list, dummies)?;
        let missing = || self.refuse(node, "OB3032", "an argument of the intrinsic is missing");
        let second = args.get(1).ok_or_else(missing)?;
        let a = self.needed(&args, 0, node)?;
        let constant =
            |l: &Self, d: Node<'t>| l.const_int(d).ok_or_else(|| l.refuse(d, "OB3031", format!("`{name}` with a DIM that is no constant")));
        match name {
            "spread" => {
                let dim = constant(self, second)?;
                let copies = self.needed(&args, 2, node)?;
                self.spread(a, dim, copies, node)
            }
            "reshape" => {
                let pad = match args.get(2) {
                    Some(p) => Some(self.expr(p)?),
                    None => None,
                };
                let order = match args.get(3) {
                    Some(o) => Some(self.order_of(o)?),
                    None => None,
                };
                self.reshape(a, second, pad, order, node)
            }
            "pack" => {
                let mask = self.expr(second)?;
                match args.get(2) {
                    Some(v) => {
                        let vector = self.expr(v)?;
                        self.pack_into(a, mask, vector, node)
                    }
                    None => self.pack(a, mask, node),
                }
            }
            "unpack" => {
                let mask = self.expr(second)?;
                let field = self.needed(&args, 2, node)?;
                self.unpack(a, mask, field, node)
            }
            _ => {
                let by = self.expr(second)?;
                let dim = match args.get(if name == "cshift" { 2 } else { 3 }) {
                    Some(d) => usize::try_from(constant(self, d)?).unwrap_or(0),
                    None => 1,
                };
                let boundary = match args.get(2).filter(|_| name == "eoshift") {
                    Some(b) => Some(self.expr(b)?),
                    None => None,
                };
                self.shift(name, a, by, dim, boundary, node)
            }
        }
    }

    /// Reductions, products and inquiries.
    pub fn array_intrinsic(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        let dummies: &[&str] = match name {
            "dot_product" => &["vector_a", "vector_b"],
            "matmul" => &["matrix_a", "matrix_b"],
            "transpose" => &["matrix"],
            "any" | "all" | "count" => &["mask", "dim"],
            "norm2" => &["x", "dim"],
            "size" | "lbound" | "ubound" => &["array", "dim", "kind"],
            "findloc" => &["array", "value", "dim", "mask", "kind", "back"],
            "maxloc" | "minloc" => &["array", "dim", "mask", "kind", "back"],
            _ => &["array", "dim", "mask"],
        };
        let args = self.arguments_of(list, dummies)?;
        let a = self.needed(&args, 0, node)?;
        if matches!(name, "size" | "lbound" | "ubound" | "shape") {
            return self.inquiry(name, &args, a, node);
        }
        if a.rank == 0 {
            return Err(self.refuse(node, "OB3043", format!("`{name}` needs an array")));
        }
        match name {
            "sum" | "maxval" | "minval" | "product" => self.numeric_reduction(name, &args, a, node),
            "maxloc" | "minloc" | "findloc" => self.location_of(name, &args, a, node),
            "count" | "any" | "all" => self.logical_reduction(name, &args, a, node),
            "norm2" if args.count() == 1 => {
                self.numeric(&a, node)?;
                let square = op("mul_scal_scal", "", None, [a.e.clone(), a.e]);
                let sum = op("sum_arr", "", None, [square]);
                Ok(Val::new(op("sqrt_scal", "", None, [sum]), a.ty, 0))
            }
            "dot_product" | "matmul" => self.product_of_arrays(name, &args, a, node),
            "transpose" if a.rank == 2 => {
                self.numeric(&a, node)?;
                Ok(Val::new(op("transpose_arr", "", None, [a.e]), a.ty, 2))
            }
            "norm2" => {
                self.numeric(&a, node)?;
                let Some(k) = args.get(1).and_then(|d| self.const_int(d)) else {
                    return Err(self.unsupported_with(name, node, "a DIM that is no constant"));
                };
                let (ty, rank) = (a.ty, a.rank);
                let square = Val::new(op("mul_scal_scal", "", None, [a.e.clone(), a.e]), ty, rank);
                let sum = self.reduction("sum", square, Some(usize::try_from(k).unwrap_or(0)), None, node)?;
                Ok(Val::new(op("sqrt_scal", "", None, [sum.e]), ty, sum.rank))
            }
            _ => Err(self.unsupported_with(name, node, "these arguments")),
        }
    }

    /// MAXLOC, MINLOC and FINDLOC: an operation of the model, or loops.
    fn location_of(&mut self, name: &str, args: &Arguments<'t>, a: Val, node: Node<'t>) -> Lowered<Val> {
        let first = usize::from(name == "findloc") + 1;
        if args.get(first + 2).or(args.get(first + 3)).is_some() {
            return Err(self.unsupported_with(name, node, "KIND or BACK"));
        }
        // The argument behind the array and the value may be DIM or MASK.
        let (mut dim, mut mask) = (args.get(first), None);
        if let Some(d) = dim {
            let v = self.expr(d)?;
            if v.ty.base == BaseType::Bool {
                (dim, mask) = (None, Some(v));
            }
        }
        if let Some(m) = args.get(first + 1) {
            mask = Some(self.expr(m)?);
        }
        let over = match dim.map(|d| self.const_int(d)) {
            None => None,
            Some(Some(k)) => Some(usize::try_from(k).unwrap_or(0)),
            Some(None) => return Err(self.unsupported_with(name, node, "a DIM that is no constant")),
        };
        let sought = match name {
            "findloc" => Sought::Equal(self.needed(args, 1, node)?),
            "maxloc" => Sought::Largest,
            _ => Sought::Smallest,
        };
        if name != "findloc" && mask.is_none() && (over.is_none() || a.rank == 1 && over == Some(1)) {
            let e = op(if name == "maxloc" { "maxloc_arr" } else { "minloc_arr" }, "", None, [a.e]);
            // With a dimension it is the only element of a vector of one.
            return Ok(match over {
                None => Val::new(e, ElemType::INTEGER, 1),
                Some(_) => Val::new(op("sum_arr", "", None, [e]), ElemType::INTEGER, 0),
            });
        }
        self.location(sought, a, over, mask, node)
    }

    /// The refusal of arguments that an intrinsic may have.
    fn unsupported_with(&self, name: &str, node: Node<'t>, what: &str) -> Refusal {
        let mut d = *self.refuse(node, "OB3031", format!("`{name}` with {what}"));
        d.help = Some("write it as loops over elements".into());
        Box::new(d)
    }

    /// SUM, PRODUCT, MAXVAL, MINVAL: an operation of the model, or loops.
    fn numeric_reduction(&mut self, name: &str, args: &Arguments<'t>, a: Val, node: Node<'t>) -> Lowered<Val> {
        self.numeric(&a, node)?;
        // The second argument may be DIM or MASK.
        let (mut dim, mut mask) = (args.get(1), args.get(2));
        let mut value = None;
        if let (Some(d), None) = (dim, mask) {
            let v = self.expr(d)?;
            if v.ty.base == BaseType::Bool {
                (dim, mask) = (None, Some(d));
                value = Some(v);
            }
        }
        if let (Some(m), None) = (mask, &value) {
            value = Some(self.expr(m)?);
        }
        let over = match dim {
            Some(d) => match self.const_int(d) {
                Some(k) => Some(usize::try_from(k).unwrap_or(0)),
                None => return Err(self.unsupported_with(name, node, "a DIM that is no constant")),
            },
            None => None,
        };
        let along = over.is_some_and(|_| a.rank > 1);
        if along || name == "product" || name != "sum" && value.is_some() {
            return self.reduction(name, a, over, value, node);
        }
        let mut e = a.e;
        if let (Some(v), Some(m)) = (value, mask) {
            self.logical(&v, m)?;
            let zero = if a.ty.base == BaseType::Integer { Expr::int(0) } else { Expr::real(0.0, a.ty.bits) };
            e = op("select", "merge", None, [v.e, e, zero]);
        }
        let target = match (name, a.ty.base) {
            ("sum", _) => "sum_arr",
            ("maxval", BaseType::Integer) => "nc_maxval",
            ("maxval", _) => "maxval_arr",
            (_, BaseType::Integer) => "nc_minval",
            _ => "minval_arr",
        };
        Ok(Val::new(op(target, "", None, [e]), a.ty, 0))
    }

    /// COUNT, ANY, ALL as sums.
    fn logical_reduction(&mut self, name: &str, args: &Arguments<'t>, a: Val, node: Node<'t>) -> Lowered<Val> {
        self.logical(&a, node)?;
        if let Some(d) = args.get(1) {
            let Some(k) = self.const_int(d) else { return Err(self.unsupported_with(name, node, "a DIM that is no constant")) };
            return self.reduction(name, a, Some(usize::try_from(k).unwrap_or(0)), None, node);
        }
        let mask = if name == "all" { combine(NodeKind::Bool(BoolOp::Not), [a.e]) } else { a.e };
        let ones = op("select", "merge", None, [mask, Expr::int(1), Expr::int(0)]);
        let n = op("sum_arr", "", None, [ones]);
        Ok(match name {
            "count" => Val::new(n, ElemType::INTEGER, 0),
            "any" => Val::new(combine(NodeKind::Bool(BoolOp::GreaterThan), [n, Expr::int(0)]), ElemType::BOOL, 0),
            _ => Val::new(combine(NodeKind::Bool(BoolOp::Equal), [n, Expr::int(0)]), ElemType::BOOL, 0),
        })
    }

    /// DOT_PRODUCT and MATMUL.
    fn product_of_arrays(&mut self, name: &str, args: &Arguments<'t>, a: Val, node: Node<'t>) -> Lowered<Val> {
        let b = self.needed(args, 1, node)?;
        self.numeric(&a, node)?;
        self.numeric(&b, node)?;
        let ty = promote(a.ty, b.ty);
        let fits = if name == "dot_product" { a.rank == 1 && b.rank == 1 } else { matches!((a.rank, b.rank), (2, 2) | (1, 2) | (2, 1)) };
        if !fits {
            return Err(self.refuse(node, "OB3043", format!("`{name}` of these ranks")));
        }
        let rank = if name == "dot_product" { 0 } else { a.rank + b.rank - 2 };
        let target = if name == "dot_product" { "dot_product_arr" } else { "matmul_arr" };
        Ok(Val::new(op(target, "", None, [a.e, b.e]), ty, rank))
    }

    /// SIZE, LBOUND, UBOUND, SHAPE.
    fn inquiry(&mut self, name: &str, args: &Arguments<'t>, a: Val, node: Node<'t>) -> Lowered<Val> {
        let elem = ElemType::INTEGER;
        if name == "shape" {
            return Ok(Val::new(op("shape_arr", "", None, [a.e]), elem, 1));
        }
        let kind = self.kind_argument(args, 2)?.map(|(bits, _)| ElemType { bits, ..elem });
        let of_kind = |l: &mut Self, e: Expr| {
            let v = Val::new(e, elem, 0);
            Ok(kind.filter(|k| *k != elem).map_or(v.clone(), |k| l.converted(v, k)))
        };
        if let Some(d) = args.get(1) {
            let d = self.expr(d)?;
            return of_kind(self, op(name, "", None, [a.e, d.e]));
        }
        match (name, a.rank) {
            ("size", 0) => Err(self.refuse(node, "OB3043", "`size` needs an array")),
            ("size", rank) => {
                let mut result = op("size", "", None, [a.e.clone(), Expr::int(1)]);
                for k in 2..=i64::from(rank) {
                    let next = op("size", "", None, [a.e.clone(), Expr::int(k)]);
                    result = op("mul_scal_scal", "", None, [result, next]);
                }
                of_kind(self, result)
            }
            _ => {
                let mut d = *self.refuse(node, "OB3031", format!("`{name}` without DIM"));
                d.help = Some("name the dimension".into());
                Err(Box::new(d))
            }
        }
    }
}
