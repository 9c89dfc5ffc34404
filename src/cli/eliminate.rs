//! `overbar eliminate`: elimination on a bare graph.

use super::args::{AnswerFormat, Eliminate};
use super::files::{Content, Target, display_name, read_text, write_all};
use super::report::{Failed, Session};
use overbar::eliminate::cost::Objective;
use overbar::eliminate::search::{Outcome, Request, search};
use overbar::eliminate::{json, names};
use serde::Serialize;
use std::fmt::Write;
use std::time::{Duration, Instant};
use xaif::Diagnostic;

/// Runs the command.
pub fn run(session: &mut Session, a: &Eliminate) -> Result<(), Failed> {
    let started = Instant::now();
    let usage = |session: &Session, d: Diagnostic| {
        session.print([d]);
        Failed(2)
    };
    let Some(objective) = Objective::parse(&a.objective) else {
        let d = Diagnostic::error("OB7012", format!("there is no objective `{}`", a.objective))
            .help("known are plain, aware and propagate:K with a whole number K of directions, at least 1");
        return Err(usage(session, d));
    };
    let order = a.order.as_deref().map(names::parse_chain).transpose().map_err(|d| usage(session, d))?;
    let time = match a.search {
        Some(s) if !(0.0..=MOST_SECONDS).contains(&s) => {
            let d = Diagnostic::error("OB7013", format!("{s} is no time to search")).help(format!("give seconds from 0 to {MOST_SECONDS}"));
            return Err(usage(session, d));
        }
        s => s.map(Duration::from_secs_f64),
    };
    let text = read_text(session, &a.file)?;
    let named = json::read(&display_name(&a.file), &text).map_err(|d| session.fail([d]))?;
    let request = Request { objective, order, time, seed: 1 };
    let Some(found) = search(&named.graph, &request, started) else {
        return Err(session.fail([Diagnostic::error("OB7014", "the elimination takes more than a program can use")]));
    };
    let answer = Answer::new(&named, &found);
    let mut text = match a.format {
        AnswerFormat::Json => serde_json::to_string(&answer).unwrap_or_default(),
        AnswerFormat::Text => answer.text(),
    };
    text.push('\n');
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Text(&text) }])
}

const MOST_SECONDS: f64 = 1e6;

#[derive(Serialize)]
struct Answer {
    objective: String,
    cost: u64,
    lower_bound: u64,
    optimal: bool,
    method: String,
    order: Vec<u64>,
}

impl Answer {
    fn new(named: &json::Named, found: &Outcome) -> Answer {
        let id = |&v: &u32| named.ids[named.graph.vertices[v as usize].origin as usize];
        Answer {
            objective: found.objective.to_string(),
            cost: found.cost,
            lower_bound: found.lower_bound,
            optimal: found.optimal(),
            method: found.method.clone(),
            order: found.order.iter().map(id).collect(),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let order: Vec<String> = self.order.iter().map(u64::to_string).collect();
        let proof = if self.optimal { "no vertex order is better" } else { "" };
        let _ = writeln!(out, "objective    {}\ncost         {}\nlower bound  {} {proof}", self.objective, self.cost, self.lower_bound);
        let _ = write!(out, "method       {}\norder        {}", self.method, order.join(" "));
        out
    }
}
