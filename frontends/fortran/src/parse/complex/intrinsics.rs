//! Intrinsic functions that take or give complex numbers.
//!
//! Lives here: their names and arguments. Never here: formulas.

use super::recognized::generic_name;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Parts, Val, op};
use crate::parse::text::tree::{field, named};
use tree_sitter::Node;
use xaif::model::*;

/// Those whose value is real where the argument is complex.
const REAL: &[&str] = &["real", "dble", "sngl", "realpart", "aimag", "abs", "int", "nint"];

impl<'t> Lower<'t> {
    /// A real value of a complex argument; nothing where the intrinsic is another one.
    pub fn real_of_complex(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Option<Val>> {
        let generic = generic_name(name);
        if !self.has_complex() || !REAL.contains(&generic) {
            return Ok(None);
        }
        let args = self.arguments_of(list, &["a", "kind"])?;
        let first = args.get(0).or_else(|| named(list).first().and_then(|a| field(*a, "value")));
        let Some(argument) = first.filter(|a| self.is_complex(*a)) else { return Ok(None) };
        let v = self.complex_value(argument)?;
        let kind = self.kind_argument(&args, 1)?;
        let value = match generic {
            "aimag" => self.imaginary(&v),
            "abs" => {
                let v = self.both_held(v, node)?;
                self.modulus(&v)
            }
            _ => v.re,
        };
        let bits = match (generic, &kind) {
            ("dble", _) => 64,
            ("sngl", _) => 32,
            (_, Some((bits, _))) => *bits,
            _ => value.ty.bits,
        };
        if matches!(generic, "int" | "nint") {
            let ty = ElemType { base: BaseType::Integer, bits: kind.map_or(32, |(b, _)| b) };
            let target = if generic == "int" { "int_scal" } else { "nint_scal" };
            return Ok(Some(Val::new(op(target, "", Some(ty), [value.e]), ty, value.rank)));
        }
        Ok(Some(self.as_real(value, ElemType { base: BaseType::Real, bits })))
    }

    /// A complex value of an intrinsic function.
    pub fn complex_intrinsic(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Parts> {
        let name = generic_name(name);
        match name {
            "cmplx" | "dcmplx" => self.made_complex(name, list, node),
            "sum" | "transpose" | "merge" | "spread" | "reshape" | "cshift" | "eoshift" | "pack" | "unpack" => {
                self.part_by_part(name, list, node)
            }
            "matmul" | "dot_product" => self.complex_array_product(name, list, node),
            _ => {
                let args = self.arguments_of(list, &["x"])?;
                let Some(argument) = args.get(0).filter(|_| args.count() == 1) else {
                    return Err(self.refuse(node, "OB3032", format!("the arguments of `{name}`")));
                };
                let v = self.complex_value(argument)?;
                if name == "conjg" {
                    let im = self.imaginary(&v);
                    return Ok(Parts::new(v.re, self.minus(im)));
                }
                self.elementary(name, v, node)
            }
        }
    }

    /// CMPLX: of one kind unless another is asked for, whatever the arguments are.
    fn made_complex(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Parts> {
        let args = self.arguments_of(list, &["x", "y", "kind"])?;
        let Some(x) = args.get(0) else { return Err(self.refuse(node, "OB3032", "an argument of the intrinsic is missing")) };
        let bits = match self.kind_argument(&args, 2)? {
            Some((bits, _)) => bits,
            None if name == "dcmplx" => 64,
            None => 32,
        };
        let ty = ElemType { base: BaseType::Real, bits };
        let x = self.complex_value(x)?;
        let im = match args.get(1) {
            Some(y) => {
                let v = self.expr(y)?;
                self.numeric(&v, y)?;
                v
            }
            None => self.imaginary(&x),
        };
        Ok(Parts::new(self.as_real(x.re, ty), self.as_real(im, ty)))
    }

    /// What a list says for its complex arguments, each with its node.
    fn complex_arguments(&mut self, list: Node<'t>) -> Lowered<Vec<(Node<'t>, Parts)>> {
        let mut out = Vec::new();
        for a in named(list) {
            let value = if a.kind() == "keyword_argument" { field(a, "value") } else { Some(a) };
            let Some(value) = value.filter(|v| self.is_complex(*v)) else { continue };
            let v = self.complex_value(value)?;
            out.push((value, self.both_held(v, value)?));
        }
        Ok(out)
    }

    /// An intrinsic with other values for some of its arguments.
    fn intrinsic_of(&mut self, stand_ins: &[(Node<'t>, Val)], name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        self.with_stand_ins(stand_ins, |l| l.intrinsic(name, list, node))
    }

    /// A linear function of arrays, of each part alone.
    fn part_by_part(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Parts> {
        let arguments = self.complex_arguments(list)?;
        let re: Vec<_> = arguments.iter().map(|(n, p)| (*n, p.re.clone())).collect();
        let im: Vec<_> = arguments.iter().map(|(n, p)| (*n, self.imaginary(p))).collect();
        let re = self.intrinsic_of(&re, name, list, node)?;
        let im = self.intrinsic_of(&im, name, list, node)?;
        Ok(Parts::new(re, im))
    }

    /// MATMUL and DOT_PRODUCT, which takes the conjugate of its first argument.
    fn complex_array_product(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Parts> {
        let dummies: &[&str] = if name == "matmul" { &["matrix_a", "matrix_b"] } else { &["vector_a", "vector_b"] };
        let args = self.arguments_of(list, dummies)?;
        let (Some(a), Some(b)) = (args.get(0), args.get(1)) else {
            return Err(self.refuse(node, "OB3032", "an argument of the intrinsic is missing"));
        };
        let (x, y) = (self.own_arrays(a)?, self.own_arrays(b)?);
        let of = |l: &mut Self, p: &Val, q: &Val| l.intrinsic_of(&[(a, p.clone()), (b, q.clone())], name, list, node);
        let conjugate = name == "dot_product";
        let re = of(self, &x.re, &y.re)?;
        Ok(match (&x.im, &y.im) {
            (Some(i), Some(j)) => {
                let (ij, xj, iy) = (of(self, i, j)?, of(self, &x.re, j)?, of(self, i, &y.re)?);
                let re = self.plus(if conjugate { "+" } else { "-" }, re, ij, node)?;
                Parts::new(re, self.plus(if conjugate { "-" } else { "+" }, xj, iy, node)?)
            }
            (Some(i), None) => {
                let im = of(self, i, &y.re)?;
                Parts::new(re, if conjugate { self.minus(im) } else { im })
            }
            (None, Some(j)) => Parts::new(re, of(self, &x.re, j)?),
            (None, None) => Parts::real(re),
        })
    }

    /// Both parts in arrays of their own: compilers take parts of complex arrays in MATMUL for what they are not.
    fn own_arrays(&mut self, node: Node<'t>) -> Lowered<Parts> {
        let v = self.complex_value(node)?;
        let own = |l: &mut Self, v: Val, stem: &str| -> Lowered<Val> {
            let t = l.array_value(stem, v.clone(), node)?;
            Ok(Val::new(Expr::sym(t), v.ty, v.rank))
        };
        match v.im {
            Some(im) => Ok(Parts::new(own(self, v.re, "re")?, own(self, im, "im")?)),
            None => Ok(Parts::real(self.held(v.re, "re", node)?)),
        }
    }
}
