//! Items on several threads.
//!
//! Lives here: who does which item, and that no item can harm another. Never here: what is done, where it is noted.

use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// The stack of a thread: parsers recurse with the nesting of their input, which is bounded but may be deep.
const STACK: usize = 512 << 20;
/// With less nothing is begun.
const LEAST_STACK: usize = 8 << 20;

/// How items are done.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Threads.
    pub jobs: usize,
    /// Whether the others are done where one has failed.
    pub keep_going: bool,
}

/// Does all items in some order; what comes out is in theirs. `None`: a failure came before. A panic is handed to `panicked` with its message.
/// `work` says whether the item failed.
///
/// # Errors
/// Threads that cannot be started.
pub fn execute<T: Sync, R: Send>(
    items: &[T],
    manner: Manner,
    work: impl Fn(&T) -> (R, bool) + Sync,
    panicked: impl Fn(&T, String) -> R + Sync,
) -> Result<Vec<Option<R>>, String> {
    // The processors are shared among those who work on several items at once.
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let share = (processors / manner.jobs.max(1)).max(1);
    let stopped = AtomicBool::new(false);
    let one = |item: &T| -> Option<R> {
        if stopped.load(Ordering::Relaxed) {
            return None;
        }
        let (result, failed) = match catch_unwind(AssertUnwindSafe(|| xaif::spread::within(share, || work(item)))) {
            Ok(done) => done,
            Err(payload) => (panicked(item, message(&*payload)), true),
        };
        if failed && !manner.keep_going {
            stopped.store(true, Ordering::Relaxed);
        }
        Some(result)
    };
    let pool = pool(manner.jobs.max(1))?;
    Ok(pool.install(|| items.par_iter().with_max_len(1).map(one).collect()))
}

/// Threads with stacks as large as the system gives.
fn pool(jobs: usize) -> Result<rayon::ThreadPool, String> {
    let mut size = STACK;
    loop {
        let made =
            rayon::ThreadPoolBuilder::new().num_threads(jobs).stack_size(size).start_handler(move |_| xaif::stack::note(size)).build();
        match made {
            Ok(pool) => return Ok(pool),
            Err(e) if size / 2 < LEAST_STACK => return Err(e.to_string()),
            Err(_) => size /= 2,
        }
    }
}

/// What a panic says.
fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a word".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_harms_nobody_else() {
        let items: Vec<usize> = (0..50).collect();
        let work = |&k: &usize| {
            assert!(k != 7, "item {k} fails");
            (format!("{k} done"), false)
        };
        for jobs in [1, 4] {
            let manner = Manner { jobs, keep_going: true };
            let out = execute(&items, manner, work, |k, why| format!("{k}: {why}")).unwrap();
            for (k, r) in out.iter().enumerate() {
                let expected = if k == 7 { "7: item 7 fails".to_owned() } else { format!("{k} done") };
                assert_eq!(r.as_deref(), Some(expected.as_str()));
            }
        }
        let out = execute(&items, Manner { jobs: 1, keep_going: false }, work, |_, why| why).unwrap();
        assert!(out[7].is_some() && out.iter().filter(|r| r.is_none()).count() > 10);
    }

    #[test]
    fn items_have_their_share_of_processors_and_a_deep_stack() {
        fn deep(k: u32) -> u32 {
            let room = [k; 64];
            if k == 0 { 0 } else { std::hint::black_box(room)[0] - k + deep(k - 1) }
        }
        let manner = Manner { jobs: 16, keep_going: true };
        let out = execute(&[(); 8], manner, |()| ((deep(400_000), xaif::spread::threads(100)), false), |(), why| panic!("{why}")).unwrap();
        assert!(out.iter().all(|r| *r == Some((0, 1))));
    }
}
