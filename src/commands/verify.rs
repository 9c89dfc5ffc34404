//! `overbar verify`: the derivative certificate.

use super::steps::{self, Done};
use crate::arguments::{self, CertificateFormat, Run};
use crate::console::files::{Content, Target, read_text, write_all};
use crate::console::report::{Failed, Session};
use crate::pipeline::certificate::{Checking, certify, hash, heads_of};
use crate::pipeline::compilers::Compiler;
use crate::pipeline::told::Reach;
use crate::pipeline::{idle, language_from, options};
use overbar::evaluate::{Limits, json, print};
use overbar::transform::Directions;
use overbar::verify::{Certificate, Verdict, frozen, text, xml};
use std::path::PathBuf;
use xaif::model::Head;
use xaif::{Diagnostic, Program, Severity};

/// `overbar verify`
pub fn verify(session: &mut Session, a: &arguments::Verify) -> Done {
    let mut heads = steps::parse_heads(session, &a.head)?;
    let reading = steps::reading(session, &a.reading, &a.files, a.language)?;
    let wanting = reading.wanting(heads.iter().map(|h| h.unit.as_str()));
    let program = steps::read_program(session, &a.files, a.language, &wanting, &heads)?;
    session.remember_sources(&program);
    let stock = program.dialect == xaif::model::Dialect::Openad;
    let language = language_from(&program);
    steps::useful(
        session,
        idle::adjoints([a.zero_init, a.may_overlap, a.with_values], a.reversal, &a.accumulation, stock, Some(language)),
    )?;
    steps::useful(session, idle::trial(&a.trial, language, a.run != Run::Interpreter))?;
    if heads.is_empty() {
        heads = heads_of(&program).map_err(|d| {
            session.print([d]);
            Failed(2)
        })?;
    }
    let wish = Wish {
        head: &a.head,
        files: &a.files,
        trial: &a.trial,
        run: a.run,
        reading: &reading,
        directions: options::directions(&a.several),
        zero_init: a.zero_init,
        with_values: a.with_values,
        may_overlap: a.may_overlap,
        reversal: a.reversal,
        checkpointing: &a.checkpointing,
        accumulation: &a.accumulation,
    };
    let refused = |d| {
        session.print([d]);
        Failed(2)
    };
    let accumulated = options::accumulation(&a.accumulation).map_err(refused)?;
    let checkpoints = options::checkpoints(&a.checkpointing).map_err(refused)?;
    let options = overbar::Options {
        directions: options::directions(&a.several),
        zero_init: a.zero_init,
        with_values: a.with_values,
        may_overlap: a.may_overlap,
        reversal: options::reversal(a.reversal),
        checkpoints,
        ..accumulated
    };
    let certificate =
        certified(session, &program, &heads, &options, &wish)?.map_err(|found| session.fail(about(&program, &heads, found)))?;
    session.print(certificate.heads.iter().flat_map(|h| h.notes.iter().cloned()));
    if let Some(file) = &a.frozen {
        let earlier = read_text(session, file)?;
        frozen::compare(&certificate, &earlier).map_err(|found| session.fail(found))?;
    }
    let shown = match a.format {
        CertificateFormat::Text => text::text(&certificate),
        CertificateFormat::Json => print::text(&certificate),
        CertificateFormat::Xml => xml::xml(&certificate),
    };
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Text(&shown) }])?;
    if certificate.verdict().is_none_or(Verdict::is_good) { Ok(()) } else { Err(Failed(1)) }
}

/// What is refused, with the calls that lead to it. Where there is no certificate, a function that is not there is the reason, whatever else is said.
fn about(program: &Program, heads: &[Head], mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let missing = |d: &Diagnostic| d.code == "OB6068" && d.message.ends_with("which is not there");
    for d in found.iter_mut().filter(|d| missing(d)) {
        d.severity = Severity::Error;
        d.reason = Some("nothing can be checked without it".to_owned());
    }
    found.sort_by_key(|d| !missing(d));
    match Reach::of(program, heads) {
        Some(reach) => reach.refused(Vec::new(), found),
        None => found,
    }
}

/// How a program is to be checked, in the words of the command line.
pub(super) struct Wish<'a> {
    pub head: &'a [String],
    pub files: &'a [PathBuf],
    pub trial: &'a arguments::Trial,
    pub run: Run,
    pub reading: &'a arguments::Reading,
    pub directions: Directions,
    pub zero_init: bool,
    pub with_values: bool,
    pub may_overlap: bool,
    pub reversal: Option<arguments::Reversal>,
    pub checkpointing: &'a arguments::Checkpointing,
    pub accumulation: &'a arguments::Accumulation,
}

/// The certificate of these heads, or why there is none. Fails where the point cannot be read.
pub(super) fn certified(
    session: &mut Session,
    program: &Program,
    heads: &[Head],
    options: &overbar::Options,
    a: &Wish,
) -> Result<Result<Certificate, Vec<Diagnostic>>, Failed> {
    let (values, given) = match &a.trial.input {
        Some(file) => {
            let text = read_text(session, file)?;
            let request = json::request(&text, program.index_order).map_err(|f| session.fail([*f]))?;
            (Some(request.inputs.values), text)
        }
        None => (None, String::new()),
    };
    let mut limits = Limits { zero_start: a.trial.zero_start, steps: 5_000_000, ..Limits::default() };
    if let Some(steps) = a.trial.steps {
        limits.steps = steps;
    }
    let compilers = arguments::Compilers { cc: a.trial.cc.clone(), fc: a.trial.fc.clone() };
    let compiler = Compiler::of(program, a.files, a.reading, &compilers, &a.trial.opt_level);
    let several = match a.directions {
        Directions::One => String::new(),
        Directions::Counted => " vector".to_owned(),
        Directions::Fixed(n) => format!(" vector={n}"),
    };
    let overlap = if a.may_overlap { " overlap" } else { "" };
    let values_too = if a.with_values { " values" } else { "" };
    let asked = format!(
        "{:?} {} {} {:?}{several}{overlap}{values_too}{}",
        a.reversal.unwrap_or_default(),
        a.zero_init,
        a.trial.seed,
        a.run,
        accumulated_words(a)
    );
    let checking = Checking {
        options,
        values,
        seed: a.trial.seed,
        limits,
        interpret: a.run != Run::Compiled,
        workshop: if a.run == Run::Interpreter { None } else { Some(&compiler) },
        generate: &|p| compiler.generate(p),
        request: hash([&a.head.join("\n"), &given, &asked]),
    };
    Ok(certify(program, heads, &checking))
}

/// What a request says of preaccumulation, if it says anything.
fn accumulated_words(a: &Wish) -> String {
    let arguments::Accumulation { preaccumulate, order, search, inline, passes } = a.accumulation;
    let checkpoints = a.checkpointing.checkpoint.iter().map(|c| format!(" {c}"));
    let others: String =
        checkpoints.chain(passes.map(|left_out| format!(" {left_out:?}"))).chain(inline.map(|inline| format!(" {inline:?}"))).collect();
    if *preaccumulate == arguments::Preaccumulate::default() && order.is_none() && search.is_none() {
        return others;
    }
    format!(" {preaccumulate:?} {order:?} {search:?}{others}")
}
