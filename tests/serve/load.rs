//! Load: mixed requests by many clients at once; no error but those that are provoked, and memory that stays.

use super::client::{Client, Server, path};
use super::{FORTRAN, GRAPH, PROGRAM};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

struct Kind {
    name: &'static str,
    path: String,
    headers: Vec<(&'static str, &'static str)>,
    body: Vec<u8>,
    status: u16,
}

/// The mixture: most of it is done, some is refused, some is rubbish.
fn kinds() -> Vec<Kind> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.c"), PROGRAM).unwrap();
    let xaif = super::common::overbar_ok(folder.path(), &["frontend", "c", "f.c", "--no-preprocessor", "--head", "f(f)/(x,y)"]);
    let kind = |name, path: String, body: &str, status| Kind { name, path, headers: Vec::new(), body: body.as_bytes().to_vec(), status };
    let mut all = vec![
        kind("boost adjoint", "/v1/boost?mode=adjoint".into(), &xaif, 200),
        kind("boost tangent", "/v1/boost?mode=tangent".into(), &xaif, 200),
        kind("diff C", path("diff", &[("mode", "adjoint"), ("head", "f"), ("name", "f.c")]), PROGRAM, 200),
        kind("diff Fortran", path("diff", &[("mode", "tangent"), ("head", "g"), ("name", "g.f90")]), FORTRAN, 200),
        kind("validate", "/v1/validate".into(), &xaif, 200),
        kind("verify", path("verify", &[("head", "f"), ("name", "f.c")]), PROGRAM, 200),
        kind("eliminate", "/v1/eliminate".into(), GRAPH, 200),
        kind("invalid", "/v1/validate".into(), &xaif.replace("Assignment", "Assinment"), 422),
        kind("no XML", "/v1/boost?mode=adjoint".into(), "rubbish", 422),
        kind("misused", "/v1/diff?mode=sideways".into(), PROGRAM, 400),
        kind("unknown", "/v1/nothing".into(), "", 404),
    ];
    if let Some(Kind { headers, .. }) = all.get_mut(0) {
        headers.push(("Accept-Encoding", "gzip"));
    }
    all
}

/// Memory of a process and of those that it has started, in bytes.
fn memory(server: &Server) -> f64 {
    server.metric("overbar_resident_bytes") + server.metric("overbar_workers_idle_bytes")
}

fn load(requests: usize, clients: usize) {
    let server =
        Server::start(&["--queue", "64", "--queue-time", "600", "--client-time", "300", "--wall-time", "300", "--cpu-time", "120"]);
    let kinds = kinds();
    let next = AtomicUsize::new(0);
    let run = |total: usize| -> Vec<(usize, Duration)> {
        next.store(0, Ordering::SeqCst);
        std::thread::scope(|scope| {
            let work = || {
                let mut client = Client::connect(server.address);
                let mut times = Vec::new();
                loop {
                    let k = next.fetch_add(1, Ordering::SeqCst);
                    if k >= total {
                        return times;
                    }
                    let at = k % kinds.len();
                    let kind = &kinds[at];
                    let begun = Instant::now();
                    let answer = client.request("POST", &kind.path, &kind.headers, &kind.body);
                    assert_eq!(answer.status, kind.status, "{}: {}", kind.name, answer.text());
                    times.push((at, begun.elapsed()));
                }
            };
            let all: Vec<_> = (0..clients).map(|_| scope.spawn(work)).collect();
            all.into_iter().flat_map(|t| t.join().unwrap()).collect()
        })
    };
    // Warm: every worker has compiled its schemas.
    run(requests / 5);
    let before = memory(&server);
    let begun = Instant::now();
    let times = run(requests);
    let seconds = begun.elapsed().as_secs_f64();
    let after = memory(&server);
    let quantile = |list: &mut Vec<Duration>, q: f64| {
        list.sort_unstable();
        list[((list.len() - 1) as f64 * q) as usize].as_secs_f64() * 1e3
    };
    println!("{requests} requests by {clients} clients in {seconds:.1} s: {:.0} a second", requests as f64 / seconds);
    for (k, kind) in kinds.iter().enumerate() {
        let mut list: Vec<Duration> = times.iter().filter(|(at, _)| *at == k).map(|(_, t)| *t).collect();
        println!(
            "  {:14} median {:8.2} ms, 99 % {:8.2} ms, n = {}",
            kind.name,
            quantile(&mut list, 0.5),
            quantile(&mut list, 0.99),
            list.len()
        );
    }
    println!("memory of the service and its workers: {:.1} MB before, {:.1} MB after", before / 1e6, after / 1e6);
    assert!(after < before * 1.25 + 30e6, "memory grows from {before} to {after}");
    assert_eq!(server.metric("overbar_workers_stopped_total"), 0.0);
    assert_eq!((server.metric("overbar_running"), server.metric("overbar_held_bytes")), (0.0, 0.0));
    server.is_well();
}

#[test]
fn some_hundreds_of_requests() {
    load(400, 16);
}

/// `cargo test --release --test serve -- --ignored --nocapture load`
#[test]
#[ignore = "takes minutes: cargo test --release --test serve -- --ignored --nocapture load"]
fn ten_thousand_requests() {
    load(10_000, 32);
}
