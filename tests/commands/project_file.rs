//! `overbar.toml`: `overbar` alone makes what it asks for, `overbar --check` finds what is stale.

use crate::common::{overbar, overbar_ok};

use std::path::Path;
use std::process::Output;

const FILE: &str = "[defaults]\nadjoint = true\n\n[[derivative]]\nfiles = [\"cost.c\"]\nhead = \"cost/(x)\"\noutput = \"made/cost.c\"\nheader = \"made/cost.h\"\n\n\
                    [[derivative]]\nfiles = [\"wave.f90\"]\ntangent = true\noutput-folder = \"made\"\n\n[runtime]\nc = \"made/overbar.h\"\n";

fn folder(file: &str) -> tempfile::TempDir {
    let at = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(at.path().join(name), text).unwrap();
    put("overbar.toml", file);
    put("cost.c", "double cost(double x, double k) { return k * x * x; }\n");
    put(
        "wave.f90",
        "subroutine wave(x, y)\n  double precision, intent(in) :: x\n  double precision, intent(out) :: y\n  y = sin(x)\nend subroutine wave\n",
    );
    at
}

fn said(o: &Output) -> String {
    String::from_utf8(o.stderr.clone()).unwrap()
}

fn text(at: &Path, name: &str) -> String {
    std::fs::read_to_string(at.join(name)).unwrap_or_default()
}

#[test]
fn a_project_is_made_and_checked() {
    let folder = folder(FILE);
    let at = folder.path();
    let o = overbar(at, &["--check"]);
    assert_eq!(o.status.code(), Some(1), "nothing is there yet: {}", said(&o));
    assert!(said(&o).contains("overbar.toml:4:1: error: made/cost.c cannot be read"), "{}", said(&o));
    assert!(!at.join("made").exists(), "a check writes nothing");
    let o = overbar(at, &["-q"]);
    assert!(o.status.success(), "{}", said(&o));
    // The same as the commands that the file spells out.
    overbar_ok(at, &["diff", "-b", "cost.c", "--head", "cost/(x)", "-o", "alone.c", "--header", "alone.h"]);
    assert_eq!(text(at, "made/cost.c"), text(at, "alone.c"));
    assert_eq!(text(at, "made/cost.h"), text(at, "alone.h"));
    overbar_ok(at, &["diff", "-b", "-d", "wave.f90", "-o", "alone.f90"]);
    assert_eq!(text(at, "made/wave.f90"), text(at, "alone.f90"));
    assert_eq!(text(at, "made/overbar.h"), overbar_ok(at, &["runtime", "c"]));
    assert!(overbar(at, &["--check"]).status.success());
}

#[test]
fn what_is_stale_is_found() {
    let folder = folder(FILE);
    let at = folder.path();
    overbar_ok(at, &[]);
    let stale = |words: &str| {
        let o = overbar(at, &["--check", "-q"]);
        assert_eq!(o.status.code(), Some(1), "{words}");
        assert!(said(&o).contains(words) && said(&o).contains("[OB0181]"), "{}", said(&o));
        said(&o).matches("[OB0181]").count()
    };
    // The source has changed.
    std::fs::write(at.join("cost.c"), "double cost(double x, double k) { return k * x * x * x; }\n").unwrap();
    assert_eq!(
        stale("overbar.toml:4:1: error: made/cost.c is not what would be written now: line 1 is another one"),
        2,
        "the header has the number of the request too"
    );
    overbar_ok(at, &[]);
    assert!(overbar(at, &["--check"]).status.success());
    // An output was touched.
    let known = text(at, "made/wave.f90");
    std::fs::write(at.join("made/wave.f90"), known.replace("cos", "sin")).unwrap();
    assert_eq!(stale("overbar.toml:10:1: error: made/wave.f90 is not what"), 1);
    std::fs::write(at.join("made/overbar.h"), "").unwrap();
    assert_eq!(stale("made/overbar.h is not what"), 2);
}

#[test]
fn what_is_refused_fails_and_harms_no_other() {
    let folder = folder(FILE);
    let at = folder.path();
    std::fs::write(at.join("cost.c"), "double other(double x);\ndouble cost(double x, double k) { return k * other(x); }\n").unwrap();
    let o = overbar(at, &[]);
    assert!(o.status.code() == Some(1) && said(&o).contains("[OB4002]"), "{}", said(&o));
    assert!(text(at, "made/wave.f90").contains("wave_b") && !at.join("made/cost.c").exists());
}

#[test]
fn a_wrong_file_has_one_message_with_its_place() {
    let cases = [
        (
            "[[derivative]]\nfiles = \"cost.c\"\nadjoint = true\noutput = \"o.c\"\n  heads = \"cost\"\n",
            "overbar.toml:5:3: error: `overbar diff` has no option `heads`",
        ),
        (
            "[[derivative]]\nfiles = \"cost.c\"\nadjoint = true\noutput = \"o.c\"\nreversal = \"sideways\"\n",
            "overbar.toml:1:1: error: invalid value 'sideways'",
        ),
        ("[[derivative]]\nfiles = \"cost.c\"\n", "overbar.toml:1:1: error: a derivative without a place"),
        ("[[derivative]\n", "overbar.toml:1:"),
        ("", "overbar.toml:1:1: error: the file asks for no derivative"),
    ];
    for (file, words) in cases {
        let folder = folder(file);
        let o = overbar(folder.path(), &[]);
        assert_eq!(o.status.code(), Some(2), "{file}");
        assert!(said(&o).contains(words) && said(&o).matches("error:").count() == 1, "{file}: {}", said(&o));
    }
}

#[test]
fn without_a_file_there_is_nothing_to_do() {
    let at = tempfile::tempdir().unwrap();
    let o = overbar(at.path(), &["--check"]);
    assert!(o.status.code() == Some(2) && said(&o).contains("[OB0180]"), "{}", said(&o));
    let o = overbar(at.path(), &[]);
    assert!(o.status.code() == Some(2) && said(&o).contains("Usage: overbar"), "{}", said(&o));
    assert_eq!(overbar(at.path(), &["--check", "intrinsics"]).status.code(), Some(2), "one or the other");
}
