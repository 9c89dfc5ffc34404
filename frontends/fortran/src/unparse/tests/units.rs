//! Whole units: headers, declarations, modules, splicing, recording.

use super::*;

/// Griewank's function with a loop that records, as an adjoint does.
fn griewank() -> Maker {
    let mut m = Maker::fortran();
    let (u, scope) = m.unit("griewank", ScopeId(0), UnitKind::Subroutine);
    let s = m.formal(u, "s", INT, Intent::In);
    let a = m.formal(u, "a", REAL, Intent::In);
    m.dims(a, &[(1, Some(v(s)))]);
    let c = m.formal(u, "c", REAL, Intent::Out);
    let d = m.local(scope, "d", REAL);
    let i = m.local(scope, "i", INT);
    m.local(scope, "unused", REAL);
    m.body(u, |b| {
        b.stmt(set(c, real(1.0)));
        b.stmt(set(d, real(1.0)));
        b.begin_for(upto(i, Expr::int(1), v(s)));
        b.stmt(set(c, add(v(c), div(op("pow_scal_scal", [at(a, [v(i)]), Expr::int(2)]), Expr::int(400)))));
        b.stmt(Stmt::runtime("push", v(d)));
        let quotient = div(at(a, [v(i)]), op("sqrt_scal", [Expr::op_typed("real_scal", REAL, "dble", [v(i)])]));
        b.stmt(set(d, mul(v(d), op("cos_scal", [quotient]))));
        b.end_loop();
        b.stmt(set(c, sub(v(c), v(d))));
        b.begin_for(upto(i, Expr::int(1), v(s)));
        b.stmt(Stmt::runtime("pop", v(d)));
        b.end_loop();
        b.stmt(set(c, add(v(c), sub(v(d), real(1.0)))));
    });
    m
}

#[test]
fn an_external_procedure_that_records() {
    let out = griewank().print();
    assert!(out.needs_runtime);
    assert!(!out.source.contains("unused"));
    for line in [
        "subroutine griewank(s, a, c)",
        "  use overbar_runtime, only: overbar_pop, overbar_push",
        "  integer, intent(in) :: s",
        "  double precision, intent(in) :: a(s)",
        "    c = c + a(i)**2/400",
        "    d = d*cos(a(i)/sqrt(dble(i)))",
    ] {
        assert!(out.source.lines().any(|l| l == line), "{line}\n{}", out.source);
    }
    let main = "program t\n double precision :: c, a(5) = 1\n call griewank(5, a, c)\n print '(f18.15)', c\nend program";
    let mut exact = 1.0f64;
    let mut d = 1.0f64;
    for i in 1..=5 {
        exact += 1.0 / 400.0;
        d *= (1.0 / f64::from(i).sqrt()).cos();
    }
    exact -= d;
    let got: f64 = runs(&out.source, main).parse().unwrap();
    assert!((got - exact).abs() < 1e-14, "{got} {exact}");
}

#[test]
fn arguments_are_declared_behind_what_their_bounds_need() {
    let mut m = Maker::fortran();
    let (u, scope) = m.unit("f", ScopeId(0), UnitKind::Subroutine);
    let a = m.formal(u, "a", REAL, Intent::Inout);
    let n = m.formal(u, "n", INT, Intent::In);
    let k = m.stored(scope, "k", INT, Storage::Constant);
    m.decl(k).init = Some(Expr::int(2));
    let w = m.local(scope, "w", REAL);
    m.dims(a, &[(0, Some(mul(v(k), v(n))))]);
    m.dims(w, &[(1, Some(add(v(n), v(k))))]);
    m.body(u, |b| {
        b.stmt(set(w, real(0.0)));
        b.stmt(Stmt::assign(VarRef::element(a, [v(n)]), at(w, [Expr::int(1)])));
    });
    let out = m.print().source;
    compiles(&out, false);
    assert!(
        out.contains("integer, parameter :: k = 2\n  integer, intent(in) :: n\n  double precision, intent(inout) :: a(0:k*n)\n"),
        "{out}"
    );
}

#[test]
fn functions_and_their_calls() {
    let mut m = Maker::fortran();
    let (f, _) = m.unit("square", ScopeId(0), UnitKind::Function);
    let x = m.formal(f, "x", REAL, Intent::In);
    let r = m.result(f, "square", REAL);
    m.body(f, |b| b.stmt(set(r, mul(v(x), v(x)))));
    let (fact, _) = m.unit("factorial", ScopeId(0), UnitKind::Function);
    let n = m.formal(fact, "n", INT, Intent::In);
    let value = m.result(fact, "factorial", REAL);
    let scope = m.p.unit(fact).scope;
    let t = m.local(scope, "t", REAL);
    let me = m.p.unit(fact).symbol;
    let less = m.local(scope, "less", INT);
    m.body(fact, |b| {
        b.begin_branch(le(v(n), Expr::int(1)));
        b.arm(&[1]);
        b.stmt(set(value, real(1.0)));
        b.arm(&[]);
        b.stmt(set(less, sub(v(n), Expr::int(1))));
        b.stmt(call(me, [v(less), v(t)]));
        b.stmt(set(value, mul(v(n), v(t))));
        b.end_branch();
    });
    let (g, scope) = m.unit("g", ScopeId(0), UnitKind::Subroutine);
    let y = m.formal(g, "y", REAL, Intent::Inout);
    let t = m.local(scope, "t", REAL);
    let (sq, fa) = (m.p.unit(f).symbol, m.p.unit(fact).symbol);
    m.body(g, |b| {
        b.stmt(call(sq, [v(y), v(t)]));
        b.stmt(call(fa, [Expr::int(5), v(y)]));
        b.stmt(set(y, add(v(y), v(t))));
    });
    let out = m.print().source;
    assert!(
        out.contains("double precision, external :: square, factorial") || out.contains("double precision, external :: square\n"),
        "{out}"
    );
    assert!(out.contains("recursive function factorial(n) result(factorial_1)"), "{out}");
    let got = runs(&out, "program t\n double precision :: y = 3\n call g(y)\n print '(f8.3)', y\nend program");
    assert_eq!(got, "129.000");
}

/// A module with text, into which a tangent is put.
fn module_with_text(text: &str) -> (Maker, UnitId, ScopeId) {
    let mut m = Maker::fortran();
    m.p.sources[0].text = text.to_owned();
    m.p.provenance = "Made by a test".into();
    let line_of = |needle: &str| text.lines().position(|l| l.trim().eq_ignore_ascii_case(needle)).map(|i| i as u32 + 1);
    let span = |from: u32, to: u32| Span { source: SourceId(0), line: from, column: 1, end_line: to, end_column: 200 };
    let (module, scope) = m.unit("m", ScopeId(0), UnitKind::Container);
    m.p.units[module.index()].span = span(line_of("module m").unwrap(), line_of("end module m").unwrap());
    let g = m.stored(scope, "g", REAL, Storage::Global);
    let (f, fs) = m.unit("f", scope, UnitKind::Subroutine);
    m.p.units[f.index()].span = span(line_of("subroutine f(x)").unwrap(), line_of("end subroutine f").unwrap());
    let x = m.formal(f, "x", REAL, Intent::Inout);
    let _ = fs;
    m.body(f, |b| b.stmt(set(x, mul(v(x), v(g)))));
    let gd = m.stored(scope, "gd", REAL, Storage::Global);
    m.p.symbol_mut(gd).temp = true;
    m.decl(gd).derivative_of = Some(g);
    let (d, _) = m.unit("f_d", scope, UnitKind::Subroutine);
    m.p.units[d.index()].derivation = Some(Derivation { of: f, mode: Mode::Tangent });
    let x = m.formal(d, "x", REAL, Intent::Inout);
    let xd = m.formal(d, "xd", REAL, Intent::Inout);
    m.body(d, |b| {
        let mut s = set(xd, add(mul(v(xd), v(g)), mul(v(x), v(gd))));
        s.comment = "x = x*g".into();
        b.stmt(s);
        b.stmt(set(x, mul(v(x), v(g))));
    });
    (m, d, scope)
}

#[test]
fn derivatives_go_behind_their_originals_in_the_same_module() {
    let text = "! A module.\nmodule m\n  implicit none\n  private\n  public :: f, g\n  double precision :: g = 2 ! the gain\n\ncontains\n\n  subroutine f(x)\n    double precision, intent(inout) :: x\n    x = x*g\n  end subroutine f\n\nend module m\n";
    let (m, ..) = module_with_text(text);
    let out = m.print().source;
    let expected = "! A module.\nmodule m\n  implicit none\n  private\n  public :: f, g\n  double precision :: g = 2 ! the gain\n  public :: f_d, gd\n  double precision :: gd\n\ncontains\n\n  subroutine f(x)\n    double precision, intent(inout) :: x\n    x = x*g\n  end subroutine f\n\n  ! Made by a test\n  subroutine f_d(x, xd)\n    implicit none\n    double precision, intent(inout) :: x, xd\n\n    ! x = x*g\n    xd = xd*g + x*gd\n    x = x*g\n  end subroutine f_d\n\nend module m\n";
    assert_eq!(out, expected);
    let got = runs(
        &out,
        "program t\n use m\n double precision :: x = 3, xd = 1\n gd = 10\n call f_d(x, xd)\n print '(2f6.1)', x, xd\nend program",
    );
    assert_eq!(got, "6.0 32.0");
}

#[test]
fn derivatives_alone_stand_in_a_module_beside_the_original() {
    let text = "module m\n  double precision :: g = 2\ncontains\n  subroutine f(x)\n    double precision, intent(inout) :: x\n    x = x*g\n  end subroutine f\nend module m\n";
    let (m, ..) = module_with_text(text);
    let out = unparse(&m.p, &UnparseOptions { no_primal: true, header: true }).unwrap();
    assert!(out.source.contains("module m_diff\n  use m\n  implicit none\n  double precision :: gd\n\ncontains\n"), "{}", out.source);
    assert!(out.header.unwrap().contains("module kernel_interfaces"));
    compiles(&format!("{text}{}", out.source), false);

    let private = text.replace("  double precision :: g = 2", "  private\n  public :: f\n  double precision :: g = 2");
    let (m, ..) = module_with_text(&private);
    let refused = unparse(&m.p, &UnparseOptions { no_primal: true, header: false }).unwrap_err();
    assert_eq!(refused[0].code, "OB5059");
}

#[test]
fn derivative_common_blocks_have_one_layout() {
    let mut m = Maker::fortran();
    let block = || Storage::Common("blk".into());
    let (f, fs) = m.unit("f", ScopeId(0), UnitKind::Subroutine);
    let p = m.stored(fs, "p", REAL, block());
    let k = m.stored(fs, "k", INT, block());
    let q = m.stored(fs, "q", REAL, block());
    m.dims(q, &[(1, Some(Expr::int(3)))]);
    m.body(f, |b| b.stmt(Stmt::assign(VarRef::element(q, [v(k)]), v(p))));
    let (d, ds) = m.unit("f_b", ScopeId(0), UnitKind::Subroutine);
    m.p.units[d.index()].derivation = Some(Derivation { of: f, mode: Mode::Adjoint });
    let qb = m.stored(ds, "qb", REAL, Storage::Common("blk_b".into()));
    m.dims(qb, &[(1, Some(Expr::int(3)))]);
    m.p.symbol_mut(qb).temp = true;
    m.decl(qb).derivative_of = Some(q);
    m.body(d, |b| b.stmt(Stmt::assign(VarRef::element(qb, [v(k)]), real(0.0))));
    let out = m.print().source;
    compiles(&out, false);
    assert!(out.contains("common /blk/ p, k, q"), "{out}");
    assert!(out.contains("common /blk_b/ pb, qb"), "{out}");
}

#[test]
fn optional_arguments_that_are_left_out() {
    let mut m = Maker::fortran();
    let (module, scope) = m.unit("m", ScopeId(0), UnitKind::Container);
    let _ = module;
    let (f, _) = m.unit("f", scope, UnitKind::Subroutine);
    let x = m.formal(f, "x", REAL, Intent::Inout);
    for name in ["a", "b"] {
        let s = m.formal(f, name, REAL, Intent::In);
        m.decl(s).attributes.push("optional".into());
    }
    let b2 = m.p.unit(f).formals[2].symbol;
    m.body(f, |b| {
        b.begin_branch(op("present", [v(b2)]));
        b.arm(&[1]);
        b.stmt(set(x, v(b2)));
        b.end_branch();
    });
    let (g, _) = m.unit("g", scope, UnitKind::Subroutine);
    let y = m.formal(g, "y", REAL, Intent::Inout);
    let callee = m.p.unit(f).symbol;
    m.body(g, |b| {
        let mut c = call(callee, [v(y), real(7.0)]);
        if let StmtKind::Call(c) = &mut c.kind {
            c.arguments[1].position = 3;
        }
        b.stmt(c);
    });
    let out = m.print().source;
    assert!(out.contains("call f(y, b=7.0d0)"), "{out}");
    compiles(&out, false);
}

#[test]
fn fixed_form_text_gets_fixed_form_derivatives() {
    let text = "      subroutine f(x, y)\n      double precision x, y\nc     the product\n      y = x*x\n      end\n";
    let mut m = Maker::fortran();
    m.p.sources[0] = Source::new("k.f", "fortran", true, text);
    let (f, _) = m.unit("f", ScopeId(0), UnitKind::Subroutine);
    m.p.units[f.index()].span = Span { source: SourceId(0), line: 1, column: 7, end_line: 5, end_column: 10 };
    m.formal(f, "x", REAL, Intent::Inout);
    m.formal(f, "y", REAL, Intent::Inout);
    let (d, _) = m.unit("f_d", ScopeId(0), UnitKind::Subroutine);
    m.p.units[d.index()].derivation = Some(Derivation { of: f, mode: Mode::Tangent });
    let names = ["x", "a_long_companion_of_x", "y", "a_long_companion_of_y"];
    let s: Vec<SymbolId> = names.iter().map(|n| m.formal(d, n, REAL, Intent::Inout)).collect();
    m.body(d, |b| {
        b.stmt(set(s[3], add(mul(v(s[0]), v(s[1])), mul(v(s[1]), mul(v(s[0]), real(1.0))))));
        b.stmt(set(s[2], mul(v(s[0]), v(s[0]))));
    });
    let out = m.print().source;
    assert!(out.starts_with(text), "{out}");
    assert!(out.lines().all(|l| l.len() <= 72), "{out}");
    compiles(&out, true);
}

/// Printing takes time in proportion to the program.
#[test]
fn a_large_unit_is_printed_quickly() {
    let time = |n: usize| {
        let mut m = Maker::fortran();
        let (u, scope) = m.unit("f", ScopeId(0), UnitKind::Subroutine);
        let x = m.formal(u, "x", REAL, Intent::Inout);
        let t: Vec<SymbolId> = (0..n).map(|i| m.local(scope, &format!("t{i}"), REAL)).collect();
        m.body(u, |b| {
            let mut last = x;
            for &t in &t {
                b.stmt(set(t, mul(op("sin_scal", [v(last)]), add(v(last), v(x)))));
                last = t;
            }
            b.stmt(set(x, v(last)));
        });
        let start = std::time::Instant::now();
        let source = m.print().source;
        let took = start.elapsed().as_secs_f64();
        if n == 10_000 {
            compiles(&source, false);
        }
        took
    };
    let (small, large) = (time(10_000), time(40_000));
    println!("10000 statements {small:.3} s, 40000 statements {large:.3} s");
    assert!(large < 12.0 * small + 0.5, "{small} {large}");
}

/// A sum of thousands of terms and a graph whose tree would be astronomical.
#[test]
fn huge_expressions_are_split() {
    let mut m = Maker::fortran();
    let (u, _) = m.unit("f", ScopeId(0), UnitKind::Subroutine);
    let x = m.formal(u, "x", REAL, Intent::In);
    let y = m.formal(u, "y", REAL, Intent::Out);
    let z = m.formal(u, "z", REAL, Intent::Out);
    let sum = (0..3000).fold(v(x), |e, i| add(e, mul(real(f64::from(i)), v(x))));
    let mut doubled = v(x);
    for _ in 0..60 {
        let root = doubled.root_id();
        doubled.nodes.push(Node {
            kind: NodeKind::Op(xaif::model::Op::named("add_scal_scal")),
            operands: [root, root].into_iter().collect(),
            origin: None,
        });
    }
    m.body(u, |b| {
        b.stmt(set(y, sum));
        b.stmt(set(z, doubled));
    });
    let source = m.print().source;
    assert!(source.len() < 400_000, "{}", source.len());
    let main = "program t\n double precision :: y, z\n call f(1d0, y, z)\n print '(f12.1, es24.16)', y, z/2d0**60\nend program";
    assert_eq!(runs(&source, main), "4498501.0 1.0000000000000000E+00");
}
