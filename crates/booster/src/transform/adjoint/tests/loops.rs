//! Loops and jumps.

use super::harness::*;
use xaif::model::{BoolOp, Expr};

#[test]
fn product_and_sum() {
    let mut u = Unit::new();
    let a = u.array_argument("a", 5);
    let c = u.argument("c");
    let d = u.local("d");
    let i = u.integer("i");
    u.set(c, Expr::real(1.0, 64));
    u.set(d, Expr::real(1.0, 64));
    u.b.begin_for(range(i, 0, 4, 1));
    u.set(c, add(c, mul(at(a, i), at(a, i))));
    u.set(d, mul(d, sin(at(a, i))));
    u.b.end_loop();
    u.set(c, sub(c, d));
    let made = u.finish();
    let pushes = check(&made, &[("a", vec![0.3, 1.1, 0.7, 2.0, 1.4]), ("c", vec![1.0])], &[]);
    assert_eq!(pushes, 5, "only d is recorded");
}

#[test]
fn strides_and_empty_loops() {
    for (from, to, stride) in [(0, 6, 1), (0, 6, 2), (1, 6, 3), (6, 0, -1), (5, 1, -2), (3, 2, 1), (1, 0, 2), (0, 1, -2), (2, 2, 5)] {
        let mut u = Unit::new();
        let a = u.array_argument("a", 7);
        let n = u.integer_argument("n");
        let i = u.integer("i");
        u.b.begin_for(range(i, from, n, stride));
        u.set(at(a, i), mul(at(a, i), sin(at(a, 3))));
        u.b.end_loop();
        let made = u.finish();
        check(&made, &[("a", vec![0.3, 1.1, 0.7, 2.0, 1.4, -0.4, 0.9])], &[("n", to)]);
    }
}

#[test]
fn bounds_and_indices_that_change() {
    let mut u = Unit::new();
    let a = u.array_argument("a", 8);
    let n = u.integer_argument("n");
    let (i, j, k, m) = (u.integer("i"), u.integer("j"), u.integer("k"), u.integer("m"));
    u.set(m, Expr::sym(n));
    u.set(k, Expr::int(1));
    u.b.begin_for(range(i, 0, m, 1));
    u.b.begin_for(range(j, i, k, 1));
    u.set(k, op("mod_scal_scal", [add(mul(k, 3), 1), Expr::int(7)]));
    u.set(at(a, k), mul(at(a, k), at(a, j)));
    u.b.end_loop();
    u.set(at(a, j), sin(at(a, k)));
    u.set(m, op("mod_scal_scal", [mul(m, 5), Expr::int(6)]));
    u.b.end_loop();
    u.set(i, Expr::int(2));
    u.set(at(a, i), mul(at(a, i), at(a, m)));
    let made = u.finish();
    check(&made, &[("a", vec![0.3, 1.1, 0.7, 2.0, 1.4, -0.4, 0.9, 0.2])], &[("n", 4)]);
}

#[test]
fn loops_with_a_condition() {
    let mut u = Unit::new();
    let (x, y) = (u.argument("x"), u.argument("y"));
    u.b.begin_branch(less(x, y));
    u.b.arm(&[1]);
    u.set(x, mul(x, y));
    u.b.begin_while(less(y, x));
    u.set(x, sin(mul(x, y)));
    u.b.end_loop();
    u.b.end_branch();
    let made = u.finish();
    check(&made, &[("x", vec![-5.0]), ("y", vec![-0.5])], &[]);
    check(&made, &[("x", vec![5.0]), ("y", vec![-0.5])], &[]);
}

#[test]
fn loops_that_test_last_with_branches_inside() {
    let mut u = Unit::new();
    let (x, y) = (u.argument("x"), u.argument("y"));
    let k = u.integer("k");
    u.set(k, Expr::int(0));
    u.b.begin_do_while(less(k, 6));
    u.set(k, add(k, 1));
    u.b.begin_branch(op("mod_scal_scal", [Expr::sym(k), Expr::int(4)]));
    u.b.arm(&[0]);
    u.set(x, mul(x, y));
    u.b.arm(&[1, 3]);
    u.set(y, sin(mul(x, k)));
    u.b.arm(&[]);
    u.b.begin_branch(less(y, x));
    u.b.arm(&[1]);
    u.set(x, add(x, mul(y, y)));
    u.b.end_branch();
    u.b.end_branch();
    u.b.end_loop();
    let made = u.finish();
    check(&made, &[("x", vec![1.2]), ("y", vec![0.5])], &[]);
    check(&made, &[("x", vec![-1.2]), ("y", vec![0.5])], &[]);
}

/// Newton's method with all exits there are.
#[test]
fn breaks_continues_and_returns() {
    let mut u = Unit::new();
    let (x, y) = (u.argument("x"), u.argument("y"));
    let n = u.integer_argument("n");
    let (i, j) = (u.integer("i"), u.integer("j"));
    u.b.begin_for(range(i, 0, n, 1));
    u.b.begin_for(range(j, 0, 3, 1));
    u.b.begin_branch(less(x, 0.2));
    u.b.arm(&[1]);
    u.set(x, add(x, mul(y, y)));
    u.b.jump_break(0);
    u.b.end_branch();
    u.b.begin_branch(Expr::boolean(BoolOp::Equal, [Expr::sym(j), Expr::int(1)]));
    u.b.arm(&[1]);
    u.b.jump_continue(0);
    u.b.end_branch();
    u.set(x, mul(x, sin(x)));
    u.b.begin_branch(less(5.0, y));
    u.b.arm(&[1]);
    u.set(y, mul(x, y));
    u.b.jump_return();
    u.b.end_branch();
    u.b.begin_branch(less(4.0, y));
    u.b.arm(&[1]);
    u.b.jump_continue(1);
    u.b.end_branch();
    u.set(y, add(y, x));
    u.b.end_loop();
    u.set(y, mul(y, 1.5));
    u.b.end_loop();
    u.set(x, mul(x, y));
    let made = u.finish();
    for n in [0, 1, 2, 3, 6] {
        for (x, y) in [(1.2, 0.5), (0.1, 0.9), (2.0, 2.9), (1.4, 4.5)] {
            check(&made, &[("x", vec![x]), ("y", vec![y])], &[("n", n)]);
        }
    }
}

#[test]
fn gotos_forward_and_back() {
    let mut u = Unit::new();
    let (x, y) = (u.argument("x"), u.argument("y"));
    let k = u.integer("k");
    u.set(k, Expr::int(0));
    u.b.label("again");
    u.set(x, sin(mul(x, y)));
    u.b.begin_branch(less(x, 0.3));
    u.b.arm(&[1]);
    u.b.jump_goto("out");
    u.b.end_branch();
    u.set(k, add(k, 1));
    u.set(y, add(mul(x, y), k));
    u.b.begin_branch(less(k, 4));
    u.b.arm(&[1]);
    u.b.jump_goto("again");
    u.b.end_branch();
    u.set(y, mul(y, y));
    u.b.label("out");
    u.set(x, mul(x, y));
    let made = u.finish();
    for (x, y) in [(1.2, 0.5), (0.1, 0.9), (2.0, 1.2), (1.4, 0.7)] {
        check(&made, &[("x", vec![x]), ("y", vec![y])], &[]);
    }
}

#[test]
fn gotos_out_of_nests_stay_structured() {
    let mut u = Unit::new();
    let (x, y) = (u.argument("x"), u.argument("y"));
    let (i, j) = (u.integer("i"), u.integer("j"));
    u.b.begin_for(range(i, 0, 3, 1));
    u.b.begin_for(range(j, 0, 3, 1));
    u.set(x, mul(x, add(y, 1.0)));
    u.b.begin_branch(less(3.0, x));
    u.b.arm(&[1]);
    u.b.jump_goto("done");
    u.b.end_branch();
    u.set(y, sin(add(x, y)));
    u.b.end_loop();
    u.set(y, mul(x, y));
    u.b.end_loop();
    u.set(x, mul(x, 0.5));
    u.b.label("done");
    u.set(y, mul(x, y));
    let made = u.finish();
    assert!(!text(&made.0, made.2).contains("block"), "{}", text(&made.0, made.2));
    for (x, y) in [(0.2, 0.5), (0.7, 0.9), (4.0, 1.2)] {
        check(&made, &[("x", vec![x]), ("y", vec![y])], &[]);
    }
}

/// As deep as the region tree goes: numbered blocks take over.
#[test]
fn deep_nests_of_branches_and_loops() {
    let mut u = Unit::new();
    let (x, y) = (u.argument("x"), u.argument("y"));
    let k = u.integer("k");
    u.set(k, Expr::int(0));
    for i in 0..380 {
        if i % 2 == 0 {
            u.b.begin_branch(less(-9.0, x));
            u.b.arm(&[1]);
        } else {
            u.b.begin_while(less(k, 1));
        }
        u.set(x, mul(x, y));
    }
    u.set(k, add(k, 1));
    for i in (0..380).rev() {
        if i % 2 == 0 {
            u.b.end_branch();
        } else {
            u.b.end_loop();
        }
    }
    let made = u.finish();
    check(&made, &[("x", vec![1.2]), ("y", vec![0.999])], &[]);
}
