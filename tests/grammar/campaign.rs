//! Many seeds, one after the other: what became of them.
//!
//! Never here: how a program is thought up, derived, compiled.

use super::compile::{self, Case, Outcome};
use super::interpret::{self, Checked};
use super::made::{self, Failure};
use super::text::{Language, Program};
use super::{c, fortran, second};
use overbar::verify::Verdict;
use std::collections::BTreeMap;

pub fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

pub fn program(language: Language, seed: u64) -> Program {
    match language {
        Language::C => c::generate(seed),
        Language::Fortran => fortran::generate(seed),
    }
}

pub fn languages() -> Vec<Language> {
    match std::env::var("LANGUAGE").as_deref() {
        Ok("c") => vec![Language::C],
        Ok("fortran") => vec![Language::Fortran],
        _ => vec![Language::C, Language::Fortran],
    }
}

/// What is said of a refusal, without names and places.
fn class(why: &str) -> String {
    let mut out = String::new();
    let mut digits = false;
    for c in why.split(" at ").next().unwrap_or_default().chars().take(110) {
        if c.is_ascii_digit()
            && !out.ends_with("OB")
            && out.rsplit("OB").next().is_none_or(|t| t.len() > 4 || !t.chars().all(|c| c.is_ascii_digit()))
        {
            if !digits {
                out.push('#');
            }
            digits = true;
        } else {
            digits = false;
            out.push(c);
        }
    }
    out
}

#[derive(Default)]
pub struct Tally {
    pub counts: BTreeMap<String, u64>,
    pub bad: Vec<(u64, String)>,
}

impl Tally {
    fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    pub fn print(&self) {
        let mut list: Vec<_> = self.counts.iter().collect();
        list.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        list.iter().take(60).for_each(|(what, n)| println!("{n:7} {what}"));
    }
}

/// Makes what is compiled for a seed, and asks for the certificate.
pub fn prepare(program: &Program, seed: u64, certificate: bool, tally: &mut Tally) -> Option<(Case, Option<Verdict>)> {
    let wish = made::wish(program, seed);
    let derived = match made::derive(program, seed, &wish) {
        Ok(d) => d,
        Err(Failure::Refused(why)) => {
            tally.count(format!("refused: {}", class(&why)));
            return None;
        }
        Err(Failure::Panic(why)) => {
            tally.count("panic");
            tally.bad.push((seed, format!("panic: {why}")));
            return None;
        }
    };
    let mut interpreted = |what: &str, checked: Checked| match checked {
        Checked::Same => tally.count(format!("{what}: same")),
        Checked::Invalid(why) => tally.count(format!("{what}: {}", class(&why))),
        Checked::Wrong(why) => {
            tally.count(format!("{what}: wrong"));
            tally.bad.push((seed, format!("{what}: {why}")));
        }
    };
    interpreted("interpreted", interpret::check(program, &derived, seed));
    if let Some(checked) = second::check(program, &derived, seed) {
        interpreted("second", checked);
    }
    let mut verdict = None;
    if certificate {
        match made::certify(&derived, seed) {
            Ok((v, detail)) => {
                tally.count(format!("certificate: {}", v.word()));
                if v == Verdict::Wrong {
                    tally.bad.push((seed, format!("certificate: {detail}")));
                }
                verdict = Some(v);
            }
            Err(Failure::Refused(why)) => tally.count(format!("no certificate: {}", class(&why))),
            Err(Failure::Panic(why)) => tally.bad.push((seed, format!("panic in verify: {why}"))),
        }
    }
    match compile::case(program, &derived, seed) {
        Ok(case) => Some((case, verdict)),
        Err(why) => {
            tally.bad.push((seed, format!("driver: {why}")));
            None
        }
    }
}

/// What is looked at, and how.
pub struct Plan {
    pub language: Language,
    pub first: u64,
    pub count: u64,
    /// Programs in one executable.
    pub at_once: u64,
    pub certificate: bool,
    pub compiled: bool,
}

/// Goes through the seeds of a plan.
pub fn run(plan: &Plan) -> Tally {
    let Plan { language, first, count, at_once, certificate, compiled } = *plan;
    let mut tally = Tally::default();
    let mut seed = first;
    while seed < first + count {
        let end = (seed + at_once).min(first + count);
        let mut cases = Vec::new();
        for s in seed..end {
            if let Some((case, _)) = prepare(&program(language, s), s, certificate, &mut tally) {
                cases.push(case);
            }
        }
        let level = ["-O0", "-O2", "-O1", "-O3"][(seed / at_once % 4) as usize];
        if compiled {
            for (s, o) in compile::run_all(&cases, level) {
                match o {
                    Outcome::Same => tally.count("compiled: same"),
                    Outcome::Large => tally.count("compiled: too large"),
                    Outcome::Wrong(what) => {
                        tally.count("compiled: wrong");
                        tally.bad.push((s, format!("{level} {what}")));
                    }
                    Outcome::Broken(what) => {
                        tally.count("compiled: not taken by the compiler");
                        tally.bad.push((s, format!("broken: {what}")));
                    }
                    Outcome::Fault(what) => {
                        tally.count("generator's fault");
                        tally.bad.push((s, format!("FAULT: {what}")));
                    }
                }
            }
        }
        seed = end;
    }
    tally
}

/// What the environment asks for: `LANGUAGE`, `FIRST`, `COUNT`, `AT_ONCE`, `CERTIFICATE`, `COMPILED`, `SHOW`.
pub fn long_run() {
    let (first, count) = (number("FIRST", 1_000_000), number("COUNT", 200));
    let certificate = number("CERTIFICATE", 1) == 1;
    let compiled = number("COMPILED", 1) == 1;
    for language in languages() {
        let start = std::time::Instant::now();
        let tally = run(&Plan { language, first, count, at_once: number("AT_ONCE", 25), certificate, compiled });
        println!("{language:?}: {count} from {first} in {:.1} s", start.elapsed().as_secs_f64());
        tally.print();
        let shown = number("SHOW", 40) as usize;
        tally.bad.iter().take(shown).for_each(|(s, what)| println!("seed {s}: {what}"));
        if number("SHRINK", 0) == 1 {
            let mut seeds: Vec<u64> = tally.bad.iter().filter(|b| !b.1.starts_with("FAULT")).map(|b| b.0).collect();
            seeds.sort_unstable();
            seeds.dedup();
            seeds.into_iter().for_each(|s| show_smaller(language, s));
        }
    }
}

fn show_smaller(language: Language, seed: u64) {
    let Some((what, small)) = smaller(language, seed) else { return println!("==== {language:?} {seed}: no matter") };
    let wish = made::wish(&small, seed);
    println!("==== {language:?} seed {seed}: {what}; {:?}", made::derive(&small, seed, &wish).map_or(wish.options, |d| d.options));
    small.print(&made::prefix(seed)).iter().for_each(|t| println!("{t}----"));
}

/// What is the matter with a program, in a word; nothing where all is well.
fn matter(program: &Program, seed: u64, certificate: bool) -> Option<String> {
    let wish = made::wish(program, seed);
    let derived = match made::derive(program, seed, &wish) {
        Ok(d) => d,
        Err(Failure::Panic(_)) => return Some("panic".into()),
        Err(Failure::Refused(_)) => return None,
    };
    if certificate {
        let word = |what: &str, c: Option<Checked>| match c {
            Some(Checked::Wrong(why)) => Some(format!("{what}{}", why.split([' ', ':']).next().unwrap_or_default())),
            _ => None,
        };
        let first = word("", Some(interpret::check(program, &derived, seed)));
        return first.or_else(|| word("second ", second::check(program, &derived, seed)));
    }
    let case = compile::case(program, &derived, seed).ok()?;
    ["-O0", "-O2"].into_iter().find_map(|level| match compile::run_all(std::slice::from_ref(&case), level).pop()?.1 {
        Outcome::Wrong(what) => Some(format!("{level} {}", what.split(' ').nth(1).unwrap_or_default())),
        Outcome::Broken(_) => Some("broken".into()),
        _ => None,
    })
}

/// The smallest program with the same matter.
pub fn smaller(language: Language, seed: u64) -> Option<(String, Program)> {
    let p = program(language, seed);
    // What the interpreter finds too is found faster.
    let (certificate, what) = match matter(&p, seed, true) {
        Some(what) => (true, what),
        None => (false, matter(&p, seed, false)?),
    };
    let attempts = number("ATTEMPTS", if certificate { 1500 } else { 400 }) as usize;
    let small = super::shrink::shrink(&p, attempts, &mut |q| matter(q, seed, certificate).as_ref() == Some(&what));
    Some((what, small))
}

/// One program, `SEED`, with all that is made of it.
pub fn one_seed() {
    let seed = number("SEED", 0);
    for language in languages() {
        let p = program(language, seed);
        for (k, t) in p.print(&made::prefix(seed)).iter().enumerate() {
            println!("==== file {k}\n{t}");
        }
        let wish = made::wish(&p, seed);
        println!("==== {:?}\n==== {:?}", p.head, wish.options);
        match made::derive(&p, seed, &wish) {
            Ok(d) => {
                println!("==== generated\n{}", d.text);
                d.notes.iter().for_each(|n| println!("note: {n}"));
                println!("{:?}\n{:?}", made::certify(&d, seed), second::check(&p, &d, seed));
                if let Ok(case) = compile::case(&p, &d, seed) {
                    for level in ["-O0", "-O2"] {
                        println!("{level} {:?}", compile::run_all(std::slice::from_ref(&case), level));
                    }
                }
            }
            Err(e) => println!("{e:?}"),
        }
    }
}
