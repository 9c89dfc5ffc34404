//! Tangent units against Jacobians by dual numbers, both run by the interpreter.
#![allow(dead_code)] // each test file uses its part

use overbar::evaluate::{Data, Inputs, Limits, Values, derivative, jacobian, run};
use overbar::{Options, boost};
use overbar_fortran::parse::{ParseOptions, SourceText, parse};
use xaif::Program;

/// A Fortran program.
pub fn fortran(text: &str) -> Program {
    match parse(&[SourceText { file: "f.f90", text }], &ParseOptions::default()) {
        Ok((p, _)) => p,
        Err(d) => panic!("{}", d.iter().map(|d| format!("{d}\n")).collect::<String>()),
    }
}

pub fn x(list: &[f64]) -> Data<f64> {
    Data::reals(list)
}

pub fn r(v: f64) -> Data<f64> {
    Data::real(v)
}

pub fn n(v: i64) -> Data<f64> {
    Data::int(v)
}

/// The program with its tangents and what was said about it.
pub fn boosted(program: &Program, head: &str) -> Result<(Program, Vec<xaif::Diagnostic>), Vec<xaif::Diagnostic>> {
    let head = overbar::heads::parse_head(head).unwrap();
    boost(program.clone(), &Options { tangent: true, heads: vec![head], ..Options::default() }).map(|b| (b.program, b.diagnostics))
}

/// The codes of all diagnostics, refused or not.
pub fn codes(program: &Program, head: &str) -> Vec<&'static str> {
    let list = match boosted(program, head) {
        Ok((_, d)) => d,
        Err(d) => d,
    };
    list.iter().map(|d| d.code).collect()
}

fn names(part: &str) -> Vec<&str> {
    part.trim_matches(['(', ')']).split(',').map(str::trim).collect()
}

fn find<'a>(values: &'a Values<f64>, name: &str) -> Option<&'a Data<f64>> {
    values.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, d)| d)
}

/// Makes the tangent of `f(y)/(x)`, runs it at a point with some direction and compares derivatives and values. What is only
/// output has garbage for a derivative on entry.
pub fn check(program: &Program, head: &str, inputs: &[(&str, Data<f64>)]) -> Program {
    check_with(program, head, inputs, Options::default())
}

/// The same with other options.
pub fn check_with(program: &Program, head: &str, inputs: &[(&str, Data<f64>)], options: Options) -> Program {
    let heads = vec![overbar::heads::parse_head(head).unwrap()];
    let made = boost(program.clone(), &Options { tangent: true, heads, ..options }).map(|b| b.program);
    let with = made.unwrap_or_else(|d| panic!("{}", d.iter().map(|d| format!("{d}\n")).collect::<String>()));
    let single = program.symbols.iter().any(|s| s.ty.is_real() && s.ty.bits == 32);
    let tolerance = if single { 1e-6 } else { 1e-12 };
    let (unit, rest) = head.split_once('(').unwrap();
    let (y, x) = rest.split_once(")/").unwrap();
    let (y, x) = (names(y), names(x));
    let f = program.unit_named(unit).unwrap();
    let f_d = with.unit_named(&format!("{unit}_d")).unwrap();
    let at = inputs.iter().fold(Inputs::default(), |i, (n, d)| i.with(n, d.clone()));
    let limits = Limits::default();
    let j = jacobian(program, f, &at, &y, &x, &limits).unwrap_or_else(|e| panic!("{e}"));
    let plain = run::<f64>(program, f, &at, &limits).unwrap_or_else(|e| panic!("{e}"));
    let exposed: Vec<String> = {
        let facts = overbar::analysis::Facts::of(program);
        facts.effects.unit(f).exposed.iter().map(|&s| program.symbol(s).name.to_lowercase()).collect()
    };
    let mut seeds = Values::new();
    let mut s = 0.3f64;
    let mut next = || {
        s = (s * 3.7 + 0.41) % 2.3 - 0.9;
        s
    };
    for name in x.iter().chain(&y) {
        let Some((_, d)) = inputs.iter().find(|(m, _)| m.eq_ignore_ascii_case(name)) else { continue };
        if seeds.contains_key(*name) {
            continue;
        }
        let independent = x.contains(name);
        let list: Vec<f64> = d
            .values
            .iter()
            .map(|_| {
                if independent {
                    next()
                } else if exposed.contains(&name.to_lowercase()) {
                    0.0
                } else {
                    1e30
                }
            })
            .collect();
        let mut seed = Data::reals(&list);
        seed.shape = d.shape.clone();
        seeds.insert((*name).to_owned(), seed);
    }
    let got = derivative(&with, f_d, &at, &seeds, &limits).unwrap_or_else(|e| panic!("{e}"));
    for (row, (name, k)) in j.rows.iter().enumerate() {
        let want: f64 = j.columns.iter().zip(&j.entries[row]).map(|((m, c), e)| e * seeds[m.as_str()].to_reals()[*c]).sum();
        let result =
            if name.eq_ignore_ascii_case(unit) { with.unit(f_d).result().map(|f| with.symbol(f.symbol).name.to_string()) } else { None };
        let found = find(&got.derivatives, name)
            .or_else(|| find(&got.globals, &format!("{name}d")))
            .or_else(|| result.as_ref().and_then(|r| find(&got.values, r).or_else(|| find(&got.derivatives, r))))
            .or_else(|| program.unit(f).result().and_then(|f| find(&got.derivatives, &program.symbol(f.symbol).name)));
        let is = found.unwrap_or_else(|| panic!("no derivative of {name}: {:?}", got.derivatives.keys())).to_reals()[*k];
        assert!((is - want).abs() <= tolerance * (1.0 + want.abs()), "tangent of {name}[{k}] is {is}, not {want}");
    }
    for (name, value) in &plain.arguments {
        if let Some(v) = find(&got.values, name) {
            assert_eq!(v, value, "{name}");
        }
    }
    with
}
