//! What requests cannot do, what becomes of workers that die, and how the service ends.

use super::client::{Server, path};
use super::limits::{LONG, large_graph};
use super::{GRAPH, PROGRAM};
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn requests_read_no_files_and_start_no_programs() {
    let server = Server::start(&["--workers", "1"]);
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret.h");
    std::fs::write(&secret, "double secret(double x) { return x; }\n").unwrap();
    let at = secret.display().to_string();
    let diff = |name: &str, options: &[(&str, &str)], text: &str| {
        let mut all = vec![("mode", "adjoint"), ("name", name)];
        all.extend(options);
        server.post(&path("diff", &all), &[], text.as_bytes())
    };
    let include = format!("#include \"{at}\"\ndouble f(double x) {{ return secret(x); }}\n");
    let cases = [
        (diff("f.c", &[], &include), 422, "OB2003"),
        (diff("f.c", &[], "#define A 1\n#include </etc/passwd>\ndouble f(double x) { return x; }\n"), 422, "OB2003"),
        (diff("f.c", &[("include", "/")], PROGRAM), 400, "OB0169"),
        (diff("f.c", &[("define", "N -I/")], PROGRAM), 200, ""),
        (diff("f.c", &[("rules", "/etc/passwd"), ("head", "f")], PROGRAM), 422, "OB0101"),
        (diff("f.f90", &[], &format!("subroutine f(x)\ninclude '{at}'\nend subroutine\n")), 422, "OB3008"),
        (
            diff(&format!("{}/f.f", folder.path().display()), &[], "      subroutine f(x)\n      INCLUDE 'secret.h'\n      end\n"),
            422,
            "OB3008",
        ),
        (diff("f.F90", &[], &format!("#include \"{at}\"\nsubroutine f(x)\nreal(8) :: x\nx = 2*x\nend subroutine\n")), 422, "OB3003"),
        (diff("f.c", &[("output", "/tmp/x")], PROGRAM), 400, "OB0169"),
        (diff("f.c", &[("header", "/nowhere/at/all.h"), ("head", "f")], PROGRAM), 200, ""),
        (server.post(&path("verify", &[("cc", "sh"), ("name", "f.c")]), &[], PROGRAM.as_bytes()), 400, "OB0169"),
        (server.post(&path("verify", &[("run", "compiled"), ("name", "f.c")]), &[], PROGRAM.as_bytes()), 400, "OB0169"),
        (server.post(&path("eval", &[("input", "/etc/passwd"), ("name", "f.c")]), &[], PROGRAM.as_bytes()), 422, "OB0101"),
        (server.post("/v1/boost?mode=adjoint&name=-", &[], b""), 400, "OB0169"),
    ];
    for (k, (answer, status, code)) in cases.iter().enumerate() {
        assert_eq!(answer.status, *status, "{k}: {}", answer.text());
        assert!(answer.codes().split(',').any(|c| c == *code) || code.is_empty(), "{k}: {} {}", answer.codes(), answer.text());
        assert!(!answer.text().contains("root:x"), "{k}");
    }
    server.is_well();
}

#[test]
fn the_preprocessor_runs_where_it_is_switched_on() {
    let server = Server::start(&["--workers", "1", "--preprocessor"]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own.h"), "#define TWICE(x) (2*(x))\n").unwrap();
    let text = format!("#include \"{}\"\ndouble f(double x) {{ return TWICE(x*x); }}\n", folder.path().join("own.h").display());
    std::fs::write(folder.path().join("f.c"), &text).unwrap();
    let expected = super::common::overbar(folder.path(), &["diff", "f.c", "-b", "--head", "f/(x)"]);
    if !expected.status.success() {
        return println!("skipped: no preprocessor");
    }
    let answer = server.post(&path("diff", &[("mode", "adjoint"), ("name", "f.c"), ("head", "f/(x)")]), &[], text.as_bytes());
    assert_eq!((answer.status, answer.text()), (200, String::from_utf8(expected.stdout).unwrap()));
}

/// The processes that a process has started.
fn children(process: u32) -> Vec<u32> {
    let text = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let direct: Vec<u32> = text.split_whitespace().filter_map(|p| p.parse().ok()).collect();
    if !direct.is_empty() {
        return direct;
    }
    // Started by another of its threads.
    let all = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    all.flat_map(|t| {
        std::fs::read_to_string(t.path().join("children"))
            .unwrap_or_default()
            .split_whitespace()
            .filter_map(|p| p.parse().ok())
            .collect::<Vec<u32>>()
    })
    .collect()
}

/// Whether a process ends soon.
fn ends(process: u32) -> bool {
    let gone = || std::fs::read_to_string(format!("/proc/{process}/stat")).map_or(true, |s| s.contains(") Z"));
    let begun = Instant::now();
    while !gone() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    gone()
}

#[test]
fn workers_do_not_outlive_a_service_that_is_killed() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let mut server = Server::start(&["--workers", "2", "--cpu-time", "1000", "--wall-time", "1000"]);
    let mut client = server.connect();
    client.send("POST", LONG, &[], large_graph().as_bytes());
    server.until("work", |s| s.metric("overbar_running") == 1.0);
    let workers = children(server.child.id());
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    workers.iter().for_each(|p| assert!(ends(*p), "a worker goes on"));
}

fn kill(process: u32, signal: &str) {
    assert!(Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success());
}

#[test]
fn workers_that_die_are_replaced() {
    let server = Server::start(&["--workers", "1"]);
    server.is_well();
    for signal in ["-KILL", "-ABRT"] {
        let mut client = server.connect();
        client.send("POST", LONG, &[], large_graph().as_bytes());
        server.until("work", |s| s.metric("overbar_running") == 1.0);
        let found = children(server.child.id());
        if found.is_empty() {
            return println!("skipped: the system does not tell which processes were started");
        }
        found.iter().for_each(|p| kill(*p, signal));
        let answer = client.answer().unwrap();
        assert_eq!((answer.status, answer.codes(), answer.header("x-overbar-error")), (500, "OB0167", "died"), "{}", answer.text());
        server.is_well();
        // One that dies while it waits is not even noticed.
        let waiting = children(server.child.id());
        waiting.iter().for_each(|p| kill(*p, signal));
        waiting.iter().for_each(|p| assert!(ends(*p), "it does not die"));
        server.is_well();
    }
}

#[test]
fn what_runs_is_finished_before_the_end() {
    let mut server = Server::start(&["--workers", "1"]);
    let mut client = server.connect();
    let mut idle = server.connect();
    assert_eq!(idle.request("GET", "/healthz", &[], b"").status, 200);
    client.send("POST", "/v1/eliminate?search=2", &[("Accept", "application/json")], large_graph().as_bytes());
    server.until("work", |s| s.metric("overbar_running") == 1.0);
    kill(server.child.id(), "-TERM");
    let begun = Instant::now();
    let answer = client.answer().expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.json()["cost"].is_number());
    let status = server.child.wait().unwrap();
    assert!(status.success() && begun.elapsed() < Duration::from_secs(60), "{status}");
    assert!(std::net::TcpStream::connect(server.address).is_err());
}

#[test]
fn a_grace_that_is_over_ends_everything() {
    let mut server = Server::start(&["--workers", "1", "--grace", "0.5", "--wall-time", "1000", "--cpu-time", "1000"]);
    let mut client = server.connect();
    client.send("POST", LONG, &[], large_graph().as_bytes());
    server.until("work", |s| s.metric("overbar_running") == 1.0);
    let workers = children(server.child.id());
    kill(server.child.id(), "-INT");
    let begun = Instant::now();
    server.child.wait().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(client.answer().is_none());
    for worker in workers {
        assert!(ends(worker), "a worker goes on");
    }
}

#[test]
fn panics_are_answered_and_the_next_request_has_another_worker() {
    // No input is known that makes the tool panic; what a panic leads to is tested in `src/serve`. Here: that nothing of one request is left in another.
    let server = Server::start(&["--workers", "1"]);
    let first = path("diff", &[("mode", "adjoint"), ("name", "f.c"), ("head", "f"), ("stats", "s.json")]);
    let whole = [("Accept", "application/vnd.overbar.answer+json")];
    let once = server.post(&first, &whole, PROGRAM.as_bytes()).json();
    assert_eq!(server.post("/v1/eliminate", &whole, GRAPH.as_bytes()).json()["files"], serde_json::Value::Null);
    assert_eq!(server.post(&first, &whole, PROGRAM.as_bytes()).json(), once);
}
