//! The best sequence within a budget: all heuristics first, then exact search and annealing where the graph is small enough for them.

use super::budget::Budget;
use super::check;
use super::code::{self, Code, Step};
use super::cost::{Counting, Objective};
use super::dag::Dag;
use super::graph::{Graph, Role};
use super::large;
use super::names::{Heuristic, Technique, chain_name};
use super::small;
use super::sweeps::{Direction, cost};
use super::vertices::{self, Order};
use super::{edges, faces};
use std::time::{Duration, Instant};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is minimized.
    pub objective: Objective,
    /// Heuristics that decide alone, without any search.
    pub order: Option<Vec<Heuristic>>,
    /// What those heuristics eliminate at a time.
    pub technique: Technique,
    /// How long to search; `None` for a search that is bounded by its moves, and so always gives the same.
    pub time: Option<Duration>,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the code is wanted.
    pub code: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The objective.
    pub objective: Objective,
    /// Its value for the sequence.
    pub cost: u64,
    /// No vertex order costs less.
    pub lower_bound: u64,
    /// How the sequence was found.
    pub method: String,
    /// The sequence.
    pub steps: Vec<Step>,
    /// The code that it implies, where it was asked for.
    pub code: Option<Code>,
    /// Something is left to be eliminated, though nobody asked to stop early: nothing is said about whole orders.
    pub partial: bool,
    /// Whether the code was run against the path products; it is not where there are more than [`MOST_CHECKED`] products.
    pub checked: bool,
}

impl Outcome {
    /// True where no vertex order is better.
    pub fn optimal(&self) -> bool {
        !self.partial && self.cost <= self.lower_bound
    }
}

/// Why there is no outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The elimination is too large.
    #[error("the elimination takes too many multiplications")]
    TooLarge,
    /// The code does not compute the Jacobian, or not at the cost claimed: an error of ours.
    #[error("the sequence found does not compute the Jacobian")]
    Wrong,
}

/// Why a sequence that is given has no outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// The step with this number has nothing to eliminate.
    #[error("step {0} of the sequence has nothing to eliminate")]
    Step(usize),
    /// Faces stand beside other steps.
    #[error("faces stand beside other steps")]
    Mixed,
    /// The outcome fails.
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// The best found so far.
#[derive(Clone, Debug)]
pub struct Incumbent {
    /// The order.
    pub order: Order,
    /// How it was found.
    pub method: String,
    /// No order costs less.
    pub lower_bound: u64,
}

impl Incumbent {
    /// Takes another order if it is better.
    pub fn offer(&mut self, order: Order, method: impl FnOnce() -> String) {
        if order.cost < self.order.cost {
            self.order = order;
            self.method = method();
        }
    }
}

/// The budget of a search, as parts of it are given out.
#[derive(Clone, Copy, Debug)]
pub struct Purse {
    until: Option<Instant>,
}

impl Purse {
    /// All of the time that is left, or that many steps.
    pub fn all(&self, steps: u64) -> Budget {
        self.until.map_or(Budget::steps(steps), Budget::until)
    }

    /// A part of the time that is left, or that many steps.
    pub fn part(&self, share: f64, steps: u64) -> Budget {
        let now = Instant::now();
        self.until.map_or(Budget::steps(steps), |until| Budget::until(now + until.saturating_duration_since(now).mul_f64(share)))
    }

    /// Whether the time is over; never without a clock.
    pub fn is_empty(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether there is a clock.
    pub fn is_timed(&self) -> bool {
        self.until.is_some()
    }
}

/// Searches from this time on look at more than vertex orders, and those without a clock take that many steps for it.
const LONG: Duration = Duration::from_secs(2);
const SPLIT_STEPS: u64 = 100_000;

/// More products than this are neither written as code nor checked, unless the code is asked for.
pub const MOST_CHECKED: u64 = 1_000_000;

/// More products than this are not written at all.
pub const MOST_PRODUCTS: u64 = 20_000_000;

/// Searches. The time runs from `started`.
pub fn search(graph: &Graph, request: &Request, started: Instant) -> Result<Outcome, Failure> {
    let counting = request.objective.counting();
    let whole = Purse { until: request.time.map(|t| started + t) };
    // Long searches keep a part of their time for sequences that are finer than vertex orders.
    let purse = Purse { until: request.time.map(|t| started + if t >= LONG { t.mul_f64(0.8) } else { t }) };
    if let (Some(chain), Technique::Edge | Technique::Face) = (&request.order, request.technique) {
        return finer(graph, request, counting, chain);
    }
    let best = match &request.order {
        Some(chain) => by_name(graph, counting, chain)?,
        None => {
            let mut best = quick(graph, counting);
            // Writing and checking the code takes its time too.
            let writing = if best.order.cost <= MOST_CHECKED { Duration::from_nanos(best.order.cost * 450) } else { Duration::ZERO };
            let purse = Purse { until: purse.until.map(|u| u.checked_sub(writing).unwrap_or(u)) };
            heuristics(graph, counting, &purse, &mut best);
            small::improve(graph, request, &purse, &mut best);
            large::improve(graph, request, &purse, &mut best);
            best
        }
    };
    let mut outcome = Outcome {
        objective: request.objective,
        cost: best.order.cost,
        lower_bound: best.lower_bound,
        method: best.method.clone(),
        steps: best.order.vertices.iter().map(|&v| Step::Vertex(v)).collect(),
        code: None,
        partial: false,
        checked: false,
    };
    if let Objective::Propagate(directions) = request.objective {
        small::stop_early(graph, request, directions, &purse, &best.order.vertices, &mut outcome);
    } else if request.order.is_none() {
        let mut budget = match request.time {
            Some(t) if t >= LONG => whole.part(1.0, 0).sooner(Instant::now() + t.mul_f64(0.2)),
            Some(_) => Budget::steps(0),
            None => Budget::steps(SPLIT_STEPS),
        };
        if let Some((steps, cost)) = small::finer(graph, request, &mut budget, &best) {
            (outcome.steps, outcome.cost) = (steps, cost);
            outcome.method.push_str(", vertices split");
            if cost < outcome.lower_bound {
                outcome.method.push_str(&format!(" (no vertex order costs less than {})", outcome.lower_bound));
                outcome.lower_bound = 0;
            }
        }
    }
    finish(graph, request, outcome)
}

/// What a sequence that is given costs, whole or partial; its code is checked like that of one that was found.
///
/// # Errors
/// A step that has nothing to eliminate where it stands; faces beside other steps, which live in another graph.
pub fn given(graph: &Graph, request: &Request, steps: Vec<Step>) -> Result<Outcome, Unfit> {
    let counting = request.objective.counting();
    let faces: Vec<(u32, u32)> = steps.iter().filter_map(|s| if let Step::Face(e, f) = *s { Some((e, f)) } else { None }).collect();
    let code = if faces.is_empty() {
        let mut writer = code::Writer::new(graph, counting);
        for (k, step) in steps.iter().enumerate() {
            writer.apply(step).map_err(|_| Unfit::Step(k + 1))?;
        }
        writer.finish()
    } else if faces.len() < steps.len() {
        return Err(Unfit::Mixed);
    } else {
        faces::write(graph, counting, &faces).map_err(|k| Unfit::Step(k + 1))?
    };
    let inside = |v: u32| graph.vertices.get(v as usize).is_none_or(|v| v.role == Role::Intermediate);
    let left = code.remaining.iter().filter(|r| inside(r.source) || inside(r.target)).count();
    let factors = code.remaining.iter().filter(|r| r.class > super::cost::Class::Unit).count() as u64;
    let directions = if let Objective::Propagate(k) = request.objective { k } else { 0 };
    let outcome = Outcome {
        objective: request.objective,
        cost: code.multiplications + directions * factors,
        lower_bound: 0,
        method: if left == 0 { "given".to_owned() } else { format!("given, in part: {left} edges at intermediate vertices are left") },
        steps,
        code: None,
        partial: left > 0,
        checked: false,
    };
    Ok(finish(graph, request, outcome)?)
}

/// Writes the code and checks it.
fn finish(graph: &Graph, request: &Request, mut outcome: Outcome) -> Result<Outcome, Failure> {
    let counting = request.objective.counting();
    let plain = request.objective == Objective::Plain;
    // The number of products of any kind may be much larger than what is counted.
    let products = if plain { outcome.cost } else { products(graph, &outcome.steps, MOST_PRODUCTS + 1) };
    if products > MOST_CHECKED && !request.code {
        return Ok(outcome);
    }
    if products > MOST_PRODUCTS {
        return Err(Failure::TooLarge);
    }
    let pairs: Option<Vec<(u32, u32)>> =
        outcome.steps.iter().map(|s| if let Step::Face(e, f) = *s { Some((e, f)) } else { None }).collect();
    let code = match pairs.filter(|p| !p.is_empty()) {
        Some(pairs) => faces::write(graph, counting, &pairs).ok(),
        None => code::write(graph, counting, &outcome.steps).ok(),
    };
    let code = code.ok_or(Failure::Wrong)?;
    let directions = if let Objective::Propagate(k) = request.objective { k } else { 0 };
    let left = code.remaining.iter().filter(|r| r.class > super::cost::Class::Unit).count() as u64;
    if code.multiplications + directions * left != outcome.cost || !check::holds(graph, &code, request.seed) {
        return Err(Failure::Wrong);
    }
    outcome.checked = true;
    if request.code {
        outcome.code = Some(code);
    }
    Ok(outcome)
}

/// Sequences of edges or faces by name.
fn finer(graph: &Graph, request: &Request, counting: Counting, chain: &[Heuristic]) -> Result<Outcome, Failure> {
    let mut budget = Budget::steps(FINER_STEPS);
    let (steps, cost) = match request.technique {
        Technique::Face => faces::sequence(graph, counting, chain, &mut budget)
            .map(|(faces, cost)| (faces.into_iter().map(|(e, f)| Step::Face(e, f)).collect(), cost)),
        _ => edges::sequence(graph, counting, chain, &mut budget),
    }
    .ok_or(Failure::TooLarge)?;
    let word = if request.technique == Technique::Face { "faces" } else { "edges" };
    let method = format!("{word}: {}", chain_name(chain));
    let mut outcome =
        Outcome { objective: request.objective, cost, lower_bound: 0, method, steps, code: None, partial: false, checked: false };
    if let Objective::Propagate(directions) = request.objective {
        let counted = Request { objective: Objective::Aware, code: true, ..request.clone() };
        let complete = finish(graph, &counted, Outcome { objective: Objective::Aware, ..outcome.clone() })?;
        let left = complete.code.map_or(0, |c| c.remaining.iter().filter(|r| r.class > super::cost::Class::Unit).count() as u64);
        outcome.cost += directions * left;
    }
    finish(graph, request, outcome)
}

/// What sequences of edges and faces may spend: they look at every target in every step.
const FINER_STEPS: u64 = 2_000_000_000;

/// The pairs of edges that vertex steps multiply, counted up to a bound.
fn products(graph: &Graph, steps: &[Step], most: u64) -> u64 {
    let mut dag = Dag::new(graph, Counting::Plain);
    let mut sum = 0;
    // Only graphs of moderate size are searched for anything finer than vertex orders.
    if steps.iter().any(|s| !matches!(s, Step::Vertex(_))) {
        return 0;
    }
    for step in steps {
        if let Step::Vertex(v) = *step
            && dag.is_present(v)
        {
            sum += dag.predecessors(v).len() as u64 * dag.successors(v).len() as u64;
            if sum >= most {
                return most;
            }
            dag.eliminate(v);
        }
    }
    sum
}

fn by_name(graph: &Graph, counting: Counting, chain: &[Heuristic]) -> Result<Incumbent, Failure> {
    let method = chain_name(chain);
    // Forward and reverse alone need not be done to be counted.
    let dag = Dag::new(graph, counting);
    let direction = match chain {
        [Heuristic::Forward, ..] => Some(Direction::Forward),
        [Heuristic::Reverse, ..] => Some(Direction::Reverse),
        _ => None,
    };
    let order = match direction {
        Some(direction) => swept(&dag, counting, direction, Order { vertices: Vec::new(), cost: 0 }),
        None => vertices::order(graph, counting, chain, u64::MAX, &mut Budget::steps(NAMED_STEPS)).ok_or(Failure::TooLarge)?,
    };
    Ok(Incumbent { order, method, lower_bound: 0 })
}

/// What heuristics may spend that were asked for by name.
const NAMED_STEPS: u64 = 20_000_000_000;

/// Chains worth trying, the cheap ones first.
const CHAINS: [&[Heuristic]; 12] = [
    &[Heuristic::Pre1, Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Markowitz, Heuristic::Forward],
    &[Heuristic::RelativeMarkowitz, Heuristic::Reverse],
    &[Heuristic::RelativeMarkowitz, Heuristic::Forward],
    &[Heuristic::Markowitz, Heuristic::FillIn, Heuristic::Reverse],
    &[Heuristic::FillIn, Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Lmmd, Heuristic::Reverse],
    &[Heuristic::Momr, Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Distance, Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Sibling, Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Moplr, Heuristic::Markowitz, Heuristic::Reverse],
];

/// What one heuristic may spend without a clock.
const HEURISTIC_STEPS: u64 = 3_000_000;

/// Tries the chains, each capped by the best cost so far.
fn heuristics(graph: &Graph, counting: Counting, purse: &Purse, best: &mut Incumbent) {
    for chain in CHAINS {
        if purse.is_empty() {
            return;
        }
        let mut limited = purse.part(0.05, HEURISTIC_STEPS);
        if let Some(order) = vertices::order(graph, counting, chain, best.order.cost, &mut limited) {
            best.offer(order, || chain_name(chain));
        }
    }
}

/// The best of forward and reverse, alone and after the vertices with a single successor. Costs are computed before anything is done.
pub(super) fn quick(graph: &Graph, counting: Counting) -> Incumbent {
    let before = Dag::new(graph, counting);
    let mut after = before.clone();
    let mut first = Order { vertices: Vec::new(), cost: 0 };
    let pre1 = vertices::pre1(&mut after, &mut first, &mut Budget::steps(PRE1_STEPS)).map(|()| first);
    let begun = |dag, direction, order, name: &str| {
        let word = if direction == Direction::Forward { "forward" } else { "reverse" };
        Incumbent { order: swept(dag, counting, direction, order), method: format!("{name}{word}"), lower_bound: 0 }
    };
    let nothing = Order { vertices: Vec::new(), cost: 0 };
    let mut best = begun(&before, Direction::Forward, nothing.clone(), "");
    let mut tried = vec![begun(&before, Direction::Reverse, nothing, "")];
    if let Some(first) = pre1 {
        tried.push(begun(&after, Direction::Forward, first.clone(), "pre1,"));
        tried.push(begun(&after, Direction::Reverse, first, "pre1,"));
    }
    for t in tried {
        best.offer(t.order, || t.method);
    }
    best
}

/// The sweep over vertices with one successor touches every edge a few times in graphs of programs; this is for others.
const PRE1_STEPS: u64 = 200_000_000;

/// An order completed in topological order, or against it.
fn swept(dag: &Dag, counting: Counting, direction: Direction, mut order: Order) -> Order {
    order.cost += cost(dag, counting, direction);
    let done = order.vertices.len();
    order.vertices.extend((0..dag.len() as u32).filter(|&v| dag.is_present(v)));
    if direction == Direction::Reverse {
        order.vertices[done..].reverse();
    }
    order
}
