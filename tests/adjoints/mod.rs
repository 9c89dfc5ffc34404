//! Adjoint units against Jacobians by dual numbers, both run by the interpreter.
#![allow(dead_code)] // each test file uses its part

use overbar::evaluate::{Data, Inputs, Limits, Values, derivative, jacobian};
use overbar::transform::Reversal;
use overbar::{Options, boost};
use xaif::Program;
use xaif::model::UnitId;

/// The program with its adjoints.
pub fn boosted(program: &Program, head: &str, options: Options) -> Program {
    let head = overbar::heads::parse_head(head).unwrap();
    match boost(program.clone(), &Options { adjoint: true, heads: vec![head], ..options }) {
        Ok(b) => b.program,
        Err(d) => panic!("{}", d.iter().map(|d| format!("{d}\n")).collect::<String>()),
    }
}

/// The diagnostics with which the adjoint is refused.
pub fn refusal(program: &Program, head: &str) -> Vec<&'static str> {
    let head = overbar::heads::parse_head(head).unwrap();
    match boost(program.clone(), &Options { adjoint: true, heads: vec![head], ..Options::default() }) {
        Ok(_) => panic!("not refused"),
        Err(d) => d.iter().map(|d| d.code).collect(),
    }
}

/// Values for a run.
pub fn values(list: &[(&str, Data<f64>)]) -> Inputs<f64> {
    list.iter().fold(Inputs::default(), |i, (n, d)| i.with(n, d.clone()))
}

fn names(part: &str) -> Vec<&str> {
    part.trim_matches(['(', ')']).split(',').map(str::trim).collect()
}

/// Makes the adjoint of `f(y)/(x)`, runs it at a point and compares, with calls reversed in both ways; returns the number of values pushed
/// where the booster may choose.
pub fn check(program: &Program, head: &str, inputs: &[(&str, Data<f64>)]) -> u64 {
    let split = Options { reversal: Reversal::Split, ..Options::default() };
    check_boosted(program, &boosted(program, head, split), head, inputs);
    check_boosted(program, &boosted(program, head, Options::default()), head, inputs)
}

/// The same with the adjoint at hand.
pub fn check_boosted(program: &Program, with: &Program, head: &str, inputs: &[(&str, Data<f64>)]) -> u64 {
    let single = program.symbols.iter().any(|s| s.ty.is_real() && s.ty.bits == 32);
    let tolerance = if single { 1e-6 } else { 1e-10 };
    let (unit, rest) = head.split_once('(').unwrap();
    let (y, x) = rest.split_once(")/").unwrap();
    let (y, x) = (names(y), names(x));
    let f = program.unit_named(unit).unwrap();
    let f_b = with.unit_named(&format!("{unit}_b")).unwrap();
    let at = values(inputs);
    let limits = Limits::default();
    let j = jacobian(program, f, &at, &y, &x, &limits).unwrap_or_else(|e| panic!("{e}"));
    // Seeds: for dependents their weights, for other independents something that must still be there in the end.
    let mut seeds = Values::new();
    let mut s = 0.3f64;
    let mut next = || {
        s = (s * 3.7 + 0.41) % 2.3 - 0.9;
        s
    };
    let shape = |n: &str| inputs.iter().find(|(m, _)| *m == n).map(|(_, d)| d.shape.clone());
    for n in y.iter().chain(&x) {
        if seeds.contains_key(*n) {
            continue;
        }
        let count = j.rows.iter().filter(|(m, _)| m == n).count().max(j.columns.iter().filter(|(m, _)| m == n).count());
        let list: Vec<f64> = (0..count).map(|_| next()).collect();
        let mut d = Data::reals(&list);
        d.shape = shape(n).unwrap_or_default();
        seeds.insert((*n).to_owned(), d);
    }
    // A result's seed goes in by the name of the argument that takes it.
    let mut given = seeds.clone();
    let takes = with.unit(f_b).formals.iter().find(|f| f.deriv && f.intent == xaif::model::Intent::In);
    if let (Some(d), Some(takes)) = (given.shift_remove(unit), takes) {
        given.insert(with.symbol(takes.symbol).name.to_string(), d);
    }
    let got = derivative(with, f_b, &at, &given, &limits).unwrap_or_else(|e| panic!("{e}"));
    for n in &x {
        let result =
            find(&got.derivatives, n).or_else(|| find(&got.globals, &format!("{n}b"))).unwrap_or_else(|| panic!("no adjoint of {n}"));
        let result = result.to_reals();
        let start = if y.contains(n) { vec![0.0; result.len()] } else { seeds[*n].to_reals() };
        for (c, column) in j.columns.iter().enumerate().filter(|(_, (m, _))| m == n) {
            let mut want = start[column.1];
            for (r, (m, k)) in j.rows.iter().enumerate() {
                want += j.entries[r][c] * seeds[m.as_str()].to_reals()[*k];
            }
            let is = result[column.1];
            assert!((is - want).abs() <= tolerance * (1.0 + want.abs()), "adjoint of {n}[{}] is {is}, not {want}", column.1);
        }
    }
    // What is only read keeps its value.
    for (n, d) in inputs {
        let read_only =
            !y.contains(n) && !overbar::analysis::Facts::of(program).effects.unit(f).writes.iter().any(|&w| program.symbol(w).name == *n);
        if let (true, Some(after)) = (read_only, find(&got.values, n)) {
            assert_eq!(after.to_reals(), d.to_reals(), "{n} is an input");
        }
    }
    got.counters.pushes
}

fn find<'a>(values: &'a Values<f64>, name: &str) -> Option<&'a Data<f64>> {
    values.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, d)| d)
}

/// The unit of that name.
pub fn unit(program: &Program, name: &str) -> UnitId {
    program.unit_named(name).unwrap()
}
