//! `overbar verify`: the derivative certificate.

use super::args::{self, CertificateFormat, Language, Run};
use super::commands::{self, Done};
use super::files::{Content, Target, read_text, write_all};
use super::report::{Failed, Session};
use super::workshop::Compiler;
use crate::pipeline::certificate::{Checking, certify, hash, heads_of};
use crate::pipeline::options;
use overbar::evaluate::{Limits, json, print};
use overbar::verify::{Verdict, frozen, text, xml};
use std::path::Path;
use xaif::Program;
use xaif::model::IndexOrder;

/// `overbar verify`
pub fn verify(session: &mut Session, a: &args::Verify) -> Done {
    let mut heads = commands::parse_heads(session, &a.head)?;
    let program = commands::read_program(session, &a.files, a.language, &a.reading)?;
    session.remember_sources(&program);
    if heads.is_empty() {
        heads = heads_of(&program).map_err(|d| {
            session.print([d]);
            Failed(2)
        })?;
    }
    let (values, given) = match &a.input {
        Some(file) => {
            let text = read_text(session, file)?;
            let request = json::request(&text, program.index_order).map_err(|f| session.fail([*f]))?;
            (Some(request.inputs.values), text)
        }
        None => (None, String::new()),
    };
    let refused = |d| {
        session.print([d]);
        Failed(2)
    };
    let accumulated = options::accumulation(&a.accumulation).map_err(refused)?;
    let checkpoints = options::checkpoints(&a.checkpointing).map_err(refused)?;
    let options = overbar::Options { zero_init: a.zero_init, reversal: options::reversal(a.reversal), checkpoints, ..accumulated };
    let mut limits = Limits { zero_start: a.zero_start, steps: 5_000_000, ..Limits::default() };
    if let Some(steps) = a.steps {
        limits.steps = steps;
    }
    let compiler = compiler(a, &program);
    let asked = format!("{:?} {} {} {:?}{}", a.reversal.unwrap_or_default(), a.zero_init, a.seed, a.run, accumulated_words(a));
    let checking = Checking {
        options: &options,
        values,
        seed: a.seed,
        limits,
        interpret: a.run != Run::Compiled,
        workshop: if a.run == Run::Interpreter { None } else { Some(&compiler) },
        generate: &|p| compiler.generate(p),
        request: hash([&a.head.join("\n"), &given, &asked]),
    };
    let certificate = certify(&program, &heads, &checking).map_err(|found| session.fail(found))?;
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
    if certificate.verdict() == Some(Verdict::Wrong) { Err(Failed(1)) } else { Ok(()) }
}

/// What a request says of preaccumulation, if it says anything.
fn accumulated_words(a: &args::Verify) -> String {
    let args::Accumulation { preaccumulate, order, search } = &a.accumulation;
    let checkpoints: String = a.checkpointing.checkpoint.iter().map(|c| format!(" {c}")).collect();
    if *preaccumulate == args::Preaccumulate::default() && order.is_none() && search.is_none() {
        return checkpoints;
    }
    format!(" {preaccumulate:?} {order:?} {search:?}{checkpoints}")
}

/// The compiler of the language that the program came from.
fn compiler(a: &args::Verify, program: &Program) -> Compiler {
    let source = program.sources.first();
    let c = match source.map(|s| s.language.as_str()) {
        Some("c") => true,
        Some("fortran") => false,
        _ => program.index_order == IndexOrder::Row,
    };
    let mut flags: Vec<String> = Vec::new();
    let absolute = |p: &Path| std::path::absolute(p).unwrap_or_else(|_| p.to_owned());
    for file in &a.files {
        let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        flags.push(format!("-I{}", absolute(folder).display()));
    }
    flags.extend(a.reading.include.iter().map(|i| format!("-I{}", absolute(Path::new(i)).display())));
    flags.extend(a.reading.define.iter().map(|d| format!("-D{d}")));
    let given = source.and_then(|s| Path::new(&s.file).extension()).and_then(|e| e.to_str()).map(str::to_owned);
    let extension = match (c, source.is_some_and(|s| s.fixed_form)) {
        (true, _) => "c".to_owned(),
        (false, true) => given.filter(|e| e.starts_with(['f', 'F']) && e.len() < 4 && !e.ends_with("90")).unwrap_or_else(|| "f".into()),
        (false, false) => given.filter(|e| e.len() == 3 && e.starts_with(['f', 'F'])).unwrap_or_else(|| "f90".into()),
    };
    let (language, command) = if c { (Language::C, a.cc.clone()) } else { (Language::Fortran, a.fc.clone()) };
    Compiler { language, command, flags, extension }
}
