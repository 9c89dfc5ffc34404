//! The options of `overbar serve`: where it listens, and the limits.
//!
//! Lives here: names, defaults and their forms. Never here: what enforces them.

use clap::Args;
use std::net::SocketAddr;
use std::time::Duration;
use xaif::read::Limits;

/// Options of `overbar serve`.
#[derive(Clone, Debug, Args)]
pub struct Serve {
    /// Where to listen. Port 0 takes any that is free; the first line on standard output says which.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8417")]
    pub listen: SocketAddr,
    /// Take requests from standard input instead: a JSON object on each line, answered by one on standard output. What has an `id` is answered as soon as it
    /// is done, all else in order.
    #[arg(long)]
    pub stdio: bool,
    /// Do the requests of standard input one by one in this process, with its limits: what each worker of the service is. With the number of the
    /// process that has started it.
    #[arg(long, hide = true, conflicts_with = "stdio")]
    pub worker: Option<u32>,
    /// How many requests are worked on at once, each in a process; all processors if left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,
    /// How many requests may wait for a worker; more are answered with 503.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub queue: usize,
    /// How long one may wait for a worker, in seconds; then it is answered with 503.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub queue_time: Duration,
    /// How many requests of one address may be there at once; more are answered with 429. 0: as many as they like.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub per_client: usize,
    /// How many connections there may be; more wait to be accepted, unless there is one on which nobody waits for an answer, which is closed.
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = connections)]
    pub connections: usize,
    /// How many of them one address may have; the oldest on which it waits for no answer is closed for a new one, and where there is none that is answered with 429. 0: as many as there are.
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub client_connections: usize,
    /// Size of a request's body, before and after decompression (K, M and G may follow the number); a larger one is answered with 413.
    #[arg(long, value_name = "BYTES", default_value = "64M", value_parser = bytes)]
    pub body_bytes: usize,
    /// Size of all bodies that are held at once; beyond it requests are answered with 503.
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    pub held_bytes: usize,
    /// Size of an answer; a larger one is answered with 422.
    #[arg(long, value_name = "BYTES", default_value = "512M", value_parser = bytes)]
    pub answer_bytes: usize,
    /// Depth of nested elements of a document; a deeper one is answered with 422. Never more than 400.
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub xml_depth: usize,
    /// Number of elements of a document; a larger one is answered with 422.
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub xml_nodes: usize,
    /// Processor time of a request in seconds, of all its threads together; then it is stopped and answered with 408.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub cpu_time: Duration,
    /// Time of a request in seconds, from the moment a worker has it; then it is stopped and answered with 408.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub wall_time: Duration,
    /// Memory of a request; one that needs more is stopped and answered with 422.
    #[arg(long, value_name = "BYTES", default_value = "2G", value_parser = bytes)]
    pub memory: usize,
    /// How long a client may take to send a request, and to take an answer, in seconds: 408, or the connection is closed.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub client_time: Duration,
    /// How long a client may take to send the head of a request, the next one on its connection included, in seconds (never longer than --client-time).
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub head_time: Duration,
    /// How long requests may go on when the service is told to end (SIGTERM, ctrl-c), in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub grace: Duration,
    /// Let requests use the C preprocessor: whoever may send them can then read any file that the service can read.
    #[arg(long)]
    pub preprocessor: bool,
}

impl Serve {
    /// How many requests are worked on at once.
    pub fn workers(&self) -> usize {
        self.workers.map_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()), usize::from)
    }

    /// What a document may cost.
    pub fn limits(&self) -> Limits {
        Limits { bytes: self.body_bytes, depth: self.xml_depth, elements: self.xml_nodes, ..Limits::default() }
    }
}

/// `500`, `64K`, `16M`, `2G`.
fn bytes(text: &str) -> Result<usize, String> {
    let (digits, factor) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'm' | 'M')) => (&text[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1usize),
    };
    let number: usize = digits.parse().map_err(|_| format!("`{text}` is no number of bytes, such as 500, 64K, 16M or 2G"))?;
    number.checked_mul(factor).filter(|n| *n > 0).ok_or_else(|| format!("`{text}` is no number of bytes that can be"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    if (0.001..=1e6).contains(&number) { Ok(Duration::from_secs_f64(number)) } else { Err("give 0.001 to 1000000 seconds".to_owned()) }
}

fn connections(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| (1..=100_000).contains(n)).ok_or_else(|| "give 1 to 100000 connections".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_suffixes() {
        for (text, n) in [("1", 1), ("64K", 65536), ("2g", 2 << 30), ("16M", 16 << 20)] {
            assert_eq!(bytes(text), Ok(n));
        }
        for text in ["", "K", "0", "-1", "1T", "99999999999999999999", "18446744073709551615G", "é"] {
            assert!(bytes(text).is_err(), "{text}");
        }
        assert!(seconds("nan").is_err() && seconds("0").is_err() && seconds("0.25") == Ok(Duration::from_millis(250)));
    }
}
