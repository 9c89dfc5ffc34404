//! The page for people.
//!
//! Lives here: handing it out, with the policy that lets it run nothing but itself. Never here: what is on it (`page.html`).

use super::answer::plain;
use crate::page::BASE;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// With what all pages look like.
static PAGE: LazyLock<String> = LazyLock::new(|| include_str!("page.html").replacen("<style>\n", &format!("<style>\n{BASE}"), 1));

/// The page.
pub async fn page() -> Response {
    let mut out = plain(200, "text/html; charset=utf-8", PAGE.as_str());
    if let Ok(policy) = HeaderValue::from_str(&policy()) {
        out.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    out
}

/// The one script and the one style of the page, by their hashes; requests to this service; drawings that it has made.
fn policy() -> String {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hash("script"),
        hash("style")
    )
}

/// The hash of what stands in an element, as policies name it.
fn hash(element: &str) -> String {
    let inner = PAGE
        .split_once(&format!("<{element}>"))
        .and_then(|(_, rest)| rest.split_once(&format!("</{element}>")))
        .map_or("", |(text, _)| text);
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(inner)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_one_script_one_style_and_nothing_from_elsewhere() {
        assert_eq!((PAGE.matches("<script").count(), PAGE.matches("<style").count()), (1, 1));
        for outside in ["http://", "https://", "//cdn", " src=", " href=", " style=", "onclick=", "innerHTML", "eval("] {
            assert!(!PAGE.contains(outside), "{outside}");
        }
        assert!(policy().matches("sha256-").count() == 2 && !policy().contains("unsafe"));
    }
}
