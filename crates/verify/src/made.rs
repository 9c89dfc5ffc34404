//! The certificate of a program that has been made: the very derivative units that are to be written, within a budget of operations.
//!
//! Each head is checked at drawn points, and at more of them while they come to statements with a derivative that others do not reach. A point is checked
//! briefly ([`super::brief`]); what is beyond its tolerance there is held against rigorous ones, and what is beyond those too goes to the full check
//! ([`super::check`]), which has the verdict and finds the statement. The budget counts what the interpreter does, so the same request gives the same. Lives
//! here: points, budgets, verdicts. Never here: what is made of them ([`super::standing`]).

use super::brief::{self, Compared};
use super::certificate::{Report, Verdict};
use super::check::check;
use super::checks::Bench;
use super::engine::{Engine, Interpreter, Programs, Stock};
use super::oracle::{UNSET, kinks};
use super::place::kink_place;
use super::points::Search;
use super::random::Random;
use super::request::{INTERVAL, Request, Wanted};
use super::slopes::Slopes;
use super::subject::Subject;
use super::taylor::NAME as TAYLOR;
use super::workshop::Workshop;
use super::{draw, promises, reach};
use crate::answer;
use overbar_booster::analysis::Facts;
use overbar_booster::transform::{Options, goes_by_flags};
use overbar_booster::{Boosted, boost};
use overbar_evaluate::fault::fault;
use overbar_evaluate::{Fault, Inputs, Limits, Sweep, Values, json, noted};
use std::collections::BTreeSet;
use std::sync::Arc;
use xaif::model::{Derivation, Dialect, Formal, Head, Span, UnitId};
use xaif::{Diagnostic, Program};

/// What a certificate may cost where nothing is said: about a second of one core.
pub const BUDGET: u64 = 10_000_000;
/// Points that are checked at most.
const POINTS: usize = 4;
/// Draws without anything new after which no more are made.
const IDLE: usize = 60;
/// Attempts before a program counts as one that cannot be run, where code is missing.
const OPAQUE: usize = 8;
/// As many otherwise.
const HOPELESS: usize = 300;
/// Attempts to find a point where the program is smooth, once there is one where it is not.
const SMOOTHER: usize = 12;
/// A run of the original may take this part of what is left: a point takes about so many of its runs.
const SHARE: u64 = 16;
/// Looking for more points may take this part.
const SEARCHED: u64 = 4;
/// What a run on a tape takes, in runs of plain numbers.
const TAPED: u64 = 4;
/// What following both sides of a point takes.
const SIDES: u64 = 2;
/// What disturbed copies take.
const NOISY: u64 = 24;
/// What the full check of a point takes.
const FULL: u64 = 400;
/// What drawing and starting takes besides.
const START: u64 = 200;
/// What looking at a statement of the program takes before anything runs.
const STATEMENT: u64 = 20;
/// Elements of memory that a run may hold.
const ELEMENTS: usize = 1 << 21;

/// What is asked for.
pub struct Made<'a> {
    /// The options with which the program was made.
    pub options: &'a Options,
    /// The point; drawn where it is left out.
    pub values: Option<Values<f64>>,
    /// The seed of everything drawn.
    pub seed: u64,
    /// Operations of the interpreter.
    pub budget: u64,
    /// Variables without a value start at zero.
    pub zero_start: bool,
    /// Compiles and runs the same, where that is asked for.
    pub workshop: Option<&'a dyn Workshop>,
}

/// The heads for which a program was made: those asked for, else what the units with derivatives tell that no other of them calls.
pub fn heads(original: &Program, boosted: &Program, options: &Options) -> Vec<Head> {
    let asked = if options.heads.is_empty() { &original.heads } else { &options.heads };
    if !asked.is_empty() {
        return asked.clone();
    }
    let units: Vec<UnitId> = original.unit_ids().filter(|&u| !original.unit(u).is_container()).collect();
    if goes_by_flags(original) {
        let name = |&&u: &&UnitId| original.unit_name(u).eq_ignore_ascii_case("head");
        let head = units.iter().find(name).or(if units.len() == 1 { units.first() } else { None });
        return head.map(|&u| Head { unit: original.unit_name(u).to_owned(), ..Head::default() }).into_iter().collect();
    }
    let facts = Facts::of(original);
    let derived: BTreeSet<&str> = boosted.units.iter().filter_map(|u| Some(boosted.unit_name(u.derivation?.of))).collect();
    let units: Vec<UnitId> = units.into_iter().filter(|&u| derived.contains(original.unit_name(u))).collect();
    let called: BTreeSet<UnitId> =
        units.iter().flat_map(|&u| facts.tables[u.index()].callees.iter().copied().filter(move |&c| c != u)).collect();
    units.into_iter().filter(|u| !called.contains(u)).map(|u| flagged(original, boosted, &facts, u)).collect()
}

/// A head that says what the derivative units of a unit have derivatives for.
fn flagged(original: &Program, boosted: &Program, facts: &Facts, unit: UnitId) -> Head {
    let name = original.unit_name(unit);
    let of = |d: Derivation| boosted.unit_name(d.of) == name;
    let companions: BTreeSet<&str> = boosted
        .units
        .iter()
        .filter(|u| u.derivation.is_some_and(of))
        .flat_map(|u| u.formals.iter().filter_map(|f| super::engine::companion_of(boosted, f.symbol)))
        .collect();
    let effects = facts.effects.unit(unit);
    let list = |wanted: &dyn Fn(&Formal) -> bool| -> Option<Vec<String>> {
        let formals =
            original.unit(unit).formals.iter().filter(|f| companions.contains(original.symbol(f.symbol).name.as_str()) && wanted(f));
        Some(formals.map(|f| if f.result { name.to_owned() } else { original.symbol(f.symbol).name.to_string() }).collect())
    };
    let dependents = list(&|f| f.result || effects.writes.contains(&f.symbol));
    let independents = list(&|f| !f.result && effects.exposed.contains(&f.symbol));
    Head { unit: name.to_owned(), dependents, independents }
}

/// Whether a budget is enough to look at a program at all.
pub fn affordable(program: &Program, budget: u64) -> bool {
    let statements: u64 = program.units.iter().flat_map(|u| u.graph.node_weights()).map(|v| 1 + v.stmts().len() as u64).sum();
    statements.saturating_mul(STATEMENT) <= budget
}

/// A report for each head of a program that has been made from `original`.
pub fn certify(original: &Program, boosted: &Program, heads: &[Head], made: &Made) -> Vec<Report> {
    let facts = Arc::new(Facts::of(original));
    let mut left = made.budget;
    let mut out = Vec::new();
    for (k, head) in heads.iter().enumerate() {
        let share = left / (heads.len() - k) as u64;
        let mut purse = Purse { left: share };
        out.push(match Subject::with(original, Arc::clone(&facts), head) {
            Ok(subject) => Certifying::new(&subject, boosted, made).run(&mut purse),
            Err(found) => Report::uncertified(head.to_string(), found.first().map_or_else(String::new, |d| d.message.clone())),
        });
        left = left - share + purse.left;
    }
    out
}

/// What is left of a budget.
struct Purse {
    left: u64,
}

impl Purse {
    fn pay(&mut self, work: u64) {
        self.left = self.left.saturating_sub(work);
    }
}

/// A point with the linear model of the original there.
struct Point {
    x: Values<f64>,
    slopes: Slopes,
    kinks: Vec<Diagnostic>,
    direction: super::oracle::Direction,
    /// What a run of the original takes.
    work: u64,
}

impl Point {
    fn is_smooth(&self) -> bool {
        self.kinks.is_empty() && self.slopes.finite
    }
}

/// A head that is being certified.
struct Certifying<'a> {
    subject: &'a Subject<'a>,
    programs: Programs<'a>,
    made: &'a Made<'a>,
    /// Statements with a derivative.
    targets: BTreeSet<Span>,
    stock: bool,
    report: Report,
    /// The budget ended the search.
    spent: bool,
}

impl<'a> Certifying<'a> {
    fn new(subject: &'a Subject<'a>, boosted: &'a Program, made: &'a Made<'a>) -> Certifying<'a> {
        let stock = subject.program.dialect == Dialect::Openad;
        let programs = Programs::of(boosted, made.options);
        let targets = if stock { reach::all(subject) } else { reach::derived(subject, programs) };
        let report = Report::new(subject.describe(), if made.values.is_some() { "given" } else { "drawn" });
        Certifying { subject, programs, made, targets, stock, report, spent: false }
    }

    fn limits(&self, purse: &Purse) -> Limits {
        let steps = (purse.left / SHARE).max(1);
        Limits { steps, work: steps, elements: ELEMENTS, tape_bytes: 1 << 28, zero_start: self.made.zero_start, ..Limits::default() }
    }

    /// Limits of derivative code at a point, which takes a multiple of what the original takes, however much is recorded and run again.
    fn derivative_limits(&self, purse: &Purse, work: u64) -> Limits {
        let steps = purse.left.max(SHARE * work);
        Limits { steps, work: steps, elements: 8 * ELEMENTS, ..self.limits(purse) }
    }

    fn run(mut self, purse: &mut Purse) -> Report {
        let mut random = Random::new(self.made.seed);
        let points = match self.points(purse, &mut random) {
            Ok(points) => points,
            Err(f) => return self.without(&f),
        };
        let (mut seen, mut failed) = (BTreeSet::new(), None);
        for point in &points {
            let before = self.report.points.len();
            match self.check(point, purse, &mut random) {
                Ok(()) => seen.extend(point.slopes.reached.iter().copied()),
                // Another point may do.
                Err(f) => {
                    self.report.points.truncate(before);
                    failed = Some(f);
                }
            }
            if self.report.verdict == Verdict::Wrong {
                break;
            }
        }
        if let (true, Some(f)) = (self.report.points.is_empty(), failed) {
            return self.without(&f);
        }
        let unreached: Vec<Span> = self.targets.difference(&seen).copied().collect();
        self.report.leave(self.subject.program, &unreached, self.targets.len());
        if let (Some(workshop), true) = (self.made.workshop, self.report.verdict != Verdict::Wrong) {
            self.compile(workshop, &points);
        }
        self.report
    }

    /// Nothing can be said.
    fn without(mut self, f: &Fault) -> Report {
        let program = self.subject.program;
        // The program runs, but nothing that was drawn comes to a statement that sets what is asked for.
        if !self.spent && !self.targets.is_empty() && (f.message == UNSET || f.reason.as_ref().is_some_and(|r| r.ends_with(UNSET))) {
            let all: Vec<Span> = self.targets.iter().copied().collect();
            self.report.leave(program, &all, all.len());
            return self.report;
        }
        let mut why = f.reason.as_ref().filter(|_| f.code == "OB6065").map_or_else(|| f.message.clone(), |r| format!("{}; {r}", f.message));
        if f.code == "OB6004" || self.spent {
            why = format!("the budget is used up: {why}");
        } else if let Some(l) = &f.location
            && !program.sources.is_empty()
        {
            why = format!("{why} (line {})", l.line);
        }
        self.report.verdict = Verdict::NotCertified;
        self.report.reason = Some(why);
        self.report
    }

    /// The points at which everything is compared.
    fn points(&mut self, purse: &mut Purse, random: &mut Random) -> Result<Vec<Point>, Fault> {
        if let Some(x) = &self.made.values {
            answer::missing(self.subject.program, self.subject.unit, x)
                .map_err(|l| l.into_iter().next().map_or_else(|| fault("OB6050", "a value is missing"), Box::new))?;
            return Ok(vec![self.judge(x.clone(), purse, random)?]);
        }
        let mut search = Search::new(self.subject);
        let (mut attempt, mut more) = (0, 0);
        let mut list: Vec<Point> = Vec::new();
        while attempt < draw::ATTEMPTS && search.other < draw::USUAL && more < SMOOTHER && list.last().is_none_or(|p| !p.is_smooth()) {
            if purse.left <= START {
                self.spent = true;
                break;
            }
            more += usize::from(!list.is_empty());
            if let Some(p) = search.usable(attempt, random, |x, random| self.judge(x, purse, random))
                && (list.is_empty() || p.is_smooth())
            {
                list = vec![p];
            }
            attempt += 1;
            if list.is_empty() && attempt >= (if search.is_opaque() { OPAQUE } else { HOPELESS }) {
                break;
            }
        }
        if list.is_empty() {
            return Err(search.none());
        }
        self.further(attempt, &mut search, &mut list, purse, random);
        self.report.rejected = search.rejected;
        Ok(list)
    }

    /// More points, as long as they come to statements that others do not reach.
    fn further(&mut self, from: usize, search: &mut Search, list: &mut Vec<Point>, purse: &mut Purse, random: &mut Random) {
        let mut missing: BTreeSet<Span> = self.targets.clone();
        list.iter().for_each(|p| missing.retain(|s| !p.slopes.reached.contains(s)));
        let (mut attempt, mut idle) = (from, 0);
        // The search is worth a part of the budget.
        let floor = purse.left - purse.left / SEARCHED;
        let mut kinked = None;
        while !missing.is_empty() && list.len() < POINTS && idle < IDLE && purse.left > floor {
            let limits = self.limits(purse);
            let subject = self.subject;
            let found = search.usable(attempt, random, |x, _| {
                let inputs = Inputs { values: x.clone(), ..Inputs::default() };
                let (outcome, notes) = noted::<f64>(subject.program, subject.unit, &inputs, &[Sweep::Plain], &limits);
                purse.pay(START + notes.work);
                match outcome?.stopped {
                    Some(stop) => Err(Box::new(stop)),
                    None => Ok((x, notes.reached)),
                }
            });
            attempt += 1;
            idle += 1;
            let Some((x, reached)) = found else { continue };
            if reached.iter().any(|s| missing.contains(s))
                && let Ok(p) = self.judge(x, purse, random)
            {
                if p.is_smooth() {
                    missing.retain(|s| !p.slopes.reached.contains(s));
                    list.push(p);
                    idle = 0;
                } else if kinked.is_none() && list.iter().all(|p| p.slopes.reached.is_disjoint(&self.targets)) {
                    kinked = Some(p);
                }
            }
        }
        // What comes to no statement with a derivative shows less than what does, and is not smooth there.
        if let Some(p) = kinked.filter(|_| list.iter().all(|p| p.slopes.reached.is_disjoint(&self.targets))) {
            missing.retain(|s| !p.slopes.reached.contains(s));
            *list = vec![p];
        }
        self.spent |= !missing.is_empty() && purse.left <= floor;
    }

    /// The linear model at a point, and whether the program is smooth there.
    fn judge(&self, x: Values<f64>, purse: &mut Purse, random: &mut Random) -> Result<Point, Fault> {
        let limits = self.limits(purse);
        let (slopes, work) = Slopes::at(self.subject, &x, &limits);
        purse.pay(START + TAPED * work);
        let slopes = slopes?;
        let direction = brief::direction(self.subject, &x, random);
        purse.pay(SIDES * work);
        let kinks = kinks(self.subject, &x, &direction.seeds, INTERVAL, &Limits { work: u64::MAX, ..limits })?;
        Ok(Point { x, slopes, kinks, direction, work })
    }

    /// Checks at a point, and adds what is found to the report.
    fn check(&mut self, point: &Point, purse: &mut Purse, random: &mut Random) -> Result<(), Fault> {
        let (subject, stock) = (self.subject, self.stock);
        let limits = self.derivative_limits(purse, point.work);
        let reference = brief::values(&point.slopes);
        let bench = Bench {
            subject,
            oracle: &reference,
            x: &point.x,
            zero_init: self.made.options.zero_init,
            with_values: self.made.options.with_values,
            stock,
        };
        let mut engine: Box<dyn Engine + '_> = if stock {
            Box::new(Stock { subject, made: self.programs, limits, work: 0 })
        } else {
            Box::new(Interpreter::new(subject, self.programs, limits)?)
        };
        self.report.engine("interpreter");
        let program = subject.program;
        let shown = point.x.iter().map(|(n, d)| (n.clone(), json::to_json(d, program.index_order))).collect();
        self.report.points.push(serde_json::Value::Object(shown));
        let runs = brief::runs(&bench, &point.slopes, point.direction.clone(), &mut *engine, random);
        purse.pay(engine.work());
        let runs = match runs {
            Ok(runs) => runs,
            // What the interpreter cannot do says nothing of the derivative; nor do allocations that stock output leaves to the stock tools.
            Err(f) if stock || is_beyond(&f) => return Err(f),
            Err(_) => {
                self.full(point, purse, None);
                return Ok(());
            }
        };
        let mut compared = brief::compare(&bench, &point.slopes, &runs, "interpreter");
        if !compared.passed() {
            purse.pay(NOISY * point.work);
            let again = Limits { steps: u64::MAX, work: u64::MAX, ..limits };
            let again = brief::compare_again(&bench, &runs, &compared.suspects, "interpreter", &again)?;
            compared = settled(compared, again);
        }
        let promises = promises::broken(subject, &point.x, &Limits { steps: u64::MAX, ..limits })?;
        let broken = promises.check.as_ref().is_some_and(|c| !c.passed);
        if !compared.passed() || broken {
            self.full(point, purse, Some(compared));
            return Ok(());
        }
        compared.checks.extend(promises.check);
        let undefined = compared.checks.iter().any(|c| c.undefined > 0);
        if point.kinks.is_empty() && !undefined {
            self.report.add(Verdict::Pass, compared.checks);
        } else if FULL * point.work <= self.made.budget {
            // Branches that agree where they meet make no kink.
            self.full(point, purse, None);
        } else {
            let places = point.kinks.iter().map(|d| kink_place(program, d, "the branch or intrinsic is not smooth here"));
            self.report.kinks.extend(places);
            self.report.add(Verdict::Kink, compared.checks);
        }
        Ok(())
    }

    /// The full check of a point, where the brief one found something: it has the verdict.
    fn full(&mut self, point: &Point, purse: &mut Purse, found: Option<Compared>) {
        purse.pay(FULL * point.work);
        let limits = Limits { steps: u64::MAX, work: u64::MAX, ..self.derivative_limits(purse, point.work) };
        let request = self.request(point, limits, true, None);
        let shown = self.report.points.pop();
        match check(self.subject, &request, self.programs, &|what| self.remake(what)) {
            Ok(mut report) => {
                // Differences of the original say nothing of what was made.
                if report.verdict == Verdict::Wrong && report.checks.iter().all(|c| c.passed || c.name == TAYLOR) {
                    report.checks.retain(|c| c.passed);
                    report.blame = None;
                    report.verdict = if report.kinks.is_empty() { Verdict::Pass } else { Verdict::Kink };
                }
                self.report.join(&mut report);
                if let Some(found) = found.filter(|f| report.verdict == Verdict::Pass && !f.passed()) {
                    // Components that the full check leaves out.
                    self.report.add(Verdict::Wrong, found.checks);
                }
            }
            Err(why) => {
                self.report.points.extend(shown);
                match found {
                    Some(found) => self.report.add(if found.passed() { Verdict::Pass } else { Verdict::Wrong }, found.checks),
                    None => {
                        self.report.verdict = Verdict::NotCertified;
                        self.report.reason = why.into_iter().next().map(|d| d.message);
                    }
                }
            }
        }
    }

    /// A request for the full check of a point.
    fn request<'r>(&self, point: &Point, limits: Limits, interpret: bool, workshop: Option<&'r dyn Workshop>) -> Request<'r> {
        Request {
            head: self.subject.head(),
            values: Some(point.x.clone()),
            seed: self.made.seed,
            options: self.made.options.clone(),
            limits,
            interpret,
            workshop,
        }
    }

    /// Compiled code at the same points.
    fn compile(&mut self, workshop: &'a dyn Workshop, points: &[Point]) {
        for point in points {
            let request = self.request(point, Limits { steps: 5_000_000, ..Limits::default() }, false, Some(workshop));
            match check(self.subject, &request, self.programs, &|what| self.remake(what)) {
                Ok(mut report) => {
                    report.points.clear();
                    self.report.join(&mut report);
                }
                Err(found) => self.report.notes.extend(found.into_iter().map(|mut d| {
                    d.severity = xaif::Severity::Warning;
                    d
                })),
            }
        }
    }

    /// The same derivatives made anew: statement by statement to find the one to blame, or in both modes for a harness.
    fn remake(&self, what: Wanted) -> Result<Boosted, Vec<Diagnostic>> {
        let options = self.made.options;
        // Stock documents have their derivatives for all heads at once.
        let heads = if self.stock { options.heads.clone() } else { vec![self.subject.head()] };
        let options = match what {
            Wanted::Both => Options { tangent: true, adjoint: true, heads, facts: false, ..options.clone() },
            Wanted::Plain => Options { plain: true, heads, facts: false, ..options.clone() },
        };
        boost(self.subject.program.clone(), &options)
    }
}

/// Whether a fault of derivative code is one of the interpreter's own: code that it does not have, operations that it does not know, limits.
fn is_beyond(f: &Fault) -> bool {
    matches!(f.code, "OB6001" | "OB6004" | "OB6020" | "OB6021" | "OB6060" | "OB6062" | "OB6064")
}

/// What two comparisons say together: the second has the last word on what the first doubts.
fn settled(first: Compared, again: Compared) -> Compared {
    let checks = first.checks.into_iter().map(|mut c| {
        if let Some(a) = again.checks.iter().find(|a| a.name == c.name) {
            if !c.passed && a.passed {
                c.worst = a.worst;
                c.detail.clone_from(&a.detail);
            }
            c.passed |= a.passed;
            c.undefined += a.undefined;
        }
        c
    });
    Compared { checks: checks.collect(), suspects: again.suspects }
}
