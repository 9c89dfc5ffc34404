//! The reports of shards, joined.
//!
//! Lives here: which belong together, and that none is missing. Never here: how reports are written.

use super::data::{JSON, Report};
use crate::batch::plan::{STATE, Shard};
use std::collections::BTreeSet;
use std::path::Path;
use xaif::Diagnostic;

/// Joins the reports of all shards below an output folder.
///
/// # Errors
/// OB0147: there is none, one is missing or cannot be read, they are of different batches, an item is there twice or not at all.
pub fn merge(out: &Path) -> Result<Report, Vec<Diagnostic>> {
    let state = out.join(STATE);
    let wrong = |message: String, help: &str| Diagnostic::error("OB0147", message).help(help);
    let names = std::fs::read_dir(&state).into_iter().flatten().flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    let mut shards: Vec<Shard> = names
        .filter_map(|n| n.strip_prefix("shard-").and_then(|n| n.split_once("-of-")).and_then(|(i, n)| Shard::parse(&format!("{i}/{n}"))))
        .collect();
    shards.sort_by_key(|s| (s.count, s.index));
    let Some(first) = shards.first().copied() else {
        return Err(vec![wrong(
            format!("there are no shards in {}", state.display()),
            "run the batch with --shard I/N for each I from 1 to N",
        )]);
    };
    if let Some(other) = shards.iter().find(|s| s.count != first.count) {
        let message = format!("there are shards of {} and shards of {}", first.count, other.count);
        return Err(vec![wrong(message, "remove the folders of those that do not count")]);
    }
    let mut problems = Vec::new();
    let mut reports = Vec::new();
    for index in 1..=first.count {
        let shard = Shard { index, count: first.count };
        let path = state.join(shard.folder()).join(JSON);
        let read = std::fs::read(&path).map_err(|e| e.to_string());
        match read.and_then(|b| serde_json::from_slice::<Report>(&b).map_err(|e| e.to_string())) {
            Ok(r) => reports.push(r),
            Err(e) => {
                let message = format!("shard {index}/{} has no report: {}: {e}", first.count, path.display());
                problems.push(wrong(message, "run that shard, with --resume if it was begun"));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let Some((head, rest)) = reports.split_first() else { return Err(Vec::new()) };
    if let Some(other) = rest.iter().find(|r| r.plan != head.plan || r.tool != head.tool) {
        let (a, b) = (head.shard.as_deref().unwrap_or_default(), other.shard.as_deref().unwrap_or_default());
        let message = format!("the shards {a} and {b} had other items, options or another version of the tool");
        return Err(vec![wrong(message, "run all shards of the same batch, with --resume")]);
    }
    let mut out = Report { shard: None, seconds: 0.0, items: Vec::new(), ..head.clone() };
    for r in reports {
        out.seconds += r.seconds;
        out.items.extend(r.items);
    }
    out.items.sort_by(|a, b| a.output.cmp(&b.output));
    let names: BTreeSet<&str> = out.items.iter().map(|i| i.output.as_str()).collect();
    if names.len() != out.items.len() || names.len() != out.total {
        let message = format!("the shards have {} items with {} names, the batch has {}", out.items.len(), names.len(), out.total);
        return Err(vec![wrong(message, "run all shards of the same batch, with --resume")]);
    }
    out.count();
    Ok(out)
}
