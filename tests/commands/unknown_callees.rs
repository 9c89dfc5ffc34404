//! Calls of what is not known when the text is read: what the callee may do is refused where derivatives need it.

use super::refusals::refuse;
use crate::common::overbar_ok;

/// What a procedure does to a structure whose components it does not know is not lost: it takes a pointer, its text is not given, or could not be read.
#[test]
fn structures_in_unknown_hands() {
    let folder = tempfile::tempdir().unwrap();
    let program = |callee: &str, call: &str| {
        format!(
            "module m\n  implicit none\n  type st\n    real(8) :: a, b\n    integer :: n = 2\n  end type\ncontains\n{callee}\n  subroutine f(x, y)\n    \
             real(8), intent(in) :: x\n    real(8), intent(out) :: y\n    type(st) :: s\n    external :: other\n    s%a = x\n    s%b = 2\n    \
             {call}\n    y = s%a*s%b\n  end subroutine\nend module\n"
        )
    };
    let absent = "  subroutine g(s)\n    type(st), intent(inout), optional :: s\n    if (present(s)) s%a = s%a*2\n  end subroutine";
    let unread = "  subroutine g(s)\n    type(st), intent(inout) :: s\n    real(8) :: u(2); real(4) :: v\n    equivalence (u, v)\n    u = s%a\n    s%a = s%a*v\n  end subroutine";
    for (name, callee, call, code) in [
        ("absent.f90", absent, "call g(s)", "OB3020"),
        ("unread.f90", unread, "call g(s)", "OB4002"),
        ("other.f90", "", "call other(s)", "OB4002"),
    ] {
        let found = refuse(folder.path(), name, &program(callee, call), "f(y)/(x)");
        assert!(found.iter().any(|d| d["code"] == code), "{name}: {found:?}");
    }
}

/// A subroutine of a module that is not given may change what it gets: refused where that is active, at the call.
#[test]
fn calls_of_what_is_not_given() {
    let folder = tempfile::tempdir().unwrap();
    let program = |call: &str| {
        format!(
            "module m\n  use messages, only: tell, LEVEL\n  implicit none\ncontains\n  subroutine f(x, y)\n    real(8), intent(in) :: x\n    real(8), intent(out) :: y\n    \
             real(8) :: s, p\n    s = x*x\n    p = 2\n    call {call}\n    y = s*p\n  end subroutine\n  real(8) function g(a)\n    real(8), intent(in) :: a\n    \
             g = a\n  end function\nend module\n"
        )
    };
    for call in ["tell(LEVEL, s)", "tell(s + LEVEL)", "tell(p, kind=s)"] {
        let found = refuse(folder.path(), "active.f90", &program(call), "f(y)/(x)");
        let d = found.iter().find(|d| d["code"] == "OB4002").unwrap_or_else(|| panic!("{call}: {found:?}"));
        assert!(d["location"]["line"] == 11 && d["reason"].as_str().unwrap().contains("module `messages`, which is not given"), "{d}");
    }
    // What a function of the program does beside is not known where its value goes.
    let found = refuse(folder.path(), "function.f90", &program("tell(LEVEL, g(p))"), "f(y)/(x)");
    assert!(found.iter().any(|d| d["code"] == "OB0011" || d["code"] == "OB3012"), "{found:?}");
    std::fs::write(folder.path().join("passive.f90"), program("tell(LEVEL, 'text')")).unwrap();
    overbar_ok(folder.path(), &["diff", "passive.f90", "-b", "-d", "--head", "f(y)/(x)", "-o", "out.f90"]);
}

/// A call of a procedure that is given, with a constant of a module that is not, stays as it is: it costs no procedure.
#[test]
fn constants_of_what_is_not_given() {
    let folder = tempfile::tempdir().unwrap();
    let text = "module errors\n  use library, only: FATAL, abort_with\n  implicit none\ncontains\n  subroutine failed(level, text)\n    integer, intent(in) :: level\n    \
                character(len=*), intent(in) :: text\n    call abort_with(level, text)\n  end subroutine\nend module\nmodule m\n  use errors, only: failed, FATAL\n  \
                implicit none\ncontains\n  subroutine f(x, y)\n    real(8), intent(in) :: x\n    real(8), intent(out) :: y\n    \
                if (abs(x) > 1d6) call failed(FATAL, 'too large')\n    y = x*sin(x)\n  end subroutine\nend module\n";
    std::fs::write(folder.path().join("f.f90"), text).unwrap();
    overbar_ok(folder.path(), &["diff", "f.f90", "-b", "-d", "--head", "f(y)/(x)", "-o", "out.f90"]);
}

/// How far a callee goes in what it only writes is not known: neither can an adjoint of that length be kept apart, nor may one be thrown away.
#[test]
fn unknown_lengths_that_callees_write() {
    let folder = tempfile::tempdir().unwrap();
    let text = "static void put(int n, double *p, double v) {\n  for (int i = 0; i < n; i++)\n    p[i] = v * i;\n}\ndouble f(int n, double *x) {\n  double s = 0;\n  \
                for (int i = 0; i < n; i++)\n    s += x[i] * x[i];\n  put(n, x + n, s);\n  for (int i = 0; i < n; i++)\n    s *= x[i];\n  return s;\n}\n";
    let found = refuse(folder.path(), "put.c", text, "f(f)/(x)");
    assert!(found.iter().any(|d| d["code"] == "OB4058"), "{found:?}");
    let text = "static void put(int n, double *p, double v)\n{\n  for (int i = 0; i < n; i++)\n    p[i] = v * i;\n}\nstatic void h(int n, double *p, const double *x, double *y)\n{\n  for (int i = 0; i < n; i++)\n    *y += p[i] * x[i];\n  put(n, p + n, 0.5);\n  for (int i = 0; i < n; i++)\n    *y += p[i] * p[i];\n}\nvoid f(int n, double *w, const double *x, double *y)\n{\n  double t[16];\n  *y = 0;\n  for (int i = 0; i < n; i++)\n    t[i] = x[i] * x[i];\n  h(n, t, x, y);\n  h(n, w, x, y);\n}\n";
    let found = refuse(folder.path(), "zeros.c", text, "f(y)/(x)");
    assert!(found.iter().any(|d| d["code"] == "OB4057"), "{found:?}");
}

/// Which procedure a type-bound call means is known where no type that extends the object's has another one.
#[test]
fn dispatch_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let program = "module m\n  implicit none\n  type t\n    real(8) :: a\n  contains\n    procedure :: p => p_t\n  end type\n  type, extends(t) :: u\n  contains\n    \
                   procedure :: p => p_u\n  end type\ncontains\n  subroutine p_t(s)\n    class(t), intent(inout) :: s\n    s%a = s%a*2\n  end subroutine\n  \
                   subroutine p_u(s)\n    class(u), intent(inout) :: s\n    s%a = s%a*3\n  end subroutine\n  subroutine f(s)\n    class(t), intent(inout) :: s\n    \
                   call s%p()\n  end subroutine\n  subroutine g(x)\n    real(8), intent(inout) :: x\n    type(t) :: s\n    type(u) :: v\n    s%a = x\n    call s%p()\n    \
                   v%t%a = s%a\n    call v%p()\n    x = v%a\n  end subroutine\nend module\n";
    let found = refuse(folder.path(), "m.f90", program, "f(s)/(s)");
    assert!(
        found.iter().any(|d| d["code"] == "OB3027" && d["message"].as_str().is_some_and(|m| m.contains("only when the program runs"))),
        "{found:?}"
    );
    let text = overbar_ok(folder.path(), &["diff", "m.f90", "-d", "--head", "g(x)/(x)"]);
    assert!(text.contains("call p_t_d(s, sd)") && text.contains("call p_u_d(v, vd)"), "{text}");
}
