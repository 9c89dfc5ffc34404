//! Extents of arguments that are given with the request, or are in the message that asks for them.

use crate::common;

use common::{overbar, overbar_ok, runtime, silently};
use serde_json::Value;
use std::path::Path;

/// y = sum of (x[p[i]]^2 * 2): the work array is gone through by way of numbers that nobody knows.
const TEXT: &str = "void f(int n, const int *p, const double *x, double *work, double *y) {\n\
                    \x20 for (int i = 0; i < n; i++)\n    work[p[i]] = x[i] * x[i];\n\
                    \x20 *y = 0.0;\n\
                    \x20 for (int i = 0; i < n; i++)\n    *y += 2.0 * work[p[i]];\n}\n";

fn refused(at: &Path, arguments: &[&str]) -> Value {
    let output = overbar(at, &[&["--message-format", "json"], arguments].concat());
    assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    serde_json::from_str(text.lines().next().expect("a diagnostic")).expect("JSON")
}

/// The gradient by compiled code: 4 x.
fn gradient(at: &Path) {
    let main = "#include <stdio.h>\nvoid f_b(int n, const int *p, const double *x, double *xb, double *work, double *y, double *yb);\n\
                int main(void) { int p[3] = {2, 0, 1}; double x[3] = {1.0, 2.0, 3.0}, xb[3] = {0.0}, w[3], y, yb = 1.0;\n\
                f_b(3, p, x, xb, w, &y, &yb); printf(\"%g %g %g\", xb[0], xb[1], xb[2]); return 0; }\n";
    std::fs::write(at.join("main.c"), main).unwrap();
    runtime(at);
    silently(at, "gcc", &["out.c", "main.c", "-Wall", "-o", "all", "-lm"]);
    assert_eq!(silently(at, at.join("all").to_str().unwrap(), &[]), "4 8 12");
}

#[test]
fn an_extent_can_be_given() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("f.c"), TEXT).unwrap();
    let asked = ["diff", "f.c", "-b", "--head", "f(y)/(x)", "-o", "out.c"];
    let d = refused(at.path(), &asked);
    assert_eq!(d["code"], "OB4020");
    let help = d["help"].as_str().unwrap();
    assert!(help.contains("--extent 'work=...'") && help.contains("--head 'f(y,work)/(x)'"), "{help}");
    overbar_ok(at.path(), &[&asked[..], &["--extent", "work=n"]].concat());
    gradient(at.path());
    // In a document, or when its derivatives are made.
    overbar_ok(at.path(), &["frontend", "c", "f.c", "--head", "f(y)/(x)", "--extent", "f:work=2*n - n", "-o", "f.xaif"]);
    overbar_ok(at.path(), &["boost", "f.xaif", "-b", "-o", "g.xaif"]);
    overbar_ok(at.path(), &["backend", "c", "g.xaif", "-o", "out.c"]);
    gradient(at.path());
    overbar_ok(at.path(), &["frontend", "c", "f.c", "--head", "f(y)/(x)", "-o", "f.xaif"]);
    overbar_ok(at.path(), &["boost", "f.xaif", "-b", "--extent", "work=(n)", "-o", "g.xaif"]);
    overbar_ok(at.path(), &["backend", "c", "g.xaif", "-o", "out.c"]);
    gradient(at.path());
    // And where they are checked, at a point of one's own.
    std::fs::write(at.path().join("point.json"), r#"{"args":{"n":3,"p":[1,2,0],"x":[1,2,3],"work":[0,0,0],"y":0}}"#).unwrap();
    let verified = overbar_ok(at.path(), &["verify", "f.c", "--head", "f(y)/(x)", "--extent", "work=n", "--input", "point.json"]);
    assert!(verified.starts_with("pass") && verified.contains("interpreter and compiled"), "{verified}");
    // The head of the message.
    overbar_ok(at.path(), &["diff", "f.c", "-b", "--head", "f(y,work)/(x)", "-o", "named.c"]);
    for (wrong, why) in [
        ("work", "there is no `=`"),
        ("w=n", "no unit has an array `w`"),
        ("work=k", "has no argument `k`"),
        ("work=x", "is not a whole number"),
        ("work=n,n", "has 1 dimensions"),
        ("work=n/2", "is not understood"),
        ("work=(n", "not closed"),
    ] {
        let d = refused(at.path(), &[&asked[..], &["--extent", wrong]].concat());
        assert!(d["code"] == "OB0136" && d["message"].as_str().unwrap().contains(why), "{d}");
    }
}
