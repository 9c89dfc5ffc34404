//! `overbar eliminate`: elimination on a bare graph.

use crate::arguments::{self, AnswerFormat, Eliminate};
use crate::console::files::{Content, Target, display_name, read_text, write_all};
use crate::console::report::{Failed, Session};
use overbar::eliminate::code::Step;
use overbar::eliminate::cost::Objective;
use overbar::eliminate::emit::{Language, Title, emit};
use overbar::eliminate::names::Technique;
use overbar::eliminate::search::{Failure, Outcome, Request, search};
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
    let found = search(&named.graph, &request, started).map_err(|failure| session.fail([refusal(failure)]))?;
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

/// A step by the ids of the file. A vertex that a split adds has the next number behind all ids.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Vertex(u64),
    Face { face: [u32; 2] },
    Front { front: [u64; 2] },
    Back { back: [u64; 2] },
    SplitFront { split: u64, predecessors: Vec<u64>, new: u64 },
    SplitBack { split: u64, successors: Vec<u64>, new: u64 },
    Reroute { reroute: [u64; 2], over: u64 },
}

impl Answer {
    fn new(named: &json::Named, found: &Outcome) -> Answer {
        let first_new = named.ids.iter().max().map_or(0, |m| m.saturating_add(1));
        let n = named.graph.vertices.len();
        let id = |v: u32| match named.graph.vertices.get(v as usize) {
            Some(vertex) => named.ids[vertex.origin as usize],
            None => first_new.saturating_add(u64::from(v) - n as u64),
        };
        let all = |list: &[u32]| list.iter().map(|&v| id(v)).collect();
        let mut splits = n as u32;
        let mut new = || {
            splits += 1;
            id(splits - 1)
        };
        let entry = |step: &Step| match step {
            Step::Vertex(v) => Entry::Vertex(id(*v)),
            Step::Face(e, f) => Entry::Face { face: [*e, *f] },
            Step::Front(i, j) => Entry::Front { front: [id(*i), id(*j)] },
            Step::Back(j, k) => Entry::Back { back: [id(*j), id(*k)] },
            Step::SplitFront(v, predecessors) => Entry::SplitFront { split: id(*v), predecessors: all(predecessors), new: new() },
            Step::SplitBack(v, successors) => Entry::SplitBack { split: id(*v), successors: all(successors), new: new() },
            Step::Reroute { source, target, pivot } => Entry::Reroute { reroute: [id(*source), id(*target)], over: id(*pivot) },
        };
        Answer {
            objective: found.objective.to_string(),
            cost: found.cost,
            lower_bound: found.lower_bound,
            optimal: found.optimal(),
            method: found.method.clone(),
            checked: found.checked,
            order: found.steps.iter().map(entry).collect(),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let steps: Vec<String> = self.order.iter().map(Entry::text).collect();
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

impl Entry {
    fn text(&self) -> String {
        let list = |ids: &[u64]| ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        match self {
            Entry::Vertex(v) => v.to_string(),
            Entry::Face { face: [e, f] } => format!("face({e},{f})"),
            Entry::Front { front: [i, j] } => format!("front({i},{j})"),
            Entry::Back { back: [j, k] } => format!("back({j},{k})"),
            Entry::SplitFront { split, predecessors, new } => format!("split({split},from {},as {new})", list(predecessors)),
            Entry::SplitBack { split, successors, new } => format!("split({split},to {},as {new})", list(successors)),
            Entry::Reroute { reroute: [i, k], over } => format!("reroute({i},{k},over {over})"),
        }
    }
}
