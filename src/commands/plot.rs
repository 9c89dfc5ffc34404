//! `overbar plot`: drawings of programs and graphs.

use super::steps::{self, Done, usage};
use crate::arguments::{self, Picture, PlotFormat};
use crate::console::files::{Content, Target, display_name, read_text, write_all};
use crate::console::report::{Failed, Session};
use crate::pipeline::idle;
use overbar::analysis::{Activity, Facts};
use overbar::eliminate::cost::Objective;
use overbar::eliminate::names::{self, Technique};
use overbar::eliminate::search::{Request, search};
use overbar::evaluate::{self, Limits, json};
use overbar::plot::drawing::{MOST_ARROWS, MOST_BOXES};
use overbar::plot::graphs::{Labelled, after, before, sheet};
use overbar::plot::{Drawing, blocks, calls, dot, flow, graph_file, linear, svg, terms};
use std::time::Instant;
use xaif::model::UnitId;
use xaif::{Diagnostic, Program};

/// Runs the command.
pub fn run(session: &mut Session, a: &arguments::Plot) -> Done {
    let format = format_of(session, a)?;
    useful(session, a)?;
    let is_graph = a.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    if matches!(format, PlotFormat::Json) {
        return graph_file(session, a, is_graph);
    }
    let mut drawing = if is_graph { of_graph(session, a)? } else { of_program(session, a)? };
    if drawing.nodes.is_empty() {
        let d = Diagnostic::error("OB0123", format!("{}: there is nothing to draw", drawing.title))
            .because("no unit, statement or edge of that kind is there")
            .help("choose another picture with `--what`, another part with `--unit`, or leave `--line` out");
        return Err(session.fail([d]));
    }
    if let Some(name) = &a.around {
        drawing = drawing.around(name, a.depth).ok_or_else(|| {
            let mut known: Vec<&str> = drawing.nodes.iter().flat_map(|n| n.keys.iter().map(String::as_str)).collect();
            known.sort_unstable();
            known.dedup();
            let more = if known.len() > 40 { format!(" and {} others", known.len() - 40) } else { String::new() };
            known.truncate(40);
            let d = Diagnostic::error("OB0126", format!("no box is known as `{name}`"))
                .help(format!("units, variables, lines and vertices have names here: {}{more}", known.join(", ")));
            session.print([d]);
            Failed(2)
        })?;
    }
    if matches!(format, PlotFormat::Svg) && !drawing.is_readable() {
        let d = Diagnostic::error(
            "OB0121",
            format!("{} has {} boxes and {} arrows, too many to be read", drawing.title, drawing.nodes.len(), drawing.edges.len()),
        )
        .because(format!("a drawing is readable to {MOST_BOXES} boxes and {MOST_ARROWS} arrows"))
        .help("draw a part: `--around NAME --depth N` what is near to a unit, line or vertex, `--unit NAME` one unit, `--line N` or `--line N-M` some statements; `--format dot` has no limit");
        return Err(session.fail([d]));
    }
    let text = if matches!(format, PlotFormat::Svg) { svg::svg(&drawing) } else { dot::dot(&drawing) };
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Text(&text) }])
}

/// Writes the linearized graphs of a program for `eliminate`.
fn graph_file(session: &mut Session, a: &arguments::Plot, is_graph: bool) -> Done {
    if a.what != Picture::Lcg || is_graph || a.around.is_some() {
        let help = "give a program, `--what lcg`, and no `--around`; `--unit` and `--line` choose a part";
        return Err(usage(session, "OB0124", "only whole linearized graphs of programs are written as JSON", help));
    }
    let program = steps::read_program(session, std::slice::from_ref(&a.file), a.language, &a.reading, &[])?;
    session.remember_sources(&program);
    let unit = unit_of(session, &program, a.unit.as_deref())?;
    let graphs = graphs_of(session, &program, unit, a)?;
    let name = program.unit_name(unit);
    if graphs.is_empty() {
        let d = Diagnostic::error("OB0123", format!("{name}: there is nothing to draw"))
            .because("no statement there has a derivative")
            .help("choose another part with `--unit`, or leave `--line` out");
        return Err(session.fail([d]));
    }
    let text = graph_file::text(name, &graphs);
    write_all(session, &[Target { path: a.output.output.as_deref(), content: Content::Text(&text) }])
}

/// The linearized graphs of the statements that are asked for.
fn graphs_of(session: &mut Session, program: &Program, unit: UnitId, a: &arguments::Plot) -> Result<Vec<Labelled>, Failed> {
    let lines = a.line.as_deref().map(|text| lines_of(session, text)).transpose()?;
    let list = terms::assignments(program, unit, lines);
    let Some(file) = &a.input else { return blocks::of_assignments(program, unit, &list).map_err(|d| session.fail(d)) };
    let text = read_text(session, file)?;
    let request = json::request(&text, program.index_order).map_err(|f| session.fail([*f]))?;
    let mut measured = blocks::measured(program, unit, &list).map_err(|d| session.fail(d))?;
    let outcome = evaluate::run(&measured.program, unit, &request.inputs, &Limits::default()).map_err(|f| session.fail([*f]))?;
    session.print(outcome.stopped.into_iter().chain(outcome.notes));
    let number = |name: &str| outcome.globals.get(name).and_then(|d| d.to_reals().first().copied());
    if measured.take(&number) < measured.graphs.len() {
        let d = Diagnostic::warning("OB0156", "the run does not come to all statements that are drawn")
            .because("factors have numbers only where it does")
            .help("give other values, or leave statements out with `--line`");
        session.print([d]);
    }
    Ok(measured.graphs)
}

/// Refuses options that do nothing for the picture.
fn useful(session: &Session, a: &arguments::Plot) -> Done {
    let is_graph = a.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    let parts = matches!(a.what, Picture::Expression | Picture::Lcg | Picture::Eliminated);
    let around = a.around.is_some() || a.what == Picture::Callgraph && a.unit.is_some();
    let (graph, eliminated) = ("a graph in JSON is drawn as it is", a.what == Picture::Eliminated);
    let mut found = idle::without(&[
        (a.line.is_some() && !parts, "line", "this picture is of a whole unit or program"),
        (a.depth != 2 && !around, "depth", "without --around nothing is cut off"),
        (!a.head.is_empty() && a.what != Picture::Activity, "head", "only --what activity is about derivatives"),
        (a.order.is_some() && !eliminated, "order", "only --what eliminated eliminates"),
        (a.objective != "aware" && !eliminated, "objective", "only --what eliminated eliminates"),
        (a.input.is_some() && a.what != Picture::Lcg, "input", "only --what lcg has numbers"),
        (a.input.is_some() && is_graph, "input", graph),
        (a.line.is_some() && is_graph, "line", graph),
        (a.unit.is_some() && is_graph, "unit", graph),
        (a.language.is_some() && is_graph, "language", graph),
    ]);
    if is_graph {
        found.extend(idle::reading(&a.reading, idle::Kind::Xaif));
    }
    steps::useful(session, found)
}

/// What is asked for, else what the name of the output says, else SVG.
fn format_of(session: &Session, a: &arguments::Plot) -> Result<PlotFormat, Failed> {
    let extension = a.output.output.as_deref().and_then(|o| o.extension()).and_then(|e| e.to_str()).unwrap_or_default();
    match (a.format, extension.to_ascii_lowercase().as_str()) {
        (Some(format), _) => Ok(format),
        (None, "dot" | "gv") => Ok(PlotFormat::Dot),
        (None, "" | "svg") => Ok(PlotFormat::Svg),
        (None, "json") => Ok(PlotFormat::Json),
        (None, other) => {
            let message = format!("no drawing can be written as .{other}");
            Err(usage(
                session,
                "OB0124",
                &message,
                "end the name in .svg, .dot or .json, or give `--format svg`, `--format dot` or `--format json`",
            ))
        }
    }
}

fn of_program(session: &mut Session, a: &arguments::Plot) -> Result<Drawing, Failed> {
    let heads = steps::parse_heads(session, &a.head)?;
    let lines = a.line.as_deref().map(|text| lines_of(session, text)).transpose()?;
    let program = steps::read_program(session, std::slice::from_ref(&a.file), a.language, &a.reading, &heads)?;
    session.remember_sources(&program);
    if a.what == Picture::Callgraph {
        let drawing = calls::calls(&program);
        let Some(name) = &a.unit else { return Ok(drawing) };
        let unit = unit_of(session, &program, Some(name))?;
        return Ok(drawing.around(program.unit_name(unit), a.depth).unwrap_or(drawing));
    }
    if a.what == Picture::Activity {
        return activity(session, &program, a, heads);
    }
    let unit = unit_of(session, &program, a.unit.as_deref())?;
    let name = program.unit_name(unit).to_owned();
    match a.what {
        Picture::Cfg => Ok(flow::flow(&program, unit, None)),
        Picture::Expression => {
            let list = terms::assignments(&program, unit, lines);
            Ok(terms::terms(&program, unit, &list))
        }
        Picture::Lcg | Picture::Eliminated | Picture::Callgraph | Picture::Activity => {
            let graphs = graphs_of(session, &program, unit, a)?;
            linearized(session, a, &format!("statements of {name}"), &graphs)
        }
    }
}

fn of_graph(session: &mut Session, a: &arguments::Plot) -> Result<Drawing, Failed> {
    if !matches!(a.what, Picture::Lcg | Picture::Eliminated) {
        return Err(usage(
            session,
            "OB0125",
            "a graph in JSON has neither units nor statements",
            "draw it with `--what lcg` or `--what eliminated`",
        ));
    }
    let text = read_text(session, &a.file)?;
    let named = overbar::eliminate::json::read(&display_name(&a.file), &text).map_err(|d| session.fail([d]))?;
    let labelled = linear::of_file(&named);
    linearized(session, a, &labelled.title.clone(), &[labelled])
}

/// Linearized graphs, or what elimination leaves of them.
fn linearized(session: &mut Session, a: &arguments::Plot, title: &str, graphs: &[Labelled]) -> Result<Drawing, Failed> {
    if a.what == Picture::Lcg {
        let mut drawing = sheet(format!("linearized graph: {title}"));
        graphs.iter().for_each(|g| before(&mut drawing, g));
        return Ok(drawing);
    }
    let Some(objective) = Objective::parse(&a.objective) else {
        let message = format!("there is no objective `{}`", a.objective);
        return Err(usage(
            session,
            "OB7012",
            &message,
            "known are plain, aware and propagate:K with a whole number K of directions, at least 1",
        ));
    };
    let order = a.order.as_deref().map(names::parse_chain).transpose().map_err(|d| {
        session.print([d]);
        Failed(2)
    })?;
    let mut drawing = sheet(String::new());
    let mut cost = 0;
    for g in graphs {
        let request = Request { objective, order: order.clone(), technique: Technique::Vertex, time: None, seed: 1, code: true };
        let found = search(&g.graph, &request, Instant::now()).map_err(|e| session.fail([super::eliminate::refusal(e)]))?;
        cost += found.cost;
        if let Some(code) = &found.code {
            after(&mut drawing, g, code);
        }
    }
    drawing.title = format!("after elimination: {title} (objective {objective}, cost {cost})");
    Ok(drawing)
}

fn activity(session: &mut Session, program: &Program, a: &arguments::Plot, heads: Vec<xaif::model::Head>) -> Result<Drawing, Failed> {
    let facts = Facts::of(program);
    let heads = if heads.is_empty() { program.heads.clone() } else { heads };
    let found = if heads.is_empty() {
        Activity::from_flags(program, &facts)
    } else {
        let resolved = overbar::heads::resolve(program, &facts.objects, &facts.effects, &heads).map_err(|d| session.fail(d))?;
        Activity::of(program, &facts, &resolved)
    };
    // The unit of a head is the one that is meant where no other is named.
    let name = a.unit.as_deref().or_else(|| heads.first().map(|h| h.unit.as_str()));
    let unit = unit_of(session, program, name)?;
    if found.unit(unit).is_none() {
        let reached: Vec<&str> = found.reached().map(|u| program.unit_name(u)).collect();
        let d = Diagnostic::error("OB0127", format!("no head reaches {}, so nothing in it has an activity", program.unit_name(unit)))
            .at(program.location(program.unit(unit).span))
            .help(format!("give another `--head`, or draw one of: {}", reached.join(", ")));
        return Err(session.fail([d]));
    }
    Ok(flow::flow(program, unit, Some(&found)))
}

/// `12` or `12-20`.
fn lines_of(session: &Session, text: &str) -> Result<(u32, u32), Failed> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    match (from.trim().parse(), to.trim().parse()) {
        (Ok(from), Ok(to)) if from <= to => Ok((from, to)),
        _ => Err(usage(session, "OB0128", &format!("`{text}` says no lines"), "write `--line 12` or `--line 12-20`")),
    }
}

fn unit_of(session: &Session, program: &Program, name: Option<&str>) -> Result<UnitId, Failed> {
    let all: Vec<UnitId> = program.unit_ids().filter(|&u| !program.unit(u).is_container()).collect();
    let there = || {
        let names: Vec<&str> = all.iter().map(|&u| program.unit_name(u)).collect();
        if names.is_empty() { "the program has no units".to_owned() } else { format!("there are: {}", names.join(", ")) }
    };
    match (name, &all[..]) {
        (Some(name), _) => match program.unit_named(name) {
            Some(unit) => Ok(unit),
            None => Err(usage(session, "OB0120", &format!("there is no unit {name} to draw"), &there())),
        },
        (None, [unit]) => Ok(*unit),
        (None, []) => Err(usage(session, "OB0122", "there is no unit to draw", &there())),
        (None, _) => Err(usage(session, "OB0122", "which unit is to be drawn?", &format!("give --unit; {}", there()))),
    }
}
