//! Connections: accepted while there is room, given so much time, finished at the end.
//!
//! Lives here: sockets. Never here: what is said over them.

use super::{Peer, Service, router};
use crate::serve::settings::Serve;
use axum::body::Body;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep};
use tower::ServiceExt;

/// Heads of requests are no larger.
const HEAD: usize = 64 << 10;
/// A client that takes not even one byte of an answer for the time of a client is gone. One that takes next to nothing is, too, after so many of these.
const PATIENCE: u32 = 20;

/// Serves until `end` comes, and then until what runs is finished or the grace is over. `true`: everything was finished.
pub async fn serve(listener: TcpListener, service: Arc<Service>, settings: Arc<Serve>, end: impl Future<Output = ()>) -> bool {
    let room = Arc::new(Semaphore::new(settings.connections));
    let graceful = GracefulShutdown::new();
    let routes = router(Arc::clone(&service));
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(settings.client_time).max_buf_size(HEAD);
    tokio::pin!(end);
    loop {
        let next = async {
            // Only closing it makes this fail, which nobody does.
            let place = Arc::clone(&room).acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            next = next => next,
            () = &mut end => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(_) => {
                // No more files, say: others will be closed in time.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // Answers go out as they are written.
        let _ = stream.set_nodelay(true);
        let routes = routes.clone();
        let respond = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Peer(address.ip()));
            routes.clone().oneshot(request)
        });
        let connection = graceful.watch(http.serve_connection(TokioIo::new(Patient::new(stream, settings.client_time)), respond));
        tokio::spawn(async move {
            // What a client does to its own connection is no concern of ours.
            let _ = connection.await;
            drop(place);
        });
    }
    service.end();
    drop(listener);
    tokio::time::timeout(settings.grace, graceful.shutdown()).await.is_ok()
}

/// A stream that gives up when nobody takes what is written.
struct Patient {
    stream: TcpStream,
    limit: Duration,
    /// Since when nothing could be written.
    stuck: Option<Pin<Box<Sleep>>>,
    /// By when what is being written has to be gone.
    until: Option<Instant>,
}

impl Patient {
    fn new(stream: TcpStream, limit: Duration) -> Patient {
        Patient { stream, limit, stuck: None, until: None }
    }

    /// Lets a write that has to wait fail in the end.
    fn patiently<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let now = Instant::now();
        let until = *self.until.get_or_insert(now + self.limit * PATIENCE);
        let limit = (now + self.limit).min(until);
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(limit)));
        match stuck.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            // Who sends the next request has the last answer.
            self.until = None;
        }
        read
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.patiently(context, written)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.patiently(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
