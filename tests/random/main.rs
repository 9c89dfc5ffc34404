//! Random programs, each checked in tangent and adjoint against dual numbers.
#![allow(missing_docs)]
#![allow(dead_code)]

mod cases;
#[path = "../model/mod.rs"]
mod model;
#[path = "parts.rs"]
mod parts;

use parts::check::{Verdict, check};
use parts::compiled::{Language, compile_many};
use parts::{check, found, generate, metamorphic, shrink, tree};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs checked in the suite.
const PROGRAMS: u64 = 2_000;

/// Programs compiled in the suite, in each language.
const COMPILED: u64 = 60;

fn compiled(language: Language) {
    let tally = compile_many(language, 0, COMPILED, 20);
    println!("{language:?}: {} same, {} wrong, the others:", tally.same, tally.wrong.len());
    tally.others.iter().for_each(|(why, n)| println!("{n:6} {why}"));
    assert!(tally.wrong.is_empty(), "{:#?}", tally.wrong);
    assert_eq!(tally.same, COMPILED);
}

#[test]
fn c_programs_compute_what_the_interpreter_computes() {
    compiled(Language::C);
}

#[test]
fn fortran_programs_compute_what_the_interpreter_computes() {
    compiled(Language::Fortran);
}

/// Several seeds in one executable: `SEEDS=17,18 cargo test --test random some_seeds -- --ignored --nocapture`.
#[test]
#[ignore = "a tool for whoever looks into a failure"]
fn some_seeds() {
    let seeds = std::env::var("SEEDS").expect("SEEDS is set");
    let seeds: Vec<u64> = seeds.split(',').map(|s| s.parse().expect("SEEDS are numbers")).collect();
    for language in [Language::C, Language::Fortran] {
        let cases: Vec<_> = seeds.iter().filter_map(|&s| parts::compiled::prepare(&generate::generate(s), s, language).ok()).collect();
        println!("{language:?}: {:?}", parts::compiled::run_all(language, &cases));
    }
}

/// Programs that were called wrong although two right ways to compute them differ: they say nothing of derivatives.
const ILL_CONDITIONED: [&str; 1] = ["seed_840165257.xaif"];

/// Programs that failed once, shrunk.
#[test]
fn what_was_found_stays_mended() {
    let cases = found::cases();
    assert!(!cases.is_empty());
    for (name, program, seed) in cases {
        let v = parts::check::check_program(&program, seed);
        let fine = match &v {
            Verdict::Invalid(why) => ILL_CONDITIONED.contains(&name.as_str()) && why == "ill-conditioned",
            v => matches!(v, Verdict::Pass | Verdict::Refused(_)),
        };
        assert!(fine, "{name}: {v:?}");
    }
}

/// Programs that are changed in ways that change no derivative.
const CHANGED: u64 = 80;

#[test]
fn changes_without_meaning_change_no_derivative() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for seed in 0..CHANGED {
        let tree = generate::generate(seed);
        for change in metamorphic::ALL {
            let verdict = metamorphic::agree(&tree, seed, change);
            *counts.entry(format!("{change:?} {}", if verdict.is_some() { "compared" } else { "not applicable" })).or_default() += 1;
            if let Some(Err(what)) = verdict {
                wrong.push(format!("seed {seed}, {change:?}: {what}"));
            }
        }
    }
    counts.iter().for_each(|(what, n)| println!("{n:6} {what}"));
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
    assert!(metamorphic::ALL.iter().all(|c| counts.get(&format!("{c:?} compared")).is_some_and(|&n| n > CHANGED as usize / 3)));
}

/// The samples with other names and other orders of declarations.
#[test]
fn samples_do_not_depend_on_names() {
    let samples = [
        ("griewank/griewank.c", "griewank"),
        ("fragment/fragment.c", "fragment"),
        ("chain/chain.c", "chain"),
        ("pendulum/pendulum.c", "pendulum"),
        ("griewank/griewank.f90", "griewank"),
        ("bratu/bratu.f90", "bratu"),
        ("newton/newton.f90", "newton"),
    ];
    let mut compared = 0;
    for (file, folder) in samples {
        let text = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(file)).unwrap();
        let mut program = if file.ends_with(".c") {
            let options = overbar_c::ParseOptions { preprocess: true, ..Default::default() };
            overbar_c::parse(&[overbar_c::parse::SourceText { file: "s.c", text: &text }], &options).unwrap().0
        } else {
            overbar_fortran::parse(&[overbar_fortran::parse::SourceText { file: "s.f90", text: &text }], &Default::default()).unwrap().0
        };
        // Printed from the model alone: the user's text has the old names.
        program.sources.clear();
        let boost = |p: &xaif::Program| -> Vec<Option<xaif::Program>> {
            let ids: Vec<_> = p.unit_ids().filter(|&u| !p.unit(u).is_container()).collect();
            ids.into_iter()
                .map(|u| {
                    let head = xaif::model::Head { unit: p.unit_name(u).into(), dependents: None, independents: None };
                    let options = overbar::Options { tangent: true, adjoint: true, heads: vec![head], ..Default::default() };
                    overbar::boost(p.clone(), &options).ok().map(|b| b.program)
                })
                .collect()
        };
        let mut renamed = program.clone();
        metamorphic::rename(&mut renamed);
        let mut reordered = program.clone();
        metamorphic::reorder(&mut reordered, &mut parts::rng::Rng::new(7));
        let (plain, other, moved) = (boost(&program), boost(&renamed), boost(&reordered));
        for ((a, b), c) in plain.iter().zip(&other).zip(&moved) {
            assert_eq!(a.is_some(), b.is_some(), "{folder}");
            assert_eq!(a.is_some(), c.is_some(), "{folder}");
            if let (Some(a), Some(b), Some(c)) = (a, b, c) {
                metamorphic::names_only(a, b).unwrap_or_else(|e| panic!("{file}: {e}"));
                assert_eq!(metamorphic::sorted_lines(a), metamorphic::sorted_lines(c), "{file}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 6, "{compared}");
}

/// One seed, shrunk, with its derivative code: `SEED=17 cargo test --test random one_seed -- --ignored --nocapture`.
#[test]
#[ignore = "a tool for whoever looks into a failure"]
fn one_seed() {
    let seed: u64 = std::env::var("SEED").expect("SEED is set").parse().expect("SEED is a number");
    let tree = generate::generate(seed);
    let v = check(&tree, seed);
    println!("{v:?}");
    for language in [Language::C, Language::Fortran] {
        if let Ok(case) = parts::compiled::prepare(&tree, seed, language) {
            println!("{}", parts::compiled::source(&case));
            println!("{:?}", parts::compiled::run_all(language, &[case]));
        }
    }
    if let Verdict::Wrong(mode, _) = v {
        let small = shrink::shrink(&tree, seed, mode, 2_000);
        println!(
            "{:?}\n{}\n{}",
            check(&small, seed),
            tree::show(&small),
            check::show_derivatives(&small, seed, mode) + &check::show_derivatives(&small, seed, "tangent")
        );
    } else {
        println!("{}", tree::show(&tree));
    }
}

#[test]
fn tangents_and_adjoints_of_random_programs_agree_with_dual_numbers() {
    let next = AtomicU64::new(0);
    let verdicts = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= PROGRAMS {
                        return;
                    }
                    let v = check(&generate::generate(seed), seed);
                    verdicts.lock().expect("no thread panics").push((seed, v));
                }
            });
        }
    });
    let mut verdicts = verdicts.into_inner().expect("no thread panics");
    verdicts.sort_by_key(|v| v.0);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (seed, v) in verdicts {
        let label = match &v {
            Verdict::Pass => "pass".to_owned(),
            Verdict::Invalid(why) => format!("invalid: {}", why.split(':').next().unwrap_or_default()),
            Verdict::Refused(why) => format!("refused: {}", why.split(':').next().unwrap_or_default()),
            Verdict::Wrong(mode, _) => format!("wrong: {mode}"),
        };
        *counts.entry(label).or_default() += 1;
        if let Verdict::Wrong(mode, what) = v {
            wrong.push((seed, mode, what));
        }
    }
    for (label, n) in &counts {
        println!("{n:6} {label}");
    }
    for (seed, mode, what) in wrong.iter().take(3) {
        let small = shrink::shrink(&generate::generate(*seed), *seed, mode, 600);
        found::keep(&small, *seed);
        println!("seed {seed}, {mode}: {what}\nshrunk ({} items): {:?}\n{}", small.size(), check(&small, *seed), tree::show(&small));
    }
    assert!(wrong.is_empty(), "{} programs are wrong: {:?}", wrong.len(), wrong.iter().map(|w| (w.0, w.1)).take(30).collect::<Vec<_>>());
}
