//! The Taylor test: the remainder of the linear model shrinks with the square of the step.
//!
//! |f(x + h d) - f(x) - h J d| is of second order in h exactly if J d is the derivative; it is tried with halved steps until rounding takes
//! over. It ties the reference itself to nothing but values. Lives here: steps and slopes. Never here: derivative code.

use super::checks::{Check, Tally};
use super::engine::Engine;
use super::oracle::{Oracle, displaced, kinks};
use super::subject::Subject;
use crate::evaluate::{Limits, Values};

/// What the comparison is called.
pub const NAME: &str = "Taylor remainders";
/// Halvings of the step.
const HALVINGS: i32 = 14;
/// As many where remainders have not come to the order that they must have, nor down to the noise: what varies fast needs smaller steps.
const MOST: i32 = 40;
/// The remainder of a wrong derivative shrinks with order 1, that of a right one with order 2.
const ORDER: f64 = 1.5;

/// A remainder counts where it is so many times the noise: what is nearer to it may be its order as well as that of the function.
const CLEAR: f64 = 16.0;

/// The Taylor test with one engine in the dense directions.
pub fn taylor(subject: &Subject, oracle: &Oracle, x: &Values<f64>, engine: &mut dyn Engine, limits: &Limits) -> Check {
    let mut tally = Tally::new(NAME, engine.name());
    let mut lowest = f64::INFINITY;
    for (c, direction) in oracle.directions.iter().enumerate().filter(|(_, d)| d.unit.is_none()) {
        // As large a step as does not cross a kink.
        let smooth = |h: f64| kinks(subject, x, &direction.seeds, h, limits).is_ok_and(|k| k.is_empty());
        let Some(first) = [-6, -9, -12, -16, -20].into_iter().find(|&e| smooth(f64::from(e).exp2())) else {
            tally.remark("every step crosses a kink".into());
            continue;
        };
        let Ok(start) = engine.primal(x) else { continue };
        let mut remainders: Vec<Vec<(f64, f64)>> = vec![Vec::new(); oracle.rows.len()];
        for k in 0..MOST {
            if k >= HALVINGS && remainders.iter().all(|list| is_settled(list)) {
                break;
            }
            let h = f64::from(first - k).exp2();
            let Ok(there) = engine.primal(&displaced(subject, x, &direction.seeds, h)) else { break };
            for (i, &(s, e)) in oracle.rows.iter().enumerate() {
                let at = |v: &Values<f64>| subject.value(v, s).and_then(|d| d.values.get(e)?.as_scalar().ok()).unwrap_or(f64::NAN);
                let (a, b) = (at(&start.values), at(&there.values));
                let remainder = (b - a - h * oracle.slopes[i][c]).abs();
                let noise = at(&oracle.noise) + h * oracle.tolerances[i][c] + subject.epsilon(s) * (a.abs() + b.abs());
                remainders[i].push((remainder, noise));
            }
        }
        for (i, list) in remainders.iter().enumerate() {
            let (orders, order) = orders(list);
            // A single order taken far from where it counts says little.
            let counts = orders != 1;
            lowest = lowest.min(order);
            let (s, e) = oracle.rows[i];
            tally.hold(
                || {
                    let shape = subject.value(&oracle.values, s).map(|d| d.shape.clone()).unwrap_or_default();
                    format!("the remainder of {} shrinks with order {order:.2} of the step only", subject.element(s, "", &shape, e))
                },
                !counts || order >= ORDER,
            );
        }
    }
    if lowest.is_finite() {
        tally.remark(format!("lowest order {lowest:.2}"));
    }
    tally.done()
}

/// How many orders there are between steps at which the remainder stands out of the noise, and that at the smallest steps.
fn orders(list: &[(f64, f64)]) -> (usize, f64) {
    let out: Vec<f64> =
        list.windows(2).take_while(|p| p[1].0 > CLEAR * p[1].1 && p[0].0 > CLEAR * p[0].1).map(|p| (p[0].0 / p[1].0).log2()).collect();
    let order = match out[..] {
        [] => 2.0,
        [only] => only,
        // Where terms of two orders cancel, the steps beside that show neither.
        [a, b] => a.max(b),
        [.., a, b, c] => a.max(b).max(c),
    };
    (out.len(), order)
}

/// Smaller steps would say nothing else.
fn is_settled(list: &[(f64, f64)]) -> bool {
    list.last().is_none_or(|(remainder, noise)| *remainder <= CLEAR * noise || remainder.is_nan()) || orders(list).1 >= ORDER
}
