//! The command line as people expect it: one line that says what is wrong and where, colours, quiet and verbose, manual pages, what an output is made from,
//! what is differentiated where nobody says it.

use crate::common::{overbar, overbar_ok};

use std::path::Path;
use std::process::{Command, Output};

const COST: &str =
    "#include \"side.h\"\nstatic double square(double x) { return x * x; }\ndouble cost(double x) { return SCALE * square(x); }\n";

/// A folder with programs.
fn folder() -> tempfile::TempDir {
    let at = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(at.path().join(name), text).unwrap();
    put("cost.c", COST);
    put("side.h", "#include \"deep.h\"\n");
    put("deep.h", "#define SCALE 2.0\n");
    put("two.c", "double f(double x) { return x * x; }\ndouble g(double x) { return x + x; }\n");
    put("wrong.c", "double f(double x) {\n  return x * ;\n}\n");
    put("overlap.c", "void f(double *x, double *y) {\n  *y = *x * *x;\n}\n");
    std::fs::create_dir(at.path().join("inner")).unwrap();
    at
}

fn said(o: &Output) -> String {
    String::from_utf8(o.stderr.clone()).unwrap()
}

/// Runs the command line with these variables and without others that say something about colours.
fn with(at: &Path, variables: &[(&str, &str)], line: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overbar"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).args(line).current_dir(at).output().unwrap()
}

#[test]
fn the_first_line_says_what_and_where() {
    let at = folder();
    let o = overbar(at.path(), &["diff", "wrong.c", "-b"]);
    assert!(said(&o).starts_with("wrong.c:2:14: error: syntax error"), "{}", said(&o));
    assert!(said(&o).lines().next().is_some_and(|l| l.ends_with("[OB2004]")), "{}", said(&o));
    let o = overbar(at.path(), &["diff", "overlap.c", "-b", "--head", "f(y)/(x)"]);
    assert!(o.status.success() && said(&o).starts_with("overlap.c:1:16: note: "), "{}", said(&o));
    let o = overbar(at.path(), &["diff", "none.c", "-b"]);
    assert!(said(&o).starts_with("error: cannot read none.c"), "{}", said(&o));
}

#[test]
fn colours_are_asked_for_or_not() {
    let at = folder();
    let colored = |variables: &[(&str, &str)], more: &[&str]| {
        let line: Vec<&str> = more.iter().copied().chain(["diff", "wrong.c", "-b"]).collect();
        said(&with(at.path(), variables, &line)).contains("\x1b[1;31merror:")
    };
    assert!(!colored(&[], &[]), "standard error is no terminal here");
    assert!(colored(&[], &["--color", "always"]));
    assert!(colored(&[("CLICOLOR_FORCE", "1")], &[]));
    assert!(!colored(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &[]));
    assert!(!colored(&[("CLICOLOR_FORCE", "1")], &["--color=never"]));
    let help = |more: &[&str]| String::from_utf8(with(at.path(), &[], more).stdout).unwrap();
    assert!(help(&["--color=always", "--help"]).contains("\x1b["));
    assert!(!help(&["--help"]).contains("\x1b["));
}

#[test]
fn quiet_and_verbose() {
    let at = folder();
    let line = ["diff", "overlap.c", "-b", "--head", "f(y)/(x)", "-o", "out.c"];
    assert!(said(&overbar(at.path(), &line)).contains("[OB4009]"));
    assert_eq!(said(&overbar(at.path(), &[&line[..], &["-q"]].concat())), "");
    let told = said(&overbar(at.path(), &[&line[..], &["-v"]].concat()));
    assert!(told.starts_with("reading overlap.c\n") && told.ends_with("wrote out.c\n") && told.contains("[OB4009]"), "{told}");
    let o = overbar(at.path(), &["-q", "diff", "wrong.c", "-b"]);
    assert!(said(&o).contains("error:"), "errors are never kept quiet");
    assert_eq!(overbar(at.path(), &["-q", "-v", "intrinsics"]).status.code(), Some(2));
}

#[test]
fn other_languages_and_folders_have_words_of_their_own() {
    let at = folder();
    for (name, words) in [("f.py", "is Python"), ("f.cu", "is CUDA"), ("f.cpp", "is C++"), ("f.jl", "is Julia"), ("inner", "is a folder")] {
        if name != "inner" {
            std::fs::write(at.path().join(name), "x").unwrap();
        }
        for command in [&["diff", "-b"][..], &["verify"], &["report", "-o", "page.html"]] {
            let o = overbar(at.path(), &[&command[..1], &[name], &command[1..]].concat());
            assert_eq!(o.status.code(), Some(2), "{command:?} {name}: {}", said(&o));
            assert!(said(&o).contains(words) && said(&o).contains("[OB0105]"), "{command:?} {name}: {}", said(&o));
        }
    }
    // Where it is said that it is C, it is C.
    std::fs::write(at.path().join("f.cpp"), "double f(double x) { return x * x; }\n").unwrap();
    overbar_ok(at.path(), &["diff", "f.cpp", "-b", "--language", "c", "--head", "f/(x)"]);
}

#[test]
fn the_only_unit_is_differentiated_and_several_are_listed() {
    let at = folder();
    let o = overbar(at.path(), &["diff", "cost.c", "-b", "-o", "alone.c"]);
    assert!(o.status.success() && said(&o).starts_with("note: no head is given: cost is differentiated"), "{}", said(&o));
    overbar_ok(at.path(), &["diff", "cost.c", "-b", "--head", "cost", "-o", "named.c"]);
    let text = |name: &str| std::fs::read_to_string(at.path().join(name)).unwrap();
    assert_eq!(text("alone.c"), text("named.c"));
    let o = overbar(at.path(), &["diff", "two.c", "-b", "-o", "none.c"]);
    assert_eq!(o.status.code(), Some(2));
    assert!(said(&o).contains("[OB0109]") && said(&o).contains("units f, g"), "{}", said(&o));
    assert!(!at.path().join("none.c").exists());
    // A directive is a head.
    std::fs::write(at.path().join("said.c"), format!("#pragma overbar head g/(x)\n{}", text("two.c"))).unwrap();
    let o = overbar(at.path(), &["diff", "said.c", "-b"]);
    assert!(o.status.success() && said(&o).is_empty(), "{}", said(&o));
    assert!(String::from_utf8_lossy(&o.stdout).contains("g_b") && !String::from_utf8_lossy(&o.stdout).contains("f_b"));
}

#[test]
fn a_depfile_names_what_was_read() {
    let at = folder();
    let line = ["diff", "cost.c", "-b", "--head", "cost/(x)", "-o", "made.c", "--header", "made.h", "--depfile", "made.d"];
    overbar_ok(at.path(), &line);
    let rule = std::fs::read_to_string(at.path().join("made.d")).unwrap();
    assert_eq!(rule, "made.c \\\n  made.h: cost.c \\\n  deep.h \\\n  side.h\n\ndeep.h:\n\nside.h:\n");
    assert_eq!(overbar(at.path(), &["diff", "cost.c", "-b", "--depfile", "other.d"]).status.code(), Some(2), "no output, no rule");
}

#[test]
fn words_find_codes() {
    let at = folder();
    let list = overbar_ok(at.path(), &["explain", "Checkpoint"]);
    assert!(list.lines().count() > 2 && list.lines().all(|l| l.starts_with("OB")), "{list}");
    assert!(list.contains("OB0132 (error): A checkpoint is not written as one"), "{list}");
    let fewer = overbar_ok(at.path(), &["explain", "checkpoint", "directive"]);
    assert!(fewer.lines().count() < list.lines().count(), "{fewer}");
    assert!(overbar_ok(at.path(), &["explain", "sqrt"]).contains("OB6081"));
    assert!(overbar_ok(at.path(), &["explain", "4002"]).starts_with("OB4002 (error): "));
    for nothing in ["xyzzy", "OB9999"] {
        let o = overbar(at.path(), &["explain", nothing]);
        assert!(o.status.code() == Some(2) && said(&o).contains("[OB0110]") && said(&o).contains(nothing), "{}", said(&o));
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let at = folder();
    overbar_ok(at.path(), &["manpage", "-O", "man"]);
    let top = overbar_ok(at.path(), &["manpage"]);
    assert_eq!(top, std::fs::read_to_string(at.path().join("man/overbar.1")).unwrap());
    let mut count = 0;
    for entry in std::fs::read_dir(at.path().join("man")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(command) = name.strip_prefix("overbar-").and_then(|n| n.strip_suffix(".1")) else { continue };
        let page = overbar_ok(at.path(), &["manpage", command]);
        assert!(page.contains(&format!(".TH overbar-{command} 1")), "{page:.300}");
        assert_eq!(page, std::fs::read_to_string(at.path().join("man").join(&name)).unwrap());
        count += 1;
    }
    assert!(count > 12, "{count} commands");
    let o = overbar(at.path(), &["manpage", "nothing"]);
    assert!(o.status.code() == Some(2) && said(&o).contains("the commands are diff, "), "{}", said(&o));
}

#[test]
fn the_version_is_one_line() {
    let at = folder();
    let version = overbar_ok(at.path(), &["--version"]);
    assert!(version.starts_with(concat!("overbar ", env!("CARGO_PKG_VERSION"))) && version.lines().count() == 1, "{version}");
}
