//! Any number of random programs: `cargo run --release --example soak -- NUMBER [FIRST_SEED]`.
//!
//! Prints the verdicts as they add up, and every failure shrunk; exits with 1 if there was one.
#![allow(missing_docs)]
#![allow(dead_code)]

#[path = "../tests/random/parts.rs"]
mod parts;

use parts::check::Verdict;
use parts::{check, generate, shrink, tree};

fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let (Some(Ok(count)), first) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: soak NUMBER [FIRST_SEED]");
        return std::process::ExitCode::from(2);
    };
    let first = match first {
        None => 1_000_000,
        Some(Ok(n)) => n,
        Some(Err(_)) => {
            eprintln!("usage: soak NUMBER [FIRST_SEED]");
            return std::process::ExitCode::from(2);
        }
    };
    let attempts = std::env::var("SHRINK").ok().and_then(|n| n.parse().ok()).unwrap_or(3_000);
    let mut counts = std::collections::BTreeMap::new();
    let mut failures = 0;
    for seed in first..first.saturating_add(count) {
        let tree = generate::generate(seed);
        let v = check::check(&tree, seed);
        let label = match &v {
            Verdict::Pass => "pass".to_owned(),
            Verdict::Invalid(_) => "invalid".to_owned(),
            Verdict::Refused(why) => format!("refused: {}", why.split(':').next().unwrap_or_default()),
            Verdict::Wrong(mode, _) => format!("wrong: {mode}"),
        };
        *counts.entry(label).or_insert(0u64) += 1;
        if let Verdict::Wrong(mode, what) = v {
            failures += 1;
            let small = shrink::shrink(&tree, seed, mode, attempts);
            println!("seed {seed}, {mode}: {what}\nshrunk: {:?}\n{}", check::check(&small, seed), tree::show(&small));
        }
        if (seed - first + 1) % 10_000 == 0 {
            println!("{} programs: {counts:?}", seed - first + 1);
        }
    }
    println!("{count} programs from seed {first}: {counts:?}");
    std::process::ExitCode::from(u8::from(failures > 0))
}
