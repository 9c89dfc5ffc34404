//! The workers, and who waits for one.
//!
//! A request cannot be stopped from outside inside a process: threads have no such thing, and a stack that overflows ends everything. So each is done by a
//! process that has nothing else to do, which is ended when it takes too long or too much, or when its client is gone. Workers are kept, for starting one and
//! compiling the schemas in it takes longer than most requests.
//!
//! Lives here: queue, limits on it, reuse of workers. Never here: HTTP, what requests mean.

use super::failure::Failure;
use super::process::Worker;
use crate::arguments::serve::Serve;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// A worker is replaced after so many requests: whatever a process gathers in the course of time goes with it.
const REQUESTS: u32 = 2000;

/// The workers.
pub struct Pool {
    settings: Arc<Serve>,
    slots: Semaphore,
    idle: Mutex<Vec<Worker>>,
    waiting: AtomicUsize,
    running: AtomicUsize,
    started: AtomicU64,
    stopped: AtomicU64,
}

/// Numbers for people who watch.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Requests that wait.
    pub waiting: usize,
    /// Requests that are worked on.
    pub running: usize,
    /// Workers that wait.
    pub idle: usize,
    /// Memory of those.
    pub memory: usize,
    /// Workers started so far.
    pub started: u64,
    /// Workers that were ended in the middle of a request, or ended themselves.
    pub stopped: u64,
}

/// Counts as long as it lives.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(counter: &'a AtomicUsize) -> (Counted<'a>, usize) {
        let before = counter.fetch_add(1, Ordering::SeqCst);
        (Counted(counter), before)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Notes a worker that did not come to its end, whatever the reason: an error, or a client that went away.
struct Unfinished<'a>(Option<&'a AtomicU64>);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if let Some(counter) = self.0 {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Pool {
    /// With all workers started.
    ///
    /// # Errors
    /// They cannot be started.
    pub fn start(settings: Arc<Serve>) -> std::io::Result<Pool> {
        let n = settings.workers();
        let idle = (0..n).map(|_| Worker::start(&settings)).collect::<std::io::Result<Vec<_>>>()?;
        Ok(Pool {
            slots: Semaphore::new(n),
            idle: Mutex::new(idle),
            waiting: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            started: AtomicU64::new(n as u64),
            stopped: AtomicU64::new(0),
            settings,
        })
    }

    /// Has a request done: a line in, a line out. Whoever drops this ends the request.
    pub async fn perform(&self, line: &[u8]) -> Result<Vec<u8>, Failure> {
        let permit = match self.slots.try_acquire() {
            Ok(permit) => permit,
            Err(_) => {
                let (_waits, before) = Counted::new(&self.waiting);
                if before >= self.settings.queue {
                    return Err(Failure::Busy(format!("{before} requests are waiting")));
                }
                match tokio::time::timeout(self.settings.queue_time, self.slots.acquire()).await {
                    Ok(Ok(permit)) => permit,
                    Ok(Err(_)) => return Err(Failure::Ending),
                    Err(_) => {
                        let waited = self.settings.queue_time.as_secs_f64();
                        return Err(Failure::Busy(format!("no worker was free for {waited} seconds")));
                    }
                }
            }
        };
        let (_runs, _) = Counted::new(&self.running);
        let mut worker = self.worker()?;
        let mut unfinished = Unfinished(Some(&self.stopped));
        let answer = worker.ask(line, &self.settings).await?;
        unfinished.0 = None;
        self.keep(worker, &answer);
        drop(permit);
        Ok(answer)
    }

    /// One that waits, or a new one.
    fn worker(&self) -> Result<Worker, Failure> {
        loop {
            // Not while the lock is held: looking at a process asks the system.
            let next = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut worker) = next else { break };
            if worker.lives() {
                return Ok(worker);
            }
        }
        self.started.fetch_add(1, Ordering::Relaxed);
        Worker::start(&self.settings).map_err(|e| Failure::Busy(format!("no worker can be started: {e}")))
    }

    /// Keeps a worker for the next request, if it is as good as new.
    fn keep(&self, worker: Worker, answer: &[u8]) {
        let large = worker.usage().is_some_and(|u| u.memory > (self.settings.memory / 4).max(64 << 20));
        // After a panic nobody knows what is left in it.
        let failed = answer.starts_with(br#"{"outcome":"failed""#);
        if worker.done < REQUESTS && !large && !failed {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        }
    }

    /// Whether a request would be taken.
    pub fn ready(&self) -> bool {
        self.slots.available_permits() > 0 || self.waiting.load(Ordering::SeqCst) < self.settings.queue
    }

    /// How things are.
    pub fn state(&self) -> State {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        State {
            waiting: self.waiting.load(Ordering::SeqCst),
            running: self.running.load(Ordering::SeqCst),
            idle: idle.len(),
            memory: idle.iter().filter_map(Worker::usage).map(|u| u.memory).sum(),
            started: self.started.load(Ordering::Relaxed),
            stopped: self.stopped.load(Ordering::Relaxed),
        }
    }
}
