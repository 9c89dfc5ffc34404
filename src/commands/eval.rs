//! `overbar eval`: runs a unit in the interpreter.

use super::steps::{self, Done, usage};
use crate::arguments;
use crate::console::files::{Content, Target, read_text, write_all};
use crate::console::report::{Failed, Session};
use crate::pipeline::idle;
use overbar::evaluate::{Limits, json, print};
use overbar::verify::answer::{Question, TAPE, answer, unit_named};
use std::path::Path;

/// `overbar eval`
pub fn eval(session: &mut Session, a: &arguments::Eval) -> Done {
    if a.file.as_os_str() == "-" && a.input.as_deref() == Some(Path::new("-")) {
        return Err(usage(session, "OB0107", "program and values cannot both come from standard input", "write one of them to a file"));
    }
    let head = match &a.head {
        Some(text) => steps::parse_heads(session, std::slice::from_ref(text))?.pop(),
        None => None,
    };
    let asked = a.adjoint || a.jacobian;
    steps::useful(
        session,
        idle::without(&[(a.head.is_some() && !asked, "head", "it narrows a Jacobian or adjoint, and neither is asked for")]),
    )?;
    let program = steps::read_program(session, std::slice::from_ref(&a.file), a.language, &a.reading, head.as_slice())?;
    session.remember_sources(&program);
    let unit = match &a.unit {
        Some(name) => unit_named(&program, name).map_err(|f| session.fail([*f]))?,
        None => {
            let mut all = program.unit_ids().filter(|&u| !program.unit(u).is_container());
            match (all.next(), all.next()) {
                (Some(u), None) => u,
                _ => {
                    let names: Vec<&str> =
                        program.unit_ids().filter(|&u| !program.unit(u).is_container()).map(|u| program.unit_name(u)).collect();
                    return Err(usage(
                        session,
                        "OB0108",
                        "which unit is to be run?",
                        &format!("give --unit; there are: {}", names.join(", ")),
                    ));
                }
            }
        }
    };
    let request = match &a.input {
        Some(file) => {
            let text = read_text(session, file)?;
            json::request(&text, program.index_order).map_err(|f| session.fail([*f]))?
        }
        None => json::Request::default(),
    };
    let question = match (a.tangent, a.adjoint, a.jacobian) {
        (true, ..) => Question::Tangent,
        (_, true, _) => Question::Adjoint,
        (.., true) => Question::Jacobian,
        _ => Question::Run,
    };
    let mut limits = Limits { zero_start: a.zero_start, shown: a.tape.unwrap_or(0), ..Limits::default() };
    if let Some(steps) = a.steps {
        limits.steps = steps;
    }
    match answer(&program, unit, &request, question, head.as_ref(), &limits) {
        Ok((mut value, notes)) => {
            session.print(notes);
            let rows = value.as_object_mut().and_then(|o| o.remove(TAPE)).and_then(|t| t.as_array().cloned());
            let text = rows.map_or_else(|| print::text(&value), |rows| print::with_rows(&value, TAPE, &rows));
            write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Text(&text) }])
        }
        Err(found) => {
            let failed: Failed = session.fail(found);
            Err(failed)
        }
    }
}
