//! What the interpreter computes for functions of the C library, against compiled code; and that derivative units meet the same numbers by chance as their original.

use crate::common;

use common::{overbar, silently};
use overbar::evaluate::{Data, Inputs, Limits, Value, run};
use std::fmt::Write;

/// Expressions in terms of the text s, the character c, the integer k and the real x; the functions of characters are asked for by name, for headers have macros.
const EXPRESSIONS: &[&str] = &[
    "strlen(s)",
    "strlen(s + 3)",
    "strlen(\"a\\tb\\\\\")",
    "strlen(\"\")",
    "sign(strcmp(s, \"abc\"))",
    "sign(strcmp(s, \"12\"))",
    "sign(strcmp(\"ab\", \"abc\"))",
    "sign(strcmp(\"b\", \"abc\"))",
    "sign(strcmp(\"same\", \"same\"))",
    "sign(strncmp(s, \"12xy\", 2))",
    "sign(strncmp(s, \"12xy\", 3))",
    "(toupper)(c)",
    "(tolower)(c)",
    "(isalpha)(c) != 0",
    "(isdigit)(c) != 0",
    "(isalnum)(c) != 0",
    "(isspace)(c) != 0",
    "(isupper)(c) != 0",
    "(islower)(c) != 0",
    "(isxdigit)(c) != 0",
    "(ispunct)(c) != 0",
    "(isprint)(c) != 0",
    "(isgraph)(c) != 0",
    "(iscntrl)(c) != 0",
    "atoi(s)",
    "atoi(\" -17 apples\")",
    "atoi(\"none\")",
    "atol(\"+98765432101\")",
    "atof(s)",
    "atof(\"-.5\")",
    "atof(\"2.e\")",
    "atof(\"1e+\")",
    "atof(\" 6.02e-23kg\")",
    "atof(\".\")",
    "strtod(s, NULL)",
    "strtod(\" +6.5e1z\", 0)",
    "strtof(\"0.1\", NULL)",
    "strtol(s, NULL, 10)",
    "strtol(\" -0x1fz\", 0, 0)",
    "strtol(\"0x\", 0, 16)",
    "strtol(\"017\", 0, 0)",
    "strtol(\"Zz!\", 0, 36)",
    "strtol(\"99999999999999999999\", 0, 10)",
    "strtoul(\"-1\", 0, 10)",
    "strtoull(\"777\", 0, 8)",
    "isdigit(c) != 0",
    "tolower(c)",
    "rand()",
    "rand() % 10",
    "rand()/(double)RAND_MAX",
    "random()",
    "nextafter(x, 9.0)",
    "nextafter(x, -9.0)",
    "nextafter(x, x)",
    "__builtin_popcount(k)",
    "__builtin_popcountl(k)",
    "__builtin_popcountll(-1)",
    "__builtin_parity(k)",
    "__builtin_clz(k)",
    "__builtin_clzll(k)",
    "__builtin_ctz(k)",
    "__builtin_ctzl(k)",
    "__builtin_ffs(k)",
    "__builtin_ffs(0)",
];

/// The function under test, which starts its random numbers with k where k is odd.
fn probe() -> String {
    let mut text = "#include <ctype.h>\n#include <math.h>\n#include <stdlib.h>\n#include <string.h>\nstatic int sign(int n) { return (n > 0) - (n < 0); }\n\
                    void probe(const char *s, char c, int k, double x, double *r)\n{\n  if (k % 2) srand(k);\n"
        .to_owned();
    EXPRESSIONS.iter().enumerate().for_each(|(n, e)| writeln!(text, "  r[{n}] = {e};").unwrap());
    text.push_str("}\n");
    text
}

/// A text as an array of characters.
fn characters(s: &str) -> Data<f64> {
    let kind = overbar::evaluate::value::IntKind { bits: 8, unsigned: false };
    let values: Vec<Value<f64>> = s.bytes().chain([0]).map(|c| Value::Int(c.into(), kind)).collect();
    Data { shape: [values.len()].into_iter().collect(), values }
}

#[test]
fn functions_of_the_c_library() {
    let text = probe();
    let points =
        [("12.75e1x", 'g', 6, 0.3), ("007", '7', 40_000, -2.5), ("12 b", ' ', 77, 6e22), ("-3e4", '_', -5, 0.0), ("...", '\n', 1, -1e-310)];
    let source = [overbar_c::parse::SourceText { file: "probe.c", text: &text }];
    let (program, notes) =
        overbar_c::parse(&source, &overbar_c::ParseOptions { preprocess: true, ..Default::default() }).unwrap_or_else(|e| panic!("{e:?}"));
    let unit = program.unit_named("probe").unwrap_or_else(|| panic!("{notes:?}"));
    let mut main = format!("#include <stdio.h>\n{text}int main(void)\n{{\n  double r[{}];\n", EXPRESSIONS.len());
    for (s, c, k, x) in points {
        let restart = "srand(1);";
        let _ = writeln!(main, "  {restart} probe(\"{s}\", {}, {k}, {x:?}, r);", u32::from(c));
        let _ = writeln!(main, "  for (int i = 0; i < {}; i++) printf(\"%.17g\\n\", r[i]);", EXPRESSIONS.len());
    }
    main.push_str("  return 0;\n}\n");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("main.c"), &main).expect("a file");
    silently(folder.path(), "gcc", &["-w", "-O0", "main.c", "-o", "main", "-lm"]);
    let said = silently(folder.path(), "./main", &[]);
    let mut numbers = said.lines().map(|l| l.trim().parse::<f64>().expect("a number"));
    for point in points {
        let (s, c, k, x) = point;
        let results = Data { values: vec![Value::Undefined; EXPRESSIONS.len()], shape: [EXPRESSIONS.len()].into_iter().collect() };
        let inputs = Inputs::default().with("s", characters(s)).with("c", Data::int(u32::from(c).into())).with("k", Data::int(k));
        let inputs = inputs.with("x", Data::real(x)).with("r", results);
        let out = run(&program, unit, &inputs, &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
        for (e, got) in EXPRESSIONS.iter().zip(&out.arguments["r"].values) {
            let want = numbers.next().expect("a line");
            assert!(matches!(got, Value::Real(got, _) if *got == want), "{e} at {point:?}: {got:?}, not {want}");
        }
    }
}

#[test]
fn derivative_units_meet_the_same_chance() {
    let text = "#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n\
                double walk(double x, int n, const char *name)\n{\n  double s = x;\n  clock_t start = clock();\n  srand(7);\n\
                \x20 for (int i = 0; i < n; i++) {\n    double w = rand()/(double)RAND_MAX;\n    s = s + w*s*x;\n  }\n\
                \x20 if (strcmp(name, \"late\") == 0) s *= 2.0;\n  start = clock() - start;\n  return s*strlen(name);\n}\n";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("walk.c"), text).expect("a file");
    let output = overbar(folder.path(), &["diff", "walk.c", "-b", "-d", "--head", "walk/(x)", "-o", "walk_b.c"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let made = std::fs::read_to_string(folder.path().join("walk_b.c")).expect("derivative code");
    assert_eq!(made.matches("Certified by the interpreter").count(), 2, "{made}\n{said}");
}
