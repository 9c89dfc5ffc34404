//! Connections: many of one client, half requests, closed sides, answers before the body is read.

use super::client::{Client, Server, path};
use super::limits::{LONG, large_graph};
use super::{GRAPH, PROGRAM};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

#[test]
fn half_sent_heads_delay_nobody() {
    let server = Server::start(&["--workers", "1"]);
    let half: Vec<Client> = (0..600)
        .map(|_| {
            let mut client = server.connect();
            let _ = client.stream.write_all(b"POST /v1/boost HTTP/1.1\r\nHost: t\r\nX-Half: ");
            client
        })
        .collect();
    let begun = Instant::now();
    server.is_well();
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    drop(half);
    server.is_well();
}

#[test]
fn heads_have_a_time_of_their_own() {
    let server = Server::start(&["--workers", "1", "--head-time", "0.5"]);
    let mut client = server.connect();
    client.stream.write_all(b"GET /healthz HTTP/1.1\r\n").unwrap();
    // However often something comes.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) && client.stream.write_all(b"X-Slow: 1\r\n").is_ok() {
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    server.is_well();
}

#[test]
fn connections_of_one_client_have_an_end() {
    let server = Server::start(&["--workers", "1", "--client-connections", "4", "--cpu-time", "1000", "--wall-time", "1000"]);
    let graph = large_graph();
    let begin = || {
        let mut client = server.connect();
        client.send("POST", LONG, &[], graph.as_bytes());
        client
    };
    let mut held = vec![begin()];
    server.until("a request that runs", |s| s.metric("overbar_running") == 1.0);
    // More requests than there are places: one that comes before the place of an answered question is free again is refused.
    let answer = (0..1000)
        .find_map(|attempt| {
            if attempt % 10 == 0 {
                held.push(begin());
            }
            std::thread::sleep(Duration::from_millis(20));
            Some(server.get("/healthz")).filter(|a| a.status == 429)
        })
        .expect("an answer");
    assert_eq!((answer.codes(), answer.header("x-overbar-error"), answer.header("connection")), ("OB0165", "connections", "close"));
    assert!(answer.text().contains("--client-connections"), "{}", answer.text());
    drop(held);
    server.until("room again", |s| s.get("/healthz").status == 200);
}

#[test]
fn who_has_closed_only_its_own_side_is_answered() {
    let server = Server::start(&["--workers", "1"]);
    let query = path("diff", &[("mode", "adjoint"), ("name", "f.c"), ("head", "f")]);
    let plain = server.post(&query, &[], PROGRAM.as_bytes());
    // A short request, and one that takes a while, so that the side is closed long before there is an answer.
    for (query, body, headers) in [
        (query.as_str(), PROGRAM.to_owned(), &[][..]),
        (query.as_str(), PROGRAM.to_owned(), &[("Expect", "100-continue")][..]),
        ("/v1/eliminate?search=2", large_graph(), &[][..]),
    ] {
        let mut client = server.connect();
        client.send("POST", query, headers, body.as_bytes());
        client.stream.shutdown(Shutdown::Write).unwrap();
        let answer = client.answer().expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
        if query.starts_with("/v1/diff") {
            assert_eq!(answer.body, plain.body);
        }
        let mut rest = Vec::new();
        client.stream.read_to_end(&mut rest).unwrap();
        assert!(rest.is_empty());
    }
    // Several requests at once, too.
    let mut client = server.connect();
    for _ in 0..3 {
        client.send("POST", "/v1/eliminate", &[("Accept", "text/plain")], GRAPH.as_bytes());
    }
    client.stream.shutdown(Shutdown::Write).unwrap();
    for _ in 0..3 {
        assert_eq!(client.answer().expect("an answer").status, 200);
    }
    assert!(client.answer().is_none());
}

#[test]
fn answers_before_the_body_is_read_arrive() {
    let server = Server::start(&["--workers", "1", "--body-bytes", "1M"]);
    let large = vec![b'x'; 8 << 20];
    for (query, status) in [("/v1/nothing", 404), ("/healthz", 405), ("/v1/boost?mode=adjoint", 413)] {
        let mut client = server.connect();
        let answer = client.request("POST", query, &[], &large);
        assert_eq!((answer.status, answer.header("connection")), (status, "close"), "{query}");
        assert!(client.answer().is_none(), "{query}");
        // In pieces without a length.
        let mut client = server.connect();
        client.stream.write_all(format!("POST {query} HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n").as_bytes()).unwrap();
        for _ in 0..80 {
            let _ = client.stream.write_all(format!("19000\r\n{}\r\n", "x".repeat(0x19000)).as_bytes());
        }
        let _ = client.stream.write_all(b"0\r\n\r\n");
        let answer = client.answer().expect("an answer");
        assert_eq!((answer.status, answer.header("connection")), (status, "close"), "{query} in pieces");
    }
    // After a small one the connection goes on.
    let mut client = server.connect();
    let answer = client.request("POST", "/v1/nothing", &[], b"a small body");
    assert_eq!((answer.status, answer.header("connection")), (404, ""));
    assert_eq!(client.request("GET", "/healthz", &[], b"").status, 200);
}

#[test]
fn names_of_any_length_are_not_repeated() {
    let server = Server::start(&["--workers", "1"]);
    let name = "n".repeat(5 << 20);
    let root = format!("<{name}/>");
    let inner = format!("<x:CallGraph xmlns:x=\"http://www.mcs.anl.gov/XAIF\" program_name=\"p\" prefix=\"ob_\"><x:{name}/></x:CallGraph>");
    let unbound = format!("<{name}:a/>");
    for accept in ["application/json", "application/xml", "application/sarif+json", "application/x-ndjson", "text/plain", "multipart/mixed"]
    {
        for text in [&root, &inner, &unbound] {
            for command in ["validate", "boost?mode=adjoint"] {
                let answer = server.post(&format!("/v1/{command}"), &[("Accept", accept)], text.as_bytes());
                assert!(answer.status == 422 && answer.body.len() < 20_000, "{accept} {command}: {} {}", answer.status, answer.body.len());
            }
        }
    }
    let c = format!("double f(double x) {{ return {}(x) + {name}; }}\n", &name[1..]);
    let fortran = format!("subroutine g(x)\nreal(8) :: x\nx = r{name}(x)\nend subroutine\n");
    for (file, head, text) in [("f.c", "f", &c), ("g.f90", "g", &fortran)] {
        let answer = server.post(&path("diff", &[("mode", "adjoint"), ("name", file), ("head", head)]), &[], text.as_bytes());
        assert!(answer.status == 422 && answer.body.len() < 20_000, "{file}: {} {}", answer.status, answer.body.len());
    }
    server.is_well();
}

#[test]
fn odd_requests_are_answered_or_closed() {
    let server = Server::start(&["--workers", "1", "--client-time", "5", "--head-time", "1"]);
    let headers = |n: usize| (0..n).map(|k| format!("X-{k}: y\r\n")).collect::<String>();
    let part = "--sep\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.c\"\r\n\r\nint x;";
    let multipart = |body: &str| {
        format!(
            "POST /v1/diff?mode=adjoint HTTP/1.1\r\nHost: t\r\nContent-Type: multipart/form-data; boundary=sep\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let chunked = |body: &str| format!("POST /v1/validate HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
    let requests: Vec<Vec<u8>> = vec![
        b"GET /healthz HTTP/1.0\r\n\r\n".to_vec(),
        b"GET /healthz\r\n\r\n".to_vec(),
        format!("GET /healthz HTTP/1.1\r\nHost: t\r\n{}\r\n", headers(99)).into_bytes(),
        format!("GET /healthz HTTP/1.1\r\nHost: t\r\n{}\r\n", headers(20_000)).into_bytes(),
        format!("GET /healthz HTTP/1.1\r\nX: {}\r\n\r\n", "y".repeat(1 << 20)).into_bytes(),
        chunked("zz\r\n").into_bytes(),
        chunked("ffffffffffffffffff\r\nx\r\n").into_bytes(),
        chunked("1\r\nxy\r\n0\r\n\r\n").into_bytes(),
        chunked(&format!("1;{}\r\nx\r\n0\r\n\r\n", "e".repeat(1 << 20))).into_bytes(),
        chunked(&format!("0\r\n{}\r\n", headers(20_000))).into_bytes(),
        b"POST /v1/validate HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".to_vec(),
        b"POST /v1/validate HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde".to_vec(),
        b"POST /v1/validate HTTP/1.1\r\nHost: t\r\nContent-Length: 18446744073709551616\r\n\r\n".to_vec(),
        b"POST /v1/diff?mode=adjoint&name=%ff%fe.c HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\n\r\nx".to_vec(),
        b"POST /v1/diff?%00=%0a&mode=adjoint&head=\xff HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\n\r\nx".to_vec(),
        multipart(part).into_bytes(),
        multipart(&part.repeat(3)).into_bytes(),
        multipart("--sep").into_bytes(),
        multipart("").into_bytes(),
        multipart(&format!("{part}\r\n").repeat(2000)).into_bytes(),
        multipart(&format!("--sep\r\n{}\r\nx\r\n--sep--\r\n", headers(5000))).into_bytes(),
    ];
    for request in &requests {
        let mut client = server.connect();
        let _ = client.stream.write_all(request);
        let begun = Instant::now();
        let mut all = Vec::new();
        client.stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = client.stream.shutdown(Shutdown::Write);
        let _ = client.stream.read_to_end(&mut all);
        let shown = String::from_utf8_lossy(&request[..request.len().min(200)]).into_owned();
        assert!(begun.elapsed() < Duration::from_secs(15), "{shown}");
        assert!(all.is_empty() || all.starts_with(b"HTTP/1."), "{shown}\n{}", String::from_utf8_lossy(&all));
        assert!(!all.starts_with(b"HTTP/1.1 5") && !all.starts_with(b"HTTP/1.0 5"), "{shown}\n{}", String::from_utf8_lossy(&all));
    }
    server.is_well();
    assert_eq!(server.metric("overbar_workers_stopped_total"), 0.0);
}
