//! The service: requests a second, median and 99th percentile, for the booster on documents of growing size, by one client and by several.
//! `cargo bench --bench serve`. Documents of a corpus beside the project are taken where they are there (`xaif/corpus`); others are generated.

#[allow(dead_code)] // what tests need besides
#[path = "../tests/serve/client.rs"]
mod client;

use client::{Client, Server};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const CLIENTS: usize = 8;
/// How long each measurement takes; next to nothing where this is run as a test.
const SECONDS: [f64; 2] = [0.1, 2.0];

/// Documents are sent to it.
const ADJOINT: &str = "/v1/boost?mode=adjoint";

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

fn corpus() -> Vec<Vec<u8>> {
    let folder =
        std::env::var_os("OVERBAR_SHARED").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let entries = std::fs::read_dir(folder.join("xaif/corpus")).into_iter().flatten().flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "xaif")).collect();
    files.sort();
    files.into_iter().filter_map(|p| std::fs::read(&p).ok()).collect()
}

/// Asks for everything in turn, for a while.
fn measure(address: SocketAddr, what: &str, clients: usize, documents: &[Vec<u8>]) {
    let enough = SECONDS[usize::from(std::env::args().any(|a| a == "--bench"))];
    let begun = Instant::now();
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..clients)
            .map(|c| {
                scope.spawn(move || {
                    let mut client = Client::connect(address);
                    let mut times = Vec::new();
                    for k in c.. {
                        if begun.elapsed().as_secs_f64() > enough && times.len() > 3 {
                            break;
                        }
                        let since = Instant::now();
                        assert_eq!(client.request("POST", ADJOINT, &[], &documents[k % documents.len()]).status, 200);
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
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = server.connect();
    let good: Vec<Vec<u8>> = corpus().into_iter().filter(|text| client.request("POST", ADJOINT, &[], text).status == 200).collect();
    println!("{} documents of the corpus have an adjoint", good.len());
    for clients in [1, CLIENTS] {
        if !good.is_empty() {
            measure(server.address, "corpus", clients, &good);
        }
        for loops in [1, 10, 100] {
            measure(server.address, &format!("generated, {loops} loops"), clients, &[generated(folder.path(), loops)]);
        }
    }
}
