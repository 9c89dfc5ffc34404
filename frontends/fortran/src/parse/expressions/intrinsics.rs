//! Intrinsic functions: Fortran's names to the catalogue's.
//!
//! Lives here: which intrinsic a name is and how its arguments map. Never here: derivatives, user procedures, intrinsics on whole arrays (see `arrays`).

use crate::parse::context::intrinsic_names::{DEGREES, PASSIVE, REAL_ONE, TWO, is_complex_intrinsic};
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, op};
use crate::parse::text::tree::named;
use tree_sitter::Node;
use xaif::model::*;
use xaif::types::promote;

const REAL: ElemType = ElemType { base: BaseType::Real, bits: 32 };

impl<'t> Lower<'t> {
    /// A reference to an intrinsic function.
    pub fn intrinsic(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        if let Some(v) = self.real_of_complex(name, list, node)? {
            return Ok(v);
        }
        if matches!(name, "trim" | "adjustl" | "adjustr" | "repeat" | "achar" | "char") && self.cur.graph.is_some() {
            return self.text_value(node);
        }
        if let Some((_, radians, inward)) = DEGREES.iter().find(|(n, ..)| *n == name) {
            return self.in_degrees(name, radians, *inward, list, node);
        }
        if let Some((_, target, generic)) = REAL_ONE.iter().find(|(n, ..)| *n == name) {
            let args = self.arguments_of(list, &["x", "kind"])?;
            let v = self.needed(&args, 0, node)?;
            if name == "atan" && args.count() == 2 {
                let x = self.needed(&args, 1, node)?;
                return self.two("arctan2_scal_scal", "atan2", v, x, node);
            }
            if args.count() > 1 {
                return Err(self.refuse(node, "OB3031", format!("`{name}` with a kind")));
            }
            self.numeric(&v, node)?;
            if v.ty.base != BaseType::Real {
                return Err(self.refuse(node, "OB3043", format!("`{name}` needs a real argument")));
            }
            return Ok(Val::new(op(target, spelling(name, *generic), None, [v.e]), v.ty, v.rank));
        }
        if let Some((_, target, generic)) = TWO.iter().find(|(n, ..)| *n == name) {
            let dummies: &[&str] = match name {
                "atan2" => &["y", "x"],
                "mod" | "modulo" => &["a", "p"],
                "sign" => &["a", "b"],
                "iand" | "ior" | "ieor" => &["i", "j"],
                "bessel_jn" | "bessel_yn" => &["n", "x"],
                _ => &["x", "y"],
            };
            let args = self.arguments_of(list, dummies)?;
            let (a, b) = (self.needed(&args, 0, node)?, self.needed(&args, 1, node)?);
            if name == "scan" {
                return Ok(Val::new(op("scan", "", None, [a.e, b.e]), ElemType::INTEGER, a.rank));
            }
            return self.two(target, spelling(name, *generic), a, b, node);
        }
        if let Some((_, base)) = PASSIVE.iter().find(|(n, _)| *n == name) {
            if let Some(v) = self.by_exponent(name, list, node)? {
                return Ok(v);
            }
            let args = self.arguments_of(list, &[])?;
            let mut operands = Vec::new();
            for i in 0..args.count() {
                operands.push(self.needed(&args, i, node)?);
            }
            let first = operands.first().map_or(REAL, |v| v.ty);
            let rank = operands.iter().map(|v| v.rank).max().unwrap_or(0);
            let ty = match base {
                Some(BaseType::Integer) => ElemType::INTEGER,
                Some(BaseType::Bool) => ElemType::BOOL,
                Some(base) => ElemType { base: *base, bits: 0 },
                None => first,
            };
            return Ok(Val::new(op(name, name, Some(ty), operands.into_iter().map(|v| v.e)), ty, rank));
        }
        match name {
            "sum" | "product" | "maxval" | "minval" | "maxloc" | "minloc" | "count" | "any" | "all" | "dot_product" | "matmul"
            | "transpose" | "size" | "lbound" | "ubound" | "shape" | "norm2" | "findloc" => self.array_intrinsic(name, list, node),
            "spread" | "reshape" | "cshift" | "eoshift" | "pack" | "unpack" => self.rearrangement(name, list, node),
            _ => self.scalar_intrinsic(name, list, node),
        }
    }

    fn two(&mut self, target: &str, spelling: &str, a: Val, b: Val, node: Node<'t>) -> Lowered<Val> {
        self.numeric(&a, node)?;
        self.numeric(&b, node)?;
        let ty = promote(a.ty, b.ty);
        let rank = a.rank.max(b.rank);
        Ok(Val::new(op(target, spelling, None, [a.e, b.e]), ty, rank))
    }

    /// Trigonometry in degrees.
    fn in_degrees(&mut self, name: &str, radians: &str, inward: bool, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        let two = radians == "atan2";
        let args = self.arguments_of(list, if two { &["y", "x"] } else { &["x"] })?;
        let v = self.needed(&args, 0, node)?;
        self.numeric(&v, node)?;
        if v.ty.base != BaseType::Real || args.count() != 1 + usize::from(two) {
            return Err(self.refuse(node, "OB3043", format!("`{name}` needs real arguments")));
        }
        let (ty, rank) = (v.ty, v.rank);
        let factor = if inward { std::f64::consts::PI / 180.0 } else { 180.0 / std::f64::consts::PI };
        let factor = Val::new(Expr::real(if ty.bits == 32 { f64::from(factor as f32) } else { factor }, ty.bits), ty, 0);
        if two {
            let x = self.needed(&args, 1, node)?;
            let angle = self.two("arctan2_scal_scal", "", v, x, node)?;
            return self.apply("*", factor, angle, node);
        }
        let target = REAL_ONE.iter().find(|(n, ..)| *n == radians).map_or("", |(_, t, _)| *t);
        if inward {
            let angle = self.apply("*", factor, v, node)?;
            return Ok(Val::new(op(target, "", None, [angle.e]), ty, rank));
        }
        let angle = Val::new(op(target, "", None, [v.e]), ty, rank);
        self.apply("*", factor, angle, node)
    }

    fn scalar_intrinsic(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        match name {
            "abs" | "iabs" | "dabs" => {
                let args = self.arguments_of(list, &["a"])?;
                let v = self.needed(&args, 0, node)?;
                self.numeric(&v, node)?;
                Ok(Val::new(op("abs_scal", spelling(name, name == "abs"), None, [v.e]), v.ty, v.rank))
            }
            "max" | "amax0" | "amax1" | "max0" | "max1" | "dmax1" => self.extremum("max", name, list, node),
            "min" | "amin0" | "amin1" | "min0" | "min1" | "dmin1" => self.extremum("min", name, list, node),
            "int" | "ifix" | "idint" | "nint" | "idnint" | "floor" | "ceiling" | "real" | "float" | "sngl" | "dble" | "dfloat" => {
                self.conversion(name, list, node)
            }
            "dprod" => {
                let args = self.arguments_of(list, &["x", "y"])?;
                let a = self.needed(&args, 0, node)?;
                let b = self.needed(&args, 1, node)?;
                let (a, b) = (self.converted(a, ElemType::REAL64), self.converted(b, ElemType::REAL64));
                self.apply("*", a, b, node)
            }
            "cotan" | "dcotan" | "scale" | "storage_size" => self.composed(name, list, node),
            "merge" => {
                let args = self.arguments_of(list, &["tsource", "fsource", "mask"])?;
                let (t, f, m) = (self.needed(&args, 0, node)?, self.needed(&args, 1, node)?, self.needed(&args, 2, node)?);
                self.logical(&m, node)?;
                if t.ty.base == BaseType::Opaque {
                    return Err(self.refuse(node, "OB3031", "`merge` of other than numbers, truth values and text"));
                }
                let rank = t.rank.max(f.rank).max(m.rank);
                let ty = t.ty;
                Ok(Val::new(op("select", "merge", None, [m.e, t.e, f.e]), ty, rank))
            }
            "associated" if self.known_association(list).is_some() => {
                let known = self.known_association(list);
                Ok(Val::new(known.unwrap_or_else(|| Expr::bool(true)), ElemType::BOOL, 0))
            }
            "associated" if self.cur.graph.is_some() => self.asked_of_text(name, node),
            "epsilon" | "tiny" | "huge" | "allocated" | "present" | "isnan" | "ieee_is_nan" | "ieee_is_finite" | "len" | "trim"
            | "ichar" | "not" => self.property(name, list, node),
            "kind" | "selected_real_kind" | "selected_int_kind" => match self.const_int(node) {
                Some(k) => {
                    let mut c = Expr::int(k);
                    if let Some(NodeKind::Const(c)) = c.nodes.last_mut().map(|n| &mut n.kind) {
                        std::sync::Arc::make_mut(c).spelling = self.file().squeezed(node).into();
                    }
                    Ok(Val::new(c, ElemType::INTEGER, 0))
                }
                None => Err(self.refuse(node, "OB3011", "this kind has no known value")),
            },
            _ if is_complex_intrinsic(name) => Err(self.refuse(node, "OB3021", format!("complex intrinsic `{name}`"))),
            _ => {
                let mut d = *self.refuse(node, "OB3031", format!("the intrinsic `{name}` is not supported"));
                d.help = Some(match name {
                    "associated" => "use an allocatable array, or a logical variable that says whether the pointer has a target".into(),
                    "c_loc" | "c_funloc" | "c_associated" => "put it into a procedure that is not differentiated".into(),
                    _ => "write it as loops over elements".into(),
                });
                Err(Box::new(d))
            }
        }
    }

    /// What others are made of: COTAN, SCALE, STORAGE_SIZE.
    fn composed(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        match name {
            "cotan" | "dcotan" => {
                let args = self.arguments_of(list, &["x"])?;
                let v = self.needed(&args, 0, node)?;
                self.numeric(&v, node)?;
                let tangent = Val::new(op("tan_scal", "", None, [v.e]), v.ty, v.rank);
                let one = Val::new(Expr::real(1.0, v.ty.bits), v.ty, 0);
                self.apply("/", one, tangent, node)
            }
            "scale" => {
                let args = self.arguments_of(list, &["x", "i"])?;
                let (x, i) = (self.needed(&args, 0, node)?, self.needed(&args, 1, node)?);
                self.numeric(&x, node)?;
                let two = Val::new(Expr::real(2.0, x.ty.bits), x.ty, 0);
                let power = self.apply("**", two, i, node)?;
                self.apply("*", x, power, node)
            }
            _ => {
                let args = self.arguments_of(list, &["a", "kind"])?;
                let v = self.needed(&args, 0, node)?;
                match v.ty.base {
                    BaseType::Real | BaseType::Integer if v.ty.bits > 0 => {
                        Ok(Val::new(Expr::int(i64::from(v.ty.bits)), ElemType::INTEGER, 0))
                    }
                    _ => Err(self.refuse(node, "OB3031", "`storage_size` of other than numbers")),
                }
            }
        }
    }

    /// INT, REAL and other names of conversions.
    fn conversion(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        let args = self.arguments_of(list, &["a", "kind"])?;
        let v = self.needed(&args, 0, node)?;
        self.numeric(&v, node)?;
        let kind = self.kind_argument(&args, 1)?;
        let (target, base, default) = match name {
            "int" | "ifix" | "idint" => ("int_scal", BaseType::Integer, 32),
            "nint" | "idnint" => ("nint_scal", BaseType::Integer, 32),
            "floor" => ("ifloor_scal", BaseType::Integer, 32),
            "ceiling" => ("iceil_scal", BaseType::Integer, 32),
            "dble" | "dfloat" => ("real_scal", BaseType::Real, 64),
            _ => ("real_scal", BaseType::Real, 32),
        };
        let (bits, text) = match kind {
            Some((bits, text)) => (bits, format!("{name}({text})")),
            None => (default, name.to_string()),
        };
        let ty = ElemType { base, bits };
        Ok(Val::new(op(target, &text, Some(ty), [v.e]), ty, v.rank))
    }

    /// What is asked of one value or name: ALLOCATED, HUGE, LEN and the like.
    fn property(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        let args = self.arguments_of(list, &["x"])?;
        if name == "present" || name == "allocated" {
            // The argument is named, not read.
            let v = self.needed(&args, 0, node)?;
            return Ok(Val::new(op(name, "", None, [v.e]), ElemType::BOOL, 0));
        }
        let v = self.needed(&args, 0, node)?;
        let (target, ty, rank) = match name {
            "isnan" | "ieee_is_nan" => ("isnan_scal", ElemType::BOOL, v.rank),
            "ieee_is_finite" => ("isfinite_scal", ElemType::BOOL, v.rank),
            "len" | "ichar" => (name, ElemType::INTEGER, 0),
            "trim" => (name, v.ty, 0),
            "not" => ("b_not", v.ty, v.rank),
            _ => (name, v.ty, 0),
        };
        let spelled = if name == target || name == "not" { "" } else { name };
        Ok(Val::new(op(target, spelled, None, [v.e]), ty, rank))
    }

    /// `max` and `min` of n arguments as nested pairs.
    fn extremum(&mut self, which: &str, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        let mut values = Vec::new();
        for a in named(list) {
            if a.kind() == "keyword_argument" {
                return Err(self.refuse(a, "OB3031", format!("keyword argument of `{name}`")));
            }
            let v = self.expr(a)?;
            self.numeric(&v, a)?;
            values.push(v);
        }
        let mut values = values.into_iter();
        let Some(mut result) = values.next() else { return Err(self.refuse(node, "OB3032", "no arguments")) };
        for v in values {
            let ty = promote(result.ty, v.ty);
            let integer = ty.base == BaseType::Integer;
            let target = format!("{}{which}_scal_scal", if integer { "nc_" } else { "" });
            // amax0 and the like convert the result, which is spelled below.
            let spelled = if matches!(name, "amax0" | "amin0" | "max1" | "min1") { "" } else { spelling(name, name == which) };
            let rank = result.rank.max(v.rank);
            result = Val::new(op(&target, spelled, None, [result.e, v.e]), ty, rank);
        }
        Ok(match name {
            "amax0" | "amin0" => self.converted(result, REAL),
            "max1" | "min1" => self.converted(result, ElemType::INTEGER),
            _ => result,
        })
    }
}

fn spelling(name: &str, generic: bool) -> &str {
    if generic { "" } else { name }
}
