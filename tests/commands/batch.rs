//! `overbar batch`: outputs, reports, manifests, failures, resumption, shards.

use crate::common;

#[path = "batch/failures.rs"]
mod failures;
#[path = "batch/files.rs"]
mod files;
#[path = "batch/manifests.rs"]
mod manifests;
#[path = "batch/resume.rs"]
mod resume;
#[path = "batch/shards.rs"]
mod shards;

use common::{overbar, overbar_ok};
use files::{report, tree, write};

#[test]
fn outputs_are_those_of_diff_and_boost() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    files::some(&dir.join("in"), 12);
    // A directive, a unit that another one calls, preprocessed Fortran, fixed form.
    write(&dir.join("in/two.c"), "double g(double x) { return x * x; }\ndouble f(double x) { return g(x) + x; }\n");
    write(
        &dir.join("in/directive.c"),
        "double g(double x) { return x * x; }\n#pragma overbar head f/(x)\ndouble f(double x, double y) { return x * y; }\n",
    );
    write(
        &dir.join("in/sub/pre.F90"),
        "#define HALF 0.5d0\nsubroutine p(x, y)\nreal(8), intent(in) :: x\nreal(8), intent(out) :: y\ny = HALF*x*x\nend subroutine\n",
    );
    write(&dir.join("in/fixed.f"), "      subroutine q(x, y)\n      real*8 x, y\n      y = sin(x)\n     &    *x\n      end\n");
    // The loop records values: the output needs the run-time support.
    write(
        &dir.join("in/taped.c"),
        "double t(double x) { double s = 1; while (s < 100) { s = s * x + 1; if (s > 50) s = s * s; } return s; }\n",
    );
    write(
        &dir.join("in/taped.f90"),
        "subroutine t(x, s)\nreal(8), intent(in) :: x\nreal(8), intent(out) :: s\ns = 1\ndo while (s < 100)\ns = s*x + 1\nif (s > 50) s = s*s\nend do\nend subroutine\n",
    );
    overbar_ok(dir, &["batch", "in", "-o", "out", "-b", "-d", "--jobs", "2"]);
    let heads: &[(&str, &[&str])] = &[
        ("two.c", &["f"]),
        ("directive.c", &[]),
        ("sub/pre.F90", &["p"]),
        ("fixed.f", &["q"]),
        ("taped.c", &["t"]),
        ("taped.f90", &["t"]),
    ];
    let mut compared = 0;
    for (name, text) in tree(&dir.join("out")) {
        let path = format!("in/{name}");
        let head = heads.iter().find(|(n, _)| *n == name).map_or(vec!["f"], |(_, h)| h.to_vec());
        let mut arguments = if name.ends_with(".xaif") { vec!["boost"] } else { vec!["diff"] };
        arguments.extend([path.as_str(), "-b", "-d"]);
        // The documents note their heads.
        if !name.ends_with(".xaif") {
            head.iter().for_each(|h| arguments.extend(["--head", h]));
        }
        assert_eq!(overbar_ok(dir, &arguments), text, "{name}");
        compared += 1;
    }
    assert_eq!(compared, 18);
    let report = report(&dir.join("out"));
    assert_eq!(report["counts"]["done"], 18);
    assert!(report["items"].as_array().unwrap().iter().all(|i| i["content"]["bytes"].as_u64().unwrap() > 0));
}

#[test]
fn stock_documents_are_differentiated_by_their_flags() {
    let Some(corpus) = common::shared("xaif/corpus") else { return };
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::create_dir(dir.join("in")).unwrap();
    let mut names: Vec<_> =
        std::fs::read_dir(corpus).unwrap().map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "xaif")).collect();
    names.sort();
    for path in names.iter().take(15) {
        std::fs::copy(path, dir.join("in").join(path.file_name().unwrap())).unwrap();
    }
    overbar(dir, &["batch", "in", "-o", "out", "-b", "--keep-going"]);
    let mut done = 0;
    for item in report(&dir.join("out"))["items"].as_array().unwrap() {
        let path = item["inputs"][0].as_str().unwrap();
        let alone = overbar(dir, &["boost", "-b", path]);
        assert_eq!(alone.status.success(), item["status"] == "done", "{item}");
        if alone.status.success() {
            assert_eq!(std::fs::read(dir.join("out").join(item["output"].as_str().unwrap())).unwrap(), alone.stdout);
            done += 1;
        }
    }
    assert!(done >= 10, "{done}");
}

#[test]
fn certificates_go_with_the_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    write(&dir.join("in/a.c"), "double f(double x) { return x * x; }\n");
    write(
        &dir.join("in/sub/b.f90"),
        "subroutine f(x, y)\nreal(8), intent(in) :: x\nreal(8), intent(out) :: y\ny = exp(x)\nend subroutine\n",
    );
    let batch = ["batch", "in", "-o", "out", "-b", "--verify"];
    overbar_ok(dir, &batch);
    for item in report(&dir.join("out"))["items"].as_array().unwrap() {
        assert_eq!(item["verdict"], "pass", "{item}");
        let path = dir.join("out/overbar-batch/certificates").join(format!("{}.json", item["output"].as_str().unwrap()));
        let certificate: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        assert!(certificate["heads"][0]["checks"].as_array().is_some_and(|c| !c.is_empty()), "{certificate}");
    }
    std::fs::remove_file(dir.join("out/overbar-batch/certificates/a.c.json")).unwrap();
    let again = overbar_ok(dir, &[&batch[..], &["--resume"]].concat());
    assert!(again.contains("2 done, 1 of them by an earlier run"), "{again}");
}
