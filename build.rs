//! Tells the program which commit a release was made from. Other builds are not told: they would be made anew with each commit.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    // A folder of some other project's history says nothing about this one.
    let own = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    if git(&["rev-parse", "--show-toplevel"]).is_none_or(|top| Path::new(&top) != Path::new(&own)) {
        return;
    }
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    if let Some(commit) = git(&["log", "-1", "--format=%h %cs"]) {
        println!("cargo:rustc-env=OVERBAR_VERSION={} ({commit})", std::env::var("CARGO_PKG_VERSION").unwrap_or_default());
    }
}

/// What git answers, where it is there and has something to say.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
