//! Stacks that are large enough for parsers that recurse, as far as the system gives them.
//!
//! Lives here: threads with large stacks, and how large the present one is. Never here: what recurses, and how deep it may.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

thread_local! {
    /// What the stack of this thread is known to have; 0 where nobody has said.
    static SIZE: Cell<usize> = const { Cell::new(0) };
}

/// Notes the size of this thread's stack, for whoever has made the thread.
pub fn note(size: usize) {
    SIZE.set(size);
}

/// The size of this thread's stack; 0 where it is not known.
pub fn size() -> usize {
    SIZE.get()
}

/// Runs something on a stack of `most` bytes: the present one, or that of a thread of its own. Where the system does not give that much it is half of it, and so on down to `least`.
/// [`size`] says how much it is.
///
/// # Errors
/// There is no thread even with the least.
pub fn on<R: Send>(name: &str, most: usize, least: usize, run: impl FnOnce() -> R + Send) -> std::io::Result<R> {
    if size() >= most {
        return Ok(run());
    }
    let run = &Mutex::new(Some(run));
    std::thread::scope(|scope| {
        let mut size = most;
        loop {
            let work = move || {
                note(size);
                run.lock().unwrap_or_else(PoisonError::into_inner).take().map(|run| run())
            };
            let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(size).spawn_scoped(scope, work);
            match thread.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(Some(done))) => return Ok(done),
                // Nobody else takes it.
                Ok(Ok(None)) => return Err(std::io::ErrorKind::Other.into()),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(e) if size / 2 < least => return Err(e),
                Err(_) => size /= 2,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_as_large_as_they_can_be() {
        assert_eq!(size(), 0);
        assert_eq!(on("a", 8 << 20, 1 << 20, || (size(), on("b", 4 << 20, 1 << 20, size).unwrap())).unwrap(), (8 << 20, 8 << 20));
        // Nothing has so much.
        let size = on("c", 1 << 60, 1 << 20, size).unwrap();
        assert!((1 << 20..1 << 60).contains(&size), "{size}");
    }

    #[test]
    fn panics_are_passed_on() {
        let caught = std::panic::catch_unwind(|| on("d", 1 << 20, 1 << 20, || panic!("on purpose")));
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"on purpose"));
    }
}
