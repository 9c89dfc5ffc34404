//! Certificates of a program's heads: those that are asked for by themselves, and those that belong to making derivatives.
//!
//! Lives here: which heads, in which order, and the hashes of what was checked. Never here: how derivatives are checked (see `overbar::verify`).

use super::{Refused, sources};
use overbar::Boosted;
use overbar::evaluate::{Limits, Values};
use overbar::verify::made::{self, Made};
use overbar::verify::{Certificate, Report, Request, Verdict, Workshop, standing};
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

/// How derivatives are certified before they are written.
#[derive(Default)]
pub struct Certification<'a> {
    /// Operations of the interpreter; `None`: they are not certified.
    pub budget: Option<u64>,
    /// Only what is certified whole may be written.
    pub require: bool,
    /// The point, drawn where nothing is given.
    pub values: Option<Values<f64>>,
    /// Who compiles, if anybody does.
    pub workshop: Option<&'a dyn Workshop>,
}

/// The seed of what is drawn where derivatives are made.
const SEED: u64 = 1;

impl Certification<'_> {
    /// What derivatives will be held against: a copy of the program before they are made. `None` where they are not.
    pub fn original(&self, program: &Program) -> Option<Program> {
        self.budget.filter(|&b| made::affordable(program, b)).map(|_| program.clone())
    }

    /// Certifies what was made of `original`, and notes at derivative units what came of it. The diagnostics of the program then say it, too.
    ///
    /// # Errors
    /// What is wrong, behind what was said before; what is not certified whole, where that is asked for.
    pub fn seal(&self, original: Option<&Program>, boosted: &mut Boosted, options: &overbar::Options) -> Result<Vec<Report>, Refused> {
        let Some(budget) = self.budget else { return Ok(Vec::new()) };
        let reports = match original {
            Some(original) => {
                let heads = made::heads(original, &boosted.program, options);
                let made = Made { options, values: self.values.clone(), seed: SEED, budget, zero_start: false, workshop: self.workshop };
                overbar::verify::certify(original, &boosted.program, &heads, &made)
            }
            None => {
                let asked = if options.heads.is_empty() { &boosted.program.heads } else { &options.heads };
                let why = "the budget is used up: the program is larger than it allows to look at";
                asked.iter().map(|h| Report::uncertified(h.to_string(), why.to_owned())).collect()
            }
        };
        let said: Vec<Diagnostic> = reports.iter().flat_map(|r| standing::diagnostics(r, self.require)).collect();
        boosted.diagnostics.extend(reports.iter().flat_map(|r| r.notes.iter().cloned()));
        let refused = said.iter().any(Diagnostic::is_error);
        boosted.diagnostics.extend(said);
        if refused {
            let diagnostics = std::mem::take(&mut boosted.diagnostics);
            return Err(Refused { diagnostics, texts: sources(&boosted.program) });
        }
        standing::seal(&mut boosted.program, &reports);
        Ok(reports)
    }
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
