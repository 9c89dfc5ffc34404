//! What blaming tangents and adjoints have in common.
//!
//! Lives here: derivatives of blocks, seeds and words. Never here: which statement is to blame.

use super::pairing::Block;
use super::run::{Name, Run, number};
use crate::checks::Bench;
use crate::engine::Map;
use crate::oracle::Direction;
use overbar_booster::signature::Role;
use overbar_evaluate::trace::Address;
use overbar_evaluate::{Data, Inputs, Outcome, Scalar, Value, Values, check};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::SymbolId;

/// A derivative that derivative code reads before it sets it.
pub(super) struct Incoming {
    pub name: Name,
    /// Where it lies.
    pub here: Address,
    /// Where the variable lies in the original.
    pub there: Address,
    /// Nothing where it was never set.
    pub value: Option<f64>,
    /// The event that reads it.
    pub event: usize,
    /// It is read to have something added to it: others may add their part later.
    pub added: bool,
}

/// The derivatives that come into a block. Two names may be one place (`dot(n, x, x)`): what was set under the one is not what comes in under the
/// other.
pub(super) fn incoming<S: Scalar>(original: &Run<S>, derived: &Run<f64>, b: &Block) -> Vec<Incoming> {
    let mut places: FxHashMap<Name, Address> = FxHashMap::default();
    for s in b.original.iter().flat_map(|&k| original.seen(k)) {
        if let Some((n, _)) = original.name(s.cell) {
            places.entry(n).or_insert(s.address);
        }
    }
    let mut set: FxHashSet<Address> = FxHashSet::default();
    let mut out = Vec::new();
    for &k in &b.derived {
        let e = &derived.trace.events[k];
        for s in &e.reads {
            if let Some((name, true)) = derived.name(s.cell)
                && let Some(&there) = places.get(&name)
                && set.insert(s.address)
            {
                let added = e.writes.iter().any(|w| w.0.address == s.address) && derived.is_increment(k);
                out.push(Incoming { name, here: s.address, there, value: number(&s.value), event: k, added });
            }
        }
        set.extend(e.writes.iter().map(|w| w.0.address));
    }
    out
}

/// What the derivative of a variable that the head names is in the end.
pub(super) fn left<'o>(bench: &Bench, map: &Map, out: &'o Outcome<f64>, s: SymbolId) -> Option<&'o Data<f64>> {
    let subject = bench.subject;
    let formals = &subject.program.unit(subject.unit).formals;
    let role = map.roles.iter().find(|(_, r)| matches!(r, Role::Derivative(k) if formals[*k].symbol == s)).map(|r| &r.0);
    let global = || map.globals.iter().find(|g| subject.program.same_name(&g.0, subject.name(s))).map(|g| &g.1);
    role.and_then(|n| out.arguments.get(n)).or_else(|| global().and_then(|n| out.globals.get(n)))
}

/// The name under which runs know an element.
pub(super) fn named(bench: &Bench, s: SymbolId, k: usize) -> Name {
    let n = bench.subject.name(s);
    (if bench.subject.program.case_insensitive { n.to_lowercase().into() } else { n.into() }, k as i64)
}

/// A number for messages.
pub(super) fn told(v: Option<f64>) -> String {
    v.map_or("not set".into(), |v| format!("{v:.10e}"))
}

/// One is a number and the other is not; where some derivatives do not exist, that says nothing.
pub(super) fn unlike(bench: &Bench, got: f64, want: f64) -> bool {
    got.is_nan() != want.is_nan() && bench.oracle.lost.edges.is_empty()
}

/// The distance from 1 to the next number of the least exact type that the program has.
pub(super) fn unit(bench: &Bench) -> f64 {
    let single = bench.subject.program.symbols.iter().any(|s| s.ty.is_real() && s.ty.bits == 32);
    if single { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// Inputs of the original in another arithmetic, along a direction.
pub(super) fn original<S: Scalar>(bench: &Bench, direction: &Direction, input: &dyn Fn(f64, f64) -> S) -> Option<Inputs<S>> {
    let subject = bench.subject;
    let mut moved: Inputs<S> = Inputs::default();
    for (n, data) in bench.x {
        let independent = subject.independents.iter().copied().find(|&s| subject.program.same_name(subject.name(s), n));
        let seed = independent.and_then(|s| subject.value(&direction.seeds, s));
        let values = data.values.iter().enumerate().map(|(k, v)| match (v, seed) {
            (Value::Real(..) | Value::Int(..), Some(s)) => {
                let slope = s.values.get(k)?.as_scalar().ok()?;
                Some(Value::Real(input(v.as_scalar().ok()?, slope), false))
            }
            _ => Some(check::lift(v)),
        });
        moved.values.insert(n.clone(), Data { shape: data.shape.clone(), values: values.collect::<Option<_>>()? });
    }
    Some(moved)
}

/// Seeds for everything that the head names, with a number for what has none.
pub(super) fn seeds(bench: &Bench, seeds: &Values<f64>, other: &dyn Fn(SymbolId) -> f64) -> Values<f64> {
    let mut out = Values::new();
    for s in bench.subject.named() {
        let data = bench.subject.value(seeds, s).cloned().unwrap_or_else(|| bench.shaped(s, |_| other(s)));
        out.insert(bench.subject.name(s).to_owned(), data);
    }
    out
}
