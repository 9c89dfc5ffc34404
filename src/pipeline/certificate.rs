//! Certificates of a program's heads: those that are asked for by themselves, and those that belong to making derivatives.
//!
//! Lives here: which heads, in which order, and the hashes of what was checked. Never here: how derivatives are checked (see `overbar::verify`).

use overbar::differentiate::certification::SEED;
use overbar::evaluate::{Limits, Values};
use overbar::verify::{Certificate, Report, Request, Verdict, Workshop};
use sha2::{Digest, Sha256};
use xaif::model::{Dialect, Head};
use xaif::{Diagnostic, Program};

/// How the heads of a program are checked.
pub struct Checking<'a> {
    /// Options of the booster.
    pub options: &'a overbar::Options,
    /// The point, drawn where nothing is given.
    pub values: Option<Values<f64>>,
    /// Seed of what is drawn.
    pub seed: u64,
    /// Of the interpreter.
    pub limits: Limits,
    /// Whether the interpreter checks.
    pub interpret: bool,
    /// Who compiles, if anybody does.
    pub workshop: Option<&'a dyn Workshop>,
    /// Makes the generated file of a program, for its hash.
    pub generate: &'a dyn Fn(&Program) -> Result<String, Vec<Diagnostic>>,
    /// The hash of what was asked for.
    pub request: String,
}

/// The worst that certificates say of heads.
pub fn worst(reports: &[Report]) -> Option<Verdict> {
    reports.iter().map(Report::standing).max()
}

/// The certificate of derivatives that have been made and written as this text.
pub fn document(program: &Program, generated: &str, request: String, reports: Vec<Report>) -> Certificate {
    Certificate {
        tool: format!("overbar {}", env!("CARGO_PKG_VERSION")),
        input: hash([input_text(program)]),
        request,
        generated: hash([generated]),
        seed: SEED,
        heads: reports,
    }
}

/// The certificate of these heads. Notes are in its reports.
///
/// # Errors
/// A head that cannot be checked.
pub fn certify(program: &Program, heads: &[Head], checking: &Checking) -> Result<Certificate, Vec<Diagnostic>> {
    let mut certificate = Certificate {
        tool: format!("overbar {}", env!("CARGO_PKG_VERSION")),
        input: hash([input_text(program)]),
        request: checking.request.clone(),
        generated: String::new(),
        seed: checking.seed,
        heads: Vec::new(),
    };
    let mut generated = Vec::new();
    for head in heads {
        generated.push(generated_text(program, head, checking));
        let request = Request {
            head: head.clone(),
            values: checking.values.clone(),
            seed: checking.seed,
            options: checking.options.clone(),
            limits: checking.limits,
            interpret: checking.interpret,
            workshop: checking.workshop,
        };
        certificate.heads.push(overbar::verify::verify(program, &request)?);
    }
    certificate.generated = hash(&generated);
    Ok(certificate)
}

/// The heads that a program notes; of a stock program its one unit, or the unit `head`.
///
/// # Errors
/// OB0109 where there is none.
pub fn heads_of(program: &Program) -> Result<Vec<Head>, Diagnostic> {
    if !program.heads.is_empty() {
        return Ok(program.heads.clone());
    }
    let names: Vec<&str> = program.unit_ids().filter(|&u| !program.unit(u).is_container()).map(|u| program.unit_name(u)).collect();
    if program.dialect == Dialect::Openad {
        let head = names.iter().find(|n| n.eq_ignore_ascii_case("head")).or(if names.len() == 1 { names.first() } else { None });
        if let Some(name) = head {
            return Ok(vec![Head { unit: (*name).to_owned(), ..Head::default() }]);
        }
    }
    Err(Diagnostic::error("OB0109", "what is to be checked?")
        .help(format!("give --head 'unit(dependents)/(independents)'; there are the units {}", names.join(", "))))
}

/// The code that is made for a head: source text, or XAIF where no back end takes it.
fn generated_text(program: &Program, head: &Head, checking: &Checking) -> String {
    let stock = program.dialect == Dialect::Openad;
    let heads = if overbar::verify::subject::by_flags(program, head) { Vec::new() } else { vec![head.clone()] };
    // Stock output is one mode at a time.
    let modes: &[(bool, bool)] = if stock { &[(true, false), (false, true)] } else { &[(true, true)] };
    let made = modes.iter().filter_map(|&(tangent, adjoint)| {
        let options = overbar::Options { tangent, adjoint, heads: heads.clone(), ..checking.options.clone() };
        let b = overbar::boost(program.clone(), &options).ok()?;
        Some(if stock {
            xaif::write::write(&b.program)
        } else {
            (checking.generate)(&b.program).unwrap_or_else(|_| xaif::write::write(&b.program))
        })
    });
    made.collect()
}

/// The texts that the program came from; where it carries none, itself.
fn input_text(program: &Program) -> String {
    let texts: Vec<&str> = program.sources.iter().map(|s| s.text.as_str()).collect();
    if texts.iter().any(|t| !t.is_empty()) { texts.join("\n") } else { xaif::write::write(program) }
}

/// The hash of some texts, in hexadecimal digits; where one ends and the next begins counts.
pub fn hash<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> String {
    let mut h = Sha256::new();
    for p in parts {
        let p = p.as_ref();
        h.update((p.len() as u64).to_le_bytes());
        h.update(p);
    }
    h.finalize().iter().map(|b| format!("{b:02x}")).collect()
}
