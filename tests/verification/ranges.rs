//! Ranges from which points are drawn: in the text, with the request, and where none is meant.

use crate::common;

use common::overbar;
use serde_json::Value;

/// Only between 250 and 320, and for seven or eight values, does this come to its sum.
const TEXT: &str = "subroutine warm(n, t, q, y)\n  implicit none\n  DIRECTIVE\n  integer, intent(in) :: n\n  real(8), intent(in) :: t(n), q\n  real(8), intent(out) :: y\n  \
                    integer :: i\n  y = 0\n  if (n < 7 .or. n > 8 .or. q > -1d-3) return\n  if (any(t < 250d0 .or. t > 320d0)) return\n  do i = 1, n\n    \
                    y = y + exp(t(i)/100)*q\n  end do\nend subroutine\n";

/// The certificate, or what was refused.
fn verify(directive: &str, more: &[&str]) -> Result<Value, Value> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("warm.f90"), TEXT.replace("DIRECTIVE", directive)).expect("a file");
    let asked = ["--message-format", "json", "verify", "warm.f90", "--head", "warm(y)/(t,q)", "--format", "json", "--run", "interpreter"];
    let o = overbar(folder.path(), &[&asked[..], more].concat());
    match o.status.code() {
        Some(0 | 1) if !o.stdout.is_empty() => Ok(serde_json::from_slice(&o.stdout).expect("JSON")),
        _ => Err(serde_json::from_str(String::from_utf8_lossy(&o.stderr).lines().next().expect("a message")).expect("JSON")),
    }
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().map_or_else(|| v.as_f64().into_iter().collect(), |l| l.iter().flat_map(numbers).collect())
}

#[test]
fn points_are_drawn_from_ranges() {
    let words = ["--range", "n=7:8", "--range", "warm:t=250:320", "--range", "q=-0.2:-0.1"];
    let in_text = "!$overbar range(n: 7:8, t: 250:320, q: -0.2:-1d-1)";
    // What is given with the request counts in place of the text.
    for (directive, more) in [("", &words[..]), (in_text, &[]), ("!$overbar range(t: 1:2, q: 3:4)", &words[..])] {
        let c = verify(directive, more).expect("a certificate");
        let head = &c["heads"][0];
        assert_eq!(head["verdict"], "pass", "{directive}: {head}");
        for p in head["points"].as_array().expect("points") {
            let within = |name: &str, low: f64, high: f64| numbers(&p[name]).iter().all(|x| (low..=high).contains(x));
            assert!(within("t", 250.0, 320.0) && within("q", -0.2, -0.1) && within("n", 7.0, 8.0), "{directive}: {p}");
        }
    }
}

#[test]
fn ranges_of_nothing_are_told() {
    for (directive, more, code) in [
        ("", &["--range", "z=1:2"][..], "OB0138"),
        ("", &["--range", "t"], "OB0138"),
        ("", &["--range", "t=2:1"], "OB0138"),
        ("", &["--range", "cold:t=1:2"], "OB0138"),
        ("!$overbar range(z: 1:2)", &[], "OB1072"),
        ("!$overbar range(t)", &[], "OB1071"),
    ] {
        let d = verify(directive, more).expect_err("a refusal");
        assert_eq!(d["code"], code, "{d}");
    }
}

/// A point that is smooth and comes to no statement with a derivative shows less than one with a kink that does.
#[test]
fn what_reaches_nothing_comes_last() {
    // Every point with x > 0 is at the kink of the maximum; the others return at once.
    let text = "subroutine bent(x, y)\n  implicit none\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  y = 0\n  if (x < 0) return\n  y = max(x*x, x**2)\nend subroutine\n";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("bent.f90"), text).expect("a file");
    let o = overbar(folder.path(), &["verify", "bent.f90", "--head", "bent(y)/(x)", "--run", "interpreter"]);
    let said = String::from_utf8_lossy(&o.stdout).into_owned();
    assert!(!said.starts_with("NOT REACHED") && o.status.success(), "{said}");
}
