//! The points at which a head is checked: the one that is given, or drawn ones that together come to as many statements as possible.
//!
//! Lives here: the search. Never here: what is drawn, what is compared.

use super::draw;
use super::hints::Hints;
use super::oracle::{Oracle, kinks};
use super::random::Random;
use super::reach;
use super::request::{INTERVAL, Request};
use super::subject::Subject;
use overbar_evaluate::fault::fault;
use overbar_evaluate::{Fault, Limits, Values};
use std::collections::BTreeSet;
use xaif::Diagnostic;
use xaif::model::Span;

/// Points that are checked at most.
const POINTS: usize = 4;
/// Steps of the interpreter that the search for further points may take.
const STEPS: u64 = 6_000_000;
/// Steps of one of its runs: what takes longer is not worth it.
const RUN: u64 = 200_000;

/// Attempts to find a point where the program is smooth, once there is one where it is not.
const SMOOTHER: usize = 40;

/// A point with its reference.
pub struct Point {
    /// The values.
    pub x: Values<f64>,
    /// What comes out there.
    pub oracle: Oracle,
    /// Where the program is not smooth.
    pub kinks: Vec<Diagnostic>,
    /// Assignments that it comes to.
    reached: BTreeSet<Span>,
    /// Steps that the program takes there.
    steps: u64,
}

impl Point {
    /// Nothing there that has no derivative, nor a value on the way that is infinite or no number: even if nobody uses that, zero times its slope is none.
    fn smooth(&self) -> bool {
        self.kinks.is_empty() && self.oracle.finite && self.oracle.moderate && !self.oracle.lost.rows.contains(&true)
    }
}

/// Where a head is checked.
pub struct Points {
    /// One or more.
    pub list: Vec<Point>,
    /// Assignments that none of them comes to.
    pub unreached: Vec<Span>,
    /// Points that were given up because the program cannot be run there.
    pub rejected: usize,
}

/// The reference at a point.
fn judge(subject: &Subject, x: Values<f64>, random: &mut Random, limits: &Limits) -> Result<Point, Fault> {
    let oracle = Oracle::new(subject, &x, random, limits)?;
    let dense = oracle.directions.iter().find(|d| d.unit.is_none());
    let kinks = dense.map_or(Ok(Vec::new()), |d| kinks(subject, &x, &d.seeds, INTERVAL, limits))?;
    let (reached, steps) = reach::reached(subject, &x, limits).unwrap_or_default();
    Ok(Point { x, oracle, kinks, reached, steps })
}

/// The point that is given. Else the first drawn one at which the program runs and is smooth, and others that come to further statements; failing that, one
/// at which it runs. One that is not smooth comes before those that reach none of the statements `targets`, which have derivatives.
///
/// # Errors
/// What goes wrong at the point that is given; no point at which the program can be run.
pub fn find(subject: &Subject, request: &Request, targets: &BTreeSet<Span>, random: &mut Random) -> Result<Points, Fault> {
    let all = reach::all(subject);
    let done = |list: Vec<Point>, rejected: usize| {
        let seen = union(&list);
        Points { unreached: all.iter().copied().filter(|s| !seen.contains(s)).collect(), list, rejected }
    };
    if let Some(x) = &request.values {
        return Ok(done(vec![judge(subject, x.clone(), random, &request.limits)?], 0));
    }
    let mut search = Search::new(subject);
    let mut list: Vec<Point> = Vec::new();
    let (mut attempt, mut more, mut spent) = (0, 0, 0);
    while attempt < draw::ATTEMPTS
        && search.other < draw::USUAL
        && more < SMOOTHER
        && spent < 2 * STEPS
        && list.last().is_none_or(|p| !p.smooth())
    {
        // A kink is kept until something smooth is found.
        more += usize::from(!list.is_empty());
        let any = list.is_empty();
        let found = search.usable(attempt, random, |x, random| judge(subject, x, random, &request.limits));
        // Where one run takes long, something smooth is not looked for as long.
        spent += found.as_ref().map_or(0, |p| p.steps);
        if let Some(p) = found.filter(|p| any || p.smooth()) {
            list = vec![p];
        }
        attempt += 1;
    }
    if list.is_empty() {
        return Err(search.none());
    }
    if list.iter().all(Point::smooth) {
        let kinked = search.further(attempt, (&all, targets), &mut list, random, &request.limits);
        prune(&mut list);
        if let Some(p) = kinked.filter(|_| union(&list).is_disjoint(targets)) {
            list = vec![p];
        }
    }
    Ok(done(list, search.rejected))
}

fn union(list: &[Point]) -> BTreeSet<Span> {
    list.iter().flat_map(|p| p.reached.iter().copied()).collect()
}

/// Drops points that show nothing that the others do not show.
fn prune(list: &mut Vec<Point>) {
    let mut k = 0;
    while list.len() > 1 && k < list.len() {
        let others: BTreeSet<Span> =
            list.iter().enumerate().filter(|(i, _)| *i != k).flat_map(|(_, p)| p.reached.iter().copied()).collect();
        if list[k].reached.is_subset(&others) {
            list.remove(k);
        } else {
            k += 1;
        }
    }
}

/// The search for points at which the program runs.
pub(super) struct Search<'a> {
    subject: &'a Subject<'a>,
    hints: Hints,
    /// Points that were given up because the program cannot be run there.
    pub rejected: usize,
    /// Of these, for other reasons than a function outside of its domain.
    pub other: usize,
    globals: bool,
    /// The size of arrays of open extent that sufficed.
    growth: usize,
    last: Option<Fault>,
}

impl<'a> Search<'a> {
    /// That has not begun.
    pub(super) fn new(subject: &'a Subject<'a>) -> Search<'a> {
        Search { subject, hints: Hints::of(subject), rejected: 0, other: 0, globals: false, growth: 0, last: None }
    }

    /// A point of an attempt at which the program runs, with arrays as large as it takes.
    pub(super) fn usable<T>(
        &mut self,
        attempt: usize,
        random: &mut Random,
        mut judge: impl FnMut(Values<f64>, &mut Random) -> Result<T, Fault>,
    ) -> Option<T> {
        let mut shapes = None;
        // What was too small once is that always.
        for growth in self.growth.saturating_sub(1)..draw::GROWTHS {
            let drawn = draw::draw(self.subject, &self.hints, random, attempt, growth, self.globals);
            let now = drawn.as_ref().ok().map(|x| (self.globals, x.values().map(|d| d.shape.clone()).collect::<Vec<_>>()));
            // All extents are declared: nothing would be different.
            if shapes.is_some() && now.is_some() && now == shapes {
                break;
            }
            shapes = now;
            match drawn.and_then(|x| judge(x, random)) {
                Ok(p) => {
                    self.growth = growth;
                    return Some(p);
                }
                Err(f) => {
                    self.rejected += 1;
                    // More memory may help against what leaves an array, and globals against what is not set.
                    let open = f.code == "OB6010" && !self.globals;
                    self.globals |= open;
                    let small = open || matches!(f.code, "OB6011" | "OB6015" | "OB6016");
                    self.other += usize::from(f.code != "OB6061");
                    self.last = Some(f);
                    if !small {
                        break;
                    }
                }
            }
        }
        None
    }

    /// Smooth points that come to statements to which the ones in the list do not come. What comes back is the first one that is not smooth and comes to a
    /// statement with a derivative.
    fn further(
        &mut self,
        from: usize,
        (all, targets): (&BTreeSet<Span>, &BTreeSet<Span>),
        list: &mut Vec<Point>,
        random: &mut Random,
        most: &Limits,
    ) -> Option<Point> {
        let mut missing: BTreeSet<Span> = all.difference(&union(list)).copied().collect();
        let (mut left, mut kinked) = (STEPS, None);
        for attempt in from..from + draw::FURTHER {
            if missing.is_empty() || list.len() >= POINTS || left == 0 {
                break;
            }
            // Where nothing was reached so far, a long run is worth more than many short ones.
            let run = if list.iter().all(|p| p.reached.is_disjoint(targets)) { STEPS / 3 } else { RUN };
            for growth in self.growth..draw::GROWTHS {
                let Ok(x) = draw::draw(self.subject, &self.hints, random, attempt, growth, self.globals) else { break };
                let limits = Limits { steps: most.steps.min(left).min(run), ..*most };
                let Some((reached, steps)) = reach::reached(self.subject, &x, &limits) else {
                    // What a run took that failed is not known: most end soon.
                    left = left.saturating_sub(RUN / 4);
                    continue;
                };
                left = left.saturating_sub(steps);
                if reached.iter().any(|s| missing.contains(s))
                    && let Ok(p) = judge(self.subject, x, random, most)
                {
                    if p.smooth() {
                        missing.retain(|s| !p.reached.contains(s));
                        list.push(p);
                    } else if kinked.is_none() && !p.reached.is_disjoint(targets) {
                        kinked = Some(p);
                    }
                }
                break;
            }
        }
        kinked
    }

    /// Code is missing that no other point brings.
    pub(super) fn is_opaque(&self) -> bool {
        self.last.as_ref().is_some_and(|f| matches!(f.code, "OB6020" | "OB6021"))
    }

    /// Nothing was found.
    pub(super) fn none(&self) -> Fault {
        let what = self.subject.describe();
        let mut f = fault("OB6065", format!("no inputs were found at which {what} can be run ({} were drawn)", self.rejected));
        if let Some(d) = &self.last {
            f.location = d.location.clone();
            f.reason = Some(format!("the last one failed: {}", d.message));
        }
        f.help = Some("give values with --input".into());
        f
    }
}
