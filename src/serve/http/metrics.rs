//! What is counted, in the text form of Prometheus.
//!
//! Lives here: counters and how they are written. Never here: who counts what.

use crate::serve::pool::State;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Upper ends of the classes of durations, in seconds.
const CLASSES: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0];

#[derive(Debug, Default)]
struct Durations {
    classes: [u64; CLASSES.len()],
    count: u64,
    sum: f64,
}

#[derive(Debug, Default)]
struct Numbers {
    /// By route and status; 0: the client went away.
    requests: BTreeMap<(String, u16), u64>,
    durations: BTreeMap<String, Durations>,
    failures: BTreeMap<&'static str, u64>,
    taken: u64,
    given: u64,
}

/// The counters.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<Numbers>);

/// A request that is being counted.
pub struct Running<'a> {
    metrics: &'a Metrics,
    route: String,
    since: Instant,
    status: u16,
}

impl Running<'_> {
    /// It has been answered.
    pub fn end(&mut self, status: u16) {
        self.status = status;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let seconds = self.since.elapsed().as_secs_f64();
        let route = std::mem::take(&mut self.route);
        let mut n = self.metrics.numbers();
        *n.requests.entry((route.clone(), self.status)).or_default() += 1;
        let d = n.durations.entry(route).or_default();
        d.count += 1;
        d.sum += seconds;
        for (class, end) in d.classes.iter_mut().zip(CLASSES) {
            *class += u64::from(seconds <= end);
        }
    }
}

impl Metrics {
    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request begins.
    pub fn begin(&self, route: String) -> Running<'_> {
        Running { metrics: self, route, since: Instant::now(), status: 0 }
    }

    /// A request failed by a limit, or at the service itself.
    pub fn failed(&self, name: &'static str) {
        *self.numbers().failures.entry(name).or_default() += 1;
    }

    /// Bytes of a body.
    pub fn took(&self, bytes: usize) {
        self.numbers().taken += bytes as u64;
    }

    /// Bytes of an answer.
    pub fn gave(&self, bytes: usize) {
        self.numbers().given += bytes as u64;
    }

    /// As text.
    pub fn text(&self, pool: &State, held: usize) -> String {
        let n = self.numbers();
        let mut out = String::new();
        // Writing to a string cannot fail.
        let mut family = |name: &str, kind: &str, help: &str, lines: Vec<(String, String)>| {
            let _ = writeln!(out, "# HELP overbar_{name} {help}\n# TYPE overbar_{name} {kind}");
            for (labels, value) in lines {
                let _ = writeln!(out, "overbar_{name}{labels} {value}");
            }
        };
        let one = |v: f64| vec![(String::new(), v.to_string())];
        let requests = n.requests.iter().map(|((route, status), count)| {
            let status = if *status == 0 { "cancelled".to_owned() } else { status.to_string() };
            (format!("{{route=\"{route}\",status=\"{status}\"}}"), count.to_string())
        });
        family("requests_total", "counter", "Requests by route and status.", requests.collect());
        let failures = n.failures.iter().map(|(name, count)| (format!("{{limit=\"{name}\"}}"), count.to_string()));
        family("failures_total", "counter", "Requests that the service itself answered with an error, by its name.", failures.collect());
        let mut lines = Vec::new();
        for (route, d) in &n.durations {
            for (class, end) in d.classes.iter().zip(CLASSES) {
                lines.push((format!("_bucket{{route=\"{route}\",le=\"{end}\"}}"), class.to_string()));
            }
            lines.push((format!("_bucket{{route=\"{route}\",le=\"+Inf\"}}"), d.count.to_string()));
            lines.push((format!("_sum{{route=\"{route}\"}}"), d.sum.to_string()));
            lines.push((format!("_count{{route=\"{route}\"}}"), d.count.to_string()));
        }
        family("request_seconds", "histogram", "Time from the head of a request to its answer.", lines);
        family("body_bytes_total", "counter", "Bytes of bodies taken in.", one(n.taken as f64));
        family("answer_bytes_total", "counter", "Bytes of answers of workers.", one(n.given as f64));
        family("held_bytes", "gauge", "Bytes of bodies that are held.", one(held as f64));
        family("waiting", "gauge", "Requests that wait for a worker.", one(pool.waiting as f64));
        family("running", "gauge", "Requests that are worked on.", one(pool.running as f64));
        family("workers_idle", "gauge", "Workers that wait for a request.", one(pool.idle as f64));
        family("workers_idle_bytes", "gauge", "Memory of those.", one(pool.memory as f64));
        family("workers_started_total", "counter", "Workers started.", one(pool.started as f64));
        family("workers_stopped_total", "counter", "Workers that ended in the middle of a request.", one(pool.stopped as f64));
        let own = crate::serve::usage::of(std::process::id()).unwrap_or_default();
        family("resident_bytes", "gauge", "Memory of the service without its workers.", one(own.memory as f64));
        out
    }
}
