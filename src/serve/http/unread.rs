//! Bodies that were answered before they were read.
//!
//! Lives here: what becomes of the rest. Never here: what is read (`body`), what becomes of the connection (`connection`).

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

/// So much of a rest is taken in, that the connection may go on.
const REST: usize = 256 << 10;
/// If it comes within this time.
const SOON: Duration = Duration::from_millis(50);

/// A body that is still there when whoever was given it has dropped it.
#[derive(Clone, Debug)]
struct Kept(Arc<Mutex<Body>>);

impl HttpBody for Kept {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).size_hint()
    }
}

/// Takes in what is left of a small body; of others the answer says that the connection ends with it, for the rest would be taken for the next request.
pub async fn announced(request: axum::extract::Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    if body.is_end_stream() {
        return next.run(axum::extract::Request::from_parts(head, body)).await;
    }
    // Who waits to be asked for it is not asked.
    let waits = head.headers.contains_key(header::EXPECT);
    let mut kept = Kept(Arc::new(Mutex::new(body)));
    let mut response = next.run(axum::extract::Request::from_parts(head, Body::new(kept.clone()))).await;
    if !kept.is_end_stream() && (waits || !taken_in(&mut kept).await) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Whether all that is left came soon.
async fn taken_in(body: &mut Kept) -> bool {
    let rest = async {
        let mut taken = 0;
        while let Some(frame) = body.frame().await {
            taken += frame.ok()?.data_ref().map_or(0, Bytes::len);
            if taken > REST {
                return None;
            }
        }
        Some(())
    };
    tokio::time::timeout(SOON, rest).await.ok().flatten().is_some()
}
