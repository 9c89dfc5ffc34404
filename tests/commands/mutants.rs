//! Files with something changed: no panic, no hang, whatever is in them; every sample, every program of the test suites, every real XAIF file.
//!
//! `OVERBAR_MUTANTS` sets the number of mutants, `OVERBAR_FIRST` the first; mutant n is the same as long as the files are. Those that do harm, and one that is asked
//! for alone, are written to `target/mutants`.

#[path = "mutants/change.rs"]
mod change;
use crate::common;
#[path = "mutants/judge.rs"]
mod judge;
#[allow(dead_code)]
#[path = "../random/rng.rs"]
mod rng;

use judge::{Kind, judge};
use rng::Rng;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Mutants in the suite.
const MUTANTS: u64 = 2_000;
/// Larger files cost time and show nothing new.
const LARGEST: u64 = 120_000;
/// A mutant that takes longer hangs; the machine may be busy.
const LIMIT: Duration = Duration::from_secs(60);

struct Original {
    name: String,
    kind: Kind,
    text: Vec<u8>,
}

fn collect(folder: &Path, out: &mut Vec<Original>) {
    let Ok(list) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = list.filter_map(|e| Some(e.ok()?.path())).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, out);
            continue;
        }
        let kind = match path.extension().and_then(|e| e.to_str()) {
            Some("c") => Kind::C,
            Some("f90") => Kind::Fortran,
            Some("f") => Kind::FixedFortran,
            Some("xaif") => Kind::Xaif,
            _ => continue,
        };
        if std::fs::metadata(&path).is_ok_and(|m| m.len() <= LARGEST)
            && let Ok(text) = std::fs::read(&path)
        {
            out.push(Original { name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(), kind, text });
        }
    }
}

/// All files, and the XAIF form of those that are programs.
fn originals() -> Vec<Original> {
    let mut out = Vec::new();
    for folder in ["samples", "tests/c_programs", "tests/fortran_programs", "tests/random/found"] {
        collect(&common::root().join(folder), &mut out);
    }
    let mut forms = Vec::new();
    for o in &out {
        if let Some(program) = judge::parse(o.kind, &o.text) {
            let text = xaif::write::write(&program).into_bytes();
            if text.len() as u64 <= LARGEST {
                forms.push(Original { name: format!("{}.xaif", o.name), kind: Kind::Xaif, text });
            }
        }
    }
    out.extend(forms);
    if let Some(folder) = common::shared("xaif/corpus") {
        collect(&folder, &mut out);
    }
    out
}

/// Mutant n: its name and text.
fn mutant(originals: &[Original], n: u64) -> (String, Kind, Vec<u8>) {
    let mut rng = Rng::new(n);
    let o = &originals[rng.below(originals.len())];
    let mut text = o.text.clone();
    let mut steps = Vec::new();
    for _ in 0..[1, 1, 1, 1, 2, 3][rng.below(6)] {
        steps.push(change::change(o.kind, &mut text, &mut rng));
    }
    (format!("mutant {n} of {}: {}", o.name, steps.join(", ")), o.kind, text)
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 200, failure_persistence: None, ..Default::default() })]

    /// Texts that nobody wrote, from the signs that the readers know.
    #[test]
    fn no_text_does_harm(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..80), which in 0usize..4) {
        let kind = [Kind::C, Kind::Fortran, Kind::FixedFortran, Kind::Xaif][which];
        let verdict = judge(kind, words.concat().as_bytes());
        proptest::prop_assert!(verdict.is_ok(), "{verdict:?}");
    }
}

const WORDS: &[&str] = &[
    "\n",
    " ",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "=",
    "+",
    "-",
    "*",
    "/",
    "<",
    ">",
    "&",
    "&&",
    "%",
    "!",
    "'",
    "\"",
    ":",
    "::",
    "x",
    "y",
    "n",
    "1",
    "0",
    "1.5",
    "1e9",
    "99999999999999999999",
    "double ",
    "int ",
    "void ",
    "float ",
    "struct ",
    "if ",
    "else ",
    "for ",
    "while ",
    "do ",
    "switch ",
    "case ",
    "default:",
    "return ",
    "break;",
    "goto ",
    "subroutine f",
    "end subroutine",
    "function ",
    "module m",
    "end module",
    "real ",
    "integer ",
    "dimension(",
    "intent(in)",
    "call ",
    "then",
    "end if",
    "end do",
    "contains",
    "implicit none",
    "      ",
    "     &",
    "<xaif:CallGraph ",
    "xmlns:xaif=\"http://www.mcs.anl.gov/XAIF\"",
    "/>",
    "</",
    "<?xml version='1.0'?>",
    "<!DOCTYPE x>",
    "<!ENTITY a 'b'>",
    "&lt;",
    "&#0;",
    "<![CDATA[",
    "]]>",
    "<xaif:Scope ",
    "vertex_id=\"1\"",
    "sin(",
    "é",
    "\0",
];

/// Puts a mutant where it can be looked at.
fn keep(n: u64, kind: Kind, text: &[u8]) {
    let folder = common::root().join("target/mutants");
    let ending = match kind {
        Kind::C => "c",
        Kind::Fortran => "f90",
        Kind::FixedFortran => "f",
        Kind::Xaif => "xaif",
    };
    let _ = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(folder.join(format!("{n}.{ending}")), text));
}

#[test]
fn no_mutant_does_harm() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (first, count) = (number("OVERBAR_FIRST").unwrap_or(0), number("OVERBAR_MUTANTS").unwrap_or(MUTANTS));
    std::panic::set_hook(Box::new(|_| {}));
    let list = std::sync::Arc::new(originals());
    let (send, verdicts) = mpsc::channel();
    for worker in 0..2 {
        let (list, send) = (list.clone(), send.clone());
        let work = move || {
            for n in (first..first + count).filter(|n| n % 2 == worker) {
                let (name, kind, text) = mutant(&list, n);
                if send.send((worker, name.clone(), None)).is_err() {
                    return;
                }
                let start = Instant::now();
                // Nothing comes back of one that takes the whole process with it.
                if count == 1 {
                    keep(n, kind, &text);
                }
                let verdict = judge(kind, &text);
                if verdict.is_err() {
                    keep(n, kind, &text);
                }
                let _ = send.send((worker, name, Some((verdict, start.elapsed()))));
            }
        };
        // Enough for the deepest nesting that the limits allow.
        std::thread::Builder::new().stack_size(64 << 20).spawn(work).unwrap();
    }
    drop(send);
    let mut counts = std::collections::BTreeMap::new();
    let mut harm = Vec::new();
    let mut slowest = (Duration::ZERO, String::new());
    let mut busy = [String::new(), String::new()];
    loop {
        match verdicts.recv_timeout(LIMIT) {
            Ok((worker, name, None)) => busy[worker as usize] = name,
            Ok((_, name, Some((verdict, time)))) => {
                if time > slowest.0 {
                    slowest = (time, name.clone());
                }
                match verdict {
                    Ok(what) => *counts.entry(what).or_insert(0u64) += 1,
                    Err(what) => harm.push(format!("{name}: {what}")),
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("no end within {LIMIT:?}: {busy:?}"),
        }
    }
    println!("{count} mutants of {} files: {counts:?}; slowest {:?}: {}", list.len(), slowest.0, slowest.1);
    let _ = std::panic::take_hook();
    assert!(harm.is_empty(), "{} mutants do harm:\n{}", harm.len(), harm[..harm.len().min(20)].join("\n"));
    assert!(slowest.0 < LIMIT, "{} takes {:?}", slowest.1, slowest.0);
    assert_eq!(counts.values().sum::<u64>(), count, "a worker ended early");
}
