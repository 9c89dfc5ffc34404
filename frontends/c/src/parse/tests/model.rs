//! What programs become.

use super::{dump, plain, preprocessed};
use xaif::Program;
use xaif::model::{Intent, MarkerClass, NodeKind, Passing, StmtKind, Storage, UnitKind, VertexKind};

fn body(text: &str, name: &str) -> String {
    let (p, warnings) = plain(text).unwrap_or_else(|d| panic!("{d:#?}"));
    assert!(warnings.is_empty(), "{warnings:#?}");
    dump::unit(&p, name)
}

/// The only refusal of a text: its code, line and column.
fn refused(text: &str) -> (String, u32, u32) {
    let d = match plain(text) {
        Err(d) | Ok((_, d)) => d,
    };
    assert_eq!(d.len(), 1, "{d:#?}");
    let l = d[0].location.as_ref().unwrap();
    assert_eq!(l.file, "t.c");
    (d[0].code.to_owned(), l.line, l.column)
}

fn symbol<'p>(p: &'p Program, unit: &str, name: &str) -> &'p xaif::model::Symbol {
    let scope = p.unit(p.unit_named(unit).unwrap()).scope;
    p.symbol(p.lookup(scope, name).unwrap())
}

#[test]
fn parameters_are_classified_by_their_use() {
    let text = "void g(double *q) { *q = 1; }\n\
                void f(int n, const double *x, double *restrict y, double *s, double a[n][n], double (*b)[3], float h, double *u) {\n\
                  *s = x[1]; y[0] = *x; a[0][0] = h; b[1][2] = a[1][1]; g(u); }";
    let (p, _) = plain(text).unwrap();
    let s = |name: &str| symbol(&p, "f", name);
    assert_eq!((s("x").rank, s("y").rank, s("s").rank, s("a").rank, s("b").rank, s("u").rank), (1, 1, 0, 2, 2, 0));
    assert_eq!(s("h").passing(), Passing::Value);
    assert_eq!(s("x").passing(), Passing::Reference);
    assert!(s("x").has_attribute("const") && s("y").has_attribute("restrict"));
    assert!(s("x").decl.as_ref().unwrap().may_alias && !s("y").decl.as_ref().unwrap().may_alias);
    let dims = &s("a").decl.as_ref().unwrap().dims;
    let xaif::model::Bound::Expr(upper) = &dims[1].upper else { panic!() };
    assert_eq!(dump::expr(&p, upper), "(n - 1)");
    let f = p.unit(p.unit_named("f").unwrap());
    let intents: Vec<_> = f.formals.iter().map(|f| (f.intent, f.intent_declared)).collect();
    assert_eq!(intents[1], (Intent::In, true));
    assert_eq!(intents[2], (Intent::Inout, false));
    assert_eq!(f.kind, UnitKind::Subroutine);
    assert_eq!(p.calls.len(), 1);
}

#[test]
fn results_are_the_last_formal() {
    let text = "/* twice\n * as much */\nstatic inline double f(double x) {\n  return 2 * x;\n}\n\nint g(int g) { return g; }";
    let (p, _) = plain(text).unwrap();
    let f = p.unit(p.unit_named("f").unwrap());
    assert_eq!(f.kind, UnitKind::Function);
    assert_eq!(p.symbol(f.result().unwrap().symbol).name, "f");
    assert_eq!(f.comment, "twice\nas much");
    assert_eq!(f.prefixes, ["static", "inline"]);
    assert_eq!((f.span.line, f.span.end_line), (3, 5));
    let g = p.unit(p.unit_named("g").unwrap());
    assert_eq!(p.symbol(g.result().unwrap().symbol).name, "g_result");
}

#[test]
fn loops_are_counted_only_where_nothing_changes() {
    let head = |text: &str| body(text, "f").lines().find(|l| l.contains(';') || l.contains("while")).unwrap_or_default().trim().to_owned();
    assert_eq!(head("void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 1; }"), "counted i = 0; (i < n); i = (i + 1)");
    assert_eq!(head("void f(int n, double *x) { for (int i = 0; i < n; i++) { x[i] = 1; n--; } }"), "for i = 0; (i < n); i = (i + 1)");
    assert_eq!(head("void f(int n, double *x) { for (int i = 0; i < n; i++) { x[i] = 1; i++; } }"), "for i = 0; (i < n); i = (i + 1)");
    assert_eq!(head("void f(int *n, double *x) { for (int i = 0; i < *n; i++) x[i] = 1; }"), "counted i = 0; (i < n); i = (i + 1)");
    assert_eq!(head("void f(int *n, int *x) { for (int i = 0; i < *n; i++) x[i] = 1; }"), "for i = 0; (i < n); i = (i + 1)");
    assert_eq!(
        head("void g(void); int n; void f(double *x) { for (int i = 0; i < n; i++) { x[i] = 1; g(); } }"),
        "for i = 0; (i < n); i = (i + 1)"
    );
    assert_eq!(
        head("void f(int n, int k, double *x) { int i; double s; for (i = 0, s = 0; i < n; i += k) s += x[i]; }"),
        "for i = 0; (i < n); i = (i + k)"
    );
    // A stride may be negative, and a negative number compared without a sign is a great one.
    assert_eq!(
        head("void f(int n, double *x) { for (int k = 1; k < n; k++) for (int i = 0; i < n; i += 2 * k) x[i] = 1; }"),
        "counted k = 1; (k < n); k = (k + 1)"
    );
    assert_eq!(
        head("void f(int n, unsigned k, double *x) { for (int i = 0; i < n; i += k) x[i] = 1; }"),
        "counted i = 0; (i < n); i = (i + k)"
    );
    assert_eq!(head("void f(unsigned n, double *x) { for (int i = -2; i < n; i++) x[i + 2] = 1; }"), "for i = -2; (i < n); i = (i + 1)");
    assert_eq!(head("void f(unsigned n, double *x) { for (int i = 0; i < n; i++) x[i] = 1; }"), "counted i = 0; (i < n); i = (i + 1)");
    assert_eq!(head("void f(int n, double *x) { for (int i = 0; i + 1 < n; i++) x[i] = 1; }"), "counted i = 0; (i < (n - 1)); i = (i + 1)");
    assert_eq!(head("void f(unsigned n, double *x) { for (unsigned i = 0; i + 1 < n; i++) x[i] = 1; }"), "while ((i + 1) < n)");
    let fixed = "{ static int i; for (i = 0; i < n; i++) x[i] = g(x[i]); }";
    let leaf = format!("double g(double x) {{ return x; }} void f(int n, double *x) {fixed}");
    assert_eq!(head(&leaf), "counted i = 0; (i < n); i = (i + 1)");
    let back = format!("double g(double x); void f(int n, double *x) {fixed} double g(double x) {{ f(1, &x); return x; }}");
    assert_eq!(head(&back), "for i = 0; (i < n); i = (i + 1)");
    assert_eq!(head(&format!("double g(double x); void f(int n, double *x) {fixed}")), "for i = 0; (i < n); i = (i + 1)");
    assert_eq!(head("void f(int n, double *x) { for (int i = n; i > 0; i--) x[i] = 1; }"), "counted i = n; (i > 0); i = (i - 1)");
    assert_eq!(head("void f(int n, double *x) { for (int i = n; i > 0; i++) x[i] = 1; }"), "for i = n; (i > 0); i = (i + 1)");
    assert_eq!(head("void f(int n, double *x) { for (int i = 0; x[i] > 0; i++) x[i] = n; }"), "while (x[i] > 0)");
}

#[test]
fn comments_texts_and_pragmas_are_kept() {
    let text = "double f(double x) {\n  /* first */\n  double y = x  *  2; // behind\n#pragma omp simd\n  /* loop */\n  for (int i = 0; i < 3; i++)\n    y += i;\n  return y;\n}\n";
    for (p, _) in [plain(text).unwrap(), preprocessed(text).unwrap()] {
        let f = p.unit(p.unit_named("f").unwrap());
        let stmts: Vec<_> = f.graph.node_weights().flat_map(|v| v.stmts()).collect();
        assert_eq!((stmts[0].comment.as_str(), stmts[0].text.as_str()), ("first\nbehind", "double y = x * 2;"));
        assert_eq!((stmts[0].span.line, stmts[0].span.column), (3, 3));
        assert!(matches!(&stmts[1].kind, StmtKind::Marker(m) if m.class == MarkerClass::Pragma && m.text == "#pragma omp simd"));
        let v = f.graph.node_weights().find(|v| v.is_loop()).unwrap();
        assert_eq!((v.comment.as_str(), v.text.as_str(), v.line), ("loop", "for (int i = 0; i < 3; i++)", 6));
        assert_eq!(stmts.last().unwrap().text, "return y;");
    }
}

#[test]
fn storage_classes() {
    let text = "double g = 1; static double h; extern double e; const double c = 2; static const double t[2] = {1, 2};\n\
                enum { RED = 3 };\n\
                void other(double *p);\n\
                double f(double x) { static int k = 4; const double l = 3; const int m = 2; h += x; other(&g); k++; return l * m * c * t[RED - 2] * e + k; }";
    let (p, w) = plain(text).unwrap();
    assert!(w.is_empty(), "{w:?}");
    let s = |n: &str| symbol(&p, "f", n);
    assert_eq!(*s("g").storage(), Storage::Global);
    assert!(s("g").decl.as_ref().unwrap().may_alias && !s("h").decl.as_ref().unwrap().may_alias);
    assert!(s("h").has_attribute("static"));
    assert_eq!(*s("e").storage(), Storage::Extern);
    assert_eq!(*s("c").storage(), Storage::Constant);
    assert_eq!((s("t").storage(), s("t").decl.as_ref().unwrap().init_text.as_str()), (&Storage::Constant, "{1, 2}"));
    assert_eq!(*s("k").storage(), Storage::Static);
    assert_eq!(*s("l").storage(), Storage::Local);
    assert_eq!(*s("m").storage(), Storage::Constant);
    assert_eq!(s("RED").decl.as_ref().unwrap().init.as_ref().unwrap().as_int(), Some(3));
    assert!(s("other").has_attribute("arg:reference"));
}

#[test]
fn conversions_are_explicit_where_they_change_a_value() {
    assert_eq!(
        body(
            "void f(float *a, double *x, int *k) { *a = *x * 2; *k = *x; *x = *k / 2; *x = (float)*x + sinf(*x) + sin(*a); }\n#include <math.h>",
            "f"
        ),
        "a = (x * 2)\nk = (int)x\nx = (k / 2)\nx = (((float)x + sin_scal((float)x)) + sin_scal((double)a))\n"
    );
}

#[test]
fn order_of_evaluation() {
    assert_eq!(
        body("void f(int i, double *x, double *y) { x[i++] = y[i]; }".replace("y[i]", "y[0]").as_str(), "f"),
        "x[i] = y[0]\ni = (i + 1)\n"
    );
    assert_eq!(refused("void f(int i, double *x, double *y) { x[i++] = y[i]; }"), ("OB2030".into(), 1, 39));
    assert_eq!(refused("void f(int i) { i = i++; }").0, "OB2030");
    // A variable that a macro sets before it uses it: both in one expression, or one of them behind a call; seen behind the calls; set by a call in between.
    let square = "static double s;\n#define SQ(a) (s = (a), s * s)\nstatic double g(double x) { return SQ(x); }\n";
    for text in [
        "double f(double x, double y) { return SQ(x) + SQ(y); }",
        "double f(double x, double y) { return SQ(x) + g(y); }",
        "double f(double x, double y) { double t = g(x) + g(y); return t * s; }",
        "double h(double x) { return (s = x, g(x) * s); } double f(double x, double y) { return g(x) + h(y); }",
        "double h(double *x) { return *x; } double f(double x, double y) { return g(x) + g(y) + h(&s); }",
    ] {
        assert_eq!(refused(&format!("{square}{text}")).0, "OB2030", "{text}");
    }
    // Elements of one array: the same one, one that may be the same, one whose place the expression changes, elements that are pointers.
    for text in [
        "double f(int k, double x, double *t) { return (t[k] = x) + t[k]; }",
        "double f(int k, int j, double x, double *t) { return (t[k] = x) + t[j]; }",
        "double f(int k, double x, double *t) { return (t[k] = x) + t[++k]; }",
        "double f(double x, double **t) { return (t[0][1] = x) + t[1][1]; }",
        "double f(int k, double x, double *t) { return (t[k - 1] = x) + t[k] * *t; }",
    ] {
        assert_eq!(refused(text).0, "OB2030", "{text}");
    }
    assert_eq!(refused("double g(double *x) { return (*x)++; } double f(double *x) { return g(x) + *x; }").0, "OB2030");
    assert_eq!(refused("int g; double h(double x) { g++; return x; } double f(double x) { return h(x) + g; }").0, "OB2030");
    assert!(
        plain("double g(int n, double *x) { return x[n]; } double f(double *x) { return g(1, x) + g(2, x) * x[0]; }").unwrap().1.is_empty()
    );
    assert_eq!(
        body("int f(int a, int b) { return a && b++ ? a : b; }", "f"),
        "test_1 = (a != 0)\nbranch test_1\n1:\n  b_1 = b\n  b = (b + 1)\n  test_1 = (b_1 != 0)\nf = (test_1 ? a : b)\n"
    );
}

#[test]
fn what_is_refused_has_its_code_and_place() {
    let start = "double h(double x) { return x; }\n";
    for (text, code, line) in [
        ("void f(double ***a) { a[0][0][0] = 1; }", "OB2011", 2),
        ("void f(double *a, double *b) { double *p = a; *(p = b) = 1; }", "OB2010", 2),
        ("void f(double *a) { float *p = (float *)a; *p = 1; }", "OB2012", 2),
        ("union s { double v; float w; };\ndouble f(union s *q) { return q->v; }", "OB2020", 3),
        ("double f(double (*g)(double)) { return g(1); }", "OB2050", 2),
        ("double f(double x) { double _Complex z = x; return z; }", "OB2021", 2),
        ("double f(double x, ...) { return x; }", "OB2052", 2),
        ("void f(double x) { goto nowhere; }", "OB2042", 2),
        ("double f(double x) { return y; }", "OB2006", 2),
        ("double f(int n, double x) { switch (n) { if (x > 0) { case 1: return 1; } } return 0; }", "OB2041", 2),
    ] {
        let text = format!("{start}{text}");
        let (p, d) = plain(&text).unwrap_or_else(|d| panic!("{text}: {d:#?}"));
        assert!(d.iter().any(|d| d.code == code && d.location.as_ref().is_some_and(|l| l.line == line)), "{text}: {d:#?}");
        assert!(p.unit_named("f").is_none() && p.unit_named("h").is_some());
        let f = p.lookup(xaif::model::ScopeId(0), "f").unwrap();
        assert!(p.symbol(f).has_attribute("refused") && p.symbol(f).decl.as_ref().unwrap().comment.contains(code), "{text}");
    }
}

/// A definition takes the place of what a header declares; those of functions that derivative code may call are refused.
#[test]
fn names_of_the_library() {
    let math = "#include <math.h>\n";
    let made = preprocessed(&format!("{math}double g(double x) {{ return j1(x); }}\ndouble j1(double x) {{ return x * x; }}\n")).unwrap();
    assert!(made.1.is_empty() && made.0.unit_named("j1").is_some() && made.0.unit_named("g").is_some());
    // The derivative of another function would call that of the file.
    for (header, storage) in [(math, ""), ("", ""), ("", "static ")] {
        let found = preprocessed(&format!("{header}{storage}double exp(double x) {{ return x * x; }}\n")).unwrap_err();
        assert!(found.iter().any(|d| d.code == "OB2006" && d.location.is_some()), "{found:#?}");
    }
    assert!(plain("static double fmax(double a, double b) { return a > b ? a : b; }").unwrap().1.is_empty());
}

#[test]
fn work_arrays_that_change_names_exchange_contents() {
    let heap = |n: &str, rest: &str| {
        format!(
            "double f(int n, double x) {{ double *a = malloc(n * sizeof(double)); {n} double *b = malloc(n * sizeof(double)); a[0] = b[0] = x; {rest} }}"
        )
    };
    let swap = "double *t = a; a = b; b = t;";
    let text = body(&heap("", &format!("{swap} return a[0];")), "f");
    assert!(text.contains("t_1 = a[k_1]") && text.contains("a[k_1] = b[k_1]") && text.contains("b[k_1] = t_1"), "{text}");
    let text =
        body(&format!("double f(double x) {{ double u[3], v[3]; double *a = u, *b = v; a[0] = b[0] = x; {swap} return a[0]; }}"), "f");
    assert!(text.contains("u[k_1] = v[k_1]"), "{text}");
    let text = body(
        "double f(double x) { double u[3], v[3], w[3]; double *a = u, *b = v, *c = w, *t; a[0] = b[0] = c[0] = x; t = a; a = b; b = c; c = t; return a[0]; }",
        "f",
    );
    assert!(text.contains("u[k_1] = v[k_1]") && text.contains("v[k_1] = w[k_1]") && text.contains("w[k_1] = t_1"), "{text}");
    for text in [
        // other extents
        heap("n++;", &format!("{swap} return a[0];")),
        // another name for the same memory
        heap("", &format!("double *p = a; {swap} return p[0];")),
        heap("", &format!("{swap} return a[0] + t[0];")),
    ] {
        let d = plain(&text).unwrap_err();
        assert!(!d.is_empty() && d.iter().all(|d| d.code == "OB2010"), "{text}: {d:#?}");
    }
}

#[test]
fn pointers_take_turns_where_contents_must_stay() {
    let swap = "double *t = a; a = b; b = t;";
    for text in [
        format!("double f(double x) {{ double u[3], v[3]; double *a = u, *b = v; a[0] = b[0] = x; {swap} return u[0] * a[0]; }}"),
        // memory that others see afterwards
        format!("double f(double *a, double *b) {{ {swap} return a[0] * b[1]; }}"),
        // pointers that start again with what they pointed to
        format!(
            "double f(double x) {{ double u[3], v[3]; for (int i = 0; i < 3; i++) {{ double *a = u, *b = v; a[0] = b[0] = x; {swap} }} return x; }}"
        ),
    ] {
        let printed = body(&text, "f");
        assert!(printed.matches("turn_1 = ").count() == 2, "{text}: {printed}");
    }
    // A target that an exchange of other pointers decides as well, or that is used where none of them is settled.
    for text in [
        format!("double f(double x) {{ double u[3], v[4]; double *a = u, *b = v; a[0] = b[0] = x; {swap} return a[0]; }}"),
        format!("double f(double x) {{ static double u[3], v[3]; double *a = u, *b = v; a[0] = b[0] = x; {swap} return a[0]; }}"),
        format!("double f(double *a, double *b, double *c) {{ {swap} t = a; a = c; c = t; return a[0]; }}"),
        "double f(double *a, double *b) { while (a[0] < 1) { a[0] += 1; double *t = a; a = b; b = t; } return b[0]; }".to_owned(),
    ] {
        let d = plain(&text).unwrap_err();
        assert!(!d.is_empty() && d.iter().all(|d| d.code == "OB2010"), "{text}: {d:#?}");
    }
}

#[test]
fn syntax_errors_have_the_parsers_place() {
    assert_eq!(refused("double f(double x) {\n  return x +;\n}\n").0, "OB2004");
    let text = "#include <math.h>\n#define TWO 2\ndouble f(double x) {\n  return TWO * x +;\n}\n";
    let d = preprocessed(text).unwrap_err();
    let l = d[0].location.as_ref().unwrap();
    assert_eq!((d[0].code, l.line, l.column), ("OB2004", 4, 19));
}

#[test]
fn callers_of_refused_functions_stay() {
    let text = "union s { int k; };\nint bad(union s *q) { return q->k; }\nvoid ext(int n, double *x);\n\
                double f(double *x) { ext(3, x); ext(2, x + 1); return *x; }";
    let (p, d) = plain(text).unwrap();
    assert_eq!(d.len(), 1);
    assert_eq!(dump::unit(&p, "f"), "ext(3, x)\next(2, x[1])\nf = x[0]\n");
    let ext = p.lookup(xaif::model::ScopeId(0), "ext").unwrap();
    assert_eq!(p.symbol(ext).decl.as_ref().unwrap().attributes, ["arg:value", "arg:reference", "keeps"]);
}

#[test]
fn user_headers_and_several_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.h"), "#define K 3\nstatic inline double sq(double x) { return x * x; }\ntypedef double real;\n")
        .unwrap();
    let file = folder.path().join("a.c").display().to_string();
    let text = "#include \"h.h\"\n#include <stdio.h>\n\nreal f(real x) { return K * sq(x); }\ndouble other(double x);\ndouble g(double x) { return other(x); }\n";
    let second = "double shared;\ndouble other(double x) { shared += x; return x; }\n";
    let sources = [super::SourceText { file: &file, text }, super::SourceText { file: "b.c", text: second }];
    let options = super::ParseOptions { preprocess: true, ..Default::default() };
    let (p, w) = super::parse(&sources, &options).unwrap();
    assert!(w.is_empty(), "{w:?}");
    assert_eq!(dump::unit(&p, "f"), "sq(x, sq_1)\nf = (3 * sq_1)\n");
    let sq = p.unit(p.unit_named("sq").unwrap());
    assert_eq!((sq.span.source.0, sq.span.line), (0, 1));
    let f = p.unit(p.unit_named("f").unwrap());
    assert_eq!((f.span.line, f.span.column), (4, 1));
    let other = p.unit(p.unit_named("other").unwrap());
    assert_eq!(other.span.source.0, 1);
    assert_eq!(p.calls.len(), 2);
}

#[test]
fn real_files_are_read() {
    for f in
        ["tests/c/flow.c", "tests/c/data.c", "../shared/bench/kernels.c", "../shared/bench/hand_adjoints.c", "../shared/golden/burgers.c"]
    {
        let Ok(text) = std::fs::read_to_string(format!("{}/../../{f}", env!("CARGO_MANIFEST_DIR"))) else {
            println!("{f} is not here, skipped");
            continue;
        };
        let (p, w) = preprocessed(&text).unwrap_or_else(|d| panic!("{f}: {d:#?}"));
        println!("{f}: {} functions, {} problems", p.units.len(), w.len());
        for w in &w {
            println!("  {w}");
        }
        assert!(!f.contains("kernels") || (w.is_empty() && p.units.len() == 7));
        assert!(xaif::validate::semantics(&p).is_empty());
        for u in &p.units {
            for v in u.graph.node_weights() {
                assert!(!matches!(&v.kind, VertexKind::Branch(e) | VertexKind::Pre(e) if e.nodes.is_empty()));
                for s in v.stmts() {
                    assert!(s.span.is_known());
                    if let StmtKind::Assignment { rhs, .. } = &s.kind {
                        assert!(!rhs.nodes.iter().any(|n| matches!(n.kind, NodeKind::FunctionCall(_))));
                    }
                }
            }
        }
    }
}
