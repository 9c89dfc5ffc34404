//! Damaged input: refused or accepted, never a panic, and in bounded time.

use super::*;

const SAMPLES: [(&str, bool); 3] = [
    (include_str!("../../../tests/samples/modern.f90"), false),
    (include_str!("../../../tests/samples/mixed.f90"), false),
    (include_str!("../../../tests/samples/old.f"), true),
];

/// A small generator of numbers, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// What is accepted must have graphs that nest and symbols that exist.
fn check(text: &str, fixed: bool) {
    if let Ok((p, _)) = form(text, fixed) {
        for u in p.unit_ids().filter(|&u| !p.unit(u).is_container()) {
            regions(&p.unit(u).graph).unwrap_or_else(|e| panic!("{e}:\n{text}"));
            show(&p, p.unit_name(u));
        }
    }
}

#[test]
fn samples_are_accepted() {
    for (text, fixed) in SAMPLES {
        form(text, fixed).unwrap_or_else(|d| panic!("{}", lines(&d)));
        check(text, fixed);
        // The wrong form is no reason to panic either.
        check(text, !fixed);
    }
}

#[test]
fn mutated_text() {
    let mut r = Numbers(0x9e37_79b9_7f4a_7c15);
    let rounds = std::env::var("OVERBAR_MUTATIONS").ok().and_then(|v| v.parse().ok()).unwrap_or(120);
    for (text, fixed) in SAMPLES {
        let words: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
        for _ in 0..rounds {
            let mut chars: Vec<char> = text.chars().collect();
            match r.below(6) {
                0 => chars.truncate(r.below(chars.len())),
                1 => {
                    for _ in 0..3 {
                        let at = r.below(chars.len());
                        chars.remove(at);
                    }
                }
                2 => {
                    for _ in 0..3 {
                        let at = r.below(chars.len());
                        let with = ['(', ')', '\n', '&', '\'', '=', '*', '%', ':', 'é', '\0', ';', '!', ',', '1', '.'];
                        chars.insert(at, with[r.below(with.len())]);
                    }
                }
                3 => {
                    let (a, b) = (r.below(words.len()), r.below(words.len()));
                    let mut w = words.clone();
                    w.swap(a, b);
                    chars = w.concat().chars().collect();
                }
                4 => {
                    // A line taken out.
                    let mut l: Vec<&str> = text.lines().collect();
                    l.remove(r.below(l.len()));
                    chars = l.join("\n").chars().collect();
                }
                _ => {
                    // A line moved.
                    let mut l: Vec<&str> = text.lines().collect();
                    let one = l.remove(r.below(l.len()));
                    l.insert(r.below(l.len()), one);
                    chars = l.join("\n").chars().collect();
                }
            }
            let text: String = chars.into_iter().collect();
            check(&text, fixed);
        }
    }
}

#[test]
fn any_bytes() {
    let mut r = Numbers(7);
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..r.below(300)).map(|_| r.below(256) as u8).collect();
        check(&String::from_utf8_lossy(&bytes), r.below(2) == 0);
    }
    for text in [
        "",
        "\n",
        "&",
        "\u{feff}",
        "end",
        "x",
        ";;",
        "'",
        "10",
        "program",
        "subroutine s(*)\nend",
        "function f()\nend",
        "module m\nuse m\nend",
    ] {
        check(text, false);
        check(text, true);
    }
}

#[test]
fn deep_and_long_text() {
    let wrap = |s: String| format!("subroutine s(x)\nreal(8) x\ninteger i\n{s}\nend subroutine\n");
    let nested = |open: &str, close: &str, n: usize| wrap(format!("{}x = 1\n{}", open.repeat(n), close.repeat(n)));
    for n in [10, 58, 70, 3000] {
        for (open, close) in [("if (x > 0) then\n", "end if\n"), ("do\n", "end do\n"), ("select case (i)\ncase (1)\n", "end select\n")] {
            let text = nested(open, close, n);
            check(&text, false);
            let refused = form(&text, false).is_err();
            assert_eq!(refused, n > 60, "{open} {n}");
        }
    }
    check(&wrap(format!("x = {}x{}", "(".repeat(90), ")".repeat(90))), false);
    check(&wrap(format!("x = {}x", "-".repeat(3000))), false);
    check(&wrap(format!("x = {}x", "x**".repeat(3000))), false);
    check(&wrap(format!("x = {}x", "sin(".repeat(99)) + &")".repeat(99)), false);
    let long = wrap(format!("x = x{}", " + x*x".repeat(5000)));
    assert!(form(&long, false).is_ok());
    check(&wrap(format!("if (x > 0) then\nx = 1\n{}end if", "else if (x > 1) then\nx = 2\n".repeat(500))), false);
    // Statement functions that call each other without end.
    check(&wrap("f(u) = g(u)\n g(u) = f(u)\nx = f(x)".into()), false);
    check(&wrap("f(u) = f(u) + f(u)\nx = f(x)".into()), false);
}
