//! What C texts bring along besides statements: pragmas of others, several files, macros, declarators of every kind, functions that nothing declares.

use crate::common;

use common::{STRICT_C, overbar, overbar_ok, runtime, silently};
use std::path::Path;

/// A program in pieces: pragmas may stand between any two of them.
const PIECES: &str = "double f(int n, int k, const double *x, double *y) {|  double s = 0.0, p = 1.0;|  y[0] = 3.0 * x[0];|  y[1] = x[0] * x[1];|\
                      \x20 for (int i = 0; i < n; i++) {|    double t = x[i] * x[i];|    s += t;|    p *= 1.0 + 0.1 * t;|\
                      \x20   if (t > 0.3) {|      s += p;|      y[1] += s * t;|    } else {|      s -= t;|    }|    y[0] += t * p;|  }|\
                      \x20 switch (k) {|  case 0:|    s *= p;|    y[0] = y[0] * s;|    break;|  default:|    s += y[1];|    y[1] = s * s;|  }|\
                      \x20 y[0] += s;|  return s * y[1] + p;|}|";

fn joined(before: &[usize], pragma: &str) -> String {
    let mut text = String::new();
    for (k, piece) in PIECES.split_terminator('|').enumerate() {
        if before.contains(&k) {
            text.push_str(pragma);
        }
        text.push_str(piece);
        text.push('\n');
    }
    text
}

fn derived(at: &Path, text: &str, options: &[&str]) -> String {
    std::fs::write(at.join("f.c"), text).unwrap();
    let all = [&["diff", "f.c", "--head", "f(f,y)/(x)"], options].concat();
    let out = overbar_ok(at, &all);
    out.lines().filter(|l| !l.starts_with("#pragma") && !l.contains("Request ")).map(|l| format!("{l}\n")).collect()
}

/// Wherever a pragma stands, the derivative is the one of the program without it.
#[test]
fn pragmas_change_no_derivative() {
    let at = tempfile::tempdir().unwrap();
    let places = PIECES.split_terminator('|').count();
    let all: Vec<usize> = (1..places).collect();
    for options in [
        &["-d"][..],
        &["-d", "--vector"],
        &["-b"],
        &["-d", "-b", "--preaccumulate", "always"],
        &["-d", "--preaccumulate", "never"],
        &["-b", "--vector", "--preaccumulate", "never"],
    ] {
        let plain = derived(at.path(), &joined(&[], ""), options);
        assert!(plain.contains("yd") || plain.contains("yb"));
        assert_eq!(derived(at.path(), &joined(&all, "#pragma scop\n"), options), plain, "{options:?}");
    }
    let plain = derived(at.path(), &joined(&[], ""), &["-d"]);
    for place in 1..places {
        // Where a declaration begins a block, where a case begins, before a brace that ends: each alone, and two in a row.
        let pragma = if place % 2 == 0 { "#pragma omp flush\n" } else { "#pragma endscop\n#pragma ivdep\n" };
        assert_eq!(derived(at.path(), &joined(&[place], pragma), &["-d"]), plain, "before piece {place}");
    }
}

/// A Fortran directive between two assignments, and the derivatives of what stands behind.
#[test]
fn directives_change_no_derivative() {
    let at = tempfile::tempdir().unwrap();
    let text = |d: &str| {
        format!(
            "subroutine g(n, x, y)\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(n)\n  real(8), intent(out) :: y(2)\n  integer :: i\n\
             {d}  y(1) = 3*x(1)\n{d}  y(2) = x(1)*x(2)\n  do i = 1, n\n{d}    y(1) = y(1) + x(i)*x(i)\n{d}    y(2) = y(2)*x(i)\n  end do\nend subroutine\n"
        )
    };
    for options in [&["-d"][..], &["-d", "--vector"], &["-b"]] {
        let made = |text: &str| {
            std::fs::write(at.path().join("g.f90"), text).unwrap();
            let out = overbar_ok(at.path(), &[&["diff", "g.f90", "--head", "g(y)/(x)"], options].concat());
            out.lines()
                .filter(|l| !["dir$", "$omp", "Request "].iter().any(|w| l.contains(w)))
                .map(|l| format!("{l}\n"))
                .collect::<String>()
        };
        let plain = made(&text(""));
        assert_eq!(made(&text("  !dir$ noinline\n")), plain, "{options:?}");
        assert_eq!(made(&text("  !$omp flush\n")), plain, "{options:?}");
    }
}

/// A sum that OpenMP guards: value 2 at x = (1, 1), slope 2 for each.
#[test]
fn a_guarded_sum_keeps_its_slope() {
    let at = tempfile::tempdir().unwrap();
    let text = "double f(int n, const double *x) {\n  double sum = 0.0;\n#pragma omp parallel for\n  for (int i = 0; i < n; i++) {\n    double q = x[i] * x[i];\n\
                #pragma omp atomic\n    sum += q;\n  }\n#pragma omp atomic\n  sum += 0.0;\n  return sum;\n}\n";
    std::fs::write(at.path().join("f.c"), text).unwrap();
    let o = overbar(at.path(), &["diff", "f.c", "-d", "--head", "f/(x)", "-o", "d.c"]);
    let said = String::from_utf8_lossy(&o.stderr).into_owned();
    // Once for each kind.
    assert_eq!((said.matches("OB4110").count(), said.matches("omp atomic").count() > 0), (2, true), "{said}");
    let main = "#include <stdio.h>\nint main(void) { double x[2] = {1.0, 1.0}, d[2] = {1.0, 0.5}, s; double v = f_d(2, x, d, &s); printf(\"%g %g\", v, s); return 0; }\n";
    let out = std::fs::read_to_string(at.path().join("d.c")).unwrap();
    std::fs::write(at.path().join("all.c"), format!("{out}{main}")).unwrap();
    silently(at.path(), "gcc", &["-w", "all.c", "-o", "all", "-lm"]);
    let got = silently(at.path(), at.path().join("all").to_str().unwrap(), &[]);
    assert!(got == "2 3" || got == "3 2", "{got}\n{out}");
    std::fs::write(at.path().join("inputs.json"), r#"{"args":{"n":2,"x":[1,1]}}"#).unwrap();
    overbar_ok(at.path(), &["verify", "f.c", "--head", "f/(x)"]);
}

fn errors(at: &Path, files: &[(&str, &str)], arguments: &[&str]) -> String {
    for (name, text) in files {
        std::fs::write(at.join(name), text).unwrap();
    }
    let o = overbar(at, arguments);
    assert!(matches!(o.status.code(), Some(1 | 2)), "{arguments:?}: {}", String::from_utf8_lossy(&o.stdout));
    String::from_utf8_lossy(&o.stderr).into_owned()
}

/// Macros, headers and prototypes of one file that would change another one's meaning: no text holds both.
#[test]
fn files_that_read_differently_together_are_refused() {
    let at = tempfile::tempdir().unwrap();
    let command = ["diff", "a.c", "b.c", "-b", "--head", "f/(x)", "-o", "out.c"];
    let a = "#define SHIFT 0.25\ndouble g(double x);\ndouble f(double x) { return (x - SHIFT) * g(x); }\n";
    let b = "#ifndef SHIFT\n#define SHIFT 0.5\n#endif\ndouble g(double x) { return SHIFT * x; }\n";
    let said = errors(at.path(), &[("a.c", a), ("b.c", b)], &command);
    assert!(said.contains("OB2009") && said.contains("b.c:4:") && said.contains("SHIFT"), "{said}");
    assert!(!at.path().join("out.c").exists());
    let a = "#include \"plain.h\"\ndouble g(double x);\ndouble f(double x) { return x * g(x); }\n";
    let b = "#include \"plain.h\"\ndouble g(double x) { return x * x; }\n";
    let plan = "typedef struct { int count; } plan;\n";
    for (name, text) in [("a.c", a), ("b.c", b)] {
        std::fs::write(at.path().join(name), text).unwrap();
    }
    // Without a guard, with one, and with nothing but declarations: each is read once.
    for header in [plan, &format!("#ifndef P\n#define P\n{plan}#endif\n"), "double g(double x);\nextern int level;\n"] {
        std::fs::write(at.path().join("plain.h"), header).unwrap();
        overbar_ok(at.path(), &command);
        runtime(at.path());
        silently(at.path(), "gcc", &[&STRICT_C[..], &["-Wno-redundant-decls", "-c", "out.c"]].concat());
    }
    // A header that reads differently.
    let header = "#ifndef Q\n#define Q\nstatic const double unit = UNIT;\n#endif\n";
    let a = "#define UNIT 2.0\n#include \"unit.h\"\ndouble g(double x);\ndouble f(double x) { return unit * g(x); }\n#undef UNIT\n";
    let b = "#define UNIT 3.0\n#include \"unit.h\"\ndouble g(double x) { return unit * x; }\n";
    let said = errors(at.path(), &[("unit.h", header), ("a.c", a), ("b.c", b)], &command);
    assert!(said.contains("OB2009") && said.contains("unit.h"), "{said}");
    let a = "typedef int kind;\ndouble g(double);\ndouble f(double x) {\n  kind k = 1;\n  return g(x) * k;\n}\n";
    let b = "typedef long kind;\ndouble g(double x) {\n  kind k = 2;\n  return x * k;\n}\n";
    let said = errors(at.path(), &[("a.c", a), ("b.c", b)], &command);
    assert!(said.contains("OB2009") && said.contains("b.c:1:"), "{said}");
}

/// Two translation units with macros, static names and prototypes that do not go together: f = (x - 1/4) (x w1 + w0) with w = (1, 2) and g's own scale 1/2, so
/// f(3) = 11/4 * 7/2 and f'(3) = 7/2 + 11/4.
#[test]
fn files_stay_translation_units_of_their_own() {
    let at = tempfile::tempdir().unwrap();
    let command = ["a.c", "b.c", "-b", "-d", "--head", "f/(x)", "--inline", "never"];
    let a = "#define SHIFT 0.25\ndouble g(double, void *);\nextern double MISSING;\nvoid absent(const char *what);\nstatic double w[2] = {1.0, 2.0};\n\
             static double scaled(double x) { return x - SHIFT; }\ndouble f(double x) {\n  if (x > 1e3 + MISSING)\n    absent(\"x\");\n  return scaled(x) * g(x, w);\n}\n";
    let b = "#ifndef SHIFT\n#define SHIFT 0.5\n#endif\nextern double NAN;\nint isnan(double x);\nstatic const double w[1] = {1.0};\n\
             static double scaled(double x) { return SHIFT * x; }\ndouble g(double x, double c[]) { return (scaled(x) * c[1] + SHIFT * c[0]) * w[0]; }\n";
    for (name, text) in [("a.c", a), ("b.c", b)] {
        std::fs::write(at.path().join(name), text).unwrap();
    }
    let said = errors(at.path(), &[], &[&["diff"], &command[..], &["-o", "out.c"]].concat());
    assert!(said.contains("OB2009") && said.contains("-O FOLDER"), "{said}");
    let verified = overbar_ok(at.path(), &[&["verify"], &command[..2], &command[4..]].concat());
    assert!(verified.contains("interpreter and compiled"), "{verified}");
    overbar_ok(at.path(), &[&["diff"], &command[..], &["-O", "certified", "--certificate", "both"]].concat());
    overbar_ok(at.path(), &[&["diff"], &command[..], &["-O", "out"]].concat());
    let made = |name: &str| std::fs::read_to_string(at.path().join("out").join(name)).unwrap();
    assert!(made("a.c").contains("scaled_b") && made("b.c").contains("scaled_b"));
    // The pipe makes the same.
    overbar_ok(at.path(), &["frontend", "c", "a.c", "b.c", "--head", "f/(x)", "-o", "f.xaif"]);
    overbar_ok(at.path(), &["boost", "f.xaif", "-b", "-d", "--inline", "never", "-o", "g.xaif"]);
    overbar_ok(at.path(), &["backend", "c", "g.xaif", "-O", "piped"]);
    for name in ["a.c", "b.c"] {
        assert_eq!(made(name), std::fs::read_to_string(at.path().join("piped").join(name)).unwrap());
    }
    let main = "#include <stdio.h>\ndouble f_d(double x, double x_d, double *f_d);\nvoid f_b(double x, double *x_b, double f_b);\nvoid absent(const char *what);\n\
                double MISSING;\nvoid absent(const char *what) { (void)what; }\n\
                int main(void) { double d, b = 0.0, v = f_d(3.0, 1.0, &d); f_b(3.0, &b, 1.0); printf(\"%g %g %g %g\", v, d, d, b); return 0; }\n";
    let main = main.replace("%g %g %g %g", "%g %g").replace("v, d, d, b", "v + d, b");
    std::fs::write(at.path().join("out/main.c"), main).unwrap();
    runtime(&at.path().join("out"));
    let strict = [&STRICT_C[..], &["a.c", "b.c", "main.c", "-o", "all", "-lm"]].concat();
    silently(&at.path().join("out"), "gcc", &strict);
    let got = silently(&at.path().join("out"), at.path().join("out/all").to_str().unwrap(), &[]);
    // Either order of value and slope.
    assert_eq!(got, format!("{} {}", 2.75 * 3.5 + 6.25, 6.25));
    // Beside the original static functions are out of reach; without them there is a file for each.
    let said = errors(at.path(), &[], &[&["diff"], &command[..], &["-O", "beside", "--no-primal"]].concat());
    assert!(said.contains("OB5107"), "{said}");
    let a = "double g(double, void *);\ndouble w[2] = {1.0, 2.0};\ndouble f(double x) { return x * g(x, w); }\n";
    let b = "double g(double x, double c[]) { return x * c[1] + c[0]; }\n";
    for (name, text) in [("a.c", a), ("b.c", b)] {
        std::fs::write(at.path().join(name), text).unwrap();
    }
    overbar_ok(at.path(), &[&["diff"], &command[..], &["-O", "beside", "--no-primal"]].concat());
    runtime(&at.path().join("beside"));
    for name in ["a.c", "b.c"] {
        silently(&at.path().join("beside"), "gcc", &["-c", name, "-o", "beside.o"]);
    }
}

/// What is called back by functions without a text, and pointers that may point to anything: refused at their place. Else what is called is told apart, and derivative
/// code stops where it was not made for a function.
#[test]
fn pointers_to_functions_that_nobody_knows_are_refused() {
    let at = tempfile::tempdir().unwrap();
    let called_back = "static double sum;\nstatic void add(double x) { sum += x; }\nvoid each(double a, void (*f)(double));\n\
                       double f(double x) {\n  sum = x;\n  each(1.0, add);\n  return sum * x;\n}\n";
    let member = "struct task {\n  double (*run)(double);\n};\nstatic double k;\nstatic double twice(double x) { k *= 2.0; return k * x; }\n\
                  int work(const struct task *t);\ndouble f(double x) {\n  struct task t;\n  t.run = twice;\n  k = x;\n  work(&t);\n  return k;\n}\n";
    let unknown =
        "double (*lookup(const char *name))(double);\ndouble f(double x) {\n  double (*g)(double) = lookup(\"g\");\n  return g(x);\n}\n";
    let kept = "double (*hook)(double);\nstatic double k;\nstatic double twice(double x) { k *= 2.0; return k * x; }\nvoid work(void);\n\
                double f(double x) {\n  k = x;\n  hook = twice;\n  work();\n  return k;\n}\n";
    let cases =
        [(called_back, "OB2050", "f.c:6:"), (member, "OB2050", "f.c:11:"), (unknown, "OB2050", "f.c:4:"), (kept, "OB4002", "f.c:8:")];
    for (text, code, place) in cases {
        let said = errors(at.path(), &[("f.c", text)], &["diff", "f.c", "-b", "--head", "f/(x)", "-o", "out.c"]);
        assert!(said.contains(code) && said.contains(place), "{said}");
        assert!(!at.path().join("out.c").exists());
    }
    let text = "static double sq(double x) { return x * x; }\ndouble apply(double (*g)(double), double x) { return g(x); }\n\
                double f(double x) { return apply(sq, x); }\n";
    std::fs::write(at.path().join("f.c"), text).unwrap();
    overbar_ok(at.path(), &["diff", "f.c", "-b", "--head", "apply/(x)", "-o", "out.c"]);
    let out = std::fs::read_to_string(at.path().join("out.c")).unwrap();
    let main = "#include <stdio.h>\n#include <string.h>\nstatic double other(double x) { return x; }\nint main(int argc, char **argv) {\n  double b = 0.0;\n  (void)argv;\n\
                \x20 apply_b(argc > 1 ? other : sq, 3.0, &b, 1.0);\n  printf(\"%g\", b);\n  return 0;\n}\n";
    std::fs::write(at.path().join("all.c"), format!("{out}{main}")).unwrap();
    runtime(at.path());
    silently(at.path(), "gcc", &["-w", "all.c", "-o", "all", "-lm"]);
    let run = |arguments: &[&str]| std::process::Command::new(at.path().join("all")).args(arguments).output().unwrap();
    assert_eq!(String::from_utf8(run(&[]).stdout).unwrap(), "6");
    assert!(!run(&["other"]).status.success());
}

/// Parameters that only their text can tell are declared as the user wrote them, and pointers that are only handed on may be compared with null.
#[test]
fn parameters_are_declared_as_they_were_written() {
    let at = tempfile::tempdir().unwrap();
    let text = "#define unused __attribute__((unused))\nstruct net { int k; };\ntypedef struct net *handle;\nstruct cache;\n\
                double f(const struct net *first unused, struct net second[], handle third, double (*act)(double),\n\
                \x20        const struct net *const fourth, struct cache *c, double a) {\n\
                \x20 double s = 1.0;\n  (void)second;\n  (void)third;\n  (void)act;\n  (void)fourth;\n\
                \x20 if (c != 0)\n    s = 2.0;\n  if (!c)\n    s += 0.5;\n  return s / (1.0 + a * a);\n}\n";
    std::fs::write(at.path().join("f.c"), text).unwrap();
    overbar_ok(at.path(), &["diff", "f.c", "-d", "-b", "--head", "f/(a)", "-o", "out.c"]);
    let out = std::fs::read_to_string(at.path().join("out.c")).unwrap();
    runtime(at.path());
    silently(at.path(), "gcc", &[&STRICT_C[..], &["-c", "out.c"]].concat());
    // d/da of s/(1 + a^2) at a = 1: -s/2.
    let main = "#include <stdio.h>\nint main(void) {\n  int some = 0;\n  double b = 0.0, d, v;\n  f_b(0, 0, 0, 0, 0, 0, 1.0, &b, 1.0);\n\
                \x20 d = f_d(0, 0, 0, 0, 0, (struct cache *)&some, 1.0, 1.0, &v);\n  printf(\"%g %g\", b, d);\n  return 0;\n}\n";
    std::fs::write(at.path().join("all.c"), format!("{out}{main}")).unwrap();
    silently(at.path(), "gcc", &["-w", "all.c", "-o", "all", "-lm"]);
    assert_eq!(silently(at.path(), at.path().join("all").to_str().unwrap(), &[]), "-0.75 -1", "{out}");
}

/// What the output includes does not meet macros of the user's.
#[test]
fn headers_stand_before_macros_of_the_user() {
    let at = tempfile::tempdir().unwrap();
    let util =
        "#ifndef UTIL\n#define UTIL\n#include <math.h>\n#define abs(x) ((x) >= 0 ? (x) : -(x))\n#define free(p) nothing(p)\n#endif\n";
    let text = "#define _GNU_SOURCE\n#include \"util.h\"\ndouble f(int n, const double *x) {\n  double s = 1.0;\n\
                \x20 for (int i = 0; i < n; i++)\n    s = s * sin(abs(x[i]) * s);\n  return s;\n}\n";
    std::fs::write(at.path().join("util.h"), util.replace("#define free(p) nothing(p)\n", "")).unwrap();
    std::fs::write(at.path().join("f.c"), text).unwrap();
    let own = text.replace("#include \"util.h\"", "#include <math.h>\n#define abs(x) ((x) >= 0 ? (x) : -(x))\n#include <float.h>");
    std::fs::write(at.path().join("g.c"), own).unwrap();
    runtime(at.path());
    for file in ["f.c", "g.c"] {
        for more in [&[][..], &["--no-primal"]] {
            overbar_ok(at.path(), &[&["diff", file, "-b", "--head", "f/(x)", "-o", "out.c"], more].concat());
            silently(at.path(), "gcc", &[&STRICT_C[..], &["-c", "out.c"]].concat());
            let out = std::fs::read_to_string(at.path().join("out.c")).unwrap();
            assert!(out.find("_GNU_SOURCE") < out.find("#include"), "{out}");
        }
    }
    overbar_ok(at.path(), &["verify", "f.c", "--head", "f/(x)"]);
}

/// A header with a guard is text as others are: what the output includes stands behind conditions, not in one of them, functions that are `inline` alone are run compiled, and
/// macros in small letters do not meet what the run-time support declares.
#[test]
fn headers_are_differentiated() {
    let at = tempfile::tempdir().unwrap();
    let text = "#ifndef WAVE_H\n#define WAVE_H\n#include <math.h>\n#define pi 3.14159265358979323846\n#define zero 0.0\n#if defined(SOME_MACHINE)\n  #include <unheard_of.h>\n#endif\n\
        inline void wave(const double x[3], double *y) {\n  double w[3] = {zero};\n  for (int k = 0; k < 3; k++) {\n    w[k] = sin(pi * x[k]) * x[0];\n    if (k)\n      w[k] *= w[k - 1];\n  }\n\
        \x20 *y = w[0] + w[1] + w[2];\n}\n#endif\n";
    std::fs::write(at.path().join("wave.h"), text).unwrap();
    for more in [&[][..], &["--reversal", "split"]] {
        let out = overbar_ok(at.path(), &[&["verify", "wave.h", "--language", "c", "--head", "wave(y)/(x)"], more].concat());
        assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{out}");
    }
    let lgamma = "#define pi 3.14\n#define zero 0.0\n#include <math.h>\ndouble f(double x) { return lgamma(x) + zero * pi; }\n";
    std::fs::write(at.path().join("f.c"), lgamma).unwrap();
    let out = overbar_ok(at.path(), &["verify", "f.c", "--head", "f/(x)"]);
    assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{out}");
}

/// Without a declaration C takes the result for an int: the derivative would be zero.
#[test]
fn functions_that_nothing_declares_get_no_active_argument() {
    let at = tempfile::tempdir().unwrap();
    for (text, line) in [
        ("double f(double x) {\n  return g(x);\n}\n", 2),
        ("double f(double x) {\n  double y;\n  y = 1.0 + g(2.0 * x);\n  return y * x;\n}\n", 3),
        ("double f(double x) {\n  int k = g(x) > 0;\n  return k ? x : -x;\n}\n", 2),
        ("double f(double x) {\n  double w[2] = {x, x * x};\n  g(w);\n  return w[0] * w[1];\n}\n", 3),
    ] {
        let said = errors(at.path(), &[("f.c", text)], &["diff", "f.c", "-b", "--head", "f/(x)"]);
        assert!(said.contains("OB4002") && said.contains(&format!("f.c:{line}:")) && said.contains("declare"), "{said}");
    }
    // What depends on nothing active may go there, and functions of <math.h> are known, with a word.
    std::fs::write(at.path().join("f.c"), "double f(double x, int n) {\n  note(n);\n  return sin(x);\n}\n").unwrap();
    let o = overbar(at.path(), &["diff", "f.c", "-b", "--head", "f/(x)"]);
    let said = String::from_utf8_lossy(&o.stderr);
    assert!(o.status.success() && said.contains("include <math.h>"), "{said}");
}

/// Each place where a value is rounded to a whole number on its way is told once.
#[test]
fn roundings_on_the_way_are_told() {
    let at = tempfile::tempdir().unwrap();
    let places = |text: &str| {
        std::fs::write(at.path().join("f.c"), text).unwrap();
        let o = overbar(at.path(), &["diff", "f.c", "-b", "-d", "--head", "f/(x)", "-o", "out.c"]);
        let said = String::from_utf8_lossy(&o.stderr).into_owned();
        assert!(o.status.success(), "{said}");
        said.matches("OB4007").count()
    };
    assert_eq!(places("double f(double x) {\n  return (double)(long)(100.0 * x) / 100.0 + x;\n}\n"), 1);
    assert_eq!(places("#include <math.h>\ndouble f(double x) {\n  double y = x - floor(x);\n  return y + (int)x * 0.5;\n}\n"), 2);
    assert_eq!(places("double f(double x) {\n  int k[2];\n  k[0] = (int)x;\n  k[1] = k[0] + 1;\n  return k[1] * x;\n}\n"), 1);
    assert_eq!(places("static int steps(double x) { return (int)(8.0 * x); }\ndouble f(double x) {\n  return steps(x) / 8.0 + x;\n}\n"), 1);
    assert_eq!(places("static double half(int k) { return 0.5 * k; }\ndouble f(double x) {\n  return half((int)x) + x;\n}\n"), 1);
    // Indices, conditions and signs are none.
    let index = "double f(const double *x) {\n  static const double t[3] = {1.0, 2.0, 4.0};\n  int k = (int)x[0];\n  if (k > 2)\n    k = 2;\n  return t[k] * x[1];\n}\n";
    assert_eq!(places(index), 0);
    assert_eq!(places("#include <math.h>\ndouble f(double x) {\n  return copysign(2.0, x) * x * fmod(x, 3.0);\n}\n"), 0);
}

/// Words for what cannot be read.
#[test]
fn what_is_no_c_is_named() {
    let at = tempfile::tempdir().unwrap();
    let text = "double f(double x) { return x * x; }\n";
    for name in ["f.cpp", "f.cc", "f.cxx"] {
        let said = errors(at.path(), &[(name, text)], &["diff", name, "-b", "--head", "f/(x)"]);
        assert!(said.contains("C++, which is not read"), "{said}");
    }
    let said = errors(at.path(), &[("g.c", "#include \"nowhere.h\"\ndouble f(double x) { return x; }\n")], &["diff", "g.c", "-b"]);
    assert!(said.contains("g.c:1:") && said.contains("-I"), "{said}");
}

/// Calls within the arguments of output are calls.
#[test]
fn the_call_graph_has_calls_inside_of_output() {
    let at = tempfile::tempdir().unwrap();
    let text = "#include <stdio.h>\nstatic double low(double x) { return x * x; }\nstatic double high(double x) { return 2.0 * low(x); }\n\
                int main(void) {\n  double x = 3.0;\n  printf(\"%g\\n\", high(x) + 1.0);\n  return 0;\n}\n";
    std::fs::write(at.path().join("p.c"), text).unwrap();
    let dot = overbar_ok(at.path(), &["plot", "p.c", "--what", "callgraph", "--format", "dot"]);
    let edges = dot.lines().filter(|l| l.contains("->")).count();
    assert_eq!(edges, 2, "{dot}");
}

/// A function that is declared inside of others only: derivative code that stands before its definition calls it, too.
#[test]
fn functions_that_are_declared_inside_of_others_have_prototypes() {
    let text = "double f(double x) {\n  double g(double), h();\n  return g(x) * h(x);\n}\ndouble g(double x) { return x * x; }\ndouble h(x)\ndouble x;\n{\n  return x + 2.0;\n}\n";
    let main = "#include <stdio.h>\n#include \"g.c\"\nint main(void) {\n  double xb = 0.0;\n  f_b(3.0, &xb, 1.0);\n  printf(\"%g\\n\", xb);\n  return 0;\n}\n";
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("f.c"), text).unwrap();
    std::fs::write(at.path().join("main.c"), main).unwrap();
    runtime(at.path());
    overbar_ok(at.path(), &["diff", "f.c", "-b", "--head", "f/(x)", "-o", "g.c"]);
    silently(at.path(), "gcc", &[&STRICT_C[..], &["main.c", "-o", "main"]].concat());
    // 2x(x + 2) + x^2
    assert_eq!(silently(at.path(), "./main", &[]).trim(), "39");
}

/// Bessel functions have names that programs use for other things: these stay what they are, and are not called for the library's.
#[test]
fn names_of_bessel_functions_may_be_the_programs_own() {
    let own = "static double y1[3] = {1.0, 2.0, 3.0};\nstatic double j0(double x) { return x * x + y1[1]; }\n\
               double f(double x) {\n  double yn = 3.0 * x;\n  for (int jn = 0; jn < 3; jn++)\n    yn += y1[jn] * j0(x);\n  return yn * x;\n}\n";
    let local =
        "#include <math.h>\ndouble f(double x) {\n  double y0 = x * x, j1 = sin(x), jn = 2.0;\n  return j0(y0) * j1 + y0 * jn;\n}\n";
    let at = tempfile::tempdir().unwrap();
    for text in [own, local] {
        std::fs::write(at.path().join("f.c"), text).unwrap();
        overbar_ok(
            at.path(),
            &["diff", "f.c", "-b", "-d", "--head", "f/(x)", "--require-certificate", "--certificate", "both", "-o", "g.c"],
        );
    }
    // The derivative of the library's j0 is its j1.
    let library = "#include <math.h>\ndouble j1_of(double x);\ndouble f(double x) { return j0(x) + j1_of(x); }\n";
    let other = "double j1(double x);\ndouble j1_of(double x) { return j1(x); }\ndouble j1(double x) { return 2.0 * x; }\n";
    let command = ["diff", "f.c", "g.c", "-b", "--head", "f/(x)", "-O", "out"];
    let said = errors(at.path(), &[("f.c", library), ("g.c", other)], &command);
    assert!(said.contains("OB5103") && said.contains("`j1` of its own"), "{said}");
}

/// Classes of characters are functions whatever the headers make of them; a null pointer says that the library is to leave something out.
#[test]
fn functions_of_the_library_on_texts() {
    let text = "#include <ctype.h>\n#include <stdlib.h>\n#include <time.h>\ndouble f(double x, const char *s) {\n  double w = 0, v = strtod(s, NULL);\n  long k = strtol(s, 0, 10);\n  for (int i = 0; s[i] != 0; i++) {\n\
                \x20   if (isdigit((unsigned char)s[i]))\n      w += (s[i] - '0') * x;\n    else if (isalpha(s[i]) && toupper(s[i]) == 'A')\n      w *= x;\n  }\n\
                \x20 w += (double)(time(NULL) - time(0));\n  return w + v * x + k * x * x;\n}\n";
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("f.c"), text).unwrap();
    overbar_ok(at.path(), &["diff", "f.c", "-b", "-d", "--head", "f/(x)", "--certificate", "both", "-o", "g.c"]);
    let main = "#include <stdio.h>\n#include \"g.c\"\nint main(void) {\n  double xb = 0.0;\n  f_b(2.0, &xb, \"12a\", 1.0);\n  printf(\"%g\\n\", xb);\n  return 0;\n}\n";
    std::fs::write(at.path().join("main.c"), main).unwrap();
    runtime(at.path());
    silently(at.path(), "gcc", &[&STRICT_C[..], &["main.c", "-o", "main", "-lm"]].concat());
    // (1 + 2) x^2 + 12 x + 12 x^2
    assert_eq!(silently(at.path(), "./main", &[]).trim(), "72");
}

const UNREAD: &str = "static double bad(double x) { __auto_type y = x * x; return y; }\n\
                      double good(double x) { return x * x; }\n\
                      double user(double x) { return bad(x) + 1.0; }\n\
                      __auto_type scale = 2.0;\n\
                      double scaled(double x) { return scale * x; }\n\
                      struct s { int scale; };\n\
                      double member(const struct s *p, double x) { return p->scale * x * x; }\n";

/// Text that the parser cannot read costs those who need it, and they are told where it is.
#[test]
fn text_that_is_not_read_costs_who_needs_it() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("f.c"), UNREAD).unwrap();
    for head in ["good", "member/(x)"] {
        let out = overbar_ok(at.path(), &["verify", "f.c", "--head", head]);
        assert!(out.starts_with("pass") && out.contains("interpreter and compiled"), "{head}: {out}");
    }
    for (head, code, said) in [("bad", "OB2004", (1, 43)), ("user", "OB4002", (3, 32)), ("scaled", "OB2004", (5, 34))] {
        let out = overbar(at.path(), &["diff", "f.c", "--head", head, "-b", "--message-format", "json"]);
        let (error, said) = (String::from_utf8_lossy(&out.stderr).into_owned(), format!("\"line\":{},\"column\":{}", said.0, said.1));
        assert!(!out.status.success() && error.contains(code) && error.contains(&said), "{head}: {error}");
    }
    // What no compiler takes stays an error, whoever needs it.
    std::fs::write(at.path().join("f.c"), UNREAD.replace("return x * x; }", "return x * ; }")).unwrap();
    let out = overbar(at.path(), &["diff", "f.c", "--head", "member/(x)", "-b"]);
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && error.contains("OB2004") && error.contains("f.c:2:"), "{error}");
}

/// Who asks whether memory is null that is so for no elements is refused: it is taken to be there.
#[test]
fn memory_of_no_elements_is_not_asked_for() {
    let text = "#include <stdlib.h>\nstatic double *v(int n) { double *p; if (n <= 0) return NULL; if (!(p = malloc(n * sizeof(double)))) exit(1); return p; }\n\
                double f(int n, const double *x) { double s = 0.0; double *w = v(n); ASK for (int i = 0; i < n; i++) { w[i] = x[i]; s += w[i] * w[i]; }\n\
                free(w); return s; }\n";
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("f.c"), text.replace("ASK", "")).unwrap();
    assert!(overbar_ok(at.path(), &["verify", "f.c", "--head", "f/(x)"]).starts_with("pass"));
    for ask in ["if (!w) return -1.0;", "if (w == NULL) return -1.0;"] {
        std::fs::write(at.path().join("f.c"), text.replace("ASK", ask)).unwrap();
        let out = overbar(at.path(), &["diff", "f.c", "--head", "f/(x)", "-b"]);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && error.contains("OB2013") && error.contains("null for no elements"), "{ask}: {error}");
    }
}

/// A declaration without parameters of a function whose definition in another file has parameters of types with names.
#[test]
fn parameters_that_a_declaration_leaves_out_are_asked_for() {
    let at = tempfile::tempdir().unwrap();
    let types = "struct v { double x; };\n";
    let user = "double f(double x) { struct v a; a.x = x * x; return length(&a); }\n";
    std::fs::write(at.path().join("b.c"), format!("{types}double length(p)\nstruct v *p;\n{{\n  return 2.0 * p->x;\n}}\n")).unwrap();
    std::fs::write(at.path().join("a.c"), format!("{types}double length();\n{user}")).unwrap();
    let out = overbar(at.path(), &["diff", "a.c", "b.c", "--head", "f", "-b", "-O", "out"]);
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && error.contains("OB2050") && error.contains("declare it with its parameters"), "{error}");
    std::fs::write(at.path().join("a.c"), format!("{types}double length(struct v *p);\n{user}")).unwrap();
    assert!(overbar_ok(at.path(), &["verify", "a.c", "b.c", "--head", "f"]).starts_with("pass"));
}
