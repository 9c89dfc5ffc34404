//! Time grows in proportion to the program.

mod adjoints;

use overbar_fortran::parse::{ParseOptions, SourceText, parse};
use std::time::{Duration, Instant};

fn time(statements: usize) -> Duration {
    let mut text = String::from("subroutine f(x, y)\n  real(8) :: x(10), y\n  real(8) :: t(100)\n  integer :: i\n");
    for i in 0..100 {
        text += &format!("  real(8) :: s{i}\n");
    }
    text += "  t = 0\n  y = 1\n";
    for i in 0..100 {
        text += &format!("  s{i} = x(1)\n");
    }
    for k in 0..statements {
        let (a, b, c) = (k % 100, (k * 7 + 3) % 100, (k * 13 + 5) % 100);
        match k % 10 {
            8 => text += &format!("  if (s{b} > 0.5d0) then\n    s{a} = s{b}*sin(s{c})\n  else\n    s{a} = x(2)\n  end if\n"),
            9 => text += &format!("  do i = 1, 10\n    s{a} = s{b}*x(i) + s{a}\n  end do\n"),
            _ => text += &format!("  s{a} = s{b}*s{c} + x(3)\n"),
        }
    }
    text += "  y = s1 + s2\nend subroutine\n";
    let (p, _) = parse(&[SourceText { file: "f.f90", text: &text }], &ParseOptions::default()).unwrap();
    let start = Instant::now();
    let with = adjoints::boosted(&p, "f(y)/(x)", overbar::Options::default());
    let t = start.elapsed();
    assert!(with.unit_named("f_b").is_some());
    t
}

#[test]
fn twice_the_program_twice_the_time() {
    let (a, b) = (time(1_500), time(3_000));
    println!("1500 statements: {a:?}, 3000: {b:?}");
    assert!(b < a * 4, "{a:?} {b:?}");
}
