//! C read and printed again from the model computes the same, and compiles without a warning.

mod common;
use common::{compile, data, folder, read, read_without_text, run};
use overbar_c::{UnparseOptions, unparse};
use std::path::Path;

fn print(text: &str) -> String {
    match unparse(&read_without_text(text), &UnparseOptions::default()) {
        Ok(out) => out.source,
        Err(problems) => panic!("{}", problems.iter().map(|p| format!("{p}\n")).collect::<String>()),
    }
}

#[test]
fn every_construct_computes_the_same() {
    let dir = folder();
    let original = data("constructs.c");
    let driver = compile(dir.path(), "driver.c", &data("constructs_driver.c"));
    let objects = [compile(dir.path(), "original.c", &original), compile(dir.path(), "printed.c", &print(&original))];
    let [one, two] = objects.map(|o| run(dir.path(), &[&driver, &o], &[]));
    assert_eq!(one.0, Some(0));
    assert!(one.1.lines().count() > 40);
    assert_eq!(one, two);
}

#[test]
fn text_without_derivatives_stays_as_it_is() {
    let text = data("constructs.c");
    let out = unparse(&read(&text), &UnparseOptions::default()).unwrap();
    assert_eq!(out.source, text);
    assert!(!out.needs_runtime);
}

#[test]
fn real_kernels_compile() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let dir = folder();
    for name in ["bench/kernels.c", "golden/burgers.c"] {
        let Ok(text) = std::fs::read_to_string(shared.join(name)) else {
            println!("skipped: {name} is not there");
            continue;
        };
        compile(dir.path(), "kernel.c", &print(&text));
    }
}

/// What is printed is what an engineer would write.
#[test]
fn the_text_is_plain() {
    let out = print(
        "double f(int n, const double *x, double *y) {\n  double s = 0, p = 1;\n  for (int i = 0; i < n; i++) {\n    double t = x[i] - 1;\n    \
         if (t < 0)\n      t = -t;\n    else if (t > 2)\n      t = 2;\n    s = s + t * t;\n    p *= t;\n  }\n  *y = p;\n  return s / n;\n}\n",
    );
    let expected = "double f(int n, const double *x, double *y) {\n  double s = 0, p = 1;\n  for (int i = 0; i < n; i++) {\n    double t = x[i] - 1;\n    \
                    if (t < 0) {\n      t = -t;\n    } else if (t > 2) {\n      t = 2;\n    }\n    s += t * t;\n    p *= t;\n  }\n  *y = p;\n  return s / n;\n}\n";
    assert_eq!(out.trim_start(), expected);
}
