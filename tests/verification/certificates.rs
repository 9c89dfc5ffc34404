//! Every program of the collections gets its certificate without being told any values: all heads pass, except for those that are listed here with what
//! comes out and why.
//!
//! `OVERBAR_PROGRAM=name[,name]` takes some of them.

use crate::common;

use common::{overbar, root};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

/// What does not simply pass: file, unit, verdict or code, and the reason.
const OTHERS: [(&str, &str, &str, &str); 2] = [
    ("parameters.f90", "chain", "OB6065", "components of derived types are opaque to the interpreter"),
    ("typed_constant.f90", "typed_constant", "OB6065", "components of derived types are opaque to the interpreter"),
];

/// A program of the collections.
pub struct File {
    pub path: PathBuf,
    pub name: String,
    pub heads: Vec<String>,
}

/// Programs with something that the interpreter does not know (a function that is not represented, files, text, pointers that are set): only compiled code can run them.
const COMPILED_ONLY: [&str; 7] = [
    "asked_of_text.f90",
    "copied_components.f90",
    "groups.f90",
    "kept_structures.f90",
    "machine_constants.f",
    "open_text.f90",
    "pointer_components.f90",
];

/// The programs of the collections.
pub fn files() -> Vec<File> {
    let wanted = std::env::var("OVERBAR_PROGRAM").unwrap_or_default();
    let mut out = Vec::new();
    for folder in ["tests/c_programs", "tests/fortran_programs"] {
        for e in std::fs::read_dir(root().join(folder)).expect("the folder") {
            let path = e.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let program = matches!(path.extension().and_then(|e| e.to_str()), Some("c" | "f" | "f90" | "F90"));
            if !program || COMPILED_ONLY.contains(&name.as_str()) || !(wanted.is_empty() || wanted.split(',').any(|w| name.starts_with(w)))
            {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("text");
            let heads = text.lines().filter_map(|l| l.strip_prefix("//: head ").or_else(|| l.strip_prefix("! head: ")));
            out.push(File { heads: heads.map(|h| h.trim().to_owned()).collect(), path, name });
        }
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    out
}

fn expected(name: &str, head: &str) -> &'static str {
    let found = OTHERS.iter().find(|o| o.0 == name && head.split('(').next().is_some_and(|u| u.trim_end_matches('/') == o.1));
    found.map_or("pass", |o| o.2)
}

/// The verdict of each head, or the code with which there was none.
fn verdicts(file: &File, heads: &[&str], options: &[&str]) -> Vec<(String, String)> {
    verdicts_of("interpreter", file, heads, options)
}

/// The same, run elsewhere.
pub fn verdicts_of(run: &str, file: &File, heads: &[&str], options: &[&str]) -> Vec<(String, String)> {
    let mut arguments = [&["verify", file.name.as_str(), "--run", run], options].concat();
    heads.iter().for_each(|h| arguments.extend(["--head", h]));
    let o = overbar(file.path.parent().expect("a folder"), &arguments);
    let (out, err) = (String::from_utf8_lossy(&o.stdout).into_owned(), String::from_utf8_lossy(&o.stderr).into_owned());
    let told: Vec<String> =
        out.lines().filter_map(|l| ["pass", "KINK", "WRONG"].iter().find(|w| l.starts_with(**w)).map(|w| w.to_string())).collect();
    if told.len() == heads.len() {
        return told.into_iter().map(|t| (t, out.clone())).collect();
    }
    let code = common::codes(&err).last().copied().unwrap_or("nothing").to_owned();
    heads.iter().map(|_| (code.clone(), err.clone())).collect()
}

/// What `each` makes of every file, on two threads.
pub fn all<T: Send>(files: &[File], each: impl Fn(usize, &File) -> Vec<T> + Sync) -> Vec<T> {
    let next = Mutex::new(files.iter().enumerate());
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((k, file)) = next.lock().expect("no thread panics").next() else { return };
                    let found = each(k, file);
                    results.lock().expect("no thread panics").extend(found);
                }
            });
        }
    });
    results.into_inner().expect("no thread panics")
}

#[test]
fn every_program_gets_its_certificate() {
    let found = all(&files(), |_, file| {
        let (plain, other): (Vec<&str>, Vec<&str>) = file.heads.iter().map(String::as_str).partition(|h| expected(&file.name, h) == "pass");
        // Those of which something else is expected one by one: a refusal would hide the others.
        let groups = std::iter::once(plain).filter(|p| !p.is_empty()).chain(other.into_iter().map(|h| vec![h]));
        let made = groups.flat_map(|g| g.iter().map(|h| h.to_string()).zip(verdicts(file, &g, &[])).collect::<Vec<_>>());
        made.map(|(head, v)| (file.name.clone(), head, v)).collect()
    });
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    for (name, head, (found, said)) in found {
        if found != expected(&name, &head) {
            problems.push(format!("{name} {head}: {found} instead of {}\n{said}", expected(&name, &head)));
        }
        *counts.entry(found).or_default() += 1;
    }
    problems.sort();
    println!("{counts:?}");
    for o in OTHERS {
        println!("{} {}: {} ({})", o.0, o.1, o.2, o.3);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(counts.get("pass").is_some_and(|&n| n >= 240) || std::env::var_os("OVERBAR_PROGRAM").is_some(), "{counts:?}");
}

/// Nothing comes out but passes, at least so many of all programs, and these refusals. File, head or options, verdict, and what was said.
fn nothing_else(found: &[(String, String, String, String)], refusals: &[&str], passes: usize) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    found.iter().for_each(|(_, _, v, _)| *counts.entry(v).or_default() += 1);
    println!("{counts:?}");
    let wrong = found.iter().filter(|(_, _, v, _)| v != "pass" && !refusals.contains(&v.as_str()));
    let mut problems: Vec<String> = wrong.map(|(name, what, v, said)| format!("{name} {what}: {v}\n{said}")).collect();
    problems.sort();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(counts.get("pass").is_some_and(|&n| n >= passes) || std::env::var_os("OVERBAR_PROGRAM").is_some(), "{counts:?}");
}

/// What options may refuse: joint reversal of a call by itself, unknown extents of what must be zero or kept, and what a split pair cannot hand over.
const REFUSALS: [&str; 7] = ["OB4036", "OB4051", "OB4054", "OB4057", "OB4058", "OB4063", "OB4066"];

/// Reversal of calls, preaccumulation and where adjoints start from, each with each.
fn combinations() -> Vec<Vec<&'static str>> {
    let mut out = Vec::new();
    for reversal in ["joint", "split", "auto"] {
        for when in ["never", "always", "auto"] {
            for more in [&[][..], &["--zero-init"]] {
                out.push([&["--reversal", reversal, "--preaccumulate", when], more].concat());
            }
        }
    }
    out
}

/// Each program with another combination of options, in turn; with `OVERBAR_OPTIONS=all` each with all of them.
#[test]
fn options_change_no_derivative() {
    let combinations = combinations();
    let everything = std::env::var("OVERBAR_OPTIONS").is_ok_and(|v| v == "all");
    let found = all(&files(), |k, file| {
        let chosen = if everything { &combinations[..] } else { std::slice::from_ref(&combinations[k % combinations.len()]) };
        let heads: Vec<&str> = file.heads.iter().map(String::as_str).filter(|h| expected(&file.name, h) == "pass").collect();
        let run = |options: &Vec<&str>| {
            let (found, said) =
                verdicts(file, &heads, options).into_iter().find(|(v, _)| v != "pass").unwrap_or(("pass".into(), String::new()));
            (file.name.clone(), options.join(" "), found, said)
        };
        if heads.is_empty() { Vec::new() } else { chosen.iter().map(run).collect() }
    });
    nothing_else(&found, &REFUSALS, 100);
}

/// What several directions refuse: derivatives of structures, and what asks whether a derivative is zero.
const ONE_DIRECTION: [&str; 2] = ["OB4141", "OB4142"];

/// Each direction of derivatives that serve several is what it is alone. Shared variables need a number of directions that is fixed.
#[test]
fn several_directions_are_each_as_one() {
    let found = all(&files(), |_, file| {
        let heads = file.heads.iter().map(String::as_str).filter(|h| expected(&file.name, h) == "pass");
        // One by one: a refusal would hide the others.
        let directed = |h: &str| {
            let counted = verdicts(file, &[h], &["--vector"]);
            if counted.iter().any(|(v, _)| v == "OB4140") { verdicts(file, &[h], &["--vector=3"]) } else { counted }
        };
        let made = heads.flat_map(|h| directed(h).into_iter().map(move |v| (h, v)));
        made.map(|(h, (found, said))| (file.name.clone(), h.to_owned(), found, said)).collect()
    });
    nothing_else(&found, &ONE_DIRECTION, 265);
}

/// What a small procedure computes where it is called is what a call of it computes.
#[test]
fn small_procedures_are_the_same_by_calls() {
    let found = all(&files(), |_, file| {
        let heads: Vec<&str> = file.heads.iter().map(String::as_str).filter(|h| expected(&file.name, h) == "pass").collect();
        let made = heads.iter().map(|h| h.to_string()).zip(verdicts(file, &heads, &["--inline", "never"]));
        made.map(|(h, (found, said))| (file.name.clone(), h, found, said)).collect()
    });
    nothing_else(&found, &[], 265);
}

/// The samples: heads, and the loop, if there is one.
const SAMPLES: [(&str, &[&str], Option<&str>); 9] = [
    ("griewank/griewank.f90", &["griewank(c)/(a)"], Some("griewank:12")),
    ("griewank/griewank.c", &["griewank/(x)"], Some("griewank:6")),
    ("fragment/fragment.c", &["fragment(x)/(x,y)"], Some("fragment:7")),
    ("bratu/bratu.f90", &["bratu(f)/(x,prm)"], Some("bratu:15")),
    ("control_flow/example.f90", &["example(y)/(x)"], Some("example:9")),
    ("chain/chain.c", &["chain/(x,y)", "chain_aliased/(x,y)"], None),
    ("flw2d1col/flw2d1col.f", &["FLW2D1COL(rh3,rh4,sq)/(t3,pres,vnocl,g3,g4,rh3,rh4,sq)"], Some("FLW2D1COL:9")),
    ("newton/newton.f90", &["root(root)/(p,q)"], Some("root:16")),
    ("pendulum/pendulum.c", &["energy/(angle,length,damping)"], Some("energy:21")),
];

/// Every sample with every combination, in one direction and in several, its loop recorded and checkpointed.
#[test]
fn samples_pass_with_all_options() {
    let files: Vec<File> = SAMPLES
        .iter()
        .map(|(file, heads, _)| File {
            path: root().join("samples").join(file),
            name: file.rsplit('/').next().unwrap_or_default().to_owned(),
            heads: heads.iter().map(|h| h.to_string()).collect(),
        })
        .collect();
    let found = all(&files, |k, file| {
        let heads: Vec<&str> = file.heads.iter().map(String::as_str).collect();
        let checkpoint = SAMPLES[k].2.map(|at| format!("{at}=2"));
        let mut out = Vec::new();
        for chosen in combinations() {
            for directions in [&[][..], &["--vector"]] {
                for loops in std::iter::once(Vec::new()).chain(checkpoint.iter().map(|c| vec!["--checkpoint", c.as_str()])) {
                    let options = [&chosen, directions, &loops].concat();
                    // What has no length cannot be set to zero.
                    let unknown = file.name == "griewank.c" && options.contains(&"--zero-init");
                    let expected = if unknown { "OB4058" } else { "pass" };
                    let wrong = verdicts(file, &heads, &options).into_iter().find(|(v, _)| v != expected);
                    out.push(wrong.map(|(v, said)| format!("{} {}: {v}\n{said}", file.name, options.join(" "))));
                }
            }
        }
        out
    });
    assert_eq!(found.len(), 612);
    let problems: Vec<String> = found.into_iter().flatten().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
