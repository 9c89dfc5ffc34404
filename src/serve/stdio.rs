//! Requests from standard input, one a line, done by the workers.
//!
//! Lives here: lines in and out, and their order: what has an id is answered as soon as it is done, all else in the order in which it came. Never here: what is done.

use super::failure::Failure;
use super::forms::Form;
use super::pool::Pool;
use super::protocol::Request;
use super::work::conclude;
use crate::arguments::serve::Serve;
use overbar::diagnostics::Outcome;
use serde_json::Value;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, Semaphore, oneshot};

/// Answers what comes until nothing more comes, or a signal does.
pub async fn run(settings: Arc<Serve>) -> Result<(), String> {
    let pool = Arc::new(Pool::start(Arc::clone(&settings)).map_err(|e| format!("no worker can be started: {e}"))?);
    let output = Arc::new(Mutex::new(tokio::io::stdout()));
    // No more than can be worked on or wait: whoever writes waits, instead of hearing that the service is busy.
    let most = settings.workers() + settings.queue.min(settings.workers());
    let room = Arc::new(Semaphore::new(most));
    let mut input = BufReader::with_capacity(1 << 16, tokio::io::stdin());
    let mut before: Option<oneshot::Receiver<()>> = None;
    let end = super::signals::Signals::new().map_err(|e| e.to_string())?.wait();
    tokio::pin!(end);
    loop {
        let next = async {
            let place = Arc::clone(&room).acquire_owned().await.ok();
            (line(&mut input, super::protocol::most_of_a_line(settings.body_bytes)).await, place)
        };
        let (read, place) = tokio::select! {
            next = next => next,
            () = &mut end => break,
        };
        let Some(read) = read else { break };
        let (pool, output) = (Arc::clone(&pool), Arc::clone(&output));
        let parsed =
            read.and_then(|bytes| serde_json::from_slice::<Request>(&bytes).map_err(|e| Failure::Request(vec![super::worker::unread(&e)])));
        let (id, turn, done) = match &parsed {
            Ok(Request { id, .. }) if !id.is_null() => (Some(id.clone()), None, None),
            _ => {
                let (done, after) = oneshot::channel();
                (None, before.replace(after), Some(done))
            }
        };
        tokio::spawn(async move {
            let answer = answer(&pool, parsed, id).await;
            if let Some(turn) = turn {
                // Whether it was answered or broke off: it is our turn.
                let _ = turn.await;
            }
            let mut output = output.lock().await;
            let written = async {
                output.write_all(&answer).await?;
                output.flush().await
            };
            // Nobody listens any more; the end of the input will be next.
            let _ = written.await;
            drop(done);
            drop(place);
        });
    }
    // Everybody has given back their place.
    let all = u32::try_from(most).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(settings.grace, room.acquire_many(all)).await;
    Ok(())
}

/// The next line that is not empty; `None` at the end.
async fn line(input: &mut BufReader<tokio::io::Stdin>, most: usize) -> Option<Result<Vec<u8>, Failure>> {
    loop {
        let mut bytes = Vec::new();
        let read = input.take(most as u64).read_until(b'\n', &mut bytes).await;
        if read.is_err() || bytes.is_empty() {
            return None;
        }
        if bytes.len() >= most && bytes.last() != Some(&b'\n') {
            // The rest of it is none of our business.
            loop {
                bytes.clear();
                let rest = input.take(1 << 16).read_until(b'\n', &mut bytes).await;
                if rest.is_err() || bytes.is_empty() || bytes.last() == Some(&b'\n') {
                    return Some(Err(Failure::Body("as a line", most)));
                }
            }
        }
        if !bytes.trim_ascii().is_empty() {
            return Some(Ok(bytes));
        }
    }
}

/// The answer as a line, with the id of the request.
async fn answer(pool: &Pool, parsed: Result<Request, Failure>, id: Option<Value>) -> Vec<u8> {
    let form = parsed.as_ref().map_or(Form::Json, |r| r.form);
    let done = async {
        let request = Request { id: Value::Null, ..parsed? };
        let line = serde_json::to_vec(&request).map_err(|e| Failure::Encoding(e.to_string()))?;
        pool.perform(&line).await
    };
    let mut line = match done.await {
        Ok(line) => line,
        Err(failure) => {
            let outcome: Outcome = failure.outcome();
            let mut line = serde_json::to_vec(&conclude(outcome, &failure.diagnostics(), form)).unwrap_or_default();
            line.push(b'\n');
            line
        }
    };
    if let Some(id) = id {
        let mut head = format!("{{\"id\":{id},").into_bytes();
        head.extend_from_slice(line.get(1..).unwrap_or_default());
        line = head;
    }
    line
}
