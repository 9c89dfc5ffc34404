//! The socket of a connection: a stream that gives up when nobody takes what is written, and what is known about its other end.
//!
//! Lives here: bytes in and out, whether the client is still there, the end of a connection. Never here: how many there are (`room`), HTTP.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep};

/// A client that takes not even one byte of an answer for the time of a client is gone. One that takes next to nothing is, too, after so many of these.
const PATIENCE: u32 = 20;
/// Whether a client that has closed its own side can be told from one that is gone.
pub const HALF_CLOSE: bool = cfg!(target_os = "linux");
/// All that an answer can begin with.
const FIRST: &[u8] = b"H";
/// What goes out before an answer where a client waits with its body.
const CONTINUE: &[u8] = b"HTTP/1.1 100";
/// So long a client may be silent before a connection that has ended is closed.
const SILENCE: Duration = Duration::from_secs(2);
/// So long it may go on sending.
const LINGER: Duration = Duration::from_secs(10);

/// What the stream of a connection and whoever watches it share.
#[derive(Debug)]
pub struct Wire {
    read: OwnedReadHalf,
    /// Requests whose answers are not written yet.
    busy: AtomicUsize,
    /// Something of the answer that is due has gone out.
    begun: AtomicBool,
    /// The first bytes of the answer that is due have gone out before it was there.
    ahead: AtomicBool,
    /// Something waits to be written.
    stuck: AtomicBool,
    /// A request has come.
    came: Notify,
}

/// A request that is worked on, until its answer is written.
#[derive(Debug)]
pub struct Busy(Arc<Wire>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Wire {
    /// A connection, and the stream that HTTP is spoken over.
    pub fn new(stream: TcpStream, limit: Duration) -> (Arc<Wire>, Patient) {
        let (read, write) = stream.into_split();
        let (begun, ahead, stuck) = (AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false));
        let wire = Arc::new(Wire { read, busy: AtomicUsize::new(0), begun, ahead, stuck, came: Notify::new() });
        (Arc::clone(&wire), Patient { wire, write, limit, timer: None, until: None })
    }

    /// Notes a request.
    pub fn request(self: &Arc<Wire>) -> Busy {
        self.busy.fetch_add(1, Ordering::SeqCst);
        self.begun.store(false, Ordering::SeqCst);
        self.came.notify_one();
        Busy(Arc::clone(self))
    }

    /// Whether nobody waits for anything: no request is there as a whole, no answer is on its way.
    pub fn is_idle(&self) -> bool {
        self.busy.load(Ordering::SeqCst) == 0 && !self.stuck.load(Ordering::SeqCst)
    }

    /// Comes when the client is gone.
    ///
    /// One that has closed its own side waits for an answer, one that is gone does not, and both look the same until something is sent: only then a system that has no such connection any
    /// more says so. Every answer begins with the same letter, so that is sent first.
    #[cfg(target_os = "linux")]
    pub async fn gone(&self) {
        // Nothing urgent is ever waited for: this is how one is told that the other side is closed, whatever else there is to be read.
        let Ok(ready) = self.read.ready(Interest::PRIORITY | Interest::ERROR).await else { return };
        if !ready.is_error() {
            loop {
                let due = self.busy.load(Ordering::SeqCst) == 1 && !self.begun.load(Ordering::SeqCst);
                if due && !self.stuck.load(Ordering::SeqCst) && self.read.as_ref().try_write(FIRST).is_ok() {
                    self.begun.store(true, Ordering::SeqCst);
                    self.ahead.store(true, Ordering::SeqCst);
                    break;
                }
                self.came.notified().await;
            }
            let _ = self.read.ready(Interest::ERROR).await;
        }
    }

    /// Comes never: HTTP itself takes a closed side for a client that is gone.
    #[cfg(not(target_os = "linux"))]
    pub async fn gone(&self) {
        std::future::pending::<()>().await;
    }

    /// Throws away what a client still sends: closing a connection with something unread takes back the answer that is on its way.
    pub async fn linger(&self, most: usize) {
        let end = Instant::now() + LINGER;
        let (mut buffer, mut left) = (vec![0; 1 << 14], most);
        while left > 0 {
            let silence = end.min(Instant::now() + SILENCE);
            let Ok(Ok(())) = tokio::time::timeout_at(silence, self.read.readable()).await else { return };
            match self.read.try_read(&mut buffer) {
                Ok(n) if n > 0 => left = left.saturating_sub(n),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                _ => return,
            }
        }
    }
}

/// The stream of a connection.
#[derive(Debug)]
pub struct Patient {
    wire: Arc<Wire>,
    write: OwnedWriteHalf,
    limit: Duration,
    /// Since when nothing could be written.
    timer: Option<Pin<Box<Sleep>>>,
    /// By when what is being written has to be gone.
    until: Option<Instant>,
}

impl Patient {
    /// Lets a write that has to wait fail in the end.
    fn patiently(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.wire.stuck.store(written.is_pending(), Ordering::SeqCst);
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let now = Instant::now();
        let until = *self.until.get_or_insert(now + self.limit * PATIENCE);
        let limit = (now + self.limit).min(until);
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(limit)));
        match timer.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            std::task::ready!(self.wire.read.as_ref().poll_read_ready(context))?;
            match self.wire.read.try_read_buf(buffer) {
                Ok(n) => {
                    if n > 0 {
                        // Who sends the next request has the last answer.
                        self.until = None;
                    }
                    return Poll::Ready(Ok(()));
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                Err(e) => return Poll::Ready(Err(e)),
            }
        }
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.wire.ahead.load(Ordering::SeqCst) && !bytes.is_empty() {
            // That is out already.
            self.wire.ahead.store(false, Ordering::SeqCst);
            return Poll::Ready(Ok(FIRST.len()));
        }
        let written = Pin::new(&mut self.write).poll_write(context, bytes);
        if matches!(written, Poll::Ready(Ok(n)) if n > 0 && !(bytes.starts_with(CONTINUE) && n == bytes.len())) {
            self.wire.begun.store(true, Ordering::SeqCst);
        }
        self.patiently(context, written)
    }

    fn poll_write_vectored(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        if self.wire.ahead.load(Ordering::SeqCst) || !self.wire.begun.load(Ordering::SeqCst) {
            let first = bytes.iter().find(|b| !b.is_empty()).map_or(&[][..], |b| &**b);
            return self.poll_write(context, first);
        }
        let this = self.get_mut();
        let written = Pin::new(&mut this.write).poll_write_vectored(context, bytes);
        this.patiently(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.write.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_shutdown(context)
    }
}
