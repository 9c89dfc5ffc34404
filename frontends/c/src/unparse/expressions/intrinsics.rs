//! Intrinsics as operators, casts and functions of the library.
//!
//! Lives here: what each name of the catalogue is in C. Never here: loops (reductions are made in `reductions`).

use super::forms::{Form, Part, Typed};
use crate::unparse::language::c_types;
use crate::unparse::language::precedence::{Place, Prec};
use crate::unparse::printer::Printer;
use smol_str::format_smolstr;
use std::rc::Rc;
use xaif::model::{BaseType, ElemType, NodeId, NodeKind, Operation, Symbol};

/// Functions of math.h that only differ in their suffix by type.
fn library_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "exp_scal" => "exp",
        "ln_scal" => "log",
        "log10" => "log10",
        "sqrt_scal" => "sqrt",
        "sin_scal" => "sin",
        "cos_scal" => "cos",
        "tan_scal" => "tan",
        "arcsin_scal" => "asin",
        "arccos_scal" => "acos",
        "arctan_scal" => "atan",
        "sinh_scal" => "sinh",
        "cosh_scal" => "cosh",
        "tanh_scal" => "tanh",
        "arcsinh_scal" => "asinh",
        "arccosh_scal" => "acosh",
        "arctanh_scal" => "atanh",
        "arctan2_scal_scal" => "atan2",
        "hypot_scal_scal" => "hypot",
        "cbrt_scal" => "cbrt",
        "exp2_scal" => "exp2",
        "logb_scal" => "logb",
        "expm1_scal" => "expm1",
        "log1p_scal" => "log1p",
        "log2_scal" => "log2",
        "erf_scal" => "erf",
        "erfc_scal" => "erfc",
        "gamma_scal" => "tgamma",
        "lgamma_scal" => "lgamma",
        "fma_scal_scal_scal" => "fma",
        _ => return None,
    })
}

/// The Bessel functions, whose names a program may have for something of its own.
fn bessel_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "bessel_j0_scal" => "j0",
        "bessel_j1_scal" => "j1",
        "bessel_jn_scal_scal" => "jn",
        "bessel_y0_scal" => "y0",
        "bessel_y1_scal" => "y1",
        "bessel_yn_scal_scal" => "yn",
        _ => return None,
    })
}

/// Functions of math.h for reals whose integer counterpart is something else.
fn real_only(name: &str) -> Option<&'static str> {
    Some(match name {
        "abs_scal" => "fabs",
        "sign_scal_scal" => "copysign",
        "mod_scal_scal" => "fmod",
        "max_scal_scal" | "nc_max_scal_scal" => "fmax",
        "min_scal_scal" | "nc_min_scal_scal" => "fmin",
        "dim_scal_scal" => "fdim",
        "floor_scal" => "floor",
        "ceil_scal" => "ceil",
        "round_scal" => "round",
        "trunc_scal" => "trunc",
        "rint_scal" => "rint",
        "pow_scal_scal" => "pow",
        _ => return None,
    })
}

impl Printer<'_> {
    /// The form of an intrinsic.
    pub fn operation(&mut self, t: &Rc<Typed>, id: NodeId, op: &Operation, operands: &[NodeId]) -> Form {
        let name = op.name.as_str();
        if name.is_empty() {
            return Form::leaf(op.spelling.clone());
        }
        let arity = xaif::catalogue::Catalogue::builtin().get(name).map(|i| i.arity as usize);
        if arity.is_some_and(|n| n != operands.len()) && !matches!(name, "size" | "lbound" | "ubound" | "trim") {
            self.refuse("OB5113", format!("`{name}` has {} operands", operands.len()), "the program is malformed", "");
            return Form::leaf("0");
        }
        let ty = t.ty(id).elem;
        let first = operands.first().map_or(ElemType::default(), |&a| t.ty(a).elem);
        if ty.base == BaseType::Complex || first.base == BaseType::Complex {
            return self.unknown(name, "complex numbers are not written in C");
        }
        match (name, operands) {
            ("add_scal_scal" | "sub_scal_scal", &[a, b]) => self.sum(t, name == "add_scal_scal", a, b),
            ("mul_scal_scal", &[a, b]) => Form::infix(Prec::Mul, " * ", a, b),
            ("div_scal_scal", &[a, b]) => Form::infix(Prec::Mul, " / ", a, b),
            ("minus_scal", &[a]) => Form::prefix("-", a),
            ("plus_scal", &[a]) => Form::prefix("+", a),
            ("b_and", &[a, b]) => Form::infix(Prec::BitAnd, " & ", a, b),
            ("b_or", &[a, b]) => Form::infix(Prec::BitOr, " | ", a, b),
            ("b_xor", &[a, b]) => Form::infix(Prec::BitXor, " ^ ", a, b),
            ("b_not", &[a]) => Form::prefix("~", a),
            ("shl_scal_scal", &[a, b]) => Form::infix(Prec::Shift, " << ", a, b),
            ("shr_scal_scal", &[a, b]) => Form::infix(Prec::Shift, " >> ", a, b),
            ("select", &[c, a, b]) => self.choice(t, c, a, b),
            ("real_scal" | "int_scal", &[a]) => self.conversion(t, op, ty, a),
            ("nint_scal" | "ifloor_scal" | "iceil_scal", &[a]) => self.rounding(t, op, ty, a),
            ("pow_scal_scal", &[a, b]) => self.power(t, op, ty, a, b),
            ("isnan_scal", &[_]) => self.library("isnan", "", operands),
            ("isfinite_scal", &[_]) => self.library("isfinite", "", operands),
            ("isinf_scal", &[_]) => self.library("isinf", "", operands),
            ("modulo_scal_scal", &[_, _]) if ty.base == BaseType::Integer => self.support("ob_modulo_int", ty, operands),
            ("modulo_scal_scal", &[_, _]) => self.support("ob_modulo", ty, operands),
            ("digamma_scal", &[_]) => self.support("ob_digamma", ty, operands),
            ("epsilon" | "tiny" | "huge", &[_]) => self.limit(name, ty),
            ("allocated" | "present", &[a]) => self.presence(t, name, a, true),
            ("size" | "lbound" | "ubound", _) => self.inquiry(t, name, operands),
            ("sum_arr" | "dot_product_arr" | "maxval_arr" | "minval_arr" | "nc_maxval" | "nc_minval", _) => {
                match self.reduction(t, name, ty, operands) {
                    Some(name) => Form::leaf(name),
                    None => Form::leaf("0"),
                }
            }
            ("matmul_arr" | "transpose_arr", _) => match self.product_element(t, name, ty, operands) {
                Some(form) => form,
                None => self.unknown(name, "its operands are not whole arrays, or it stands where no loop can be put"),
            },
            _ if ty.base == BaseType::Integer && real_only(name).is_some() => self.integer(t, name, ty, operands),
            _ if let (Some(base), true) = (bessel_name(name), self.c) => self.bessel(name, base, c_types::math_suffix(ty), operands),
            _ => match (library_name(name), real_only(name)) {
                (Some(base), _) | (None, Some(base)) => {
                    // The spelling tells two names of the same function apart, and says which width C computes in.
                    let spelled = op.spelling.as_str();
                    let known = spelled == base
                        || spelled.strip_suffix(['f', 'l']) == Some(base)
                        || matches!(spelled.trim_end_matches(['f', 'l']), "nearbyint");
                    if self.c && known {
                        self.needs.math = true;
                        return Form::call(spelled, operands);
                    }
                    self.library(base, c_types::math_suffix(ty), operands)
                }
                _ => self.unknown(name, ""),
            },
        }
    }

    /// A sum or difference. `a + -1` is `a - 1`, and `n - 1 - 1` is `n - 2` for integers.
    fn sum(&mut self, t: &Rc<Typed>, plus: bool, a: NodeId, b: NodeId) -> Form {
        let (plain, whole) = (if plus { " + " } else { " - " }, t.ty(a).elem.base == BaseType::Integer);
        let Some(k) = constant_term(t, plus, b) else { return Form::infix(Prec::Add, plain, a, b) };
        let (mut base, mut total) = (a, k);
        while whole
            && let node = t.expr.node_at(base)
            && let (NodeKind::Op(op), &[x, y]) = (&node.kind, &node.operands[..])
            && matches!(op.name.as_str(), "add_scal_scal" | "sub_scal_scal")
            && t.ty(x).elem.base == BaseType::Integer
            && let Some(sum) = constant_term(t, op.name == "add_scal_scal", y).and_then(|n| n.checked_add(total))
        {
            (base, total) = (x, sum);
        }
        match total {
            0 if base != a => Form::same(Part::Node(base, Place::Bare)),
            _ if base == a && (k > 0) == plus => Form::infix(Prec::Add, plain, a, b),
            n => {
                let op = if n < 0 { " - " } else { " + " };
                Form {
                    prec: Prec::Add,
                    parts: vec![Part::Node(base, Place::Left(Prec::Add)), Part::text(op), Part::text(n.unsigned_abs().to_string())],
                }
            }
        }
    }

    fn unknown(&mut self, name: &str, reason: &str) -> Form {
        self.refuse("OB5103", format!("the intrinsic `{name}` has no counterpart in C"), reason, "write it with the functions of <math.h>");
        Form::leaf("0")
    }

    fn library(&mut self, base: &'static str, suffix: &str, operands: &[NodeId]) -> Form {
        self.needs.math = true;
        Form::call(format_smolstr!("{base}{suffix}"), operands)
    }

    /// A Bessel function. Variables of the unit have made way for it; what stands at file scope cannot.
    fn bessel(&mut self, name: &str, base: &'static str, suffix: &str, operands: &[NodeId]) -> Form {
        let called = format_smolstr!("{base}{suffix}");
        let own = |s: &Symbol| s.name == called && !s.has_attribute("library");
        let file = self.program.scopes.first().map_or(&[][..], |s| &s.symbols);
        if file.iter().any(|&s| own(self.program.symbol(s))) {
            return self.unknown(name, &format!("the program has a `{called}` of its own, which would be called"));
        }
        self.library(base, suffix, operands)
    }

    /// A function of overbar.h, which computes in the widest type.
    fn support(&mut self, name: &'static str, ty: ElemType, operands: &[NodeId]) -> Form {
        self.needs.runtime = true;
        let mut form = Form::call(name, operands);
        let wide = matches!((ty.base, ty.bits), (BaseType::Integer, 64) | (BaseType::Real, 0 | 64));
        if !wide && let Some(c) = c_types::of_elem(ty, false, self.c) {
            form.parts.insert(0, Part::text(format!("({})", c.text)));
            form.prec = Prec::Unary;
        }
        form
    }

    /// `select`: where the values are 1 and 0 the condition says it all.
    fn choice(&mut self, t: &Rc<Typed>, c: NodeId, a: NodeId, b: NodeId) -> Form {
        let value = |id: NodeId| match &t.expr.node_at(id).kind {
            NodeKind::Const(c) if c.ty.base == BaseType::Integer => c.value.parse::<i64>().ok(),
            _ => None,
        };
        if let (NodeKind::Bool(_), Some(1), Some(0)) = (&t.expr.node_at(c).kind, value(a), value(b)) {
            return Form::same(Part::Node(c, Place::Bare));
        }
        Form::conditional(Part::Node(c, Place::Condition), Part::Node(a, Place::Condition), Part::Node(b, Place::Otherwise))
    }

    /// The type that a conversion names.
    fn cast_text(&mut self, op: &Operation, ty: ElemType) -> Option<String> {
        if self.c && !op.spelling.is_empty() && !op.spelling.contains(['(', ')']) && op.ty.is_some() {
            return Some(op.spelling.to_string());
        }
        match c_types::of_elem(ty, false, self.c) {
            Some(c) => Some(c.text.to_string()),
            None => {
                self.refuse("OB5102", "the target of a conversion has no counterpart in C", c_types::unsupported(ty), "");
                None
            }
        }
    }

    fn conversion(&mut self, t: &Rc<Typed>, op: &Operation, ty: ElemType, a: NodeId) -> Form {
        let from = t.ty(a).elem;
        let same = from == ty
            || (from.base == ty.base
                && [from.bits, ty.bits].iter().all(|b| matches!((ty.base, b), (BaseType::Real, 0 | 64) | (BaseType::Integer, 0 | 32))));
        // Something of an unsigned type needs the cast all the same.
        let mut unsigned = false;
        t.expr.subexpr(a).for_each_ref(&mut |r| unsigned |= self.program.symbol(r.symbol).has_attribute("unsigned"));
        if same && ((op.spelling.is_empty() && !unsigned) || !self.c) {
            return Form::same(Part::Node(a, Place::Bare));
        }
        if ty.base == BaseType::Real && op.spelling.is_empty() && from.base == BaseType::Integer && self.is_number(t, a) {
            return Form::prefix("(double)", a);
        }
        match self.cast_text(op, ty) {
            Some(text) => Form::prefix(format!("({text})"), a),
            None => Form::leaf("0"),
        }
    }

    fn is_number(&self, t: &Typed, a: NodeId) -> bool {
        matches!(t.expr.node_at(a).kind, NodeKind::Const(_))
    }

    /// Rounding to an integer type.
    fn rounding(&mut self, t: &Rc<Typed>, op: &Operation, ty: ElemType, a: NodeId) -> Form {
        let from = t.ty(a).elem;
        if from.base == BaseType::Integer {
            return Form::same(Part::Node(a, Place::Bare));
        }
        self.needs.math = true;
        let suffix = c_types::math_suffix(from);
        let function = match op.name.as_str() {
            "nint_scal" if self.c && matches!(op.spelling.trim_end_matches(['f', 'l']), "lround" | "llround") => {
                return Form::call(op.spelling.clone(), &[a]);
            }
            "nint_scal" if ty.bits == 64 => return Form::call(format!("llround{suffix}"), &[a]),
            "nint_scal" => "lround",
            "ifloor_scal" => "floor",
            _ => "ceil",
        };
        let Some(c) = c_types::of_elem(ty, false, self.c) else { return Form::leaf("0") };
        let mut form = Form::call(format!("{function}{suffix}"), &[a]);
        form.parts.insert(0, Part::text(format!("({})", c.text)));
        form.prec = Prec::Unary;
        form
    }

    /// An operand that may stand twice in the text.
    fn simple(&self, t: &Typed, a: NodeId) -> bool {
        match &t.expr.node_at(a).kind {
            NodeKind::Const(_) => true,
            NodeKind::Var(r) => r.index_exprs().all(|e| e.nodes.len() <= 3),
            _ => false,
        }
    }

    /// Powers: short products for the exponents 2 and 3, library functions else.
    fn power(&mut self, t: &Rc<Typed>, op: &Operation, ty: ElemType, a: NodeId, b: NodeId) -> Form {
        let exponent = match &t.expr.node_at(b).kind {
            NodeKind::Const(c) if c.ty.base == BaseType::Integer => c.value.parse::<i64>().ok(),
            NodeKind::Const(c) if op.spelling.is_empty() && c.value == "2.0" => Some(2),
            _ => None,
        };
        let product = self.simple(t, a) && (op.spelling.is_empty() || !self.c);
        match exponent {
            Some(2) if product => return Form::infix(Prec::Mul, " * ", a, a),
            Some(3) if product => {
                let operand = |place| Part::Node(a, place);
                let parts = vec![
                    operand(Place::Left(Prec::Mul)),
                    Part::text(" * "),
                    operand(Place::Right(Prec::Mul)),
                    Part::text(" * "),
                    operand(Place::Right(Prec::Mul)),
                ];
                return Form { prec: Prec::Mul, parts };
            }
            Some(1) if ty.base == BaseType::Integer => return Form::same(Part::Node(a, Place::Bare)),
            _ => {}
        }
        if ty.base == BaseType::Integer {
            return self.support("ob_power_int", ty, &[a, b]);
        }
        if self.c && matches!(op.spelling.as_str(), "pow" | "powf" | "powl") {
            self.needs.math = true;
            return Form::call(op.spelling.clone(), &[a, b]);
        }
        self.library("pow", c_types::math_suffix(ty), &[a, b])
    }

    /// What math.h has for reals only, on integers.
    fn integer(&mut self, t: &Rc<Typed>, name: &str, ty: ElemType, operands: &[NodeId]) -> Form {
        match (name, operands) {
            ("mod_scal_scal", &[a, b]) => Form::infix(Prec::Mul, " % ", a, b),
            ("abs_scal", &[_]) => {
                self.needs.stdlib = true;
                Form::call(if ty.bits == 64 { "llabs" } else { "abs" }, operands)
            }
            ("floor_scal" | "ceil_scal" | "round_scal" | "trunc_scal" | "rint_scal", &[a]) => Form::same(Part::Node(a, Place::Bare)),
            ("max_scal_scal" | "nc_max_scal_scal" | "min_scal_scal" | "nc_min_scal_scal", &[a, b]) => {
                let greater = name.contains("max");
                if self.simple(t, a) && self.simple(t, b) {
                    let relation = if greater { " > " } else { " < " };
                    return Form {
                        prec: Prec::Conditional,
                        parts: vec![
                            Part::Node(a, Place::Left(Prec::Relation)),
                            Part::text(relation),
                            Part::Node(b, Place::Right(Prec::Relation)),
                            Part::text(" ? "),
                            Part::Node(a, Place::Condition),
                            Part::text(" : "),
                            Part::Node(b, Place::Otherwise),
                        ],
                    };
                }
                self.support(if greater { "ob_max_int" } else { "ob_min_int" }, ty, operands)
            }
            ("dim_scal_scal", &[a, b]) if self.simple(t, a) && self.simple(t, b) => Form {
                prec: Prec::Conditional,
                parts: vec![
                    Part::Node(a, Place::Left(Prec::Relation)),
                    Part::text(" > "),
                    Part::Node(b, Place::Right(Prec::Relation)),
                    Part::text(" ? "),
                    Part::Node(a, Place::Left(Prec::Add)),
                    Part::text(" - "),
                    Part::Node(b, Place::Right(Prec::Add)),
                    Part::text(" : 0"),
                ],
            },
            ("dim_scal_scal", _) => self.support("ob_dim_int", ty, operands),
            ("sign_scal_scal", _) => self.support("ob_sign_int", ty, operands),
            _ => self.unknown(name, ""),
        }
    }

    /// `epsilon(x)` and its like.
    fn limit(&mut self, name: &str, ty: ElemType) -> Form {
        let text = match (name, ty.base, ty.bits) {
            ("huge", BaseType::Integer, 8) => "SCHAR_MAX",
            ("huge", BaseType::Integer, 16) => "SHRT_MAX",
            ("huge", BaseType::Integer, 0 | 32) => "INT_MAX",
            ("huge", BaseType::Integer, 64) => "LLONG_MAX",
            ("epsilon", BaseType::Real, 32) => "FLT_EPSILON",
            ("epsilon", BaseType::Real, 80) => "LDBL_EPSILON",
            ("epsilon", BaseType::Real, _) => "DBL_EPSILON",
            ("tiny", BaseType::Real, 32) => "FLT_MIN",
            ("tiny", BaseType::Real, 80) => "LDBL_MIN",
            ("tiny", BaseType::Real, _) => "DBL_MIN",
            ("huge", BaseType::Real, 32) => "FLT_MAX",
            ("huge", BaseType::Real, 80) => "LDBL_MAX",
            ("huge", BaseType::Real, _) => "DBL_MAX",
            _ => return self.unknown(name, ""),
        };
        self.needs.limits |= ty.base == BaseType::Integer;
        self.needs.float |= ty.base == BaseType::Real;
        Form::leaf(text)
    }

    /// `allocated(a)`, `present(a)`: the pointer is not null; or the opposite.
    pub fn presence(&mut self, t: &Rc<Typed>, name: &str, a: NodeId, there: bool) -> Form {
        let NodeKind::Var(r) = &t.expr.node_at(a).kind else { return self.unknown(name, "its operand is no variable") };
        let symbol = self.program.symbol(r.symbol);
        let pointer = symbol.rank > 0 || symbol.pointer || self.pointers.contains(&r.symbol);
        if !pointer || !r.subscripts.is_empty() {
            return self.unknown(name, "its operand is no pointer in C");
        }
        self.needs.stdlib = true;
        let (relation, between, prec) = if there { (" != NULL", " && ", Prec::And) } else { (" == NULL", " || ", Prec::Or) };
        let list: Vec<String> = self.pointers_to(r.symbol).into_iter().map(|p| p + relation).collect();
        Form { prec: if list.len() > 1 { prec } else { Prec::Equality }, parts: vec![Part::text(list.join(between))] }
    }

    /// `size`, `lbound` and `ubound` of arrays whose dimensions are known.
    fn inquiry(&mut self, t: &Rc<Typed>, name: &str, operands: &[NodeId]) -> Form {
        let var = operands.first().and_then(|&a| match &t.expr.node_at(a).kind {
            NodeKind::Var(r) if r.subscripts.is_empty() => Some(r.symbol),
            _ => None,
        });
        let Some(symbol) = var else { return self.size_of_section(t, name, operands) };
        let dims = self.dims(symbol);
        let wanted = match operands.get(1) {
            Some(&d) => match t.expr.subexpr(d).as_int().and_then(|d| usize::try_from(d - 1).ok()) {
                Some(d) if d < dims.len() => dims[d..=d].to_vec(),
                _ => return self.unknown(name, "its dimension is not constant"),
            },
            None if name == "size" || dims.len() == 1 => dims,
            None => return self.unknown(name, "its value is an array"),
        };
        let known = wanted.iter().try_fold(None, |product: Option<xaif::model::Expr>, d| {
            let one = match name {
                "size" => self.extent(d)?,
                "lbound" => self.lower(d),
                _ => match &d.upper {
                    xaif::model::Bound::Expr(u) => u.clone(),
                    xaif::model::Bound::Unknown => return None,
                },
            };
            Some(Some(match product {
                Some(p) => xaif::offsets::times(p, one),
                None => one,
            }))
        });
        match known.flatten() {
            Some(e) => {
                let typed = Typed::of(self.program, e);
                Form::same(Part::Whole(typed, Place::Bare))
            }
            None => {
                self.refuse_array(symbol, "its extents are not known in C");
                Form::leaf("0")
            }
        }
    }

    /// `size` of a section.
    fn size_of_section(&mut self, t: &Rc<Typed>, name: &str, operands: &[NodeId]) -> Form {
        let section = operands.first().and_then(|&a| if let NodeKind::Var(r) = &t.expr.node_at(a).kind { Some(r.clone()) } else { None });
        let shape = section.filter(|_| name == "size").and_then(|r| self.shape(&r));
        let dimension = operands.get(1).map(|&d| t.expr.subexpr(d).as_int().and_then(|d| usize::try_from(d - 1).ok()));
        let size = match (shape, dimension) {
            (Some(shape), None) => shape.into_iter().reduce(xaif::offsets::times),
            (Some(shape), Some(Some(d))) => shape.get(d).cloned(),
            _ => None,
        };
        match size {
            Some(e) => Form::same(Part::Whole(Typed::of(self.program, e), Place::Bare)),
            None => self.unknown(name, "its operand is no whole array"),
        }
    }
}

/// What a constant adds, as an `int`.
fn constant_term(t: &Typed, plus: bool, b: NodeId) -> Option<i64> {
    match &t.expr.node_at(b).kind {
        NodeKind::Const(c) if c.ty.base == BaseType::Integer => {
            let n = i64::from(c.value.parse::<i32>().ok().filter(|&n| n != i32::MIN)?);
            Some(if plus { n } else { -n })
        }
        _ => None,
    }
}
