//! The service: requests a second, median and 99th percentile, for the booster on documents of growing size, by one client and by several.
//! `cargo bench --bench serve`. Documents of a corpus beside the project are taken where they are there (`xaif/corpus`); others are generated.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const CLIENTS: usize = 8;
/// How long each measurement takes; next to nothing where this is run as a test.
const SECONDS: [f64; 2] = [0.1, 2.0];

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A request and its answer over a connection that is kept; the length of the answer.
fn ask(stream: &mut BufReader<TcpStream>, path: &str, body: &[u8]) -> (u16, usize) {
    let head = format!("POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.get_mut().write_all(head.as_bytes()).expect("a connection");
    stream.get_mut().write_all(body).expect("a connection");
    let (mut status, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).expect("an answer");
        let lower = line.to_ascii_lowercase();
        if let Some(code) = lower.strip_prefix("http/1.1 ") {
            status = code[..3].parse().expect("a status");
        } else if let Some(n) = lower.strip_prefix("content-length:") {
            length = n.trim().parse().expect("a length");
        } else if line == "\r\n" {
            break;
        }
    }
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer).expect("a body");
    (status, length)
}

fn generated(folder: &Path, loops: usize) -> Vec<u8> {
    let mut text = String::from(
        "subroutine f(n, x, y)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\nreal(8), intent(out) :: y\nreal(8) :: t\ninteger :: i\ny = 0\nt = 1\n",
    );
    for s in 0..loops {
        text.push_str(&format!("do i = 1, n\nt = t*x(i) + sin(x(i) + {s})\ny = y + exp(-t*x(i))*{s}.5d0\nend do\n"));
    }
    std::fs::write(folder.join("f.f90"), text + "end subroutine\n").expect("a file");
    let arguments = ["frontend", "fortran", "f.f90", "--head", "f(y)/(x)"];
    Command::new(env!("CARGO_BIN_EXE_overbar")).args(arguments).current_dir(folder).output().expect("the binary runs").stdout
}

fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder =
        std::env::var_os("OVERBAR_SHARED").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let entries = std::fs::read_dir(folder.join("xaif/corpus")).into_iter().flatten().flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "xaif")).collect();
    files.sort();
    files.into_iter().filter_map(|p| Some((p.file_name()?.to_string_lossy().into_owned(), std::fs::read(&p).ok()?))).collect()
}

/// Asks for everything in turn, for a while.
fn measure(address: &str, what: &str, clients: usize, documents: &[Vec<u8>]) {
    let enough = SECONDS[usize::from(std::env::args().any(|a| a == "--bench"))];
    let begun = Instant::now();
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..clients)
            .map(|c| {
                scope.spawn(move || {
                    let mut stream = BufReader::new(TcpStream::connect(address).expect("a connection"));
                    stream.get_ref().set_nodelay(true).expect("a connection");
                    let mut times = Vec::new();
                    for k in c.. {
                        if begun.elapsed().as_secs_f64() > enough && times.len() > 3 {
                            break;
                        }
                        let since = Instant::now();
                        let (status, _) = ask(&mut stream, "/v1/boost?mode=adjoint", &documents[k % documents.len()]);
                        assert_eq!(status, 200);
                        times.push(since.elapsed());
                    }
                    times
                })
            })
            .collect();
        all.into_iter().flat_map(|t| t.join().expect("a client")).collect()
    });
    let seconds = begun.elapsed().as_secs_f64();
    times.sort_unstable();
    let at = |q: f64| times[((times.len() - 1) as f64 * q) as usize].as_secs_f64() * 1e3;
    let bytes: usize = documents.iter().map(Vec::len).sum::<usize>() / documents.len();
    println!(
        "{what:28} {clients:2} clients: {:8.1} requests a second, median {:8.2} ms, 99 % {:8.2} ms ({bytes} bytes on average)",
        times.len() as f64 / seconds,
        at(0.5),
        at(0.99)
    );
}

fn main() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_overbar"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a first line");
    let _server = Server(child);
    let address = line.trim().rsplit_once("http://").expect("an address").1.to_owned();
    let folder = tempfile::tempdir().expect("a folder");
    let mut stream = BufReader::new(TcpStream::connect(&address).expect("a connection"));
    let good: Vec<Vec<u8>> =
        corpus().into_iter().filter(|(_, text)| ask(&mut stream, "/v1/boost?mode=adjoint", text).0 == 200).map(|(_, text)| text).collect();
    println!("{} documents of the corpus have an adjoint", good.len());
    for clients in [1, CLIENTS] {
        if !good.is_empty() {
            measure(&address, "corpus", clients, &good);
        }
        for loops in [1, 10, 100] {
            measure(&address, &format!("generated, {loops} loops"), clients, &[generated(folder.path(), loops)]);
        }
    }
}
