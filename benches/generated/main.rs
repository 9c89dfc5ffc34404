//! How fast generated gradients are, against adjoints written by hand: `cargo bench --bench generated`.
//!
//! For each kernel, in C and in Fortran, the time of the gradient over the time of the primal and the memory it asks for, in one process. It needs the
//! kernels in `../shared/bench`, gcc and gfortran. Words behind `--` are options of `diff`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kernel: its name, its independent variable, sizes, how often it runs in a round, the range of its inputs.
struct Kernel {
    name: &'static str,
    independent: &'static str,
    sizes: &'static str,
    times: u32,
    tame: bool,
}

const fn kernel(name: &'static str, independent: &'static str, sizes: &'static str, times: u32) -> Kernel {
    Kernel { name, independent, sizes, times, tame: false }
}

const KERNELS: [Kernel; 7] = [
    kernel("griewank", "x", "n", 200),
    // A product of a thousand factors must not overflow.
    Kernel { tame: true, ..kernel("speel", "x", "n", 1_000) },
    kernel("rosen", "x", "n", 1_000),
    kernel("bratu", "u", "n", 200),
    kernel("light", "x", "n", 200),
    kernel("burgers", "u0", "n, n", 1),
    kernel("heat", "u0", "n, n", 1),
];

fn run(folder: &Path, program: &str, arguments: &[&str]) -> bool {
    let done = Command::new(program).args(arguments).current_dir(folder).status();
    let fine = done.is_ok_and(|s| s.success());
    if !fine {
        eprintln!("{program} {} failed", arguments.join(" "));
    }
    fine
}

/// Declarations of a kernel and the functions that the driver calls.
fn wrappers(k: &Kernel) -> String {
    let name = k.name;
    let weights = k.name == "bratu";
    let ints = k.sizes.split(", ").map(|_| "int").collect::<Vec<_>>().join(", ");
    let pointers = ints.replace("int", "const int *");
    let by_reference = k.sizes.replace('n', "&n");
    let (extra, weight) = if weights { (", const double *", ", weights") } else { ("", "") };
    let sizes = k.sizes;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "double k_{name}({ints}, const double *{extra});
void h_{name}({ints}, const double *{extra}, double *);
void k_{name}_b({ints}, const double *, double *{extra}, double);
double f_{name}_({pointers}, const double *{extra});
void f_{name}_b_({pointers}, const double *, double *{extra}, const double *);
static void fill_{name}(void) {{
  for (int i = 0; i < LENGTH; i++)
    inputs[i] = {};
}}
static void primal_{name}(void) {{ sink = k_{name}({sizes}, inputs{weight}); }}
static void hand_{name}(void) {{ h_{name}({sizes}, inputs{weight}, by_hand); }}
static void c_{name}(void) {{
  memset(generated, 0, sizeof generated);
  k_{name}_b({sizes}, inputs, generated{weight}, 1.0);
}}
static void primal_f_{name}(void) {{ sink = f_{name}_({by_reference}, inputs{weight}); }}
static void fortran_{name}(void) {{
  memset(generated_fortran, 0, sizeof generated_fortran);
  f_{name}_b_({by_reference}, inputs, generated_fortran{weight}, &one);
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
    for Kernel { name, times, .. } in &KERNELS {
        let _ =
            writeln!(out, "  {{\"{name}\", fill_{name}, primal_{name}, hand_{name}, c_{name}, primal_f_{name}, fortran_{name}, {times}}},");
    }
    out += "};\n";
    out += include_str!("driver.c");
    out
}

fn main() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("OVERBAR_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from).join("bench");
    let Ok(shared) = shared.canonicalize() else {
        println!("skipped: {} is not there", shared.display());
        return;
    };
    let options: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let Ok(folder) = tempfile::tempdir() else { return };
    let at = folder.path();
    let overbar = env!("CARGO_BIN_EXE_overbar");
    let c = shared.join("kernels.c").display().to_string();
    let fortran = root.join("benches/generated/kernels.f90").display().to_string();
    let mut objects: Vec<String> = Vec::new();
    let mut fine =
        run(at, overbar, &["runtime", "c", "-o", "overbar.h"]) && run(at, overbar, &["runtime", "fortran", "-o", "overbar_runtime.f90"]);
    let flags = ["-O3", "-march=native", "-w", "-c"];
    let compile = |compiler: &str, file: &str, to: &str| run(at, compiler, &[&flags[..], &[file, "-o", to]].concat());
    fine &= compile("gfortran", "overbar_runtime.f90", "runtime.o") && compile("gfortran", &fortran, "fortran.o");
    fine &= compile("gcc", &c, "c.o") && compile("gcc", &shared.join("hand_adjoints.c").display().to_string(), "hand.o");
    for Kernel { name, independent, .. } in &KERNELS {
        for (compiler, source, head, file) in [
            ("gcc", &c, format!("k_{name}(k_{name})/({independent})"), format!("c_{name}.c")),
            ("gfortran", &fortran, format!("f_{name}(f)/({independent})"), format!("f_{name}.f90")),
        ] {
            let object = Path::new(&file).with_extension("o").display().to_string();
            let mut arguments = vec!["diff", source, "-b", "--no-primal", "--head", &head, "-o", &file];
            arguments.extend(options.iter().map(String::as_str));
            fine &= run(at, overbar, &arguments) && compile(compiler, &file, &object);
            objects.push(object);
        }
    }
    fine &= std::fs::write(at.join("driver.c"), program()).is_ok() && compile("gcc", "driver.c", "driver.o");
    let mut arguments = vec!["-o", "driver", "driver.o", "c.o", "fortran.o", "hand.o", "runtime.o"];
    arguments.extend(objects.iter().map(String::as_str));
    arguments.extend(["-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free", "-lm"]);
    if !(fine && run(at, "gfortran", &arguments) && run(at, "./driver", &[])) {
        std::process::exit(1);
    }
}
