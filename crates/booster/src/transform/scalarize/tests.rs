//! Programs with array statements and the same as loops, both run by the interpreter.

use super::*;
use overbar_evaluate::{Data, Inputs, Limits, run};
use overbar_fortran::parse::{ParseOptions, SourceText, parse};

/// Compares both and gives the number of temporary arrays.
fn check(text: &str, inputs: &[(&str, Data<f64>)]) -> usize {
    let (p, _) = parse(&[SourceText { file: "f.f90", text }], &ParseOptions::default()).unwrap();
    let f = p.unit_named("f").unwrap();
    let mut loops = p.clone();
    let mut n = 0;
    let mut temporaries = 0;
    let mut fresh = |wish: &str| {
        n += 1;
        temporaries += usize::from(wish == "temp");
        smol_str::format_smolstr!("{wish}_{n}")
    };
    scalarize(&mut loops, f, &|_, _| true, &mut fresh).unwrap();
    for v in loops.unit(f).graph.node_weights() {
        for s in v.stmts() {
            if let StmtKind::Assignment { lhs, rhs } = &s.kind {
                let rank = types::of_ref(&loops, lhs).rank.max(types::of(&loops, rhs).rank);
                assert_eq!(rank, 0, "{s:?}");
            }
        }
    }
    let at = inputs.iter().fold(Inputs::default(), |i, (n, d)| i.with(n, d.clone()));
    let a = run::<f64>(&p, f, &at, &Limits::default()).unwrap();
    let b = run::<f64>(&loops, f, &at, &Limits::default()).unwrap();
    for (name, x) in &a.arguments {
        for (x, y) in x.to_reals().iter().zip(b.arguments[name].to_reals()) {
            assert!((x - y).abs() <= 1e-14 * x.abs().max(1.0) || (x.is_nan() && y.is_nan()), "{name}: {x} {y}");
        }
    }
    temporaries
}

#[test]
fn what_is_set_later_or_not_at_all_needs_no_temporary_array() {
    let list = |n: usize| Data::reals(&(0..n).map(|i| (i as f64 * 0.7 + 0.3).sin()).collect::<Vec<_>>());
    let of = |statement: &str| {
        let text = format!(
            "subroutine f(n, j, k, m, u)
  integer, intent(in) :: n, j, k
  real(8) :: m(n, n), u(n)
  {statement}
end subroutine
"
        );
        // Columns that are the same and others.
        let inputs = |j, k| [("n", Data::int(5)), ("j", Data::int(j)), ("k", Data::int(k)), ("m", list(25)), ("u", list(5))];
        let counts: Vec<usize> = [(4, 2), (2, 2), (3, 4)].map(|(j, k)| check(&text, &inputs(j, k))).into();
        assert!(counts.windows(2).all(|c| c[0] == c[1]));
        counts[0]
    };
    for statement in [
        "m(k+1:n, j) = m(k+1:n, j) - m(k+1:n, k)*m(k, j)",
        "u(k+1:n) = u(k+1:n) - m(k+1:n, k)*u(k)",
        "u(1:n-1) = u(2:n) - u(n)*u(1:n-1)",
        "m(:, 1:n-1) = m(:, 2:n)*u(1)",
        "m(1:n-1, 1:n-2) = m(2:n, 2:n-1) + m(1:n-1, 3:n)",
        "m(2:n, 1:n-1) = m(1:n-1, 2:n)",
        "u(1:2) = u(3:4) + u(4:5)",
    ] {
        assert_eq!(of(statement), 0, "{statement}");
    }
    for statement in [
        "u(2:n) = u(1:n-1)",
        "u(2:n) = u(2:n)*u(k+1)",
        "m(k+1:n, j) = m(k+1:n, j) - m(k+1:n, k)*m(k+1, j)",
        "m(1:n-1, 2:n) = m(2:n, 1:n-1)",
        "m(:, j) = m(j, :)",
        "u(n:1:-1) = u(1:n)",
        "u(k:k+1) = u(j:j+1)",
    ] {
        assert_eq!(of(statement), 1, "{statement}");
    }
}

#[test]
fn sections_reductions_and_products() {
    let text = "subroutine f(n, m, a, b, x, y)
  integer, intent(in) :: n, m
  real(8) :: a(n, 0:m), b(0:m, n), x(n), y(:)
  integer :: k, idx(2)
  k = 2
  idx = (/ 2, 1 /)
  a = 2*a + x(1)
  a(:, 1:m) = a(:, 0:m-1)*transpose(b(0:m-1, :))
  b(0, :) = x
  b(m:0:-1, 1) = b(:, 1)
  x(k:n) = x(1:n-k+1) + x(k)
  x(1:n:2) = x(1)*x(1:n:2)
  y = matmul(a, b(:, k))
  y = y + matmul(x, a(:, 1:n)) + sum(a(:, k)*x)
  y(1) = dot_product(x, y) + maxval(abs(a)) - minval(b) + sum(matmul(a, b))
  x(idx) = x(1:2)*y(idx)
end subroutine
";
    let list = |n: usize, s: f64| Data::reals(&(0..n).map(|i| (i as f64 * s + 0.3).sin()).collect::<Vec<_>>());
    check(
        text,
        &[
            ("n", Data::int(3)),
            ("m", Data::int(3)),
            ("a", list(12, 1.7).shaped(&[3, 4])),
            ("b", list(12, 0.9).shaped(&[4, 3])),
            ("x", list(3, 2.1)),
            ("y", list(3, 0.4)),
        ],
    );
}

#[test]
fn what_has_no_extent_is_refused() {
    let text = "subroutine f(a, x)\n  real(8) :: a(*), x(3)\n  x = a(1:3)\n  x(1) = sum(a(1:3))\nend subroutine\n";
    let (mut p, _) = parse(&[SourceText { file: "f.f90", text }], &ParseOptions::default()).unwrap();
    let f = p.unit_named("f").unwrap();
    assert!(scalarize(&mut p, f, &|_, _| true, &mut |w| w.into()).is_ok());
    let a = p.lookup(p.unit(f).scope, "a").unwrap();
    let whole = Stmt::assign(VarRef::whole(a), Expr::real(0.0, 64));
    let mut scratch = Scratch::default();
    let mut fresh = |w: &str| SmolStr::from(w);
    let err = expand(&mut p, f, &whole, &mut Additions { fresh: &mut fresh, scratch: &mut scratch }).unwrap_err();
    assert_eq!(err.code, "OB4031");
}
