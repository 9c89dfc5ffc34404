//! Both sides of a point at which a program is not smooth.
//!
//! Lives here: what is looked at there. Never here: the verdict.

use super::certificate::OneSided;
use super::checks::Bench;
use super::engine::{self, Engine};
use super::oracle::{self, Oracle, displaced, kinks};
use super::random::Random;
use super::request::{INTERVAL, Request};
use super::subject::Subject;
use overbar_evaluate::{Data, Limits, Value, Values};

/// Where both sides of a kink are looked at.
const BESIDE: f64 = 1.0 / 1024.0;

/// Whether everything is right on both sides of a kink.
pub(super) fn beside(bench: &Bench, request: &Request, engine: &mut dyn Engine, random: &mut Random) -> bool {
    let Some(direction) = bench.oracle.directions.iter().find(|d| d.unit.is_none()) else { return false };
    let mut looked = false;
    for side in [-1.0, 1.0] {
        for distance in [BESIDE, BESIDE / 64.0] {
            let x = displaced(bench.subject, bench.x, &direction.seeds, side * distance);
            // One side may be outside of the domain.
            let Ok(oracle) = Oracle::new(bench.subject, &x, random, &request.limits) else { continue };
            match kinks(bench.subject, &x, &direction.seeds, INTERVAL, &request.limits) {
                Ok(k) if k.is_empty() => {}
                _ => continue,
            }
            let there = Bench { oracle: &oracle, x: &x, ..*bench };
            match there.all(engine, random) {
                Ok(list) if list.iter().all(|c| c.passed) => looked = true,
                _ => return false,
            }
            break;
        }
    }
    looked
}

/// Whether values and derivatives on both sides tend to those at the point: what is left of a jump when the distance shrinks is all of it.
pub(super) fn smooth(bench: &Bench, request: &Request) -> bool {
    let (subject, here) = (bench.subject, bench.oracle);
    let Some(direction) = here.directions.iter().find(|d| d.unit.is_none()) else { return false };
    [-1.0, 1.0].into_iter().all(|side| {
        let at = |h: f64| {
            let x = displaced(subject, bench.x, &direction.seeds, side * h);
            let free = kinks(subject, &x, &direction.seeds, h / 16.0, &request.limits).is_ok_and(|k| k.is_empty());
            let there = Oracle::along(subject, &x, &here.directions, &request.limits);
            there.ok().filter(|o| free && o.rows == here.rows)
        };
        let (Some(far), Some(near)) = (at(BESIDE / 64.0), at(BESIDE / 4096.0)) else { return false };
        let small = |at: f64, near: f64, far: f64, tolerance: f64| (near - at).abs() <= (far - at).abs() / 8.0 + 4.0 * tolerance;
        let slopes = here.slopes.iter().flatten().zip(near.slopes.iter().flatten()).zip(far.slopes.iter().flatten());
        let tolerances = here.tolerances.iter().flatten();
        let value = |o: &Oracle, (s, k): oracle::Element, noise: bool| {
            let list = if noise { &o.noise } else { &o.values };
            subject.value(list, s).and_then(|d| d.values.get(k)?.as_scalar().ok()).unwrap_or(f64::NAN)
        };
        slopes.zip(tolerances).all(|(((&a, &n), &f), &t)| small(a, n, f, t))
            && here.rows.iter().all(|&r| small(value(here, r, false), value(&near, r, false), value(&far, r, false), value(here, r, true)))
    })
}

/// The slopes of differences to both sides along the first dense direction, for the output where they differ most.
pub(super) fn one_sided(subject: &Subject, oracle: &Oracle, x: &Values<f64>, limits: &Limits) -> Option<OneSided> {
    let c = oracle.directions.iter().position(|d| d.unit.is_none())?;
    let h = BESIDE / 1024.0;
    let at = |h: f64| engine::original(subject, &displaced(subject, x, &oracle.directions[c].seeds, h), limits).ok();
    let (low, mid, high) = (at(-h)?, at(0.0)?, at(h)?);
    let mut best: Option<OneSided> = None;
    for (i, &(s, k)) in oracle.rows.iter().enumerate() {
        let of =
            |v: &Values<f64>| subject.value(v, s).and_then(|d: &Data<f64>| d.values.get(k)).and_then(|v: &Value<f64>| v.as_scalar().ok());
        let (Some(a), Some(b), Some(d)) = (of(&low.values), of(&mid.values), of(&high.values)) else { continue };
        let found = OneSided {
            output: subject.element(s, "", &subject.value(&oracle.values, s).map(|d| d.shape.clone()).unwrap_or_default(), k),
            left: (b - a) / h,
            right: (d - b) / h,
            derivative: oracle.slopes[i][c],
        };
        if best.as_ref().is_none_or(|o| (o.left - o.right).abs() < (found.left - found.right).abs()) {
            best = Some(found);
        }
    }
    best
}
