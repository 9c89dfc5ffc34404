//! Clients that are slow, go away, send halves, bombs and rubbish.

use super::client::{Client, Server, path};
use super::limits::{LONG, large_graph};
use super::rng::Rng;
use super::{FORTRAN, GRAPH, PROGRAM};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

#[test]
fn slow_clients_are_given_up() {
    let server = Server::start(&["--workers", "1", "--client-time", "1"]);
    // A head that never ends, nothing at all, and a second request that never comes.
    let mut head = server.connect();
    head.stream.write_all(b"POST /v1/boost HTTP/1.1\r\nHost: t\r\nX: ").unwrap();
    let silent = server.connect();
    let mut second = server.connect();
    assert_eq!(second.request("GET", "/healthz", &[], b"").status, 200);
    // A body by the byte.
    let mut body = server.connect();
    body.stream.write_all(b"POST /v1/boost HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n").unwrap();
    let begun = Instant::now();
    for _ in 0..4 {
        std::thread::sleep(Duration::from_millis(300));
        let _ = body.stream.write_all(b"<");
    }
    let answer = body.answer().unwrap();
    assert_eq!((answer.status, answer.codes()), (408, "OB0161"));
    for mut client in [head, silent, second] {
        let mut rest = Vec::new();
        // Closed, be it with 408 or without a word.
        let _ = client.stream.read_to_end(&mut rest);
        assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&rest));
    }
    assert!(begun.elapsed() < Duration::from_secs(30));
    server.is_well();
}

#[test]
fn a_client_that_takes_no_answer_is_given_up() {
    let server = Server::start(&["--workers", "1", "--client-time", "1", "--connections", "1"]);
    let mut client = server.connect();
    // More than the buffers of a connection hold, asked for at once and never read.
    let ask = "GET /v1/schema/xaif_base.xsd HTTP/1.1\r\nHost: t\r\n\r\n".repeat(2000);
    client.stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
    let _ = client.stream.write_all(ask.as_bytes());
    // It holds the only connection, until it is given up.
    server.is_well();
}

#[test]
fn requests_that_are_cancelled_stop_their_work() {
    let server = Server::start(&["--workers", "2", "--cpu-time", "1000", "--wall-time", "1000"]);
    for round in 1..=5 {
        let mut client = server.connect();
        client.send("POST", LONG, &[], large_graph().as_bytes());
        server.until("work", |s| s.metric("overbar_running") == 1.0);
        drop(client);
        server.until("the end of the work", |s| s.metric("overbar_running") == 0.0);
        assert_eq!(server.metric("overbar_workers_stopped_total"), f64::from(round));
    }
    let text = server.get("/metrics").text();
    assert!(text.contains("status=\"cancelled\"} 5"), "{text}");
    server.is_well();
}

#[test]
fn half_requests_harm_nobody() {
    let server = Server::start(&["--workers", "1", "--client-time", "5"]);
    let whole = format!(
        "POST {} HTTP/1.1\r\nHost: t\r\nContent-Length: {}\r\n\r\n{PROGRAM}",
        path("diff", &[("mode", "adjoint"), ("name", "f.c"), ("head", "f")]),
        PROGRAM.len()
    );
    let mut numbers = Rng::new(7);
    for _ in 0..100 {
        let cut = numbers.below(whole.len());
        let mut client = server.connect();
        let _ = client.stream.write_all(&whole.as_bytes()[..cut]);
        let _ = client.stream.shutdown(std::net::Shutdown::Write);
        if let Some(answer) = client.answer() {
            assert!((400..500).contains(&answer.status), "{}", answer.text());
        }
    }
    // What is no HTTP at all.
    for rubbish in [
        &b"\0\0\0\0"[..],
        b"GET\r\n\r\n",
        b"POST /v1/boost HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02",
        b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    ] {
        let mut client = server.connect();
        let _ = client.stream.write_all(rubbish);
        let _ = client.stream.shutdown(std::net::Shutdown::Write);
        let mut rest = Vec::new();
        let _ = client.stream.read_to_end(&mut rest);
        assert!(
            rest.is_empty() || rest.starts_with(b"HTTP/1.1 4") || rest.starts_with(b"HTTP/1.0 4"),
            "{}",
            String::from_utf8_lossy(&rest)
        );
    }
    let long = format!("GET /{} HTTP/1.1\r\nHost: t\r\n\r\n", "a".repeat(200_000));
    let mut client = server.connect();
    let _ = client.stream.write_all(long.as_bytes());
    assert!(client.answer().is_none_or(|a| (400..500).contains(&a.status)));
    server.is_well();
}

#[test]
fn entities_are_not_expanded() {
    let server = Server::start(&["--workers", "1"]);
    let mut bomb = String::from("<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY a0 \"lol\">");
    for k in 1..10 {
        bomb += &format!("<!ENTITY a{k} \"{}\">", format!("&a{};", k - 1).repeat(10));
    }
    bomb += "]><lolz>&a9;</lolz>";
    let file = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>";
    for text in [bomb.as_str(), file] {
        for command in ["boost?mode=adjoint", "validate", "backend?language=c", "verify", "plot?what=cfg"] {
            let answer = server.post(&format!("/v1/{command}"), &[], text.as_bytes());
            assert!(
                answer.status == 422 && answer.codes().starts_with("OB1") && !answer.text().contains("root:"),
                "{command}: {}",
                answer.text()
            );
        }
    }
    server.is_well();
}

#[test]
fn a_thousand_malformed_bodies_are_answered() {
    let server = Server::start(&["--workers", "2", "--cpu-time", "20"]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.c"), PROGRAM).unwrap();
    let xaif = super::common::overbar_ok(folder.path(), &["frontend", "c", "f.c", "--no-preprocessor", "--head", "f(f)/(x)"]);
    let seeds: [(&str, String); 7] = [
        ("/v1/boost?mode=adjoint", xaif.clone()),
        ("/v1/validate", xaif.clone()),
        ("/v1/backend?language=c", xaif),
        ("/v1/diff?mode=adjoint&name=f.c&head=f", PROGRAM.into()),
        ("/v1/diff?mode=tangent&name=g.f90&head=g", FORTRAN.into()),
        ("/v1/eliminate", GRAPH.into()),
        (
            "/v1/diff?mode=adjoint",
            format!("--sep\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.c\"\r\n\r\n{PROGRAM}\r\n--sep--\r\n"),
        ),
    ];
    let mut numbers = Rng::new(20_011);
    let mut counts = std::collections::BTreeMap::new();
    let mut client = server.connect();
    for k in 0..1000 {
        let (query, text) = &seeds[k % seeds.len()];
        let mut bytes = text.clone().into_bytes();
        for _ in 0..1 + numbers.below(3) {
            let at = numbers.below(bytes.len());
            match numbers.below(6) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, numbers.below(256) as u8),
                2 if !bytes.is_empty() => drop(bytes.remove(at)),
                3 if !bytes.is_empty() => bytes[at] = numbers.below(256) as u8,
                4 => {
                    let other = numbers.below(bytes.len());
                    let piece = bytes[at.min(other)..at.max(other)].to_vec();
                    bytes.splice(at..at, piece.into_iter().take(300));
                }
                _ => bytes.splice(at..at, *b"<a b='&c;'>((((((").for_each(drop),
            }
        }
        let kind = if k % seeds.len() == 6 { "multipart/form-data; boundary=sep" } else { "application/octet-stream" };
        client.send("POST", query, &[("Content-Type", kind)], &bytes);
        let answer = client.answer().unwrap_or_else(|| panic!("{k}: no answer to {query}\n{}", String::from_utf8_lossy(&bytes)));
        assert!(
            [200, 400, 413, 422].contains(&answer.status),
            "{k}: {} {}\n{}",
            answer.status,
            answer.text(),
            String::from_utf8_lossy(&bytes)
        );
        assert!(answer.status == 200 || answer.codes().starts_with("OB"), "{k}: {}", answer.text());
        *counts.entry(answer.status).or_insert(0) += 1;
        if answer.header("connection") == "close" {
            client = Client::connect(server.address);
        }
    }
    println!("answers by status: {counts:?}");
    assert!(counts[&422] + counts[&400] > 500);
    server.is_well();
    assert_eq!(server.metric("overbar_workers_stopped_total"), 0.0);
}
