//! Generated C against adjoints written by hand: the kernels of the benchmark, compiled under strict flags.
#![allow(dead_code)]

use crate::common;

use common::{overbar_ok, runtime, shared, silently};

/// Name, head, arguments before the gradient, number of independents, the adjoint by hand.
const KERNELS: [(&str, &str, &str, &str); 7] = [
    ("griewank", "x", "n, x", "h_griewank(n, x, h)"),
    ("speel", "x", "n, x", "h_speel(n, x, h)"),
    ("rosen", "x", "n, x", "h_rosen(n, x, h)"),
    ("bratu", "u", "n, x", "h_bratu(n, x, w, h)"),
    ("light", "x", "n / 4, x", "h_light(n / 4, x, h)"),
    ("burgers", "u0", "n, 7, x", "h_burgers(n, 7, x, h)"),
    ("heat", "u0", "n, 7, x", "h_heat(n, 7, x, h)"),
];

#[test]
fn generated_adjoints_agree_with_those_by_hand() {
    let (Some(kernels), Some(hand)) = (shared("bench/kernels.c"), shared("bench/hand_adjoints.c")) else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    runtime(at);
    let mut driver = String::from("#include \"hand_adjoints.c\"\n#include <stdio.h>\n");
    let mut body = String::new();
    let kernels = kernels.display().to_string();
    for (name, independent, arguments, by_hand) in KERNELS {
        let file = format!("{name}.c");
        overbar_ok(at, &["diff", &kernels, "-b", "--no-primal", "--head", &format!("k_{name}(k_{name})/({independent})"), "-o", &file]);
        silently(at, "gcc", &["-std=c11", "-Wall", "-Wextra", "-pedantic", "-O2", "-c", &file, "-o", &format!("{name}.o")]);
        let extra = if name == "bratu" { ", const double *" } else { "" };
        let sizes = if arguments.contains('7') { "int, int" } else { "int" };
        driver += &format!("void k_{name}_b({sizes}, const double *, double *{extra}, double);\n");
        let extra = if name == "bratu" { ", w" } else { "" };
        body += &format!(
            "  memset(g, 0, sizeof g);\n  k_{name}_b({arguments}, g{extra}, 1.0);\n  {by_hand};\n  for (int i = 0; i < n; i++)\n    \
             if (!(fabs(g[i] - h[i]) <= 1e-11 * (1 + fabs(h[i])))) {{ printf(\"{name} %d: %.17g %.17g\\n\", i, g[i], h[i]); bad = 1; }}\n"
        );
    }
    driver += "int main(void) {\n  enum { n = 24 };\n  double x[n], w[n], g[n], h[n];\n  int bad = 0;\n";
    driver += "  for (int i = 0; i < n; i++) { x[i] = 0.6 + 0.4 * sin(1.7 * i); w[i] = 0.3 + 0.1 * cos(i); }\n";
    driver += &body;
    driver += "  return bad;\n}\n";
    std::fs::copy(hand, at.join("hand_adjoints.c")).expect("the adjoints by hand are there");
    std::fs::write(at.join("driver.c"), driver).expect("a driver");
    let objects: Vec<String> = KERNELS.iter().map(|k| format!("{}.o", k.0)).collect();
    let mut arguments = vec!["-O2", "-o", "driver", "driver.c"];
    arguments.extend(objects.iter().map(String::as_str));
    arguments.push("-lm");
    silently(at, "gcc", &arguments);
    silently(at, "./driver", &[]);
}
