//! Hostile and broken text: an error or a program, never a panic, never without end.

use super::{plain, preprocessed};

fn samples() -> Vec<String> {
    ["tests/c/flow.c", "tests/c/data.c"]
        .iter()
        .filter_map(|f| std::fs::read_to_string(format!("{}/../../{f}", env!("CARGO_MANIFEST_DIR"))).ok())
        .collect()
}

/// A small generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Functions of the samples one by one, mutated: tokens dropped, doubled, swapped, replaced.
#[test]
fn mutated_text_is_no_trouble() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let all: String = samples().join("\n").lines().filter(|l| !l.starts_with('#')).collect::<Vec<_>>().join("\n");
    let pieces: Vec<&str> = all.split("\n\n").filter(|p| p.contains('{')).collect();
    let (mut good, mut bad) = (0, 0);
    for k in 0..2000 {
        let piece = pieces[k % pieces.len()];
        let scanned = crate::parse::text::tokens::scan(piece);
        let mut words: Vec<&str> = scanned.tokens.iter().map(|t| &piece[t.start..t.end]).collect();
        for _ in 0..=random.below(3) {
            let (i, j) = (random.below(words.len()), random.below(words.len()));
            match random.below(4) {
                0 => {
                    words.remove(i);
                }
                1 => words.insert(i, words[j]),
                2 => words.swap(i, j),
                _ => words[i] = words[j],
            }
        }
        match plain(&words.join(" ")) {
            Ok(_) => good += 1,
            Err(d) => {
                assert!(d.iter().all(|d| d.code.starts_with("OB2")), "{d:?}");
                bad += 1;
            }
        }
    }
    println!("{good} mutants were read, {bad} were refused");
    assert!(good > 20 && bad > 100);
}

#[test]
fn truncated_text_is_no_trouble() {
    for text in samples() {
        for k in 0..40 {
            let mut end = text.len() * k / 40;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let _ = preprocessed(&text[..end]);
        }
    }
}

#[test]
fn deep_nesting_is_bounded() {
    let deep = |n: usize| format!("double f(double x) {{ return {}x{}; }}", "(".repeat(n), ")".repeat(n));
    assert!(plain(&deep(150)).is_ok());
    assert_eq!(plain(&deep(100_000)).unwrap_err()[0].code, "OB2005");
    let long = format!("double f(double x) {{ return {}x; }}", "x + ".repeat(9_000));
    assert!(plain(&long).is_ok());
    assert_eq!(plain(&format!("double f(double x) {{ return {}x; }}", "- ".repeat(50_000))).unwrap_err()[0].code, "OB2005");
    assert!(plain(&format!("double f(double x) {{ return {}x; }}", "- ".repeat(9_000))).is_ok());
    let chain = format!("double f(int n) {{ {} return 0; }}", "if (n == 1) return 1; else ".repeat(2000));
    let _ = plain(&chain);
    let chain = format!("double f(int n) {{ {} return 0; }}", "if (n) { } else ".repeat(5000));
    let _ = plain(&chain);
    let stars = format!("double f(double {}x) {{ return 0; }}", "*".repeat(5000));
    let _ = plain(&stars);
    let chained = format!("void f(double x) {{ {} 1; }}", "x = ".repeat(5000));
    let _ = plain(&chained);
    let choice = format!("double f(double x) {{ return {} 1; }}", "x > 0 ? x : ".repeat(1000));
    assert!(plain(&choice).is_ok());
}

#[test]
fn odd_bytes_are_no_trouble() {
    for text in [
        "",
        "\0",
        "é",
        "\u{feff}int x;",
        "int x;\r\nint y;\r\n",
        "/*",
        "\"",
        "'",
        "#",
        "#include",
        "#include <math.h",
        "\\",
        "int a[-1];",
        "int a[1/0];",
        "enum { A = 1 << 200 };",
        "double x = 1e999999;",
        "int x = 99999999999999999999999;",
        "void f(void) { case 1: ; break; continue; }",
        "int f(void) { return sizeof(int[99999999999999]); }",
        "typedef int t; t t;",
        "void f(void) { int x = {}; }",
        "void f(void) { double x[2] = {1,2,3}; }",
        "void f(int n) { switch (n) { case 1 ... 99999999: ; } }",
        "double f(double x) { return x.y; }",
        "void f(void) { f; f(f); (*f)(); &f; }",
    ] {
        let _ = plain(text);
    }
}
