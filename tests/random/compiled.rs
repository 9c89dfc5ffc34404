//! Random programs with their derivatives, printed, compiled many at a time, run: the numbers must be those of the interpreter.
//!
//! Never here: what is checked in the interpreter alone.

use super::check::{Point, derivative_limits, moved, point, seeds_of};
use super::generate::{N, generate};
use super::tree::Tree;
use overbar::Options;
use overbar::evaluate::{Data, Values, derivative};
use overbar::transform::{Preaccumulate, Reversal};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use xaif::Program;
use xaif::model::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Fortran,
}

/// A program that can be compiled, with what must come out.
pub struct Case {
    pub seed: u64,
    /// The program without derivatives: what compilers say of it is not said of the derivatives.
    own: String,
    source: String,
    header: String,
    driver: String,
    expected: Vec<f64>,
    /// The same for inputs that are moved by a few units in the last place.
    near: Vec<Vec<f64>>,
    tolerance: f64,
}

/// What became of the programs of some seeds.
#[derive(Default)]
pub struct Tally {
    /// Programs whose numbers are the interpreter's.
    pub same: u64,
    /// Others, by reason.
    pub others: BTreeMap<String, u64>,
    /// Seed and what is wrong.
    pub wrong: Vec<(u64, String)>,
    /// The first seed that was not looked at.
    pub next: u64,
}

/// Goes through seeds until so many programs were compiled, so many in one go.
pub fn compile_many(language: Language, first: u64, count: u64, at_once: usize) -> Tally {
    let mut tally = Tally { next: first, ..Tally::default() };
    while tally.same + (tally.wrong.len() as u64) < count && tally.next < first + 20 * count + 100 {
        let mut batch = Vec::new();
        let left = (count - tally.same - tally.wrong.len() as u64) as usize;
        while batch.len() < left.min(at_once) && tally.next < first + 20 * count + 100 {
            let seed = tally.next;
            tally.next += 1;
            match prepare(&generate(seed), seed, language) {
                Ok(case) => batch.push(case),
                Err(why) => *tally.others.entry(why).or_insert(0) += 1,
            }
        }
        for (seed, verdict) in run_all(language, &batch) {
            match verdict {
                Ok(()) => tally.same += 1,
                Err(what) if what == "ill-conditioned" => *tally.others.entry(what).or_insert(0) += 1,
                Err(what) => tally.wrong.push((seed, what)),
            }
        }
    }
    tally
}

/// Boosts and prints a program; the reason where it takes no part.
pub fn prepare(tree: &Tree, seed: u64, language: Language) -> Result<Case, String> {
    let mut program = super::gather::gathered(tree.build(), seed);
    if (program.index_order == IndexOrder::Row) != (language == Language::C) {
        return Err("the other language's".into());
    }
    let p = point(&program, seed).ok_or("no head")?;
    // Names that no other program of the same executable has.
    let prefix = format!("p{seed}_");
    for s in &mut program.symbols {
        if s.kind == SymbolKind::Subroutine || *s.storage() == Storage::Global {
            s.name = format!("{prefix}{}", s.name).into();
            s.id = s.name.clone();
        }
    }
    program.document = format!("p{seed}");
    // Guards of headers are made from it.
    program.name = format!("p{seed}").into();
    let options = Options {
        tangent: true,
        adjoint: true,
        heads: vec![Head {
            unit: format!("{prefix}head"),
            dependents: Some(p.dependents.clone()),
            independents: Some(p.independents.clone()),
        }],
        // Every way to make the code, over the seeds.
        reversal: [Reversal::Auto, Reversal::Split, Reversal::Joint][(seed % 3) as usize],
        preaccumulate: [Preaccumulate::Never, Preaccumulate::Always, Preaccumulate::Auto][(seed / 3 % 3) as usize],
        zero_init: seed % 5 == 4,
        ..Options::default()
    };
    let refused =
        |d: Vec<xaif::Diagnostic>| format!("not printed: {}", d.first().map(|d| format!("{} {}", d.code, d.message)).unwrap_or_default());
    let print = |program: &Program| match language {
        Language::C => overbar_c::unparse(program, &overbar_c::UnparseOptions { no_primal: false, header: true })
            .map(|out| (out.source, out.header.unwrap_or_default())),
        Language::Fortran => overbar_fortran::unparse(program, &overbar_fortran::UnparseOptions { no_primal: false, header: true })
            .map(|out| (out.source, out.header.unwrap_or_default())),
    };
    let (own, _) = print(&program).map_err(refused)?;
    let boosted = overbar::boost(program, &options).map_err(|d| d.first().map_or("", |d| d.code).to_owned())?.program;
    let (source, header) = print(&boosted).map_err(refused)?;
    let mut calls = Vec::new();
    let mut expected = Vec::new();
    let mut near: Vec<Vec<f64>> = vec![Vec::new(); 2];
    for mode in [Mode::Tangent, Mode::Adjoint] {
        let unit = boosted
            .unit_ids()
            .find(|&u| boosted.unit(u).derivation.is_some_and(|d| d.mode == mode && boosted.unit_name(d.of) == format!("{prefix}head")))
            .ok_or("no derivative unit")?;
        let seeds = seeds_of(&p, mode);
        let numbers = |inputs: &overbar::evaluate::Inputs<f64>| -> Result<Vec<f64>, String> {
            let result = derivative(&boosted, unit, inputs, &seeds, &derivative_limits()).map_err(|e| e.code.to_owned())?;
            let mut out = Vec::new();
            for f in &boosted.unit(unit).formals {
                if let Some((key, companion)) = printed(&boosted, f.symbol) {
                    let from = if companion { &result.derivatives } else { &result.values };
                    out.extend(from.get(&key).ok_or("no value")?.to_reals());
                }
            }
            Ok(out)
        };
        expected.extend(numbers(&p.inputs)?);
        for (list, by) in near.iter_mut().zip([4.0, -4.0]) {
            // Where that goes another way, nothing is near.
            list.extend(numbers(&moved(&p, by)).unwrap_or_default());
        }
        calls.push((mode, unit, seeds));
    }
    if expected.iter().any(|x| !x.is_finite() || x.abs() > 1e12) {
        return Err("too large".into());
    }
    let driver = match language {
        Language::C => c_driver(&boosted, seed, &p, &calls),
        Language::Fortran => fortran_driver(&boosted, seed, &p, &calls, &source),
    };
    Ok(Case { seed, own, source, header, driver, expected, near, tolerance: if p.single { 1e-3 } else { 1e-8 } })
}

/// Under which name the results have a formal, and whether it is a derivative; nothing for what is not compared.
fn printed(p: &Program, symbol: SymbolId) -> Option<(String, bool)> {
    let s = p.symbol(symbol);
    let of = s.decl.as_ref().and_then(|d| d.derivative_of).map(|o| p.symbol(o).name.to_string());
    // A copy changes for nobody.
    let seen = s.ty.is_real() && s.passing() != Passing::Value;
    let companion = of.is_some();
    seen.then(|| (of.unwrap_or_else(|| s.name.to_string()), companion))
}

type Call = (Mode, UnitId, Values<f64>);

/// What a formal starts with.
fn start<'a>(p: &Program, symbol: SymbolId, inputs: &'a Values<f64>, seeds: &'a Values<f64>) -> Option<&'a Data<f64>> {
    let s = p.symbol(symbol);
    match s.decl.as_ref().and_then(|d| d.derivative_of) {
        Some(of) => seeds.get(p.symbol(of).name.as_str()),
        None => inputs.get(s.name.as_str()),
    }
}

fn elements(s: &Symbol) -> usize {
    (0..s.rank).map(|_| N as usize).product()
}

fn c_driver(p: &Program, seed: u64, point: &Point, calls: &[Call]) -> String {
    let mut text = format!("static void case_{seed}(void) {{\n  printf(\"case {seed}\\n\");\n");
    for (mode, unit, seeds) in calls {
        let mut names = Vec::new();
        let mut prints = String::new();
        for f in &p.unit(*unit).formals {
            let s = p.symbol(f.symbol);
            let name = format!("{}_{}", if *mode == Mode::Tangent { "t" } else { "a" }, s.name);
            let ty = match (s.ty.base, s.ty.bits) {
                (BaseType::Real, 32) => "float",
                (BaseType::Real, _) => "double",
                _ => "int",
            };
            let list = start(p, f.symbol, &point.inputs.values, seeds).map_or(vec![0.0; elements(s)], Data::to_reals);
            let list: Vec<String> = list.iter().map(|x| format!("{x:e}")).collect();
            let _ = writeln!(text, "  {ty} {name}[{}] = {{{}}};", elements(s), list.join(", "));
            let value = s.passing() == Passing::Value;
            names.push(match (value, s.rank) {
                (true, _) => format!("{name}[0]"),
                (_, 2) => format!("(void *){name}"),
                _ => name.clone(),
            });
            if printed(p, f.symbol).is_some() {
                let _ = writeln!(prints, "  for (int i = 0; i < {}; i++) printf(\"%.17g\\n\", (double){name}[i]);", elements(s));
            }
        }
        let _ = writeln!(text, "  {}({});\n{prints}", p.unit_name(*unit), names.join(", "));
    }
    text.push_str("  fflush(stdout);\n}\n");
    text
}

fn fortran_driver(p: &Program, seed: u64, point: &Point, calls: &[Call], source: &str) -> String {
    let wrapped = source.contains(&format!("module p{seed}_module"));
    let module = if wrapped { "module" } else { "interfaces" };
    let (mut declarations, mut text) = (String::new(), format!("  print '(a)', 'case {seed}'\n"));
    for (mode, unit, seeds) in calls {
        let mut names = Vec::new();
        let mut prints = String::new();
        for f in &p.unit(*unit).formals {
            let s = p.symbol(f.symbol);
            let name = format!("{}_{}", if *mode == Mode::Tangent { "t" } else { "a" }, s.name.trim_start_matches('_'));
            let ty = match (s.ty.base, s.ty.bits) {
                (BaseType::Real, 32) => "real(4)",
                (BaseType::Real, _) => "real(8)",
                _ => "integer",
            };
            let shape = if s.rank > 0 { format!("({})", elements(s)) } else { String::new() };
            let _ = writeln!(declarations, "  {ty} :: {name}{shape}");
            let list = start(p, f.symbol, &point.inputs.values, seeds).map_or(vec![0.0; elements(s)], Data::to_reals);
            for (k, x) in list.iter().enumerate() {
                let index = if s.rank > 0 { format!("({})", k + 1) } else { String::new() };
                let value = if s.ty.is_real() { format!("{x:e}_8") } else { format!("{x}") };
                let _ = writeln!(text, "  {name}{index} = {value}");
            }
            if printed(p, f.symbol).is_some() {
                let _ = writeln!(prints, "  print '(es26.17e3)', {name}");
            }
            names.push(name);
        }
        let _ = writeln!(text, "  call {}({})\n{prints}", p.unit_name(*unit), names.join(", &\n    "));
    }
    format!("subroutine case_{seed}()\n  use p{seed}_{module}\n  implicit none\n{declarations}{text}end subroutine case_{seed}\n")
}

/// Compiles each program, links those that could be compiled, and runs them together.
pub fn run_all(language: Language, batch: &[Case]) -> Vec<(u64, Result<(), String>)> {
    if batch.is_empty() {
        return Vec::new();
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let objects = objects(folder.path(), language, batch).unwrap_or_else(|what| vec![Err(what); batch.len()]);
    let mut out: Vec<(u64, Result<(), String>)> = Vec::new();
    let mut good: Vec<&Case> = Vec::new();
    for (case, object) in batch.iter().zip(objects) {
        match object {
            Ok(()) => good.push(case),
            Err(what) => out.push((case.seed, Err(what))),
        }
    }
    out.extend(together(folder.path(), language, &good));
    out
}

fn together(folder: &Path, language: Language, batch: &[&Case]) -> Verdicts {
    if batch.is_empty() {
        return Vec::new();
    }
    match run_in(folder, language, batch) {
        Ok(verdicts) => verdicts,
        // Which one it was shows when each is alone.
        Err(_) if batch.len() > 1 => {
            let (a, b) = batch.split_at(batch.len() / 2);
            [together(folder, language, a), together(folder, language, b)].concat()
        }
        Err(what) => vec![(batch[0].seed, Err(what))],
    }
}

/// Compiles each program by itself, two at a time.
fn objects(folder: &Path, language: Language, batch: &[Case]) -> Result<Vec<Result<(), String>>, String> {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(|e| e.to_string());
    let (extension, compiler, flags): (_, _, &[&str]) = match language {
        Language::C => ("c", "gcc", &STRICT_C),
        Language::Fortran => ("f90", "gfortran", &STRICT_FORTRAN),
    };
    let compile = |name: &str, flags: &[&str]| {
        let list: Vec<String> = flags.iter().copied().chain(["-c", name]).map(str::to_owned).collect();
        tool(folder, compiler, &list).map(|_| ())
    };
    match language {
        Language::C => write("overbar.h", overbar_c::RUNTIME)?,
        Language::Fortran => {
            write("overbar_runtime.f90", overbar_fortran::RUNTIME)?;
            compile("overbar_runtime.f90", flags)?;
        }
    }
    let one = |c: &Case| -> Result<(), String> {
        let name = format!("p{}.{extension}", c.seed);
        write(&name, &c.source)?;
        match language {
            Language::C => write(&format!("p{}.h", c.seed), &c.header)?,
            Language::Fortran if !c.header.is_empty() => {
                let name = format!("h{}.f90", c.seed);
                write(&name, &c.header)?;
                compile(&name, &["-w", "-O0"])?;
            }
            Language::Fortran => {}
        }
        // The newest standard frowns at what the program itself asks for.
        let older: Vec<&str> = flags.iter().map(|&f| if f == "-std=f2018" { "-std=f2008" } else { f }).collect();
        let flags = if c.source.contains("common /") { &older } else { flags };
        compile(&name, flags).or_else(|said| {
            let own = format!("own{}.{extension}", c.seed);
            write(&own, &c.own)?;
            let of_the_program = compile(&own, flags).err().unwrap_or_default();
            let all = kinds(&said);
            if !all.is_empty() && all.is_subset(&kinds(&of_the_program)) { Ok(()) } else { Err(said) }
        })
    };
    let (first, second) = batch.split_at(batch.len() / 2);
    let all = |part: &[Case]| part.iter().map(one).collect::<Vec<_>>();
    Ok(std::thread::scope(|scope| {
        let other = scope.spawn(|| all(second));
        let mut list = all(first);
        list.extend(other.join().unwrap_or_else(|_| vec![Err("a thread panicked".into()); second.len()]));
        list
    }))
}

/// The kinds of warnings in what a compiler said; none where it said something else.
fn kinds(said: &str) -> BTreeSet<&str> {
    let lines: Vec<_> = said.lines().map(|l| l.rsplit_once("[-W").map(|(_, kind)| kind)).collect();
    if lines.contains(&None) { BTreeSet::new() } else { lines.into_iter().flatten().collect() }
}

fn tool(folder: &Path, program: &str, arguments: &[String]) -> Result<String, String> {
    let out = Command::new(program).args(arguments).current_dir(folder).output().map_err(|e| format!("{program}: {e}"))?;
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    // gfortran takes it that every loop has an iteration, and no option silences that.
    let empty_loop = |l: &str| l.contains("out of bounds") && l.contains("in loop beginning at");
    let lines: Vec<&str> = told
        .lines()
        .filter(|l| (l.to_lowercase().contains("error") || l.to_lowercase().contains("warning")) && !empty_loop(l))
        .take(4)
        .collect();
    if out.status.success() && (told.is_empty() || (lines.is_empty() && told.lines().any(empty_loop))) {
        return Ok(String::from_utf8_lossy(&out.stdout).into_owned());
    }
    Err(format!("{program}, {}: {}", out.status, if lines.is_empty() { told.clone() } else { lines.join("\n") }))
}

/// Flags that the generated code has to pass silently. Random programs set what they do not need, and leave loops in ways that compilers
/// cannot follow.
const STRICT_C: [&str; 12] = [
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-pedantic",
    "-O1",
    "-Wno-maybe-uninitialized",
    "-Wno-unused-but-set-variable",
    "-Wno-unused-but-set-parameter",
    "-Wno-unused-parameter",
    "-Wno-tautological-compare",
    "-Wno-stringop-overflow",
    "-Wno-array-bounds",
];
/// Products of matrices that the compiler writes as loops make it warn of its own variables.
const STRICT_FORTRAN: [&str; 8] = [
    "-std=f2018",
    "-Wall",
    "-Wno-unused-dummy-argument",
    "-O1",
    "-Wno-maybe-uninitialized",
    "-Wno-integer-division",
    "-Wno-conversion",
    "-finline-matmul-limit=0",
];

type Verdicts = Vec<(u64, Result<(), String>)>;

fn run_in(folder: &Path, language: Language, batch: &[&Case]) -> Result<Verdicts, String> {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(|e| e.to_string());
    let drivers: String = batch.iter().map(|c| c.driver.as_str()).collect();
    let objects = batch.iter().map(|c| format!("p{}.o", c.seed));
    let mut list: Vec<String> = ["-O0", "-o", "main"].map(str::to_owned).to_vec();
    match language {
        Language::C => {
            let mut main = String::from("#include <stdio.h>\n");
            batch.iter().for_each(|c| main.push_str(&format!("#include \"p{}.h\"\n", c.seed)));
            main.push_str(&drivers);
            let body: String = batch.iter().map(|c| format!("  case_{}();\n", c.seed)).collect();
            let _ = writeln!(main, "int main(void) {{\n{body}  return 0;\n}}");
            write("main.c", &main)?;
            list.extend(["-std=c11", "-Wall", "main.c"].map(str::to_owned));
            list.extend(objects);
            list.push("-lm".into());
            tool(folder, "gcc", &list)?;
        }
        Language::Fortran => {
            let body: String = batch.iter().map(|c| format!("  call case_{}()\n", c.seed)).collect();
            write("main.f90", &format!("{drivers}program main\n{body}end program main\n"))?;
            list.extend(["-w".into(), "main.f90".into(), "overbar_runtime.o".into()]);
            list.extend(objects);
            tool(folder, "gfortran", &list)?;
        }
    }
    let main = folder.join("main").display().to_string();
    let said = tool(folder, &main, &[])?;
    let mut results: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    let mut at = 0;
    for line in said.lines() {
        match line.trim().strip_prefix("case ") {
            Some(seed) => at = seed.parse().map_err(|_| format!("{line} is no case"))?,
            None => results.entry(at).or_default().push(line.trim().parse().map_err(|_| format!("{line} is no number"))?),
        }
    }
    Ok(batch.iter().map(|c| (c.seed, same(c, results.get(&c.seed).map_or(&[], Vec::as_slice)))).collect())
}

fn same(c: &Case, got: &[f64]) -> Result<(), String> {
    // Everything is compared with the largest number that came out.
    let scale = c.expected.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    if got.len() != c.expected.len() {
        return Err(format!("{} numbers instead of {}", got.len(), c.expected.len()));
    }
    match got.iter().zip(&c.expected).position(|(a, b)| (a - b).abs() > c.tolerance * scale || a.is_nan()) {
        // A few units in the last place of the inputs make as much of a difference.
        Some(k) if c.near.iter().any(|n| n.get(k).is_none_or(|x| (x - c.expected[k]).abs() > (got[k] - c.expected[k]).abs() / 16.0)) => {
            Err("ill-conditioned".into())
        }
        Some(k) => Err(format!("number {k} is {}, in the interpreter {}", got[k], c.expected[k])),
        None => Ok(()),
    }
}

/// The text that is compiled, for reports.
pub fn source(c: &Case) -> &str {
    &c.source
}
