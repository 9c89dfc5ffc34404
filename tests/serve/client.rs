//! A service of one's own and a client that does exactly what it is told, also what no client should do.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A graph for `eliminate`.
pub const GRAPH: &str = r#"{"vertices":[{"id":0},{"id":1},{"id":2},{"id":3},{"id":4}],"edges":[{"src":0,"dst":1,"kind":"variable"},{"src":1,"dst":2,"kind":"variable"},{"src":1,"dst":3,"kind":"variable"},{"src":2,"dst":4,"kind":"variable"},{"src":3,"dst":4,"kind":"variable"}],"inputs":[0],"outputs":[4]}"#;

/// A running service; it ends with its owner.
pub struct Server {
    pub child: Child,
    pub address: SocketAddr,
}

impl Server {
    /// On any free port.
    pub fn start(options: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_overbar"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a first line");
        let address = line.trim().rsplit_once("http://").unwrap_or_else(|| panic!("{line:?}")).1.parse().expect("an address");
        Server { child, address }
    }

    pub fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.connect().request("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.connect().request("POST", path, headers, body)
    }

    /// Whether it does its work.
    pub fn is_well(&self) {
        let answer = self.post("/v1/eliminate", &[("Accept", "text/plain")], GRAPH.as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(self.get("/healthz").status, 200);
    }

    /// A number of /metrics.
    pub fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").text();
        let line =
            text.lines().find(|l| l.strip_prefix(name).is_some_and(|r| r.starts_with(' '))).unwrap_or_else(|| panic!("{name}\n{text}"));
        line.rsplit_once(' ').unwrap().1.parse().unwrap()
    }

    /// Waits until something holds.
    pub fn until(&self, what: &str, holds: impl Fn(&Server) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{what} does not come about");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection.
pub struct Client {
    pub stream: TcpStream,
    rest: Vec<u8>,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    /// The codes that the answer names.
    pub fn codes(&self) -> &str {
        self.header("x-overbar-codes")
    }
}

impl Client {
    pub fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).expect("the service listens");
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, rest: Vec::new() }
    }

    /// Sends a request and reads its answer.
    pub fn request(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.send(method, path, headers, body);
        self.answer().unwrap_or_else(|| panic!("{method} {path}: the connection was closed"))
    }

    pub fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += "\r\n";
        // A service that has heard enough closes its end: its answer says why.
        let _ = self.stream.write_all(head.as_bytes()).and_then(|()| self.stream.write_all(body));
    }

    fn more(&mut self) -> Option<usize> {
        let mut buffer = [0; 1 << 16];
        match self.stream.read(&mut buffer) {
            Ok(n) if n > 0 => {
                self.rest.extend_from_slice(&buffer[..n]);
                Some(n)
            }
            _ => None,
        }
    }

    fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.rest.windows(2).position(|w| w == b"\r\n") {
                let line = String::from_utf8_lossy(&self.rest[..end]).into_owned();
                self.rest.drain(..end + 2);
                return Some(line);
            }
            self.more()?;
        }
    }

    fn exactly(&mut self, n: usize) -> Option<Vec<u8>> {
        while self.rest.len() < n {
            self.more()?;
        }
        Some(self.rest.drain(..n).collect())
    }

    /// Reads an answer; `None`: the connection was closed.
    pub fn answer(&mut self) -> Option<Answer> {
        let first = self.line()?;
        let status: u16 = first.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or_else(|| panic!("{first:?}"));
        let mut headers = BTreeMap::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            let value = value.trim().to_owned();
            headers.entry(name.to_ascii_lowercase()).and_modify(|v: &mut String| *v += &format!(", {value}")).or_insert(value);
        }
        if status == 100 {
            return self.answer();
        }
        let mut body = Vec::new();
        if headers.get("transfer-encoding").is_some_and(|t| t == "chunked") {
            loop {
                let size = usize::from_str_radix(self.line()?.trim(), 16).expect("a size");
                body.extend(self.exactly(size)?);
                self.line()?;
                if size == 0 {
                    break;
                }
            }
        } else if let Some(n) = headers.get("content-length") {
            body = self.exactly(n.parse().expect("a length"))?;
        }
        Some(Answer { status, headers, body })
    }
}

/// Percent-encodes a value of a query.
pub fn encoded(text: &str) -> String {
    text.bytes().map(|b| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// A path with a query.
pub fn path(command: &str, options: &[(&str, &str)]) -> String {
    let query: Vec<String> = options.iter().map(|(k, v)| format!("{}={}", encoded(k), encoded(v))).collect();
    format!("/v1/{command}?{}", query.join("&"))
}
