//! Programs from C.

use super::*;

#[test]
fn a_c_kernel_becomes_a_module() {
    let mut m = Maker::c();
    let table = m.stored(ScopeId(0), "_table", REAL, Storage::Constant);
    m.dims(table, &[(0, Some(Expr::int(1))), (0, Some(Expr::int(2)))]);
    m.decl(table).init_text = "{{1, 2.5, 3}, {4e0, 5, 6.0}}".into();
    let (f, scope) = m.unit("kernel", ScopeId(0), UnitKind::Function);
    let n = m.formal(f, "n", INT, Intent::In);
    m.decl(n).passing = Passing::Value;
    let a = m.formal(f, "a", REAL, Intent::Inout);
    m.dims(a, &[(0, None), (0, Some(sub(v(n), Expr::int(1))))]);
    let r = m.result(f, "result", REAL);
    let i = m.local(scope, "i", INT);
    let big = m.local(scope, "N", INT);
    let max = m.local(scope, "max", REAL);
    let head = ForLoop {
        explicit: false,
        init: set(i, Expr::int(0)),
        condition: lt(v(i), v(n)),
        update: set(i, add(v(i), Expr::int(1))),
        counted: true,
    };
    m.body(f, |b| {
        b.stmt(set(big, Expr::int(1)));
        b.stmt(set(max, at(a, [Expr::int(0), v(big)])));
        b.begin_for(head);
        b.stmt(set(max, op("max_scal_scal", [v(max), at(a, [v(big), v(i)])])));
        b.end_loop();
        b.stmt(set(r, add(v(max), at(table, [v(big), Expr::int(2)]))));
        // if (i < n && a[1][i] > 0): the right side only where the left holds
        let guarded = Expr::boolean(BoolOp::And, [lt(v(i), v(n)), gt(at(a, [v(big), v(i)]), real(0.0))]);
        b.begin_branch(guarded);
        b.arm(&[1]);
        b.stmt(set(r, real(0.0)));
        b.end_branch();
    });
    let source = m.print().source;
    assert!(source.contains("module kernel_module"), "{source}");
    assert!(source.contains("a(0:n - 1, 0:*)"), "{source}");
    assert!(source.contains("integer, value :: n"), "{source}");
    assert!(source.contains("do i = 0, n - 1"), "{source}");
    assert!(source.contains("x_table(0:2, 0:1) ="), "{source}");
    let main = "program t\n use kernel_module\n double precision :: a(0:1, 0:1) = reshape([1, 2, 3, 4], [2, 2])\n print '(f6.2)', kernel(2, a)\nend program";
    assert_eq!(runs(&source, main), "10.00");
}

#[test]
fn work_arrays_of_c_become_allocatable() {
    let mut m = Maker::c();
    let (f, scope) = m.unit("f", ScopeId(0), UnitKind::Subroutine);
    let n = m.formal(f, "n", INT, Intent::In);
    m.decl(n).passing = Passing::Value;
    let y = m.formal(f, "y", REAL, Intent::Inout);
    let w = m.local(scope, "w", REAL);
    m.dims(w, &[(0, None)]);
    m.decl(w).attributes.push("heap".into());
    let marker = |class, zeroed| {
        let section = Triplet { index: Some(Expr::int(0)), bound: Some(sub(v(n), Expr::int(1))), stride: None };
        let object = VarRef { subscripts: vec![section].into(), ..VarRef::whole(w) };
        Stmt::new(StmtKind::Marker(Box::new(Marker { class, object: Some(object), zeroed, ..Marker::default() })))
    };
    m.body(f, |b| {
        b.stmt(marker(MarkerClass::Allocate, true));
        b.stmt(Stmt::assign(VarRef::element(w, [Expr::int(0)]), v(y)));
        b.stmt(set(y, add(at(w, [Expr::int(0)]), at(w, [sub(v(n), Expr::int(1))]))));
        b.stmt(marker(MarkerClass::Deallocate, false));
    });
    let source = m.print().source;
    assert!(source.contains("allocate (w(0:n - 1))\n    w = 0\n"), "{source}");
    let main = "program t\n use kernel_module\n double precision :: y = 2.5d0\n call f(3, y)\n print '(f6.2)', y\nend program";
    assert_eq!(runs(&source, main), "2.50");
}

#[test]
fn what_fortran_does_not_have_is_refused() {
    let mut m = Maker::c();
    let (f, scope) = m.unit("f", ScopeId(0), UnitKind::Subroutine);
    let y = m.formal(f, "y", REAL, Intent::Inout);
    let s = m.local(scope, "s", ElemType { base: BaseType::Opaque, bits: 0 });
    let print = Marker { class: MarkerClass::Io, text: "printf(\"%g\", y);".into(), reads: vec![y], ..Marker::default() };
    m.body(f, |b| {
        b.stmt(Stmt::new(StmtKind::Marker(Box::new(print))));
        b.stmt(set(s, v(y)));
        b.stmt(set(y, op("bessel_unheard_of", [v(y)])));
        b.stmt(Stmt::runtime("push_s0", v(y)));
    });
    assert_eq!(m.refusals(), ["OB5052", "OB5051", "OB5053", "OB5050"]);
}
