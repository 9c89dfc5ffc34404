//! Batches: how much two jobs do in the time of one, on generated programs in Fortran and XAIF (no process but this one is started for them).
//! `cargo bench --bench batch`.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Without optimization it only shows that it runs.
const FILES: usize = if cfg!(debug_assertions) { 40 } else { 400 };
const ROUNDS: usize = 5;

fn text(k: usize) -> String {
    let mut out = format!(
        "subroutine f(n, x, y)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\nreal(8), intent(out) :: y\nreal(8) :: t\ninteger :: i\ny = {k}\nt = 1\n"
    );
    for s in 0..20 {
        out.push_str(&format!("do i = 1, n\nt = t*x(i) + sin(x(i) + {s})\ny = y + exp(-t*x(i))*{s}.5d0\nend do\n"));
    }
    out + "end subroutine\n"
}

fn overbar(folder: &Path, arguments: &[&str]) {
    let done = Command::new(env!("CARGO_BIN_EXE_overbar")).args(arguments).current_dir(folder).output().expect("the binary runs");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    std::fs::create_dir(dir.join("in")).expect("a folder");
    for k in 0..FILES {
        let name = format!("in/k{k}.f90");
        std::fs::write(dir.join(&name), text(k)).expect("a file");
        if k % 2 == 0 {
            overbar(dir, &["frontend", "fortran", &name, "-o", &format!("in/k{k}.xaif")]);
            std::fs::remove_file(dir.join(&name)).expect("it is there");
        }
    }
    // The least time of several iterations, taken in turn: other processes only ever add to it.
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for (jobs, least) in least.iter_mut().enumerate() {
            let begun = Instant::now();
            overbar(dir, &["batch", "in", "-o", "out", "-b", "--jobs", &(jobs + 1).to_string()]);
            *least = least.min(begun.elapsed().as_secs_f64());
        }
    }
    let rate = |s: f64| FILES as f64 / s;
    println!(
        "1 job: {:.0} files a second; 2 jobs: {:.0} files a second, {:.2} times as many",
        rate(least[0]),
        rate(least[1]),
        least[0] / least[1]
    );
    println!("target: 1.7 on two idle processors");
}
