//! The kernels of `kernels/`: `NAME.c` is the primal, `NAME_hand.c` its adjoint by hand, `NAME.f90`, where there is one, the primal in Fortran.
//!
//! The first lines of the primal in C say how it is called, an argument a line in the order of the function's:
//!
//! ```c
//! //: head cost(cost)/(x)
//! //: int n = 1000
//! //: in double w[n] = 1 + 0.1 * cos(i)         passive
//! //: active double x[3 * n] = sin(1.7 * i)     independent, its derivative behind it in the adjoint
//! //: out double y[n]                           dependent
//! //: inout double z[n] = 0.1 * i               both
//! ```
//!
//! The adjoint by hand has the name `cost_hand` and the parameters and the contract of the generated one: it adds to the derivatives of inputs, and those
//! of outputs are its own to change.

use super::run;
use std::fmt::Write;
use std::path::Path;

/// An argument.
struct Argument {
    /// Whether it has a derivative: all but those of type int, and `in`.
    active: bool,
    /// `int`, or `double`.
    is_integer: bool,
    name: String,
    /// Its number of elements, in C; a scalar has none.
    extent: Option<String>,
    /// Its value, or that of element `i`, in C; what is only set has none.
    value: Option<String>,
    /// Whether its derivative comes in: that of an output.
    seeded: bool,
}

/// How a kernel is called.
struct Kernel {
    name: String,
    head: String,
    arguments: Vec<Argument>,
    /// Whether it is a function.
    has_result: bool,
}

impl Kernel {
    fn read(name: &str, text: &str) -> Option<Kernel> {
        let mut head = None;
        let mut arguments = Vec::new();
        for line in text.lines().filter_map(|l| l.strip_prefix("//: ")) {
            if let Some(h) = line.strip_prefix("head ") {
                head = Some(h.trim().to_owned());
                continue;
            }
            let (left, value) = match line.split_once(" = ") {
                Some((left, value)) => (left, Some(value.trim().to_owned())),
                None => (line, None),
            };
            let (left, extent) = match left.split_once('[') {
                Some((left, extent)) => (left, Some(extent.trim_end().strip_suffix(']')?.to_owned())),
                None => (left, None),
            };
            let words: Vec<&str> = left.split_whitespace().collect();
            let role = words.first()?;
            arguments.push(Argument {
                active: matches!(*role, "active" | "out" | "inout"),
                is_integer: words.contains(&"int"),
                name: (*words.last()?).to_owned(),
                extent,
                value,
                seeded: matches!(*role, "out" | "inout"),
            });
        }
        let head = head?;
        let has_result = head.starts_with(&format!("{name}({name})"));
        Some(Kernel { name: name.to_owned(), head, arguments, has_result })
    }

    /// Types of the parameters in C; `by_reference`: as Fortran has them.
    fn parameters(&self, adjoint: bool, by_reference: bool) -> String {
        let mut out: Vec<&str> = Vec::new();
        for a in &self.arguments {
            let pointer = a.extent.is_some() || by_reference || a.seeded;
            out.push(match (a.is_integer, pointer) {
                (true, true) => "int *",
                (true, false) => "int",
                (false, true) => "double *",
                (false, false) => "double",
            });
            if adjoint && a.active {
                out.push("double *");
            }
        }
        if adjoint && self.has_result {
            out.push(if by_reference { "double *" } else { "double" });
        }
        out.join(", ")
    }

    /// The arguments of a call; `derivatives`: what stands behind the name of a derivative.
    fn call(&self, derivatives: Option<&str>, by_reference: bool) -> String {
        let mut out: Vec<String> = Vec::new();
        for a in &self.arguments {
            let address = if a.extent.is_none() && (by_reference || a.seeded) { "&" } else { "" };
            out.push(format!("{address}{}", a.name));
            if let (Some(d), true) = (derivatives, a.active) {
                out.push(format!("{}{}_{d}", if a.extent.is_none() { "&" } else { "" }, a.name));
            }
        }
        if derivatives.is_some() && self.has_result {
            out.push(if by_reference { "&bench_one".into() } else { "1.0".into() });
        }
        out.join(", ")
    }

    /// The text that the driver stands behind: data, what sets and clears them, and the calls.
    fn harness(&self, fortran: bool) -> String {
        let mut out = String::from(
            "#include <math.h>\n#include <stdlib.h>\n#include <string.h>\nstatic double bench_one = 1;\nstatic volatile double bench_sink;\n",
        );
        let (mut make, mut fill, mut adjoints) = (String::new(), String::new(), String::new());
        let ways: &[&str] = if fortran { &["hand", "c", "fortran"] } else { &["hand", "c"] };
        let mut clear: Vec<String> = vec![String::new(); ways.len()];
        for a in &self.arguments {
            let (name, kind) = (&a.name, if a.is_integer { "int" } else { "double" });
            let value = a.value.as_deref().unwrap_or("0");
            let Some(extent) = &a.extent else {
                let _ = writeln!(out, "static {kind} {name} = {value};");
                for (way, clear) in ways.iter().zip(&mut clear).filter(|_| a.active) {
                    let _ = writeln!(out, "static double {name}_{way};");
                    let _ = writeln!(clear, "  {name}_{way} = {};", if a.seeded { "1" } else { "0" });
                    let _ = writeln!(adjoints, "  bench_compare(\"{name}\", &{name}_{way}, &{name}_hand, 1);");
                }
                if a.seeded {
                    let _ = writeln!(fill, "  {name} = {value};");
                }
                continue;
            };
            let _ = writeln!(out, "static {kind} *{name};");
            let _ = writeln!(
                make,
                "  {name} = calloc({extent}, sizeof *{name});\n  for (int i = 0; i < {extent}; i++)\n    {name}[i] = {value};"
            );
            if a.seeded {
                let _ = writeln!(out, "static double *{name}_before, *{name}_seed;");
                let _ = writeln!(
                    make,
                    "  {name}_before = calloc({extent}, sizeof *{name});\n  {name}_seed = calloc({extent}, sizeof *{name});"
                );
                let _ = writeln!(
                    make,
                    "  for (int i = 0; i < {extent}; i++) {{\n    {name}_before[i] = {name}[i];\n    {name}_seed[i] = 0.3 + 0.1 * cos(i);\n  }}"
                );
            }
            if a.seeded && a.value.is_some() {
                let _ = writeln!(fill, "  memcpy({name}, {name}_before, {extent} * sizeof *{name});");
            }
            for (way, clear) in ways.iter().zip(&mut clear).filter(|_| a.active) {
                let _ = writeln!(out, "static double *{name}_{way};");
                let _ = writeln!(make, "  {name}_{way} = calloc({extent}, sizeof(double));");
                let _ = match a.seeded {
                    true => writeln!(clear, "  memcpy({name}_{way}, {name}_seed, {extent} * sizeof(double));"),
                    false => writeln!(clear, "  memset({name}_{way}, 0, {extent} * sizeof(double));"),
                };
                let _ = writeln!(adjoints, "  bench_compare(\"{name} of {way}\", {name}_{way}, {name}_hand, {extent});");
            }
        }
        let (name, kind) = (&self.name, if self.has_result { "double" } else { "void" });
        let sink = if self.has_result { "bench_sink = " } else { "" };
        let _ = writeln!(
            out,
            "static void bench_make(void) {{\n{make}}}\nstatic void bench_compare(const char *what, const double *a, const double *b, int n);"
        );
        let _ = writeln!(out, "static void bench_differences(void) {{\n{adjoints}}}");
        for (primal, suffix, by_reference) in [("bench_primal", "", false), ("bench_primal_fortran", "_", true)] {
            if by_reference && !fortran {
                continue;
            }
            let _ = writeln!(out, "{kind} {name}{suffix}({});", self.parameters(false, by_reference));
            let _ = writeln!(out, "static void {primal}(void) {{\n{fill}  {sink}{name}{suffix}({});\n}}", self.call(None, by_reference));
        }
        for (way, clear) in ways.iter().zip(&clear) {
            let by_reference = *way == "fortran";
            let function = format!(
                "{name}{}",
                match *way {
                    "hand" => "_hand",
                    "c" => "_b",
                    _ => "_b_",
                }
            );
            let _ = writeln!(out, "void {function}({});", self.parameters(true, by_reference));
            let _ =
                writeln!(out, "static void bench_{way}(void) {{\n{fill}{clear}  {function}({});\n}}", self.call(Some(way), by_reference));
        }
        if !fortran {
            out += "static void (*const bench_primal_fortran)(void) = NULL, (*const bench_fortran)(void) = NULL;\n";
        }
        let _ = writeln!(out, "#define BENCH_NAME \"{name}\"\n{}{}", include_str!("measure.c"), include_str!("own_driver.c"));
        out
    }
}

/// How a kernel went.
#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Fine,
    /// The program is refused.
    Refused,
    /// What was made does not compile, or is wrong.
    Wrong,
}

/// Makes and times one kernel.
fn measure(at: &Path, folder: &Path, name: &str, options: &[String], flags: &[&str]) -> Outcome {
    let path = |file: String| folder.join(file).display().to_string();
    let (source, hand, fortran) = (path(format!("{name}.c")), path(format!("{name}_hand.c")), path(format!("{name}.f90")));
    let text = std::fs::read_to_string(&source).unwrap_or_default();
    let Some(kernel) = Kernel::read(name, &text) else {
        eprintln!("{source} does not say how it is called");
        return Outcome::Wrong;
    };
    let with_fortran = Path::new(&fortran).is_file();
    let compile = |compiler: &str, file: &str, to: &str| run(at, compiler, &[flags, &["-w", "-c", file, "-o", to]].concat());
    let differentiate = |source: &str, to: &str| {
        let mut arguments = vec!["diff", source, "-b", "--certificate", "none", "--head", &kernel.head, "-o", to];
        arguments.extend(options.iter().map(String::as_str));
        run(at, env!("CARGO_BIN_EXE_overbar"), &arguments)
    };
    // The primal comes with the adjoint: static functions of it may be needed there.
    if !differentiate(&source, "adjoint.c") || with_fortran && !differentiate(&fortran, "adjoint_f.f90") {
        println!("{name:<18} {:>10}", "refused");
        return Outcome::Refused;
    }
    let mut fine = compile("gcc", &hand, "hand.o") && compile("gcc", "adjoint.c", "adjoint.o");
    let mut objects = vec!["driver.o", "hand.o", "adjoint.o"];
    if with_fortran {
        fine = fine && compile("gfortran", "adjoint_f.f90", "adjoint_f.o");
        objects.extend(["adjoint_f.o", "runtime.o"]);
    }
    fine = fine && std::fs::write(at.join("driver.c"), kernel.harness(with_fortran)).is_ok() && compile("gcc", "driver.c", "driver.o");
    let mut arguments = vec!["-o", "driver"];
    arguments.extend(objects);
    arguments.extend(["-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free", "-lm"]);
    if fine && run(at, "gfortran", &arguments) && run(at, "./driver", &[]) { Outcome::Fine } else { Outcome::Wrong }
}

/// Prints a row for each kernel, or each of `names`. `options` are words for `diff`; what is not timed is run once. Whether nothing was wrong.
pub fn table(names: &[String], options: &[String], timed: bool) -> bool {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/generated/kernels");
    let mut kernels: Vec<String> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|e| e.ok()?.file_name().into_string().ok()?.strip_suffix("_hand.c").map(str::to_owned))
        .filter(|n| names.is_empty() || names.contains(n))
        .collect();
    kernels.sort();
    let Ok(scratch) = tempfile::tempdir() else { return false };
    let at = scratch.path();
    let usual = if timed { "-O3 -march=native" } else { "-O1 -DBENCH_REPETITIONS=1" };
    let given = std::env::var("BENCH_FLAGS").unwrap_or_else(|_| usual.into());
    let flags: Vec<&str> = given.split_whitespace().collect();
    let overbar = env!("CARGO_BIN_EXE_overbar");
    let mut fine = run(at, overbar, &["runtime", "c", "-o", "overbar.h"])
        && run(at, overbar, &["runtime", "fortran", "-o", "overbar_runtime.f90"])
        && run(at, "gfortran", &[&flags[..], &["-w", "-c", "overbar_runtime.f90", "-o", "runtime.o"]].concat());
    println!("Time of adjoints over that of the primal, and over that of the adjoint by hand; gcc {given}");
    println!(
        "{:<18} {:>10} {:>7} {:>7} {:>7} {:>7} {:>7} {:>9} {:>9} {:>9}",
        "kernel", "primal us", "hand", "C", "C/hand", "Fortran", "F/hand", "hand kB", "C kB", "F kB"
    );
    let outcomes: Vec<Outcome> = kernels.iter().map(|name| measure(at, &folder, name, options, &flags)).collect();
    fine &= !outcomes.contains(&Outcome::Wrong);
    println!("{} of {} refused", outcomes.iter().filter(|o| **o == Outcome::Refused).count(), outcomes.len());
    fine
}
