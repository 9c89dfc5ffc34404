//! Connections: accepted while there is room, given so much time, finished at the end.
//!
//! Lives here: the life of a connection. Never here: what is said over it, sockets (`wire`), places (`room`).

use super::room::{Full, Place, Room};
use super::wire::{HALF_CLOSE, Patient, Wire};
use super::{Peer, Service, answer, router};
use crate::arguments::serve::Serve;
use crate::serve::failure::Failure;
use axum::Router;
use axum::body::Body;
use http_body_util::BodyExt;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt;

/// Heads of requests are no larger.
const HEAD: usize = 64 << 10;
/// So many clients at once are told that they have no place; others find their connection closed.
const TOLD: usize = 256;

/// Serves until `end` comes, and then until what runs is finished or the grace is over. `true`: everything was finished.
pub async fn serve(listener: TcpListener, service: Arc<Service>, settings: Arc<Serve>, end: impl Future<Output = ()>) -> bool {
    let room = Room::new(settings.connections, settings.client_connections);
    let turned_away = Arc::new(Semaphore::new(TOLD));
    let graceful = GracefulShutdown::new();
    let routes = router(Arc::clone(&service));
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(settings.head_time.min(settings.client_time)).max_buf_size(HEAD);
    http.half_close(HALF_CLOSE);
    tokio::pin!(end);
    loop {
        let accepted = tokio::select! {
            next = next(&listener, &room, &settings) => next,
            () = &mut end => break,
        };
        let Some((wire, stream, client, place)) = accepted else { continue };
        let most = settings.body_bytes;
        let Some(place) = place else {
            if let Ok(permit) = Arc::clone(&turned_away).try_acquire_owned() {
                let refused = turn_away(wire, stream, settings.client_connections, most);
                tokio::spawn(async move { (refused.await, drop(permit)) });
            }
            continue;
        };
        let respond = responder(routes.clone(), Arc::clone(&wire), client);
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), respond));
        tokio::spawn(async move {
            let finished = tokio::select! {
                biased;
                // What a client does to its own connection is no concern of ours.
                _ = connection => true,
                () = wire.gone() => false,
                () = place.needed() => false,
            };
            if finished {
                wire.linger(most).await;
            }
            drop(place);
        });
    }
    service.end();
    drop(listener);
    tokio::time::timeout(settings.grace, graceful.shutdown()).await.is_ok()
}

/// The next connection, with a place where its client may have one.
async fn next(listener: &TcpListener, room: &Arc<Room>, settings: &Serve) -> Option<(Arc<Wire>, Patient, IpAddr, Option<Place>)> {
    let (stream, address) = match listener.accept().await {
        Ok(accepted) => accepted,
        Err(_) => {
            // No more files, say: others will be closed in time.
            tokio::time::sleep(Duration::from_millis(50)).await;
            return None;
        }
    };
    // Answers go out as they are written.
    let _ = TcpStream::set_nodelay(&stream, true);
    let client = address.ip().to_canonical();
    let (wire, stream) = Wire::new(stream, settings.client_time);
    loop {
        match room.enter(client, &wire) {
            Ok(place) => return Some((wire, stream, client, Some(place))),
            Err(Full::Client) => return Some((wire, stream, client, None)),
            Err(Full::All) => room.freed().await,
        }
    }
}

/// Answers requests; each counts until its answer is written.
fn responder(
    routes: Router,
    wire: Arc<Wire>,
    client: IpAddr,
) -> impl hyper::service::Service<
    hyper::Request<hyper::body::Incoming>,
    Response = axum::response::Response,
    Error = std::convert::Infallible,
    Future: Send + 'static,
> {
    hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let busy = wire.request();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(client));
        let answer = routes.clone().oneshot(request);
        async move {
            let answer = answer.await?;
            // The body is there as long as something of it is to be written.
            Ok(answer.map(|body| {
                Body::new(body.map_err(move |e| {
                    let _ = &busy;
                    e
                }))
            }))
        }
    })
}

/// Tells a client that it has too many connections.
async fn turn_away(wire: Arc<Wire>, mut stream: Patient, most: usize, bytes: usize) {
    use tokio::io::AsyncWriteExt;
    let response = answer::failed(Failure::Connections(most), crate::serve::forms::Form::Json);
    let (head, body) = response.into_parts();
    let body = body.collect().await.map(|b| b.to_bytes()).unwrap_or_default();
    let mut text = format!("HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: {}\r\n", head.status, body.len()).into_bytes();
    for (name, value) in &head.headers {
        text.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    text.extend(b"\r\n");
    text.extend(&body);
    let _ = stream.write_all(&text).await;
    let _ = stream.shutdown().await;
    wire.linger(bytes).await;
}
