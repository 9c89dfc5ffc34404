//! Executable constructs.

use super::*;

#[test]
fn griewank() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/griewank.f90");
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("skipped: {} is not there", file.display());
        return;
    };
    let p = program(&text);
    assert_eq!(
        show(&p, "griewank"),
        [
            "c = 1",
            "d = 1.0e0_64",
            "for i = 1; less_or_equal(i, s); i = (i + 1)",
            "  c = (c + ((a(i) ** 2) / 400))",
            "  d = (d * cos_scal((a(i) / sqrt_scal(real_scal'dble'(i)))))",
            "c = (c - d)",
        ]
    );
    let u = p.unit(p.unit_named("griewank_b").unwrap());
    assert_eq!((u.span.line, u.span.end_line), (20, 52));
    assert!(u.comment.starts_with("Adjoint of griewank."));
    assert_eq!(u.formals.len(), 5);
    assert_eq!(u.formals[2].intent, Intent::Inout);
}

#[test]
fn operators_associate_as_the_language_says() {
    assert_eq!(
        body("", "x = y**x**2*3 - y - x\nx = -y**2\nx = -y*x + x\nx = (y**x)**2\nx = y**(-2)"),
        ["x = ((((y ** (x ** 2)) * 3) - y) - x)", "x = -(y ** 2)", "x = (-(y * x) + x)", "x = ((y ** x) ** 2)", "x = (y ** -2)",]
    );
    assert_eq!(
        body("logical p, q", "p = .not. q .and. x < y .or. p .eqv. q\nq = p .neqv. q"),
        ["p = not(xor(or(and(not(q), less_than(x, y)), p), q))", "q = xor(p, q)"]
    );
}

#[test]
fn jumps_and_labels() {
    let got = body(
        "integer i, j",
        " do 10 i = 1, n\n do 10 j = n, 1, -1\n if (a(i) < 0) goto 10\n x = x + a(i)*a(j)\n10 continue\n if (x) 20, 30, 40\n20 x = 1\n return\n30 x = 2\n goto (20, 40), n\n40 x = 3",
    );
    assert_eq!(
        got,
        [
            "for i = 1; less_or_equal(i, n); i = (i + 1)",
            "  for j = n; greater_or_equal(j, 1); j = (j + -1)",
            "    branch less_than(a(i), 0)",
            "     1:",
            "      Continue",
            "    x = (x + (a(i) * a(j)))",
            "branch less_than(x, 0.0_64)",
            " 1:",
            "  Goto 20",
            "branch equal(x, 0.0_64)",
            " 1:",
            "  Goto 30",
            "Goto 40",
            "20:",
            "x = 1",
            "Return",
            "30:",
            "x = 2",
            "branch n",
            " 1:",
            "  Goto 20",
            " 2:",
            "  Goto 40",
            "40:",
            "x = 3",
        ]
    );
}

#[test]
fn a_shared_last_statement_belongs_to_the_innermost_loop() {
    assert_eq!(
        body("integer i, j", " do 10 i = 1, n\n do 10 j = 1, n\n10 x = x + a(i)*a(j)"),
        ["for i = 1; less_or_equal(i, n); i = (i + 1)", "  for j = 1; less_or_equal(j, n); j = (j + 1)", "    x = (x + (a(i) * a(j)))",]
    );
}

#[test]
fn bounds_that_the_loop_changes_get_variables() {
    assert_eq!(
        body("integer i, m", "do i = 1, m\n m = m - 1\nend do\ndo i = 1, i + n, m\n x = x + 1\nend do"),
        [
            "i_last_1 = m",
            "for i = 1; less_or_equal(i, i_last_1); i = (i + 1)",
            "  m = (m - 1)",
            "i_last_2 = (i + n)",
            "for i = 1; or(and(greater_than(m, 0), less_or_equal(i, i_last_2)), and(less_than(m, 0), greater_or_equal(i, i_last_2))); i = (i + m)",
            "  x = (x + 1)",
        ]
    );
}

#[test]
fn named_constructs() {
    assert_eq!(
        body(
            "integer i",
            "outer: do i = 1, n\n inner: do\n if (x > 1) cycle outer\n if (x > 2) exit outer\n if (x > 3) exit\n end do inner\n test: if (x > 0) then\n if (y > 0) exit test\n x = 0\n end if test\nend do outer"
        ),
        [
            "for i = 1; less_or_equal(i, n); i = (i + 1)",
            "  while true",
            "    branch greater_than(x, 1)",
            "     1:",
            "      Continue",
            "    branch greater_than(x, 2)",
            "     1:",
            "      Break",
            "    branch greater_than(x, 3)",
            "     1:",
            "      Break test",
            "  branch greater_than(x, 0)",
            "   1:",
            "    branch greater_than(y, 0)",
            "     1:",
            "      Break",
            "    x = 0",
        ]
    );
}

#[test]
fn cases() {
    assert_eq!(
        body("", "select case (n)\ncase (1, 3)\n x = 1\ncase (-1)\n x = 2\ncase default\n x = 3\nend select"),
        ["branch n", " 1,3:", "  x = 1", " -1:", "  x = 2", " else:", "  x = 3"]
    );
    assert_eq!(
        body("", "select case (n + 1)\ncase default\n x = 3\ncase (:0, 7)\n x = 1\ncase (2:5)\n x = 2\nend select"),
        [
            "case_1 = (n + 1)",
            "branch or(less_or_equal(case_1, 0), equal(case_1, 7))",
            " 1:",
            "  x = 1",
            " else:",
            "  branch and(greater_or_equal(case_1, 2), less_or_equal(case_1, 5))",
            "   1:",
            "    x = 2",
            "   else:",
            "    x = 3",
        ]
    );
}

#[test]
fn branches() {
    assert_eq!(
        body(
            "",
            "if (n == 1) then\n x = 1\nelse if (n == 2) then\n x = 2\nelseif (n == 3) then\n x = 3\nelse\n x = 4\nend if\nif (n > 3) return\nx = 5"
        ),
        [
            "branch equal(n, 1)",
            " 1:",
            "  x = 1",
            " else:",
            "  branch equal(n, 2)",
            "   1:",
            "    x = 2",
            "   else:",
            "    branch equal(n, 3)",
            "     1:",
            "      x = 3",
            "     else:",
            "      x = 4",
            "branch greater_than(n, 3)",
            " 1:",
            "  Return",
            "x = 5",
        ]
    );
}

#[test]
fn concurrent_loops_and_text() {
    assert_eq!(
        body("integer i, j", "do concurrent (i = 1:n, j = 1:n:2, i /= j)\n x = i\nend do"),
        [
            "for i = 1; less_or_equal(i, n); i = (i + 1)",
            "  for j = 1; less_or_equal(j, n); j = (j + 2)",
            "    branch not_equal(i, j)",
            "     1:",
            "      x = i",
        ]
    );
    assert_eq!(
        body("character(4) s", "if (s(1:1) == 'U') x = 1\ns = trim(s) // 'x'\ncall t('a' // s)"),
        [
            "Passive [s] -> [text_1] {text_1 = s(1:1)}",
            "branch string_eq_scal_scal(text_1, U)",
            " 1:",
            "  x = 1",
            "Passive [s] -> [s] {s = trim(s) // 'x'}",
            "Passive [s] -> [text_2] {text_2 = 'a' // s}",
            "call t(1:text_2)",
        ]
    );
}

#[test]
fn functions_in_conditions_keep_their_order() {
    let text = "
module m
contains
  subroutine s(x, y, k)
    real :: x, y
    integer :: k
    ! The loop.
    do while (f(x) > 0) ! go on
      y = f(f(x))
      if (k > 0 .and. f(y) > 1) exit
    end do
    y = f(x) + f(y)*2
    y = f(y)
    x = f(x + 1)
  end subroutine
  real function f(x)
    real :: x
    f = x - 1
  end function
end module
";
    let p = program(text);
    assert_eq!(
        show(&p, "s"),
        [
            "while true",
            "  call f(1:x, 2:f_1)",
            "  branch not(greater_than(f_1, 0))",
            "   1:",
            "    Break",
            "  call f(1:x, 2:f_2)",
            "  call f(1:f_2, 2:y)",
            "  test_1 = greater_than(k, 0)",
            "  branch test_1",
            "   1:",
            "    call f(1:y, 2:f_3)",
            "    test_1 = greater_than(f_3, 1)",
            "  branch test_1",
            "   1:",
            "    Break",
            "call f(1:x, 2:f_4)",
            "call f(1:y, 2:f_5)",
            "y = (f_4 + (f_5 * 2))",
            "call f(1:y, 2:f_6)",
            "y = f_6",
            "f_7 = (x + 1)",
            "call f(1:f_7, 2:f_8)",
            "x = f_8",
        ]
    );
    assert_eq!(p.calls.len(), 1);
    let u = p.unit(p.unit_named("s").unwrap());
    let head = u.graph.node_weights().find(|v| v.is_loop()).unwrap();
    assert_eq!((head.comment.as_str(), head.text.as_str()), ("The loop.\ngo on", "do while (f(x) > 0)"));
}

#[test]
fn statement_functions_and_masks() {
    assert_eq!(
        body("real(8) f, u\nf(u) = u*x + 1", "y = f(a(1)) + f(x)\nwhere (a > 0) a = a/2"),
        ["y = (((a(1) * x) + 1) + ((x * x) + 1))", "a = select'merge'(greater_than(a, 0), (a / 2), a)",]
    );
}
