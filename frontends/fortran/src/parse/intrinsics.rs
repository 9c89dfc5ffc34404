//! Intrinsic procedures: Fortran's names to the catalogue's.
//!
//! Lives here: which intrinsic a name is and how its arguments map. Never here: derivatives, user procedures.

use super::expressions::{Val, combine, op};
use super::scope::{Lower, Lowered};
use super::tree::{field, named};
use tree_sitter::Node;
use xaif::model::*;
use xaif::types::promote;

/// Elementwise intrinsics of one real argument: name, catalogue name, whether it is the generic name.
const REAL_ONE: &[(&str, &str, bool)] = &[
    ("sin", "sin_scal", true),
    ("dsin", "sin_scal", false),
    ("cos", "cos_scal", true),
    ("dcos", "cos_scal", false),
    ("tan", "tan_scal", true),
    ("dtan", "tan_scal", false),
    ("asin", "arcsin_scal", true),
    ("dasin", "arcsin_scal", false),
    ("acos", "arccos_scal", true),
    ("dacos", "arccos_scal", false),
    ("atan", "arctan_scal", true),
    ("datan", "arctan_scal", false),
    ("sinh", "sinh_scal", true),
    ("dsinh", "sinh_scal", false),
    ("cosh", "cosh_scal", true),
    ("dcosh", "cosh_scal", false),
    ("tanh", "tanh_scal", true),
    ("dtanh", "tanh_scal", false),
    ("asinh", "arcsinh_scal", true),
    ("dasinh", "arcsinh_scal", false),
    ("acosh", "arccosh_scal", true),
    ("dacosh", "arccosh_scal", false),
    ("atanh", "arctanh_scal", true),
    ("datanh", "arctanh_scal", false),
    ("exp", "exp_scal", true),
    ("dexp", "exp_scal", false),
    ("log", "ln_scal", true),
    ("alog", "ln_scal", false),
    ("dlog", "ln_scal", false),
    ("log10", "log10", true),
    ("alog10", "log10", false),
    ("dlog10", "log10", false),
    ("sqrt", "sqrt_scal", true),
    ("dsqrt", "sqrt_scal", false),
    ("erf", "erf_scal", true),
    ("derf", "erf_scal", false),
    ("erfc", "erfc_scal", true),
    ("derfc", "erfc_scal", false),
    ("gamma", "gamma_scal", true),
    ("dgamma", "gamma_scal", false),
    ("log_gamma", "lgamma_scal", true),
    ("dlgama", "lgamma_scal", false),
    ("algama", "lgamma_scal", false),
    ("aint", "trunc_scal", true),
    ("dint", "trunc_scal", false),
    ("anint", "round_scal", true),
    ("dnint", "round_scal", false),
];

/// Elementwise intrinsics of two arguments.
const TWO: &[(&str, &str, bool)] = &[
    ("atan2", "arctan2_scal_scal", true),
    ("datan2", "arctan2_scal_scal", false),
    ("hypot", "hypot_scal_scal", true),
    ("mod", "mod_scal_scal", true),
    ("amod", "mod_scal_scal", false),
    ("dmod", "mod_scal_scal", false),
    ("modulo", "modulo_scal_scal", true),
    ("sign", "sign_scal_scal", true),
    ("dsign", "sign_scal_scal", false),
    ("isign", "sign_scal_scal", false),
    ("dim", "dim_scal_scal", true),
    ("ddim", "dim_scal_scal", false),
    ("idim", "dim_scal_scal", false),
    ("iand", "b_and", true),
    ("ior", "b_or", true),
    ("ieor", "b_xor", true),
    ("scan", "scan", true),
];

/// Intrinsics that nothing can be differentiated through and that the catalogue does not have: name and base of the result (none: that of the first argument).
const PASSIVE: &[(&str, Option<BaseType>)] = &[
    ("len_trim", Some(BaseType::Integer)),
    ("index", Some(BaseType::Integer)),
    ("verify", Some(BaseType::Integer)),
    ("iachar", Some(BaseType::Integer)),
    ("achar", Some(BaseType::String)),
    ("char", Some(BaseType::String)),
    ("adjustl", Some(BaseType::String)),
    ("adjustr", Some(BaseType::String)),
    ("repeat", Some(BaseType::String)),
    ("lge", Some(BaseType::Bool)),
    ("lgt", Some(BaseType::Bool)),
    ("lle", Some(BaseType::Bool)),
    ("llt", Some(BaseType::Bool)),
    ("btest", Some(BaseType::Bool)),
    ("ishft", None),
    ("ishftc", None),
    ("ibset", None),
    ("ibclr", None),
    ("ibits", None),
    ("shiftl", None),
    ("shiftr", None),
    ("shifta", None),
    ("popcnt", Some(BaseType::Integer)),
    ("poppar", Some(BaseType::Integer)),
    ("leadz", Some(BaseType::Integer)),
    ("trailz", Some(BaseType::Integer)),
    ("bit_size", None),
    ("digits", Some(BaseType::Integer)),
    ("precision", Some(BaseType::Integer)),
    ("range", Some(BaseType::Integer)),
    ("radix", Some(BaseType::Integer)),
    ("maxexponent", Some(BaseType::Integer)),
    ("minexponent", Some(BaseType::Integer)),
    ("exponent", Some(BaseType::Integer)),
    ("command_argument_count", Some(BaseType::Integer)),
    ("is_contiguous", Some(BaseType::Bool)),
    ("fraction", None),
    ("scale", None),
    ("nearest", None),
    ("spacing", None),
    ("rrspacing", None),
    ("set_exponent", None),
    ("erfc_scaled", None),
    ("bessel_j0", None),
    ("bessel_j1", None),
    ("bessel_y0", None),
    ("bessel_y1", None),
];

/// Other intrinsic functions that are handled here, or are known and refused.
const OTHERS: &[&str] = &[
    "abs",
    "iabs",
    "dabs",
    "max",
    "amax0",
    "amax1",
    "max0",
    "max1",
    "dmax1",
    "min",
    "amin0",
    "amin1",
    "min0",
    "min1",
    "dmin1",
    "int",
    "ifix",
    "idint",
    "nint",
    "idnint",
    "floor",
    "ceiling",
    "real",
    "float",
    "sngl",
    "dble",
    "dfloat",
    "dprod",
    "merge",
    "sum",
    "product",
    "dot_product",
    "matmul",
    "transpose",
    "maxval",
    "minval",
    "maxloc",
    "minloc",
    "size",
    "lbound",
    "ubound",
    "shape",
    "allocated",
    "present",
    "epsilon",
    "tiny",
    "huge",
    "isnan",
    "ieee_is_nan",
    "ieee_is_finite",
    "len",
    "trim",
    "ichar",
    "count",
    "any",
    "all",
    "norm2",
    "kind",
    "selected_real_kind",
    "selected_int_kind",
    "not",
    "cmplx",
    "dcmplx",
    "aimag",
    "dimag",
    "conjg",
    "dconjg",
    "reshape",
    "spread",
    "pack",
    "unpack",
    "cshift",
    "eoshift",
    "transfer",
    "associated",
    "findloc",
    "logical",
    "c_loc",
    "bessel_jn",
    "bessel_yn",
    "cabs",
    "csqrt",
    "cexp",
    "num_images",
    "this_image",
];

/// Whether a name is an intrinsic function.
pub(super) fn is_intrinsic(name: &str) -> bool {
    REAL_ONE.iter().chain(TWO).any(|(n, ..)| *n == name) || PASSIVE.iter().any(|(n, _)| *n == name) || OTHERS.contains(&name)
}

fn spelling(name: &str, generic: bool) -> &str {
    if generic { "" } else { name }
}

const REAL: ElemType = ElemType { base: BaseType::Real, bits: 32 };

/// Arguments in position order, with keywords resolved against the dummies' names.
struct Arguments<'t>(Vec<Option<Node<'t>>>);

impl<'t> Arguments<'t> {
    fn get(&self, i: usize) -> Option<Node<'t>> {
        self.0.get(i).copied().flatten()
    }
    fn count(&self) -> usize {
        self.0.iter().filter(|a| a.is_some()).count()
    }
}

impl<'t> Lower<'t> {
    fn arguments_of(&self, list: Node<'t>, dummies: &[&str]) -> Lowered<Arguments<'t>> {
        let mut out: Vec<Option<Node>> = Vec::new();
        for (i, a) in named(list).into_iter().enumerate() {
            if a.kind() != "keyword_argument" {
                out.push(Some(a));
                continue;
            }
            let (Some(k), Some(v)) = (field(a, "name"), field(a, "value")) else { continue };
            let k = self.lower(k);
            let at = dummies.iter().position(|d| *d == k).ok_or_else(|| self.refuse(a, "OB3032", format!("unknown keyword `{k}`")))?;
            while out.len() <= at.max(i) && out.len() <= at {
                out.push(None);
            }
            out[at] = Some(v);
        }
        Ok(Arguments(out))
    }

    fn needed(&mut self, args: &Arguments<'t>, i: usize, node: Node<'t>) -> Lowered<Val> {
        match args.get(i) {
            Some(a) => self.expr(a),
            None => Err(self.refuse(node, "OB3032", "an argument of the intrinsic is missing")),
        }
    }

    /// An integer argument that selects a kind.
    fn kind_argument(&self, args: &Arguments<'t>, i: usize) -> Lowered<Option<(u16, String)>> {
        let Some(n) = args.get(i) else { return Ok(None) };
        let bits = self.const_int(n).and_then(Self::bits);
        match bits {
            Some(b) => Ok(Some((b, self.file().squeezed(n)))),
            None => Err(self.refuse(n, "OB3011", format!("the kind `{}` has no known value", self.text(n)))),
        }
    }

    /// A reference to an intrinsic function.
    pub fn intrinsic(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        if matches!(name, "trim" | "adjustl" | "adjustr" | "repeat" | "achar" | "char") && self.cur.graph.is_some() {
            return self.text_value(node);
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
            | "transpose" | "size" | "lbound" | "ubound" | "shape" | "norm2" => self.array_intrinsic(name, list, node),
            "spread" | "reshape" | "cshift" | "eoshift" | "pack" | "unpack" => self.rearrangement(name, list, node),
            _ => self.scalar_intrinsic(name, list, node),
        }
    }

    fn rearrangement(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
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
            "reshape" => match args.get(2).or(args.get(3)) {
                Some(n) => Err(self.refuse(n, "OB3031", "`reshape` with PAD or ORDER")),
                None => self.reshape(a, second, node),
            },
            "pack" => match args.get(2) {
                Some(n) => Err(self.refuse(n, "OB3031", "`pack` with VECTOR")),
                None => {
                    let mask = self.expr(second)?;
                    self.pack(a, mask, node)
                }
            },
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

    fn two(&mut self, target: &str, spelling: &str, a: Val, b: Val, node: Node<'t>) -> Lowered<Val> {
        self.numeric(&a, node)?;
        self.numeric(&b, node)?;
        let ty = promote(a.ty, b.ty);
        let rank = a.rank.max(b.rank);
        Ok(Val::new(op(target, spelling, None, [a.e, b.e]), ty, rank))
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
            "dprod" => {
                let args = self.arguments_of(list, &["x", "y"])?;
                let a = self.needed(&args, 0, node)?;
                let b = self.needed(&args, 1, node)?;
                let (a, b) = (self.converted(a, ElemType::REAL64), self.converted(b, ElemType::REAL64));
                self.apply("*", a, b, node)
            }
            "merge" => {
                let args = self.arguments_of(list, &["tsource", "fsource", "mask"])?;
                let (t, f, m) = (self.needed(&args, 0, node)?, self.needed(&args, 1, node)?, self.needed(&args, 2, node)?);
                self.logical(&m, node)?;
                if matches!(t.ty.base, BaseType::Complex | BaseType::Opaque) {
                    return Err(self.refuse(node, "OB3031", "`merge` of other than numbers, truth values and text"));
                }
                let rank = t.rank.max(f.rank).max(m.rank);
                let ty = t.ty;
                Ok(Val::new(op("select", "merge", None, [m.e, t.e, f.e]), ty, rank))
            }
            "epsilon" | "tiny" | "huge" | "allocated" | "present" | "isnan" | "ieee_is_nan" | "ieee_is_finite" | "len" | "trim"
            | "ichar" | "not" => {
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
            "cmplx" | "dcmplx" | "aimag" | "dimag" | "conjg" | "dconjg" | "cabs" | "csqrt" | "cexp" => {
                Err(self.refuse(node, "OB3021", format!("complex intrinsic `{name}`")))
            }
            _ => {
                let mut d = *self.refuse(node, "OB3031", format!("the intrinsic `{name}` is not supported"));
                d.help = Some(match name {
                    "associated" => "use an allocatable array, or a logical variable that says whether the pointer has a target".into(),
                    "storage_size" | "c_loc" | "c_funloc" | "c_associated" => "put it into a procedure that is not differentiated".into(),
                    _ => "write it as loops over elements".into(),
                });
                Err(Box::new(d))
            }
        }
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

    fn array_intrinsic(&mut self, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        let dummies: &[&str] = match name {
            "dot_product" => &["vector_a", "vector_b"],
            "matmul" => &["matrix_a", "matrix_b"],
            "transpose" => &["matrix"],
            "any" | "all" | "count" => &["mask", "dim"],
            "norm2" => &["x", "dim"],
            "size" | "lbound" | "ubound" => &["array", "dim", "kind"],
            _ => &["array", "dim", "mask"],
        };
        let args = self.arguments_of(list, dummies)?;
        let a = self.needed(&args, 0, node)?;
        let unsupported = |l: &Self, what: &str| {
            let mut d = *l.refuse(node, "OB3031", format!("`{name}` with {what}"));
            d.help = Some("write it as loops over elements".into());
            Box::new(d)
        };
        if matches!(name, "size" | "lbound" | "ubound" | "shape") {
            return self.inquiry(name, &args, a, node);
        }
        if a.rank == 0 {
            return Err(self.refuse(node, "OB3043", format!("`{name}` needs an array")));
        }
        let int_of = |mask: Expr| op("select", "merge", None, [mask, Expr::int(1), Expr::int(0)]);
        match name {
            "sum" | "maxval" | "minval" | "product" => {
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
                        None => return Err(unsupported(self, "a DIM that is no constant")),
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
            "maxloc" | "minloc" => {
                let e = op(if name == "maxloc" { "maxloc_arr" } else { "minloc_arr" }, "", None, [a.e]);
                match args.get(1) {
                    None => Ok(Val::new(e, ElemType::INTEGER, 1)),
                    // The only element of a vector of one.
                    Some(d) if a.rank == 1 && self.const_int(d) == Some(1) && args.get(2).is_none() => {
                        Ok(Val::new(op("sum_arr", "", None, [e]), ElemType::INTEGER, 0))
                    }
                    Some(_) => Err(unsupported(self, "DIM or MASK")),
                }
            }
            "count" | "any" | "all" => {
                self.logical(&a, node)?;
                if let Some(d) = args.get(1) {
                    let Some(k) = self.const_int(d) else { return Err(unsupported(self, "a DIM that is no constant")) };
                    return self.reduction(name, a, Some(usize::try_from(k).unwrap_or(0)), None, node);
                }
                let mask = if name == "all" { combine(NodeKind::Bool(BoolOp::Not), [a.e]) } else { a.e };
                let n = op("sum_arr", "", None, [int_of(mask)]);
                Ok(match name {
                    "count" => Val::new(n, ElemType::INTEGER, 0),
                    "any" => Val::new(combine(NodeKind::Bool(BoolOp::GreaterThan), [n, Expr::int(0)]), ElemType::BOOL, 0),
                    _ => Val::new(combine(NodeKind::Bool(BoolOp::Equal), [n, Expr::int(0)]), ElemType::BOOL, 0),
                })
            }
            "norm2" if args.count() == 1 => {
                self.numeric(&a, node)?;
                let square = op("mul_scal_scal", "", None, [a.e.clone(), a.e]);
                let sum = op("sum_arr", "", None, [square]);
                Ok(Val::new(op("sqrt_scal", "", None, [sum]), a.ty, 0))
            }
            "dot_product" | "matmul" => {
                let b = self.needed(&args, 1, node)?;
                self.numeric(&a, node)?;
                self.numeric(&b, node)?;
                let ty = promote(a.ty, b.ty);
                let fits =
                    if name == "dot_product" { a.rank == 1 && b.rank == 1 } else { matches!((a.rank, b.rank), (2, 2) | (1, 2) | (2, 1)) };
                if !fits {
                    return Err(self.refuse(node, "OB3043", format!("`{name}` of these ranks")));
                }
                let rank = if name == "dot_product" { 0 } else { a.rank + b.rank - 2 };
                let target = if name == "dot_product" { "dot_product_arr" } else { "matmul_arr" };
                Ok(Val::new(op(target, "", None, [a.e, b.e]), ty, rank))
            }
            "transpose" if a.rank == 2 => {
                self.numeric(&a, node)?;
                Ok(Val::new(op("transpose_arr", "", None, [a.e]), a.ty, 2))
            }
            "norm2" => {
                self.numeric(&a, node)?;
                let Some(k) = args.get(1).and_then(|d| self.const_int(d)) else {
                    return Err(unsupported(self, "a DIM that is no constant"));
                };
                let (ty, rank) = (a.ty, a.rank);
                let square = Val::new(op("mul_scal_scal", "", None, [a.e.clone(), a.e]), ty, rank);
                let sum = self.reduction("sum", square, Some(usize::try_from(k).unwrap_or(0)), None, node)?;
                Ok(Val::new(op("sqrt_scal", "", None, [sum.e]), ty, sum.rank))
            }
            _ => Err(unsupported(self, "these arguments")),
        }
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
