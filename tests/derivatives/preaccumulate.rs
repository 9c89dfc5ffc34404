//! Preaccumulated local Jacobians in whole programs.

use crate::adjoints;
use crate::tangents;

use overbar::transform::{Decision, Effort, Preaccumulate};
use overbar::{Options, boost};
use std::time::Instant;
use tangents::{fortran, r, x};
use xaif::Program;

/// The flux between two states of the Euler equations by Roe's approximate Riemann solver.
const ROE: &str = "
subroutine roe(l, r, f)
  real(8), intent(in) :: l(3), r(3)
  real(8), intent(out) :: f(3)
  real(8) :: d0, m, w, vl, pl, hl, vr, pr, hr, dp, dv, u, h, q, a2, a, lp, l0, ln, n, c0, c1, c2, c
  real(8) :: f0, f1, f2, e0, e1, e2, g0, g1, g2
  d0 = r(1) - l(1)
  m = sqrt(l(1)*r(1))
  w = sqrt(l(1)) + sqrt(r(1))
  vl = l(2)/l(1)
  pl = -0.5d0*(l(3) - 0.5d0*l(2)**2/l(1))
  hl = (l(3) + pl)/l(1)
  vr = r(2)/r(1)
  pr = -0.5d0*(r(3) - 0.5d0*r(2)**2/r(1))
  hr = (r(3) + pr)/r(1)
  dp = pr - pl
  dv = vr - vl
  u = (sqrt(l(1))*vl + sqrt(r(1))*vr)/w
  h = (sqrt(l(1))*hl + sqrt(r(1))*hr)/w
  q = u**2
  a2 = -0.5d0*(h - 0.5d0*q)
  a = sqrt(a2)
  lp = abs(u + a)
  l0 = abs(u)
  ln = abs(u)
  n = a*m
  c0 = (d0 - dp/a2)*l0
  c1 = (dv + dp/n)*lp
  c2 = (dv - dp/n)*ln
  f0 = l(2)
  f1 = pl + l(2)*(l(2)/l(1))
  f2 = (l(2)/l(1))*(pl + l(3))
  e0 = r(2)
  e1 = pr + r(2)*(r(2)/r(1))
  e2 = (r(2)/r(1))*(pr + r(3))
  c = 0.5d0*m/a
  g0 = c0 + c*c1 - c*c2
  g1 = c0*u + c*c1*(u + a) - c*c2*(u - a)
  g2 = c0*0.5d0*q + c*c1*(h + u*a) - c*c2*(h - u*a)
  f(1) = 0.5d0*(f0 + e0 - g0)
  f(2) = 0.5d0*(f1 + e1 - g1)
  f(3) = 0.5d0*(f2 + e2 - g2)
end subroutine
";

fn made(program: &Program, head: &str, options: Options) -> (Program, Vec<Decision>) {
    let head = overbar::heads::parse_head(head).unwrap();
    match boost(program.clone(), &Options { heads: vec![head], ..options }) {
        Ok(b) => (b.program, b.decisions),
        Err(d) => panic!("{}", d.iter().map(|d| format!("{d}\n")).collect::<String>()),
    }
}

fn with(preaccumulate: Preaccumulate) -> Options {
    Options { preaccumulate, ..Options::default() }
}

/// Tangent and adjoint at a point, with local Jacobians wherever that is possible.
fn check(program: &Program, head: &str, inputs: &[(&str, overbar::evaluate::Data<f64>)]) {
    check_when(Preaccumulate::Always, program, head, inputs);
}

/// Tangent and adjoint at a point.
fn check_when(when: Preaccumulate, program: &Program, head: &str, inputs: &[(&str, overbar::evaluate::Data<f64>)]) {
    tangents::check_with(program, head, inputs, with(when));
    let boosted = adjoints::boosted(program, head, with(when));
    adjoints::check_boosted(program, &boosted, head, inputs);
}

#[test]
fn roe_flux_takes_fewer_multiplications() {
    let program = fortran(ROE);
    let inputs = [("l", x(&[1.0, 0.4, -2.5])), ("r", x(&[1.2, 0.5, -2.8])), ("f", x(&[0.0; 3]))];
    let auto = Options { preaccumulate: Preaccumulate::Auto, search: Some(Effort::Moves(100_000)), ..Options::default() };
    for options in [Options { tangent: true, ..auto.clone() }, Options { adjoint: true, ..auto.clone() }] {
        let (_, decisions) = made(&program, "roe(f)/(l,r)", options);
        let [d] = &decisions[..] else { panic!("{decisions:?}") };
        println!("{} statement by statement, {} + {} accumulated ({})", d.before, d.accumulation, d.left, d.method);
        // The stock booster: 48 multiplications and 290 edges.
        assert!(d.accumulation + d.left < 338, "{} + {}", d.accumulation, d.left);
        assert!(d.accumulation + d.left <= d.before);
    }
    check(&program, "roe(f)/(l,r)", &inputs);
    let made = tangents::check_with(&program, "roe(f)/(l,r)", &inputs, auto.clone());
    assert!(made.unit_named("roe_d").is_some());
    let boosted = adjoints::boosted(&program, "roe(f)/(l,r)", auto);
    adjoints::check_boosted(&program, &boosted, "roe(f)/(l,r)", &inputs);
}

fn chain(n: usize) -> Program {
    let mut text = String::from("subroutine f(x, y, z)\n  real(8) :: x, y, z\n");
    for k in 0..=n {
        text += &format!("  real(8) :: t{k}\n");
    }
    text += "  t0 = x\n  t1 = y\n";
    for k in 2..=n {
        text += &format!("  t{k} = t{}*sin(t{})\n", k - 1, k - 2);
    }
    text += &format!("  z = t{n}\nend subroutine\n");
    fortran(&text)
}

#[test]
fn long_chains_take_linear_time() {
    let time = |n: usize| {
        let program = chain(n);
        // The least of several: what else the machine does is no part of it.
        let once = |_| {
            let start = Instant::now();
            let (_, decisions) = made(&program, "f(z)/(x,y)", Options { tangent: true, ..with(Preaccumulate::Always) });
            let t = start.elapsed();
            assert_eq!(decisions.len(), 1);
            t
        };
        let t = (0..5).map(once).min().expect("five runs");
        println!("{n} statements: {t:?}");
        t
    };
    let (a, b) = (time(1_000), time(4_000));
    assert!(b < a * 10, "{a:?} {b:?}");
    check(&chain(50), "f(z)/(x,y)", &[("x", r(0.7)), ("y", r(1.1)), ("z", r(0.0))]);
}

#[test]
fn factors_that_are_integers_or_narrow_are_multiplied_as_the_text_multiplies_them() {
    // 60000*60000 does not fit; k*k/20 would truncate; 0.1*k has another rounding than 0.1*x*k.
    let program = fortran(
        "subroutine f(x, y, k, n)\n real(8), intent(in) :: x\n real(8), intent(out) :: y\n integer, intent(in) :: k, n\n real(8) :: u\n \
         u = sin(x)*n*n + k*k*x/20\n y = u*0.1*k + u*k*0.1/3 + k*(u/7)*n - 0.3*x*k\n end subroutine\n",
    );
    let int = |k| overbar::evaluate::Data::int(k);
    for when in [Preaccumulate::Never, Preaccumulate::Auto, Preaccumulate::Always] {
        check_when(when, &program, "f(y)/(x)", &[("x", r(0.7)), ("y", r(0.0)), ("k", int(3)), ("n", int(60_000))]);
    }
}

#[test]
fn long_blocks_are_several_sequences_where_the_model_decides() {
    let lines = ["a = 0.5d0*a + sin(b)*c", "b = cos(a)*b + 0.1d0*sin(a)*c", "c = tanh(a*b)*c + 0.2d0"];
    let body: String = (0..1500).map(|k| format!("  {}\n", lines[k % 3])).collect();
    let text = format!(
        "subroutine f(x, y, z)\n  real(8) :: x, y, z, a, b, c\n  a = x\n  b = y\n  c = x*y\n{body}  z = a + b + c\nend subroutine\n"
    );
    let program = fortran(&text);
    for (when, several) in [(Preaccumulate::Auto, true), (Preaccumulate::Always, false)] {
        let (_, decisions) = made(&program, "f(z)/(x,y)", Options { adjoint: true, ..with(when) });
        assert_eq!(decisions.len() > 1, several, "{}", decisions.len());
    }
    for when in [Preaccumulate::Auto, Preaccumulate::Always] {
        check_when(when, &program, "f(z)/(x,y)", &[("x", r(0.7)), ("y", r(1.1)), ("z", r(0.0))]);
    }
}

/// How long a block of 100,000 statements takes: `cargo test --release --test derivatives -- --ignored --nocapture preaccumulate::`.
#[test]
#[ignore = "a measurement"]
fn a_hundred_thousand_statements() {
    let program = chain(100_000);
    for when in [Preaccumulate::Never, Preaccumulate::Auto, Preaccumulate::Always] {
        let start = Instant::now();
        let (_, decisions) = made(&program, "f(z)/(x,y)", Options { tangent: true, ..with(when) });
        println!("{when:?}: {:?}, {:?}", start.elapsed(), decisions.first().map(|d| (d.before, d.accumulation, d.left)));
    }
}

#[test]
fn outputs_that_are_read_again_are_set_last() {
    // All is exchanged at once; the derivatives must be, too.
    let program = fortran(
        "subroutine f(a, b, c)\n real(8), intent(inout) :: a, b, c\n real(8) :: t\n t = a\n a = b*c\n b = c*t\n c = t*a\n end subroutine\n",
    );
    check(&program, "f(a,b,c)/(a,b,c)", &[("a", r(0.7)), ("b", r(1.3)), ("c", r(-0.4))]);
}

#[test]
fn elements_that_may_be_the_same() {
    let program = fortran(
        "subroutine f(a, i, j, y)\n real(8), intent(inout) :: a(4)\n integer, intent(in) :: i, j\n real(8), intent(out) :: y\n \
         a(i) = a(i)*a(j)\n a(j) = sin(a(i)) + a(1)\n a(i) = a(j)*a(2)\n y = a(i)*a(j)*exp(a(i))\n end subroutine\n",
    );
    for (i, j) in [(1, 2), (2, 1), (3, 3), (1, 1), (2, 2), (3, 4)] {
        let inputs = [("a", x(&[0.7, 1.3, -0.4, 0.9])), ("i", tangents::n(i)), ("j", tangents::n(j)), ("y", r(0.0))];
        check(&program, "f(a,y)/(a)", &inputs);
    }
}

#[test]
fn entries_in_loops_and_calls_that_are_reversed_by_pairs() {
    let program = fortran(
        "module m\ncontains\nsubroutine g(p, q)\n real(8), intent(inout) :: p\n real(8), intent(in) :: q\n real(8) :: t, u\n \
         t = p*q\n u = sin(t)*t\n p = u*p + exp(u)*q*0.1d0\n end subroutine\n\
         subroutine f(x, n, y)\n real(8), intent(in) :: x(5)\n integer, intent(in) :: n\n real(8), intent(out) :: y\n real(8) :: s, w\n integer :: i\n \
         y = 1\n do i = 1, n\n s = x(i)*y\n w = sin(s)*s + x(i)**2\n y = y*0.5d0 + w*s\n call g(y, x(i))\n end do\n end subroutine\nend module\n",
    );
    let inputs = [("x", x(&[0.7, 0.3, -0.4, 0.9, 0.5])), ("n", tangents::n(5)), ("y", r(0.0))];
    for reversal in [overbar::transform::Reversal::Split, overbar::transform::Reversal::Joint] {
        for preaccumulate in [Preaccumulate::Always, Preaccumulate::Auto] {
            let options = Options { reversal, preaccumulate, ..Options::default() };
            let boosted = adjoints::boosted(&program, "f(y)/(x)", options);
            adjoints::check_boosted(&program, &boosted, "f(y)/(x)", &inputs);
        }
    }
    check(&program, "f(y)/(x)", &inputs);
}

#[test]
fn the_same_request_gives_the_same_text() {
    let program = fortran(ROE);
    let text = || {
        let (p, _) = made(&program, "roe(f)/(l,r)", Options { tangent: true, adjoint: true, ..with(Preaccumulate::Always) });
        overbar_fortran::unparse(&p, &Default::default()).unwrap().source
    };
    assert_eq!(text(), text());
}

/// Paper 003, Eq. (6): the adjoint of the block of Eq. (3) is the transposed product with the eight entries of its Jacobian, and nothing else: two
/// entries in each row, and the adjoints of the rows are zero behind it. (The entries of v3 are those of Eq. (4).)
#[test]
fn the_adjoint_of_a_block_is_a_transposed_product() {
    let program = fortran(
        "subroutine f(v1, v2, v3, v4, v6, v7)\n real(8), intent(in) :: v1, v2\n real(8), intent(out) :: v3, v4, v6, v7\n \
         v3 = v1*v2\n v4 = v1*v3\n v6 = sin(v4)\n v7 = (v3*v2)*v4\n end subroutine\n",
    );
    let head = "f(v3,v4,v6,v7)/(v1,v2)";
    // With heuristics that decide alone the elimination is complete.
    let order = overbar::eliminate::names::parse_chain("hs,markowitz,reverse").ok();
    let options = Options { order, ..with(Preaccumulate::Always) };
    let boosted = adjoints::boosted(&program, head, options);
    let unit = boosted.unit(boosted.unit_named("f_b").unwrap());
    let name = |s: xaif::model::SymbolId| boosted.symbol(s).name.to_string();
    // Per adjoint: the adjoints that its increments are products with, and whether it is set to zero.
    let mut increments: Vec<(String, String)> = Vec::new();
    let mut zeros: Vec<String> = Vec::new();
    for v in unit.graph.node_weights() {
        let xaif::model::VertexKind::Block { stmts, .. } = &v.kind else { continue };
        for s in stmts {
            let xaif::model::StmtKind::Assignment { lhs, rhs } = &s.kind else { continue };
            let to = name(lhs.symbol);
            let mut adjoints = Vec::new();
            rhs.for_each_ref(&mut |r| adjoints.push(name(r.symbol)));
            adjoints.retain(|n| n.starts_with('v') && n.ends_with('b'));
            match &adjoints[..] {
                [] if to.ends_with('b') => zeros.push(to),
                [] => {}
                // Increments of one adjoint are merged.
                rows if rows.iter().filter(|n| **n == to).count() == 1 => {
                    increments.extend(rows.iter().filter(|n| **n != to).map(|row| (to.clone(), row.clone())));
                }
                other => panic!("{to} {other:?}"),
            }
        }
    }
    let expected: Vec<(String, String)> =
        ["v7b", "v6b", "v4b", "v3b"].iter().flat_map(|row| ["v1b", "v2b"].map(|x| (x.to_owned(), (*row).to_owned()))).collect();
    increments.sort();
    let mut sorted = expected;
    sorted.sort();
    assert_eq!(increments, sorted);
    zeros.sort();
    assert_eq!(zeros, ["v3b", "v4b", "v6b", "v7b"]);
    // J71 = 3 v1^2 v2^3, J72 = 3 v1^3 v2^2, and so on, by dual numbers.
    let inputs = [("v1", r(0.7)), ("v2", r(1.3)), ("v3", r(0.0)), ("v4", r(0.0)), ("v6", r(0.0)), ("v7", r(0.0))];
    adjoints::check_boosted(&program, &boosted, head, &inputs);
}

fn without_comments(text: &str) -> Vec<&str> {
    text.lines().filter(|l| !l.trim_start().starts_with('!')).collect()
}

#[test]
fn statements_that_gain_nothing_come_out_as_they_are() {
    let program = fortran(
        "subroutine f(n, x, y, s)\n integer, intent(in) :: n\n real(8), intent(in) :: x(n)\n real(8), intent(inout) :: y(n)\n \
         real(8), intent(out) :: s\n real(8) :: t, q\n integer :: i\n s = 0\n do i = 1, n - 1\n t = x(i + 1) - x(i)*x(i)\n q = 1 - x(i)\n \
         s = s + 100*t*t + q*q\n y(i) = y(i)*x(i) + 0.5d0*t\n end do\n end subroutine\n",
    );
    let text = |preaccumulate| {
        let (p, _) = made(&program, "f(s,y)/(x,y)", Options { tangent: true, adjoint: true, ..with(preaccumulate) });
        overbar_fortran::unparse(&p, &Default::default()).unwrap().source
    };
    let (auto, never) = (text(Preaccumulate::Auto), text(Preaccumulate::Never));
    assert_eq!(without_comments(&auto), without_comments(&never));
}

#[test]
fn functions_and_quotients_are_worth_it_where_products_are_not() {
    let program = fortran(
        "subroutine f(x, y, u, v)\n real(8), intent(in) :: x, y\n real(8), intent(out) :: u, v\n real(8) :: t, w\n t = x/(1 + y)\n \
         w = exp(-t)\n u = t*sin(w)/w\n v = sqrt(w)*cos(w)\n end subroutine\n",
    );
    let inputs = [("x", r(0.7)), ("y", r(0.4)), ("u", r(0.0)), ("v", r(0.0))];
    let (_, decisions) = made(&program, "f(u,v)/(x,y)", Options { adjoint: true, ..with(Preaccumulate::Auto) });
    let [d] = &decisions[..] else { panic!("{decisions:?}") };
    assert!(d.chosen && d.work.1 * 5 < d.work.0 * 4, "{d:?}");
    let boosted = adjoints::boosted(&program, "f(u,v)/(x,y)", with(Preaccumulate::Auto));
    adjoints::check_boosted(&program, &boosted, "f(u,v)/(x,y)", &inputs);
    check(&program, "f(u,v)/(x,y)", &inputs);
}

#[test]
fn constants_with_a_sign_are_no_entries_to_be_kept() {
    let program = fortran(
        "subroutine f(x, y)\n real(8), intent(in) :: x\n real(8), intent(out) :: y\n real(8) :: t\n t = -1.5d0*sin(x)\n y = t*t\n end subroutine\n",
    );
    let (p, _) = made(&program, "f(y)/(x)", Options { adjoint: true, ..with(Preaccumulate::Always) });
    let source = overbar_fortran::unparse(&p, &Default::default()).unwrap().source;
    assert!(!without_comments(&source).iter().any(|l| l.trim_end().ends_with("= -1.5d0")), "{source}");
    check(&program, "f(y)/(x)", &[("x", r(0.7)), ("y", r(0.0))]);
}
