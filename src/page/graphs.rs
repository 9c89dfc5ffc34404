//! Call graph and control-flow graphs on the page: the drawings of `overbar plot`.
//!
//! Lives here: which drawings a program gets. Never here: how they are drawn (see `overbar::plot`).

use super::markup::{code, escape};
use overbar::analysis::{Activity, Facts};
use overbar::plot::{Drawing, calls, flow, svg};
use std::fmt::Write;
use xaif::Program;

/// A drawing with what it shows.
pub struct Picture {
    /// The unit; none for the call graph.
    unit: Option<String>,
    drawing: Drawing,
}

/// All drawings of a program; control flow with its activity where that is known.
pub fn of(program: &Program, options: &overbar::Options) -> Vec<Picture> {
    let mut out = vec![Picture { unit: None, drawing: calls::calls(program) }];
    let facts = Facts::of(program);
    let heads = if options.heads.is_empty() { &program.heads } else { &options.heads };
    let activity = if options.rules.is_some() {
        // What rules say of units becomes part of the program where derivatives are made, and nowhere else.
        None
    } else if heads.is_empty() {
        Some(Activity::from_flags(program, &facts))
    } else {
        // Heads that cannot be resolved are refused where derivatives are made.
        let resolved = overbar::heads::resolve(program, &facts.objects, &facts.effects, heads).ok();
        resolved.map(|r| Activity::of(program, &facts, &r))
    };
    for u in program.unit_ids().filter(|&u| !program.unit(u).is_container()) {
        let activity = activity.as_ref().filter(|a| a.unit(u).is_some());
        out.push(Picture { unit: Some(program.unit_name(u).to_owned()), drawing: flow::flow(program, u, activity) });
    }
    out
}

/// The section.
pub fn section(o: &mut String, pictures: &[Picture]) {
    o.push_str("<section id=\"graphs\">\n<h2>Graphs</h2>\n");
    for (k, p) in pictures.iter().enumerate() {
        let d = &p.drawing;
        let title = match &p.unit {
            None => "Call graph".to_owned(),
            Some(unit) => format!("Control flow of <code>{}</code>", code(unit)),
        };
        let open = if k == 0 { " open=\"open\"" } else { "" };
        let _ = writeln!(o, "<details{open}><summary>{title}</summary>");
        if d.nodes.is_empty() {
            o.push_str("<p>There is nothing to draw.</p>");
        } else if d.is_readable() {
            let _ = write!(o, "<div class=\"wide drawing\">{}</div>", one_of_many(&svg::svg(d), k));
        } else {
            let _ = write!(
                o,
                "<p>{} boxes and {} arrows are too many to be read. A part is drawn by <code>overbar plot --what {} {}--around NAME --depth N</code>.</p>",
                d.nodes.len(),
                d.edges.len(),
                if p.unit.is_some() { "cfg" } else { "callgraph" },
                p.unit.as_ref().map(|u| format!("--unit {} ", escape(u))).unwrap_or_default()
            );
        }
        o.push_str("</details>\n");
    }
    o.push_str("</section>\n");
}

/// A drawing among others: names within it are its own. (Quotes in its texts are escaped, so that no text is meant.)
fn one_of_many(svg: &str, k: usize) -> String {
    svg.replace("id=\"arrow\"", &format!("id=\"arrow-{k}\""))
        .replace("marker-end=\"url(#arrow)\"", &format!("marker-end=\"url(#arrow-{k})\""))
}
