//! Derivative functions in the user's text, alone, and in a header. The derivative units are read from C themselves.

mod common;
use common::{compile, compile_with, folder, read};
use overbar_c::{UnparseOptions, Unparsed, unparse};
use xaif::Program;
use xaif::model::{Derivation, Expr, Mode, Stmt, StmtKind, VertexKind};

const USER: &str = "/* The file. */\n\n#include <stdlib.h>\n\ntypedef double real;\nreal gain = 2, other; /* of it */\n\n/* f */\nreal f(int n, const real *x) {\n    real s = gain;\n    for (int i = 0; i < n; i++)\n        s += x[i]; // sum\n    return s;\n} /* end of f */\n\nint after(void) {\n    return abs(-1);\n}\n";

const DERIVATIVE: &str = "real gainb;\nvoid f_b(int n, const real *x, real *xb, real fb);\nvoid g_b(int n, const real *x, real *xb) {\n    f_b(n, x, xb, 1.0);\n}\nvoid f_b(int n, const real *x, real *xb, real fb) {\n    real t = x[0];\n    gainb = gainb + fb * cos(t);\n    for (int i = n - 1; i >= 0; i--)\n        xb[i] += fb;\n}\n";

/// The program that a booster would make: `f_b` derived from `f`, `gainb` from `gain`; `t` is recorded.
fn boosted(user: &str) -> Program {
    let mut p = read(&format!("{user}#include <math.h>\n{DERIVATIVE}"));
    p.sources[0].text = user.to_string();
    p.provenance = "Overbar, a test.".into();
    let of = p.unit_named("f").unwrap();
    for name in ["f_b", "g_b"] {
        let u = p.unit_named(name).unwrap();
        p.units[u.index()].derivation = Some(Derivation { of, mode: Mode::Adjoint });
    }
    let gain = p.lookup(xaif::model::ScopeId(0), "gain").unwrap();
    let gainb = p.lookup(xaif::model::ScopeId(0), "gainb").unwrap();
    let symbol = p.symbol_mut(gainb);
    symbol.temp = true;
    symbol.decl.get_or_insert_default().derivative_of = Some(gain);
    let u = p.unit_named("f_b").unwrap();
    let t = p.lookup(p.unit(u).scope, "t").unwrap();
    let graph = &mut p.units[u.index()].graph;
    let block = graph.node_weights_mut().find_map(|v| match &mut v.kind {
        VertexKind::Block { stmts, .. } if !stmts.is_empty() => Some(stmts),
        _ => None,
    });
    let block = block.unwrap();
    let pop = StmtKind::Runtime { name: "pop".into(), arguments: vec![xaif::model::CallArgument::new(1, Expr::sym(t))] };
    block.insert(1, Box::new(Stmt::new(pop)));
    block.insert(1, Box::new(Stmt::runtime("push", Expr::sym(t))));
    p
}

fn print(p: &Program, no_primal: bool, header: bool) -> Unparsed {
    match unparse(p, &UnparseOptions { no_primal, header }) {
        Ok(out) => out,
        Err(problems) => panic!("{}", problems.iter().map(|p| format!("{p}\n")).collect::<String>()),
    }
}

#[test]
fn everything_goes_where_it_belongs() {
    let out = print(&boosted(USER), false, false);
    assert!(out.needs_runtime);
    let expected = USER
        .replace("#include <stdlib.h>\n", "#include <stdlib.h>\n#include <math.h>\n#include \"overbar.h\"\n")
        .replace("/* of it */\n", "/* of it */\nreal gainb;\n")
        .replace(
            "/* end of f */\n",
            "/* end of f */\n\n/* Overbar, a test. */\nvoid f_b(int n, const real *x, real *xb, real fb);\n\n/* Adjoint of f. */\n\
             void g_b(int n, const real *x, real *xb) {\n    f_b(n, x, xb, 1.0);\n}\n\n/* Adjoint of f. */\n\
             void f_b(int n, const real *x, real *xb, real fb) {\n    real t = x[0];\n    ob_push_double(t);\n    t = ob_pop_double();\n    \
             gainb += fb * cos(t);\n    for (int i = n - 1; i >= 0; i--)\n        xb[i] += fb;\n}\n",
        );
    assert_eq!(out.source, expected);
    let dir = folder();
    compile(dir.path(), "spliced.c", &out.source);
}

#[test]
fn lines_end_as_the_users_do() {
    let windows = USER.replace('\n', "\r\n");
    let out = print(&boosted(&windows), false, false);
    assert_eq!(out.source.matches('\n').count(), out.source.matches("\r\n").count());
    assert_eq!(out.source.replace("\r\n", "\n"), print(&boosted(USER), false, false).source);
}

#[test]
fn derivatives_alone_bring_what_they_need() {
    let out = print(&boosted(USER), true, true);
    let dir = folder();
    compile(dir.path(), "alone.c", &out.source);
    assert!(out.source.contains("typedef double real;") && !out.source.contains("real f(int"), "{}", out.source);
    assert!(out.source.contains("\nreal gainb;\n"), "{}", out.source);
    let header = out.header.unwrap();
    assert!(header.contains("void f_b(int n, const double *x, double *xb, double fb);"), "{header}");
    std::fs::write(dir.path().join("f.h"), &header).unwrap();
    compile(dir.path(), "use.c", &format!("{}\n#include \"f.h\"\n", out.source));
    if std::process::Command::new("g++").arg("--version").output().is_ok() {
        compile_with(
            dir.path(),
            "use.cpp",
            "#include \"f.h\"\nvoid (*p)(int, const double *, double *, double) = f_b;\n",
            "g++",
            &["-Wall", "-Wextra", "-pedantic"],
        );
    }
}

#[test]
fn what_is_static_cannot_be_needed_elsewhere() {
    let hidden = USER.replace("real gain = 2, other;", "static real gain = 2; static real other;").replace("abs(-1)", "other > abs(-1)");
    let p = boosted(&hidden);
    assert!(
        print(&p, false, false).source.contains("static real gain = 2; static real other; /* of it */\n")
            || print(&p, false, false).source.contains("static real gainb;")
    );
    let problems = unparse(&p, &UnparseOptions { no_primal: true, header: false }).unwrap_err();
    assert_eq!(problems[0].code, "OB5107");
    assert_eq!(problems[0].location.as_ref().map(|l| l.line), Some(6));
    assert!(problems[0].help.is_some());
}
