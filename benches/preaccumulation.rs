//! What preaccumulation does to the speed of generated C: tangents (one direction) and adjoints without it, as the cost model decides, and everywhere.
//! `cargo bench --bench preaccumulation`, with names of kernels behind `--` for these alone. Needs gcc.
//!
//! Each kernel of `benches/kernels/` is a straight piece of code. It is measured alone, as the body of a loop over independent points, and, where its
//! outputs can be its next inputs, as the body of a time loop. All variants run in turn in one process; the ratios printed are medians over iterations.

use overbar::Options;
use overbar::transform::{Effort, Preaccumulate};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A kernel: its name, text, inputs and outputs.
struct Kernel {
    name: String,
    text: String,
    inputs: usize,
    outputs: usize,
}

/// How a kernel is used.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Alone,
    Points,
    Steps,
}

const FORMS: [(Form, &str); 3] = [(Form::Alone, "alone"), (Form::Points, "points"), (Form::Steps, "steps")];

fn kernels() -> Vec<Kernel> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/kernels");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    let read = |file: std::path::PathBuf| {
        let text = std::fs::read_to_string(&file).ok()?;
        let number = |word: &str| text.split_once(word)?.1.split([',', ':', ' ']).find(|w| !w.is_empty())?.parse().ok();
        let (inputs, outputs) = (number("inputs")?, number("outputs")?);
        Some(Kernel { name: file.file_stem()?.to_string_lossy().into_owned(), inputs, outputs, text: text.split_once('\n')?.1.to_owned() })
    };
    files.into_iter().filter_map(read).collect()
}

impl Kernel {
    fn has(&self, form: Form) -> bool {
        form != Form::Steps || ["kinetics", "hires", "pendulum", "lstm"].contains(&&*self.name)
    }

    /// The C function.
    fn source(&self, form: Form) -> String {
        let body = self.text.trim_end();
        let (head, body) = match form {
            Form::Alone => return format!("#include <math.h>\nvoid kernel(const double *x, double *y) {{\n{body}\n}}\n"),
            Form::Points => (
                "const double *restrict x, double *restrict y",
                body.replace("x[", &format!("x[{} * i + ", self.inputs)).replace("y[", &format!("y[{} * i + ", self.outputs)),
            ),
            Form::Steps => {
                let mut body = body.to_owned();
                for k in 0..self.outputs {
                    body = body.replace(&format!("y[{k}] ="), &format!("double z{k} =")).replace(&format!("x[{k}]"), &format!("y[{k}]"));
                }
                (0..self.outputs).for_each(|k| body += &format!("\ny[{k}] = z{k};"));
                ("const double *x, double *y", body)
            }
        };
        format!("#include <math.h>\nvoid kernel(int n, {head}) {{\nfor (int i = 0; i < n; i++) {{\n{body}\n}}\n}}\n")
    }
}

const VARIANTS: [(Preaccumulate, &str); 3] =
    [(Preaccumulate::Never, "never"), (Preaccumulate::Auto, "auto"), (Preaccumulate::Always, "always")];

fn derivatives(text: &str, when: Preaccumulate, head: &str) -> String {
    let sources = [overbar_c::parse::SourceText { file: "kernel.c", text }];
    let options = overbar_c::parse::ParseOptions { preprocess: true, ..Default::default() };
    let (program, _) = overbar_c::parse(&sources, &options).unwrap_or_else(|d| panic!("{d:?}"));
    let heads = overbar::heads::parse_head(head).into_iter().collect();
    let search = std::env::var("MOVES").ok().and_then(|m| m.parse().ok()).map(Effort::Moves);
    let options = Options { tangent: true, adjoint: true, heads, preaccumulate: when, search, ..Options::default() };
    let made = overbar::boost(program, &options).unwrap_or_else(|d| panic!("{d:?}"));
    for d in &made.decisions {
        if std::env::var_os("EXPLAIN").is_some() && when != Preaccumulate::Never {
            println!("    {when:?} {:?}: {} -> {} + {}, {:?}: {} {}", d.mode, d.before, d.accumulation, d.left, d.work, d.chosen, d.reason);
        }
    }
    overbar_c::unparse(&made.program, &Default::default()).unwrap_or_else(|d| panic!("{d:?}")).source
}

/// The text without what says how it was asked for.
fn code(text: &str) -> String {
    text.lines().filter(|l| !l.trim_start().starts_with(['/', '*'])).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let bench = arguments.iter().any(|a| a == "--bench");
    let names: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let Ok(folder) = tempfile::tempdir() else { return };
    let folder = std::env::var_os("KEEP").map_or(folder.path().to_owned(), std::path::PathBuf::from);
    println!(
        "{:22} {:>10} | {:>8} {:>6} {:>6} | {:>8} {:>6} {:>6}",
        "kernel", "primal ns", "tangent", "auto", "always", "adjoint", "auto", "always"
    );
    for kernel in kernels().into_iter().filter(|k| names.is_empty() || names.contains(&&k.name)) {
        for (form, word) in FORMS.into_iter().filter(|(f, _)| kernel.has(*f)) {
            let result = measure(&kernel, form, &folder.join(format!("{}_{word}", kernel.name)), bench);
            println!("{:22} {}", format!("{} {word}", kernel.name), result.unwrap_or_else(|e| e));
        }
        // Run as a test it only shows that it runs.
        if !bench {
            return;
        }
    }
}

fn run(command: &mut Command) -> Result<String, String> {
    let done = command.output().map_err(|e| format!("skipped: {command:?}: {e}"))?;
    if !done.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim_end().to_owned())
}

fn measure(kernel: &Kernel, form: Form, folder: &Path, bench: bool) -> Result<String, String> {
    let failed = |e: std::io::Error| e.to_string();
    std::fs::create_dir_all(folder).map_err(failed)?;
    std::fs::write(folder.join("overbar.h"), overbar_c::RUNTIME).map_err(failed)?;
    let source = kernel.source(form);
    let head = if form == Form::Steps { "kernel(y)/(y,x)" } else { "kernel(y)/(x)" };
    let mut link = Command::new("gcc");
    link.current_dir(folder).args(["-O3", "-march=native", "-o", "measure", "driver.c"]);
    let texts = VARIANTS.map(|(when, _)| derivatives(&source, when, head));
    for ((_, word), text) in VARIANTS.iter().zip(&texts) {
        std::fs::write(folder.join(format!("{word}.c")), text).map_err(failed)?;
        let mut compile = Command::new("gcc");
        compile.current_dir(folder).args(["-O3", "-march=native", "-c", &format!("{word}.c")]);
        for unit in ["kernel", "kernel_d", "kernel_b"] {
            compile.arg(format!("-D{unit}={unit}_{word}"));
        }
        run(&mut compile)?;
        link.arg(format!("{word}.o"));
    }
    let same = |a: usize| code(&texts[0]) == code(&texts[a]);
    std::fs::write(folder.join("driver.c"), driver(kernel, form, bench, same(1))).map_err(failed)?;
    run(link.arg("-lm"))?;
    run(Command::new(folder.join("measure")).current_dir(folder))
}

/// The program that measures.
fn driver(kernel: &Kernel, form: Form, bench: bool, same: bool) -> String {
    let count = if form == Form::Alone { 1 } else { 200 };
    let points = if form == Form::Points { count } else { 1 };
    let (nx, ny) = (kernel.inputs * points, kernel.outputs * points);
    let n = if form == Form::Alone { "" } else { "COUNT, " };
    let n_type = if form == Form::Alone { "" } else { "int, " };
    let mut out = format!(
        "#define COUNT {count}\n#define NX {nx}\n#define NY {ny}\n#define ROUNDS {}\n#define SAME {}\n",
        if bench { 41 } else { 3 },
        i32::from(same)
    );
    for (_, v) in VARIANTS {
        let _ = write!(
            out,
            "void kernel_{v}({n_type}const double *, double *);\nvoid kernel_d_{v}({n_type}const double *, const double *, double *, double *);\n\
             void kernel_b_{v}({n_type}const double *, double *, double *, double *);\n"
        );
    }
    let each = |f: &dyn Fn(&str) -> String| VARIANTS.map(|(_, v)| f(v)).join(" ");
    let _ = write!(
        out,
        "{}",
        TEMPLATE
            .replace("@tangents", &each(&|v| format!("if (v == V_{v}) kernel_d_{v}({n}x, xd, y, yd);")))
            .replace("@adjoints", &each(&|v| format!("if (v == V_{v}) kernel_b_{v}({n}x, xb, y, yb);")))
            .replace("@primal", &format!("kernel_never({n}x, y);"))
    );
    out
}

const TEMPLATE: &str = r#"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
enum { V_never, V_auto, V_always };
static double x[NX], xd[NX], xb[NX], y[NY], yd[NY], yb[NY], z[NY], sum[3];
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void fill(void) {
  memcpy(y, z, sizeof y);
  for (int k = 0; k < NY; k++) yd[k] = yb[k] = 1.0 + 0.1 * (k % 7);
}
static double run(int what, int v, long times) {
  double start = now();
  for (long k = 0; k < times; k++) {
    fill();
    if (what == 0) { @primal }
    if (what == 1) { @tangents }
    if (what == 2) { @adjoints }
  }
  return (now() - start) / times;
}
static int by_size(const void *a, const void *b) {
  double d = *(const double *)a - *(const double *)b;
  return d < 0 ? -1 : d > 0;
}
static double median(double *a) {
  qsort(a, ROUNDS, sizeof *a, by_size);
  return a[ROUNDS / 2];
}
int main(void) {
  for (int k = 0; k < NX; k++) { x[k] = 0.3 + 0.2 * sin(1.7 * k); xd[k] = 0.5 + 0.1 * (k % 5); }
  for (int k = 0; k < NY; k++) z[k] = 0.4 + 0.1 * cos(1.3 * k);
  for (int what = 1; what < 3; what++)
    for (int v = 0; v < 3; v++) {
      double s = 0;
      memset(xb, 0, sizeof xb);
      fill();
      run(what, v, 1);
      if (what == 1) for (int k = 0; k < NY; k++) s += yd[k] * (1 + k % 3);
      else for (int k = 0; k < NX; k++) s += xb[k] * (1 + k % 3);
      sum[v] = s;
      if (!(fabs(s - sum[0]) <= 1e-9 * fabs(sum[0]))) { printf("derivatives differ: %g %g", sum[0], s); return 0; }
    }
  long times = 1;
  while (run(0, 0, times) * times < 1e-3) times *= 2;
  double p[ROUNDS], r[3][ROUNDS];
  run(0, 0, times);
  for (int k = 0; k < ROUNDS; k++) p[k] = run(0, 0, times);
  double primal = median(p);
  printf("%10.1f", primal * 1e9 / COUNT);
  for (int what = 1; what < 3; what++) {
    long t = times / 2 + 1;
    for (int k = 0; k < ROUNDS; k++) {
      double first = run(0, 0, t), a = run(what, 0, t), b = run(what, 1, t), c = run(what, 2, t);
      double again = run(what, 0, t);
      a = 0.5 * (a + again);
      r[0][k] = a / first; r[1][k] = b / a; r[2][k] = c / a;
    }
    printf(" | %8.2f", median(r[0]));
    if (SAME) printf("      ="); else printf(" %6.2f", median(r[1]));
    printf(" %6.2f", median(r[2]));
  }
  printf("\n");
  return 0;
}
"#;
