//! The Taylor test: the remainder of the linear model shrinks with the square of the step.
//!
//! |f(x + h d) - f(x) - h J d| is of second order in h exactly if J d is the derivative; it is tried with halved steps until rounding takes
//! over. It ties the reference itself to nothing but values. Where f varies faster than the smallest step that stands out of the noise, the order says
//! nothing: a remainder counts against J d only if (f(x + h d) - f(x)) / h cannot be the mean of the reference's slopes along that step either.
//! Lives here: steps and slopes. Never here: derivative code.

use super::checks::{Check, Tally};
use super::engine::Engine;
use super::oracle::{DENSE, Direction, Element, LARGE, Oracle, displaced, kinks};
use super::subject::Subject;
use overbar_evaluate::{Limits, Values};

/// What the comparison is called.
pub const NAME: &str = "Taylor remainders";
/// Halvings of the step.
const HALVINGS: i32 = 14;
/// As many where there are very many values, if all remainders have come to their order by then.
const FEW_HALVINGS: i32 = 5;
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
    // Of many numbers some are near the noise for long: what the first steps say is enough.
    let large = oracle.rows.len() > LARGE;
    let (directions, enough, most) = if large { (1, FEW_HALVINGS, HALVINGS) } else { (DENSE, HALVINGS, MOST) };
    for (c, direction) in oracle.directions.iter().enumerate().filter(|(_, d)| d.unit.is_none()).take(directions) {
        // As large a step as does not cross a kink.
        let smooth = |h: f64| kinks(subject, x, &direction.seeds, h, limits).is_ok_and(|k| k.is_empty());
        let Some(first) = [-6, -9, -12, -16, -20].into_iter().find(|&e| smooth(f64::from(e).exp2())) else {
            tally.remark("every step crosses a kink".into());
            continue;
        };
        let Ok(start) = engine.primal(x) else { continue };
        let mut remainders: Vec<Vec<(f64, f64)>> = vec![Vec::new(); oracle.rows.len()];
        let mut changes: Vec<Vec<f64>> = vec![Vec::new(); oracle.rows.len()];
        for k in 0..most {
            if k >= enough && remainders.iter().all(|list| is_settled(list)) {
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
                changes[i].push(b - a);
            }
        }
        for (i, list) in remainders.iter().enumerate() {
            let (orders, order) = orders(list);
            let (s, e) = oracle.rows[i];
            // A single order taken far from where it counts says little, and so does one of what varies within the step.
            let counts = orders > 1 && order < ORDER && {
                let h = f64::from(first - orders as i32).exp2();
                let here = (oracle.slopes[i][c], oracle.tolerances[i][c]);
                let step = Step { h, change: changes[i][orders], noise: list[orders].1, here };
                is_no_mean(subject, x, direction, (s, e), &step, limits)
            };
            if orders == 0 || counts || order >= ORDER {
                lowest = lowest.min(order);
            }
            tally.hold(
                || {
                    let shape = subject.value(&oracle.values, s).map(|d| d.shape.clone()).unwrap_or_default();
                    format!("the remainder of {} shrinks with order {order:.2} of the step only", subject.element(s, "", &shape, e))
                },
                !counts,
            );
        }
    }
    if lowest.is_finite() {
        tally.remark(format!("lowest order {lowest:.2}"));
    }
    tally.done()
}

/// A step along a direction: its length, what a value changes by, what of that rounding may be, and the slope where it starts with its tolerance.
struct Step {
    h: f64,
    change: f64,
    noise: f64,
    here: (f64, f64),
}

/// Whether what a value changes by over a step cannot come from the reference's slopes: the mean of them lies among the slopes at the places between (mean
/// value theorem); where it is farther from all that were seen there than these are from each other, they are not the slopes of these values.
fn is_no_mean(subject: &Subject, x: &Values<f64>, direction: &Direction, row: Element, step: &Step, limits: &Limits) -> bool {
    let slope = |part: f64| -> Option<(f64, f64)> {
        let there = displaced(subject, x, &direction.seeds, part * step.h);
        let oracle = Oracle::along(subject, &there, std::slice::from_ref(direction), limits).ok()?;
        let i = oracle.rows.iter().position(|&r| r == row)?;
        Some((oracle.slopes[i][0], oracle.tolerances[i][0]))
    };
    let Some(mut seen) = [0.25, 0.5, 0.75, 1.0].map(slope).into_iter().collect::<Option<Vec<_>>>() else { return false };
    seen.push(step.here);
    let (least, most) = seen.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), s| (s.0.min(a), s.0.max(b)));
    let noise = step.noise / step.h + seen.iter().map(|s| s.1).sum::<f64>();
    let mean = step.change / step.h;
    (least - mean).max(mean - most) > CLEAR * noise + (most - least)
}

/// How many orders there are between steps at which the remainder stands out of the noise, and that at the smallest steps, with the step that goes down to the
/// noise: a remainder that falls there at once is that of a jump behind which the step before had come.
fn orders(list: &[(f64, f64)]) -> (usize, f64) {
    let is_clear = |p: &(f64, f64)| p.0 > CLEAR * p.1;
    let mut out: Vec<f64> = list.windows(2).take_while(|p| is_clear(&p[0]) && is_clear(&p[1])).map(|p| (p[0].0 / p[1].0).log2()).collect();
    let count = out.len();
    if let (1.., Some(next)) = (count, list.get(count + 1)) {
        out.push((list[count].0 / (next.0 + next.1)).log2());
    }
    let order = match out[..] {
        [] => 2.0,
        [only] => only,
        // Where terms of two orders cancel, the steps beside that show neither.
        [a, b] => a.max(b),
        [.., a, b, c] => a.max(b).max(c),
    };
    (count, order)
}

/// Smaller steps would say nothing else.
fn is_settled(list: &[(f64, f64)]) -> bool {
    list.last().is_none_or(|(remainder, noise)| *remainder <= CLEAR * noise || remainder.is_nan()) || orders(list).1 >= ORDER
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Remainders at halved steps, with a noise of 1e-12.
    fn list(remainder: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (6..30).map(|k| f64::from(-k).exp2()).map(|h| (remainder(h) + 3e-13, 1e-12)).collect()
    }

    #[test]
    fn orders_are_those_of_remainders() {
        let right = orders(&list(|h| 3.0 * h * h));
        assert!(right.0 > 5 && (right.1 - 2.0).abs() < 0.1, "{right:?}");
        let wrong = orders(&list(|h| 3.0 * h * h + 0.01 * h));
        assert!(wrong.0 > 5 && wrong.1 < ORDER, "{wrong:?}");
        let barely_wrong = orders(&list(|h| 1e-7 * h));
        assert!(barely_wrong.0 > 1 && barely_wrong.1 < ORDER, "{barely_wrong:?}");
        assert_eq!(orders(&list(|_| 0.0)), (0, 2.0));
    }

    /// Behind a jump of 1e-9 a step changes values by as much however small it is.
    #[test]
    fn a_jump_is_no_order() {
        let jump = orders(&list(|h| if h > 1e-4 { 1e-9 } else { 0.0 }));
        assert!(jump.0 > 5 && jump.1 >= ORDER, "{jump:?}");
    }
}
