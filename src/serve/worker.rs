//! A worker: requests from standard input, one a line, answers to standard output, in order.
//!
//! Lives here: that loop, and the limits that the process sets on itself, which hold whatever becomes of whoever started it. Never here: who starts
//! workers and stops them (`pool`), what is done to a request (`work`).

use super::protocol::{Answer, Request};
use super::work::{Bench, conclude};
use crate::arguments::serve::Serve;
use overbar::diagnostics::Outcome;
use std::io::{BufRead, Read, Write};
use xaif::Diagnostic;

/// Stacks of threads count as memory that a process may use, though they are hardly ever filled: that of the command line, that of the C front end, and
/// as much again for everything that is not the request's.
const BESIDES: u64 = 3 << 30;

/// Works until there is nothing more to read, or the service that has started it is gone.
pub fn run(settings: &Serve, service: u32) -> std::io::Result<()> {
    confine(settings, service)?;
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut bench = Bench::new(settings.preprocessor, settings.limits(), (processors / settings.workers()).max(1));
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let most = super::protocol::most_of_a_line(settings.body_bytes) as u64;
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut input).take(most).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        patience(settings);
        let answer = answered(&mut bench, &line, most);
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
        if line.last() != Some(&b'\n') {
            // Too long, or the end: what follows, if anything, is no request.
            return Ok(());
        }
        // A large one does not stay.
        if line.capacity() > 1 << 20 {
            line = Vec::new();
        }
    }
}

fn answered(bench: &mut Bench, line: &[u8], most: u64) -> Answer {
    if line.len() as u64 >= most && line.last() != Some(&b'\n') {
        let d = Diagnostic::error("OB0160", "the request is larger than requests may be");
        return conclude(Outcome::Misused, &[d], super::forms::Form::Json);
    }
    match serde_json::from_slice::<Request>(line) {
        Ok(request) => bench.answer(request),
        Err(e) => conclude(Outcome::Misused, &[unread(&e)], super::forms::Form::Json),
    }
}

/// OB0169 for a line that is no request.
pub fn unread(e: &serde_json::Error) -> Diagnostic {
    Diagnostic::error("OB0169", format!("the line is no request: {e}"))
        .help("a request is a JSON object: {\"command\": \"boost\", \"options\": {\"mode\": \"adjoint\"}, \"files\": [{\"name\": \"f.xaif\", \"text\": \"...\"}]}")
}

/// No files, no dumps, no more memory than it should have.
#[cfg(unix)]
fn confine(settings: &Serve, service: u32) -> std::io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    // Whoever started it may be ended by force, in the middle of a request.
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
        // It may have been ended before this could be asked for; a request that it had already sent would be done for nobody.
        let parent = rustix::process::getppid().map(|p| p.as_raw_nonzero().get().unsigned_abs());
        if parent != Some(service) {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
    }
    let set = |resource, most: u64| {
        // Where the system has less to give than that, that is a limit as well.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    };
    set(Resource::Core, 0);
    set(Resource::As, (settings.memory as u64).saturating_add(BESIDES));
    if !settings.preprocessor {
        set(Resource::Fsize, 0);
        set(Resource::Nofile, 64);
    }
    Ok(())
}

#[cfg(not(unix))]
fn confine(_: &Serve, _: u32) -> std::io::Result<()> {
    Ok(())
}

/// The system ends the process where nobody else does, a little after its time is up.
#[cfg(unix)]
fn patience(settings: &Serve) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};
    let used = u64::try_from(clock_gettime(ClockId::ProcessCPUTime).tv_sec).unwrap_or(0);
    let hard = getrlimit(Resource::Cpu).maximum;
    let _ = setrlimit(
        Resource::Cpu,
        Rlimit { current: Some(used.saturating_add(settings.cpu_time.as_secs()).saturating_add(3)), maximum: hard },
    );
}

#[cfg(not(unix))]
fn patience(_: &Serve) {}
