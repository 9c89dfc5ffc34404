//! The interpreter on whole programs, against values known beforehand.

use crate::model;

use model::*;
use overbar::evaluate::{Data, Inputs, Limits, Outcome, Value, jacobian, run};
use xaif::Program;
use xaif::model::*;

fn go(p: &Program, unit: UnitId, inputs: &Inputs<f64>) -> Outcome<f64> {
    run(p, unit, inputs, &Limits::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn code(p: &Program, unit: UnitId, inputs: &Inputs<f64>) -> &'static str {
    run(p, unit, inputs, &Limits::default()).expect_err("this program is in error").code
}

/// y = sum of x(i)*sin(x(i)), i = 1..n, with an early exit at a negative element.
fn summing(order: IndexOrder) -> (Program, UnitId) {
    let mut p = program(order);
    let base = i64::from(order == IndexOrder::Column);
    let mut b = Builder::new(&mut p, "f");
    let n = b.value("n", INT);
    let upper = sub(add(sym(n), int(base)), int(1));
    let x = b.formal("x", R64, &[(int(base), None)], Intent::In, Passing::Reference);
    let y = b.reference("y", R64, Intent::Out);
    let i = b.local("i", INT);
    b.set(y, real(0.0));
    b.begin_for(i, int(base), upper);
    b.graph.begin_branch(less(at(x, [sym(i)]), real(0.0)));
    b.graph.arm(&[1]);
    b.graph.jump_break(0);
    b.graph.end_branch();
    b.set(y, add(sym(y), mul(at(x, [sym(i)]), f1("sin_scal", at(x, [sym(i)])))));
    b.graph.end_loop();
    let u = b.finish();
    (p, u)
}

#[test]
fn a_loop_with_an_early_exit() {
    for order in [IndexOrder::Row, IndexOrder::Column] {
        let (p, u) = summing(order);
        let inputs = Inputs::default().with("n", Data::int(4)).with("x", Data::reals(&[1.0, 2.0, -1.0, 3.0]));
        let out = go(&p, u, &inputs);
        assert_eq!(out.arguments["y"].to_reals(), [1f64.sin() + 2.0 * 2f64.sin()]);
        let j = jacobian(&p, u, &inputs, &["y"], &["x"], &Limits::default()).unwrap();
        let d = |x: f64| x.sin() + x * x.cos();
        assert_eq!(j.entries, [[d(1.0), d(2.0), 0.0, 0.0]]);
    }
}

#[test]
fn out_of_bounds_undefined_and_missing_are_errors() {
    let (p, u) = summing(IndexOrder::Row);
    let two = Data::reals(&[1.0, 2.0]);
    assert_eq!(code(&p, u, &Inputs::default().with("n", Data::int(3)).with("x", two.clone())), "OB6011");
    assert_eq!(code(&p, u, &Inputs::default().with("x", two.clone())), "OB6010");
    assert_eq!(code(&p, u, &Inputs::default().with("n", Data::int(3))), "OB6002");
    assert_eq!(code(&p, u, &Inputs::default().with("n", Data::int(1)).with("x", two).with("z", Data::int(1))), "OB6001");
}

/// Recursion with results, by-value and by-reference arguments: power(x, n) = x * power(x, n-1).
#[test]
fn recursion_is_bounded() {
    let mut p = program(IndexOrder::Row);
    let mut b = Builder::new(&mut p, "power");
    let me = b.unit.symbol;
    let x = b.value("x", R64);
    let n = b.value("n", INT);
    let r = b.result("r", R64);
    let t = b.local("t", R64);
    b.graph.begin_branch(less(sym(n), int(1)));
    b.graph.arm(&[1]);
    b.set(r, real(1.0));
    b.graph.jump_return();
    b.graph.end_branch();
    b.call(me, [sym(x), sub(sym(n), int(1)), sym(t)]);
    b.set(r, mul(sym(x), sym(t)));
    let u = b.finish();
    let at = |n| Inputs::default().with("x", Data::real(3.0)).with("n", Data::int(n));
    assert_eq!(go(&p, u, &at(5)).arguments["r"].to_reals(), [243.0]);
    let j = jacobian(&p, u, &at(5), &["power"], &["x"], &Limits::default()).unwrap();
    assert_eq!(j.entries, [[405.0]]);
    assert_eq!(code(&p, u, &at(1 << 20)), "OB6004");
}

#[test]
fn an_element_passes_the_array_from_there_on_and_sections_are_copied_back() {
    for order in [IndexOrder::Row, IndexOrder::Column] {
        let mut p = program(order);
        // scale(n, v, f): v(k) = f * v(k)
        let mut b = Builder::new(&mut p, "scale");
        let scale = b.unit.symbol;
        let n = b.value("n", INT);
        let v = b.formal("v", R64, &[(int(0), Some(sub(sym(n), int(1))))], Intent::Inout, Passing::Reference);
        let f = b.value("f", R64);
        let k = b.local("k", INT);
        b.begin_for(k, int(0), sub(sym(n), int(1)));
        b.set_at(v, [sym(k)], mul(sym(f), at(v, [sym(k)])));
        b.graph.end_loop();
        b.finish();
        let mut b = Builder::new(&mut p, "g");
        let a = b.formal("a", R64, &[(int(1), Some(int(2))), (int(1), Some(int(3)))], Intent::Inout, Passing::Reference);
        // Everything from a(1,2) on, two elements; then the second row by a section.
        b.call(scale, [int(2), at(a, [int(1), int(2)]), real(10.0)]);
        let row = VarRef { subscripts: vec![Triplet::element(int(2)), Triplet::default()].into(), ..VarRef::whole(a) };
        b.call(scale, [int(3), Expr::var(row), real(-1.0)]);
        let u = b.finish();
        let ones = Data::reals(&[1.0; 6]).shaped(&[2, 3]);
        let out = go(&p, u, &Inputs::default().with("a", ones));
        let expected = match order {
            IndexOrder::Row => [1.0, 10.0, 10.0, -1.0, -1.0, -1.0],
            IndexOrder::Column => [1.0, -1.0, 10.0, -10.0, 1.0, -1.0],
        };
        assert_eq!(out.arguments["a"].to_reals(), expected);
    }
}

#[test]
fn push_and_pop_are_typed() {
    let mut p = program(IndexOrder::Row);
    let mut b = Builder::new(&mut p, "f");
    let x = b.reference("x", R64, Intent::Inout);
    let n = b.reference("n", INT, Intent::Inout);
    let a = b.formal("a", R32, &[(int(0), Some(int(2)))], Intent::Inout, Passing::Reference);
    b.graph.stmt(Stmt::runtime("push", sym(x)));
    b.graph.stmt(Stmt::runtime("push", sym(a)));
    b.graph.stmt(Stmt::runtime("push", sym(n)));
    b.set(x, real(0.0));
    b.set(n, int(0));
    b.set(a, real(0.0));
    b.graph.stmt(Stmt::runtime("pop", sym(n)));
    b.graph.stmt(Stmt::runtime("pop", sym(a)));
    b.graph.stmt(Stmt::runtime("pop", sym(x)));
    let u = b.finish();
    let inputs = Inputs::default().with("x", Data::real(2.5)).with("n", Data::int(7)).with("a", Data::reals(&[1.0, 2.0, 3.0]));
    let out = go(&p, u, &inputs);
    assert_eq!(out.arguments["x"].to_reals(), [2.5]);
    assert_eq!(out.arguments["n"].values, [Value::int(7)]);
    assert_eq!(out.arguments["a"].to_reals(), [1.0, 2.0, 3.0]);
    assert_eq!((out.counters.taped_bytes, out.counters.peak_bytes, out.counters.left), (24, 24, 0));

    for (pushed, popped, expected) in [(Some("x"), "n", "OB6031"), (Some("x"), "a", "OB6031"), (None, "x", "OB6030")] {
        let mut p = program(IndexOrder::Row);
        let mut b = Builder::new(&mut p, "f");
        let x = b.reference("x", R64, Intent::Inout);
        let n = b.reference("n", INT, Intent::Inout);
        let a = b.formal("a", R64, &[(int(0), Some(int(2)))], Intent::Inout, Passing::Reference);
        let by_name = |s: &str| match s {
            "x" => x,
            "n" => n,
            _ => a,
        };
        if let Some(s) = pushed {
            b.graph.stmt(Stmt::runtime("push", sym(by_name(s))));
        }
        b.graph.stmt(Stmt::runtime("pop", sym(by_name(popped))));
        let u = b.finish();
        assert_eq!(code(&p, u, &inputs), expected);
    }
}

#[test]
fn single_precision_is_rounded_after_each_operation_and_promoted_to_double() {
    let mut p = program(IndexOrder::Row);
    let mut b = Builder::new(&mut p, "f");
    let (x, y) = (b.value("x", R32), b.value("y", R32));
    let z = b.reference("z", R64, Intent::Out);
    let w = b.reference("w", R32, Intent::Out);
    b.set(z, add(mul(sym(x), sym(y)), sym(x)));
    b.set(w, mul(sym(x), real(0.1)));
    let u = b.finish();
    let (x, y) = (1.1f32, 3.3f32);
    let out = go(&p, u, &Inputs::default().with("x", Data::real(1.1)).with("y", Data::real(3.3)));
    assert_eq!(out.arguments["z"].to_reals(), [f64::from(x * y + x)]);
    assert_eq!(out.arguments["w"].to_reals(), [f64::from((f64::from(x) * 0.1) as f32)]);
}

#[test]
fn integers_overflow_wrap_and_divide_as_their_types_say() {
    let with = |ty: ElemType, unsigned: bool, name: &str, x: i64, y: i64| {
        let mut p = program(IndexOrder::Row);
        let mut b = Builder::new(&mut p, "f");
        let (x_, y_) = (b.value("x", ty), b.value("y", ty));
        let z = b.reference("z", ty, Intent::Out);
        if unsigned {
            for s in [x_, y_, z] {
                b.program.symbol_mut(s).decl.as_mut().expect("declared").attributes.push("unsigned".into());
            }
        }
        b.set(z, Expr::op(name, [sym(x_), sym(y_)]));
        let u = b.finish();
        run::<f64>(&p, u, &Inputs::default().with("x", Data::int(x)).with("y", Data::int(y)), &Limits::default())
            .map(|o| o.arguments["z"].values[0].as_int().unwrap())
            .map_err(|e| e.code)
    };
    let i16 = ElemType { base: BaseType::Integer, bits: 16 };
    let i64 = ElemType { base: BaseType::Integer, bits: 64 };
    assert_eq!(with(INT, false, "add_scal_scal", 2_000_000_000, 2_000_000_000), Err("OB6013"));
    assert_eq!(with(i64, false, "add_scal_scal", 2_000_000_000, 2_000_000_000), Ok(4_000_000_000));
    assert_eq!(with(i16, false, "mul_scal_scal", 300, 300), Err("OB6013"));
    assert_eq!(with(INT, true, "sub_scal_scal", 1, 2), Ok(u32::MAX.into()));
    assert_eq!(with(INT, false, "div_scal_scal", -7, 2), Ok(-3));
    assert_eq!(with(INT, false, "mod_scal_scal", -7, 2), Ok(-1));
    assert_eq!(with(INT, false, "modulo_scal_scal", -7, 2), Ok(1));
    assert_eq!(with(INT, false, "pow_scal_scal", 3, 4), Ok(81));
    assert_eq!(with(INT, false, "div_scal_scal", 1, 0), Err("OB6012"));
    assert_eq!(with(INT, false, "shl_scal_scal", 1, 32), Err("OB6013"));
}

/// `and`, `or` and `select` look only at what they need: the other operand may be out of bounds.
#[test]
fn evaluation_is_lazy_where_the_meaning_says_so() {
    let mut p = program(IndexOrder::Row);
    let mut b = Builder::new(&mut p, "f");
    let i = b.value("i", INT);
    let x = b.formal("x", R64, &[(int(0), Some(int(1)))], Intent::In, Passing::Reference);
    let y = b.reference("y", R64, Intent::Out);
    let inside = less(sym(i), int(2));
    let small = less(at(x, [sym(i)]), real(10.0));
    let both = Expr::boolean(BoolOp::And, [inside.clone(), small.clone()]);
    let either = Expr::boolean(BoolOp::Or, [Expr::boolean(BoolOp::Not, [inside.clone()]), small]);
    let c = Expr::boolean(BoolOp::Xor, [both, either]);
    b.set(y, Expr::op("select", [c, real(-1.0), Expr::op("select", [inside, at(x, [sym(i)]), real(99.0)])]));
    let u = b.finish();
    let y = |i| go(&p, u, &Inputs::default().with("i", Data::int(i)).with("x", Data::reals(&[1.0, 20.0]))).arguments["y"].to_reals()[0];
    assert_eq!((y(0), y(1), y(5)), (1.0, 20.0, -1.0));
}

#[test]
fn a_malformed_program_is_an_error() {
    let mut p = program(IndexOrder::Row);
    let mut b = Builder::new(&mut p, "f");
    let x = b.value("x", R64);
    let y = b.reference("y", R64, Intent::Out);
    b.set(y, Expr::op("no_such_thing", [sym(x)]));
    let u = b.finish();
    let inputs = Inputs::default().with("x", Data::real(1.0));
    assert_eq!(code(&p, u, &inputs), "OB6021");
    for e in
        [Expr::default(), Expr::op("add_scal_scal", [sym(x)]), sym(SymbolId(77)), Expr::boolean(BoolOp::And, [sym(x)]), at(x, [int(1)])]
    {
        let mut q = p.clone();
        let v = q.units[0].graph.node_indices().nth(1).unwrap();
        if let VertexKind::Block { stmts, .. } = &mut q.units[0].graph[v].kind {
            *stmts[0] = Stmt::assign(VarRef::whole(y), e);
        }
        assert_eq!(code(&q, u, &inputs), "OB6005");
    }
    let mut q = p.clone();
    q.units[0].graph.clear_edges();
    assert_eq!(code(&q, u, &inputs), "OB6005");
}
