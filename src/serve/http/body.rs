//! The body of a request: taken in within limits of size and time, decompressed within the same.
//!
//! Lives here: bytes. Never here: what they mean.

use crate::arguments::serve::Serve;
use crate::serve::failure::Failure;
use axum::body::Body;
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many bytes of bodies are held by all requests together.
#[derive(Debug)]
pub struct Held {
    now: AtomicUsize,
    most: usize,
}

impl Held {
    /// None yet.
    pub fn new(most: usize) -> Arc<Held> {
        Arc::new(Held { now: AtomicUsize::new(0), most })
    }

    /// How many there are.
    pub fn now(&self) -> usize {
        self.now.load(Ordering::Relaxed)
    }
}

/// The part of one request in that; given back when it is dropped.
#[derive(Debug)]
pub struct Share {
    held: Arc<Held>,
    bytes: usize,
}

impl Share {
    fn new(held: &Arc<Held>) -> Share {
        Share { held: Arc::clone(held), bytes: 0 }
    }

    fn grow(&mut self, by: usize) -> Result<(), Failure> {
        let before = self.held.now.fetch_add(by, Ordering::Relaxed);
        self.bytes += by;
        if before.saturating_add(by) > self.held.most {
            Err(Failure::Busy("the bodies of all requests are too large".to_owned()))
        } else {
            Ok(())
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.held.now.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Takes a body in.
pub async fn read(headers: &HeaderMap, mut body: Body, settings: &Serve, held: &Arc<Held>) -> Result<(Vec<u8>, Share), Failure> {
    let coding = coding(headers)?;
    let most = settings.body_bytes;
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()).and_then(|v| v.parse::<u64>().ok());
    let mut share = Share::new(held);
    if announced.is_some_and(|n| n > most as u64) {
        return Err(Failure::Body("as it is sent", most));
    }
    let mut bytes: Vec<u8> = Vec::new();
    let all = async {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|e| Failure::Encoding(format!("it broke off ({e})")))?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > most {
                return Err(Failure::Body("as it is sent", most));
            }
            share.grow(data.len())?;
            bytes.extend_from_slice(&data);
        }
        Ok(())
    };
    tokio::time::timeout(settings.client_time, all).await.unwrap_or(Err(Failure::Slow))?;
    if coding {
        let packed = std::mem::take(&mut bytes);
        let unpacked = tokio::task::spawn_blocking(move || unpack(&packed, most)).await;
        bytes = unpacked.map_err(|_| Failure::Encoding("it cannot be decompressed".to_owned()))??;
        share.grow(bytes.len())?;
    }
    Ok((bytes, share))
}

/// Whether the body is compressed.
fn coding(headers: &HeaderMap) -> Result<bool, Failure> {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter().flat_map(|v| v.to_str().unwrap_or("?").split(',')).map(str::trim);
    let coding = codings.find(|c| !c.is_empty() && !c.eq_ignore_ascii_case("identity"));
    match coding {
        None => Ok(false),
        Some(c) if (c.eq_ignore_ascii_case("gzip") || c.eq_ignore_ascii_case("x-gzip")) && codings.next().is_none() => Ok(true),
        Some(c) => Err(Failure::Coding(c.chars().take(60).collect())),
    }
}

/// Decompresses no more than may be.
fn unpack(packed: &[u8], most: usize) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    let unpacked = flate2::read::MultiGzDecoder::new(packed).take(most as u64 + 1).read_to_end(&mut out);
    match unpacked {
        Err(e) => Err(Failure::Encoding(format!("it is no gzip ({e})"))),
        Ok(_) if out.len() > most => Err(Failure::Body("decompressed", most)),
        Ok(_) => Ok(out),
    }
}
