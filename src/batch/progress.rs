//! How far a batch is, on standard error.
//!
//! Lives here: a bar with rate and remaining time at a terminal, plain lines elsewhere, what failed above or among them. Never here: reports.

use super::outcome::Outcome;
use crate::arguments::MessageFormat;
use crate::console::report::aside;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Plain lines are at least so far apart.
const APART: Duration = Duration::from_secs(2);

/// Shows progress.
pub struct Progress {
    bar: ProgressBar,
    format: MessageFormat,
    plain: Option<Mutex<Plain>>,
    total: usize,
}

/// What has been said without a terminal.
struct Plain {
    begun: Instant,
    last: Instant,
    done: usize,
}

impl Progress {
    /// For so many items.
    pub fn new(total: usize, format: MessageFormat, quiet: bool) -> Progress {
        let terminal = std::io::stderr().is_terminal() && format == MessageFormat::Human && !quiet;
        let bar = ProgressBar::with_draw_target(
            Some(total as u64),
            if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() },
        );
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len}  {per_sec}, {eta} left  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let now = Instant::now();
        let plain = (!terminal && !quiet).then(|| Mutex::new(Plain { begun: now, last: now, done: 0 }));
        Progress { bar, format, plain, total }
    }

    /// An item is finished.
    pub fn finished(&self, outcome: &Outcome) {
        if outcome.status.is_failure() {
            self.say_failure(outcome);
        }
        self.bar.set_message(outcome.output.clone());
        self.bar.inc(1);
        let Some(plain) = &self.plain else { return };
        let mut p = plain.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        p.done += 1;
        if self.format == MessageFormat::Human && (p.last.elapsed() >= APART || p.done == self.total) {
            p.last = Instant::now();
            let seconds = p.begun.elapsed().as_secs_f64();
            let rate = p.done as f64 / seconds.max(1e-9);
            let left = (self.total - p.done.min(self.total)) as f64 / rate;
            aside(&format!("{}/{} items, {rate:.1} a second, {left:.0} s left\n", p.done, self.total));
        }
    }

    fn say_failure(&self, outcome: &Outcome) {
        match self.format {
            MessageFormat::Json => {
                for d in &outcome.diagnostics {
                    aside(&format!("{d}\n"));
                }
            }
            MessageFormat::Human => {
                let code = outcome.codes().first().map(|c| format!(" [{c}]")).unwrap_or_default();
                let why = outcome.complaint().unwrap_or_default();
                self.bar.suspend(|| aside(&format!("{}: {}{code}: {why}\n", outcome.status.word(), outcome.output)));
            }
        }
    }

    /// All is done.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
