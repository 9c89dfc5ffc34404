//! Batches that are stopped and go on.

use super::files::{report, some, tree, write};
use crate::common::{overbar, overbar_ok};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How many items of the last run were done by an earlier one.
fn resumed(out: &Path) -> usize {
    report(out)["items"].as_array().unwrap().iter().filter(|i| i["resumed"] == true).count()
}

/// Starts a batch so often, kills it at moments that look random, and lets it end at last: the tree is that of a batch that nobody disturbed.
fn kill_and_resume(count: usize, kills: u64) {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    some(&dir.join("in"), count);
    let begun = std::time::Instant::now();
    overbar_ok(dir, &["batch", "in", "-o", "calm", "-b", "--jobs", "2"]);
    let whole = begun.elapsed().as_millis() as u64;
    let batch = ["batch", "in", "-o", "killed", "-b", "--jobs", "2", "--resume"];
    let mut noise = 0x9e37_79b9_7f4a_7c15u64 ^ u64::from(std::process::id());
    let journal = dir.join("killed/overbar-batch/journal.jsonl");
    let noted = || std::fs::read(&journal).map_or(0, |b| b.len());
    for k in 0..kills {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let earlier = noted();
        let mut child = Command::new(env!("CARGO_BIN_EXE_overbar"))
            .args(batch)
            .current_dir(dir)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Every second time not before it has done something, for the start alone takes a while.
        for _ in 0..(k % 2) * 3000 {
            if noted() > earlier {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis((noise >> 33) % (whole / kills).max(1)));
        // The signal that nobody can catch.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let before = if dir.join("killed").exists() { tree(&dir.join("killed")).len() } else { 0 };
    overbar_ok(dir, &batch);
    let (calm, killed) = (tree(&dir.join("calm")), tree(&dir.join("killed")));
    assert_eq!(calm.keys().collect::<Vec<_>>(), killed.keys().collect::<Vec<_>>());
    assert!(calm == killed);
    assert_eq!(calm.len(), count);
    // A kill loses what was in work: at most as many items as threads, each time.
    let kept = resumed(&dir.join("killed"));
    assert!(kept + 2 * kills as usize >= before, "{kept} of {before} were believed");
    assert!(kept as u64 >= kills / 2, "{kept} items only were kept");
    println!("{count} files, {kills} kills: {kept} items were done before the last run");
    overbar_ok(dir, &batch);
    assert_eq!(resumed(&dir.join("killed")), count);
    assert!(!dir.join("killed/overbar-batch/unfinished").exists());
}

#[test]
fn a_batch_that_is_killed_goes_on_where_it_was() {
    kill_and_resume(200, 5);
}

#[test]
#[ignore = "takes minutes: 5,000 files, killed ten times"]
fn a_large_batch_that_is_killed_goes_on_where_it_was() {
    kill_and_resume(5000, 10);
}

#[test]
fn only_what_has_changed_is_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    some(&dir.join("in"), 6);
    write(&dir.join("in/with.c"), "#include \"n.h\"\ndouble f(double x) { return N * x * x; }\n");
    write(&dir.join("in/n.h"), "#define N 3\n");
    let out = dir.join("out");
    let run = |more: &[&str]| {
        overbar_ok(dir, &[&["batch", "in", "-o", "out", "-b", "--resume"], more].concat());
        resumed(&out)
    };
    assert_eq!((run(&[]), run(&[])), (0, 7));
    // An input, a header, an output that somebody has touched or removed.
    write(&dir.join("in/part0/k0.c"), "double f(double x) { return 7 * x * x; }\n");
    assert_eq!((run(&[]), run(&[])), (6, 7));
    write(&dir.join("in/n.h"), "#define N 4\n");
    assert_eq!((run(&[]), run(&[])), (6, 7));
    assert!(tree(&out)["with.c"].contains("8"), "{}", tree(&out)["with.c"]);
    let good = tree(&out);
    write(&dir.join("out/with.c"), "mine\n");
    std::fs::remove_file(dir.join("out/part0/k0.c")).unwrap();
    assert_eq!(run(&[]), 5);
    assert_eq!(tree(&out), good);
    // Other options, then without --resume.
    assert_eq!(run(&["-d"]), 0);
    overbar_ok(dir, &["batch", "in", "-o", "out", "-b"]);
    assert_eq!(resumed(&out), 0);
    assert_eq!(tree(&out), good);
}

#[test]
fn refusals_are_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    write(&dir.join("in/a.c"), "double g(double);\ndouble f(double x) { return g(x); }\n");
    let batch = ["batch", "in", "-o", "out", "-b", "--resume"];
    for _ in 0..2 {
        assert_eq!(overbar(dir, &batch).status.code(), Some(1));
        assert_eq!(resumed(&dir.join("out")), 0);
    }
}
