//! Factors and nested derivatives against differences and exact forms, by a small numeric walker.

use super::*;
use xaif::model::*;

/// A file with real scalars x, y, z, an integer n and a narrow real s, in that order.
pub(crate) fn program() -> Program {
    let mut p = Program::default();
    let scope = p.add_scope(Scope::default());
    for name in ["x", "y", "z"] {
        p.add_symbol(Symbol::variable(name, ElemType::REAL64, scope));
    }
    p.add_symbol(Symbol::variable("n", ElemType::INTEGER, scope));
    p.add_symbol(Symbol::variable("s", ElemType { base: BaseType::Real, bits: 32 }, scope));
    for name in ["xd", "yd", "zd"] {
        p.add_symbol(Symbol::variable(name, ElemType::REAL64, scope));
    }
    let mut a = Symbol::variable("a", ElemType::REAL64, scope);
    a.rank = 1;
    p.add_symbol(a);
    p
}

fn v(i: u32) -> Expr {
    Expr::sym(SymbolId(i))
}

fn active(r: &VarRef) -> bool {
    r.symbol.0 < 3 || r.symbol.0 == 4
}

fn tangent_of(p: &Program, e: &Expr) -> Option<Expr> {
    tangent_expr(p, Catalogue::builtin(), e, &|r| (r.symbol.0 < 3).then(|| VarRef::whole(SymbolId(r.symbol.0 + 5)))).unwrap()
}

/// Values of all vertices, 0 and 1 for truth values.
pub(crate) fn walk(e: &Expr, values: &[f64]) -> f64 {
    let mut out: Vec<f64> = Vec::new();
    for n in &e.nodes {
        let o = |i: usize| out[n.operands[i].index()];
        let t = |b: bool| f64::from(u8::from(b));
        out.push(match &n.kind {
            NodeKind::Var(r) => values[r.symbol.index()],
            NodeKind::Const(c) if c.value == "true" => 1.0,
            NodeKind::Const(c) if c.value == "false" => 0.0,
            NodeKind::Const(c) => c.value.parse().unwrap(),
            NodeKind::Bool(BoolOp::LessThan) => t(o(0) < o(1)),
            NodeKind::Bool(BoolOp::GreaterThan) => t(o(0) > o(1)),
            NodeKind::Bool(BoolOp::Equal) => t(o(0) == o(1)),
            NodeKind::Bool(op) => panic!("{op:?}"),
            NodeKind::FunctionCall(_) => panic!(),
            NodeKind::Op(op) => match op.name.as_str() {
                "add_scal_scal" => o(0) + o(1),
                "sub_scal_scal" => o(0) - o(1),
                "mul_scal_scal" => o(0) * o(1),
                "div_scal_scal" => o(0) / o(1),
                "minus_scal" => -o(0),
                "plus_scal" | "real_scal" => o(0),
                "pow_scal_scal" => o(0).powf(o(1)),
                "exp_scal" => o(0).exp(),
                "ln_scal" => o(0).ln(),
                "log10" => o(0).log10(),
                "sqrt_scal" => o(0).sqrt(),
                "sin_scal" => o(0).sin(),
                "cos_scal" => o(0).cos(),
                "tan_scal" => o(0).tan(),
                "arcsin_scal" => o(0).asin(),
                "arccos_scal" => o(0).acos(),
                "arctan_scal" => o(0).atan(),
                "sinh_scal" => o(0).sinh(),
                "cosh_scal" => o(0).cosh(),
                "tanh_scal" => o(0).tanh(),
                "abs_scal" => o(0).abs(),
                "sign_scal_scal" => o(0).abs().copysign(o(1)),
                "mod_scal_scal" => o(0) % o(1),
                "modulo_scal_scal" => o(0) - o(1) * (o(0) / o(1)).floor(),
                "floor_scal" => o(0).floor(),
                "ceil_scal" => o(0).ceil(),
                "round_scal" => o(0).round(),
                "trunc_scal" => o(0).trunc(),
                "rint_scal" => o(0).round_ties_even(),
                "logb_scal" => o(0).abs().log2().floor(),
                "max_scal_scal" => o(0).max(o(1)),
                "min_scal_scal" => o(0).min(o(1)),
                "dim_scal_scal" => (o(0) - o(1)).max(0.0),
                "arctan2_scal_scal" => o(0).atan2(o(1)),
                "hypot_scal_scal" => o(0).hypot(o(1)),
                "cbrt_scal" => o(0).cbrt(),
                "exp2_scal" => o(0).exp2(),
                "expm1_scal" => o(0).exp_m1(),
                "log1p_scal" => o(0).ln_1p(),
                "log2_scal" => o(0).log2(),
                "arcsinh_scal" => o(0).asinh(),
                "arccosh_scal" => o(0).acosh(),
                "arctanh_scal" => o(0).atanh(),
                "fma_scal_scal_scal" => o(0).mul_add(o(1), o(2)),
                "select" => {
                    if o(0) != 0.0 {
                        o(1)
                    } else {
                        o(2)
                    }
                }
                other => panic!("{other}"),
            },
        });
    }
    *out.last().unwrap()
}

/// d/dt along a direction, by a central difference of fourth order.
fn difference(e: &Expr, at: &[f64], direction: &[f64]) -> f64 {
    let f = |h: f64| walk(e, &at.iter().zip(direction).map(|(a, d)| a + h * d).collect::<Vec<_>>());
    let h = 1e-3;
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

#[test]
fn every_elementwise_intrinsic_agrees_with_differences() {
    let p = program();
    let skipped = ["erf_scal", "erfc_scal", "gamma_scal", "lgamma_scal", "digamma_scal", "epsilon", "tiny", "huge", "transfer"];
    let mut checked = 0;
    for entry in Catalogue::builtin().iter().filter(|e| !e.name.starts_with("bessel_")) {
        let real = matches!(entry.result, xaif::catalogue::ResultType::Promoted | xaif::catalogue::ResultType::Real);
        let bits =
            entry.name.starts_with("b_") || entry.name.starts_with("sh") || entry.name.starts_with("nc_") || entry.name == "imag_scal";
        if !real || bits || entry.shape != ResultShape::Elementwise || skipped.contains(&entry.name.as_str()) {
            continue;
        }
        let points: &[[f64; 3]] = match entry.name.as_str() {
            "arccosh_scal" => &[[1.7, 0.3, 0.2], [2.4, 0.6, 1.3]],
            _ => &[[0.37, 0.62, 0.4], [0.81, 0.23, 0.9]],
        };
        let mut operands = vec![v(0), v(1), v(2)];
        operands.truncate(entry.arity as usize);
        if entry.name == "select" {
            operands = vec![Expr::boolean(BoolOp::LessThan, [v(0), v(1)]), v(1), v(2)];
        }
        let e = Expr::op(&entry.name, operands);
        for point in points {
            let values = [point[0], point[1], point[2], 3.0, 0.5, 0.7, -0.4, 0.3, 0.0];
            let expected = difference(&e, &values, &[0.7, -0.4, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
            let got = tangent_of(&p, &e).map_or(0.0, |d| walk(&d, &values));
            assert!((got - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{}: {got} {expected}", entry.name);
            // the same by factors
            let l = local_partials(&p, Catalogue::builtin(), &e, &active).unwrap();
            let directions = [0.7, -0.4, 0.3];
            let mut sum = 0.0;
            for (k, f) in l.factors.last().unwrap().iter().enumerate() {
                if let Some(f) = f {
                    sum += walk(&f.to_expr(ElemType::REAL64), &values) * directions[k];
                }
            }
            if entry.name != "select" {
                assert!((sum - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{}: {sum} {expected}", entry.name);
            }
            checked += 1;
        }
    }
    assert!(checked > 70, "{checked}");
}

#[test]
fn nested_expressions_agree_with_differences() {
    let p = program();
    let mul = |a, b| Expr::op("mul_scal_scal", [a, b]);
    let e = Expr::op(
        "div_scal_scal",
        [
            Expr::op("sin_scal", [mul(v(0), mul(v(1), v(1)))]),
            Expr::op("add_scal_scal", [Expr::op("pow_scal_scal", [v(2), Expr::int(3)]), Expr::op("sqrt_scal", [mul(v(0), v(2))])]),
        ],
    );
    let values = [0.37, 0.62, 1.4, 3.0, 0.5, 0.7, -0.4, 0.3, 0.0];
    let expected = difference(&e, &values, &[0.7, -0.4, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let got = walk(&tangent_of(&p, &e).unwrap(), &values);
    assert!((got - expected).abs() < 1e-9, "{got} {expected}");
}

#[test]
fn powers_keep_whole_exponents_and_turn_into_products() {
    let p = program();
    let d = |n: i64| tangent_of(&p, &Expr::op("pow_scal_scal", [v(0), Expr::int(n)]));
    let mul = |a, b| Expr::op("mul_scal_scal", [a, b]);
    assert_eq!(d(0), None);
    assert_eq!(d(1), Some(v(5)));
    assert_eq!(d(2), Some(mul(mul(Expr::int(2), v(0)), v(5))));
    assert_eq!(d(3), Some(mul(mul(mul(Expr::int(3), v(0)), v(0)), v(5))));
    assert_eq!(d(4), Some(mul(mul(Expr::int(4), Expr::op("pow_scal_scal", [v(0), Expr::int(3)])), v(5))));
    // an integer variable stays one: n == 0 ? 0 : n*x**(n - 1)
    let e = tangent_of(&p, &Expr::op("pow_scal_scal", [v(0), v(3)])).unwrap();
    assert_eq!(xaif::types::of(&p, &e).elem, ElemType::REAL64);
    let exponent = e.nodes.iter().find(|n| matches!(&n.kind, NodeKind::Op(o) if o.name == "sub_scal_scal")).unwrap();
    assert_eq!(xaif::types::of(&p, &e.subexpr(exponent.operands[1])).elem.base, BaseType::Integer);
}

#[test]
fn constants_have_the_width_of_the_result() {
    let p = program();
    for (name, value) in [("log2_scal", std::f32::consts::LN_2), ("log10", std::f32::consts::LN_10)] {
        let l = local_partials(&p, Catalogue::builtin(), &Expr::op(name, [v(4)]), &active).unwrap();
        let Some(Factor::Value(f)) = &l.factors[1][0] else { panic!() };
        let c = f.nodes.iter().find_map(|n| if let NodeKind::Const(c) = &n.kind { (c.value != "1.0").then_some(c) } else { None }).unwrap();
        assert_eq!((c.ty.bits, c.value.as_str()), (32, format!("{value:?}").as_str()));
    }
}

#[test]
fn conversions_convert_the_derivative() {
    let p = program();
    let narrow = ElemType { base: BaseType::Real, bits: 32 };
    let e = Expr::op_typed("real_scal", narrow, "float", [v(0)]);
    let d = tangent_of(&p, &e).unwrap();
    assert_eq!(d, Expr::op_typed("real_scal", narrow, "float", [v(5)]));
}

#[test]
fn what_has_no_derivative_is_refused_or_passive() {
    let p = program();
    let code = |e: &Expr| local_partials(&p, Catalogue::builtin(), e, &active).err().map(|d| d.code);
    assert_eq!(code(&Expr::op("bessel_of_mine", [v(0)])), Some("OB4012"));
    assert_eq!(code(&Expr::op("bessel_of_mine", [v(3)])), None);
    assert_eq!(code(&Expr::op("digamma_scal", [v(0)])), Some("OB4016"));
    assert_eq!(code(&Expr::op("complex_scal", [v(0), v(1)])), Some("OB4014"));
    assert_eq!(code(&Expr::op("transfer", [v(0), v(3)])), Some("OB4015"));
    assert_eq!(code(&Expr::op("sum_arr", [Expr::sym(SymbolId(8))])), None);
    let l = local_partials(&p, Catalogue::builtin(), &Expr::op("int_scal", [v(0)]), &active).unwrap();
    assert_eq!(l.active, [true, false]);
}

#[test]
fn quotients_share_their_denominator() {
    let p = program();
    let q = Expr::op("div_scal_scal", [v(0), v(1)]);
    let d = tangent_of(&p, &q).unwrap();
    // (xd - x/y*yd)/y
    let inner = Expr::op("sub_scal_scal", [v(5), Expr::op("div_scal_scal", [Expr::op("mul_scal_scal", [v(0), v(6)]), v(1)])]);
    let alt = Expr::op("sub_scal_scal", [v(5), Expr::op("mul_scal_scal", [q, v(6)])]);
    assert!(d == Expr::op("div_scal_scal", [alt, v(1)]) || d == Expr::op("div_scal_scal", [inner, v(1)]), "{d:?}");
}
