//! What the page says is what `--facts`, `--stats`, `--explain` and `verify` say.

use super::page::Page;
use super::{SAMPLES, head_of};
use crate::common::{overbar_ok, root};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The facts about a sample.
pub fn facts(folder: &Path, file: &str, head: &[String], more: &[&str]) -> Value {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("facts.json");
    let path = path.to_str().unwrap();
    overbar_ok(folder, &[&["diff", file, "-d", "-b", &head[0], &head[1], "--facts", path, "-o", "/dev/null"], more].concat());
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn list(v: &Value) -> impl Iterator<Item = &Value> {
    v.as_array().into_iter().flatten()
}

#[test]
fn colours_are_those_of_the_facts() {
    for (sample, head) in SAMPLES {
        let folder = root().join("samples").join(Path::new(sample).parent().unwrap());
        let file = Path::new(sample).file_name().unwrap().to_str().unwrap();
        let head = head_of(head);
        let page = Page::parse(&overbar_ok(&folder, &["report", file, &head[0], &head[1], "--certificate", "none"]));
        let facts = facts(&folder, file, &head, &[]);
        let mut activity: BTreeMap<u64, u8> = BTreeMap::new();
        let mut recorded: BTreeMap<u64, Vec<(String, Vec<u64>)>> = BTreeMap::new();
        for u in list(&facts["units"]) {
            for s in list(&u["statements"]).filter(|s| ["assignment", "call", "opaque"].contains(&s["kind"].as_str().unwrap())) {
                let rank = match (s["varied"] == true, s["useful"] == true) {
                    (true, true) => 3,
                    (true, false) => 2,
                    (false, true) => 1,
                    _ => 0,
                };
                let known = activity.entry(s["line"].as_u64().unwrap()).or_default();
                *known = rank.max(*known);
                assert_eq!(s["active"] == true, rank == 3);
            }
            for d in list(&u["adjoints"]).flat_map(|a| list(&a["statements"])) {
                for r in list(&d["recorded"]).chain(list(&d["kept"])) {
                    let needed = list(&r["needed_by"]).filter_map(Value::as_u64).collect();
                    recorded.entry(d["line"].as_u64().unwrap()).or_default().push((r["variable"].as_str().unwrap().to_owned(), needed));
                }
            }
        }
        let lines = page.texts("src").len() as u64;
        for line in 1..=lines {
            let id = format!("s1-{line}");
            if page.goes_on(&id) {
                assert!(!activity.contains_key(&line) && page.says(&id).is_empty(), "{sample}:{line}");
                continue;
            }
            let (classes, marks) = (page.classes(&id), page.marks(&id));
            let rank = activity.get(&line).copied().unwrap_or(0);
            for (k, (class, letter)) in [("useful", 'u'), ("varied", 'v'), ("active", 'A')].into_iter().enumerate() {
                let on = rank as usize == k + 1;
                assert_eq!(classes.split(' ').any(|c| c == class), on, "{sample}:{line}: {class}");
                assert_eq!(marks.contains(letter), on, "{sample}:{line}: what a colour says, a letter says");
            }
            assert_eq!(classes.contains("recorded"), marks.contains('R'), "{sample}:{line}");
            assert_eq!(classes.contains("again"), marks.contains('C'), "{sample}:{line}");
            let says = page.says(&id);
            for (variable, needed) in recorded.get(&line).into_iter().flatten() {
                assert!(marks.contains('R'), "{sample}:{line}: {variable} is recorded");
                assert!(says.contains(variable.as_str()), "{sample}:{line}: {says}");
                for n in needed.iter().filter(|n| **n > 0) {
                    assert!(super::page::words(&says).any(|w| w == n.to_string()), "{sample}:{line}: for line {n}: {says}");
                }
            }
        }
    }
}

#[test]
fn formulas_are_those_of_the_statistics() {
    for (sample, head) in SAMPLES {
        let folder = root().join("samples").join(Path::new(sample).parent().unwrap());
        let file = Path::new(sample).file_name().unwrap().to_str().unwrap();
        let head = head_of(head);
        let out = tempfile::tempdir().unwrap();
        let (stats, told) = (out.path().join("stats.json"), out.path().join("told"));
        let explain = format!("--explain={}", told.display());
        let asked = ["-d", "-b", &head[0], &head[1], "--stats", stats.to_str().unwrap(), &explain];
        overbar_ok(&folder, &[&["diff", file, "-o", "/dev/null"], &asked[..]].concat());
        let page = Page::parse(&overbar_ok(&folder, &["report", file, &head[0], &head[1], "--certificate", "none"]));
        let stats: Value = serde_json::from_str(&std::fs::read_to_string(stats).unwrap()).unwrap();
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        let formula = |v: &Value| text(&v["formula"]);
        let line = |v: &Value| v["line"].as_u64().map(|l| l.to_string()).unwrap_or_default();
        let (mut units, mut records, mut loops, mut again) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for u in list(&stats["units"]) {
            let name = text(&u["unit"]);
            let exact = if u["upper_bound"] == true { "upper bound" } else { "yes" };
            let bytes = ["recorded_bytes", "peak_bytes", "held_at_end_bytes"].map(|k| formula(&u[k]));
            units.push([&[name.clone(), text(&u["of"]), text(&u["mode"])], &bytes[..], &[exact.to_owned()]].concat());
            for r in list(&u["records"]) {
                let of =
                    [text(&r["variable"]), text(&r["kept_in"]), formula(&r["bytes_each_time"]), formula(&r["times"]), text(&r["reason"])];
                records.push([&[name.clone(), line(r)], &of[..]].concat());
            }
            for l in list(&u["loops"]) {
                loops.push(vec![name.clone(), line(l), text(&l["head"]), formula(&l["iterations"]), formula(&l["recorded_bytes"])]);
            }
            for a in list(&u["computed_again"]) {
                again.push(vec![name.clone(), line(a), text(&a["statement"]), a["places"].to_string()]);
                if a["line"].is_u64() {
                    assert!(page.marks(&format!("s1-{}", a["line"])).contains('C'), "{sample}: {a}");
                }
            }
        }
        assert_eq!(page.table("Bytes"), units, "{sample}");
        assert_eq!(page.table("Recorded values"), records, "{sample}");
        assert_eq!(page.table("Loops that record"), loops, "{sample}");
        assert_eq!(page.table("Computed again"), again, "{sample}");
        // What was decided about sequences.
        let told = std::fs::read_to_string(told).unwrap();
        let sequences: Vec<&str> = told.lines().filter(|l| l.contains(" multiplications statement by statement, ")).collect();
        let rows = page.table("Sequences of statements, in multiplications of one direction");
        assert_eq!(rows.len(), sequences.len(), "{sample}");
        for (row, said) in rows.iter().zip(sequences) {
            let [_, unit, mode, _, statements, values, arrows, inputs, outputs, before, accumulation, left, method, verdict, why] =
                &row[..]
            else {
                panic!("{row:?}");
            };
            let wanted = format!(
                "{mode} of {unit}: {statements} statements, {values} values, {arrows} dependences, {inputs} inputs, {outputs} outputs: {before} \
                 multiplications statement by statement, {accumulation} + {left} with {method};"
            );
            assert!(said.contains(&wanted) && said.ends_with(&format!("{verdict}, {why}")), "{sample}: {said}\n{row:?}");
        }
    }
}

#[test]
fn the_certificate_is_that_of_verify() {
    let (sample, head) = SAMPLES[0];
    let folder = root().join("samples").join(Path::new(sample).parent().unwrap());
    let head = head_of(head);
    let page = Page::parse(&overbar_ok(&folder, &["report", "pendulum.c", &head[0], &head[1]]));
    let said = overbar_ok(&folder, &["verify", "pendulum.c", &head[0], &head[1], "--run", "interpreter", "--format", "json"]);
    let said: Value = serde_json::from_str(&said).unwrap();
    let section = page.section("certificate");
    for hash in ["input", "request", "generated"] {
        assert!(section.contains(said[hash].as_str().unwrap()), "{hash}: {section}");
    }
    let checks: Vec<Vec<String>> = list(&said["heads"][0]["checks"])
        .map(|c| {
            let result = match (c["passed"] == true, c["compared"].as_u64().unwrap()) {
                (false, _) => "failed",
                (true, 0) => "nothing to compare",
                _ => "ok",
            };
            let text = |k: &str| c[k].as_str().unwrap_or_default().to_owned();
            vec![text("engine"), text("name"), result.into(), c["compared"].to_string()]
        })
        .collect();
    let rows: Vec<Vec<String>> = page.table("Comparisons").into_iter().map(|r| r[..4].to_vec()).collect();
    assert_eq!(rows, checks);
    assert!(page.section("summary").contains("pass") && said["heads"][0]["verdict"] == "pass");
}
