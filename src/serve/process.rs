//! One worker process: started, told a line, heard for a line, watched, stopped.
//!
//! Lives here: the process and what ends it. Never here: which request goes to which worker (`pool`).

use super::failure::Failure;
use super::usage::{self, Usage};
use crate::arguments::serve::Serve;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// How often a worker is looked at, at most.
const LOOK: Duration = Duration::from_millis(20);
/// So much of its last words is kept.
const WORDS: usize = 4096;

/// A process that waits for a request. Dropping it ends it.
pub struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    words: Arc<Mutex<String>>,
    /// Requests that it has answered.
    pub done: u32,
}

/// The program that is running, whatever has become of its file.
fn program() -> std::io::Result<std::path::PathBuf> {
    let own = std::path::Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && own.exists() { Ok(own.to_owned()) } else { std::env::current_exe() }
}

impl Worker {
    /// Starts one.
    pub fn start(settings: &Serve) -> std::io::Result<Worker> {
        let mut command = Command::new(program()?);
        #[cfg(unix)]
        command.arg0("overbar");
        command.args(["serve", "--worker", &std::process::id().to_string(), "--cpu-time", &settings.cpu_time.as_secs_f64().to_string()]);
        for (name, number) in [
            ("--workers", settings.workers()),
            ("--body-bytes", settings.body_bytes),
            ("--xml-depth", settings.xml_depth),
            ("--xml-nodes", settings.xml_nodes),
            ("--memory", settings.memory),
        ] {
            command.args([name, &number.to_string()]);
        }
        if settings.preprocessor {
            command.arg("--preprocessor");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // Signals at the terminal are for the service, which lets its workers finish.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let broken = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let (input, output) = (child.stdin.take().ok_or_else(broken)?, child.stdout.take().ok_or_else(broken)?);
        let words = Arc::new(Mutex::new(String::new()));
        if let Some(errors) = child.stderr.take() {
            tokio::spawn(listen(errors, Arc::clone(&words)));
        }
        Ok(Worker { child, input, output: BufReader::with_capacity(1 << 16, output), words, done: 0 })
    }

    /// Whether it is still there. One that is about to end has no memory any more, though some of its threads may not have heard of it.
    pub fn lives(&mut self) -> bool {
        let there = matches!(self.child.try_wait(), Ok(None));
        there && (cfg!(not(target_os = "linux")) || self.usage().is_some_and(|u| u.memory > 0))
    }

    /// What it has used.
    pub fn usage(&self) -> Option<Usage> {
        self.child.id().and_then(usage::of)
    }

    /// Tells it a request and hears the answer. Whatever fails, it is of no use afterwards.
    pub async fn ask(&mut self, line: &[u8], settings: &Serve) -> Result<Vec<u8>, Failure> {
        let before = self.usage().unwrap_or_default();
        let id = self.child.id();
        let most = settings.answer_bytes;
        let (input, output) = (&mut self.input, &mut self.output);
        let talk = async {
            let told = async {
                input.write_all(line).await?;
                input.write_all(b"\n").await?;
                input.flush().await
            };
            if told.await.is_err() {
                return Err(Failure::Died(String::new()));
            }
            let mut answer = Vec::new();
            match output.take(most as u64 + 1).read_until(b'\n', &mut answer).await {
                Ok(_) if answer.last() == Some(&b'\n') => Ok(answer),
                Ok(_) if answer.len() > most => Err(Failure::Answer(most)),
                _ => Err(Failure::Died(String::new())),
            }
        };
        let mut highest = 0;
        let watch = async {
            let begun = Instant::now();
            let mut pause = Duration::from_millis(5);
            loop {
                tokio::time::sleep(pause.min(settings.wall_time.saturating_sub(begun.elapsed()).max(Duration::from_millis(1)))).await;
                pause = (pause * 2).min(LOOK);
                if begun.elapsed() >= settings.wall_time {
                    return Failure::Time("in all", settings.wall_time);
                }
                let Some(now) = id.and_then(usage::of) else { continue };
                highest = highest.max(now.memory);
                if now.memory > settings.memory {
                    return Failure::Memory(settings.memory);
                }
                if now.cpu.saturating_sub(before.cpu) > settings.cpu_time {
                    return Failure::Time("of the processor", settings.cpu_time);
                }
            }
        };
        let heard = tokio::select! {
            biased;
            heard = talk => heard,
            failure = watch => Err(failure),
        };
        if let Err(Failure::Died(_)) = heard {
            return Err(self.post_mortem(highest, settings).await);
        }
        self.done += 1;
        heard
    }

    /// Why it ended, as far as that can be told.
    async fn post_mortem(&mut self, highest: usize, settings: &Serve) -> Failure {
        let waited = tokio::time::timeout(Duration::from_secs(2), self.child.wait()).await;
        // Its last words may still be on their way.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let words = self.words.lock().map(|w| w.clone()).unwrap_or_default();
        if words.contains("memory allocation of") || highest > settings.memory / 10 * 9 {
            return Failure::Memory(settings.memory);
        }
        let said = words.lines().rev().find(|l| l.contains("panicked") || l.contains("overflow")).unwrap_or_default();
        match waited {
            #[cfg(unix)]
            Ok(Ok(status)) if std::os::unix::process::ExitStatusExt::signal(&status) == Some(24) => {
                Failure::Time("of the processor", settings.cpu_time)
            }
            Ok(Ok(status)) => Failure::Died(format!("its process ended with {status} {said}").trim_end().to_owned()),
            _ => Failure::Died("its process closed its streams".to_owned()),
        }
    }
}

/// Keeps the last words of a worker, and passes them on.
async fn listen(errors: ChildStderr, words: Arc<Mutex<String>>) {
    let mut lines = BufReader::new(errors);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut lines).take(WORDS as u64).read_until(b'\n', &mut line).await {
            Ok(n) if n > 0 => {}
            _ => return,
        }
        let text = String::from_utf8_lossy(&line);
        crate::console::report::aside(&text);
        if let Ok(mut kept) = words.lock() {
            kept.push_str(&text);
            while kept.len() > WORDS {
                let cut = kept.find('\n').map_or(kept.len(), |p| p + 1);
                kept.drain(..cut);
            }
        }
    }
}
