//! A text sent through everything that reads it; nothing may panic, and what is read must be written and read again.
//!
//! Never here: how texts are changed.

use overbar::Options;
use std::panic::{AssertUnwindSafe, catch_unwind};
use xaif::Program;
use xaif::model::{Dialect, Head};
use xaif::read::{Limits, read};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    C,
    Fortran,
    FixedFortran,
    Xaif,
}

fn limits() -> Limits {
    Limits { bytes: 1 << 24, token: 1 << 20, elements: 1 << 20, ..Limits::default() }
}

/// A source text read by its front end.
pub fn parse(kind: Kind, text: &[u8]) -> Option<Program> {
    let text = String::from_utf8_lossy(text);
    match kind {
        Kind::C => {
            let options = overbar_c::ParseOptions { preprocess: true, ..Default::default() };
            overbar_c::parse(&[overbar_c::parse::SourceText { file: "m.c", text: &text }], &options).ok().map(|p| p.0)
        }
        Kind::Fortran | Kind::FixedFortran => {
            let options = overbar_fortran::ParseOptions { fixed_form: kind == Kind::FixedFortran, ..Default::default() };
            overbar_fortran::parse(&[overbar_fortran::parse::SourceText { file: "m.f90", text: &text }], &options).ok().map(|p| p.0)
        }
        Kind::Xaif => read("m.xaif", text.as_bytes(), &limits()).ok().map(|p| p.0),
    }
}

/// How far a text came; an error where something panicked or did not come back as it was.
pub fn judge(kind: Kind, text: &[u8]) -> Result<&'static str, String> {
    let mut stage = "reading";
    let result = catch_unwind(AssertUnwindSafe(|| all_stages(kind, text, &mut stage)));
    match result {
        Ok(verdict) => verdict,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied()).unwrap_or_default();
            Err(format!("panic while {stage}: {text}"))
        }
    }
}

fn all_stages(kind: Kind, text: &[u8], stage: &mut &'static str) -> Result<&'static str, String> {
    if kind == Kind::Xaif {
        *stage = "validating";
        let found = xaif::validate::document("m.xaif", text, &limits());
        if let Some(d) = found.iter().find(|d| d.code.is_empty() || d.message.is_empty()) {
            return Err(format!("an empty diagnostic: {d:?}"));
        }
        *stage = "checking against the schema";
        xaif::validate::schema("m.xaif", text);
    }
    *stage = "reading";
    let Some(program) = parse(kind, text) else { return Ok("not read") };
    *stage = "writing";
    let written = xaif::write::write(&program);
    if let Err(d) = read("w.xaif", written.as_bytes(), &Limits::default()) {
        return Err(format!("what is written is not read: {}", d.first().map(|d| d.to_string()).unwrap_or_default()));
    }
    let mut outcome = "refused by the booster";
    for dialect in [Dialect::Overbar, Dialect::Openad] {
        let mut program = program.clone();
        program.dialect = dialect;
        // Stock files flag their activity; of others the first units are differentiated.
        let mut requests = vec![Vec::new()];
        if dialect == Dialect::Overbar && kind != Kind::Xaif {
            let units = program.unit_ids().filter(|&u| !program.unit(u).is_container()).take(3);
            requests = units.map(|u| vec![Head { unit: program.unit_name(u).into(), dependents: None, independents: None }]).collect();
        }
        for heads in requests {
            for tangent in [true, false] {
                *stage = match (dialect, tangent) {
                    (Dialect::Overbar, true) => "making a tangent",
                    (Dialect::Overbar, false) => "making an adjoint",
                    (_, true) => "making a stock tangent",
                    (_, false) => "making a stock adjoint",
                };
                let options = Options { tangent, adjoint: !tangent, heads: heads.clone(), ..Options::default() };
                match overbar::boost(program.clone(), &options) {
                    Ok(b) => {
                        outcome = "differentiated";
                        unparse(&b.program, stage)?;
                    }
                    Err(found) if found.is_empty() => return Err(format!("refused without a reason while {stage}")),
                    Err(_) => {}
                }
            }
        }
    }
    Ok(outcome)
}

fn unparse(p: &Program, stage: &mut &'static str) -> Result<(), String> {
    *stage = "writing derivatives as XAIF";
    let _ = xaif::write::write(p);
    *stage = "printing C";
    let _ = overbar_c::unparse(p, &overbar_c::UnparseOptions { no_primal: true, header: true });
    *stage = "printing Fortran";
    let _ = overbar_fortran::unparse(p, &overbar_fortran::UnparseOptions { no_primal: true, header: true });
    Ok(())
}
