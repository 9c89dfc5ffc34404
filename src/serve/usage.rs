//! What a process has used: processor time and memory.
//!
//! Lives here: reading it from the system. Where the system does not tell, only the clock and the limits that workers set on themselves hold.

use std::time::Duration;

/// What a process has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time of all its threads.
    pub cpu: Duration,
    /// Memory that it holds.
    pub memory: usize,
}

/// Clock ticks of the kernel's accounts, which it gives in hundredths of a second whatever its own clock is.
const TICK: u64 = 10;

/// The use of a process; `None` where it has ended, or the system does not tell.
#[cfg(target_os = "linux")]
pub fn of(process: u32) -> Option<Usage> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in brackets, may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |k: usize| fields.get(k).and_then(|f| f.parse::<u64>().ok());
    let (user, system, pages) = (number(11)?, number(12)?, number(21)?);
    let page = rustix::param::page_size() as u64;
    Some(Usage { cpu: Duration::from_millis((user + system) * TICK), memory: usize::try_from(pages * page).unwrap_or(usize::MAX) })
}

/// The use of a process; `None` where the system does not tell.
#[cfg(not(target_os = "linux"))]
pub fn of(_: u32) -> Option<Usage> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn this_process_uses_something() {
        let mut sum = 0u64;
        for i in 0..50_000_000u64 {
            sum = std::hint::black_box(sum.wrapping_add(i * i));
        }
        let used = super::of(std::process::id()).unwrap();
        assert!(used.memory > 100_000 && used.cpu.as_millis() > 0, "{used:?} {sum}");
        assert_eq!(super::of(u32::MAX), None);
    }
}
