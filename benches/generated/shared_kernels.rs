//! The kernels of `../shared/bench` and adjoints written by hand for them; in C and, from this folder, in Fortran.

use super::run;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A kernel: its name, its independent variable, sizes, how often it runs in an iteration, the range of its inputs.
struct Kernel {
    name: &'static str,
    independent: &'static str,
    sizes: &'static str,
    /// How many inputs it has for each `n`.
    inputs: u32,
    times: u32,
    tame: bool,
    /// The time loop is reversed from so many snapshots; 0: it is recorded.
    snapshots: u32,
    /// So many iterations of it are recorded together.
    every: u32,
    /// What the name of the adjoint by hand has behind that of the kernel.
    by_hand: &'static str,
}

const fn kernel(name: &'static str, independent: &'static str, sizes: &'static str, times: u32) -> Kernel {
    Kernel { name, independent, sizes, inputs: 1, times, tame: false, snapshots: 0, every: 1, by_hand: "" }
}

const KERNELS: [Kernel; 10] = [
    kernel("griewank", "x", "n", 200),
    // A product of a thousand factors must not overflow.
    Kernel { tame: true, ..kernel("speel", "x", "n", 1_000) },
    kernel("rosen", "x", "n", 1_000),
    kernel("bratu", "u", "n", 200),
    Kernel { inputs: 4, ..kernel("light", "x", "n", 200) },
    kernel("burgers", "u0", "n, n", 1),
    kernel("heat", "u0", "n, n", 1),
    // As many states as the adjoint by hand holds that keeps every 32nd and records the steps between two of them: in the same way, and as snapshots alone.
    Kernel { snapshots: 32, every: 32, by_hand: "_chk", ..kernel("burgers", "u0", "n, n", 1) },
    Kernel { snapshots: 62, by_hand: "_chk", ..kernel("burgers", "u0", "n, n", 1) },
    Kernel { snapshots: 62, ..kernel("heat", "u0", "n, n", 1) },
];

impl Kernel {
    /// The name in the table and of the functions that the driver calls.
    fn id(&self) -> String {
        match (self.snapshots, self.every) {
            (0, _) => self.name.to_owned(),
            (s, 1) => format!("{}_{s}", self.name),
            (s, e) => format!("{}_{s}x{e}", self.name),
        }
    }

    fn suffix(&self) -> String {
        if self.snapshots > 0 { format!("_s{}", self.every) } else { "_b".to_owned() }
    }

    /// Options that ask for the snapshots: the loop over time is the first one with that head behind the procedure's name.
    fn options(&self, unit: &str, head: &str, source: &str) -> Vec<String> {
        if self.snapshots == 0 {
            return Vec::new();
        }
        let mut lines = source.lines().enumerate().skip_while(|(_, l)| !l.contains(&format!("{unit}(")));
        let line = lines.find(|(_, l)| l.trim_start().starts_with(head)).map_or(0, |(k, _)| k + 1);
        vec![
            "--adjoint-suffix".into(),
            self.suffix(),
            "--checkpoint".into(),
            format!("{unit}:{line}={},every:{}", self.snapshots, self.every),
        ]
    }
}

/// Declarations of a kernel and the functions that the driver calls.
fn wrappers(k: &Kernel) -> String {
    let (name, id, suffix, by_hand) = (k.name, k.id(), k.suffix(), k.by_hand);
    let weights = k.name == "bratu";
    let ints = k.sizes.split(", ").map(|_| "int").collect::<Vec<_>>().join(", ");
    let pointers = ints.replace("int", "const int *");
    let by_reference = k.sizes.replace('n', "&n");
    let (extra, weight) = if weights { (", const double *", ", weights") } else { ("", "") };
    let (sizes, inputs) = (k.sizes, k.inputs);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "double k_{name}({ints}, const double *{extra});
void h_{name}{by_hand}({ints}, const double *{extra}, double *);
void k_{name}{suffix}({ints}, const double *, double *{extra}, double);
double f_{name}_({pointers}, const double *{extra});
void f_{name}{suffix}_({pointers}, const double *, double *{extra}, const double *);
static void fill_{id}(void) {{
  for (int i = 0; i < LENGTH; i++)
    inputs[i] = {};
}}
static void primal_{id}(void) {{ sink = k_{name}({sizes}, inputs{weight}); }}
static void hand_{id}(void) {{ h_{name}{by_hand}({sizes}, inputs{weight}, by_hand); }}
static void c_{id}(void) {{
  memset(generated, 0, {inputs} * N * sizeof(double));
  k_{name}{suffix}({sizes}, inputs, generated{weight}, 1.0);
}}
static void primal_f_{id}(void) {{ sink = f_{name}_({by_reference}, inputs{weight}); }}
static void fortran_{id}(void) {{
  memset(generated_fortran, 0, {inputs} * N * sizeof(double));
  f_{name}{suffix}_({by_reference}, inputs, generated_fortran{weight}, &one);
}}",
        if k.tame { "1 + 0.001 * sin(1.7 * i)" } else { "0.6 + 0.4 * sin(1.7 * i)" }
    );
    out
}

fn program() -> String {
    let mut out = String::from(
        "#include <math.h>\n#include <string.h>\nenum { N = 1000, LENGTH = 4 * N };\nstatic const int n = N;\nstatic const double one = 1;\n\
         static double inputs[LENGTH], weights[LENGTH], by_hand[LENGTH], generated[LENGTH], generated_fortran[LENGTH];\n\
         static volatile double sink;\n\
         struct kernel { const char *name; void (*fill)(void), (*primal)(void), (*hand)(void), (*c)(void), (*primal_fortran)(void), (*fortran)(void); int times; };\n",
    );
    KERNELS.iter().for_each(|k| out += &wrappers(k));
    out += "static const struct kernel kernels[] = {\n";
    for k in &KERNELS {
        let (id, times) = (k.id(), k.times);
        let _ = writeln!(out, "  {{\"{id}\", fill_{id}, primal_{id}, hand_{id}, c_{id}, primal_f_{id}, fortran_{id}, {times}}},");
    }
    out += "};\n";
    out += "#define BENCH_REPETITIONS 31\n";
    out += include_str!("measure.c");
    out += include_str!("shared_driver.c");
    out
}

/// Prints the table. `options` are words for `diff`. Whether all was well.
pub fn table(options: &[String]) -> bool {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("OVERBAR_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from).join("bench");
    let Ok(shared) = shared.canonicalize() else {
        println!("skipped: {} is not there", shared.display());
        return true;
    };
    let Ok(folder) = tempfile::tempdir() else { return false };
    let at = folder.path();
    let overbar = env!("CARGO_BIN_EXE_overbar");
    let c = shared.join("kernels.c").display().to_string();
    let fortran = root.join("benches/generated/shared_kernels.f90").display().to_string();
    let mut objects: Vec<String> = Vec::new();
    let mut fine =
        run(at, overbar, &["runtime", "c", "-o", "overbar.h"]) && run(at, overbar, &["runtime", "fortran", "-o", "overbar_runtime.f90"]);
    let flags = ["-O3", "-march=native", "-w", "-c"];
    let compile = |compiler: &str, file: &str, to: &str| run(at, compiler, &[&flags[..], &[file, "-o", to]].concat());
    fine &= compile("gfortran", "overbar_runtime.f90", "runtime.o") && compile("gfortran", &fortran, "fortran.o");
    fine &= compile("gcc", &c, "c.o") && compile("gcc", &shared.join("hand_adjoints.c").display().to_string(), "hand.o");
    for k in &KERNELS {
        let Kernel { name, independent, .. } = k;
        let id = k.id();
        for (compiler, source, head, file, unit, time) in [
            ("gcc", &c, format!("k_{name}(k_{name})/({independent})"), format!("c_{id}.c"), format!("k_{name}"), "for (int t"),
            ("gfortran", &fortran, format!("f_{name}(f)/({independent})"), format!("f_{id}.f90"), format!("f_{name}"), "do t"),
        ] {
            let text = std::fs::read_to_string(source).unwrap_or_default();
            let more = k.options(&unit, time, &text);
            let object = Path::new(&file).with_extension("o").display().to_string();
            let mut arguments = vec!["diff", source, "-b", "--no-primal", "--head", &head, "-o", &file];
            arguments.extend(options.iter().chain(&more).map(String::as_str));
            fine &= run(at, overbar, &arguments) && compile(compiler, &file, &object);
            objects.push(object);
        }
    }
    fine &= std::fs::write(at.join("driver.c"), program()).is_ok() && compile("gcc", "driver.c", "driver.o");
    let mut arguments = vec!["-o", "driver", "driver.o", "c.o", "fortran.o", "hand.o", "runtime.o"];
    arguments.extend(objects.iter().map(String::as_str));
    arguments.extend(["-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free", "-lm"]);
    fine && run(at, "gfortran", &arguments) && run(at, "./driver", &[])
}
