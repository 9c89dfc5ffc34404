//! Programs as people write them, straight from the grammars of C and Fortran, differentiated as text and compared with the complex step.
//!
//! The example `forage` looks at any number of them, and makes those that fail smaller.
#![allow(missing_docs)]

#[path = "parts.rs"]
mod parts;

use overbar::verify::{Request, Verdict};
use parts::campaign::{Plan, run};
use parts::text::Language;
use parts::{found, made};

/// Programs of each language that are interpreted in the suite, and those that are compiled.
const INTERPRETED: u64 = 120;
const COMPILED: u64 = 30;

/// No more than so many may be refused: what is refused says nothing.
fn hold(language: Language, first: u64, count: u64, compiled: bool) {
    let tally = run(&Plan { language, first, count, at_once: 15, certificate: false, compiled });
    tally.print();
    assert!(tally.bad.is_empty(), "{:#?}", tally.bad);
    let good = if compiled { "compiled: same" } else { "interpreted: same" };
    let same = tally.counts.get(good).copied().unwrap_or(0);
    assert!(2 * same > count, "{same} of {count}");
}

#[test]
fn c_texts_are_differentiated_right() {
    hold(Language::C, 0, INTERPRETED, false);
}

#[test]
fn fortran_texts_are_differentiated_right() {
    hold(Language::Fortran, 0, INTERPRETED, false);
}

#[test]
fn compiled_c_agrees_with_the_complex_step() {
    hold(Language::C, 1_000, COMPILED, true);
}

#[test]
fn compiled_fortran_agrees_with_the_complex_step() {
    hold(Language::Fortran, 1_000, COMPILED, true);
}

/// Programs that failed once, shrunk: right, or refused.
#[test]
fn what_was_found_stays_mended() {
    let cases = found::cases();
    assert!(!cases.is_empty());
    for c in cases {
        let language = if c.fortran { Language::Fortran } else { Language::C };
        let Ok((program, _)) = made::parse(language, std::slice::from_ref(&c.text), 0, false, c.fixed) else { continue };
        for seed in 0..3 {
            let request = Request {
                head: c.head.clone(),
                values: None,
                seed,
                options: c.options.clone(),
                limits: overbar::evaluate::Limits::default(),
                interpret: true,
                workshop: None,
            };
            if let Ok(report) = overbar::verify::verify(&program, &request) {
                assert_ne!(report.verdict, Verdict::Wrong, "{}: {:?}", c.name, report.checks);
            }
        }
    }
}
