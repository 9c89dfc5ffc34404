//! One program checked: the original by dual numbers against its tangent and its adjoint.

use super::generate::N;
use super::openad;
use super::rng::Rng;
use super::tree::Tree;
use overbar::Options;
use overbar::eliminate::names::Heuristic;
use overbar::evaluate::{Data, Inputs, Jacobian, Limits, Values, derivative, jacobian, run};
use overbar::transform::{Preaccumulate, Reversal};
use std::panic::{AssertUnwindSafe, catch_unwind};
use xaif::Program;
use xaif::model::*;

/// What came out.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The program itself is in error, or its derivatives are too large to be compared.
    Invalid(String),
    /// Refused by the booster, with the first code.
    Refused(String),
    Pass,
    /// Mode and what is wrong.
    Wrong(&'static str, String),
}

/// For derivative programs: nested calls that are run again take a multiple.
pub fn derivative_limits() -> Limits {
    Limits { steps: 12_000_000, ..limits() }
}

pub fn limits() -> Limits {
    Limits { steps: 300_000, depth: 200, elements: 1 << 20, tape_bytes: 1 << 24, ..Limits::default() }
}

/// Everything that is drawn for a program beside the program.
pub struct Point {
    pub inputs: Inputs<f64>,
    pub dependents: Vec<String>,
    pub independents: Vec<String>,
    /// For every real formal of the head: a seed of the tangent and a weight of the adjoint.
    pub seeds: Values<f64>,
    pub weights: Values<f64>,
    pub single: bool,
}

fn reals_like(data: &Data<f64>, mut f: impl FnMut() -> f64) -> Data<f64> {
    let list: Vec<f64> = data.values.iter().map(|_| f()).collect();
    Data::reals(&list).shaped(&data.shape)
}

/// The point at which a program is checked.
pub fn point(program: &Program, seed: u64) -> Option<Point> {
    let mut rng = Rng::new(seed.wrapping_mul(31).wrapping_add(7));
    let head = program.unit_named("head")?;
    let some_only = rng.percent(25);
    let mut p = Point {
        inputs: Inputs::default().with("n", Data::int(N)),
        dependents: Vec::new(),
        independents: Vec::new(),
        seeds: Values::new(),
        weights: Values::new(),
        single: program.symbols.iter().any(|s| s.ty.bits == 32 && s.ty.is_real()),
    };
    let mut left_out: Vec<(bool, String)> = Vec::new();
    for f in &program.unit(head).formals {
        let s = program.symbol(f.symbol);
        if !s.ty.is_real() {
            continue;
        }
        let name = s.name.to_string();
        let shape: Vec<usize> = vec![N as usize; s.rank.into()];
        let zeros = Data::reals(&vec![0.0; shape.iter().product()]).shaped(&shape);
        p.seeds.insert(name.clone(), reals_like(&zeros, || rng.real()));
        p.weights.insert(name.clone(), reals_like(&zeros, || rng.real()));
        let value = reals_like(&zeros, || (1.7 * rng.real()) + 0.1);
        if f.intent != Intent::Out {
            p.inputs.values.insert(name.clone(), value);
            if some_only && rng.percent(35) {
                left_out.push((false, name.clone()));
            } else {
                p.independents.push(name.clone());
            }
        }
        if f.intent != Intent::In {
            if some_only && rng.percent(35) {
                left_out.push((true, name.clone()));
            } else {
                p.dependents.push(name);
            }
        }
    }
    // Neither side may be empty.
    for (dependent, name) in left_out {
        let list = if dependent { &mut p.dependents } else { &mut p.independents };
        if list.is_empty() {
            list.push(name);
        }
    }
    Some(p)
}

/// Checks a program at the point of a seed.
pub fn check(tree: &Tree, seed: u64) -> Verdict {
    check_program(&tree.build(), seed)
}

/// The same for a program that is no tree.
pub fn check_program(program: &Program, seed: u64) -> Verdict {
    let Some(p) = point(program, seed) else { return Verdict::Invalid("no head".into()) };
    let Some(head) = program.unit_named("head") else { return Verdict::Invalid("no head".into()) };
    let names = |l: &[String]| l.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let (ds, is) = (names(&p.dependents), names(&p.independents));
    let (ds, is): (Vec<&str>, Vec<&str>) = (ds.split(' ').collect(), is.split(' ').collect());
    match run(program, head, &p.inputs, &limits()) {
        Err(e) => return Verdict::Invalid(format!("{}: {}", e.code, e.message)),
        Ok(o) if o.counters.not_finite > 0 => return Verdict::Invalid("not finite".into()),
        Ok(_) => {}
    }
    let exact = match jacobian(program, head, &p.inputs, &ds, &is, &limits()) {
        Ok(j) => j,
        Err(e) => return Verdict::Invalid(format!("{}: {}", e.code, e.message)),
    };
    let largest =
        exact.entries.iter().flatten().chain(&exact.values).fold(0.0f64, |m, x| if x.is_finite() { m.max(x.abs()) } else { f64::INFINITY });
    if largest > if p.single { 1e3 } else { 1e7 } {
        return Verdict::Invalid("too large".into());
    }
    let mut refused = None;
    let mut modes = vec!["tangent and adjoint", "split adjoint"];
    if seed.is_multiple_of(3) {
        modes.push("joint adjoint");
    }
    modes.push(if seed % 4 == 1 { "accumulated split adjoint" } else { "accumulated tangent and adjoint" });
    for name in modes {
        match booster(program, &p, name, seed) {
            Err(_) => return Verdict::Wrong(name, "panic in the booster".into()),
            Ok(Err(found)) => {
                refused = refused.or(found.first().map(|d| format!("{name} {}: {}", d.code, d.message)));
                // What cannot be reversed still has a tangent.
                if name.ends_with("tangent and adjoint")
                    && let Ok(Ok(b)) = booster(program, &p, "tangent", seed)
                    && let Err(what) = compare(program, &b, Mode::Tangent, &p, &exact)
                {
                    return Verdict::Wrong("tangent", what);
                }
            }
            Ok(Ok(b)) => {
                for mode in [Mode::Tangent, Mode::Adjoint] {
                    let asked = (name != "tangent") == (mode == Mode::Adjoint) || name.ends_with("tangent and adjoint");
                    if asked && let Err(what) = compare(program, &b, mode, &p, &exact) {
                        return Verdict::Wrong(if mode == Mode::Tangent { tangent_name(name) } else { adjoint_name(name) }, what);
                    }
                }
            }
        }
    }
    if seed % 3 == 1
        && let Err((mode, what)) = openad::check(program, &p, &exact, seed % 15 == 1)
    {
        return Verdict::Wrong(mode, what);
    }
    refused.map_or(Verdict::Pass, Verdict::Refused)
}

fn adjoint_name(request: &'static str) -> &'static str {
    match request {
        "tangent and adjoint" => "adjoint",
        "accumulated tangent and adjoint" => "accumulated adjoint",
        other => other,
    }
}

fn tangent_name(request: &'static str) -> &'static str {
    if request.starts_with("accumulated") { "accumulated tangent" } else { "tangent" }
}

/// Elimination orders for the accumulated modes: none (a search), and some of the heuristics.
fn order(request: &str, seed: u64) -> Option<Vec<Heuristic>> {
    let chains: [&[Heuristic]; 4] = [
        &[Heuristic::Forward],
        &[Heuristic::Reverse],
        &[Heuristic::Sibling, Heuristic::Markowitz, Heuristic::Reverse],
        &[Heuristic::Pre1, Heuristic::Lmmd],
    ];
    if !request.starts_with("accumulated") || seed.is_multiple_of(2) {
        return None;
    }
    Some(chains[(seed / 2 % 4) as usize].to_vec())
}

fn preaccumulate(request: &str) -> Preaccumulate {
    if request.starts_with("accumulated") { Preaccumulate::Always } else { Preaccumulate::Auto }
}

type Boosting = std::thread::Result<Result<Program, Vec<xaif::Diagnostic>>>;

/// What the booster makes of a program for one of the requests above.
fn booster(program: &Program, p: &Point, request: &str, seed: u64) -> Boosting {
    let options = Options {
        preaccumulate: preaccumulate(request),
        order: order(request, seed),
        tangent: request.contains("tangent"),
        adjoint: request.ends_with("adjoint"),
        heads: vec![Head { unit: "head".into(), dependents: Some(p.dependents.clone()), independents: Some(p.independents.clone()) }],
        reversal: reversal(request),
        ..Options::default()
    };
    catch_unwind(AssertUnwindSafe(|| overbar::boost(program.clone(), &options).map(|b| b.program)))
}

fn reversal(mode: &str) -> Reversal {
    match mode {
        "split adjoint" | "accumulated split adjoint" => Reversal::Split,
        "joint adjoint" => Reversal::Joint,
        _ => Reversal::Auto,
    }
}

/// What kind of failure a text tells of: its code or its first word.
pub fn class(what: &str) -> &str {
    what.split([' ', ':']).next().unwrap_or_default()
}

/// The derivative units of a program as text, for reports.
pub fn show_derivatives(tree: &Tree, seed: u64, mode: &str) -> String {
    let program = tree.build();
    let Some(p) = point(&program, seed) else { return String::new() };
    let options = Options {
        preaccumulate: preaccumulate(mode),
        order: order(mode, seed),
        tangent: mode.ends_with("tangent"),
        adjoint: !mode.ends_with("tangent"),
        reversal: reversal(mode),
        heads: vec![Head { unit: "head".into(), dependents: Some(p.dependents), independents: Some(p.independents) }],
        ..Options::default()
    };
    let Ok(b) = overbar::boost(program, &options) else { return String::new() };
    let derived = b.program.unit_ids().filter(|&u| b.program.unit(u).derivation.is_some());
    derived.map(|u| super::tree::show_unit(&b.program, u)).collect()
}

/// The derivative unit of the head.
pub fn unit_of(boosted: &Program, mode: Mode) -> Option<UnitId> {
    unit_of_named(boosted, mode, "head")
}

/// The derivative unit of a head with another name.
pub fn unit_of_named(boosted: &Program, mode: Mode, head: &str) -> Option<UnitId> {
    boosted.unit_ids().find(|&u| boosted.unit(u).derivation.is_some_and(|d| d.mode == mode && boosted.unit_name(d.of) == head))
}

fn compare(original: &Program, boosted: &Program, mode: Mode, p: &Point, exact: &Jacobian) -> Result<(), String> {
    let unit = unit_of(boosted, mode).ok_or("there is no derivative unit")?;
    let head = original.unit_named("head").ok_or("no head")?;
    let tolerance = if p.single { 2e-3 } else { 1e-9 };
    let is = |list: &[String], name: &str| list.iter().any(|n| n == name);
    if mode == Mode::Tangent {
        // What is no independent does not move.
        let seeds = p.seeds.iter().filter(|(n, _)| is(&p.independents, n)).map(|(n, d)| (n.clone(), d.clone())).collect();
        let out = derivative(boosted, unit, &p.inputs, &seeds, &derivative_limits())
            .map_err(|e| format!("{}: {} ({:?})", e.code, e.message, e.reason))?;
        let primal = run(original, head, &p.inputs, &limits()).map_err(|e| e.message)?;
        for (name, data) in &primal.arguments {
            let ours = out.values.get(name).ok_or_else(|| format!("the tangent does not return `{name}`"))?;
            for (k, (a, b)) in ours.to_reals().into_iter().zip(data.to_reals()).enumerate() {
                if (a - b).abs() > tolerance * 1e-3 * b.abs().max(1.0) || (a.is_nan() && !b.is_nan()) {
                    return Err(format!("primal `{name}` ({k}) is {a} in the tangent, {b} in the original"));
                }
            }
        }
        let moves: Vec<f64> = exact.columns.iter().map(|(n, k)| p.seeds[n].to_reals()[*k]).collect();
        for ((name, k), row) in exact.rows.iter().zip(&exact.entries) {
            let expected: f64 = row.iter().zip(&moves).map(|(j, v)| j * v).sum();
            let scale: f64 = row.iter().map(|j| j.abs()).sum::<f64>().max(1.0);
            let got = out.derivatives.get(name).ok_or_else(|| format!("the tangent has no derivative of `{name}`"))?.to_reals();
            let got = got.get(*k).copied().unwrap_or(f64::NAN);
            if (got - expected).abs() > tolerance * scale || got.is_nan() {
                return Err(format!("derivative of `{name}` ({k}) is {got}, should be {expected}"));
            }
        }
        return Ok(());
    }
    // Adjoint: weights for the dependents; what is only an independent starts from something, to see that it is incremented.
    let written: Vec<&str> = original
        .unit(head)
        .formals
        .iter()
        .filter(|f| f.intent != Intent::In || original.symbol(f.symbol).passing() == Passing::Value)
        .map(|f| original.symbol(f.symbol).name.as_str())
        .collect();
    let mut seeds = Values::new();
    for (name, weight) in &p.weights {
        if is(&p.dependents, name) {
            seeds.insert(name.clone(), weight.clone());
        } else if is(&p.independents, name) {
            seeds.insert(name.clone(), p.seeds[name].clone());
        }
    }
    let out = derivative(boosted, unit, &p.inputs, &seeds, &derivative_limits())
        .map_err(|e| format!("{}: {} ({:?})", e.code, e.message, e.reason))?;
    let weights: Vec<f64> = exact.rows.iter().map(|(n, k)| p.weights[n].to_reals()[*k]).collect();
    for (c, (name, k)) in exact.columns.iter().enumerate() {
        let gradient: f64 = exact.entries.iter().zip(&weights).map(|(r, w)| r[c] * w).sum();
        let scale: f64 = exact.entries.iter().map(|r| r[c].abs()).sum::<f64>().max(1.0);
        let before = if is(&p.dependents, name) { 0.0 } else { p.seeds[name].to_reals()[*k] };
        let got = out.derivatives.get(name).ok_or_else(|| format!("the adjoint has no adjoint of `{name}`"))?.to_reals();
        let got = got.get(*k).copied().unwrap_or(f64::NAN);
        if (got - before - gradient).abs() > tolerance * scale || got.is_nan() {
            return Err(format!("adjoint of `{name}` ({k}) is {got}, should be {before} + {gradient}"));
        }
    }
    for name in &p.dependents {
        let only_output = !p.inputs.values.contains_key(name);
        if only_output
            && let Some(d) = out.derivatives.get(name)
            && d.to_reals().iter().any(|&x| x != 0.0)
        {
            return Err(format!("the adjoint of the output `{name}` is not zero at the end: {:?}", d.to_reals()));
        }
    }
    // Pure inputs stay as they were.
    for (name, data) in &p.inputs.values {
        if !written.contains(&name.as_str())
            && let Some(v) = out.values.get(name)
            && v.to_reals() != single_if(original, head, name, data)
        {
            return Err(format!("the adjoint changes its input `{name}`"));
        }
    }
    Ok(())
}

fn single_if(p: &Program, head: UnitId, name: &str, data: &Data<f64>) -> Vec<f64> {
    let single = p.unit(head).formals.iter().map(|f| p.symbol(f.symbol)).any(|s| s.name == name && s.ty.bits == 32 && s.ty.is_real());
    data.to_reals().into_iter().map(|x| if single { f64::from(x as f32) } else { x }).collect()
}
