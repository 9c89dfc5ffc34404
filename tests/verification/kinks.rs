//! Points at which programs are not smooth: what is a kink and what is none, and that none excuses a wrong derivative.

use super::verify::{broken, c, fortran, line, request, verdict};
use overbar::Options;
use overbar::verify::{Request, Verdict, verify};
use xaif::Program;

/// With a wrong derivative of the sine the program is called wrong at that line.
fn wrong_sine(p: &Program, head: &str, values: &str, at: u32) {
    let r = Request {
        options: Options { catalogue: Some(broken("sin_scal", 0, "cos_scal", "sin_scal")), ..Options::default() },
        ..request(p, head, Some(values))
    };
    let report = verify(p, &r).unwrap();
    assert_eq!((report.verdict, line(&report)), (Verdict::Wrong, Some(at)), "{report:?}");
}

#[test]
fn kinks_are_named() {
    let p = fortran(
        "subroutine f(x, y)\n  real(8), intent(in) :: x(2)\n  real(8), intent(out) :: y\n  y = x(1)*x(2)\n  y = y + abs(x(1))\n  y = y + max(x(1), x(2))\n  if (x(2) > 1.5d0) then\n    y = y*2\n  end if\nend subroutine\n",
    );
    let lines = |values: &str| {
        let r = verdict(&p, "f(y)/(x)", values);
        let lines: Vec<u32> = r.kinks.iter().filter_map(|k| k.location.as_ref()).map(|l| l.line).collect();
        (r.verdict, lines)
    };
    assert_eq!(lines(r#"{"x":[0.3,0.7]}"#), (Verdict::Pass, vec![]));
    assert_eq!(lines(r#"{"x":[0.0,0.7]}"#), (Verdict::Kink, vec![5]));
    assert_eq!(lines(r#"{"x":[0.7,0.7]}"#), (Verdict::Kink, vec![6]));
    assert_eq!(lines(r#"{"x":[0.3,1.5]}"#), (Verdict::Kink, vec![7]));
    let r = verdict(&p, "f(y)/(x)", r#"{"x":[0.0,0.7]}"#);
    let o = r.one_sided.unwrap();
    assert!((o.left - o.right).abs() > 0.5, "{o:?}");
}

/// Elements of shared arrays that nothing sets keep what they had, in derivative code too; what is set as a whole holds nothing of it.
#[test]
fn elements_of_shared_arrays_that_are_not_set_are_no_fault() {
    let p = c("double k[2], s;\ndouble f(double x) { k[1] = x * x; s = 3.0 * x; return x; }\n");
    assert_eq!(verdict(&p, "f(f,k,s)/(x)", r#"{"x":0.7}"#).verdict, Verdict::Pass);
    let p = c("double s;\ndouble f(double x) { if (x > 1.0) s = 3.0 * x; return x; }\n");
    assert_eq!(verdict(&p, "f(f,s)/(x)", r#"{"x":1.7}"#).verdict, Verdict::Pass);
}

/// Zero times a slope that is no number is no number: where a value on the way is none, even one that nobody uses, there is nothing to compare.
/// What is not smooth is no kink where only tests look at it that come out the same on both sides.
#[test]
fn kinks_that_nothing_comes_of_are_none() {
    let p = fortran(
        "subroutine f(x, y, d, n)\n  real(8), intent(in) :: x(2)\n  real(8), intent(out) :: y, d\n  integer, intent(out) :: n\n  real(8) :: t(2)\n  n = 0\n  y = x(1)*x(2)\n           do\n    t(1) = (y - x(1)/y)/2\n    t(2) = x(2) - 1\n    y = y - t(1)\n    d = abs(t(1))\n    n = n + 1\n    if (d < 1d-13 .or. n > 50) exit\n  end do\n           n = n + int(3*d)\n  if (maxval(abs(t)) > 3) n = 0\n  d = d + x(2)\nend subroutine\n",
    );
    // The step is zero once the root is found.
    let values = r#"{"x":[4,0.5],"y":0,"d":0,"n":0}"#;
    let of = |head: &str| {
        let r = verdict(&p, head, values);
        (r.verdict, r.kinks.iter().filter_map(|k| k.location.as_ref()).map(|l| l.line).collect::<Vec<u32>>())
    };
    assert_eq!(of("f(y)/(x)"), (Verdict::Pass, vec![]));
    assert_eq!(of("f(d)/(x)").0, Verdict::Kink);
    // Here it is zero at the point alone.
    let p = fortran(
        "subroutine f(x, y)\n  real(8), intent(in) :: x(2)\n  real(8), intent(out) :: y\n  real(8) :: d\n  d = abs(x(1))\n  y = x(2)\n  if (d > 0) y = 3*y\nend subroutine\n",
    );
    assert_eq!(verdict(&p, "f(y)/(x)", r#"{"x":[0,1]}"#).verdict, Verdict::Kink);
    // A whole number bears no mark.
    let p = fortran(
        "subroutine f(x, y)\n  real(8), intent(in) :: x(2)\n  real(8), intent(out) :: y\n  integer :: k\n  k = int(1 - abs(x(1)))\n  y = x(2)*(k + 1)\nend subroutine\n",
    );
    assert_eq!(verdict(&p, "f(y)/(x)", r#"{"x":[0,1]}"#).verdict, Verdict::Kink);
}

#[test]
fn values_that_are_no_numbers_are_not_drawn() {
    let p = c(
        "#include <math.h>\ndouble f(double x, double tol) {\n  double h = 1.0;\n  if (tol < 0.0)\n    h = sqrt(tol);\n  return tol < 0.0 ? x * x : h * x;\n}\n",
    );
    let r = verify(&p, &request(&p, "f(f)/(x,tol)", None)).unwrap();
    assert_eq!(r.verdict, Verdict::Pass, "{r:?}");
}

/// `y = sqrt(s)` where `s` is an exact zero that depends on x without moving: the tangent is no number, and the statement is named.
#[test]
fn slopes_that_do_not_exist_are_kinks() {
    for (line, at) in [
        ("y = sqrt(s)", 0.0),
        ("y = asin(1 - s)", 0.0),
        ("y = acos(s - 1)", 0.0),
        ("y = acosh(1 + s)", 0.0),
        ("y = s**0.5d0", 0.0),
        ("y = atan2(s, s)", 0.0),
    ] {
        let text = format!(
            "subroutine f(x, y, z)\n  real(8), intent(in) :: x(2)\n  real(8), intent(out) :: y, z\n  real(8) :: s\n  s = (x(1) - x(2))*(x(1) - x(2))*x(1)\n  z = x(1)*x(2)\n  {line}\nend subroutine\n"
        );
        let p = fortran(&text);
        let r = verdict(&p, "f(y,z)/(x)", &format!("{{\"x\":[{at},{at}]}}"));
        let lines: Vec<u32> = r.kinks.iter().filter_map(|k| k.location.as_ref()).map(|l| l.line).collect();
        assert_eq!((r.verdict, &lines[..]), (Verdict::Kink, &[7][..]), "{line}: {r:?}");
        assert!(r.kinks[0].statement.contains(line), "{line}: {r:?}");
        // Drawn points keep clear of it.
        assert_eq!(verify(&p, &request(&p, "f(y,z)/(x)", None)).unwrap().verdict, Verdict::Pass, "{line}");
    }
    // Where the slope in question is in no derivative that is asked for, there is nothing to tell.
    let text = "subroutine f(x, p, y)\n  real(8), intent(in) :: x, p\n  real(8), intent(out) :: y\n  y = x*x + sqrt(p)\nend subroutine\n";
    assert_eq!(verdict(&fortran(text), "f(y)/(x)", r#"{"x":1,"p":0}"#).verdict, Verdict::Pass);
}

/// A slope that does not exist excuses nothing but what is no number because of it.
#[test]
fn an_edge_is_no_excuse() {
    let text = "subroutine f(x, y, z)\n  real(8), intent(in) :: x(2)\n  real(8), intent(out) :: y, z\n  real(8) :: s\n  s = (x(1) - x(2))**2\n  y = sqrt(s*s)\n  z = sin(x(1))*x(2)\nend subroutine\n";
    let p = fortran(text);
    wrong_sine(&p, "f(y,z)/(x)", r#"{"x":[0.5,0.5]}"#, 7);
}

/// An infinite derivative is told with the statement where it comes from.
#[test]
fn infinite_derivatives_are_named() {
    let p =
        fortran("subroutine f(x, y)\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  y = 2*x\n  y = sqrt(y)\nend subroutine\n");
    let e = verify(&p, &request(&p, "f(y)/(x)", Some(r#"{"x":0}"#))).unwrap_err();
    assert_eq!((e[0].code, e[0].location.as_ref().map(|l| l.line)), ("OB6061", Some(5)), "{e:?}");
}

/// Branches that agree in value and derivative where they meet are no kinks; those that agree in value alone are.
#[test]
fn branches_that_meet_smoothly_are_no_kinks() {
    let at_zero = |body: &str| {
        let text = format!("subroutine f(x, y)\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n{body}\nend subroutine\n");
        verdict(&fortran(&text), "f(y)/(x)", r#"{"x":0}"#).verdict
    };
    for smooth in [
        "  if (x > 0) then\n    y = sin(x)\n  else\n    y = x\n  end if",
        "  if (x == 0) then\n    y = 1\n  else\n    y = sin(x)/x\n  end if",
        "  y = max(x, 0d0)**2",
        "  y = x*abs(x)",
        "  if (x >= 0) then\n    y = 2*x\n  else\n    y = x + x\n  end if",
        "  y = exp(x) + 0*abs(x)",
    ] {
        assert_eq!(at_zero(smooth), Verdict::Pass, "{smooth}");
    }
    for kinked in [
        "  if (x > 0) then\n    y = 2*x\n  else\n    y = x\n  end if",
        "  if (x == 0) then\n    y = 0\n  else\n    y = sin(x)\n  end if",
        "  if (x >= 0) then\n    y = 1 + x\n  else\n    y = x\n  end if",
        "  y = max(x, 0d0) + x**2",
        "  y = abs(x) + exp(x)",
        "  y = atan2(x, -1 + x)",
        "  y = 1d-3*min(x, 0d0)",
    ] {
        assert_eq!(at_zero(kinked), Verdict::Kink, "{kinked}");
    }
}

/// At a kink a wrong derivative is still a wrong one.
#[test]
fn a_kink_is_no_excuse() {
    let text = "subroutine f(x, y)\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  y = sin(x) + 1\n  y = y + abs(x - 0.5d0)\nend subroutine\n";
    let p = fortran(text);
    wrong_sine(&p, "f(y)/(x)", r#"{"x":0.5}"#, 4);
}
