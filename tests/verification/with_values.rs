//! Adjoints that compute the values too: every program of the collections in the interpreter, a share of them compiled, some of them with pairs and with several
//! directions. The certificate compares what they leave with what the original leaves, besides all that it compares of other adjoints.

use crate::certificates::{File, all, files, verdicts_of};
use crate::common;
use common::overbar;
use std::path::Path;

/// What may come out besides a pass: a value cannot be kept, behind the sweeps or around a call, or a head that another one calls jointly hands back values.
const REFUSED: [&str; 3] = ["OB4069", "OB4051", "OB4036"];

/// How many heads pass, those that are refused, and all else.
fn found(files: &[File], run: &str, options: &[&str]) -> (usize, Vec<String>, Vec<String>) {
    let options = [&["--with-values"], options].concat();
    let one = |_: usize, file: &File| -> Vec<(String, String)> {
        let each = |h: &String| {
            let (verdict, said) = verdicts_of(run, file, &[h], &options).into_iter().next().expect("one head");
            (verdict, format!("{} {h} {options:?}: {said}", file.name))
        };
        file.heads.iter().map(each).collect()
    };
    let (mut passed, mut refused, mut problems) = (0, Vec::new(), Vec::new());
    for (verdict, said) in all(files, one) {
        match verdict.as_str() {
            "pass" => passed += 1,
            code if REFUSED.contains(&code) => refused.push(said),
            _ => problems.push(said),
        }
    }
    println!("{run} {options:?}: {passed} pass, {} are refused", refused.len());
    refused.iter().for_each(|r| println!("{}", r.lines().next().unwrap_or_default()));
    (passed, refused, problems)
}

/// Programs of which the interpreter says something else whatever is asked for, too.
fn others(problem: &str) -> bool {
    problem.contains("OB6065") && ["parameters.f90 chain", "typed_constant.f90 typed_constant"].iter().any(|o| problem.starts_with(o))
}

#[test]
fn every_program_hands_back_its_values() {
    let (passed, refused, problems) = found(&files(), "interpreter", &[]);
    let problems: Vec<String> = problems.into_iter().filter(|p| !others(p)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(passed > 4 * refused.len() || std::env::var_os("OVERBAR_PROGRAM").is_some(), "{passed} pass, {} are refused", refused.len());
}

#[test]
fn compiled_code_hands_back_values() {
    let some: Vec<File> = files().into_iter().step_by(if std::env::var_os("OVERBAR_ALL").is_some() { 1 } else { 15 }).collect();
    let (_, _, problems) = found(&some, "compiled", &["--opt-level", "1"]);
    // What no driver can call is not checked in compiled code.
    let problems: Vec<String> = problems.into_iter().filter(|p| !p.contains("OB6063") && !p.contains("OB6064") && !others(p)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let few: Vec<File> = some.into_iter().step_by(4).collect();
    for options in [&["--reversal", "split"][..], &["--zero-init"]] {
        let (_, _, problems) = found(&few, "interpreter", options);
        let refused = |p: &&String| ["OB40", "OB41"].iter().any(|c| p.contains(c));
        assert!(problems.iter().all(|p| refused(&p)), "{}", problems.join("\n"));
    }
}

fn diff(folder: &Path, name: &str, text: &str, options: &[&str]) -> String {
    std::fs::write(folder.join(name), text).expect("written");
    let o = overbar(folder, &[&["diff", name, "-b", "--with-values"], options].concat());
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    let made = String::from_utf8_lossy(&o.stdout).into_owned();
    made[text.len()..].to_owned()
}

/// What is kept is what the reverse sweep overwrites, and nothing else; functions return what they return.
#[test]
fn what_the_reverse_sweep_leaves_alone_is_not_copied() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let sum = diff(
        at,
        "sum.c",
        "double sum(int n, const double *x) {\n  double s = 0.0;\n  for (int i = 0; i < n; i++)\n    s += x[i] * x[i];\n  return s;\n}\n",
        &["--head", "sum/(x)"],
    );
    assert!(sum.contains("double sum_b(int n, const double *x, double *restrict xb, double sumb)") && sum.contains("return"), "{sum}");
    assert!(!sum.contains("_out") && !sum.contains("_old"), "{sum}");
    let power =
        "void power(int n, double x[n]) {\n  for (int t = 0; t < 3; t++)\n    for (int i = 0; i < n; i++)\n      x[i] = x[i] * x[i];\n}\n";
    let made = diff(at, "power.c", power, &["--head", "power(x)/(x)"]);
    assert!(made.contains("x_out"), "{made}");
    // Of a pointer nobody knows how long it is.
    std::fs::write(at.join("open.c"), power.replace("x[n]", "*x")).expect("written");
    let o = overbar(at, &["diff", "open.c", "-b", "--with-values", "--head", "power(x)/(x)"]);
    let said = String::from_utf8_lossy(&o.stderr).into_owned();
    assert!(o.status.code() == Some(1) && said.contains("OB4069") && said.contains("--extent 'x=...'"), "{said}");
    diff(at, "open.c", &power.replace("x[n]", "*x"), &["--head", "power(x)/(x)", "--extent", "x=n"]);
    // A head that another one calls has an adjoint of its own for calls.
    let two = "double g(double x) {\n  return x * x;\n}\ndouble f(double x) {\n  return g(x) * g(x + 1.0);\n}\n";
    let made = diff(at, "two.c", two, &["--head", "f/(x)", "--head", "g/(x)", "--inline", "never"]);
    assert!(made.contains("double g_b(") && made.contains("double f_b("), "{made}");
}
