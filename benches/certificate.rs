//! What certificates cost: derivatives of the samples and test programs with a certificate and without, in one process and as commands, and in a batch.
//! `cargo bench --bench certificate`.

use overbar::differentiate::default_heads;
use overbar::verify::certify;
use overbar::verify::made::{self, Made};
use overbar::{Options, boost};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use xaif::Program;
use xaif::model::Head;

/// Without optimization it only shows that it runs.
const ROUNDS: usize = if cfg!(debug_assertions) { 1 } else { 5 };
/// As many programs as that, evenly chosen, where it only shows that it runs.
const FEW: usize = 12;

/// A program with what is differentiated.
struct Case {
    path: PathBuf,
    text: String,
    heads: Vec<Head>,
}

fn parse(path: &Path, text: &str) -> Option<Program> {
    let file = path.display().to_string();
    if path.extension().is_some_and(|e| e == "c") {
        let source = overbar_c::parse::SourceText { file: &file, text };
        return overbar_c::parse(&[source], &overbar_c::ParseOptions::default()).ok().map(|p| p.0);
    }
    let fixed_form = path.extension().is_some_and(|e| e == "f");
    let source = overbar_fortran::parse::SourceText { file: &file, text };
    overbar_fortran::parse(&[source], &overbar_fortran::ParseOptions { fixed_form, ..Default::default() }).ok().map(|p| p.0)
}

fn unparse(path: &Path, program: &Program) -> bool {
    if path.extension().is_some_and(|e| e == "c") {
        overbar_c::unparse(program, &overbar_c::UnparseOptions::default()).is_ok()
    } else {
        overbar_fortran::unparse(program, &overbar_fortran::UnparseOptions::default()).is_ok()
    }
}

/// The time of the whole way, and of its part that certifies; nothing where something is refused.
fn once(case: &Case) -> Option<(f64, f64)> {
    let begun = Instant::now();
    let program = parse(&case.path, &case.text)?;
    let original = program.clone();
    let options = Options { tangent: true, adjoint: true, heads: case.heads.clone(), ..Options::default() };
    let boosted = boost(program, &options).ok()?;
    let before = Instant::now();
    let made = Made { options: &options, values: None, seed: 1, budget: made::BUDGET, zero_start: false, workshop: None };
    let reports = certify(&original, &boosted.program, &case.heads, &made);
    let certified = before.elapsed().as_secs_f64();
    assert_eq!(reports.len(), case.heads.len());
    if !unparse(&case.path, &boosted.program) {
        return None;
    }
    Some((begun.elapsed().as_secs_f64(), certified))
}

/// All programs of which something can be differentiated.
fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("tests/c_programs"), root.join("tests/fortran_programs")];
    folders.extend(std::fs::read_dir(root.join("samples")).expect("samples").filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_dir()));
    let mut files: Vec<PathBuf> =
        folders.iter().flat_map(|f| std::fs::read_dir(f).expect("a folder")).filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "c" || e == "f" || e == "f90") && p.file_stem().is_none_or(|s| s != "driver"));
    files.sort();
    let case = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).ok()?;
        let heads = default_heads::default_heads(&parse(&path, &text)?);
        let case = Case { path, text, heads };
        (!case.heads.is_empty() && once(&case).is_some()).then_some(case)
    };
    let mut out: Vec<Case> = files.into_iter().filter_map(case).collect();
    if cfg!(debug_assertions) {
        let step = out.len().div_ceil(FEW).max(1);
        out = out.into_iter().step_by(step).collect();
    }
    out
}

fn median(list: &mut [f64]) -> f64 {
    list.sort_by(f64::total_cmp);
    list.get(list.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The least time of a command.
fn command(arguments: &[String]) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let done = Command::new(env!("CARGO_BIN_EXE_overbar")).args(arguments).output().expect("the binary runs");
        assert!(done.status.code().is_some(), "{arguments:?}");
        least = least.min(begun.elapsed().as_secs_f64());
    }
    least
}

fn main() {
    let cases = cases();
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    let (mut whole, mut part) = (0.0, 0.0);
    let mut slow: Vec<(f64, String)> = Vec::new();
    for case in &cases {
        let runs: Vec<(f64, f64)> = (0..ROUNDS).filter_map(|_| once(case)).collect();
        let total = runs.iter().map(|r| r.0).fold(f64::INFINITY, f64::min);
        let alone = runs.iter().map(|r| r.0 - r.1).fold(f64::INFINITY, f64::min);
        inside.push(total / alone);
        (whole, part) = (whole + total, part + total - alone);
        slow.push((total - alone, case.path.display().to_string()));
        let mut arguments = vec!["diff".to_owned(), "-d".into(), "-b".into(), case.path.display().to_string()];
        arguments.extend(case.heads.iter().flat_map(|h| ["--head".to_owned(), h.to_string()]));
        let certified = command(&arguments);
        arguments.extend(["--certificate".to_owned(), "none".to_owned()]);
        outside.push(certified / command(&arguments));
    }
    slow.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("{} programs", cases.len());
    println!("in one process: {:.2} times as long with a certificate in the median", median(&mut inside));
    println!("as commands: {:.2} times as long in the median", median(&mut outside));
    println!("of all the time of all programs certificates take {:.0} %", 100.0 * part / whole);
    for (seconds, path) in slow.iter().take(5) {
        println!("  {:.0} ms: {path}", 1000.0 * seconds);
    }
    batch();
    println!("target: 1.5 in the median");
}

/// A batch of all test programs of both languages.
fn batch() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let time = |certificate: &str| {
        let mut sum = 0.0;
        for input in ["tests/c_programs", "tests/fortran_programs"] {
            let out = folder.path().join(certificate).join(input);
            let words = ["batch", &root.join(input).display().to_string(), "-o", &out.display().to_string(), "-d", "-b", "--keep-going"];
            let words: Vec<String> = words.into_iter().chain(["--jobs", "1", "--certificate", certificate]).map(str::to_owned).collect();
            sum += command(&words);
        }
        sum
    };
    let (with, without) = (time("interpreter"), time("none"));
    println!(
        "in a batch of the test programs: {with:.1} s with certificates, {without:.1} s without, a share of {:.0} %",
        100.0 * (1.0 - without / with)
    );
}
