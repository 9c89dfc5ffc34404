//! Every limit, with its status, its code and its name; and the service does its work afterwards.

use super::client::{Server, path};
use super::{GRAPH, PROGRAM};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::time::{Duration, Instant};

/// A graph that is too large to be solved, so that a search takes all the time that it gets.
pub fn large_graph() -> String {
    let n = 60;
    let vertices: Vec<String> = (0..n).map(|k| format!("{{\"id\":{k}}}")).collect();
    let mut edges = Vec::new();
    for k in 0..n {
        for step in [1, 2, 5, 9, 14] {
            if k + step < n {
                edges.push(format!("{{\"src\":{k},\"dst\":{},\"kind\":\"variable\"}}", k + step));
            }
        }
    }
    let (vertices, edges, last) = (vertices.join(","), edges.join(","), n - 1);
    format!("{{\"vertices\":[{vertices}],\"edges\":[{edges}],\"inputs\":[0],\"outputs\":[{last}]}}")
}

/// A request that takes as long as it may.
pub const LONG: &str = "/v1/eliminate?search=1000";

#[track_caller]
fn expect(answer: &super::client::Answer, status: u16, code: &str, name: &str) {
    assert_eq!((answer.status, answer.codes(), answer.header("x-overbar-error")), (status, code, name), "{}", answer.text());
    assert!(answer.text().contains(code), "{}", answer.text());
}

#[test]
fn bodies() {
    let server = Server::start(&["--workers", "1", "--body-bytes", "100K"]);
    expect(&server.post("/v1/validate", &[], &vec![b' '; 102_401]), 413, "OB0160", "body");
    // Without a length, in pieces.
    let mut client = server.connect();
    client.stream.write_all(b"POST /v1/validate HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n").unwrap();
    for _ in 0..30 {
        let _ = client.stream.write_all(format!("2000\r\n{}\r\n", " ".repeat(0x2000)).as_bytes());
    }
    let _ = client.stream.write_all(b"0\r\n\r\n");
    expect(&client.answer().unwrap(), 413, "OB0160", "body");
    // 64 MB of zeros in 64 kB.
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..64 {
        packer.write_all(&vec![0; 1 << 20]).unwrap();
    }
    let bomb = packer.finish().unwrap();
    assert!(bomb.len() < 102_400);
    expect(&server.post("/v1/validate", &[("Content-Encoding", "gzip")], &bomb), 413, "OB0160", "body");
    assert_eq!(server.post("/v1/validate", &[], &vec![b' '; 102_400]).status, 422);
    server.is_well();
}

#[test]
fn depth_and_number_of_elements() {
    let server = Server::start(&["--workers", "1", "--xml-depth", "20", "--xml-nodes", "500"]);
    let root = |inner: &str| {
        format!("<x:CallGraph xmlns:x=\"http://www.mcs.anl.gov/XAIF\" program_name=\"p\" prefix=\"ob_\">{inner}</x:CallGraph>")
    };
    let nested = root(&("<a>".repeat(30) + &"</a>".repeat(30)));
    let many = root(&"<b/>".repeat(600));
    for command in ["boost?mode=adjoint", "validate", "backend?language=c", "verify"] {
        for text in [&nested, &many] {
            let answer = server.post(&format!("/v1/{command}"), &[], text.as_bytes());
            assert!(answer.status == 422 && answer.codes().contains("OB1003"), "{command}: {} {}", answer.status, answer.text());
            assert_eq!(answer.header("x-overbar-error"), "document");
        }
    }
    server.is_well();
}

#[test]
fn time() {
    let server = Server::start(&["--workers", "1", "--cpu-time", "2", "--wall-time", "600"]);
    let begun = Instant::now();
    expect(&server.post(LONG, &[], large_graph().as_bytes()), 408, "OB0162", "time");
    assert!(begun.elapsed() < Duration::from_secs(90));
    server.is_well();
    let server = Server::start(&["--workers", "1", "--wall-time", "5"]);
    let answer = server.post(LONG, &[("Accept", "application/xml")], large_graph().as_bytes());
    expect(&answer, 408, "OB0162", "time");
    server.is_well();
    assert_eq!(server.metric("overbar_workers_stopped_total"), 1.0);
}

#[test]
fn memory() {
    let server = Server::start(&["--workers", "1", "--memory", "150M"]);
    let text = "#include <stdlib.h>\ndouble f(double x, int n) {\n    double *a = malloc(n * sizeof(double));\n    for (int i = 0; i < n; i++) a[i] = x * i;\n    double s = a[n - 1];\n    free(a);\n    return s;\n}\n";
    let values = "{\"args\":{\"x\":1.5,\"n\":40000000}}";
    let part =
        |name: &str, text: &str| format!("--sep\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{text}\r\n");
    let body = part("f.c", text) + &part("v.json", values) + "--sep--\r\n";
    let query = path("eval", &[("input", "v.json"), ("unit", "f"), ("steps", "1000000000")]);
    let answer = server.post(&query, &[("Content-Type", "multipart/form-data; boundary=sep")], body.as_bytes());
    expect(&answer, 422, "OB0163", "memory");
    server.is_well();
}

#[test]
fn answers() {
    let server = Server::start(&["--workers", "1", "--answer-bytes", "1K"]);
    let query = path("diff", &[("mode", "adjoint"), ("head", "f"), ("name", "f.c")]);
    expect(&server.post(&query, &[], PROGRAM.as_bytes()), 422, "OB0164", "answer");
    server.is_well();
}

#[test]
fn requests_at_once_and_the_queue() {
    let server = Server::start(&[
        "--workers",
        "1",
        "--queue",
        "1",
        "--per-client",
        "3",
        "--queue-time",
        "1",
        "--wall-time",
        "100",
        "--cpu-time",
        "100",
    ]);
    let graph = large_graph();
    let begin = || {
        let mut client = server.connect();
        client.send("POST", LONG, &[], graph.as_bytes());
        client
    };
    let running = begin();
    server.until("a request that runs", |s| s.metric("overbar_running") == 1.0);
    let mut waiting = begin();
    server.until("a request that waits", |s| s.metric("overbar_waiting") == 1.0);
    let answer = server.post("/v1/eliminate", &[], GRAPH.as_bytes());
    expect(&answer, 503, "OB0166", "busy");
    assert_eq!(answer.header("retry-after"), "1");
    assert_eq!(server.get("/readyz").status, 503);
    // Nobody waits for ever.
    expect(&waiting.answer().unwrap(), 503, "OB0166", "busy");
    // Three at once are enough for one client; what is no work is always answered.
    let mut idle = Vec::new();
    for _ in 0..2 {
        let mut client = server.connect();
        client.stream.write_all(b"POST /v1/validate HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\n12345").unwrap();
        idle.push(client);
    }
    server.until("three requests", |s| s.metric("overbar_held_bytes") == (graph.len() + 10) as f64);
    let answer = server.post("/v1/eliminate", &[], GRAPH.as_bytes());
    expect(&answer, 429, "OB0165", "client");
    assert_eq!(server.get("/healthz").status, 200);
    drop(idle);
    drop(running);
    server.until("room again", |s| s.post("/v1/eliminate", &[], GRAPH.as_bytes()).status == 200);
}

#[test]
fn bodies_of_all_requests_together() {
    let server = Server::start(&["--workers", "1", "--held-bytes", "100K"]);
    let mut client = server.connect();
    let _ = client.stream.write_all(b"POST /v1/validate HTTP/1.1\r\nHost: t\r\nContent-Length: 90000\r\n\r\n");
    let _ = client.stream.write_all(&[b' '; 80_000]);
    server.until("bytes that are held", |s| s.metric("overbar_held_bytes") >= 80_000.0);
    expect(&server.post("/v1/validate", &[], &[b' '; 60_000]), 503, "OB0166", "busy");
    drop(client);
    server.until("bytes given back", |s| s.metric("overbar_held_bytes") == 0.0);
    server.is_well();
}

#[test]
fn what_cannot_begin_says_so() {
    let server = Server::start(&["--workers", "1"]);
    let listen = server.address.to_string();
    let output = super::common::overbar(&super::common::root(), &["serve", "--listen", &listen]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && errors.contains("OB0173"), "{errors}");
    for bad in [&["--listen", "nowhere"][..], &["--body-bytes", "0"], &["--workers", "0"], &["--cpu-time", "-1"]] {
        let output = super::common::overbar(&super::common::root(), &[&["serve"], bad].concat());
        assert_eq!(output.status.code(), Some(2), "{bad:?}");
    }
}
