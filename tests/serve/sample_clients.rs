//! The clients in `samples/service`, in Python and in C.

use crate::client::Server;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn sample(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(path)
}

fn run(program: &Path, before: &[&str], server: &Server, mode: &str) -> Output {
    let document = sample("xaif/square.xaif");
    let address = format!("http://{}", server.address);
    Command::new(program).args(before).arg(document).args([mode, &address]).output().expect("it runs")
}

/// A derivative comes back, and a refusal is told with its code and another exit status.
fn serves(program: &Path, before: &[&str]) {
    let server = Server::start(&[]);
    let good = run(program, before, &server, "adjoint");
    let text = String::from_utf8_lossy(&good.stdout);
    assert!(good.status.success() && text.contains("square_b"), "{text}{}", String::from_utf8_lossy(&good.stderr));
    let bad = run(program, before, &server, "sideways");
    let told = [bad.stdout, bad.stderr].concat();
    assert!(!bad.status.success() && String::from_utf8_lossy(&told).contains("OB0169"), "{}", String::from_utf8_lossy(&told));
}

#[test]
fn the_client_in_python() {
    let script = sample("service/client.py");
    serves(Path::new("python3"), &[script.to_str().expect("UTF-8")]);
}

#[test]
fn the_client_in_c() {
    let folder = tempfile::tempdir().expect("a folder");
    let client = folder.path().join("client");
    let gcc = |arguments: &[&str]| Command::new("gcc").args(arguments).current_dir(folder.path()).output().expect("gcc runs");
    std::fs::write(folder.path().join("probe.c"), "#include <curl/curl.h>\n").expect("written");
    if !gcc(&["-fsyntax-only", "probe.c"]).status.success() {
        println!("skipped: libcurl is not there");
        return;
    }
    let source = sample("service/client.c");
    let made = gcc(&["-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", source.to_str().expect("UTF-8"), "-o", "client", "-lcurl"]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    serves(&client, &[]);
}
