//! What is said of a request: what belongs to its heads, the error first, and the calls that lead to it.

use crate::common;

use common::{overbar, overbar_ok};
use serde_json::Value;
use std::path::Path;

/// `far` and `odd` hold what is not translated; only `top` needs `odd`.
const TEXT: &str = "double outer(double x), other(double x);\n\
                    double fine(double x) { return x * x; }\n\
                    double far(int n, ...) { return n; }\n\
                    double odd(double x) {\n  long n = *(long *)&x;\n  return x + n;\n}\n\
                    double top(double x) { return fine(x) + odd(x); }\n\
                    double inner(double x) { return outer(x) * other(2.0 * x); }\n\
                    double between(double x) { return inner(x) * x; }\n\
                    double whole(double x) {\n  double y = 2.0 * x;\n  return between(y);\n}\n";

/// The diagnostics of a command.
fn said(at: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = overbar(at, &[&["--message-format", "json"], arguments].concat());
    String::from_utf8_lossy(&output.stderr).lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
}

fn text<'v>(d: &'v Value, field: &str) -> &'v str {
    d[field].as_str().unwrap_or_default()
}

#[test]
fn what_the_head_does_not_reach_is_not_spoken_of() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("f.c"), TEXT).unwrap();
    for command in
        [&["diff", "f.c", "-b", "-o", "out.c"][..], &["verify", "f.c", "--run", "interpreter"], &["frontend", "c", "f.c", "-o", "f.xaif"]]
    {
        let asked = |more: &[&str]| said(at.path(), &[command, &["--head", "fine/(x)"], more].concat());
        assert!(asked(&[]).is_empty(), "{command:?} {:?}", asked(&[]));
        let all = asked(&["--explain-all"]);
        let names = |name: &str| all.iter().any(|d| text(d, "message").contains(&format!("`{name}`")));
        assert!(names("far") && names("odd"), "{all:?}");
    }
    // Without a head all of it may be meant.
    let all = said(at.path(), &["frontend", "c", "f.c", "-o", "f.xaif"]);
    assert_eq!(all.len(), 2, "{all:?}");
}

#[test]
fn a_unit_that_was_left_out_is_refused_for_what_is_in_it() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("f.c"), TEXT).unwrap();
    let all = said(at.path(), &["diff", "f.c", "-b", "--head", "odd/(x)"]);
    let line = |d: &Value| d["location"]["line"].as_u64();
    assert!(all.len() == 1 && text(&all[0], "severity") == "error" && line(&all[0]) == Some(5), "{all:?}");
    let code = text(&all[0], "code").to_owned();
    assert!(code.starts_with("OB20") && text(&all[0], "message").starts_with("function `odd` is left out: "), "{all:?}");
    // A document remembers it.
    overbar_ok(at.path(), &["frontend", "c", "f.c", "-o", "f.xaif"]);
    let again = said(at.path(), &["boost", "f.xaif", "-b", "--head", "odd/(x)"]);
    assert_eq!((text(&again[0], "code"), line(&again[0]), again.len()), ("OB0011", Some(5), 1));
    assert!(
        text(&again[0], "message").starts_with("odd cannot be differentiated: ") && text(&again[0], "message").contains(&code),
        "{again:?}"
    );
    // Who calls it hears of it.
    let all = said(at.path(), &["diff", "f.c", "-b", "--head", "top/(x)"]);
    assert_eq!((text(&all[0], "code"), text(&all[0], "severity")), ("OB4002", "error"));
    assert!(text(&all[0], "reason").contains("f.c:5:"), "{all:?}");
    assert!(!all.iter().any(|d| text(d, "message").contains("far")), "{all:?}");
    // Nothing at all is left of this one.
    std::fs::write(
        at.path().join("g.c"),
        "double far(int n, ...) { return n; }\ndouble odd(double x) {\n  long n = *(long *)&x;\n  return x + n;\n}\n",
    )
    .unwrap();
    let all = said(at.path(), &["diff", "g.c", "-b", "--head", "odd/(x)"]);
    assert!(all.len() == 1 && all[0]["location"]["line"].as_u64() == Some(3), "{all:?}");
}

#[test]
fn errors_come_first_with_the_calls_that_lead_to_them() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("f.c"), TEXT).unwrap();
    for command in [&["diff", "f.c", "-b"][..], &["verify", "f.c"]] {
        let all = said(at.path(), &[command, &["--head", "whole/(x)"]].concat());
        assert_eq!((text(&all[0], "code"), all[0]["location"]["line"].as_u64()), ("OB4002", Some(9)), "{all:?}");
        let reason = text(&all[0], "reason");
        assert!(reason.ends_with("whole calls between (line 13), between calls inner (line 10)"), "{reason}");
        // All that has no text is named at once.
        assert!(text(&all[0], "help").contains("other, outer; the files that define them can be given, too"), "{all:?}");
        let order: Vec<bool> = all.iter().map(|d| text(d, "severity") == "error").collect();
        assert!(order.is_sorted_by(|a, b| a >= b), "{all:?}");
    }
}
