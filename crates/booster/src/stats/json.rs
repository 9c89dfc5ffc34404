//! The answer of `--stats` as JSON. Lives here: names and order of its members. Never here: how they are found.

use super::formula::Formula;
use super::{Again, Looped, Recorded, UnitStats};
use serde_json::{Value, json};
use xaif::Program;
use xaif::model::Mode;

fn bytes(f: &Formula) -> Value {
    // Larger numbers than JSON readers keep exact stay text.
    let number = f.as_number().and_then(|n| i64::try_from(n).ok());
    json!({ "formula": f.to_string(), "value": number })
}

fn place(file: &str, line: u32) -> (Value, Value) {
    (if file.is_empty() { Value::Null } else { json!(file) }, if line == 0 { Value::Null } else { json!(line) })
}

fn record(r: &Recorded) -> Value {
    let (file, line) = place(&r.file, r.line);
    json!({
        "variable": r.variable,
        "kept_in": r.place,
        "file": file,
        "line": line,
        "reason": r.reason,
        "bytes_each_time": bytes(&r.bytes),
        "times": bytes(&r.times),
    })
}

fn looped(l: &Looped) -> Value {
    let (file, line) = place(&l.file, l.line);
    json!({ "file": file, "line": line, "head": l.text, "iterations": bytes(&l.iterations), "recorded_bytes": bytes(&l.bytes) })
}

fn again(a: &Again) -> Value {
    let (file, line) = place(&a.file, a.line);
    json!({ "file": file, "line": line, "statement": a.text, "places": a.places })
}

/// What adjoint units record, as JSON.
pub fn json(program: &Program, stats: &[UnitStats]) -> Value {
    let unit = |u: &UnitStats| {
        let mode = match u.mode {
            Mode::Tangent => "tangent",
            Mode::Adjoint => "adjoint",
            Mode::Forward => "forward sweep",
            Mode::Reverse => "reverse sweep",
        };
        let symbols: Vec<Value> = u.symbols.iter().map(|(n, m)| json!({ "name": n, "meaning": m })).collect();
        json!({
            "unit": program.unit_name(u.unit),
            "of": program.unit_name(u.of),
            "mode": mode,
            "recorded_bytes": bytes(&u.cost.taped),
            "peak_bytes": bytes(&u.cost.peak),
            "held_at_end_bytes": bytes(&u.cost.net),
            "upper_bound": u.bound,
            "symbols": symbols,
            "loops": u.loops.iter().map(looped).collect::<Vec<_>>(),
            "records": u.records.iter().map(record).collect::<Vec<_>>(),
            "computed_again": u.again.iter().map(again).collect::<Vec<_>>(),
        })
    };
    json!({ "tool": format!("overbar {}", env!("CARGO_PKG_VERSION")), "units": stats.iter().map(unit).collect::<Vec<_>>() })
}
