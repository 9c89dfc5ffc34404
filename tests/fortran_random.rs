//! Random programs with their derivatives, printed as Fortran, compiled and run: the numbers must be those of the interpreter.
#![allow(missing_docs)]
#![allow(dead_code)]

mod common;
#[path = "random/parts.rs"]
mod parts;

use overbar::evaluate::{Data, Values, derivative};
use overbar_fortran::{UnparseOptions, unparse};
use parts::check::{limits, point, unit_of};
use parts::{generate, tree};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use xaif::Program;
use xaif::model::*;

/// Programs tried; `OVERBAR_PROGRAMS` sets another number.
const PROGRAMS: u64 = 30;

/// What became of a program.
#[derive(Debug, PartialEq)]
enum Outcome {
    Same,
    Skipped(String),
    Refused(String),
    Wrong(String),
}

/// `name = values`
fn assignment(name: &str, data: &Data<f64>) -> String {
    let list = data.to_reals();
    let mut text = String::new();
    for (k, v) in list.iter().enumerate() {
        let index = if data.shape.is_empty() { String::new() } else { format!("({})", k + 1) };
        let _ = writeln!(text, "  {name}{index} = {v:e}_8");
    }
    text
}

/// One call: declarations, assignments and prints, and the values that are expected.
fn call(p: &Program, unit: UnitId, inputs: &Values<f64>, seeds: &Values<f64>, tag: &str) -> (String, String, Vec<(String, bool)>) {
    let mut declarations = String::new();
    let mut text = String::new();
    let mut names = Vec::new();
    let mut outputs = Vec::new();
    for f in &p.unit(unit).formals {
        let s = p.symbol(f.symbol);
        let name = format!("{tag}_{}", s.name.trim_start_matches('_'));
        let of = s.decl.as_ref().and_then(|d| d.derivative_of).map(|o| p.symbol(o).name.to_string());
        let key = of.clone().unwrap_or_else(|| s.name.to_string());
        let size: u64 = (0..s.rank).map(|_| generate::N as u64).product();
        let shape = if s.rank > 0 { format!("({size})") } else { String::new() };
        let ty = match (s.ty.base, s.ty.bits) {
            (BaseType::Real, 32) => "real(4)",
            (BaseType::Real, _) => "real(8)",
            _ => "integer",
        };
        let _ = writeln!(declarations, "  {ty} :: {name}{shape}");
        let from = if of.is_some() { seeds } else { inputs };
        match (from.get(&key), ty) {
            (Some(d), "integer") => {
                let _ = writeln!(text, "  {name} = {}", d.to_reals().first().copied().unwrap_or(0.0));
            }
            (Some(d), _) => text.push_str(&assignment(&name, d)),
            (None, _) => {
                let _ = writeln!(text, "  {name} = 0");
            }
        }
        if s.ty.is_real() {
            outputs.push((name.clone(), key, of.is_some()));
        }
        names.push(name);
    }
    let _ = writeln!(text, "  call {}({})", p.unit_name(unit), names.join(", &\n    "));
    let mut expected = Vec::new();
    for (name, key, companion) in outputs {
        let _ = writeln!(text, "  print '(es26.17e3)', {name}");
        expected.push((key, companion));
    }
    (declarations, text, expected)
}

fn try_one(seed: u64) -> Outcome {
    let program = tree::Tree::build(&generate::generate(seed));
    let Some(p) = point(&program, seed) else { return Outcome::Skipped("no head".into()) };
    let mut boosted = program;
    let options = overbar::Options {
        tangent: true,
        adjoint: true,
        heads: vec![Head { unit: "head".into(), dependents: Some(p.dependents.clone()), independents: Some(p.independents.clone()) }],
        ..Default::default()
    };
    boosted = match overbar::boost(boosted, &options) {
        Ok(b) => b.program,
        Err(d) => return Outcome::Skipped(d.first().map_or("", |d| d.code).to_owned()),
    };
    let out = match unparse(&boosted, &UnparseOptions { no_primal: false, header: true }) {
        Ok(out) => out,
        Err(d) => return Outcome::Refused(d.iter().map(|d| format!("{d}")).collect::<Vec<_>>().join("; ")),
    };
    let mut declarations = String::new();
    let mut text = String::new();
    let mut expected: Vec<f64> = Vec::new();
    let is = |list: &[String], name: &str| list.iter().any(|n| n == name);
    for (mode, tag) in [(Mode::Tangent, "t"), (Mode::Adjoint, "a")] {
        let Some(unit) = unit_of(&boosted, mode) else { return Outcome::Skipped("no derivative".into()) };
        let mut seeds = Values::new();
        for (name, weight) in &p.weights {
            if mode == Mode::Adjoint && is(&p.dependents, name) {
                seeds.insert(name.clone(), weight.clone());
            } else if is(&p.independents, name) {
                seeds.insert(name.clone(), p.seeds[name].clone());
            }
        }
        let result = match derivative(&boosted, unit, &p.inputs, &seeds, &limits()) {
            Ok(r) => r,
            Err(e) => return Outcome::Skipped(e.code.to_owned()),
        };
        let (d, t, wanted) = call(&boosted, unit, &p.inputs.values, &seeds, tag);
        declarations.push_str(&d);
        text.push_str(&t);
        for (name, companion) in wanted {
            let from = if companion { &result.derivatives } else { &result.values };
            match from.get(&name) {
                Some(v) => expected.extend(v.to_reals()),
                None => return Outcome::Skipped("no value".into()),
            }
        }
    }
    if expected.iter().any(|x| !x.is_finite() || x.abs() > 1e12) {
        return Outcome::Skipped("too large".into());
    }
    let wrapped = out.source.contains("module program_module");
    let module = if wrapped { "program_module" } else { "program_interfaces" };
    let main = format!("program main\n  use {module}\n  implicit none\n{declarations}{text}end program main\n");
    let folder = tempfile::tempdir().unwrap();
    match run(folder.path(), &out.source, out.header.as_deref().unwrap_or(""), &main) {
        Err(what) => Outcome::Wrong(format!("{what}\n{}\n{main}", out.source)),
        Ok(got) => {
            // Everything is compared with the largest number that came out.
            let tolerance = if p.single { 1e-3 } else { 1e-8 };
            let scale = expected.iter().fold(1.0f64, |m, x| m.max(x.abs()));
            let same = got.len() == expected.len() && got.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= tolerance * scale);
            if same { Outcome::Same } else { Outcome::Wrong(format!("{got:?}\n{expected:?}\n{}\n{main}", out.source)) }
        }
    }
}

fn run(folder: &Path, source: &str, header: &str, main: &str) -> Result<Vec<f64>, String> {
    for (name, text) in [("unit.f90", source), ("header.f90", header), ("main.f90", main)] {
        std::fs::write(folder.join(name), text).map_err(|e| e.to_string())?;
    }
    let gfortran = |arguments: &[&str]| {
        let out = Command::new("gfortran").args(arguments).current_dir(folder).output().expect("gfortran is installed");
        (out.status.success(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let runtime = runtime().display().to_string();
    let (good, complaints) = gfortran(&["-std=f2018", "-Wall", "-I", &runtime, "-c", "unit.f90"]);
    let excepted = ["-Wunused-dummy-argument", "-Wmaybe-uninitialized", "-Wconversion", "-Winteger-division"];
    let warned = complaints.lines().any(|l| l.starts_with("Warning:") && !excepted.iter().any(|e| l.contains(e)));
    if !good || warned {
        return Err(complaints);
    }
    let object = format!("{runtime}/overbar_runtime.o");
    let (good, complaints) = gfortran(&[
        "-w",
        "-fcheck=bounds,do,mem,pointer,recursion",
        "-I",
        &runtime,
        "unit.f90",
        "header.f90",
        "main.f90",
        &object,
        "-o",
        "main",
    ]);
    if !good {
        return Err(complaints);
    }
    let out = Command::new(folder.join("main")).output().map_err(|e| e.to_string())?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).into_owned());
    }
    String::from_utf8_lossy(&out.stdout).split_whitespace().map(|n| n.parse().map_err(|_| format!("{n} is no number"))).collect()
}

/// The run-time module, compiled once.
fn runtime() -> &'static Path {
    static FOLDER: std::sync::OnceLock<tempfile::TempDir> = std::sync::OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("overbar_runtime.f90"), overbar_fortran::RUNTIME).unwrap();
            let out = Command::new("gfortran").args(["-c", "overbar_runtime.f90"]).current_dir(folder.path()).output();
            assert!(out.expect("gfortran is installed").status.success());
            folder
        })
        .path()
}

#[test]
fn printed_programs_compute_what_the_interpreter_computes() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (first, programs) = (number("OVERBAR_FIRST").unwrap_or(0), number("OVERBAR_PROGRAMS").unwrap_or(PROGRAMS));
    let mut counts = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    for seed in first..first + programs {
        let outcome = try_one(seed);
        let label = match &outcome {
            Outcome::Same => "same".to_owned(),
            Outcome::Skipped(why) => format!("skipped: {why}"),
            Outcome::Refused(why) => format!("refused: {why}"),
            Outcome::Wrong(_) => "wrong".to_owned(),
        };
        *counts.entry(label).or_insert(0) += 1;
        if let Outcome::Wrong(what) = outcome {
            wrong.push((seed, what));
        }
    }
    for (label, n) in &counts {
        println!("{n:6} {label}");
    }
    assert!(counts.get("same").is_some_and(|n| 4 * n >= programs), "too few programs were compared");
    for (seed, what) in &wrong {
        let told: String =
            what.lines().filter(|l| l.contains("rror") || l.starts_with('[')).take(3).map(|l| format!("  {l:.300}\n")).collect();
        println!("seed {seed}:\n{told}");
    }
    if let Some((seed, what)) = wrong.first() {
        panic!("{} programs are wrong; seed {seed}: {what}", wrong.len());
    }
}
