//! The example projects are built with their build systems: what they print is right, and is made anew when an included file changes.

use crate::common::root;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const OVERBAR: &str = env!("CARGO_BIN_EXE_overbar");

/// A copy of an example beside the CMake module, where its build system is there.
fn example(name: &str, programs: &[&str]) -> Option<(tempfile::TempDir, PathBuf)> {
    for program in programs {
        if Command::new(program).arg("--version").output().is_err() {
            println!("skipped: {program} is not there");
            return None;
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("examples").join(name);
    std::fs::create_dir_all(folder.path().join("cmake")).unwrap();
    std::fs::copy(root().join("cmake/Overbar.cmake"), folder.path().join("cmake/Overbar.cmake")).unwrap();
    copy(&root().join("examples").join(name), &at);
    Some((folder, at))
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(|e| e.unwrap()) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn run(at: &Path, program: &str, arguments: &[&str]) -> Output {
    let path = format!("{}:{}", Path::new(OVERBAR).parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    Command::new(program).args(arguments).current_dir(at).env("PATH", path).env_remove("OVERBAR").output().unwrap()
}

/// What a command prints, which must succeed.
fn done(at: &Path, program: &str, arguments: &[&str]) -> String {
    let o = run(at, program, arguments);
    let out = String::from_utf8_lossy(&o.stdout).into_owned();
    assert!(o.status.success(), "{program} {arguments:?}:\n{out}{}", String::from_utf8_lossy(&o.stderr));
    out
}

/// The gradient of `scale*sum(sin(x))` at 0, 1 and 2.
fn gradient(scale: f64) -> String {
    let g: Vec<String> = [0.0f64, 1.0, 2.0].iter().map(|x| format!("{:.8}", scale * x.cos())).collect();
    g.join(" ") + "\n"
}

/// The gradient of `sum(x*sin(x))` at 1, 2 and 3, as Fortran prints it.
fn gradient_of_fortran() -> String {
    let g: Vec<String> = [1.0f64, 2.0, 3.0].iter().map(|x| format!("{:12.8}", x.sin() + x * x.cos())).collect();
    g.concat() + "\n"
}

fn other_scale(header: &Path) {
    // Make and its like go by times, which have seconds on some file systems.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    std::fs::write(header, "#define SCALE 3.0\n").unwrap();
}

#[test]
fn make() {
    let Some((_folder, at)) = example("make", &["make", "cc"]) else { return };
    done(&at, "make", &[]);
    assert_eq!(done(&at, "./gradient", &[]), gradient(2.0));
    assert!(done(&at, "make", &[]).contains("up to date"));
    other_scale(&at.join("scale.h"));
    done(&at, "make", &[]);
    assert_eq!(done(&at, "./gradient", &[]), gradient(3.0));
    done(&at, "make", &["clean"]);
    let o = run(&at, "make", &["OVERBAR=nowhere/overbar"]);
    assert!(!o.status.success() && String::from_utf8_lossy(&o.stderr).contains("nowhere/overbar"));
}

#[test]
fn cmake() {
    let Some((_folder, at)) = example("cmake", &["cmake", "make", "cc", "gfortran"]) else { return };
    done(&at, "cmake", &["-S", ".", "-B", "build"]);
    done(&at, "cmake", &["--build", "build"]);
    let c = |scale: f64| gradient(scale) + &format!("{:.8}\n", scale * 1.0f64.cos());
    assert_eq!(done(&at, "build/gradient", &[]), c(2.0));
    assert_eq!(done(&at, "build/gradient_fortran", &[]), gradient_of_fortran());
    assert!(!done(&at, "cmake", &["--build", "build"]).contains("Differentiating"));
    other_scale(&at.join("include/scale.h"));
    let again = done(&at, "cmake", &["--build", "build"]);
    assert!(again.contains("Differentiating cost.c") && !again.contains("Differentiating cost.f90"), "{again}");
    assert_eq!(done(&at, "build/gradient", &[]), c(3.0));
}

/// What CMake says of a project with these lines.
fn refused_by_cmake(at: &Path, languages: &str, lines: &str) -> String {
    let text = format!(
        "cmake_minimum_required(VERSION 3.21)\nproject(p LANGUAGES {languages})\nlist(APPEND CMAKE_MODULE_PATH \"${{CMAKE_CURRENT_SOURCE_DIR}}/../../cmake\")\n\
         include(Overbar)\nadd_executable(gradient main.c)\n{lines}\n"
    );
    std::fs::write(at.join("CMakeLists.txt"), text).unwrap();
    let _ = std::fs::remove_dir_all(at.join("other"));
    let o = run(at, "cmake", &["-S", ".", "-B", "other"]);
    assert!(!o.status.success(), "{lines}");
    // Messages are wrapped.
    String::from_utf8_lossy(&o.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn cmake_says_what_is_wrong_and_where() {
    let Some((_folder, at)) = example("cmake", &["cmake", "make", "cc"]) else { return };
    let of_cost = "overbar_add_derivative(gradient SOURCE cost.c HEAD \"cost/(x)\")";
    let cases = [
        (format!("unset(OVERBAR_EXECUTABLE CACHE)\n{of_cost}"), "the program overbar is not there; build it"),
        (
            format!("set(OVERBAR_EXECUTABLE /nowhere/overbar)\n{of_cost}"),
            "OVERBAR_EXECUTABLE is /nowhere/overbar, and there is no such file",
        ),
        ("overbar_add_derivative(gradient SOURCE cost.f90 HEAD \"cost(c)/(x)\")".to_owned(), "no compiler for Fortran is enabled"),
        ("overbar_add_derivative(nothing SOURCE cost.c HEAD \"cost/(x)\")".to_owned(), "there is no target nothing"),
        ("overbar_add_derivative(gradient SOURCE none.c HEAD \"cost/(x)\")".to_owned(), "there is no file"),
        ("overbar_add_derivative(gradient SOURCE cost.c HEAD \"cost/(x)\" MODES reverse)".to_owned(), "there is no mode reverse"),
        ("overbar_add_derivative(gradient SOURCE cost.c)".to_owned(), "give SOURCE with files and HEAD"),
        ("overbar_add_derivative(gradient FILE cost.c)".to_owned(), "FILE;cost.c is not understood"),
        ("overbar_add_derivative(gradient SOURCE cost.c cost.f90 HEAD \"cost/(x)\")".to_owned(), "different languages"),
    ];
    for (lines, words) in cases {
        let told = refused_by_cmake(&at, "C", &lines);
        assert!(told.contains(words) && told.contains("CMakeLists.txt:"), "{lines}:\n{told}");
    }
}

#[test]
fn meson() {
    let Some((_folder, at)) = example("meson", &["meson", "ninja", "cc"]) else { return };
    done(&at, "meson", &["setup", "build"]);
    done(&at, "ninja", &["-C", "build"]);
    assert_eq!(done(&at, "build/gradient", &[]), gradient(2.0));
    other_scale(&at.join("scale.h"));
    done(&at, "ninja", &["-C", "build"]);
    assert_eq!(done(&at, "build/gradient", &[]), gradient(3.0));
}

/// What fpm builds is checked in, and is what would be made now; it is built by fpm where that is there, else by the compiler.
#[test]
fn fpm() {
    let Some((_folder, at)) = example("fpm", &["gfortran"]) else { return };
    let known = std::fs::read_to_string(at.join("src/cost.f90")).unwrap();
    done(&at, "./derive", &[]);
    assert_eq!(std::fs::read_to_string(at.join("src/cost.f90")).unwrap(), known, "run examples/fpm/derive");
    if Command::new("fpm").arg("--version").output().is_ok() {
        assert!(done(&at, "fpm", &["run"]).ends_with(&gradient_of_fortran()));
    } else {
        println!("fpm is not there: its files are built by gfortran");
        done(&at, "gfortran", &["src/cost.f90", "app/main.f90", "-o", "main"]);
        assert_eq!(done(&at, "./main", &[]), gradient_of_fortran());
    }
}
