//! Any number of random programs: `cargo run --release --example soak -- NUMBER [--first SEED] [--compiled NUMBER] [--one]`.
//!
//! With `--one` each program is checked with a tangent and one of the requests that its seed stands for, instead of all of them.
//! Prints the verdicts as they add up, and every failure shrunk, which it also writes to `tests/random/found`; exits with 1 if there was one.
#![allow(missing_docs)]

#[path = "../tests/random/parts.rs"]
mod parts;

use parts::check::{Depth, Verdict};
use parts::compiled::{Language, compile_many, prepare, source};
use parts::{check, found, generate, shrink, tree};
use std::collections::BTreeMap;
use std::process::ExitCode;

// As in the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Programs that one call of a compiler gets.
const AT_ONCE: usize = 40;
/// Attempts to make a failing program smaller.
const ATTEMPTS: usize = 1_000;

struct Request {
    count: u64,
    first: u64,
    compiled: u64,
    depth: Depth,
}

fn request() -> Option<Request> {
    let mut out = Request { count: 0, first: 1_000_000, compiled: 0, depth: Depth::All };
    let mut arguments = std::env::args().skip(1);
    out.count = arguments.next()?.parse().ok()?;
    while let Some(name) = arguments.next() {
        if name == "--one" {
            out.depth = Depth::One;
            continue;
        }
        let value = arguments.next()?.parse().ok()?;
        match name.as_str() {
            "--first" => out.first = value,
            "--compiled" => out.compiled = value,
            _ => return None,
        }
    }
    Some(out)
}

fn main() -> ExitCode {
    let Some(r) = request() else {
        eprintln!("usage: soak NUMBER [--first SEED] [--compiled NUMBER] [--one]");
        return ExitCode::from(2);
    };
    let failures = interpreted(&r) + [Language::C, Language::Fortran].into_iter().map(|l| compiled(&r, l)).sum::<u64>();
    ExitCode::from(u8::from(failures > 0))
}

fn interpreted(r: &Request) -> u64 {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut failures = 0;
    for seed in r.first..r.first.saturating_add(r.count) {
        let tree = generate::generate(seed);
        let v = check::check_to(&tree.build(), seed, r.depth);
        let label = match &v {
            Verdict::Pass => "pass".to_owned(),
            Verdict::Invalid(why) => format!("invalid: {}", check::class(why)),
            Verdict::Refused(why) => format!("refused: {}", why.split(':').next().unwrap_or_default()),
            Verdict::Wrong(mode, _) => format!("wrong: {mode}"),
        };
        *counts.entry(label).or_insert(0) += 1;
        if let Verdict::Wrong(mode, what) = v {
            failures += 1;
            let small = shrink::shrink(&tree, seed, mode, ATTEMPTS);
            println!("seed {seed}, {mode}: {what}\nshrunk: {:?}\n{}", check::check(&small, seed), tree::show(&small));
            found::keep(&small, seed);
        }
        if (seed - r.first + 1).is_multiple_of(2_000) {
            println!("{} programs: {counts:?}", seed - r.first + 1);
        }
    }
    println!("{} programs from seed {}: {counts:?}", r.count, r.first);
    failures
}

/// The generated code of a seed, for the lines that a compiler names.
fn listing(language: Language, seed: u64) -> String {
    prepare(&generate::generate(seed), seed, language).map_or_else(|why| why, |case| source(&case).to_owned())
}

/// In pieces, so that figures are seen on the way.
fn compiled(r: &Request, language: Language) -> u64 {
    let (mut same, mut failures, mut next) = (0, 0, r.first);
    let mut others: BTreeMap<String, u64> = BTreeMap::new();
    while same + failures < r.compiled {
        let piece = (r.compiled - same - failures).min(10 * AT_ONCE as u64);
        let tally = compile_many(language, next, piece, AT_ONCE);
        if tally.same == 0 && tally.wrong.is_empty() {
            break;
        }
        next = tally.next;
        same += tally.same;
        failures += tally.wrong.len() as u64;
        tally.others.into_iter().for_each(|(why, n)| *others.entry(why).or_insert(0) += n);
        for (seed, what) in &tally.wrong {
            println!("{language:?}, seed {seed}: {what}\n{}", listing(language, *seed));
        }
        println!("{language:?}: {same} same, {failures} wrong, others {others:?}");
    }
    failures
}
