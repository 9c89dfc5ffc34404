//! `overbar verify`: the derivative certificate.

use super::args::{self, CertificateFormat, Language, Run};
use super::commands::{self, Done, usage};
use super::files::{Content, Target, read_text, write_all};
use super::report::{Failed, Session};
use super::workshop::Compiler;
use overbar::evaluate::{Limits, json, print};
use overbar::verify::{Certificate, Request, Verdict, Workshop, frozen, text, xml};
use sha2::{Digest, Sha256};
use std::path::Path;
use xaif::Program;
use xaif::model::{Dialect, Head, IndexOrder};

/// `overbar verify`
pub fn verify(session: &mut Session, a: &args::Verify) -> Done {
    let mut heads = commands::parse_heads(session, &a.head)?;
    let program = commands::read_program(session, &a.files, a.language, &a.reading)?;
    session.remember_sources(&program);
    if heads.is_empty() {
        heads = heads_of(session, &program)?;
    }
    let (values, given) = match &a.input {
        Some(file) => {
            let text = read_text(session, file)?;
            let request = json::request(&text, program.index_order).map_err(|f| session.fail([*f]))?;
            (Some(request.inputs.values), text)
        }
        None => (None, String::new()),
    };
    let options = overbar::Options {
        zero_init: a.zero_init,
        reversal: commands::reversal(a.reversal),
        checkpoints: commands::checkpoints(session, &a.checkpointing)?,
        ..commands::accumulation(session, &a.accumulation)?
    };
    let mut limits = Limits { zero_start: a.zero_start, steps: 5_000_000, ..Limits::default() };
    if let Some(steps) = a.steps {
        limits.steps = steps;
    }
    let compiler = compiler(a, &program);
    let workshop: Option<&dyn Workshop> = if a.run == Run::Interpreter { None } else { Some(&compiler) };
    let mut certificate = Certificate {
        tool: format!("overbar {}", env!("CARGO_PKG_VERSION")),
        input: hash(&[&input_text(&program)]),
        request: hash(&[&a.head.join("\n"), &given, &format!("{:?} {} {} {:?}{}", a.reversal, a.zero_init, a.seed, a.run, accumulated(a))]),
        generated: String::new(),
        seed: a.seed,
        heads: Vec::new(),
    };
    let mut generated = Vec::new();
    for head in heads {
        generated.push(generate(&program, &head, &options, &compiler));
        let request = Request {
            head,
            values: values.clone(),
            seed: a.seed,
            options: options.clone(),
            limits,
            interpret: a.run != Run::Compiled,
            workshop,
        };
        match overbar::verify::verify(&program, &request) {
            Ok(report) => {
                session.print(report.notes.iter().cloned());
                certificate.heads.push(report);
            }
            Err(found) => return Err(session.fail(found)),
        }
    }
    certificate.generated = hash(&generated.iter().map(String::as_str).collect::<Vec<_>>());
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
fn accumulated(a: &args::Verify) -> String {
    let args::Accumulation { preaccumulate, order, search } = &a.accumulation;
    let checkpoints: String = a.checkpointing.checkpoint.iter().map(|c| format!(" {c}")).collect();
    if *preaccumulate == args::Preaccumulate::default() && order.is_none() && search.is_none() {
        return checkpoints;
    }
    format!(" {preaccumulate:?} {order:?} {search:?}{checkpoints}")
}

/// The heads that the file notes; of a stock file its one unit, or the unit `head`.
fn heads_of(session: &Session, program: &Program) -> Result<Vec<Head>, Failed> {
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
    Err(usage(
        session,
        "OB0109",
        "what is to be checked?",
        &format!("give --head 'unit(dependents)/(independents)'; there are the units {}", names.join(", ")),
    ))
}

/// The code that is made for a head: source text, or XAIF where no back end takes it.
fn generate(program: &Program, head: &Head, options: &overbar::Options, compiler: &Compiler) -> String {
    let stock = program.dialect == Dialect::Openad;
    let heads = if stock { Vec::new() } else { vec![head.clone()] };
    // Stock output is one mode at a time.
    let modes: &[(bool, bool)] = if stock { &[(true, false), (false, true)] } else { &[(true, true)] };
    let made = modes.iter().filter_map(|&(tangent, adjoint)| {
        let b = overbar::boost(program.clone(), &overbar::Options { tangent, adjoint, heads: heads.clone(), ..options.clone() }).ok()?;
        Some(if stock {
            xaif::write::write(&b.program)
        } else {
            compiler.generate(&b.program).unwrap_or_else(|_| xaif::write::write(&b.program))
        })
    });
    made.collect()
}

/// The texts that the program came from; where it carries none, itself.
fn input_text(program: &Program) -> String {
    let texts: Vec<&str> = program.sources.iter().map(|s| s.text.as_str()).collect();
    if texts.iter().any(|t| !t.is_empty()) { texts.join("\n") } else { xaif::write::write(program) }
}

fn hash(parts: &[&str]) -> String {
    let mut h = Sha256::new();
    for p in parts {
        h.update((p.len() as u64).to_le_bytes());
        h.update(p);
    }
    h.finalize().iter().map(|b| format!("{b:02x}")).collect()
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
