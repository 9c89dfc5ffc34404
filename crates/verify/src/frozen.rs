//! Comparison with an earlier certificate: nothing may differ.
//!
//! Lives here: which differences count, and how they are told. Never here: files.

use super::certificate::Certificate;
use overbar_evaluate::fault::fault;
use serde_json::Value as Json;
use xaif::Diagnostic;

/// Differences beyond this number are not told one by one.
const MAX_TOLD: usize = 20;

/// What differs from an earlier certificate in JSON; an error too where either of them checked nothing.
///
/// Values and derivatives are not compared with each other but through their verdicts: sizes of errors differ from machine to machine, within their
/// tolerances.
///
/// # Errors
/// Text that is no certificate, and every difference.
pub fn compare(now: &Certificate, earlier: &str) -> Result<(), Vec<Diagnostic>> {
    let broken = |why: String| vec![*fault("OB6070", format!("the earlier certificate is none: {why}"))];
    let before: Json = serde_json::from_str(earlier).map_err(|e| broken(e.to_string()))?;
    let after = serde_json::to_value(now).map_err(|e| broken(e.to_string()))?;
    if before.get("heads").and_then(Json::as_array).is_none() {
        return Err(broken("it has no heads".into()));
    }
    let checked = |c: &Json| {
        let numbers = c["heads"].as_array().into_iter().flatten().flat_map(|h| h["checks"].as_array().into_iter().flatten());
        numbers.filter_map(|k| k["compared"].as_u64()).sum::<u64>()
    };
    let mut out = Vec::new();
    if checked(&before) == 0 {
        out.push(*fault("OB6071", "the earlier certificate checked nothing"));
    }
    if checked(&after) == 0 {
        out.push(*fault("OB6071", "nothing was checked"));
    }
    differences("certificate", &before, &after, &mut out);
    if out.is_empty() { Ok(()) } else { Err(out) }
}

/// What may differ between machines.
fn varies(key: &str) -> bool {
    matches!(key, "worst" | "detail")
}

fn differences(path: &str, a: &Json, b: &Json, out: &mut Vec<Diagnostic>) {
    if out.len() >= MAX_TOLD {
        return;
    }
    match (a, b) {
        (Json::Object(x), Json::Object(y)) => {
            let keys: std::collections::BTreeSet<&String> = x.keys().chain(y.keys()).filter(|k| !varies(k)).collect();
            for k in keys {
                differences(&format!("{path}.{k}"), x.get(k).unwrap_or(&Json::Null), y.get(k).unwrap_or(&Json::Null), out);
            }
        }
        (Json::Array(x), Json::Array(y)) if x.len() == y.len() => {
            for (k, (p, q)) in x.iter().zip(y).enumerate() {
                differences(&format!("{path}[{k}]"), p, q, out);
            }
        }
        // Slopes of differences depend on the rounding of library functions.
        (Json::Number(x), Json::Number(y)) if x.is_f64() && y.is_f64() => {
            let (x, y) = (x.as_f64().unwrap_or(f64::NAN), y.as_f64().unwrap_or(f64::NAN));
            if (x - y).abs() > 1e-6 * x.abs().max(y.abs()) {
                out.push(*fault("OB6072", format!("{path} was {x:e} and is {y:e}")));
            }
        }
        _ if a != b => out.push(*fault("OB6072", format!("{path} was {} and is {}", short(a), short(b)))),
        _ => {}
    }
}

fn short(v: &Json) -> String {
    let text = v.to_string();
    if text.chars().count() > 80 { format!("{}...", text.chars().take(77).collect::<String>()) } else { text }
}
