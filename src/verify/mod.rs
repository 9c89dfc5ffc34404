//! Derivative certificates: does the derivative code of a head compute the derivative?
//!
//! [`verify`] draws or takes a point, computes value and Jacobian of the *original* there by dual numbers in the interpreter, with the error that
//! rounding may cause in every entry, and compares with them what tangent and adjoint return: interpreted, and compiled where there is a
//! compiler. A head is *pass*, *kink* (the program is not smooth at the point: the statement is named, and beside it all is right) or *wrong* (the first
//! statement whose local derivative is wrong is named).
//!
//! * [`subject`], [`hints`], [`draw`], [`reach`], [`points`]: what is checked, and where
//! * [`oracle`], [`taylor`]: the reference, and what it is itself tied to
//! * [`differences`]: another one, where the interpreter cannot run the program
//! * [`checks`]: the comparisons
//! * [`workshop`], [`messages`]: compiled code, and what compilers say of it
//! * [`made`]: the certificate of a program that is about to be written, by [`brief`] checks against [`slopes`]; [`standing`]: what is said of it
//! * [`promises`]: whether parallel loops are
//! * [`locate`]: which statement is to blame
//! * [`certificate`], [`text`], [`xml`], [`frozen`]: what came out, printed and compared
//!
//! Tolerances come from [`crate::evaluate::Noisy`]: disturbed copies of the computation show how much rounding may change each number, so
//! ill-conditioned programs are not called wrong, and well-conditioned ones are held to a few units in the last place.

pub mod brief;
pub mod certificate;
pub mod checks;
pub mod compiled;
pub mod differences;
pub mod draw;
pub mod engine;
pub mod frozen;
pub mod harness_c;
pub mod harness_fortran;
mod harness_structures;
pub mod hints;
pub mod locate;
pub mod made;
pub mod messages;
pub mod oracle;
pub mod points;
pub mod promises;
pub mod random;
pub mod reach;
pub mod slopes;
pub mod standing;
pub mod subject;
pub mod taylor;
pub mod text;
pub mod workshop;
pub mod xml;

pub use certificate::{Certificate, OneSided, Place, Report, Verdict};
pub use made::certify;
pub use workshop::{Built, Workshop};

use crate::evaluate::{Data, Fault, Limits, Value, Values, answer, json};
use crate::transform::Options;
use crate::{Boosted, boost};
use checks::{Bench, Check};
use engine::{Engine, Interpreter, Map, Programs, Stock};
use oracle::{Oracle, displaced, kinks};
use points::Point;
use random::Random;
use subject::Subject;
use workshop::{Bay, Both};
use xaif::model::{Dialect, Head, Mode};
use xaif::{Diagnostic, Program, Severity};

/// Half the width of the interval in which the program has to be smooth: far above rounding, far below anything drawn.
pub(crate) const INTERVAL: f64 = 1.0 / (1u64 << 30) as f64;
/// Where both sides of a kink are looked at.
const BESIDE: f64 = 1.0 / 1024.0;

/// What is to be checked.
pub struct Request<'a> {
    /// The head.
    pub head: Head,
    /// The point; drawn where it is left out.
    pub values: Option<Values<f64>>,
    /// The seed of everything drawn.
    pub seed: u64,
    /// How derivatives are made; modes and heads are set here.
    pub options: Options,
    /// Limits of one run.
    pub limits: Limits,
    /// Run derivative code in the interpreter.
    pub interpret: bool,
    /// Compile and run it.
    pub workshop: Option<&'a dyn Workshop>,
}

/// Checks one head.
///
/// # Errors
/// What the booster refuses; a point at which the program cannot be run or has no finite derivative; nothing that could be checked.
pub fn verify(program: &Program, request: &Request) -> Result<Report, Vec<Diagnostic>> {
    let subject = Subject::new(program, &request.head)?;
    let made = |tangent: bool, adjoint: bool, plain: bool| -> Result<Boosted, Vec<Diagnostic>> {
        // Stock files are transformed by their own flags.
        let heads = if program.dialect == Dialect::Openad { Vec::new() } else { vec![subject.head()] };
        boost(program.clone(), &Options { tangent, adjoint, heads, plain, ..request.options.clone() })
    };
    let (tangent, adjoint) = (made(true, false, false)?, made(false, true, false)?);
    let programs = Programs::both(&tangent.program, &adjoint.program);
    check(&subject, request, programs, &|what| match what {
        Wanted::Both => made(true, true, false),
        Wanted::Plain => made(true, true, true),
    })
}

/// Derivative programs that are asked for only where they are needed, tangent and adjoint in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The ones that are checked, to be compiled.
    Both,
    /// The same statement by statement, to find the one to blame: a local Jacobian stands for many, and merged increments for several.
    Plain,
}

/// Makes derivative programs.
pub type Remake<'a> = dyn Fn(Wanted) -> Result<Boosted, Vec<Diagnostic>> + 'a;

/// Checks derivative programs that are there already.
///
/// # Errors
/// As [`verify`].
pub fn check(subject: &Subject, request: &Request, programs: Programs, remake: &Remake) -> Result<Report, Vec<Diagnostic>> {
    let program = subject.program;
    let mut random = Random::new(request.seed);
    if let Some(x) = &request.values {
        answer::missing(program, subject.unit, x)?;
    }
    let found = match points::find(subject, request, &mut random) {
        Ok(found) => found,
        Err(f) => return compiled_alone(subject, request, remake, &mut random, f),
    };
    // In stock form nothing tells which statements have derivatives.
    let stock = program.dialect == Dialect::Openad;
    let targets = if stock { reach::all(subject) } else { reach::derived(subject, programs) };
    let unreached: Vec<_> = found.unreached.into_iter().filter(|s| targets.contains(s)).collect();
    let origin = if request.values.is_some() { "given" } else { "drawn" };
    let mut report = Report { rejected: found.rejected, ..Report::new(subject.describe(), origin) };
    let boosted = Both::new();
    let bay = request.workshop.map(|workshop| Bay { subject, boosted: &boosted, workshop, remake, ready: None });
    let mut made = Made { programs, remake, bay };
    for point in &found.list {
        at_point(subject, request, &mut made, point, &mut random, &mut report)?;
    }
    if report.checks.iter().all(|c| c.compared == 0) {
        let mut problems = report.notes;
        problems.push(Diagnostic::error("OB6063", format!("nothing was checked of {}", report.head)));
        return Err(problems);
    }
    report.leave(program, &unreached, targets.len());
    Ok(report)
}

/// The certificate of a program that the interpreter cannot run, because parts of it are text that only a compiler understands: compiled code
/// against differences of the compiled original. `f` is what went wrong in the interpreter.
fn compiled_alone(subject: &Subject, request: &Request, remake: &Remake, random: &mut Random, f: Fault) -> Result<Report, Vec<Diagnostic>> {
    let opaque = matches!(f.code, "OB6010" | "OB6016" | "OB6020" | "OB6021" | "OB6065");
    let (Some(workshop), true) =
        (request.workshop.filter(|_| opaque && subject.program.dialect != Dialect::Openad), differences::needed(subject))
    else {
        return Err(vec![*f]);
    };
    let one = |f: Fault| vec![*f];
    let boosted = Both::new();
    let mut bay = Bay { subject, boosted: &boosted, workshop, remake, ready: None };
    let points = match &request.values {
        Some(x) => vec![x.clone()],
        None => differences::drawn(subject, random).map_err(one)?,
    };
    let why = f.reason.clone().unwrap_or_else(|| f.message.clone());
    let (mut rejected, mut last) = (0, f);
    for x in points {
        let built = bay.at(&x, &x).map_err(|d| vec![(*last).clone(), d])?;
        let objection = built.objections.first().cloned();
        let oracle = match built.engines.first_mut().map(|e| differences::oracle(subject, &mut *e.1, &x, random)) {
            Some(Err(f)) => {
                rejected += 1;
                last = f;
                continue;
            }
            Some(Ok(o)) => Some(o),
            // Refused by the compiler: that is all there is to tell.
            None => None,
        };
        let nothing = Oracle::default();
        let oracle = oracle.as_ref().unwrap_or(&nothing);
        let bench = Bench { subject, oracle, x: &x, zero_init: request.options.zero_init, stock: false };
        let checks = built.all(&bench, request, random);
        let wrong = checks.iter().any(|c| !c.passed);
        let values = x.iter().map(|(n, d)| (n.clone(), json::to_json(d, subject.program.index_order))).collect();
        let note = Diagnostic::warning(
            "OB6069",
            "the interpreter cannot run this program: compiled code was compared with differences of the original",
        )
        .because(why.clone());
        let mut report = Report {
            engines: vec!["compiled"],
            rejected,
            points: vec![serde_json::Value::Object(values)],
            blame: objection.or_else(|| {
                wrong.then(|| Place {
                    location: None,
                    units: vec![subject.program.unit_name(subject.unit).to_owned()],
                    statement: String::new(),
                    message: "no single statement can be found without the interpreter".into(),
                })
            }),
            notes: vec![note],
            ..Report::new(subject.describe(), if request.values.is_some() { "given" } else { "drawn" })
        };
        report.add(if wrong { Verdict::Wrong } else { Verdict::Pass }, checks);
        return Ok(report);
    }
    Err(vec![*last])
}

/// The derivative programs.
struct Made<'a> {
    programs: Programs<'a>,
    remake: &'a Remake<'a>,
    /// Compiled, where that is asked for.
    bay: Option<Bay<'a>>,
}

/// All checks at one point, added to the report.
fn at_point(
    subject: &Subject,
    request: &Request,
    made: &mut Made,
    point: &Point,
    random: &mut Random,
    report: &mut Report,
) -> Result<(), Vec<Diagnostic>> {
    let one = |f: Fault| vec![*f];
    let program = subject.program;
    let stock = program.dialect == Dialect::Openad;
    let Point { x, oracle, kinks: found, .. } = point;
    let bench = Bench { subject, oracle, x, zero_init: request.options.zero_init, stock };
    let mut interpreter: Box<dyn Engine> = if stock {
        Box::new(Stock { subject, made: made.programs, limits: request.limits, work: 0 })
    } else {
        Box::new(Interpreter::new(subject, made.programs, request.limits).map_err(one)?)
    };
    report.points.push(serde_json::Value::Object(x.iter().map(|(n, d)| (n.clone(), json::to_json(d, program.index_order))).collect()));
    let mut checks: Vec<Check> = Vec::new();
    if request.interpret {
        report.engine("interpreter");
        match bench.all(&mut *interpreter, random) {
            Ok(list) => checks.extend(list),
            // Stock output leaves allocations and more to the stock tools: what cannot be run is not checked.
            Err(f) if stock => return Err(one(f)),
            Err(f) => checks.push(broken("interpreter", &f)),
        }
        checks.push(taylor::taylor(subject, oracle, x, &mut *interpreter, &request.limits));
    }
    let promises = promises::broken(subject, x, &request.limits).map_err(one)?;
    checks.extend(promises.check);
    let mut objection = None;
    if let Some(bay) = &mut made.bay {
        match bay.at(x, &oracle.values) {
            Ok(built) => {
                report.engine("compiled");
                objection = built.objections.first().cloned();
                checks.extend(built.all(&bench, request, random));
            }
            Err(mut d) => {
                d.severity = Severity::Warning;
                if !report.notes.contains(&d) {
                    report.notes.push(d);
                }
            }
        }
    }
    let failed = checks.iter().any(|c| !c.passed);
    let undefined = checks.iter().any(|c| c.undefined > 0);
    // Branches that agree where they meet make no kink.
    let found = if !failed && !found.is_empty() && smooth(&bench, request) { &[][..] } else { &found[..] };
    report.kinks.extend(found.iter().map(|d| kink_place(program, d, "the branch or intrinsic is not smooth here")));
    if undefined {
        let edges = oracle.lost.edges.iter().filter(|e| !found.iter().any(|k| k.location == e.location));
        let why = |d: &Diagnostic| {
            if d.location.is_some() { "the slope of an intrinsic is infinite or no number here" } else { d.message.as_str() }.to_owned()
        };
        report.kinks.extend(edges.map(|d| kink_place(program, d, &why(d))));
    }
    if !found.is_empty() && report.one_sided.is_none() {
        report.one_sided = one_sided(subject, oracle, x, &request.limits);
    }
    let verdict = match (failed, found.is_empty()) {
        (false, true) if !undefined => Verdict::Pass,
        (false, _) => Verdict::Kink,
        // At a kink either side will do. Beside it there is one derivative only.
        (true, false) if promises.blame.is_none() && beside(&bench, request, &mut *interpreter, random) => Verdict::Kink,
        _ => Verdict::Wrong,
    };
    if verdict == Verdict::Wrong && report.blame.is_none() {
        // What a compiler says against the code is the reason where the interpreter finds nothing.
        let interpreted = checks.iter().any(|c| c.engine == "interpreter" && !c.passed);
        report.blame = promises.blame.or(objection.filter(|_| !interpreted)).or_else(|| blame(&bench, request, &checks, made));
    }
    report.add(verdict, checks);
    Ok(())
}

/// The statement to blame; of the tangent first, which is the simpler one.
fn blame(bench: &Bench, request: &Request, checks: &[Check], made: &Made) -> Option<Place> {
    if bench.stock {
        return None;
    }
    // What is wrong with a partial derivative is wrong without local Jacobians, too, and there the statement can be told.
    let plain = (made.remake)(Wanted::Plain).ok();
    let plain = plain.and_then(|b| {
        let only = |p: Option<_>| p.is_some().then_some(&b.program);
        blamed(bench, request, Programs { tangent: only(made.programs.tangent), adjoint: only(made.programs.adjoint) })
    });
    plain.or_else(|| blamed(bench, request, made.programs)).or_else(|| {
        let interpreted = checks.iter().any(|c| c.engine == "interpreter" && !c.passed);
        let message = if interpreted || !checks.iter().any(|c| c.engine == "interpreter") {
            "no single statement could be found"
        } else {
            "the interpreter finds the derivative program right: the back end or the compiler is to blame"
        };
        let units = vec![bench.subject.program.unit_name(bench.subject.unit).to_owned()];
        Some(Place { location: None, units, statement: String::new(), message: message.into() })
    })
}

/// The statement to blame in these programs.
fn blamed(bench: &Bench, request: &Request, made: Programs) -> Option<Place> {
    let map = |p: &Program, m: Mode| Map::new(bench.subject, p, m).ok();
    let by_tangent = || made.tangent.and_then(|p| locate::tangent(bench, p, &map(p, Mode::Tangent)?, &request.limits));
    let by_adjoint = || made.adjoint.and_then(|p| locate::adjoint(bench, p, &map(p, Mode::Adjoint)?, &request.limits));
    by_tangent().or_else(by_adjoint)
}

/// A run that ended in an error where the original did not.
fn broken(engine: &'static str, f: &Fault) -> Check {
    let place = f.location.as_ref().map(|l| format!(" at {}:{}:{}", l.file, l.line, l.column)).unwrap_or_default();
    let mut tally = checks::Tally::new("runs to the end", engine);
    tally.hold(|| format!("{}: {}{place}", f.code, f.message), false);
    tally.done()
}

/// Whether everything is right on both sides of a kink.
fn beside(bench: &Bench, request: &Request, engine: &mut dyn Engine, random: &mut Random) -> bool {
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
fn smooth(bench: &Bench, request: &Request) -> bool {
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
fn one_sided(subject: &Subject, oracle: &Oracle, x: &Values<f64>, limits: &Limits) -> Option<OneSided> {
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

/// The place that a remark of the interpreter names.
fn kink_place(program: &Program, d: &Diagnostic, message: &str) -> Place {
    let unit = d.reason.as_ref().and_then(|r| r.split('`').nth(1)).map(str::to_owned);
    Place {
        statement: d.location.as_ref().map_or_else(String::new, |l| line_of(program, l)),
        location: d.location.clone(),
        units: unit.into_iter().collect(),
        message: message.into(),
    }
}

/// The line of the source to which a location points.
fn line_of(program: &Program, l: &xaif::diagnostic::Location) -> String {
    let source = program.sources.iter().find(|s| s.file == l.file);
    source.and_then(|s| s.text.lines().nth(l.line.saturating_sub(1) as usize)).map_or_else(String::new, |t| t.trim().to_owned())
}
