//! Work spread over all processors.
//!
//! Lives here: who does which piece, and the order in which results come together. Never here: what a piece is. Results do not depend on how many
//! processors there are, as long as each piece is a pure function.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More threads than this do not pay: what comes before and behind is done by one.
const MAX_THREADS: usize = 8;

/// How many threads so many pieces of work get.
pub fn threads(pieces: usize) -> usize {
    // How many processors there are is read from files of the system: not to be asked for next to nothing.
    if pieces <= 1 { 1 } else { std::thread::available_parallelism().map_or(1, |n| n.get()).min(MAX_THREADS).min(pieces) }
}

/// The results of `work` for each of these pieces, in their order. A panic of a piece is one of the whole.
pub fn over<T: Send, R: Send>(pieces: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = threads(pieces.len());
    if threads <= 1 {
        return pieces.into_iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let pieces: Vec<Mutex<Option<T>>> = pieces.into_iter().map(|p| Mutex::new(Some(p))).collect();
    let (next, pieces, work) = (&next, &pieces, &work);
    let some = || {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(i) else { return done };
            // Whoever counted to it is the only one to take it.
            let piece = piece.lock().ok().and_then(|mut p| p.take());
            done.extend(piece.map(|p| (i, work(p))));
        }
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(some)).collect();
        let mut done = some();
        for other in others {
            done.append(&mut other.join().unwrap_or_else(|e| std::panic::resume_unwind(e)));
        }
        done
    });
    done.sort_unstable_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, r)| r).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        let squares = super::over((0..1000u64).collect(), |k| k * k);
        assert_eq!(squares, (0..1000u64).map(|k| k * k).collect::<Vec<_>>());
    }
}
