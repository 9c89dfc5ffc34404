//! Declarations.

use super::*;

const MODULE: &str = "
module m
  use iso_fortran_env, only: dp => real64
  implicit none
  private
  integer, parameter :: wp = selected_real_kind(15, 307), n0 = 3 ! precision
  real(wp), parameter :: pi = 3.14159_wp, tab(3) = [1.0_wp, 2.0_wp, 3.0_wp]
  real(dp), public :: g = 2
  public :: f
contains
  ! Doubles.
  pure real(wp) function f(x, w, k) result(z)
    real(wp), intent(in) :: x(0:, :), w(*)
    integer, value :: k
    real(kind=4) :: t(n0, -1:k)
    real(kind(1.d0)), allocatable :: u(:)
    z = x(1,1) + real(t(1,1), wp)
  end function f
end module
";

#[test]
fn modules_and_kinds() {
    let p = program(MODULE);
    let m = &p.units[0];
    assert_eq!(m.kind, UnitKind::Container);
    assert_eq!((m.span.line, m.span.end_line), (2, 19));
    let f = &p.units[1];
    assert_eq!(f.kind, UnitKind::Function);
    assert_eq!(f.prefixes, ["pure"]);
    assert_eq!(f.comment, "Doubles.");
    assert_eq!(m.imports, ["use iso_fortran_env, only: dp => real64"]);
    let result = f.result().unwrap();
    assert_eq!(p.symbol(result.symbol).name, "z");
    assert_eq!(p.symbol(result.symbol).ty, ElemType::REAL64);
    assert_eq!(p.symbol(f.symbol).ty, ElemType::REAL64);
    assert_eq!(p.scope(f.scope).parent, Some(m.scope));
    let s = |n: &str| symbol(&p, "f", n);
    assert_eq!(s("pi").storage(), &Storage::Constant);
    assert_eq!(s("wp").decl.as_ref().unwrap().init.as_ref().unwrap().as_int(), Some(8));
    assert_eq!(s("tab").decl.as_ref().unwrap().init_text, "[1.0_wp, 2.0_wp, 3.0_wp]");
    assert_eq!((s("g").ty, s("g").storage()), (ElemType::REAL64, &Storage::Global));
    assert!(s("pi").has_attribute("private") && !s("g").has_attribute("private"));
    assert_eq!((s("x").passing(), s("w").passing(), s("k").passing()), (Passing::Descriptor, Passing::Reference, Passing::Value));
    let d = |n: &str, k: usize| s(n).decl.as_ref().unwrap().dims[k].clone();
    assert_eq!(d("x", 0), Dim { lower: Bound::Expr(Expr::int(0)).spelled("0"), upper: Bound::Unknown });
    assert_eq!(d("x", 1), Dim { lower: Bound::Expr(Expr::int(1)), upper: Bound::Unknown });
    assert_eq!(d("w", 0), Dim { lower: Bound::Expr(Expr::int(1)), upper: Bound::Unknown });
    assert_eq!(d("u", 0), Dim::default());
    assert_eq!((s("t").ty.bits, s("t").rank, s("u").ty.bits), (32, 2, 64));
    assert_eq!(s("t").decl.as_ref().unwrap().type_text, "real(kind=4)");
    assert_eq!(show(&p, "f"), ["z = (x(1,1) + real_scal'real(wp)'(t(1,1)))"]);
}

trait Spelled {
    fn spelled(self, text: &str) -> Self;
}

impl Spelled for Bound {
    fn spelled(mut self, text: &str) -> Self {
        if let Bound::Expr(e) = &mut self
            && let NodeKind::Const(c) = &mut e.nodes[0].kind
        {
            std::sync::Arc::make_mut(c).spelling = text.into();
        }
        self
    }
}

#[test]
fn fixed_form_with_old_declarations() {
    let text = "\
C     Sums.
      SUBROUTINE OLD(X, N, *)
";
    assert!(form(text, true).is_err());
    let text = "\
C     Sums.
      DOUBLE PRECISION FUNCTION OLD(X, N)
      IMPLICIT DOUBLE PRECISION (A-H,O-Z)
      DIMENSION X(N), Y(2)
      REAL*4 R
      CHARACTER*8 NAME, C*3
      PARAMETER (PI = 3.14D0, M = 2)
      COMMON /BLK/ B, A(M), K
      COMMON Z
      DOUBLE PRECISION DSQRT
      EXTERNAL G
      SAVE T
      DATA Y /2*1.5D0/, T, R /3.D0, 4./
      F(U, V) = U*V + PI
C     The loop.
      DO 10, I = 1, N
   10 OLD = OLD + F(X(I), DSQRT(A(1)))
     1      * G(Y) ! product
      CALL SUB(OLD, &
";
    let _ = form(text, true);
    let text = text.replace("      CALL SUB(OLD, &\n", "      END\n");
    let (p, w) = form(&text, true).unwrap_or_else(|d| panic!("{}", lines(&d)));
    assert!(w.is_empty());
    let s = |n: &str| symbol(&p, "old", n);
    assert_eq!((s("x").ty, s("x").rank), (ElemType::REAL64, 1));
    assert_eq!(s("k").storage(), &Storage::Common("blk".into()));
    assert_eq!(s("z").storage(), &Storage::Common("".into()));
    let u = p.unit(p.unit_named("old").unwrap());
    let block: Vec<&str> = p
        .scope(u.scope)
        .symbols
        .iter()
        .map(|s| p.symbol(*s))
        .filter(|s| *s.storage() == Storage::Common("blk".into()))
        .map(|s| s.name.as_str())
        .collect();
    assert_eq!(block, ["B", "A", "K"]);
    assert_eq!(s("y").decl.as_ref().unwrap().init_text, "[1.5D0, 1.5D0]");
    assert_eq!(s("r").decl.as_ref().unwrap().init_text, "4.");
    assert_eq!(s("t").storage(), &Storage::Static);
    assert_eq!(s("c").decl.as_ref().unwrap().type_text, "character(len=3)");
    assert_eq!(u.comment, "Sums.");
    assert_eq!(
        show(&p, "old"),
        [
            "for I = 1; less_or_equal(I, N); I = (I + 1)",
            "  call G(1:Y, 2:g_1)",
            "  OLD = (OLD + (((X(I) * sqrt_scal'dsqrt'(A(1))) + PI) * g_1))",
        ]
    );
    let g = p.symbols.iter().find(|s| s.name == "G").unwrap();
    assert_eq!(p.symbols.len(), p.scopes.iter().map(|s| s.symbols.len()).sum::<usize>());
    assert_eq!((g.kind, g.scope), (SymbolKind::Subroutine, ScopeId(0)));
    // Places are those of the original text.
    let stmts: Vec<_> = u.graph.node_weights().flat_map(|v| v.stmts()).collect();
    let last = stmts.last().unwrap();
    assert_eq!((last.span.line, last.span.column, last.span.end_line), (17, 7, 18));
    assert_eq!(last.comment, "product");
    assert_eq!(last.text, "OLD = OLD + F(X(I), DSQRT(A(1))) * G(Y)");
    assert_eq!((s("t").span.line, s("t").span.column), (12, 12));
}

#[test]
fn interfaces_and_generics() {
    let p = program(
        "subroutine s(x)
 real :: x
 interface
  subroutine ext(a, b)
   real, intent(in) :: a
   real, optional :: b
  end subroutine
 end interface
 interface gen
  function genr(a) result(r)
   real :: a, r
  end function
  function geni(a) result(r)
   integer :: a, r
  end function
 end interface
 call ext(b=x, a=1.0)
 x = gen(x) + gen(2)
end subroutine
",
    );
    assert_eq!(show(&p, "s"), ["call ext(1:1.0_32, 2:x)", "call genr(1:x, 2:genr_1)", "call geni(1:2, 2:geni_1)", "x = (genr_1 + geni_1)"]);
    assert_eq!(p.units[0].imports.len(), 2);
    assert!(p.units[0].imports[1].starts_with(" interface gen\n"));
}

#[test]
fn what_nobody_asks_for_may_be_left_out() {
    let text = "
subroutine kernel(x, y)
  real(8) :: x, y
  y = x*x
  call show(x, y)
end subroutine
subroutine show(x, y)
  real(8) :: x, y, z
  equivalence (z, x)
  print *, x, y
end subroutine
";
    let (p, w) = form(text, false).unwrap();
    assert_eq!(w.iter().map(|d| d.code).collect::<Vec<_>>(), ["OB3023"]);
    assert!(p.unit_named("show").is_none());
    assert_eq!(show(&p, "kernel"), ["y = (x * x)", "Call [x y] -> [x y] {call show(x, y)}"]);
}

#[test]
fn functions_that_were_left_out_are_external_where_they_see_nothing_else() {
    let text = |inside: &str| {
        format!(
            "
subroutine kernel(x, y)
  real(8) :: x, y, c
  external c
  y = x*c(2)
end subroutine
real(8) function c(i)
  integer :: i, j(2)
  real(8) :: z
  equivalence (z, j)
  {inside}
  c = z + i
end function
subroutine seed(k)
  integer :: k
  common /state/ k0
  k = k0
end subroutine
"
        )
    };
    let (p, w) = form(&text("z = 1"), false).unwrap();
    assert_eq!(w.iter().map(|d| d.code).collect::<Vec<_>>(), ["OB3023"]);
    assert!(p.unit_named("kernel").is_some() && p.unit_named("c").is_none());
    for inside in ["common /g/ z", "call seed(j(1))"] {
        let (p, w) = form(&text(inside), false).unwrap();
        assert_eq!(w.iter().map(|d| d.code).collect::<Vec<_>>(), ["OB3050", "OB3023"], "{inside}");
        assert!(p.unit_named("kernel").is_none());
    }
}

#[test]
fn data_by_element_and_formats_by_label() {
    let text = "C
      SUBROUTINE E(X)
      REAL*8 X, T(0:2,2)
      INTEGER K(3)
      DATA (T(I,1), I=0,2) /1.,2*3./, T(1,2) /7.D0/
      DATA K(1), K(3) /4, -5/
      WRITE(*, FMT = 9999 ) X
      PRINT 100, X
 9999 FORMAT ( ' it''s ', F8.3 )
  100 FORMAT(F8.3)
      END
";
    let (p, _) = form(text, true).unwrap_or_else(|d| panic!("{}", lines(&d)));
    let init = |n: &str| symbol(&p, "e", n).decl.as_ref().unwrap().init_text.to_string();
    assert_eq!(init("t"), "reshape([double precision :: 1., 3., 3., 0, 7.D0, 0], [3, 2])");
    assert_eq!(init("k"), "[4, 0, -5]");
    assert_eq!(
        show(&p, "e"),
        ["Terminal [X] -> [] {WRITE(*, FMT = '( '' it''''s '', F8.3 )' ) X}", "Terminal [X] -> [] {PRINT '(F8.3)', X}"]
    );
}
