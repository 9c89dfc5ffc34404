//! Many programs with their derivatives in one executable, compared with the complex step.
//!
//! The oracle is the program itself in complex arithmetic, printed by us: one part in 10^20 of a direction is added to the inputs as their
//! imaginary part, and that of the results is the derivative. The driver is C for both languages. Never here: how programs are thought up.

use super::made::{Derived, Formal, Unit, prefix};
use super::rng::Rng;
use super::text::{Kind, Language, Program, real};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// What became of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Same,
    /// Numbers are too large to be compared, or not finite.
    Large,
    /// What is wrong.
    Wrong(String),
    /// The generated code does not compile.
    Broken(String),
    /// The program itself does not compile.
    Fault(String),
}

/// A program to be compiled.
pub struct Case {
    pub seed: u64,
    pub language: Language,
    generated: String,
    /// The original's files.
    own: Vec<String>,
    /// The same in complex arithmetic.
    complex: Vec<String>,
    unseen: String,
    unseen_complex: String,
    driver: String,
    fixed: bool,
    /// Derivatives that are called.
    calls: usize,
}

const PRELUDE: &str = include_str!("prelude.c");
const COMPLEX: &str = include_str!("complex.h.txt");

fn complex_prefix(seed: u64) -> String {
    format!("c{seed}_")
}

/// Where the numbers of an argument begin.
struct Layout<'a> {
    program: &'a Program,
    offsets: Vec<(String, usize)>,
    total: usize,
}

impl Layout<'_> {
    fn new(program: &Program, seed: u64) -> Layout<'_> {
        let mut offsets = Vec::new();
        let mut total = 0;
        for a in program.head.arguments.iter().filter(|a| a.kind != Kind::Length) {
            offsets.push((a.name.clone(), total));
            total += a.elements;
        }
        if let Some(r) = &program.head.result {
            offsets.push((real(r, &prefix(seed)), total));
            total += 1;
        }
        Layout { program, offsets, total }
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.offsets.iter().find(|o| o.0.eq_ignore_ascii_case(name)).map(|o| o.1)
    }
}

/// The name that the linker knows.
fn linked(language: Language, name: &str, module: Option<&str>) -> String {
    match (language, module) {
        (Language::C, _) => name.to_owned(),
        (_, Some(m)) => format!("__{}_MOD_{}", m.to_lowercase(), name.to_lowercase()),
        _ => format!("{}_", name.to_lowercase()),
    }
}

/// Everything that is compiled for a program.
pub fn case(program: &Program, derived: &Derived, seed: u64) -> Result<Case, String> {
    let (zero_init, vector) = (derived.options.zero_init, derived.options.directions.are_several());
    let mut rng = Rng::new(seed ^ 0x0d21_7e12);
    let l = Layout::new(program, seed);
    let mut text = String::new();
    let mut calls = String::new();
    complex_run(&l, seed, &mut text);
    for u in &derived.units {
        call(&l, u, seed, vector, &mut text, &mut calls)?;
    }
    let t = l.total;
    let numbers = |list: &[f64]| list.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
    let mask = |f: &dyn Fn(&str) -> bool| -> Vec<f64> {
        let mut out = vec![0.0; t];
        for (name, at) in &l.offsets {
            let n = program.head.arguments.iter().find(|a| a.name == *name).map_or(1, |a| a.elements);
            (0..n).for_each(|k| out[at + k] = f64::from(u8::from(f(name))));
        }
        out
    };
    let float = mask(&|n| program.head.arguments.iter().any(|a| a.name == n && a.kind == Kind::Float));
    let dependents: Vec<String> = program.head.dependents.iter().map(|d| real(d, &prefix(seed))).collect();
    let dependent = mask(&|n| dependents.iter().any(|d| d == n));
    let independent = mask(&|n| program.head.independents.iter().any(|d| d == n));
    let written = mask(&|n| dependents.iter().any(|d| d == n) && !program.head.arguments.iter().any(|a| a.name == n && a.read));
    let mut draw = |m: &[f64]| -> Vec<f64> { m.iter().map(|&on| f64::from(rng.real() as f32) * on).collect() };
    let all = vec![1.0; t];
    let inputs: Vec<f64> = draw(&all).iter().map(|x| f64::from((0.15 + 0.9 * x) as f32)).collect();
    let (v0, v1, w0, w1, g) = (draw(&independent), draw(&independent), draw(&dependent), draw(&dependent), draw(&all));
    let mut driver = text;
    let _ = writeln!(driver, "static void case_{seed}(int mode) {{");
    let _ = writeln!(driver, "  static const double in[] = {{{}}};", numbers(&inputs));
    let _ = writeln!(driver, "  static const double v[2][{t}] = {{{{{}}}, {{{}}}}};", numbers(&v0), numbers(&v1));
    let _ = writeln!(driver, "  static const double w[2][{t}] = {{{{{}}}, {{{}}}}};", numbers(&w0), numbers(&w1));
    let _ = writeln!(driver, "  static const double g[] = {{{}}};", numbers(&g));
    for (name, m) in [("fl", &float), ("dep", &dependent), ("ind", &independent), ("out", &written)] {
        let _ = writeln!(driver, "  static const char {name}[] = {{{}}};", numbers(m).replace(".0", ""));
    }
    let _ = writeln!(
        driver,
        "  struct point p = {{{seed}, {t}, {}, {}, {}, in, v[0], w[0], g, fl, dep, ind, out}};\n  if (!prepare(&p, cx_{seed})) return;",
        u8::from(program.single),
        u8::from(zero_init),
        u8::from(vector)
    );
    driver.push_str(&calls);
    driver.push_str("}\n");
    Ok(Case {
        seed,
        language: program.language,
        generated: derived.text.clone(),
        own: joined(program.language, program.print(&prefix(seed))),
        complex: joined(program.language, program.print_complex(&complex_prefix(seed))),
        unseen: program.print_unseen(&prefix(seed), false),
        unseen_complex: program.print_unseen(&complex_prefix(seed), true),
        driver,
        fixed: program.fixed,
        calls: derived.units.len(),
    })
}

/// Fortran's modules are needed where they are used; files of C see nothing of each other.
fn joined(language: Language, files: Vec<String>) -> Vec<String> {
    if language == Language::Fortran { vec![files.concat()] } else { files }
}

/// The original in complex arithmetic.
fn complex_run(l: &Layout, seed: u64, text: &mut String) {
    let h = &l.program.head;
    let fortran = l.program.language == Language::Fortran;
    let name = linked(
        l.program.language,
        &format!("{}head", complex_prefix(seed)),
        h.module.as_ref().map(|m| real(m, &complex_prefix(seed))).as_deref(),
    );
    let (mut types, mut values) = (Vec::new(), Vec::new());
    for a in &h.arguments {
        let at = l.at(&a.name).unwrap_or(0);
        let (ty, buffer) = if a.kind == Kind::Float { ("cf", "f") } else { ("cd", "b") };
        match (a.kind, a.value && !fortran) {
            (Kind::Length, true) => {
                types.push("int".to_owned());
                values.push("5".to_owned());
            }
            (Kind::Length, false) => {
                types.push("void *".into());
                values.push("&five".into());
            }
            (_, true) => {
                types.push(ty.into());
                values.push(format!("{buffer}[{at}]"));
            }
            _ => {
                types.push("void *".into());
                values.push(format!("{buffer} + {at}"));
            }
        }
    }
    let result = if h.result.is_some() { "cd" } else { "void" };
    let set = if h.result.is_some() { format!("b[{}] = ", l.total - 1) } else { String::new() };
    let _ = writeln!(text, "{result} {name}({});", types.join(", "));
    let _ = writeln!(text, "static void cx_{seed}(cd *b, cf *f) {{ (void) b; (void) f; {set}{name}({}); }}", values.join(", "));
}

/// The call of a derivative, and what is compared behind it.
fn call(l: &Layout, u: &Unit, seed: u64, vector: bool, text: &mut String, calls: &mut String) -> Result<(), String> {
    let language = l.program.language;
    let module = l.program.head.module.as_ref().map(|m| real(m, &prefix(seed)));
    let name = linked(language, &u.name, module.as_deref());
    let (mut types, mut values) = (Vec::new(), Vec::new());
    let mut returns: Option<(usize, bool)> = None;
    let each = if vector { 2 } else { 1 };
    for f in &u.formals {
        let by_value = f.value && language == Language::C;
        if !f.real {
            let number = if f.name.starts_with("nbdirs") { "two" } else { "five" };
            types.push(if by_value { "int".to_owned() } else { "void *".into() });
            values.push(if by_value { number.to_owned() } else { format!("&{number}") });
            continue;
        }
        let (at, derivative) = place(l, u, f).ok_or_else(|| format!("formal {} of {}", f.name, u.name))?;
        if f.result {
            returns = Some((at, derivative));
            continue;
        }
        let buffer = match (derivative, f.float) {
            (true, true) => "p.df",
            (true, false) => "p.d",
            (false, true) => "p.f",
            (false, false) => "p.b",
        };
        let at = if derivative { at * each } else { at };
        let ty = if f.float { "float" } else { "double" };
        types.push(if by_value { ty.to_owned() } else { "void *".into() });
        values.push(if by_value { format!("{buffer}[{at}]") } else { format!("{buffer} + {at}") });
    }
    let result = if returns.is_some() { "double" } else { "void" };
    let set =
        returns.map_or_else(String::new, |(at, d)| format!("{}[{}] = ", if d { "p.d" } else { "p.b" }, if d { at * each } else { at }));
    let _ = writeln!(text, "{result} {name}({});", types.join(", "));
    let mode = u8::from(u.adjoint);
    let _ = writeln!(calls, "  if (mode == {mode}) {{ start(&p, mode); {set}{name}({}); compare(&p, mode); }}", values.join(", "));
    Ok(())
}

/// The argument that a formal is, or is the derivative of.
fn place(l: &Layout, u: &Unit, f: &Formal) -> Option<(usize, bool)> {
    let last = l.program.head.result.as_ref().map(|_| l.total - 1);
    let of = f.of.clone().unwrap_or_else(|| f.name.clone());
    let derivative = f.of.is_some();
    if let Some(at) = l.at(&of) {
        return Some((at, derivative || (u.adjoint && Some(at) == last)));
    }
    // A result has a name of its own; an adjoint does not return its value.
    last.map(|at| (at, derivative || u.adjoint))
}

fn tool(folder: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let out = Command::new(program).args(arguments).current_dir(folder).output().map_err(|e| format!("{program}: {e}"))?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&out.stderr).into_owned())
    }
}

/// Compiles and runs; one outcome for each case.
pub fn run_all(cases: &[Case], level: &str) -> Vec<(u64, Outcome)> {
    let mut out = Vec::new();
    if cases.is_empty() {
        return out;
    }
    // Both forms of Fortran do not go together.
    if cases.iter().any(|c| c.fixed != cases[0].fixed) {
        for fixed in [false, true] {
            let some: Vec<&Case> = cases.iter().filter(|c| c.fixed == fixed).collect();
            out.extend(run_some(&some, level));
        }
        return out;
    }
    run_some(&cases.iter().collect::<Vec<_>>(), level)
}

fn run_some(all: &[&Case], level: &str) -> Vec<(u64, Outcome)> {
    let mut out = Vec::new();
    if all.is_empty() {
        return out;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    if let Ok(list) = together(folder.path(), all, level) {
        return list;
    }
    // Which one it was shows when each is alone.
    let mut good = Vec::new();
    for &c in all {
        match alone(folder.path(), c) {
            Ok(()) => good.push(c),
            Err(o) => out.push((c.seed, o)),
        }
    }
    match together(folder.path(), &good, level) {
        Ok(list) => out.extend(list),
        Err(_) => {
            for c in good {
                match together(folder.path(), &[c], level) {
                    Ok(list) => out.extend(list),
                    Err(e) => out.push((c.seed, Outcome::Broken(first_lines(&e)))),
                }
            }
        }
    }
    out
}

fn first_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|l| l.contains("rror") || l.contains("undefined")).take(3).collect();
    if lines.is_empty() { text.lines().take(4).collect::<Vec<_>>().join("\n") } else { lines.join("\n") }
}

/// Whether the original and the generated text can be compiled.
fn alone(folder: &Path, c: &Case) -> Result<(), Outcome> {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file can be written");
    let extension = extension(c);
    let (compiler, flags) = compiler(c.language);
    for (k, own) in c.own.iter().enumerate() {
        for (name, text, what) in [("own", own.clone(), ""), ("cx", complex_text(c.language, &[&c.complex[k]]), "complex: ")] {
            let name = format!("{name}{k}.{extension}");
            write(&name, &text);
            let mut arguments = flags.to_vec();
            arguments.extend(["-fsyntax-only", &name]);
            tool(folder, compiler, &arguments).map_err(|e| Outcome::Fault(format!("{what}{}", first_lines(&e))))?;
        }
    }
    let name = format!("gen.{extension}");
    write(&name, &c.generated);
    runtime(folder, c.language);
    let mut arguments = flags.to_vec();
    arguments.extend(["-fsyntax-only", &name]);
    tool(folder, compiler, &arguments).map(|_| ()).map_err(|e| Outcome::Broken(first_lines(&e)))
}

fn extension(c: &Case) -> &'static str {
    match (c.language, c.fixed) {
        (Language::C, _) => "c",
        (_, true) => "f",
        _ => "f90",
    }
}

fn compiler(language: Language) -> (&'static str, Vec<&'static str>) {
    match language {
        Language::C => ("gcc", vec!["-std=gnu11", "-w"]),
        Language::Fortran => ("gfortran", vec!["-w", "-ffree-line-length-none"]),
    }
}

fn runtime(folder: &Path, language: Language) {
    let (name, text) = match language {
        Language::C => ("overbar.h", overbar_c::RUNTIME),
        Language::Fortran => ("overbar_runtime.f90", overbar_fortran::RUNTIME),
    };
    if !folder.join(name).exists() {
        std::fs::write(folder.join(name), text).expect("a file can be written");
        if language == Language::Fortran {
            tool(folder, "gfortran", &["-w", "-O1", "-c", name]).expect("the runtime compiles");
        }
    }
}

/// Files in complex arithmetic.
fn complex_text(language: Language, list: &[&str]) -> String {
    let start = if language == Language::C { COMPLEX } else { "" };
    start.to_owned() + &list.concat()
}

fn together(folder: &Path, cases: &[&Case], level: &str) -> Result<Vec<(u64, Outcome)>, String> {
    let Some(first) = cases.first() else { return Ok(Vec::new()) };
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(|e| e.to_string());
    runtime(folder, first.language);
    let extension = extension(first);
    let (compiler, flags) = compiler(first.language);
    let mut objects = Vec::new();
    let mut compile = |name: &str, level: &str, more: &[&str]| -> Result<(), String> {
        let (program, mut arguments) = if name.ends_with(".c") { ("gcc", vec!["-std=gnu11", "-w"]) } else { (compiler, flags.clone()) };
        let object = format!("{name}.o");
        arguments.extend([level, "-c", name, "-o", &object]);
        arguments.extend(more);
        tool(folder, program, &arguments)?;
        objects.push(object);
        Ok(())
    };
    let generated: Vec<&str> = cases.iter().map(|c| c.generated.as_str()).collect();
    write(&format!("gen.{extension}"), &generated.join("\n"))?;
    let sanitize = std::env::var_os("SANITIZE").is_some();
    let more: &[&str] = if sanitize { &["-fsanitize=undefined,address", "-fno-sanitize-recover", "-g"] } else { &[] };
    compile(&format!("gen.{extension}"), level, more)?;
    let files = cases.iter().map(|c| c.own.len()).max().unwrap_or(0);
    let mut unseen = String::from("#include <math.h>\n");
    for k in 0..files {
        let mut list: Vec<&str> = cases.iter().filter_map(|c| Some(c.complex.get(k)?.as_str())).collect();
        if k == 0 {
            list.extend(cases.iter().map(|c| c.unseen_complex.as_str()));
        }
        write(&format!("cx{k}.{extension}"), &complex_text(first.language, &list))?;
        let cx: &[&str] = if first.language == Language::C { &["-fcx-limited-range"] } else { &[] };
        compile(&format!("cx{k}.{extension}"), "-O0", &[cx, more].concat())?;
    }
    if first.language == Language::Fortran {
        unseen.clear();
    }
    cases.iter().for_each(|c| unseen.push_str(&c.unseen));
    write(&format!("unseen.{extension}"), &unseen)?;
    compile(&format!("unseen.{extension}"), "-O0", more)?;
    let mut main = PRELUDE.to_owned();
    cases.iter().for_each(|c| main.push_str(&c.driver));
    main.push_str("int main(void) {\n");
    cases.iter().for_each(|c| main.push_str(&format!("  attempt({0}, case_{0});\n", c.seed)));
    main.push_str("  return 0;\n}\n");
    write("main.c", &main)?;
    compile("main.c", "-O0", more)?;
    let mut arguments: Vec<&str> = objects.iter().map(String::as_str).collect();
    if first.language == Language::Fortran {
        arguments.push("overbar_runtime.o");
    }
    arguments.extend(["-o", "main", "-lm"]);
    arguments.extend(more);
    tool(folder, compiler, &arguments)?;
    if let Some(to) = std::env::var_os("KEEP") {
        // For whoever looks into a failure.
        let _ = Command::new("cp").args(["-r", "."]).arg(to).current_dir(folder).status();
    }
    let said = Command::new("./main").current_dir(folder).output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    if sanitize && !said.stderr.is_empty() {
        println!(
            "{}",
            String::from_utf8_lossy(&said.stderr).lines().filter(|l| l.contains("rror")).take(10).collect::<Vec<_>>().join("\n")
        );
    }
    Ok(cases.iter().map(|c| (c.seed, outcome(&text, c))).collect())
}

fn outcome(text: &str, case: &Case) -> Outcome {
    let start = format!("{} ", case.seed);
    let mine: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix(&start)).collect();
    if let Some(l) = mine.iter().find(|l| l.starts_with("fault")) {
        return Outcome::Fault((*l).to_owned());
    }
    let wrong: Vec<&str> = mine.iter().copied().filter(|l| l.starts_with("wrong") || l.starts_with("died")).take(6).collect();
    if !wrong.is_empty() {
        return Outcome::Wrong(wrong.join("; "));
    }
    if mine.iter().any(|l| l.starts_with("large")) {
        return Outcome::Large;
    }
    if mine.iter().filter(|l| l.starts_with("done")).count() == case.calls {
        Outcome::Same
    } else {
        Outcome::Fault(format!("no answer: {mine:?}"))
    }
}
