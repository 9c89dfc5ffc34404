//! Derivative programs checked at points.
//!
//! Lives here: the order of the checks, and the verdict. Never here: any comparison.

use super::answer;
use super::beside::{beside, one_sided, smooth};
use super::certificate::{Place, Report, Verdict};
use super::checks::{Bench, Check, broken};
use super::engine::{Engine, Interpreter, Map, Programs, Stock};
use super::oracle::Oracle;
use super::place::kink_place;
use super::points::{self, Point};
use super::random::Random;
use super::request::{Remake, Request, Wanted};
use super::subject::Subject;
use super::workshop::{Bay, Both};
use super::{differences, locate, promises, reach, taylor};
use overbar_evaluate::{Fault, Limits, json};
use xaif::model::{Dialect, Mode};
use xaif::{Diagnostic, Program, Severity};

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
    // In stock form nothing tells which statements have derivatives.
    let stock = program.dialect == Dialect::Openad;
    let targets = if stock { reach::all(subject) } else { reach::derived(subject, programs) };
    let found = match points::find(subject, request, &targets, &mut random) {
        Ok(found) => found,
        Err(f) => return compiled_alone(subject, request, programs, remake, &mut random, f),
    };
    let unreached: Vec<_> = found.unreached.into_iter().filter(|s| targets.contains(s)).collect();
    let origin = if request.values.is_some() { "given" } else { "drawn" };
    let mut report = Report { rejected: found.rejected, ..Report::new(subject.describe(), origin) };
    let boosted = Both::new();
    let bay = request.workshop.map(|workshop| Bay { subject, made: programs, boosted: &boosted, workshop, remake, ready: None });
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
fn compiled_alone(
    subject: &Subject,
    request: &Request,
    programs: Programs,
    remake: &Remake,
    random: &mut Random,
    f: Fault,
) -> Result<Report, Vec<Diagnostic>> {
    let opaque = matches!(f.code, "OB6010" | "OB6016" | "OB6020" | "OB6021" | "OB6065");
    let (Some(workshop), true) =
        (request.workshop.filter(|_| opaque && subject.program.dialect != Dialect::Openad), differences::needed(subject))
    else {
        return Err(vec![*f]);
    };
    let one = |f: Fault| vec![*f];
    let boosted = Both::new();
    let mut bay = Bay { subject, made: programs, boosted: &boosted, workshop, remake, ready: None };
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
        let bench =
            Bench { subject, oracle, x: &x, zero_init: request.options.zero_init, with_values: request.options.with_values, stock: false };
        let checks = built.all(&bench, request, random).map_err(|d| vec![(*last).clone(), d])?;
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

/// Derivatives take several times as long as the original, which came to its end.
fn longer(limits: &Limits) -> Limits {
    Limits { steps: limits.steps.saturating_mul(40), ..*limits }
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
    let bench = Bench { subject, oracle, x, zero_init: request.options.zero_init, with_values: request.options.with_values, stock };
    let mut interpreter: Box<dyn Engine> = if stock {
        Box::new(Stock { subject, made: made.programs, limits: request.limits, work: 0 })
    } else {
        Box::new(Interpreter::new(subject, made.programs, longer(&request.limits)).map_err(one)?)
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
        let built =
            bay.at(x, &oracle.values).and_then(|built| Ok((built.all(&bench, request, random)?, built.objections.first().cloned())));
        match built {
            Ok((list, said)) => {
                report.engine("compiled");
                objection = said;
                checks.extend(list);
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
    let by_adjoint = |closely| made.adjoint.and_then(|p| locate::adjoint(bench, p, &map(p, Mode::Adjoint)?, &request.limits, closely));
    by_tangent().or_else(|| by_adjoint(false)).or_else(|| by_adjoint(true))
}
