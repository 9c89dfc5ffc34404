//! Statements without loops.

use super::harness::*;
use xaif::model::{BoolOp, Expr};

#[test]
fn overwriting_an_operand() {
    let mut u = Unit::new();
    let (x, y) = (u.argument("x"), u.argument("y"));
    u.set(x, mul(x, y));
    u.set(x, sin(mul(x, y)));
    u.set(y, add(y, mul(x, x)));
    let made = u.finish();
    assert_eq!(check(&made, &[("x", vec![1.3]), ("y", vec![0.6])], &[]), 0, "nothing goes to the stack");
}

#[test]
fn elements_that_may_be_the_same() {
    let mut u = Unit::new();
    let a = u.array_argument("a", 4);
    let (i, j) = (u.integer_argument("i"), u.integer_argument("j"));
    u.set(at(a, i), mul(at(a, j), at(a, i)));
    u.set(at(a, j), sin(at(a, i)));
    u.set(at(a, 2), add(mul(at(a, 2), 3.0), at(a, j)));
    let made = u.finish();
    let a = vec![0.3, 1.1, -0.7, 2.0];
    for (i, j) in [(0, 0), (0, 1), (2, 3), (3, 2), (2, 2)] {
        check(&made, &[("a", a.clone())], &[("i", i), ("j", j)]);
    }
}

#[test]
fn branches_and_choices() {
    let mut u = Unit::new();
    let (x, y) = (u.argument("x"), u.argument("y"));
    let t = u.local("t");
    u.b.begin_branch(less(x, y));
    u.b.arm(&[1]);
    u.set(t, mul(x, x));
    u.set(x, mul(t, y));
    u.b.arm(&[]);
    u.set(t, op("max_scal_scal", [Expr::sym(x), mul(y, y)]));
    u.set(y, op("select", [less(t, 2.0), op("sqrt_scal", [Expr::sym(t)]), mul(t, x)]));
    u.b.end_branch();
    u.set(x, mul(mul(x, t), y));
    let made = u.finish();
    for (x, y) in [(0.5, 1.5), (1.5, 0.5), (1.7, 1.6), (1.1, 1.05)] {
        check(&made, &[("x", vec![x]), ("y", vec![y])], &[]);
    }
}

#[test]
fn arguments_that_may_overlap() {
    let mut u = Unit::aliasing();
    let (x, y) = (u.argument("x"), u.argument("y"));
    u.set(y, sin(x));
    u.set(x, mul(y, y));
    let made = u.finish();
    check(&made, &[("x", vec![0.4]), ("y", vec![0.9])], &[]);
}

#[test]
fn choices_do_not_multiply_by_zero() {
    let mut u = Unit::new();
    let (x, y) = (u.argument("x"), u.argument("y"));
    let c = Expr::boolean(BoolOp::GreaterThan, [Expr::sym(x), Expr::real(0.0, 64)]);
    u.set(y, op("select", [c, op("sqrt_scal", [Expr::sym(x)]), Expr::real(0.0, 64)]));
    let made = u.finish();
    check(&made, &[("x", vec![0.0]), ("y", vec![0.9])], &[]);
    check(&made, &[("x", vec![2.0]), ("y", vec![0.9])], &[]);
}

#[test]
fn early_returns() {
    let mut u = Unit::new();
    let (x, y) = (u.argument("x"), u.argument("y"));
    u.set(x, mul(x, y));
    u.b.begin_branch(less(x, 1.0));
    u.b.arm(&[1]);
    u.set(y, sin(x));
    u.b.jump_return();
    u.b.end_branch();
    u.set(x, mul(x, x));
    u.b.begin_branch(less(x, 9.0));
    u.b.arm(&[1]);
    u.b.begin_branch(less(y, 1.2));
    u.b.arm(&[1]);
    u.b.jump_return();
    u.b.end_branch();
    u.set(y, mul(y, x));
    u.b.end_branch();
    u.set(y, add(mul(y, x), y));
    let made = u.finish();
    for (x, y) in [(0.5, 1.5), (1.5, 1.1), (1.5, 1.5), (4.0, 2.0)] {
        check(&made, &[("x", vec![x]), ("y", vec![y])], &[]);
    }
}

#[test]
fn text_of_a_product() {
    let mut u = Unit::new();
    let (x, y) = (u.argument("x"), u.argument("y"));
    let t = u.local("t");
    u.set(t, mul(x, y));
    u.set(y, sub(y, mul(mul(t, t), x)));
    let made = u.finish();
    check(&made, &[("x", vec![0.4]), ("y", vec![0.9])], &[]);
    let got = text(&made.0, made.2);
    assert_eq!(got, "  t = x*y\n  tb = 2.0*t*-x*yb\n  xb = ((xb - t*t*yb) + y*tb)\n  yb = (yb + x*tb)\n", "{got}");
}
