//! Large programs: the cost of a boost grows with the program, not with its square.

mod tangents;

use overbar::{Options, boost};
use std::time::Instant;

/// One unit of `n` assignments, each on three variables of a few thousand.
fn chain(n: usize) -> String {
    let mut text = String::from("subroutine f(x, y)\nreal(8) :: x, y, t(0:999), s\nt(0) = x\ns = 1\n");
    for i in 1..n {
        text.push_str(&format!("t({}) = t({})*sin(t({})) + s*x\n", i % 1000, (i * 7) % 1000, (i * 13) % 1000));
        if i % 50 == 0 {
            text.push_str("s = s*0.5d0 + t(3)\n");
        }
    }
    text.push_str("y = t(5)\nend subroutine\n");
    text
}

#[test]
#[ignore = "a measurement"]
fn tangent_of_many_assignments() {
    for n in [10_000, 20_000, 40_000] {
        let p = tangents::fortran(&chain(n));
        let head = overbar::heads::parse_head("f(y)/(x)").unwrap();
        let start = Instant::now();
        let b = boost(p, &Options { tangent: true, heads: vec![head], ..Options::default() }).unwrap();
        println!("{n}: {:?}, {} units", start.elapsed(), b.program.units.len());
    }
}
