//! What macros bring into C texts: statements that are a part of what one stands for, text that is printed, and variables that compilers warn of.

use crate::common;

use common::{STRICT_C, overbar, overbar_ok, silently};

/// Output that comes out of a macro with more in it is not printed by the macro's name: in derivatives that would do all of it again.
#[test]
fn parts_of_macros_stand_for_themselves() {
    let at = tempfile::tempdir().unwrap();
    let text = "#include <stdio.h>\n#include <stdlib.h>\n\
                #define BAD { printf(\"bad\\n\"); return -1.0; }\n\
                #define TWICE(x) { printf(\"%g\\n\", x); x *= 2.0; }\n\
                #define NOTE(...) do { fprintf(stderr, __VA_ARGS__); } while (0)\n\
                #define SAY(k) { const char *m = \"\"; switch (k) { case 1: m = \"one\\n\"; break; default: m = \"more\\n\"; } printf(\"%s\", m); }\n\
                double f(double x, double y) {\n  double z = x;\n  if (y < 0.0) BAD;\n  if (y > 1.0) TWICE(z);\n  if (y > 2.0) NOTE(\"%g\\n\", y);\n\
                \x20 if (y > 3.0) SAY(2);\n  return z * z * y;\n}\n";
    std::fs::write(at.path().join("f.c"), text).unwrap();
    for mode in ["-d", "-b"] {
        let out = overbar_ok(at.path(), &["diff", "f.c", mode, "--head", "f/(x,y)"]);
        let made = &out[out.find("head f(f)").unwrap()..];
        let kept = |name: &str| made.lines().any(|l| l.trim_start().starts_with(name));
        assert!(!["BAD", "TWICE", "SAY"].into_iter().any(kept) && made.contains("printf(\"bad\\n\");"), "{mode}: {made}");
        std::fs::write(at.path().join("g.c"), &out).unwrap();
        silently(at.path(), "gcc", &[&STRICT_C[..], &["-c", "g.c", "-o", "g.o"]].concat());
    }
    let said = overbar(at.path(), &["verify", "f.c", "--head", "f/(x,y)", "--run", "both"]);
    assert!(said.status.success(), "{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
}

/// A variable that a derivative may read before it is set, though it never does, gets a start value: compilers look into functions and would warn.
#[test]
fn nobody_warns_of_results_that_are_set_in_part() {
    let at = tempfile::tempdir().unwrap();
    let text = "#include <math.h>\n\
                static void both(double x, double *low, double *high, int tail) {\n  double t = exp(-x * x), d = 1.0 / (1.0 + t);\n\
                \x20 int lower = tail != 1, upper = tail != 0;\n  if (lower) *low = t * d;\n  if (upper) *high = t * t * d;\n  if (t < 0.5) {\n\
                \x20   if (lower) *low = log(*low);\n    if (upper) *high = log(*high);\n  }\n}\n\
                double f(double x, int lower) {\n  double p, q;\n  both(x * x, &p, &q, lower ? 0 : 1);\n  return lower ? p : q;\n}\n";
    std::fs::write(at.path().join("f.c"), text).unwrap();
    for mode in ["-d", "-b"] {
        let out = overbar_ok(at.path(), &["diff", "f.c", mode, "--head", "f/(x)"]);
        std::fs::write(at.path().join("g.c"), &out).unwrap();
        silently(at.path(), "gcc", &[&STRICT_C[..], &["-c", "g.c", "-o", "g.o"]].concat());
    }
    let said = overbar(at.path(), &["verify", "f.c", "--head", "f/(x)", "--run", "both"]);
    assert!(said.status.success(), "{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
}

/// Memory that others know may hold what they put behind the next aligned address.
#[test]
fn aligned_memory_of_others_is_not_moved() {
    let at = tempfile::tempdir().unwrap();
    let text = |given: &str, from: &str| {
        format!(
            "#include <stdint.h>\n#include <stdlib.h>\nvoid keep(double *);\ndouble f(double x{given}) {{\n  {from}\n  \
             double *b = (double *)(((uintptr_t)raw + 63) & ~(uintptr_t)63);\n  b[0] = x * x;\n  return b[0] * x;\n}}\n"
        )
    };
    for (given, from) in [(", double *raw", ""), ("", "double *raw = malloc(160); keep(raw);")] {
        std::fs::write(at.path().join("f.c"), text(given, from)).unwrap();
        let out = overbar(at.path(), &["diff", "f.c", "-d", "--head", "f/(x)", "-o", "out.c"]);
        assert!(!out.status.success() && !at.path().join("out.c").exists(), "{given}{from}");
    }
    std::fs::write(at.path().join("f.c"), text("", "double raw[20];")).unwrap();
    let out = overbar_ok(at.path(), &["verify", "f.c", "--head", "f/(x)"]);
    assert!(out.starts_with("pass "), "{out}");
}
