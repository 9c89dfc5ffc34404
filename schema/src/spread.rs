//! Work spread over all processors.
//!
//! Lives here: who does which piece, and the order in which results come together. Never here: what a piece is. Results do not depend on how many
//! processors there are, as long as each piece is a pure function. Whoever works on several programs at once tells each how many processors are
//! its own ([`within`]).

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};

/// More threads than this do not pay: what comes before and behind is done by one.
const MAX_THREADS: usize = 8;

thread_local! {
    /// How many threads work that this thread spreads may get: a property of what it is working on, and of nobody else.
    static SHARE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Gives the former share back, whatever happens.
struct Share(Option<usize>);

impl Drop for Share {
    fn drop(&mut self) {
        SHARE.set(self.0);
    }
}

/// Does some work with at most so many threads (at least one) for what it spreads, this one counted. Other threads are not concerned.
pub fn within<R>(threads: usize, work: impl FnOnce() -> R) -> R {
    let _before = Share(SHARE.replace(Some(threads.max(1))));
    work()
}

/// The threads that help. They stay, and with them the memory that they have at hand: new ones would take theirs from the system each time. `None` where there
/// can be none.
fn pool() -> Option<&'static rayon::ThreadPool> {
    static POOL: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    // Whoever spreads work does a part of it.
    let helpers = || rayon::ThreadPoolBuilder::new().num_threads(processors().clamp(2, MAX_THREADS) - 1).build().ok();
    POOL.get_or_init(helpers).as_ref()
}

/// How many processors there are. That is read from files of the system: not to be asked for next to nothing.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// How many threads so many pieces of work get.
pub fn threads(pieces: usize) -> usize {
    if pieces <= 1 { 1 } else { SHARE.get().unwrap_or_else(processors).min(MAX_THREADS).min(pieces) }
}

/// A list in so many pieces for each thread, in order: several, where some may take longer than others.
pub fn pieces<T>(mut list: Vec<T>, each: usize) -> Vec<Vec<T>> {
    let length = list.len().div_ceil(each.max(1) * threads(list.len())).max(1);
    let mut out = Vec::new();
    while !list.is_empty() {
        let rest = list.split_off(length.min(list.len()));
        out.push(std::mem::replace(&mut list, rest));
    }
    out
}

/// The results of `work` for each of these pieces, in their order. A panic of a piece is one of the whole.
pub fn over<T: Send, R: Send>(pieces: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    over_with(pieces, || (), |(), piece| work(piece))
}

/// As [`over`]; each thread has one `room` to work in, which pieces must leave as they find it.
pub fn over_with<T: Send, S, R: Send>(pieces: Vec<T>, room: impl Fn() -> S + Sync, work: impl Fn(&mut S, T) -> R + Sync) -> Vec<R> {
    let threads = threads(pieces.len());
    if threads <= 1 {
        let mut room = room();
        return pieces.into_iter().map(|p| work(&mut room, p)).collect();
    }
    let next = AtomicUsize::new(0);
    let pieces: Vec<Mutex<Option<T>>> = pieces.into_iter().map(|p| Mutex::new(Some(p))).collect();
    let (next, pieces, room, work) = (&next, &pieces, &room, &work);
    let some = || {
        let mut done = Vec::new();
        let mut room = room();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(i) else { return done };
            // Whoever counted to it is the only one to take it.
            let piece = piece.lock().ok().and_then(|mut p| p.take());
            done.extend(piece.map(|p| (i, work(&mut room, p))));
        }
    };
    let all = Mutex::new(Vec::new());
    let add = |mut done: Vec<(usize, R)>| all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut done);
    match pool() {
        Some(pool) => pool.in_place_scope(|scope| {
            (1..threads).for_each(|_| scope.spawn(|_| add(some())));
            add(some());
        }),
        None => add(some()),
    }
    let mut done = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, r)| r).collect()
}

/// Does two things, at the same time where there are processors for it. A panic of one is one of the whole.
pub fn both<A, B: Send>(a: impl FnOnce() -> A, b: impl FnOnce() -> B + Send) -> (A, B) {
    let helpers = if threads(2) > 1 { pool() } else { None };
    let Some(pool) = helpers else { return (a(), b()) };
    let mut other = None;
    let one = pool.in_place_scope(|scope| {
        scope.spawn(|_| other = Some(b()));
        a()
    });
    match other {
        Some(other) => (one, other),
        None => unreachable!("a scope ends when all in it has ended"),
    }
}

/// Makes things `0..count` on all processors, and hands them on in order while the next are made: `work` fills a room, and `take` gives it back empty. There
/// are at most twice as many rooms as threads. A panic of one is one of the whole.
pub fn in_order<R: Send + Default>(count: usize, work: impl Fn(usize, R) -> R + Sync, mut take: impl FnMut(R) -> R) {
    let threads = threads(count);
    if threads <= 1 {
        (0..count).fold(R::default(), |room, i| take(work(i, room)));
        return;
    }
    let (empty, rooms) = mpsc::channel();
    let (full, made) = mpsc::channel();
    // Who gets a room gets the next number with it: so the least one that is missing is being made.
    let next = Mutex::new((rooms, 0..count));
    let some = |full: mpsc::Sender<_>| {
        loop {
            let Ok((room, Some(i))) = next.lock().map(|mut n| (n.0.recv(), n.1.next())) else { return };
            let Ok(room) = room else { return };
            if full.send((i, catch_unwind(AssertUnwindSafe(|| work(i, room))))).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        // Without it nobody waits for a room any longer.
        let empty = empty;
        for _ in 0..threads {
            let full = full.clone();
            scope.spawn(|| some(full));
        }
        drop(full);
        (0..2 * threads).for_each(|_| drop(empty.send(R::default())));
        let mut early = BTreeMap::new();
        for i in 0..count {
            while !early.contains_key(&i) {
                let Ok((k, room)) = made.recv() else { return };
                early.insert(k, room);
            }
            if let Some(room) = early.remove(&i) {
                drop(empty.send(take(room.unwrap_or_else(|e| resume_unwind(e)))));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_made_is_handed_on_in_order() {
        for threads in [1, 2, 5] {
            super::within(threads, || {
                let (mut got, rooms) = (Vec::new(), std::sync::atomic::AtomicUsize::new(0));
                let work = |i: usize, mut room: Vec<usize>| {
                    if room.capacity() == 0 {
                        rooms.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    }
                    // The first takes longest.
                    (0..(1000 - i) * 20).for_each(|k| {
                        std::hint::black_box(k);
                    });
                    room.push(i);
                    room
                };
                super::in_order(1000, work, |mut room| {
                    got.append(&mut room);
                    room
                });
                assert_eq!(got, (0..1000).collect::<Vec<_>>());
                assert!(rooms.into_inner() <= 2 * threads);
                super::in_order(0, |_, _: ()| panic!("nothing to make"), |()| ());
            });
        }
    }

    #[test]
    fn a_panic_of_one_ends_all() {
        super::within(3, || {
            let failed = std::panic::catch_unwind(|| super::in_order(100, |i, ()| assert!(i != 40), |()| ()));
            assert!(failed.is_err());
        });
    }

    #[test]
    fn a_share_holds_for_the_work_and_no_longer() {
        let before = super::threads(100);
        let inside = super::within(1, || {
            assert_eq!(super::within(3, || super::threads(100)), 3);
            let names = super::over((0..100).collect(), |_| std::thread::current().id());
            assert!(names.iter().all(|n| *n == std::thread::current().id()));
            super::threads(100)
        });
        assert_eq!((inside, super::threads(100)), (1, before));
        let failed = std::panic::catch_unwind(|| super::within(1, || panic!("as asked")));
        assert!(failed.is_err() && super::threads(100) == before);
        assert_eq!(super::within(0, || super::threads(5)), 1);
    }

    #[test]
    fn pieces_have_all_of_a_list_in_order() {
        super::within(2, || {
            assert_eq!(super::pieces((0..5).collect(), 2), [vec![0, 1], vec![2, 3], vec![4]]);
            assert_eq!(super::pieces((0..2).collect(), 3), [vec![0], vec![1]]);
            assert!(super::pieces(Vec::<u8>::new(), 2).is_empty());
        });
    }

    #[test]
    fn two_things_are_done_whoever_does_them() {
        for threads in [1, 2] {
            super::within(threads, || {
                let text = String::from("one");
                assert_eq!(super::both(|| text.len(), || text.clone() + "two"), (3, "onetwo".to_owned()));
                assert!(std::panic::catch_unwind(|| super::both(|| 1, || assert_eq!(threads, 0))).is_err());
            });
        }
    }

    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        let squares = super::over((0..1000u64).collect(), |k| k * k);
        assert_eq!(squares, (0..1000u64).map(|k| k * k).collect::<Vec<_>>());
    }
}
