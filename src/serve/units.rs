//! What a program offers to be differentiated: its units with their arguments, and the heads that suggest themselves.
//!
//! Lives here: that list, for the page on which people choose. Never here: the meaning of heads.

use crate::arguments::Plot;
use crate::commands;
use crate::console::files::{Content, Target, write_all};
use crate::console::report::{Failed, Session};
use overbar::analysis::Facts;
use overbar::heads::resolve;
use serde::Serialize;
use xaif::Program;
use xaif::model::{Head, UnitId};

#[derive(Serialize)]
struct Units {
    /// `c`, `fortran` or `xaif`.
    language: String,
    units: Vec<Unit>,
    /// Heads that the program notes.
    noted: Vec<String>,
    /// What a batch would take.
    suggested: Vec<String>,
}

#[derive(Serialize)]
struct Unit {
    name: String,
    /// The whole head that is meant by the name alone, if it has a derivative.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// Prints the list as JSON.
pub fn units(session: &mut Session, a: &Plot) -> Result<(), Failed> {
    let program = commands::read_program(session, std::slice::from_ref(&a.file), a.language, &a.reading, &[])?;
    let facts = Facts::of(&program);
    let head = |u: UnitId| Head { unit: program.unit_name(u).to_owned(), ..Head::default() };
    let whole = |u: UnitId| Some(resolve(&program, &facts.objects, &facts.effects, &[head(u)]).ok()?.pop()?.describe(&program));
    let unit = |u: UnitId| Unit {
        name: program.unit_name(u).to_owned(),
        head: whole(u),
        line: program.location(program.unit(u).span).map(|l| l.line),
    };
    let language = program.sources.first().map_or("xaif".to_owned(), |s| s.language.to_string());
    let answer = Units {
        language,
        units: program.unit_ids().filter(|&u| !program.unit(u).is_container()).map(unit).collect(),
        noted: program.heads.iter().map(Head::to_string).collect(),
        suggested: suggested(&program),
    };
    let text = serde_json::to_string(&answer).unwrap_or_default() + "\n";
    write_all(session, &[Target { path: None, content: Content::Text(&text) }])
}

fn suggested(program: &Program) -> Vec<String> {
    crate::pipeline::default_heads::default_heads(program).iter().map(|h| h.unit.clone()).collect()
}
