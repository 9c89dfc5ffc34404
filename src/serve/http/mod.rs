//! The service over HTTP: which request goes where.
//!
//! Lives here: the routes, and the way of a request through admission, body, worker and answer. Never here: connections (`connection`), what is done
//! (`work`).
//!
//! * `wire`, `room`: sockets, and how many there may be
//! * `body`, `parts`: from bytes to a request; `unread`: bodies that nobody read
//! * `answer`: back
//! * `fixed`: what is the same for everybody: schemas, tables
//! * `openapi`, `page`: the description for programs, the page for people
//! * `metrics`: what is counted

mod answer;
mod body;
pub mod connection;
mod fixed;
mod metrics;
mod openapi;
mod page;
mod parts;
mod room;
mod unread;
mod wire;

use super::failure::Failure;
use super::forms::{Accept, Form};
use super::pool::Pool;
use super::protocol::{Given, Request};
use crate::arguments::serve::Serve;
use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{get, post};
use body::Held;
use metrics::Metrics;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

type Incoming = axum::http::Request<Body>;

/// Commands that have an endpoint, and what is sent to it.
pub const ENDPOINTS: [&str; 10] = ["boost", "diff", "validate", "verify", "eliminate", "frontend", "backend", "eval", "plot", "units"];

/// Answers up to that size are read at once.
const SMALL: usize = 1 << 20;

/// What all requests share.
pub struct Service {
    settings: Arc<Serve>,
    pool: Pool,
    held: Arc<Held>,
    clients: Mutex<HashMap<IpAddr, usize>>,
    metrics: Metrics,
    ending: AtomicBool,
}

/// Whose request it is.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// A request of a client, as long as it lasts.
struct Ticket<'a> {
    service: &'a Service,
    client: IpAddr,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut clients = self.service.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(n) = clients.get_mut(&self.client) {
            *n -= 1;
            if *n == 0 {
                clients.remove(&self.client);
            }
        }
    }
}

impl Service {
    /// With workers.
    ///
    /// # Errors
    /// They cannot be started.
    pub fn new(settings: Arc<Serve>) -> std::io::Result<Service> {
        Ok(Service {
            pool: Pool::start(Arc::clone(&settings))?,
            held: Held::new(settings.held_bytes),
            clients: Mutex::default(),
            metrics: Metrics::default(),
            ending: AtomicBool::new(false),
            settings,
        })
    }

    /// Nothing new is begun from now on.
    pub fn end(&self) {
        self.ending.store(true, Ordering::SeqCst);
    }

    fn admit(&self, client: IpAddr) -> Result<Ticket<'_>, Failure> {
        if self.ending.load(Ordering::SeqCst) {
            return Err(Failure::Ending);
        }
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let n = clients.entry(client).or_insert(0);
        if self.settings.per_client > 0 && *n >= self.settings.per_client {
            return Err(Failure::Client(self.settings.per_client));
        }
        *n += 1;
        Ok(Ticket { service: self, client })
    }
}

/// All routes.
pub fn router(service: Arc<Service>) -> Router {
    let mut router = Router::new();
    for command in ENDPOINTS {
        let handler =
            move |State(service): State<Arc<Service>>, request: Incoming| async move { perform(&service, command, request).await };
        router = router.route(&format!("/v1/{command}"), post(handler));
    }
    router
        .route("/", get(page::page))
        .route("/v1/schema", get(fixed::schemas))
        .route("/v1/schema/", get(fixed::schemas))
        .route("/v1/schema/{name}", get(fixed::schema))
        .route("/v1/intrinsics", get(fixed::intrinsics))
        .route("/v1/runtime/{language}", get(fixed::runtime))
        .route("/v1/explain/{code}", get(fixed::explain))
        .route("/v1/openapi.json", get(openapi::document))
        .route("/healthz", get(|| async { answer::plain(200, "text/plain", "ok\n") }))
        .route("/readyz", get(ready))
        .route("/metrics", get(numbers))
        .fallback(unknown)
        .method_not_allowed_fallback(other_method)
        .layer(tower_http::compression::CompressionLayer::new().gzip(true))
        .layer(middleware::from_fn(unread::announced))
        .layer(middleware::from_fn_with_state(Arc::clone(&service), counted))
        .with_state(service)
}

/// The form of diagnostics that a client takes.
fn form(headers: &HeaderMap, output: &[&str]) -> (Accept, Result<Form, Failure>) {
    let all: Vec<&str> = headers.get_all(header::ACCEPT).iter().filter_map(|v| v.to_str().ok()).collect();
    let accept = Accept::read((!all.is_empty()).then(|| all.join(",")).as_deref());
    let form = accept.form(output).ok_or(Failure::Unacceptable);
    (accept, form)
}

/// A request to a command.
async fn perform(service: &Service, command: &'static str, incoming: Incoming) -> Response {
    let (accept, form) = form(incoming.headers(), outputs(command));
    let fallback = *form.as_ref().unwrap_or(&Form::Json);
    let done = async {
        let form = form?;
        let (head, body) = incoming.into_parts();
        let client = head.extensions.get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |p| p.0);
        let _ticket = service.admit(client)?;
        let (bytes, share) = body::read(&head.headers, body, &service.settings, &service.held).await?;
        service.metrics.took(bytes.len());
        let mut request = parts::request(command, &head.uri, &head.headers, bytes).await?;
        request.form = form;
        negotiate(&mut request, &accept);
        let line = serde_json::to_vec(&request).map_err(|e| Failure::Encoding(e.to_string()))?;
        drop(request);
        let line = service.pool.perform(&line).await?;
        drop(share);
        service.metrics.gave(line.len());
        if line.len() <= SMALL {
            return Ok(answer::answered(line, form));
        }
        // Reading a large one takes its time, in which others want to be heard.
        let answered = tokio::task::spawn_blocking(move || answer::answered(line, form)).await;
        answered.map_err(|_| Failure::Died("its answer cannot be read".to_owned()))
    };
    done.await.unwrap_or_else(|failure: Failure| {
        service.metrics.failed(failure.name());
        answer::failed(failure, fallback)
    })
}

/// Media types of the outputs of a command.
fn outputs(command: &str) -> &'static [&'static str] {
    match command {
        "boost" | "frontend" => &["application/xml", "text/xml"],
        "diff" | "backend" => &["text/x-c", "text/x-fortran"],
        "plot" => &["image/svg+xml", "text/vnd.graphviz"],
        "eliminate" => &["application/json", "text/plain", "text/x-c", "text/x-fortran"],
        "verify" => &["application/json", "application/xml", "text/xml", "text/plain"],
        _ => &["application/json"],
    }
}

/// Where the form of the output is open, what is accepted decides.
fn negotiate(request: &mut Request, accept: &Accept) {
    let known: &[(&str, &str)] = match request.command.as_str() {
        "eliminate" if !request.options.contains_key("emit") => &[("application/json", "json"), ("text/plain", "text")],
        "verify" => &[("application/json", "json"), ("application/xml", "xml"), ("text/xml", "xml"), ("text/plain", "text")],
        "plot" => &[("image/svg+xml", "svg"), ("text/vnd.graphviz", "dot")],
        _ => return,
    };
    let types: Vec<&str> = known.iter().map(|(t, _)| *t).collect();
    if let Some(format) = accept.first(&types).and_then(|t| known.iter().find(|(k, _)| *k == t)) {
        request.options.entry("format".to_owned()).or_insert_with(|| Given::One(format.1.to_owned()));
    }
}

async fn ready(State(service): State<Arc<Service>>) -> Response {
    if !service.ending.load(Ordering::SeqCst) && service.pool.ready() {
        answer::plain(200, "text/plain", "ready\n")
    } else {
        answer::plain(503, "text/plain", "not ready\n")
    }
}

async fn numbers(State(service): State<Arc<Service>>) -> Response {
    let text = service.metrics.text(&service.pool.state(), service.held.now());
    answer::plain(200, "text/plain; version=0.0.4; charset=utf-8", text)
}

async fn unknown(request: Incoming) -> Response {
    let form = form(request.headers(), &[]).1.unwrap_or_default();
    let path: String = request.uri().path().chars().take(200).collect();
    answer::failed(Failure::Unknown(path), form)
}

async fn other_method(method: Method, request: Incoming) -> Response {
    let form = form(request.headers(), &[]).1.unwrap_or_default();
    let path: String = request.uri().path().chars().take(200).collect();
    answer::failed(Failure::Method(format!("{path} is not for {}", method.as_str().chars().take(20).collect::<String>())), form)
}

/// Counts a request, also one whose client goes away, and says what browsers must not do with the answer.
async fn counted(State(service): State<Arc<Service>>, request: Incoming, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("other".to_owned(), |p| p.as_str().to_owned());
    let mut running = service.metrics.begin(route);
    let mut response = next.run(request).await;
    running.end(response.status().as_u16());
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; sandbox"));
    }
    headers.insert(HeaderName::from_static("referrer-policy"), HeaderValue::from_static("no-referrer"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
