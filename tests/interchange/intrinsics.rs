//! What the interpreter computes for the intrinsic functions of both languages, against compiled code.

use crate::common;

use common::silently;
use overbar::evaluate::{Data, Inputs, Limits, Value, run};
use std::fmt::Write;

/// Whole numbers of Fortran, in terms of the integers k, l, m and the real x.
const WHOLE: &[&str] = &[
    "merge(1, 0, btest(k, m))",
    "iand(k, l)",
    "ior(k, l)",
    "ieor(k, l)",
    "not(k)",
    "ishft(k, m)",
    "ishft(k, -m)",
    "ishft(l, 32)",
    "ishftc(k, m)",
    "ishftc(k, -m, 20)",
    "ishftc(l, 3, 5)",
    "ibits(k, m, 7)",
    "ibset(l, m)",
    "ibclr(k, m)",
    "shiftl(k, m)",
    "shiftr(l, m)",
    "shifta(l, m)",
    "popcnt(k)",
    "popcnt(l)",
    "poppar(k)",
    "leadz(k)",
    "leadz(l)",
    "trailz(k)",
    "trailz(0)",
    "bit_size(k)",
    "digits(k)",
    "digits(x)",
    "precision(x)",
    "range(x)",
    "range(k)",
    "radix(x)",
    "maxexponent(x)",
    "minexponent(x)",
    "exponent(x)",
    "huge(k)",
    "int(x)",
    "nint(x)",
    "floor(x)",
    "ceiling(x)",
    "mod(l, m)",
    "modulo(l, m)",
    "sign(k, l)",
    "dim(l, k)",
    "abs(l)",
    "max(k, l, m)",
    "min(k, l, m)",
    "len_trim('ab  ')",
    "index('banana', 'an')",
    "index('banana', 'an', .true.)",
    "scan('banana', 'nb')",
    "verify('aabc', 'ab')",
    "iachar('q')",
    "ichar('Q')",
    "merge(1, 0, llt('abc', 'abd'))",
    "merge(1, 0, lge('a', 'a '))",
    "len('four')",
    "int(ishft(int(k, 8), 40) / 4398046511104_8)",
    "int(mod(ibset(0_8, 50), 1000003_8))",
    // These two get other bits by MVBITS.
    "l",
    "k",
];
/// Real numbers of Fortran.
const REAL: &[&str] = &[
    "fraction(x)",
    "scale(x, m)",
    "nearest(x, 1.0)",
    "nearest(x, -1.0)",
    "spacing(x)",
    "rrspacing(x)",
    "set_exponent(x, m)",
    "erfc_scaled(x)",
    "erfc_scaled(9.0d0*abs(x))",
    "bessel_j0(x)",
    "bessel_j1(x)",
    "bessel_y0(abs(x))",
    "bessel_y1(abs(x))",
    "bessel_jn(2, x)",
    "bessel_jn(m, x)",
    "bessel_yn(2, abs(x))",
    "aint(x)",
    "anint(x)",
    "epsilon(x)",
    "tiny(x)",
    "huge(x)",
    "erf(x)",
    "gamma(abs(x))",
    "log_gamma(abs(x))",
    "hypot(x, 2.0d0)",
    "atan2(x, -1.5d0)",
    "modulo(x, 0.7d0)",
    "mod(x, 0.7d0)",
    "dim(x, 0.1d0)",
    "sign(2.5d0, x)",
    "dble(spacing(real(x)))",
    "dble(fraction(real(x)))",
    "dble(nearest(real(x), 1.0))",
];

fn data(x: &Data<f64>) -> Vec<f64> {
    x.values
        .iter()
        .map(|v| match v {
            Value::Int(n, _) => *n as f64,
            Value::Real(x, _) => *x,
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Values of the expressions at a point, by the interpreter.
fn interpreted(p: &xaif::Program, point: (i64, i64, i64, f64)) -> (Vec<f64>, Vec<f64>) {
    let unit = p.unit_named("probe").expect("the probe");
    let whole = Data { values: vec![Value::Undefined; WHOLE.len()], shape: [WHOLE.len()].into_iter().collect() };
    let reals = Data { values: vec![Value::Undefined; REAL.len()], shape: [REAL.len()].into_iter().collect() };
    let inputs = Inputs::default().with("k", Data::int(point.0)).with("l", Data::int(point.1)).with("m", Data::int(point.2));
    let inputs = inputs.with("x", Data::real(point.3)).with("i", whole).with("r", reals);
    let out = run(p, unit, &inputs, &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    (data(&out.arguments["i"]), data(&out.arguments["r"]))
}

#[test]
fn intrinsics_of_fortran() {
    let mut text = format!(
        "subroutine probe(k, l, m, x, i, r)\n  implicit none\n  integer, intent(in) :: k, l, m\n  real(8), intent(in) :: x\n  \
         integer, intent(out) :: i({})\n  real(8), intent(out) :: r({})\n",
        WHOLE.len(),
        REAL.len()
    );
    WHOLE.iter().enumerate().for_each(|(n, e)| writeln!(text, "  i({}) = {e}", n + 1).unwrap());
    REAL.iter().enumerate().for_each(|(n, e)| writeln!(text, "  r({}) = {e}", n + 1).unwrap());
    let n = WHOLE.len();
    let _ = writeln!(text, "  call mvbits(k, m, 6, i({}), 3)\n  call mvbits(l, 0, 32, to=i({n}), topos=0)", n - 1);
    text.push_str("end subroutine probe\n");
    let points =
        [(0x2b_5c71, -91, 5, 0.3), (-1, 77, 11, -2.75), (715_827_882, -1_147_483_647, 3, 6.02e3), (6, 0, 1, 0.5), (-19, -40, 7, -1e-3)];
    let source = [overbar_fortran::parse::SourceText { file: "probe.f90", text: &text }];
    let (program, _) = overbar_fortran::parse(&source, &Default::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let mut main = text.clone();
    let _ = writeln!(main, "program main\n  implicit none\n  integer :: i({}), n\n  real(8) :: r({})", WHOLE.len(), REAL.len());
    for (k, l, m, x) in points {
        let _ = writeln!(main, "  call probe({k}, {l}, {m}, {x:?}_8, i, r)\n  do n = 1, size(i)\n    print '(i0)', i(n)\n  end do");
        main.push_str("  do n = 1, size(r)\n    print '(es26.17e3)', r(n)\n  end do\n");
    }
    main.push_str("end program main\n");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("main.f90"), &main).expect("a file");
    silently(folder.path(), "gfortran", &["-w", "-O0", "main.f90", "-o", "main"]);
    let said = silently(folder.path(), "./main", &[]);
    let mut numbers = said.lines().map(|l| l.trim().parse::<f64>().expect("a number"));
    for point in points {
        let (whole, reals) = interpreted(&program, point);
        for (e, got) in WHOLE.iter().zip(whole) {
            let want = numbers.next().expect("a line");
            assert!(got == want, "{e} at {point:?}: {got}, not {want}");
        }
        for (e, got) in REAL.iter().zip(reals) {
            let want = numbers.next().expect("a line");
            assert!(got == want || (got - want).abs() <= 1e-13 * want.abs().max(1e-3), "{e} at {point:?}: {got}, not {want}");
        }
    }
}
