//! `overbar report`: a page about a program.

use super::steps::{self, Done};
use super::verify::{Wish, certified};
use crate::arguments::{self, Checker, Language, Run};
use crate::console::files::{Content, Target, display_name, read_bytes, write_all};
use crate::console::report::{Failed, Session};
use crate::page::documents::Documents;
use crate::page::{Checked, Generated, Material, graphs, page, xaif_text};
use crate::pipeline::{self, Input, certificate, idle};
use overbar::verify::Verdict;
use xaif::model::{Dialect, Head};
use xaif::{Diagnostic, Program};

/// Runs the command.
pub fn run(session: &mut Session, mut a: arguments::Page) -> Done {
    // What is asked for is looked at before any file.
    let heads = steps::parse_heads(session, &a.derivatives.head)?;
    let mut bytes = Vec::new();
    let texts;
    let is_document = matches!(&a.files[..], [file] if a.language.is_none() && !pipeline::is_source(file));
    let name = a.files.first().map(|f| display_name(f)).unwrap_or_default();
    let input = if is_document {
        steps::readable(session, &a.files, a.language)?;
        bytes = read_bytes(session, &a.files[0])?;
        Input::Xaif(&name, &bytes, *session.limits())
    } else {
        let language = steps::language_of(session, &a.files, a.language)?;
        a.reading = steps::reading(session, &a.reading, &a.files, Some(language))?;
        texts = steps::texts(session, &a.files)?;
        Input::Source(language, &texts, &a.reading)
    };
    let (mut program, warnings) = pipeline::read_for(&input, &heads).map_err(|r| steps::refused(session, r))?;
    if let Some(dialect) = a.dialect {
        program.dialect = pipeline::dialect(dialect);
    }
    let stock = program.dialect == Dialect::Openad;
    if !a.derivatives.tangent && !a.derivatives.adjoint {
        // A stock document has one mode at a time.
        (a.derivatives.tangent, a.derivatives.adjoint) = (!stock, true);
    }
    let options = overbar::Options { facts: true, ..steps::asked(session, &a.derivatives)? };
    useful(session, &a, &program, is_document)?;
    let document = String::from_utf8_lossy(&bytes);
    let documents = Documents::of(&program, is_document.then_some((name.as_str(), &*document)));
    let drawings = graphs::of(&program, &options);
    let original = program.clone();
    // The page has a certificate of its own, and is there to show what is wrong.
    let derived =
        pipeline::boost(overbar::boost, program, warnings, &options, a.dialect, &overbar::differentiate::Certification::default());
    let mut boosted = derived.map_err(|r| steps::refused(session, r))?.boosted;
    session.remember_sources(&boosted.program);
    let checked = check(session, &original, &options, &a)?;
    let (generated, unwritten) = generated(&boosted.program, stock);
    boosted.diagnostics.extend(unwritten);
    let wrong = matches!(&checked, Checked::Certificate(c) if c.verdict() == Some(Verdict::Wrong));
    let stats = overbar::stats::collect(&boosted.program);
    let facts = boosted.facts.take().unwrap_or_default();
    let asked = if options.heads.is_empty() { &original.heads } else { &options.heads };
    let material = Material {
        heads: asked.iter().map(Head::to_string).collect(),
        program: &boosted.program,
        documents,
        generated,
        facts: &facts,
        stats: &stats,
        decisions: &boosted.decisions,
        calls: &boosted.calls,
        drawings,
        checked,
        diagnostics: &boosted.diagnostics,
    };
    let text = page(&material);
    session.print(boosted.diagnostics.iter().cloned());
    boosted.facts = Some(facts);
    let besides = steps::besides(&a.derivatives, &boosted);
    let mut targets = vec![Target { path: a.output.output.as_deref(), content: Content::Text(&text) }];
    targets.extend(besides.iter().map(steps::Aside::target));
    write_all(session, &targets)?;
    steps::explain(session, &a.derivatives, &boosted);
    if wrong { Err(Failed(1)) } else { Ok(()) }
}

/// Refuses options that do nothing for this program.
fn useful(session: &Session, a: &arguments::Page, program: &Program, is_document: bool) -> Done {
    let language = pipeline::language_from(program);
    let kind = idle::kind(a.files.iter().map(|f| f.as_path()), (!is_document).then_some(language));
    let mut found = idle::derivatives(&a.derivatives, program.dialect == Dialect::Openad, Some(language));
    found.extend(idle::reading(&a.reading, kind));
    found.extend(match a.certificate {
        Checker::None => idle::unchecked(&a.trial),
        checker => idle::trial(&a.trial, language, checker == Checker::Both),
    });
    steps::useful(session, found)
}

/// The certificate that is asked for.
fn check(session: &mut Session, program: &Program, options: &overbar::Options, a: &arguments::Page) -> Result<Checked, Failed> {
    let run = match a.certificate {
        Checker::None => return Ok(Checked::Unasked),
        Checker::Interpreter => Run::Interpreter,
        Checker::Both => Run::Both,
    };
    let heads = if options.heads.is_empty() { certificate::heads_of(program) } else { Ok(options.heads.clone()) };
    let heads = match heads {
        Ok(heads) => heads,
        Err(d) => return Ok(Checked::Refused(vec![d])),
    };
    let d = &a.derivatives;
    let wish = Wish {
        head: &d.head,
        files: &a.files,
        trial: &a.trial,
        run,
        reading: &a.reading,
        directions: crate::pipeline::options::directions(&d.several),
        zero_init: d.zero_init,
        with_values: d.with_values,
        may_overlap: d.may_overlap,
        reversal: d.reversal,
        checkpointing: &d.checkpointing,
        accumulation: &d.accumulation,
    };
    // What is checked has names of its own, both modes, and needs no facts.
    let plain = overbar::Options { facts: false, suffixes: Default::default(), ..options.clone() };
    Ok(match certified(session, program, &heads, &plain, &wish)? {
        Ok(c) => Checked::Certificate(c),
        Err(why) => Checked::Refused(why),
    })
}

/// The derivative code: source text, or XAIF where no back end takes the program; then also why.
fn generated(program: &Program, stock: bool) -> (Generated, Option<Diagnostic>) {
    let language = pipeline::language_from(program);
    let mut why = None;
    if !stock {
        match pipeline::unparse_with_origins(language, program, false) {
            Ok(files) => {
                let (mut text, mut origins) = (String::new(), Vec::new());
                for file in files {
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push('\n');
                    }
                    text.push_str(&file.source);
                    origins.extend(file.origins);
                }
                let language = if language == Language::C { "C" } else { "Fortran" };
                return (Generated { language, text, origins }, None);
            }
            Err(found) => {
                why = found.into_iter().next().map(|mut d| {
                    d.severity = xaif::Severity::Warning;
                    d
                });
            }
        }
    }
    let text = xaif::write::write(program);
    let origins = xaif_text::origins(program, &text);
    (Generated { language: "XAIF", text, origins }, why)
}
