//! The C front end against gcc: every function of `tests/c/*.c` of the form `double f(int n, double *x)` gives the same numbers in the
//! interpreter as it does compiled.

use overbar::evaluate::{Data, Inputs, Limits, run};
use overbar_c::parse::SourceText;
use overbar_c::{ParseOptions, parse};
use std::path::Path;
use std::process::Command;
use xaif::model::UnitId;
use xaif::{Diagnostic, Program};

const X: [f64; 6] = [1.25, 0.75, 2.5, 1.5, 3.25, 0.5];

fn read(name: &str) -> (String, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    (path.display().to_string(), text)
}

fn parsed(file: &str, text: &str) -> (Program, Vec<Diagnostic>) {
    let options = ParseOptions { preprocess: true, ..ParseOptions::default() };
    parse(&[SourceText { file, text }], &options).unwrap_or_else(|d| panic!("{d:#?}"))
}

/// Units of the form that the driver can call.
fn candidates(p: &Program) -> Vec<(UnitId, String)> {
    p.unit_ids()
        .filter(|&u| {
            let unit = p.unit(u);
            let names: Vec<&str> = unit.formals.iter().map(|f| p.symbol(f.symbol).name.as_str()).collect();
            names.len() == 3 && names[..2] == ["n", "x"] && unit.prefixes.is_empty() && unit.formals[2].result
        })
        .map(|u| (u, p.unit_name(u).to_owned()))
        .collect()
}

fn compiled(path: &str, names: &[String]) -> Vec<Vec<f64>> {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = format!("#include \"{path}\"\n#include <stdio.h>\n");
    driver.push_str("int main(void) {\n");
    for n in names {
        let values: Vec<String> = X.iter().map(|v| format!("{v:?}")).collect();
        driver.push_str(&format!("  {{ double x[] = {{{}}}; double r = {n}(6, x); printf(\"%.17g\", r);", values.join(", ")));
        driver.push_str(" for (int i = 0; i < 6; i++) printf(\" %.17g\", x[i]); printf(\"\\n\"); }\n");
    }
    driver.push_str("  return 0;\n}\n");
    let main = folder.path().join("main.c");
    std::fs::write(&main, driver).unwrap();
    let program = folder.path().join("main");
    let status = Command::new("gcc").args(["-std=gnu11", "-O0", "-w", "-o"]).arg(&program).arg(&main).arg("-lm").status().unwrap();
    assert!(status.success());
    let out = Command::new(&program).output().unwrap();
    assert!(out.status.success());
    String::from_utf8(out.stdout).unwrap().lines().map(|l| l.split(' ').map(|v| v.parse().unwrap()).collect()).collect()
}

fn compare(name: &str, expected: usize) {
    let (path, text) = read(name);
    let (program, warnings) = parsed(&path, &text);
    for w in &warnings {
        println!("{w}");
    }
    let problems = xaif::validate::semantics(&program);
    assert!(problems.is_empty(), "{problems:#?}");
    let units = candidates(&program);
    let names: Vec<String> = units.iter().map(|(_, n)| n.clone()).collect();
    assert_eq!(names.len(), expected, "{names:?}");
    let reference = compiled(&path, &names);
    let mut wrong = Vec::new();
    for ((unit, name), reference) in units.iter().zip(&reference) {
        let inputs = Inputs::default().with("n", Data::<f64>::int(6)).with("x", Data::reals(&X));
        let outcome = match run(&program, *unit, &inputs, &Limits::default()) {
            Ok(o) => o,
            Err(f) => {
                wrong.push(format!("{name}: {f:?}"));
                continue;
            }
        };
        let result = outcome.arguments.values().last().unwrap().to_reals();
        let got: Vec<f64> = result.into_iter().chain(outcome.arguments["x"].to_reals()).collect();
        let close = |a: f64, b: f64| a == b || (a - b).abs() <= 4e-15 * a.abs().max(b.abs());
        if got.len() != reference.len() || got.iter().zip(reference).any(|(a, b)| !close(*a, *b)) {
            wrong.push(format!("{name}: interpreted {got:?}\n    compiled {reference:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn control_flow() {
    compare("flow.c", 16);
}

#[test]
fn data_and_calls() {
    compare("data.c", 18);
}

/// Memory that is allocated and set, but never read, is declared all the same where a unit is printed from the model.
#[test]
fn unread_memory_is_declared() {
    let text = "#include <stdlib.h>\nvoid f(int n, const double *x, double *y) {\n  double *w = malloc(n * sizeof(double));\n  for (int i = 0; i < n; i++) w[i] = x[i];\n  *y = x[0];\n  free(w);\n}\n";
    let (mut p, _) = parsed("f.c", text);
    p.sources.clear();
    let source = overbar_c::unparse(&p, &overbar_c::UnparseOptions { no_primal: false, header: false }).unwrap().source;
    assert!(source.contains("free(w)") && source.contains("double *w"), "{source}");
}
