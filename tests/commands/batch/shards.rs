//! Batches in parts.

use super::files::{report, some, statuses, tree};
use crate::common::{overbar, overbar_ok, root};
use std::path::Path;
use std::process::Command;

#[test]
fn parts_make_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    some(&dir.join("in"), 20);
    overbar_ok(dir, &["batch", "in", "-o", "whole", "-b"]);
    for part in ["3/3", "1/3"] {
        overbar_ok(dir, &["batch", "in", "-o", "parts", "-b", "--shard", part]);
    }
    let early = overbar(dir, &["batch", "--merge", "-o", "parts"]);
    let errors = String::from_utf8_lossy(&early.stderr).into_owned();
    assert!(early.status.code() == Some(1) && errors.contains("OB0147") && errors.contains("2/3"), "{errors}");
    overbar_ok(dir, &["batch", "in", "-o", "parts", "-b", "--shard", "2/3"]);
    overbar_ok(dir, &["batch", "--merge", "-o", "parts"]);
    assert_eq!(tree(&dir.join("whole")), tree(&dir.join("parts")));
    let (whole, parts) = (report(&dir.join("whole")), report(&dir.join("parts")));
    assert_eq!((&whole["counts"], &whole["plan"], &whole["total"]), (&parts["counts"], &parts["plan"], &parts["total"]));
    assert_eq!(statuses(&dir.join("whole")), statuses(&dir.join("parts")));
    assert!(parts.get("shard").is_none());
    overbar_ok(dir, &["validate", "parts/overbar-batch/report.xml", "parts/overbar-batch/shard-2-of-3/report.xml"]);
    // What parts have done, the whole need not do again, and the other way round.
    let again = overbar_ok(dir, &["batch", "in", "-o", "parts", "-b", "--resume"]);
    assert!(again.contains("20 of them by an earlier run"), "{again}");
    // A part of another batch does not belong to them.
    overbar_ok(dir, &["batch", "in", "-o", "parts", "-d", "--shard", "2/3"]);
    assert_eq!(overbar(dir, &["batch", "--merge", "-o", "parts"]).status.code(), Some(1));
}

#[test]
fn the_job_array_of_the_sample_does_its_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let sample = root().join("samples/batch");
    let manifest = sample.join("manifest.toml");
    let command = Path::new(env!("CARGO_BIN_EXE_overbar")).parent().unwrap();
    let path = format!("{}:{}", command.display(), std::env::var("PATH").unwrap_or_default());
    // As Slurm would, one task after the other.
    for task in 1..=3 {
        let done = Command::new("bash")
            .arg(sample.join("array.slurm"))
            .args([manifest.to_str().unwrap(), "out"])
            .current_dir(dir)
            .envs([("PATH", path.as_str()), ("SLURM_ARRAY_TASK_COUNT", "3"), ("SLURM_CPUS_PER_TASK", "2")])
            .env("SLURM_ARRAY_TASK_ID", task.to_string())
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    overbar_ok(dir, &["batch", "--merge", "-o", "out"]);
    overbar_ok(dir, &["batch", manifest.to_str().unwrap(), "-o", "whole"]);
    assert_eq!(tree(&dir.join("out")), tree(&dir.join("whole")));
    assert_eq!(statuses(&dir.join("out")).len(), 4);
}

/// What a sample has a shell do for the parts of its batch, and then the whole: the same as one machine does.
fn parts_by(dir: &Path, part: &dyn Fn(usize) -> String) {
    let sample = root().join("samples/batch");
    std::fs::copy(sample.join("manifest.toml"), dir.join("manifest.toml")).unwrap();
    std::fs::create_dir(dir.join("kernels")).unwrap();
    for file in std::fs::read_dir(sample.join("kernels")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), dir.join("kernels").join(file.file_name())).unwrap();
    }
    let command = Path::new(env!("CARGO_BIN_EXE_overbar")).parent().unwrap();
    let path = format!("{}:{}", command.display(), std::env::var("PATH").unwrap_or_default());
    for index in 0..4 {
        let line = part(index);
        let run = Command::new("bash")
            .args(["-c", &line])
            .current_dir(dir)
            .envs([("PATH", path.as_str()), ("PARTS", "4")])
            .env("JOB_COMPLETION_INDEX", index.to_string())
            .output()
            .unwrap();
        assert!(run.status.success(), "{line}: {}", String::from_utf8_lossy(&run.stderr));
    }
    overbar_ok(dir, &["batch", "--merge", "-o", "derivatives"]);
    overbar_ok(dir, &["batch", "manifest.toml", "-o", "whole"]);
    assert_eq!(tree(&dir.join("derivatives")), tree(&dir.join("whole")));
    assert_eq!(statuses(&dir.join("derivatives")).len(), 4);
}

#[test]
fn the_indexed_job_of_the_sample_does_its_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("samples/batch/job.yaml")).unwrap();
    let line = text.lines().find_map(|l| l.trim().strip_prefix("- overbar ")).expect("the pod's command");
    parts_by(folder.path(), &|_| format!("overbar {line}"));
}

#[test]
fn the_rules_of_the_sample_do_its_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("samples/batch/Snakefile")).unwrap();
    let line = text.lines().find(|l| l.contains("--shard")).expect("the command of a part").trim().trim_matches('"');
    parts_by(folder.path(), &|index| {
        let report = format!("derivatives/overbar-batch/shard-{}-of-4/report.json", index + 1);
        let words =
            [("{input}", "manifest.toml"), ("{wildcards.part}", &(index + 1).to_string()), ("{params.parts}", "4"), ("{threads}", "2")];
        let line = words.iter().fold(line.to_owned(), |line, (from, to)| line.replace(from, to));
        // The rule promises this file.
        format!("{line} && test -f {report}")
    });
}
