//! A collection of C programs, each differentiated, compiled and compared: the tangent with differences of a version in long
//! double, the adjoint with the tangent, and both with what generated code promises. The programs are in `c_programs/`, one
//! file each, and say in their first lines how they are called (`c_programs/driver.rs`).
//!
//! `OVERBAR_PROGRAM=name[,name]` runs a few of them; `OVERBAR_PROGRAMS=folder` takes the programs from there; `OVERBAR_KEEP=folder`
//! keeps what was generated.

use crate::common;
#[path = "../c_programs/driver.rs"]
mod driver;

use common::{STRICT_C, overbar, overbar_ok, overbar_with_input, root, silently};
use driver::Case;
use std::path::{Path, PathBuf};
use std::process::Command;

fn cases() -> Vec<Case> {
    let place = std::env::var_os("OVERBAR_PROGRAMS").map_or(root().join("tests/c_programs"), PathBuf::from);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(place)
        .expect("the folder")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "c") && p.file_name().is_some_and(|n| n != "harness.c"))
        .collect();
    paths.sort();
    let wanted = std::env::var("OVERBAR_PROGRAM").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').filter(|n| !n.is_empty()).collect();
    paths.iter().map(|p| Case::read(p)).filter(|c| wanted.is_empty() || wanted.contains(&c.name.as_str())).collect()
}

/// A folder with the programs, the harness and the run-time support.
fn folder(cases: &[Case]) -> (tempfile::TempDir, PathBuf) {
    let temporary = tempfile::tempdir().expect("a folder");
    let path = std::env::var_os("OVERBAR_KEEP").map_or(temporary.path().to_path_buf(), PathBuf::from);
    std::fs::create_dir_all(&path).expect("a folder");
    for file in ["harness.c", "harness.h"] {
        std::fs::copy(root().join("tests/c_programs").join(file), path.join(file)).expect("copied");
    }
    overbar_ok(&path, &["runtime", "c", "-o", "overbar.h"]);
    for case in cases {
        std::fs::write(path.join(format!("{}.c", case.name)), &case.text).expect("written");
        std::fs::write(path.join(format!("{}_reference.c", case.name)), case.reference()).expect("written");
    }
    (temporary, path)
}

/// Compiles files, several in one call and two calls at a time. What the compiler says.
fn compile(folder: &Path, flags: &[&str], files: &[String]) -> String {
    let half = files.len().div_ceil(2).max(1);
    let halves: Vec<String> = std::thread::scope(|scope| {
        let calls: Vec<_> = files
            .chunks(half)
            .map(|part| {
                scope.spawn(move || {
                    let output = Command::new("gcc").args(flags).arg("-c").args(part).current_dir(folder).output().expect("gcc runs");
                    let text = String::from_utf8_lossy(&output.stderr).into_owned();
                    if text.is_empty() && !output.status.success() { "gcc fails without a word".into() } else { text }
                })
            })
            .collect();
        calls.into_iter().map(|c| c.join().expect("the thread ends")).collect()
    });
    halves.concat()
}

/// Links what was compiled with the harness and runs every test. What went wrong.
fn run(folder: &Path, names: &[&str], objects: &[String], flags: &[&str]) -> String {
    let mut main = String::from("#include <stdio.h>\n");
    for name in names {
        main.push_str(&format!("int test_{name}(void);\n"));
    }
    main.push_str("int main(void) {\n  int faults = 0;\n");
    for name in names {
        main.push_str(&format!("  faults += test_{name}();\n  fflush(stdout);\n"));
    }
    main.push_str("  return faults != 0;\n}\n");
    std::fs::write(folder.join("main.c"), main).expect("written");
    let mut arguments: Vec<&str> = flags.to_vec();
    arguments.extend(["main.c", "harness.c", "-o", "all"]);
    arguments.extend(objects.iter().map(String::as_str));
    arguments.push("-lm");
    silently(folder, "gcc", &arguments);
    let output = Command::new(folder.join("all")).current_dir(folder).output().expect("runs");
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    if text.is_empty() && !output.status.success() {
        text = format!("the tests end with {}\n", output.status);
    }
    text
}

const CHECKED: [&str; 5] = ["-std=c11", "-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];

#[test]
fn derivatives_are_right() {
    check(&cases(), &[]);
}

/// Every third program with preaccumulated local Jacobians; `OVERBAR_ALL` takes all of them.
#[test]
fn preaccumulated_derivatives_are_right() {
    let every = if std::env::var_os("OVERBAR_ALL").is_some() { 1 } else { 3 };
    let some: Vec<Case> = cases().into_iter().step_by(every).collect();
    check(&some, &["--preaccumulate", "always"]);
}

fn check(all: &[Case], options: &[&str]) {
    let (_kept, folder) = folder(all);
    let mut problems = String::new();
    let mut done = Vec::new();
    for case in all {
        let (source, generated) = (format!("{}.c", case.name), format!("{}_gen.c", case.name));
        let arguments = [&["diff", &source, "-d", "-b", "--head", &case.head, "-o", &generated], case.options(), options].concat();
        let output = overbar(&folder, &arguments);
        if output.status.success() {
            let driver = case.driver(&format!("#include \"{generated}\"\n"));
            std::fs::write(folder.join(format!("{}_driver.c", case.name)), driver).expect("written");
            done.push(case);
        } else {
            problems.push_str(&String::from_utf8_lossy(&output.stderr));
        }
    }
    let names: Vec<&str> = done.iter().map(|c| c.name.as_str()).collect();
    let files = |suffix: &str| names.iter().map(|n| format!("{n}{suffix}")).collect::<Vec<_>>();
    problems.push_str(&compile(&folder, &STRICT_C, &files("_gen.c")));
    problems.push_str(&compile(&folder, &[&CHECKED[..], &["-w"][..]].concat(), &files("_driver.c")));
    problems.push_str(&compile(&folder, &["-std=c11", "-w", "-O1"], &files("_reference.c")));
    if !problems.contains("error") || std::env::var_os("OVERBAR_KEEP").is_none() {
        let objects = [files("_driver.o"), files("_reference.o")].concat();
        problems.push_str(&run(&folder, &names, &objects, &CHECKED));
    }
    println!("{} of {} programs differentiated", done.len(), all.len());
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn derivatives_alone_stand_beside_the_original() {
    let all: Vec<Case> = cases().into_iter().filter(|c| !c.loose && c.variables.iter().all(|v| !v.global)).collect();
    let (_kept, folder) = folder(&all);
    let mut problems = String::new();
    let mut names = Vec::new();
    for case in &all {
        let (source, generated, header) = (format!("{}.c", case.name), format!("{}_diff.c", case.name), format!("{}.h", case.name));
        let command = ["diff", &source, "-d", "-b", "--no-primal", "--header", &header, "--head", &case.head, "-o", &generated];
        let output = overbar(&folder, &[&command[..], case.options()].concat());
        if output.status.success() {
            let list: Vec<String> = case.variables.iter().map(|v| if v.count.is_some() { "void *".into() } else { v.ty.clone() }).collect();
            let list = if list.is_empty() { "void".into() } else { list.join(", ") };
            let result = case.result.clone().unwrap_or("void".into());
            let included = format!("#include \"{header}\"\n{result} {}({list});\n", case.name);
            std::fs::write(folder.join(format!("{}_driver.c", case.name)), case.driver(&included)).expect("written");
            names.push(case.name.as_str());
        } else {
            // What is private to the file cannot be linked.
            let text = String::from_utf8_lossy(&output.stderr);
            if !text.contains("OB5107") {
                problems.push_str(&text);
            }
        }
    }
    let files = |suffix: &str| names.iter().map(|n| format!("{n}{suffix}")).collect::<Vec<_>>();
    problems.push_str(&compile(&folder, &STRICT_C, &files("_diff.c")));
    let others = [files("_driver.c"), files("_reference.c"), files(".c")].concat();
    problems.push_str(&compile(&folder, &["-std=c11", "-w", "-O1"], &others));
    let objects = ["_diff.o", "_driver.o", "_reference.o", ".o"].map(files).concat();
    problems.push_str(&run(&folder, &names, &objects, &["-std=c11", "-O1"]));
    println!("{} of {} programs beside their original", names.len(), all.len());
    assert!(names.len() >= 35 || !std::env::var("OVERBAR_PROGRAM").unwrap_or_default().is_empty());
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn the_pipe_gives_the_same_bytes() {
    let all = cases();
    let (_kept, folder) = folder(&all);
    let mut problems = String::new();
    for (k, case) in all.iter().enumerate() {
        let source = format!("{}.c", case.name);
        // One mode alone is another order of units; a share of the programs shows that as well as all.
        let alone: &[&[&str]] = if k % 4 == 0 { &[&["-d"], &["-b"]] } else { &[] };
        for modes in alone.iter().chain([&&["-d", "-b"][..]]) {
            let direct = overbar(&folder, &[&["diff", &source, "--head", &case.head], *modes].concat());
            let front = overbar(&folder, &["frontend", "c", &source, "--head", &case.head]);
            let boosted = overbar_with_input(&folder, &[&["boost"], *modes].concat(), &front.stdout);
            let valid = overbar_with_input(&folder, &["validate", "-"], &boosted.stdout);
            if !valid.status.success() {
                let told = String::from_utf8_lossy(&valid.stderr);
                problems.push_str(&format!("{} {modes:?}: what is piped is not valid: {told}\n", case.name));
            }
            let piped = overbar_with_input(&folder, &["backend", "c"], &boosted.stdout);
            if direct.stdout != piped.stdout {
                problems.push_str(&format!(
                    "{} {modes:?}: the pipe differs {}{}{}\n",
                    case.name,
                    String::from_utf8_lossy(&front.stderr),
                    String::from_utf8_lossy(&boosted.stderr),
                    String::from_utf8_lossy(&piped.stderr)
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

/// Differentiates a text and compiles what comes out beside it; its text.
fn compiled_alone(text: &str, options: &[&str], beside: &str) -> String {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path();
    overbar_ok(folder, &["runtime", "c", "-o", "overbar.h"]);
    std::fs::write(folder.join("p.c"), text).expect("written");
    overbar_ok(folder, &[&["diff", "p.c", "-o", "out.c"], options].concat());
    let out = std::fs::read_to_string(folder.join("out.c")).expect("made");
    std::fs::write(folder.join("all.c"), format!("{beside}{out}")).expect("written");
    silently(folder, "gcc", &[&STRICT_C[..], &["-c", "all.c"]].concat());
    out
}

/// A header names the language's own types only; it refuses those that nothing else can stand for.
#[test]
fn headers_speak_for_themselves() {
    let text = "typedef double real;\nenum kind { A, B };\nreal f(real x) { return x * x; }\ndouble g(enum kind k, double x) { return k == A ? x : x * x; }\n";
    let header = "#include \"h.h\"\n";
    compiled_alone(text, &["-d", "-b", "--head", "f/(x)", "--header", "h.h"], header);
    let temporary = tempfile::tempdir().expect("a folder");
    std::fs::write(temporary.path().join("p.c"), text).expect("written");
    let refused = overbar(temporary.path(), &["diff", "p.c", "-b", "--head", "g/(x)", "--header", "h.h", "-o", "out.c"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("OB5102"), "{refused:?}");
}

/// Derivatives alone declare the functions of others that they call.
#[test]
fn what_others_define_is_declared() {
    let text = "typedef int whole;\nwhole table(whole i);\nextern double scale(double, /* by */ double);\ndouble f(int n, const double *x) {\n  double s = 1.0;\n  \
        for (int i = 0; i < n; i++)\n    s = s * x[table(i)] + (double)(int)s;\n  return s;\n}\n";
    let out = compiled_alone(text, &["-d", "-b", "--no-primal", "--head", "f/(x)"], "");
    assert!(out.contains("whole table(whole i);") && !out.contains("scale"), "{out}");
}

/// What a called sweep records before it sets it has a value.
#[test]
fn arrays_that_calls_record_are_set() {
    let text = "static int inv(double a, const double *f, double *d) {\n  if (a < 1e-14)\n    return -1;\n  d[0] = -f[0] / a;\n  return 0;\n}\n\
        int solve(double *x, const double *p) {\n  double f[1], d[1];\n  for (int it = 0; it < 3; it++) {\n    f[0] = x[0] * x[0] - p[0];\n    \
        if (inv(2 * x[0], f, d))\n      return -1;\n    x[0] += d[0];\n  }\n  return 0;\n}\n";
    let out = compiled_alone(text, &["-b", "--reversal", "split", "--head", "solve(x)/(x,p)"], "");
    assert!(out.contains("d[1] = {0}"), "{out}");
}

/// Memory that a called sweep records before it sets it has a value where it is needed again, and is not recorded where it holds nothing at any call.
#[test]
fn memory_that_calls_fill_is_recorded_where_it_holds_something() {
    let rhs = "#include <math.h>\n#include <stdlib.h>\nstatic void rhs(const double *y, double p, double *k) {\n  k[0] = -p * y[0] * y[1];\n  \
        k[1] = y[0] * sin(y[1]);\n}\n";
    let update = "  y[0] += h * k[0] * y[1];\n  y[1] += h * k[1];\n";
    let steps = format!(
        "{rhs}static void step(double *y, double p, double h) {{\n  double *k = malloc(2 * sizeof(double));\n  rhs(y, p, k);\n{update}  free(k);\n}}\n\
         void euler(double *y, double p, double h, int steps) {{\n  for (int s = 0; s < steps; s++)\n    step(y, p, h);\n}}\n"
    );
    let loops = format!(
        "{rhs}void euler(double *y, double p, double h, int steps) {{\n  double *k = malloc(2 * sizeof(double));\n  for (int s = 0; s < steps; s++) {{\n  \
         \x20 rhs(y, p, k);\n{update}  }}\n  free(k);\n}}\n"
    );
    let temporary = tempfile::tempdir().expect("a folder");
    for (text, records) in [(steps, false), (loops, true)] {
        let out = compiled_alone(&text, &["-b", "--reversal", "split", "--head", "euler(y)/(y,p)"], "");
        let forward = out.split("void rhs_fwd").nth(1).expect("the forward sweep").split("\n}\n").next().unwrap_or_default();
        assert_eq!(forward.contains("ob_push_double(k[0])"), records, "{out}");
        std::fs::write(temporary.path().join("p.c"), text).expect("written");
        overbar_ok(temporary.path(), &["verify", "p.c", "--reversal", "split", "--head", "euler(y)/(y,p)"]);
    }
}

/// What a helper overwrites in place is a known part of its argument, and few elements need no stack.
#[test]
fn few_elements_are_kept_in_locals() {
    let text = "static void distort(const double *r, double *p) {\n  double q = p[0] * p[0] + p[1] * p[1];\n  p[0] = p[0] * (1.0 + r[0] * q);\n  p[1] = p[1] * q;\n}\n\
        void project(const double *cam, const double *restrict x, double *restrict p) {\n  p[4] = x[0] / x[2];\n  p[5] = x[1] / x[2];\n  \
        distort(&cam[2], &p[4]);\n  p[4] = p[4] * cam[0] + cam[1];\n  p[5] = p[5] * p[4];\n}\n";
    let out = compiled_alone(text, &["-b", "--inline", "never", "--head", "project(p)/(cam,x)"], "");
    assert!(out.contains("distort_b(") && !out.contains("ob_push"), "{out}");
}

/// The certificate also has points at which arguments that may be null are.
#[test]
fn certificates_leave_arguments_out() {
    let text = "#include <math.h>\n#include <stddef.h>\ndouble f(int n, const double *w, const double *x, double *last) {\n  double s = 0.0;\n  \
        if (n < 1)\n    return 0.0;\n  for (int i = 0; i < n; i++)\n    s += sin(x[i]) * (w ? w[i] : 1.0);\n  if (last != NULL)\n    \
        *last = s * x[n - 1];\n  return s;\n}\n";
    let temporary = tempfile::tempdir().expect("a folder");
    std::fs::write(temporary.path().join("p.c"), text).expect("written");
    let report = overbar_ok(temporary.path(), &["verify", "p.c", "--head", "f/(x)"]);
    assert!(report.contains("2 drawn points"), "{report}");
    overbar_ok(temporary.path(), &["verify", "p.c", "--head", "f(f,last)/(x,w)"]);
}

/// What has memory on some ways only, or at some times, is followed by the variable that says so, and freed where it is there.
#[test]
fn memory_of_the_first_use_is_followed() {
    let first = "#include <stdlib.h>\ndouble f(int n, const double *x) {\n  double *w = NULL, s = 0.0;\n  for (int i = 0; i < n; i++) {\n    \
        if (!w)\n      w = malloc(n * sizeof *w);\n    w[i] = x[i] * x[i];\n    s += w[i] * s + w[0];\n  }\n  free(w);\n  return s;\n}\n";
    let again = "#include <stdlib.h>\ndouble f(int n, const double *x) {\n  double *t = NULL, s = 0.0;\n  int k = 0;\nagain:\n  \
        t = malloc(n * sizeof(double));\n  for (int i = 0; i < n; i++)\n    t[i] = x[i] * x[i];\n  for (int i = 0; i < n; i++)\n    \
        s += t[i] * (s + 1.0);\n  free(t);\n  if (k++ < 2)\n    goto again;\n  return s;\n}\n";
    let temporary = tempfile::tempdir().expect("a folder");
    std::fs::write(temporary.path().join("p.json"), r#"{"args": {"n": 3, "x": [0.3, 0.7, 1.1]}}"#).expect("written");
    for text in [first, again] {
        std::fs::write(temporary.path().join("p.c"), text).expect("written");
        for reversal in ["joint", "split"] {
            overbar_ok(temporary.path(), &["verify", "p.c", "--reversal", reversal, "--head", "f/(x)", "--input", "p.json"]);
        }
    }
}

/// A pointer that is null may have had memory before.
#[test]
fn memory_that_null_loses_is_refused() {
    let text = "#include <stdlib.h>\ndouble f(int n, const double *x, int k) {\n  double *w = NULL, s = 0.0;\n  \
        for (int j = 0; j < 2; j++) {\n    w = malloc(n * sizeof *w);\n    for (int i = 0; i < n; i++) {\n      w[i] = x[i] * x[i];\n      \
        s += w[i] * s + w[0];\n    }\n    if (k == j)\n      w = NULL;\n    free(w);\n  }\n  return s;\n}\n";
    let temporary = tempfile::tempdir().expect("a folder");
    std::fs::write(temporary.path().join("p.c"), text).expect("written");
    let refused = overbar(temporary.path(), &["diff", "p.c", "-b", "--head", "f/(x)", "-o", "out.c"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("OB4054"), "{refused:?}");
}

/// A forward sweep that returns early leaves memory behind, and its reverse sweep cannot know whether it did.
#[test]
fn memory_that_a_pair_loses_is_refused() {
    let text = "#include <math.h>\n#include <stdlib.h>\nstatic double f(int n, const double *x, int k) {\n  double *t = malloc(n * sizeof *t), y = x[0];\n  \
        for (int i = 0; i < n; i++)\n    t[i] = x[i] * x[i];\n  if (k < 1)\n    return y * x[1];\n  for (int i = 0; i < n; i++)\n    \
        y += sin(t[i]) * y;\n  free(t);\n  return y;\n}\ndouble g(int n, const double *x, int k) {\n  double y = f(n, x, k);\n  return y * y;\n}\n";
    let temporary = tempfile::tempdir().expect("a folder");
    std::fs::write(temporary.path().join("p.c"), text).expect("written");
    let refused = overbar(temporary.path(), &["diff", "p.c", "-b", "--reversal", "split", "--head", "g/(x)", "-o", "out.c"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("OB4054"), "{refused:?}");
    assert!(!temporary.path().join("out.c").exists());
}

/// What may be null, and is freed on all ways, a pair follows by what it records of the branches.
#[test]
fn memory_that_may_be_null_is_there_for_a_pair() {
    let text = "#include <math.h>\n#include <stdlib.h>\nstatic double f(int n, const double *x, int k) {\n  double y = x[0], *t = NULL;\n  if (k)\n    \
        t = malloc(n * sizeof *t);\n  if (k)\n    for (int j = 0; j < n; j++)\n      t[j] = x[j] * y;\n  if (k)\n    y = y + 0.1 * t[1] * sin(t[0]);\n  \
        free(t);\n  return y * x[0];\n}\ndouble g(int n, const double *x, int k) {\n  double y = f(n, x, k);\n  return y * f(n, x, 1 - k);\n}\n";
    let temporary = tempfile::tempdir().expect("a folder");
    std::fs::write(temporary.path().join("p.c"), text).expect("written");
    let input = r#"{"args": {"n": 3, "x": [0.3, 0.7, 1.1], "k": 1}}"#;
    std::fs::write(temporary.path().join("p.json"), input).expect("written");
    overbar_ok(temporary.path(), &["verify", "p.c", "--reversal", "split", "--head", "g/(x)", "--input", "p.json"]);
}

/// Labels of `case` are what the user calls the values, in both sweeps.
/// What is as long as an argument is not on the stack.
#[test]
fn long_arguments_are_no_burden_for_the_stack() {
    let text = "double f(int n, int m, double x[n], double y[n][m]) {\n  double s = 0;\n  for (int i = 0; i < n; i++) {\n    x[i] = x[i] * x[i];\n    \
        s += x[i];\n    for (int k = 0; k < m; k++) {\n      y[i][k] *= x[i];\n      s += y[i][k];\n    }\n  }\n  return s;\n}\n";
    let main = "#include <stdio.h>\n#include <stdlib.h>\n#include \"f.h\"\nint main(void) {\n  int n = 1000000, m = 3;\n  \
        double *x = malloc(n * sizeof *x), *xb = calloc(n, sizeof *xb), *y = malloc(m * n * sizeof *y), *yb = calloc(m * n, sizeof *yb);\n  \
        for (int i = 0; i < n; i++)\n    x[i] = y[3 * i] = y[3 * i + 1] = y[3 * i + 2] = 1 + i % 3;\n  \
        f_b(n, m, x, xb, (double(*)[m])y, (double(*)[m])yb, 1.0);\n  \
        for (int i = 0; i < n; i++)\n    for (int k = 0, a = 1 + i % 3; k < m; k++)\n      \
        if (xb[i] != 2 * a + 6 * a * a || yb[3 * i + k] != a * a)\n        return 1;\n  free(x);\n  free(xb);\n  free(y);\n  free(yb);\n  return 0;\n}\n";
    let temporary = tempfile::tempdir().expect("a folder");
    let at = temporary.path();
    std::fs::write(at.join("f.c"), text).expect("written");
    std::fs::write(at.join("main.c"), main).expect("written");
    overbar_ok(at, &["diff", "f.c", "-b", "--head", "f(f)/(x,y)", "-o", "g.c", "--header", "f.h"]);
    common::runtime(at);
    silently(at, "gcc", &["-std=c11", "-O1", "g.c", "main.c", "-o", "run", "-lm"]);
    silently(at, "./run", &[]);
}

#[test]
fn labels_keep_their_names() {
    let file = root().join("tests/c_programs/chosen.c").display().to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let made = overbar_ok(folder.path(), &["diff", &file, "-b", "--head", "chosen(y)/(x)"]);
    let (_, adjoint) = made.split_once("void chosen_b").expect("the adjoint");
    for label in ["SQUARE", "CUBE", "'a'", "'b'", "'\\''"] {
        assert_eq!(adjoint.matches(&format!("case {label}:")).count(), 2, "{label}: {adjoint}");
    }
}

/// y is the memory of x, so s = x*x takes its place first, and then s**4*(1 + s)**2. Local Jacobians that were accumulated as if it were not would be others.
#[test]
fn a_tangent_alone_is_right_where_arguments_may_overlap() {
    let text = "void f(int n, const double *x, double *y) {\n  for (int i = 0; i < n; i++) {\n    y[i] = x[i] * x[i];\n    \
        double a = y[i] * x[i];\n    double b = a * a + x[i] * a;\n    y[i] = b * x[i] + a * b;\n  }\n}\n";
    let main = "#include <math.h>\nvoid f_d(int n, const double *x, const double *xd, double *y, double *yd);\nint main(void) {\n  \
        double x[3] = {0.5, 0.75, 1.25}, xd[3] = {1.0, -2.0, 0.5};\n  f_d(3, x, xd, x, xd);\n  \
        for (int i = 0; i < 3; i++) {\n    double at[3] = {0.5, 0.75, 1.25}, by[3] = {1.0, -2.0, 0.5}, s = at[i] * at[i], t = 1.0 + s;\n    \
        double value = s * s * s * s * t * t, slope = (4.0 * s * s * s * t * t + 2.0 * s * s * s * s * t) * 2.0 * at[i] * by[i];\n    \
        if (fabs(x[i] - value) > 1e-12 * fabs(value) || fabs(xd[i] - slope) > 1e-12 * fabs(slope))\n      return 1;\n  }\n  return 0;\n}\n";
    let temporary = tempfile::tempdir().expect("a folder");
    let at = temporary.path();
    std::fs::write(at.join("f.c"), text).expect("written");
    std::fs::write(at.join("main.c"), main).expect("written");
    for more in [&[][..], &["--preaccumulate", "always"]] {
        overbar_ok(at, &[&["diff", "f.c", "-d", "--may-overlap", "--no-primal", "--head", "f(y)/(x)", "-o", "g.c"], more].concat());
        silently(at, "gcc", &["-std=c11", "-O2", "g.c", "main.c", "-o", "run", "-lm"]);
        silently(at, "./run", &[]);
    }
}
