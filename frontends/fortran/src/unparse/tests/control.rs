//! Control flow, compiled and run against a simulation in Rust.

use super::*;

/// A subroutine `f(n, k)` of integers with a local `i`.
fn integers() -> (Maker, UnitId, SymbolId, SymbolId, SymbolId) {
    let mut m = Maker::fortran();
    let (u, scope) = m.unit("f", ScopeId(0), UnitKind::Subroutine);
    let n = m.formal(u, "n", INT, Intent::In);
    let k = m.formal(u, "k", INT, Intent::Inout);
    let i = m.local(scope, "i", INT);
    (m, u, n, k, i)
}

fn run(m: &Maker, n: i32) -> (i32, String) {
    let source = m.print().source;
    let main = format!("program t\n integer :: k = 0\n call f({n}, k)\n print '(i0)', k\nend program");
    (runs(&source, &main).parse().unwrap(), source)
}

fn int(n: i64) -> Expr {
    Expr::int(n)
}

#[test]
fn a_general_for_with_continue_and_break() {
    let (mut m, u, n, k, i) = integers();
    let head =
        ForLoop { explicit: false, init: set(i, int(0)), condition: lt(v(i), v(n)), update: set(i, add(v(i), int(1))), counted: false };
    m.body(u, |b| {
        b.begin_for(head);
        b.begin_branch(eq(op("mod_scal_scal", [v(i), int(3)]), int(0)));
        b.arm(&[1]);
        b.jump_continue(0);
        b.end_branch();
        b.begin_branch(gt(v(i), int(7)));
        b.arm(&[1]);
        b.jump_break(0);
        b.end_branch();
        b.stmt(set(k, add(v(k), v(i))));
        b.end_loop();
    });
    let (got, source) = run(&m, 20);
    assert_eq!(got, 1 + 2 + 4 + 5 + 7);
    assert!(source.contains("iteration: block") && source.contains("exit iteration") && source.contains("if (i > 7) exit\n"), "{source}");
}

#[test]
fn exit_and_cycle_of_an_outer_loop() {
    let (mut m, u, n, k, i) = integers();
    let scope = m.p.unit(u).scope;
    let j = m.local(scope, "j", INT);
    m.body(u, |b| {
        b.begin_for(upto(i, int(1), v(n)));
        b.begin_for(upto(j, int(1), v(n)));
        b.begin_branch(gt(v(j), v(i)));
        b.arm(&[1]);
        b.jump_continue(1);
        b.end_branch();
        b.begin_branch(eq(mul(v(i), v(j)), int(12)));
        b.arm(&[1]);
        b.jump_break(1);
        b.end_branch();
        b.stmt(set(k, add(v(k), int(1))));
        b.end_loop();
        b.stmt(set(k, add(v(k), int(100))));
        b.end_loop();
    });
    let mut expected = 0;
    'outer: for i in 1..=9 {
        for j in 1..=9 {
            if j > i {
                continue 'outer;
            }
            if i * j == 12 {
                break 'outer;
            }
            expected += 1;
        }
        expected += 100;
    }
    let (got, source) = run(&m, 9);
    assert_eq!(got, expected, "{source}");
    assert!(source.contains("outer: do i = 1, n") && source.contains("cycle outer") && source.contains("exit outer"), "{source}");
}

#[test]
fn post_loops_select_case_and_else_if() {
    let (mut m, u, n, k, i) = integers();
    m.body(u, |b| {
        b.stmt(set(i, int(0)));
        b.begin_do_while(lt(v(i), v(n)));
        b.stmt(set(i, add(v(i), int(1))));
        b.begin_branch(v(i));
        b.arm(&[1, 2]);
        b.stmt(set(k, add(v(k), int(1))));
        b.arm(&[3]);
        b.jump_continue(0);
        b.arm(&[]);
        b.begin_branch(lt(v(i), int(5)));
        b.arm(&[1]);
        b.stmt(set(k, add(v(k), int(10))));
        b.arm(&[]);
        b.begin_branch(lt(v(i), int(6)));
        b.arm(&[1]);
        b.stmt(set(k, add(v(k), int(100))));
        b.arm(&[]);
        b.stmt(set(k, add(v(k), int(1000))));
        b.end_branch();
        b.end_branch();
        b.end_branch();
        b.end_loop();
    });
    let (got, source) = run(&m, 6);
    assert_eq!(got, 2 + 10 + 100 + 1000, "{source}");
    assert!(source.contains("else if (i < 6) then") && source.contains("case (1, 2)") && source.contains("if (i >= n) exit"), "{source}");
}

#[test]
fn a_switch_that_falls_through_becomes_a_jump_table() {
    let (mut m, u, n, k, _) = integers();
    m.body(u, |b| {
        b.begin_branch(v(n));
        b.arm(&[1]);
        b.stmt(set(k, add(v(k), int(1))));
        b.arm_falling_through(&[2], false);
        b.stmt(set(k, add(v(k), int(10))));
        b.begin_branch(gt(v(k), int(10)));
        b.arm(&[1]);
        b.jump_break_branch(1);
        b.end_branch();
        b.arm_falling_through(&[3], false);
        b.stmt(set(k, add(v(k), int(100))));
        b.jump_break_branch(0);
        b.arm_falling_through(&[], true);
        b.stmt(set(k, int(-1)));
        b.end_branch();
        b.stmt(set(k, add(v(k), int(1000))));
    });
    for (n, expected) in [(1, 1011), (2, 1110), (3, 1100), (4, 999)] {
        let (got, source) = run(&m, n);
        assert_eq!(got, expected, "{n}\n{source}");
    }
}

#[test]
fn gotos_forward_and_back() {
    let (mut m, u, n, k, i) = integers();
    m.body(u, |b| {
        b.stmt(set(i, int(0)));
        b.label("10");
        b.stmt(set(i, add(v(i), int(1))));
        b.begin_branch(gt(v(i), v(n)));
        b.arm(&[1]);
        b.jump_goto("20");
        b.end_branch();
        b.stmt(set(k, add(v(k), v(i))));
        b.jump_goto("10");
        b.label("20");
        b.stmt(set(k, mul(v(k), int(2))));
    });
    let (got, source) = run(&m, 4);
    assert_eq!(got, 20, "{source}");
    assert!(source.contains("goto 10"), "{source}");
}

/// A goto into a branch: no Fortran construct allows it, so the graph is printed flat.
#[test]
fn graphs_that_do_not_nest_are_printed_flat() {
    let (mut m, u, n, k, i) = integers();
    m.body(u, |b| {
        b.begin_branch(gt(v(n), int(3)));
        b.arm(&[1]);
        b.jump_goto("inside");
        b.end_branch();
        b.begin_for(upto(i, int(1), v(n)));
        b.begin_branch(eq(v(i), int(2)));
        b.arm(&[1]);
        b.stmt(set(k, add(v(k), int(10))));
        b.arm(&[]);
        b.stmt(set(k, add(v(k), int(1))));
        b.end_branch();
        b.end_loop();
        b.begin_branch(lt(v(n), int(2)));
        b.arm(&[1]);
        b.stmt(set(k, add(v(k), int(1000))));
        b.label("inside");
        b.stmt(set(k, add(v(k), int(100))));
        b.end_branch();
    });
    for (n, expected) in [(5, 100), (3, 12), (1, 1101)] {
        let (got, source) = run(&m, n);
        assert_eq!(got, expected, "{n}\n{source}");
    }
}

#[test]
fn the_operand_that_is_not_chosen_is_not_evaluated() {
    let mut m = Maker::fortran();
    let (u, scope) = m.unit("f", ScopeId(0), UnitKind::Subroutine);
    let n = m.formal(u, "n", INT, Intent::In);
    let a = m.formal(u, "a", REAL, Intent::In);
    m.dims(a, &[(1, Some(v(n)))]);
    let y = m.formal(u, "y", REAL, Intent::Out);
    let i = m.local(scope, "i", INT);
    m.body(u, |b| {
        b.stmt(set(y, op("select", [gt(v(n), int(0)), at(a, [v(n)]), real(-1.0)])));
        b.stmt(set(y, add(v(y), op("select", [gt(v(y), real(2.0)), op("sqrt_scal", [v(y)]), v(n)]))));
        b.stmt(set(y, op("select", [gt(v(y), real(50.0)), real(50.0), v(y)])));
        b.stmt(set(i, int(1)));
        // A guard that the language does not make: evaluated step by step.
        let guard = op("select", [le(v(i), v(n)), gt(at(a, [v(i)]), real(0.0)), Expr::bool(false)]);
        b.begin_while(guard);
        b.stmt(set(y, add(v(y), at(a, [v(i)]))));
        b.stmt(set(i, add(v(i), int(1))));
        b.end_loop();
    });
    let source = m.print().source;
    assert!(source.contains("  if (n > 0) then\n    y = a(n)\n  else\n    y = -1.0d0\n  end if\n"), "{source}");
    assert!(source.contains("merge(50.0d0, y, y > 50.0d0)"), "{source}");
    let main = "program t\n double precision :: a(2) = [3, 4], y\n call f(2, a, y)\n print '(f7.3)', y\n call f(0, a, y)\n print '(f7.3)', y\nend program";
    assert_eq!(runs(&source, main), "13.000 -1.000");
}
