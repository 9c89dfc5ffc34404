//! `overbar eliminate`: elimination on a bare graph.

use crate::arguments::{self, AnswerFormat, Eliminate};
use crate::console::files::{Content, Target, display_name, read_text, write_all};
use crate::console::report::{Failed, Session};
use overbar::eliminate::cost::Objective;
use overbar::eliminate::emit::{Language, Title, emit};
use overbar::eliminate::names::Technique;
use overbar::eliminate::search::{Failure, Outcome, Request, Unfit, given, search};
use overbar::eliminate::sequence::{self, Entry, entries};
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
    let technique = match a.technique {
        arguments::Technique::Vertex => Technique::Vertex,
        arguments::Technique::Edge => Technique::Edge,
        arguments::Technique::Face => Technique::Face,
    };
    let text = read_text(session, &a.file)?;
    let named = json::read(&display_name(&a.file), &text).map_err(|d| session.fail([d]))?;
    let request = Request { objective, order, technique, time, seed: 1, code: a.emit.is_some() };
    let found = match &a.sequence {
        None => search(&named.graph, &request, started).map_err(|failure| session.fail([refusal(failure)]))?,
        Some(file) => {
            let text = read_text(session, file)?;
            let steps = sequence::read(&display_name(file), &text, &named).map_err(|d| session.fail([d]))?;
            given(&named.graph, &request, steps).map_err(|unfit| session.fail([unfitting(unfit)]))?
        }
    };
    let mut text = match (&a.emit, &found.code) {
        (Some(language), Some(code)) => {
            let title = Title { name: named.name.as_deref().unwrap_or("a graph"), objective, ids: &named.ids };
            let language = match language {
                arguments::Language::C => Language::C,
                arguments::Language::Fortran => Language::Fortran,
            };
            emit(&named.graph, code, &title, language)
        }
        _ => {
            let answer = Answer::new(&named, &found);
            let mut text = match a.format {
                AnswerFormat::Json => serde_json::to_string(&answer).unwrap_or_default(),
                AnswerFormat::Text => answer.text(),
            };
            text.push('\n');
            text
        }
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Text(&text) }])
}

pub(super) fn refusal(failure: Failure) -> Diagnostic {
    match failure {
        Failure::TooLarge => Diagnostic::error("OB7014", "this elimination takes too many multiplications")
            .because("code of that size, or that many steps of a heuristic, are of no use")
            .help("try `--order pre1,forward` or `--order reverse`, or split the graph"),
        Failure::Wrong => Diagnostic::error("OB7015", "the sequence found does not compute the Jacobian at the cost claimed")
            .because("an error of this program; nothing is printed")
            .help("please report it with the graph"),
    }
}

fn unfitting(unfit: Unfit) -> Diagnostic {
    match unfit {
        Unfit::Failure(f) => refusal(f),
        Unfit::Step(k) => Diagnostic::error("OB7018", format!("step {k} of the sequence has nothing to eliminate"))
            .because("its vertex or edge is an input, an output, or gone by then")
            .help("name every intermediate vertex once, and edges that are there"),
        Unfit::Mixed => Diagnostic::error("OB7018", "faces stand beside other steps in the sequence")
            .because("faces are eliminated in the line graph, where vertices are no more")
            .help("give faces alone, or none"),
    }
}

const MOST_SECONDS: f64 = 1e6;

#[derive(Serialize)]
struct Answer {
    objective: String,
    cost: u64,
    lower_bound: u64,
    optimal: bool,
    method: String,
    checked: bool,
    order: Vec<Entry>,
}

impl Answer {
    fn new(named: &json::Named, found: &Outcome) -> Answer {
        Answer {
            objective: found.objective.to_string(),
            cost: found.cost,
            lower_bound: found.lower_bound,
            optimal: found.optimal(),
            method: found.method.clone(),
            checked: found.checked,
            order: entries(named, &found.steps),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let steps: Vec<String> = self.order.iter().map(told).collect();
        let proof = if self.optimal { "no vertex order costs less" } else { "not proven optimal" };
        let checked = if self.checked { "yes, against the path products" } else { "no, too large" };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "objective    {}", self.objective);
        let _ = writeln!(out, "cost         {} ({proof}; lower bound {})", self.cost, self.lower_bound);
        let _ = writeln!(out, "method       {}\nchecked      {checked}", self.method);
        let _ = write!(out, "order        {}", steps.join(" "));
        out
    }
}

/// A step for people.
fn told(step: &Entry) -> String {
    let list = |ids: &[u64]| ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    match step {
        Entry::Vertex(v) => v.to_string(),
        Entry::Face { face: [e, f] } => format!("face({e},{f})"),
        Entry::Front { front: [i, j] } => format!("front({i},{j})"),
        Entry::Back { back: [j, k] } => format!("back({j},{k})"),
        Entry::SplitFront { split, predecessors, new } => format!("split({split},from {},as {new})", list(predecessors)),
        Entry::SplitBack { split, successors, new } => format!("split({split},to {},as {new})", list(successors)),
        Entry::Reroute { reroute: [i, k], over } => format!("reroute({i},{k},over {over})"),
    }
}
