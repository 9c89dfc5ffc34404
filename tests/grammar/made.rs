//! Derivatives of a program, made in this process: from text to text.
//!
//! Never here: compilers, and what comes out when derivatives run.

use super::rng::Rng;
use super::text::{Language, Program};
use overbar::Options;
use overbar::eliminate::names::Heuristic;
use overbar::transform::preaccumulate::Effort;
use overbar::transform::{Checkpoint, Directions, Preaccumulate, Reversal, Suffixes};
use overbar::verify::{Request, Verdict};
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};
use xaif::Diagnostic;
use xaif::model::{Head, Mode, Passing, UnitId};

/// Everything that is asked for, drawn by the seed.
#[derive(Clone, Debug)]
pub struct Wish {
    pub options: Options,
    pub preprocess: bool,
    /// Loops are reversed from snapshots, and other procedures are heads too, as far as that is possible: drawn by this number.
    pub more: Option<u64>,
}

/// Why there is nothing to compile.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// A code with its message.
    Refused(String),
    Panic(String),
}

/// A formal of a derivative.
#[derive(Clone, Debug, PartialEq)]
pub struct Formal {
    pub name: String,
    pub real: bool,
    pub float: bool,
    pub value: bool,
    /// It is the derivative of the argument of this name.
    pub of: Option<String>,
    pub result: bool,
}

#[derive(Clone, Debug)]
pub struct Unit {
    pub name: String,
    pub adjoint: bool,
    pub formals: Vec<Formal>,
    /// The module it is in.
    pub module: Option<String>,
}

pub struct Derived {
    /// What was asked in the end.
    pub options: Options,
    pub text: String,
    pub units: Vec<Unit>,
    pub parsed: xaif::Program,
    pub boosted: xaif::Program,
    pub notes: Vec<Diagnostic>,
}

pub fn prefix(seed: u64) -> String {
    format!("q{seed}_")
}

/// What is asked for a seed.
pub fn wish(program: &Program, seed: u64) -> Wish {
    let mut rng = Rng::new(seed ^ 0x0071_0075);
    let unit = format!("{}head", prefix(seed));
    let mut options = Options {
        tangent: true,
        adjoint: true,
        heads: vec![Head {
            unit: unit.clone(),
            dependents: Some(program.head.dependents.iter().map(|d| super::text::real(d, &prefix(seed))).collect()),
            independents: Some(program.head.independents.clone()),
        }],
        directions: match (rng.percent(12), seed % 2) {
            (false, _) => Directions::One,
            (true, 0) => Directions::Counted,
            (true, _) => Directions::Fixed(const { NonZeroU16::new(2).unwrap() }),
        },
        zero_init: rng.percent(12),
        reversal: [Reversal::Joint, Reversal::Split, Reversal::Auto, Reversal::ByCost][rng.below(4)],
        preaccumulate: [Preaccumulate::Auto, Preaccumulate::Auto, Preaccumulate::Never, Preaccumulate::Always][rng.below(4)],
        ..Options::default()
    };
    let preprocess = rng.percent(10);
    // Both modes mostly: they share what is made of a program.
    match rng.below(10) {
        0 => options.adjoint = false,
        1 => options.tangent = false,
        _ => {}
    }
    if rng.percent(25) {
        options.order = Some(rng.pick(&ORDERS).map_or_else(Vec::new, |o| o.to_vec()));
    } else if rng.percent(10) {
        options.search = Some(Effort::Moves(200));
    }
    if rng.percent(10) {
        let text = |t: &str| t.to_owned();
        options.suffixes =
            Suffixes { tangent_unit: text("_tl"), adjoint_unit: text("_ad"), tangent_variable: text("_t"), adjoint_variable: text("_a") };
    }
    options.facts = rng.percent(5);
    let more = rng.percent(35).then_some(seed ^ 0x6d6f_7265);
    Wish { options, preprocess, more }
}

const ORDERS: [&[Heuristic]; 5] = [
    &[Heuristic::Forward],
    &[Heuristic::Reverse],
    &[Heuristic::Sibling, Heuristic::Markowitz, Heuristic::Reverse],
    &[Heuristic::Pre1, Heuristic::Lmmd],
    &[Heuristic::Distance, Heuristic::FillIn],
];

/// Snapshots for some of the loops, sometimes another head.
fn with_more(options: &Options, parsed: &xaif::Program, number: u64) -> Options {
    let mut rng = Rng::new(number);
    let mut out = options.clone();
    for u in parsed.unit_ids() {
        let unit = parsed.unit(u);
        for v in unit.graph.node_weights().filter(|v| v.is_loop() && v.span.is_known()) {
            if rng.percent(40) {
                let text = ["1", "2", "3", "memory:400", "2,every:2", "1,every:3"][rng.below(6)];
                let wanted = format!("{}:{}={text}", parsed.unit_name(u), v.span.line);
                out.checkpoints.extend(wanted.parse::<Checkpoint>());
            }
        }
        let name = parsed.unit_name(u);
        if rng.percent(8) && name != out.heads[0].unit && !unit.is_container() {
            out.heads.push(Head { unit: name.to_owned(), dependents: None, independents: None });
        }
    }
    out
}

fn said(list: &[Diagnostic]) -> String {
    list.iter().find(|d| d.severity == xaif::Severity::Error).or(list.first()).map_or_else(String::new, |d| {
        let place = d.location.as_ref().map_or_else(String::new, |l| format!(" at {}:{}", l.line, l.column));
        format!("{} {}{place}{}", d.code, d.message, d.reason.as_ref().map_or_else(String::new, |r| format!(" ({r})")))
    })
}

fn guarded<T>(what: &str, f: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|p| {
        let text = p.downcast_ref::<String>().cloned().or_else(|| p.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Failure::Panic(format!("{what}: {}", text.unwrap_or_default()))
    })
}

/// Texts to a program of the model.
pub fn parse(
    language: Language,
    texts: &[String],
    seed: u64,
    preprocess: bool,
    fixed: bool,
) -> Result<(xaif::Program, Vec<Diagnostic>), Failure> {
    let extension = match (language, fixed) {
        (Language::C, _) => "c",
        (_, true) => "f",
        _ => "f90",
    };
    let names: Vec<String> = (0..texts.len()).map(|k| format!("p{seed}_{k}.{extension}")).collect();
    let parsed = match language {
        Language::C => {
            let sources: Vec<_> = names.iter().zip(texts).map(|(file, text)| overbar_c::parse::SourceText { file, text }).collect();
            let options = overbar_c::ParseOptions { preprocess, ..Default::default() };
            guarded("parse", || overbar_c::parse(&sources, &options))?
        }
        Language::Fortran => {
            let sources: Vec<_> = names.iter().zip(texts).map(|(file, text)| overbar_fortran::parse::SourceText { file, text }).collect();
            let options = overbar_fortran::ParseOptions { fixed_form: fixed, ..Default::default() };
            guarded("parse", || overbar_fortran::parse(&sources, &options))?
        }
    };
    parsed.map_err(|d| Failure::Refused(format!("parse {}", said(&d))))
}

/// Text, derivatives, text.
pub fn derive(program: &Program, seed: u64, wish: &Wish) -> Result<Derived, Failure> {
    let texts = program.print(&prefix(seed));
    let (parsed, notes) = parse(program.language, &texts, seed, wish.preprocess, program.fixed)?;
    let mut options = wish.options.clone();
    let mut boosted = Err(Vec::new());
    if let Some(number) = wish.more {
        options = with_more(&wish.options, &parsed, number);
        boosted = guarded("boost", || overbar::boost(parsed.clone(), &options))?;
    }
    // What cannot be had in addition is left out.
    if boosted.is_err() {
        options = wish.options.clone();
        boosted = guarded("boost", || overbar::boost(parsed.clone(), &options))?;
    }
    let boosted = boosted.map_err(|d| {
        // Why the head was left out says more.
        let why = notes.iter().find(|n| said(&d).contains("left out") || !n.code.starts_with("OB4")).map(|n| said(std::slice::from_ref(n)));
        Failure::Refused(format!("{}{}", said(&d), why.map_or_else(String::new, |w| format!(" <- {w}"))))
    })?;
    let text = print(program.language, &boosted.program)?;
    let p = &boosted.program;
    let mut units = Vec::new();
    for u in p.unit_ids() {
        let Some(d) = p.unit(u).derivation else { continue };
        if p.unit_name(d.of) == format!("{}head", prefix(seed)) && matches!(d.mode, Mode::Tangent | Mode::Adjoint) {
            units.push(unit(p, u, d.mode == Mode::Adjoint));
        }
    }
    Ok(Derived { options, text, units, parsed, boosted: boosted.program, notes })
}

fn print(language: Language, p: &xaif::Program) -> Result<String, Failure> {
    match language {
        Language::C => guarded("unparse", || overbar_c::unparse(p, &Default::default()).map(|u| u.source))?,
        Language::Fortran => guarded("unparse", || overbar_fortran::unparse(p, &Default::default()).map(|u| u.source))?,
    }
    .map_err(|d| Failure::Refused(format!("unparse {}", said(&d))))
}

fn unit(p: &xaif::Program, u: UnitId, adjoint: bool) -> Unit {
    let formals = p
        .unit(u)
        .formals
        .iter()
        .map(|f| {
            let s = p.symbol(f.symbol);
            Formal {
                name: s.name.to_string(),
                real: s.ty.is_real(),
                float: s.ty.is_real() && s.ty.bits == 32,
                value: s.passing() == Passing::Value,
                of: s.decl.as_ref().and_then(|d| d.derivative_of).map(|o| p.symbol(o).name.to_string()),
                result: f.result,
            }
        })
        .collect();
    Unit { name: p.unit_name(u).to_owned(), adjoint, formals, module: None }
}

/// What the certificate says: a word, and more where it is not `pass`.
pub fn certify(derived: &Derived, seed: u64) -> Result<(Verdict, String), Failure> {
    let request = Request {
        head: derived.options.heads[0].clone(),
        values: None,
        seed,
        options: derived.options.clone(),
        limits: overbar::evaluate::Limits { steps: 20_000_000, ..Default::default() },
        interpret: true,
        workshop: None,
    };
    let report = guarded("verify", || overbar::verify::verify(&derived.parsed, &request))?;
    let report = report.map_err(|d| Failure::Refused(format!("verify {}", said(&d))))?;
    let detail: Vec<String> =
        report.checks.iter().filter(|c| !c.passed).map(|c| format!("{} {}: {}", c.engine, c.name, c.detail)).collect();
    let blame = report.blame.as_ref().map_or_else(String::new, |b| format!(" blames {} `{}` {}", b.spoken(), b.statement, b.message));
    Ok((report.verdict, detail.join("; ") + &blame))
}
