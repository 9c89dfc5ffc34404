//! What is said of a certificate where derivatives are written: diagnostics, and a comment at the derivative units.
//!
//! Lives here: words, and which of them are errors. Never here: how a certificate is obtained, what is done about it.

use super::certificate::{Place, Report, Verdict};
use xaif::model::Standing;
use xaif::{Diagnostic, Program};

/// The codes of what is said here.
pub const CODES: [&str; 5] = ["OB0146", "OB6081", "OB6082", "OB6083", "OB6084"];

/// Places that are named one by one.
const NAMED: usize = 5;

/// The version of the tool, as it is to be reported.
const TOOL: &str = concat!("overbar ", env!("CARGO_PKG_VERSION"));

/// What is to be said of a head, errors where nothing may be written. `require`: what is not certified whole is an error as well.
pub fn diagnostics(report: &Report, require: bool) -> Vec<Diagnostic> {
    let said = |code: &'static str, message: String| {
        if require { Diagnostic::error(code, message) } else { Diagnostic::warning(code, message) }
    };
    if report.verdict == Verdict::Wrong {
        return vec![wrong(report)];
    }
    let head = &report.head;
    let mut out = Vec::new();
    if report.verdict == Verdict::NotCertified {
        let why = report.reason.as_deref().unwrap_or("for no known reason");
        let message = format!("the derivatives of {head} are not certified: {why}");
        // A point that was given is not left aside without an error.
        let d = if report.origin == "given" { Diagnostic::error("OB6083", message) } else { said("OB6083", message) };
        out.push(d.help(if report.origin == "given" {
            "give values of all arguments that the program reads, at which it can be run"
        } else {
            "check them with a point of your own (--input), or compiled with `overbar verify`; --certificate none leaves the certificate out"
        }));
    }
    if !report.kinks.is_empty() || report.verdict == Verdict::Kink {
        let places: Vec<String> = report.kinks.iter().map(Place::spoken).collect();
        let at = if places.is_empty() { String::new() } else { format!(" ({})", listed(&places)) };
        let message = format!("{head} is not smooth where it was checked{at}: there its derivatives are those of one side");
        out.push(said("OB6081", message).help("check them at a point of your own with --input"));
    }
    if !report.unreached.is_empty() {
        let what = if report.verdict == Verdict::NotReached { "any statement" } else { "all statements" };
        let message =
            format!("no point was found that comes to {what} of {head} with a derivative: not certified are {}", listed(&report.unreached));
        out.push(said("OB6082", message).help("check them at a point that comes there, with --input"));
    }
    out
}

/// The first few places, and how many more there are.
fn listed(places: &[String]) -> String {
    let named = places.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match places.len().saturating_sub(NAMED) {
        0 => named,
        n => format!("{named} and {n} more"),
    }
}

/// What is said where a derivative is wrong.
fn wrong(report: &Report) -> Diagnostic {
    let failed = report.checks.iter().find(|c| !c.passed);
    let point = report.points.last().map(|p| format!("{{\"args\":{p}}}")).unwrap_or_default();
    let point = if point.chars().count() > 400 { format!("{}...", point.chars().take(397).collect::<String>()) } else { point };
    let location = report.blame.as_ref().and_then(|b| b.location.clone());
    let statement = report.blame.as_ref().map_or_else(String::new, |b| {
        let text = if b.statement.is_empty() { String::new() } else { format!(": {}", b.statement) };
        format!("{}: {}{text}; ", b.spoken(), b.message)
    });
    if failed.is_some_and(|c| c.name == "parallel loops") {
        return Diagnostic::error("OB6084", format!("a loop of {} is not parallel, though a directive calls it so", report.head))
            .at(location)
            .because(format!("{statement}seen at the point {point}"))
            .help("take the directive away; derivative code that relies on it would be wrong");
    }
    let what = failed.map(|c| format!("{} ({}: {}); ", c.name, c.engine, c.detail)).unwrap_or_default();
    Diagnostic::error("OB0146", format!("the derivatives made for {} are wrong: nothing was written", report.head))
        .at(location)
        .because(format!("{statement}{what}at the point {point}"))
        .help(format!(
            "this is a fault of Overbar, not of the program: please report it with the input, the command line and the version ({TOOL}); \
             `overbar verify` tells more, and --certificate none writes the code all the same"
        ))
}

/// The comment for the derivative units of a head.
pub fn comment(report: &Report) -> String {
    let engines: Vec<&str> = report.engines.iter().map(|e| if *e == "interpreter" { "by the interpreter" } else { *e }).collect();
    let points = match (report.origin, report.points.len()) {
        ("given", _) => "at the point that was given".to_owned(),
        (_, 1) => "at 1 point".to_owned(),
        (_, n) => format!("at {n} points"),
    };
    let lines = lines(&report.unreached);
    match report.verdict {
        Verdict::NotCertified => {
            format!("Not certified: {}.", report.reason.as_deref().unwrap_or("for no known reason").trim_end_matches('.'))
        }
        Verdict::NotReached => format!("Not certified: no point was found that comes to {lines}."),
        _ => {
            let mut text = format!("Certified {} {points}", engines.join(" and "));
            if !report.kinks.is_empty() {
                let places: Vec<String> = report.kinks.iter().map(Place::spoken).collect();
                text.push_str(&format!(", where it is not smooth ({})", self::lines(&places)));
            }
            if !report.unreached.is_empty() {
                text.push_str(&format!("; not certified: {lines}, to which no point comes"));
            }
            text + "."
        }
    }
}

/// Places without the names of folders, of one file without its name: the same program in another folder has the same derivatives.
fn lines(places: &[String]) -> String {
    let parts = |p: &String| -> Option<(String, String)> {
        let mut from_behind = p.rsplitn(3, ':');
        let (_, line, file) = (from_behind.next()?, from_behind.next()?, from_behind.next()?);
        Some((file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned(), line.to_owned()))
    };
    let mut list: Vec<(String, String)> = places.iter().filter_map(parts).collect();
    list.dedup();
    if list.is_empty() {
        return "statements whose lines are not known".into();
    }
    let single = list.iter().all(|p| p.0 == list[0].0);
    let named: Vec<String> = list.iter().map(|(file, line)| if single { line.clone() } else { format!("{file}:{line}") }).collect();
    match (single, named.len()) {
        (true, 1) => format!("line {}", named[0]),
        (true, _) => format!("lines {}", listed(&named)),
        _ => listed(&named),
    }
}

/// Notes in a program that has been made what its certificate says, at the derivative units of the heads.
pub fn seal(program: &mut Program, reports: &[Report]) {
    // Stock documents have no place for it.
    if program.dialect == xaif::model::Dialect::Openad {
        return;
    }
    for report in reports {
        let standing = match report.standing() {
            Verdict::Pass => Standing::Pass,
            Verdict::Kink => Standing::Kink,
            Verdict::NotReached => Standing::NotReached,
            Verdict::NotCertified | Verdict::Wrong => Standing::NotCertified,
        };
        let unit = report.head.split(['(', '/']).next().unwrap_or_default().trim();
        let Some(original) = program.unit_named(unit) else { continue };
        for u in &mut program.units {
            if u.derivation.is_some_and(|d| d.of == original) {
                u.standing = Some(standing);
                u.comment = [u.comment.trim_end(), &comment(report)].join(if u.comment.is_empty() { "" } else { "\n" });
            }
        }
    }
}
