//! Real XAIF files, run: the Jacobian of the original by dual numbers, and of the boosted program in both modes, against the Jacobians
//! that were published with the files. The table may not get worse.

use crate::common;

use overbar::Options;
use overbar::evaluate::{Data, Fault, Inputs, Limits, Sweep, Values, jacobian, run, run_sweeps};
use std::collections::BTreeMap;
use xaif::Program;
use xaif::model::{Intent, UnitId};

/// What came out before, by file: original, tangent, adjoint. `OVERBAR_TABLE=write` writes it anew.
const TABLE: &str = "tests/corpus/TABLE.tsv";

/// How good an outcome is; one that says what is missing is as good as any other such.
fn merit(outcome: &str) -> u8 {
    match outcome {
        "equal" => 3,
        "own point" => 2,
        "ran" => 1,
        _ => 0,
    }
}

/// The code of an outcome that is none of the above, or what it says in short.
fn brief(outcome: &str) -> String {
    if merit(outcome) > 0 || outcome.starts_with("refused") {
        return outcome.to_owned();
    }
    match outcome.split(':').next() {
        Some(code) if code.starts_with("OB") => format!("cannot be executed, {code}"),
        _ => "differs".to_owned(),
    }
}

/// A published Jacobian: entries by row and column (from 1), by differentiated code and by differences.
type Published = BTreeMap<(usize, usize), (Option<f64>, Option<f64>)>;

fn published(table: &str, example: &str) -> Published {
    let mut out = Published::new();
    for line in table.lines().skip(1) {
        let f: Vec<&str> = line.split('\t').collect();
        if f.len() >= 5 && f[0] == example {
            let position = (f[1].parse().unwrap(), f[2].parse().unwrap());
            out.insert(position, (f[3].parse().ok(), f[4].parse().ok()));
        }
    }
    out
}

/// Differences are good to a few digits only; where differentiated code gave a value, that one counts.
fn compare(ours: &[Vec<f64>], theirs: &Published) -> Result<(), String> {
    for (&(i, j), &(ad, dd)) in theirs {
        let Some(&x) = ours.get(i - 1).and_then(|r| r.get(j - 1)) else {
            // A driver may count more arguments than there are; what it prints there is zero.
            if ad == Some(0.0) {
                continue;
            }
            return Err(format!("no entry ({i},{j})"));
        };
        let (expected, tolerance) = match (ad, dd) {
            (Some(a), _) => (a, 1e-10),
            (None, Some(d)) => (d, 1e-4),
            (None, None) => continue,
        };
        let scale = ours.iter().flatten().fold(1.0f64, |s, e| s.max(e.abs()));
        if (x - expected).abs() > tolerance * expected.abs().max(1e-3 * scale) && !(x.is_nan() && expected.is_nan()) {
            return Err(format!("({i},{j}) is {x}, published {expected} (differences {dd:?})"));
        }
    }
    Ok(())
}

/// An argument with its number of elements: declared, else as the driver says.
struct Argument {
    name: String,
    count: usize,
    shape: Vec<usize>,
}

/// Independents and dependents: x and y, else the arguments that are only read and those that are written.
fn arguments(program: &Program, unit: UnitId, n: usize, m: usize) -> Option<(Vec<Argument>, Vec<Argument>)> {
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    for f in &program.unit(unit).formals {
        let s = program.symbol(f.symbol);
        if !s.ty.is_real() {
            return None;
        }
        let numbered = s.name.strip_prefix(['x', 'X']).is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
        let independent = numbered || (f.intent == Intent::In && !s.name.eq_ignore_ascii_case("y"));
        let driver = if independent { n } else { m };
        let (count, shape) = if s.rank == 0 {
            (1, Vec::new())
        } else if s.bounds.len() == usize::from(s.rank) {
            let extents: Vec<usize> = s.bounds.iter().rev().map(|(l, u)| (u - l + 1).max(0) as usize).collect();
            (extents.iter().product(), extents)
        } else {
            (driver, vec![driver])
        };
        let list = if independent { &mut xs } else { &mut ys };
        list.push(Argument { name: s.name.to_string(), count, shape });
    }
    (!xs.is_empty() && !ys.is_empty()).then_some((xs, ys))
}

fn total(list: &[Argument]) -> usize {
    list.iter().map(|a| a.count).sum()
}

/// All arguments of a side, filled from one sequence.
fn fill(list: &[Argument], f: impl Fn(usize) -> f64) -> Values<f64> {
    let mut next = 0;
    let mut out = Values::new();
    for a in list {
        let values: Vec<f64> = (next..next + a.count).map(&f).collect();
        next += a.count;
        out.insert(a.name.clone(), Data::reals(&values).shaped(&a.shape));
    }
    out
}

/// The Jacobian by the boosted program: columns by the tangent, rows by the adjoint.
#[allow(clippy::needless_range_loop)] // k is a row in one mode and a column in the other
fn boosted(
    program: &Program,
    tangent: bool,
    values: &Values<f64>,
    x: &[Argument],
    y: &[Argument],
    limits: &Limits,
) -> Result<Vec<Vec<f64>>, String> {
    let options = Options { tangent, adjoint: !tangent, ..Options::default() };
    let boosted = overbar::boost(program.clone(), &options).map_err(|d| format!("refused, {}", d[0].code))?.program;
    // Containers become units with graphs in adjoint output, but keep their places.
    let unit = head(program).ok_or("the head is lost")?;
    let (n, m) = (total(x), total(y));
    let mut out = vec![vec![0.0; n]; m];
    let runs = if tangent { n } else { m };
    for k in 0..runs {
        let (seeded, read, sweeps): (_, _, &[Sweep]) =
            if tangent { (x, y, &[Sweep::Plain]) } else { (y, x, &[Sweep::Tape, Sweep::Adjoint]) };
        let derivatives = fill(seeded, |j| if j == k { 1.0 } else { 0.0 });
        let run = run_sweeps(&boosted, unit, &Inputs { values: values.clone(), derivatives }, sweeps, limits).map_err(reason)?;
        if run.counters.left > 0 {
            return Err(format!("{} records are left on the stack", run.counters.left));
        }
        let list = read.iter().flat_map(|a| run.derivatives.get(&a.name).map_or(vec![0.0; a.count], Data::to_reals));
        for (j, v) in list.enumerate() {
            if tangent {
                out[j][k] = v;
            } else {
                out[k][j] = v;
            }
        }
    }
    Ok(out)
}

#[allow(clippy::boxed_local)] // faults come in boxes
fn reason(e: Fault) -> String {
    format!("{}: {}", e.code, e.message)
}

fn head(program: &Program) -> Option<UnitId> {
    let mut all = program.unit_ids().filter(|&u| !program.unit(u).is_container());
    program.unit_named("head").or_else(|| all.next().filter(|_| all.next().is_none()))
}

fn near(a: &[Vec<f64>], b: &[Vec<f64>]) -> bool {
    let scale = a.iter().flatten().fold(1.0f64, |s, e| s.max(e.abs()));
    a.len() == b.len() && a.iter().flatten().zip(b.iter().flatten()).all(|(x, y)| (x - y).abs() <= 1e-11 * scale)
}

#[test]
fn published_jacobians_come_out() {
    let Some(folder) = common::shared("xaif/corpus") else { return };
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let (index, jacobians) = (text("INDEX.tsv"), text("JACOBIANS.tsv"));
    let table = text("DRIVERS.tsv");
    let with_own_driver = |l: &&str| l.split('\t').nth(3).is_some_and(|d| d != "generic");
    let drivers: Vec<&str> = table.lines().skip(1).filter(with_own_driver).filter_map(|l| l.split('\t').next()).collect();
    let limits = Limits { steps: 5_000_000, ..Limits::default() };
    let mut counts = [0usize; 3];
    let mut rows: Vec<String> = Vec::new();
    println!("{:28} {:12} {:12} {:12}", "file", "original", "tangent", "adjoint");
    for line in index.lines().skip(1) {
        let f: Vec<&str> = line.split('\t').collect();
        let (example, n, m) = (f[0], f[17].parse().unwrap_or(1), f[18].parse().unwrap_or(1));
        let file = folder.join(format!("{example}.xaif"));
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let (program, _) = xaif::read::read(example, &bytes, &xaif::read::Limits::default()).unwrap();
        let theirs = published(&jacobians, example);
        let Some((unit, (x, y))) = head(&program).and_then(|u| Some((u, arguments(&program, u, n, m)?))) else {
            println!("{example:28} no head, or one with other arguments");
            rows.push(format!("{example}\tno head\tno head\tno head"));
            continue;
        };
        let mut values = fill(&x, |i| (i + 1) as f64 / 2.0);
        values.extend(fill(&y, |_| 0.0));
        let names = |list: &[Argument]| list.iter().map(|a| a.name.clone()).collect::<Vec<_>>();
        let (xs, ys) = (names(&x), names(&y));
        let (xs, ys): (Vec<&str>, Vec<&str>) = (xs.iter().map(String::as_str).collect(), ys.iter().map(String::as_str).collect());
        let inputs = Inputs { values: values.clone(), derivatives: Values::new() };
        let mut limits = limits;
        let mut notes = 0;
        // Programs that rely on variables that were never set are run once more with zeros.
        if let Err(e) = run(&program, unit, &inputs, &limits)
            && e.code == "OB6010"
        {
            limits.zero_start = true;
        }
        let opaque = run(&program, unit, &inputs, &limits).map_or(0, |o| o.notes.len());
        notes += opaque;
        let original = jacobian(&program, unit, &inputs, &ys, &xs, &limits).map(|j| j.entries).map_err(reason);
        let attempts = [original, boosted(&program, true, &values, &x, &y, &limits), boosted(&program, false, &values, &x, &y, &limits)];
        let mut row = Vec::new();
        let own_point = attempts[0].clone().ok().filter(|j| drivers.contains(&example) && compare(j, &theirs).is_err());
        for (k, ours) in attempts.iter().cloned().enumerate() {
            row.push(match ours.and_then(|j| compare(&j, &theirs)) {
                Ok(()) if theirs.is_empty() => "ran".to_owned(),
                Ok(()) => {
                    counts[k] += 1;
                    "equal".to_owned()
                }
                // Published at another point: the boosted program has to agree with the original at ours.
                Err(_) if own_point.as_ref().is_some_and(|o| attempts[k].as_ref().is_ok_and(|a| near(o, a))) => "own point".to_owned(),
                Err(e) => e,
            });
        }
        let mut remark = String::new();
        if notes > 0 {
            remark.push_str(&format!(" [{notes} opaque statements]"));
        }
        if limits.zero_start {
            remark.push_str(" [relies on variables that were never set]");
        }
        println!("{example:28} {:12} {:12} {:12}{remark}", row[0], row[1], row[2]);
        rows.push(format!("{example}\t{}\t{}\t{}", brief(&row[0]), brief(&row[1]), brief(&row[2])));
    }
    println!("equal: original {}, tangent {}, adjoint {}", counts[0], counts[1], counts[2]);
    let file = common::root().join(TABLE);
    if std::env::var("OVERBAR_TABLE").is_ok_and(|v| v == "write") {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, rows.join("\n") + "\n").unwrap();
    }
    let before = std::fs::read_to_string(&file).unwrap();
    let worse: Vec<String> = before
        .lines()
        .filter_map(|old| {
            let name = old.split('\t').next().unwrap_or_default();
            let new = rows.iter().find(|r| r.split('\t').next() == Some(name));
            let Some(new) = new else { return Some(format!("{name} is gone")) };
            let pairs = old.split('\t').zip(new.split('\t')).skip(1);
            let bad = pairs.into_iter().any(|(o, n)| merit(n) < merit(o) || (n == "differs" && o != "differs"));
            bad.then(|| format!("was: {old}\nis:  {new}"))
        })
        .collect();
    assert!(worse.is_empty(), "{}", worse.join("\n"));
    // Everything that is self-contained agrees in both modes.
    for line in index.lines().skip(1) {
        let f: Vec<&str> = line.split('\t').collect();
        let contained = f.last().is_some_and(|p| p.starts_with("yes"));
        // A file that calls what it does not contain cannot be run.
        let contained = contained && !rows.iter().any(|r| r.starts_with(&format!("{}\tcannot be executed, OB6020", f[0])));
        let row = rows.iter().find(|r| r.split('\t').next() == Some(f[0]));
        if let (true, Some(row)) = (contained, row) {
            assert!(row.split('\t').skip(1).all(|o| merit(o) > 1), "self-contained, but {row}");
        }
    }
}
