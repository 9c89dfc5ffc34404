//! What must be refused is refused: exit code 1, no output, a code, a place, a way out; never a panic.

use crate::common;

use common::{overbar, overbar_ok, overbar_with_input};
use std::path::Path;

/// Runs `diff -b` on a text; the diagnostics as JSON.
pub fn refuse(folder: &Path, file: &str, text: &str, head: &str) -> Vec<serde_json::Value> {
    std::fs::write(folder.join(file), text).unwrap();
    let out = folder.join("out");
    let output = overbar(folder, &["--message-format", "json", "diff", file, "-b", "--head", head, "-o", "out"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{file}, {head}: {errors}");
    assert!(!out.exists(), "{file}: an output file was written");
    let found: Vec<serde_json::Value> = errors.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{l}: {e}"))).collect();
    assert!(found.iter().any(|d| d["severity"] == "error"), "{file}: {errors}");
    for d in found.iter().filter(|d| d["severity"] == "error") {
        assert!(d["code"].as_str().is_some_and(|c| c.starts_with("OB") && c.len() == 6), "{d}");
        assert!(d["help"].is_string() || d["reason"].is_string(), "{file}: no reason and no way out: {d}");
    }
    found
}

/// At least one of the errors points at that line of the file.
fn points_at(found: &[serde_json::Value], file: &str, line: u64) {
    assert!(found.iter().any(|d| d["location"]["file"] == file && d["location"]["line"] == line), "{file}:{line}: {found:?}");
}

#[test]
fn c_that_cannot_be_differentiated() {
    let folder = tempfile::tempdir().unwrap();
    let cases: &[(&str, &str, u64)] = &[
        // an unknown function with an active argument
        ("double g(double);\ndouble f(double x) {\n  return g(x);\n}\n", "f/(x)", 3),
        // a pointer to a pointer
        ("double f(double ***x, int n) {\n  double s = 0;\n  for (int i = 0; i < n; i++)\n    s += x[i][0][0];\n  return s;\n}\n", "f", 1),
        // the value goes through memory that is looked at in another way
        ("#include <string.h>\ndouble f(double x) {\n  double y;\n  memcpy(&y, &x, sizeof y);\n  return y;\n}\n", "f/(x)", 4),
        // reading an active variable
        ("#include <stdio.h>\ndouble f(double x) {\n  double y = x * x;\n  scanf(\"%lf\", &y);\n  return y * x;\n}\n", "f/(x)", 4),
        // a call through a pointer
        ("double f(double x, double (*g)(double)) {\n  return g(x);\n}\n", "f/(x)", 1),
    ];
    for (k, (text, head, line)) in cases.iter().enumerate() {
        let file = format!("case{k}.c");
        let found = refuse(folder.path(), &file, text, head);
        if k != 1 && k != 4 {
            points_at(&found, &file, *line);
        }
    }
}

/// What one unit sets in a COMMON block another one reads under other names, of other types or at other places: derivatives were zero.
#[test]
fn storage_under_other_names_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = |set: &str, read: &str, value: &str| {
        format!(
            "subroutine f(x, y)\n  real(8) :: x(4), y, g\n  call put(x)\n  y = g()*x(1)\n  call put(x)\nend subroutine\n\
             subroutine put(x)\n  real(8) :: x(4)\n  common /c/ {set}\n  q = x\nend subroutine\n\
             real(8) function g()\n  common /c/ {read}\n  g = {value}\nend function\n"
        )
    };
    let cases = [
        ("k, q\n  integer :: k(2)\n  real(8) :: q(4)", "i, a, b\n  integer :: i\n  real(8) :: a, b", "a*b"),
        ("q, n\n  integer :: n\n  real(8) :: q(4)", "m, n\n  integer :: n\n  real(4) :: m(2, 4)", "m(2, 2)*m(1, 1)"),
        ("q\n  real(8) :: q(4)", "p, q\n  real(8) :: p\n  complex(8) :: q", "p*real(q)"),
        // Values that count for the derivative and have none themselves.
        ("k, q\n  real(4) :: k\n  integer :: q(4)", "k, i\n  real(4) :: k(2)\n  integer :: i", "i"),
    ];
    for (k, (set, read, value)) in cases.iter().enumerate() {
        let text = text(set, read, value);
        let found = refuse(folder.path(), &format!("storage{k}.f90"), &text, "f(y)/(x)");
        assert!(found.iter().any(|d| d["code"] == "OB4023"), "{set}: {found:?}");
    }
}

#[test]
fn fortran_that_cannot_be_differentiated() {
    let folder = tempfile::tempdir().unwrap();
    let cases: &[(&str, &str, u64)] = &[
        ("subroutine f(x, y)\n  real(8) :: x, y\n  external g\n  call g(x, y)\nend subroutine\n", "f(y)/(x)", 4),
        ("subroutine f(x, y)\n  real(8) :: x, y\n  read *, y\n  y = y*x\n  read *, y\nend subroutine\n", "f(y)/(x)", 5),
        ("subroutine f(x, y)\n  real(8) :: x, y, a; real(4) :: b\n  equivalence (a, b)\n  a = x\n  y = b\nend subroutine\n", "f(y)/(x)", 3),
        (
            "subroutine f(x, y)\n  real(8), target :: x\n  real(8) :: y\n  real(8), pointer :: p\n  p => x\n  if (x > 1) nullify(p)\n  y = p*p\nend subroutine\n",
            "f(y)/(x)",
            4,
        ),
        // a unit that is left out, named by the head, and called
        (
            "subroutine f(x, y)\n  real(8) :: x, y\n  procedure(), pointer :: p\n  y = x\nend subroutine\nsubroutine g\nend subroutine\n",
            "f(y)/(x)",
            3,
        ),
        (
            "subroutine f(x, y)\n  real(8) :: x, y\n  call g(x, y)\nend subroutine\nsubroutine g(x, y)\n  real(8) :: x, y\n  procedure(), pointer :: p\n  y = x\nend subroutine\n",
            "f(y)/(x)",
            3,
        ),
        ("subroutine f(x, y)\n  real(8) :: x, y\n  include 'no_such.inc'\n  y = x\nend subroutine\n", "f(y)/(x)", 3),
        (
            "subroutine f(x, y)\n  real(8) :: x, y\n  complex(8) :: z\n  common /c/ z\n  z = x\n  y = abs(z)\nend subroutine\n",
            "f(y)/(x)",
            6,
        ),
        ("subroutine f(x, y)\n  real(8) :: x, y\n  y = transfer(x, y)\nend subroutine\n", "f(y)/(x)", 3),
    ];
    for (k, (text, head, line)) in cases.iter().enumerate() {
        let file = format!("case{k}.f90");
        let found = refuse(folder.path(), &file, text, head);
        if k != 3 {
            points_at(&found, &file, *line);
        }
    }
}

#[test]
fn scalars_are_no_operands_of_sums() {
    let folder = tempfile::tempdir().unwrap();
    let text = "subroutine f(x, a, y)\n  real(8), intent(in) :: x(4), a\n  real(8), intent(out) :: y\n  y = a*maxval(x)*sum(x) + dot_product(x, x)\nend subroutine\n";
    std::fs::write(folder.path().join("f.f90"), text).unwrap();
    let xaif = overbar_ok(folder.path(), &["frontend", "fortran", "f.f90"]);
    let is_operand = |l: &&str| l.contains("<xaif:SymbolReference") && l.contains("\"x\"");
    let lines: Vec<&str> = xaif.lines().collect();
    let operands: Vec<usize> = (0..lines.len()).filter(|&k| is_operand(&lines[k])).collect();
    assert_eq!(operands.len(), 4);
    for &k in &operands {
        for mode in ["-d", "-b"] {
            let changed: Vec<String> =
                lines.iter().enumerate().map(|(i, l)| if i == k { l.replace("\"x\"", "\"a\"") } else { (*l).to_owned() }).collect();
            let out = overbar_with_input(folder.path(), &["boost", mode, "--head", "f(y)/(x)"], changed.join("\n").as_bytes());
            assert_eq!(out.status.code(), Some(1));
            let errors = String::from_utf8_lossy(&out.stderr).into_owned();
            assert!(errors.contains("OB1051") && errors.contains("f.f90:4:3"), "{errors}");
        }
    }
}

#[test]
fn static_variables_that_keep_a_history() {
    let folder = tempfile::tempdir().unwrap();
    let called = |body: &str, call: &str| {
        format!(
            "subroutine part(k, x, y)\n  integer, intent(in) :: k\n  real(8) :: x, y\n{body}end subroutine\n\
             subroutine state(k)\n  integer :: k\n  integer, save :: last = 3\n  k = k + last\n  last = k\nend subroutine\n\
             subroutine f(n, x, y)\n  integer :: n, i, k\n  real(8) :: x(n), y\n  y = 1\n  do i = 1, n\n    k = i/2\n    {call}\n  end do\nend subroutine\n"
        )
    };
    let own = [
        "  integer, save :: last = 0\n  if (last == k) y = y*x\n  last = k\n  y = exp(-y*x)\n",
        "  integer, save :: turn = 0\n  if (turn == 0) then\n    turn = 1\n  else\n    turn = 0\n  end if\n  y = y*x + turn\n",
        "  real(8), save :: c = 1\n  if (k > 3) c = 2\n  y = y*x*c\n",
        "  integer, save :: a = 0, b = 1\n  integer :: c\n  c = a + b\n  a = b\n  b = c\n  y = y*x*c\n",
    ];
    for (k, body) in own.iter().enumerate() {
        let file = format!("own{k}.f90");
        let found = refuse(folder.path(), &file, &called(body, "call part(k, x(i), y)"), "f(y)/(x)");
        assert_eq!(found[0]["code"], "OB4038", "{body}");
        points_at(&found, &file, 4);
    }
    // A unit without derivatives may have a history where it is not run again.
    let text = called("  integer :: m\n  m = k\n  call state(m)\n  y = y*x*m\n", "call part(k, x(i), y)");
    let arguments = |reversal: &str| {
        std::fs::write(folder.path().join("below.f90"), &text).unwrap();
        let run = ["diff", "-b", "--reversal", reversal, "--head", "f(y)/(x)", "below.f90", "--message-format", "json"];
        overbar(folder.path(), &run)
    };
    let joint = arguments("joint");
    assert_eq!(joint.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&joint.stderr).contains("OB4068"));
    for reversal in ["split", "auto"] {
        assert_eq!(arguments(reversal).status.code(), Some(0), "{reversal}");
    }
}

#[test]
fn input_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let text = "subroutine g(x, y)\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  real(8) :: r\n  read (10, *) r\n  y = x*r\nend subroutine\n\
        subroutine f(n, x, y)\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(n)\n  real(8), intent(out) :: y\n  real(8) :: t\n  integer :: i\n  y = 0\n  \
        do i = 1, n\n    call g(x(i), t)\n    y = y + t*t\n  end do\nend subroutine\n";
    let found = {
        std::fs::write(folder.path().join("f.f90"), text).unwrap();
        let run = ["diff", "-b", "--reversal", "joint", "--head", "f(y)/(x)", "f.f90", "--message-format", "json"];
        overbar(folder.path(), &run)
    };
    assert_eq!(found.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&found.stderr).contains("OB4068"));
    common::overbar_ok(folder.path(), &["diff", "-b", "--head", "f(y)/(x)", "f.f90", "-o", "f_b.f90"]);
    common::runtime(folder.path());
    let main = "program main\n  implicit none\n  real(8) :: x(3), xb(3), y, yb\n  x = [1, 2, 3]\n  xb = 0\n  yb = 1\n  open (10, file='numbers')\n  \
        call f_b(3, x, xb, y, yb)\n  if (any(abs(xb - 2*x*[2d0, 3d0, 5d0]**2) > 1d-12)) stop 1\nend program\n";
    std::fs::write(folder.path().join("main.f90"), main).unwrap();
    std::fs::write(folder.path().join("numbers"), "2\n3\n5\n").unwrap();
    common::silently(folder.path(), "gfortran", &["overbar_runtime.f90", "f_b.f90", "main.f90", "-o", "main"]);
    common::silently(folder.path(), "./main", &[]);
}

#[test]
fn text_that_does_not_parse() {
    let folder = tempfile::tempdir().unwrap();
    let found = refuse(folder.path(), "bad.c", "double f(double x) {\n  double y = x * ;\n  return y;\n}\n", "f/(x)");
    points_at(&found, "bad.c", 2);
    let found = refuse(folder.path(), "bad.f90", "subroutine f(x, y)\n  real(8) :: x, y\n  y = x* * )2\nend subroutine\n", "f(y)/(x)");
    points_at(&found, "bad.f90", 3);
}

#[test]
fn a_variable_has_one_place() {
    let folder = tempfile::tempdir().unwrap();
    for list in ["/a/ e, e", "/a/ e, c\n  common /a/ e", "/a/ e\n  common /b/ e", "/a/ x", "// e, e"] {
        let text = format!("subroutine f(x, y)\n  real(8) :: x, y, e, c\n  common {list}\n  y = x*e*c\nend subroutine\n");
        let found = refuse(folder.path(), "a.f90", &text, "f(y)/(x)");
        assert_eq!(found[0]["code"], "OB3013", "{list}");
    }
}

#[test]
fn heads_that_do_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    let text = "subroutine f(x, y)\n  real(8) :: x, y\n  y = x*x\nend subroutine\n";
    let all = |found: &[serde_json::Value]| serde_json::to_string(found).unwrap();
    let found = refuse(folder.path(), "a.f90", text, "g(y)/(x)");
    assert!(all(&found).contains('f'), "the units there are: {found:?}");
    let found = refuse(folder.path(), "a.f90", text, "f(z)/(x)");
    assert!(all(&found).contains('x') && all(&found).contains('y'), "the arguments there are: {found:?}");
}

#[test]
fn wrong_command_lines_exit_with_2() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.f90"), "subroutine f(x, y)\n  real(8) :: x, y\n  y = x*x\nend subroutine\n").unwrap();
    for arguments in [
        &["diff", "a.f90"][..],
        &["diff", "a.f90", "-b", "--head", "f(y/(x)"],
        &["diff", "a.f90", "-b", "--no-such-option"],
        &["diff", "-b"],
        &["diff", "a.xyz", "-b"],
        &["no-such-command"],
    ] {
        let output = overbar(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let output = overbar(folder.path(), &["diff", "absent.f90", "-b"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn nothing_is_written_where_something_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.f90"), "subroutine f(x, y)\n  real(8) :: x, y\n  y = x*x\nend subroutine\n").unwrap();
    std::fs::write(at.join("out.f90"), "as it was").unwrap();
    let run = |more: &[&str]| {
        let output = overbar(at, &[&["diff", "a.f90", "-b", "--head", "f(y)/(x)", "-o", "out.f90"], more].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for more in [&["--stats", "no/a.json"][..], &["--facts", "no/a.json"], &["--header", "no/a.json"], &["--explain=no/a.json"]] {
        let (code, said) = run(more);
        assert!(code == Some(1) && said.contains("OB0103") && said.contains("cannot write no/a.json: No such file"), "{more:?}: {said}");
        assert!(!said.contains(".overbar-"), "{said}");
    }
    for more in [&["--header", "./out.f90"][..], &["--stats", "s.json", "--facts", "s.json"]] {
        let (code, said) = run(more);
        assert!(code == Some(2) && said.contains("OB0111"), "{more:?}: {said}");
    }
    assert_eq!(std::fs::read_to_string(at.join("out.f90")).unwrap(), "as it was");
    assert_eq!(std::fs::read_dir(at).unwrap().count(), 2);
}

#[test]
fn hostile_xml_is_refused_with_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    let wide = format!(
        "<x:CallGraph xmlns:x=\"http://www.mcs.anl.gov/XAIF\" {}/>",
        (0..100_000).map(|k| format!("a{k}=\"\" ")).collect::<String>()
    );
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;\">]><a>&c;</a>".to_owned();
    let open = "<x:CallGraph xmlns:x=\"http://www.mcs.anl.gov/XAIF\"><x:ScopeHierarchy>".to_owned();
    let other = "<CallGraph xmlns=\"urn:other\"/>".to_owned();
    for text in [deep, wide, bomb, open, other, String::new(), "no XML".to_owned(), "\u{0}".to_owned()] {
        for command in [&["boost", "-b"][..], &["validate", "-"], &["backend", "c"], &["validate", "--schema-only", "-"]] {
            let output = overbar_with_input(folder.path(), command, text.as_bytes());
            let errors = String::from_utf8_lossy(&output.stderr);
            let start = text.chars().take(30).collect::<String>();
            assert_eq!(output.status.code(), Some(1), "{command:?} {start}: {errors}");
            assert!(errors.contains("OB1") && errors.contains("<stdin>"), "{command:?} {start}: {errors}");
        }
    }
}

#[test]
fn an_array_with_a_derivative_that_a_call_allocates() {
    let folder = tempfile::tempdir().unwrap();
    let text = |value: &str| {
        format!(
            "module m\ncontains\nsubroutine init(w, n, x)\n  real(8), allocatable, intent(out) :: w(:)\n  integer, intent(in) :: n\n  \
             real(8), intent(in) :: x(n)\n  allocate(w(n))\n  w = {value}\nend subroutine\nsubroutine f(n, x, y)\n  integer, intent(in) :: n\n  \
             real(8), intent(in) :: x(n)\n  real(8), intent(out) :: y\n  real(8), allocatable :: w(:)\n  call init(w, n, x)\n  w(1) = x(1)*x(2)\n  \
             y = sum(w)\nend subroutine\nend module\n"
        )
    };
    for value in ["0", "x*x"] {
        let found = refuse(folder.path(), "a.f90", &text(value), "f(y)/(x)");
        points_at(&found, "a.f90", 15);
        assert!(found.iter().any(|d| d["code"] == "OB4037"), "{found:?}");
    }
}

/// The tangent of a head starts with zero derivatives of the globals that it does not name; a caller has others.
#[test]
fn a_head_that_another_head_calls_and_a_global_that_it_does_not_name() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "static double g;\nvoid f(double x, double *y) { *y = x * g; }\nvoid h(double x, double *y) { g = x * x; f(x, y); *y += g; }\n";
    std::fs::write(folder.path().join("a.c"), text).unwrap();
    let ask = |mode: &str, first: &str| {
        common::overbar(
            folder.path(),
            &["diff", "a.c", mode, "--head", first, "--head", "h(y)/(x)", "--inline", "never", "--message-format", "json"],
        )
    };
    for mode in ["-d", "-b"] {
        let refused = ask(mode, "f(y)/(x)");
        assert_eq!(refused.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("OB4025"), "{}", String::from_utf8_lossy(&refused.stderr));
        assert!(refused.stdout.is_empty());
        assert!(ask(mode, "f(y)/(x,g)").status.success());
    }
}

/// The codes of what is found.
fn codes(found: &[serde_json::Value]) -> Vec<&str> {
    found.iter().filter_map(|d| d["code"].as_str()).collect()
}

#[test]
fn rows_of_c_that_do_not_stay_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let swap = "double f(double **a) {\n  double *t = a[0];\n  a[0] = a[1];\n  a[1] = t;\n  return a[0][0];\n}\n";
    let later = format!(
        "double f(double **a);\ndouble g(double **w, double x) {{\n  double *r = w[0], s = f(w);\n  return s * x * r[0];\n}}\n{swap}"
    );
    let local = |text: &str| format!("#include <stdlib.h>\ndouble f(int n, double x) {{\n{text}  return a[0][0] * x;\n}}\n");
    let ragged = local("  double **a = malloc(n * sizeof *a);\n  for (int i = 0; i < n; i++)\n    a[i] = malloc((i + 1) * sizeof **a);\n");
    let again = local(
        "  double **a = malloc(n * sizeof *a);\n  for (int k = 0; k < 2; k++)\n    for (int i = 0; i < n; i++)\n      a[i] = malloc(n * sizeof **a);\n",
    );
    let cases = [
        (swap, "f/(a)", "OB2011", 3),
        (&later, "g/(x)", "OB2011", 3),
        ("double g(double **a);\ndouble f(double **a) {\n  double s = g(a);\n  return s * a[0][0];\n}\n", "f/(a)", "OB2011", 3),
        ("static double g(double **a) { return **a; }\ndouble f(double **a) {\n  return g(a + 1);\n}\n", "f/(a)", "OB2011", 3),
        ("double f(double **a) {\n  if (a[1])\n    return a[1][0];\n  return a[0][0];\n}\n", "f/(a)", "OB2013", 2),
        ("double f(double **a) {\n  double *p = (double *)a;\n  return p[0];\n}\n", "f/(a)", "OB2012", 2),
        ("double f(double **a) {\n  a[1]++;\n  return a[1][0];\n}\n", "f/(a)", "OB2011", 2),
        (&ragged, "f/(x)", "OB2014", 4),
        (&again, "f/(x)", "OB2014", 5),
        (
            "double *first(double *a, double *b) {\n  return a ? a : b;\n}\ndouble f(double *a, double *b) {\n  return *first(a, b);\n}\n",
            "f/(a)",
            "OB2010",
            5,
        ),
    ];
    for (k, (text, head, code, line)) in cases.iter().enumerate() {
        let file = format!("rows{k}.c");
        let found = refuse(folder.path(), &file, text, head);
        assert!(codes(&found).contains(code), "{file}: {found:?}");
        points_at(&found, &file, *line);
    }
}

#[test]
fn pointers_of_c_that_leave_their_row() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("double f(int n, double x[3][n]) {\n  double *p = x[1];\n  return p[0] * p[n];\n}\n", 3),
        ("double f(int i, double x[3][4]) {\n  double *p = x[i];\n  return p[0] * p[5];\n}\n", 3),
        (
            "double f(int i, int n, double x[n][n]) {\n  double *p = x[i], s = 0;\n  for (int k = 0; k < 2; k++) {\n    s += *p;\n    p += n;\n  }\n  return s;\n}\n",
            5,
        ),
    ];
    for (k, (text, line)) in cases.iter().enumerate() {
        let file = format!("row{k}.c");
        let found = refuse(folder.path(), &file, text, "f/(x)");
        assert!(codes(&found).contains(&"OB2013"), "{found:?}");
        points_at(&found, &file, *line);
    }
}

#[test]
fn the_first_reason_is_the_one_that_is_told() {
    let folder = tempfile::tempdir().unwrap();
    // The declaration is refused; what uses it is no further problem.
    let late = "double f(int n, const double *x) {\n  double s = 0;\n  for (int i = 1; i <= n; i++) {\n    double t[2][i];\n    t[0][0] = x[0];\n    s += t[0][0];\n  }\n  return s;\n}\n";
    let found = refuse(folder.path(), "late.c", late, "f/(x)");
    assert!(codes(&found).contains(&"OB2022") && !codes(&found).contains(&"OB2006"), "{found:?}");
    // A directive in a function that is left out.
    let told = "static double g(double *s) {\n  *s = *s * 2.0;\n  return *s;\n}\nvoid f(int m, double *s, double *y) {\n#pragma overbar checkpoint 2\n  for (int t = 0; t < m; t++)\n    *y = *y + g(s) * *s;\n}\n";
    let found = refuse(folder.path(), "told.c", told, "f(y)/(s)");
    assert!(codes(&found).contains(&"OB2030") && !codes(&found).contains(&"OB1072"), "{found:?}");
    // A function without a text may change what other files see.
    let outside = "extern double cfl;\ndouble flux(double u);\ndouble f(double u) {\n  return cfl * flux(u);\n}\n";
    let found = refuse(folder.path(), "outside.c", outside, "f/(u)");
    assert!(found.iter().any(|d| d["code"] == "OB2030" && d["reason"].as_str().is_some_and(|r| r.contains("text"))), "{found:?}");
    // Calls that count and read.
    let read = "static int n;\nstatic double g(double x) {\n  n++;\n  return x * x;\n}\ndouble f(double x) {\n  return g(x) * n;\n}\n";
    assert!(codes(&refuse(folder.path(), "read.c", read, "f/(x)")).contains(&"OB2030"));
    let again =
        "static double g(double *p) {\n  return *p /= 2;\n}\ndouble f(double x) {\n  double w = x;\n  w += g(&w);\n  return w;\n}\n";
    assert!(codes(&refuse(folder.path(), "again.c", again, "f/(x)")).contains(&"OB2030"));
}

#[test]
fn files_that_do_not_go_together() {
    let folder = tempfile::tempdir().unwrap();
    let half = |factor: &str, more: &str| format!("static double half(double x) {{ return {factor} * x; }}\ndouble g(double x);\n{more}\n");
    std::fs::write(folder.path().join("a.c"), half("0.5", "double f(double x) { return half(x) * g(x); }")).unwrap();
    std::fs::write(folder.path().join("b.c"), half("0.25 * x", "double g(double x) { return half(x); }")).unwrap();
    std::fs::write(folder.path().join("c.c"), "static double half;\ndouble g(double x);\ndouble g(double x) { return half * x; }\n")
        .unwrap();
    for (files, line) in [(["a.c", "b.c"], Some(1)), (["a.c", "c.c"], Some(1)), (["a.c", "a.c"], None)] {
        let output =
            overbar(folder.path(), &["--message-format", "json", "diff", files[0], files[1], "-b", "--head", "f/(x)", "-o", "out.c"]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{files:?}: {errors}");
        let said = errors.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
        let first = said.into_iter().find(|d| d["severity"] == "error").unwrap();
        assert_eq!(first["code"], if line.is_some() { "OB2009" } else { "OB2006" }, "{errors}");
        assert!(first["help"].is_string());
        assert!(line.is_none_or(|l| first["location"]["line"] == l && first["location"]["file"] == files[1]), "{errors}");
    }
}

/// The array of zeros for the derivative of an argument that may be absent is there only with it.
#[test]
fn an_absent_argument_without_derivative() {
    let folder = tempfile::tempdir().unwrap();
    // With an internal procedure it has one derivative for all calls.
    let text = "module m\ncontains\nsubroutine g(a, s)\n  real(8), intent(inout) :: a\n  real(8), intent(in), optional :: s(:)\n  \
                if (present(s)) call times(sum(s))\ncontains\n  subroutine times(c)\n    real(8), intent(in) :: c\n    a = a*c\n  \
                end subroutine\nend subroutine\nsubroutine h(a, v, s)\n  real(8), intent(inout) :: a\n  \
                real(8), intent(in) :: v(:)\n  real(8), intent(in), optional :: s(:)\n  call g(a, v)\n  call g(a, s)\nend subroutine\n\
                subroutine f(x, y)\n  real(8), intent(in) :: x(3)\n  real(8), intent(out) :: y\n  real(8) :: c(3)\n  c = 2\n  y = 1\n  \
                call h(y, x)\n  call h(y, x, c)\nend subroutine\nend module\n";
    std::fs::write(folder.path().join("a.f90"), text).unwrap();
    let text = common::overbar_ok(folder.path(), &["diff", "a.f90", "-d", "--head", "f(y)/(x)"]);
    assert!(text.contains("if (present(s)) then") && text.contains("allocate (sd"), "{text}");
    let text = common::overbar_ok(folder.path(), &["diff", "a.f90", "-b", "--head", "f(y)/(x)"]);
    assert!(text.contains("if (present(s)) then") && text.contains("allocate (sb"), "{text}");
}

/// What messages say of Fortran that is refused.
#[test]
fn fortran_messages_name_what_they_mean() {
    let folder = tempfile::tempdir().unwrap();
    let forall = "subroutine f(x, y)\n  real(8), intent(in) :: x(4)\n  real(8), intent(out) :: y(4)\n  integer :: i\n  y = x\n  \
                  forall (i = 1:4, y(i) > 0.5d0) y(i) = y(i)*x(i)\nend subroutine\n";
    let found = refuse(folder.path(), "forall.f90", forall, "f(y)/(x)");
    assert!(found.iter().any(|d| d["message"].as_str().is_some_and(|m| m.ends_with("writes y, which has a derivative"))), "{found:?}");
    let stars = "      subroutine f(x, y)\n      real*8 x, y\n      call g(x, y, *10)\n   10 continue\n      end\n      \
                 subroutine g(x, y, *)\n      real*8 x, y\n      y = x\n      if (y .gt. 1) return 1\n      end\n";
    let found = refuse(folder.path(), "stars.f", stars, "f(y)/(x)");
    assert!(found.iter().all(|d| d["code"] == "OB3025"), "{found:?}");
    let module = "module s\n  real(8), allocatable :: u(:), v(:)\ncontains\nsubroutine step\n  v(:) = u**2\n  u = v\nend subroutine\n\
                  subroutine f(x, y)\n  real(8), intent(in) :: x(3)\n  real(8), intent(out) :: y\n  allocate(u(3), v(3))\n  u = x\n  call step\n  \
                  y = sum(u)\n  deallocate(u, v)\nend subroutine\nend module\n";
    let found = refuse(folder.path(), "module.f90", module, "f(y)/(x)");
    assert!(found.iter().any(|d| d["help"].as_str().is_some_and(|h| h.contains("u(:) = ..."))), "{found:?}");
}

/// A module stands before what uses it, in whatever order files are given.
#[test]
fn files_are_ordered_by_their_modules() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.f90", "module a\ncontains\nreal(8) function g(x)\n  real(8), intent(in) :: x\n  g = x*x\nend function\nend module\n");
    write(
        "b.f90",
        "module b\n  use a\ncontains\nsubroutine f(x, y)\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  y = g(x)\nend subroutine\nend module\n",
    );
    let made = |files: [&str; 2]| common::overbar_ok(folder.path(), &["diff", files[0], files[1], "-d", "--head", "f(y)/(x)"]);
    let text = made(["b.f90", "a.f90"]);
    assert!(text.find("end module").is_some_and(|end| text.find("module b").is_some_and(|b| end < b)), "{text}");
    assert_eq!(
        text.lines().skip_while(|l| *l != "module a").count(),
        made(["a.f90", "b.f90"]).lines().skip_while(|l| *l != "module a").count()
    );
}

/// Comments in Latin-1 come back byte for byte, by way of a document as well; UTF-16 is refused.
#[test]
fn sources_need_not_be_utf8() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let source = b"subroutine f(x, y) ! \xfcber\n  real, intent(in) :: x\n  real, intent(out) :: y\n  y = x*x ! Gr\xf6\xdfe\nend\n";
    std::fs::write(dir.join("f.f90"), source).unwrap();
    common::overbar_ok(dir, &["diff", "f.f90", "-b", "--head", "f(y)/(x)", "-o", "g.f90"]);
    let made = std::fs::read(dir.join("g.f90")).unwrap();
    assert!(made.starts_with(&source[..source.len() - 4]), "{}", String::from_utf8_lossy(&made));
    common::overbar_ok(dir, &["frontend", "fortran", "f.f90", "-o", "f.xaif"]);
    common::overbar_ok(dir, &["boost", "-b", "--head", "f(y)/(x)", "f.xaif", "-o", "b.xaif"]);
    common::overbar_ok(dir, &["backend", "fortran", "b.xaif", "-o", "piped.f90"]);
    assert_eq!(std::fs::read(dir.join("piped.f90")).unwrap(), made);
    std::fs::write(dir.join("w.f90"), b"\xff\xfes\0u\0b\0").unwrap();
    let output = common::overbar(dir, &["diff", "w.f90", "-b", "--head", "f(y)/(x)"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("OB0102"));
}

/// A protected variable that a call changes is to be brought back around its adjoint, which code outside of the module may not; one that is only read may be read.
#[test]
fn protected_variables_may_be_read_and_not_brought_back() {
    let folder = tempfile::tempdir().unwrap();
    let text = |call: &str| {
        format!(
            "module m\n  implicit none\n  real(8), public, protected :: w = 0.5d0\ncontains\n  subroutine grow(x)\n    real(8), intent(inout) :: x\n    x = x*w\n    w = w + 1\n  \
             end subroutine\nend module\nsubroutine f(x, y)\n  use m\n  implicit none\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  real(8) :: t\n  \
             t = x*w\n  {call}\n  y = t*t*w\nend subroutine\n"
        )
    };
    let found = refuse(folder.path(), "grown.f90", &text("call grow(t)"), "f(y)/(x)");
    assert!(found.iter().any(|d| d["code"] == "OB5063"), "{found:?}");
    std::fs::write(folder.path().join("read.f90"), text("t = t + x")).unwrap();
    overbar_ok(folder.path(), &["diff", "read.f90", "-b", "--head", "f(y)/(x)", "-o", "read_b.f90"]);
}
