//! One program checked: the original by dual numbers against its tangent and its adjoint.

use super::generate::N;
use super::openad;
use super::requests::{directions, modes, order, part, preaccumulate, reversal};
use super::rng::Rng;
use super::tree::Tree;
use overbar::Options;
use overbar::evaluate::{Data, Inputs, Jacobian, Limits, Value, Values, derivative, jacobian, run};
use overbar::transform::Directions;
use overbar::verify::oracle::{DRIFT, Oracle};
use overbar::verify::random::Random;
use overbar::verify::subject::Subject;
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
    /// The unit.
    pub head: String,
}

fn reals_like(data: &Data<f64>, mut f: impl FnMut() -> f64) -> Data<f64> {
    let list: Vec<f64> = data.values.iter().map(|_| f()).collect();
    Data::reals(&list).shaped(&data.shape)
}

/// The point at which a program is checked.
pub fn point(program: &Program, seed: u64) -> Option<Point> {
    point_of(program, "head", seed)
}

fn point_of(program: &Program, unit: &str, seed: u64) -> Option<Point> {
    let mut rng = Rng::new(seed.wrapping_mul(31).wrapping_add(7));
    let head = program.unit_named(unit)?;
    let some_only = rng.percent(25);
    let mut p = Point {
        inputs: Inputs::default().with("n", Data::int(N)),
        dependents: Vec::new(),
        independents: Vec::new(),
        seeds: Values::new(),
        weights: Values::new(),
        single: program.symbols.iter().any(|s| s.ty.bits == 32 && s.ty.is_real()),
        head: unit.into(),
    };
    for (name, value) in [("depth", 2), ("at", 1)] {
        if program.unit(head).formals.iter().any(|f| program.symbol(f.symbol).name == name) {
            p.inputs = p.inputs.with(name, Data::int(value));
        }
    }
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

fn is_shared(s: &Symbol) -> bool {
    matches!(s.storage(), Storage::Global | Storage::Common(_))
}

/// Shared variables get values, and are named by the head, too: as dependents, independents, both or neither.
fn name_shared(program: &Program, seed: u64, p: &mut Point) {
    let mut rng = Rng::new(seed.wrapping_mul(37).wrapping_add(11));
    let scope = program.unit_named(&p.head).map(|u| program.unit(u).scope);
    let shared = |s: &&Symbol| match s.storage() {
        Storage::Global => true,
        Storage::Common(_) => Some(s.scope) == scope,
        _ => false,
    };
    for s in program.symbols.iter().filter(|s| s.ty.is_real() && s.kind == SymbolKind::Variable).filter(shared) {
        let name = s.name.to_string();
        let shape: Vec<usize> = vec![N as usize; s.rank.into()];
        let zeros = Data::reals(&vec![0.0; shape.iter().product()]).shaped(&shape);
        p.inputs.values.insert(name.clone(), reals_like(&zeros, || (1.7 * rng.real()) + 0.1));
        p.seeds.insert(name.clone(), reals_like(&zeros, || rng.real()));
        p.weights.insert(name.clone(), reals_like(&zeros, || rng.real()));
        if rng.percent(50) {
            p.independents.push(name.clone());
        }
        if rng.percent(40) {
            p.dependents.push(name);
        }
    }
}

/// How many of the requests that a seed stands for a program is checked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// One, and a tangent: for many programs.
    One,
    /// All of them.
    All,
}

/// Checks a program at the point of a seed.
pub fn check(tree: &Tree, seed: u64) -> Verdict {
    check_program(&tree.build(), seed)
}

/// The same for a program that is no tree.
pub fn check_program(program: &Program, seed: u64) -> Verdict {
    check_to(program, seed, Depth::All)
}

/// The same with so many requests.
pub fn check_to(program: &Program, seed: u64, depth: Depth) -> Verdict {
    let program = &super::gather::gathered(program.clone(), seed);
    let verdict = check_unit(program, "head", seed, depth);
    // A unit that others call may be a head too.
    let other = || program.unit_ids().find(|&u| program.unit_name(u) != "head" && program.unit(u).result().is_none());
    if verdict == Verdict::Pass
        && seed % 4 == 3
        && let Some(u) = other()
        && depth == Depth::All
        && let wrong @ Verdict::Wrong(..) = check_unit(program, program.unit_name(u), seed, depth)
    {
        return wrong;
    }
    if verdict == Verdict::Pass
        && seed % 16 == 5
        && depth == Depth::All
        && let Some(wrong) = second(program, seed)
    {
        return wrong;
    }
    verdict
}

/// The tangent of the head, printed and read again, differentiated once more: refused, or right.
fn second(program: &Program, seed: u64) -> Option<Verdict> {
    let p = point(program, seed)?;
    let boosted = booster(program, &p, "tangent", seed).ok()?.ok()?;
    let again = match program.index_order {
        IndexOrder::Row => {
            let text = overbar_c::unparse(&boosted, &Default::default()).ok()?.source;
            overbar_c::parse(&[overbar_c::parse::SourceText { file: "t.c", text: &text }], &Default::default())
        }
        IndexOrder::Column => {
            let text = overbar_fortran::unparse(&boosted, &Default::default()).ok()?.source;
            overbar_fortran::parse(&[overbar_fortran::parse::SourceText { file: "t.f90", text: &text }], &Default::default())
        }
    };
    let (again, told) = again.ok()?;
    // The run-time library is not read: what needs it is left out, and calls of that may do anything.
    if told.iter().any(|d| d.code == "OB3012") {
        return None;
    }
    let verdict = check_unit(&again, "head_d", seed, Depth::One);
    match verdict {
        Verdict::Wrong(mode, what) => Some(Verdict::Wrong(mode, format!("of the tangent: {what}"))),
        _ => None,
    }
}

fn check_unit(program: &Program, unit: &str, seed: u64, depth: Depth) -> Verdict {
    let Some(mut p) = point_of(program, unit, seed) else { return Verdict::Invalid("no head".into()) };
    // Stock documents have no heads that could name them.
    if seed % 3 != 1 {
        name_shared(program, seed, &mut p);
    }
    let Some(head) = program.unit_named(unit) else { return Verdict::Invalid("no head".into()) };
    if p.independents.is_empty() || p.dependents.is_empty() {
        return Verdict::Invalid("no variables".into());
    }
    let names = |l: &[String]| l.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let (ds, is) = (names(&p.dependents), names(&p.independents));
    let (ds, is): (Vec<&str>, Vec<&str>) = (ds.split(' ').collect(), is.split(' ').collect());
    match run(program, head, &p.inputs, &limits()) {
        Err(e) => return Verdict::Invalid(format!("{}: {}", e.code, e.message)),
        Ok(o) if o.counters.not_finite + o.counters.extreme > 0 => return Verdict::Invalid("not finite".into()),
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
    let wrong = |mode, what| match steady(program, unit, &p, (&ds, &is), &exact) {
        true => Verdict::Wrong(mode, what),
        false => Verdict::Invalid("ill-conditioned".into()),
    };
    let mut refused = None;
    for name in modes(seed, depth) {
        match booster(program, &p, name, seed) {
            Err(_) => return Verdict::Wrong(name, "panic in the booster".into()),
            Ok(Err(found)) => {
                // Shared variables have a place for several directions only where their number is fixed.
                let shared = directions(name, seed) == Directions::Counted && found.iter().all(|d| d.code == "OB4140");
                // Loops that cannot be run again are named one by one: OB4070 and its like.
                let alone = !name.starts_with("several") && !name.starts_with("checkpointed") && !shared;
                refused = refused.or(found.first().filter(|_| alone).map(|d| format!("{name} {}: {}", d.code, d.message)));
                // What cannot be reversed still has a tangent.
                if name.ends_with("tangent and adjoint")
                    && let Ok(Ok(b)) = booster(program, &p, "tangent", seed)
                    && let Err(what) = compare(program, &b, Mode::Tangent, &p, &exact, false)
                {
                    return wrong("tangent", what);
                }
            }
            Ok(Ok(b)) => {
                for mode in [Mode::Tangent, Mode::Adjoint] {
                    let asked = (name != "tangent") == (mode == Mode::Adjoint) || name.ends_with("tangent and adjoint");
                    if asked && let Err(what) = compare(program, &b, mode, &p, &exact, name.starts_with("zeroed")) {
                        return wrong(part(name, mode), what);
                    }
                }
            }
        }
    }
    if seed % 3 == 1
        && unit == "head"
        && let Err((mode, what)) = openad::check(program, &p, &exact, seed % 15 == 1)
    {
        return wrong(mode, what);
    }
    refused.map_or(Verdict::Pass, Verdict::Refused)
}

/// Whether the Jacobian stays what it is when the inputs move by a few units in the last place, or all operations round otherwise: where it does not,
/// two right ways to compute it differ.
fn steady(program: &Program, unit: &str, p: &Point, (ds, is): (&[&str], &[&str]), exact: &Jacobian) -> bool {
    let at = |inputs: &Inputs<f64>| jacobian(program, program.unit_named(unit)?, inputs, ds, is, &limits()).ok();
    let inputs = [4.0, -4.0].map(|by| at(&moved(p, by)));
    let moved = inputs.into_iter().flatten().any(|j| {
        let mut pairs = exact.entries.iter().flatten().zip(j.entries.iter().flatten()).chain(exact.values.iter().zip(&j.values));
        pairs.any(|(&a, &b)| far(p, a - b, a))
    });
    !moved && rounding(program, unit, p).is_none_or(|list| !list.into_iter().any(|(drift, size)| far(p, drift, size)))
}

/// How far values and slopes of a unit drift where all operations round otherwise, and their sizes.
fn rounding(program: &Program, unit: &str, p: &Point) -> Option<Vec<(f64, f64)>> {
    let head = Head { unit: unit.to_owned(), dependents: Some(p.dependents.clone()), independents: Some(p.independents.clone()) };
    let subject = Subject::new(program, &head).ok()?;
    let oracle = Oracle::new(&subject, &p.inputs.values, &mut Random::new(1), &limits()).ok()?;
    let slopes = oracle.tolerances.iter().flatten().zip(oracle.slopes.iter().flatten()).map(|(&t, &s)| (t / DRIFT, s));
    let noise = |(s, k): &(SymbolId, usize)| {
        let of = |list: &Values<f64>| subject.value(list, *s)?.values.get(*k)?.as_scalar().ok();
        Some((of(&oracle.noise)? / DRIFT, of(&oracle.values)?))
    };
    Some(slopes.chain(oracle.rows.iter().filter_map(noise)).collect())
}

/// The inputs, moved by so many units in the last place.
pub fn moved(p: &Point, by: f64) -> Inputs<f64> {
    let unit = if p.single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let mut inputs = p.inputs.clone();
    for v in inputs.values.iter_mut().flat_map(|(_, data)| &mut data.values) {
        if let Value::Real(x, _) = v {
            *x *= 1.0 + by * unit;
        }
    }
    inputs
}

/// Whether two numbers of which one is known are too far apart.
fn far(p: &Point, difference: f64, size: f64) -> bool {
    difference.abs() > tolerance(p) / 16.0 * size.abs().max(1.0)
}

/// What goes into a derivative unit: directions of the independents; weights of the dependents, and for what is only an independent something to add to.
pub fn seeds_of(p: &Point, mode: Mode) -> Values<f64> {
    let is = |list: &[String], name: &str| list.iter().any(|n| n == name);
    if mode == Mode::Tangent {
        // What is no independent does not move.
        return p.seeds.iter().filter(|(n, _)| is(&p.independents, n)).map(|(n, d)| (n.clone(), d.clone())).collect();
    }
    let mut seeds = Values::new();
    for (name, weight) in &p.weights {
        if is(&p.dependents, name) {
            seeds.insert(name.clone(), weight.clone());
        } else if is(&p.independents, name) {
            seeds.insert(name.clone(), p.seeds[name].clone());
        }
    }
    seeds
}

fn tolerance(p: &Point) -> f64 {
    if p.single { 2e-3 } else { 1e-9 }
}

type Boosting = std::thread::Result<Result<Program, Vec<xaif::Diagnostic>>>;

/// What the booster makes of a program for one of the requests above.
fn booster(program: &Program, p: &Point, request: &str, seed: u64) -> Boosting {
    let options = Options {
        preaccumulate: preaccumulate(request),
        order: order(request, seed),
        tangent: request.contains("tangent"),
        adjoint: request.ends_with("adjoint"),
        directions: directions(request, seed),
        heads: heads(program, p, request),
        zero_init: request.starts_with("zeroed"),
        reversal: reversal(request),
        ..Options::default()
    };
    let mut program = program.clone();
    if request.starts_with("checkpointed") {
        checkpoint(&mut program, seed);
    }
    catch_unwind(AssertUnwindSafe(|| overbar::boost(program, &options).map(|b| b.program)))
}

/// Asks for snapshots of about half of all loops.
fn checkpoint(program: &mut Program, seed: u64) {
    let mut rng = Rng::new(seed.wrapping_mul(131).wrapping_add(3));
    for unit in &mut program.units {
        for v in unit.graph.node_weights_mut().filter(|v| v.is_loop()) {
            if rng.below(2) == 0 {
                let most = if rng.below(4) == 0 { MostSnapshots::Memory(64) } else { MostSnapshots::Count(1 + rng.below(4) as u32) };
                v.checkpoint = Some(Snapshots { most, every: 1 + rng.below(4) as u32 });
            }
        }
    }
}

/// The unit in question, and the other units beside it where several are asked for.
fn heads(program: &Program, p: &Point, request: &str) -> Vec<Head> {
    let mut out = vec![Head { unit: p.head.clone(), dependents: Some(p.dependents.clone()), independents: Some(p.independents.clone()) }];
    if request.starts_with("several") {
        let others = program.unit_ids().filter(|&u| program.unit_name(u) != p.head && !program.unit(u).is_container());
        // What is not active cannot be a head.
        let real = |u: &UnitId| {
            let formals = &program.unit(*u).formals;
            let is = |f: &&Formal| program.symbol(f.symbol).ty.is_real();
            formals.iter().filter(is).any(|f| f.intent != Intent::Out) && formals.iter().filter(is).any(|f| f.intent != Intent::In)
        };
        out.extend(others.filter(real).map(|u| Head { unit: program.unit_name(u).into(), ..Head::default() }));
    }
    out
}

/// What kind of failure a text tells of: its code or its first word.
pub fn class(what: &str) -> &str {
    what.split([' ', ':']).next().unwrap_or_default()
}

/// The derivative units of a program as text, for reports.
pub fn show_derivatives(tree: &Tree, seed: u64, mode: &str) -> String {
    let mut program = super::gather::gathered(tree.build(), seed);
    let Some(p) = point(&program, seed) else { return String::new() };
    if mode.starts_with("checkpointed") {
        checkpoint(&mut program, seed);
    }
    let options = Options {
        preaccumulate: preaccumulate(mode),
        order: order(mode, seed),
        tangent: mode.ends_with("tangent"),
        adjoint: !mode.ends_with("tangent"),
        directions: directions(mode, seed),
        reversal: reversal(mode),
        zero_init: mode.starts_with("zeroed"),
        heads: heads(&program, &p, mode),
        ..Options::default()
    };
    let Ok(b) = overbar::boost(program, &options) else { return String::new() };
    let derived = b.program.unit_ids().filter(|&u| b.program.unit(u).derivation.is_some());
    derived.map(|u| super::tree::show_unit(&b.program, u)).collect()
}

/// The derivative unit of a head.
pub fn unit_of_named(boosted: &Program, mode: Mode, head: &str) -> Option<UnitId> {
    boosted.unit_ids().find(|&u| boosted.unit(u).derivation.is_some_and(|d| d.mode == mode && boosted.unit_name(d.of) == head))
}

fn compare(original: &Program, boosted: &Program, mode: Mode, p: &Point, exact: &Jacobian, zeroed: bool) -> Result<(), String> {
    let unit = unit_of_named(boosted, mode, &p.head).ok_or("there is no derivative unit")?;
    let head = original.unit_named(&p.head).ok_or("no head")?;
    let tolerance = tolerance(p);
    let is = |list: &[String], name: &str| list.iter().any(|n| n == name);
    let shared =
        |name: &str| original.symbols.iter().any(|s| s.name == name && matches!(s.storage(), Storage::Global | Storage::Common(_)));
    if mode == Mode::Tangent {
        let out = derivative(boosted, unit, &p.inputs, &seeds_of(p, mode), &derivative_limits())
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
            let got = match out.derivatives.get(name) {
                Some(data) => data.to_reals(),
                // Nothing in the program names it.
                None if shared(name) && row.iter().all(|&x| x == 0.0) => continue,
                None => return Err(format!("the tangent has no derivative of `{name}`")),
            };
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
        .chain(original.symbols.iter().filter(|s| is_shared(s)).map(|s| s.name.as_str()))
        .collect();
    let out = derivative(boosted, unit, &p.inputs, &seeds_of(p, mode), &derivative_limits())
        .map_err(|e| format!("{}: {} ({:?})", e.code, e.message, e.reason))?;
    let weights: Vec<f64> = exact.rows.iter().map(|(n, k)| p.weights[n].to_reals()[*k]).collect();
    for (c, (name, k)) in exact.columns.iter().enumerate() {
        let gradient: f64 = exact.entries.iter().zip(&weights).map(|(r, w)| r[c] * w).sum();
        let scale: f64 = exact.entries.iter().map(|r| r[c].abs()).sum::<f64>().max(1.0);
        let before = if zeroed || is(&p.dependents, name) { 0.0 } else { p.seeds[name].to_reals()[*k] };
        let got = match out.derivatives.get(name) {
            Some(data) => data.to_reals(),
            None if shared(name) && gradient == 0.0 => continue,
            None => return Err(format!("the adjoint has no adjoint of `{name}`")),
        };
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
