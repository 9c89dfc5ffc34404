//! The Fortran front end against gfortran: the same program compiled and interpreted gives the same numbers.

use overbar::evaluate::{Data, Inputs, Limits, run};
use overbar_fortran::parse::{ParseOptions, SourceText, parse};
use std::process::Command;

/// A subroutine `kernel(x, n, y, m)` with `real(8) x(n), y(m)`: x goes in, y comes out.
struct Case {
    name: &'static str,
    fixed: bool,
    text: &'static str,
    x: &'static [f64],
    m: usize,
}

fn program(case: &Case) -> xaif::Program {
    let source = SourceText { file: case.name, text: case.text };
    let options = ParseOptions { fixed_form: case.fixed, ..ParseOptions::default() };
    let (program, warnings) = parse(&[source], &options).unwrap_or_else(|d| panic!("{}: {}", case.name, texts(&d)));
    assert!(warnings.is_empty(), "{}: {}", case.name, texts(&warnings));
    let problems: Vec<_> = xaif::validate::semantics(&program).into_iter().filter(|d| d.is_error()).collect();
    assert!(problems.is_empty(), "{}: {}", case.name, texts(&problems));
    program
}

fn interpreted(case: &Case) -> Vec<f64> {
    let program = program(case);
    // What is written as XML is valid and reads back to a program that means the same.
    let xml = xaif::write::write(&program);
    let problems: Vec<_> = xaif::validate::document(case.name, xml.as_bytes(), &xaif::read::Limits::default());
    assert!(problems.is_empty(), "{}: {}", case.name, texts(&problems));
    let program = xaif::read::read(case.name, xml.as_bytes(), &xaif::read::Limits::default()).unwrap_or_else(|d| panic!("{}", texts(&d))).0;
    let unit = program.unit_named("kernel").expect("a unit kernel");
    let inputs = Inputs::<f64>::default()
        .with("x", Data::reals(case.x))
        .with("n", Data::int(case.x.len() as i64))
        .with("y", Data::reals(&vec![0.0; case.m]))
        .with("m", Data::int(case.m as i64));
    let outcome = run(&program, unit, &inputs, &Limits::default()).unwrap_or_else(|f| panic!("{}: {f:?}", case.name));
    let y = outcome.arguments.iter().find(|(n, _)| n.eq_ignore_ascii_case("y"));
    y.expect("the argument y").1.to_reals()
}

fn texts(d: &[xaif::Diagnostic]) -> String {
    d.iter().map(|d| format!("{d}\n")).collect()
}

/// The program written by the back end from the model alone.
fn reprinted(case: &Case) -> String {
    let mut program = program(case);
    for s in &mut program.sources {
        s.text.clear();
    }
    let text = overbar_fortran::unparse(&program, &overbar_fortran::UnparseOptions::default());
    text.unwrap_or_else(|d| panic!("{}: {}", case.name, texts(&d))).source
}

fn compiled(case: &Case, text: &str, fixed: bool) -> Option<Vec<f64>> {
    let folder = tempfile::tempdir().unwrap();
    let ext = if fixed { "f" } else { "f90" };
    let kernel = folder.path().join(format!("kernel.{ext}"));
    std::fs::write(&kernel, text).unwrap();
    let module = if case.text.contains("module m\n") { "use m\n" } else { "" };
    let x: Vec<String> = case.x.iter().map(|x| format!("{x:?}d0").replace("e", "d").replace("d0d0", "d0")).collect();
    let (n, m) = (case.x.len(), case.m);
    let main = format!(
        "program main\n{module}real(8) :: x({n}), y({m})\ninteger :: i\nx = [{}]\ny = 0\ncall kernel(x, {n}, y, {m})\ndo i = 1, {m}\nprint '(es26.17e3)', y(i)\nend do\nend program\n",
        x.join(", ")
    );
    let driver = folder.path().join("main.f90");
    std::fs::write(&driver, main).unwrap();
    let program = folder.path().join("a.out");
    let built = Command::new("gfortran")
        .args(["-O0", "-std=legacy", "-fno-automatic", "-w", "-o"])
        .arg(&program)
        .arg(&kernel)
        .arg(&driver)
        .current_dir(folder.path())
        .output();
    let Ok(built) = built else {
        println!("skipped: no gfortran");
        return None;
    };
    assert!(built.status.success(), "{}: {}\n{text}", case.name, String::from_utf8_lossy(&built.stderr));
    let out = Command::new(&program).output().unwrap();
    assert!(out.status.success(), "{}", case.name);
    Some(String::from_utf8_lossy(&out.stdout).split_whitespace().map(|w| w.parse().unwrap()).collect())
}

fn check(case: &Case) {
    let Some(want) = compiled(case, case.text, case.fixed) else { return };
    compare(case, "interpreted", &interpreted(case), &want);
    let again = reprinted(case);
    if let Some(got) = compiled(case, &again, false) {
        compare(case, "written again", &got, &want);
    }
}

fn compare(case: &Case, what: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{}", case.name);
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let close = g == w || (g - w).abs() <= 1e-13 * w.abs().max(1e-300);
        assert!(close, "{} {what}: y({}) is {g:?}, gfortran says {w:?}", case.name, i + 1);
    }
}

#[test]
fn operators_and_intrinsics() {
    check(&Case {
        name: "operators.f90",
        fixed: false,
        x: &[0.7, 1.3, -0.4, 2.5],
        m: 40,
        text: "
subroutine kernel(x, n, y, m)
  implicit none
  integer :: n, m, i, j
  real(8) :: x(n), y(m), a, b, z(n)
  real :: s
  logical :: p
  a = x(1); b = x(2)
  i = 7; j = -2
  y(1) = a**b**a*2 - a - b
  y(2) = -a**2 + b/a/b*3
  y(3) = i/j*2 + mod(i, 3) - modulo(j, 5) + i**2/3
  y(4) = 1/3 + 1/3.0 + 1/3d0
  y(5) = 2**(-1) + 2.0**(-1)
  y(6) = nint(-2.5d0) + int(-2.7d0) + floor(-2.2d0) + ceiling(-2.2d0)
  y(7) = aint(-2.7d0) + anint(2.5d0)
  y(8) = sign(a, x(3)) + dim(a, b) + dim(b, a)
  y(9) = max(a, b, x(3)) - min(a, b, x(3)) + max(1, 2, 3)
  y(10) = atan2(a, x(3)) + hypot(a, b) + asinh(a) + acosh(b) + atanh(a)
  y(11) = erf(a) + erfc(b) + gamma(b) + log_gamma(b)
  y(12) = sinh(a) + cosh(a) + tanh(a) + tan(a) + asin(a) + acos(a) + atan(a)
  y(13) = log(b) + log10(b) + exp(a) + sqrt(b)
  p = a < b .and. .not. (b < a) .or. i == 3
  if (p .eqv. .true.) y(14) = 1
  if (p .neqv. .true.) y(14) = 2
  y(15) = merge(a, b, p) + merge(1d0, 2d0, a > b)
  s = 0.1
  y(16) = s + 0.1d0
  y(17) = real(a) + dble(s) + float(i) + sngl(b)
  y(18) = mod(b, a) + modulo(x(3), a) + dprod(s, s)
  y(19) = abs(x(3)) + abs(j)
  y(20) = sum(x) + maxval(x) - minval(x(2:4)) + dot_product(x(1:2), x(3:4)) + product(x)
  y(21) = size(x) + ubound(x, 1) + lbound(x, 1)
  y(22) = sum(x, x > 0) + count(x > 0)
  if (any(x > 2)) y(23) = 1
  if (all(x > 2)) y(23) = 2
  y(24) = sum([a, b, 3d0]*x(1:3)) + norm2(x)
  y(25) = maxloc(x, 1) + minloc(x, 1)
  y(26) = 1.5e1 + .5 + 5. + 1d-2
  y(27) = (a + b)*(a - b) - (a - (b - a))
  y(28) = iand(12, 10) + ior(12, 10) + ieor(12, 10)
  y(29:32) = x(4:1:-1)*2
  y(33:36) = x
  y(34:36) = y(33:35)
  z = 1
  where (x > 0) z = x*2
  y(37:40) = z
end subroutine
",
    });
}

#[test]
fn control_flow() {
    check(&Case {
        name: "control.f90",
        fixed: false,
        x: &[3.0, -1.0, 2.0, 0.5, 7.0],
        m: 20,
        text: "
subroutine kernel(x, n, y, m)
  implicit none
  integer :: n, m, i, j, k
  real(8) :: x(n), y(m), t
  k = 2
  do i = 1, n, k
    k = k + 1
    y(1) = y(1) + x(i)
  end do
  y(2) = i + k
  do i = n, 1, -k + 3
    y(3) = y(3) + i
  end do
  k = -2
  do i = 5, 1, k
    y(4) = y(4) + i
  end do
  do i = 5, 1
    y(5) = 99
  end do
  y(6) = i
  outer: do i = 1, n
    do j = 1, n
      if (j > 3) cycle outer
      if (i > 3) exit outer
      if (x(j) < 0) cycle
      y(7) = y(7) + i*x(j)
    end do
    y(8) = 1
  end do outer
  t = 1
  do while (t < 100 .and. twice(t) < 300)
    t = twice(t) + 0.5
  end do
  y(9) = t
  do
    t = t/3
    if (t < 1) exit
  end do
  y(10) = t
  do i = 1, 7
    select case (i)
    case (1, 3)
      y(11) = y(11) + 1
    case (5)
      cycle
    case default
      y(11) = y(11) + 10
    end select
    select case (i + 1)
    case (:2)
      y(12) = y(12) + 1
    case (4:5, 8)
      y(12) = y(12) + 100
    end select
    if (i < 3) then
      y(13) = y(13) + 1
    else if (i == 4) then
      y(13) = y(13) + 10
    else
      y(13) = y(13) + 100
    end if
  end do
  test: if (n > 3) then
    if (m > 3) exit test
    y(14) = 1
  end if test
  i = 0
10 i = i + 1
  if (i < 4) goto 10
  y(15) = i
  goto (20, 30), i - 2
20 y(16) = 1
  goto 40
30 y(16) = 2
40 continue
  if (x(2)) 50, 60, 70
50 y(17) = 1
  if (i == 4 .or. twice(t) > 0) return
60 y(17) = 2
70 y(18) = 3
contains
  function twice(v)
    real(8) :: twice, v
    twice = 2*v
  end function
end subroutine
",
    });
}

#[test]
fn calls_arrays_and_modules() {
    check(&Case {
        name: "modules.f90",
        fixed: false,
        x: &[3.0, -1.0, 2.0, 0.5, 7.0, 1.5],
        m: 20,
        text: "
module m
  implicit none
  integer, parameter :: wp = kind(1d0)
  real(wp) :: total = 1.5_wp
  real(wp), parameter :: table(0:2) = [1.0_wp, 4.0_wp, 9.0_wp]
  interface norm
    module procedure norm1, norms
  end interface
contains
  subroutine kernel(x, n, y, m)
    integer, intent(in) :: n, m
    real(wp), intent(in) :: x(n)
    real(wp), intent(inout) :: y(m)
    real(wp) :: a(2, 3), b(3, 2), work(0:n), c(2, 2)
    real(wp), allocatable :: w(:)
    integer :: i, j
    do j = 1, 3
      do i = 1, 2
        a(i, j) = x(i + 2*(j - 1))
      end do
    end do
    b = transpose(a)
    c = matmul(a, b)
    y(1) = c(1, 1) + 10*c(2, 1) + sum(c)
    y(2:3) = matmul(a, x(1:3))
    y(4) = norm(x) + norm(x(1)) + table(2)
    work(0) = 1
    do i = 1, n
      work(i) = work(i - 1)*0.5 + x(i)
    end do
    y(5) = work(n)
    call scale(work(1:n:2), 2.0_wp)
    call scale(by=3.0_wp, v=work(2:3))
    y(6) = sum(work)
    call first(work(2), n - 1, y(7))
    y(8) = total
    allocate (w(n))
    w = x + 1
    y(9) = sum(w)
    w(:) = doubled(w)
    y(10) = sum(w) + sum(doubled(x(1:2) + 1))
    deallocate (w)
    y(11) = recursive_sum(x, n)
    y(12) = norm(x(2)) + norms(-x(1)*2)
    where (work > 1)
      work = work - 1
      work = work*2
    elsewhere (work < 0)
      work = 0
    elsewhere
      work = work + 5
    end where
    y(13) = sum(work)
    call both(y(14), (x(1)), y(15))
  end subroutine
  pure function norm1(v) result(r)
    real(wp), intent(in) :: v(:)
    real(wp) :: r
    r = sqrt(sum(v*v))
  end function
  pure real(wp) function norms(v)
    real(wp), intent(in) :: v
    norms = abs(v)
  end function
  subroutine scale(v, by)
    real(wp), intent(inout) :: v(:)
    real(wp), intent(in) :: by
    v = v*by
    total = total + size(v)
  end subroutine
  subroutine first(v, k, r)
    integer, intent(in) :: k
    real(wp), intent(in) :: v(k)
    real(wp), intent(out) :: r
    integer :: i
    r = 0
    do i = 1, k
      r = r + i*v(i)
    end do
  end subroutine
  function doubled(v)
    real(wp), intent(in) :: v(:)
    real(wp) :: doubled(size(v))
    doubled = 2*v
  end function
  recursive function recursive_sum(v, k) result(r)
    integer, intent(in) :: k
    real(wp), intent(in) :: v(k)
    real(wp) :: r
    r = 0
    if (k > 0) r = v(1) + recursive_sum(v(2:k), k - 1)
  end function
  subroutine both(a, b, c)
    real(wp) :: a, b, c
    real(wp), optional :: d
    a = b
    b = b + 1
    c = b
  end subroutine
end module
"
        .replace("    real(wp), optional :: d\n", "")
        .leak(),
    });
}

#[test]
fn old_fortran() {
    check(&Case {
        name: "old.f",
        fixed: true,
        x: &[3.0, -1.0, 2.0, 0.5],
        m: 8,
        text: "\
C     What old programs have.
      SUBROUTINE KERNEL(X, N, Y, M)
      IMPLICIT DOUBLE PRECISION (A-H,O-Z)
      DIMENSION X(N), Y(M), T(3), Q(4)
      PARAMETER (PI = 3.14D0)
      COMMON /BLK/ B, A(2), K
      EXTERNAL G
      DATA T /2*1.5D0, 4.D0/, Q /1.D0,2.D0,3.D0,4.D0/
      F(U, V) = U*V + PI
      H(U) = F(U, U) - 1
      B = 2
      A(1) = 3
      A(2) = 4
      K = 1
      S = 0
      DO10I=1,N
   10 S = S + F(X(I), DSQRT(A(1)))
     1      * G(T) ! product
      Y(1) = S
      DO 30 I = 1, N
      DO 30 J = I, N, 2
      IF (X(I) .LT. 0.D0) GOTO 30
      IF (X(J) - 2.D0) 20, 30, 25
20    Y(2) = Y(2) - 1
      GO TO 30
25    Y(2) = Y(2) + X(I)
30    CONTINUE
      IF(Y(2).GT.1.D3)GOTO99
      Y(3) = H(X(1) + 1) + Q(2) + Q(3)*10
      CALL SUB(X(2), N - 1, Y(4))
      Y(5) = B
      GOTO (40, 50), K
40    Y(6) = Y(6) + 1
50    Y(6) = Y(6) + MAX0(2, 3) + AMAX1(1.0, 2.0) + IABS(-4)
99    RETURN
      END
      DOUBLE PRECISION FUNCTION G(V)
      DOUBLE PRECISION V(*), B, A
      COMMON /BLK/ B, A(2), K
      G = V(1) + V(3)*A(2)
      RETURN
      END
      SUBROUTINE SUB(V, N, R)
      INTEGER N
      REAL*8 V(N), R, B, A
      COMMON /BLK/ B, A(2), K
      R = 0
      DO 5 WHILE (R .LT. 4.D0)
        R = R + ABS(V(1)) + V(N)
5     CONTINUE
      B = B + R
      END
",
    });
}
